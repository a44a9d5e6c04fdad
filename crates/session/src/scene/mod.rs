//! Looking at one moment: places, variables, expressions, memory. Everything is read from the twin.

mod expanded;
mod said;

use borges_board::{Board, BoardState, BrokenLimit};
use borges_debuginfo::{
    DebugInfo, Evaluated, Expression, ExpressionError, ExpressionErrorKind, Format, FramePoint,
    Holder, NoScope, Number, Object, Scope, SourceFrame, Stopped,
};
use borges_stub::Program;
use borges_vm::{CodeOffset, FuncIdx, Machine, Value, Watch};

use crate::command::listing::{StackFrame, StackListing, Variable};
use crate::error::CommandError;
use crate::values::{results_of, show, show_all};

pub use said::is_of_library;

/// How many bytes of a watched range are shown.
const WATCHED_BYTES: u32 = 16;

/// How many children of a value are listed.
const CHILDREN: u64 = 24;

/// How deep values are unfolded in a listing.
const DEPTH: u32 = 2;

/// A number that may be an address of one of the program's memories.
pub(crate) struct Address {
    pub(crate) memory: u32,
    pub(crate) number: i128,
}

/// A range of one of the program's memories.
struct MemoryRange {
    memory: u32,
    start: u32,
    length: u32,
}

/// A moment of a program, to look at.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) program: &'a Program,
    pub(crate) info: &'a DebugInfo,
    pub(crate) machine: &'a Machine,
}

/// The instruction that a frame of the machine stands at; 0 if there is no such frame.
pub(crate) fn stands_at(machine: &Machine, frame: usize) -> CodeOffset {
    let standing = machine.standing().nth(frame);
    let place = standing.and_then(|standing| machine.place_of(&standing));
    place.unwrap_or(CodeOffset(0))
}

/// The machine, as debug information reads it.
pub(crate) struct Machines<'a>(pub(crate) &'a Machine);

impl Stopped for Machines<'_> {
    fn local(&self, frame: u32, index: u32) -> Option<Value> {
        self.0.local(frame as usize, index)
    }

    fn operand(&self, frame: u32, index: u32) -> Option<Value> {
        self.0
            .frame(frame as usize)?
            .operands
            .get(index as usize)
            .copied()
    }

    fn global(&self, index: u32) -> Option<Value> {
        self.0.globals().get(index as usize).copied()
    }

    fn memory(&self, memory: u32, address: u32, buffer: &mut [u8]) -> bool {
        let start = address as usize;
        let bytes = start
            .checked_add(buffer.len())
            .and_then(|end| self.0.memory_at(memory)?.get(start..end));
        if let Some(bytes) = bytes {
            buffer.copy_from_slice(bytes);
        }
        bytes.is_some()
    }

    fn table(&self, index: u32) -> Option<FuncIdx> {
        match self.0.table(0).get(index as usize)? {
            Value::FuncRef(function) => function.map(FuncIdx),
            _ => None,
        }
    }
}

/// A memory of the program's in messages.
pub(crate) fn named_memory(index: u32) -> String {
    match index {
        0 => "the program's memory".to_owned(),
        _ => format!("memory {index}"),
    }
}

/// A value as expressions see it: of a reference, one more than what it refers to, and 0 of none.
pub(crate) fn number_of(value: Value) -> Number {
    match value {
        Value::I32(v) => Number::Int(v.into()),
        Value::I64(v) => Number::Int(v.into()),
        Value::F32(bits) => Number::Float(f32::from_bits(bits).into()),
        Value::F64(bits) => Number::Float(f64::from_bits(bits)),
        Value::FuncRef(index) | Value::ExternRef(index) | Value::ExnRef(index) => {
            Number::Int(index.map_or(0, |i| i128::from(i) + 1))
        }
        Value::V128(bytes) => Number::Int(i128::from_le_bytes(bytes)),
    }
}

/// The arguments of the call that is about to happen: `arg0`, `arg1`, … .
struct Arguments(Vec<Value>);

