//! `--queue` where borges was built without the library for it.

use borges_session::command::broker::JobQueue;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// No queue, and an error if one is named.
pub(crate) fn queue(within: &args::Within, _: &Output) -> Result<Option<JobQueue>, Failure> {
    match &within.queue {
        None => Ok(None),
        Some(_) => Err(without()),
    }
}

/// An error.
pub(crate) fn work(_: &args::Worker, _: &str, _: &mut Output) -> Result<Exit, Failure> {
    Err(without())
}

fn without() -> Failure {
    Failure::usage(
        "this borges was built without queues",
        "build it with its usual features, or look for paths on several cores: --cores N",
    )
}
