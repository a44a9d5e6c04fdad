//! Debug information at the limits of what is read of it, and one past them: past a limit less is known, and
//! that is said.

use std::collections::HashMap;

use borges_debuginfo::{
    DebugInfo, DebugPart, FramePoint, NoSources, Problem, SourceProvider, Unavailable, Warning,
};
use borges_vm::{CodeOffset, FuncIdx, Value};

use crate::common::{Fake, leb, with_sections};

/// The value of an attribute, in one form each.
#[derive(Clone, Copy)]
enum Is<'a> {
    Byte(u8),
    Length(u32),
    Address(u32),
    /// The offset of another entry.
    Entry(u32),
    /// An offset in another section.
    At(u32),
    Text(&'a str),
    Expression(&'a [u8]),
}

impl Is<'_> {
    fn form(self) -> u8 {
        match self {
            Is::Address(_) => 0x01,
            Is::Length(_) => 0x06,
            Is::Text(_) => 0x08,
            Is::Byte(_) => 0x0b,
            Is::Entry(_) => 0x13,
            Is::At(_) => 0x17,
            Is::Expression(_) => 0x18,
        }
    }

    fn write(self, to: &mut Vec<u8>) {
        match self {
            Is::Byte(byte) => to.push(byte),
            Is::Length(number) | Is::Address(number) | Is::Entry(number) | Is::At(number) => {
                to.extend(number.to_le_bytes());
            }
            Is::Text(text) => {
                to.extend(text.bytes());
                to.push(0);
            }
            Is::Expression(bytes) => {
                leb(bytes.len() as u64, to);
                to.extend(bytes);
            }
        }
    }
}

// Tags.
const FORMAL_PARAMETER: u8 = 0x05;
const LEXICAL_BLOCK: u8 = 0x0b;
const COMPILE_UNIT: u8 = 0x11;
const INLINED_SUBROUTINE: u8 = 0x1d;
const BASE_TYPE: u8 = 0x24;
const SUBPROGRAM: u8 = 0x2e;
const VARIABLE: u8 = 0x34;
const NAMESPACE: u8 = 0x39;
// Attributes.
const LOCATION: u8 = 0x02;
const NAME: u8 = 0x03;
const BYTE_SIZE: u8 = 0x0b;
const LOW_PC: u8 = 0x11;
const HIGH_PC: u8 = 0x12;
const LANGUAGE: u8 = 0x13;
const ABSTRACT_ORIGIN: u8 = 0x31;
const ENCODING: u8 = 0x3e;
const SPECIFICATION: u8 = 0x47;
const TYPE: u8 = 0x49;
const RANGES: u8 = 0x55;
// Operations.
const LITERAL_7: u8 = 0x37;
const NOTHING: u8 = 0x96;
const STACK_VALUE: u8 = 0x9f;
const LOCAL_0: [u8; 3] = [0xed, 0, 0];

/// One unit of DWARF 4, entry by entry.
struct Dwarf {
    /// What entries look like: tag, children, attributes and forms.
    shapes: Vec<Vec<u8>>,
    info: Vec<u8>,
}

impl Dwarf {
    /// A unit that is a compiler's for a language.
    fn of(language: u8) -> Dwarf {
        let mut dwarf = Dwarf {
            shapes: Vec::new(),
            // Length (later), version, abbreviations, size of an address.
            info: vec![0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 4],
        };
        dwarf.open(COMPILE_UNIT, &[(LANGUAGE, Is::Byte(language))]);
        dwarf
    }

    fn c() -> Dwarf {
        Dwarf::of(0x0c)
    }

    fn write(&mut self, tag: u8, children: bool, attributes: &[(u8, Is)]) -> u32 {
        let mut shape = vec![tag, children.into()];
        shape.extend(attributes.iter().flat_map(|(name, is)| [*name, is.form()]));
        let known = self.shapes.iter().position(|known| *known == shape);
        let code = known.unwrap_or(self.shapes.len());
        if known.is_none() {
            self.shapes.push(shape);
        }
        let at = self.info.len() as u32;
        self.info.push(code as u8 + 1);
        for (_, is) in attributes {
            is.write(&mut self.info);
        }
        at
    }

    /// An entry without children; where it is.
    fn entry(&mut self, tag: u8, attributes: &[(u8, Is)]) -> u32 {
        self.write(tag, false, attributes)
    }

    /// An entry whose children follow, up to [`Dwarf::close`].
    fn open(&mut self, tag: u8, attributes: &[(u8, Is)]) -> u32 {
        self.write(tag, true, attributes)
    }

