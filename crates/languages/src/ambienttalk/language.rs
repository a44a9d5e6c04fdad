//! AmbientTalk as a language of the core.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use borges_multiverse::fingerprint::Digest;
use borges_multiverse::language::{
    Footprint, Label, Language, Next, Outcome, Span, Touchable, Verdict,
};

use super::answer::Answer;
use super::birth::ActorId;
use super::change::Change;
use super::code::{Instr, Program};
use super::compile::compile;
use super::error::ParseError;
use super::memo::{self, Done, Memo};
use super::parse::parse;
use super::state::{Actor, Channel, State, Sums};
use super::step::{Effect, Process, Rule};
use super::value::{Entity, Future, Message};
pub use crate::model::{Delivery, Grain};
use crate::source;

/// The most rules that are merged into a visible step. A run that is longer goes on with the next.
const MAX_RUN: u64 = 100_000;

/// How a program is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// What is a step.
    pub grain: Grain,
    /// When messages arrive.
    pub delivery: Delivery,
    /// Whether states number the messages.
    ///
    /// Footprints are then exact, as causality and partial-order reduction want them; but states
    /// that differ in the number of past messages only are no longer equal, so a program that goes
    /// round for ever has endlessly many.
    pub numbered: bool,
}

/// A program.
#[derive(Clone, Debug)]
pub struct AmbientTalk {
    pub(super) program: Arc<Program>,
    options: Options,
    memo: Arc<Memo>,
}

/// What is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Choice {
    /// An actor takes its next step.
    Act(ActorId),
    /// A message arrives.
    Deliver {
        /// Its sender.
        from: ActorId,
        /// Its receiver.
        to: ActorId,
        /// Its number among those under way (or among all, where messages are numbered).
        number: u32,
    },
}

/// Who takes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Agent {
    /// An actor.
    Actor(ActorId),
    /// The line from one actor to another, which delivers in order.
    Line(ActorId, ActorId),
    /// A message that arrives when it likes.
    Message(ActorId, ActorId, u32),
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Actor(actor) => actor.fmt(f),
            Self::Line(from, to) => write!(f, "line {from} → {to}"),
            Self::Message(from, to, number) => write!(f, "message {from} → {to} #{number}"),
        }
    }
}

/// What steps touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resource {
    /// That an actor exists.
    Birth(ActorId),
    /// The end of an inbox at which messages enter (the whole inbox where messages have no numbers).
    Inbox(ActorId),
    /// A message in an inbox, by its number.
    Message(ActorId, u32),
    /// The line between two actors (where messages have no numbers).
    Line(ActorId, ActorId),
    /// A message under way, by its number.
    UnderWay(ActorId, ActorId, u32),
}

impl Touchable for Resource {}

impl AmbientTalk {
    /// Parses a program.
    ///
    /// # Errors
    /// [`ParseError`] with the place where the text stops making sense.
    pub fn parse(text: &str, options: Options) -> Result<Self, ParseError> {
        let items = parse(text)?;
        let mut program = compile(&items, text.len())?;
        program.line_starts = source::line_starts(text);
        Ok(Self {
            program: Arc::new(program),
            options,
            memo: Arc::new(Memo::new()),
        })
    }

    /// The same program, run otherwise.
    #[must_use]
    pub fn with(&self, options: Options) -> Self {
        Self {
            program: Arc::clone(&self.program),
            options,
            memo: Arc::new(Memo::new()),
        }
    }

    /// How the program is run.
    #[must_use]
    pub const fn options(&self) -> Options {
        self.options
    }

    /// Whether the actor has a step to take.
    pub(super) fn can_act(actor: &Actor) -> bool {
        actor.stuck.is_none() && !(actor.is_idle() && actor.inbox.is_empty())
    }

    /// The numbers of the messages that can arrive next.
    fn deliverable(&self, channel: &Channel) -> impl Iterator<Item = u32> {
        let all = self.options.delivery == Delivery::Unordered;
        let count = if all { usize::MAX } else { 1 };
        channel
            .messages
            .iter()
            .take(count)
            .map(|(number, _)| *number)
    }

    pub(super) fn rule(&self, actor: &Actor) -> Option<Rule> {
        self.program.next_rule(actor).ok().flatten()
    }

