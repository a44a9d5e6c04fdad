//! Breakpoints, watches and frames.

use crate::common::*;
use borges_vm::*;

const PROGRAM: &str = r#"(module (memory 1) (global $g (mut i32) (i32.const 0))
    (func $inner (param $x i32) (param $y f64) (result i64) (local $z i64)
        (i32.store (local.get $x) (i32.const 5))
        (i32.store (i32.const 8) (i32.const 0))
        (i64.store8 offset=4 (i32.const 8) (i64.const 9))
        (local.set $z (i64.const 7))
        (global.set $g (i32.const 0))
        (global.set $g (i32.const 3))
        (memory.fill (i32.const 6) (i32.const 1) (i32.const 10))
        (local.get $z))
    (func (export "main") (result i64) (local $z i64)
        (f32.const 1.5)
        (i64.add (i64.const 1) (call $inner (i32.const 40) (f64.const 2.5)))
        (local.set $z)
        (drop)
        (local.get $z)))"#;

/// The offset of the `nth` instruction of this name in a function.
fn offset_of(machine: &Machine, func: u32, name: &str, nth: usize) -> CodeOffset {
    let module = machine.module().unwrap();
    let mut found = module
        .instrs(FuncIdx(func))
        .filter(|(_, instr)| instr.name() == name);
    found.nth(nth).unwrap().0
}

#[test]
fn a_breakpoint_fires_before_its_instruction_and_not_again_when_running_on() {
    let mut machine = machine(PROGRAM);
    let first = offset_of(&machine, 0, "local.get", 0);
    let call = offset_of(&machine, 1, "call", 0);
    machine.set_breakpoints(&[call, first]).unwrap();
    for _ in 0..2 {
        begin(&mut machine, "main", &[]);
        let start = machine.steps();
        assert_eq!(machine.run(u64::MAX), Exit::Breakpoint(call));
        assert_eq!(machine.steps() - start, 4);
        assert_eq!(machine.location().unwrap().offset, call);
        assert_eq!(machine.run(u64::MAX), Exit::Breakpoint(first));
        assert_eq!(machine.steps() - start, 5);
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        assert_eq!(finished(&machine), [Value::I64(8)]);
    }
}

#[test]
fn runs_in_slices_miss_no_breakpoint_and_report_it_once() {
    let mut machine = machine(PROGRAM);
    let call = offset_of(&machine, 1, "call", 0);
    machine.set_breakpoints(&[call]).unwrap();
    for slice in 1..9 {
        begin(&mut machine, "main", &[]);
        let mut hits = 0;
        loop {
            match machine.run(machine.steps() + slice) {
                Exit::Breakpoint(offset) => {
                    assert_eq!(offset, call);
                    hits += 1;
                }
                Exit::Budget => {}
                exit => break assert_eq!(exit, Exit::Finished),
            }
        }
        assert_eq!(hits, 1);
    }
}

#[test]
fn a_breakpoint_must_be_at_an_instruction() {
    let mut machine = machine(PROGRAM);
    let call = offset_of(&machine, 1, "call", 0);
    for offset in [CodeOffset(call.0 + 1), CodeOffset(0), CodeOffset(u32::MAX)] {
        assert_eq!(
            machine.set_breakpoints(&[call, offset]),
            Err(NoInstruction(offset))
        );
    }
    begin(&mut machine, "main", &[]);
    assert_eq!(machine.run(u64::MAX), Exit::Finished);
}

#[test]
fn watches_fire_behind_every_instruction_that_writes() {
    let machine = machine(PROGRAM);
    let stores = |nth| offset_of(&machine, 0, "i32.store", nth);
    let fired = |watch: Watch| {
        let mut machine = machine.clone();
        machine.set_watches(&[Watch::Global(99), watch]);
        begin(&mut machine, "main", &[]);
        let mut offsets = Vec::new();
        loop {
            match machine.run(u64::MAX) {
                Exit::Watch { watch: 1, offset } => offsets.push(offset),
                exit => break assert_eq!(exit, Exit::Finished),
            }
        }
        offsets
    };
    let fill = offset_of(&machine, 0, "memory.fill", 0);
    let narrow = offset_of(&machine, 0, "i64.store8", 0);
    assert_eq!(
        fired(Watch::Memory {
            memory: 0,
            start: 40,
            length: 1
        }),
        [stores(0)]
    );
    assert_eq!(
        fired(Watch::Memory {
            memory: 0,
            start: 43,
            length: 10
        }),
        [stores(0)]
    );
    // The second store writes the zeros that are there: a write like any other.
    assert_eq!(
        fired(Watch::Memory {
            memory: 0,
            start: 8,
            length: 4
        }),
        [stores(1), fill]
    );
    assert_eq!(
        fired(Watch::Memory {
            memory: 0,
            start: 12,
            length: 1
        }),
        [narrow, fill]
    );
    assert_eq!(
        fired(Watch::Memory {
            memory: 0,
            start: 16,
            length: 4
        }),
        []
    );
    assert_eq!(
        fired(Watch::Global(0)),
        [0, 1].map(|nth| offset_of(&machine, 0, "global.set", nth))
    );
    let set = offset_of(&machine, 0, "local.set", 0);
    assert_eq!(fired(Watch::Local { frame: 1, local: 2 }), [set]);
    assert_eq!(fired(Watch::Local { frame: 1, local: 0 }), []);
    let outer = offset_of(&machine, 1, "local.set", 0);
    assert_eq!(fired(Watch::Local { frame: 0, local: 0 }), [outer]);
}

