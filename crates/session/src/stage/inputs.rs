//! The inputs that a user names, the values that they may have, and branches for values that were not read.

use borges_board::{Captured, Primitive, PrimitiveId, PrimitiveKind, Yield, unmocked};
use borges_multiverse::tree::{Growth, Place};
use borges_stub::{from_wire, to_wire};
use borges_vm::Value;
use borges_wasi::{Function, NoSubject};
use borges_wire::MockedCalls;

use super::Stage;
use crate::command::Reply;
use crate::error::{CommandError, at_most};
use crate::history::entry::{Entry, EntryKind};
use crate::values::{parse, parse_quoted, parse_yield, parts, quoted, show};

/// So many values are tried at a time.
const MOST: usize = 4_096;

/// The word for every value that an input can have.
const ALL: &str = "all";

/// So many values are tried one by one; of more, those that stand for them.
const ALL_OF_THEM: u64 = 256;

/// An input, and which calls of it.
pub(crate) type NamedInput = (PrimitiveId, MockedCalls);

/// What a user calls standard input as a whole.
const STDIN: &str = "stdin";

/// What a user calls a file that somebody outside replaces, with its path behind it.
const FILE: &str = "file ";

/// What a user writes for any argument.
const ANY: &str = "_";

/// A branch for a value of an input.
pub(crate) struct Branched {
    /// The value.
    pub(crate) value: String,
    /// The place right after the input.
    pub(crate) place: Place,
    pub(crate) is_new: bool,
}

fn no_input() -> CommandError {
    let text = "the program is not about to read an input here: go to one first ('break call PRIMITIVE' and 'continue', or 'reverse-entry')";
    CommandError::Invalid(text.to_owned())
}

/// Whether a value can stand in for what a primitive yields.
fn can_be_mocked(primitive: &Primitive) -> bool {
    matches!(primitive.kind, PrimitiveKind::Input | PrimitiveKind::System)
}

/// What calls are about, as an argument says it: a text in quotes, or the name of a stream; nothing for a number.
fn subject(text: &str) -> Result<Option<String>, String> {
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic());
    match is_name {
        true => Ok(Some(text.to_owned())),
        false => parse_quoted(text),
    }
}

impl Stage {
    /// The input primitives that `name(arguments)` means, with the arguments if they are given, or what the call is
    /// about.
    pub(crate) fn inputs_named(&self, call: &str) -> Result<Vec<NamedInput>, CommandError> {
        if let Some(from) = call.trim().strip_prefix(STDIN) {
            return self.input_named(from);
        }
        if let Some(file) = call.trim().strip_prefix(FILE) {
            return self.file_named(file.trim()).map(|found| vec![found]);
        }
        let (name, arguments) = match call.trim().split_once('(') {
            Some((name, rest)) => {
                let inside = rest.trim_end().strip_suffix(')').ok_or_else(|| {
                    CommandError::Invalid(format!("'{call}' lacks a closing parenthesis"))
                })?;
                let list: Vec<&str> = parts(inside)
                    .map(str::trim)
                    .filter(|text| !text.is_empty())
                    .collect();
                (name.trim(), Some(list))
            }
            None => (call.trim(), None),
        };
        let board = self.board();
        let mut found = Vec::new();
        for id in board.ids() {
            let Some(primitive) = board
                .primitive(id)
                .filter(|primitive| primitive.name == name)
            else {
                continue;
            };
            if !can_be_mocked(primitive) {
                return Err(CommandError::Invalid(format!(
                    "'{name}' is no input: only inputs can be mocked"
                )));
            }
            let calls = match &arguments {
                None => Some(MockedCalls::All),
                Some(list) => self.calls_named(id, primitive, list)?,
            };
            found.extend(calls.map(|calls| (id, calls)));
        }
        if found.is_empty() {
            let inputs = board.ids().filter_map(|id| board.primitive(id));
            let mut names: Vec<&str> = inputs
                .filter(|primitive| can_be_mocked(primitive))
                .map(|primitive| &*primitive.name)
                .collect();
            names.dedup();
            let text = format!(
                "no input '{call}' with as many arguments; the inputs are {}",
                names.join(", ")
            );
            return Err(CommandError::NoSuch(text));
        }
        Ok(found)
    }

