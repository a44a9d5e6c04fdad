//! C++'s maps, sets and lists: nodes that point to each other, as libc++ has them.

use super::cpp::{first_of_pair, squeezed};
use super::{Found, Looking, Misfit, Shape};
use crate::place::Unavailable;
use crate::types::TypeId;
use crate::variables::Object;

/// Highest red-black tree that fits into memory.
const MAX_HEIGHT: usize = 64;

/// Nodes of a list without a count that are looked at; a list that goes in a circle has no end.
const MAX_NODES: u64 = 1 << 16;

pub(super) fn map<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let (count, values) = in_order(looking, object)?;
    entries(looking, count, values)
}

pub(super) fn set<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let (count, values) = in_order(looking, object)?;
    Ok(elements(count, values, true))
}

pub(super) fn unordered_map<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let (count, values) = hashed(looking, object)?;
    entries(looking, count, values)
}

pub(super) fn unordered_set<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let (count, values) = hashed(looking, object)?;
    Ok(elements(count, values, true))
}

fn elements<'a>(count: u64, values: Vec<Object>, is_set: bool) -> super::View<'a> {
    let at = Box::new(move |index: u64| values.get(usize::try_from(index).ok()?).cloned());
    match is_set {
        true => Shape::Set { count, at }.plain(),
        false => Shape::Sequence { count, at }.plain(),
    }
}

/// Pairs as keys and values.
fn entries<'a>(looking: Looking<'a>, count: u64, pairs: Vec<Object>) -> Found<'a> {
    // A layout that does not fit must be noticed before the first pair is asked for.
    let halves = |pair: &Object| -> Result<(Object, Object), Misfit> {
        // Around the pair of a map's node there is a union or record with one name or another.
        let pair = match looking.field_of(pair, &["__cc_", "__cc"]) {
            Ok(inner) => inner,
            Err(_) => pair.clone(),
        };
        Ok((
            looking.field(&pair, "first")?,
            looking.field(&pair, "second")?,
        ))
    };
    let entries = pairs.iter().map(halves).collect::<Result<Vec<_>, _>>()?;
    let at = Box::new(move |index: u64| entries.get(usize::try_from(index).ok()?).cloned());
    Ok(Shape::Map { count, at }.plain())
}

/// The type of the nodes of a container: no field points to it, so it goes by what it holds.
fn node_type(looking: Looking<'_>, template: &'static str, held: TypeId) -> Result<TypeId, Misfit> {
    let types = looking.info.types();
    types.node(template, types.bare(held)).ok_or(Misfit::Layout)
}

/// Values of a tree, smallest first.
fn in_order(looking: Looking<'_>, object: &Object) -> Result<(u64, Vec<Object>), Misfit> {
    let tree = looking.field(object, "__tree_")?;
    let count = looking.count(&squeezed(looking, &tree, &["__pair3_", "__size_"])?)?;
    let mut values = Vec::new();
    if count == 0 || looking.need == 0 {
        return Ok((count, values));
    }
    let node = node_type(looking, "__tree_node", looking.argument(&tree, 0)?)?;
    let end = squeezed(looking, &tree, &["__pair1_", "__end_node_"])?;
    let link = |at: u32, name: &str| -> Result<u32, Misfit> {
        let node = looking.object_at(at, node)?;
        Ok(looking.pointer(&looking.field(&node, name)?)?.0)
    };
    let (mut next, _) = looking.pointer(&looking.field(&end, "__left_")?)?;
    let mut above: Vec<u32> = Vec::new();
    while (values.len() as u64) < count.min(looking.need) {
        while next != 0 {
            if above.len() >= MAX_HEIGHT {
                return Err(Misfit::Content);
            }
            above.push(next);
            next = link(next, "__left_")?;
        }
        let at = above.pop().ok_or(Misfit::Content)?;
        values.push(looking.field(&looking.object_at(at, node)?, "__value_")?);
        next = link(at, "__right_")?;
    }
    if values.len() as u64 == count && (next != 0 || !above.is_empty()) {
        return Err(Misfit::Content);
    }
    Ok((count, values))
}

/// Values of a hash table: one list through all its buckets.
fn hashed(looking: Looking<'_>, object: &Object) -> Result<(u64, Vec<Object>), Misfit> {
    let table = looking.field(object, "__table_")?;
    let count = looking.count(&squeezed(looking, &table, &["__p2_", "__size_"])?)?;
    let first = squeezed(looking, &table, &["__p1_", "__first_node_"])?;
    let node = || node_type(looking, "__hash_node", looking.argument(&table, 0)?);
    let values = listed(looking, &first, count, node)?;
    Ok((count, values))
}

/// Values of a list that ends with null: the count is that of its nodes.
fn listed(
    looking: Looking<'_>,
    before_first: &Object,
    count: u64,
    node: impl Fn() -> Result<TypeId, Misfit>,
) -> Result<Vec<Object>, Misfit> {
    let mut values = Vec::new();
    let (mut next, _) = looking.pointer(&looking.field(before_first, "__next_")?)?;
    while (values.len() as u64) < count.min(looking.need) {
        if next == 0 {
            return Err(Misfit::Content);
        }
        let at = looking.object_at(next, node()?)?;
        values.push(looking.field(&at, "__value_")?);
        next = looking.pointer(&looking.field(&at, "__next_")?)?.0;
    }
    if values.len() as u64 == count && next != 0 {
        return Err(Misfit::Content);
    }
    Ok(values)
}

