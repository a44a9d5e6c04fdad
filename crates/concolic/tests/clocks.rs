//! Programs that read clocks: how much time passes is a state's, when is not.

#![allow(clippy::mutable_key_type)]

use borges_board::Board;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use borges_concolic::{Budget, Flow, Passing, Start};
use borges_multiverse::graph::{NodeId, Pause};

use crate::common;
use crate::graphs::{BEGINS, How, check, closed};

/// A program that goes round for ever, with some globals that begin with these numbers, and a local.
fn program(globals: &[i32], body: &str) -> Start {
    let globals: String = globals
        .iter()
        .enumerate()
        .map(|(at, value)| format!("(global $g{at} (mut i32) (i32.const {value}))"))
        .collect();
    let text = format!(
        r#"(module
          (import "env" "millis" (func $millis (result i32)))
          (import "env" "chip_digital_read" (func $pin (param i32) (result i32)))
          (import "env" "chip_digital_write" (func $write (param i32 i32)))
          (import "env" "chip_delay" (func $delay (param i32)))
          {globals}
          (func (export "main") (local $now i32) (local $level i32)
            (loop $again {body} (br $again))))"#
    );
    common::start_wat(&text, Board::parse("board.toml", "").expect("a board"))
}

/// What passes between a word's time and now is at least this.
fn since(word: &str, least: u32) -> String {
    format!("(i32.ge_u (i32.sub (local.get $now) (global.get ${word})) (i32.const {least}))")
}

fn blink(interval: u32) -> Start {
    let is_time = since("g0", interval);
    program(
        &[BEGINS, 0],
        &format!(
            "(local.set $now (call $millis))
             (if {is_time} (then
               (global.set $g0 (local.get $now))
               (global.set $g1 (i32.eqz (global.get $g1)))
               (call $write (i32.const 13) (global.get $g1))))"
        ),
    )
}

fn debounce(delay: u32) -> Start {
    let is_quiet = since("g0", delay);
    // The last reading, the level that is believed.
    program(
        &[BEGINS, 0, 0],
        &format!(
            "(local.set $level (call $pin (i32.const 2)))
             (if (i32.ne (local.get $level) (global.get $g1)) (then (global.set $g0 (call $millis))))
             (local.set $now (call $millis))
             (if {is_quiet} (then (if (i32.ne (local.get $level) (global.get $g2)) (then
               (global.set $g2 (local.get $level))
               (call $write (i32.const 13) (global.get $g2))))))
             (global.set $g1 (local.get $level))"
        ),
    )
}

/// Two lamps, each with its own time, of which one waits for the other.
fn two_timers(first: u32, second: u32) -> Start {
    let (one, other) = (since("g0", first), since("g1", second));
    program(
        &[BEGINS, BEGINS, 0],
        &format!(
            "(local.set $now (call $millis))
             (if {one} (then (global.set $g0 (local.get $now)) (global.set $g2 (i32.eqz (global.get $g2)))))
             (if (global.get $g2) (then
               (if {other} (then (global.set $g1 (local.get $now)) (call $write (i32.const 2) (i32.const 1))))))"
        ),
    )
}

/// It waits, and would trap if less time had passed than that.
fn waits(time: u32, least: u32) -> Start {
    let is_late = since("g0", least);
    program(
        &[BEGINS],
        &format!(
            "(global.set $g0 (call $millis))
             (call $delay (i32.const {time}))
             (local.set $now (call $millis))
             (if (i32.eqz {is_late}) (then (unreachable)))"
        ),
    )
}

/// A clock of 64 bits, and a time in the memory.
fn wide() -> Start {
    let text = r#"(module
      (import "env" "millis" (func $millis (result i64)))
      (import "env" "chip_digital_write" (func $write (param i32 i32)))
      (memory 1)
      (global $lamp (mut i32) (i32.const 0))
      (func (export "main") (local $now i64)
        (loop $again
          (local.set $now (call $millis))
          (if (i64.ge_s (i64.sub (local.get $now) (i64.load (i32.const 16))) (i64.const 1000)) (then
            (i64.store (i32.const 16) (local.get $now))
            (global.set $lamp (i32.eqz (global.get $lamp)))
            (call $write (i32.const 13) (global.get $lamp))))
          (br $again))))"#;
    common::start_wat(text, Board::parse("board.toml", "").expect("a board"))
}

