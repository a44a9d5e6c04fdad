//! A device program as a language: what can happen in a state is what a look at it shows.

use std::fmt;

use borges_board::{PrimitiveId, choice_text};
use borges_multiverse::language::{Footprint, Label, Language, Next, Outcome, Touchable, Verdict};
use borges_vm::{ValType, Value};

use super::state::DeviceState;
use super::{Device, DeviceWay, Look, WayInput};
use crate::path::End;
use crate::set::value_of;

/// The program, the only one who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TheProgram;

impl Touchable for TheProgram {}

impl TheProgram {
    /// What each of its steps touches.
    pub(super) fn footprint() -> Footprint<Self> {
        Footprint {
            reads: Vec::new(),
            writes: vec![Self],
        }
    }
}

impl fmt::Display for TheProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("program")
    }
}

/// The ways from a state, and where they lead.
pub(super) type Steps = Vec<(DeviceWay, Next<DeviceState>)>;

/// What a state from which nothing leads came to, as it ended.
pub(super) fn outcome_of(end: Option<&End>) -> Outcome<String> {
    let (verdict, value) = match end {
        Some(End::Trapped(trap, _)) => (Verdict::Failed, trap.to_string()),
        Some(End::Returned) => (Verdict::Finished, "returned".to_owned()),
        Some(End::Exited(code)) => (Verdict::Finished, format!("exit code {code}")),
        Some(_) => (Verdict::Stuck, "not followed further".to_owned()),
        None => (Verdict::Stuck, "no value can be read".to_owned()),
    };
    Outcome {
        verdicts: verdict.into(),
        value,
    }
}

impl WayInput {
    /// What it answers, in words.
    fn answers(&self) -> String {
        if self.is_fault && self.set.contains(0) {
            return "ok".to_owned();
        }
        if self.is_fault {
            let cells = self.set.cells();
            let names = cells.map(|cell| value_of(self.ty, cell).into());
            let names = names.filter_map(|choice| choice_text(&choice));
            return names.collect::<Vec<_>>().join("|");
        }
        let value = self.set.to_codomain(self.ty).to_string();
        match &*self.bytes {
            [] => value,
            bytes => {
                let bytes = bytes
                    .iter()
                    .map(|set| set.to_codomain(ValType::I32).to_string());
                format!("{value}: {}", bytes.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl Language for Device<'_> {
    type State = DeviceState;
    type Choice = DeviceWay;
    type Agent = TheProgram;
    type Resource = TheProgram;
    type Value = String;

    fn initial(&self) -> DeviceState {
        self.initial.clone()
    }

    fn enabled(&self, state: &DeviceState, choices: &mut Vec<DeviceWay>) {
        choices.extend(self.ways(state).into_iter().map(|(way, _)| way));
    }

    fn apply(&self, state: &DeviceState, choice: &DeviceWay) -> Option<Next<DeviceState>> {
        let found = self.ways(state).into_iter().nth(choice.number as usize);
        let (way, to) = found.filter(|(way, _)| way == choice)?;
        Some(Next {
            is_partial: way.is_partial,
            ..Next::one(to)
        })
    }

    /// What is enabled is known only by running: one look tells both.
    fn expand(&self, state: &DeviceState, steps: &mut Steps) {
        if !self.expand_ahead(state, steps) {
            let look = self.look(state, Look::joining());
            self.follow(state, look, steps);
        }
    }

    fn outcome(&self, state: &DeviceState) -> Outcome<String> {
        outcome_of(state.end())
    }

    fn agent(&self, _: &DeviceState, _: &DeviceWay) -> TheProgram {
        TheProgram
    }

    fn label(&self, state: &DeviceState, way: &DeviceWay) -> Label {
        self.label_of(state, way)
    }

    fn footprint(&self, _: &DeviceState, _: &DeviceWay) -> Footprint<TheProgram> {
        TheProgram::footprint()
    }

    fn show(&self, state: &DeviceState) -> String {
        match (state.calls(), state.end()) {
            (Some((id, args)), _) => format!("before {}", self.call(id, args)),
            (None, None) => "where interrupts may arrive".to_owned(),
            (None, Some(_)) => self.outcome(state).to_string(),
        }
    }
}

impl Device<'_> {
    /// Goes on from a look at a state.
    pub(super) fn follow(&self, state: &DeviceState, mut look: Look, steps: &mut Steps) {
        let ways = std::mem::take(&mut look.ways).into_iter();
        steps.extend(ways.map(|(way, to)| {
            let is_partial = way.is_partial;
            let next = Next::one(to);
            (way, Next { is_partial, ..next })
        }));
        if let Some(condition) = look.divides.take() {
            let mut dividing = self.dividing.borrow_mut();
            dividing.insert(state.clone(), condition);
        }
        self.note(look);
    }

    /// A way in words.
    pub(super) fn label_of(&self, state: &DeviceState, way: &DeviceWay) -> Label {
        let called = |(id, args): (PrimitiveId, &[Value])| self.call(id, args);
        let (rule, text) = match (&way.input, way.event) {
            (_, Some(event)) => ("interrupt", format!("{:?}", event.source)),
            (None, None) if state.is_moment() => ("go on", "nothing arrives".to_owned()),
            (Some(input), None) => {
                let call = self.call(input.primitive, &input.args);
                let rule = if input.is_fault { "fails" } else { "read" };
                (rule, format!("{call} = {}", input.answers()))
            }
            (None, None) => ("call", state.calls().map_or_else(String::new, called)),
        };
        Label {
            rule,
            text,
            span: None,
        }
    }
}
