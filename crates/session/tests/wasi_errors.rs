//! Every way through the errors of a program of WASI, of some two hundred lines of C. What `paths` finds is held against
//! runs of the program in which every call that may fail fails with every error that it may fail with.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use borges_session::suggest::{self, SuggestOptions, SystemChoices};
use borges_session::{Flow, Provided};
use borges_vm::binary::Instr;
use borges_vm::{
    CodeOffset, Exit, Limits, Machine, Module, Observer, Outcome, Shared, Site, Snapshot, Value,
    Write,
};
use borges_wasi::{
    Called, Chosen, Errno, Function, Item, Output, Setup, WasiAnswer, WasiImport, World,
};
use serde_json::Value as Json;

/// So many calls fail on a path.
const DEPTH: u32 = 4;
/// The log that the program finds, and what it is to make of it.
const CONFIG: &str = "k3s1\n";
const LOG: &str = "+a 1\n+b 2\n+a 3\n";
const ARGUMENTS: [&str; 3] = ["set", "c", "4"];

fn program() -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/futures_programs");
    PathBuf::from(folder).join("store.wasm")
}

/// The tree of paths as `borges paths --json` prints it.
fn found() -> Json {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("store.conf"), CONFIG).expect("written");
    std::fs::write(folder.path().join("store.log"), LOG).expect("written");
    let options = SuggestOptions {
        paths: Some(100_000),
        // None of it depends on how fast this computer is.
        seconds: Some(1e6),
        system: Some(Provided {
            arguments: ARGUMENTS.map(str::to_owned).to_vec(),
            folders: vec![(folder.path().to_owned(), "/data".to_owned())],
            ..Provided::default()
        }),
        choices: SystemChoices {
            stdin: None,
            faults: DEPTH,
            more: false,
            ..SystemChoices::default()
        },
        ..SuggestOptions::default()
    };
    let report = suggest::of_program(&program(), None, &options, &mut |_| Flow::Continue);
    let report = report.expect("it is explored");
    assert!(report.complete, "{:?}", report.unexplored);
    serde_json::to_value(&report).expect("it is data")
}

/// What a program did, as far as anybody outside can see.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Behaviour {
    code: u32,
    printed: [Vec<u8>; 2],
    files: Vec<(String, BTreeMap<String, Item>)>,
}

/// Notes the way that every branch takes.
struct Branches<'b> {
    /// By offset: whether it has more than two ways.
    at: &'b HashMap<u32, bool>,
    taken: DefaultHasher,
}

impl Observer for Branches<'_> {
    fn before(&mut self, site: &Site<'_>) -> bool {
        let at = site.offset().0;
        if let Some(has_many) = self.at.get(&at) {
            let top = *site.cells().last().expect("an operand") as u32;
            let way = if *has_many { top } else { u32::from(top != 0) };
            (at, way).hash(&mut self.taken);
        }
        false
    }
}

/// A run that waits before a call which has not been answered yet.
struct Run {
    machine: Snapshot,
    /// What it is answered, if it is one.
    answer: Option<WasiAnswer>,
    so_far: SoFar,
}

/// What a run has come to.
#[derive(Clone)]
struct SoFar {
    world: World,
    taken: DefaultHasher,
    /// So many calls may still fail.
    left: u32,
    /// What every call that may fail came to: 0, or minus the number of its error.
    answers: Vec<i64>,
}

/// How a run ended.
struct Ended {
    answers: Vec<i64>,
    taken: u64,
    behaviour: Behaviour,
}

/// Runs the program with every error of every call.
struct BruteForce {
    imports: Vec<WasiImport>,
    branches: HashMap<u32, bool>,
    machine: Machine,
    waiting: Vec<Run>,
}

