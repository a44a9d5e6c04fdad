//! The types of a function's locals, as the format has them: runs of one type. A few bytes may
//! declare tens of thousands.

use alloc::vec::Vec;

use super::Module;
use crate::binary::{Malformed, Reader, val_type};
use crate::{FuncIdx, ValType};

/// Where a local is.
#[cfg(feature = "simd")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Its cell of the frame; the first, of a vector's two.
    pub(crate) cell: u16,
    /// True of a vector.
    pub(crate) wide: bool,
}

/// The types of a function's locals, parameters first.
pub(super) struct Locals<'m> {
    params: &'m [ValType],
    /// Where runs of declared locals end, counted from the first local of all, and their types.
    runs: Vec<(u32, ValType)>,
    /// How many there are, also if that is more than any function may have.
    pub(super) total: u64,
}

impl<'m> Locals<'m> {
    /// Reads the declarations that a body of function `func` starts with.
    pub(super) fn read(
        module: &'m Module,
        func: u32,
        reader: &mut Reader<'_>,
    ) -> Result<Self, Malformed> {
        let params = module
            .func_type(FuncIdx(func))
            .map_or(&[][..], |ty| &ty.params);
        let mut runs = Vec::new();
        let mut total = params.len() as u64;
        for _ in 0..reader.count()? {
            total += u64::from(reader.u32()?);
            // More than that is refused before anyone asks for one of them.
            runs.push((total.min(u32::MAX.into()) as u32, val_type(reader)?));
        }
        Ok(Locals {
            params,
            runs,
            total,
        })
    }

    /// Which cells of the frame each local is, and how many there are: the one place that knows where vectors push what
    /// comes after them further back.
    #[cfg(feature = "simd")]
    pub(super) fn places(&self) -> alloc::boxed::Box<[Place]> {
        let mut cell = 0u32;
        let places = self.to_vec().into_iter().map(|ty| {
            let place = Place {
                cell: cell as u16,
                wide: ty.cells() == 2,
            };
            cell += ty.cells() as u32;
            place
        });
        places.collect()
    }

    /// Cells of all locals.
    pub(super) fn cells(&self) -> u64 {
        let mut before = self.params.len() as u32;
        let params = crate::types::cells_of(self.params) as u64;
        let declared = self.runs.iter().map(|(end, ty)| {
            let count = end - before;
            before = *end;
            u64::from(count) * ty.cells() as u64
        });
        params + declared.sum::<u64>()
    }

    /// The type of one local.
    pub(super) fn ty(&self, index: u32) -> Option<ValType> {
        match self.params.get(index as usize) {
            Some(ty) => Some(*ty),
            None => {
                let run = self.runs.partition_point(|(end, _)| *end <= index);
                self.runs.get(run).map(|(_, ty)| *ty)
            }
        }
    }

    /// All types, one for each local.
    pub(super) fn to_vec(&self) -> Vec<ValType> {
        let mut all = Vec::from(self.params);
        for (end, ty) in &self.runs {
            all.resize(*end as usize, *ty);
        }
        all
    }
}
