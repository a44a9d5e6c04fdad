//! Our own VM.

use borges_vm::{Exit, Limits, Machine, Module, Outcome as End, Shared, Value};

use super::{Engine, Instance, Outcome};

/// The VM in the ways to measure it.
#[derive(Clone, Copy, PartialEq)]
pub enum Borges {
    /// As it is: both tiers, steps counted exactly.
    Counting,
    /// Steps left uncounted.
    Uncounted,
    /// The stepping tier alone.
    Stepping,
}

struct Loaded {
    machine: Machine,
    run: borges_vm::FuncIdx,
    counts: bool,
}

impl Engine for Borges {
    fn name(&self) -> &'static str {
        match self {
            Borges::Counting => "borges",
            Borges::Uncounted => "uncounted",
            Borges::Stepping => "stepping",
        }
    }

    fn describe(&self) -> String {
        let dispatch = if cfg!(feature = "portable") {
            "portable dispatch"
        } else {
            "tail calls"
        };
        match self {
            Borges::Counting => format!("borges: exact step counts, canonical NaNs, {dispatch}"),
            Borges::Uncounted => "uncounted: the same without counting".into(),
            Borges::Stepping => "stepping: the stepping tier alone".into(),
        }
    }

    fn load(&self, wasm: &'static [u8]) -> Result<Box<dyn Instance>, String> {
        let limits = Limits::default();
        let module = Module::new(wasm, &limits).map_err(|e| e.to_string())?;
        let run = module.exported_func("run").ok_or("no export `run`")?;
        let mut machine = Machine::new(Shared::new(module), limits).map_err(|e| e.to_string())?;
        match self {
            Borges::Counting => {}
            Borges::Uncounted => machine.leave_steps_uncounted(),
            Borges::Stepping => machine.use_stepping_tier_only(true),
        }
        Ok(Box::new(Loaded {
            machine,
            run,
            counts: *self != Borges::Uncounted,
        }))
    }
}

impl Instance for Loaded {
    fn run(&mut self, n: u32) -> Result<Outcome, String> {
        let before = self.machine.steps();
        self.machine
            .begin(self.run, &[Value::I32(n as i32)])
            .map_err(|e| e.to_string())?;
        match self.machine.run(u64::MAX) {
            Exit::Finished => {}
            exit => return Err(format!("{exit:?}")),
        }
        match self.machine.outcome() {
            Some(End::Finished(results)) => match results[..] {
                [Value::I32(sum)] => {
                    let steps = self.counts.then(|| self.machine.steps() - before);
                    Ok(Outcome { sum: sum as u32, steps })
                }
                _ => Err("`run` gave no i32".into()),
            },
            other => Err(format!("{other:?}")),
        }
    }
}
