//! What leads a search: a breakpoint, and how near a state is to it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::Model;
use super::error::Refused;
use crate::predicate::{Condition, Named};

/// A breakpoint that an exploration goes toward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Condition(Condition),
    Own(Own),
}

/// A breakpoint of one language's own kind.
#[derive(Clone)]
struct Own {
    text: String,
    breakpoint: Arc<dyn Any + Send + Sync>,
}

/// Of one program the same words are the same breakpoint.
impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Own {}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
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

    /// A breakpoint of the kind of one language, which alone can tell how near a state is to it.
    pub(crate) fn own(breakpoint: impl fmt::Display + Send + Sync + 'static) -> Self {
        let text = breakpoint.to_string();
        let breakpoint = Arc::new(breakpoint);
        Self(Kind::Own(Own { text, breakpoint }))
    }

    pub(super) fn of_text(program: &impl Named, spec: &str) -> Result<Self, Refused> {
        Ok(Self(Kind::Condition(Condition::parse(program, spec)?)))
    }

    /// The breakpoint in the user's words.
    pub(super) fn text(&self) -> String {
        match &self.0 {
            Kind::Condition(condition) => condition.to_string(),
            Kind::Own(own) => own.text.clone(),
        }
    }

    /// What it goes toward, if it is a condition.
    pub(super) fn condition(&self) -> Option<&Condition> {
        match &self.0 {
            Kind::Condition(condition) => Some(condition),
            Kind::Own(_) => None,
        }
    }

    /// What it goes toward, if it is a breakpoint of this kind.
    pub(crate) fn breakpoint<B: 'static>(&self) -> Option<&B> {
        match &self.0 {
            Kind::Own(own) => own.breakpoint.downcast_ref(),
            Kind::Condition(_) => None,
        }
    }
}
