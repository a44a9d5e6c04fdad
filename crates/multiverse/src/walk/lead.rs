//! Somebody who looks on along a walk, and goes back with it.

use super::{BEAT, Walk};
use crate::causality::Follower;
use crate::language::Language;
use crate::tree::Place;

/// A follower, and how far it was led ([`Walk::lead`]); none of what it saw is told twice.
#[derive(Clone, Debug)]
pub struct Led<F> {
    follower: F,
    place: Place,
}

impl<F: Default> Default for Led<F> {
    fn default() -> Self {
        Self {
            follower: F::default(),
            place: Place::ROOT,
        }
    }
}

impl<L: Language> Walk<L> {
    /// Leads a follower of this walk from where it is to this universe: back to where the paths to both part, and on
    /// from there. `keep_going` is asked now and then how far it may come.
    ///
    /// None if it was stopped: the follower then stands on the way, and is led on from there the next time.
    pub fn lead<'f, F: Follower<L>>(
        &self,
        led: &'f mut Led<F>,
        mut keep_going: impl FnMut(u32) -> bool,
    ) -> Option<&'f F> {
        let tree = self.tree();
        let common = tree.join(led.place, self.place())?;
        while led.place.index > common.index {
            led.follower.back();
            led.place = tree.parent(led.place)?;
        }
        let mut state = self.state_at(common)?;
        for (place, taken) in tree.between(common, self.place())? {
            if u64::from(place.index).is_multiple_of(BEAT) && !keep_going(place.index) {
                return None;
            }
            let step = self.language().step(&state, &taken.choice)?;
            led.follower.forward(&state, &taken.choice, &step);
            led.place = place;
            state = step.next.state;
        }
        Some(&led.follower)
    }
}