    /// The calls that read standard input, from where it is read next, or ` from` a byte.
    fn input_named(&self, from: &str) -> Result<Vec<NamedInput>, CommandError> {
        let board = self.board();
        let read = self.history.twin().board.system().map(|s| s.input_read());
        let from = match from.trim().strip_prefix("from ") {
            Some(byte) => byte.trim().parse().ok(),
            None => read.filter(|_| from.is_empty()),
        };
        let calls: Vec<NamedInput> = board
            .ids()
            .filter(|id| board.reads_input(*id))
            .filter_map(|id| Some((id, MockedCalls::Input(from?))))
            .collect();
        if calls.is_empty() {
            let text = "this program calls no fd_read, so it reads no standard input";
            let wrong = "standard input is 'stdin', or 'stdin from BYTE'";
            let text = if from.is_some() { text } else { wrong };
            return Err(CommandError::NoSuch(text.to_owned()));
        }
        Ok(calls)
    }

    /// The calls before which a file may be replaced: from here on, or ` from` so many steps. The file must be there where
    /// that begins here.
    fn file_named(&self, text: &str) -> Result<NamedInput, CommandError> {
        let missing = |why: String| CommandError::NoSuch(why);
        let (board, twin) = (self.board(), self.history.twin());
        let is_system = |id: &PrimitiveId| board.system_function(*id).is_some();
        let primitive = board.ids().find(is_system);
        let (Some(primitive), Some(system)) = (primitive, twin.board.system()) else {
            let text = "this program calls no operating system, so it has no files";
            return Err(missing(text.to_owned()));
        };
        let wrong = || {
            CommandError::Invalid(
                "a file is 'file \"PATH\"', or 'file \"PATH\" from STEP'".to_owned(),
            )
        };
        let end = text.rfind('"').ok_or_else(wrong)?;
        let (path, rest) = text.split_at(end + 1);
        let path = parse_quoted(path).map_err(CommandError::Invalid)?;
        let path = path.ok_or_else(wrong)?;
        let path = system
            .subject_named(Function::PathOpen, &path)
            .map_err(|error| {
                let folders = match error {
                    NoSubject::Outside { folders, .. } => folders,
                    NoSubject::Nothing(_) => Vec::new(),
                };
                let folders: Vec<String> = folders.iter().map(|name| quoted(name)).collect();
                missing(match &*folders {
                    [] => {
                        "the program has no files: --dir HOST::GUEST gives it a folder".to_owned()
                    }
                    folders => format!(
                        "the program has no file {}: its paths begin with {}",
                        quoted(&path),
                        folders.join(" or ")
                    ),
                })
            })?;
        let from = match rest.trim() {
            "" => {
                if system.file(&path).is_none() {
                    let why = match system.listed().contains_key(&path) {
                        true => "is a folder or a link: only what is in a file can be replaced",
                        false => "is no file here: 'files' lists those that are there",
                    };
                    return Err(missing(format!("{} {why}", quoted(&path))));
                }
                twin.machine.steps()
            }
            from => {
                let from = from.strip_prefix("from ").ok_or_else(wrong)?;
                from.trim().parse().map_err(|_| wrong())?
            }
        };
        Ok((primitive, MockedCalls::File { path, from }))
    }

    /// The calls of an input that a list of arguments means; nothing if it takes more of them, or fewer.
    fn calls_named(
        &self,
        id: PrimitiveId,
        primitive: &Primitive,
        list: &[&str],
    ) -> Result<Option<MockedCalls>, CommandError> {
        let invalid = |why: String| CommandError::Invalid(why);
        let name = &primitive.name;
        if list.contains(&ANY) {
            // Calls with one argument in common would be others than all.
            return match list.iter().all(|text| *text == ANY) {
                true => Ok(Some(MockedCalls::All)),
                false => Err(invalid(format!(
                    "give all arguments of {name} or none: '{ANY}' cannot stand for some of them"
                ))),
            };
        }
        if let [text] = list
            && primitive.kind == PrimitiveKind::System
            && let Some(subject) = subject(text).map_err(invalid)?
        {
            let named = self.board().subject_named(id, &subject);
            return named
                .map(|subject| Some(MockedCalls::About(subject)))
                .map_err(invalid);
        }
        if list.iter().any(|text| text.starts_with('"')) {
            return Err(invalid(format!(
                "{name} takes numbers; a call of an operating system may be named by what it is about, alone: path_open(\"/data/a\")"
            )));
        }
        if list.len() != primitive.params.len() {
            return Ok(None);
        }
        let typed = list.iter().zip(primitive.params.iter());
        let values: Result<Vec<_>, String> = typed
            .map(|(text, ty)| parse(text, *ty).map(to_wire))
            .collect();
        Ok(Some(MockedCalls::With(values.map_err(invalid)?)))
    }

