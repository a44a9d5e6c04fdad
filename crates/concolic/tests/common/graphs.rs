//! Graphs beside plain runs of all input sequences.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

use borges_board::Codomain;
use borges_concolic::{
    Bounds, Budget, Comparing, Device, DeviceState, End, FAULTS, Flow, Start, Unexplored, Unread,
    explore_states,
};
use borges_multiverse::graph::{Exploration, Graph, Limits, NodeId, Pause, Strategy};
use borges_vm::{ValType, Value};

use crate::runs::{Comes, Standing, codomain, go_on, yields};

/// How a graph is made.
pub(crate) struct How {
    /// So many combinations of values are counted out.
    pub(crate) most: u64,
    /// What lies in what is dead.
    pub(crate) garbage: u32,
    /// So many units pass between two readings of a clock at most; nothing if there is no clock.
    pub(crate) elapses: Option<u64>,
    /// What is left out of memory is tried and proved; else it is only tried, once, and left out whatever depends on it.
    pub(crate) is_proved: bool,
    /// Before so many stops a clock may not have been read: of a plain run it is not known what it shows then.
    pub(crate) unread: usize,
}

impl Default for How {
    fn default() -> Self {
        How {
            most: 1 << 16,
            garbage: 0,
            elapses: None,
            is_proved: true,
            unread: 0,
        }
    }
}

/// The times that programs begin with, which a clock shows at first at the least.
pub(crate) const BEGINS: i32 = 5;

impl How {
    /// The values that an input may have in a state; of a clock, those that come soon enough.
    fn codomain(&self, start: &Start, standing: &Standing) -> Option<Codomain> {
        let all = codomain(start, standing)?;
        let pending = standing.machine.pending()?;
        let id = start.primitives[pending.func.0 as usize];
        match (self.elapses, start.board.clock_unit_us(id)) {
            (Some(elapses), Some(unit)) => {
                let shown = (standing.board.clock_floor_us() / unit) as i64;
                let shown = shown.max(BEGINS.into());
                let last = shown + elapses as i64;
                Some(match all.ty() {
                    ValType::I64 => Codomain::range(Value::I64(shown), Value::I64(last)),
                    _ => Codomain::range(Value::I32(shown as i32), Value::I32(last as i32)),
                })
            }
            _ => Some(all),
        }
    }
}

/// What plain runs come to after so many stops: a state each, or one of several where words may hold times or numbers.
type Level = HashSet<Vec<DeviceState>>;

/// What runs of all input sequences come to, stop by stop: the states, and the ends with the fewest stops to each.
type Truth = (Vec<Level>, BTreeMap<String, u32>);

fn all_runs(start: &Start, device: &Device<'_>, depth: usize, how: &How) -> Truth {
    let first = Standing {
        machine: start.machine.clone(),
        board: start.state.clone(),
    };
    let mut levels: Vec<Level> = Vec::new();
    let mut ends = BTreeMap::new();
    // A run from one of two equal states comes to what the other's comes to: that is checked below, by other means.
    let mut here: HashMap<Vec<u8>, Box<Standing>> = HashMap::new();
    let mut add = |comes: Comes, next: &mut HashMap<Vec<u8>, Box<Standing>>, stops: u32| match comes
    {
        Comes::Stands(standing) => {
            let board = &standing.board;
            let input = board.system().map(|_| board.input_is_over());
            let board = board.influence(&start.board, how.elapses.is_some());
            let board = board.with_system_influence(input);
            let key = (standing.machine.hash().0, board.hash64());
            let key = [key.0.to_le_bytes(), key.1.to_le_bytes()].concat();
            next.insert(key, standing);
        }
        Comes::Ends(end, _) => {
            ends.entry(format!("{end:?}")).or_insert(stops);
        }
    };
    add(go_on(start, first, None, false), &mut here, 0);
    for stops in 0..=depth {
        let state = |standing: &Standing| {
            let states = device.states_of(&standing.machine, &standing.board);
            assert!(!states.is_empty(), "a state");
            states
        };
        levels.push(here.values().map(|standing| state(standing)).collect());
        let mut next = HashMap::new();
        for standing in here.into_values() {
            match how.codomain(start, &standing) {
                Some(codomain) => {
                    let count = codomain.count().expect("few values");
                    let values = (0..count).filter_map(|nth| codomain.nth(nth));
                    for yielded in values.flat_map(|value| yields(start, &standing, value)) {
                        let comes = go_on(start, (*standing).clone(), Some(yielded), true);
                        add(comes, &mut next, stops as u32 + 1);
                    }
                }
                None => add(
                    go_on(start, *standing, None, true),
                    &mut next,
                    stops as u32 + 1,
                ),
            }
        }
        here = next;
    }
    (levels, ends)
}

