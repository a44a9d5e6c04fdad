//! All of a state but the bytes of memories: the form in which states are read, checked and taken
//! over.

use alloc::vec::Vec;

use super::StateError;
use super::bytes::{Input, put};
use crate::Trap;
use crate::limits::within;
use crate::machine::{Frame, Machine, NONE, Phase, Progress, State, Thread};

/// The program's position and what its instances have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Core {
    pub(crate) control: Control,
    pub(crate) frames: Vec<Frame>,
    /// The cells of the stack in use.
    pub(crate) cells: Vec<u64>,
    pub(crate) globals: Vec<u64>,
    pub(crate) tables: Vec<Vec<u64>>,
    pub(crate) progress: Vec<Progress>,
    /// Declared sizes of the memories.
    pub(crate) pages: Vec<u32>,
    /// Nothing where no instance has tags.
    #[cfg(feature = "exceptions")]
    pub(crate) exceptions: Option<Vec<u64>>,
    /// The references that there may be to them, in order; the check finds them.
    #[cfg(feature = "exceptions")]
    pub(crate) references: Vec<u64>,
}

/// What the machine is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Control {
    pub(crate) phase: Phase,
    pub(crate) entry: u32,
    pub(crate) start: u32,
    pub(crate) handler: u32,
}

/// A [`Core`] that lies elsewhere.
pub(crate) struct CoreView<'s, T> {
    pub(crate) control: Control,
    pub(crate) frames: &'s [Frame],
    pub(crate) cells: &'s [u64],
    pub(crate) globals: &'s [u64],
    pub(crate) tables: &'s [T],
    pub(crate) progress: &'s [Progress],
    pub(crate) pages: Vec<u32>,
    #[cfg(feature = "exceptions")]
    pub(crate) exceptions: Option<&'s [u64]>,
}

impl Core {
    pub(super) fn view(&self) -> CoreView<'_, Vec<u64>> {
        CoreView {
            control: self.control,
            frames: &self.frames,
            cells: &self.cells,
            globals: &self.globals,
            tables: &self.tables,
            progress: &self.progress,
            pages: self.pages.clone(),
            #[cfg(feature = "exceptions")]
            exceptions: self.exceptions.as_deref(),
        }
    }

    /// Reads what [`CoreView::put`] wrote. Sizes are bounded by the machine's limits before
    /// anything is allocated; nothing else is checked.
    pub(super) fn read(input: &mut Input<'_>, machine: &Machine) -> Result<Core, StateError> {
        let limits = &machine.limits;
        let control = Control::read(input)?;
        let depth = input.count()?;
        within("frames", depth as u64, limits.call_depth.into())?;
        let frames = (0..depth)
            .map(|_| read_frame(input))
            .collect::<Result<_, _>>()?;
        let count = input.count()?;
        within("cells of stack", count as u64, limits.stack_slots.into())?;
        let cells = read_cells(input, count)?;
        let count = input.count()?;
        let globals = read_cells(input, count)?;
        let mut tables = Vec::new();
        for _ in 0..input.count()? {
            let count = input.count()?;
            within(
                "elements of a table",
                count as u64,
                limits.table_elements.into(),
            )?;
            tables.push(read_cells(input, count)?);
        }
        let progress = read_progress(input)?;
        let memories = input.count()?;
        let pages = (0..memories)
            .map(|_| input.u32())
            .collect::<Result<_, _>>()?;
        #[cfg(feature = "exceptions")]
        let exceptions = match machine.tags.is_empty() {
            true => None,
            false => {
                let count = input.count()?;
                let limit = limits.exception_cells;
                within("cells of exceptions", count as u64, limit.into())?;
                Some(read_cells(input, count)?)
            }
        };
        Ok(Core {
            control,
            frames,
            cells,
            globals,
            tables,
            progress,
            pages,
            #[cfg(feature = "exceptions")]
            exceptions,
            #[cfg(feature = "exceptions")]
            references: Vec::new(),
        })
    }
}

impl Control {
    pub(super) fn put(self, out: &mut Vec<u8>) {
        out.push(match self.phase {
            Phase::Idle => 0,
            Phase::Start => 1,
            Phase::Entry => 2,
            Phase::Finished => 3,
            Phase::Exited(_) => 4,
            Phase::Trapped(trap) => {
                // The list has all traps.
                16 + Trap::ALL
                    .iter()
                    .position(|known| *known == trap)
                    .unwrap_or(0) as u8
            }
        });
        if let Phase::Exited(code) = self.phase {
            put(out, code.into());
        }
        put_address(out, self.entry);
        put_address(out, self.start);
        put_address(out, self.handler);
    }

    pub(super) fn read(input: &mut Input<'_>) -> Result<Control, StateError> {
        let damaged = input.damaged();
        let phase = match input.byte()? {
            0 => Phase::Idle,
            1 => Phase::Start,
            2 => Phase::Entry,
            3 => Phase::Finished,
            4 => Phase::Exited(input.u32()?),
            code => {
                let trap = code
                    .checked_sub(16)
                    .and_then(|index| Trap::ALL.get(usize::from(index)));
                Phase::Trapped(*trap.ok_or(damaged)?)
            }
        };
        Ok(Control {
            phase,
            entry: read_address(input)?,
            start: read_address(input)?,
            handler: read_address(input)?,
        })
    }
}

