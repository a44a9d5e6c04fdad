//! Several hands on one stack of work, each on a thread of its own: whoever has nothing to do gets what others would have
//! come to last.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::budget::{Budget, PULSE};

/// What hands have in common.
struct Table<T> {
    state: Mutex<State<T>>,
    /// There is something to do, or nothing will be.
    changed: Condvar,
    /// Somebody waits for something to do.
    is_short: AtomicBool,
    /// Nothing is left to spend.
    is_spent: AtomicBool,
}

struct State<T> {
    pieces: Vec<T>,
    hands: usize,
    idle: usize,
    is_over: bool,
    has_stopped: bool,
}

/// Does a piece of work and all that it leads to, with all hands, the first of which works here. `each` does one piece, adds
/// what it leads to, and says whether to go on; whether all have. The first hand has this budget; the others have none left
/// when it is spent.
pub(super) fn work<T: Send, H: Send>(
    hands: &mut [H],
    first: T,
    budget: &Budget<'_>,
    each: &(impl Fn(&mut H, &Budget<'_>, T, &mut Pieces<'_, T>) -> bool + Sync),
) -> bool {
    let table = Table::new(first, hands.len());
    let Some((here, others)) = hands.split_first_mut() else {
        return false;
    };
    thread::scope(|scope| {
        for hand in others {
            let table = &table;
            scope.spawn(move || {
                Budget::until(&table.is_spent, |budget| table.turn(hand, budget, each));
            });
        }
        table.turn(here, budget, &|hand, budget, piece, pieces| {
            let goes_on = each(hand, budget, piece, pieces);
            table.note(budget);
            goes_on
        });
    });
    !table.state().has_stopped
}

/// What a hand has to do next, and who else could do it.
pub(super) struct Pieces<'t, T> {
    own: Vec<T>,
    table: &'t Table<T>,
}

impl<T> Pieces<'_, T> {
    /// Something that this hand does before all that it has.
    pub(super) fn push(&mut self, piece: T) {
        self.own.push(piece);
    }

    /// Whether somebody waits for something to do.
    pub(super) fn are_wanted(&self) -> bool {
        self.table.is_short.load(Ordering::Relaxed)
    }

    /// Something for whoever comes first.
    pub(super) fn give(&self, piece: T) {
        self.table.give(piece);
    }
}

impl<T> Extend<T> for Pieces<'_, T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, pieces: I) {
        self.own.extend(pieces);
    }
}

impl<T> Table<T> {
    fn new(first: T, hands: usize) -> Self {
        let state = State {
            pieces: vec![first],
            hands,
            idle: 0,
            is_over: false,
            has_stopped: false,
        };
        Table {
            state: Mutex::new(state),
            changed: Condvar::new(),
            is_short: AtomicBool::new(false),
            is_spent: AtomicBool::new(false),
        }
    }

    /// What a hand that panicked left is whole: nothing here can panic half-way.
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, budget: &Budget<'_>) {
        if budget.is_spent() {
            self.is_spent.store(true, Ordering::Relaxed);
        }
    }

    /// What one hand does until nothing is left.
    fn turn<H>(
        &self,
        hand: &mut H,
        budget: &Budget<'_>,
        each: &impl Fn(&mut H, &Budget<'_>, T, &mut Pieces<'_, T>) -> bool,
    ) {
        let _leaving = Leaving(self);
        let mut pieces = Pieces {
            own: Vec::new(),
            table: self,
        };
        while let Some(piece) = pieces.own.pop().or_else(|| self.take(budget)) {
            if !each(hand, budget, piece, &mut pieces) {
                return self.stop();
            }
            if pieces.own.len() > 1 && pieces.are_wanted() {
                // What lies at the bottom leads to most.
                let piece = pieces.own.remove(0);
                pieces.give(piece);
            }
        }
    }

    /// Waits for something to do; nothing when there will be nothing more.
    fn take(&self, budget: &Budget<'_>) -> Option<T> {
        let mut state = self.state();
        state.idle += 1;
        loop {
            if state.pieces.is_empty() && state.idle == state.hands {
                state.is_over = true;
                self.changed.notify_all();
            }
            if state.is_over {
                return None;
            }
            if let Some(piece) = state.pieces.pop() {
                state.idle -= 1;
                self.look(&state);
                return Some(piece);
            }
            self.look(&state);
            let waited = self.changed.wait_timeout(state, PULSE);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            self.note(budget);
        }
    }

    fn give(&self, piece: T) {
        let mut state = self.state();
        state.pieces.push(piece);
        self.look(&state);
        self.changed.notify_one();
    }

    fn look(&self, state: &State<T>) {
        let is_short = state.idle > state.pieces.len();
        self.is_short.store(is_short, Ordering::Relaxed);
    }

    fn stop(&self) {
        let mut state = self.state();
        (state.is_over, state.has_stopped) = (true, true);
        self.changed.notify_all();
    }
}

/// Nobody waits for a hand that panics.
struct Leaving<'t, T>(&'t Table<T>);

impl<T> Drop for Leaving<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::*;
    use crate::budget::Flow;

    /// The numbers below 2^20 as a tree, of which each has two behind it.
    fn numbers(
        hands: usize,
        each: impl Fn(u32) -> bool + Sync,
        budget: &Budget<'_>,
    ) -> (bool, Vec<Vec<u32>>) {
        let mut hands = vec![Vec::new(); hands];
        let is_whole = work(
            &mut hands,
            1_u32,
            budget,
            &|done: &mut Vec<u32>, _, number, more| {
                done.push(number);
                if number < 1 << 12 {
                    more.extend([2 * number, 2 * number + 1]);
                }
                each(number)
            },
        );
        (is_whole, hands)
    }

    #[test]
    fn everything_is_done_once_whoever_does_it() {
        for count in [1, 2, 3, 7] {
            let (is_whole, hands) = numbers(count, |_| true, &Budget::unlimited());
            let mut all = hands.concat();
            all.sort_unstable();
            assert!(
                is_whole && all == (1..1 << 13).collect::<Vec<_>>(),
                "{count}"
            );
        }
    }

    #[test]
    fn who_has_nothing_gets_something() {
        // The first hand waits in its first pieces until the other has had one.
        let seen = AtomicBool::new(false);
        let main = thread::current().id();
        let each = |_| {
            let is_other = thread::current().id() != main;
            seen.fetch_or(is_other, Ordering::Relaxed);
            if !is_other && !seen.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
            true
        };
        let (is_whole, hands) = numbers(2, each, &Budget::unlimited());
        assert!(is_whole && hands.iter().all(|done| !done.is_empty()));
    }

    #[test]
    fn one_that_stops_stops_all() {
        for count in [1, 3] {
            let (is_whole, hands) = numbers(count, |number| number != 77, &Budget::unlimited());
            assert!(!is_whole && hands.concat().len() < (1 << 13) - 1, "{count}");
        }
    }

    #[test]
    fn what_is_spent_is_spent_for_all() {
        let looks = Cell::new(0);
        // The time is up at the tenth look.
        let clock = || {
            looks.set(looks.get() + 1);
            Duration::from_secs(looks.get())
        };
        let budget = Budget::new(Duration::from_secs(10), &clock, &|_| Flow::Continue);
        let mut hands = vec![0; 3];
        let is_whole = work(&mut hands, (), &budget, &|_, budget, (), more| {
            // There is always more, until nothing is left.
            more.extend((!budget.is_spent()).then_some(()));
            more.extend((!budget.is_spent()).then_some(()));
            true
        });
        assert!(is_whole && budget.is_spent());
    }
}
