//! What can happen in a network, and what comes of it.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use borges_board::Action;
use borges_concolic::DeviceState;
use borges_vm::Value;

use super::Network;
use super::plan::{Line, Port};
use super::state::{Carried, Inner, Message, Standing, State};
use super::ways::{Engines, Way};

/// Who acts in a network: a board, a line or the common time.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Actor {
    pub(super) kind: Kind,
    pub(super) name: Arc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    Board(usize),
    Line(usize),
    Time,
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A step: who takes it, and what it decides.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Choice {
    pub(super) who: Kind,
    pub(super) what: What,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum What {
    /// A program goes on to its next stop, by one of its ways; what that decides.
    Goes(usize, Option<Arc<str>>),
    /// It falls asleep for so many microseconds.
    Sleeps(u64),
    /// What becomes of a message on its way.
    Fate(usize, Fate),
    /// So many microseconds pass.
    Passes(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Fate {
    Delivered,
    Duplicated,
    Lost,
}

/// What a board does next.
pub(super) enum Ahead {
    /// It waits for time to pass, or has ended.
    Nothing,
    /// A delay of so many microseconds.
    Delay(u64),
    /// A call that the network answers or hears.
    Port(Port, i32),
    /// Anything else.
    Own,
}

impl Network {
    pub(super) fn engines(&self) -> Rc<Engines> {
        // All of its programs began when it was read.
        Engines::of(&self.plan).expect("a network that was read has programs")
    }

    pub(super) fn next(&self, inner: &Inner, board: usize) -> Ahead {
        let standing = &inner.boards[board];
        if standing.state.end().is_some() || standing.sleeps.is_some_and(|left| left > 0) {
            return Ahead::Nothing;
        }
        let Some((id, args)) = standing.state.calls() else {
            return Ahead::Own;
        };
        let node = &self.plan.boards[board];
        if let Some(port) = node.port(id, args) {
            let Some(Value::I32(last)) = args.last() else {
                return Ahead::Port(port, 0);
            };
            return Ahead::Port(port, *last);
        }
        match node.program.board.action(id, args, &[]) {
            Ok(Action::Wait { us }) if self.plan.has_common_time && standing.sleeps.is_none() => {
                Ahead::Delay(us)
            }
            _ => Ahead::Own,
        }
    }

    /// What a reading answers in a state.
    pub(super) fn answer(&self, inner: &Inner, port: Port) -> Option<i32> {
        let line = |line: usize| (&self.plan.lines[line], &inner.lines[line]);
        match port {
            Port::Sends(_) => None,
            Port::Counts(at, end) => Some(line(at).1.ends[end].len() as i32),
            Port::Takes(at, end) => {
                let (line, carried) = line(at);
                Some(match line.queueing() {
                    None => carried.level,
                    Some(queueing) => {
                        let first = carried.ends[end].front();
                        first.copied().unwrap_or(queueing.empty as i32)
                    }
                })
            }
        }
    }

    /// The ways of a board's program.
    pub(super) fn ways(&self, inner: &Inner, board: usize) -> Rc<[Way]> {
        let state = &inner.boards[board].state;
        match self.next(inner, board) {
            Ahead::Nothing | Ahead::Delay(_) => Rc::new([]),
            Ahead::Port(port, _) => self.engines().ways(board, state, self.answer(inner, port)),
            Ahead::Own => self.engines().ways(board, state, None),
        }
    }

    /// What can become of the messages on their way.
    pub(super) fn fates(line: &Line, carried: &Carried) -> Vec<(usize, Fate)> {
        let Some(queueing) = line.queueing() else {
            return Vec::new();
        };
        let mut fates = Vec::new();
        let reach = if queueing.reorders {
            carried.way.len()
        } else {
            1
        };
        for (at, message) in carried.way.iter().enumerate().take(reach) {
            if carried.way.iter().take(at).any(|other| other == message) {
                continue;
            }
            if message.due_us.0 == 0 {
                fates.push((at, Fate::Delivered));
                if queueing.duplicates && !message.is_copy {
                    fates.push((at, Fate::Duplicated));
                }
            }
            if queueing.loses {
                fates.push((at, Fate::Lost));
            }
        }
        fates
    }

    /// Whoever could do something here, whatever else holds the network up.
    pub(super) fn ready(&self, inner: &Inner, choices: &mut Vec<Choice>) {
        for board in 0..inner.boards.len() {
            let who = Kind::Board(board);
            if let Ahead::Delay(us) = self.next(inner, board) {
                choices.push(Choice {
                    who,
                    what: What::Sleeps(us),
                });
            }
            let ways = self.ways(inner, board);
            choices.extend(ways.iter().enumerate().map(|(number, way)| Choice {
                who,
                what: What::Goes(number, way.said.clone()),
            }));
        }
        for (number, (line, carried)) in self.plan.lines.iter().zip(&inner.lines).enumerate() {
            let fates = Network::fates(line, carried).into_iter();
            choices.extend(fates.map(|(at, fate)| Choice {
                who: Kind::Line(number),
                what: What::Fate(at, fate),
            }));
        }
        choices.extend(inner.passes(&self.plan).map(|us| Choice {
            who: Kind::Time,
            what: What::Passes(us),
        }));
    }

    /// A state after a step that its ways have.
    pub(super) fn after(&self, inner: &Inner, choice: &Choice) -> Option<State> {
        let mut after = inner.clone();
        match (choice.who, &choice.what) {
            (Kind::Board(board), What::Sleeps(us)) => after.boards[board].sleeps = Some(*us),
            (Kind::Board(board), What::Goes(number, _)) => {
                let ways = self.ways(inner, board);
                // Where it is not known what follows, the network is not followed further.
                let way = ways.get(*number)?;
                let state = match &way.to {
                    Some(to) => to.clone(),
                    None => DeviceState::not_followed(),
                };
                if let Ahead::Port(port, value) = self.next(inner, board) {
                    let carried = &mut after.lines[port.line()];
                    match port {
                        Port::Sends(line) => carried.send(&self.plan.lines[line], value),
                        Port::Takes(_, end) => {
                            carried.ends[end].pop_front();
                        }
                        Port::Counts(..) => {}
                    }
                }
                after.boards[board] = Standing {
                    state,
                    sleeps: None,
                };
            }
            (Kind::Line(line), What::Fate(at, fate)) => {
                let holds = self.plan.lines[line].queueing()?.holds;
                let carried = &mut after.lines[line];
                let message = carried.way.get(*at).copied()?;
                match fate {
                    Fate::Duplicated => {
                        carried.way[*at] = Message {
                            is_copy: true,
                            ..message
                        };
                        carried.arrive(holds, message.value);
                    }
                    Fate::Delivered => {
                        carried.way.remove(*at);
                        carried.arrive(holds, message.value);
                    }
                    Fate::Lost => {
                        carried.way.remove(*at);
                    }
                }
            }
            (Kind::Time, What::Passes(us)) => after.pass(*us),
            _ => return None,
        }
        Some(State(Arc::new(after)))
    }

    pub(super) fn board_of(&self, name: &str) -> Option<usize> {
        self.plan
            .boards
            .iter()
            .position(|board| &*board.name == name)
    }

    pub(super) fn line_of(&self, name: &str) -> Option<usize> {
        self.plan.lines.iter().position(|line| &*line.name == name)
    }

    /// To whom a step brings a message: a line on which it is on its way, or boards.
    pub(super) fn receivers(&self, state: &State, choice: &Choice) -> Option<String> {
        let line = match (choice.who, &choice.what) {
            (Kind::Board(board), What::Goes(..)) => match self.next(&state.0, board) {
                Ahead::Port(Port::Sends(line), _) => {
                    let way = &self.plan.lines[line];
                    if way.is_way() {
                        return Some(way.name.to_string());
                    }
                    line
                }
                _ => return None,
            },
            (Kind::Line(line), What::Fate(_, Fate::Delivered | Fate::Duplicated)) => line,
            _ => return None,
        };
        let line = &self.plan.lines[line];
        let names = line
            .ends
            .iter()
            .map(|board| &*self.plan.boards[*board].name);
        Some(names.collect::<Vec<_>>().join(" "))
    }
}
