//! The smallest multiverse debugger: it takes one step, pauses, and waits to be resumed.
//!
//! For λ_amb this is the D_amb of *Multiverse Debugging* (ECOOP 2019, figure 3); the recipe is the
//! same for any language. Rules: STEP takes one step of the program and pauses; RESUME leaves the
//! pause.

use std::fmt;

use crate::language::{Footprint, Label, Language, Next, Outcome, Reach, Touchable, Waiting};

/// What the debugger does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// It lets the program take a step.
    Step,
    /// It waits for the user.
    Paused,
}

/// A step of the debugger.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StepChoice<C> {
    /// STEP: the program takes this choice.
    Step(C),
    /// RESUME.
    Resume,
}

/// The debugger or an agent of the program; also the debugger's mode or a resource of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stepper<T> {
    /// The debugger.
    Debugger,
    /// What belongs to the program.
    Program(T),
}

impl<T: fmt::Display> fmt::Display for Stepper<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Debugger => f.write_str("debugger"),
            Self::Program(inner) => inner.fmt(f),
        }
    }
}

impl<R: Touchable> Touchable for Stepper<R> {
    fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Program(ours), Self::Program(theirs)) => ours.overlaps(theirs),
            _ => self == other,
        }
    }

    fn reach(&self) -> Reach {
        match self {
            Self::Debugger => Reach::Itself,
            Self::Program(inner) => inner.reach(),
        }
    }
}

/// The program `L` under the stepping debugger.
#[derive(Clone, Debug)]
pub struct Stepping<L>(pub L);

impl<L: Language> Language for Stepping<L> {
    type State = (Mode, L::State);
    type Choice = StepChoice<L::Choice>;
    type Agent = Stepper<L::Agent>;
    type Resource = Stepper<L::Resource>;
    type Value = L::Value;

    fn initial(&self) -> Self::State {
        (Mode::Step, self.0.initial())
    }

    fn enabled(&self, (mode, state): &Self::State, choices: &mut Vec<Self::Choice>) {
        match mode {
            Mode::Paused => choices.push(StepChoice::Resume),
            Mode::Step => {
                let mut inner = Vec::new();
                self.0.enabled(state, &mut inner);
                choices.extend(inner.into_iter().map(StepChoice::Step));
            }
        }
    }

    fn apply(&self, state: &Self::State, choice: &Self::Choice) -> Option<Next<Self::State>> {
        match (state, choice) {
            ((Mode::Step, state), StepChoice::Step(choice)) => {
                let next = self.0.apply(state, choice)?;
                Some(next.map(|state| (Mode::Paused, state)))
            }
            ((Mode::Paused, state), StepChoice::Resume) => {
                Some(Next::one((Mode::Step, state.clone())))
            }
            _ => None,
        }
    }

    fn outcome(&self, (_, state): &Self::State) -> Outcome<L::Value> {
        self.0.outcome(state)
    }

    fn agent(&self, (_, state): &Self::State, choice: &Self::Choice) -> Self::Agent {
        match choice {
            StepChoice::Step(choice) => Stepper::Program(self.0.agent(state, choice)),
            StepChoice::Resume => Stepper::Debugger,
        }
    }

    fn label(&self, (_, state): &Self::State, choice: &Self::Choice) -> Label {
        match choice {
            StepChoice::Step(choice) => Label {
                rule: "STEP",
                ..self.0.label(state, choice)
            },
            StepChoice::Resume => Label {
                rule: "RESUME",
                text: "leave the pause".to_owned(),
                span: None,
            },
        }
    }

    fn footprint(
        &self,
        (_, state): &Self::State,
        choice: &Self::Choice,
    ) -> Footprint<Self::Resource> {
        let mut footprint = Footprint {
            reads: Vec::new(),
            writes: vec![Stepper::Debugger],
        };
        if let StepChoice::Step(choice) = choice {
            let inner = self.0.footprint(state, choice);
            footprint
                .reads
                .extend(inner.reads.into_iter().map(Stepper::Program));
            footprint
                .writes
                .extend(inner.writes.into_iter().map(Stepper::Program));
        }
        footprint
    }

    fn waiting(
        &self,
        (mode, state): &Self::State,
        waiting: &mut Vec<Waiting<Self::Agent, Self::Resource>>,
    ) {
        if *mode == Mode::Paused {
            return;
        }
        let mut inner = Vec::new();
        self.0.waiting(state, &mut inner);
        waiting.extend(inner.into_iter().map(
            |Waiting {
                 agent,
                 footprint,
                 label,
             }| Waiting {
                agent: Stepper::Program(agent),
                footprint: Footprint {
                    reads: footprint.reads.into_iter().map(Stepper::Program).collect(),
                    writes: footprint.writes.into_iter().map(Stepper::Program).collect(),
                },
                label,
            },
        ));
    }

    fn canonical(&self, (mode, state): Self::State) -> Self::State {
        (mode, self.0.canonical(state))
    }

    fn is_followed(&self, (_, state): &Self::State) -> bool {
        self.0.is_followed(state)
    }

    fn recurring(&self, (mode, state): &Self::State) -> Self::State {
        (*mode, self.0.recurring(state))
    }

    fn apart(&self) -> Option<Self> {
        self.0.apart().map(Self)
    }

    fn at_home(&self, (mode, state): Self::State) -> Self::State {
        (mode, self.0.at_home(state))
    }

    fn show(&self, (mode, state): &Self::State) -> String {
        let mode = match mode {
            Mode::Step => "step",
            Mode::Paused => "paused",
        };
        format!("⟨{mode}, {}⟩", self.0.show(state))
    }
}
