//! Limits: refused with what is too much, or met at the same step everywhere.
#![allow(clippy::unwrap_used)]

mod common;

use borges_vm::*;
use common::*;

/// What loading and instantiating say under these limits.
fn refusal(text: &str, limits: Limits) -> String {
    let bytes = wat::parse_str(text).unwrap();
    match Module::new(&bytes, &limits) {
        Err(error) => error.to_string(),
        Ok(module) => match Machine::new(Shared::new(module), limits) {
            Err(error) => error.to_string(),
            Ok(_) => "accepted".into(),
        },
    }
}

#[test]
fn modules_over_a_limit_are_refused_with_what_is_too_much() {
    let none = Limits::default();
    for (text, limits, message) in [
        (
            "(module)",
            Limits {
                module_bytes: 7,
                ..none
            },
            "8 bytes of a module, but the limit is 7",
        ),
        (
            "(module (type (func)) (type (func (param i32))))",
            Limits { types: 1, ..none },
            "2 types, but the limit is 1",
        ),
        (
            "(module (type (func (param i32 i32))))",
            Limits { arity: 1, ..none },
            "2 parameters, but the limit is 1",
        ),
        (
            "(module (type (func (result i32 i32))))",
            Limits { arity: 1, ..none },
            "2 results, but the limit is 1",
        ),
        (
            "(module (func) (func))",
            Limits {
                functions: 1,
                ..none
            },
            "2 functions, but the limit is 1",
        ),
        (
            r#"(module (import "a" "b" (func)) (func))"#,
            Limits {
                functions: 1,
                ..none
            },
            "2 functions, but the limit is 1",
        ),
        (
            r#"(module (func (export "a") (export "b")))"#,
            Limits { externs: 1, ..none },
            "2 exports, but the limit is 1",
        ),
        (
            "(module (func (param i32) (local i64 i64)))",
            Limits { locals: 2, ..none },
            "3 locals of a function, but the limit is 2",
        ),
        (
            "(module (func (drop (i32.add (i32.const 1) (i32.const 2)))))",
            Limits {
                operands: 1,
                ..none
            },
            "2 operands of a function, but the limit is 1",
        ),
        (
            "(module (func (block (block))))",
            Limits { nesting: 2, ..none },
            "3 nested blocks, but the limit is 2",
        ),
        (
            "(module (global i32 (i32.const 1)) (global i32 (i32.const 1)))",
            Limits { globals: 1, ..none },
            "2 globals, but the limit is 1",
        ),
        (
            "(module (table 1 funcref) (table 1 funcref))",
            Limits { tables: 1, ..none },
            "2 tables, but the limit is 1",
        ),
        (
            "(module (table 9 funcref))",
            Limits {
                table_elements: 8,
                ..none
            },
            "9 elements of a table, but the limit is 8",
        ),
        (
            "(module (memory 2))",
            Limits {
                memory_pages: 1,
                ..none
            },
            "2 pages of memory, but the limit is 1",
        ),
        (
            r#"(module (memory 1) (data "a") (data "b"))"#,
            Limits {
                segments: 1,
                ..none
            },
            "2 data segments, but the limit is 1",
        ),
        (
            r#"(module (memory 1) (data (i32.const 1000) "abc"))"#,
            Limits {
                memory_bytes: 1002,
                ..none
            },
            "memory access beyond the bytes that the device has: active data segment 0",
        ),
        (
            r#"(module (memory 1) (data (i32.const 65534) "abc"))"#,
            Limits {
                memory_bytes: 1002,
                ..none
            },
            "out of bounds memory access: active data segment 0",
        ),
    ] {
        let found = refusal(text, limits);
        assert!(found.contains(message), "{text}: {found}");
        assert_eq!(
            refusal(text, none) == "accepted",
            !text.contains("65534"),
            "{text}"
        );
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
    let limits = Limits {
        stack_slots: 2,
        ..Limits::default()
    };
    let mut machine = Machine::new(module(text), limits).unwrap();
    let func = machine.module().unwrap().exported_func("f").unwrap();
    assert_eq!(
        machine.begin(func, &[Value::I64(1); 3]),
        Err(BeginError::Stack)
    );
    let func = machine.module().unwrap().exported_func("g").unwrap();
    assert_eq!(machine.begin(func, &[]), Ok(()));
    assert_eq!(machine.run(u64::MAX), Exit::Trapped(Trap::StackOverflow));
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
