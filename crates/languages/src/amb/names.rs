//! What predicates can name in a program of λ_amb, and what is reported of its ends.

use borges_multiverse::language::Language;

use super::{Amb, Answer};
use crate::datum::Datum;
use crate::model::{Remains, Reported};
use crate::predicate::{Kind, Named};

/// Words with which λ_amb shows what it does.
const AMB_WORDS: [&str; 4] = ["amb", "ADD", "AMB", "paused"];

impl Named for Amb {
    fn names(&self, kind: Kind) -> Vec<String> {
        match kind {
            Kind::Value => vec![VALUE.to_owned()],
            Kind::Word => AMB_WORDS.map(str::to_owned).to_vec(),
            Kind::Agent | Kind::Queue | Kind::Method => Vec::new(),
        }
    }

    fn value(&self, state: &Self::State, name: &str) -> Option<Datum> {
        let mut choices = Vec::new();
        self.enabled(state, &mut choices);
        if name != VALUE || !choices.is_empty() {
            return None;
        }
        match self.outcome(state).value {
            Answer::Number(number) => Some(match number.to_i64() {
                Some(number) => Datum::Integer(number),
                None => Datum::Text(number.to_string()),
            }),
            Answer::Stuck(_) => None,
        }
    }
}

/// What the result of a λ_amb program is called.
const VALUE: &str = "value";

impl Reported for Amb {
    fn remains(&self, value: &Answer) -> Remains {
        let mut remains = Remains::default();
        match value {
            Answer::Number(number) => {
                let datum = Datum::of_text(&number.to_string());
                remains.values.insert("value".to_owned(), datum);
            }
            Answer::Stuck(stuck) => {
                let why = format!("no rule applies to (amb), line {}", stuck.line);
                remains.waiting.insert(stuck.expression.clone(), why);
            }
        }
        remains
    }
}
