//! Values, whatever the language.

use std::fmt;

use serde::{Serialize, Serializer};

/// A value, as states and ends have it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum Datum {
    /// Nothing.
    Null,
    /// A truth value.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A text.
    Text(String),
    /// The name of an object, an actor, a future, a port.
    Reference(#[serde(serialize_with = "arrow")] String),
    /// A queue.
    List(Vec<Datum>),
}

impl Datum {
    /// As it is shown where a text stands for a value that is known by no more than that: without quotes.
    pub(crate) fn bare(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(Self::bare).collect();
                format!("[{}]", items.join(", "))
            }
            other => other.to_string(),
        }
    }

    /// A value that is known by its text only.
    pub(crate) fn of_text(text: &str) -> Self {
        match text {
            "true" => Self::Boolean(true),
            "false" => Self::Boolean(false),
            _ => text
                .parse()
                .map_or_else(|_| Self::Text(text.to_owned()), Self::Integer),
        }
    }
}

fn arrow<S: Serializer>(name: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("→{name}"))
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Reference(name) => write!(f, "→{name}"),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(Self::to_string).collect();
                write!(f, "[{}]", items.join(", "))
            }
        }
    }
}
