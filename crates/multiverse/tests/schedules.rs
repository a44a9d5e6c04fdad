//! Schedules that look for bugs, and bounds of preemptions against all runs.

use std::collections::{BTreeSet, HashSet};

use borges_multiverse::adapt::{Abstracted, Preempting};
use borges_multiverse::graph::{Exploration, Limits, Pause, Strategy as Order};
use borges_multiverse::language::{Language, Verdict};
use borges_multiverse::priority::foremost;
use borges_multiverse::walk::{Order as Ranks, Rest, Sampler, Schedule, Walk};
use proptest::prelude::*;

use crate::threads::{Do, Threads, World, threads};

/// A deadlock that needs two orders of two steps: the first thread's message comes before the second looks for it, and
/// the second's before the first looks for one. The second has many steps to go there, the first has few.
fn rare() -> Threads {
    let one = [Do::Write(0, 1), Do::Read(0)];
    let first = [&one[..], &[Do::Send(1), Do::Try(0), Do::Receive(0)]].concat();
    // Who had a message takes one of its own back.
    let last = [Do::Try(1), Do::Send(0), Do::Send(0), Do::Guard, Do::Try(0)];
    let second = [&[Do::Write(1, 0); 20][..], &last].concat();
    Threads(vec![first, second])
}

fn is_deadlock<L: Language>(walk: &Walk<L>) -> bool {
    walk.outcome()
        .is_some_and(|end| end.verdicts.has(Verdict::Deadlock))
}

#[test]
fn priorities_find_what_chance_does_not() {
    let program = rare();
    let look = |sampling: Sampler| {
        let found = sampling.look(&program, (300, 1_000, 7), is_deadlock, |_| true);
        found.unwrap()
    };
    assert_eq!(look(Sampler::Random), None);
    // One order of two steps is not enough.
    assert_eq!(look(Sampler::Pct { depth: 1 }), None);
    let hit = look(Sampler::Pct { depth: 2 }).unwrap();
    assert_eq!(
        look(Sampler::Pct { depth: 2 }),
        Some(hit.clone()),
        "the same seed"
    );
    // What was found is a moment: it needs no schedule.
    let mut walk = Walk::new(&program);
    walk.go(&hit.moment, 1_000).unwrap();
    assert!(is_deadlock(&walk));
    // Nobody looks on when told to stop.
    let stopped =
        Sampler::Pct { depth: 2 }.look(&program, (300, 1_000, 7), is_deadlock, |run| run < hit.run);
    assert_eq!(stopped, Ok(None));
}

fn ends(program: &Threads, most: u32) -> BTreeSet<String> {
    let bounded = Preempting { program, most };
    let mut exploration = Exploration::new(&bounded, Order::BreadthFirst);
    assert_eq!(
        exploration.run(&Limits::default(), |_| true),
        Pause::Complete
    );
    let graph = exploration.graph();
    let outcomes = graph
        .ends()
        .map(|end| graph.outcome(end).unwrap().to_string());
    outcomes.collect()
}

#[test]
fn a_bug_within_one_preemption_is_found_with_one_and_not_without() {
    let deadlocks = |most| {
        ends(&rare(), most)
            .iter()
            .any(|end| end.starts_with("deadlock"))
    };
    assert!(!deadlocks(0));
    assert!(deadlocks(1));
}

/// The worlds that a program comes to where threads make room, and its steps between them.
fn with_room(
    program: &Threads,
    priorities: [Option<u8>; 4],
) -> (HashSet<World>, HashSet<(World, usize, World)>) {
    let start = program.initial();
    let (mut worlds, mut steps) = (HashSet::from([start.clone()]), HashSet::new());
    let mut open = vec![start];
    while let Some(world) = open.pop() {
        let mut choices = Vec::new();
        program.enabled(&world, &mut choices);
        for choice in &choices {
            let own = priorities[choice.0];
            let goes_before = |other: &(usize, i8)| own.is_some() && priorities[other.0] > own;
            if choices.iter().any(goes_before) {
                continue;
            }
            let next = program.apply(&world, choice).unwrap().state;
            if worlds.insert(next.clone()) {
                open.push(next.clone());
            }
            steps.insert((world.clone(), choice.0, next));
        }
    }
    (worlds, steps)
}

