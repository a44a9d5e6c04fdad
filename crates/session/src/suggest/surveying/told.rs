//! What is said of a survey of a device program.

use borges_concolic::{Device, DeviceState, Spent};
use borges_multiverse::fingerprint::Digest;
use borges_multiverse::graph::Pause;
use borges_multiverse::language::Language as _;

use super::DeviceAsked;
use super::running::Surveyed;
use crate::command::proof::StatesReport;
use crate::suggest::conditions::Conditions;
use crate::suggest::evidence::{Evidence, Known, WayThere, reads_input};
use crate::suggest::exploring::{cut, many_steps};
use crate::suggest::{cuts, words};

/// Words are named as they are called in one of so many states.
const NAMED_IN: usize = 20;

impl<F: Digest> Surveyed<'_, F> {
    /// What is said of it.
    pub(super) fn report(
        &self,
        asked: &DeviceAsked,
        (evidence, conditions): (&Evidence<'_>, &Conditions<'_>),
        spent: Option<Spent>,
    ) -> StatesReport {
        let subject = evidence.subject;
        let limits = asked.limits();
        let time = asked.options.time.unwrap_or_default();
        let cut = cut(self.pause, (&limits, time), spent);
        let mut unexplored: Vec<_> = cut
            .map(|(bound, words)| cuts::bound_report(bound, words))
            .into_iter()
            .collect();
        unexplored.extend(self.sighted.has_many_steps().then(many_steps));
        unexplored.extend(self.sighted.left_out(subject));
        let is_all = self.pause == Pause::Complete && unexplored.is_empty();
        let account = self.far.account();
        let maybe = account.maybe();
        let ways = |ways: &[Vec<u32>]| {
            let ways = ways.iter().filter_map(|way| gone(evidence.device, way));
            let mut ways: Vec<WayThere> = ways.collect();
            ways.sort_by_key(|(inputs, _)| *inputs);
            ways.into_iter()
        };
        let (traps, _) = evidence.traps(ways(&self.sighted.traps()));
        if maybe.is_empty() && traps.iter().any(|trap| !trap.certain) {
            unexplored.extend(cuts::for_want_of_time(
                1,
                "which leads to a trap and was not run",
                spent,
            ));
        }
        // Other threads looked at the states: why a condition means nothing, or nobody knows what, is seen again where that is
        // so, and nowhere else, or it would depend on who looked where.
        conditions.forget();
        let named = some_states(evidence.device);
        let demands = asked.demands(conditions).into_iter();
        let demands = demands.zip(self.sighted.conditions());
        let demands = demands.map(|((number, demand), seen)| {
            let _there = seen
                .unclear
                .as_ref()
                .and_then(|way| gone(evidence.device, way));
            let known = Known {
                demand,
                number,
                there: ways(&seen.ways),
                is_unclear: seen.unclear.is_some(),
                has_value: seen.has_value || conditions.trouble(number).is_none(),
                is_all,
            };
            evidence.demanded(conditions, known).0
        });
        let demands = demands.collect();
        let names = |of: &[_]| {
            let name = |word: &_| words::named(subject, named.iter(), *word);
            of.iter().map(name).collect::<Vec<String>>()
        };
        let counts = self.survey.counts();
        StatesReport {
            about: subject.named(),
            states: self.survey.states().saturating_sub(self.sighted.ended()),
            edges: counts.edges as usize,
            partial: account.partial() as usize,
            depth: counts.depth,
            complete: is_all && unexplored.is_empty() && maybe.is_empty(),
            demands,
            maybe: names(&maybe),
            note: None,
            anything: names(account.anything()),
            traps,
            returns: self.sighted.returns(),
            unexplored,
            seconds: 0.0,
            steps: account.steps(),
        }
    }
}

/// The states on a way, and how many inputs are read on it.
fn gone(device: &Device<'_>, way: &[u32]) -> Option<WayThere> {
    let mut states = vec![device.initial()];
    let mut inputs = 0;
    for number in way {
        let from = states.last()?;
        let (way, to) = device.ways(from).into_iter().nth(*number as usize)?;
        inputs += u32::from(reads_input(from, &way, &to));
        states.push(to);
    }
    Some((inputs, states))
}

/// The states nearest to the start.
fn some_states(device: &Device<'_>) -> Vec<DeviceState> {
    let mut states = vec![device.initial()];
    for at in 0..NAMED_IN {
        let Some(state) = states.get(at).cloned() else {
            break;
        };
        for (_, to) in device.ways(&state) {
            if !states.contains(&to) {
                states.push(to);
            }
        }
    }
    states
}
