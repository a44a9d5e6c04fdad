//! A survey as it goes on: again from the start whenever enough was learnt.

use std::cell::RefCell;
use std::rc::Rc;
use std::thread::Scope;

use borges_concolic::{Budget, Comparing, Device, Facts, FarDevice, Noted, learn_states};
use borges_languages::model::{Checkpoints, Progress, survey_progress};
use borges_multiverse::fingerprint::Digest;
use borges_multiverse::graph::{NoWay, Pause, Survey};

use super::DeviceAsked;
use super::crew::{Cores, Crew, Far, Surveying};
use super::file::{Before, Come, Keeper};
use super::sighted::{Seen, Sighted};
use crate::suggest::conditions::Conditions;

/// States of the graph that comes first.
const LEARNT_FROM: usize = 8192;

/// So many states of a level are held for each core; of the others only the ways there: a state takes a kilobyte or more.
const HELD: usize = 1 << 15;

/// What a survey is made with.
pub(super) struct Run<'r> {
    pub(super) asked: &'r DeviceAsked,
    pub(super) about: &'r Comparing<'r>,
    pub(super) looking: &'r Budget<'r>,
    /// How far it has come: what is told while a state takes long.
    pub(super) come: &'r RefCell<Progress>,
    pub(super) cores: Cores,
    pub(super) facts: Facts,
}

/// What a survey came to.
pub(super) struct Surveyed<'f, F> {
    pub(super) survey: Surveying<'f, F>,
    pub(super) far: Far<'f>,
    pub(super) sighted: Sighted<'f>,
    pub(super) pause: Pause,
}

impl<'r> Run<'r> {
    /// The program with what was learnt.
    pub(super) fn device(&self) -> Device<'r> {
        let about = self.facts.clone().told(self.about);
        self.asked.device(about, self.looking)
    }

    /// The same, at whose states others look; it goes on from what was noted before.
    fn far<'s>(&self, noted: &Noted, scope: &'s Scope<'s, 'r>) -> Far<'r> {
        let crew = match self.cores.several() {
            None => Crew::alone(self.device()),
            Some(cores) => Crew::hired(scope, (self.asked, &self.facts), cores, self.looking),
        };
        Rc::new(FarDevice::new(self.device(), noted, self.device(), crew))
    }

    /// Learns from a small graph what there is to learn; whatever the limit of states is, or who goes on beyond it would
    /// know less.
    fn learn(&self) -> Facts {
        let (subject, options) = (&self.asked.subject, &self.asked.options);
        let about = options.comparing(subject, self.about);
        // What is to be taken for anything was looked at when the program was opened.
        let about = about.unwrap_or_else(|_| self.about.clone());
        let (bounds, solver) = (options.bounds(), || options.solver());
        let learnt = learn_states(
            &subject.start,
            &bounds,
            &solver,
            &about,
            LEARNT_FROM,
            self.looking,
        );
        learnt.unwrap_or_default()
    }

    /// Surveys, and again from the start whenever enough is learnt.
    pub(super) fn survey<'s, F: Digest>(
        &mut self,
        scope: &'s Scope<'s, 'r>,
        mut keeper: Option<&mut Keeper<'_>>,
        from: Option<Before<'_>>,
        conditions: &Conditions<'_>,
    ) -> Result<Surveyed<'r, F>, NoWay> {
        let limits = conditions.limits();
        let (mut far, mut survey, mut seen);
        match from {
            Some(from) => {
                let known = from.known;
                self.facts = known.facts;
                far = self.far(&known.noted, scope);
                let digests = from.digests.map_while(|digest| digest.map(F::of_bits));
                survey = Survey::resume(Rc::clone(&far), &from.shares, digests, 1)?;
                far.cover_again(survey.recognize(&known.covering)?);
                seen = known.seen;
            }
            None => {
                self.facts = self.learn();
                far = self.far(&Noted::default(), scope);
                survey = Survey::begin(Rc::clone(&far));
                seen = Seen::default();
            }
        }
        loop {
            survey.hold(HELD * self.cores.count());
            let mut sighted = Sighted::of(seen, limits.clone(), Rc::clone(&far));
            let pause = self.stint(&mut survey, &mut sighted, &far, keeper.as_deref_mut());
            // What was learnt counts where the survey comes to an end, or to where that is looked for: when it is kept, or
            // ended by somebody, depends on time.
            let is_over = self.looking.is_spent();
            let is_end = pause != Pause::Cancelled || far.has_news();
            let news = far.account().news();
            // Without what was learnt these are not all states.
            let pause = match news.is_some() && is_over {
                true => Pause::Cancelled,
                false => pause,
            };
            let Some(news) = news.filter(|_| is_end && !is_over) else {
                let known = sighted.seen(&self.asked.subject);
                self.keep(keeper.as_deref_mut(), &survey, &far, known);
                if is_over || pause != Pause::Cancelled {
                    far.lookers().dismiss();
                    return Ok(Surveyed {
                        survey,
                        far,
                        sighted,
                        pause,
                    });
                }
                seen = sighted.into_seen();
                continue;
            };
            far.lookers().dismiss();
            self.facts = news;
            far = self.far(&Noted::default(), scope);
            survey = Survey::begin(Rc::clone(&far));
            seen = Seen::default();
        }
    }

    /// Surveys until it is over, there is news, or it is time to keep it.
    fn stint<F: Digest>(
        &self,
        survey: &mut Surveying<'r, F>,
        sighted: &mut Sighted<'r>,
        far: &Far<'r>,
        mut keeper: Option<&mut Keeper<'_>>,
    ) -> Pause {
        survey.look_alone(&self.asked.limits(), sighted, |survey| {
            let kept = keeper
                .as_deref()
                .map(|keeper| &keeper.to as &dyn Checkpoints);
            self.come.replace(survey_progress(survey, kept));
            let is_due = keeper.as_mut().is_some_and(|keeper| keeper.to.is_due());
            let goes_on = !(self.looking.is_spent() || is_due || far.has_news());
            if goes_on {
                far.lookers().look_ahead(survey.coming());
            }
            goes_on
        })
    }

    fn keep<F: Digest>(
        &self,
        keeper: Option<&mut Keeper<'_>>,
        survey: &Surveying<'r, F>,
        far: &Far<'r>,
        seen: Seen,
    ) {
        let Some(keeper) = keeper else {
            return;
        };
        let account = far.account();
        let known = Come {
            // What was learnt since is among what is noted.
            facts: self.facts.clone(),
            noted: account.noted(),
            seen,
            covering: survey.ways_to(far.covering(survey.numbered())),
        };
        keeper.keep(survey, known);
    }
}
