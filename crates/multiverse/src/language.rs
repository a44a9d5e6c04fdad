//! The recipe: what a language says about itself to become debuggable in all its universes.
//!
//! A language is a transition system that can explain its steps. The core asks for nothing else,
//! and knows nothing else: no syntax, no threads, no messages. See `docs/multiverse.md` for the
//! recipe step by step.

use std::fmt::{self, Debug, Display};
use std::hash::Hash;
use std::rc::Rc;

use crate::fingerprint::Digest;

/// A program of some language: its states, and what can happen in each.
///
/// A value of the implementing type is one program (with whatever it was parsed into), so that
/// states need not carry what never changes.
///
/// All methods must be functions of their arguments alone: two calls give equal answers, on every
/// machine. In particular [`Language::enabled`] lists the choices in an order that depends on the
/// state only, since the position in that list names a choice outside the process.
pub trait Language {
    /// A state of the program. Cloning should be cheap (share, do not copy): a million of them
    /// are kept at once. Debugger state is no part of it.
    type State: Clone + Eq + Hash;

    /// What is decided at a choice point. Named by causal birth (which actor, which operand), not
    /// by addresses or counters of one run.
    type Choice: Clone + Debug + Eq + Hash;

    /// Who takes a step: an actor, a thread.
    type Agent: Clone + Debug + Ord + Hash + Display;

    /// What steps touch: the send end of a port, an inbox, a pin.
    type Resource: Touchable;

    /// What remains of a program that ended: its value, what it printed.
    type Value: Clone + Debug + Ord + Hash + Display;

    /// The state in which the program starts.
    fn initial(&self) -> Self::State;

    /// Appends the choices of `state` to `choices`; none if it is an end.
    fn enabled(&self, state: &Self::State, choices: &mut Vec<Self::Choice>);

    /// Takes one step. None if `choice` is not enabled in `state`: choices also come from
    /// elsewhere (a session file, a URL) and must be refused, not trusted.
    fn apply(&self, state: &Self::State, choice: &Self::Choice) -> Option<Next<Self::State>>;

    /// Appends all steps from `state`: its choices, in the order of [`Language::enabled`], each with what it leads
    /// to.
    ///
    /// Graphs ask this once of every state. A language that learns only by going on what can happen and what that
    /// means does the work here once; what it came to know of a step may be part of the choice.
    fn expand(&self, state: &Self::State, steps: &mut Vec<(Self::Choice, Next<Self::State>)>) {
        let mut choices = Vec::new();
        self.enabled(state, &mut choices);
        steps.extend(choices.into_iter().filter_map(|choice| {
            let next = self.apply(state, &choice);
            // A language that enables what it then refuses breaks its contract; no step then.
            debug_assert!(next.is_some(), "an enabled choice was refused");
            next.map(|next| (choice, next))
        }));
    }

    /// Takes all steps from `state` for who knows states by their digests: `sift` is given the digests of what they lead
    /// to, in the order of [`Language::expand`] and as [`Language::canonical`] has it, and adds the places of those that it
    /// wants, the first first. These states are appended to `wanted`, and no others.
    ///
    /// Surveys ask this, and mostly know where a step leads. A language whose states consist of many shared parts, of which
    /// a step changes few, can tell the digest of a state that it does not make.
    fn expand_wanted<F: Digest>(
        &self,
        state: &Self::State,
        sift: impl FnOnce(&[F], &mut Vec<usize>),
        wanted: &mut Vec<Self::State>,
    ) where
        Self: Sized,
    {
        let mut steps = Vec::new();
        self.expand(state, &mut steps);
        let states = steps.into_iter().map(|(_, next)| next.state);
        let mut states: Vec<_> = states.map(|state| Some(self.canonical(state))).collect();
        let digests: Vec<_> = states.iter().flatten().map(F::digest).collect();
        let mut places = Vec::new();
        sift(&digests, &mut places);
        wanted.extend(
            places
                .into_iter()
                .filter_map(|at| states.get_mut(at)?.take()),
        );
    }

    /// Takes one step as [`Language::apply`] does, and says with it who took it and what it touched.
    ///
    /// Whoever takes a step and wants to know this asks here. A language whose steps go on as far as they can
    /// ([`crate::adapt::Runs`]) knows what they touch only after them, and need not take them twice.
    fn step(&self, state: &Self::State, choice: &Self::Choice) -> Option<StepOf<Self>> {
        let next = self.apply(state, choice)?;
        Some(Stepped {
            next,
            agent: self.agent(state, choice),
            footprint: self.footprint(state, choice),
        })
    }

