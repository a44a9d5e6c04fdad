//! Programs that call an operating system: a WASI world is a part of the board's state.
//!
//! What a call answers, the world computes from its state, the arguments and the program's memory; what nobody can know
//! (the time, random bytes, input, an error of the outside) is a [choice](crate::choice), which is recorded like the value of
//! any input.

use alloc::{
    borrow::ToOwned,
    boxed::Box,
    string::{String, ToString},
    vec::Vec,
};
use core::cell::RefCell;

use borges_vm::{ValType, Value, Write};
use borges_wasi::{
    Called, Chosen, Errno, Function, Memory, Replacement, SetupError, WasiImport, WasmType, World,
};

use crate::board::{System, SystemStart};
use crate::choice::{cell, choice_type, choices, chosen, unmocked, yielded};
use crate::{
    Board, BoardState, Codomain, Primitive, PrimitiveId, PrimitiveKind, Refusal, Shared,
    SystemCall, Yield, primitive::Op,
};

impl Board {
    /// The same board under a program that calls an operating system. Functions that the board has already stay as they
    /// are.
    ///
    /// # Errors
    /// [`SetupError`] if no such system can begin.
    pub fn with_system(mut self, start: SystemStart) -> Result<Self, SetupError> {
        let world = World::new(&start.setup)?;
        let is_known = |import: &WasiImport| {
            let (module, name) = (import.preview.module(), import.function.name());
            self.named(module, name).next().is_some()
        };
        let fresh: Vec<WasiImport> = start
            .imports
            .iter()
            .copied()
            .filter(|import| !is_known(import))
            .collect();
        self.primitives
            .declare(fresh.into_iter().map(Primitive::of_system));
        self.system = Some(Shared::new(System { start, world }));
        Ok(self)
    }

    /// How the operating system begins, if there is one.
    pub fn system(&self) -> Option<&SystemStart> {
        self.system.as_deref().map(|system| &system.start)
    }

    /// The operating system as a program finds it at its start, if there is one.
    pub fn first_system(&self) -> Option<&World> {
        self.system.as_deref().map(|system| &system.world)
    }

    /// The function of the operating system that a primitive is.
    pub fn system_function(&self, id: PrimitiveId) -> Option<Function> {
        match self.primitive(id)?.op {
            Op::System(import) => Some(import.function),
            _ => None,
        }
    }

    /// What a user says that a call of the operating system comes to: `ok`, the name of an error, a number, bytes.
    ///
    /// # Errors
    /// What it can be, for people.
    pub fn choice_of(
        &self,
        id: PrimitiveId,
        text: &str,
        value: Option<Value>,
        bytes: Option<Vec<u8>>,
    ) -> Result<Yield, String> {
        let function = self.system_function(id).ok_or("it is no such call")?;
        if text == "ok" {
            return Ok(unmocked());
        }
        let yielded = match (Errno::named(text), value, bytes) {
            (Some(errno), ..) => yielded(&Chosen::Fault(errno)),
            (None, None, Some(bytes)) => yielded(&Chosen::Bytes(bytes)),
            (None, Some(value), None) => value.into(),
            (None, Some(value), Some(bytes)) => Yield {
                value,
                bytes: bytes.into(),
            },
            (None, None, None) => return Err(choices(function)),
        };
        match chosen(function, &yielded) {
            // What was recorded elsewhere is no choice of a user's.
            Some(Chosen::Told { .. } | Chosen::Replaced { .. }) => Err(choices(function)),
            Some(Chosen::Fault(errno)) if !function.faults().contains(&errno) => {
                Err(choices(function))
            }
            Some(_) => Ok(yielded),
            None => Err(choices(function)),
        }
    }

    /// What calls of the operating system may be about, as a user names it: a path, `stdin`, `stdout`, `stderr`.
    ///
    /// # Errors
    /// Why no such call can be about it, for people.
    pub fn subject_named(&self, id: PrimitiveId, text: &str) -> Result<String, String> {
        let found = self.system_function(id).zip(self.first_system());
        let (function, system) =
            found.ok_or("only calls of an operating system are about files")?;
        let named = system.subject_named(function, text);
        named.map_err(|error| error.to_string())
    }

    /// Whether a call of the operating system may fail whatever its arguments are: the disk is full.
    pub fn may_fail(&self, id: PrimitiveId) -> bool {
        self.system_function(id)
            .is_some_and(|function| !function.faults().is_empty())
    }

    /// Whether a call of the operating system brings what is in files.
    pub fn reads_files(&self, id: PrimitiveId) -> bool {
        let function = self.system_function(id);
        matches!(function, Some(Function::FdRead | Function::FdPread))
    }

    /// Whether standard input can be read by a call of the operating system.
    pub fn reads_input(&self, id: PrimitiveId) -> bool {
        self.system_function(id) == Some(Function::FdRead)
    }

    /// Whether a call of the operating system ends the program.
    pub fn exits(&self, id: PrimitiveId) -> bool {
        self.system_function(id) == Some(Function::ProcExit)
    }

