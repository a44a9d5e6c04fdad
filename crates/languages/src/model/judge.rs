//! Verdicts on all runs of a graph that is there already: whether a breakpoint may and must be met, whether a
//! temporal formula may and must hold, whether every end is as expected.

use borges_multiverse::graph::{EdgeId, Graph, NodeId};
use borges_multiverse::language::{Label, Language};
use borges_multiverse::temporal::{Claim, FormulaError, Run};

use super::debug::{Judgement, Opinion, Refused};
use super::lead::Lead;
use super::report::Why;
use super::reported::Reported;
use crate::predicate::{Kind, Named, Predicate, PredicateError};
use crate::voyager::{Verdict, Verdicts, verdicts_on, witness};

/// How many edges are looked at between two calls of `keep_going`.
const BEAT: usize = 1024;

/// Whether a breakpoint is met in some run, and in every run; unknown once `keep_going` returns false.
pub(crate) fn occurs<P: Reported>(
    graph: &Graph<P>,
    lead: &Lead,
    keep_going: &mut dyn FnMut() -> bool,
) -> Verdicts {
    let language = graph.language();
    let start = graph.state(NodeId::ROOT);
    if start.is_some_and(|start| language.begins(lead, start)) {
        let here = Run {
            stem: Vec::new(),
            cycle: Vec::new(),
        };
        return Verdicts {
            may: Verdict::Yes(Some(witness(graph, &here))),
            must: Verdict::Yes(None),
        };
    }
    let mut meeting: Vec<bool> = Vec::new();
    for (edge, _) in graph.edges() {
        if meeting.len().is_multiple_of(BEAT) && !keep_going() {
            return Verdicts {
                may: Verdict::Unknown,
                must: Verdict::Unknown,
            };
        }
        meeting.push(meets(graph, lead, edge));
    }
    let complete = graph.is_complete();
    let otherwise = |verdict| if complete { verdict } else { Verdict::Unknown };
    Verdicts {
        may: match first_over(graph, &meeting) {
            Some(run) => Verdict::Yes(Some(witness(graph, &run))),
            None => otherwise(Verdict::No(None)),
        },
        must: match avoiding(graph, &meeting) {
            Some(run) => Verdict::No(Some(witness(graph, &run))),
            None => otherwise(Verdict::Yes(None)),
        },
    }
}

/// Whether an edge comes to a breakpoint.
pub(super) fn meets<P: Reported>(graph: &Graph<P>, lead: &Lead, edge: EdgeId) -> bool {
    let (Some(choice), Some(edge)) = (graph.choice(edge), graph.edge(edge)) else {
        return false;
    };
    match (graph.state(edge.from), graph.state(edge.to)) {
        (Some(from), Some(to)) => graph.language().meets(lead, from, &choice, to),
        _ => false,
    }
}

/// A shortest run over one of the edges.
fn first_over<P: Language>(graph: &Graph<P>, edges: &[bool]) -> Option<Run> {
    let over = |node: NodeId| graph.edges_from(node).find(|(id, _)| edges[id.0 as usize]);
    let (node, mut stem) = graph.nearest(NodeId::ROOT, |node| over(node).is_some())?;
    stem.push(over(node)?.0);
    let cycle = Vec::new();
    Some(Run { stem, cycle })
}

