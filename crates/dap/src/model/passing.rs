//! Breakpoints that do not halt: those that only print, and those that count. A run passes the universes in which they
//! would, and goes on behind each.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use borges_hub::ModelCommand;
use serde_json::json;

use super::Model;
use super::card::{Answer, Ran};
use crate::core::Core;

/// What comes after a part of a motion.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Then {
    Nothing,
    /// What was sought is passed or halts, or is nowhere.
    Seek(Passing),
    /// The universe that was to be paused is, and runs on.
    Resume(Passing),
    /// More universes are to run.
    Run(Passing),
    /// The universe that was come to is paused: an agent takes a step.
    Step {
        agent: String,
        kind: String,
    },
}

/// A run on its way to what halts it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Passing {
    /// Universes from which breakpoints are still sought, the last one first.
    ways: Vec<u32>,
    /// Whether a breakpoint halts in a universe, of those that were come to.
    halts: BTreeMap<u32, bool>,
    /// Universes that are still to be run, and all that ever were.
    to_run: VecDeque<u32>,
    run: BTreeSet<u32>,
    /// What these came to.
    ran: Ran,
}

impl Passing {
    pub(super) fn from(universe: u32) -> Self {
        Self {
            ways: vec![universe],
            to_run: VecDeque::from([universe]),
            ..Self::default()
        }
    }
}

impl Model {
    /// Seeks what halts, from the universe that was passed last.
    pub(super) fn seek_on(&mut self, core: &mut Core, passing: Passing) {
        match passing.ways.last() {
            Some(universe) => {
                let seek = json!({ "order": "seek", "universe": universe });
                self.order(core, seek, Then::Seek(passing), None, "step");
            }
            None => self.run_on(core, passing),
        }
    }

    /// What was sought was found, or is nowhere.
    pub(super) fn sought(&mut self, core: &mut Core, mut passing: Passing, mut ran: Ran) {
        if ran.paused.is_empty() {
            passing.ways.pop();
        }
        let passed = self.passed(core, &mut passing, &mut ran);
        if ran.stopped || !ran.paused.is_empty() {
            return self.rest(core, &ran, None, "step");
        }
        passing.ways.extend(passed);
        self.seek_on(core, passing);
    }

    /// Runs to where nothing goes on by itself, and on from each universe that is only passed.
    pub(super) fn run_on(&mut self, core: &mut Core, mut passing: Passing) {
        let Some(universe) = passing.to_run.pop_front() else {
            return self.rest(core, &passing.ran, None, "step");
        };
        passing.run.insert(universe);
        let status = self.card().node.status.as_str();
        let runs = universe == self.here() && matches!(status, "running" | "unexplored");
        let (order, then) = match universe {
            // The first time, a breakpoint may halt the very start.
            0 if !(self.has_run && status == "paused") => {
                (json!({ "order": "run" }), Then::Run(passing))
            }
            // Only what is paused can be told to go on.
            _ if runs => (
                json!({ "order": "pause", "universe": universe }),
                Then::Resume(passing),
            ),
            _ => (
                json!({ "order": "resume", "universe": universe }),
                Then::Run(passing),
            ),
        };
        self.has_run |= universe == 0;
        self.order(core, order, then, None, "step");
    }

    /// The universe that is to run is paused: it can be told to go on.
    pub(super) fn resume(&mut self, core: &mut Core, passing: Passing, ran: &Ran) {
        let universe = ran.rests().first().copied().unwrap_or(ran.from);
        let order = json!({ "order": "resume", "universe": universe });
        self.order(core, order, Then::Run(passing), None, "step");
    }

    /// A universe has run to where it rests.
    pub(super) fn came_to_rest(&mut self, core: &mut Core, mut passing: Passing, mut ran: Ran) {
        for universe in self.passed(core, &mut passing, &mut ran) {
            if passing.run.insert(universe) {
                passing.to_run.push_back(universe);
            }
        }
        passing.ran.add(ran);
        match passing.ran.stopped {
            true => self.rest(core, &passing.ran, None, "step"),
            false => self.run_on(core, passing),
        }
    }

    /// Takes the universes that are only passed out of what a run came to.
    fn passed(&self, core: &mut Core, passing: &mut Passing, ran: &mut Ran) -> Vec<u32> {
        let paused = std::mem::take(&mut ran.paused);
        let (halting, passed) = paused.into_iter().partition(|universe| {
            let known = passing.halts.get(universe).copied();
            let halts = known.unwrap_or_else(|| self.heed(core, *universe));
            passing.halts.insert(*universe, halts);
            halts
        });
        ran.paused = halting;
        passed
    }

    /// Whether something halts in a universe that was come to; breakpoints that print do.
    pub(super) fn heed(&self, core: &mut Core, universe: u32) -> bool {
        let Ok(there) = self.call::<Answer>(core, ModelCommand::Card { universe }) else {
            return true;
        };
        for hit in there.card.hits() {
            if let Some(text) = self.breakpoints.printed(hit.id)
                && self.is_due(core, &there, hit.id)
            {
                let agent = hit.agent.and_then(|name| there.card.agent(&name));
                core.output("console", there.card.interpolated(agent, text));
            }
        }
        self.halts(core, &there)
    }

    /// Whether something halts in a universe, be it that the user paused it.
    pub(super) fn halts(&self, core: &mut Core, there: &Answer) -> bool {
        let hits = there.card.hits();
        hits.is_empty() || hits.iter().any(|hit| self.halts_at(core, there, hit.id))
    }

    /// Whether a breakpoint that is in a universe halts there.
    pub(super) fn halts_at(&self, core: &mut Core, there: &Answer, id: u32) -> bool {
        self.breakpoints.printed(id).is_none() && self.is_due(core, there, id)
    }

    /// Whether a breakpoint has been come to often enough, on the way to a universe at which it is.
    fn is_due(&self, core: &mut Core, there: &Answer, id: u32) -> bool {
        let wanted = self.breakpoints.due_from(id);
        let mut times = 1;
        // What a breakpoint paused, a command let go on.
        let before = there.path.iter().rev().filter(|link| link.command);
        for link in before {
            if times >= wanted {
                break;
            }
            let universe = link.from;
            if let Ok(past) = self.call::<Answer>(core, ModelCommand::Card { universe }) {
                times += u64::from(past.card.hits().iter().any(|hit| hit.id == id));
            }
        }
        times >= wanted
    }
}
