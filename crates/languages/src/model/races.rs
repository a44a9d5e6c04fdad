//! Which other message could have been received, in words.

use borges_multiverse::causality::{Race, races};
use borges_multiverse::language::Language;
use serde::Serialize;

use crate::source;

/// A message that was received, and what could have been received instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RaceRow {
    /// The step that received it.
    pub received: RaceStep,
    /// The step with which it came in.
    pub message: RaceStep,
    /// The steps with which others came in later that could have been there first.
    pub rivals: Vec<RaceStep>,
}

/// A step of the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RaceStep {
    /// Its number on the way, from 1.
    pub step: u32,
    /// What it does.
    pub text: String,
    /// Where in the source, from 1.
    pub line: Option<u32>,
}

/// The races of a way, with the way.
pub(super) struct Found<'l, L: Language> {
    language: &'l L,
    choices: Vec<L::Choice>,
    races: Vec<Race>,
}

/// The races of a way; `message` says which message a resource is, as [`races`] takes it. None if there is no such way.
pub(super) fn of<'l, L: Language>(
    language: &'l L,
    message: impl Fn(&L::Resource) -> Option<(L::Resource, u32)>,
    options: &[u32],
) -> Option<Found<'l, L>> {
    let start = language.initial();
    let (mut state, mut choices, mut enabled) = (start.clone(), Vec::new(), Vec::new());
    for option in options {
        enabled.clear();
        language.enabled(&state, &mut enabled);
        let choice = enabled.get(*option as usize)?.clone();
        state = language.apply(&state, &choice)?.state;
        choices.push(choice);
    }
    let races = races(language, &start, &choices, message)?;
    Some(Found {
        language,
        choices,
        races,
    })
}

impl<L: Language> Found<'_, L> {
    /// In words; `text` is the program's source.
    pub(super) fn told(&self, text: &str) -> Vec<RaceRow> {
        let mut state = self.language.initial();
        let mut steps = Vec::new();
        for choice in &self.choices {
            let Some((step, label)) = self.language.tell(&state, choice) else {
                break;
            };
            let span = label.span;
            steps.push(RaceStep {
                step: steps.len() as u32 + 1,
                text: label.text,
                line: span.map(|span| source::position(text, span.start).line),
            });
            state = step.next.state;
        }
        let told = |nth: &usize| steps.get(*nth).cloned();
        let rows = self.races.iter().filter_map(|race| {
            Some(RaceRow {
                received: told(&race.received)?,
                message: told(&race.message)?,
                rivals: race.rivals.iter().filter_map(told).collect(),
            })
        });
        rows.collect()
    }
}
