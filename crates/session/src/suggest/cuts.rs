//! What an exploration left out, named: each bound that cut something off, its value, and what to raise.

use std::time::Duration;

use borges_concolic::{
    Cut, End, Ended, Explored, FAULTS, MORE_STDIN, MOST_INPUTS, PIECES, STDIN, Spent, Unexplored,
    value_of,
};
use borges_debuginfo::DebugInfo;

use crate::command::question::UnexploredReport;
use crate::scene::place_of;
use crate::values::json;

/// What the caller asked for, as far as it matters for what was left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// It gave a bound on inputs: what that cuts off is not missing.
    pub(super) bounds_inputs: bool,
    /// The time for all of it.
    pub(super) time: Duration,
}

/// Why an exploration ended early, as data has it: `time`, `cancelled`, `paths` or `enough`.
pub(super) fn ended(explored: &Explored) -> Option<String> {
    Some(match explored.ended? {
        Ended::Spent(spent) => spent_word(spent),
        Ended::Paths => "paths".to_owned(),
        Ended::Enough => "enough".to_owned(),
    })
}

pub(super) fn spent_word(spent: Spent) -> String {
    let word = match spent {
        Spent::Time => "time",
        Spent::Cancelled => "cancelled",
    };
    word.to_owned()
}

/// Whether these are all paths that were asked for.
pub(super) fn is_complete(explored: &Explored, asked: Asked) -> bool {
    // A bound that nobody asked for has cut off what it ended.
    let goes_on = !asked.bounds_inputs && explored.paths.iter().any(|path| path.end == End::Inputs);
    explored.is_complete() && !goes_on
}

/// Everything that was left out: never empty if the exploration is not complete.
pub(super) fn left_out(
    info: &DebugInfo,
    explored: &Explored,
    asked: Asked,
) -> Vec<UnexploredReport> {
    let mut all = bounds(explored, asked);
    all.extend(explored.unexplored.iter().map(|left| single(info, left)));
    all
}

/// A single place that was left out.
pub(super) fn single(info: &DebugInfo, left: &Unexplored) -> UnexploredReport {
    let cells = left.inputs.iter().zip(&left.types);
    let hint = match &*left.reason {
        FAULTS => ": --faults (at the prompt faults=1) looks for them",
        PIECES => ": --pieces 1 (at the prompt pieces=1) says that there are no larger ones",
        MORE_STDIN => ": --stdin N (at the prompt stdin=N) looks at N",
        STDIN => ": --stdin N (at the prompt stdin=N) looks at N bytes that may be anything",
        _ => "",
    };
    UnexploredReport {
        reason: format!("{}{hint}", left.reason),
        place: left.at.map(|at| place_of(info, at)),
        inputs: cells.map(|(cell, ty)| json(value_of(*ty, *cell))).collect(),
        bound: None,
    }
}

/// What ends paths that are followed no further: the name, and what is said before on how many.
const UNFOLLOWED: [(Cut, &str, &str); 5] = [
    (
        Cut::NoValue,
        "rules",
        "the board's rules leave no value for the next input on",
    ),
    (
        Cut::Fills,
        "bytes",
        "the next input puts bytes into memory, which is not followed, on",
    ),
    (
        Cut::Vectors,
        "vectors",
        "functions with vectors (SIMD), which are not followed, on",
    ),
    (
        Cut::Exceptions,
        "exceptions",
        "an exception is thrown, which is not followed, on",
    ),
    (
        Cut::Memories,
        "memories",
        "another memory than the first, or one with 64-bit addresses, is used, which is not followed, on",
    ),
];

/// The bounds that cut something off.
fn bounds(explored: &Explored, asked: Asked) -> Vec<UnexploredReport> {
    let bounds = &explored.bounds;
    let mut cuts = Vec::new();
    let mut name = |bound: &str, words: String| cuts.push(bound_report(bound, words));
    let left = format!(
        "with {} left to look at",
        many(explored.waiting, "branch", "branches")
    );
    match explored.ended {
        None | Some(Ended::Enough) => {}
        Some(Ended::Paths) => name(
            "paths",
            format!("the bound of {} paths, {left}", bounds.paths),
        ),
        Some(Ended::Spent(Spent::Time)) => {
            let seconds = asked.time.as_secs_f64();
            name("time", format!("the time of {seconds} s, {left}"));
        }
        Some(Ended::Spent(Spent::Cancelled)) => {
            name("cancelled", format!("it was ended by the user, {left}"));
        }
    }
    if explored.ended == Some(Ended::Enough) {
        let found = many(explored.paths.len(), "path", "paths");
        name(
            "enough",
            format!("what was found was enough ({found} looked at), {left}"),
        );
    }
    let paths = |count: usize| many(count, "path", "paths");
    let longer = explored.paths.iter().filter(|path| path.end == End::Inputs);
    let longer = longer.count();
    if !asked.bounds_inputs && longer > 0 && explored.ended.is_none() {
        let raise = match bounds.inputs < MOST_INPUTS {
            true => ": raise --max-inputs (at the prompt inputs=)",
            false => ": no path is followed any further",
        };
        let words = format!("the bound of {} inputs on {}", bounds.inputs, paths(longer));
        name("inputs", format!("{words}{raise}"));
    }
    let cut = |by| Some(explored.cut(by)).filter(|count| *count > 0);
    if let Some(count) = cut(Cut::Steps) {
        name(
            "steps",
            format!("the bound of {} steps on {}", bounds.steps, paths(count)),
        );
    }
    if let Some(count) = cut(Cut::Rounds) {
        let rounds = bounds.rounds.unwrap_or_default();
        name(
            "rounds",
            format!("the bound of {rounds} rounds of a loop on {}", paths(count)),
        );
    }
    for (by, bound, words) in UNFOLLOWED {
        if let Some(count) = cut(by) {
            name(bound, format!("{words} {}", paths(count)));
        }
    }
    cuts
}

/// A bound by its name, with what to raise if that can be raised.
pub(super) fn bound_report(bound: &str, words: String) -> UnexploredReport {
    let raise = match bound {
        "paths" | "time" | "steps" | "rounds" => {
            format!(": raise --max-{bound} (at the prompt {bound}=)")
                .replace("--max-time", "--time")
        }
        _ => String::new(),
    };
    UnexploredReport {
        reason: format!("{words}{raise}"),
        place: None,
        inputs: Vec::new(),
        bound: Some(bound.to_owned()),
    }
}

/// Something that was found and not shown, or shown unchecked, for want of time or because the user ended it; nothing if
/// there is none.
pub(super) fn for_want_of_time(
    count: usize,
    words: &str,
    spent: Option<Spent>,
) -> Option<UnexploredReport> {
    let paths = many(count, "path", "paths");
    let (bound, why) = match spent {
        Some(Spent::Cancelled) => ("cancelled", "it was ended by the user before"),
        Some(Spent::Time) | None => ("time", "no time was left for"),
    };
    (count > 0).then(|| bound_report(bound, format!("{why} {paths}, {words}")))
}

/// What an exploration ran out of, if it did.
pub(super) fn spent(explored: &Explored) -> Option<Spent> {
    match explored.ended {
        Some(Ended::Spent(spent)) => Some(spent),
        _ => None,
    }
}

fn many(count: usize, one: &str, several: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        count => format!("{count} {several}"),
    }
}
