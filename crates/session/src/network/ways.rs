//! How a board's program goes on from a state, by the engine that explores device programs: each thread has its own.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Weak};

use borges_concolic::{Bounds, Budget, Comparing, Device, DeviceState, Set, value_of};
use borges_multiverse::language::Language as _;
use borges_vm::{Machine, ValType, Value};

use super::numbers::number;
use super::plan::{Node, Plan};
use crate::scene::{Scene, place_of};

/// Instructions from one stop to the next.
pub(super) const STEPS: u64 = 1_000_000;

/// Of an input whose values lead to several states without a condition, so many are tried one by one.
const MOST_TRIED: u128 = 4096;

/// A way on from a state of a program.
#[derive(Clone)]
pub(super) struct Way {
    /// What was decided: an input's answers, or an event.
    pub(super) said: Option<Arc<str>>,
    /// None: it is not known where it leads, as its input has too many values that are kept.
    pub(super) to: Option<DeviceState>,
}

/// What was found out once, by board and state.
type Known<K, T> = RefCell<HashMap<(usize, DeviceState, K), T>>;

/// A call, and where it is in the source.
type Place = (String, String);

/// The engines of a network's boards.
pub(super) struct Engines {
    devices: Vec<Device<'static>>,
    machines: Vec<RefCell<Machine>>,
    ways: Known<Option<i32>, Rc<[Way]>>,
    values: Known<String, Option<i64>>,
    places: Known<(), Rc<Place>>,
}

thread_local! {
    static ENGINES: RefCell<Vec<(Weak<Plan>, Rc<Engines>)>> = const { RefCell::new(Vec::new()) };
    /// A round ends after so many instructions: it needs no other budget. One a thread, for as long as there are threads.
    static UNLIMITED: &'static Budget<'static> = Box::leak(Box::new(Budget::unlimited()));
}

impl Engines {
    /// Those of this thread. Nothing if there is no program in one.
    pub(super) fn of(plan: &Arc<Plan>) -> Option<Rc<Self>> {
        ENGINES.with_borrow_mut(|all| {
            let is_own = |(known, _): &&(Weak<Plan>, _)| known.as_ptr() == Arc::as_ptr(plan);
            if let Some((_, engines)) = all.iter().find(is_own) {
                return Some(engines.clone());
            }
            all.retain(|(known, _)| known.strong_count() > 0);
            let engines = Rc::new(Self::new(plan)?);
            all.push((Arc::downgrade(plan), engines.clone()));
            Some(engines)
        })
    }

    fn new(plan: &Plan) -> Option<Self> {
        let device = |node: &Node| {
            let about = Comparing {
                is_split: true,
                calls: Some(node.calls()),
                ..Comparing::default()
            };
            let bounds = Bounds {
                steps: STEPS,
                events: Some(u32::MAX),
                ..Bounds::default()
            };
            Device::new(
                node.start.clone(),
                bounds,
                None,
                about,
                UNLIMITED.with(|only| *only),
            )
        };
        let machine = |node: &Node| RefCell::new(node.start.machine.clone());
        Some(Self {
            devices: plan.boards.iter().map(device).collect::<Option<_>>()?,
            machines: plan.boards.iter().map(machine).collect(),
            ways: RefCell::default(),
            values: RefCell::default(),
            places: RefCell::default(),
        })
    }

    /// Where a board's program stops first.
    pub(super) fn initial(&self, board: usize) -> DeviceState {
        self.devices[board].initial()
    }

    /// The ways on of a board's program; if it stands before an input and there is an answer, with that one.
    pub(super) fn ways(&self, board: usize, state: &DeviceState, answer: Option<i32>) -> Rc<[Way]> {
        let key = (board, state.clone(), answer);
        if let Some(known) = self.ways.borrow().get(&key) {
            return known.clone();
        }
        let device = &self.devices[board];
        let ways: Vec<Way> = match answer {
            Some(answer) => {
                let ways = device.answered(state, Value::I32(answer)).into_iter();
                ways.map(|(_, to)| Way::to(to)).collect()
            }
            None => own_ways(device, state),
        };
        let ways: Rc<[Way]> = ways.into();
        self.ways.borrow_mut().insert(key, ways.clone());
        ways
    }

