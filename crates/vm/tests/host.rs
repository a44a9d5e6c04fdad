//! The host's function, which a module carries in a section of its own.

use borges_vm::{Exit, FuncIdx, HOST_SECTION, Limits, LoadCause, Machine, Module, Shared, Value};

const MODULE: &str = r#"(module
    (memory (export "memory") 1)
    (global $calls (mut i32) (i32.const 0))
    (func (export "next") (param i32) (result i32)
        (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
        (i32.add (global.get $calls) (local.get 0)))
    (data (i32.const 0) "data"))"#;

/// Calls `next(40)`, `next(0)` and returns both results.
const BODY: &[u8] = &[0, 0x41, 40, 0x10, 0, 0x41, 0, 0x10, 0, 0x0b];

fn custom(content: &[u8]) -> Vec<u8> {
    let name = HOST_SECTION.as_bytes();
    let size = u8::try_from(1 + name.len() + content.len()).expect("it is short");
    let mut section = vec![0, size, name.len() as u8];
    section.extend(name);
    section.extend(content);
    section
}

/// A section with these types of results, this body, and text that is not the machine's to read.
fn section(results: &[u8], body: &[u8]) -> Vec<u8> {
    let mut content = vec![results.len() as u8];
    content.extend(results);
    content.push(body.len() as u8);
    content.extend(body);
    content.extend(b"for others");
    custom(&content)
}

fn with(section: &[u8]) -> Result<Module, String> {
    let mut bytes = wat::parse_str(MODULE).expect("it is text of a module");
    bytes.extend(section);
    Module::new(&bytes, &Limits::host()).map_err(|error| error.to_string())
}

fn refused(section: &[u8]) -> String {
    with(section).expect_err("it is no section that can be read")
}

#[test]
fn it_calls_one_export_after_the_other() {
    let module = with(&section(&[0x7f, 0x7f], BODY)).expect("it is valid");
    let host = module.host().expect("it has one");
    assert_eq!(host, FuncIdx(1));
    let begin = module.code_range(host).expect("it has code").start;
    assert_eq!(module.func_at(begin), Some(host));
    assert_eq!(module.instr_starts(host).count(), 5);
    let mut machine = Machine::new(Shared::new(module), Limits::host()).expect("it starts");
    machine.begin(host, &[]).expect("it takes nothing");
    assert_eq!(machine.run(u64::MAX), Exit::Finished);
    let results = machine.outcome().cloned();
    let wanted = borges_vm::Outcome::Finished(vec![Value::I32(41), Value::I32(2)]);
    assert_eq!(results, Some(wanted));
}

#[test]
fn a_module_without_it_has_none() {
    assert_eq!(with(&[]).expect("it is valid").host(), None);
}

#[test]
fn it_is_checked_like_all_code() {
    assert!(
        refused(&section(&[0x7f], BODY)).contains("type"),
        "too many results"
    );
    assert!(with(&section(&[0x7e, 0x7f], BODY)).is_err(), "another type");
    assert!(
        with(&section(&[0x7f, 0x7f], &[0, 0x10, 9, 0x0b])).is_err(),
        "no such function"
    );
    for end in 0..BODY.len() {
        let cut = &BODY[..end];
        assert!(with(&section(&[0x7f, 0x7f], cut)).is_err(), "cut at {end}");
    }
    for end in 0..4 {
        assert!(
            with(&custom(&[2, 0x7f, 0x7f, 10][..end])).is_err(),
            "cut at {end}"
        );
    }
}

#[test]
fn there_is_one_and_it_comes_after_the_code() {
    let once = section(&[0x7f, 0x7f], BODY);
    assert!(refused(&[once.clone(), once.clone()].concat()).contains("order"));
    let module = wat::parse_str(MODULE).expect("it is text of a module");
    let nothing = section(&[], &[0, 0x0b]);
    let early = [&module[..8], &nothing, &module[8..]].concat();
    let error = Module::new(&early, &Limits::host()).expect_err("its functions come later");
    assert!(matches!(error.cause, LoadCause::Malformed(_)), "{error}");
}

#[test]
fn it_counts_as_a_function() {
    let limits = Limits {
        functions: 1,
        ..Limits::host()
    };
    let mut bytes = wat::parse_str(MODULE).expect("it is text of a module");
    assert!(Module::new(&bytes, &limits).is_ok());
    bytes.extend(section(&[0x7f, 0x7f], BODY));
    let error = Module::new(&bytes, &limits).expect_err("two functions");
    assert!(error.to_string().contains("functions"), "{error}");
}
