//! What it costs a run to be looked at, and how often it is seen.
//!
//! `cargo bench -p borges-session --bench live` prints a table: steps in a second with nobody looking and with somebody, by
//! turns, the best of five each, and pictures in a second. It fails if looking costs more than a twentieth.

#![allow(clippy::unwrap_used)] // a bench, nothing that ships

use std::time::{Duration, Instant};

use borges_session::command::{Act, Direction, Event};
use borges_session::{Flow, Options, Session};

const PROGRAMS: [&str; 4] = [
    "temperature-monitor",
    "color-dial",
    "breakout",
    "uart-parser",
];
const RUN: Duration = Duration::from_millis(700);
const TURNS: u32 = 5;
const MOST: f64 = 0.05;

/// Steps and pictures in a second.
fn run(name: &str, looks: bool) -> (f64, f64) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut options = Options::new(format!("{root}/{name}/{name}.wasm"));
    options.live_entries = u64::MAX;
    let mut session = Session::open(options).unwrap();
    session.look_on(looks.then(Vec::new));
    let (begun, mut pictures) = (Instant::now(), 0_u32);
    let direction = Direction::Forward;
    let reply = session.execute(Act::Continue { direction }, &mut |event| {
        if let Event::Live(picture) = event {
            // As a face would tell it.
            pictures += u32::from(!serde_json::to_vec(&picture).unwrap().is_empty());
        }
        if begun.elapsed() < RUN {
            Flow::Continue
        } else {
            Flow::Pause
        }
    });
    reply.unwrap();
    let seconds = begun.elapsed().as_secs_f64();
    let steps = session.here().steps as f64;
    (steps / seconds, f64::from(pictures) / seconds)
}

fn main() {
    println!("| program | steps/s alone | looked at | costs | pictures/s |");
    println!("|---|---|---|---|---|");
    let mut failed = false;
    for name in PROGRAMS {
        let (mut alone, mut seen, mut pictures) = (0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..TURNS {
            alone = alone.max(run(name, false).0);
            let (steps, often) = run(name, true);
            if steps > seen {
                (seen, pictures) = (steps, often);
            }
        }
        let costs = 1.0 - seen / alone;
        failed |= costs > MOST;
        println!(
            "| {name} | {alone:.0} | {seen:.0} | {:.1} % | {pictures:.1} |",
            costs * 100.0
        );
    }
    assert!(!failed, "looking costs more than {MOST}");
}
