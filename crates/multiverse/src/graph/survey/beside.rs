//! The tables of the shares of one process: each share adds to all of them, so that these need not ask each other.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::table::{Table, Visit};
use crate::fingerprint::Digest;

/// The tables of the shares from number `first` on: those of one process, or of one share that knows of no others.
pub(super) struct Tables<F> {
    first: u32,
    all: Vec<Arc<RwLock<Table<F>>>>,
}

/// These tables while states are followed.
pub(super) enum Open<'t, F> {
    /// Nobody else has it, so it can grow.
    Alone(u32, RwLockWriteGuard<'t, Table<F>>),
    /// The others may be adding too.
    Among(u32, Vec<Visit<'t, F>>),
}

impl<F> Clone for Tables<F> {
    fn clone(&self) -> Self {
        Self {
            first: self.first,
            all: self.all.clone(),
        }
    }
}

impl<F: Digest> Tables<F> {
    /// An empty one, of share number `nth`.
    pub(super) fn one(nth: u32) -> Self {
        Self {
            first: nth,
            all: vec![Arc::new(RwLock::new(Table::new()))],
        }
    }

    /// Those of several shares, of which each had one, in the order of their numbers.
    pub(super) fn joined<'t>(each: impl Iterator<Item = &'t Self>) -> Self {
        let mut each = each.peekable();
        let first = each.peek().map_or(0, |tables| tables.first);
        let all = each.flat_map(|tables| tables.all.iter().cloned());
        Self {
            first,
            all: all.collect(),
        }
    }

    /// The table of share number `nth`, to be read.
    pub(super) fn of(&self, nth: u32) -> RwLockReadGuard<'_, Table<F>> {
        let table = &self.all[(nth - self.first) as usize];
        table.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The table of share number `nth`, while nobody follows states.
    pub(super) fn alter(&self, nth: u32) -> RwLockWriteGuard<'_, Table<F>> {
        let table = &self.all[(nth - self.first) as usize];
        table.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens all to follow states.
    pub(super) fn open(&self) -> Open<'_, F> {
        match &*self.all {
            [_] => Open::Alone(self.first, self.alter(self.first)),
            several => Open::Among(
                self.first,
                several.iter().map(|table| Visit::of(table)).collect(),
            ),
        }
    }
}

impl<F: Digest> Open<'_, F> {
    /// Adds a digest to the table of its owner; false if it was there. None if the owner has to be asked: it is elsewhere,
    /// or has no room.
    pub(super) fn insert(&mut self, owner: u32, digest: F) -> Option<bool> {
        match self {
            Self::Alone(nth, table) => (owner == *nth).then(|| table.insert(digest)),
            Self::Among(first, visits) => {
                let here = owner.checked_sub(*first)? as usize;
                visits.get_mut(here)?.insert(digest)
            }
        }
    }

    /// As [`Table::near`], where the owner's table is here.
    #[inline]
    pub(super) fn near(&self, owner: u32, digest: F) -> u64 {
        match self {
            Self::Alone(nth, table) if owner == *nth => table.near(digest),
            Self::Alone(..) => 0,
            Self::Among(first, visits) => {
                let here = owner.checked_sub(*first);
                let visit = here.and_then(|here| visits.get(here as usize));
                visit.map_or(0, |visit| visit.near(digest))
            }
        }
    }
}
