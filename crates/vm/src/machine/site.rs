//! What validation knows about a position in a function.

use alloc::vec::Vec;

use super::Machine;
use crate::binary::Instr;
use crate::module::{Typing, side_entries};
use crate::{FuncIdx, ValType};

/// What is known about a position in a function.
pub(crate) struct Site {
    /// The locals of the function.
    pub(crate) locals: Vec<ValType>,
    /// The cells of its frame.
    pub(crate) cells: u32,
    /// The operands there.
    pub(crate) operands: Vec<ValType>,
    /// Which of them are what blocks around have caught.
    #[cfg(feature = "exceptions")]
    pub(crate) caught: Vec<usize>,
    /// The first entry of the side table at or after it.
    pub(crate) branch: u32,
    /// The instruction before it in the code.
    pub(crate) before: u32,
    /// What that one calls.
    pub(crate) called: Called,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Called {
    Nothing,
    /// A function's address.
    Func(u32),
    /// Any function of this of the machine's types.
    Type(u32),
}

impl Machine {
    /// What is known about a position; nothing if no instruction starts there that can be reached.
    pub(crate) fn site(&self, func: u32, pc: u32) -> Option<Site> {
        let (instance, body) = self.code_of(func)?;
        let index = self.funcs.get(func as usize)?.index;
        let mut typing = Typing::of_body(&instance.module, index)?;
        if !(body.start..body.end).contains(&pc) {
            return None;
        }
        let mut branch = body.branch;
        let mut before = body.start;
        let mut called = Called::Nothing;
        while typing.at() < pc as usize {
            before = typing.at() as u32;
            let instr = typing.read().ok()?;
            typing.apply(&instr, None).ok()?;
            called = match instr {
                Instr::Call(callee) => Called::Func(*instance.funcs.get(callee as usize)?),
                Instr::CallIndirect { ty, .. } => Called::Type(*instance.types.get(ty as usize)?),
                _ => Called::Nothing,
            };
            branch += side_entries(&instr);
        }
        if typing.at() != pc as usize {
            return None;
        }
        Some(Site {
            locals: instance.module.local_types(FuncIdx(index)),
            cells: body.cells(),
            operands: typing.operand_types()?,
            #[cfg(feature = "exceptions")]
            caught: typing.caught().collect(),
            branch,
            before,
            called,
        })
    }
}
