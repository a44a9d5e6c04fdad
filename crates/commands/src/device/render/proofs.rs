//! What is known of all runs, as text.

use std::fmt::Write as _;

use borges_languages::model::SurveyNote;
use borges_session::suggest::{
    ClaimReport, Demand, DemandReport, OrdersReport, Proved, StatesReport, SuggestedInput,
    TrapReport,
};

use super::left_out::left_out;
use crate::paint::{Paint, Role, count};
use crate::surveying::told_apart;

/// All states of a program, and what they come to.
pub fn states(report: &StatesReport, paint: &Paint) -> String {
    let mut text = String::new();
    text.extend(report.traps.iter().map(|trap| trap_shown(trap, paint)));
    let demands = report.demands.iter();
    text.extend(demands.map(|demand| demand_shown(demand, paint)));
    let sizes = sizes(report.states, report.edges);
    let traps = count(report.traps.len() as u64, "trap");
    if report.complete {
        let words = match report.traps.first() {
            None => format!("no universe ever traps: {sizes}"),
            Some(trap) => {
                let inputs = count(trap.inputs.into(), "input");
                format!("{sizes}; {traps}, nearest in {inputs}")
            }
        };
        let words = paint.good(format!("complete, over all inputs for ever; {words}"));
        let _ = writeln!(text, "{words}");
    } else if report.unexplored.is_empty() {
        let words = match report.traps.is_empty() {
            true => "no universe ever traps",
            false => &traps,
        };
        let runs = "over all inputs for ever, and some runs too many";
        let _ = writeln!(text, "{runs}: {sizes}; {words}");
    } else {
        let _ = writeln!(text, "{sizes}; {traps} so far; {:.3} s", report.seconds);
        let _ = writeln!(text, "{}", paint.warning("These are not all states."));
    }
    let maybe = |word: &&String| report.maybe.contains(word);
    for word in report.anything.iter().filter(|word| !maybe(word)) {
        let words = match report.unexplored.is_empty() {
            true => format!("nothing depends on {word}: it has no influence, whatever it counts"),
            // What was not looked at may.
            false => format!("nothing depends on {word} so far: it was taken for anything"),
        };
        let _ = writeln!(text, "{}", paint.dim(words));
    }
    for word in &report.maybe {
        let words = format!("maybe: {word} was taken for anything, and something depends on it");
        let _ = writeln!(text, "{}", paint.warning(words));
    }
    if let Some(note) = &report.note {
        let _ = writeln!(text, "{}", paint.dim(note));
    }
    text + &left_out(&report.unexplored, paint)
}

/// One run for each class of orders in which a program and its interrupts can act.
pub fn orders(report: &OrdersReport, paint: &Paint) -> String {
    let mut text = String::new();
    text.extend(report.traps.iter().map(|trap| trap_shown(trap, paint)));
    let events = count(report.arrivals.into(), "event");
    let ends = match (report.classes, report.rounds) {
        (0, _) => "no run ends".to_owned(),
        (classes, 0) => format!("{} of runs", count(classes, "class")),
        (classes, _) => format!(
            "{} of runs that end; some never do",
            count(classes, "class")
        ),
    };
    let traps = match report.traps.len() {
        0 => "none traps".to_owned(),
        traps => count(traps as u64, "trap"),
    };
    let words = format!("{ends}, with at most {events} from each source; {traps}");
    let words = match report.complete {
        true => paint.good(format!("complete, over all inputs and orders: {words}")),
        false => format!("{words} so far; {:.3} s", report.seconds),
    };
    let _ = writeln!(text, "{words}");
    if !report.complete {
        let _ = writeln!(text, "{}", paint.warning("These are not all orders."));
    }
    text + &left_out(&report.unexplored, paint)
}

/// All states of a program, counted.
pub fn surveyed(report: &StatesReport, survey: &SurveyNote, paint: &Paint) -> String {
    states(report, paint) + &told_apart(survey, paint)
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
    let (what, many) = (&trap.what, count(trap.inputs.into(), "input"));
    let head = paint.bad(format!("trap: {what}{place}, in {many}{sure}"));
    format!("{head}\n{}", inputs(&trap.run, paint))
}

/// How large a graph is.
fn sizes(states: usize, edges: usize) -> String {
    let (states, edges) = (count(states as u64, "state"), count(edges as u64, "edge"));
    format!("{states}, {edges}")
}

/// Inputs of a run, a line each.
fn inputs(run: &[SuggestedInput], paint: &Paint) -> String {
    let line = |read: &SuggestedInput| {
        let call = paint.name(&read.call);
        format!("  {call} = {}\n", read.value)
    };
    run.iter().map(line).collect()
}

fn demand_shown(report: &DemandReport, paint: &Paint) -> String {
    let (word, good, bad) = match report.demand {
        Demand::Never => ("never", "holds in no state, for ever", "holds"),
        Demand::Always => ("always", "holds in every state, for ever", "does not hold"),
        Demand::Toward => ("toward", "holds", "holds in no state, for ever"),
        Demand::Limit => ("limit", "is never broken, for ever", "is broken"),
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
    let shows_run = !is_met || report.demand == Demand::Toward;
    if let Some(many) = report.inputs.filter(|_| shows_run) {
        let _ = write!(head, ", in {}", count(many.into(), "input"));
    }
    if let Some(note) = &report.note {
        let _ = write!(head, ": {note}");
    }
    let head = paint.paint(role, head);
    format!("{head}\n{}", inputs(&report.run, paint))
}

/// Whether all runs fulfil a formula.
pub fn claim(report: &ClaimReport, paint: &Paint) -> String {
    let sizes = sizes(report.states, report.edges);
    let (role, words) = match report.verdict {
        Proved::Holds => (Role::Good, "holds in all runs, over all inputs for ever"),
        Proved::Fails => (Role::Bad, "does not hold"),
        Proved::Maybe => (Role::Warning, "maybe"),
        Proved::Unknown => (Role::Warning, "nobody knows"),
    };
    let head = format!("{}: {words}; {sizes}", report.formula);
    let mut text = format!("{}\n", paint.paint(role, head));
    if report.verdict == Proved::Fails {
        text.push_str("a run that breaks it:\n");
        text.push_str(&inputs(&report.prefix, paint));
        let then = match &report.end {
            Some(end) => format!("and there it ends: {end}\n"),
            None if report.cycle.is_empty() => "and so on for ever, without an input\n".to_owned(),
            None => "and then for ever:\n".to_owned(),
        };
        text.push_str(&then);
        text.push_str(&inputs(&report.cycle, paint));
    }
    if let Some(note) = &report.note {
        let _ = writeln!(text, "{note}");
    }
    for word in &report.maybe {
        let words = "was taken for anything, and something depends on it";
        let _ = writeln!(text, "{word} {words}");
    }
    text + &left_out(&report.unexplored, paint)
}
