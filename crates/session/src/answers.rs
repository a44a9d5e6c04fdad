//! Commands that look or set something without moving anything.

use borges_board::{BoardState, PrimitiveId};
use borges_debuginfo::FileId;
use borges_multiverse::tree::{BranchId, Glyphs, Layout, Place, Words};
use borges_stub::{from_wire, to_wire};
use borges_vm::{CodeOffset, Value};
use borges_wire::{Mock, MockEnd};

use crate::breakpoints::Target;
use crate::command::{CodePlace, Command, MockValues, NewBreakpoint, Reply, StopKind, UniverseId};
use crate::entry::{Entry, EntryKind, Moment};
use crate::error::CommandError;
use crate::history::{Found, Stops};
use crate::listing::{
    BoardListing, Disassembly, FunctionEntry, FunctionListing, Info, Instruction, MemoryListing,
    MockListing, NoteListing, PathEntry, PathListing, PlaceView, SourceLine, SourceListing,
    TreeListing, UniverseDifference, Variable, VariableListing, Written,
};
use crate::motion::Observer;
use crate::session::{Session, done};
use crate::values::{parse, show};

impl Session {
    /// Commands that only look.
    pub(crate) fn list(&mut self, command: Command) -> Result<Reply, CommandError> {
        match command {
            Command::Print { expression, frame } => {
                let (value, type_name) = self.look().print(&expression, frame)?;
                Ok(Reply::Value {
                    expression,
                    value,
                    type_name,
                })
            }
            Command::Variables { frame } => self.variables(frame),
            Command::Stack => Ok(Reply::Stack(self.look().stack())),
            Command::Memory { address, length } => self.memory(&address, length),
            Command::List { place, around } => self.source(place.as_ref(), around),
            Command::Disassemble { place, around } => self.disassemble(place.as_ref(), around),
            Command::Functions { containing } => Ok(self.functions(&containing)),
            Command::Tree { lines } => Ok(self.tree(lines)),
            Command::Path { around } => self.path(around),
            Command::Mocks => Ok(Reply::Mocks {
                mocks: self.mock_listings(),
            }),
            Command::Breakpoints => {
                let breakpoints = self
                    .breakpoints
                    .list()
                    .iter()
                    .map(|breakpoint| breakpoint.listing())
                    .collect();
                Ok(Reply::Breakpoints { breakpoints })
            }
            Command::Board => {
                let (board, state) = (self.board(), &self.history.twin.board);
                let view = state.view(board, 20);
                let data = serde_json::to_value(&view).unwrap_or_default();
                Ok(Reply::Board(BoardListing {
                    lines: view.lines(),
                    board: data,
                }))
            }
            Command::Console => {
                let text = self
                    .history
                    .twin
                    .board
                    .console()
                    .map(|console| console.bytes())
                    .unwrap_or_default();
                Ok(Reply::Console {
                    text: String::from_utf8_lossy(&text).into_owned(),
                })
            }
            Command::Info => Ok(Reply::Info(Box::new(self.facts()))),
            Command::Note { text } => {
                self.notes.write(self.history.here(), &text);
                Ok(done(if text.is_empty() {
                    "the note is gone"
                } else {
                    "noted"
                }))
            }
            Command::Bookmark { name } => {
                self.notes.name(self.history.here(), &name);
                Ok(done(&format!("'jump {name}' comes back here")))
            }
            Command::Notes => {
                let listing = |(at, note): (Moment, &crate::notes::Note)| NoteListing {
                    universe: universe_id(&self.history, at),
                    steps: at.steps,
                    name: note.name.clone(),
                    text: note.text.clone(),
                };
                Ok(Reply::Notes {
                    notes: self.notes.all().map(listing).collect(),
                })
            }
            Command::Moment => {
                let here = self.history.here();
                let universe = universe_id(&self.history, here);
                Ok(Reply::Moment {
                    moment: self.moment_text(here),
                    universe,
                })
            }
            Command::Compare { left, right } => self.compare(&left, &right),
            _ => Err(CommandError::Invalid(
                "this command does not list anything".to_owned(),
            )),
        }
    }

