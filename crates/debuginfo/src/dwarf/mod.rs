//! DWARF, as clang and rustc leave it in custom sections.
//!
//! Everything is read once, at load, within a [`Budget`]: a few hostile bytes can otherwise make a
//! reader work for hours, since abbreviations, strings and lists may be shared without end. What is
//! kept is what a stop needs: code ranges, variables with their location expressions, and types.

mod entries;
mod lines;
mod location;
mod ranges;
mod type_entries;
mod unit;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use borges_vm::FuncIdx;
use gimli::{EndianArcSlice, LittleEndian};

use crate::lines::Row;
use crate::module::ModuleIndex;
use crate::sources::{Files, SourceProvider};
use crate::types::{TypeId, Types};
use crate::warning::{DebugPart, Problem, Warnings};

pub(crate) use location::Evaluation;

/// DWARF bytes that share the module's bytes.
pub(crate) type Slice = EndianArcSlice<LittleEndian>;

/// Work that reading may still cost, roughly in bytes looked at.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
}

impl Budget {
    /// Enough for every compiler's output: that costs less than one unit a byte.
    fn for_bytes(bytes: u64) -> Budget {
        Budget {
            left: bytes.saturating_mul(4).saturating_add(1 << 20),
        }
    }

    pub(crate) fn spend(&mut self, work: u64) -> Result<(), Stop> {
        self.left = self.left.checked_sub(work).ok_or(Stop::Budget)?;
        Ok(())
    }
}

/// Why a part of DWARF was not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Malformed(gimli::Error),
    Budget,
}

impl From<gimli::Error> for Stop {
    fn from(error: gimli::Error) -> Stop {
        Stop::Malformed(error)
    }
}

impl From<Stop> for Problem {
    fn from(stop: Stop) -> Problem {
        match stop {
            Stop::Malformed(error) => Problem::Dwarf(error),
            Stop::Budget => Problem::TooLarge,
        }
    }
}

/// Where a variable's value is described.
#[derive(Clone, Debug)]
pub(crate) enum VariableHome {
    /// Nowhere: the compiler removed it.
    Removed,
    /// By one expression, wherever it is in scope.
    Expression(Slice),
    /// By a list of expressions for ranges of code, at this offset of the unit's lists.
    List(usize),
    /// It has this value always.
    Constant(i128),
}

/// A variable or parameter of a function.
#[derive(Clone, Debug)]
pub(crate) struct LocalVariable {
    pub(crate) name: Arc<str>,
    pub(crate) ty: TypeId,
    pub(crate) parameter: bool,
    pub(crate) line: u32,
    pub(crate) home: VariableHome,
}

/// A function, block or inlined call, with what is declared in it.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// Offsets in the module's file.
    pub(crate) ranges: Vec<Range<u32>>,
    /// The enclosing scope; `None` for the function itself.
    pub(crate) parent: Option<u32>,
    /// Of an inlined call.
    pub(crate) inlined: Option<InlinedCall>,
    pub(crate) variables: Vec<LocalVariable>,
}

/// A call that the compiler replaced by the function's body.
#[derive(Clone, Debug)]
pub(crate) struct InlinedCall {
    /// Offset of the description of the function that was called.
    pub(crate) origin: u32,
    pub(crate) file: Option<crate::FileId>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A function with code.
#[derive(Clone, Debug)]
pub(crate) struct Subprogram {
    /// The function of the module.
    pub(crate) function: FuncIdx,
    /// Offset of its own description.
    pub(crate) entry: u32,
    pub(crate) unit: usize,
    pub(crate) frame_base: Option<Slice>,
    /// The function itself comes first, scopes after those that enclose them.
    pub(crate) scopes: Vec<Scope>,
}

/// What a description says that others refer to: an abstract function, its variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    pub(crate) name: Option<Arc<str>>,
    /// The name with the namespaces and types around it.
    pub(crate) path: Option<Arc<str>>,
    pub(crate) ty: Option<TypeId>,
    pub(crate) line: u32,
    /// Where to look for what is missing here.
    pub(crate) origin: Option<u32>,
    /// Parameters of an abstract function.
    pub(crate) parameters: Vec<u32>,
}

