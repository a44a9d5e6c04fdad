//! States in words: names, messages, pictures.

use std::collections::VecDeque;

use borges_multiverse::language::Span;

use super::answer::Answer;
use super::birth::ActorId;
use super::code::{Selector, SiteId};
use super::language::AmbientTalk;
use super::state::{Actor, State};
use super::step::{Process, Rule};
use super::value::{Entity, Future, Message, Value};
use crate::datum::Datum;

/// An actor as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActorView {
    /// Which.
    pub id: ActorId,
    /// Its name: the variable of its creator that holds it, or its birth.
    pub name: String,
    /// What it does next.
    pub next: Next,
    /// The place of that in the source.
    pub span: Option<Span>,
    /// The fields of its objects.
    pub fields: Vec<(String, Datum)>,
    /// Its inbox, oldest first: what is asked for, with the arguments.
    pub inbox: Vec<String>,
    /// Messages that the turn still sends.
    pub outbox: Vec<String>,
    /// The calls that it is in, the innermost last: methods, `apply` for blocks, with their variables.
    pub calls: Vec<String>,
    /// What it has printed.
    pub output: Vec<String>,
    /// Why it is stuck.
    pub stuck: Option<String>,
}

/// What an actor does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doing {
    /// It waits for a message.
    Waiting,
    /// It is stuck.
    Stuck,
    /// A rule that nobody else notices.
    Local,
    /// An actor literal.
    CreateActor,
    /// A send in the source.
    Send,
    /// The result of a method that ran because of a message.
    SendResult,
    /// A message that a future sends on.
    Forward,
    /// The oldest message asks for a method.
    TakeMessage,
    /// The oldest message calls back, or came through a future.
    TakeResolution,
    /// The oldest message is for a future that keeps it or sends it on.
    TakeForFuture,
    /// The oldest message resolves a future.
    TakeResolve,
}

/// What an actor does next, and with which message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Next {
    /// What.
    pub doing: Doing,
    /// The site of the message to be sent or taken.
    pub site: Option<SiteId>,
    /// To whom, if something is sent.
    pub to: Option<ActorId>,
    /// Whether it is the actor's first step.
    pub starting: bool,
    /// How many calls it is in.
    pub depth: usize,
}

impl AmbientTalk {
    /// The actors of a state, creators first.
    #[must_use]
    pub fn actors(&self, state: &State) -> Vec<ActorId> {
        state.actors.iter().map(|actor| actor.id).collect()
    }

    /// The value of a field, by its name in [`ActorView::fields`]: `result`, `table.forks`.
    #[must_use]
    pub fn field(&self, state: &State, actor: ActorId, path: &str) -> Option<Datum> {
        let actor = state.actor(actor)?;
        let mut fields = self.fields(state, actor, true).into_iter();
        fields
            .find(|(name, _)| name.trim_start_matches('.') == path)
            .map(|(_, value)| value)
    }

    /// The fields of its objects with their paths, and, if they are wanted, what those captured.
    fn fields(&self, state: &State, actor: &Actor, captured: bool) -> Vec<(String, Datum)> {
        let mut fields = Vec::new();
        for (path, object) in self.object_paths(actor) {
            let Some(object) = actor.object(object) else {
                continue;
            };
            let template = self.program.template(object.template);
            let first = if captured { 0 } else { template.captures };
            let slots = template.slots.iter().zip(&object.slots);
            for (slot, value) in slots.skip(usize::from(first)) {
                let name = format!("{path}.{}", self.program.name(*slot));
                let datum = self.datum(state, actor.id, *value);
                fields.push((name, datum));
            }
        }
        fields
    }

