//! Where a recording has come to while it is merged, and where its branches lie in the merged multiverse.

use super::lines::At;
use super::{Merged, Unmerged};
use crate::{Branch, Damage, StoreError};

/// Where a recording has come to.
pub(super) struct Course {
    /// Of each of its branches: where in the merged multiverse its entries lie, from which position on.
    pub(super) branches: Vec<Followed>,
    pub(super) at: At,
    pub(super) merged: Merged,
    /// It was counted before.
    pub(super) counted: bool,
    pub(super) name: String,
}

pub(super) struct Followed {
    pub(super) branch: Branch,
    /// From which position on entries lie on which branch of the merged multiverse.
    pub(super) lines: Vec<(u32, u32)>,
    /// How many entries lie before the first that a mock has answered.
    pub(super) mocked: Option<u32>,
}

/// Why a piece was not merged, before it is known of which recording.
pub(super) enum Failed {
    Contradicts,
    /// It is none that Borges writes.
    Refused(StoreError),
    Unwritten(StoreError),
}

impl<T: Into<StoreError>> From<T> for Failed {
    fn from(error: T) -> Self {
        Self::Unwritten(error.into())
    }
}

impl Failed {
    pub(super) fn no_value(table: &'static str) -> Self {
        Self::Refused(Damage::Value(table).into())
    }
}

impl Course {
    pub(super) fn new(name: String) -> Self {
        Self {
            branches: Vec::new(),
            at: At::START,
            merged: Merged::default(),
            counted: false,
            name,
        }
    }

    /// A branch begins.
    pub(super) fn begin(&mut self, branch: Branch) -> Result<(), Failed> {
        self.at = match branch.fork {
            None => At::START,
            Some(fork) => {
                let at = self.place(fork.parent, fork.position);
                at.ok_or(Failed::no_value("branch"))?
            }
        };
        let mut mocked = None;
        let mut lines = Vec::new();
        match branch.fork {
            None => lines.push((0, 0)),
            Some(fork) => {
                let parent = self.find(fork.parent).and_then(|parent| parent.mocked);
                mocked = parent.filter(|mocked| *mocked < fork.position);
            }
        }
        self.branches.push(Followed {
            branch,
            lines,
            mocked,
        });
        Ok(())
    }

    /// An entry of the last branch's next ones was answered by a mock.
    pub(super) fn mock(&mut self, next: Option<usize>) {
        let position = self.at.position;
        if let Some((last, next)) = self.branches.last_mut().zip(next) {
            last.mocked.get_or_insert(position + next as u32);
        }
    }

    /// The next entries lie on another branch.
    pub(super) fn turn(&mut self, line: u32) {
        self.at.line = line;
    }

    /// Entries were taken.
    pub(super) fn take(&mut self, count: u32) -> Result<(), Failed> {
        let At { line, position } = self.at;
        if let Some(last) = self.branches.last_mut()
            && last.lines.last().is_none_or(|(_, known)| *known != line)
        {
            last.lines.push((position, line));
        }
        let after = position.checked_add(count);
        self.at.position = after.ok_or(Failed::Refused(StoreError::TooLarge("branch")))?;
        self.merged.entries += u64::from(count);
        Ok(())
    }

    fn find(&self, number: u32) -> Option<&Followed> {
        let found = self
            .branches
            .binary_search_by_key(&number, |followed| followed.branch.branch);
        self.branches.get(found.ok()?)
    }

    /// Where a place of the recording lies in the merged multiverse.
    pub(super) fn place(&self, number: u32, position: u32) -> Option<At> {
        let mut followed = self.find(number)?;
        let start = |branch: &Branch| branch.fork.map_or(0, |fork| fork.position);
        if position > start(&followed.branch) + followed.branch.length {
            return None;
        }
        // The branch that owns the last entry before. Parents have smaller numbers.
        while let Some(fork) = followed
            .branch
            .fork
            .filter(|fork| position <= fork.position)
        {
            followed = self.find(fork.parent)?;
        }
        let Some(last) = position.checked_sub(1) else {
            return Some(At::START);
        };
        let after = followed.lines.partition_point(|(from, _)| *from <= last);
        let (_, line) = followed.lines.get(after.checked_sub(1)?)?;
        Some(At {
            line: *line,
            position,
        })
    }

    pub(super) fn unmerged<E: From<StoreError>>(&self, failed: Failed) -> Unmerged<E> {
        match failed {
            Failed::Refused(error) => Unmerged::Refused(error.into()),
            Failed::Unwritten(error) => Unmerged::Unwritten(error),
            Failed::Contradicts => Unmerged::Contradicts {
                branch: self.branches.last().map_or(0, |last| last.branch.branch),
                position: self.at.position,
            },
        }
    }
}
