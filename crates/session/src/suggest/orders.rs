//! In which orders a device program and its interrupts can act: one run for each class.

use std::path::Path;

use borges_concolic::{Comparing, Cut, DeviceState, End, Interleaved, Progress};
use borges_multiverse::causality::{Causality, Classes, Found};
use borges_multiverse::language::Language as _;

use super::evidence::{Evidence, WayThere};
use super::exploring::{Effort, STATES, ended_by, many_steps, subject_of, tidying, within};
use super::options::{StatesOptions, wrong};
use super::{Subject, cuts};
use crate::command::proof::OrdersReport;
use crate::command::question::UnexploredReport;
use crate::command::{Event, Flow};
use crate::program::OpenError;

/// Finds one run for each class of orders in which a program and its interrupts can act, with at most so many events from
/// each source.
///
/// `observer` hears how many steps were taken and may end it: what was found by then is reported.
///
/// # Errors
/// [`OpenError`]: the program does not open.
pub fn orders_of_program(
    path: &Path,
    board: Option<&Path>,
    options: &StatesOptions,
    arrivals: u32,
    observer: &mut dyn FnMut(Event) -> Flow,
) -> Result<OrdersReport, OpenError> {
    let subject = subject_of(path, board, options)?;
    within(options, observer, 90, |effort| {
        let nothing = || wrong(path, "the file holds no program".to_owned());
        let mut about = Comparing::default();
        loop {
            let program = Interleaved::new(
                subject.start.clone(),
                options.bounds(),
                options.solver(),
                about.clone(),
                Some(arrivals),
                effort.looking,
            );
            let program = program.ok_or_else(nothing)?;
            let mut search = Search::new(&subject, &program);
            let cut = search.run(options, effort);
            match program.news() {
                // What handlers turned out to touch comes into it from the start on.
                Some(facts) if cut.is_none() => about = facts.told(&about),
                _ => return Ok(search.report(cut, arrivals, effort)),
            }
        }
    })
}

/// A search for one run of each class.
struct Search<'s, 'd> {
    subject: &'s Subject,
    program: &'s Interleaved<'d>,
    classes: Classes<&'s Interleaved<'d>>,
    count: u64,
    returns: bool,
    /// Somewhere too many instructions run.
    is_long: bool,
    /// The first ways to each trap.
    traps: Vec<WayThere>,
}

/// A bound, and what it cut off in words.
type Bound = (&'static str, String);

impl<'s, 'd> Search<'s, 'd> {
    fn new(subject: &'s Subject, program: &'s Interleaved<'d>) -> Self {
        Search {
            subject,
            program,
            classes: Classes::new(program),
            count: 0,
            returns: false,
            is_long: false,
            traps: Vec::new(),
        }
    }

    /// Goes through all classes; what cut that off.
    fn run(&mut self, options: &StatesOptions, effort: &Effort<'_>) -> Option<Bound> {
        let (states, depth) = (options.states.unwrap_or(STATES) as u64, options.depth);
        let longest = depth.map_or(usize::MAX, |depth| depth as usize);
        let mut cut = None;
        loop {
            let mut steps = self.classes.steps();
            let found = self.classes.advance(longest, || {
                effort.looking.note(Progress {
                    steps,
                    ..Progress::default()
                });
                steps += 1;
                steps <= states && !effort.looking.is_spent()
            });
            match found {
                Found::End => self.end(),
                Found::Done => return cut,
                Found::Cut => {
                    cut = Some(("depth", format!("the bound of {longest} steps of a run")));
                }
                Found::Cancelled => {
                    return Some(match effort.looking.spent() {
                        Some(spent) => ended_by(spent, options.time()),
                        None => {
                            let words = format!("the bound of {states} steps: raise --states");
                            ("states", words)
                        }
                    });
                }
            }
        }
    }

    /// Notes the end that was just found.
    fn end(&mut self) {
        self.count += 1;
        let end = self.classes.state().and_then(|state| state.device().end());
        match end.cloned() {
            Some(End::Returned | End::Exited(_)) => self.returns = true,
            Some(End::Cut(Cut::Steps)) => self.is_long = true,
            Some(end @ End::Trapped(..)) => {
                let is_it =
                    |(_, way): &WayThere| way.last().and_then(DeviceState::end) == Some(&end);
                if !self.traps.iter().any(is_it) {
                    self.traps.extend(self.way());
                }
            }
            _ => {}
        }
    }

    /// The way of the run found last, with how many inputs are read on it.
    fn way(&self) -> Option<WayThere> {
        let run: &Causality<_> = self.classes.run();
        let mut state = self.program.initial();
        let mut way = vec![state.device().clone()];
        let mut inputs = 0;
        for event in run.events() {
            inputs += u32::from(event.choice.way().input.is_some());
            state = self.program.apply(&state, &event.choice)?.state;
            way.push(state.device().clone());
        }
        Some((inputs, way))
    }

    fn report(self, cut: Option<Bound>, arrivals: u32, effort: &Effort<'_>) -> OrdersReport {
        let device = self.program.device();
        let left = device.unexplored();
        let left = left
            .iter()
            .map(|left| cuts::single(&self.subject.info, left));
        let cut = cut.map(|(bound, words)| cuts::bound_report(bound, words));
        let long = self.is_long.then(many_steps);
        let maybe = (!device.maybe().is_empty()).then(|| {
            let words = "the time that a clock shows was taken for anything, and something depends on it: there may be fewer orders";
            cuts::bound_report("maybe", words.to_owned())
        });
        let others = [cut, long, maybe].into_iter().flatten();
        let unexplored: Vec<UnexploredReport> = others.chain(left).collect();
        let evidence = Evidence {
            subject: self.subject,
            device,
            tidying: tidying(effort.budget),
        };
        let (traps, _) = evidence.traps(self.traps.into_iter());
        OrdersReport {
            about: self.subject.named(),
            arrivals,
            classes: self.count,
            rounds: self.classes.rounds(),
            complete: unexplored.is_empty() && !device.is_cut(),
            traps,
            returns: self.returns,
            unexplored,
            seconds: effort.seconds(),
            turns: self.classes.steps(),
        }
    }
}
