//! Limits: refused with what is too much, or met at the same step everywhere.

use crate::common::*;
use borges_vm::*;

/// What loading and instantiating say under these limits.
fn verdict(text: &str, limits: Limits) -> String {
    let bytes = wat::parse_str(text).unwrap();
    match Module::new(&bytes, &limits) {
        Err(error) => error.to_string(),
        Ok(module) => match Machine::new(Shared::new(module), limits) {
            Err(error) => error.to_string(),
            Ok(_) => "accepted".into(),
        },
    }
}

/// One of the limits.
type Limit = fn(&mut Limits) -> &mut u32;

/// A module, the limit that it meets, and how many of what it has.
type Case = (&'static str, Limit, u32, &'static str);

const CASES: &[Case] = &[
    ("(module)", |l| &mut l.module_bytes, 8, "bytes of a module"),
    (
        "(module (type (func)) (type (func (param i32))))",
        |l| &mut l.types,
        2,
        "types",
    ),
    (
        "(module (type (func (param i32 i32))))",
        |l| &mut l.arity,
        2,
        "parameters",
    ),
    (
        "(module (type (func (result i32 i32))))",
        |l| &mut l.arity,
        2,
        "results",
    ),
    (
        "(module (func) (func))",
        |l| &mut l.functions,
        2,
        "functions",
    ),
    (
        r#"(module (func (export "a") (export "b")))"#,
        |l| &mut l.externs,
        2,
        "exports",
    ),
    (
        "(module (func (param i32) (local i64 i64)))",
        |l| &mut l.locals,
        3,
        "locals of a function",
    ),
    (
        "(module (func (drop (i32.add (i32.const 1) (i32.const 2)))))",
        |l| &mut l.operands,
        2,
        "operands of a function",
    ),
    (
        "(module (global i32 (i32.add (i32.const 1) (i32.const 2))))",
        |l| &mut l.operands,
        2,
        "operands of a constant",
    ),
    (
        "(module (func (block (block))))",
        |l| &mut l.nesting,
        3,
        "nested blocks",
    ),
    (
        "(module (global i32 (i32.const 1)) (global i32 (i32.const 1)))",
        |l| &mut l.globals,
        2,
        "globals",
    ),
    (
        "(module (table 1 funcref) (table 1 funcref))",
        |l| &mut l.tables,
        2,
        "tables",
    ),
    (
        "(module (table 9 funcref))",
        |l| &mut l.table_elements,
        9,
        "elements of a table",
    ),
    (
        "(module (func $f) (elem func $f $f $f))",
        |l| &mut l.table_elements,
        3,
        "elements of a segment",
    ),
    (
        "(module (memory 2))",
        |l| &mut l.memory_pages,
        2,
        "pages of memory",
    ),
    (
        r#"(module (memory 1) (data "a") (data "b"))"#,
        |l| &mut l.segments,
        2,
        "data segments",
    ),
    (
        "(module (func $f) (elem func $f) (elem func $f))",
        |l| &mut l.segments,
        2,
        "element segments",
    ),
    (
        r#"(module (@custom "a" "") (@custom "b" ""))"#,
        |l| &mut l.segments,
        2,
        "custom sections",
    ),
];

#[test]
fn modules_over_a_limit_are_refused_with_what_is_too_much() {
    for (text, limit, count, what) in CASES {
        let under = |most| {
            let mut limits = Limits::default();
            *limit(&mut limits) = most;
            verdict(text, limits)
        };
        assert_eq!(under(*count), "accepted", "{text}");
        let message = format!("{count} {what}, but the limit is {}", count - 1);
        let found = under(count - 1);
        assert!(found.contains(&message), "{text}: {found}");
    }
}

