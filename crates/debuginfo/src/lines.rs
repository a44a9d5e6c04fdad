//! Lines of source and the code that belongs to them.

mod starts;

use std::ops::Range;

use borges_vm::{CodeOffset, FuncIdx};

use crate::module::ModuleIndex;
use crate::sources::FileId;

pub(crate) use starts::Inlined;

/// A place in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourcePlace {
    /// The file.
    pub file: FileId,
    /// From 1.
    pub line: u32,
    /// From 1; 0 if the compiler did not say.
    pub column: u32,
}

/// Where a breakpoint on a line was really set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineBreak {
    /// The file.
    pub file: FileId,
    /// The line that the user named.
    pub asked: u32,
    /// The line that has code: `asked`, or the next one that has any.
    pub line: u32,
    /// Every place where execution may begin the line; several where the compiler copied it.
    pub offsets: Vec<CodeOffset>,
}

impl LineBreak {
    /// True if the line that was asked for has no code of its own.
    pub fn moved(&self) -> bool {
        self.line != self.asked
    }
}

/// Why a line cannot have a breakpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// The file has code, but only before the line.
    #[error("no code from line {asked} on: the last line with code is {last}")]
    AfterLast {
        /// The line that the user named.
        asked: u32,
        /// The file's last line with code.
        last: u32,
    },
    /// No code comes from this file, or the compiler threw it away.
    #[error("no code comes from this file")]
    NoCode,
}

/// Where a row of the table comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowSource {
    pub(crate) file: FileId,
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// The compiler recommends to stop here: a statement begins.
    pub(crate) is_stmt: bool,
}

/// One row of a line table: it holds up to the next row or the function's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) offset: u32,
    /// None for code that no source line stands for.
    pub(crate) source: Option<RowSource>,
    /// The function's arguments are in place from here on.
    pub(crate) prologue_end: bool,
}

/// The line table of a whole module.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// Sorted by offset, one row an opcode at most.
    rows: Vec<Row>,
    /// Where lines begin: sorted by file, line, offset.
    starts: Vec<(FileId, u32, u32)>,
}