    /// Everything about an actor; none if there is none of that name.
    #[must_use]
    pub fn view(&self, state: &State, id: ActorId) -> Option<ActorView> {
        let actor = state.actor(id)?;
        let messages = |messages: &[std::sync::Arc<Message>]| {
            let messages = messages.iter();
            messages.map(|m| self.message_text(state, m)).collect()
        };
        let calls = actor.frames.iter().map(|frame| {
            let code = self.program.code(frame.code);
            let variables = code.local_names.iter().zip(&frame.values);
            let variables = variables.map(|(name, value)| (self.program.name(*name), *value));
            let variables = variables.filter(|(name, _)| !name.is_empty());
            let shown = |(name, value)| format!("{name} = {}", self.datum(state, id, value));
            let variables: Vec<_> = variables.map(shown).collect();
            format!("{}({})", self.program.name(code.name), variables.join(", "))
        });
        let fields = self.fields(state, actor, true).into_iter();
        Some(ActorView {
            id,
            name: self.actor_name(state, id),
            next: self.next(state, id)?,
            span: self.span(actor),
            fields: fields
                .map(|(name, value)| (name.trim_start_matches('.').to_owned(), value))
                .collect(),
            inbox: messages(&actor.inbox),
            outbox: messages(&actor.outbox),
            calls: calls.collect(),
            output: actor.output.iter().map(|line| line.to_string()).collect(),
            stuck: self.stuck(actor),
        })
    }

    /// What an actor does next; none if there is no such actor.
    #[must_use]
    pub fn next(&self, state: &State, id: ActorId) -> Option<Next> {
        let actor = state.actor(id)?;
        let head = actor.inbox.first();
        let (doing, site, to) = if actor.stuck.is_some() {
            (Doing::Stuck, head.map(|m| m.site), None)
        } else {
            match self.rule(actor) {
                None => (Doing::Waiting, None, None),
                Some(Rule::NewActor(_, child)) => (Doing::CreateActor, None, Some(child)),
                Some(Rule::Send { message, .. }) => {
                    (Doing::Send, Some(message.site), message.receiver.actor())
                }
                Some(Rule::SendResult(message)) => {
                    let doing = match message.selector {
                        Selector::Resolve => Doing::SendResult,
                        _ => Doing::Forward,
                    };
                    (doing, Some(message.site), message.receiver.actor())
                }
                Some(Rule::Process(process)) => {
                    let forwarded = head.is_some_and(|message| message.forwarded);
                    let doing = match process {
                        Process::Method { .. } if forwarded => Doing::TakeResolution,
                        Process::Method { .. } => Doing::TakeMessage,
                        Process::Callback { .. } | Process::FarCallback { .. } => {
                            Doing::TakeResolution
                        }
                        Process::Store { .. } | Process::Forward { .. } => Doing::TakeForFuture,
                        Process::Resolve { .. } => Doing::TakeResolve,
                    };
                    (doing, head.map(|message| message.site), None)
                }
                Some(_) => (Doing::Local, None, None),
            }
        };
        Some(Next {
            doing,
            site,
            to,
            starting: self.is_starting(actor),
            depth: actor.frames.len(),
        })
    }

    /// Whether an actor is within a turn.
    #[must_use]
    pub fn in_turn(&self, state: &State, id: ActorId) -> bool {
        state.actor(id).is_some_and(|actor| !actor.is_idle())
    }

    /// The places from which the program sends, in the order of the source: what, and where.
    #[must_use]
    pub fn sites(&self) -> Vec<(SiteId, String, Span)> {
        let mut sites: Vec<_> = (0..self.program.sites.len() as u32).map(SiteId).collect();
        sites.sort_by_key(|site| self.program.site(*site).span);
        let view = |site: SiteId| {
            let known = self.program.site(site);
            (
                site,
                self.program.name(known.selector).to_owned(),
                known.span,
            )
        };
        sites.into_iter().map(view).collect()
    }

