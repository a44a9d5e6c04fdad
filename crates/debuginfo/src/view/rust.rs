//! Rust's sequences, texts and wrappers, as its standard library has them (tested: 1.63 and 1.95).

use super::{Found, Looking, MAX_WRAPPERS, Misfit, Shape, View};
use crate::child::Child;
use crate::types::{POINTER_BYTES, Type, TypeId};
use crate::variables::Object;

/// The capacity that a buffer of elements without size has.
const UNLIMITED: u64 = u32::MAX as u64;

/// Largest alignment of a value behind counts.
const MAX_ALIGN: u32 = 1 << 12;

/// Where a sequence keeps its elements.
struct Buffer {
    address: u32,
    /// In elements; none where the compiler removed it.
    capacity: Option<u64>,
    element: TypeId,
    size: u32,
}

/// The buffer of a `Vec` or `VecDeque`: `RawVec` with the pointer in it, or (from 1.83 on) in a
/// `RawVecInner` that does not know the type.
fn buffer(looking: Looking<'_>, object: &Object) -> Result<Buffer, Misfit> {
    let element = looking.argument(object, 0)?;
    let size = looking.size(element)?;
    let raw = looking.field(object, "buf")?;
    let raw = looking.field(&raw, "inner").unwrap_or(raw);
    let (address, _) = looking.pointer(&looking.field(&raw, "ptr")?)?;
    let capacity = match looking.count(&looking.field(&raw, "cap")?) {
        _ if size == 0 => Some(UNLIMITED),
        Ok(capacity) => Some(capacity),
        Err(Misfit::Unavailable(_)) => None,
        Err(misfit) => return Err(misfit),
    };
    if let Some(capacity) = capacity {
        looking.all_in_memory(address, capacity, size)?;
    }
    Ok(Buffer {
        address,
        capacity,
        element,
        size,
    })
}

impl Buffer {
    fn holds(&self, looking: Looking<'_>, count: u64) -> Result<(), Misfit> {
        if self.capacity.is_some_and(|capacity| count > capacity) {
            return Err(Misfit::Content);
        }
        looking.all_in_memory(self.address, count, self.size)
    }

    fn at(&self, looking: Looking<'_>, index: u64) -> Option<Object> {
        element_at(looking, self.address, self.element, self.size, index)
    }
}

/// An element of many in a row.
pub(super) fn element_at(
    looking: Looking<'_>,
    address: u32,
    ty: TypeId,
    size: u32,
    index: u64,
) -> Option<Object> {
    let offset = u32::try_from(index).ok()?.checked_mul(size)?;
    let place = looking.place(address.checked_add(offset)?, size);
    Some(Object::new(ty, place))
}

/// `count` elements in a row.
pub(super) fn in_a_row<'a>(
    looking: Looking<'a>,
    address: u32,
    element: TypeId,
    count: u64,
) -> Found<'a> {
    let size = looking.size(element)?;
    looking.all_in_memory(address, count, size)?;
    let at = Box::new(move |index| element_at(looking, address, element, size, index));
    Ok(Shape::Sequence { count, at }.plain())
}

pub(super) fn vec<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let buffer = buffer(looking, object)?;
    let count = looking.count(&looking.field(object, "len")?)?;
    buffer.holds(looking, count)?;
    let at = Box::new(move |index| buffer.at(looking, index));
    Ok(Shape::Sequence { count, at }.plain())
}

/// A ring: `head` and `len`, or (before 1.67) `tail` and `head`, where the head is behind the last.
pub(super) fn vec_deque<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let buffer = buffer(looking, object)?;
    let number = |name| looking.count(&looking.field(object, name)?);
    let capacity = buffer.capacity;
    let (first, count, capacity) = match number("len") {
        Ok(count) => (number("head")?, count, capacity),
        Err(Misfit::Layout) => {
            let capacity = capacity.filter(|capacity| capacity.is_power_of_two());
            let capacity = capacity.ok_or(Misfit::Content)?;
            let (tail, head) = (number("tail")?, number("head")?);
            if tail >= capacity || head >= capacity {
                return Err(Misfit::Content);
            }
            (
                tail,
                head.wrapping_sub(tail) & (capacity - 1),
                Some(capacity),
            )
        }
        Err(misfit) => return Err(misfit),
    };
    buffer.holds(looking, count)?;
    let capacity = match capacity {
        Some(capacity) if first < capacity.max(1) => capacity.max(1),
        // Without its capacity nobody knows where the ring closes.
        _ => return Err(Misfit::Content),
    };
    let at = Box::new(move |index: u64| buffer.at(looking, first.checked_add(index)? % capacity));
    Ok(Shape::Sequence { count, at }.plain())
}

