//! Runs in which few agents are interrupted.

use crate::adapt::Stepper;
use crate::language::{Footprint, Label, Language, Next, Outcome, Waiting};

/// The program `L` in the runs in which an agent that could go on makes room for another at most so many times: most
/// bugs need one or two such *preemptions* (Musuvathi, Qadeer: *Iterative Context Bounding for Systematic Testing of
/// Multithreaded Programs*, PLDI 2007).
///
/// Universes are left out, and none is invented: what is found holds of the program, and what is not found may be beyond
/// the bound. So whatever shows it must name the bound ([`Preempting::name`]). Every run ends as it would: an agent that
/// cannot go on is never in the way. Who stepped last is compared with the state, so agents that
/// [`Language::canonical`] renames are told apart; all steps depend on one another, since their order is what counts.
#[derive(Clone, Debug)]
pub struct Preempting<L> {
    /// The program.
    pub program: L,
    /// The most preemptions of a run.
    pub most: u32,
}

/// A state with what its run may still do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scheduled<S, A> {
    /// The program's.
    pub state: S,
    /// Who stepped last.
    pub last: Option<A>,
    /// The preemptions that are left.
    pub left: u32,
}

impl<L: Language> Preempting<L> {
    /// The bound in words.
    #[must_use]
    pub fn name(&self) -> String {
        let times = match self.most {
            0 => "no agent is interrupted".to_owned(),
            1 => "one agent is interrupted at most".to_owned(),
            most => format!("agents are interrupted {most} times at most"),
        };
        format!("{times} in a run")
    }

    /// Whether a step of `agent` interrupts the last agent, of those who take the steps that there are.
    fn interrupts(last: Option<&L::Agent>, agent: &L::Agent, agents: &[L::Agent]) -> bool {
        last.is_some_and(|last| last != agent && agents.contains(last))
    }

    /// The program's steps from a state, and who takes each.
    fn all(&self, state: &L::State) -> (Vec<L::Choice>, Vec<L::Agent>) {
        let mut all = Vec::new();
        self.program.enabled(state, &mut all);
        let agent = |choice| self.program.agent(state, choice);
        let agents = all.iter().map(agent).collect();
        (all, agents)
    }

    /// A step of `agent`, of those who could take one; none if it would be one preemption too many.
    fn taken(
        &self,
        from: &Scheduled<L::State, L::Agent>,
        choice: &L::Choice,
        (agent, agents): (L::Agent, &[L::Agent]),
    ) -> Option<Next<Scheduled<L::State, L::Agent>>> {
        let interrupts = Self::interrupts(from.last.as_ref(), &agent, agents);
        let left = from.left.checked_sub(u32::from(interrupts))?;
        let next = self.program.apply(&from.state, choice)?;
        let last = Some(agent);
        Some(next.map(|state| Scheduled { state, last, left }))
    }

    fn footprint_of(footprint: Footprint<L::Resource>) -> Footprint<Stepper<L::Resource>> {
        let resources = |all: Vec<_>| all.into_iter().map(Stepper::Program);
        Footprint {
            reads: resources(footprint.reads).collect(),
            writes: resources(footprint.writes)
                .chain([Stepper::Debugger])
                .collect(),
        }
    }
}

impl<L: Language> Language for Preempting<L> {
    type State = Scheduled<L::State, L::Agent>;
    type Choice = L::Choice;
    type Agent = L::Agent;
    type Resource = Stepper<L::Resource>;
    type Value = L::Value;

    fn initial(&self) -> Self::State {
        Scheduled {
            state: self.program.initial(),
            last: None,
            left: self.most,
        }
    }

    fn enabled(&self, from: &Self::State, choices: &mut Vec<L::Choice>) {
        let (all, agents) = self.all(&from.state);
        let last = from.last.as_ref();
        let allowed = |agent| from.left > 0 || !Self::interrupts(last, agent, &agents);
        let all = all.into_iter().zip(&agents);
        choices.extend(all.filter_map(|(choice, agent)| allowed(agent).then_some(choice)));
    }

    fn apply(&self, from: &Self::State, choice: &L::Choice) -> Option<Next<Self::State>> {
        let agent = self.program.agent(&from.state, choice);
        let (_, agents) = self.all(&from.state);
        self.taken(from, choice, (agent, &agents))
    }

    /// Who could act is asked once for all steps.
    fn expand(&self, from: &Self::State, steps: &mut Vec<(L::Choice, Next<Self::State>)>) {
        let (all, agents) = self.all(&from.state);
        for (choice, agent) in all.into_iter().zip(&agents) {
            let taken = self.taken(from, &choice, (agent.clone(), &agents));
            steps.extend(taken.map(|next| (choice, next)));
        }
    }

    fn outcome(&self, from: &Self::State) -> Outcome<L::Value> {
        self.program.outcome(&from.state)
    }

    fn agent(&self, from: &Self::State, choice: &L::Choice) -> L::Agent {
        self.program.agent(&from.state, choice)
    }

    fn label(&self, from: &Self::State, choice: &L::Choice) -> Label {
        self.program.label(&from.state, choice)
    }

    fn footprint(&self, from: &Self::State, choice: &L::Choice) -> Footprint<Self::Resource> {
        Self::footprint_of(self.program.footprint(&from.state, choice))
    }

    fn waiting(&self, from: &Self::State, waiting: &mut Vec<Waiting<L::Agent, Self::Resource>>) {
        let mut inner = Vec::new();
        self.program.waiting(&from.state, &mut inner);
        waiting.extend(inner.into_iter().map(|waits| Waiting {
            agent: waits.agent,
            footprint: Self::footprint_of(waits.footprint),
            label: waits.label,
        }));
    }

    fn canonical(&self, from: Self::State) -> Self::State {
        let state = self.program.canonical(from.state);
        Scheduled { state, ..from }
    }

    fn is_followed(&self, from: &Self::State) -> bool {
        self.program.is_followed(&from.state)
    }

    fn recurring(&self, from: &Self::State) -> Self::State {
        Scheduled {
            state: self.program.recurring(&from.state),
            ..from.clone()
        }
    }

    fn apart(&self) -> Option<Self> {
        Some(Self {
            program: self.program.apart()?,
            most: self.most,
        })
    }

    fn at_home(&self, from: Self::State) -> Self::State {
        let state = self.program.at_home(from.state);
        Scheduled { state, ..from }
    }

    fn show(&self, from: &Self::State) -> String {
        format!("[{}] {}", self.name(), self.program.show(&from.state))
    }
}
