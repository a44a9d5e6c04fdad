//! The machine: instances of modules and the state of the program that runs in them.

mod calls;
mod debug;
#[cfg(feature = "memories")]
mod elsewhere;
mod link;
mod memory;
mod observe;
mod run;
mod site;
mod slow;
mod state;
mod step;
#[cfg(feature = "exceptions")]
mod throw;
mod view;

use alloc::boxed::Box;
use alloc::vec::Vec;

pub use calls::{AnswerError, HostCall, Write};
use debug::Debug;
pub use debug::{NoInstruction, Watch};
pub use link::{Extern, InstanceId, StartError};
pub(crate) use memory::Memory;
pub use observe::{Observer, Site, Transfer};
pub use run::{BeginError, Exit, InterruptError, Location, Outcome, Until};
pub(crate) use site::Called;
#[cfg(feature = "host")]
pub(crate) use state::Store;
pub(crate) use state::{Frame, NONE, Phase, Progress, State, Thread, backed_bytes};
#[cfg(feature = "exceptions")]
pub(crate) use throw::Tag;
#[cfg(feature = "exceptions")]
pub use throw::Thrown;
pub use view::{Activation, FrameView};
#[cfg(borges_fast)]
pub(crate) use {
    debug::NOTHING,
    step::{Hooks, Stop},
};

use crate::{FuncType, GlobalType, Limits, MemoryType, Module, Shared, TableType, Value};

/// A function of the machine, by its address: those of the first instance come first, so that
/// there address and index are the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Func {
    /// Its type among [`Machine::types`].
    pub(crate) ty: u32,
    /// The instance that defines it or, for a function of the embedder, imports it.
    pub(crate) instance: u32,
    /// Its index there; imported means that the embedder answers its calls.
    pub(crate) index: u32,
}

/// A module put to work: what its indices mean in this machine.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) module: Shared<Module>,
    /// Addresses by index.
    pub(crate) funcs: Vec<u32>,
    pub(crate) tables: Vec<u32>,
    pub(crate) globals: Vec<u32>,
    /// Address of the memory, or of the first of several, or [`NONE`].
    pub(crate) memory: u32,
    /// Those of the others.
    #[cfg(feature = "memories")]
    pub(crate) other_memories: Vec<u32>,
    /// The machine's types by index.
    pub(crate) types: Vec<u32>,
    /// Addresses by index.
    #[cfg(feature = "exceptions")]
    pub(crate) tags: Vec<u32>,
}

impl Instance {
    /// The address of a memory, or [`NONE`].
    pub(crate) fn memory_at(&self, index: u32) -> u32 {
        match index.checked_sub(1) {
            None => self.memory,
            #[cfg(feature = "memories")]
            Some(other) => self
                .other_memories
                .get(other as usize)
                .copied()
                .unwrap_or(NONE),
            #[cfg(not(feature = "memories"))]
            Some(_) => NONE,
        }
    }
}

/// A WebAssembly machine: a program and its whole state.
///
/// It never calls out. [`Machine::run`] executes until something happens and says what; between
/// two instructions everything can be read, hashed, saved and restored. Time is counted in
/// *steps*, one for every instruction retired:
/// - structural instructions (`block`, `loop`, `end`, `nop`, …) count;
/// - a branch to a block's label goes past its `end`, one to a loop's label to the first
///   instruction of its body, one to the function's label to its last `end`, which then counts;
/// - `if` whose condition is false goes past its `else` or, without one, past its `end`; `else`
///   behind the first arm goes past the `end`;
/// - a `throw` that is caught counts as a branch to the label does where it is caught;
/// - a tail call counts as a call does, and the last `end` of the function that makes it does not count;
/// - a call of the embedder counts when it is answered; an instruction that traps does not count.
///
/// A clone is a machine of its own in the same state; modules are shared.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(crate) limits: Limits,
    // What instantiation fixes.
    pub(crate) instances: Vec<Instance>,
    pub(crate) funcs: Vec<Func>,
    /// Every function type once, so that equal types have equal numbers.
    pub(crate) types: Vec<FuncType>,
    pub(crate) table_types: Vec<TableType>,
    pub(crate) memory_types: Vec<MemoryType>,
    #[cfg(feature = "exceptions")]
    pub(crate) tags: Vec<Tag>,
    /// By address. A vector has two, one for each of its cells.
    pub(crate) global_types: Vec<GlobalType>,
    /// A hash of the modules and how they are linked.
    pub(crate) program: u64,
    // What running changes.
    pub(crate) state: State,
    /// What the entry came to; it follows from the state.
    outcome: Option<Outcome>,
    /// Where the debugger wants to stop: no part of the program's state.
    debug: Option<Box<Debug>>,
    /// Code of functions; no part of the state.
    #[cfg(borges_fast)]
    pub(crate) fast: crate::fast::Fast,
}

impl Machine {
    /// A machine without instances.
    pub fn empty(limits: Limits) -> Machine {
        Machine {
            limits,
            instances: Vec::new(),
            funcs: Vec::new(),
            types: Vec::new(),
            table_types: Vec::new(),
            memory_types: Vec::new(),
            #[cfg(feature = "exceptions")]
            tags: Vec::new(),
            global_types: Vec::new(),
            program: 0,
            state: State::new(&limits),
            outcome: None,
            debug: None,
            #[cfg(borges_fast)]
            fast: crate::fast::Fast::default(),
        }
    }

