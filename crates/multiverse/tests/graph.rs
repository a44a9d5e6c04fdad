//! Exploration and questions to graphs, against naive algorithms.

use std::collections::BTreeSet;

use crate::common::{Digraph, digraph};
use borges_multiverse::adapt::Runs;
use borges_multiverse::graph::{
    CountError, Exploration, Graph, Limits, NodeId, Pause, Status, Strategy as Order,
};
use borges_multiverse::heed::{Enough, Impatient, Patient};
use borges_multiverse::language::{Footprint, Label, Language, Next, Outcome, Verdict};
use proptest::prelude::*;

impl Digraph {
    /// Whether a path (of any length, also 0) leads from `a` to `b`.
    fn reaches(&self, a: usize, b: usize) -> bool {
        self.distances(a)[b].is_some()
    }
}

/// Small graphs without cycles: edges lead to higher nodes.
fn acyclic() -> impl Strategy<Value = Digraph> {
    digraph().prop_map(|Digraph(mut nodes)| {
        for (node, tos) in nodes.iter_mut().enumerate() {
            tos.retain(|to| *to > node);
        }
        Digraph(nodes)
    })
}

fn strategies() -> Vec<Order<usize>> {
    vec![
        Order::BreadthFirst,
        Order::DepthFirst,
        Order::Random { seed: 11 },
        Order::Guided(Box::new(|state| (*state as i64 * 7) % 5)),
    ]
}

fn explored(program: &Digraph) -> Graph<&Digraph> {
    let mut exploration = Exploration::new(program, Order::BreadthFirst);
    assert_eq!(
        exploration.run(&Limits::default(), |_| true),
        Pause::Complete
    );
    exploration.into_graph()
}

/// The states of the nodes that `fit`.
fn states(graph: &Graph<&Digraph>, fits: impl Fn(NodeId) -> bool) -> BTreeSet<usize> {
    graph
        .nodes()
        .filter(|node| fits(*node))
        .map(|node| *graph.state(node).unwrap())
        .collect()
}

fn edge_states(graph: &Graph<&Digraph>) -> BTreeSet<(usize, usize, usize)> {
    let state = |node| *graph.state(node).unwrap();
    graph
        .edges()
        .map(|(id, e)| (state(e.from), graph.choice(id).unwrap(), state(e.to)))
        .collect()
}

fn find(graph: &Graph<&Digraph>, state: usize) -> NodeId {
    graph.find(&state).unwrap()
}

/// The ends that are reached from a node, by trying all paths; the graph must be acyclic.
fn all_paths(program: &Digraph, from: usize, ends: &mut Vec<usize>) {
    if program.0[from].is_empty() {
        ends.push(from);
    }
    for to in &program.0[from] {
        all_paths(program, *to, ends);
    }
}

