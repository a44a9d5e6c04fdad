//! Sessions of device programs: what is answered about them, and what everybody sees of them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use borges_session::command::{Act, Command, Event, Flow, Look, Reply, Stop, StopReason};
use borges_session::listing::{BranchListing, LiveListing, MultiverseListing};
use borges_session::suggest::{Question, Within};
use borges_session::{Observer, Session};

use crate::audience::{Answer, ClientId, Message};
use crate::frames;
use crate::parts::{self, MOST_WATCHES};
use crate::pauses::Turn;
use crate::protocol::{Ask, FileListing, Part, Tell};
use crate::room::{Room, Subject, read};
use crate::search::Search;

/// How often the program's file is looked at.
const LOOK_AT_FILE: Duration = Duration::from_millis(400);
/// How often a search is asked what it has found.
const LOOK_AT_SEARCH: Duration = Duration::from_millis(10);

/// A session, and what was told of it.
pub(crate) struct Device {
    session: Box<Session>,
    branches: Vec<BranchListing>,
    /// Changes whenever the program is another version: then no branch is what it was.
    program: (PathBuf, u64),
    stop: Option<Stop>,
    file: WatchedFile,
    /// The question about futures that is being answered.
    search: Option<Search>,
    /// Nobody asked for it: it is not in the way of a command.
    quiet: bool,
}

/// The program's file as it was when it was opened.
#[derive(Default)]
struct WatchedFile {
    modified: Option<SystemTime>,
    /// It is not what is being debugged any more.
    changed: bool,
    /// A change that has to rest for a moment: the compiler may still be writing.
    fresh: Option<SystemTime>,
}

impl Subject for Device {
    fn enter(&mut self, room: &mut Room) {
        self.file.modified = self.modified();
        room.show(vec![Part::Model(None), Part::Suggestions(None)]);
        self.show_file(room);
        self.refresh(room);
    }

    fn welcome(&mut self, room: &mut Room, client: ClientId) {
        let rows: Vec<&BranchListing> = self.branches.iter().collect();
        let frame = frames::branches(room.audience.number, true, &rows);
        room.audience.send(client, Message::Binary(frame.into()));
    }

    fn answer(&mut self, room: &mut Room, turn: Turn, ask: Ask) -> Result<Answer, String> {
        match ask {
            Ask::Command { command, .. } => return self.command(room, turn, read(command)?),
            Ask::Entries {
                id,
                branch,
                from,
                count,
                calls,
            } => {
                let look = Look::Entries {
                    branch,
                    from,
                    count,
                    calls,
                };
                if let Reply::Entries(listing) = self.execute(room, turn, look)? {
                    return Ok(Answer::Frame(frames::entries(id, &listing)));
                }
            }
            Ask::Suggest {
                question,
                within,
                quiet,
                ..
            } => {
                self.quiet = quiet;
                return self.suggest(room, turn, question, *within);
            }
            Ask::EndSuggestions => match &self.search {
                Some(search) => search.end(),
                None => room.show(vec![Part::Suggestions(None)]),
            },
            Ask::Watch { expressions } => {
                room.watched_expressions = expressions;
                // One past the limit stays, to say that it is not looked at.
                room.watched_expressions.truncate(MOST_WATCHES + 1);
                self.refresh(room);
            }
            Ask::FollowFile { on } => {
                room.follows_file = on;
                self.show_file(room);
            }
            // The hub's own.
            Ask::Open { .. } | Ask::Pause | Ask::Pace { .. } | Ask::Resync => {}
        }
        Ok(Answer::Seen)
    }

    fn patience(&self) -> Duration {
        match self.search {
            Some(_) => LOOK_AT_SEARCH,
            None => LOOK_AT_FILE,
        }
    }

    fn look(&mut self, room: &mut Room, idle: bool) {
        self.hear_search(room);
        if idle {
            self.look_at_file(room);
        }
    }
}

/// Shows a running program, and the branch that it is on.
fn show_live(branches: &mut Vec<BranchListing>, room: &mut Room, picture: LiveListing) {
    let row = picture.branch.clone();
    let nth = row.branch as usize;
    // One that others come before is told with them.
    if nth <= branches.len() {
        let number = room.audience.next_number();
        let frame = frames::branches(number, false, &[&row]);
        room.audience.patch(Message::Binary(frame.into()));
        match branches.get_mut(nth) {
            Some(known) => *known = row,
            None => branches.push(row),
        }
    }
    let parts = parts::live(picture, &room.watched_expressions, &room.known);
    room.show(parts);
}

impl Device {
    pub(crate) fn new(session: Box<Session>) -> Self {
        Self {
            session,
            branches: Vec::new(),
            program: (PathBuf::new(), 0),
            stop: None,
            file: WatchedFile::default(),
            search: None,
            quiet: false,
        }
    }

