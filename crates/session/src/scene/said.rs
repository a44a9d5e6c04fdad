//! How a program that trapped ended: in which frame of the user's own code, and with which words.
//!
//! A trap is mostly executed by a library: the allocator's, the panic's, the assertion's. Whoever reads it wants to
//! see what led there. The words are read from the frames that are still there, and only where it is certain that they
//! are what the caller passed: from parameters that their function never writes.

use borges_board::PrimitiveKind;
use borges_vm::binary::Instr;
use borges_vm::{CodeOffset, ExternType, FuncIdx, Module, Outcome, Trap, Value};

use crate::command::listing::StackFrame;
use crate::scene::{Scene, place_of};
use crate::values::{show_all, whole_characters};

/// Parts of paths that belong to libraries and not to the user's program.
const LIBRARIES: [&str; 17] = [
    "/rustc/",
    "/library/core/",
    "/library/std/",
    "/library/alloc/",
    "/.cargo/registry/",
    "/.rustup/",
    "~lib/",
    "/wasi-libc/",
    "libc-top-half/",
    "libc-bottom-half/",
    "dlmalloc/",
    "/rustc-",
    "/compiler-rt/",
    "/libcxx",
    "/llvm-project/",
    "/usr/include/",
    "/usr/lib/",
];

/// Functions that a program ends itself with, and those that lead there.
const ALARMS: [&str; 9] = [
    "abort",
    "__assert_fail",
    "__assert",
    "rust_begin_unwind",
    "rust_panic",
    "unwrap_failed",
    "expect_failed",
    "handle_alloc_error",
    "begin_panic",
];

/// Modules of Rust's library whose functions all do.
const ALARM_MODULES: [&str; 4] = [
    "core::panicking::",
    "std::panicking::",
    "alloc::raw_vec::",
    "std::process::abort",
];

/// Longest text that is read from a program.
const MAX_TEXT: u32 = 4096;

/// What stands for a value whose formatter is not known.
const UNKNOWN: &str = "…";

/// Why an event trapped.
const NO_HANDLER: &str = "an event arrived, and what the program's table has in its handler's place is no handler any \
                          more: it was when the program subscribed";

