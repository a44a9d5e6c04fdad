//! What a device takes: at each of its limits, and one past it.

#![allow(clippy::unwrap_used)] // helpers of tests, not tests themselves

mod support;

use borges_wire::{
    BlobKind, Bytes, Command, ContentHash, Failure, Measure, Report, SCHEMA, Watch, WatchAccess,
};
use support::Line;

/// A device that knows its host.
fn line() -> Line {
    let mut line = Line::new();
    line.pass(100);
    line.say(Command::Hello {
        schema: SCHEMA,
        resume: None,
    });
    line
}

/// What the device answers to a command.
fn answer(line: &mut Line, command: Command) -> Report {
    line.reports.clear();
    line.say(command);
    let (_, report) = line.reports.pop().expect("it answers");
    report
}

fn is_done(report: &Report) -> bool {
    matches!(report, Report::Done { .. })
}

/// The limit that a refusal names, with what was wanted.
fn refused(report: &Report) -> (Measure, u64, u64) {
    match report {
        Report::Failed {
            failure:
                Failure::Limit {
                    measure,
                    wanted,
                    most,
                },
            ..
        } => (*measure, *wanted, *most),
        other => panic!("{other:?}"),
    }
}

#[test]
fn so_many_stops_and_mocks_at_a_time() {
    let mut line = line();
    let breakpoints = |count| Command::SetBreakpoints(vec![40; count]);
    assert!(is_done(&answer(&mut line, breakpoints(8))));
    let passed = refused(&answer(&mut line, breakpoints(9)));
    assert_eq!(passed, (Measure::Breakpoints, 9, 8));

    let access = WatchAccess::Write;
    let watches = |count| Command::SetWatches(vec![Watch::Global { index: 0, access }; count]);
    assert!(is_done(&answer(&mut line, watches(4))));
    let passed = refused(&answer(&mut line, watches(5)));
    assert_eq!(passed, (Measure::Watches, 5, 4));
}

#[test]
fn so_many_bytes_of_each_part() {
    let mut line = line();
    for (part, most) in [
        (BlobKind::Program, 8 << 10),
        (BlobKind::State, 8 << 10),
        (BlobKind::Board, 16 << 10),
    ] {
        let mut load = |total: u32| {
            let load = Command::Load {
                part,
                hash: ContentHash::of(&total.to_le_bytes()),
                total,
                offset: 0,
                bytes: Bytes(vec![7; 16]),
            };
            answer(&mut line, load)
        };
        assert!(is_done(&load(most)), "{part:?}");
        let passed = refused(&load(most + 1));
        assert_eq!(
            passed,
            (Measure::Bytes(part), u64::from(most) + 1, u64::from(most))
        );
    }
}
