//! `--queue`: jobs for workers that are elsewhere, and `borges worker --queue`, which does them.

use std::path::Path;
use std::sync::{Arc, Mutex};

use borges_cluster::queue::{NatsQueue, QueueError, QueueEvent, QueueWorker};
use borges_commands::message;
use borges_commands::paint::count;
use borges_session::command::broker::JobQueue;
use serde_json::json;

use super::{board, target, worker};
use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// The queue that jobs are put into, if one is named.
pub(crate) fn queue(within: &args::Within, output: &Output) -> Result<Option<JobQueue>, Failure> {
    let Some(address) = &within.queue else {
        return Ok(None);
    };
    let key = within.key_file.as_deref().map(target::read_key);
    let (is_json, paint) = (output.json, output.error_paint);
    let told = move |workers: usize, others: &[String]| {
        if is_json {
            let data = json!({ "progress": "workers", "done": workers, "others": others });
            super::tell(&format!("{data}\n"));
            return;
        }
        let workers = count(workers as u64, "worker");
        let all = others
            .iter()
            .fold(format!("the queue has {workers}"), |all, other| {
                all + "; " + other
            });
        super::tell(&format!("{}\n", paint.dim(all)));
    };
    let queue = NatsQueue::open(address, key.transpose()?.as_ref(), told);
    Ok(Some(JobQueue(Arc::new(queue.map_err(unusable)?))))
}

/// Takes jobs from a queue, until it is ended.
pub(crate) fn work(
    options: &args::Worker,
    address: &str,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let key = options
        .key_file
        .as_deref()
        .map(|file: &Path| board::key_of(file));
    let key = key.transpose()?;
    let cores = worker::cores(options.cores);
    let worker = QueueWorker::open(address, key.as_ref(), cores).map_err(unusable)?;
    let guarded = key.is_some();
    let team = worker.team();
    let data =
        json!({ "ok": true, "queue": address, "team": team, "cores": cores, "guarded": guarded });
    output.say(&data, |paint| {
        let address = paint.name(address);
        format!("a worker on {cores} cores takes jobs from {address}\n")
    })?;
    let output = Mutex::new(output);
    worker.serve(&|event| {
        // Who does not listen any more has no need of it; whoever asked has.
        if let Ok(mut output) = output.lock() {
            let _ = report(&event, &mut output);
        }
    });
    Ok(Exit::Ok)
}

fn unusable(error: QueueError) -> Failure {
    let next = match &error {
        QueueError::Address { .. } => "for example nats://127.0.0.1:4222",
        QueueError::KeyNeeded { .. } => {
            "'borges worker --key-file FILE' makes one: copy it to all computers"
        }
        QueueError::Unreached { .. } => "start a server there: nats-server --jetstream",
        QueueError::NoStreams { .. } => "the user that is named may need more rights",
        QueueError::Io(_) => "",
    };
    Failure::new(Exit::Device, error, next)
}

fn report(event: &QueueEvent, output: &mut Output) -> Result<(), Failure> {
    let data = match event {
        QueueEvent::Begins { run, program } => {
            json!({ "event": "begins", "run": run, "program": program })
        }
        QueueEvent::Over { run, jobs } => json!({ "event": "over", "run": run, "jobs": jobs }),
        QueueEvent::TurnedAway { why } => json!({ "event": "turned-away", "why": why }),
        QueueEvent::Lost { why } => json!({ "event": "lost", "why": why }),
    };
    output.say(&data, |paint| match event {
        QueueEvent::Begins { program, .. } => {
            format!("helps with paths of {}\n", paint.name(program))
        }
        QueueEvent::Over { jobs, .. } => {
            format!("that is over, {} were done\n", count(*jobs, "job"))
        }
        QueueEvent::TurnedAway { why } => message::warning(why, paint),
        QueueEvent::Lost { why } => message::warning(
            &format!("the queue does not answer: {why}; trying again"),
            paint,
        ),
    })
}
