//! Networks in words: steps, states and what is left at an end.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use borges_concolic::{Cut, End};

use super::Network;
use super::plan::Port;
use super::state::Inner;
use super::steps::{Ahead, Choice, Fate, Kind, What};
use super::ways::STEPS;
use crate::scene::place_of;

/// What remains of a network: how it ended, and the numbers of its programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Left {
    /// The board that trapped or is not followed, and what is to be said of that.
    pub(super) trouble: Option<(Arc<str>, String)>,
    pub(super) values: BTreeMap<String, i64>,
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((board, trouble)) = &self.trouble {
            write!(f, "{board}: {trouble}; ")?;
        }
        let values = self.values.iter();
        let values: Vec<String> = values
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        f.write_str(&values.join(", "))
    }
}

impl Network {
    /// The call before which a program stands, and where that is.
    fn place(&self, inner: &Inner, board: usize) -> Option<Rc<(String, String)>> {
        let node = &self.plan.boards[board];
        let state = &inner.boards[board].state;
        self.engines().place((board, node), state)
    }

    /// Why a network ended, if a program trapped or is not followed; and the numbers of its programs.
    pub(super) fn left(&self, inner: &Inner) -> Left {
        let name = |board: usize| self.plan.boards[board].name.clone();
        let trouble = match (inner.trapped(), inner.left_out()) {
            (Some((board, End::Trapped(trap, at))), _) => {
                let info = &self.plan.boards[board].info;
                let at = at.map_or_else(String::new, |at| format!(" at {}", place_of(info, at)));
                Some((name(board), format!("{trap}{at}")))
            }
            (_, Some(board)) => {
                let why = match inner.boards[board].state.end() {
                    Some(End::Cut(Cut::Steps)) => {
                        format!("it runs for {STEPS} instructions without a call")
                    }
                    Some(End::Cut(Cut::NoValue)) => {
                        "its board file does not let its input answer with what comes".to_owned()
                    }
                    Some(End::Cut(Cut::Vectors)) => {
                        "it comes to a function with vectors (SIMD)".to_owned()
                    }
                    Some(End::Cut(Cut::Exceptions)) => "it throws an exception".to_owned(),
                    Some(End::Cut(Cut::Memories)) => {
                        "it uses another memory than the first".to_owned()
                    }
                    Some(End::Cut(Cut::Fills)) => {
                        "its next input puts bytes into memory".to_owned()
                    }
                    _ => "it keeps an input that has too many values to follow each".to_owned(),
                };
                let why = format!("not followed further: {why}");
                Some((name(board), why))
            }
            _ => None,
        };
        let mut values = BTreeMap::new();
        for (board, node) in self.plan.boards.iter().enumerate() {
            let numbers = self.numbers(inner, board);
            values.extend(numbers.map(|(name, value)| (format!("{}.{name}", node.name), value)));
        }
        Left { trouble, values }
    }

