//! The program's text: source lines, instructions, functions.

use borges_vm::CodeOffset;

use crate::command::listing::{
    Disassembly, FunctionEntry, FunctionListing, InstructionListing, SourceLine, SourceListing,
};
use crate::command::{CodePlace, Reply};
use crate::error::CommandError;
use crate::stage::Stage;

pub(crate) fn source(
    stage: &Stage,
    broken: &[CodeOffset],
    place: Option<&CodePlace>,
    around: u32,
) -> Result<Reply, CommandError> {
    let here = stage.shown_place();
    let (file, line) = match place {
        Some(CodePlace::Line { file, line }) => (stage.file(file.as_deref())?, *line),
        Some(place) => {
            let (offsets, _) = stage.resolve(place)?;
            let found = offsets
                .first()
                .and_then(|offset| stage.info().place_at(*offset));
            let none = || {
                CommandError::NoSuch("that place has no source line: try 'disassemble'".to_owned())
            };
            let found = found.ok_or_else(none)?;
            (found.file, found.line)
        }
        None => {
            let none = || {
                CommandError::NoSuch("there is no source line here: try 'disassemble'".to_owned())
            };
            let found = here.or_else(|| stage.first_place()).ok_or_else(none)?;
            (found.file, found.line)
        }
    };
    let none = || CommandError::NoSuch("the text of that file was not found".to_owned());
    let source = stage.info().file(file).ok_or_else(none)?;
    let with_code = stage.info().lines_with_code(file);
    let lines = (line.saturating_sub(around).max(1)..=line.saturating_add(around))
        .map_while(|number| Some((number, source.line(number)?)))
        .map(|(number, text)| SourceLine {
            number,
            text: text.to_owned(),
            current: here.is_some_and(|here| here.file == file && here.line == number),
            breakpoint: broken.iter().any(|offset| {
                stage
                    .info()
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

pub(crate) fn disassemble(
    stage: &Stage,
    broken: &[CodeOffset],
    place: Option<&CodePlace>,
    around: u32,
) -> Result<Reply, CommandError> {
    let here = stage
        .history
        .twin()
        .machine
        .location()
        .map(|location| location.offset);
    let offset = match place {
        Some(place) => stage.resolve(place)?.0.first().copied(),
        None => here,
    };
    let none =
        || CommandError::NoSuch("the program has ended: name a function to disassemble".to_owned());
    let offset = offset.ok_or_else(none)?;
    let func = stage.program().module.func_at(offset).ok_or_else(none)?;
    let listing = stage.info().disassemble(func);
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
        .map(|instruction| InstructionListing {
            offset: instruction.offset.0,
            text: format!(
                "{}{}",
                "  ".repeat(instruction.depth as usize),
                instruction.text
            ),
            current: here == Some(instruction.offset),
            breakpoint: broken.contains(&instruction.offset),
            line: stage
                .info()
                .place_at(instruction.offset)
                .map(|place| place.line),
        })
        .collect();
    let function = stage.info().function(func).name;
    Ok(Reply::Disassembly(Disassembly {
        function,
        instructions,
    }))
}

pub(crate) fn functions(stage: &Stage, containing: &str) -> Reply {
    let listed = stage
        .info()
        .functions()
        .into_iter()
        .filter(|function| function.name.contains(containing));
    let functions = listed
        .filter_map(|function| {
            let file = function
                .place
                .and_then(|place| stage.info().file(place.file));
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
