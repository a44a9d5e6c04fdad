//! What leads a search: a breakpoint, of whatever kind the language has.

use std::any::Any;
use std::fmt::Display;
use std::sync::Arc;

use super::Model;
use super::error::Refused;

/// A breakpoint that an exploration goes toward. How near a state is to it, only its language can tell.
#[derive(Clone, Debug)]
pub struct Lead {
    text: String,
    breakpoint: Arc<dyn Any + Send + Sync>,
}

/// Of one program the same words are the same breakpoint.
impl PartialEq for Lead {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Lead {}

impl Lead {
    /// Reads a breakpoint as the program's debugger does.
    ///
    /// # Errors
    /// [`Refused`] says what is known instead.
    pub fn parse(model: &Model, spec: &str) -> Result<Self, Refused> {
        model.program().lead(model.text(), spec)
    }

    pub(crate) fn to(breakpoint: impl Display + Send + Sync + 'static) -> Self {
        Self {
            text: breakpoint.to_string(),
            breakpoint: Arc::new(breakpoint),
        }
    }

    /// The breakpoint in the user's words.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The breakpoint, if it is of this kind.
    pub(crate) fn breakpoint<B: 'static>(&self) -> Option<&B> {
        self.breakpoint.downcast_ref()
    }
}