    /// Begins to answer a question about futures. One that is under way ends.
    fn suggest(
        &mut self,
        room: &mut Room,
        turn: Turn,
        question: Question,
        within: Within,
    ) -> Result<Answer, String> {
        let inquire = |observer: Observer<'_>| {
            let inquiry = self.session.inquire(question, within, observer);
            inquiry.map_err(|error| error.to_string())
        };
        let inquiry = room.watched(turn, inquire)?;
        // Told also because an answer that is as the one before would else be nothing new, and not be told.
        let begun = Box::new(inquiry.begun());
        self.search = Some(Search::begin(inquiry, Arc::clone(&room.pauses), turn)?);
        room.show(vec![Part::Suggestions(Some(begun))]);
        Ok(Answer::done("looking for futures".to_owned()))
    }

    /// Shows what a search has found since the last time.
    fn hear_search(&mut self, room: &mut Room) {
        let latest = self.search.as_ref().and_then(Search::latest);
        if let Some(listing) = latest {
            if !listing.working {
                self.search = None;
            }
            room.show(vec![Part::Suggestions(Some(Box::new(listing)))]);
        }
    }

    fn command(&mut self, room: &mut Room, turn: Turn, command: Command) -> Result<Answer, String> {
        let command = match command {
            Command::Look(Look::Survey { mut survey }) => {
                survey.within = survey.within.on_cores_here();
                Command::Look(Look::Survey { survey })
            }
            command => command,
        };
        let looks = matches!(command, Command::Look(_));
        let uploads = matches!(command, Command::Act(Act::Upload { .. }));
        if !looks && std::mem::take(&mut self.quiet) {
            self.search = None;
            room.show(vec![Part::Suggestions(None)]);
        }
        let reply = self.execute(room, turn, command);
        match &reply {
            Ok(Reply::Stopped(stop)) => self.stop = Some(stop.clone()),
            Ok(Reply::Written(written)) => {
                self.stop = Some(Stop {
                    reason: StopReason::Done,
                    at: written.at.clone(),
                });
            }
            _ => {}
        }
        if uploads && reply.is_ok() {
            self.uploaded(room);
        }
        // Who asked hears the answer after everybody, themselves included, sees what it says. Also what fails half-way may
        // have moved something.
        if !looks {
            self.refresh(room);
        }
        Ok(Answer::from(reply?))
    }

    /// Has the session do something, and tells everybody what happens meanwhile.
    fn execute(
        &mut self,
        room: &mut Room,
        turn: Turn,
        command: impl Into<Command>,
    ) -> Result<Reply, String> {
        let command = command.into();
        // Who pauses wants the program to stand still, and to see what was asked for meanwhile.
        let turn = match command {
            Command::Look(_) => room.pauses.next_turn(),
            Command::Act(_) => turn,
        };
        // What takes long and only looks gives way to what acts: it is asked again.
        let gives_way = matches!(&command, Command::Look(look) if look.gives_way());
        let flow = |room: &Room| match gives_way && room.pauses.acts_wait() {
            true => Flow::Pause,
            false => room.pauses.flow(turn),
        };
        if matches!(command, Command::Act(_)) {
            let seen = room.audience.is_seen();
            self.session
                .look_on(seen.then(|| room.watched_expressions.clone()));
        }
        let branches = &mut self.branches;
        let mut live = |room: &mut Room, picture| show_live(branches, room, picture);
        let session = &mut self.session;
        let reply = room.watched_live(flow, &mut live, |observer| {
            session.execute(command, observer)
        });
        reply.map_err(|error| error.to_string())
    }

    /// Tells everybody what is different now.
    fn refresh(&mut self, room: &mut Room) {
        let (session, stop) = (&mut *self.session, self.stop.as_ref());
        let mut changed = parts::of(session, stop, &room.watched_expressions, &room.known);
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
            changed.push(Part::Program(parts::program(&mut self.session)));
        }
        let listing = parts::ask(&mut self.session, Look::Multiverse);
        if let Some(Reply::Multiverse(MultiverseListing { branches })) = listing {
            self.tell_branches(room, branches, another);
        }
        room.show(changed);
    }

    fn tell_branches(&mut self, room: &mut Room, branches: Vec<BranchListing>, another: bool) {
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
            let number = room.audience.next_number();
            let frame = frames::branches(number, fresh, &rows);
            room.audience.patch(Message::Binary(frame.into()));
        }
        self.branches = branches;
    }

    fn modified(&self) -> Option<SystemTime> {
        let files = self.session.program_files();
        let modified = files.filter_map(|path| std::fs::metadata(path).ok()?.modified().ok());
        modified.max()
    }

    fn show_file(&self, room: &mut Room) {
        room.show(vec![Part::File(FileListing {
            changed: self.file.changed,
            followed: room.follows_file,
        })]);
    }

    /// Another version is debugged: futures and stops of the one before mean nothing any more.
    fn uploaded(&mut self, room: &mut Room) {
        self.search = None;
        self.stop = None;
        self.file.modified = self.modified();
        self.file.changed = false;
        room.show(vec![Part::Suggestions(None)]);
        self.show_file(room);
    }

    /// Notices that the program was rebuilt, once its file has rested.
    fn look_at_file(&mut self, room: &mut Room) {
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
        self.file.changed = true;
        self.show_file(room);
        if room.follows_file {
            self.follow_file(room);
        }
    }

    fn follow_file(&mut self, room: &mut Room) {
        let program = self.session.program_path().display().to_string();
        let command = Act::Upload {
            program: program.clone(),
        };
        let turn = room.pauses.next_turn();
        let text = match self.execute(room, turn, command) {
            Ok(_) => {
                self.uploaded(room);
                format!("{program} was rebuilt, and is uploaded")
            }
            Err(error) => format!("{program} was rebuilt, but cannot be uploaded: {error}"),
        };
        let event = Event::Warning { text };
        room.audience.tell_all(&Tell::Event { event });
        self.refresh(room);
    }
}
