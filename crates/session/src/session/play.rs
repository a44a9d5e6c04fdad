//! Playing futures out: a branch for each of some values of an input, each of which runs until something comes.

use std::collections::HashMap;

use borges_board::PrimitiveId;
use borges_vm::Value;

use crate::command::played::{PlayUntil, PlayedListing, PlayedRow};
use crate::command::question::{Question, Within};
use crate::command::{Event, Flow, Observer, Reply, StopReason, unobserved};
use crate::error::CommandError;
use crate::history::Stops;
use crate::history::entry::{EntryKind, Moment};
use crate::session::Session;
use crate::stage::{Branched, Stage, universe_id};
use crate::suggest::ask;

/// The word for one value of each set that leads to a path of its own.
const SETS: &str = "sets";

/// How long such sets are looked for, in milliseconds: a person waits.
const SETS_MS: u32 = 3_000;

/// How a future is played out.
struct Course {
    /// Where to stop, beside breakpoints.
    stops: Stops,
    /// The call that is to come again.
    call: (PrimitiveId, Vec<Value>),
    until: PlayUntil,
    /// What the board's clock is to show, in µs.
    late_us: u64,
}

impl Course {
    /// Whether it has come to its end here, at a moment after the input.
    fn has_ended(&self, stage: &Stage) -> bool {
        let twin = stage.history.twin();
        match &self.until {
            PlayUntil::Round => stage
                .input_next()
                .is_some_and(|(id, args)| (id, args) == self.call),
            PlayUntil::Place { .. } => {
                let location = twin.machine.location();
                location.is_some_and(|location| self.stops.code.contains(&location.offset))
            }
            PlayUntil::Time { .. } => twin.clock_us() >= self.late_us,
            PlayUntil::Breakpoint | PlayUntil::Nowhere => false,
        }
    }
}

impl Session {
    /// Plays futures out. With one value the view goes along; with several it stays where it is.
    pub(super) fn play(
        &mut self,
        at: Option<&str>,
        values: &str,
        until: PlayUntil,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        let asked = at
            .map(|name| self.moment_named(name, observer))
            .transpose()?;
        let here = self.stage.history.hold();
        let line = self.stage.history.line();
        let played = self.play_from(asked.unwrap_or(here), values, until, observer);
        let stays =
            !matches!(&played, Ok(listing) if listing.wanted == 1 && listing.played.len() == 1);
        let back = match stays {
            true => self.stage.history.seek(here, &mut unobserved),
            false => Ok(()),
        };
        if stays {
            self.stage.history.set_line(line);
        }
        self.stage.history.release();
        back?;
        Ok(Reply::Played(Box::new(played?)))
    }

    fn play_from(
        &mut self,
        asked: Moment,
        values: &str,
        until: PlayUntil,
        observer: Observer<'_>,
    ) -> Result<PlayedListing, CommandError> {
        let before = before_input(&mut self.stage, asked, observer)?;
        let call = self.stage.input_next().ok_or_else(no_input)?;
        let (values, sets) = self.values_and_sets(values, observer)?;
        let branches = self.stage.branch_into(&values)?;
        let course = self.course(&until, call)?;
        let mut listing = PlayedListing {
            at: universe_id(&self.stage.history, before),
            call: self.stage.pending_call().unwrap_or_default(),
            wanted: branches.len() as u32,
            added: branches.iter().filter(|branch| branch.is_new).count() as u32,
            played: Vec::new(),
        };
        for branch in branches {
            let progress = Event::Progress {
                what: "playing out".to_owned(),
                done: listing.played.len() as u64,
                total: Some(listing.wanted.into()),
            };
            if observer(progress) == Flow::Pause {
                break;
            }
            let Some(row) = self.play_one(&course, &branch, &sets, observer)? else {
                break;
            };
            listing.played.push(row);
        }
        Ok(listing)
    }

