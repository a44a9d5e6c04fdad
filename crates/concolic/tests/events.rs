//! Events: whatever can come of an interrupt between any two instructions, some explored path shows.

use std::collections::{BTreeSet, HashSet};

use crate::common::{Ended, board, explore_all, explore_by, i32s, start_wat, suggest};
use borges_board::{BoardState, Captured, Event, EventSource, PrimitiveKind};
use borges_concolic::{
    Bounds, Explored, MOST_MOMENTS, Search, SearchOrder, Start, SuggestionNode as Node, value_of,
};
use borges_vm::binary::Instr;
use borges_vm::{Exit, Machine, Observer, Site, Value};
use fastrand::Rng;

/// What a run showed. The branches of the program and those of each handler are apart: where they commute, their order
/// means nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Shown {
    branches: Vec<(u32, bool)>,
    handlers: Vec<Vec<(u32, bool)>>,
    /// Primitives that were called, and whether by a handler.
    calls: Vec<(u32, bool)>,
    end: Option<Ended>,
}

/// A run, at some instruction.
#[derive(Clone)]
struct Run {
    machine: Machine,
    state: BoardState,
    shown: Shown,
    read: u32,
    events: u32,
    ended_in_handler: bool,
    ended_by_event: bool,
}

impl Run {
    /// What it showed. Where a handler ends the run, how far the program had come by then means nothing.
    fn shown(mut self) -> Shown {
        if self.machine.in_handler() || self.ended_in_handler {
            self.shown.branches.clear();
            self.shown.calls.clear();
        }
        self.shown
    }
}

struct Truth<'t> {
    start: &'t Start,
    branches: HashSet<u32>,
    bounds: Bounds,
}

/// What the instruction that is executed decides.
struct Watch<'w> {
    branches: &'w HashSet<u32>,
    seen: Option<(u32, bool)>,
}

impl Observer for Watch<'_> {
    fn before(&mut self, site: &Site<'_>) -> bool {
        let at = site.offset().0;
        if self.branches.contains(&at) {
            let holds = *site.cells().last().expect("an operand") as u32 != 0;
            self.seen = Some((at, holds));
        }
        false
    }
}

impl<'t> Truth<'t> {
    fn new(start: &'t Start, bounds: &Bounds) -> Self {
        let module = start.machine.module().expect("a module");
        let instrs = module.funcs().flat_map(|func| module.instrs(func));
        let is_branch = |instr: &Instr<'_>| matches!(instr, Instr::If(_) | Instr::BrIf(_));
        Truth {
            start,
            branches: instrs
                .filter(|(_, instr)| is_branch(instr))
                .map(|(offset, _)| offset.0)
                .collect(),
            bounds: bounds.clone(),
        }
    }

    fn begin(&self) -> Run {
        Run {
            machine: self.start.machine.clone(),
            state: self.start.state.clone(),
            shown: Shown::default(),
            read: 0,
            events: 0,
            ended_in_handler: false,
            ended_by_event: false,
        }
    }

    fn live(state: &BoardState) -> Vec<Event> {
        let pins = state.subscriptions().map(|(pin, at)| Event {
            source: EventSource::Pin(*pin),
            handler: at.handler,
        });
        let timer = state.timer().map(|timer| Event {
            source: EventSource::Timer,
            handler: timer.handler,
        });
        pins.chain(timer).collect()
    }

    fn arrive(run: &Run, event: Event) -> Option<Run> {
        let mut run = run.clone();
        run.events += 1;
        run.shown.handlers.push(Vec::new());
        let has_arrived = event.enter(&mut run.machine);
        // Without a handler, the event ends the run wherever that stands.
        run.ended_by_event = run.machine.outcome().is_some();
        has_arrived.then_some(run)
    }