/// What is imported counts like what is defined; no embedder is needed to be told.
#[test]
fn imports_over_a_limit_are_refused() {
    let cases: &[Case] = &[
        (
            r#"(module (import "a" "b" (func)) (func))"#,
            |l| &mut l.functions,
            2,
            "functions",
        ),
        (
            r#"(module (import "a" "b" (func)) (import "a" "c" (func)))"#,
            |l| &mut l.externs,
            2,
            "imports",
        ),
        (
            r#"(module (import "a" "b" (global i32)) (import "a" "c" (global i32)))"#,
            |l| &mut l.globals,
            2,
            "globals",
        ),
        (
            r#"(module (import "a" "b" (table 9 funcref)) (table 1 funcref))"#,
            |l| &mut l.tables,
            2,
            "tables",
        ),
    ];
    for (text, limit, count, what) in cases {
        let bytes = wat::parse_str(text).unwrap();
        let under = |most| {
            let mut limits = Limits::default();
            *limit(&mut limits) = most;
            Module::new(&bytes, &limits).map_err(|error| error.to_string())
        };
        assert!(under(*count).is_ok(), "{text}");
        let message = format!("{count} {what}, but the limit is {}", count - 1);
        let found = under(count - 1).unwrap_err();
        assert!(found.contains(&message), "{text}: {found}");
    }
}

#[test]
fn segments_beyond_the_bytes_that_there_are() {
    let backed = |memory_bytes| Limits {
        memory_bytes,
        ..Limits::default()
    };
    let text = r#"(module (memory 1) (data (i32.const 1000) "abc"))"#;
    assert_eq!(verdict(text, backed(1003)), "accepted");
    assert_eq!(
        verdict(text, backed(1002)),
        "memory access beyond the bytes that the device has: active data segment 0 does not fit"
    );
    // Whatever there is: the page ends.
    for (start, found) in [
        (65_533, "accepted"),
        (
            65_534,
            "out of bounds memory access: active data segment 0 does not fit",
        ),
    ] {
        let text = format!(r#"(module (memory 1) (data (i32.const {start}) "abc"))"#);
        assert_eq!(verdict(&text, Limits::default()), found);
    }
    let text = text.replace("1000", "65534");
    let found = verdict(&text, backed(1002));
    assert_eq!(
        found,
        "out of bounds memory access: active data segment 0 does not fit"
    );
}

/// Cells of a function are counted in 16 bits, whatever the limits are.
#[test]
fn no_limit_is_more_than_sixteen_bits() {
    let all = Limits {
        arity: u32::MAX,
        locals: u32::MAX,
        operands: u32::MAX,
        stack_slots: 1 << 18,
        ..Limits::default()
    };
    let params = |count| format!("(module (type (func (param{}))))", " i32".repeat(count));
    let locals = |count| format!("(module (func (local{})))", " i32".repeat(count));
    let operands = |count| {
        let (push, pop) = (" i32.const 0".repeat(count), " drop".repeat(count));
        format!("(module (func{push}{pop}))")
    };
    let cases: [(&str, &dyn Fn(usize) -> String); 3] = [
        ("parameters", &params),
        ("locals of a function", &locals),
        ("operands of a function", &operands),
    ];
    for (what, text) in cases {
        assert_eq!(verdict(&text(65_535), all), "accepted", "{what}");
        let found = verdict(&text(65_536), all);
        let message = format!("65536 {what}, but the limit is 65535");
        assert!(found.contains(&message), "{found}");
    }
}

/// What 32-bit addresses reach, whatever the limits are.
#[test]
fn memories_end_at_65536_pages() {
    let limits = Limits {
        memory_pages: u32::MAX,
        memory_bytes: 100,
        ..Limits::default()
    };
    assert_eq!(verdict("(module (memory 65536 65536))", limits), "accepted");
    for size in ["65537", "0 65537"] {
        let found = verdict(&format!("(module (memory {size}))"), limits);
        assert!(
            found.contains("memory size must be at most 65536 pages"),
            "{found}"
        );
    }
    let text = r#"(module (memory 1)
        (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0))))"#;
    let mut machine = Machine::new(module(text), limits).unwrap();
    for (delta, size) in [(65_536, -1), (65_535, 1), (1, -1), (0, 65_536)] {
        begin(&mut machine, "grow", &[Value::I32(delta)]);
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        assert_eq!(finished(&machine), [Value::I32(size)], "{delta}");
    }
    assert_eq!(machine.memory().len(), 100);
}

