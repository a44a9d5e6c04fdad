//! All states without their graph: for programs of which that does not fit into memory.

use borges_multiverse::fingerprint::{Digest, Fingerprint, WideFingerprint};
use borges_multiverse::graph::{Apart, Counts, NoWay, Onlooker, Pause, Sight, Survey, Tally};
use borges_multiverse::language::Language;
use borges_multiverse::workers::Workers as _;

use super::explore::{Progress, SurveyProgress};
use super::goal::{Finding, Judging, Pending};
use super::job::Job;
use super::races::walked;
use super::report::{Report, SurveyNote};
use super::reported::Reported;
use super::step::{Step, Why};
use super::surveying::{
    Checkpoints, DigestSize, HeldSurvey, KeptDigests, KeptSurvey, Surveying, Surveyors,
};
use super::threads::Threads;

/// What a survey came to.
pub(super) struct Found<'g, P: Reported, F> {
    /// It, or what is to be told of it.
    pub(super) survey: Survey<P, F>,
    pub(super) states: u64,
    pub(super) counts: Counts,
    /// Bytes that processes have sent to each other.
    pub(super) sent: u64,
    pub(super) pause: Pause,
    pub(super) goals: Vec<Judging<'g, Vec<u32>>>,
    /// How many cores computed.
    pub(super) workers: usize,
}

/// Looks at states for goals.
pub(super) struct Judge<'g> {
    text: &'g str,
    pub(super) goals: Vec<Judging<'g, Vec<u32>>>,
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
    /// What is known of the goals, by all workers.
    pub(super) fn pending(judges: &[Self]) -> Vec<Pending> {
        Self::all(judges).iter().map(Judging::pending).collect()
    }

    /// The goals of all workers as one.
    pub(super) fn all(judges: &[Self]) -> Vec<Judging<'g, Vec<u32>>> {
        together(judges.iter().map(|judge| judge.goals.clone()))
    }
}

/// Goals that several have looked at.
pub(super) fn together<'g>(
    mut all: impl Iterator<Item = Vec<Judging<'g, Vec<u32>>>>,
) -> Vec<Judging<'g, Vec<u32>>> {
    let first = all.next().unwrap_or_default();
    all.fold(first, |all, more| {
        let pairs = all.into_iter().zip(more);
        pairs.map(|(one, other)| one.and(other)).collect()
    })
}

