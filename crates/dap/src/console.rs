//! The debug console of a device program: the command language, at the session that the editor shows.
//!
//! It has a thread and a place at the session of its own, as a prompt that attached: a line that takes long keeps nobody
//! from asking, and what it changes is heard by the editor as what others change is.

use std::sync::mpsc::{Receiver, Sender, channel};

use borges_commands::completion::Completion;
use borges_commands::device::{Backend, COMMANDS, SessionPrompt};
use borges_commands::interpreter::{Answer, Interpreter as _, Verdict};
use borges_commands::paint::Paint;
use borges_commands::table;
use borges_hub::Message;
use borges_hub::protocol::Ask;
use borges_session::Observer;
use borges_session::command::{Command, Flow, Reply};
use borges_session::listing::PlaceView;

use crate::arrival::{Arrival, Replied, Said, read_reply};
use crate::parts::Heard;
use crate::protocol::answers::CompletionItem;
use crate::protocol::{Failure, Request};
use crate::way::{Approach, Asks};

/// Candidates in one answer: nobody reads more.
const MOST_CANDIDATES: usize = 500;

/// How wide texts are: a console wraps what is wider.
pub(crate) const WIDTH: usize = 100;

/// What the console is asked.
pub(crate) enum Line {
    /// To carry out a line, in a frame if one is named.
    Execute {
        request: Request,
        line: String,
        frame: Option<u32>,
    },
    /// What a line can become.
    Complete {
        request: Request,
        line: String,
        at: usize,
    },
}

/// The way to the console's thread, which ends when this is dropped.
pub(crate) struct Console(Sender<Line>);

impl Console {
    /// Begins at a session, which tells where it stands.
    ///
    /// # Errors
    /// The session cannot be reached, or there is no thread.
    pub(crate) fn begin(
        way: &mut dyn Approach,
        here: PlaceView,
        primitives: Vec<String>,
        is_painted: bool,
        post: Sender<Arrival>,
    ) -> Result<Self, String> {
        let (told, heard) = channel();
        let asks = way.join(false, Box::new(move |message| told.send(message).is_ok()))?;
        let (lines, inbox) = channel();
        let joined = Joined {
            asks,
            heard,
            next: 1,
            here,
        };
        let work = move || {
            let prompt = SessionPrompt::new(Box::new(joined), primitives);
            let paint = Paint::new(is_painted, WIDTH);
            run(prompt, &paint, &inbox, &post);
        };
        let thread = std::thread::Builder::new().name("console".to_owned());
        thread.spawn(work).map_err(|error| error.to_string())?;
        Ok(Self(lines))
    }

    /// Has a line looked at; what it comes to arrives later.
    pub(crate) fn hear(&self, line: Line) {
        let _ended = self.0.send(line);
    }
}

fn run(mut prompt: SessionPrompt, paint: &Paint, inbox: &Receiver<Line>, post: &Sender<Arrival>) {
    let mut shown = None;
    while let Ok(line) = inbox.recv() {
        let said = match line {
            Line::Execute {
                request,
                line,
                frame,
            } => {
                if let Some(frame) = frame.filter(|frame| Some(*frame) != shown) {
                    quietly(&mut prompt, &format!("frame {frame}"), paint);
                    shown = Some(frame);
                }
                // Colours are for the console: what an exception says is shown as it is.
                let plain = Paint::new(false, WIDTH);
                let is_console = request.command == "evaluate";
                let paint = if is_console { paint } else { &plain };
                let answer = execute(&mut prompt, &line, paint);
                Said::Executed { request, answer }
            }
            Line::Complete { request, line, at } => Said::Completed {
                completion: prompt.complete(&line, at),
                request,
                line,
                at,
            },
        };
        if post.send(Arrival::Console(said)).is_err() {
            return;
        }
    }
}

fn quietly(prompt: &mut SessionPrompt, line: &str, paint: &Paint) -> Answer {
    // The editor hears of progress and events itself, and pauses by itself.
    prompt.execute(line, paint, &mut |_| Flow::Continue)
}