    /// A moment with its place in the source. `at` must be where the twin stands for the call to be known.
    pub(crate) fn view(&self, at: Moment) -> PlaceView {
        let location = self.history.twin.machine.location();
        let offset = location.map(|location| location.offset);
        let function = offset.and_then(|offset| self.info.frames_at(offset).into_iter().next());
        let place = offset.and_then(|offset| self.info.place_at(offset));
        let file = place.and_then(|place| self.info.file(place.file));
        let text = file
            .zip(place)
            .and_then(|(file, place)| file.line(place.line));
        let device = self.device.as_ref();
        PlaceView {
            universe: universe_id(&self.history, at),
            steps: at.steps,
            function: function.map(|frame| frame.function),
            file: file.map(|file| file.path.clone()),
            line: place.map(|place| place.line),
            text: text.map(|text| text.trim_end().to_owned()),
            offset: offset.map(|offset| offset.0),
            call: self.look().pending_call(),
            device_elsewhere: device.is_some_and(|device| device.state != at),
            futures: self.history.tree.children(at.place).count() as u32,
        }
    }

    fn variables(&mut self, frame: u32) -> Result<Reply, CommandError> {
        let look = self.look();
        let mut locals = look.locals(frame)?;
        let (globals, operands) = (look.globals(), look.operands(frame)?);
        for variable in &mut locals {
            let before = self
                .last_variables
                .iter()
                .find(|old| old.name == variable.name);
            variable.changed = before.is_some_and(|old: &Variable| old.value != variable.value);
        }
        Ok(Reply::Variables(VariableListing {
            frame,
            locals,
            globals,
            operands,
        }))
    }

    fn memory(&self, address: &str, length: u32) -> Result<Reply, CommandError> {
        let number = self.look().number(address)?;
        let memory = self.history.twin.machine.memory();
        let outside = || {
            let size = memory.len();
            CommandError::NoSuch(format!(
                "address {number} is not in the program's memory of {size} bytes"
            ))
        };
        let address = u32::try_from(number).map_err(|_| outside())?;
        let bytes = memory
            .get(address as usize..)
            .filter(|bytes| !bytes.is_empty())
            .ok_or_else(outside)?;
        let bytes = bytes[..bytes.len().min(length as usize)].to_vec();
        Ok(Reply::Memory(MemoryListing { address, bytes }))
    }

    /// The offsets that a place means, and the place in words.
    pub(crate) fn resolve(
        &self,
        place: &CodePlace,
    ) -> Result<(Vec<CodeOffset>, String), CommandError> {
        match place {
            CodePlace::Offset(offset) => {
                let offset = CodeOffset(*offset);
                let module = &self.program().module;
                let known = module
                    .func_at(offset)
                    .is_some_and(|func| module.instr_starts(func).any(|at| at == offset));
                if !known {
                    let text = format!(
                        "no instruction begins at offset {:#x}: 'disassemble' lists them",
                        offset.0
                    );
                    return Err(CommandError::NoSuch(text));
                }
                Ok((vec![offset], self.offset_text(offset)))
            }
            CodePlace::Function(name) => {
                let offsets = self.info.break_at_function(name);
                if offsets.is_empty() {
                    let text = if self.info.functions_named(name).is_empty() {
                        format!("no function is called '{name}': 'functions' lists them")
                    } else {
                        format!("'{name}' is a primitive: use 'break call {name}'")
                    };
                    return Err(CommandError::NoSuch(text));
                }
                let words: Vec<String> = offsets
                    .iter()
                    .map(|offset| self.offset_text(*offset))
                    .collect();
                Ok((offsets, words.join(", ")))
            }
            CodePlace::Line { file, line } => {
                let file = self.file(file.as_deref())?;
                let found = self.info.break_at_line(file, *line);
                let found = found.map_err(|e| CommandError::NoSuch(e.to_string()))?;
                let name = self.info.file(found.file).map_or("?", |file| &file.path);
                let mut words = format!("{name}:{}", found.line);
                if found.moved() {
                    words.push_str(&format!(" (line {} has no code)", found.asked));
                }
                Ok((found.offsets, words))
            }
        }
    }

    /// The file whose name was given, or the one shown now, or the program's only one.
    fn file(&self, name: Option<&str>) -> Result<FileId, CommandError> {
        if let Some(name) = name {
            return self
                .info
                .find_file(name)
                .map_err(|e| CommandError::NoSuch(e.to_string()));
        }
        let machine = &self.history.twin.machine;
        let mut offsets = (0..machine.depth())
            .filter_map(|frame| machine.frame(frame))
            .map(|frame| frame.offset);
        let shown = offsets
            .find_map(|offset| self.info.place_at(offset))
            .map(|place| place.file);
        let main = self
            .info
            .function(self.entry.0)
            .place
            .map(|place| place.file);
        let none = || {
            CommandError::NoSuch(
                "the program has no source lines: use functions or @offsets".to_owned(),
            )
        };
        shown.or(main).ok_or_else(none)
    }

