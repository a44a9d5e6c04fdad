//! The display, and what draws on its pixels.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::{Fill, Framebuffer, St7735};
use crate::{Action, DisplayBoard, Rect, font};

/// Width of a character cell in dots.
const CELL_WIDTH: i64 = 8;
/// Height of a character cell in dots.
const CELL_HEIGHT: i64 = 16;

/// A display and, if it hangs on the SPI bus, its controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Display {
    board: DisplayBoard,
    frame: Framebuffer,
    panel: Panel,
}

/// The display without its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Panel {
    /// Whether `display_setup` was called.
    pub ready: bool,
    /// How it is turned, as the program said.
    pub orientation: i32,
    /// The controller on the SPI bus.
    pub controller: Option<St7735>,
}

/// What undoes a change of the display: the old pixels where they differ, as rectangles of one colour.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisplayPatch {
    /// The rest of the display, if it changed.
    pub panel: Option<Panel>,
    /// Rectangles to fill; they do not overlap.
    pub fills: Vec<Fill>,
}

impl Display {
    /// A dark display.
    pub fn new(board: DisplayBoard) -> Self {
        let controller = board.spi.map(|wiring| St7735::after_reset(&board, &wiring));
        let panel = Panel {
            ready: false,
            orientation: 0,
            controller,
        };
        Display {
            board,
            frame: Framebuffer::new(board.width, board.height),
            panel,
        }
    }

    /// Its pixels, as they were written.
    pub fn frame(&self) -> &Framebuffer {
        &self.frame
    }

    /// The rest of it.
    pub fn panel(&self) -> &Panel {
        &self.panel
    }

    /// The colour that can be seen at a place: 0 if the display is off, and with what the controller does to colours.
    pub fn visible(&self, x: u16, y: u16) -> u16 {
        let colour = self.frame.pixel(x, y);
        match (&self.panel.controller, &self.board.spi) {
            _ if self.panel.ready => colour,
            (Some(controller), Some(wiring)) if controller.on && !controller.asleep => {
                let colour = if controller.inverted { !colour } else { colour };
                if controller.swaps_colours(wiring) {
                    colour << 11 | colour & 0x07e0 | colour >> 11
                } else {
                    colour
                }
            }
            _ => 0,
        }
    }

    /// Whether anything can be seen on it at all.
    pub fn is_lit(&self) -> bool {
        self.panel.ready || self.panel.controller.is_some_and(|c| c.on && !c.asleep)
    }

    /// Whether writing this level to this pin resets the controller.
    pub fn resets_on(&self, pin: u8, level: bool) -> bool {
        !level
            && self
                .board
                .spi
                .is_some_and(|wiring| wiring.reset == Some(pin))
    }

    /// Resets the controller.
    pub fn reset(&mut self) {
        self.panel.controller = self
            .board
            .spi
            .map(|wiring| St7735::after_reset(&self.board, &wiring));
    }

    /// Performs an action; others than those on displays do nothing. `level` tells the levels of pins.
    pub fn perform(&mut self, action: &Action<'_>, level: impl Fn(u8) -> bool) {
        match *action {
            Action::DisplaySetup => {
                self.panel.ready = true;
                self.frame.fill(
                    Rect {
                        x: 0,
                        y: 0,
                        w: self.board.width,
                        h: self.board.height,
                    },
                    0,
                );
            }
            Action::DisplayOrientation(orientation) => self.panel.orientation = orientation,
            Action::DisplayFill { rect, colour } => self.frame.fill(rect, colour),
            Action::DisplayText {
                x,
                y,
                text,
                scale,
                foreground,
                background,
            } => {
                self.text((x, y), text, scale, (foreground, background));
            }
            Action::SpiByte(byte) => self.spi(u16::from(byte), None, level),
            Action::SpiWords { count, word } => self.spi(word, Some(count), level),
            _ => {}
        }
    }

    /// What leads from `after` back to this display, if they differ.
    pub(crate) fn patch_from(&self, after: &Display) -> Option<DisplayPatch> {
        let fills = self.frame.differences(&after.frame);
        let panel = (self.panel != after.panel).then_some(self.panel);
        (panel.is_some() || !fills.is_empty()).then_some(DisplayPatch { panel, fills })
    }

    /// Undoes a change.
    pub fn restore(&mut self, patch: &DisplayPatch) {
        for fill in &patch.fills {
            self.frame.fill(fill.rect, fill.colour);
        }
        let Some(panel) = patch.panel else { return };
        // A patch may come over a wire: a controller in an impossible state is not taken over.
        let sound = match (&panel.controller, &self.board.spi) {
            (Some(controller), Some(wiring)) => controller.is_sound(&self.board, wiring),
            (None, None) => true,
            _ => false,
        };
        if sound {
            self.panel = panel;
        }
    }

