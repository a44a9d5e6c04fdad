//! What goes both ways: requests as they arrive, answers and events as they leave. Only what Borges uses of the protocol
//! is here; what a client sends besides is ignored.

pub(crate) mod answers;
pub(crate) mod arguments;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Its number, which the answer names.
    pub(crate) seq: i64,
    pub(crate) command: String,
    arguments: Value,
}

/// A message as it arrives.
#[derive(Deserialize)]
struct Incoming {
    seq: i64,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    command: String,
    #[serde(default)]
    arguments: Value,
}

impl Request {
    /// Reads a request.
    ///
    /// # Errors
    /// It is none, in words.
    pub(crate) fn read(body: &[u8]) -> Result<Self, String> {
        let message: Incoming = serde_json::from_slice(body)
            .map_err(|error| format!("a message that is none of the protocol: {error}"))?;
        if message.kind != "request" || message.command.is_empty() {
            return Err(format!(
                "message {} is no request: its type is '{}'",
                message.seq, message.kind
            ));
        }
        Ok(Self {
            seq: message.seq,
            command: message.command,
            arguments: message.arguments,
        })
    }

    /// Its arguments. Those that are left out altogether are as if all were left out that may be.
    ///
    /// # Errors
    /// They are not what this request takes.
    pub(crate) fn arguments<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        let arguments = match &self.arguments {
            Value::Null => Value::Object(serde_json::Map::new()),
            given => given.clone(),
        };
        serde_json::from_value(arguments).map_err(|error| {
            Failure::new(format!(
                "the arguments of '{}' are wrong: {error}",
                self.command
            ))
        })
    }
}

/// Why a request is not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// What failed, the likely cause, what to do.
    pub(crate) message: String,
    /// Whether people should see it at once, and not only who asked.
    pub(crate) shown: bool,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            shown: false,
        }
    }

    /// One that the editor puts before whoever sits there.
    pub(crate) fn shown(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            shown: true,
        }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

/// What came of a request.
pub(crate) type Answer = Result<Value, Failure>;

/// The body of an answer.
pub(crate) fn body(data: impl Serialize) -> Answer {
    serde_json::to_value(data)
        .map_err(|error| Failure::new(format!("the answer has no form: {error}")))
}

/// The answer of a request that has nothing to say.
pub(crate) const NOTHING: Answer = Ok(Value::Null);

/// A message as it leaves.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Outgoing {
    /// The answer to a request.
    Response {
        /// The number of the request.
        request_seq: i64,
        /// Its command.
        command: String,
        /// Whether it was carried out.
        success: bool,
        /// Why it was not.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// What it answers, or why it was not carried out, for people.
        #[serde(skip_serializing_if = "Value::is_null")]
        body: Value,
    },
    /// Something that happened.
    Event {
        /// What.
        event: &'static str,
        /// The rest.
        #[serde(skip_serializing_if = "Value::is_null")]
        body: Value,
    },
}

impl Outgoing {
    /// The answer to a request.
    pub(crate) fn answer(request: &Request, answer: Answer) -> Self {
        let (success, message, body) = match answer {
            Ok(body) => (true, None, body),
            Err(failure) => {
                let error = answers::ErrorBody::new(&failure);
                let body = serde_json::to_value(error).unwrap_or_default();
                (false, Some(failure.message), body)
            }
        };
        Self::Response {
            request_seq: request.seq,
            command: request.command.clone(),
            success,
            message,
            body,
        }
    }

    /// An event. Bodies are plain data with text keys, which always have a JSON form.
    pub(crate) fn event(event: &'static str, body: impl Serialize) -> Self {
        let body = serde_json::to_value(body).unwrap_or_default();
        Self::Event { event, body }
    }
}

/// A message with its number.
#[derive(Serialize)]
pub(crate) struct Numbered<'m> {
    pub(crate) seq: i64,
    #[serde(flatten)]
    pub(crate) message: &'m Outgoing,
}
