//! Instructions, memory and the text of sources.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use borges_session::command::{CodePlace, Look, Reply};
use borges_session::listing::{Disassembly, FunctionEntry, SourceListing, StackFrame};
use serde_json::json;

use super::Device;
use crate::core::Core;
use crate::protocol::answers::Instruction;
use crate::protocol::arguments::{BreakpointLocations, Disassemble, ReadMemory};
use crate::protocol::{Answer, Failure, body};

/// Instructions in one answer.
const MOST_INSTRUCTIONS: u32 = 10_000;
/// Bytes in one answer.
const MOST_BYTES: u64 = 1 << 20;

/// Functions that were disassembled, by their offsets, of one version of the program.
#[derive(Debug, Default)]
pub(crate) struct Code {
    version: String,
    functions: BTreeMap<u32, Disassembly>,
}

/// An offset in the module, or an address, for the client.
pub(super) fn reference(at: u32) -> String {
    format!("{at:#x}")
}

/// What names a byte of one of the program's memories to clients: of the first its address, of another one with the
/// memory's number before it.
pub(super) fn memory_reference(memory: u32, address: Option<u32>) -> Option<String> {
    let reference = reference(address?);
    Some(match memory {
        0 => reference,
        _ => format!("{memory}:{reference}"),
    })
}

/// The memory that a client's reference names, and the address there.
fn memory_and_address(reference: &str) -> Result<(u32, i64), String> {
    let Some((memory, at)) = reference.split_once(':') else {
        return Ok((0, address(reference)?));
    };
    let memory = memory.trim().parse();
    let memory = memory.map_err(|_| format!("'{reference}' names no memory"))?;
    Ok((memory, address(at)?))
}

