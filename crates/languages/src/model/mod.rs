//! All model languages behind one type: a program is loaded by its file's extension, explored, and
//! reported on as data. Faces need no other part of this crate to show what a program can do.
//!
//! ```
//! use borges_languages::model::{Dialect, Explore, Model};
//!
//! let dialect = Dialect::of_path("examples/sum.amb").unwrap();
//! let program = Model::parse(dialect, "(+ (amb 1 2) (amb 3 4))").unwrap();
//! let report = program.explore(&Explore::default(), |_| true);
//! assert_eq!((report.states, report.edges, report.ends.len()), (10, 10, 3));
//! assert_eq!(report.paths.as_deref(), Some("4"));
//! ```

mod ask;
pub mod debug;
mod explore;
pub(crate) mod face;
mod goal;
mod judge;
mod lead;
mod lens;
mod plain;
mod races;
mod report;
mod reported;
mod threads;

use std::fmt;

pub use ask::{EdgeRow, EndCount, Multiverse, NoAnswer, Parting, Question, Reply, StateRow, Way};
pub use explore::{Explore, Order, Progress, Reduction};
pub use goal::{Finding, Goal};
pub use lead::Lead;
pub use races::{RaceRow, RaceStep};
pub use report::{Datum, End, Met, Report, Step, Why};
pub use threads::Threads;

pub(crate) use judge::occurs;

use crate::amb::{self, Amb};
use crate::ambienttalk::{self, AmbientTalk, Options};
use crate::muoz::{self, MuOz};

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// λ_amb, `.amb`.
    Amb,
    /// AmbientTalk, `.at`.
    AmbientTalk,
    /// μOz, `.oz`.
    MuOz,
}

impl Dialect {
    /// All languages.
    pub const ALL: [Self; 3] = [Self::Amb, Self::AmbientTalk, Self::MuOz];

    /// The extension of its files, without a dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Amb => "amb",
            Self::AmbientTalk => "at",
            Self::MuOz => "oz",
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Amb => "λ_amb",
            Self::AmbientTalk => "AmbientTalk",
            Self::MuOz => "μOz",
        }
    }

    /// The language of a file, by its extension; none if it is of no model language.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let (stem, extension) = path.rsplit_once('.')?;
        let has_name = !stem.is_empty() && !stem.ends_with(['/', '\\']);
        let mut all = Self::ALL.into_iter();
        all.find(|dialect| has_name && dialect.extension() == extension)
    }
}

/// Why a text is no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelError {
    /// Not of λ_amb.
    Amb(amb::ParseError),
    /// Not of AmbientTalk.
    AmbientTalk(ambienttalk::ParseError),
    /// Not of μOz.
    MuOz(muoz::ParseError),
}

impl ModelError {
    /// The error with its line, column and a caret under the place; `text` is what was parsed.
    #[must_use]
    pub fn explain(&self, text: &str) -> String {
        match self {
            Self::Amb(error) => error.explain(text),
            Self::AmbientTalk(error) => error.explain(text),
            Self::MuOz(error) => error.explain(text),
        }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Amb(error) => error.fmt(f),
            Self::AmbientTalk(error) => error.fmt(f),
            Self::MuOz(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ModelError {}

/// A program of a model language.
#[derive(Clone, Debug)]
pub struct Model {
    text: String,
    program: Program,
}

/// A program by its language.
#[derive(Clone, Debug)]
pub enum Program {
    /// λ_amb.
    Amb(Amb),
    /// AmbientTalk.
    AmbientTalk(AmbientTalk),
    /// μOz.
    MuOz(MuOz),
}

impl Model {
    /// Parses a program.
    ///
    /// # Errors
    /// [`ModelError`] with the place where the text stops making sense.
    pub fn parse(dialect: Dialect, text: &str) -> Result<Self, ModelError> {
        let program = match dialect {
            Dialect::Amb => Program::Amb(Amb::parse(text).map_err(ModelError::Amb)?),
            Dialect::AmbientTalk => {
                let parsed = AmbientTalk::parse(text, Options::default());
                Program::AmbientTalk(parsed.map_err(ModelError::AmbientTalk)?)
            }
            Dialect::MuOz => Program::MuOz(MuOz::parse(text).map_err(ModelError::MuOz)?),
        };
        let text = text.to_owned();
        Ok(Self { text, program })
    }

    /// Its language.
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        match self.program {
            Program::Amb(_) => Dialect::Amb,
            Program::AmbientTalk(_) => Dialect::AmbientTalk,
            Program::MuOz(_) => Dialect::MuOz,
        }
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The program itself.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// The program's text in the usual layout, with its comments.
    #[must_use]
    pub fn format(&self) -> String {
        let formatted = match &self.program {
            Program::Amb(_) => amb::format(&self.text).ok(),
            Program::AmbientTalk(_) => ambienttalk::format(&self.text).ok(),
            Program::MuOz(_) => muoz::format(&self.text).ok(),
        };
        // What was parsed once is parsed again.
        formatted.unwrap_or_else(|| self.text.clone())
    }

    /// Explores the program. `keep_going` is called now and then, and stops the exploration by
    /// returning false; the report then says so.
    pub fn explore(&self, options: &Explore, keep_going: impl FnMut(&Progress) -> bool) -> Report {
        self.explore_kept(options, keep_going).0
    }

    /// As [`Model::explore`], with the graph that was explored; none if runs or universes were left out.
    pub fn explore_kept(
        &self,
        options: &Explore,
        keep_going: impl FnMut(&Progress) -> bool,
    ) -> (Report, Option<Box<dyn Multiverse>>) {
        explore::explore(self, options, keep_going)
    }

    /// The program's graph, for questions and tables; [`Multiverse::explore`] explores it. Whatever
    /// `options` say, nothing is left out.
    #[must_use]
    pub fn multiverse(&self, options: &Explore) -> Box<dyn Multiverse> {
        explore::keep(self, options)
    }
}
