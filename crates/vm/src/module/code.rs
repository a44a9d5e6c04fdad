//! The code of functions, and the side table that tells where its branches go.

#[cfg(feature = "simd")]
use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Module;
use super::error::{InvalidKind, LoadError};
use super::locals::Locals;
#[cfg(feature = "simd")]
use super::locals::Place;
use super::typing::Typing;
use crate::binary::{Instr, MalformedKind, Reader, error_at};
use crate::limits::{Limits, within};
use crate::types::cells_of;

/// A function's body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    /// Where the declarations of locals are.
    pub(crate) locals_at: u32,
    /// The first opcode.
    pub(crate) start: u32,
    /// Past the last `end`.
    pub(crate) end: u32,
    /// The first branch in the side table.
    pub(crate) branch: u32,
    /// Cells of the parameters.
    pub(crate) params: u16,
    /// Cells of the results.
    pub(crate) results: u16,
    /// Cells of all locals, parameters included.
    pub(crate) locals: u16,
    /// Cells of the operand stack at its highest.
    pub(crate) operands: u16,
    /// If there are vectors in it: its number among [`Module::wide`], otherwise [`NONE`].
    #[cfg(feature = "simd")]
    pub(crate) wide: u32,
    /// True if there are blocks in it that end with a `catch`.
    #[cfg(feature = "exceptions")]
    pub(crate) catches: bool,
}

/// What is different in a function with vectors, which take two cells.
#[cfg(feature = "simd")]
#[derive(Clone, Debug)]
pub(crate) struct WideBody {
    /// Where its locals are.
    pub(crate) locals: Box<[Place]>,
    /// Offsets of `drop` and `select` of vectors, which do not say so themselves; sorted.
    untyped: Vec<u32>,
}

#[cfg(feature = "simd")]
impl WideBody {
    /// True if the `drop` or `select` there is of a vector.
    pub(crate) fn is_wide(&self, offset: u32) -> bool {
        self.untyped.binary_search(&offset).is_ok()
    }
}

impl Body {
    /// Cells of a frame: a call needs as many from its first argument on.
    pub(crate) fn cells(&self) -> u32 {
        u32::from(self.locals) + u32::from(self.operands)
    }

    /// True if there are vectors in it.
    #[inline(always)]
    pub(crate) fn is_wide(&self) -> bool {
        #[cfg(feature = "simd")]
        return self.wide != NONE;
        #[cfg(not(feature = "simd"))]
        false
    }

    /// The code, from the first opcode past the last `end`.
    pub(crate) fn code<'m>(&self, bytes: &'m [u8]) -> Reader<'m> {
        Reader::new(bytes, self.start as usize, self.end as usize)
    }
}

/// Where a branch goes. Every `br`, `br_if`, `if`, `else`, `catch`, `catch_all` and `rethrow` has one entry and `br_table`
/// one per label, `try_table` one per clause, in the order of the code. Nobody takes that of a `rethrow`: what it throws
/// lies at its height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    /// Offset of the next instruction: past a block's `end`, at the start of a loop's body, or the
    /// last `end` of the function. For `if` without its condition: past the `else`.
    pub(crate) target: u32,
    /// The first entry of the side table at or after the target.
    pub(crate) next: u32,
    /// Cells of operands under those that the label takes.
    pub(crate) height: u16,
    /// Cells of operands that the label takes: they move down to `height`.
    pub(crate) keep: u16,
}

/// A `try_table` or `try`: it catches what the instructions in it throw, and the functions that they call. Those of a
/// function come in the order of the code.
#[cfg(feature = "exceptions")]
#[derive(Clone, Debug)]
pub(crate) struct Try {
    /// Its opcode.
    pub(super) at: u32,
    /// The first instruction in it.
    pub(super) start: u32,
    /// Its `end`; of a `try`, its first `catch` or what else ends what it catches from.
    pub(super) end: u32,
    /// How far back in the list the one around it is, or 0.
    pub(super) outer: u32,
    pub(super) catching: Catching,
}

/// What becomes of an exception.
#[cfg(feature = "exceptions")]
#[derive(Clone, Debug)]
pub(super) enum Catching {
    /// The clauses of a `try_table` are tried; the first one's entry in the side table.
    Table(u32),
    /// Those of a `try` are.
    Blocks(Vec<CatchBlock>),
    /// It is the business of another one, so far back in the list, or of the caller if that is 0.
    Delegated(u32),
}