    /// One instruction, or one call: the runs that follow (more than one for an input).
    fn step(&self, mut run: Run, answer: Option<Value>) -> Vec<Run> {
        let in_handler = run.machine.in_handler();
        let mut watch = Watch {
            branches: &self.branches,
            seen: None,
        };
        let steps = run.machine.steps();
        let exit = run.machine.run_observed(steps + 1, &mut watch);
        if let Some(branch) = watch.seen {
            match run.shown.handlers.last_mut().filter(|_| in_handler) {
                Some(branches) => branches.push(branch),
                None => run.shown.branches.push(branch),
            }
        }
        match exit {
            Exit::Budget if run.machine.steps() > self.bounds.steps => {
                run.shown.end = Some(Ended::Steps);
                vec![run]
            }
            Exit::Budget => vec![run],
            Exit::Finished => {
                run.shown.end = Some(Ended::Returned);
                vec![run]
            }
            Exit::Trapped(trap) => {
                let at = run.machine.location().map(|at| at.offset.0);
                let at = at.filter(|_| !run.ended_by_event);
                run.shown.end = Some(Ended::Trapped(trap.to_string(), at));
                run.ended_in_handler = in_handler || run.ended_by_event;
                vec![run]
            }
            _ => self.call(run, in_handler, answer),
        }
    }

    fn call(&self, mut run: Run, in_handler: bool, answer: Option<Value>) -> Vec<Run> {
        let board = &self.start.board;
        let pending = run.machine.pending().expect("a call");
        let id = self.start.primitives[pending.func.0 as usize];
        let args = pending.args.clone();
        if matches!(
            board.primitive(id).expect("known").kind,
            PrimitiveKind::Output
        ) {
            run.shown.calls.push((pending.func.0, in_handler));
            let nothing = Captured::default();
            let memory = run.machine.memory();
            let result = run.state.apply(board, id, &args, memory, &nothing);
            let result = result.expect("the board allows it");
            run.machine.answer(result.as_slice()).expect("its type");
            return vec![run];
        }
        if run.read >= self.bounds.inputs {
            run.shown.end = Some(Ended::Inputs);
            return vec![run];
        }
        run.shown.calls.push((pending.func.0, in_handler));
        run.read += 1;
        let codomain = board.codomain_at(id, &args, &run.state);
        let all = (0..codomain.count().expect("few")).filter_map(|n| codomain.nth(n));
        let values = all.filter(|value| answer.is_none_or(|answer| answer == *value));
        let next = values.map(|value| {
            let mut run = run.clone();
            run.state.observe(board, id, &args, value);
            run.machine.answer(&[value]).expect("its type");
            run
        });
        next.collect()
    }

    /// All inputs, and events before every instruction.
    fn all(&self) -> BTreeSet<Shown> {
        let mut found = BTreeSet::new();
        let mut stack = vec![self.begin()];
        let most = self.bounds.events.unwrap_or(0);
        while let Some(run) = stack.pop() {
            if run.shown.end.is_some() {
                found.insert(run.shown());
                continue;
            }
            if run.events < most && !run.machine.in_handler() {
                let events = Self::live(&run.state).into_iter();
                stack.extend(events.filter_map(|event| Self::arrive(&run, event)));
            }
            stack.extend(self.step(run, None));
        }
        found
    }

    /// The paths, each replayed.
    fn explored(&self, explored: &mut Explored) -> BTreeSet<Shown> {
        let tree = suggest(explored);
        assert_eq!(tree.left_out, Vec::<usize>::new());
        let paths = explored.paths.iter().zip(&tree.answers);
        let shown = paths.map(|(path, answers)| {
            let answers = answers.as_ref().expect("in the tree").iter();
            let reads = path.ways[0].reads.iter().zip(answers);
            let mut answers = reads.map(|(read, cell)| value_of(read.ty, *cell));
            let mut events = path.events.iter().peekable();
            let mut run = self.begin();
            while run.shown.end.is_none() {
                let steps = run.machine.steps();
                if let Some(delivered) = events.next_if(|event| event.step == steps) {
                    run = Self::arrive(&run, delivered.event).expect("it can arrive");
                    continue;
                }
                let reads = self.reads_next(&run);
                let answer = if reads { answers.next() } else { None };
                let mut next = self.step(run, answer);
                assert_eq!(next.len(), 1, "one answer leads one way");
                run = next.remove(0);
            }
            assert!(events.next().is_none() && answers.next().is_none());
            run.shown()
        });
        shown.collect()
    }