/// States, whether they are all, traps, and what was taken for anything and mattered.
fn explored(start: &Start) -> (usize, Pause, usize, usize) {
    closed(start, 0, |graph, pause| {
        assert_eq!(graph.language().unexplored(), []);
        let is_end = |node: &NodeId| {
            let state = graph.state(*node);
            state.is_some_and(|state| state.end().is_some())
        };
        let ends = graph.nodes().filter(is_end).count();
        (graph.len(), pause, ends, graph.language().maybe().len())
    })
}

#[test]
fn graphs_of_programs_that_read_clocks_close() {
    let found: Vec<_> = [
        ("blink", blink(1000)),
        ("debounce", debounce(50)),
        ("two timers", two_timers(1000, 300)),
        ("64 bits", wide()),
        ("it waits", waits(100, 100)),
        ("it waits too little", waits(100, 101)),
    ]
    .into_iter()
    .map(|(name, start)| (name, explored(&start)))
    .collect();
    let closed = |states, ends| (states, Pause::Complete, ends, 0);
    assert_eq!(
        found,
        [
            ("blink", closed(5, 0)),
            ("debounce", closed(23, 0)),
            ("two timers", closed(10, 0)),
            ("64 bits", closed(5, 0)),
            ("it waits", closed(3, 0)),
            ("it waits too little", closed(4, 1)),
        ]
    );
}

/// Where the time itself matters, the answer is *maybe*.
#[test]
fn what_a_clock_shows_may_matter() {
    let late = program(
        &[0],
        "(local.set $now (call $millis))
         (if (i32.gt_u (local.get $now) (i32.const 60000)) (then (global.set $g0 (i32.const 1))))
         (if (global.get $g0) (then (unreachable)))",
    );
    assert_eq!(explored(&late), (3, Pause::Complete, 1, 1));
}

#[test]
fn they_hold_exactly_the_states_of_all_runs() {
    for (name, start, depth) in [
        ("blink", blink(3), 6),
        ("debounce", debounce(3), 6),
        ("two timers", two_timers(3, 2), 6),
        ("it waits", waits(2, 2), 6),
        ("it waits too little", waits(2, 3), 6),
    ] {
        for most in [1 << 16, 1] {
            let how = How {
                most,
                elapses: Some(ELAPSES),
                unread: 2,
                ..How::default()
            };
            assert!(check(name, &start, depth, &how), "{name}");
        }
    }
}

/// So many units at most pass between two readings. Times that lie apart by more than that are not known exactly where
/// nothing is counted out.
const ELAPSES: u64 = 6;

/// Some program that keeps up to two times, a flag and a duration, waits, looks at a pin and compares what has passed. Where
/// a time, or the flag, is kept, there may be a duration instead.
/// Constants that it compares with are below `most`; if they may be further away than clocks are followed, two times may be
/// compared too.
fn random_program(random: &mut fastrand::Rng, most: u32) -> (String, Start) {
    let is_far = u64::from(most) > ELAPSES;
    let mut statement = |depth: u32| {
        let mut word = || ["g0", "g1"][random.usize(..2)];
        let (word, other) = (word(), word());
        let flag = random.u32(..2);
        let least = random.u32(1..most);
        let kinds = if depth > 0 { 12 + u8::from(is_far) } else { 8 };
        match random.u8(..kinds) {
            0 => "(local.set $now (call $millis))".to_owned(),
            1 => format!("(local.set $now (call $millis)) (global.set ${word} (local.get $now))"),
            2 => format!("(global.set ${word} (local.get $now))"),
            3 => format!("(global.set $g2 (i32.const {flag}))"),
            4 => "(local.set $level (call $pin (i32.const 2)))".to_owned(),
            5 => format!("(call $delay (i32.const {}))", random.u32(1..4)),
            6 => {
                let keeps = ["g0", "g1", "g2", "g3"][random.usize(..4)];
                format!("(global.set ${keeps} (i32.sub (local.get $now) (global.get ${word})))")
            }
            7 => {
                format!("(global.set $g3 (i32.sub (global.get ${other}) (global.get ${word})))")
            }
            8 => format!("(if (i32.eq (global.get $g2) (i32.const {flag})) (then HERE))"),
            9 => "(if (local.get $level) (then HERE))".to_owned(),
            10 => format!("(if {} (then HERE) (else HERE))", since(word, least)),
            11 => {
                let asks = ["ge_u", "lt_s", "eq", "gt_s", "le_u"][random.usize(..5)];
                let asks = format!("(i32.{asks} (global.get $g3) (i32.const {least}))");
                format!("(if {asks} (then HERE) (else HERE))")
            }
            _ => format!(
                "(if (i32.gt_s (i32.sub (global.get $g0) (global.get $g1)) (i32.const {least})) (then HERE))"
            ),
        }
    };
    let mut body = "(local.set $now (call $millis)) HERE HERE HERE".to_owned();
    for depth in [2, 1, 0] {
        while body.contains("HERE") {
            let next = statement(depth);
            let next = next.replace("HERE", if depth > 0 { "LATER" } else { "(nop)" });
            body = body.replacen("HERE", &next, 1);
        }
        body = body.replace("LATER", "HERE");
    }
    let body = format!("{body} (drop (call $pin (i32.const 3)))");
    let start = program(&[BEGINS, BEGINS, 0, 0], &body);
    (body, start)
}

