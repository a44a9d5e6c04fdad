//! Reductions of the user's making: what they leave out, what they may not invent, and that they are
//! named.

use std::collections::BTreeSet;

use borges_languages::ambienttalk::{AmbientTalk, Grain, Options};
use borges_languages::model::{AMB, AMBIENT_TALK, Aspect, Explore, MU_OZ, Model, Report};
use borges_multiverse::language::Language;

fn source(name: &str) -> String {
    let file = format!("{}/tests/programs/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(file).unwrap()
}

fn explored(text: &str, way: &Explore) -> Report {
    let model = Model::parse(&AMBIENT_TALK, text).unwrap();
    model.explore(way, |_| true)
}

fn keeping(names: &[&str]) -> Explore {
    Explore {
        keep: Some(
            names
                .iter()
                .map(|name| Aspect::Value((*name).to_owned()))
                .collect(),
        ),
        ..Explore::default()
    }
}

fn visible() -> Explore {
    Explore {
        grain: Grain::Visible,
        ..Explore::default()
    }
}

fn symmetric() -> Explore {
    Explore {
        symmetry: true,
        ..visible()
    }
}

/// Every outcome of an abstraction is one of the program: its trace leads there.
#[track_caller]
fn check_traces(text: &str, grain: Grain, report: &Report) {
    let options = Options {
        grain,
        ..Options::default()
    };
    let program = AmbientTalk::parse(text, options).unwrap();
    for end in &report.ends {
        let mut state = program.initial();
        for step in &end.trace {
            let mut choices = Vec::new();
            program.enabled(&state, &mut choices);
            assert_eq!(choices.len(), step.options as usize);
            let next = program.apply(&state, &choices[step.option as usize]);
            state = next.unwrap().state;
        }
        assert_eq!(program.outcome(&state).value.to_string(), end.text);
    }
}

/// How many clients got something, and what is left: what no renaming changes.
fn outcomes(report: &Report) -> BTreeSet<String> {
    let outcome = |end: &borges_languages::model::End| {
        let got = end.values.iter().filter(|(name, _)| name.ends_with(".got"));
        let mut got: Vec<_> = got.map(|(_, value)| format!("{value:?}")).collect();
        got.sort();
        format!("{got:?} {:?}", end.values["acc.bal"])
    };
    report.ends.iter().map(outcome).collect()
}

#[test]
fn actors_of_one_definition_are_alike() {
    let text = source("clients.at");
    let (whole, alike) = (explored(&text, &visible()), explored(&text, &symmetric()));
    assert!(whole.complete && alike.complete);
    assert!(
        2 * alike.states < whole.states,
        "{} of {}",
        alike.states,
        whole.states
    );
    assert!(alike.ends.len() < whole.ends.len());
    assert_eq!(outcomes(&alike), outcomes(&whole));
    check_traces(&text, Grain::Visible, &alike);
    assert_eq!(whole.abstraction, None);
    assert_eq!(
        alike.abstraction.as_deref(),
        Some("actors of one definition are alike")
    );
    assert_eq!(alike.classes, None);
}

/// Where no two actors are alike, only the places from which messages were sent are forgotten.
#[test]
fn actors_of_their_own_definitions_are_themselves() {
    let text = source("stopped-spinner.at");
    let (whole, alike) = (explored(&text, &visible()), explored(&text, &symmetric()));
    assert!(alike.states <= whole.states);
    let texts =
        |report: &Report| -> Vec<_> { report.ends.iter().map(|end| end.text.clone()).collect() };
    assert_eq!(texts(&alike), texts(&whole));
}

/// A counter that does not matter makes no states.
#[test]
fn only_what_matters_tells_states_apart() {
    let text = "def a := actor: { def n := 0; def on := 1;
        def count() { if: on == 1 then: { n := n + 1; self<-count() } }; def stop() { on := 0 } };
        def b := actor: { |a| def go() { a<-stop() } }; a<-count(); b<-go()";
    let few = Explore {
        states: 2_000,
        ..Explore::default()
    };
    assert!(!explored(text, &few).complete);
    let kept = explored(text, &keeping(&["a.on"]));
    assert!(kept.complete);
    assert_eq!(kept.ends.len(), 1);
    // Whether a run goes round is not known: that of the graph may be no run of the program.
    assert_eq!((kept.cyclic, kept.paths.as_deref()), (None, None));
    check_traces(text, Grain::Rule, &kept);
    assert_eq!(
        kept.abstraction.as_deref(),
        Some("only a.on and what can happen next tell states apart")
    );
    let json = serde_json::to_value(&kept).unwrap();
    assert_eq!(json["abstraction"], kept.abstraction.unwrap());
    let nothing = explored(text, &keeping(&[]));
    assert!(nothing.complete && nothing.states <= kept.states);
}

#[test]
fn a_name_that_means_nothing_is_told() {
    let text = source("clients.at");
    let report = explored(&text, &keeping(&["acc.bal", "acc.ball"]));
    assert_eq!(report.unmet, ["acc.ball"]);
}

/// The same for threads and expressions; both abstractions at once.
#[test]
fn abstractions_are_for_all_languages() {
    let text = "let k = port in thread {send k 1} end; thread {send k 2} end;
        let x = {receive k} in skip end end";
    let model = Model::parse(&MU_OZ, text).unwrap();
    let whole = model.explore(&Explore::default(), |_| true);
    let kept = model.explore(&keeping(&["x"]), |_| true);
    assert!(kept.states < whole.states && kept.unmet.is_empty());
    let x = |report: &Report| -> BTreeSet<String> {
        let ends = report.ends.iter();
        ends.map(|end| format!("{:?}", end.values.get("x")))
            .collect()
    };
    assert_eq!(x(&kept), x(&whole));
    let both = Explore {
        symmetry: true,
        ..keeping(&["x"])
    };
    assert_eq!(model.explore(&both, |_| true).states, kept.states);
    // Questions are about all of the program: an abstraction must not answer them.
    let (_, seen) = model.explore_kept(&both, |_| true, None);
    assert!(seen.is_none());
    let mut graph = model.multiverse(&both);
    graph.explore(&mut |_| true);
    assert_eq!(graph.states() as u64, whole.states);
    let model = Model::parse(&AMB, "(+ (amb 1 2) (amb 3 4))").unwrap();
    let kept = model.explore(&keeping(&["value"]), |_| true);
    assert!(kept.complete && kept.ends.len() <= 3);
}
