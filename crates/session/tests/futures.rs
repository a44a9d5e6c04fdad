//! Suggested paths as other programs see them: the machine contract, interrupts among inputs, exports that come true.

use std::path::{Path, PathBuf};

use borges_session::command::{Act, CodePlace, Flow, Look, Reply};
use borges_session::suggest::{
    Destination, Launch, PathsReport, Question, SuggestOptions, SuggestionListing, Within,
    of_program, run_tests,
};
use borges_session::{Options, Session};
use serde_json::Value;

use crate::written;

fn example(name: &str) -> PathBuf {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    examples.join(format!("{name}/{name}.wasm"))
}

fn report(program: &Path, options: &SuggestOptions) -> PathsReport {
    let report = of_program(program, None, options, &mut |_| Flow::Continue);
    report.expect("the program opens")
}

fn within_inputs(inputs: u32) -> SuggestOptions {
    SuggestOptions {
        inputs: Some(inputs),
        ..SuggestOptions::default()
    }
}

fn json(report: &PathsReport) -> Value {
    serde_json::to_value(report).expect("plain data")
}

/// A program in text with a board file, in a folder of its own.
fn written(text: &str, board: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = written::written(folder.path(), text);
    std::fs::write(folder.path().join("board.toml"), board).expect("written");
    (folder, program)
}

/// What the tree of a report comes to, counted by walking it as a reader of the JSON would.
#[derive(Debug, Default, PartialEq)]
struct Counted {
    ends: u64,
    traps: u64,
    most: u64,
}

fn count(node: &Value, counted: &mut Counted) {
    if let Some(end) = node.get("end").filter(|end| !end.is_null()) {
        counted.ends += 1;
        counted.traps += u64::from(end["kind"] == "trapped");
        assert!(end["inputs"].is_array() && end["branches"].is_array());
        assert!(end["path"].is_u64());
        return;
    }
    let node = node.get("subtree").unwrap_or(node);
    if let Some(events) = node.get("events") {
        let events = events.as_array().expect("an array");
        events.iter().for_each(|event| count(event, counted));
        return;
    }
    assert!(node["input"]["primitive"].is_string());
    assert!(node["input"]["args"].is_array() && node["input"]["step"].is_u64());
    let options = node["options"].as_array().expect("options");
    counted.most = counted.most.max(options.len() as u64);
    for option in options {
        let value = option["value"].as_f64().expect("a number");
        let set = option["set"].as_array().expect("intervals");
        let inside = set.iter().any(|interval| {
            let bound = |at: usize| interval[at].as_f64().expect("a number");
            bound(0) <= value && value <= bound(1)
        });
        assert!(inside, "the representative is in its set: {option}");
        assert!(option["shown"].is_string() && option["exact"].is_boolean());
        count(option, counted);
    }
}

/// The names that other programs rely on, and that they mean what is said of them.
#[test]
fn the_machine_contract() {
    for (name, inputs) in [
        ("knock", 1),
        ("while", 4),
        ("crystal-ball", 4),
        ("uart-parser", 3),
    ] {
        let report = json(&report(&example(name), &within_inputs(inputs)));
        for (field, is_right) in [
            ("paths", Value::is_u64 as fn(&Value) -> bool),
            ("max_options", Value::is_u64),
            ("complete", Value::is_boolean),
            ("traps", Value::is_u64),
            ("solver_queries", Value::is_u64),
            ("evaluations", Value::is_u64),
            ("seconds", Value::is_f64),
            ("steps", Value::is_u64),
            ("hash", Value::is_string),
            ("board", Value::is_string),
            ("entry", Value::is_string),
            ("unexplored", Value::is_array),
            ("tree", Value::is_object),
        ] {
            assert!(is_right(&report[field]), "{name}: {field}");
        }
        let mut counted = Counted::default();
        count(&report["tree"], &mut counted);
        let told = Counted {
            ends: report["paths"].as_u64().expect("a number"),
            traps: report["traps"].as_u64().expect("a number"),
            most: report["max_options"].as_u64().expect("a number"),
        };
        assert_eq!(counted, told, "{name}");
        assert_eq!(report["complete"], true, "{name}");
    }
}

