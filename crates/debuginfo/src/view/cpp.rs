//! C++'s sequences, texts and wrappers, as libc++ has them (tested: 14 with ABI 2, 18 with ABI 1).

use super::rust::{element_at, in_a_row};
use super::{Found, Looking, Misfit, Shape, View};
use crate::child::Child;
use crate::types::{POINTER_BYTES, Role, Type, TypeId};
use crate::variables::Object;

/// Alternatives of a variant, and parts of a tuple, at the most.
const MAX_PARTS: usize = 64;

/// The first of two values that libc++ squeezes together (until version 19), or the value itself.
pub(super) fn first_of_pair(looking: Looking<'_>, object: &Object) -> Result<Object, Misfit> {
    if !looking
        .name(object)
        .is_ok_and(|name| name.starts_with("__compressed_pair<"))
    {
        return Ok(object.clone());
    }
    let first = looking
        .fields(object)?
        .iter()
        .find(|field| field.role == Role::Base)
        .ok_or(Misfit::Layout)?;
    looking.field(&looking.info.field(object, first), "__value_")
}

/// A number or pointer that may be the first of a pair.
pub(super) fn squeezed(
    looking: Looking<'_>,
    object: &Object,
    names: &[&str],
) -> Result<Object, Misfit> {
    first_of_pair(looking, &looking.field_of(object, names)?)
}

pub(super) fn vector<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let element = looking.argument(object, 0)?;
    if looking.field(object, "__size_").is_ok() {
        return bits(looking, object);
    }
    let size = looking.size(element)?;
    let (begin, _) = looking.pointer(&looking.field(object, "__begin_")?)?;
    let (end, _) = looking.pointer(&looking.field(object, "__end_")?)?;
    let capacity = squeezed(looking, object, &["__end_cap_", "__cap_"])?;
    let bytes = end.checked_sub(begin).ok_or(Misfit::Content)?;
    // The end of the buffer may be removed, as it is rarely read.
    let room = match looking.pointer(&capacity) {
        Ok((room, _)) => room,
        Err(Misfit::Unavailable(_)) => end,
        Err(misfit) => return Err(misfit),
    };
    if size == 0 || !bytes.is_multiple_of(size) || end > room || (begin == 0 && room > 0) {
        return Err(Misfit::Content);
    }
    in_a_row(looking, begin, element, (bytes / size).into())
}

/// `vector<bool>`: bits of words, the lowest first.
fn bits<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let ty = looking.argument(object, 0)?;
    let (begin, word) = looking.pointer(&looking.field(object, "__begin_")?)?;
    let count = looking.count(&squeezed(looking, object, &["__size_"])?)?;
    let bits_of_word = u64::from(looking.size(word)?) * 8;
    let words = squeezed(looking, object, &["__cap_alloc_", "__cap_"])?;
    let words = looking.count(&words)?;
    if words
        .checked_mul(bits_of_word)
        .is_none_or(|room| count > room)
    {
        return Err(Misfit::Content);
    }
    looking.all_in_memory(begin, count.div_ceil(8), 1)?;
    let at = Box::new(move |index: u64| {
        let address = begin.checked_add(u32::try_from(index / 8).ok()?)?;
        Some(Object {
            bits: Some(((index % 8) as u32, 1)),
            ..Object::new(ty, looking.place(address, 1))
        })
    });
    Ok(Shape::Sequence { count, at }.plain())
}

pub(super) fn array<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let elements = looking.field(object, "__elems_")?;
    let types = looking.info.types();
    let Some(Type::Array { element, count }) = types.resolve(elements.ty) else {
        // An array without elements keeps something else in their place.
        return Err(Misfit::Layout);
    };
    let (element, size) = (*element, looking.size(*element)?);
    let count = count.ok_or(Misfit::Layout)?;
    let at = Box::new(move |index: u64| {
        let offset = u32::try_from(index).ok()?.checked_mul(size)?;
        Some(Object::new(element, elements.place.part(offset, size)))
    });
    Ok(Shape::Sequence { count, at }.plain())
}

