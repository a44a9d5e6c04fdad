//! Walking through the multiverse of a model language, one universe at a time.
//!
//! A [`Walk`] is to a model language what a device session is to a wasm program: the tree of what
//! was visited, and a place in it. What is recorded are choices, not states; a state is found again
//! by applying the choices, from one that was kept on the way.
//!
//! Breakpoints are predicates that look on. They are no part of the program's state, any number of
//! them may hold at once, and each fires every time it holds.

mod lead;
mod moment;
mod sample;
mod schedule;
mod seek;
mod undo;

use std::collections::BTreeMap;
use std::fmt;

pub use lead::Led;
pub use moment::{Moment, MomentError, Pick};
pub use sample::{Come, Ends, Hit, Sample, Sampler};
pub use schedule::{Chooser, Order, Priorities, Schedule};
pub use seek::Sought;
pub use undo::Undone;

use crate::language::{Label, Language, Outcome};
use crate::tree::{End, Entry, Layout, Place, Tree, TreeError, Words};

/// A state is kept after every so many steps, or a power of two times as many where the walk is long;
/// fewer steps than that are applied to find another.
const STRIDE: u32 = 64;

/// How many states are kept at most, unless [`Walk::keep_at_most`] says so.
const KEPT: usize = 65_536;

/// How many steps are taken between two calls of `keep_going`.
const BEAT: u64 = 256;

/// A step that was taken.
pub struct Taken<L: Language> {
    /// What was decided.
    pub choice: L::Choice,
    /// Its position among the options.
    pub option: u32,
    /// How many options there were.
    pub options: u32,
    /// The number of rules applied since the start, this step included.
    pub step: u64,
}

impl<L: Language> Entry for Taken<L> {
    type Outcome = Outcome<L::Value>;

    fn step(&self) -> u64 {
        self.step
    }

    fn same_choice(&self, other: &Self) -> bool {
        self.option == other.option
    }
}

impl<L: Language> Clone for Taken<L> {
    fn clone(&self) -> Self {
        Self {
            choice: self.choice.clone(),
            ..*self
        }
    }
}

impl<L: Language> PartialEq for Taken<L> {
    fn eq(&self, other: &Self) -> bool {
        (&self.choice, self.option, self.options, self.step)
            == (&other.choice, other.option, other.options, other.step)
    }
}

impl<L: Language> fmt::Debug for Taken<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} ({} of {}) @{}",
            self.choice, self.option, self.options, self.step
        )
    }
}

/// The arrival in a universe, as breakpoints see it.
pub struct Visit<'v, L: Language> {
    /// The program.
    pub language: &'v L,
    /// The state before and the choice taken; none at the start.
    pub arrived: Option<(&'v L::State, &'v L::Choice)>,
    /// The state now.
    pub state: &'v L::State,
}

/// The predicate of a breakpoint.
pub type Predicate<L> = Box<dyn Fn(&Visit<'_, L>) -> bool + Send>;

/// The number of a breakpoint in one [`Walk`]; never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BreakpointId(pub u32);

/// A breakpoint.
pub struct Breakpoint<L: Language> {
    /// What it waits for, in the user's words.
    pub name: String,
    /// Whether it is looked at.
    pub enabled: bool,
    /// How many arrivals it fired at.
    pub hits: u64,
    predicate: Predicate<L>,
}

impl<L: Language> fmt::Debug for Breakpoint<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Breakpoint({:?}, enabled: {}, hits: {})",
            self.name, self.enabled, self.hits
        )
    }
}

/// Why a run came to rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rest {
    /// The schedule leaves the choice to the user.
    Choice,
    /// These breakpoints fired.
    Breakpoints(Vec<BreakpointId>),
    /// Nothing is enabled any more; or, backwards, this is the start.
    End,
    /// The limit of steps is reached.
    Limit,
    /// The caller asked to stop.
    Cancelled,
}

/// Why a walk stayed where it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WalkError {
    /// There are fewer options.
    #[error("there is no choice {asked}; here are {options}, counted from 0")]
    NoOption {
        /// The option that was asked for.
        asked: usize,
        /// How many there are.
        options: usize,
    },
    /// Nothing lies before the start.
    #[error("this is the start of the program")]
    AtStart,
    /// The multiverse could not be changed, or the place is not in it.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The moment does not belong to this program.
    #[error("the program has no such moment: step {step} differs")]
    Moment {
        /// The number of entries after which it cannot be followed.
        step: u64,
    },
    /// The event is no step of the path to this universe.
    #[error("this event did not happen on the way to this universe")]
    NoEvent,
    /// Without the event its past cannot happen as it did: the language declares footprints that
    /// are too small.
    #[error("the language says too little about what depends on what to undo this step")]
    Entangled,
    /// A path would take more steps than allowed.
    #[error("this lies more than {0} steps away")]
    TooFar(u64),
}