impl Scene<'_> {
    /// The frame to show first: where a program trapped, the innermost one of the user's own code that was not called
    /// by what ended it.
    pub(crate) fn own_frame(&self) -> u32 {
        if !matches!(self.machine.outcome(), Some(Outcome::Trapped(_))) {
            return 0;
        }
        let frames = self.stack().frames;
        let alarm = frames.iter().rposition(|frame| is_alarm(&frame.function));
        let behind = alarm.map_or(0, |alarm| alarm + 1);
        let own = |frames: &[StackFrame]| {
            frames
                .iter()
                .find(|frame| is_own(frame))
                .map(|frame| frame.number)
        };
        frames
            .get(behind..)
            .and_then(own)
            .or_else(|| own(&frames))
            .unwrap_or(0)
    }

    /// The instruction at which the frame to show first stands.
    pub(crate) fn own_offset(&self) -> Option<CodeOffset> {
        // Calls that were inlined are numbered, too, and stand where what they are in does.
        let place = self.stop(self.own_frame()).ok()?;
        (self.machine.depth() > 0).then_some(place.offset)
    }

    /// The call that comes next, and where it is made in the program's own code.
    pub(crate) fn stands_before(&self) -> Option<String> {
        let call = self.machine.pending()?;
        let id = self.program.primitive(call.func.0)?;
        let place = place_of(self.info, self.own_offset()?);
        Some(format!(
            "before {} at {place}",
            self.call_text(id, &call.args)
        ))
    }

    /// What a program that trapped said of it: the message of an `abort`, a panic or an assertion, or why the board
    /// refused a call.
    pub(crate) fn said(&self) -> Option<String> {
        if self.lacks_handler() {
            return Some(NO_HANDLER.to_owned());
        }
        if let Some(thrown) = self.uncaught() {
            return Some(thrown);
        }
        if let Some(call) = self.machine.pending() {
            let id = self.program.primitive(call.func.0)?;
            return match self.program.board.primitive(id)?.kind {
                PrimitiveKind::Trap => self.abort_text(&call.args),
                _ => self.refusal(&call.args, call.func.0),
            };
        }
        let mut stack = self.machine.standing().enumerate();
        stack.find_map(|(number, standing)| {
            let name = self.info.function(standing.func).name;
            let text = match last_part(&name) {
                "panic_fmt" if name.starts_with("core::panicking::") => Self::panic_text,
                "panic" | "panic_str" if name.starts_with("core::panicking::") => {
                    Self::plain_panic_text
                }
                "__assert_fail" => Self::assertion_text,
                "abort" => Self::abort_text,
                _ => return None,
            };
            text(self, &self.arguments_of(number, standing.func)?)
        })
    }

    /// Whether it was an event that trapped: its handler is no more. The instruction there could not trap in this way.
    fn lacks_handler(&self) -> bool {
        let trap = Outcome::Trapped(Trap::UninitializedElement);
        let other = Outcome::Trapped(Trap::IndirectCallType);
        let outcome = self.machine.outcome();
        (outcome == Some(&trap) || outcome == Some(&other))
            && !matches!(
                self.machine.next_instr(),
                Some(Instr::CallIndirect { .. } | Instr::ReturnCallIndirect { .. })
            )
    }

    /// The exception that nothing caught: its tag, by the name that the module has for it, and what it carries.
    fn uncaught(&self) -> Option<String> {
        let trap = Outcome::Trapped(Trap::UncaughtException);
        let thrown = (self.machine.outcome() == Some(&trap)).then(|| self.machine.thrown())??;
        let module = self.machine.module()?;
        let name = tag_name(module, thrown.tag);
        Some(format!("{name}({})", show_all(&thrown.values)))
    }

    /// The arguments of a call that is under way; nothing if its function may have written over one.
    fn arguments_of(&self, frame: usize, function: FuncIdx) -> Option<Vec<Value>> {
        let indices = 0..self.info.parameters(function);
        let kept = indices
            .clone()
            .all(|index| self.info.keeps_parameter(function, index));
        kept.then(|| {
            indices
                .map(|index| self.machine.local(frame, index))
                .collect()
        })?
    }

    /// AssemblyScript's `abort(message, file, line, column)`.
    fn abort_text(&self, args: &[Value]) -> Option<String> {
        let [
            Value::I32(message),
            Value::I32(file),
            Value::I32(line),
            Value::I32(column),
        ] = *args
        else {
            return None;
        };
        let message = self
            .assembly_script_text(message as u32)
            .unwrap_or_else(|| "abort".to_owned());
        let file = self.assembly_script_text(file as u32).unwrap_or_default();
        Some(format!("{message} ({file}:{line}:{column})"))
    }

    /// Musl's `__assert_fail(expression, file, line, function)`.
    fn assertion_text(&self, args: &[Value]) -> Option<String> {
        let [
            Value::I32(expression),
            Value::I32(file),
            Value::I32(line),
            Value::I32(_),
        ] = *args
        else {
            return None;
        };
        let expression = self.c_text(expression as u32)?;
        let file = self.c_text(file as u32)?;
        Some(format!("assertion failed: {expression} ({file}:{line})"))
    }

    /// Rust's `panic_fmt(template, arguments, location)`, as it is since 1.93.
    fn panic_text(&self, args: &[Value]) -> Option<String> {
        let [
            Value::I32(template),
            Value::I32(values),
            Value::I32(location),
        ] = *args
        else {
            return None;
        };
        let (template, values, location) = (template as u32, values as u32, location as u32);
        let message = match values & 1 {
            // A text without arguments: twice its length, plus one.
            1 => self.text(template, values >> 1)?,
            _ => self.filled_in(template, values)?,
        };
        Some(format!("{message} ({})", self.location_text(location)?))
    }

    /// Rust's `panic(message, location)`, the message with its length.
    fn plain_panic_text(&self, args: &[Value]) -> Option<String> {
        let [
            Value::I32(message),
            Value::I32(length),
            Value::I32(location),
        ] = *args
        else {
            return None;
        };
        let message = self.text(message as u32, length as u32)?;
        Some(format!(
            "{message} ({})",
            self.location_text(location as u32)?
        ))
    }

    /// Rust's `Location`: a path with its length, line and column.
    fn location_text(&self, location: u32) -> Option<String> {
        let word = |offset| self.word(location.checked_add(offset)?);
        let place = self.text(word(0)?, word(4)?)?;
        Some(format!("{place}:{}:{}", word(8)?, word(12)?))
    }

    /// A format template of Rust: texts behind their lengths, `0xc0` for the next argument, `0` at the end.
    fn filled_in(&self, template: u32, values: u32) -> Option<String> {
        let mut text = String::new();
        let (mut at, mut argument) = (template, values);
        while text.len() < MAX_TEXT as usize {
            let code = *self.bytes(at, 1)?.first()?;
            at = at.checked_add(1)?;
            let literal = match code {
                0 => return Some(text),
                1..=0x7f => Some((at, u32::from(code))),
                0x80 => {
                    let length = self.bytes(at, 2)?;
                    Some((
                        at.checked_add(2)?,
                        u32::from(u16::from_le_bytes(length.try_into().ok()?)),
                    ))
                }
                0xc0 => None,
                // An argument with a width or a precision: what follows cannot be told.
                _ => return Some(text + UNKNOWN),
            };
            match literal {
                Some((start, length)) => {
                    text.push_str(&self.text(start, length)?);
                    at = start.checked_add(length)?;
                }
                None => {
                    let (value, formatter) =
                        (self.word(argument)?, self.word(argument.checked_add(4)?)?);
                    text.push_str(
                        &self
                            .formatted(value, formatter)
                            .unwrap_or_else(|| UNKNOWN.to_owned()),
                    );
                    argument = argument.checked_add(8)?;
                }
            }
        }
        Some(text + UNKNOWN)
    }

    /// A value as Rust's formatter of it writes it, if that is one of the simple ones.
    fn formatted(&self, mut address: u32, formatter: u32) -> Option<String> {
        let function = match self.machine.table(0).get(formatter as usize)? {
            Value::FuncRef(Some(function)) => self.info.function(FuncIdx(*function)).name,
            _ => return None,
        };
        let (quoted, mut ty) = match (type_in(&function, "Display"), type_in(&function, "Debug")) {
            (Some(ty), _) => (false, ty),
            (_, Some(ty)) => (true, ty),
            _ => return None,
        };
        while let Some(target) = ty.strip_prefix('&').filter(|target| *target != "str") {
            (ty, address) = (target, self.word(address)?);
        }
        let number = |bytes: u32, signed: bool| {
            let raw = self.bytes(address, bytes)?;
            let value = raw
                .iter()
                .rev()
                .fold(0_u128, |value, byte| value << 8 | u128::from(*byte));
            let unused = 128 - 8 * bytes;
            Some(match signed {
                true => ((value << unused) as i128 >> unused).to_string(),
                false => value.to_string(),
            })
        };
        match ty {
            "u8" => number(1, false),
            "u16" => number(2, false),
            "u32" | "usize" => number(4, false),
            "u64" => number(8, false),
            "i8" => number(1, true),
            "i16" => number(2, true),
            "i32" | "isize" => number(4, true),
            "i64" => number(8, true),
            "bool" => match self.bytes(address, 1)? {
                [0] => Some("false".to_owned()),
                [1] => Some("true".to_owned()),
                _ => None,
            },
            "&str" | "str" => {
                // A `&str` is formatted by what it points to, whose place is the pointer and the length.
                let text = self.text(self.word(address)?, self.word(address.checked_add(4)?)?)?;
                Some(if quoted { format!("{text:?}") } else { text })
            }
            _ => None,
        }
    }

    /// Why the board refused the call, if it did.
    fn refusal(&self, args: &[Value], import: u32) -> Option<String> {
        let (board, id) = (&self.program.board, self.program.primitive(import)?);
        let refusal = match board.primitive(id)?.kind {
            PrimitiveKind::Input => board
                .check_input(id, args, self.machine.memory().len())
                .err(),
            _ => {
                let action = board.action(id, args, self.machine.memory());
                let checked = action.and_then(|_| board.check_handler(id, args, self.machine));
                checked.err()
            }
        };
        refusal.map(|refusal| format!("{}: {refusal}", self.call_text(id, args)))
    }

    fn bytes(&self, address: u32, length: u32) -> Option<&[u8]> {
        let start = address as usize;
        self.machine
            .memory()
            .get(start..start.checked_add(length as usize)?)
    }

    fn word(&self, address: u32) -> Option<u32> {
        Some(u32::from_le_bytes(self.bytes(address, 4)?.try_into().ok()?))
    }

    fn text(&self, address: u32, length: u32) -> Option<String> {
        text_of(self.bytes(address, length)?)
    }

    /// A text that ends with a zero.
    fn c_text(&self, address: u32) -> Option<String> {
        let bytes = self.machine.memory().get(address as usize..)?;
        let end = bytes
            .iter()
            .take(MAX_TEXT as usize + 1)
            .position(|byte| *byte == 0);
        // Of a longer one, enough to see that it is longer.
        self.text(address, end.map_or(MAX_TEXT + 1, |end| end as u32))
    }

    /// An AssemblyScript string: UTF-16, its length in bytes just before it.
    fn assembly_script_text(&self, address: u32) -> Option<String> {
        let length = self.word(address.checked_sub(4)?)?;
        let bytes = self.bytes(address, length.min(MAX_TEXT))?;
        let mut units: Vec<u16> = bytes
            .chunks_exact(2)
            .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
            .collect();
        let is_cut = length > MAX_TEXT;
        // The first half of a character of two units.
        units.pop_if(|last| is_cut && (0xd800..0xdc00).contains(last));
        let cut = if is_cut { UNKNOWN } else { "" };
        (!units.is_empty()).then(|| String::from_utf16_lossy(&units) + cut)
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

fn is_alarm(function: &str) -> bool {
    ALARM_MODULES
        .iter()
        .any(|module| function.starts_with(module))
        || ALARMS.contains(&last_part(function))
}

fn is_own(frame: &StackFrame) -> bool {
    let own = |file: &String| !is_of_library(file);
    frame.line.is_some() && frame.file.as_ref().is_some_and(own)
}

/// Whether a source file, by its path in the debug information, is a library's, and none of the user's own.
#[must_use]
pub fn is_of_library(file: &str) -> bool {
    LIBRARIES.iter().any(|library| file.contains(library))
}

/// The type in `<impl core::fmt::Display for i32>::fmt` or `<i32 as core::fmt::Display>::fmt`.
fn type_in<'n>(function: &'n str, formatter: &str) -> Option<&'n str> {
    let before = function.strip_suffix(">::fmt")?;
    let written = format!("core::fmt::{formatter}");
    let inner = before.rsplit_once(&format!("<impl {written} for "));
    inner.map(|(_, ty)| ty).or_else(|| {
        before
            .strip_prefix('<')?
            .strip_suffix(&format!(" as {written}"))
    })
}