    /// Whether the next instruction reads an input within the bound.
    fn reads_next(&self, run: &Run) -> bool {
        let Some(Instr::Call(func)) = run.machine.next_instr() else {
            return false;
        };
        let id = self.start.primitives.get(func as usize);
        let kind = id.and_then(|id| self.start.board.primitive(*id));
        kind.is_some_and(|primitive| primitive.kind == PrimitiveKind::Input)
            && run.read < self.bounds.inputs
    }
}

fn bounds(inputs: u32, events: u32) -> Bounds {
    Bounds {
        inputs,
        events: Some(events),
        steps: 400,
        ..Bounds::default()
    }
}

fn explore(start: &Start, bounds: &Bounds) -> Explored {
    explore_by(start, bounds, SearchOrder::DepthFirst)
}

/// Explores, and compares with events before every instruction of every run; how many paths there are.
fn check(text: &str, bounds: &Bounds) -> usize {
    let start = start_wat(text, board(vec![("in", vec![], i32s(0, 3))]));
    let truth = Truth::new(&start, bounds);
    let mut explored = explore(&start, bounds);
    assert_eq!(explored.unexplored, [], "{text}");
    let all = truth.all();
    let shown = truth.explored(&mut explored);
    if let Some(other) = shown.symmetric_difference(&all).next() {
        panic!("{other:?} is one of: {} in\n{text}", all.contains(other));
    }
    for strategy in [SearchOrder::BreadthFirst, SearchOrder::Random(3)] {
        let mut other = explore_by(&start, bounds, strategy);
        assert!(
            truth.explored(&mut other) == all,
            "in another order: {text}"
        );
    }
    explored.paths.len()
}

const IMPORTS: &str = r#"(import "env" "in" (func $in (result i32)))
    (import "env" "subscribe_interrupt" (func $on (param i32 i32 i32)))
    (import "env" "unsubscribe_interrupt" (func $off (param i32)))
    (import "env" "subscribe_timer" (func $timer (param i32 i32)))
    (import "env" "chip_digital_write" (func $write (param i32 i32)))
    (memory 1 1) (table funcref (elem $first $second))
    (global $a (mut i32) (i32.const 0)) (global $b (mut i32) (i32.const 0))"#;

fn program(first: &str, second: &str, main: &str) -> String {
    format!(
        "(module {IMPORTS} (func $first {first}) (func $second (param i32) {second}) (func (export \"main\") {main}))"
    )
}

#[test]
fn a_flag_that_is_polled() {
    let text = program(
        "(global.set $a (i32.const 1))",
        "",
        "(local $n i32) (call $on (i32.const 4) (i32.const 0) (i32.const 3))
        (loop $again
            (if (global.get $a) (then (return)))
            (br_if $again (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 4))))",
    );
    assert_eq!(check(&text, &bounds(0, 0)), 1);
    // Before one of four looks, or after the last.
    assert_eq!(check(&text, &bounds(0, 1)), 6);
    check(&text, &bounds(0, 2));
}

/// Between the two instructions the handler is none, and an event is a trap.
#[test]
fn a_handler_that_is_gone_for_a_moment() {
    let text = program(
        "(global.set $a (i32.const 1))",
        "",
        "(call $on (i32.const 4) (i32.const 0) (i32.const 3))
        (table.set (i32.const 0) (ref.null func))
        (if (call $in) (then (table.set (i32.const 0) (table.get (i32.const 1)))))
        (if (global.get $a) (then (call $write (i32.const 2) (i32.const 1))))",
    );
    check(&text, &bounds(1, 1));
    check(&text, &bounds(1, 2));
}

