//! Reductions of the user's making: states taken for equal that are not.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::fingerprint::Fingerprint;
use crate::language::{Footprint, Label, Language, Next, Outcome, Waiting};

/// The program `L` seen through an *abstraction*: states with equal keys are taken for one, and the
/// one that is met first stands for all.
///
/// An abstraction leaves universes out: unlike the core's own reductions it need not keep the
/// outcomes, nor what formulas say. So it has a name, and whatever shows it must show the name
/// ([`Abstracted::name`], [`Abstracted::show`]). Nothing is invented: the state that stands for
/// others is one that the program comes to, and in a graph that was explored breadth first the steps
/// of [`crate::graph::Graph::shortest_paths`] from the start lead there (other paths may be joined of
/// runs through different states). Where the key is all that decides what can happen from a state on,
/// and with what outcome, nothing is lost. Where it is a *symmetry* ([`Abstracted::symmetry`]),
/// outcomes are kept up to renaming. Some choices can be left out besides ([`Abstracted::only`]).
#[derive(Clone)]
pub struct Abstracted<L: Language, K> {
    inner: L,
    name: String,
    key: Arc<Key<L::State, K>>,
    only: Option<Arc<Only<L::State, L::Choice>>>,
}

type Key<S, K> = dyn Fn(&S) -> K + Send + Sync;

type Only<S, C> = dyn Fn(&S, &mut Vec<C>) + Send + Sync;

/// Turns a state by one of a program's symmetries.
pub type Permute<S> = dyn Fn(&S, usize) -> S + Send + Sync;

/// A state that stands for all with its key. Equality is that of keys.
#[derive(Clone, Debug)]
pub struct Stands<S, K> {
    /// The state.
    pub state: S,
    /// What it has in common with those that it stands for.
    pub key: K,
}

impl<S, K: PartialEq> PartialEq for Stands<S, K> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<S, K: Eq> Eq for Stands<S, K> {}

impl<S, K: Hash> Hash for Stands<S, K> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.key.hash(hasher);
    }
}

impl<L: Language, K> Abstracted<L, K> {
    /// Takes states for equal for which `key` is.
    pub fn new(
        inner: L,
        name: impl Into<String>,
        key: impl Fn(&L::State) -> K + Send + Sync + 'static,
    ) -> Self {
        Self {
            inner,
            name: name.into(),
            key: Arc::new(key),
            only: None,
        }
    }

    /// Takes only those choices that `only` leaves, of which there must be some where there were any.
    #[must_use]
    pub fn only(
        self,
        only: impl Fn(&L::State, &mut Vec<L::Choice>) + Send + Sync + 'static,
    ) -> Self {
        let only = Some(Arc::new(only) as Arc<_>);
        Self { only, ..self }
    }

    /// Whether choices are left out.
    #[must_use]
    pub const fn is_choosy(&self) -> bool {
        self.only.is_some()
    }

    /// The same abstraction of another form of the program, with the same states.
    #[must_use]
    pub fn over(&self, inner: L) -> Self {
        Self {
            inner,
            name: self.name.clone(),
            key: Arc::clone(&self.key),
            only: self.only.clone(),
        }
    }

    /// The abstraction's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The program itself.
    pub const fn inner(&self) -> &L {
        &self.inner
    }

    fn seen(&self, state: L::State) -> Stands<L::State, K> {
        let key = (self.key)(&state);
        Stands { state, key }
    }
}

impl<L: Language> Abstracted<L, L::State>
where
    L::State: 'static,
{
    /// Takes states for equal that `permute`, with some number below `count`, turns into each other:
    /// philosophers round a table, clients of one server. The key is the one with the least
    /// fingerprint. The permutations must form a group, and the program must not tell permuted states
    /// apart.
    pub fn symmetry(
        inner: L,
        name: impl Into<String>,
        count: usize,
        permute: Box<Permute<L::State>>,
    ) -> Self {
        Self::new(inner, name, move |state: &L::State| {
            let turned = (0..count).map(|nth| permute(state, nth));
            let least = turned.min_by_key(Fingerprint::of);
            least.unwrap_or_else(|| state.clone())
        })
    }
}

impl<L: Language, K> fmt::Debug for Abstracted<L, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Abstracted")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl<L: Language, K: Clone + Eq + Hash> Language for Abstracted<L, K> {
    type State = Stands<L::State, K>;
    type Choice = L::Choice;
    type Agent = L::Agent;
    type Resource = L::Resource;
    type Value = L::Value;

    fn initial(&self) -> Self::State {
        self.seen(self.inner.initial())
    }

    fn enabled(&self, seen: &Self::State, choices: &mut Vec<L::Choice>) {
        match &self.only {
            None => self.inner.enabled(&seen.state, choices),
            Some(only) => {
                let mut all = Vec::new();
                self.inner.enabled(&seen.state, &mut all);
                only(&seen.state, &mut all);
                choices.append(&mut all);
            }
        }
    }

    fn apply(&self, seen: &Self::State, choice: &L::Choice) -> Option<Next<Self::State>> {
        if let Some(only) = &self.only {
            let mut all = Vec::new();
            self.inner.enabled(&seen.state, &mut all);
            only(&seen.state, &mut all);
            all.contains(choice).then_some(())?;
        }
        let next = self.inner.apply(&seen.state, choice)?;
        Some(next.map(|state| self.seen(state)))
    }

    fn expand(&self, seen: &Self::State, steps: &mut Vec<(L::Choice, Next<Self::State>)>) {
        let mut inner = Vec::new();
        self.inner.expand(&seen.state, &mut inner);
        if let Some(only) = &self.only {
            let mut left = inner.iter().map(|(choice, _)| choice.clone()).collect();
            only(&seen.state, &mut left);
            inner.retain(|(choice, _)| left.contains(choice));
        }
        let seen = |(choice, next): (_, Next<_>)| (choice, next.map(|state| self.seen(state)));
        steps.extend(inner.into_iter().map(seen));
    }

    fn outcome(&self, seen: &Self::State) -> Outcome<L::Value> {
        self.inner.outcome(&seen.state)
    }

    fn agent(&self, seen: &Self::State, choice: &L::Choice) -> L::Agent {
        self.inner.agent(&seen.state, choice)
    }

    fn label(&self, seen: &Self::State, choice: &L::Choice) -> Label {
        self.inner.label(&seen.state, choice)
    }

    fn footprint(&self, seen: &Self::State, choice: &L::Choice) -> Footprint<L::Resource> {
        self.inner.footprint(&seen.state, choice)
    }

    fn waiting(&self, seen: &Self::State, waiting: &mut Vec<Waiting<L::Agent, L::Resource>>) {
        self.inner.waiting(&seen.state, waiting);
    }

    fn canonical(&self, seen: Self::State) -> Self::State {
        self.seen(self.inner.canonical(seen.state))
    }

    fn is_followed(&self, seen: &Self::State) -> bool {
        self.inner.is_followed(&seen.state)
    }

    fn recurring(&self, seen: &Self::State) -> Self::State {
        self.seen(self.inner.recurring(&seen.state))
    }

    fn show(&self, seen: &Self::State) -> String {
        format!(
            "[an abstraction: {}] {}",
            self.name,
            self.inner.show(&seen.state)
        )
    }
}
