//! Where a session is looked at: what differs between sessions is a [`Subject`], what they have in common is the [`Room`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use borges_session::command::{Event, Flow};
use borges_session::listing::LiveListing;
use borges_session::{Observer, Pace};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::audience::{Answer, Audience, ClientId};
use crate::parts::Known;
use crate::pauses::{Pauses, Turn};
use crate::protocol::{Ask, PaceListing, Part, Tell, WorkListing};

/// How often progress is told.
const TELL_PROGRESS: Duration = Duration::from_millis(100);

/// A session that is looked at.
pub(crate) trait Subject {
    /// It takes the place of another: shows all that there is to see.
    fn enter(&mut self, room: &mut Room);

    /// Tells who begins to look what is in no part.
    fn welcome(&mut self, _room: &mut Room, _client: ClientId) {}

    /// Answers, once everybody sees what the answer says; or says in words why it cannot.
    fn answer(&mut self, room: &mut Room, turn: Turn, ask: Ask) -> Result<Answer, String>;

    /// How long it waits for a question before it looks around by itself.
    fn patience(&self) -> Duration {
        Duration::MAX
    }

    /// Looks around: between two questions, or `idle`.
    fn look(&mut self, _room: &mut Room, _idle: bool) {}
}

/// A command of a session.
///
/// # Errors
/// The session has no such command, in words.
pub(crate) fn read<C: DeserializeOwned>(command: Value) -> Result<C, String> {
    serde_json::from_value(command)
        .map_err(|error| format!("this program has no such command: {error}"))
}

/// Everybody who looks, what they see, and what they wish.
pub(crate) struct Room {
    pub(crate) audience: Audience,
    pub(crate) known: Known,
    pub(crate) pauses: Arc<Pauses>,
    /// Of programs that run; whoever looks may set it meanwhile.
    pub(crate) pace: Pace,
    /// Expressions that are watched, whatever the program.
    pub(crate) watched_expressions: Vec<String>,
    /// Programs are uploaded by themselves when their files change.
    pub(crate) follows_file: bool,
}

impl Room {
    pub(crate) fn new(pauses: Arc<Pauses>, pace: Pace) -> Self {
        Self {
            audience: Audience::default(),
            known: Known::default(),
            pauses,
            pace,
            watched_expressions: Vec::new(),
            follows_file: false,
        }
    }

    /// Tells everybody those of the parts that are different now.
    pub(crate) fn show(&mut self, parts: Vec<Part>) {
        let changed = self.known.update(parts);
        self.audience.patch_parts(changed);
    }

    /// Does what may take long: everybody is told what happens meanwhile, and everybody may pause it.
    pub(crate) fn watched<T>(&mut self, turn: Turn, work: impl FnOnce(Observer<'_>) -> T) -> T {
        let flow = |room: &Self| room.pauses.flow(turn);
        self.watched_live(flow, &mut |_, _| {}, work)
    }

    /// [`Self::watched`] until `flow` ends it. Pictures of a running program are for `live`.
    pub(crate) fn watched_live<T>(
        &mut self,
        flow: impl Fn(&Self) -> Flow,
        live: &mut dyn FnMut(&mut Self, LiveListing),
        work: impl FnOnce(Observer<'_>) -> T,
    ) -> T {
        let mut told = Instant::now();
        let result = work(&mut |event| {
            let event = match event {
                Event::Live(picture) => {
                    live(self, *picture);
                    return flow(self);
                }
                event => event,
            };
            let progress = match &event {
                Event::Progress { what, .. } => Some(what.clone()),
                Event::Surveying { .. } => Some("surveying".to_owned()),
                _ => None,
            };
            if progress.is_none() || told.elapsed() >= TELL_PROGRESS {
                if progress.is_some() {
                    told = Instant::now();
                    let pace = self.pace_part();
                    self.show(vec![Part::Work(WorkListing { doing: progress }), pace]);
                }
                self.audience.tell_all(&Tell::Event { event });
            }
            flow(self)
        });
        let pace = self.pace_part();
        self.show(vec![Part::Work(WorkListing::default()), pace]);
        result
    }

    /// The pace as everybody sees it.
    pub(crate) fn pace_part(&self) -> Part {
        let times = self.pace.times();
        Part::Pace(PaceListing { times })
    }
}
