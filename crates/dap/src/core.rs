//! Between an editor and a session: what is sent, what is asked, and what is heard meanwhile.

use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use borges_hub::Message;
use borges_hub::protocol::Ask;
use borges_session::command::{Act, Command, Event, Look, Reply};
use serde::Serialize;
use serde_json::Value;

use crate::arrival::{Arrival, Replied, read_reply};
use crate::parts::{Heard, Parts};
use crate::protocol::answers::{Output, Progress};
use crate::protocol::arguments::{Cancel, Initialize};
use crate::protocol::{Failure, NOTHING, Outgoing, Request};
use crate::way::{Approach, Asks};

/// How long what a program prints is gathered.
const PRINT_EVERY: Duration = Duration::from_millis(50);
/// Bytes of it that are sent at once.
const MOST_PRINTED: usize = 64 << 10;

/// What the session tells with. When it is dropped, nothing more comes.
struct Ear(Sender<Arrival>);

impl Drop for Ear {
    fn drop(&mut self) {
        let _nobody = self.0.send(Arrival::Lost);
    }
}

/// An adapter's two sides.
pub(crate) struct Core {
    out: Box<dyn FnMut(Outgoing) -> bool + Send>,
    inbox: Receiver<Arrival>,
    /// The way into the inbox.
    pub(crate) post: Sender<Arrival>,
    /// What arrived while something else was waited for.
    waiting: VecDeque<Arrival>,
    /// Answers that nobody waits for any more in one place.
    replies: VecDeque<(u32, Replied)>,
    asks: Option<Box<dyn Asks>>,
    pub(crate) way: Option<Box<dyn Approach>>,
    next: u32,
    pub(crate) parts: Parts,
    pub(crate) client: Initialize,
    /// Events that follow the answer to the request that is being carried out.
    after: Vec<Outgoing>,
    /// The request that is being carried out.
    current: Option<i64>,
    /// The progress that is shown, if any is.
    progress: Option<String>,
    progresses: u64,
    /// Motions of this editor that are under way: their progress is the program's, which the editor shows as running.
    pub(crate) moving: bool,
    /// Nothing more can be sent, or is wanted.
    pub(crate) over: bool,
    /// When a stranger is given up who has not said the secret.
    pub(crate) until: Option<Instant>,
    /// What the program printed and the editor was not sent yet.
    printed: String,
    /// When it was sent something that the program printed.
    flushed: Instant,
    /// Requests that are answered when something else is there: by the number of what was asked for them.
    pub(crate) owed: HashMap<u32, Request>,
}

impl Core {
    pub(crate) fn new(
        inbox: Receiver<Arrival>,
        post: Sender<Arrival>,
        out: Box<dyn FnMut(Outgoing) -> bool + Send>,
    ) -> Self {
        Self {
            out,
            inbox,
            post,
            waiting: VecDeque::new(),
            replies: VecDeque::new(),
            asks: None,
            way: None,
            next: 1,
            parts: Parts::default(),
            client: Initialize::default(),
            after: Vec::new(),
            current: None,
            progress: None,
            progresses: 0,
            moving: false,
            over: false,
            until: None,
            printed: String::new(),
            flushed: Instant::now(),
            owed: HashMap::new(),
        }
    }

    /// Sends something now.
    pub(crate) fn send(&mut self, message: Outgoing) {
        self.flush();
        if !(self.out)(message) {
            self.over = true;
        }
    }

    /// Sends an event: after the answer to the request that is being carried out, if one is.
    pub(crate) fn event(&mut self, event: &'static str, body: impl Serialize) {
        let event = Outgoing::event(event, body);
        match self.current {
            Some(_) => self.after.push(event),
            None => self.send(event),
        }
    }

    /// Shows what the program printed: a busy one would else send more messages than an editor takes.
    fn print(&mut self, text: &str) {
        self.printed.push_str(text);
        if self.printed.len() > MOST_PRINTED || self.flushed.elapsed() > PRINT_EVERY {
            self.flush();
        }
    }