/// How a graph and all runs differ.
#[derive(Debug)]
pub(crate) struct Differences {
    /// States of plain runs that the graph has not, or not at that depth.
    pub(crate) missing: usize,
    /// States that the graph has and no plain run.
    pub(crate) too_many: usize,
    /// The ends of both, each with the fewest stops to it.
    pub(crate) ends: [BTreeMap<String, u32>; 2],
    /// States of plain runs.
    pub(crate) count: usize,
    /// Bytes that are left out, in all states together.
    pub(crate) left_out: usize,
    /// Nothing that was taken for anything mattered.
    is_exact: bool,
}

/// The graph holds exactly the states of all runs, at their least depths, and the same ends. False if the exploration said
/// that it left something out: then nothing is compared; or that something which it took for anything mattered: then no state
/// is missing.
pub(crate) fn check(name: &str, start: &Start, depth: usize, how: &How) -> bool {
    let Some(found) = differences(name, start, depth, how) else {
        return false;
    };
    assert_eq!(
        (found.missing, found.too_many),
        (0, 0),
        "{name}: of {} states of plain runs",
        found.count
    );
    if found.is_exact {
        assert_eq!(found.ends[0], found.ends[1], "{name}");
    }
    found.is_exact
}

/// How the graph and all runs differ; nothing if the exploration said that it left something out.
pub(crate) fn differences(
    name: &str,
    start: &Start,
    depth: usize,
    how: &How,
) -> Option<Differences> {
    let began = Instant::now();
    let clock = || began.elapsed();
    let heard = |_| Flow::Continue;
    let budget = Budget::new(Duration::from_secs(600), &clock, &heard);
    let limits = Limits {
        states: 50_000,
        depth: depth as u32,
    };
    let (mut times, mut unread) = (Vec::new(), Unread::default());
    let exploration = loop {
        let about = Comparing {
            garbage: how.garbage,
            elapses: how.elapses,
            times: times.clone(),
            unread: unread.clone(),
            ..Comparing::default()
        };
        let device = Device::new(start.clone(), Bounds::default(), None, about, &budget);
        let device = device.expect("a program").counting_out(how.most);
        let mut exploration = Exploration::new(device, Strategy::BreadthFirst);
        exploration.run(&limits, |_| true);
        // With words that hold times everywhere, so that plain states can be read in the same way.
        let found = exploration.graph().language().times();
        if !found.iter().all(|word| times.contains(word)) {
            times.extend(found);
            continue;
        }
        let graph = exploration.graph();
        let states: Vec<_> = graph
            .nodes()
            .filter_map(|node| graph.state(node).cloned())
            .collect();
        let device = graph.language();
        let is_tried = unread != Unread::default();
        let learned = device.learned().or_else(|| device.suggested(&states));
        match learned.filter(|_| how.is_proved || !is_tried) {
            Some(learned) => unread = learned,
            None => break exploration,
        }
    };
    let graph = exploration.graph();
    let device = graph.language();
    assert!(!device.is_cut(), "{name}: no time");
    let is_left_out = |left: &Unexplored| &*left.reason != FAULTS;
    if device.unexplored().iter().any(is_left_out) {
        return None;
    }
    // A duration that is kept is as good as a longer one where it was longer than clocks are followed.
    let is_aged = |node| graph.state(node).is_some_and(DeviceState::is_aged);
    if graph.nodes().any(is_aged) {
        return None;
    }
    let (levels, ends) = all_runs(start, device, depth, how);
    let may_be: Vec<HashSet<&DeviceState>> = levels
        .iter()
        .map(|level| level.iter().flatten().collect())
        .collect();
    let mut depths: HashMap<DeviceState, u32> = HashMap::new();
    let mut found_ends = BTreeMap::new();
    let mut queue: std::collections::VecDeque<_> = [(NodeId::ROOT, 0)].into();
    let mut seen = HashSet::new();
    let mut too_many = 0;
    while let Some((node, at)) = queue.pop_front() {
        if at > depth as u32 || !seen.insert(node) {
            continue;
        }
        let state = graph.state(node).expect("a node");
        match state.end() {
            Some(End::Trapped(trap, place)) => {
                found_ends
                    .entry(format!("{:?}", Some((*trap, *place))))
                    .or_insert(at);
            }
            Some(End::Returned | End::Exited(_)) => {
                found_ends.entry("None".to_owned()).or_insert(at);
            }
            Some(end) => panic!("{name}: {end:?}"),
            None => {
                let stands_for = device.stands_for(state, 1 << 17);
                if stands_for.is_none() && how.elapses.is_some() {
                    // A number that is made of what a clock shows may be any.
                    return None;
                }
                for known in stands_for.expect("few values") {
                    let is_one = may_be[at as usize].contains(&known);
                    too_many += usize::from(!is_one && at as usize >= how.unread);
                    depths.entry(known).or_insert(at);
                }
            }
        }
        queue.extend(graph.edges_from(node).map(|(_, edge)| (edge.to, at + 1)));
    }
    let mut missing = 0;
    let mut count = 0;
    for (at, level) in levels.iter().enumerate() {
        count += level.len();
        let is_there = |state| depths.get(state).is_some_and(|known| *known <= at as u32);
        missing += level
            .iter()
            .filter(|states| !states.iter().any(is_there))
            .count();
    }
    // What was taken for anything may be what no run has; and of times that lie further apart than clocks are followed,
    // bounds say no more than that.
    let is_exact = device.maybe().is_empty() && (how.elapses.is_none() || too_many == 0);
    if !is_exact {
        too_many = 0;
    }
    let expected: BTreeMap<String, u32> = ends
        .into_iter()
        .filter(|(_, stops)| *stops <= depth as u32)
        .collect();
    Some(Differences {
        missing,
        too_many,
        ends: [found_ends, expected],
        count,
        left_out: unread.count(),
        is_exact,
    })
}

/// Explores with counters taken for anything, as long as there are any; `within` calls the rest.
pub(crate) fn closed<T>(
    start: &Start,
    garbage: u32,
    within: impl FnOnce(&Graph<Rc<Device<'_>>>, Pause) -> T,
) -> T {
    let began = Instant::now();
    let clock = || began.elapsed();
    let heard = |_| Flow::Continue;
    let budget = Budget::new(Duration::from_secs(600), &clock, &heard);
    let bounds = Bounds {
        steps: 1_000_000,
        events: Some(1),
        ..Bounds::default()
    };
    let limits = Limits {
        states: 10_000,
        depth: u32::MAX,
    };
    let (mut about, mut last) = (Comparing::default(), None);
    // Garbage comes into what has turned out to be dead.
    for garbage in [0, garbage] {
        about.garbage = garbage;
        let explored = explore_states(start, &bounds, &|| None, &about, &limits, &budget, &());
        let (exploration, pause) = explored.expect("a program");
        let device = exploration.graph().language();
        assert!(!device.is_cut(), "no time");
        about.unread = device.unread();
        last = Some((exploration, pause));
    }
    let (exploration, pause) = last.expect("it was explored");
    within(exploration.graph(), pause)
}
