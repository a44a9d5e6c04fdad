//! Conditions that a device program never, always or some time fulfils: whether that is so, over all runs for ever.

use super::Subject;
use super::conditions::Conditions;
use super::evidence::{Evidence, Known};
use super::exploring::{Found, Nearest, tidying};
use crate::command::proof::{Demand, DemandReport, Demanded};
use borges_concolic::{DeviceState, Path as RunPath};
use borges_multiverse::graph::NodeId;

/// The conditions of which something is demanded.
pub(super) fn texts(demands: &[Demanded]) -> Vec<String> {
    let texts = demands.iter().map(|asked| asked.condition.clone());
    texts.collect()
}

/// These conditions, and the limits of the board.
///
/// # Errors
/// As [`Conditions::new`] and [`Conditions::with_limits`].
pub(super) fn conditions<'s>(
    subject: &'s Subject,
    demands: &[Demanded],
) -> Result<Conditions<'s>, String> {
    Conditions::new(subject, &texts(demands)).and_then(Conditions::with_limits)
}

/// What is demanded of each condition, by its number: of the board's limits, which come last, that they are kept.
pub(super) fn of_all(
    conditions: &Conditions<'_>,
    demands: impl IntoIterator<Item = Demand>,
) -> Vec<(u32, Demand)> {
    let limits = conditions.limits().map(|number| (number, Demand::Limit));
    (0..).zip(demands).chain(limits).collect()
}

impl Found<'_> {
    /// What shows that its states are come to.
    pub(super) fn evidence(&self) -> Evidence<'_> {
        Evidence {
            subject: self.subject,
            device: self.graph.language(),
            tidying: tidying(self.budget),
        }
    }

    /// Whether a demand on a condition is met, and a run that shows it.
    pub(super) fn demanded(
        &self,
        conditions: &Conditions<'_>,
        demand: Demand,
        number: u32,
        nearest: &Nearest,
    ) -> (DemandReport, Option<RunPath>) {
        let wanted = demand.decided_by();
        let there = self.where_is(nearest, |state| state.truths().of(number) == Some(wanted));
        let truths = |node: NodeId| self.graph.state(node).map(DeviceState::truths);
        let is_unclear = |node| truths(node).is_some_and(|known| known.is_unclear(number));
        let there = there.into_iter();
        let known = Known {
            demand,
            number,
            there: there.map(|(inputs, node)| (inputs, nearest.way_to(&self.graph, node))),
            is_unclear: self.graph.nodes().any(is_unclear),
            has_value: conditions.trouble(number).is_none(),
            is_all: self.holds_all(),
        };
        self.evidence().demanded(conditions, known)
    }

    /// Where a state stands, in words.
    pub(super) fn place(&self, node: NodeId) -> Option<String> {
        let state = self.graph.state(node)?;
        Some(self.evidence().place(state))
    }
}
