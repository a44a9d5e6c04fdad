//! What an exploration found, in words.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use borges_languages::model::{Datum, End, Met, Reduction, Report, Step, Why};

use super::render::pairs;
use crate::paint::{Paint, Role, count, grouped, printable};
use crate::surveying::told_apart;

/// What of outcomes is shown besides what tells them apart.
#[derive(Clone, Copy, Debug, Default)]
pub struct More {
    /// The values that all have.
    pub values: bool,
    /// A shortest way to each.
    pub ways: bool,
}

/// What was found, as text: outcomes, sizes, what was left out and why.
pub fn outcomes(report: &Report, more: More, paint: &Paint) -> String {
    let mut text = String::new();
    match (&report.met, &report.toward) {
        (Some(met), _) => text.push_str(&met_shown(met, paint)),
        (None, Some(breakpoint)) => {
            let words = match report.complete {
                true => "met nowhere",
                false => "not met so far",
            };
            let _ = writeln!(text, "{}", paint.warning(format!("{words}: {breakpoint}")));
        }
        (None, None) => {}
    }
    text.push_str(&found(report, more, "--verbose", paint));
    if let Some(abstraction) = &report.abstraction {
        let note = format!(
            "an abstraction: {abstraction}; what is shown can happen, what is left out may be different"
        );
        let _ = writeln!(text, "{}", paint.warning(&note));
        if report.complete && report.ends.is_empty() {
            text.push_str("no run of the abstraction ends: more must be kept to follow one\n");
        }
    }
    if report.debugger {
        text.push_str("under the debugger: each step pauses, and is resumed\n");
    }
    if report.cyclic == Some(true) {
        text.push_str(match report.complete && report.ends.is_empty() {
            true => "no run ends: each comes to states again and goes round for ever\n",
            false => "some runs never end\n",
        });
    }
    if !report.complete {
        let note = format!("not all: {}", why_not_all(report));
        let _ = writeln!(text, "{}", paint.warning(note));
        let has_order = report.reduction == Reduction::None && report.survey.is_none();
        if report.ends.is_empty() && has_order {
            let note = "no run came to an end within that: '--order depth' comes to ends sooner, \
                        '--grain visible' takes fewer states to them";
            let _ = writeln!(text, "{}", paint.warning(note));
        }
    }
    text
}

/// Outcomes and sizes; `verbose` is what shows the values that all have.
pub(super) fn found(report: &Report, more: More, verbose: &str, paint: &Paint) -> String {
    let mut text = String::new();
    let same = match more.values {
        true => Same::default(),
        false => Same::of(&report.ends),
    };
    for (end, shown) in report.ends.iter().zip(ends_shown(report, &same, paint)) {
        text.push_str(&shown);
        if more.ways {
            text.push_str(&trace(&end.trace, paint));
        }
    }
    if let Some(note) = same.note(verbose) {
        let _ = writeln!(text, "{}", paint.dim(note));
    }
    text.push_str(&sizes(report, paint));
    text
}

/// Each goal in a line, and what speaks against it with the way there. `within` leads from *none found* to what an abstraction
/// looked at.
#[must_use]
pub fn judged(report: &Report, within: &str, paint: &Paint) -> String {
    let mut text = String::new();
    for finding in &report.goals {
        let (word, role) = match finding.holds {
            Some(true) => ("holds", Role::Good),
            Some(false) => ("broken", Role::Bad),
            None => ("unknown", Role::Warning),
        };
        let goal = printable(&finding.goal);
        let why = match (&finding.found, finding.holds, &report.abstraction) {
            (Some(found), ..) => format!(": {}", printable(found)),
            (None, None, Some(looked_at)) => format!(": none found {within} {looked_at}"),
            (None, None, None) => format!(
                ": nothing speaks against it in {}, which are not all",
                count(report.states, "state")
            ),
            (None, Some(_), _) => String::new(),
        };
        let _ = writeln!(text, "{}  {goal}{why}", paint.paint(role, word));
        text.push_str(&pairs(&finding.races));
        text.push_str(&trace(&finding.trace, paint));
    }
    text
}

/// How much was explored.
fn sizes(report: &Report, paint: &Paint) -> String {
    let mut text = String::new();
    let mut sizes = vec![
        count(report.states, "state"),
        count(report.edges, "edge"),
        count(report.ends.len() as u64, "outcome"),
    ];
    let paths = report.paths.as_ref().map(|paths| match paths.as_str() {
        "1" => "1 path".to_string(),
        paths => format!("{paths} paths"),
    });
    let classes = report.classes.map(|classes| match classes {
        1 => "1 class of runs".to_string(),
        classes => format!("{} classes of runs", grouped(classes)),
    });
    sizes.extend(paths.into_iter().chain(classes));
    let _ = writeln!(text, "{}", paint.dim(sizes.join(", ")));
    if let Some(survey) = &report.survey {
        text += &told_apart(survey, paint);
    }
    text
}

