//! When a device sends what it records: together, soon, and all of it before the program stands still.

#![allow(clippy::unwrap_used)] // helpers of tests, not tests themselves

mod support;

use borges_wire::{BlobKind, Bytes, Command, ContentHash, Report, SCHEMA, TraceDecoder};
use support::Line;

/// Reads an input all the time.
const PROGRAM: &str = r#"(module
    (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
    (func (export "main") (loop $again (drop (call $read (i32.const 10))) (br $again))))"#;
const MAIN: u32 = 1;

/// Reads nothing.
const SILENT: &str = r#"(module
    (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
    (func (export "main") (loop $again (br $again))))"#;

/// Lets a program run.
fn run(line: &mut Line, program: &str) {
    let module = wat::parse_str(program).unwrap();
    let program = ContentHash::of(&module);
    line.pass(100);
    line.say(Command::Hello {
        schema: SCHEMA,
        resume: None,
    });
    line.say(Command::Load {
        part: BlobKind::Program,
        hash: program,
        total: module.len() as u32,
        offset: 0,
        bytes: Bytes(module),
    });
    line.say(Command::Begin {
        program,
        board: ContentHash::of(b""),
        entry: MAIN,
        arguments: Vec::new(),
    });
    line.say(Command::Run { until: None });
}

#[test]
fn records_travel_together_and_arrive_in_time() {
    let mut line = Line::new();
    run(&mut line, PROGRAM);
    let (from, until) = (line.now_us, line.now_us + 1_000_000);
    line.pass(1000);
    let messages = line.reports.iter().filter_map(|(at, report)| match report {
        Report::Trace { .. } if *at > from => Some(*at),
        _ => None,
    });
    let times: Vec<u64> = [from].into_iter().chain(messages).chain([until]).collect();
    let longest = times.windows(2).map(|pair| pair[1] - pair[0]).max();
    // 50 ms in the stub, 5 at most at its end of the line, and the rest of a slice on either side.
    assert!(
        longest <= Some(57_000),
        "nothing arrived for {longest:?} µs"
    );
    assert!(
        times.len() < 25,
        "{} messages in a second, which records had to make up for",
        times.len() - 2
    );
}

/// The twin follows a program that records nothing: it is told after every quarter of a million steps, and in between it is not.
#[test]
fn a_program_without_records_says_how_far_it_is() {
    let mut line = Line::new();
    run(&mut line, SILENT);
    line.pass(450_000);
    let reached: Vec<u64> = line
        .reports
        .iter()
        .filter_map(|(_, report)| match report {
            Report::Trace {
                first: 0,
                base,
                records,
            } if records.0.is_empty() => Some(*base),
            Report::Trace { .. } => panic!("{report:?}"),
            _ => None,
        })
        .collect();
    assert!(reached.len() >= 2, "{reached:?}");
    let said = [0].into_iter().chain(reached).collect::<Vec<_>>();
    for pair in said.windows(2) {
        let further = pair[1] - pair[0];
        assert!((250_000..250_020).contains(&further), "{said:?}");
    }
    line.say(Command::Pause);
    line.pass(100);
    let paused = line.reports.iter().find_map(|(_, report)| match report {
        Report::Paused {
            steps,
            next_record: 0,
            ..
        } => Some(*steps),
        _ => None,
    });
    assert!(paused.unwrap() > said[said.len() - 1]);
}

#[test]
fn everything_is_there_when_the_program_stands_still() {
    let mut line = Line::new();
    run(&mut line, PROGRAM);
    // Longer than a record has to wait, and then a part of that.
    line.pass(120);
    line.say(Command::Pause);
    let mut records = 0;
    for (_, report) in &line.reports {
        match report {
            Report::Trace {
                first,
                base,
                records: bytes,
            } => {
                assert_eq!(*first, records, "one is missing before this message");
                records += TraceDecoder::new(*base, bytes).count() as u64;
            }
            Report::Paused { next_record, .. } => {
                assert!(records > 100, "the program has read {records} inputs");
                return assert_eq!(*next_record, records, "what it has read came before");
            }
            _ => {}
        }
    }
    panic!("it did not stand still: {:?}", line.reports);
}
