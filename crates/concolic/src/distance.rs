//! How many branches lie between an instruction and a goal, by the shape of the code alone.

use std::collections::{HashMap, VecDeque};

use borges_vm::binary::Instr;
use borges_vm::{CodeOffset, FuncIdx, Module};

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

/// A block while it is open: where its labels go, and the branches that wait for its end.
struct Open {
    start: Option<CodeOffset>,
    waits: Vec<CodeOffset>,
    /// The `if` whose `else` did not come yet.
    condition: Option<CodeOffset>,
}

/// For every instruction of a function, those that it can come from: blocks are walked once.
fn add_edges(module: &Module, func: FuncIdx, edges: &mut HashMap<CodeOffset, Vec<CodeOffset>>) {
    let mut open = vec![Open {
        start: None,
        waits: Vec::new(),
        condition: None,
    }];
    let mut into: Vec<CodeOffset> = Vec::new();
    let mut last_call: HashMap<CodeOffset, Vec<CodeOffset>> = HashMap::new();
    for (at, instr) in module.instrs(func) {
        edges.entry(at).or_default().append(&mut into);
        let mut falls = true;
        match instr {
            Instr::Block(_) | Instr::Loop(_) | Instr::If(_) => open.push(Open {
                start: matches!(instr, Instr::Loop(_)).then_some(at),
                waits: Vec::new(),
                condition: matches!(instr, Instr::If(_)).then_some(at),
            }),
            Instr::Else => {
                if let Some(block) = open.last_mut() {
                    block.waits.push(at);
                    into.extend(block.condition.take());
                }
                falls = false;
            }
            Instr::End => {
                if let Some(block) = open.pop() {
                    into.extend(block.waits);
                    into.extend(block.condition);
                }
            }
            Instr::Br(label) | Instr::BrIf(label) => {
                branch(&mut open, label, at, edges);
                falls = matches!(instr, Instr::BrIf(_));
            }
            Instr::BrTable(targets) => {
                let labels = targets.labels();
                labels.for_each(|label| branch(&mut open, label, at, edges));
                falls = false;
            }
            Instr::Return | Instr::Unreachable => falls = false,
            Instr::Call(callee) => {
                if let Some(range) = module.code_range(FuncIdx(callee)) {
                    last_call.entry(range.start).or_default().push(at);
                }
            }
            _ => {}
        }
        if falls {
            into.push(at);
        }
    }
    for (start, calls) in last_call {
        // The range of a function's code starts at its first instruction.
        edges.entry(start).or_default().extend(calls);
    }
}

fn branch(
    open: &mut [Open],
    label: u32,
    at: CodeOffset,
    edges: &mut HashMap<CodeOffset, Vec<CodeOffset>>,
) {
    let block = open.len().checked_sub(label as usize + 1);
    let Some(block) = block.and_then(|block| open.get_mut(block)) else {
        return;
    };
    match block.start {
        Some(start) => edges.entry(start).or_default().push(at),
        None => block.waits.push(at),
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
