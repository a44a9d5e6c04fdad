//! Where a file was changed last.

use borges_board::PrimitiveId;
use borges_wasi::{Function, Listed, NoSubject, World};

use super::backward::look_back;
use crate::command::listing::Written;
use crate::command::{Observer, Reply};
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::history::{Found, Stops};
use crate::stage::Stage;
use crate::values::parse_quoted;

/// The path that a question is about, if it is about one: a text in quotes, or one that begins like a path.
///
/// # Errors
/// The quotes do not hold a text.
pub(super) fn path_in(what: &str) -> Result<Option<String>, CommandError> {
    let quoted = parse_quoted(what).map_err(CommandError::Invalid)?;
    Ok(quoted.or_else(|| what.starts_with('/').then(|| what.to_owned())))
}

/// Goes to just before the last step that changed what is at a path: made, written, cut, renamed or removed it.
pub(super) fn changer_of(
    stage: &mut Stage,
    device: Option<Moment>,
    path: &str,
    here: Moment,
    observer: Observer<'_>,
) -> Result<Reply, CommandError> {
    let now = system(stage)?;
    let named = now.subject_named(Function::PathOpen, path);
    let path = named.map_err(|error| outside(path, &error))?;
    let stops = Stops {
        // Whatever a call is for, a mock may have somebody outside change the file with it.
        primitives: (0..)
            .map_while(|import| stage.program().primitive(import))
            .collect::<Vec<PrimitiveId>>(),
        ..Stops::default()
    };
    let mut back_to = here;
    let look = |stage: &mut Stage, stretch, observer: Observer<'_>| {
        last_change(stage, stretch, &stops, &path, observer)
    };
    let found = match look_back(stage, &mut back_to, Moment::START, look, observer) {
        Err(CommandError::Paused) => {
            let far = back_to.steps;
            let text = format!("paused: nothing changed '{path}' since step {far}");
            return Ok(Reply::done(&text));
        }
        found => found?,
    };
    let Some((moment, before, after)) = found else {
        return match now.at_path(&path) {
            Some(_) => {
                let text =
                    format!("'{path}' was not changed before here: it is as it was at the start");
                Ok(Reply::done(&text))
            }
            None => Err(CommandError::NoSuch(format!(
                "there is no file {path}, and there was none before here: 'files' lists those that there are"
            ))),
        };
    };
    stage.history.seek(moment, observer)?;
    let at = stage.view(stage.history.here(), device);
    Ok(Reply::Written(Box::new(Written {
        what: path,
        at,
        before,
        after,
    })))
}

/// The last call of a stretch in which what is at a path came to be another: the moment before it, and in words what was
/// there and then was.
fn last_change(
    stage: &mut Stage,
    (start, end): (Moment, Moment),
    stops: &Stops,
    path: &str,
    observer: Observer<'_>,
) -> Result<Option<(Moment, String, String)>, CommandError> {
    stage.history.seek(start, observer)?;
    let (mut at, mut before) = (start, system(stage)?);
    let mut found = None;
    stage.history.arm(stops);
    let walked: Result<(), CommandError> = loop {
        let stop = match stage.history.walk_armed(end, stops, None, observer) {
            Ok(stop) => stop,
            Err(error) => break Err(error.into()),
        };
        let after = match system(stage) {
            Ok(after) => after,
            Err(error) => break Err(error),
        };
        if before.differs_at(&after, path) {
            found = Some((at, words(&before, path), words(&after, path)));
        }
        (at, before) = (stage.history.here(), after);
        if at == end || matches!(stop, Found::Finished | Found::Trapped(_)) {
            break Ok(());
        }
    };
    stage.history.disarm(stops);
    walked.map(|()| found)
}

/// What is at a path, in words.
fn words(world: &World, path: &str) -> String {
    match world.at_path(path) {
        None => "nothing".to_owned(),
        Some(Listed::File(1)) => "1 byte".to_owned(),
        Some(Listed::File(bytes)) => format!("{bytes} bytes"),
        Some(Listed::Folder) => "a folder".to_owned(),
        Some(Listed::Link(target)) => format!("a link to {target}"),
    }
}

fn outside(path: &str, error: &NoSubject) -> CommandError {
    let folders = match error {
        NoSubject::Outside { folders, .. } => &folders[..],
        NoSubject::Nothing(_) => &[],
    };
    CommandError::NoSuch(match folders {
        [] => "the program has no files: --dir HOST::GUEST gives it a folder".to_owned(),
        folders => format!(
            "the program has no file {path}: its paths begin with {}",
            folders.join(" or ")
        ),
    })
}

fn system(stage: &Stage) -> Result<World, CommandError> {
    stage.history.twin().board.system().cloned().ok_or_else(|| {
        let text = "this program calls no operating system, so it has no files";
        CommandError::Invalid(text.to_owned())
    })
}