    fn close(&mut self) {
        self.info.push(0);
    }

    /// The type `u32`.
    fn word(&mut self) -> u32 {
        self.entry(
            BASE_TYPE,
            &[
                (NAME, Is::Text("u32")),
                (ENCODING, Is::Byte(7)),
                (BYTE_SIZE, Is::Byte(4)),
            ],
        )
    }

    /// The debug information of `wasm` with this unit and other sections.
    fn load(
        mut self,
        wasm: &[u8],
        others: &[(&str, &[u8])],
        sources: &dyn SourceProvider,
    ) -> DebugInfo {
        self.close();
        let length = self.info.len() as u32 - 4;
        self.info[..4].copy_from_slice(&length.to_le_bytes());
        let mut abbreviations = Vec::new();
        for (code, shape) in (1..).zip(&self.shapes) {
            abbreviations.push(code);
            abbreviations.extend(shape);
            abbreviations.extend([0, 0]);
        }
        abbreviations.push(0);
        let mut sections = vec![
            (".debug_abbrev", abbreviations.as_slice()),
            (".debug_info", self.info.as_slice()),
        ];
        sections.extend(others);
        DebugInfo::load(&with_sections(wasm, &sections), sources).unwrap()
    }
}

/// A module, and where its code begins.
struct Code {
    wasm: Vec<u8>,
    start: u32,
}

impl Code {
    /// Of one function with a parameter that does nothing so many times.
    fn nops(count: usize) -> Code {
        let nops = "nop ".repeat(count);
        Code::of(&format!(
            "(module (func (export \"run\") (param i32) {nops}))"
        ))
    }

    fn of(text: &str) -> Code {
        let wasm = wat::parse_str(text).unwrap();
        let start = wasmparser::Parser::new(0)
            .parse_all(&wasm)
            .find_map(|payload| match payload {
                Ok(wasmparser::Payload::CodeSectionStart {
                    unchecked_range, ..
                }) => Some(unchecked_range.start as u32),
                _ => None,
            });
        let start = start.unwrap();
        Code { wasm, start }
    }

    /// Where the opcodes of a function are in the file.
    fn opcodes(&self, function: u32) -> Vec<CodeOffset> {
        let info = DebugInfo::load(&self.wasm, &NoSources).unwrap();
        let instructions = info.disassemble(FuncIdx(function)).into_iter();
        instructions.map(|instruction| instruction.offset).collect()
    }

    /// The addresses of the opcodes of the first function, as DWARF counts them.
    fn addresses(&self) -> Vec<u32> {
        let opcodes = self.opcodes(0).into_iter();
        opcodes.map(|offset| offset.0 - self.start).collect()
    }
}

/// Words as bytes.
fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn at(offset: CodeOffset) -> FramePoint {
    FramePoint {
        frame: 0,
        offset,
        inlined: 0,
    }
}

/// What is said to be left out, wherever it was.
fn too_large(warnings: &[Warning]) -> Vec<DebugPart> {
    let large = |warning: &Warning| match &warning.problem {
        Problem::TooLarge => warning.part,
        other => panic!("{other}"),
    };
    warnings.iter().map(large).collect()
}

#[test]
fn locations_take_so_many_operations_and_so_deep_a_stack() {
    let code = Code::nops(1);
    let nothing = |count: usize| [vec![LITERAL_7], vec![NOTHING; count - 2]].concat();
    let seven = Ok("7".to_owned());
    for (operations, value) in [
        (nothing(1000), seven.clone()),
        (nothing(1001), Err(Unavailable::Unsupported)),
        (vec![LITERAL_7; 64], seven),
        (vec![LITERAL_7; 65], Err(Unavailable::Unsupported)),
    ] {
        let mut dwarf = Dwarf::c();
        let word = dwarf.word();
        let location = [operations, vec![STACK_VALUE]].concat();
        dwarf.entry(
            VARIABLE,
            &[
                (NAME, Is::Text("x")),
                (TYPE, Is::Entry(word)),
                (LOCATION, Is::Expression(&location)),
            ],
        );
        let info = dwarf.load(&code.wasm, &[], &NoSources);
        let state = Fake::default();
        let found = info.locate(&info.globals()[0], at(CodeOffset(0)), &state);
        assert_eq!(found.map(|object| info.show(&object, &state)), value);
    }
}

