//! Reading the multiverse back from a session file, as it is looked at.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use borges_multiverse::tree::{BranchId, End, Place, Tree};
use borges_store::{Store, Upload};

use super::entries::from_stored;
use crate::command::AgentNumber;
use crate::error::CommandError;
use crate::history::entry::{Entry, Moment};
use crate::stage::known_agent;

/// Takes in the branches; their entries are read when somebody looks at them.
pub(crate) fn read_tree(
    tree: &mut Tree<Entry>,
    store: &Store,
    upload: Upload,
) -> Result<(), String> {
    let damaged = || "its branches do not fit together; the file is damaged".to_owned();
    let reader = store.reader().map_err(|e| e.to_string())?;
    let reader = Rc::new(Reader {
        store: reader,
        last: RefCell::default(),
    });
    for branch in store.branches(upload).map_err(|e| e.to_string())? {
        let at = branch.fork.map_or(Place::ROOT, |fork| Place {
            branch: BranchId(fork.parent),
            index: fork.position,
        });
        let (reader, number) = (reader.clone(), branch.branch);
        // Branches that are lost keep their numbers.
        tree.skip_to(BranchId(number));
        let load =
            Rc::new(move |range: Range<usize>| reader.entries(upload, number, at.index, range));
        let id = tree
            .restore(at, branch.length, branch.reached, load)
            .map_err(|_| damaged())?;
        if id.0 != branch.branch {
            return Err(damaged());
        }
        let ended = match branch.end {
            borges_store::KeptEnd::Open => Ok(()),
            borges_store::KeptEnd::Finished(text) => {
                tree.finish(id, branch.reached, End::Finished(text))
            }
            borges_store::KeptEnd::Trapped(text) => {
                tree.finish(id, branch.reached, End::Trapped(text))
            }
        };
        ended.map_err(|_| damaged())?;
        if !branch.whole {
            tree.close(id).map_err(|_| damaged())?;
        }
    }
    let next = store.branch_numbers(upload).map_err(|e| e.to_string())?;
    tree.skip_to(BranchId(next));
    Ok(())
}

/// A place in a session file.
///
/// # Errors
/// It counts the steps of an agent that there is not.
pub(crate) fn moment(kept: borges_store::KeptPlace) -> Result<Moment, CommandError> {
    let agent = AgentNumber(kept.agent);
    known_agent(agent)?;
    Ok(Moment {
        place: Place {
            branch: BranchId(kept.branch),
            index: kept.position,
        },
        agent,
        steps: kept.steps,
    })
}

/// Reads entries of a session file when the tree asks for them. A second connection: the first one writes.
struct Reader {
    store: Store,
    /// The block that was read last: the tree asks for smaller pieces, one after the other.
    last: RefCell<Option<ReadBlock>>,
}

/// A branch, the positions that were read of it, and the entries there.
type ReadBlock = (u32, Range<u32>, Vec<borges_store::KeptEntry>);

impl Reader {
    /// Entries of a branch whose own begin at `first`; nothing if they are damaged: a replay then says where it ends.
    fn entries(
        &self,
        upload: Upload,
        branch: u32,
        first: u32,
        own: Range<usize>,
    ) -> Option<Vec<Entry>> {
        let wanted = first + own.start as u32..first + own.end as u32;
        let mut last = self.last.borrow_mut();
        let cached = last.as_ref().is_some_and(|(of, positions, _)| {
            *of == branch && positions.start <= wanted.start && wanted.end <= positions.end
        });
        if !cached {
            let block = borges_store::BLOCK;
            let start = first + (wanted.start - first) / block * block;
            let read = |end| {
                self.store
                    .entries(upload, branch, start..end)
                    .ok()
                    .map(|entries| (end, entries))
            };
            // The branch may end before its block does.
            let (end, entries) = read(start.saturating_add(block)).or_else(|| read(wanted.end))?;
            *last = Some((
                branch,
                start..end.min(start + entries.len() as u32),
                entries,
            ));
        }
        let (_, positions, entries) = last.as_ref()?;
        let from = (wanted.start - positions.start) as usize;
        entries
            .get(from..from + own.len())?
            .iter()
            .map(from_stored)
            .collect()
    }
}
