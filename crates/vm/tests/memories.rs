//! Several memories in a module: each instruction works on the one that it names, in both tiers, and states have all of
//! them.
#![cfg(feature = "memories")]

use crate::common::*;
use borges_vm::*;

/// Works on three memories, one of them imported: every width, vectors, growing, filling, copying from each to each.
const MIXED: &str = r#"(module
    (import "env" "number" (func $number (param i32) (result i32)))
    (import "env" "memory" (memory $a 1 2))
    (memory $b 1 4)
    (memory $c 0 2)
    (data (memory $b) (i32.const 8) "\01\82\03\84\05\86\07\88\09\8a\0b\8c\0d\8e\0f\90")
    (data (i32.const 8) "\ff")
    (data $late "abcdefgh")
    (global $sum (mut i64) (i64.const 0))
    (func $add (param i64)
        (global.set $sum (i64.add (i64.rotl (global.get $sum) (i64.const 7)) (local.get 0))))
    (func $loads (param $p i32)
        (call $add (i64.extend_i32_u (i32.load $b (local.get $p))))
        (call $add (i64.load $b offset=3 align=1 (local.get $p)))
        (call $add (i64.extend_i32_u (i32.reinterpret_f32 (f32.load $b (local.get $p)))))
        (call $add (i64.reinterpret_f64 (f64.load $b (local.get $p))))
        (call $add (i64.extend_i32_u (i32.load8_s $b (local.get $p))))
        (call $add (i64.extend_i32_u (i32.load16_s $b offset=1 (local.get $p))))
        (call $add (i64.load8_s $b offset=1 (local.get $p)))
        (call $add (i64.load32_s $b (local.get $p)))
        (call $add (i64.extend_i32_u (i32.load8_u (local.get $p)))))
    (func $vector (param $p i32)
        (v128.store $c offset=16 (i32.const 0) (v128.load8x8_s $b (local.get $p)))
        (v128.store8_lane $c offset=1 3 (i32.const 40) (v128.load32_splat $b (local.get $p)))
        (call $add (i64x2.extract_lane 1 (v128.load16_lane $c offset=18 7 (i32.const 0)
            (v128.const i64x2 3 4)))))
    (func (export "main") (param $n i32) (result i64)
        (memory.init $c $late (i32.const 0) (i32.const 2) (i32.const 0))
        (if (i32.ne (i32.const 0) (memory.grow $c (i32.const 1))) (then unreachable))
        (memory.init $c $late (i32.const 100) (i32.const 2) (i32.const 5))
        (data.drop $late)
        (loop $again
            (call $loads (i32.add (i32.const 6) (call $number (local.get $n))))
            (call $vector (i32.add (i32.const 8) (local.get $n)))
            (i32.store $b offset=4 (local.get $n) (i32.const 0x11223344))
            (i64.store8 $c (i32.add (local.get $n) (i32.const 60)) (i64.const -2))
            (f64.store (i32.const 24) (f64.load $b (local.get $n)))
            (memory.copy $a $c (i32.const 200) (i32.const 16) (i32.const 90))
            (memory.copy $b $a (i32.const 300) (i32.const 200) (i32.const 90))
            (memory.copy $b $b (i32.const 301) (i32.const 300) (i32.const 90))
            (memory.fill $c (i32.const 500) (local.get $n) (i32.const 3))
            (call $add (i64.extend_i32_u (memory.grow $b (i32.const 1))))
            (call $add (i64.extend_i32_s (memory.grow $c (i32.const 2))))
            (call $add (i64.extend_i32_u (memory.size $b)))
            (call $add (i64.extend_i32_u (memory.size $c)))
            (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
        (call $add (i64.load $b (i32.const 350)))
        (global.get $sum)))"#;

#[test]
fn any_step_is_stopped_at_saved_kept_and_gone_back_over() {
    let (machine, sum) = main_of_four(MIXED);
    let sizes = [0, 1, 2, 3].map(|index| machine.memory_at(index).map(<[u8]>::len));
    assert_eq!(sizes, [Some(1 << 16), Some(4 << 16), Some(1 << 16), None]);
    assert_eq!(machine.memory_at(2).unwrap()[100..106], *b"cdefg\0");
    comes_to_the_same_from_any_step(MIXED, sum);
}

/// Instructions on a memory with their opcodes' names, and the type of what they load or store.
const ACCESSES: [(&str, &str); 23] = [
    ("i32.load", "i32"),
    ("i64.load", "i64"),
    ("f32.load", "f32"),
    ("f64.load", "f64"),
    ("i32.load8_s", "i32"),
    ("i32.load8_u", "i32"),
    ("i32.load16_s", "i32"),
    ("i32.load16_u", "i32"),
    ("i64.load8_s", "i64"),
    ("i64.load8_u", "i64"),
    ("i64.load16_s", "i64"),
    ("i64.load16_u", "i64"),
    ("i64.load32_s", "i64"),
    ("i64.load32_u", "i64"),
    ("i32.store", "i32"),
    ("i64.store", "i64"),
    ("f32.store", "f32"),
    ("f64.store", "f64"),
    ("i32.store8", "i32"),
    ("i32.store16", "i32"),
    ("i64.store8", "i64"),
    ("i64.store16", "i64"),
    ("i64.store32", "i64"),
];

/// A program whose functions do each access on this memory, whose addresses are of this type.
fn accesses(memory: u32, address: &str) -> String {
    let memories: String = (0..=memory)
        .map(|index| match index == memory {
            true => format!("(memory {address} 1 3)"),
            false => "(memory 1 1)".to_owned(),
        })
        .collect();
    let mut text = format!("(module {memories} (data $d \"0123456789\")");
    for (number, (name, ty)) in ACCESSES.iter().enumerate() {
        let access = format!("{name} {memory} offset=3 (local.get 0)");
        text += &if name.contains("store") {
            format!("(func (export \"f{number}\") (param {address} {ty}) ({access} (local.get 1)))")
        } else {
            format!("(func (export \"f{number}\") (param {address}) (result {ty}) ({access}))")
        };
    }
    text + &format!(
        r#"(func (export "fill") (param {address} i32 {address})
            (memory.fill {memory} (local.get 0) (local.get 1) (local.get 2)))
        (func (export "copy") (param {address} {address} {address})
            (memory.copy {memory} {memory} (local.get 0) (local.get 1) (local.get 2)))
        (func (export "init") (param {address} i32 i32)
            (memory.init {memory} $d (local.get 0) (local.get 1) (local.get 2)))
        (func (export "grow") (param {address}) (result {address}) (memory.grow {memory} (local.get 0)))
        (func (export "size") (result {address}) (memory.size {memory})))"#
    )
}

