//! Programs with values of every kind, run on the real machine up to their calls of `stop`: the
//! variables of all frames, and what they are made of, as tables.
//!
//! `UPDATE=1 cargo test -p borges-debuginfo` accepts changes; `fixtures/build.sh` rebuilds.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use borges_debuginfo::{DebugInfo, Expression, Folders, FramePoint, NoScope, Object, VariableKind};
use borges_vm::{Exit, Limits, Machine, Module, Value};

use crate::golden::check;
use crate::machine::View;

pub(crate) const FIXTURES: [&str; 6] = [
    "types",
    "types-dwarf4-O2",
    "classes",
    "kinds",
    "objects",
    "objects-stub",
];

/// Steps after which a fixture must have ended.
const LIMIT: u64 = 10_000_000;

fn fixture_path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/fixtures");
    folder.join(format!("{name}.wasm"))
}

pub(crate) fn fixture_bytes(name: &str) -> Vec<u8> {
    std::fs::read(fixture_path(name)).unwrap()
}

fn load(name: &str) -> (DebugInfo, Machine) {
    let (path, wasm) = (fixture_path(name), fixture_bytes(name));
    let info = DebugInfo::load(&wasm, &Folders::around(&path)).unwrap();
    assert_eq!(info.warnings(), [], "{name}");
    let module = Arc::new(Module::new(&wasm, &Limits::default()).unwrap());
    let mut machine = Machine::new(module.clone(), Limits::default()).unwrap();
    machine
        .begin(module.exported_func("main").unwrap(), &[])
        .unwrap();
    (info, machine)
}

/// Runs to the next call of `stop`; false at the end.
fn to_stop(machine: &mut Machine) -> bool {
    match machine.run(LIMIT) {
        Exit::HostCall => true,
        Exit::Finished => false,
        exit => panic!("{exit:?}"),
    }
}

#[test]
fn values_of_every_kind() {
    let mut changed = Vec::new();
    for name in FIXTURES {
        let (info, mut machine) = load(name);
        let mut text = String::new();
        while to_stop(&mut machine) {
            describe(&info, &machine, &mut text);
            machine.answer(&[]).unwrap();
        }
        for variable in info.globals() {
            let stop = FramePoint {
                frame: 0,
                offset: borges_vm::CodeOffset(0),
                inlined: 0,
            };
            if variable.kind == VariableKind::Global && !variable.name.starts_with('_') {
                write!(text, "global {}", variable.name).unwrap();
                match info.locate(variable, stop, &View(&machine)) {
                    Ok(object) => tree(&info, &machine, &object, 0, &mut text),
                    Err(why) => writeln!(text, " <{why}>").unwrap(),
                }
            }
        }
        changed.extend(check(&format!("fixture-{name}"), &text));
    }
    assert!(
        changed.is_empty(),
        "{}\nUPDATE=1 accepts this",
        changed.join("\n")
    );
}

fn describe(info: &DebugInfo, machine: &Machine, text: &mut String) {
    for (number, frame) in machine.frames().enumerate() {
        for (inlined, source) in info.frames_at(frame.offset).iter().enumerate() {
            let line = source.place.map_or(0, |place| place.line);
            let how = if source.inlined { " (inlined)" } else { "" };
            writeln!(text, "{} line {line}{how}", source.function).unwrap();
            let stop = FramePoint {
                frame: number as u32,
                offset: frame.offset,
                inlined,
            };
            for variable in info.variables_at(stop) {
                write!(text, "  {}", variable.name).unwrap();
                match info.locate(&variable, stop, &View(machine)) {
                    Ok(object) => tree(info, machine, &object, 1, text),
                    Err(why) => writeln!(text, " <{why}>").unwrap(),
                }
            }
        }
    }
    writeln!(text).unwrap();
}

/// A value and its parts.
fn tree(info: &DebugInfo, machine: &Machine, object: &Object, depth: usize, text: &mut String) {
    let state = View(machine);
    writeln!(
        text,
        ": {} = {}",
        info.type_name(object.ty),
        info.show(object, &state)
    )
    .unwrap();
    if depth > 5 {
        return;
    }
    for child in info.children(object, &state, 0, 20) {
        write!(text, "{}{}", "  ".repeat(depth + 1), child.name).unwrap();
        tree(info, machine, &child.object, depth + 1, text);
    }
}