/// An update of the program's that a handler gets between is lost; no input alone shows it.
#[test]
fn a_lost_update() {
    let text = program(
        "(global.set $a (i32.add (global.get $a) (i32.const 10)))",
        "",
        "(local i32) (call $on (i32.const 4) (i32.const 0) (i32.const 1))
        (local.set 0 (global.get $a))
        (local.set 0 (i32.add (local.get 0) (i32.const 1)))
        (global.set $a (local.get 0))
        (call $off (i32.const 4))
        (if (i32.eq (global.get $a) (i32.const 1)) (then (global.set $b (i32.const 1))))",
    );
    check(&text, &bounds(0, 1));
    check(&text, &bounds(0, 3));
}

#[test]
fn a_handler_reads_and_traps() {
    let text = program(
        "(i32.store8 (i32.const 8) (call $in)) (if (global.get $b) (then (unreachable)))",
        "(if (i32.eq (local.get 0) (i32.const 7)) (then (global.set $b (i32.load8_u (i32.const 8)))))",
        "(call $on (i32.const 4) (i32.const 0) (i32.const 1))
        (call $on (i32.const 7) (i32.const 1) (i32.const 1))
        (if (i32.gt_u (call $in) (i32.const 1)) (then (call $write (i32.const 2) (i32.const 1))))
        (if (i32.eq (i32.load (i32.const 8)) (i32.const 2)) (then (call $write (i32.const 3) (i32.const 1))))",
    );
    check(&text, &bounds(2, 1));
    check(&text, &bounds(3, 2));
}

#[test]
fn a_timer_and_a_subscription_made_by_a_handler() {
    let text = program(
        "(call $on (i32.const 9) (i32.const 1) (i32.const 1))",
        "(global.set $b (i32.add (global.get $b) (i32.const 1)))",
        "(call $timer (i32.const 1000) (i32.const 0))
        (call $write (i32.const 2) (global.get $b))
        (if (global.get $b) (then (call $off (i32.const 9))))",
    );
    check(&text, &bounds(0, 2));
}

/// Programs and handlers of random reads and writes of what they share.
#[test]
fn no_outcome_of_random_programs_is_missing() {
    for seed in 0..40 {
        let mut random = Rng::with_seed(seed);
        let [first, second] = [2, 2].map(|count| statements(&mut random, count, false));
        let main = statements(&mut random, 5, true);
        let main = format!(
            "(local i32) (call $on (i32.const 4) (i32.const 0) (i32.const 1)) {main}
            (if (i32.and (global.get $a) (i32.const 1)) (then (call $write (i32.const 2) (i32.const 0))))
            (if (i32.load8_u (i32.const 3)) (then (call $write (i32.const 2) (i32.const 0))))"
        );
        let text = program(&format!("(local i32) {first}"), &second, &main);
        check(&text, &bounds(1, 1 + u32::from(seed % 4 == 0)));
    }
}

fn statements(random: &mut Rng, count: u32, subscribes: bool) -> String {
    let one = |_| {
        let value = match random.u8(0..5) {
            0 => "(global.get $a)",
            1 => "(global.get $b)",
            2 => "(i32.load8_u (i32.const 3))",
            3 => "(call $in)",
            _ => "(i32.add (local.get 0) (i32.const 1))",
        };
        match random.u8(0..if subscribes { 9 } else { 7 }) {
            0 | 1 => format!("(global.set $a {value})"),
            2 => format!("(global.set $b (i32.add (global.get $b) {value}))"),
            3 => format!("(i32.store16 (i32.const 2) (i32.mul {value} (i32.const 257)))"),
            4 => format!("(local.set 0 {value})"),
            5 => format!("(if {value} (then (global.set $a (i32.const 1))))"),
            6 => "(call $write (i32.const 5) (local.get 0))".to_owned(),
            7 => "(call $on (i32.const 6) (i32.const 1) (i32.const 2))".to_owned(),
            _ => "(call $off (i32.const 4))".to_owned(),
        }
    };
    (0..count).map(one).collect()
}

