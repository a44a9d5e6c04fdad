//! Prints what is known of a module: `cargo run -p borges-debuginfo --example dump -- FILE.wasm`.

use borges_debuginfo::{DebugInfo, Folders, FramePoint, Stopped};
use borges_vm::Value;

/// A program of which every number is a 7.
struct Sevens;

impl Stopped for Sevens {
    fn local(&self, _frame: u32, _index: u32) -> Option<Value> {
        Some(Value::I32(7))
    }
    fn operand(&self, _frame: u32, _index: u32) -> Option<Value> {
        Some(Value::I32(7))
    }
    fn global(&self, _index: u32) -> Option<Value> {
        Some(Value::I32(7))
    }
    fn memory(&self, _memory: u32, _address: u32, buffer: &mut [u8]) -> bool {
        buffer.fill(0);
        if let Some(first) = buffer.first_mut() {
            *first = 7;
        }
        true
    }
}

fn main() {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: dump FILE.wasm");
        std::process::exit(2);
    };
    if let Err(error) = dump(&path) {
        eprintln!("{path}: {error}");
        std::process::exit(1);
    }
}

fn dump(path: &str) -> Result<(), Box<dyn std::error::Error>> {
    let wasm = std::fs::read(path)?;
    let info = DebugInfo::load(&wasm, &Folders::around(path.as_ref()))?;
    for warning in info.warnings() {
        println!("warning: {warning}");
    }
    for (number, file) in info.files().iter().enumerate() {
        let found = if file.text.is_some() {
            ""
        } else {
            " (not found)"
        };
        println!("file {number}: {}{found}", file.path);
    }
    for function in info.functions() {
        println!("\nfunction {}: {}", function.index.0, function.name);
        for line in info.disassemble(function.index) {
            let place = info.place_at(line.offset);
            let text = place.and_then(|place| info.file(place.file)?.line(place.line));
            let mark = if info.line_begins(line.offset) {
                '*'
            } else {
                ' '
            };
            let indent = "  ".repeat(line.depth as usize);
            let code = format!("{indent}{}", line.text);
            let number = place.map_or(String::new(), |place| place.line.to_string());
            println!(
                "{mark} {:6} {code:44} {number:>4} {}",
                line.offset,
                text.unwrap_or_default().trim()
            );
            if !info.line_begins(line.offset) {
                continue;
            }
            for (inlined, frame) in info.frames_at(line.offset).iter().enumerate() {
                let stop = FramePoint {
                    frame: 0,
                    offset: line.offset,
                    inlined,
                };
                print!("      in {}:", frame.function);
                for variable in info.variables_at(stop) {
                    let value = match info.locate(&variable, stop, &Sevens) {
                        Ok(object) => info.show(&object, &Sevens),
                        Err(why) => format!("<{why}>"),
                    };
                    print!(
                        " {}: {} = {value};",
                        variable.name,
                        info.type_name(variable.ty)
                    );
                }
                println!();
            }
        }
    }
    println!();
    for variable in info.globals() {
        let stop = FramePoint {
            frame: 0,
            offset: borges_vm::CodeOffset(0),
            inlined: 0,
        };
        let value = match info.locate(variable, stop, &Sevens) {
            Ok(object) => info.show(&object, &Sevens),
            Err(why) => format!("<{why}>"),
        };
        println!(
            "global {}: {} = {value}",
            variable.name,
            info.type_name(variable.ty)
        );
    }
    Ok(())
}
