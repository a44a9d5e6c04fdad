//! Board files: TOML, read with errors that say where something is wrong and what to write instead.

mod error;
mod item;
mod limits;
mod network;
mod primitives;
mod rules;
mod sets;
mod sources;
mod text;

use alloc::{borrow::ToOwned, format, vec::Vec};

use toml::de::DeTable;

pub use error::{BoardFileError, FileFault};
pub use network::{Carries, LineEnd, NetworkBoard, NetworkFile, NetworkLine, Queueing, Spot};

use crate::{Board, Calls, DisplayBoard, Range, Sampling, SpiWiring};
use error::FileText;
use item::{Item, Result, Section};

/// A board file larger than this is a mistake.
const MOST_BYTES: usize = 1 << 20;

impl Board {
    /// Reads a board file. `file` is its name, for messages.
    ///
    /// # Errors
    /// [`BoardFileError`]: the first thing that is wrong, with its line and key, and what to write instead.
    pub fn parse(file: &str, text: &str) -> core::result::Result<Board, BoardFileError> {
        document(FileText { file, text }, board)
    }
}

/// Reads a file as a TOML document.
fn document<T>(place: FileText<'_>, read: impl FnOnce(Section<'_>) -> Result<T>) -> Result<T> {
    if place.text.len() > MOST_BYTES {
        return Err(place.error(
            0,
            "",
            "the file is larger than 1 MiB",
            "a board file should have a few kilobytes",
        ));
    }
    let document = DeTable::parse(place.text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        place.error(
            at,
            "",
            error.message().replace('\n', " "),
            "write it as TOML: `key = value`, `[table]`, `[[list]]`",
        )
    })?;
    read(Section::document(place, document.get_ref()))
}

fn board(mut top: Section<'_>) -> Result<Board> {
    let mut board = Board::with_primitives(declared(&mut top)?);
    connections(&mut top, &mut board)?;
    if let Some(item) = top.get("display") {
        let display = display(item.section("[display]")?, &board)?;
        board.set_display(display);
    }
    if let Some(item) = top.get("limits") {
        (board.limits, board.invariants) = limits::limits(item.section("[limits]")?, &board)?;
    }
    let simulation = top
        .get("simulation")
        .map(|item| item.section("[simulation]"))
        .transpose()?;
    board.simulation = sources::simulation(simulation, &board)?;
    if let Some(item) = top.get("ranges") {
        board.ranges = ranges(&item.section("[ranges]")?, &board)?;
    }
    if let Some(item) = top.get("sampling") {
        board.samplings = samplings(&item.section("[sampling]")?, &board)?;
    }
    if let Some(item) = top.get("rules") {
        for rule in item.list("[\"when the level of pin 45 is 1, color_sensor(0) is 5\"]")? {
            let source = rule.text("when the level of pin 45 is 1, color_sensor(0) is 5")?;
            let rule =
                rules::rule(source, &board).map_err(|error| rule.text_error(source, error))?;
            board.rules.push(rule);
        }
    }
    if let Some(item) = top.get("sources") {
        board.simulation.sources = sources::sources(&item.section("[sources]")?, &board)?;
    }
    if let Some(item) = top.get("model") {
        for model in item.list("[[model]]")? {
            let model = sources::model(&model, &board)?;
            board.simulation.models.push(model);
        }
    }
    top.finish()?;
    Ok(board)
}

fn declared(top: &mut Section<'_>) -> Result<Vec<crate::Primitive>> {
    let Some(item) = top.get("primitive") else {
        return Ok(Vec::new());
    };
    item.list("[[primitive]]")?
        .iter()
        .map(primitives::primitive)
        .collect()
}