/// These arguments of a function on a memory whose addresses may have 64 bits.
fn widened(machine: &Machine, name: &str, args: &[Value]) -> Vec<Value> {
    let module = machine.module().unwrap();
    let ty = module.func_type(module.exported_func(name).unwrap());
    let widened = |(arg, ty): (&Value, &ValType)| match (arg, ty) {
        (Value::I32(address), ValType::I64) => Value::I64(i64::from(*address as u32)),
        _ => *arg,
    };
    args.iter().zip(&ty.unwrap().params).map(widened).collect()
}

/// The outcome, with a size of 64 bits as one of 32.
fn narrowed(machine: &Machine, name: &str) -> Option<Outcome> {
    match (machine.outcome()?, name) {
        (Outcome::Finished(values), "grow" | "size") => match values[..] {
            [Value::I64(size)] => Some(Outcome::Finished(vec![Value::I32(size as i32)])),
            _ => Some(Outcome::Finished(values.clone())),
        },
        (outcome, _) => Some(outcome.clone()),
    }
}

/// What is done on the first memory of one program is done on the fourth of another, and on memories whose addresses have
/// 64 bits: everything is the same, traps and step counts as well, and the other memories stay as they are.
#[test]
fn another_memory_is_like_the_first() {
    let limits = Limits {
        memory_pages: 6,
        ..Limits::default()
    };
    let mut kinds = vec![(0, "i32"), (3, "i32")];
    if cfg!(feature = "memory64") {
        kinds.extend([(0, "i64"), (3, "i64")]);
    }
    let mut machines: Vec<(u32, Machine)> = Vec::new();
    for (memory, address) in kinds {
        let both = tiers(&accesses(memory, address), limits);
        machines.extend(both.into_iter().map(|machine| (memory, machine)));
    }
    let mut random = Random::new(1);
    let mut names: Vec<String> = (0..ACCESSES.len()).map(|n| format!("f{n}")).collect();
    names.extend(["fill", "copy", "init", "grow", "size"].map(str::to_owned));
    let (mut ended, mut trapped) = (0, 0);
    for round in 0..6000 {
        let name = &names[random.below(names.len() as u64) as usize];
        let module = machines[0].1.module().unwrap();
        let func = module.exported_func(name).unwrap();
        let types = module.func_type(func).unwrap().params.clone();
        let args: Vec<Value> = types
            .iter()
            .enumerate()
            .map(|(at, ty)| {
                let size = machines[0].1.memory().len() as u64;
                // Near the ends of the memory, seldom far behind it.
                let number = match random.below(8) {
                    0..4 => random.below(32),
                    4 => random.next(),
                    _ => size.wrapping_sub(16).wrapping_add(random.below(20)),
                };
                let bits = if at == 0 {
                    number
                } else {
                    random.next() >> random.below(60)
                };
                match ty {
                    ValType::I32 => Value::I32(match name.as_str() {
                        "grow" => (bits % 2) as i32,
                        _ => bits as i32,
                    }),
                    ValType::I64 => Value::I64(bits as i64),
                    ValType::F32 => Value::F32(bits as u32),
                    _ => Value::F64(bits),
                }
            })
            .collect();
        let mut all = machines.iter_mut().map(|(memory, machine)| {
            begin(machine, name, &widened(machine, name, &args));
            machine.run(u64::MAX);
            let bytes = machine.memory_at(*memory).unwrap().to_vec();
            (narrowed(machine, name), machine.steps(), bytes)
        });
        let (outcome, steps, bytes) = all.next().unwrap();
        for (other, of, found) in all {
            assert_eq!(
                (&other, of),
                (&outcome, steps),
                "round {round}, {name} {args:?}"
            );
            assert!(found == bytes, "round {round}, {name} {args:?}");
        }
        match outcome {
            Some(Outcome::Finished(_)) => ended += 1,
            Some(Outcome::Trapped(Trap::MemoryOutOfBounds)) => trapped += 1,
            other => panic!("{other:?}"),
        }
    }
    for (memory, machine) in &machines {
        for index in 0..*memory {
            assert!(
                machine
                    .memory_at(index)
                    .unwrap()
                    .iter()
                    .all(|byte| *byte == 0)
            );
        }
    }
    assert_eq!(machines[0].1.memory().len(), 3 << 16);
    assert!(ended > 2000 && trapped > 500, "{ended} {trapped}");
}