/// A `catch` or `catch_all`.
#[cfg(feature = "exceptions")]
#[derive(Clone, Copy, Debug)]
pub(super) struct CatchBlock {
    /// The tag of what it catches; nothing for all.
    pub(super) tag: Option<u32>,
    /// To its first instruction. What it caught lies at the height, the exception's values above.
    pub(super) branch: Branch,
}

/// The `end` of a block whose last part is a `catch` or `catch_all`.
#[cfg(feature = "exceptions")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct CatchEnd {
    /// Its opcode.
    pub(super) at: u32,
    /// To the instruction behind it: the results move to where what was caught lay.
    pub(super) branch: Branch,
}

/// No entry: the end of a chain of branches whose target is not known yet. No number.
const NONE: u32 = u32::MAX;

/// A label while its block is open.
struct Label {
    /// Start of a loop's body and the side table's length there.
    body: Option<(u32, u32)>,
    /// The last branch to the end of this block; older ones follow in the entries' `next`.
    open: u32,
    /// The entry of an `if` whose `else` did not come yet.
    condition: u32,
    /// If what is thrown here is caught by its block: its number among those of the function.
    #[cfg(feature = "exceptions")]
    catches: Option<usize>,
    /// The same of a `try` in one of its `catch`es.
    #[cfg(feature = "exceptions")]
    caught: Option<usize>,
}

impl Label {
    const NEW: Label = Label {
        body: None,
        open: NONE,
        condition: NONE,
        #[cfg(feature = "exceptions")]
        catches: None,
        #[cfg(feature = "exceptions")]
        caught: None,
    };
}

/// Builds the side table in step with the validation of a body.
struct SideTable<'b> {
    branches: &'b mut Vec<Branch>,
    labels: Vec<Label>,
    #[cfg(feature = "exceptions")]
    tries: Vec<Try>,
    #[cfg(feature = "exceptions")]
    catch_ends: Vec<CatchEnd>,
}

impl<'b> SideTable<'b> {
    fn new(branches: &'b mut Vec<Branch>) -> Self {
        SideTable {
            branches,
            labels: Vec::from([Label::NEW]),
            #[cfg(feature = "exceptions")]
            tries: Vec::new(),
            #[cfg(feature = "exceptions")]
            catch_ends: Vec::new(),
        }
    }

    /// Adds the branches of `instr`, which `typing` did not apply yet.
    fn before(&mut self, typing: &Typing<'_>, instr: &Instr<'_>) {
        match instr {
            Instr::Br(label) | Instr::BrIf(label) => self.branch(typing, *label),
            Instr::BrTable(targets) => {
                targets
                    .labels()
                    .for_each(|label| self.branch(typing, label));
            }
            Instr::Else => self.branch(typing, 0),
            #[cfg(feature = "exceptions")]
            Instr::Catch(_) | Instr::CatchAll => self.branch(typing, 0),
            #[cfg(feature = "exceptions")]
            Instr::Rethrow(label) => self.branch(typing, *label),
            #[cfg(feature = "exceptions")]
            Instr::End => self.before_end(typing),
            #[cfg(feature = "exceptions")]
            Instr::TryTable(_, catches) => {
                let clauses = catches.clauses();
                clauses.for_each(|clause| self.branch(typing, clause.label));
            }
            _ => {}
        }
    }

    /// Adds what follows from `instr` once `typing` applied it.
    fn after(&mut self, instr: &Instr<'_>, at: usize, after: usize) {
        let (at, after) = (at as u32, after as u32);
        match instr {
            Instr::Block(_) => {
                self.labels.push(Label::NEW);
            }
            Instr::Loop(_) => {
                let body = Some((after, self.branches.len() as u32));
                self.labels.push(Label { body, ..Label::NEW });
            }
            Instr::If(_) => {
                let condition = self.branches.len() as u32;
                self.branches.push(Branch {
                    target: 0,
                    next: NONE,
                    height: 0,
                    keep: 0,
                });
                self.labels.push(Label {
                    condition,
                    ..Label::NEW
                });
            }
            Instr::Else => {
                if let Some(label) = self.labels.last_mut() {
                    let condition = core::mem::replace(&mut label.condition, NONE);
                    self.close(condition, after);
                }
            }
            Instr::End => self.end(at, after),
            #[cfg(feature = "exceptions")]
            Instr::TryTable(_, catches) => {
                let first = self.branches.len() as u32 - catches.len();
                self.open_try(at, after, Catching::Table(first));
            }
            #[cfg(feature = "exceptions")]
            Instr::Try(_) => self.open_try(at, after, Catching::Blocks(Vec::new())),
            #[cfg(feature = "exceptions")]
            Instr::Catch(tag) => self.catch(Some(*tag), at, after),
            #[cfg(feature = "exceptions")]
            Instr::CatchAll => self.catch(None, at, after),
            #[cfg(feature = "exceptions")]
            Instr::Delegate(label) => self.delegate(*label, at, after),
            _ => {}
        }
    }

