//! A prompt without a terminal: lines in, answers out.

use borges_session::command::{Event, Flow, Observer};
use serde::Serialize;
use serde_json::{Value, json};

use crate::completion::{Completion, complete};
use crate::cursor::{Cursor, Misread};
use crate::help;
use crate::message;
use crate::paint::Paint;
use crate::table::{self, Completes, Spec, Table};

/// Carries out what is typed. A face brings the lines and shows the answers.
pub trait Interpreter {
    /// What a line asks for.
    type Request: 'static;

    /// What can be typed.
    const COMMANDS: Table<Self::Request>;

    /// What is said before the first line.
    fn greeting(&mut self, paint: &Paint) -> String;

    /// What stands before a line, without colours.
    fn prompt(&self) -> String;

    /// Only the data of answers is wanted from now on: a text that costs something may be left out.
    fn leave_out_text(&mut self) {}

    /// Carries out one command. `observer` hears of what happens and how far it is meanwhile, and may end it.
    fn execute(&mut self, line: &str, paint: &Paint, observer: Observer<'_>) -> Answer;

    /// Whether an empty line after `line` repeats it.
    fn repeats(&self, line: &str) -> bool {
        Self::COMMANDS.repeats(line)
    }

    /// What there is of a kind, for completion.
    fn candidates(&mut self, kind: Completes) -> Vec<String>;

    /// What the word that ends at `at` can become.
    fn complete(&mut self, line: &str, at: usize) -> Completion {
        complete(Self::COMMANDS, line, at, |kind| self.candidates(kind))
    }
}

/// How a command went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was carried out.
    Done,
    /// It was not; the answer says why.
    Failed,
    /// The user wants to leave.
    Quit,
}

/// What a command has to say: as text and as JSON, or why it cannot be carried out.
pub type Said = Result<(String, Value), String>;

/// What came of a line.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// How it went.
    #[serde(skip)]
    pub verdict: Verdict,
    /// For a person: every line ends with a line break.
    #[serde(skip)]
    pub text: String,
    /// What the line was read as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Value>,
    /// What it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<Value>,
    /// Why it was not carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
    /// What is shown besides, in order; a face that shows data puts before it what its observer heard.
    pub events: Vec<Value>,
}

/// Why a line was not carried out, as data.
#[derive(Debug, Serialize)]
pub struct Refusal {
    /// What failed, and the likely cause.
    pub message: String,
    /// What to type instead.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub next: String,
    /// The column of the mistake in the line, in characters from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}

impl Answer {
    /// What a command said.
    pub fn of(said: Said, paint: &Paint) -> Self {
        match said {
            Ok((text, reply)) => Self::done(text, reply),
            Err(message) => Self::failed(message, paint),
        }
    }

    /// A command that was carried out.
    pub const fn done(text: String, reply: Value) -> Self {
        Self {
            verdict: Verdict::Done,
            text,
            command: None,
            reply: Some(reply),
            error: None,
            events: Vec::new(),
        }
    }

    /// A command that could not be carried out.
    pub fn failed(message: String, paint: &Paint) -> Self {
        let text = message::error(&message, "", paint);
        Self::refused(text, message, String::new(), None)
    }

    /// A line that could not be read.
    pub fn misread(line: &str, misread: Misread, paint: &Paint) -> Self {
        let text = message::misread(line, &misread, paint);
        let column = misread.column(line);
        Self::refused(text, misread.message, misread.hint, Some(column))
    }

    const fn refused(text: String, message: String, next: String, column: Option<usize>) -> Self {
        Self {
            verdict: Verdict::Failed,
            text,
            command: None,
            reply: None,
            error: Some(Refusal {
                message,
                next,
                column,
            }),
            events: Vec::new(),
        }
    }

    /// All of it as one JSON object.
    pub fn record<'a>(&'a self, line: &'a str) -> impl Serialize + 'a {
        #[derive(Serialize)]
        struct Record<'a> {
            input: &'a str,
            ok: bool,
            #[serde(flatten)]
            answer: &'a Answer,
        }
        Record {
            input: line,
            ok: self.verdict != Verdict::Failed,
            answer: self,
        }
    }
}

/// Commands, replies and events always have a JSON form: their maps have text keys.
pub(crate) fn to_value(data: &impl Serialize) -> Value {
    serde_json::to_value(data).unwrap_or(Value::Null)
}

/// Tells `observer` how far work has come; false if it is to end.
pub(crate) fn goes_on(observer: Observer<'_>, what: &str, done: u64) -> bool {
    let progress = Event::Progress {
        what: what.to_owned(),
        done,
        total: None,
    };
    observer(progress) == Flow::Continue
}

/// What every prompt understands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Everywhere {
    /// Help, on one command or on all.
    Help(Option<String>),
    /// The end.
    Quit,
}

impl Everywhere {
    /// Answers `line`, which was read as this.
    pub fn answer<R>(self, line: &str, table: Table<R>, paint: &Paint) -> Answer {
        match self {
            Self::Help(topic) => help(line, table, topic.as_deref(), paint),
            Self::Quit => Answer {
                verdict: Verdict::Quit,
                ..Answer::done(String::new(), json!({ "reply": "quit" }))
            },
        }
    }
}

/// Makes requests of the words that several tables share: the variant of a kind has its name.
macro_rules! shares {
    ($($kind:ident),+) => {
        $(impl From<$kind> for Request {
            fn from(words: $kind) -> Self {
                Self::$kind(words)
            }
        })+
    };
}
pub(crate) use shares;

/// The row of `help`.
pub const fn help_row<R: From<Everywhere>>() -> Spec<R> {
    Spec::new("help", "all commands, or one of them in full", |cursor| {
        let topic = cursor.word().map(|word| word.text.to_string());
        Ok(Everywhere::Help(topic).into())
    })
    .letters(&["h", "?"])
    .arguments("[COMMAND]")
    .completes(&[Completes::Command])
}

/// The row of `quit`.
pub const fn quit_row<R: From<Everywhere>>() -> Spec<R> {
    Spec::new("quit", "leave", |_: &mut Cursor<'_>| {
        Ok(Everywhere::Quit.into())
    })
    .letters(&["q", "exit"])
}

/// Answers `help` and `help COMMAND`.
fn help<R>(line: &str, table: Table<R>, topic: Option<&str>, paint: &Paint) -> Answer {
    let known = topic.map(|name| {
        help::topic(table, name, paint).and_then(|text| Ok((text, vec![table::find(table, name)?])))
    });
    let (text, specs) = match known {
        None => (help::overview(table, paint), table.iter().collect()),
        Some(Ok(known)) => known,
        Some(Err(unknown)) => {
            let name = topic.unwrap_or_default();
            let misread = Misread {
                at: line.rfind(name).unwrap_or_default(),
                length: name.len(),
                message: unknown.message,
                hint: unknown.hint,
            };
            return Answer::misread(line, misread, paint);
        }
    };
    let commands: Vec<Value> = specs
        .iter()
        .map(|spec| {
            json!({
                "name": spec.name,
                "letters": spec.letters,
                "group": table.heading(spec),
                "usage": spec.usage(),
                "summary": spec.summary,
                "details": spec.details,
                "examples": spec.examples.iter().map(|(line, _)| line).collect::<Vec<_>>(),
            })
        })
        .collect();
    Answer::done(text, json!({ "reply": "help", "commands": commands }))
}
