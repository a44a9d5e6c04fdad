//! Which choice made something inevitable, and since which one it was possible.

use std::time::Instant;

use borges_concolic::{Explored, Flow as Goes, News, Start, Strategy};

use super::inquiry::{INPUTS, Inquiry, Plan, Tell};
use super::question::{SuggestionListing, WhyListing};
use crate::command::Flow;

/// Paths looked at from one universe.
const MOST: usize = 10_000;

/// What the futures of a universe say of the goal.
enum Verdict {
    /// All of them come to it.
    Inevitable,
    /// Some do.
    Possible,
    /// None does, within the bound.
    No,
    /// Not all could be looked at.
    Open,
}

impl Inquiry {
    pub(super) fn why(&self, deadline: Instant, tell: Tell<'_>) -> SuggestionListing {
        let mut why = WhyListing {
            what: self.words.clone(),
            inevitable: None,
            possible: None,
            open: Vec::new(),
        };
        let mut listing = SuggestionListing {
            complete: true,
            ..SuggestionListing::default()
        };
        for (turn, start) in self.turns.iter().rev() {
            match self.verdict(start, false, deadline, &mut listing, tell) {
                Verdict::Inevitable => why.inevitable = Some(turn.clone()),
                Verdict::Possible | Verdict::No => break,
                Verdict::Open => {
                    why.open.push(format!(
                        "whether it was inevitable after {} is not known: not everything could be explored in time",
                        turn.choice
                    ));
                    break;
                }
            }
        }
        for (turn, start) in &self.turns {
            match self.verdict(start, true, deadline, &mut listing, tell) {
                Verdict::Inevitable | Verdict::Possible => {
                    why.possible = Some(turn.clone());
                    break;
                }
                Verdict::No => {}
                Verdict::Open => {
                    why.open.push(format!(
                        "whether it was possible after {} is not known: not everything could be explored in time",
                        turn.choice
                    ));
                    break;
                }
            }
        }
        listing.complete = why.open.is_empty();
        listing.why = Some(why);
        listing
    }

    /// What the futures of a state say; if one that comes to the goal is enough, it looks no further.
    fn verdict(
        &self,
        start: &Start,
        one_is_enough: bool,
        deadline: Instant,
        listing: &mut SuggestionListing,
        tell: Tell<'_>,
    ) -> Verdict {
        let plan = Plan {
            strategy: Strategy::BreadthFirst,
            inputs: self.within.inputs.unwrap_or(INPUTS),
            paths: MOST,
            deadline,
        };
        let (mut met, mut other) = (false, false);
        let explored: Explored = self.explore(start, plan, &mut |news| {
            if let News::Found(path) = news {
                match self.goal.is_met(path) {
                    true => met = true,
                    false => other = true,
                }
            }
            let known = if one_is_enough { met } else { met && other };
            let told = SuggestionListing {
                question: self.words.clone(),
                from: Some(self.from),
                working: true,
                ..SuggestionListing::default()
            };
            match known || tell(told) == Flow::Pause {
                true => Goes::Stop,
                false => Goes::Continue,
            }
        });
        let effort = explored.effort();
        listing.paths += explored.paths.len() as u32;
        listing.solver_queries += effort.solver_queries as u32;
        listing.evaluations += effort.evaluated as u32;
        match (met, other, explored.is_complete()) {
            (true, true, _) => Verdict::Possible,
            (true, false, true) => Verdict::Inevitable,
            (true, false, false) if one_is_enough => Verdict::Possible,
            (false, _, true) => Verdict::No,
            // A future that goes another way is one that does not come to it.
            (false, true, false) if !one_is_enough => Verdict::No,
            _ => Verdict::Open,
        }
    }
}
