//! What leads a search: a breakpoint, and how near a state is to it.

use borges_multiverse::language::Language;

use super::debug::Refused;
use super::{Model, Program};
use crate::ambienttalk::{AmbientTalk, Choice, State};
use crate::voyager::{Breakpoint, VoyagerError};

/// A breakpoint that an exploration goes toward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Mention(Mention),
    Breakpoint(Breakpoint),
}

impl Lead {
    /// Reads a breakpoint as the program's debugger does.
    ///
    /// # Errors
    /// [`Refused`] says what is known instead.
    pub fn parse(model: &Model, spec: &str) -> Result<Self, Refused> {
        Ok(Self(match model.program() {
            Program::AmbientTalk(program) => {
                let breakpoint = Breakpoint::parse(program, model.text(), spec);
                Kind::Breakpoint(breakpoint.map_err(VoyagerError::from)?)
            }
            Program::Amb(_) | Program::MuOz(_) => Kind::Mention(Mention::parse(spec)?),
        }))
    }

    /// The breakpoint in the user's words.
    pub(super) fn text(&self) -> String {
        match &self.0 {
            Kind::Mention(mention) => mention.0.clone(),
            Kind::Breakpoint(breakpoint) => breakpoint.to_string(),
        }
    }

    /// How near a state of actors is.
    pub(super) fn actors_near(&self, program: &AmbientTalk, state: &State) -> i64 {
        match &self.0 {
            Kind::Breakpoint(breakpoint) => breakpoint.nearness(program, state),
            Kind::Mention(_) => 0,
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
            Kind::Mention(_) => false,
        }
    }

    /// How near a state of any other language is.
    pub(super) fn near<L: Language + ?Sized>(&self, language: &L, state: &L::State) -> i64 {
        match &self.0 {
            Kind::Mention(mention) => mention.nearness(language, state),
            Kind::Breakpoint(_) => 0,
        }
    }

    /// Whether a step of any other language comes to it.
    pub(super) fn meets<L: Language + ?Sized>(
        &self,
        language: &L,
        before: &L::State,
        choice: &L::Choice,
        after: &L::State,
    ) -> bool {
        match &self.0 {
            Kind::Mention(mention) => mention.halts(language, before, choice, after),
            Kind::Breakpoint(_) => false,
        }
    }
}

/// The breakpoint of languages without a catalogue: a text that a state, or the step to it, begins
/// to mention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention(String);

impl Mention {
    /// Reads `x = 2` or `when x = 2`.
    pub(super) fn parse(spec: &str) -> Result<Self, Refused> {
        let spec = spec.trim();
        let text = spec.strip_prefix("when ").unwrap_or(spec).trim();
        match text {
            "" | "when" => Err(Refused::NoText),
            text => Ok(Self(text.to_owned())),
        }
    }

    /// Whether a step comes to it.
    pub(super) fn halts<L: Language + ?Sized>(
        &self,
        language: &L,
        before: &L::State,
        choice: &L::Choice,
        after: &L::State,
    ) -> bool {
        let label = language.label(before, choice);
        label.rule.contains(&self.0)
            || label.text.contains(&self.0)
            || self.holds(language, after) && !self.holds(language, before)
    }

    /// Whether the state mentions it.
    pub(super) fn holds<L: Language + ?Sized>(&self, language: &L, state: &L::State) -> bool {
        language.show(state).contains(&self.0)
    }

    /// How much of the text, from its beginning, the state and its next steps mention.
    pub(super) fn nearness<L: Language + ?Sized>(&self, language: &L, state: &L::State) -> i64 {
        let mut choices = Vec::new();
        language.enabled(state, &mut choices);
        let steps = choices.iter().map(|choice| {
            let label = language.label(state, choice);
            self.mentioned(label.rule).max(self.mentioned(&label.text))
        });
        let steps = steps.max().unwrap_or(0);
        steps.max(self.mentioned(&language.show(state)))
    }

    fn mentioned(&self, text: &str) -> i64 {
        let ends = self.0.char_indices().map(|(at, c)| at + c.len_utf8());
        let fits = ends.take_while(|end| text.contains(&self.0[..*end]));
        fits.last().unwrap_or(0) as i64
    }
}
