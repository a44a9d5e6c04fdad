//! Voyager: the session of the paper, the catalogue of breakpoints and steps, and non-interference
//! (theorem 1) under random commands.

use std::collections::HashSet;

use crate::actors::Writer;
use borges_languages::ambienttalk::{ActorId, AmbientTalk, Doing, Grain, Options, State};
use borges_languages::model::Datum;
use borges_languages::model::debug::{Came, Debugger, Judgement, Opinion, Order, RanRow, Refused};
use borges_languages::model::{AMBIENT_TALK, Explore, Model, Multiverse};
use borges_languages::voyager::StepKind;
use borges_multiverse::graph::{Exploration, Limits, Strategy};
use borges_multiverse::language::Language;
use borges_multiverse::random::Random;

const MATH: &str = include_str!("../../../examples/math-actor/math.at");

/// A session, and the program to ask about its states.
struct Voyager {
    debugger: Box<dyn Debugger>,
    program: AmbientTalk,
}

impl Voyager {
    fn new(text: &str) -> Self {
        let model = Model::parse(&AMBIENT_TALK, text).unwrap();
        Self {
            debugger: model.debugger(&Explore::default()),
            program: visible(text),
        }
    }

    fn execute(&mut self, order: Order) -> Result<Came, Refused> {
        self.debugger.carry_out(order, &mut |_| true)
    }

    fn state(&self, universe: u32) -> Option<&State> {
        self.debugger.program_state(universe)?.downcast_ref()
    }

    fn actor_named(&self, universe: u32, name: &str) -> Option<ActorId> {
        let state = self.state(universe)?;
        let mut actors = self.program.actors(state).into_iter();
        actors.find(|actor| self.program.actor_name(state, *actor) == name)
    }

    fn step(&self, universe: u32, actor: ActorId, kind: StepKind) -> Order {
        Order::Step {
            universe,
            agent: self.name(universe, actor),
            kind: kind.name().to_owned(),
        }
    }

    fn name(&self, universe: u32, actor: ActorId) -> String {
        let state = self.state(universe).unwrap();
        self.program.actor_name(state, actor)
    }

    fn is_paused(&self, universe: u32) -> bool {
        self.debugger.node(universe).unwrap().status == "paused"
    }
}

fn visible(text: &str) -> AmbientTalk {
    let visible = Options {
        grain: Grain::Visible,
        ..Options::default()
    };
    AmbientTalk::parse(text, visible).unwrap()
}

fn ran(voyager: &mut Voyager, order: Order) -> RanRow {
    match voyager.execute(order) {
        Ok(Came { ran: Some(ran), .. }) => ran,
        other => panic!("{other:?}"),
    }
}

fn broken(text: &str, spec: &str) -> Voyager {
    let mut voyager = Voyager::new(text);
    let spec = spec.to_owned();
    voyager.execute(Order::Break { spec }).unwrap();
    voyager
}

fn actor(voyager: &Voyager, universe: u32, name: &str) -> ActorId {
    voyager.actor_named(universe, name).unwrap()
}

fn result(voyager: &Voyager, universe: u32) -> i64 {
    let math = actor(voyager, universe, "math");
    let state = voyager.state(universe).unwrap();
    match voyager.program.field(state, math, "result") {
        Some(Datum::Integer(result)) => result,
        other => panic!("{other:?}"),
    }
}

/// What is printed in the ends that follow a universe.
fn printed(voyager: &mut Voyager, universe: u32) -> HashSet<String> {
    let ends = ran(voyager, Order::Resume { universe }).ends;
    let lines = |end: &u32| {
        let client = actor(voyager, *end, "client1");
        let state = voyager.state(*end).unwrap();
        let view = voyager.program.view(state, client).unwrap();
        view.output.join("/")
    };
    ends.iter().map(lines).collect()
}

#[test]
fn every_run_pauses_at_get_result_and_the_result_there_tells_the_fault() {
    let mut voyager = broken(MATH, "receiver getResult");
    let first = ran(&mut voyager, Order::Run);
    assert!(first.ends.is_empty() && !first.paused.is_empty());
    let mut faults = 0;
    for paused in first.paused {
        assert!(voyager.is_paused(paused));
        let (at_pause, printed) = (result(&voyager, paused), printed(&mut voyager, paused));
        assert_eq!(printed, [at_pause.to_string()].into());
        faults += usize::from(at_pause == 66);
    }
    assert!(faults > 0);
}

