//! Who gets what from whom, in which order modules begin, and which numbers everything has in the joined module.

use std::collections::HashMap;

use borges_board::Board;
use borges_debuginfo::Known;
use borges_vm::{ExternType, Import};
use borges_wasi::WasiImport;

use super::error::{JoinError, LinkedImport};
use super::part::{KINDS, Kind, Part};
use crate::program::described;

/// Something of a part: its kind's number there.
type At = (usize, u32);

/// The numbers of a part's things in the joined module.
#[derive(Default)]
pub(super) struct Numbers {
    pub(super) types: Vec<u32>,
    of: [Vec<u32>; KINDS.len()],
    pub(super) elements: u32,
    pub(super) data: u32,
}

impl Numbers {
    /// The number of something that the part has; its own where there is no such thing.
    pub(super) fn of(&self, kind: Kind, index: u32) -> u32 {
        let numbers = &self.of[kind as usize];
        numbers.get(index as usize).copied().unwrap_or(index)
    }
}

/// An import of the joined module.
pub(super) struct Outside {
    /// The first part that has it, and which of its imports it is.
    pub(super) import: (usize, usize),
    kind: Kind,
    /// Its number among those of its kind.
    number: u32,
    /// What is needed of a memory or table: the most that any part wants, within the least that any allows.
    pub(super) limits: Option<(u32, Option<u32>)>,
}

/// How parts become one.
pub(super) struct Plan {
    /// In which order parts begin: who is imported from first.
    pub(super) order: Vec<usize>,
    pub(super) outside: Vec<Outside>,
    /// What parts have themselves, kind by kind, in the order of the joined module.
    pub(super) own: [Vec<At>; KINDS.len()],
    pub(super) numbers: Vec<Numbers>,
}

