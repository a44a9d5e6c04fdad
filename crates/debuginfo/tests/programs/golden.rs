//! What is known of the example programs, as tables.
//!
//! After a change of a program or of this crate: `UPDATE=1 cargo test -p borges-debuginfo`, and read
//! the difference.

use std::fmt::Write as _;
use std::path::Path;

use borges_debuginfo::{DebugInfo, FramePoint, Holder, Piece, Stopped, ValuePlace};
use borges_vm::{CodeOffset, Value};

/// A state of which every wasm local, operand, global and byte of memory can be told apart.
struct Numbered;

impl Stopped for Numbered {
    fn local(&self, _frame: u32, index: u32) -> Option<Value> {
        Some(Value::I32(0x1000 + 0x100 * index as i32))
    }
    fn operand(&self, _frame: u32, index: u32) -> Option<Value> {
        Some(Value::I32(0x9000 + index as i32))
    }
    fn global(&self, index: u32) -> Option<Value> {
        Some(Value::I32(0x2000 + index as i32))
    }
    fn memory(&self, _memory: u32, address: u32, buffer: &mut [u8]) -> bool {
        for (i, byte) in buffer.iter_mut().enumerate() {
            *byte = (address as usize + i) as u8 % 3;
        }
        address < 0x1_0000
    }
}

#[test]
fn examples_are_understood_as_before() {
    let changed: Vec<String> = crate::common::EXAMPLES
        .into_iter()
        .filter_map(|name| check(name, &describe(&crate::common::example(name))))
        .collect();
    assert!(
        changed.is_empty(),
        "{}\nUPDATE=1 accepts this",
        changed.join("\n")
    );
}

/// Compares a text with the one that was accepted last, or accepts it; the first difference.
pub(crate) fn check(name: &str, found: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/golden");
    let path = folder.join(format!("{name}.txt"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, found).unwrap();
        return None;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    first_difference(&expected, found).map(|line| format!("{name}: {line}"))
}

fn first_difference(expected: &str, found: &str) -> Option<String> {
    let mut lines = expected.lines();
    for (number, found) in found.lines().enumerate() {
        match lines.next() {
            Some(expected) if expected == found => {}
            expected => {
                return Some(format!("line {}\n- {expected:?}\n+ {found:?}", number + 1));
            }
        }
    }
    lines.next().map(|line| format!("missing: {line}"))
}

/// Everything about a program, as text.
fn describe(info: &DebugInfo) -> String {
    let mut text = String::new();
    for warning in info.warnings() {
        writeln!(text, "warning: {warning}").unwrap();
    }
    for (number, file) in info.files().iter().enumerate() {
        let lines = file.text.as_ref().map_or(0, |text| text.lines().count());
        writeln!(text, "file {number}: {}, {lines} lines", file.path).unwrap();
    }
    for function in info.functions() {
        write!(text, "function {}: {}", function.index.0, function.name).unwrap();
        if let Some(symbol) = &function.symbol {
            write!(text, " ({symbol})").unwrap();
        }
        match function.entry {
            Some(entry) => writeln!(text, ", entry {entry}").unwrap(),
            None => writeln!(text, ", imported: {}", function.imported).unwrap(),
        }
    }
    for (number, file) in info.files().iter().enumerate() {
        let id = borges_debuginfo::FileId(number as u32);
        for line in info.lines_with_code(id) {
            let found = info.break_at_line(id, line).unwrap();
            assert!(!found.moved());
            let source = file.line(line).unwrap_or("").trim();
            writeln!(text, "\n{number}:{line}  {source}").unwrap();
            for offset in found.offsets {
                assert!(info.line_begins(offset));
                describe_stop(info, offset, &mut text);
            }
        }
    }
    writeln!(text).unwrap();
    for variable in info.globals() {
        let stop = FramePoint {
            frame: 0,
            offset: CodeOffset(0),
            inlined: 0,
        };
        write!(text, "{:?} {}", variable.kind, variable.name).unwrap();
        describe_variable(info, variable, stop, &mut text);
    }
    text
}

fn describe_stop(info: &DebugInfo, offset: CodeOffset, text: &mut String) {
    for (inlined, frame) in info.frames_at(offset).iter().enumerate() {
        let place = frame.place.unwrap();
        let how = if frame.inlined { " (inlined)" } else { "" };
        writeln!(
            text,
            "  {offset} {} at {}:{}:{}{how}",
            frame.function, place.file.0, place.line, place.column
        )
        .unwrap();
        let stop = FramePoint {
            frame: 0,
            offset,
            inlined,
        };
        for variable in info.variables_at(stop) {
            write!(text, "      {:?} {}", variable.kind, variable.name).unwrap();
            describe_variable(info, &variable, stop, text);
        }
    }
}

fn describe_variable(
    info: &DebugInfo,
    variable: &borges_debuginfo::Variable,
    stop: FramePoint,
    text: &mut String,
) {
    let ty = info.type_name(variable.ty);
    match info.locate(variable, stop, &Numbered) {
        Ok(object) => {
            let place = describe_place(&object.place);
            writeln!(
                text,
                ": {ty} in {place} = {}",
                info.show(&object, &Numbered)
            )
            .unwrap();
        }
        Err(why) => writeln!(text, ": {ty} <{why}>").unwrap(),
    }
}

fn describe_place(place: &ValuePlace) -> String {
    let piece = |piece: &Piece| match &piece.source {
        Holder::Local { index, .. } => format!("local {index}"),
        Holder::Operand { index, .. } => format!("operand {index}"),
        Holder::Global(index) => format!("global {index}"),
        Holder::Memory {
            address, length, ..
        } => format!("memory {address:#x}+{length}"),
        Holder::Computed(_) => "no place".to_owned(),
        Holder::Removed => "removed".to_owned(),
    };
    place
        .pieces
        .iter()
        .map(piece)
        .collect::<Vec<_>>()
        .join(", ")
}
