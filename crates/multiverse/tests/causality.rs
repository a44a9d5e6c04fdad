//! Causality against its definition, and the classes of runs against all runs.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside `#[test]` functions.

#[path = "common/threads.rs"]
mod threads;

use std::collections::{BTreeSet, HashMap, HashSet};

use borges_multiverse::causality::{Causality, Class, Classes, Found};
use borges_multiverse::graph::{Exploration, Limits, Strategy as Order};
use borges_multiverse::language::Language;
use proptest::prelude::*;
use threads::{Do, Threads, World, threads};

type Choice = (usize, i8);

/// All maximal runs.
fn runs(program: &Threads) -> Vec<(Vec<Choice>, World)> {
    let mut runs = Vec::new();
    let mut todo = vec![(Vec::new(), program.initial())];
    while let Some((choices, world)) = todo.pop() {
        let mut enabled = Vec::new();
        program.enabled(&world, &mut enabled);
        if enabled.is_empty() {
            runs.push((choices, world));
            continue;
        }
        for choice in enabled {
            let next = program.apply(&world, &choice).unwrap().state;
            todo.push(([&choices[..], &[choice]].concat(), next));
        }
    }
    runs
}

fn causality<'p>(program: &'p Threads, choices: &[Choice]) -> Causality<&'p Threads> {
    Causality::of(&program, &program.initial(), choices).unwrap()
}

/// The classes by reduction, each with its end, and how often one was found.
fn reduced(program: &Threads) -> HashMap<Class<usize, Choice>, (World, usize)> {
    let mut classes = Classes::new(program);
    let mut found: HashMap<_, (World, usize)> = HashMap::new();
    loop {
        match classes.advance(usize::MAX, || true) {
            Found::End => {
                let end = classes.state().unwrap().clone();
                found.entry(classes.run().class()).or_insert((end, 0)).1 += 1;
            }
            Found::Done => return found,
            other => panic!("{other:?}"),
        }
    }
}

proptest! {
    #[test]
    fn every_class_is_found_exactly_once(program in threads()) {
        let mut all: HashMap<_, World> = HashMap::new();
        for (choices, end) in runs(&program) {
            let class = causality(&program, &choices).class();
            // Runs of one class lead to one state: the footprints tell the truth.
            prop_assert_eq!(all.entry(class).or_insert_with(|| end.clone()), &end);
        }
        let reduced = reduced(&program);
        prop_assert!(reduced.values().all(|(_, times)| *times == 1));
        let reduced: HashMap<_, _> =
            reduced.into_iter().map(|(class, (end, _))| (class, end)).collect();
        prop_assert_eq!(reduced, all);
    }

    #[test]
    fn happening_before_is_the_chain_of_dependent_steps(program in threads(), pick in any::<prop::sample::Index>()) {
        let runs = runs(&program);
        let (choices, _) = pick.get(&runs);
        let run = causality(&program, choices);
        let events = run.events();
        let depends = |a: usize, b: usize| {
            events[a].agent == events[b].agent || events[a].footprint.conflicts(&events[b].footprint)
        };
        let mut before = BTreeSet::new();
        for b in 0..events.len() {
            before.insert((b, b));
            for a in (0..b).rev() {
                if (a + 1..=b).any(|m| depends(a, m) && before.contains(&(m, b))) {
                    before.insert((a, b));
                }
            }
        }
        for a in 0..events.len() {
            for b in 0..events.len() {
                prop_assert_eq!(run.happens_before(a, b), before.contains(&(a, b)));
            }
            let after: Vec<_> = (a + 1..events.len()).filter(|b| before.contains(&(a, *b))).collect();
            prop_assert_eq!(run.consequences(a), after);
        }
        // Direct causes are those without another between.
        let mut again = Causality::<&Threads>::default();
        for (b, event) in events.iter().enumerate() {
            let causes = again.push(event.agent, event.choice, event.footprint.clone());
            let between = |a: usize| (a + 1..b).any(|m| before.contains(&(a, m)) && before.contains(&(m, b)));
            let direct: Vec<_> =
                (0..b).rev().filter(|a| before.contains(&(*a, b)) && !between(*a)).collect();
            prop_assert_eq!(causes, direct);
        }
    }

    #[test]
    fn what_remains_of_a_run_without_an_event_and_its_consequences_can_happen(
        program in threads(), pick in any::<prop::sample::Index>(), event in any::<prop::sample::Index>(),
    ) {
        let runs = runs(&program);
        let (choices, end) = pick.get(&runs);
        if choices.is_empty() {
            return Ok(());
        }
        let run = causality(&program, choices);
        let undone = event.index(choices.len());
        let gone: BTreeSet<_> = run.consequences(undone).into_iter().chain([undone]).collect();
        let rest = (0..choices.len()).filter(|n| !gone.contains(n));
        // First the rest, then what was undone: the same class, the same end.
        let order: Vec<_> = rest.chain(gone.iter().copied()).map(|n| choices[n]).collect();
        let mut world = program.initial();
        for choice in &order {
            world = program.apply(&world, choice).unwrap().state;
        }
        prop_assert_eq!(&world, end);
        prop_assert_eq!(causality(&program, &order).class(), run.class());
    }

    #[test]
    fn popping_undoes_pushing(program in threads(), pick in any::<prop::sample::Index>()) {
        let runs = runs(&program);
        let (choices, _) = pick.get(&runs);
        let mut run = causality(&program, choices);
        let class = run.class();
        for keep in (0..choices.len()).rev() {
            let mut popped = Vec::new();
            while run.events().len() > keep {
                popped.extend(run.pop());
            }
            for event in popped.into_iter().rev() {
                run.push(event.agent, event.choice, event.footprint);
            }
            prop_assert_eq!(&run.class(), &class);
        }
    }
}