impl<T: AsRef<[u64]>> CoreView<'_, T> {
    /// Appends all in canonical form: equal states give equal bytes.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        self.control.put(out);
        put(out, self.frames.len() as u64);
        self.frames.iter().for_each(|frame| put_frame(out, frame));
        put_cells(out, self.cells);
        put_cells(out, self.globals);
        put(out, self.tables.len() as u64);
        self.tables
            .iter()
            .for_each(|table| put_cells(out, table.as_ref()));
        put_progress(out, self.progress);
        put(out, self.pages.len() as u64);
        self.pages
            .iter()
            .for_each(|pages| put(out, (*pages).into()));
        #[cfg(feature = "exceptions")]
        if let Some(exceptions) = self.exceptions {
            put_cells(out, exceptions);
        }
    }
}

impl State {
    pub(crate) fn view(&self) -> CoreView<'_, Vec<u64>> {
        CoreView {
            control: self.thread.control(),
            frames: &self.thread.frames,
            cells: self.thread.cells(),
            globals: &self.store.globals,
            tables: &self.store.tables,
            progress: &self.store.progress,
            pages: self
                .store
                .memories
                .iter()
                .map(|memory| memory.pages)
                .collect(),
            #[cfg(feature = "exceptions")]
            exceptions: self.store.exceptions.as_deref(),
        }
    }
}

impl Thread {
    pub(super) fn control(&self) -> Control {
        Control {
            phase: self.phase,
            entry: self.entry,
            start: self.start,
            handler: self.handler,
        }
    }
}

impl Machine {
    /// Takes over a core that was checked. The memories keep their bytes, cut or extended with
    /// zeros to their new sizes, for which room was reserved.
    pub(super) fn take_over(&mut self, core: Core, steps: u64) {
        let Control {
            phase,
            entry,
            start,
            handler,
        } = core.control;
        // Whoever comes here on another way has not stopped here.
        self.forget_reported();
        let State { thread, store } = &mut self.state;
        (thread.phase, thread.entry, thread.start, thread.handler) = (phase, entry, start, handler);
        thread.steps = steps;
        thread.frames = core.frames;
        thread.sp = core.cells.len();
        if let Some(cells) = thread.stack.get_mut(..thread.sp) {
            cells.copy_from_slice(&core.cells);
        }
        store.globals = core.globals;
        store.tables = core.tables;
        store.progress = core.progress;
        #[cfg(feature = "exceptions")]
        {
            store.exceptions = core.exceptions;
        }
        for (memory, pages) in store.memories.iter_mut().zip(core.pages) {
            memory.pages = pages;
            let length = crate::machine::backed_bytes(pages, &self.limits);
            memory.bytes.resize(length);
        }
        self.settle();
    }

    /// Makes room for memories of these sizes, so that taking them over cannot fail.
    pub(super) fn reserve(&mut self, pages: &[u32]) -> Result<(), StateError> {
        for (memory, pages) in self.state.store.memories.iter_mut().zip(pages) {
            let length = crate::machine::backed_bytes(*pages, &self.limits);
            let reserved = memory.bytes.reserve(length);
            reserved.map_err(|_| StateError::OutOfMemory)?;
        }
        Ok(())
    }
}

/// An address or [`NONE`], which is 0 here and the addresses one more.
fn put_address(out: &mut Vec<u8>, address: u32) {
    put(out, u64::from(address.wrapping_add(1)));
}

fn read_address(input: &mut Input<'_>) -> Result<u32, StateError> {
    Ok(input.u32()?.checked_sub(1).unwrap_or(NONE))
}

pub(super) fn put_frame(out: &mut Vec<u8>, frame: &Frame) {
    put(out, frame.func.into());
    put(out, frame.pc.into());
    put(out, frame.fp.into());
}

/// Reads a frame but for its place in the side table, which follows from its position.
pub(super) fn read_frame(input: &mut Input<'_>) -> Result<Frame, StateError> {
    Ok(Frame {
        func: input.u32()?,
        pc: input.u32()?,
        fp: input.u32()?,
        branch: 0,
    })
}

fn put_cells(out: &mut Vec<u8>, cells: &[u64]) {
    put(out, cells.len() as u64);
    cells.iter().for_each(|cell| put(out, *cell));
}

fn read_cells(input: &mut Input<'_>, count: usize) -> Result<Vec<u64>, StateError> {
    (0..count).map(|_| input.u64()).collect()
}

pub(super) fn put_progress(out: &mut Vec<u8>, progress: &[Progress]) {
    put(out, progress.len() as u64);
    for instance in progress {
        out.push(u8::from(instance.started));
        for dropped in [&instance.dropped_elements, &instance.dropped_data] {
            put(out, dropped.len() as u64);
            out.extend(dropped.iter().map(|dropped| u8::from(*dropped)));
        }
    }
}

pub(super) fn read_progress(input: &mut Input<'_>) -> Result<Vec<Progress>, StateError> {
    let flag = |input: &mut Input<'_>| {
        let damaged = input.damaged();
        match input.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(damaged),
        }
    };
    let mut all = Vec::new();
    for _ in 0..input.count()? {
        let started = flag(input)?;
        let mut lists = [Vec::new(), Vec::new()];
        for list in &mut lists {
            let count = input.count()?;
            *list = (0..count).map(|_| flag(input)).collect::<Result<_, _>>()?;
        }
        let [dropped_elements, dropped_data] = lists;
        all.push(Progress {
            started,
            dropped_elements,
            dropped_data,
        });
    }
    Ok(all)
}