    fn end(&mut self, at: u32, after: u32) {
        let Some(label) = self.labels.pop() else {
            return;
        };
        let target = if self.labels.is_empty() { at } else { after };
        #[cfg(feature = "exceptions")]
        self.end_try(&label, at, after);
        self.close(label.open, target);
        self.close(label.condition, target);
    }

    /// An entry for a branch to `label`; none if there is no such label, which validation finds.
    fn branch(&mut self, typing: &Typing<'_>, label: u32) {
        let Some((height, keep)) = typing.label(label) else {
            return;
        };
        let mut entry = Branch {
            target: 0,
            next: NONE,
            height,
            keep,
        };
        let new = self.branches.len() as u32;
        let depth = self.labels.len().checked_sub(1 + label as usize);
        if let Some(label) = depth.and_then(|depth| self.labels.get_mut(depth)) {
            match label.body {
                Some((target, next)) => (entry.target, entry.next) = (target, next),
                None => entry.next = core::mem::replace(&mut label.open, new),
            }
        }
        self.branches.push(entry);
    }

    /// Gives a chain of branches its target, now that it is known.
    fn close(&mut self, mut entry: u32, target: u32) {
        let next = self.branches.len() as u32;
        while let Some(branch) = self.branches.get_mut(entry as usize) {
            entry = core::mem::replace(&mut branch.next, next);
            branch.target = target;
        }
    }
}

/// Of blocks that catch exceptions.
#[cfg(feature = "exceptions")]
impl SideTable<'_> {
    /// The number of the innermost block that catches what is thrown in the block of `depth` labels.
    fn catching(&self, depth: usize) -> Option<usize> {
        let labels = self.labels.get(..depth).unwrap_or_default();
        labels.iter().rev().find_map(|label| label.catches)
    }

    fn open_try(&mut self, at: u32, after: u32, catching: Catching) {
        let number = self.tries.len();
        let outer = self.catching(self.labels.len());
        self.tries.push(Try {
            at,
            start: after,
            end: after,
            outer: outer.map_or(0, |outer| (number - outer) as u32),
            catching,
        });
        self.labels.push(Label {
            catches: Some(number),
            ..Label::NEW
        });
    }

    /// A clause of a `try`, whose entry for those who come from before it was just added: from here on, nothing is caught
    /// by that any more.
    fn catch(&mut self, tag: Option<u32>, at: u32, after: u32) {
        let height = self.branches.last().map_or(0, |entry| entry.height);
        let next = self.branches.len() as u32;
        let Some(label) = self.labels.last_mut() else {
            return;
        };
        let first = label.catches.take();
        label.caught = label.caught.or(first);
        let Some(each) = label.caught.and_then(|number| self.tries.get_mut(number)) else {
            return;
        };
        if first.is_some() {
            each.end = at;
        }
        if let Catching::Blocks(blocks) = &mut each.catching {
            let branch = Branch {
                target: after,
                next,
                height,
                keep: 0,
            };
            blocks.push(CatchBlock { tag, branch });
        }
    }

    /// What `end` does to operands if it ends a `catch`.
    fn before_end(&mut self, typing: &Typing<'_>) {
        let is_catch = self
            .labels
            .last()
            .is_some_and(|label| label.caught.is_some());
        if let Some((height, keep)) = typing.label(0).filter(|_| is_catch) {
            let branch = Branch {
                target: 0,
                next: NONE,
                height,
                keep,
            };
            self.catch_ends.push(CatchEnd { at: NONE, branch });
        }
    }

    fn end_try(&mut self, label: &Label, at: u32, after: u32) {
        if let Some(each) = label.catches.and_then(|number| self.tries.get_mut(number)) {
            each.end = at;
        }
        if label.caught.is_some()
            && let Some(end) = self.catch_ends.last_mut()
        {
            (end.at, end.branch.target) = (at, after);
            end.branch.next = self.branches.len() as u32;
        }
    }

    /// The end of a `try` that leaves what is thrown to the block of this label.
    fn delegate(&mut self, label: u32, at: u32, after: u32) {
        let ended = self.labels.pop();
        let depth = self.labels.len().saturating_sub(label as usize);
        let to = self.catching(depth);
        let Some(ended) = ended else {
            return;
        };
        if let Some(number) = ended.catches
            && let Some(each) = self.tries.get_mut(number)
        {
            each.end = at;
            each.catching = Catching::Delegated(to.map_or(0, |to| (number - to) as u32));
        }
        self.close(ended.open, after);
    }
}

