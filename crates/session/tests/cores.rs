//! Paths that several cores, or workers elsewhere, look for, and states that several cores look at: the same as one finds.

use std::path::{Path, PathBuf};

use crate::hostile_queue::hostile;
use borges_session::command::broker::Seekers;
use borges_session::command::{Flow, Reply};
use borges_session::suggest::{
    Destination, Order, Question, StatesOptions, StatesReport, SuggestOptions, SuggestionListing,
    Within, of_program, states_of_program,
};
use borges_session::{Event, Look, Options, Session};
use serde_json::Value;

fn example(name: &str) -> PathBuf {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    examples.join(name).join(format!("{name}.wasm"))
}

/// A loop of 40 readings, each of which may end it.
fn readings(folder: &Path) -> PathBuf {
    let text = r#"(module (import "env" "chip_analog_read" (func $in (param i32) (result i32)))
        (func (export "main") (local $n i32)
            (loop $l
                (if (i32.gt_s (call $in (i32.const 0)) (i32.const 4000)) (then (return)))
                (br_if $l (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 40))))
            (unreachable)))"#;
    let path = folder.join("readings.wasm");
    std::fs::write(&path, wat::parse_str(text).expect("valid text")).expect("written");
    path
}

/// What tells how it was found out, and not what.
const OF_THE_SEARCH: [&str; 5] = [
    "seconds",
    "steps",
    "solver_queries",
    "evaluations",
    "time_ms",
];

fn without_the_search(report: &impl serde::Serialize) -> Value {
    let mut report = serde_json::to_value(report).expect("data");
    let fields = report.as_object_mut().expect("fields");
    for field in OF_THE_SEARCH {
        fields.remove(field);
    }
    report
}

/// Who looks.
#[derive(Clone, Copy, Debug)]
enum Who {
    Cores(u16),
    /// So many workers of a queue with this seed.
    Workers(usize, u64),
}

impl Who {
    fn seekers(self) -> Option<Seekers> {
        Some(match self {
            Who::Cores(cores) => Seekers::Cores(cores),
            Who::Workers(workers, seed) => Seekers::Queue(hostile(workers, seed)),
        })
    }
}

fn paths(program: &Path, options: &SuggestOptions, who: Who) -> Value {
    let options = SuggestOptions {
        seekers: who.seekers(),
        // What is compared is what is found, not in which time.
        seconds: Some(600.0),
        ..options.clone()
    };
    let report = of_program(program, None, &options, &mut |_| Flow::Continue);
    let report = report.expect("it opens");
    assert!(report.ended.is_none(), "{:?}", report.ended);
    without_the_search(&report)
}

/// The whole report, tree and all: the order of paths, their representatives, sets and branches.
#[test]
fn the_report_is_that_of_one_core() {
    let folder = tempfile::tempdir().expect("a folder");
    let within = |inputs| SuggestOptions {
        inputs: Some(inputs),
        paths: Some(100_000),
        ..SuggestOptions::default()
    };
    let cases = [
        (example("while"), within(4)),
        (example("crystal-ball"), within(4)),
        (example("knock-lock"), within(5)),
        (readings(folder.path()), within(40)),
        (example("uart-parser"), within(3)),
        (
            example("binary-counter"),
            SuggestOptions {
                events: Some(2),
                steps: Some(3000),
                ..within(2)
            },
        ),
    ];
    for (program, options) in cases {
        let alone = paths(&program, &options, Who::Cores(1));
        let (one, two, three) = (Who::Workers(1, 1), Who::Workers(2, 2), Who::Workers(3, 3));
        for who in [Who::Cores(2), Who::Cores(5), one, two, three] {
            let together = paths(&program, &options, who);
            assert_eq!(
                together["paths"],
                alone["paths"],
                "{} by {who:?}",
                program.display()
            );
            assert!(together == alone, "{} by {who:?}", program.display());
        }
        let by = SuggestOptions {
            order: Order::Coverage,
            ..options
        };
        let by_coverage = paths(&program, &by, Who::Cores(2));
        assert_eq!(by_coverage["paths"], alone["paths"]);
        assert_eq!(by_coverage["complete"], alone["complete"]);
    }
}

fn ask(program: &Path, question: &Question, who: Who) -> SuggestionListing {
    let mut session = Session::open(Options::new(program)).expect("it opens");
    let within = Within {
        inputs: Some(6),
        time_ms: Some(600_000),
        seekers: who.seekers().map(Box::new),
        ..Within::default()
    };
    let question = question.clone();
    let look = Look::Suggest { question, within };
    match session.execute(look, &mut |_| Flow::Continue) {
        Ok(Reply::Suggestions(listing)) => *listing,
        other => panic!("{other:?}"),
    }
}

#[test]
fn questions_have_the_same_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let programs = [
        example("crystal-ball"),
        example("knock-lock"),
        example("uart-parser"),
        readings(folder.path()),
    ];
    let trap = Destination::Trap { named: None };
    let questions = [
        Question::Paths,
        Question::Bugs,
        Question::Cover,
        Question::Reach { target: trap },
    ];
    for program in &programs {
        for question in &questions {
            let alone = ask(program, question, Who::Cores(1));
            for who in [Who::Cores(3), Who::Workers(2, 7)] {
                let together = ask(program, question, who);
                same(
                    &together,
                    &alone,
                    &format!("{question:?} of {} by {who:?}", program.display()),
                );
            }
        }
    }
}