    /// Takes one step as [`Language::step`] does, and says it in words as [`Language::label`] does: a view that takes a
    /// step asks no more.
    fn tell(&self, state: &Self::State, choice: &Self::Choice) -> Option<(StepOf<Self>, Label)> {
        let label = self.label(state, choice);
        Some((self.step(state, choice)?, label))
    }

    /// Whether the language knows how the program goes on from `state`; else it enables nothing there, and a graph leaves
    /// the state unexplored instead of taking it for an end.
    fn is_followed(&self, state: &Self::State) -> bool {
        let _ = state;
        true
    }

    /// What it means that nothing is enabled in `state`. Asked in ends only.
    fn outcome(&self, state: &Self::State) -> Outcome<Self::Value>;

    /// Who takes the step.
    fn agent(&self, state: &Self::State, choice: &Self::Choice) -> Self::Agent;

    /// The step in the language's words, and where it stands in the source.
    fn label(&self, state: &Self::State, choice: &Self::Choice) -> Label;

    /// What the step touches. Reductions and causal rollback believe it, so a resource too many
    /// costs time and one too few loses outcomes.
    fn footprint(&self, state: &Self::State, choice: &Self::Choice) -> Footprint<Self::Resource>;

    /// Appends the agents that can do nothing in `state` but would, had others acted otherwise:
    /// those that wait for a message, a lock, a condition.
    ///
    /// Views show them where a program hangs. [`crate::causality::Classes`] needs them where one
    /// agent can take away what another waits for: without them it misses the runs in which the
    /// other was faster. Where no agent ever waits, there is nothing to say.
    fn waiting(
        &self,
        state: &Self::State,
        waiting: &mut Vec<Waiting<Self::Agent, Self::Resource>>,
    ) {
        let _ = (state, waiting);
    }

    /// The representative with which `state` is merged in a graph.
    ///
    /// It must be able to do exactly what `state` can, by the same choices in the same order; for
    /// most languages the state itself will do.
    fn canonical(&self, state: Self::State) -> Self::State {
        state
    }

    /// What of `state` decides what can happen from it on: `state` without what only tells past
    /// steps apart, such as numbers of messages that footprints need.
    ///
    /// Where a run comes to two states for which this is equal, it has gone round
    /// ([`crate::causality::Classes`]): from both the program must be able to go on in the same way.
    fn recurring(&self, state: &Self::State) -> Self::State {
        self.canonical(state.clone())
    }

    /// The same program for another worker, sharing nothing with this one that changes while states are made; none if a
    /// clone shares no such thing. Where two threads count references to the same things, they wait for each other's
    /// caches most of the time.
    fn apart(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// A state that another worker's program made ([`Language::apart`]), made of what this one has in its memory: it is
    /// equal, and the other worker counts no references to what it consists of.
    fn at_home(&self, state: Self::State) -> Self::State {
        state
    }

    /// The state in the language's own syntax.
    fn show(&self, state: &Self::State) -> String;
}

/// What a step leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next<S> {
    /// The state afterwards.
    pub state: S,
    /// How many rules of the language were applied: 1, or more where a deterministic run is taken
    /// as one step.
    pub steps: u64,
    /// Where a state stands for several values: some of them have no way to `state`, or it is not known that all do. Two
    /// such steps in a row need not be one run of the program.
    pub is_partial: bool,
}

impl<S> Next<S> {
    /// The result of a single rule.
    pub const fn one(state: S) -> Self {
        Self {
            state,
            steps: 1,
            is_partial: false,
        }
    }

    /// The same step as another language sees it: to another state.
    pub fn map<T>(self, into: impl FnOnce(S) -> T) -> Next<T> {
        Next {
            state: into(self.state),
            steps: self.steps,
            is_partial: self.is_partial,
        }
    }
}

/// A step that was taken, with all that is known of it then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stepped<S, A, R> {
    /// What it led to.
    pub next: Next<S>,
    /// Who took it.
    pub agent: A,
    /// What it touched.
    pub footprint: Footprint<R>,
}

/// A step of a language.
pub type StepOf<L> =
    Stepped<<L as Language>::State, <L as Language>::Agent, <L as Language>::Resource>;

