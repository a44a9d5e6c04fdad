//! What is noted of the states that a survey follows.

use borges_concolic::{Cut, End};
use borges_multiverse::graph::{Onlooker, Sight};
use serde::{Deserialize, Serialize};

use crate::command::proof::Demand;
use crate::command::question::UnexploredReport;
use crate::suggest::evidence::MOST_RUN;
use crate::suggest::looking::Far;
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
    /// Of each condition.
    conditions: Vec<SeenOf>,
    /// What was left out, as JSON.
    unexplored: String,
}

/// What was seen of a condition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SeenOf {
    /// Ways to states that decide what is demanded of it, the nearest first.
    pub(super) ways: Vec<Vec<u32>>,
    /// A way to a state in which nobody can say what it comes to.
    pub(super) unclear: Option<Vec<u32>>,
    /// It has a value in some state.
    pub(super) has_value: bool,
}

/// Looks at states.
pub(super) struct Sighted<'s> {
    seen: Seen,
    /// Of each condition, what it comes to where what is demanded of it is decided.
    decided_by: Vec<bool>,
    far: Far<'s>,
}

impl<'s> Sighted<'s> {
    /// With what was seen before, where this is demanded of conditions.
    pub(super) fn of(mut seen: Seen, demands: &[(u32, Demand)], far: Far<'s>) -> Self {
        seen.conditions.resize_with(demands.len(), SeenOf::default);
        let decided_by = demands.iter().map(|(_, demand)| demand.decided_by());
        Self {
            seen,
            decided_by: decided_by.collect(),
            far,
        }
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

    /// Conditions, by number.
    pub(super) fn conditions(&self) -> &[SeenOf] {
        &self.seen.conditions
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
        let conditions = self.decided_by.iter().zip(&mut self.seen.conditions);
        for (number, (decided_by, seen)) in (0..).zip(conditions) {
            if truths.of(number) == Some(*decided_by) && seen.ways.len() < MOST_RUN {
                seen.ways.push((sight.way)());
            }
            if truths.is_unclear(number) {
                seen.unclear.get_or_insert_with(sight.way);
            }
            seen.has_value |= truths.of(number).is_some();
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
