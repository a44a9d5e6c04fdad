//! Exceptions: tags, and where what is thrown is caught.

use alloc::vec::Vec;

use super::code::Branch;
use super::error::{InvalidKind, LoadCause, LoadError};
use super::load::{Loader, Result, counted};
use super::typing::Typing;
use super::{ExternIdx, Module};
use crate::binary::{Catch, Catches, Instr, MalformedKind, Reader, error_at};
use crate::{CodeOffset, FuncType, ValType};

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
    pub(crate) fn catches(&self, past: u32) -> impl Iterator<Item = (Catch, Branch)> {
        let begun = self.tries.partition_point(|each| each.start < past);
        // Whatever is around the instruction is around the last one that begins before it, or is that one.
        let around = core::iter::successors(begun.checked_sub(1), |number| {
            let outer = self.tries.get(*number)?.outer as usize;
            number.checked_sub(outer).filter(|_| outer != 0)
        });
        let tries = around.filter_map(|number| self.tries.get(number));
        tries.filter(move |each| past <= each.end).flat_map(|each| {
            let entries = self.branches.get(each.branch as usize..);
            let entries = entries.unwrap_or_default().iter().copied();
            let clauses = self.clauses(each.at).into_iter().flat_map(|c| c.clauses());
            clauses.zip(entries)
        })
    }

    /// Where functions go on that catch an exception; sorted.
    pub fn catch_labels(&self) -> Vec<CodeOffset> {
        let entries = self.tries.iter().flat_map(|each| {
            let count = self.clauses(each.at).map_or(0, |clauses| clauses.len());
            let first = each.branch as usize;
            self.branches.get(first..first + count as usize)
        });
        let mut labels: Vec<_> = entries
            .flatten()
            .map(|entry| CodeOffset(entry.target))
            .collect();
        labels.sort_unstable();
        labels.dedup();
        labels
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
}
