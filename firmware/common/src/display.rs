//! A display with an ST7735 controller on the SPI bus.
//!
//! The `display_*` primitives are turned into the controller's commands here; the `spi_*` primitives go to the bus as
//! they are, and the program moves the control pins itself. Commands: Sitronix, ST7735S datasheet, §10.

use borges_board::{Action, Board, DisplayPatch, Rect, SpiWiring, glyph};

use crate::Chip;

const SLEEP_OUT: u8 = 0x11;
const DISPLAY_ON: u8 = 0x29;
const COLUMNS: u8 = 0x2a;
const ROWS: u8 = 0x2b;
const WRITE: u8 = 0x2c;
const ORDER: u8 = 0x36;
const PIXEL_FORMAT: u8 = 0x3a;
/// 16 bits a pixel.
const RGB565: u8 = 0x05;

/// The display's side of the chip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Display;

impl Display {
    pub(crate) fn perform<C: Chip>(&mut self, chip: &mut C, board: &Board, action: &Action<'_>) {
        match *action {
            Action::SpiByte(byte) => return chip.spi(&[byte]),
            Action::SpiWords { count, word } => {
                for _ in 0..count {
                    chip.spi(&word.to_be_bytes());
                }
                return;
            }
            _ => {}
        }
        let Some(wiring) = &board.display.spi else {
            return;
        };
        let mut bus = Bus { chip, wiring };
        match *action {
            Action::DisplaySetup => bus.set_up(board),
            Action::DisplayOrientation(orientation) => {
                // The four quarter turns: MX, MY and MV of MADCTL, and RGB order.
                let turns = [0x00, 0x60, 0xc0, 0xa0];
                let order = turns[(orientation & 3) as usize] | u8::from(wiring.bgr) << 3;
                bus.command(ORDER, &[order]);
            }
            Action::DisplayFill { rect, colour } => bus.fill(rect, colour),
            Action::DisplayText {
                x,
                y,
                text,
                scale,
                foreground,
                background,
            } => {
                let scale = i32::from(scale);
                let cells = (0i32..).map(|i| x.saturating_add(i.saturating_mul(8 * scale)));
                for (left, byte) in cells.zip(text) {
                    if left >= i32::from(board.display.width) {
                        break;
                    }
                    bus.glyph(board, (left, y), *byte, scale, (foreground, background));
                }
            }
            _ => {}
        }
    }

    pub(crate) fn restore<C: Chip>(&mut self, chip: &mut C, board: &Board, patch: &DisplayPatch) {
        let Some(wiring) = &board.display.spi else {
            return;
        };
        let mut bus = Bus { chip, wiring };
        let controller = patch.panel.and_then(|panel| panel.controller);
        if controller.is_some() {
            bus.command(PIXEL_FORMAT, &[RGB565]);
            bus.command(ORDER, &[u8::from(wiring.bgr) << 3]);
        }
        for fill in &patch.fills {
            bus.fill(fill.rect, fill.colour);
        }
        for (command, parameters) in controller.iter().flat_map(|c| c.commands()) {
            bus.command(command, &parameters);
        }
    }
}

/// The controller, reached through a chip.
struct Bus<'a, C> {
    chip: &'a mut C,
    wiring: &'a SpiWiring,
}

impl<C: Chip> Bus<'_, C> {
    fn command(&mut self, command: u8, parameters: &[u8]) {
        self.select(true);
        self.chip.write(self.wiring.dc, false);
        self.chip.spi(&[command]);
        self.chip.write(self.wiring.dc, true);
        self.chip.spi(parameters);
        self.select(false);
    }

    fn select(&mut self, selected: bool) {
        if let Some(cs) = self.wiring.cs {
            self.chip.write(cs, !selected);
        }
    }

    fn set_up(&mut self, board: &Board) {
        self.chip.pin_mode(self.wiring.dc, Some(2));
        for pin in [self.wiring.cs, self.wiring.reset].into_iter().flatten() {
            self.chip.pin_mode(pin, Some(2));
            self.chip.write(pin, true);
        }
        self.command(SLEEP_OUT, &[]);
        let woken = self.chip.now_us();
        // The controller takes 120 ms to wake.
        while self.chip.now_us().saturating_sub(woken) < 120_000 {
            self.chip.alive();
        }
        self.command(PIXEL_FORMAT, &[RGB565]);
        self.command(ORDER, &[u8::from(self.wiring.bgr) << 3]);
        let (w, h) = (board.display.width, board.display.height);
        self.fill(Rect { x: 0, y: 0, w, h }, 0);
        self.command(DISPLAY_ON, &[]);
    }

    fn fill(&mut self, rect: Rect, colour: u16) {
        if rect.w == 0 || rect.h == 0 {
            return;
        }
        let span = |first: u16, length: u16, offset: u16| {
            let (first, last) = (first + offset, first + offset + length - 1);
            let ([a, b], [c, d]) = (first.to_be_bytes(), last.to_be_bytes());
            [a, b, c, d]
        };
        self.command(COLUMNS, &span(rect.x, rect.w, self.wiring.column_offset));
        self.command(ROWS, &span(rect.y, rect.h, self.wiring.row_offset));
        self.command(WRITE, &[]);
        self.select(true);
        for _ in 0..u32::from(rect.w) * u32::from(rect.h) {
            self.chip.spi(&colour.to_be_bytes());
        }
        self.select(false);
    }

    fn glyph(
        &mut self,
        board: &Board,
        (left, top): (i32, i32),
        byte: u8,
        scale: i32,
        (foreground, background): (u16, u16),
    ) {
        for (row, dots) in (0..).zip(glyph(byte)) {
            for column in 0..8 {
                let on = dots & (0x80 >> column) != 0;
                let (x, y) = (left + column * scale, top + row * scale);
                let rect = board.display.clip(x, y, scale, scale);
                self.fill(rect, if on { foreground } else { background });
            }
        }
    }
}
