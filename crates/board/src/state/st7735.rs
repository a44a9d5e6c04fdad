//! The ST7735 display controller, as far as programs use it: what bytes on the SPI bus do to its memory.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::Framebuffer;
use crate::{DisplayBoard, Rect, SpiWiring};

const SWRESET: u8 = 0x01;
const SLPIN: u8 = 0x10;
const SLPOUT: u8 = 0x11;
const INVOFF: u8 = 0x20;
const INVON: u8 = 0x21;
const DISPOFF: u8 = 0x28;
const DISPON: u8 = 0x29;
const CASET: u8 = 0x2a;
const RASET: u8 = 0x2b;
const RAMWR: u8 = 0x2c;
const MADCTL: u8 = 0x36;
const COLMOD: u8 = 0x3a;

const MADCTL_MIRROR_ROWS: u8 = 0x80;
const MADCTL_MIRROR_COLUMNS: u8 = 0x40;
const MADCTL_SWAP: u8 = 0x20;
const MADCTL_BGR: u8 = 0x08;

/// The controller's registers. Its pixel memory is the display's [`Framebuffer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct St7735 {
    /// The command whose parameters are being received.
    command: u8,
    /// Parameters of the command so far (of pixel data: bytes of an unfinished pixel).
    bytes: [u8; 4],
    /// How many bytes of parameters there have been; more than four do not matter.
    count: u8,
    /// First and last column of the window that is written.
    columns: (u16, u16),
    /// First and last row of the window.
    rows: (u16, u16),
    /// Where the next pixel goes.
    cursor: (u16, u16),
    /// Order of rows, columns and colours.
    madctl: u8,
    /// Bits a pixel: 3 for twelve, 5 for sixteen, 6 for eighteen.
    colmod: u8,
    /// Whether colours are inverted.
    pub inverted: bool,
    /// Whether the display is switched on.
    pub on: bool,
    /// Whether the controller sleeps, as it does after a reset.
    pub asleep: bool,
}

impl St7735 {
    /// The controller after a reset. The pixel memory keeps what it has.
    pub fn after_reset(board: &DisplayBoard, wiring: &SpiWiring) -> Self {
        let (width, height) = memory_size(board, wiring);
        St7735 {
            command: 0,
            bytes: [0; 4],
            count: 0,
            columns: (0, width.saturating_sub(1)),
            rows: (0, height.saturating_sub(1)),
            cursor: (0, 0),
            madctl: 0,
            colmod: 6,
            inverted: false,
            on: false,
            asleep: true,
        }
    }

    /// Whether this could be the state of a controller on this board: false only for what was made up elsewhere.
    pub(super) fn is_sound(&self, board: &DisplayBoard, wiring: &SpiWiring) -> bool {
        let (width, height) = memory_size(board, wiring);
        let limit = width.max(height).max(1);
        let ordered = |(from, to): (u16, u16)| from <= to && to < limit;
        ordered(self.columns) && ordered(self.rows) && usize::from(self.count) <= self.bytes.len()
    }

    /// Whether red and blue change places on a panel wired like this.
    pub fn swaps_colours(&self, wiring: &SpiWiring) -> bool {
        (self.madctl & MADCTL_BGR != 0) != wiring.bgr
    }

    /// What brings a real controller into this state: commands with their parameters. Only a pixel that was being
    /// written is not brought back: writing starts at the window's first one.
    pub fn commands(&self) -> Vec<(u8, Vec<u8>)> {
        let span = |(from, to): (u16, u16)| [from.to_be_bytes(), to.to_be_bytes()].concat();
        let switch = |on, yes, no| (if on { yes } else { no }, Vec::new());
        let mut list = Vec::from([
            switch(self.asleep, SLPIN, SLPOUT),
            switch(self.inverted, INVON, INVOFF),
            switch(self.on, DISPON, DISPOFF),
            (MADCTL, Vec::from([self.madctl])),
            (COLMOD, Vec::from([self.colmod])),
            (CASET, span(self.columns)),
            (RASET, span(self.rows)),
        ]);
        if self.command == RAMWR {
            list.push((RAMWR, Vec::new()));
        }
        list
    }

