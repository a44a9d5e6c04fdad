//! Frames: what stands between two zero bytes on the line.
//!
//! A frame is COBS-encoded, so that it contains no zero byte itself, with a zero before and after
//! it: whatever foreign bytes precede it end at the first zero. Decoded, it is
//!
//! | bytes | |
//! |---|---|
//! | 1 | kind; the highest bit is set by the device, so that an echo is recognised |
//! | … | body |
//! | 4 | CRC-32 of kind, body and *context*, least significant byte first |
//!
//! | kind | body |
//! |---|---|
//! | 1 greet | version, flags (1: heard, 2: open), token u32, heard u32, window u8, segment u16, message u32 |
//! | 2 challenge | nonce u32 |
//! | 3 answer | nonce u32, open u8, word u32 (the connection if open, otherwise the token) |
//! | 4 data | tag u16, sequence u16, consumed u16, a piece of the stream of messages |
//! | 5 ack | tag u16, consumed u16, received u32, flags (1: reply) |
//!
//! The context of data and ack is what both sides know and the line need not carry: the connection
//! and the upper 48 bits of the numbers. A frame of another connection or from long ago fails its
//! checksum.

use alloc::vec::Vec;

use crc::{CRC_32_ISO_HDLC, Crc};

/// Goes up when frames change.
const VERSION: u8 = 1;
const CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
const CRC_BYTES: usize = 4;
const FROM_DEVICE: u8 = 0x80;

const GREET: u8 = 1;
const CHALLENGE: u8 = 2;
const ANSWER: u8 = 3;
const DATA: u8 = 4;
const ACK: u8 = 5;

const HEARD: u8 = 1;
const OPEN: u8 = 2;
const REPLY: u8 = 1;

/// What a data frame takes besides its piece of the stream, before COBS.
const DATA_OVERHEAD: usize = 1 + 6 + CRC_BYTES;

/// The longest frame (without its zeros) for segments of `segment` bytes.
pub(super) fn longest(segment: usize) -> usize {
    // Handshake frames are shorter than 32 bytes.
    cobs::max_encoding_length((segment + DATA_OVERHEAD).max(32))
}

/// The beginning of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Greet {
    /// Names the sender's end of the connection.
    pub(super) token: u32,
    /// The other end's token, if the sender has heard it.
    pub(super) heard: Option<u32>,
    /// The sender needs no further greeting.
    pub(super) open: bool,
    /// How many segments the sender takes at a time.
    pub(super) window: u8,
    /// The longest segment it takes.
    pub(super) segment: u16,
    /// The longest message it takes.
    pub(super) message: u32,
}

/// A frame whose checksum is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame<'a> {
    Greet(Greet),
    /// Are you still in our connection?
    Challenge {
        nonce: u32,
    },
    Answer {
        nonce: u32,
        open: bool,
        word: u32,
    },
    Data {
        /// Number of the segment.
        sequence: u64,
        /// All segments below are consumed.
        consumed: u64,
        bytes: &'a [u8],
    },
    Ack {
        /// All segments below are consumed.
        consumed: u64,
        /// Bit i: segment `consumed + i` is received.
        received: u32,
        /// The sender wants an ack back.
        reply: bool,
    },
}

/// The frame's context: which connection, and where its numbers are about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    pub(super) connection: u32,
    /// A recent sequence number of the frame's sender.
    pub(super) sequence: u64,
    /// A recent sequence number of the frame's receiver.
    pub(super) consumed: u64,
}

/// Why some bytes are not a frame for us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Not a frame at all, or damaged.
    Damaged,
    /// Our own frame came back.
    Echo,
    /// It belongs to another connection (or its tag is damaged).
    Connection,
    /// The peer's frames are of another version.
    Version,
}

/// Appends the frame and its zeros to `out`. `scratch` saves allocating.
pub(super) fn encode(
    frame: &Frame<'_>,
    from_device: bool,
    connection: u32,
    scratch: &mut Vec<u8>,
    out: &mut Vec<u8>,
) {
    scratch.clear();
    let side = if from_device { FROM_DEVICE } else { 0 };
    let mut digest = CRC.digest();
    match *frame {
        Frame::Greet(greet) => {
            let heard = if greet.heard.is_some() { HEARD } else { 0 };
            let open = if greet.open { OPEN } else { 0 };
            scratch.extend_from_slice(&[GREET | side, VERSION, heard | open]);
            scratch.extend_from_slice(&greet.token.to_le_bytes());
            scratch.extend_from_slice(&greet.heard.unwrap_or(0).to_le_bytes());
            scratch.push(greet.window);
            scratch.extend_from_slice(&greet.segment.to_le_bytes());
            scratch.extend_from_slice(&greet.message.to_le_bytes());
        }
        Frame::Challenge { nonce } => {
            scratch.push(CHALLENGE | side);
            scratch.extend_from_slice(&nonce.to_le_bytes());
        }
        Frame::Answer { nonce, open, word } => {
            scratch.push(ANSWER | side);
            scratch.extend_from_slice(&nonce.to_le_bytes());
            scratch.push(u8::from(open));
            scratch.extend_from_slice(&word.to_le_bytes());
        }
        Frame::Data {
            sequence,
            consumed,
            bytes,
        } => {
            context_digest(&mut digest, connection, sequence, consumed);
            scratch.push(DATA | side);
            scratch.extend_from_slice(&tag(connection));
            scratch.extend_from_slice(&(sequence as u16).to_le_bytes());
            scratch.extend_from_slice(&(consumed as u16).to_le_bytes());
            scratch.extend_from_slice(bytes);
        }
        Frame::Ack {
            consumed,
            received,
            reply,
        } => {
            context_digest(&mut digest, connection, 0, consumed);
            scratch.push(ACK | side);
            scratch.extend_from_slice(&tag(connection));
            scratch.extend_from_slice(&(consumed as u16).to_le_bytes());
            scratch.extend_from_slice(&received.to_le_bytes());
            scratch.push(if reply { REPLY } else { 0 });
        }
    }
    digest.update(scratch);
    scratch.extend_from_slice(&digest.finalize().to_le_bytes());
    out.push(0);
    let start = out.len();
    out.resize(start + cobs::max_encoding_length(scratch.len()), 0);
    let length = cobs::encode(scratch, &mut out[start..]);
    out.truncate(start + length);
    out.push(0);
}

