//! Debug information of real programs, joined with a library: it says of all code what it said before.

use borges_debuginfo::{DebugInfo, FramePoint, Object, SourcePlace, Stopped};
use borges_vm::{CodeOffset, ExternType, FuncIdx, Value};

use super::tests::{assembled, parts};
use super::*;

/// Compiled by clang, rustc, a newer clang from C++, and AssemblyScript, which writes a source map.
const PROGRAMS: [&str; 6] = [
    "crates/cli/tests/programs/meter.wasm",
    "crates/cli/tests/programs/tank.wasm",
    "crates/cli/tests/programs/thrown.wasm",
    "examples/color-dial/color-dial.wasm",
    "examples/knock/knock-O0.wasm",
    "examples/while/while-O0.wasm",
];

/// A machine in which everything has a value that follows from its number in the program, whatever that is now.
struct Anywhere<'n>(Option<&'n [u32]>);

impl Stopped for Anywhere<'_> {
    fn local(&self, frame: u32, index: u32) -> Option<Value> {
        Some(Value::I32((4096 + frame * 64 + index * 8) as i32))
    }

    fn operand(&self, _: u32, index: u32) -> Option<Value> {
        Some(Value::I32(8192 + index as i32))
    }

    fn global(&self, index: u32) -> Option<Value> {
        let old = match self.0 {
            Some(numbers) => numbers.iter().position(|number| *number == index)?,
            None => index as usize,
        };
        Some(Value::I32(2048 + 32 * old as i32))
    }

    fn memory(&self, _memory: u32, address: u32, buffer: &mut [u8]) -> bool {
        for (byte, at) in buffer.iter_mut().zip(address..) {
            *byte = (at.wrapping_mul(0x9e37_79b1) >> 24) as u8;
        }
        true
    }
}

/// A module that has all functions that a program imports from `env`.
fn library(module: &borges_vm::Module) -> String {
    let mut text = String::from("(module");
    let mut known = Vec::new();
    for import in module.imports().filter(|import| import.module == "env") {
        let ExternType::Func(ty) = import.ty else {
            continue;
        };
        if known.contains(&import.name) {
            continue;
        }
        known.push(import.name);
        let types = |types: &[borges_vm::ValType]| {
            let types: Vec<String> = types.iter().map(ToString::to_string).collect();
            types.join(" ")
        };
        let (params, results) = (types(&ty.params), types(&ty.results));
        let name = import.name;
        text.push_str(&format!(
            "(func (export \"{name}\") (param {params}) (result {results}) unreachable)"
        ));
    }
    text + "(memory 1))"
}

fn named(info: &DebugInfo, place: Option<SourcePlace>) -> Option<(String, u32, u32)> {
    let place = place?;
    let file = info.file(place.file)?;
    Some((file.path.clone(), place.line, place.column))
}

/// The variables at a place, by name, with the bytes that they have in a machine.
fn values(info: &DebugInfo, at: CodeOffset, state: &Anywhere<'_>) -> Vec<(String, String)> {
    let point = |inlined| FramePoint {
        frame: 0,
        offset: at,
        inlined,
    };
    let mut values = Vec::new();
    for inlined in 0..=info.inlined_at(at) {
        let variables = info.variables_at(point(inlined)).into_iter();
        for variable in variables.chain(info.globals().iter().cloned()) {
            let object = info.locate(&variable, point(inlined), state);
            let bytes = object.map(|object: Object| object.place.read(state));
            values.push((variable.name, format!("{bytes:?}")));
        }
    }
    values
}