/// `list`: a ring of nodes through the list itself.
pub(super) fn list<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let held = looking.argument(object, 0)?;
    let count = looking.count(&squeezed(looking, object, &["__size_alloc_", "__size_"])?)?;
    let end = looking.field(object, "__end_")?;
    let end_at = end.place.address().ok_or(Misfit::Layout)?;
    let (mut next, _) = looking.pointer(&looking.field(&end, "__next_")?)?;
    let mut values = Vec::new();
    while (values.len() as u64) < count.min(looking.need) {
        if next == end_at || next == 0 {
            return Err(Misfit::Content);
        }
        let at = looking.object_at(next, node_type(looking, "__list_node", held)?)?;
        values.push(looking.field(&at, "__value_")?);
        next = looking.pointer(&looking.field(&at, "__next_")?)?.0;
    }
    if values.len() as u64 == count && next != end_at {
        return Err(Misfit::Content);
    }
    Ok(elements(count, values, false))
}

/// `forward_list`: it knows no count, so it is walked until it ends.
pub(super) fn forward_list<'a>(looking: Looking<'a>, object: &Object) -> Found<'a> {
    let held = looking.argument(object, 0)?;
    let before = first_of_pair(looking, &looking.field(object, "__before_begin_")?)?;
    let (mut next, _) = looking.pointer(&looking.field(&before, "__next_")?)?;
    let mut values = Vec::new();
    while next != 0 {
        if values.len() as u64 >= MAX_NODES {
            return Err(Unavailable::TooLarge.into());
        }
        let at = looking.object_at(next, node_type(looking, "__forward_list_node", held)?)?;
        values.push(looking.field(&at, "__value_")?);
        next = looking.pointer(&looking.field(&at, "__next_")?)?.0;
    }
    Ok(elements(values.len() as u64, values, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand_made::{field, info, of_types, pointer, record, words};
    use crate::place::ValuePlace;

    #[test]
    fn trees_are_walked_up_to_a_height() {
        let words_of = |names: &[&str]| {
            let fields = (0..).step_by(4).zip(names);
            fields
                .map(|(at, name)| field(name, TypeId(4), at))
                .collect()
        };
        let tree = vec![
            field("__end_node_", TypeId(3), 0),
            field("__size_", TypeId::WORD, 4),
        ];
        let mut node: Vec<_> = words_of(&["__left_", "__right_"]);
        node.push(field("__value_", TypeId::WORD, 8));
        let info = info([
            record("std", "set<>", 8, vec![field("__tree_", TypeId(2), 0)]),
            of_types(record("std", "__tree<>", 8, tree), &[TypeId::WORD]),
            record("std", "__tree_end_node", 4, words_of(&["__left_"])),
            pointer(TypeId::VOID),
            of_types(record("std", "__tree_node<>", 12, node), &[TypeId::WORD]),
        ]);
        let object = Object::new(TypeId(1), ValuePlace::memory(0, 0, 8));
        for (height, shown) in [(MAX_HEIGHT, true), (MAX_HEIGHT + 1, false)] {
            // Each node is the left one of the node before it.
            let mut memory = vec![8, height as u32];
            for number in 1..=height as u32 {
                let next = if number == height as u32 {
                    0
                } else {
                    8 + 12 * number
                };
                memory.extend([next, 0, 7]);
            }
            let text = info.show(&object, &words(memory));
            match shown {
                true => assert!(text.starts_with("{7, 7, 7"), "{text}"),
                false => assert!(
                    text.ends_with("(raw: not initialized, or damaged)"),
                    "{text}"
                ),
            }
        }
    }

    #[test]
    fn a_list_without_a_count_has_so_many_nodes() {
        let link = || field("__next_", TypeId(3), 0);
        let node = vec![link(), field("__value_", TypeId::WORD, 4)];
        let list = vec![field("__before_begin_", TypeId(2), 0)];
        let info = info([
            of_types(record("std", "forward_list<>", 4, list), &[TypeId::WORD]),
            record("std", "__begin_node_of", 4, vec![link()]),
            pointer(TypeId::VOID),
            of_types(
                record("std", "__forward_list_node<>", 8, node),
                &[TypeId::WORD],
            ),
        ]);
        let object = Object::new(TypeId(1), ValuePlace::memory(0, 0, 4));
        for (count, found, shown) in [
            (MAX_NODES, MAX_NODES, "[7, 7, 7"),
            (MAX_NODES + 1, 1, "<too large>"),
        ] {
            let mut memory = vec![4];
            for number in 1..=count as u32 {
                memory.extend([
                    if number == count as u32 {
                        0
                    } else {
                        4 + 8 * number
                    },
                    7,
                ]);
            }
            let state = words(memory);
            // Without its elements, a list has its one field.
            assert_eq!(info.child_count(&object, &state), found);
            let text = info.show(&object, &state);
            assert!(text.starts_with(shown), "{text}");
        }
    }
}
