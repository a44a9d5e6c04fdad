//! A survey finds what a graph finds: with 64 and 128 bits, however many shares it has, in whatever order these hear from
//! each other, and when it goes on from what was kept.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Digraph, Threads, digraph};
use crate::found::{Found, of_graph, wide};
use borges_multiverse::fingerprint::{Digest, Fingerprint, WideFingerprint};
use borges_multiverse::graph::{
    Counts, Limits, News, Onlooker, Pause, Prefixes, Share, Sight, Survey, Surveyed, Unsure,
};
use borges_multiverse::language::Language;
use borges_multiverse::random::Random;
use proptest::prelude::*;

fn of_survey<F: Digest>(program: &Digraph, survey: &Survey<&Digraph, F>) -> Found {
    let ends = survey.ends();
    for (outcome, end) in &ends {
        // The way leads there.
        let choices = survey.way(end);
        assert_eq!(choices.len() as u32, end.depth);
        assert_eq!(walked(program, choices), outcome.value);
    }
    let ends = ends
        .into_iter()
        .map(|(outcome, end)| (outcome.value, (end.states, end.depth)));
    (survey.states(), survey.edges(), ends.collect())
}

fn walked(program: &Digraph, choices: impl IntoIterator<Item = usize>) -> usize {
    let step = |state, choice| program.apply(&state, &choice).unwrap().state;
    choices.into_iter().fold(program.initial(), step)
}

/// Shares that hear from each other late, in any order, or not before they have to.
struct Hostile<'p, F> {
    shares: Vec<Share<&'p Digraph, F>>,
    asks: Vec<(usize, usize, Unsure<F>)>,
    answers: Vec<(usize, News)>,
    random: Random,
}

impl<'p, F: Digest> Hostile<'p, F> {
    /// So many shares, to which one alone has left what it came to.
    fn new(program: &'p Digraph, of: usize, alone_for: usize, seed: u64) -> Self {
        let mut alone = Share::alone(program);
        alone.expand(alone_for, &mut ());
        let digests: Vec<F> = alone.digests().flatten().collect();
        let counts = alone.counts();
        let none = Counts {
            depth: counts.depth,
            ..Counts::default()
        };
        let parts = alone.prefixes().split(of);
        let share = |(nth, part): (usize, &Prefixes)| {
            let counts = if nth == 0 { counts } else { none };
            let place = (nth as u32, of as u32);
            Share::of(program, place, counts, part, digests.iter().copied()).unwrap()
        };
        Self {
            shares: parts.iter().enumerate().map(share).collect(),
            asks: Vec::new(),
            answers: Vec::new(),
            random: Random::from_seed(seed),
        }
    }

    fn run(&mut self) {
        loop {
            let nth = self.random.below(self.shares.len());
            match self.random.below(5) {
                0 => self.shares[nth].expand(1, &mut ()),
                1 => {
                    let to = self.random.below(self.shares.len());
                    let ask = self.shares[nth].ask(to as u32);
                    self.asks.extend(ask.map(|ask| (nth, to, ask)));
                }
                2 if !self.asks.is_empty() => {
                    let at = self.random.below(self.asks.len());
                    let (from, to, ask) = self.asks.swap_remove(at);
                    self.answers.push((from, self.shares[to].answer(&ask)));
                }
                3 if !self.answers.is_empty() => {
                    let at = self.random.below(self.answers.len());
                    let (from, answer) = self.answers.swap_remove(at);
                    self.shares[from].settle(&answer);
                    // Whoever says something twice is not believed twice.
                    self.shares[from].settle(&answer);
                }
                _ => {
                    let is_done = self
                        .shares
                        .iter()
                        .all(|share| share.waiting() == 0 && share.is_settled());
                    if is_done && self.shares.iter().all(|share| share.ahead() == 0) {
                        return;
                    }
                    if is_done {
                        self.shares.iter_mut().for_each(Share::deepen);
                    }
                }
            }
        }
    }

