//! What a program leaves behind.

use std::collections::VecDeque;
use std::fmt;

use super::birth::ActorId;
use super::language::AmbientTalk;
use super::state::{Actor, State};
use super::value::{Entity, Value};

/// The fields of all objects that actors reach, and what was printed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Answer {
    /// What each actor printed: its name and its lines. Actors that printed nothing are left out.
    pub output: Vec<(String, Vec<String>)>,
    /// Each field under the name of its object: `math.result`.
    pub values: Vec<(String, Datum)>,
    /// Who is stuck, and why.
    pub stuck: Vec<(String, String)>,
}

/// A final value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Datum {
    /// Nothing.
    Null,
    /// A truth value.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A text.
    Text(String),
    /// The name of an object, an actor or a future.
    Reference(String),
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Reference(name) => write!(f, "→{name}"),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (name, value) in &self.values {
            if !matches!(value, Datum::Reference(_)) {
                write!(f, "{separator}{name} = {value}")?;
                separator = ", ";
            }
        }
        for (name, lines) in &self.output {
            write!(f, "{separator}{name} prints {}", lines.join(" / "))?;
            separator = ", ";
        }
        for (name, why) in &self.stuck {
            write!(f, "{separator}{name} is stuck: {why}")?;
            separator = ", ";
        }
        Ok(())
    }
}

impl AmbientTalk {
    pub(super) fn answer(&self, state: &State) -> Answer {
        let mut answer = Answer {
            output: Vec::new(),
            values: Vec::new(),
            stuck: Vec::new(),
        };
        for actor in &state.actors {
            let name = self.actor_name(state, actor.id);
            for (path, object) in self.object_paths(actor) {
                let Some(object) = actor.object(object) else {
                    continue;
                };
                let template = self.program.template(object.template);
                let fields = template.slots.iter().zip(&object.slots);
                for (field, value) in fields.skip(usize::from(template.captures)) {
                    let field = self.program.name(*field);
                    let datum = self.datum(state, actor.id, *value);
                    answer.values.push((format!("{name}{path}.{field}"), datum));
                }
            }
            if let Some(stuck) = self.stuck(actor) {
                answer.stuck.push((name.clone(), stuck));
            }
            if !actor.output.is_empty() {
                let lines = actor.output.iter().map(|line| line.to_string()).collect();
                answer.output.push((name, lines));
            }
        }
        answer
    }

    /// The objects that an actor reaches from its own, each with its path: `.table.forks`.
    pub(super) fn object_paths(&self, actor: &Actor) -> Vec<(String, u32)> {
        let mut paths: Vec<(String, u32)> = Vec::new();
        let mut seen = vec![false; actor.heap.len()];
        let mut queue = VecDeque::from([(String::new(), 0_u32)]);
        while let Some((path, name)) = queue.pop_front() {
            if let Some(mark) = seen.get_mut(name as usize).filter(|mark| !**mark) {
                *mark = true;
            } else {
                continue;
            }
            match actor.slot(name).map(|slot| &*slot.entity) {
                Some(Entity::Object(object)) => {
                    let template = self.program.template(object.template);
                    for (slot, value) in template.slots.iter().zip(&object.slots) {
                        let (Value::Object(owner, inner) | Value::Future(owner, inner)) = *value
                        else {
                            continue;
                        };
                        if owner == actor.id {
                            let slot = self.program.name(*slot);
                            queue.push_back((format!("{path}.{slot}"), inner));
                        }
                    }
                    paths.push((path, name));
                }
                Some(Entity::Future(super::value::Future::Resolved(Value::Object(
                    owner,
                    inner,
                )))) if *owner == actor.id => {
                    queue.push_back((format!("{path}.value"), *inner));
                }
                _ => {}
            }
        }
        paths
    }

    pub(super) fn datum(&self, state: &State, at: ActorId, value: Value) -> Datum {
        match value {
            Value::Null => Datum::Null,
            Value::Boolean(value) => Datum::Boolean(value),
            Value::Integer(value) => Datum::Integer(value),
            Value::Text(_) => Datum::Text(self.program.text(value)),
            _ => Datum::Reference(self.value_text(state, at, value)),
        }
    }
}
