//! The branch tree against a naive tree with a node per entry.

use borges_multiverse::tree::{BranchId, End, Entry, Growth, Place, Tree, TreeError};
use proptest::prelude::*;

/// An entry whose `capture` is no part of the choice.
#[derive(Clone, Debug, PartialEq)]
struct Happened {
    step: u64,
    value: u8,
    capture: u32,
}

impl Entry for Happened {
    type Outcome = u32;

    fn step(&self) -> u64 {
        self.step
    }

    fn same_choice(&self, other: &Self) -> bool {
        (self.step, self.value) == (other.step, other.value)
    }
}

/// A node per entry, children in order of making; the root is node 0.
#[derive(Default)]
struct Naive {
    nodes: Vec<Node>,
}

struct Node {
    parent: usize,
    entry: Option<Happened>,
    children: Vec<usize>,
    /// The canonical place that the real tree gave.
    place: Place,
}

impl Naive {
    fn new() -> Self {
        let mut naive = Self::default();
        naive.add(0, None, Place::ROOT);
        naive
    }

    fn add(&mut self, parent: usize, entry: Option<Happened>, place: Place) -> usize {
        let id = self.nodes.len();
        self.nodes.push(Node {
            parent,
            entry,
            children: Vec::new(),
            place,
        });
        if id > 0 {
            self.nodes[parent].children.push(id);
        }
        id
    }

    fn step(&self, node: usize) -> u64 {
        self.nodes[node]
            .entry
            .as_ref()
            .map_or(0, |entry| entry.step)
    }

    /// Nodes from the root to `node`, both included.
    fn path(&self, node: usize) -> Vec<usize> {
        let mut path = vec![node];
        let mut at = node;
        while at != 0 {
            at = self.nodes[at].parent;
            path.push(at);
        }
        path.reverse();
        path
    }
}

#[derive(Clone, Debug)]
enum Op {
    /// Fork at the n-th living node.
    Fork {
        at: usize,
        delta: u64,
        value: u8,
        capture: u32,
    },
    /// Fork at the newest node, so that long lines appear.
    Grow { delta: u64, value: u8 },
    Append {
        branch: usize,
        delta: u64,
        value: u8,
    },
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (any::<usize>(), 0..3_u64, 0..3_u8, any::<u32>())
            .prop_map(|(at, delta, value, capture)| Op::Fork { at, delta, value, capture }),
        6 => (0..3_u64, 0..3_u8).prop_map(|(delta, value)| Op::Grow { delta, value }),
        3 => (any::<usize>(), 0..3_u64, 0..3_u8)
            .prop_map(|(branch, delta, value)| Op::Append { branch, delta, value }),
    ]
}

fn run(ops: &[Op]) -> (Tree<Happened>, Naive) {
    let mut tree = Tree::new();
    let mut naive = Naive::new();
    let mut newest = 0;
    for op in ops {
        let (at, entry, append) = match op {
            Op::Fork {
                at,
                delta,
                value,
                capture,
            } => {
                let at = at % naive.nodes.len();
                let step = naive.step(at) + delta;
                (
                    at,
                    Happened {
                        step,
                        value: *value,
                        capture: *capture,
                    },
                    false,
                )
            }
            Op::Grow { delta, value } => {
                let at = newest;
                let step = naive.step(at) + delta;
                (
                    at,
                    Happened {
                        step,
                        value: *value,
                        capture: 0,
                    },
                    false,
                )
            }
            Op::Append {
                branch,
                delta,
                value,
            } => {
                let branches: Vec<_> = tree.branches().collect();
                let tip = tree.tip(branches[branch % branches.len()]).unwrap();
                let mut nodes = naive.nodes.iter();
                let at = nodes.position(|node| node.place == tip).unwrap();
                let step = naive.step(at) + delta;
                (
                    at,
                    Happened {
                        step,
                        value: *value,
                        capture: 0,
                    },
                    true,
                )
            }
        };
        let place = naive.nodes[at].place;
        let edge = if append {
            tree.append(place.branch, entry.clone()).unwrap()
        } else {
            tree.fork(place, entry.clone()).unwrap()
        };
        let same = |n: &usize| naive.nodes[*n].entry.as_ref().unwrap().same_choice(&entry);
        let known = naive.nodes[at].children.iter().copied().find(same);
        assert_eq!(edge.growth == Growth::Followed, known.is_some());
        newest = known.unwrap_or_else(|| naive.add(at, Some(entry), edge.place));
        assert_eq!(edge.place, naive.nodes[newest].place);
    }
    (tree, naive)
}

