//! Breakpoints, mocks, values, the stack, memory, code.

use std::fmt::Write as _;

use borges_session::command::{Cell, CodePlace, NewBreakpoint, StopKind};
use borges_session::listing::{
    BreakpointListing, Disassembly, ExaminedListing, FunctionListing, MemoryListing, MockListing,
    StackListing, TableListing, Variable, VariableListing,
};

use crate::paint::{Paint, Role, count, printable};

use super::place::{bar, margin};

/// A breakpoint that was just set.
pub(super) fn breakpoint_set(breakpoint: &BreakpointListing, paint: &Paint) -> String {
    format!("{}\n", breakpoint_line(breakpoint, paint))
}

/// All breakpoints.
pub(super) fn breakpoints(breakpoints: &[BreakpointListing], paint: &Paint) -> String {
    if breakpoints.is_empty() {
        return "no breakpoints yet: 'break 21' sets one, 'help break' shows what else\n"
            .to_string();
    }
    let mut text = String::new();
    for breakpoint in breakpoints {
        let _ = writeln!(text, "{}", breakpoint_line(breakpoint, paint));
    }
    text
}

fn breakpoint_line(breakpoint: &BreakpointListing, paint: &Paint) -> String {
    let mut line = format!(
        "{} {}",
        paint.paint(Role::Heading, format!("breakpoint {}:", breakpoint.id)),
        printable(&described(&breakpoint.spec))
    );
    if !breakpoint.resolved.is_empty() {
        let at = match breakpoint.spec.kind {
            StopKind::Code(_) => "at ",
            _ => "",
        };
        let place = format!("  {at}{}", printable(&breakpoint.resolved));
        line.push_str(&paint.paint(Role::Place, place));
    }
    if breakpoint.count > 0 {
        let hit = format!("  hit {}", count(breakpoint.count, "time"));
        line.push_str(&paint.paint(Role::Dim, hit));
    }
    if !breakpoint.enabled {
        line.push_str(&paint.paint(Role::Warning, "  off"));
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

/// All mocks.
pub(super) fn mocks(mocks: &[MockListing], paint: &Paint) -> String {
    if mocks.is_empty() {
        return "no mocks: every input is live; 'help mock' shows how to set one\n".to_string();
    }
    let mut text = String::new();
    for mock in mocks {
        let _ = writeln!(
            text,
            "{} = {}",
            paint.paint(Role::Name, printable(&mock.call)),
            printable(&super::mock_values(&mock.values))
        );
    }
    text
}

/// `expression = value  type`.
pub(super) fn value(expression: &str, value: &str, type_name: &str, paint: &Paint) -> String {
    let mut text = format!(
        "{} = {}",
        paint.paint(Role::Name, printable(expression)),
        printable(value)
    );
    if !type_name.is_empty() {
        let type_name = format!("  {}", printable(type_name));
        text.push_str(&paint.paint(Role::Dim, type_name));
    }
    text.push('\n');
    text
}

/// Variables of a frame, then globals, then operands.
pub(super) fn variables(listing: &VariableListing, paint: &Paint) -> String {
    let mut text = String::new();
    let mut part = |title: &str, variables: &[Variable]| {
        if variables.is_empty() {
            return;
        }
        let _ = writeln!(text, "{}", paint.paint(Role::Heading, title));
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
        let _ = writeln!(text, "{}", paint.paint(Role::Dim, line));
    }
    let operands = listing.operands.iter().enumerate();
    let operands: Vec<String> = operands
        .map(|(index, value)| format!("$stack{index} = {value}"))
        .collect();
    if !operands.is_empty() {
        let _ = writeln!(
            text,
            "{} {}",
            paint.paint(Role::Heading, "operands"),
            printable(&operands.join("  "))
        );
    }
    if text.is_empty() {
        text.push_str("no variables here\n");
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
    let mark = if variable.changed { '*' } else { ' ' };
    let indent = 2 * depth;
    let name = printable(&variable.name);
    let padding = column.saturating_sub(indent + name.chars().count());
    let role = if variable.changed {
        Role::Changed
    } else {
        Role::Value
    };
    let mut type_name = printable(&variable.type_name);
    let width = paint
        .width
        .saturating_sub(column + type_name.chars().count() + 7)
        .max(20);
    let value = paint.fit(&printable(&variable.value), width);
    if !type_name.is_empty() {
        type_name.insert_str(0, "  ");
    }
    let _ = writeln!(
        text,
        "{mark} {:indent$}{}{:padding$}  {}{}",
        "",
        paint.paint(Role::Name, name),
        "",
        paint.paint(role, value),
        paint.paint(Role::Dim, type_name)
    );
    for child in &variable.children {
        variable_lines(text, child, depth + 1, column, paint);
    }
}

/// The call stack with a mark at the chosen frame.
pub fn stack(listing: &StackListing, chosen: u32, paint: &Paint) -> String {
    if listing.frames.is_empty() {
        return "the stack is empty: the program has ended\n".to_string();
    }
    let mut text = String::new();
    for frame in &listing.frames {
        let mark = if frame.number == chosen { '▶' } else { ' ' };
        let at = match (&frame.file, frame.line) {
            (Some(file), Some(line)) => format!("{}:{line}", printable(file)),
            _ => format!("@{:#x}", frame.offset),
        };
        let kind = match (frame.inlined, frame.handler) {
            (_, true) => "  (handler of an event)",
            (true, _) => "  (inlined)",
            _ => "",
        };
        let _ = writeln!(
            text,
            "{mark}{:>3} {}  {}{}",
            frame.number,
            paint.paint(Role::Name, printable(&frame.function)),
            paint.paint(Role::Place, at),
            paint.paint(Role::Dim, kind)
        );
    }
    text
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
        let _ = writeln!(
            text,
            "{}  {hex:<50}{ascii}",
            paint.paint(Role::Dim, format!("{address:#010x}")),
        );
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
        let values: Vec<String> = line
            .iter()
            .map(|unit| format!("{:>width$}", printable(&unit.value)))
            .collect();
        let _ = writeln!(
            text,
            "{}  {}",
            paint.paint(Role::Dim, format!("{address:#010x}")),
            values.join("  ").trim_end()
        );
    }
    text
}

/// Instructions with their offsets and the source lines at which they begin.
pub(super) fn disassembly(code: &Disassembly, paint: &Paint) -> String {
    let mut text = format!("{}\n", paint.paint(Role::Place, printable(&code.function)));
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
        let _ = writeln!(
            text,
            "{offset}{} {bar} {}",
            paint.paint(Role::Dim, line),
            printable(&instruction.text)
        );
    }
    text
}

/// Functions with their places.
pub(super) fn functions(listing: &FunctionListing, paint: &Paint) -> String {
    if listing.functions.is_empty() {
        return "no function has a name like that\n".to_string();
    }
    let mut text = String::new();
    for function in &listing.functions {
        let at = match (&function.file, function.line) {
            (Some(file), Some(line)) => format!("{}:{line}", printable(file)),
            _ => String::new(),
        };
        let _ = writeln!(
            text,
            "{} {}  {}",
            paint.paint(Role::Dim, format!("{:>#8x}", function.offset)),
            paint.paint(Role::Name, printable(&function.name)),
            paint.paint(Role::Place, at)
        );
    }
    text
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
    let rows: Vec<Vec<String>> = table
        .rows
        .iter()
        .map(|row| row.iter().map(shown).collect())
        .collect();
    let widths: Vec<usize> = table
        .columns
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let cells = rows.iter().filter_map(|row| row.get(index));
            let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
            widest.max(name.chars().count())
        })
        .collect();
    let line = |cells: &[String]| {
        let padded: Vec<String> = cells
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        padded.join("  ").trim_end().to_string()
    };
    let names: Vec<String> = table.columns.iter().map(|name| printable(name)).collect();
    let mut text = format!("{}\n", paint.paint(Role::Heading, line(&names)));
    for row in &rows {
        let _ = writeln!(text, "{}", line(row));
    }
    let mut size = count(rows.len() as u64, "row");
    if table.more {
        size.push_str("; there are more, ask with LIMIT and OFFSET");
    }
    let _ = writeln!(text, "{}", paint.paint(Role::Dim, size));
    text
}
