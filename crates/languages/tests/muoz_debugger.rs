//! Race sets, causal replay, who waits for whom: laws that hold for random programs.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::oz::programs;
use borges_languages::muoz::{
    Act, Event, EventId, Machine, MuOz, Recording, Rival, ThreadName, VariableName,
};
use borges_multiverse::graph::{Exploration, Limits, Pause, Strategy as Order};
use borges_multiverse::language::Language;
use borges_multiverse::random::Random;
use proptest::prelude::*;
use proptest::sample::Index;

fn parse(text: &str) -> Arc<MuOz> {
    Arc::new(MuOz::parse(text).unwrap_or_else(|error| panic!("{}", error.explain(text))))
}

fn able(machine: &Machine) -> Vec<ThreadName> {
    let mut threads = Vec::new();
    machine.program().enabled(machine.state(), &mut threads);
    threads
}

/// Runs to an end, or for so many steps.
fn run(machine: &mut Machine, seed: u64, steps: usize) {
    let mut random = Random::from_seed(seed);
    for _ in 0..steps {
        let able = able(machine);
        let Some(thread) = able.get(random.below(able.len())) else {
            return;
        };
        machine.forward(thread).unwrap();
    }
}

/// An event by causal birth, and what it is about: comparable between runs.
type Key = (ThreadName, u32);

fn key(machine: &Machine, id: EventId) -> Key {
    let event = machine.event(id).unwrap();
    (event.thread.clone(), event.nth)
}

/// The events before `targets`: by threads, creations, messages and the order on all queues but
/// that of sends to `port` (if `sends`) or receives from it (otherwise).
fn past(
    machine: &Machine,
    targets: &[EventId],
    port: &VariableName,
    sends: bool,
) -> BTreeSet<EventId> {
    let depends = |a: &Event, b: &Event| {
        let queue = match (&a.act, &b.act) {
            (
                Act::Send {
                    port: p, number: n, ..
                },
                Act::Receive {
                    port: q, number: m, ..
                },
            ) => p == q && n == m,
            (Act::Send { port: p, .. }, Act::Send { port: q, .. }) => {
                p == q && !(sends && p == port)
            }
            (Act::Receive { port: p, .. }, Act::Receive { port: q, .. }) => {
                p == q && (sends || p != port)
            }
            _ => false,
        };
        let creation = matches!(&a.act, Act::Thread(child) if *child == b.thread);
        a.thread == b.thread || creation || queue
    };
    let mut past: BTreeSet<_> = targets.iter().copied().collect();
    let events: Vec<_> = machine.events().collect();
    for (id, event) in events.into_iter().rev() {
        let leads = |later: &EventId| *later > id && depends(event, machine.event(*later).unwrap());
        if past.iter().any(leads) {
            past.insert(id);
        }
    }
    past
}

/// The step before `id` in its thread, or the creation of that thread.
fn own(machine: &Machine, id: EventId) -> Vec<EventId> {
    let event = machine.event(id).unwrap();
    match event.nth.checked_sub(1) {
        Some(nth) => vec![machine.history(&event.thread)[nth as usize]],
        None => machine.creation(&event.thread).into_iter().collect(),
    }
}

/// The sends whose messages a receive could have got.
fn race_set(machine: &Machine, receive: EventId) -> Vec<EventId> {
    let mut sets = machine.race_sets().into_iter();
    sets.find(|(id, _)| *id == receive).unwrap().1
}

