//! Walks through random programs, against the program itself.

use crate::common::{Counted, Digraph, digraph};
use borges_multiverse::graph::{Limits, Pause};
use borges_multiverse::language::Language;
use borges_multiverse::tree::{End, Layout, Place, TreeError};
use borges_multiverse::walk::{Moment, Rest, Schedule, Sought, Walk, WalkError};
use proptest::prelude::*;

/// A diamond: 0 to 1 or 2, both to 3, then to 4, the end.
fn diamond() -> Digraph {
    Digraph(vec![vec![1, 2], vec![3], vec![3], vec![4], vec![]])
}

/// A counter from 0 to 999 without choices, then two ends.
fn long() -> Digraph {
    let mut nodes: Vec<_> = (1..1000).map(|next| vec![next]).collect();
    nodes.extend([vec![1000, 1001], vec![], vec![]]);
    Digraph(nodes)
}

#[derive(Clone, Debug)]
enum Op {
    Forward(usize),
    Back,
    Jump(usize),
    Run(u64),
    Go(usize),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => any::<usize>().prop_map(Op::Forward),
        2 => Just(Op::Back),
        2 => any::<usize>().prop_map(Op::Jump),
        1 => (0..200_u64).prop_map(Op::Run),
        1 => any::<usize>().prop_map(Op::Go),
    ]
}

fn visited(walk: &Walk<&Digraph>) -> Vec<Place> {
    let mut places = vec![Place::ROOT];
    let mut at = 0;
    while let Some(place) = places.get(at) {
        let children: Vec<_> = walk.tree().children(*place).collect();
        places.extend(children);
        at += 1;
    }
    places
}

proptest! {
    #[test]
    fn a_walk_stands_where_its_choices_lead(program in digraph(), ops in prop::collection::vec(op(), 1..60)) {
        let mut walk = Walk::new(&program);
        for op in ops {
            let places = visited(&walk);
            match op {
                Op::Forward(n) if !walk.options().is_empty() => {
                    let (option, from) = (n % walk.options().len(), *walk.state());
                    walk.forward(option).unwrap();
                    prop_assert_eq!(*walk.state(), program.0[from][option]);
                }
                Op::Forward(n) => {
                    let refused = WalkError::NoOption { asked: n, options: 0 };
                    prop_assert_eq!(walk.forward(n), Err(refused));
                }
                Op::Back if walk.place() == Place::ROOT => {
                    prop_assert_eq!(walk.back(), Err(WalkError::AtStart));
                }
                Op::Back => {
                    let (place, state) = (walk.place(), *walk.state());
                    let option = walk.tree().entry(place).unwrap().option;
                    walk.back().unwrap();
                    walk.forward(option as usize).unwrap();
                    prop_assert_eq!((walk.place(), *walk.state()), (place, state));
                    walk.back().unwrap();
                }
                Op::Jump(n) => walk.jump(places[n % places.len()]).unwrap(),
                Op::Run(limit) => {
                    let rest = walk.run(&mut Schedule::random(limit), limit, |_| true).unwrap();
                    let expected = if walk.options().is_empty() { Rest::End } else { Rest::Limit };
                    prop_assert_eq!(rest, expected);
                }
                Op::Go(n) => {
                    walk.jump(places[n % places.len()]).unwrap();
                    let (moment, place) = (walk.moment(), walk.place());
                    let again: Moment = moment.to_string().parse().unwrap();
                    prop_assert_eq!(&again, &moment);
                    walk.jump(Place::ROOT).unwrap();
                    walk.go(&again, 10_000).unwrap();
                    prop_assert_eq!(walk.place(), place);
                    let mut fresh = Walk::new(&program);
                    fresh.go(&again, 10_000).unwrap();
                    prop_assert_eq!(fresh.state(), walk.state());
                }
            }
            // The state is what the recorded choices give, from the start.
            let mut state = program.initial();
            for (_, taken) in walk.tree().path(walk.place()).unwrap() {
                state = program.0[state][taken.choice];
            }
            prop_assert_eq!(*walk.state(), state);
            prop_assert_eq!(walk.options().len(), program.0[state].len());
            prop_assert_eq!(walk.outcome().is_some(), program.0[state].is_empty());
            prop_assert_eq!(walk.steps(), u64::from(walk.place().depth()));
            let history = walk.history(3);
            prop_assert_eq!(history.len(), 3.min(walk.place().index as usize));
            for past in history {
                let to = walk.state_at(past.place).unwrap();
                let arrow = format!("to {to}");
                prop_assert!(past.label.text.ends_with(&arrow));
            }
        }
    }

    #[test]
    fn seeking_finds_a_shortest_way_or_none(program in digraph(), goal in 0..12_usize) {
        let mut walk = Walk::new(&program);
        let sought = walk.seek(|visit| *visit.state == goal, &Limits::default(), |_| true);
        // At least one step: the start itself is no arrival.
        let shortest = program.0[0].iter()
            .filter_map(|to| program.distances(*to).get(goal).copied().flatten()).min();
        match sought {
            Sought::Found(way) => {
                prop_assert_eq!(Some(way.len() as u32), shortest.map(|d| d + 1));
                walk.take(&way).unwrap();
                prop_assert_eq!(*walk.state(), goal);
            }
            sought => {
                prop_assert_eq!(sought, Sought::Nowhere);
                prop_assert_eq!(shortest, None);
            }
        }
    }
}

