//! The pixel strip: a buffer that the program fills, and what is shown of it.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::Action;

/// A strip of pixels, `0xRRGGBB` each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Whether the strip was made ready.
    pub ready: bool,
    /// What the program has set.
    pub buffer: Vec<u32>,
    /// What can be seen.
    pub shown: Vec<u32>,
}

/// What undoes a change of the strip: only the pixels that differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PixelsPatch {
    /// Whether the strip was ready.
    pub ready: bool,
    /// Pixels of the buffer: index and colour.
    pub buffer: Vec<(u16, u32)>,
    /// Shown pixels: index and colour.
    pub shown: Vec<(u16, u32)>,
}

impl Pixels {
    /// A dark strip.
    pub fn new(count: u16) -> Self {
        let dark = alloc::vec![0; usize::from(count)];
        Pixels {
            ready: false,
            buffer: dark.clone(),
            shown: dark,
        }
    }

    /// Performs an action; others than those on pixels do nothing.
    pub fn perform(&mut self, action: &Action<'_>) {
        match *action {
            Action::PixelsInit => self.ready = true,
            Action::PixelSet { index, rgb } => {
                if let Some(pixel) = self.buffer.get_mut(usize::from(index)) {
                    *pixel = rgb;
                }
            }
            Action::PixelsShow => self.shown.clone_from(&self.buffer),
            Action::PixelsClear => self.buffer.fill(0),
            _ => {}
        }
    }

    /// What leads from `after` back to this strip, if they differ.
    pub(crate) fn patch_from(&self, after: &Pixels) -> Option<PixelsPatch> {
        let changed = |was: &[u32], is: &[u32]| {
            let pairs = was.iter().zip(is).enumerate();
            pairs
                .filter(|(_, (was, is))| was != is)
                .map(|(i, (was, _))| (i as u16, *was))
                .collect::<Vec<_>>()
        };
        let (buffer, shown) = (
            changed(&self.buffer, &after.buffer),
            changed(&self.shown, &after.shown),
        );
        let differs = self.ready != after.ready || !buffer.is_empty() || !shown.is_empty();
        differs.then_some(PixelsPatch {
            ready: self.ready,
            buffer,
            shown,
        })
    }

    /// Undoes a change.
    pub fn restore(&mut self, patch: &PixelsPatch) {
        self.ready = patch.ready;
        for (pixels, old) in [
            (&mut self.buffer, &patch.buffer),
            (&mut self.shown, &patch.shown),
        ] {
            for (index, colour) in old {
                if let Some(pixel) = pixels.get_mut(usize::from(*index)) {
                    *pixel = *colour;
                }
            }
        }
    }
}
