//! Exploring a device program's states: how far, and what came of it.

use std::collections::VecDeque;
use std::path::Path;
use std::rc::Rc;
use std::thread::Scope;
use std::time::{Duration, Instant};

use borges_concolic::{
    Budget, Company, Cut, Device, DeviceState, DeviceWay, Differing, End, Facts, Lookers, Spent,
    StateWord, Varies, explore_states,
};
use borges_multiverse::graph::{Edge, Exploration, Graph, Limits, NodeId, Pause, Strategy};

use super::conditions::Conditions;
use super::looking::{Crew, Hands};
use super::options::{STEPS, StatesOptions, wrong};
use super::study::Study;
use super::{Subject, counted, cuts, evidence, telling, words};
use crate::command::question::UnexploredReport;
use crate::command::{Event, Flow};
use crate::program::OpenError;

/// States without a bound of the caller's.
pub(super) const STATES: usize = 1_000_000;
/// So often states are divided.
pub(super) const MOST_DIVISIONS: usize = 64;
/// The same where states are divided.
const MOST_DIVIDED: usize = 20_000;
/// Of so few states, what is the same in all kept none apart.
const FEW_STATES: usize = 8;
/// So many names of what keeps a graph open are told.
const MOST_NAMED: usize = 3;

/// The program that is asked about.
pub(super) fn subject_of(
    path: &Path,
    board: Option<&Path>,
    options: &StatesOptions,
) -> Result<Subject, OpenError> {
    options.known_solver(path)?;
    let given = options.system.as_ref();
    let linked = (path, options.libraries.as_slice());
    let mut subject = Subject::open(linked, board, options.entry.as_deref(), given)?;
    options.fits(&subject)?;
    subject.start.choices = options.choices();
    Ok(subject)
}

/// The time for a question about a program's states.
pub(super) struct Effort<'e> {
    /// For all that is done.
    pub(super) budget: &'e Budget<'e>,
    /// For exploring alone.
    pub(super) looking: &'e Budget<'e>,
    began: Instant,
}

impl<'e> Effort<'e> {
    /// For a question with a budget of its own, of which a part is for exploring.
    pub(super) fn new(budget: &'e Budget<'e>, looking: &'e Budget<'e>) -> Self {
        Effort {
            budget,
            looking,
            began: Instant::now(),
        }
    }

    /// The time that was taken so far.
    pub(super) fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }
}

/// Answers a question within its time, of which so many parts of a hundred are for exploring. `observer` hears how far that
/// has come, and may end it.
pub(super) fn within<T>(
    options: &StatesOptions,
    observer: &mut dyn FnMut(Event) -> Flow,
    percent: u32,
    answer: impl for<'e> FnOnce(&Effort<'e>) -> T,
) -> T {
    let began = Instant::now();
    let clock = || began.elapsed();
    let heard = telling(observer, &clock, |progress| match progress.states {
        0 => counted("steps", progress.steps),
        states => counted("states", states as u64),
    });
    let budget = Budget::new(options.time(), &clock, &heard);
    let looking = budget.part(percent);
    answer(&Effort::new(&budget, &looking))
}

/// What an exploration found.
pub(super) struct Found<'f> {
    pub(super) subject: &'f Subject,
    pub(super) graph: Graph<Rc<Device<'f>>>,
    pub(super) budget: &'f Budget<'f>,
    /// The most ways on a shortest path to a state.
    pub(super) depth: u32,
    /// Everything that was left out: never empty if the graph is not complete.
    pub(super) unexplored: Vec<UnexploredReport>,
    pause: Pause,
}

/// For every state: the fewest inputs on a way to it, and where the last of its steps comes from.
pub(super) struct Nearest(Vec<(u32, Option<NodeId>)>);

/// Has threads look at the states of a large graph.
struct Hiring<'s, 'e> {
    scope: &'s Scope<'s, 'e>,
    study: Study<'e>,
}

impl Company for Hiring<'_, '_> {
    fn hire(&self, facts: &Facts) -> Option<Box<dyn Lookers>> {
        let cores = Hands::cores(self.study.options.cores);
        if cores < 2 {
            return None;
        }
        let study = (&self.study, facts);
        Some(Box::new(Crew::on_cores(self.scope, study, cores)))
    }
}

