//! Memories and tables whose addresses have 64 bits: as those of 32 where addresses have no more, traps where they have,
//! in both tiers.
#![cfg(feature = "memory64")]

use crate::common::*;
use borges_vm::*;

/// A loop over a memory with addresses of 64 bits and a table like that: addresses that are computed, kept and constant,
/// vectors, sizes, calls through the table, one of them in the place of the caller.
const MIXED: &str = r#"(module
    (memory i64 1 4)
    (table $t i64 4 20 funcref)
    (elem (table $t) (i64.const 1) func $twice $more)
    (data (i64.const 8) "\01\82\03\84\05\86\07\88")
    (data $late "abcdefgh")
    (type $f (func (param i64) (result i64)))
    (global $sum (mut i64) (i64.const 0))
    (func $add (param i64)
        (global.set $sum (i64.add (i64.rotl (global.get $sum) (i64.const 7)) (local.get 0))))
    (func $twice (type $f) (i64.shl (local.get 0) (i64.const 1)))
    (func $more (type $f)
        (return_call_indirect $t (type $f) (i64.add (local.get 0) (i64.const 3)) (i64.const 1)))
    (func (export "main") (param $count i32) (result i64) (local $n i64) (local $at i64)
        (local.set $n (i64.extend_i32_u (local.get $count)))
        (memory.init $late (i64.const 700) (i32.const 2) (i32.const 5))
        (loop $again
            (local.set $at (i64.mul (local.get $n) (i64.const 8)))
            (call $add (i64.load (local.get $at)))
            (call $add (i64.load8_s offset=1 (i64.add (local.get $n) (i64.const 7))))
            (call $add (i64.load32_u (i64.const 8)))
            (i64.store offset=200 (local.get $at) (global.get $sum))
            (i32.store16 (i64.add (local.get $at) (i64.const 3)) (i32.wrap_i64 (local.get $n)))
            (f64.store offset=64 (local.tee $at (i64.add (local.get $at) (i64.const 1))) (f64.const 2.5))
            (v128.store offset=32 (local.get $at) (v128.load8x8_s (i64.const 8)))
            (call $add (i64x2.extract_lane 1 (v128.load64_lane 1 (local.get $at) (v128.const i64x2 3 4))))
            (call $add (call_indirect $t (type $f) (local.get $n) (i64.const 1)))
            (call $add (call_indirect $t (type $f) (local.get $n)
                (i64.add (i64.const 1) (i64.and (local.get $n) (i64.const 1)))))
            (memory.copy (i64.const 300) (i64.const 200) (i64.const 90))
            (memory.fill (i64.const 500) (i32.const 7) (local.get $n))
            (call $add (memory.grow (i64.const 1)))
            (call $add (memory.size))
            (call $add (table.grow $t (ref.func $twice) (i64.const 8)))
            (call $add (table.size $t))
            (table.set $t (i64.const 0) (table.get $t (local.get $n)))
            (br_if $again (i64.ne (i64.const 0) (local.tee $n (i64.sub (local.get $n) (i64.const 1))))))
        (global.get $sum))
    (elem declare func $twice))"#;

#[test]
fn any_step_is_stopped_at_saved_kept_and_gone_back_over() {
    let (machine, sum) = main_of_four(MIXED);
    assert_eq!(machine.memory().len(), 4 << 16);
    assert_eq!(machine.memory()[700..706], *b"cdefg\0");
    comes_to_the_same_from_any_step(MIXED, sum);
}

