//! `borges explore PROGRAM.wasm`: all states of a device program, for ever.

use std::fmt::Write as _;
use std::path::Path;

use borges_commands::device::render;
use borges_commands::paint::{Paint, Role, count};
use borges_session::suggest::{
    Demand, DemandReport, Proved, StatesOptions, StatesReport, SuggestedInput, TrapReport,
    states_of_program,
};

use crate::args;
use crate::exit::{Exit, Failure};
use crate::interrupt::Pausable;
use crate::output::{Output, Progress};

/// What may be forbidden of a device program.
const TRAP: &str = "trap";

/// Explores a device program's states and says what they come to.
///
/// # Errors
/// What the user is told.
pub(super) fn explore(
    options: &args::Explore,
    program: &Path,
    quiet: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    fits(options)?;
    let demands = [
        (Demand::Never, options.never.as_slice()),
        (Demand::Always, &options.always),
        (Demand::Toward, options.toward.as_slice()),
    ];
    let demands = demands
        .into_iter()
        .flat_map(|(demand, texts)| texts.iter().map(move |text| (demand, text.clone())));
    let demands: Vec<(Demand, String)> = demands.collect();
    let asked = options.within.asked();
    let mut progress = Progress::new(quiet);
    let report = {
        let _pausable = Pausable::begin();
        states_of_program(
            program,
            options.board.as_deref(),
            &asked,
            &demands,
            &mut |event| progress.hear(event),
        )
    };
    progress.clear();
    let report = report.map_err(|error| super::super::unopened(&error))?;
    if output.json {
        output.json(&report)?;
    } else {
        let text = shown(&report, &output.paint);
        output.text(&text)?;
    }
    let is_cancelled = |left: &borges_session::suggest::UnexploredReport| {
        left.bound.as_deref() == Some("cancelled")
    };
    let forbids = !options.forbid.is_empty();
    let is_any = |proved: Proved| report.demands.iter().any(|demand| demand.verdict == proved);
    let has_failed = is_any(Proved::Fails);
    Ok(
        if has_failed || forbids && report.traps.iter().any(|trap| trap.certain) {
            Exit::Failed
        } else if report.unexplored.iter().any(is_cancelled) {
            Exit::Interrupted
        } else if forbids && !report.complete || is_any(Proved::Maybe) || is_any(Proved::Unknown) {
            Exit::Unknown
        } else {
            Exit::Ok
        },
    )
}

impl args::Forever {
    /// As the session is asked.
    pub(in crate::action) fn asked(&self) -> StatesOptions {
        StatesOptions {
            entry: self.entry.clone(),
            states: self.states,
            depth: self.depth,
            time: self.time,
            without_events: self.events == Some(args::Events::None),
            solver: self.solver.clone(),
            anything: self.any.clone(),
        }
    }
}

/// Options that are for model languages alone are refused.
fn fits(options: &args::Explore) -> Result<(), Failure> {
    let steps = &options.steps;
    let unusual = [
        ("--grain", steps.grain.is_some()),
        ("--delivery", steps.delivery != args::Delivery::default()),
        ("--debugger", options.debugger),
        (
            "--reduction",
            options.reduction != args::Reduction::default(),
        ),
        ("--keep", options.keep.is_some()),
        ("--symmetry", options.symmetry),
        ("--preemptions", options.preemptions.is_some()),
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

fn shown(report: &StatesReport, paint: &Paint) -> String {
    let mut text = String::new();
    for trap in &report.traps {
        text.push_str(&trap_shown(trap, paint));
    }
    for demand in &report.demands {
        text.push_str(&demand_shown(demand, paint));
    }
    let sizes = sizes(report.states, report.edges);
    let traps = count(report.traps.len() as u64, "trap");
    if report.complete {
        let words = match report.traps.first() {
            None => format!("no universe ever traps: {sizes}"),
            Some(trap) => format!(
                "{sizes}; {traps}, nearest in {}",
                count(trap.inputs.into(), "input")
            ),
        };
        let _ = writeln!(
            text,
            "{}",
            paint.paint(
                Role::Good,
                format!("complete, over all inputs for ever; {words}")
            )
        );
    } else if report.unexplored.is_empty() {
        let words = match report.traps.is_empty() {
            true => "no universe ever traps".to_owned(),
            false => traps,
        };
        let _ = writeln!(
            text,
            "over all inputs for ever, and some runs too many: {sizes}; {words}"
        );
    } else {
        let _ = writeln!(text, "{sizes}; {traps} so far; {:.3} s", report.seconds);
        let _ = writeln!(
            text,
            "{}",
            paint.paint(Role::Warning, "These are not all states.")
        );
    }
    let harmless = report
        .anything
        .iter()
        .filter(|word| !report.maybe.contains(word));
    for word in harmless {
        let words = format!("nothing depends on {word}: it has no influence, whatever it counts");
        let _ = writeln!(text, "{}", paint.paint(Role::Dim, words));
    }
    for word in &report.maybe {
        let words = format!("maybe: {word} was taken for anything, and something depends on it");
        let _ = writeln!(text, "{}", paint.paint(Role::Warning, words));
    }
    text.push_str(&render::left_out(&report.unexplored, paint));
    text
}

fn trap_shown(trap: &TrapReport, paint: &Paint) -> String {
    let place = match trap.place.as_str() {
        "" => String::new(),
        place => format!(" at {place}"),
    };
    let sure = match trap.certain {
        true => "",
        false => ", maybe: no run that comes to it was found",
    };
    let head = format!(
        "trap: {}{place}, in {}{sure}",
        trap.what,
        count(trap.inputs.into(), "input")
    );
    let mut text = format!("{}\n", paint.paint(Role::Bad, head));
    text.push_str(&inputs(&trap.run, paint));
    text
}

/// How large a graph is.
pub(in crate::action) fn sizes(states: usize, edges: usize) -> String {
    let (states, edges) = (count(states as u64, "state"), count(edges as u64, "edge"));
    format!("{states}, {edges}")
}

/// Inputs of a run, a line each.
pub(in crate::action) fn inputs(run: &[SuggestedInput], paint: &Paint) -> String {
    let line = |read: &SuggestedInput| {
        let call = paint.paint(Role::Name, &read.call);
        format!("  {call} = {}\n", read.value)
    };
    run.iter().map(line).collect()
}

fn demand_shown(report: &DemandReport, paint: &Paint) -> String {
    let (word, good, bad) = match report.demand {
        Demand::Never => ("never", "holds in no state, for ever", "holds"),
        Demand::Always => ("always", "holds in every state, for ever", "does not hold"),
        Demand::Toward => ("toward", "holds", "holds in no state, for ever"),
    };
    let is_met = report.verdict == Proved::Holds;
    let (role, words) = match report.verdict {
        Proved::Holds => (Role::Good, good),
        Proved::Fails => (Role::Bad, bad),
        Proved::Maybe => (Role::Warning, "maybe"),
        Proved::Unknown => (Role::Warning, "nobody knows: not all states were looked at"),
    };
    let mut head = format!("{word} {}: {words}", report.condition);
    if let Some(place) = &report.place {
        let _ = write!(head, " {place}");
    }
    if let Some(many) = report
        .inputs
        .filter(|_| !is_met || report.demand == Demand::Toward)
    {
        let _ = write!(head, ", in {}", count(many.into(), "input"));
    }
    if let Some(note) = &report.note {
        let _ = write!(head, ": {note}");
    }
    format!(
        "{}\n{}",
        paint.paint(role, head),
        inputs(&report.run, paint)
    )
}
