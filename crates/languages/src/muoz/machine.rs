//! The reversible machine: forward rules that log, backward rules, and rolling back.
//!
//! Beside the state it keeps the run that led there. Where the paper's machine marks the end of
//! every scope, so that going back finds what to put around it again, an event here holds the
//! thread's code before the step. Code is a shared list, so that costs a pointer, and a step back
//! restores exactly what was, names included. The run is such a list too: a machine is a value that
//! a graph can keep ([`Reversible`]), and all that it has in common with others is there once.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use borges_multiverse::causality::Causality;
use borges_multiverse::language::{Footprint, Label, Language, Next, Outcome, Span, Waiting};

use super::event::Event;
use super::name::{ThreadName, VariableName};
use super::outcome::Answer;
use super::recipe::Resource;
use super::rule::Act;
use super::semantics::{MuOz, Ready, Stuck};
use super::state::{Stage as _, State};
use borges_multiverse::list::List;

/// An event of a [`Machine`]: its number in the run, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub(super) u32);

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
///
/// Machines of one program are equal if their runs are: equal states are not enough, since they
/// do not tell who received what.
#[derive(Clone, Debug)]
pub struct Machine {
    program: Arc<MuOz>,
    state: State,
    run: List<Event>,
}

impl PartialEq for Machine {
    fn eq(&self, other: &Self) -> bool {
        self.run == other.run
    }
}

impl Eq for Machine {}

impl Hash for Machine {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.run.hash(state);
    }
}

impl Machine {
    /// The program at its start.
    #[must_use]
    pub fn new(program: Arc<MuOz>) -> Self {
        Self {
            state: program.initial(),
            program,
            run: List::EMPTY,
        }
    }

    /// The program.
    #[must_use]
    pub const fn program(&self) -> &Arc<MuOz> {
        &self.program
    }

