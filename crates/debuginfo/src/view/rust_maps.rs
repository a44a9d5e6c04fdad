//! Rust's maps, sets and linked lists.

use super::{Found, Looking, MAX_WRAPPERS, Misfit, Shape};
use crate::types::{POINTER_BYTES, Type, TypeId};
use crate::variables::Object;

/// Buckets of a hash map that are read at once.
const GROUP: u32 = 1 << 12;

/// Highest tree: each level has at least five times as many nodes as the one above.
const MAX_HEIGHT: u64 = 16;

/// Keys that a node of a tree can have, fixed since Rust 1.0.
const NODE_CAPACITY: u64 = 11;

/// `HashMap`: control bytes, one for each bucket, of which the highest bit is clear where the
/// bucket is full; the buckets lie before them, the first one last (hashbrown, since 1.36).
pub(super) fn hash_map<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let (count, pairs) = pairs(looking, object)?;
    let at = Box::new(move |index: u64| {
        let pair = pairs.get(usize::try_from(index).ok()?)?;
        halves(looking, pair)
    });
    Ok(Shape::Map { count, at }.plain())
}

pub(super) fn hash_set<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let (count, pairs) = pairs(looking, object)?;
    let at = Box::new(move |index: u64| {
        let pair = pairs.get(usize::try_from(index).ok()?)?;
        looking.field(pair, "__0").ok()
    });
    Ok(Shape::Set { count, at }.plain())
}

/// Key and value of a tuple.
fn halves(looking: Looking<'_>, pair: &Object) -> Option<(Object, Object)> {
    let half = |name| looking.field(pair, name).ok();
    Some((half("__0")?, half("__1")?))
}

/// How many pairs a hash table has, and the first of them.
fn pairs(looking: Looking<'_>, object: &Object) -> Result<(u64, Vec<Object>), Misfit> {
    let mut table = object.clone();
    // The standard library's types are around hashbrown's, and a set is around a map.
    for name in ["base", "map"] {
        table = looking.field(&table, name).unwrap_or(table);
    }
    let table = looking.field(&table, "table")?;
    let pair = looking.argument(&table, 0)?;
    // Before Rust 1.49 there was no inner record.
    let raw = looking.field(&table, "table").unwrap_or(table);
    let number = |name| looking.count(&looking.field(&raw, name)?);
    let (control, _) = looking.pointer(&looking.field(&raw, "ctrl")?)?;
    let buckets = number("bucket_mask")?
        .checked_add(1)
        .ok_or(Misfit::Content)?;
    let count = number("items")?;
    let size = looking.size(pair)?;
    let below = buckets.checked_mul(size.into()).ok_or(Misfit::Content)?;
    // A table without buckets points to control bytes that all tables without buckets share.
    if !buckets.is_power_of_two() || count > buckets || (count > 0 && below > u64::from(control)) {
        return Err(Misfit::Content);
    }
    looking.all_in_memory(control, buckets, 1)?;
    let mut pairs = Vec::new();
    let mut full = 0;
    let mut bucket = 0;
    while bucket < buckets && full < count && (pairs.len() as u64) < looking.need {
        let length = (buckets - bucket).min(GROUP.into()) as u32;
        let start = u32::try_from(bucket)
            .ok()
            .and_then(|bucket| control.checked_add(bucket));
        let bytes = looking
            .place(start.ok_or(Misfit::Content)?, length)
            .read(looking.state)?;
        for byte in bytes {
            bucket += 1;
            if byte & 0x80 == 0 {
                full += 1;
                let offset =
                    u32::try_from(bucket * u64::from(size)).map_err(|_| Misfit::Content)?;
                let address = control.checked_sub(offset).ok_or(Misfit::Content)?;
                pairs.push(looking.object_at(address, pair)?);
            }
        }
    }
    if full > count || (bucket == buckets && full != count) {
        return Err(Misfit::Content);
    }
    Ok((count, pairs))
}

/// `BTreeMap`: the keys of a node and the children between them, in order.
pub(super) fn btree_map<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let (count, entries) = leaves(looking, object)?;
    let at = Box::new(move |index: u64| entries.get(usize::try_from(index).ok()?).cloned());
    Ok(Shape::Map { count, at }.plain())
}

