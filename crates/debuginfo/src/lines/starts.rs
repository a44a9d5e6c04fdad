//! Where lines begin: where breakpoints on them go, and where stepping by lines may stop.

use std::collections::HashMap;

use borges_vm::{CodeOffset, FuncIdx};

use super::{Row, RowSource};
use crate::module::ModuleIndex;
use crate::sources::FileId;

/// In which inlined calls an opcode lies, outermost first; each call has a number of its own in its
/// function. `None` if that is not known.
pub(crate) type Inlined<'a> = &'a mut dyn FnMut(u32) -> Option<Vec<usize>>;

/// Where lines begin: a statement whose line differs from that of the code before it, behind the code
/// that sets up the function's frame.
///
/// The code of an inlined call does not end the line that it stands in: execution that comes back from
/// it goes on with the line and does not begin it anew.
pub(super) fn line_starts(
    rows: &[Row],
    module: &ModuleIndex,
    inlined: Inlined<'_>,
) -> Vec<(FileId, u32, u32)> {
    let mut starts = Vec::new();
    for rows in rows.chunk_by(|a, b| function_of(module, a) == function_of(module, b)) {
        if let Some(function) = rows.first().and_then(|row| function_of(module, row)) {
            starts_in(rows, function, module, &mut *inlined, &mut starts);
        }
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}

fn function_of(module: &ModuleIndex, row: &Row) -> Option<FuncIdx> {
    module.function_at(CodeOffset(row.offset))
}

/// The line starts of one function, whose rows these are.
fn starts_in(
    rows: &[Row],
    function: FuncIdx,
    module: &ModuleIndex,
    inlined: Inlined<'_>,
    starts: &mut Vec<(FileId, u32, u32)>,
) {
    let body = prologue_end(rows, function, module);
    // The line of the code before, and whether a row of it was fit to stop at.
    let (mut previous, mut begun) = (None, false);
    let mut latest: HashMap<(FileId, u32), (usize, u32)> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        // Code without a source between two parts of a line does not begin the line anew.
        let Some(source) = row.source else { continue };
        if let Some(body) = body
            && row.offset < body
        {
            // Who asks for the line where a function begins means its first statement: before that,
            // not even its parameters are where the debug information says.
            starts.push((source.file, source.line, body));
            continue;
        }
        let line = (source.file, source.line);
        begun &= previous == Some(line);
        if source.is_stmt && !begun {
            let offset = inside_loop(rows, module, row.offset, source).unwrap_or(row.offset);
            let goes_on = latest.get(&line).is_some_and(|&(first, begin)| {
                rows.get(first..at).is_some_and(|between| {
                    comes_back(between, row, inlined)
                        && leads_straight(module, function, begin, row.offset)
                })
            });
            if !goes_on {
                starts.push((source.file, source.line, offset));
                latest.insert(line, (at, offset));
            }
            begun = true;
        }
        previous = Some(line);
    }
}

/// Most rows between the begin of a line and where it goes on behind inlined calls.
const MAX_BETWEEN: usize = 512;

/// True if all code between the begin of a line, the first of these rows, and `row` belongs to the line or
/// to calls that were inlined into it.
fn comes_back(between: &[Row], row: &Row, inlined: Inlined<'_>) -> bool {
    let Some(line) = row.source.map(|source| (source.file, source.line)) else {
        return false;
    };
    if between.len() > MAX_BETWEEN {
        return false;
    }
    let Some(calls) = inlined(row.offset) else {
        return false;
    };
    between.iter().all(|row| {
        let Some(source) = row.source else {
            return true;
        };
        inlined(row.offset).is_some_and(|now| match now.strip_prefix(calls.as_slice()) {
            Some([]) => (source.file, source.line) == line,
            Some(_) => true,
            None => false,
        })
    })
}

/// Opcodes of structured control.
const BLOCK: u8 = 0x02;
const LOOP: u8 = 0x03;
const IF: u8 = 0x04;
const ELSE: u8 = 0x05;
const END: u8 = 0x0b;

/// Most opcodes between the two ends of what [`leads_straight`] looks at.
const MAX_STRAIGHT: usize = 4096;

/// True if whoever executes the opcode at `to` has executed the one at `from` before, and has not been
/// at `to` since: no branch from outside leads between the two.
fn leads_straight(module: &ModuleIndex, function: FuncIdx, from: u32, to: u32) -> bool {
    let starts = module.starts(function);
    let (Ok(first), Ok(last)) = (starts.binary_search(&from), starts.binary_search(&to)) else {
        return false;
    };
    let Some(between) = starts.get(first..last) else {
        return false;
    };
    if between.len() > MAX_STRAIGHT {
        return false;
    }
    let mut open: Vec<u8> = Vec::new();
    for &offset in between {
        match module.bytes.get(offset as usize) {
            Some(&opcode @ (BLOCK | LOOP | IF)) => open.push(opcode),
            // The end of a block that was entered before `from`: branches from there arrive here.
            Some(&END) if open.pop().is_none() => return false,
            Some(&ELSE) if open.is_empty() => return false,
            _ => {}
        }
    }
    !open.contains(&LOOP)
}