    fn offset_text(&self, offset: CodeOffset) -> String {
        let function = self.info.frames_at(offset).into_iter().next();
        let name = function.map_or_else(|| "?".to_owned(), |frame| frame.function);
        match self
            .info
            .place_at(offset)
            .and_then(|place| Some((self.info.file(place.file)?, place.line)))
        {
            Some((file, line)) => format!("{name} at {}:{line}", file.path),
            None => format!("{name} @{:#x}", offset.0),
        }
    }

    fn source(&self, place: Option<&CodePlace>, around: u32) -> Result<Reply, CommandError> {
        let here = self
            .history
            .twin
            .machine
            .location()
            .and_then(|location| self.info.place_at(location.offset));
        let (file, line) = match place {
            Some(CodePlace::Line { file, line }) => (self.file(file.as_deref())?, *line),
            Some(place) => {
                let (offsets, _) = self.resolve(place)?;
                let found = offsets
                    .first()
                    .and_then(|offset| self.info.place_at(*offset));
                let none = || {
                    CommandError::NoSuch(
                        "that place has no source line: try 'disassemble'".to_owned(),
                    )
                };
                let found = found.ok_or_else(none)?;
                (found.file, found.line)
            }
            None => {
                let none = || {
                    CommandError::NoSuch(
                        "there is no source line here: try 'disassemble'".to_owned(),
                    )
                };
                let main = self.info.function(self.entry.0).place;
                let found = here.or(main).ok_or_else(none)?;
                (found.file, found.line)
            }
        };
        let none = || CommandError::NoSuch("the text of that file was not found".to_owned());
        let source = self.info.file(file).ok_or_else(none)?;
        let with_code = self.info.lines_with_code(file);
        let broken: Vec<CodeOffset> = self.breakpoints.stops().code;
        let lines = (line.saturating_sub(around).max(1)..=line.saturating_add(around))
            .map_while(|number| Some((number, source.line(number)?)))
            .map(|(number, text)| SourceLine {
                number,
                text: text.to_owned(),
                current: here.is_some_and(|here| here.file == file && here.line == number),
                breakpoint: broken.iter().any(|offset| {
                    self.info
                        .place_at(*offset)
                        .is_some_and(|place| place.file == file && place.line == number)
                }),
                code: with_code.contains(&number),
            })
            .collect();
        Ok(Reply::Source(SourceListing {
            file: source.path.clone(),
            lines,
        }))
    }

    fn disassemble(&self, place: Option<&CodePlace>, around: u32) -> Result<Reply, CommandError> {
        let here = self
            .history
            .twin
            .machine
            .location()
            .map(|location| location.offset);
        let offset = match place {
            Some(place) => self.resolve(place)?.0.first().copied(),
            None => here,
        };
        let none = || {
            CommandError::NoSuch("the program has ended: name a function to disassemble".to_owned())
        };
        let offset = offset.ok_or_else(none)?;
        let func = self.program().module.func_at(offset).ok_or_else(none)?;
        let stops = self.breakpoints.stops().code;
        let listing = self.info.disassemble(func);
        let center = listing
            .iter()
            .position(|instruction| instruction.offset >= offset)
            .unwrap_or(0);
        let reach = if around == 0 {
            listing.len()
        } else {
            around as usize
        };
        let instructions = listing
            .iter()
            .skip(center.saturating_sub(reach))
            .take(center.min(reach) + reach + 1)
            .map(|instruction| Instruction {
                offset: instruction.offset.0,
                text: format!(
                    "{}{}",
                    "  ".repeat(instruction.depth as usize),
                    instruction.text
                ),
                current: here == Some(instruction.offset),
                breakpoint: stops.contains(&instruction.offset),
                line: self
                    .info
                    .place_at(instruction.offset)
                    .map(|place| place.line),
            })
            .collect();
        let function = self.info.function(func).name;
        Ok(Reply::Disassembly(Disassembly {
            function,
            instructions,
        }))
    }

    fn functions(&self, containing: &str) -> Reply {
        let listed = self
            .info
            .functions()
            .into_iter()
            .filter(|function| function.name.contains(containing));
        let functions = listed
            .filter_map(|function| {
                let file = function.place.and_then(|place| self.info.file(place.file));
                Some(FunctionEntry {
                    offset: function.entry?.0,
                    file: file.map(|file| file.path.clone()),
                    line: function.place.map(|place| place.line),
                    name: function.name,
                })
            })
            .collect();
        Reply::Functions(FunctionListing { functions })
    }

