//! A device program and its interrupts as agents: who acts when, and what makes a difference.
//!
//! [`Device`] lets an event arrive at the moments at which that makes a difference to some handler, which keeps its graph
//! small, and says of each step that it touches the whole program. Here the program and each source of events act by
//! themselves. An event may arrive in every state, the handler is a step, and each step says what it touches, byte by byte:
//! steps that touch different things commute, so that [`Classes`](borges_multiverse::causality::Classes) finds one run for all
//! their orders.
//!
//! A state may stand for several values of inputs, of which each step takes those that go its way. Two steps that decide on
//! the same input touch nothing by that. Look at one value of each input that an agent reads: then every agent has one step
//! in each state, what a step does depends on what it touches alone, and the runs that are found hold one of each class of
//! the program under these values, whatever else they stand for.

use std::cell::RefCell;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use borges_board::{Event, EventSource};
use borges_multiverse::fingerprint::WideFingerprint;
use borges_multiverse::language::{
    Footprint, Label, Language, Next, Outcome, StepOf, Stepped, Waiting,
};
use hashbrown::HashMap;

use super::language::outcome_of;
use super::state::{DeviceState, Stands};
use super::{Comparing, Device, DeviceWay, Facts, Look};
use crate::budget::Budget;
use crate::explore::{Bounds, Start};
use crate::path::End;
use crate::solver::Solver;
use crate::touch::Touch;

/// So many states keep their ways, so that who goes on from them again need not look again.
const MOST_KEPT: usize = 1 << 14;

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Acting {
    /// The program, where no handler runs.
    Program,
    /// What comes from there, by its handler.
    Event(EventSource),
}

impl fmt::Display for Acting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Acting::Program => f.write_str("program"),
            Acting::Event(EventSource::Pin(pin)) => write!(f, "pin {pin}"),
            Acting::Event(EventSource::Timer) => f.write_str("timer"),
        }
    }
}

/// A state of a program and its interrupts. Cloning it is cheap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InterleavedState {
    device: DeviceState,
    /// Where events could come from so far, in order, each with how many have come, if those are counted.
    sources: Arc<[(EventSource, u32)]>,
    /// Whose handler runs, or ended everything.
    inside: Option<EventSource>,
}

impl InterleavedState {
    /// Where the program stands.
    #[must_use]
    pub fn device(&self) -> &DeviceState {
        &self.device
    }
}

/// A step of somebody.
#[derive(Clone, Debug)]
pub struct InterleavedStep {
    acting: Acting,
    /// What was decided on the way.
    name: u64,
    /// The state in which alone it has this name, and its number there, if that does not tell it from others.
    only: Option<(WideFingerprint, u32)>,
    way: Arc<DeviceWay>,
}

/// In two states, it is the same if the same is decided; what is read is decided on.
impl PartialEq for InterleavedStep {
    fn eq(&self, other: &Self) -> bool {
        (self.acting, self.name, self.only) == (other.acting, other.name, other.only)
    }
}

impl Eq for InterleavedStep {}

impl Hash for InterleavedStep {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.acting, self.name, self.only).hash(state);
    }
}

impl InterleavedStep {
    /// Who acts.
    #[must_use]
    pub fn acting(&self) -> Acting {
        self.acting
    }

    /// What it does.
    #[must_use]
    pub fn way(&self) -> &DeviceWay {
        &self.way
    }
}

/// A step from a state of the program, whoever it is that takes it.
struct Step {
    way: Arc<DeviceWay>,
    name: u64,
    only: Option<(WideFingerprint, u32)>,
    to: DeviceState,
    /// A handler runs then.
    is_inside: bool,
    footprint: Footprint<Touch>,
}

/// A device program and its interrupts.
pub struct Interleaved<'d> {
    device: Device<'d>,
    /// So many events come from each source.
    most: Option<u32>,
    kept: RefCell<HashMap<DeviceState, Rc<[Step]>>>,
}

