//! A table of values: programs of the standard libraries that say themselves what their variables
//! hold. What Borges shows must say the same, or that it does not know.
//!
//! Each program calls `said(name, text)` for its variables and then `stop()`. What it said and what
//! is shown must be the same text, but for three things: Rust's names of records are left out, an
//! address may stand before an object of AssemblyScript, and a long value may be cut with `…`. `values/build.sh` rebuilds the programs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use borges_debuginfo::{DebugInfo, Expression, Folders, FramePoint, NoScope, Stopped};
use borges_vm::{Exit, Limits, Machine, Module, Value};

use crate::golden::check;
use crate::machine::View;

/// Steps after which a program must have stopped.
const LIMIT: u64 = 100_000_000;

fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/values");
    folder.join(format!("{name}.wasm"))
}

/// A program that stands at a `stop`.
struct Standing {
    info: DebugInfo,
    machine: Machine,
    /// What it said since the stop before, by variables.
    said: Vec<(String, String)>,
}

impl Standing {
    fn load(name: &str) -> Standing {
        let path = path(name);
        let wasm = std::fs::read(&path).unwrap();
        let info = DebugInfo::load(&wasm, &Folders::around(&path)).unwrap();
        let module = Arc::new(Module::new(&wasm, &Limits::default()).unwrap());
        let mut machine = Machine::new(module.clone(), Limits::default()).unwrap();
        let main = module.exported_func("main").unwrap();
        // A `main` may have a seed, which no optimizer knows, or the count and list of arguments.
        let seeds = [Value::I32(3); 2];
        let begun = (0..=2).any(|count| machine.begin(main, &seeds[..count]).is_ok());
        assert!(begun, "{name}");
        Standing {
            info,
            machine,
            said: Vec::new(),
        }
    }

    /// Goes on to the next `stop`; false at the end.
    fn next(&mut self) -> bool {
        self.said.clear();
        loop {
            match self.machine.run(LIMIT) {
                Exit::HostCall => {}
                Exit::Finished => return false,
                exit => panic!("{exit:?}"),
            }
            let call = self.machine.pending().unwrap();
            match call.args.as_slice() {
                &[] => return true,
                &[name, bytes, text, length] => {
                    let name = self.text(name, bytes);
                    let text = self.text(text, length);
                    self.said.push((name, text));
                }
                other => panic!("{other:?}"),
            }
            self.machine.answer(&[]).unwrap();
        }
    }

    /// Goes on to a call of this import, and through it if it has an answer.
    fn calls(&mut self, name: &str, answer: Option<i32>) -> bool {
        let exit = self.machine.run(LIMIT);
        let called = self
            .machine
            .pending()
            .map(|call| self.info.function(call.func).name);
        if let Some(answer) = answer {
            self.machine.answer(&[Value::I32(answer)]).unwrap();
        }
        exit == Exit::HostCall && called.is_some_and(|called| called.ends_with(name))
    }

    fn go_on(&mut self) {
        self.machine.answer(&[]).unwrap();
    }

