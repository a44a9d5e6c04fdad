//! The thread that owns a session, and the way to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use borges_session::model::ModelSession;
use borges_session::{Act, Observer, Pace, Session};
use serde::Deserialize as _;
use serde_json::Value;

use crate::audience::{Answer, ClientId, Message, Out};
use crate::device::Device;
use crate::model::Model;
use crate::pauses::{OPENING, Pauses, Turn};
use crate::protocol::{
    Ask, Part, ProgramListing, ShelfListing, Tell, TourListing, VERSION, WorkListing,
};
use crate::room::{Room, Subject};

/// Opens what a user chooses.
pub trait Shelf: Send {
    /// What there is to open.
    fn listing(&mut self) -> ShelfListing;

    /// Opens a program or a session file. `observer` hears of what takes long, and may pause that.
    ///
    /// # Errors
    /// Why it cannot be opened, for people.
    fn open(&mut self, path: &str, observer: Observer<'_>) -> Result<Opened, String>;

    /// The tour that leads through a program; most have none.
    fn tour(&mut self, _program: &str) -> Option<TourListing> {
        None
    }
}

/// What a shelf has opened.
pub enum Opened {
    /// A session of a device program.
    Device(Box<Session>),
    /// A session of a program of a model language.
    Model(Box<ModelSession>),
}

enum Job {
    Join {
        client: ClientId,
        /// It wants to see everything; a terminal wants answers only.
        sees: bool,
        out: Out,
    },
    Leave(ClientId),
    Ask {
        client: ClientId,
        turn: Turn,
        /// What only looks gives way to it.
        acts: bool,
        ask: Box<Ask>,
    },
    Stop,
}

/// The way to the thread that owns the session.
#[derive(Clone)]
pub struct Hub {
    jobs: Sender<Job>,
    pauses: Arc<Pauses>,
    pace: Pace,
    next_client: Arc<AtomicU32>,
}

impl Hub {
    /// Starts the thread; with `path`, it opens that first.
    ///
    /// # Errors
    /// Why `path` cannot be opened, or the thread not be started.
    pub fn start(
        shelf: Box<dyn Shelf>,
        path: Option<String>,
    ) -> Result<(Self, JoinHandle<()>), String> {
        let (jobs, inbox) = mpsc::channel();
        let pauses = Arc::new(Pauses::default());
        let (ready, opened) = mpsc::channel();
        let pace = Pace::default();
        let room = Room::new(Arc::clone(&pauses), pace.clone());
        let work = move || {
            // Sessions are opened on the thread that owns them.
            let mut owner = Owner::new(shelf, room);
            let opened = path.map_or(Ok(()), |path| owner.open(OPENING, &path));
            let goes_on = opened.is_ok();
            let _gone = ready.send(opened);
            if goes_on {
                owner.run(&inbox);
            }
        };
        let thread = std::thread::Builder::new().name("session".to_owned());
        let thread = thread.spawn(work).map_err(|error| error.to_string())?;
        opened
            .recv()
            .unwrap_or_else(|_| Err("the session's thread ended".to_owned()))?;
        let hub = Self {
            jobs,
            pauses,
            pace,
            next_client: Arc::new(AtomicU32::new(1)),
        };
        Ok((hub, thread))
    }

    /// Somebody looks: at everything, or for answers only. `out` is what they are told with; it must not wait, and whoever
    /// does not take a message (`false`) is let go, which drops it.
    pub fn join(&self, sees: bool, out: impl FnMut(Message) -> bool + Send + 'static) -> ClientId {
        let client = self.next_client.fetch_add(1, Ordering::Relaxed);
        let out = Box::new(out);
        let _gone = self.jobs.send(Job::Join { client, sees, out });
        client
    }

    /// Somebody has gone.
    pub fn leave(&self, client: ClientId) {
        let _gone = self.jobs.send(Job::Leave(client));
    }

    /// Somebody asks.
    pub fn ask(&self, client: ClientId, ask: Ask) {
        let acts = match &ask {
            Ask::Pause => return self.pauses.pause(),
            Ask::Pace { times } => {
                self.pace.set(*times);
                false
            }
            Ask::Command { command, .. } => self.foresee(command),
            _ => false,
        };
        let turn = self.pauses.next_turn();
        let ask = Box::new(ask);
        let _gone = self.jobs.send(Job::Ask {
            client,
            turn,
            acts,
            ask,
        });
    }

