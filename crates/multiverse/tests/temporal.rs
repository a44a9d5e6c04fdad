//! Temporal formulas on random graphs, against all short runs evaluated by hand.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside `#[test]` functions.

#[allow(dead_code)] // Each test file uses its part.
mod common;

use borges_multiverse::graph::{EdgeId, Exploration, Graph, Limits, Strategy as Order};
use borges_multiverse::temporal::{Answer, Formula, Run, may, must};
use common::{Digraph, digraph};
use proptest::prelude::*;

/// Atom n holds in the states that n divides.
fn holds(atom: &usize, state: &usize) -> bool {
    state.is_multiple_of(*atom)
}

fn formula() -> impl Strategy<Value = Formula<usize>> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Formula::Constant),
        (2..4_usize).prop_map(Formula::Atom),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(Formula::negated),
            inner.clone().prop_map(Formula::next),
            inner.clone().prop_map(Formula::eventually),
            inner.clone().prop_map(Formula::always),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.and(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.or(b)),
            (inner.clone(), inner).prop_map(|(a, b)| a.until(b)),
        ]
    })
}

/// The truth of a formula at each position of a run; `back` is where the last position leads.
fn evaluate(formula: &Formula<usize>, word: &[usize], back: Option<usize>) -> Vec<bool> {
    let next = |at: usize| {
        if at + 1 < word.len() {
            Some(at + 1)
        } else {
            back
        }
    };
    let positions = 0..word.len();
    match formula {
        Formula::Constant(value) => vec![*value; word.len()],
        Formula::Atom(atom) => word.iter().map(|state| holds(atom, state)).collect(),
        Formula::Not(inner) => evaluate(inner, word, back).iter().map(|v| !v).collect(),
        Formula::And(parts) | Formula::Or(parts) => {
            let (a, b) = (
                evaluate(&parts.0, word, back),
                evaluate(&parts.1, word, back),
            );
            let and = matches!(formula, Formula::And(_));
            positions
                .map(|n| if and { a[n] && b[n] } else { a[n] || b[n] })
                .collect()
        }
        Formula::Next(inner) => {
            let inner = evaluate(inner, word, back);
            positions
                .map(|n| next(n).is_some_and(|n| inner[n]))
                .collect()
        }
        Formula::Until(parts) => {
            let (a, b) = (
                evaluate(&parts.0, word, back),
                evaluate(&parts.1, word, back),
            );
            let mut truth = vec![false; word.len()];
            for _ in 0..=word.len() {
                for n in 0..word.len() {
                    truth[n] = b[n] || (a[n] && next(n).is_some_and(|n| truth[n]));
                }
            }
            truth
        }
    }
}

/// Whether some run of at most `limit` states (a lasso or one that ends) fulfils the formula.
fn short_run(graph: &Digraph, formula: &Formula<usize>, limit: usize) -> bool {
    let mut todo = vec![vec![0_usize]];
    while let Some(word) = todo.pop() {
        let last = *word.last().unwrap();
        if graph.0[last].is_empty() && evaluate(formula, &word, None)[0] {
            return true;
        }
        for to in &graph.0[last] {
            for (back, state) in word.iter().enumerate() {
                if state == to && evaluate(formula, &word, Some(back))[0] {
                    return true;
                }
            }
            if word.len() < limit {
                let mut longer = word.clone();
                longer.push(*to);
                todo.push(longer);
            }
        }
    }
    false
}

fn explore(graph: &Digraph, depth: u32) -> Graph<&Digraph> {
    let mut exploration = Exploration::new(graph, Order::BreadthFirst);
    exploration.run(
        &Limits {
            depth,
            ..Limits::default()
        },
        |_| true,
    );
    exploration.into_graph()
}

/// The states of a witness, which must be a run of the program.
fn word(graph: &Graph<&Digraph>, run: &Run) -> (Vec<usize>, Option<usize>) {
    let edge = |id: &EdgeId| graph.edge(*id).unwrap();
    let state = |node| *graph.state(node).unwrap();
    let mut at = borges_multiverse::graph::NodeId::ROOT;
    let mut word = vec![state(at)];
    for id in run.stem.iter().chain(&run.cycle) {
        assert_eq!(edge(id).from, at, "the run is broken");
        at = edge(id).to;
        word.push(state(at));
    }
    if run.cycle.is_empty() {
        assert!(graph.is_end(at));
        return (word, None);
    }
    let start = edge(&run.cycle[0]).from;
    assert_eq!(at, start, "the cycle is open");
    word.pop();
    (word, Some(run.stem.len()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn witnesses_are_right_and_none_is_missed(program in digraph(), formula in formula()) {
        let graph = explore(&program, u32::MAX);
        let short = short_run(&program, &formula, 6);
        match may(&graph, &formula, holds) {
            Answer::Yes(Some(run)) => {
                let (word, back) = word(&graph, &run);
                prop_assert!(evaluate(&formula, &word, back)[0], "{formula}: {word:?} {back:?}");
            }
            Answer::No(None) => prop_assert!(!short, "{formula} is missed"),
            other => prop_assert!(false, "{other:?}"),
        }
        // All runs fulfil it, unless one fulfils the opposite.
        let opposite = may(&graph, &formula.clone().negated(), holds);
        match (must(&graph, &formula, holds), opposite) {
            (Answer::Yes(None), Answer::No(None)) => {}
            (Answer::No(Some(a)), Answer::Yes(Some(b))) => prop_assert_eq!(a, b),
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn what_is_unexplored_is_not_taken_for_absent(program in digraph(), formula in formula()) {
        let (part, whole) = (explore(&program, 1), explore(&program, u32::MAX));
        for ask in [may::<&Digraph, usize>, must::<&Digraph, usize>] {
            let (early, late) = (ask(&part, &formula, holds), ask(&whole, &formula, holds));
            let agree = matches!(
                (&early, &late),
                (Answer::Unknown, _) | (Answer::Yes(_), Answer::Yes(_)) | (Answer::No(_), Answer::No(_))
            );
            prop_assert!(agree, "{formula}: {early:?}, then {late:?}");
        }
    }

    #[test]
    fn formulas_survive_their_text(formula in formula()) {
        let text = formula.to_string();
        let again = Formula::parse(&text, str::parse::<usize>).unwrap();
        prop_assert_eq!(again.to_string(), text);
    }
}

#[test]
fn wrong_formulas_say_where() {
    let parse = |text: &str| {
        Formula::parse(text, |atom| atom.parse::<usize>().map_err(|_| "no number"))
            .unwrap_err()
            .to_string()
    };
    assert!(
        parse("G ({2} -> ").starts_with("at character 11 "),
        "{}",
        parse("G ({2} -> ")
    );
    assert!(parse("{x}").contains("character 1 of the formula: no number"));
    assert!(parse("{2} {3}").contains("at character 5"));
    assert!(parse(&"!".repeat(100_000)).contains("less nested"));
}