impl Plan {
    /// Decides how parts become one; the first is the program.
    pub(super) fn new(parts: &[Part<'_>], board: &Board) -> Result<Self, JoinError> {
        let links = Links::new(parts)?;
        let order = links.order()?;
        links.check()?;
        let (outside, kept) = links.outside()?;
        let own = KINDS.map(|kind| links.own(kind));
        let mut plan = Self {
            order,
            outside,
            own,
            numbers: parts.iter().map(|_| Numbers::default()).collect(),
        };
        let (mut elements, mut data) = (0, 0);
        for number in plan.order.clone() {
            let (numbers, pieces) = (&mut plan.numbers[number], &parts[number].pieces);
            (numbers.elements, numbers.data) = (elements, data);
            elements += pieces.elements.len() as u32;
            data += pieces.data.len() as u32;
        }
        for kind in KINDS {
            let numbered = plan.own[kind as usize].iter().zip(plan.imported(kind)..);
            let known: HashMap<At, u32> = numbered.map(|(at, number)| (*at, number)).collect();
            for (number, part) in parts.iter().enumerate() {
                let found = (0..part.count(kind)).map(|index| links.found(number, kind, index));
                let found = found.map(|at| known.get(&at).or(kept.get(&(kind, at))).copied());
                let found = found.map(Option::unwrap_or_default).collect();
                plan.numbers[number].of[kind as usize] = found;
            }
        }
        plan.first_memory(parts)?;
        plan.calls(parts, board)?;
        Ok(plan)
    }

    /// How many of a kind are imported.
    pub(super) fn imported(&self, kind: Kind) -> u32 {
        let alike = self.outside.iter().filter(|import| import.kind == kind);
        alike.count() as u32
    }

    /// The part that has something of the joined module itself, and its number there.
    pub(super) fn made(&self, kind: Kind, number: u32) -> Option<At> {
        let own = number.checked_sub(self.imported(kind))?;
        self.own[kind as usize].get(own as usize).copied()
    }

    /// The program's memory is the first one.
    fn first_memory(&self, parts: &[Part<'_>]) -> Result<(), JoinError> {
        let has_memory = parts
            .first()
            .is_some_and(|main| main.count(Kind::Memory) > 0);
        let first = self.numbers.first().map(|main| main.of(Kind::Memory, 0));
        if !has_memory || first == Some(0) {
            return Ok(());
        }
        let mut imports = self.outside.iter();
        let (number, import) = imports
            .find(|import| import.kind == Kind::Memory)
            .map_or((0, 0), |outside| outside.import);
        let Some((part, import)) = parts
            .get(number)
            .and_then(|part| Some((part, part.pieces.imports.get(import)?)))
        else {
            return Ok(());
        };
        Err(JoinError::OtherMemory {
            import: named(part, import.module, import.name),
        })
    }

    /// What parts call outside works on the memory and the table that they have.
    fn calls(&self, parts: &[Part<'_>], board: &Board) -> Result<(), JoinError> {
        let is_linked = |module: &str| {
            parts
                .iter()
                .any(|part| part.name.as_deref() == Some(module))
        };
        let imports = (parts.iter().zip(&self.numbers)).flat_map(|(part, numbers)| {
            let outside = part
                .module
                .imports()
                .filter(|import| !is_linked(import.module));
            outside.map(move |import| (part, numbers, import))
        });
        for (part, numbers, import) in imports {
            let ExternType::Func(ty) = import.ty else {
                continue;
            };
            let system = WasiImport::find(import.module, import.name);
            let primitive = board.primitive_for(import.module, import.name, ty);
            let primitive = primitive.and_then(|id| board.primitive(id));
            let touches = system.is_some_and(|import| import.function.touches_memory())
                || primitive.is_some_and(|primitive| primitive.touches_memory());
            let subscribes = primitive.is_some_and(|primitive| primitive.subscribes());
            let elsewhere = |kind: Kind| {
                let has_own = part.count(kind) > 0;
                let is_any = parts.iter().any(|part| part.count(kind) > 0);
                is_any && !(has_own && numbers.of(kind, 0) == 0)
            };
            let (has, next) = if touches && elsewhere(Kind::Memory) {
                let has = match part.count(Kind::Memory) {
                    0 => "none",
                    _ => "a memory of its own",
                };
                let next = "call it in the program, or let the two share a memory";
                (has, next)
            } else if subscribes && elsewhere(Kind::Table) {
                let next = "subscribe in the program, or let the two share the table";
                ("not the table that handlers are in", next)
            } else {
                continue;
            };
            return Err(JoinError::Elsewhere {
                import: named(part, import.module, import.name),
                has,
                next,
            });
        }
        Ok(())
    }
}

/// Parts, and how they find each other.
struct Links<'p, 'm> {
    parts: &'p [Part<'m>],
    named: HashMap<&'p str, usize>,
    /// What each exports.
    exports: Vec<HashMap<&'p str, (Kind, u32)>>,
}

impl<'p, 'm> Links<'p, 'm> {
    fn new(parts: &'p [Part<'m>]) -> Result<Self, JoinError> {
        let mut named: HashMap<&str, usize> = HashMap::new();
        for (number, part) in parts.iter().enumerate() {
            let Some(name) = part.name.as_deref() else {
                continue;
            };
            if let Some(first) = named.insert(name, number) {
                return Err(JoinError::Twice {
                    name: name.to_owned(),
                    first: parts[first].path.clone(),
                    second: part.path.clone(),
                });
            }
        }
        let exports = parts.iter().map(|part| {
            let exports = part.module.exports();
            exports
                .map(|export| (export.name, (Kind::of(&export.ty), export.index)))
                .collect()
        });
        let links = Self {
            parts,
            named,
            exports: exports.collect(),
        };
        for part in parts.iter().filter(|part| part.name.is_some()) {
            let name = part.name.clone().unwrap_or_default();
            let mut imports = parts.iter().flat_map(|part| &part.pieces.imports);
            if imports.any(|import| import.module == name) {
                continue;
            }
            let mut modules: Vec<String> = Vec::new();
            for import in parts.iter().flat_map(|part| &part.pieces.imports) {
                if !modules.iter().any(|known| known == import.module) {
                    modules.push(import.module.to_owned());
                }
            }
            let path = part.path.clone();
            return Err(JoinError::Unused {
                name,
                path,
                modules,
            });
        }
        Ok(links)
    }

    /// The parts that a part imports from, in the order of its imports.
    fn needs(&self, part: usize) -> Vec<usize> {
        let mut needs = Vec::new();
        for import in &self.parts[part].pieces.imports {
            let found = self.named.get(import.module);
            needs.extend(
                found
                    .filter(|number| !needs.contains(*number))
                    .copied()
                    .as_slice(),
            );
        }
        needs
    }

    /// Libraries in the order in which they were named, but each after those that it imports from; the program last.
    fn order(&self) -> Result<Vec<usize>, JoinError> {
        let mut order = Vec::new();
        for part in (1..self.parts.len()).chain([0]) {
            self.visit(part, &mut order, &mut Vec::new())?;
        }
        Ok(order)
    }

    fn visit(
        &self,
        part: usize,
        order: &mut Vec<usize>,
        above: &mut Vec<usize>,
    ) -> Result<(), JoinError> {
        if order.contains(&part) {
            return Ok(());
        }
        if let Some(begin) = above.iter().position(|known| *known == part) {
            let circle = above[begin..].iter().chain([&part]);
            let named = circle.map(|part| self.parts[*part].name.clone().unwrap_or_default());
            return Err(JoinError::Circle(named.collect()));
        }
        above.push(part);
        for needed in self.needs(part) {
            self.visit(needed, order, above)?;
        }
        above.pop();
        order.push(part);
        Ok(())
    }

    /// Where something of a part was made: in which part, or as which import of which part. Circles were refused before.
    fn found(&self, part: usize, kind: Kind, index: u32) -> At {
        let (mut part, mut index) = (part, index);
        loop {
            let Some(import) = self.parts[part].import_of(kind, index) else {
                return (part, index);
            };
            let import = &self.parts[part].pieces.imports[import];
            let library = self.named.get(import.module);
            let exported = library.and_then(|library| self.exports[*library].get(import.name));
            match (library, exported) {
                (Some(library), Some((_, exported))) => (part, index) = (*library, *exported),
                _ => return (part, index),
            }
        }
    }

    /// Everything that is imported from a library is there, and is of the type that is wanted.
    fn check(&self) -> Result<(), JoinError> {
        for (number, part) in self.parts.iter().enumerate() {
            for (import, kind, index) in numbered(part) {
                let Some(library) = self.named.get(import.module) else {
                    continue;
                };
                let path = self.parts[*library].path.clone();
                let named = || named(part, import.module, import.name);
                let Some((found, exported)) = self.exports[*library].get(import.name) else {
                    let known = self.known(*library, kind, import.name);
                    return Err(JoinError::Lacks {
                        import: named(),
                        path,
                        known,
                    });
                };
                let (from, at) = match *found == kind {
                    true => self.found(number, kind, index),
                    false => (*library, *exported),
                };
                let Some(ty) = self.parts[from].type_of(*found, at) else {
                    continue;
                };
                if !fits(&import.ty, &ty) {
                    return Err(JoinError::Type {
                        import: named(),
                        wanted: told(&import.ty),
                        path,
                        found: told(&ty),
                        next: next(&import.ty, &ty),
                    });
                }
            }
        }
        Ok(())
    }

    /// The exports of a library that might have been meant.
    fn known(&self, library: usize, kind: Kind, name: &str) -> Known {
        let exports = self.parts[library].module.exports();
        let alike = exports.filter(|export| Kind::of(&export.ty) == kind);
        Known::near(name, alike.map(|export| export.name))
    }

    /// What parts have themselves of a kind; the program's first memory or table comes first, whoever has it.
    fn own(&self, kind: Kind) -> Vec<At> {
        let all = (0..).zip(self.parts).flat_map(|(number, part)| {
            (part.imported(kind)..part.count(kind)).map(move |index| (number, index))
        });
        let mut all: Vec<At> = all.collect();
        let is_first = matches!(kind, Kind::Memory | Kind::Table);
        if is_first && self.parts[0].count(kind) > 0 {
            let first = self.found(0, kind, 0);
            if let Some(place) = all.iter().position(|at| *at == first) {
                all[..=place].rotate_right(1);
            }
        }
        all
    }

    /// The imports that no library answers, alike ones once, and the number of each.
    #[expect(clippy::type_complexity, reason = "a pair of what one walk finds")]
    fn outside(&self) -> Result<(Vec<Outside>, HashMap<(Kind, At), u32>), JoinError> {
        let mut outside: Vec<Outside> = Vec::new();
        let mut numbers = HashMap::new();
        let mut known = HashMap::new();
        let mut counts = [0_u32; KINDS.len()];
        for (number, part) in self.parts.iter().enumerate() {
            for (at, (import, kind, index)) in numbered(part).enumerate() {
                if self.named.contains_key(import.module) {
                    continue;
                }
                // A board may have several functions of one name: the type says which is meant.
                let ty = (kind == Kind::Func).then(|| told(&import.ty));
                let key = (kind, import.module, import.name, ty);
                let (place, before) = *known.entry(key).or_insert_with(|| {
                    let count = &mut counts[kind as usize];
                    outside.push(Outside {
                        import: (number, at),
                        kind,
                        number: *count,
                        limits: limits(&import.ty),
                    });
                    *count += 1;
                    (outside.len() - 1, (part, import.ty))
                });
                share(&mut outside[place], before, (part, &import))?;
                numbers.insert((kind, (number, index)), outside[place].number);
            }
        }
        Ok((outside, numbers))
    }
}

/// The imports of a part, with their kinds and their numbers among those of their kinds.
fn numbered<'p>(part: &'p Part<'_>) -> impl Iterator<Item = (Import<'p>, Kind, u32)> {
    let mut counts = [0; KINDS.len()];
    part.module.imports().map(move |import| {
        let kind = Kind::of(&import.ty);
        let count = &mut counts[kind as usize];
        *count += 1;
        (import, kind, *count - 1)
    })
}

