//! The reversible machine: forward rules that log, backward rules, and rolling back.
//!
//! Beside the state it keeps each thread's history and each queue's history. Where the paper's
//! machine marks the end of every scope, so that going back finds what to put around it again, an
//! event here holds the thread's code before the step. Code is a shared list, so that costs a
//! pointer, and a step back restores exactly what was, names included.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use borges_multiverse::language::{Language, Span};

use super::event::{Act, Event};
use super::name::{ThreadName, VariableName};
use super::semantics::{MuOz, Ready, Stuck};
use super::state::State;

/// An event of a [`Machine`]. Later events have greater numbers, and none is used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(u64);

/// The history of a queue. The n-th message sent is the n-th received.
#[derive(Clone, Debug, Default)]
struct Traffic {
    sends: Vec<EventId>,
    receives: Vec<EventId>,
}

/// Why a thread took no step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoStep {
    /// There is no such thread.
    NoThread,
    /// It has done all.
    Done,
    /// It waits for a message on this port.
    Waits(VariableName),
    /// No rule applies to it.
    Stuck(Stuck),
}

/// Why a step was not undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such thread.
    NoThread,
    /// The thread has taken no step.
    Nothing,
    /// These steps must be undone first, in this order.
    Consequences(Vec<EventId>),
}

/// A running μOz program that can go back.
#[derive(Clone, Debug)]
pub struct Machine {
    program: Arc<MuOz>,
    state: State,
    events: BTreeMap<EventId, Event>,
    next: u64,
    turns: BTreeMap<ThreadName, Vec<EventId>>,
    traffic: BTreeMap<VariableName, Traffic>,
}

impl Machine {
    /// The program at its start.
    #[must_use]
    pub fn new(program: Arc<MuOz>) -> Self {
        Self {
            state: program.initial(),
            program,
            events: BTreeMap::new(),
            next: 0,
            turns: BTreeMap::new(),
            traffic: BTreeMap::new(),
        }
    }

    /// The program.
    #[must_use]
    pub const fn program(&self) -> &Arc<MuOz> {
        &self.program
    }