/// What some functions have.
#[derive(Default)]
pub(super) struct Special {
    pub(super) tail_calls: bool,
    #[cfg(feature = "exceptions")]
    pub(super) tries: Vec<Try>,
    #[cfg(feature = "exceptions")]
    pub(super) catch_ends: Vec<CatchEnd>,
    #[cfg(feature = "simd")]
    pub(super) wide: Option<WideBody>,
}

/// Validates the body of function `func`, which `reader` is positioned at, up to its end; adds its
/// branches to `branches`. Says as well what it has that not all have.
pub(super) fn validate_body(
    module: &Module,
    func: u32,
    declared: &[bool],
    limits: &Limits,
    reader: &mut Reader<'_>,
    branches: &mut Vec<Branch>,
) -> Result<(Body, Special), LoadError> {
    let start = reader.at();
    let locals = read_locals(module, func, limits, reader)?;
    let mut body = Body {
        locals_at: start as u32,
        start: reader.at() as u32,
        end: reader.end() as u32,
        branch: branches.len() as u32,
        params: 0,
        results: 0,
        locals: locals.cells() as u16,
        operands: 0,
        #[cfg(feature = "simd")]
        wide: NONE,
        #[cfg(feature = "exceptions")]
        catches: false,
    };
    if let Some(ty) = module.func_type(crate::FuncIdx(func)) {
        body.params = cells_of(&ty.params) as u16;
        body.results = cells_of(&ty.results) as u16;
    }
    let most = u64::from(limits.operands.min(u16::MAX.into()));
    let mut typing = Typing::new(module, func, locals, *reader);
    let mut table = SideTable::new(branches);
    let mut special = Special::default();
    #[cfg(feature = "simd")]
    let mut untyped = Vec::new();
    while !typing.is_finished() {
        let at = typing.at();
        let instr = typing.read()?;
        table.before(&typing, &instr);
        #[cfg(feature = "simd")]
        if typing.is_untyped_wide(&instr) {
            untyped.push(at as u32);
        }
        typing
            .apply(&instr, Some(declared))
            .map_err(|cause| cause.at(at))?;
        table.after(&instr, at, typing.at());
        special.tail_calls |= matches!(
            instr,
            Instr::ReturnCall(_) | Instr::ReturnCallIndirect { .. }
        );
        within(
            "nested blocks",
            typing.depth() as u64,
            limits.nesting.into(),
        )
        .and_then(|()| within("operands of a function", typing.highest() as u64, most))
        .map_err(|limit| LoadError::limit(at, limit))?;
    }
    if typing.at() != reader.end() {
        return Err(LoadError::invalid(typing.at(), InvalidKind::CodeAfterEnd));
    }
    #[cfg(feature = "exceptions")]
    {
        body.catches = !table.catch_ends.is_empty();
        special.tries = table.tries;
        special.catch_ends = table.catch_ends;
    }
    body.operands = typing.highest() as u16;
    #[cfg(feature = "simd")]
    if typing.has_wide() {
        let locals = typing.places();
        special.wide = Some(WideBody { locals, untyped });
    }
    Ok((body, special))
}

