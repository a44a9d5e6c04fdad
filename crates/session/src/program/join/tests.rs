//! Joined modules against the VM's own linking, and every refusal.

use std::fmt::Write as _;

use borges_board::Board as Description;
use borges_vm::{Exit, Extern, InstanceId, Limits, Machine, Outcome, Shared, Value};

use super::*;

/// Modules by their names; the program's is empty.
pub(super) fn parts<'m>(texts: &'m [(&str, Vec<u8>)]) -> Result<Vec<Part<'m>>, JoinError> {
    let parts = texts.iter().map(|(name, bytes)| {
        let module = borges_vm::Module::new(bytes, &Limits::host()).expect("a module");
        let path = match *name {
            "" => "main.wasm".to_owned(),
            name => format!("{name}.wasm"),
        };
        let name = (!name.is_empty()).then(|| (*name).to_owned());
        Part::new(name, path.as_ref(), module, bytes)
    });
    parts.collect()
}

pub(super) fn assembled<'n>(texts: &[(&'n str, &str)]) -> Vec<(&'n str, Vec<u8>)> {
    let assembled = texts.iter();
    assembled
        .map(|(name, text)| (*name, wat::parse_str(text).expect(text)))
        .collect()
}

fn joined(texts: &[(&str, &str)]) -> Result<Vec<u8>, JoinError> {
    let texts = assembled(texts);
    join(&parts(&texts)?, &Description::default_board())
}

/// The message with which they are refused.
fn refused(texts: &[(&str, &str)]) -> String {
    joined(texts).expect_err("refused").to_string()
}

/// Runs a function of a machine's instance to its end.
fn run(machine: &mut Machine, instance: InstanceId, name: &str) -> Outcome {
    let module = machine.instance_module(instance).expect("an instance");
    let func = module.exported_func(name).expect("exported");
    machine.begin_in(instance, func, &[]).expect("it begins");
    ends(machine)
}

fn ends(machine: &mut Machine) -> Outcome {
    match machine.run(1_000_000) {
        Exit::Finished | Exit::Trapped(_) => machine.outcome().cloned().expect("ended"),
        exit => panic!("{exit:?}"),
    }
}

/// The result of the joined program's `main`.
fn result(texts: &[(&str, &str)]) -> Outcome {
    let bytes = joined(texts).expect("joined");
    let module = borges_vm::Module::new(&bytes, &Limits::host()).expect("valid");
    let mut machine = Machine::new(Shared::new(module), Limits::host()).expect("a machine");
    run(&mut machine, InstanceId(0), "main")
}

fn finished(value: i32) -> Outcome {
    Outcome::Finished(vec![Value::I32(value)])
}

const LIBRARY: &str = r#"(module (func (export "add") (param i32 i32) (result i32)
    (i32.add (local.get 0) (local.get 1))))"#;

#[test]
fn what_a_library_lacks_or_has_of_another_type_is_refused() {
    for (main, library, expected) in [
        (
            r#"(import "lib" "add" (func (param i32) (result i32)))"#,
            LIBRARY,
            "the program (main.wasm) imports 'lib.add' as a function ((i32) -> (i32)), and in lib.wasm it is a function \
             ((i32, i32) -> (i32)): the two were compiled from different declarations of it; compile both anew",
        ),
        (
            r#"(import "lib" "add" (global i32))"#,
            LIBRARY,
            "the program (main.wasm) imports 'lib.add' as a global (i32), and in lib.wasm it is a function ((i32, i32) -> (i32))",
        ),
        (
            r#"(import "lib" "ad" (func))"#,
            LIBRARY,
            "the program (main.wasm) imports 'lib.ad', and lib.wasm exports nothing of that name; did you mean add?",
        ),
        (
            r#"(import "lob" "add" (func))"#,
            LIBRARY,
            "nothing is imported from 'lib' (lib.wasm), which was linked: imports are from lob; link it by the name that \
             they have for it, or leave it out",
        ),
        (
            r#"(import "lib" "m" (memory 2))"#,
            r#"(module (memory (export "m") 1))"#,
            "the program (main.wasm) imports 'lib.m' as a memory (at least 2 pages), and in lib.wasm it is a memory (at \
             least 1 pages): what is imported must be at least as large as it says, and may not grow beyond what it says",
        ),
        (
            r#"(import "lib" "m" (memory 1 3))"#,
            r#"(module (memory (export "m") 1 4))"#,
            "the program (main.wasm) imports 'lib.m' as a memory (1..3 pages), and in lib.wasm it is a memory (1..4 pages): \
             what is imported must be at least as large as it says, and may not grow beyond what it says",
        ),
        (
            r#"(import "lib" "g" (global (mut i32)))"#,
            r#"(module (global (export "g") i32 (i32.const 1)))"#,
            "the program (main.wasm) imports 'lib.g' as a global (mutable i32), and in lib.wasm it is a global (i32)",
        ),
    ] {
        let main = format!("(module {main} (memory 1))");
        assert_eq!(refused(&[("", &main), ("lib", library)]), expected);
    }
}

