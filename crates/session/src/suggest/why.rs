//! Which choice made something inevitable, and since which one it was possible.

use borges_concolic::{Budget, End, Flow as Goes, SearchOrder, Spent};

use super::answering::Plan;
use super::forever::Lasting;
use super::inquiry::Inquiry;
use crate::command::question::{Question, SuggestionListing, WhyListing};

/// So many parts of a hundred of the time for a universe are for the graph of all its states.
const FOREVER: u32 = 20;
/// Paths looked at from one universe.
const MOST: usize = 10_000;
/// Bounds on inputs, one after the other, as long as there is time.
const DEPTHS: &[u32] = &[
    1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1000,
];
/// A future that goes on so long without coming to the goal, and as long as the way that was taken, goes another way.
const FAR: u32 = 4;

/// What the futures of a universe say of the goal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// All of them come to it.
    Inevitable,
    /// Some do.
    Possible,
    /// None does, or some go on without, within so many inputs; `None`: however many.
    No(Option<u32>),
    /// Not all could be looked at, but all with so many inputs.
    Open(Option<u32>),
}

/// What is asked of the futures of a universe.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Whether all come to the goal.
    All,
    /// Whether one does.
    One,
}

impl Inquiry {
    pub(super) fn why(&self, budget: &Budget<'_>) -> SuggestionListing {
        let mut why = WhyListing {
            what: self.words.clone(),
            inevitable: None,
            possible: None,
            open: Vec::new(),
            forever: true,
        };
        let mut listing = SuggestionListing {
            complete: true,
            ..SuggestionListing::default()
        };
        let first = budget.part(60);
        for (left, (at, (turn, _))) in (0..).zip(self.turns.iter().enumerate().rev()) {
            // So many choices led to the goal from here.
            let far = FAR.max(left + 1);
            let asked = (Wanted::All, far);
            match self.verdict(at, asked, &mut why, &first, &mut listing) {
                Verdict::Inevitable => why.inevitable = Some(turn.clone()),
                Verdict::Possible | Verdict::No(None) => break,
                // They go on without it so long that they count as going another way.
                Verdict::No(Some(inputs)) => {
                    listing.looked = Some(inputs);
                    break;
                }
                Verdict::Open(inputs) => {
                    why.open.push(format!(
                        "whether it was inevitable after {} is not known: {}",
                        turn.choice,
                        looked_at(inputs)
                    ));
                    break;
                }
            }
        }
        self.since(&mut why, budget, &mut listing);
        listing.complete = why.open.is_empty();
        listing.forever = why.forever;
        listing.ended = budget.spent().map(super::cuts::spent_word);
        if !listing.complete {
            let reasons = why.open.iter().cloned();
            let bound = match budget.spent() {
                Some(Spent::Cancelled) => "cancelled",
                _ => "time",
            };
            let reports = reasons.map(|reason| super::cuts::bound_report(bound, reason));
            listing.unexplored.extend(reports);
        }
        listing.why = Some(why);
        listing
    }

    /// Since which choice it was possible.
    fn since(&self, why: &mut WhyListing, budget: &Budget<'_>, listing: &mut SuggestionListing) {
        // What has happened was possible from the start, if nobody asks within how many inputs.
        let has_happened = self.question == Question::Why { target: None };
        if has_happened && self.within.inputs.is_none() {
            why.possible = self.turns.first().map(|(turn, _)| turn.clone());
            return;
        }
        let count = self.turns.len() as u32;
        for (number, (turn, _)) in self.turns.iter().enumerate() {
            // Each may take its share of what is left.
            let part = budget.part(100 / (count - number as u32).min(4));
            let asked = (Wanted::One, u32::MAX);
            match self.verdict(number, asked, why, &part, listing) {
                Verdict::Inevitable | Verdict::Possible => {
                    why.possible = Some(turn.clone());
                    break;
                }
                Verdict::No(_) => {}
                Verdict::Open(inputs) => {
                    why.open.push(format!(
                        "whether it was possible after {} is not known: {}",
                        turn.choice,
                        looked_at(inputs)
                    ));
                    break;
                }
            }
        }
    }

    /// What the futures of a state on the way say: for ever, if that is soon known of all of them; else with more and more inputs, and
    /// with `far` of them, what goes on without the goal goes another way.
    fn verdict(
        &self,
        turn: usize,
        (wanted, far): (Wanted, u32),
        why: &mut WhyListing,
        budget: &Budget<'_>,
        listing: &mut SuggestionListing,
    ) -> Verdict {
        // Where the states of one universe are too many, those of another on the way mostly are as well.
        let lasting = match why.forever {
            true => self.lasting(&self.turns[turn].1, &budget.part(FOREVER)),
            false => None,
        };
        match lasting {
            Some(Lasting::Goal) => return Verdict::Inevitable,
            Some(Lasting::Both) => return Verdict::Possible,
            Some(Lasting::Other) => return Verdict::No(None),
            None => why.forever = false,
        }
        if let Some(inputs) = self.within.inputs {
            return self.verdict_within(turn, wanted, inputs, inputs, budget, listing);
        }
        let mut verdict = Verdict::Open(None);
        for inputs in DEPTHS {
            let next = self.verdict_within(turn, wanted, *inputs, far, budget, listing);
            match next {
                Verdict::Open(None) => return verdict,
                Verdict::Open(_) => verdict = next,
                known => return known,
            }
        }
        verdict
    }

    /// What the futures of so many inputs say.
    fn verdict_within(
        &self,
        turn: usize,
        wanted: Wanted,
        inputs: u32,
        far: u32,
        budget: &Budget<'_>,
        listing: &mut SuggestionListing,
    ) -> Verdict {
        let plan = Plan {
            strategy: SearchOrder::BreadthFirst,
            inputs,
            paths: MOST,
            examples: Vec::new(),
        };
        let (mut met, mut other, mut goes_on) = (false, false, false);
        let explored = self.explore(Some(turn), plan, budget, &mut |path| {
            match (self.goal.is_met(&path.end), &path.end) {
                (true, _) => met = true,
                (false, End::Inputs) => goes_on = true,
                (false, _) => other = true,
            }
            let known = match wanted {
                Wanted::One => met,
                Wanted::All => met && (other || goes_on && inputs >= far),
            };
            match known {
                true => Goes::Stop,
                false => Goes::Continue,
            }
        });
        let effort = explored.effort();
        listing.paths += explored.paths.len() as u32;
        listing.solver_queries += effort.solver_queries as u32;
        listing.evaluations += effort.evaluated as u32;
        let is_complete = explored.is_complete();
        match wanted {
            _ if met && other => Verdict::Possible,
            Wanted::One if met => Verdict::Possible,
            Wanted::One if is_complete && (!goes_on || inputs >= far) => Verdict::No(None),
            // A future that ends another way is one that does not come to it.
            Wanted::All if other => Verdict::No(None),
            Wanted::All if goes_on && inputs >= far && met => Verdict::Possible,
            Wanted::All if goes_on && inputs >= far => Verdict::No(Some(inputs)),
            Wanted::All if is_complete && met && !goes_on => Verdict::Inevitable,
            Wanted::All if is_complete && !met && !goes_on => Verdict::No(None),
            _ => Verdict::Open(is_complete.then_some(inputs)),
        }
    }
}

fn looked_at(inputs: Option<u32>) -> String {
    match inputs {
        Some(inputs) => format!(
            "all futures of up to {inputs} inputs were looked at, more were not finished in time"
        ),
        None => "not even those without an input were looked at in time".to_owned(),
    }
}
