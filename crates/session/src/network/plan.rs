//! A network as its file says: programs on their boards, ready to start, and what connects their calls.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use borges_board::{
    BoardFileError, BoardState, Carries, Codomain, LineEnd, NetworkBoard, NetworkFile, PrimitiveId,
    PrimitiveKind, Queueing, Spot,
};
use borges_concolic::{Start, SystemChoices};
use borges_debuginfo::DebugInfo;
use borges_languages::model::ModelError;
use borges_languages::source::ParseError;
use borges_multiverse::language::Span;
use borges_stub::Program;
use borges_vm::{ValType, Value};

use super::numbers::number;
use crate::program::{Board, Library, Opened, linked, read};

/// What a text that was put together begins its files with.
const OPENED: &str = "\n# All that the network needs of other files, so that it can be opened again from here alone.\n[opened]\n";

/// So many numbers of each program are shown at an end.
const MOST_SHOWN: usize = 8;

/// What messages call a network's text.
const FILE: &str = "network";

/// A network.
pub(super) struct Plan {
    pub(super) has_common_time: bool,
    pub(super) boards: Vec<Node>,
    pub(super) lines: Vec<Line>,
}

impl Plan {
    /// The boards for which a board makes room.
    pub(super) fn before(&self, board: usize) -> impl Iterator<Item = usize> {
        let own = self.boards[board].priority;
        let goes_before = move |node: &Node| {
            own.is_some_and(|own| node.priority.is_some_and(|other| other > own))
        };
        let boards = self.boards.iter().enumerate();
        boards.filter_map(move |(at, node)| goes_before(node).then_some(at))
    }
}

/// A board with its program.
pub(super) struct Node {
    pub(super) name: Arc<str>,
    pub(super) program: Program,
    pub(super) info: DebugInfo,
    pub(super) start: Start,
    pub(super) span: Span,
    /// Whom of the others that have one it makes room for.
    pub(super) priority: Option<u8>,
    /// Its globals that are numbers.
    pub(super) numbers: Vec<String>,
    ports: Vec<(PrimitiveId, Vec<Value>, Port)>,
}

/// What a call of a program is to the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Port {
    /// It sends its last argument over a line.
    Sends(usize),
    /// It takes what has arrived at an end of a line.
    Takes(usize, usize),
    /// It asks how many messages have arrived there.
    Counts(usize, usize),
}

/// What connects boards.
pub(super) struct Line {
    pub(super) name: Arc<str>,
    pub(super) carries: Carries,
    /// The boards at its ends.
    pub(super) ends: Vec<usize>,
    pub(super) span: Span,
}

impl Line {
    /// How it treats messages, if it carries any.
    pub(super) fn queueing(&self) -> Option<&Queueing> {
        match &self.carries {
            Carries::Messages(queueing) => Some(queueing),
            Carries::Level(_) => None,
        }
    }

    /// Messages are on their way for a while: something may happen to them there.
    pub(super) fn is_way(&self) -> bool {
        self.queueing().is_some_and(|line| {
            line.loses || line.duplicates || line.reorders || line.delay_us != (0, 0)
        })
    }
}

impl Node {
    /// What a call is to the network, if it is anything.
    pub(super) fn port(&self, primitive: PrimitiveId, args: &[Value]) -> Option<Port> {
        let mut ports = self.ports.iter();
        let found = ports.find(|(id, first, port)| {
            let count = first.len() + usize::from(matches!(port, Port::Sends(_)));
            *id == primitive && args.len() == count && args.starts_with(first)
        });
        found.map(|(.., port)| *port)
    }

    /// The calls before which the program is looked at.
    pub(super) fn calls(&self) -> Vec<PrimitiveId> {
        self.ports.iter().map(|(id, ..)| *id).collect()
    }
}

/// Whether a TOML file is a network: it has boards.
pub(super) fn is_network(text: &str) -> bool {
    text.lines()
        .any(|line| line.trim_start().starts_with("[[board]]"))
}

/// A text with the files that it names, which lie in a folder.
///
/// # Errors
/// It is no network, or a file cannot be read.
pub(super) fn gather(text: &str, folder: &Path) -> Result<String, ModelError> {
    let file = NetworkFile::parse(FILE, text).map_err(|error| fault(text, &error))?;
    let folder = folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf());
    let mut whole = format!(
        "{text}{OPENED}folder = {}\n[opened.files]\n",
        toml(&folder.to_string_lossy())
    );
    let mut names: Vec<(&str, &Spot)> = Vec::new();
    for board in &file.boards {
        names.push((&board.program, &board.spot));
        names.extend(board.links.iter().map(|(_, name)| (&**name, &board.spot)));
        names.extend(board.board.as_deref().map(|name| (name, &board.spot)));
    }
    for (at, (name, spot)) in names.iter().enumerate() {
        if names[..at].iter().any(|(known, _)| known == name) {
            continue;
        }
        let bytes = read(&folder.join(name)).map_err(|error| {
            let hint = "name a file beside the network file, or by its whole path";
            fault(text, &spot.error((FILE, text), error.to_string(), hint))
        })?;
        // Writing to a text cannot fail.
        let _ = writeln!(
            whole,
            "{} = \"{}\"",
            toml(name),
            BASE64_STANDARD.encode(bytes)
        );
    }
    Ok(whole)
}

