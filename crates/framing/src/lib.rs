//! Messages of editors' protocols on a stream of bytes: a header with the length, an empty line, JSON.
//!
//! The Debug Adapter Protocol and the Language Server Protocol have the same frames. What arrives is a stranger's: lengths are
//! bounded, and memory is taken as bytes come.

#![forbid(unsafe_code)]

use std::io::{self, BufRead, Read as _, Write};

use thiserror::Error;

/// The longest message that is read. A program's text is the longest thing that a client sends.
pub const MOST_BYTES: u64 = 4 << 20;
/// The longest header: it has a length in it, and perhaps a type.
const MOST_HEADER: u64 = 4 << 10;
/// What of a wrong header is repeated to whoever sent it.
const SHOWN: usize = 60;

/// Why no message can be read, now or any more: where one ends and the next begins is not known then.
#[derive(Debug, Error)]
pub enum FrameError {
    /// The stream broke.
    #[error("the connection broke: {0}")]
    Io(#[from] io::Error),
    /// The stream ended inside a message.
    #[error("the connection ended inside a message")]
    Cut,
    /// The header does not end.
    #[error("a header of more than {MOST_HEADER} bytes: messages begin with 'Content-Length: N'")]
    LongHeader,
    /// The header is none.
    #[error("'{0}' is no header of a message: they begin with 'Content-Length: N'")]
    Header(String),
    /// The header says no length.
    #[error("a header without Content-Length")]
    NoLength,
    /// The message is too long.
    #[error("a message of {0} bytes: at most {MOST_BYTES} are read")]
    TooLong(u64),
}

/// The next message; nothing at the end of the stream.
///
/// # Errors
/// [`FrameError`]: then nothing more can be read.
pub fn read(input: &mut dyn BufRead) -> Result<Option<Vec<u8>>, FrameError> {
    let Some(length) = read_header(input)? else {
        return Ok(None);
    };
    if length > MOST_BYTES {
        return Err(FrameError::TooLong(length));
    }
    // Memory is taken as bytes come, not as a header promises them.
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body)?;
    match body.len() as u64 == length {
        true => Ok(Some(body)),
        false => Err(FrameError::Cut),
    }
}

/// The length of the message that follows; nothing at the end of the stream.
fn read_header(input: &mut dyn BufRead) -> Result<Option<u64>, FrameError> {
    let mut left = MOST_HEADER;
    let mut length = None;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        let read = input.take(left).read_until(b'\n', &mut line)?;
        left -= read as u64;
        if read == 0 && is_first {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') {
            return Err(if left == 0 {
                FrameError::LongHeader
            } else {
                FrameError::Cut
            });
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\r', '\n']);
        if text.is_empty() {
            return length.ok_or(FrameError::NoLength).map(Some);
        }
        is_first = false;
        let wrong = || FrameError::Header(text.chars().take(SHOWN).collect());
        let (name, value) = text.split_once(':').ok_or_else(wrong)?;
        if name.trim().eq_ignore_ascii_case("content-length") {
            let number = value.trim().parse().map_err(|_| wrong())?;
            // Two lengths are how one message is smuggled into another.
            if length.replace(number).is_some() {
                return Err(wrong());
            }
        } else if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(wrong());
        }
    }
}

/// Writes a message.
///
/// # Errors
/// The stream broke.
pub fn write(output: &mut dyn Write, body: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", body.len())?;
    output.write_all(body)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read of some bytes: the messages, and how it ends.
    fn read_all(bytes: &[u8]) -> (Vec<String>, Result<(), String>) {
        let (mut input, mut messages) = (bytes, Vec::new());
        loop {
            match read(&mut input) {
                Ok(Some(body)) => messages.push(String::from_utf8_lossy(&body).into_owned()),
                Ok(None) => return (messages, Ok(())),
                Err(error) => return (messages, Err(error.to_string())),
            }
        }
    }

    #[test]
    fn messages_are_read_as_they_were_written() {
        let mut bytes = Vec::new();
        for body in ["{}", "", "{\"ä\":1}"] {
            write(&mut bytes, body.as_bytes()).expect("to memory");
        }
        bytes.extend(b"content-length:2\nContent-Type: x\n\n[]");
        let (messages, end) = read_all(&bytes);
        assert_eq!(messages, ["{}", "", "{\"ä\":1}", "[]"]);
        assert_eq!(end, Ok(()));
    }

    #[test]
    fn what_is_no_message_is_told_apart_and_ends_the_reading() {
        let long = format!("X: {}", "x".repeat(5000));
        let largest = format!("Content-Length: {MOST_BYTES}\r\n\r\n");
        let larger = format!("Content-Length: {}\r\n\r\n", MOST_BYTES + 1);
        let cases: &[(&str, &str)] = &[
            ("POST / HTTP/1.1\r\n\r\n", "no header"),
            ("Content-Length: 99999999999999999999\r\n\r\n", "no header"),
            ("Content-Length: -1\r\n\r\n", "no header"),
            (
                "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
                "no header",
            ),
            ("Content-Type: json\r\n\r\n{}", "without Content-Length"),
            ("\r\n", "without Content-Length"),
            ("Content-Length: 3\r\n\r\n{}", "inside a message"),
            ("Content-Length: 3", "inside a message"),
            (&largest, "inside a message"),
            (&larger, "at most"),
            (&long, "a header of more than"),
        ];
        for (bytes, expected) in cases {
            let (messages, end) = read_all(bytes.as_bytes());
            assert_eq!(messages, [""; 0], "{bytes}");
            let error = end.expect_err("it is no message");
            assert!(error.contains(expected), "{bytes}: {error}");
        }
    }

    /// Every prefix of messages, and every message with one byte changed, comes to an end.
    #[test]
    fn nothing_that_arrives_is_read_for_ever() {
        let mut bytes = Vec::new();
        write(
            &mut bytes,
            br#"{"seq":1,"type":"request","command":"threads"}"#,
        )
        .expect("to memory");
        write(&mut bytes, b"{}").expect("to memory");
        for end in 0..bytes.len() {
            drop(read_all(&bytes[..end]));
            for byte in [0, b'\n', b':', b'9', 0xff] {
                let mut changed = bytes.clone();
                changed[end] = byte;
                drop(read_all(&changed));
            }
        }
    }
}