/// A line of [`Walk::history`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past<A> {
    /// The universe after the step.
    pub place: Place,
    /// Who took it.
    pub agent: A,
    /// The step in words.
    pub label: Label,
    /// The option taken, and of how many.
    pub option: (u32, u32),
}

/// A walk through the universes of a program.
pub struct Walk<L: Language> {
    language: L,
    tree: Tree<Taken<L>>,
    place: Place,
    state: L::State,
    options: Vec<L::Choice>,
    /// States at every `stride`th place of the paths walked.
    kept: BTreeMap<Place, L::State>,
    /// At most so many, and at least one.
    most_kept: usize,
    stride: u32,
    breakpoints: BTreeMap<BreakpointId, Breakpoint<L>>,
    next_breakpoint: u32,
}

impl<L: Language> fmt::Debug for Walk<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut summary = f.debug_struct("Walk");
        summary
            .field("place", &self.place)
            .field("breakpoints", &self.breakpoints);
        summary.finish_non_exhaustive()
    }
}

impl<L: Language> Walk<L> {
    /// A walk that stands at the start of `language`.
    pub fn new(language: L) -> Self {
        let state = language.initial();
        let mut walk = Self {
            language,
            tree: Tree::new(),
            place: Place::ROOT,
            state: state.clone(),
            options: Vec::new(),
            kept: BTreeMap::from([(Place::ROOT, state.clone())]),
            most_kept: KEPT,
            stride: STRIDE,
            breakpoints: BTreeMap::new(),
            next_breakpoint: 1,
        };
        walk.arrive(Place::ROOT, state);
        // A fresh tree accepts any end; a program may end where it starts.
        let _ = walk.note_end();
        walk
    }

    /// Keeps at most so many states (that of the start always): fewer cost less memory and more steps
    /// to find a state again. Tests do, for walks that thin their states out early.
    #[must_use]
    pub fn keep_at_most(mut self, states: usize) -> Self {
        self.most_kept = states;
        self.thin();
        self
    }

    /// The program.
    pub const fn language(&self) -> &L {
        &self.language
    }

