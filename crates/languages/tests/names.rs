//! Names in predicates, breakpoints and goals are those of the program, and questions rest on one exploration.

use std::collections::BTreeSet;
use std::fs;

use borges_languages::model::debug::{Order, Refused};
use borges_languages::model::{
    AMBIENT_TALK, Explore, Goal, Lead, MU_OZ, Model, Multiverse, Question, Reply, Step, Why,
    language,
};
use borges_languages::predicate::{Condition, Kind, Named};

fn example(path: &str) -> Model {
    let file = format!("{}/../../examples/{path}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(file).unwrap();
    Model::parse(language::of_path(path).unwrap(), &text).unwrap()
}

fn graph(model: &Model) -> Box<dyn Multiverse> {
    let mut graph = model.multiverse(&Explore::default());
    graph.explore(&mut |_| true);
    graph
}

const MATH: &str = "math-actor/math.at";
const ORDER: &str = "order-violation/order-violation.oz";
const DEADLOCK: &str = "deadlock/deadlock.oz";
const CHOICES: &str = "choices/choices.amb";

/// A misspelt name is refused, and the nearest that there is comes first.
#[test]
fn misspelt_names_verify_nothing() {
    for (path, formula, nearest) in [
        (MATH, "G !{math.reslt == 66}", "math.result"),
        (MATH, "F {idle(mth)}", "math"),
        (MATH, "G {inbox(clent1) == 0}", "client1"),
        (MATH, "F {printed(client3, \"24\")}", "client"),
        (ORDER, "F {tow == 1}", "two"),
        (CHOICES, "F {valeu == 4}", "value"),
    ] {
        let refused = graph(&example(path))
            .check(formula, &mut |_| true)
            .unwrap_err()
            .to_string();
        let listed = refused.split(", ").find(|part| part.contains(nearest));
        let first = refused.find(nearest).unwrap_or(usize::MAX);
        assert!(listed.is_some() && first < 140, "{formula}: {refused}");
    }
    for (path, spec) in [
        (MATH, "before nosuch"),
        (MATH, "after line 999"),
        (MATH, "before line 999"),
        (MATH, "receiver nosuch"),
        (MATH, "sender line 999"),
        (MATH, "when math.reslt == 66"),
        (ORDER, "when xs == 2"),
        (ORDER, "sends one"),
        (CHOICES, "when x == 2"),
        (CHOICES, "ABM"),
    ] {
        assert!(Lead::parse(&example(path), spec).is_err(), "{spec}");
        assert!(
            graph(&example(path)).occurs(spec, &mut |_| true).is_err(),
            "{spec}"
        );
        let mut debugger = example(path).debugger(&Explore::default());
        let order = Order::Break { spec: spec.into() };
        assert!(debugger.carry_out(order, &mut |_| true).is_err(), "{spec}");
    }
}

/// A name that the text allows but no state has would be a question about nothing.
#[test]
fn names_that_never_come_to_be_are_refused() {
    let refused = graph(&example(MATH)).check("G {main.7.result != 66}", &mut |_| true);
    assert!(matches!(refused, Err(Refused::Never(name)) if name == "main.7.result"));
    let mut few = example(MATH).multiverse(&Explore {
        states: 2,
        ..Explore::default()
    });
    few.explore(&mut |_| true);
    let unknown = few.check("G {math.result != 66}", &mut |_| true);
    assert!(matches!(unknown, Err(Refused::NotYet(name, _)) if name == "math.result"));
}

/// 3 is no part of 31, and `max = 3` does not say that x is 3.
#[test]
fn numbers_and_names_are_whole() {
    let text = "let max = 3 in let x = 31 in skip end end";
    let model = Model::parse(&MU_OZ, text).unwrap();
    let judged = |formula: &str| {
        let judgement = graph(&model).check(formula, &mut |_| true).unwrap();
        (judgement.may.holds, judgement.must.holds)
    };
    assert_eq!(judged("F {x = 3}"), (Some(false), Some(false)));
    assert_eq!(judged("F {x == 31}"), (Some(true), Some(true)));
    assert_eq!(judged("F {x > 30 and max < 4}"), (Some(true), Some(true)));
    let met = graph(&model).occurs("x = 3", &mut |_| true).unwrap();
    assert_eq!(met.may.holds, Some(false));
}

/// Threads and ports answer as actors do.
#[test]
fn threads_and_ports_have_predicates() {
    let judged = |path: &str, formula: &str| {
        let judgement = graph(&example(path)).check(formula, &mut |_| true).unwrap();
        (judgement.may.holds, judgement.must.holds)
    };
    assert_eq!(judged(ORDER, "F {idle(t0)}"), (Some(true), Some(true)));
    assert_eq!(
        judged("deadlock/deadlock.oz", "F G {waits(t2)}"),
        (Some(true), Some(false))
    );
    assert_eq!(judged(CHOICES, "F {value == 4}"), (Some(true), Some(false)));
}

/// Every word with which a state or a step is shown can be searched for.
#[test]
fn what_is_shown_can_be_named() {
    fn all<L: Named + Clone>(language: &L) {
        let mut exploration = borges_multiverse::graph::Exploration::new(
            language.clone(),
            borges_multiverse::graph::Strategy::BreadthFirst,
        );
        exploration.run(&borges_multiverse::graph::Limits::default(), |_| true);
        let graph = exploration.graph();
        let mut texts = Vec::new();
        for node in graph.nodes().take(500) {
            let state = graph.state(node).unwrap();
            texts.push(language.show(state));
            let mut choices = Vec::new();
            language.enabled(state, &mut choices);
            for choice in choices {
                let label = language.label(state, &choice);
                texts.extend([label.rule.to_owned(), label.text]);
            }
        }
        let of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '?');
        for text in texts {
            for word in text.split(|c: char| !of_word(c)) {
                if word.starts_with(|c: char| c.is_alphabetic()) {
                    let known = Condition::parse(language, word);
                    assert!(known.is_ok(), "{word} in {text:?}: {}", known.unwrap_err());
                }
            }
        }
        assert!(!language.knows(Kind::Word, "nosuchword"));
    }
    for path in [
        MATH,
        ORDER,
        CHOICES,
        "deadlock/deadlock.oz",
        "atomicity-violation/atomicity-violation.oz",
    ] {
        all(&example(path).program().steps(&Explore::default()));
    }
}

