//! Exceptions: tags, and where what is thrown is caught.

use alloc::vec::Vec;

use super::code::{Branch, Catching, Try};
use super::error::{InvalidKind, LoadCause, LoadError};
use super::load::{Loader, Result, counted};
use super::typing::{Block, BlockKind, Typing};
use super::{ExternIdx, Module};
use crate::binary::{Catch, Catches, Instr, MalformedKind, Reader, error_at};
use crate::{CodeOffset, FuncType, ValType};

/// Where an exception is caught.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clause {
    /// The tag of what is caught, whose values are operands then; nothing for all, without values.
    pub(crate) tag: Option<u32>,
    pub(crate) reference: Reference,
    /// To where the program goes on.
    pub(crate) branch: Branch,
}

/// Where a reference to the exception is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    None,
    /// It is an operand, above the values.
    Above,
    /// Under the values, for `rethrow`: no other instruction takes it.
    Under,
}

impl Module {
    /// The type of a tag.
    pub fn tag_type(&self, tag: u32) -> Option<&FuncType> {
        self.types.get(*self.tags.get(tag as usize)? as usize)
    }

    /// True if there are tags, without which nothing is thrown.
    pub fn has_exceptions(&self) -> bool {
        !self.tags.is_empty()
    }

    /// The clauses that an exception meets on its way out of a function, and where each leads. The instruction that throws
    /// it, or calls what does, is the last one that begins before `past`.
    pub(crate) fn catches(&self, past: u32) -> impl Iterator<Item = Clause> {
        let begun = self.tries.partition_point(|each| each.start < past);
        // Whatever is around the instruction is around the last one that begins before it, or is that one.
        let mut next = begun.checked_sub(1);
        let around = core::iter::from_fn(move || {
            loop {
                let number = next?;
                let each = self.tries.get(number)?;
                let is_inside = past <= each.end;
                let back = match each.catching {
                    Catching::Delegated(back) if is_inside => back,
                    _ => each.outer,
                };
                next = number.checked_sub(back as usize).filter(|_| back != 0);
                if is_inside {
                    return Some(each);
                }
            }
        });
        around.flat_map(|each| self.clauses_of(each))
    }

    /// Where functions go on that catch an exception; sorted.
    pub fn catch_labels(&self) -> Vec<CodeOffset> {
        let clauses = self.tries.iter().flat_map(|each| self.clauses_of(each));
        let mut labels: Vec<_> = clauses
            .map(|clause| CodeOffset(clause.branch.target))
            .collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    fn clauses_of<'m>(&'m self, each: &'m Try) -> impl Iterator<Item = Clause> {
        let (first, blocks) = match &each.catching {
            Catching::Table(first) => (Some(*first), &[][..]),
            Catching::Blocks(blocks) => (None, &blocks[..]),
            Catching::Delegated(_) => (None, &[][..]),
        };
        let entries = first.and_then(|first| self.branches.get(first as usize..));
        let clauses = first.and_then(|_| self.clauses(each.at));
        let clauses = clauses.into_iter().flat_map(|clauses| clauses.clauses());
        let table = clauses.zip(entries.unwrap_or_default());
        let table = table.map(|(clause, branch)| Clause {
            tag: clause.tag,
            reference: match clause.reference {
                true => Reference::Above,
                false => Reference::None,
            },
            branch: *branch,
        });
        table.chain(blocks.iter().map(|block| Clause {
            tag: block.tag,
            reference: Reference::Under,
            branch: block.branch,
        }))
    }

    /// What the `end` there does to operands, if it ends a `catch`.
    pub(crate) fn catch_end(&self, at: u32) -> Option<Branch> {
        let found = self.catch_ends.binary_search_by_key(&at, |end| end.at);
        Some(self.catch_ends.get(found.ok()?)?.branch)
    }

    /// True if a `catch` or `catch_all` ends at that instruction, an `end`: what it caught is dropped there.
    pub fn ends_catch(&self, offset: CodeOffset) -> bool {
        self.catch_end(offset.0).is_some()
    }

    /// The clauses of the `try_table` there.
    fn clauses(&self, at: u32) -> Option<Catches<'_>> {
        let mut reader = Reader::new(&self.bytes, at as usize, self.bytes.len());
        match Instr::read(&mut reader) {
            Ok(Instr::TryTable(_, catches)) => Some(catches),
            _ => None,
        }
    }
}