#[test]
fn graphs_of_random_programs_with_clocks_hold_exactly_the_states_of_all_runs() {
    let mut compared = 0;
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (body, start) = random_program(&mut random, 6);
        for (most, garbage) in [(1 << 16, 0), (1, 0xa5a5_a5a5)] {
            let how = How {
                most,
                garbage,
                elapses: Some(ELAPSES),
                unread: 4,
                ..How::default()
            };
            compared += u32::from(check(
                &format!("{most} seed {seed}: {body}"),
                &start,
                5,
                &how,
            ));
        }
    }
    assert!(compared > 290, "{compared}");
}

/// Constants beyond what clocks are followed for: where nothing is said of it, the graph holds all states nevertheless.
#[test]
fn graphs_of_random_programs_say_where_it_matters_how_long_ago_times_were() {
    let (mut compared, mut all) = (0, 0);
    for seed in 1000..1250 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (body, start) = random_program(&mut random, 24);
        let how = How {
            most: 1,
            elapses: Some(ELAPSES),
            unread: 4,
            ..How::default()
        };
        all += 1;
        compared += u32::from(check(&format!("seed {seed}: {body}"), &start, 6, &how));
    }
    assert!(compared > all / 2 && compared < all, "{compared} of {all}");
}

/// Times of clocks are known up to a bound: a program that waits for longer is never called complete, and one that waits
/// just so long is.
#[test]
fn waits_for_longer_than_clocks_are_followed_are_said() {
    for (time, count) in [(1 << 29, 0), ((1 << 29) + 1, 1)] {
        closed(&waits(time, 1), 0, |graph, pause| {
            assert_eq!(pause, Pause::Complete);
            assert_eq!(graph.language().unexplored().len(), count, "{time} ms");
        });
    }
}

