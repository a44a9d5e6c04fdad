//! The catalogue of breakpoints.

use std::fmt;

use borges_multiverse::debug::Arrival;
use borges_multiverse::language::Span;

use crate::ambienttalk::{ActorId, Agent, AmbientTalk, Choice, Doing, Next, SiteId, State};
use crate::model::debug::Refused;
use crate::predicate::{self, Kind, NoLine, Predicate, PredicateError, TextLine, Unknown};
use crate::source;

/// A breakpoint. It halts in every universe in which it happens, any number of times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breakpoint {
    /// An actor literal is next.
    Creation,
    /// A new actor is about to initialise.
    Start,
    /// One of these sends is next; nothing is enqueued yet.
    Sender(Sites),
    /// A message of one of these sends is next to be taken, by an idle receiver.
    Receiver(Sites),
    /// A method is about to run because of a message.
    Before(String),
    /// A method that ran because of a message has come to its value; no result is sent yet.
    After(String),
    /// A future of one of these sends is about to be resolved.
    Resolver(Sites),
    /// A future of one of these sends has its value; or, for a `when:` or a message to a future, the
    /// callback or forwarded message is about to run.
    Resolution(Sites),
    /// The predicate has begun to hold.
    When(Predicate),
    /// An actor has come to the line, and its predicate holds.
    Line(TextLine),
}

/// Places from which messages are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sites {
    /// As the user named them.
    pub text: String,
    /// Which they are.
    pub sites: Vec<SiteId>,
}