#[test]
fn debugging_is_no_part_of_the_state_and_changes_no_step() {
    let mut plain = machine(MEDLEY);
    let mut debugged = machine(MEDLEY);
    let add = offset_of(&debugged, 2, "i32.add", 0);
    debugged.set_breakpoints(&[add]).unwrap();
    debugged.set_watches(&[
        Watch::Memory {
            memory: 0,
            start: 0,
            length: 1 << 17,
        },
        Watch::Global(0),
        Watch::Local { frame: 0, local: 1 },
    ]);
    for machine in [&mut plain, &mut debugged] {
        begin(machine, "main", &[Value::I32(20)]);
    }
    assert_eq!(drive(&mut plain, u64::MAX), Exit::Finished);
    let mut stops = 0;
    while drive(&mut debugged, u64::MAX) != Exit::Finished {
        stops += 1;
    }
    assert!(stops > 60);
    assert_eq!(debugged.save(), plain.save());
    debugged.set_breakpoints(&[]).unwrap();
    debugged.set_watches(&[]);
    assert_eq!(debugged.breakpoints().count(), 0);
}

#[test]
fn frames_have_types() {
    let mut machine = machine(PROGRAM);
    begin(&mut machine, "main", &[]);
    let set = offset_of(&machine, 0, "global.set", 0);
    machine.set_breakpoints(&[set]).unwrap();
    assert_eq!(machine.run(u64::MAX), Exit::Breakpoint(set));
    let frames: Vec<FrameView> = machine.frames().collect();
    assert_eq!(frames.len(), 2);
    let (inner, outer) = (&frames[0], &frames[1]);
    assert_eq!((inner.func, inner.offset), (FuncIdx(0), set));
    let two_and_a_half = Value::F64(2.5f64.to_bits());
    assert_eq!(
        inner.locals,
        [Value::I32(40), two_and_a_half, Value::I64(7)]
    );
    assert_eq!(inner.operands, [Value::I32(0)]);
    // The caller is shown at its call, without arguments or results.
    assert_eq!(
        (outer.func, outer.offset),
        (FuncIdx(1), offset_of(&machine, 1, "call", 0))
    );
    assert_eq!(
        outer.operands,
        [Value::F32(1.5f32.to_bits()), Value::I64(1)]
    );
    assert_eq!(machine.frame(2), None);
}

#[test]
fn an_interrupted_frame_is_shown_where_it_goes_on() {
    let mut machine = machine(MEDLEY);
    begin(&mut machine, "main", &[Value::I32(3)]);
    drive(&mut machine, 40);
    let before = machine.frame(0).unwrap();
    machine.interrupt(3, &[Value::I32(5)]).unwrap();
    assert_eq!(machine.frame(1).unwrap(), before);
    let handler = machine.frame(0).unwrap();
    assert!(handler.is_handler && !before.is_handler);
    assert_eq!(handler.locals, [Value::I32(5)]);
}

#[test]
fn code_has_places() {
    let module = module(MEDLEY);
    // After two imports, `add` and `mul`.
    let fib = FuncIdx(4);
    let code = module.code_range(fib).unwrap();
    assert_eq!(module.func_at(code.start), Some(fib));
    assert_eq!(module.func_at(CodeOffset(code.end.0 - 1)), Some(fib));
    assert_ne!(module.func_at(code.end), Some(fib));
    let types: Vec<_> = module
        .instr_starts(fib)
        .map(|at| module.types_at(fib, at).unwrap())
        .collect();
    assert_eq!(types[0], []);
    assert_eq!(types[3], [ValType::I32]);
    assert_eq!(types[11], [ValType::I32, ValType::I32]);
    assert_eq!(module.types_at(fib, CodeOffset(code.start.0 + 1)), None);
    let text: Vec<String> = module
        .instrs(fib)
        .map(|(_, instr)| instr.to_string())
        .collect();
    assert_eq!(
        text[..4],
        ["local.get 0", "i32.const 2", "i32.lt_u", "if (result i32)"]
    );
}
