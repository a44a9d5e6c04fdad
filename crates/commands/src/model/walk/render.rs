//! What a walk shows, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use borges_multiverse::graph::{Graph, NodeId, Pause, Status};
use borges_multiverse::language::{Language, Outcome, Verdict};
use borges_multiverse::tree::Place;
use borges_multiverse::walk::{Past, Rest, Walk};
use serde_json::{Value, json};

use crate::paint::{Paint, count, printable};

/// `branch.index`.
pub(super) fn universe(place: Place) -> String {
    format!("{}.{}", place.branch.0, place.index)
}

/// Where a walk stands, why, and what can happen next.
pub(super) fn arrived<L: Language>(walk: &Walk<L>, rest: &Rest, paint: &Paint) -> (String, Value) {
    let language = walk.language();
    let state = language.show(walk.state());
    let mut text = String::new();
    let mut value = json!({
        "reply": "stopped",
        "reason": reason(rest),
        "universe": universe(walk.place()),
        "steps": walk.steps(),
        "state": state,
    });
    match rest {
        Rest::Breakpoints(ids) if !ids.is_empty() => {
            let ids: Vec<u32> = ids.iter().map(|id| id.0).collect();
            let list: Vec<String> = ids.iter().map(u32::to_string).collect();
            let line = paint.heading(format!("breakpoint {}", list.join(", ")));
            let _ = writeln!(text, "{line}");
            value["breakpoints"] = json!(ids);
        }
        Rest::Limit => text.push_str("the run was long enough; go on with the same command\n"),
        Rest::Cancelled => text.push_str("paused\n"),
        _ => {}
    }
    let _ = writeln!(text, "{}", printable(&state));
    if let Some(outcome) = walk.outcome() {
        let _ = writeln!(text, "{}", end(&outcome, paint));
        value["outcome"] = outcome_value(&outcome);
    }
    let options = walk.options().iter().enumerate().map(|(number, choice)| {
        let label = language.label(walk.state(), choice);
        let agent = language.agent(walk.state(), choice).to_string();
        let line = format!("{} {}", label.rule, label.text);
        let line = paint.fit(&line, paint.width.saturating_sub(6));
        let _ = writeln!(text, "  {}  {line}", paint.typed(number));
        json!({ "number": number, "agent": agent, "rule": label.rule, "text": label.text })
    });
    value["choices"] = options.collect();
    (text, value)
}

fn reason(rest: &Rest) -> &'static str {
    match rest {
        Rest::Choice => "choice",
        Rest::Breakpoints(ids) if ids.is_empty() => "done",
        Rest::Breakpoints(_) => "breakpoint",
        Rest::End => "end",
        Rest::Limit => "bound",
        Rest::Cancelled => "paused",
    }
}

fn end<V: std::fmt::Display>(outcome: &Outcome<V>, paint: &Paint) -> String {
    match outcome.verdict {
        Verdict::Finished => paint.good(outcome),
        _ => paint.bad(outcome),
    }
}

/// A number of paths, which may be larger than any that we count with.
fn many_paths(paths: &str) -> String {
    let plural = if paths == "1" { "" } else { "s" };
    format!("{paths} path{plural}")
}

fn outcome_value<V: std::fmt::Display>(outcome: &Outcome<V>) -> Value {
    json!({ "verdict": outcome.verdict.to_string(), "value": outcome.value.to_string() })
}

pub(super) fn path<A: std::fmt::Display>(history: &[Past<A>], paint: &Paint) -> (String, Value) {
    let mut text = String::new();
    let mut steps = Vec::new();
    for past in history {
        let (option, options) = past.option;
        let choice = match options > 1 {
            true => paint.dim(format!("  choice {option} of {options}")),
            false => String::new(),
        };
        let (universe, rule) = (universe(past.place), past.label.rule);
        let step = printable(&past.label.text);
        let _ = writeln!(text, "  {universe:<7} {rule} {step}{choice}");
        steps.push(json!({
            "universe": universe,
            "agent": past.agent.to_string(),
            "rule": rule,
            "text": past.label.text,
            "choice": option,
            "choices": options,
        }));
    }
    if text.is_empty() {
        text.push_str("this is the start\n");
    }
    (text, json!({ "reply": "path", "steps": steps }))
}

/// Why an exploration is not complete, in words.
pub(super) fn pause(pause: Pause) -> &'static str {
    match pause {
        Pause::Complete => "everything was explored",
        Pause::States => "there are more states than asked for",
        Pause::Depth => "the depth was limited",
        Pause::Unfollowed => "some runs are not followed",
        Pause::Cancelled => "it was cancelled",
        Pause::Full => "the graph is full",
    }
}

