//! A connection to one other process, with threads that read and write: whoever computes waits for neither.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use borges_link::Pipe;

use crate::SILENCE;
use crate::frame::{Frame, MOST};

/// So many messages wait to be sent; who has more waits until there is room.
const WAITING: usize = 64;

/// How often who has nothing to say says so.
const ALIVE: Duration = Duration::from_secs(1);

/// What is heard of a member: something, or why nothing will be any more.
pub(crate) type Heard = (usize, Result<Frame, String>);

/// Who has said everything waits so long for the other end to have heard it.
const FAREWELL: Duration = Duration::from_secs(2);

/// So often it is looked whether that is so.
const LOOK: Duration = Duration::from_millis(2);

/// A connection. Dropped, it is over when all that was said was sent, and the other end is done too: who leaves before that
/// takes along what was not read yet.
pub(crate) struct Line {
    /// Nothing once it is over.
    to: Option<SyncSender<Vec<u8>>>,
    threads: [JoinHandle<()>; 2],
}

impl Line {
    /// A line to that member; what is heard of it goes to the inbox.
    pub(crate) fn start(
        pipe: Pipe,
        member: usize,
        inbox: Sender<Heard>,
        sent: Arc<AtomicU64>,
    ) -> io::Result<Self> {
        pipe.set_patience(SILENCE)?;
        let (to, from) = sync_channel::<Vec<u8>>(WAITING);
        let reading = Arc::new(pipe);
        let writing = Arc::clone(&reading);
        let named = |what: &str| thread::Builder::new().name(format!("{what} {member}"));
        let writes = named("to member").spawn(move || {
            loop {
                let message = match from.recv_timeout(ALIVE) {
                    Ok(message) => message,
                    Err(RecvTimeoutError::Timeout) => Frame::Alive.to_bytes(),
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                // Who reads notices what is wrong.
                let Ok(bytes) = writing.send(&message) else {
                    break;
                };
                sent.fetch_add(bytes as u64, Ordering::Relaxed);
            }
            writing.end();
        })?;
        let reads = named("from member").spawn(move || {
            loop {
                let heard = reading.next(MOST).and_then(|bytes| Frame::of_bytes(&bytes));
                let is_over = heard.is_err();
                let heard = match heard {
                    Ok(Frame::Alive) => continue,
                    heard => heard.map_err(|error| error.to_string()),
                };
                if inbox.send((member, heard)).is_err() || is_over {
                    break;
                }
            }
        })?;
        let (to, threads) = (Some(to), [writes, reads]);
        Ok(Self { to, threads })
    }

    /// Says something; if the line is broken, that is heard.
    pub(crate) fn say(&self, frame: &Frame) {
        let _ = self.to.as_ref().map(|to| to.send(frame.to_bytes()));
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.to = None;
        let until = Instant::now() + FAREWELL;
        while !self.threads.iter().all(JoinHandle::is_finished) && Instant::now() < until {
            thread::sleep(LOOK);
        }
    }
}