/// Whoever stops an exploration gets what is known, and the next question goes on from there.
#[test]
fn one_exploration_is_kept_and_gone_on_with() {
    let model = example("philosophers/philosophers.oz");
    let whole = graph(&model);
    let mut stopped = model.multiverse(&Explore::default());
    let mut beats = 0;
    stopped.explore(&mut |_| {
        beats += 1;
        beats < 9
    });
    assert_eq!(stopped.partial(), Some(Why::Cancelled));
    assert!(stopped.states() < whole.states());
    let judgement = stopped.occurs("{send", &mut |_| true).unwrap();
    assert_eq!(judgement.partial, Some(Why::Cancelled));
    assert_eq!(judgement.may.holds, Some(true), "what is known decides it");
    let judgement = stopped.check("F {idle(t0)}", &mut |_| true).unwrap();
    assert_eq!(judgement.must.holds, None, "not all is known");
    // A search in what is known can be stopped too; then nothing is claimed.
    stopped.explore(&mut |_| true);
    assert_eq!(stopped.partial(), None);
    for judged in [
        stopped.occurs("{send", &mut |_| false),
        stopped.check("F {idle(t0)}", &mut |_| false),
    ] {
        let judgement = judged.unwrap();
        assert_eq!(judgement.partial, Some(Why::Cancelled));
        assert_eq!((judgement.may.holds, judgement.must.holds), (None, None));
    }
    assert_eq!(stopped.states(), whole.states());
    assert_eq!(stopped.ends(), whole.ends());
}

