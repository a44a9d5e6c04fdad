//! Questions about all runs: whether a breakpoint may or must be met, and temporal formulas.

use borges_multiverse::adapt::{Observed, Observer};
use borges_multiverse::graph::{Exploration, Graph, Limits, Strategy};
use borges_multiverse::language::{Label, Language};
use borges_multiverse::temporal::{Answer, Claim, Formula, FormulaError, Run, may, must};

use super::breakpoint::{Arrival, Breakpoint, BreakpointError};
use super::predicate::{Predicate, PredicateError};
use super::session::Voyager;
use crate::ambienttalk::{AmbientTalk, Choice, State};

/// An answer with a run that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes; for *may* with a run that does it.
    Yes(Option<Witness>),
    /// No; for *must* with a run that does not.
    No(Option<Witness>),
    /// There are more states than allowed.
    Unknown,
}

/// A run: its steps, and the cycle that it goes round for ever after them (empty if it ends).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// From the start.
    pub steps: Vec<Label>,
    /// For ever.
    pub cycle: Vec<Label>,
}

/// Whether some universe does it, and whether every run does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdicts {
    /// In some universe.
    pub may: Verdict,
    /// In every run.
    pub must: Verdict,
}

/// Remembers whether a breakpoint was met: an observer in product with the program.
struct Watch<'b> {
    breakpoint: &'b Breakpoint,
    program: &'b AmbientTalk,
}

impl Watch<'_> {
    fn meets(&self, arrival: &Arrival<'_>) -> bool {
        !self.breakpoint.hits(self.program, arrival).is_empty()
    }
}

impl Observer<&AmbientTalk> for Watch<'_> {
    type Memory = bool;

    fn start(&self, initial: &State) -> bool {
        self.meets(&Arrival {
            before: None,
            mover: None,
            after: initial,
        })
    }

    fn observe(&self, memory: &bool, from: &State, choice: &Choice, to: &State) -> bool {
        let mover = match choice {
            Choice::Act(actor) => Some(*actor),
            Choice::Deliver { .. } => None,
        };
        *memory
            || self.meets(&Arrival {
                before: Some(from),
                mover,
                after: to,
            })
    }
}

impl Voyager {
    /// Whether a breakpoint halts in some universe, and whether it halts in every run. Explores at
    /// most `states` states, next to the session and without changing it.
    ///
    /// # Errors
    /// [`BreakpointError`] if `spec` is none.
    pub fn occurs(&self, spec: &str, states: usize) -> Result<Verdicts, BreakpointError> {
        let breakpoint = Breakpoint::parse(&self.program, &self.text, spec)?;
        let watched = Observed {
            program: &self.program,
            observer: Watch {
                breakpoint: &breakpoint,
                program: &self.program,
            },
        };
        let met = Claim::from(Formula::Atom(()).eventually());
        Ok(verdicts(watched, states, &met, |(), (_, met)| *met))
    }

    /// Whether some run fulfils a temporal formula over predicates, as `G ({math.result == 66} -> F
    /// {printed(client1, "66")})`, and whether every run does; after the word `fair`, among the weakly
    /// fair runs.
    ///
    /// # Errors
    /// [`FormulaError`] with the place.
    pub fn check(
        &self,
        formula: &str,
        states: usize,
    ) -> Result<Verdicts, FormulaError<PredicateError>> {
        let claim = Claim::parse(formula, Predicate::parse)?;
        let program = &self.program;
        Ok(verdicts(program, states, &claim, |predicate, state| {
            predicate.holds(program, state)
        }))
    }
}

pub(crate) fn verdicts<L: Language, A>(
    language: L,
    states: usize,
    claim: &Claim<A>,
    holds: impl Fn(&A, &L::State) -> bool,
) -> Verdicts {
    let mut exploration = Exploration::new(language, Strategy::BreadthFirst);
    let limits = Limits {
        states,
        ..Limits::default()
    };
    exploration.run(&limits, |_| true);
    let graph = exploration.into_graph();
    let verdict = |answer: Answer| match answer {
        Answer::Yes(run) => Verdict::Yes(run.map(|run| witness(&graph, &run))),
        Answer::No(run) => Verdict::No(run.map(|run| witness(&graph, &run))),
        Answer::Unknown => Verdict::Unknown,
    };
    let Claim { fairness, formula } = claim;
    Verdicts {
        may: verdict(may(&graph, formula, *fairness, &holds)),
        must: verdict(must(&graph, formula, *fairness, &holds)),
    }
}

fn witness<L: Language>(graph: &Graph<L>, run: &Run) -> Witness {
    let label = |edge| {
        let state = graph.state(graph.edge(edge)?.from)?;
        Some(graph.language().label(state, &graph.choice(edge)?))
    };
    let labels = |edges: &[_]| edges.iter().filter_map(|edge| label(*edge)).collect();
    Witness {
        steps: labels(&run.stem),
        cycle: labels(&run.cycle),
    }
}