proptest! {
    #[test]
    fn every_strategy_finds_exactly_what_is_reachable(program in digraph()) {
        let distances = program.distances(0);
        let reachable: BTreeSet<_> = (0..program.0.len()).filter(|n| distances[*n].is_some()).collect();
        let edges: BTreeSet<_> = reachable.iter()
            .flat_map(|n| program.0[*n].iter().enumerate().map(move |(c, to)| (*n, c, *to)))
            .collect();
        for strategy in strategies() {
            let mut exploration = Exploration::new(&program, strategy);
            prop_assert_eq!(exploration.run(&Limits::default(), |_| true), Pause::Complete);
            let progress = exploration.progress();
            let graph = exploration.into_graph();
            prop_assert!(graph.is_complete());
            prop_assert_eq!(states(&graph, |_| true), reachable.clone());
            prop_assert_eq!(graph.len(), reachable.len());
            prop_assert_eq!(edge_states(&graph), edges.clone());
            prop_assert_eq!(progress.ends, graph.ends().count());
            let ends = reachable.iter().filter(|n| program.0[**n].is_empty()).copied().collect();
            prop_assert_eq!(states(&graph, |node| graph.is_end(node)), ends);
        }
    }

    #[test]
    fn slices_find_the_same_as_one_run(program in digraph(), slice in 1..4_usize) {
        for (sliced, whole) in strategies().into_iter().zip(strategies()) {
            let mut exploration = Exploration::new(&program, sliced);
            let mut limits = Limits { states: 1, ..Limits::default() };
            let mut pauses = 0;
            loop {
                match exploration.run(&limits, |_| true) {
                    Pause::States => limits.states += slice,
                    pause => { prop_assert_eq!(pause, Pause::Complete); break; }
                }
                pauses += 1;
                prop_assert!(pauses < 100);
            }
            let mut other = Exploration::new(&program, whole);
            other.run(&Limits::default(), |_| true);
            prop_assert_eq!(edge_states(exploration.graph()), edge_states(other.graph()));
        }
    }

    #[test]
    fn a_depth_limit_cuts_the_same_universes_in_any_order(
        program in digraph(), first in 0..4_u32, second in 0..5_u32, bound in 1..6_usize,
    ) {
        let distances = program.distances(0);
        for strategy in strategies() {
            let mut exploration = Exploration::new(&program, strategy);
            // A free start makes detours possible; then two limits, up or down.
            let free = Limits { states: bound, ..Limits::default() };
            exploration.run(&free, |_| true);
            let before = states(exploration.graph(), |node| {
                exploration.graph().status(node) == Some(Status::Expanded)
            });
            for depth in [first, second] {
                exploration.run(&Limits { depth, ..Limits::default() }, |_| true);
            }
            let graph = exploration.graph();
            let deepest = first.max(second);
            for (n, distance) in distances.iter().enumerate() {
                let expanded = graph.find(&n).is_some_and(|node| graph.status(node) == Some(Status::Expanded));
                if distance.is_some_and(|d| d <= deepest) {
                    prop_assert!(expanded, "{n} at {distance:?} is within {deepest}");
                } else if !before.contains(&n) {
                    prop_assert!(!expanded, "{n} at {distance:?} is beyond {deepest}");
                }
            }
            let unlimited = exploration.run(&Limits::default(), |_| true);
            prop_assert_eq!(unlimited, Pause::Complete);
            let reachable = distances.iter().filter(|d| d.is_some()).count();
            prop_assert_eq!(exploration.graph().len(), reachable);
        }
    }

    #[test]
    fn paths_are_counted_exactly(program in acyclic()) {
        let mut naive = Vec::new();
        all_paths(&program, 0, &mut naive);
        let graph = explored(&program);
        let counts = graph.count_paths(&mut Patient).unwrap().unwrap();
        prop_assert_eq!(counts.total(), naive.len().into());
        for (end, count) in counts.ends() {
            let state = graph.state(*end).unwrap();
            prop_assert_eq!(count, &naive.iter().filter(|n| *n == state).count().into());
        }
        // Unmerged, every path has an end of its own.
        let mut tree = Exploration::unmerged(&program, Order::DepthFirst);
        tree.run(&Limits::default(), |_| true);
        prop_assert_eq!(tree.graph().ends().count(), naive.len());
        prop_assert_eq!(tree.graph().edge_count() + 1, tree.graph().len());
    }

    #[test]
    fn shortest_paths_are_shortest(program in digraph()) {
        let graph = explored(&program);
        for start in graph.nodes() {
            let distances = program.distances(*graph.state(start).unwrap());
            let paths = graph.shortest_paths(start, &mut Patient).unwrap();
            for node in graph.nodes() {
                let path = paths.path(&graph, node);
                let distance = distances[*graph.state(node).unwrap()];
                prop_assert_eq!(path.as_ref().map(|p| p.len() as u32), distance);
                prop_assert_eq!(paths.reaches(node), distance.is_some());
                let nearest = graph.nearest(start, |other| other == node, &mut Patient).unwrap();
                prop_assert_eq!(nearest.map(|(_, p)| p.len() as u32), distance);
                let mut at = start;
                for id in path.iter().flatten() {
                    let edge = graph.edge(*id).unwrap();
                    prop_assert_eq!(edge.from, at);
                    at = edge.to;
                }
                prop_assert!(path.is_none() || at == node);
            }
        }
    }

    #[test]
    fn reach_and_inevitability_agree_with_their_definitions(program in digraph(), pick in any::<u16>()) {
        let graph = explored(&program);
        let targets: Vec<_> = graph.nodes().filter(|n| pick >> n.0 & 1 == 1).collect();
        let wanted: BTreeSet<_> = targets.iter().map(|n| *graph.state(*n).unwrap()).collect();
        let all = states(&graph, |_| true);
        let predecessors = graph.predecessors(&mut Patient).unwrap();

        let reach = graph.can_reach(&predecessors, targets.iter().copied(), &mut Patient).unwrap();
        let naive: BTreeSet<_> = all.iter().copied()
            .filter(|a| wanted.iter().any(|b| program.reaches(*a, *b))).collect();
        prop_assert_eq!(reach.len(), naive.len());
        prop_assert_eq!(reach.nodes().count(), naive.len());
        prop_assert_eq!(states(&graph, |n| reach.contains(n)), naive);

        // A state is doomed if it can avoid the targets: reach an end or a cycle without them.
        let mut avoid = program.clone();
        for (n, tos) in avoid.0.iter_mut().enumerate() {
            if wanted.contains(&n) { tos.clear(); } else { tos.retain(|to| !wanted.contains(to)); }
        }
        let escapes = |n: usize| (0..program.0.len()).any(|m| {
            let stays = avoid.reaches(n, m) && !wanted.contains(&m);
            stays && (program.0[m].is_empty() || avoid.0[m].iter().any(|k| avoid.reaches(*k, m)))
        });
        let inevitable = graph.inevitable(&predecessors, targets.iter().copied(), &mut Patient).unwrap();
        let naive: BTreeSet<_> =
            all.iter().copied().filter(|n| wanted.contains(n) || !escapes(*n)).collect();
        prop_assert_eq!(states(&graph, |n| inevitable.contains(n)), naive.clone());
    }

    #[test]
    fn components_are_the_mutually_reachable(program in digraph()) {
        let graph = explored(&program);
        let mut seen = BTreeSet::new();
        for component in graph.components(&mut Patient).unwrap().iter() {
            let nodes: BTreeSet<_> = component.nodes.iter().map(|n| *graph.state(*n).unwrap()).collect();
            let first = *nodes.first().unwrap();
            let naive: BTreeSet<_> = (0..program.0.len())
                .filter(|n| program.reaches(first, *n) && program.reaches(*n, first)).collect();
            prop_assert_eq!(&nodes, &naive);
            let inner = |n: &usize| program.0[*n].iter().any(|to| nodes.contains(to));
            let outer = |n: &usize| program.0[*n].iter().any(|to| !nodes.contains(to));
            prop_assert_eq!(component.cyclic, nodes.iter().any(inner));
            prop_assert_eq!(component.closed, !nodes.iter().any(outer));
            // Components come after everything that they reach.
            for n in &nodes {
                for to in &program.0[*n] {
                    prop_assert!(nodes.contains(to) || seen.contains(to));
                }
            }
            seen.extend(nodes);
        }
        prop_assert_eq!(seen.len(), graph.len());
    }

    #[test]
    fn the_first_divergence_is_the_nearest_choice_that_rules_one_out(program in digraph()) {
        let graph = explored(&program);
        let ends: Vec<_> = graph.ends().collect();
        let predecessors = graph.predecessors(&mut Patient).unwrap();
        let distances = program.distances(0);
        for (a, b) in ends.iter().zip(ends.iter().skip(1)) {
            let (x, y) = (*graph.state(*a).unwrap(), *graph.state(*b).unwrap());
            let both = |n: usize| program.reaches(n, x) && program.reaches(n, y);
            let parts = |n: &usize| both(*n) && program.0[*n].iter().any(|to| !both(*to));
            let nearest = (0..program.0.len()).filter(parts).filter_map(|n| distances[n]).min();
            let found = graph.first_divergence(&predecessors, &[*a], &[*b], &mut Patient).unwrap();
            let found_at = found.as_ref().and_then(|d| distances[*graph.state(d.node).unwrap()]);
            prop_assert_eq!(found_at, nearest);
            for id in found.iter().flat_map(|d| &d.first) {
                let to = *graph.state(graph.edge(*id).unwrap().to).unwrap();
                prop_assert!(program.reaches(to, x) && !program.reaches(to, y));
            }
        }
    }
}