    /// A command byte.
    pub fn command(&mut self, byte: u8, board: &DisplayBoard, wiring: &SpiWiring) {
        self.command = byte;
        self.count = 0;
        match byte {
            SWRESET => {
                *self = St7735 {
                    command: byte,
                    ..Self::after_reset(board, wiring)
                }
            }
            SLPIN => self.asleep = true,
            SLPOUT => self.asleep = false,
            INVOFF => self.inverted = false,
            INVON => self.inverted = true,
            DISPOFF => self.on = false,
            DISPON => self.on = true,
            RAMWR => self.cursor = (self.columns.0, self.rows.0),
            // Everything else (voltages, gamma, frame rate) takes parameters that change nothing we show.
            _ => {}
        }
    }

    /// A data byte.
    pub fn data(
        &mut self,
        byte: u8,
        frame: &mut Framebuffer,
        board: &DisplayBoard,
        wiring: &SpiWiring,
    ) {
        if self.command == RAMWR {
            return self.pixel_byte(byte, frame, board, wiring);
        }
        if let Some(place) = self.bytes.get_mut(usize::from(self.count)) {
            *place = byte;
            self.count += 1;
        } else {
            return;
        }
        let [a, b, c, d] = self.bytes;
        match (self.command, self.count) {
            (CASET | RASET, 4) => {
                let (from, to) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
                let (columns, rows) = self.address_space(board, wiring);
                let limit = if self.command == CASET { columns } else { rows };
                // As on the chip, an impossible window is ignored.
                if from <= to && to < limit {
                    if self.command == CASET {
                        self.columns = (from, to);
                    } else {
                        self.rows = (from, to);
                    }
                }
            }
            (MADCTL, 1) => self.madctl = a,
            (COLMOD, 1) if matches!(a & 7, 3 | 5 | 6) => self.colmod = a & 7,
            _ => {}
        }
    }

    /// A 16-bit word, `count` times, as two data bytes each.
    pub fn data_words(
        &mut self,
        word: u16,
        count: u32,
        frame: &mut Framebuffer,
        board: &DisplayBoard,
        wiring: &SpiWiring,
    ) {
        let [high, low] = word.to_be_bytes();
        let area = u32::from(self.columns.1 - self.columns.0 + 1)
            * u32::from(self.rows.1 - self.rows.0 + 1);
        if self.command == RAMWR && self.colmod == 5 && self.count == 0 {
            // Whole pixels: after one round through the window only the cursor still moves.
            return self.pixels(
                word,
                if count > area {
                    area + count % area
                } else {
                    count
                },
                frame,
                board,
                wiring,
            );
        }
        // Pixels and bytes line up again after twice the window in three words for two pixels (18 bits) or four times
        // the window in three words for four (12 bits): more rounds than that repeat what was.
        let round = area.saturating_mul(3);
        let rounds = if self.command != RAMWR {
            count.min(2)
        } else if count / 2 > round {
            round + count % round
        } else {
            count
        };
        for _ in 0..rounds {
            self.data(high, frame, board, wiring);
            self.data(low, frame, board, wiring);
        }
    }

    fn pixel_byte(
        &mut self,
        byte: u8,
        frame: &mut Framebuffer,
        board: &DisplayBoard,
        wiring: &SpiWiring,
    ) {
        if let Some(place) = self.bytes.get_mut(usize::from(self.count)) {
            *place = byte;
        }
        self.count += 1;
        let [a, b, c, _] = self.bytes.map(u16::from);
        match (self.colmod, self.count) {
            (3, 2) => {
                self.pixels(twelve_bits(a >> 4, a & 15, b >> 4), 1, frame, board, wiring);
            }
            (3, 3) => {
                self.count = 0;
                self.pixels(twelve_bits(b & 15, c >> 4, c & 15), 1, frame, board, wiring);
            }
            (5, 2) => {
                self.count = 0;
                self.pixels(a << 8 | b, 1, frame, board, wiring);
            }
            (6, 3) => {
                self.count = 0;
                self.pixels(
                    (a >> 3) << 11 | (b >> 2) << 5 | c >> 3,
                    1,
                    frame,
                    board,
                    wiring,
                );
            }
            // Only a changed format in the middle of a pixel could lead here: start over.
            (_, 4..) => self.count = 0,
            _ => {}
        }
    }