#[test]
fn stepping_to_the_next_turn_finds_two_kinds_of_universes() {
    // Client 1 sends double(12) from line 12 of the example, client 2 double(33) from line 21.
    let mut voyager = broken(MATH, "receiver line 12");
    let paused = ran(&mut voyager, Order::Run).paused;
    let mut next = HashSet::new();
    for universe in paused {
        let math = actor(&voyager, universe, "math");
        let step = voyager.step(universe, math, StepKind::NextTurn);
        let stepped = ran(&mut voyager, step);
        assert!(!stepped.never_reached);
        for paused in stepped.paused {
            let view = voyager
                .program
                .view(voyager.state(paused).unwrap(), math)
                .unwrap();
            next.insert(view.inbox[0].clone());
        }
    }
    assert_eq!(
        next,
        ["double(33)".to_owned(), "getResult()".to_owned()].into()
    );
}

#[test]
fn every_breakpoint_halts_where_it_should() {
    for (spec, doing, count) in [
        ("creation", Doing::CreateActor, 3),
        ("start", Doing::Local, 2),
        ("sender double", Doing::Send, 2),
        ("receiver double", Doing::TakeMessage, 2),
        ("before double", Doing::TakeMessage, 2),
        ("after getResult", Doing::SendResult, 1),
        ("resolver getResult", Doing::TakeResolve, 1),
        ("resolution getResult", Doing::Forward, 1),
        // The callback, and then the future that stands for its value.
        ("resolution when", Doing::TakeResolution, 2),
    ] {
        let mut voyager = broken(MATH, spec);
        let mut todo = ran(&mut voyager, Order::Run).paused;
        assert!(!todo.is_empty(), "{spec}");
        // The greatest number of halts on a way to an end.
        let mut most = 0;
        let mut seen = HashSet::new();
        let mut level: Vec<_> = std::mem::take(&mut todo);
        while !level.is_empty() {
            most += 1;
            let mut next = Vec::new();
            for universe in level {
                assert!(voyager.is_paused(universe));
                let why = voyager.debugger.node(universe).unwrap().why;
                let at_actor = |why: &String| {
                    let (_, name) = why.rsplit_once(" at ").unwrap();
                    actor(&voyager, universe, name)
                };
                let hits: Vec<_> = why.iter().map(at_actor).collect();
                for hit in hits {
                    let state = voyager.state(universe).unwrap();
                    let found = voyager.program.next(state, hit).unwrap();
                    let resolved = spec.starts_with("resolution") && found.doing == Doing::Waiting;
                    // The answer may come before the callback is registered: then nothing waits.
                    let early = spec == "resolution getResult"
                        && matches!(found.doing, Doing::TakeForFuture | Doing::TakeMessage);
                    assert!(
                        found.doing == doing || resolved || early,
                        "{spec}: {found:?}"
                    );
                }
                if seen.insert(universe) {
                    next.extend(ran(&mut voyager, Order::Resume { universe }).paused);
                }
            }
            next.sort();
            next.dedup();
            level = next;
        }
        assert_eq!(most, count, "{spec}");
    }
}

#[test]
fn predicates_halt_when_they_begin_to_hold() {
    let mut voyager = broken(MATH, "when math.result == 66 and inbox(math) > 0");
    let first = ran(&mut voyager, Order::Run);
    assert!(!first.paused.is_empty());
    for paused in &first.paused {
        assert_eq!(result(&voyager, *paused), 66);
    }
    // Universes in which it never holds run to their ends.
    assert!(!first.ends.is_empty());
}

