//! Which types are shown by what they hold.

use super::{Found, Looking, cpp, cpp_nodes, rust, rust_maps};
use crate::types::{Type, TypeId, Types};
use crate::variables::Object;

/// Finds what a value is to a person.
pub(super) type Row = for<'a> fn(Looking<'a>, &Object) -> Found<'a>;

/// Where a type is, its name up to its arguments, how to find what it holds.
///
/// A place is the beginning of a path: libraries move types to inner modules, and libc++ keeps its
/// versions apart by them.
const TABLE: &[(&str, &str, Row)] = &[
    // Rust: sequences and texts.
    ("alloc::vec", "Vec", rust::vec),
    ("alloc::collections", "VecDeque", rust::vec_deque),
    ("alloc::collections", "LinkedList", rust_maps::linked_list),
    ("alloc::collections", "BinaryHeap", rust::newtype),
    ("alloc::string", "String", rust::string),
    ("std::path", "PathBuf", rust::string),
    ("std::ffi::os_str", "OsString", rust::string),
    // Rust: maps and sets.
    ("std::collections", "HashMap", rust_maps::hash_map),
    ("std::collections", "HashSet", rust_maps::hash_set),
    ("hashbrown::map", "HashMap", rust_maps::hash_map),
    ("hashbrown::set", "HashSet", rust_maps::hash_set),
    ("alloc::collections", "BTreeMap", rust_maps::btree_map),
    ("alloc::collections", "BTreeSet", rust_maps::btree_set),
    // Rust: wrappers.
    ("alloc::rc", "Rc", rust::rc),
    ("alloc::sync", "Arc", rust::rc),
    ("alloc::rc", "Weak", rust::weak),
    ("alloc::sync", "Weak", rust::weak),
    ("core::cell", "Cell", rust::newtype),
    ("core::cell", "UnsafeCell", rust::newtype),
    ("core::cell", "RefCell", rust::ref_cell),
    ("core::cell::once", "OnceCell", rust::newtype),
    ("core::mem::manually_drop", "ManuallyDrop", rust::newtype),
    ("core::mem::maybe_dangling", "MaybeDangling", rust::newtype),
    ("core::num", "Wrapping", rust::newtype),
    ("core::num", "Saturating", rust::newtype),
    ("core::num", "NonZero", rust::number),
    ("core::num", "NonZeroU8", rust::number),
    ("core::num", "NonZeroU16", rust::number),
    ("core::num", "NonZeroU32", rust::number),
    ("core::num", "NonZeroU64", rust::number),
    ("core::num", "NonZeroUsize", rust::number),
    ("core::num", "NonZeroI8", rust::number),
    ("core::num", "NonZeroI16", rust::number),
    ("core::num", "NonZeroI32", rust::number),
    ("core::num", "NonZeroI64", rust::number),
    ("core::num", "NonZeroIsize", rust::number),
    ("core::sync::atomic", "Atomic", rust::newtype),
    ("core::sync::atomic", "AtomicBool", rust::newtype),
    ("core::sync::atomic", "AtomicI8", rust::newtype),
    ("core::sync::atomic", "AtomicU8", rust::newtype),
    ("core::sync::atomic", "AtomicI16", rust::newtype),
    ("core::sync::atomic", "AtomicU16", rust::newtype),
    ("core::sync::atomic", "AtomicI32", rust::newtype),
    ("core::sync::atomic", "AtomicU32", rust::newtype),
    ("core::sync::atomic", "AtomicI64", rust::newtype),
    ("core::sync::atomic", "AtomicU64", rust::newtype),
    ("core::sync::atomic", "AtomicIsize", rust::newtype),
    ("core::sync::atomic", "AtomicUsize", rust::newtype),
    ("core::pin", "Pin", rust::newtype),
    ("core::cmp", "Reverse", rust::newtype),
    ("std::sync", "Mutex", rust::mutex),
    ("std::sync", "RwLock", rust::rw_lock),
    // Rust: what has a notation of its own.
    ("core::ops::range", "Range", rust::range),
    ("core::ops::range", "RangeInclusive", rust::range_inclusive),
    ("core::ops::range", "RangeFrom", rust::range_from),
    ("core::ops::range", "RangeTo", rust::range_to),
    ("core::time", "Duration", rust::duration),
    // C++: sequences and texts.
    ("std", "vector", cpp::vector),
    ("std", "array", cpp::array),
    ("std", "deque", cpp::deque),
    ("std", "list", cpp_nodes::list),
    ("std", "forward_list", cpp_nodes::forward_list),
    ("std", "initializer_list", cpp::initializer_list),
    ("std", "span", cpp::span),
    ("std", "basic_string", cpp::string),
    ("std", "basic_string_view", cpp::string_view),
    // C++: maps and sets.
    ("std", "map", cpp_nodes::map),
    ("std", "multimap", cpp_nodes::map),
    ("std", "set", cpp_nodes::set),
    ("std", "multiset", cpp_nodes::set),
    ("std", "unordered_map", cpp_nodes::unordered_map),
    ("std", "unordered_multimap", cpp_nodes::unordered_map),
    ("std", "unordered_set", cpp_nodes::unordered_set),
    ("std", "unordered_multiset", cpp_nodes::unordered_set),
    // C++: wrappers.
    ("std", "unique_ptr", cpp::unique_ptr),
    ("std", "shared_ptr", cpp::shared_ptr),
    ("std", "weak_ptr", cpp::weak_ptr),
    ("std", "optional", cpp::optional),
    ("std", "variant", cpp::variant),
    ("std", "atomic", cpp::atomic),
    ("std", "reference_wrapper", cpp::reference_wrapper),
    ("std", "pair", cpp::pair),
    ("std", "tuple", cpp::tuple),
];

