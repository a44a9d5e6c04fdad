//! What questions about all runs show.

use std::fmt::Write as _;

use borges_languages::model::debug::{Judgement, Opinion};
use borges_languages::model::{EndCount, RaceRow, RaceStep, Reply, Step, Way, Why};

use crate::paint::{Paint, Role, count, printable};

/// Whether something may and must happen, as text.
pub fn judgement(judgement: &Judgement, paint: &Paint) -> String {
    let partial = judgement.partial;
    let note = partial.map(|why| self::partial(why, judgement.states, paint));
    let may = opinion("may", &judgement.may, paint);
    note.unwrap_or_default() + &may + &opinion("must", &judgement.must, paint)
}

fn opinion(what: &str, opinion: &Opinion, paint: &Paint) -> String {
    let (answer, role) = match opinion.holds {
        Some(true) => ("yes", Role::Good),
        Some(false) => ("no", Role::Bad),
        None => ("unknown: nothing that is known decides it", Role::Warning),
    };
    let step = |step: &String| format!("    {}\n", printable(step));
    let mut text = format!("{what}: {}\n", paint.paint(role, answer));
    text.extend(opinion.steps.iter().map(step));
    if !opinion.cycle.is_empty() {
        text.push_str("  and then for ever\n");
        text.extend(opinion.cycle.iter().map(step));
    }
    text
}

/// A word on what an answer rests on that is not all.
pub(super) fn partial(why: Why, states: u64, paint: &Paint) -> String {
    let known = count(states, "state");
    let note = match why {
        Why::Cancelled => format!("stopped: of the {known} known so far; asked again, it goes on"),
        Why::States => format!("of the first {known} only: --states raises the limit"),
        Why::Depth => format!("of the {known} within --depth only"),
        Why::Time => format!("of the {known} known when the time was used up only"),
        Why::Unfollowed => format!("of the {known} that are followed only"),
        Why::Met => format!("of the {known} up to the breakpoint only"),
    };
    format!("{}\n", paint.warning(note))
}

pub(super) fn races(races: &[RaceRow], paint: &Paint) -> String {
    if races.is_empty() {
        return "no message was received on the way here\n".to_string();
    }
    let step = |step: &RaceStep| {
        let (place, text) = (at_line(step.line, paint), printable(&step.text));
        format!("{place} step {}: {text}", step.step)
    };
    let mut text = String::new();
    for race in races {
        let _ = writeln!(text, "  {}", step(&race.received));
        if race.rivals.is_empty() {
            text.push_str("      nothing else could have been received\n");
        } else {
            text.push_str("      instead of what came in\n");
            let _ = writeln!(text, "        {}", step(&race.message));
            text.push_str("      this could have come first\n");
            for rival in &race.rivals {
                let _ = writeln!(text, "        {}", step(rival));
            }
        }
    }
    text
}

/// The answer to a question, in which `name` says what a state is called and `one` what it is.
pub(super) fn answer(reply: &Reply, name: &dyn Fn(u32) -> u32, one: &str, paint: &Paint) -> String {
    let numbers = |states: &[u32]| numbers(states, name, one);
    match reply {
        Reply::Ends(ends) => {
            let line = |end: &EndCount| {
                let role = match end.kind {
                    "finished" => Role::Good,
                    _ => Role::Bad,
                };
                let (number, kind) = (paint.typed(end.outcome), paint.paint(role, end.kind));
                let states = paint.dim(count(end.states, "state"));
                format!("  {number}  {kind}  {}  {states}\n", printable(&end.text))
            };
            ends.iter().map(line).collect()
        }
        Reply::Ways(ways) => {
            let text = |way| way_text(way, name, one, paint);
            ways.iter().map(text).collect()
        }
        Reply::States(states) => numbers(states),
        Reply::Divergence(None) => "they never part: no choice rules one of them out\n".to_string(),
        Reply::Divergence(Some(parting)) => {
            let (state, way) = (name(parting.state), steps(&parting.steps, paint));
            let mut text = format!("{one} {state}, after\n{way}");
            let sides = [
                ("then only the first", &parting.first),
                ("then only the second", &parting.second),
                ("then both", &parting.both),
                ("then neither", &parting.neither),
            ];
            for (what, side) in sides {
                if !side.is_empty() {
                    let _ = writeln!(text, "{what}\n{}", steps(side, paint).trim_end());
                }
            }
            text
        }
        Reply::Ancestors { all, last } => {
            format!("{}of these the last: {}", numbers(all), numbers(last))
        }
        Reply::Cycles(cycles) if cycles.is_empty() => "no run goes round for ever\n".to_string(),
        Reply::Cycles(cycles) => cycles.iter().map(|cycle| numbers(cycle)).collect(),
    }
}

fn way_text(way: &Way, name: &dyn Fn(u32) -> u32, one: &str, paint: &Paint) -> String {
    let state = name(way.state);
    let what = match way.outcome {
        Some(outcome) => format!("outcome {outcome}, {one} {state}"),
        None => format!("{one} {state}"),
    };
    format!("{}\n{}", paint.heading(what), steps(&way.steps, paint))
}

/// A line of the source, in a column; nothing where it is not known.
fn at_line(line: Option<u32>, paint: &Paint) -> String {
    let line = line.map_or_else(String::new, |line| format!("line {line}"));
    paint.place(format!("{line:>8}"))
}

fn steps(list: &[Step], paint: &Paint) -> String {
    let line = |step: &Step| {
        let place = at_line(step.line, paint);
        format!("  {place} {} {}\n", step.rule, printable(&step.text))
    };
    list.iter().map(line).collect()
}

fn numbers(states: &[u32], name: &dyn Fn(u32) -> u32, one: &str) -> String {
    let first = states.iter().take(40);
    let list: Vec<_> = first.map(|state| name(*state).to_string()).collect();
    let more = if states.len() > 40 { ", …" } else { "" };
    let many = count(states.len() as u64, one);
    format!("{many}: {}{more}\n", list.join(", "))
}
