//! AmbientTalk, which is explored in steps and with a delivery of messages as asked for.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::ask::Multiverse;
use super::debug::{Debugger, Refused};
use super::dialect::{Dialect, ModelError, Program, Prompt};
use super::erased::{Erased, erased};
use super::explore::{Explore, Job, Kept};
use super::face::Face;
use super::lead::Lead;
use super::reported::Reported as _;
use crate::ambienttalk::{self, AmbientTalk, Grain, Options};
use crate::predicate::{Predicate, PredicateError};
use crate::voyager::Actors;

/// The language.
pub struct Language;

/// AmbientTalk.
pub static AMBIENT_TALK: Language = Language;

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Dialect for Language {
    fn name(&self) -> &'static str {
        "AmbientTalk"
    }

    fn extension(&self) -> &'static str {
        "at"
    }

    fn parse(&'static self, text: &str) -> Result<Arc<dyn Program>, ModelError> {
        Ok(Arc::new(AmbientTalk::parse(text, Options::default())?))
    }

    fn format(&self, text: &str) -> Result<String, ModelError> {
        Ok(ambienttalk::format(text)?)
    }
}

/// A program with the options that are asked for.
fn as_asked(program: &AmbientTalk, options: &Explore) -> AmbientTalk {
    program.with(Options {
        grain: options.grain,
        delivery: options.delivery,
        numbered: false,
    })
}

impl Program for AmbientTalk {
    fn explore(&self, mut job: Job<'_>) -> Kept {
        let program = as_asked(self, job.options());
        let exact = program.exact();
        job.start(program, &exact)
    }

    fn multiverse(&self, job: Job<'_>) -> Box<dyn Multiverse> {
        job.hold(as_asked(self, job.options()))
    }

    fn debugger(&self, text: &str, options: &Explore) -> Box<dyn Debugger> {
        // Visible steps, and rules within a turn where the user steps through it.
        let actors = Actors::new(self.with(Options {
            grain: Grain::Visible,
            delivery: options.delivery,
            numbered: false,
        }));
        Box::new(Face::new(text, actors))
    }

    fn lead(&self, text: &str, spec: &str) -> Result<Lead, Refused> {
        Lead::of_actors(self, text, spec)
    }

    fn predicate(&self, text: &str) -> Result<Predicate, PredicateError> {
        Predicate::of(self, text)
    }

    fn steps(&self, options: &Explore) -> Erased {
        erased(as_asked(self, options))
    }

    fn prompt(&self) -> Prompt {
        Prompt::Universes
    }

    fn has_symmetry(&self) -> bool {
        true
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
