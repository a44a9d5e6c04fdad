//! Runs a program against a world: the loop that device, twin and plain run share.
//!
//! The VM returns at every call of an import; what the import means, the board says; what it does, the [`World`] does.
//! So that the three runs agree, everything that decides *when* something happens is here, and only *what* happens there
//! differs: hardware and a trace on the device, the recorded trace on the twin, hardware alone in a plain run.

use alloc::string::String;
use alloc::vec::Vec;

use borges_board::{BindError, Board, PrimitiveId, PrimitiveKind, SystemCall, Yield};
use borges_vm::{
    Exit, ExternType, FuncIdx, Import, Machine, Module, Shared, Trap, Until, Value, Write,
};

/// A module with the board that it runs on: every import has its primitive.
#[derive(Clone, Debug)]
pub struct Program {
    /// The module.
    pub module: Shared<Module>,
    /// The board.
    pub board: borges_board::Shared<Board>,
    /// The primitive of each imported function.
    primitives: Vec<PrimitiveId>,
}

/// Why a module cannot run on a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// Imported functions that are no primitives of the board: all of them.
    #[error("{}", Told(.0))]
    Bind(Vec<BindError>),
    /// Something other than a function is imported, and no memory or table of `env`: all such imports, and the functions
    /// that are no primitives.
    #[error(
        "the module imports {}, and a board offers functions only, or an empty memory or table as 'env': if they are \
         another module's, link the program with that one: --link MODULE=FILE.wasm{}",
        .0.join(", "),
        Besides(.1)
    )]
    NotFunctions(Vec<String>, Vec<BindError>),
    /// The entry does not exist.
    #[error("the module exports no function '{name}'; it exports: {exports}")]
    NoEntry {
        /// What was asked for.
        name: String,
        /// What there is.
        exports: String,
    },
}

/// Errors as one text.
struct Told<'a>(&'a [BindError]);

impl core::fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        borges_board::describe_missing(self.0, f)
    }
}

/// Errors behind another one.
struct Besides<'a>(&'a [BindError]);

impl core::fmt::Display for Besides<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.0 {
            [] => Ok(()),
            errors => write!(f, "\n\nBesides, {}", Told(errors)),
        }
    }
}

/// Whether an import is a memory, table or tag that the VM makes: the environment's, and no other module's, which would put
/// something into it.
#[must_use]
pub fn is_made(import: &Import<'_>) -> bool {
    import.module == "env"
        && matches!(
            import.ty,
            ExternType::Memory(_) | ExternType::Table(_) | ExternType::Tag(_)
        )
}

impl Program {
    /// Finds the primitive of every import.
    ///
    /// # Errors
    /// [`ProgramError`] for the imports that the board does not offer.
    pub fn new(
        module: Shared<Module>,
        board: borges_board::Shared<Board>,
    ) -> Result<Self, ProgramError> {
        if let Ok(program) = Self::bound(module.clone(), board.clone()) {
            return Ok(program);
        }
        let (mut missing, mut others) = (Vec::new(), Vec::new());
        for import in module.imports() {
            match import.ty {
                ExternType::Func(ty) => {
                    missing.extend(board.bind(import.module, import.name, ty).err());
                }
                _ if is_made(&import) => {}
                _ => others.push(alloc::format!("'{}.{}'", import.module, import.name)),
            }
        }
        Err(if others.is_empty() {
            ProgramError::Bind(missing)
        } else {
            ProgramError::NotFunctions(others, missing)
        })
    }

    /// Like [`Program::new`], for a device, which has no words for what is missing.
    ///
    /// # Errors
    /// The number of the first import that the board does not offer.
    pub fn bound(module: Shared<Module>, board: borges_board::Shared<Board>) -> Result<Self, u32> {
        let imports = module.imports().zip(0..);
        let primitives = imports.filter_map(|(import, number)| {
            let primitive = match import.ty {
                ExternType::Func(ty) => board.primitive_for(import.module, import.name, ty),
                _ if is_made(&import) => return None,
                _ => None,
            };
            Some(primitive.ok_or(number))
        });
        Ok(Self {
            primitives: primitives.collect::<Result<_, u32>>()?,
            module,
            board,
        })
    }

    /// The primitive of the `import`-th imported function.
    #[must_use]
    pub fn primitive(&self, import: u32) -> Option<PrimitiveId> {
        self.primitives.get(import as usize).copied()
    }

    /// The function to begin with: the export `name`, or what its host does, or `main`, or `_start`.
    ///
    /// # Errors
    /// [`ProgramError::NoEntry`] with the exports that there are.
    pub fn entry(&self, name: Option<&str>) -> Result<FuncIdx, ProgramError> {
        let found = match name {
            Some(name) => self.module.exported_func(name),
            None => self.module.host().or_else(|| {
                let usual = usual_entry(&self.module);
                usual.and_then(|name| self.module.exported_func(name))
            }),
        };
        found.ok_or_else(|| {
            let functions = self
                .module
                .exports()
                .filter(|export| matches!(export.ty, ExternType::Func(_)));
            let names: Vec<&str> = functions.map(|export| export.name).collect();
            ProgramError::NoEntry {
                name: name.unwrap_or("main").into(),
                exports: if names.is_empty() {
                    "nothing".into()
                } else {
                    names.join(", ")
                },
            }
        })
    }

    /// Zeros for the parameters of `entry` (C's `main` has two).
    #[must_use]
    pub fn entry_arguments(&self, entry: FuncIdx) -> Vec<Value> {
        zeros(&self.module, entry)
    }
}

/// The export to begin with if none is named, if there is one: `main`, or `_start`.
#[must_use]
pub fn usual_entry(module: &Module) -> Option<&'static str> {
    let names = ["main", "_start"];
    names
        .into_iter()
        .find(|name| module.exported_func(name).is_some())
}