    /// The state, as it is without histories.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// All events that are not undone, in the order in which they happened.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = (EventId, &Event)> {
        self.events.iter().map(|(id, event)| (*id, event))
    }

    /// An event; none if it is undone.
    #[must_use]
    pub fn event(&self, id: EventId) -> Option<&Event> {
        self.events.get(&id)
    }

    /// The history of a thread.
    #[must_use]
    pub fn history(&self, thread: &ThreadName) -> &[EventId] {
        self.turns.get(thread).map_or(&[], Vec::as_slice)
    }

    /// The sends to a port, in the order of its queue.
    #[must_use]
    pub fn sends(&self, port: &VariableName) -> &[EventId] {
        self.traffic.get(port).map_or(&[], |traffic| &traffic.sends)
    }

    /// The receives from a port.
    #[must_use]
    pub fn receives(&self, port: &VariableName) -> &[EventId] {
        self.traffic
            .get(port)
            .map_or(&[], |traffic| &traffic.receives)
    }

    /// The event that bound a variable.
    #[must_use]
    pub fn binding(&self, variable: &VariableName) -> Option<EventId> {
        let binds =
            |id: &&EventId| self.event(**id).and_then(|event| event.act.binds()) == Some(variable);
        self.history(&variable.thread).iter().find(binds).copied()
    }

    /// The event that created a thread; none for the first.
    #[must_use]
    pub fn creation(&self, thread: &ThreadName) -> Option<EventId> {
        let parent = thread.parent()?;
        let creates = |id: &&EventId| matches!(self.event(**id), Some(Event { act: Act::Thread(child), .. }) if child == thread);
        self.history(&parent).iter().find(creates).copied()
    }

    /// Takes a thread's next step by its forward rule, and logs it.
    ///
    /// # Errors
    /// [`NoStep`] if it has none; nothing changes then.
    pub fn forward(&mut self, thread: &ThreadName) -> Result<EventId, NoStep> {
        let inside = self.state.thread(thread).ok_or(NoStep::NoThread)?;
        let step = match self.program.ready(&self.state, inside) {
            Ready::Step(step) => step,
            Ready::Done => return Err(NoStep::Done),
            Ready::Waits(port) => return Err(NoStep::Waits(port)),
            Ready::Stuck(stuck) => return Err(NoStep::Stuck(stuck)),
        };
        let before = inside.code.clone();
        let act = Act::of(&self.state, thread, step.rule, &step.change);
        let span = self.program.next_span(&self.state, thread);
        self.program
            .take(&mut self.state, thread, step)
            .ok_or(NoStep::NoThread)?;

        let id = EventId(self.next);
        self.next += 1;
        let turns = self.turns.entry(thread.clone()).or_default();
        let (nth, thread) = (turns.len() as u32, thread.clone());
        turns.push(id);
        match &act {
            Act::Send { port, .. } => self.traffic.entry(port.clone()).or_default().sends.push(id),
            Act::Receive { port, .. } => {
                self.traffic
                    .entry(port.clone())
                    .or_default()
                    .receives
                    .push(id);
            }
            _ => {}
        }
        let span = span.unwrap_or(Span { start: 0, end: 0 });
        self.events.insert(
            id,
            Event {
                thread,
                nth,
                act,
                span,
                before,
            },
        );
        Ok(id)
    }

    /// Undoes a thread's last step by its backward rule.
    ///
    /// # Errors
    /// [`Refusal`] if there is none, or if others depend on it; nothing changes then.
    pub fn backward(&mut self, thread: &ThreadName) -> Result<Event, Refusal> {
        self.state.thread(thread).ok_or(Refusal::NoThread)?;
        let id = self
            .history(thread)
            .last()
            .copied()
            .ok_or(Refusal::Nothing)?;
        if !self.may_undo(id) {
            let mut first: Vec<_> = self.consequences([id]).into_iter().collect();
            first.reverse();
            first.retain(|other| *other != id);
            return Err(Refusal::Consequences(first));
        }
        self.undo(id).ok_or(Refusal::Nothing)
    }

    /// The conditions of the backward rules, beside being the last of its thread.
    fn may_undo(&self, id: EventId) -> bool {
        match self.event(id).map(|event| &event.act) {
            // The child's history is empty.
            Some(Act::Thread(child)) => self.history(child).is_empty(),
            // The newest message in the queue is this one.
            Some(Act::Send { port, number, .. }) => {
                self.sends(port).last() == Some(&id)
                    && self.receives(port).len() <= *number as usize
            }
            // The newest entry of the queue's history was read by this event.
            Some(Act::Receive { port, .. }) => self.receives(port).last() == Some(&id),
            // The queue and its history are empty.
            Some(Act::Port(port)) => self.sends(port).is_empty() && self.receives(port).is_empty(),
            Some(_) => true,
            None => false,
        }
    }

    /// The effects of the backward rules.
    fn undo(&mut self, id: EventId) -> Option<Event> {
        let event = self.events.remove(&id)?;
        self.turns.get_mut(&event.thread)?.pop();
        let thread = self.state.thread_mut(&event.thread)?;
        thread.code = event.before.clone();
        if event.act.binds().is_some() {
            thread.variables = thread.variables.below();
        }
        match &event.act {
            Act::Thread(child) => {
                thread.children -= 1;
                self.state.remove_thread(child);
                self.turns.remove(child);
            }
            Act::Port(port) => {
                self.state.remove_port(port);
                self.traffic.remove(port);
            }
            Act::Send { port, .. } => {
                let queue = self.state.port_mut(port)?;
                queue.sent = queue.sent.below();
                self.traffic.get_mut(port)?.sends.pop();
            }
            Act::Receive { port, .. } => {
                self.state.port_mut(port)?.received -= 1;
                self.traffic.get_mut(port)?.receives.pop();
            }
            _ => {}
        }
        Some(event)
    }

    /// Undoes these events and exactly their consequences, the latest first; returns what was
    /// undone, in that order. Events that are undone already are no matter.
    pub fn roll(&mut self, targets: impl IntoIterator<Item = EventId>) -> Vec<Event> {
        let doomed = self.consequences(targets);
        let mut undone = Vec::new();
        for id in doomed.into_iter().rev() {
            let thread = self.event(id).map(|event| event.thread.clone());
            debug_assert!(
                thread.is_some_and(|thread| self.history(&thread).last() == Some(&id))
                    && self.may_undo(id),
                "consequences come later, so they are gone by now"
            );
            undone.extend(self.undo(id));
        }
        undone
    }

    /// These events and all that depend on them, by definition 1.
    #[must_use]
    pub fn consequences(&self, targets: impl IntoIterator<Item = EventId>) -> BTreeSet<EventId> {
        self.closure(targets, |id| self.direct_consequences(id))
    }

    /// These events and all on which they depend.
    #[must_use]
    pub fn causes(&self, targets: impl IntoIterator<Item = EventId>) -> BTreeSet<EventId> {
        self.closure(targets, |id| self.direct_causes(id))
    }

    pub(super) fn closure(
        &self,
        targets: impl IntoIterator<Item = EventId>,
        next: impl Fn(EventId) -> Vec<EventId>,
    ) -> BTreeSet<EventId> {
        let mut open: Vec<_> = targets.into_iter().collect();
        open.retain(|id| self.events.contains_key(id));
        let mut closed = BTreeSet::new();
        while let Some(id) = open.pop() {
            if closed.insert(id) {
                open.extend(next(id));
            }
        }
        closed
    }

    fn direct_consequences(&self, id: EventId) -> Vec<EventId> {
        let Some(event) = self.event(id) else {
            return Vec::new();
        };
        let mut later = Vec::new();
        later.extend(self.history(&event.thread).get(event.nth as usize + 1));
        match &event.act {
            Act::Thread(child) => later.extend(self.history(child).first()),
            Act::Send { port, number, .. } => {
                later.extend(self.receives(port).get(*number as usize));
                later.extend(self.sends(port).get(*number as usize + 1));
            }
            Act::Receive { port, number, .. } => {
                later.extend(self.receives(port).get(*number as usize + 1));
            }
            _ => {}
        }
        later
    }

    pub(super) fn direct_causes(&self, id: EventId) -> Vec<EventId> {
        let Some(event) = self.event(id) else {
            return Vec::new();
        };
        let mut earlier = self.own_causes(event);
        let before = |number: u32| number.checked_sub(1).map(|number| number as usize);
        match &event.act {
            Act::Send { port, number, .. } => {
                earlier.extend(before(*number).and_then(|nth| self.sends(port).get(nth)));
            }
            Act::Receive { port, number, .. } => {
                earlier.extend(before(*number).and_then(|nth| self.receives(port).get(nth)));
                earlier.extend(self.sends(port).get(*number as usize));
            }
            _ => {}
        }
        earlier
    }

    /// The step of the same thread before, or the thread's creation.
    pub(super) fn own_causes(&self, event: &Event) -> Vec<EventId> {
        match event.nth.checked_sub(1) {
            Some(before) => self
                .history(&event.thread)
                .get(before as usize)
                .copied()
                .into_iter()
                .collect(),
            None => self.creation(&event.thread).into_iter().collect(),
        }
    }
}