/// How a run ended, the worse the later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// The program is done.
    Finished,
    /// Agents wait for each other, or for what nobody will send.
    Deadlock,
    /// A part of the program has no rule that applies, and never will.
    Stuck,
    /// The program failed by its own rules: an assertion, a division by zero.
    Failed,
    /// Two steps can come in either order, and it matters ([`crate::causality::racing`]): an error that is no end. No
    /// outcome has it; it is found where the steps can be taken.
    Race,
}

impl Verdict {
    /// All of them, the worst last.
    pub const ALL: [Self; 5] = [
        Self::Finished,
        Self::Deadlock,
        Self::Stuck,
        Self::Failed,
        Self::Race,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Deadlock => "deadlock",
            Self::Stuck => "stuck",
            Self::Failed => "failed",
            Self::Race => "race",
        }
    }
}

impl Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How all parts of a program ended: where one thread fails, another may wait for it for ever, and both are so.
///
/// Never empty; [`Verdict::Finished`] is among them only where it is all that there is to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Verdicts(u8);

impl Verdicts {
    /// Whether some part ended so.
    #[must_use]
    pub const fn has(self, verdict: Verdict) -> bool {
        self.0 >> verdict as u8 & 1 == 1
    }

    /// Whether every part is done.
    #[must_use]
    pub const fn finished(self) -> bool {
        self.has(Verdict::Finished)
    }

    /// All of them, the worst first.
    pub fn iter(self) -> impl Iterator<Item = Verdict> {
        let all = Verdict::ALL.into_iter().rev();
        all.filter(move |verdict| self.has(*verdict))
    }

    /// The worst.
    #[must_use]
    pub fn worst(self) -> Verdict {
        self.iter().next().unwrap_or(Verdict::Finished)
    }
}

impl From<Verdict> for Verdicts {
    fn from(verdict: Verdict) -> Self {
        Self(1 << verdict as u8)
    }
}

impl FromIterator<Verdict> for Verdicts {
    /// Of the verdicts of the parts; a program without parts is done.
    fn from_iter<I: IntoIterator<Item = Verdict>>(parts: I) -> Self {
        let Self(finished) = Self::from(Verdict::Finished);
        let parts = parts.into_iter();
        let bad = parts.fold(0, |all, part| all | Self::from(part).0) & !finished;
        Self(if bad == 0 { finished } else { bad })
    }
}

impl Display for Verdicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, verdict) in self.iter().enumerate() {
            let and = if nth == 0 { "" } else { " and " };
            write!(f, "{and}{verdict}")?;
        }
        Ok(())
    }
}

/// The end of a run: the verdicts and what the program left behind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Outcome<V> {
    /// How it ended.
    pub verdicts: Verdicts,
    /// With what.
    pub value: V,
}

impl<V: Display> Display for Outcome<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.verdicts, self.value)
    }
}

/// A part of a source text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

/// A step in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The rule of the semantics, as its paper names it.
    pub rule: &'static str,
    /// What it does here, in a few words without line breaks.
    pub text: String,
    /// Where in the source, if it stands anywhere.
    pub span: Option<Span>,
}

/// What a step can touch.
///
/// Most resources are things, each of which overlaps itself only: for them there is nothing to say. Others are parts
/// of one another: ranges of addresses, a whole memory, everything (what the end of a program changes).
pub trait Touchable: Clone + Debug + Ord {
    /// Whether who touches this also touches (a part of) `other`. Symmetric, and true of equal ones.
    fn overlaps(&self, other: &Self) -> bool {
        self == other
    }

    /// Where those are to be found that this one overlaps. It must be all of them, and may be more.
    fn reach(&self) -> Reach {
        Reach::Itself
    }
}

/// Which others a resource can overlap; all can overlap those that reach everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// None: it is found by equality.
    Itself,
    /// Those that reach into the same region: a memory, a page of it.
    Region(u64),
    /// All.
    Everything,
}

macro_rules! things {
    ($($thing:ty),*) => {$(impl Touchable for $thing {})*};
}

things!((), u8, u16, u32, u64, usize, &'static str, String);

/// The resources that a step reads and those that it changes.
///
/// Two steps of different agents are independent when neither changes what the other touches: in
/// either order both can happen, and both orders lead to the same state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint<R> {
    /// What the step depends on.
    pub reads: Vec<R>,
    /// What the step changes (and may depend on).
    pub writes: Vec<R>,
}

