//! All model languages behind one type: a program is loaded by its file's extension, explored, and
//! reported on as data. Faces need no other part of this crate to show what a program can do.
//!
//! ```
//! use borges_languages::model::{Explore, Model, language};
//!
//! let dialect = language::of_path("examples/sum.amb").unwrap();
//! let program = Model::parse(dialect, "(+ (amb 1 2) (amb 3 4))").unwrap();
//! let report = program.explore(&Explore::default(), |_| true);
//! assert_eq!((report.states, report.edges, report.ends.len()), (10, 10, 3));
//! assert_eq!(report.paths.as_deref(), Some("4"));
//! ```

mod ask;
pub mod debug;
mod derived;
mod dialect;
mod erased;
mod error;
mod explore;
pub(crate) mod face;
mod gains;
mod goal;
mod job;
mod judge;
mod lead;
mod leading;
mod lens;
mod plain;
mod races;
mod report;
mod reported;
mod schedule;
mod step;
mod survey;
mod surveying;
mod threads;

use std::sync::Arc;

pub use crate::datum::Datum;
pub use crate::language::{self, AMB, AMBIENT_TALK, MU_OZ};
pub use ask::{
    EdgeRow, EndCount, Endings, Multiverse, NoAnswer, Parting, Question, Reply, StateRow, Way,
};
pub use dialect::{Dialect, Program, Prompt, Simple};
pub use erased::Erased;
pub use error::ModelError;
pub use explore::{Explore, Order, Progress, SurveyProgress};
pub use gains::{Gains, Keeper};
pub use goal::{Finding, Goal, Pending};
pub use job::{DESCRIBED, Job, Kept};
pub use lead::Lead;
pub use lens::Aspect;
pub use races::{RaceRow, RaceStep, Races};
pub use report::{End, How, Met, Report, SurveyNote};
pub use reported::{Remains, Reported};
pub use schedule::{Schedules, Selection};
pub use step::{Delivery, Grain, Reduction, Step, Why};
pub use survey::{keep_survey, survey_progress};
pub use surveying::{
    Checkpoints, DigestSize, HeldSurvey, KeptDigests, KeptSurvey, Surveying, Surveyors,
};
pub use threads::Threads;

/// A program of a model language.
#[derive(Clone, Debug)]
pub struct Model {
    text: String,
    dialect: &'static dyn Dialect,
    program: Arc<dyn Program>,
}

impl Model {
    /// Parses a program.
    ///
    /// # Errors
    /// [`ModelError`] with the place where the text stops making sense.
    pub fn parse(dialect: &'static dyn Dialect, text: &str) -> Result<Self, ModelError> {
        Ok(Self {
            program: dialect.parse(text)?,
            text: text.to_owned(),
            dialect,
        })
    }

    /// Its language.
    #[must_use]
    pub fn dialect(&self) -> &'static dyn Dialect {
        self.dialect
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.dialect.own(&self.text)
    }

    /// Its text with all that it needs of other files ([`Dialect::gather`]).
    #[must_use]
    pub fn whole(&self) -> &str {
        &self.text
    }

    /// Another text with what this program needed of other files.
    #[must_use]
    pub fn edited(&self, text: &str) -> String {
        [text, &self.text[self.text().len()..]].concat()
    }

    /// The program itself.
    #[must_use]
    pub fn program(&self) -> &dyn Program {
        &*self.program
    }

    /// The program as its own language has it; none if it is of another.
    #[must_use]
    pub(crate) fn of<L: 'static>(&self) -> Option<&L> {
        self.program.as_any().downcast_ref()
    }

    /// The program's text in the usual layout, with its comments.
    #[must_use]
    pub fn format(&self) -> String {
        // What was parsed once is parsed again.
        let formatted = self.dialect.format(self.text());
        formatted.unwrap_or_else(|_| self.text().to_owned())
    }

    /// Explores the program. `keep_going` is called now and then, and stops the exploration by
    /// returning false; the report then says so.
    pub fn explore(&self, options: &Explore, keep_going: impl FnMut(&Progress) -> bool) -> Report {
        self.explore_kept(options, keep_going, None).0
    }

    /// As [`Model::explore`], with the graph that was explored; none if runs or universes were left out. A keeper is told
    /// what is found while more is looked for: all of the graph, once it has ended.
    pub fn explore_kept(
        &self,
        options: &Explore,
        keep_going: impl FnMut(&Progress) -> bool,
        keeper: Option<Keeper<'_>>,
    ) -> (Report, Option<Box<dyn Multiverse>>) {
        job::explore(self, options, keep_going, keeper, None)
    }

    /// Counts the program's states without keeping their graph: for more of them than memory has room for. Of `options`, those
    /// that leave something out or say in which order to go count for nothing.
    pub fn survey(
        &self,
        options: &Explore,
        keep_going: impl FnMut(&Progress) -> bool,
        surveying: Surveying<'_>,
    ) -> Report {
        job::explore(self, options, keep_going, None, Some(surveying)).0
    }

    /// The program's graph, for questions and tables; [`Multiverse::explore`] explores it. Whatever
    /// `options` say, nothing is left out.
    #[must_use]
    pub fn multiverse(&self, options: &Explore) -> Box<dyn Multiverse> {
        job::keep(self, options)
    }
}