impl<'f> Found<'f> {
    /// Explores a program, with what is looked at in its states; they are told apart by that also if it is nothing, if
    /// they are `is_watched`.
    ///
    /// # Errors
    /// The file holds no program, or what is to be taken for anything is nothing of it.
    pub(super) fn explore(
        subject: &'f Subject,
        (conditions, is_watched): (&'f Conditions<'f>, bool),
        options: &StatesOptions,
        effort: &Effort<'f>,
    ) -> Result<Self, OpenError> {
        let study = Study::of(conditions, options, is_watched);
        let about = options.comparing(subject, &study.watching(conditions))?;
        let bounds = options.bounds();
        let limits = Limits {
            states: options.states.unwrap_or(STATES),
            depth: options.depth.unwrap_or(u32::MAX),
        };
        let explored = std::thread::scope(|scope| {
            let crew = Hiring { scope, study };
            let solver = || options.solver();
            let start = &subject.start;
            explore_states(
                start,
                &bounds,
                &solver,
                &about,
                &limits,
                effort.looking,
                &crew,
            )
        });
        let nothing = || wrong(&subject.path, "the file holds no program".to_owned());
        let (exploration, pause) = explored.ok_or_else(nothing)?;
        let mut found = Found {
            subject,
            depth: exploration.progress().depth,
            graph: exploration.into_graph(),
            unexplored: Vec::new(),
            pause,
            budget: effort.budget,
        };
        found.unexplored = found.left_out(found.cut(&limits, options, effort));
        Ok(found)
    }

    /// What cut the exploration.
    fn cut(
        &self,
        limits: &Limits,
        options: &StatesOptions,
        effort: &Effort<'_>,
    ) -> Option<(&'static str, String)> {
        let bounds = (limits, options.time());
        let (bound, mut words) = cut(self.pause, bounds, effort.looking.spent())?;
        if matches!(bound, "time" | "states") {
            words += &self.kept_open();
        }
        Some((bound, words))
    }

    /// Divides states as long as some ways are open to some of their values only, and that can be helped.
    pub(super) fn divide_all(&mut self, options: &StatesOptions, effort: &Effort<'f>) {
        let mut rounds = 0..MOST_DIVISIONS;
        while !self.graph.partial().is_empty()
            && rounds.next().is_some()
            && self.divide(options, effort)
        {}
    }

    /// Divides the states of a complete graph that some of their values leave on ways of their own, and explores again;
    /// false if there are none, they cannot be divided, or the time or the room does not suffice: then all is as it was.
    pub(super) fn divide(&mut self, options: &StatesOptions, effort: &Effort<'_>) -> bool {
        if !self.holds_all() || effort.looking.is_spent() {
            return false;
        }
        let limits = Limits {
            states: options.states.unwrap_or(MOST_DIVIDED),
            depth: options.depth.unwrap_or(u32::MAX),
        };
        let device = Rc::clone(self.graph.language());
        let mut divided = None;
        let is_divided = device.divide(|| {
            let mut exploration = Exploration::new(Rc::clone(&device), Strategy::BreadthFirst);
            let mut pause = Ok(NodeId::ROOT);
            while pause.is_ok() && !effort.looking.is_spent() {
                effort.looking.note_states(exploration.graph().len());
                pause = exploration.advance(&limits);
            }
            let is_whole = pause == Err(Pause::Complete) && !device.is_cut();
            divided = is_whole.then_some(exploration);
            is_whole
        });
        if let Some(exploration) = divided {
            self.depth = exploration.progress().depth;
            self.graph = exploration.into_graph();
            self.unexplored = self.left_out(None);
        }
        is_divided
    }

    /// The states that are no ends.
    pub(super) fn states(&self) -> usize {
        let states = self.graph.nodes().filter_map(|node| self.graph.state(node));
        states.filter(|state| state.end().is_none()).count()
    }

    /// Whether every run of the program is one of the graph's: it may have more.
    pub(super) fn holds_all(&self) -> bool {
        self.pause == Pause::Complete
            && !self.graph.language().is_cut()
            && self.unexplored.is_empty()
    }