impl<'d> Interleaved<'d> {
    /// A program from its start on, to which so many events come from each source at most; any number, if nothing is said.
    /// States are told apart by what the program can still read; of `about`, what else may be said counts but for conditions
    /// and what is taken for anything. Nothing if there is no program.
    #[must_use]
    pub fn new(
        start: Start,
        bounds: Bounds,
        solver: Option<Box<dyn Solver>>,
        about: Comparing<'d>,
        most: Option<u32>,
        budget: &'d Budget<'d>,
    ) -> Option<Self> {
        let bounds = Bounds {
            events: Some(u32::MAX),
            ..bounds
        };
        // Ways part only where the program does: else what others have done would tell them apart.
        let about = Comparing {
            anything: Vec::new(),
            watched: None,
            is_split: false,
            is_interleaved: true,
            touched: Some(about.touched.unwrap_or_default()),
            ..about
        };
        Some(Interleaved {
            device: Device::new(start, bounds, solver, about, budget)?,
            most,
            kept: RefCell::default(),
        })
    }

    /// The program alone.
    #[must_use]
    pub fn device(&self) -> &Device<'d> {
        &self.device
    }

    /// What it was told, with what it has learnt besides, if there is anything: looking at states must begin again with
    /// that.
    #[must_use]
    pub fn news(&self) -> Option<Facts> {
        self.device.news()
    }

    fn steps(&self, state: &DeviceState) -> Rc<[Step]> {
        if let Some(known) = self.kept.borrow().get(state) {
            return known.clone();
        }
        let mut look = self.device.look(state, Look::default());
        let (ways, took) = (
            std::mem::take(&mut look.ways),
            std::mem::take(&mut look.took),
        );
        self.device.note(look);
        let names: Vec<(u64, Option<Event>)> = ways
            .iter()
            .zip(&took)
            .map(|((way, _), took)| (took.name, way.event))
            .collect();
        let steps = ways.into_iter().zip(took).zip(&names);
        let steps = steps.map(|(((way, to), took), name)| {
            let is_one = names.iter().filter(|other| *other == name).count() == 1;
            Step {
                name: took.name,
                // Two that decide the same are the same in no other state.
                only: (!is_one).then(|| (state.0.content, way.number)),
                to,
                is_inside: took.is_inside,
                footprint: took.footprint(),
                way: Arc::new(way),
            }
        });
        let steps: Rc<[Step]> = steps.collect();
        let mut kept = self.kept.borrow_mut();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(state.clone(), steps.clone());
        steps
    }

    /// Who takes a step; nobody if no more events come from there.
    fn acting(&self, state: &InterleavedState, step: &Step) -> Option<Acting> {
        match (step.way.event, state.inside) {
            (Some(event), None) => {
                let is_left = |most: u32| state.count(event.source) < most;
                self.most
                    .is_none_or(is_left)
                    .then_some(Acting::Event(event.source))
            }
            // Nothing arrives while a handler runs.
            (Some(_), Some(_)) => None,
            (None, Some(source)) => Some(Acting::Event(source)),
            (None, None) => Some(Acting::Program),
        }
    }

    fn turn(acting: Acting, step: &Step) -> InterleavedStep {
        InterleavedStep {
            acting,
            name: step.name,
            only: step.only,
            way: step.way.clone(),
        }
    }

    /// Does something with a step that can be taken; nothing if it cannot.
    fn with<T>(
        &self,
        state: &InterleavedState,
        turn: &InterleavedStep,
        then: impl FnOnce(&Step) -> T,
    ) -> Option<T> {
        let steps = self.steps(&state.device);
        let is_it = |step: &&Step| {
            self.acting(state, step)
                .is_some_and(|acting| Self::turn(acting, step) == *turn)
                && step.way.event == turn.way.event
        };
        steps.iter().find(is_it).map(then)
    }

    /// The state that a step leads to.
    fn after(&self, state: &InterleavedState, step: &Step) -> Next<InterleavedState> {
        let mut sources = state.sources.clone();
        let acts = step.way.event.map(|event| event.source).or(state.inside);
        if let (Some(event), Some(_)) = (step.way.event, self.most) {
            let counted = sources
                .iter()
                .map(|(source, count)| (*source, count + u32::from(*source == event.source)));
            sources = counted.collect();
        }
        let is_end = step.to.end().is_some();
        let next = InterleavedState {
            sources: with_sources(sources, &step.to),
            device: step.to.clone(),
            inside: acts.filter(|_| is_end || step.is_inside),
        };
        Next {
            is_partial: step.way.is_partial,
            ..Next::one(next)
        }
    }
}

impl InterleavedState {
    /// How many events have come from there.
    fn count(&self, source: EventSource) -> u32 {
        let known = self.sources.iter().find(|(known, _)| *known == source);
        known.map_or(0, |(_, count)| *count)
    }
}

