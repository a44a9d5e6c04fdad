//! The program's text: source lines, instructions, functions.

use borges_vm::CodeOffset;

use crate::command::listing::{
    Disassembly, FunctionEntry, FunctionListing, Instruction, SourceLine, SourceListing,
};
use crate::command::{CodePlace, Reply};
use crate::error::CommandError;
use crate::session::Session;

impl Session {
    pub(super) fn source(
        &self,
        place: Option<&CodePlace>,
        around: u32,
    ) -> Result<Reply, CommandError> {
        let here = self.shown_place();
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
                let first = || self.info.first_place(self.entry.0);
                let found = here.or_else(first).ok_or_else(none)?;
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

    pub(super) fn disassemble(
        &self,
        place: Option<&CodePlace>,
        around: u32,
    ) -> Result<Reply, CommandError> {
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

    pub(super) fn functions(&self, containing: &str) -> Reply {
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
}
