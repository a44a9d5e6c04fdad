//! The reversible machine: the loop lemma, the parabolic lemma, minimal undo.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::oz::programs;
use borges_languages::muoz::{Act, Event, EventId, Machine, MuOz, Refusal, State, ThreadName};
use borges_multiverse::causality::Causality;
use borges_multiverse::language::Language;
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

fn choices(machine: &Machine) -> Vec<ThreadName> {
    machine
        .events()
        .map(|(_, event)| event.thread.clone())
        .collect()
}

/// The state that the plain semantics reaches by the machine's remaining events.
fn straight(machine: &Machine) -> Option<State> {
    let mut state = machine.program().initial();
    for thread in choices(machine) {
        state = machine.program().apply(&state, &thread)?.state;
    }
    Some(state)
}

/// Definition 1, word by word: whether `b`, which happened later, depends on `a` directly.
fn depends(a: &Event, b: &Event) -> bool {
    let uses = |event: &Event| match event.act.clone() {
        Act::Send { port, message, .. } | Act::Receive { port, message, .. } => vec![port, message],
        Act::Call {
            procedure,
            mut arguments,
        } => {
            arguments.push(procedure);
            arguments
        }
        _ => Vec::new(),
    };
    let same_thread = a.thread == b.thread;
    let creation = matches!(&a.act, Act::Thread(child) if *child == b.thread);
    let variable = a.act.binds().is_some_and(|name| uses(b).contains(name));
    let queue = match (&a.act, &b.act) {
        (
            Act::Send { port, number, .. },
            Act::Receive {
                port: other,
                number: nth,
                ..
            },
        ) => port == other && number == nth,
        (Act::Send { port, .. }, Act::Send { port: other, .. })
        | (Act::Receive { port, .. }, Act::Receive { port: other, .. }) => port == other,
        _ => false,
    };
    same_thread || creation || variable || queue
}

/// The event and all that depends on it, by definition 1 alone.
fn closure(machine: &Machine, target: EventId) -> BTreeSet<EventId> {
    let mut doomed = BTreeSet::new();
    for (id, event) in machine.events().filter(|(id, _)| *id >= target) {
        let lost = |earlier: &EventId| depends(machine.event(*earlier).unwrap(), event);
        if id == target || doomed.iter().any(lost) {
            doomed.insert(id);
        }
    }
    doomed
}

/// A command of a debugging session.
#[derive(Clone, Debug)]
enum Command {
    Forward(Index),
    Back(Index),
    Roll(Index),
}

fn commands() -> impl Strategy<Value = Vec<Command>> {
    let command = prop_oneof![
        8 => any::<Index>().prop_map(Command::Forward),
        3 => any::<Index>().prop_map(Command::Back),
        1 => any::<Index>().prop_map(Command::Roll),
    ];
    prop::collection::vec(command, 0..80)
}

fn forward_and_back(machine: &mut Machine, thread: &ThreadName) {
    let before = machine.state().clone();
    let id = machine.forward(thread).unwrap();
    let (after, event) = (machine.state().clone(), machine.event(id).unwrap().clone());
    // Loop lemma: every step can be undone, and done again.
    assert_eq!(machine.backward(thread).unwrap(), event);
    assert_eq!(machine.state(), &before);
    let again = machine.forward(thread).unwrap();
    assert_eq!(machine.event(again), Some(&event));
    assert_eq!(machine.state(), &after);
}

fn back(machine: &mut Machine, thread: &ThreadName) {
    let (before, run) = (machine.state().clone(), choices(machine));
    let last = machine.history(thread).last().copied();
    match machine.backward(thread) {
        Ok(event) => {
            assert_eq!(event.thread, *thread);
            let undone = machine.state().clone();
            let id = machine.forward(thread).unwrap();
            assert_eq!(machine.event(id), Some(&event));
            assert_eq!(machine.state(), &before);
            machine.backward(thread).unwrap();
            assert_eq!(machine.state(), &undone);
        }
        Err(Refusal::Nothing) => assert_eq!(last, None),
        Err(Refusal::Consequences(first)) => {
            // A refusal names what must go first, and changes nothing.
            assert_eq!((machine.state(), choices(machine)), (&before, run));
            let mut expected: Vec<_> = closure(machine, last.unwrap()).into_iter().collect();
            expected.reverse();
            assert_eq!(expected.pop(), last);
            assert!(!first.is_empty());
            assert_eq!(first, expected);
        }
        Err(Refusal::NoThread) => panic!("the thread exists"),
    }
}

