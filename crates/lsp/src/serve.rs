//! A server on two streams.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::thread;

use borges_framing as framing;
use lsp_server::{Connection, Message, Notification};
use serde_json::Value;

use crate::server::{Farewell, UNREAD, run};

/// Serves one editor until it leaves or its stream ends.
///
/// `lsp_server` would read from streams too, but takes the memory that a header promises and ends at what is no message.
///
/// # Errors
/// A thread could not be started.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<Farewell> {
    let (server, editor) = Connection::memory();
    let Connection { sender, receiver } = editor;
    let writing = thread::Builder::new().name("editor-out".to_owned());
    let writing = writing.spawn(move || {
        let mut output = BufWriter::new(output);
        for message in receiver {
            if message.write(&mut output).is_err() {
                return;
            }
        }
    })?;
    let reading = thread::Builder::new().name("editor-in".to_owned());
    // It may wait for an editor that is silent: nobody waits for it.
    reading.spawn(move || {
        let mut input = BufReader::new(input);
        while let Some(message) = next(&mut input) {
            let is_last = message.is_err();
            let message = message.unwrap_or_else(|last| last);
            if sender.send(message).is_err() || is_last {
                return;
            }
        }
    })?;
    let ended = run(&server);
    drop(server);
    // What was said last is written before the stream is closed.
    let _ = writing.join();
    Ok(ended)
}

/// The next message, or the last. Of what is none, it says why: that is passed by as long as it is known where it ends.
fn next(input: &mut dyn BufRead) -> Option<Result<Message, Message>> {
    match framing::read(input) {
        Ok(body) => {
            let message = message(&body?);
            Some(Ok(message.unwrap_or_else(|error| {
                unread(format!("this is no message of the protocol: {error}"))
            })))
        }
        Err(error) => Some(Err(unread(error.to_string()))),
    }
}

fn message(body: &[u8]) -> Result<Message, String> {
    let value: Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let is_asked = value.get("id").is_some();
    match serde_json::from_value(value) {
        Ok(Message::Notification(_)) if is_asked => {
            Err("ids are texts, or numbers of 32 bits".to_owned())
        }
        read => read.map_err(|error| error.to_string()),
    }
}

fn unread(why: String) -> Message {
    Notification::new(UNREAD.to_owned(), why).into()
}