    /// The states of which something is so, nearest first, with the fewest inputs on a way to each.
    pub(super) fn where_is(
        &self,
        nearest: &Nearest,
        is_so: impl Fn(&DeviceState) -> bool,
    ) -> Vec<(u32, NodeId)> {
        let nodes = self.graph.nodes();
        let there = nodes.filter(|node| self.graph.state(*node).is_some_and(&is_so));
        let mut there: Vec<(u32, NodeId)> =
            there.map(|node| (nearest.inputs(node), node)).collect();
        there.sort_unstable();
        there
    }

    /// What was taken for anything and mattered, as the source calls it.
    pub(super) fn maybe(&self) -> Vec<String> {
        self.words(&self.graph.language().maybe())
    }

    /// Words as the source calls them.
    pub(super) fn words(&self, words: &[StateWord]) -> Vec<String> {
        let states = || self.graph.nodes().filter_map(|node| self.graph.state(node));
        let named = |word: &StateWord| words::named(self.subject, states(), *word);
        words.iter().map(named).collect()
    }

    /// What may have kept the graph from closing until it was cut.
    fn kept_open(&self) -> String {
        let states = self.graph.nodes();
        let states: Vec<DeviceState> = states
            .filter_map(|node| self.graph.state(node).cloned())
            .collect();
        let mut differing = self.graph.language().differ_most(&states);
        if states.len() <= FEW_STATES {
            differing.retain(|differing| differing.count > 1);
        }
        match self.differing(&differing) {
            None => match states.len() {
                1 => "; it went into the ways of 1 state".to_owned(),
                few @ 2..=FEW_STATES => format!("; it went into the ways of {few} states"),
                _ => String::new(),
            },
            Some(said) => format!("; so far, states differ most in {said}"),
        }
    }

    /// The words in which states differ, and how; nothing if they differ in none.
    fn differing(&self, all: &[Differing]) -> Option<String> {
        let mut names: Vec<String> = Vec::new();
        let mut said: Vec<String> = Vec::new();
        for differing in all {
            for name in self.words(&[differing.word]) {
                if !names.contains(&name) {
                    said.push(format!("{name} ({})", how(differing)));
                    names.push(name);
                }
            }
            if names.len() == MOST_NAMED {
                break;
            }
        }
        // A C library's buffer of what is printed, which is emptied when it is full.
        let is_buffer = |name: &String| name.starts_with("__stdout_FILE");
        let hint = match names.iter().any(is_buffer) {
            true => " (what is printed waits there: --terminal has it printed line by line)",
            false => "",
        };
        (!said.is_empty()).then(|| format!("{}{hint}", said.join(", ")))
    }

    /// Why words that matter were taken for anything nevertheless, if some were.
    pub(super) fn note(&self) -> Option<String> {
        let device = self.graph.language();
        let given_up = device.given_up().filter(|_| !device.maybe().is_empty())?;
        let most = self.differing(&given_up.differing);
        let most = most.map_or_else(String::new, |most| format!(", which differ most in {most}"));
        Some(format!(
            "where all is compared, there are {} states and more{most}",
            given_up.states
        ))
    }

    /// All that was left out, what cut the exploration first.
    fn left_out(&self, cut: Option<(&str, String)>) -> Vec<UnexploredReport> {
        let info = &self.subject.info;
        let mut all = Vec::new();
        all.extend(cut.map(|(bound, words)| cuts::bound_report(bound, words)));
        let steps = |node: &NodeId| {
            self.graph.state(*node).and_then(DeviceState::end) == Some(&End::Cut(Cut::Steps))
        };
        if self.graph.nodes().any(|node| steps(&node)) {
            all.push(many_steps());
        }
        let unexplored = self.graph.language().unexplored();
        all.extend(unexplored.iter().map(|left| cuts::single(info, left)));
        all
    }
}

/// How states differ in a word, as far as that may be why their graph does not close.
fn how(differing: &Differing) -> String {
    let Differing { varies, count, .. } = differing;
    match varies {
        // It is named since it is more than a value, but tells none of these states apart.
        _ if *count == 1 => "the same in all so far".to_owned(),
        Varies::EverNew => format!("ever new values: {count} so far"),
        Varies::Computed => format!(
            "made of more inputs than can be counted out, so that it is compared by how it came about: {count} ways so far"
        ),
        Varies::Together => format!("{count} relations to others so far"),
        Varies::Sets => format!("{count} sets of values so far"),
        Varies::Values => format!("{count} values so far"),
    }
}