/// Instructions with an address that is in a local, was computed, and is in both; and the trap if it is too large.
fn programs() -> Vec<(String, Trap)> {
    let at = |what: &str| {
        let named = [
            "(local.get 0)",
            "(i64.add (local.get 0) (global.get $zero))",
            "(local.tee 1 (i64.sub (local.get 0) (global.get $zero)))",
        ];
        named.map(|address| what.replace("AT", address))
    };
    let memory = [
        "(drop (i32.load8_u AT))",
        "(drop (i64.load offset=16 AT))",
        "(drop (f32.load AT))",
        "(drop (f64.load offset=1 AT))",
        "(drop (v128.load AT))",
        "(drop (v128.load8_lane 3 AT (v128.const i64x2 0 0)))",
        "(v128.store AT (v128.const i64x2 1 2))",
        "(i32.store8 AT (i32.const 1))",
        "(i64.store offset=4294967295 AT (i64.const -1))",
        "(i64.store AT (i64.add (local.get 0) (i64.const 1)))",
        "(f32.store AT (f32.const 1))",
        "(f64.store AT (f64.neg (f64.const 1)))",
        "(memory.fill AT (i32.const 1) (i64.const 1))",
        "(memory.fill (i64.const 0) (i32.const 1) AT)",
        "(memory.copy AT (i64.const 0) (i64.const 1))",
        "(memory.copy (i64.const 0) AT (i64.const 1))",
        "(memory.copy (i64.const 0) (i64.const 0) AT)",
        "(memory.copy $short $m (i32.const 0) AT (i32.const 1))",
        "(memory.copy $m $short AT (i32.const 0) (i32.const 1))",
        "(memory.init $m $d AT (i32.const 0) (i32.const 1))",
    ];
    let table = [
        "(drop (table.get $t AT))",
        "(table.set $t AT (ref.null func))",
        "(table.fill $t AT (ref.null func) (i64.const 1))",
        "(table.fill $t (i64.const 0) (ref.null func) AT)",
        "(table.copy $t $t AT (i64.const 0) (i64.const 1))",
        "(table.copy $t $short AT (i32.const 0) (i32.const 1))",
        "(table.copy $short $t (i32.const 0) AT (i32.const 1))",
        "(table.init $t $e AT (i32.const 0) (i32.const 1))",
    ];
    let called = ["(call_indirect $t AT)", "(return_call_indirect $t AT)"];
    let with = |whats: &[&str], trap: Trap| -> Vec<(String, Trap)> {
        whats
            .iter()
            .flat_map(|what| at(what))
            .map(|what| (what, trap))
            .collect()
    };
    let mut all = with(&memory, Trap::MemoryOutOfBounds);
    all.extend(with(&table, Trap::TableOutOfBounds));
    all.extend(with(&called, Trap::UndefinedElement));
    all
}

/// An address of more than 32 bits is behind everything, also where what it is without the upper ones is not, and where
/// the offset would bring it around.
#[test]
fn an_address_of_more_bits_is_out_of_bounds() {
    let mut tried = 0;
    for (what, trap) in programs() {
        let text = format!(
            r#"(module (memory $m i64 2 2) (memory $short 1) (table $t i64 4 funcref) (table $short 4 funcref)
                (elem (table $t) (i64.const 0) func $f $f $f $f) (elem $e func $f) (data $d "0123456789")
                (global $zero (mut i64) (i64.const 0)) (func $f)
                (func (export "main") (param i64) (local i64) {what}))"#
        );
        let outside = [
            1 << 32,
            1 << 32 | 8,
            1 << 63,
            5 << 40 | 3,
            u64::MAX,
            u64::MAX - 7,
            u64::MAX - 15,
        ];
        let inside = [
            0,
            u64::from(!what.contains("memory.") && !what.contains("table.")),
        ];
        let is_far = what.contains("offset=4294967295");
        for address in outside
            .into_iter()
            .chain(inside.into_iter().filter(|_| !is_far))
        {
            let mut both = tiers(&text, Limits::default()).map(|mut machine| {
                begin(&mut machine, "main", &[Value::I64(address as i64)]);
                (machine.run(u64::MAX), machine)
            });
            let expected = match address >> 32 {
                0 => Exit::Finished,
                _ => Exit::Trapped(trap),
            };
            let [(one, stepping), (other, fast)] = &mut both;
            assert_eq!((*one, *other), (expected, expected), "{what} {address:#x}");
            assert!(stepping.save() == fast.save(), "{what} {address:#x}");
            tried += 1;
        }
        // A constant.
        let constant = what.replace("(local.get 0)", "(i64.const 0x1_0000_0000)");
        let text = text.replace(&what, &constant);
        for mut machine in tiers(&text, Limits::default()) {
            begin(&mut machine, "main", &[Value::I64(0)]);
            assert_eq!(machine.run(u64::MAX), Exit::Trapped(trap), "{constant}");
        }
    }
    assert!(tried > 600, "{tried}");
}

