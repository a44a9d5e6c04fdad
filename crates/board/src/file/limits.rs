//! `[limits]`: how much a program may have, and what must be so whatever it does with its outputs.
//!
//! ```text
//! memory_pages = 16
//! "motor 0" = "0..300"
//! "the speed of motor 1" = "at most 5000"
//! "red LED" = { never_with = "pin 5" }
//! ```

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use borges_vm::ValType;

use super::{
    item::{Item, Result, Section},
    rules::{articles, quantity},
    sets::codomain,
    text::{Parsed, Text, TextError, printable},
};
use crate::{Board, Codomain, Limit, LimitBound, ProgramLimits, Quantity};

/// More limits than this are a mistake.
const MOST: usize = 32;
/// So many names are listed where one is none.
const MOST_LISTED: usize = 8;

/// Those of the program, and those of the board.
pub(super) fn limits(
    mut section: Section<'_>,
    board: &Board,
) -> Result<(ProgramLimits, Vec<Limit>)> {
    let any = 0..=i64::from(u32::MAX);
    let program = ProgramLimits {
        memory_pages: section.int("memory_pages", 0..=65_536)?,
        stack_slots: section.int("stack_slots", any.clone())?,
        call_depth: section.int("call_depth", any.clone())?,
        table_elements: section.int("table_elements", any.clone())?,
        module_bytes: section.int("module_bytes", any)?,
    };
    let mut limits: Vec<Limit> = Vec::new();
    for (key, item) in section.rest()? {
        if limits.len() >= MOST {
            return Err(item.error(
                format!("there are more than {MOST} limits"),
                "leave out those that others imply",
            ));
        }
        let limit = limit(key, &item, board)?;
        let of = |limit: &Limit| match &limit.bound {
            LimitBound::Within(quantity, _) => Some(quantity.clone()),
            LimitBound::NeverBoth(..) => None,
        };
        if of(&limit).is_some() && limits.iter().any(|other| of(other) == of(&limit)) {
            return Err(item.error(
                "there is a limit for this already",
                "write one limit that says both",
            ));
        }
        limits.push(limit);
        let mut with = board.clone();
        with.invariants.clone_from(&limits);
        if with.broken_at_start().next().is_some() {
            return Err(item.error(
                "this limit is broken before anything has happened",
                "allow what the board starts with: motors stand at 0, pins are low but for `high_pins`",
            ));
        }
    }
    Ok((program, limits))
}

fn limit(key: &str, item: &Item<'_>, board: &Board) -> Result<Limit> {
    let (quantity, ty) = named(key, board).map_err(|error| {
        let problem = format!("`{}`: {}", printable(key), error.problem);
        item.error(problem, error.hint)
    })?;
    if matches!(quantity, Quantity::Reading(_)) {
        return Err(item.error(
            format!(
                "`{}` is an input, and limits are about outputs",
                printable(key)
            ),
            "what inputs may answer is written in [ranges]",
        ));
    }
    if item.is_table() {
        return never_both(key, &quantity, item, board);
    }
    let values = codomain(item, ty)?;
    let is_range = values.intervals().len() == 1;
    let hint = match quantity {
        Quantity::Angle(_) if !is_range => "a motor passes all angles on its way: write one range",
        _ if values.is_empty() => "allow at least one value",
        _ if matches!(values, Codomain::NotBeforeLast(_)) => "write values: \"0..300\"",
        _ => {
            let written = item
                .as_text()
                .map_or_else(|| written(&values), ToOwned::to_owned);
            return Ok(Limit {
                text: format!("{key} = {written}"),
                bound: LimitBound::Within(quantity, values),
            });
        }
    };
    Err(item.error("this is no limit", hint))
}

/// Two pins that are never high at once.
fn never_both(key: &str, quantity: &Quantity, item: &Item<'_>, board: &Board) -> Result<Limit> {
    let mut section = item.section("{ never_with = \"pin 5\" }")?;
    let other = section.need("never_with", "\"pin 5\"")?;
    section.finish()?;
    let name = other.text("pin 5")?;
    let (with, _) = named(name, board).map_err(|error| other.text_error(name, error))?;
    match (quantity, with) {
        (Quantity::Level(a), Quantity::Level(b)) if *a != b => Ok(Limit {
            text: format!("{key} never with {name}"),
            bound: LimitBound::NeverBoth(*a, b),
        }),
        _ => Err(other.error(
            "`never_with` is about two pins",
            "write two pins: \"pin 4\" = { never_with = \"pin 5\" }",
        )),
    }
}

/// What a limit is about: a label of the board, `motor 0` (its angle), or what a condition of a rule may look at.
fn named(name: &str, board: &Board) -> Parsed<(Quantity, ValType)> {
    let mut labels = board.labels.iter();
    if let Some((pin, _)) = labels.find(|(_, label)| label == name) {
        return Ok((Quantity::Level(*pin), ValType::I64));
    }
    let mut text = Text::new(name);
    articles(&mut text);
    let found = if text.take(&["motor"]) {
        let motor = text.index("motor", u16::from(board.motors))?;
        (Quantity::Angle(motor), ValType::I64)
    } else {
        quantity(&mut text, board).map_err(|error| TextError {
            problem: "nothing of this board is called so".to_owned(),
            hint: names(board),
            ..error
        })?
    };
    text.end(&names(board))?;
    Ok(found)
}

/// What there is to limit.
fn names(board: &Board) -> String {
    let mut all: Vec<String> = Vec::new();
    match board.pins {
        0 => {}
        pins => all.push(format!("`pin 0` to `pin {}`", pins - 1)),
    }
    match board.motors {
        0 => {}
        1 => all.push("`motor 0`, `speed of motor 0`".to_owned()),
        motors => all.push(format!(
            "`motor 0` to `motor {}`, `speed of motor 0` and so on",
            motors - 1
        )),
    }
    all.push("`duty of pin 5`, `tone`".to_owned());
    let labels = board.labels.iter().take(MOST_LISTED);
    all.extend(labels.map(|(_, label)| format!("`{}`", printable(label))));
    let declared = board.primitives().filter(|p| p.register.is_some());
    let state = |p: &crate::Primitive| format!("`state of {}`", p.name);
    all.extend(declared.take(MOST_LISTED).map(state));
    let program = "`memory_pages`, `stack_slots`, `call_depth`, `table_elements`, `module_bytes`";
    format!(
        "this board has {}; the program has {program}",
        all.join(", ")
    )
}

/// Values that were not written as a text.
fn written(values: &Codomain) -> String {
    let part = |(low, high): &(borges_vm::Value, borges_vm::Value)| match low == high {
        true => format!("{low}"),
        false => format!("{low}..{high}"),
    };
    let parts: Vec<String> = values.intervals().iter().map(part).collect();
    parts.join(", ")
}
