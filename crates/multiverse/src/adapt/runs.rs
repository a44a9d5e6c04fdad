//! Deterministic runs as single steps.

use std::fmt;
use std::sync::Arc;

use crate::language::{Footprint, Label, Language, Next, Outcome, StepOf, Stepped, Waiting};

/// The program `L` with every deterministic run folded into the step before it: its states are
/// the choice points and the ends.
///
/// Nothing is lost: where a single choice is enabled in the whole program, no other order exists.
/// The number of rules that a folded step stands for is its [`Next::steps`]; whatever shows such a
/// step must show that number. Any state inside a run is reached by applying its steps one by one
/// to the language itself.
///
/// A run may go on with another agent than the one that began it, so folded steps are for graphs
/// and walks; what asks who did what ([`crate::causality`]) takes the language itself.
#[derive(Clone)]
pub struct Runs<L: Language> {
    inner: L,
    limit: u64,
    stop: Option<Stop<L::State>>,
}

/// In a run of no more steps nobody looks for circles.
const SHORT: u64 = 32;

/// Says in which states a run must stop.
type Stop<S> = Arc<dyn Fn(&S) -> bool + Send + Sync>;

impl<L: Language> Runs<L> {
    /// Folds runs of at most `limit` steps. A program that goes round for ever without a choice comes back sooner: where
    /// that is noticed.
    pub fn new(inner: L, limit: u64) -> Self {
        Self {
            inner,
            limit,
            stop: None,
        }
    }

    /// Also stops runs in states for which `stop` holds, so that breakpoints see them.
    #[must_use]
    pub fn stopping(mut self, stop: impl Fn(&L::State) -> bool + Send + Sync + 'static) -> Self {
        self.stop = Some(Arc::new(stop));
        self
    }

    /// The longest run that is folded, in steps.
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// The language with all its steps.
    pub const fn inner(&self) -> &L {
        &self.inner
    }
}

impl<L: Language> Runs<L> {
    /// Takes a step and all that follow without a choice; `taken` hears of each before it is taken.
    fn follow(
        &self,
        state: &L::State,
        choice: &L::Choice,
        mut taken: impl FnMut(&L::State, &L::Choice),
    ) -> Option<Next<L::State>> {
        let mut run = self.inner.apply(state, choice)?;
        taken(state, choice);
        let mut choices = Vec::new();
        // Brent's way of noticing a circle: each state is compared with one that was met some powers of two ago.
        let (mut met, mut until) = (None, SHORT);
        while run.steps < self.limit && !self.stop.as_ref().is_some_and(|stop| stop(&run.state)) {
            choices.clear();
            self.inner.enabled(&run.state, &mut choices);
            let [only] = choices.as_slice() else { break };
            let next = self.inner.apply(&run.state, only)?;
            taken(&run.state, only);
            run = Next {
                state: next.state,
                steps: run.steps + next.steps,
                is_partial: run.is_partial || next.is_partial,
            };
            if met.as_ref() == Some(&run.state) {
                break;
            }
            if run.steps >= until {
                met = Some(run.state.clone());
                until = run.steps.saturating_mul(2);
            }
        }
        Some(run)
    }
}

impl<L: Language + fmt::Debug> fmt::Debug for Runs<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runs")
            .field("inner", &self.inner)
            .field("limit", &self.limit)
            .finish()
    }
}

impl<L: Language> Language for Runs<L> {
    type State = L::State;
    type Choice = L::Choice;
    type Agent = L::Agent;
    type Resource = L::Resource;
    type Value = L::Value;

    fn initial(&self) -> L::State {
        self.inner.initial()
    }

    fn enabled(&self, state: &L::State, choices: &mut Vec<L::Choice>) {
        self.inner.enabled(state, choices);
    }

    fn apply(&self, state: &L::State, choice: &L::Choice) -> Option<Next<L::State>> {
        self.follow(state, choice, |_, _| ())
    }

    /// Its footprint is everything that the run touches, step by step.
    fn step(&self, state: &L::State, choice: &L::Choice) -> Option<StepOf<Self>> {
        let mut footprint = Footprint::default();
        let next = self.follow(state, choice, |state, choice| {
            let step = self.inner.footprint(state, choice);
            footprint.reads.extend(step.reads);
            footprint.writes.extend(step.writes);
        })?;
        for touched in [&mut footprint.reads, &mut footprint.writes] {
            touched.sort_unstable();
            touched.dedup();
        }
        Some(Stepped {
            next,
            agent: self.agent(state, choice),
            footprint,
        })
    }

    fn outcome(&self, state: &L::State) -> Outcome<L::Value> {
        self.inner.outcome(state)
    }

    fn agent(&self, state: &L::State, choice: &L::Choice) -> L::Agent {
        self.inner.agent(state, choice)
    }

    /// The label of the first step.
    fn label(&self, state: &L::State, choice: &L::Choice) -> Label {
        self.inner.label(state, choice)
    }

    fn footprint(&self, state: &L::State, choice: &L::Choice) -> Footprint<L::Resource> {
        let step = self.step(state, choice);
        step.map_or_else(Footprint::default, |step| step.footprint)
    }

    fn waiting(&self, state: &L::State, waiting: &mut Vec<Waiting<L::Agent, L::Resource>>) {
        self.inner.waiting(state, waiting);
    }

    fn canonical(&self, state: L::State) -> L::State {
        self.inner.canonical(state)
    }

    fn is_followed(&self, state: &L::State) -> bool {
        self.inner.is_followed(state)
    }

    fn recurring(&self, state: &L::State) -> L::State {
        self.inner.recurring(state)
    }

    fn apart(&self) -> Option<Self> {
        Some(Self::new(self.inner.apart()?, self.limit))
    }

    fn at_home(&self, state: L::State) -> L::State {
        self.inner.at_home(state)
    }

    fn show(&self, state: &L::State) -> String {
        self.inner.show(state)
    }
}