/// Copies between two memories, held against slices.
#[test]
fn copies_from_one_memory_to_another() {
    let text = r#"(module (memory 1) (memory 1)
        (func (export "to") (param i32 i32 i32)
            (memory.copy 1 0 (local.get 0) (local.get 1) (local.get 2)))
        (func (export "back") (param i32 i32 i32)
            (memory.copy 0 1 (local.get 0) (local.get 1) (local.get 2))))"#;
    let mut random = Random::new(2);
    for mut machine in tiers(text, Limits::default()) {
        let mut expected = [vec![0u8; 1 << 16], vec![0u8; 1 << 16]];
        for round in 0..300 {
            let at = random.below(1 << 16) as usize;
            machine.set_byte(at, round as u8);
            expected[0][at] = round as u8;
            let [to, from, count] = [0, 0, 0].map(|_| match random.below(4) {
                0 => random.below(1 << 16),
                1 => (1 << 16) - random.below(300),
                2 => random.below(300),
                _ => random.below(1 << 15),
            } as usize);
            let (name, [source, target]) = match random.below(2) {
                0 => ("to", [0, 1]),
                _ => ("back", [1, 0]),
            };
            let args = [to, from, count].map(|number| Value::I32(number as i32));
            begin(&mut machine, name, &args);
            let fits = to.max(from) + count <= 1 << 16;
            match machine.run(u64::MAX) {
                Exit::Finished => assert!(fits, "{args:?}"),
                exit => assert!(!fits && exit == Exit::Trapped(Trap::MemoryOutOfBounds)),
            }
            if fits {
                let copied = expected[source][from..from + count].to_vec();
                expected[target][to..to + count].copy_from_slice(&copied);
            }
            for (index, expected) in (0..).zip(&expected) {
                let found = machine.memory_at(index);
                assert!(found == Some(&expected[..]), "{round}");
            }
        }
    }
}

