//! What variables are called when they are shown: as in the program, and told apart by numbers.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use borges_multiverse::list::List;

use super::name::{ThreadName, VariableName};
use super::program::{Ident, Idents, Program};
use super::state::{State, Thread, Variable};

/// Names of fewer variables are found again faster than they are remembered.
const FEW: usize = 256;

/// The names in the large state that was asked about last: a view asks about one state many times.
#[derive(Debug, Default)]
pub(super) struct KnownNames(Mutex<Option<(Bound, Arc<Names>)>>);

/// What threads have bound, which decides all names of a program.
type Bound = Vec<(ThreadName, List<Variable>)>;

impl KnownNames {
    /// The names of all variables of a state.
    pub(super) fn names(&self, program: &Program, state: &State) -> Arc<Names> {
        if state.variable_count() < FEW {
            return Arc::new(Names::of(program, state));
        }
        let bound = |thread: &Arc<Thread>| (thread.name.clone(), thread.variables.clone());
        let bound: Bound = state.threads.iter().map(bound).collect();
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, names)) = &*last
            && *known == bound
        {
            return Arc::clone(names);
        }
        let names = Arc::new(Names::of(program, state));
        *last = Some((bound, Arc::clone(&names)));
        names
    }
}

/// What is remembered is no part of a program.
impl Clone for KnownNames {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for KnownNames {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The names under which variables are shown: `x`, `x1`, `x2`, … for those that the program
/// calls `x`.
///
/// A name that was given stays with its variable, also while the variable is undone.
#[derive(Clone, Debug, Default)]
pub struct Names {
    idents: Arc<Idents>,
    /// What the variables of each thread are called, as far as they were named.
    shown: HashMap<ThreadName, Vec<Option<Name>>>,
    /// Names of variables that were done again as something else.
    before: HashMap<(VariableName, Ident), u32>,
    /// For each identifier, a number above those that were given.
    numbers: Vec<u32>,
    /// Names given for identifiers that others look like.
    taken: HashSet<String>,
}

/// An identifier, and the number that tells it from others: a million of them are given in no time, and few are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Name {
    ident: Ident,
    number: u32,
}

impl Names {
    /// None of a program are given yet.
    pub(super) fn new(program: &Program) -> Self {
        Self {
            idents: Arc::clone(&program.idents),
            numbers: vec![0; program.idents.iter().count()],
            ..Self::default()
        }
    }

    /// The names of all variables of a state, given in the order of causal birth: equal states
    /// show equal names.
    fn of(program: &Program, state: &State) -> Self {
        let mut names = Self::new(program);
        for thread in &state.threads {
            let bound = thread.bound().into_iter();
            let given = bound.map(|variable| Some(names.fresh(variable.ident)));
            let given = given.collect();
            names.shown.insert(thread.name.clone(), given);
        }
        names
    }

    /// Names a variable that is new, or that is done again.
    pub(super) fn bind(&mut self, name: VariableName, ident: Ident) {
        let given = self.given(&name, ident);
        let given = given.unwrap_or_else(|| self.fresh(ident));
        let shown = self.shown.entry(name.thread.clone()).or_default();
        let nth = name.nth as usize;
        shown.resize(shown.len().max(nth + 1), None);
        let before = shown[nth].replace(given);
        if let Some(before) = before.filter(|before| *before != given) {
            self.before.insert((name, before.ident), before.number);
        }
    }

    /// What the next variable of this identifier will be called, unless it is done again.
    pub(super) fn preview(&self, name: &VariableName, ident: Ident) -> String {
        let next = || Name {
            ident,
            number: self.next(ident),
        };
        let given = self.given(name, ident).unwrap_or_else(next);
        self.text(given).into_owned()
    }

    /// The name that a variable has or had as this identifier.
    fn given(&self, name: &VariableName, ident: Ident) -> Option<Name> {
        let known = self.known(name).filter(|known| known.ident == ident);
        known.or_else(|| {
            let number = *self.before.get(&(name.clone(), ident))?;
            Some(Name { ident, number })
        })
    }

