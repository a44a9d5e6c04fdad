//! `borges run`: a program without the debugger.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use borges_session::headless::{
    self, Inputs, LimitBroken, RunError, RunOptions, RunOutcome, RunReport, TrapAt,
};
use borges_session::values::parts;
use borges_session::{Provided, contents};
use serde_json::json;

use super::record::watched;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use borges_commands::device::render;
use borges_commands::paint::{Paint, Role, count, grouped, printable};

/// Runs a program and says what it did: what it prints on standard output, how it ended on standard error, or
/// everything as one JSON object.
pub(crate) fn run(options: &args::Run, output: &mut Output) -> Result<Exit, Failure> {
    let run_options = how(options)?;
    let started = Instant::now();
    let report = watched(output, |observer| {
        let board = options.start.board.as_deref();
        headless::run(&options.program, board, &run_options, observer)
    })?;
    let report = report.map_err(|error| match error {
        RunError::Input { .. } => {
            Failure::usage(error, "'borges inspect' lists what every input can yield")
        }
        RunError::Open(error) => super::unopened(&error),
        RunError::WriteBack(error) => Failure::input(error, ""),
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let exit = match report.outcome {
        // A shell sees eight bits of it.
        RunOutcome::Exited => Exit::Program(report.exit_code.unwrap_or_default() as u8),
        RunOutcome::Trapped => Exit::Failed,
        RunOutcome::Paused => Exit::Interrupted,
        _ if !report.limits.is_empty() => Exit::Failed,
        _ => Exit::Ok,
    };
    if output.json {
        let mut object = serde_json::to_value(&report).map_err(std::io::Error::other)?;
        object["program"] = json!(options.program);
        object["seconds"] = json!(seconds);
        output.json(&object)?;
    } else {
        if !report.system && !report.console.is_empty() && !report.console.ends_with('\n') {
            output.text("\n")?;
        }
        // What stands in for a runtime says nothing of its own where all went well and nothing was returned.
        let went_well = matches!(report.outcome, RunOutcome::Exited | RunOutcome::Returned);
        if !report.system || !went_well || !report.results.is_empty() {
            super::tell(&summary(&report, seconds, options, &output.error_paint));
        }
    }
    Ok(exit)
}

/// How to run, as the command line says.
fn how(options: &args::Run) -> Result<RunOptions, Failure> {
    let inputs = match &options.inputs {
        None => Inputs::Board,
        // `--inputs ''` gives none, so that the program ends at the first.
        Some(list) if list.trim().is_empty() => Inputs::Texts(Vec::new()),
        Some(list) => Inputs::Texts(parts(list).map(str::to_owned).collect()),
    };
    Ok(RunOptions {
        system: Some(real(options)?),
        libraries: options.start.entry.linked.libraries.clone(),
        entry: options.start.entry.script(),
        inputs,
        steps: options.steps,
        seed: options.start.seed,
        real_time: options.start.seed.is_none(),
        write_back: options.write_back,
        ..RunOptions::default()
    })
}

/// What a program of an operating system finds in a plain run: this command's own input, time and chance, unless a seed
/// says that the run is to be the same each time.
fn real(options: &args::Run) -> Result<Provided, Failure> {
    let mut given = super::system::given(&options.system, options.start.seed)?.unwrap_or_default();
    let calls = contents::calls_system(&options.program, &options.start.entry.linked.libraries);
    if calls && options.system.stdin.is_none() && !std::io::stdin().is_terminal() {
        given.input = super::system::input(Path::new("-"))?;
    }
    if options.start.seed.is_none() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_nanos() as u64);
        (given.start, given.seed) = (Some(now), now);
        if !options.system.found.terminal {
            let is_read = options.system.stdin.is_none() && std::io::stdin().is_terminal();
            given.terminals = [
                is_read,
                std::io::stdout().is_terminal(),
                std::io::stderr().is_terminal(),
            ];
        }
    }
    Ok(given)
}