#[test]
fn without_a_bound_on_events_their_absence_is_noted() {
    let text = program(
        "(unreachable)",
        "",
        "(call $on (i32.const 4) (i32.const 0) (i32.const 1))",
    );
    let start = start_wat(&text, board(vec![("in", vec![], i32s(0, 3))]));
    let explored = explore(&start, &Bounds::default());
    assert_eq!(explored.paths.len(), 1);
    assert!(!explored.is_complete());
    assert!(explored.unexplored[0].reason.contains("interrupts"));
}

/// Also if a run was followed first, on which nothing is said to be left out.
#[test]
fn interrupts_are_noted_after_a_run_was_followed() {
    let text = program(
        "",
        "",
        "(call $on (i32.const 4) (i32.const 0) (i32.const 1)) (drop (call $in))",
    );
    let start = start_wat(&text, board(vec![("in", vec![], i32s(0, 3))]));
    let search = Search {
        examples: vec![vec![0]],
        ..Search::default()
    };
    let explored = explore_all(&start, search);
    assert!(!explored.is_complete());
    assert!(explored.unexplored[0].reason.contains("interrupts"));
}

#[test]
fn moments_beyond_the_bound_are_noted() {
    let text = program(
        "(global.set $a (i32.const 1))",
        "",
        "(call $on (i32.const 4) (i32.const 0) (i32.const 1))
        (drop (global.get $a)) (drop (global.get $a)) (drop (global.get $a))",
    );
    let start = start_wat(&text, board(vec![("in", vec![], i32s(0, 3))]));
    let explored = explore(
        &start,
        &Bounds {
            moments: 2,
            ..bounds(0, 1)
        },
    );
    assert_eq!(explored.paths.len(), 3);
    assert!(!explored.is_complete());
    assert!(explored.unexplored[0].reason.contains("first 2 moments"));
}

/// A moment after the subscription, and one after each look at what the handler changes.
#[test]
fn moments_without_another_bound() {
    for (looks, is_complete) in [(MOST_MOMENTS - 1, true), (MOST_MOMENTS, false)] {
        let looks = "(drop (global.get $a))".repeat(looks as usize);
        let on = "(call $on (i32.const 4) (i32.const 0) (i32.const 1))";
        let text = program("(global.set $a (i32.const 1))", "", &format!("{on}{looks}"));
        let start = start_wat(&text, board(vec![("in", vec![], i32s(0, 3))]));
        let bounds = Bounds {
            events: Some(1),
            ..Bounds::default()
        };
        let explored = explore(&start, &bounds);
        // It arrives at one of them, or never.
        assert_eq!(explored.paths.len(), 1 + MOST_MOMENTS as usize);
        assert_eq!(explored.is_complete(), is_complete);
        let said = explored.unexplored.iter();
        let said = said.filter(|left| left.reason.contains("first 100 moments"));
        assert_eq!(said.count(), usize::from(!is_complete));
    }
}

/// In the tree, events are nodes of their own between the inputs.
#[test]
fn the_tree_tells_when_events_arrive() {
    let text = program(
        "(global.set $a (i32.const 1))",
        "",
        "(call $on (i32.const 4) (i32.const 0) (i32.const 1))
        (if (call $in) (then (if (global.get $a) (then (unreachable)))))",
    );
    let start = start_wat(&text, board(vec![("in", vec![], i32s(0, 3))]));
    let mut explored = explore(&start, &bounds(1, 1));
    let tree = suggest(&mut explored);
    let Node::Event { options } = &tree.nodes[0] else {
        panic!("an event may come first: {:?}", tree.nodes);
    };
    let quiet = options.iter().find(|option| option.event.is_none());
    let quiet = quiet.expect("or none");
    assert!(matches!(tree.nodes[quiet.next], Node::Input { .. }));
    assert!(options.iter().any(|option| option.event.is_some()));
    assert_eq!(tree.max_options(), 2, "events are no options of an input");
}
