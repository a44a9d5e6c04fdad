//! What must never, always or some time happen in a device program, and temporal formulas about all its runs for ever.

use std::path::{Path, PathBuf};
use std::time::Duration;

use borges_session::command::Flow;
use borges_session::suggest::{
    ClaimReport, Demand, DemandReport, Demanded, Proved, StatesOptions, StatesReport,
    check_program, states_of_program,
};

fn heater() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/futures_programs/heater.wasm")
}

fn example(name: &str) -> PathBuf {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    examples.join(format!("{name}/{name}.wasm"))
}

/// With time enough on a machine that is busy otherwise.
fn patient() -> StatesOptions {
    StatesOptions {
        time: Some(Duration::from_secs(60)),
        ..StatesOptions::default()
    }
}

fn demanded(program: &Path, demands: &[(Demand, &str)]) -> StatesReport {
    let demands = demands.iter().map(|(demand, text)| demand.of(*text));
    let demands: Vec<Demanded> = demands.collect();
    let options = patient();
    let report = states_of_program(program, None, &options, &demands, &mut |_| Flow::Continue);
    report.expect("it opens")
}

#[test]
fn sixty_four_conditions_are_watched_at_once() {
    let of = |count: usize| {
        let demands: Vec<_> = (0..count)
            .map(|number| Demand::Never.of(format!("{number} == 100")))
            .collect();
        let report = states_of_program(&heater(), None, &patient(), &demands, &mut |_| {
            Flow::Continue
        });
        report.map(|report| report.demands.len())
    };
    assert_eq!(of(64).expect("they are watched"), 64);
    let refused = of(65).expect_err("they are too many").to_string();
    assert!(refused.contains("at most 64 conditions"), "{refused}");
}

/// Of the many runs that stand at one place, those are followed first of which all that is known of the state is so: where a
/// checksum ties all bytes together, no more can be said of them.
#[test]
fn a_run_is_found_through_states_that_a_checksum_ties() {
    let demand = Demand::Never.of("parser.received > 4");
    let options = StatesOptions {
        depth: Some(7),
        ..patient()
    };
    let parser = example("uart-parser");
    let report = states_of_program(&parser, None, &options, &[demand], &mut |_| Flow::Continue);
    let report = report.expect("it opens");
    let [said] = report.demands.as_slice() else {
        panic!("{:?}", report.demands);
    };
    assert_eq!(said.verdict, Proved::Fails, "{:?}", said.note);
    // The start, a length of more than four, and so many bytes.
    assert_eq!(said.answers.len(), 7);
    assert_eq!(said.answers[0], 2);
    assert!(said.answers[1].as_i64() > Some(4), "{:?}", said.answers);
}

fn checked(program: &Path, formula: &str) -> ClaimReport {
    let options = patient();
    let report = check_program(program, None, formula, &options, &mut |_| Flow::Continue);
    report.unwrap_or_else(|error| panic!("{formula}: {error}"))
}

#[test]
fn demands_are_proved_or_come_with_a_shortest_run() {
    use Demand::{Always, Never, Toward};
    use Proved::{Fails, Holds, Unknown};
    let expected = [
        (Never, "heat && door", Fails, Some(8)),
        (Never, "n == 5", Holds, None),
        (Always, "n < 5", Holds, None),
        (Always, "n < 4", Fails, Some(8)),
        (Toward, "n == 4", Holds, Some(8)),
        (Toward, "n == 2 && heat", Holds, Some(4)),
        (Toward, "n > 4", Fails, None),
        (Never, "chip_digital_write(13, 1)", Fails, Some(2)),
        (Never, "chip_digital_write(13, 2)", Holds, None),
        // A local that the compiler keeps only as long as it is used.
        (Toward, "d && n == 3", Holds, Some(7)),
        (Never, "t && n > 4", Unknown, None),
    ];
    let demands: Vec<(Demand, &str)> = expected.iter().map(|row| (row.0, row.1)).collect();
    let report = demanded(&heater(), &demands);
    assert!(report.complete, "{:?}", report.unexplored);
    for (row, said) in expected.iter().zip(&report.demands) {
        let (_, text, verdict, inputs) = row;
        assert_eq!(
            (said.verdict, said.inputs),
            (*verdict, *inputs),
            "{text}: {said:?}"
        );
        let many = inputs.map_or(0, |many| many as usize);
        assert_eq!((said.run.len(), said.answers.len()), (many, many), "{text}");
    }
    let alone = demanded(&heater(), &[]);
    assert_eq!((alone.states, alone.edges), (20, 50));
}

