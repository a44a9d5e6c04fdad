//! A graph that grows, as rows of tables: what was found is written while more is looked for.

use std::collections::BTreeMap;

use borges_multiverse::graph::{EdgeId, NodeId};
use borges_multiverse::language::Outcome;

use super::ask::{EdgeRow, EndCount, Held, StateRow, word};
use super::reported::Reported;

/// What a graph has gained since it was asked before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gains {
    /// Outcomes that were met first. They are numbered in that order here; [`super::Multiverse::ends`] sorts them.
    pub outcomes: Vec<EndCount>,
    /// States that were known, and are explored now.
    pub changed: Vec<StateRow>,
    /// New states. Depth and last edge are those of the way on which a state was found, and no cycles are known.
    pub states: Vec<StateRow>,
    /// New edges.
    pub edges: Vec<EdgeRow>,
}

/// Takes what a graph has gained; false ends the exploration. It is asked for every few hundred states.
pub type Keeper<'k> = &'k mut dyn FnMut(Gains) -> bool;

/// How much of a graph was told.
pub(super) struct Told<V> {
    edges: usize,
    ends: usize,
    /// The edge on which each state was found; of the start, none.
    via: Vec<Option<EdgeId>>,
    outcomes: BTreeMap<Outcome<V>, u32>,
    /// States that are told with their texts: the first ones.
    described: usize,
}

impl<V> Told<V> {
    pub(super) const fn nothing(described: usize) -> Self {
        Self {
            edges: 0,
            ends: 0,
            via: Vec::new(),
            outcomes: BTreeMap::new(),
            described,
        }
    }
}

impl<P: Reported<State: 'static>> Held<P> {
    /// What was not told yet.
    pub(super) fn gains(&self, told: &mut Told<P::Value>) -> Gains {
        let graph = self.graph();
        let known = told.via.len();
        let edges = told.edges as u32..graph.edge_count() as u32;
        told.edges = edges.end as usize;
        if known == 0 {
            told.via.push(None);
        }
        let mut explored = Vec::new();
        for id in edges.clone().map(EdgeId) {
            let Some(edge) = graph.edge(id) else { continue };
            // States are numbered in the order in which edges lead to them.
            if edge.to.0 as usize == told.via.len() {
                told.via.push(Some(id));
            }
            if (edge.from.0 as usize) < known && explored.last() != Some(&edge.from) {
                explored.push(edge.from);
            }
        }
        let ends = self.exploration.ends();
        let new_ends = ends.get(told.ends..).unwrap_or_default();
        let known_ends = new_ends.iter().filter(|end| (end.0 as usize) < known);
        explored.extend(known_ends);
        told.ends = ends.len();

        let mut gains = Gains::default();
        for node in explored {
            let row = self.row_told(node, told, &mut gains.outcomes);
            gains.changed.extend(row);
        }
        for node in (known..graph.len()).map(|node| NodeId(node as u32)) {
            let row = self.row_told(node, told, &mut gains.outcomes);
            gains.states.extend(row);
        }
        gains.edges = edges.filter_map(|edge| self.row_of(edge)).collect();
        gains
    }

    fn row_told(
        &self,
        node: NodeId,
        told: &mut Told<P::Value>,
        outcomes: &mut Vec<EndCount>,
    ) -> Option<StateRow> {
        let graph = self.graph();
        let outcome = graph.outcome(node).map(|outcome| {
            let fresh = told.outcomes.len() as u32;
            if let Some(known) = told.outcomes.get(&outcome) {
                return *known;
            }
            outcomes.push(EndCount {
                outcome: fresh,
                how: outcome.verdicts.into(),
                text: outcome.value.to_string(),
                states: 0,
            });
            told.outcomes.insert(outcome, fresh);
            fresh
        });
        let words = (node.0 as usize) < told.described;
        let text = words.then(|| Some(graph.language().show(graph.state(node)?)));
        Some(StateRow {
            id: node.0,
            depth: graph.depth(node)?,
            via: told.via.get(node.0 as usize)?.map(|edge| edge.0),
            status: word(graph.status(node)?),
            outcome,
            cycle: None,
            text: text.flatten(),
        })
    }
}
