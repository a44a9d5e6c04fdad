//! Pixels, shared between frames row by row.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Rect, Shared};

/// Pixels (RGB 5-6-5). Cloning shares all rows; drawing copies only the rows that it touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Framebuffer {
    width: u16,
    rows: Shared<Vec<Shared<Vec<u16>>>>,
}

/// A rectangle of one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fill {
    /// Where.
    pub rect: Rect,
    /// The colour, RGB 5-6-5.
    pub colour: u16,
}

impl Framebuffer {
    /// A black one.
    pub fn new(width: u16, height: u16) -> Self {
        let black = Shared::new(alloc::vec![0; usize::from(width)]);
        Framebuffer {
            width,
            rows: Shared::new(alloc::vec![black; usize::from(height)]),
        }
    }

    /// Width in pixels.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u16 {
        self.rows.len() as u16
    }

    /// The pixels of a row, from the left.
    pub fn row(&self, y: u16) -> &[u16] {
        self.rows
            .get(usize::from(y))
            .map_or(&[], |row| row.as_slice())
    }

    /// How many bytes of rows no other frame shares.
    pub(super) fn heap_bytes(&self) -> usize {
        if Shared::strong_count(&self.rows) > 1 {
            return 0;
        }
        let own = self
            .rows
            .iter()
            .filter(|row| Shared::strong_count(row) == 1)
            .count();
        own * usize::from(self.width) * 2 + self.rows.len() * size_of::<Shared<Vec<u16>>>()
    }

    /// The colour at a place; 0 outside.
    pub fn pixel(&self, x: u16, y: u16) -> u16 {
        self.row(y).get(usize::from(x)).copied().unwrap_or(0)
    }

    /// Fills a rectangle; what lies outside is left out.
    pub fn fill(&mut self, rect: Rect, colour: u16) {
        let (from, top) = (
            usize::from(rect.x).min(usize::from(self.width)),
            usize::from(rect.y).min(self.rows.len()),
        );
        let to = (from + usize::from(rect.w)).min(usize::from(self.width));
        let bottom = (top + usize::from(rect.h)).min(self.rows.len());
        if from == to || top == bottom {
            return;
        }
        let rows = &mut Shared::make_mut(&mut self.rows)[top..bottom];
        if to - from == usize::from(self.width) && rows.len() > 1 {
            // Whole rows: all of them share one.
            rows.fill(Shared::new(alloc::vec![colour; usize::from(self.width)]));
            return;
        }
        for row in rows {
            Shared::make_mut(row)[from..to].fill(colour);
        }
    }

    /// The rectangles to fill to get from `after` back to these pixels.
    pub(super) fn differences(&self, after: &Framebuffer) -> Vec<Fill> {
        let mut done: Vec<Fill> = Vec::new();
        // Rectangles that end at the row above, and may grow by this one.
        let mut growing: Vec<Fill> = Vec::new();
        if Shared::ptr_eq(&self.rows, &after.rows) {
            return done;
        }
        for (y, (was, is)) in self.rows.iter().zip(after.rows.iter()).enumerate() {
            let mut row = if Shared::ptr_eq(was, is) {
                Vec::new()
            } else {
                runs(y as u16, was, is)
            };
            for fill in &mut row {
                let above = |g: &Fill| {
                    g.rect.x == fill.rect.x && g.rect.w == fill.rect.w && g.colour == fill.colour
                };
                if let Ok(i) = growing.binary_search_by_key(&fill.rect.x, |g| g.rect.x)
                    && above(&growing[i])
                {
                    let taller = growing.remove(i);
                    fill.rect.y = taller.rect.y;
                    fill.rect.h = taller.rect.h + 1;
                }
            }
            done.append(&mut growing);
            growing = row;
        }
        done.append(&mut growing);
        done
    }
}

/// The runs of equal old colour among the pixels of a row that differ.
fn runs(y: u16, was: &[u16], is: &[u16]) -> Vec<Fill> {
    let mut runs: Vec<Fill> = Vec::new();
    for (x, (old, new)) in was.iter().zip(is).enumerate() {
        if old == new {
            continue;
        }
        let x = x as u16;
        match runs.last_mut() {
            Some(run) if run.colour == *old && run.rect.x + run.rect.w == x => run.rect.w += 1,
            _ => runs.push(Fill {
                rect: Rect { x, y, w: 1, h: 1 },
                colour: *old,
            }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_a_few_rectangles() {
        let mut frame = Framebuffer::new(128, 160);
        frame.fill(
            Rect {
                x: 10,
                y: 10,
                w: 50,
                h: 50,
            },
            0xf800,
        );
        let before = frame.clone();
        frame.fill(
            Rect {
                x: 20,
                y: 20,
                w: 60,
                h: 20,
            },
            0x001f,
        );
        let fills = before.differences(&frame);
        assert_eq!(
            fills,
            [
                Fill {
                    rect: Rect {
                        x: 20,
                        y: 20,
                        w: 40,
                        h: 20
                    },
                    colour: 0xf800
                },
                Fill {
                    rect: Rect {
                        x: 60,
                        y: 20,
                        w: 20,
                        h: 20
                    },
                    colour: 0
                },
            ]
        );
        for fill in fills {
            frame.fill(fill.rect, fill.colour);
        }
        assert_eq!(frame, before);
    }
}
