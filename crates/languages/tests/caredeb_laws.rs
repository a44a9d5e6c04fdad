//! CaReDeb's commands on random programs: each undoes its target and the closure of definition 1,
//! says so in order, and leads to a state of the plain semantics; a refused one changes nothing.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside `#[test]` functions.

#[path = "common/oz.rs"]
mod oz;

use std::collections::BTreeSet;

use borges_languages::muoz::caredeb::{Reply, Session, SessionError, Step};
use borges_languages::muoz::{Act, Event, EventId, State, ThreadName, VariableName};
use borges_multiverse::language::Language;
use oz::programs;
use proptest::prelude::*;
use proptest::sample::Index;

/// What is still done, the oldest first.
fn events(session: &Session) -> Vec<(EventId, Event)> {
    let events = session.machine().events();
    events.map(|(id, event)| (id, event.clone())).collect()
}

fn show(session: &Session, event: &Event) -> String {
    event.show(session.machine().program(), session.names())
}

/// The variables that a step's text names, its own included.
fn named(session: &Session, event: &Event) -> BTreeSet<VariableName> {
    let text = show(session, event);
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''));
    words
        .filter_map(|word| session.names().find(word).cloned())
        .collect()
}

/// Definition 1: whether `later` depends directly on `earlier`.
fn depends(session: &Session, earlier: &Event, later: &Event) -> bool {
    let creates = matches!(&earlier.act, Act::Thread(child) if *child == later.thread);
    let binds = earlier.act.binds();
    let uses = binds.is_some_and(|variable| named(session, later).contains(variable));
    let queue = match (&earlier.act, &later.act) {
        (
            Act::Send { port, number, .. },
            Act::Receive {
                port: other,
                number: nth,
                ..
            },
        ) => (port, number) == (other, nth),
        (Act::Send { port, .. }, Act::Send { port: other, .. })
        | (Act::Receive { port, .. }, Act::Receive { port: other, .. }) => port == other,
        _ => false,
    };
    earlier.thread == later.thread || creates || uses || queue
}

/// The target and its consequences, the latest first.
fn doomed(session: &Session, target: EventId) -> Vec<(EventId, Event)> {
    let mut doomed: Vec<(EventId, Event)> = Vec::new();
    for (id, event) in events(session) {
        let lost = |(_, other): &(EventId, Event)| depends(session, other, &event);
        if id == target || doomed.iter().any(lost) {
            doomed.push((id, event));
        }
    }
    doomed.reverse();
    doomed
}

