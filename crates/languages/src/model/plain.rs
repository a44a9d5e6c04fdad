//! D_amb for any language: ⟨step|paused, state⟩, in all universes at once. Its breakpoints are predicates and texts,
//! its one step is a step of the language.

use borges_multiverse::debug::{AgentMode, AgentOf, Arrival, Catalogue, Mode, Said, StateOf};

use super::ModelError;
use super::debug::{AgentCard, ChangeRow, Refused, line};
use super::face::{Plan, Voice};
use super::reported::Reported;
use crate::predicate::Condition;

type Parse<L> = fn(&str) -> Result<L, ModelError>;

/// What can be waited for in a language without a catalogue of its own.
pub(crate) struct Plain<L> {
    language: L,
    parse: Parse<L>,
    /// What its text has of other files.
    attached: String,
}

/// The only step: one of the language, by this agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct One;

impl<L> Plain<L> {
    pub(crate) fn new(language: L, parse: Parse<L>, attached: &str) -> Self {
        Self {
            language,
            parse,
            attached: attached.to_owned(),
        }
    }
}

impl<L: Reported<State: 'static>> Catalogue for Plain<L> {
    type Program = L;
    type Breakpoint = (String, Condition);
    type Goal = L::Agent;
    type Step = One;

    const REMEMBERS_STEPS: bool = false;

    fn program(&self) -> &L {
        &self.language
    }

    fn hits(
        &self,
        (_, condition): &Self::Breakpoint,
        arrival: &Arrival<'_, L>,
    ) -> Vec<Option<L::Agent>> {
        match arrival.before {
            Some(_) => condition.hits(&self.language, arrival),
            None => Vec::new(),
        }
    }

    fn advance(&self, goal: L::Agent, arrival: &Arrival<'_, L>) -> Option<L::Agent> {
        arrival.before.is_none().then_some(goal)
    }

    fn step_of(&self, goal: &L::Agent) -> (One, L::Agent) {
        (One, goal.clone())
    }

    fn lets(&self, goal: &L::Agent, agent: &L::Agent) -> bool {
        goal == agent
    }

    fn nearness(&self, (_, condition): &Self::Breakpoint, state: &L::State) -> i64 {
        condition.nearness(&self.language, state)
    }
}

impl<L> Voice for Plain<L>
where
    L: Reported<State: 'static, Resource: Send> + 'static,
{
    const STARTS: Mode = Mode::Pause;

    fn reread(&self, text: &str) -> Result<Self, Refused> {
        let language = (self.parse)(&[text, &self.attached].concat());
        let language = language.map_err(|error| Refused::program(&error, text))?;
        Ok(Self::new(language, self.parse, &self.attached))
    }

    fn breakpoint(&self, text: &str, spec: &str) -> Result<Self::Breakpoint, Refused> {
        let condition = Condition::about(&self.language, text, spec)?;
        Ok((spec.to_owned(), condition))
    }

    fn spec((spec, _): &Self::Breakpoint) -> String {
        spec.clone()
    }

    fn steps() -> &'static [(&'static str, One)] {
        &[("step", One)]
    }

    fn plan(&self, _: &L::State, agent: &L::Agent, _: One) -> Result<Plan<Self>, Refused> {
        Ok(Plan::Goal(agent.clone()))
    }

    fn agents(&self, state: &L::State) -> Vec<(L::Agent, String)> {
        let first = self.first_choices(state).into_iter();
        first
            .map(|(agent, _)| {
                let name = self.language.agent_name(state, &agent);
                (agent, name)
            })
            .collect()
    }

    fn holds(&self) -> bool {
        false
    }

    fn cards(
        &self,
        text: &str,
        state: &L::State,
        _mode: &dyn Fn(&AgentOf<Self>) -> AgentMode,
    ) -> Vec<AgentCard> {
        let first = self.first_choices(state).into_iter();
        first
            .map(|(agent, choice)| {
                let label = self.language.label(state, &choice);
                let name = self.language.agent_name(state, &agent);
                // Who it is stands before it.
                let next = label.text.strip_prefix(&name);
                let next = next.map(|next| next.trim_start_matches([' ', ':']).to_owned());
                AgentCard {
                    mode: AgentMode::Run.name(),
                    next: next.unwrap_or(label.text),
                    line: line(text, label.span),
                    name,
                    ..AgentCard::default()
                }
            })
            .collect()
    }

    fn changes(
        &self,
        before: &StateOf<Self>,
        after: &StateOf<Self>,
        mover: &str,
    ) -> Vec<ChangeRow> {
        let (before, after) = (self.language.show(before), self.language.show(after));
        if before == after {
            return Vec::new();
        }
        vec![ChangeRow {
            agent: mover.to_owned(),
            what: "state".to_owned(),
            before,
            after,
        }]
    }

    fn rules_of(said: Said) -> Vec<&'static str> {
        vec![if said == Said::Resume {
            "RESUME"
        } else {
            "STEP"
        }]
    }
}

impl<L: Reported> Plain<L> {
    /// Who can act in a state, each once, and what they would do first.
    fn first_choices(&self, state: &L::State) -> Vec<(L::Agent, L::Choice)> {
        let mut choices = Vec::new();
        self.language.enabled(state, &mut choices);
        let mut first: Vec<(L::Agent, L::Choice)> = Vec::new();
        for choice in choices {
            let agent = self.language.agent(state, &choice);
            if first.iter().all(|(known, _)| *known != agent) {
                first.push((agent, choice));
            }
        }
        first
    }
}
