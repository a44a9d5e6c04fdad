//! Programs that call an operating system: a WASI world is a part of the board's state.
//!
//! What a call answers, the world computes from its state, the arguments and the program's memory; what nobody can know
//! (the time, random bytes, input, an error of the outside) is a choice, which is recorded like the value of any input. As
//! such a value a choice is an `i32`, and for a clock an `i64`:
//!
//! | choice | value | bytes |
//! |---|---|---|
//! | a clock shows so many nanoseconds more than at its last reading | how many, `i64` | |
//! | random bytes, bytes of standard input | how many | the bytes |
//! | at most so many bytes are moved | how many | |
//! | the subscription that is ready first | its number | |
//! | the call fails | minus the error's number | |
//! | the call came to this in a recording of another system | the error's number, `i64` | what it wrote: a zero, and for each write address and length (32 bits each) and the bytes |

use alloc::{
    borrow::ToOwned,
    string::{String, ToString},
    vec::Vec,
};
use core::cell::RefCell;

use borges_vm::{ValType, Value, Write};
use borges_wasi::{
    Called, Chosen, Errno, Function, Memory, MemoryWrite, SetupError, WasiImport, WasmType, World,
};

use crate::board::{System, SystemStart};
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
            Some(Chosen::Told { .. }) => Err(choices(function)),
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

fn cell(value: Value) -> u64 {
    match value {
        Value::I32(v) => u64::from(v as u32),
        Value::I64(v) => v as u64,
        _ => 0,
    }
}

/// What can be chosen of a function.
fn choices(function: Function) -> String {
    let mut list: Vec<String> = Vec::from(["ok".to_owned()]);
    match function {
        Function::ClockTimeGet => {
            list.push("how many nanoseconds later it is than at the last reading".to_owned())
        }
        Function::RandomGet => list.push("bytes in quotes".to_owned()),
        Function::PollOneoff => list.push("the number of a subscription".to_owned()),
        Function::FdRead => list.push("bytes in quotes".to_owned()),
        _ => {}
    }
    if function.moves_bytes() {
        list.push("a number of bytes at most".to_owned());
    }
    list.extend(
        function
            .faults()
            .iter()
            .map(|errno| errno.name().to_owned()),
    );
    alloc::format!("it can be {}", list.join(", "))
}

/// The type of the value that stands for a choice.
fn choice_type(function: Function) -> ValType {
    match function {
        Function::ClockTimeGet => ValType::I64,
        _ => ValType::I32,
    }
}

/// What stands in a list of mocks for a call that goes as it would without one.
pub fn unmocked() -> Yield {
    Value::ExternRef(None).into()
}

fn errno(number: i64) -> Option<Errno> {
    let mut all = Errno::ALL.iter().copied();
    all.find(|errno| i64::from(errno.code()) == number)
}

/// A choice as people write and read it: an error by its name, `ok` for a call that goes as it would by itself.
pub fn choice_text(yielded: &Yield) -> Option<&'static str> {
    match yielded.value {
        Value::ExternRef(_) => Some("ok"),
        Value::I32(number @ ..0) => errno(-i64::from(number)).map(Errno::name),
        Value::I64(0) if !yielded.bytes.is_empty() => Some("as recorded"),
        Value::I64(number) if !yielded.bytes.is_empty() => errno(number).map(Errno::name),
        _ => None,
    }
}

/// A choice as what an input yields.
pub fn yielded(chosen: &Chosen) -> Yield {
    let number = |count: usize| Value::I32(i32::try_from(count).unwrap_or(i32::MAX));
    match chosen {
        Chosen::Later(ns) => Value::I64(*ns as i64).into(),
        Chosen::Bytes(bytes) => Yield {
            value: number(bytes.len()),
            bytes: bytes.clone().into(),
        },
        Chosen::Ready(at) => number(*at as usize).into(),
        Chosen::Short(most) => number(*most as usize).into(),
        Chosen::Fault(errno) => Value::I32(-i32::from(errno.code())).into(),
        Chosen::Told { errno, writes } => {
            let mut bytes = Vec::from([0]);
            for write in writes {
                bytes.extend(write.address.to_le_bytes());
                // A memory has at most so many bytes.
                bytes.extend((write.bytes.len() as u32).to_le_bytes());
                bytes.extend_from_slice(&write.bytes);
            }
            Yield {
                value: Value::I64(errno.code().into()),
                bytes: bytes.into(),
            }
        }
    }
}

/// The inverse of [`yielded`], for a call of this function; nothing for what is no choice of it.
fn chosen(function: Function, yielded: &Yield) -> Option<Chosen> {
    let (value, bytes) = (yielded.value, &*yielded.bytes);
    if let (Value::I64(number), [0, list @ ..]) = (value, bytes) {
        let (errno, writes) = (errno(number)?, told(list)?);
        return Some(Chosen::Told { errno, writes });
    }
    if let Value::I64(ns) = value {
        let is_clock = function == Function::ClockTimeGet && bytes.is_empty();
        return is_clock.then_some(Chosen::Later(ns as u64));
    }
    let Value::I32(number) = value else {
        return None;
    };
    if number < 0 {
        let errno = errno(-i64::from(number))?;
        return bytes.is_empty().then_some(Chosen::Fault(errno));
    }
    let number = number as u32;
    match function {
        Function::PollOneoff => bytes.is_empty().then_some(Chosen::Ready(number)),
        Function::RandomGet | Function::FdRead if number as usize == bytes.len() => {
            Some(Chosen::Bytes(bytes.to_vec()))
        }
        _ if function.moves_bytes() && bytes.is_empty() && number > 0 => {
            Some(Chosen::Short(number))
        }
        _ => None,
    }
}

/// The writes of a call that was recorded elsewhere.
fn told(mut list: &[u8]) -> Option<Vec<MemoryWrite>> {
    let mut writes = Vec::new();
    while !list.is_empty() {
        let (address, rest) = list.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (bytes, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        writes.push(MemoryWrite {
            address: u32::from_le_bytes(*address),
            bytes: bytes.to_vec(),
        });
        list = rest;
    }
    Some(writes)
}