/// How a run ended, for people.
fn summary(report: &RunReport, seconds: f64, options: &args::Run, paint: &Paint) -> String {
    let mut text = String::new();
    let mut row = |role, line: String| {
        text.push_str(&paint.paint(role, line));
        text.push('\n');
    };
    match (&report.outcome, &report.trap) {
        (RunOutcome::Trapped, Some(trap)) => {
            for (role, line) in trap_shown(trap) {
                row(role, line);
            }
        }
        (RunOutcome::Trapped, None) => row(Role::Bad, "trap".to_string()),
        (RunOutcome::Returned, _) => {
            let results: Vec<String> = report.results.iter().map(ToString::to_string).collect();
            let what = match report.entry.contains('\n') {
                true => "the entries",
                false => &report.entry,
            };
            let line = format!("{what} returned {}", results.join(", "));
            row(Role::Good, line.trim_end().to_string());
        }
        (RunOutcome::Exited, _) => {
            let code = report.exit_code.unwrap_or_default();
            row(Role::Good, format!("{} exited with {code}", report.entry));
        }
        (RunOutcome::Budget, _) => {
            let words = match options.steps {
                Some(_) => "the steps are used up",
                None => "stopped: the program goes on for long; --steps N says how long it may",
            };
            row(Role::Warning, words.to_string());
        }
        (RunOutcome::InputsExhausted, _) => {
            let words = "the program wants another input, and all are used up";
            row(Role::Warning, words.to_string());
        }
        (RunOutcome::Paused, _) => row(Role::Warning, "stopped by Ctrl-C".to_string()),
    }
    for (role, line) in report.limits.iter().flat_map(limit_shown) {
        row(role, line);
    }
    let (inputs, outputs) = (report.inputs.len() as u64, report.outputs.len() as u64);
    let (inputs, outputs) = (count(inputs, "input"), count(outputs, "output"));
    let mut facts = format!("{}, {inputs}, {outputs}", count(report.steps, "step"));
    if !report.events.is_empty() {
        facts.push_str(&format!(", {}", count(report.events.len() as u64, "event")));
    }
    facts.push_str(&format!(", {seconds:.3} s"));
    if seconds > 0.01 {
        let rate = report.steps as f64 / seconds;
        facts.push_str(&format!(" ({} steps a second)", grouped(rate as u64)));
    }
    row(Role::Dim, facts);
    row(Role::Dim, format!("state {}", report.state_hash));
    let board = match &report.board_file {
        Some(file) => format!("board '{}' ({file})", report.board),
        None => format!("board '{}': no board.toml beside the program", report.board),
    };
    row(Role::Dim, board);
    text
}

/// Why and where a program trapped.
fn trap_shown(trap: &TrapAt) -> Vec<(Role, String)> {
    let mut rows = vec![(Role::Bad, format!("trap: {}", printable(&trap.reason)))];
    if let Some(message) = &trap.message {
        rows.push((Role::Value, format!("  {}", printable(message))));
    }
    let function = trap.function.as_deref().unwrap_or("the program");
    let mut at = format!("  in {}", printable(function));
    if trap.line.is_some() || trap.offset.is_some() {
        at += &format!(", {}", render::at(&trap.file, trap.line, trap.offset));
    }
    rows.push((Role::Place, at));
    rows
}

/// A broken limit of the board, and where it was broken first.
fn limit_shown(broken: &LimitBroken) -> [(Role, String); 2] {
    let again = match broken.times {
        1 => String::new(),
        times => format!(", {times} times"),
    };
    let (limit, value) = (printable(&broken.limit), printable(&broken.value));
    let head = format!("limit {limit}: broken{again}; {value}");
    let (call, place, step) = (&broken.call, &broken.place, broken.step);
    let place = format!("  by {call} at {place}, step {step}");
    [(Role::Bad, head), (Role::Place, place)]
}