fn roll(machine: &mut Machine, target: EventId) {
    let (state, before) = (machine.state().clone(), machine.clone());
    let doomed = closure(machine, target);
    assert_eq!(machine.consequences(target), doomed);
    // The core finds the same by footprints.
    let ids: Vec<_> = machine.events().map(|(id, _)| id).collect();
    let program = machine.program().clone();
    let run = Causality::of(&*program, &program.initial(), &choices(machine)).unwrap();
    let index = ids.iter().position(|id| *id == target).unwrap();
    let core = run.consequences(index).into_iter().chain([index]);
    assert_eq!(
        core.map(|index| ids[index]).collect::<BTreeSet<_>>(),
        doomed
    );

    let undone = machine.roll(target);
    let expected: Vec<_> = doomed
        .iter()
        .rev()
        .map(|id| before.event(*id).unwrap())
        .collect();
    assert_eq!(undone.iter().collect::<Vec<_>>(), expected);
    let rest = before.events().filter(|(id, _)| !doomed.contains(id));
    assert!(
        machine
            .events()
            .map(|(_, event)| event)
            .eq(rest.map(|(_, event)| event))
    );
    // What was undone can be done again, in the order of the past.
    let mut again = machine.clone();
    for event in undone.iter().rev() {
        again.forward(&event.thread).unwrap();
    }
    assert_eq!(again.state(), &state);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_mix_of_commands_stays_within_forward_runs(
        source in programs(12), commands in commands(),
    ) {
        let mut machine = Machine::new(parse(&source.text()));
        for command in commands {
            match command {
                Command::Forward(pick) => {
                    let able = able(&machine);
                    if !able.is_empty() {
                        forward_and_back(&mut machine, pick.get(&able));
                    }
                }
                Command::Back(pick) => {
                    let threads: Vec<_> = machine.state().threads().cloned().collect();
                    back(&mut machine, pick.get(&threads));
                }
                Command::Roll(pick) => {
                    let events: Vec<_> = machine.events().map(|(id, _)| id).collect();
                    if !events.is_empty() {
                        roll(&mut machine, *pick.get(&events));
                    }
                }
            }
            // Parabolic lemma: what remains is a forward run to this very state.
            let straight = straight(&machine);
            prop_assert_eq!(straight.as_ref(), Some(machine.state()));
        }
    }

    #[test]
    fn undoing_takes_the_closure_of_definition_1(source in programs(12), seed in any::<u64>()) {
        let mut machine = Machine::new(parse(&source.text()));
        let mut random = borges_multiverse::random::Random::from_seed(seed);
        loop {
            let able = able(&machine);
            let Some(thread) = able.get(random.below(able.len())) else {
                break;
            };
            machine.forward(thread).unwrap();
        }
        let events: Vec<_> = machine.events().map(|(id, _)| id).collect();
        for target in events {
            roll(&mut machine.clone(), target);
        }
        // All the way back is the start.
        let first = |machine: &Machine| machine.events().next().map(|(id, _)| id);
        while let Some(first) = first(&machine) {
            machine.roll(first);
        }
        prop_assert_eq!(machine.state(), &machine.program().initial());
    }
}

#[test]
fn a_long_run_goes_back_at_once() {
    let text = "let k = port in let loop = proc {n} if (n > 0) then {send k n};
        let x = {receive k} in let m = n - 1 in {loop m} end end else skip end end
        in {loop 20000} end end";
    let mut machine = Machine::new(parse(text));
    while machine.forward(&ThreadName::MAIN).is_ok() {}
    assert_eq!(machine.events().count(), 6 + 20_000 * 5);
    let first = machine.events().nth(3).unwrap().0;
    assert_eq!(machine.roll(first).len(), 100_003);
    assert_eq!(machine.events().count(), 3);
}
