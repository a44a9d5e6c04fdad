//! Any graph as a tree: each node stands where it was come to first.

use std::collections::{BTreeMap, VecDeque};

use super::{End, Entry, Layout, Place, Tree, Words};

/// Nodes that are drawn at most.
const MOST: usize = 10_000;

/// A node that an edge leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branching {
    /// The node.
    pub to: u32,
    /// A few words on the way there.
    pub text: String,
}

#[derive(Clone, Debug, PartialEq)]
struct Came(Branching, u64);

impl Entry for Came {
    type Outcome = String;

    fn step(&self) -> u64 {
        self.1
    }

    fn same_choice(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// Draws a graph from node 0, the nearest first: `leaving` are the edges of a node, `end` is what ended there.
#[must_use]
pub fn render_graph(
    leaving: impl Fn(u32) -> Vec<Branching>,
    end: impl Fn(u32) -> Option<String>,
    here: u32,
    layout: &Layout,
) -> String {
    let mut tree = Tree::new();
    let mut places = BTreeMap::from([(0, Place::ROOT)]);
    let mut waiting = VecDeque::from([0]);
    while let Some(node) = waiting.pop_front() {
        let place = places[&node];
        for edge in leaving(node) {
            let to = edge.to;
            if places.len() >= MOST || places.contains_key(&to) {
                continue;
            }
            // A tree of so few takes any entry behind the place before it.
            let Ok(edge) = tree.fork(place, Came(edge, u64::from(place.depth()) + 1)) else {
                continue;
            };
            places.insert(to, edge.place);
            waiting.push_back(to);
        }
        if let Some(end) = end(node) {
            let _ended = tree.finish(place.branch, place.depth().into(), End::Finished(end));
        }
    }
    let here = places.get(&here).map(|at| (*at, at.depth().into(), "here"));
    let words = Words {
        label: &|_, Came(edge, _)| format!("{}  {}", edge.to, edge.text),
        end: &|end| match end {
            End::Open => String::new(),
            End::Finished(end) | End::Trapped(end) => end.clone(),
        },
        markers: &here.into_iter().collect::<Vec<_>>(),
    };
    tree.render_text(&words, layout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_stands_where_it_was_come_to_first() {
        let edges = [vec![1, 2], vec![2, 3, 0], vec![3], vec![]];
        let leaving = |node: u32| {
            let to = edges[node as usize].iter();
            to.map(|to| Branching {
                to: *to,
                text: format!("from {node}"),
            })
            .collect()
        };
        let end = |node| (node == 3).then(|| "done".to_owned());
        let drawn = render_graph(leaving, end, 2, &Layout::default());
        let lines = ["◉ start", "├─ ● 2  from 0  ◀ here", "│  ○ open, step 1"];
        for line in lines {
            assert!(drawn.contains(line), "{drawn}");
        }
        assert!(drawn.contains("● 3  from 1\n■ done, step 2"), "{drawn}");
        assert_eq!(drawn.matches(" 3 ").count(), 1, "{drawn}");
    }
}
