//! What variables are called when they are shown: as in the program, and told apart by numbers.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use borges_multiverse::list::List;

use super::name::{ThreadName, VariableName};
use super::program::{Ident, Program};
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
    shown: HashMap<VariableName, String>,
    given: HashMap<(VariableName, Ident), String>,
    taken: HashSet<String>,
    /// The last number tried for each identifier.
    numbers: HashMap<Ident, u32>,
}

impl Names {
    /// The names of all variables of a state, given in the order of causal birth: equal states
    /// show equal names.
    fn of(program: &Program, state: &State) -> Self {
        let mut names = Self::default();
        for (name, variable) in state.variables() {
            names.bind(program, name, variable.ident);
        }
        names
    }

    /// Names a variable that is new, or that is done again.
    pub(super) fn bind(&mut self, program: &Program, name: VariableName, ident: Ident) {
        let key = (name.clone(), ident);
        let shown = self.given.get(&key).cloned().unwrap_or_else(|| {
            let (number, shown) = self.fresh(program, ident);
            self.numbers.insert(ident, number);
            self.taken.insert(shown.clone());
            self.given.insert(key, shown.clone());
            shown
        });
        self.shown.insert(name, shown);
    }

    /// What the next variable of this identifier will be called, unless it is done again.
    pub(super) fn preview(&self, program: &Program, name: &VariableName, ident: Ident) -> String {
        let given = self.given.get(&(name.clone(), ident)).cloned();
        given.unwrap_or_else(|| self.fresh(program, ident).1)
    }

    fn fresh(&self, program: &Program, ident: Ident) -> (u32, String) {
        let base = program.text(ident);
        let mut number = self.numbers.get(&ident).map_or(0, |last| last + 1);
        loop {
            let mut shown = base.to_owned();
            if number > 0 {
                shown.push_str(&number.to_string());
            }
            // Threads are called so: t1 is taken, t_1 too.
            if shown.parse::<ThreadName>().is_ok() {
                shown.push('\'');
            }
            if !self.taken.contains(&shown) {
                return (number, shown);
            }
            number += 1;
        }
    }

    /// What a variable is called.
    #[must_use]
    pub fn show(&self, name: &VariableName) -> &str {
        self.shown.get(name).map_or("?", String::as_str)
    }

    /// The variable of a name, be it undone or not.
    #[must_use]
    pub fn find(&self, shown: &str) -> Option<&VariableName> {
        self.shown
            .iter()
            .find(|(_, name)| *name == shown)
            .map(|(variable, _)| variable)
    }
}
