//! The thread that owns the session, and everybody who looks at it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use borges_session::command::{Act, Command, Event, Look, Reply, Stop, StopReason};
use borges_session::listing::{BranchListing, MultiverseListing};
use borges_session::suggest::{Question, SuggestionListing, Within};
use borges_session::{Observer, Session};

use crate::audience::{Audience, Out};
use crate::frames;
use crate::parts::{self, Known};
use crate::pauses::{OPENING, Pauses, Turn};
use crate::protocol::{
    Ask, FileListing, Part, ProgramListing, ShelfListing, Tell, VERSION, WorkListing,
};
use crate::search::Search;

/// Watched expressions.
pub(crate) const MOST_WATCHES: usize = 64;
/// How often the program's file is looked at.
const LOOK_AT_FILE: Duration = Duration::from_millis(400);
/// How often a search is asked what it has found.
const LOOK_AT_SEARCH: Duration = Duration::from_millis(10);
/// How often progress is told.
const TELL_PROGRESS: Duration = Duration::from_millis(100);

/// Opens what the page's user chooses.
pub trait Shelf: Send {
    /// What there is to open.
    fn listing(&mut self) -> ShelfListing;

    /// Opens a program or a session file. `observer` hears of what takes long, and may pause that.
    ///
    /// # Errors
    /// Why it cannot be opened, for people.
    fn open(&mut self, path: &str, observer: Observer<'_>) -> Result<Session, String>;
}

/// What is sent to a client.
#[derive(Clone, Debug)]
pub enum Message {
    /// JSON of a [`Tell`].
    Text(Arc<str>),
    /// A frame.
    Binary(Arc<[u8]>),
}

/// Whom a message is for.
pub type ClientId = u32;

enum Job {
    Join {
        client: ClientId,
        /// It wants to see everything; a terminal wants answers only.
        sees: bool,
        out: Out,
    },
    Leave(ClientId),
    Ask(ClientId, Turn, Box<Ask>),
    Stop,
}

/// The way to the thread that owns the session.
#[derive(Clone)]
pub struct Hub {
    jobs: Sender<Job>,
    pauses: Arc<Pauses>,
    next_client: Arc<AtomicU32>,
}

impl Hub {
    /// Starts the thread; with `path`, it opens that first.
    ///
    /// # Errors
    /// Why `path` cannot be opened, or the thread not be started.
    pub fn start(
        mut shelf: Box<dyn Shelf>,
        path: Option<String>,
    ) -> Result<(Self, JoinHandle<()>), String> {
        let (jobs, inbox) = mpsc::channel();
        let pauses = Arc::new(Pauses::default());
        let (ready, opened) = mpsc::channel();
        let shared = Arc::clone(&pauses);
        let work = move || {
            // Sessions are opened on the thread that owns them.
            let session = match path
                .map(|path| shelf.open(&path, &mut |_| shared.flow(OPENING)))
                .transpose()
            {
                Ok(session) => session,
                Err(error) => {
                    let _gone = ready.send(Err(error));
                    return;
                }
            };
            let mut owner = Owner::new(shelf, session, shared);
            let _gone = ready.send(Ok(()));
            owner.run(&inbox);
        };
        let thread = std::thread::Builder::new().name("session".to_owned());
        let thread = thread.spawn(work).map_err(|error| error.to_string())?;
        opened
            .recv()
            .unwrap_or_else(|_| Err("the session's thread ended".to_owned()))?;
        let hub = Self {
            jobs,
            pauses,
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
        if ask == Ask::Pause {
            self.pauses.pause();
            return;
        }
        let turn = self.pauses.next_turn();
        let _gone = self.jobs.send(Job::Ask(client, turn, Box::new(ask)));
    }

    /// Ends the thread once it has done what it was asked before; running work is paused.
    pub fn stop(&self) {
        self.pauses.pause_for_good();
        let _gone = self.jobs.send(Job::Stop);
    }
}

struct Owner {
    shelf: Box<dyn Shelf>,
    session: Option<Session>,
    pauses: Arc<Pauses>,
    audience: Audience,
    known: Known,
    branches: Vec<BranchListing>,
    /// Changes whenever the session is another one or another version: then no branch is what it was.
    program: (PathBuf, u64),
    stop: Option<Stop>,
    watched: Vec<String>,
    file: WatchedFile,
    /// The question about futures that is being answered.
    search: Option<Search>,
}

/// What does the work that takes long.
struct Working<'o> {
    shelf: &'o mut dyn Shelf,
    session: &'o mut Option<Session>,
}

impl Working<'_> {
    fn session(&mut self) -> Result<&mut Session, String> {
        let none = || "no program is open: choose one from the list".to_owned();
        self.session.as_mut().ok_or_else(none)
    }
}