/// The text that was opened, without what was added to it.
pub(super) fn own_text(text: &str) -> &str {
    text.split_once(OPENED).map_or(text, |(own, _)| own)
}

/// A text as TOML writes it.
fn toml(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// Something that is wrong in a text, at its place there.
fn fault(text: &str, error: &BoardFileError) -> ModelError {
    let line_start: usize = text
        .split_inclusive('\n')
        .take(error.line - 1)
        .map(str::len)
        .sum();
    let rest = text.get(line_start..).unwrap_or_default();
    let line = rest.lines().next().unwrap_or_default();
    let column = line.char_indices().nth(error.column - 1);
    let start = line_start + column.map_or(line.len(), |(at, _)| at);
    let key = match &*error.key {
        "" => String::new(),
        key => format!("{key}: "),
    };
    let span = Span {
        start: start as u32,
        end: (line_start + line.len()) as u32,
    };
    let kind = format!("{key}{}; {}", error.problem, error.hint);
    ModelError::from(ParseError { kind, span })
}

/// Reads a network with its programs.
///
/// # Errors
/// What is wrong, and where.
pub(super) fn parse(text: &str) -> Result<Plan, ModelError> {
    let found = NetworkFile::parse(FILE, text).map_err(|error| fault(text, &error))?;
    let reading = Reading { text, file: &found };
    reading.plan().map_err(|error| fault(text, &error))
}

/// A file that was read, with its text.
struct Reading<'r> {
    text: &'r str,
    file: &'r NetworkFile,
}

type Read<T> = Result<T, BoardFileError>;