/// Carries out a line; one that begins with no command's name is an expression, as in other debuggers.
fn execute(prompt: &mut SessionPrompt, line: &str, paint: &Paint) -> Answer {
    let answer = quietly(prompt, line, paint);
    let name = line.split_whitespace().next().unwrap_or_default();
    if answer.verdict == Verdict::Failed && table::find(COMMANDS, name).is_err() {
        let printed = quietly(prompt, &format!("print {line}"), paint);
        if printed.verdict == Verdict::Done {
            return printed;
        }
    }
    answer
}

/// A place at the session, for a prompt.
struct Joined {
    asks: Box<dyn Asks>,
    heard: Receiver<Message>,
    next: u32,
    here: PlaceView,
}

impl Joined {
    fn reply(&mut self, id: u32, observer: Observer<'_>) -> Replied {
        loop {
            let Ok(message) = self.heard.recv() else {
                return Err("the session has gone".to_owned());
            };
            let Message::Text(text) = message else {
                continue;
            };
            match serde_json::from_str(&text) {
                Ok(Heard::Reply { id: of, reply }) if of == id => return Ok(reply),
                Ok(Heard::Failed { id: of, message }) if of == id => return Err(message),
                Ok(Heard::Event { event }) if observer(event.clone()) == Flow::Pause => {
                    self.asks.ask(Ask::Pause);
                }
                _ => {}
            }
        }
    }
}

impl Backend for Joined {
    fn execute(&mut self, command: Command, observer: Observer<'_>) -> Result<Reply, String> {
        let id = self.next;
        self.next = self.next.wrapping_add(1);
        let command = command.to_value()?;
        self.asks.ask(Ask::Command { id, command });
        let reply = read_reply(self.reply(id, observer)?)?;
        match &reply {
            Reply::Stopped(stop) => self.here = stop.at.clone(),
            Reply::Written(written) => self.here = written.at.clone(),
            Reply::Info(info) => self.here = info.here.clone(),
            _ => {}
        }
        Ok(reply)
    }

    fn here(&self) -> PlaceView {
        self.here.clone()
    }
}

/// The primitives that a program imports, for completion; none if its file cannot be read from here.
pub(crate) fn primitives(program: &str) -> Vec<String> {
    let contents = borges_session::contents::of_program(std::path::Path::new(program), &[], None);
    contents
        .map(|contents| contents.imports.into_iter().map(|one| one.name).collect())
        .unwrap_or_default()
}

/// What a line came to, for the console.
pub(crate) fn told(answer: &Answer) -> crate::protocol::Answer {
    let text = answer.text.trim_end().to_owned();
    match answer.verdict {
        Verdict::Failed => Err(Failure::new(text)),
        Verdict::Quit => Ok(serde_json::json!({
            "result": "the editor's Stop or Disconnect ends the session",
            "variablesReference": 0,
        })),
        Verdict::Done => Ok(serde_json::json!({ "result": text, "variablesReference": 0 })),
    }
}

/// The byte at which a column of UTF-16 code units, counted from 0, begins.
pub(crate) fn byte_of(line: &str, column: i64) -> usize {
    let mut left = column;
    for (at, letter) in line.char_indices() {
        if left <= 0 {
            return at;
        }
        left -= letter.len_utf16() as i64;
    }
    line.len()
}

/// A completion of a line up to `at`, for a client whose columns begin at `first`.
pub(crate) fn items(
    line: &str,
    at: usize,
    completion: &Completion,
    first: i64,
) -> Vec<CompletionItem> {
    let units = |text: Option<&str>| text.unwrap_or_default().encode_utf16().count() as i64;
    let start = units(line.get(..completion.start)) + first;
    let length = units(line.get(completion.start..at));
    let candidates = completion.candidates.iter().take(MOST_CANDIDATES);
    let item = |candidate: &String| CompletionItem {
        label: candidate.clone(),
        start,
        length,
    };
    candidates.map(item).collect()
}