    fn tree(&self, rows: u32) -> Reply {
        let here = self.history.here();
        let mut markers = vec![(here.place, here.steps, "here")];
        if let Some(device) = self.device.as_ref().filter(|device| device.state != here) {
            markers.push((device.state.place, device.state.steps, "device"));
        }
        let label = |_: Place, entry: &Entry| self.entry_text(entry);
        let end = |end: &borges_multiverse::tree::End<String>| match end {
            borges_multiverse::tree::End::Open => String::new(),
            borges_multiverse::tree::End::Finished(text) if text.is_empty() => {
                "finished".to_owned()
            }
            borges_multiverse::tree::End::Finished(text) => format!("finished: {text}"),
            borges_multiverse::tree::End::Trapped(text) => format!("trapped: {text}"),
        };
        let words = Words {
            label: &label,
            end: &end,
            markers: &markers,
        };
        let layout = Layout {
            rows: rows as usize,
            glyphs: Glyphs::UNICODE,
            ..Layout::default()
        };
        let text = self.history.tree.render_text(&words, &layout);
        Reply::Tree(TreeListing {
            lines: text.lines().map(str::to_owned).collect(),
            branches: self.history.tree.branches().count() as u32,
            entries: self.history.tree.entry_count(),
        })
    }

    /// An entry in words, without the arguments that only a replay knows.
    fn entry_text(&self, entry: &Entry) -> String {
        let name = |id: PrimitiveId| {
            self.board()
                .primitive(id)
                .map_or("?", |primitive| &primitive.name)
        };
        match &entry.kind {
            EntryKind::Input {
                primitive,
                value,
                mocked,
            } => {
                let how = if *mocked { " (mocked)" } else { "" };
                format!("{} = {}{how}", name(*primitive), show(*value))
            }
            EntryKind::Output { primitive, .. } => name(*primitive).to_owned(),
            EntryKind::Event(event) => event_text(event),
        }
    }

    fn path(&mut self, around: u32) -> Result<Reply, CommandError> {
        let (here, tip) = (self.history.here(), self.history.tip());
        let index = here.place.index;
        let (first, last) = (
            index.saturating_sub(around),
            index.saturating_add(around).min(tip.place.index),
        );
        let from = self
            .history
            .tree
            .at_depth(tip.place, first)
            .unwrap_or(Place::ROOT);
        let to = self
            .history
            .tree
            .at_depth(tip.place, last)
            .unwrap_or(tip.place);
        let mut entries = Vec::new();
        for (place, entry, call) in self.history.calls_between(from, to)? {
            let text = match (&entry.kind, call) {
                (EntryKind::Input { value, .. }, Some((id, args))) => {
                    format!("{} = {}", self.look().call_text(id, &args), show(*value))
                }
                (EntryKind::Output { .. }, Some((id, args))) => self.look().call_text(id, &args),
                _ => self.entry_text(&entry),
            };
            let before = self.history.tree.parent(place).unwrap_or(Place::ROOT);
            let kind = match entry.kind {
                EntryKind::Input { .. } => "input",
                EntryKind::Output { .. } => "output",
                EntryKind::Event(_) => "event",
            };
            entries.push(PathEntry {
                universe: universe_id(
                    &self.history,
                    Moment {
                        place,
                        steps: entry.step,
                    },
                ),
                steps: entry.step_before(),
                kind: kind.to_owned(),
                text,
                mocked: matches!(entry.kind, EntryKind::Input { mocked: true, .. }),
                alternatives: (self.history.tree.children(before).count() as u32).saturating_sub(1),
                next: before == here.place,
            });
        }
        self.history.seek(here)?;
        let (before, after) = (u64::from(first), u64::from(tip.place.index - last));
        Ok(Reply::Path(PathListing {
            entries,
            before,
            after,
        }))
    }

    fn facts(&mut self) -> Info {
        let here = self.here();
        let at = self
            .device
            .as_ref()
            .map_or(Moment::START, |device| device.state);
        let device_at = match self.history.here() {
            now if now == at => here.clone(),
            now => {
                // A device stands where the twin has been: the way there and back cannot diverge.
                let sought = self.history.seek(at).map(|()| self.here());
                let _back = self.history.seek(now);
                sought.unwrap_or_else(|_| here.clone())
            }
        };
        let (sent_bytes, received_bytes, retransmissions) = self
            .device
            .as_mut()
            .map_or((0, 0, 0), |device| device.traffic());
        Info {
            program: self.options.program.display().to_string(),
            program_hash: format!("{:016x}", self.program().module.hash()),
            version: self.version,
            board: self.board().name.clone(),
            device: self.device.as_ref().map_or_else(
                || "not connected yet".to_owned(),
                |device| device.name.clone(),
            ),
            file: self.session_file().map(|path| path.display().to_string()),
            here,
            device_at,
            follows: self.follows,
            branches: self.history.tree.branches().count() as u32,
            entries: self.history.tree.entry_count(),
            snapshots: self.history.keyframes.len() as u32,
            snapshot_bytes: self.history.keyframes.bytes() as u64,
            sent_bytes,
            received_bytes,
            retransmissions,
        }
    }

