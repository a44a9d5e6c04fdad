//! What predicates can name in a program of each language.

use std::fmt;
use std::hash::Hash;
use std::rc::Rc;

use borges_multiverse::adapt::{Abstracted, Preempting, Runs, Stepping};
use borges_multiverse::language::Language;

use crate::datum::Datum;

/// What a name is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// An actor or a thread.
    Agent,
    /// A field or a variable.
    Value,
    /// What messages wait in: an actor, a port.
    Queue,
    /// A method.
    Method,
    /// A word of a text.
    Word,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Agent => "nobody",
            Self::Value => "no value",
            Self::Queue => "no inbox or port",
            Self::Method => "no method",
            Self::Word => "no word",
        })
    }
}

/// A name that means nothing in a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}", missing(*.kind, .name), known(.nearest))]
pub struct Unknown {
    /// What it should be.
    pub kind: Kind,
    /// The name.
    pub name: String,
    /// What there is instead, the most similar first.
    pub nearest: Vec<String>,
}

fn missing(kind: Kind, name: &str) -> String {
    match kind {
        Kind::Word => format!("no state and no step of this program mentions {name}"),
        kind => format!("this program has {kind} called {name}"),
    }
}

/// Names that are listed.
const LISTED: usize = 12;

fn known(names: &[String]) -> String {
    let more = if names.len() > LISTED { ", …" } else { "" };
    match names {
        [] => "; it has none".to_owned(),
        [only] => format!("; there is {only}"),
        names => {
            let listed = &names[..names.len().min(LISTED)];
            format!("; there are, nearest first, {}{more}", listed.join(", "))
        }
    }
}

impl Unknown {
    /// Sorts what there is by how similar it is.
    pub(crate) fn new(kind: Kind, name: &str, mut there: Vec<String>) -> Self {
        there.sort();
        there.dedup();
        there.sort_by_cached_key(|known| strsim::damerau_levenshtein(name, known));
        Self {
            kind,
            name: name.to_owned(),
            nearest: there,
        }
    }
}

/// What is known about an actor or a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// It has nothing to evaluate.
    pub idle: bool,
    /// It waits for a message.
    pub waits: bool,
    /// No rule applies to it, and never will.
    pub stuck: bool,
}

impl Standing {
    /// Whether it is so, by the word that predicates have for it.
    pub(super) fn is(self, how: &str) -> bool {
        match how {
            "idle" => self.idle,
            "stuck" => self.stuck,
            _ => self.waits,
        }
    }
}

/// A language whose states answer predicates.
pub trait Named: Language {
    /// Whether the program can have something of this name: one that its text gives, or one of a like form.
    fn knows(&self, kind: Kind, name: &str) -> bool {
        self.names(kind).iter().any(|known| known == name)
    }

    /// The names of that kind that the program's text gives; for words, those that states and
    /// steps are shown with.
    fn names(&self, kind: Kind) -> Vec<String>;

    /// A field, a variable, the value; none where it does not exist (yet).
    fn value(&self, state: &Self::State, name: &str) -> Option<Datum>;

    /// How many messages wait in an inbox or a port, if there are such.
    fn queued(&self, _state: &Self::State, _name: &str) -> Option<usize> {
        None
    }

    /// How an actor or thread stands, if there are such.
    fn standing(&self, _state: &Self::State, _agent: &str) -> Option<Standing> {
        None
    }

    /// Whether an actor has printed a line, if it can.
    fn printed(&self, _state: &Self::State, _agent: &str, _line: &str) -> bool {
        false
    }

    /// Whether the state has something of this name.
    fn has(&self, state: &Self::State, kind: Kind, name: &str) -> bool {
        match kind {
            Kind::Agent => self.standing(state, name).is_some(),
            Kind::Value => self.value(state, name).is_some(),
            Kind::Queue => self.queued(state, name).is_some(),
            Kind::Method | Kind::Word => true,
        }
    }
}

/// Refuses a name that means nothing.
pub(crate) fn resolve(program: &impl Named, kind: Kind, name: &str) -> Result<(), Unknown> {
    if program.knows(kind, name) {
        Ok(())
    } else {
        Err(Unknown::new(kind, name, program.names(kind)))
    }
}

/// Words with which the stepping debugger shows what it does.
const STEPPING_WORDS: [&str; 4] = ["step", "paused", "STEP", "RESUME"];

/// Languages that hand all questions on, about the program's part of their states; some have words
/// of their own.
macro_rules! forwarded {
    ($self:ident => $inner:expr, $state:ident => $theirs:expr, $words:expr) => {
        fn knows(&$self, kind: Kind, name: &str) -> bool {
            let words: &[&str] = $words;
            kind == Kind::Word && words.contains(&name) || $inner.knows(kind, name)
        }

        fn names(&$self, kind: Kind) -> Vec<String> {
            let words: &[&str] = if kind == Kind::Word { $words } else { &[] };
            let mut names = Named::names($inner, kind);
            names.extend(words.iter().map(|word| (*word).to_owned()));
            names
        }

        fn value(&$self, $state: &Self::State, name: &str) -> Option<Datum> {
            Named::value($inner, $theirs, name)
        }

        fn queued(&$self, $state: &Self::State, name: &str) -> Option<usize> {
            $inner.queued($theirs, name)
        }

        fn standing(&$self, $state: &Self::State, agent: &str) -> Option<Standing> {
            $inner.standing($theirs, agent)
        }

        fn printed(&$self, $state: &Self::State, agent: &str, line: &str) -> bool {
            $inner.printed($theirs, agent, line)
        }
    };
}

pub(crate) use forwarded;

impl<L: Named> Named for &L {
    forwarded!(self => *self, state => state, &[]);
}

impl<L: Named + ?Sized> Named for Rc<L> {
    forwarded!(self => &**self, state => state, &[]);
}

impl<L: Named> Named for Runs<L> {
    forwarded!(self => self.inner(), state => state, &[]);
}

impl<L: Named> Named for Stepping<L> {
    forwarded!(self => &self.0, state => &state.1, &STEPPING_WORDS);
}

impl<L: Named> Named for Preempting<L> {
    forwarded!(self => &self.program, from => &from.state, &[]);
}

impl<L: Named, K: Clone + Eq + Hash> Named for Abstracted<L, K> {
    forwarded!(self => self.inner(), seen => &seen.state, &[]);
}