/// What bounded an exploration, and how to go on.
fn why_not_all(report: &Report) -> &'static str {
    let reduced = report.reduction == Reduction::Dpor;
    match report.why {
        Some(Why::States) if reduced => {
            "there are more runs, or some with ever new states: --states raises the limit of steps, \
             --depth cuts runs"
        }
        Some(Why::Depth) if reduced => {
            "some runs are longer than they were followed, or never end: --depth sets the limit"
        }
        Some(Why::States) => "there are more states: --states raises the limit",
        Some(Why::Depth) => "some paths are longer: --depth raises the limit",
        Some(Why::Cancelled) => "it was cancelled",
        Some(Why::Time) => "the time is used up: --time gives more",
        Some(Why::Met) => "it stopped where the breakpoint was met; without --first it goes on",
        Some(Why::Unfollowed) => "some runs are not followed to their ends: their outcomes say why",
        None => "some universes were left out",
    }
}

/// Where the breakpoint was met, and the way there.
fn met_shown(met: &Met, paint: &Paint) -> String {
    let head = paint.heading(format!("met {}", met.breakpoint));
    let after = paint.dim(format!("after {}", count(met.states, "state")));
    format!("{head}  {after}\n{}", trace(&met.trace, paint))
}

/// What all outcomes have in common.
#[derive(Default)]
struct Same<'r> {
    values: BTreeSet<&'r str>,
    /// Whether they printed the same, and something.
    output: bool,
}

impl<'r> Same<'r> {
    fn of(ends: &'r [End]) -> Self {
        let [first, others @ ..] = ends else {
            return Self::default();
        };
        if others.is_empty() {
            return Self::default();
        }
        let all = |same: &dyn Fn(&End) -> bool| others.iter().all(same);
        let values = first.values.iter();
        let values =
            values.filter(|(name, value)| all(&|end| end.values.get(*name) == Some(*value)));
        Self {
            values: values.map(|(name, _)| name.as_str()).collect(),
            output: !first.output.is_empty() && all(&|end| end.output == first.output),
        }
    }

    fn note(&self, verbose: &str) -> Option<String> {
        let values = self.values.len() as u64;
        let what = match (values, self.output) {
            (0, false) => return None,
            (0, true) => "what is printed".to_owned(),
            (_, false) => count(values, "value"),
            (_, true) => format!("{} and what is printed", count(values, "value")),
        };
        Some(format!(
            "the same in all outcomes: {what}; {verbose} shows it"
        ))
    }
}

/// The outcomes; none is shown as another is.
fn ends_shown(report: &Report, same: &Same<'_>, paint: &Paint) -> Vec<String> {
    let reduced = report.reduction == Reduction::Dpor;
    let ends = report.ends.iter();
    let mut shown: Vec<_> = ends
        .map(|end| end_shown(end, same, reduced, paint))
        .collect();
    let twice = |shown: &[String]| -> Vec<usize> {
        let alike = |text: &String| shown.iter().filter(|other| *other == text).count() > 1;
        let all = shown.iter().enumerate();
        all.filter(|(_, text)| alike(text))
            .map(|(nth, _)| nth)
            .collect()
    };
    for nth in twice(&shown) {
        let text = printable(&report.ends[nth].text);
        let _ = writeln!(shown[nth], "  that is  {text}");
    }
    for nth in twice(&shown) {
        let apart = "told apart by what is not shown";
        let _ = writeln!(shown[nth], "  outcome {nth}, {apart}");
    }
    shown
}

fn end_shown(end: &End, same: &Same<'_>, reduced: bool, paint: &Paint) -> String {
    let role = match end.how.finished() {
        true => Role::Good,
        false => Role::Bad,
    };
    let many = paint.dim(count(end.states, if reduced { "class" } else { "state" }));
    let mut text = format!("{}  {many}\n", paint.paint(role, &end.how));
    for line in end.output.iter().filter(|_| !same.output) {
        let _ = writeln!(text, "  prints  {}", printable(line));
    }
    let values = end.values.iter();
    for (name, value) in values.filter(|(name, _)| !same.values.contains(name.as_str())) {
        let (name, value) = (paint.name(name), printable(&datum(value)));
        let _ = writeln!(text, "  {name} = {value}");
    }
    for (who, why) in &end.waiting {
        let _ = writeln!(text, "  {}: {}", printable(who), printable(why));
    }
    text
}

fn datum(value: &Datum) -> String {
    match value {
        Datum::Text(text) => text.clone(),
        Datum::List(items) => {
            let items: Vec<String> = items.iter().map(datum).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// The steps of a way, a line each.
pub fn trace(steps: &[Step], paint: &Paint) -> String {
    let mut text = String::new();
    for step in steps {
        let place = match (step.line, step.column) {
            (Some(line), Some(column)) => format!("{line}:{column}"),
            _ => String::new(),
        };
        let choice = match step.options > 1 {
            true => paint.dim(format!("  choice {} of {}", step.option, step.options)),
            false => String::new(),
        };
        let what = printable(&step.text);
        let agent = printable(&step.agent);
        // Most steps say who takes them.
        let who = match what.strip_prefix(&agent) {
            Some(rest) if rest.starts_with([':', ' ']) => String::new(),
            _ => format!("{agent}: "),
        };
        let (place, rule) = (paint.place(format!("{place:>7}")), paint.dim(step.rule));
        let _ = writeln!(text, "    {place}  {who}{what}  {rule}{choice}");
    }
    text
}
