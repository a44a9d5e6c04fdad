//! What an editor knows of breakpoints, its own and those of others, and what it still has to be told.

use std::collections::{BTreeMap, HashSet};

use serde_json::json;

use crate::core::Core;
use crate::protocol::answers::Breakpoint;

/// The breakpoints of a session as the editor was last told of them, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    known: BTreeMap<u32, Breakpoint>,
    /// Those that the editor took away itself.
    dropped: HashSet<u32>,
}

impl Notices {
    /// The editor was answered with this one.
    pub(crate) fn answered(&mut self, id: u32, breakpoint: &Breakpoint) {
        self.known.insert(id, breakpoint.clone());
    }

    /// The editor takes these away: it need not be told that they are gone.
    pub(crate) fn drop_own(&mut self, ids: impl IntoIterator<Item = u32>) {
        self.dropped.extend(ids);
    }

    /// Tells the editor what is new, changed or gone, given all that there are now; the numbers of those that are gone.
    pub(crate) fn tell(
        &mut self,
        core: &mut Core,
        now: Vec<(u32, Breakpoint)>,
        is_own: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        let known = self.known.keys().copied();
        let gone: Vec<u32> = known
            .filter(|id| now.iter().all(|(other, _)| other != id))
            .collect();
        for (id, now) in now {
            let before = self.known.insert(id, now.clone());
            let reason = match before {
                Some(before) if before == now => continue,
                Some(_) => "changed",
                None => "new",
            };
            core.event("breakpoint", json!({ "reason": reason, "breakpoint": now }));
        }
        for id in &gone {
            self.known.remove(id);
            // What the editor took away itself it knows.
            if is_own(*id) || !self.dropped.remove(id) {
                let told =
                    json!({ "reason": "removed", "breakpoint": { "id": id, "verified": false } });
                core.event("breakpoint", told);
            }
        }
        gone
    }
}
