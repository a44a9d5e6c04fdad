//! Which lines and branches explored paths reach.

use std::collections::BTreeMap;

use borges_concolic::Explored;
use borges_debuginfo::DebugInfo;

use super::question::{CoverListing, CoveredLine, OneSided};
use super::report::place_of;
use super::walk;
use crate::values::show;

/// The program's own lines and branches; those of the compiler's library are left out.
pub(super) fn listing(info: &DebugInfo, explored: &Explored) -> CoverListing {
    let own = |at| {
        let place = info.place_at(at)?;
        let file = info.file(place.file)?;
        (!file.path.starts_with('~')).then_some((&file.path, place.line))
    };
    let mut lines: BTreeMap<(&String, u32), Option<Vec<String>>> = BTreeMap::new();
    for (offset, witness) in explored.coverage.instructions() {
        let Some(line) = own(offset) else { continue };
        let known = lines.entry(line).or_default();
        if let (None, Some(witness)) = (&known, witness) {
            let inputs = witness.inputs.iter().map(|value| show(*value));
            let events = witness.events.iter().map(walk::arrival);
            let events = events.map(|event| format!("interrupt: {event}"));
            *known = Some(inputs.chain(events).collect());
        }
    }
    let lines = lines.into_iter().map(|((file, line), inputs)| CoveredLine {
        file: file.clone(),
        line,
        inputs,
    });
    let has_lines = info.has_lines();
    let branches = explored.coverage.one_sided();
    let branches = branches.filter(|(offset, _)| !has_lines || own(*offset).is_some());
    CoverListing {
        lines: lines.collect(),
        branches: branches
            .map(|(offset, always)| OneSided {
                place: place_of(info, offset),
                offset: offset.0,
                always,
            })
            .collect(),
    }
}
