//! Each bound of an exploration: at it nothing is missing, one past it something is, and that is said.

use std::cell::Cell;
use std::time::Duration;

use crate::common::{board, check, explore_all, explore_by, i32s, start_wat, suggest};
use borges_concolic::{
    Bounds, Budget, Cut, End, Ended, Explored, Flow, MOST_INPUTS, MOST_PATHS, Search, SearchOrder,
    Spent, Start, SuggestionNode, explore,
};
use borges_vm::Machine;
use borges_vm::binary::Instr;

/// Reads bits until it has read so many.
fn reads(count: u32) -> Start {
    let text = format!(
        r#"(module (import "env" "in" (func $in (result i32)))
            (func (export "main") (local $n i32)
                (loop $l
                    (if (call $in) (then (nop)))
                    (local.set $n (i32.add (local.get $n) (i32.const 1)))
                    (br_if $l (i32.lt_u (local.get $n) (i32.const {count}))))))"#
    );
    start_wat(&text, board(vec![("in", vec![], i32s(0, 1))]))
}

/// Reads one input that never differs, again and again, for ever.
fn endless() -> Start {
    start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (func (export "main") (loop $l (drop (call $in)) (br $l))))"#,
        board(vec![("in", vec![], i32s(0, 1))]),
    )
}

fn by(start: &Start, bounds: Bounds) -> Explored {
    explore_by(start, &bounds, SearchOrder::DepthFirst)
}

fn ends(explored: &Explored, end: &End) -> usize {
    let paths = explored.paths.iter();
    paths.filter(|path| path.end == *end).count()
}

#[test]
fn inputs() {
    let bounds = |inputs| Bounds {
        inputs,
        ..Bounds::default()
    };
    let at = by(&reads(3), bounds(3));
    assert_eq!((ends(&at, &End::Returned), ends(&at, &End::Inputs)), (8, 0));
    let past = by(&reads(4), bounds(3));
    assert_eq!(
        (ends(&past, &End::Returned), ends(&past, &End::Inputs)),
        (0, 8)
    );
    // Nobody gets more than the most there is.
    let most = by(&endless(), bounds(u32::MAX));
    assert_eq!(most.paths.len(), 1);
    assert_eq!(most.paths[0].ways[0].reads.len(), MOST_INPUTS as usize);
    assert_eq!(most.bounds.inputs, MOST_INPUTS);
}

#[test]
fn paths() {
    let bounds = |paths| Bounds {
        paths,
        ..Bounds::default()
    };
    let at = by(&reads(3), bounds(8));
    assert_eq!((at.paths.len(), at.ended, at.waiting), (8, None, 0));
    assert!(at.is_complete());
    let past = by(&reads(3), bounds(7));
    assert_eq!((past.paths.len(), past.ended), (7, Some(Ended::Paths)));
    assert_eq!(past.waiting, 1);
    assert!(!past.is_complete());
}

#[test]
fn steps() {
    let whole = by(&reads(1), Bounds::default());
    let needed = whole.paths.iter().map(|path| path.steps).max();
    let bounds = |steps| Bounds {
        steps,
        ..Bounds::default()
    };
    let needed = needed.expect("two paths");
    let at = by(&reads(1), bounds(needed));
    assert!(at.is_complete(), "{:?}", at.paths);
    let past = by(&reads(1), bounds(needed - 1));
    assert!(past.cut(Cut::Steps) > 0 && !past.is_complete());
}

/// Each bit of the input is looked at: each number is a path.
#[test]
fn paths_without_another_bound() {
    let start = |most| {
        start_wat(
            r#"(module (import "env" "in" (func $in (result i32)))
                (func (export "main") (local $n i32) (local $bit i32)
                    (local.set $n (call $in))
                    (local.set $bit (i32.const 512))
                    (loop $l
                        (if (i32.and (local.get $n) (local.get $bit)) (then (nop)))
                        (br_if $l (local.tee $bit (i32.shr_u (local.get $bit) (i32.const 1)))))))"#,
            board(vec![("in", vec![], i32s(0, most))]),
        )
    };
    let at = by(&start(999), Bounds::default());
    assert_eq!((at.paths.len(), at.is_complete()), (MOST_PATHS, true));
    let past = by(&start(1000), Bounds::default());
    assert_eq!((past.paths.len(), past.waiting), (MOST_PATHS, 1));
    assert_eq!(past.ended, Some(Ended::Paths));
}

