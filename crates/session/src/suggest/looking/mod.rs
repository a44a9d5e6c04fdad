//! Those who look at the states of a device program ahead of who follows them: one, a thread on each core, or other processes besides.

pub(super) mod desk;
pub(super) mod letters;
pub(super) mod others;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::thread::Scope;

use borges_concolic::{
    Budget, Device, Facts, FarDevice, Lookers, PULSE, Packer, SentState, Showing,
};
use borges_languages::model::Threads;
use borges_multiverse::fingerprint::WideFingerprint;
use borges_multiverse::graph::{Bell, Survey};
use borges_multiverse::workers::Workers as _;

use self::desk::{Desk, For, Looked};
use self::others::Others;
use super::study::Study;

/// So many states are looked at ahead for each core: one that takes long stops nobody, and little is looked at in vain.
const AHEAD: usize = 128;

/// Who looks is given so many at once: some take less time than to wait for the next.
const AT_ONCE: usize = 16;

/// Who can look at states.
#[derive(Clone, Copy)]
pub(super) struct Hands<'h> {
    /// On how many cores of this process.
    pub(super) cores: usize,
    /// Other processes.
    pub(super) others: Option<&'h Others>,
}

impl Hands<'_> {
    /// So many cores; all, if nothing is said.
    pub(super) fn cores(asked: Option<u16>) -> usize {
        Threads::on(asked.map(usize::from)).count()
    }

    /// On how many cores of all processes.
    pub(super) fn count(&self) -> usize {
        self.cores + self.others.map_or(0, Others::count)
    }
}

/// A program at whose states a crew looks.
pub(super) type Far<'f> = Rc<FarDevice<'f, Crew<'f>>>;

/// A survey of it.
pub(super) type Surveying<'f, F> = Survey<Far<'f>, F>;

/// Those who look, each with a device of its own.
pub(super) enum Crew<'c> {
    /// Who surveys looks too.
    Alone(Box<Device<'c>>),
    /// Threads, and perhaps other processes.
    Hired(RefCell<Hired<'c>>),
}

/// Threads that look at states, and one that has other processes look.
pub(super) struct Hired<'h> {
    desk: Arc<Desk>,
    from: Receiver<Vec<Looked>>,
    /// States that they were asked for, and are not wanted yet.
    asked: HashSet<WideFingerprint>,
    shown: HashMap<WideFingerprint, Showing>,
    hands: Hands<'h>,
}

impl<'c> Crew<'c> {
    /// Who surveys, with this device.
    pub(super) fn alone(device: Device<'c>) -> Self {
        Self::Alone(Box::new(device.telling()))
    }

    /// A thread on each of so many cores, with devices to which these facts are told.
    pub(super) fn on_cores<'s, 'e: 's>(
        scope: &'s Scope<'s, 'e>,
        (study, facts): (&Study<'e>, &Facts),
        cores: usize,
    ) -> Self {
        let hands = Hands {
            cores,
            others: None,
        };
        let (hired, _) = Hired::threads(scope, (study, facts), hands);
        Self::Hired(RefCell::new(hired))
    }

    /// All hands, with devices to which these facts are told.
    pub(super) fn hired<'s>(
        scope: &'s Scope<'s, 'c>,
        (study, facts): (&Study<'c>, &Facts),
        (hands, packer): (Hands<'c>, Packer),
    ) -> Self {
        let (hired, to) = Hired::threads(scope, (study, facts), hands);
        if let Some(others) = hands.others {
            let (desk, facts) = (Arc::clone(&hired.desk), facts.clone());
            scope.spawn(move || others.serve(&desk, (&facts, &packer), &to));
        }
        Self::Hired(RefCell::new(hired))
    }

    /// Nothing will be asked any more.
    pub(super) fn dismiss(&self) {
        if let Self::Hired(hired) = self {
            hired.borrow().desk.end();
        }
    }

    /// Whether one of them was given what is no state of the program.
    pub(super) fn is_misled(&self) -> bool {
        match self {
            Self::Alone(device) => device.is_misled(),
            Self::Hired(hired) => hired.borrow().desk.is_misled(),
        }
    }
}

impl Lookers for Crew<'_> {
    fn showing(&self, state: &SentState, looking: &Budget<'_>) -> Option<Showing> {
        match self {
            Self::Alone(device) => device.showing(state),
            Self::Hired(hired) => hired.borrow_mut().showing(state, looking),
        }
    }

    fn look_ahead(&self, coming: &mut dyn Iterator<Item = &SentState>) {
        if let Self::Hired(hired) = self {
            hired.borrow_mut().ask(coming);
        }
    }
}

impl<'h> Hired<'h> {
    /// The threads of this process, and where to tell what was looked at besides.
    fn threads<'s, 'e: 's>(
        scope: &'s Scope<'s, 'e>,
        (study, facts): (&Study<'e>, &Facts),
        hands: Hands<'h>,
    ) -> (Self, Sender<Vec<Looked>>) {
        let nobody = || -> Bell { Box::new(|| ()) };
        let bell = hands.others.map_or_else(nobody, Others::bell);
        let desk = Arc::new(Desk::new(bell));
        let for_whom = (hands.cores, For::Here);
        let (to, from) = desk.staffed(scope, (study, facts), for_whom, || ());
        let hired = Hired {
            desk,
            from,
            asked: HashSet::new(),
            shown: HashMap::new(),
            hands,
        };
        (hired, to)
    }

    /// Has those of these states looked at that were not asked for yet.
    fn ask<'s>(&mut self, states: impl Iterator<Item = &'s SentState>) {
        let count = self.hands.count();
        let states = states.take(AHEAD * count);
        let new = states.filter(|state| self.asked.insert(state.name()));
        let new: Vec<SentState> = new.cloned().collect();
        let each = new.len().div_ceil(count).clamp(1, AT_ONCE);
        for some in new.chunks(each) {
            self.desk.put(some.to_vec());
        }
    }

    /// Waits for what a state shows, as long as there is time and all are there.
    fn showing(&mut self, state: &SentState, looking: &Budget<'_>) -> Option<Showing> {
        self.ask(std::iter::once(state));
        loop {
            let name = state.name();
            if let Some(showing) = self.shown.remove(&name) {
                self.asked.remove(&name);
                return Some(showing);
            }
            let are_apart = self.hands.others.is_some_and(Others::are_apart);
            if looking.is_spent() || are_apart || self.desk.is_misled() {
                return None;
            }
            let come = self.from.recv_timeout(PULSE).ok();
            let come = come.into_iter().chain(self.from.try_iter());
            self.shown.extend(come.flatten());
            self.desk.expect_whole();
        }
    }
}

impl Drop for Hired<'_> {
    fn drop(&mut self) {
        self.desk.end();
    }
}