/// `deque`: blocks of elements, and a list of their addresses.
pub(super) fn deque<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let element = looking.argument(object, 0)?;
    let size = looking.size(element)?;
    let start = looking.count(&looking.field(object, "__start_")?)?;
    let count = looking.count(&squeezed(looking, object, &["__size_"])?)?;
    let map = looking.field(object, "__map_")?;
    let (begin, _) = looking.pointer(&looking.field(&map, "__begin_")?)?;
    let (end, _) = looking.pointer(&looking.field(&map, "__end_")?)?;
    // libc++: 4096 bytes a block, but at least 16 elements.
    let in_block: u64 = match size {
        0 => return Err(Misfit::Layout),
        1..256 => (4096 / size).into(),
        _ => 16,
    };
    let blocks = u64::from(end.checked_sub(begin).ok_or(Misfit::Content)? / POINTER_BYTES);
    let after_last = start.checked_add(count).ok_or(Misfit::Content)?;
    if blocks
        .checked_mul(in_block)
        .is_none_or(|room| after_last > room)
    {
        return Err(Misfit::Content);
    }
    looking.all_in_memory(begin, blocks, POINTER_BYTES)?;
    let at = Box::new(move |index: u64| {
        let index = start.checked_add(index)?;
        let slot = u32::try_from(index / in_block)
            .ok()?
            .checked_mul(POINTER_BYTES)?;
        let block = looking.word(begin.checked_add(slot)?).ok()?;
        element_at(looking, block, element, size, index % in_block)
    });
    Ok(Shape::Sequence { count, at }.plain())
}

pub(super) fn initializer_list<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    window(looking, object, &["__begin_"])
}

pub(super) fn span<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    window(looking, object, &["__data_", "__data"])
}

/// A pointer to elements and their number.
fn window<'a>(looking: Looking<'a>, object: &Object, data: &[&str]) -> Found<'a> {
    let element = looking.argument(object, 0)?;
    let (address, _) = looking.pointer(&looking.field_of(object, data)?)?;
    let count = looking.count(&looking.field_of(object, &["__size_", "__size"])?)?;
    in_a_row(looking, address, element, count)
}

pub(super) fn string_view<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let unit = looking.argument(object, 0)?;
    let (address, _) = looking.pointer(&looking.field_of(object, &["__data_", "__data"])?)?;
    let count = looking.count(&looking.field_of(object, &["__size_", "__size"])?)?;
    text(looking, address, count, unit)
}

fn text<'a>(looking: Looking<'a>, address: u32, count: u64, unit: TypeId) -> Found<'a> {
    let size = looking.size(unit)?;
    if !matches!(size, 1 | 2 | 4) {
        return Err(Misfit::Layout);
    }
    looking.all_in_memory(address, count, size)?;
    let shape = Shape::Text {
        memory: looking.memory,
        address,
        count,
        unit,
    };
    Ok(shape.plain())
}

/// `basic_string`: a long one elsewhere, a short one in itself. One bit tells which, the lowest of
/// the first byte or (in ABI 2) the highest of the last.
pub(super) fn string<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let unit = looking.argument(object, 0)?;
    let whole = squeezed(looking, object, &["__r_", "__rep_"])?;
    let long = looking.field(&whole, "__l")?;
    let short = looking.field(&whole, "__s")?;
    let start = whole.place.address();
    let length = looking.field(&short, "__size_")?;
    let data = looking.field(&short, "__data_")?;
    let at_front = start.is_some() && length.place.address() == start;
    let (mask, shift) = match at_front {
        true => (1, 1),
        false => (0x80, 0),
    };
    // Where the bit has no name, it shares its byte with the short length.
    let of_byte = Object::new(TypeId::BYTE, length.place.part(0, 1));
    let flags = looking.number(&of_byte)?;
    let is_long = match looking.field(&short, "__is_long_") {
        Ok(bit) => looking.number(&bit)? != 0,
        Err(_) => flags & mask != 0,
    };
    if is_long {
        let (address, _) = looking.pointer(&looking.field(&long, "__data_")?)?;
        let count = looking.count(&looking.field(&long, "__size_")?)?;
        return text(looking, address, count, unit);
    }
    let count = u64::try_from((flags & !mask) >> shift).map_err(|_| Misfit::Content)?;
    let room = u64::from(data.place.length() / looking.size(unit)?.max(1));
    // One unit is for the zero at the end.
    if count >= room {
        return Err(Misfit::Content);
    }
    let address = data.place.address().ok_or(Misfit::Layout)?;
    text(looking, address, count, unit)
}

