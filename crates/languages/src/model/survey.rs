//! All states without their graph: for programs of which that does not fit into memory.

use borges_multiverse::fingerprint::{Digest, Fingerprint, WideFingerprint};
use borges_multiverse::graph::{Counts, Look, Prefixes, Sight, Survey};
use borges_multiverse::workers::Workers as _;
use serde::Serialize;

use super::explore::Progress;
use super::goal::{Finding, Judging, Pending};
use super::job::Job;
use super::races::walked;
use super::report::Report;
use super::reported::Reported;
use super::step::{Step, Why};
use super::threads::Threads;

/// How states are told apart that are not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Told {
    /// By 64 bits each: two of 10⁹ states share them with a probability of 2.7 %, and one would be missing.
    #[default]
    By64,
    /// By 128.
    By128,
}

impl Told {
    /// The one of so many bits.
    #[must_use]
    pub const fn of_bits(bits: u32) -> Option<Self> {
        match bits {
            64 => Some(Self::By64),
            128 => Some(Self::By128),
            _ => None,
        }
    }

    /// How many bits that are.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::By64 => 64,
            Self::By128 => 128,
        }
    }
}

/// What a report says of a survey.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Surveyed {
    /// How many bits stood for a state.
    pub bits: u32,
    /// How probable it is that two different states had the same ones, and one was not followed.
    pub collision_risk: f64,
    /// How many steps lie between the start and the farthest states.
    pub depth: u32,
    /// How many workers there were.
    pub workers: usize,
}

/// A number that a calculation gave is equal to itself: it is never one that is none.
impl Eq for Surveyed {}

/// A survey as it can be kept in a file, without the digests of its states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptSurvey {
    /// What each worker had counted, and has to go on with.
    pub shares: Vec<(Counts, Prefixes)>,
    /// What is known of each goal.
    pub goals: Vec<Pending>,
}

/// Keeps surveys as they go on.
pub trait Checkpoints {
    /// Whether it is time to keep one.
    fn is_due(&mut self) -> bool;

    /// Keeps this one; `digests` are those of its states, in sorted parts, the lowest bits of each number.
    fn keep(&mut self, survey: &KeptSurvey, digests: &mut dyn Iterator<Item = Vec<u128>>);
}

/// How states are surveyed.
pub struct Surveying<'s> {
    /// What stands for a state.
    pub told: Told,
    /// How many workers; one for each core, if nothing is said.
    pub workers: Option<usize>,
    /// Where the survey is kept, now and then and at the end.
    pub checkpoints: Option<Box<dyn Checkpoints + 's>>,
    /// The one to go on with, and the digests of its states.
    pub from: Option<(KeptSurvey, Box<dyn Iterator<Item = u128> + 's>)>,
}

/// Looks at states for goals.
struct Judge<'g> {
    text: &'g str,
    goals: Vec<Judging<'g, Vec<u32>>>,
}

impl<P: Reported> Look<P> for Judge<'_> {
    fn look(&mut self, sight: &Sight<'_, P>) {
        let (language, text) = (sight.language, self.text);
        let name = |state: &_, agent: &_| language.agent_name(state, agent);
        let step =
            |nth: u32| Step::at(&walked(language, &(sight.way)())?, text, name, nth as usize);
        for judging in &mut self.goals {
            judging.look(
                (language, sight.state),
                sight.outcome,
                || (sight.way)(),
                step,
            );
        }
    }
}

impl<'g> Judge<'g> {
    /// Those of all workers as one.
    fn all(judges: &[Self]) -> Vec<Judging<'g, Vec<u32>>> {
        let mut judges = judges.iter().map(|judge| judge.goals.clone());
        let first = judges.next().unwrap_or_default();
        let both = |all: Vec<Judging<'g, Vec<u32>>>, more: Vec<Judging<'g, Vec<u32>>>| {
            let pairs = all.into_iter().zip(more);
            let nearer = |one: &Vec<u32>, other: &Vec<u32>| one.len() < other.len();
            pairs.map(|(one, other)| one.and(other, nearer)).collect()
        };
        judges.fold(first, both)
    }
}

