//! Where states wait for threads that look at them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

use borges_concolic::{Budget, Facts, Flow as Goes, SentState, Showing};
use borges_multiverse::fingerprint::WideFingerprint;
use borges_multiverse::graph::Bell;

use crate::suggest::study::Study;

/// What was looked at is told after so long at the latest.
const TOLD: Duration = Duration::from_millis(1);

/// A state that was looked at.
pub(in crate::suggest) type Looked = (WideFingerprint, Showing);

/// Where states wait for those who look at them.
pub(in crate::suggest) struct Desk {
    states: Mutex<VecDeque<Vec<SentState>>>,
    /// There is a state, or an end.
    come: Condvar,
    is_over: AtomicBool,
    is_broken: AtomicBool,
    is_misled: AtomicBool,
    /// Rung when states come, and at the end: for who waits for something else too.
    bell: Bell,
}

/// For whom states are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::suggest) enum For {
    Here,
    /// For another process, to which what was seen must travel.
    Others,
}

/// Says so if the thread that has it panics.
struct Alarm<'d>(&'d Desk);

impl Desk {
    pub(in crate::suggest) fn new(bell: Bell) -> Self {
        Self {
            states: Mutex::default(),
            come: Condvar::new(),
            is_over: AtomicBool::default(),
            is_broken: AtomicBool::default(),
            is_misled: AtomicBool::default(),
            bell,
        }
    }

    /// What a thread that panicked left is whole: nothing here can panic half-way.
    fn states(&self) -> MutexGuard<'_, VecDeque<Vec<SentState>>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Some states that are to be looked at after all that came before.
    pub(in crate::suggest) fn put(&self, states: Vec<SentState>) {
        self.states().push_back(states);
        self.come.notify_one();
        (self.bell)();
    }

    pub(in crate::suggest) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Whether a state came that is none of the program's.
    pub(in crate::suggest) fn is_misled(&self) -> bool {
        self.is_misled.load(Ordering::Relaxed)
    }

    /// # Panics
    /// A thread that looks at states did.
    pub(in crate::suggest) fn expect_whole(&self) {
        let is_broken = self.is_broken.load(Ordering::Relaxed);
        assert!(!is_broken, "a thread that looks at states has panicked");
    }

    pub(in crate::suggest) fn end(&self) {
        let states = self.states();
        self.is_over.store(true, Ordering::Relaxed);
        drop(states);
        self.come.notify_all();
        (self.bell)();
    }

    /// The next states; nothing at the end.
    fn next(&self) -> Option<Vec<SentState>> {
        let waits = |states: &mut VecDeque<_>| states.is_empty() && !self.is_over();
        let waited = self.come.wait_while(self.states(), waits);
        let mut states = waited.unwrap_or_else(PoisonError::into_inner);
        states.pop_front().filter(|_| !self.is_over())
    }

    /// The next states, if there are any now.
    pub(in crate::suggest) fn next_now(&self) -> Option<Vec<SentState>> {
        self.states().pop_front().filter(|_| !self.is_over())
    }

    /// Has a thread on each of so many cores look at states, with devices to which these facts are told, and tell what was
    /// looked at; then `ring` says so. Whoever else looks at states tells it where this does.
    pub(in crate::suggest) fn staffed<'s, 'e: 's>(
        self: &Arc<Self>,
        scope: &'s Scope<'s, 'e>,
        (study, facts): (&Study<'e>, &Facts),
        (cores, whom): (usize, For),
        ring: impl Fn() + Clone + Send + 's,
    ) -> (Sender<Vec<Looked>>, Receiver<Vec<Looked>>) {
        let (to, from) = channel();
        for _ in 0..cores {
            let (desk, to, ring) = (Arc::clone(self), to.clone(), ring.clone());
            let (study, facts) = (study.clone(), facts.clone());
            scope.spawn(move || {
                desk.serve((&study, facts), whom, &|looked| {
                    // Who does not listen any more has begun again, or ended it.
                    let _ = to.send(looked);
                    ring();
                });
            });
        }
        (to, from)
    }

    /// Looks at one state after the other, and tells what that shows.
    fn serve(&self, (study, facts): (&Study<'_>, Facts), whom: For, tell: &dyn Fn(Vec<Looked>)) {
        let _alarm = Alarm(self);
        let began = Instant::now();
        let clock = || began.elapsed();
        let heard = |_| match self.is_over() {
            true => Goes::Stop,
            false => Goes::Continue,
        };
        let budget = Budget::new(Duration::MAX, &clock, &heard);
        let conditions = study.conditions();
        let about = facts.told(&study.watching(&conditions));
        let device = study.device(about, &budget).telling();
        let packer = device.packer();
        let travels = |showing: Showing| match whom {
            For::Here => Some(showing),
            For::Others => showing.packed(&packer),
        };
        while let Some(states) = self.next() {
            let (mut looked, mut last) = (Vec::new(), Instant::now());
            for state in states {
                let Some(showing) = device.showing(&state).and_then(travels) else {
                    self.is_misled.fetch_or(!self.is_over(), Ordering::Relaxed);
                    (self.bell)();
                    return;
                };
                looked.push((state.name(), showing));
                if last.elapsed() > TOLD {
                    tell(std::mem::take(&mut looked));
                    last = Instant::now();
                }
            }
            tell(looked);
        }
    }
}

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_broken.store(true, Ordering::Relaxed);
            (self.0.bell)();
        }
    }
}