/// `String`, and what is nothing but a `Vec<u8>` of text.
pub(super) fn string<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    // Around the bytes of a path there are two more records.
    let mut bytes = object.clone();
    for _ in 0..MAX_WRAPPERS {
        if looking.name(&bytes)?.starts_with("Vec<") {
            break;
        }
        let [field] = looking.fields(&bytes)? else {
            return Err(Misfit::Layout);
        };
        bytes = looking.info.field(&bytes, field);
    }
    let buffer = buffer(looking, &bytes)?;
    let count = looking.count(&looking.field(&bytes, "len")?)?;
    buffer.holds(looking, count)?;
    text(looking, buffer.address, count, buffer.element)
}

fn text<'a>(looking: Looking<'a>, address: u32, count: u64, unit: TypeId) -> Found<'a> {
    if looking.size(unit)? != 1 {
        return Err(Misfit::Layout);
    }
    looking.all_in_memory(address, count, 1)?;
    let shape = Shape::Text {
        memory: looking.memory,
        address,
        count,
        unit,
    };
    Ok(shape.plain())
}

/// `&[T]`, `&str`, `Box<[T]>` and their like.
pub(super) fn slice<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let (address, element) = looking.pointer(&looking.field(object, "data_ptr")?)?;
    let count = looking.count(&looking.field(object, "length")?)?;
    match looking.name(object)? {
        name if name.contains('[') => in_a_row(looking, address, element, count),
        _ => text(looking, address, count, element),
    }
}

/// `&T`, `&mut T` and `Box<T>` are what they point to.
pub(super) fn reference<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let (address, to) = looking.pointer(object)?;
    if address == 0 {
        return Err(Misfit::Content);
    }
    looking.all_in_memory(address, 1, looking.size(to)?)?;
    Ok(Shape::Holds(looking.object_at(address, to)?).plain())
}

/// A record of which all but nothing is the one value that it holds.
pub(super) fn newtype<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let types = looking.info.types();
    let bytes = |ty| types.size(ty);
    let fields = looking.fields(object)?;
    let mut sized = fields.iter().filter(|field| bytes(field.ty) != Some(0));
    let only = match (sized.next(), sized.next()) {
        (None, _) => fields.first().filter(|_| fields.len() == 1),
        (found, None) => found,
        _ => None,
    };
    let only = only.filter(|field| bytes(field.ty) == bytes(object.ty));
    let only = only.ok_or(Misfit::Layout)?;
    Ok(Shape::Holds(looking.info.field(object, only)).plain())
}

/// A number inside records that say which numbers it can be.
pub(super) fn number<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let number = looking.uncoated(object)?;
    match number.ty == object.ty {
        true => Err(Misfit::Layout),
        false => Ok(Shape::Holds(number).plain()),
    }
}

pub(super) fn ref_cell<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let value = looking.path(object, &["value", "value"])?;
    let flag = looking.field(object, "borrow")?;
    let note = match looking.number(&flag) {
        Ok(0) => None,
        Ok(1) => Some("borrowed".to_owned()),
        Ok(readers @ 2..) => Some(format!("borrowed {readers} times")),
        Ok(_) => Some("borrowed mutably".to_owned()),
        Err(_) => None,
    };
    Ok(View {
        note,
        more: vec![child("borrow", flag)],
        ..Shape::Holds(value).plain()
    })
}

pub(super) fn mutex<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let taken = |lock: i128| (lock != 0).then(|| "locked".to_owned());
    lock(looking, object, taken)
}

pub(super) fn rw_lock<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    lock(looking, object, |mode| match mode {
        0 => None,
        1.. => Some(format!("{mode} readers")),
        _ => Some("locked".to_owned()),
    })
}

/// A lock: its own state, whether somebody panicked with it, the value.
fn lock<'a>(
    looking: Looking<'a>,
    object: &Object,
    taken: impl Fn(i128) -> Option<String>,
) -> Found<'a> {
    let value = looking.path(object, &["data", "value"])?;
    let poison = looking.field(object, "poison")?;
    let lock = looking.field(object, "inner")?;
    let mut notes = Vec::new();
    // What a lock is inside depends on the system; on most, it is a number.
    notes.extend(looking.number(&lock).ok().and_then(taken));
    if looking.number(&poison).is_ok_and(|poisoned| poisoned != 0) {
        notes.push("poisoned".to_owned());
    }
    Ok(View {
        note: (!notes.is_empty()).then(|| notes.join(", ")),
        more: vec![child("inner", lock), child("poison", poison)],
        ..Shape::Holds(value).plain()
    })
}

