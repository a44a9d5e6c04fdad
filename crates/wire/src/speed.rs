//! The speed of a serial line: that at which the host makes sense.
//!
//! The host opens its port with the speed that its user wants. Here bytes arrive then, but no frames: the next speed is
//! tried, with every greeting that the host repeats, until frames arrive. Nobody has to agree on anything first, and it
//! works the same after a restart of either side.

use crate::Counters;

/// What is tried, in bits per second. The first is that after a start.
pub const BAUDS: [u32; 6] = [115_200, 921_600, 1_000_000, 2_000_000, 460_800, 230_400];
/// So long after its last byte, a burst of noise is over.
const QUIET_US: u64 = 20_000;
/// More noise than this, in bytes, is no frame that is still under way.
const LONGEST: u64 = 4096;
/// Noise of so long is no accident where frames were heard before.
const PATIENCE_US: u64 = 2_000_000;
/// Nor is noise of so long after a start; a port that is opened makes some.
const START_US: u64 = 100_000;

/// The speed of a line, by what one endpoint has heard on it since it was made.
#[derive(Debug)]
pub struct Speed {
    index: usize,
    /// So long is it kept in spite of noise.
    patience_us: u64,
    frames: u64,
    strays: u64,
    bytes: u64,
    noise: Option<Noise>,
}

/// Bytes since the last good frame.
#[derive(Clone, Copy, Debug)]
struct Noise {
    since_us: u64,
    until_us: u64,
    bytes: u64,
}

impl Default for Speed {
    /// That after a start, when both begin.
    fn default() -> Self {
        Self {
            index: 0,
            patience_us: START_US,
            frames: 0,
            strays: 0,
            bytes: 0,
            noise: None,
        }
    }
}

impl Speed {
    /// Takes note of what an endpoint has heard until `now_us`, in µs of its clock; the speed to go on with, in bits per
    /// second, if this one is wrong.
    pub fn listen(&mut self, now_us: u64, counters: Counters) -> Option<u32> {
        let heard = counters.bytes_received.saturating_sub(self.bytes);
        self.bytes = counters.bytes_received;
        if counters.frames_received != self.frames {
            self.frames = counters.frames_received;
            self.patience_us = PATIENCE_US;
            self.noise = None;
            return None;
        }
        // What looks like a frame of another connection proves nothing, but a host that has not noticed our restart sends no
        // others, until it has heard that it was one.
        if counters.stray_frames != self.strays {
            self.strays = counters.stray_frames;
            self.patience_us = PATIENCE_US;
        }
        if heard > 0 {
            let new = Noise {
                since_us: now_us,
                until_us: now_us,
                bytes: 0,
            };
            let noise = self.noise.get_or_insert(new);
            noise.until_us = now_us;
            noise.bytes += heard;
        }
        let noise = self.noise?;
        let is_over = now_us.saturating_sub(noise.until_us) > QUIET_US || noise.bytes > LONGEST;
        let has_lasted = noise.until_us - noise.since_us >= self.patience_us;
        if !is_over || !has_lasted {
            return None;
        }
        self.index = (self.index + 1) % BAUDS.len();
        self.patience_us = 0;
        self.noise = None;
        BAUDS.get(self.index).copied()
    }
}
