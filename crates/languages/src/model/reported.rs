//! What a language says besides its recipe, to be reported on.

use std::collections::BTreeMap;

use borges_multiverse::adapt::{Mode, Preempting, Runs, StepChoice, Stepper, Stepping};
use borges_multiverse::causality;
use borges_multiverse::debug::Arrival;
use borges_multiverse::language::Language;

use super::error::Refused;
use super::lead::Lead;
use super::races::{self, Pairs, Races};
use super::step::Step;
use crate::datum::Datum;
use crate::predicate::{Condition, Named};

/// What a language says of itself to be explored, debugged and reported on, besides its recipe ([`Language`]) and its names
/// ([`Named`]). For a language without messages, what remains of a program is all that is to be said.
pub trait Reported:
    Named<State: Send + Sync, Choice: Send + Sync, Agent: Send + Sync, Value: Send + Sync>
    + Clone
    + Send
    + Sync
{
    /// What remains: the printed lines, the final values, who waits.
    fn remains(&self, value: &Self::Value) -> Remains;

    /// An agent as it is called in a state.
    fn agent_name(&self, _state: &Self::State, agent: &Self::Agent) -> String {
        agent.to_string()
    }

    /// Whether its agents are actors: what is known of each, its messages above all, is all of a state.
    fn has_actors(&self) -> bool {
        false
    }

    /// Whether agents can be alike but for their names: then states can be `turned`.
    fn has_symmetry(&self) -> bool {
        false
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
    ///
    /// # Errors
    /// [`Refused`] says what is known instead.
    fn lead(&self, _text: &str, spec: &str) -> Result<Lead, Refused> {
        Ok(Lead::to(Condition::parse(self, spec)?))
    }

    /// The language with exact footprints, of which the options are the same.
    #[must_use]
    fn exact(&self) -> Self {
        self.clone()
    }

    /// Whether there are messages at all.
    fn has_messages(&self) -> bool {
        false
    }

    /// For a resource that is a message: the resource that orders its queue, and its number there.
    fn message(&self, _resource: &Self::Resource) -> Option<(Self::Resource, u32)> {
        None
    }

    /// What races on a way, given by its options, and where it ends; `text` is the program's source. None if there is no
    /// such way.
    fn races(&self, text: &str, options: &[u32]) -> Option<Races> {
        let (walk, mut pairs) = (races::walked(self, options)?, Pairs::default());
        let name = |state: &_, agent: &_| self.agent_name(state, agent);
        pairs.add(self.racing(walk.state()), |nth| {
            Step::at(&walk, text, name, nth as usize)
        });
        let steps = pairs.found;
        let exact = self.exact();
        let name = |state: &_, agent: &_| exact.agent_name(state, agent);
        let message = |resource: &_| exact.message(resource);
        let messages = || races::of_messages((&exact, text), name, message, options);
        let messages = self.has_messages().then(messages).flatten();
        Some(Races { steps, messages })
    }

    /// The options of a state that race, as [`causality::racing`] finds them.
    fn racing(&self, state: &Self::State) -> Vec<[u32; 2]> {
        causality::racing(self, state)
    }

    /// How near a state is to a breakpoint: more is nearer.
    fn near(&self, lead: &Lead, state: &Self::State) -> i64 {
        let condition = lead.breakpoint::<Condition>();
        condition.map_or(0, |condition| condition.nearness(self, state))
    }

    /// Whether a step, or the start, comes to a breakpoint.
    fn meets(&self, lead: &Lead, arrival: &Arrival<'_, Self>) -> bool {
        let condition = lead.breakpoint::<Condition>();
        condition.is_some_and(|condition| condition.halts(self, arrival))
    }
}

/// What an end is reported with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remains {
    /// The lines that were printed.
    pub output: Vec<String>,
    /// The final values, by name.
    pub values: BTreeMap<String, Datum>,
    /// Who waits, and for what.
    pub waiting: BTreeMap<String, String>,
}

/// Languages that hand all questions on, about the program's part of their states.
macro_rules! handed_on {
    ($self:ident => $inner:expr, $state:ident => $theirs:expr) => {
        fn has_messages(&$self) -> bool {
            $inner.has_messages()
        }

        fn lead(&$self, text: &str, spec: &str) -> Result<Lead, Refused> {
            $inner.lead(text, spec)
        }

        fn near(&$self, lead: &Lead, $state: &Self::State) -> i64 {
            $inner.near(lead, $theirs)
        }

        fn remains(&$self, value: &Self::Value) -> Remains {
            $inner.remains(value)
        }
    };
}

/// Languages of which the resources are the program's too.
macro_rules! messages_handed_on {
    ($self:ident => $inner:expr) => {
        fn message(&$self, resource: &Self::Resource) -> Option<(Self::Resource, u32)> {
            $inner.message(resource)
        }
    };
}

/// Languages of which the agents and steps are the program's too.
macro_rules! steps_handed_on {
    ($self:ident => $inner:expr, $state:ident => $theirs:expr) => {
        fn agent_name(&$self, $state: &Self::State, agent: &Self::Agent) -> String {
            $inner.agent_name($theirs, agent)
        }

        fn addressee(&$self, $state: &Self::State, choice: &Self::Choice) -> Option<String> {
            $inner.addressee($theirs, choice)
        }
    };
}