/// `width` ways at each of `depth` points, all meeting again.
fn braid(width: usize, depth: usize) -> Digraph {
    let mut nodes: Vec<_> = (1..=depth).map(|next| vec![next; width]).collect();
    nodes.push(Vec::new());
    Digraph(nodes)
}

#[test]
fn counts_outgrow_every_machine_word() {
    let program = braid(10, 100);
    let total = explored(&program)
        .count_paths(&mut Patient)
        .unwrap()
        .unwrap()
        .total();
    assert_eq!(total.to_string(), format!("1{}", "0".repeat(100)));
}

#[test]
fn a_million_nodes_in_a_chain_need_no_recursion() {
    let program = braid(1, 1_000_000);
    let limits = Limits {
        states: 2_000_000,
        ..Limits::default()
    };
    for strategy in strategies() {
        let mut exploration = Exploration::new(&program, strategy);
        assert_eq!(exploration.run(&limits, |_| true), Pause::Complete);
        assert_eq!(exploration.progress().depth, 1_000_000);
    }
    let mut exploration = Exploration::new(&program, Order::BreadthFirst);
    exploration.run(&limits, |_| true);
    let graph = exploration.into_graph();
    let last = graph.ends().next().unwrap();
    assert_eq!(
        graph.components(&mut Patient).unwrap().iter().count(),
        1_000_001
    );
    assert_eq!(
        graph.count_paths(&mut Patient).unwrap().unwrap().total(),
        1_u32.into()
    );
    let predecessors = graph.predecessors(&mut Patient).unwrap();
    assert_eq!(
        graph
            .inevitable(&predecessors, [last], &mut Patient)
            .unwrap()
            .len(),
        1_000_001
    );
}