    /// What a choice changes; none if it is not enabled.
    fn change(&self, state: &State, choice: Choice) -> Option<Change> {
        match choice {
            Choice::Act(id) => self.act(state, state.place(id)?),
            Choice::Deliver { from, to, number } => {
                let channel = state.channel_at(from, to).ok()?;
                self.deliver(state, channel, number)
            }
        }
    }

    /// What all steps change, in the order of the choices.
    fn changes(&self, state: &State) -> Vec<Change> {
        let mut changes = Vec::new();
        for (at, actor) in state.actors.iter().enumerate() {
            if Self::can_act(actor) {
                changes.extend(self.act(state, at));
            }
        }
        for (at, channel) in state.channels.iter().enumerate() {
            let numbers = self.deliverable(channel);
            changes.extend(numbers.filter_map(|number| self.deliver(state, at, number)));
        }
        changes
    }

    /// The actor in this place takes a step.
    fn act(&self, state: &State, at: usize) -> Option<Change> {
        let actor = state.actors.get(at)?;
        let done = self.memo.step(actor, || self.take(actor))?;
        let mut change = Change::of(done.steps);
        change.put(at, Arc::clone(&done.actor));
        match &done.effect {
            Some(memo::Effect::Send(to, message)) => {
                self.dispatch(state, &mut change, actor.id, *to, message);
            }
            Some(memo::Effect::Create(created)) => {
                let place = state.actors.partition_point(|other| other.id < created.id);
                change.born = Some((place, Arc::clone(created)));
            }
            None => {}
        }
        Some(change)
    }

    /// A step of an actor, by itself.
    fn take(&self, actor: &Actor) -> Option<Done> {
        let mut actor = actor.clone();
        let mut rule = self.rule(&actor)?;
        let mut effect = None;
        let mut steps = 0;
        loop {
            let done = self.program.take(&mut actor, rule, self.options.numbered);
            effect = effect.or(done);
            steps += 1;
            if self.options.grain == Grain::Rule || steps >= MAX_RUN || actor.is_idle() {
                break;
            }
            match self.rule(&actor) {
                Some(next) if !next.is_global() => rule = next,
                _ => break,
            }
        }
        self.program.seal(&mut actor);
        Some(Done {
            actor: self.memo.intern(Cow::Owned(actor)),
            effect: effect.map(|effect| match effect {
                Effect::Send(to, message) => {
                    memo::Effect::Send(to, self.memo.message(Cow::Owned(message)))
                }
                Effect::Create(created) => {
                    memo::Effect::Create(self.memo.intern(Cow::Owned(*created)))
                }
            }),
            steps,
        })
    }

    fn dispatch(
        &self,
        state: &State,
        change: &mut Change,
        from: ActorId,
        to: ActorId,
        message: &Arc<Message>,
    ) {
        if self.options.delivery == Delivery::Immediate {
            return self.arrive(state, change, to, message);
        }
        let mut channels = state.channels.to_vec();
        let at = state.channel_at(from, to).unwrap_or_else(|at| {
            let channel = Channel {
                from,
                to,
                messages: Vec::new(),
                sent: 0,
            };
            channels.insert(at, Arc::new(channel));
            at
        });
        let channel = Arc::make_mut(&mut channels[at]);
        channel.messages.push((channel.sent, Arc::clone(message)));
        if self.options.numbered {
            channel.sent += 1;
        } else {
            channel.renumber();
        }
        change.channels = Some(channels.into());
    }

    /// The message is the newest of the inbox.
    fn arrive(&self, state: &State, change: &mut Change, to: ActorId, message: &Arc<Message>) {
        let Some(at) = state.place(to) else { return };
        let actor = change.actor(at).unwrap_or(&state.actors[at]);
        let after = self.memo.arrival(actor, message, || {
            let mut actor = (**actor).clone();
            actor.inbox.push(Arc::clone(message));
            self.program.seal(&mut actor);
            actor
        });
        change.put(at, after);
    }

    /// A message of the channel in this place arrives.
    fn deliver(&self, state: &State, found: usize, number: u32) -> Option<Change> {
        let channel = state.channels.get(found)?;
        let at = channel.messages.iter().position(|(n, _)| *n == number);
        let at = at.filter(|at| *at == 0 || self.options.delivery == Delivery::Unordered)?;
        let mut change = Change::of(1);
        let to = channel.to;
        let mut channels = state.channels.to_vec();
        let channel = Arc::make_mut(&mut channels[found]);
        let (_, message) = channel.messages.remove(at);
        if !self.options.numbered {
            channel.renumber();
            if channel.messages.is_empty() {
                channels.remove(found);
            }
        }
        change.channels = Some(channels.into());
        self.arrive(state, &mut change, to, &message);
        Some(change)
    }