/// Keeps a survey of this process, with what is known of goals.
pub fn keep_survey<L: Language, F: Digest>(
    checkpoints: &mut (dyn Checkpoints + '_),
    survey: &Survey<L, F>,
    goals: Vec<Pending>,
) {
    let shares = survey.kept();
    let parts = survey.digests();
    let mut digests = parts.map(|part| Ok(part.into_iter().map(F::bits).collect()));
    checkpoints.keep(KeptSurvey { shares, goals }, &mut digests);
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
        let Surveying {
            by,
            checkpoints,
            from,
            ..
        } = surveying;
        let mut holds = None;
        let found = match by {
            Surveyors::Here(cores) => {
                let threads = Threads::on(cores);
                let begun = self.begun_survey::<P, F>(&plain, &threads, from);
                begun.map(|begun| self.survey_here(begun, &threads, checkpoints))
            }
            Surveyors::Holding { cores, held } => {
                let threads = Threads::on(cores);
                let held = holds.insert(held).take();
                let held = held.filter(|_| self.options.goals.is_empty());
                let begun = match held {
                    Some(survey) => Ok((survey, Vec::new())),
                    None => self.begun_survey::<P, F>(&plain, &threads, from),
                };
                begun.map(|begun| self.survey_here(begun, &threads, checkpoints))
            }
            Surveyors::Leading { cores, mut post } => {
                self.lead::<P, F>(&plain, (cores, &mut *post), checkpoints, from)
            }
            Surveyors::Helping {
                place,
                cores,
                mut post,
            } => {
                let helped = self.help::<P, F>(&plain, place, (cores, &mut *post));
                return Report {
                    apart: helped.err(),
                    ..self.empty()
                };
            }
        };
        match found {
            Ok(found) => self.report_of(&plain, found, holds),
            Err(apart) => Report {
                apart: Some(apart),
                ..self.empty()
            },
        }
    }

    fn report_of<P: Reported + 'static, F: Digest>(
        &mut self,
        plain: &P,
        found: Found<'j, P, F>,
        holds: Option<&mut HeldSurvey>,
    ) -> Report {
        let Found {
            survey,
            states,
            counts,
            sent,
            pause,
            goals,
            workers,
        } = found;
        let mut report = self.empty();
        report.states = states;
        report.edges = counts.edges;
        report.why = Why::of(pause);
        report.complete = report.why.is_none();
        report.survey = Some(SurveyNote {
            bits: F::BITS,
            collision_risk: F::risk(states),
            depth: counts.depth,
            workers,
            asks: counts.asked,
            sent_bytes: sent,
        });
        let (ends, complete) = (survey.ends(), report.complete);
        let ends = ends.iter().map(|(outcome, end)| {
            let trace = self.trace(plain, survey.way(end));
            self.end(plain, outcome, end.states, trace)
        });
        report.ends = ends.collect();
        report.hold(goals.into_iter().map(|judging| {
            let (finding, way) = judging.finding(complete, states)?;
            let choices = way.and_then(|way| Some(walked(plain, &way)?.choices()));
            let trace = self.trace(plain, choices.unwrap_or_default());
            Ok(Finding { trace, ..finding })
        }));
        match holds.filter(|_| !complete && self.options.goals.is_empty()) {
            Some(held) => held.hold(survey),
            // Nobody waits until a large one is freed.
            None => drop(std::thread::spawn(move || drop(survey))),
        }
        report
    }

    /// A survey that begins, or goes on from what was kept on as many cores, and what was known of goals then.
    fn begun_survey<P: Reported + 'static, F: Digest>(
        &self,
        plain: &P,
        cores: &Threads,
        from: Option<(KeptSurvey, KeptDigests<'_>)>,
    ) -> Result<(Survey<P, F>, Vec<Pending>), Apart> {
        let Some((kept, digests)) = from else {
            return Ok((Survey::begin(plain.clone()), Vec::new()));
        };
        let mut is_broken = false;
        let digests = digests.map_while(|digest| {
            is_broken = digest.is_none();
            digest.map(F::of_bits)
        });
        let survey = Survey::resume(plain.clone(), &kept.shares, digests, cores.count());
        if is_broken {
            return Err(Apart::Broken);
        }
        Ok((survey.map_err(|NoWay| Apart::Foreign)?, kept.goals))
    }

    fn survey_here<P: Reported + 'static, F: Digest>(
        &mut self,
        (mut survey, known): (Survey<P, F>, Vec<Pending>),
        threads: &Threads,
        mut checkpoints: Option<Box<dyn Checkpoints + '_>>,
    ) -> Found<'j, P, F> {
        // One that was held may have had more of them.
        let mut judges = self.judges(threads.count().max(survey.tallies().len()));
        if !known.is_empty() {
            judges[0].goals = self.going_on(known);
        }
        let limits = self.limits();
        let pause = loop {
            let mut is_due = false;
            let pause = survey.look_on(threads, &limits, &mut judges, |survey| {
                is_due = checkpoints.as_mut().is_some_and(|keep| keep.is_due());
                !is_due && self.goes_on(&survey_progress(survey, checkpoints.as_deref()))
            });
            if let Some(checkpoints) = &mut checkpoints {
                keep_survey(checkpoints.as_mut(), &survey, Judge::pending(&judges));
            }
            let kept = checkpoints.as_deref();
            if !is_due || !self.goes_on(&survey_progress(&survey, kept)) {
                break pause;
            }
        };
        Found {
            states: survey.states() as u64,
            counts: survey.counts(),
            sent: 0,
            survey,
            pause,
            goals: Judge::all(&judges),
            workers: threads.count(),
        }
    }

    /// Goals of which this much is known.
    pub(super) fn going_on(&self, known: Vec<Pending>) -> Vec<Judging<'j, Vec<u32>>> {
        let goals = self.options.goals.iter().zip(known);
        let goals = goals.map(|(goal, pending)| Judging::go_on(goal, pending));
        goals.collect()
    }

    /// One for each worker.
    pub(super) fn judges(&self, workers: usize) -> Vec<Judge<'j>> {
        let goals = || self.options.goals.iter().map(Judging::new).collect();
        let judge = |_| Judge {
            text: self.text,
            goals: goals(),
        };
        (0..workers).map(judge).collect()
    }
}

/// How far it has come: all, and each part, which has so many cores.
pub(super) fn come<F: Digest>(
    all: &Tally,
    parts: impl Iterator<Item = (Tally, u32)>,
    kept: Option<&(dyn Checkpoints + '_)>,
) -> Progress {
    let parts = parts.map(|(part, cores)| {
        let waiting = part.waiting + part.ahead;
        (waiting as f64 / f64::from(cores), cores)
    });
    let (most, cores) = parts.fold((0.0, 0), |(most, all): (f64, u32), (waiting, cores)| {
        (most.max(waiting), all + cores)
    });
    let waiting = all.waiting + all.ahead;
    let survey = SurveyProgress {
        depth: all.counts.depth,
        asks: all.counts.asked,
        sent_bytes: all.sent,
        memory_bytes: all.bytes,
        balance: most * f64::from(cores) / waiting.max(1) as f64,
        collision_risk: F::risk(all.states),
        kept_seconds_ago: kept.and_then(Checkpoints::last).map(|last| last.as_secs()),
    };
    Progress {
        states: all.states,
        edges: all.counts.edges,
        ends: all.counts.ends,
        waiting,
        survey: Some(survey),
    }
}

/// How far a survey of this process has come.
pub fn survey_progress<L: Language, F: Digest>(
    survey: &Survey<L, F>,
    kept: Option<&(dyn Checkpoints + '_)>,
) -> Progress {
    let parts = survey.tallies();
    come::<F>(
        &Tally::of(&parts),
        parts.iter().map(|part| (*part, 1)),
        kept,
    )
}
