//! Networks of boards against an interpreter of their semantics that knows neither wasm nor the engine: all states, all ends.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Once;

use borges_languages::model::{Datum, Explore, Model, Reduction, Report, language};
use fastrand::Rng;

/// What a program does, one call after the other. What it reads goes to its global `acc`.
#[derive(Clone, Copy, Debug)]
enum Op {
    /// It sends a number, and what it has read.
    Send(i32),
    Read,
    Count,
    /// A sensor of its own: 0 or 1.
    Sense,
    /// It sets the wire to this, or asks for its level.
    Set(i32),
    Level,
    /// So many milliseconds.
    Delay(u64),
    /// It traps if this is what it has read.
    Fail(i32),
}

#[derive(Clone, Copy, Debug)]
struct Settings {
    common: bool,
    holds: usize,
    loses: bool,
    duplicates: bool,
    reorders: bool,
    delay: (u64, u64),
    /// Of each board, if it makes room for the other one.
    priorities: [Option<u8>; 2],
}

const BOARD: &str = r#"
[[primitive]]
name = "send"
params = ["i32", "i32"]
kind = "output"
undo = "none"
[[primitive]]
name = "read"
params = ["i32"]
result = "i32"
kind = "input"
codomain = "-1..1000"
[[primitive]]
name = "count"
params = ["i32"]
result = "i32"
kind = "input"
codomain = "0..100"
"#;

const MODULE: &str = r#"(module
  (import "env" "send" (func $send (param i32 i32)))
  (import "env" "read" (func $read (param i32) (result i32)))
  (import "env" "count" (func $count (param i32) (result i32)))
  (import "env" "chip_digital_read" (func $level (param i32) (result i32)))
  (import "env" "chip_digital_write" (func $set (param i32 i32)))
  (import "env" "chip_delay" (func $delay (param i32)))
  (global $acc (mut i32) (i32.const 0))
  (global $sum (mut i32) (i32.const 0))
  (func (export "main")
"#;

/// A program as a module: `sum` tells what it has read, in order.
fn module(ops: &[Op]) -> Vec<u8> {
    let mut text = MODULE.to_owned();
    let read = |call: &str| {
        format!(
            "{call} global.set $acc\n (global.set $sum (i32.add (i32.mul (global.get $sum) (i32.const 7)) (global.get $acc)))"
        )
    };
    for op in ops {
        let line = match op {
            Op::Send(number) => {
                format!(
                    "(call $send (i32.const 1) (i32.add (i32.const {number}) (global.get $acc)))"
                )
            }
            Op::Read => read("(call $read (i32.const 1))"),
            Op::Count => read("(call $count (i32.const 1))"),
            Op::Sense => read("(call $level (i32.const 9))"),
            Op::Level => read("(call $level (i32.const 2))"),
            Op::Set(level) => format!("(call $set (i32.const 1) (i32.const {level}))"),
            Op::Delay(ms) => format!("(call $delay (i32.const {ms}))"),
            Op::Fail(number) => {
                format!("(if (i32.eq (global.get $acc) (i32.const {number})) (then unreachable))")
            }
        };
        writeln!(text, "    {line}").unwrap();
    }
    wat::parse_str(text + "))").unwrap()
}

fn network(settings: Settings) -> String {
    let mut faults = Vec::new();
    for (is, name) in [
        (settings.loses, "\"loss\""),
        (settings.duplicates, "\"duplication\""),
        (settings.reorders, "\"reordering\""),
    ] {
        faults.extend(is.then_some(name));
    }
    let delay = match settings.common {
        true => format!("delay_ms = [{}, {}]\n", settings.delay.0, settings.delay.1),
        false => String::new(),
    };
    let time = if settings.common { "common" } else { "free" };
    let mut text = format!("time = \"{time}\"\n");
    for (board, priority) in ["a", "b"].iter().zip(settings.priorities) {
        let priority = priority.map_or_else(String::new, |own| format!("priority = {own}\n"));
        write!(
            text,
            "[[board]]\nname = \"{board}\"\nprogram = \"{board}.wasm\"\nboard = \"board.toml\"\n{priority}"
        )
        .unwrap();
    }
    for (name, from, to) in [("there", "a", "b"), ("back", "b", "a")] {
        write!(
            text,
            "[[line]]\nname = \"{name}\"\nfrom = \"{from}.send(1)\"\nto = \"{to}.read(1)\"\nready = \"{to}.count(1)\"\n\
             holds = {}\nfaults = [{}]\n{delay}",
            settings.holds,
            faults.join(", ")
        )
        .unwrap();
    }
    text + "[[wire]]\nname = \"wire\"\nfrom = \"a.chip_digital_write(1)\"\nto = \"b.chip_digital_read(2)\"\nstarts = 1\n"
}

fn open(folder: &Path, text: &str) -> Result<Model, String> {
    static ADDED: Once = Once::new();
    ADDED.call_once(borges_session::network::add);
    let dialect = language::of_path("network.toml").unwrap();
    let whole = dialect
        .gather(text, folder)
        .map_err(|error| error.explain(text))?;
    Model::parse(dialect, &whole).map_err(|error| error.explain(text))
}

fn explored(programs: &[Vec<Op>; 2], settings: Settings, reduction: Reduction) -> Report {
    let folder = tempfile::tempdir().unwrap();
    for (name, ops) in ["a.wasm", "b.wasm"].iter().zip(programs) {
        std::fs::write(folder.path().join(name), module(ops)).unwrap();
    }
    std::fs::write(folder.path().join("board.toml"), BOARD).unwrap();
    let options = Explore {
        reduction,
        ..Explore::default()
    };
    let model = open(folder.path(), &network(settings)).unwrap();
    model.explore(&options, |_| true)
}

/// The same semantics once more, about lists of operations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Told {
    at: [usize; 2],
    acc: [i32; 2],
    sum: [i32; 2],
    /// Left to sleep; nothing of who has not begun to.
    sleeps: [Option<u64>; 2],
    /// By sender: value, least and most until it arrives, whether it has been doubled.
    way: [Vec<(i32, u64, u64, bool)>; 2],
    come: [VecDeque<i32>; 2],
    level: i32,
    failed: bool,
}