/// A lamp that blinks by the clock, a button that is believed when it has been quiet: how much time has passed counts, and
/// when it is does not.
#[test]
fn programs_that_read_clocks_are_judged() {
    use Demand::{Never, Toward};
    use Proved::{Fails, Holds, Maybe};
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/futures_programs/timers.wasm");
    let demands = [
        (Never, "lamp > 1"),
        (Toward, "button == 1"),
        (Never, "button == 1 && level == 0 && lamp"),
    ];
    let report = demanded(&program, &demands);
    assert!(report.complete, "{:?}", report.unexplored);
    assert_eq!((report.states, report.edges), (158, 265));
    assert_eq!(report.maybe, Vec::<String>::new());
    assert_eq!(report.anything, ["the time that millis shows"]);
    let said: Vec<(Proved, Option<u32>)> = report
        .demands
        .iter()
        .map(|said| (said.verdict, said.inputs))
        .collect();
    assert_eq!(said, [(Holds, None), (Holds, Some(4)), (Fails, Some(8))]);
    // The clock starts at 0, and no more time passes than must.
    let run = report.demands[1]
        .run
        .iter()
        .map(|input| input.value.as_str());
    assert_eq!(run.collect::<Vec<_>>(), ["0", "1", "0", "51"]);
    let stands_still = checked(&program, "G F lamp==0");
    assert_eq!(stands_still.verdict, Maybe);
    assert!(
        stands_still
            .note
            .is_some_and(|note| note.contains("stand still"))
    );
    assert_eq!(checked(&program, "G !(lamp > 1)").verdict, Holds);
}

/// Two readings of 4096 values each are compared with each other, and nothing is counted out.
#[test]
fn conditions_on_large_ranges_are_computed() {
    use Demand::{Always, Never};
    let report = demanded(
        &example("while"),
        &[
            (Always, "darkest <= brightest"),
            (Never, "brightest > 4095"),
            (Never, "darkest == brightest"),
        ],
    );
    assert!(report.complete, "{:?}", report.unexplored);
    let said: Vec<(Proved, Option<u32>)> = report
        .demands
        .iter()
        .map(
            |DemandReport {
                 verdict, inputs, ..
             }| (*verdict, *inputs),
        )
        .collect();
    // Before the first calibration, the darkest is 4095 and the brightest 0.
    assert_eq!(
        said,
        [
            (Proved::Fails, Some(0)),
            (Proved::Holds, None),
            (Proved::Fails, Some(2)),
        ]
    );
}

#[test]
fn formulas_hold_for_ever_or_come_with_a_run_that_breaks_them() {
    // The verdict, whether the run goes round for ever, and how many inputs come before that.
    let heater_ones: &[(&str, Proved, Option<bool>)] = &[
        ("G (door -> !heat)", Proved::Fails, Some(false)),
        ("G (n < 5)", Proved::Holds, None),
        ("G F door", Proved::Fails, Some(true)),
        ("F heat", Proved::Fails, Some(true)),
        ("G (heat -> F !heat)", Proved::Fails, Some(false)),
        ("F (heat & X heat)", Proved::Fails, Some(true)),
        ("!heat U heat | G !heat", Proved::Holds, None),
        ("G (chip_digital_write(13, 1) -> heat)", Proved::Holds, None),
        (
            "G (chip_digital_write(13, 1) -> X F chip_digital_write(13, 0))",
            Proved::Fails,
            Some(false),
        ),
        ("G {n >= 0 && n <= 4}", Proved::Holds, None),
        ("fair G F door", Proved::Fails, Some(true)),
    ];
    for (formula, verdict, is_endless) in heater_ones {
        let report = checked(&heater(), formula);
        assert_eq!(report.verdict, *verdict, "{formula}: {report:?}");
        let found = (report.verdict == Proved::Fails).then_some(report.end.is_none());
        assert_eq!(found, *is_endless, "{formula}: {report:?}");
        assert_eq!(
            found == Some(true),
            !report.cycle.is_empty(),
            "{formula}: {report:?}"
        );
        assert_eq!(report.unexplored, [], "{formula}");
    }
    let lock = checked(&example("knock-lock"), "G (locked -> F !locked)");
    assert_eq!(
        (lock.verdict, lock.cycle.len()),
        (Proved::Fails, 1),
        "{lock:?}"
    );
    let round = checked(&example("while"), "G (brightest <= 4095)");
    assert_eq!(round.verdict, Proved::Holds, "{round:?}");
}

