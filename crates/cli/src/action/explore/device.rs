//! `borges explore PROGRAM.wasm`: all states of a device program, for ever.

use std::path::Path;

use borges_commands::device::render;
use borges_languages::ambienttalk::Delivery;
use borges_languages::model::Reduction;
use borges_session::suggest::{
    Demand, Demanded, Proved, StatesOptions, StatesReport, UnexploredReport, orders_of_program,
    states_of_program,
};

use crate::action::system::given_to_look_at;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// What may be forbidden of a device program.
const TRAP: &str = "trap";

/// Explores a device program's states and says what they come to.
pub(super) fn explore(
    options: &args::Explore,
    program: &Path,
    output: &mut Output,
) -> Result<Exit, Failure> {
    fits(options)?;
    super::survey::refuse_alone(options)?;
    if options.reduction == Reduction::Dpor {
        return orders(options, program, output);
    }
    let arrivals = [("--arrivals", options.arrivals.is_some())];
    let next = "without it, any number of interrupts arrive; --events none leaves them out";
    super::refuse(&arrivals, "--reduction dpor", next)?;
    let demands = demands(options);
    let asked = StatesOptions {
        split: options.split,
        ..options.within.asked()?
    };
    let report = output.watch(|observer| {
        let board = options.board.as_deref();
        states_of_program(program, board, &asked, &demands, observer)
    })?;
    output.say(&report, |paint| render::states(&report, paint))?;
    Ok(exit(options, &report))
}

/// So many interrupts come from each source, if nobody says.
const ARRIVALS: u32 = 2;

/// Finds one run for each class of orders in which a program and its interrupts can act.
fn orders(options: &args::Explore, program: &Path, output: &mut Output) -> Result<Exit, Failure> {
    let of_states = [
        ("--never", !options.never.is_empty()),
        ("--always", !options.always.is_empty()),
        ("--toward", options.toward.is_some()),
        ("--split", options.split),
        ("--any", !options.within.any.is_empty()),
        ("--events none", options.within.events == Some(false)),
        ("--cores", options.within.cores.is_some()),
    ];
    let next = "--reduction dpor says which runs there are, by what acts when; without it, all states are explored";
    super::refuse(&of_states, "graphs", next)?;
    let asked = options.within.asked()?;
    let arrivals = options.arrivals.unwrap_or(ARRIVALS);
    let report = output.watch(|observer| {
        let board = options.board.as_deref();
        orders_of_program(program, board, &asked, arrivals, observer)
    })?;
    output.say(&report, |paint| render::orders(&report, paint))?;
    let mut left_out = report.unexplored.iter();
    Ok(match left_out.any(UnexploredReport::is_cancelled) {
        true => Exit::Interrupted,
        false => Exit::Ok,
    })
}

/// What is asked of conditions.
pub(super) fn demands(options: &args::Explore) -> Vec<Demanded> {
    let demands = [
        (Demand::Never, options.never.as_slice()),
        (Demand::Always, &options.always),
        (Demand::Toward, options.toward.as_slice()),
    ];
    let all = demands.into_iter();
    all.flat_map(|(demand, texts)| texts.iter().map(move |text| demand.of(text)))
        .collect()
}

/// How the command ends.
pub(super) fn exit(options: &args::Explore, report: &StatesReport) -> Exit {
    let mut left_out = report.unexplored.iter();
    let forbids = !options.forbid.is_empty();
    let is_any = |proved: Proved| report.demands.iter().any(|demand| demand.verdict == proved);
    let has_failed = is_any(Proved::Fails);
    if has_failed || forbids && report.traps.iter().any(|trap| trap.certain) {
        Exit::Failed
    } else if left_out.any(UnexploredReport::is_cancelled) {
        Exit::Interrupted
    } else if forbids && !report.complete || is_any(Proved::Maybe) || is_any(Proved::Unknown) {
        Exit::Unknown
    } else {
        Exit::Ok
    }
}

impl args::Forever {
    /// As the session is asked.
    ///
    /// # Errors
    /// A variable without a value.
    pub(in crate::action) fn asked(&self) -> Result<StatesOptions, Failure> {
        let system = &self.system;
        Ok(StatesOptions {
            libraries: self.entry.linked.libraries.clone(),
            entry: self.entry.script(),
            states: self.states,
            depth: self.depth,
            time: self.time,
            without_events: self.events == Some(false),
            solver: self.solver.clone(),
            anything: self.any.clone(),
            system: given_to_look_at(&system.found, &system.arguments)?,
            faults: system.faults,
            piece: system.pieces,
            cores: self.cores,
            split: false,
        })
    }
}

/// Options that are for model languages alone are refused.
pub(super) fn fits(options: &args::Explore) -> Result<(), Failure> {
    let steps = &options.steps;
    let unusual = [
        ("--grain", steps.grain.is_some()),
        ("--delivery", steps.delivery != Delivery::default()),
        ("--debugger", options.debugger),
        ("--keep", options.keep.is_some()),
        ("--symmetry", options.symmetry),
        ("--schedule", options.schedule.is_some()),
        ("--order", options.order != args::Order::default()),
        ("--first", options.first),
        ("--traces", options.traces),
        ("--session", options.session.is_some()),
        ("--expect", !options.expect.is_empty()),
        ("--verbose", options.verbose),
    ];
    let next = "of a device program's states, --states, --depth, --time, --solver and --forbid trap say how to explore them";
    super::refuse(&unusual, "programs of model languages", next)?;
    match options.forbid.iter().find(|goal| *goal != TRAP) {
        None => Ok(()),
        Some(goal) => Err(Failure::usage(
            format!("'{goal}' cannot be forbidden of a device program yet"),
            "--forbid trap fails where a universe traps",
        )),
    }
}
