//! Which steps can come in either order and which other message could have been received, in words.

use std::collections::BTreeSet;

use borges_multiverse::causality::races;
use borges_multiverse::language::Language;
use borges_multiverse::walk::Walk;
use serde::Serialize;

use super::step::Step;

/// What races: where a way ends, and on the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Races {
    /// The pairs of steps that can be taken where the way ends, of which either can come first, and it matters: what
    /// [`super::Goal::forbid`] calls a race, each pair of places once.
    pub steps: Vec<[Step; 2]>,
    /// For each message that was received on the way, which others could have been; none if the language has no messages.
    pub messages: Option<Vec<RaceRow>>,
}

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

/// Pairs of steps that race, those of the same two places of the source once.
#[derive(Clone, Default)]
pub(super) struct Pairs {
    pub(super) found: Vec<[Step; 2]>,
    places: BTreeSet<[String; 2]>,
}

impl Pairs {
    /// Adds those of a state, given by their options, of which `step` says what they do.
    pub(super) fn add(&mut self, racing: Vec<[u32; 2]>, step: impl Fn(u32) -> Option<Step>) {
        for options in racing {
            if let [Some(one), Some(other)] = options.map(&step)
                && self.places.insert(places(&one, &other))
            {
                self.found.push([one, other]);
            }
        }
    }

    /// Adds what was found elsewhere.
    pub(super) fn extend(&mut self, other: Self) {
        for [one, other] in other.found {
            if self.places.insert(places(&one, &other)) {
                self.found.push([one, other]);
            }
        }
    }
}

/// Where two steps stand in the source, or what they do if they stand nowhere.
fn places(one: &Step, other: &Step) -> [String; 2] {
    let mut places = [one, other].map(|step| match (step.line, step.column) {
        (Some(line), Some(column)) => format!("{line}:{column}"),
        _ => step.text.clone(),
    });
    places.sort();
    places
}

/// A walk along a way, given by its options. None if there is no such way.
pub(super) fn walked<'l, L: Language>(language: &'l L, options: &[u32]) -> Option<Walk<&'l L>> {
    let mut walk = Walk::new(language);
    walk.take_options(options).ok().map(|()| walk)
}

/// The message races of a way; `message` says which message a resource is, as [`races`] takes it, `name` how agents are
/// called, and `text` is the program's source. None if there is no such way.
pub(super) fn of_messages<P: Language>(
    (language, text): (&P, &str),
    name: impl Fn(&P::State, &P::Agent) -> String,
    message: impl Fn(&P::Resource) -> Option<(P::Resource, u32)>,
    options: &[u32],
) -> Option<Vec<RaceRow>> {
    let choices = walked(language, options)?.choices();
    let races = races(language, &language.initial(), &choices, message)?;
    let steps = Step::all(language, text, name, choices);
    let told = |nth: &usize| {
        let step = steps.get(*nth)?;
        Some(RaceStep {
            step: *nth as u32 + 1,
            text: step.text.clone(),
            line: step.line,
        })
    };
    let rows = races.iter().filter_map(|race| {
        Some(RaceRow {
            received: told(&race.received)?,
            message: told(&race.message)?,
            rivals: race.rivals.iter().filter_map(told).collect(),
        })
    });
    Some(rows.collect())
}