/// That somewhere too many instructions run.
pub(super) fn many_steps() -> UnexploredReport {
    let words = format!(
        "somewhere {STEPS} instructions run without an input, and without a wait at the same place twice"
    );
    cuts::bound_report("instructions", words)
}

/// What cut an exploration within these limits and this time, and in words.
pub(super) fn cut(
    pause: Pause,
    (limits, time): (&Limits, Duration),
    spent: Option<Spent>,
) -> Option<(&'static str, String)> {
    match pause {
        Pause::Cancelled => Some(ended_by(spent.unwrap_or(Spent::Time), time)),
        Pause::Depth => {
            let words = format!("the bound of {} ways on a path", limits.depth);
            Some(("depth", words))
        }
        Pause::States | Pause::Full => {
            let words = format!("the bound of {} states: raise --states", limits.states);
            Some(("states", words))
        }
        Pause::Complete | Pause::Unfollowed => None,
    }
}

/// What ended a look that had this time, and in words.
pub(super) fn ended_by(spent: Spent, time: Duration) -> (&'static str, String) {
    match spent {
        Spent::Cancelled => ("cancelled", "it was ended by the user".to_owned()),
        Spent::Time => ("time", format!("the time of {} s", time.as_secs_f64())),
    }
}

impl Nearest {
    /// The nearest way to every state of a graph.
    pub(super) fn new(graph: &Graph<Rc<Device<'_>>>) -> Self {
        let mut nearest = vec![(u32::MAX, None); graph.len()];
        nearest[0].0 = 0;
        let mut queue = VecDeque::from([NodeId::ROOT]);
        while let Some(node) = queue.pop_front() {
            let (inputs, _) = nearest[node.0 as usize];
            // A look at the state shows all its ways: one is enough.
            let mut ways = None;
            for (_, edge) in graph.edges_from(node) {
                if nearest[edge.to.0 as usize].0 <= inputs {
                    continue;
                }
                let reads = reads_input(graph, &edge, &mut ways);
                let there = inputs.saturating_add(u32::from(reads));
                let known = &mut nearest[edge.to.0 as usize];
                if there < known.0 {
                    *known = (there, Some(node));
                    // Those without an input come first.
                    match reads {
                        true => queue.push_back(edge.to),
                        false => queue.push_front(edge.to),
                    }
                }
            }
        }
        Nearest(nearest)
    }

    /// The fewest inputs on a way to a state.
    pub(super) fn inputs(&self, node: NodeId) -> u32 {
        self.0[node.0 as usize].0
    }

    /// The states on a nearest way.
    pub(super) fn way_to(&self, graph: &Graph<Rc<Device<'_>>>, end: NodeId) -> Vec<DeviceState> {
        let before = |node: &NodeId| self.0[node.0 as usize].1;
        let nodes = std::iter::successors(Some(end), before);
        let mut states: Vec<DeviceState> = nodes
            .filter_map(|node| graph.state(node).cloned())
            .collect();
        states.reverse();
        states
    }
}

/// Whether an input is read on a step. `ways` are those on from where the step begins, once they were looked for.
fn reads_input(
    graph: &Graph<Rc<Device<'_>>>,
    edge: &Edge,
    ways: &mut Option<Vec<(DeviceWay, DeviceState)>>,
) -> bool {
    let Some(state) = graph.state(edge.from) else {
        return false;
    };
    if state.asks().is_none() {
        return false;
    }
    let Some(to) = graph.state(edge.to).filter(|to| to.end().is_some()) else {
        return true;
    };
    let ways = ways.get_or_insert_with(|| graph.language().ways(state));
    let way = ways.get(edge.option as usize);
    way.is_none_or(|(way, _)| evidence::reads_input(state, way, to))
}

/// Time to run what was found again, when all other time is used up.
const GRACE: Duration = Duration::from_millis(200);
/// The same when the user does not want to wait.
const SHORT_GRACE: Duration = Duration::from_millis(2);

/// What is left to spend on showing what was found: the rest, or a little more where there is none.
pub(super) fn tidying<'b>(budget: &'b Budget<'b>) -> Budget<'b> {
    match budget.spent() {
        None => budget.part(100),
        Some(Spent::Time) => budget.grace(GRACE),
        Some(Spent::Cancelled) => budget.grace(SHORT_GRACE),
    }
}