#[test]
fn libraries_that_cannot_work_here_are_refused() {
    for (library, expected) in [
        (
            r#"(module (import "env" "memory" (memory 1)) (func (export "f")))"#,
            "'lib' (lib.wasm) imports the memory 'env.memory', which no linked module has: what is imported comes before the \
             program's own memory, and that must be the first, as calls of the board and of the system work on it; let \
             'lib' (lib.wasm) have a memory of its own (wasm-ld without --import-memory), or let the program import the \
             same memory",
        ),
        (
            r#"(module (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32))) (memory 1)
                (func (export "f")))"#,
            "'lib' (lib.wasm) calls 'wasi_snapshot_preview1.fd_write', which works on the program's first memory, and 'lib' \
             (lib.wasm) has a memory of its own: call it in the program, or let the two share a memory",
        ),
        (
            r#"(module (import "env" "print_string" (func (param i32 i32))) (func (export "f")))"#,
            "'lib' (lib.wasm) calls 'env.print_string', which works on the program's first memory, and 'lib' (lib.wasm) has \
             none: call it in the program, or let the two share a memory",
        ),
        (
            r#"(module (func (export "f")) (func (export "_initialize") (param i32)))"#,
            "'lib' (lib.wasm) exports '_initialize' as (i32) -> (): what is called before all else takes nothing and gives \
             nothing",
        ),
        (
            r#"(module (func (export "f")) (@custom "linking" "\02"))"#,
            "'lib' (lib.wasm) is an object file, which the compiler's own linker has to finish: wasm-ld --no-entry \
             --export=NAME, or clang without -c",
        ),
        (
            r#"(module (func (export "f")) (@custom "dylink.0" ""))"#,
            "'lib' (lib.wasm) is a shared library, which must be loaded at a place that only a dynamic linker finds: build \
             it without -shared and -fPIC",
        ),
    ] {
        let main = r#"(module (import "lib" "f" (func)) (memory 1))"#;
        assert_eq!(refused(&[("", main), ("lib", library)]), expected);
    }
}

#[test]
fn libraries_in_a_circle_and_of_one_name_are_refused() {
    let main = r#"(module (import "a" "f" (func)))"#;
    let of = |from: &str| {
        format!(r#"(module (import "{from}" "f" (func $f)) (func (export "f") (call $f)))"#)
    };
    assert_eq!(
        refused(&[
            ("", main),
            ("a", &of("b")),
            ("b", &of("c")),
            ("c", &of("a"))
        ]),
        "the linked modules import from each other in a circle: a from b from c from a; each must exist before what imports \
         from it: move what two of them need into a third, or compile them into one module"
    );
    // What a module imports from itself is a circle too.
    assert!(refused(&[("", main), ("a", &of("a"))]).contains("circle: a from a;"));
    assert!(
        refused(&[("", main), ("a", LIBRARY), ("a", LIBRARY)]).starts_with(
            "two modules are linked as 'a': a.wasm and a.wasm; a name stands for one module"
        )
    );
}

#[test]
fn a_memory_of_the_library_that_the_program_imports_is_the_first_and_may_be_written_outside() {
    let main = r#"(module (import "lib" "f" (func $f)) (import "lib" "m" (memory 1))
        (memory 1)
        (func (export "main") (result i32) (call $f) (i32.load (i32.const 4))))"#;
    let library = r#"(module (import "env" "print_string" (func (param i32 i32)))
        (memory (export "m") 2) (data (i32.const 4) "\2a")
        (func (export "f") (i32.store8 (i32.const 5) (i32.const 1))))"#;
    let texts = [("", main), ("lib", library)];
    assert_eq!(result(&texts), finished(0x12a));
    let bytes = joined(&texts).expect("joined");
    let module = borges_vm::Module::new(&bytes, &Limits::host()).expect("valid");
    let sizes: Vec<u32> = module.memory_types().map(|memory| memory.min).collect();
    assert_eq!(sizes, [2, 1]);
}

