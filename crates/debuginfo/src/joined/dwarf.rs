//! DWARF, written anew for code that moved.

use std::fmt;
use std::ops::Range as Numbers;
use std::rc::Rc;

use gimli::read::{self, Reader as _};
use gimli::write::{
    self, Address, AttributeValue, ConvertError, ConvertLineSequenceEnd, ConvertResult,
    ConvertUnit, ConvertUnitEntry, EndianVec, Location, LocationList, Range, RangeList, Sections,
    UnitEntryId,
};
use gimli::{EndianRcSlice, LineEncoding, LittleEndian};

use super::JoinedPart;

type Bytes = EndianRcSlice<LittleEndian>;

/// Sections by their names.
type Named = Vec<(String, Vec<u8>)>;

/// What stands for code that is gone.
const NOWHERE: u64 = u32::MAX as u64;

/// A part whose DWARF is not in the joined module, and why.
pub(super) struct Missing {
    part: String,
    error: ConvertError,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, error } = self;
        write!(
            f,
            "the DWARF of {part} cannot be joined with that of other modules ({error}): it has no lines and no variables"
        )
    }
}

/// The DWARF of all parts as one.
pub(super) struct OfAll {
    pub(super) sections: Named,
    /// For each part, the numbers of its units.
    pub(super) units: Vec<Numbers<u32>>,
    pub(super) missing: Vec<Missing>,
}

/// The DWARF of all parts whose DWARF can be written anew.
pub(super) fn joined(parts: &[JoinedPart<'_>]) -> OfAll {
    let mut missing = Vec::new();
    let mut readable: Vec<usize> = (0..parts.len())
        .filter(|part| parts[*part].custom(".debug_info").is_some())
        .collect();
    let (sections, ends) = loop {
        let chosen: Vec<&JoinedPart<'_>> = readable.iter().map(|part| &parts[*part]).collect();
        match written(&chosen) {
            Ok(written) => break written,
            // What was written of the part is in between: all others are written once more.
            Err((number, error)) if number < readable.len() => {
                let part = parts[readable.remove(number)].called();
                missing.push(Missing { part, error });
            }
            // There is nothing in it that cannot be written.
            Err(_) => break (Vec::new(), Vec::new()),
        }
    };
    let mut units = vec![0..0; parts.len()];
    let mut begin = 0;
    for (part, end) in readable.into_iter().zip(ends) {
        units[part] = begin..end;
        begin = end;
    }
    OfAll {
        sections,
        units,
        missing,
    }
}

/// The sections, and for each part the number of units up to its end; or the part that cannot be written.
fn written(parts: &[&JoinedPart<'_>]) -> Result<(Named, Vec<u32>), (usize, ConvertError)> {
    let mut dwarf = write::Dwarf::new();
    let mut ends = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let moving = Moving { part };
        moving.add(&mut dwarf).map_err(|error| (number, error))?;
        ends.push(dwarf.units.count() as u32);
    }
    let mut sections = Sections::new(EndianVec::new(LittleEndian));
    let mut found = Vec::new();
    if let Err(error) = dwarf.write(&mut sections) {
        // The error does not say whose it is: the part's that cannot be written alone either.
        let alone = |part: &&JoinedPart<'_>| parts.len() > 1 && written(&[*part]).is_err();
        let number = parts.iter().position(alone);
        let error = ConvertError::from(error);
        return Err((number.unwrap_or(parts.len().saturating_sub(1)), error));
    }
    let done: Result<(), std::convert::Infallible> = sections.for_each(|id, data| {
        if !data.slice().is_empty() {
            found.push((id.name().to_owned(), data.slice().to_vec()));
        }
        Ok(())
    });
    let Ok(()) = done;
    Ok((found, ends))
}

/// A part whose DWARF is written anew.
struct Moving<'p> {
    part: &'p JoinedPart<'p>,
}

