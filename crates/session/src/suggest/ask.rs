//! Questions about the universe that a session shows.

use std::sync::Mutex;
use std::time::Instant;

use borges_concolic::{Start, UNASKED_STDIN, solver};
use borges_vm::{Outcome, Trap};

use super::errand::{About, errand};
use super::inquiry::{Goal, Inquiry, is_called};
use super::options::has_system;
use super::surveying;
use crate::command::Observer;
use crate::command::broker::Seekers;
use crate::command::question::{Destination, Question, Turn, Within};
use crate::command::surveying::StatesSurvey;
use crate::command::unobserved;
use crate::command::{CodePlace, Flow, Reply};
use crate::error::CommandError;
use crate::history::entry::{EntryKind, Moment};
use crate::stage::{Stage, universe_id};

/// Choices that a `why` looks at: the last ones.
const MOST_TURNS: usize = 256;

/// A question about the futures of the universe shown, to be answered here or on another thread. Nothing of the
/// session changes, neither now nor then. `observer` hears of replays on the way, and may pause them.
///
/// # Errors
/// [`CommandError`]: it cannot be asked here, names something that is not there, or was paused.
pub(crate) fn inquire(
    stage: &mut Stage,
    question: Question,
    within: Within,
    observer: Observer<'_>,
) -> Result<Inquiry, CommandError> {
    if let Err(message) = solver::named(within.solver.as_deref(), std::time::Duration::ZERO) {
        return Err(CommandError::Invalid(message));
    }
    let stops = match &within.stop {
        Some(place) => stage.resolve(place)?.0,
        None => Vec::new(),
    };
    let choices = within.choices(&question);
    let mut choices = choices.map_err(CommandError::Invalid)?;
    let system = stage.history.twin().board.system();
    let is_asked = (within.stdin.or(within.faults).or(within.pieces)).is_some();
    has_system(is_asked, system).map_err(CommandError::Invalid)?;
    if question == Question::Bugs
        && choices.stdin.is_none()
        && system.is_some_and(|system| !system.has_input())
    {
        (choices.stdin, choices.more) = (Some(UNASKED_STDIN), true);
    }
    let (goal, words) = goal(stage, &question)?;
    let here = stage.history.here();
    let is_why = matches!(question, Question::Why { .. });
    let mut turns = if is_why {
        turns(stage, observer)?
    } else {
        Vec::new()
    };
    turns
        .iter_mut()
        .for_each(|(_, start)| start.choices = choices);
    let mut start = match turns.last() {
        Some((_, start)) => start.clone(),
        None => start_here(stage)?,
    };
    start.choices = choices;
    let errand = matches!(within.seekers.as_deref(), Some(Seekers::Queue(_))).then(|| {
        let about = About::universe(stage.moment_text(here), &question, &within);
        let (loaded, program) = (&stage.loaded, stage.program());
        let entry = loaded.entry().0;
        errand(loaded.path(), loaded.board_file(), program, entry, about)
    });
    let inquiry = Inquiry {
        question,
        words,
        within,
        from: universe_id(&stage.history, here),
        program: stage.program().clone(),
        info: stage.loaded.shared_info(),
        start,
        stops,
        goal,
        trace: stage.trace_to(here),
        turns,
        errand,
        evaluated: Mutex::default(),
    };
    inquiry.sensible().map_err(CommandError::Invalid)?;
    Ok(inquiry)
}

pub(crate) fn suggest(
    stage: &mut Stage,
    question: Question,
    within: Within,
    observer: Observer<'_>,
) -> Result<Reply, CommandError> {
    let inquiry = inquire(stage, question, within, observer)?;
    let mut told = Instant::now();
    let listing = inquiry.answer(&mut |progress, _| {
        if told.elapsed() < super::TELL {
            return Flow::Continue;
        }
        told = Instant::now();
        observer(super::progress_event(&inquiry.words, progress))
    });
    Ok(Reply::Suggestions(Box::new(listing)))
}

/// Counts all states that follow the universe shown, or goes on with what a file keeps.
///
/// # Errors
/// [`CommandError`]: it cannot be asked here, or means nothing.
pub(crate) fn survey(
    stage: &Stage,
    survey: &StatesSurvey,
    observer: Observer<'_>,
) -> Result<Reply, CommandError> {
    surveying::survey(stage, start_here(stage)?, survey, observer)
}