/// States that arrive, whole or as a difference, are held to the limits of who adopts them.
#[test]
fn states_over_a_limit_are_refused() {
    // Five frames of a local and an operand each, a table of seven, three pages.
    let text = r#"(module (memory 1) (table $t 1 externref)
        (func $deep (export "deep") (param i32)
            (if (i32.eqz (local.get 0)) (then
                (drop (memory.grow (i32.const 2)))
                (drop (table.grow (ref.null extern) (i32.const 6)))
                (loop $l (br $l))))
            (call $deep (i32.sub (local.get 0) (i32.const 1)))))"#;
    let module = module(text);
    let machine_under = |limits| Machine::new(module.clone(), limits).unwrap();
    let mut machine = machine_under(Limits::default());
    let before = machine.snapshot(None);
    begin(&mut machine, "deep", &[Value::I32(4)]);
    assert_eq!(machine.run(100), Exit::Budget);
    assert_eq!(machine.depth(), 5);
    let (saved, after) = (machine.save(), machine.snapshot(None));
    let delta = Delta::between(&before, &after).unwrap();
    // Each frame's room is a local and two operands; the operand passed on is the next one's local.
    let cases: [(Limit, u32, &str); 4] = [
        (|l| &mut l.call_depth, 5, "5 frames"),
        (|l| &mut l.stack_slots, 7, "7 cells of stack"),
        (|l| &mut l.table_elements, 7, "7 elements of a table"),
        (|l| &mut l.memory_pages, 3, "3 pages of memory"),
    ];
    for (limit, count, message) in cases {
        let mut limits = Limits::default();
        *limit(&mut limits) = count;
        let mut at = machine_under(limits);
        assert_eq!(at.load(&saved), Ok(()), "{message}");
        assert_eq!(at.hash(), machine.hash());
        let mut at = machine_under(limits);
        assert_eq!(at.apply(&delta), Ok(()), "{message}");
        *limit(&mut limits) = count - 1;
        let mut past = machine_under(limits);
        let untouched = past.hash();
        for refused in [past.load(&saved), past.apply(&delta)] {
            let Err(StateError::Limit(found)) = refused else {
                panic!("{message}: {refused:?}");
            };
            assert!(found.to_string().starts_with(message), "{found}");
        }
        assert_eq!(past.hash(), untouched);
    }
}

#[test]
fn growing_past_a_limit_fails_as_the_standard_allows() {
    let text = r#"(module (memory 1) (table $t 1 externref)
        (func (export "memory") (param i32) (result i32) (memory.grow (local.get 0)))
        (func (export "table") (param i32) (result i32)
            (table.grow (ref.null extern) (local.get 0))))"#;
    let limits = Limits {
        memory_pages: 3,
        table_elements: 5,
        ..Limits::default()
    };
    let mut machine = Machine::new(module(text), limits).unwrap();
    for (name, delta, size) in [
        ("memory", 1, 1),
        ("memory", 2, -1),
        ("memory", -1, -1),
        ("memory", 1, 2),
        ("memory", 0, 3),
        ("table", 3, 1),
        ("table", 2, -1),
        ("table", -1, -1),
        ("table", 1, 4),
        ("table", 0, 5),
    ] {
        begin(&mut machine, name, &[Value::I32(delta)]);
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        assert_eq!(finished(&machine), [Value::I32(size)], "{name} {delta}");
    }
    assert_eq!(machine.memory().len(), 3 << 16);
}