impl Reading<'_> {
    fn error(&self, spot: &Spot, problem: impl Into<String>, hint: &str) -> BoardFileError {
        spot.error((FILE, self.text), problem, hint)
    }

    fn span(&self, spot: &Spot) -> Span {
        let rest = self.text.get(spot.start..).unwrap_or_default();
        let line = rest.lines().next().unwrap_or_default();
        Span {
            start: spot.start as u32,
            end: (spot.start + line.len()) as u32,
        }
    }

    fn plan(&self) -> Read<Plan> {
        let boards = self.file.boards.iter().map(|board| self.node(board));
        let mut plan = Plan {
            has_common_time: self.file.has_common_time,
            boards: boards.collect::<Read<_>>()?,
            lines: Vec::new(),
        };
        for (number, line) in self.file.lines.iter().enumerate() {
            let ends = line.to.iter().map(|end| end.board).collect();
            plan.lines.push(Line {
                name: line.name.as_str().into(),
                carries: line.carries.clone(),
                ends,
                span: self.span(&line.spot),
            });
            for end in &line.from {
                self.connect(&mut plan, end, Port::Sends(number))?;
            }
            for (at, end) in line.to.iter().enumerate() {
                self.connect(&mut plan, end, Port::Takes(number, at))?;
            }
            if let Carries::Messages(queueing) = &line.carries {
                for (at, end) in queueing.ready.iter().enumerate() {
                    self.connect(&mut plan, end, Port::Counts(number, at))?;
                }
            }
        }
        Ok(plan)
    }

    /// The content of a file.
    fn content(&self, name: &str, spot: &Spot) -> Read<Vec<u8>> {
        let found = self.file.files.iter().find(|(known, _)| known == name);
        let missing = || {
            let hint = "open the network from its file: the files that it names are read then";
            self.error(spot, format!("'{name}' is not with the text"), hint)
        };
        let (_, content) = found.ok_or_else(missing)?;
        BASE64_STANDARD.decode(content).map_err(|_| missing())
    }

    /// The modules that a board's program is linked with, and their bytes.
    fn libraries(&self, entry: &NetworkBoard, folder: &Path) -> Read<Vec<(Library, Vec<u8>)>> {
        let library = |(name, file): &(String, String)| {
            let path = folder.join(file);
            let name = name.clone();
            Ok((Library { name, path }, self.content(file, &entry.spot)?))
        };
        entry.links.iter().map(library).collect()
    }

    fn node(&self, entry: &NetworkBoard) -> Read<Node> {
        let spot = &entry.spot;
        let folder = Path::new(self.file.folder.as_deref().unwrap_or_default());
        let path = folder.join(&entry.program);
        let wrong = |error: crate::OpenError| {
            self.error(
                spot,
                error.to_string(),
                "'borges inspect PROGRAM' shows what a program needs",
            )
        };
        let board = match &entry.board {
            Some(name) => {
                let bytes = self.content(name, spot)?;
                let text = String::from_utf8_lossy(&bytes).into_owned();
                Board::parse(text, &folder.join(name)).map_err(wrong)?
            }
            None => Board::parse(String::new(), &path).map_err(wrong)?,
        };
        let bytes = self.content(&entry.program, spot)?;
        let libraries = self.libraries(entry, folder)?;
        let bytes = linked((&path, bytes), &libraries, &board).map_err(wrong)?;
        let opened = Opened::on(board, &path, &bytes, None).map_err(wrong)?;
        let program = opened.program;
        let primitives: Vec<PrimitiveId> = (0..)
            .map_while(|import| program.primitive(import))
            .collect();
        let is_clock = |id: &&PrimitiveId| {
            matches!(
                program.board.codomain(**id, &[]),
                Codomain::NotBeforeLast(_)
            )
        };
        if let Some(clock) = primitives.iter().find(is_clock) {
            let name = program
                .board
                .primitive(*clock)
                .map_or("?", |found| &*found.name);
            return Err(self.error(
                spot,
                format!("the program of '{}' reads the clock {name}", entry.name),
                "networks know delays, and no clocks yet: debug this program by itself",
            ));
        }
        let mut node = Node {
            name: entry.name.as_str().into(),
            start: Start {
                machine: opened.machine,
                board: program.board.clone(),
                primitives,
                state: BoardState::new(&program.board),
                choices: SystemChoices::default(),
            },
            program,
            info: opened.info,
            span: self.span(spot),
            priority: entry.priority,
            numbers: Vec::new(),
            ports: Vec::new(),
        };
        let globals = node.info.globals().iter().map(|global| global.name.clone());
        // The compiler's own are nobody's.
        let globals = globals.filter(|name| !name.starts_with("__"));
        let is_number =
            |name: &String| matches!(number(&node.info, &node.start.machine, name), Ok(Some(_)));
        node.numbers = globals.filter(is_number).take(MOST_SHOWN).collect();
        Ok(node)
    }

    /// Makes the calls of a program that an end names what they are to the network.
    fn connect(&self, plan: &mut Plan, end: &LineEnd, port: Port) -> Read<()> {
        let node = &mut plan.boards[end.board];
        let board = &node.program.board;
        let sends = matches!(port, Port::Sends(_));
        let own = |id: &&PrimitiveId| board.primitive(**id).is_some_and(|p| p.name == end.call);
        let mut found = node.start.primitives.iter().filter(own);
        let Some(id) = found.next().copied() else {
            let names = node.start.primitives.iter();
            let names = names.filter_map(|id| board.primitive(*id).map(|found| &*found.name));
            let hint = format!("it calls: {}", names.collect::<Vec<_>>().join(", "));
            let problem = format!("the program of '{}' never calls {}", node.name, end.call);
            return Err(self.error(&end.spot, problem, &hint));
        };
        let Some(primitive) = board.primitive(id) else {
            return Ok(());
        };
        let kind = match sends {
            true => matches!(primitive.kind, PrimitiveKind::Output),
            false => matches!(primitive.kind, PrimitiveKind::Input),
        };
        if !kind {
            let (is, hint) = match sends {
                true => ("no output", "what sends is an output, `kind = \"output\"`"),
                false => ("no input", "what receives is an input, `kind = \"input\"`"),
            };
            let problem = format!("{} is {is} of its board", end.call);
            return Err(self.error(&end.spot, problem, hint));
        }
        let params = &primitive.params;
        let fits = params.len() == end.args.len() + usize::from(sends)
            && params.iter().all(|ty| *ty == ValType::I32)
            && (sends || primitive.result == Some(ValType::I32));
        if !fits {
            let problem = format!(
                "{} takes {} arguments, and {} are given here",
                end.call,
                params.len(),
                end.args.len()
            );
            let hint = match sends {
                true => "give all but the last, which is what is sent; all are i32",
                false => "give all of them; they and the answer are i32",
            };
            return Err(self.error(&end.spot, problem, hint));
        }
        let mut ports = node.ports.iter();
        if ports.any(|(known, args, _)| *known == id && *args == end.args) {
            let problem = format!("{} is connected twice", end.call);
            return Err(self.error(&end.spot, problem, "connect each call once"));
        }
        if let Carries::Messages(queueing) = &plan.lines[port.line()].carries
            && matches!(port, Port::Takes(..))
            && !board
                .codomain(id, &end.args)
                .contains(Value::I32(queueing.empty as i32))
        {
            let problem = format!(
                "{} cannot answer {}, which says that nothing has come",
                end.call, queueing.empty
            );
            return Err(self.error(
                &end.spot,
                problem,
                "set `empty` of the line, or the codomain in the board file",
            ));
        }
        node.ports.push((id, end.args.clone(), port));
        Ok(())
    }
}

impl Port {
    /// The line.
    pub(super) fn line(self) -> usize {
        match self {
            Port::Sends(line) | Port::Takes(line, _) | Port::Counts(line, _) => line,
        }
    }
}
