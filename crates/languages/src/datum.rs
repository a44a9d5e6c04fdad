//! Values, whatever the language.

use std::fmt;

use serde::{Serialize, Serializer};

/// A value, as states and ends have it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
    Reference(String),
    /// A queue.
    List(Vec<Datum>),
}

impl Datum {
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

impl Serialize for Datum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Reference(_) => serializer.collect_str(self),
            Self::List(items) => serializer.collect_seq(items),
        }
    }
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
