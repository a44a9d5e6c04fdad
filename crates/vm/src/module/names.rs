//! The custom section `name`: what functions are called in the source.

use alloc::vec::Vec;
use core::ops::Range;

use super::Module;
use crate::FuncIdx;
use crate::binary::{Malformed, Reader};

/// The subsection with the names of functions.
const FUNCTIONS: u8 = 1;

/// Where the names of functions are. A malformed section, as the standard wants, is no error: it
/// names fewer functions.
pub(super) fn function_names(
    bytes: &[u8],
    section: &Range<u32>,
    functions: usize,
) -> Vec<(u32, Range<u32>)> {
    let mut names = Vec::new();
    let mut reader = Reader::new(bytes, section.start as usize, section.end as usize);
    // Whatever was read before an error counts.
    let _ = read(&mut reader, functions, &mut names);
    names.sort_by_key(|(index, _)| *index);
    names
}

fn read(
    reader: &mut Reader<'_>,
    functions: usize,
    names: &mut Vec<(u32, Range<u32>)>,
) -> Result<(), Malformed> {
    while !reader.is_empty() {
        let id = reader.byte()?;
        let length = reader.u32()?;
        let mut part = reader.part(length)?;
        if id != FUNCTIONS {
            continue;
        }
        for _ in 0..part.count()?.min(functions) {
            let index = part.u32()?;
            let length = part.name()?.len();
            names.push((index, (part.at() - length) as u32..part.at() as u32));
        }
    }
    Ok(())
}

impl Module {
    /// What a function is called in the source, after the custom section `name`.
    pub fn func_name(&self, func: FuncIdx) -> Option<&str> {
        let at = self
            .names
            .binary_search_by_key(&func.0, |(index, _)| *index)
            .ok()?;
        self.names.get(at).map(|(_, range)| self.text(range))
    }
}