/// A state that an answer names is a universe of the debugger, the same each time, and back.
#[test]
fn answers_lead_to_universes() {
    for path in [MATH, ORDER, CHOICES] {
        let model = example(path);
        let graph = graph(&model);
        let mut debugger = model.debugger(&Explore::default());
        for state in 0..graph.states() as u32 {
            let way = graph.way_to(state).unwrap();
            let universe = debugger.visit(&way).unwrap();
            assert_eq!(debugger.visit(&way), Some(universe), "{path} {state}");
            let there = debugger.program_state(universe).unwrap();
            assert_eq!(graph.find(there), Some(state), "{path} {state}");
        }
        // What ran before keeps its numbers.
        let mut ran = model.debugger(&Explore::default());
        let came = ran
            .carry_out(Order::Run, &mut |_| true)
            .unwrap()
            .ran
            .unwrap();
        for end in came.ends {
            let state = graph.find(ran.program_state(end).unwrap()).unwrap();
            let way = graph.way_to(state).unwrap();
            let universe = ran.visit(&way).unwrap();
            let again = graph.find(ran.program_state(universe).unwrap());
            assert_eq!(again, Some(state));
        }
    }
}

/// Goals are judged, and what is not known is not said to hold.
#[test]
fn goals_hold_break_or_stay_unknown() {
    let judged = |path: &str, goal: fn(&Model, &str) -> _, text: &str, states: usize| {
        let model = example(path);
        let goal: Result<Goal, _> = goal(&model, text);
        let options = Explore {
            states,
            goals: vec![goal.unwrap()],
            ..Explore::default()
        };
        model.explore(&options, |_| true).goals.remove(0)
    };
    let all = 1_000_000;
    let broken = judged(MATH, Goal::expect, "math.result == 24", all);
    assert_eq!(broken.holds, Some(false));
    assert!(broken.found.unwrap().contains("math.result = 66") && !broken.trace.is_empty());
    let holds = judged(
        MATH,
        Goal::expect,
        "math.result == 24 or math.result == 66",
        all,
    );
    assert_eq!((holds.holds, holds.found), (Some(true), None));
    let unknown = judged(MATH, Goal::forbid, "math.result == 67", 30);
    assert_eq!(unknown.holds, None);
    let deadlock = judged("deadlock/deadlock.oz", Goal::forbid, "deadlock", all);
    assert_eq!(deadlock.holds, Some(false));
    assert_eq!(judged(MATH, Goal::forbid, "stuck", all).holds, Some(true));
    // What one thread came to hides nothing of what another did.
    let three = "let q = port in let r = port in let x = 1 in
        thread let z = {receive q} in skip end end; thread assert(x == 2) end; thread let y = x / 0 in skip end end end end end";
    let model = Model::parse(&MU_OZ, three).unwrap();
    for verdict in ["deadlock", "stuck", "failed"] {
        let options = Explore {
            goals: vec![Goal::forbid(&model, verdict).unwrap()],
            ..Explore::default()
        };
        let report = model.explore(&options, |_| true);
        assert_eq!(report.goals[0].holds, Some(false), "{verdict}");
        assert_eq!(
            report.ends[0].how.to_string(),
            "failed and stuck and deadlock"
        );
    }
    let model = example(MATH);
    assert!(Goal::forbid(&model, "deadlocks").is_err());
    assert!(Goal::expect(&model, "math.reslt == 66").is_err());
    // A program without an end has no outcome that satisfies anything.
    let text = "def a := actor: { def x := 0; def spin() { self<-spin() } }; a<-spin()";
    let endless = Model::parse(&AMBIENT_TALK, text).unwrap();
    let goals = vec![Goal::expect(&endless, "a.x == 0").unwrap()];
    let options = Explore {
        goals,
        ..Explore::default()
    };
    let report = endless.explore(&options, |_| true);
    assert_eq!(report.goals[0].holds, Some(false));
}