pub(super) fn btree_set<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let (count, entries) = leaves(looking, &looking.field(object, "map")?)?;
    let at = Box::new(move |index: u64| {
        let (key, _) = entries.get(usize::try_from(index).ok()?)?;
        Some(key.clone())
    });
    Ok(Shape::Set { count, at }.plain())
}

type Entries = Vec<(Object, Object)>;

fn leaves(looking: Looking<'_>, map: &Object) -> Result<(u64, Entries), Misfit> {
    let count = looking.count(&looking.field(map, "length")?)?;
    let mut entries = Vec::new();
    if count == 0 {
        return Ok((0, entries));
    }
    let (key, value) = (looking.argument(map, 0)?, looking.argument(map, 1)?);
    let root = some(looking, &looking.field(map, "root")?)?;
    let height = looking.count(&looking.field(&root, "height")?)?;
    let (address, leaf) = looking.pointer(&looking.field(&root, "node")?)?;
    if height > MAX_HEIGHT {
        return Err(Misfit::Content);
    }
    let mut tree = Tree {
        looking,
        key,
        value,
        leaf,
        until: looking.need.min(count),
        entries: Vec::new(),
    };
    tree.node(address, height)?;
    entries.append(&mut tree.entries);
    // All of a tree has been seen, and it must be what its length says.
    if (entries.len() as u64) < looking.need.min(count) {
        return Err(Misfit::Content);
    }
    Ok((count, entries))
}

struct Tree<'a> {
    looking: Looking<'a>,
    key: TypeId,
    value: TypeId,
    leaf: TypeId,
    until: u64,
    entries: Entries,
}

impl Tree<'_> {
    fn node(&mut self, address: u32, height: u64) -> Result<(), Misfit> {
        let looking = self.looking;
        let leaf = looking.object_at(address, self.leaf)?;
        let count = looking.count(&looking.field(&leaf, "len")?)?;
        // Only the root of a tree without keys has none, and such a tree is not walked.
        if count == 0 || count > NODE_CAPACITY {
            return Err(Misfit::Content);
        }
        let (keys, values) = (looking.field(&leaf, "keys")?, looking.field(&leaf, "vals")?);
        for index in 0..=count {
            if self.entries.len() as u64 >= self.until {
                return Ok(());
            }
            if let Some(height) = height.checked_sub(1) {
                let child = self.child(&leaf, address, index)?;
                self.node(child, height)?;
            }
            if index < count {
                let key = slot(looking, &keys, self.key, index)?;
                let value = slot(looking, &values, self.value, index)?;
                self.entries.push((key, value));
            }
        }
        Ok(())
    }

    /// The address of a child: an inner node is a leaf with edges behind it.
    fn child(&self, leaf: &Object, address: u32, index: u64) -> Result<u32, Misfit> {
        let looking = self.looking;
        // What an inner node is, the leaf's pointer to its parent tells.
        let parent = looking.field(leaf, "parent")?;
        let inner = pointee(looking, parent.ty)?;
        let inner = looking.object_at(address, inner)?;
        // The leaf must be the beginning of the inner node: both were read at one address.
        if looking.field(&inner, "data")?.place.address() != Some(address) {
            return Err(Misfit::Layout);
        }
        let edges = looking.field(&inner, "edges")?;
        let edges_start = edges.place.address().ok_or(Misfit::Layout)?;
        if edges.place.length() != (NODE_CAPACITY as u32 + 1) * POINTER_BYTES {
            return Err(Misfit::Layout);
        }
        let edge = edges_start.checked_add(index as u32 * POINTER_BYTES);
        looking.word(edge.ok_or(Misfit::Content)?)
    }
}

/// The type that an optional pointer points to.
fn pointee(looking: Looking<'_>, mut ty: TypeId) -> Result<TypeId, Misfit> {
    let types = looking.info.types();
    for _ in 0..MAX_WRAPPERS {
        let Some(Type::Record {
            fields, variants, ..
        }) = types.resolve(ty)
        else {
            break;
        };
        let alternatives = variants.iter().flat_map(|variants| &variants.variants);
        let some = alternatives
            .filter_map(|variant| variant.field.as_ref())
            .find(|field| &*field.name == "Some");
        ty = some.or(fields.first()).ok_or(Misfit::Layout)?.ty;
    }
    match types.resolve(ty) {
        Some(Type::Pointer { to, .. }) => Ok(*to),
        _ => Err(Misfit::Layout),
    }
}

