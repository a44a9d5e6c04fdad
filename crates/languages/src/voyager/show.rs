//! Actors as faces show them, and what changes about them.

use borges_multiverse::debug::AgentMode;

use crate::ambienttalk::{ActorView, AmbientTalk, Doing, State};
use crate::model::debug::{AgentCard, ChangeRow, line};

/// What differs between two states, for each actor.
pub(super) fn changes(program: &AmbientTalk, before: &State, after: &State) -> Vec<ChangeRow> {
    let mut changes = Vec::new();
    for actor in program.actors(after) {
        let Some(now) = program.view(after, actor) else {
            continue;
        };
        match program.view(before, actor) {
            Some(was) => compare(&was, &now, &mut changes),
            None => changes.push(ChangeRow {
                agent: now.name,
                what: "born".to_owned(),
                before: String::new(),
                after: actor.to_string(),
            }),
        }
    }
    changes
}

/// An actor as faces show it.
pub(super) fn card(text: &str, view: &ActorView, mode: AgentMode) -> AgentCard {
    let fields = view.fields.iter();
    AgentCard {
        name: view.name.clone(),
        mode: mode.name(),
        next: doing(view.next.doing).to_owned(),
        line: line(text, view.span),
        fields: fields
            .map(|(name, value)| (name.clone(), value.to_string()))
            .collect(),
        inbox: view.inbox.clone(),
        calls: view.calls.clone(),
        output: view.output.clone(),
        stuck: view.stuck.clone(),
    }
}

const fn doing(doing: Doing) -> &'static str {
    match doing {
        Doing::Waiting => "waits",
        Doing::Stuck => "is stuck",
        Doing::Local => "computes",
        Doing::CreateActor => "creates an actor",
        Doing::Send => "sends",
        Doing::SendResult => "sends its result",
        Doing::Forward => "sends on",
        Doing::TakeMessage => "takes a message",
        Doing::TakeResolution => "takes a resolution",
        Doing::TakeForFuture => "takes a message for a future",
        Doing::TakeResolve => "resolves a future",
    }
}

fn compare(was: &ActorView, now: &ActorView, changes: &mut Vec<ChangeRow>) {
    let mut change = |what: &str, before: String, after: String| {
        if before != after {
            changes.push(ChangeRow {
                agent: now.name.clone(),
                what: what.to_owned(),
                before,
                after,
            });
        }
    };
    for (name, value) in &now.fields {
        let old = was.fields.iter().find(|(known, _)| known == name);
        let old = old.map(|(_, value)| value.to_string()).unwrap_or_default();
        change(name, old, value.to_string());
    }
    for (name, value) in &was.fields {
        if !now.fields.iter().any(|(known, _)| known == name) {
            change(name, value.to_string(), String::new());
        }
    }
    change("inbox", was.inbox.join(", "), now.inbox.join(", "));
    change("sends", was.outbox.join(", "), now.outbox.join(", "));
    change("output", was.output.join(" / "), now.output.join(" / "));
    change("calls", was.calls.join(" › "), now.calls.join(" › "));
    change(
        "stuck",
        was.stuck.clone().unwrap_or_default(),
        now.stuck.clone().unwrap_or_default(),
    );
}