impl Scope for Arguments {
    fn name(&self, name: &str) -> Option<Number> {
        let index: usize = name.strip_prefix("arg")?.parse().ok()?;
        Some(number_of(*self.0.get(index)?))
    }

    fn call(&self, name: &str, arguments: &[Number]) -> Option<Number> {
        NoScope.call(name, arguments)
    }
}

/// Arguments of a call that may come: they have values only then.
struct AnyArgument;

impl Scope for AnyArgument {
    fn name(&self, name: &str) -> Option<Number> {
        let number: Result<usize, _> = name.strip_prefix("arg")?.parse();
        number.is_ok().then_some(Number::Int(0))
    }

    fn call(&self, name: &str, arguments: &[Number]) -> Option<Number> {
        NoScope.call(name, arguments)
    }
}

impl<'a> Scene<'a> {
    /// The place in the source of a frame. After the program's end the innermost is no place in the code: only
    /// globals and memory can be read there.
    fn stop(&self, number: u32) -> Result<FramePoint, CommandError> {
        if number == 0 && self.machine.depth() == 0 {
            return Ok(FramePoint {
                frame: 0,
                offset: CodeOffset(0),
                inlined: 0,
            });
        }
        let mut left = number as usize;
        for (frame, standing) in self.machine.standing().enumerate() {
            let Some(offset) = self.machine.place_of(&standing) else {
                break;
            };
            let shared = self.info.frames_at(offset).len().max(1);
            if left < shared {
                return Ok(FramePoint {
                    frame: frame as u32,
                    offset,
                    inlined: left,
                });
            }
            left -= shared;
        }
        let text = match self.machine.depth() {
            0 => "the program has ended: there is no frame to look into; go back a step first"
                .to_owned(),
            depth => {
                format!("there is no frame {number}: the innermost is 0, and there are {depth}")
            }
        };
        Err(CommandError::NoSuch(text))
    }

    /// The frame that is shown first, as the source sees it; nothing after the program's end.
    pub(crate) fn shown_frame(&self) -> Option<SourceFrame> {
        let stop = self.stop(self.own_frame()).ok()?;
        self.info
            .frames_at(stop.offset)
            .into_iter()
            .nth(stop.inlined)
    }

    /// The call stack, innermost first.
    pub(crate) fn stack(&self) -> StackListing {
        let mut frames = Vec::new();
        for standing in self.machine.standing() {
            let Some(offset) = self.machine.place_of(&standing) else {
                break;
            };
            for source in self.info.frames_at(offset) {
                let file = source.place.and_then(|place| self.info.file(place.file));
                frames.push(StackFrame {
                    number: frames.len() as u32,
                    function: source.function,
                    file: file.map(|file| file.path.clone()),
                    line: source.place.map(|place| place.line),
                    offset: offset.0,
                    inlined: source.inlined,
                    handler: !source.inlined && standing.is_handler,
                });
            }
        }
        StackListing { frames }
    }

    /// Evaluates an expression: its value and type as text. Before it may stand a notation for numbers, as `/x`.
    pub(crate) fn print(&self, text: &str, frame: u32) -> Result<(String, String), CommandError> {
        let (format, text) = formatted(text)?;
        let value = self.evaluate(text, frame)?;
        let state = Machines(self.machine);
        let type_name = self
            .info
            .type_of_evaluated(&value)
            .unwrap_or_else(|| match &value {
                Evaluated::Number(Number::Float(_)) => "float".to_owned(),
                Evaluated::Number(Number::Int(_)) => "integer".to_owned(),
                _ => "text".to_owned(),
            });
        let shown = match format {
            Some(format) => self.info.show_as(&value, format, &state),
            None => self.info.show_evaluated(&value, &state),
        };
        Ok((shown, type_name))
    }

    /// What an expression comes to in the innermost frame in which it means something, if it does in one.
    pub(crate) fn somewhere(&self, text: &str) -> Option<String> {
        let frames = self.stops().count() as u32;
        let mut values = (0..frames).filter_map(|frame| self.print(text, frame).ok());
        values.next().map(|(value, _)| value)
    }

