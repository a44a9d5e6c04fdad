//! What an edge changes.

use super::command::{Change, VoyagerError};
use super::session::Voyager;
use super::universe::EdgeId;
use crate::ambienttalk::{ActorView, MessageView};

impl Voyager {
    pub(super) fn difference(&self, id: EdgeId) -> Result<Vec<Change>, VoyagerError> {
        let edge = self
            .edges
            .get(id.0 as usize)
            .ok_or(VoyagerError::NoEdge(id))?;
        let (Some(before), Some(after)) = (self.state(edge.from), self.state(edge.to)) else {
            return Err(VoyagerError::NoEdge(id));
        };
        let mut changes = Vec::new();
        for actor in self.program.actors(after) {
            let Some(now) = self.program.view(after, actor) else {
                continue;
            };
            match self.program.view(before, actor) {
                Some(was) => compare(&was, &now, &mut changes),
                None => changes.push(Change {
                    actor: now.name,
                    what: "born".to_owned(),
                    before: String::new(),
                    after: actor.to_string(),
                }),
            }
        }
        Ok(changes)
    }
}

fn compare(was: &ActorView, now: &ActorView, changes: &mut Vec<Change>) {
    let mut change = |what: &str, before: String, after: String| {
        if before != after {
            changes.push(Change {
                actor: now.name.clone(),
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
    change("inbox", messages(&was.inbox), messages(&now.inbox));
    change("sends", messages(&was.outbox), messages(&now.outbox));
    change("output", was.output.join(" / "), now.output.join(" / "));
    change("calls", calls(was), calls(now));
    change(
        "stuck",
        was.stuck.clone().unwrap_or_default(),
        now.stuck.clone().unwrap_or_default(),
    );
}

fn messages(messages: &[MessageView]) -> String {
    let texts: Vec<_> = messages
        .iter()
        .map(|message| message.text.as_str())
        .collect();
    texts.join(", ")
}

fn calls(view: &ActorView) -> String {
    let calls: Vec<_> = view
        .stack
        .iter()
        .map(|frame| {
            let variables = frame.variables.iter();
            let variables: Vec<_> = variables
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            format!("{}({})", frame.method, variables.join(", "))
        })
        .collect();
    calls.join(" › ")
}
