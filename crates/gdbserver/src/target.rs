//! The twin as a debugger's target: what it can be asked, and what is refused.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use borges_commands::device::{Backend, SessionPrompt};
use borges_commands::interpreter::Interpreter as _;
use borges_commands::paint::Paint;
use borges_session::command::listing::PlaceView;
use borges_session::command::{Act, CodePlace, Command, NewBreakpoint, Reply, StopKind};
use borges_session::{Flow, Observer, Session};
use gdbstub::common::Signal;
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::reverse_exec::{
    ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps,
};
use gdbstub::target::ext::base::singlethread::{
    SingleThreadBase, SingleThreadResume, SingleThreadResumeOps, SingleThreadSingleStep,
    SingleThreadSingleStepOps,
};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint, SwBreakpointOps,
    WatchKind,
};
use gdbstub::target::ext::host_info::HostInfoOps;
use gdbstub::target::ext::libraries::LibrariesOps;
use gdbstub::target::ext::lldb_register_info_override::LldbRegisterInfoOverrideOps;
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps, outputln};
use gdbstub::target::ext::process_info::ProcessInfoOps;
use gdbstub::target::ext::wasm::WasmOps;
use gdbstub::target::{Target, TargetError, TargetResult};
use gdbstub_arch::wasm::Wasm;
use gdbstub_arch::wasm::reg::WasmRegisters;

use crate::address::{Named, named, of_code};

/// Bytes that a debugger is given at once, at most.
const MOST_BYTES: usize = 1 << 16;

/// Columns of answers to commands.
const COLUMNS: usize = 100;

/// A session that a debugger looks at, and what it has asked for.
pub(crate) struct Twin {
    pub(crate) session: Rc<RefCell<Session>>,
    /// The module's bytes.
    pub(crate) module: Vec<u8>,
    prompt: SessionPrompt,
    /// The debugger's breakpoints, by address: our numbers.
    breakpoints: BTreeMap<u64, u32>,
    /// Its watchpoints: address and length by our numbers.
    pub(crate) watches: BTreeMap<u32, (u64, u64)>,
    /// What it has asked for and is done once it waits.
    pub(crate) motion: Option<Motion>,
}

/// What a debugger has asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Motion {
    /// To a breakpoint or the end; where the recording ends, the device goes on.
    Run,
    /// Back to a breakpoint or the start.
    RunBack,
    /// One instruction.
    Step,
    /// One instruction back.
    StepBack,
}

/// The session, as a prompt speaks to it.
struct Shared(Rc<RefCell<Session>>);

impl Backend for Shared {
    fn execute(&mut self, command: Command, observer: Observer<'_>) -> Result<Reply, String> {
        Backend::execute(&mut *self.0.borrow_mut(), command, observer)
    }

    fn here(&self) -> PlaceView {
        self.0.borrow().here()
    }
}

impl Twin {
    pub(crate) fn new(session: Rc<RefCell<Session>>, module: Vec<u8>) -> Self {
        let prompt = SessionPrompt::new(Box::new(Shared(Rc::clone(&session))), Vec::new());
        Self {
            session,
            module,
            prompt,
            breakpoints: BTreeMap::new(),
            watches: BTreeMap::new(),
            motion: None,
        }
    }

    /// The address of the next instruction; that of the module where there is none.
    pub(crate) fn here(&self) -> u64 {
        let session = self.session.borrow();
        let location = session.machine().location();
        of_code(location.map_or(0, |location| location.offset.0))
    }

    /// Sets a breakpoint; its number, or nothing if it cannot be set.
    fn stop_at(&mut self, kind: StopKind) -> Option<u32> {
        let wanted = NewBreakpoint {
            kind,
            agent: None,
            condition: None,
            hits: 0,
            log: None,
        };
        let mut session = self.session.borrow_mut();
        match session.execute(Act::Break(wanted), &mut |_| Flow::Continue) {
            Ok(Reply::BreakpointSet(breakpoint)) => Some(breakpoint.id),
            _ => None,
        }
    }

    fn forget(&mut self, id: u32) -> bool {
        let ids = vec![id];
        let mut session = self.session.borrow_mut();
        let removed = session.execute(Act::DeleteBreakpoints { ids }, &mut |_| Flow::Continue);
        removed.is_ok()
    }
}

impl Target for Twin {
    type Arch = Wasm;
    type Error = String;

