//! What a language says besides its recipe, to be reported on.

use std::collections::BTreeMap;

use borges_multiverse::adapt::{Mode, Runs, StepChoice, Stepper, Stepping};
use borges_multiverse::graph::Score;
use borges_multiverse::language::Language;

use super::lead::Lead;
use super::report::Datum;
use crate::amb::{Amb, Answer};
use crate::ambienttalk::AmbientTalk;
use crate::muoz::MuOz;

/// A language of which the ends can be reported.
pub(super) trait Reported:
    Language<State: Send + Sync, Choice: Send + Sync, Value: Send + Sync> + Sync
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

    /// How near states are to a breakpoint.
    fn nearness(&self, lead: &Lead) -> Score<Self::State>;

    /// Whether a step comes to a breakpoint.
    fn meets(
        &self,
        lead: &Lead,
        before: &Self::State,
        choice: &Self::Choice,
        after: &Self::State,
    ) -> bool {
        lead.meets(self, before, choice, after)
    }
}

/// What an end is reported with.
#[derive(Default)]
pub(super) struct Remains {
    pub(super) output: Vec<String>,
    pub(super) values: BTreeMap<String, Datum>,
    pub(super) waiting: BTreeMap<String, String>,
}

impl Reported for Amb {
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
}

impl Reported for MuOz {
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
}

/// A program under the stepping debugger ends as the program does.
impl<L: Reported> Reported for Stepping<L>
where
    L::State: 'static,
{
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
}
