//! Questions about all runs: whether a breakpoint may or must be met, and temporal formulas.

use borges_multiverse::graph::{Exploration, Graph, Limits, Strategy};
use borges_multiverse::language::{Label, Language};
use borges_multiverse::temporal::{Claim, FormulaError, Run, Truth, may, must};

use super::breakpoint::{Breakpoint, BreakpointError};
use crate::ambienttalk::AmbientTalk;
use crate::model;
use crate::predicate::{Predicate, PredicateError};

/// An answer with a run that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes; for *may* with a run that does it.
    Yes(Option<Witness>),
    /// No; for *must* with a run that does not.
    No(Option<Witness>),
    /// There are more states than allowed, or the search was stopped.
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

/// Whether a breakpoint halts in some universe of a program with this text, and whether it halts in every run. Explores
/// at most `states` states.
///
/// # Errors
/// [`BreakpointError`] if `spec` is none.
pub fn occurs(
    program: &AmbientTalk,
    text: &str,
    spec: &str,
    states: usize,
) -> Result<Verdicts, BreakpointError> {
    let breakpoint = Breakpoint::parse(program, text, spec)?;
    Ok(model::occurs(
        &grown(program, states),
        &breakpoint.into(),
        &mut || true,
    ))
}

/// Whether some run fulfils a temporal formula over predicates, as `G ({math.result == 66} -> F
/// {printed(client1, "66")})`, and whether every run does; after the word `fair`, among the weakly
/// fair runs. Explores at most `states` states.
///
/// # Errors
/// [`FormulaError`] with the place.
pub fn check(
    program: &AmbientTalk,
    formula: &str,
    states: usize,
) -> Result<Verdicts, FormulaError<PredicateError>> {
    let claim = Claim::parse(formula, |text| Predicate::of(program, text))?;
    let graph = grown(program, states);
    Ok(verdicts_on(
        &graph,
        &claim,
        |predicate: &Predicate, state| predicate.holds(program, state),
        &mut || true,
    ))
}

fn grown(program: &AmbientTalk, states: usize) -> Graph<&AmbientTalk> {
    let mut exploration = Exploration::new(program, Strategy::BreadthFirst);
    let limits = Limits {
        states,
        ..Limits::default()
    };
    exploration.run(&limits, |_| true);
    exploration.into_graph()
}

/// Whether some run of a graph fulfils a formula, and whether every run does; unknown once `keep_going` returns false.
pub(crate) fn verdicts_on<L: Language, A>(
    graph: &Graph<L>,
    claim: &Claim<A>,
    holds: impl Fn(&A, &L::State) -> bool,
    keep_going: &mut dyn FnMut() -> bool,
) -> Verdicts {
    let verdict = |answer: Truth| match answer {
        Truth::Yes(run) => Verdict::Yes(run.map(|run| witness(graph, &run))),
        Truth::No(run) => Verdict::No(run.map(|run| witness(graph, &run))),
        Truth::Unknown => Verdict::Unknown,
    };
    let Claim { fairness, formula } = claim;
    Verdicts {
        may: verdict(may(graph, formula, *fairness, &holds, keep_going)),
        must: verdict(must(graph, formula, *fairness, &holds, keep_going)),
    }
}

/// The steps of a run.
pub(crate) fn witness<L: Language>(graph: &Graph<L>, run: &Run) -> Witness {
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