    /// How many states are kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.kept.len()
    }

    /// The universes visited so far.
    pub const fn tree(&self) -> &Tree<Taken<L>> {
        &self.tree
    }

    /// Where the walk stands.
    pub const fn place(&self) -> Place {
        self.place
    }

    /// The state there.
    pub const fn state(&self) -> &L::State {
        &self.state
    }

    /// What can happen next; nothing at an end.
    #[must_use]
    pub fn options(&self) -> &[L::Choice] {
        &self.options
    }

    /// The outcome, if this is an end.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome<L::Value>> {
        self.options
            .is_empty()
            .then(|| self.language.outcome(&self.state))
    }

    /// The number of rules applied since the start.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.tree.step_of(self.place).unwrap_or(0)
    }

    /// Takes the choice with index `option`, and says which breakpoints fired on arrival.
    ///
    /// # Errors
    /// [`WalkError::NoOption`] if there are fewer; [`WalkError::Tree`] if the tree is full.
    pub fn forward(&mut self, option: usize) -> Result<Vec<BreakpointId>, WalkError> {
        let chosen = self.options.get(option).cloned().and_then(|choice| {
            let next = self.language.apply(&self.state, &choice)?;
            Some((choice, next))
        });
        let options = self.options.len();
        let (choice, next) = chosen.ok_or(WalkError::NoOption {
            asked: option,
            options,
        })?;
        let step = self.steps().saturating_add(next.steps);
        // There are fewer than 2^32 options: their list is in memory.
        let (nth, options) = (option as u32, self.options.len() as u32);
        let taken = Taken {
            choice,
            option: nth,
            options,
            step,
        };
        let place = self.tree.fork(self.place, taken)?.place;
        let before = std::mem::replace(&mut self.state, next.state.clone());
        let choice = self.options.swap_remove(option);
        if place.index.is_multiple_of(self.stride) {
            self.kept.entry(place).or_insert_with(|| next.state.clone());
            self.thin();
        }
        self.arrive(place, next.state);
        self.note_end()?;
        Ok(self.fired(Some((&before, &choice))))
    }

    /// Goes back by one step.
    ///
    /// # Errors
    /// [`WalkError::AtStart`] at the start.
    pub fn back(&mut self) -> Result<(), WalkError> {
        let parent = self.tree.parent(self.place).ok_or(WalkError::AtStart)?;
        self.jump(parent)
    }

    /// Goes to any universe visited before.
    ///
    /// # Errors
    /// [`TreeError::Unknown`] if `place` is not in the tree.
    pub fn jump(&mut self, place: Place) -> Result<(), WalkError> {
        let place = self.tree.canonical(place).ok_or(TreeError::Unknown)?;
        let state = self.state_at(place).ok_or(TreeError::Unknown)?;
        self.arrive(place, state);
        Ok(())
    }

    /// Runs until the schedule asks, a breakpoint fires, the end, `limit` steps, or `keep_going`
    /// returns false.
    ///
    /// A breakpoint that holds where the run starts does not fire again before the first step.
    ///
    /// # Errors
    /// [`WalkError::Tree`] if the tree is full.
    pub fn run(
        &mut self,
        schedule: &mut Schedule<L>,
        limit: u64,
        mut keep_going: impl FnMut(&Self) -> bool,
    ) -> Result<Rest, WalkError> {
        for step in 0..limit {
            if self.options.is_empty() {
                return Ok(Rest::End);
            }
            if step % BEAT == BEAT - 1 && !keep_going(self) {
                return Ok(Rest::Cancelled);
            }
            let Some(option) = schedule.pick(&self.language, &self.state, &self.options) else {
                return Ok(Rest::Choice);
            };
            let fired = self.forward(option)?;
            if !fired.is_empty() {
                return Ok(Rest::Breakpoints(fired));
            }
        }
        Ok(if self.options.is_empty() {
            Rest::End
        } else {
            Rest::Limit
        })
    }

    /// Runs backwards until a breakpoint fires or the start is reached.
    ///
    /// # Errors
    /// None but for a broken tree.
    pub fn run_back(
        &mut self,
        mut keep_going: impl FnMut(&Self) -> bool,
    ) -> Result<Rest, WalkError> {
        let mut steps = 0_u64;
        while self.place.index > 0 {
            steps += 1;
            if steps.is_multiple_of(BEAT) && !keep_going(self) {
                return Ok(Rest::Cancelled);
            }
            self.back()?;
            let before = self
                .tree
                .parent(self.place)
                .and_then(|parent| self.state_at(parent));
            let choice = self
                .tree
                .entry(self.place)
                .map(|taken| taken.choice.clone());
            let fired = self.fired(before.as_ref().zip(choice.as_ref()));
            if !fired.is_empty() {
                return Ok(Rest::Breakpoints(fired));
            }
        }
        Ok(Rest::End)
    }

    /// The choices of the path to this universe.
    #[must_use]
    pub fn choices(&self) -> Vec<L::Choice> {
        let path = self.tree.path(self.place).into_iter().flatten();
        path.map(|(_, taken)| taken.choice.clone()).collect()
    }

    /// The numbers of the options on the path to this universe.
    #[must_use]
    pub fn options_taken(&self) -> Vec<u32> {
        let path = self.tree.path(self.place).into_iter().flatten();
        path.map(|(_, taken)| taken.option).collect()
    }

    /// The last `count` steps of the path to this universe, oldest first.
    #[must_use]
    pub fn history(&self, count: u32) -> Vec<Past<L::Agent>> {
        let first = self.place.index.saturating_sub(count);
        let from = self.tree.at_depth(self.place, first);
        let start = from.and_then(|from| self.state_at(from).zip(Some(from)));
        let Some((mut state, from)) = start else {
            return Vec::new();
        };
        let mut history = Vec::new();
        for (place, taken) in self.tree.between(from, self.place).into_iter().flatten() {
            let Some((step, label)) = self.language.tell(&state, &taken.choice) else {
                break;
            };
            history.push(Past {
                place,
                agent: step.agent,
                label,
                option: (taken.option, taken.options),
            });
            state = step.next.state;
        }
        history
    }

    /// The state of any universe visited before.
    #[must_use]
    pub fn state_at(&self, place: Place) -> Option<L::State> {
        let place = self.tree.canonical(place)?;
        if place == self.place {
            return Some(self.state.clone());
        }
        let mut depth = place.index / self.stride * self.stride;
        let (from, mut state) = loop {
            let from = self.tree.at_depth(place, depth)?;
            if let Some(state) = self.kept.get(&from) {
                break (from, state.clone());
            }
            depth = depth.checked_sub(self.stride)?;
        };
        for (_, taken) in self.tree.between(from, place)? {
            state = self.language.apply(&state, &taken.choice)?.state;
        }
        Some(state)
    }

    /// Adds a breakpoint.
    pub fn break_when(
        &mut self,
        name: impl Into<String>,
        predicate: impl Fn(&Visit<'_, L>) -> bool + Send + 'static,
    ) -> BreakpointId {
        let id = BreakpointId(self.next_breakpoint);
        self.next_breakpoint += 1;
        let predicate = Box::new(predicate);
        let name = name.into();
        self.breakpoints.insert(
            id,
            Breakpoint {
                name,
                enabled: true,
                hits: 0,
                predicate,
            },
        );
        id
    }

    /// Removes a breakpoint; false if there is none.
    pub fn unbreak(&mut self, id: BreakpointId) -> bool {
        self.breakpoints.remove(&id).is_some()
    }

    /// Switches a breakpoint on or off; false if there is none.
    pub fn enable(&mut self, id: BreakpointId, enabled: bool) -> bool {
        let breakpoint = self.breakpoints.get_mut(&id);
        breakpoint
            .map(|breakpoint| breakpoint.enabled = enabled)
            .is_some()
    }

    /// The breakpoints by number.
    pub const fn breakpoints(&self) -> &BTreeMap<BreakpointId, Breakpoint<L>> {
        &self.breakpoints
    }

    /// Marks this universe with a note.
    ///
    /// # Errors
    /// None but for a broken tree.
    pub fn mark(&mut self, text: String) -> Result<(), WalkError> {
        Ok(self.tree.mark(self.place, self.steps(), text)?)
    }

    /// Draws the visited universes as text.
    #[must_use]
    pub fn render_text(&self, layout: &Layout) -> String {
        let label = |place: Place, taken: &Taken<L>| {
            let before = self
                .tree
                .parent(place)
                .and_then(|parent| self.state_at(parent));
            let label = before.map(|state| self.language.label(&state, &taken.choice));
            label.map_or_else(String::new, |label| {
                format!("{} {}", label.rule, label.text)
            })
        };
        let end = |end: &End<Outcome<L::Value>>| match end {
            End::Open => String::new(),
            End::Finished(outcome) | End::Trapped(outcome) => outcome.to_string(),
        };
        let markers = [(self.place, self.steps(), "here")];
        self.tree.render_text(
            &Words {
                label: &label,
                end: &end,
                markers: &markers,
            },
            layout,
        )
    }

    /// Forgets every other state that is kept, until they are few enough.
    fn thin(&mut self) {
        while self.kept.len() > self.most_kept.max(1) {
            let Some(stride) = self.stride.checked_mul(2) else {
                self.kept.retain(|place, _| *place == Place::ROOT);
                return;
            };
            self.stride = stride;
            self.kept
                .retain(|place, _| place.index.is_multiple_of(stride));
        }
    }

    /// Stands at `place`, whose state is `state`.
    fn arrive(&mut self, place: Place, state: L::State) {
        self.place = place;
        self.state = state;
        self.options.clear();
        self.language.enabled(&self.state, &mut self.options);
    }

    /// Notes in the tree that the program ended here, if it did.
    fn note_end(&mut self) -> Result<(), TreeError> {
        let Some(outcome) = self.outcome() else {
            return Ok(());
        };
        let end = match outcome.verdicts.finished() {
            true => End::Finished(outcome),
            false => End::Trapped(outcome),
        };
        self.tree.finish(self.place.branch, self.steps(), end)
    }

    /// The breakpoints that fire in this universe.
    fn fired(&mut self, arrived: Option<(&L::State, &L::Choice)>) -> Vec<BreakpointId> {
        let visit = Visit {
            language: &self.language,
            arrived,
            state: &self.state,
        };
        let mut fired = Vec::new();
        for (id, breakpoint) in &mut self.breakpoints {
            if breakpoint.enabled && (breakpoint.predicate)(&visit) {
                breakpoint.hits += 1;
                fired.push(*id);
            }
        }
        fired
    }
}