#[test]
fn breakpoints_compose_and_fire_every_time() {
    let program = diamond();
    let mut walk = Walk::new(&program);
    let three = walk.break_when("at three", |visit| *visit.state == 3);
    let odd = walk.break_when("odd", |visit| *visit.state % 2 == 1);
    let from_two = walk.break_when("from two", |visit| {
        visit.arrived.is_some_and(|(s, _)| *s == 2)
    });
    fn run(walk: &mut Walk<&Digraph>) -> Rest {
        walk.run(&mut Schedule::First, 100, |_| true).unwrap()
    }
    assert_eq!(run(&mut walk), Rest::Breakpoints(vec![odd]));
    assert_eq!(run(&mut walk), Rest::Breakpoints(vec![three, odd]));
    assert_eq!(run(&mut walk), Rest::End);
    // In the other universe it fires again; backwards too.
    walk.jump(Place::ROOT).unwrap();
    assert_eq!(walk.forward(1), Ok(vec![]));
    assert_eq!(
        run(&mut walk),
        Rest::Breakpoints(vec![three, odd, from_two])
    );
    assert_eq!(run(&mut walk), Rest::End);
    assert_eq!(
        walk.run_back(|_| true),
        Ok(Rest::Breakpoints(vec![three, odd, from_two]))
    );
    assert_eq!(walk.run_back(|_| true), Ok(Rest::End));
    assert_eq!(walk.breakpoints()[&three].hits, 3);
    assert!(walk.enable(odd, false) && walk.unbreak(three) && !walk.unbreak(three));
    assert_eq!(run(&mut walk), Rest::End);
}

#[test]
fn schedules_ask_or_choose() {
    let program = long();
    let mut walk = Walk::new(&program);
    assert_eq!(
        walk.run(&mut Schedule::Ask, 10_000, |_| true),
        Ok(Rest::Choice)
    );
    assert_eq!((walk.steps(), walk.options().len()), (999, 2));
    while let Some(last) = walk.options().len().checked_sub(1) {
        walk.forward(last).unwrap();
    }
    assert_eq!(walk.outcome().unwrap().to_string(), "finished: 1001");
    let ends: Vec<_> = walk.tree().leaves().map(|leaf| leaf.end.clone()).collect();
    assert_eq!(ends, [End::Finished(walk.outcome().unwrap())]);
    walk.jump(Place::ROOT).unwrap();
    assert_eq!(
        walk.run(&mut Schedule::First, 500, |_| true),
        Ok(Rest::Limit)
    );
    let mut calls = 0;
    let cancelled = walk.run(&mut Schedule::First, 500, |_| {
        calls += 1;
        false
    });
    assert_eq!((cancelled, calls), (Ok(Rest::Cancelled), 1));
    // Past the cancelled run the walk goes on as if nothing had been.
    assert_eq!(walk.moment().to_string(), walk.steps().to_string());
    assert_eq!(
        walk.state_at(walk.tree().tip(walk.place().branch).unwrap()),
        Some(1001)
    );
}

