//! Who takes each step of a graph.
//!
//! Most graphs are never asked, so the language is asked when somebody wants to know, once for every universe; what it
//! said is kept beside the edges.

use std::collections::HashMap;

use super::{EdgeId, Graph, NodeId};
use crate::language::Language;

/// An agent in one [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AgentId(u32);

/// Who takes each edge, as far as somebody asked.
pub(super) struct Takers<A> {
    of: Vec<AgentId>,
    numbers: HashMap<A, AgentId>,
}

impl<A> Default for Takers<A> {
    fn default() -> Self {
        Self {
            of: Vec::new(),
            numbers: HashMap::new(),
        }
    }
}

impl AgentId {
    /// Nobody asked.
    const UNKNOWN: Self = Self(u32::MAX);
}

impl<L: Language> Graph<L> {
    /// Sees to it that it is known who takes the edges that leave `node`.
    pub(crate) fn note_agents(&self, node: NodeId) {
        let mut takers = self.takers.borrow_mut();
        takers.of.resize(self.edges.len(), AgentId::UNKNOWN);
        let mut edges = self.edges_from(node);
        let is_unknown = |(id, _): (EdgeId, _)| takers.of[id.0 as usize] == AgentId::UNKNOWN;
        let (Some(state), true) = (self.state(node), edges.next().is_some_and(is_unknown)) else {
            return;
        };
        let mut choices = Vec::new();
        self.language.enabled(state, &mut choices);
        let takers = &mut *takers;
        for (id, edge) in self.edges_from(node) {
            let Some(choice) = choices.get(edge.option as usize) else {
                continue;
            };
            let agent = self.language.agent(state, choice);
            // There are fewer than edges.
            let next = AgentId(takers.numbers.len() as u32);
            takers.of[id.0 as usize] = *takers.numbers.entry(agent).or_insert(next);
        }
    }

    /// The agents that were noted.
    pub(crate) fn agents(&self) -> impl Iterator<Item = AgentId> + use<L> {
        (0..self.takers.borrow().numbers.len() as u32).map(AgentId)
    }

    /// Whether a run that takes `edge` keeps `agent` waiting no longer: the agent takes it, or could not take any from
    /// there. [`Graph::note_agents`] was asked.
    pub(crate) fn is_served(&self, agent: AgentId, edge: EdgeId) -> bool {
        let takers = self.takers.borrow();
        let of = |id: EdgeId| takers.of.get(id.0 as usize);
        let from = self.edge(edge).map(|edge| edge.from);
        let mut others = from.into_iter().flat_map(|from| self.edges_from(from));
        of(edge) == Some(&agent) || !others.any(|(id, _)| of(id) == Some(&agent))
    }
}
