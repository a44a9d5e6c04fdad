//! Universes that a text leads to, anywhere in the multiverse.

use borges_multiverse::tree::{BranchId, End, Place};

use crate::command::Observer;
use crate::command::listing::{FoundListing, FoundRow};
use crate::command::{AgentNumber, Flow, Reply, UniverseId};
use crate::error::CommandError;
use crate::stage::Stage;

/// Universes in one answer.
const MOST_FOUND: u32 = 1_000;
/// Entries between two looks at whether to go on.
const BETWEEN_LOOKS: u32 = 4_096;

/// Lists the universes right after an entry, or at a trap, whose words contain a text, whatever its case.
pub(crate) fn find(
    stage: &mut Stage,
    text: &str,
    most: u32,
    observer: Observer<'_>,
) -> Result<Reply, CommandError> {
    let wanted = text.to_lowercase();
    let mut search = Search {
        most: most.min(MOST_FOUND) as usize,
        listing: FoundListing {
            found: Vec::new(),
            all: 0,
            complete: true,
        },
    };
    let branches: Vec<BranchId> = stage.history.tree().branches().collect();
    let mut looked: u32 = 0;
    for branch in branches {
        let first = stage
            .history
            .tree()
            .fork_of(branch)
            .map_or(0, |fork| fork.index);
        let tip = stage
            .history
            .tree()
            .tip(branch)
            .map_or(first, |tip| tip.index);
        for index in first..tip {
            looked = looked.wrapping_add(1);
            if looked.is_multiple_of(BETWEEN_LOOKS)
                && observer(stage.progress("searching")) == Flow::Pause
            {
                search.listing.complete = false;
                return Ok(Reply::Found(search.listing));
            }
            let place = Place {
                branch,
                index: index + 1,
            };
            if let Some(entry) = stage.history.tree().entry(place) {
                let row = stage.row(entry, None);
                let words = match &row.value {
                    Some(value) => format!("{} = {value}", row.call),
                    None => row.call,
                };
                search.note(&wanted, words, place, row.steps);
            }
        }
        if let Some(End::Trapped(words)) = stage.history.tree().end(branch) {
            let steps = stage.history.tree().reached(branch).unwrap_or(0);
            let place = Place { branch, index: tip };
            search.note(&wanted, format!("trapped: {words}"), place, steps);
        }
    }
    Ok(Reply::Found(search.listing))
}

/// What was found so far.
struct Search {
    most: usize,
    listing: FoundListing,
}

impl Search {
    fn note(&mut self, wanted: &str, text: String, place: Place, steps: u64) {
        if !text.to_lowercase().contains(wanted) {
            return;
        }
        self.listing.all += 1;
        if self.listing.found.len() < self.most {
            self.listing.found.push(FoundRow {
                universe: UniverseId {
                    branch: place.branch.0,
                    index: place.index,
                    agent: AgentNumber::ONLY,
                    offset: 0,
                },
                text,
                steps,
            });
        }
    }
}
