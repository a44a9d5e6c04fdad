//! Everybody who looks at a session, and what each is told.

use std::collections::HashMap;
use std::sync::Arc;

use borges_session::command::Reply;

use crate::protocol::{Part, Replied, Tell};

/// What is sent to a client.
#[derive(Clone, Debug)]
pub enum Message {
    /// JSON of a [`Tell`].
    Text(Arc<str>),
    /// A frame.
    Binary(Arc<[u8]>),
}

/// Whom a message is for.
pub type ClientId = u32;

/// What is answered to who asked.
pub(crate) enum Answer {
    /// There is nothing to say: what it came to is in the parts.
    Seen,
    Reply(Replied),
    /// A frame, which has the number of the question in it.
    Frame(Vec<u8>),
}

impl Answer {
    pub(crate) fn done(message: String) -> Self {
        Self::from(Reply::Done { message })
    }
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        Self::Reply(Replied::Device(Box::new(reply)))
    }
}

/// Tells a client something; whether it was taken.
pub(crate) type Out = Box<dyn FnMut(Message) -> bool + Send>;

struct Client {
    out: Out,
    /// It is told everything, and not only what it asked.
    sees: bool,
}

/// The clients, and the number of the last thing that all were told.
#[derive(Default)]
pub(crate) struct Audience {
    clients: HashMap<ClientId, Client>,
    pub(crate) number: u32,
}

impl Audience {
    pub(crate) fn join(&mut self, client: ClientId, out: Out, sees: bool) {
        self.clients.insert(client, Client { out, sees });
    }

    /// Whether anybody is told everything.
    pub(crate) fn is_seen(&self) -> bool {
        self.clients.values().any(|client| client.sees)
    }

    pub(crate) fn leave(&mut self, client: ClientId) {
        self.clients.remove(&client);
    }

    pub(crate) fn send(&mut self, client: ClientId, message: Message) {
        let full = |client: &mut Client| !(client.out)(message);
        if self.clients.get_mut(&client).is_some_and(full) {
            self.clients.remove(&client);
        }
    }

    pub(crate) fn tell(&mut self, client: ClientId, tell: &Tell) {
        self.send(client, text(tell));
    }

    /// Answers the question with this number.
    pub(crate) fn answer(&mut self, client: ClientId, id: u32, answer: Result<Answer, String>) {
        let tell = match answer {
            Ok(Answer::Seen) => return,
            Ok(Answer::Frame(bytes)) => return self.send(client, Message::Binary(bytes.into())),
            Ok(Answer::Reply(reply)) => Tell::Reply { id, reply },
            Err(message) => Tell::Failed { id, message },
        };
        self.tell(client, &tell);
    }

    pub(crate) fn tell_all(&mut self, tell: &Tell) {
        let message = text(tell);
        self.clients
            .retain(|_, client| (client.out)(message.clone()));
    }

    /// Something numbered, for those who see everything.
    pub(crate) fn patch(&mut self, message: Message) {
        self.clients
            .retain(|_, client| !client.sees || (client.out)(message.clone()));
    }

    pub(crate) fn next_number(&mut self) -> u32 {
        self.number = self.number.wrapping_add(1);
        self.number
    }

    pub(crate) fn patch_parts(&mut self, parts: Vec<Part>) {
        if parts.is_empty() {
            return;
        }
        let number = self.next_number();
        self.patch(text(&Tell::Patch { number, parts }));
    }
}

fn text(tell: &Tell) -> Message {
    // Messages are plain data with text keys: they always have a JSON form.
    Message::Text(serde_json::to_string(tell).unwrap_or_default().into())
}