/// Which other message could have been received: by definition, those that some other run receives there.
#[test]
fn races_name_what_could_have_come_first() {
    let text = "def c := actor: { def acc := 0; def m(d) { acc := acc * 10 + d } };
def one := actor: { |c| def go() { c<-m(1); c<-m(2) } };
def two := actor: { |c| def go() { c<-m(3) } };
one<-go(); two<-go()";
    let model = Model::parse(&AMBIENT_TALK, text).unwrap();
    let graph = graph(&model);
    let end = graph
        .ends()
        .iter()
        .position(|end| end.text.contains("acc = 123"));
    let Reply::Ways(ways) = graph.ask(&Question::ShortestToEnds, &mut |_| true).unwrap() else {
        panic!("ways are asked for")
    };
    let options = graph.options_to(ways[end.unwrap()].state).unwrap();
    let races = graph.races(&options).unwrap().messages.unwrap();
    let at_c: Vec<_> = races
        .iter()
        .filter(|race| race.received.text.starts_with("c:"))
        .collect();
    let rivals: Vec<_> = at_c
        .iter()
        .map(|race| {
            let texts = race.rivals.iter().map(|rival| rival.text.as_str());
            (race.message.text.as_str(), texts.collect::<Vec<_>>())
        })
        .collect();
    // m(2) comes after m(1) from the same sender, so only m(3) can overtake either.
    assert_eq!(
        rivals,
        [
            ("one sends m(1) to c", vec!["two sends m(3) to c"]),
            ("one sends m(2) to c", vec!["two sends m(3) to c"]),
            ("two sends m(3) to c", vec![]),
        ]
    );
    let amb = self::graph(&example(CHOICES));
    let races = amb.races(&[]).unwrap();
    assert_eq!(races.messages, None, "λ_amb has no messages");
    assert!(races.steps.is_empty(), "and one agent");
    let threads = self::graph(&example(ORDER));
    let Reply::Ways(ways) = threads
        .ask(&Question::ShortestToEnds, &mut |_| true)
        .unwrap()
    else {
        panic!("ways are asked for")
    };
    for way in ways {
        let races = threads
            .races(&threads.options_to(way.state).unwrap())
            .unwrap()
            .messages
            .unwrap();
        assert_eq!((races.len(), races[0].rivals.len()), (1, 1));
    }
}

/// A race is the same to the question and to the goal: together the states' races are those that the goal lists.
#[test]
fn races_of_states_are_those_that_goals_find() {
    let model = example(DEADLOCK);
    let graph = graph(&model);
    let mut asked = BTreeSet::new();
    let texts = |[one, other]: &[Step; 2]| BTreeSet::from([one.text.clone(), other.text.clone()]);
    for state in 0..graph.states() as u32 {
        let races = graph.races(&graph.options_to(state).unwrap()).unwrap();
        asked.extend(races.steps.iter().map(texts));
    }
    let options = Explore {
        goals: vec![Goal::forbid(&model, "race").unwrap()],
        ..Explore::default()
    };
    let found = &model.explore(&options, |_| true).goals[0].races;
    assert!(!found.is_empty());
    assert_eq!(asked, found.iter().map(texts).collect());
}

/// What is stuck says where, and what is never closed says where it was opened.
#[test]
fn errors_say_where() {
    let outcome = |dialect, text: &str| {
        let model = Model::parse(dialect, text).unwrap();
        let report = model.explore(&Explore::default(), |_| true);
        let waiting = report.ends[0].waiting.values().cloned();
        waiting.collect::<Vec<_>>().join("; ")
    };
    let text = "def a := actor: {\n  def m(x) {\n    x + true\n  }\n};\na<-m(1)";
    let stuck = outcome(&AMBIENT_TALK, text);
    assert!(
        stuck.contains("in m") && stuck.contains("line 3"),
        "{stuck}"
    );
    let stuck = outcome(&MU_OZ, "let x = 1 in\nskip;\nassert (x == 2)\nend");
    assert!(stuck.contains("line 3"), "{stuck}");
    let explained = |dialect, text: &str| {
        let error = Model::parse(dialect, text).unwrap_err();
        error.explain(text)
    };
    let text = "def a := actor: {\n  def m(x) {\n    x\n  }\n\na<-m(1)";
    let open = explained(&AMBIENT_TALK, text);
    assert!(open.contains("1:17: this is still open"), "{open}");
    let open = explained(&MU_OZ, "let x = 1 in\n  skip;\n  thread skip\nend\n");
    assert!(open.contains("1:1: this is still open"), "{open}");
}