    /// What a step of an actor touches beyond the actor itself. Only the first rule of a merged run
    /// touches anything.
    fn touched(&self, state: &State, actor: &Actor) -> Footprint<Resource> {
        let mut footprint = Footprint::default();
        let to = match self.rule(actor) {
            Some(Rule::Process(_)) => {
                match self.options.numbered {
                    true => footprint
                        .reads
                        .push(Resource::Message(actor.id, actor.taken)),
                    false => footprint.writes.push(Resource::Inbox(actor.id)),
                }
                None
            }
            Some(Rule::Send { message, .. } | Rule::SendResult(message)) => {
                message.receiver.actor()
            }
            Some(Rule::NewActor(_, child)) => {
                footprint.writes.push(Resource::Birth(child));
                None
            }
            _ => None,
        };
        if actor.turn.is_none() && !actor.is_idle() {
            footprint.reads.push(Resource::Birth(actor.id));
        }
        let Some(to) = to else {
            return footprint;
        };
        if to == actor.id || self.options.delivery == Delivery::Immediate {
            self.entering(state, to, &mut footprint);
        } else if self.options.numbered {
            let sent = state
                .channel(actor.id, to)
                .map_or(0, |channel| channel.sent);
            footprint
                .writes
                .push(Resource::UnderWay(actor.id, to, sent));
        } else {
            footprint.writes.push(Resource::Line(actor.id, to));
        }
        footprint
    }

    /// A message enters an inbox.
    fn entering(&self, state: &State, to: ActorId, footprint: &mut Footprint<Resource>) {
        footprint.writes.push(Resource::Inbox(to));
        if self.options.numbered {
            let number = state
                .actor(to)
                .map_or(0, |actor| actor.taken + actor.inbox.len() as u32);
            footprint.writes.push(Resource::Message(to, number));
        }
    }

    /// Why an actor is stuck, in which method and on which line.
    pub(super) fn stuck(&self, actor: &Actor) -> Option<String> {
        let why = actor.stuck?.to_string();
        let frame = actor.frames.last();
        let method = frame.map(|frame| self.program.name(self.program.code(frame.code).name));
        let method = method.map_or_else(String::new, |method| format!(", in {method}"));
        let line = self.span(actor).map_or_else(String::new, |span| {
            format!(
                ", line {}",
                source::line_of(&self.program.line_starts, span)
            )
        });
        Some(format!("{why}{method}{line}"))
    }

    /// The place in the source of an actor's next rule.
    pub(super) fn span(&self, actor: &Actor) -> Option<Span> {
        if let Some(frame) = actor.frames.last() {
            let code = self.program.code(frame.code);
            return code.spans.get(frame.pc as usize).copied();
        }
        let message = actor.outbox.first().or_else(|| actor.inbox.first())?;
        Some(self.program.site(message.site).span)
    }
}

impl Channel {
    /// Without numbers of their own, messages go by their places.
    fn renumber(&mut self) {
        for (at, (number, _)) in self.messages.iter_mut().enumerate() {
            *number = at as u32;
        }
    }
}

impl Language for AmbientTalk {
    type State = State;
    type Choice = Choice;
    type Agent = Agent;
    type Resource = Resource;
    type Value = Answer;

    fn initial(&self) -> State {
        self.program.initial()
    }

    fn enabled(&self, state: &State, choices: &mut Vec<Choice>) {
        let actors = state.actors.iter().filter(|actor| Self::can_act(actor));
        choices.extend(actors.map(|actor| Choice::Act(actor.id)));
        for channel in &state.channels {
            let (from, to) = (channel.from, channel.to);
            let numbers = self.deliverable(channel);
            choices.extend(numbers.map(|number| Choice::Deliver { from, to, number }));
        }
    }

    fn apply(&self, state: &State, choice: &Choice) -> Option<Next<State>> {
        let change = self.change(state, *choice)?;
        Some(Next {
            steps: change.steps,
            ..Next::one(change.made(state))
        })
    }