    fn compare(&mut self, left: &str, right: &str) -> Result<Reply, CommandError> {
        let here = self.history.here();
        let (left_at, right_at) = (self.moment_named(left)?, self.moment_named(right)?);
        let join = self
            .history
            .tree
            .join(left_at.place, right_at.place)
            .unwrap_or(Place::ROOT);
        let choice = |session: &Self, to: Place| {
            let mut path = session.history.tree.between(join, to)?;
            path.next().map(|(_, entry)| session.entry_text(entry))
        };
        let (left_choice, right_choice) =
            (choice(self, left_at.place), choice(self, right_at.place));
        let l = self.snapshot_of(left_at)?;
        let r = self.snapshot_of(right_at)?;
        let join_at = self.history.moment_of(join).unwrap_or(Moment::START);
        self.history.seek(join_at)?;
        let join = self.view(join_at);
        self.history.seek(here)?;
        let mut variables = Vec::new();
        for (name, value) in &l.variables {
            let other = r
                .variables
                .iter()
                .find(|(other, _)| other == name)
                .map_or("–", |(_, value)| value.as_str());
            if other != value {
                variables.push((name.clone(), value.clone(), other.to_owned()));
            }
        }
        let rows = l.board.len().max(r.board.len());
        let row = |lines: &[String], n: usize| lines.get(n).cloned().unwrap_or_default();
        let board = (0..rows)
            .map(|n| (row(&l.board, n), row(&r.board, n)))
            .filter(|(a, b)| a != b)
            .collect();
        let memory_bytes = l
            .memory
            .iter()
            .zip(&r.memory)
            .filter(|(a, b)| a != b)
            .count() as u64
            + l.memory.len().abs_diff(r.memory.len()) as u64;
        Ok(Reply::Difference(Box::new(UniverseDifference {
            left: l.view,
            right: r.view,
            join,
            left_choice,
            right_choice,
            variables,
            board,
            memory_bytes,
        })))
    }

    fn snapshot_of(&mut self, at: Moment) -> Result<Sight, CommandError> {
        self.history.seek(at)?;
        let look = self.look();
        let locals = look.locals(0).unwrap_or_default().into_iter();
        let variables = locals
            .chain(look.globals())
            .map(|variable| (variable.name, variable.value))
            .collect();
        let state: &BoardState = &self.history.twin.board;
        Ok(Sight {
            view: self.view(self.history.here()),
            variables,
            board: state.render(self.board()),
            memory: self.history.twin.machine.memory().to_vec(),
        })
    }

    /// Goes back to the last write of a place.
    pub(crate) fn who(&mut self, what: &str) -> Result<Reply, CommandError> {
        let here = self.history.here();
        let watches = self.look().watches(what, 0)?;
        let local = watches
            .iter()
            .any(|watch| matches!(watch, borges_vm::Watch::Local { .. }));
        let depth = self.history.twin.machine.depth();
        let stops = Stops {
            watches,
            ..Stops::default()
        };
        let found = self.last_write(here, &stops, local.then_some(depth))?;
        let Some(written) = found else {
            self.history.seek(here)?;
            let text = format!(
                "'{what}' was not written before here: it has had its value since the start"
            );
            return Ok(done(&text));
        };
        let value = |session: &Self| {
            session
                .look()
                .print(what, 0)
                .map_or_else(|e| format!("<{e}>"), |(value, _)| value)
        };
        self.history.seek(written)?;
        let after = value(self);
        let before_write = self.history.before(written).unwrap_or(Moment::START);
        self.history.seek(before_write)?;
        let before = value(self);
        let at = self.here();
        Ok(Reply::Written(Box::new(Written {
            what: what.to_owned(),
            at,
            before,
            after,
        })))
    }

    // Mocks.

