//! What a language says besides its recipe, to be reported on.

use std::collections::BTreeMap;

use borges_multiverse::adapt::{Mode, Runs, StepChoice, Stepper, Stepping};
use borges_multiverse::graph::Score;
use borges_multiverse::language::Language;

use super::debug::Refused;
use super::lead::Lead;
use super::races::{self, RaceRow};
use super::report::Datum;
use crate::amb::{Amb, Answer};
use crate::ambienttalk::{AmbientTalk, Options, Resource};
use crate::muoz::{self, MuOz};
use crate::predicate::Named;

/// A language of which the ends can be reported.
pub(crate) trait Reported:
    Named<State: Send + Sync, Choice: Send + Sync, Value: Send + Sync> + Sync
{
    /// What remains: the printed lines, the final values, who waits.
    fn remains(&self, value: &Self::Value) -> Remains;

    /// An agent as it is called in a state.
    fn agent_name(&self, _state: &Self::State, agent: &Self::Agent) -> String {
        agent.to_string()
    }

    /// A state with which all are taken for one that differ only in the names of agents of one
    /// definition; none where that is not known.
    fn turned(&self, _state: &Self::State) -> Option<Self::State> {
        None
    }

    /// To whom, or where, a step sends a message.
    fn addressee(&self, _state: &Self::State, _choice: &Self::Choice) -> Option<String> {
        None
    }

    /// Reads a breakpoint; `text` is the program's source.
    fn lead(&self, _text: &str, spec: &str) -> Result<Lead, Refused>
    where
        Self: Sized,
    {
        Lead::of_text(self, spec)
    }

    /// The language with exact footprints, of which the options are the same.
    fn exact(&self) -> Self
    where
        Self: Sized;

    /// Whether there are messages at all.
    fn has_messages(&self) -> bool {
        true
    }

    /// For a resource that is a message: the resource that orders its queue, and its number there.
    fn message(&self, resource: &Self::Resource) -> Option<(Self::Resource, u32)>;

    /// The races of a way, given by its options; `text` is the program's source. None if there is no
    /// such way.
    fn races(&self, text: &str, options: &[u32]) -> Option<Vec<RaceRow>>
    where
        Self: Sized,
    {
        Some(races::of(self, options)?.told(text))
    }

    /// How near states are to a breakpoint.
    fn nearness(&self, lead: &Lead) -> Score<Self::State>;

    /// Whether a step comes to a breakpoint.
    fn meets(
        &self,
        lead: &Lead,
        before: &Self::State,
        choice: &Self::Choice,
        after: &Self::State,
    ) -> bool
    where
        Self: Sized,
    {
        lead.meets(self, before, choice, after)
    }

    /// Whether a breakpoint halts before the first step.
    fn begins(&self, lead: &Lead, start: &Self::State) -> bool
    where
        Self: Sized,
    {
        lead.begins(self, start)
    }
}

/// What an end is reported with.
#[derive(Default)]
pub(crate) struct Remains {
    pub(super) output: Vec<String>,
    pub(super) values: BTreeMap<String, Datum>,
    pub(super) waiting: BTreeMap<String, String>,
}

impl Reported for Amb {
    fn exact(&self) -> Self {
        self.clone()
    }

    fn has_messages(&self) -> bool {
        false
    }

    fn message(&self, _: &Self::Resource) -> Option<(Self::Resource, u32)> {
        None
    }

    fn remains(&self, value: &Answer) -> Remains {
        let mut remains = Remains::default();
        match value {
            Answer::Number(number) => {
                let datum = Datum::of_text(&number.to_string());
                remains.values.insert("value".to_owned(), datum);
            }
            Answer::Stuck(term) => {
                let why = "no rule applies to (amb)".to_owned();
                remains.waiting.insert(term.clone(), why);
            }
        }
        remains
    }

    fn nearness(&self, lead: &Lead) -> Score<Self::State> {
        let (language, lead) = (self.clone(), lead.clone());
        Box::new(move |state| lead.near(&language, state))
    }
}

impl Reported for AmbientTalk {
    fn exact(&self) -> Self {
        self.with(Options {
            numbered: true,
            ..self.options()
        })
    }

    fn message(&self, resource: &Self::Resource) -> Option<(Self::Resource, u32)> {
        match *resource {
            Resource::Message(actor, number) => Some((Resource::Inbox(actor), number)),
            _ => None,
        }
    }