    /// Sends what the program printed.
    fn flush(&mut self) {
        if self.printed.is_empty() {
            return;
        }
        self.flushed = Instant::now();
        let output = std::mem::take(&mut self.printed);
        let category = "stdout";
        self.send(Outgoing::event("output", Output { category, output }));
    }

    /// Shows a text in the debug console: after the answer to the request that is being carried out, if one is.
    pub(crate) fn output(&mut self, category: &'static str, text: impl Into<String>) {
        let mut output = text.into();
        if category == "stdout" {
            return self.print(&output);
        }
        if category != "stderr" && !output.ends_with('\n') {
            output.push('\n');
        }
        self.event("output", Output { category, output });
    }

    /// A request is being carried out from now on.
    pub(crate) fn begin(&mut self, request: &Request) {
        self.current = Some(request.seq);
    }

    /// Answers a request, and sends the events that follow.
    pub(crate) fn finish(&mut self, request: &Request, answer: Option<Result<Value, Failure>>) {
        self.current = None;
        if let Some(answer) = answer {
            self.send(Outgoing::answer(request, answer));
        }
        for event in std::mem::take(&mut self.after) {
            self.send(event);
        }
    }

    /// What arrives next.
    pub(crate) fn next(&mut self) -> Arrival {
        match self.waiting.pop_front() {
            Some(arrival) => arrival,
            None => self.receive(),
        }
    }

