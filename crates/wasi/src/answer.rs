//! Calls, from outside.

use crate::call::{Call, Stop};
use crate::calls;
use crate::choice::{Chosen, Misuse, Wants};
use crate::errno::Errno;
use crate::function::{Function, WasiImport};
use crate::memory::{BadPointer, Memory, MemoryWrite};
use crate::rights;
use crate::world::World;
use alloc::vec::Vec;

/// What a call comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Called {
    /// It returns.
    Answer(WasiAnswer),
    /// The program ends with this code.
    Exit(u32),
    /// The program ends with a trap.
    Trap(BadPointer),
    /// It wants to know something first.
    Wants(Wants),
}

/// What a call returns.
#[derive(Clone, Debug, PartialEq)]
pub struct WasiAnswer {
    /// The result.
    pub errno: Errno,
    /// What the embedding writes to memory, in this order. All of it lies within the memory.
    pub writes: Vec<MemoryWrite>,
    /// How long the program slept, in nanoseconds: for who wants to wait that long.
    pub slept: u64,
}

impl WasiAnswer {
    fn failed(errno: Errno) -> WasiAnswer {
        WasiAnswer {
            errno,
            writes: Vec::new(),
            slept: 0,
        }
    }
}

impl World {
    /// Carries a call out. A deterministic function of the world, the arguments, the memory and the choice.
    ///
    /// `args` are the arguments as cells, narrow ones extended with zeros. Nothing has changed unless the call comes to
    /// an answer with [`Errno::Success`]; one exception is `fd_close` made to fail, which closes all the same, as Linux
    /// does.
    ///
    /// # Errors
    /// [`Misuse`], if arguments or choice do not belong to the function.
    pub fn call(
        &mut self,
        import: WasiImport,
        args: &[u64],
        memory: &dyn Memory,
        chosen: Option<&Chosen>,
    ) -> Result<Called, Misuse> {
        let function = import.function;
        let wanted = function.params().len();
        if args.len() != wanted {
            return Err(Misuse::Arguments {
                given: args.len(),
                wanted,
            });
        }
        let fits = match chosen {
            None => true,
            Some(Chosen::Fault(errno)) => {
                if function.faults().contains(errno) {
                    return self.fail(import, args, memory, *errno);
                }
                false
            }
            Some(Chosen::Later(_)) => function == Function::ClockTimeGet,
            Some(Chosen::Bytes(_)) => matches!(function, Function::RandomGet | Function::FdRead),
            Some(Chosen::Ready(_)) => function == Function::PollOneoff,
            Some(Chosen::Short(_)) => function.moves_bytes(),
            Some(Chosen::Told { errno, writes }) => {
                if writes.iter().all(|write| write.fits(memory)) {
                    return self.told(import, args, memory, *errno, writes);
                }
                false
            }
            Some(Chosen::Replaced { files, then }) => {
                let then = then.as_deref();
                let replaced = (!matches!(then, Some(Chosen::Replaced { .. })))
                    .then(|| self.replaced(files))
                    .flatten();
                match replaced {
                    Some(after) => return self.go_on_as(after, import, (args, memory), then),
                    None => false,
                }
            }
        };
        if let (Some(chosen), false) = (chosen, fits) {
            return Err(Misuse::Chosen {
                chosen: chosen.clone(),
                wants: None,
            });
        }
        self.carry_out(import, args, memory, chosen)
    }

    pub(crate) fn carry_out(
        &mut self,
        import: WasiImport,
        args: &[u64],
        memory: &dyn Memory,
        chosen: Option<&Chosen>,
    ) -> Result<Called, Misuse> {
        let mut call = Call {
            world: self,
            memory,
            args,
            preview: import.preview,
            chosen,
            writes: Vec::new(),
            slept: 0,
        };
        Ok(match calls::run(&mut call, import.function) {
            Ok(()) => Called::Answer(WasiAnswer {
                errno: Errno::Success,
                writes: call.writes,
                slept: call.slept,
            }),
            Err(Stop::Errno(errno)) => Called::Answer(WasiAnswer::failed(errno)),
            Err(Stop::Exit(code)) => Called::Exit(code),
            Err(Stop::Trap(pointer)) => Called::Trap(pointer),
            Err(Stop::Wants(wants)) => Called::Wants(wants),
            Err(Stop::Misuse(misuse)) => return Err(misuse),
        })
    }