    fn text(&self, address: Value, length: Value) -> String {
        let (Value::I32(address), Value::I32(length)) = (address, length) else {
            panic!("no text");
        };
        let bytes = &self.machine.memory()[address as usize..][..length as usize];
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    /// What is shown for an expression, in the frame that knows its names.
    fn shown(&self, text: &str) -> String {
        let state = View(&self.machine);
        let expression = Expression::parse(text).unwrap();
        let mut answer = String::new();
        for (number, frame) in self.machine.frames().enumerate() {
            let inlined = self.info.frames_at(frame.offset).len();
            for inlined in 0..inlined {
                let stop = FramePoint {
                    frame: number as u32,
                    offset: frame.offset,
                    inlined,
                };
                match self.info.evaluate(&expression, stop, &state, &NoScope) {
                    Ok(value) => return self.info.show_evaluated(&value, &state),
                    Err(error) => answer = format!("<{error}>"),
                }
                if answer.contains("optimized out") {
                    return answer;
                }
            }
        }
        answer
    }
}

/// The normal form of what a program says: Rust writes the names of records and blanks in their
/// braces, Borges leaves the names to the type.
fn normal(said: &str) -> String {
    [("Point ", ""), ("Node ", ""), ("{ ", "{"), (" }", "}")]
        .into_iter()
        .fold(said.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// How what is shown compares with what was said.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Same,
    /// Borges says that it does not know.
    Unknown,
    Wrong,
}

fn verdict(said: &str, shown: &str) -> Verdict {
    // AssemblyScript says of a local that it is an `i32`: the address stands before the object.
    let object = shown.split_once(" → ").map(|(_, object)| object);
    let shown = object.unwrap_or(shown);
    let begins = |cut: &str| said.starts_with(cut.trim_end_matches(", "));
    // Its truth values are numbers, except where the name of a class says more.
    let numbers = said.replace("true", "1").replace("false", "0");
    let is_address = |shown: &str| shown.parse::<u32>().is_ok_and(|address| address > 64);
    match shown.split_once('…') {
        _ if shown == said => Verdict::Same,
        _ if object == Some(&*numbers) => Verdict::Same,
        _ if is_address(shown) && said.parse::<f64>().is_err() => Verdict::Unknown,
        _ if shown.ends_with("{…}") => Verdict::Unknown,
        _ if shown.starts_with("<column") || shown.contains("(raw: its layout is not known)") => {
            Verdict::Unknown
        }
        Some((begin, _)) if begin.len() > 20 && begins(begin) => Verdict::Same,
        _ => Verdict::Wrong,
    }
}

/// The programs, and how many of their values must be shown: optimizers remove some.
const PROGRAMS: [(&str, usize); 11] = [
    ("rust-1.95", 86),
    ("rust-1.95-O2", 82),
    ("rust-1.63", 85),
    ("cpp-14", 76),
    ("cpp-14-O2", 33),
    ("cpp-18", 76),
    ("c", 39),
    ("c-O2", 4),
    ("assembly", 48),
    ("assembly-O2", 7),
    ("assembly-stub", 30),
];

#[test]
fn values_are_what_the_programs_say() {
    let mut problems = Vec::new();
    for (name, least) in PROGRAMS {
        let mut program = Standing::load(name);
        let mut table = String::new();
        let (mut same, mut all) = (0, 0);
        while program.next() {
            for (variable, said) in program.said.clone() {
                let shown = program.shown(&variable);
                all += 1;
                match verdict(&normal(&said), &shown) {
                    Verdict::Same => same += 1,
                    Verdict::Unknown => {}
                    Verdict::Wrong => problems.push(format!(
                        "{name}: {variable} is {said}, but is shown as {shown}"
                    )),
                }
                writeln!(table, "{variable} = {shown}").unwrap();
            }
            program.go_on();
        }
        if same < least {
            problems.push(format!("{name}: {same} of {all} values, not {least}"));
        }
        problems.extend(check(&format!("values-{name}"), &table));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Expressions and what they show where a program stands at a call.
fn check_shown(program: &Standing, table: &[(&str, &str)]) {
    for (expression, expected) in table {
        assert_eq!(program.shown(expression), *expected, "{expression}");
    }
}

#[test]
fn elements_are_of_the_type_that_the_vector_names() {
    let mut program = Standing::load("vectors");
    assert!(program.next());
    check_shown(
        &program,
        &[
            ("a", "[3, -2, 3]"),
            ("a[0]", "3"),
            ("a[1] == -2 && a[2] == 3", "1"),
            (
                "a[3]",
                "<column 3: Vec<i32, alloc::alloc::Global> has no element 3>",
            ),
            ("b", "[100, 200, 300]"),
            ("c", "[1, 2, 3]"),
            ("d", "[\"ab\", \"cde\"]"),
            ("d[1] == \"cde\"", "1"),
            ("e", "[{x: 1, y: 2}, {x: 3, y: -4}]"),
            ("e[1].y", "-4"),
            ("f", "[0.5, 1.5]"),
            ("g", "[None, Some(7)]"),
            ("h", "[[1], [2, 3]]"),
            ("h[1][1]", "3"),
            ("i", "[9, 8]"),
            ("j", "[5, 6]"),
            ("k", "[4, 5]"),
            ("l", "\"cde\""),
            ("m", "[\"x\", \"yy\"]"),
            ("n", "[(), ()]"),
        ],
    );
}

#[test]
fn references_and_bases_are_parts_of_a_robot() {
    let mut program = Standing::load("robot");
    // The first call reads the sensor, the second drives the motor.
    assert!(program.calls("chip_analog_read", Some(15)));
    assert!(program.calls("drive_motor", None));
    check_shown(
        &program,
        &[
            ("v", "25"),
            ("alias", "25"),
            ("alias == 25 && alias == v && &alias == &v", "1"),
            ("r.left.id", "1"),
            ("r.left.Base.id", "1"),
            ("r.ref.id", "1"),
            ("r.ref", "{Base: {id: 1}, rpm: 5, dir: Fwd}"),
            ("r.ring.items[0]", "1.5"),
            (
                "r.ring",
                "{items: [1.5, 0.0, 0.0, 0.0], head: 1, full: false}",
            ),
            ("b->id", "2"),
            ("r.pos", "3"),
            ("robot->right.id", "2"),
            ("r.d", "1e100"),
        ],
    );
}

/// A program's state with every so many bytes of its memory overwritten.
struct Damaged<'m> {
    view: View<'m>,
    seed: u32,
}

impl Stopped for Damaged<'_> {
    fn local(&self, frame: u32, index: u32) -> Option<Value> {
        self.view.local(frame, index)
    }
    fn operand(&self, frame: u32, index: u32) -> Option<Value> {
        self.view.operand(frame, index)
    }
    fn global(&self, index: u32) -> Option<Value> {
        self.view.global(index)
    }
    fn memory(&self, memory: u32, address: u32, buffer: &mut [u8]) -> bool {
        let inside = self.view.memory(memory, address, buffer);
        for (byte, at) in buffer.iter_mut().zip(address..) {
            let chance = (at ^ self.seed.rotate_left(16)).wrapping_mul(0x9e37_79b1) >> 8;
            if chance.is_multiple_of(64) {
                *byte = match chance / 64 % 3 {
                    0 => 0,
                    1 => 0xff,
                    _ => (chance / 192) as u8,
                };
            }
        }
        inside
    }
}

/// Whatever lies in memory, every question has an answer, and no line is long.
#[test]
fn damaged_values_are_shown_or_not() {
    for name in ["rust-1.95", "rust-1.63", "cpp-14", "cpp-18"] {
        let mut program = Standing::load(name);
        while program.next() {
            for seed in 0..24 {
                let view = View(&program.machine);
                ask_all(&program, &Damaged { view, seed });
            }
            program.go_on();
        }
    }
}

/// Shows all variables of all frames and their children.
fn ask_all(program: &Standing, state: &dyn Stopped) {
    let info = &program.info;
    for (number, frame) in program.machine.frames().enumerate() {
        let stop = FramePoint {
            frame: number as u32,
            offset: frame.offset,
            inlined: 0,
        };
        for variable in info.variables_at(stop) {
            let Ok(object) = info.locate(&variable, stop, state) else {
                continue;
            };
            let shown = info.show(&object, state);
            assert!(shown.len() < 250, "{shown}");
            for child in info.children(&object, state, 0, 20) {
                assert!(info.show(&child.object, state).len() < 250);
                let _ = info.children(&child.object, state, u64::MAX - 1, 4);
            }
        }
    }
}
