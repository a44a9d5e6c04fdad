//! Those who look at the states of a device program: one, or a thread on each core.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

use borges_concolic::{
    Budget, Device, Facts, FarDevice, Flow as Goes, Lookers, PULSE, SentState, Showing,
};
use borges_languages::model::Threads;
use borges_multiverse::fingerprint::WideFingerprint;
use borges_multiverse::graph::Survey;
use borges_multiverse::workers::Workers as _;

use super::{DeviceAsked, watching};

/// So many states are looked at ahead for each core: one that takes long stops nobody, and little is looked at in vain.
const AHEAD: usize = 128;

/// Who looks is given so many at once: some take less time than to wait for the next.
const AT_ONCE: usize = 16;

/// What was looked at is told after so long at the latest.
const TOLD: Duration = Duration::from_millis(1);

/// On how many cores states are looked at.
#[derive(Clone, Copy)]
pub(super) struct Cores(usize);

impl Cores {
    /// So many; all, if nothing is said.
    pub(super) fn of(asked: Option<u16>) -> Self {
        let all = || Threads::all().count();
        Self(asked.map_or_else(all, usize::from).max(1))
    }

    pub(super) const fn count(self) -> usize {
        self.0
    }

    /// How many, if it is more than one.
    pub(super) fn several(self) -> Option<usize> {
        (self.0 > 1).then_some(self.0)
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
    /// Threads.
    Hired(RefCell<Hired>, &'c Budget<'c>),
}

/// Threads that look at states.
pub(super) struct Hired {
    desk: Arc<Desk>,
    from: Receiver<Vec<Looked>>,
    /// States that they were asked for, and are not wanted yet.
    asked: HashSet<WideFingerprint>,
    shown: HashMap<WideFingerprint, Showing>,
    threads: usize,
}

/// A state that was looked at.
type Looked = (WideFingerprint, Showing);

/// Where states wait for those who look at them.
#[derive(Default)]
struct Desk {
    states: Mutex<VecDeque<Vec<SentState>>>,
    /// There is a state, or an end.
    come: Condvar,
    is_over: AtomicBool,
    is_broken: AtomicBool,
}

/// Says so if the thread that has it panics.
struct Alarm<'d>(&'d Desk);

impl<'c> Crew<'c> {
    /// Who surveys, with this device.
    pub(super) fn alone(device: Device<'c>) -> Self {
        Self::Alone(Box::new(device.telling()))
    }

    /// So many threads, with devices to which these facts are told.
    pub(super) fn hired<'s>(
        scope: &'s Scope<'s, 'c>,
        (asked, facts): (&'c DeviceAsked, &Facts),
        threads: usize,
        looking: &'c Budget<'c>,
    ) -> Self {
        let desk = Arc::<Desk>::default();
        let (to, from) = channel();
        for _ in 0..threads {
            let (desk, to, facts) = (Arc::clone(&desk), to.clone(), facts.clone());
            scope.spawn(move || desk.serve((asked, facts), &to));
        }
        let hired = Hired {
            desk,
            from,
            asked: HashSet::new(),
            shown: HashMap::new(),
            threads,
        };
        Self::Hired(RefCell::new(hired), looking)
    }

    /// Has the states that come next looked at.
    pub(super) fn look_ahead<'s>(&self, coming: impl Iterator<Item = &'s SentState>) {
        if let Self::Hired(hired, _) = self {
            hired.borrow_mut().ask(coming);
        }
    }

    /// Nothing will be asked any more.
    pub(super) fn dismiss(&self) {
        if let Self::Hired(hired, _) = self {
            hired.borrow().desk.end();
        }
    }
}

impl Lookers for Crew<'_> {
    fn showing(&self, state: &SentState) -> Option<Showing> {
        match self {
            Self::Alone(device) => device.showing(state),
            Self::Hired(hired, looking) => hired.borrow_mut().showing(state, looking),
        }
    }
}

impl Hired {
    /// Has those of these states looked at that were not asked for yet.
    fn ask<'s>(&mut self, states: impl Iterator<Item = &'s SentState>) {
        let states = states.take(AHEAD * self.threads);
        let new = states.filter(|state| self.asked.insert(state.name()));
        let new: Vec<SentState> = new.cloned().collect();
        let each = new.len().div_ceil(self.threads).clamp(1, AT_ONCE);
        for some in new.chunks(each) {
            self.desk.states().push_back(some.to_vec());
            self.desk.come.notify_one();
        }
    }

    /// Waits for what a state shows, as long as there is time.
    fn showing(&mut self, state: &SentState, looking: &Budget<'_>) -> Option<Showing> {
        self.ask(std::iter::once(state));
        loop {
            let name = state.name();
            if let Some(showing) = self.shown.remove(&name) {
                self.asked.remove(&name);
                return Some(showing);
            }
            if looking.is_spent() {
                return None;
            }
            let come = self.from.recv_timeout(PULSE).ok();
            let come = come.into_iter().chain(self.from.try_iter());
            self.shown.extend(come.flatten());
            let is_broken = self.desk.is_broken.load(Ordering::Relaxed);
            assert!(!is_broken, "a thread that looks at states has panicked");
        }
    }
}

impl Drop for Hired {
    fn drop(&mut self) {
        self.desk.end();
    }
}

impl Desk {
    /// What a thread that panicked left is whole: nothing here can panic half-way.
    fn states(&self) -> MutexGuard<'_, VecDeque<Vec<SentState>>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn end(&self) {
        let states = self.states();
        self.is_over.store(true, Ordering::Relaxed);
        drop(states);
        self.come.notify_all();
    }

    /// The next states; nothing at the end.
    fn next(&self) -> Option<Vec<SentState>> {
        let waits = |states: &mut VecDeque<_>| states.is_empty() && !self.is_over();
        let waited = self.come.wait_while(self.states(), waits);
        let mut states = waited.unwrap_or_else(PoisonError::into_inner);
        states.pop_front().filter(|_| !self.is_over())
    }

    /// Looks at one state after the other.
    fn serve(&self, (asked, facts): (&DeviceAsked, Facts), to: &Sender<Vec<Looked>>) {
        let _alarm = Alarm(self);
        let began = Instant::now();
        let clock = || began.elapsed();
        let heard = |_| match self.is_over() {
            true => Goes::Stop,
            false => Goes::Continue,
        };
        let budget = Budget::new(Duration::MAX, &clock, &heard);
        let conditions = asked.limits_of_board();
        let about = facts.told(&watching(&conditions));
        let device = asked.device(about, &budget).telling();
        while let Some(states) = self.next() {
            let (mut looked, mut last) = (Vec::new(), Instant::now());
            for state in states {
                let Some(showing) = device.showing(&state) else {
                    return;
                };
                looked.push((state.name(), showing));
                if last.elapsed() > TOLD {
                    // Who does not listen any more has ended it.
                    let _ = to.send(std::mem::take(&mut looked));
                    last = Instant::now();
                }
            }
            let _ = to.send(looked);
        }
    }
}

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_broken.store(true, Ordering::Relaxed);
        }
    }
}
