//! The shape of a function's code: where control goes from every instruction.

use borges_vm::binary::Instr;
use borges_vm::{CodeOffset, FuncIdx, Module};

/// Where control goes from an instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Goes {
    /// The instructions that may be next, by number.
    pub(crate) to: Vec<usize>,
    /// To the caller.
    pub(crate) returns: bool,
}

/// A function's instructions with where they lead.
pub(crate) struct Shape {
    pub(crate) offsets: Vec<CodeOffset>,
    pub(crate) goes: Vec<Goes>,
}

/// A block that is open while a function's instructions are gone through.
struct Open {
    /// Where a loop begins again.
    start: Option<usize>,
    /// What goes behind its end.
    waits: Vec<usize>,
    /// The `if` whose `else` did not come yet.
    condition: Option<usize>,
}

impl Shape {
    pub(crate) fn new(module: &Module, func: FuncIdx) -> Self {
        let mut shape = Shape {
            offsets: Vec::new(),
            goes: Vec::new(),
        };
        let block = |start, condition| Open {
            start,
            waits: Vec::new(),
            condition,
        };
        let mut open = vec![block(None, None)];
        for (at, (offset, instr)) in module.instrs(func).enumerate() {
            shape.offsets.push(offset);
            shape.goes.push(Goes::default());
            let mut falls = true;
            match instr {
                // What is thrown is not followed to where it is caught.
                Instr::Block(_) | Instr::TryTable(..) | Instr::Try(_) => {
                    open.push(block(None, None));
                }
                Instr::Loop(_) => open.push(block(Some(at), None)),
                Instr::If(_) => open.push(block(None, Some(at))),
                Instr::Else => {
                    if let Some(block) = open.last_mut() {
                        block.waits.push(at);
                        let condition = block.condition.take();
                        condition
                            .into_iter()
                            .for_each(|from| shape.lead(from, at + 1));
                    }
                    falls = false;
                }
                // What comes before it goes on behind the block.
                Instr::Catch(_) | Instr::CatchAll => {
                    shape.branch(&mut open, 0, at);
                    falls = false;
                }
                Instr::End | Instr::Delegate(_) => falls = shape.end(&mut open, at),
                Instr::Br(label) | Instr::BrIf(label) => {
                    shape.branch(&mut open, label, at);
                    falls = matches!(instr, Instr::BrIf(_));
                }
                Instr::BrTable(targets) => {
                    let labels = targets.labels();
                    labels.for_each(|label| shape.branch(&mut open, label, at));
                    falls = false;
                }
                // Behind what is called is the caller.
                Instr::Return | Instr::ReturnCall(_) | Instr::ReturnCallIndirect { .. } => {
                    shape.goes[at].returns = true;
                    falls = false;
                }
                Instr::Unreachable | Instr::Throw(_) | Instr::ThrowRef | Instr::Rethrow(_) => {
                    falls = false;
                }
                _ => {}
            }
            if falls {
                shape.lead(at, at + 1);
            }
        }
        shape
    }

    /// The end of a block. Gives whether something follows: behind the last end is the caller.
    fn end(&mut self, open: &mut Vec<Open>, at: usize) -> bool {
        let ended = open.pop();
        let waits = ended.map(|block| block.waits.into_iter().chain(block.condition));
        for from in waits.into_iter().flatten() {
            match open.is_empty() {
                true => self.goes[from].returns = true,
                false => self.lead(from, at + 1),
            }
        }
        self.goes[at].returns = open.is_empty();
        !open.is_empty()
    }

    fn lead(&mut self, from: usize, to: usize) {
        self.goes[from].to.push(to);
    }

    fn branch(&mut self, open: &mut [Open], label: u32, at: usize) {
        let block = open.len().checked_sub(label as usize + 1);
        let Some(block) = block.and_then(|block| open.get_mut(block)) else {
            return;
        };
        match block.start {
            Some(start) => self.goes[at].to.push(start),
            None => block.waits.push(at),
        }
    }

    /// The number of the instruction at an offset.
    pub(crate) fn number(&self, offset: CodeOffset) -> Option<usize> {
        self.offsets.binary_search(&offset).ok()
    }
}