#[test]
fn rounds() {
    let bounds = |rounds| Bounds {
        rounds: Some(rounds),
        ..Bounds::default()
    };
    // Three inputs are two times back to the loop's beginning.
    let at = by(&reads(3), bounds(3));
    assert!(at.is_complete());
    let past = by(&reads(3), bounds(2));
    assert!(past.cut(Cut::Rounds) > 0 && !past.is_complete());
}

/// A store to one of so many addresses, a load after it.
fn stores(most: u32) -> Start {
    let text = format!(
        r#"(module (import "env" "in" (func $in (result i32))) (memory 1)
            (func (export "main")
                (i32.store8 (call $in) (i32.const 7))
                (if (i32.load8_u (i32.const {most})) (then (unreachable)))))"#
    );
    let most = i32::try_from(most).expect("a small number");
    start_wat(&text, board(vec![("in", vec![], i32s(0, most))]))
}

#[test]
fn addresses_of_a_store() {
    let at = by(&stores(1023), Bounds::default());
    assert!(at.is_complete());
    assert_eq!(at.paths.len(), 2);
    let past = by(&stores(1024), Bounds::default());
    assert!(
        !past.is_complete(),
        "1025 addresses are looked at one at a time, and are too many for that"
    );
}

#[test]
fn addresses_of_a_load() {
    let start = |most| {
        start_wat(
            r#"(module (import "env" "in" (func $in (result i32))) (memory 1) (data (i32.const 9) "\01")
                (func (export "main")
                    (if (i32.load8_u (call $in)) (then (unreachable)))))"#,
            board(vec![("in", vec![], i32s(0, most))]),
        )
    };
    let at = by(&start((1 << 14) - 1), Bounds::default());
    assert!(at.is_complete());
    assert_eq!(at.paths.len(), 2);
    let past = by(&start(1 << 14), Bounds::default());
    assert!(!past.is_complete());
}

/// A length that may be so many values.
fn lengths(most: i32) -> Start {
    start_wat(
        r#"(module (import "env" "in" (func $in (result i32))) (memory 1)
            (func (export "main")
                (memory.fill (i32.const 0) (i32.const 1) (call $in))))"#,
        board(vec![("in", vec![], i32s(0, most))]),
    )
}

#[test]
fn values_that_are_looked_at_one_at_a_time() {
    let at = by(&lengths(255), Bounds::default());
    assert!(at.is_complete());
    assert_eq!(at.paths.len(), 1, "however much is filled, it is one path");
    assert_eq!(at.paths[0].ways.len(), 256);
    let past = by(&lengths(256), Bounds::default());
    assert!(!past.is_complete());
    assert_eq!(past.unexplored.len(), 1);
}

/// What an expression of an input can be is known exactly, or between bounds.
#[test]
fn inputs_of_an_expression() {
    for (most, is_complete) in [((1 << 16) - 1, true), (1 << 16, false)] {
        let start = start_wat(
            r#"(module (import "env" "in" (func $in (result i32))) (memory 1)
                (func (export "main")
                    (memory.fill (i32.const 0) (i32.const 1)
                        (i32.mul (i32.const 1000) (i32.and (call $in) (i32.const 1))))))"#,
            board(vec![("in", vec![], i32s(0, most))]),
        );
        let explored = by(&start, Bounds::default());
        assert_eq!(explored.is_complete(), is_complete, "0..={most}");
        // 0 and 1000, or one of 0 to 1000.
        let ways = explored.paths[0].ways.len();
        assert_eq!(ways, if is_complete { 2 } else { 1 });
        assert_eq!(explored.unexplored.len(), usize::from(!is_complete));
    }
}