    /// One byte, or `count` words, on the SPI bus.
    fn spi(&mut self, data: u16, count: Option<u32>, level: impl Fn(u8) -> bool) {
        let (Some(controller), Some(wiring)) = (&mut self.panel.controller, &self.board.spi) else {
            return;
        };
        if wiring.cs.is_some_and(&level) {
            return;
        }
        match (level(wiring.dc), count) {
            (true, None) => controller.data(data as u8, &mut self.frame, &self.board, wiring),
            (true, Some(count)) => {
                controller.data_words(data, count, &mut self.frame, &self.board, wiring)
            }
            (false, None) => controller.command(data as u8, &self.board, wiring),
            (false, Some(count)) => {
                // Commands do the same however often they are repeated.
                for _ in 0..count.min(2) {
                    controller.command((data >> 8) as u8, &self.board, wiring);
                    controller.command(data as u8, &self.board, wiring);
                }
            }
        }
    }

    fn text(
        &mut self,
        (x, y): (i32, i32),
        text: &[u8],
        scale: u16,
        (foreground, background): (u16, u16),
    ) {
        let cell = CELL_WIDTH * i64::from(scale);
        // Cells left of the display are skipped at once, however long the text is.
        let first = (-i64::from(x)).div_euclid(cell).max(0);
        for (i, byte) in (first..).zip(text.iter().skip(first as usize)) {
            let left = i64::from(x) + i * cell;
            if left >= i64::from(self.board.width) {
                break;
            }
            self.glyph(
                (left, i64::from(y)),
                *byte,
                i64::from(scale),
                (foreground, background),
            );
        }
    }

    fn glyph(
        &mut self,
        (x, y): (i64, i64),
        byte: u8,
        scale: i64,
        (foreground, background): (u16, u16),
    ) {
        self.block(x, y, CELL_WIDTH * scale, CELL_HEIGHT * scale, background);
        for (row, bits) in (0..).zip(font::glyph(byte)) {
            let mut column = 0;
            while column < CELL_WIDTH {
                // Neighbouring dots are one rectangle; `bits` has those from `column` on in its highest bits.
                let rest = bits << column;
                let dark = i64::from(rest.leading_zeros()).min(CELL_WIDTH - column);
                let lit = i64::from((rest << dark.min(7)).leading_ones());
                if lit > 0 && dark < CELL_WIDTH - column {
                    self.block(
                        x + (column + dark) * scale,
                        y + row * scale,
                        lit * scale,
                        scale,
                        foreground,
                    );
                }
                column += dark + lit;
            }
        }
    }

    fn block(&mut self, x: i64, y: i64, w: i64, h: i64, colour: u16) {
        let int = |v: i64| v.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
        let rect = self.board.clip(int(x), int(y), int(w), int(h));
        self.frame.fill(rect, colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_outside_changes_nothing() {
        let mut display = Display::new(DisplayBoard::default());
        let dark = display.clone();
        let text = [b'x'; 300];
        for (x, y) in [
            (-3000, 0),
            (200, 5),
            (5, 200),
            (5, -40),
            (i32::MAX, i32::MAX),
            (i32::MIN, i32::MIN),
        ] {
            display.text((x, y), &text, 1, (1, 2));
        }
        assert_eq!(display, dark);
        // 300 cells from -1000 on cover the upper edge.
        display.text((-1000, 0), &text, 1, (1, 2));
        assert_eq!(
            (display.frame.pixel(0, 0), display.frame.pixel(127, 15)),
            (2, 2)
        );
    }

    #[test]
    fn text_can_be_read() {
        let mut display = Display::new(DisplayBoard::default());
        display.text((0, 0), b"Hi", 1, (1, 0));
        let lines: Vec<alloc::string::String> = (0..16)
            .map(|y| {
                (0..16)
                    .map(|x| {
                        if display.frame.pixel(x, y) == 1 {
                            '#'
                        } else {
                            '.'
                        }
                    })
                    .collect()
            })
            .filter(|line: &alloc::string::String| line.contains('#'))
            .collect();
        let expected = [
            "#....#....#.....",
            "#....#..........",
            "#....#...##.....",
            "######....#.....",
        ];
        for line in expected {
            assert!(
                lines.iter().any(|l| l.contains(line.trim_end_matches('.'))),
                "{line} in {lines:#?}"
            );
        }
    }
}
