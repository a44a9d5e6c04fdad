//! What looks on along a run and remembers, without being a part of any state.

use crate::language::{Language, StepOf};

/// Looks on along a run: what happened before what, which messages were there when one was taken, who held which lock.
///
/// What it remembers is its own. That tells it from [`crate::adapt::Observer`], whose memory
/// is a part of the state and keeps apart what it remembers differently: a follower remembers of one run, so that states
/// stay what they are. It goes back with the run ([`crate::walk::Walk::lead`]). A pair of followers is a follower.
pub trait Follower<L: Language> {
    /// A step was taken from a state.
    fn forward(&mut self, from: &L::State, choice: &L::Choice, step: &StepOf<L>);

    /// The last step that it saw, if any is left, was not taken.
    fn back(&mut self);
}

impl<L: Language, A: Follower<L>, B: Follower<L>> Follower<L> for (A, B) {
    fn forward(&mut self, from: &L::State, choice: &L::Choice, step: &StepOf<L>) {
        self.0.forward(from, choice, step);
        self.1.forward(from, choice, step);
    }

    fn back(&mut self) {
        self.0.back();
        self.1.back();
    }
}

/// Takes `choices` from `start`, with somebody who looks on. None if one is not enabled; the follower has then seen those
/// before it.
pub fn follow<'c, L: Language>(
    language: &L,
    start: &L::State,
    choices: impl IntoIterator<Item = &'c L::Choice>,
    follower: &mut impl Follower<L>,
) -> Option<L::State>
where
    L::Choice: 'c,
{
    let mut state = start.clone();
    for choice in choices {
        let step = language.step(&state, choice)?;
        follower.forward(&state, choice, &step);
        state = step.next.state;
    }
    Some(state)
}
