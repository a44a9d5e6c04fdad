//! Network files: several boards with their programs, and what connects them.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use borges_vm::{ValType, Value};

use super::{
    BoardFileError,
    error::FileText,
    item::{Item, Result, Section},
    text::{Parsed, Text},
};

/// More boards than this are a mistake: their states multiply.
const MOST_BOARDS: usize = 16;
/// A line holds at most so many messages.
const MOST_HELD: i64 = 64;
/// A message is on its way for at most an hour.
const LONGEST_MS: i64 = 3_600_000;
const CALL: &str = "write a board and one of its calls, such as \"door.uart_send(1)\"";

/// Several boards and what connects them, as a file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkFile {
    /// What it is called.
    pub name: String,
    /// All boards wait by one clock: time passes while all of them wait. Without it, each goes on whenever it likes.
    pub has_common_time: bool,
    /// Its boards, in the order of the file.
    pub boards: Vec<NetworkBoard>,
    /// What connects them.
    pub lines: Vec<NetworkLine>,
    /// Of a text that was put together when the network was opened: its files, by the names that it has for them, in
    /// base 64.
    pub files: Vec<(String, String)>,
    /// Of such a text: the folder in which they were found.
    pub folder: Option<String>,
}

/// A board of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkBoard {
    /// What it is called there.
    pub name: String,
    /// The file of its program.
    pub program: String,
    /// The modules that its program is linked with: by which name it imports from them, and their files.
    pub links: Vec<(String, String)>,
    /// The file of the board; the default board if there is none.
    pub board: Option<String>,
    /// It is a task of one processor with the others that have a priority: of those that could go on, only those with the
    /// highest do. Without it, it has a processor of its own.
    pub priority: Option<u8>,
    /// Where the file says so.
    pub spot: Spot,
}

/// A connection of boards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkLine {
    /// What it is called.
    pub name: String,
    /// The outputs that send over it: the last of their arguments is what they send.
    pub from: Vec<LineEnd>,
    /// The inputs that answer with what arrives.
    pub to: Vec<LineEnd>,
    /// What it carries.
    pub carries: Carries,
    /// Where the file says so.
    pub spot: Spot,
}

/// What a line carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carries {
    /// Messages, one after the other: each of its ends gets all of them.
    Messages(Queueing),
    /// A level: what was written last is what is read, at first this.
    Level(i64),
}

/// How a line treats messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queueing {
    /// So many wait on the way, and so many at each end: what comes then is lost.
    pub holds: usize,
    /// What a reading answers while none waits.
    pub empty: i64,
    /// A message may be lost.
    pub loses: bool,
    /// It may arrive twice.
    pub duplicates: bool,
    /// It may overtake others.
    pub reorders: bool,
    /// How long it is on its way by the common time, in microseconds, at least and at most.
    pub delay_us: (u64, u64),
    /// The inputs that answer how many messages wait at an end, in the order of the ends.
    pub ready: Vec<LineEnd>,
}

/// A call of a board of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEnd {
    /// The board, by its place in [`NetworkFile::boards`].
    pub board: usize,
    /// The primitive.
    pub call: String,
    /// Its first arguments.
    pub args: Vec<Value>,
    /// Where the file says so.
    pub spot: Spot,
}

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// The byte.
    pub start: usize,
    /// The key there.
    pub key: String,
}

impl Spot {
    fn of(item: &Item<'_>) -> Self {
        Spot {
            start: item.start(),
            key: item.key.clone(),
        }
    }

    /// Something that is wrong at this place of a text; `file` is its name.
    #[must_use]
    pub fn error(
        &self,
        (file, text): (&str, &str),
        problem: impl Into<String>,
        hint: impl Into<String>,
    ) -> BoardFileError {
        FileText { file, text }.error(self.start, self.key.as_str(), problem, hint)
    }
}