/// Decodes what stood between two zeros. `scratch` receives the decoded bytes.
///
/// Without a `context` no data is expected.
pub(super) fn decode<'a>(
    encoded: &[u8],
    we_are_device: bool,
    context: Option<Context>,
    scratch: &'a mut Vec<u8>,
) -> Result<Frame<'a>, Refusal> {
    scratch.clear();
    scratch.resize(encoded.len(), 0);
    let length = cobs::decode(encoded, scratch).map_err(|_| Refusal::Damaged)?;
    let decoded = scratch.get(..length).ok_or(Refusal::Damaged)?;
    let (content, crc) = decoded
        .split_last_chunk::<CRC_BYTES>()
        .ok_or(Refusal::Damaged)?;
    let (&kind, body) = content.split_first().ok_or(Refusal::Damaged)?;
    let crc = u32::from_le_bytes(*crc);
    let mut body = Body(body);
    let mut digest = CRC.digest();
    let frame = match kind & !FROM_DEVICE {
        GREET => Frame::Greet(body.greet()?),
        CHALLENGE => {
            let nonce = body.u32()?;
            body.end()?;
            Frame::Challenge { nonce }
        }
        ANSWER => {
            let frame = Frame::Answer {
                nonce: body.u32()?,
                open: body.u8()? != 0,
                word: body.u32()?,
            };
            body.end()?;
            frame
        }
        DATA => {
            let context = body.context(context)?;
            let sequence = nearest(context.sequence, body.u16()?);
            let consumed = nearest(context.consumed, body.u16()?);
            context_digest(&mut digest, context.connection, sequence, consumed);
            Frame::Data {
                sequence,
                consumed,
                bytes: body.0,
            }
        }
        ACK => {
            let context = body.context(context)?;
            let consumed = nearest(context.consumed, body.u16()?);
            context_digest(&mut digest, context.connection, 0, consumed);
            let frame = Frame::Ack {
                consumed,
                received: body.u32()?,
                reply: body.u8()? & REPLY != 0,
            };
            body.end()?;
            frame
        }
        _ => return Err(Refusal::Damaged),
    };
    digest.update(content);
    if digest.finalize() != crc {
        return Err(Refusal::Damaged);
    }
    if (kind & FROM_DEVICE != 0) == we_are_device {
        return Err(Refusal::Echo);
    }
    Ok(frame)
}

fn tag(connection: u32) -> [u8; 2] {
    (connection as u16).to_le_bytes()
}

fn context_digest(
    digest: &mut crc::Digest<'_, u32>,
    connection: u32,
    sequence: u64,
    consumed: u64,
) {
    digest.update(&connection.to_le_bytes());
    digest.update(&sequence.to_le_bytes());
    digest.update(&consumed.to_le_bytes());
}

/// The number with these lower 16 bits that is nearest to `about`.
fn nearest(about: u64, low: u16) -> u64 {
    let distance = low.wrapping_sub(about as u16) as i16;
    about.wrapping_add_signed(i64::from(distance))
}

/// Reads the body of a frame from the front.
struct Body<'a>(&'a [u8]);

impl Body<'_> {
    fn greet(mut self) -> Result<Greet, Refusal> {
        let version = self.u8()?;
        let flags = self.u8()?;
        let token = self.u32()?;
        let heard = self.u32()?;
        let greet = Greet {
            token,
            heard: (flags & HEARD != 0).then_some(heard),
            open: flags & OPEN != 0,
            window: self.u8()?,
            segment: self.u16()?,
            message: self.u32()?,
        };
        if version != VERSION {
            return Err(Refusal::Version);
        }
        self.end()?;
        Ok(greet)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        let (array, rest) = self.0.split_first_chunk().ok_or(Refusal::Damaged)?;
        self.0 = rest;
        Ok(*array)
    }

    fn u8(&mut self) -> Result<u8, Refusal> {
        self.array().map(u8::from_le_bytes)
    }

    fn u16(&mut self) -> Result<u16, Refusal> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, Refusal> {
        self.array().map(u32::from_le_bytes)
    }

    fn context(&mut self, context: Option<Context>) -> Result<Context, Refusal> {
        let found = self.array()?;
        context
            .filter(|context| tag(context.connection) == found)
            .ok_or(Refusal::Connection)
    }

    fn end(&self) -> Result<(), Refusal> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Refusal::Damaged)
        }
    }
}