fn child(name: &str, object: Object) -> Child {
    Child {
        name: name.to_owned(),
        object,
    }
}

/// What `Rc` and `Arc` share.
struct Shared<'a> {
    strong: Object,
    weak: Object,
    view: View<'a>,
}

/// `Rc` or `Arc`: a pointer to two counts and the value, which may be of a size that is only known
/// from the pointer.
fn shared<'a>(looking: Looking<'a>, object: &Object) -> Result<Option<Shared<'a>>, Misfit> {
    let pointer = looking.uncoated(&looking.field(object, "ptr")?)?;
    let wide = looking.field(&pointer, "data_ptr").ok();
    let dynamic = looking.field(&pointer, "vtable").ok();
    let thin = match (&wide, &dynamic) {
        (Some(data), _) => data.clone(),
        (None, Some(_)) => looking.field(&pointer, "pointer")?,
        (None, None) => pointer.clone(),
    };
    let (address, inner) = looking.pointer(&thin)?;
    if address == u32::MAX || address == 0 {
        return Ok(None);
    }
    let (strong, weak, view) = if let Some(vtable) = dynamic {
        let concrete = Concrete::of(looking, &vtable)?;
        let before = (2 * POINTER_BYTES).next_multiple_of(concrete.align.max(1));
        let value = address.checked_add(before).ok_or(Misfit::Content)?;
        let count = |offset: u32| {
            let at = address.checked_add(offset).ok_or(Misfit::Content)?;
            looking.object_at(at, TypeId::WORD)
        };
        (
            count(0)?,
            count(POINTER_BYTES)?,
            concrete.view(looking, value)?,
        )
    } else {
        let mut inner = looking.object_at(address, inner)?;
        // A value of unknown size is beyond what the debug information takes for the record's end.
        inner.place = looking.place(address, inner.place.length().saturating_add(MAX_ALIGN));
        let value = looking.field_of(&inner, &["value", "data"])?;
        let view = match wide {
            None => Shape::Holds(value.clone()).plain(),
            Some(_) => {
                let count = looking.count(&looking.field(&pointer, "length")?)?;
                let start = value.place.address().ok_or(Misfit::Layout)?;
                match looking.name(&inner)?.ends_with("<str>") {
                    true => text(looking, start, count, value.ty)?,
                    false => in_a_row(looking, start, value.ty, count)?,
                }
            }
        };
        (
            looking.field(&inner, "strong")?,
            looking.field(&inner, "weak")?,
            view,
        )
    };
    Ok(Some(Shared { strong, weak, view }))
}

/// `Rc` and `Arc`, with a note if there are others that hold the value too.
pub(super) fn rc<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let shared = shared(looking, object)?.ok_or(Misfit::Content)?;
    let strong = looking.count(&shared.strong)?;
    // All strong ones together count as one weak one.
    let weak = looking.count(&shared.weak)?.checked_sub(1);
    let weak = weak.filter(|_| strong > 0).ok_or(Misfit::Content)?;
    let note = match (strong, weak) {
        (1, 0) => None,
        (_, 0) => Some(format!("{strong} strong")),
        _ => Some(format!("{strong} strong, {weak} weak")),
    };
    Ok(View {
        note,
        more: vec![child("strong", shared.strong), child("weak", shared.weak)],
        ..shared.view
    })
}

pub(super) fn weak<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let Some(shared) = shared(looking, object)? else {
        return Ok(Shape::Nothing("never held a value").plain());
    };
    if looking.count(&shared.strong)? == 0 {
        return Ok(Shape::Nothing("dropped").plain());
    }
    Ok(View {
        note: Some("weak".to_owned()),
        more: vec![child("strong", shared.strong), child("weak", shared.weak)],
        ..shared.view
    })
}

/// The type behind a `dyn Trait`, as the table of its functions tells.
struct Concrete {
    ty: TypeId,
    align: u32,
}

