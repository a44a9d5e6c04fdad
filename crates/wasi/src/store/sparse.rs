//! A persistent array with holes.

use super::cache::{Cache, Digest, Hasher};
use super::held::Held;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Slots of a node, as a power of two.
const BITS: u32 = 4;
const SLOTS: usize = 1 << BITS;

/// An array from 64-bit numbers to values, most of which may be missing. A clone shares everything; a change copies one
/// node a level.
///
/// The shape follows from the content alone: no more levels than the last value needs, no node without a value.
#[derive(Clone, Debug)]
pub(crate) struct Sparse<T> {
    /// Levels of branches above the leaves.
    height: u32,
    root: Option<Arc<Node<T>>>,
}

#[derive(Clone, Debug)]
struct Node<T> {
    digest: Cache,
    slots: Slots<T>,
}

#[derive(Clone, Debug)]
enum Slots<T> {
    Leaf([Option<T>; SLOTS]),
    Branch([Option<Arc<Node<T>>>; SLOTS]),
}

impl<T> Default for Sparse<T> {
    fn default() -> Sparse<T> {
        Sparse {
            height: 0,
            root: None,
        }
    }
}

impl<T> Node<T> {
    fn new(height: u32) -> Node<T> {
        Node {
            digest: Cache::default(),
            slots: if height == 0 {
                Slots::Leaf([const { None }; SLOTS])
            } else {
                Slots::Branch([const { None }; SLOTS])
            },
        }
    }

    fn is_empty(&self) -> bool {
        match &self.slots {
            Slots::Leaf(slots) => slots.iter().all(Option::is_none),
            Slots::Branch(slots) => slots.iter().all(Option::is_none),
        }
    }
}

/// The slot that leads to `index` in a node with `height` levels below it.
fn slot(index: u64, height: u32) -> usize {
    (index >> (height * BITS)) as usize & (SLOTS - 1)
}

/// True if an array of this height has a place for `index`.
fn reaches(height: u32, index: u64) -> bool {
    let bits = (height + 1) * BITS;
    bits >= u64::BITS || index >> bits == 0
}

impl<T> Sparse<T> {
    /// The value at `index`.
    pub(crate) fn get(&self, index: u64) -> Option<&T> {
        if !reaches(self.height, index) {
            return None;
        }
        let mut node = self.root.as_ref()?;
        let mut height = self.height;
        loop {
            match &node.slots {
                Slots::Leaf(slots) => return slots[slot(index, 0)].as_ref(),
                Slots::Branch(slots) => node = slots[slot(index, height)].as_ref()?,
            }
            height -= 1;
        }
    }

    /// All values with their indices, in order.
    pub(crate) fn for_each(&self, each: &mut impl FnMut(u64, &T)) {
        if let Some(root) = &self.root {
            visit(root, self.height, 0, each);
        }
    }
}

fn visit<T>(node: &Node<T>, height: u32, base: u64, each: &mut impl FnMut(u64, &T)) {
    match &node.slots {
        Slots::Leaf(slots) => {
            for (at, value) in slots.iter().enumerate() {
                if let Some(value) = value {
                    each(base + at as u64, value);
                }
            }
        }
        Slots::Branch(slots) => {
            for (at, below) in slots.iter().enumerate() {
                if let Some(below) = below {
                    visit(
                        below,
                        height - 1,
                        base + ((at as u64) << (height * BITS)),
                        each,
                    );
                }
            }
        }
    }
}

impl<T: Clone> Sparse<T> {
    /// Changes the value at `index`, or its absence.
    pub(crate) fn update(&mut self, index: u64, change: impl FnOnce(&mut Option<T>)) {
        while !reaches(self.height, index) {
            self.height += 1;
            if let Some(below) = self.root.take() {
                let mut node = Node::new(self.height);
                if let Slots::Branch(slots) = &mut node.slots {
                    slots[0] = Some(below);
                }
                self.root = Some(Arc::new(node));
            }
        }
        update(&mut self.root, self.height, index, change);
        self.shrink();
    }

