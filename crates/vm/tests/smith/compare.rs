//! One module in both tiers of this machine, in this machine stopped and saved, and in wasmi.

use borges_vm::*;

use super::{Reference, generate};
use crate::common::Random;

/// Enough for whatever the generator makes.
pub(crate) fn limits() -> Limits {
    Limits {
        call_depth: 20_000,
        stack_slots: 1 << 18,
        memory_pages: 1 << 16,
        ..Limits::default()
    }
}

/// What a call came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Values(Vec<Value>),
    Trap(Trap),
}

/// The answer of the embedder: a function of the call and of how many came before.
pub(crate) fn answer_to(func: u32, args: &[Value], results: &[ValType], calls: u64) -> Vec<Value> {
    let mut hash = u64::from(func) ^ calls.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for arg in args {
        let bits = match *arg {
            Value::I32(v) => v as u32 as u64,
            Value::I64(v) => v as u64,
            Value::F32(v) => v.into(),
            Value::F64(v) => v,
            Value::FuncRef(_) | Value::ExternRef(_) | Value::ExnRef(_) => 1,
            Value::V128(bytes) => bytes
                .iter()
                .fold(7, |all, byte| (all * 5) ^ u64::from(*byte)),
        };
        hash = (hash ^ bits).wrapping_mul(0x0100_0000_01b3).rotate_left(29);
    }
    results.iter().map(|ty| value_of(*ty, hash)).collect()
}

fn value_of(ty: ValType, bits: u64) -> Value {
    match ty {
        ValType::I32 => Value::I32(bits as i32),
        ValType::I64 => Value::I64(bits as i64),
        ValType::F32 => Value::F32(bits as u32),
        ValType::F64 => Value::F64(bits),
        ValType::FuncRef => Value::FuncRef(None),
        ValType::ExternRef => Value::ExternRef(None),
        ValType::ExnRef => Value::ExnRef(None),
        ValType::V128 => Value::V128((u128::from(bits) << 61 | u128::from(bits)).to_le_bytes()),
    }
}

/// A program under test: one machine after the other, if it changes machines.
struct Subject {
    machine: Machine,
    calls: u64,
    /// Where to stop and go on in a fresh machine.
    stops: Option<Random>,
    /// True if the stepping tier executes everything.
    stepping: bool,
}

impl Subject {
    fn new(mut machine: Machine, stepping: bool, stops: Option<Random>) -> Subject {
        machine.use_stepping_tier_only(stepping);
        Subject {
            machine,
            calls: 0,
            stops,
            stepping,
        }
    }

