//! What a program leaves behind.

use std::fmt;

use crate::datum::Datum;

/// The fields of all objects that actors reach, and what was printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Answer {
    /// What each actor printed: its name and its lines. Actors that printed nothing are left out.
    pub output: Vec<(String, Vec<String>)>,
    /// Each field under the name of its object: `math.result`.
    pub values: Vec<(String, Datum)>,
    /// Who is stuck, and why.
    pub stuck: Vec<(String, String)>,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (name, value) in &self.values {
            if !matches!(value, Datum::Reference(_)) {
                write!(f, "{separator}{name} = {value}")?;
                separator = ", ";
            }
        }
        for (name, lines) in &self.output {
            write!(f, "{separator}{name} prints {}", lines.join(" / "))?;
            separator = ", ";
        }
        for (name, why) in &self.stuck {
            write!(f, "{separator}{name} is stuck: {why}")?;
            separator = ", ";
        }
        Ok(())
    }
}