/// The locals of the function; the reader stands at the code afterwards.
fn read_locals<'m>(
    module: &'m Module,
    func: u32,
    limits: &Limits,
    reader: &mut Reader<'_>,
) -> Result<Locals<'m>, LoadError> {
    let at = reader.at();
    let locals = Locals::read(module, func, reader)?;
    if locals.total > u64::from(u32::MAX) {
        return Err(error_at(at, MalformedKind::TooManyLocals).into());
    }
    within(
        "locals of a function",
        locals.cells(),
        limits.locals.min(u16::MAX.into()).into(),
    )
    .map_err(|limit| LoadError::limit(at, limit))?;
    Ok(locals)
}

/// How many entries of the side table are an instruction's.
pub(crate) fn side_entries(instr: &Instr<'_>) -> u32 {
    match instr {
        Instr::Br(_) | Instr::BrIf(_) | Instr::If(_) | Instr::Else => 1,
        Instr::BrTable(targets) => targets.len() + 1,
        #[cfg(feature = "exceptions")]
        Instr::TryTable(_, catches) => catches.len(),
        #[cfg(feature = "exceptions")]
        Instr::Catch(_) | Instr::CatchAll | Instr::Rethrow(_) => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    /// The side table of a function's body, as `opcode's place -> target's place, height, keep`;
    /// places count instructions.
    fn table(body: &str) -> Vec<String> {
        let text =
            format!("(module (func $pad (if (i32.const 1) (then))) (func (export \"f\") {body}))");
        let bytes = wat::parse_str(text).unwrap();
        let module = Module::new(&bytes, &Limits::default()).unwrap();
        let func = module.exported_func("f").unwrap();
        let body = module.body(func.0).unwrap();
        let starts: Vec<u32> = module.instr_starts(func).map(|at| at.0).collect();
        let place = |offset: u32| starts.iter().position(|start| *start == offset).unwrap();
        let sources = module.instrs(func).flat_map(|(at, instr)| {
            let entries = match instr {
                Instr::Br(_) | Instr::BrIf(_) | Instr::If(_) | Instr::Else => 1,
                Instr::BrTable(targets) => targets.len() + 1,
                _ => 0,
            };
            core::iter::repeat_n(at.0, entries as usize)
        });
        let sources: Vec<u32> = sources.collect();
        let entries = &module.branches()[body.branch as usize..];
        assert_eq!(entries.len(), sources.len());
        let lines = sources.iter().zip(entries).map(|(source, entry)| {
            // What follows the target in the side table follows it in the code.
            let next = entry.next - body.branch;
            assert_eq!(
                next as usize,
                sources.iter().filter(|at| **at < entry.target).count()
            );
            let (from, to) = (place(*source), place(entry.target));
            format!("{from} -> {to}, {}, {}", entry.height, entry.keep)
        });
        lines.collect()
    }

    #[test]
    fn branches_forward_and_backward() {
        assert_eq!(table("(block nop (br 0) nop) nop"), ["2 -> 5, 0, 0"]);
        assert_eq!(table("(loop nop (br 0))"), ["2 -> 1, 0, 0"]);
        assert_eq!(table("(br 0)"), ["0 -> 1, 0, 0"]);
        assert_eq!(
            table("(block (block (br_table 0 1 2 (i32.const 0)) nop) nop) nop"),
            ["3 -> 6, 0, 0", "3 -> 8, 0, 0", "3 -> 9, 0, 0"]
        );
    }

    #[test]
    fn conditions() {
        assert_eq!(table("(if (i32.const 1) (then nop)) nop"), ["1 -> 4, 0, 0"]);
        assert_eq!(
            table("(if (i32.const 1) (then nop) (else nop nop)) nop"),
            ["1 -> 4, 0, 0", "3 -> 7, 0, 0"]
        );
        assert_eq!(
            table("(if (i32.const 1) (then (br 0)) (else (br 1)))"),
            [
                "1 -> 4, 0, 0",
                "2 -> 6, 0, 0",
                "3 -> 6, 0, 0",
                "4 -> 6, 0, 0"
            ]
        );
    }

    #[test]
    fn values_that_labels_take_move_down() {
        assert_eq!(
            table(
                "(drop (i32.add (i32.const 1) (block (result i32)
                    (i64.const 1) (i64.const 2) (br_if 0 (i32.const 3) (i32.const 4))
                    (br 0))))"
            ),
            ["6 -> 9, 1, 1", "7 -> 9, 1, 1"]
        );
    }
}
