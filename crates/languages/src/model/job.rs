//! From a program to a report.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Instant;

use borges_multiverse::adapt::{Preempting, Stepping};
use borges_multiverse::causality::{Classes, Found};
use borges_multiverse::graph::{
    self, CountError, EdgeId, Exploration, Graph, Limits, NodeId, Pause, Strategy,
};
use borges_multiverse::heed::{Enough, Impatient, Patient};
use borges_multiverse::language::Outcome;
use borges_multiverse::walk::{Sampler, Walk};

use super::ask::{Held, Multiverse};
use super::derived::Derived;
use super::explore::{Explore, Order, Progress, is_past};
use super::gains::{Keeper, Told};
use super::goal::{Finding, Goal, Judging};
use super::judge;
use super::lead::Lead;
use super::lens::{self, Lens};
use super::report::{End, Met, Report};
use super::reported::Reported;
use super::schedule::Selection;
use super::step::{Reduction, Step, Why};
use super::surveying::Surveying;
use super::{Model, Threads};

/// The longest run that is followed without merging: all its states are in memory.
const LONGEST: usize = 1_000_000;

/// States that are found between two tellings of them.
const TOLD: u32 = 64;

/// States of a graph of which the texts are kept too: they are most of a large file.
pub const DESCRIBED: usize = 20_000;

/// The longest run of a sample, if nothing else is said: some programs never end.
const LONGEST_SAMPLED: u32 = 10_000;

/// Where runs are cut, one length after the other, if nothing ends and one run takes all the steps.
const SHORT: [usize; 3] = [100, 1_000, 10_000];

/// What came of an exploration, and the graph that was explored; none if runs or universes were left out.
pub type Kept = (Report, Option<Box<dyn Multiverse>>);

pub(super) fn explore(
    model: &Model,
    options: &Explore,
    mut keep_going: impl FnMut(&Progress) -> bool,
    keeper: Option<Keeper<'_>>,
    surveying: Option<Surveying<'_>>,
) -> Kept {
    let deadline = deadline(options);
    let until = Cell::new(deadline);
    let mut late = false;
    let (is_kept, mut keeper) = (keeper.is_some(), keeper);
    let mut tell = |gains| keeper.as_mut().is_none_or(|keeper| keeper(gains));
    let (mut report, graph) = model.program().explore(Job {
        text: model.text(),
        options,
        keep_going: &mut |come| {
            let is_late = is_past(until.get());
            late |= is_late;
            !is_late && keep_going(come)
        },
        deadline,
        until: &until,
        keeper: is_kept.then_some(&mut tell),
        surveying,
    });
    if late && report.why == Some(Why::Cancelled) {
        report.why = Some(Why::Time);
    }
    report.language = model.dialect().name();
    (report, graph)
}

fn deadline(options: &Explore) -> Option<Instant> {
    let time = options.time?;
    Instant::now().checked_add(time)
}

/// The graph of a program, to be explored when it is asked; of the time that the options give, from now on.
pub(super) fn keep(model: &Model, options: &Explore) -> Box<dyn Multiverse> {
    let deadline = deadline(options);
    model.program().multiverse(Job {
        text: model.text(),
        options,
        keep_going: &mut |_| true,
        deadline,
        until: &Cell::new(deadline),
        keeper: None,
        surveying: None,
    })
}

/// An exploration that a program is asked for.
pub struct Job<'j> {
    pub(super) text: &'j str,
    pub(super) options: &'j Explore,
    /// Whether to go on; false from `until` on.
    keep_going: &'j mut dyn FnMut(&Progress) -> bool,
    /// When all must be done.
    deadline: Option<Instant>,
    /// When what is being done must be.
    until: &'j Cell<Option<Instant>>,
    /// Where what is found goes.
    keeper: Option<Keeper<'j>>,
    /// That no graph is wanted.
    surveying: Option<Surveying<'j>>,
}

/// The ends of one outcome.
struct Ending<C> {
    count: u64,
    way: C,
}