impl NetworkFile {
    /// Reads a network file. `file` is its name, for messages. What its calls are on their boards is not looked at.
    ///
    /// # Errors
    /// [`BoardFileError`]: the first thing that is wrong, with its line and key, and what to write instead.
    pub fn parse(file: &str, text: &str) -> core::result::Result<Self, BoardFileError> {
        super::document(FileText { file, text }, |mut top| {
            let name = match top.get("name") {
                Some(item) => item.text("Two boards")?.to_owned(),
                None => "network".to_owned(),
            };
            let has_common_time = match top.get("time") {
                None => false,
                Some(item) => match item.as_text() {
                    Some("common") => true,
                    Some("free") => false,
                    _ => {
                        let hint = "write \"common\" for boards that wait by one clock, \"free\" for those that do not";
                        return Err(item.error("no such time", hint));
                    }
                },
            };
            let mut network = NetworkFile {
                name,
                has_common_time,
                boards: boards(&mut top, has_common_time)?,
                lines: Vec::new(),
                files: Vec::new(),
                folder: None,
            };
            for (key, is_level) in [("line", false), ("wire", true)] {
                let Some(item) = top.get(key) else { continue };
                for line in item.list("[[line]]")? {
                    let line = network.line(&line, is_level)?;
                    network.lines.push(line);
                }
            }
            if let Some(item) = top.get("opened") {
                let mut section = item.section("[opened]")?;
                let folder = section.need("folder", "\"/home/me/network\"")?;
                network.folder = Some(folder.text("/home/me/network")?.to_owned());
                let files = section.need("files", "{ }")?;
                for (name, item) in files.section("[opened.files]")?.entries()? {
                    let content = item.text("AGFzbQ==")?.to_owned();
                    network.files.push((name.to_owned(), content));
                }
                section.finish()?;
            }
            top.finish()?;
            Ok(network)
        })
    }

    fn line(&self, item: &Item<'_>, is_level: bool) -> Result<NetworkLine> {
        let spot = Spot::of(item);
        let mut section = item.section("[[line]]")?;
        let name = section.need("name", "\"commands\"")?;
        let text = plain(&name, "commands")?;
        let is_known = |other: &str| other == text;
        if self.lines.iter().any(|line| is_known(&line.name))
            || self.boards.iter().any(|board| is_known(&board.name))
        {
            return Err(name.error(
                format!("'{text}' is called something else already"),
                "give it a name of its own",
            ));
        }
        let from = self.ends(&section.need("from", "\"door.uart_send(1)\"")?)?;
        let to = self.ends(&section.need("to", "\"motor.uart_read(1)\"")?)?;
        let carries = match is_level {
            true => Carries::Level(section.int("starts", 0..=1)?.unwrap_or(0)),
            false => Carries::Messages(self.queueing(&mut section, to.len())?),
        };
        section.finish()?;
        Ok(NetworkLine {
            name: text.to_owned(),
            from,
            to,
            carries,
            spot,
        })
    }

    fn queueing(&self, section: &mut Section<'_>, ends: usize) -> Result<Queueing> {
        let (mut loses, mut duplicates, mut reorders) = (false, false, false);
        if let Some(item) = section.get("faults") {
            for fault in item.array("[\"loss\"]")? {
                match fault.as_text() {
                    Some("loss") => loses = true,
                    Some("duplication") => duplicates = true,
                    Some("reordering") => reorders = true,
                    _ => {
                        let hint = "write \"loss\", \"duplication\" or \"reordering\"";
                        return Err(fault.error("no such fault", hint));
                    }
                }
            }
        }
        let delay_us = match section.get("delay_ms") {
            None => (0, 0),
            Some(item) if !self.has_common_time => {
                return Err(item.error(
                    "a delay needs a time that all boards have in common",
                    "add `time = \"common\"` at the top; without it, a message may arrive at any time",
                ));
            }
            Some(item) => delay(&item)?,
        };
        let ready = match section.get("ready") {
            None => Vec::new(),
            Some(item) => {
                let ready = self.ends(&item)?;
                if ready.len() != ends {
                    return Err(item.error(
                        format!("the line has {ends} ends, and this names {}", ready.len()),
                        "name one for each end, in the order of `to`",
                    ));
                }
                ready
            }
        };
        Ok(Queueing {
            holds: section.int("holds", 1..=MOST_HELD)?.unwrap_or(4),
            empty: section
                .int("empty", i64::from(i32::MIN)..=i64::from(i32::MAX))?
                .unwrap_or(-1),
            loses,
            duplicates,
            reorders,
            delay_us,
            ready,
        })
    }

    /// One end, or a list of them.
    fn ends(&self, item: &Item<'_>) -> Result<Vec<LineEnd>> {
        match item.is_array() {
            true => item
                .list("[\"door.uart_send(1)\"]")?
                .iter()
                .map(|item| self.end(item))
                .collect(),
            false => Ok([self.end(item)?].into()),
        }
    }