#[test]
fn steps_lead_from_point_to_point() {
    let mut voyager = broken(MATH, "sender getResult");
    let first = ran(&mut voyager, Order::Run);
    let from = first.paused[0];
    let client = actor(&voyager, from, "client1");
    let math = actor(&voyager, from, "math");
    for (kind, at, doing) in [
        (StepKind::MessageReceiver, math, Doing::TakeMessage),
        (StepKind::PromiseResolver, client, Doing::TakeResolve),
    ] {
        let stepped = {
            let step = voyager.step(from, client, kind);
            ran(&mut voyager, step)
        };
        assert!(!stepped.never_reached && stepped.ends.is_empty(), "{kind}");
        for paused in stepped.paused {
            let next = voyager
                .program
                .next(voyager.state(paused).unwrap(), at)
                .unwrap();
            assert_eq!(next.doing, doing, "{kind}");
        }
    }
    let resolved = {
        let step = voyager.step(from, client, StepKind::PromiseResolution);
        ran(&mut voyager, step)
    };
    assert!(!resolved.never_reached && resolved.ends.is_empty());
    let ended = {
        let step = voyager.step(from, client, StepKind::EndOfTurn);
        ran(&mut voyager, step)
    };
    for paused in &ended.paused {
        assert!(
            !voyager
                .program
                .in_turn(voyager.state(*paused).unwrap(), client)
        );
    }
    // An actor that is not about to create another cannot step into it.
    let step = voyager.step(from, client, StepKind::IntoActivity);
    assert!(matches!(voyager.execute(step), Err(Refused::NotHere(..))));

    // Back to who asked.
    let at_math = {
        let step = voyager.step(from, client, StepKind::MessageReceiver);
        ran(&mut voyager, step)
    };
    let answer = voyager.step(at_math.paused[0], math, StepKind::ReturnToResolution);
    let answered = ran(&mut voyager, answer);
    assert!(!answered.never_reached && answered.ends.is_empty());
}

#[test]
fn steps_within_a_turn_move_nobody_else() {
    let text =
        "def a := actor: { def x := 0; def twice(n) { n + n }; def go(n) { x := twice(n); x } };
                def b := actor: { def y := 0; def go() { y := 1 } }; b<-go(); a<-go(4)";
    let mut voyager = broken(text, "before go");
    let paused = ran(&mut voyager, Order::Run).paused;
    let here = |voyager: &Voyager, universe: &u32, name: &str| {
        let id = voyager.actor_named(*universe, name)?;
        let next = voyager.program.next(voyager.state(*universe)?, id)?;
        (next.doing == Doing::TakeMessage).then_some(id)
    };
    let mut at = *paused
        .iter()
        .find(|p| here(&voyager, p, "a").is_some())
        .unwrap_or(&paused[0]);
    while here(&voyager, &at, "a").is_none() {
        at = ran(&mut voyager, Order::Resume { universe: at }).paused[0];
    }
    let (a, b) = (actor(&voyager, at, "a"), actor(&voyager, at, "b"));
    let depth = |voyager: &Voyager, universe: u32| {
        voyager
            .program
            .next(voyager.state(universe).unwrap(), a)
            .unwrap()
            .depth
    };
    let b_before = voyager.program.view(voyager.state(at).unwrap(), b);
    let mut depths = Vec::new();
    for kind in [
        StepKind::Into,
        StepKind::Into,
        StepKind::Return,
        StepKind::Over,
    ] {
        at = {
            let step = voyager.step(at, a, kind);
            ran(&mut voyager, step)
        }
        .paused[0];
        depths.push(depth(&voyager, at));
    }
    // Takes the message; calls twice; returns from it; sets the field, which ends the turn.
    assert_eq!(depths, [1, 2, 1, 1]);
    assert_eq!(
        voyager.program.view(voyager.state(at).unwrap(), b),
        b_before
    );
}

