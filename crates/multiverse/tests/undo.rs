//! Causal rollback on walks through a small concurrent language.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside `#[test]` functions.

#[path = "common/threads.rs"]
mod threads;

use borges_multiverse::causality::Causality;
use borges_multiverse::language::Language;
use borges_multiverse::tree::{BranchId, Place};
use borges_multiverse::walk::{Schedule, Walk, WalkError};
use proptest::prelude::*;
use threads::{Do, Threads, threads};

fn choices(walk: &Walk<&Threads>) -> Vec<(usize, i8)> {
    walk.tree()
        .path(walk.place())
        .unwrap()
        .map(|(_, taken)| taken.choice)
        .collect()
}

proptest! {
    #[test]
    fn undoing_removes_an_event_and_exactly_what_depends_on_it(
        program in threads(), seed in any::<u64>(), pick in any::<prop::sample::Index>(),
    ) {
        let mut walk = Walk::new(&program);
        walk.run(&mut Schedule::random(seed), 100, |_| true).unwrap();
        let all = choices(&walk);
        if all.is_empty() {
            return Ok(());
        }
        let index = pick.index(all.len());
        let run = Causality::of(&program, &program.initial(), &all).unwrap();
        let gone: Vec<_> = (0..all.len()).filter(|n| run.happens_before(index, *n)).collect();
        let place = |n: usize| Place { branch: BranchId::ROOT, index: n as u32 + 1 };

        let end = walk.state().clone();
        let undone = walk.undo(place(index)).unwrap();
        prop_assert_eq!(undone.place, walk.place());
        let reversed: Vec<_> = gone.iter().rev().map(|n| place(*n)).collect();
        prop_assert_eq!(undone.events, reversed);
        let rest: Vec<_> = (0..all.len()).filter(|n| !gone.contains(n)).map(|n| all[n]).collect();
        prop_assert_eq!(choices(&walk), rest);
        // Doing again what was undone leads back to the same state.
        let again: Vec<_> = gone.iter().map(|n| all[*n]).collect();
        walk.take(&again).unwrap();
        prop_assert_eq!(walk.state(), &end);
    }
}

#[test]
fn an_agent_is_undone_past_what_others_did_since() {
    let program = Threads(vec![
        vec![Do::Write(0, 1), Do::Guard],
        vec![Do::Read(0)],
        vec![Do::Read(1)],
    ]);
    let mut walk = Walk::new(&program);
    walk.take(&[(0, 0), (0, 0), (1, 0), (2, 0)]).unwrap();
    let path = |walk: &Walk<&Threads>| walk.history(u32::MAX);
    // The guard of thread 0 caused nothing, though two steps came after it.
    let guard = path(&walk)[1].place;
    assert_eq!(walk.undo(guard).unwrap().events, [guard]);
    assert_eq!(choices(&walk), [(0, 0), (1, 0), (2, 0)]);
    // The write was read by thread 1, not by thread 2.
    let [write, read] = [0, 1].map(|nth| path(&walk)[nth].place);
    assert_eq!(walk.undo(write).unwrap().events, [read, write]);
    assert_eq!(choices(&walk), [(2, 0)]);
    assert_eq!(walk.undo(Place::ROOT), Err(WalkError::NoEvent));
    assert_eq!(walk.undo(write), Err(WalkError::NoEvent));
}

#[test]
fn threads_take_turns_in_the_order_of_their_names() {
    let program = Threads(vec![
        vec![Do::Guard; 3],
        vec![Do::Guard; 1],
        vec![Do::Guard; 2],
    ]);
    let mut walk = Walk::new(&program);
    walk.run(&mut Schedule::round_robin(), 100, |_| true)
        .unwrap();
    let agents: Vec<_> = choices(&walk)
        .into_iter()
        .map(|(thread, _)| thread)
        .collect();
    // Guards skip the next instruction here: no register is positive.
    assert_eq!(agents, [0, 1, 2, 0]);
}