    /// Some calls of a primitive, as [`Self::inputs_named`] reads them.
    pub(crate) fn calls_text(&self, id: PrimitiveId, calls: &MockedCalls) -> String {
        match calls {
            MockedCalls::All => self.primitive_name(id),
            MockedCalls::With(list) => {
                let arguments: Vec<Value> = list.iter().map(|value| from_wire(*value)).collect();
                self.scene().call_text(id, &arguments)
            }
            MockedCalls::About(subject) => {
                format!("{}({})", self.primitive_name(id), quoted(subject))
            }
            MockedCalls::Input(from) => format!("{STDIN} from {from}"),
            MockedCalls::File { path, from } => format!("{FILE}{} from {from}", quoted(path)),
        }
    }

    /// A value that the input may have *there*: its range, narrowed by the board's rules.
    pub(crate) fn in_codomain(
        &self,
        id: PrimitiveId,
        args: &[Value],
        text: &str,
    ) -> Result<Value, CommandError> {
        let codomain = self
            .board()
            .codomain_at(id, args, &self.history.twin().board);
        let value = parse(text, codomain.ty()).map_err(CommandError::Invalid)?;
        if !codomain.contains(value) {
            let call = self.scene().call_text(id, args);
            let text = format!(
                "{call} cannot be {text} here: it is {}",
                codomain.describe()
            );
            return Err(CommandError::Invalid(text));
        }
        Ok(value)
    }

    /// What the input may yield *there*: a value inside its range, and bytes if it brings any. Without `args`, whatever
    /// the call.
    pub(crate) fn yielded(
        &self,
        id: PrimitiveId,
        known: &[Value],
        text: &str,
    ) -> Result<Yield, CommandError> {
        let board = self.board();
        let codomain = board.codomain_at(id, known, &self.history.twin().board);
        let text = text.trim();
        let invalid = |why: String| {
            let call = match known {
                [] => self.primitive_name(id),
                known => self.scene().call_text(id, known),
            };
            CommandError::Invalid(format!("{call} cannot be {text} here: {why}"))
        };
        let parsed = parse_yield(text, codomain.ty());
        if board.system_function(id).is_some() {
            let (value, bytes) = parsed.unwrap_or_default();
            return board.choice_of(id, text, value, bytes).map_err(invalid);
        }
        let (value, bytes) = parsed.map_err(CommandError::Invalid)?;
        let yielded = board
            .yielding(id, known, value, bytes)
            .map_err(|misfit| invalid(misfit.to_string()))?;
        self.in_codomain(id, known, &show(yielded.value))?;
        Ok(yielded)
    }

    /// The input that the program is about to read here, with its arguments.
    pub(crate) fn input_next(&self) -> Option<(PrimitiveId, Vec<Value>)> {
        let call = self.history.twin().machine.pending()?;
        let id = self.program().primitive(call.func.0)?;
        let input = can_be_mocked(self.board().primitive(id)?);
        input.then_some((id, call.args))
    }