/// A step within a turn halts where it takes too long, and the next one goes on.
#[test]
fn a_step_out_of_a_call_has_a_hundred_thousand_rules() {
    let rules = |doublings: u32| {
        let text = format!(
            "def a := actor: {{ def x := 0; def k(n) {{ if: n > 0 then: {{ k(n - 1); k(n - 1) }} }}; \
             def go() {{ k({doublings}); x := 1 }} }}; a<-go();"
        );
        let mut voyager = broken(&text, "receiver go");
        let mut at = ran(&mut voyager, Order::Run).paused[0];
        let a = actor(&voyager, at, "a");
        let mut took = Vec::new();
        // Into `go`, into `k`, and out of it.
        for kind in [
            StepKind::Into,
            StepKind::Into,
            StepKind::Return,
            StepKind::Return,
        ] {
            let step = voyager.step(at, a, kind);
            at = ran(&mut voyager, step).paused[0];
            let debugger = &voyager.debugger;
            let card = debugger.card(at).unwrap();
            let last = card.path.last().and_then(|id| debugger.link(*id));
            took.push(last.unwrap().text);
        }
        took
    };
    let said = |kind: &str, rules: u32| format!("step {kind} a ({rules} rules)");
    let (few, many) = (rules(1), rules(15));
    for took in [&few, &many] {
        assert_eq!(took[..2], [said("into", 1), said("into", 1)]);
    }
    // The last one sets the field, or leaves the call where the one before had to halt.
    assert_eq!(few[3], said("return", 1));
    assert_eq!(many[2], said("return", 100_000));
    assert_ne!(many[3], said("return", 1));
}

#[test]
fn held_actors_neither_compute_nor_send() {
    let mut voyager = broken(MATH, "receiver start");
    let paused = ran(&mut voyager, Order::Run).paused[0];
    let client1 = actor(&voyager, paused, "client1");
    let hold = Order::Hold {
        universe: paused,
        agent: voyager.name(paused, client1),
    };
    let held = ran(&mut voyager, hold).paused[0];
    let mut todo = vec![held];
    let mut results = HashSet::new();
    while let Some(universe) = todo.pop() {
        let ran = ran(&mut voyager, Order::Resume { universe });
        assert!(ran.ends.is_empty());
        results.extend(ran.held.iter().map(|held| result(&voyager, *held)));
        todo.extend(ran.paused);
    }
    // Only client 2's message came.
    assert_eq!(results, [66].into());
}

#[test]
fn a_step_that_is_never_reached_says_so() {
    let mut voyager = broken(MATH, "receiver getResult");
    let paused = ran(&mut voyager, Order::Run).paused;
    let main = ActorId::MAIN;
    let done = paused.iter().find(|universe| {
        let state = voyager.state(**universe).unwrap();
        !voyager.program.in_turn(state, main)
    });
    let step = voyager.step(*done.unwrap(), main, StepKind::NextTurn);
    assert!(ran(&mut voyager, step).never_reached);
}

#[test]
fn an_edited_program_starts_again_and_a_wrong_one_changes_nothing() {
    let mut voyager = broken(MATH, "receiver getResult");
    ran(&mut voyager, Order::Run);
    let universes = voyager.debugger.len();
    let error = voyager
        .execute(Order::Edit {
            text: "def".to_owned(),
        })
        .unwrap_err();
    assert!(error.to_string().contains("1:4"), "{error}");
    assert_eq!(voyager.debugger.len(), universes);
    voyager
        .execute(Order::Edit {
            text: MATH.replace("33", "34"),
        })
        .unwrap();
    let paused = ran(&mut voyager, Order::Run).paused;
    let results: HashSet<_> = paused
        .iter()
        .map(|paused| result(&voyager, *paused))
        .collect();
    assert_eq!(results, [24, 68].into());
}

#[test]
fn differences_tell_what_a_step_changes() {
    let mut voyager = broken(MATH, "after double");
    let paused = ran(&mut voyager, Order::Run).paused[0];
    let path = voyager.debugger.card(paused).unwrap().path;
    let changes = voyager.debugger.difference(*path.last().unwrap()).unwrap();
    let result = changes
        .iter()
        .find(|change| change.what == "result")
        .unwrap();
    assert_eq!(
        (result.agent.as_str(), result.before.as_str()),
        ("math", "0")
    );
    assert!(changes.iter().any(|change| change.what == "inbox"));
}

#[test]
fn wrong_breakpoints_say_what_is_known() {
    let mut voyager = Voyager::new(MATH);
    for (spec, expected) in [
        ("recever x", "there is no breakpoint"),
        ("receiver nothing", "double, getResult, start, when"),
        ("receiver line 1", "12, 13, 21, 27, 28"),
        ("sender", "sender of what?"),
        ("when math.result 66", "=="),
    ] {
        let error = voyager
            .execute(Order::Break {
                spec: spec.to_owned(),
            })
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{spec}: {error}");
    }
}

