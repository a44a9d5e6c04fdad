//! `borges run` of a network or of a program of a model language: one of its runs, chosen by a seed.

use borges_commands::paint::{Role, count, printable};
use borges_languages::model::{Explore, Model};
use borges_multiverse::language::Language as _;
use serde_json::json;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::interrupt::{self, Pausable};
use crate::output::Output;

/// Steps of a run that goes on for ever, without another bound.
const STEPS: u64 = 1000;

/// Runs what is named, if it is no module but one of these: its steps on standard output, how it ended on standard error, or everything as one JSON object.
pub(super) fn run(options: &args::Run, output: &mut Output) -> Result<Option<Exit>, Failure> {
    let word = options.program.to_str();
    match word.map(super::model::named).transpose()?.flatten() {
        Some(model) => one(&model, options, output).map(Some),
        None => Ok(None),
    }
}

fn one(model: &Model, options: &args::Run, output: &mut Output) -> Result<Exit, Failure> {
    let start = &options.start;
    let is_module = start.board.is_some()
        || !start.entry.entry.is_empty()
        || !start.entry.linked.libraries.is_empty();
    if options.inputs.is_some() || is_module {
        return Err(Failure::usage(
            "--inputs, --board, --entry and --link are for one WebAssembly module",
            "--seed N chooses another run; a network names its boards itself",
        ));
    }
    let program = model.program().steps(&Explore::default());
    let mut random = fastrand::Rng::with_seed(start.seed.unwrap_or(0));
    let most = options.steps.unwrap_or(STEPS);
    let (mut state, mut taken, mut told) = (program.initial(), 0, Vec::new());
    let _pausable = Pausable::begin();
    let outcome = loop {
        let mut choices = Vec::new();
        program.enabled(&state, &mut choices);
        if choices.is_empty() {
            break Some(program.outcome(&state));
        }
        if taken >= most || interrupt::pressed() {
            break None;
        }
        let choice = &choices[random.usize(..choices.len())];
        let label = program.label(&state, choice);
        if output.json {
            let agent = program.agent(&state, choice).to_string();
            told.push(json!({ "agent": agent, "rule": label.rule, "text": label.text }));
        } else {
            let line = format!("{:<12} {}\n", label.rule, printable(&label.text));
            output.text(&line)?;
        }
        // What is enabled can happen.
        let Some(next) = program.apply(&state, choice) else {
            break None;
        };
        state = next.state;
        taken += 1;
    };
    let (exit, said) = match &outcome {
        Some(end) if end.verdicts.finished() => (Exit::Ok, end.to_string()),
        Some(end) => (Exit::Failed, end.to_string()),
        None if interrupt::pressed() => (Exit::Interrupted, "stopped by Ctrl-C".to_owned()),
        None => (
            Exit::Ok,
            "stopped: the program goes on; --steps N says how long it may".to_owned(),
        ),
    };
    if output.json {
        let program = &options.program;
        output.json(&json!({ "program": program, "steps": told, "end": outcome.map(|_| said) }))?;
    } else {
        let role = if exit == Exit::Failed {
            Role::Bad
        } else {
            Role::Good
        };
        let said = output.error_paint.paint(role, printable(&said));
        super::tell(&format!("{said}\n{}\n", count(taken, "step")));
    }
    Ok(exit)
}