    fn base_ops(&mut self) -> BaseOps<'_, Self::Arch, Self::Error> {
        BaseOps::SingleThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_host_info(&mut self) -> Option<HostInfoOps<'_, Self>> {
        Some(self)
    }

    fn support_process_info(&mut self) -> Option<ProcessInfoOps<'_, Self>> {
        Some(self)
    }

    fn support_libraries(&mut self) -> Option<LibrariesOps<'_, Self>> {
        Some(self)
    }

    fn support_wasm(&mut self) -> Option<WasmOps<'_, Self>> {
        Some(self)
    }

    fn support_lldb_register_info_override(
        &mut self,
    ) -> Option<LldbRegisterInfoOverrideOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadBase for Twin {
    fn read_registers(&mut self, registers: &mut WasmRegisters) -> TargetResult<(), Self> {
        registers.pc = self.here();
        Ok(())
    }

    fn write_registers(&mut self, _registers: &WasmRegisters) -> TargetResult<(), Self> {
        Err(TargetError::NonFatal)
    }

    fn read_addrs(&mut self, start: u64, data: &mut [u8]) -> TargetResult<usize, Self> {
        let session = self.session.borrow();
        let (bytes, from) = match named(start).ok_or(TargetError::NonFatal)? {
            Named::Memory(offset) => (session.machine().memory(), offset),
            Named::Code(offset) => (self.module.as_slice(), offset),
        };
        let bytes = bytes.get(from as usize..).unwrap_or_default();
        let count = bytes.len().min(data.len()).min(MOST_BYTES);
        if count == 0 {
            return Err(TargetError::NonFatal);
        }
        data[..count].copy_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn write_addrs(&mut self, _start: u64, _data: &[u8]) -> TargetResult<(), Self> {
        Err(TargetError::NonFatal)
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadResume for Twin {
    fn resume(&mut self, _signal: Option<Signal>) -> Result<(), Self::Error> {
        self.motion = Some(Motion::Run);
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, (), Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, (), Self>> {
        Some(self)
    }
}

impl SingleThreadSingleStep for Twin {
    fn step(&mut self, _signal: Option<Signal>) -> Result<(), Self::Error> {
        self.motion = Some(Motion::Step);
        Ok(())
    }
}

impl ReverseCont<()> for Twin {
    fn reverse_cont(&mut self) -> Result<(), Self::Error> {
        self.motion = Some(Motion::RunBack);
        Ok(())
    }
}

impl ReverseStep<()> for Twin {
    fn reverse_step(&mut self, _thread: ()) -> Result<(), Self::Error> {
        self.motion = Some(Motion::StepBack);
        Ok(())
    }
}

impl Breakpoints for Twin {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for Twin {
    fn add_sw_breakpoint(&mut self, address: u64, _kind: usize) -> TargetResult<bool, Self> {
        let Some(Named::Code(offset)) = named(address) else {
            return Ok(false);
        };
        let id = self.stop_at(StopKind::Code(CodePlace::Offset(offset)));
        let known = id.map(|id| self.breakpoints.insert(address, id));
        // The same address again: the one before is no longer needed.
        if let Some(Some(old)) = known {
            self.forget(old);
        }
        Ok(id.is_some())
    }

    fn remove_sw_breakpoint(&mut self, address: u64, _kind: usize) -> TargetResult<bool, Self> {
        let id = self.breakpoints.remove(&address);
        Ok(id.is_some_and(|id| self.forget(id)))
    }
}

impl HwWatchpoint for Twin {
    fn add_hw_watchpoint(
        &mut self,
        address: u64,
        length: u64,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        // What is read is not kept track of.
        let (Some(Named::Memory(offset)), WatchKind::Write) = (named(address), kind) else {
            return Ok(false);
        };
        let id = self.stop_at(StopKind::Write(format!("{offset}, {length}")));
        if let Some(id) = id {
            self.watches.insert(id, (address, length));
        }
        Ok(id.is_some())
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u64,
        length: u64,
        _kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let mut watches = self.watches.iter();
        let found = watches.find(|(_, watched)| **watched == (address, length));
        let Some(id) = found.map(|(id, _)| *id) else {
            return Ok(false);
        };
        self.watches.remove(&id);
        Ok(self.forget(id))
    }
}

impl MonitorCmd for Twin {
    fn handle_monitor_cmd(
        &mut self,
        command: &[u8],
        mut out: ConsoleOutput<'_>,
    ) -> Result<(), Self::Error> {
        let line = String::from_utf8_lossy(command);
        let answer = self
            .prompt
            .execute(line.trim(), &Paint::new(false, COLUMNS), &mut |_| {
                Flow::Continue
            });
        for line in answer.text.lines() {
            outputln!(out, "{line}");
        }
        Ok(())
    }
}