    fn end(&self, item: &Item<'_>) -> Result<LineEnd> {
        let source = item.text("door.uart_send(1)")?;
        let Some((name, rest)) = source.split_once('.') else {
            return Err(item.error("this names no board", CALL));
        };
        let known = self.boards.iter().position(|board| board.name == name);
        let Some(board) = known else {
            let names: Vec<&str> = self.boards.iter().map(|board| &*board.name).collect();
            let hint = format!("there are: {}", names.join(", "));
            return Err(item.error(format!("there is no board called '{name}'"), hint));
        };
        let call = call(&mut Text::new(rest));
        let (call, args) = call.map_err(|error| item.error(error.problem, error.hint))?;
        Ok(LineEnd {
            board,
            call,
            args,
            spot: Spot::of(item),
        })
    }
}

/// A primitive with its first arguments.
fn call(text: &mut Text<'_>) -> Parsed<(String, Vec<Value>)> {
    let name = text.name(CALL)?.to_owned();
    let mut args = Vec::new();
    if text.take(&["("]) && !text.take(&[")"]) {
        args.push(text.value(ValType::I32)?);
        while text.take(&[","]) {
            args.push(text.value(ValType::I32)?);
        }
        text.expect(&[")"], CALL)?;
    }
    text.end(CALL)?;
    Ok((name, args))
}

fn boards(top: &mut Section<'_>, has_common_time: bool) -> Result<Vec<NetworkBoard>> {
    let item = top.need("board", "a table [[board]] for each of its boards")?;
    let mut boards: Vec<NetworkBoard> = Vec::new();
    for board in item.list("[[board]]")? {
        let mut section = board.section("[[board]]")?;
        let name = section.need("name", "\"door\"")?;
        let text = plain(&name, "door")?;
        if boards.iter().any(|board| board.name == text) {
            return Err(name.error(
                format!("there is another board called '{text}'"),
                "give each a name of its own",
            ));
        }
        let program = section.need("program", "\"door.wasm\"")?;
        let mut links = Vec::new();
        if let Some(item) = section.get("link") {
            let example = "{ filter = \"filter.wasm\" }";
            for (name, file) in item.section(example)?.entries()? {
                links.push((name.to_owned(), file.text("filter.wasm")?.to_owned()));
            }
        }
        let file = section.get("board");
        let priority = match section.get("priority") {
            Some(item) if !has_common_time => {
                return Err(item.error(
                    "priorities need a time that all boards have in common",
                    "add `time = \"common\"` at the top: a board makes room for others while it waits by that",
                ));
            }
            Some(item) => Some(item.int(0..=i64::from(u8::MAX))?),
            None => None,
        };
        boards.push(NetworkBoard {
            name: text.to_owned(),
            program: program.text("door.wasm")?.to_owned(),
            links,
            board: file
                .map(|item| item.text("board.toml").map(str::to_owned))
                .transpose()?,
            priority,
            spot: Spot::of(&board),
        });
        section.finish()?;
    }
    if boards.is_empty() || boards.len() > MOST_BOARDS {
        return Err(item.error(
            format!("there are {} boards", boards.len()),
            format!("a network has 1 to {MOST_BOARDS}"),
        ));
    }
    Ok(boards)
}

/// A name that can stand in an expression.
fn plain<'a>(item: &Item<'a>, example: &str) -> Result<&'a str> {
    let text = item.text(example)?;
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    match is_plain {
        true => Ok(text),
        false => Err(item.error(
            "this is no name",
            "write letters, digits and _, a letter first",
        )),
    }
}

/// A time, or the least and the most.
fn delay(item: &Item<'_>) -> Result<(u64, u64)> {
    let ms = |item: &Item<'_>| item.int::<u64>(0..=LONGEST_MS).map(|ms| ms * 1000);
    if !item.is_array() {
        let only = ms(item)?;
        return Ok((only, only));
    }
    match item.array("[0, 20]")?.as_slice() {
        [least, most] => {
            let (from, to) = (ms(least)?, ms(most)?);
            match from <= to {
                true => Ok((from, to)),
                false => Err(item.error("the least is more than the most", "write [least, most]")),
            }
        }
        _ => Err(item.error(
            "a delay has a least and a most",
            "write both in milliseconds: [0, 20]",
        )),
    }
}