/// A variable that lives as long as the program.
#[derive(Clone, Debug)]
pub(crate) struct GlobalVariable {
    /// Offset of its own description.
    pub(crate) entry: u32,
    pub(crate) path: Arc<str>,
    pub(crate) ty: TypeId,
    pub(crate) unit: usize,
    pub(crate) file: Option<crate::FileId>,
    pub(crate) home: VariableHome,
}

/// All of a module's DWARF.
#[derive(Debug)]
pub(crate) struct Dwarf {
    sections: gimli::Dwarf<Slice>,
    units: Vec<gimli::Unit<Slice>>,
    /// For each unit, the memory that its variables lie in.
    unit_memories: Vec<u32>,
    /// Which units rustc wrote.
    rust_units: HashSet<usize>,
    /// Where the contents of the code section begin; DWARF's addresses count from there.
    code_start: u32,
    /// Sorted by the start of their code.
    subprograms: Vec<(Range<u32>, Subprogram)>,
    origins: HashMap<u32, Origin>,
    pub(crate) globals: Vec<GlobalVariable>,
    pub(crate) types: Types,
}

/// Longest chain of descriptions that refer to each other.
const MAX_ORIGINS: usize = 8;

impl Dwarf {
    /// Reads a module's DWARF and the rows of its line tables; `None` if it has none.
    pub(crate) fn read(
        module: &ModuleIndex,
        provider: &dyn SourceProvider,
        files: &mut Files,
        warnings: &mut Warnings,
    ) -> Option<(Dwarf, Vec<Row>)> {
        let bytes: u64 = module
            .customs
            .iter()
            .filter(|(name, _)| name.starts_with(".debug_"))
            .map(|(_, range)| range.len() as u64)
            .sum();
        module.custom(".debug_info")?;
        let whole = Slice::new(module.bytes.clone(), LittleEndian);
        let sections = gimli::Dwarf::load(|section| {
            let found = module
                .customs
                .iter()
                .find(|(name, _)| name == section.name());
            let range = found.map_or(0..0, |(_, range)| range.clone());
            Ok::<_, std::convert::Infallible>(whole.range(range))
        });
        let Ok(sections) = sections;
        let dwarf = Dwarf {
            sections,
            units: Vec::new(),
            unit_memories: Vec::new(),
            rust_units: HashSet::new(),
            code_start: module.code_start,
            subprograms: Vec::new(),
            origins: HashMap::new(),
            globals: Vec::new(),
            types: Types::default(),
        };
        let budget = Budget::for_bytes(bytes);
        let mut reading = unit::NumberAt::new(dwarf, module, provider, files, warnings, budget);
        reading.all_units();
        let (mut dwarf, rows) = reading.finish();
        dwarf.subprograms.sort_by_key(|(range, _)| range.start);
        Some((dwarf, rows))
    }

    /// The function with code at `offset`.
    pub(crate) fn subprogram_at(&self, offset: u32) -> Option<&Subprogram> {
        let after = self
            .subprograms
            .partition_point(|(range, _)| range.start <= offset);
        let (range, subprogram) = self.subprograms.get(after.checked_sub(1)?)?;
        range.contains(&offset).then_some(subprogram)
    }

    /// All functions with code.
    pub(crate) fn subprograms(&self) -> impl Iterator<Item = &Subprogram> {
        self.subprograms.iter().map(|(_, subprogram)| subprogram)
    }

    /// True if rustc wrote a unit.
    pub(crate) fn is_rust(&self, unit: usize) -> bool {
        self.rust_units.contains(&unit)
    }

