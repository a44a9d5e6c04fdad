//! Suggestions: paths merged on what they share, with as few values as possible at each input.

mod asking;
mod build;
mod hands;
mod sets;
mod ways;

use borges_board::PrimitiveId;
use borges_vm::ValType;

use crate::args::Args;
use crate::budget::Budget;
use crate::dag::Dag;
use crate::decide::{Decider, Effort};
use crate::explore::Explored;
use crate::path::{Delivered, Path, ReadPart};
use crate::set::Set;
use crate::solver::Solver;

/// A node of a [`Suggestions`] tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// The program reads an input.
    Input {
        /// The primitive.
        primitive: PrimitiveId,
        /// Its arguments.
        args: Args,
        /// What of the call it is.
        part: ReadPart,
        /// The type of its answer.
        ty: ValType,
        /// Instructions retired before it.
        step: u64,
        /// What it may answer: together these lead to every path through here.
        options: Vec<InputOption>,
        /// What else it may answer, if that is known: values that keep not all of the paths behind an option.
        rest: Option<OtherValues>,
    },
    /// Events may arrive before the next input.
    Event {
        /// What arrives: together these lead to every path through here.
        options: Vec<EventOption>,
    },
    /// A path has ended.
    End {
        /// Its number in [`Explored::paths`].
        path: usize,
    },
}

/// An event that arrives, or none.
#[derive(Clone, Debug, PartialEq)]
pub struct EventOption {
    /// Which, and when; nothing if none arrives before the next input.
    pub event: Option<Delivered>,
    /// The number of the node that follows.
    pub next: usize,
}

/// An answer of an input.
#[derive(Clone, Debug, PartialEq)]
pub struct InputOption {
    /// The representative: a round value, or one at a boundary.
    pub cell: u64,
    /// The values that can stand in for it: the other inputs as they are, all paths behind it stay as they are, and with
    /// no other value do they all.
    pub set: Set,
    /// Whether the set is known to be all of them.
    pub is_exact: bool,
    /// The number of the node that follows.
    pub next: usize,
}

/// Values that stand in for no option of an input.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherValues {
    /// These.
    pub set: Set,
    /// The options, by number, behind which some paths are kept by some of them. None where all that they lead to stands
    /// under other answers of the inputs before.
    pub options: Vec<usize>,
}

/// Paths as a tree of inputs. Node 0 is the root.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suggestions {
    /// The nodes; children have greater numbers than their parents.
    pub nodes: Vec<Node>,
    /// For every path, the answers that lead to it in this tree.
    pub answers: Vec<Option<Vec<u64>>>,
    /// Paths that the tree leaves out because no value was found in time.
    pub left_out: Vec<usize>,
}

impl Suggestions {
    /// The most options at one input.
    #[must_use]
    pub fn max_options(&self) -> usize {
        let options = self.nodes.iter().map(|node| match node {
            Node::Input { options, .. } => options.len(),
            Node::Event { .. } | Node::End { .. } => 0,
        });
        options.max().unwrap_or(0)
    }
}

impl Node {
    /// The numbers of the nodes that follow.
    fn next(&self) -> impl Iterator<Item = usize> {
        let (inputs, events): (&[InputOption], &[EventOption]) = match self {
            Node::Input { options, .. } => (options, &[]),
            Node::Event { options } => (&[], options),
            Node::End { .. } => (&[], &[]),
        };
        let events = events.iter().map(|option| option.next);
        inputs.iter().map(|option| option.next).chain(events)
    }

    /// The same, to be given others.
    fn next_mut(&mut self) -> impl Iterator<Item = &mut usize> {
        let (inputs, events): (&mut [InputOption], &mut [EventOption]) = match self {
            Node::Input { options, .. } => (options, &mut []),
            Node::Event { options } => (&mut [], options),
            Node::End { .. } => (&mut [], &mut []),
        };
        let events = events.iter_mut().map(|option| &mut option.next);
        inputs
            .iter_mut()
            .map(|option| &mut option.next)
            .chain(events)
    }
}

/// What the paths are, for all who work on their tree.
#[derive(Clone, Copy)]
struct Known<'k> {
    dag: &'k Dag,
    paths: &'k [Path],
}