    fn evaluate(&self, text: &str, frame: u32) -> Result<Evaluated, CommandError> {
        let expression =
            Expression::parse(text).map_err(|e| CommandError::Invalid(e.to_string()))?;
        let stop = self.stop(frame)?;
        let (state, scope) = (Machines(self.machine), self.arguments());
        let value = self.info.evaluate(&expression, stop, &state, &scope);
        value.map_err(|e| {
            let mut message = format!("'{text}': {e}");
            if self.machine.depth() == 0
                && matches!(e.kind, ExpressionErrorKind::UnknownName { .. })
            {
                message.push_str(" (the program has ended: there are only globals and memory)");
            }
            CommandError::Invalid(message)
        })
    }

    /// Whether a condition holds here.
    pub(crate) fn holds(&self, condition: &str) -> Result<bool, CommandError> {
        let expression =
            Expression::parse(condition).map_err(|e| CommandError::Invalid(e.to_string()))?;
        let stop = self.stop(0)?;
        let holds = self.info.holds(
            &expression,
            stop,
            &Machines(self.machine),
            &self.arguments(),
        );
        holds.map_err(|e| CommandError::Invalid(format!("'{condition}': {e}")))
    }

    /// The places that frames stand at, the innermost first; of a program that has ended, one at which there are globals and
    /// memory.
    pub(crate) fn stops(&self) -> impl Iterator<Item = FramePoint> + '_ {
        (0..).map_while(|number| self.stop(number).ok())
    }

    /// Reads a condition; refuses one that names something that is known at none of these places.
    pub(crate) fn condition(
        &self,
        text: &str,
        offsets: &[CodeOffset],
    ) -> Result<Expression, CommandError> {
        let invalid = |e: ExpressionError| CommandError::Invalid(format!("'{text}': {e}"));
        let expression = Expression::parse(text).map_err(invalid)?;
        for name in expression.mentions() {
            let mut unknown = None;
            for offset in offsets {
                match self.unknown(&name, *offset) {
                    // Most often it is known where it is first looked for.
                    None => {
                        unknown = None;
                        break;
                    }
                    Some(error) => {
                        // Of all that is said, a near name helps most.
                        let is_better = unknown.is_none() || Scene::has_similar(&error);
                        unknown = if is_better { Some(error) } else { unknown };
                    }
                }
            }
            if let Some(error) = unknown {
                return Err(invalid(error));
            }
        }
        self.info.check_fields(&expression).map_err(invalid)?;
        Ok(expression)
    }

    /// Why a name of an expression means nothing at an instruction, wherever the machine stands; nothing if it does.
    fn unknown(&self, name: &Expression, offset: CodeOffset) -> Option<ExpressionError> {
        let stop = FramePoint {
            frame: 0,
            offset,
            inlined: 0,
        };
        let (state, scope) = (Machines(self.machine), AnyArgument);
        let error = self.info.evaluate(name, stop, &state, &scope).err()?;
        matches!(error.kind, ExpressionErrorKind::UnknownName { .. }).then_some(error)
    }

    /// Whether an error names something that was perhaps meant.
    fn has_similar(error: &ExpressionError) -> bool {
        matches!(&error.kind, ExpressionErrorKind::UnknownName { known, .. } if known.near)
    }

    /// An expression that must be a number.
    pub(crate) fn number(&self, text: &str) -> Result<i128, CommandError> {
        self.address(text).map(|address| address.number)
    }

    /// An expression that must be a number, and the memory in which it is an address: that of the code in the frame shown,
    /// unless it is about something in another one.
    pub(crate) fn address(&self, text: &str) -> Result<Address, CommandError> {
        let value = self.evaluate(text, self.own_frame())?;
        let not = || CommandError::Invalid(format!("'{text}' is no whole number"));
        let (memory, number) = match value {
            Evaluated::Number(Number::Int(number)) => (self.here()?, number),
            Evaluated::Pointer {
                memory, address, ..
            } => (memory, address.into()),
            Evaluated::Object(object) => {
                let number = match self.info.number(&object, &Machines(self.machine)) {
                    Ok(Some(Number::Int(number))) => Some(number),
                    _ => object.place.address().map(i128::from),
                };
                (object.place.memory, number.ok_or_else(not)?)
            }
            _ => return Err(not()),
        };
        Ok(Address { memory, number })
    }

    /// The memory of the code in the frame shown.
    fn here(&self) -> Result<u32, CommandError> {
        let stop = self.stop(self.own_frame())?;
        Ok(self.info.memory_at(stop.offset))
    }

    /// Bytes of the object in memory that an address is given by: what a pointer points to, or the variable itself.
    pub(crate) fn object_bytes(&self, text: &str) -> u32 {
        let object = |text: &str| match self.evaluate(text, 0) {
            Ok(Evaluated::Object(object)) => Some(object),
            _ => None,
        };
        let state = Machines(self.machine);
        let no_number = |named: &Object| !matches!(self.info.number(named, &state), Ok(Some(_)));
        object(&format!("*({text})"))
            .or_else(|| object(text).filter(no_number))
            .map_or(0, |object| object.place.length())
    }

    /// Refuses a log message with an expression that means something at none of these places.
    pub(crate) fn check_log(
        &self,
        message: &str,
        offsets: &[CodeOffset],
    ) -> Result<(), CommandError> {
        for (_, expression) in log_parts(message) {
            if let Some(expression) = expression {
                self.condition(formatted(expression)?.1, offsets)?;
            }
        }
        Ok(())
    }

    /// A log message with its `{expressions}` filled in.
    pub(crate) fn fill_in(&self, message: &str) -> String {
        let shown = |expression| match self.print(expression, 0) {
            Ok((value, _)) => value,
            Err(error) => format!("<{error}>"),
        };
        let parts = log_parts(message);
        let parts = parts.map(|(text, expression)| {
            text.to_owned() + &expression.map_or_else(String::new, shown)
        });
        parts.collect()
    }

    /// The range of memory that `ADDRESS, LENGTH` means; nothing if it is no such text.
    fn memory_range(&self, text: &str) -> Option<Result<MemoryRange, CommandError>> {
        let (start, length) = text.rsplit_once(',')?;
        let range = || {
            let Address {
                memory,
                number: start,
            } = self.address(start)?;
            let length = self.number(length)?;
            let bytes = self.machine.memory_at(memory).map_or(0, <[u8]>::len);
            let end = start.checked_add(length);
            let inside = start >= 0 && length > 0 && end.is_some_and(|end| end <= bytes as i128);
            match (u32::try_from(start), u32::try_from(length)) {
                (Ok(start), Ok(length)) if inside => Ok(MemoryRange {
                    memory,
                    start,
                    length,
                }),
                _ => Err(CommandError::Invalid(format!(
                    "'{text}' is no range of {}, which has {bytes} bytes",
                    named_memory(memory)
                ))),
            }
        };
        Some(range())
    }

    /// What has the value that [`Self::watches`] watches.
    pub(crate) fn watched(&self, text: &str) -> String {
        let shown = match self.memory_range(text) {
            None => self.print(text, 0).map(|(value, _)| value),
            Some(range) => range.map(|range| {
                let (start, length) = (range.start, range.length);
                let shown = start as usize..(start + length.min(WATCHED_BYTES)) as usize;
                let memory = self.machine.memory_at(range.memory).unwrap_or_default();
                let bytes = memory.get(shown).unwrap_or_default();
                let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                let more = if length > WATCHED_BYTES { " …" } else { "" };
                hex.join(" ") + more
            }),
        };
        shown.unwrap_or_else(|error| format!("<{error}>"))
    }

    /// What an expression means here, if it lies in memory or in globals alone: it is there at every moment, whatever
    /// function runs.
    pub(crate) fn object_in_memory(&self, text: &str, frame: u32) -> Option<Evaluated> {
        let value = self.evaluate(text, frame).ok()?;
        let sources = value.place()?.watchable();
        let stays = |source: &Holder| matches!(source, Holder::Memory { .. } | Holder::Global(_));
        (!sources.is_empty() && sources.iter().all(stays)).then_some(value)
    }

    /// What is here in an object that was found at another moment.
    pub(crate) fn shown(&self, object: &Evaluated) -> String {
        self.info.show_evaluated(object, &Machines(self.machine))
    }

    /// What has to be watched to see writes of an expression, or of memory given as `ADDRESS, LENGTH`.
    pub(crate) fn watches(&self, text: &str, frame: u32) -> Result<Vec<Watch>, CommandError> {
        if let Some(range) = self.memory_range(text) {
            let MemoryRange {
                memory,
                start,
                length,
            } = range?;
            return Ok(vec![Watch::Memory {
                memory,
                start,
                length,
            }]);
        }
        let value = self.evaluate(text, frame)?;
        let place = value.place().ok_or_else(|| {
            CommandError::Invalid(format!(
                "'{text}' is a computed value: watch a variable, a global, or memory as ADDRESS, LENGTH"
            ))
        })?;
        let sources = place.watchable();
        let watches = self.watches_of(&sources);
        if watches.is_empty()
            && sources
                .iter()
                .any(|source| matches!(source, Holder::Operand { .. }))
        {
            return Err(CommandError::Invalid(format!(
                "'{text}' is an operand, which is written once and then used: watch a local ($0), a global, or memory"
            )));
        }
        if watches.is_empty() {
            let text = format!(
                "'{text}' is nowhere at this place: the compiler keeps no copy of it that could be watched"
            );
            return Err(CommandError::Invalid(text));
        }
        Ok(watches)
    }

    /// What the VM has to watch to see writes of these; operands cannot be watched.
    pub(crate) fn watches_of(&self, sources: &[Holder]) -> Vec<Watch> {
        let depth = self.machine.depth() as u32;
        let watch = |source: &Holder| match *source {
            // Debug information counts from the innermost frame, watches from the outermost.
            Holder::Local { frame, index } => Some(Watch::Local {
                frame: depth.checked_sub(frame + 1)?,
                local: index,
            }),
            Holder::Global(index) => Some(Watch::Global(index)),
            Holder::Memory {
                memory,
                address,
                length,
            } => Some(Watch::Memory {
                memory,
                start: address,
                length,
            }),
            _ => None,
        };
        sources.iter().filter_map(watch).collect()
    }

    fn arguments(&self) -> Arguments {
        Arguments(
            self.machine
                .pending()
                .map(|call| call.args)
                .unwrap_or_default(),
        )
    }

    /// A call as text.
    pub(crate) fn call_text(&self, id: borges_board::PrimitiveId, args: &[Value]) -> String {
        let name = self
            .program
            .board
            .primitive(id)
            .map_or("?", |primitive| &primitive.name);
        format!("{name}({})", show_all(args))
    }

    /// Parameters and locals of a frame.
    pub(crate) fn locals(&self, frame: u32) -> Result<Vec<Variable>, CommandError> {
        let stop = self.stop(frame)?;

        let listed = self
            .info
            .variables_at(stop)
            .iter()
            .map(|v| self.variable(v, stop))
            .collect();
        Ok(listed)
    }

    /// Global variables of the user's own code, and how many others there are.
    pub(crate) fn globals(&self) -> (Vec<Variable>, u32) {
        let (own, stop) = self.own_globals();
        let others = (self.info.globals().len() - own.len()) as u32;
        let own = own.into_iter().map(|v| self.variable(v, stop)).collect();
        (own, others)
    }

    /// Global variables of the user's own code, and where to look at them from.
    fn own_globals(&self) -> (Vec<&borges_debuginfo::Variable>, FramePoint) {
        // Globals do not depend on the frame.
        let offset = self
            .machine
            .location()
            .map_or(CodeOffset(0), |location| location.offset);
        let stop = FramePoint {
            frame: 0,
            offset,
            inlined: 0,
        };
        let of_library = |variable: &&borges_debuginfo::Variable| {
            let file = variable.file.and_then(|file| self.info.file(file));
            file.is_some_and(|file| said::is_of_library(&file.path))
        };
        let own = self.info.globals().iter();
        (own.filter(|variable| !of_library(variable)).collect(), stop)
    }

    /// The operand stack of a frame, bottom first.
    pub(crate) fn operands(&self, frame: u32) -> Result<Vec<String>, CommandError> {
        let stop = self.stop(frame)?;
        let view = self.machine.frame(stop.frame as usize);
        Ok(view.map_or(Vec::new(), |view| {
            view.operands.iter().map(|value| show(*value)).collect()
        }))
    }

    fn variable(&self, variable: &borges_debuginfo::Variable, stop: FramePoint) -> Variable {
        let state = Machines(self.machine);
        let type_name = self.info.type_name(variable.ty);
        match self.info.locate(variable, stop, &state) {
            // A reference is shown by what it refers to, and is still a reference.
            Ok(object) => Variable {
                type_name,
                ..self.object(variable.name.clone(), &object, DEPTH)
            },
            Err(reason) => Variable {
                name: variable.name.clone(),
                value: format!("<{reason}>"),
                type_name,
                changed: false,
                children: Vec::new(),
            },
        }
    }

    fn object(&self, name: String, object: &Object, depth: u32) -> Variable {
        let state = Machines(self.machine);
        let children = match depth {
            0 => Vec::new(),
            _ => self.info.children(object, &state, 0, CHILDREN),
        };
        Variable {
            name,
            value: self.info.show(object, &state),
            type_name: self.info.type_name(object.ty),
            changed: false,
            children: children
                .into_iter()
                .map(|child| self.object(child.name, &child.object, depth - 1))
                .collect(),
        }
    }

    /// The results of a finished program, as text.
    pub(crate) fn results(&self) -> Vec<String> {
        results_of(self.machine)
    }
}