/// One memory under two indices, and under another index in another instance.
#[test]
fn instances_share_memories_under_any_index() {
    let owner = module(
        r#"(module (memory (export "x") 1) (memory (export "y") 1 3)
            (func (export "peek") (param i32) (result i32 i32)
                (i32.load8_u 0 (local.get 0)) (i32.load8_u 1 (local.get 0))))"#,
    );
    let user = module(
        r#"(module (import "o" "y" (memory $y 1 4)) (import "o" "x" (memory $x 1))
            (import "o" "y" (memory $again 1)) (memory $own 1)
            (export "again" (memory $again)) (export "own" (memory $own))
            (data (memory $again) (i32.const 0) "\01\02\03\04")
            (func (export "poke") (param i32)
                (i32.store8 $own (i32.const 0) (local.get 0))
                (memory.copy $x $own (i32.const 7) (i32.const 0) (i32.const 1))
                (memory.copy $y $again (i32.const 1) (i32.const 0) (i32.const 4))
                (drop (memory.grow $again (i32.const 1)))
                (if (i32.ne (memory.size $y) (memory.size $again)) (then unreachable))))"#,
    );
    for stepping in [true, false] {
        let mut machine = Machine::empty(Limits::default());
        machine.use_stepping_tier_only(stepping);
        let first = machine.instantiate(owner.clone(), &[]).unwrap();
        let (x, y) = (machine.export(first, "x"), machine.export(first, "y"));
        let (x, y) = (x.unwrap(), y.unwrap());
        let second = machine.instantiate(user.clone(), &[y, x, y]);
        // Its import says that there may be four pages: there are at most three, which is fine.
        let second = second.unwrap();
        assert_eq!(machine.export(second, "again"), Some(y));
        assert_ne!(machine.export(second, "own"), Some(y));
        assert_eq!(
            machine.instantiate(user.clone(), &[x, x, y]),
            Err(StartError::Incompatible { import: 0 }),
            "without a maximum"
        );
        let poke = user.exported_func("poke").unwrap();
        machine.begin_in(second, poke, &[Value::I32(9)]).unwrap();
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        assert_eq!(machine.memory_at(1).unwrap().len(), 2 << 16);
        assert_eq!(machine.memory_at(1).unwrap()[..6], [1, 1, 2, 3, 4, 0]);
        begin(&mut machine, "peek", &[Value::I32(7)]);
        machine.run(u64::MAX);
        assert_eq!(finished(&machine), [Value::I32(9), Value::I32(0)]);
        let saved = machine.save();
        let snapshot = machine.snapshot(None);
        assert_eq!(snapshot.hash(), machine.hash());
        machine.load(&saved).unwrap();
        assert!(machine.save() == saved);
    }
}

/// One memory is watched, whatever other memory an instruction names besides.
#[test]
fn watches_are_of_one_memory() {
    let text = r#"(module (memory 1) (memory 1)
        (func (export "main")
            (i32.store 1 (i32.const 8) (i32.const 1))
            (memory.fill 1 (i32.const 0) (i32.const 1) (i32.const 64))
            (memory.copy 1 0 (i32.const 0) (i32.const 0) (i32.const 64))
            (memory.copy 0 1 (i32.const 4) (i32.const 0) (i32.const 8))
            (v128.store 1 (i32.const 96) (v128.const i64x2 1 2))))"#;
    let module = module(text);
    let main = module.exported_func("main").unwrap();
    let writer = |text: &str| {
        let mut instrs = module.instrs(main);
        let found = instrs.find(|(_, instr)| instr.to_string().starts_with(text));
        found.expect("an instruction").0
    };
    let (store, fill) = (writer("i32.store"), writer("memory.fill"));
    let (copy, wide) = (writer("memory.copy 0 1"), writer("v128.store"));
    for (memory, start, expected) in [
        (0, 3, None),
        (0, 4, Some(copy)),
        (0, 11, Some(copy)),
        (0, 12, None),
        (1, 0, Some(fill)),
        (1, 8, Some(store)),
        (1, 63, Some(fill)),
        (1, 64, None),
        (1, 111, Some(wide)),
        (1, 112, None),
        // There is no such memory.
        (2, 8, None),
    ] {
        let mut machine = Machine::new(module.clone(), Limits::default()).unwrap();
        machine.set_watches(&[Watch::Memory {
            memory,
            start,
            length: 1,
        }]);
        begin(&mut machine, "main", &[]);
        let exit = machine.run(u64::MAX);
        let expected = match expected {
            Some(offset) => Exit::Watch { watch: 0, offset },
            None => Exit::Finished,
        };
        assert_eq!(exit, expected, "memory {memory}, {start}");
    }
}

fn limits(memories: u32, memory_pages: u32) -> Limits {
    Limits {
        memories,
        memory_pages,
        ..Limits::default()
    }
}