    /// The state, as it is without its past.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// How many steps led here.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.run.len()
    }

    /// The last step; none at the start.
    #[must_use]
    pub fn last(&self) -> Option<&Event> {
        self.run.top()
    }

    /// All events that are not undone, in the order in which they happened.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = (EventId, &Event)> {
        self.events_from(EventId(0))
    }

    /// The events from one on.
    pub(super) fn events_from(
        &self,
        first: EventId,
    ) -> impl DoubleEndedIterator<Item = (EventId, &Event)> {
        let count = self.steps().saturating_sub(first.0);
        let mut events: Vec<_> = self.run.iter().take(count as usize).collect();
        events.reverse();
        (first.0..first.0 + events.len() as u32)
            .map(EventId)
            .zip(events)
    }

    /// An event; none if it is undone.
    #[must_use]
    pub fn event(&self, id: EventId) -> Option<&Event> {
        self.run.get(id.0)
    }

    fn of(&self, wanted: impl Fn(&Event) -> bool) -> Vec<EventId> {
        let wanted = self.events().filter(|(_, event)| wanted(event));
        wanted.map(|(id, _)| id).collect()
    }

    pub(super) fn first(&self, wanted: impl Fn(&Event) -> bool) -> Option<EventId> {
        let found = self.events().find(|(_, event)| wanted(event));
        found.map(|(id, _)| id)
    }

    /// The history of a thread.
    #[must_use]
    pub fn history(&self, thread: &ThreadName) -> Vec<EventId> {
        self.of(|event| event.thread == *thread)
    }

    /// The sends to a port, in the order of its queue: the n-th message sent is the n-th received.
    #[must_use]
    pub fn sends(&self, to: &VariableName) -> Vec<EventId> {
        self.of(|event| matches!(&event.act, Act::Send { port, .. } if port == to))
    }

    /// The receives from a port.
    #[must_use]
    pub fn receives(&self, from: &VariableName) -> Vec<EventId> {
        self.of(|event| matches!(&event.act, Act::Receive { port, .. } if port == from))
    }

    /// The event that bound a variable.
    #[must_use]
    pub fn binding(&self, variable: &VariableName) -> Option<EventId> {
        self.first(|event| event.act.binds() == Some(variable))
    }

    /// The event that created a thread; none for the first.
    #[must_use]
    pub fn creation(&self, thread: &ThreadName) -> Option<EventId> {
        self.first(|event| event.act.creates() == Some(thread))
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
        let act = step.act.clone();
        let span = self.program.next_span(&self.state, thread);
        self.program
            .take(&mut self.state, thread, step)
            .ok_or(NoStep::NoThread)?;

        // Before its creation a thread has no steps to look for.
        let lived = |event: &&Event| event.act.creates() != Some(thread);
        let mut lived = self.run.iter().take_while(lived);
        let last = lived.find(|event| event.thread == *thread);
        let nth = last.map_or(0, |last| last.nth + 1);
        drop(lived);
        let event = Event {
            thread: thread.clone(),
            nth,
            act,
            span: span.unwrap_or(Span { start: 0, end: 0 }),
            before,
        };
        self.run = self.run.push(event);
        Ok(EventId(self.steps() - 1))
    }

    /// Undoes a thread's last step by its backward rule.
    ///
    /// # Errors
    /// [`Refusal`] if there is none, or if others depend on it; nothing changes then.
    pub fn backward(&mut self, thread: &ThreadName) -> Result<Event, Refusal> {
        self.state.thread(thread).ok_or(Refusal::NoThread)?;
        let last = self.history(thread).last().copied();
        let last = last.ok_or(Refusal::Nothing)?;
        let mut first = self.consequences(last);
        first.remove(&last);
        if !first.is_empty() {
            return Err(Refusal::Consequences(first.into_iter().rev().collect()));
        }
        self.roll(last).pop().ok_or(Refusal::Nothing)
    }

    /// Undoes the last step of the run: the effects of the backward rules.
    fn undo_last(&mut self) -> Option<Event> {
        let event = self.run.top()?.clone();
        self.run = self.run.below();
        let thread = self.state.thread_mut(&event.thread)?;
        thread.code = event.before.clone();
        if event.act.binds().is_some() {
            thread.variables = thread.variables.below();
        }
        match &event.act {
            Act::Thread(child) => {
                thread.children -= 1;
                self.state.remove_thread(child);
            }
            Act::Port(port) => self.state.remove_port(port),
            Act::Send { port, .. } => {
                let queue = self.state.port_mut(port)?;
                queue.sent = queue.sent.below();
            }
            Act::Receive { port, .. } => self.state.port_mut(port)?.received -= 1,
            _ => {}
        }
        Some(event)
    }

    /// Undoes an event and exactly its consequences; returns what was undone, the latest first.
    /// Nothing if the event is undone already.
    pub fn roll(&mut self, target: EventId) -> Vec<Event> {
        let doomed = self.consequences(target);
        let (mut undone, mut rest) = (Vec::new(), Vec::new());
        // What stays does not depend on what goes, so it happens again as it did.
        for id in (target.0..self.steps()).rev().map(EventId) {
            match self.undo_last() {
                Some(event) if doomed.contains(&id) => undone.push(event),
                event => rest.extend(event),
            }
        }
        for event in rest.into_iter().rev() {
            let again = self.forward(&event.thread);
            debug_assert!(again.is_ok_and(|id| self.event(id) == Some(&event)));
        }
        undone
    }

    /// An event and all that depend on it, by definition 1.
    #[must_use]
    pub fn consequences(&self, target: EventId) -> BTreeSet<EventId> {
        if target.0 >= self.steps() {
            return BTreeSet::new();
        }
        let later = self.causality(target).consequences(0).into_iter();
        let later = later.map(|after| EventId(target.0 + after as u32));
        later.chain([target]).collect()
    }

    /// What happened before what, from an event on: definition 1 by footprints.
    pub(super) fn causality(&self, first: EventId) -> Causality<MuOz> {
        let mut before = self.clone();
        while before.steps() > first.0 && before.undo_last().is_some() {}
        let events = self.events_from(first);
        let threads: Vec<_> = events.map(|(_, event)| &event.thread).collect();
        // The run is one of this program, so all of it is enabled.
        Causality::of(&*self.program, &before.state, threads).unwrap_or_default()
    }
}

/// μOz with its past: its states are machines, so that a universe knows the run that led to it.
#[derive(Clone, Debug)]
pub struct Reversible(pub Arc<MuOz>);

impl Language for Reversible {
    type State = Machine;
    /// The thread that takes its next step.
    type Choice = ThreadName;
    type Agent = ThreadName;
    type Resource = Resource;
    type Value = Answer;

    fn initial(&self) -> Machine {
        Machine::new(Arc::clone(&self.0))
    }

    fn enabled(&self, machine: &Machine, choices: &mut Vec<ThreadName>) {
        self.0.enabled(&machine.state, choices);
    }

    fn apply(&self, machine: &Machine, choice: &ThreadName) -> Option<Next<Machine>> {
        let mut next = machine.clone();
        next.forward(choice).ok()?;
        Some(Next::one(next))
    }

    fn outcome(&self, machine: &Machine) -> Outcome<Answer> {
        self.0.outcome(&machine.state)
    }

    fn agent(&self, _: &Machine, choice: &ThreadName) -> ThreadName {
        choice.clone()
    }

    fn label(&self, machine: &Machine, choice: &ThreadName) -> Label {
        self.0.label(&machine.state, choice)
    }

    fn footprint(&self, machine: &Machine, choice: &ThreadName) -> Footprint<Resource> {
        self.0.footprint(&machine.state, choice)
    }

    fn waiting(&self, machine: &Machine, waiting: &mut Vec<Waiting<ThreadName, Resource>>) {
        self.0.waiting(&machine.state, waiting);
    }

    fn show(&self, machine: &Machine) -> String {
        self.0.show(&machine.state)
    }
}