    /// The call before which a board's program stands, and where in its source that is; nothing if it stands before none.
    pub(super) fn place(
        &self,
        (board, node): (usize, &Node),
        state: &DeviceState,
    ) -> Option<Rc<Place>> {
        let (id, args) = state.calls()?;
        let key = (board, state.clone(), ());
        if let Some(known) = self.places.borrow().get(&key) {
            return Some(known.clone());
        }
        let mut machine = self.machines[board].borrow_mut();
        // A snapshot of this machine fits it.
        machine.restore(state.snapshot()?).ok()?;
        let scene = Scene {
            program: &node.program,
            info: &node.info,
            machine: &machine,
        };
        let at = machine.location().map(|location| location.offset);
        let at = at.map_or_else(String::new, |at| place_of(&node.info, at));
        let place = Rc::new((scene.call_text(id, args), at));
        self.places.borrow_mut().insert(key, place.clone());
        Some(place)
    }

    /// What a number of the program's source is in a state; nothing if it has no such value there.
    pub(super) fn value(
        &self,
        (board, node): (usize, &Node),
        state: &DeviceState,
        name: &str,
    ) -> Option<i64> {
        let key = (board, state.clone(), name.to_owned());
        if let Some(known) = self.values.borrow().get(&key) {
            return *known;
        }
        let mut machine = self.machines[board].borrow_mut();
        let value = state.snapshot().and_then(|snapshot| {
            // A snapshot of this machine fits it.
            machine.restore(snapshot).ok()?;
            number(&node.info, &machine, name).ok()?
        });
        self.values.borrow_mut().insert(key, value);
        value
    }
}

impl Way {
    fn to(to: DeviceState) -> Self {
        Way {
            said: None,
            to: Some(to),
        }
    }

    fn read(ty: ValType, set: &Set, to: Option<DeviceState>) -> Self {
        Way {
            said: Some(set.to_codomain(ty).to_string().into()),
            to,
        }
    }
}

/// The ways of a program that does what is its own: each of its inputs' values leads to one state.
fn own_ways(device: &Device<'_>, state: &DeviceState) -> Vec<Way> {
    let all = device.ways(state);
    let mut ways: Vec<Way> = Vec::new();
    let mut tried: Vec<Set> = Vec::new();
    for (way, to) in &all {
        let Some(input) = &way.input else {
            let source = way
                .event
                .map(|event| format!("{:?}", event.source).to_lowercase());
            ways.push(Way {
                said: source.map(Into::into),
                to: Some(to.clone()),
            });
            continue;
        };
        let overlaps = |other: &&(_, DeviceState)| {
            let (other, _): &&(borges_concolic::DeviceWay, DeviceState) = other;
            let theirs = other.input.as_ref().map(|input| &input.set);
            theirs.is_some_and(|set| !set.intersect(&input.set).is_empty())
        };
        if all.iter().filter(overlaps).count() == 1 {
            ways.push(Way::read(input.ty, &input.set, Some(to.clone())));
            continue;
        }
        // The values part by what is kept of them: each is tried.
        let mut left = input.set.clone();
        for done in &tried {
            left = left.without(done);
        }
        tried.push(left.clone());
        if left.count() > MOST_TRIED {
            ways.push(Way::read(input.ty, &left, None));
            continue;
        }
        let mut found: Vec<(DeviceState, Set)> = Vec::new();
        for cell in left.cells() {
            for (_, to) in device.answered(state, value_of(input.ty, cell)) {
                match found.iter_mut().find(|(known, _)| *known == to) {
                    Some((_, set)) => *set = set.union(&Set::single(cell)),
                    None => found.push((to, Set::single(cell))),
                }
            }
        }
        let found = found.into_iter();
        ways.extend(found.map(|(to, set)| Way::read(input.ty, &set, Some(to))));
    }
    ways
}
