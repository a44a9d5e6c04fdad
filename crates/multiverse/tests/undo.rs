//! Causal rollback on walks through a small concurrent language.

use crate::threads::{Do, Threads, threads};
use borges_multiverse::causality::Causality;
use borges_multiverse::language::Language;
use borges_multiverse::tree::{BranchId, Place};
use borges_multiverse::walk::{Led, Schedule, Walk, WalkError};
use proptest::prelude::*;

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

proptest! {
    /// Wherever the walk goes in between, a follower that is led after it remembers what one sees that begins anew.
    #[test]
    fn a_follower_goes_where_the_walk_goes(
        program in threads(), seeds in prop::collection::vec(any::<u64>(), 1..8),
    ) {
        let (mut walk, mut led) = (Walk::new(&program), Led::default());
        for seed in seeds {
            walk.run(&mut Schedule::random(seed), seed % 20, |_| true).unwrap();
            let run: &Causality<&Threads> = walk.lead(&mut led, |_| true).unwrap();
            let again = Causality::of(&&program, &program.initial(), &choices(&walk)).unwrap();
            prop_assert_eq!(run.class(), again.class());
            let back = u32::try_from(seed % 7).unwrap();
            let depth = walk.place().index.saturating_sub(back);
            walk.jump(walk.tree().at_depth(walk.place(), depth).unwrap()).unwrap();
        }
    }
}

#[test]
fn a_follower_that_is_stopped_is_led_on() {
    let program = Threads(vec![vec![Do::Write(0, 1); 400]]);
    let (mut walk, mut led) = (Walk::new(&program), Led::<Causality<&Threads>>::default());
    walk.run(&mut Schedule::First, 400, |_| true).unwrap();
    assert!(walk.lead(&mut led, |_| false).is_none());
    let mut asked = 0;
    let run = walk.lead(&mut led, |_| {
        asked += 1;
        true
    });
    assert_eq!(run.unwrap().events().len(), 400);
    assert_eq!(asked, 1, "it goes on from where it was stopped");
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
