//! How many branches lie between an instruction and a goal, by the shape of the code alone.

use std::collections::VecDeque;

use borges_vm::binary::Instr;
use borges_vm::{CodeOffset, FuncIdx, Module};
use hashbrown::HashMap;

use crate::shape::Shape;

/// The distance from every instruction to the nearest goal.
#[derive(Clone, Debug)]
pub(crate) struct Distances {
    steps: HashMap<CodeOffset, u32>,
}

impl Distances {
    pub(crate) fn new(module: &Module, goals: &[CodeOffset]) -> Self {
        let mut edges: HashMap<CodeOffset, Vec<CodeOffset>> = HashMap::new();
        for func in module.funcs() {
            add_edges(module, func, &mut edges);
        }
        let mut steps: HashMap<CodeOffset, u32> = HashMap::new();
        let mut queue: VecDeque<CodeOffset> = goals.iter().copied().collect();
        goals.iter().for_each(|goal| {
            steps.insert(*goal, 0);
        });
        while let Some(at) = queue.pop_front() {
            let next = steps.get(&at).copied().unwrap_or(0) + 1;
            for before in edges.get(&at).into_iter().flatten() {
                if !steps.contains_key(before) {
                    steps.insert(*before, next);
                    queue.push_back(*before);
                }
            }
        }
        Distances { steps }
    }

    pub(crate) fn from(&self, at: CodeOffset) -> Option<u32> {
        self.steps.get(&at).copied()
    }
}

/// For every instruction of a function, those that it can come from.
fn add_edges(module: &Module, func: FuncIdx, edges: &mut HashMap<CodeOffset, Vec<CodeOffset>>) {
    let shape = Shape::new(module, func);
    for (at, goes) in shape.offsets.iter().zip(&shape.goes) {
        for next in goes.to.iter().filter_map(|to| shape.offsets.get(*to)) {
            edges.entry(*next).or_default().push(*at);
        }
    }
    for (at, instr) in module.instrs(func) {
        if let Instr::Call(callee) | Instr::ReturnCall(callee) = instr
            && let Some(range) = module.code_range(FuncIdx(callee))
        {
            // The range of a function's code starts at its first instruction.
            edges.entry(range.start).or_default().push(at);
        }
    }
}

/// The instruction behind an `if` or `br_if`, if it falls through.
pub(crate) fn after_branch(module: &Module, at: CodeOffset, condition: bool) -> Option<CodeOffset> {
    let func = module.func_at(at)?;
    let mut instrs = module.instrs(func).skip_while(|(offset, _)| *offset != at);
    let (_, instr) = instrs.next()?;
    let falls = match instr {
        Instr::If(_) => condition,
        Instr::BrIf(_) => !condition,
        _ => false,
    };
    if falls {
        instrs.next().map(|(offset, _)| offset)
    } else {
        None
    }
}
