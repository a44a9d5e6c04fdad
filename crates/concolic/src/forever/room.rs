//! How much of the stack handlers need: whether there is room for one depends on where it comes upon the program only where
//! that is near the end of the stack, or where it is not known what the handler needs.

use borges_board::Event;
use borges_vm::binary::Instr;
use borges_vm::{FuncIdx, Machine, Module, Value};
use hashbrown::HashMap;

/// Frames, and cells of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Need {
    frames: u64,
    cells: u64,
}

/// What functions need of a stack.
pub(super) struct Room {
    /// By function, of those that are not imported: with all that it calls, if that is known.
    needs: HashMap<u32, Option<Need>>,
    /// Half of what there is.
    half: Need,
}

impl Room {
    pub(super) fn new(machine: &Machine) -> Self {
        let limits = machine.limits();
        let mut room = Room {
            needs: HashMap::new(),
            half: Need {
                frames: u64::from(limits.call_depth) / 2,
                cells: u64::from(limits.stack_slots) / 2,
            },
        };
        if let Some(module) = machine.module() {
            for func in module.funcs() {
                room.of(module, func.0);
            }
        }
        room
    }

    /// What a function needs, found out after what it calls.
    fn of(&mut self, module: &Module, func: u32) {
        let mut open = vec![func];
        while let Some(&func) = open.last() {
            // A function of which it is not known yet, while what it calls is found out, calls itself.
            let is_new = !self.needs.contains_key(&func);
            if is_new {
                self.needs.insert(func, None);
            }
            let callees = callees(module, func);
            let next = callees.iter().flatten();
            if is_new {
                let unknown = next.filter(|callee| !self.needs.contains_key(*callee));
                let unknown: Vec<u32> = unknown.copied().collect();
                if !unknown.is_empty() {
                    open.extend(unknown);
                    continue;
                }
            }
            open.pop();
            let need = self.with_callees(module, func, callees.as_deref());
            self.needs.insert(func, need);
        }
    }

    fn with_callees(&self, module: &Module, func: u32, callees: Option<&[u32]>) -> Option<Need> {
        let own = module.frame_cells(FuncIdx(func))?;
        let mut most = Need::default();
        for callee in callees? {
            let need = (*self.needs.get(callee)?)?;
            most.frames = most.frames.max(need.frames);
            most.cells = most.cells.max(need.cells);
        }
        Some(Need {
            frames: most.frames + 1,
            cells: most.cells + u64::from(own),
        })
    }

    /// Whether a handler may need more than half of the stack, as far as anybody knows.
    pub(super) fn is_deep(&self, machine: &Machine, event: Event) -> bool {
        let function = match machine.table_element(0, event.handler) {
            Some(Value::FuncRef(Some(function))) => function,
            // It traps wherever it comes.
            _ => return false,
        };
        let need = self.needs.get(&function).copied().flatten();
        need.is_none_or(|need| need.frames >= self.half.frames || need.cells >= self.half.cells)
    }

    /// Whether a program stands in the second half of its stack.
    pub(super) fn is_beyond(&self, (frames, cells): (usize, usize)) -> bool {
        frames as u64 >= self.half.frames || cells as u64 >= self.half.cells
    }
}

/// The functions of its own that a function calls; nothing if that depends on a table.
fn callees(module: &Module, func: u32) -> Option<Vec<u32>> {
    let imported = module.imported_funcs();
    let mut callees = Vec::new();
    for (_, instr) in module.instrs(FuncIdx(func)) {
        match instr {
            Instr::Call(callee) | Instr::ReturnCall(callee) if callee >= imported => {
                callees.push(callee);
            }
            Instr::CallIndirect { .. } | Instr::ReturnCallIndirect { .. } => return None,
            _ => {}
        }
    }
    Some(callees)
}