#[test]
fn lines_and_variables_are_the_same_in_joined_programs() {
    for path in PROGRAMS {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(path);
        let bytes = std::fs::read(&file).expect("a file");
        let board = borges_board::Board::default_board();
        let module = borges_vm::Module::new(&bytes, &borges_vm::Limits::host()).expect("a module");
        let mut files = vec![("", bytes.clone())];
        files.extend(assembled(&[("env", &library(&module))]));
        let parts = parts(&files).expect("parts");
        let numbers = &Plan::new(&parts, &board).expect("a plan").numbers[0];
        let joined = join(&parts, &board).expect("joined");
        let sources = borges_debuginfo::Folders::around(&file);
        let (old, new) = (
            DebugInfo::load(&bytes, &sources).expect("read"),
            DebugInfo::load(&joined, &sources).expect("read"),
        );
        assert_eq!(new.warnings(), old.warnings(), "{path}");
        let whole = borges_vm::Module::new(&joined, &borges_vm::Limits::host()).expect("valid");
        let globals = parts[0].count(Kind::Global);
        let globals: Vec<u32> = (0..globals)
            .map(|index| numbers.of(Kind::Global, index))
            .collect();
        let (mut lines, mut looked) = (0, 0);
        for func in module.funcs().skip(module.imported_funcs() as usize) {
            let now = FuncIdx(numbers.of(Kind::Func, func.0));
            assert_eq!(new.function(now).name, old.function(func).name, "{path}");
            let (was, is): (Vec<_>, Vec<_>) = (
                module.instr_starts(func).collect(),
                whole.instr_starts(now).collect(),
            );
            assert_eq!(was.len(), is.len(), "{path}");
            for (number, (was, is)) in was.into_iter().zip(is).enumerate() {
                let places = (
                    named(&old, old.place_at(was)),
                    named(&new, new.place_at(is)),
                );
                assert_eq!(places.0, places.1, "{path} {was:?} {is:?}");
                assert_eq!(
                    old.line_begins(was),
                    new.line_begins(is),
                    "{path} {was:?} {is:?}"
                );
                lines += usize::from(old.line_begins(was));
                if number % 11 == 0 {
                    let before = values(&old, was, &Anywhere(None));
                    looked += before.len();
                    assert_eq!(
                        before,
                        values(&new, is, &Anywhere(Some(&globals))),
                        "{path} {was:?}"
                    );
                }
            }
        }
        assert!(
            lines > 5 && looked > 5,
            "{path}: {lines} lines, {looked} variables"
        );
    }
}

/// Bytes of debug information that mean nothing, or something else, are written anew or left out by name; nothing panics,
/// and the joined module is whole.
#[test]
fn hostile_debug_information_is_joined_or_left_out() {
    let (mut kept, mut left_out) = (0, 0);
    for path in PROGRAMS.into_iter().take(3) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(path);
        let bytes = std::fs::read(&file).expect("a file");
        let module = borges_vm::Module::new(&bytes, &borges_vm::Limits::host()).expect("a module");
        let library = assembled(&[("env", &library(&module))]);
        let mut ranges = Vec::new();
        for payload in wasmparser::Parser::new(0).parse_all(&bytes) {
            if let Ok(wasmparser::Payload::CustomSection(section)) = payload
                && section.name().starts_with(".debug_")
            {
                let range = section.data_range();
                ranges.push(range.start as usize..range.end as usize);
            }
        }
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut bytes = bytes.clone();
            for _ in 0..random.usize(1..4) {
                let range = random.choice(&ranges).expect("DWARF").clone();
                bytes[random.usize(range)] = random.u8(..);
            }
            let mut files = vec![("", bytes)];
            files.extend(library.clone());
            let parts = parts(&files).expect("parts");
            let joined = join(&parts, &borges_board::Board::default_board()).expect("joined");
            let whole = borges_vm::Module::new(&joined, &borges_vm::Limits::host());
            assert!(whole.is_ok(), "{path} {seed}");
            let info = DebugInfo::load(&joined, &borges_debuginfo::NoSources).expect("read");
            let warnings = info.warnings().iter().map(ToString::to_string);
            let said = warnings
                .filter(|said| said.starts_with("the DWARF of the program"))
                .count();
            *if said > 0 { &mut left_out } else { &mut kept } += 1;
        }
    }
    assert!(
        kept > 20 && left_out > 20,
        "{kept} kept, {left_out} left out"
    );
}