impl<R> Default for Footprint<R> {
    fn default() -> Self {
        Self {
            reads: Vec::new(),
            writes: Vec::new(),
        }
    }
}

impl<R: Touchable> Footprint<R> {
    /// Whether the order of two steps matters.
    #[must_use]
    pub fn conflicts(&self, other: &Self) -> bool {
        let touched = |by: &Self, resource: &R| {
            let mut all = by.reads.iter().chain(&by.writes);
            all.any(|other| resource.overlaps(other))
        };
        self.writes.iter().any(|resource| touched(other, resource))
            || other.writes.iter().any(|resource| touched(self, resource))
    }
}

/// An agent that waits, and for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting<A, R> {
    /// Who waits.
    pub agent: A,
    /// What the step that it waits for will touch.
    pub footprint: Footprint<R>,
    /// That step in words.
    pub label: Label,
}

/// Whoever points to a language speaks it.
macro_rules! pointing {
    ($pointer:ty, [$($bound:tt)*], {$($more:tt)*}) => {
        impl<L: $($bound)*> Language for $pointer {
        type State = L::State;
        type Choice = L::Choice;
        type Agent = L::Agent;
        type Resource = L::Resource;
        type Value = L::Value;

        fn initial(&self) -> Self::State {
            (**self).initial()
        }

        fn enabled(&self, state: &Self::State, choices: &mut Vec<Self::Choice>) {
            (**self).enabled(state, choices);
        }

        fn apply(&self, state: &Self::State, choice: &Self::Choice) -> Option<Next<Self::State>> {
            (**self).apply(state, choice)
        }

        fn expand(&self, state: &L::State, steps: &mut Vec<(L::Choice, Next<L::State>)>) {
            (**self).expand(state, steps);
        }

        fn step(&self, state: &L::State, choice: &L::Choice) -> Option<StepOf<L>> {
            (**self).step(state, choice)
        }

        fn tell(&self, state: &L::State, choice: &L::Choice) -> Option<(StepOf<L>, Label)> {
            (**self).tell(state, choice)
        }

        fn is_followed(&self, state: &Self::State) -> bool {
            (**self).is_followed(state)
        }

        fn outcome(&self, state: &Self::State) -> Outcome<Self::Value> {
            (**self).outcome(state)
        }

        fn agent(&self, state: &Self::State, choice: &Self::Choice) -> Self::Agent {
            (**self).agent(state, choice)
        }

        fn label(&self, state: &Self::State, choice: &Self::Choice) -> Label {
            (**self).label(state, choice)
        }

        fn footprint(&self, state: &Self::State, choice: &Self::Choice) -> Footprint<Self::Resource> {
            (**self).footprint(state, choice)
        }

        fn waiting(&self, state: &L::State, waiting: &mut Vec<Waiting<L::Agent, L::Resource>>) {
            (**self).waiting(state, waiting);
        }

        fn canonical(&self, state: Self::State) -> Self::State {
            (**self).canonical(state)
        }

        fn recurring(&self, state: &Self::State) -> Self::State {
            (**self).recurring(state)
        }

        fn show(&self, state: &Self::State) -> String {
            (**self).show(state)
        }

        $($more)*
        }
    };
}

pointing!(&L, [Language], {
    fn expand_wanted<F: Digest>(
        &self,
        state: &L::State,
        sift: impl FnOnce(&[F], &mut Vec<usize>),
        wanted: &mut Vec<L::State>,
    ) {
        (**self).expand_wanted(state, sift, wanted);
    }
});
// What is hidden makes all states.
pointing!(Rc<L>, [Language + ?Sized], {});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn footprints_conflict_where_one_writes_what_the_other_touches() {
        let touch = |reads: &[u8], writes: &[u8]| Footprint {
            reads: reads.to_vec(),
            writes: writes.to_vec(),
        };
        assert!(touch(&[], &[1]).conflicts(&touch(&[], &[1])));
        assert!(touch(&[1], &[]).conflicts(&touch(&[], &[1])));
        assert!(touch(&[], &[1]).conflicts(&touch(&[1], &[])));
        assert!(!touch(&[1], &[2]).conflicts(&touch(&[1], &[3])));
        assert!(!touch(&[], &[]).conflicts(&touch(&[1], &[2])));
    }
}
