//! What the tests share: the example programs and a state that is no program's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use borges_debuginfo::{DebugInfo, Folders, Stopped};
use borges_vm::Value;

/// The example programs, with the language that each is written in.
pub(crate) const EXAMPLES: [&str; 7] = [
    "binary-counter",
    "blink",
    "color-dial",
    "light-sensor",
    "smart-curtain",
    "temperature-monitor",
    "uart-parser",
];

pub(crate) fn example_path(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    root.join(name).join(format!("{name}.wasm"))
}

pub(crate) fn example_bytes(name: &str) -> Vec<u8> {
    let path = example_path(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn example(name: &str) -> DebugInfo {
    let info = DebugInfo::load(&example_bytes(name), &Folders::around(&example_path(name)));
    info.expect("the examples are modules")
}

pub(crate) fn leb(mut value: u64, bytes: &mut Vec<u8>) {
    loop {
        let byte = (value & 0x7f) as u8;
        value >>= 7;
        bytes.push(if value == 0 { byte } else { byte | 0x80 });
        if value == 0 {
            return;
        }
    }
}

/// A module with these custom sections behind its own.
pub(crate) fn with_sections(wasm: &[u8], sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut wasm = wasm.to_vec();
    for (name, contents) in sections {
        let mut section = Vec::new();
        leb(name.len() as u64, &mut section);
        section.extend_from_slice(name.as_bytes());
        section.extend_from_slice(contents);
        wasm.push(0);
        leb(section.len() as u64, &mut wasm);
        wasm.extend_from_slice(&section);
    }
    wasm
}

/// A state made by hand.
#[derive(Default)]
pub(crate) struct Fake {
    pub(crate) locals: BTreeMap<u32, Value>,
    pub(crate) operands: BTreeMap<u32, Value>,
    pub(crate) globals: BTreeMap<u32, Value>,
    pub(crate) memory: Vec<u8>,
}

impl Stopped for Fake {
    fn local(&self, _frame: u32, index: u32) -> Option<Value> {
        self.locals.get(&index).copied()
    }
    fn operand(&self, _frame: u32, index: u32) -> Option<Value> {
        self.operands.get(&index).copied()
    }
    fn global(&self, index: u32) -> Option<Value> {
        self.globals.get(&index).copied()
    }
    fn memory(&self, _memory: u32, address: u32, buffer: &mut [u8]) -> bool {
        let start = address as usize;
        match self.memory.get(start..start.saturating_add(buffer.len())) {
            Some(bytes) => {
                buffer.copy_from_slice(bytes);
                true
            }
            None => false,
        }
    }
}