/// `complete` is false as soon as a bound other than those on inputs and the stop place cuts something off.
#[test]
fn bounds_that_cut_are_told() {
    let complete =
        |options: &SuggestOptions| json(&report(&example("while"), options))["complete"].clone();
    let whole = within_inputs(4);
    assert_eq!(complete(&whole), true);
    let stopped = SuggestOptions {
        stop: Some("while.ts:14".to_owned()),
        ..whole.clone()
    };
    assert_eq!(complete(&stopped), true);
    for cut in [
        SuggestOptions {
            steps: Some(20),
            ..whole.clone()
        },
        SuggestOptions {
            paths: Some(3),
            ..whole.clone()
        },
        SuggestOptions {
            rounds: Some(1),
            ..whole.clone()
        },
        SuggestOptions {
            seconds: Some(0.0),
            ..whole.clone()
        },
    ] {
        assert_eq!(complete(&cut), false, "{cut:?}");
    }
}

#[test]
fn paths_end_at_the_stop_place_or_before_one_input_more() {
    let options = SuggestOptions {
        stop: Some("while.ts:14".to_owned()),
        ..within_inputs(4)
    };
    let text = serde_json::to_string(&json(&report(&example("while"), &options))).expect("data");
    assert!(text.contains(r#""kind":"stopped""#) && text.contains("while.ts:14"));
    let text =
        serde_json::to_string(&json(&report(&example("knock"), &within_inputs(1)))).expect("data");
    assert!(text.contains(r#""kind":"inputs""#));
}

/// A counter that presses of a button raise: at the third something breaks.
const COUNTER: &str = r#"(module
    (import "env" "subscribe_interrupt" (func $on (param i32 i32 i32)))
    (import "env" "chip_digital_read" (func $read (param i32) (result i32)))
    (import "env" "chip_delay" (func $delay (param i32)))
    (table funcref (elem $press)) (global $presses (mut i32) (i32.const 0))
    (func $press (global.set $presses (i32.add (global.get $presses) (i32.const 1))))
    (func (export "main")
        (call $on (i32.const 14) (i32.const 0) (i32.const 3))
        (loop $again
            (if (call $read (i32.const 2)) (then (call $delay (i32.const 5))))
            (if (i32.eq (global.get $presses) (i32.const 3)) (then (unreachable)))
            (br $again))))"#;

fn asked(session: &mut Session, question: Question, within: Within) -> SuggestionListing {
    let command = Look::Suggest { question, within };
    match session.execute(command, &mut |_| Flow::Continue) {
        Ok(Reply::Suggestions(listing)) => *listing,
        other => panic!("{other:?}"),
    }
}

/// Interrupts are choices like inputs: a bug that needs three of them is found, and its moment leads there.
#[test]
fn a_bug_that_takes_three_interrupts() {
    let (_folder, program) = written(COUNTER, "");
    let mut session = Session::open(Options::new(&program)).expect("it opens");
    let within = |events| Within {
        inputs: Some(2),
        events,
        ..Within::default()
    };
    let none = asked(&mut session, Question::Bugs, within(None));
    assert!(none.found.is_empty() && !none.complete);
    assert!(none.unexplored[0].reason.contains("interrupts"));
    let two = asked(&mut session, Question::Bugs, within(Some(2)));
    assert!(two.found.is_empty() && two.complete);
    let three = asked(&mut session, Question::Bugs, within(Some(3)));
    assert_eq!(three.found.len(), 1);
    let bug = &three.found[0];
    assert_eq!(bug.kind, "trapped");
    let interrupts = bug.inputs.iter().filter(|input| input.call == "interrupt");
    assert_eq!(interrupts.count(), 3);
    let target = bug.moment.clone();
    let jumped = session.execute(Act::Jump { target }, &mut |_| Flow::Continue);
    assert!(jumped.is_ok(), "{jumped:?}");
    let why = asked(
        &mut session,
        Question::Why { target: None },
        within(Some(3)),
    );
    assert!(why.why.is_some_and(|why| why.possible.is_some()));
}

/// Every option of a tree with interrupts, and every end, is a universe that a jump goes to.
#[test]
fn every_suggested_universe_can_be_gone_to() {
    let (_folder, program) = written(COUNTER, "");
    let mut session = Session::open(Options::new(&program)).expect("it opens");
    let within = Within {
        inputs: Some(2),
        events: Some(1),
        ..Within::default()
    };
    let listing = asked(&mut session, Question::Paths, within);
    assert!(listing.complete && listing.paths > 8, "{listing:?}");
    let options = listing.nodes.iter().flat_map(|node| &node.options);
    let moments = options.map(|option| (&option.value, &option.moment));
    let ends = listing.found.iter().map(|path| (&path.kind, &path.moment));
    for (what, target) in moments.chain(ends) {
        let target = target.clone();
        let jumped = session.execute(Act::Jump { target }, &mut |_| Flow::Continue);
        assert!(jumped.is_ok(), "{what}: {jumped:?}");
    }
}

/// Paths with interrupts as regression tests, and as recordings.
#[test]
fn exported_paths_keep_their_interrupts() {
    let (folder, program) = written(COUNTER, "");
    let options = SuggestOptions {
        events: Some(3),
        ..within_inputs(1)
    };
    let report = report(&program, &options);
    assert!(report.complete && report.traps > 0);
    let launch = Launch {
        libraries: &[],
        program: &program,
        board: None,
        entry: None,
    };
    let file = folder.path().join("program.test.json");
    report
        .write_tests(&file, launch, &mut |_| true)
        .expect("written");
    let ran = run_tests(&file).expect("a test file");
    assert_eq!(ran.tests.len(), report.paths);
    for test in &ran.tests {
        assert_eq!(test.differences, Vec::<String>::new(), "{}", test.name);
    }
    let text = std::fs::read_to_string(&file).expect("written");
    assert!(text.contains("traps: unreachable"), "{text}");
    let traces = report.write_traces(&folder.path().join("traces"), launch, &mut |_| true);
    assert_eq!(traces.expect("written").len(), report.paths);
}

/// A condition on a value that no branch looked at, behind a checksum that ties all inputs together.
#[test]
fn a_condition_behind_a_checksum_is_found() {
    let mut session = Session::open(Options::new(example("uart-parser"))).expect("it opens");
    let target = Destination::Place {
        place: CodePlace::Line {
            file: Some("uart-parser.c".to_owned()),
            line: 71,
        },
        condition: Some("parser.relay".to_owned()),
    };
    let within = Within {
        inputs: Some(5),
        ..Within::default()
    };
    let listing = asked(&mut session, Question::Reach { target }, within);
    let values: Vec<&str> = match listing.found.first() {
        Some(found) => found.inputs.iter().map(|input| &*input.value).collect(),
        None => panic!("{:?}", listing.unexplored),
    };
    // Start, length, R, 1, and the sum of the two.
    assert_eq!(values, ["2", "2", "82", "49", "131"]);
    // What is tied to other inputs stands for itself only: with another value alone the run would not come there.
    let options = listing.nodes.iter().flat_map(|node| &node.options);
    let sets: Vec<(&str, bool)> = options.map(|option| (&*option.set, option.exact)).collect();
    assert_eq!(sets[..2], [("2", true), ("2", true)]);
    assert_eq!(sets[2..], [("82", false), ("49", false), ("131", false)]);
    let target = listing.found[0].moment.clone();
    let jumped = session.execute(Act::Jump { target }, &mut |_| Flow::Continue);
    assert!(jumped.is_ok(), "{jumped:?}");
}

fn program(name: &str) -> PathBuf {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/futures_programs");
    programs.join(format!("{name}.wasm"))
}

fn opened(name: &str) -> Session {
    let options = Options {
        board: None,
        ..Options::new(program(name))
    };
    Session::open(options).expect("it opens")
}

/// Nobody says how far to look, and the trap is five inputs away.
/// Where the states are few, questions are answered for all inputs, for ever, and at once.
#[test]
fn what_never_happens_is_said_for_ever() {
    let reach = || Question::Reach {
        target: Destination::Trap { named: None },
    };
    let rows = [
        ("heater", Question::Bugs, Some(8)),
        ("heater", reach(), Some(8)),
        ("timers", Question::Bugs, None),
        ("timers", reach(), None),
    ];
    for (name, question, inputs) in rows {
        let listing = asked(&mut opened(name), question.clone(), Within::default());
        let found: Vec<usize> = listing.found.iter().map(|path| path.inputs.len()).collect();
        let expected: Vec<usize> = inputs.into_iter().collect();
        assert_eq!(found, expected, "{name}: {question:?}");
        assert!(listing.forever && listing.complete, "{name}: {question:?}");
        assert!(listing.unexplored.is_empty() && listing.looked.is_none());
    }
    // Everything that can be executed is covered by a few paths.
    let cover = asked(&mut opened("heater"), Question::Cover, Within::default());
    assert!(cover.forever && cover.paths < 5000, "{}", cover.paths);
    // A bound asks for paths.
    let within = Within {
        inputs: Some(4),
        ..Within::default()
    };
    let bounded = asked(&mut opened("heater"), Question::Bugs, within);
    assert!(!bounded.forever && bounded.found.is_empty());
}

/// Since when a trap was inevitable is asked of all runs, however long they go on: of forty readings as of one.
#[test]
fn why_is_answered_for_ever() {
    let program = |then: &str| {
        format!(
            r#"(module
              (import "env" "chip_digital_read" (func $in (param i32) (result i32)))
              (func (export "main") (local $i i32)
                (loop $waits (br_if $waits (i32.eqz (call $in (i32.const 1)))))
                (loop $l {then} (br $l))))"#
        )
    };
    let counts = "(drop (call $in (i32.const 2)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (if (i32.eq (local.get $i) (i32.const 40)) (then (unreachable)))";
    let asks = "(if (call $in (i32.const 2)) (then (unreachable)))";
    // How many choices lie before the one after which it was inevitable: each trap comes by its shortest way.
    for (then, inevitable) in [(counts, 1), (asks, 2)] {
        let (_folder, program) = written(&program(then), "");
        let mut session = Session::open(Options::new(&program)).expect("it opens");
        let bugs = asked(&mut session, Question::Bugs, Within::default());
        let target = bugs.found[0].moment.clone();
        let jumped = session.execute(Act::Jump { target }, &mut |_| Flow::Continue);
        assert!(jumped.is_ok(), "{jumped:?}");
        let listing = asked(
            &mut session,
            Question::Why { target: None },
            Within::default(),
        );
        let why = listing.why.expect("it says why");
        assert!(
            why.forever && listing.forever && listing.complete,
            "{why:?}"
        );
        assert_eq!(why.inevitable.map(|turn| turn.number), Some(inevitable));
        assert_eq!(why.possible.map(|turn| turn.number), Some(0));
        // From the start it is not: the program may wait for ever.
        let target = "0.0".to_owned();
        let jumped = session.execute(Act::Jump { target }, &mut |_| Flow::Continue);
        assert!(jumped.is_ok(), "{jumped:?}");
        let trap = Question::Why {
            target: Some(Destination::Trap { named: None }),
        };
        let listing = asked(&mut session, trap.clone(), Within::default());
        let why = listing.why.expect("it says why");
        assert!(
            why.forever && why.inevitable.is_none() && why.possible.is_some(),
            "{why:?}"
        );
        let within = Within {
            inputs: Some(3),
            ..Within::default()
        };
        let why = asked(&mut session, trap, within).why.expect("it says why");
        assert!(!why.forever, "a bound is a bound");
    }
}

/// A loop that was cut may trap behind the cut: that is not for ever.
#[test]
fn what_was_cut_is_not_said_for_ever() {
    let (_folder, program) = written(
        r#"(module
          (import "env" "chip_digital_read" (func $in (param i32) (result i32)))
          (func (export "main") (local $i i32)
            (if (call $in (i32.const 2)) (then
              (loop $l
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br_if $l (i32.lt_u (local.get $i) (i32.const 300000))))
              (unreachable)))))"#,
        "",
    );
    let mut session = Session::open(Options::new(&program)).expect("it opens");
    let bugs = asked(&mut session, Question::Bugs, Within::default());
    assert_eq!(bugs.found.len(), 1, "the loop has 1.5 million instructions");
    assert!(!bugs.forever);
    let target = Destination::Trap { named: None };
    let reach = asked(&mut session, Question::Reach { target }, Within::default());
    assert_eq!((reach.found.len(), reach.forever), (1, false));
}