    /// What arrives next in the inbox; what the program printed does not wait for it for long.
    fn receive(&mut self) -> Arrival {
        loop {
            let print = PRINT_EVERY.saturating_sub(self.flushed.elapsed());
            let print = (!self.printed.is_empty()).then_some(print);
            let until = self
                .until
                .map(|until| until.saturating_duration_since(Instant::now()));
            let Some(patience) = print.into_iter().chain(until).min() else {
                return self.inbox.recv().unwrap_or(Arrival::Gone(None));
            };
            match self.inbox.recv_timeout(patience) {
                Ok(arrival) => return arrival,
                Err(RecvTimeoutError::Timeout) if until.is_some_and(|until| until <= patience) => {
                    return Arrival::Gone(Some("the token was not said in time".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => self.flush(),
                Err(RecvTimeoutError::Disconnected) => return Arrival::Gone(None),
            }
        }
    }

    /// Whether nothing waits in line.
    pub(crate) fn is_idle(&mut self) -> bool {
        if self.waiting.is_empty()
            && let Ok(arrival) = self.inbox.try_recv()
        {
            self.waiting.push_back(arrival);
        }
        self.waiting.is_empty()
    }

    /// An answer that came while something else was waited for.
    pub(crate) fn late_reply(&mut self) -> Option<(u32, Replied)> {
        self.replies.pop_front()
    }

    /// Joins a session.
    ///
    /// # Errors
    /// It cannot be reached.
    pub(crate) fn join(&mut self, mut way: Box<dyn Approach>) -> Result<(), String> {
        let ear = Ear(self.post.clone());
        let told = Box::new(move |message| ear.0.send(Arrival::Told(message)).is_ok());
        self.asks = Some(way.join(true, told)?);
        self.way = Some(way);
        Ok(())
    }

    /// Whether a session is joined.
    pub(crate) const fn has_joined(&self) -> bool {
        self.asks.is_some()
    }

    /// Leaves the session.
    pub(crate) fn leave(&mut self) {
        self.asks = None;
        if let Some(mut way) = self.way.take() {
            way.end();
        }
    }

    /// Asks without waiting; the number that the answer will have.
    pub(crate) fn ask(&mut self, ask: impl FnOnce(u32) -> Ask) -> u32 {
        let id = self.next;
        self.next = self.next.wrapping_add(1).max(1);
        if let Some(asks) = &self.asks {
            asks.ask(ask(id));
        }
        id
    }

    /// Asks for a command without waiting.
    pub(crate) fn ask_command(&mut self, command: impl Serialize) -> u32 {
        // Commands are plain data with text keys: they always have a JSON form.
        let command = serde_json::to_value(command).unwrap_or_default();
        self.ask(|id| Ask::Command { id, command })
    }

    /// Pauses whatever is being done, by whomever.
    pub(crate) fn pause(&mut self) {
        if let Some(asks) = &self.asks {
            asks.ask(Ask::Pause);
        }
    }

    /// Asks, and waits for the answer. What the editor says meanwhile waits, but for what ends the waiting.
    ///
    /// # Errors
    /// Why it failed, for people.
    pub(crate) fn call(&mut self, ask: impl FnOnce(u32) -> Ask) -> Replied {
        if self.asks.is_none() {
            return Err("no program is open: launch or attach comes first".to_owned());
        }
        let id = self.ask(ask);
        self.wait_for(id)
    }

    /// Waits until the session has told what there is to see.
    ///
    /// # Errors
    /// The session has gone.
    pub(crate) fn call_any(&mut self) -> Result<(), String> {
        // Whatever the answer is, it comes after what is told first.
        let id = self.ask(|id| Ask::Command {
            id,
            command: Value::Null,
        });
        let _answered = self.wait_for(id);
        match self.parts.info.is_some() || self.parts.model.is_some() {
            true => Ok(()),
            false => Err("no program is open there".to_owned()),
        }
    }

    /// Waits for an answer.
    pub(crate) fn wait_for(&mut self, id: u32) -> Replied {
        if let Some(at) = self.replies.iter().position(|(of, _)| *of == id)
            && let Some((_, reply)) = self.replies.remove(at)
        {
            return reply;
        }
        loop {
            match self.receive() {
                Arrival::Told(message) => match self.hear(&message) {
                    Some((of, reply)) if of == id => return reply,
                    Some(late) => self.replies.push_back(late),
                    None => {}
                },
                Arrival::Request(request) => {
                    if let Some(request) = self.at_once(request) {
                        self.waiting.push_back(Arrival::Request(request));
                    }
                }
                Arrival::Gone(why) if self.over => {
                    self.waiting.push_front(Arrival::Gone(why));
                    return Err("the editor has gone".to_owned());
                }
                Arrival::Gone(why) => {
                    self.over = true;
                    // Nobody waits any more: what is being done ends, and then everything.
                    self.pause();
                    self.waiting.push_front(Arrival::Gone(why));
                }
                Arrival::Lost => {
                    self.waiting.push_front(Arrival::Lost);
                    return Err("the session has gone".to_owned());
                }
                other => self.waiting.push_back(other),
            }
        }
    }

    /// Does what cannot wait in line; gives the request back if it, or its answer, can.
    pub(crate) fn at_once(&mut self, request: Request) -> Option<Request> {
        match request.command.as_str() {
            "pause" | "disconnect" | "terminate" => {
                self.pause();
                Some(request)
            }
            "cancel" => {
                let answer = request.arguments().map(|cancel| self.cancel(&cancel));
                let answer = answer.and(NOTHING);
                self.send(Outgoing::answer(&request, answer));
                None
            }
            _ => Some(request),
        }
    }

    /// Ends what a request asks to end, whether it is being done, waits in line, or is only shown as progress.
    pub(crate) fn cancel(&mut self, cancel: &Cancel) {
        let is_shown = cancel.progress_id.is_some() && cancel.progress_id == self.progress;
        let is_current = cancel.request_id.is_some() && cancel.request_id == self.current;
        let is_owed = |request: &Request| Some(request.seq) == cancel.request_id;
        if is_shown || is_current || self.owed.values().any(is_owed) {
            self.pause();
        }
        let waits = |arrival: &Arrival| match arrival {
            Arrival::Request(request) => is_owed(request),
            _ => false,
        };
        if let Some(at) = self.waiting.iter().position(waits)
            && let Some(Arrival::Request(request)) = self.waiting.remove(at)
        {
            let answer = Err(Failure::new("cancelled"));
            self.send(Outgoing::answer(&request, answer));
        }
    }

    /// Hears what the session tells; an answer is given back.
    pub(crate) fn hear(&mut self, message: &Message) -> Option<(u32, Replied)> {
        let Message::Text(text) = message else {
            return None;
        };
        // What is of another version of the protocol is not understood here, and not needed.
        match serde_json::from_str(text).ok()? {
            Heard::Snapshot { parts } | Heard::Patch { parts } => {
                self.parts.update(parts);
                self.show_work();
                None
            }
            Heard::Reply { id, reply } => Some((id, Ok(reply))),
            Heard::Failed { id, message } => Some((id, Err(message))),
            Heard::Event { event } => {
                self.hear_event(event);
                None
            }
        }
    }

    fn hear_event(&mut self, event: Event) {
        match event {
            Event::Console { text } => self.output("stdout", text),
            Event::Stream { is_error, bytes } => {
                let category = if is_error { "stderr" } else { "stdout" };
                self.output(category, String::from_utf8_lossy(&bytes));
            }
            Event::Log { text, .. } => self.output("console", text),
            Event::Warning { text } => self.output("important", text),
            Event::Progress { what, done, total } => self.show_progress(&what, done, total),
            Event::Surveying { states, .. } => self.show_progress("states surveyed", states, None),
            Event::Live(_) => {}
        }
    }

    fn show_progress(&mut self, what: &str, done: u64, total: Option<u64>) {
        let Some(progress_id) = self.progress.clone() else {
            return;
        };
        let percentage = total.map(|total| 100.0 * done as f64 / total.max(1) as f64);
        let progress = Progress {
            progress_id,
            message: Some(format!("{what}: {done}")),
            percentage: percentage.map(|percentage| percentage.clamp(0.0, 100.0)),
            ..Progress::default()
        };
        self.send(Outgoing::event("progressUpdate", progress));
    }

    /// Shows that something takes long, or no longer.
    fn show_work(&mut self) {
        if !self.client.supports_progress_reporting {
            return;
        }
        let doing = self.parts.doing.clone();
        let doing = doing.filter(|_| !self.moving && self.parts.running.is_none());
        match (doing, self.progress.take()) {
            (Some(title), None) => {
                self.progresses += 1;
                let progress_id = format!("work{}", self.progresses);
                self.progress = Some(progress_id.clone());
                let progress = Progress {
                    progress_id,
                    title: Some(title),
                    cancellable: Some(true),
                    ..Progress::default()
                };
                self.send(Outgoing::event("progressStart", progress));
            }
            (None, Some(progress_id)) => {
                let progress = Progress {
                    progress_id,
                    ..Progress::default()
                };
                self.send(Outgoing::event("progressEnd", progress));
            }
            (Some(_), shown) => self.progress = shown,
            (None, None) => {}
        }
    }

    /// Looks at the session of a device program.
    ///
    /// # Errors
    /// Why there is no answer.
    pub(crate) fn look(&mut self, look: Look) -> Result<Reply, String> {
        if self.moving || self.parts.running.is_some() {
            return Err("the program runs: pause it first".to_owned());
        }
        self.command(look.into())
    }

    /// Has the session of a device program do something.
    ///
    /// # Errors
    /// Why it was not done.
    pub(crate) fn act(&mut self, act: Act) -> Result<Reply, String> {
        self.command(act.into())
    }

    fn command(&mut self, command: Command) -> Result<Reply, String> {
        let command = serde_json::to_value(command).map_err(|error| error.to_string())?;
        let reply = self.call(|id| Ask::Command { id, command })?;
        read_reply(reply)
    }

    /// A line or column as the editor counts.
    pub(crate) fn line_out(&self, line: u32) -> i64 {
        i64::from(line) - i64::from(!self.client.lines_start_at_1)
    }

    /// A line as the session counts: from 1; nothing if there is no such line.
    pub(crate) fn line_in(&self, line: i64) -> Option<u32> {
        let line = line.checked_add(i64::from(!self.client.lines_start_at_1))?;
        u32::try_from(line).ok().filter(|line| *line > 0)
    }

    /// The first column, as the editor counts.
    pub(crate) fn first_column(&self) -> i64 {
        i64::from(self.client.columns_start_at_1)
    }
}