    /// A machine with one instance of `module`, whose imports are all the embedder's
    /// ([`Extern::Host`]): it answers calls of functions. Data and elements are in place; nothing was
    /// executed, not even a start function.
    ///
    /// # Errors
    /// [`StartError`] if an import is a global, a segment does not fit, or a limit is passed.
    pub fn new(module: Shared<Module>, limits: Limits) -> Result<Machine, StartError> {
        let mut machine = Machine::empty(limits);
        let imports: Vec<Extern> = module.imports().map(|_| Extern::Host).collect();
        machine.instantiate(module, &imports)?;
        Ok(machine)
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The module of the first instance.
    pub fn module(&self) -> Option<&Shared<Module>> {
        self.instances.first().map(|instance| &instance.module)
    }

    /// The module of an instance; who links several, as tests do, asks.
    pub fn instance_module(&self, instance: InstanceId) -> Option<&Shared<Module>> {
        self.instances
            .get(instance.0 as usize)
            .map(|instance| &instance.module)
    }

    /// Instructions retired since the machine was made.
    pub fn steps(&self) -> u64 {
        self.state.thread.steps
    }

    /// How the program ended, if it did.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// The bytes of the first instance's memory; none if it has no memory. Where it has several, it is the first one, and
    /// so it is for all that the embedder reads and writes.
    pub fn memory(&self) -> &[u8] {
        self.memory_at(0).unwrap_or_default()
    }

    /// The bytes of one of the first instance's memories, by its index in the module; nothing if there is no such memory.
    pub fn memory_at(&self, index: u32) -> Option<&[u8]> {
        let address = self.instances.first()?.memory_at(index);
        let memory = self.state.store.memories.get(address as usize)?;
        Some(&memory.bytes)
    }

    /// The bytes of the first instance's memory, for the embedder's answers that write there.
    pub fn memory_mut(&mut self) -> &mut [u8] {
        match self.instances.first() {
            Some(instance) => {
                let memory = self.state.store.memories.get_mut(instance.memory as usize);
                memory.map_or(&mut [], |memory| memory.bytes.all_mut())
            }
            None => &mut [],
        }
    }

    /// Sets a byte of the first instance's memory; false if there is none at this address. Snapshots that are made next
    /// need not look at all of the memory, as they do after [`Machine::memory_mut`].
    pub fn set_byte(&mut self, address: usize, byte: u8) -> bool {
        let memory = self.instances.first().and_then(|instance| {
            let memories = &mut self.state.store.memories;
            memories.get_mut(instance.memory as usize)
        });
        let end = address.saturating_add(1);
        match memory.and_then(|memory| memory.bytes.range_mut(address..end)) {
            Some(slot) => {
                slot.fill(byte);
                true
            }
            None => false,
        }
    }

    /// Bytes of all memories together.
    pub fn memory_bytes(&self) -> usize {
        self.state
            .store
            .memories
            .iter()
            .map(|memory| memory.bytes.len())
            .sum()
    }

    /// The globals of the first instance.
    pub fn globals(&self) -> Vec<Value> {
        let Some(instance) = self.instances.first() else {
            return Vec::new();
        };
        instance
            .globals
            .iter()
            .filter_map(|&address| self.global(address))
            .collect()
    }

    /// The value of an exported global of any instance, as the tests of the specification ask for it.
    pub fn exported_global(&self, instance: InstanceId, name: &str) -> Option<Value> {
        match self.export(instance, name)? {
            Extern::Global(address) => self.global(address),
            _ => None,
        }
    }

    pub(crate) fn global(&self, address: u32) -> Option<Value> {
        let ty = self.global_types.get(address as usize)?;
        let cells = self.state.store.globals.get(address as usize..)?;
        Value::from_cells(ty.value, cells)
    }

    /// The elements of a table of the first instance; none if there is no such table.
    pub fn table(&self, index: u32) -> Vec<Value> {
        let elements = 0..self.table_size(index);
        elements
            .filter_map(|element| self.table_element(index, element))
            .collect()
    }

    /// How many elements a table of the first instance has; 0 if there is no such table.
    pub fn table_size(&self, index: u32) -> u32 {
        let address = self.table_address(index);
        let elements = address.and_then(|address| self.state.store.tables.get(address));
        // Limits keep tables far below 2^32 elements.
        elements.map_or(0, |elements| elements.len() as u32)
    }

    /// One element of a table of the first instance, if there is such an element.
    pub fn table_element(&self, index: u32, element: u32) -> Option<Value> {
        let address = self.table_address(index)?;
        let ty = self.table_types.get(address)?;
        let cell = self.state.store.tables.get(address)?;
        let cell = cell.get(element as usize)?;
        Some(Value::from_cell(ty.element, *cell))
    }

    fn table_address(&self, index: u32) -> Option<usize> {
        let first = self.instances.first()?;
        Some(*first.tables.get(index as usize)? as usize)
    }

    pub(crate) fn func_ty(&self, address: u32) -> Option<&FuncType> {
        self.types
            .get(self.funcs.get(address as usize)?.ty as usize)
    }
}
