//! Recordings read ahead, on threads of their own: looking at every row takes as long as writing it.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::recording::{MergeInput, Piece};
use crate::StoreError;

/// Pieces that a thread reads ahead.
const AHEAD: usize = 8;
/// Reading is a third of the work: more threads would wait for the one that writes.
const MOST_READERS: usize = 4;

/// A word of a reader.
enum Word<E> {
    Piece(Piece),
    /// The recording is read, or why it is not to be merged.
    Read(Result<(), E>),
}

/// The pieces of one recording as they are read; the last is the reason, if it cannot be read or is not to be merged.
pub(super) struct Pieces<'r, E> {
    words: &'r Receiver<Word<E>>,
    ended: bool,
}

impl<E> Iterator for Pieces<'_, E> {
    type Item = Result<Piece, E>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        match self.words.recv() {
            Ok(Word::Piece(piece)) => Some(Ok(piece)),
            Ok(Word::Read(Err(why))) => {
                self.ended = true;
                Some(Err(why))
            }
            Ok(Word::Read(Ok(()))) | Err(_) => {
                self.ended = true;
                None
            }
        }
    }
}

/// Opens and reads recordings, and gives them to `each` in their order, with their numbers, as long as it says so.
pub(super) fn read_all<E, O, F>(paths: &[PathBuf], open: &O, mut each: F)
where
    F: FnMut(usize, &mut Pieces<'_, E>) -> bool,
    E: From<StoreError> + Send,
    O: Fn(&Path) -> Result<MergeInput, E> + Sync,
{
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let readers = cores.clamp(1, MOST_READERS).min(paths.len());
    thread::scope(|scope| {
        let mut lines = Vec::new();
        for first in 0..readers {
            let (send, words) = sync_channel(AHEAD);
            lines.push(words);
            scope.spawn(move || {
                for path in paths.iter().skip(first).step_by(readers) {
                    if !read(path, open, &send) {
                        return;
                    }
                }
            });
        }
        for number in 0..paths.len() {
            let Some(words) = lines.get(number % readers) else {
                return;
            };
            let ended = false;
            let mut pieces = Pieces { words, ended };
            let goes_on = each(number, &mut pieces);
            if !goes_on {
                // Readers that are told to nobody any more end.
                return;
            }
            // What was not asked for any more is not the next one's.
            pieces.by_ref().for_each(drop);
        }
    });
}

/// Reads a recording; whether anybody listens.
fn read<E, O>(path: &Path, open: &O, send: &SyncSender<Word<E>>) -> bool
where
    E: From<StoreError> + Send,
    O: Fn(&Path) -> Result<MergeInput, E> + Sync,
{
    let mut heard = true;
    let read = open(path).and_then(|recording| {
        let mut each = |piece| {
            heard = send.send(Word::Piece(piece)).is_ok();
            heard
        };
        Ok(recording.read(&mut each)?)
    });
    heard && send.send(Word::Read(read)).is_ok()
}
