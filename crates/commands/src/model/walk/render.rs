//! What a walk shows, as text and as JSON.

use std::fmt::Write as _;

use borges_languages::model::Multiverse;
use borges_languages::model::debug::Watch;
use borges_multiverse::graph::Pause;
use borges_multiverse::language::{Language, Outcome};
use borges_multiverse::tree::Place;
use borges_multiverse::walk::{Past, Rest, Walk};
use serde_json::{Value, json};

use crate::model::questions::{self, many_paths, size};
use crate::paint::{Paint, printable};

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
    match outcome.verdicts.finished() {
        true => paint.good(outcome),
        false => paint.bad(outcome),
    }
}

fn outcome_value<V: std::fmt::Display>(outcome: &Outcome<V>) -> Value {
    json!({ "verdict": outcome.verdicts.to_string(), "value": outcome.value.to_string() })
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

/// Every end with the moment of a shortest path to it.
pub(super) fn ends(
    graph: &dyn Multiverse,
    moment: impl Fn(&[u32]) -> Option<String>,
    paint: &Paint,
    keep_going: Watch<'_>,
) -> (String, Value) {
    let (outcomes, endings) = (graph.ends(), graph.endings(keep_going));
    let (mut text, mut list) = (String::new(), Vec::new());
    for (state, outcome, paths) in &endings.states {
        let Some(outcome) = outcomes.get(*outcome as usize) else {
            continue;
        };
        let moment = graph.options_to(*state).and_then(|way| moment(&way));
        let mut line = format!("  {}", questions::end(outcome, paint));
        if let Some(moment) = &moment {
            let _ = write!(line, "  {}", paint.place(format!("moment {moment}")));
        }
        if let Some(paths) = paths {
            let _ = write!(line, "  {}", paint.dim(many_paths(paths)));
        }
        let _ = writeln!(text, "{line}");
        list.push(json!({
            "verdict": outcome.how.to_string(),
            "value": outcome.text,
            "moment": moment,
            "paths": paths,
        }));
    }
    let (line, mut value) = size(graph, &endings, paint);
    text.push_str(&line);
    value["reply"] = json!("ends");
    value["ends"] = Value::Array(list);
    (text, value)
}
