//! Searches guided by a breakpoint: they miss nothing, and come to it sooner.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use borges_languages::ambienttalk::Grain;
use borges_languages::model::debug::{Debugger, Order as Command, RanRow};
use borges_languages::model::{AMBIENT_TALK, Explore, Lead, Model, Order, Report, Why, language};

fn example(path: &str) -> Model {
    let file = format!("{}/../../examples/{path}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(file).unwrap();
    Model::parse(language::of_path(path).unwrap(), &text).unwrap()
}

fn toward(model: &Model, spec: &str, first: bool, grain: Grain) -> Report {
    let lead = Lead::parse(model, spec).unwrap();
    let way = Explore {
        order: Order::Toward { lead, first },
        grain,
        ..Explore::default()
    };
    model.explore(&way, |_| true)
}

fn outcomes(report: &Report) -> BTreeSet<&str> {
    report.ends.iter().map(|end| end.text.as_str()).collect()
}

/// The whole graph is found whatever leads there; what is met is met by the last step of the way.
#[track_caller]
fn check(path: &str, spec: &str, last: &str) {
    let model = example(path);
    let plain = model.explore(&Explore::default(), |_| true);
    for grain in [Grain::Rule, Grain::Visible] {
        let report = toward(&model, spec, false, grain);
        assert!(report.complete);
        assert_eq!(outcomes(&report), outcomes(&plain), "{path} {spec}");
        if grain == Grain::Rule {
            assert_eq!((report.states, report.edges), (plain.states, plain.edges));
        }
        let met = report.met.unwrap();
        let step = met.trace.last().unwrap();
        // A folded run is labelled by its first step.
        assert!(step.rules > 1 || step.text.contains(last), "{step:?}");
        let first = toward(&model, spec, true, grain);
        assert_eq!((first.complete, first.why), (false, Some(Why::Met)));
        assert_eq!(first.states, met.states);
        assert_eq!(first.met.unwrap().breakpoint, met.breakpoint);
    }
}

#[test]
fn every_language_is_searched_toward_its_breakpoints() {
    check("choices/choices.amb", "(+ 2 4)", "(amb 3 4) → 4");
    check("math-actor/math.at", "sender getResult", "client1");
    check("math-actor/math.at", "when math.result == 66", "math");
    check("math-actor/math.at", "before double", "math");
    check(
        "order-violation/order-violation.oz",
        "when x = 2",
        "receive",
    );
}

#[test]
fn what_never_happens_is_never_met() {
    let model = example("math-actor/math.at");
    let report = toward(&model, "when math.result == 65", true, Grain::Rule);
    assert!(report.complete && report.met.is_none() && report.why.is_none());
    let error = Lead::parse(&model, "receiver nobody").unwrap_err();
    assert!(error.to_string().contains("there are "), "{error}");
    assert!(Lead::parse(&example("deadlock/deadlock.oz"), " when ").is_err());
}

/// Counters that are told to go on by turns: many states, and one that all have to be far for.
fn counters(count: usize, most: usize) -> String {
    let mut text = format!(
        "def makeCounter() {{ actor: {{ def n := 0;
           def go() {{ n := n + 1; if: n < {most} then: {{ self<-go() }} else: {{ }} }} }} }};\n"
    );
    for counter in 0..count {
        let _ = writeln!(text, "def c{counter} := makeCounter(); c{counter}<-go();");
    }
    text
}

#[test]
fn a_guided_search_visits_fewer_states() {
    let model = Model::parse(&AMBIENT_TALK, &counters(4, 6)).unwrap();
    let plain = model.explore(
        &Explore {
            grain: Grain::Visible,
            ..Explore::default()
        },
        |_| true,
    );
    assert!(plain.complete);
    let report = toward(
        &model,
        "when c0.n == 6 and c1.n == 6 and c2.n == 6",
        true,
        Grain::Visible,
    );
    assert_eq!(report.why, Some(Why::Met));
    assert!(
        report.states * 20 < plain.states,
        "{} of {}",
        report.states,
        plain.states
    );
}

fn seek(debugger: &mut dyn Debugger, universe: u32) -> RanRow {
    let came = debugger
        .carry_out(Command::Seek { universe }, &mut |_| true)
        .unwrap();
    came.ran.unwrap()
}

/// Voyager seeks: one halted universe after the other, without the rest.
#[test]
fn debuggers_seek_one_halt_after_the_other() {
    let text = counters(5, 8);
    let model = Model::parse(&AMBIENT_TALK, &text).unwrap();
    let mut debugger = model.debugger(&Explore::default());
    let refused = debugger.carry_out(Command::Seek { universe: 0 }, &mut |_| true);
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("set a breakpoint")
    );
    let spec = "when c0.n == 8 and c1.n == 8".to_owned();
    debugger
        .carry_out(Command::Break { spec }, &mut |_| true)
        .unwrap();
    let ran = seek(&mut *debugger, 0);
    assert!(!ran.paused.is_empty() && ran.ends.is_empty() && !ran.cut);
    assert!(debugger.len() < 2_000, "{}", debugger.len());
    let again = seek(&mut *debugger, 0);
    assert!(!again.paused.is_empty());
    assert!(again.paused.iter().all(|next| !ran.paused.contains(next)));
}

#[test]
fn every_halt_of_a_run_is_sought_and_found() {
    for (path, spec) in [
        ("math-actor/math.at", "receiver getResult"),
        ("order-violation/order-violation.oz", "{receive k}"),
        ("choices/choices.amb", "AMB"),
    ] {
        let model = example(path);
        let text = |debugger: &dyn Debugger, halted: &[u32]| -> BTreeSet<String> {
            let card = |id: &u32| debugger.card(*id).unwrap().text;
            halted.iter().map(card).collect()
        };
        let halting = || {
            let mut debugger = model.debugger(&Explore::default());
            let spec = spec.to_owned();
            debugger
                .carry_out(Command::Break { spec }, &mut |_| true)
                .unwrap();
            debugger
        };
        let mut all = halting();
        let ran = all
            .carry_out(Command::Run, &mut |_| true)
            .unwrap()
            .ran
            .unwrap();
        let expected = text(&*all, &ran.paused);
        assert!(!expected.is_empty());
        let mut some = halting();
        let mut found = Vec::new();
        loop {
            let ran = seek(&mut *some, 0);
            found.extend(&ran.paused);
            if ran.never_reached {
                break;
            }
        }
        assert_eq!(text(&*some, &found), expected, "{path}");
    }
}
