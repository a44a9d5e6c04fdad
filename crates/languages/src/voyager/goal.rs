//! The catalogue of steps: temporary breakpoints.

use std::fmt;

use borges_multiverse::debug::Arrival;

use super::breakpoint::mover;
use crate::ambienttalk::{ActorId, AmbientTalk, Doing, SiteId, State};

/// A step that a paused actor can be told to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// One rule.
    Into,
    /// To the next rule that is not within a call.
    Over,
    /// Out of the call.
    Return,
    /// To the first step of the actor that is about to be created.
    IntoActivity,
    /// To the moment at which the message about to be sent is taken.
    MessageReceiver,
    /// To the moment before the future of the message about to be sent is resolved.
    PromiseResolver,
    /// To the moment after that.
    PromiseResolution,
    /// To the moment before the actor takes its next message.
    NextTurn,
    /// To the end of the turn.
    EndOfTurn,
    /// To the moment at which the future of the message that is being answered has its value.
    ReturnToResolution,
}

impl StepKind {
    /// All steps, with their names in commands.
    pub const NAMED: [(&'static str, Self); 10] = [
        ("into", Self::Into),
        ("over", Self::Over),
        ("return", Self::Return),
        ("into-activity", Self::IntoActivity),
        ("to-receiver", Self::MessageReceiver),
        ("to-resolver", Self::PromiseResolver),
        ("to-resolution", Self::PromiseResolution),
        ("next-turn", Self::NextTurn),
        ("end-turn", Self::EndOfTurn),
        ("return-to-resolution", Self::ReturnToResolution),
    ];

    /// Its name in commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        // In the order of the variants.
        Self::NAMED[self as usize].0
    }

    /// Whether the step stays within the turn: then nobody else moves.
    pub(super) const fn is_within_turn(self) -> bool {
        matches!(self, Self::Into | Self::Over | Self::Return)
    }
}

impl fmt::Display for StepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a step waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Goal {
    pub(super) kind: StepKind,
    /// At whom it halts.
    pub(super) actor: ActorId,
    pub(super) event: Event,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Event {
    /// The actor is about to initialise.
    Start,
    /// It is about to do one of these with a message of this site, after so many others of the same.
    About {
        doings: &'static [Doing],
        site: SiteId,
        skip: u32,
    },
    /// It has resolved one.
    Resolved { site: SiteId, skip: u32 },
    /// So many turns have to end; then it is about to take a message.
    Turns(u32),
    /// The turn has ended.
    TurnEnd,
}

/// A message is taken.
static TAKES: [Doing; 3] = [
    Doing::TakeMessage,
    Doing::TakeResolution,
    Doing::TakeForFuture,
];

/// A future is resolved.
static RESOLVES: [Doing; 1] = [Doing::TakeResolve];

impl Goal {
    /// The goal of a step from a state; none if the step makes no sense there.
    pub(super) fn of(
        program: &AmbientTalk,
        state: &State,
        actor: ActorId,
        kind: StepKind,
    ) -> Option<Self> {
        let next = program.next(state, actor)?;
        let sending = next.doing == Doing::Send;
        let goal = |actor, event| Some(Self { kind, actor, event });
        match kind {
            StepKind::Into | StepKind::Over | StepKind::Return => None,
            StepKind::IntoActivity if next.doing == Doing::CreateActor => {
                goal(next.to?, Event::Start)
            }
            StepKind::MessageReceiver if sending => {
                let (to, site) = (next.to?, next.site?);
                let skip = program.under_way(state, to, site, false);
                let doings = &TAKES;
                goal(to, Event::About { doings, site, skip })
            }
            StepKind::PromiseResolver | StepKind::PromiseResolution
                if sending && program.sends_two_way(state, actor) =>
            {
                let site = next.site?;
                let skip = program.under_way(state, actor, site, true);
                goal(
                    actor,
                    match kind {
                        StepKind::PromiseResolver => {
                            let doings = &RESOLVES;
                            Event::About { doings, site, skip }
                        }
                        _ => Event::Resolved { site, skip },
                    },
                )
            }
            StepKind::NextTurn if next.doing != Doing::Stuck => goal(actor, Event::Turns(1)),
            StepKind::EndOfTurn if program.in_turn(state, actor) && next.doing != Doing::Stuck => {
                goal(actor, Event::TurnEnd)
            }
            StepKind::ReturnToResolution => {
                let (asker, site) = program.answers_to(state, actor)?;
                let skip = program.under_way(state, asker, site, true);
                goal(asker, Event::Resolved { site, skip })
            }
            _ => None,
        }
    }

    /// What remains to wait for after an arrival; none if the goal is reached.
    pub(super) fn after(
        self,
        program: &AmbientTalk,
        arrival: &Arrival<'_, AmbientTalk>,
    ) -> Option<Self> {
        let next = program.next(arrival.after, self.actor);
        let before = arrival.before;
        let before = before.and_then(|(before, _)| program.next(before, self.actor));
        let moved = mover(arrival) == Some(self.actor);
        let (Some(next), true) = (next, arrival.before.is_some()) else {
            return Some(self);
        };
        let took = |doings: &[Doing], site| {
            moved && before.is_some_and(|b| doings.contains(&b.doing) && b.site == Some(site))
        };
        let event = match self.event {
            Event::Start if next.starting => return None,
            Event::Start => self.event,
            Event::About { doings, site, skip } => {
                let skip = skip.saturating_sub(u32::from(took(doings, site)));
                if skip == 0 && doings.contains(&next.doing) && next.site == Some(site) {
                    return None;
                }
                Event::About { doings, site, skip }
            }
            Event::Resolved { site, skip } => {
                let resolved = took(&RESOLVES, site);
                if resolved && skip == 0 {
                    return None;
                }
                Event::Resolved {
                    site,
                    skip: skip.saturating_sub(u32::from(resolved)),
                }
            }
            Event::Turns(left) => {
                let idle = !program.in_turn(arrival.after, self.actor);
                // A turn has ended when its actor moved and is idle again.
                let left = left.saturating_sub(u32::from(moved && idle));
                if left == 0 && idle && next.doing != Doing::Waiting {
                    return None;
                }
                Event::Turns(left)
            }
            Event::TurnEnd if moved && !program.in_turn(arrival.after, self.actor) => return None,
            Event::TurnEnd => self.event,
        };
        Some(Self { event, ..self })
    }
}
