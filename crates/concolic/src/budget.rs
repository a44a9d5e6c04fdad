//! What an exploration may still spend: time, until somebody has had enough.
//!
//! Every decision, question to a solver, computed set and merged path asks the same [`Budget`]. Nothing here reads a
//! clock: who makes a budget brings one.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Enough: what was found is kept.
    Stop,
}

/// How far an exploration has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Paths found.
    pub paths: usize,
    /// States found, where a graph of them is explored: what else is noted meanwhile is about looking at one.
    pub states: usize,
    /// Branches that wait.
    pub waiting: usize,
    /// Instructions executed.
    pub steps: u64,
    /// All paths with so many inputs were looked at.
    pub inputs: u32,
}

/// Why nothing is left of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spent {
    /// The time is used up.
    Time,
    /// Who listens has had enough.
    Cancelled,
}

/// Time by a clock, a listener who may end everything, and what was done so far.
pub struct Budget<'b> {
    /// The time since some moment.
    clock: &'b dyn Fn() -> Duration,
    /// Hears how far it has come, every [`PULSE`].
    heard: &'b dyn Fn(Progress) -> Flow,
    /// When the time is up, by the clock.
    until: Duration,
    /// The budget that this is a part of.
    whole: Option<&'b Budget<'b>>,
    /// When the listener is told again.
    next: Cell<Duration>,
    spent: Cell<Option<Spent>>,
    progress: Cell<Progress>,
}

/// Time between two looks at whether the listener has had enough.
pub const PULSE: Duration = Duration::from_millis(4);

fn stands_still() -> Duration {
    Duration::ZERO
}

fn goes_on(_: Progress) -> Flow {
    Flow::Continue
}

impl<'b> Budget<'b> {
    /// So much time from now on by this clock. `heard` is told how far it has come every [`PULSE`], and may end it.
    #[must_use]
    pub fn new(
        time: Duration,
        clock: &'b dyn Fn() -> Duration,
        heard: &'b dyn Fn(Progress) -> Flow,
    ) -> Self {
        let now = clock();
        Budget {
            clock,
            heard,
            until: now.saturating_add(time),
            whole: None,
            next: Cell::new(now.saturating_add(PULSE)),
            spent: Cell::new(None),
            progress: Cell::new(Progress::default()),
        }
    }

