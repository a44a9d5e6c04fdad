//! What questions about all runs show.

use std::fmt::Write as _;

use borges_languages::model::debug::{Judgement, Opinion, Watch};
use borges_languages::model::{
    EndCount, Endings, Multiverse, RaceStep, Races, Reply, Step, Way, Why,
};
use serde_json::{Value, json};

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

/// An outcome, in colour.
pub(in crate::model) fn end(end: &EndCount, paint: &Paint) -> String {
    let text = printable(&format!("{}: {}", end.how, end.text));
    let is_good = end.how.finished();
    paint.paint(if is_good { Role::Good } else { Role::Bad }, text)
}

/// A number of paths, which may be larger than any that we count with.
pub(in crate::model) fn many_paths(paths: &str) -> String {
    let plural = if paths == "1" { "" } else { "s" };
    format!("{paths} path{plural}")
}

/// The first `most` states with their steps, and how much there is.
pub(super) fn states(
    graph: &dyn Multiverse,
    most: u32,
    paint: &Paint,
    keep_going: Watch<'_>,
) -> (String, Value) {
    let (ends, endings) = (graph.ends(), graph.endings(keep_going));
    let known = graph.states() as u64;
    let (mut text, mut nodes) = (String::new(), Vec::new());
    for state in 0..most.min(graph.states() as u32) {
        let (Some(shown), Some(status)) = (graph.show(state), graph.status(state)) else {
            continue;
        };
        let of = endings.states.binary_search_by_key(&state, |end| end.0);
        let outcome = of
            .ok()
            .and_then(|at| ends.get(endings.states[at].1 as usize));
        let explored = !matches!(status, "cut" | "waiting");
        let mark = match outcome {
            Some(outcome) => format!("  {}", end(outcome, paint)),
            None if explored => String::new(),
            None => paint.warning("  (unexplored)"),
        };
        let line = paint.fit(&shown, paint.width.saturating_sub(30).max(20));
        let number = paint.typed(format!("{state:>4}"));
        let _ = writeln!(text, "{number}  {line}{mark}");
        let mut edges = Vec::new();
        for edge in graph
            .leaving(state)
            .into_iter()
            .filter_map(|edge| graph.edge_row(edge))
        {
            let (rule, to) = (edge.step.rule, edge.target);
            let step = format!("{rule} {}", edge.step.text);
            let step = paint.fit(&step, paint.width.saturating_sub(16).max(20));
            let _ = writeln!(text, "      to {to}  {step}");
            edges.push(json!({ "rule": rule, "text": edge.step.text, "to": to }));
        }
        let outcome =
            outcome.map(|end| json!({ "verdict": end.how.to_string(), "value": end.text }));
        nodes.push(json!({
            "number": state,
            "state": shown,
            "explored": explored,
            "outcome": outcome,
            "edges": edges,
        }));
    }
    let more = known.saturating_sub(most.into());
    if more > 0 {
        let _ = writeln!(text, "and {more} more: 'explore NUMBER' shows so many");
    }
    let (line, mut value) = size(graph, &endings, paint);
    text.push_str(&line);
    value["reply"] = json!("graph");
    value["nodes"] = Value::Array(nodes);
    (text, value)
}

/// How large a graph is, and whether it is all.
pub(in crate::model) fn size(
    graph: &dyn Multiverse,
    endings: &Endings,
    paint: &Paint,
) -> (String, Value) {
    let (states, edges) = (graph.states() as u64, graph.edges() as u64);
    let ends = endings.states.len() as u64;
    let (many_states, many_edges) = (count(states, "state"), count(edges, "edge"));
    let mut line = format!("{many_states}, {many_edges}, {}", count(ends, "end"));
    if let Some(paths) = &endings.paths {
        let _ = write!(line, ", {}", many_paths(paths));
    }
    let mut text = format!("{}\n", paint.dim(line));
    let why = graph.partial();
    text.extend(why.map(|why| partial(why, states, paint)));
    let value = json!({
        "states": states,
        "edges": edges,
        "end_states": ends,
        "paths": endings.paths,
        "complete": why.is_none(),
        "why": why,
    });
    (text, value)
}

/// Pairs of steps that race, a line for each.
pub fn pairs(pairs: &[[Step; 2]]) -> String {
    let at = |step: &Step| match step.line {
        Some(line) => format!("{}, line {line}", printable(&step.text)),
        None => printable(&step.text),
    };
    let line = |[one, other]: &[Step; 2]| format!("  {}  |  {}\n", at(one), at(other));
    pairs.iter().map(line).collect()
}

/// Races, here and on the way.
pub(super) fn races(races: &Races, paint: &Paint) -> String {
    let mut text = match races.steps.len() {
        0 => "no two steps race here\n".to_owned(),
        1 => "here two steps can come in either order, and it matters\n".to_owned(),
        pairs => format!("here {pairs} pairs of steps can come in either order, and it matters\n"),
    };
    text.push_str(&pairs(&races.steps));
    let Some(messages) = &races.messages else {
        return text;
    };
    text.push_str(match messages.len() {
        0 => "no message was received on the way here\n",
        _ => "on the way here\n",
    });
    let step = |step: &RaceStep| {
        let (place, text) = (at_line(step.line, paint), printable(&step.text));
        format!("{place} step {}: {text}", step.step)
    };
    for race in messages {
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
                let role = match end.how.finished() {
                    true => Role::Good,
                    false => Role::Bad,
                };
                let (number, kind) = (paint.typed(end.outcome), paint.paint(role, &end.how));
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