    /// Whether a call of the operating system can be chosen to go like this.
    pub fn may_choose(&self, id: PrimitiveId, yielded: &Yield) -> bool {
        self.system_function(id)
            .is_some_and(|function| chosen(function, yielded).is_some())
    }
}

impl Primitive {
    fn of_system(import: WasiImport) -> Self {
        let ty = |ty: &WasmType| match ty {
            WasmType::I32 => ValType::I32,
            WasmType::I64 => ValType::I64,
        };
        let function = import.function;
        Primitive {
            module: import.preview.module().into(),
            name: function.name().into(),
            params: function.params().iter().map(ty).collect(),
            result: function.results().first().map(ty),
            kind: PrimitiveKind::System,
            codomain: Codomain::Full(choice_type(function)),
            register: None,
            fills: None,
            op: Op::System(import),
        }
    }
}

impl BoardState {
    /// The operating system as it is now.
    pub fn system(&self) -> Option<&World> {
        self.system.as_deref()
    }

    /// What a call of the operating system is about, for who shows it: a path, `stdin`, `stdout`, `stderr`; nothing for
    /// other calls, and for those about nothing that is there.
    pub fn call_subject(
        &self,
        board: &Board,
        id: PrimitiveId,
        args: &[Value],
        memory: &[u8],
    ) -> Option<String> {
        let Op::System(import) = board.primitive(id)?.op else {
            return None;
        };
        let cells: Vec<u64> = args.iter().map(|arg| cell(*arg)).collect();
        self.system()?.subject(import, &cells, &memory)
    }

    /// Whether a call of the operating system is about this, which [`Board::subject_named`] has checked.
    pub fn is_about(
        &self,
        board: &Board,
        id: PrimitiveId,
        args: &[Value],
        memory: &[u8],
        subject: &str,
    ) -> bool {
        let op = board.primitive(id).map(|primitive| primitive.op);
        let (Some(Op::System(import)), Some(system)) = (op, self.system()) else {
            return false;
        };
        let cells: Vec<u64> = args.iter().map(|arg| cell(*arg)).collect();
        system.is_about(import, &cells, &memory, subject)
    }

    /// Of a call that wants standard input: how many bytes of it were read before, and how many more it wants at most.
    pub fn input_wanted(
        &self,
        board: &Board,
        id: PrimitiveId,
        args: &[Value],
        memory: &[u8],
    ) -> Option<(u64, u32)> {
        let called = self.clone().call_system(board, id, args, memory, None);
        Some((self.system()?.input_read(), called.ok()?.input_wanted()?))
    }

    /// Whether standard input was said to be over: see [`BoardState::with_system_influence`].
    pub fn input_is_over(&self) -> bool {
        self.system().is_some_and(World::input_is_over)
    }

    /// The same with that of the operating system alone which what is to come depends on: see [`World::influence`].
    #[must_use]
    pub fn with_system_influence(mut self, input_is_over: Option<bool>) -> Self {
        if let Some(system) = &mut self.system {
            *system = Shared::new(system.influence(input_is_over));
        }
        self
    }

    /// The operating system is as it is at its start.
    pub(crate) fn begin_system(&mut self, board: &Board) {
        let system = board.system.as_ref();
        self.system = system.map(|system| Shared::new(system.world.clone()));
    }

    /// What may be chosen of whether a call fails: 0 if it goes as it does by itself, or minus the number of an error that it
    /// may be made to meet. Nothing if it fails by itself, or never does.
    pub fn may_fail_here(
        &self,
        board: &Board,
        id: PrimitiveId,
        args: &[Value],
        memory: &[u8],
    ) -> Option<Codomain> {
        let faults = board.system_function(id)?.faults();
        let mut tried = self.clone();
        let goes = match tried.call_system(board, id, args, memory, None) {
            Ok(SystemCall::Answers { result, .. }) => result == Some(Value::I32(0)),
            Ok(SystemCall::Wants(_)) => true,
            _ => false,
        };
        let errors = faults.iter().map(|errno| -i32::from(errno.code()));
        let values: Vec<Value> = [0].into_iter().chain(errors).map(Value::I32).collect();
        (goes && !faults.is_empty()).then(|| Codomain::set(ValType::I32, &values))
    }

    /// What a call reads of the program's memory; it does not happen.
    pub fn memory_read(
        &self,
        board: &Board,
        id: PrimitiveId,
        args: &[Value],
        memory: &[u8],
    ) -> MemoryRead {
        let noted = Noted {
            memory,
            parts: RefCell::default(),
        };
        // A call that is refused has read what it has read.
        let _done = self.clone().call_with(board, id, args, &noted, None);
        let list = match board.system_function(id) {
            Some(Function::FdWrite | Function::FdPwrite) => match args {
                [_, Value::I32(list), Value::I32(count), ..] => {
                    let list = u64::from(*list as u32);
                    Some(list..list + 8 * u64::from(*count as u32))
                }
                _ => None,
            },
            _ => None,
        };
        let decides = |(address, _): &(u64, u64)| list.as_ref().is_none_or(|l| l.contains(address));
        let (decides, moved) = noted.parts.into_inner().into_iter().partition(decides);
        MemoryRead { decides, moved }
    }