/// A text of 16 bytes at an address that one of so many values is: past the end of the memory it is refused.
#[test]
fn arguments_that_an_output_refuses() {
    for first in [65_536 - (1 << 12), 65_535 - (1 << 12)] {
        let start = start_wat(
            r#"(module (import "env" "in" (func $in (result i32)))
                (import "env" "print_string" (func $print (param i32 i32))) (memory 1)
                (func (export "main") (call $print (call $in) (i32.const 16))))"#,
            board(vec![("in", vec![], i32s(first, 65_535))]),
        );
        assert_eq!(check(&start, &Bounds::default()).paths.len(), 2, "{first}");
    }
}

/// Each of the two is allowed to be 6, but not both: nothing comes after that.
#[test]
fn arguments_that_an_output_refuses_together() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (import "env" "print_string" (func $print (param i32 i32))) (memory 1)
            (func (export "main") (local $a i32) (local $b i32)
                (local.set $a (call $in)) (local.set $b (call $in))
                (call $print (local.get $a) (i32.add (i32.const 65530) (local.get $b)))
                (if (i32.eq (i32.add (local.get $a) (local.get $b)) (i32.const 12)) (then (unreachable)))))"#,
        board(vec![("in", vec![], i32s(0, 9))]),
    );
    assert_eq!(check(&start, &Bounds::default()).paths.len(), 2);
}

/// A pin whose number is made of two inputs; boards have fewer than these numbers.
#[test]
fn a_pin_that_several_inputs_tell() {
    for most in [(1 << 11) - 1, 1 << 11] {
        let start = start_wat(
            r#"(module (import "env" "in" (func $in (result i32)))
                (import "env" "chip_digital_write" (func $write (param i32 i32)))
                (func (export "main")
                    (call $write (i32.add (call $in) (call $in)) (i32.const 1))))"#,
            board(vec![("in", vec![], i32s(0, most))]),
        );
        let explored = by(&start, Bounds::default());
        assert!(explored.is_complete());
        assert_eq!(explored.paths.len(), 2, "{most}");
    }
}

/// Two addresses are told apart in a table, or looked at one at a time: nothing is missing either way.
#[test]
fn addresses_that_lie_far_apart() {
    for (far, ways) in [((1 << 16) - 1, 1), (1 << 16, 2)] {
        let text = format!(
            r#"(module (import "env" "in" (func $in (result i32))) (memory 2)
                (func (export "main")
                    (drop (i32.load8_u (i32.mul (i32.const {far}) (call $in))))))"#
        );
        let start = start_wat(&text, board(vec![("in", vec![], i32s(0, 1))]));
        let explored = by(&start, Bounds::default());
        assert!(explored.is_complete());
        assert_eq!(explored.paths.len(), 1);
        assert_eq!(explored.paths[0].ways.len(), ways, "{far}");
    }
}

/// The values of a branch are a set of intervals, or a condition where they would be too many: both paths are found, and
/// what stands in for their values is only said to be exact where it is.
#[test]
fn intervals_of_an_input() {
    const MOST: i32 = 1 << 15;
    for (most, conditions) in [(4 * MOST - 1, 0), (4 * MOST, 1)] {
        let start = start_wat(
            r#"(module (import "env" "in" (func $in (result i32)))
                (func (export "main")
                    (if (i32.and (call $in) (i32.const 2)) (then (unreachable)))))"#,
            board(vec![("in", vec![], i32s(0, most))]),
        );
        let mut explored = by(&start, Bounds::default());
        assert!(explored.is_complete());
        assert_eq!(explored.paths.len(), 2);
        let ways = explored.paths.iter().flat_map(|path| &path.ways);
        let left: usize = ways.map(|way| way.constraints.len()).sum();
        assert_eq!(left, conditions, "0..={most}");
        let tree = suggest(&mut explored);
        assert!(tree.answers.iter().all(Option::is_some));
        let SuggestionNode::Input { options, .. } = &tree.nodes[0] else {
            panic!("an input comes first");
        };
        let inexact = options.iter().filter(|option| !option.is_exact);
        assert_eq!(inexact.count(), conditions);
    }
}