#[test]
fn a_caller_cancels_and_goes_on() {
    let program = braid(1, 10_000);
    let mut exploration = Exploration::new(&program, Order::DepthFirst);
    let mut calls = 0;
    let pause = exploration.run(&Limits::default(), |progress| {
        calls += 1;
        progress.states < 3000
    });
    assert_eq!(pause, Pause::Cancelled);
    assert!(calls > 1 && exploration.graph().len() < 4000);
    assert!(!exploration.graph().is_complete());
    assert_eq!(
        exploration.run(&Limits::default(), |_| true),
        Pause::Complete
    );
}

#[test]
fn what_cannot_be_counted_says_why() {
    let cyclic = Digraph(vec![vec![1], vec![2, 3], vec![1], vec![]]);
    let graph = explored(&cyclic);
    assert!(matches!(
        graph.count_paths(&mut Patient).unwrap(),
        Err(CountError::Cyclic(NodeId(1 | 2)))
    ));
    let chain = braid(1, 10);
    let mut exploration = Exploration::new(&chain, Order::BreadthFirst);
    let pause = exploration.run(
        &Limits {
            depth: 3,
            ..Limits::default()
        },
        |_| true,
    );
    assert_eq!(pause, Pause::Depth);
    let unexplored = CountError::Unexplored(NodeId(4));
    assert_eq!(
        exploration.graph().count_paths(&mut Patient).unwrap(),
        Err(unexplored)
    );
    assert_eq!(exploration.graph().status(NodeId(4)), Some(Status::Cut));
    // The user opens the cut universe by hand, whatever the limit.
    assert!(exploration.open(NodeId(4)));
    assert_eq!(
        exploration.graph().status(NodeId(4)),
        Some(Status::Expanded)
    );
    assert!(!exploration.open(NodeId(400)));
}

