//! `borges inspect`: what is in a file.

use std::fmt::Write as _;
use std::path::Path;

use borges_session::contents::{self, ProgramContents};
use borges_session::model::KeptGraph;
use borges_session::{Flow, Look};
use serde_json::json;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use borges_commands::device::render;
use borges_commands::message;
use borges_commands::paint::{Paint, Role, bytes, count, printable};

/// Functions that are shown; `--json` shows all.
const FUNCTIONS: usize = 20;

/// Trees of sessions are cut to so many lines.
const LINES: u32 = 40;

/// Shows what is in a program or a session file.
pub(crate) fn inspect(options: &args::Inspect, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(kept) = super::model::kept(&options.file)? {
        return graph(&options.file, &kept, output);
    }
    if super::is_session(&options.file) {
        return session(&options.file, output);
    }
    let contents = contents::of_program(
        &options.file,
        &options.linked.libraries,
        options.board.as_deref(),
    )?;
    output.say(&contents, |paint| program(&contents, paint))?;
    Ok(Exit::Ok)
}

/// What is in the graph of a model-language program, and what can be done with it.
fn graph(file: &Path, kept: &KeptGraph, output: &mut Output) -> Result<Exit, Failure> {
    let damage = super::model::damage(file)?;
    for damage in &damage {
        super::tell(&message::warning(damage, &output.error_paint));
    }
    let whole = damage.is_empty();
    let [states, edges, outcomes, described] = kept.sizes;
    let model = super::model::steps(&kept.options);
    let data = json!({
        "program": kept.name,
        "language": kept.model.dialect().name(),
        "explored": model,
        "complete": kept.complete && whole,
        "states": states,
        "edges": edges,
        "outcomes": outcomes,
        "described": described,
    });
    output.say(&data, |paint| {
        let mut text = format!(
            "{}\nexplored with {model}\n",
            super::model::described(kept, whole)
        );
        if described < states {
            text += "states are too many to keep in words: model_state.text is NULL\n";
        }
        let next = format!(
            "'borges repl {}' opens the program again, with this graph for 'ask' and 'query'; \
             any SQLite reads its tables (docs/session-files.md)",
            file.display()
        );
        text + &paint.dim(next) + "\n"
    })?;
    Ok(Exit::Ok)
}

/// Facts, the tree, the notes and the breakpoints of a session file.
fn session(file: &Path, output: &mut Output) -> Result<Exit, Failure> {
    let mut session = super::record::resume_with(file, &mut |_| Flow::Continue)?;
    super::record::warn_of_damage(&session, output);
    let mut object = serde_json::Map::new();
    let paint = output.paint;
    for (name, command) in [
        ("info", Look::Info),
        ("tree", Look::Tree { lines: LINES }),
        ("notes", Look::Notes),
        ("breakpoints", Look::Breakpoints),
        ("mocks", Look::Mocks),
    ] {
        let reply = session.execute(command, &mut |_| Flow::Continue);
        let reply = reply.map_err(|error| Failure::input(error, ""))?;
        if output.json {
            let value = serde_json::to_value(&reply).map_err(std::io::Error::other)?;
            object.insert(name.to_string(), value);
        } else {
            output.text(&format!("{}\n", paint.heading(name)))?;
            output.text(&render::reply(&reply, &paint))?;
        }
    }
    if output.json {
        output.json(&object)?;
    }
    Ok(Exit::Ok)
}

fn program(contents: &ProgramContents, paint: &Paint) -> String {
    let mut text = String::new();
    let head = paint.heading(format!("a WebAssembly module of {}", bytes(contents.bytes)));
    let _ = writeln!(text, "{head}, hash {}", contents.hash);
    let board = printable(&contents.board);
    let board = match &contents.board_file {
        Some(file) => format!("board '{board}' ({})", printable(file)),
        None => format!("board '{board}': no board.toml beside the program"),
    };
    let _ = writeln!(text, "{board}");
    match &contents.entry {
        Some(entry) => {
            let _ = writeln!(text, "starts with {entry}");
        }
        None => {
            let note = "exports neither main nor _start: name an export with --entry";
            let _ = writeln!(text, "{}", paint.warning(note));
        }
    }
    imports(&mut text, contents, paint);
    exports(&mut text, contents, paint);
    functions(&mut text, contents, paint);
    sizes(&mut text, contents, paint);
    debug_info(&mut text, contents, paint);
    text
}

