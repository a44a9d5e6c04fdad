//! Whether runs take one of some steps: what a formula about states cannot say.

use super::{Run, Truth};
use crate::graph::{Edge, EdgeId, Graph, NodeId};
use crate::heed::{Enough, Heed as _, Impatient};
use crate::language::Language;

/// Whether some run takes one of the steps: those edges for which `taken`, by their numbers, is true.
/// Gives up when `keep_going` returns false.
pub fn may_take<L: Language>(
    graph: &Graph<L>,
    taken: &[bool],
    keep_going: &mut dyn FnMut() -> bool,
) -> Truth {
    let run = first_over(graph, taken, &mut Impatient::new(keep_going));
    shown(graph, run, Truth::Yes, Truth::No)
}

/// Whether every run takes one of the steps, as [`may_take`] has them.
pub fn must_take<L: Language>(
    graph: &Graph<L>,
    taken: &[bool],
    keep_going: &mut dyn FnMut() -> bool,
) -> Truth {
    let run = avoiding(graph, taken, &mut Impatient::new(keep_going));
    shown(graph, run, Truth::No, Truth::Yes)
}

/// What a run shows that was looked for, and what it does that there is none.
fn shown<L: Language>(
    graph: &Graph<L>,
    run: Result<Option<Run>, Enough>,
    by_a_run: fn(Option<Run>) -> Truth,
    by_none: fn(Option<Run>) -> Truth,
) -> Truth {
    match run {
        Ok(Some(run)) if is_partial(graph, &run) => Truth::Maybe(run),
        Ok(Some(run)) => by_a_run(Some(run)),
        Ok(None) if graph.is_complete() => by_none(None),
        Ok(None) | Err(Enough) => Truth::Unknown,
    }
}

/// Whether a run has steps that are open to some values of their universes only.
fn is_partial<L: Language>(graph: &Graph<L>, run: &Run) -> bool {
    let mut steps = run.stem.iter().chain(&run.cycle);
    steps.any(|edge| graph.is_partial(*edge))
}

/// A shortest run over one of the edges.
fn first_over<L: Language>(
    graph: &Graph<L>,
    edges: &[bool],
    heed: &mut Impatient<'_>,
) -> Result<Option<Run>, Enough> {
    let over = |node: NodeId| graph.edges_from(node).find(|(id, _)| edges[id.0 as usize]);
    let nearest = graph.nearest(NodeId::ROOT, |node| over(node).is_some(), heed)?;
    Ok(nearest.and_then(|(node, mut stem)| {
        stem.push(over(node)?.0);
        let cycle = Vec::new();
        Some(Run { stem, cycle })
    }))
}

/// A run that takes none of the edges: to the nearest end, or else round a cycle.
fn avoiding<L: Language>(
    graph: &Graph<L>,
    edges: &[bool],
    heed: &mut Impatient<'_>,
) -> Result<Option<Run>, Enough> {
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
        heed.step()?;
        if graph.is_end(node) {
            let (stem, cycle) = (way(&came, node), Vec::new());
            return Ok(Some(Run { stem, cycle }));
        }
        for (id, edge) in free(node) {
            if !std::mem::replace(&mut seen[edge.to.0 as usize], true) {
                came[edge.to.0 as usize] = Some(id);
                nodes.push(edge.to);
            }
        }
    }
    let goes_on = going_on(graph, &nodes, free, heed)?;
    let first = nodes.into_iter().find(|node| goes_on[node.0 as usize]);
    let Some(mut at) = first else {
        return Ok(None);
    };
    let mut stem = way(&came, at);
    // Whoever goes on can go on among those that do, until a node comes again.
    let mut place = vec![None; graph.len()];
    loop {
        if let Some(begins) = place[at.0 as usize].replace(stem.len()) {
            let cycle = stem.split_off(begins);
            return Ok(Some(Run { stem, cycle }));
        }
        let Some((id, edge)) = free(at).find(|(_, edge)| goes_on[edge.to.0 as usize]) else {
            return Ok(None);
        };
        stem.push(id);
        at = edge.to;
    }
}

/// Which of some nodes can go on for ever by `free` edges: what is left when those without a way on are taken away, again
/// and again.
fn going_on<L: Language, E: Iterator<Item = (EdgeId, Edge)>>(
    graph: &Graph<L>,
    nodes: &[NodeId],
    free: impl Fn(NodeId) -> E,
    heed: &mut Impatient<'_>,
) -> Result<Vec<bool>, Enough> {
    let mut ways: Vec<usize> = vec![0; graph.len()];
    let mut before: Vec<Vec<NodeId>> = vec![Vec::new(); graph.len()];
    for node in nodes {
        heed.step()?;
        for (_, edge) in free(*node) {
            ways[node.0 as usize] += 1;
            before[edge.to.0 as usize].push(*node);
        }
    }
    let lost = nodes.iter().copied();
    let mut lost: Vec<NodeId> = lost.filter(|node| ways[node.0 as usize] == 0).collect();
    while let Some(node) = lost.pop() {
        heed.step()?;
        for from in std::mem::take(&mut before[node.0 as usize]) {
            ways[from.0 as usize] -= 1;
            if ways[from.0 as usize] == 0 {
                lost.push(from);
            }
        }
    }
    Ok(ways.into_iter().map(|ways| ways > 0).collect())
}
