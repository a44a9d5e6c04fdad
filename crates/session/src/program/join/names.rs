//! The names of everything in the joined module.

use std::collections::BTreeMap;

use wasm_encoder::{IndirectNameMap, NameMap, NameSection};
use wasmparser::{BinaryReader, Name, NameSectionReader};

use super::part::{Kind, Part};
use super::plan::Plan;

/// What the function is called that runs before the program.
const BEGIN: &str = "begin of linked modules";

/// Names by number.
type Names = BTreeMap<u32, String>;

/// Names of all kinds that are joined; those of types are not, as equal types are one.
#[derive(Default)]
struct All {
    module: Option<String>,
    functions: Names,
    locals: BTreeMap<u32, Names>,
    labels: BTreeMap<u32, Names>,
    tables: Names,
    memories: Names,
    globals: Names,
    elements: Names,
    data: Names,
    tags: Names,
}

/// The section with all names; what is malformed of them is left out.
pub(super) fn section(parts: &[Part<'_>], plan: &Plan, has_begin: bool) -> NameSection {
    let mut all = All::default();
    for (number, part) in parts.iter().enumerate() {
        for (name, data) in &part.pieces.customs {
            if *name == "name" {
                let reader = NameSectionReader::new(BinaryReader::new(data, 0));
                for name in reader.into_iter().map_while(Result::ok) {
                    // What comes before a malformed name is kept.
                    let _ = all.add(number, part, plan, name);
                }
            }
        }
        all.exports(number, part, plan);
    }
    if has_begin {
        let last = plan.imported(Kind::Func) + plan.own[Kind::Func as usize].len() as u32;
        all.functions.insert(last, BEGIN.to_owned());
    }
    all.section()
}

impl All {
    fn add(
        &mut self,
        number: usize,
        part: &Part<'_>,
        plan: &Plan,
        name: Name<'_>,
    ) -> wasmparser::Result<()> {
        let numbers = &plan.numbers[number];
        // An import is called what it is where it was made.
        let of = |kind: Kind| move |index| own(part, kind, index).then(|| numbers.of(kind, index));
        match name {
            Name::Module { name, .. } if number == 0 => self.module = Some(name.to_owned()),
            Name::Function(map) => add(&mut self.functions, map, of(Kind::Func))?,
            Name::Global(map) => add(&mut self.globals, map, of(Kind::Global))?,
            Name::Table(map) => add(&mut self.tables, map, of(Kind::Table))?,
            Name::Memory(map) => add(&mut self.memories, map, of(Kind::Memory))?,
            Name::Tag(map) => add(&mut self.tags, map, of(Kind::Tag))?,
            Name::Element(map) => {
                let last = part.pieces.elements.len() as u32;
                let number = |index| (index < last).then(|| numbers.elements + index);
                add(&mut self.elements, map, number)?;
            }
            Name::Data(map) => {
                let last = part.pieces.data.len() as u32;
                let number = |index| (index < last).then(|| numbers.data + index);
                add(&mut self.data, map, number)?;
            }
            Name::Local(map) => add_inner(&mut self.locals, map, of(Kind::Func))?,
            Name::Label(map) => add_inner(&mut self.labels, map, of(Kind::Func))?,
            _ => {}
        }
        Ok(())
    }

    /// What a library exports is called so if it has no name; its exports are no more. A memory of its own is called after
    /// it: there are others.
    fn exports(&mut self, number: usize, part: &Part<'_>, plan: &Plan) {
        let Some(library) = &part.name else {
            return;
        };
        let numbers = &plan.numbers[number];
        for export in part.module.exports() {
            let kind = Kind::of(&export.ty);
            if !own(part, kind, export.index) {
                continue;
            }
            let (names, name) = match kind {
                Kind::Func => (&mut self.functions, export.name.to_owned()),
                Kind::Global => (&mut self.globals, export.name.to_owned()),
                Kind::Table => (&mut self.tables, format!("{library}.{}", export.name)),
                Kind::Memory => (&mut self.memories, format!("{library}.{}", export.name)),
                Kind::Tag => (&mut self.tags, export.name.to_owned()),
            };
            names.entry(numbers.of(kind, export.index)).or_insert(name);
        }
        for index in part.imported(Kind::Memory)..part.count(Kind::Memory) {
            let name = self.memories.entry(numbers.of(Kind::Memory, index));
            name.or_insert_with(|| format!("{library}.{index}"));
        }
    }

    fn section(&self) -> NameSection {
        let mut section = NameSection::new();
        if let Some(name) = &self.module {
            section.module(name);
        }
        section.functions(&map(&self.functions));
        section.locals(&indirect(&self.locals));
        section.labels(&indirect(&self.labels));
        section.tables(&map(&self.tables));
        section.memories(&map(&self.memories));
        section.globals(&map(&self.globals));
        section.elements(&map(&self.elements));
        section.data(&map(&self.data));
        section.tags(&map(&self.tags));
        section
    }
}

/// Whether a part has this itself.
fn own(part: &Part<'_>, kind: Kind, index: u32) -> bool {
    (part.imported(kind)..part.count(kind)).contains(&index)
}

fn add(
    names: &mut Names,
    map: wasmparser::NameMap<'_>,
    number: impl Fn(u32) -> Option<u32>,
) -> wasmparser::Result<()> {
    for naming in map {
        let naming = naming?;
        if let Some(number) = number(naming.index) {
            names.insert(number, naming.name.to_owned());
        }
    }
    Ok(())
}

/// Names in functions.
fn add_inner(
    names: &mut BTreeMap<u32, Names>,
    map: wasmparser::IndirectNameMap<'_>,
    number: impl Fn(u32) -> Option<u32>,
) -> wasmparser::Result<()> {
    for function in map {
        let function = function?;
        if let Some(number) = number(function.index) {
            let names = names.entry(number).or_default();
            add(names, function.names, Some)?;
        }
    }
    Ok(())
}

fn map(names: &Names) -> NameMap {
    let mut map = NameMap::new();
    for (number, name) in names {
        map.append(*number, name);
    }
    map
}

fn indirect(names: &BTreeMap<u32, Names>) -> IndirectNameMap {
    let mut indirect = IndirectNameMap::new();
    for (number, names) in names {
        indirect.append(*number, &map(names));
    }
    indirect
}