#[test]
fn a_parameter_lasts_only_if_all_of_a_long_list_agree() {
    let code = Code::nops(4);
    let addresses = code.addresses();
    let list = |operations: &[u8]| {
        let mut entry = bytes([addresses[0], addresses[1]]);
        entry.extend((operations.len() as u16).to_le_bytes());
        entry.extend(operations);
        entry
    };
    let same = list(&[&LOCAL_0[..], &[STACK_VALUE]].concat()).repeat(100);
    let other = list(&[LITERAL_7, STACK_VALUE]);
    for (last, value) in [
        (&[][..], Ok("5".to_owned())),
        (&other, Err(Unavailable::Removed)),
    ] {
        // DW_LANG_Rust.
        let mut dwarf = Dwarf::of(0x1c);
        let word = dwarf.word();
        let function = [
            (LOW_PC, Is::Address(addresses[0])),
            (HIGH_PC, Is::Length(addresses[4] - addresses[0])),
        ];
        dwarf.open(SUBPROGRAM, &function);
        dwarf.entry(
            FORMAL_PARAMETER,
            &[
                (NAME, Is::Text("x")),
                (TYPE, Is::Entry(word)),
                (LOCATION, Is::At(0)),
            ],
        );
        dwarf.close();
        let lists = [&same[..], last, &bytes([0, 0])].concat();
        let info = dwarf.load(&code.wasm, &[(".debug_loc", &lists)], &NoSources);
        let state = Fake {
            locals: [(0, Value::I32(5))].into(),
            ..Fake::default()
        };
        let stop = at(code.opcodes(0)[2]);
        let variable = &info.variables_at(stop)[0];
        let found = info.locate(variable, stop, &state);
        assert_eq!(found.map(|object| info.show(&object, &state)), value);
    }
}

#[test]
fn a_scope_has_so_many_ranges() {
    let code = Code::nops(4);
    let addresses = code.addresses();
    for (count, variables, warned) in [
        (4096, &["x"][..], &[][..]),
        (4097, &[], &[DebugPart::DwarfEntries]),
    ] {
        let mut dwarf = Dwarf::c();
        let function = [
            (LOW_PC, Is::Address(addresses[0])),
            (HIGH_PC, Is::Length(addresses[4] - addresses[0])),
        ];
        dwarf.open(SUBPROGRAM, &function);
        dwarf.open(LEXICAL_BLOCK, &[(RANGES, Is::At(0))]);
        dwarf.entry(VARIABLE, &[(NAME, Is::Text("x"))]);
        dwarf.close();
        dwarf.close();
        // The code of the stop is in the last range.
        let mut ranges = bytes([addresses[0], addresses[1]]).repeat(count - 1);
        ranges.extend(bytes([addresses[2], addresses[3], 0, 0]));
        let info = dwarf.load(&code.wasm, &[(".debug_ranges", &ranges)], &NoSources);
        let found = info.variables_at(at(code.opcodes(0)[2]));
        let names: Vec<&str> = found.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, variables, "{count} ranges");
        assert_eq!(too_large(info.warnings()), warned);
    }
}

#[test]
fn so_long_a_path_is_written_out() {
    let code = Code::nops(1);
    for (length, path) in [(256, "n".repeat(256)), (257, "…".to_owned())] {
        let mut dwarf = Dwarf::c();
        let word = dwarf.word();
        dwarf.open(NAMESPACE, &[(NAME, Is::Text(&"n".repeat(length)))]);
        let variable = [
            (NAME, Is::Text("x")),
            (TYPE, Is::Entry(word)),
            (LOCATION, Is::Expression(&[LITERAL_7, STACK_VALUE])),
        ];
        dwarf.entry(VARIABLE, &variable);
        dwarf.close();
        let info = dwarf.load(&code.wasm, &[], &NoSources);
        assert_eq!(info.globals()[0].name, format!("{path}::x"));
    }
}

#[test]
fn a_name_is_looked_for_in_so_many_descriptions() {
    let code = Code::nops(1);
    let addresses = code.addresses();
    // Without a name in the source, a function has that of the module.
    for (count, name) in [(8, "in_source"), (9, "run")] {
        let mut dwarf = Dwarf::c();
        let mut last = dwarf.entry(SUBPROGRAM, &[(NAME, Is::Text("in_source"))]);
        for _ in 2..count {
            last = dwarf.entry(SUBPROGRAM, &[(SPECIFICATION, Is::Entry(last))]);
        }
        let function = [
            (SPECIFICATION, Is::Entry(last)),
            (LOW_PC, Is::Address(addresses[0])),
            (HIGH_PC, Is::Length(1)),
        ];
        dwarf.entry(SUBPROGRAM, &function);
        let info = dwarf.load(&code.wasm, &[], &NoSources);
        assert_eq!(info.functions()[0].name, name, "{count} descriptions");
    }
}

