//! Ranges of code, with every entry of a list paid for.

use std::ops::Range;

use gimli::{AttributeValue, RawRngListEntry};

use super::{Budget, Slice, Stop};

/// Most ranges kept of one description.
pub(super) const MAX_RANGES: usize = 4096;

/// Reads ranges of one unit, as offsets in the module's file.
pub(super) struct Ranges<'a> {
    pub(super) dwarf: &'a gimli::Dwarf<Slice>,
    pub(super) unit: &'a gimli::Unit<Slice>,
    pub(super) code_start: u32,
}

impl Ranges<'_> {
    /// The code of a description, from its addresses or its list. One range more than [`MAX_RANGES`] tells
    /// that the list goes on.
    pub(super) fn of(
        &self,
        entry: &gimli::DebuggingInformationEntry<Slice>,
        budget: &mut Budget,
    ) -> Result<Vec<Range<u32>>, Stop> {
        if let Some(value) = entry.attr_value(gimli::DW_AT_ranges) {
            return self.list(value, budget);
        }
        let Some(low) = entry.attr_value(gimli::DW_AT_low_pc) else {
            return Ok(Vec::new());
        };
        let Some(low) = self.dwarf.attr_address(self.unit, low)? else {
            return Ok(Vec::new());
        };
        let high = match entry.attr_value(gimli::DW_AT_high_pc) {
            None => return Ok(Vec::new()),
            Some(value) => match value.udata_value() {
                Some(length) => low.checked_add(length),
                None => self.dwarf.attr_address(self.unit, value)?,
            },
        };
        Ok(high
            .and_then(|high| self.range(low, high))
            .into_iter()
            .collect())
    }

    /// A range in the module's file; none if it is empty or belongs to code that was thrown away.
    fn range(&self, low: u64, high: u64) -> Option<Range<u32>> {
        // Linkers give code that they throw away the address 0 or one near the end.
        let low = u32::try_from(low)
            .ok()
            .filter(|&low| low > 0)?
            .checked_add(self.code_start)?;
        let high = u32::try_from(high).ok()?.checked_add(self.code_start)?;
        (low < high).then_some(low..high)
    }

    fn list(
        &self,
        value: AttributeValue<Slice>,
        budget: &mut Budget,
    ) -> Result<Vec<Range<u32>>, Stop> {
        let Some(offset) = self.dwarf.attr_ranges_offset(self.unit, value)? else {
            return Ok(Vec::new());
        };
        let mut entries = self.dwarf.raw_ranges(self.unit, offset)?;
        let address = |index| self.dwarf.address(self.unit, index);
        let mut base = self.unit.low_pc;
        let mut found = Vec::new();
        while let Some(entry) = entries.next()? {
            budget.spend(2)?;
            let (begin, end) = match entry {
                RawRngListEntry::BaseAddress { addr } => {
                    base = addr;
                    continue;
                }
                RawRngListEntry::BaseAddressx { addr } => {
                    base = address(addr)?;
                    continue;
                }
                RawRngListEntry::AddressOrOffsetPair { begin, end }
                | RawRngListEntry::OffsetPair { begin, end } => {
                    // A base that stands for thrown-away code takes all its pairs along.
                    if self.unit.header.is_tombstone_address(base) {
                        continue;
                    }
                    (base.wrapping_add(begin), base.wrapping_add(end))
                }
                RawRngListEntry::StartxEndx { begin, end } => (address(begin)?, address(end)?),
                RawRngListEntry::StartxLength { begin, length } => {
                    let begin = address(begin)?;
                    (begin, begin.wrapping_add(length))
                }
                RawRngListEntry::StartEnd { begin, end } => (begin, end),
                RawRngListEntry::StartLength { begin, length } => {
                    (begin, begin.wrapping_add(length))
                }
            };
            if found.len() <= MAX_RANGES {
                found.extend(self.range(begin, end));
            }
        }
        Ok(found)
    }
}
