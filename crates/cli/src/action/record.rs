//! `borges record` and `borges replay`.

use std::path::Path;
use std::time::Instant;

use borges_session::command::{Event, Flow, StopReason};
use borges_session::{Look, Observer, Options, Replayed, Reply, Session};
use serde_json::json;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::interrupt::{self, Pausable};
use crate::output::Output;
use borges_commands::message;
use borges_commands::paint::{Role, count, grouped};

/// Runs a program at full speed and writes its trace to a session file.
pub(crate) fn record(options: &args::Record, output: &mut Output) -> Result<Exit, Failure> {
    if options.output.exists() {
        return Err(Failure::usage(
            format!("{} exists already", options.output.display()),
            "give another name, or go on with it: borges repl FILE",
        ));
    }
    let target = super::target::Target::of(&options.target)?;
    let session = Options {
        session_file: Some(options.output.clone()),
        ..target.options(&options.program, &options.start, &options.system)?
    };
    let mut session = Session::open(session)?;
    let started = Instant::now();
    let reason = watched(output, |observer| session.record(options.steps, observer))?;
    let reason = reason.map_err(|error| Failure::new(Exit::Device, error, ""))?;
    let seconds = started.elapsed().as_secs_f64();
    let place = session.here();
    let entries = match session.execute(Look::Info, &mut |_| Flow::Continue) {
        Ok(Reply::Info(info)) => info.entries,
        _ => 0,
    };
    let exit = match reason {
        StopReason::Trapped { .. } => Exit::Failed,
        _ => Exit::Ok,
    };
    if output.json {
        let mut object = serde_json::to_value(&reason).map_err(std::io::Error::other)?;
        object["steps"] = json!(place.steps);
        object["entries"] = json!(entries);
        object["session"] = json!(options.output);
        object["seconds"] = json!(seconds);
        output.json(&object)?;
        return Ok(exit);
    }
    let how = match &reason {
        StopReason::Finished { .. } => "the program returned".to_string(),
        StopReason::Trapped { trap } => format!("trap: {trap}"),
        StopReason::Paused => "stopped by Ctrl-C".to_string(),
        StopReason::Bound => "the steps are used up".to_string(),
        other => format!("{other:?}"),
    };
    let paint = output.paint;
    let role = match exit {
        Exit::Ok => Role::Good,
        _ => Role::Bad,
    };
    let file = options.output.display();
    let (how, next) = (
        paint.paint(role, how),
        paint.dim(format!("look at it with: borges repl {file}")),
    );
    let (steps, entries) = (count(place.steps, "step"), count(entries, "entry"));
    let said = format!("{how}\n{steps}, {entries}, {seconds:.3} s\nkept in {file}\n{next}\n");
    output.text(&said)?;
    Ok(exit)
}

/// Runs a recording again and compares.
///
/// # Errors
/// What the user is told; a difference ends with [`Exit::Failed`].
pub(crate) fn replay(options: &args::Replay, output: &mut Output) -> Result<Exit, Failure> {
    let mut session = resume(&options.session, output)?;
    warn_of_damage(&session, output);
    let started = Instant::now();
    let replayed = watched(output, |observer| session.replay(observer))?;
    let seconds = started.elapsed().as_secs_f64();
    match replayed {
        Err(error) if output.json => {
            let message = error.to_string();
            output.json(&json!({ "same": false, "difference": message, "seconds": seconds }))?;
            Ok(Exit::Failed)
        }
        Err(error) => Err(Failure::new(Exit::Failed, error, "")),
        Ok(replayed) if output.json => {
            let mut object = serde_json::to_value(&replayed).map_err(std::io::Error::other)?;
            // Of what was not replayed nobody knows.
            object["same"] = json!(replayed.complete.then_some(true));
            object["seconds"] = json!(seconds);
            output.json(&object)?;
            Ok(exit_of(&replayed))
        }
        Ok(replayed) => {
            let paint = output.paint;
            let branches = count(u64::from(replayed.branches), "branch");
            let said = match replayed.complete {
                true => paint.good("the same, bit for bit:"),
                false => paint.warning("stopped by Ctrl-C; the same so far:"),
            };
            output.text(&format!(
                "{} {branches}, {} steps, {} compared with recorded hashes, {seconds:.3} s\n",
                said,
                grouped(replayed.steps),
                replayed.compared,
            ))?;
            for (branch, state) in replayed.states.iter().enumerate() {
                output.text(&paint.dim(format!("branch {branch}: state {state}")))?;
                output.text("\n")?;
            }
            Ok(exit_of(&replayed))
        }
    }
}

fn exit_of(replayed: &Replayed) -> Exit {
    match replayed.complete {
        true => Exit::Ok,
        false => Exit::Interrupted,
    }
}

/// Opens a session file; Ctrl-C ends the command.
pub(crate) fn resume(path: &Path, output: &Output) -> Result<Session, Failure> {
    let session = opening(output, |observer| resume_with(path, observer))?;
    let stopped = "stopped by Ctrl-C before the session was open";
    match interrupt::take() {
        false => Ok(session),
        true => Err(Failure::new(Exit::Interrupted, stopped, "")),
    }
}

/// Opens a session file. If `observer` pauses the replay to where the user was, the session stands where that came to.
pub(crate) fn resume_with(path: &Path, observer: Observer<'_>) -> Result<Session, Failure> {
    if !path.exists() {
        return Err(Failure::input(
            format!("there is no session file {}", path.display()),
            "'borges record' and 'borges repl --session FILE' write one",
        ));
    }
    let opened = Session::resume_observed(path, observer);
    opened.map_err(|error| super::unopened(&error))
}

/// Opens something: shows its progress, and pauses it at Ctrl-C. Before it has told anything, there is nothing to pause:
/// Ctrl-C ends the command.
pub(crate) fn opening<T>(output: &Output, work: impl FnOnce(Observer<'_>) -> T) -> T {
    let mut pausable = None;
    let mut progress = output.progress();
    work(&mut |event| {
        pausable.get_or_insert_with(Pausable::begin);
        progress.hear(&event);
        interrupt::flow()
    })
}

/// Says what of a session's file is damaged, and what of the program's debug information is left out.
pub(crate) fn warn_of_damage(session: &Session, output: &Output) {
    for said in session.warnings() {
        super::tell(&message::warning(&said, &output.error_paint));
    }
}

/// Does long work: shows its progress, its warnings and what the program prints, and pauses it at Ctrl-C.
pub(super) fn watched<T>(
    output: &mut Output,
    work: impl FnOnce(Observer<'_>) -> T,
) -> Result<T, Failure> {
    let _pausable = Pausable::begin();
    let mut progress = output.progress();
    let error_paint = output.error_paint;
    let mut broken = None;
    let result = work(&mut |event| {
        let mut show = |bytes, is_error| {
            if !output.json {
                broken = output.bytes(bytes, is_error).err().or(broken.take());
            }
        };
        if !progress.hear(&event) {
            progress.clear();
        }
        match &event {
            Event::Warning { text } => super::tell(&message::warning(text, &error_paint)),
            Event::Console { text } => show(text.as_bytes(), false),
            Event::Stream { is_error, bytes } => show(bytes, *is_error),
            Event::Progress { .. } | Event::Surveying { .. } => {}
            Event::Log { .. } | Event::Live(_) => {}
        }
        match broken {
            Some(_) => Flow::Pause,
            None => interrupt::flow(),
        }
    });
    progress.clear();
    broken.map_or(Ok(result), Err)
}