/// The number that a client's reference names.
pub(super) fn address(reference: &str) -> Result<i64, String> {
    let text = reference.trim();
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let number = match hex {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let number = number.ok().filter(|number| *number >= 0);
    number.ok_or_else(|| format!("'{reference}' is no address"))
}

/// A frame in a line.
pub(super) fn frame_line(frame: &StackFrame) -> String {
    match (&frame.file, frame.line) {
        (Some(file), Some(line)) => format!("at {} ({file}:{line})", frame.function),
        _ => format!("at {} (@{:#x})", frame.function, frame.offset),
    }
}

/// All of a source.
fn lines_of(core: &mut Core, file: &str) -> Result<SourceListing, Failure> {
    let place = Some(CodePlace::Line {
        file: Some(file.to_owned()),
        line: 1,
    });
    let around = u32::MAX;
    match core.look(Look::List { place, around })? {
        Reply::Source(listing) => Ok(listing),
        _ => Err(Failure::new(format!("the text of {file} was not found"))),
    }
}

/// The text of a source.
pub(super) fn text_of(core: &mut Core, file: &str) -> Result<String, Failure> {
    let lines = lines_of(core, file)?.lines.into_iter();
    Ok(lines.map(|line| line.text + "\n").collect())
}

impl Device {
    /// The lines of a source at which there is code.
    pub(super) fn locations(&mut self, core: &mut Core, asked: &BreakpointLocations) -> Answer {
        let files = core.parts.program.files.iter().map(String::as_str);
        let Some(file) = self.sources.file(&asked.source, files) else {
            return body(json!({ "breakpoints": [] }));
        };
        let from = core.line_in(asked.line).unwrap_or(1);
        let to = asked
            .end_line
            .and_then(|line| core.line_in(line))
            .unwrap_or(from);
        let lines = lines_of(core, &file)?.lines.into_iter();
        let wanted = lines.filter(|line| line.code && (from..=to).contains(&line.number));
        let places: Vec<_> = wanted
            .map(|line| json!({ "line": core.line_out(line.number) }))
            .collect();
        body(json!({ "breakpoints": places }))
    }

    pub(super) fn disassemble(&mut self, core: &mut Core, asked: &Disassemble) -> Answer {
        if asked.instruction_count > MOST_INSTRUCTIONS {
            let count = asked.instruction_count;
            return Err(Failure::new(format!(
                "{count} instructions: at most {MOST_INSTRUCTIONS} at once"
            )));
        }
        let at = address(&asked.memory_reference)?.saturating_add(asked.offset);
        let version = core
            .parts
            .info
            .as_deref()
            .map(|info| info.program_hash.clone());
        let version = version.unwrap_or_default();
        if self.code.version != version {
            self.code = Code {
                version,
                ..Code::default()
            };
        }
        let mut entries = core.parts.program.functions.clone();
        entries.sort_by_key(|entry| entry.offset);
        let reach = i64::from(asked.instruction_count)
            + asked.instruction_offset.unsigned_abs().min(1 << 20) as i64;
        let (instructions, here) = self.around(core, &entries, at, reach)?;
        let first = here + asked.instruction_offset;
        let wanted = first..first + i64::from(asked.instruction_count);
        let lowest = instructions.first().map_or(at, |(at, _)| i64::from(*at));
        let highest = instructions.last().map_or(at, |(at, _)| i64::from(*at));
        let count = instructions.len() as i64;
        let listed = wanted.map(|index| {
            match usize::try_from(index)
                .ok()
                .and_then(|index| instructions.get(index))
            {
                Some((_, instruction)) => instruction.clone(),
                None => {
                    // Exactly as many are answered as were asked for, also where there is no code.
                    let at = if index < 0 {
                        lowest + index
                    } else {
                        highest + (index - count + 1)
                    };
                    Instruction {
                        address: format!("{:#x}", at.max(0)),
                        instruction: "(no code)".to_owned(),
                        presentation_hint: Some("invalid"),
                        ..Instruction::default()
                    }
                }
            }
        });
        body(json!({ "instructions": listed.collect::<Vec<_>>() }))
    }

    /// Instructions around an offset, at least so many on either side where there are so many; and the index of the one at
    /// the offset.
    fn around(
        &mut self,
        core: &mut Core,
        entries: &[FunctionEntry],
        at: i64,
        reach: i64,
    ) -> Result<(Vec<(u32, Instruction)>, i64), Failure> {
        let middle = entries.partition_point(|entry| i64::from(entry.offset) <= at);
        let middle = middle.saturating_sub(1);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for entry in &entries[middle.min(entries.len())..] {
            after.extend(self.function(core, entry)?);
            let ahead = after
                .iter()
                .filter(|(offset, _)| i64::from(*offset) >= at)
                .count();
            if ahead as i64 > reach {
                break;
            }
        }
        for entry in entries[..middle.min(entries.len())].iter().rev() {
            if before.len() as i64 > reach {
                break;
            }
            let mut function = self.function(core, entry)?;
            function.append(&mut before);
            before = function;
        }
        before.append(&mut after);
        let here = before.partition_point(|(offset, _)| i64::from(*offset) < at);
        Ok((before, here as i64))
    }

    fn function(
        &mut self,
        core: &mut Core,
        entry: &FunctionEntry,
    ) -> Result<Vec<(u32, Instruction)>, Failure> {
        let listing = match self.code.functions.entry(entry.offset) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let place = Some(CodePlace::Offset(entry.offset));
                let around = 0;
                let look = Look::Disassemble { place, around };
                let Reply::Disassembly(listing) = core.look(look)? else {
                    return Err(Failure::new("there is no code there"));
                };
                unknown.insert(listing)
            }
        };
        let source = entry.file.as_deref().map(|file| self.sources.source(file));
        let instruction = |(nth, one): (usize, &borges_session::listing::InstructionListing)| {
            let instruction = Instruction {
                address: reference(one.offset),
                instruction: one.text.clone(),
                symbol: (nth == 0).then(|| listing.function.clone()),
                location: one.line.and(source.clone()),
                line: one
                    .line
                    .filter(|_| source.is_some())
                    .map(|line| core.line_out(line)),
                presentation_hint: None,
            };
            (one.offset, instruction)
        };
        Ok(listing
            .instructions
            .iter()
            .enumerate()
            .map(instruction)
            .collect())
    }

    pub(super) fn read_memory(&mut self, core: &mut Core, asked: &ReadMemory) -> Answer {
        let (memory, at) = memory_and_address(&asked.memory_reference)?;
        let at = at.saturating_add(asked.offset);
        let unread = |at: i64| {
            body(json!({ "address": format!("{:#x}", at.max(0)), "unreadableBytes": asked.count }))
        };
        let Some(start) = u32::try_from(at).ok().filter(|_| asked.count > 0) else {
            return unread(at);
        };
        let length = asked.count.min(MOST_BYTES) as u32;
        let look = Look::Memory {
            address: start.to_string(),
            length,
            memory: Some(memory),
        };
        // Beyond the memory nothing can be read: that is no error of the protocol's.
        let Ok(Reply::Memory(memory)) = core.look(look) else {
            return unread(at);
        };
        let missing = asked.count - memory.bytes.len() as u64;
        let mut answer =
            json!({ "address": reference(memory.address), "data": STANDARD.encode(&memory.bytes) });
        if missing > 0 {
            answer["unreadableBytes"] = json!(missing);
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::{address, memory_and_address, memory_reference};

    #[test]
    fn references_are_numbers() {
        assert_eq!(address("0x1c6"), Ok(0x1c6));
        assert_eq!(address(" 454 "), Ok(454));
        for wrong in ["", "0x", "-1", "0x-1", "main", "99999999999999999999"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn references_to_memories_are_read_as_they_are_written() {
        for (memory, at, text) in [(0, 16, "0x10"), (3, 16, "3:0x10")] {
            let written = memory_reference(memory, Some(at));
            assert_eq!(written.as_deref(), Some(text));
            assert_eq!(memory_and_address(text), Ok((memory, at.into())));
        }
        for wrong in ["x:1", ":1", "1:", "1:x"] {
            assert!(memory_and_address(wrong).is_err(), "{wrong}");
        }
    }
}