/// Each fill has a length of too many values, and is explored with one of them.
#[test]
fn places_that_are_listed_as_left_out() {
    for (fills, listed, are_more) in [(100, 100, false), (101, 101, true), (102, 101, true)] {
        let fill = "(memory.fill (i32.const 0) (i32.const 1) (call $in))".repeat(fills);
        let text = format!(
            r#"(module (import "env" "in" (func $in (result i32))) (memory 1)
                (func (export "main") {fill}))"#
        );
        let start = start_wat(&text, board(vec![("in", vec![], i32s(0, i32::MAX))]));
        let bounds = Bounds {
            paths: 100,
            ..Bounds::default()
        };
        let explored = by(&start, bounds);
        assert_eq!(explored.unexplored.len(), listed);
        let last = explored.unexplored.last().expect("some were left out");
        let says_so = last.reason.contains("more was left out");
        assert_eq!(says_so, are_more, "{fills}: {}", last.reason);
    }
}

#[test]
fn waiting_branches_are_gone_on_with_depth_first() {
    let start = reads(3);
    let search = |waiting, paths| Search {
        bounds: Bounds {
            waiting,
            paths,
            ..Bounds::default()
        },
        strategy: SearchOrder::BreadthFirst,
        ..Search::default()
    };
    let mut first = Vec::new();
    // Two inputs are four branches: with room for them it goes on by levels.
    for waiting in [4, 3] {
        let explored = explore_all(&start, search(waiting, 1000));
        assert!(explored.is_complete(), "either way all paths are found");
        assert_eq!(explored.paths.len(), 8);
        first.push(explored.paths[0].ways[0].model.clone());
    }
    assert_ne!(first[0], first[1]);
}

#[test]
fn what_has_no_end_yet_is_shown_as_far_as_it_is_known() {
    let start = reads(40);
    let ticks = Cell::new(0_u64);
    let clock = || {
        ticks.set(ticks.get() + 1);
        Duration::from_millis(ticks.get())
    };
    let heard = |_| Flow::Continue;
    let budget = Budget::new(Duration::from_millis(500), &clock, &heard);
    let search = Search {
        strategy: SearchOrder::BreadthFirst,
        ..Search::default()
    };
    let mut explored = explore(&start, search, &budget, &mut |_| Flow::Continue);
    assert_eq!(explored.ended, Some(Ended::Spent(Spent::Time)));
    let looked = explored.looked.expect("some levels were finished");
    assert!(looked >= 2, "{looked}");
    assert_eq!(explored.paths.len(), 1 << looked);
    assert_eq!(ends(&explored, &End::Inputs), 1 << looked);
    // They are a tree like any other.
    let tree = suggest(&mut explored);
    assert!(tree.answers.iter().all(Option::is_some));
}

#[test]
fn paths_are_merged_as_they_were_found_when_nothing_is_left_to_spend() {
    let mut explored = by(&reads(3), Bounds::default());
    let clock = || Duration::ZERO;
    let heard = |_| Flow::Continue;
    let nothing = Budget::new(Duration::ZERO, &clock, &heard);
    let tree = borges_concolic::suggest(&mut explored, &nothing);
    assert!(
        tree.answers.iter().all(Option::is_some),
        "every path is in the tree"
    );
    assert_eq!(tree.left_out, Vec::<usize>::new());
}

#[test]
fn a_run_is_followed_to_its_end_and_found_once() {
    let start = reads(3);
    let search = Search {
        strategy: SearchOrder::BreadthFirst,
        examples: vec![vec![1, 0, 1], vec![1, 0], vec![1, 0, 7]],
        ..Search::default()
    };
    let mut heard = Vec::new();
    let explored = explore(&start, search, &Budget::unlimited(), &mut |path| {
        heard.push(path.ways[0].model.clone());
        Flow::Continue
    });
    assert_eq!(heard.first(), Some(&vec![1, 0, 1]));
    assert_eq!(
        heard.len(),
        8,
        "what was followed is not found again, and runs that stop short are nothing"
    );
    assert_eq!(explored.paths.len(), 8);
    assert!(explored.is_complete());
}

