//! Which locals and globals a program may still read: what is dead tells no two states apart.
//!
//! Locals are solved for within their function. Of globals, every function is summed up by what it may read before it
//! writes it, and by what it does not surely write: a state's live globals follow from the functions that are on its
//! stack, the innermost first.

use std::cell::RefCell;
use std::rc::Rc;

use borges_vm::binary::Instr;
use borges_vm::{FrameView, FuncIdx, Machine, Module, Shared, ValType};
use hashbrown::HashMap;

use crate::shape::Shape;

/// A set of small numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    fn none(count: usize) -> Self {
        Bits(vec![0; count.div_ceil(64)])
    }

    pub(super) fn contains(&self, bit: usize) -> bool {
        self.0
            .get(bit / 64)
            .is_some_and(|word| word >> (bit % 64) & 1 != 0)
    }

    fn insert(&mut self, bit: usize) {
        if let Some(word) = self.0.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
    }

    fn remove(&mut self, bit: usize) {
        if let Some(word) = self.0.get_mut(bit / 64) {
            *word &= !(1 << (bit % 64));
        }
    }

    fn add(&mut self, other: &Bits) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    fn keep(&mut self, other: &Bits) {
        for (word, kept) in self.0.iter_mut().zip(&other.0) {
            *word &= kept;
        }
    }
}

/// The globals that are live before something, given those that are live after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Globals {
    /// Whatever is live after it.
    read: Bits,
    /// If they are live after it.
    passed: Bits,
}

impl Globals {
    fn none(count: usize) -> Self {
        Globals {
            read: Bits::none(count),
            passed: Bits::none(count),
        }
    }

    fn add(&mut self, other: &Globals) {
        self.read.add(&other.read);
        self.passed.add(&other.passed);
    }

    /// Those that are live before it.
    fn before(&self, after: &Bits) -> Bits {
        let mut live = after.clone();
        live.keep(&self.passed);
        live.add(&self.read);
        live
    }
}

impl Shape {
    /// Solves backwards until nothing changes: `after` gives what holds behind the function, `step` what holds before an
    /// instruction if something holds behind it.
    fn solve<T: Clone + PartialEq>(
        &self,
        none: &T,
        after: &T,
        add: impl Fn(&mut T, &T),
        step: impl Fn(usize, T) -> T,
    ) -> (Vec<T>, Vec<T>) {
        let mut before = vec![none.clone(); self.goes.len()];
        let mut behind = before.clone();
        loop {
            let mut changed = false;
            for at in (0..self.goes.len()).rev() {
                let goes = &self.goes[at];
                let mut out = if goes.returns {
                    after.clone()
                } else {
                    none.clone()
                };
                for to in &goes.to {
                    if let Some(next) = before.get(*to) {
                        add(&mut out, next);
                    }
                }
                if out != behind[at] {
                    behind[at] = out.clone();
                }
                let new = step(at, out);
                if new != before[at] {
                    before[at] = new;
                    changed = true;
                }
            }
            if !changed {
                return (before, behind);
            }
        }
    }
}

/// What is live before and behind every instruction of a function.
struct Function {
    shape: Shape,
    locals: (Vec<Bits>, Vec<Bits>),
    globals: (Vec<Globals>, Vec<Globals>),
}

/// What a module's programs may still read, function by function as it is asked for.
pub(super) struct Live {
    module: Shared<Module>,
    /// By function: the globals at its beginning.
    entries: Vec<Globals>,
    functions: RefCell<HashMap<u32, Rc<Function>>>,
    /// What handlers, or those who look into the program, may read at any time.
    always: Bits,
}

impl Live {
    /// Of a module; if there `are_handlers`, any of its functions may be called at any time. Of a program that is
    /// `looked_into`, somebody may read any global at any time.
    pub(super) fn new(module: &Shared<Module>, are_handlers: bool, looked_into: bool) -> Self {
        let count = module.global_types().len();
        let imported = module.imported_funcs();
        let all = module
            .funcs()
            .map(|func| func.0 + 1)
            .max()
            .unwrap_or(0)
            .max(imported);
        let mut entries = vec![Globals::none(count); all as usize];
        // What is imported touches no global: it is called, and returns.
        for entry in entries.iter_mut().take(imported as usize) {
            (0..count).for_each(|global| entry.passed.insert(global));
        }
        let mut live = Live {
            module: module.clone(),
            entries,
            functions: RefCell::default(),
            always: Bits::none(count),
        };
        live.sum_up();
        if looked_into {
            (0..count).for_each(|global| live.always.insert(global));
        }
        if are_handlers {
            for entry in &live.entries {
                live.always.add(&entry.read);
            }
        }
        live
    }

    /// The type of a global.
    pub(super) fn global_type(&self, global: u32) -> ValType {
        let ty = self.module.global_types().get(global as usize);
        ty.map_or(ValType::I32, |ty| ty.value)
    }