/// A text of a program's, the beginning of a long one.
fn text_of(bytes: &[u8]) -> Option<String> {
    let Some(begin) = bytes
        .get(..MAX_TEXT as usize)
        .filter(|begin| begin.len() < bytes.len())
    else {
        return String::from_utf8(bytes.to_vec()).ok();
    };
    let begin = &begin[..whole_characters(begin)];
    String::from_utf8(begin.to_vec())
        .ok()
        .map(|text| text + UNKNOWN)
}

/// The name that a tag has as an export or an import.
fn tag_name(module: &Module, tag: u32) -> String {
    let is_tag = |ty: &ExternType<'_>| matches!(ty, ExternType::Tag(_));
    let mut exports = module.exports().filter(|export| is_tag(&export.ty));
    let imports = module.imports().filter(|import| is_tag(&import.ty));
    let exported = exports.find(|export| export.index == tag);
    let name = exported.map(|export| export.name);
    let name = name.or_else(|| Some(imports.into_iter().nth(tag as usize)?.name));
    name.map_or_else(|| format!("tag {tag}"), ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters_and_show_it() {
        let of = |text: &str| text_of(text.as_bytes()).expect("a text");
        let longest = "x".repeat(4096);
        assert_eq!(of(&longest), longest);
        assert_eq!(of(&format!("{longest}y")), format!("{longest}…"));
        let begin = &longest[1..];
        assert_eq!(of(&format!("{begin}ß")), format!("{begin}…"));
    }

    #[test]
    fn formatters_name_their_types() {
        let number = "core::fmt::num::imp::<impl core::fmt::Display for i32>::fmt";
        assert_eq!(type_in(number, "Display"), Some("i32"));
        assert_eq!(type_in(number, "Debug"), None);
        assert_eq!(
            type_in("<&i32 as core::fmt::Debug>::fmt", "Debug"),
            Some("&i32")
        );
        assert_eq!(type_in("<u8>::fmt", "Debug"), None);
    }

    #[test]
    fn what_ends_programs_is_known_by_name() {
        assert!(is_alarm("core::panicking::panic_fmt"));
        assert!(is_alarm("core::option::unwrap_failed"));
        assert!(is_alarm("abort"));
        assert!(!is_alarm("tank::check"));
        assert!(!is_alarm("abort_all"));
    }
}
