//! What a client may unfold at a stop, by numbers that mean nothing at any other.

use borges_session::command::Whole;
use serde_json::Value;

use crate::protocol::Failure;
use crate::protocol::answers::{Hint, Variable};

/// Something with variables in it.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// Parameters and locals of a frame.
    Locals { frame: u32 },
    /// Globals.
    Globals,
    /// The operand stack of a frame.
    Operands { frame: u32 },
    /// What the program can read, and what stands in for it.
    Inputs,
    /// What a program of an operating system has written.
    Streams,
    /// A value of the program.
    Value {
        of: Whole,
        frame: u32,
        path: Vec<u64>,
        /// An expression that comes to it, if there is one.
        expression: Option<String>,
    },
    /// Plain data.
    Data(Value),
}

/// The numbers of nodes.
#[derive(Debug)]
pub(crate) struct Handles {
    /// What the numbers of this stop come after.
    base: i64,
    nodes: Vec<Node>,
}

impl Default for Handles {
    fn default() -> Self {
        Self {
            base: 1,
            nodes: Vec::new(),
        }
    }
}

/// Elements of plain data that are shown.
const MANY: usize = 1_000;

/// The protocol's numbers have so many bits.
const MOST: i64 = i32::MAX as i64;

impl Handles {
    /// Another stop: what was numbered before is not there any more.
    pub(crate) fn clear(&mut self) {
        self.base += self.nodes.len() as i64;
        self.nodes.clear();
        if self.base > MOST / 2 {
            self.base = 1;
        }
    }

    /// A number for a node; 0, which means that nothing is in it, if there are too many.
    pub(crate) fn number(&mut self, node: Node) -> i64 {
        let number = self.base + self.nodes.len() as i64;
        if number > MOST {
            return 0;
        }
        self.nodes.push(node);
        number
    }

    /// The node with a number.
    ///
    /// # Errors
    /// It was of another stop.
    pub(crate) fn node(&self, number: i64) -> Result<Node, Failure> {
        let index = number.checked_sub(self.base);
        let index = index.and_then(|index| usize::try_from(index).ok());
        let node = index.and_then(|index| self.nodes.get(index));
        let gone =
            || Failure::new("these variables were those of another stop: ask for the scopes again");
        node.cloned().ok_or_else(gone)
    }

    /// Plain data as variables.
    pub(crate) fn data(&mut self, data: &Value) -> Vec<Variable> {
        let named: Vec<(String, &Value)> = match data {
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| (name.clone(), value))
                .collect(),
            Value::Array(elements) => {
                let elements = elements.iter().enumerate().take(MANY);
                elements
                    .map(|(nth, value)| (format!("[{nth}]"), value))
                    .collect()
            }
            _ => Vec::new(),
        };
        named
            .into_iter()
            .map(|(name, value)| {
                let (text, has_more) = match value {
                    Value::Object(fields) => ("{…}".to_owned(), !fields.is_empty()),
                    Value::Array(elements) => {
                        (format!("[{}]", elements.len()), !elements.is_empty())
                    }
                    Value::String(text) => (text.clone(), false),
                    other => (other.to_string(), false),
                };
                Variable {
                    name,
                    value: text,
                    presentation_hint: Hint::read_only(),
                    variables_reference: match has_more {
                        true => self.number(Node::Data(value.clone())),
                        false => 0,
                    },
                    ..Variable::default()
                }
            })
            .collect()
    }
}