/// One more part has an import that another one had `before`.
fn share(
    outside: &mut Outside,
    before: (&Part<'_>, ExternType<'_>),
    (part, import): (&Part<'_>, &Import<'_>),
) -> Result<(), JoinError> {
    let (first, ty) = before;
    let apart = || JoinError::Apart {
        import: named(first, import.module, import.name),
        one: told(&ty),
        second: part.called(),
        other: told(&import.ty),
    };
    let alike = match (ty, import.ty) {
        (ExternType::Memory(one), ExternType::Memory(other)) => one.is_64 == other.is_64,
        (ExternType::Table(one), ExternType::Table(other)) => {
            (one.element, one.is_64) == (other.element, other.is_64)
        }
        (one, other) => one == other,
    };
    if let (Some((min, max)), Some((least, most))) = (outside.limits, limits(&import.ty)) {
        let min = min.max(least);
        let max = max.into_iter().chain(most).min();
        if max.is_some_and(|max| max < min) {
            return Err(apart());
        }
        outside.limits = Some((min, max));
    }
    if alike { Ok(()) } else { Err(apart()) }
}

/// An import for messages.
fn named(part: &Part<'_>, module: &str, name: &str) -> Box<LinkedImport> {
    Box::new(LinkedImport {
        by: part.called(),
        module: module.to_owned(),
        name: name.to_owned(),
    })
}

