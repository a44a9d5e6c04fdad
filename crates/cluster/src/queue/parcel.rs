//! Answers in pieces that fit a message, and back.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// A piece has no more bytes, and fewer if a message of the server's has.
const MOST_PIECE: usize = 512 << 10;
/// Beside the piece itself, so much of a message is taken.
const WRAPPING: usize = 1 << 10;
/// No answer has more pieces: half a gigabyte.
pub(super) const MOST_PIECES: u32 = 1024;
/// So many answers arrive at a time, before the oldest is given up: its sender has died.
const MOST_OPEN: usize = 256;

/// A piece of something.
#[derive(Debug)]
pub(super) struct Piece {
    of: Place,
    bytes: Vec<u8>,
}

/// Which piece it is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Place {
    /// Of what: a number that nothing else has.
    whole: u64,
    number: u32,
    count: u32,
}

impl Piece {
    /// It as a message.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut message = postcard::to_allocvec(&self.of).expect("memory does not run out of room");
        message.extend_from_slice(&self.bytes);
        message
    }

    /// What a message is; nothing if it is no piece.
    pub(super) fn of_bytes(message: &[u8]) -> Option<Self> {
        let (of, bytes) = postcard::take_from_bytes(message).ok()?;
        let bytes = bytes.to_vec();
        Some(Piece { of, bytes })
    }
}

/// How long a piece may be where a message has at most so many bytes.
pub(super) fn most_piece(payload: usize) -> usize {
    payload.saturating_sub(WRAPPING).clamp(1 << 10, MOST_PIECE)
}

/// Something in pieces; nothing if it is too large.
pub(super) fn pieces(whole: u64, bytes: &[u8], most: usize) -> Option<Vec<Piece>> {
    let mut parts: Vec<&[u8]> = bytes.chunks(most).collect();
    if parts.is_empty() {
        parts.push(&[]);
    }
    let count = u32::try_from(parts.len()).ok()?;
    if count > MOST_PIECES {
        return None;
    }
    let pieces = (0..).zip(parts).map(|(number, part)| Piece {
        of: Place {
            whole,
            number,
            count,
        },
        bytes: part.to_vec(),
    });
    Some(pieces.collect())
}

/// Pieces of several things that arrive in any order, and more than once.
#[derive(Default)]
pub(super) struct Unpacking {
    open: HashMap<u64, Vec<Option<Vec<u8>>>>,
    /// The oldest first.
    order: Vec<u64>,
}

impl Unpacking {
    /// A piece arrives; the whole, if this was the last one of it.
    pub(super) fn add(&mut self, piece: Piece) -> Option<Vec<u8>> {
        let Place {
            whole,
            number,
            count,
        } = piece.of;
        if number >= count || count > MOST_PIECES {
            return None;
        }
        if !self.open.contains_key(&whole) {
            if self.order.len() == MOST_OPEN {
                self.open.remove(&self.order.remove(0));
            }
            self.order.push(whole);
        }
        let pieces = self
            .open
            .entry(whole)
            .or_insert_with(|| vec![None; count as usize]);
        *pieces.get_mut(number as usize)? = Some(piece.bytes);
        if pieces.iter().any(Option::is_none) {
            return None;
        }
        self.order.retain(|known| *known != whole);
        let pieces = self.open.remove(&whole)?;
        let pieces: Vec<Vec<u8>> = pieces.into_iter().flatten().collect();
        Some(pieces.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_to_pieces_comes_together_in_any_order() {
        for length in [0, 1, 9, 10, 11, 100] {
            let bytes: Vec<u8> = (0..length).collect();
            let mut all = pieces(7, &bytes, 10).unwrap();
            assert_eq!(all.len(), usize::from(length.div_ceil(10)).max(1));
            all.reverse();
            let mut unpacking = Unpacking::default();
            let mut whole = None;
            for piece in all {
                assert_eq!(whole, None);
                whole = unpacking.add(piece);
            }
            assert_eq!(whole, Some(bytes));
            assert!(unpacking.open.is_empty() && unpacking.order.is_empty());
        }
    }

    #[test]
    fn pieces_that_make_no_sense_are_nothing_and_there_are_not_too_many() {
        let piece = |whole, number, count| Piece {
            of: Place {
                whole,
                number,
                count,
            },
            bytes: vec![1],
        };
        let mut unpacking = Unpacking::default();
        assert_eq!(unpacking.add(piece(1, 1, 1)), None);
        assert_eq!(unpacking.add(piece(1, 0, 0)), None);
        assert_eq!(unpacking.add(piece(1, 0, MOST_PIECES + 1)), None);
        assert!(unpacking.open.is_empty());
        // Another number of pieces than at first.
        assert_eq!(unpacking.add(piece(1, 0, 2)), None);
        assert_eq!(unpacking.add(piece(1, 2, 3)), None);
        assert_eq!(unpacking.add(piece(1, 1, 2)), Some(vec![1, 1]));
        // The first is given up for the one that is too many.
        for whole in 0..=MOST_OPEN as u64 {
            assert_eq!(unpacking.add(piece(whole, 0, 2)), None);
        }
        assert_eq!(unpacking.add(piece(1, 1, 2)), Some(vec![1, 1]));
        assert_eq!(unpacking.add(piece(0, 1, 2)), None);
        let much = vec![0; MOST_PIECES as usize + 1];
        assert!(pieces(1, &much, 1).is_none());
        assert!(pieces(1, &much[1..], 1).is_some());
    }
}
