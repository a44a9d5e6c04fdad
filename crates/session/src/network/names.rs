//! What can be said of a network's states: the numbers of its programs, the messages of its lines.

use std::collections::BTreeMap;

use borges_concolic::End;
use borges_languages::model::{Datum, Remains, Reported};
use borges_languages::predicate::{Kind, Named, Standing};

use super::Network;
use super::numbers::number;
use super::state::State;
use super::steps::Choice;
use super::words::Left;

/// The rules by which a network goes on.
const RULES: [&str; 13] = [
    "send",
    "receive",
    "look",
    "read",
    "call",
    "delay",
    "wake",
    "interrupt",
    "deliver",
    "duplicate",
    "lose",
    "time",
    "pass",
];

impl Named for Network {
    fn knows(&self, kind: Kind, name: &str) -> bool {
        match (kind, name.split_once('.')) {
            (Kind::Value, Some((board, global))) => self.board_of(board).is_some_and(|board| {
                let node = &self.plan.boards[board];
                number(&node.info, &node.start.machine, global).is_ok()
            }),
            (Kind::Value, None) => self
                .line_of(name)
                .is_some_and(|line| self.plan.lines[line].queueing().is_none()),
            _ => self.names(kind).iter().any(|known| known == name),
        }
    }

    fn names(&self, kind: Kind) -> Vec<String> {
        let (boards, lines) = (&self.plan.boards, &self.plan.lines);
        let names = boards.iter().map(|board| board.name.to_string());
        let named = lines.iter().map(|line| line.name.to_string());
        match kind {
            Kind::Agent => names.chain(named).collect(),
            Kind::Queue => {
                let queues = lines.iter().filter(|line| line.queueing().is_some());
                queues.map(|line| line.name.to_string()).collect()
            }
            Kind::Value => {
                let globals = boards.iter().flat_map(|board| {
                    let own = board.info.globals().iter();
                    own.map(|global| format!("{}.{}", board.name, global.name))
                });
                let wires = lines.iter().filter(|line| line.queueing().is_none());
                globals
                    .chain(wires.map(|line| line.name.to_string()))
                    .collect()
            }
            Kind::Word => {
                let calls = boards.iter().flat_map(|board| {
                    let own = board.start.primitives.iter();
                    own.filter_map(|id| board.program.board.primitive(*id))
                        .map(|primitive| primitive.name.to_string())
                });
                let rules = RULES.map(str::to_owned).into_iter();
                names.chain(named).chain(calls).chain(rules).collect()
            }
            Kind::Method => Vec::new(),
        }
    }

    fn value(&self, State(inner): &State, name: &str) -> Option<Datum> {
        let value = match name.split_once('.') {
            Some((board, global)) => {
                let board = self.board_of(board)?;
                let state = &inner.boards[board].state;
                self.number(board, state, global)?
            }
            None => inner.lines[self.line_of(name)?].level.into(),
        };
        Some(Datum::Integer(value))
    }

    fn queued(&self, State(inner): &State, name: &str) -> Option<usize> {
        let line = self.line_of(name)?;
        self.plan.lines[line].queueing()?;
        Some(inner.lines[line].count())
    }

    fn standing(&self, State(inner): &State, agent: &str) -> Option<Standing> {
        if let Some(line) = self.line_of(agent) {
            let idle = inner.lines[line].way.is_empty();
            return Some(Standing {
                idle,
                waits: idle,
                stuck: false,
            });
        }
        let board = &inner.boards[self.board_of(agent)?];
        Some(Standing {
            idle: board.state.end().is_some(),
            waits: board.sleeps.is_some_and(|left| left > 0),
            stuck: matches!(board.state.end(), Some(End::Trapped(..))),
        })
    }
}

impl Reported for Network {
    fn remains(&self, left: &Left) -> Remains {
        let values = left.values.iter();
        let trouble = left.trouble.iter();
        Remains {
            output: Vec::new(),
            values: values
                .map(|(name, value)| (name.clone(), Datum::Integer(*value)))
                .collect(),
            waiting: trouble
                .map(|(board, trouble)| (board.to_string(), trouble.clone()))
                .collect::<BTreeMap<_, _>>(),
        }
    }

    fn addressee(&self, state: &State, choice: &Choice) -> Option<String> {
        self.receivers(state, choice)
    }
}