    /// The numbers of a program.
    fn numbers<'n>(
        &'n self,
        inner: &'n Inner,
        board: usize,
    ) -> impl Iterator<Item = (&'n str, i64)> + 'n {
        let node = &self.plan.boards[board];
        let state = &inner.boards[board].state;
        let value = move |name: &String| self.engines().value((board, node), state, name);
        let numbers = node.numbers.iter();
        numbers.filter_map(move |name| Some((name.as_str(), value(name)?)))
    }

    /// A step: its rule, and a sentence.
    pub(super) fn told(&self, inner: &Inner, choice: &Choice) -> (&'static str, String) {
        match (choice.who, &choice.what) {
            (Kind::Board(board), What::Goes(_, decided)) => {
                self.goes(inner, board, decided.as_ref())
            }
            (Kind::Board(board), What::Sleeps(us)) => {
                let name = &self.plan.boards[board].name;
                (
                    "delay",
                    format!(
                        "{name} waits for {}{}",
                        milliseconds(*us),
                        self.at(inner, board)
                    ),
                )
            }
            (Kind::Line(line), What::Fate(at, fate)) => {
                let value = inner.lines[line]
                    .way
                    .get(*at)
                    .map_or(0, |message| message.value);
                let name = &self.plan.lines[line].name;
                match fate {
                    Fate::Delivered => ("deliver", format!("{name} delivers {value}")),
                    Fate::Duplicated => (
                        "duplicate",
                        format!("{name} delivers {value}, and will again"),
                    ),
                    Fate::Lost => ("lose", format!("{name} loses {value}")),
                }
            }
            (_, What::Passes(us)) => ("time", format!("time: {} pass", milliseconds(*us))),
            _ => ("", String::new()),
        }
    }

    /// Where a program stands, to be said after something.
    fn at(&self, inner: &Inner, board: usize) -> String {
        match self.place(inner, board) {
            Some(place) if !place.1.is_empty() => format!(", {}", place.1),
            _ => String::new(),
        }
    }

    /// A step of a board's program.
    fn goes(
        &self,
        inner: &Inner,
        board: usize,
        decided: Option<&Arc<str>>,
    ) -> (&'static str, String) {
        let name = &self.plan.boards[board].name;
        let line = |line: usize| &self.plan.lines[line].name;
        let call = || {
            self.place(inner, board)
                .map_or_else(String::new, |place| place.0.clone())
        };
        let (rule, said) = match self.next(inner, board) {
            Ahead::Port(Port::Sends(to), value) => {
                ("send", format!("sends {value} over {}", line(to)))
            }
            Ahead::Port(port, _) => {
                let answer = self.answer(inner, port).unwrap_or_default();
                let from = line(port.line());
                match (port, self.plan.lines[port.line()].queueing()) {
                    (Port::Counts(..), _) => ("look", format!("sees {answer} waiting from {from}")),
                    (Port::Takes(on, end), Some(_)) if inner.lines[on].ends[end].is_empty() => {
                        ("look", format!("finds nothing from {from}"))
                    }
                    (_, Some(_)) => ("receive", format!("receives {answer} from {from}")),
                    (_, None) => ("look", format!("reads {answer} from {from}")),
                }
            }
            Ahead::Own if inner.boards[board].sleeps.is_some() => {
                ("wake", format!("goes on after {}", call()))
            }
            _ => match (decided, inner.boards[board].state.calls()) {
                (Some(event), None) => ("interrupt", format!("is interrupted: {event}")),
                (None, None) => ("go on", "goes on without an interrupt".to_owned()),
                (Some(values), Some(_)) => ("read", format!("reads {} = {values}", call())),
                (None, Some(_)) => ("call", format!("calls {}", call())),
            },
        };
        (rule, format!("{name} {said}{}", self.at(inner, board)))
    }

    /// A state in words.
    pub(super) fn shown(&self, inner: &Inner) -> String {
        let mut parts = Vec::new();
        for (board, node) in self.plan.boards.iter().enumerate() {
            let standing = &inner.boards[board];
            let where_ = match (standing.state.end(), self.place(inner, board)) {
                (Some(End::Returned), _) => "returned".to_owned(),
                (Some(End::Exited(code)), _) => format!("ended with exit code {code}"),
                (Some(End::Trapped(trap, _)), _) => trap.to_string(),
                (Some(_), _) => "is not followed further".to_owned(),
                (None, Some(place)) => format!("before {}, {}", place.0, place.1)
                    .trim_end_matches([' ', ','])
                    .to_owned(),
                (None, None) => "where interrupts may arrive".to_owned(),
            };
            let sleeps = match standing.sleeps {
                Some(us) if us > 0 => format!(", {} left", milliseconds(us)),
                _ => String::new(),
            };
            let numbers = self.numbers(inner, board);
            let numbers = numbers.map(|(name, value)| format!(", {name} = {value}"));
            let numbers: String = numbers.collect();
            parts.push(format!("{} {where_}{sleeps}{numbers}", node.name));
        }
        for (line, carried) in self.plan.lines.iter().zip(&inner.lines) {
            if line.queueing().is_none() {
                parts.push(format!("{} = {}", line.name, carried.level));
            }
            let list = |values: &mut dyn Iterator<Item = i32>| {
                let values: Vec<String> = values.map(|value| value.to_string()).collect();
                values.join(" ")
            };
            if !carried.way.is_empty() {
                let way = list(&mut carried.way.iter().map(|message| message.value));
                parts.push(format!("{way} on {}", line.name));
            }
            for (waits, board) in carried.ends.iter().zip(&line.ends) {
                if !waits.is_empty() {
                    let waits = list(&mut waits.iter().copied());
                    let board = &self.plan.boards[*board].name;
                    parts.push(format!("{waits} came by {} to {board}", line.name));
                }
            }
        }
        parts.join("; ")
    }
}

fn milliseconds(us: u64) -> String {
    match us % 1000 {
        0 => format!("{} ms", us / 1000),
        _ => format!("{us} µs"),
    }
}
