//! Runs that show what states are come to.

use borges_concolic::{
    Budget, Device, DeviceState, DeviceWay, End, Passing, Path as RunPath, Said, Watched as _,
};

use super::Subject;
use super::conditions::Conditions;
use super::walk::{Alarm, Check, Rerun, Walk};
use crate::command::proof::{Demand, DemandReport, Proved, TrapReport};
use crate::command::question::SuggestedInput;
use crate::scene::place_of;
use crate::values::json;

/// Of the states that would decide a demand, so many are run to.
pub(super) const MOST_RUN: usize = 16;

/// A way to a state: the fewest inputs on it, and the states on it.
pub(super) type WayThere = (u32, Vec<DeviceState>);

/// A program whose states were looked at.
pub(super) struct Evidence<'e> {
    pub(super) subject: &'e Subject,
    pub(super) device: &'e Device<'e>,
    /// For running what was found.
    pub(super) tidying: Budget<'e>,
}

/// What is known of a demand on a condition.
pub(super) struct Known<I> {
    pub(super) demand: Demand,
    pub(super) number: u32,
    /// Ways to states that would decide it, the nearest first.
    pub(super) there: I,
    /// In some state nobody can say what the condition comes to.
    pub(super) is_unclear: bool,
    /// It has a value somewhere.
    pub(super) has_value: bool,
    /// All states were looked at.
    pub(super) is_all: bool,
}

impl Evidence<'_> {
    /// A trap at the end of a way, and a run that comes to it if one does.
    pub(super) fn trap(&self, (inputs, way): &WayThere) -> (TrapReport, Option<RunPath>) {
        let info = &self.subject.info;
        let (trap, at) = match way.last().and_then(DeviceState::end) {
            Some(End::Trapped(trap, at)) => (trap.to_string(), *at),
            _ => (String::new(), None),
        };
        let run = self.run_through(way);
        let walk = run.as_ref().and_then(Walk::of);
        let checked = walk.and_then(|walk| Some((self.checked(&walk)?, walk)));
        let certain = checked.is_some();
        let (alarm, walk) = checked.unzip();
        let alarm = alarm.unwrap_or_default();
        let place = alarm.at.or(at);
        let report = TrapReport {
            what: match alarm.words {
                Some(words) => format!("{trap}: {words}"),
                None => trap,
            },
            place: place.map_or_else(String::new, |at| place_of(info, at)),
            inputs: *inputs,
            certain,
            run: walk
                .as_ref()
                .map(|walk| self.reads(walk))
                .unwrap_or_default(),
            answers: walk
                .map(|walk| walk.answers.into_iter().map(json).collect())
                .unwrap_or_default(),
        };
        (report, run.filter(|_| certain))
    }

    /// Traps at the end of these ways: of those that end alike, the first that some run comes to; and such runs.
    pub(super) fn traps(
        &self,
        ways: impl Iterator<Item = WayThere>,
    ) -> (Vec<TrapReport>, Vec<RunPath>) {
        let mut traps: Vec<(End, TrapReport, Option<RunPath>)> = Vec::new();
        for way in ways {
            let Some(end) = way.1.last().and_then(DeviceState::end) else {
                continue;
            };
            let known = traps.iter().position(|(known, ..)| known == end);
            if known.is_some_and(|at| traps[at].1.certain) {
                continue;
            }
            let (report, run) = self.trap(&way);
            match known {
                None => traps.push((end.clone(), report, run)),
                Some(at) if report.certain => traps[at] = (end.clone(), report, run),
                Some(_) => {}
            }
        }
        let traps = traps.into_iter().map(|(_, report, run)| (report, run));
        let (traps, runs): (Vec<TrapReport>, Vec<Option<RunPath>>) = traps.unzip();
        (traps, runs.into_iter().flatten().collect())
    }

    /// Whether a demand on a condition is met, and a run that shows it.
    pub(super) fn demanded(
        &self,
        conditions: &Conditions<'_>,
        known: Known<impl Iterator<Item = WayThere>>,
    ) -> (DemandReport, Option<RunPath>) {
        let Known { demand, number, .. } = known;
        let wanted = demand.decided_by();
        let (met, unmet) = match demand {
            Demand::Toward => (Proved::Fails, Proved::Holds),
            Demand::Never | Demand::Always | Demand::Limit => (Proved::Holds, Proved::Fails),
        };
        let mut report = DemandReport {
            demand,
            condition: conditions.text(number).to_owned(),
            verdict: Proved::Maybe,
            inputs: None,
            place: None,
            run: Vec::new(),
            answers: Vec::new(),
            note: None,
        };
        for (inputs, way) in known.there.take(MOST_RUN) {
            report.inputs = report.inputs.or(Some(inputs));
            let Some(run) = self.run_through(&way) else {
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
                report.inputs = Some(inputs);
                report.place = match demand {
                    Demand::Limit => self.subject.scene(&machine).stands_before(),
                    _ => way.last().map(|state| self.place(state)),
                };
                report.run = self.reads(&walk);
                report.answers = walk.answers.into_iter().map(json).collect();
                return (report, Some(conditions.breaking(number, run)));
            }
        }
        let trouble = match demand {
            Demand::Limit => conditions.trouble(number),
            _ => (!known.has_value).then(|| conditions.why_nothing(number)),
        };
        let has_trouble = trouble.is_some();
        let note = match trouble {
            _ if report.inputs.is_some() => Some("no run that comes there was found".to_owned()),
            Some(why) if demand == Demand::Limit => Some(why),
            Some(why) => Some(format!("it has a value in none of the states: {why}")),
            None if known.is_unclear => Some(conditions.unclear(number)),
            None => None,
        };
        report.verdict = match note {
            None if known.is_all => met,
            Some(_) if known.is_all && !has_trouble => Proved::Maybe,
            _ => Proved::Unknown,
        };
        report.note = note;
        (report, None)
    }

    /// Where a state stands, in words.
    pub(super) fn place(&self, state: &DeviceState) -> String {
        use borges_multiverse::language::Language as _;
        self.device.show(state)
    }

    /// The inputs of a run.
    pub(super) fn reads(&self, walk: &Walk<'_>) -> Vec<SuggestedInput> {
        self.subject.reads(walk)
    }

    fn run_through(&self, way: &[DeviceState]) -> Option<RunPath> {
        self.device
            .run_through(way, Passing::Nothing, &self.tidying)
    }

    /// What a run that leads to a trap says there, if it does when it is run.
    fn checked(&self, walk: &Walk<'_>) -> Option<Alarm> {
        let subject = self.subject;
        let mut rerun = Rerun::new(&subject.program, &subject.info, &subject.start);
        match rerun.check(walk, &self.tidying) {
            Check::True(alarm) => Some(alarm.unwrap_or_default()),
            Check::Untrue | Check::Unknown => None,
        }
    }
}

impl Subject {
    /// The inputs of a run.
    pub(super) fn reads(&self, walk: &Walk<'_>) -> Vec<SuggestedInput> {
        let scene = self.scene(&self.start.machine);
        walk.choices()
            .filter_map(|choice| choice.suggested(scene))
            .collect()
    }
}

/// Whether an input is read on a way from a state to another: where one is asked for, unless the program ends before.
pub(super) fn reads_input(from: &DeviceState, way: &DeviceWay, to: &DeviceState) -> bool {
    from.asks().is_some() && (to.end().is_none() || way.input.is_some())
}