/// Stops once the program has stored what it read, where the stored words are accepted. Whether it stopped, the
/// exploration, and how many times it was asked.
fn stops(body: &str, most: i32, accepts: &dyn Fn(u32, [i32; 2]) -> bool) -> (bool, Explored, u32) {
    let text = format!(
        r#"(module (import "env" "in" (func $in (result i32))) (memory 1)
            (func (export "main") (local $a i32) (local $b i32) {body}
                (i32.store (i32.const 0) (local.get $a))
                (i32.store (i32.const 4) (local.get $b))
                (nop)))"#
    );
    let start = start_wat(&text, board(vec![("in", vec![], i32s(0, most))]));
    let module = start.machine.module().expect("a module").clone();
    let mut instrs = module.funcs().flat_map(|func| module.instrs(func));
    let stop = instrs.find(|(_, instr)| matches!(instr, Instr::Nop));
    let mut asked = 0;
    let mut accepted = |machine: &Machine| {
        asked += 1;
        let word = |at: usize| machine.memory()[at..at + 4].try_into().expect("four bytes");
        accepts(asked, [word(0), word(4)].map(i32::from_le_bytes))
    };
    let search = Search {
        bounds: Bounds {
            stops: vec![stop.expect("one 'nop'").0],
            ..Bounds::default()
        },
        accepts: Some(&mut accepted),
        ..Search::default()
    };
    let explored = explore_all(&start, search);
    let stopped = explored.paths.iter();
    let stopped = stopped.filter(|path| matches!(path.end, End::Stopped(_)));
    (stopped.count() == 1, explored, asked)
}

const READS_ONE: &str = "(local.set $a (call $in))";

fn said_to_be_tried(explored: &Explored) -> bool {
    let reasons = explored.unexplored.iter();
    reasons
        .filter(|left| left.reason.contains("never held"))
        .count()
        == 1
}

#[test]
fn combinations_that_are_tried_at_a_stop() {
    const MOST: i32 = 1 << 14;
    let at = |value| stops(READS_ONE, MOST - 1, &move |_, [a, _]| a == value);
    assert!(at(MOST - 1).0, "each is tried");
    let (stopped, never, asked) = at(-1);
    assert!(!stopped && never.is_complete());
    // As it came there, and with each value.
    assert_eq!(asked, 1 + MOST as u32);
    let (stopped, past, _) = stops(READS_ONE, MOST, &|_, _| false);
    assert!(!stopped && said_to_be_tried(&past));
}

#[test]
fn values_and_samples_that_are_tried_at_a_stop() {
    const MOST: i32 = 1 << 14;
    const ALL: u32 = 1 + MOST as u32 + 512;
    let by_value = |value| stops(READS_ONE, i32::MAX, &move |_, [a, _]| a == value);
    assert!(by_value(MOST - 1).0);
    let (stopped, past, asked) = by_value(MOST);
    assert!(!stopped && said_to_be_tried(&past));
    assert_eq!(asked, ALL);
    // The last sample is good enough.
    let by_count = |count| stops(READS_ONE, i32::MAX, &move |asked, _| asked == count);
    assert!(by_count(ALL).0);
    assert!(!by_count(ALL + 1).0);
}

/// Each value of one input needs one of the other.
#[test]
fn inputs_that_are_solved_at_a_stop() {
    const MOST: i32 = 1 << 11;
    let both = r#"(local.set $a (call $in)) (local.set $b (call $in))
        (if (i32.ne (local.get $a) (local.get $b)) (then (return)))"#;
    // As it came there, both are 0.
    let by_value = |value| stops(both, MOST + 2, &move |_, [a, _]| a == value);
    assert!(by_value(MOST).0);
    let (stopped, past, _) = by_value(MOST + 1);
    assert!(!stopped && said_to_be_tried(&past));
}