    fn known(&self, name: &VariableName) -> Option<Name> {
        *self.shown.get(&name.thread)?.get(name.nth as usize)?
    }

    /// Gives the next name.
    fn fresh(&mut self, ident: Ident) -> Name {
        let number = self.next(ident);
        let given = Name { ident, number };
        self.numbers[ident.0 as usize] = number + 1;
        if self.idents.is_crowded(ident) {
            self.taken.insert(self.text(given).into_owned());
        }
        given
    }

    /// The number of the next name.
    fn next(&self, ident: Ident) -> u32 {
        let first = self.numbers[ident.0 as usize];
        if !self.idents.is_crowded(ident) {
            return first;
        }
        let text = |number| self.text(Name { ident, number });
        let is_free = |number: &u32| !self.taken.contains(&*text(*number));
        (first..).find(is_free).unwrap_or(first)
    }

    fn text(&self, Name { ident, number }: Name) -> Cow<'_, str> {
        let base = self.idents.text(ident);
        let mut text = Cow::Borrowed(base);
        if number > 0 {
            text.to_mut().push_str(&number.to_string());
        }
        // Threads are called so: t1 is taken, t_1 too.
        if text.parse::<ThreadName>().is_ok() {
            text.to_mut().push('\'');
        }
        text
    }

    /// What a variable is called.
    #[must_use]
    pub fn show(&self, name: &VariableName) -> Cow<'_, str> {
        let known = self.known(name);
        known.map_or(Cow::Borrowed("?"), |known| self.text(known))
    }

    /// The variable of a name, be it undone or not.
    #[must_use]
    pub fn find(&self, shown: &str) -> Option<VariableName> {
        let plain = shown.trim_end_matches('\'');
        let read = |(ident, base): (Ident, &str)| {
            // A name with a quote of its own, or with one because of a thread.
            let number = shown.strip_prefix(base).and_then(number_of);
            let number = number.or_else(|| plain.strip_prefix(base).and_then(number_of))?;
            let name = Name { ident, number };
            (self.text(name) == shown).then_some(name)
        };
        let names: Vec<Name> = self.idents.iter().filter_map(read).collect();
        let mut threads = self.shown.iter();
        threads.find_map(|(thread, given)| {
            let mut given = given.iter();
            let nth = given.position(|given| given.is_some_and(|given| names.contains(&given)))?;
            Some(VariableName {
                thread: thread.clone(),
                nth: nth as u32,
            })
        })
    }
}

/// The number behind an identifier; 0 if there is none.
fn number_of(text: &str) -> Option<u32> {
    if text.is_empty() {
        return Some(0);
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is bound in whatever order: no two variables have one name, each is found by its name, and keeps it when
    /// it is done again.
    #[test]
    fn names_tell_variables_apart() {
        let texts = ["x", "x1", "t", "t1", "x'"];
        let idents = Idents::new(texts.map(Into::into).into());
        let few = texts.len() as u32;
        let sequences =
            (0..few.pow(5)).map(|code| (0..5).map(move |place| code / few.pow(place) % few));
        for sequence in sequences {
            let mut names = Names {
                numbers: vec![0; texts.len()],
                idents: Arc::new(idents.clone()),
                ..Names::default()
            };
            let mut given = Vec::new();
            for (nth, ident) in (0..).zip(sequence).chain([(2, 0), (2, 1)]) {
                let thread = ThreadName::MAIN;
                let name = VariableName { thread, nth };
                let preview = names.preview(&name, Ident(ident));
                names.bind(name.clone(), Ident(ident));
                assert_eq!(names.show(&name), preview);
                assert_eq!(names.find(&preview), Some(name.clone()));
                given.push((name, ident, preview));
            }
            for (name, ident, shown) in &given {
                names.bind(name.clone(), Ident(*ident));
                assert_eq!(names.show(name), *shown);
                let same = |(other, what, text): &&(VariableName, u32, String)| {
                    text == shown && (other, what) != (name, ident)
                };
                assert_eq!(given.iter().find(same), None);
            }
        }
    }
}
