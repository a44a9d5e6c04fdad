//! Surveys among several processes.

use borges_multiverse::fingerprint::Digest;
use borges_multiverse::graph::{Apart, Leader, Letter, Member, NoWay, Pause, Post, Survey};
use borges_multiverse::workers::Alone;

use super::goal::Pending;
use super::job::Job;
use super::reported::Reported;
use super::survey::{Found, Judge, come, keep_survey, survey_progress, together};
use super::surveying::{Checkpoints, KeptDigests, KeptSurvey};
use super::threads::Threads;

/// On how many cores each process works, and how the others are reached.
type Others<'o> = (Vec<u32>, &'o mut dyn Post<Letter<Vec<Pending>>>);

impl<'j> Job<'j> {
    /// Surveys the states of a program, and tells others to.
    pub(super) fn lead<P: Reported + 'static, F: Digest>(
        &mut self,
        plain: &P,
        (cores, post): Others<'_>,
        mut checkpoints: Option<Box<dyn Checkpoints + '_>>,
        from: Option<(KeptSurvey, KeptDigests<'_>)>,
    ) -> Result<Found<'j, P, F>, Apart> {
        let mut judges = self.judges(cores[0] as usize);
        let workers = cores.iter().sum::<u32>() as usize;
        let mut leader;
        match from {
            None => {
                let (alone, pause) = self.begin_alone::<P, F>(plain, workers, &mut judges);
                if !alone.is_enough_for(workers) {
                    (1..cores.len()).for_each(|member| post.send(member, Letter::End));
                    if let Some(checkpoints) = &mut checkpoints {
                        keep_survey(checkpoints.as_mut(), &alone, Judge::pending(&judges));
                    }
                    return Ok(Found {
                        states: alone.states() as u64,
                        counts: alone.counts(),
                        sent: 0,
                        survey: alone,
                        pause,
                        goals: Judge::all(&judges),
                        workers,
                    });
                }
                leader = Leader::<_, F, _, _>::new(plain, &cores, judges, &Judge::pending);
                let digests = alone.digests().flatten().map(Some);
                leader.deal(post, &alone.kept(), digests)?;
            }
            Some((kept, digests)) => {
                judges[0].goals = self.going_on(kept.goals);
                leader = Leader::new(plain, &cores, judges, &Judge::pending);
                let digests = digests.map(|digest| digest.map(F::of_bits));
                leader.deal(post, &kept.shares, digests)?;
            }
        }
        let pause = self.lead_to_limits(&mut leader, (&cores, post), checkpoints)?;
        let (kept, notes) = leader.kept(post, false)?;
        leader.end(post);
        let all = leader.tally();
        Ok(Found {
            survey: Survey::collected(plain.clone(), &kept).map_err(|NoWay| Apart::Foreign)?,
            states: all.states,
            counts: all.counts,
            sent: all.sent,
            pause,
            goals: together(notes.into_iter().map(|noted| self.going_on(noted))),
            workers,
        })
    }

    /// Surveys until there is enough for others to do, or something ends it before.
    fn begin_alone<P: Reported, F: Digest>(
        &mut self,
        plain: &P,
        workers: usize,
        judges: &mut [Judge<'j>],
    ) -> (Survey<P, F>, Pause) {
        let limits = self.limits();
        let mut alone = Survey::begin(plain.clone());
        let pause = alone.look_on(&Alone, &limits, &mut judges[..1], |survey| {
            !survey.is_enough_for(workers) && self.goes_on(&survey_progress(survey, None))
        });
        (alone, pause)
    }

    /// Surveys to the limits, and keeps what is found now and then.
    fn lead_to_limits<P: Reported, F: Digest>(
        &mut self,
        leader: &mut Leader<'_, P, F, Judge<'j>, Vec<Pending>>,
        (cores, post): (&[u32], &mut dyn Post<Letter<Vec<Pending>>>),
        mut checkpoints: Option<Box<dyn Checkpoints + '_>>,
    ) -> Result<Pause, Apart> {
        let (limits, threads) = (self.limits(), Threads::new(cores[0] as usize));
        loop {
            let mut is_due = false;
            let pause = leader.run(post, &threads, &limits, |sum, parts| {
                is_due = checkpoints.as_mut().is_some_and(|keep| keep.is_due());
                let parts = parts.iter().copied().zip(cores.iter().copied());
                !is_due && self.goes_on(&come::<F>(sum, parts, checkpoints.as_deref()))
            })?;
            if let Some(checkpoints) = &mut checkpoints {
                let (shares, notes) = leader.kept(post, true)?;
                let goals = together(notes.into_iter().map(|noted| self.going_on(noted)));
                let goals = goals.iter().map(super::goal::Judging::pending).collect();
                let mut failed = None;
                let mut digests = leader.digests(post).map(|part| {
                    let part = part.inspect_err(|apart| failed = Some(apart.clone()));
                    Ok(part?.into_iter().map(F::bits).collect())
                });
                checkpoints.keep(KeptSurvey { shares, goals }, &mut digests);
                drop(digests);
                failed.map_or(Ok(()), Err)?;
            }
            let parts = leader.tallies().iter().copied().zip(cores.iter().copied());
            let come = come::<F>(&leader.tally(), parts, checkpoints.as_deref());
            if !is_due || !self.goes_on(&come) {
                return Ok(pause);
            }
        }
    }

    /// Surveys what another process says.
    pub(super) fn help<P: Reported + 'static, F: Digest>(
        &self,
        plain: &P,
        place: usize,
        (cores, post): Others<'_>,
    ) -> Result<(), Apart> {
        let here = cores[place] as usize;
        let judges = self.judges(here);
        let mut member = Member::<_, F, _>::new(plain, place, &cores, judges);
        member.work(post, &Threads::new(here), &Judge::pending)
    }
}
