//! What is noted of the states that a survey follows.

use std::ops::Range;

use borges_concolic::{Cut, End};
use borges_multiverse::graph::{Onlooker, Sight};
use serde::{Deserialize, Serialize};

use super::crew::Far;
use crate::command::question::UnexploredReport;
use crate::suggest::evidence::MOST_RUN;
use crate::suggest::{Subject, cuts};

/// Of the states that are one trap, ways to so many are kept: not every one need be what a run comes to.
const MOST_WAYS: usize = 4;

/// What was seen, as it can be kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Seen {
    /// States that are ends.
    ended: u64,
    returns: bool,
    has_many_steps: bool,
    /// Ways to traps, as numbers of ways from the start on.
    traps: Vec<(End, Vec<Vec<u32>>)>,
    /// Of each limit of the board, ways to where it would be broken; and whether that is unclear somewhere.
    limits: Vec<(Vec<Vec<u32>>, bool)>,
    /// What was left out, as JSON.
    unexplored: String,
}

/// Looks at states.
pub(super) struct Sighted<'s> {
    seen: Seen,
    limits: Range<u32>,
    far: Far<'s>,
}

impl<'s> Sighted<'s> {
    /// With what was seen before; these conditions are limits of the board.
    pub(super) fn of(mut seen: Seen, limits: Range<u32>, far: Far<'s>) -> Self {
        seen.limits.resize(limits.len(), (Vec::new(), false));
        Self { seen, limits, far }
    }

    /// All that was seen.
    pub(super) fn seen(&self, subject: &Subject) -> Seen {
        let left_out = self.left_out(subject);
        Seen {
            unexplored: serde_json::to_string(&left_out).unwrap_or_default(),
            ..self.seen.clone()
        }
    }

    /// What was seen, without what was left out of late: the device knows that still.
    pub(super) fn into_seen(self) -> Seen {
        self.seen
    }

    /// What was left out, now and before.
    pub(super) fn left_out(&self, subject: &Subject) -> Vec<UnexploredReport> {
        let before = serde_json::from_str(&self.seen.unexplored);
        let mut all: Vec<UnexploredReport> = before.unwrap_or_default();
        for left in self.far.account().unexplored() {
            let left = cuts::single(&subject.info, &left);
            let same = |known: &UnexploredReport| {
                (&known.place, &known.reason) == (&left.place, &left.reason)
            };
            if !all.iter().any(same) {
                all.push(left);
            }
        }
        all
    }

    /// States that are ends.
    pub(super) fn ended(&self) -> usize {
        self.seen.ended as usize
    }

    pub(super) fn returns(&self) -> bool {
        self.seen.returns
    }

    pub(super) fn has_many_steps(&self) -> bool {
        self.seen.has_many_steps
    }

    /// Ways to traps, the nearest first.
    pub(super) fn traps(&self) -> Vec<Vec<u32>> {
        let ways = self.seen.traps.iter().flat_map(|(_, ways)| ways);
        let mut ways: Vec<_> = ways.cloned().collect();
        ways.sort_by_key(Vec::len);
        ways
    }

    /// Ways to where a limit would be broken.
    pub(super) fn there(&self, number: u32) -> &[Vec<u32>] {
        let limit = self.seen.limits.get((number - self.limits.start) as usize);
        limit.map_or(&[], |(ways, _)| ways)
    }

    /// Whether nobody can say somewhere whether a limit is broken.
    pub(super) fn is_unclear(&self, number: u32) -> bool {
        let limit = self.seen.limits.get((number - self.limits.start) as usize);
        limit.is_some_and(|(_, is_unclear)| *is_unclear)
    }

    fn trap(&mut self, end: &End, way: &dyn Fn() -> Vec<u32>) {
        let traps = &mut self.seen.traps;
        let known = traps.iter().position(|(known, _)| known == end);
        let at = known.unwrap_or(traps.len());
        if at == traps.len() {
            traps.push((end.clone(), Vec::new()));
        }
        let ways = &mut traps[at].1;
        if ways.len() < MOST_WAYS {
            ways.push(way());
        }
    }
}

impl<'d> Onlooker<Far<'d>> for Sighted<'_> {
    fn look(&mut self, sight: &Sight<'_, Far<'d>>) {
        self.far.number(sight.state, sight.number);
        let truths = sight.state.truths();
        for (number, (ways, is_unclear)) in self.limits.clone().zip(&mut self.seen.limits) {
            if truths.of(number) == Some(true) && ways.len() < MOST_RUN {
                ways.push((sight.way)());
            }
            *is_unclear |= truths.is_unclear(number);
        }
        let Some(end) = sight.state.end() else {
            return;
        };
        self.seen.ended += 1;
        match end {
            End::Trapped(..) => self.trap(end, sight.way),
            End::Returned | End::Exited(_) => self.seen.returns = true,
            End::Cut(Cut::Steps) => self.seen.has_many_steps = true,
            _ => {}
        }
    }

    /// A look that was broken off shows nothing.
    fn breaks_off(&mut self) -> bool {
        self.far.is_put_back()
    }
}