impl Moving<'_> {
    fn add(&self, dwarf: &mut write::Dwarf) -> ConvertResult<()> {
        let sections = read::Dwarf::load(|section| {
            let data = self.part.custom(section.name()).unwrap_or_default();
            Ok::<_, gimli::Error>(Bytes::new(Rc::from(data), LittleEndian))
        })?;
        let mut units = dwarf.convert(&sections)?;
        while let Some((mut unit, root)) = units.read_unit()? {
            self.unit(&mut unit, root)?;
        }
        Ok(())
    }

    fn unit<'u>(
        &self,
        unit: &mut ConvertUnit<'u, Bytes>,
        root: ConvertUnitEntry<'u, Bytes>,
    ) -> ConvertResult<()> {
        self.lines(unit)?;
        let id = unit.unit.root();
        self.entry(unit, id, &root)?;
        let mut entry = root;
        while let Some(id) = unit.read_entry(&mut entry)? {
            if id.is_some() {
                let id = unit.add_entry(id, &entry);
                self.entry(unit, id, &entry)?;
            }
        }
        Ok(())
    }

    fn lines(&self, unit: &mut ConvertUnit<'_, Bytes>) -> ConvertResult<()> {
        if let Some(program) = &unit.read_unit.line_program {
            let mut instructions = program.header().instructions();
            while let Some(instruction) = instructions.next_instruction(program.header())? {
                // No compiler writes that, and the writer wants a name.
                if let read::LineInstruction::DefineFile(_) = instruction {
                    return Err(ConvertError::InvalidFileIndex);
                }
            }
        }
        // With an encoding that is surely one, whatever the old one was.
        let encoding = LineEncoding::default();
        let Some(mut lines) = unit.read_line_program(None, Some(encoding))? else {
            return Ok(());
        };
        while let Some(sequence) = lines.read_sequence()? {
            let was = sequence.start.unwrap_or_default();
            let Some(begin) = self.part.code.at(was) else {
                continue;
            };
            // A sequence goes forwards, whatever was said, and another address begins another one.
            let mut last = 0;
            lines.begin_sequence(Some(Address::Constant(begin)));
            for mut row in sequence.rows {
                if let Some(at) = self.part.code.at(was.saturating_add(row.address_offset)) {
                    last = at.saturating_sub(begin).max(last);
                    (row.address_offset, row.op_index) = (last, 0);
                    lines.generate_row(row);
                }
            }
            let end = match sequence.end {
                ConvertLineSequenceEnd::Length(length) => was.saturating_add(length),
                ConvertLineSequenceEnd::Address(address) => address,
            };
            let end = self.part.code.at(end).unwrap_or_default();
            lines.end_sequence(end.saturating_sub(begin).max(last));
        }
        if lines.in_sequence() {
            return Err(ConvertError::MissingLineEndSequence);
        }
        let (program, files) = lines.program();
        unit.set_line_program(program, files);
        Ok(())
    }

    fn entry(
        &self,
        unit: &mut ConvertUnit<'_, Bytes>,
        id: UnitEntryId,
        entry: &ConvertUnitEntry<'_, Bytes>,
    ) -> ConvertResult<()> {
        let read_unit = entry.read_unit;
        let mut low = None;
        for attr in &entry.attrs {
            if attr.name() == gimli::DW_AT_low_pc {
                low = read_unit.attr_address(attr.value())?;
            }
        }
        for attr in &entry.attrs {
            let value = match (attr.name(), attr.value()) {
                // Extensions that say nothing without sections that are not written.
                (
                    gimli::DW_AT_GNU_locviews
                    | gimli::DW_AT_macros
                    | gimli::DW_AT_macro_info
                    | gimli::DW_AT_GNU_macros,
                    _,
                ) => continue,
                (gimli::DW_AT_high_pc, value) => match (value.udata_value(), low) {
                    (Some(length), Some(low)) => AttributeValue::Udata(self.length(low, length)),
                    _ => {
                        unit.convert_attribute_value(read_unit, attr, &|at| Some(self.code(at)))?
                    }
                },
                (_, read::AttributeValue::Exprloc(expression)) => {
                    match self.renumbered(&expression, read_unit.encoding())? {
                        Some(expression) => {
                            let moved = unit.convert_expression(read_unit, expression, &data)?;
                            AttributeValue::Exprloc(moved)
                        }
                        // Addresses in expressions are those of data, which stays where it was.
                        None => unit.convert_attribute_value(read_unit, attr, &data)?,
                    }
                }
                (_, value) => {
                    if let Some(offset) = read_unit.attr_ranges_offset(value.clone())?
                        && attr.name() == gimli::DW_AT_ranges
                    {
                        let ranges = self.ranges(read_unit, offset)?;
                        AttributeValue::RangeListRef(unit.unit.ranges.add(ranges))
                    } else if let Some(offset) = read_unit.attr_locations_offset(value)? {
                        let locations = self.locations(unit, read_unit, offset)?;
                        AttributeValue::LocationListRef(unit.unit.locations.add(locations))
                    } else {
                        unit.convert_attribute_value(read_unit, attr, &|at| Some(self.code(at)))?
                    }
                }
            };
            unit.unit.get_mut(id).set(attr.name(), value);
        }
        Ok(())
    }

    /// Where code went.
    fn code(&self, was: u64) -> Address {
        Address::Constant(self.part.code.at(was).unwrap_or(NOWHERE))
    }

    /// How long code is now.
    fn length(&self, low: u64, length: u64) -> u64 {
        let (begin, end) = (
            self.part.code.at(low),
            self.part.code.at(low.saturating_add(length)),
        );
        let now = begin.zip(end).map(|(begin, end)| end.saturating_sub(begin));
        now.unwrap_or_default()
    }

    fn ranges(
        &self,
        unit: read::UnitRef<'_, Bytes>,
        offset: gimli::RangeListsOffset,
    ) -> ConvertResult<RangeList> {
        let address = Address::Constant(0);
        let mut list = vec![Range::BaseAddress { address }];
        let mut ranges = unit.ranges(offset)?;
        while let Some(range) = ranges.next()? {
            if let Some((begin, end)) = self.range(range) {
                list.push(Range::OffsetPair { begin, end });
            }
        }
        Ok(RangeList(list))
    }

    fn locations(
        &self,
        unit: &ConvertUnit<'_, Bytes>,
        read_unit: read::UnitRef<'_, Bytes>,
        offset: gimli::LocationListsOffset,
    ) -> ConvertResult<LocationList> {
        let address = Address::Constant(0);
        let mut list = vec![Location::BaseAddress { address }];
        let mut locations = read_unit.locations(offset)?;
        while let Some(location) = locations.next()? {
            let renumbered = self.renumbered(&location.data, read_unit.encoding())?;
            let expression = renumbered.unwrap_or(location.data);
            let data = unit.convert_expression(read_unit, expression, &data)?;
            if location.range.begin == 0 && location.range.end == u64::MAX {
                list.push(Location::DefaultLocation { data });
            } else if let Some((begin, end)) = self.range(location.range) {
                list.push(Location::OffsetPair { begin, end, data });
            }
        }
        Ok(LocationList(list))
    }

    /// Where a range of code went; nothing of one that is empty or gone.
    fn range(&self, was: gimli::Range) -> Option<(u64, u64)> {
        let range = (self.part.code.at(was.begin)?, self.part.code.at(was.end)?);
        (range.0 < range.1).then_some(range)
    }

    /// An expression with the new numbers of globals; nothing if it names none.
    fn renumbered(
        &self,
        expression: &read::Expression<Bytes>,
        encoding: gimli::Encoding,
    ) -> ConvertResult<Option<read::Expression<Bytes>>> {
        let whole = expression.0.to_slice()?;
        let mut operations = expression.clone().operations(encoding);
        let (mut bytes, mut from) = (Vec::new(), 0);
        let (mut has_globals, mut has_targets) = (false, false);
        while let Some(operation) = operations.next()? {
            let to = operations.offset_from(expression);
            match operation {
                read::Operation::WasmGlobal { index } => {
                    has_globals = true;
                    let number = self.part.globals.get(index as usize);
                    let number = number.ok_or(ConvertError::UnsupportedOperation)?;
                    // The form with four bytes.
                    bytes.extend([gimli::DW_OP_WASM_location.0, 3]);
                    bytes.extend(number.to_le_bytes());
                }
                operation => {
                    has_targets |= matches!(
                        operation,
                        read::Operation::Bra { .. }
                            | read::Operation::Skip { .. }
                            | read::Operation::EntryValue { .. }
                    );
                    bytes.extend(whole.get(from..to).unwrap_or_default());
                }
            }
            from = to;
        }
        match (has_globals, has_targets) {
            (false, _) => Ok(None),
            // Their targets would have to move too; compilers do not write that.
            (true, true) => Err(ConvertError::UnsupportedOperation),
            (true, false) => {
                let bytes = Bytes::new(Rc::from(bytes), LittleEndian);
                Ok(Some(read::Expression(bytes)))
            }
        }
    }
}

/// Addresses of data are what they were: each module's memory is its own, or was shared before.
fn data(at: u64) -> Option<Address> {
    Some(Address::Constant(at))
}