#[test]
fn an_import_that_two_modules_share_stays_one() {
    let main = r#"(module (import "lib" "f" (func $f)) (import "env" "memory" (memory 1 9))
        (func (export "main") (result i32) (call $f) (i32.add (memory.size) (i32.load (i32.const 0)))))"#;
    let library = |memory: &str| {
        format!(
            r#"(module (import "env" "memory" (memory {memory})) (data (i32.const 0) "\07") (func (export "f")))"#
        )
    };
    let shared = library("3 5");
    let texts = [("", main), ("lib", &*shared)];
    assert_eq!(result(&texts), finished(3 + 7));
    let bytes = joined(&texts).expect("joined");
    let module = borges_vm::Module::new(&bytes, &Limits::host()).expect("valid");
    let memory = module.memory_type().expect("one");
    assert_eq!((memory.min, memory.max), (3, Some(5)));
    // Nine pages at most, and ten at least: nothing is both.
    assert!(
        refused(&[("", main), ("lib", &library("10"))]).starts_with(
            "the program (main.wasm) imports 'env.memory' as a memory (1..9 pages), and 'lib' (lib.wasm) as a memory (at \
             least 10 pages): they share what it is"
        )
    );
}

/// What libraries do when they come to be, they do in their order, each between the segments of those before and behind.
#[test]
fn libraries_begin_one_after_the_other_before_the_program() {
    let log = r#"(module (memory (export "m") 1) (global $at (mut i32) (i32.const 16))
        (func $note (export "note") (param i32)
            (i32.store8 (global.get $at) (local.get 0))
            (global.set $at (i32.add (global.get $at) (i32.const 1))))
        (func $start (call $note (i32.const 1)) (i32.store8 (i32.const 0) (i32.const 99)))
        (func (export "_initialize") (call $note (i32.const 2)))
        (start $start))"#;
    let second = r#"(module (import "log" "m" (memory 1)) (import "log" "note" (func $note (param i32)))
        (data (i32.const 0) "\07\08")
        (func (export "f")) (func (export "_start") (unreachable))
        (func $start (call $note (i32.load8_u (i32.const 0)))) (start $start))"#;
    let main = r#"(module (import "second" "f" (func)) (import "log" "m" (memory 1)) (import "log" "note" (func $note (param i32)))
        (func $start (call $note (i32.const 4))) (start $start)
        (func (export "_initialize") (call $note (i32.const 5)))
        (func (export "main") (result i32) (i32.load (i32.const 16))))"#;
    for texts in [
        [("", main), ("log", log), ("second", second)],
        [("", main), ("second", second), ("log", log)],
    ] {
        assert_eq!(result(&texts), finished(0x0407_0201));
        assert_eq!(joined(&texts).ok(), joined(&texts).ok());
    }
}

#[test]
fn constants_take_what_other_modules_have() {
    let first = r#"(module (global (export "one") i32 (i32.const 8)) (func $f (export "f") (result i32) (i32.const 30))
        (global (export "r") funcref (ref.func $f)))"#;
    let second = r#"(module (import "first" "one" (global $one i32))
        (global (export "one") i32 (i32.mul (global.get $one) (i32.const 3))) (export "again" (global $one)))"#;
    let main = r#"(module (import "second" "one" (global $one i32)) (import "second" "again" (global $again i32))
        (import "first" "r" (global $r funcref)) (import "first" "f" (func $f (result i32)))
        (memory 1) (data (global.get $one) "\05") (table 4 funcref)
        (elem (i32.sub (global.get $again) (i32.const 7)) funcref (global.get $r))
        (func (export "main") (result i32)
            (i32.add (i32.load8_u (i32.const 24)) (call_indirect (result i32) (i32.const 1)))))"#;
    let texts = [("", main), ("second", second), ("first", first)];
    assert_eq!(result(&texts), finished(35));
}