    /// Sets the value at `index`.
    pub(crate) fn set(&mut self, index: u64, value: Option<T>) {
        self.update(index, |slot| *slot = value);
    }

    /// Drops everything from `index` on.
    pub(crate) fn truncate(&mut self, index: u64) {
        cut(&mut self.root, self.height, 0, index);
        self.shrink();
    }

    /// Takes away levels that only the first slot needs.
    fn shrink(&mut self) {
        while self.height > 0 {
            let below = match self.root.as_deref() {
                None => None,
                Some(Node {
                    slots: Slots::Branch(slots),
                    ..
                }) if slots[1..].iter().all(Option::is_none) => slots[0].clone(),
                Some(_) => return,
            };
            self.root = below;
            self.height -= 1;
        }
    }
}

fn update<T: Clone>(
    place: &mut Option<Arc<Node<T>>>,
    height: u32,
    index: u64,
    change: impl FnOnce(&mut Option<T>),
) {
    let node = Arc::make_mut(place.get_or_insert_with(|| Arc::new(Node::new(height))));
    node.digest.clear();
    let emptied = match &mut node.slots {
        Slots::Leaf(slots) => {
            let value = &mut slots[slot(index, 0)];
            change(value);
            value.is_none()
        }
        Slots::Branch(slots) => {
            let below = &mut slots[slot(index, height)];
            update(below, height - 1, index, change);
            below.is_none()
        }
    };
    if emptied && node.is_empty() {
        *place = None;
    }
}

/// Drops what lies at `index` and above from a node whose first value has the index `base`.
fn cut<T: Clone>(place: &mut Option<Arc<Node<T>>>, height: u32, base: u64, index: u64) {
    let Some(node) = place else { return };
    if base >= index {
        *place = None;
        return;
    }
    // The last index of the node, without overflow at the top.
    let bits = (height + 1) * BITS;
    if bits < u64::BITS && index - base >= 1 << bits {
        return;
    }
    let node = Arc::make_mut(node);
    node.digest.clear();
    match &mut node.slots {
        Slots::Leaf(slots) => {
            for (at, value) in slots.iter_mut().enumerate() {
                if base + at as u64 >= index {
                    *value = None;
                }
            }
        }
        Slots::Branch(slots) => {
            for (at, below) in slots.iter_mut().enumerate() {
                cut(
                    below,
                    height - 1,
                    base + ((at as u64) << (height * BITS)),
                    index,
                );
            }
        }
    }
    if node.is_empty() {
        *place = None;
    }
}

impl<T: PartialEq> PartialEq for Sparse<T> {
    fn eq(&self, other: &Sparse<T>) -> bool {
        self.height == other.height && same(self.root.as_ref(), other.root.as_ref())
    }
}

fn same<T: PartialEq>(one: Option<&Arc<Node<T>>>, other: Option<&Arc<Node<T>>>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            Arc::ptr_eq(one, other)
                || match (&one.slots, &other.slots) {
                    (Slots::Leaf(one), Slots::Leaf(other)) => one == other,
                    (Slots::Branch(one), Slots::Branch(other)) => one
                        .iter()
                        .zip(other)
                        .all(|(one, other)| same(one.as_ref(), other.as_ref())),
                    _ => false,
                }
        }
        _ => false,
    }
}

impl<T: PartialEq> Sparse<T> {
    /// The indices at which the two differ, in order, without looking into what they share; at most `most`.
    pub(crate) fn differing(&self, other: &Sparse<T>, most: usize) -> Vec<u64> {
        let mut found = Vec::new();
        if self.height == other.height {
            differing(
                self.root.as_deref(),
                other.root.as_deref(),
                self.height,
                0,
                most,
                &mut found,
            );
            return found;
        }
        // Of different heights: the shorter is the first part of the taller, so only few nodes could be shared.
        let mut indices = alloc::collections::BTreeSet::new();
        self.for_each(&mut |index, _| {
            indices.insert(index);
        });
        other.for_each(&mut |index, _| {
            indices.insert(index);
        });
        found.extend(
            indices
                .into_iter()
                .filter(|&index| self.get(index) != other.get(index))
                .take(most),
        );
        found
    }
}

