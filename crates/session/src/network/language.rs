//! A network as a language: its boards, its lines and time act, each by itself.

use std::sync::Arc;

use borges_multiverse::language::{
    Footprint, Label, Language, Next, Outcome, Span, Touchable, Verdict, Waiting,
};
use borges_multiverse::priority::foremost;

use super::Network;
use super::plan::Port;
use super::state::{Carried, Inner, Standing, State};
use super::steps::{Actor, Ahead, Choice, Kind, What};
use super::words::Left;

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

impl Network {
    /// The priority of whoever acts; none of who makes room for nobody, and holds nobody up.
    fn priority(&self, who: Kind) -> Option<u8> {
        match who {
            Kind::Board(board) => self.plan.boards[board].priority,
            Kind::Line(_) | Kind::Time => None,
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
            foremost(choices, |choice| self.priority(choice.who));
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

    fn is_followed(&self, State(inner): &State) -> bool {
        inner.trapped().is_some() || inner.left_out().is_none()
    }

    fn outcome(&self, State(inner): &State) -> Outcome<Left> {
        let ended = inner.boards.iter().all(|board| board.state.end().is_some());
        // Where a program trapped or is not followed, nobody knows whether the others would wait for ever.
        let verdict = match (inner.trapped(), inner.left_out()) {
            (Some(_), _) => Verdict::Failed,
            (None, Some(_)) => Verdict::Stuck,
            (None, None) if ended => Verdict::Finished,
            (None, None) => Verdict::Deadlock,
        };
        Outcome {
            verdicts: verdict.into(),
            value: self.left(inner),
        }
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
        let (rule, text) = self.told(inner, choice);
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
                    // It acts only while those that go before it cannot.
                    let before = self.plan.before(board);
                    touched.reads.extend(before.map(Part::Sleep));
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
        self.shown(inner)
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