    /// A budget that never ends.
    #[must_use]
    pub fn unlimited() -> Budget<'static> {
        Budget::new(Duration::MAX, &stands_still, &goes_on)
    }

    /// Works with a budget that is spent when somebody, perhaps on another thread, says so.
    pub fn until<T>(is_spent: &AtomicBool, work: impl FnOnce(&Budget<'_>) -> T) -> T {
        let clock = || match is_spent.load(Ordering::Relaxed) {
            true => Duration::MAX,
            false => Duration::ZERO,
        };
        work(&Budget::new(Duration::MAX, &clock, &goes_on))
    }

    /// A part of this one: at most this share of the time that is left, in percent. When the whole is spent, so is the
    /// part.
    #[must_use]
    pub fn part(&'b self, percent: u32) -> Budget<'b> {
        self.at_most(self.left() / 100 * percent.min(100))
    }

    /// A part of this one: at most so much time.
    #[must_use]
    pub fn at_most(&'b self, time: Duration) -> Budget<'b> {
        Budget {
            whole: Some(self),
            ..Budget::new(time.min(self.left()), self.clock, &goes_on)
        }
    }

    /// So much time from now on whatever was spent: to tidy up with. Nobody is told.
    #[must_use]
    pub fn grace(&self, time: Duration) -> Budget<'b> {
        Budget::new(time, self.clock, &goes_on)
    }

    /// Whether there is nothing left. Once there is not, there never is again.
    pub fn is_spent(&self) -> bool {
        self.spent().is_some()
    }

    /// Why there is nothing left, if so: looks at the clock, and tells the listener now and then.
    pub fn spent(&self) -> Option<Spent> {
        match self.spent.get() {
            Some(spent) => Some(spent),
            None => self.spent_by((self.clock)()),
        }
    }

    fn spent_by(&self, now: Duration) -> Option<Spent> {
        if let Some(spent) = self.spent.get() {
            return Some(spent);
        }
        let mut spent = (now >= self.until).then_some(Spent::Time);
        if let Some(whole) = self.whole {
            whole.note(self.progress.get());
            // A part has the clock of the whole: it is looked at once.
            spent = whole.spent_by(now).or(spent);
        } else if spent.is_none() && now >= self.next.get() {
            self.next.set(now.saturating_add(PULSE));
            if (self.heard)(self.progress.get()) == Flow::Stop {
                spent = Some(Spent::Cancelled);
            }
        }
        self.spent.set(spent);
        spent
    }

    /// The time that is left.
    #[must_use]
    pub fn left(&self) -> Duration {
        match self.spent() {
            Some(_) => Duration::ZERO,
            None => self.until.saturating_sub((self.clock)()),
        }
    }

    /// Notes how far it has come; how many states are known stays as it was.
    pub fn note(&self, progress: Progress) {
        let states = self.progress.get().states;
        self.progress.set(Progress { states, ..progress });
    }

    /// Notes, here and in all that this is a part of, that so many states are known; 0 where a graph is explored no more.
    pub fn note_states(&self, states: usize) {
        let progress = self.progress.get();
        self.progress.set(Progress { states, ..progress });
        if let Some(whole) = self.whole {
            whole.note_states(states);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_at_its_time_and_not_before() {
        let now = Cell::new(Duration::ZERO);
        let clock = || now.get();
        let budget = Budget::new(Duration::from_secs(2), &clock, &goes_on);
        now.set(Duration::from_nanos(1_999_999_999));
        assert_eq!(budget.spent(), None);
        assert_eq!(budget.left(), Duration::from_nanos(1));
        now.set(Duration::from_secs(2));
        assert_eq!(budget.spent(), Some(Spent::Time));
        assert_eq!(budget.left(), Duration::ZERO);
    }

    #[test]
    fn the_listener_is_asked_once_a_pulse_and_ends_it_for_good() {
        let now = Cell::new(Duration::ZERO);
        let asked = Cell::new(0);
        let clock = || now.get();
        let heard = |_| {
            asked.set(asked.get() + 1);
            match asked.get() {
                2 => Flow::Stop,
                _ => Flow::Continue,
            }
        };
        let budget = Budget::new(Duration::from_secs(1), &clock, &heard);
        now.set(PULSE - Duration::from_nanos(1));
        assert_eq!((budget.spent(), asked.get()), (None, 0));
        now.set(PULSE);
        assert_eq!((budget.spent(), asked.get()), (None, 1));
        assert_eq!((budget.spent(), asked.get()), (None, 1));
        now.set(PULSE * 2);
        assert_eq!((budget.spent(), asked.get()), (Some(Spent::Cancelled), 2));
        now.set(PULSE * 9);
        assert_eq!((budget.spent(), asked.get()), (Some(Spent::Cancelled), 2));
    }

    #[test]
    fn a_part_ends_with_its_share_or_with_the_whole() {
        let now = Cell::new(Duration::ZERO);
        let clock = || now.get();
        let whole = Budget::new(Duration::from_secs(10), &clock, &goes_on);
        let part = whole.part(70);
        now.set(Duration::from_millis(6999));
        assert!(!part.is_spent());
        now.set(Duration::from_secs(7));
        assert!(part.is_spent() && !whole.is_spent());
        let rest = whole.part(100);
        now.set(Duration::from_secs(10));
        assert!(rest.is_spent() && whole.is_spent());
        assert!(!whole.grace(Duration::from_millis(1)).is_spent());
    }

    #[test]
    fn what_is_noted_of_a_part_leaves_the_states_that_are_known() {
        let now = Cell::new(Duration::ZERO);
        let clock = || now.get();
        let told = Cell::new(Progress::default());
        let heard = |progress| {
            told.set(progress);
            Flow::Continue
        };
        let whole = Budget::new(Duration::from_secs(10), &clock, &heard);
        let looking = whole.part(50);
        looking.note_states(7);
        let one = looking.at_most(Duration::from_secs(1));
        let steps = Progress {
            steps: 3,
            ..Progress::default()
        };
        one.note(steps);
        now.set(PULSE);
        assert_eq!(one.spent(), None);
        assert_eq!(told.get(), Progress { states: 7, ..steps });
        looking.note_states(0);
        now.set(PULSE * 2);
        assert_eq!(one.spent(), None);
        assert_eq!(told.get(), steps);
    }

    #[test]
    fn cancelling_the_whole_ends_its_parts() {
        let now = Cell::new(Duration::ZERO);
        let clock = || now.get();
        let stops = |_| Flow::Stop;
        let whole = Budget::new(Duration::from_secs(10), &clock, &stops);
        let part = whole.part(50);
        now.set(PULSE);
        assert_eq!(part.spent(), Some(Spent::Cancelled));
    }
}