/// All states of a program, at most so many.
fn grown(text: &str, states: usize) -> Box<dyn Multiverse> {
    let model = Model::parse(&AMBIENT_TALK, text).unwrap();
    let mut graph = model.multiverse(&Explore {
        grain: Grain::Visible,
        states,
        ..Explore::default()
    });
    graph.explore(&mut |_| true);
    graph
}

#[test]
fn what_may_and_what_must_happen() {
    let graph = grown(MATH, 100_000);
    let ask = |spec: &str| graph.occurs(spec, &mut |_| true).unwrap();
    let holds = |answer: &Judgement| (answer.may.holds, answer.must.holds);
    let is_shown = |opinion: &Opinion| !opinion.steps.is_empty();
    let always = ask("receiver getResult");
    assert_eq!(holds(&always), (Some(true), Some(true)));
    assert!(is_shown(&always.may) && !is_shown(&always.must));
    let sometimes = ask("when math.result == 24");
    // double(12) is done in every run.
    assert_eq!(holds(&sometimes), (Some(true), Some(true)));
    assert!(sometimes.may.cycle.is_empty() && sometimes.may.steps.len() > 5);
    let fault = ask("when printed(client1, \"66\")");
    assert_eq!(holds(&fault), (Some(true), Some(false)));
    assert!(is_shown(&fault.must));
    let never = ask("when math.result == 25");
    assert_eq!(holds(&never), (Some(false), Some(false)));
    assert!(!is_shown(&never.may) && is_shown(&never.must));

    let told = |formula: &str| graph.check(formula, &mut |_| true).unwrap();
    let answered = told("G ({inbox(math) > 0} -> F {idle(math) and inbox(math) == 0})");
    assert_eq!(answered.must.holds, Some(true));
    let right = told("F {printed(client1, \"24\")}");
    assert_eq!(holds(&right), (Some(true), Some(false)));
    let steps = right.must.steps.iter();
    let mut takes = steps.filter(|step| step.starts_with("math: takes"));
    assert!(takes.any(|step| step.contains("33")));
    let few = grown(MATH, 10);
    let few = few.check("G {math.result != 66}", &mut |_| true).unwrap();
    assert_eq!(few.must.holds, None);
    // A program that goes round: a lasso.
    let rounds = "def n := 0; def tick() { n := 1 - n; self<-tick() }; self<-tick()";
    let both = "G F {main.n == 0} & G F {main.n == 1}";
    let both = grown(rounds, 1000).check(both, &mut |_| true).unwrap();
    assert_eq!(holds(&both), (Some(true), Some(true)));
    assert!(!both.may.cycle.is_empty());
}

/// All states of the program alone.
fn states(program: &AmbientTalk, limit: usize) -> Option<HashSet<State>> {
    let mut exploration = Exploration::new(program, Strategy::BreadthFirst);
    let limits = Limits {
        states: limit,
        ..Limits::default()
    };
    let pause = exploration.run(&limits, |_| true);
    let graph = exploration.graph();
    let states = graph.nodes().map(|node| graph.state(node).unwrap().clone());
    (pause == borges_multiverse::graph::Pause::Complete).then(|| states.collect())
}

const SPECS: [&str; 8] = [
    "creation",
    "start",
    "sender m1",
    "receiver m0",
    "before m1",
    "after m0",
    "resolver m1",
    "when a0.f > 2",
];