    /// Sums every function up, until nothing changes.
    fn sum_up(&mut self) {
        if self.module.global_types().is_empty() {
            return;
        }
        let module = self.module.clone();
        let shapes: Vec<(FuncIdx, Shape)> = module
            .funcs()
            .filter(|func| module.code_range(*func).is_some())
            .map(|func| (func, Shape::new(&module, func)))
            .collect();
        loop {
            let mut changed = false;
            for (func, shape) in shapes.iter().rev() {
                let (before, _) = self.globals_of(*func, shape);
                if let Some(first) = before.into_iter().next()
                    && first != self.entries[func.0 as usize]
                {
                    self.entries[func.0 as usize] = first;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// What is live before and behind each of a function's instructions.
    fn globals_of(&self, func: FuncIdx, shape: &Shape) -> (Vec<Globals>, Vec<Globals>) {
        let count = self.module.global_types().len();
        let none = Globals::none(count);
        let mut after = none.clone();
        (0..count).for_each(|global| after.passed.insert(global));
        let instrs: Vec<Instr<'_>> = self.module.instrs(func).map(|(_, instr)| instr).collect();
        let step = |at: usize, mut live: Globals| {
            match instrs[at] {
                Instr::GlobalGet(global) => {
                    live.read.insert(global as usize);
                    live.passed.insert(global as usize);
                }
                Instr::GlobalSet(global) => {
                    live.read.remove(global as usize);
                    live.passed.remove(global as usize);
                }
                Instr::Call(callee) | Instr::ReturnCall(callee) => {
                    live = self.through(callee, &live);
                }
                Instr::CallIndirect { ty, .. } | Instr::ReturnCallIndirect { ty, .. } => {
                    let mut any = none.clone();
                    for callee in self.callees(ty) {
                        any.add(&self.through(callee, &live));
                    }
                    live = any;
                }
                _ => {}
            }
            live
        };
        shape.solve(&none, &after, Globals::add, step)
    }

    /// The globals before a call of a function, given those behind it.
    fn through(&self, func: u32, after: &Globals) -> Globals {
        match self.entries.get(func as usize) {
            Some(entry) => Globals {
                read: entry.before(&after.read),
                passed: entry.before(&after.passed),
            },
            None => after.clone(),
        }
    }

    /// Functions of a type: what a table may hold.
    fn callees(&self, ty: u32) -> impl Iterator<Item = u32> + '_ {
        let wanted = self.module.types().get(ty as usize);
        let all = 0..self.entries.len() as u32;
        all.filter(move |func| self.module.func_type(FuncIdx(*func)) == wanted)
    }

    fn function(&self, func: FuncIdx) -> Rc<Function> {
        if let Some(known) = self.functions.borrow().get(&func.0) {
            return known.clone();
        }
        let shape = Shape::new(&self.module, func);
        let none = Bits::none(self.module.local_types(func).len());
        let instrs: Vec<Instr<'_>> = self.module.instrs(func).map(|(_, instr)| instr).collect();
        let step = |at: usize, mut live: Bits| {
            match instrs[at] {
                Instr::LocalGet(local) => live.insert(local as usize),
                Instr::LocalSet(local) | Instr::LocalTee(local) => live.remove(local as usize),
                _ => {}
            }
            live
        };
        let function = Rc::new(Function {
            locals: shape.solve(&none, &none, Bits::add, step),
            globals: self.globals_of(func, &shape),
            shape,
        });
        self.functions.borrow_mut().insert(func.0, function.clone());
        function
    }

    /// Of stacks that share their globals, each with the innermost frame first: the cells of the first one, which goes on,
    /// and the globals, that hold nothing that anybody may still read.
    pub(super) fn dead(&self, stacks: &[&[FrameView]]) -> Dead {
        let mut dead = Dead::default();
        let mut live = self.always.clone();
        for (number, frames) in stacks.iter().enumerate() {
            let (cells, globals) = self.of_stack(frames);
            if number == 0 {
                dead.cells = cells;
            }
            live.add(&globals);
        }
        let globals = 0..self.module.global_types().len();
        dead.globals = globals.filter(|global| !live.contains(*global)).collect();
        dead
    }

    /// Of one stack: its cells that are dead, and the globals that are live.
    fn of_stack(&self, frames: &[FrameView]) -> (Vec<usize>, Bits) {
        let mut dead = Vec::new();
        let mut live = Bits::none(self.module.global_types().len());
        // The outermost first: what is live behind a call depends on what is live behind its caller.
        for (depth, frame) in frames.iter().enumerate().rev() {
            let function = self.function(frame.func);
            let at = function.shape.number(frame.offset);
            // What an interrupt came upon has not executed its next instruction.
            let waits = depth > 0 && !frames[depth - 1].is_handler;
            if let Some(at) = at {
                let pick = |sides: &(Vec<Bits>, Vec<Bits>)| match waits {
                    true => sides.1[at].clone(),
                    false => sides.0[at].clone(),
                };
                let locals = pick(&function.locals);
                let is_dead = |local: &usize| !locals.contains(*local);
                let cells = (0..frame.locals.len()).filter(is_dead);
                dead.extend(cells.map(|local| frame.local_cell(local)));
                let globals = match waits {
                    true => &function.globals.1[at],
                    false => &function.globals.0[at],
                };
                live = globals.before(&live);
            } else {
                (0..self.module.global_types().len()).for_each(|global| live.insert(global));
            }
        }
        (dead, live)
    }
}

/// What a program will not read again before it writes it.
#[derive(Debug, Default)]
pub(super) struct Dead {
    /// Cells of the stack.
    pub(super) cells: Vec<usize>,
    /// Globals.
    pub(super) globals: Vec<usize>,
}

impl Dead {
    /// Gives all of it a value, cut to its type.
    pub(super) fn fill(&self, machine: &mut Machine, value: u64) {
        for at in &self.cells {
            machine.set_cell(*at, value);
        }
        for at in &self.globals {
            machine.set_global_cell(*at as u32, value);
        }
    }
}