impl Loader<'_> {
    pub(super) fn tags(&mut self, section: &mut Reader<'_>) -> Result<()> {
        let count = counted(section, "tags", self.limits.types)?;
        for _ in 0..count {
            let ty = self.tag(section)?;
            self.module.tags.push(ty);
        }
        Ok(())
    }

    pub(super) fn imported_tag(&mut self, section: &mut Reader<'_>) -> Result<ExternIdx> {
        let ty = self.tag(section)?;
        self.module.tags.push(ty);
        Ok(ExternIdx::Tag(self.module.tags.len() as u32 - 1))
    }

    /// The number of a tag's type.
    fn tag(&mut self, section: &mut Reader<'_>) -> Result<u32> {
        let at = section.at();
        if section.byte()? != 0 {
            return Err(error_at(at, MalformedKind::ZeroExpected).into());
        }
        let ty = self.type_index(section)?;
        let results = self.module.types.get(ty as usize);
        match results.is_some_and(|ty| ty.results.is_empty()) {
            true => Ok(ty),
            false => Err(LoadError::invalid(at, InvalidKind::TagResults)),
        }
    }
}

impl<'m> Typing<'m> {
    pub(super) fn throw(&mut self, tag: u32) -> core::result::Result<(), LoadCause> {
        let ty = self.module.tag_type(tag);
        self.pop_all(&ty.ok_or(InvalidKind::UnknownTag(tag))?.params)?;
        self.unreachable();
        Ok(())
    }

    pub(super) fn throw_ref(&mut self) -> core::result::Result<(), LoadCause> {
        self.pop_all(&[ValType::ExnRef])?;
        self.unreachable();
        Ok(())
    }

    /// Checks what the labels of a `try_table` take, which is not open yet.
    pub(super) fn catches(&self, catches: Catches<'m>) -> core::result::Result<(), LoadCause> {
        for Catch {
            tag,
            reference,
            label,
        } in catches.clauses()
        {
            let given: &[ValType] = match tag {
                Some(tag) => {
                    let ty = self.module.tag_type(tag);
                    &ty.ok_or(InvalidKind::UnknownTag(tag))?.params
                }
                None => &[],
            };
            let taken = self.label_or_error(label)?;
            let rest = taken.strip_prefix(given);
            let fits = match rest {
                Some([]) => !reference,
                Some([ValType::ExnRef]) => reference,
                _ => false,
            };
            fits.then_some(()).ok_or(InvalidKind::CatchLabel)?;
        }
        Ok(())
    }

    /// Ends what comes before a clause of a `try`, and begins that.
    pub(super) fn catch(&mut self, tag: Option<u32>) -> core::result::Result<(), LoadCause> {
        let block = self.close()?;
        if !matches!(block.kind, BlockKind::Try | BlockKind::Catch) {
            return Err(InvalidKind::CatchWithoutTry.into());
        }
        let (kind, values): (_, &[ValType]) = match tag {
            Some(tag) => {
                let ty = self.module.tag_type(tag);
                (
                    BlockKind::Catch,
                    &ty.ok_or(InvalidKind::UnknownTag(tag))?.params,
                )
            }
            None => (BlockKind::CatchAll, &[]),
        };
        self.blocks.push(Block {
            kind,
            unreachable: false,
            ..block
        });
        self.push(ValType::ExnRef);
        self.push_all(values);
        Ok(())
    }

    pub(super) fn rethrow(&mut self, label: u32) -> core::result::Result<(), LoadCause> {
        let block = self.block(label).ok_or(InvalidKind::UnknownLabel(label))?;
        if !block.is_catch() {
            return Err(InvalidKind::RethrowLabel.into());
        }
        self.unreachable();
        Ok(())
    }

    pub(super) fn delegate(&mut self, label: u32) -> core::result::Result<(), LoadCause> {
        let block = self.close()?;
        if block.kind != BlockKind::Try {
            return Err(InvalidKind::DelegateWithoutTry.into());
        }
        self.label_or_error(label)?;
        self.push_all(self.results(block.ty));
        Ok(())
    }

    /// Which of the operands are what blocks around have caught: no instruction takes these.
    pub(crate) fn caught(&self) -> impl Iterator<Item = usize> {
        let blocks = self.blocks.iter().filter(|block| block.is_catch());
        blocks.map(|block| block.height)
    }
}

impl Block {
    pub(super) fn is_catch(&self) -> bool {
        matches!(self.kind, BlockKind::Catch | BlockKind::CatchAll)
    }
}