fn check_node(tree: &Tree<Happened>, naive: &Naive, n: usize) {
    let node = &naive.nodes[n];
    let place = node.place;
    assert_eq!(tree.canonical(place), Some(place));
    assert_eq!(tree.entry(place), node.entry.as_ref());
    assert_eq!(tree.step_of(place), Some(naive.step(n)));
    let mut children: Vec<_> = tree.children(place).collect();
    let mut expected: Vec<_> = node
        .children
        .iter()
        .map(|c| naive.nodes[*c].place)
        .collect();
    // The continuation comes first, whenever it was made.
    children.sort_unstable();
    expected.sort_unstable();
    assert_eq!(children, expected);

    let path = naive.path(n);
    assert_eq!(place.depth() as usize, path.len() - 1);
    let entries: Vec<_> = path[1..]
        .iter()
        .map(|n| {
            (
                naive.nodes[*n].place,
                naive.nodes[*n].entry.as_ref().unwrap(),
            )
        })
        .collect();
    assert!(tree.path(place).unwrap().eq(entries.iter().copied()));
    assert_eq!(tree.path(place).unwrap().len(), entries.len());
    assert!(
        tree.path(place)
            .unwrap()
            .rev()
            .eq(entries.iter().rev().copied())
    );
    for (depth, on_path) in path.iter().enumerate() {
        assert_eq!(
            tree.at_depth(place, depth as u32),
            Some(naive.nodes[*on_path].place)
        );
    }
    assert_eq!(tree.at_depth(place, path.len() as u32), None);
    for step in 0..=naive.step(n) + 1 {
        let last = path.iter().rev().find(|n| naive.step(**n) <= step).unwrap();
        assert_eq!(tree.at_step(place, step), Some(naive.nodes[*last].place));
    }
}

fn check_pair(tree: &Tree<Happened>, naive: &Naive, a: usize, b: usize) {
    let (path_a, path_b) = (naive.path(a), naive.path(b));
    let common = path_a
        .iter()
        .zip(&path_b)
        .take_while(|(x, y)| x == y)
        .count();
    let join = naive.nodes[path_a[common - 1]].place;
    let (from, to) = (naive.nodes[a].place, naive.nodes[b].place);
    assert_eq!(tree.join(from, to), Some(join));
    assert_eq!(tree.is_on_path(from, to), join == from);
    assert_eq!(tree.between(from, to).is_some(), join == from);
    let route = tree.route(from, to).unwrap();
    assert_eq!(route.join, join);
    let undo: Vec<_> = path_a[common..]
        .iter()
        .rev()
        .map(|n| naive.nodes[*n].place)
        .collect();
    let redo: Vec<_> = path_b[common..]
        .iter()
        .map(|n| naive.nodes[*n].place)
        .collect();
    assert_eq!(
        (route.undo.len(), route.redo.len()),
        (undo.len(), redo.len())
    );
    assert!(route.undo.map(|(place, _)| place).eq(undo));
    assert!(route.redo.map(|(place, _)| place).eq(redo.iter().copied()));
    // From both ends at once: the same, and it is known how many are left.
    let mut way = tree.between(join, to).unwrap();
    let mut left = redo.as_slice();
    while let [first, rest @ ..] = left {
        assert_eq!(way.next().map(|(place, _)| place), Some(*first));
        assert_eq!(way.len(), rest.len());
        left = rest;
        if let [rest @ .., last] = left {
            assert_eq!(way.next_back().map(|(place, _)| place), Some(*last));
            assert_eq!(way.len(), rest.len());
            left = rest;
        }
    }
    assert!(way.next().is_none() && way.next_back().is_none());
}

proptest! {
    #[test]
    fn a_tree_of_branches_is_a_tree_of_nodes(ops in prop::collection::vec(op(), 1..120)) {
        let (tree, naive) = run(&ops);
        let nodes = 0..naive.nodes.len();
        prop_assert_eq!(tree.entry_count() as usize, nodes.len() - 1);
        for n in nodes.clone() {
            check_node(&tree, &naive, n);
        }
        for a in nodes.clone() {
            for b in nodes.clone().skip(a % 3).step_by(3) {
                check_pair(&tree, &naive, a, b);
            }
        }
        let leaves: std::collections::BTreeSet<_> = tree.leaves().map(|leaf| leaf.place).collect();
        let expected = naive.nodes.iter().filter(|node| node.children.is_empty());
        let expected: std::collections::BTreeSet<_> = expected.map(|node| node.place).collect();
        prop_assert_eq!(leaves, expected);
    }
}

fn happened(step: u64, value: u8) -> Happened {
    Happened {
        step,
        value,
        capture: 0,
    }
}

#[test]
fn the_same_choice_follows_whatever_was_captured() {
    let mut tree = Tree::new();
    let first = tree.append(BranchId::ROOT, happened(5, 1)).unwrap();
    let again = Happened {
        capture: 7,
        ..happened(5, 1)
    };
    let edge = tree.fork(Place::ROOT, again).unwrap();
    assert_eq!((edge.place, edge.growth), (first.place, Growth::Followed));
    let other = tree.fork(Place::ROOT, happened(5, 2)).unwrap();
    assert_eq!(other.growth, Growth::Forked);
    assert_eq!(
        tree.children(Place::ROOT).collect::<Vec<_>>(),
        [first.place, other.place]
    );
    // The fork's own place before its first entry is the root.
    assert_eq!(
        tree.canonical(Place {
            index: 0,
            ..other.place
        }),
        Some(Place::ROOT)
    );
}