/// An offset may have 64 bits where addresses have, and no more than 32 elsewhere; an access with more than 32 is outside.
#[test]
fn offsets_have_as_many_bits_as_addresses() {
    let text = |ty: &str, offset: &str| {
        format!(
            r#"(module (memory {ty} 1) (func (export "main") (param {ty}) (result i32)
            (i32.load offset={offset} (local.get 0))))"#
        )
    };
    for offset in ["4294967296", "0xffff_ffff_ffff_fff8"] {
        for mut machine in tiers(&text("i64", offset), Limits::default()) {
            for base in [0, 8, -8] {
                begin(&mut machine, "main", &[Value::I64(base)]);
                let exit = machine.run(u64::MAX);
                assert_eq!(
                    exit,
                    Exit::Trapped(Trap::MemoryOutOfBounds),
                    "{offset} {base}"
                );
            }
        }
        let bytes = wat::parse_str(text("i32", offset)).unwrap();
        let error = Module::new(&bytes, &Limits::default()).unwrap_err();
        assert!(error.to_string().contains("offset out of range"), "{error}");
    }
    let shown = module(&text("i64", "0x1_0000_0008"));
    let main = shown.exported_func("main").unwrap();
    let (_, load) = shown.instrs(main).nth(1).unwrap();
    assert_eq!(load.to_string(), "i32.load 0 offset=4294967304");
}

/// How large 64-bit memories and tables may be, and that none stands for one of 32.
#[test]
fn sizes_and_imports_are_of_64_bits() {
    let load = |text: &str| {
        let bytes = wat::parse_str(text).unwrap();
        Module::new(&bytes, &Limits::default()).map_err(|error| error.to_string())
    };
    for (text, error) in [
        ("(module (memory i64 0 0x1_0000_0000_0000))", None),
        (
            "(module (memory i64 0 0x1_0000_0000_0001))",
            Some("memory size"),
        ),
        ("(module (memory i64 1024))", None),
        (
            "(module (memory i64 1025))",
            Some("1025 pages of memory, but the limit is 1024"),
        ),
        (
            "(module (memory i64 0x1_0000_0000))",
            Some("4294967296 pages of memory"),
        ),
        ("(module (table i64 0 0xffff_ffff_ffff_ffff funcref))", None),
        (
            "(module (table i64 0x1_0000_0001 funcref))",
            Some("4294967297 elements of a table"),
        ),
        ("(module (memory i64 2 1))", Some("minimum")),
    ] {
        let found = load(text).map(|_| ());
        match error {
            None => assert_eq!(found, Ok(()), "{text}"),
            Some(error) => assert!(
                found.clone().is_err_and(|found| found.contains(error)),
                "{text}: {found:?}"
            ),
        }
    }
    let owner = module(
        r#"(module (memory (export "m") 1) (memory (export "m64") i64 1)
            (table (export "t") 1 funcref) (table (export "t64") i64 1 funcref))"#,
    );
    for (import, names) in [
        ("(memory i64 1)", ["m64", "m"]),
        ("(memory 1)", ["m", "m64"]),
        ("(table i64 1 funcref)", ["t64", "t"]),
        ("(table 1 funcref)", ["t", "t64"]),
    ] {
        let user = module(&format!(r#"(module (import "o" "x" {import}))"#));
        let mut machine = Machine::empty(Limits::default());
        let first = machine.instantiate(owner.clone(), &[]).unwrap();
        let [same, other] = names.map(|name| machine.export(first, name).unwrap());
        assert!(
            machine.instantiate(user.clone(), &[same]).is_ok(),
            "{import}"
        );
        let refused = machine.instantiate(user, &[other]);
        assert_eq!(
            refused,
            Err(StartError::Incompatible { import: 0 }),
            "{import}"
        );
    }
}

/// A watch sees what is written with addresses of 64 bits.
#[test]
fn watches_fire_before_what_is_written() {
    let text = r#"(module (memory i64 1) (func (export "main")
        (i32.store offset=4 (i64.const 0) (i32.const 1))
        (memory.fill (i64.const 16) (i32.const 1) (i64.const 8))
        (v128.store offset=32 (i64.const 8) (v128.const i64x2 1 2))))"#;
    let module = module(text);
    for (start, fires) in [
        (3, false),
        (4, true),
        (7, true),
        (8, false),
        (23, true),
        (24, false),
        (40, true),
        (56, false),
    ] {
        let mut machine = Machine::new(module.clone(), Limits::default()).unwrap();
        machine.set_watches(&[Watch::Memory {
            memory: 0,
            start,
            length: 1,
        }]);
        begin(&mut machine, "main", &[]);
        let exit = machine.run(u64::MAX);
        assert_eq!(
            matches!(exit, Exit::Watch { watch: 0, .. }),
            fires,
            "{start}: {exit:?}"
        );
    }
}
