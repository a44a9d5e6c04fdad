//! Any language as one type: its states and steps behind pointers. A walk needs no more. Graphs keep a language's own
//! types, for their speed.

use std::any::Any;
use std::cmp::Ordering;
use std::fmt::{self, Debug, Display};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use crate::language::{
    Footprint, Label, Language, Next, Outcome, Reach, StepOf, Stepped, Touchable, Waiting,
};

/// A state of some language.
#[derive(Clone)]
pub struct HiddenState(Rc<dyn Thing>);

impl HiddenState {
    /// The state, as the language has it that was erased.
    ///
    /// # Panics
    /// It is of a language with other states.
    #[must_use]
    pub fn own<S: 'static>(&self) -> &S {
        own(&*self.0)
    }
}

/// A choice of some language.
#[derive(Clone)]
pub struct HiddenStep(Rc<dyn Thing>, Rc<str>);

/// An agent, a resource or a value of some language: in the order of its own, with its text.
#[derive(Clone)]
pub struct Name(Rc<dyn Ranked>, Rc<str>);

/// A resource of some language, with what it overlaps.
#[derive(Clone)]
pub struct PartName {
    name: Name,
    reach: Reach,
    overlaps: fn(&Name, &Name) -> bool,
}

/// What is equal to others of its type.
trait Thing: Any {
    fn is(&self, other: &dyn Thing) -> bool;
    fn feed(&self, hasher: &mut dyn Hasher);
}

impl<T: Eq + Hash + 'static> Thing for T {
    fn is(&self, other: &dyn Thing) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref() == Some(self)
    }

    fn feed(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

/// What has an order among others of its type.
trait Ranked: Any {
    fn order(&self, other: &dyn Ranked) -> Ordering;
}

impl<T: Ord + 'static> Ranked for T {
    fn order(&self, other: &dyn Ranked) -> Ordering {
        let other: &dyn Any = other;
        // No language has names of another.
        other
            .downcast_ref()
            .map_or(Ordering::Equal, |other| self.cmp(other))
    }
}

/// What a pointer points to, which this language made.
fn own<T: 'static>(thing: &dyn Any) -> &T {
    thing
        .downcast_ref()
        .expect("a language is asked about its own states only")
}

macro_rules! compared {
    ($($thing:ty),*) => {$(
        impl PartialEq for $thing {
            fn eq(&self, other: &Self) -> bool {
                self.0.is(&*other.0)
            }
        }

        impl Eq for $thing {}

        impl Hash for $thing {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.0.feed(state);
            }
        }
    )*};
}

compared!(HiddenState, HiddenStep);

impl Debug for HiddenStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.1)
    }
}

impl Name {
    fn new<T: Ord + 'static>(name: T, text: String) -> Self {
        Self(Rc::new(name), text.into())
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.order(&*other.0)
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Equal ones have equal texts.
        self.1.hash(state);
    }
}

impl Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.1)
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.1)
    }
}

impl PartName {
    fn new<R: Touchable + 'static>(resource: R) -> Self {
        let text = format!("{resource:?}");
        Self {
            reach: resource.reach(),
            overlaps: |ours, theirs| own::<R>(&*ours.0).overlaps(own(&*theirs.0)),
            name: Name::new(resource, text),
        }
    }
}

impl Touchable for PartName {
    fn overlaps(&self, other: &Self) -> bool {
        (self.overlaps)(&self.name, &other.name)
    }

    fn reach(&self) -> Reach {
        self.reach
    }
}

impl Ord for PartName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(&other.name)
    }
}

impl PartialOrd for PartName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PartName {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for PartName {}

impl Debug for PartName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.name, f)
    }
}

/// A language of which only the behaviour is known: what its states and the rest are is hidden.
pub struct Hidden<L>(pub L);

impl<L> Hidden<L>
where
    L: Language<State: 'static, Choice: 'static, Agent: 'static, Resource: 'static, Value: 'static>,
{
    fn state(state: L::State) -> HiddenState {
        HiddenState(Rc::new(state))
    }

    fn agent(agent: L::Agent) -> Name {
        let text = agent.to_string();
        Name::new(agent, text)
    }

    fn footprint(touched: Footprint<L::Resource>) -> Footprint<PartName> {
        Footprint {
            reads: touched.reads.into_iter().map(PartName::new).collect(),
            writes: touched.writes.into_iter().map(PartName::new).collect(),
        }
    }
}

impl<L> Language for Hidden<L>
where
    L: Language<State: 'static, Choice: 'static, Agent: 'static, Resource: 'static, Value: 'static>,
{
    type State = HiddenState;
    type Choice = HiddenStep;
    type Agent = Name;
    type Resource = PartName;
    type Value = Name;

    fn initial(&self) -> HiddenState {
        Self::state(self.0.initial())
    }

    fn enabled(&self, state: &HiddenState, choices: &mut Vec<HiddenStep>) {
        let mut theirs = Vec::new();
        self.0.enabled(own(&*state.0), &mut theirs);
        choices.extend(theirs.into_iter().map(|choice| {
            let text = format!("{choice:?}").into();
            HiddenStep(Rc::new(choice), text)
        }));
    }

    fn apply(&self, state: &HiddenState, choice: &HiddenStep) -> Option<Next<HiddenState>> {
        let next = self.0.apply(own(&*state.0), own(&*choice.0))?;
        Some(next.map(Self::state))
    }

    fn step(&self, state: &HiddenState, choice: &HiddenStep) -> Option<StepOf<Self>> {
        let step = self.0.step(own(&*state.0), own(&*choice.0))?;
        Some(Stepped {
            next: step.next.map(Self::state),
            agent: Self::agent(step.agent),
            footprint: Self::footprint(step.footprint),
        })
    }

    fn outcome(&self, state: &HiddenState) -> Outcome<Name> {
        let Outcome { verdicts, value } = self.0.outcome(own(&*state.0));
        let text = value.to_string();
        let value = Name::new(value, text);
        Outcome { verdicts, value }
    }

    fn agent(&self, state: &HiddenState, choice: &HiddenStep) -> Name {
        Self::agent(self.0.agent(own(&*state.0), own(&*choice.0)))
    }

    fn label(&self, state: &HiddenState, choice: &HiddenStep) -> Label {
        self.0.label(own(&*state.0), own(&*choice.0))
    }

    fn footprint(&self, state: &HiddenState, choice: &HiddenStep) -> Footprint<PartName> {
        Self::footprint(self.0.footprint(own(&*state.0), own(&*choice.0)))
    }

    fn waiting(&self, state: &HiddenState, waiting: &mut Vec<Waiting<Name, PartName>>) {
        let mut theirs = Vec::new();
        self.0.waiting(own(&*state.0), &mut theirs);
        waiting.extend(theirs.into_iter().map(|waits| Waiting {
            agent: Self::agent(waits.agent),
            footprint: Self::footprint(waits.footprint),
            label: waits.label,
        }));
    }

    fn canonical(&self, state: HiddenState) -> HiddenState {
        Self::state(self.0.canonical(own::<L::State>(&*state.0).clone()))
    }

    fn is_followed(&self, state: &HiddenState) -> bool {
        self.0.is_followed(own(&*state.0))
    }

    fn recurring(&self, state: &HiddenState) -> HiddenState {
        Self::state(self.0.recurring(own(&*state.0)))
    }

    fn show(&self, state: &HiddenState) -> String {
        self.0.show(own(&*state.0))
    }
}