    fn finish(&mut self) -> Ended {
        let mut most = 8;
        loop {
            let until = match &mut self.stops {
                Some(random) => {
                    most = (most + most / 2).min(1 << 20);
                    self.machine.steps() + 1 + random.below(most)
                }
                None => u64::MAX,
            };
            match self.machine.run(until) {
                Exit::Finished => match self.machine.outcome() {
                    Some(Outcome::Finished(values)) => return Ended::Values(values.clone()),
                    other => panic!("{other:?}"),
                },
                Exit::Trapped(trap) => return Ended::Trap(trap),
                Exit::HostCall => {
                    let call = self.machine.pending().unwrap();
                    let results = answer_to(call.func.0, &call.args, &call.ty.results, self.calls);
                    self.calls += 1;
                    self.machine.answer(&results).unwrap();
                }
                Exit::Budget => {
                    assert_eq!(self.machine.steps(), until);
                    self.change_machine();
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn change_machine(&mut self) {
        let module = self.machine.module().unwrap().clone();
        let mut fresh = match Machine::new(module, limits()) {
            Ok(fresh) => fresh,
            Err(error) => panic!("it was made before: {error}"),
        };
        fresh.load(&self.machine.save()).unwrap();
        // The tiers take turns.
        self.stepping = !self.stepping;
        fresh.use_stepping_tier_only(self.stepping);
        self.machine = fresh;
    }
}

/// What was compared.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    pub(crate) modules: u32,
    pub(crate) calls: u32,
    /// Calls that gave results instead of trapping.
    pub(crate) returned: u32,
    pub(crate) steps: u64,
    pub(crate) host_calls: u64,
}

/// Runs one module, generated from `input`, through both.
pub(crate) fn compare(input: &[u8], seed: u64, compared: &mut Compared) {
    // Without vectors: some modules that have them crash this version of wasmi.
    let Some(bytes) = generate(input, false) else {
        return;
    };
    let module = match Module::new(&bytes, &limits()) {
        Ok(module) => Shared::new(module),
        Err(error) => panic!("seed {seed}: {error}"),
    };
    let reference = Reference::new(&bytes);
    let machine = Machine::new(module.clone(), limits());
    let (mut reference, machine) = match (reference, machine) {
        (Ok(reference), Ok(machine)) => (reference, machine),
        // The start function trapped there; here it did not run yet.
        (Err(Some(trap)), Ok(mut machine)) if module.start().is_some() => {
            machine.start(InstanceId(0)).unwrap();
            let mut subject = Subject::new(machine, true, None);
            assert_eq!(
                same_trap(subject.finish()),
                same_trap(Ended::Trap(trap)),
                "seed {seed}"
            );
            return;
        }
        (Err(_), Err(StartError::Segment { .. })) => return,
        (Err(reference), machine) => panic!("seed {seed}: {reference:?} and {:?}", machine.is_ok()),
        (Ok(_), Err(error)) => panic!("seed {seed}: {error}"),
    };
    let mut random = Random::new(seed);
    let mut subject = Subject::new(machine.clone(), true, None);
    let mut others = [
        ("fast", Subject::new(machine.clone(), false, None)),
        (
            "stopped",
            Subject::new(machine, false, Some(Random::new(seed ^ 1))),
        ),
    ];
    if subject.machine.start(InstanceId(0)).unwrap() {
        assert!(matches!(subject.finish(), Ended::Values(_)), "seed {seed}");
        for (_, other) in &mut others {
            other.machine.start(InstanceId(0)).unwrap();
            other.finish();
        }
    }
    compared.modules += 1;
    for export in module.exports() {
        let ExternType::Func(ty) = export.ty else {
            continue;
        };
        let args: Vec<Value> = ty
            .params
            .iter()
            .map(|ty| value_of(*ty, random.next()))
            .collect();
        let context = format!("seed {seed}, {}({args:?})", export.name);
        subject.machine.begin(FuncIdx(export.index), &args).unwrap();
        let ended = subject.finish();
        for (way, other) in &mut others {
            other.machine.begin(FuncIdx(export.index), &args).unwrap();
            assert_eq!(other.finish(), ended, "{context}, {way}");
            assert!(
                other.machine.save() == subject.machine.save(),
                "{context}, {way}"
            );
        }
        let expected = reference.call(export.name, &args);
        let exhausted = Ended::Trap(Trap::StackOverflow);
        if ended == exhausted || expected == exhausted {
            // How deep is deep enough differs, and with it all that follows.
            break;
        }
        compared.returned += u32::from(matches!(ended, Ended::Values(_)));
        compared.calls += 1;
        assert_eq!(same_trap(ended), same_trap(expected), "{context}");
        reference.compare_state(&subject.machine, &context);
    }
    compared.steps += subject.machine.steps();
    compared.host_calls += subject.calls;
}

/// References by whether they are null, and traps that the other machine does not tell apart.
fn same_trap(ended: Ended) -> Ended {
    match ended {
        Ended::Trap(Trap::UndefinedElement) => Ended::Trap(Trap::TableOutOfBounds),
        Ended::Values(values) => Ended::Values(
            values
                .into_iter()
                .map(|value| match value {
                    Value::FuncRef(func) => Value::FuncRef(func.map(|_| 0)),
                    other => other,
                })
                .collect(),
        ),
        other => other,
    }
}