    pub(crate) fn add_mock(
        &mut self,
        call: &str,
        values: &MockValues,
    ) -> Result<Reply, CommandError> {
        let (list, end) = match values {
            MockValues::Sequence(list) => (list, MockEnd::RepeatLast),
            MockValues::Then(list) => (list, MockEnd::Live),
        };
        if list.is_empty() {
            return Err(CommandError::Invalid(
                "a mock needs at least one value".to_owned(),
            ));
        }
        let mut fresh = Vec::new();
        for (primitive, arguments) in self.inputs_named(call)? {
            let wanted = arguments.clone().unwrap_or_default();
            let mut checked = Vec::new();
            for text in list {
                checked.push(to_wire(self.in_codomain(primitive, &wanted, text)?));
            }
            fresh.push(Mock {
                primitive: primitive.0,
                arguments: arguments.map(|list| list.into_iter().map(to_wire).collect()),
                values: checked,
                used: 0,
                end,
            });
        }
        let mut mocks = self.mocks_in_force().list().to_vec();
        mocks.retain(|old| {
            !fresh
                .iter()
                .any(|new| old.primitive == new.primitive && old.arguments == new.arguments)
        });
        let listing: Vec<String> = fresh
            .iter()
            .map(|mock| self.mock_listing(mock).call)
            .collect();
        mocks.extend(fresh);
        self.adopt_mocks(mocks)?;
        Ok(done(&format!(
            "{} = {} from now on{}",
            listing.join(", "),
            list.join(", "),
            match end {
                MockEnd::Live if list.len() == 1 => ", once",
                MockEnd::Live => ", then live",
                MockEnd::RepeatLast => "",
            }
        )))
    }

    pub(crate) fn remove_mock(&mut self, call: Option<&str>) -> Result<Reply, CommandError> {
        let mut mocks = self.mocks_in_force().list().to_vec();
        let before = mocks.len();
        match call {
            None => mocks.clear(),
            Some(call) => {
                let named = self.inputs_named(call)?;
                mocks.retain(|mock| {
                    !named.iter().any(|(primitive, arguments)| {
                        let own: Option<Vec<Value>> = mock
                            .arguments
                            .as_ref()
                            .map(|list| list.iter().map(|v| from_wire(*v)).collect());
                        mock.primitive == primitive.0 && own == *arguments
                    })
                });
            }
        }
        let removed = before - mocks.len();
        self.adopt_mocks(mocks)?;
        Ok(done(&format!(
            "{removed} mock{} removed",
            if removed == 1 { "" } else { "s" }
        )))
    }

    fn adopt_mocks(&mut self, mocks: Vec<Mock>) -> Result<(), CommandError> {
        if let Some(device) = &mut self.device {
            device.set_mocks(mocks.clone())?;
        }
        self.mocks = mocks;
        Ok(())
    }

    pub(crate) fn mock_listings(&self) -> Vec<MockListing> {
        self.mocks
            .iter()
            .map(|mock| self.mock_listing(mock))
            .collect()
    }

    fn mock_listing(&self, mock: &Mock) -> MockListing {
        let id = PrimitiveId(mock.primitive);
        let name = self
            .board()
            .primitive(id)
            .map_or("?", |primitive| &primitive.name);
        let call = match &mock.arguments {
            None => name.to_owned(),
            Some(list) => {
                let arguments: Vec<Value> = list.iter().map(|value| from_wire(*value)).collect();
                self.look().call_text(id, &arguments)
            }
        };
        let values = mock
            .values
            .iter()
            .map(|value| show(from_wire(*value)))
            .collect();
        let values = match mock.end {
            MockEnd::Live => MockValues::Then(values),
            MockEnd::RepeatLast => MockValues::Sequence(values),
        };
        MockListing { call, values }
    }