fn differing<T: PartialEq>(
    one: Option<&Node<T>>,
    other: Option<&Node<T>>,
    height: u32,
    base: u64,
    most: usize,
    found: &mut Vec<u64>,
) {
    let same_node = match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => core::ptr::eq(one, other),
        _ => false,
    };
    if same_node {
        return;
    }
    for at in 0..SLOTS {
        if found.len() >= most {
            return;
        }
        let base = base + ((at as u64) << (height * BITS));
        if height == 0 {
            if leaf(one, at) != leaf(other, at) {
                found.push(base);
            }
        } else {
            differing(
                branch(one, at),
                branch(other, at),
                height - 1,
                base,
                most,
                found,
            );
        }
    }
}

fn leaf<T>(node: Option<&Node<T>>, at: usize) -> Option<&T> {
    match &node?.slots {
        Slots::Leaf(slots) => slots[at].as_ref(),
        Slots::Branch(_) => None,
    }
}

fn branch<T>(node: Option<&Node<T>>, at: usize) -> Option<&Node<T>> {
    match &node?.slots {
        Slots::Leaf(_) => None,
        Slots::Branch(slots) => slots[at].as_deref(),
    }
}

impl<T: Digest> Digest for Sparse<T> {
    fn digest(&self) -> u64 {
        self.root.as_ref().map_or(1, |root| root.digest())
    }
}

impl<T: Digest> Digest for Node<T> {
    fn digest(&self) -> u64 {
        self.digest.get(|| {
            let mut hasher = Hasher::default();
            match &self.slots {
                Slots::Leaf(slots) => {
                    for value in slots {
                        hasher.word(value.as_ref().map_or(0, Digest::digest));
                    }
                }
                Slots::Branch(slots) => {
                    for below in slots {
                        hasher.word(below.as_ref().map_or(0, |below| below.digest()));
                    }
                }
            }
            hasher.finish()
        })
    }
}

impl<T: Held> Held for Sparse<T> {
    fn pieces(&self, visit: &mut dyn FnMut(usize, usize) -> bool) {
        if let Some(root) = &self.root {
            root.pieces(visit);
        }
    }

    fn beyond(&self, other: Option<&Sparse<T>>) -> usize {
        let same_height = other.filter(|other| other.height == self.height);
        let other = same_height.and_then(|other| other.root.as_ref());
        self.root.as_ref().map_or(0, |root| root.beyond(other))
    }
}

impl<T: Held> Held for Arc<Node<T>> {
    fn pieces(&self, visit: &mut dyn FnMut(usize, usize) -> bool) {
        if !visit(Arc::as_ptr(self) as usize, size_of::<Node<T>>()) {
            return;
        }
        match &self.slots {
            Slots::Leaf(slots) => slots.iter().flatten().for_each(|value| value.pieces(visit)),
            Slots::Branch(slots) => slots.iter().flatten().for_each(|node| node.pieces(visit)),
        }
    }

    fn beyond(&self, other: Option<&Arc<Node<T>>>) -> usize {
        if other.is_some_and(|other| Arc::ptr_eq(self, other)) {
            return 0;
        }
        let below: usize = match (&self.slots, other.map(|other| &other.slots)) {
            (Slots::Leaf(slots), Some(Slots::Leaf(others))) => beyond_slots(slots, Some(others)),
            (Slots::Branch(slots), Some(Slots::Branch(others))) => {
                beyond_slots(slots, Some(others))
            }
            (Slots::Leaf(slots), _) => beyond_slots(slots, None),
            (Slots::Branch(slots), _) => beyond_slots(slots, None),
        };
        size_of::<Node<T>>() + below
    }
}

fn beyond_slots<V: Held>(slots: &[Option<V>; SLOTS], others: Option<&[Option<V>; SLOTS]>) -> usize {
    let slots = slots.iter().enumerate();
    let values = slots.filter_map(|(at, value)| Some((at, value.as_ref()?)));
    values
        .map(|(at, value)| value.beyond(others.and_then(|others| others[at].as_ref())))
        .sum()
}