    /// Adds a branch for each of some values of the input that is read next.
    pub(crate) fn branch_into(&mut self, values: &str) -> Result<Vec<Branched>, CommandError> {
        let (id, args) = self.input_next().ok_or_else(no_input)?;
        let here = self.history.here();
        let mut branches = Vec::new();
        for Yield { value, bytes } in self.expand(id, &args, values)? {
            let text = self.yield_text(id, value, &bytes);
            let kind = if value == unmocked().value {
                // As it goes by itself.
                EntryKind::Output {
                    primitive: id,
                    captured: Captured::default(),
                }
            } else {
                EntryKind::Input {
                    primitive: id,
                    value,
                    bytes,
                    mocked: true,
                }
            };
            let entry = Entry {
                step: here.steps + 1,
                kind,
            };
            let edge = self
                .history
                .add_edge(here.place, entry, args.clone())
                .map_err(|e| CommandError::Invalid(e.to_string()))?;
            branches.push(Branched {
                value: text,
                place: edge.place,
                is_new: edge.growth != Growth::Followed,
            });
        }
        Ok(branches)
    }

    pub(crate) fn add_branches(&mut self, values: &str) -> Result<Reply, CommandError> {
        let branches = self.branch_into(values)?;
        let tried = branches.len() as u64;
        let added = branches.iter().filter(|branch| branch.is_new).count();
        let known = branches.len() - added;
        let (id, args) = self.input_next().ok_or_else(no_input)?;
        let call = self.scene().call_text(id, &args);
        let state = &self.history.twin().board;
        let count = self.board().codomain_at(id, &args, state).count();
        let stand = if values.trim() == ALL && count.is_none_or(|count| count > tried) {
            let count = count.map_or("countless".to_owned(), |count| count.to_string());
            format!("; they stand for {count} values: [sampling] in a board file says which")
        } else {
            String::new()
        };
        Ok(Reply::done(&format!(
            "{added} branches added at {call}, {known} were there already{stand}; 'tree' shows them, 'jump' goes there"
        )))
    }

    /// The values that `lo..hi`, `a, b`, a mixture or `all` mean, each inside the codomain.
    fn expand(
        &self,
        id: PrimitiveId,
        args: &[Value],
        text: &str,
    ) -> Result<Vec<Yield>, CommandError> {
        let board = self.board();
        let list: Vec<_> = match text.trim() {
            ALL => {
                let state = &self.history.twin().board;
                let values = board.representatives(id, args, state, ALL_OF_THEM);
                // Bytes have no representatives yet: the nearest to zero stand for all.
                let yields = values.into_iter();
                yields
                    .map(|value| board.with_bytes(id, args, value, Vec::new()))
                    .collect()
            }
            text if text.contains('"') || board.system_function(id).is_some() => parts(text)
                .map(|part| self.yielded(id, args, part))
                .collect::<Result<_, _>>()?,
            text => {
                let values = self.listed(id, args, text)?.into_iter();
                values
                    .map(|value| board.with_bytes(id, args, value, Vec::new()))
                    .collect()
            }
        };
        at_most(list.len(), MOST, "values", "given")?;
        Ok(list)
    }

    /// [`Self::expand`] for values that are written out.
    fn listed(
        &self,
        id: PrimitiveId,
        args: &[Value],
        text: &str,
    ) -> Result<Vec<Value>, CommandError> {
        let mut list = Vec::new();
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let Some((low, high)) = part.split_once("..") else {
                list.push(self.in_codomain(id, args, part)?);
                continue;
            };
            let (low, high) = (
                self.in_codomain(id, args, low)?,
                self.in_codomain(id, args, high)?,
            );
            let number = |value| match value {
                Value::I32(v) => Some(i64::from(v)),
                Value::I64(v) => Some(v),
                _ => None,
            };
            let (Some(low), Some(high)) = (number(low), number(high)) else {
                return Err(CommandError::Invalid(
                    "ranges are for whole numbers; list the values instead".to_owned(),
                ));
            };
            if high.abs_diff(low) as usize >= MOST || low > high {
                let text =
                    format!("'{part}' is no range of at most {MOST} values, the lower one first");
                return Err(CommandError::Invalid(text));
            }
            for value in low..=high {
                // A rule may leave holes in the range.
                list.extend(self.in_codomain(id, args, &value.to_string()));
            }
        }
        if list.is_empty() {
            return Err(CommandError::Invalid(
                "give values like 0..10, or 3, 7, or all".to_owned(),
            ));
        }
        Ok(list)
    }
}
