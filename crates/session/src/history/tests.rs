//! The history alone: a twin and what is recorded of it, without names, files or a device.

use std::path::Path;

use borges_board::{Captured, Yield};
use borges_multiverse::tree::Place;
use borges_stub::{Asked, Call};

use super::entry::Moment;
use super::twin::{Feed, Twin};
use super::{History, SeekError, Source};
use crate::command::{Flow, unobserved};
use crate::options::Options;
use crate::program::Opened;
use crate::program::loaded::Loaded;

/// A program that reads a colour, turns a motor, and waits, for ever.
pub(crate) const DIAL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/color-dial/color-dial.wasm"
);

/// Inputs answer one value of their codomains after the other.
struct Turns(u64);

impl Feed for Turns {
    fn input(&mut self, _: &Call<'_>, asked: &Asked<'_>) -> Option<(Yield, bool)> {
        let codomain = asked
            .board
            .codomain_at(asked.primitive, asked.args, asked.state);
        self.0 += 1;
        let value = codomain.nth(self.0 % codomain.count()?)?;
        Some((value.into(), false))
    }

    fn captured(&mut self, _: &Call<'_>, _: &Asked<'_>) -> Option<Captured> {
        Some(Captured::Nothing)
    }
}

/// Lets the program go on for so many steps, with inputs that follow from a number.
pub(crate) fn go_on(history: &mut History, steps: u64, first: u64) {
    let until = history.here().steps + steps;
    let went = history.extend(&mut Turns(first), Source::Device, until);
    went.expect("what happened fits");
}

fn dial() -> History {
    let opened = Opened::read((Path::new(DIAL), &[]), None, None, None);
    let (loaded, machine) = Loaded::new(opened.expect("the example opens"), 0);
    let mut options = Options::new(DIAL);
    (options.keyframe_spacing, options.look_every) = (100, 70);
    History::new(Twin::new(loaded.program().clone(), machine), &options)
}

#[test]
fn every_recorded_moment_is_shown_as_it_was_in_whatever_order() {
    let mut history = dial();
    let mut seen = Vec::new();
    for first in 0..5 {
        for _ in 0..20 {
            go_on(&mut history, 13, first);
            seen.push((history.here(), history.twin().hash()));
        }
        // From the middle of what was recorded another branch is begun.
        let (middle, _) = seen[seen.len() / 2];
        history.seek(middle, &mut unobserved).expect("it is known");
    }
    assert!(history.tree().branches().count() > 2);
    // Steps through the list that meet all of it, once.
    for nth in 0..seen.len() {
        let (at, hash) = seen[nth * 37 % seen.len()];
        history.seek(at, &mut unobserved).expect("it was recorded");
        assert_eq!((history.here(), history.twin().hash()), (at, hash));
    }
    // A replay from the start, without a snapshot, says the same.
    let (at, hash) = seen[70];
    let sought = history.seek_afresh(at, &mut unobserved);
    sought.expect("it was recorded");
    assert_eq!(history.twin().hash(), hash);
}

#[test]
fn step_by_step_back_leads_to_the_start_and_each_step_leads_on() {
    let mut history = dial();
    go_on(&mut history, 700, 1);
    let mut at = history.tip();
    let mut entries = history.tree().entry_count();
    while let Some(before) = history.before(at) {
        assert!(history.leads_to(before, at), "{before:?} to {at:?}");
        match before.place == at.place {
            true => assert_eq!(before.steps, at.steps - 1),
            false => entries -= 1,
        }
        at = before;
    }
    assert_eq!((at, entries), (Moment::START, 0));
}

#[test]
fn a_pause_leaves_the_twin_on_the_way_and_what_was_held_is_come_back_to() {
    let mut history = dial();
    go_on(&mut history, 2_000, 3);
    let (here, hash) = (history.hold(), history.twin().hash());
    history
        .seek(Moment::START, &mut unobserved)
        .expect("the start");
    // No snapshot is left but the first.
    history.forget_after(Place::ROOT);
    let paused = history.seek(here, &mut |_| Flow::Pause);
    assert_eq!(paused, Err(SeekError::Paused));
    let on_the_way = history.here();
    assert!(on_the_way.steps < here.steps && history.leads_to(on_the_way, here));
    history.seek(here, &mut unobserved).expect("it is held");
    history.release();
    assert_eq!((history.here(), history.twin().hash()), (here, hash));
}
