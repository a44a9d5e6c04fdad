//! A survey among several members finds what a graph finds, whenever their letters arrive; it is stopped, kept and gone on
//! with by others; and it ends for all when one is gone.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::common::{Digraph, Threads, digraph};
use crate::found::{Found, of_graph, wide};
use borges_multiverse::fingerprint::{Digest, Fingerprint, WideFingerprint};
use borges_multiverse::graph::{
    Apart, Counts, Leader, Letter, Limits, Member, Onlooker, Pause, Post, Prefixes, Sight, Survey,
    Tally,
};
use borges_multiverse::random::Random;
use proptest::prelude::*;

/// How many states each member followed.
type Seen = u64;

#[derive(Clone, Default)]
struct Counting(u64);

impl Onlooker<&Digraph> for Counting {
    fn look(&mut self, _: &Sight<'_, &Digraph>) {
        self.0 += 1;
    }
}

fn noted(looks: &[Counting]) -> Seen {
    looks.iter().map(|look| look.0).sum()
}

/// A letter, or the end of a line.
type Sent = Option<Letter<Seen>>;

/// Letters arrive late, and those of different senders in any order.
struct Hostile {
    place: usize,
    to: Vec<Sender<(usize, Sent)>>,
    from: Receiver<(usize, Sent)>,
    here: Vec<VecDeque<Sent>>,
    random: Random,
    /// After so many letters nobody can reach it any more, nor it them.
    lives_for: usize,
}

impl Drop for Hostile {
    fn drop(&mut self) {
        for to in &self.to {
            let _ = to.send((self.place, None));
        }
    }
}

impl Post<Letter<Seen>> for Hostile {
    fn send(&mut self, to: usize, letter: Letter<Seen>) {
        // Who does not listen any more has had enough.
        let _ = self.to[to].send((self.place, Some(letter)));
    }

    fn next(&mut self, wait: Duration) -> Result<Option<(usize, Letter<Seen>)>, Apart> {
        let is_empty = self.here.iter().all(VecDeque::is_empty);
        let first = match self
            .from
            .recv_timeout(if is_empty { wait } else { Duration::ZERO })
        {
            Ok(first) => Some(first),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("it can write to itself"),
        };
        for (from, letter) in first.into_iter().chain(self.from.try_iter()) {
            self.here[from].push_back(letter);
        }
        let from = self.random.below(self.here.len() + 1);
        let Some(sent) = self.here.get_mut(from).and_then(VecDeque::pop_front) else {
            return Ok(None);
        };
        self.lives_for = self.lives_for.saturating_sub(1);
        let gone = |member| Apart::Gone {
            member,
            why: "the line ended".to_owned(),
        };
        match sent {
            // As if all its own lines had ended.
            _ if self.lives_for == 0 => Err(gone(0)),
            Some(letter) => Ok(Some((from, letter))),
            None => Err(gone(from)),
        }
    }
}

fn posts(members: usize, seed: u64) -> Vec<Hostile> {
    let (to, from): (Vec<_>, Vec<_>) = (0..members).map(|_| channel()).unzip();
    let post = |(place, from)| Hostile {
        place,
        to: to.clone(),
        from,
        here: vec![VecDeque::new(); members],
        random: Random::from_seed(seed ^ place as u64),
        lives_for: usize::MAX,
    };
    from.into_iter().enumerate().map(post).collect()
}

/// What is kept of a survey.
struct Kept<F> {
    shares: Vec<(Counts, Prefixes)>,
    digests: Vec<F>,
    seen: Vec<Seen>,
}

/// Goes on with a survey among members that have so many shares, until a limit.
fn among<F: Digest>(
    program: &Digraph,
    kept: &Kept<F>,
    shares: &[u32],
    limits: &Limits,
    posts: Vec<Hostile>,
) -> Result<(Pause, Tally, Kept<F>), Apart> {
    let looks = |place: usize| vec![Counting::default(); shares[place] as usize];
    std::thread::scope(|scope| {
        let mut posts = posts.into_iter().enumerate();
        let (_, mut post) = posts.next().unwrap();
        let others: Vec<_> = posts
            .map(|(place, mut post)| {
                let looks = looks(place);
                scope.spawn(move || {
                    let mut member = Member::<_, F, _>::new(&program, place, shares, looks);
                    member.work(&mut post, &Threads(shares[place] as usize), &noted)
                })
            })
            .collect();
        let mut led = || {
            let mut leader = Leader::<_, F, _, _>::new(&program, shares, looks(0), &noted);
            let digests = kept.digests.iter().copied().map(Some);
            leader.deal(&mut post, &kept.shares, digests)?;
            let threads = Threads(shares[0] as usize);
            let pause = leader.run(&mut post, &threads, limits, |_, all| {
                all.len() == shares.len()
            })?;
            let (kept, seen) = leader.kept(&mut post, true)?;
            let mut digests = Vec::new();
            for part in leader.digests(&mut post) {
                let part: Vec<F> = part?;
                assert!(part.is_sorted());
                digests.extend(part);
            }
            leader.end(&mut post);
            Ok((
                pause,
                leader.tally(),
                Kept {
                    shares: kept,
                    digests,
                    seen,
                },
            ))
        };
        let done = led();
        drop(post);
        let ended: Vec<_> = others
            .into_iter()
            .map(|other| other.join().unwrap())
            .collect();
        assert!(
            done.is_err() || ended.iter().all(Result::is_ok),
            "{ended:?}"
        );
        done
    })
}

