//! Which lines and branches explored paths reach.

use std::collections::BTreeMap;

use borges_concolic::{Explored, Witness};

use super::inquiry::Inquiry;
use super::{listing, walk};
use crate::command::question::{CoverListing, CoveredLine, OneSided, SuggestedInput};
use crate::scene::place_of;

/// The program's own lines and branches; those of the compiler's library are left out.
pub(super) fn listing(inquiry: &Inquiry, explored: &Explored) -> CoverListing {
    let info = &inquiry.info;
    let own = |at| {
        let place = info.place_at(at)?;
        let file = info.file(place.file)?;
        (!file.path.starts_with('~')).then_some((&file.path, place.line))
    };
    let mut lines: BTreeMap<(&String, u32), Option<&Witness>> = BTreeMap::new();
    for (offset, witness) in explored.coverage.instructions() {
        let Some(line) = own(offset) else { continue };
        let known = lines.entry(line).or_default();
        *known = known.or(witness);
    }
    let lines = lines.into_iter().map(|((file, line), witness)| {
        let reads = witness.map(|witness| reads(inquiry, witness));
        CoveredLine {
            file: file.clone(),
            line,
            inputs: reads
                .as_ref()
                .map(|reads| reads.iter().map(|read| read.value.clone()).collect()),
            reads: reads.unwrap_or_default(),
        }
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

/// What leads to a line: inputs, then interrupts.
fn reads(inquiry: &Inquiry, witness: &Witness) -> Vec<SuggestedInput> {
    let scene = listing::scene(inquiry);
    let chosen = witness.inputs.iter().filter(|answered| !answered.goes());
    let inputs = chosen.map(|answered| SuggestedInput {
        call: scene.call_text(answered.primitive, &answered.args),
        value: walk::said(answered),
    });
    let events = witness.events.iter().map(|event| SuggestedInput {
        call: walk::EVENT.to_owned(),
        value: walk::arrival(event),
    });
    inputs.chain(events).collect()
}