/// What a question looks for, and the question in words.
fn goal(stage: &Stage, question: &Question) -> Result<(Goal, String), CommandError> {
    match question {
        Question::Paths => Ok((Goal::Any, "paths".to_owned())),
        Question::Cover => Ok((Goal::Any, "cover".to_owned())),
        Question::Bugs => {
            let words = match stage.board().invariants.is_empty() {
                true => "bugs",
                false => "bugs, limits",
            };
            Ok((Goal::Bug, words.to_owned()))
        }
        Question::States { .. } => Ok((Goal::Any, "explore".to_owned())),
        Question::Picture { .. } => Ok((Goal::Any, "states".to_owned())),
        Question::Check { formula } => Ok((Goal::Any, format!("check {formula}"))),
        Question::Reach { target } => {
            let (goal, words) = goal_of(stage, target)?;
            Ok((goal, format!("reach {words}")))
        }
        Question::Why {
            target: Some(target),
        } => {
            let (goal, words) = goal_of(stage, target)?;
            Ok((goal, format!("why {words}")))
        }
        Question::Why { target: None } => {
            let machine = &stage.history.twin().machine;
            let Some(Outcome::Trapped(trap)) = machine.outcome() else {
                let text = "the program has not trapped here: say what should not happen, for example 'why 12', or \
                            jump to a trap first ('bugs' finds some)";
                return Err(CommandError::Invalid(text.to_owned()));
            };
            let at = machine.location().map(|location| location.offset);
            let place = at.map(|at| crate::scene::place_of(stage.info(), at));
            let place = place.map_or_else(String::new, |place| format!(" at {place}"));
            Ok((Goal::TrapAt(*trap, at), format!("why {trap}{place}")))
        }
    }
}

fn goal_of(stage: &Stage, target: &Destination) -> Result<(Goal, String), CommandError> {
    match target {
        Destination::Trap { named } => {
            if let Some(named) = named {
                known_trap(named)?;
            }
            let words = named.as_ref().map_or_else(String::new, |n| format!(" {n}"));
            Ok((Goal::Trap(named.clone()), format!("trap{words}")))
        }
        Destination::Place { place, condition } => {
            let (offsets, mut words) = stage.resolve(place)?;
            if let Some(condition) = condition {
                stage.scene().condition(condition, &offsets)?;
                words.push_str(&format!(" if {condition}"));
            }
            let condition = condition.clone();
            Ok((Goal::Places { offsets, condition }, words))
        }
        Destination::Condition { condition } => {
            let offsets = stage.loaded.anywhere();
            stage.scene().condition(condition, &offsets)?;
            let words = format!("if {condition}");
            let condition = Some(condition.clone());
            Ok((Goal::Places { offsets, condition }, words))
        }
    }
}

/// Refuses a word that no trap has: none would ever be found, which would read like a proof.
fn known_trap(named: &str) -> Result<(), CommandError> {
    if Trap::ALL.iter().any(|trap| is_called(*trap, named)) {
        return Ok(());
    }
    let words: Vec<String> = Trap::ALL.iter().map(Trap::to_string).collect();
    Err(CommandError::NoSuch(format!(
        "no trap is called '{named}'; there are: {}. Panics and assertions of the source are 'unreachable' ones: \
         'bugs' tells their messages",
        words.join(", ")
    )))
}

/// The state shown, to explore from.
fn start_here(stage: &Stage) -> Result<Start, CommandError> {
    let twin = stage.history.twin();
    if twin.ended() {
        let text = "the program has ended here: go back first ('S'), or ask 'why'";
        return Err(CommandError::Invalid(text.to_owned()));
    }
    if twin.machine.in_handler() {
        let text = "an interrupt handler runs here: go on to its end first ('finish')";
        return Err(CommandError::Invalid(text.to_owned()));
    }
    Ok(super::start(
        stage.program(),
        twin.machine.clone(),
        twin.board.clone(),
    ))
}

/// The choices on the way here, with the state after each; the start of the program first, if it is near enough.
fn turns(stage: &mut Stage, observer: Observer<'_>) -> Result<Vec<(Turn, Start)>, CommandError> {
    let here = stage.history.hold();
    let turns = turns_to(stage, here, observer);
    let back = stage.history.seek(here, &mut unobserved);
    stage.history.release();
    back?;
    turns
}

fn turns_to(
    stage: &mut Stage,
    here: Moment,
    observer: Observer<'_>,
) -> Result<Vec<(Turn, Start)>, CommandError> {
    let path = stage.history.tree().path(here.place).into_iter().flatten();
    let mut choices: Vec<(String, Moment)> = vec![("the start".to_owned(), Moment::START)];
    for (place, entry) in path {
        if !matches!(entry.kind, EntryKind::Output { .. }) {
            let steps = entry.step;
            choices.push((stage.entry_text(entry), Moment::of(place, steps)));
        }
    }
    let first = choices.len().saturating_sub(MOST_TURNS);
    let mut turns = Vec::new();
    for (number, (choice, moment)) in (0..).zip(choices).skip(first) {
        stage.history.seek(moment, observer)?;
        // Right after an event, its handler runs: no choice of the program's is made there.
        if let Ok(start) = start_here(stage) {
            let universe = universe_id(&stage.history, moment);
            let turn = Turn {
                choice,
                universe,
                number,
            };
            turns.push((turn, start));
        }
    }
    Ok(turns)
}

impl From<&CodePlace> for Destination {
    fn from(place: &CodePlace) -> Self {
        Destination::Place {
            place: place.clone(),
            condition: None,
        }
    }
}