/// Languages that take one step of the program at a time.
macro_rules! meets_handed_on {
    ($self:ident => $inner:expr, $state:ident => $theirs:expr) => {
        fn meets(&$self, lead: &Lead, arrival: &Arrival<'_, Self>) -> bool {
            let before = arrival.before.map(|($state, choice)| ($theirs, choice));
            let $state = arrival.after;
            let after = $theirs;
            $inner.meets(lead, &Arrival { before, after })
        }
    };
}

pub(super) use {handed_on, meets_handed_on, messages_handed_on, steps_handed_on};

impl<L: Reported> Reported for &L {
    handed_on!(self => (**self), state => state);
    messages_handed_on!(self => (**self));
    steps_handed_on!(self => (**self), state => state);
    meets_handed_on!(self => (**self), state => state);

    /// What is lent stays what it is.
    fn exact(&self) -> Self {
        self
    }

    fn turned(&self, state: &Self::State) -> Option<Self::State> {
        (**self).turned(state)
    }

    fn racing(&self, state: &Self::State) -> Vec<[u32; 2]> {
        (**self).racing(state)
    }
}

impl<L: Reported> Reported for Runs<L> {
    handed_on!(self => self.inner(), state => state);
    messages_handed_on!(self => self.inner());
    steps_handed_on!(self => self.inner(), state => state);

    fn exact(&self) -> Self {
        Self::new(self.inner().exact(), self.limit())
    }

    fn turned(&self, state: &Self::State) -> Option<Self::State> {
        self.inner().turned(state)
    }

    /// Where a run goes on depends on who else can act: it is the steps with which runs begin that race.
    fn racing(&self, state: &Self::State) -> Vec<[u32; 2]> {
        self.inner().racing(state)
    }

    /// Any of the steps that are folded into one.
    fn meets(&self, lead: &Lead, arrival: &Arrival<'_, Self>) -> bool {
        let (inner, after) = (self.inner(), arrival.after);
        let Some((before, choice)) = arrival.before else {
            let before = None;
            return inner.meets(lead, &Arrival { before, after });
        };
        let (mut state, mut choices) = (before.clone(), vec![choice.clone()]);
        while let [choice] = &choices[..] {
            let Some(next) = inner.apply(&state, choice) else {
                return false;
            };
            let (before, after_one) = (Some((&state, choice)), &next.state);
            let arrival = Arrival {
                before,
                after: after_one,
            };
            if inner.meets(lead, &arrival) {
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
}

/// The steps that race in a state of a program of which some runs are left out: the program's, where all that it can do
/// is allowed; else none, since what comes after a step depends on what is left out.
pub(super) fn racing_freely<L: Reported, P: Language>(
    program: &L,
    state: &L::State,
    (part, from): (&P, &P::State),
) -> Vec<[u32; 2]> {
    let (mut all, mut allowed) = (Vec::new(), Vec::new());
    program.enabled(state, &mut all);
    part.enabled(from, &mut allowed);
    match all.len() == allowed.len() {
        true => program.racing(state),
        false => Vec::new(),
    }
}

/// A program whose agents are seldom interrupted ends as the program does.
impl<L: Reported> Reported for Preempting<L> {
    handed_on!(self => self.program, from => &from.state);

    fn racing(&self, from: &Self::State) -> Vec<[u32; 2]> {
        racing_freely(&self.program, &from.state, (self, from))
    }

    steps_handed_on!(self => self.program, from => &from.state);
    meets_handed_on!(self => self.program, from => &from.state);

    fn exact(&self) -> Self {
        Self {
            program: self.program.exact(),
            most: self.most,
        }
    }

    fn message(&self, resource: &Self::Resource) -> Option<(Self::Resource, u32)> {
        messages(&self.program, resource)
    }
}

/// Messages are the program's.
fn messages<L: Reported>(
    program: &L,
    resource: &Stepper<L::Resource>,
) -> Option<(Stepper<L::Resource>, u32)> {
    match resource {
        Stepper::Program(resource) => {
            let (queue, number) = program.message(resource)?;
            Some((Stepper::Program(queue), number))
        }
        Stepper::Debugger => None,
    }
}

/// A program under the stepping debugger ends as the program does.
impl<L: Reported> Reported for Stepping<L> {
    handed_on!(self => self.0, state => &state.1);

    fn exact(&self) -> Self {
        Self(self.0.exact())
    }

    fn message(&self, resource: &Self::Resource) -> Option<(Self::Resource, u32)> {
        messages(&self.0, resource)
    }

    /// Those of the program's own steps: the debugger's pauses put all steps in one order, but not the
    /// program.
    fn races(&self, text: &str, options: &[u32]) -> Option<Races> {
        // STEP and RESUME take turns.
        let steps: Vec<_> = options.iter().step_by(2).copied().collect();
        let mut races = self.0.races(text, &steps)?;
        for race in races.messages.iter_mut().flatten() {
            let named = [&mut race.received, &mut race.message].into_iter();
            for step in named.chain(&mut race.rivals) {
                step.step = 2 * step.step - 1;
            }
        }
        Some(races)
    }

    /// As there.
    fn racing(&self, (mode, state): &Self::State) -> Vec<[u32; 2]> {
        match mode {
            Mode::Step => self.0.racing(state),
            Mode::Paused => Vec::new(),
        }
    }

    fn meets(&self, lead: &Lead, arrival: &Arrival<'_, Self>) -> bool {
        let (_, after) = arrival.after;
        let before = match arrival.before {
            Some((_, StepChoice::Resume)) => return false,
            Some(((_, before), StepChoice::Step(choice))) => Some((before, choice)),
            None => None,
        };
        self.0.meets(lead, &Arrival { before, after })
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