/// Conditions and formulas are asked of the universe shown, and the runs that break them are universes to go to.
#[test]
fn what_all_runs_do_is_asked_in_a_session() {
    use borges_session::suggest::{Demand, Demanded, Proved};
    let mut session = opened("heater");
    let asks = |demand, condition: &str| Demanded {
        demand,
        condition: condition.to_owned(),
    };
    let demands = vec![
        asks(Demand::Never, "heat && door"),
        asks(Demand::Always, "n < 5"),
    ];
    let question = Question::States { demands };
    let listing = asked(&mut session, question, Within::default());
    let report = listing.states.expect("a report");
    let verdicts: Vec<Proved> = report.demands.iter().map(|known| known.verdict).collect();
    assert_eq!(verdicts, [Proved::Fails, Proved::Holds]);
    assert!(report.complete && listing.forever);
    assert_eq!(report.traps.len(), 1);
    // The trap, and where both hold.
    assert_eq!(listing.found.len(), 2);
    for path in &listing.found {
        let target = path.moment.clone();
        let jumped = session.execute(Act::Jump { target }, &mut |_| Flow::Continue);
        assert!(jumped.is_ok(), "{jumped:?}");
    }
    let formula = |text: &str| Question::Check {
        formula: text.to_owned(),
    };
    let mut fresh = opened("heater");
    let holds = asked(&mut fresh, formula("G n < 5"), Within::default());
    assert_eq!(holds.claim.map(|claim| claim.verdict), Some(Proved::Holds));
    let fails = asked(&mut fresh, formula("G !(heat && door)"), Within::default());
    assert_eq!(fails.claim.map(|claim| claim.verdict), Some(Proved::Fails));
    // A name that does not exist is refused.
    let command = Look::Suggest {
        question: formula("G nothing > 1"),
        within: Within::default(),
    };
    let refused = fresh.execute(command, &mut |_| Flow::Continue);
    assert!(refused.is_err(), "{refused:?}");
}