fn count(program: &Threads) -> (usize, usize, u64) {
    let mut classes = Classes::new(program);
    let (mut found, mut ends) = (0, HashSet::new());
    while classes.advance(usize::MAX, || true) == Found::End {
        found += 1;
        ends.insert(classes.state().unwrap().clone());
    }
    (found, ends.len(), classes.blocked())
}

#[test]
fn independent_threads_are_one_class() {
    let program = Threads(vec![vec![Do::Write(0, 1), Do::Guard, Do::Read(0)]; 1]);
    assert_eq!(count(&program), (1, 1, 0));
    // Nine threads of their own: 9! orders, one class.
    let program = Threads(vec![vec![Do::Guard]; 9]);
    assert_eq!(count(&program), (1, 1, 0));
    // Nine readers of one variable.
    let program = Threads(vec![vec![Do::Read(0), Do::Read(1)]; 9]);
    assert_eq!(count(&program), (1, 1, 0));
}

#[test]
fn messages_of_n_threads_on_one_port_come_in_any_order() {
    let mut threads = vec![vec![Do::Send(0)]; 5];
    threads.push(vec![Do::Receive(0)]);
    assert_eq!(count(&Threads(threads)).0, 120);
}

#[test]
fn who_loses_the_last_message_for_good_is_tried_first_too() {
    // Two threads wait for one message: whoever is late never acts again.
    let program = Threads(vec![
        vec![Do::Send(0)],
        vec![Do::Receive(0)],
        vec![Do::Receive(0)],
    ]);
    assert_eq!(count(&program), (2, 2, 0));
}

#[test]
fn a_search_can_be_cut_and_cancelled() {
    let program = Threads(vec![
        vec![Do::Write(0, 1), Do::Write(0, 2)],
        vec![Do::Write(0, 3)],
    ]);
    let mut classes = Classes::new(&program);
    assert_eq!(classes.advance(2, || true), Found::Cut);
    let mut classes = Classes::new(&program);
    let mut found = Vec::new();
    loop {
        let mut once = true;
        match classes.advance(10, || std::mem::take(&mut once)) {
            Found::End => found.push(classes.run().class()),
            Found::Done => break,
            other => assert_eq!(other, Found::Cancelled),
        }
    }
    assert_eq!(found.len(), 3);
    assert!(classes.steps() < 20);
    let empty = Threads(vec![]);
    assert_eq!(count(&empty), (1, 1, 0));
}

#[test]
fn the_graph_has_the_same_ends_as_the_classes() {
    let thread = vec![
        Do::Read(0),
        Do::Write(0, 1),
        Do::Toss,
        Do::Guard,
        Do::Send(0),
        Do::Receive(0),
    ];
    let program = Threads(vec![thread; 2]);
    let mut exploration = Exploration::new(&program, Order::BreadthFirst);
    exploration.run(&Limits::default(), |_| true);
    let graph = exploration.graph();
    let ends: HashSet<_> = graph
        .ends()
        .map(|end| graph.state(end).unwrap().clone())
        .collect();
    let found = reduced(&program);
    assert_eq!(
        found
            .values()
            .map(|(end, _)| end.clone())
            .collect::<HashSet<_>>(),
        ends
    );
    assert!(graph.count_paths().unwrap().total() > (10 * found.len()).into());
}

#[test]
fn a_message_that_came_later_hides_no_race_for_an_earlier_one() {
    // The second thread may take its own message back before the first has it.
    let first = vec![Do::Receive(0), Do::Send(0)];
    let second = vec![Do::Send(0), Do::Write(0, 0), Do::Receive(0)];
    assert_eq!(count(&Threads(vec![first, second])).0, 2);
}

#[test]
fn a_run_that_is_given_up_still_tells_who_waited() {
    // With the first thread asleep, the third one's wait shows only where the run is given up.
    let first = vec![Do::Write(0, 0)];
    let second = vec![Do::Send(0), Do::Try(0)];
    let third = vec![Do::Receive(0), Do::Write(0, 0)];
    assert_eq!(count(&Threads(vec![first, second, third])).0, 3);
}