proptest! {
    /// Priorities are a filter: what is left is what the rule leaves, equal ones leave all, and schedules keep them.
    #[test]
    fn priorities_leave_out_steps_and_nothing_else(
        program in threads(),
        priorities in prop::array::uniform4(prop::option::of(0..3_u8)),
        seed in 0..100_u64,
    ) {
        let filtered = |priorities: [Option<u8>; 4]| {
            let all = Abstracted::new(program.clone(), "priorities", World::clone);
            all.only(move |_, choices| foremost(choices, |choice| priorities[choice.0]))
        };
        let explored = |priorities| {
            let mut exploration = Exploration::new(filtered(priorities), Order::BreadthFirst);
            assert_eq!(exploration.run(&Limits::default(), |_| true), Pause::Complete);
            let graph = exploration.graph();
            let world = |node| graph.state(node).unwrap().state.clone();
            let worlds: HashSet<_> = graph.nodes().map(world).collect();
            let steps = graph.edges().map(|(id, edge)| {
                let thread = graph.choice(id).unwrap().0;
                (world(edge.from), thread, world(edge.to))
            });
            (worlds, steps.collect::<HashSet<_>>())
        };
        let (worlds, steps) = with_room(&program, priorities);
        prop_assert_eq!(explored(priorities), (worlds.clone(), steps.clone()));
        let all = with_room(&program, [None; 4]);
        prop_assert_eq!(&explored([Some(1); 4]), &all);
        prop_assert!(worlds.is_subset(&all.0) && steps.is_subset(&all.1));
        let walked = filtered(priorities);
        let mut walk = Walk::new(&walked);
        walk.run(&mut Schedule::random(seed), 1_000, |_| true).unwrap();
        let mut world = program.initial();
        for choice in walk.choices() {
            let next = program.apply(&world, &choice).unwrap().state;
            prop_assert!(steps.contains(&(world, choice.0, next.clone())));
            world = next;
        }
    }

    /// Whoever is held does not act, and others only where nobody who goes first can.
    #[test]
    fn an_order_of_agents_is_kept(program in threads(), (one, other) in (0..4_usize, 0..4_usize)) {
        prop_assume!(one != other);
        let mut walk = Walk::new(&program);
        let (first, held) = (vec![one], vec![other]);
        let rest = walk.run(&mut Schedule::Order(Ranks { first, held }), 1_000, |_| true).unwrap();
        let able = |world: &World| {
            let mut choices = Vec::new();
            program.enabled(world, &mut choices);
            choices.into_iter().map(|choice| choice.0).collect::<BTreeSet<_>>()
        };
        let mut world = program.initial();
        for choice in walk.choices() {
            prop_assert_ne!(choice.0, other);
            prop_assert!(choice.0 == one || !able(&world).contains(&one));
            world = program.apply(&world, &choice).unwrap().state;
        }
        // It ends where there is an end, and waits for the user where only the held one could go on.
        let left = able(&world);
        prop_assert_eq!(rest == Rest::Choice, left == BTreeSet::from([other]));
        prop_assert_eq!(rest == Rest::End, left.is_empty());
    }

    /// The ends within a bound are those of the runs that keep it.
    #[test]
    fn a_bound_keeps_the_runs_within_it_and_no_others(program in threads(), most in 0..3_u32) {
        let mut within = BTreeSet::new();
        // The state, who stepped last, and the preemptions so far.
        let mut runs = vec![(program.initial(), None, 0)];
        while let Some((world, last, preemptions)) = runs.pop() {
            let mut choices = Vec::new();
            program.enabled(&world, &mut choices);
            if choices.is_empty() && preemptions <= most {
                within.insert(program.outcome(&world).to_string());
            }
            let goes_on = last.is_some_and(|last| choices.iter().any(|choice| choice.0 == last));
            for choice in choices {
                let interrupts = goes_on && last != Some(choice.0);
                let next = program.apply(&world, &choice).unwrap().state;
                runs.push((next, Some(choice.0), preemptions + u32::from(interrupts)));
            }
        }
        prop_assert_eq!(ends(&program, most), within);
    }
}