#[test]
fn an_event_in_the_middle_of_a_finished_run_forks_and_keeps_the_end() {
    let mut tree = Tree::new();
    let tip = tree.append(BranchId::ROOT, happened(10, 1)).unwrap().place;
    tree.finish(tip.branch, 1000, End::Finished(42)).unwrap();
    assert_eq!(
        tree.append(tip.branch, happened(1001, 1)),
        Err(TreeError::Ended)
    );
    assert_eq!(tree.finish(tip.branch, 1000, End::Finished(42)), Ok(()));
    assert_eq!(
        tree.finish(tip.branch, 1000, End::Trapped(1)),
        Err(TreeError::Ended)
    );
    let event = tree.fork(tip, happened(500, 9)).unwrap();
    assert_eq!(event.growth, Growth::Forked);
    let ends: Vec<_> = tree
        .leaves()
        .map(|leaf| (leaf.reached, *leaf.end))
        .collect();
    assert_eq!(ends, [(1000, End::Finished(42)), (500, End::Open)]);
}

#[test]
fn a_run_that_was_seen_further_than_an_event_stays_a_leaf() {
    let mut tree = Tree::new();
    let tip = tree.append(BranchId::ROOT, happened(10, 1)).unwrap().place;
    tree.reach(tip.branch, 700).unwrap();
    let backwards = TreeError::Backwards {
        step: 500,
        reached: 700,
    };
    assert_eq!(tree.append(tip.branch, happened(500, 3)), Err(backwards));
    let event = tree.fork(tip, happened(500, 3)).unwrap();
    assert_eq!(event.growth, Growth::Forked);
    assert_eq!(tree.leaves().count(), 2);
    // Going on past 700 without the event is the continuation of the first line.
    let on = tree.fork(tip, happened(800, 1)).unwrap();
    assert_eq!((on.growth, on.place.branch), (Growth::Appended, tip.branch));
    assert_eq!(tree.leaves().count(), 2);
    let past = TreeError::Backwards {
        step: 9,
        reached: 10,
    };
    assert_eq!(tree.fork(tip, happened(9, 3)), Err(past));
}

#[test]
fn marks_stand_where_their_universe_is() {
    let mut tree = Tree::new();
    let one = tree.append(BranchId::ROOT, happened(10, 1)).unwrap().place;
    let two = tree.append(BranchId::ROOT, happened(20, 1)).unwrap().place;
    tree.mark(one, 15, "before the loop".into()).unwrap();
    tree.mark(two, 20, "here".into()).unwrap();
    assert!(tree.mark(two, 19, "too early".into()).is_err());
    assert_eq!(
        tree.marks().collect::<Vec<_>>(),
        [(one, 15, "before the loop"), (two, 20, "here")]
    );
}

#[test]
fn a_million_entries_cost_little_more_than_themselves() {
    let mut tree = Tree::new();
    for step in 0..1_000_000 {
        tree.append(BranchId::ROOT, happened(step, 0)).unwrap();
    }
    let raw = 1_000_000 * size_of::<Happened>();
    assert!(
        tree.heap_bytes() <= raw * 12 / 10,
        "{} for {raw}",
        tree.heap_bytes()
    );
    let tip = tree.tip(BranchId::ROOT).unwrap();
    assert_eq!(tree.path(tip).unwrap().rev().count(), 1_000_000);
    let middle = tree.at_step(tip, 499_999).unwrap();
    assert_eq!(middle.index, 500_000);
    tree.fork(middle, happened(600_000, 1)).unwrap();
}

#[test]
fn a_ladder_of_a_hundred_thousand_forks_needs_no_recursion() {
    // Each branch forks off the one before: the worst case for everything that climbs.
    let mut tree = Tree::new();
    let mut at = Place::ROOT;
    for step in 0..100_000 {
        tree.fork(at, happened(step, 0)).unwrap();
        at = tree.fork(at, happened(step, 1)).unwrap().place;
    }
    for depth in (0..100_000).step_by(77) {
        let place = tree.at_depth(at, depth).unwrap();
        assert_eq!(place.index, depth);
        assert_eq!(tree.join(place, at), Some(place));
    }
    assert_eq!(tree.path(at).unwrap().len(), 100_000);
    // The root keeps its one entry; every rung hangs on a branch of its own.
    assert_eq!(tree.branches().count(), 100_001);
}

#[test]
fn an_amended_entry_knows_more_but_takes_the_same_edge() {
    let mut tree = Tree::new();
    let place = tree.append(BranchId::ROOT, happened(5, 1)).unwrap().place;
    let more = Happened {
        capture: 7,
        ..happened(5, 1)
    };
    assert!(tree.amend(place, more.clone()));
    assert_eq!(tree.entry(place), Some(&more));
    assert!(!tree.amend(place, happened(5, 2)), "another choice");
    assert!(
        !tree.amend(Place::ROOT, happened(0, 1)),
        "no entry leads to the root"
    );
    assert!(
        !tree.amend(Place { index: 9, ..place }, more.clone()),
        "no such place"
    );
    assert_eq!(tree.entry(place), Some(&more));
}