struct Oracle<'o> {
    programs: &'o [Vec<Op>; 2],
    settings: Settings,
}

impl Oracle<'_> {
    fn is_way(&self) -> bool {
        let s = self.settings;
        s.loses || s.duplicates || s.reorders || s.common && s.delay != (0, 0)
    }

    /// What needs no call happens with what is before it.
    fn settle(&self, told: &mut Told, who: usize) {
        while let Some(Op::Fail(number)) = self.programs[who].get(told.at[who]) {
            if told.acc[who] == *number {
                told.failed = true;
                return;
            }
            told.at[who] += 1;
        }
    }

    fn start(&self) -> Told {
        let mut told = Told {
            at: [0; 2],
            acc: [0; 2],
            sum: [0; 2],
            sleeps: [None; 2],
            way: Default::default(),
            come: Default::default(),
            level: 1,
            failed: false,
        };
        (0..2).for_each(|who| self.settle(&mut told, who));
        told
    }

    fn after(&self, told: &Told) -> Vec<Told> {
        let mut all = Vec::new();
        if told.failed {
            return all;
        }
        let able = [0, 1].map(|who| {
            let mut able = Vec::new();
            self.acts(told, who, &mut able);
            able
        });
        let [a, b] = self.settings.priorities;
        let makes_room = |own: Option<u8>, other: Option<u8>, able: &[Told]| {
            own.is_some() && own < other && !able.is_empty()
        };
        let room = [makes_room(a, b, &able[1]), makes_room(b, a, &able[0])];
        for (who, able) in able.into_iter().enumerate() {
            all.extend(able.into_iter().filter(|_| !room[who]));
            self.line(told, who, &mut all);
        }
        if self.settings.common {
            all.extend(self.passes(told));
        }
        all
    }

    fn acts(&self, told: &Told, who: usize, all: &mut Vec<Told>) {
        let Some(op) = self.programs[who].get(told.at[who]) else {
            return;
        };
        let mut read = |value: i32, change: &dyn Fn(&mut Told)| {
            let mut next = told.clone();
            change(&mut next);
            next.acc[who] = value;
            next.sum[who] = next.sum[who].wrapping_mul(7).wrapping_add(value);
            next.at[who] += 1;
            self.settle(&mut next, who);
            all.push(next);
        };
        match *op {
            Op::Read => {
                let first = told.come[1 - who].front().copied();
                read(first.unwrap_or(-1), &|next| {
                    next.come[1 - who].pop_front();
                });
            }
            Op::Count => read(told.come[1 - who].len() as i32, &|_| ()),
            Op::Sense => (0..2).for_each(|level| read(level, &|_| ())),
            // Only b is wired to what a sets; the others are sensors of their own.
            Op::Level if who == 1 => read(told.level, &|_| ()),
            Op::Level => (0..2).for_each(|level| read(level, &|_| ())),
            Op::Delay(_)
                if self.settings.common && told.sleeps[who].is_some_and(|left| left > 0) => {}
            Op::Delay(ms) if self.settings.common && told.sleeps[who].is_none() => {
                let mut next = told.clone();
                next.sleeps[who] = Some(ms * 1000);
                all.push(next);
            }
            Op::Send(_) | Op::Set(_) | Op::Delay(_) => {
                let mut next = told.clone();
                match *op {
                    Op::Send(number) => self.sends(&mut next, who, number + told.acc[who]),
                    Op::Set(level) if who == 0 => next.level = level,
                    _ => next.sleeps[who] = None,
                }
                next.at[who] += 1;
                self.settle(&mut next, who);
                all.push(next);
            }
            Op::Fail(_) => unreachable!("it was settled"),
        }
    }

    fn sends(&self, told: &mut Told, who: usize, value: i32) {
        let s = self.settings;
        if !self.is_way() {
            self.comes(told, who, value);
        } else if told.way[who].len() < s.holds {
            let (least, most) = if s.common { s.delay } else { (0, 0) };
            told.way[who].push((value, least * 1000, most * 1000, false));
        }
    }

    fn comes(&self, told: &mut Told, who: usize, value: i32) {
        if told.come[who].len() < self.settings.holds {
            told.come[who].push_back(value);
        }
    }

    fn line(&self, told: &Told, who: usize, all: &mut Vec<Told>) {
        let s = self.settings;
        let reach = if s.reorders { told.way[who].len() } else { 1 };
        for at in 0..told.way[who].len().min(reach) {
            let (value, least, _, doubled) = told.way[who][at];
            if s.loses {
                let mut next = told.clone();
                next.way[who].remove(at);
                all.push(next);
            }
            if least > 0 {
                continue;
            }
            let mut next = told.clone();
            self.comes(&mut next, who, value);
            if s.duplicates && !doubled {
                let mut again = next.clone();
                again.way[who][at].3 = true;
                all.push(again);
            }
            next.way[who].remove(at);
            all.push(next);
        }
    }

    fn passes(&self, told: &Told) -> Option<Told> {
        let mut times = Vec::new();
        for who in 0..2 {
            if told.at[who] < self.programs[who].len() {
                times.push(told.sleeps[who].filter(|left| *left > 0)?);
            }
        }
        for (_, least, most, _) in told.way.iter().flatten() {
            if *most == 0 {
                return None;
            }
            times.push(if *least > 0 { *least } else { *most });
        }
        let us = times.into_iter().min()?;
        let mut next = told.clone();
        for left in next.sleeps.iter_mut().flatten() {
            *left -= us.min(*left);
        }
        for (_, least, most, _) in next.way.iter_mut().flatten() {
            *least -= us.min(*least);
            *most -= us.min(*most);
        }
        Some(next)
    }

    /// All states, and how the ends are called with what is left there.
    fn all(&self) -> (usize, BTreeSet<(&'static str, Vec<i32>)>) {
        let (mut known, mut ends) = (HashSet::new(), BTreeSet::new());
        let mut open = vec![self.start()];
        known.insert(self.start());
        while let Some(told) = open.pop() {
            let after = self.after(&told);
            if after.is_empty() {
                // Reports call what failed stuck.
                let kind = if told.failed { "failed" } else { "finished" };
                ends.insert((
                    kind,
                    vec![told.acc[0], told.sum[0], told.acc[1], told.sum[1]],
                ));
            }
            for next in after {
                if known.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        (known.len(), ends)
    }
}

fn program(random: &mut Rng, settings: Settings, who: usize) -> Vec<Op> {
    let count = random.usize(1..5);
    let op = |_| match random.u32(0..if settings.common { 9 } else { 8 }) {
        0..2 => Op::Send(random.i32(10..30)),
        2 => Op::Read,
        3 => Op::Count,
        4 => Op::Sense,
        5 if who == 0 => Op::Set(random.i32(0..2)),
        5 | 6 => Op::Level,
        7 => Op::Fail(random.i32(0..3)),
        _ => Op::Delay(random.u64(1..4)),
    };
    let mut ops: Vec<Op> = (0..count).map(op).collect();
    // What a network names must be called.
    ops.extend([Op::Send(50), Op::Count, Op::Read]);
    ops.push(if who == 0 { Op::Set(0) } else { Op::Level });
    ops
}

fn ends(report: &Report) -> BTreeSet<(&'static str, Vec<i32>)> {
    let number = |values: &BTreeMap<String, Datum>, name: &str| match values[name] {
        Datum::Integer(value) => value as i32,
        _ => panic!("{name} is no number"),
    };
    let names = ["a.acc", "a.sum", "b.acc", "b.sum"];
    let end = |end: &borges_languages::model::End| {
        (
            end.how.kind,
            names.map(|name| number(&end.values, name)).to_vec(),
        )
    };
    report.ends.iter().map(end).collect()
}

/// Whether a network is what its rules say; with the states and ends that it has by them.
fn is_as_told(
    programs: &[Vec<Op>; 2],
    settings: Settings,
    is_reduced: bool,
) -> (usize, BTreeSet<(&'static str, Vec<i32>)>) {
    let report = explored(programs, settings, Reduction::None);
    let (states, known) = Oracle { programs, settings }.all();
    let about = format!("{settings:?} {programs:?}");
    let found = ends(&report);
    let (missing, wrong): (Vec<_>, Vec<_>) = (
        known.difference(&found).take(4).collect(),
        found.difference(&known).take(4).collect(),
    );
    assert!(
        found == known,
        "without {missing:?}, with {wrong:?}: {about}"
    );
    assert_eq!(report.states, states as u64, "{about}");
    if is_reduced {
        let found = ends(&explored(programs, settings, Reduction::Dpor));
        let missing: Vec<_> = known.difference(&found).take(4).collect();
        assert!(found == known, "reduced, without {missing:?}: {about}");
    }
    (states, known)
}

/// Boards with priorities: equal ones change nothing, others leave runs out and invent none.
#[test]
fn the_board_with_the_highest_priority_that_does_not_wait_goes_on() {
    let mut random = Rng::with_seed(7);
    let mut fewer = 0;
    for _ in 0..12 {
        let least = random.u64(0..3);
        let free = Settings {
            common: true,
            holds: random.usize(1..3),
            loses: random.bool(),
            duplicates: false,
            reorders: false,
            delay: (least, least + random.u64(0..2)),
            priorities: [None; 2],
        };
        let programs = [0, 1].map(|who| program(&mut random, free, who));
        let with = |priorities| {
            let settings = Settings { priorities, ..free };
            is_as_told(&programs, settings, true)
        };
        let all = Oracle {
            programs: &programs,
            settings: free,
        }
        .all();
        // Who has no priority makes room for nobody.
        for same in [[Some(3); 2], [Some(0), None]] {
            assert_eq!(with(same), all, "{programs:?}");
        }
        for (high, low) in [(0, 1), (1, 0)] {
            let mut priorities = [Some(0); 2];
            priorities[high] = Some(255);
            let (states, ends) = with(priorities);
            assert!(
                states <= all.0 && ends.is_subset(&all.1),
                "{low} {programs:?}"
            );
            fewer += usize::from(ends.len() < all.1.len());
        }
    }
    // The rule is felt.
    assert!(fewer > 8, "{fewer}");
}

#[test]
fn networks_have_the_states_that_their_rules_give_them() {
    let mut random = Rng::with_seed(2026);
    for round in 0..60 {
        let least = random.u64(0..3);
        let settings = Settings {
            common: random.bool(),
            holds: random.usize(1..4),
            loses: random.bool(),
            duplicates: random.u32(0..3) == 0,
            reorders: random.u32(0..3) == 0,
            delay: (least, least + random.u64(0..3)),
            priorities: [None; 2],
        };
        let programs = [0, 1].map(|who| program(&mut random, settings, who));
        is_as_told(&programs, settings, round % 4 == 0);
    }
}

/// Files that are wrong, and what is said: at the place, with what there is.
#[test]
fn what_is_wrong_in_a_network_is_said_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let all = [Op::Send(1), Op::Read, Op::Count, Op::Level, Op::Set(0)];
    std::fs::write(folder.path().join("a.wasm"), module(&all)).unwrap();
    std::fs::write(folder.path().join("board.toml"), BOARD).unwrap();
    let clock = wat::parse_str(
        r#"(module (import "env" "millis" (func $now (result i32))) (func (export "main") (drop (call $now))))"#,
    );
    std::fs::write(folder.path().join("clock.wasm"), clock.unwrap()).unwrap();
    let board = |name: &str, program: &str| {
        format!("[[board]]\nname = \"{name}\"\nprogram = \"{program}\"\nboard = \"board.toml\"\n")
    };
    let two = board("a", "a.wasm") + &board("b", "a.wasm");
    let line = |rest: &str| format!("{two}[[line]]\nname = \"l\"\n{rest}");
    let good = "from = \"a.send(1)\"\nto = \"b.read(1)\"\n";
    for (text, said) in [
        (String::new(), "`board` is missing"),
        (
            board("a", "a.wasm") + &board("a", "a.wasm"),
            "there is another board called 'a'",
        ),
        (board("2a", "a.wasm"), "this is no name"),
        (board("a", "none.wasm"), "none.wasm"),
        (board("a", "board.toml"), "malformed module"),
        (board("a", "clock.wasm"), "reads the clock millis"),
        (
            line(good).replace("a.send(1)", "c.send(1)"),
            "no board called 'c'; there are: a, b",
        ),
        (
            line(good).replace("a.send(1)", "a.sned(1)"),
            "never calls sned; it calls: send, read",
        ),
        (
            line(good).replace("a.send(1)", "a.read(1)"),
            "read is no output",
        ),
        (
            line(good).replace("b.read(1)", "b.send(1)"),
            "send is no input",
        ),
        (
            line(good).replace("send(1)", "send(1, 2)"),
            "takes 2 arguments, and 2 are given",
        ),
        (
            line(good).replace("b.read(1)", "b.read"),
            "takes 1 arguments, and 0 are given",
        ),
        (
            line(good).replace("a.send(1)", "send(1)"),
            "this names no board",
        ),
        (line(&format!("{good}holds = 0\n")), "0 is out of range"),
        (line(&format!("{good}holds = 65\n")), "65 is out of range"),
        (
            line(&format!("{good}faults = [\"los\"]\n")),
            "no such fault",
        ),
        (
            line(&format!("{good}delay_ms = 5\n")),
            "a time that all boards have in common",
        ),
        (line(&format!("{good}empty = -2\n")), "cannot answer -2"),
        (
            line(&format!("{good}ready = [\"b.count(1)\", \"a.count(1)\"]\n")),
            "has 1 ends, and this names 2",
        ),
        (
            line(&format!("{good}from_ = 1\n")),
            "there is no key `from_`",
        ),
        (
            line(&format!("{good}[[line]]\nname = \"m\"\n{good}")),
            "send is connected twice",
        ),
        (
            line(&format!("{good}[[line]]\nname = \"a\"\n{good}")),
            "is called something else already",
        ),
        (format!("time = \"slow\"\n{two}"), "no such time"),
        (
            format!("{two}priority = 1\n"),
            "priorities need a time that all boards have in common",
        ),
        (
            format!("time = \"common\"\n{two}priority = 256\n"),
            "256 is out of range",
        ),
    ] {
        let error = open(folder.path(), &text).unwrap_err();
        assert!(error.contains(said), "{text}\n{error}");
    }
    for held in [1, 64] {
        open(folder.path(), &line(&format!("{good}holds = {held}\n"))).unwrap();
    }
}

/// What an input decides may have any number of values, what is kept of it few: else the run is said not to be followed.
#[test]
fn wide_inputs_are_followed_as_far_as_they_decide() {
    let folder = tempfile::tempdir().unwrap();
    let program = |then: &str| {
        format!(
            r#"(module (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
               (import "env" "chip_delay" (func $delay (param i32)))
               (global $kept (mut i32) (i32.const 0))
               (func (export "main") (call $read (i32.const 34)) {then} (global.set $kept) (call $delay (i32.const 1))))"#
        )
    };
    let ends = |then: &str| {
        let module = wat::parse_str(program(then)).unwrap();
        std::fs::write(folder.path().join("a.wasm"), module).unwrap();
        let model = open(
            folder.path(),
            "[[board]]\nname = \"a\"\nprogram = \"a.wasm\"\n",
        )
        .unwrap();
        let report = model.explore(&Explore::default(), |_| true);
        assert_eq!(
            report.complete,
            !then.is_empty(),
            "what is not followed is not complete"
        );
        let mut graph = model.multiverse(&Explore::default());
        graph.explore(&mut |_| true);
        let judged = graph.check("G {a.kept < 5000}", &mut |_| true).unwrap();
        // Of what is not followed nobody knows what it does.
        assert_eq!(judged.must.holds, report.complete.then_some(true), "{then}");
        let trace =
            |end: &borges_languages::model::End| end.trace.first().map(|step| step.text.clone());
        let ends = report
            .ends
            .iter()
            .map(|end| (end.text.clone(), trace(end).unwrap_or_default()));
        ends.collect::<Vec<_>>()
    };
    // Decided: two ways, each with all of its values.
    let decided = ends(
        "(if (result i32) (i32.lt_s (i32.const 1000)) (then (i32.const 5)) (else (i32.const 6)))",
    );
    assert_eq!(decided.len(), 2, "{decided:?}");
    assert!(
        decided[0].0.contains("a.kept = 5") && decided[0].1.contains("= 0..999"),
        "{decided:?}"
    );
    assert!(decided[1].1.contains("= 1000..4095"), "{decided:?}");
    // Computed, few values: each with the readings that lead to it.
    let few = ends("(i32.and (i32.const 3))");
    assert_eq!(few.len(), 4, "{few:?}");
    // At the limit, and one past it: 16 values are kept apart.
    assert_eq!(ends("(i32.and (i32.const 15))").len(), 16);
    let wide = ends("");
    assert_eq!(wide.len(), 1, "{wide:?}");
    assert!(
        wide[0]
            .0
            .contains("a: not followed further: it keeps an input"),
        "{wide:?}"
    );
}

#[test]
fn programs_of_a_network_are_linked_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), wat::parse_str(text).unwrap()).unwrap();
    };
    write(
        "sender.wasm",
        r#"(module (import "env" "send" (func $send (param i32 i32)))
           (import "units" "scaled" (func $scaled (param i32) (result i32)))
           (global $acc (mut i32) (i32.const 0))
           (func (export "main") (global.set $acc (call $scaled (i32.const 7)))
             (call $send (i32.const 1) (global.get $acc))))"#,
    );
    write(
        "units.wasm",
        r#"(module (import "more" "factor" (global $factor i32))
           (func (export "scaled") (param i32) (result i32) (i32.mul (local.get 0) (global.get $factor))))"#,
    );
    write(
        "more.wasm",
        r#"(module (global (export "factor") i32 (i32.const 6)))"#,
    );
    std::fs::write(folder.path().join("b.wasm"), module(&[Op::Read])).unwrap();
    std::fs::write(folder.path().join("board.toml"), BOARD).unwrap();
    let network = |links: &str| {
        format!(
            "time = \"common\"\n[[board]]\nname = \"a\"\nprogram = \"sender.wasm\"\nboard = \"board.toml\"\n{links}
             [[board]]\nname = \"b\"\nprogram = \"b.wasm\"\nboard = \"board.toml\"
             [[line]]\nname = \"l\"\nfrom = \"a.send(1)\"\nto = \"b.read(1)\"\n"
        )
    };
    let linked = network("link = { units = \"units.wasm\", more = \"more.wasm\" }");
    let report = open(folder.path(), &linked)
        .unwrap()
        .explore(&Explore::default(), |_| true);
    let read = |end: &borges_languages::model::End| match end.values["b.acc"] {
        Datum::Integer(value) => value,
        _ => panic!("it is a number"),
    };
    let ends: BTreeSet<_> = report.ends.iter().map(read).collect();
    // It reads before or after 42 is sent.
    assert_eq!(ends, [-1, 42].into());
    let refused = |links: &str| match open(folder.path(), &network(links)) {
        Ok(_) => panic!("{links} is accepted"),
        Err(error) => error,
    };
    let missing = refused("link = { units = \"nowhere.wasm\" }");
    assert!(missing.contains("nowhere.wasm"), "{missing}");
    let unlinked = refused("link = { units = \"units.wasm\" }");
    assert!(unlinked.contains("more"), "{unlinked}");
}
