//! What the program's text says about names, what predicates ask of states, and what is reported of ends.

use borges_multiverse::language::Language as _;

use super::name::ThreadName;
use super::outcome::Answer;
use super::semantics::{MuOz, Ready};
use super::state::{State, Value};
use crate::datum::Datum;
use crate::model::{Remains, Reported};
use crate::predicate::{Kind, Named, Standing};

/// Words with which steps and states are shown, next to the names of the program.
const WORDS: &str = "R skp brk ast var npr npt if1 if2 cal nth snd rcv skip br assert if then else let in end thread \
send receive port proc true false is which NewPort Send Receive waits on the assertion";

impl MuOz {
    /// The identifiers of the program's text.
    fn identifiers(&self) -> Vec<String> {
        let idents = self.program().idents.iter();
        let written = idents.filter(|(_, name)| name.starts_with(char::is_alphabetic));
        written.map(|(_, name)| name.to_owned()).collect()
    }

    /// Whether a variable can be called so: as in the text, or with a number that tells it from
    /// others of the same name.
    fn may_name_variable(&self, name: &str) -> bool {
        let plain = name.trim_end_matches('\'');
        let base = plain.trim_end_matches(|c: char| c.is_ascii_digit());
        let idents = &self.program().idents;
        idents
            .iter()
            .any(|(_, known)| [name, plain, base].contains(&known))
    }
}

impl Named for MuOz {
    fn knows(&self, kind: Kind, name: &str) -> bool {
        let is_thread = || name.parse::<ThreadName>().is_ok();
        match kind {
            Kind::Agent => is_thread(),
            Kind::Value | Kind::Queue => self.may_name_variable(name),
            Kind::Method => false,
            Kind::Word => {
                let mut words = WORDS.split_whitespace();
                self.may_name_variable(name) || is_thread() || words.any(|word| word == name)
            }
        }
    }

    fn names(&self, kind: Kind) -> Vec<String> {
        match kind {
            Kind::Agent => vec![ThreadName::MAIN.to_string()],
            Kind::Value | Kind::Queue => self.identifiers(),
            Kind::Method => Vec::new(),
            Kind::Word => {
                let mut words = self.identifiers();
                words.extend(WORDS.split_whitespace().map(str::to_owned));
                words
            }
        }
    }

    fn value(&self, state: &State, name: &str) -> Option<Datum> {
        let names = self.names(state);
        Some(match &state.variable(&names.find(name)?)?.value {
            Value::Boolean(value) => Datum::Boolean(*value),
            Value::Integer(value) => Datum::Integer(*value),
            other => Datum::Reference(other.show(&names)),
        })
    }

    fn queued(&self, state: &State, name: &str) -> Option<usize> {
        let names = self.names(state);
        match &state.variable(&names.find(name)?)?.value {
            Value::Port(port) => Some(state.port(port)?.len() as usize),
            _ => None,
        }
    }

    fn standing(&self, state: &State, agent: &str) -> Option<Standing> {
        let ready = self.ready(state, state.thread(&agent.parse().ok()?)?);
        Some(Standing {
            idle: matches!(ready, Ready::Done),
            waits: matches!(ready, Ready::Waits(_)),
            stuck: matches!(ready, Ready::Stuck(_)),
        })
    }
}

impl Reported for MuOz {
    fn has_messages(&self) -> bool {
        true
    }

    fn message(&self, resource: &Self::Resource) -> Option<(Self::Resource, u32)> {
        resource.queued()
    }

    fn addressee(&self, state: &Self::State, choice: &Self::Choice) -> Option<String> {
        // As the label shows it: `t1: {send k x}`.
        let label = self.label(state, choice);
        let (_, message) = label.text.split_once("{send ")?;
        message.split_whitespace().next().map(str::to_owned)
    }

    fn remains(&self, value: &Answer) -> Remains {
        let variables = value.variables.iter();
        let variables = variables.map(|(name, value)| (name.clone(), Datum::of_text(value)));
        let queues = value.queues.iter().map(|(name, queue)| {
            let messages = queue.iter().map(|message| Datum::of_text(&message.value));
            (name.clone(), Datum::List(messages.collect()))
        });
        Remains {
            output: Vec::new(),
            values: variables.chain(queues).collect(),
            waiting: value.waiting.iter().cloned().collect(),
        }
    }
}
