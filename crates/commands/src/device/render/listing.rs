//! Breakpoints, mocks, values, the stack, memory, code.

use std::fmt::Write as _;

use borges_session::command::{Cell, CodePlace, NewBreakpoint, StopKind};
use borges_session::listing::{
    BreakpointListing, Disassembly, ExaminedListing, ExaminedUnit, ExpandedListing,
    FunctionListing, MemoryListing, MockListing, StackListing, TableListing, Variable,
    VariableListing,
};

use crate::paint::{Paint, Role, count, listed, printable};

use super::place::{at, bar, margin};

pub(super) fn breakpoints(breakpoints: &[BreakpointListing], paint: &Paint) -> String {
    let none = "no breakpoints yet: 'break 21' sets one, 'help break' shows what else";
    listed(breakpoints, none, |one| breakpoint(one, paint))
}

/// A breakpoint, in a line.
pub(super) fn breakpoint(breakpoint: &BreakpointListing, paint: &Paint) -> String {
    let head = paint.heading(format!("breakpoint {}:", breakpoint.id));
    let mut line = format!("{head} {}", printable(&described(&breakpoint.spec)));
    if !breakpoint.resolved.is_empty() {
        let at = match breakpoint.spec.kind {
            StopKind::Code(_) => "at ",
            _ => "",
        };
        line += &paint.place(format!("  {at}{}", breakpoint.resolved));
    }
    if breakpoint.count > 0 {
        line += &paint.dim(format!("  hit {}", count(breakpoint.count, "time")));
    }
    if !breakpoint.enabled {
        line += &paint.warning("  off");
    }
    line
}

/// A breakpoint as it would be typed after `break`.
fn described(spec: &NewBreakpoint) -> String {
    let mut text = match &spec.kind {
        StopKind::Code(CodePlace::Line { file: None, line }) => format!("line {line}"),
        StopKind::Code(CodePlace::Line {
            file: Some(file),
            line,
        }) => format!("{file}:{line}"),
        StopKind::Code(CodePlace::Function(name)) => format!("function {name}"),
        StopKind::Code(CodePlace::Offset(offset)) => format!("@{offset:#x}"),
        StopKind::Write(what) => format!("write {what}"),
        StopKind::Primitive(name) => format!("call {name}"),
        StopKind::Trap => "trap".to_string(),
        StopKind::Event => "event".to_string(),
        StopKind::Limit => "limit".to_string(),
    };
    if let Some(condition) = &spec.condition {
        let _ = write!(text, " if {condition}");
    }
    if spec.hits > 1 {
        let _ = write!(text, " hits {}", spec.hits);
    }
    if let Some(log) = &spec.log {
        let _ = write!(text, " log {log:?}");
    }
    text
}

pub(super) fn mocks(mocks: &[MockListing], paint: &Paint) -> String {
    let none = "no mocks: every input is live; 'help mock' shows how to set one";
    listed(mocks, none, |mock| {
        let values = printable(&super::mock_values(&mock.values));
        format!("{} = {values}", paint.name(&mock.call))
    })
}

/// `expression = value  type`.
pub(super) fn value(expression: &str, value: &str, type_name: &str, paint: &Paint) -> String {
    let type_name = match type_name {
        "" => String::new(),
        name => paint.dim(format!("  {name}")),
    };
    let expression = paint.name(expression);
    format!("{expression} = {}{type_name}\n", printable(value))
}

/// Variables of a frame, then globals, then operands.
pub(super) fn variables(listing: &VariableListing, paint: &Paint) -> String {
    let mut text = String::new();
    let mut part = |title: &str, variables: &[Variable]| {
        if variables.is_empty() {
            return;
        }
        let _ = writeln!(text, "{}", paint.heading(title));
        let column = name_column(variables, 0).min(28);
        for variable in variables {
            variable_lines(&mut text, variable, 0, column, paint);
        }
    };
    let title = match listing.frame {
        0 => "variables".to_string(),
        frame => format!("variables of frame {frame}"),
    };
    part(&title, &listing.locals);
    part("globals", &listing.globals);
    if listing.of_libraries > 0 {
        let more = count(listing.of_libraries.into(), "global");
        let line = format!("and {more} of libraries: 'print' shows each");
        let _ = writeln!(text, "{}", paint.dim(line));
    }
    let operands = listing.operands.iter().enumerate();
    let operands: Vec<String> = operands
        .map(|(index, value)| format!("$stack{index} = {value}"))
        .collect();
    if !operands.is_empty() {
        let operands = printable(&operands.join("  "));
        let _ = writeln!(text, "{} {operands}", paint.heading("operands"));
    }
    if text.is_empty() {
        text.push_str("no variables here\n");
    }
    text
}

/// What a value has in it.
pub(super) fn expanded(listing: &ExpandedListing, paint: &Paint) -> String {
    let shown = listing.children.iter().map(|child| {
        let type_name = paint.dim(&child.type_name);
        let (name, value) = (paint.name(&child.name), paint.value(&child.value));
        format!("{name} = {value}  {type_name}\n")
    });
    let mut text: String = shown.collect();
    if text.is_empty() {
        text.push_str("nothing is in it\n");
    }
    text
}

/// The widest indented name.
fn name_column(variables: &[Variable], depth: usize) -> usize {
    variables
        .iter()
        .map(|v| {
            let own = 2 * depth + v.name.chars().count();
            own.max(name_column(&v.children, depth + 1))
        })
        .max()
        .unwrap_or_default()
}