fn pointee<'a>(looking: Looking<'a>, address: u32, to: TypeId) -> Found<'a> {
    if address == 0 {
        return Ok(Shape::Nothing("null").plain());
    }
    looking.all_in_memory(address, 1, looking.size(to)?)?;
    Ok(Shape::Holds(looking.object_at(address, to)?).plain())
}

pub(super) fn unique_ptr<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    if looking.name(object)?.contains("[]") {
        // Nobody knows how many elements are behind it.
        return Err(Misfit::Layout);
    }
    let (address, to) = looking.pointer(&squeezed(looking, object, &["__ptr_"])?)?;
    pointee(looking, address, to)
}

/// The counts of the pointers that share a value: owners, and others with all owners as one.
fn owners(looking: Looking<'_>, object: &Object) -> Result<Option<(Object, Object)>, Misfit> {
    let (address, to) = looking.pointer(&looking.field(object, "__cntrl_")?)?;
    if address == 0 {
        return Ok(None);
    }
    let control = looking.object_at(address, to)?;
    let owners = looking.field(&control, "__shared_owners_")?;
    Ok(Some((
        owners,
        looking.field(&control, "__shared_weak_owners_")?,
    )))
}

pub(super) fn shared_ptr<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    shared(looking, object, false)
}

pub(super) fn weak_ptr<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    shared(looking, object, true)
}

fn shared<'a>(looking: Looking<'a>, object: &Object, weak: bool) -> Found<'a> {
    let (address, to) = looking.pointer(&looking.field(object, "__ptr_")?)?;
    let (strong, others) = match owners(looking, object) {
        Ok(Some(counts)) => counts,
        Ok(None) => return pointee(looking, address, to),
        // The counts' type may be described by the library only. An owner needs them for a note, a
        // weak pointer to know whether there is a value.
        Err(Misfit::Layout) if !weak => return pointee(looking, address, to),
        Err(misfit) => return Err(misfit),
    };
    // libc++ counts from -1 for the first.
    let (owners, watchers) = (looking.number(&strong)? + 1, looking.number(&others)?);
    if owners < 0 || watchers < 0 || (owners == 0 && !weak) {
        return Err(Misfit::Content);
    }
    if owners == 0 {
        return Ok(Shape::Nothing("expired").plain());
    }
    let note = match (weak, owners, watchers) {
        (true, ..) => Some("weak".to_owned()),
        (_, 1, 0) => None,
        (_, _, 0) => Some(format!("{owners} owners")),
        _ => Some(format!("{owners} owners, {watchers} weak")),
    };
    let child = |name: &str, object| Child {
        name: name.to_owned(),
        object,
    };
    Ok(View {
        note,
        more: vec![
            child("__shared_owners_", strong),
            child("__shared_weak_owners_", others),
        ],
        ..pointee(looking, address, to)?
    })
}

pub(super) fn optional<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let engaged = looking.field(object, "__engaged_")?;
    match looking.number(&engaged)? {
        0 => Ok(Shape::Nothing("nullopt").plain()),
        1 => Ok(Shape::Holds(looking.field(object, "__val_")?).plain()),
        _ => Err(Misfit::Content),
    }
}

/// `variant`: the alternative that the index names; all begin at the same byte.
pub(super) fn variant<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let holder = looking.field_of(object, &["__impl_", "__impl"])?;
    let index = looking.field(&holder, "__index")?;
    let chosen = looking.number(&index)?;
    // The index of none is the largest number that it can be.
    let none = (1i128 << (8 * index.place.length())) - 1;
    if chosen == none || chosen == -1 {
        return Ok(Shape::Nothing("valueless").plain());
    }
    let alternatives = looking.arguments(object)?;
    let chosen = usize::try_from(chosen).map_err(|_| Misfit::Content)?;
    let ty = *alternatives.get(chosen).ok_or(Misfit::Content)?;
    if chosen >= MAX_PARTS {
        return Err(Misfit::Layout);
    }
    let data = looking.field(&holder, "__data")?;
    // Each alternative is the head of what is left of them.
    let mut rest = data;
    for _ in 0..chosen {
        rest = looking.field(&rest, "__tail")?;
    }
    let value = looking.path(&rest, &["__head", "__value"])?;
    let types = looking.info.types();
    if types.bare(value.ty) != types.bare(ty) {
        return Err(Misfit::Layout);
    }
    Ok(Shape::Holds(value).plain())
}

