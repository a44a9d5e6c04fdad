//! What an endpoint may use, and what it counts.

/// Which end of the line this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The debugger.
    Host,
    /// What runs the program.
    Device,
}

/// The measures of an [`Endpoint`](crate::Endpoint).
///
/// Memory is bounded by them: at most `send_bytes` wait for the peer, at most
/// `window × segment_bytes + message_bytes` of the peer's wait for the program, and frames take a few
/// `segment_bytes` more. The two ends need not agree: they tell each other what they take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Which end of the line this is.
    pub side: Side,
    /// How many segments we receive before the first of them is consumed: 1 to 32.
    pub window: u8,
    /// The longest segment we receive and send: 16 to 16384 bytes.
    pub segment_bytes: u16,
    /// The longest message we receive.
    pub message_bytes: u32,
    /// How many bytes of messages may wait until the peer has consumed them.
    pub send_bytes: u32,
    /// How long a message waits for others to share a frame with, in µs.
    pub batch_us: u32,
    /// How long an acknowledgement waits for data to ride on, in µs.
    pub ack_delay_us: u32,
    /// The shortest time without an acknowledgement after which a segment is sent again, in µs.
    pub min_timeout_us: u32,
    /// The longest such time, in µs; also the interval of greetings.
    pub max_timeout_us: u32,
    /// The longest silence on our side, in µs.
    pub keep_alive_us: u32,
    /// The silence of the peer after which it is reported as quiet, in µs.
    pub quiet_us: u32,
    /// How many foreign bytes may wait for the program; more are dropped and counted.
    pub foreign_bytes: u32,
}

impl Config {
    /// For a debugger.
    pub fn host() -> Self {
        Self {
            side: Side::Host,
            window: 32,
            segment_bytes: 4096,
            message_bytes: 1 << 20,
            send_bytes: 1 << 20,
            batch_us: 0,
            ack_delay_us: 2_000,
            min_timeout_us: 20_000,
            max_timeout_us: 1_000_000,
            keep_alive_us: 500_000,
            quiet_us: 2_000_000,
            foreign_bytes: 1 << 16,
        }
    }

    /// For a microcontroller: about 6 KiB at most.
    pub fn device() -> Self {
        Self {
            side: Side::Device,
            window: 8,
            segment_bytes: 240,
            message_bytes: 1024,
            send_bytes: 2048,
            batch_us: 5_000,
            foreign_bytes: 256,
            ..Self::host()
        }
    }

    /// The same, with impossible measures replaced by the nearest possible ones.
    pub(super) fn sane(mut self) -> Self {
        self.window = self.window.clamp(1, 32);
        self.segment_bytes = self.segment_bytes.clamp(16, 1 << 14);
        self.message_bytes = self.message_bytes.clamp(1, 1 << 28);
        self.send_bytes = self.send_bytes.clamp(16, 1 << 28);
        self.min_timeout_us = self.min_timeout_us.max(1);
        self.max_timeout_us = self.max_timeout_us.max(self.min_timeout_us);
        self.keep_alive_us = self.keep_alive_us.max(1);
        self
    }
}

/// What has happened on the line since the endpoint was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Frames sent, of all kinds.
    pub frames_sent: u64,
    /// Bytes sent, framing included.
    pub bytes_sent: u64,
    /// Good frames received, of all kinds.
    pub frames_received: u64,
    /// Bytes received, of all kinds.
    pub bytes_received: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Segments received again.
    pub duplicates: u64,
    /// Damaged frames.
    pub bad_frames: u64,
    /// Frames of another connection.
    pub stray_frames: u64,
    /// Frames of our own that came back.
    pub echoes: u64,
    /// Greetings of another version of the protocol.
    pub other_versions: u64,
    /// Foreign bytes that found no room.
    pub foreign_dropped: u64,
    /// Connections that opened.
    pub connections: u64,
}