    fn remains(&self, answer: &crate::ambienttalk::Answer) -> Remains {
        let lines = answer.output.iter().flat_map(|(_, lines)| lines.iter());
        let values = answer.values.iter().cloned();
        Remains {
            output: lines.cloned().collect(),
            values: values.map(|(name, value)| (name, value.into())).collect(),
            waiting: answer.stuck.iter().cloned().collect(),
        }
    }

    fn turned(&self, state: &Self::State) -> Option<Self::State> {
        Some(self.least(state))
    }

    fn agent_name(&self, state: &Self::State, agent: &Self::Agent) -> String {
        match agent {
            crate::ambienttalk::Agent::Actor(actor) => self.actor_name(state, *actor),
            other => other.to_string(),
        }
    }

    fn nearness(&self, lead: &Lead) -> Score<Self::State> {
        let (language, lead) = (self.clone(), lead.clone());
        Box::new(move |state| lead.actors_near(&language, state))
    }

    fn meets(
        &self,
        lead: &Lead,
        before: &Self::State,
        choice: &Self::Choice,
        after: &Self::State,
    ) -> bool {
        lead.actors_meet(self, before, choice, after)
    }

    fn lead(&self, text: &str, spec: &str) -> Result<Lead, Refused> {
        Lead::of_actors(self, text, spec)
    }

    fn begins(&self, lead: &Lead, start: &Self::State) -> bool {
        lead.actors_begin(self, start)
    }
}

impl Reported for MuOz {
    fn exact(&self) -> Self {
        self.clone()
    }

    fn message(&self, resource: &Self::Resource) -> Option<(Self::Resource, u32)> {
        match resource {
            muoz::Resource::Message(port, number) => {
                Some((muoz::Resource::Entry(port.clone()), *number))
            }
            _ => None,
        }
    }

    fn addressee(&self, state: &Self::State, choice: &Self::Choice) -> Option<String> {
        // As the label shows it: `t1: {send k x}`.
        let label = self.label(state, choice);
        let (_, message) = label.text.split_once("{send ")?;
        message.split_whitespace().next().map(str::to_owned)
    }

    fn nearness(&self, lead: &Lead) -> Score<Self::State> {
        let (language, lead) = (self.clone(), lead.clone());
        Box::new(move |state| lead.near(&language, state))
    }

    fn remains(&self, value: &crate::muoz::Remains) -> Remains {
        let variables = value.variables.iter();
        let variables = variables.map(|(name, value)| (name.clone(), Datum::of_text(value)));
        let queues = value.queues.iter().map(|(name, queue)| {
            let messages = queue.iter().map(|message| Datum::of_text(&message.value));
            (name.clone(), Datum::List(messages.collect()))
        });
        Remains {
            output: Vec::new(),
            values: variables.chain(queues).collect(),
            waiting: value.waiting.iter().cloned().collect(),
        }
    }
}

impl<L: Reported> Reported for &L {
    /// What is lent stays what it is.
    fn exact(&self) -> Self {
        self
    }

    fn has_messages(&self) -> bool {
        (**self).has_messages()
    }

    fn message(&self, resource: &Self::Resource) -> Option<(Self::Resource, u32)> {
        (**self).message(resource)
    }

    fn lead(&self, text: &str, spec: &str) -> Result<Lead, Refused> {
        (**self).lead(text, spec)
    }

    fn begins(&self, lead: &Lead, start: &Self::State) -> bool {
        (**self).begins(lead, start)
    }

    fn nearness(&self, lead: &Lead) -> Score<Self::State> {
        (**self).nearness(lead)
    }

    fn meets(
        &self,
        lead: &Lead,
        before: &Self::State,
        choice: &Self::Choice,
        after: &Self::State,
    ) -> bool {
        (**self).meets(lead, before, choice, after)
    }

    fn remains(&self, value: &Self::Value) -> Remains {
        (**self).remains(value)
    }

    fn agent_name(&self, state: &Self::State, agent: &Self::Agent) -> String {
        (**self).agent_name(state, agent)
    }

    fn addressee(&self, state: &Self::State, choice: &Self::Choice) -> Option<String> {
        (**self).addressee(state, choice)
    }
}