impl Concrete {
    fn of(looking: Looking<'_>, vtable: &Object) -> Result<Concrete, Misfit> {
        let (table, _) = looking.pointer(vtable)?;
        let types = looking.info.types();
        let ty = *types
            .vtables
            .get(&(looking.memory, table))
            .ok_or(Misfit::Type)?;
        // A table begins with how to drop the value, its size and its alignment.
        let word = |index: u32| {
            looking.word(
                table
                    .checked_add(index * POINTER_BYTES)
                    .ok_or(Misfit::Content)?,
            )
        };
        if types.size(ty) != Some(word(1)?) {
            return Err(Misfit::Content);
        }
        Ok(Concrete {
            ty,
            align: word(2)?,
        })
    }

    fn view<'a>(&self, looking: Looking<'a>, address: u32) -> Found<'a> {
        let value = looking.object_at(address, self.ty)?;
        looking.all_in_memory(address, 1, value.place.length())?;
        // Numbers and texts say what they are.
        let named = matches!(
            looking.info.types().resolve(self.ty),
            Some(Type::Record { path, .. }) if !path.is_empty()
        );
        Ok(View {
            label: named.then(|| looking.info.type_name(self.ty)),
            ..Shape::Holds(value).plain()
        })
    }
}

/// `&dyn Trait`, `Box<dyn Trait>`.
pub(super) fn dynamic<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let concrete = Concrete::of(looking, &looking.field(object, "vtable")?)?;
    let (address, _) = looking.pointer(&looking.field(object, "pointer")?)?;
    concrete.view(looking, address)
}

/// An end of a range. Only plain ones are written out: a hostile range could have itself as end.
fn shown(looking: Looking<'_>, object: &Object, field: &str) -> Result<String, Misfit> {
    let part = looking.field(object, field)?;
    if !matches!(
        looking.info.types().resolve(part.ty),
        Some(Type::Base { .. })
    ) {
        return Err(Misfit::Layout);
    }
    Ok(looking.info.show(&part, looking.state))
}

pub(super) fn range<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let (start, end) = (
        shown(looking, object, "start")?,
        shown(looking, object, "end")?,
    );
    Ok(Shape::Written(format!("{start}..{end}")).plain())
}

pub(super) fn range_inclusive<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let (start, end) = (
        shown(looking, object, "start")?,
        shown(looking, object, "end")?,
    );
    let exhausted = looking.number(&looking.field(object, "exhausted")?)? != 0;
    Ok(View {
        note: exhausted.then(|| "exhausted".to_owned()),
        ..Shape::Written(format!("{start}..={end}")).plain()
    })
}

pub(super) fn range_from<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    Ok(Shape::Written(format!("{}..", shown(looking, object, "start")?)).plain())
}

pub(super) fn range_to<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    Ok(Shape::Written(format!("..{}", shown(looking, object, "end")?)).plain())
}

/// A duration as Rust itself writes it.
pub(super) fn duration<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let seconds = looking.count(&looking.field(object, "secs")?)?;
    let nanoseconds = looking.count(&looking.field(object, "nanos")?)?;
    let nanoseconds = u32::try_from(nanoseconds)
        .ok()
        .filter(|&nanoseconds| nanoseconds < 1_000_000_000)
        .ok_or(Misfit::Content)?;
    let duration = std::time::Duration::new(seconds, nanoseconds);
    Ok(Shape::Written(format!("{duration:?}")).plain())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand_made::{field, info, pointer, record, words};
    use crate::place::ValuePlace;

    #[test]
    fn values_behind_counts_are_aligned_so_far() {
        for (align, value) in [(MAX_ALIGN - 1, Ok(())), (MAX_ALIGN, Err(Misfit::Layout))] {
            let slice = vec![
                field("data_ptr", TypeId(3), 0),
                field("length", TypeId::WORD, 4),
            ];
            let counted = vec![
                field("strong", TypeId::WORD, 0),
                field("weak", TypeId::WORD, 4),
                field("value", TypeId::BYTE, 8 + align),
            ];
            let info = info([
                record("alloc::rc", "Rc<[u8]>", 8, vec![field("ptr", TypeId(2), 0)]),
                record("", "*const RcInner<[u8]>", 8, slice),
                pointer(TypeId(4)),
                record("alloc::rc", "RcInner<[u8]>", 8, counted),
            ]);
            let mut memory = vec![8, 1, 1, 1];
            memory.resize(16 + MAX_ALIGN as usize, 0);
            let object = Object::new(TypeId(1), ValuePlace::memory(0, 0, 8));
            let state = words(memory);
            let found = info.view(&object, &state, 0).unwrap();
            assert_eq!(found.map(|_| ()), value);
        }
    }
}
