//! What leads a search: a breakpoint, and how near a state is to it.

use super::Model;
use super::debug::Refused;
use crate::ambienttalk::{AmbientTalk, Choice, State};
use crate::predicate::{Condition, Named};
use crate::voyager::Breakpoint;

/// A breakpoint that an exploration goes toward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Condition(Condition),
    Breakpoint(Breakpoint),
}

impl From<Breakpoint> for Lead {
    fn from(breakpoint: Breakpoint) -> Self {
        Self(Kind::Breakpoint(breakpoint))
    }
}

impl Lead {
    /// Reads a breakpoint as the program's debugger does.
    ///
    /// # Errors
    /// [`Refused`] says what is known instead.
    pub fn parse(model: &Model, spec: &str) -> Result<Self, Refused> {
        model.program().lead(model.text(), spec)
    }

    pub(super) fn of_actors(
        program: &AmbientTalk,
        text: &str,
        spec: &str,
    ) -> Result<Self, Refused> {
        Ok(Breakpoint::parse(program, text, spec)?.into())
    }

    pub(super) fn of_text(program: &impl Named, spec: &str) -> Result<Self, Refused> {
        Ok(Self(Kind::Condition(Condition::parse(program, spec)?)))
    }

    /// The breakpoint in the user's words.
    pub(super) fn text(&self) -> String {
        match &self.0 {
            Kind::Condition(condition) => condition.to_string(),
            Kind::Breakpoint(breakpoint) => breakpoint.to_string(),
        }
    }

    /// How near a state of actors is.
    pub(super) fn actors_near(&self, program: &AmbientTalk, state: &State) -> i64 {
        match &self.0 {
            Kind::Breakpoint(breakpoint) => breakpoint.nearness(program, state),
            Kind::Condition(_) => 0,
        }
    }

    /// Whether a step of actors comes to it.
    pub(super) fn actors_meet(
        &self,
        program: &AmbientTalk,
        before: &State,
        choice: &Choice,
        after: &State,
    ) -> bool {
        match &self.0 {
            Kind::Breakpoint(breakpoint) => breakpoint.halts(program, before, choice, after),
            Kind::Condition(_) => false,
        }
    }

    /// Whether it halts actors before their first step.
    pub(super) fn actors_begin(&self, program: &AmbientTalk, start: &State) -> bool {
        match &self.0 {
            Kind::Breakpoint(breakpoint) => breakpoint.halts_at_start(program, start),
            Kind::Condition(_) => false,
        }
    }

    /// How near a state of any other language is.
    pub(super) fn near<L: Named>(&self, language: &L, state: &L::State) -> i64 {
        match &self.0 {
            Kind::Condition(condition) => condition.nearness(language, state),
            Kind::Breakpoint(_) => 0,
        }
    }

    /// Whether a step of any other language comes to it.
    pub(super) fn meets<L: Named>(
        &self,
        language: &L,
        before: &L::State,
        choice: &L::Choice,
        after: &L::State,
    ) -> bool {
        match &self.0 {
            Kind::Condition(condition) => condition.halts(language, before, choice, after),
            Kind::Breakpoint(_) => false,
        }
    }

    /// Whether it halts any other language before the first step.
    pub(super) fn begins<L: Named>(&self, language: &L, start: &L::State) -> bool {
        match &self.0 {
            Kind::Condition(condition) => condition.holds(language, start),
            Kind::Breakpoint(_) => false,
        }
    }
}