impl<L: Reported> Reported for Runs<L> {
    fn exact(&self) -> Self {
        Self::new(self.inner().exact(), self.limit())
    }

    fn has_messages(&self) -> bool {
        self.inner().has_messages()
    }

    fn message(&self, resource: &Self::Resource) -> Option<(Self::Resource, u32)> {
        self.inner().message(resource)
    }

    fn lead(&self, text: &str, spec: &str) -> Result<Lead, Refused> {
        self.inner().lead(text, spec)
    }

    fn begins(&self, lead: &Lead, start: &Self::State) -> bool {
        self.inner().begins(lead, start)
    }

    fn nearness(&self, lead: &Lead) -> Score<Self::State> {
        self.inner().nearness(lead)
    }

    /// Any of the steps that are folded into one.
    fn meets(
        &self,
        lead: &Lead,
        before: &Self::State,
        choice: &Self::Choice,
        after: &Self::State,
    ) -> bool {
        let inner = self.inner();
        let (mut state, mut choices) = (before.clone(), vec![choice.clone()]);
        while let [choice] = &choices[..] {
            let Some(next) = inner.apply(&state, choice) else {
                return false;
            };
            if inner.meets(lead, &state, choice, &next.state) {
                return true;
            }
            if next.state == *after {
                return false;
            }
            state = next.state;
            choices.clear();
            inner.enabled(&state, &mut choices);
        }
        false
    }

    fn remains(&self, value: &Self::Value) -> Remains {
        self.inner().remains(value)
    }

    fn agent_name(&self, state: &Self::State, agent: &Self::Agent) -> String {
        self.inner().agent_name(state, agent)
    }

    fn addressee(&self, state: &Self::State, choice: &Self::Choice) -> Option<String> {
        self.inner().addressee(state, choice)
    }
}

/// A program under the stepping debugger ends as the program does.
impl<L: Reported> Reported for Stepping<L>
where
    L::State: 'static,
{
    fn exact(&self) -> Self {
        Self(self.0.exact())
    }

    fn has_messages(&self) -> bool {
        self.0.has_messages()
    }

    fn message(&self, resource: &Self::Resource) -> Option<(Self::Resource, u32)> {
        match resource {
            Stepper::Program(resource) => {
                let (queue, number) = self.0.message(resource)?;
                Some((Stepper::Program(queue), number))
            }
            Stepper::Debugger => None,
        }
    }

    fn lead(&self, text: &str, spec: &str) -> Result<Lead, Refused> {
        self.0.lead(text, spec)
    }

    fn begins(&self, lead: &Lead, (_, start): &Self::State) -> bool {
        self.0.begins(lead, start)
    }

    /// Those of the program's own steps: the debugger's pauses put all steps in one order, but not the
    /// program.
    fn races(&self, text: &str, options: &[u32]) -> Option<Vec<RaceRow>> {
        // STEP and RESUME take turns.
        let steps: Vec<_> = options.iter().step_by(2).copied().collect();
        let mut races = self.0.races(text, &steps)?;
        for race in &mut races {
            let named = [&mut race.received, &mut race.message].into_iter();
            for step in named.chain(&mut race.rivals) {
                step.step = 2 * step.step - 1;
            }
        }
        Some(races)
    }

    fn nearness(&self, lead: &Lead) -> Score<Self::State> {
        let near = self.0.nearness(lead);
        Box::new(move |(_, state): &(Mode, L::State)| near(state))
    }

    fn meets(
        &self,
        lead: &Lead,
        (_, before): &Self::State,
        choice: &Self::Choice,
        (_, after): &Self::State,
    ) -> bool {
        match choice {
            StepChoice::Step(choice) => self.0.meets(lead, before, choice, after),
            StepChoice::Resume => false,
        }
    }

    fn remains(&self, value: &Self::Value) -> Remains {
        self.0.remains(value)
    }

    fn agent_name(&self, (_, state): &Self::State, agent: &Self::Agent) -> String {
        match agent {
            Stepper::Program(agent) => self.0.agent_name(state, agent),
            Stepper::Debugger => agent.to_string(),
        }
    }

    fn addressee(&self, (_, state): &Self::State, choice: &Self::Choice) -> Option<String> {
        match choice {
            StepChoice::Step(choice) => self.0.addressee(state, choice),
            StepChoice::Resume => None,
        }
    }
}
