//! A state of a network: where its programs stand, and what is on the way between them.

use std::collections::VecDeque;
use std::sync::Arc;

use borges_board::Carries;
use borges_concolic::{DeviceState, End};

use super::plan::{Line, Plan};

/// A state of a network. Cloning it is cheap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State(pub(super) Arc<Inner>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Inner {
    pub(super) boards: Vec<Standing>,
    pub(super) lines: Vec<Carried>,
}

/// A board with its program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Standing {
    pub(super) state: DeviceState,
    /// In a delay by the common time: so many microseconds are left of it.
    pub(super) sleeps: Option<u64>,
}

/// What a line has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Carried {
    /// On the way, the oldest first.
    pub(super) way: VecDeque<Message>,
    /// What waits at each of its ends.
    pub(super) ends: Vec<VecDeque<i32>>,
    /// Its level, if it has one.
    pub(super) level: i32,
}

/// A message on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Message {
    pub(super) value: i32,
    /// It arrives in so many microseconds, at least and at most.
    pub(super) due_us: (u64, u64),
    /// It is the second of two.
    pub(super) is_copy: bool,
}

impl Carried {
    pub(super) fn new(line: &Line) -> Self {
        Carried {
            way: VecDeque::new(),
            ends: vec![VecDeque::new(); line.ends.len()],
            level: match line.carries {
                Carries::Level(level) => level as i32,
                Carries::Messages(_) => 0,
            },
        }
    }

    /// How many messages it has in all.
    pub(super) fn count(&self) -> usize {
        self.way.len() + self.ends.iter().map(VecDeque::len).sum::<usize>()
    }

    /// A program sends something.
    pub(super) fn send(&mut self, line: &Line, value: i32) {
        let Some(queueing) = line.queueing() else {
            self.level = value;
            return;
        };
        if !line.is_way() {
            self.arrive(queueing.holds, value);
        } else if self.way.len() < queueing.holds {
            let message = Message {
                value,
                due_us: queueing.delay_us,
                is_copy: false,
            };
            self.way.push_back(message);
        }
    }

    /// A message comes to the ends; where too many wait, it is lost.
    pub(super) fn arrive(&mut self, holds: usize, value: i32) {
        let free = self.ends.iter_mut().filter(|end| end.len() < holds);
        free.for_each(|end| end.push_back(value));
    }
}

impl Inner {
    /// The first board of which the program trapped.
    pub(super) fn trapped(&self) -> Option<(usize, &End)> {
        let mut boards = self.boards.iter().enumerate();
        boards.find_map(|(at, board)| match board.state.end() {
            Some(end @ End::Trapped(..)) => Some((at, end)),
            _ => None,
        })
    }

    /// The first board of which it is not known what it does next.
    pub(super) fn left_out(&self) -> Option<usize> {
        let left_out = |board: &Standing| {
            let is_other =
                |end: &End| !matches!(end, End::Returned | End::Exited(_) | End::Trapped(..));
            !board.state.is_known() || board.state.end().is_some_and(is_other)
        };
        self.boards.iter().position(left_out)
    }

    /// Whether nothing goes on from here: a program trapped, or nobody knows.
    pub(super) fn is_end(&self) -> bool {
        self.trapped().is_some() || self.left_out().is_some()
    }

    /// How much time passes until somebody wakes or something is due, if all boards wait.
    pub(super) fn passes(&self, plan: &Plan) -> Option<u64> {
        if !plan.has_common_time {
            return None;
        }
        let mut next: Option<u64> = None;
        let mut within = |us: u64| next = Some(next.map_or(us, |next| next.min(us)));
        for board in &self.boards {
            match (board.state.end(), board.sleeps) {
                (Some(_), _) => {}
                (None, Some(left)) if left > 0 => within(left),
                _ => return None,
            }
        }
        for message in self.lines.iter().flat_map(|line| &line.way) {
            match message.due_us {
                // It comes before any time passes.
                (_, 0) => return None,
                (0, most) => within(most),
                (least, _) => within(least),
            }
        }
        next
    }

    /// Lets time pass.
    pub(super) fn pass(&mut self, us: u64) {
        for board in &mut self.boards {
            if let Some(left) = &mut board.sleeps {
                *left = left.saturating_sub(us);
            }
        }
        for message in self.lines.iter_mut().flat_map(|line| &mut line.way) {
            let (least, most) = message.due_us;
            message.due_us = (least.saturating_sub(us), most.saturating_sub(us));
        }
    }
}