/// Interrupts arrive at any moment, but they do not keep the program from going on.
#[test]
fn formulas_are_about_programs_that_are_interrupted_too() {
    let counter = example("binary-counter");
    for (formula, verdict) in [
        ("G (count < 16)", Proved::Holds),
        ("G F (chip_delay(50))", Proved::Holds),
        ("G (count == 0)", Proved::Fails),
        ("F (count == 3)", Proved::Fails),
        ("G ({count == 3} -> F {count == 4})", Proved::Fails),
    ] {
        let report = checked(&counter, formula);
        assert_eq!(report.verdict, verdict, "{formula}: {report:?}");
        let arrivals = report
            .prefix
            .iter()
            .filter(|choice| choice.call == "interrupt");
        let is_reached = formula.starts_with("G (count == 0)") || formula.starts_with("G ({");
        assert_eq!(arrivals.count() > 0, is_reached, "{formula}: {report:?}");
    }
    let never = demanded(
        &counter,
        &[
            (Demand::Never, "count > 15"),
            (Demand::Toward, "count == 2"),
        ],
    );
    let verdicts: Vec<Proved> = never.demands.iter().map(|demand| demand.verdict).collect();
    assert_eq!(
        verdicts,
        [Proved::Holds, Proved::Holds],
        "{:?}",
        never.demands
    );
}

/// A trap is one however many conditions differ where it comes.
#[test]
fn conditions_do_not_multiply_traps() {
    let report = demanded(&example("blink"), &[(Demand::Never, "blinker.blinks > 3")]);
    let plain = demanded(&example("blink"), &[]);
    let traps = |report: &StatesReport| -> Vec<(String, bool)> {
        let traps = report.traps.iter();
        traps
            .map(|trap| (trap.place.clone(), trap.certain))
            .collect()
    };
    assert_eq!(traps(&report), traps(&plain));
    assert_eq!(
        report.demands[0].verdict,
        Proved::Maybe,
        "{:?}",
        report.demands
    );
}

#[test]
fn what_means_nothing_is_refused_by_name() {
    let options = StatesOptions::default();
    let refused = |formula: &str| {
        let report = check_program(&heater(), None, formula, &options, &mut |_| Flow::Continue);
        report.expect_err(formula).to_string()
    };
    for (formula, words) in [
        ("G dor", "dor is not known here; did you mean door?"),
        (
            "G chip_digital_wirte(13, 1)",
            "the program calls nothing named chip_digital_wirte",
        ),
        ("G (door", "closing parenthesis"),
        ("G {door", "closing brace"),
        ("G", "a predicate"),
        ("G (door ->)", "a predicate"),
    ] {
        let said = refused(formula);
        assert!(said.contains(words), "{formula}: {said}");
    }
    let any = StatesOptions {
        anything: vec!["nn".to_owned()],
        ..StatesOptions::default()
    };
    let refused = states_of_program(&heater(), None, &any, &[], &mut |_| Flow::Continue);
    let said = refused.expect_err("no such variable").to_string();
    assert!(said.contains("nn is not known here"), "{said}");
}

