//! Prints what is known of a module: `cargo run -p borges-debuginfo --example dump -- FILE.wasm`.
use borges_debuginfo::{DebugInfo, Folders};

fn main() {
    let path = std::env::args().nth(1).expect("a file");
    let wasm = std::fs::read(&path).expect("readable");
    let info = DebugInfo::load(&wasm, &Folders::around(path.as_ref())).expect("a module");
    for warning in info.warnings() {
        println!("warning: {warning}");
    }
    for (i, file) in info.files().iter().enumerate() {
        println!(
            "{i} {} {:?}",
            file.path,
            file.text.as_ref().map(|t| t.len())
        );
    }
    let mut f = 0;
    loop {
        let lines = info.disassemble(borges_vm::FuncIdx(f));
        if lines.is_empty() && f > 20 {
            break;
        }
        println!("func {f}");
        for line in lines {
            let place = info.place_at(line.offset);
            let text = place
                .and_then(|p| info.file(p.file)?.line(p.line))
                .unwrap_or("");
            let begin = if info.line_begins(line.offset) {
                "*"
            } else {
                " "
            };
            let pos = place
                .map(|p| format!("{}:{}:{}", p.file.0, p.line, p.column))
                .unwrap_or_default();
            println!(
                "{begin} {:#06x} {:40} {pos:12} {text}",
                line.offset.0,
                format!("{:w$}{}", "", line.text, w = 2 * line.depth as usize)
            );
        }
        f += 1;
    }
}