/// A call of a primitive, before it happens.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Which primitive.
    pub primitive: PrimitiveId,
    /// Its arguments.
    pub args: &'a [Value],
    /// Instructions retired before it.
    pub steps: u64,
    /// The program's memory.
    pub memory: &'a [u8],
}

/// What a world answers to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It happened, with this result.
    Value(Option<Value>),
    /// It happened, with this result, and these bytes are in the program's memory with it: one step.
    Wrote(Option<Value>, Vec<Write>),
    /// The program ends in it, with this code.
    Exit(u32),
    /// It did not happen: leave the call pending and come back.
    Leave,
    /// It cannot happen: the program traps.
    Trap,
}

impl From<SystemCall> for Answer {
    fn from(call: SystemCall) -> Self {
        match call {
            SystemCall::Answers { result, writes } => Self::Wrote(result, writes),
            SystemCall::Exits(code) => Self::Exit(code),
            SystemCall::Traps => Self::Trap,
            // What has yet to be chosen has yet to happen.
            #[allow(unreachable_patterns)]
            _ => Self::Leave,
        }
    }
}

impl Answer {
    /// What an input answers that yields this.
    #[must_use]
    pub fn brought(board: &Board, call: &Call<'_>, yielded: &Yield) -> Self {
        if yielded.bytes.is_empty() {
            return Self::Value(Some(yielded.value));
        }
        let writes = board.writes(call.primitive, call.args, yielded);
        Self::Wrote(Some(yielded.value), writes)
    }
}

/// The outside of a program.
pub trait World {
    /// An input (*input-prim*, or *step-mock*).
    fn input(&mut self, call: &Call<'_>) -> Answer;

    /// An output (*output-prim*).
    fn output(&mut self, call: &Call<'_>) -> Answer;

    /// A call of an operating system; one that there is not, unless a world has one.
    fn system(&mut self, _call: &Call<'_>) -> Answer {
        Answer::Trap
    }

    /// Whether to halt before this call, of whatever kind.
    fn stops_before(&mut self, _call: &Call<'_>) -> bool {
        false
    }

    /// Whether to halt after the call that was just answered: time has passed in it, and an event may be due.
    fn yields(&mut self) -> bool {
        false
    }
}

/// Why [`execute`] came back.
#[derive(Clone, Debug, PartialEq)]
pub enum Halt {
    /// The wanted step count is reached.
    Until,
    /// The program returned.
    Finished,
    /// The program trapped.
    Trapped(Trap),
    /// The VM is at a stop: a breakpoint or a watch.
    Stop(Exit),
    /// The world left a call pending.
    Left,
    /// The world wants to look after events.
    Yield,
}

/// Runs until the step count `until` at the latest; with an [`Until`], perhaps not quite so far.
///
/// A call that is pending there stays pending. Constants and refused calls need no world.
// A loop of its own: inside a caller, a core with few registers keeps the caller's values in memory at every call.
#[inline(never)]
pub fn execute(
    machine: &mut Machine,
    program: &Program,
    world: &mut impl World,
    until: impl Into<Until>,
) -> Halt {
    let until = until.into();
    let mut args = Vec::new();
    loop {
        match machine.run(until) {
            Exit::Budget => return Halt::Until,
            Exit::Finished => return Halt::Finished,
            Exit::Trapped(trap) => return Halt::Trapped(trap),
            Exit::HostCall => {
                if let Some(halt) = call(machine, program, world, &mut args) {
                    return halt;
                }
            }
            exit => return Halt::Stop(exit),
        }
    }
}

/// Lets the pending call happen; a halt if it does not. `args` is room for its arguments.
fn call(
    machine: &mut Machine,
    program: &Program,
    world: &mut impl World,
    args: &mut Vec<Value>,
) -> Option<Halt> {
    let steps = machine.steps();
    let func = machine
        .pending_func(args)
        .expect("the VM exits with a host call only while one is pending");
    let primitive = program
        .primitive(func.0)
        .expect("every import was bound when the program was made");
    let call = Call {
        primitive,
        args,
        steps,
        memory: machine.memory(),
    };
    if world.stops_before(&call) {
        return Some(Halt::Left);
    }
    let kind = program
        .board
        .primitive(primitive)
        .map(|primitive| primitive.kind);
    let answer = match kind.unwrap_or(PrimitiveKind::Trap) {
        PrimitiveKind::Input => world.input(&call),
        PrimitiveKind::Output => match program.board.check_handler(primitive, args, machine) {
            Ok(()) => world.output(&call),
            Err(_) => Answer::Trap,
        },
        PrimitiveKind::Constant(value) => Answer::Value(Some(value)),
        PrimitiveKind::Trap => Answer::Trap,
        PrimitiveKind::System => world.system(&call),
    };
    match answer {
        Answer::Leave => Some(Halt::Left),
        Answer::Exit(code) => {
            machine.exit(code);
            Some(Halt::Finished)
        }
        Answer::Trap => {
            machine.trap(Trap::Host);
            Some(Halt::Trapped(Trap::Host))
        }
        Answer::Value(value) => {
            let results = value.as_slice();
            machine
                .answer(results)
                .expect("a primitive answers with the type that the import was bound with");
            world.yields().then_some(Halt::Yield)
        }
        Answer::Wrote(value, writes) => {
            machine
                .answer_with(value.as_slice(), &writes)
                .expect("a world checks where it writes before anything happens");
            world.yields().then_some(Halt::Yield)
        }
    }
}

/// A zero for every parameter of a function.
fn zeros(module: &Module, func: FuncIdx) -> Vec<Value> {
    let params = module.func_type(func).map_or(&[][..], |ty| &ty.params);
    params.iter().map(|ty| Value::default_of(*ty)).collect()
}