/// How large a memory or a table is.
fn limits(ty: &ExternType<'_>) -> Option<(u32, Option<u32>)> {
    match ty {
        ExternType::Memory(memory) => Some((memory.min, memory.max)),
        ExternType::Table(table) => Some((table.min, table.max)),
        _ => None,
    }
}

/// Whether something may be imported as this.
fn fits(wanted: &ExternType<'_>, found: &ExternType<'_>) -> bool {
    let is_large_enough = || match (limits(wanted), limits(found)) {
        (Some((least, most)), Some((min, max))) => {
            min >= least && most.is_none_or(|most| max.is_some_and(|max| max <= most))
        }
        _ => true,
    };
    match (wanted, found) {
        (ExternType::Memory(wanted), ExternType::Memory(found)) => {
            wanted.is_64 == found.is_64 && is_large_enough()
        }
        (ExternType::Table(wanted), ExternType::Table(found)) => {
            (wanted.element, wanted.is_64) == (found.element, found.is_64) && is_large_enough()
        }
        (wanted, found) => wanted == found,
    }
}

/// A type in messages.
fn told(ty: &ExternType<'_>) -> String {
    let (kind, ty) = described(ty);
    format!("a {kind} ({ty})")
}

/// What to do where types differ.
fn next(wanted: &ExternType<'_>, found: &ExternType<'_>) -> &'static str {
    match (wanted, found) {
        (ExternType::Func(_), ExternType::Func(_)) => {
            ": the two were compiled from different declarations of it; compile both anew"
        }
        (ExternType::Memory(_), ExternType::Memory(_))
        | (ExternType::Table(_), ExternType::Table(_)) => {
            ": what is imported must be at least as large as it says, and may not grow beyond what it says"
        }
        _ => "",
    }
}