fn imports(text: &mut String, contents: &ProgramContents, paint: &Paint) {
    heading(text, &count(contents.imports.len() as u64, "import"), paint);
    for import in &contents.imports {
        let role = match import.kind.as_str() {
            "input" => Role::Good,
            "unknown" => Role::Bad,
            "trap" => Role::Warning,
            _ => Role::Name,
        };
        let (kind, name) = (format!("{:<8}", import.kind), printable(&import.name));
        let (kind, type_name) = (paint.paint(role, kind), paint.dim(&import.type_name));
        let _ = write!(text, "  {kind} {name} {type_name}");
        let note = import.note.as_deref().map(printable).unwrap_or_default();
        match import.kind.as_str() {
            "input" | "constant" => {
                let _ = writeln!(text, "  {note}");
            }
            _ if note.is_empty() => text.push('\n'),
            _ => {
                let indented = note.replace('\n', "\n           ");
                let _ = writeln!(text, "\n           {indented}");
            }
        }
    }
}

fn exports(text: &mut String, contents: &ProgramContents, paint: &Paint) {
    heading(text, &count(contents.exports.len() as u64, "export"), paint);
    for export in &contents.exports {
        let (name, type_name) = (printable(&export.name), paint.dim(&export.type_name));
        let _ = writeln!(text, "  {:<8} {name} {type_name}", export.kind);
    }
}

fn functions(text: &mut String, contents: &ProgramContents, paint: &Paint) {
    let all = contents.functions.len();
    heading(text, &count(all as u64, "function"), paint);
    let mut largest: Vec<_> = contents.functions.iter().collect();
    largest.sort_by_key(|function| std::cmp::Reverse(function.bytes));
    for function in largest.iter().take(FUNCTIONS) {
        let place = paint.place(function.place.as_deref().unwrap_or_default());
        let name = printable(&function.name);
        let line = format!("  {:>7} B  {name}  {place}", function.bytes);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if all > FUNCTIONS {
        let note = format!("  the largest {FUNCTIONS}; --json lists all");
        let _ = writeln!(text, "{}", paint.dim(note));
    }
}

fn sizes(text: &mut String, contents: &ProgramContents, paint: &Paint) {
    heading(text, "sizes", paint);
    let code: u64 = contents.functions.iter().map(|f| u64::from(f.bytes)).sum();
    let _ = writeln!(text, "  code     {}", bytes(code));
    let pages = contents.memory_pages.iter();
    let pages = pages.chain(&contents.other_memories_pages);
    let pages: Vec<String> = pages.map(|pages| count((*pages).into(), "page")).collect();
    match &pages[..] {
        [] => {}
        [pages] => drop(writeln!(text, "  memory   {pages} of 64 KiB")),
        several => drop(writeln!(
            text,
            "  memories {} of 64 KiB",
            several.join(", ")
        )),
    }
    let (globals, tables) = (contents.globals, contents.tables);
    let _ = writeln!(text, "  globals  {globals}, tables {tables}");
}

fn debug_info(text: &mut String, contents: &ProgramContents, paint: &Paint) {
    heading(text, "debug information", paint);
    if !contents.has_lines {
        text.push_str("  no source lines: build with debug information to step by lines\n");
    }
    for section in &contents.custom_sections {
        let size = paint.dim(bytes(section.bytes));
        let _ = writeln!(text, "  {}  {size}", printable(&section.name));
    }
    let own = |source: &&String| !source.starts_with("~lib/");
    for source in contents.sources.iter().filter(own) {
        let _ = writeln!(text, "  {}", paint.place(source));
    }
    for warning in &contents.warnings {
        let _ = writeln!(text, "  {}", paint.warning(warning));
    }
}

fn heading(text: &mut String, title: &str, paint: &Paint) {
    let _ = writeln!(text, "{}", paint.heading(title));
}