fn variable_lines(
    text: &mut String,
    variable: &Variable,
    depth: usize,
    column: usize,
    paint: &Paint,
) {
    let (mark, role) = match variable.changed {
        true => ('*', Role::Changed),
        false => (' ', Role::Value),
    };
    let indent = 2 * depth;
    let padding = column.saturating_sub(indent + variable.name.chars().count());
    let length = variable.type_name.chars().count();
    let width = paint.width.saturating_sub(column + length + 7).max(20);
    let value = paint.paint(role, paint.fit(&variable.value, width));
    let type_name = match variable.type_name.as_str() {
        "" => String::new(),
        name => paint.dim(format!("  {name}")),
    };
    let name = paint.name(&variable.name);
    let _ = write!(text, "{mark} {:indent$}{name}{:padding$}", "", "");
    let _ = writeln!(text, "  {value}{type_name}");
    for child in &variable.children {
        variable_lines(text, child, depth + 1, column, paint);
    }
}

/// The call stack with a mark at the chosen frame.
pub fn stack(listing: &StackListing, chosen: u32, paint: &Paint) -> String {
    let none = "the stack is empty: the program has ended";
    listed(&listing.frames, none, |frame| {
        let mark = if frame.number == chosen { '▶' } else { ' ' };
        let at = paint.place(at(&frame.file, frame.line, Some(frame.offset)));
        let kind = paint.dim(match (frame.inlined, frame.handler) {
            (_, true) => "  (handler of an event)",
            (true, _) => "  (inlined)",
            _ => "",
        });
        let function = paint.name(&frame.function);
        format!("{mark}{:>3} {function}  {at}{kind}", frame.number)
    })
}

/// Sixteen bytes a line, as numbers and as text.
pub(super) fn memory(listing: &MemoryListing, paint: &Paint) -> String {
    let mut text = String::new();
    for (row, chunk) in listing.bytes.chunks(16).enumerate() {
        let address = u64::from(listing.address) + 16 * row as u64;
        let mut hex = String::new();
        let mut ascii = String::new();
        for (index, byte) in chunk.iter().enumerate() {
            let gap = if index == 8 { " " } else { "" };
            let _ = write!(hex, "{gap}{byte:02x} ");
            ascii.push(match byte {
                0x20..=0x7e => *byte as char,
                _ => '.',
            });
        }
        let address = paint.dim(format!("{address:#010x}"));
        let _ = writeln!(text, "{address}  {hex:<50}{ascii}");
    }
    text
}

/// Numbers or texts in memory, some to a line.
pub(super) fn examined(listing: &ExaminedListing, paint: &Paint) -> String {
    let width = listing.units.iter().map(|unit| unit.value.chars().count());
    let width = width.max().unwrap_or(0);
    let mut text = String::new();
    for line in listing.units.chunks(listing.per_line.max(1) as usize) {
        let address = line.first().map_or(0, |unit| unit.address);
        let address = paint.dim(format!("{address:#010x}"));
        let value = |unit: &ExaminedUnit| format!("{:>width$}", printable(&unit.value));
        let values: Vec<String> = line.iter().map(value).collect();
        let _ = writeln!(text, "{address}  {}", values.join("  ").trim_end());
    }
    text
}

/// Instructions with their offsets and the source lines at which they begin.
pub(super) fn disassembly(code: &Disassembly, paint: &Paint) -> String {
    let mut text = format!("{}\n", paint.place(&code.function));
    let mut last = None;
    for instruction in &code.instructions {
        let offset = format!("{:>#8x}", instruction.offset);
        let offset = margin(instruction.current, &offset, paint);
        let bar = bar(instruction.breakpoint, true, paint);
        let line = match instruction.line {
            Some(line) if last != Some(line) => format!("{line:>5}"),
            _ => "     ".to_string(),
        };
        last = instruction.line.or(last);
        let (line, words) = (paint.dim(line), printable(&instruction.text));
        let _ = writeln!(text, "{offset}{line} {bar} {words}");
    }
    text
}

/// Functions with their places.
pub(super) fn functions(listing: &FunctionListing, paint: &Paint) -> String {
    let none = "no function has a name like that";
    listed(&listing.functions, none, |function| {
        let offset = paint.dim(format!("{:>#8x}", function.offset));
        let at = match (&function.file, function.line) {
            (Some(_), Some(_)) => paint.place(at(&function.file, function.line, None)),
            _ => String::new(),
        };
        format!("{offset} {}  {at}", paint.name(&function.name))
    })
}

/// Columns of a table are cut to this.
const WIDEST: usize = 32;

/// The answer to a question.
pub fn table(table: &TableListing, paint: &Paint) -> String {
    let shown = |cell: &Cell| match cell {
        Cell::Null => String::new(),
        Cell::Integer(number) => number.to_string(),
        Cell::Real(number) => number.to_string(),
        Cell::Text(text) => paint.fit(&printable(text).replace('\n', " "), WIDEST),
    };
    let row = |row: &Vec<Cell>| row.iter().map(shown).collect();
    let rows: Vec<Vec<String>> = table.rows.iter().map(row).collect();
    let width = |(index, name): (usize, &String)| {
        let cells = rows.iter().filter_map(|row| row.get(index));
        let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        widest.max(name.chars().count())
    };
    let widths: Vec<usize> = table.columns.iter().enumerate().map(width).collect();
    let line = |cells: &[String]| {
        let padded = cells.iter().zip(&widths);
        let padded: Vec<String> = padded
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        padded.join("  ").trim_end().to_string()
    };
    let names: Vec<String> = table.columns.iter().map(|name| printable(name)).collect();
    let mut text = format!("{}\n", paint.heading(line(&names)));
    for row in &rows {
        let _ = writeln!(text, "{}", line(row));
    }
    let mut size = count(rows.len() as u64, "row");
    if table.more {
        size.push_str("; there are more, ask with LIMIT and OFFSET");
    }
    let _ = writeln!(text, "{}", paint.dim(size));
    text
}
