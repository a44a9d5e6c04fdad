//! All states without their graph: for programs of which that does not fit into memory.

use borges_multiverse::fingerprint::{Digest, Fingerprint, WideFingerprint};
use borges_multiverse::graph::{Onlooker, Pause, Sight, Survey};
use borges_multiverse::workers::Workers as _;

use super::explore::Progress;
use super::goal::{Finding, Judging};
use super::job::Job;
use super::races::walked;
use super::report::{Report, SurveyNote};
use super::reported::Reported;
use super::step::{Step, Why};
use super::surveying::{Checkpoints, DigestSize, KeptSurvey, Surveying};
use super::threads::Threads;

/// Looks at states for goals.
struct Judge<'g> {
    text: &'g str,
    goals: Vec<Judging<'g, Vec<u32>>>,
}

impl<P: Reported> Onlooker<P> for Judge<'_> {
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
            pairs.map(|(one, other)| one.and(other)).collect()
        };
        judges.fold(first, both)
    }
}

impl<'j> Job<'j> {
    /// Surveys the states of a program.
    pub(super) fn survey<P: Reported + 'static>(
        &mut self,
        plain: P,
        surveying: Surveying<'_>,
    ) -> Report {
        match surveying.told {
            DigestSize::By64 => self.surveyed::<P, Fingerprint>(plain, surveying),
            DigestSize::By128 => self.surveyed::<P, WideFingerprint>(plain, surveying),
        }
    }

    fn surveyed<P: Reported + 'static, F: Digest>(
        &mut self,
        plain: P,
        surveying: Surveying<'_>,
    ) -> Report {
        let threads = surveying.workers.map_or_else(Threads::all, Threads::new);
        let mut judges = self.judges(threads.count());
        let begun = match surveying.from {
            None => Ok(Survey::<P, F>::begin(plain.clone())),
            Some((kept, digests)) => {
                let goals = self.options.goals.iter().zip(kept.goals);
                let goals = goals.map(|(goal, pending)| Judging::go_on(goal, pending));
                judges[0].goals = goals.collect();
                let digests = digests.map(F::of_bits);
                Survey::resume(plain.clone(), &kept.shares, digests, threads.count())
            }
        };
        let Ok(mut survey) = begun else {
            return Report {
                foreign: true,
                ..self.empty()
            };
        };
        let pause = self.follow_all(&mut survey, &threads, &mut judges, surveying.checkpoints);
        let counts = survey.counts();
        let mut report = self.empty();
        report.states = survey.states() as u64;
        report.edges = counts.edges;
        report.why = Why::of(pause);
        report.complete = report.why.is_none();
        report.survey = Some(SurveyNote {
            bits: F::BITS,
            collision_risk: F::risk(report.states),
            depth: counts.depth,
            workers: threads.count(),
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

    /// Surveys to the limits, and keeps what is found now and then.
    fn follow_all<P: Reported, F: Digest>(
        &mut self,
        survey: &mut Survey<P, F>,
        threads: &Threads,
        judges: &mut [Judge<'j>],
        mut checkpoints: Option<Box<dyn Checkpoints + '_>>,
    ) -> Pause {
        let limits = self.limits();
        loop {
            let mut is_due = false;
            let pause = survey.look_on(threads, &limits, judges, |survey| {
                is_due = checkpoints.as_mut().is_some_and(|keep| keep.is_due());
                !is_due && self.goes_on(&come(survey))
            });
            if let Some(checkpoints) = &mut checkpoints {
                let goals = Judge::all(judges).iter().map(Judging::pending).collect();
                let shares = survey.kept();
                let parts = survey.digests();
                let mut digests = parts.map(|part| part.into_iter().map(F::bits).collect());
                checkpoints.keep(KeptSurvey { shares, goals }, &mut digests);
            }
            if !is_due || !self.goes_on(&come(survey)) {
                return pause;
            }
        }
    }

    /// One for each worker.
    fn judges(&self, workers: usize) -> Vec<Judge<'j>> {
        let goals = || self.options.goals.iter().map(Judging::new).collect();
        let judge = |_| Judge {
            text: self.text,
            goals: goals(),
        };
        (0..workers).map(judge).collect()
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
