//! A small concurrent language: threads with a register, shared variables, and ports.

use std::collections::VecDeque;

use borges_multiverse::language::{
    Footprint, Label, Language, Next, Outcome, Reach, Touchable, Verdict, Waiting,
};
use proptest::prelude::*;

/// An instruction; variables and ports are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Do {
    /// The variable gets the register's value plus a constant.
    Write(u8, i8),
    /// The register gets the variable's value.
    Read(u8),
    /// Sends the register to a port.
    Send(u8),
    /// Waits for a message, takes it into the register.
    Receive(u8),
    /// Takes a message, or -1 if there is none.
    Try(u8),
    /// The register gets 0 or 1, as is decided.
    Toss,
    /// One of the variables, as is decided, gets the register's value plus one.
    Scatter,
    /// Skips the next instruction if the register is not positive.
    Guard,
    /// Both variables change places.
    Swap,
    /// All variables and ports are as at first.
    Clear,
    /// Goes to the thread's first instruction.
    Again,
}

/// The threads' instructions.
#[derive(Clone, Debug)]
pub(crate) struct Threads(pub(crate) Vec<Vec<Do>>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    /// Position and register of each thread.
    threads: Vec<(usize, i8)>,
    variables: [i8; 2],
    ports: [Port; 2],
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Port {
    queue: VecDeque<i8>,
    taken: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Thing {
    Variable(u8),
    /// Where messages enter a port.
    Entry(u8),
    /// Where they leave it.
    Exit(u8),
    /// The n-th message of a port.
    Message(u8, usize),
    /// Both variables.
    Both,
    /// All of these.
    All,
}

impl Touchable for Thing {
    fn overlaps(&self, other: &Self) -> bool {
        let is_variable = |thing: &Self| matches!(thing, Self::Variable(_) | Self::Both);
        match (self, other) {
            (Self::All, _) | (_, Self::All) => true,
            (Self::Both, other) | (other, Self::Both) => is_variable(other),
            _ => self == other,
        }
    }

    fn reach(&self) -> Reach {
        match self {
            Self::Variable(_) | Self::Both => Reach::Region(0),
            Self::All => Reach::Everything,
            _ => Reach::Itself,
        }
    }
}

impl World {
    /// The world in which thread n stands where thread `order[n]` stood.
    pub(crate) fn turned(&self, order: &[usize]) -> Self {
        let threads = order.iter().map(|thread| self.threads[*thread]).collect();
        Self {
            threads,
            ..self.clone()
        }
    }
}

impl Threads {
    fn next(&self, world: &World, thread: usize) -> Option<Do> {
        self.0
            .get(thread)?
            .get(world.threads.get(thread)?.0)
            .copied()
    }
}

impl Language for Threads {
    type State = World;
    /// The thread and what it tosses.
    type Choice = (usize, i8);
    type Agent = usize;
    type Resource = Thing;
    type Value = String;

    fn initial(&self) -> World {
        let threads = vec![(0, 0); self.0.len()];
        World {
            threads,
            variables: [0; 2],
            ports: [Port::default(), Port::default()],
        }
    }

    fn enabled(&self, world: &World, choices: &mut Vec<(usize, i8)>) {
        for thread in 0..self.0.len() {
            match self.next(world, thread) {
                None => {}
                Some(Do::Receive(port)) if world.ports[port as usize].queue.is_empty() => {}
                Some(Do::Toss | Do::Scatter) => choices.extend([(thread, 0), (thread, 1)]),
                Some(_) => choices.push((thread, 0)),
            }
        }
    }

    fn apply(&self, world: &World, choice: &(usize, i8)) -> Option<Next<World>> {
        let (thread, toss) = *choice;
        let todo = self.next(world, thread)?;
        let mut world = world.clone();
        let (mut at, mut register) = world.threads[thread];
        at += 1;
        match todo {
            Do::Write(variable, add) => world.variables[variable as usize] = register + add,
            Do::Read(variable) => register = world.variables[variable as usize],
            Do::Send(port) => world.ports[port as usize].queue.push_back(register),
            Do::Receive(port) | Do::Try(port) => {
                let port = &mut world.ports[port as usize];
                match port.queue.pop_front() {
                    Some(message) => (register, port.taken) = (message, port.taken + 1),
                    None if matches!(todo, Do::Receive(_)) => return None,
                    None => register = -1,
                }
            }
            Do::Toss => register = toss,
            Do::Scatter => world.variables[toss as usize] = register + 1,
            Do::Swap => world.variables.swap(0, 1),
            Do::Clear => {
                world.variables = [0; 2];
                world.ports.iter_mut().for_each(|port| {
                    port.taken += port.queue.len();
                    port.queue.clear();
                });
            }
            Do::Guard => at += usize::from(register <= 0),
            Do::Again => at = 0,
        }
        world.threads[thread] = (at, register);
        Some(Next::one(world))
    }

    fn outcome(&self, world: &World) -> Outcome<String> {
        let done = (0..self.0.len()).all(|thread| self.next(world, thread).is_none());
        let verdict = if done {
            Verdict::Finished
        } else {
            Verdict::Deadlock
        };
        Outcome {
            verdicts: verdict.into(),
            value: self.show(world),
        }
    }

    fn agent(&self, _: &World, choice: &(usize, i8)) -> usize {
        choice.0
    }

    fn label(&self, world: &World, choice: &(usize, i8)) -> Label {
        let text = format!("{}: {:?}", choice.0, self.next(world, choice.0));
        Label {
            rule: "DO",
            text,
            span: None,
        }
    }

    fn footprint(&self, world: &World, choice: &(usize, i8)) -> Footprint<Thing> {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        match self.next(world, choice.0) {
            Some(Do::Write(variable, _)) => writes.push(Thing::Variable(variable)),
            Some(Do::Read(variable)) => reads.push(Thing::Variable(variable)),
            Some(Do::Send(port)) => {
                let Port { queue, taken } = &world.ports[port as usize];
                writes.extend([
                    Thing::Entry(port),
                    Thing::Message(port, taken + queue.len()),
                ]);
            }
            Some(Do::Receive(port)) => {
                reads.push(Thing::Message(port, world.ports[port as usize].taken));
                writes.push(Thing::Exit(port));
            }
            Some(Do::Try(port)) => {
                // Whether there is a message depends on who enters.
                reads.push(Thing::Entry(port));
                writes.push(Thing::Exit(port));
            }
            Some(Do::Scatter) => writes.push(Thing::Variable(choice.1 as u8)),
            Some(Do::Swap) => writes.push(Thing::Both),
            Some(Do::Clear) => writes.push(Thing::All),
            Some(Do::Toss | Do::Guard | Do::Again) | None => {}
        }
        Footprint { reads, writes }
    }

    fn waiting(&self, world: &World, waiting: &mut Vec<Waiting<usize, Thing>>) {
        for agent in 0..self.0.len() {
            if let Some(Do::Receive(port)) = self.next(world, agent)
                && world.ports[port as usize].queue.is_empty()
            {
                let (footprint, label) = (
                    self.footprint(world, &(agent, 0)),
                    self.label(world, &(agent, 0)),
                );
                waiting.push(Waiting {
                    agent,
                    footprint,
                    label,
                });
            }
        }
    }

    fn recurring(&self, world: &World) -> World {
        let mut world = world.clone();
        world.ports.iter_mut().for_each(|port| port.taken = 0);
        world
    }

    fn show(&self, world: &World) -> String {
        format!("{world:?}")
    }
}

fn instruction() -> impl Strategy<Value = Do> {
    prop_oneof![
        3 => (0..2_u8, -1..2_i8).prop_map(|(variable, add)| Do::Write(variable, add)),
        3 => (0..2_u8).prop_map(Do::Read),
        3 => (0..2_u8).prop_map(Do::Send),
        3 => (0..2_u8).prop_map(Do::Receive),
        1 => (0..2_u8).prop_map(Do::Try),
        1 => Just(Do::Toss),
        1 => Just(Do::Scatter),
        1 => Just(Do::Guard),
        1 => Just(Do::Swap),
        1 => Just(Do::Clear),
    ]
}

/// Few long threads or many short ones: all runs are to be listed.
pub(crate) fn threads() -> impl Strategy<Value = Threads> {
    let shape = prop_oneof![Just((1..3, 6)), Just((3..4, 4)), Just((4..5, 3))];
    shape.prop_flat_map(|(threads, length)| {
        let thread = prop::collection::vec(instruction(), 0..length);
        prop::collection::vec(thread, threads).prop_map(Threads)
    })
}

/// Three threads that do the same.
pub(crate) fn alike() -> impl Strategy<Value = Threads> {
    let thread = prop::collection::vec(instruction(), 0..4);
    thread.prop_map(|thread| Threads(vec![thread; 3]))
}

/// Threads of which some go round, perhaps for ever.
pub(crate) fn rounds() -> impl Strategy<Value = Threads> {
    let shape = prop_oneof![Just((1..3, 5)), Just((3..4, 3))];
    shape.prop_flat_map(|(threads, length)| {
        let thread = (
            prop::collection::vec(instruction(), 0..length),
            any::<bool>(),
        );
        prop::collection::vec(thread, threads).prop_map(|threads| {
            let again = |(mut thread, again): (Vec<_>, bool)| {
                thread.extend(again.then_some(Do::Again));
                thread
            };
            Threads(threads.into_iter().map(again).collect())
        })
    })
}
