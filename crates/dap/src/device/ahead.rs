//! Where to: the universes behind a line of the source, and the ways from an input.

use borges_session::command::played::PlayUntil;
use borges_session::command::{Act, CodePlace, Look, Reply};
use borges_session::listing::InputListing;
use borges_session::suggest::{Destination, FoundPath, Question, Within};
use serde_json::json;

use super::Device;
use crate::core::Core;
use crate::protocol::answers::{GotoTarget, StepInTarget};
use crate::protocol::arguments::{Goto, GotoTargets};
use crate::protocol::{Answer, Failure, body};

/// Recorded universes that are offered of a line.
const RECORDED: u32 = 12;
/// Ways to a line that was not reached that are offered.
const REACHED: usize = 6;
/// For how long they are looked for.
const LOOK_MS: u32 = 1_500;
/// Values of an input that are offered.
const VALUES: usize = 24;

/// A target that a client was told.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// Another universe.
    Universe(String),
    /// A value of the input that comes next.
    Value(String),
}

impl Device {
    /// A target's number.
    fn target(&mut self, target: Target) -> i64 {
        self.targets.push(target);
        self.targets.len() as i64
    }

    fn targeted(&self, number: i64) -> Result<Target, Failure> {
        let index = number
            .checked_sub(1)
            .and_then(|index| usize::try_from(index).ok());
        let target = index.and_then(|index| self.targets.get(index));
        let gone = || Failure::new("this target was of another stop: ask for the targets again");
        target.cloned().ok_or_else(gone)
    }

    /// Universes at a line: those on the way that is shown, nearest first, then those that other inputs lead to.
    pub(super) fn goto_targets(&mut self, core: &mut Core, asked: &GotoTargets) -> Answer {
        let files = core.parts.program.files.iter().map(String::as_str);
        let file = self.sources.file(&asked.source, files);
        let file = file.ok_or_else(|| Failure::shown("this file is no source of the program"))?;
        let line = core
            .line_in(asked.line)
            .ok_or_else(|| Failure::new("there is no such line"))?;
        let place = CodePlace::Line {
            file: Some(file),
            line,
        };
        let here = core.parts.info.as_deref().map_or(0, |info| info.here.steps);
        let look = Look::Hits {
            place: place.clone(),
            expression: "0".to_owned(),
            from: 0,
            most: 1_000,
        };
        let mut hits = match core.look(look).map_err(Failure::shown)? {
            Reply::Hits(listing) => listing.hits,
            _ => Vec::new(),
        };
        hits.sort_by_key(|hit| hit.steps.abs_diff(here));
        let mut targets = Vec::new();
        for hit in hits.into_iter().take(RECORDED as usize) {
            let label = format!("recorded: universe {}, step {}", hit.universe, hit.steps);
            let target = Target::Universe(hit.universe.to_string());
            targets.push((label, target));
        }
        targets.extend(reached(core, place).into_iter().map(|path| {
            let inputs = path
                .inputs
                .iter()
                .map(|input| format!("{} = {}", input.call, input.value));
            let inputs: Vec<String> = inputs.collect();
            let label = match inputs.is_empty() {
                true => "ahead, with any inputs".to_owned(),
                false => format!("needs {}", inputs.join(", ")),
            };
            (label, Target::Universe(path.moment))
        }));
        let targets: Vec<GotoTarget> = targets
            .into_iter()
            .map(|(label, target)| GotoTarget {
                id: self.target(target),
                label,
                line: asked.line,
            })
            .collect();
        body(json!({ "targets": targets }))
    }

    pub(super) fn goto(&mut self, core: &mut Core, asked: Goto) -> Answer {
        match self.targeted(asked.target_id)? {
            Target::Universe(target) => self.start(core, vec![Act::Jump { target }], "goto"),
            Target::Value(_) => Err(Failure::new("this is a target of a step, not of a jump")),
        }
    }

    /// What the input that comes next may answer: each value is a universe of its own.
    pub(super) fn step_in_targets(&mut self, core: &mut Core) -> Answer {
        let at_input = core
            .parts
            .info
            .as_deref()
            .is_some_and(|info| info.here.call.is_some());
        let next = core.parts.inputs.iter().find(|input| input.next).cloned();
        let mut targets = Vec::new();
        if let Some(input) = next.filter(|_| at_input) {
            for value in values(&input) {
                let label = format!("{} = {value}", input.call);
                let id = self.target(Target::Value(value));
                targets.push(StepInTarget { id, label });
            }
        }
        body(json!({ "targets": targets }))
    }

    /// Goes the way that a target names.
    pub(super) fn step_to(&mut self, core: &mut Core, target: i64) -> Answer {
        match self.targeted(target)? {
            Target::Value(values) => {
                let until = PlayUntil::Nowhere;
                let at = None;
                self.start(core, vec![Act::Play { at, values, until }], "step")
            }
            Target::Universe(target) => self.start(core, vec![Act::Jump { target }], "goto"),
        }
    }
}

/// Inputs with which a place is come to from here.
fn reached(core: &mut Core, place: CodePlace) -> Vec<FoundPath> {
    let target = Destination::Place {
        place,
        condition: None,
    };
    let within = Within {
        time_ms: Some(LOOK_MS),
        paths: Some(200),
        ..Within::default()
    };
    let question = Question::Reach { target };
    // Where no way can be looked for, as after the end, what is recorded is all.
    match core.look(Look::Suggest { question, within }) {
        Ok(Reply::Suggestions(listing)) => {
            let found = listing.found.into_iter();
            found
                .filter(|path| path.kind == "stopped")
                .take(REACHED)
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Values of an input: all if they are few, or some of its range.
fn values(input: &InputListing) -> Vec<String> {
    if !input.values.is_empty() {
        return input.values.iter().take(VALUES).cloned().collect();
    }
    let Some((least, greatest)) = input.range else {
        return input.last.iter().cloned().collect();
    };
    let middle = ((least + greatest) / 2.0).floor();
    let mut values: Vec<String> = [least, middle, greatest]
        .iter()
        .map(f64::to_string)
        .collect();
    values.extend(input.last.clone());
    values.dedup();
    values
}