impl BruteForce {
    fn new() -> Self {
        let module = std::fs::read(program()).expect("the program");
        let module = Module::new(&module, &Limits::default()).expect("a module");
        let module = Shared::new(module);
        let mut branches = HashMap::new();
        for func in module.funcs() {
            for (CodeOffset(at), instr) in module.instrs(func) {
                let has_many = match instr {
                    Instr::If(_) | Instr::BrIf(_) => false,
                    Instr::BrTable(_) | Instr::CallIndirect { .. } => true,
                    _ => continue,
                };
                branches.insert(at, has_many);
            }
        }
        let imports = module.imports();
        let imports = imports.map(|import| WasiImport::find(import.module, import.name));
        let imports = imports
            .collect::<Option<_>>()
            .expect("WASI is all it needs");
        let files = [("store.conf", CONFIG), ("store.log", LOG)];
        let files = files.map(|(name, text)| (name.to_owned(), Item::File(text.into())));
        let arguments = ["store.wasm"].into_iter().chain(ARGUMENTS);
        let setup = Setup {
            arguments: arguments.map(str::to_owned).collect(),
            folders: vec![("/data".to_owned(), files.into_iter().collect())],
            ..Setup::default()
        };
        let start = module.exported_func("_start").expect("a program");
        let mut machine = Machine::new(module, Limits::default()).expect("a machine");
        machine.begin(start, &[]).expect("nothing to give it");
        let first = Run {
            machine: machine.snapshot(None),
            answer: None,
            so_far: SoFar {
                world: World::new(&setup).expect("a world"),
                taken: DefaultHasher::new(),
                left: DEPTH,
                answers: Vec::new(),
            },
        };
        BruteForce {
            imports,
            branches,
            machine,
            waiting: vec![first],
        }
    }

    /// What the call before which the machine stands comes to.
    fn called(&self, world: &mut World, chosen: Option<&Chosen>) -> (Function, Called) {
        let pending = self.machine.pending().expect("a call");
        let import = self.imports[pending.func.0 as usize];
        let args = pending.args.iter().map(|value| match value {
            Value::I32(number) => u64::from(*number as u32),
            Value::I64(number) => *number as u64,
            other => panic!("{other:?}"),
        });
        let args: Vec<u64> = args.collect();
        let called = world.call(import, &args, &self.machine.memory(), chosen);
        (import.function, called.expect("a right choice"))
    }

    fn answer(&mut self, answer: WasiAnswer) {
        let writes = answer.writes.into_iter().map(|write| Write {
            address: write.address,
            bytes: write.bytes,
        });
        let result = Value::I32(i32::from(answer.errno.code()));
        let writes: Vec<Write> = writes.collect();
        let answered = self.machine.answer_with(&[result], &writes);
        answered.expect("the right type");
    }

    /// The same run waits with every error of the call before which the machine stands.
    fn fail(&mut self, so_far: &SoFar, function: Function, before: &Snapshot) {
        for errno in function.faults() {
            let mut failed = so_far.clone();
            let (_, called) = self.called(&mut failed.world, Some(&Chosen::Fault(*errno)));
            let Called::Answer(answer) = called else {
                panic!("{called:?}");
            };
            assert_eq!(answer.errno, *errno);
            failed.left -= 1;
            failed.answers.push(-i64::from(errno.code()));
            // Whether it failed is decided, as by a branch.
            failed.taken.write_u8(1);
            self.waiting.push(Run {
                machine: before.clone(),
                answer: Some(answer),
                so_far: failed,
            });
        }
    }
}

impl Iterator for BruteForce {
    type Item = Ended;

