//! What the merged multiverse is, as far as merging needs it in memory: a row for each branch, where branches leave it,
//! and digests of those entries that were looked at last.

use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;

use super::recording::{Call, ROWS, choice_of_row};
use crate::branches::BranchRow;
use crate::seal::ENTRY;
use crate::{Damage, StoreError};

/// Blocks of digests that are kept, of 8 KiB each.
const KEPT: usize = 4096;

/// A place in the merged multiverse, by the branch that owns the last entry before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct At {
    pub(super) line: u32,
    pub(super) position: u32,
}

impl At {
    pub(super) const START: Self = Self {
        line: 0,
        position: 0,
    };
}

/// A branch that leaves a place.
#[derive(Clone, Copy, Debug)]
struct Way {
    line: u32,
    is_event: bool,
}

/// The merged multiverse.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) rows: Vec<BranchRow>,
    /// By what they decided: the branches that leave each place.
    ways: HashMap<(At, u64), u32>,
    /// One of those of each place, a call if one is: what calls the program can make there follows from it.
    beside: HashMap<At, Way>,
    /// Branches whose rows are not written as they are.
    pub(super) changed: BTreeSet<u32>,
    blocks: HashMap<(u32, u32), Block>,
    clock: u64,
}

/// What entries of a branch decided, from a multiple of [`ROWS`] on, counted from the branch's first.
#[derive(Debug)]
struct Block {
    choices: Vec<u64>,
    used: u64,
}

impl Lines {
    /// Those of a file, which nothing was merged into since.
    pub(super) fn read(db: &Connection, rows: Vec<BranchRow>) -> Result<Self, StoreError> {
        let mut lines = Self::default();
        for row in &rows {
            if let Some(parent) = row.parent {
                let at = At {
                    line: parent,
                    position: row.fork,
                };
                let (choice, is_event) = first_of(db, row.row(row.fork))?;
                lines.add_way(at, choice, row.number, is_event);
            }
        }
        lines.rows = rows;
        Ok(lines)
    }

    /// A branch begins.
    pub(super) fn add_way(&mut self, at: At, choice: u64, line: u32, is_event: bool) {
        self.ways.insert((at, choice), line);
        let way = Way { line, is_event };
        let known = self.beside.entry(at).or_insert(way);
        if known.is_event {
            *known = way;
        }
    }

    /// The branch that leaves a place with a choice.
    pub(super) fn way(&self, at: At, choice: u64) -> Option<u32> {
        self.ways.get(&(at, choice)).copied()
    }

    /// The rows of entries that go on from a place, or of those at least that say what can: along its branch, and of another.
    pub(super) fn onward(&self, at: At) -> Result<[Option<i64>; 2], StoreError> {
        let way = self.beside.get(&at);
        let other = way.map(|way| Ok::<_, StoreError>(self.row(way.line)?.row(at.position)));
        Ok([self.next(at)?, other.transpose()?])
    }

    pub(super) fn row(&self, line: u32) -> Result<&BranchRow, StoreError> {
        // A branch that is named here was put here.
        self.rows
            .get(line as usize)
            .ok_or(StoreError::Unknown("branch"))
    }

    /// The row of a branch, to be changed.
    pub(super) fn change(&mut self, line: u32) -> Result<&mut BranchRow, StoreError> {
        self.changed.insert(line);
        self.rows
            .get_mut(line as usize)
            .ok_or(StoreError::Unknown("branch"))
    }

    /// The row of the entry that goes on from a place along its branch.
    pub(super) fn next(&self, at: At) -> Result<Option<i64>, StoreError> {
        let row = self.row(at.line)?;
        let there = at.position < row.fork + row.length;
        Ok(there.then(|| row.row(at.position)))
    }

    /// How many of `choices` the branch takes from a place on, within a block.
    pub(super) fn follow(
        &mut self,
        db: &Connection,
        at: At,
        choices: &[u64],
    ) -> Result<usize, StoreError> {
        let row = self.row(at.line)?;
        if at.position >= row.fork + row.length {
            return Ok(0);
        }
        let own = (at.position - row.fork) as usize;
        let (number, start) = ((own / ROWS) as u32, own % ROWS);
        self.load(db, at.line, number)?;
        let block = self.blocks.get(&(at.line, number));
        let known = block.and_then(|block| block.choices.get(start..));
        let pairs = known.unwrap_or_default().iter().zip(choices);
        Ok(pairs.take_while(|(a, b)| a == b).count())
    }

    /// Notes that entries were added to the end of a branch.
    pub(super) fn grow(&mut self, line: u32, choices: &[u64]) -> Result<(), StoreError> {
        let row = self.change(line)?;
        let own = row.length as usize;
        row.length += choices.len() as u32;
        self.clock += 1;
        for (index, choice) in (own..).zip(choices) {
            let key = (line, (index / ROWS) as u32);
            if index % ROWS == 0 {
                let (choices, used) = (Vec::with_capacity(1), self.clock);
                self.blocks.insert(key, Block { choices, used });
            }
            // One that was let go of is read when it is asked for.
            if let Some(block) = self.blocks.get_mut(&key) {
                block.choices.push(*choice);
            }
        }
        self.make_room();
        Ok(())
    }

    /// Has a block in memory.
    fn load(&mut self, db: &Connection, line: u32, number: u32) -> Result<(), StoreError> {
        self.clock += 1;
        if let Some(block) = self.blocks.get_mut(&(line, number)) {
            block.used = self.clock;
            return Ok(());
        }
        let row = self.row(line)?;
        let first = row.fork + number * ROWS as u32;
        let last = first.saturating_add(ROWS as u32 - 1);
        let select = ENTRY.select("WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
        let mut statement = db.prepare_cached(&select)?;
        let mut rows = statement.query([row.row(first), row.row(last)])?;
        let mut choices = Vec::new();
        while let Some(row) = rows.next()? {
            choices.push(choice_of_row(row)?);
        }
        let used = self.clock;
        self.blocks.insert((line, number), Block { choices, used });
        self.make_room();
        Ok(())
    }

    /// Lets go of the blocks that were not looked at for longest, half of them at once.
    fn make_room(&mut self) {
        if self.blocks.len() <= KEPT {
            return;
        }
        let mut used: Vec<u64> = self.blocks.values().map(|block| block.used).collect();
        let (_, middle, _) = used.select_nth_unstable(KEPT / 2);
        let middle = *middle;
        self.blocks.retain(|_, block| block.used > middle);
    }
}

/// What a branch's first entry decided, and whether it is an event.
fn first_of(db: &Connection, id: i64) -> Result<(u64, bool), StoreError> {
    let mut statement = db.prepare_cached(&ENTRY.select("WHERE id = ?1"))?;
    let mut rows = statement.query([id])?;
    let missing = Damage::Value("entry");
    let row = rows.next()?.ok_or(missing)?;
    let call = Call::of(|index| row.get_ref(index).ok());
    Ok((choice_of_row(row)?, call.is_some_and(|call| call.is_event)))
}