impl Lines {
    /// Builds the table from rows in any order. Of rows for the same opcode the last one counts;
    /// rows outside functions are dropped: they describe code that the linker threw away.
    ///
    /// `inlined` says in which inlined calls an opcode lies.
    pub(crate) fn new(rows: Vec<Row>, module: &ModuleIndex, inlined: Inlined<'_>) -> Lines {
        let mut placed: Vec<Row> = rows
            .into_iter()
            .filter_map(|row| {
                // Compilers let a function's first row begin at its local declarations.
                let (_, offset) = module.opcode_from(row.offset)?;
                Some(Row { offset, ..row })
            })
            .collect();
        placed.sort_by_key(|row| row.offset);
        let mut rows: Vec<Row> = Vec::with_capacity(placed.len());
        for row in placed {
            match rows.last_mut() {
                Some(last) if last.offset == row.offset => {
                    let prologue_end = last.prologue_end || row.prologue_end;
                    *last = Row {
                        prologue_end,
                        ..row
                    };
                }
                _ => rows.push(row),
            }
        }
        let starts = starts::line_starts(&rows, module, inlined);
        Lines { rows, starts }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row that covers `offset`.
    fn row(&self, module: &ModuleIndex, offset: CodeOffset) -> Option<&Row> {
        let function = module.function_at(offset)?;
        let after = self.rows.partition_point(|row| row.offset <= offset.0);
        let row = self.rows.get(after.checked_sub(1)?)?;
        let begin = module.body_of(function)?.range.start;
        (row.offset >= begin).then_some(row)
    }

    pub(crate) fn place(&self, module: &ModuleIndex, offset: CodeOffset) -> Option<SourcePlace> {
        let RowSource {
            file, line, column, ..
        } = self.row(module, offset)?.source?;
        Some(SourcePlace { file, line, column })
    }

    /// True if a line begins exactly at `offset`.
    pub(crate) fn begins(&self, module: &ModuleIndex, offset: CodeOffset) -> bool {
        let source = self.row(module, offset).and_then(|row| row.source);
        source.is_some_and(|source| {
            self.starts
                .binary_search(&(source.file, source.line, offset.0))
                .is_ok()
        })
    }

    /// The lines of a file that have code, each once.
    pub(crate) fn lines_of(&self, file: FileId) -> Vec<u32> {
        let mut lines: Vec<u32> = self
            .starts_of(file)
            .iter()
            .map(|&(_, line, _)| line)
            .collect();
        lines.dedup();
        lines
    }

    fn starts_of(&self, file: FileId) -> &[(FileId, u32, u32)] {
        let begin = self.starts.partition_point(|&(other, ..)| other < file);
        let end = self.starts.partition_point(|&(other, ..)| other <= file);
        self.starts.get(begin..end).unwrap_or(&[])
    }

    pub(crate) fn break_at(&self, file: FileId, asked: u32) -> Result<LineBreak, LineError> {
        let starts = self.starts_of(file);
        let &(_, last, _) = starts.last().ok_or(LineError::NoCode)?;
        let from = starts.partition_point(|&(_, line, _)| line < asked);
        let &(_, line, _) = starts
            .get(from)
            .ok_or(LineError::AfterLast { asked, last })?;
        let offsets = starts
            .iter()
            .skip(from)
            .take_while(|&&(_, other, _)| other == line)
            .map(|&(_, _, offset)| CodeOffset(offset))
            .collect();
        Ok(LineBreak {
            file,
            asked,
            line,
            offsets,
        })
    }

    /// The first opcode within these ranges at which a line begins; their first opcode if there is none or
    /// not `by_line`.
    pub(crate) fn first_in(
        &self,
        module: &ModuleIndex,
        ranges: &[Range<u32>],
        by_line: bool,
    ) -> Option<CodeOffset> {
        let start = ranges.iter().map(|range| range.start).min()?;
        let (function, first) = module.opcode_from(start)?;
        if !by_line {
            return Some(CodeOffset(first));
        }
        let starts = module.starts(function);
        let line = ranges.iter().take(MAX_RANGES).filter_map(|range| {
            let from = starts.partition_point(|&start| start < range.start);
            let inside = starts.iter().skip(from).take(MAX_BEFORE_LINE);
            let mut inside = inside.take_while(|&&start| start < range.end);
            inside.find(|&&start| self.begins(module, CodeOffset(start)))
        });
        Some(CodeOffset(line.min().copied().unwrap_or(first)))
    }

    /// Where a breakpoint on a function goes: after the code that sets up its frame.
    pub(crate) fn after_prologue(&self, module: &ModuleIndex, function: FuncIdx) -> Option<u32> {
        let body = module.body_of(function)?;
        let begin = self
            .rows
            .partition_point(|row| row.offset < body.range.start);
        let end = self.rows.partition_point(|row| row.offset < body.range.end);
        let rows = self.rows.get(begin..end)?;
        let marked = rows
            .iter()
            .find(|row| row.prologue_end)
            .map(|row| row.offset);
        marked.or_else(|| {
            rows.iter()
                .find(|row| row.source.is_some())
                .map(|row| row.offset)
        })
    }
}

/// Most parts of an inlined call that are searched for its first line, and most opcodes of each:
/// bounds the time that a hostile table can take.
const MAX_RANGES: usize = 16;
const MAX_BEFORE_LINE: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand_made::module;

    /// Lines that begin at these opcodes, in a module of nothing else.
    fn lines(module: &ModuleIndex, opcodes: &[usize]) -> Lines {
        let row = |(line, &opcode): (u32, &usize)| Row {
            offset: module.starts(FuncIdx(0))[opcode],
            source: Some(RowSource {
                file: FileId(0),
                line,
                column: 0,
                is_stmt: true,
            }),
            prologue_end: false,
        };
        let rows = (1..).zip(opcodes).map(row).collect();
        Lines::new(rows, module, &mut |_| Some(Vec::new()))
    }

    #[test]
    fn an_inlined_call_is_searched_for_its_first_line_so_far() {
        // Past the limit, the stop is at the first opcode of the call.
        let module = module(&"nop ".repeat(2 * MAX_BEFORE_LINE));
        let opcodes = module.starts(FuncIdx(0));
        let first = opcodes[0];
        for (begin, found) in [
            (MAX_BEFORE_LINE - 1, opcodes[MAX_BEFORE_LINE - 1]),
            (MAX_BEFORE_LINE, first),
        ] {
            let whole = first..first + 2 * MAX_BEFORE_LINE as u32;
            let place = lines(&module, &[begin]).first_in(&module, &[whole], true);
            assert_eq!(place, Some(CodeOffset(found)));
        }
        for (part, found) in [
            (MAX_RANGES - 1, opcodes[2 * (MAX_RANGES - 1)]),
            (MAX_RANGES, first),
        ] {
            let parts = opcodes.iter().step_by(2).map(|&start| start..start + 1);
            let parts: Vec<Range<u32>> = parts.collect();
            let place = lines(&module, &[2 * part]).first_in(&module, &parts, true);
            assert_eq!(place, Some(CodeOffset(found)));
        }
    }
}