#[test]
fn a_page_need_not_be_there_as_a_whole() {
    let text = r#"(module (memory 1)
        (func (export "load") (param i32) (result i32) (i32.load (local.get 0)))
        (func (export "store") (param i32) (i32.store8 (local.get 0) (i32.const 1)))
        (func (export "copy") (param i32) (memory.copy (i32.const 0) (local.get 0) (i32.const 8)))
        (func (export "fill") (param i32)
            (memory.fill (local.get 0) (i32.const 1) (i32.const 8)))
        (func (export "size") (result i32) (memory.size)))"#;
    let limits = Limits {
        memory_bytes: 10_000,
        ..Limits::default()
    };
    let mut machine = Machine::new(module(text), limits).unwrap();
    assert_eq!(machine.memory().len(), 10_000);
    let mut ends = |name: &str, args: &[Value]| {
        begin(&mut machine, name, args);
        machine.run(u64::MAX)
    };
    assert_eq!(ends("load", &[Value::I32(9_996)]), Exit::Finished);
    for name in ["load", "copy", "fill"] {
        assert_eq!(
            ends(name, &[Value::I32(9_997)]),
            Exit::Trapped(Trap::MemoryNotBacked)
        );
        assert_eq!(
            ends(name, &[Value::I32(65_533)]),
            Exit::Trapped(Trap::MemoryOutOfBounds)
        );
    }
    assert_eq!(
        ends("store", &[Value::I32(10_000)]),
        Exit::Trapped(Trap::MemoryNotBacked)
    );
    assert_eq!(
        ends("store", &[Value::I32(-1)]),
        Exit::Trapped(Trap::MemoryOutOfBounds)
    );
    // The program sees the page that it declared.
    assert_eq!(ends("size", &[]), Exit::Finished);
    assert_eq!(finished(&machine), [Value::I32(1)]);
    let mut other = Machine::new(module(text), limits).unwrap();
    other.load(&machine.save()).unwrap();
    assert_eq!(other.hash(), machine.hash());
}

#[test]
fn an_entry_that_does_not_fit_the_stack() {
    let text = r#"(module (func (export "f") (param i64 i64 i64) (local i64 i64))
        (func (export "g") (local i64 i64 i64 i64)))"#;
    let started = |stack_slots, name: &str, args: &[Value]| {
        let limits = Limits {
            stack_slots,
            ..Limits::default()
        };
        let mut machine = Machine::new(module(text), limits).unwrap();
        let func = machine.module().unwrap().exported_func(name).unwrap();
        machine.begin(func, args).map(|()| machine)
    };
    let args = [Value::I64(1); 3];
    assert_eq!(started(2, "f", &args).err(), Some(BeginError::Stack));
    let overflow = Exit::Trapped(Trap::StackOverflow);
    for (slots, name, args, end) in [
        (3, "f", &args[..], overflow),
        (4, "f", &args, overflow),
        (5, "f", &args, Exit::Finished),
        (3, "g", &[], overflow),
        (4, "g", &[], Exit::Finished),
    ] {
        let mut machine = started(slots, name, args).unwrap();
        assert_eq!(machine.run(u64::MAX), end, "{slots} slots");
    }
    let mut machine = started(3, "g", &[]).unwrap();
    machine.run(u64::MAX);
    let limits = *machine.limits();
    let mut other = Machine::new(module(text), limits).unwrap();
    other.load(&machine.save()).unwrap();
    assert_eq!(
        other.outcome(),
        Some(&Outcome::Trapped(Trap::StackOverflow))
    );
}

#[test]
fn what_is_begun_and_answered_must_fit() {
    let text = r#"(module (import "env" "f" (func $f (result funcref)))
        (func (export "main") (param funcref) (drop (call $f))))"#;
    let mut machine = machine(text);
    let main = FuncIdx(1);
    assert_eq!(machine.begin(main, &[]), Err(BeginError::Arguments));
    assert_eq!(
        machine.begin(main, &[Value::I32(1)]),
        Err(BeginError::Arguments)
    );
    // No function has this address.
    assert_eq!(
        machine.begin(main, &[Value::FuncRef(Some(2))]),
        Err(BeginError::Arguments)
    );
    let unknown = BeginError::UnknownFunc {
        instance: InstanceId(0),
        func: FuncIdx(2),
    };
    assert_eq!(machine.begin(FuncIdx(2), &[]), Err(unknown));
    machine.begin(main, &[Value::FuncRef(Some(1))]).unwrap();
    assert_eq!(
        machine.begin(main, &[Value::FuncRef(None)]),
        Err(BeginError::Busy)
    );
    assert_eq!(machine.run(u64::MAX), Exit::HostCall);
    assert_eq!(
        machine.answer(&[Value::FuncRef(Some(9))]),
        Err(AnswerError::Results)
    );
    machine.answer(&[Value::FuncRef(Some(0))]).unwrap();
    assert_eq!(machine.run(u64::MAX), Exit::Finished);
}