/// Takes the steps of these events, those first that are in the first set.
fn again(
    machine: &Machine,
    first: &BTreeSet<EventId>,
    then: &BTreeSet<EventId>,
) -> Option<Machine> {
    let mut other = Machine::new(machine.program().clone());
    for id in first.iter().chain(then.difference(first)) {
        other.forward(&machine.event(*id).unwrap().thread).ok()?;
    }
    Some(other)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// There is a run in which the receive gets the other message, and its past is as it was.
    #[test]
    fn what_could_have_been_received_can_be(source in programs(12), seed in any::<u64>()) {
        let mut machine = Machine::new(parse(&source.text()));
        run(&mut machine, seed, usize::MAX);
        for port in machine.state().ports().cloned().collect::<Vec<_>>() {
            for (nth, receive) in machine.receives(&port).iter().enumerate() {
                for other in race_set(&machine, *receive) {
                    prop_assert!(machine.sends(&port)[nth + 1..].contains(&other));
                    // All that the message needs and the messages before it; then the receive.
                    let targets = [&machine.sends(&port)[..nth], &[other]].concat();
                    let first = past(&machine, &targets, &port, true);
                    let mut rest = own(&machine, *receive);
                    rest.extend(machine.receives(&port)[..nth].last());
                    let then = past(&machine, &rest, &port, true);
                    let mut changed = again(&machine, &first, &then).unwrap();
                    let thread = key(&machine, *receive).0;
                    changed.forward(&thread).unwrap();
                    prop_assert_eq!(changed.receives(&port).len(), nth + 1);
                    prop_assert_eq!(key(&changed, changed.sends(&port)[nth]), key(&machine, other));
                }
            }
        }
    }

    /// There is a run in which the other thread gets the message, and its past is as it was.
    #[test]
    fn who_could_have_received_it_can(source in programs(12), seed in any::<u64>()) {
        let mut machine = Machine::new(parse(&source.text()));
        run(&mut machine, seed, usize::MAX);
        for port in machine.state().ports().cloned().collect::<Vec<_>>() {
            for (nth, receive) in machine.receives(&port).iter().enumerate() {
                for rival in machine.rivals(*receive) {
                    let (thread, mut needs) = match rival {
                        Rival::Event(id) => (key(&machine, id).0, own(&machine, id)),
                        Rival::Waiting(thread) => {
                            let last = machine.history(&thread).last().copied();
                            let last = last.or_else(|| machine.creation(&thread));
                            (thread, last.into_iter().collect())
                        }
                    };
                    needs.extend(&machine.receives(&port)[..nth]);
                    needs.push(machine.sends(&port)[nth]);
                    let first = past(&machine, &needs, &port, false);
                    let mut changed = again(&machine, &first, &BTreeSet::new()).unwrap();
                    let id = changed.forward(&thread).unwrap();
                    let number = nth as u32;
                    let act = &changed.event(id).unwrap().act;
                    let got = matches!(act, Act::Receive { port: p, number: n, .. } if *p == port && *n == number);
                    prop_assert!(got, "{act:?}");
                }
            }
        }
    }

    /// Replay does the target and exactly its causes, in whatever order the run was undone.
    #[test]
    fn replay_does_exactly_the_causes(
        source in programs(12), seed in any::<u64>(), picks in prop::collection::vec(any::<(Index, Index)>(), 1..4),
    ) {
        let mut machine = Machine::new(parse(&source.text()));
        run(&mut machine, seed, usize::MAX);
        let recorded = machine.clone();
        let ids: Vec<_> = recorded.events().map(|(id, _)| id).collect();
        prop_assume!(!ids.is_empty());
        prop_assert!(machine.is_part_of(&recorded));
        for (undo, redo) in picks {
            let left: Vec<_> = machine.events().map(|(id, _)| id).collect();
            if !left.is_empty() {
                machine.roll(*undo.get(&left));
            }
            prop_assert!(machine.is_part_of(&recorded));
            let target = *redo.get(&ids);
            let done = |machine: &Machine| -> BTreeSet<Key> {
                machine.events().map(|(id, _)| key(machine, id)).collect()
            };
            let mut expected = done(&machine);
            let causes = past(&recorded, &[target], &VariableName { thread: ThreadName::MAIN, nth: u32::MAX }, true);
            expected.extend(causes.into_iter().map(|id| key(&recorded, id)));
            for thread in machine.missing(&recorded, Some(target)) {
                machine.forward(&thread).unwrap();
            }
            prop_assert_eq!(done(&machine), expected);
            prop_assert!(machine.is_part_of(&recorded));
        }
        for thread in machine.missing(&recorded, None) {
            machine.forward(&thread).unwrap();
        }
        prop_assert_eq!(machine.state(), recorded.state());
        // As text, a recording leads to the same state.
        let text = Recording::of(&recorded).to_string();
        let read = text.parse::<Recording>().unwrap().run(recorded.program()).unwrap();
        prop_assert_eq!(read.state(), recorded.state());
    }

    /// Who waits for ever never acts again in any universe, and at an end all who wait do.
    #[test]
    fn those_who_wait_for_ever_do(source in programs(8)) {
        let program = parse(&source.text());
        let mut exploration = Exploration::new(&*program, Order::BreadthFirst);
        let pause = exploration.run(&Limits { states: 5_000, ..Limits::default() }, |_| true);
        prop_assume!(pause == Pause::Complete);
        let graph = exploration.graph();
        // Who still acts from each node on, until nothing changes.
        let mut acts: Vec<HashSet<ThreadName>> = vec![HashSet::new(); graph.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (id, edge) in graph.edges().rev() {
                let mut here = acts[edge.to.0 as usize].clone();
                here.insert(graph.choice(id).unwrap());
                let known = &mut acts[edge.from.0 as usize];
                let before = known.len();
                known.extend(here);
                changed |= known.len() > before;
            }
        }
        for node in graph.nodes() {
            for wait in program.waits(graph.state(node).unwrap()) {
                let acts = acts[node.0 as usize].contains(&wait.thread);
                prop_assert!(!(wait.forever && acts), "{} acts", wait.thread);
                prop_assert!(wait.forever || !graph.is_end(node), "{} waits in vain", wait.thread);
            }
        }
    }
}

#[test]
fn a_message_that_was_sent_because_of_a_receive_does_not_race_with_it() {
    // The answer cannot come before what it answers.
    let text = "let k = port in let a = port in
        thread let x = {receive k} in {send a x} end end;
        thread let y = {receive a} in {send k y} end end;
        thread {send k 3} end;
        {send k 1}; let z = {receive k} in skip end end end";
    let mut machine = Machine::new(parse(text));
    let run = "t0*7 t1*2 t2*2 t0 t3*2 t0".parse::<Recording>().unwrap();
    for thread in &run.0 {
        machine.forward(thread).unwrap();
    }
    let port = machine.state().ports().next().unwrap().clone();
    let sender = |id: &EventId| key(&machine, *id).0.to_string();
    let race = |nth: usize| -> Vec<String> {
        race_set(&machine, machine.receives(&port)[nth])
            .iter()
            .map(sender)
            .collect()
    };
    // The first receive got 1; 3 could have been faster, the answer could not.
    assert_eq!(race(0), ["t3"]);
    assert_eq!(race(1), ["t3"]);
}