/// One of the keys or values of a node: eleven that may or may not be initialized.
fn slot(looking: Looking<'_>, slots: &Object, ty: TypeId, index: u64) -> Result<Object, Misfit> {
    let size = looking.size(ty)?;
    if slots.place.length() != NODE_CAPACITY as u32 * size {
        return Err(Misfit::Layout);
    }
    Ok(Object::new(ty, slots.place.part(index as u32 * size, size)))
}

/// What is in an `Option` that must have something.
fn some(looking: Looking<'_>, option: &Object) -> Result<Object, Misfit> {
    let Some(Type::Record {
        variants: Some(variants),
        ..
    }) = looking.info.types().resolve(option.ty)
    else {
        return Err(Misfit::Layout);
    };
    match looking.info.variant(option, variants, looking.state)? {
        Some(field) if &*field.name == "Some" => {
            looking.field(&looking.info.field(option, field), "__0")
        }
        _ => Err(Misfit::Content),
    }
}

/// `LinkedList`: nodes from the head on.
pub(super) fn linked_list<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let count = looking.count(&looking.field(object, "len")?)?;
    let mut next = looking.field(object, "head")?;
    let mut elements = Vec::new();
    while (elements.len() as u64) < count.min(looking.need) {
        let node = some(looking, &next)?;
        let (address, ty) = looking.pointer(&node)?;
        let node = looking.object_at(address, ty)?;
        elements.push(looking.field(&node, "element")?);
        next = looking.field(&node, "next")?;
    }
    let at = Box::new(move |index: u64| elements.get(usize::try_from(index).ok()?).cloned());
    Ok(Shape::Sequence { count, at }.plain())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand_made::{array, field, info, of_types, pointer, record, words};
    use crate::place::ValuePlace;
    use crate::types::{Variant, Variants};

    /// A `BTreeMap` of so many entries; its root and the nodes below are one node with so many keys.
    fn shown(count: u32, height: u32, keys: u32) -> String {
        let mut option = record("core::option", "Option<>", 8, Vec::new());
        if let Type::Record { variants, .. } = &mut option {
            *variants = Some(Variants {
                discriminant: None,
                variants: vec![Variant {
                    values: Vec::new(),
                    field: Some(field("Some", TypeId(3), 0)),
                }],
            });
        }
        let map = vec![
            field("length", TypeId::WORD, 0),
            field("root", TypeId(2), 4),
        ];
        let map = record("alloc::collections::btree::map", "BTreeMap<>", 12, map);
        let root = vec![
            field("height", TypeId::WORD, 0),
            field("node", TypeId(5), 4),
        ];
        let leaf = vec![
            field("parent", TypeId(8), 0),
            field("len", TypeId::WORD, 4),
            field("keys", TypeId(7), 8),
            field("vals", TypeId(7), 52),
        ];
        let inner = vec![field("data", TypeId(6), 0), field("edges", TypeId(10), 96)];
        let info = info([
            of_types(map, &[TypeId::WORD, TypeId::WORD]),
            option,
            record("", "Some", 8, vec![field("__0", TypeId(4), 0)]),
            record("", "NodeRef<>", 8, root),
            pointer(TypeId(6)),
            record("", "LeafNode<>", 96, leaf),
            array(TypeId::WORD, NODE_CAPACITY),
            pointer(TypeId(9)),
            record("", "InternalNode<>", 144, inner),
            array(TypeId::WORD, NODE_CAPACITY + 1),
        ]);
        let mut memory = vec![count, height, 12, 0, keys];
        memory.extend([7; 2 * NODE_CAPACITY as usize]);
        memory.extend([12; NODE_CAPACITY as usize + 1]);
        let object = Object::new(TypeId(1), ValuePlace::memory(0, 0, 12));
        info.show(&object, &words(memory))
    }

    #[test]
    fn trees_have_a_height_and_nodes_have_room() {
        let (height, keys) = (MAX_HEIGHT as u32, NODE_CAPACITY as u32);
        let damaged = "(raw: not initialized, or damaged)";
        for (count, height, keys, text) in [
            (1, height, 1, "{7: 7}"),
            (1, height + 1, 1, damaged),
            (keys, 0, keys, "{7: 7, 7: 7"),
            (keys + 1, 0, keys + 1, damaged),
        ] {
            let found = shown(count, height, keys);
            assert!(
                found.contains(text),
                "height {height}, {keys} keys: {found}"
            );
        }
    }
}
