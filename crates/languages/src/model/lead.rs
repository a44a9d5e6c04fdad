//! What leads a search: a breakpoint, and how near a state is to it.

use super::Model;
use super::debug::Refused;
use crate::ambienttalk::AmbientTalk;
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

    /// What an exploration of any language but that of actors goes toward.
    pub(super) fn condition(&self) -> Option<&Condition> {
        match &self.0 {
            Kind::Condition(condition) => Some(condition),
            Kind::Breakpoint(_) => None,
        }
    }

    /// What an exploration of actors goes toward.
    pub(super) fn breakpoint(&self) -> Option<&Breakpoint> {
        match &self.0 {
            Kind::Breakpoint(breakpoint) => Some(breakpoint),
            Kind::Condition(_) => None,
        }
    }
}
