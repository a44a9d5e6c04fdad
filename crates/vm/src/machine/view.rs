//! Frames as a debugger shows them: with types, which validation knows and the stack does not; and without, which costs
//! nothing, for who only asks who is where.

use alloc::vec::Vec;

use super::Machine;
use super::link::InstanceId;
use super::site::Called;
use super::state::Frame;
use crate::types::cells_of;
use crate::{CodeOffset, FuncIdx, ValType, Value};

/// A function that was entered and has not returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameView {
    /// The instance whose function it is.
    pub instance: InstanceId,
    /// The function.
    pub func: FuncIdx,
    /// The next instruction; for a function that waits for another to return, its call.
    pub offset: CodeOffset,
    /// Which of [`Machine::cells`] its first local is; the others and the operands follow
    /// ([`FrameView::local_cell`]).
    pub cell: usize,
    /// Its locals, parameters first.
    pub locals: Vec<Value>,
    /// Its operands, the deepest first; without the results of the call that it waits for.
    pub operands: Vec<Value>,
    /// What the blocks that it is in have caught, the outermost first: which operand's cell comes behind that one's, and
    /// the exception.
    #[cfg(feature = "exceptions")]
    pub caught: Vec<(usize, Value)>,
    /// True of a handler that an interrupt entered.
    pub is_handler: bool,
}

/// Who is where: a function that was entered and has not returned, without what it has. That is what the stack says by
/// itself: to list all of them takes no more than to read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Activation {
    /// The instance whose function it is.
    pub instance: InstanceId,
    /// The function.
    pub func: FuncIdx,
    /// Where it goes on: its next instruction; for a function that waits for another to return, the one behind its call.
    pub next: CodeOffset,
    /// True of a function that waits for another to return; not of one that an interrupt came upon.
    pub waits: bool,
    /// True of a handler that an interrupt entered.
    pub is_handler: bool,
}

impl FrameView {
    /// Which of [`Machine::cells`] a local is, or the first of two.
    pub fn local_cell(&self, local: usize) -> usize {
        self.cell + cells(&self.locals, local)
    }

    /// The same of an operand.
    pub fn operand_cell(&self, operand: usize) -> usize {
        #[cfg(feature = "exceptions")]
        let caught = self.caught.iter().filter(|(above, _)| *above <= operand);
        #[cfg(feature = "exceptions")]
        let caught = caught.count();
        #[cfg(not(feature = "exceptions"))]
        let caught = 0;
        self.local_cell(self.locals.len()) + cells(&self.operands, operand) + caught
    }

    /// Takes what blocks have caught out of the operands.
    #[cfg(feature = "exceptions")]
    fn set_apart(&mut self, caught: &[usize]) {
        for (before, at) in caught.iter().enumerate() {
            let above = at - before;
            self.caught.push((above, self.operands.remove(above)));
        }
    }
}

/// Cells of the first so many values.
fn cells(values: &[Value], count: usize) -> usize {
    let values = values.iter().take(count);
    values.map(|value| value.ty().cells()).sum()
}

impl Machine {
    /// A frame, counted from the innermost, which is 0, to `depth() - 1`.
    pub fn frame(&self, number: usize) -> Option<FrameView> {
        let index = self.depth().checked_sub(number.checked_add(1)?)?;
        let frame = self.state.thread.frames.get(index)?;
        let standing = self.standing_in(index, frame)?;
        let site = self.site(frame.func, frame.pc)?;
        let mut operands = site.operands.as_slice();
        let mut offset = standing.next;
        if standing.waits {
            let results = match site.called {
                Called::Nothing => 0,
                Called::Func(address) => self.func_ty(address)?.results.len(),
                Called::Type(ty) => self.types.get(ty as usize)?.results.len(),
            };
            operands = operands.get(..operands.len().checked_sub(results)?)?;
            offset = CodeOffset(site.before);
        }
        let start = frame.fp as usize;
        #[cfg_attr(not(feature = "exceptions"), allow(unused_mut))]
        let mut view = FrameView {
            instance: standing.instance,
            func: standing.func,
            offset,
            cell: start,
            locals: self.values(start, &site.locals),
            operands: self.values(start + cells_of(&site.locals), operands),
            #[cfg(feature = "exceptions")]
            caught: Vec::new(),
            is_handler: standing.is_handler,
        };
        #[cfg(feature = "exceptions")]
        view.set_apart(&site.caught);
        Some(view)
    }

    /// A local of a frame, counted as in [`Machine::frame`]: without looking through the function for its operands, which
    /// takes long where it is long.
    pub fn local(&self, number: usize, local: u32) -> Option<Value> {
        let index = self.depth().checked_sub(number.checked_add(1)?)?;
        let frame = self.state.thread.frames.get(index)?;
        let func = self.funcs.get(frame.func as usize)?;
        let (instance, _) = self.code_of(frame.func)?;
        let index = FuncIdx(func.index);
        let ty = instance.module.local_type(index, local)?;
        let at = frame.fp as usize + instance.module.local_cell(index, local)?;
        Value::from_cells(ty, self.state.thread.stack.get(at..)?)
    }

    /// All frames, the innermost first.
    pub fn frames(&self) -> impl Iterator<Item = FrameView> + '_ {
        (0..self.depth()).map_while(|number| self.frame(number))
    }

    /// Who is where, the innermost first: of the same functions as [`Machine::frames`], but without types, values and
    /// looking through code.
    pub fn standing(&self) -> impl DoubleEndedIterator<Item = Activation> + '_ {
        let frames = self.state.thread.frames.iter().enumerate().rev();
        frames.filter_map(|(index, frame)| self.standing_in(index, frame))
    }

    fn standing_in(&self, index: usize, frame: &Frame) -> Option<Activation> {
        let func = self.funcs.get(frame.func as usize)?;
        let (above, handler) = (index + 1, self.state.thread.handler as usize);
        Some(Activation {
            instance: InstanceId(func.instance),
            func: FuncIdx(func.index),
            next: CodeOffset(frame.pc),
            waits: above < self.depth() && above != handler,
            is_handler: index == handler,
        })
    }

    /// The instruction that who stands there is at, as [`FrameView::offset`] says it. A call does not say where it begins,
    /// so for who waits this looks through the function up to there.
    pub fn place_of(&self, standing: &Activation) -> Option<CodeOffset> {
        if !standing.waits {
            return Some(standing.next);
        }
        let module = self.instance_module(standing.instance)?;
        let starts = module.instr_starts(standing.func);
        starts.take_while(|start| *start < standing.next).last()
    }

    /// The cells from `start` on as values of these types.
    fn values(&self, start: usize, types: &[ValType]) -> Vec<Value> {
        let cells = self.state.thread.stack.get(start..).unwrap_or_default();
        Value::all_from_cells(types, cells).collect()
    }
}
