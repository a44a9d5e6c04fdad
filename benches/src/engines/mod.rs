//! The engines, behind one interface.

mod borges;
#[cfg(wasm3)]
mod wasm3;
mod wasmi;

/// An interpreter.
pub trait Engine {
    /// Its column's heading.
    fn name(&self) -> &'static str;
    /// Version and build, for the record.
    fn describe(&self) -> String;
    /// Instantiates a kernel.
    fn load(&self, wasm: &'static [u8]) -> Result<Box<dyn Instance>, String>;
}

/// A kernel ready to run.
pub trait Instance {
    /// Calls the kernel's `run(n)`.
    fn run(&mut self, n: u32) -> Result<Outcome, String>;
}

/// What a run gave.
pub struct Outcome {
    /// The kernel's checksum.
    pub sum: u32,
    /// Wasm instructions retired, if the engine counts them.
    pub steps: Option<u64>,
}

/// All engines of this build; ratios are taken to the first.
pub fn all() -> Vec<Box<dyn Engine>> {
    vec![
        #[cfg(wasm3)]
        Box::new(wasm3::Wasm3),
        Box::new(borges::Borges::Counting),
        Box::new(borges::Borges::Uncounted),
        Box::new(borges::Borges::Stepping),
        Box::new(wasmi::Wasmi { fuel: false }),
        Box::new(wasmi::Wasmi { fuel: true }),
    ]
}