    /// Carries a call out in a world that somebody outside has changed before. A question changes nothing.
    fn go_on_as(
        &mut self,
        mut changed: World,
        import: WasiImport,
        (args, memory): (&[u64], &dyn Memory),
        chosen: Option<&Chosen>,
    ) -> Result<Called, Misuse> {
        let called = changed.call(import, args, memory, chosen)?;
        if !matches!(called, Called::Wants(_)) {
            *self = changed;
        }
        Ok(called)
    }

    /// Answers what somebody says, and changes what the call changes by itself if it succeeds here and there.
    fn told(
        &mut self,
        import: WasiImport,
        args: &[u64],
        memory: &dyn Memory,
        errno: Errno,
        writes: &[MemoryWrite],
    ) -> Result<Called, Misuse> {
        if errno == Errno::Success || import.function == Function::FdClose {
            let opens = import.function == Function::PathOpen;
            let mut args = args.to_vec();
            let mut after = self.clone();
            if opens && args[5] == 0 {
                // Who asks for no rights was told that there are none: that system does not keep them.
                (args[5], args[6]) = (rights::FILE | rights::DIRECTORY, u64::MAX);
            }
            let mut called = after.carry_out(import, &args, memory, None)?;
            if let Called::Wants(wants) = &called {
                let usual = self.usual(wants);
                called = after.carry_out(import, &args, memory, Some(&usual))?;
            }
            if opens && matches!(&called, Called::Answer(answer) if answer.errno == Errno::Isdir) {
                args[5] &= !rights::FD_WRITE;
                called = after.carry_out(import, &args, memory, None)?;
            }
            if matches!(&called, Called::Answer(answer) if answer.errno == Errno::Success)
                && (!opens || after.renumber(self, &args, writes))
            {
                *self = after;
            }
        }
        Ok(Called::Answer(WasiAnswer {
            errno,
            writes: writes.to_vec(),
            slept: 0,
        }))
    }

    /// Gives what `path_open` has opened since `before` the number that `writes` say, if that is free.
    fn renumber(&mut self, before: &World, args: &[u64], writes: &[MemoryWrite]) -> bool {
        let place = args.last().copied().unwrap_or_default();
        let mut writes = writes
            .iter()
            .filter(|write| u64::from(write.address) == place);
        let told = writes.next().and_then(|write| write.bytes.first_chunk());
        let Some(told) = told.map(|bytes| u32::from_le_bytes(*bytes)) else {
            return false;
        };
        let mut opened = None;
        self.descriptors.for_each(|number, _| {
            if before.descriptors.get(number).is_none() {
                opened = Some(number);
            }
        });
        match opened {
            Some(number) if number == told => true,
            Some(number) if told < before.limits().descriptors => {
                self.descriptors.renumber(number, told)
            }
            _ => false,
        }
    }

    /// Makes a call fail, unless it fails by itself.
    fn fail(
        &mut self,
        import: WasiImport,
        args: &[u64],
        memory: &dyn Memory,
        errno: Errno,
    ) -> Result<Called, Misuse> {
        let mut tried = self.clone();
        match tried.carry_out(import, args, memory, None)? {
            Called::Answer(answer) if answer.errno == Errno::Success => {}
            Called::Wants(_) => {}
            failed => return Ok(failed),
        }
        if import.function == Function::FdClose {
            *self = tried;
        }
        Ok(Called::Answer(WasiAnswer::failed(errno)))
    }
}
