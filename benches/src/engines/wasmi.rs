//! wasmi, as its authors recommend to build it: fat LTO, one codegen unit, tail-call dispatch.

use wasmi::{Linker, Module, Store, TypedFunc};

use super::{Engine, Instance, Outcome};

/// With `fuel`, wasmi meters its own operations per block: the nearest thing it has to counting.
pub struct Wasmi {
    pub fuel: bool,
}

struct Loaded {
    store: Store<()>,
    run: TypedFunc<u32, u32>,
    fuel: bool,
}

impl Engine for Wasmi {
    fn name(&self) -> &'static str {
        if self.fuel { "wasmi+fuel" } else { "wasmi" }
    }

    fn describe(&self) -> String {
        format!("{}: wasmi 2.0.0, deterministic, fat LTO", self.name())
    }

    fn load(&self, wasm: &'static [u8]) -> Result<Box<dyn Instance>, String> {
        let mut config = wasmi::Config::default();
        config.consume_fuel(self.fuel);
        let engine = wasmi::Engine::new(&config);
        let text = |error: wasmi::Error| error.to_string();
        let module = Module::new(&engine, wasm).map_err(text)?;
        let mut store = Store::new(&engine, ());
        let instance = Linker::new(&engine)
            .instantiate_and_start(&mut store, &module)
            .map_err(text)?;
        let run = instance.get_typed_func::<u32, u32>(&store, "run").map_err(text)?;
        Ok(Box::new(Loaded {
            store,
            run,
            fuel: self.fuel,
        }))
    }
}

impl Instance for Loaded {
    fn run(&mut self, n: u32) -> Result<Outcome, String> {
        if self.fuel {
            self.store.set_fuel(u64::MAX / 2).map_err(|e| e.to_string())?;
        }
        let sum = self.run.call(&mut self.store, n).map_err(|e| e.to_string())?;
        Ok(Outcome { sum, steps: None })
    }
}