/// An expression and the notation before it, as in `/x flags`.
fn formatted(text: &str) -> Result<(Option<Format>, &str), CommandError> {
    let Some(rest) = text.trim_start().strip_prefix('/') else {
        return Ok((None, text));
    };
    let (word, expression) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let mut letters = word.chars();
    match (letters.next().and_then(Format::of), letters.next()) {
        (Some(format), None) => Ok((Some(format), expression)),
        _ => Err(CommandError::Invalid(format!(
            "'/{word}' is no notation: there is /x (hexadecimal), /d, /u (decimal), /t (binary), /o (octal), /c (letter) and /f (float)"
        ))),
    }
}

/// An instruction as a line, or as an offset.
pub(crate) fn place_of(info: &DebugInfo, at: CodeOffset) -> String {
    let place = info.place_at(at);
    let line = place.and_then(|place| Some((info.file(place.file)?, place.line)));
    match line {
        Some((file, line)) => format!("{}:{line}", file.path),
        None => at.to_string(),
    }
}

/// The limits of the board that the call which comes next breaks.
pub(crate) fn breaks(
    program: &Program,
    (machine, board): (&Machine, &BoardState),
) -> Vec<BrokenLimit> {
    let call = machine.pending();
    let called = call.and_then(|call| Some((program.primitive(call.func.0)?, call)));
    called.map_or_else(Vec::new, |(id, call)| {
        program
            .board
            .breaks(board, (id, &call.args), machine.memory())
    })
}

/// A broken limit in words.
pub(crate) fn limit_words(board: &Board, broken: &BrokenLimit) -> String {
    let limit = board.invariants.get(broken.limit as usize);
    let text = limit.map_or("", |limit| &limit.text);
    format!("{text}: it would be {}", broken.value)
}

/// The parts of a log message: what stands before each `{expression}`, and it; the text behind the last alone.
fn log_parts(message: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let mut rest = Some(message);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let found = text.split_once('{');
        let found = found.and_then(|(before, after)| Some((before, after.split_once('}')?)));
        let Some((before, (expression, behind))) = found else {
            return Some((text, None));
        };
        rest = Some(behind);
        Some((before, Some(expression)))
    })
}
