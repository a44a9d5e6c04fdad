//! What AmbientTalk says besides its recipe: explorations go toward Voyager's breakpoints.

use borges_multiverse::debug::Arrival;

use super::breakpoint::Breakpoint;
use crate::ambienttalk::{Agent, AmbientTalk, Answer, Options, Resource};
use crate::model::debug::Refused;
use crate::model::{Lead, Remains, Reported};

impl Reported for AmbientTalk {
    fn has_messages(&self) -> bool {
        true
    }

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

    fn remains(&self, answer: &Answer) -> Remains {
        let lines = answer.output.iter().flat_map(|(_, lines)| lines.iter());
        Remains {
            output: lines.cloned().collect(),
            values: answer.values.iter().cloned().collect(),
            waiting: answer.stuck.iter().cloned().collect(),
        }
    }

    fn has_actors(&self) -> bool {
        true
    }

    fn has_symmetry(&self) -> bool {
        true
    }

    fn turned(&self, state: &Self::State) -> Option<Self::State> {
        Some(self.least(state))
    }

    fn agent_name(&self, state: &Self::State, agent: &Self::Agent) -> String {
        match agent {
            Agent::Actor(actor) => self.actor_name(state, *actor),
            other => other.to_string(),
        }
    }

    fn lead(&self, text: &str, spec: &str) -> Result<Lead, Refused> {
        Ok(Lead::to(Breakpoint::parse(self, text, spec)?))
    }

    fn near(&self, lead: &Lead, state: &Self::State) -> i64 {
        let breakpoint = lead.breakpoint::<Breakpoint>();
        breakpoint.map_or(0, |breakpoint| breakpoint.nearness(self, state))
    }

    fn meets(&self, lead: &Lead, arrival: &Arrival<'_, Self>) -> bool {
        let breakpoint = lead.breakpoint::<Breakpoint>();
        breakpoint.is_some_and(|breakpoint| breakpoint.halts(self, arrival))
    }
}
