//! Verdicts on all runs of a graph that is there already: whether a breakpoint may and must be met, whether a
//! temporal formula may and must hold, whether every end is as expected.

use borges_multiverse::debug::Arrival;
use borges_multiverse::graph::{EdgeId, Graph, NodeId};
use borges_multiverse::heed::{Enough, Heed as _, Impatient};
use borges_multiverse::language::Language;
use borges_multiverse::temporal::{self, Claim, FormulaError, Run, Truth};

use super::debug::{Judgement, Opinion, Refused};
use super::lead::Lead;
use super::reported::Reported;
use super::step::Why;
use crate::predicate::{Kind, Named, Predicate, PredicateError};

/// Whether something is so in some run, and whether it is in every run.
pub(super) type Truths = [Truth; 2];

/// Whether a breakpoint is met; unknown once `keep_going` returns false.
pub(super) fn occurs<P: Reported>(
    graph: &Graph<P>,
    lead: &Lead,
    keep_going: &mut dyn FnMut() -> bool,
) -> Truths {
    let language = graph.language();
    let start = graph.state(NodeId::ROOT);
    let starts = |after| {
        language.meets(
            lead,
            &Arrival {
                before: None,
                after,
            },
        )
    };
    if start.is_some_and(starts) {
        let here = Run {
            stem: Vec::new(),
            cycle: Vec::new(),
        };
        return [Truth::Yes(Some(here)), Truth::Yes(None)];
    }
    let mut heed = Impatient::new(keep_going);
    let meeting = graph.edges().map(|(edge, _)| {
        heed.step()?;
        Ok(meets(graph, lead, edge))
    });
    let Ok(meeting) = meeting.collect::<Result<Vec<bool>, Enough>>() else {
        return [Truth::Unknown, Truth::Unknown];
    };
    [
        temporal::may_take(graph, &meeting, keep_going),
        temporal::must_take(graph, &meeting, keep_going),
    ]
}

/// Whether an edge comes to a breakpoint.
pub(super) fn meets<P: Reported>(graph: &Graph<P>, lead: &Lead, edge: EdgeId) -> bool {
    let (Some(choice), Some(edge)) = (graph.choice(edge), graph.edge(edge)) else {
        return false;
    };
    match (graph.state(edge.from), graph.state(edge.to)) {
        (Some(from), Some(after)) => {
            let before = Some((from, &choice));
            let arrival = Arrival { before, after };
            graph.language().meets(lead, &arrival)
        }
        _ => false,
    }
}

/// Reads a formula about a program, all of whose names some state of the graph has.
pub(super) fn formula<P: Reported>(
    graph: &Graph<P>,
    text: &str,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Claim<Predicate>, Refused> {
    let language = graph.language();
    let mut named = Vec::new();
    let parsed = Claim::parse(text, |text| {
        let predicate = Predicate::of(language, text)?;
        let names = predicate.names().into_iter();
        named.extend(names.map(|(kind, name)| (kind, name.to_owned())));
        Ok(predicate)
    });
    let parsed = parsed.map_err(|error: FormulaError<PredicateError>| Refused::formula(&error))?;
    ever(graph, named, keep_going)?;
    Ok(parsed)
}

/// Refuses names that mean nothing in any state: a question about them would be about nothing. Nothing is refused once
/// `keep_going` returns false.
pub(super) fn ever<P: Language + Named>(
    graph: &Graph<P>,
    mut named: Vec<(Kind, String)>,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<(), Refused> {
    let mut heed = Impatient::new(keep_going);
    for node in graph.nodes() {
        if heed.step().is_err() {
            return Ok(());
        }
        let Some(state) = graph.state(node) else {
            continue;
        };
        named.retain(|(kind, name)| !graph.language().has(state, *kind, name));
        if named.is_empty() {
            return Ok(());
        }
    }
    let states = graph.len() as u64;
    match named.into_iter().next() {
        Some((_, name)) if graph.is_complete() => Err(Refused::Never(name)),
        Some((_, name)) => Err(Refused::NotYet(name, states)),
        None => Ok(()),
    }
}

/// Whether runs fulfil a formula; unknown once `keep_going` returns false.
pub(super) fn check<P: Reported>(
    graph: &Graph<P>,
    text: &str,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Truths, Refused> {
    let Claim { fairness, formula } = formula(graph, text, keep_going)?;
    let holds = |predicate: &Predicate, state: &P::State| predicate.holds(graph.language(), state);
    Ok([
        temporal::may(graph, &formula, fairness, holds, keep_going),
        temporal::must(graph, &formula, fairness, holds, keep_going),
    ])
}

pub(super) fn judgement<P: Language>(
    graph: &Graph<P>,
    truths: Truths,
    partial: Option<Why>,
) -> Judgement {
    let text = |edge: &EdgeId| {
        let state = graph.state(graph.edge(*edge)?.from)?;
        let label = graph.language().label(state, &graph.choice(*edge)?);
        Some(label.text)
    };
    let texts = |edges: &[EdgeId]| edges.iter().filter_map(text).collect();
    let [may, must] = truths.map(|truth| {
        let (holds, run) = match truth {
            Truth::Yes(run) => (Some(true), run),
            Truth::No(run) => (Some(false), run),
            Truth::Maybe(run) => (None, Some(run)),
            Truth::Unknown => (None, None),
        };
        let run = run.as_ref();
        Opinion {
            holds,
            steps: run.map_or_else(Vec::new, |run| texts(&run.stem)),
            cycle: run.map_or_else(Vec::new, |run| texts(&run.cycle)),
        }
    });
    Judgement {
        may,
        must,
        states: graph.len() as u64,
        partial,
    }
}