/// Opcodes up to which control goes straight on: those of blocks, branches and calls come before.
const LAST_OF_CONTROL: u8 = 0x13;
/// The one of them that does nothing.
const NOP: u8 = 0x01;

/// Where a function's statements begin, if its compiler says so and nothing else can happen before.
fn prologue_end(rows: &[Row], function: FuncIdx, module: &ModuleIndex) -> Option<u32> {
    let end = rows.iter().find(|row| row.prologue_end)?.offset;
    let mut before = module.starts(function).iter().take_while(|&&at| at < end);
    let straight = before.all(|&at| {
        let opcode = module.bytes.get(at as usize);
        opcode.is_some_and(|&opcode| opcode > LAST_OF_CONTROL || opcode == NOP)
    });
    straight.then_some(end)
}

/// Most blocks that one line opens at once; bounds the time that a hostile table can take.
const MAX_BLOCKS: usize = 64;

/// A line such as `while (x)` may begin with nothing but the opening of blocks, of which one is a
/// loop: then it begins behind them, where every round comes by and not only the first.
fn inside_loop(rows: &[Row], module: &ModuleIndex, from: u32, line: RowSource) -> Option<u32> {
    let function = module.function_at(CodeOffset(from))?;
    let starts = module.starts(function);
    let first = starts.binary_search(&from).ok()?;
    let mut behind_loop = false;
    for &offset in starts.get(first..)?.iter().take(MAX_BLOCKS) {
        match *module.bytes.get(offset as usize)? {
            BLOCK => {}
            LOOP => behind_loop = true,
            _ if !behind_loop => return None,
            _ => {
                let row = rows
                    .partition_point(|row| row.offset <= offset)
                    .checked_sub(1)?;
                let source = rows.get(row)?.source?;
                let same = source.file == line.file && source.line == line.line;
                return same.then_some(offset);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand_made::module;

    /// A row of this line at the opcode with this number.
    fn row(module: &ModuleIndex, opcode: usize, line: u32) -> Row {
        let source = RowSource {
            file: FileId(0),
            line,
            column: 0,
            is_stmt: true,
        };
        Row {
            offset: module.starts(FuncIdx(0))[opcode],
            source: Some(source),
            prologue_end: false,
        }
    }

    /// At which opcodes line 1 begins, if these rows are the code's and all of other lines is inlined
    /// into line 1.
    fn starts_of_line(module: &ModuleIndex, rows: &[Row]) -> Vec<usize> {
        let of_line = |offset: u32| {
            let row = rows.iter().rfind(|row| row.offset <= offset);
            row.and_then(|row| row.source)
                .is_some_and(|source| source.line == 1)
        };
        let mut inlined = |offset| Some(if of_line(offset) { vec![] } else { vec![1] });
        let starts = line_starts(rows, module, &mut inlined).into_iter();
        let opcodes = module.starts(FuncIdx(0));
        starts
            .filter(|(_, line, _)| *line == 1)
            .map(|(_, _, offset)| opcodes.binary_search(&offset).unwrap())
            .collect()
    }

    // Past these limits a line begins once more than it does for a person: a stop too many, none too few.

    #[test]
    fn a_line_goes_on_behind_so_many_rows() {
        let module = module(&"nop ".repeat(MAX_BETWEEN + 2));
        for (between, begins) in [
            (MAX_BETWEEN, &[0][..]),
            (MAX_BETWEEN + 1, &[0, MAX_BETWEEN + 1]),
        ] {
            let lines = (0..=between).map(|at| match at {
                0 => row(&module, 0, 1),
                at if at == between => row(&module, at, 1),
                at => row(&module, at, at as u32 + 1),
            });
            let rows: Vec<Row> = lines.collect();
            assert_eq!(starts_of_line(&module, &rows), begins);
        }
    }

    #[test]
    fn a_line_goes_on_behind_so_many_opcodes() {
        let module = module(&"nop ".repeat(MAX_STRAIGHT + 2));
        for (between, begins) in [
            (MAX_STRAIGHT, &[0][..]),
            (MAX_STRAIGHT + 1, &[0, MAX_STRAIGHT + 1]),
        ] {
            let rows = [(0, 1), (1, 2), (between, 1)];
            let rows = rows.map(|(opcode, line)| row(&module, opcode, line));
            assert_eq!(starts_of_line(&module, &rows), begins);
        }
    }

    #[test]
    fn a_line_begins_inside_its_loop_behind_so_many_blocks() {
        for (opened, begin) in [(MAX_BLOCKS - 1, MAX_BLOCKS - 1), (MAX_BLOCKS, 0)] {
            let blocks = "(block ".repeat(opened - 1);
            let module = module(&format!("{blocks} (loop nop){}", ")".repeat(opened - 1)));
            let rows = [row(&module, 0, 1)];
            assert_eq!(starts_of_line(&module, &rows), [begin]);
        }
    }
}
