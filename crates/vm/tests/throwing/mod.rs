//! What the tests of both forms of exceptions share.
#![allow(unreachable_pub)]

use borges_vm::*;

use crate::common::*;

/// Of a text, what throws each kind of exception, and calls that from several frames further out.
macro_rules! thrower {
    () => {
        r#"    (table $f funcref (elem $thrower))
    (type $unary (func (param i32) (result i32)))
    ;; Each kind by its number.
    (func $thrower (type $unary)
        (block $other
            (block $wide
                (block $pair
                    (block $plain
                        (br_table $plain $pair $wide $other (i32.and (local.get 0) (i32.const 3))))
                    (throw $plain))
                (throw $pair (local.get 0) (i64.const -5)))
            (throw $wide (v128.const i32x4 1 2 3 4) (f32.const 0.5)))
        (i32.add (local.get 0) (i32.const 100)))
    (func $deep (param $n i32) (param $kind i32) (result i32) (local f64)
        (i32.const 77)
        (if (result i32) (local.get $n)
            (then (call $deep (i32.sub (local.get $n) (i32.const 1)) (local.get $kind)))
            (else (call_indirect $f (type $unary) (local.get $kind) (i32.const 0))))
        (i32.add))
"#
    };
}

/// Whatever the bytes say: an error that leaves the machine as it was, or a state that runs.
pub fn mutated_states_load_or_are_refused(text: &str) {
    let at = |steps| {
        let mut machine = machine(text);
        begin(&mut machine, "main", &[Value::I32(4)]);
        on(&mut machine, steps);
        machine
    };
    let end = at(u64::MAX).steps();
    let mut random = Random::new(5);
    let (mut loaded, mut refused) = (0, std::collections::BTreeMap::<String, u32>::new());
    let states: Vec<Vec<u8>> = (0..40).map(|_| at(random.below(end)).save()).collect();
    let mut other = at(end / 2);
    for round in 0..8000 {
        let mut saved = states[round % states.len()].clone();
        let mut tail = saved.split_off(12);
        // There is no memory: exceptions come last.
        let before = tail.len().saturating_sub(random.below(60) as usize);
        let mut exceptions = tail.split_off(before);
        random.mutate(&mut exceptions);
        saved.extend(tail);
        saved.extend(exceptions);
        let before = other.save();
        match other.load(&saved) {
            Ok(()) => {
                loaded += 1;
                assert_eq!(other.frames().count(), other.depth());
                run_anything(&mut other, 500);
            }
            Err(error) => {
                let text = error.to_string();
                let kind = text.split(char::is_numeric).next().unwrap();
                *refused.entry(kind.into()).or_default() += 1;
                assert!(other.save() == before);
            }
        }
    }
    println!("{loaded} loaded, refused: {refused:#?}");
    assert!(loaded > 300 && refused.len() >= 4, "{loaded} {refused:?}");
    assert!(refused.keys().any(|kind| kind.contains("exception")));
}

/// A text of random functions that throw to each other and end.
struct Writer {
    random: Random,
    blocks: u32,
    /// Also in the form of the older proposal.
    older: bool,
    /// In that form: the blocks around, and whether it is one of its clauses that is written.
    around: Vec<(u32, bool)>,
}

