//! A device program's states: all that it can do, for ever.

use std::path::Path;

use borges_concolic::{DeviceState, End, Explored, Path as RunPath};
use borges_multiverse::graph::NodeId;

use super::conditions::Conditions;
use super::exploring::{Effort, Found, Nearest, subject_of, within};
use super::options::{StatesOptions, wrong};
use super::{Subject, cuts, demands};
use crate::command::proof::{Demand, Demanded, StatesReport};
use crate::command::{Event, Flow};
use crate::program::OpenError;

/// Explores all states of a program, from its start on.
///
/// `observer` hears how far it has come and may end it: what was found by then is reported.
///
/// # Errors
/// [`OpenError`]: the program does not open, or a demand means nothing.
pub fn states_of_program(
    path: &Path,
    board: Option<&Path>,
    options: &StatesOptions,
    demands: &[Demanded],
    observer: &mut dyn FnMut(Event) -> Flow,
) -> Result<StatesReport, OpenError> {
    let subject = subject_of(path, board, options)?;
    let conditions = demands::conditions(&subject, demands);
    let conditions = conditions.map_err(|message| wrong(path, message))?;
    let demands: Vec<Demand> = demands.iter().map(|asked| asked.demand).collect();
    within(options, observer, 90, |effort| {
        explored(&subject, (&conditions, &demands), options, effort).map(|found| found.0)
    })
}

/// All states of a program, what is demanded of conditions in them and whether the board's limits are kept, and the runs
/// that show something of it.
pub(super) fn explored(
    subject: &Subject,
    (conditions, demands): (&Conditions<'_>, &[Demand]),
    options: &StatesOptions,
    effort: &Effort<'_>,
) -> Result<(StatesReport, Option<Explored>), OpenError> {
    let mut found = Found::explore(subject, (conditions, false), options, effort)?;
    if options.split {
        found.divide_all(options, effort);
    }
    let nearest = Nearest::new(&found.graph);
    let (mut report, mut runs) = found.report(&nearest);
    for (number, demand) in demands::of_all(conditions, demands.iter().copied()) {
        let (said, run) = found.demanded(conditions, demand, number, &nearest);
        report.demands.push(said);
        runs.extend(run);
    }
    report.seconds = effort.seconds();
    Ok((report, found.graph.language().explored(runs)))
}

impl Found<'_> {
    /// All but what was asked of conditions, and the time it took; and runs to the traps.
    fn report(&self, nearest: &Nearest) -> (StatesReport, Vec<RunPath>) {
        let end = |node: NodeId| self.graph.state(node).and_then(DeviceState::end);
        let trapped = self.where_is(nearest, |state| {
            matches!(state.end(), Some(End::Trapped(..)))
        });
        // One end is several states where conditions differ in it.
        let ways = trapped.into_iter();
        let ways = ways.map(|(inputs, node)| (inputs, nearest.way_to(&self.graph, node)));
        let (traps, runs) = self.evidence().traps(ways);
        let mut unexplored = self.unexplored.clone();
        let maybe = self.maybe();
        if maybe.is_empty() && traps.iter().any(|trap| !trap.certain) {
            unexplored.extend(cuts::for_want_of_time(
                1,
                "which leads to a trap and was not run",
                self.budget.spent(),
            ));
        }
        let language = self.graph.language();
        let report = StatesReport {
            about: self.subject.named(),
            states: self.states(),
            edges: self.graph.edge_count(),
            partial: self.graph.partial().len(),
            depth: self.depth,
            complete: self.holds_all() && unexplored.is_empty() && maybe.is_empty(),
            demands: Vec::new(),
            maybe,
            note: self.note(),
            anything: self.words(language.anything()),
            traps,
            returns: self
                .graph
                .nodes()
                .any(|node| matches!(end(node), Some(End::Returned | End::Exited(_)))),
            unexplored,
            seconds: 0.0,
            steps: language.steps(),
        };
        (report, runs)
    }
}