    /// The field of the creator's own object that holds the actor, or its birth.
    #[must_use]
    pub fn actor_name(&self, state: &State, id: ActorId) -> String {
        if id == ActorId::MAIN {
            return "main".to_owned();
        }
        let holder = state.actors.iter().find_map(|actor| {
            let object = actor.object(0)?;
            let template = self.program.template(object.template);
            let captures = usize::from(template.captures);
            let fields = template.slots.iter().zip(&object.slots).skip(captures);
            let mut holding = fields.filter(|(_, value)| **value == Value::Object(id, 0));
            let field = holding.next().map(|(field, _)| self.program.name(*field))?;
            let creates = id.path().starts_with(&actor.id.path());
            (creates && actor.id < id).then_some((actor.id, field))
        });
        match holder {
            Some((ActorId::MAIN, field)) => field.to_owned(),
            Some((owner, field)) => format!("{}.{field}", self.actor_name(state, owner)),
            None => id.to_string(),
        }
    }

    pub(super) fn message_text(&self, state: &State, message: &Message) -> String {
        let at = message.receiver.actor().unwrap_or(ActorId::MAIN);
        let arguments: Vec<_> = message
            .arguments
            .iter()
            .map(|value| self.value_text(state, at, *value))
            .collect();
        let arguments = arguments.join(", ");
        match message.selector {
            Selector::Register => "a callback".to_owned(),
            selector => format!("{}({arguments})", self.program.selector(selector)),
        }
    }

    /// A value, as seen in actor `at`.
    pub(super) fn value_text(&self, state: &State, at: ActorId, value: Value) -> String {
        let named = |owner: ActorId, name: u32, kind: &str| {
            if name == 0 && kind.is_empty() {
                return self.actor_name(state, owner);
            }
            let path = state.actor(owner).and_then(|actor| {
                let paths = self.object_paths(actor);
                paths
                    .into_iter()
                    .find(|(_, object)| *object == name)
                    .map(|(path, _)| path)
            });
            let path = path.unwrap_or_else(|| format!("{kind}#{name}"));
            if owner == at {
                path.trim_start_matches('.').to_owned()
            } else {
                let path = path.trim_start_matches('.');
                format!("{}.{path}", self.actor_name(state, owner))
            }
        };
        match value {
            Value::Text(_) => format!("{:?}", self.program.text(value)),
            Value::Object(owner, name) => named(owner, name, ""),
            Value::Future(owner, name) | Value::Resolver(owner, name) => {
                let actor = state.actor(owner);
                let future = actor.and_then(|actor| actor.future(name));
                match future {
                    Some(Future::Resolved(inner)) if !matches!(inner, Value::Future(..)) => {
                        format!("future({})", self.value_text(state, at, *inner))
                    }
                    _ => named(owner, name, "future"),
                }
            }
            other => self.program.text(other),
        }
    }

    pub(super) fn picture(&self, state: &State) -> String {
        let mut picture = String::new();
        for actor in &state.actors {
            let Some(view) = self.view(state, actor.id) else {
                continue;
            };
            let fields: Vec<_> = view
                .fields
                .iter()
                .map(|(n, v)| format!("{n} = {v}"))
                .collect();
            let doing = match (&view.stuck, self.rule(actor)) {
                (Some(why), _) => format!("stuck: {why}"),
                (None, None) => "waits".to_owned(),
                (None, Some(_)) if actor.is_idle() => "idle".to_owned(),
                (None, Some(_)) => "runs".to_owned(),
            };
            picture.push_str(&format!(
                "{} [{doing}] {{{}}} inbox [{}]",
                view.name,
                fields.join(", "),
                view.inbox.join(", ")
            ));
            if !view.output.is_empty() {
                picture.push_str(&format!(" printed {:?}", view.output));
            }
            picture.push('\n');
        }
        for channel in &state.channels {
            let messages = channel.messages.iter();
            let texts: Vec<_> = messages.map(|(_, m)| self.message_text(state, m)).collect();
            if !texts.is_empty() {
                let from = self.actor_name(state, channel.from);
                let to = self.actor_name(state, channel.to);
                picture.push_str(&format!("{from} → {to}: {}\n", texts.join(", ")));
            }
        }
        picture.truncate(picture.trim_end().len());
        picture
    }
}

