//! μOz: laws that hold for random programs.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::oz::programs;
use crate::wanted::check_wanted;
use borges_languages::muoz::{Answer, MuOz, State, ThreadName};
use borges_multiverse::adapt::Runs;
use borges_multiverse::causality::{Causality, Class, Classes, Found};
use borges_multiverse::fingerprint::{Fingerprint, WideFingerprint};
use borges_multiverse::graph::{Exploration, Limits, Pause, Strategy as Order};
use borges_multiverse::heed::Patient;
use borges_multiverse::language::{Language, Outcome};
use proptest::prelude::*;

fn parse(text: &str) -> MuOz {
    MuOz::parse(text).unwrap_or_else(|error| panic!("{}", error.explain(text)))
}

type Outcomes = BTreeSet<Outcome<Answer>>;

fn outcomes<L: Language<Value = Answer>>(
    language: L,
    order: Order<L::State>,
    merged: bool,
) -> Option<Outcomes> {
    let start = language.initial();
    let mut exploration = Exploration::from_state(language, start, order, merged);
    let limits = Limits {
        // Most trees are too large, and that takes long to find out.
        states: if merged { 20_000 } else { 1_000 },
        ..Limits::default()
    };
    let pause = exploration.run(&limits, |_| true);
    let graph = exploration.graph();
    let ends = graph
        .ends()
        .map(|end| graph.outcome(end).unwrap())
        .collect();
    (pause == Pause::Complete).then_some(ends)
}

fn reduced(program: &MuOz) -> Outcomes {
    let mut classes = Classes::new(program);
    let mut ends = Outcomes::new();
    while classes.advance(usize::MAX, || true) == Found::End {
        ends.insert(program.outcome(classes.state().unwrap()));
    }
    ends
}

/// All runs to an end, with the state there.
fn runs(program: &MuOz) -> Vec<(Vec<ThreadName>, State)> {
    let mut open = vec![(Vec::new(), program.initial())];
    let mut runs = Vec::new();
    while let Some((run, state)) = open.pop() {
        let mut choices = Vec::new();
        program.enabled(&state, &mut choices);
        if choices.is_empty() {
            runs.push((run, state));
            continue;
        }
        for choice in choices {
            let next = program.apply(&state, &choice).unwrap().state;
            open.push(([&run[..], &[choice]].concat(), next));
        }
    }
    runs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_order_and_every_reduction_has_the_same_outcomes(
        source in programs(6), seed in any::<u64>(),
    ) {
        let program = parse(&source.text());
        let plain = outcomes(&program, Order::BreadthFirst, true);
        prop_assume!(plain.is_some());
        prop_assert_eq!(&outcomes(&program, Order::DepthFirst, true), &plain);
        prop_assert_eq!(&outcomes(&program, Order::Random { seed }, true), &plain);
        let busy = || Order::Guided(Box::new(|state: &State| state.threads().count() as i64));
        prop_assert_eq!(&outcomes(&program, busy(), true), &plain);
        for order in [Order::BreadthFirst, Order::DepthFirst, Order::Random { seed }, busy()] {
            prop_assert_eq!(&outcomes(Runs::new(&program, 1_000), order, true), &plain);
        }
        if let Some(tree) = outcomes(Runs::new(&program, 1_000), Order::DepthFirst, false) {
            prop_assert_eq!(Some(&tree), plain.as_ref());
        }
        prop_assert_eq!(Some(reduced(&program)), plain);
    }
}

proptest! {
    #[test]
    fn each_class_is_found_once_and_its_runs_end_in_one_state(source in programs(4)) {
        let program = parse(&source.text());
        let mut exploration = Exploration::new(&program, Order::BreadthFirst);
        exploration.run(&Limits { states: 2_000, ..Limits::default() }, |_| true);
        let paths = exploration.graph().count_paths(&mut Patient).unwrap();
        prop_assume!(paths.is_ok_and(|paths| paths.total() <= 5_000_u32.into()));

        let mut expected: HashMap<Class<_, _>, State> = HashMap::new();
        for (run, end) in runs(&program) {
            let class = Causality::of(&program, &program.initial(), &run).unwrap().class();
            let known = expected.entry(class).or_insert_with(|| end.clone());
            prop_assert_eq!(&*known, &end);
        }
        let mut classes = Classes::new(&program);
        let mut found = HashSet::new();
        while classes.advance(usize::MAX, || true) == Found::End {
            prop_assert!(found.insert(classes.run().class()));
        }
        prop_assert_eq!(found, expected.into_keys().collect());
    }
}

proptest! {
    /// What is told of states that are not made is what they are.
    #[test]
    fn states_have_the_digests_that_were_known_before_they_were_made(source in programs(6)) {
        let program = parse(&source.text());
        let mut known = HashSet::from([program.initial()]);
        let mut open = vec![program.initial()];
        while let Some(state) = open.pop().filter(|_| known.len() < 300) {
            check_wanted::<_, WideFingerprint>(&program, &state);
            let nexts = check_wanted::<_, Fingerprint>(&program, &state);
            open.extend(nexts.into_iter().filter(|next| known.insert(next.clone())));
        }
    }
}