    /// Whether a command acts, so that what only looks gives way. A pace is kept at once, also by what is under way.
    fn foresee(&self, command: &Value) -> bool {
        match Act::deserialize(command) {
            Ok(Act::Pace { times }) => {
                self.pace.set(times);
                false
            }
            Ok(_) => {
                self.pauses.act();
                true
            }
            Err(_) => false,
        }
    }

    /// Ends the thread once it has done what it was asked before; running work is paused.
    pub fn stop(&self) {
        self.pauses.pause_for_good();
        let _gone = self.jobs.send(Job::Stop);
    }
}

struct Owner {
    shelf: Box<dyn Shelf>,
    room: Room,
    subject: Option<Box<dyn Subject>>,
}

impl Owner {
    fn new(mut shelf: Box<dyn Shelf>, mut room: Room) -> Self {
        room.show(vec![
            Part::Shelf(shelf.listing()),
            Part::Info(None),
            Part::Model(None),
            Part::Program(ProgramListing::default()),
            Part::Suggestions(None),
            Part::Work(WorkListing::default()),
            room.pace_part(),
        ]);
        Self {
            shelf,
            room,
            subject: None,
        }
    }

    fn run(&mut self, inbox: &Receiver<Job>) {
        loop {
            let patience = self.subject.as_ref().map(|subject| subject.patience());
            let job = inbox.recv_timeout(patience.unwrap_or(Duration::MAX));
            if let Some(subject) = &mut self.subject {
                subject.look(&mut self.room, job.is_err());
            }
            match job {
                Ok(Job::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(Job::Join { client, sees, out }) => {
                    self.room.audience.join(client, out, sees);
                    if sees {
                        self.snapshot(client);
                    }
                }
                Ok(Job::Leave(client)) => self.room.audience.leave(client),
                Ok(Job::Ask {
                    client,
                    turn,
                    acts,
                    ask,
                }) => {
                    if acts {
                        self.room.pauses.begin_act();
                    }
                    self.carry_out(client, turn, *ask);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn snapshot(&mut self, client: ClientId) {
        let snapshot = Tell::Snapshot {
            version: VERSION,
            number: self.room.audience.number,
            parts: self.room.known.all(),
        };
        self.room.audience.tell(client, &snapshot);
        if let Some(subject) = &mut self.subject {
            subject.welcome(&mut self.room, client);
        }
    }

    fn carry_out(&mut self, client: ClientId, turn: Turn, ask: Ask) {
        let id = ask.id();
        let answer = match (ask, &mut self.subject) {
            // `Hub::ask` has seen to a pause: it cannot wait in line.
            (Ask::Pause, _) => Ok(Answer::Seen),
            (Ask::Pace { .. }, _) => {
                let pace = self.room.pace_part();
                self.room.show(vec![pace]);
                Ok(Answer::Seen)
            }
            (Ask::Resync, _) => {
                self.snapshot(client);
                Ok(Answer::Seen)
            }
            (Ask::Open { path, .. }, _) => {
                let opened = self.open(turn, &path);
                opened.map(|()| Answer::done(format!("{path} is open")))
            }
            (ask, Some(subject)) => subject.answer(&mut self.room, turn, ask),
            (_, None) => Err("no program is open: choose one from the list".to_owned()),
        };
        if let Some(id) = id {
            self.room.audience.answer(client, id, answer);
        }
    }

    /// A session takes the place of the one before.
    fn open(&mut self, turn: Turn, path: &str) -> Result<(), String> {
        let shelf = &mut self.shelf;
        let opened = self
            .room
            .watched(turn, |observer| shelf.open(path, observer))?;
        let mut subject: Box<dyn Subject> = match opened {
            Opened::Device(mut session) => {
                self.room.pace.set(None);
                session.keep_pace(self.room.pace.clone());
                Box::new(Device::new(session))
            }
            Opened::Model(session) => Box::new(Model::new(session)),
        };
        self.room.known.forget_session();
        subject.enter(&mut self.room);
        self.subject = Some(subject);
        let program = self.room.known.program().unwrap_or_default().to_owned();
        let tour = Part::Tour(self.shelf.tour(&program));
        let shelf = Part::Shelf(self.shelf.listing());
        self.room.show(vec![tour, shelf]);
        Ok(())
    }
}