    /// Writes `count` pixels of one colour from the cursor on.
    fn pixels(
        &mut self,
        colour: u16,
        count: u32,
        frame: &mut Framebuffer,
        board: &DisplayBoard,
        wiring: &SpiWiring,
    ) {
        let (first, last) = self.columns;
        let (top, bottom) = self.rows;
        let mut left = count;
        while left > 0 {
            let (x, y) = self.cursor;
            // A window that was moved since may not contain the cursor.
            let (x, y) = (x.clamp(first, last), y.clamp(top, bottom));
            let width = u32::from(last - first + 1);
            let whole_rows = if x == first {
                (left / width).min(u32::from(bottom - y + 1))
            } else {
                0
            };
            let area = if whole_rows > 0 {
                Rect {
                    x,
                    y,
                    w: width as u16,
                    h: whole_rows as u16,
                }
            } else {
                Rect {
                    x,
                    y,
                    w: left.min(u32::from(last - x + 1)) as u16,
                    h: 1,
                }
            };
            if let Some(rect) = self.place(area, board, wiring) {
                frame.fill(rect, colour);
            }
            left -= u32::from(area.w) * u32::from(area.h);
            self.cursor = if x + area.w - 1 < last {
                (x + area.w, y)
            } else if y + area.h - 1 < bottom {
                (first, y + area.h)
            } else {
                (first, top)
            };
        }
    }

    /// Where a rectangle of addresses lies on the panel, if it can be seen.
    fn place(&self, addresses: Rect, board: &DisplayBoard, wiring: &SpiWiring) -> Option<Rect> {
        let (width, height) = memory_size(board, wiring);
        let Rect {
            mut x,
            mut y,
            mut w,
            mut h,
        } = addresses;
        if self.madctl & MADCTL_SWAP != 0 {
            (x, y, w, h) = (y, x, h, w);
        }
        // A rectangle may reach past the memory if rows and columns were swapped after the window was set.
        w = w.min(width.checked_sub(x)?);
        h = h.min(height.checked_sub(y)?);
        if self.madctl & MADCTL_MIRROR_COLUMNS != 0 {
            x = width - x - w;
        }
        if self.madctl & MADCTL_MIRROR_ROWS != 0 {
            y = height - y - h;
        }
        let seen = |start: u16, offset: u16| i32::from(start) - i32::from(offset);
        let rect = board.clip(
            seen(x, wiring.column_offset),
            seen(y, wiring.row_offset),
            i32::from(w),
            i32::from(h),
        );
        (rect.w > 0).then_some(rect)
    }

    /// How many columns and rows can be addressed.
    fn address_space(&self, board: &DisplayBoard, wiring: &SpiWiring) -> (u16, u16) {
        let (width, height) = memory_size(board, wiring);
        if self.madctl & MADCTL_SWAP == 0 {
            (width, height)
        } else {
            (height, width)
        }
    }
}

/// The controller's memory: the panel lies in its middle.
fn memory_size(board: &DisplayBoard, wiring: &SpiWiring) -> (u16, u16) {
    let size = |panel: u16, offset: u16| panel.saturating_add(offset.saturating_mul(2));
    (
        size(board.width, wiring.column_offset),
        size(board.height, wiring.row_offset),
    )
}

/// Four bits a colour, widened to 5-6-5.
fn twelve_bits(r: u16, g: u16, b: u16) -> u16 {
    (r << 1 | r >> 3) << 11 | (g << 2 | g >> 2) << 5 | (b << 1 | b >> 3)
}
