//! μOz: known answers, notation, errors.

use std::collections::{BTreeMap, BTreeSet};

use borges_languages::muoz::{Answer, MuOz};
use borges_multiverse::causality::{Class, Classes, Found};
use borges_multiverse::graph::{Exploration, Graph, Limits, Pause, Strategy};
use borges_multiverse::heed::Patient;
use borges_multiverse::language::{Language, Outcome};

fn parse(text: &str) -> MuOz {
    MuOz::parse(text).unwrap_or_else(|error| panic!("{}", error.explain(text)))
}

fn example(path: &str) -> MuOz {
    let path = format!("{}/../../examples/{path}.oz", env!("CARGO_MANIFEST_DIR"));
    parse(&std::fs::read_to_string(path).unwrap())
}

fn explore(program: &MuOz) -> Graph<&MuOz> {
    let mut exploration = Exploration::new(program, Strategy::BreadthFirst);
    assert_eq!(
        exploration.run(&Limits::default(), |_| true),
        Pause::Complete
    );
    exploration.into_graph()
}

type Ends = BTreeMap<Outcome<Answer>, usize>;

/// The outcomes, each with the number of classes that lead to it.
fn classes(program: &MuOz) -> Ends {
    let mut classes = Classes::new(program);
    let (mut ends, mut seen) = (Ends::new(), BTreeSet::new());
    while classes.advance(usize::MAX, || true) == Found::End {
        let outcome = program.outcome(classes.state().unwrap());
        *ends.entry(outcome).or_default() += 1;
        let class: Class<_, _> = classes.run().class();
        assert!(seen.insert(format!("{class:?}")), "a class was found twice");
    }
    ends
}

/// How many paths there are.
fn count_paths(graph: &Graph<&MuOz>) -> String {
    let Ok(counted) = graph.count_paths(&mut Patient);
    counted.unwrap().total().to_string()
}

/// Checks outcomes (with their number of classes) and the number of paths.
#[track_caller]
fn check(path: &str, expected: &[(&str, usize)], paths: &str) {
    let program = example(path);
    let (graph, ends) = (explore(&program), classes(&program));
    assert_eq!(count_paths(&graph), paths, "paths");
    let found: BTreeSet<_> = graph
        .ends()
        .map(|end| graph.outcome(end).unwrap())
        .collect();
    assert_eq!(found, ends.keys().cloned().collect(), "graph and classes");
    let ends: Vec<_> = ends
        .iter()
        .map(|(end, classes)| (end.to_string(), *classes))
        .collect();
    let ends: Vec<_> = ends
        .iter()
        .map(|(end, classes)| (&end[..], *classes))
        .collect();
    assert_eq!(ends, expected);
}

#[test]
fn order_violation() {
    let ends = [
        ("finished: one = 1, two = 2, x = 1, k = [two]", 1),
        ("finished: one = 1, two = 2, x = 2, k = [one]", 1),
    ];
    check("order-violation/order-violation", &ends, "18");
}

#[test]
fn atomicity_violation() {
    let ends = [
        (
            "finished: t = true, f = false, x = false, y = true, k = []",
            2,
        ),
        (
            "finished: t = true, f = false, x = true, y = false, k = []",
            2,
        ),
    ];
    check("atomicity-violation/atomicity-violation", &ends, "35");
}

#[test]
fn deadlock() {
    let ends = [
        ("finished: t = true, x = true, y = true, k = []", 1),
        (
            "deadlock: t = true, y = true, k = []; t2: waits on k, line 6",
            1,
        ),
    ];
    check("deadlock/deadlock", &ends, "10");
}

/// The queue `result` at the ends, each with its number of classes.
fn answers(program: &MuOz) -> BTreeMap<Vec<String>, usize> {
    let mut answers = BTreeMap::new();
    for (outcome, classes) in classes(program) {
        let result = outcome
            .value
            .queues
            .into_iter()
            .find(|(name, _)| name == "result")
            .unwrap();
        let values = result.1.into_iter().map(|message| message.value).collect();
        *answers.entry(values).or_default() += classes;
    }
    answers
}

#[test]
fn the_purchase_is_accepted_in_two_of_six_classes() {
    let program = example("purchase/purchase");
    let expected = [(vec!["false".to_owned()], 4), (vec!["true".to_owned()], 2)];
    assert_eq!(answers(&program), expected.into());
    let graph = explore(&program);
    // So many paths that they must not be listed.
    assert_eq!(count_paths(&graph), "239100394128");
}

#[test]
fn the_repaired_purchase_is_never_accepted() {
    let expected = [(vec!["false".to_owned()], 6)];
    assert_eq!(answers(&example("purchase/repaired")), expected.into());
}

/// `n` philosophers; the last one reaches the other way round if `polite`.
fn philosophers(n: usize, polite: bool) -> MuOz {
    let mut text = "let token = true in\n".to_owned();
    for fork in 0..n {
        text += &format!("let fork{fork} = port in\n");
    }
    text += "let philosopher = proc {first second}
        let a = {receive first} in let b = {receive second} in
            {send first token}; {send second token}
        end end end in\n";
    for fork in 0..n {
        text += &format!("{{send fork{fork} token}};\n");
    }
    for seat in 0..n {
        let (mut first, mut second) = (seat, (seat + 1) % n);
        if polite && seat + 1 == n {
            (first, second) = (second, first);
        }
        text += &format!("thread {{philosopher fork{first} fork{second}}} end;\n");
    }
    parse(&(text + "skip\n" + &"end ".repeat(n + 2)))
}

#[test]
fn philosophers_deadlock_in_one_class() {
    for n in 2..=7 {
        for (polite, less, deadlocks) in [(false, 1, 1), (true, 2, 0)] {
            let ends = classes(&philosophers(n, polite));
            assert_eq!(
                ends.values().sum::<usize>(),
                (1 << n) - less,
                "{n} {polite}"
            );
            let dead = ends.iter().filter(|(end, _)| !end.value.waiting.is_empty());
            assert_eq!(
                dead.map(|(_, classes)| classes).sum::<usize>(),
                deadlocks,
                "{n} {polite}"
            );
        }
    }
}
