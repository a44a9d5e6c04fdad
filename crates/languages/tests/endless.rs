//! Programs that need not end: one run of each class, and promises that only fair runs keep.

use borges_languages::ambienttalk::Grain;
use borges_languages::model::debug::Opinion;
use borges_languages::model::{AMBIENT_TALK, Explore, Model, Reduction, Report, Why};

fn source(name: &str) -> String {
    let file = format!("{}/tests/programs/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(file).unwrap()
}

fn explored(text: &str, way: Explore) -> Report {
    Model::parse(&AMBIENT_TALK, text)
        .unwrap()
        .explore(&way, |_| true)
}

fn reduced(text: &str, grain: Grain) -> Report {
    explored(
        text,
        Explore {
            grain,
            reduction: Reduction::Dpor,
            ..Explore::default()
        },
    )
}

/// The states that there are, and that one run a class comes to an end with few steps, sees that runs
/// go round, and finds the outcomes of the whole graph.
#[track_caller]
fn check(name: &str, states: u64, steps: u64, outcomes: usize) {
    let text = source(name);
    let whole = explored(&text, Explore::default());
    assert_eq!((whole.complete, whole.cyclic), (true, Some(true)));
    assert_eq!((whole.states, whole.ends.len()), (states, outcomes));
    for grain in [Grain::Rule, Grain::Visible] {
        let reduced = reduced(&text, grain);
        assert_eq!((reduced.complete, reduced.cyclic), (true, Some(true)));
        assert_eq!(reduced.classes, None, "runs that end may go round before");
        assert!(reduced.edges <= steps, "{} steps", reduced.edges);
        let texts = |report: &Report| -> Vec<_> {
            report.ends.iter().map(|end| end.text.clone()).collect()
        };
        assert_eq!(texts(&reduced), texts(&whole));
    }
}

#[test]
fn a_program_of_which_no_run_ends_is_explored_and_says_so() {
    check("ping-pong.at", 13, 20, 0);
    check("spinner-and-race.at", 369, 369, 0);
}

#[test]
fn ends_are_found_beside_runs_that_go_round() {
    check("stopped-spinner.at", 77, 400, 1);
}

/// States without number: the run that is taken first goes on for ever and never comes to a state
/// again; the other one ends.
const COUNTS: &str = "def a := actor: { def n := 0; def on := 1;
    def start() { if: on == 1 then: { self<-count() } };
    def count() { n := n + 1; self<-count() };
    def stop() { on := 0 } };
def b := actor: { |a| def go() { a<-start() } };
def c := actor: { |a| def go() { a<-stop() } };
b<-go(); c<-go()";

#[test]
fn a_run_with_ever_new_states_hides_no_end() {
    let way = Explore {
        reduction: Reduction::Dpor,
        states: 5_000,
        ..Explore::default()
    };
    let report = explored(COUNTS, way.clone());
    assert_eq!((report.complete, report.why), (false, Some(Why::Depth)));
    assert_eq!((report.ends.len(), report.cyclic), (1, None));
    // With a limit of one's own there is one search, with that limit.
    let limited = |depth| {
        explored(
            COUNTS,
            Explore {
                depth,
                ..way.clone()
            },
        )
    };
    let long = limited(4_000);
    assert_eq!((long.ends.len(), long.why), (0, Some(Why::States)));
    let short = limited(5);
    assert_eq!((short.ends.len(), short.why), (0, Some(Why::Depth)));
}

fn must(text: &str, formula: &str) -> Opinion {
    let mut graph = Model::parse(&AMBIENT_TALK, text)
        .unwrap()
        .multiverse(&Explore {
            grain: Grain::Visible,
            ..Explore::default()
        });
    graph.explore(&mut |_| true);
    graph.check(formula, &mut |_| true).unwrap().must
}

/// Only a run in which B never acts spins for ever.
#[test]
fn a_promise_holds_in_fair_runs() {
    let text = source("stopped-spinner.at");
    let unfair = must(&text, "F {a.on == 0}");
    assert_eq!(unfair.holds, Some(false), "B may never act");
    assert!(!unfair.cycle.is_empty());
    assert_eq!(must(&text, "fair F {a.on == 0}").holds, Some(true));
    // Fairness makes nothing true that fails in a fair run: B does act.
    let witness = must(&text, "fair G {a.on == 1}");
    assert_eq!(witness.holds, Some(false));
    assert!(!witness.steps.is_empty() && witness.cycle.is_empty());
    let text = source("ping-pong.at");
    let never = must(&text, "fair F {printed(main, \"never\")}");
    assert_eq!(never.holds, Some(false));
    assert!(!never.cycle.is_empty());
}