/// Every state with its steps.
pub(super) fn graph<L: Language>(graph: &Graph<L>, why: Pause, paint: &Paint) -> (String, Value) {
    let mut text = String::new();
    let mut states = Vec::new();
    for node in graph.nodes() {
        let Some(state) = graph.state(node) else {
            continue;
        };
        let shown = graph.language().show(state);
        let mark = match (graph.status(node), graph.outcome(node)) {
            (Some(Status::Expanded), Some(outcome)) => format!("  {}", end(&outcome, paint)),
            (Some(Status::Expanded), None) => String::new(),
            _ => paint.warning("  (unexplored)"),
        };
        let line = paint.fit(&shown, paint.width.saturating_sub(30).max(20));
        let number = paint.typed(format!("{:>4}", node.0));
        let _ = writeln!(text, "{number}  {line}{mark}");
        let mut edges = Vec::new();
        for (id, edge) in graph.edges_from(node) {
            let Some(choice) = graph.choice(id) else {
                continue;
            };
            let label = graph.language().label(state, &choice);
            let step = format!("{} {}", label.rule, label.text);
            let step = paint.fit(&step, paint.width.saturating_sub(16).max(20));
            let _ = writeln!(text, "      to {}  {step}", edge.to.0);
            edges.push(json!({ "rule": label.rule, "text": label.text, "to": edge.to.0 }));
        }
        states.push(json!({
            "number": node.0,
            "state": shown,
            "explored": graph.status(node) == Some(Status::Expanded),
            "outcome": graph.outcome(node).map(|o| outcome_value(&o)),
            "edges": edges,
        }));
    }
    let (line, mut value) = size(graph, why, paint);
    text.push_str(&line);
    value["reply"] = json!("graph");
    value["nodes"] = Value::Array(states);
    (text, value)
}

/// Every end with the moment of a shortest path to it.
pub(super) fn ends<L: Language>(
    graph: &Graph<L>,
    why: Pause,
    moment: impl Fn(NodeId) -> Option<String>,
    paint: &Paint,
) -> (String, Value) {
    let mut text = String::new();
    let mut list = Vec::new();
    let paths = graph.count_paths().ok().filter(|_| graph.is_complete());
    let counted = paths.iter().flat_map(|paths| paths.ends());
    let counts: BTreeMap<u32, String> = counted
        .map(|(node, paths)| (node.0, paths.to_string()))
        .collect();
    for node in graph.ends() {
        let Some(outcome) = graph.outcome(node) else {
            continue;
        };
        let moment = moment(node);
        let paths = counts.get(&node.0);
        let mut line = format!("  {}", end(&outcome, paint));
        if let Some(moment) = &moment {
            let _ = write!(line, "  {}", paint.place(format!("moment {moment}")));
        }
        if let Some(paths) = paths {
            let _ = write!(line, "  {}", paint.dim(many_paths(paths)));
        }
        let _ = writeln!(text, "{line}");
        let mut value = outcome_value(&outcome);
        value["moment"] = json!(moment);
        value["paths"] = json!(paths);
        list.push(value);
    }
    let (line, mut value) = size(graph, why, paint);
    text.push_str(&line);
    value["reply"] = json!("ends");
    value["ends"] = Value::Array(list);
    (text, value)
}

/// How large a graph is, and whether it is all.
fn size<L: Language>(graph: &Graph<L>, why: Pause, paint: &Paint) -> (String, Value) {
    let (states, edges) = (graph.len() as u64, graph.edge_count() as u64);
    let ends = graph.ends().count() as u64;
    let complete = graph.is_complete();
    let paths = graph
        .count_paths()
        .ok()
        .filter(|_| complete)
        .map(|paths| paths.total().to_string());
    let (many_states, many_edges) = (count(states, "state"), count(edges, "edge"));
    let mut line = format!("{many_states}, {many_edges}, {}", count(ends, "end"));
    if let Some(paths) = &paths {
        let _ = write!(line, ", {}", many_paths(paths));
    }
    let mut text = format!("{}\n", paint.dim(line));
    if !complete {
        let note = format!("not all: {}", pause(why));
        let _ = writeln!(text, "{}", paint.warning(note));
    }
    let value = json!({
        "states": states,
        "edges": edges,
        "end_states": ends,
        "paths": paths,
        "complete": complete,
    });
    (text, value)
}
