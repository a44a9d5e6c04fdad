//! `find`: universes after which something with a certain text in it happened.

use borges_session::command::{Command, Reply, UniverseId};
use borges_session::listing::{BranchListing, EntryRow};
use serde_json::json;

use super::interpreter::{Verdict, tell, tell_error};
use super::session::SessionRepl;
use crate::exit::Failure;
use crate::output::Output;
use crate::paint::{Role, count, grouped, printable};
use crate::render;

/// Universes that are listed at most.
const MOST: usize = 40;
/// Entries that are asked for at once.
const BATCH: u32 = 8_192;

/// A universe that was found, with what led to it.
struct Found {
    universe: UniverseId,
    text: String,
    steps: u64,
}

impl SessionRepl {
    /// Lists the universes whose last entry contains a text, on all branches, whatever its case.
    pub(super) fn find(
        &mut self,
        line: &str,
        text: &str,
        output: &mut Output,
    ) -> Result<Verdict, Failure> {
        let Some(Reply::Multiverse(multiverse)) = self.look(Command::Multiverse) else {
            return tell_error(line, "there is no multiverse to look through", output);
        };
        let wanted = text.to_lowercase();
        let (mut found, mut all) = (Vec::new(), 0);
        for branch in &multiverse.branches {
            self.find_in(branch, &wanted, &mut found, &mut all);
        }
        if found.is_empty() {
            let message = format!("nothing in the multiverse mentions '{text}'");
            return tell_error(line, &message, output);
        }
        let paint = output.paint;
        let mut shown = String::new();
        for Found {
            universe,
            text,
            steps,
        } in &found
        {
            let steps = paint.paint(Role::Dim, format!("step {}", grouped(*steps)));
            let universe = render::universe(*universe);
            shown.push_str(&format!("{universe:<9} {}  {steps}\n", printable(text)));
        }
        if all > found.len() as u64 {
            let more = format!("… {} more\n", count(all - found.len() as u64, "universe"));
            shown.push_str(&paint.paint(Role::Dim, more));
        }
        let rows: Vec<_> = found
            .iter()
            .map(|row| {
                let universe = render::universe(row.universe);
                json!({ "universe": universe, "text": row.text, "steps": row.steps })
            })
            .collect();
        let reply = json!({ "reply": "found", "universes": rows, "all": all });
        tell(line, &shown, reply, output)
    }

    /// The same in one branch.
    fn find_in(
        &mut self,
        branch: &BranchListing,
        wanted: &str,
        found: &mut Vec<Found>,
        all: &mut u64,
    ) {
        let mut from = branch.fork;
        while from < branch.tip {
            let entries = Command::Entries {
                branch: branch.branch,
                from,
                count: BATCH,
                calls: false,
            };
            let Some(Reply::Entries(listing)) = self.look(entries) else {
                return;
            };
            if listing.entries.is_empty() {
                return;
            }
            for (index, row) in (from + 1..).zip(&listing.entries) {
                let text = told(row);
                if !text.to_lowercase().contains(wanted) {
                    continue;
                }
                *all += 1;
                if found.len() < MOST {
                    let universe = UniverseId {
                        branch: branch.branch,
                        index,
                        offset: 0,
                    };
                    let steps = row.steps;
                    found.push(Found {
                        universe,
                        text,
                        steps,
                    });
                }
            }
            // A listing is shorter than its branch, whose index is 32 bits.
            from += listing.entries.len() as u32;
        }
    }
}

/// An entry in words.
fn told(row: &EntryRow) -> String {
    match &row.value {
        Some(value) => format!("{} = {value}", row.call),
        None => row.call.clone(),
    }
}