pub(super) fn atomic<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let value = looking.field(object, "__a_")?;
    let inner = looking.field_of(&value, &["__a_value", "__a_"]);
    Ok(Shape::Holds(inner.unwrap_or(value)).plain())
}

pub(super) fn reference_wrapper<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let (address, to) = looking.pointer(&looking.field(object, "__f_")?)?;
    pointee(looking, address, to)
}

pub(super) fn pair<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let parts = vec![
        looking.field(object, "first")?,
        looking.field(object, "second")?,
    ];
    Ok(Shape::Tuple(parts).plain())
}

/// `tuple`: one base for each part.
pub(super) fn tuple<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let arguments = looking.arguments(object)?;
    if arguments.is_empty() {
        return Ok(Shape::Tuple(Vec::new()).plain());
    }
    let base = looking.field(object, "__base_")?;
    let leaves = looking
        .fields(&base)?
        .iter()
        .filter(|field| field.role == Role::Base)
        .take(MAX_PARTS);
    let mut parts = Vec::new();
    for (leaf, argument) in leaves.zip(arguments) {
        let leaf = looking.info.field(&base, leaf);
        if !looking.name(&leaf)?.starts_with("__tuple_leaf<") {
            return Err(Misfit::Layout);
        }
        let part = looking.field(&leaf, "__value_");
        // A part without fields is the base of its leaf.
        let nothing = Object::new(*argument, leaf.place.clone());
        let is_empty = looking.fields(&nothing).is_ok_and(<[_]>::is_empty);
        parts.push(match part {
            Err(Misfit::Layout) if is_empty => nothing,
            part => part?,
        });
    }
    match parts.len() == arguments.len() {
        true => Ok(Shape::Tuple(parts).plain()),
        false => Err(Misfit::Layout),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand_made::{base, field, info, of_types, record, words};
    use crate::place::ValuePlace;

    /// What is found of a value of type 1 that lies at address 0.
    fn found(types: Vec<Type>, memory: &[u32]) -> Result<(), Misfit> {
        let object = Object::new(TypeId(1), ValuePlace::memory(0, 0, 4 * memory.len() as u32));
        let (info, state) = (info(types), words(memory.to_vec()));
        info.view(&object, &state, 0).unwrap().map(|_| ())
    }

    #[test]
    fn variants_have_so_many_alternatives() {
        let variant = |count: usize| {
            let holder = vec![
                field("__index", TypeId::WORD, 0),
                field("__data", TypeId(4), 4),
            ];
            let whole = vec![field("__impl_", TypeId(2), 0)];
            let whole = record("std", "variant<>", 8, whole);
            let mut types = vec![
                of_types(whole, &vec![TypeId::WORD; count]),
                record("std", "__impl<>", 8, holder),
                record("std", "__alt<>", 4, vec![field("__value", TypeId::WORD, 0)]),
            ];
            types.extend((5..).take(count).map(|next| {
                let parts = vec![
                    field("__head", TypeId(3), 0),
                    field("__tail", TypeId(next), 0),
                ];
                record("std", "__union<>", 4, parts)
            }));
            types
        };
        let most = MAX_PARTS as u32;
        for (count, chosen, value) in [
            (MAX_PARTS, most - 1, Ok(())),
            (MAX_PARTS + 1, most - 1, Ok(())),
            (MAX_PARTS + 1, most, Err(Misfit::Layout)),
            (MAX_PARTS, most, Err(Misfit::Content)),
        ] {
            assert_eq!(found(variant(count), &[chosen, 7]), value);
        }
    }

    #[test]
    fn tuples_have_so_many_parts() {
        for (count, value) in [(MAX_PARTS, Ok(())), (MAX_PARTS + 1, Err(Misfit::Layout))] {
            let whole = record("std", "tuple<>", 4, vec![field("__base_", TypeId(2), 0)]);
            let leaf = vec![field("__value_", TypeId::WORD, 0)];
            let types = vec![
                of_types(whole, &vec![TypeId::WORD; count]),
                record("std", "__tuple_impl<>", 4, vec![base(TypeId(3), 0); count]),
                record("std", "__tuple_leaf<>", 4, leaf),
            ];
            assert_eq!(found(types, &[7]), value);
        }
    }
}