impl Job<'_> {
    /// Whether to go on.
    pub(super) fn goes_on(&mut self, come: &Progress) -> bool {
        (self.keep_going)(come)
    }

    /// As [`Job::run`], under the debugger or through a lens if that was asked for. What a lens shows
    /// is not all that the program does, so questions get no graph of it.
    pub(super) fn start<P, E>(&mut self, plain: P, exact: &E) -> Kept
    where
        P: Reported<State: 'static> + 'static,
        E: Reported<State: 'static>,
    {
        if let Some(surveying) = self.surveying.take() {
            let report = match self.options.debugger {
                true => self.survey(Stepping(plain), surveying),
                false => self.survey(plain, surveying),
            };
            return (report, None);
        }
        match &self.options.schedule {
            Some(Selection::Preemptions(most)) => {
                let (program, most) = (plain, *most);
                let bounded = Preempting { program, most };
                let name = bounded.name();
                return (self.seen(bounded, exact, name), None);
            }
            Some(Selection::Sampled { by, runs, seed }) => {
                return (self.sampled(&plain, *by, (*runs, *seed)), None);
            }
            Some(Selection::Order(_)) | None => {}
        }
        if let Some(lens) = self.lens() {
            let mut report = self.seen(lens::seen(plain, &lens), exact, lens.name());
            report.unmet = lens.unmet();
            return (report, None);
        }
        if self.options.debugger {
            self.run(Stepping(plain), &Stepping(exact))
        } else {
            self.run(plain, exact)
        }
    }

    /// As [`Job::graph`], of a program of which some universes are left out.
    fn seen<P: Reported + 'static, E: Reported>(&mut self, part: P, _: &E, name: String) -> Report {
        // What is kept of a graph is the program's own.
        self.keeper = None;
        let (mut report, held) = self.graph(part, None::<&E>);
        // Nobody waits until millions of states are freed.
        std::thread::spawn(move || drop(held));
        report.abstraction = Some(name);
        // There are more runs, and what is joined of runs through different states need not be one.
        (report.paths, report.cyclic) = (None, None);
        report
    }

    fn sampled<P: Reported>(&mut self, plain: &P, by: Sampler, (runs, seed): (u64, u64)) -> Report {
        let longest = u64::from(self.options.depth.min(LONGEST_SAMPLED));
        let (text, options) = (self.text, self.options);
        let mut judged: Vec<_> = options.goals.iter().map(Judging::new).collect();
        let look = |walk: &Walk<&P>| {
            let (state, outcome) = (walk.state(), walk.outcome());
            let name = |state: &_, agent: &_| plain.agent_name(state, agent);
            let step = |nth: u32| Step::at(walk, text, name, nth as usize);
            for judging in &mut judged {
                judging.look((plain, state), outcome.as_ref(), || walk.choices(), step);
            }
        };
        let sample = by.ends(plain, (runs, longest, seed), look, |come| {
            (self.keep_going)(&Progress {
                states: come.states,
                edges: come.states - come.runs,
                ends: come.ended,
                waiting: runs - come.runs,
                survey: None,
            })
        });
        let come = sample.come;
        let mut report = self.empty();
        report.states = come.states;
        report.edges = come.states - come.runs;
        report.why = match come.runs == runs {
            true => (come.ended < runs).then_some(Why::Depth),
            false => Some(Why::Cancelled),
        };
        let taken = match come.runs {
            1 => "one run".to_owned(),
            runs => format!("{runs} runs"),
        };
        report.abstraction = Some(format!("{taken}, {by}"));
        report.hold(judged.into_iter().map(|judging| {
            let (finding, way) = judging.finding(false, come.states)?;
            let trace = way.map_or_else(Vec::new, |way| self.trace(plain, way));
            Ok(Finding { trace, ..finding })
        }));
        let told = sample.ends.into_iter().map(|(outcome, (runs, way))| {
            let trace = self.trace(plain, way);
            self.end(plain, &outcome, runs, trace)
        });
        report.ends = told.collect();
        report
    }

    fn lens(&self) -> Option<Lens> {
        let order = match &self.options.schedule {
            Some(Selection::Order(order)) => Some(order),
            _ => None,
        };
        Lens::new(self.options.keep.as_deref(), self.options.symmetry, order)
    }

    /// `plain` is the language for graphs, `exact` that with exact footprints.
    fn run<P: Reported<State: 'static> + 'static, E: Reported>(
        &mut self,
        plain: P,
        exact: &E,
    ) -> (Report, Option<Box<dyn Multiverse>>) {
        match self.options.reduction {
            Reduction::None => {
                let (report, held) = self.graph(plain, Some(exact));
                (report, Some(Box::new(held)))
            }
            Reduction::Dpor => (self.classes(exact), None),
        }
    }

    pub(super) fn empty(&self) -> Report {
        Report {
            grain: self.options.grain,
            reduction: self.options.reduction,
            delivery: self.options.delivery,
            debugger: self.options.debugger,
            ..Report::default()
        }
    }

    fn begun<P: Reported + 'static>(&self, plain: P) -> Exploration<P> {
        let strategy = match &self.options.order {
            // Shortest paths are then those by which states were met.
            _ if self.lens().is_some() => Strategy::BreadthFirst,
            Order::BreadthFirst => Strategy::BreadthFirst,
            Order::DepthFirst => Strategy::DepthFirst,
            Order::Random(seed) => Strategy::Random { seed: *seed },
            Order::Toward { lead, .. } => {
                let (language, lead) = (plain.clone(), lead.clone());
                Strategy::Guided(Box::new(move |state| language.near(&lead, state)))
            }
        };
        Exploration::new(plain, strategy)
    }

    /// Grows a graph toward a breakpoint, and says by which step that was met first, and how many states there were then.
    /// With `first`, nothing is explored after that.
    fn search<P: Reported<State: 'static> + 'static>(
        &mut self,
        held: &mut Held<P>,
        lead: &Lead,
        first: bool,
        told: &mut Told<P::Value>,
    ) -> Option<(EdgeId, usize)> {
        let limits = self.limits();
        let (mut looked_at, mut untold) = (0, 0_u32);
        loop {
            // One universe after the other: the nearest may be the one just found.
            let few = Limits {
                states: limits.states.min(held.exploration.graph().len() + 1),
                ..limits
            };
            let pause = held
                .exploration
                .run(&few, |progress| (self.keep_going)(&progress.into()));
            held.pause = pause;
            let graph = held.exploration.graph();
            let edges = looked_at..graph.edge_count() as u32;
            looked_at = edges.end;
            let met = edges.map(EdgeId).find(|id| judge::meets(graph, lead, *id));
            let states = graph.len();
            if let Some(met) = met {
                held.pause = Pause::Cancelled;
                if !first {
                    self.explore(held, told);
                }
                return Some((met, states));
            }
            let more = pause == Pause::States && states < limits.states;
            if !more {
                return None;
            }
            untold += 1;
            let is_kept = !untold.is_multiple_of(TOLD) || self.tell(held, told);
            if !is_kept || !(self.keep_going)(&held.exploration.progress().into()) {
                held.pause = Pause::Cancelled;
                return None;
            }
        }
    }

    /// Explores on to the limits, and tells what is found.
    fn explore<P: Reported<State: 'static> + 'static>(
        &mut self,
        held: &mut Held<P>,
        told: &mut Told<P::Value>,
    ) {
        let limits = self.limits();
        if self.keeper.is_none() {
            let keep_going = |progress: graph::Progress| (self.keep_going)(&progress.into());
            held.pause = held
                .exploration
                .run_on(&Threads::all(), &limits, keep_going);
            return;
        }
        // What is found takes longer to write than to find, so one thread is enough, and it writes after every few states.
        loop {
            let known = held.graph().len();
            let few = Limits {
                states: limits.states.min(known + TOLD as usize),
                ..limits
            };
            let mut stopped = false;
            held.pause = held.exploration.run(&few, |progress| {
                stopped = !(self.keep_going)(&progress.into());
                !stopped
            });
            let more = held.pause == Pause::States && held.graph().len() < limits.states;
            if stopped || !more || !self.tell(held, told) {
                held.pause = if more { Pause::Cancelled } else { held.pause };
                return;
            }
            if !(self.keep_going)(&held.exploration.progress().into()) {
                held.pause = Pause::Cancelled;
                return;
            }
        }
    }

    /// Tells what was found since the last time, if somebody wants to know; false if nobody can take it.
    fn tell<P: Reported<State: 'static>>(
        &mut self,
        held: &Held<P>,
        told: &mut Told<P::Value>,
    ) -> bool {
        let Some(keeper) = &mut self.keeper else {
            return true;
        };
        keeper(held.gains(told))
    }

    pub(super) const fn limits(&self) -> Limits {
        Limits {
            states: self.options.states,
            depth: self.options.depth,
        }
    }

    /// A graph of which nothing is explored yet, under the debugger if that was asked for; never an
    /// abstraction.
    pub(super) fn hold<P: Reported<State: 'static> + 'static>(
        &self,
        plain: P,
    ) -> Box<dyn Multiverse> {
        if self.options.debugger {
            Box::new(self.held(Stepping(plain)))
        } else {
            Box::new(self.held(plain))
        }
    }

    fn held<P: Reported + 'static>(&self, plain: P) -> Held<P> {
        Held {
            text: self.text.to_owned(),
            exploration: self.begun(plain),
            limits: self.limits(),
            pause: Pause::Cancelled,
            deadline: self.deadline,
            derived: Derived::default(),
        }
    }

    /// When to stop exploring, so that what was found can be held to goals.
    fn leave_time_to_judge(&self) {
        let costs = self.options.goals.iter().any(Goal::looks_at_steps);
        let now = Instant::now();
        let half = |until: Instant| now + until.saturating_duration_since(now) / 2;
        self.until.set(match costs {
            true => self.deadline.map(half),
            false => self.deadline,
        });
    }

    /// Classes are counted where there is an `exact` language.
    fn graph<P: Reported<State: 'static> + 'static, E: Reported>(
        &mut self,
        plain: P,
        exact: Option<&E>,
    ) -> (Report, Held<P>) {
        let mut report = self.empty();
        let mut told = Told::nothing(DESCRIBED);
        let mut held = self.held(plain);
        self.leave_time_to_judge();
        match self.options.order.clone() {
            Order::Toward { lead, first } if self.lens().is_none() => {
                let met = self.search(&mut held, &lead, first, &mut told);
                report.toward = Some(lead.text().to_owned());
                report.met = met.map(|(edge, states)| self.met(held.graph(), &lead, edge, states));
                let stopped = first && report.met.is_some();
                report.why = stopped.then_some(Why::Met);
            }
            _ => self.explore(&mut held, &mut told),
        }
        let _told = self.tell(&held, &mut told);
        let (graph, pause) = (held.graph(), held.pause);
        report.states = graph.len() as u64;
        report.edges = graph.edge_count() as u64;
        report.complete = pause == Pause::Complete;
        report.why = report.why.or(Why::of(pause));
        // Who stopped it does not wait until everything was looked at once more.
        let stopped = pause == Pause::Cancelled && !is_past(self.until.get());
        let come = held.come();
        let mut keep_going = || (self.keep_going)(&come);
        match (!stopped).then(|| graph.count_paths(&mut Impatient::new(&mut keep_going))) {
            Some(Ok(Ok(counts))) => {
                report.paths = Some(counts.total().to_string());
                report.cyclic = Some(false);
                report.classes = exact.and_then(|exact| self.count(exact));
            }
            Some(Ok(Err(CountError::Cyclic(_)))) => report.cyclic = Some(true),
            Some(Ok(Err(CountError::Unexplored(_) | CountError::Partial(_))) | Err(Enough))
            | None => {}
        }
        report.ends = self.ends(&held);
        // What is seen through an abstraction is not all.
        let complete = report.complete && exact.is_some();
        self.until.set(self.deadline);
        let goals = self.options.goals.iter();
        report.hold(goals.map(|goal| held.hold_to(goal, complete, self.keep_going)));
        (report, held)
    }

    /// A shortest known way over a step that comes to a breakpoint.
    fn met<P: Reported>(&self, graph: &Graph<P>, lead: &Lead, edge: EdgeId, states: usize) -> Met {
        let from = graph.edge(edge).map(|edge| edge.from);
        let Ok(way) = graph.nearest(NodeId::ROOT, |node| Some(node) == from, &mut Patient);
        let way = way.map(|(_, way)| way).unwrap_or_default();
        let edges = way.iter().chain([&edge]);
        let choices = edges.filter_map(|id| graph.choice(*id));
        Met {
            breakpoint: lead.text().to_owned(),
            states: states as u64,
            trace: self.trace(graph.language(), choices),
        }
    }

    /// What the program comes to: its ends, and what is not followed further.
    fn ends<P: Reported>(&self, held: &Held<P>) -> Vec<End> {
        let graph = held.graph();
        let plain = graph.language();
        let shortest = held.shortest();
        let length = |node: NodeId| shortest.length(node).unwrap_or(u32::MAX);
        let mut found: BTreeMap<Outcome<P::Value>, Ending<NodeId>> = BTreeMap::new();
        for end in graph.ends().chain(held.exploration.unfollowed()) {
            let Some(outcome) = graph.state(end).map(|state| plain.outcome(state)) else {
                continue;
            };
            let known = found
                .entry(outcome)
                .or_insert(Ending { count: 0, way: end });
            known.count += 1;
            if length(end) < length(known.way) {
                known.way = end;
            }
        }
        let trace = |node: NodeId| {
            let path = shortest.path(graph, node).unwrap_or_default();
            self.trace(plain, path.iter().filter_map(|edge| graph.choice(*edge)))
        };
        found
            .into_iter()
            .map(|(outcome, ends)| self.end(plain, &outcome, ends.count, trace(ends.way)))
            .collect()
    }

    pub(super) fn end<P: Reported>(
        &self,
        language: &P,
        outcome: &Outcome<P::Value>,
        states: u64,
        trace: Vec<Step>,
    ) -> End {
        let remains = language.remains(&outcome.value);
        End {
            how: outcome.verdicts.into(),
            output: remains.output,
            values: remains.values,
            waiting: remains.waiting,
            text: outcome.value.to_string(),
            states,
            trace,
        }
    }

    pub(super) fn trace<P: Reported>(
        &self,
        language: &P,
        choices: impl IntoIterator<Item = P::Choice>,
    ) -> Vec<Step> {
        let name = |state: &_, agent: &_| language.agent_name(state, agent);
        Step::all(language, self.text, name, choices)
    }

    /// The number of classes, unless that takes too long.
    fn count<E: Reported>(&mut self, exact: &E) -> Option<u64> {
        let budget = self.options.class_steps;
        let mut classes = Classes::new(exact);
        let mut count = 0_u64;
        let mut spent = 0_u64;
        loop {
            let found = classes.advance(usize::MAX, || {
                spent += 1;
                let progress = Progress::of_steps(spent, count);
                // Whoever is tired of counting still gets the rest.
                spent <= budget && (!spent.is_multiple_of(256) || (self.keep_going)(&progress))
            });
            match found {
                Found::End => count += 1,
                Found::Done => return Some(count),
                Found::Cut | Found::Cancelled => return None,
            }
        }
    }

    /// One run of each class.
    ///
    /// Where one run takes all the steps that there are, no end was seen and no limit of depth was
    /// given, runs are cut, at first early: a program that can go on for ever with ever new states may
    /// have ends all the same.
    fn classes<E: Reported>(&mut self, exact: &E) -> Report {
        let asked = usize::try_from(self.options.depth).unwrap_or(usize::MAX);
        let mut search = Search::new(exact);
        let mut why = self.follow(exact, asked.min(LONGEST), &mut search);
        if self.options.depth == u32::MAX {
            for depth in SHORT {
                let unfinished = matches!(why, Some(Why::States | Why::Depth));
                if !unfinished || !search.found.is_empty() {
                    break;
                }
                search = Search::new(exact);
                why = self.follow(exact, depth, &mut search);
            }
        }
        let Search {
            classes,
            found,
            ends,
            unfollowed,
        } = search;
        let why = why.or(unfollowed.then_some(Why::Unfollowed));
        let mut report = self.empty();
        report.states = classes.steps() + 1;
        report.edges = classes.steps();
        report.complete = why.is_none();
        report.cyclic = match classes.rounds() {
            0 => report.complete.then_some(false),
            _ => Some(true),
        };
        // Where runs go round, those that end are without number.
        report.classes = (report.cyclic == Some(false)).then_some(ends);
        report.why = why;
        report.ends = found
            .into_iter()
            .map(|(outcome, ends)| {
                let trace = self.trace(exact, ends.way);
                self.end(exact, &outcome, ends.count, trace)
            })
            .collect();
        report
    }

    /// Goes through the classes of runs of at most `depth` steps; says why these are not all.
    fn follow<E: Reported>(
        &mut self,
        exact: &E,
        depth: usize,
        search: &mut Search<'_, E>,
    ) -> Option<Why> {
        let limit = self.options.states as u64;
        let (mut steps, mut why) = (0_u64, None);
        loop {
            let ends = search.ends;
            let reached = search.classes.advance(depth, || {
                steps += 1;
                let progress = Progress::of_steps(steps, ends);
                steps <= limit && (!steps.is_multiple_of(256) || (self.keep_going)(&progress))
            });
            match reached {
                Found::End => search.end(exact),
                Found::Cut => why = Some(Why::Depth),
                Found::Done => return why,
                Found::Cancelled if steps > limit => return Some(Why::States),
                Found::Cancelled => return Some(Why::Cancelled),
            }
        }
    }
}

/// A search for one run of each class.
struct Search<'e, E: Reported> {
    classes: Classes<&'e E>,
    found: BTreeMap<Outcome<E::Value>, Ending<Vec<E::Choice>>>,
    /// How many runs ended.
    ends: u64,
    /// Some of them go on as nobody knows.
    unfollowed: bool,
}

impl<'e, E: Reported> Search<'e, E> {
    fn new(exact: &'e E) -> Self {
        Self {
            classes: Classes::new(exact),
            found: BTreeMap::new(),
            ends: 0,
            unfollowed: false,
        }
    }

    /// Notes the end that was just found.
    fn end(&mut self, exact: &E) {
        self.ends += 1;
        let Some(state) = self.classes.state() else {
            return;
        };
        let events = self.classes.run().events();
        let way = || events.iter().map(|event| event.choice.clone()).collect();
        let outcome = exact.outcome(state);
        self.unfollowed |= !exact.is_followed(state);
        let known = self.found.entry(outcome).or_insert_with(|| Ending {
            count: 0,
            way: way(),
        });
        known.count += 1;
        if events.len() < known.way.len() {
            known.way = way();
        }
    }
}