#[test]
fn a_deep_bug_is_found_without_a_bound() {
    let listing = asked(&mut opened("deep_bug"), Question::Bugs, Within::default());
    assert!(listing.complete, "{:?}", listing.unexplored);
    assert_eq!(listing.found.len(), 1);
    assert_eq!(listing.found[0].inputs.len(), 5);
}

/// More paths than anybody can look at: a plain run with the greatest values finds the trap at once.
#[test]
fn a_trap_after_many_readings_is_found_by_running() {
    let target = Destination::Trap { named: None };
    for name in ["forty_readings", "forty_readings_and_pins"] {
        let within = Within {
            paths: Some(1),
            ..Within::default()
        };
        let question = Question::Reach {
            target: target.clone(),
        };
        let listing = asked(&mut opened(name), question, within);
        assert_eq!(listing.found.len(), 1, "{name}");
        // 25 readings of at most 4095 are more than 100,000.
        assert_eq!(listing.found[0].inputs.len(), 25, "{name}");
    }
}

/// Where nothing ends, the beginnings are shown, and how far they were looked at is said.
#[test]
fn beginnings_are_shown_where_nothing_ends() {
    let (_folder, program) = written(
        r#"(module (import "env" "chip_digital_read" (func $read (param i32) (result i32)))
            (func (export "main")
                (loop $again (br_if $again (call $read (i32.const 2))) (br $again))))"#,
        "",
    );
    let options = SuggestOptions {
        seconds: Some(1.0),
        paths: Some(64),
        ..SuggestOptions::default()
    };
    let report = report(&program, &options);
    assert!(report.paths > 1 && !report.complete);
    assert!(report.looked.is_some());
    let json = json(&report);
    assert!(json["tree"]["options"].is_array(), "{json}");
    assert!(json["unexplored"][0]["bound"].is_string(), "{json}");
}