/// Of a node that is an input, the values that each path through it allows.
type Allowed = Vec<(usize, Set)>;

/// Who works on a tree, and what it has made.
struct Hand {
    decider: Decider,
    /// Nodes, each with its number, and the values that each path through it allows, if it is an input.
    nodes: Vec<(usize, Node, Allowed)>,
    /// What leads to paths.
    answers: Vec<(usize, Vec<u64>)>,
    left_out: Vec<usize>,
    found: Vec<sets::Found>,
}

impl Hand {
    fn new(decider: Decider) -> Self {
        Hand {
            decider,
            nodes: Vec::new(),
            answers: Vec::new(),
            left_out: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Drops what it has made.
    fn begin_again(&mut self) {
        let decider = std::mem::replace(&mut self.decider, Decider::new(None));
        *self = Hand::new(decider);
    }
}

/// Merges paths into a tree: on the values that most can share, as long as the budget lasts; otherwise on those that were
/// found with each path.
#[must_use]
pub fn suggest(explored: &mut Explored, budget: &Budget<'_>) -> Suggestions {
    suggest_on(explored, 1, &|| None, budget)
}

/// As [`suggest`], on so many threads. `solver` makes one for each but the first. The paths of the tree are the same; which
/// values stand for others may depend on who looked for them.
#[must_use]
pub fn suggest_on(
    explored: &mut Explored,
    threads: usize,
    solver: &dyn Fn() -> Option<Box<dyn Solver>>,
    budget: &Budget<'_>,
) -> Suggestions {
    if explored.paths.is_empty() {
        return Suggestions::default();
    }
    let decider = std::mem::replace(&mut explored.decider, Decider::new(None));
    let mut hands = vec![Hand::new(decider)];
    let beside = |_| Hand::new(hands[0].decider.beside(solver()));
    let others: Vec<Hand> = (1..threads).map(beside).collect();
    hands.extend(others);
    let known = Known {
        dag: &explored.dag,
        paths: &explored.paths,
    };
    let count = build::build(known, &mut hands, budget).unwrap_or_else(|| {
        hands.iter_mut().for_each(Hand::begin_again);
        build::build_as_found(known, &mut hands, budget)
    });
    let (mut tree, projections) = gathered(known, count, &mut hands);
    sets::find_sets(known, &mut tree, &projections, &mut hands, budget);
    let mut hands = hands.into_iter();
    explored.decider = hands.next().expect("there is a first").decider;
    let helped = hands.map(|hand| hand.decider.effort);
    explored.decider.effort = helped.fold(explored.decider.effort, Effort::plus);
    tree
}

/// What all hands have made, as a tree of so many nodes, and what paths allow at each. Nodes are numbered from the first
/// path to the last, whoever has made them.
fn gathered(known: Known<'_>, count: usize, hands: &mut [Hand]) -> (Suggestions, Vec<Allowed>) {
    let mut tree = Suggestions {
        nodes: Vec::with_capacity(count),
        answers: vec![None; known.paths.len()],
        left_out: Vec::new(),
    };
    let mut made: Vec<Option<(Node, Allowed)>> = Vec::new();
    made.resize_with(count, || None);
    for hand in hands {
        for (number, node, allowed) in hand.nodes.drain(..) {
            made[number] = Some((node, allowed));
        }
        for (path, answers) in hand.answers.drain(..) {
            tree.answers[path] = Some(answers);
        }
        tree.left_out.append(&mut hand.left_out);
    }
    tree.left_out.sort_unstable();
    let mut numbers = vec![0; count];
    let mut projections = Vec::with_capacity(count);
    let mut open = vec![0];
    while let Some(number) = open.pop() {
        let (node, allowed) = made[number].take().expect("each has been made");
        numbers[number] = tree.nodes.len();
        let behind = open.len();
        open.extend(node.next());
        open[behind..].reverse();
        tree.nodes.push(node);
        projections.push(allowed);
    }
    let nexts = tree.nodes.iter_mut().flat_map(Node::next_mut);
    nexts.for_each(|next| *next = numbers[*next]);
    (tree, projections)
}
