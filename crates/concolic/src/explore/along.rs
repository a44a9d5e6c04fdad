//! Runs with given inputs, followed before anything is searched.

use super::{Case, Explorer, Feasible, Followed, Heard, Narrowed, Next, State};
use crate::set::Set;

impl Explorer<'_, '_> {
    /// Follows runs with these inputs, as cells. The paths that end before or with the last input are found; nothing else
    /// is, and nothing is left out.
    pub(super) fn follow_examples(&mut self, examples: Vec<Vec<u64>>, heard: Heard<'_>) {
        for example in examples {
            if self.budget.is_spent() {
                break;
            }
            self.followed = Some(Followed::to_its_end(example));
            let mut state = self.begun();
            self.follow(&mut state, heard);
            self.followed = None;
            self.machine.clone_from(&self.start.machine);
        }
    }

    fn follow(&mut self, state: &mut State, heard: Heard<'_>) {
        let mut decided = None;
        loop {
            match self.advance(state, decided.take(), false) {
                Next::Spent | Next::Waits => return,
                Next::End(end) => {
                    let _flow = self.found(state, end, heard);
                    return;
                }
                Next::Asked(ask) => {
                    let cases = self.cases(state, ask.clone());
                    let Some((case, narrowed)) = self.taken(state, cases) else {
                        return;
                    };
                    decided = Some(self.take(state, &ask, case, narrowed));
                }
            }
        }
    }

    /// The case that the run takes.
    pub(super) fn taken(&mut self, state: &State, cases: Vec<Case>) -> Option<(Case, Narrowed)> {
        for case in cases {
            let (dag, model) = (&self.dag, &state.model);
            if self.decider.holds(dag, model, |_| true, &case.conditions) {
                return match self.feasible(state, &case.conditions) {
                    Feasible::Yes(narrowed) if narrowed.model == *model => Some((case, *narrowed)),
                    _ => None,
                };
            }
        }
        None
    }

    /// What the run that is followed answers to its next input, if it can; `None` if none is followed.
    pub(super) fn example_answer(&self, place: usize, domain: &Set) -> Option<Option<u64>> {
        let followed = self.followed.as_ref()?;
        let given = followed.inputs.get(place).copied();
        Some(given.filter(|cell| domain.contains(*cell)))
    }
}
