//! CaReDeb's commands on random programs: each undoes its target and the closure of definition 1,
//! says so in order, and leads to a state of the plain semantics; a refused one changes nothing.

use std::collections::BTreeSet;

use crate::oz::programs;
use borges_languages::muoz::caredeb::{Command, Reply, Session, SessionError, Step, Target};
use borges_languages::muoz::{Act, Event, EventId, State, ThreadName, VariableName};
use borges_multiverse::language::Language;
use borges_multiverse::walk::Chooser;
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
        .filter_map(|word| session.names().find(word))
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
fn target(session: &Session, command: &Command) -> Option<EventId> {
    let events = events(session);
    let ids = |of: &dyn Fn(&Event) -> bool| -> Vec<EventId> {
        let events = events.iter().filter(|(_, event)| of(event));
        events.map(|(id, _)| *id).collect()
    };
    let last = |ids: Vec<EventId>, count: usize| ids.len().checked_sub(count).map(|at| ids[at]);
    let called = |id: &VariableName, name: &str| session.names().show(id) == name;
    let sends = |name: &str| {
        ids(&|event| matches!(&event.act, Act::Send { port, .. } if called(port, name)))
    };
    let receives = |name: &str| {
        ids(&|event| matches!(&event.act, Act::Receive { port, .. } if called(port, name)))
    };
    let aim = match command {
        Command::Back(thread) => return last(ids(&|event| event.thread == *thread), 1),
        Command::Roll(aim) => aim,
        _ => return None,
    };
    match aim {
        Target::Steps { thread, count } => {
            let steps = ids(&|event| event.thread == *thread);
            match count {
                None => steps.first().copied(),
                Some(count) => last(steps, *count as usize),
            }
        }
        Target::Variable(name) => {
            let binds = |event: &Event| event.act.binds().is_some_and(|id| called(id, name));
            ids(&binds).first().copied()
        }
        Target::Thread(thread) => {
            let creates = |event: &Event| event.act == Act::Thread(thread.clone());
            ids(&creates).first().copied()
        }
        Target::Sends { port, count } => last(sends(port), *count as usize),
        Target::Receives { port, count } => last(receives(port), *count as usize),
        Target::Message { port, number } => sends(port).get(*number as usize - 1).copied(),
        Target::All => None,
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

/// What commands are made of; `forth` comes often, so that there is something to undo.
#[derive(Clone, Copy)]
enum What {
    Forth,
    ForthMany,
    Run,
    Back,
    Roll,
    RollMany,
    Variable,
    Sends,
    Receives,
    Thread,
    Message,
}

const WHATS: [What; 16] = [
    What::Forth,
    What::Forth,
    What::Forth,
    What::Forth,
    What::Forth,
    What::ForthMany,
    What::Run,
    What::Back,
    What::Back,
    What::Roll,
    What::RollMany,
    What::Variable,
    What::Sends,
    What::Receives,
    What::Thread,
    What::Message,
];

/// A command that makes sense now, or almost.
fn command(session: &Session, typed: &Typed) -> Command {
    let (state, names) = (session.machine().state(), session.names());
    let count = u32::from(typed.count);
    let threads: Vec<ThreadName> = state.threads().cloned().collect();
    let thread = typed.who.get(&threads).clone();
    let ports: Vec<String> = state
        .ports()
        .map(|id| names.show(id).into_owned())
        .collect();
    let variables: Vec<String> = state
        .store()
        .map(|id| names.show(&id).into_owned())
        .collect();
    let pick = |things: &[String]| (!things.is_empty()).then(|| typed.who.get(things).clone());
    let aim = match *typed.what.get(&WHATS) {
        What::Forth => return Command::Forth { thread, count: 1 },
        What::ForthMany => return Command::Forth { thread, count },
        What::Run => {
            let seed = typed.who.index(1_000) as u64;
            return Command::Run {
                chooser: Chooser::Random(seed),
                steps: Some(u64::from(typed.count) * 4),
            };
        }
        What::Back => return Command::Back(thread),
        What::Roll => {
            let count = None;
            Some(Target::Steps { thread, count })
        }
        What::RollMany => {
            let count = Some(count);
            Some(Target::Steps { thread, count })
        }
        What::Variable => pick(&variables).map(Target::Variable),
        What::Sends => pick(&ports).map(|port| Target::Sends { port, count }),
        What::Receives => pick(&ports).map(|port| Target::Receives { port, count }),
        What::Thread => Some(Target::Thread(thread)),
        What::Message => pick(&ports).map(|port| Target::Message {
            port,
            number: count,
        }),
    };
    let main = Command::Forth {
        thread: ThreadName::MAIN,
        count: 1,
    };
    aim.map_or(main, Command::Roll)
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

fn check(session: &mut Session, command: &Command) {
    let (at, before) = (session.universe(), session.machine().clone());
    let forward = matches!(command, Command::Forth { .. } | Command::Run { .. });
    let is_back = matches!(command, Command::Back(_));
    let target = target(session, command);
    let expected = target.map(|target| split(session, target));
    let known = session.universes().graph().len();
    let told = |steps: Vec<Step>| -> Vec<_> {
        let steps = steps.into_iter();
        steps.map(|step| (step.thread, step.text)).collect()
    };
    match session.execute(command.clone(), "", || true) {
        Ok(Reply::Undid { steps }) => {
            let (doomed, left) = expected.unwrap();
            assert!(!is_back || steps.len() == 1);
            assert_eq!(told(steps), doomed);
            let now = session.machine().events();
            assert!(now.map(|(_, event)| event).eq(&left));
        }
        Ok(_) => assert!(forward, "{command:?}"),
        Err(error) => {
            match (error, expected) {
                (SessionError::Consequences { first, .. }, Some((mut doomed, _))) => {
                    doomed.pop();
                    assert!(!first.is_empty() && is_back);
                    assert_eq!(told(first), doomed);
                }
                (error, expected) => assert!(forward || expected.is_none(), "{command:?}: {error}"),
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
        let thread = ThreadName::MAIN;
        session.execute(Command::Forth { thread, count: 4 }, "", || true).unwrap();
        for typed in &typed {
            let command = command(&session, typed);
            check(&mut session, &command);
        }
    }
}