/// What debuggers ask.
impl AmbientTalk {
    /// The method that an actor's next step belongs to: that of the turn, or, between turns, the one
    /// that the oldest message asks for.
    #[must_use]
    pub fn method_of_step(&self, state: &State, id: ActorId) -> Option<String> {
        let actor = state.actor(id)?;
        let code = match &actor.turn {
            Some(turn) => turn.code?,
            None => match self.rule(actor)? {
                Rule::Process(Process::Method { code, .. } | Process::Callback { code, .. }) => {
                    code
                }
                _ => return None,
            },
        };
        Some(self.program.name(self.program.code(code).name).to_owned())
    }

    /// Whether the actor is about to send a message that makes a future.
    #[must_use]
    pub fn sends_two_way(&self, state: &State, id: ActorId) -> bool {
        let rule = state.actor(id).and_then(|actor| self.rule(actor));
        matches!(rule, Some(Rule::Send { message, .. }) if message.resolver.is_some())
    }

    /// Whom the actor's turn, or else its oldest message, will send a result to, and for which send.
    #[must_use]
    pub fn answers_to(&self, state: &State, id: ActorId) -> Option<(ActorId, SiteId)> {
        let actor = state.actor(id)?;
        if let Some(message) = actor.outbox.first() {
            let is_result = message.selector == Selector::Resolve;
            return is_result.then_some((message.receiver.actor()?, message.site));
        }
        if let Some(turn) = &actor.turn {
            return Some((turn.resolver?.actor()?, turn.site));
        }
        let message = actor.inbox.first()?;
        Some((message.resolver?.actor()?, message.site))
    }

    /// How many messages of a send are on their way to an actor: the results of earlier requests, or
    /// the messages themselves.
    #[must_use]
    pub fn under_way(&self, state: &State, to: ActorId, site: SiteId, results: bool) -> u32 {
        let counts = |message: &Message| {
            message.site == site
                && message.receiver.actor() == Some(to)
                && (message.selector == Selector::Resolve) == results
        };
        let inbox = state
            .actor(to)
            .into_iter()
            .flat_map(|actor| actor.inbox.iter());
        let lines = state
            .channels
            .iter()
            .flat_map(|channel| channel.messages.iter());
        let messages = inbox.chain(lines.map(|(_, message)| message));
        messages.filter(|message| counts(message)).count() as u32
    }

    /// How many messages an actor takes before the first that `wanted` accepts by its site and
    /// selector; a message that is still on its way counts as behind all that have arrived.
    pub(crate) fn first_awaited(
        &self,
        state: &State,
        to: ActorId,
        wanted: impl Fn(SiteId, &str) -> bool,
    ) -> Option<usize> {
        let inbox = &state.actor(to)?.inbox;
        let wants = |message: &Message| {
            message.receiver.actor() == Some(to)
                && wanted(message.site, self.program.selector(message.selector))
        };
        let channels = state.channels.iter();
        let on_the_way = channels.flat_map(|channel| channel.messages.iter());
        let mut on_the_way = on_the_way.map(|(_, message)| message);
        let arrived = inbox.iter().position(|message| wants(message));
        arrived.or_else(|| on_the_way.any(|m| wants(m)).then_some(inbox.len()))
    }
}

impl AmbientTalk {
    pub(super) fn answer(&self, state: &State) -> Answer {
        let mut answer = Answer::default();
        for actor in &state.actors {
            let name = self.actor_name(state, actor.id);
            let fields = self.fields(state, actor, false).into_iter();
            let values = fields.map(|(path, datum)| (format!("{name}{path}"), datum));
            answer.values.extend(values);
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
                Some(Entity::Future(Future::Resolved(Value::Object(owner, inner))))
                    if *owner == actor.id =>
                {
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