#[test]
fn moments_that_do_not_exist_leave_the_walk_alone() {
    let program = diamond();
    let mut walk = Walk::new(&program);
    walk.forward(1).unwrap();
    let here = (walk.place(), *walk.state());
    let mut go = |text: &str, limit| walk.go(&text.parse().unwrap(), limit);
    assert_eq!(go("0.2-0", 100), Err(WalkError::Moment { step: 0 }));
    assert_eq!(go("1.0-0", 100), Err(WalkError::Moment { step: 0 }));
    assert_eq!(go("0.0-0.0-0", 100), Err(WalkError::Moment { step: 1 }));
    assert_eq!(go("0.0-3", 100), Err(WalkError::Moment { step: 3 }));
    assert_eq!(go("0.0-2", 2), Err(WalkError::TooFar(2)));
    assert_eq!(
        go("18446744073709551615.0-0", 2),
        Err(WalkError::Moment { step: 0 })
    );
    assert_eq!((walk.place(), *walk.state()), here);
    walk.go(&"0.0-2".parse().unwrap(), 3).unwrap();
    assert_eq!(
        (*walk.state(), walk.moment().to_string()),
        (4, "0.0-2".to_owned())
    );
    let nowhere = Place {
        index: 77,
        ..Place::ROOT
    };
    assert_eq!(walk.jump(nowhere), Err(WalkError::Tree(TreeError::Unknown)));
}

#[test]
fn a_seek_that_meets_a_limit_says_so() {
    let program = long();
    let walk = Walk::new(&program);
    let limits = Limits {
        depth: 10,
        ..Limits::default()
    };
    let sought = walk.seek(|visit| *visit.state == 500, &limits, |_| true);
    assert_eq!(sought, Sought::Unknown(Pause::Depth));
    let sought = walk.seek(|visit| *visit.state == 500, &Limits::default(), |_| true);
    assert!(matches!(sought, Sought::Found(way) if way.len() == 500));
}

#[test]
fn the_walk_is_drawn_with_the_rules_of_the_language() {
    let program = diamond();
    let mut walk = Walk::new(&program);
    walk.run(&mut Schedule::First, 100, |_| true).unwrap();
    walk.jump(Place::ROOT).unwrap();
    walk.forward(1).unwrap();
    walk.mark("suspicious".into()).unwrap();
    let expected = "\
◉ start
├─ ● GO 0 to 2  ◀ here  ⚑ suspicious
│  ○ open, step 1
● GO 0 to 1
● GO 1 to 3
● GO 3 to 4
■ finished: 4, step 3
";
    assert_eq!(walk.render_text(&Layout::default()), expected);
}

#[test]
fn long_walks_keep_few_states_and_find_all() {
    let program = long();
    let mut walk = Walk::new(&program);
    walk.run(&mut Schedule::Ask, 10_000, |_| true).unwrap();
    for depth in [0, 1, 63, 64, 65, 700, 999] {
        let place = Place {
            index: depth,
            ..Place::ROOT
        };
        assert_eq!(walk.state_at(place), Some(depth as usize));
    }
    walk.jump(Place {
        index: 63,
        ..Place::ROOT
    })
    .unwrap();
    assert_eq!(*walk.state(), 63);
    walk.forward(0).unwrap();
    assert_eq!(walk.state_at(walk.place()), Some(64));
}

/// A state is found again from one that was kept not far before it.
#[test]
fn a_state_is_found_within_a_stride() {
    const STRIDE: usize = 64;
    let program = Counted::new(long());
    let mut walk = Walk::new(&program);
    walk.run(&mut Schedule::First, 999, |_| true).unwrap();
    assert_eq!(walk.kept(), 1 + 999 / STRIDE);
    for index in 0..999_u32 {
        let before = program.applied.get();
        let place = walk.tree().at_depth(walk.place(), index).unwrap();
        assert_eq!(walk.state_at(place), Some(index as usize));
        assert_eq!(program.applied.get() - before, index as usize % STRIDE);
    }
}

/// At the limit all that were to be kept are kept; one past it, every other one is forgotten.
#[test]
fn no_more_states_are_kept_than_allowed() {
    const STRIDE: u64 = 64;
    for most in [1, 4, 8] {
        let program = long();
        let mut walk = Walk::new(&program).keep_at_most(most);
        let last = STRIDE * (most as u64 - 1);
        walk.run(&mut Schedule::First, last, |_| true).unwrap();
        assert_eq!(walk.kept(), most);
        walk.run(&mut Schedule::First, STRIDE, |_| true).unwrap();
        assert_eq!(walk.kept(), most / 2 + 1);
        for _ in 0..999 {
            walk.run(&mut Schedule::First, 1, |_| true).unwrap();
            assert!(walk.kept() <= most);
        }
        for index in 0..999_u32 {
            let place = walk.tree().at_depth(walk.place(), index).unwrap();
            assert_eq!(walk.state_at(place), Some(index as usize));
        }
    }
    // What is kept already is too much, too.
    let program = long();
    let mut walk = Walk::new(&program);
    walk.run(&mut Schedule::First, 999, |_| true).unwrap();
    assert_eq!(walk.keep_at_most(0).kept(), 1);
}