/// A source map that begins a new line of its one file at each of these offsets.
fn source_map(lines: &[CodeOffset]) -> HashMap<String, Vec<u8>> {
    let mut mappings = String::new();
    let mut last = 0;
    for offset in lines {
        // Each number is the difference to the one before: offset, file, line, column.
        mappings.push_str(&vlq(offset.0 - last));
        mappings.push_str("ACA,");
        last = offset.0;
    }
    let map = format!("{{\"version\":3,\"sources\":[\"a.ts\"],\"mappings\":\"{mappings}\"}}");
    HashMap::from([("m".to_owned(), map.into_bytes())])
}

/// The section that names the source map.
const SOURCE_MAP: (&str, &[u8]) = ("sourceMappingURL", b"\x01m");

/// A number of a source map: groups of five bits, of which the first bit is the sign.
fn vlq(number: u32) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut rest = u64::from(number) << 1;
    let mut text = String::new();
    loop {
        let more = if rest > 31 { 32 } else { 0 };
        text.push(DIGITS[(rest & 31) as usize + more].into());
        rest >>= 5;
        if rest == 0 {
            return text;
        }
    }
}

#[test]
fn a_breakpoint_stops_at_the_first_lines_of_so_many_inlined_calls() {
    const CALLS: usize = 4096;
    let code = Code::nops(2 * CALLS + 2);
    let (addresses, opcodes) = (code.addresses(), code.opcodes(0));
    let mut dwarf = Dwarf::c();
    let called = dwarf.entry(SUBPROGRAM, &[(NAME, Is::Text("called"))]);
    let function = [
        (LOW_PC, Is::Address(addresses[0])),
        (HIGH_PC, Is::Length(2 * CALLS as u32 + 2)),
    ];
    dwarf.open(SUBPROGRAM, &function);
    // The first line of each call begins at its second opcode.
    let starts = || (0..2 * CALLS + 2).step_by(2);
    for start in starts() {
        let call = [
            (ABSTRACT_ORIGIN, Is::Entry(called)),
            (LOW_PC, Is::Address(addresses[start])),
            (HIGH_PC, Is::Length(2)),
        ];
        dwarf.entry(INLINED_SUBROUTINE, &call);
    }
    dwarf.close();
    let lines: Vec<CodeOffset> = starts().map(|start| opcodes[start + 1]).collect();
    let info = dwarf.load(&code.wasm, &[SOURCE_MAP], &source_map(&lines));
    let found = info.break_at_function("called");
    assert_eq!(found[..CALLS], lines[..CALLS]);
    // Past them, a call is not missed: the stop is at its first opcode.
    assert_eq!(found[CALLS..], [opcodes[2 * CALLS]]);
}

#[test]
fn a_place_is_looked_for_behind_so_many_wrappers() {
    for (count, line) in [(64, Some(2)), (65, None)] {
        let calls = (1..count).map(|next| format!("(func (call {next}))"));
        let functions: String = calls.collect();
        let code = Code::of(&format!("(module {functions} (func nop))"));
        let last = code.opcodes(count - 1)[0];
        let wasm = with_sections(&code.wasm, &[SOURCE_MAP]);
        let info = DebugInfo::load(&wasm, &source_map(&[last])).unwrap();
        let place = info.first_place(FuncIdx(0));
        assert_eq!(place.map(|place| place.line), line);
    }
}

#[test]
fn the_largest_source_map_is_read_and_a_larger_one_is_not() {
    let wasm = with_sections(&Code::nops(1).wasm, &[SOURCE_MAP]);
    for (size, warned) in [
        (16 << 20, &[][..]),
        ((16 << 20) + 1, &[DebugPart::SourceMap]),
    ] {
        let mut files = source_map(&[]);
        files.get_mut("m").unwrap().resize(size, b' ');
        let info = DebugInfo::load(&wasm, &files).unwrap();
        assert_eq!(too_large(info.warnings()), warned);
        assert_eq!(info.files().len(), usize::from(warned.is_empty()));
    }
}

#[test]
fn source_texts_that_are_left_out_are_reported() {
    let wasm = with_sections(&Code::nops(1).wasm, &[SOURCE_MAP]);
    for (size, warned) in [(16 << 20, &[][..]), ((16 << 20) + 1, &[DebugPart::Sources])] {
        let mut files = source_map(&[]);
        files.insert("a.ts".to_owned(), vec![b' '; size]);
        let info = DebugInfo::load(&wasm, &files).unwrap();
        assert_eq!(too_large(info.warnings()), warned);
        assert_eq!(info.files()[0].text.is_some(), warned.is_empty());
    }
}