/// Constants of constants grow with every module: at some point they are too long.
#[test]
fn constants_that_grow_without_bound_are_refused() {
    let chain = |modules: usize| {
        let mut texts = vec![
            (String::new(), grown(&format!("m{modules}"))),
            (
                "m1".to_owned(),
                "(module (global (export \"g\") i32 (i32.const 1)))".to_owned(),
            ),
        ];
        for number in 2..=modules {
            let before = format!("m{}", number - 1);
            texts.push((format!("m{number}"), grown(&before)));
        }
        let texts: Vec<(&str, &str)> = texts
            .iter()
            .map(|(n, t)| (n.as_str(), t.as_str()))
            .collect();
        joined(&texts).map(drop)
    };
    // Each constant is the one before, 16 times.
    fn grown(before: &str) -> String {
        let mut sum = String::from("global.get 0");
        for _ in 1..16 {
            sum.push_str(" global.get 0 i32.add");
        }
        format!(r#"(module (import "{before}" "g" (global i32)) (global (export "g") i32 {sum}))"#)
    }
    assert!(chain(4).is_ok());
    let error = chain(7).expect_err("too long").to_string();
    assert!(
        error.contains("come to more than 1048576 instructions"),
        "{error}"
    );
}

/// Random modules that import from each other whatever there is, and what they define.
struct Generated {
    texts: Vec<String>,
    /// Of each, what it exports: its own, by kind and number.
    exports: Vec<Exports>,
}

#[derive(Clone, Default)]
struct Exports {
    functions: Vec<String>,
    memories: Vec<String>,
    mutable: Vec<String>,
    constant: Vec<String>,
    tables: Vec<String>,
}

fn name(number: usize) -> String {
    format!("lib{number}")
}

impl Generated {
    /// `count` libraries, each of which may import from those before it; the last is the program.
    fn new(random: &mut fastrand::Rng, count: usize) -> Self {
        let mut generated = Self {
            texts: Vec::new(),
            exports: Vec::new(),
        };
        for number in 0..count {
            generated.add(random, number, number + 1 == count);
        }
        generated
    }

    fn add(&mut self, random: &mut fastrand::Rng, number: usize, is_program: bool) {
        let mut text = String::from("(module\n(type $f (func (param i32) (result i32)))\n");
        let mut has = Exports::default();
        // All that is imported comes first; of every library something is.
        for (from, theirs) in self.exports.iter().enumerate() {
            let mut import = |items: &[String], into: &mut Vec<String>, ty: &str, always: bool| {
                for item in items {
                    if always || random.bool() {
                        let own = format!("$i{}_{}", into.len(), item);
                        let ty = ty.replace('$', &own);
                        let _ = writeln!(text, r#"(import "{}" "{item}" {ty})"#, name(from));
                        into.push(own);
                    }
                }
            };
            let func = "(func $ (type 0))";
            import(&theirs.functions, &mut has.functions, func, is_program);
            import(&theirs.memories, &mut has.memories, "(memory $ 1)", false);
            let variable = "(global $ (mut i32))";
            import(&theirs.mutable, &mut has.mutable, variable, false);
            import(&theirs.constant, &mut has.constant, "(global $ i32)", false);
            import(
                &theirs.tables,
                &mut has.tables,
                "(table $ 4 funcref)",
                false,
            );
        }
        let imported = has.clone();
        define(random, &mut has, &imported, &mut text);
        segments(random, &has, &imported, &mut text);
        if random.bool() {
            let begin = format!("(func $begin (drop (call $f0 (i32.const {number}))))");
            let _ = writeln!(text, "{begin} (start $begin)");
        }
        let exports = exported(&has, &mut text);
        let calls = has.functions.iter().map(|func| {
            let call = format!("(call {func} (local.get 0))");
            format!("(local.set 0 (i32.add (i32.mul (local.get 0) (i32.const 31)) {call}))")
        });
        let calls: String = calls.collect();
        let main = "(func (export \"main\") (result i32) (local i32)";
        let _ = writeln!(text, "{main} {calls} (local.get 0)))");
        self.texts.push(text);
        self.exports.push(exports);
    }

    /// Those that the program needs, by their names, in a random order behind it.
    fn named(&self, random: &mut fastrand::Rng) -> Vec<(String, &str)> {
        let mut libraries: Vec<usize> = (0..self.texts.len() - 1).collect();
        random.shuffle(&mut libraries);
        let program = [(String::new(), self.texts[self.texts.len() - 1].as_str())];
        let libraries = libraries
            .iter()
            .map(|number| (name(*number), self.texts[*number].as_str()));
        program.into_iter().chain(libraries).collect()
    }
}

/// What a module has itself.
fn define(random: &mut fastrand::Rng, has: &mut Exports, imported: &Exports, text: &mut String) {
    for own in 0..random.usize(0..3) {
        let _ = writeln!(text, "(memory $m{own} {} 3)", random.u32(1..3));
        has.memories.push(format!("$m{own}"));
    }
    for own in 0..random.usize(0..3) {
        let value = constant(random, imported);
        let _ = writeln!(text, "(global $v{own} (mut i32) {value})");
        has.mutable.push(format!("$v{own}"));
    }
    for own in 0..random.usize(1..3) {
        let value = constant(random, imported);
        let _ = writeln!(text, "(global $c{own} i32 {value})");
        has.constant.push(format!("$c{own}"));
    }
    for own in 0..random.usize(0..3) {
        let _ = writeln!(text, "(table $t{own} 4 6 funcref)");
        has.tables.push(format!("$t{own}"));
    }
    // Functions call only those before them, but through tables, which the depth of calls ends.
    for own in 0..random.usize(1..4) {
        let count = random.usize(1..6);
        let body: String = (0..count).map(|_| statement(random, has)).collect();
        let result = "(i32.xor (local.get 0) (local.get 1))";
        let _ = writeln!(text, "(func $f{own} (type $f) (local i32) {body} {result})");
        has.functions.push(format!("$f{own}"));
    }
}

/// Exports all that a module has, also what it imports.
fn exported(has: &Exports, text: &mut String) -> Exports {
    let mut exports = Exports::default();
    let mut export = |items: &[String], into: &mut Vec<String>, kind: &str, shown: &str| {
        for (at, item) in items.iter().enumerate() {
            let shown = format!("{shown}{at}");
            let _ = writeln!(text, r#"(export "{shown}" ({kind} {item}))"#);
            into.push(shown);
        }
    };
    export(&has.functions, &mut exports.functions, "func", "func");
    export(&has.memories, &mut exports.memories, "memory", "memory");
    export(&has.constant, &mut exports.constant, "global", "constant");
    export(&has.mutable, &mut exports.mutable, "global", "variable");
    export(&has.tables, &mut exports.tables, "table", "table");
    exports
}

fn pick<'i>(random: &mut fastrand::Rng, items: &'i [String]) -> Option<&'i str> {
    random.choice(items).map(String::as_str)
}

/// A small constant, perhaps of another module.
fn constant(random: &mut fastrand::Rng, imported: &Exports) -> String {
    let value = format!("(i32.const {})", random.u32(..100));
    match (random.u32(..3), pick(random, &imported.constant)) {
        (0, Some(global)) => format!("(global.get {global})"),
        (1, Some(global)) => format!("(i32.add {value} (global.get {global}))"),
        _ => value,
    }
}

/// Something that functions do, with local 0 and 1.
fn statement(random: &mut fastrand::Rng, has: &Exports) -> String {
    let value = random
        .choice(["(local.get 0)", "(local.get 1)", "(i32.const 77)"])
        .unwrap_or_default();
    let address = format!("(i32.and {value} (i32.const 255))");
    let offset = random.u32(..300);
    let statement = match random.u32(..11) {
        0 => pick(random, &has.memories)
            .map(|memory| format!("(i32.store {memory} offset={offset} {address} {value})")),
        1 => pick(random, &has.memories).map(|memory| {
            format!("(local.set 1 (i32.load16_u {memory} offset={offset} {address}))")
        }),
        2 => pick(random, &has.mutable)
            .map(|global| format!("(global.set {global} (i32.add (global.get {global}) {value}))")),
        3 => {
            pick(random, &has.constant).map(|global| format!("(local.set 1 (global.get {global}))"))
        }
        4 => {
            pick(random, &has.functions).map(|func| format!("(local.set 1 (call {func} {value}))"))
        }
        5 => pick(random, &has.tables).map(|table| {
            let element = format!("(i32.and {value} (i32.const 3))");
            format!(
                "(if (i32.eqz (ref.is_null (table.get {table} {element})))
                (then (local.set 1 (call_indirect {table} (type $f) {value} {element}))))"
            )
        }),
        6 => pick(random, &has.memories).map(|memory| {
            format!("(memory.fill {memory} {address} (i32.const {offset}) (i32.const 9))")
        }),
        7 => (pick(random, &has.memories).zip(pick(random, &has.memories))).map(|(to, from)| {
            format!("(memory.copy {to} {from} {address} (i32.const {offset}) (i32.const 40))")
        }),
        8 => pick(random, &has.memories)
            .map(|memory| format!("(local.set 1 (memory.grow {memory} (i32.const 1)))")),
        9 => pick(random, &has.tables)
            .zip(pick(random, &has.functions))
            .map(|(table, func)| {
                format!("(table.set {table} (i32.and {value} (i32.const 3)) (ref.func {func}))")
            }),
        _ => Some(format!(
            "(local.set 1 (i32.rotl {value} (i32.const {offset})))"
        )),
    };
    statement.unwrap_or_default()
}