    /// Plays one future out; nothing if that was paused.
    fn play_one(
        &mut self,
        course: &Course,
        branch: &Branched,
        sets: &HashMap<String, String>,
        observer: Observer<'_>,
    ) -> Result<Option<PlayedRow>, CommandError> {
        let history = &mut self.stage.history;
        let begins = history.moment_of(branch.place).ok_or_else(no_input)?;
        history.seek(begins, observer)?;
        history.face_forward();
        let end = match course.until {
            PlayUntil::Nowhere => StopReason::Done,
            _ => {
                let (motion, mut ground) = self.parts();
                motion.run_until(&mut ground, &course.stops, observer, |stage| {
                    course.has_ended(stage)
                })?
            }
        };
        if end == StopReason::Paused {
            return Ok(None);
        }
        let history = &self.stage.history;
        let here = history.here();
        Ok(Some(PlayedRow {
            set: sets.get(&branch.value).cloned(),
            value: branch.value.clone(),
            begins: universe_id(history, begins),
            universe: universe_id(history, here),
            steps: here.steps,
            end,
        }))
    }

    fn course(
        &self,
        until: &PlayUntil,
        call: (PrimitiveId, Vec<Value>),
    ) -> Result<Course, CommandError> {
        let mut stops = Stops::default();
        let mut late_us = u64::MAX;
        match until {
            PlayUntil::Round => stops.primitives.push(call.0),
            PlayUntil::Place { place } => stops.code = self.stage.resolve(place)?.0,
            PlayUntil::Time { ms } => {
                stops.primitives = self.stage.board().ids().collect();
                let now_us = self.stage.history.twin().clock_us();
                late_us = now_us.saturating_add(ms.saturating_mul(1_000));
            }
            PlayUntil::Breakpoint | PlayUntil::Nowhere => {}
        }
        Ok(Course {
            stops,
            call,
            until: until.clone(),
            late_us,
        })
    }

    /// The values to try, and for each the set that it stands for, if that was asked.
    fn values_and_sets(
        &mut self,
        values: &str,
        observer: Observer<'_>,
    ) -> Result<(String, HashMap<String, String>), CommandError> {
        if values.trim() != SETS {
            return Ok((values.to_owned(), HashMap::new()));
        }
        let within = Within {
            inputs: Some(1),
            time_ms: Some(SETS_MS),
            ..Within::default()
        };
        let found = ask::suggest(&mut self.stage, Question::Paths, within, observer)?;
        let Reply::Suggestions(listing) = found else {
            return Err(no_input());
        };
        let options = listing.nodes.first().map(|node| node.options.as_slice());
        let options = options.unwrap_or_default();
        if options.is_empty() {
            // Nothing depends on it, or nobody knows what does.
            return Ok(("all".to_owned(), HashMap::new()));
        }
        let sets = options
            .iter()
            .map(|option| (option.value.clone(), option.set.clone()));
        let values: Vec<&str> = options.iter().map(|option| option.value.as_str()).collect();
        Ok((values.join(", "), sets.collect()))
    }
}

/// Goes to right before the input that a moment lies before or behind.
fn before_input(
    stage: &mut Stage,
    asked: Moment,
    observer: Observer<'_>,
) -> Result<Moment, CommandError> {
    stage.history.seek(asked, observer)?;
    if stage.input_next().is_some() {
        return Ok(asked);
    }
    let tree = stage.history.tree();
    let entry = tree
        .entry(asked.place)
        .filter(|entry| matches!(entry.kind, EntryKind::Input { .. }));
    let before = entry.zip(tree.parent(asked.place));
    let (step, place) = before
        .map(|(entry, place)| (entry.step_before(), place))
        .ok_or_else(no_input)?;
    let before = Moment::of(place, step);
    stage.history.seek(before, observer)?;
    Ok(before)
}

fn no_input() -> CommandError {
    let text = "no input is read here: go to right before or right after one first ('break call PRIMITIVE' and 'continue', or \
         'reverse-entry'), or name such a universe";
    CommandError::Invalid(text.to_owned())
}
