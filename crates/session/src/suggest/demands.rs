//! Conditions that a device program never, always or some time fulfils: whether that is so, over all runs for ever.

use super::conditions::Conditions;
use super::exploring::{Found, Nearest, tidying};
use super::walk::Walk;
use crate::command::proof::{Demand, DemandReport, Proved};
use crate::values::json;
use borges_concolic::{DeviceState, Passing, Path as RunPath, Said, Watched};
use borges_multiverse::graph::NodeId;

/// Of the states that would decide a demand, so many are run to.
const MOST_RUN: usize = 16;

impl Found<'_> {
    /// Whether a demand on a condition is met, and a run that shows it.
    pub(super) fn demanded(
        &self,
        conditions: &Conditions<'_>,
        demand: Demand,
        number: u32,
        nearest: &Nearest,
    ) -> (DemandReport, Option<RunPath>) {
        let wanted = demand != Demand::Always;
        let (met, unmet) = match demand {
            Demand::Toward => (Proved::Fails, Proved::Holds),
            Demand::Never | Demand::Always | Demand::Limit => (Proved::Holds, Proved::Fails),
        };
        let truths = |node: NodeId| self.graph.state(node).map(DeviceState::truths);
        let there = self.where_is(nearest, |state| state.truths().of(number) == Some(wanted));
        let mut report = DemandReport {
            demand,
            condition: conditions.text(number).to_owned(),
            verdict: Proved::Maybe,
            inputs: there.first().map(|(inputs, _)| *inputs),
            place: None,
            run: Vec::new(),
            answers: Vec::new(),
            note: None,
        };
        let tidying = tidying(self.budget);
        for (inputs, node) in there.iter().take(MOST_RUN) {
            let Some(run) = self.graph.language().run_through(
                &nearest.way_to(&self.graph, *node),
                Passing::Nothing,
                &tidying,
            ) else {
                continue;
            };
            let walk = Walk::of(&run);
            let arrived = walk.and_then(|walk| {
                let program = &self.subject.program;
                let (machine, board) = walk.replayed(program, &self.subject.start)?;
                let said = conditions.holds(number, (&machine, &board), &mut Vec::new());
                (said == Said::from(wanted)).then_some((walk, machine, board))
            });
            if let Some((walk, machine, board)) = arrived {
                let at = (&machine, &board);
                report.note = conditions.would_be(number, at);
                report.verdict = unmet;
                report.inputs = Some(*inputs);
                report.place = match demand {
                    Demand::Limit => self.subject.scene(&machine).stands_before(),
                    _ => self.place(*node),
                };
                report.run = self.reads(&walk);
                report.answers = walk.answers.into_iter().map(json).collect();
                return (report, Some(conditions.breaking(number, run)));
            }
        }
        let is_unclear = |node| truths(node).is_some_and(|known| known.is_unclear(number));
        let note = match conditions.trouble(number) {
            _ if !there.is_empty() => Some("no run that comes there was found".to_owned()),
            Some(why) if demand == Demand::Limit => Some(why),
            Some(why) => Some(format!("it has a value in none of the states: {why}")),
            None if self.graph.nodes().any(is_unclear) => Some(conditions.unclear(number)),
            None => None,
        };
        report.verdict = match note {
            None if self.holds_all() => met,
            Some(_) if self.holds_all() && conditions.trouble(number).is_none() => Proved::Maybe,
            _ => Proved::Unknown,
        };
        report.note = note;
        (report, None)
    }

    /// Where a state stands, in words.
    pub(super) fn place(&self, node: NodeId) -> Option<String> {
        use borges_multiverse::language::Language as _;
        let state = self.graph.state(node)?;
        Some(self.graph.language().show(state))
    }
}
