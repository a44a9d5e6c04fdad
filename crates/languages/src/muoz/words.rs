//! What the program's text says about names, and what predicates ask of states.

use super::VariableName;
use super::name::ThreadName;
use super::names::Names;
use super::semantics::{MuOz, Ready};
use super::state::{State, Value};
use crate::predicate::Standing;

/// Words with which steps and states are shown, next to the names of the program.
const WORDS: &str = "R skp brk ast var npr npt if1 if2 cal nth snd rcv skip br assert if then else let in end thread \
send receive port proc true false is which NewPort Send Receive waits on the assertion";

impl MuOz {
    /// The identifiers of the program's text.
    pub(crate) fn identifiers(&self) -> Vec<String> {
        let idents = self.program().idents.iter();
        let written = idents.filter(|name| name.starts_with(char::is_alphabetic));
        written.map(|name| name.to_string()).collect()
    }

    /// Whether a variable can be called so: as in the text, or with a number that tells it from
    /// others of the same name.
    pub(crate) fn may_name_variable(&self, name: &str) -> bool {
        let plain = name.trim_end_matches('\'');
        let base = plain.trim_end_matches(|c: char| c.is_ascii_digit());
        let idents = &self.program().idents;
        idents
            .iter()
            .any(|known| [name, plain, base].contains(&&**known))
    }

    /// The words with which states and steps are shown.
    pub(crate) fn words(&self) -> Vec<String> {
        WORDS.split_whitespace().map(str::to_owned).collect()
    }

    /// The value of the variable that is shown under a name.
    pub(crate) fn variable_of(&self, state: &State, names: &Names, shown: &str) -> Option<Value> {
        let variable = state.variable(names.find(shown)?)?;
        Some(variable.value.clone())
    }

    /// How many messages wait in a port.
    pub(crate) fn queue_len(&self, state: &State, port: &VariableName) -> Option<usize> {
        state.port(port).map(|port| port.len() as usize)
    }

    /// How a thread stands.
    pub(crate) fn thread_standing(&self, state: &State, thread: &ThreadName) -> Option<Standing> {
        let ready = self.ready(state, state.thread(thread)?);
        Some(Standing {
            idle: matches!(ready, Ready::Done),
            waits: matches!(ready, Ready::Waits(_)),
            stuck: matches!(ready, Ready::Stuck(_)),
        })
    }
}