/// The row for a type, if there is one.
pub(super) fn row(types: &Types, ty: TypeId) -> Option<Row> {
    match types.resolve(ty)? {
        // Rust's references, and its boxes of values whose size is known.
        Type::Pointer {
            name: Some(name),
            reference: false,
            ..
        } if is_rust_reference(name) => Some(rust::reference),
        Type::Record { name, path, .. } if path.is_empty() => wide_pointer(name),
        Type::Record { name, path, .. } => {
            let stem = name.split('<').next().unwrap_or(name);
            let answers =
                |(place, wanted, _): &&(&str, &str, Row)| *wanted == stem && lies_in(path, place);
            TABLE.iter().find(answers).map(|(_, _, row)| *row)
        }
        _ => None,
    }
}

fn is_rust_reference(name: &str) -> bool {
    name.starts_with('&') || name.starts_with("alloc::boxed::Box<")
}

/// Rust's pointers that know a length or a type besides the address.
fn wide_pointer(name: &str) -> Option<Row> {
    let to = ["&mut ", "&", "*const ", "*mut ", "alloc::boxed::Box<"]
        .iter()
        .find_map(|sign| name.strip_prefix(sign))?;
    if to.starts_with("dyn ") || to.starts_with("(dyn ") {
        return Some(rust::dynamic);
    }
    let text = to == "str" || to.starts_with("str,") || to.starts_with("str>");
    (text || to.starts_with('[')).then_some(rust::slice as Row)
}

/// True if the path begins with the place, and what follows is one more name.
fn lies_in(path: &str, place: &str) -> bool {
    path.strip_prefix(place)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_whole_names() {
        assert!(lies_in("alloc::vec", "alloc::vec"));
        assert!(lies_in("std::__1", "std"));
        assert!(!lies_in("alloc::vec_deque", "alloc::vec"));
        assert!(!lies_in("stdlib", "std"));
        assert!(!lies_in("", "std"));
    }

    #[test]
    fn wide_pointers_go_by_what_they_point_to() {
        for name in [
            "&str",
            "&mut [u8]",
            "*const [i32]",
            "alloc::boxed::Box<[u32], alloc::alloc::Global>",
            "alloc::boxed::Box<str, alloc::alloc::Global>",
            "&dyn values::Shape",
            "&(dyn values::Shape + core::marker::Send)",
        ] {
            assert!(wide_pointer(name).is_some(), "{name}");
        }
        for name in [
            "&values::Header<[u8]>",
            "&string",
            "*const alloc::rc::RcInner<[u16]>",
            "(u8, u8)",
        ] {
            assert!(wide_pointer(name).is_none(), "{name}");
        }
    }
}
