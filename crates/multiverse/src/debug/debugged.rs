//! A program under a debugger is a language again: its steps are those of the program, where the
//! debugger lets them happen, and what each step does to the debugger.

use std::sync::Arc;

use super::configuration::{AgentOf, ChoiceOf, Configuration, ControlOf, Hit, Mode};
use super::{Arrival, BreakpointId, Catalogue};
use crate::graph::Score;
use crate::language::{Footprint, Label, Language, Next, Outcome, Waiting};

/// The breakpoints that are looked at together.
pub(super) type Set<C> = Arc<[(BreakpointId, <C as Catalogue>::Breakpoint)]>;

/// The program of a catalogue under a debugger.
///
/// Sets of breakpoints are only ever added: a configuration says by which it goes, so that what a
/// configuration can do never changes.
pub struct Debugged<C: Catalogue> {
    catalogue: Arc<C>,
    sets: Vec<Set<C>>,
}

impl<C: Catalogue> Clone for Debugged<C> {
    fn clone(&self) -> Self {
        Self {
            catalogue: Arc::clone(&self.catalogue),
            sets: self.sets.clone(),
        }
    }
}

impl<C: Catalogue> Debugged<C> {
    pub(super) fn new(catalogue: C) -> Self {
        Self {
            catalogue: Arc::new(catalogue),
            sets: vec![Arc::new([])],
        }
    }

    /// The program and what can be waited for in it.
    #[must_use]
    pub fn catalogue(&self) -> &C {
        &self.catalogue
    }

    /// The number of the newest set of breakpoints.
    pub(super) fn epoch(&self) -> u32 {
        self.sets.len().saturating_sub(1) as u32
    }

    /// Adds a set of breakpoints, which new commands go by.
    pub(super) fn add_set(&mut self, set: Vec<(BreakpointId, C::Breakpoint)>) {
        self.sets.push(set.into());
    }

    /// How near a state is to the breakpoint of the newest set that it is nearest to.
    pub(super) fn score(&self) -> Score<Configuration<C>>
    where
        C: Send + Sync + 'static,
        C::Breakpoint: Send + Sync + 'static,
    {
        let catalogue = Arc::clone(&self.catalogue);
        let set = self.sets.last().cloned();
        Box::new(move |state| {
            let set = set.iter().flat_map(|set| set.iter());
            let near = set.map(|(_, breakpoint)| catalogue.nearness(breakpoint, &state.program));
            near.max().unwrap_or(0)
        })
    }

    fn program(&self) -> &C::Program {
        self.catalogue.program()
    }

    /// The breakpoints by which a configuration goes.
    pub(super) fn set(&self, epoch: u32) -> &[(BreakpointId, C::Breakpoint)] {
        // Epochs are given out by the debugger, which adds a set for each.
        self.sets.get(epoch as usize).map_or(&[], |set| set)
    }

    /// Looks at the breakpoints and at the step under way; pauses the configuration if one says so.
    fn arrive(&self, control: &mut Arc<ControlOf<C>>, arrival: &Arrival<'_, C::Program>) {
        let mut hits = Vec::new();
        for (id, breakpoint) in self.set(control.epoch) {
            let agents = self.catalogue.hits(breakpoint, arrival).into_iter();
            hits.extend(agents.map(|agent| Hit::Breakpoint(*id, agent)));
        }
        let mut is_there = false;
        if let Some(goal) = control.goal.clone() {
            let (step, agent) = self.catalogue.step_of(&goal);
            let left = self.catalogue.advance(goal, arrival);
            is_there = left.is_none();
            if is_there && C::REMEMBERS_STEPS {
                hits.push(Hit::Step(step, agent));
            }
            if control.goal != left {
                Arc::make_mut(control).goal = left;
            }
        }
        if is_there || !hits.is_empty() {
            Arc::make_mut(control).pause(hits);
        }
    }
}

impl<C: Catalogue> Language for Debugged<C> {
    type State = Configuration<C>;
    type Choice = ChoiceOf<C>;
    type Agent = AgentOf<C>;
    type Resource = <C::Program as Language>::Resource;
    type Value = <C::Program as Language>::Value;

    /// Where the program starts, under the newest set of breakpoints.
    fn initial(&self) -> Self::State {
        let state = self.program().canonical(self.program().initial());
        let mut start = Configuration::running(state, self.epoch());
        let arrival = Arrival {
            before: None,
            after: &start.program,
        };
        self.arrive(&mut start.control, &arrival);
        start
    }

    fn enabled(&self, state: &Self::State, choices: &mut Vec<Self::Choice>) {
        if state.mode() == Mode::Pause {
            return;
        }
        let from = choices.len();
        self.program().enabled(&state.program, choices);
        let allowed = |choice: &ChoiceOf<C>| {
            let agent = self.program().agent(&state.program, choice);
            state.allows(&self.catalogue, &agent)
        };
        let mut at = from;
        choices.retain(|choice| {
            at += 1;
            at <= from || allowed(choice)
        });
    }

    fn apply(&self, from: &Self::State, choice: &Self::Choice) -> Option<Next<Self::State>> {
        let agent = self.program().agent(&from.program, choice);
        if from.mode() == Mode::Pause || !from.allows(&self.catalogue, &agent) {
            return None;
        }
        let next = self.program().apply(&from.program, choice)?;
        let mut control = Arc::clone(&from.control);
        let arrival = Arrival {
            before: Some((&from.program, choice)),
            after: &next.state,
        };
        self.arrive(&mut control, &arrival);
        Some(next.map(|program| Configuration { program, control }))
    }

    fn outcome(&self, state: &Self::State) -> Outcome<Self::Value> {
        self.program().outcome(&state.program)
    }

    fn agent(&self, state: &Self::State, choice: &Self::Choice) -> Self::Agent {
        self.program().agent(&state.program, choice)
    }

    fn label(&self, state: &Self::State, choice: &Self::Choice) -> Label {
        self.program().label(&state.program, choice)
    }

    fn footprint(&self, state: &Self::State, choice: &Self::Choice) -> Footprint<Self::Resource> {
        self.program().footprint(&state.program, choice)
    }

    fn waiting(
        &self,
        state: &Self::State,
        waiting: &mut Vec<Waiting<Self::Agent, Self::Resource>>,
    ) {
        self.program().waiting(&state.program, waiting);
    }

    fn canonical(&self, state: Self::State) -> Self::State {
        Configuration {
            program: self.program().canonical(state.program),
            control: state.control,
        }
    }

    fn show(&self, state: &Self::State) -> String {
        self.program().show(&state.program)
    }
}