/// Theorem 1: the debugger lets the program take its own steps and no others, and all of them.
#[test]
fn the_debugger_does_not_interfere() {
    let mut tried = 0;
    for seed in 20_000.. {
        let text = Writer::program(seed);
        let program = visible(&text);
        let Some(expected) = states(&program, 400) else {
            continue;
        };
        let mut random = Random::from_seed(seed);
        let mut voyager = Voyager::new(&text);
        for _ in 0..1 + random.below(3) {
            // Some programs send no such message: then the breakpoint is refused.
            let _ = voyager.execute(Order::Break {
                spec: SPECS[random.below(SPECS.len())].to_owned(),
            });
        }
        // Random commands, then every paused universe is resumed until none is left.
        voyager.execute(Order::Run).unwrap();
        for _ in 0..12 {
            let universe = random.below(voyager.debugger.len() as usize) as u32;
            let possible = voyager.debugger.card(universe).unwrap().possible;
            if !possible.is_empty() {
                let order = possible[random.below(possible.len())].order.clone();
                voyager.execute(order).unwrap();
            }
        }
        let mut resumed = HashSet::new();
        loop {
            let paused = (0..voyager.debugger.len())
                .find(|universe| voyager.is_paused(*universe) && !resumed.contains(universe));
            let Some(paused) = paused else { break };
            resumed.insert(paused);
            // What the user holds is released first.
            let mut at = paused;
            for agent in voyager.debugger.card(paused).unwrap().agents {
                if agent.mode == "hold" {
                    let (universe, agent) = (at, agent.name);
                    at = ran(&mut voyager, Order::Release { universe, agent }).paused[0];
                    resumed.insert(at);
                }
            }
            voyager.execute(Order::Resume { universe: at }).unwrap();
        }
        let mut seen = HashSet::new();
        for universe in 0..voyager.debugger.len() {
            seen.insert(voyager.state(universe).unwrap().clone());
        }
        assert!(
            expected.is_subset(&seen),
            "seed {seed}: the debugger hides universes"
        );
        for edge in 0..voyager.debugger.links() {
            let edge = voyager.debugger.link(edge).unwrap();
            let (from, to) = (
                voyager.state(edge.from).unwrap(),
                voyager.state(edge.to).unwrap(),
            );
            match edge.command {
                false => {
                    let mut choices = Vec::new();
                    program.enabled(from, &mut choices);
                    let mut steps = choices.iter().map(|choice| program.apply(from, choice));
                    assert!(
                        steps.any(|next| next.unwrap().state == *to),
                        "seed {seed}: no step"
                    );
                }
                true if edge.text.ends_with("rules)") => {}
                true => assert!(from == to, "seed {seed}: a command moved"),
            }
        }
        tried += 1;
        if tried == 60 {
            break;
        }
    }
}

/// A breakpoint on a line halts the actor that comes to what stands there, in every universe, once each time.
#[test]
fn a_line_halts_who_comes_to_it() {
    let mut voyager = Voyager::new(MATH);
    let lines = MATH.lines().count();
    let mut halted = 0;
    for line in 1..=lines {
        let spec = format!("line {line}");
        voyager.execute(Order::Restart).unwrap();
        let id = voyager
            .execute(Order::Break { spec: spec.clone() })
            .unwrap();
        let ran = voyager.execute(Order::Run).unwrap().ran.unwrap();
        for universe in &ran.paused {
            let card = voyager.debugger.card(*universe).unwrap();
            assert!(
                card.agents
                    .iter()
                    .any(|agent| agent.line == Some(line as u32)),
                "{spec}: {card:?}"
            );
            assert!(
                card.node.why.iter().all(|why| why.contains(&spec)),
                "{:?}",
                card.node.why
            );
        }
        halted += ran.paused.len();
        voyager
            .execute(Order::Unbreak {
                id: id.breakpoint.unwrap(),
            })
            .unwrap();
    }
    assert!(halted > 0, "something stands on some line");
    let beyond = format!("line {}", lines + 1);
    assert!(voyager.execute(Order::Break { spec: beyond }).is_err());
}

/// Universes by a line are those in which somebody is about to do what stands there; a look that is paused ends.
#[test]
fn universes_are_found_by_a_line() {
    let mut voyager = Voyager::new(MATH);
    voyager.execute(Order::Run).unwrap();
    let debugger = &voyager.debugger;
    let found = debugger.at_line(12, &mut |_| true).unwrap();
    let is_there = |universe: &u32| {
        let card = debugger.card(*universe).unwrap();
        card.agents.iter().any(|agent| agent.line == Some(12))
    };
    let all: Vec<u32> = (0..debugger.len()).filter(is_there).collect();
    assert!(!found.is_empty() && found.len() < debugger.len() as usize);
    assert_eq!(found, all);
    assert_eq!(debugger.at_line(12, &mut |_| false), Ok(Vec::new()));
    assert!(debugger.at_line(99, &mut |_| true).is_err());
}