/// What one alone leaves after so many states.
fn alone<F: Digest>(program: &Digraph, states: usize) -> Kept<F> {
    let mut survey = Survey::<_, F>::begin(program);
    for most in 1..=states {
        let limits = Limits {
            states: most,
            ..Limits::default()
        };
        survey.run(&limits, |_| true);
    }
    Kept {
        shares: survey.kept(),
        digests: survey.digests().flatten().collect(),
        seen: Vec::new(),
    }
}

fn found<F: Digest>(program: &Digraph, tally: &Tally, kept: &Kept<F>) -> Found {
    let survey = Survey::<_, F>::collected(program, &kept.shares).unwrap();
    let ends = survey.ends().into_iter().map(|(outcome, end)| {
        assert_eq!(survey.way(&end).len() as u32, end.depth);
        (outcome.value, (end.states, end.depth))
    });
    let mut different = kept.digests.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), kept.digests.len());
    assert_eq!(different.len() as u64, tally.states);
    (different.len(), tally.counts.edges, ends.collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn members_whose_letters_arrive_at_any_time_find_the_same(program in digraph(), before in 0..5_usize, seed: u64) {
        let expected = of_graph(&program);
        let kept = alone::<Fingerprint>(&program, before);
        for shares in [&[1, 1][..], &[2, 1], &[1, 3, 2]] {
            let posts = posts(shares.len(), seed);
            let (pause, tally, kept) = among(&program, &kept, shares, &Limits::default(), posts).unwrap();
            prop_assert_eq!(pause, Pause::Complete);
            prop_assert_eq!(found(&program, &tally, &kept), expected.clone());
        }
    }
}

#[test]
fn members_that_are_stopped_are_gone_on_from_by_others() {
    for seed in 0..3 {
        let program = wide(seed, 20_000);
        let expected = of_graph(&program);
        let begun = alone::<WideFingerprint>(&program, 600);
        let half = Limits {
            states: expected.0 / 2,
            ..Limits::default()
        };
        let (pause, tally, kept) = among(&program, &begun, &[2, 1], &half, posts(2, seed)).unwrap();
        assert_eq!(pause, Pause::States);
        assert!((expected.0 / 2..expected.0).contains(&(tally.states as usize)));
        // By three, and by one process alone.
        let all = Limits::default();
        let (pause, tally, three) =
            among(&program, &kept, &[1, 1, 1], &all, posts(3, seed)).unwrap();
        assert_eq!(
            (pause, found(&program, &tally, &three)),
            (Pause::Complete, expected.clone())
        );
        assert!(
            three.seen.iter().all(|seen| *seen > 1000),
            "{:?}",
            three.seen
        );
        let mut survey = Survey::resume(&program, &kept.shares, kept.digests, 2).unwrap();
        assert_eq!(survey.run_on(&Threads(2), &all, |_| true), Pause::Complete);
        assert_eq!((survey.states(), survey.edges()), (expected.0, expected.1));
    }
}

#[test]
fn a_limit_of_depth_is_that_of_a_survey() {
    let program = wide(5, 20_000);
    for depth in [2, 4] {
        let limits = Limits {
            depth,
            ..Limits::default()
        };
        let mut survey = Survey::new(&program);
        assert_eq!(survey.run(&limits, |_| true), Pause::Depth);
        let begun = alone::<Fingerprint>(&program, 1);
        let (pause, tally, _) = among(&program, &begun, &[1, 1], &limits, posts(2, 1)).unwrap();
        assert_eq!(pause, Pause::Depth);
        let counts = survey.counts();
        let ours = (tally.states, tally.counts.edges, tally.counts.depth);
        assert_eq!(ours, (survey.states() as u64, counts.edges, counts.depth));
    }
}

#[test]
fn who_is_gone_ends_the_others() {
    let program = wide(3, 20_000);
    let begun = alone::<Fingerprint>(&program, 600);
    for (gone, lives_for) in [(1, 3), (1, 40), (2, 15)] {
        let mut posts = posts(3, 7);
        posts[gone].lives_for = lives_for;
        let ended = among(&program, &begun, &[1, 1, 1], &Limits::default(), posts);
        let why = ended.map(|_| ()).unwrap_err();
        assert!(
            matches!(why, Apart::Gone { member, .. } if member == gone),
            "{why:?}"
        );
    }
}

#[test]
fn what_is_of_another_program_or_build_is_refused() {
    let (program, other) = (wide(1, 20_000), Digraph(vec![vec![1], vec![]]));
    let begun = alone::<Fingerprint>(&program, 500);
    let refused = |program: &Digraph, kept: &Kept<Fingerprint>| {
        let ended = among(program, kept, &[1, 1], &Limits::default(), posts(2, 1));
        ended.map(|_| ()).unwrap_err()
    };
    assert_eq!(refused(&other, &begun), Apart::Foreign);
    // States that nobody knows: those of a build with other digests.
    let mut others = alone::<Fingerprint>(&program, 500);
    others.digests.iter_mut().for_each(|digest| digest.0 ^= 1);
    assert_eq!(refused(&program, &others), Apart::Foreign);
    let mut absurd = alone::<Fingerprint>(&program, 500);
    absurd.shares[0].0.edges = u64::MAX;
    assert_eq!(refused(&program, &absurd), Apart::Foreign);
    assert!(Survey::resume(&program, &absurd.shares, absurd.digests, 2).is_err());
}
