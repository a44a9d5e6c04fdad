//! What follows from a graph as a whole, found once when somebody asks.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use borges_multiverse::graph::{Components, Graph, NodeId, ShortestPaths};
use borges_multiverse::heed::Heed;
use borges_multiverse::language::{Language, Outcome};

/// An outcome with the states that have it.
type Ends<V> = (Outcome<V>, Vec<NodeId>);

/// Of a graph as it is: when that has grown, it is thrown away.
pub(super) struct Derived<V> {
    outcomes: OnceLock<Vec<Ends<V>>>,
    shortest: OnceLock<ShortestPaths>,
    cycles: OnceLock<HashMap<u32, u32>>,
}

impl<V> Default for Derived<V> {
    fn default() -> Self {
        Self {
            outcomes: OnceLock::new(),
            shortest: OnceLock::new(),
            cycles: OnceLock::new(),
        }
    }
}

impl<V: Ord> Derived<V> {
    /// The outcomes in their order, which numbers them.
    pub(super) fn outcomes<L: Language<Value = V>, H: Heed>(
        &self,
        graph: &Graph<L>,
        heed: &mut H,
    ) -> Result<&[Ends<V>], H::Stop> {
        let find = || {
            let mut outcomes: BTreeMap<Outcome<V>, Vec<NodeId>> = BTreeMap::new();
            for end in graph.ends() {
                heed.step()?;
                if let Some(outcome) = graph.outcome(end) {
                    outcomes.entry(outcome).or_default().push(end);
                }
            }
            Ok(outcomes.into_iter().collect())
        };
        once(&self.outcomes, find).map(Vec::as_slice)
    }

    /// Shortest ways from the start.
    pub(super) fn shortest<L: Language<Value = V>, H: Heed>(
        &self,
        graph: &Graph<L>,
        heed: &mut H,
    ) -> Result<&ShortestPaths, H::Stop> {
        once(&self.shortest, || graph.shortest_paths(NodeId::ROOT, heed))
    }

    /// On which cycle a state lies, of those that lie on one.
    pub(super) fn cycles<L: Language<Value = V>, H: Heed>(
        &self,
        graph: &Graph<L>,
        heed: &mut H,
    ) -> Result<&HashMap<u32, u32>, H::Stop> {
        let find = || {
            let components = graph.components(heed)?;
            let numbered = cyclic(&components).enumerate().flat_map(|(nth, nodes)| {
                let nodes = nodes.iter();
                nodes.map(move |node| (node.0, nth as u32))
            });
            Ok(numbered.collect())
        };
        once(&self.cycles, find)
    }
}

/// The sets of states in which a run can stay for ever.
pub(super) fn cyclic(components: &Components) -> impl Iterator<Item = &[NodeId]> {
    let cyclic = components.iter().filter(|component| component.cyclic);
    cyclic.map(|component| component.nodes)
}

/// What a cell has, or else what is found now, unless that is stopped.
fn once<T, E>(cell: &OnceLock<T>, find: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let found = find()?;
    Ok(cell.get_or_init(|| found))
}
