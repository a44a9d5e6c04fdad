//! `borges worker`: one of several processes that survey a program together.

use std::sync::Mutex;

use borges_cluster::{Worker, WorkerEvent};
use borges_languages::model::Threads;
use borges_multiverse::workers::Workers as _;
use serde_json::json;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Waits for surveys, and helps with them.
pub(crate) fn worker(options: &args::Worker, output: &mut Output) -> Result<Exit, Failure> {
    let key = options.key_file.as_deref().map(super::board::key_of);
    let key = key.transpose()?;
    let guarded = key.is_some();
    let cores = cores(options.cores);
    let worker = Worker::open(&options.listen, key, cores)
        .map_err(|error| Failure::new(Exit::Device, error, "see 'borges worker --help'"))?;
    let address = worker
        .address()
        .map_err(|error| Failure::new(Exit::Device, error, ""))?;
    let address = address.to_string();
    let data = json!({ "ok": true, "address": address, "cores": cores, "guarded": guarded });
    output.say(&data, |paint| {
        let address = paint.name(&address);
        format!(
            "a worker on {cores} cores waits at {address} for 'borges explore --workers FILE'\n"
        )
    })?;
    let output = Mutex::new((output, None));
    worker.serve(options.surveys, &|visit| {
        let Ok(mut output) = output.lock() else {
            return;
        };
        // Who does not listen any more has no need of the rest; the survey has.
        if let Err(failure) = report(&visit, output.0) {
            output.1 = Some(failure);
        }
    });
    match output.into_inner().map(|(_, failure)| failure) {
        Ok(Some(failure)) => Err(failure),
        _ => Ok(Exit::Ok),
    }
}

/// On how many cores this process works: on all, if nothing is said.
pub(super) fn cores(asked: Option<u16>) -> u32 {
    Threads::on(asked.map(usize::from)).count() as u32
}

fn report(visit: &WorkerEvent, output: &mut Output) -> Result<(), Failure> {
    let data = match visit {
        WorkerEvent::TurnedAway { from, why } => {
            json!({ "event": "turned-away", "from": from.to_string(), "why": why })
        }
        WorkerEvent::Begins {
            from,
            program,
            place: (place, of),
        } => {
            json!({ "event": "begins", "from": from.to_string(), "program": program, "place": place, "of": of })
        }
        WorkerEvent::Done => json!({ "event": "done" }),
        WorkerEvent::Over { why } => json!({ "event": "over", "why": why }),
    };
    output.say(&data, |paint| match visit {
        WorkerEvent::TurnedAway { from, why } => format!("{from} was turned away: {why}\n"),
        WorkerEvent::Begins {
            from,
            program,
            place: (place, of),
        } => {
            let program = paint.name(program);
            format!("a survey of {program} begins for {from}: this is {place} of {of}\n")
        }
        WorkerEvent::Done => "it is done\n".to_owned(),
        WorkerEvent::Over { why } => format!("it is over: {why}; waiting for the next\n"),
    })
}