/// What is longer ago than clocks are followed counts as that long ago. Where it makes a difference how long ago it was, that
/// is said.
#[test]
fn what_depends_on_how_long_ago_a_time_was_is_said() {
    let trap = "(then (unreachable))";
    let long = |condition: &str, then: &str| {
        program(
            &[BEGINS, BEGINS, 0],
            &format!(
                "(global.set $g0 (call $millis))
                 (call $delay (i32.const 700))
                 (global.set $g1 (call $millis))
                 (loop $waits
                   (call $delay (i32.const 0x10000000))
                   (local.set $now (call $millis))
                   {condition}
                   (br_if $waits (call $pin (i32.const 2))))
                 {then}"
            ),
        )
    };
    let passed = |compared: &str| {
        let ago = "(i32.sub (local.get $now) (global.get $g0))";
        long(&format!("(if ({compared}) {trap})").replace("AGO", ago), "")
    };
    let between = "(i32.sub (global.get $g1) (global.get $g0))";
    let kept = |most: u32| {
        let keeps = "(global.set $g2 (i32.sub (local.get $now) (global.get $g0)))";
        let asks = format!("(if (i32.gt_u (global.get $g2) (i32.const {most})) {trap})");
        long(keeps, &format!("(drop (call $pin (i32.const 3))) {asks}"))
    };
    for (name, start, count) in [
        (
            "a constant that is too great",
            passed("i32.gt_u AGO (i32.const 0x50000000)"),
            1,
        ),
        (
            "one of which both sides are seen",
            passed("i32.gt_u AGO (i32.const 0x30000000)"),
            1,
        ),
        ("a small one", passed("i32.lt_u AGO (i32.const 1000)"), 0),
        (
            "as signed numbers",
            passed("i32.lt_s AGO (i32.const 1000)"),
            1,
        ),
        (
            "high bits",
            passed("i32.eq (i32.shr_u AGO (i32.const 30)) (i32.const 3)"),
            1,
        ),
        (
            "one of two conditions",
            passed("i32.and (i32.lt_u AGO (i32.const 1000)) (call $pin (i32.const 4))"),
            0,
        ),
        (
            "two times that are both just as long ago as is counted",
            program(
                &[BEGINS, BEGINS],
                &format!(
                    "(global.set $g0 (call $millis))
                     (call $delay (i32.const 5))
                     (global.set $g1 (call $millis))
                     (local.set $level (i32.const 4))
                     (loop $waits
                       (call $delay (i32.const 0x10000000))
                       (br_if $waits (local.tee $level (i32.sub (local.get $level) (i32.const 1)))))
                     (if (i32.gt_u {between} (i32.const 500)) {trap})"
                ),
            ),
            1,
        ),
        (
            "two times that are both long ago",
            long(
                "",
                &format!("(if (i32.gt_u {between} (i32.const 500)) {trap})"),
            ),
            1,
        ),
        (
            "what had passed, kept, a great constant",
            kept(0x5000_0000),
            1,
        ),
    ] {
        closed(&start, 0, |graph, pause| {
            assert_eq!(pause, Pause::Complete, "{name}");
            assert_eq!(graph.language().unexplored().len(), count, "{name}");
        });
    }
}

/// Traps behind many readings that are compared are known for certain: a run to each is solved from its end.
#[test]
fn runs_through_many_readings_are_found() {
    for (begins, rounds) in [(BEGINS, 10), (0, 30), (0, 100), (BEGINS, 100)] {
        let is_time = since("g0", 10);
        let start = program(
            &[begins, 0],
            &format!(
                "(local.set $now (call $millis))
                 (if {is_time} (then
                   (global.set $g0 (local.get $now))
                   (global.set $g1 (i32.add (global.get $g1) (i32.const 1)))
                   (if (i32.eq (global.get $g1) (i32.const {rounds})) (then (unreachable)))))"
            ),
        );
        closed(&start, 0, |graph, pause| {
            assert_eq!(pause, Pause::Complete);
            // Nearest first: the first edge to a state is the last of a shortest way.
            let mut before = HashMap::new();
            for (_, edge) in graph.edges().filter(|(_, edge)| edge.to != NodeId::ROOT) {
                before.entry(edge.to).or_insert(edge.from);
            }
            let nodes =
                std::iter::successors(graph.ends().next(), |node| before.get(node).copied());
            let mut way: Vec<_> = nodes
                .filter_map(|node| graph.state(node).cloned())
                .collect();
            way.reverse();
            let began = Instant::now();
            let clock = || began.elapsed();
            let heard = |_| Flow::Continue;
            let budget = Budget::new(Duration::from_secs(20), &clock, &heard);
            let device = graph.language();
            let run = device.run_through(&way, Passing::Nothing, &budget);
            let run = run.expect("a run");
            let shown = run.ways.iter().flat_map(|way| &way.model);
            let shown: Vec<u64> = shown.copied().collect();
            let mut last = begins as u32;
            let late = shown.iter().filter(|time| {
                let is_late = (**time as u32).wrapping_sub(last) >= 10;
                if is_late {
                    last = **time as u32;
                }
                is_late
            });
            assert_eq!(late.count(), rounds);
        });
    }
}
