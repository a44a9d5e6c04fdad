//! What is left out of states: where a path stops, and where it goes on.

use std::collections::{BTreeMap, BTreeSet};

use borges_board::PrimitiveId;
use borges_vm::{Machine, Snapshot, ValType};

use super::compared::Compared;
use super::place::Place;
use super::state::{Before, DeviceState, Stands};
use super::unread::{At, Learning, Unread};
use crate::dag::{Dag, Expr};
use crate::explore::{Looked, State as Path, Workbench, unread};
use crate::memory::Byte;
use crate::path::Read;
use crate::set::Set;
use crate::standing::go_back;

/// So many of the last states at one place are looked at.
const MOST_COMPARED: usize = 1000;

/// Where so many bytes are left out, no more are tried: each of them is followed.
const MOST_TRIED: usize = 4096;

impl Before {
    /// Follows what depends on what was left out, which has the value that it had, or another.
    pub(super) fn follow_left_out(&self, path: &mut Path, dag: &mut Dag, other: Option<u8>) {
        let first = path.reads.len() as u32;
        for (at, byte) in &self.left_out {
            let cell = u64::from(other.unwrap_or(*byte));
            let value = dag.input(path.reads.len() as u32, ValType::I32);
            let byte = Byte { value, number: 0 };
            path.shadow.memory.set(u64::from(*at), Some(byte));
            let read = Read::of_state(PrimitiveId(0), ValType::I32, Set::single(cell));
            path.reads.push(read);
            path.model.push(cell);
        }
        path.unread = first..path.reads.len() as u32;
    }

    /// The machine's state with what was left out.
    pub(super) fn with_left_out(&self, machine: &mut Machine) -> Snapshot {
        if self.left_out.is_empty() {
            return self.snapshot().clone();
        }
        go_back(machine, self.snapshot());
        for (at, byte) in &self.left_out {
            machine.set_byte(*at as usize, *byte);
        }
        machine.snapshot(Some(self.snapshot()))
    }

    /// A byte that was left out, by the number of its read.
    pub(super) fn left_out_at(&self, read: u32) -> At {
        let number = read as usize - self.variables.len();
        (self.place(), self.left_out[number].0)
    }
}

impl Compared<'_> {
    /// Takes what of the memory will be written before it is read out of a path that stops: what it has there.
    pub(super) fn leave_out(
        &self,
        bench: &mut Workbench,
        path: &mut Path,
        place: u64,
        before: Option<&Before>,
    ) -> Box<[(u32, u8)]> {
        let Some(learning) = self.unread else {
            return Box::default();
        };
        let mut learning = learning.borrow_mut();
        for looked in &path.looked {
            if let Looked::Bytes(first, count) = *looked {
                (first..first.saturating_add(count)).for_each(|at| learning.reads((place, at)));
            }
        }
        if let Some(before) = before.filter(|_| !path.unread.is_empty()) {
            for (at, byte) in path.shadow.memory.bytes() {
                for read in unread(path, &bench.dag, byte.value) {
                    learning.flows(before.left_out_at(read), (place, at as u32));
                }
            }
        }
        bench.point.reset(&bench.dag);
        let mut left_out = Vec::new();
        for at in learning.at(place) {
            let Some(mut byte) = bench.machine.memory().get(at as usize).copied() else {
                continue;
            };
            bench.machine.set_byte(at as usize, 0);
            if let Some(known) = path.shadow.memory.byte(at.into()) {
                let cell = bench.point.eval(&bench.dag, known.value, &path.model);
                byte = (cell >> (8 * known.number)) as u8;
                path.shadow.memory.set(at.into(), None);
            }
            left_out.push((at, byte));
        }
        left_out.into()
    }

    /// Notes what of the state that a path comes from was left out and read: something that is compared depends on it.
    pub(super) fn note_reads(
        &self,
        dag: &Dag,
        path: &Path,
        places: &[(Place, Expr)],
        before: Option<&Before>,
    ) {
        let (Some(learning), Some(before)) = (self.unread, before) else {
            return;
        };
        let is_byte = |place: &Place| matches!(place, Place::Byte(..));
        let places = places.iter().filter(|(place, _)| !is_byte(place));
        let exprs = places.map(|(_, expr)| *expr);
        let constraints = path.constraints.iter().map(|constraint| constraint.expr);
        let mut learning = learning.borrow_mut();
        for expr in exprs.chain(constraints) {
            for read in unread(path, dag, expr) {
                learning.reads(before.left_out_at(read));
            }
        }
    }
}

