//! Several instances in one machine: each function works on the memory of its own instance, in
//! whatever way it was reached, whichever tier executes it.

use crate::common::{Random, module};
use borges_vm::*;

use crate::common;

/// Has the table and a memory with a 1 in it; `run` calls what is in the table.
const CALLER: &str = r#"(module
    (type $get (func (result i32)))
    (table (export "table") 2 funcref)
    (memory 1) (data (i32.const 8) "\01")
    (func $mine (type $get) (i32.load8_u (i32.const 8)))
    (elem (i32.const 0) $mine)
    (func (export "run") (param $rounds i32) (result i32)
        (local $sum i32)
        (loop $again
            (local.set $sum (i32.add (i32.mul (local.get $sum) (i32.const 3))
                (call_indirect (type $get) (i32.and (local.get $rounds) (i32.const 1)))))
            (i32.store8 (i32.const 8) (i32.add (i32.load8_u (i32.const 8)) (i32.const 1)))
            (br_if $again (local.tee $rounds (i32.sub (local.get $rounds) (i32.const 1)))))
        (local.get $sum)))"#;

/// Puts its function into the table; its memory has a 100 in it.
const CALLEE: &str = r#"(module
    (import "caller" "table" (table 2 funcref))
    (import "caller" "run" (func $run (param i32) (result i32)))
    (memory 1) (data (i32.const 8) "\64")
    (func $bump (result i32)
        (i32.store8 (i32.const 8) (i32.add (i32.load8_u (i32.const 8)) (i32.const 10)))
        (i32.load8_u (i32.const 8)))
    (func $theirs (result i32) (call $bump))
    (elem (i32.const 1) $theirs)
    (func (export "both") (param i32) (result i32)
        (i32.add (call $run (local.get 0)) (i32.load8_u (i32.const 8)))))"#;

/// What nobody else has is made where it stands among the imports, as small as it may be.
#[test]
fn a_memory_and_tables_of_the_embedder_are_made_anew() {
    let text = r#"(module
        (import "caller" "table" (table $theirs 2 funcref))
        (import "env" "table" (table $own 3 5 funcref))
        (import "env" "memory" (memory 1 3))
        (import "env" "input" (func $input (result i32)))
        (table $last 7 externref)
        (elem (table $own) (i32.const 2) func $get)
        (data (i32.const 65535) "\07")
        (func $get (result i32) (i32.load8_u (i32.const 65535)))
        (func (export "main") (result i32 i32 i32 i32)
            (table.size $theirs) (table.size $own)
            (call_indirect $own (result i32) (call $input)) (memory.grow (i32.const 3))))"#;
    let mut machine = Machine::empty(Limits::default());
    let caller = machine.instantiate(module(CALLER), &[]).unwrap();
    let table = machine.export(caller, "table").unwrap();
    let imports = [table, Extern::Host, Extern::Host, Extern::Host];
    let instance = machine.instantiate(module(text), &imports).unwrap();
    let main = machine.instance_module(instance).unwrap();
    let main = main.exported_func("main").unwrap();
    machine.begin_in(instance, main, &[]).unwrap();
    assert_eq!(machine.run(u64::MAX), Exit::HostCall);
    machine.answer(&[Value::I32(2)]).unwrap();
    assert_eq!(machine.run(u64::MAX), Exit::Finished);
    let values = [2, 3, 7, -1].map(Value::I32);
    assert_eq!(machine.outcome(), Some(&Outcome::Finished(values.to_vec())));
    // What a global is, nobody can make up.
    let global = module(r#"(module (import "env" "base" (global i32)))"#);
    let missing = machine.instantiate(global, &[Extern::Host]);
    assert_eq!(missing, Err(StartError::Missing { import: 0 }));
}

fn linked(stepping_only: bool) -> Machine {
    let mut machine = Machine::empty(Limits::default());
    machine.use_stepping_tier_only(stepping_only);
    let caller = machine.instantiate(module(CALLER), &[]).unwrap();
    let table = machine.export(caller, "table").unwrap();
    let run = machine.export(caller, "run").unwrap();
    machine.instantiate(module(CALLEE), &[table, run]).unwrap();
    machine
}

/// What `both(rounds)` gives, by the rules.
fn expected(rounds: i32) -> i32 {
    let (mut sum, mut one, mut hundred) = (0_i32, 1_u8, 100_u8);
    for round in (1..=rounds).rev() {
        let got = if round % 2 == 0 {
            one
        } else {
            hundred = hundred.wrapping_add(10);
            hundred
        };
        sum = sum.wrapping_mul(3).wrapping_add(i32::from(got));
        one = one.wrapping_add(1);
    }
    sum.wrapping_add(i32::from(hundred))
}

#[test]
fn functions_work_on_their_own_memory() {
    for stepping_only in [true, false] {
        let mut machine = linked(stepping_only);
        let callee = InstanceId(1);
        let both = machine
            .instance_module(callee)
            .unwrap()
            .exported_func("both")
            .unwrap();
        machine.begin_in(callee, both, &[Value::I32(1000)]).unwrap();
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        assert_eq!(common::finished(&machine), [Value::I32(expected(1000))]);
    }
}

#[test]
fn tiers_agree_across_instances_at_random_stops() {
    let mut machines = [linked(true), linked(false)];
    let callee = InstanceId(1);
    for machine in &mut machines {
        let both = machine
            .instance_module(callee)
            .unwrap()
            .exported_func("both")
            .unwrap();
        machine.begin_in(callee, both, &[Value::I32(1000)]).unwrap();
    }
    let mut random = Random::new(5);
    loop {
        let until = machines[0].steps() + 1 + random.below(300);
        let exits = machines.each_mut().map(|machine| machine.run(until));
        assert_eq!(exits[0], exits[1]);
        assert!(machines[0].save() == machines[1].save(), "step {until}");
        if exits[0] == Exit::Finished {
            break;
        }
    }
    assert_eq!(common::finished(&machines[1]), [Value::I32(expected(1000))]);
}