/// Why a text names no breakpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BreakpointError {
    /// No kind of breakpoint.
    #[error(
        "there is no breakpoint {0:?}; known are creation, start, sender S, receiver S, before M, after M, resolver S, resolution S, line N, line N if P, when P or P alone, where S is a message's name or `line N`"
    )]
    Kind(String),
    /// The name is missing.
    #[error("{0} of what? Say the name of a message, or `line` and its number")]
    Missing(&'static str),
    /// No such method.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// No such send.
    #[error("no message {0} is sent in this program; there are {1}")]
    NoSite(String, String),
    /// No send on the line.
    #[error("no message is sent on line {0}; messages are sent on lines {1}")]
    NoLine(u32, String),
    /// No such line, or what is said of it is wrong.
    #[error(transparent)]
    Line(#[from] NoLine),
    /// The predicate is wrong.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
}

impl From<BreakpointError> for Refused {
    fn from(error: BreakpointError) -> Self {
        Self::Breakpoint(error.to_string())
    }
}

impl Breakpoint {
    /// Reads a breakpoint: `receiver getResult`, `sender line 12`, `when math.result == 66`, or that predicate alone.
    /// `text` is the program's source.
    ///
    /// # Errors
    /// [`BreakpointError`] says what is known instead.
    pub fn parse(program: &AmbientTalk, text: &str, spec: &str) -> Result<Self, BreakpointError> {
        let spec = spec.trim();
        let (kind, rest) = spec.split_once(char::is_whitespace).unwrap_or((spec, ""));
        let rest = rest.trim();
        let sites = |kind| Sites::parse(program, text, kind, rest);
        let method = |kind| match rest {
            "" => Err(BreakpointError::Missing(kind)),
            name => {
                predicate::resolve(program, Kind::Method, name)?;
                Ok(name.to_owned())
            }
        };
        if let Some(line) = TextLine::named(program, text, spec)? {
            return Ok(Self::Line(line));
        }
        Ok(match kind {
            "creation" => Self::Creation,
            "start" => Self::Start,
            "sender" => Self::Sender(sites("sender")?),
            "receiver" => Self::Receiver(sites("receiver")?),
            "before" => Self::Before(method("before")?),
            "after" => Self::After(method("after")?),
            "resolver" => Self::Resolver(sites("resolver")?),
            "resolution" => Self::Resolution(sites("resolution")?),
            "when" => Self::When(Predicate::of(program, rest)?),
            // A predicate may stand alone; what is neither one nor a kind is told as no kind.
            _ => match Predicate::of(program, spec) {
                Ok(predicate) => Self::When(predicate),
                Err(error @ PredicateError::Unknown(_)) if spec != kind => return Err(error.into()),
                Err(_) => return Err(BreakpointError::Kind(kind.to_owned())),
            },
        })
    }

    /// The rule that halts, by the paper's name where it has one.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::Creation => "TRIGGER-ACTOR-CREATION",
            Self::Start => "TRIGGER-ACTOR-START",
            Self::Sender(_) => "TRIGGER-MSB",
            Self::Receiver(_) => "TRIGGER-MRB",
            Self::Before(_) => "TRIGGER-BEFORE-ASYNC-METHOD",
            Self::After(_) => "TRIGGER-AFTER-ASYNC-METHOD",
            Self::Resolver(_) => "TRIGGER-PROMISE-RESOLVER",
            Self::Resolution(_) => "TRIGGER-PROMISE-RESOLUTION",
            Self::When(_) => "TRIGGER-PREDICATE",
            Self::Line(_) => "TRIGGER-LINE",
        }
    }

    /// The actors at which the breakpoint halts on an arrival; the acting one, or the main actor,
    /// where it is about the state as a whole.
    ///
    /// Where its condition held before and another actor moved, it has halted already.
    pub(super) fn hits(
        &self,
        program: &AmbientTalk,
        arrival: &Arrival<'_, AmbientTalk>,
    ) -> Vec<ActorId> {
        if let Self::When(predicate) = self {
            let held = |(before, _)| predicate.holds(program, before);
            let begins =
                predicate.holds(program, arrival.after) && !arrival.before.is_some_and(held);
            let actor = mover(arrival).unwrap_or(ActorId::MAIN);
            return begins.then_some(actor).into_iter().collect();
        }
        if let Self::Line(line) = self {
            let agents = line.arrivals(program, arrival).into_iter();
            let actors = agents.filter_map(|agent| match agent {
                Agent::Actor(actor) => Some(actor),
                Agent::Line(..) | Agent::Message(..) => None,
            });
            return actors.collect();
        }
        let actors = program.actors(arrival.after).into_iter();
        actors
            .filter(|actor| self.hits_at(program, arrival, *actor))
            .collect()
    }

    /// Whether the breakpoint halts at any actor.
    pub(crate) fn halts(&self, program: &AmbientTalk, arrival: &Arrival<'_, AmbientTalk>) -> bool {
        !self.hits(program, arrival).is_empty()
    }

    /// How near a state is to one in which the breakpoint halts. It only orders a search: a
    /// message in an inbox is nearer the fewer are before it, and one on its way is further.
    pub(crate) fn nearness(&self, program: &AmbientTalk, state: &State) -> i64 {
        if let Self::When(predicate) = self {
            return predicate.nearness(program, state);
        }
        if let Self::Line(line) = self {
            return i64::from(!line.agents(program, state).is_empty());
        }
        let actors = program.actors(state).into_iter();
        let near = actors.map(|actor| self.nearness_at(program, state, actor));
        near.max().unwrap_or(0)
    }

    fn nearness_at(&self, program: &AmbientTalk, state: &State, actor: ActorId) -> i64 {
        let Some(next) = program.next(state, actor) else {
            return 0;
        };
        if self.condition(program, state, actor, &next) {
            return 1000;
        }
        let awaited = match self {
            Self::Receiver(sites) | Self::Resolver(sites) | Self::Resolution(sites) => {
                program.first_awaited(state, actor, |site, _| sites.sites.contains(&site))
            }
            Self::Before(name) | Self::After(name) => {
                program.first_awaited(state, actor, |_, selector| selector == name)
            }
            // What an actor has still to do is not known; one that is at work may come to it.
            Self::Creation | Self::Start | Self::Sender(_) | Self::When(_) | Self::Line(_) => None,
        };
        match awaited {
            Some(before) => 900 - before.min(800) as i64,
            None => i64::from(program.in_turn(state, actor)),
        }
    }

    fn hits_at(
        &self,
        program: &AmbientTalk,
        arrival: &Arrival<'_, AmbientTalk>,
        actor: ActorId,
    ) -> bool {
        let state = arrival.before.map(|(before, _)| before);
        let before = state.and_then(|before| program.next(before, actor));
        let Some(after) = program.next(arrival.after, actor) else {
            return false;
        };
        let moved = mover(arrival) == Some(actor);
        match (self, before, state) {
            (Self::Resolution(sites), Some(before), _)
                if moved && before.doing == Doing::TakeResolve && sites.contain(&before) =>
            {
                return true;
            }
            (Self::After(name), Some(next), Some(state)) if moved => {
                // A message that wants no answer leaves nothing to see but its end.
                let ran = program.method_of_step(state, actor);
                let ended = !program.in_turn(arrival.after, actor);
                if ended && next.doing != Doing::SendResult && ran.as_deref() == Some(name) {
                    return true;
                }
            }
            _ => {}
        }
        let holds = |state: &State, next: &Next| self.condition(program, state, actor, next);
        let was = state.zip(before);
        let held = !moved && was.is_some_and(|(state, next)| holds(state, &next));
        holds(arrival.after, &after) && !held
    }

    fn condition(&self, program: &AmbientTalk, state: &State, actor: ActorId, next: &Next) -> bool {
        let taking = matches!(next.doing, Doing::TakeMessage | Doing::TakeResolution);
        match self {
            Self::Creation => next.doing == Doing::CreateActor,
            Self::Start => next.starting,
            Self::Sender(sites) => next.doing == Doing::Send && sites.contain(next),
            Self::Receiver(sites) => {
                (taking || next.doing == Doing::TakeForFuture) && sites.contain(next)
            }
            Self::Before(name) => {
                taking && program.method_of_step(state, actor).as_deref() == Some(name)
            }
            Self::After(name) => {
                next.doing == Doing::SendResult
                    && program.method_of_step(state, actor).as_deref() == Some(name)
            }
            Self::Resolver(sites) => next.doing == Doing::TakeResolve && sites.contain(next),
            Self::Resolution(sites) => next.doing == Doing::TakeResolution && sites.contain(next),
            Self::When(_) | Self::Line(_) => false,
        }
    }
}