    /// Digests are those of the parts, and what parts become is remembered.
    fn expand_wanted<F: Digest>(
        &self,
        state: &State,
        sift: impl FnOnce(&[F], &mut Vec<usize>),
        wanted: &mut Vec<State>,
    ) {
        let changes = self.changes(state);
        let sums = Sums::of(&state.actors);
        let digests = changes.iter().map(|change| change.digest(state, sums));
        let digests: Vec<F> = digests.collect();
        let mut places = Vec::new();
        sift(&digests, &mut places);
        let found = places.into_iter().filter_map(|at| changes.get(at));
        wanted.extend(found.map(|change| change.made(state)));
    }

    /// Stuck if an actor is; a deadlock if a future is awaited that nobody will resolve; both, where both are.
    fn outcome(&self, state: &State) -> Outcome<Answer> {
        let awaited = |actor: &Arc<Actor>| {
            actor.heap.iter().flatten().any(|slot| {
                matches!(&*slot.entity, Entity::Future(Future::Pending(queue)) if !queue.is_empty())
            })
        };
        let is_stuck = |actor: &Arc<Actor>| actor.stuck.is_some();
        let stuck = state.actors.iter().any(is_stuck).then_some(Verdict::Stuck);
        let deadlock = state.actors.iter().any(awaited);
        let deadlock = deadlock.then_some(Verdict::Deadlock);
        Outcome {
            verdicts: stuck.into_iter().chain(deadlock).collect(),
            value: self.answer(state),
        }
    }

    fn agent(&self, _: &State, choice: &Choice) -> Agent {
        match *choice {
            Choice::Act(actor) => Agent::Actor(actor),
            Choice::Deliver { from, to, number } => match self.options.delivery {
                Delivery::Unordered => Agent::Message(from, to, number),
                _ => Agent::Line(from, to),
            },
        }
    }

    fn label(&self, state: &State, choice: &Choice) -> Label {
        let nowhere = || Label {
            rule: "NONE",
            text: "not enabled here".to_owned(),
            span: None,
        };
        match *choice {
            Choice::Act(id) => {
                let Some(actor) = state.actor(id) else {
                    return nowhere();
                };
                self.rule(actor).map_or_else(nowhere, |rule| Label {
                    rule: self.rule_name(actor, &rule),
                    text: self.describe(state, actor, &rule),
                    span: self.span(actor),
                })
            }
            Choice::Deliver { from, to, number } => {
                let channel = state.channel(from, to);
                let found = channel.and_then(|channel| {
                    channel.messages.iter().find(|(known, _)| *known == number)
                });
                found.map_or_else(nowhere, |(_, message)| Label {
                    rule: "DELIVER",
                    text: format!(
                        "{} → {}: {}",
                        self.actor_name(state, from),
                        self.actor_name(state, to),
                        self.message_text(state, message)
                    ),
                    span: Some(self.program.site(message.site).span),
                })
            }
        }
    }

    fn footprint(&self, state: &State, choice: &Choice) -> Footprint<Resource> {
        match *choice {
            Choice::Act(id) => state
                .actor(id)
                .map_or_else(Footprint::default, |actor| self.touched(state, actor)),
            Choice::Deliver { from, to, number } => {
                let mut footprint = Footprint::default();
                footprint.writes.push(match self.options.numbered {
                    true => Resource::UnderWay(from, to, number),
                    false => Resource::Line(from, to),
                });
                self.entering(state, to, &mut footprint);
                footprint
            }
        }
    }

    /// The state as it is where messages are not numbered.
    fn recurring(&self, state: &State) -> State {
        let mut state = state.clone();
        if !self.options.numbered {
            return state;
        }
        for actor in state.actors.iter_mut().filter(|actor| actor.taken > 0) {
            *actor = Arc::new(actor.uncounted());
        }
        let channels = std::mem::take(&mut state.channels).into_vec().into_iter();
        let open = channels.filter(|channel| !channel.messages.is_empty());
        let plain = open.map(|mut channel| {
            let plain = Arc::make_mut(&mut channel);
            plain.renumber();
            plain.sent = 0;
            channel
        });
        state.channels = plain.collect();
        state
    }

    /// With a memory of its own.
    fn apart(&self) -> Option<Self> {
        Some(self.with(self.options))
    }

    fn at_home(&self, state: State) -> State {
        let channels = state.channels.iter().map(|channel| {
            let mut channel = Channel::clone(channel);
            for (_, message) in &mut channel.messages {
                *message = self.memo.message(Cow::Borrowed(&**message));
            }
            Arc::new(channel)
        });
        State {
            actors: self.memo.at_home(&state.actors),
            channels: channels.collect(),
        }
    }