/// A function with vectors is not followed, whether its operands are known or not; the other paths are.
#[test]
fn vectors() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (func $sum (param i32) (result i32)
                (i32x4.extract_lane 3 (i32x4.splat (local.get 0))))
            (func (export "main")
                (if (call $in)
                    (then (if (i32.eq (call $sum (call $in)) (i32.const 1)) (then unreachable))))))"#,
        board(vec![("in", vec![], i32s(0, 1))]),
    );
    let explored = by(&start, Bounds::default());
    assert_eq!(ends(&explored, &End::Cut(Cut::Vectors)), 1);
    assert_eq!(ends(&explored, &End::Returned), 1);
    assert_eq!((explored.paths.len(), explored.cut(Cut::Vectors)), (2, 1));
}

/// What is thrown is not followed, and a block that might catch something is one like any other.
#[test]
fn exceptions() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (tag $t (param i32))
            (func $check (param i32)
                (if (i32.eq (local.get 0) (i32.const 2)) (then (throw $t (local.get 0)))))
            (func (export "main")
                (block $caught (result i32)
                    (try_table (catch $t $caught)
                        (call $check (call $in))
                        (if (i32.eqz (call $in)) (then unreachable)))
                    (return))
                (drop) (unreachable)))"#,
        board(vec![("in", vec![], i32s(0, 3))]),
    );
    let explored = by(&start, Bounds::default());
    assert_eq!(ends(&explored, &End::Returned), 1);
    assert_eq!(explored.paths.len(), 3);
    assert_eq!(explored.cut(Cut::Exceptions), 1);
}

/// Other memories than the first: what is read there at a known address is known; what is read elsewhere or written ends
/// the path, and is named.
#[test]
fn other_memories() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (memory 1) (memory $table 1)
            (data (memory $table) (i32.const 4) "\02")
            (func (export "main") (local $x i32)
                (local.set $x (call $in))
                (if (i32.eq (local.get $x) (i32.load8_u $table (i32.const 4)))
                    (then (i32.store $table (i32.const 0) (local.get $x))))
                (if (i32.eq (local.get $x) (i32.add (memory.size $table) (i32.const 2)))
                    (then (drop (i32.load $table (local.get $x)))))
                (if (i32.eq (local.get $x) (i32.const 5))
                    (then (memory.copy 0 $table (i32.const 0) (i32.const 0) (i32.const 4))))))"#,
        board(vec![("in", vec![], i32s(0, 9))]),
    );
    let explored = by(&start, Bounds::default());
    assert_eq!(ends(&explored, &End::Returned), 1);
    assert_eq!(ends(&explored, &End::Cut(Cut::Memories)), 3);
    assert_eq!((explored.paths.len(), explored.cut(Cut::Memories)), (4, 3));
}

/// The same in the form of the older proposal. From where something was caught already, all is followed but what throws.
#[test]
fn exceptions_of_the_older_form() {
    let mut start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (tag $t (param i32))
            (func (export "main") (local $x i32)
                (i32.const 1)
                try $outer (result i32)
                    (throw $t (i32.const 7))
                catch $t
                    (drop)
                    try (result i32)
                        (local.set $x (call $in))
                        (if (i32.eq (local.get $x) (i32.const 2)) (then (throw $t (local.get $x))))
                        (local.get $x)
                    catch_all
                        (rethrow $outer)
                    end
                end
                (if (i32.eq) (then unreachable))))"#,
        board(vec![("in", vec![], i32s(0, 3))]),
    );
    let explored = by(&start, Bounds::default());
    assert_eq!(
        (explored.paths.len(), explored.cut(Cut::Exceptions)),
        (1, 1)
    );
    // const try const throw
    start.machine.run(4);
    let explored = by(&start, Bounds::default());
    assert_eq!(ends(&explored, &End::Returned), 1);
    assert_eq!(
        (explored.paths.len(), explored.cut(Cut::Exceptions)),
        (3, 1)
    );
}