    /// The scopes around `offset`, innermost first.
    pub(crate) fn scopes_at<'a>(
        &'a self,
        subprogram: &'a Subprogram,
        offset: u32,
    ) -> impl Iterator<Item = &'a Scope> {
        // Later scopes are deeper ones: the last that holds the offset is the innermost.
        let holds = |scope: &&Scope| scope.ranges.iter().any(|range| range.contains(&offset));
        let innermost = subprogram.scopes.iter().rev().find(holds);
        std::iter::successors(innermost, |scope| {
            subprogram.scopes.get(scope.parent? as usize)
        })
    }

    /// The numbers of the inlined calls around `offset`, outermost first; `None` when `work` is used up.
    pub(crate) fn inlined_at(&self, offset: u32, work: &mut usize) -> Option<Vec<usize>> {
        let Some(subprogram) = self.subprogram_at(offset) else {
            return Some(Vec::new());
        };
        *work = work.checked_sub(subprogram.scopes.len())?;
        let inlined = self
            .scopes_at(subprogram, offset)
            .filter(|scope| scope.inlined.is_some());
        // A scope's own address tells it from all others of the function.
        let mut calls: Vec<usize> = inlined.map(|scope| &raw const *scope as usize).collect();
        calls.reverse();
        Some(calls)
    }

    /// Follows references between descriptions until `part` is found.
    fn origin<'a, T>(&'a self, entry: u32, part: impl Fn(&'a Origin) -> Option<T>) -> Option<T> {
        let mut entry = Some(entry);
        for _ in 0..MAX_ORIGINS {
            let origin = self.origins.get(&entry?)?;
            if let Some(found) = part(origin) {
                return Some(found);
            }
            entry = origin.origin;
        }
        None
    }

    /// The name of a function by its description, with what it is nested in.
    pub(crate) fn function_name(&self, entry: u32) -> Option<&str> {
        self.origin(entry, |origin| origin.path.as_deref())
    }

    /// The code of all inlined calls of the functions with these names.
    pub(crate) fn inlined_calls(
        &self,
        named: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = &[Range<u32>]> {
        let scopes = self
            .subprograms
            .iter()
            .flat_map(|(_, subprogram)| &subprogram.scopes);
        scopes.filter_map(move |scope| {
            let name = self.function_name(scope.inlined.as_ref()?.origin)?;
            named(name).then_some(scope.ranges.as_slice())
        })
    }

    /// The name that the function of a subprogram has in the source.
    pub(crate) fn name_at(&self, offset: u32) -> Option<&str> {
        self.function_name(self.subprogram_at(offset)?.entry)
    }
}

/// Reports a part that was not read to its end.
fn report(warnings: &mut Warnings, part: DebugPart, offset: u64, stop: Stop) {
    warnings.push(part, offset, stop.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_up_to_the_budget() {
        let all = 4 * 1000 + (1 << 20);
        for (work, done) in [(all, Ok(())), (all + 1, Err(Stop::Budget))] {
            let mut budget = Budget::for_bytes(1000);
            assert_eq!(budget.spend(1), Ok(()));
            assert_eq!(budget.spend(work - 1), done);
        }
    }

    #[test]
    fn inlined_calls_are_known_as_long_as_there_is_work_left() {
        let none = |_| Ok::<_, std::convert::Infallible>(Slice::new(Arc::from([]), LittleEndian));
        let Ok(sections) = gimli::Dwarf::load(none);
        let scope = |parent, inlined| Scope {
            ranges: std::iter::once(0..9).collect(),
            parent,
            inlined,
            variables: Vec::new(),
        };
        let call = InlinedCall {
            origin: 0,
            file: None,
            line: 0,
            column: 0,
        };
        let subprogram = Subprogram {
            function: FuncIdx(0),
            entry: 0,
            unit: 0,
            frame_base: None,
            scopes: vec![scope(None, None), scope(Some(0), Some(call))],
        };
        let dwarf = Dwarf {
            sections,
            units: Vec::new(),
            unit_memories: Vec::new(),
            rust_units: HashSet::new(),
            code_start: 0,
            subprograms: vec![(0..9, subprogram)],
            origins: HashMap::new(),
            globals: Vec::new(),
            types: Types::default(),
        };
        for (mut work, calls) in [(2, Some(1)), (1, None)] {
            let found = dwarf.inlined_at(5, &mut work);
            assert_eq!(found.map(|found| found.len()), calls);
        }
    }
}