#[test]
fn expressions_reach_into_values() {
    for (name, stops, pairs) in [
        (
            "types",
            2,
            &[
                ("i", "1"),
                ("first.next->next->value", "3"),
                ("first.next.next.value == 3 && !first.next.next.next", "1"),
                ("matrix[1][2] * matrix[0][1]", "12"),
                ("matrix[2][0]", "column 8: Matrix has no element 2"),
                ("(*to_pointer)->name", "0x2008 \"hello\""),
                ("mixed.name == \"hello\" && mixed.name[1] == 'e'", "1"),
                ("mixed.label", "\"label!\""),
                ("mixed.flags.level - mixed.flags.mode", "-8"),
                ("mixed.number.value", "1.5"),
                ("mixed.number.bits == 0x3fc00000", "1"),
                ("color == GREEN && sign == MINUS && favourite > GREEN", "1"),
                ("huge + 1", "18446744073709551616"),
                ("small < 0 && third < 0.34", "1"),
                ("pointer->at.x", "-7"),
                ("*nobody", "column 1: Node * points to nothing"),
                ("*anything", "column 1: void * points to nothing"),
                ("i_squared + counter", "49"),
                ("&mixed == pointer", "1"),
            ][..],
        ),
        (
            "classes",
            1,
            &[
                ("this->x + this->y", "5"),
                ("this->Shape.id", "1"),
                ("made + Axis::X", "8"),
                ("Axis::Y", "2"),
            ],
        ),
        (
            "kinds",
            1,
            &[
                ("letter", "'\\n'"),
                ("all.some", "Some(7)"),
                ("all.some.0 + 1", "8"),
                ("*all.reference.0", "99"),
                ("all.text == \"grüße\"", "1"),
                ("all.slice[2]", "65535"),
                ("all.rich[1].1", "-5"),
                ("all.rich[2].letter", "'ß'"),
                ("all.pair.0 < 0 && all.pair.1", "1"),
                ("all.plain == Plain::Minus", "1"),
                ("TOTAL >> 40", "1"),
            ],
        ),
        (
            "objects",
            4,
            &[
                ("text == \"grüße 🎉!\"", "1"),
                ("names[1] == \"bc\"", "1"),
                ("numbers[1] + bytes[2] + view[1]", "244"),
                ("floats[1]", "0.1"),
                ("second.x + second.next.x", "4"),
                ("second.next.name == \"first\"", "1"),
                ("first.flag && first.small == -3", "1"),
                ("i", "8"),
            ],
        ),
    ] {
        let (info, mut machine) = load(name);
        for stop in 0..stops {
            if stop > 0 {
                machine.answer(&[]).unwrap();
            }
            assert!(to_stop(&mut machine));
        }
        let state = View(&machine);
        let stop = FramePoint {
            frame: 0,
            offset: machine.frame(0).unwrap().offset,
            inlined: 0,
        };
        for (text, expected) in pairs {
            let value = Expression::parse(text)
                .and_then(|expression| info.evaluate(&expression, stop, &state, &NoScope));
            let found = match value {
                Ok(value) => info.show_evaluated(&value, &state),
                Err(error) => error.to_string(),
            };
            assert_eq!(found, *expected, "{name}: {text}");
        }
    }
}

#[test]
fn a_handle_outlives_nothing() {
    // The loop's variable is in scope in its block only.
    let (info, machine) = load("types");
    let function = &info.functions_named("run")[0];
    let stop = FramePoint {
        frame: 0,
        offset: function.entry.unwrap(),
        inlined: 0,
    };
    assert!(
        info.variables_at(stop)
            .iter()
            .all(|variable| variable.name != "i")
    );
    assert_eq!(machine.steps(), 0);
    assert_eq!(View(&machine).0.globals().first(), Some(&Value::I32(8192)));
}