    /// The input primitives that `name(arguments)` means, with the arguments if they are all given.
    fn inputs_named(&self, call: &str) -> Result<Vec<MockedCall>, CommandError> {
        let (name, arguments) = match call.trim().split_once('(') {
            Some((name, rest)) => {
                let inside = rest.trim_end().strip_suffix(')').ok_or_else(|| {
                    CommandError::Invalid(format!("'{call}' lacks a closing parenthesis"))
                })?;
                let list: Vec<&str> = inside
                    .split(',')
                    .map(str::trim)
                    .filter(|text| !text.is_empty())
                    .collect();
                let any = list.contains(&"_");
                (name.trim(), (!any).then_some(list))
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
            if primitive.kind != borges_board::Kind::Input {
                return Err(CommandError::Invalid(format!(
                    "'{name}' is no input: only inputs can be mocked"
                )));
            }
            match &arguments {
                None => found.push((id, None)),
                Some(list) if list.len() == primitive.params.len() => {
                    let values: Result<Vec<Value>, String> = list
                        .iter()
                        .zip(primitive.params.iter())
                        .map(|(text, ty)| parse(text, *ty))
                        .collect();
                    found.push((id, Some(values.map_err(CommandError::Invalid)?)));
                }
                Some(_) => {}
            }
        }
        if found.is_empty() {
            let inputs = board.ids().filter_map(|id| board.primitive(id));
            let mut names: Vec<&str> = inputs
                .filter(|primitive| primitive.kind == borges_board::Kind::Input)
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

    /// A value that the input may have *there*: its range, narrowed by the board's rules.
    fn in_codomain(
        &self,
        id: PrimitiveId,
        args: &[Value],
        text: &str,
    ) -> Result<Value, CommandError> {
        let codomain = self.board().codomain_at(id, args, &self.history.twin.board);
        let value = parse(text, codomain.ty()).map_err(CommandError::Invalid)?;
        if !codomain.contains(value) {
            let call = self.look().call_text(id, args);
            let text = format!(
                "{call} cannot be {text} here: it is {}",
                codomain.describe()
            );
            return Err(CommandError::Invalid(text));
        }
        Ok(value)
    }

    pub(crate) fn add_branches(&mut self, values: &str) -> Result<Reply, CommandError> {
        let pending = self.history.twin.machine.pending().and_then(|call| {
            let id = self.program().primitive(call.func.0)?;
            let input = self.board().primitive(id)?.kind == borges_board::Kind::Input;
            input.then_some((id, call.args))
        });
        let Some((id, args)) = pending else {
            let text = "the program is not about to read an input here: go to one ('step entry', or back to one) first";
            return Err(CommandError::Invalid(text.to_owned()));
        };
        let here = self.history.here();
        let (mut added, mut known) = (0, 0);
        for value in self.expand(id, &args, values)? {
            let kind = EntryKind::Input {
                primitive: id,
                value,
                mocked: true,
            };
            let entry = Entry {
                step: here.steps + 1,
                kind,
            };
            let edge = self
                .history
                .add_edge(here.place, entry, args.clone())
                .map_err(|e| CommandError::Invalid(e.to_string()))?;
            match edge.growth {
                borges_multiverse::tree::Growth::Followed => known += 1,
                _ => added += 1,
            }
        }
        let call = self.look().call_text(id, &args);
        Ok(done(&format!(
            "{added} branches added at {call}, {known} were there already; 'tree' shows them, 'jump' goes there"
        )))
    }

    /// The values that `lo..hi`, `a, b` or a mixture mean, each inside the codomain.
    fn expand(
        &self,
        id: PrimitiveId,
        args: &[Value],
        text: &str,
    ) -> Result<Vec<Value>, CommandError> {
        const MOST: usize = 65_536;
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
        if list.is_empty() || list.len() > MOST {
            return Err(CommandError::Invalid(
                "give values like 0..10, or 3, 7".to_owned(),
            ));
        }
        Ok(list)
    }

    // Breakpoints.

    pub(crate) fn add_breakpoint(&mut self, spec: NewBreakpoint) -> Result<Reply, CommandError> {
        if let Some(condition) = &spec.condition {
            borges_debuginfo::Expression::parse(condition)
                .map_err(|e| CommandError::Invalid(e.to_string()))?;
        }
        let (target, resolved) = self.breakpoint_target(&spec.kind)?;
        let listing = self.breakpoints.add(spec, target, resolved).listing();
        Ok(Reply::BreakpointSet(listing))
    }

    /// What a breakpoint waits for, and where that is in words.
    pub(crate) fn breakpoint_target(
        &self,
        kind: &StopKind,
    ) -> Result<(Target, String), CommandError> {
        match kind {
            StopKind::Code(place) => {
                let (offsets, words) = self.resolve(place)?;
                Ok((Target::Code(offsets), words))
            }
            StopKind::Write(what) => {
                let watches = self.look().watches(what, 0)?;
                let local = watches
                    .iter()
                    .any(|watch| matches!(watch, borges_vm::Watch::Local { .. }));
                let call = if local { ", in this call" } else { "" };
                Ok((Target::Write(watches), format!("writes of {what}{call}")))
            }
            StopKind::Primitive(name) => {
                let board = self.board();
                let named = |id: &PrimitiveId| {
                    board
                        .primitive(*id)
                        .is_some_and(|primitive| primitive.name == **name)
                };
                let ids: Vec<PrimitiveId> = board.ids().filter(named).collect();
                if ids.is_empty() {
                    return Err(CommandError::NoSuch(format!(
                        "this board has no primitive '{name}'"
                    )));
                }
                Ok((Target::Primitive(ids), format!("calls of {name}")))
            }
            StopKind::Trap => Ok((Target::Trap, "any trap".to_owned())),
            StopKind::Event => Ok((Target::Event, "any event".to_owned())),
        }
    }

    pub(crate) fn delete_breakpoints(&mut self, ids: &[u32]) -> Result<Reply, CommandError> {
        if let Some(id) = ids.iter().find(|id| self.breakpoints.find(**id).is_none()) {
            return Err(CommandError::NoSuch(format!(
                "there is no breakpoint {id}: 'breakpoints' lists them"
            )));
        }
        let removed = self.breakpoints.remove(ids);
        Ok(done(&format!(
            "{removed} breakpoint{} removed",
            if removed == 1 { "" } else { "s" }
        )))
    }

    pub(crate) fn enable_breakpoint(
        &mut self,
        id: u32,
        enabled: bool,
    ) -> Result<Reply, CommandError> {
        let none = || {
            CommandError::NoSuch(format!(
                "there is no breakpoint {id}: 'breakpoints' lists them"
            ))
        };
        let breakpoint = self.breakpoints.find(id).ok_or_else(none)?;
        breakpoint.enabled = enabled;
        Ok(Reply::BreakpointSet(breakpoint.listing()))
    }

    /// Whether an enabled code breakpoint of the user stands at this instruction.
    pub(crate) fn breakpoint_at(&self, offset: CodeOffset) -> bool {
        !self
            .breakpoints
            .waiting_for(&Found::Code(offset), &Stops::default())
            .is_empty()
    }

    /// Whether a breakpoint whose place was reached holds here; hits are not counted.
    pub(crate) fn condition_holds(
        &mut self,
        id: u32,
        observer: Observer<'_>,
    ) -> Result<bool, CommandError> {
        let Some(breakpoint) = self.breakpoints.find(id) else {
            return Ok(false);
        };
        let (condition, log) = (
            breakpoint.spec.condition.clone(),
            breakpoint.spec.log.clone(),
        );
        if log.is_some() {
            return Ok(false);
        }
        match condition.map(|condition| self.look().holds(&condition)) {
            None => Ok(true),
            Some(Ok(holds)) => Ok(holds),
            Some(Err(error)) => {
                let text =
                    format!("breakpoint {id} stops because its condition has no value: {error}");
                observer(crate::command::Event::Warning { text });
                Ok(true)
            }
        }
    }

    /// Whether a breakpoint whose place was reached stops the program; counts the hit, prints the log message.
    pub(crate) fn fires(&mut self, id: u32, observer: Observer<'_>) -> Result<bool, CommandError> {
        let log = self
            .breakpoints
            .find(id)
            .and_then(|breakpoint| breakpoint.spec.log.take());
        let holds = self.condition_holds(id, observer);
        let Some(breakpoint) = self.breakpoints.find(id) else {
            return Ok(false);
        };
        breakpoint.spec.log.clone_from(&log);
        if !holds? {
            return Ok(false);
        }
        breakpoint.count += 1;
        if breakpoint.count < breakpoint.spec.hits {
            return Ok(false);
        }
        match log {
            Some(message) => {
                let text = self.look().fill_in(&message);
                observer(crate::command::Event::Log { id, text });
                Ok(false)
            }
            None => Ok(true),
        }
    }
}

/// An input with the arguments of the calls that are meant; nothing for all calls.
type MockedCall = (PrimitiveId, Option<Vec<Value>>);

/// What a comparison needs of one universe.
struct Sight {
    view: PlaceView,
    variables: Vec<(String, String)>,
    board: Vec<String>,
    memory: Vec<u8>,
}

/// The number of a moment in this session.
pub(crate) fn universe_id(history: &crate::history::History, at: Moment) -> UniverseId {
    let since = history.tree.step_of(at.place).unwrap_or(0);
    UniverseId {
        branch: at.place.branch.0,
        index: at.place.index,
        offset: at.steps.saturating_sub(since),
    }
}

/// The moment that a number names.
pub(crate) fn moment_of_id(history: &crate::history::History, id: UniverseId) -> Option<Moment> {
    let place = history.tree.canonical(Place {
        branch: BranchId(id.branch),
        index: id.index,
    })?;
    let steps = history.tree.step_of(place)?.checked_add(id.offset)?;
    Some(Moment { place, steps })
}

fn event_text(event: &borges_board::Event) -> String {
    match event.source {
        borges_board::EventSource::Pin(pin) => format!("interrupt of pin {pin}"),
        borges_board::EventSource::Timer => "timer".to_owned(),
    }
}