    fn found(&self) -> Found {
        let mut ends: BTreeMap<usize, (u64, u32)> = BTreeMap::new();
        for (outcome, Surveyed { states, depth, .. }) in self.shares.iter().flat_map(Share::ends) {
            let end = ends.entry(outcome.value).or_insert((0, u32::MAX));
            *end = (end.0 + states, end.1.min(*depth));
        }
        let edges = self.shares.iter().map(|share| share.counts().edges).sum();
        (self.shares.iter().map(Share::known).sum(), edges, ends)
    }
}

/// Remembers which states it was shown.
#[derive(Default)]
struct Shown(Vec<(usize, Vec<u32>)>);

impl Onlooker<&Digraph> for Shown {
    fn look(&mut self, sight: &Sight<'_, &Digraph>) {
        assert_eq!(
            sight.outcome.is_some(),
            sight.language.0[*sight.state].is_empty()
        );
        self.0.push((*sight.state, (sight.way)()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn one_share_finds_what_a_graph_finds(program in digraph(), depth in 0..6_u32) {
        let mut survey = Survey::new(&program);
        // In two parts.
        survey.run(&Limits { depth, ..Limits::default() }, |_| true);
        prop_assert_eq!(survey.run(&Limits::default(), |_| true), Pause::Complete);
        prop_assert_eq!(of_survey(&program, &survey), of_graph(&program));
    }

    #[test]
    fn shares_that_hear_from_each_other_at_any_time_find_the_same(program in digraph(), alone in 0..5_usize, seed: u64) {
        let expected = of_graph(&program);
        for of in [1, 2, 3, 7] {
            let mut hostile = Hostile::<Fingerprint>::new(&program, of, alone, seed);
            hostile.run();
            prop_assert_eq!(&hostile.found(), &expected);
        }
        let mut hostile = Hostile::<WideFingerprint>::new(&program, 3, alone, seed);
        hostile.run();
        prop_assert_eq!(hostile.found(), expected);
    }

    #[test]
    fn what_was_kept_anywhere_is_gone_on_with(program in digraph(), rounds in 0..20_usize, shares in 1..5_usize) {
        let (mut survey, mut left) = (Survey::new(&program), rounds);
        let one = Limits { states: 1, ..Limits::default() };
        // A state after the other.
        while left > 0 {
            left -= 1;
            let more = Limits { states: survey.states() + 1, ..one };
            survey.run(&more, |_| true);
        }
        let digests: Vec<Fingerprint> = survey.digests().flatten().collect();
        let mut resumed = Survey::resume(&program, &survey.kept(), digests, shares).unwrap();
        prop_assert_eq!((resumed.states(), resumed.counts()), (survey.states(), survey.counts()));
        prop_assert_eq!(resumed.run(&Limits::default(), |_| true), Pause::Complete);
        prop_assert_eq!(of_survey(&program, &resumed), of_graph(&program));
    }
}

#[test]
fn work_that_is_shared_out_finds_the_same() {
    for seed in 0..6 {
        let program = wide(seed, 20_000);
        let expected = of_graph(&program);
        for shares in [2, 3, 7] {
            let mut survey = Survey::<_, WideFingerprint>::begin(&program);
            let pause = survey.run_on(&Threads(shares), &Limits::default(), |_| true);
            assert_eq!((pause, survey.shares()), (Pause::Complete, shares));
            assert_eq!(of_survey(&program, &survey), expected);
            // Steps that lead to what was just met ask nobody.
            assert!(survey.counts().asked < survey.edges());
        }
    }
}

#[test]
fn ways_that_are_gone_once_more_lead_to_the_same_states() {
    for (seed, held, shares) in [(1, 1, 1), (2, 0, 1), (3, 100, 1), (4, 17, 3), (5, 300, 2)] {
        let program = wide(seed, 20_000);
        let mut survey: Survey<_> = Survey::new(&program);
        survey.hold(held);
        // In two parts, so that some wait in each level.
        let half = Limits {
            states: 9000,
            ..Limits::default()
        };
        survey.run_on(&Threads(shares), &half, |_| true);
        survey.hold(held);
        let digests: Vec<Fingerprint> = survey.digests().flatten().collect();
        let mut resumed = Survey::resume(&program, &survey.kept(), digests, 2).unwrap();
        resumed.hold(held);
        for survey in [&mut survey, &mut resumed] {
            let pause = survey.run_on(&Threads(shares.max(2)), &Limits::default(), |_| true);
            assert_eq!(pause, Pause::Complete);
            assert_eq!(of_survey(&program, survey), of_graph(&program));
        }
    }
}

#[test]
fn a_shared_survey_is_stopped_kept_and_gone_on_with_by_others() {
    let program = wide(9, 20_000);
    let expected = of_graph(&program);
    for (before, after) in [(3, 1), (1, 3), (2, 3), (3, 2)] {
        let mut survey = Survey::new(&program);
        let half = Limits {
            states: expected.0 / 2,
            ..Limits::default()
        };
        assert_eq!(
            survey.run_on(&Threads(before), &half, |_| true),
            Pause::States
        );
        assert!(survey.states() < expected.0 && survey.shares() == before);
        let digests: Vec<Fingerprint> = survey.digests().flatten().collect();
        let mut resumed = Survey::resume(&program, &survey.kept(), digests, after).unwrap();
        assert_eq!(
            resumed.run_on(&Threads(after), &Limits::default(), |_| true),
            Pause::Complete
        );
        assert_eq!(of_survey(&program, &resumed), expected);
    }
}

#[test]
fn each_state_is_looked_at_once_by_its_way() {
    let program = wide(4, 20_000);
    let mut survey: Survey<_> = Survey::new(&program);
    let mut shown = [Shown::default(), Shown::default(), Shown::default()];
    survey.look_on(&Threads(3), &Limits::default(), &mut shown, |_| true);
    let all: Vec<_> = shown.iter().flat_map(|shown| &shown.0).collect();
    let states: BTreeSet<_> = all.iter().map(|(state, _)| *state).collect();
    assert_eq!(
        (states.len(), all.len()),
        (survey.states(), survey.states())
    );
    assert!(shown.iter().all(|shown| shown.0.len() > 1000));
    for (state, way) in all.into_iter().step_by(97) {
        assert_eq!(
            walked(&program, way.iter().map(|option| *option as usize)),
            *state
        );
    }
}

#[test]
fn who_has_nothing_left_gets_of_what_others_have() {
    // Behind two of many ends lie chains of wide levels: whoever has those two would do everything alone.
    let (width, levels) = (900, 20);
    let mut nodes = vec![(1..=2000).collect::<Vec<usize>>()];
    nodes.extend((1..=2000).map(|_| Vec::new()));
    let first = nodes.len();
    nodes[1] = (first..first + width).collect();
    for level in 0..levels {
        for nth in 0..width {
            let next = first + (level + 1) * width + nth;
            nodes.push(if level + 1 < levels {
                vec![next]
            } else {
                Vec::new()
            });
        }
    }
    let program = Digraph(nodes);
    let mut survey: Survey<_> = Survey::new(&program);
    let mut shown = [Shown::default(), Shown::default()];
    survey.look_on(&Threads(2), &Limits::default(), &mut shown, |_| true);
    assert_eq!(of_survey(&program, &survey), of_graph(&program));
    let [one, two] = shown.map(|shown| shown.0.len());
    assert!(
        one.abs_diff(two) < 2500,
        "{one} and {two} of {}",
        survey.states()
    );
}

#[test]
fn ways_of_another_program_are_refused() {
    let (program, other) = (wide(1, 20_000), Digraph(vec![vec![1], vec![]]));
    let mut survey: Survey<_> = Survey::new(&program);
    survey.run(
        &Limits {
            states: 500,
            ..Limits::default()
        },
        |_| true,
    );
    let digests: Vec<Fingerprint> = survey.digests().flatten().collect();
    assert!(Survey::resume(&other, &survey.kept(), digests.iter().copied(), 2).is_err());
    // States that nobody knows: those of a build with other digests.
    let others = digests.iter().map(|digest| Fingerprint(digest.0 ^ 1));
    assert!(Survey::resume(&program, &survey.kept(), others, 2).is_err());
    let mut damaged = survey.kept();
    damaged[0].1.steps[0].0 = 7;
    assert!(Survey::resume(&program, &damaged, digests, 2).is_err());
}

/// Numbers the states that it sees.
#[derive(Default)]
struct Numbered(Vec<(u32, usize)>);

impl Onlooker<&Digraph> for Numbered {
    fn look(&mut self, sight: &Sight<'_, &Digraph>) {
        self.0.push((sight.number, *sight.state));
    }
}

#[test]
fn states_that_were_followed_are_recognized_by_whoever_goes_on() {
    let program = wide(4, 5_000);
    let most = |states| Limits {
        states,
        ..Limits::default()
    };
    let mut looks = Numbered::default();
    let mut survey = Survey::<_, Fingerprint>::begin(&program);
    survey.look_alone(&most(2000), &mut looks, |_| true);
    let waiting: Vec<_> = survey
        .numbered()
        .map(|(nth, state)| (nth, *state))
        .collect();
    let coming: Vec<_> = survey.coming().copied().collect();
    let states = |of: &[(u32, usize)]| of.iter().map(|(_, state)| *state).collect::<Vec<_>>();
    assert_eq!((coming.len(), coming), (survey.waiting(), states(&waiting)));
    let followed = looks.0.iter().rev().step_by(7);
    let wanted: Vec<_> = followed.chain(waiting.iter().take(50)).copied().collect();
    let numbers = |of: &[(u32, usize)]| of.iter().map(|(number, _)| *number).collect();
    let mut ways = survey.ways_to(numbers(&wanted));
    for _ in 0..3 {
        let digests: Vec<Fingerprint> = survey.digests().flatten().collect();
        survey = Survey::resume(&program, &survey.kept(), digests, 1).unwrap();
        let before = (survey.states(), survey.edges(), survey.waiting());
        let known = survey.recognize(&ways).unwrap();
        assert_eq!(states(&known), states(&wanted));
        let after = (survey.states(), survey.edges(), survey.waiting());
        assert_eq!(after, before);
        ways = survey.ways_to(numbers(&known));
    }
    survey.run(&Limits::default(), |_| true);
    assert_eq!(of_survey(&program, &survey), of_graph(&program));
    let other = Digraph(vec![vec![1], vec![]]);
    let mut other = Survey::<_, Fingerprint>::begin(&other);
    assert!(other.recognize(&ways).is_err());
    let none = Prefixes {
        now: vec![9],
        ..Prefixes::default()
    };
    assert!(survey.recognize(&none).is_err());
}

/// Keeps the states that it sees in their order, for somebody else too.
struct InOrder<'o>(&'o RefCell<Vec<usize>>);

impl Onlooker<&Digraph> for InOrder<'_> {
    fn look(&mut self, sight: &Sight<'_, &Digraph>) {
        self.0.borrow_mut().push(*sight.state);
    }
}

#[test]
fn whoever_looks_ahead_sees_what_comes() {
    let program = wide(2, 5_000);
    for held in [3, 40, usize::MAX] {
        let followed = RefCell::new(Vec::new());
        let mut survey = Survey::<_, Fingerprint>::begin(&program);
        survey.hold(held);
        let (mut seen, mut is_cut) = (Vec::new(), false);
        survey.look_alone(&Limits::default(), &mut InOrder(&followed), |survey| {
            let coming: Vec<_> = survey.coming().copied().collect();
            is_cut |= coming.len() < survey.waiting();
            seen.push((followed.borrow().len(), coming));
            true
        });
        let followed = followed.into_inner();
        for (from, coming) in &seen {
            assert_eq!(
                followed[*from..][..coming.len()],
                *coming,
                "{held}, from {from}"
            );
        }
        assert!(seen.len() > 100 && is_cut == (held < usize::MAX));
    }
}