/// A session looks on all cores, and whoever waits hears of states.
#[test]
fn a_sessions_states_are_those_of_one_core() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/futures_programs");
    let program = programs.join("lows.wasm");
    let options = StatesOptions {
        cores: Some(1),
        ..StatesOptions::default()
    };
    let alone = states_of_program(&program, None, &options, &[], &mut |_| Flow::Continue);
    let alone = alone.expect("it opens");
    // More than one core alone looks at.
    assert_eq!((alone.complete, alone.states), (true, 2_000));

    let mut session = Session::open(Options::new(&program)).expect("it opens");
    let look = Look::Suggest {
        question: Question::States {
            demands: Vec::new(),
        },
        within: Within::default(),
    };
    let mut told = Vec::new();
    let reply = session.execute(look, &mut |event| {
        if let Event::Progress { what, done, .. } = event {
            told.push((what, done));
        }
        Flow::Continue
    });
    let Ok(Reply::Suggestions(listing)) = reply else {
        panic!("{reply:?}");
    };
    let together = listing.states.expect("states");
    let graph = |report: &StatesReport| (report.states, report.edges, report.depth);
    assert_eq!(graph(&together), graph(&alone));
    assert!(together.complete && together.traps.is_empty());
    let (what, most) = told.last().expect("it takes longer than nothing");
    assert!(what.ends_with("(states)") && *most > 16, "{what}: {most}");
}

fn same(together: &SuggestionListing, alone: &SuggestionListing, what: &str) {
    assert_eq!(together.complete, alone.complete, "{what}");
    assert_eq!(together.forever, alone.forever, "{what}");
    assert_eq!(together.traps, alone.traps, "{what}");
    let ends = |listing: &SuggestionListing| {
        let found = listing.found.iter();
        let mut ends: Vec<_> = found
            .map(|path| (path.inputs.len(), path.kind.clone(), path.place.clone()))
            .collect();
        ends.sort();
        ends
    };
    assert_eq!(ends(together), ends(alone), "{what}");
    let covered = |listing: &SuggestionListing| {
        let cover = listing.cover.clone();
        cover.map(|cover| {
            let lines = cover.lines.into_iter();
            let lines = lines.map(|line| (line.line, line.inputs.is_some()));
            (lines.collect::<Vec<_>>(), cover.branches)
        })
    };
    assert_eq!(covered(together), covered(alone), "{what}");
}

/// The bound on paths is one for all cores, and what is over is said to be left.
#[test]
fn there_are_no_more_paths_than_the_bound() {
    for (bound, is_cut) in [(33, true), (34, false)] {
        let options = SuggestOptions {
            inputs: Some(4),
            paths: Some(bound),
            seekers: Some(Seekers::Cores(3)),
            seconds: Some(600.0),
            ..SuggestOptions::default()
        };
        let program = example("crystal-ball");
        let report = of_program(&program, None, &options, &mut |_| Flow::Continue);
        let report = report.expect("it opens");
        assert_eq!(report.paths, bound);
        assert_eq!(report.ended.as_deref(), is_cut.then_some("paths"));
        assert_eq!(report.complete, !is_cut);
    }
}

/// Who ends it gets what was found by then, soon.
#[test]
fn it_can_be_ended() {
    let options = SuggestOptions {
        inputs: Some(1000),
        paths: Some(1_000_000),
        seekers: Some(Seekers::Cores(2)),
        seconds: Some(600.0),
        ..SuggestOptions::default()
    };
    let mut seen = 0;
    let report = of_program(&example("while"), None, &options, &mut |event| {
        if let Event::Progress { done, .. } = event {
            seen = seen.max(done);
        }
        match seen < 10 {
            true => Flow::Continue,
            false => Flow::Pause,
        }
    });
    let report = report.expect("it opens");
    assert_eq!(report.ended.as_deref(), Some("cancelled"));
    assert!(!report.complete);
    assert!(report.paths > 0);
}

/// A tree that has several parts to draw is the same text, whoever draws them.
#[test]
fn it_is_drawn_the_same_by_any_number_of_threads() {
    let options = SuggestOptions {
        inputs: Some(10),
        paths: Some(100_000),
        seconds: Some(600.0),
        ..SuggestOptions::default()
    };
    let program = example("crystal-ball");
    let report = of_program(&program, None, &options, &mut |_| Flow::Continue);
    let tree = report.expect("it opens").tree;
    let drawn = [1, 2, 5].map(|threads| {
        tree.draw(threads, |text, depth, line| {
            text.push_str(&format!("{depth} {line:?}\n"));
        })
    });
    let ends = drawn[0].matches("end: Some").count();
    assert!(ends > 5000, "{ends}");
    assert!(drawn[1] == drawn[0] && drawn[2] == drawn[0]);
}