/// What was learnt with all bytes tried in which some of these states differ from others at the same place; nothing if
/// there are none.
pub(super) fn with_differing(learning: &Learning, states: &[DeviceState]) -> Option<Unread> {
    let mut by_place: BTreeMap<u64, Vec<&Before>> = BTreeMap::new();
    for state in states {
        if let Stands::Before(before) = &state.0.stands {
            by_place.entry(before.place()).or_default().push(before);
        }
    }
    let mut unread = learning.unread().clone();
    let mut is_news = false;
    for (place, group) in by_place {
        let group = &group[group.len().saturating_sub(MOST_COMPARED)..];
        let mut new = differing(group);
        new.retain(|byte| {
            !learning.is_read((place, *byte)) && !learning.leaves_out((place, *byte))
        });
        let tried = unread.tried.entry(place).or_default();
        if new.is_empty() || tried.len() >= MOST_TRIED {
            continue;
        }
        is_news = true;
        let is_growing = !tried.is_empty();
        tried.extend(&new);
        if is_growing {
            let more = ahead(tried, &new);
            tried.extend(more.filter(|byte| !learning.is_read((place, *byte))));
        }
    }
    is_news.then_some(unread)
}

/// Bytes behind and before new ones at the ends of a run of such: three times as many as there are. What fills a buffer byte by byte comes
/// to them too, and need not be asked for each.
fn ahead(tried: &BTreeSet<u32>, new: &BTreeSet<u32>) -> impl Iterator<Item = u32> + use<> {
    let mut more = Vec::new();
    let mut run: Option<(u32, u32)> = None;
    let mut end = |(first, last): (u32, u32)| {
        let length = last - first + 1;
        if new.contains(&last) {
            more.push((last + 1)..last.saturating_add(3 * length + 1));
        }
        if new.contains(&first) {
            more.push(first.saturating_sub(3 * length)..first);
        }
    };
    for byte in tried {
        run = match run {
            Some((first, last)) if last + 1 == *byte => Some((first, *byte)),
            ended => {
                ended.into_iter().for_each(&mut end);
                Some((*byte, *byte))
            }
        };
    }
    run.into_iter().for_each(&mut end);
    more.into_iter().flatten()
}

/// The bytes in which some of these states differ.
fn differing(group: &[&Before]) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let first = group[0];
    let bytes = |before: &Before| -> BTreeMap<u32, (u8, crate::dag::Expr)> {
        let places = before.places.iter();
        let bytes = places.filter_map(|(place, expr)| match place {
            Place::Byte(at, number) => Some((*at, (*number, *expr))),
            _ => None,
        });
        bytes.collect()
    };
    let of_first = bytes(first);
    for other in &group[1..] {
        for (at, [a, b]) in other.snapshot().differing_words(first.snapshot()) {
            let differ = (at..).zip((a ^ b).to_le_bytes());
            found.extend(differ.filter(|(_, byte)| *byte != 0).map(|(at, _)| at));
        }
        let of_other = bytes(other);
        let all = of_first.keys().chain(of_other.keys());
        let differ = |at: &&u32| {
            let both = (of_first.get(at), of_other.get(at));
            both.0 != both.1 || first.variables != other.variables
        };
        found.extend(all.filter(differ));
    }
    found
}
