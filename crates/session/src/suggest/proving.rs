//! Questions about all runs from the universe that a session shows, for ever: its states, conditions and formulas.

use std::path::PathBuf;

use borges_concolic::{Budget, Explored};

use super::claims::{Asked, checked};
use super::conditions::Conditions;
use super::exploring::{Effort, tidying};
use super::inquiry::Inquiry;
use super::listing::Lister;
use super::options::StatesOptions;
use super::states::explored;
use super::{Subject, demands};
use crate::command::proof::{Demand, Proved};
use crate::command::question::{Question, SuggestionListing};

impl Inquiry {
    /// The program where the question is asked.
    pub(super) fn subject(&self) -> Subject {
        Subject {
            path: PathBuf::new(),
            program: self.program.clone(),
            info: self.info.clone(),
            start: self.start.clone(),
            entry: String::new(),
            before: Vec::new(),
        }
    }

    /// How far to explore the states there.
    pub(super) fn states_options(&self) -> StatesOptions {
        StatesOptions {
            time: Some(self.asked().time),
            without_events: self.within.events == Some(0),
            solver: self.within.solver.clone(),
            ..StatesOptions::default()
        }
    }

    /// Whether the conditions and formulas of the question mean something.
    ///
    /// # Errors
    /// Why one does not.
    pub(super) fn sensible(&self) -> Result<(), String> {
        let texts: Vec<String> = match &self.question {
            Question::States { demands: asked } => demands::texts(asked),
            Question::Picture { colour, .. } => colour.iter().cloned().collect(),
            Question::Check { formula } => Asked::of(formula)?.texts,
            _ => return Ok(()),
        };
        let subject = self.subject();
        let conditions = Conditions::new(&subject, &texts)?;
        match self.question {
            Question::States { .. } => conditions.with_limits().map(|_| ()),
            _ => Ok(()),
        }
    }

    /// The answer to a question about all runs, if it is one.
    pub(super) fn proved(&self, budget: &Budget<'_>) -> Option<SuggestionListing> {
        let subject = self.subject();
        let options = self.states_options();
        let looking = budget.part(80);
        let effort = Effort::new(budget, &looking);
        // What does not mean anything was refused when the question was asked.
        match &self.question {
            Question::States { demands: asked } => {
                let conditions = demands::conditions(&subject, asked).ok()?;
                let demands: Vec<Demand> = asked.iter().map(|asked| asked.demand).collect();
                let (report, runs) =
                    explored(&subject, (&conditions, &demands), &options, &effort).ok()?;
                let mut listing = self.shown(runs, budget);
                listing.complete = report.complete;
                listing.forever = report.complete;
                listing.unexplored.clone_from(&report.unexplored);
                listing.states = Some(report);
                Some(listing)
            }
            Question::Picture { colour, to } => {
                let drawn = self.picture((colour.as_deref(), *to), budget)?;
                let mut listing = self.shown(drawn.run, budget);
                listing.complete = drawn.picture.complete;
                listing.forever = drawn.picture.complete;
                listing.picture = Some(drawn.picture);
                Some(listing)
            }
            Question::Check { formula } => {
                let asked = Asked::of(formula).ok()?;
                let conditions = Conditions::new(&subject, &asked.texts).ok()?;
                let (report, runs) =
                    checked(&subject, (&asked, &conditions), &options, &effort).ok()?;
                let mut listing = self.shown(runs, budget);
                listing.complete = matches!(report.verdict, Proved::Holds | Proved::Fails);
                listing.forever = report.verdict == Proved::Holds;
                listing.unexplored.clone_from(&report.unexplored);
                listing.claim = Some(report);
                Some(listing)
            }
            _ => None,
        }
    }

    /// The runs that show something, to go to.
    fn shown(&self, runs: Option<Explored>, budget: &Budget<'_>) -> SuggestionListing {
        let rest = tidying(budget);
        runs.map_or_else(SuggestionListing::default, |runs| {
            Lister::new(self, &runs, &rest).goals()
        })
    }
}