/// Segments of data and of elements, and what functions may be referred to.
fn segments(random: &mut fastrand::Rng, has: &Exports, imported: &Exports, text: &mut String) {
    for memory in &has.memories {
        for _ in 0..random.usize(..3) {
            let at = constant(random, imported);
            let _ = writeln!(
                text,
                "(data (memory {memory}) (offset {at}) \"\\{:02x}abc\")",
                random.u8(..)
            );
        }
    }
    for table in &has.tables {
        if let (true, Some(func)) = (random.bool(), pick(random, &has.functions)) {
            let at = random.u32(..4);
            let _ = writeln!(
                text,
                "(elem (table {table}) (offset (i32.const {at})) func {func})"
            );
        }
    }
    let _ = writeln!(text, "(elem declare func {})", has.functions.join(" "));
}

/// Instantiates parts one after the other, as an engine does.
fn linked(parts: &[Part<'_>], order: &[usize]) -> (Machine, Vec<InstanceId>, Option<Outcome>) {
    let mut machine = Machine::empty(limits());
    let mut instances = vec![InstanceId(u32::MAX); parts.len()];
    for number in order {
        let part = &parts[*number];
        let imports = part.module.imports().map(|import| {
            let from = parts
                .iter()
                .position(|part| part.name.as_deref() == Some(import.module));
            let from = instances[from.expect("a library")];
            machine.export(from, import.name).expect("exported")
        });
        let imports: Vec<Extern> = imports.collect();
        let module = borges_vm::Module::new(part.module.bytes(), &limits()).expect("valid");
        let id = machine
            .instantiate(Shared::new(module), &imports)
            .expect("it fits");
        instances[*number] = id;
        if machine.start(id).expect("nothing runs")
            && let outcome @ Outcome::Trapped(_) = ends(&mut machine)
        {
            return (machine, instances, Some(outcome));
        }
    }
    (machine, instances, None)
}

fn limits() -> Limits {
    Limits {
        call_depth: 60,
        ..Limits::host()
    }
}

#[test]
fn joined_modules_do_what_linked_instances_do() {
    let (mut finished, mut trapped) = (0, 0);
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let count = random.usize(2..5);
        let generated = Generated::new(&mut random, count);
        let named = generated.named(&mut random);
        let texts: Vec<(&str, &str)> = named
            .iter()
            .map(|(name, text)| (name.as_str(), *text))
            .collect();
        let shown = || format!("seed {seed}\n{}", generated.texts.join("\n"));
        let bytes = assembled(&texts);
        let parts = parts(&bytes).expect("parts");
        let board = Description::default_board();
        let plan = Plan::new(&parts, &board).expect("a plan");
        let (mut machine, instances, start) = linked(&parts, &plan.order);
        let joined = join(&parts, &board).expect("joined");
        let module = borges_vm::Module::new(&joined, &limits())
            .unwrap_or_else(|e| panic!("{e}: {}", shown()));
        let mut one = Machine::new(Shared::new(module), limits()).expect("a machine");
        let outcome = start.unwrap_or_else(|| run(&mut machine, instances[0], "main"));
        let joined_outcome = run(&mut one, InstanceId(0), "main");
        assert_eq!(outcome, joined_outcome, "{}", shown());
        if !matches!(outcome, Outcome::Finished(_)) {
            trapped += 1;
            continue;
        }
        finished += 1;
        let linked = machine.snapshot(None);
        for (number, part) in parts.iter().enumerate() {
            for export in part.module.exports() {
                let found = machine
                    .export(instances[number], export.name)
                    .expect("exported");
                let numbers = &plan.numbers[number];
                match found {
                    Extern::Memory(address) => {
                        let at = numbers.of(Kind::Memory, export.index);
                        let bytes = one.memory_at(at).expect("a memory");
                        let theirs = linked.memory(address as usize, 0, 4 << 16);
                        assert!(bytes == theirs, "memory {} {}", export.name, shown());
                    }
                    Extern::Global(_) => {
                        let at = numbers.of(Kind::Global, export.index);
                        let value = machine.exported_global(instances[number], export.name);
                        assert_eq!(
                            one.globals().get(at as usize).copied(),
                            value,
                            "{}",
                            shown()
                        );
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(
        finished > 100 && trapped > 5,
        "{finished} finished, {trapped} trapped"
    );
}
