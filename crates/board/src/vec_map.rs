//! Small containers: maps that are cheap to clone.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

/// A map kept as a sorted vector: for a few dozen entries it is small, fast, and cloned by one allocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(
    bound(deserialize = "K: Deserialize<'de> + Ord, V: Deserialize<'de>"),
    try_from = "Vec<(K, V)>"
)]
pub struct VecMap<K, V>(Vec<(K, V)>);

/// What somebody says is no map before its keys are in order.
impl<K: Ord, V> TryFrom<Vec<(K, V)>> for VecMap<K, V> {
    type Error = &'static str;

    fn try_from(entries: Vec<(K, V)>) -> Result<Self, Self::Error> {
        match entries.is_sorted_by(|(a, _), (b, _)| a < b) {
            true => Ok(VecMap(entries)),
            false => Err("its keys are not in order"),
        }
    }
}

impl<K, V> Default for VecMap<K, V> {
    fn default() -> Self {
        VecMap(Vec::new())
    }
}

impl<K: Ord, V> VecMap<K, V> {
    /// An empty map.
    pub const fn new() -> Self {
        VecMap(Vec::new())
    }

    /// The value at `key`.
    pub fn get(&self, key: &K) -> Option<&V> {
        let i = self.0.binary_search_by(|(k, _)| k.cmp(key)).ok()?;
        self.0.get(i).map(|(_, v)| v)
    }

    /// Sets the value at `key`, or removes it.
    pub fn set(&mut self, key: K, value: Option<V>) {
        match (self.0.binary_search_by(|(k, _)| k.cmp(&key)), value) {
            (Ok(i), Some(v)) => self.0[i].1 = v,
            (Ok(i), None) => drop(self.0.remove(i)),
            (Err(i), Some(v)) => self.0.insert(i, (key, v)),
            (Err(_), None) => {}
        }
    }

    /// The entries in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = &(K, V)> + '_ {
        self.0.iter()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys at which two maps differ, in order, with what each side has.
    pub fn differences<'a>(
        &'a self,
        other: &'a Self,
    ) -> impl Iterator<Item = (&'a K, Option<&'a V>, Option<&'a V>)> + 'a
    where
        V: PartialEq,
    {
        let removed_or_changed = self.0.iter().filter_map(move |(k, v)| {
            let theirs = other.get(k);
            (theirs != Some(v)).then_some((k, Some(v), theirs))
        });
        let added = other
            .0
            .iter()
            .filter_map(move |(k, v)| self.get(k).is_none().then_some((k, None, Some(v))));
        removed_or_changed.chain(added)
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for VecMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = VecMap::new();
        for (k, v) in entries {
            map.set(k, Some(v));
        }
        map
    }
}