    fn show(&self, state: &State) -> String {
        self.picture(state)
    }
}

impl AmbientTalk {
    fn rule_name(&self, actor: &Actor, rule: &Rule) -> &'static str {
        let send = |message: &Message| match message.receiver.actor() {
            Some(to) if to == actor.id => "LOCAL-ASYNCHRONOUS-SEND",
            _ => "FAR-ASYNCHRONOUS-SEND",
        };
        match rule {
            Rule::Let(_) => "LET",
            Rule::Arithmetic(..) => "ARITHMETIC",
            Rule::If(_) => "IF",
            Rule::NewObject(template) => match self.program.template(*template).kind {
                super::syntax::LiteralKind::Isolate => "NEW-ISOLATE",
                _ => "NEW-OBJECT",
            },
            Rule::NewActor(..) => "NEW-ACTOR",
            Rule::Invoke { .. } => "INVOKE",
            Rule::FieldAccess(_) => "FIELD-ACCESS",
            Rule::FieldUpdate { .. } => "FIELD-UPDATE",
            Rule::MakeFuture => "MAKE-FUTURE",
            Rule::Println(_) => "PRINTLN",
            Rule::Send { message, .. } | Rule::SendResult(message) => send(message),
            Rule::Process(process) => match process {
                Process::Method { .. } => "PROCESS-MESSAGE",
                Process::Callback { .. } | Process::FarCallback { .. } => "PROCESS-CALLBACK",
                Process::Store { .. } | Process::Forward { .. } => "MESSAGE-TO-FUTURE",
                Process::Resolve { .. } => "RESOLVE",
            },
        }
    }

    fn describe(&self, state: &State, actor: &Actor, rule: &Rule) -> String {
        let name = self.actor_name(state, actor.id);
        let what = match rule {
            Rule::Send { message, .. } | Rule::SendResult(message) => {
                let to = message.receiver.actor().unwrap_or(actor.id);
                let to = self.actor_name(state, to);
                return format!("{name} sends {} to {to}", self.message_text(state, message));
            }
            Rule::Process(process) => {
                let message = actor.inbox.first().map(|m| self.message_text(state, m));
                let message = message.unwrap_or_default();
                match process {
                    Process::Resolve { .. } => format!("resolves a future: {message}"),
                    Process::Store { .. } => format!("keeps {message} for a future"),
                    Process::Forward { .. } => format!("sends {message} on"),
                    _ => format!("takes {message}"),
                }
            }
            Rule::NewActor(_, child) => format!("creates {child}"),
            Rule::FieldUpdate { me, slot } => {
                let object = actor.object(*me);
                let template = object.map(|object| self.program.template(object.template));
                let field = template.and_then(|template| template.slots.get(*slot));
                let field = field.map_or("", |field| self.program.name(*field));
                let frame = actor.frames.last();
                let value = frame.and_then(|frame| frame.values.last().copied());
                let value = value.map(|value| self.value_text(state, actor.id, value));
                format!("{field} := {}", value.unwrap_or_default())
            }
            Rule::FieldAccess(value) | Rule::Arithmetic(_, value) => {
                format!("→ {}", self.value_text(state, actor.id, *value))
            }
            Rule::Invoke { code, .. } => {
                format!("calls {}", self.program.name(self.program.code(*code).name))
            }
            Rule::Let(slot) => {
                let code = actor
                    .frames
                    .last()
                    .map(|frame| self.program.code(frame.code));
                let name = code.and_then(|code| code.local_names.get(usize::from(*slot)));
                let name = name.map_or("", |name| self.program.name(*name));
                format!("sets {name}")
            }
            Rule::If(to) => {
                let next = actor.frames.last().map(|frame| frame.pc + 1);
                format!("the condition is {}", next == Some(*to))
            }
            Rule::MakeFuture => "makes a future".to_owned(),
            Rule::NewObject(_) => "makes an object".to_owned(),
            Rule::Println(_) => "prints".to_owned(),
        };
        format!("{name}: {what}")
    }

    /// Whether an actor's next step is the first of all.
    pub(super) fn is_starting(&self, actor: &Actor) -> bool {
        let [frame] = actor.frames.as_slice() else {
            return false;
        };
        let instrs = &self.program.code(frame.code).instrs;
        let first = instrs.iter().position(|instr: &Instr| instr.is_rule());
        actor.turn.is_none() && first == Some(frame.pc as usize)
    }
}