impl Writer {
    fn program(&mut self) -> String {
        let mut text = String::from(
            r#"(module (tag $a (param i32)) (tag $b (param i64 f32)) (tag $c)
            (type $f (func (param i32) (result i32)))
            (table funcref (elem $f0 $f1 $f2 $f3 $f4))
            (global $fuel (mut i32) (i32.const 60))"#,
        );
        for number in 0..5 {
            let body = self.expression(5);
            text += &format!(
                r#"(func $f{number} (export "f{number}") (type $f) (local $y i32) (local $e exnref)
                (global.set $fuel (i32.sub (global.get $fuel) (i32.const 1)))
                (if (i32.lt_s (global.get $fuel) (i32.const 0)) (then (return (local.get 0))))
                (block $all (result i32) {body}))"#
            );
        }
        text + ")"
    }

    fn expression(&mut self, depth: u32) -> String {
        let kind = if depth == 0 {
            self.random.below(3)
        } else {
            self.random.below(16)
        };
        let mut inner = || self.expression(depth - 1);
        match kind {
            0 => format!("(i32.const {})", self.random.below(20)),
            1 => "(local.get 0)".into(),
            2 => "(local.get $y)".into(),
            3 => format!("(i32.add {} {})", inner(), inner()),
            4 => format!("(i32.xor {} {})", inner(), inner()),
            5 => format!("(local.tee $y {})", inner()),
            6 => format!(
                "(call $f{} {})",
                self.random.below(5),
                self.expression(depth - 1)
            ),
            7 => {
                let index = inner();
                format!(
                    "(call_indirect (type $f) {} (i32.rem_u {index} (i32.const 5)))",
                    inner()
                )
            }
            8 => {
                let condition = inner();
                let (then, otherwise) = (inner(), inner());
                format!("(if (result i32) {condition} (then {then}) (else {otherwise}))")
            }
            9 => format!(
                "(block (result i32) (if (ref.is_null (local.get $e)) (then) \
                 (else (throw_ref (local.get $e)))) {})",
                inner()
            ),
            10..13 => self.throw(depth - 1),
            _ => self.catch(depth - 1),
        }
    }

    fn throw(&mut self, depth: u32) -> String {
        let (condition, value) = (self.expression(depth), self.expression(depth));
        let thrown = match self.random.below(3) {
            0 => format!("(throw $a {value})"),
            1 => format!("(throw $b (i64.extend_i32_s {value}) (f32.const 1.5))"),
            _ => "(throw $c)".into(),
        };
        let rest = self.expression(depth);
        format!(
            "(block (result i32) (if (i32.and {condition} (i32.const 1)) (then {thrown})) {rest})"
        )
    }

    fn catch(&mut self, depth: u32) -> String {
        if self.older && self.random.below(4) != 0 {
            return self.older_catch(depth);
        }
        self.blocks += 1;
        let n = self.blocks;
        let body = self.expression(depth);
        if self.random.below(4) == 0 {
            return format!(
                "(block $h{n} (result i32) (throw_ref (block $r{n} (result exnref) \
                 (br $h{n} (try_table (result i32) (catch_all_ref $r{n}) {body})))))"
            );
        }
        let clauses = [
            "(catch $a $h",
            "(catch_ref $b $u",
            "(catch $c $c",
            "(catch_all $c",
        ];
        let mut chosen = String::new();
        for _ in 0..self.random.below(4) {
            chosen += &format!("{}{n})", clauses[self.random.below(4) as usize]);
        }
        let after = self.expression(depth);
        format!(
            "(block $h{n} (result i32) (block $u{n} (result i64 f32 exnref) (block $c{n} \
             (br $h{n} (try_table (result i32) {chosen} {body}))) (br $h{n} {after})) \
             (local.set $e) (drop) (br $h{n} (i32.wrap_i64)))"
        )
    }

    fn older_catch(&mut self, depth: u32) -> String {
        self.blocks += 1;
        let n = self.blocks;
        self.around.push((n, false));
        let body = self.expression(depth);
        self.around.pop();
        let mut text = format!("(block (result i32) try $t{n} (result i32) {body}");
        if self.random.below(4) == 0 {
            let number = self.random.below(self.around.len() as u64 + 1) as usize;
            let to = self.around.get(number);
            let to = to.map_or("$all".into(), |(block, _)| format!("$t{block}"));
            return text + &format!(" delegate {to})");
        }
        self.around.push((n, true));
        let clauses = [
            ("catch $a", ""),
            ("catch $b", "(drop) (i32.wrap_i64)"),
            ("catch $c", "(i32.const 70)"),
        ];
        for (clause, given) in clauses {
            if self.random.below(2) == 0 {
                text += &format!(" {clause} {given} {}", self.clause(depth));
            }
        }
        if self.random.below(3) == 0 {
            text += &format!(" catch_all (i32.const 7) {}", self.clause(depth));
        }
        self.around.pop();
        text + " end)"
    }

    /// What a clause does with the number that it is given.
    fn clause(&mut self, depth: u32) -> String {
        let caught: Vec<u32> = self
            .around
            .iter()
            .filter(|(_, is_clause)| *is_clause)
            .map(|(block, _)| *block)
            .collect();
        let which = caught[self.random.below(caught.len() as u64) as usize];
        let (condition, rest) = (self.expression(depth), self.expression(depth));
        match self.random.below(4) {
            0 => format!(
                "(if (i32.and {condition} (i32.const 1)) (then (rethrow $t{which}))) (i32.xor {rest})"
            ),
            1 => format!("(br_if $t{which} {condition}) (i32.add {rest})"),
            2 => format!("(local.set $y) (local.get $y) (i32.add {rest})"),
            _ => format!("(drop) {rest}"),
        }
    }
}

/// Random programs in both tiers, which take turns with saved states. Gives how many finished, did not catch what they
/// threw, and stopped where something was caught.
pub fn random_programs(count: u64, older: bool) -> [u32; 3] {
    let mut random = Random::new(11);
    let (mut uncaught, mut finished, mut caught) = (0, 0, 0);
    for seed in 0..count {
        let mut writer = Writer {
            random: Random::new(seed),
            blocks: 0,
            older,
            around: Vec::new(),
        };
        let [mut slow, mut fast] = tiers(&writer.program(), Limits::default());
        let mut third = fast.clone();
        // Exact stops that are near are made by the stepping tier.
        let gap = if seed % 2 == 0 { 90 } else { 20_000 };
        let labels = fast.module().unwrap().catch_labels();
        for name in ["f0", "f1", "f2", "f3", "f4"] {
            for machine in [&mut slow, &mut fast] {
                begin(machine, name, &[Value::I32(seed as i32)]);
            }
            loop {
                let until = slow.steps() + 1 + random.below(gap);
                let exits = [&mut slow, &mut fast].map(|machine| machine.run(until));
                assert_eq!(exits[0], exits[1], "{seed} {name}");
                assert!(slow.save() == fast.save(), "{seed} {name} {until}");
                third.load(&fast.save()).unwrap();
                std::mem::swap(&mut third, &mut fast);
                let at = slow.location().map(|at| at.offset);
                caught += u32::from(at.is_some_and(|at| labels.binary_search(&at).is_ok()));
                match exits[0] {
                    Exit::Budget => {}
                    Exit::Finished => break finished += 1,
                    Exit::Trapped(Trap::UncaughtException) => break uncaught += 1,
                    exit => panic!("{seed} {name}: {exit:?}"),
                }
            }
        }
    }
    println!("{finished} finished, {uncaught} did not catch, {caught} stops where one was caught");
    [finished, uncaught, caught]
}