/// The program's file as it was when it was opened.
#[derive(Default)]
struct WatchedFile {
    listing: FileListing,
    modified: Option<SystemTime>,
    /// A change that has to rest for a moment: the compiler may still be writing.
    fresh: Option<SystemTime>,
}

impl Owner {
    fn new(shelf: Box<dyn Shelf>, session: Option<Session>, pauses: Arc<Pauses>) -> Self {
        let mut owner = Self {
            shelf,
            session: None,
            pauses,
            audience: Audience::default(),
            known: Known::default(),
            branches: Vec::new(),
            program: (PathBuf::new(), 0),
            stop: None,
            watched: Vec::new(),
            file: WatchedFile::default(),
            search: None,
        };
        let listing = owner.shelf.listing();
        owner.known.update(vec![
            Part::Shelf(listing),
            Part::Info(None),
            Part::Program(ProgramListing::default()),
            Part::Suggestions(None),
            Part::Work(WorkListing::default()),
        ]);
        if let Some(session) = session {
            owner.adopt(session);
        }
        owner
    }

    fn run(&mut self, inbox: &Receiver<Job>) {
        loop {
            let patience = match self.search {
                Some(_) => LOOK_AT_SEARCH,
                None => LOOK_AT_FILE,
            };
            let job = inbox.recv_timeout(patience);
            self.hear_search();
            match job {
                Ok(Job::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(Job::Join { client, sees, out }) => {
                    self.audience.join(client, out, sees);
                    if sees {
                        self.snapshot(client);
                    }
                }
                Ok(Job::Leave(client)) => {
                    self.audience.leave(client);
                }
                Ok(Job::Ask(client, turn, ask)) => self.carry_out(client, turn, *ask),
                Err(RecvTimeoutError::Timeout) => self.look_at_file(),
            }
        }
    }

    fn snapshot(&mut self, client: ClientId) {
        let number = self.audience.number();
        let snapshot = Tell::Snapshot {
            version: VERSION,
            number,
            parts: self.known.all(),
        };
        self.audience.tell(client, &snapshot);
        let rows: Vec<&BranchListing> = self.branches.iter().collect();
        let frame = frames::branches(number, true, &rows);
        self.audience.send(client, Message::Binary(frame.into()));
    }

    fn carry_out(&mut self, client: ClientId, turn: Turn, ask: Ask) {
        match ask {
            Ask::Command { id, command } => self.command(client, turn, id, command),
            Ask::Entries {
                id,
                branch,
                from,
                count,
                calls,
            } => self.entries(client, id, branch, from, count, calls),
            // Seen to by `Hub::ask`: it cannot wait in line.
            Ask::Pause => {}
            Ask::Watch { expressions } => {
                self.watched = expressions;
                // One past the limit stays, to say that it is not looked at.
                self.watched.truncate(MOST_WATCHES + 1);
                self.refresh();
            }
            Ask::FollowFile { on } => {
                self.file.listing.followed = on;
                self.tell_file();
            }
            Ask::Open { id, path } => self.open(client, turn, id, &path),
            Ask::Suggest {
                id,
                question,
                within,
            } => self.suggest(client, turn, id, question, within),
            Ask::EndSuggestions => match &self.search {
                Some(search) => search.end(),
                None => self.show_suggestions(None),
            },
            Ask::Resync => self.snapshot(client),
        }
    }

    /// Begins to answer a question about futures. One that is under way ends.
    fn suggest(
        &mut self,
        client: ClientId,
        turn: Turn,
        id: u32,
        question: Question,
        within: Within,
    ) {
        let inquired = self.watched(turn, |mut owner, observer| {
            let session = owner.session()?;
            let inquiry = session.inquire(question, within, observer);
            inquiry.map_err(|error| error.to_string())
        });
        let begun =
            inquired.and_then(|inquiry| Search::begin(inquiry, Arc::clone(&self.pauses), turn));
        match begun {
            Ok(search) => {
                self.search = Some(search);
                let message = "looking for futures".to_owned();
                let reply = Box::new(Reply::Done { message });
                self.audience.tell(client, &Tell::Reply { id, reply });
            }
            Err(message) => self.audience.tell(client, &Tell::Failed { id, message }),
        }
    }

    /// Shows what a search has found since the last time.
    fn hear_search(&mut self) {
        let latest = self.search.as_ref().and_then(Search::latest);
        if let Some(listing) = latest {
            if !listing.working {
                self.search = None;
            }
            self.show_suggestions(Some(Box::new(listing)));
        }
    }

    fn show_suggestions(&mut self, listing: Option<Box<SuggestionListing>>) {
        let changed = self.known.update(vec![Part::Suggestions(listing)]);
        self.audience.patch_parts(changed);
    }

    /// Futures of another program mean nothing any more.
    fn forget_suggestions(&mut self) {
        self.search = None;
        self.show_suggestions(None);
    }

    fn open(&mut self, client: ClientId, turn: Turn, id: u32, path: &str) {
        let opened = self.watched(turn, |owner, observer| owner.shelf.open(path, observer));
        match opened {
            Ok(session) => {
                self.adopt(session);
                let message = format!("{path} is open");
                let reply = Box::new(Reply::Done { message });
                self.audience.tell(client, &Tell::Reply { id, reply });
            }
            Err(message) => self.audience.tell(client, &Tell::Failed { id, message }),
        }
    }

    /// A session takes the place of the one before.
    fn adopt(&mut self, session: Session) {
        self.session = Some(session);
        self.forget_suggestions();
        self.stop = None;
        self.file = WatchedFile {
            modified: self.modified(),
            listing: FileListing {
                changed: false,
                followed: self.file.listing.followed,
            },
            fresh: None,
        };
        let shelf = Part::Shelf(self.shelf.listing());
        let changed = self
            .known
            .update(vec![shelf, Part::File(self.file.listing)]);
        self.audience.patch_parts(changed);
        self.refresh();
    }

    fn command(&mut self, client: ClientId, turn: Turn, id: u32, command: Command) {
        let looks = matches!(command, Command::Look(_));
        // Who pauses wants the program to stand still, and to see what was asked for meanwhile.
        let turn = match looks {
            true => self.pauses.next_turn(),
            false => turn,
        };
        let uploads = matches!(command, Command::Act(Act::Upload { .. }));
        match self.execute(turn, command) {
            Ok(reply) => {
                if let Reply::Stopped(stop) = &reply {
                    self.stop = Some(stop.clone());
                }
                if let Reply::Written(written) = &reply {
                    self.stop = Some(Stop {
                        reason: StopReason::Done,
                        at: written.at.clone(),
                    });
                }
                if uploads {
                    self.forget_suggestions();
                    self.file.modified = self.modified();
                    self.file.listing.changed = false;
                    self.stop = None;
                    self.tell_file();
                }
                // Who asked hears the answer after everybody, themselves included, sees what it says.
                if !looks {
                    self.refresh();
                }
                let reply = Box::new(reply);
                self.audience.tell(client, &Tell::Reply { id, reply });
            }
            Err(message) => {
                // Also what fails half-way may have moved something.
                if !looks {
                    self.refresh();
                }
                self.audience.tell(client, &Tell::Failed { id, message });
            }
        }
    }

    /// Has the session do something, and tells everybody what happens meanwhile.
    fn execute(&mut self, turn: Turn, command: impl Into<Command>) -> Result<Reply, String> {
        self.watched(turn, |mut owner, observer| {
            let session = owner.session()?;
            let reply = session.execute(command, observer);
            reply.map_err(|error| error.to_string())
        })
    }

    /// Does what may take long: everybody is told what happens meanwhile, and everybody may pause it.
    fn watched<T>(&mut self, turn: Turn, work: impl FnOnce(Working<'_>, Observer<'_>) -> T) -> T {
        let begun = Instant::now();
        let mut told: Option<Instant> = None;
        let (audience, known, pauses) = (&mut self.audience, &mut self.known, &self.pauses);
        let owner = Working {
            shelf: &mut *self.shelf,
            session: &mut self.session,
        };
        let result = work(owner, &mut |event| {
            if let Event::Progress { what, .. } = &event {
                let since = told.unwrap_or(begun);
                if since.elapsed() >= TELL_PROGRESS {
                    told = Some(Instant::now());
                    let doing = Some(what.clone());
                    audience.patch_parts(known.update(vec![Part::Work(WorkListing { doing })]));
                    audience.tell_all(&Tell::Event { event });
                }
            } else {
                audience.tell_all(&Tell::Event { event });
            }
            pauses.flow(turn)
        });
        let quiet = vec![Part::Work(WorkListing::default())];
        self.audience.patch_parts(self.known.update(quiet));
        result
    }

    fn entries(
        &mut self,
        client: ClientId,
        id: u32,
        branch: u32,
        from: u32,
        count: u32,
        calls: bool,
    ) {
        let command = Look::Entries {
            branch,
            from,
            count,
            calls,
        };
        match self.execute(self.pauses.next_turn(), command) {
            Ok(Reply::Entries(listing)) => {
                let frame = frames::entries(id, &listing);
                self.audience.send(client, Message::Binary(frame.into()));
            }
            Ok(_) => {}
            Err(message) => self.audience.tell(client, &Tell::Failed { id, message }),
        }
    }

    /// Tells everybody what is different now.
    fn refresh(&mut self) {
        let Some(session) = &mut self.session else {
            return;
        };
        let mut changed = parts::of(session, self.stop.as_ref(), &self.watched, &self.known);
        let key = changed.iter().find_map(|part| match part {
            Part::Info(Some(info)) => {
                let hash = u64::from_str_radix(&info.program_hash, 16).unwrap_or_default();
                Some((PathBuf::from(&info.program), hash))
            }
            _ => None,
        });
        let another = key.is_some_and(|key| {
            let another = key != self.program;
            self.program = key;
            another
        });
        if another {
            changed.push(Part::Program(parts::program(session)));
        }
        let listing = parts::ask(session, Look::Multiverse);
        if let Some(Reply::Multiverse(MultiverseListing { branches })) = listing {
            self.tell_branches(branches, another);
        }
        let changed = self.known.update(changed);
        self.audience.patch_parts(changed);
    }

    fn tell_branches(&mut self, branches: Vec<BranchListing>, another: bool) {
        let same_start = branches.len() >= self.branches.len()
            && branches.iter().zip(&self.branches).all(|(new, old)| {
                (new.branch, new.parent, new.fork) == (old.branch, old.parent, old.fork)
            });
        let fresh = another || !same_start;
        let rows: Vec<&BranchListing> = branches
            .iter()
            .enumerate()
            .filter(|(n, row)| fresh || self.branches.get(*n) != Some(row))
            .map(|(_, row)| row)
            .collect();
        if fresh || !rows.is_empty() {
            let number = self.audience.next_number();
            let frame = frames::branches(number, fresh, &rows);
            self.audience.patch(Message::Binary(frame.into()));
        }
        self.branches = branches;
    }

    fn modified(&self) -> Option<SystemTime> {
        let path = self.session.as_ref()?.program_path();
        std::fs::metadata(path).ok()?.modified().ok()
    }

    fn tell_file(&mut self) {
        let changed = self.known.update(vec![Part::File(self.file.listing)]);
        self.audience.patch_parts(changed);
    }

    /// Notices that the program was rebuilt, once its file has rested.
    fn look_at_file(&mut self) {
        let now = self.modified();
        if now.is_none() || now == self.file.modified {
            self.file.fresh = None;
            return;
        }
        if self.file.fresh != now {
            self.file.fresh = now;
            return;
        }
        self.file.modified = now;
        self.file.fresh = None;
        self.file.listing.changed = true;
        self.tell_file();
        let program = self.session.as_ref().map(|s| s.program_path().to_owned());
        if let Some(program) = program.filter(|_| self.file.listing.followed) {
            self.upload(&program.display().to_string());
        }
    }

    fn upload(&mut self, program: &str) {
        let command = Act::Upload {
            program: program.to_owned(),
        };
        let event = match self.execute(self.pauses.next_turn(), command) {
            Ok(_) => {
                self.file.listing.changed = false;
                self.stop = None;
                let text = format!("{program} was rebuilt, and is uploaded");
                Event::Warning { text }
            }
            Err(error) => {
                let text = format!("{program} was rebuilt, but cannot be uploaded: {error}");
                Event::Warning { text }
            }
        };
        self.audience.tell_all(&Tell::Event { event });
        self.tell_file();
        self.refresh();
    }
}