#[test]
fn the_unexplored_is_not_taken_for_absent() {
    // 0 goes to 1, and on to 3 (unexplored), or to the end 2.
    let program = Digraph(vec![vec![1, 2], vec![3], vec![], vec![]]);
    let mut exploration = Exploration::new(&program, Order::BreadthFirst);
    let near = Limits {
        depth: 1,
        ..Limits::default()
    };
    assert_eq!(exploration.run(&near, |_| true), Pause::Depth);
    let graph = exploration.graph();
    let (predecessors, two) = (graph.predecessors(&mut Patient).unwrap(), find(graph, 2));
    assert!(
        !graph
            .inevitable(&predecessors, [two], &mut Patient)
            .unwrap()
            .contains(NodeId::ROOT)
    );
    assert!(
        graph
            .may_reach(&predecessors, [two], &mut Patient)
            .unwrap()
            .contains(find(graph, 1))
    );
    assert!(
        !graph
            .can_reach(&predecessors, [two], &mut Patient)
            .unwrap()
            .contains(find(graph, 1))
    );
}

#[test]
fn depth_first_takes_the_first_choice_first() {
    let program = Digraph(vec![vec![1, 2], vec![3], vec![4], vec![], vec![]]);
    let mut exploration = Exploration::new(&program, Order::DepthFirst);
    exploration.run(
        &Limits {
            states: 4,
            ..Limits::default()
        },
        |_| true,
    );
    assert_eq!(
        states(exploration.graph(), |_| true),
        BTreeSet::from([0, 1, 2, 3])
    );
}

/// A long way 0, 1, … 6 and a short cut 0, 8, 5.
fn detour() -> Digraph {
    let mut nodes: Vec<_> = (1..7).map(|next| vec![next]).collect();
    nodes[0].push(8);
    nodes.extend([vec![], vec![], vec![5]]);
    Digraph(nodes)
}

#[test]
fn a_depth_limit_after_a_detour_measures_anew() {
    let program = detour();
    let mut exploration = Exploration::new(&program, Order::BreadthFirst);
    for state in [0, 1, 2, 3, 4, 8] {
        let node = find(exploration.graph(), state);
        assert!(exploration.open(node));
    }
    // 5 was met after five steps first; it is two away.
    let pause = exploration.run(
        &Limits {
            depth: 2,
            ..Limits::default()
        },
        |_| true,
    );
    assert_eq!(pause, Pause::Depth);
    assert_eq!(
        exploration.graph().status(find(exploration.graph(), 5)),
        Some(Status::Expanded)
    );
    assert_eq!(
        exploration.graph().status(find(exploration.graph(), 6)),
        Some(Status::Cut)
    );
}

/// Steps that stand for so many rules, one after the other.
struct Leaps(Vec<u64>);

impl Language for Leaps {
    type State = usize;
    type Choice = ();
    type Agent = &'static str;
    type Resource = ();
    type Value = usize;

    fn initial(&self) -> usize {
        0
    }

    fn enabled(&self, state: &usize, choices: &mut Vec<()>) {
        choices.extend((*state < self.0.len()).then_some(()));
    }

    fn apply(&self, state: &usize, (): &()) -> Option<Next<usize>> {
        let steps = *self.0.get(*state)?;
        Some(Next {
            steps,
            ..Next::one(state + 1)
        })
    }

    fn outcome(&self, state: &usize) -> Outcome<usize> {
        Outcome {
            verdicts: Verdict::Finished.into(),
            value: *state,
        }
    }