/// What an output depends on that no rule looks at, is no reason to doubt a rule.
#[test]
fn a_rule_about_one_pin_does_not_mind_what_is_printed() {
    let board = program("rules").with_extension("toml");
    let report = of_program(
        &program("rules"),
        Some(&board),
        &SuggestOptions::default(),
        &mut |_| Flow::Continue,
    );
    let report = report.expect("the program opens");
    assert!(report.complete, "{:?}", report.unexplored);
}

/// A length and an address of `memory.copy` are looked at one value at a time; the paths are still each one.
#[test]
fn no_path_is_listed_twice() {
    fn branches(node: &Value, all: &mut Vec<String>) {
        match node {
            Value::Object(fields) => {
                if let Some(end) = fields.get("end") {
                    let same = (&end["branches"], &end["kind"], &end["place"]);
                    all.push(serde_json::to_string(&same).expect("data"));
                }
                fields.values().for_each(|value| branches(value, all));
            }
            Value::Array(values) => values.iter().for_each(|value| branches(value, all)),
            _ => {}
        }
    }
    let report = report(&program("duplicate_paths"), &SuggestOptions::default());
    let mut all = Vec::new();
    branches(&json(&report)["tree"], &mut all);
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count, "a path is listed twice");
}

/// A name that means nothing is refused before anything is tried, with what was perhaps meant.
#[test]
fn an_unknown_name_is_refused_at_once() {
    let mut session = Session::open(Options::new(example("while"))).expect("it opens");
    let target = Destination::Condition {
        condition: "brightst > 3".to_owned(),
    };
    let refused = session.inquire(Question::Reach { target }, Within::default(), &mut |_| {
        Flow::Continue
    });
    let error = refused
        .err()
        .expect("there is no such variable")
        .to_string();
    assert!(error.contains("did you mean brightest"), "{error}");
}