    /// The choice that somebody outside has replaced files before a call, of which `then` is chosen besides: those files,
    /// each with its number and bytes, that were not replaced so yet. Nothing if there are none, or if the call would not
    /// return with that.
    pub fn replaces<'f>(
        &self,
        board: &Board,
        (id, args): (PrimitiveId, &[Value]),
        memory: &[u8],
        files: impl Iterator<Item = (&'f str, u64, &'f [u8])>,
        then: Option<&Yield>,
    ) -> Option<Yield> {
        let system = self.system()?;
        let is_due = |(path, number, bytes): &(&str, u64, &[u8])| {
            system.replacement(path) != Some(*number)
                && system.is_replaceable(path, bytes.len() as u64)
        };
        let files = files
            .filter(is_due)
            .map(|(path, number, bytes)| Replacement {
                path: path.to_owned(),
                number,
                bytes: bytes.to_vec(),
            });
        let files: Vec<Replacement> = files.collect();
        if files.is_empty() {
            return None;
        }
        let function = board.system_function(id)?;
        let then = then.filter(|then| **then != unmocked());
        let then = match then {
            Some(then) => Some(Box::new(chosen(function, then)?)),
            None => None,
        };
        let yielded = yielded(&Chosen::Replaced { files, then });
        let called = self
            .clone()
            .call_system(board, id, args, memory, Some(&yielded));
        matches!(called, Ok(SystemCall::Answers { .. })).then_some(yielded)
    }

    /// What is chosen for a call that wants to know something if nobody says otherwise.
    pub fn usual(&self, called: &SystemCall) -> Option<Yield> {
        match called {
            SystemCall::Wants(wants) => Some(yielded(&self.system()?.usual(wants))),
            _ => None,
        }
    }

    /// Lets a call of the operating system happen, if it wants to know nothing or that is `chosen`; else nothing changes.
    ///
    /// # Errors
    /// A [`Refusal`] if it is no such call, or `chosen` is no answer to what it wants; nothing changes then.
    pub fn call_system(
        &mut self,
        board: &Board,
        id: PrimitiveId,
        args: &[Value],
        memory: &[u8],
        yielded: Option<&Yield>,
    ) -> Result<SystemCall, Refusal> {
        self.call_with(board, id, args, &memory, yielded)
    }

    fn call_with(
        &mut self,
        board: &Board,
        id: PrimitiveId,
        args: &[Value],
        memory: &dyn Memory,
        yielded: Option<&Yield>,
    ) -> Result<SystemCall, Refusal> {
        let primitive = board.primitive(id).ok_or(Refusal::UnknownPrimitive)?;
        let (Op::System(import), Some(system)) = (primitive.op, &mut self.system) else {
            return Err(Refusal::WrongKind);
        };
        if !primitive.accepts(args) {
            return Err(Refusal::WrongArguments);
        }
        let cells: Vec<u64> = args.iter().map(|arg| cell(*arg)).collect();
        let chosen = match yielded {
            Some(yielded) => Some(chosen(import.function, yielded).ok_or(Refusal::WrongArguments)?),
            None => None,
        };
        let before = system.printed();
        let called = Shared::make_mut(system)
            .call(import, &cells, memory, chosen.as_ref())
            .map_err(|_| Refusal::WrongArguments)?;
        if let Some(sights) = &mut self.sights {
            for (_, bytes) in system.printed_since(before) {
                sights.console.print(&bytes);
            }
        }
        Ok(match called {
            Called::Answer(answer) => SystemCall::Answers {
                result: primitive
                    .result
                    .map(|_| Value::I32(answer.errno.code().into())),
                writes: answer
                    .writes
                    .into_iter()
                    .map(|write| Write {
                        address: write.address,
                        bytes: write.bytes,
                    })
                    .collect(),
            },
            Called::Exit(code) => SystemCall::Exits(code),
            Called::Trap(_) => SystemCall::Traps,
            Called::Wants(wants) => SystemCall::Wants(wants),
        })
    }
}

/// The parts of a program's memory that a call of the operating system reads: addresses, each with a number of bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryRead {
    /// What it does depends on these.
    pub decides: Vec<(u64, u64)>,
    /// These it moves to a file or an output, whatever they are.
    pub moved: Vec<(u64, u64)>,
}

/// A memory that notes what is read of it.
struct Noted<'m> {
    memory: &'m [u8],
    parts: RefCell<Vec<(u64, u64)>>,
}

impl Memory for Noted<'_> {
    fn size(&self) -> u64 {
        self.memory.len() as u64
    }

    fn bytes(&self, address: u64, len: u64) -> Option<&[u8]> {
        self.parts.borrow_mut().push((address, len));
        self.memory.bytes(address, len)
    }
}
