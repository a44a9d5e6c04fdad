//! Looking ahead: is there a universe such as this, and how does one get there?

use super::{Visit, Walk, WalkError};
use crate::graph::{Exploration, Limits, NodeId, Pause, Progress, Strategy};
use crate::heed::Patient;
use crate::language::Language;

/// How many universes are explored between two looks.
const SLICE: usize = 1024;

/// What [`Walk::seek`] found.
#[derive(Clone, Debug, PartialEq)]
pub enum Sought<C> {
    /// The choices of a shortest way there.
    Found(Vec<C>),
    /// No universe that can still be reached is such.
    Nowhere,
    /// None within the limits is such.
    Unknown(Pause),
}

impl<L: Language> Walk<L> {
    /// Looks for the nearest universe after this one whose arrival `fits`. Nothing moves.
    pub fn seek(
        &self,
        fits: impl Fn(&Visit<'_, L>) -> bool,
        limits: &Limits,
        mut keep_going: impl FnMut(Progress) -> bool,
    ) -> Sought<L::Choice> {
        let (language, start) = (&self.language, self.state.clone());
        let mut ahead = Exploration::from_state(language, start, Strategy::BreadthFirst, true);
        let mut looked = 0;
        loop {
            let states = limits.states.min(ahead.graph().len().saturating_add(SLICE));
            let pause = ahead.run(&Limits { states, ..*limits }, &mut keep_going);
            let graph = ahead.graph();
            for (id, edge) in graph.edges().skip(looked) {
                let (Some(from), Some(to)) = (graph.state(edge.from), graph.state(edge.to)) else {
                    continue;
                };
                let choice = graph.choice(id);
                let arrived = choice.as_ref().map(|choice| (from, choice));
                if fits(&Visit {
                    language,
                    arrived,
                    state: to,
                }) {
                    let Ok(shortest) = graph.shortest_paths(NodeId::ROOT, &mut Patient);
                    let way = shortest.path(graph, edge.from);
                    let way = way.into_iter().flatten().chain(std::iter::once(id));
                    return Sought::Found(way.filter_map(|id| graph.choice(id)).collect());
                }
            }
            looked = graph.edge_count();
            match pause {
                Pause::Complete => return Sought::Nowhere,
                Pause::States if states < limits.states => {}
                pause => return Sought::Unknown(pause),
            }
        }
    }

    /// Takes the options with these numbers one after the other. Breakpoints do not fire.
    ///
    /// # Errors
    /// [`WalkError::NoOption`] at the first that there is not; the walk then stays where it came to.
    pub fn take_options(&mut self, options: &[u32]) -> Result<(), WalkError> {
        let breakpoints = std::mem::take(&mut self.breakpoints);
        let mut each = options.iter();
        let taken = each.try_for_each(|option| self.forward(*option as usize).map(drop));
        self.breakpoints = breakpoints;
        taken
    }

    /// Takes these choices one after the other. Breakpoints do not fire.
    ///
    /// # Errors
    /// [`WalkError::Moment`] at the first that is not enabled; the walk then stays where it was.
    pub fn take(&mut self, choices: &[L::Choice]) -> Result<(), WalkError> {
        let home = self.place;
        let breakpoints = std::mem::take(&mut self.breakpoints);
        let mut taken = Ok(());
        for choice in choices {
            let option = self.options.iter().position(|option| option == choice);
            let step = u64::from(self.place.index);
            taken = option
                .ok_or(WalkError::Moment { step })
                .and_then(|option| self.forward(option).map(drop));
            if taken.is_err() {
                break;
            }
        }
        self.breakpoints = breakpoints;
        if taken.is_err() {
            self.jump(home)?;
        }
        taken
    }
}
