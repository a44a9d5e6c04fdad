//! Who touched what, found by resource: a step is held against those before it that touched the same, not against all.

use std::collections::{BTreeMap, BTreeSet};

use crate::language::{Reach, Touchable};

/// What happened to a resource between two changes of it.
pub(super) struct Access {
    /// Who changed it; none before the first change.
    pub(super) writer: Option<usize>,
    /// Who read it since.
    pub(super) readers: Vec<usize>,
}

/// What happened to each resource, by the numbers of events. Resources that overlap have lists of their own.
pub(super) struct Accesses<R> {
    of: BTreeMap<R, Vec<Access>>,
    /// Those of them that reach into a region.
    regions: BTreeMap<u64, BTreeSet<R>>,
    /// Those that reach everything.
    everything: BTreeSet<R>,
}

impl<R> Default for Accesses<R> {
    fn default() -> Self {
        Self {
            of: BTreeMap::new(),
            regions: BTreeMap::new(),
            everything: BTreeSet::new(),
        }
    }
}

impl Access {
    /// The earliest event that it is about.
    pub(super) fn first(&self) -> Option<usize> {
        self.writer.or_else(|| self.readers.first().copied())
    }
}

impl<R: Touchable> Accesses<R> {
    /// Event `index` reads a resource: adds those who changed it last to `touched`.
    pub(super) fn read(&mut self, resource: &R, index: usize, touched: &mut Vec<usize>) {
        self.others(resource, |accesses| {
            touched.extend(accesses.last().and_then(|last| last.writer));
        });
        let accesses = self.of.entry(resource.clone()).or_default();
        if accesses.is_empty() {
            accesses.push(Access {
                writer: None,
                readers: Vec::new(),
            });
        }
        if let Some(last) = accesses.last_mut() {
            touched.extend(last.writer);
            last.readers.push(index);
        }
    }

    /// Event `index` changes a resource: adds to `touched` those who changed it last, and who read it since.
    pub(super) fn write(&mut self, resource: &R, index: usize, touched: &mut Vec<usize>) {
        let mut last_of = |accesses: &[Access]| {
            if let Some(last) = accesses.last() {
                touched.extend(last.writer);
                touched.extend(&last.readers);
            }
        };
        self.others(resource, &mut last_of);
        let accesses = self.of.entry(resource.clone()).or_default();
        last_of(accesses);
        accesses.push(Access {
            writer: Some(index),
            readers: Vec::new(),
        });
    }

    /// The last event that read this resource did not.
    pub(super) fn unread(&mut self, resource: &R) {
        let accesses = self.of.get_mut(resource);
        if let Some(last) = accesses.and_then(|accesses| accesses.last_mut()) {
            last.readers.pop();
        }
    }

    /// The last event that changed this resource did not.
    pub(super) fn unwrite(&mut self, resource: &R) {
        if let Some(accesses) = self.of.get_mut(resource) {
            accesses.pop();
        }
    }

    /// Calls `look` with what happened to each resource that overlaps this one, itself among them.
    pub(super) fn overlapping(&self, resource: &R, mut look: impl FnMut(&[Access])) {
        if let Some(accesses) = self.of.get(resource) {
            look(accesses);
        }
        self.known_others(resource, &mut look);
    }

    /// Notes where a resource is to be found; then as [`Accesses::overlapping`], without itself.
    fn others(&mut self, resource: &R, look: impl FnMut(&[Access])) {
        let known = match resource.reach() {
            Reach::Itself => None,
            Reach::Region(region) => Some(self.regions.entry(region).or_default()),
            Reach::Everything => Some(&mut self.everything),
        };
        if let Some(known) = known
            && !known.contains(resource)
        {
            known.insert(resource.clone());
        }
        self.known_others(resource, look);
    }

    fn known_others(&self, resource: &R, mut look: impl FnMut(&[Access])) {
        let mut look_at = |other: &R| {
            if other != resource
                && resource.overlaps(other)
                && let Some(accesses) = self.of.get(other)
            {
                look(accesses);
            }
        };
        match resource.reach() {
            Reach::Everything => return self.of.keys().for_each(look_at),
            Reach::Region(region) => {
                let known = self.regions.get(&region).into_iter().flatten();
                known.for_each(&mut look_at);
            }
            Reach::Itself => {}
        }
        self.everything.iter().for_each(look_at);
    }
}