/// The event at which a command aims, found by looking through all events. None if it aims at none.
fn target(session: &Session, words: &[&str]) -> Option<EventId> {
    let events = events(session);
    let ids = |of: &dyn Fn(&Event) -> bool| -> Vec<EventId> {
        let events = events.iter().filter(|(_, event)| of(event));
        events.map(|(id, _)| *id).collect()
    };
    let last = |ids: Vec<EventId>, count: usize| ids.len().checked_sub(count).map(|at| ids[at]);
    let thread = |name: &str| name.parse::<ThreadName>().unwrap();
    let called = |id: &VariableName, name: &str| session.names().show(id) == name;
    match *words {
        ["b", name] => last(ids(&|event| event.thread == thread(name)), 1),
        ["r", name] => ids(&|event| event.thread == thread(name)).first().copied(),
        ["r", name, count] => last(
            ids(&|event| event.thread == thread(name)),
            count.parse().unwrap(),
        ),
        ["rv", name] => {
            let binds = |event: &Event| event.act.binds().is_some_and(|id| called(id, name));
            ids(&binds).first().copied()
        }
        ["rt", name] => {
            let creates = |event: &Event| event.act == Act::Thread(thread(name));
            ids(&creates).first().copied()
        }
        [command, name, count] => {
            let count = count.parse().unwrap();
            let sends = |e: &Event| matches!(&e.act, Act::Send { port, .. } if called(port, name));
            let receives =
                |e: &Event| matches!(&e.act, Act::Receive { port, .. } if called(port, name));
            match command {
                "rs" => last(ids(&sends), count),
                "rr" => last(ids(&receives), count),
                "rm" => ids(&sends).get(count - 1).copied(),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What a command is about, to be filled in when its turn has come.
#[derive(Clone, Debug)]
struct Typed {
    what: Index,
    who: Index,
    count: u8,
}

fn typed() -> impl Strategy<Value = Vec<Typed>> {
    let one = (any::<Index>(), any::<Index>(), 1..4_u8);
    let one = one.prop_map(|(what, who, count)| Typed { what, who, count });
    prop::collection::vec(one, 1..60)
}

/// A line that makes sense now, or almost.
fn line(session: &Session, typed: &Typed) -> String {
    const COMMANDS: &[&str] = &[
        "f", "f", "f", "f", "f", "f n", "run", "b", "b", "r", "r n", "rv", "rs n", "rr n", "rt",
        "rm n",
    ];
    let command = *typed.what.get(COMMANDS);
    let (command, count) = match command.split_once(' ') {
        Some((command, _)) => (command, format!(" {}", typed.count)),
        None => (command, String::new()),
    };
    let state = session.machine().state();
    let names = session.names();
    let things: Vec<String> = match command {
        "rv" => state.store().map(|id| names.show(&id).to_owned()).collect(),
        "rs" | "rr" | "rm" => state.ports().map(|id| names.show(id).to_owned()).collect(),
        _ => state.threads().map(ToString::to_string).collect(),
    };
    if command == "run" {
        return format!("run random {} {}", typed.who.index(1_000), typed.count * 4);
    }
    if things.is_empty() {
        return "f t0".to_owned();
    }
    format!("{command} {}{count}", typed.who.get(&things))
}

/// The state that the plain semantics reaches by what is still done.
fn straight(session: &Session) -> Option<State> {
    let program = session.machine().program();
    events(session)
        .into_iter()
        .try_fold(program.initial(), |state, (_, event)| {
            Some(program.apply(&state, &event.thread)?.state)
        })
}

/// The steps that are to be undone, in words, the latest first, and those that stay.
fn split(session: &Session, target: EventId) -> (Vec<(String, String)>, Vec<Event>) {
    let doomed = doomed(session, target);
    let told = |event: &Event| (event.thread.to_string(), show(session, event));
    let mut left = events(session);
    left.retain(|event| !doomed.contains(event));
    (
        doomed.iter().map(|(_, event)| told(event)).collect(),
        left.into_iter().map(|(_, event)| event).collect(),
    )
}

fn check(session: &mut Session, line: &str) {
    let (at, before) = (session.universe(), session.machine().clone());
    let words: Vec<&str> = line.split(' ').collect();
    let forward = matches!(words[0], "f" | "run");
    let target = target(session, &words);
    let expected = target.map(|target| split(session, target));
    let known = session.universes().graph().len();
    let told = |steps: Vec<Step>| -> Vec<_> {
        let steps = steps.into_iter();
        steps.map(|step| (step.thread, step.text)).collect()
    };
    match session.execute(line, || true) {
        Ok(Reply::Undid { steps }) => {
            let (doomed, left) = expected.unwrap();
            assert!(words[0] != "b" || steps.len() == 1);
            assert_eq!(told(steps), doomed);
            let now = session.machine().events();
            assert!(now.map(|(_, event)| event).eq(&left));
        }
        Ok(_) => assert!(forward, "{line}"),
        Err(error) => {
            match (error, expected) {
                (SessionError::Consequences { first, .. }, Some((mut doomed, _))) => {
                    doomed.pop();
                    assert!(!first.is_empty() && words[0] == "b");
                    assert_eq!(told(first), doomed);
                }
                (error, expected) => assert!(forward || expected.is_none(), "{line}: {error}"),
            }
            // A refused command changes nothing.
            assert_eq!((session.universe(), session.machine()), (at, &before));
            assert_eq!(session.universes().graph().len(), known);
        }
    }
    // The universe that was left is there as it was.
    let left = session.universes().configuration(at).unwrap();
    assert_eq!(
        (&left.program, left.program.state()),
        (&before, before.state())
    );
    assert_eq!(straight(session).as_ref(), Some(session.machine().state()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn commands_undo_the_closure_of_definition_1(source in programs(12), typed in typed()) {
        let mut session = Session::parse(&source.text()).unwrap();
        session.execute("f t0 4", || true).unwrap();
        for typed in &typed {
            let line = line(&session, typed);
            check(&mut session, &line);
        }
    }
}