/// A run that takes none of the edges: to the nearest end, or else round a cycle.
fn avoiding<P: Language>(graph: &Graph<P>, edges: &[bool]) -> Option<Run> {
    let free = |node: NodeId| {
        let leaving = graph.edges_from(node);
        leaving.filter(|(id, _)| !edges[id.0 as usize])
    };
    let mut came: Vec<Option<EdgeId>> = vec![None; graph.len()];
    let mut seen = vec![false; graph.len()];
    seen[NodeId::ROOT.0 as usize] = true;
    let mut nodes = vec![NodeId::ROOT];
    let mut next = 0;
    let way = |came: &[Option<EdgeId>], to: NodeId| {
        let mut stem = Vec::new();
        let mut at = to;
        while let Some(edge) = came[at.0 as usize] {
            stem.push(edge);
            at = graph.edge(edge).map_or(NodeId::ROOT, |edge| edge.from);
        }
        stem.reverse();
        stem
    };
    while let Some(node) = nodes.get(next).copied() {
        next += 1;
        if graph.is_end(node) {
            let (stem, cycle) = (way(&came, node), Vec::new());
            return Some(Run { stem, cycle });
        }
        for (id, edge) in free(node) {
            if !std::mem::replace(&mut seen[edge.to.0 as usize], true) {
                came[edge.to.0 as usize] = Some(id);
                nodes.push(edge.to);
            }
        }
    }
    // What is left when nodes without a way on are taken away, again and again, can go round for ever.
    let mut ways: Vec<usize> = vec![0; graph.len()];
    let mut before: Vec<Vec<NodeId>> = vec![Vec::new(); graph.len()];
    for node in &nodes {
        for (_, edge) in free(*node) {
            ways[node.0 as usize] += 1;
            before[edge.to.0 as usize].push(*node);
        }
    }
    let mut lost: Vec<NodeId> = nodes
        .iter()
        .copied()
        .filter(|node| ways[node.0 as usize] == 0)
        .collect();
    while let Some(node) = lost.pop() {
        for from in std::mem::take(&mut before[node.0 as usize]) {
            ways[from.0 as usize] -= 1;
            if ways[from.0 as usize] == 0 {
                lost.push(from);
            }
        }
    }
    let goes_on = |node: &NodeId| ways[node.0 as usize] > 0;
    let first = nodes.iter().copied().find(goes_on)?;
    let mut stem = way(&came, first);
    // Whoever goes on can go on among those that do, until a node comes again.
    let mut place = vec![None; graph.len()];
    let mut at = first;
    loop {
        if let Some(begins) = place[at.0 as usize].replace(stem.len()) {
            let cycle = stem.split_off(begins);
            return Some(Run { stem, cycle });
        }
        let (id, edge) = free(at).find(|(_, edge)| goes_on(&edge.to))?;
        stem.push(id);
        at = edge.to;
    }
}

/// Reads a formula about a program, all of whose names some state of the graph has.
pub(super) fn formula<P: Reported>(
    graph: &Graph<P>,
    text: &str,
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
    ever(graph, named)?;
    Ok(parsed)
}

/// Refuses names that mean nothing in any state: a question about them would be about nothing.
pub(super) fn ever<P: Language + Named>(
    graph: &Graph<P>,
    mut named: Vec<(Kind, String)>,
) -> Result<(), Refused> {
    for node in graph.nodes() {
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

/// Whether some run fulfils a formula, and whether every run does; unknown once `keep_going` returns false.
pub(super) fn check<P: Reported>(
    graph: &Graph<P>,
    text: &str,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Verdicts, Refused> {
    let formula = formula(graph, text)?;
    let language = graph.language();
    Ok(verdicts_on(
        graph,
        &formula,
        |predicate: &Predicate, state| predicate.holds(language, state),
        keep_going,
    ))
}

/// Verdicts as faces see them.
pub(super) fn judgement(verdicts: Verdicts, states: u64, partial: Option<Why>) -> Judgement {
    let opinion = |verdict: Verdict| {
        let (holds, witness) = match verdict {
            Verdict::Yes(witness) => (Some(true), witness),
            Verdict::No(witness) => (Some(false), witness),
            Verdict::Unknown => (None, None),
        };
        let texts = |labels: Vec<Label>| labels.into_iter().map(|label| label.text).collect();
        let (steps, cycle) = witness.map_or_else(Default::default, |witness| {
            (texts(witness.steps), texts(witness.cycle))
        });
        Opinion {
            holds,
            steps,
            cycle,
        }
    };
    Judgement {
        may: opinion(verdicts.may),
        must: opinion(verdicts.must),
        states,
        partial,
    }
}