/// With a variable taken for anything, what holds holds all the more; what it decides is a maybe.
#[test]
fn a_variable_can_be_taken_for_anything() {
    let any = |name: &str, demands: &[Demanded]| {
        let options = StatesOptions {
            anything: vec![name.to_owned()],
            ..StatesOptions::default()
        };
        let report = states_of_program(&heater(), None, &options, demands, &mut |_| Flow::Continue);
        report.expect("it opens")
    };
    let demands = [Demand::Never.of("heat > 1"), Demand::Never.of("n > 4")];
    let report = any("n", &demands);
    assert!(!report.complete);
    assert_eq!(report.maybe, ["n"]);
    assert_eq!(report.demands[0].verdict, Proved::Holds, "{report:?}");
    assert_eq!(report.demands[1].verdict, Proved::Maybe, "{report:?}");
    assert!(
        report.traps.iter().all(|trap| trap.inputs < 8),
        "{report:?}"
    );
}

/// What is said of a formula about a program that keeps a reading of 4096 values, `body` being what it does again and again.
fn about_a_reading(body: &str, formula: &str) -> ClaimReport {
    let text = format!(
        r#"(module
          (import "env" "chip_analog_read" (func $in (param i32) (result i32)))
          (import "env" "chip_digital_write" (func $write (param i32 i32)))
          (func (export "main") (local $x i32)
            (local.set $x (call $in (i32.const 34)))
            (loop $again {body} (br $again))))"#
    );
    let folder = tempfile::tempdir().expect("a folder");
    let (program, board) = (
        folder.path().join("p.wasm"),
        folder.path().join("board.toml"),
    );
    std::fs::write(&program, wat::parse_str(text).expect("valid text")).expect("written");
    let ranges = "[ranges]\n\"chip_analog_read(34)\" = \"0..4095\"\n\"chip_analog_read(35)\" = \"0..4095\"\n";
    std::fs::write(&board, ranges).expect("written");
    let options = StatesOptions::default();
    let report = check_program(&program, Some(&board), formula, &options, &mut |_| {
        Flow::Continue
    });
    report.expect("it means something")
}

#[test]
fn formulas_are_decided_where_sets_are_too_wide_to_be_looked_at() {
    const COMPARES: &str =
        "(call $write (i32.const 13) (i32.lt_s (local.get $x) (i32.const 2048)))";
    const WITH_ANOTHER: &str = "(if (i32.lt_s (local.get $x) (call $in (i32.const 35)))
        (then (call $write (i32.const 13) (i32.const 1)))
        (else (call $write (i32.const 13) (i32.const 0))))";
    let (on, off) = ("chip_digital_write(13, 1)", "chip_digital_write(13, 0)");
    for (body, formula, verdict) in [
        // What the reading was is so for ever.
        (COMPARES, format!("G ({on} -> G !{off})"), Proved::Holds),
        (COMPARES, format!("(G F {on}) | (G F {off})"), Proved::Holds),
        (COMPARES, format!("F {on}"), Proved::Fails),
        (COMPARES, format!("G F {on} -> F {off}"), Proved::Fails),
        // Compared with another each time, it decides nothing, but for the greatest.
        (WITH_ANOTHER, format!("G ({on} -> G !{off})"), Proved::Fails),
        (WITH_ANOTHER, format!("G F {on}"), Proved::Fails),
    ] {
        let report = about_a_reading(body, &formula);
        assert_eq!(report.verdict, verdict, "{formula}: {report:?}");
        assert_eq!(report.unexplored, [], "{formula}");
    }
}

/// Each round of this run has other values: it goes on for ever, and 4096 rounds are not looked at.
#[test]
fn a_run_that_never_comes_back_to_a_state_is_one() {
    let counts = "(local.set $x (i32.and (i32.add (local.get $x) (i32.const 1)) (i32.const 4095)))
        (drop (call $in (i32.const 35)))
        (if (i32.gt_s (local.get $x) (i32.const 5000)) (then (call $write (i32.const 13) (i32.const 1))))";
    let report = about_a_reading(counts, "F chip_digital_write(13, 1)");
    assert_eq!(
        (report.verdict, report.partial, report.cycle.len()),
        (Proved::Fails, 0, 1),
        "{report:?}"
    );
    let note = report.note.unwrap_or_default();
    assert!(note.contains("other values in each round"), "{note}");
}