/// The actor that took the step, if one did.
pub(super) fn mover(arrival: &Arrival<'_, AmbientTalk>) -> Option<ActorId> {
    match arrival.before?.1 {
        Choice::Act(actor) => Some(*actor),
        Choice::Deliver { .. } => None,
    }
}

impl Sites {
    fn parse(
        program: &AmbientTalk,
        text: &str,
        kind: &'static str,
        spec: &str,
    ) -> Result<Self, BreakpointError> {
        let missing = BreakpointError::Missing(kind);
        let line = match spec
            .strip_prefix("line ")
            .map(|line| line.trim().parse::<u32>())
        {
            Some(Ok(line)) => Some(line),
            None if !spec.is_empty() => None,
            _ => return Err(missing),
        };
        let all = program.sites();
        let line_of = |span: Span| source::position(text, span.start).line;
        let wanted = |(site, name, span): &(SiteId, String, Span)| {
            let is = line.map_or(name == spec, |line| line_of(*span) == line);
            is.then_some(*site)
        };
        let sites: Vec<_> = all.iter().filter_map(wanted).collect();
        if !sites.is_empty() {
            let text = spec.to_owned();
            return Ok(Self { text, sites });
        }
        if let Some(line) = line {
            let mut lines: Vec<_> = all.iter().map(|(.., span)| line_of(*span)).collect();
            lines.dedup();
            let lines: Vec<_> = lines.iter().map(u32::to_string).collect();
            return Err(BreakpointError::NoLine(line, lines.join(", ")));
        }
        let mut names: Vec<_> = all.into_iter().map(|(_, name, _)| name).collect();
        names.sort();
        names.dedup();
        Err(BreakpointError::NoSite(spec.to_owned(), names.join(", ")))
    }

    fn contain(&self, next: &Next) -> bool {
        next.site.is_some_and(|site| self.sites.contains(&site))
    }
}

impl fmt::Display for Breakpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Creation => f.write_str("creation"),
            Self::Start => f.write_str("start"),
            Self::Sender(sites) => write!(f, "sender {}", sites.text),
            Self::Receiver(sites) => write!(f, "receiver {}", sites.text),
            Self::Before(name) => write!(f, "before {name}"),
            Self::After(name) => write!(f, "after {name}"),
            Self::Resolver(sites) => write!(f, "resolver {}", sites.text),
            Self::Resolution(sites) => write!(f, "resolution {}", sites.text),
            Self::When(predicate) => write!(f, "when {predicate}"),
            Self::Line(line) => line.fmt(f),
        }
    }
}