#[test]
fn memories_are_limited_in_number_and_all_together() {
    let load = |text: &str, limits| {
        let bytes = wat::parse_str(text).unwrap();
        Module::new(&bytes, &limits).map_err(|error| error.to_string())
    };
    let three = r#"(module (import "env" "m" (memory 2)) (memory 0) (memory 3))"#;
    assert!(load(three, limits(3, 5)).is_ok());
    let found = load(three, limits(2, 5)).unwrap_err();
    assert!(found.contains("3 memories, but the limit is 2"), "{found}");
    let found = load(three, limits(3, 4)).unwrap_err();
    assert!(
        found.contains("5 pages of memory, but the limit is 4"),
        "{found}"
    );
    // Sums do not overflow.
    let huge = format!("(module {})", "(memory 65536)".repeat(70));
    let found = load(&huge, limits(100, 1 << 16)).unwrap_err();
    assert!(found.contains("131072 pages of memory"), "{found}");

    // Instances have memories together; what is shared counts once.
    let one = Shared::new(load(r#"(module (memory (export "m") 2))"#, limits(1, 2)).unwrap());
    let text = r#"(module (import "o" "m" (memory 2)) (memory 3))"#;
    let two = Shared::new(load(text, limits(2, 5)).unwrap());
    for (pages, fits) in [(5, true), (4, false)] {
        let mut machine = Machine::empty(limits(2, pages));
        let first = machine.instantiate(one.clone(), &[]).unwrap();
        let memory = machine.export(first, "m").unwrap();
        let made = machine.instantiate(two.clone(), &[memory]);
        assert_eq!(made.is_ok(), fits, "{made:?}");
        if !fits {
            let said = made.unwrap_err().to_string();
            assert!(
                said.contains("5 pages of memory, but the limit is 4"),
                "{said}"
            );
        }
    }

    // Growing past the limit fails, in whichever memory.
    let text = r#"(module (memory 1) (memory 1) (memory 0)
        (func (export "0") (param i32) (result i32) (memory.grow 0 (local.get 0)))
        (func (export "1") (param i32) (result i32) (memory.grow 1 (local.get 0)))
        (func (export "2") (param i32) (result i32) (memory.grow 2 (local.get 0))))"#;
    for mut machine in tiers(text, limits(3, 5)) {
        for (memory, delta, size) in [
            ("1", 4, -1),
            ("1", 1, 1),
            ("2", 3, -1),
            ("2", -1, -1),
            ("2", 1, 0),
            ("0", 2, -1),
            ("0", 1, 1),
            ("0", 1, -1),
            ("1", 1, -1),
            ("2", 0, 1),
        ] {
            begin(&mut machine, memory, &[Value::I32(delta)]);
            assert_eq!(machine.run(u64::MAX), Exit::Finished);
            assert_eq!(finished(&machine), [Value::I32(size)], "{memory} {delta}");
        }
        assert_eq!(machine.memory_bytes(), 5 << 16);
    }
}

/// States that arrive are held to the limit of all memories together, and to each one's type.
#[test]
fn states_with_too_much_memory_are_refused() {
    let text = r#"(module (memory 1) (memory 1 3) (memory 0)
        (func (export "main")
            (drop (memory.grow 0 (i32.const 1))) (drop (memory.grow 1 (i32.const 1)))
            (drop (memory.grow 2 (i32.const 1)))
            (i32.store 2 (i32.const 0) (i32.const 7))))"#;
    let module = module(text);
    let under = |pages| Machine::new(module.clone(), limits(3, pages)).unwrap();
    let mut machine = under(9);
    let before = machine.snapshot(None);
    begin(&mut machine, "main", &[]);
    assert_eq!(machine.run(u64::MAX), Exit::Finished);
    let (saved, after) = (machine.save(), machine.snapshot(Some(&before)));
    let delta = Delta::between(&before, &after).unwrap();
    let mut at = under(5);
    assert_eq!(at.load(&saved), Ok(()));
    assert_eq!(at.hash(), machine.hash());
    let mut at = under(5);
    assert_eq!(at.apply(&delta), Ok(()));
    assert_eq!(at.memory_at(2).unwrap()[..4], [7, 0, 0, 0]);
    let mut past = under(4);
    let untouched = past.hash();
    for refused in [past.load(&saved), past.apply(&delta)] {
        let Err(StateError::Limit(found)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!((found.wanted, found.limit), (5, 4));
    }
    assert_eq!(past.hash(), untouched);
    // The numbers of pages stand before the blocks of all memories, one byte each.
    let blocks = (1 << 16) / 4096;
    let content = 5 * blocks + 4096;
    let pages = saved.len() - content - 3;
    assert_eq!(saved[pages - 1..pages + 3], [3, 2, 2, 1]);
    for (at, value, refused) in [
        (pages + 1, 4, StateError::Memory { memory: 1 }),
        (pages + 1, 0, StateError::Memory { memory: 1 }),
        (pages, 0, StateError::Memory { memory: 0 }),
        (pages - 1, 2, StateError::Memory { memory: 2 }),
        (pages - 1, 4, StateError::Memory { memory: 4 }),
    ] {
        let mut wrong = saved.clone();
        wrong[at] = value;
        assert_eq!(machine.load(&wrong), Err(refused), "{at}");
    }
}

/// Whatever the bytes say: an error that leaves the machine as it was, or a state that runs.
#[test]
fn mutated_states_load_or_are_refused() {
    let at = |steps| {
        let mut machine = machine(MIXED);
        begin(&mut machine, "main", &[Value::I32(4)]);
        on(&mut machine, steps);
        machine
    };
    let end = at(u64::MAX).steps();
    let mut random = Random::new(7);
    let states: Vec<Vec<u8>> = (0..20).map(|_| at(random.below(end)).save()).collect();
    let mut other = at(end / 2);
    let (mut loaded, mut refused) = (0, 0);
    for round in 0..2000 {
        let mut saved = states[round % states.len()].clone();
        // What stands before the memories' bytes.
        let mut tail = saved.split_off(12);
        let rest = tail.split_off(200.min(tail.len()));
        random.mutate(&mut tail);
        saved.extend(tail);
        saved.extend(rest);
        let before = other.hash();
        match other.load(&saved) {
            Ok(()) => {
                loaded += 1;
                assert_eq!(other.frames().count(), other.depth());
                run_anything(&mut other, 500);
            }
            Err(_) => {
                refused += 1;
                assert_eq!(other.hash(), before);
            }
        }
    }
    assert!(loaded > 100 && refused > 100, "{loaded} {refused}");
}

#[test]
fn memories_that_are_not_there_are_named() {
    for (instr, memory) in [
        ("(drop (i32.load 2 (i32.const 0)))", 2),
        ("(i32.store 3 (i32.const 0) (i32.const 0))", 3),
        ("(drop (v128.load 2 (i32.const 0)))", 2),
        ("(drop (memory.size 2))", 2),
        ("(drop (memory.grow 9 (i32.const 0)))", 9),
        (
            "(memory.fill 2 (i32.const 0) (i32.const 0) (i32.const 0))",
            2,
        ),
        (
            "(memory.copy 1 2 (i32.const 0) (i32.const 0) (i32.const 0))",
            2,
        ),
        (
            "(memory.copy 2 1 (i32.const 0) (i32.const 0) (i32.const 0))",
            2,
        ),
        (
            "(memory.init 2 0 (i32.const 0) (i32.const 0) (i32.const 0))",
            2,
        ),
    ] {
        let text = format!("(module (memory 1) (memory 1) (data \"\") (func {instr}))");
        let bytes = wat::parse_str(text).unwrap();
        let error = Module::new(&bytes, &Limits::default()).unwrap_err();
        let expected = LoadCause::Invalid(InvalidKind::UnknownMemory(memory));
        assert_eq!(error.cause, expected, "{instr}");
    }
    for text in [
        "(module (memory 1) (memory 1) (data (memory 2) (i32.const 0) \"\"))",
        "(module (memory 1) (memory 1) (export \"m\" (memory 2)))",
    ] {
        let bytes = wat::parse_str(text).unwrap();
        let error = Module::new(&bytes, &Limits::default()).unwrap_err();
        let expected = LoadCause::Invalid(InvalidKind::UnknownMemory(2));
        assert_eq!(error.cause, expected, "{text}");
    }
    let bytes =
        wat::parse_str(r#"(module (memory 1) (memory 0) (data (memory 1) (i32.const 0) "a"))"#);
    let module = Module::new(&bytes.unwrap(), &Limits::default()).unwrap();
    assert_eq!(
        Machine::new(Shared::new(module), Limits::default()).map(|_| ()),
        Err(StartError::Segment {
            what: "data",
            segment: 0,
            trap: Trap::MemoryOutOfBounds
        })
    );
}
