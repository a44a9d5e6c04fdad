//! A survey as it goes on: again from the start whenever enough was learnt.

use std::cell::RefCell;
use std::rc::Rc;
use std::thread::Scope;

use borges_concolic::{
    Budget, Comparing, Device, Facts, FarDevice, Lookers as _, Noted, learn_states,
};
use borges_languages::model::{Checkpoints, Progress, survey_progress};
use borges_multiverse::fingerprint::Digest;
use borges_multiverse::graph::{Apart, NoWay, Pause, Survey};

use super::DeviceAsked;
use super::file::{Before, Come, Keeper};
use super::sighted::{Seen, Sighted};
use crate::suggest::conditions::Conditions;
use crate::suggest::looking::others::Others;
use crate::suggest::looking::{Crew, Far, Hands, Surveying};

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
    pub(super) hands: Hands<'r>,
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
        self.asked.study().device(about, self.looking)
    }

    /// The same, at whose states others look; it goes on from what was noted before.
    fn far<'s>(&self, noted: &Noted, scope: &'s Scope<'s, 'r>) -> Far<'r> {
        let account = self.device();
        let crew = match self.hands.count() {
            1 => Crew::alone(self.device()),
            _ => {
                let hands = (self.hands, account.packer());
                Crew::hired(scope, (&self.asked.study(), &self.facts), hands)
            }
        };
        Rc::new(FarDevice::new(account, noted, self.device(), crew))
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
    ) -> Result<Surveyed<'r, F>, Apart> {
        let demands = self.asked.demands(conditions);
        let (mut far, mut survey, mut seen);
        match from {
            Some(from) => {
                let known = from.known;
                self.facts = known.facts;
                far = self.far(&known.noted, scope);
                let digests = from.digests.map_while(|digest| digest.map(F::of_bits));
                let resumed = Survey::resume(Rc::clone(&far), &from.shares, digests, 1);
                survey = resumed.map_err(|NoWay| Apart::Foreign)?;
                let covering = survey.recognize(&known.covering);
                far.cover_again(covering.map_err(|NoWay| Apart::Foreign)?);
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
            survey.hold(HELD * self.hands.count());
            let mut sighted = Sighted::of(seen, &demands, Rc::clone(&far));
            let pause = self.stint(&mut survey, &mut sighted, &far, keeper.as_deref_mut());
            // Who is gone now that all is known is needed no more.
            let apart = self.apart(&far);
            if let Some(apart) = apart.filter(|_| pause == Pause::Cancelled) {
                // What was found by then was found by those who are there.
                if apart != Apart::Senseless {
                    let known = sighted.seen(&self.asked.subject);
                    self.keep(keeper, &survey, &far, known);
                }
                far.lookers().dismiss();
                return Err(apart);
            }
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
            self.come.replace(self.told(survey_progress(survey, kept)));
            let is_due = keeper.as_mut().is_some_and(|keeper| keeper.to.is_due());
            let is_broken_off = is_due || far.has_news() || self.apart(far).is_some();
            let goes_on = !(is_broken_off || self.looking.is_spent());
            if goes_on {
                far.lookers().look_ahead(&mut survey.coming());
            }
            goes_on
        })
    }

    /// Why those who look do not go on.
    fn apart(&self, far: &Far<'r>) -> Option<Apart> {
        let is_misled = far.is_misled() || far.lookers().is_misled();
        let others = || self.hands.others.and_then(Others::apart);
        is_misled.then_some(Apart::Senseless).or_else(others)
    }

    /// How far it has come, with what other processes were asked.
    fn told(&self, mut come: Progress) -> Progress {
        if let (Some(survey), Some(others)) = (&mut come.survey, self.hands.others) {
            (survey.asks, survey.sent_bytes) = others.told();
        }
        come
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