/// What there is how many of.
fn connections(top: &mut Section<'_>, board: &mut Board) -> Result<()> {
    if let Some(item) = top.get("name") {
        board.name = item.text("Colour dial")?.to_owned();
    }
    if let Some(pins) = top.int("pins", 0..=256)? {
        board.pins = pins;
    }
    if let Some(motors) = top.int("motors", 0..=64)? {
        board.motors = motors;
    }
    if let Some(degrees) = top.int("degrees_per_second", 1..=1_000_000)? {
        board.degrees_per_second = degrees;
    }
    if let Some(ports) = top.int("ports", 0..=64)? {
        board.ports = ports;
    }
    if let Some(pixels) = top.int("pixels", 0..=256)? {
        board.pixels = pixels;
    }
    if let Some(bytes) = top.int("console_bytes", 4096..=1 << 30)? {
        board.console_bytes = bytes;
    }
    if let Some(item) = top.get("high_pins") {
        board.high_pins = pins(&item, board)?;
    }
    if let Some(item) = top.get("labels") {
        for (pin, label) in item.section("[labels]")?.entries()? {
            let number = pin.parse().ok().filter(|p| u16::from(*p) < board.pins);
            let number = number.ok_or_else(|| {
                label.error(
                    format!("`{}` is no pin of this board", text::printable(pin)),
                    "write the number of a pin: 45 = \"red LED\"",
                )
            })?;
            board
                .labels
                .set(number, Some(label.text("red LED")?.to_owned()));
        }
    }
    Ok(())
}

/// A list of pins.
fn pins(item: &Item<'_>, board: &Board) -> Result<Vec<u8>> {
    item.array("[12, 13]")?
        .iter()
        .map(|pin| pin.int(0..=i64::from(board.pins.min(256)) - 1))
        .collect()
}

fn display(mut section: Section<'_>, board: &Board) -> Result<DisplayBoard> {
    let default = DisplayBoard::default();
    let width = section.int("width", 1..=1024)?.unwrap_or(default.width);
    let height = section.int("height", 1..=1024)?.unwrap_or(default.height);
    let on_bus = section.get("spi").map_or(Ok(true), |item| item.bool())?;
    let wired = default.spi.unwrap_or(SpiWiring {
        dc: 0,
        cs: None,
        reset: None,
        column_offset: 0,
        row_offset: 0,
        bgr: true,
    });
    let mut pin = |key| section.int::<u8>(key, 0..=i64::from(board.pins.min(256)) - 1);
    let dc = pin("dc")?;
    let (cs, reset) = (pin("cs")?, pin("reset")?);
    let bgr = match section.get("order") {
        None => wired.bgr,
        Some(item) => match item.as_text() {
            Some("bgr") => true,
            Some("rgb") => false,
            _ => return Err(item.error("no such order of colours", "write \"rgb\" or \"bgr\"")),
        },
    };
    let (column_offset, row_offset) = match section.get("offset") {
        None => (wired.column_offset, wired.row_offset),
        Some(item) => match item.array("[2, 1]")?.as_slice() {
            [columns, rows] => (columns.int(0..=256)?, rows.int(0..=256)?),
            _ => {
                return Err(item.error(
                    "an offset has two numbers",
                    "write columns and rows: [2, 1]",
                ));
            }
        },
    };
    section.finish()?;
    // With its own DC pin, only the pins that are named are connected.
    let (dc, cs, reset) = match dc {
        Some(dc) => (dc, cs, reset),
        None => (wired.dc, cs.or(wired.cs), reset.or(wired.reset)),
    };
    let spi = on_bus.then_some(SpiWiring {
        dc,
        cs,
        reset,
        column_offset,
        row_offset,
        bgr,
    });
    Ok(DisplayBoard { width, height, spi })
}

/// `[ranges]`: what some calls may answer.
fn ranges(section: &Section<'_>, board: &Board) -> Result<Vec<Range>> {
    let mut list = Vec::new();
    for (key, item) in section.entries()? {
        for calls in sources::calls_of_key(key, &item, board)? {
            let codomain = sets::codomain(&item, sets::answer_type(board, &calls))?;
            if codomain.is_empty() {
                return Err(item.error("no value is left", "allow at least one value"));
            }
            list.push(Range { calls, codomain });
        }
    }
    Ok(list)
}

/// `[sampling]`: which values stand for all that some calls may answer.
fn samplings(section: &Section<'_>, board: &Board) -> Result<Vec<(Calls, Sampling)>> {
    let mut list = Vec::new();
    for (key, item) in section.entries()? {
        for calls in sources::calls_of_key(key, &item, board)? {
            let ty = sets::answer_type(board, &calls);
            let sampling = sources::sampling(&item, ty, board.simulation.seed)?;
            list.push((calls, sampling));
        }
    }
    Ok(list)
}