/// The board that an end is told with is the one that a jump there shows.
#[test]
fn ends_are_told_with_their_boards() {
    let dial = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/color-dial/color-dial.wasm"
    );
    let mut session = Session::open(Options::new(dial)).expect("it opens");
    let within = |boards| Within {
        inputs: Some(2),
        boards,
        ..Within::default()
    };
    let none = asked(&mut session, Question::Paths, within(false));
    assert!(none.found.iter().all(|path| path.board.is_none()));
    let told = asked(&mut session, Question::Paths, within(true));
    assert!(told.found.len() > 2 && told.found.len() <= 16);
    let mut angles = std::collections::BTreeSet::new();
    for path in told.found {
        let target = path.moment;
        let jumped = session.execute(Act::Jump { target }, &mut |_| Flow::Continue);
        assert!(jumped.is_ok(), "{jumped:?}");
        let Ok(Reply::Board(there)) = session.execute(Look::Board, &mut |_| Flow::Continue) else {
            panic!("a board can be looked at");
        };
        // What was printed is told apart.
        let mut shown = there.board;
        shown["console"]["tail"] = "".into();
        let board = path.board.expect("few ends have boards");
        assert_eq!(board, shown);
        angles.insert(board["motors"].to_string());
    }
    assert!(
        angles.len() > 1,
        "the needle stands in several places: {angles:?}"
    );
}