    /// The end of the next run; its last calls are tried with all other errors afterwards.
    fn next(&mut self) -> Option<Ended> {
        let Run {
            machine: mut before,
            answer,
            mut so_far,
        } = self.waiting.pop()?;
        self.machine.restore(&before).expect("the same program");
        if let Some(answer) = answer {
            self.answer(answer);
        }
        let code = loop {
            let mut branches = Branches {
                at: &self.branches,
                taken: so_far.taken.clone(),
            };
            let exit = self.machine.run_observed(u64::MAX, &mut branches);
            so_far.taken = branches.taken;
            match exit {
                Exit::HostCall => {}
                Exit::Finished => {
                    assert_eq!(self.machine.outcome(), Some(&Outcome::Finished(vec![])));
                    break 0;
                }
                other => panic!("{other:?}"),
            }
            let mut world = so_far.world.clone();
            let (function, answer) = match self.called(&mut world, None) {
                (_, Called::Exit(code)) => break code,
                (function, Called::Answer(answer)) => (function, answer),
                other => panic!("{other:?}"),
            };
            let succeeds = answer.errno == Errno::Success;
            if succeeds && !function.faults().is_empty() {
                if so_far.left > 0 {
                    before = self.machine.snapshot(Some(&before));
                    self.fail(&so_far, function, &before);
                }
                so_far.answers.push(0);
            }
            so_far.world = world;
            self.answer(answer);
        };
        let world = &so_far.world;
        Some(Ended {
            taken: so_far.taken.finish(),
            answers: so_far.answers,
            behaviour: Behaviour {
                code,
                printed: Output::ALL.map(|output| world.output(output).to_vec()),
                files: world.folders(),
            },
        })
    }
}

/// The path of the tree that a run takes: its number and how it ends.
fn path_of<'t>(tree: &'t Json, answers: &[i64]) -> Option<(u64, &'t str)> {
    let mut node = tree;
    for answer in answers {
        let Some(options) = node["options"].as_array() else {
            // Where no more calls may fail, nothing is chosen.
            assert_eq!(*answer, 0, "{answers:?}");
            break;
        };
        let fits = |option: &&Json| {
            let mut parts = option["set"].as_array().into_iter().flatten();
            let within =
                |part: &Json| Some(part[0].as_i64()? <= *answer && *answer <= part[1].as_i64()?);
            parts.any(|part| within(part) == Some(true))
        };
        let mut fitting = options.iter().filter(fits);
        let option = fitting.next()?;
        assert!(fitting.next().is_none(), "two paths at once: {answers:?}");
        node = option.get("subtree").unwrap_or(option);
    }
    let end = node.get("end")?;
    Some((
        end["path"].as_u64()?,
        end["reason"].as_str().unwrap_or("exit code 0"),
    ))
}

#[test]
fn every_error_of_every_call_to_depth_four_is_on_one_path_and_no_path_is_another_one_again() {
    let found = found();
    let paths = found["paths"].as_u64().expect("a number");
    let mut by_path: BTreeMap<u64, (u64, Behaviour)> = BTreeMap::new();
    let (mut runs, mut ways) = (0, HashSet::new());
    for run in BruteForce::new() {
        runs += 1;
        ways.insert((run.taken, run.behaviour.code));
        let path = path_of(&found["tree"], &run.answers);
        let (path, reason) = path.unwrap_or_else(|| panic!("missing: {:?}", run.answers));
        assert_eq!(reason, format!("exit code {}", run.behaviour.code));
        let known = (run.taken, run.behaviour);
        let first = by_path.entry(path).or_insert_with(|| known.clone());
        assert_eq!(*first, known, "another way: {:?}", run.answers);
    }
    assert_eq!(by_path.len() as u64, paths, "paths that no run takes");
    assert_eq!(ways.len() as u64, paths, "two paths that are one");
    assert!(runs > 10 * paths, "{runs} runs on {paths} paths");
    // All of them tell what they came to, and none says that all is well where something is lost.
    let behaviours = by_path.values().map(|(_, behaviour)| behaviour);
    let codes: BTreeSet<u32> = behaviours.clone().map(|behaviour| behaviour.code).collect();
    assert_eq!(codes, BTreeSet::from([0, 2, 3, 5, 6, 7, 8]));
    for behaviour in behaviours.filter(|behaviour| behaviour.code == 0) {
        let Some(Item::File(log)) = behaviour.files[0].1.get("store.log") else {
            panic!("no log: {behaviour:?}");
        };
        let log = String::from_utf8_lossy(log);
        assert!(log.contains("+b 2\n") && log.contains("+c 4\n"), "{log}");
    }
}
