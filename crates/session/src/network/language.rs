//! A network as a language: its boards, its lines and time act, each by itself.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use borges_board::Action;
use borges_concolic::{DeviceState, End};
use borges_multiverse::language::{
    Footprint, Label, Language, Next, Outcome, Span, Touchable, Verdict, Waiting,
};
use borges_vm::Value;

use super::Network;
use super::plan::{Line, Port};
use super::state::{Carried, Inner, Message, Standing, State};
use super::ways::{Engines, Way};
use crate::scene::place_of;
use crate::values::show;

/// Who acts in a network: a board, a line or the common time.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Actor {
    kind: Kind,
    name: Arc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Kind {
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
    who: Kind,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum What {
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
enum Fate {
    Delivered,
    Duplicated,
    Lost,
}

/// What a step touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Part {
    /// Whether the network goes on at all.
    World,
    /// A board's program.
    Board(usize),
    /// Whether it sleeps.
    Sleep(usize),
    /// Where messages come into a line; its level.
    In(usize),
    /// Where they leave it.
    Out(usize),
    /// Where they come to its ends.
    Tail(usize),
    /// Where one of its ends takes them.
    Head(usize, usize),
}

impl Touchable for Part {}

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

/// What a board does next.
enum Ahead {
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
    fn engines(&self) -> Rc<Engines> {
        // All of its programs began when it was read.
        Engines::of(&self.plan).expect("a network that was read has programs")
    }

    fn next(&self, inner: &Inner, board: usize) -> Ahead {
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
    fn answer(&self, inner: &Inner, port: Port) -> Option<i32> {
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
    fn ways(&self, inner: &Inner, board: usize) -> Rc<[Way]> {
        let state = &inner.boards[board].state;
        match self.next(inner, board) {
            Ahead::Nothing | Ahead::Delay(_) => Rc::new([]),
            Ahead::Port(port, _) => self.engines().ways(board, state, self.answer(inner, port)),
            Ahead::Own => self.engines().ways(board, state, None),
        }
    }

    /// What can become of the messages on their way.
    fn fates(line: &Line, carried: &Carried) -> Vec<(usize, Fate)> {
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
    fn ready(&self, inner: &Inner, choices: &mut Vec<Choice>) {
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
    fn after(&self, inner: &Inner, choice: &Choice) -> Option<State> {
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

    /// The call before which a program stands, and where that is.
    fn place(&self, inner: &Inner, board: usize) -> Option<Rc<(String, String)>> {
        let node = &self.plan.boards[board];
        let state = &inner.boards[board].state;
        self.engines().place((board, node), state)
    }

    /// Why a network ended, if a program trapped or is not followed; and the numbers of its programs.
    fn left(&self, inner: &Inner) -> Left {
        let name = |board: usize| self.plan.boards[board].name.clone();
        let trouble = match (inner.trapped(), inner.left_out()) {
            (Some((board, End::Trapped(trap, at))), _) => {
                let info = &self.plan.boards[board].info;
                let at = at.map_or_else(String::new, |at| format!(" at {}", place_of(info, at)));
                Some((name(board), format!("{trap}{at}")))
            }
            (_, Some(board)) => {
                let why = match inner.boards[board].state.end() {
                    Some(End::Cut(_)) => format!(
                        "not followed further: it keeps too many values of an input, or runs for {} instructions between two calls",
                        super::ways::STEPS
                    ),
                    _ => "not followed further: it keeps an input with more than 16 values"
                        .to_owned(),
                };
                Some((name(board), why))
            }
            _ => None,
        };
        let mut values = BTreeMap::new();
        for (board, node) in self.plan.boards.iter().enumerate() {
            for global in &node.numbers {
                let state = &inner.boards[board].state;
                if let Some(value) = self.engines().value((board, node), state, global) {
                    values.insert(format!("{}.{global}", node.name), value);
                }
            }
        }
        Left { trouble, values }
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

    /// To which boards a step brings something.
    pub(super) fn receivers(&self, state: &State, choice: &Choice) -> Option<String> {
        let line = match (choice.who, &choice.what) {
            (Kind::Board(board), What::Goes(..)) => match self.next(&state.0, board) {
                Ahead::Port(Port::Sends(line), _) => line,
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

    /// What a board's step is, in words.
    fn said(
        &self,
        inner: &Inner,
        board: usize,
        decided: Option<&Arc<str>>,
    ) -> (&'static str, String) {
        let place = self.place(inner, board).unwrap_or_default();
        let (call, at) = &*place;
        let at = if at.is_empty() {
            String::new()
        } else {
            format!(", {at}")
        };
        let line = |line: usize| &self.plan.lines[line].name;
        match self.next(inner, board) {
            Ahead::Port(Port::Sends(to), _) => ("send", format!("{call} to {}{at}", line(to))),
            Ahead::Port(port, _) => {
                let answer = self.answer(inner, port).unwrap_or_default();
                let is_empty = matches!(port, Port::Takes(on, end)
                    if self.plan.lines[on].queueing().is_some() && inner.lines[on].ends[end].is_empty());
                let rule = if is_empty { "look" } else { "receive" };
                (
                    rule,
                    format!("{call} = {answer} from {}{at}", line(port.line())),
                )
            }
            Ahead::Own if inner.boards[board].sleeps.is_some() => {
                ("wake", format!("{call} is over{at}"))
            }
            _ => match (decided, inner.boards[board].state.calls()) {
                (Some(event), None) => ("interrupt", event.to_string()),
                (None, None) => ("go on", "nothing arrives".to_owned()),
                (Some(values), Some(_)) => ("read", format!("{call} = {values}{at}")),
                (None, Some(_)) => ("call", format!("{call}{at}")),
            },
        }
    }

    fn span_of(&self, who: Kind) -> Option<Span> {
        match who {
            Kind::Board(board) => Some(self.plan.boards[board].span),
            Kind::Line(line) => Some(self.plan.lines[line].span),
            Kind::Time => None,
        }
    }
}

impl Language for Network {
    type State = State;
    type Choice = Choice;
    type Agent = Actor;
    type Resource = Part;
    type Value = Left;

    fn initial(&self) -> State {
        let engines = self.engines();
        let board = |at: usize| Standing {
            state: engines.initial(at),
            sleeps: None,
        };
        State(Arc::new(Inner {
            boards: (0..self.plan.boards.len()).map(board).collect(),
            lines: self.plan.lines.iter().map(Carried::new).collect(),
        }))
    }

    fn enabled(&self, State(inner): &State, choices: &mut Vec<Choice>) {
        if !inner.is_end() {
            self.ready(inner, choices);
        }
    }

    fn apply(&self, state: &State, choice: &Choice) -> Option<Next<State>> {
        let mut choices = Vec::new();
        self.enabled(state, &mut choices);
        if !choices.contains(choice) {
            return None;
        }
        self.after(&state.0, choice).map(Next::one)
    }

    /// Where a program trapped, the others would go on, had it been slower.
    fn waiting(&self, state: &State, waiting: &mut Vec<Waiting<Actor, Part>>) {
        if state.0.is_end() {
            let mut choices = Vec::new();
            self.ready(&state.0, &mut choices);
            waiting.extend(choices.iter().map(|choice| Waiting {
                agent: self.agent(state, choice),
                footprint: self.footprint(state, choice),
                label: self.label(state, choice),
            }));
        }
    }
    fn expand(&self, state: &State, steps: &mut Vec<(Choice, Next<State>)>) {
        let mut choices = Vec::new();
        self.enabled(state, &mut choices);
        steps.extend(choices.into_iter().filter_map(|choice| {
            let after = self.after(&state.0, &choice)?;
            Some((choice, Next::one(after)))
        }));
    }

    fn outcome(&self, State(inner): &State) -> Outcome<Left> {
        let ended = inner.boards.iter().all(|board| board.state.end().is_some());
        let verdict = match (inner.trapped(), inner.left_out()) {
            (Some(_), _) => Verdict::Failed,
            (None, Some(_)) => Verdict::Stuck,
            (None, None) if ended => Verdict::Finished,
            (None, None) => Verdict::Deadlock,
        };
        let value = self.left(inner);
        Outcome { verdict, value }
    }

    fn agent(&self, _: &State, choice: &Choice) -> Actor {
        let name = match choice.who {
            Kind::Board(board) => self.plan.boards[board].name.clone(),
            Kind::Line(line) => self.plan.lines[line].name.clone(),
            Kind::Time => "time".into(),
        };
        Actor {
            kind: choice.who,
            name,
        }
    }

    fn label(&self, State(inner): &State, choice: &Choice) -> Label {
        let (rule, text) = match (choice.who, &choice.what) {
            (Kind::Board(board), What::Goes(_, decided)) => {
                self.said(inner, board, decided.as_ref())
            }
            (Kind::Line(line), What::Fate(at, fate)) => {
                let message = inner.lines[line].way.get(*at);
                let value =
                    message.map_or_else(String::new, |message| show(Value::I32(message.value)));
                match fate {
                    Fate::Delivered => ("deliver", format!("{value} arrives")),
                    Fate::Duplicated => (
                        "duplicate",
                        format!("{value} arrives, and will arrive again"),
                    ),
                    Fate::Lost => ("lose", format!("{value} is lost")),
                }
            }
            (_, What::Sleeps(us)) => ("delay", format!("waits for {}", milliseconds(*us))),
            (_, What::Passes(us)) => ("time", format!("{} pass", milliseconds(*us))),
            _ => ("", String::new()),
        };
        Label {
            rule,
            text,
            span: self.span_of(choice.who),
        }
    }

    fn footprint(&self, State(inner): &State, choice: &Choice) -> Footprint<Part> {
        let mut touched = Footprint::default();
        touched.reads.push(Part::World);
        match (choice.who, &choice.what) {
            (Kind::Board(board), what) => {
                touched.writes.push(Part::Board(board));
                // Where a program traps, the others do nothing any more.
                if self
                    .after(inner, choice)
                    .is_some_and(|State(after)| after.is_end())
                {
                    touched.writes.push(Part::World);
                }
                if self.plan.has_common_time {
                    // Time passes only while all sleep or have ended.
                    touched.writes.push(Part::Sleep(board));
                }
                if matches!(what, What::Goes(..))
                    && let Ahead::Port(port, _) = self.next(inner, board)
                {
                    self.port_touches(inner, port, &mut touched);
                }
            }
            (Kind::Line(line), _) => {
                touched.writes.push(Part::Out(line));
                if self.plan.lines[line]
                    .queueing()
                    .is_some_and(|line| line.reorders)
                {
                    touched.reads.push(Part::In(line));
                }
                self.arrival_touches(inner, line, &mut touched);
            }
            (Kind::Time, _) => {
                touched
                    .writes
                    .extend((0..inner.boards.len()).map(Part::Sleep));
                let lines = 0..inner.lines.len();
                touched
                    .writes
                    .extend(lines.flat_map(|line| [Part::In(line), Part::Out(line)]));
            }
        }
        touched
    }

    fn show(&self, State(inner): &State) -> String {
        let mut parts = Vec::new();
        for (board, node) in self.plan.boards.iter().enumerate() {
            let standing = &inner.boards[board];
            let where_ = match (standing.state.end(), self.place(inner, board)) {
                (Some(End::Returned), _) => "returned".to_owned(),
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
            parts.push(format!("{} {where_}{sleeps}", node.name));
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

impl Network {
    /// What a call that the network answers or hears touches besides its program.
    fn port_touches(&self, inner: &Inner, port: Port, touched: &mut Footprint<Part>) {
        let line = port.line();
        let carried = &inner.lines[line];
        match (port, self.plan.lines[line].queueing()) {
            (Port::Sends(_), None) => touched.writes.push(Part::Tail(line)),
            (Port::Sends(_), Some(queueing)) if self.plan.lines[line].is_way() => {
                touched.writes.push(Part::In(line));
                if carried.way.len() >= queueing.holds || carried.way.is_empty() {
                    touched.reads.push(Part::Out(line));
                }
            }
            (Port::Sends(_), Some(_)) => self.arrival_touches(inner, line, touched),
            (_, None) => touched.reads.push(Part::Tail(line)),
            (Port::Counts(_, end), Some(_)) => {
                touched
                    .reads
                    .extend([Part::Tail(line), Part::Head(line, end)]);
            }
            (Port::Takes(_, end), Some(_)) => {
                touched.writes.push(Part::Head(line, end));
                if carried.ends[end].is_empty() {
                    touched.reads.push(Part::Tail(line));
                }
            }
        }
    }

    /// What a message touches that comes to the ends of a line.
    fn arrival_touches(&self, inner: &Inner, line: usize, touched: &mut Footprint<Part>) {
        touched.writes.push(Part::Tail(line));
        let holds = self.plan.lines[line]
            .queueing()
            .map_or(0, |line| line.holds);
        for (end, waits) in inner.lines[line].ends.iter().enumerate() {
            // Whether there is room depends on what was taken; an end of which nobody has anything to take, on what comes.
            if waits.len() >= holds || waits.is_empty() {
                touched.reads.push(Part::Head(line, end));
            }
        }
    }
}

fn milliseconds(us: u64) -> String {
    match us % 1000 {
        0 => format!("{} ms", us / 1000),
        _ => format!("{us} µs"),
    }
}