    fn agent(&self, _: &usize, (): &()) -> &'static str {
        "leaper"
    }

    fn label(&self, _: &usize, (): &()) -> Label {
        Label {
            rule: "LEAP",
            text: String::new(),
            span: None,
        }
    }

    fn footprint(&self, _: &usize, (): &()) -> Footprint<()> {
        Footprint::default()
    }

    fn show(&self, state: &usize) -> String {
        state.to_string()
    }
}

/// An edge counts up to 2^32 - 1 rules; more are that many, not few.
#[test]
fn the_rules_of_an_edge_saturate() {
    let most = u64::from(u32::MAX);
    let program = Leaps(vec![1, most - 1, most, most + 1, u64::MAX]);
    let mut exploration = Exploration::new(&program, Order::BreadthFirst);
    exploration.run(&Limits::default(), |_| true);
    let graph = exploration.graph();
    let steps: Vec<_> = graph.edges().map(|(_, edge)| edge.steps).collect();
    assert_eq!(steps, [1, u32::MAX - 1, u32::MAX, u32::MAX, u32::MAX]);
}

/// A deterministic run is folded up to the limit, and goes on in the next step.
#[test]
fn runs_are_folded_up_to_their_limit() {
    let steps = |rules: usize, limit: u64| {
        let program = Runs::new(Leaps(vec![1; rules]), limit);
        let mut exploration = Exploration::new(&program, Order::BreadthFirst);
        exploration.run(&Limits::default(), |_| true);
        let graph = exploration.graph();
        graph
            .edges()
            .map(|(_, edge)| edge.steps)
            .collect::<Vec<_>>()
    };
    assert_eq!(steps(7, 7), [7]);
    assert_eq!(steps(8, 7), [7, 1]);
    assert_eq!(steps(3, 1), [1, 1, 1]);
}

#[test]
fn looks_at_graphs_can_be_stopped() {
    let chain = braid(2, 5_000);
    let mut exploration = Exploration::new(&chain, Order::BreadthFirst);
    exploration.run(&Limits::default(), |_| true);
    let graph = exploration.graph();
    let last = graph.ends().last().unwrap();
    let before = graph.predecessors(&mut Patient).unwrap();
    type Look<'g> = Box<dyn Fn(&mut Impatient<'_>) -> Result<(), Enough> + 'g>;
    let looks: [Look<'_>; 10] = [
        Box::new(|heed| graph.shortest_paths(NodeId::ROOT, heed).map(drop)),
        Box::new(|heed| {
            graph
                .nearest(NodeId::ROOT, |node| node == last, heed)
                .map(drop)
        }),
        Box::new(|heed| graph.count_paths(heed).map(drop)),
        Box::new(|heed| graph.components(heed).map(drop)),
        Box::new(|heed| graph.predecessors(heed).map(drop)),
        Box::new(|heed| graph.can_reach(&before, [last], heed).map(drop)),
        Box::new(|heed| graph.reached_from([NodeId::ROOT], heed).map(drop)),
        Box::new(|heed| graph.common_ancestors(&before, [last], heed).map(drop)),
        Box::new(|heed| graph.inevitable(&before, [last], heed).map(drop)),
        Box::new(|heed| {
            graph
                .first_divergence(&before, &[last], &[last], heed)
                .map(drop)
        }),
    ];
    for (nth, look) in looks.iter().enumerate() {
        let mut asked = 0;
        let mut count = || {
            asked += 1;
            true
        };
        look(&mut Impatient::new(&mut count)).unwrap();
        assert!(asked > 4, "look {nth} asked {asked} times");
        for patience in 0..asked {
            let mut left = patience;
            let mut stop = || {
                left -= 1;
                left >= 0
            };
            assert_eq!(
                look(&mut Impatient::new(&mut stop)),
                Err(Enough),
                "look {nth} after {patience}"
            );
        }
    }
}