impl Job<'_> {
    /// Surveys the states of a program.
    pub(super) fn survey<P: Reported + 'static>(
        &mut self,
        plain: P,
        surveying: Surveying<'_>,
    ) -> Report {
        match surveying.told {
            Told::By64 => self.surveyed::<P, Fingerprint>(plain, surveying),
            Told::By128 => self.surveyed::<P, WideFingerprint>(plain, surveying),
        }
    }

    fn surveyed<P: Reported + 'static, F: Digest>(
        &mut self,
        plain: P,
        mut surveying: Surveying<'_>,
    ) -> Report {
        let mut report = self.empty();
        let threads = surveying.workers.map_or_else(Threads::all, Threads::new);
        let (workers, text, options) = (threads.count(), self.text, self.options);
        let mut judges: Vec<_> = (0..workers)
            .map(|_| Judge {
                text,
                goals: options.goals.iter().map(Judging::new).collect(),
            })
            .collect();
        let survey = match surveying.from.take() {
            None => Ok(Survey::<P, F>::begin(plain.clone())),
            Some((kept, digests)) => {
                let goals = options.goals.iter().zip(kept.goals);
                judges[0].goals = goals
                    .map(|(goal, pending)| Judging::go_on(goal, pending))
                    .collect();
                let digests = digests.map(F::of_bits);
                Survey::resume(plain.clone(), &kept.shares, digests, workers)
            }
        };
        let Ok(mut survey) = survey else {
            report.foreign = true;
            return report;
        };
        let limits = self.limits();
        let pause = loop {
            let (mut is_due, checkpoints) = (false, &mut surveying.checkpoints);
            let pause = survey.look_on(&threads, &limits, &mut judges, |survey| {
                is_due = checkpoints
                    .as_mut()
                    .is_some_and(|checkpoints| checkpoints.is_due());
                !is_due && self.goes_on(&come(survey))
            });
            if let Some(checkpoints) = checkpoints {
                let goals = Judge::all(&judges).iter().map(Judging::pending).collect();
                let kept = KeptSurvey {
                    shares: survey.kept(),
                    goals,
                };
                let mut digests = survey
                    .digests()
                    .map(|part| part.into_iter().map(F::bits).collect());
                checkpoints.keep(&kept, &mut digests);
            }
            if !is_due || !self.goes_on(&come(&survey)) {
                break pause;
            }
        };
        let counts = survey.counts();
        report.states = survey.states() as u64;
        report.edges = counts.edges;
        report.why = Why::of(pause);
        report.complete = report.why.is_none();
        report.survey = Some(Surveyed {
            bits: F::BITS,
            collision_risk: F::risk(report.states),
            depth: counts.depth,
            workers,
        });
        let (ends, states, complete) = (survey.ends(), report.states, report.complete);
        let ends = ends.iter().map(|(outcome, end)| {
            let trace = self.trace(&plain, survey.way(end));
            self.end(&plain, outcome, end.states, trace)
        });
        report.ends = ends.collect();
        report.hold(Judge::all(&judges).into_iter().map(|judging| {
            let (finding, way) = judging.finding(complete, states)?;
            let choices = way.and_then(|way| Some(walked(&plain, &way)?.choices()));
            let trace = self.trace(&plain, choices.unwrap_or_default());
            Ok(Finding { trace, ..finding })
        }));
        // Nobody waits until a large one is freed.
        std::thread::spawn(move || drop(survey));
        report
    }
}

/// How far it has come.
fn come<P: Reported, F: Digest>(survey: &Survey<P, F>) -> Progress {
    let counts = survey.counts();
    Progress {
        states: survey.states() as u64,
        edges: counts.edges,
        ends: counts.ends,
        waiting: survey.waiting() as u64,
    }
}