/// With those to which the program has subscribed in a state.
fn with_sources(
    sources: Arc<[(EventSource, u32)]>,
    state: &DeviceState,
) -> Arc<[(EventSource, u32)]> {
    let Stands::Before(before) = &state.0.stands else {
        return sources;
    };
    let is_new = |event: &Event| !sources.iter().any(|(source, _)| *source == event.source);
    let new: Vec<Event> = before.events().into_iter().filter(is_new).collect();
    if new.is_empty() {
        return sources;
    }
    let mut all = sources.to_vec();
    all.extend(new.iter().map(|event| (event.source, 0)));
    all.sort_unstable();
    all.into()
}

impl Language for Interleaved<'_> {
    type State = InterleavedState;
    type Choice = InterleavedStep;
    type Agent = Acting;
    type Resource = Touch;
    type Value = String;

    fn initial(&self) -> InterleavedState {
        let device = self.device.initial();
        InterleavedState {
            sources: with_sources(Arc::default(), &device),
            device,
            inside: None,
        }
    }

    fn enabled(&self, state: &InterleavedState, choices: &mut Vec<InterleavedStep>) {
        let steps = self.steps(&state.device);
        choices.extend(steps.iter().filter_map(|step| {
            let acting = self.acting(state, step)?;
            Some(Self::turn(acting, step))
        }));
    }

    fn apply(
        &self,
        state: &InterleavedState,
        turn: &InterleavedStep,
    ) -> Option<Next<InterleavedState>> {
        self.with(state, turn, |step| self.after(state, step))
    }

    fn step(&self, state: &InterleavedState, turn: &InterleavedStep) -> Option<StepOf<Self>> {
        self.with(state, turn, |step| Stepped {
            next: self.after(state, step),
            agent: turn.acting,
            footprint: step.footprint.clone(),
        })
    }

    fn is_followed(&self, state: &InterleavedState) -> bool {
        let end = state.device.end();
        end.is_none_or(|end| matches!(end, End::Returned | End::Exited(_) | End::Trapped(..)))
    }

    fn outcome(&self, state: &InterleavedState) -> Outcome<String> {
        outcome_of(state.device.end())
    }

    fn agent(&self, _: &InterleavedState, turn: &InterleavedStep) -> Acting {
        turn.acting
    }

    fn label(&self, state: &InterleavedState, turn: &InterleavedStep) -> Label {
        self.device.label_of(&state.device, &turn.way)
    }

    fn footprint(&self, state: &InterleavedState, turn: &InterleavedStep) -> Footprint<Touch> {
        let footprint = self.with(state, turn, |step| step.footprint.clone());
        footprint.unwrap_or_else(|| Footprint {
            reads: Vec::new(),
            writes: vec![Touch::Anything],
        })
    }

    /// While a handler runs all others wait for its end; where everything has ended, or nobody listens any more, events
    /// would have come, had they been faster.
    fn waiting(&self, state: &InterleavedState, waiting: &mut Vec<Waiting<Acting, Touch>>) {
        let has_ended = state.device.end().is_some();
        let steps = self.steps(&state.device);
        let able = |acting: Acting| {
            let mut able = steps.iter().filter_map(|step| self.acting(state, step));
            able.any(|able| able == acting)
        };
        let is_left = |count: u32| self.most.is_none_or(|most| count < most);
        let sources = state.sources.iter();
        let sources =
            sources.filter(|(source, count)| state.inside != Some(*source) && is_left(*count));
        let events = sources.map(|(source, _)| Acting::Event(*source));
        // Of who ended everything, nothing is left to come.
        let program = state.inside.map(|_| Acting::Program);
        let waits = events.filter(|acting| has_ended || !able(*acting));
        waiting.extend(program.into_iter().chain(waits).map(|agent| {
            let (rule, listens) = match agent {
                Acting::Program => ("go on", Touch::Subscriptions),
                Acting::Event(source) => ("interrupt", Touch::Subscription(source)),
            };
            Waiting {
                agent,
                footprint: Footprint {
                    reads: vec![Touch::Turn, Touch::Tables, listens],
                    writes: Vec::new(),
                },
                label: Label {
                    rule,
                    text: agent.to_string(),
                    span: None,
                },
            }
        }));
    }

    fn show(&self, state: &InterleavedState) -> String {
        self.device.show(&state.device)
    }
}
