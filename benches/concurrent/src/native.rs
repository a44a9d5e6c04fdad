//! The same problems for stateright, by hand: actors with inboxes, a step is taking a message or
//! sending one, as with visible steps.

use std::collections::VecDeque;

use stateright::{Model, Property};

/// The messages of all problems.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Msg {
    /// What the main actor does before it creates anybody.
    Begin,
    /// The receiver is created.
    Born,
    Start,
    Take(u8),
    Got,
    Release,
    Cancel,
    Prepare(u8),
    Vote(bool),
    Decide(bool),
    Double(i64),
    Ask(u8),
    Tell(i64),
}

/// What an actor is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    Main,
    Fork { free: bool, waiting: Option<u8> },
    Seat { left: u8, right: u8, count: u8 },
    Participant { state: u8, willing: bool },
    Coordinator { open: u8, all: bool },
    Canceller,
    Math { result: i64 },
    Client { n: i64, asks: bool, told: i64 },
}

/// An actor with fields initialises them in a step of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Life {
    Unborn,
    Born,
    Ready,
}

/// An actor: what it still sends in this turn comes before the next message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Actor {
    role: Role,
    life: Life,
    inbox: VecDeque<Msg>,
    outbox: VecDeque<(u8, Msg)>,
}

/// A problem: its actors, the main actor first, and what that sends.
#[derive(Clone)]
pub(crate) struct Native {
    roles: Vec<Role>,
    first: Vec<(u8, Msg)>,
}

impl Native {
    pub(crate) fn philosophers(seats: usize) -> Self {
        let n = seats as u8;
        let forks = (0..n).map(|_| Role::Fork {
            free: true,
            waiting: None,
        });
        let sit = |seat: u8| Role::Seat {
            left: 1 + seat,
            right: 1 + (seat + 1) % n,
            count: 0,
        };
        Self {
            roles: [Role::Main].into_iter().chain(forks).chain((0..n).map(sit)).collect(),
            first: (0..n).map(|seat| (1 + n + seat, Msg::Start)).collect(),
        }
    }

    pub(crate) fn two_phase_commit(participants: usize) -> Self {
        let n = participants as u8;
        let all = (0..n).map(|_| Role::Participant {
            state: 0,
            willing: true,
        });
        let rest = [Role::Coordinator { open: n, all: true }, Role::Canceller];
        Self {
            roles: [Role::Main].into_iter().chain(all).chain(rest).collect(),
            first: vec![(1 + n, Msg::Start), (2 + n, Msg::Start)],
        }
    }

    pub(crate) fn math(clients: usize) -> Self {
        let n = clients as u8;
        let client = |nth: u8| Role::Client {
            n: 12 + i64::from(nth),
            asks: nth == 0,
            told: 0,
        };
        let first = [Role::Main, Role::Math { result: 0 }];
        Self {
            roles: first.into_iter().chain((0..n).map(client)).collect(),
            first: (0..n).map(|nth| (2 + nth, Msg::Start)).collect(),
        }
    }

    /// Takes a message; returns what the turn sends.
    fn take(&self, me: u8, role: &mut Role, msg: &Msg) -> Vec<(u8, Msg)> {
        match (role, msg) {
            (Role::Fork { free, waiting }, Msg::Take(who)) => {
                if *free {
                    *free = false;
                    return vec![(*who, Msg::Got)];
                }
                *waiting = Some(*who);
                Vec::new()
            }
            (Role::Fork { free, waiting }, Msg::Release) => match waiting.take() {
                Some(who) => vec![(who, Msg::Got)],
                None => {
                    *free = true;
                    Vec::new()
                }
            },
            (Role::Seat { left, .. }, Msg::Start) => vec![(*left, Msg::Take(me))],
            (Role::Seat { left, right, count }, Msg::Got) => {
                *count += 1;
                match count {
                    1 => vec![(*right, Msg::Take(me))],
                    _ => vec![(*left, Msg::Release), (*right, Msg::Release)],
                }
            }
            (Role::Participant { willing, .. }, Msg::Cancel) => {
                *willing = false;
                Vec::new()
            }
            (Role::Participant { state, willing }, Msg::Prepare(who)) => {
                *state = 1;
                vec![(*who, Msg::Vote(*willing))]
            }
            (Role::Participant { state, .. }, Msg::Decide(commit)) => {
                *state = if *commit { 2 } else { 3 };
                Vec::new()
            }
            (Role::Coordinator { open, .. }, Msg::Start) => (1..=*open).map(|to| (to, Msg::Prepare(me))).collect(),
            (Role::Coordinator { open, all }, Msg::Vote(yes)) => {
                *open -= 1;
                *all &= yes;
                match open {
                    0 => (1..me).map(|to| (to, Msg::Decide(*all))).collect(),
                    _ => Vec::new(),
                }
            }
            (Role::Canceller, Msg::Start) => vec![(1, Msg::Cancel)],
            (Role::Math { result }, Msg::Double(x)) => {
                *result = x + x;
                Vec::new()
            }
            (Role::Math { result }, Msg::Ask(who)) => vec![(*who, Msg::Tell(*result))],
            (Role::Client { n, asks, .. }, Msg::Start) => {
                let ask = asks.then_some((1, Msg::Ask(me)));
                [(1, Msg::Double(*n))].into_iter().chain(ask).collect()
            }
            (Role::Client { told, .. }, Msg::Tell(x)) => {
                *told = *x;
                Vec::new()
            }
            other => unreachable!("{other:?}"),
        }
    }
}

impl Model for Native {
    type State = Vec<Actor>;
    type Action = u8;

    fn init_states(&self) -> Vec<Self::State> {
        let actor = |role: &Role| Actor {
            role: role.clone(),
            life: Life::Unborn,
            inbox: VecDeque::new(),
            outbox: VecDeque::new(),
        };
        let mut actors: Vec<_> = self.roles.iter().map(actor).collect();
        let births = (1..self.roles.len() as u8).map(|nth| (nth, Msg::Born));
        actors[0].life = Life::Ready;
        actors[0].outbox.extend(
            [(0, Msg::Begin)]
                .into_iter()
                .chain(births)
                .chain(self.first.iter().cloned()),
        );
        vec![actors]
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<u8>) {
        let ready = |actor: &Actor| match actor.life {
            Life::Unborn => false,
            Life::Born => true,
            Life::Ready => !actor.outbox.is_empty() || !actor.inbox.is_empty(),
        };
        actions.extend((0..state.len() as u8).filter(|nth| ready(&state[usize::from(*nth)])));
    }

    fn next_state(&self, last: &Self::State, action: u8) -> Option<Self::State> {
        let mut next = last.clone();
        let actor = &mut next[usize::from(action)];
        if actor.life == Life::Born {
            actor.life = Life::Ready;
        } else if let Some((to, msg)) = actor.outbox.pop_front() {
            let to = &mut next[usize::from(to)];
            match msg {
                Msg::Begin => {}
                // This one has no fields.
                Msg::Born if to.role == Role::Canceller => to.life = Life::Ready,
                Msg::Born => to.life = Life::Born,
                msg => to.inbox.push_back(msg),
            }
        } else {
            let msg = actor.inbox.pop_front()?;
            let sends = self.take(action, &mut actor.role, &msg);
            actor.outbox.extend(sends);
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        // Without a property that is never violated the checker has nothing to do.
        vec![Property::always("explored", |_, _| true)]
    }
}
