//! `[limits]`: how much a program may have, and what must be so whatever it does with its outputs.
//!
//! ```text
//! memory_pages = 16
//! "motor 0" = "0..300"
//! "the speed of motor 1" = "at most 5000"
//! "red LED" = { never_with = "pin 5" }
//! "pin 6" = { apart = "20 ms", high_at_most = "2 s" }
//! "pin 7" = { high_share = "30 % of any 10 s" }
//! ```

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use borges_vm::ValType;

use super::{
    item::{Item, Result, Section},
    rules::{articles, quantity},
    sets::codomain,
    sources::{duration, duration_in},
    text::{Number, Parsed, Text, TextError, printable},
};
use crate::{
    Board, Codomain, Limit, LimitBound, ProgramLimits, Quantity, TimeShare, duration_text,
};

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
        let of_this = of_one(key, &item, board)?;
        if of_this.iter().any(|limit| is_twin(limit, &limits)) {
            return Err(item.error(
                "there is a limit for this already",
                "write one limit that says both",
            ));
        }
        limits.extend(of_this);
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

/// Whether there is a limit of the same kind for the same thing.
fn is_twin(limit: &Limit, limits: &[Limit]) -> bool {
    limits
        .iter()
        .any(|other| match (&limit.bound, &other.bound) {
            (LimitBound::Within(a, _), LimitBound::Within(b, _))
            | (LimitBound::Apart(a, _), LimitBound::Apart(b, _)) => a == b,
            (LimitBound::HighAtMost(a, _), LimitBound::HighAtMost(b, _))
            | (LimitBound::HighShare(a, _), LimitBound::HighShare(b, _)) => a == b,
            _ => false,
        })
}

/// What one key says.
fn of_one(key: &str, item: &Item<'_>, board: &Board) -> Result<Vec<Limit>> {
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
        return of_table(key, &quantity, item, board);
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
            return Ok(alloc::vec![Limit {
                text: format!("{key} = {written}"),
                bound: LimitBound::Within(quantity, values),
            }]);
        }
    };
    Err(item.error("this is no limit", hint))
}

/// Limits that are more than values: with another pin, and of time.
fn of_table(key: &str, quantity: &Quantity, item: &Item<'_>, board: &Board) -> Result<Vec<Limit>> {
    const EXAMPLE: &str = "{ never_with = \"pin 5\" }, { apart = \"20 ms\" }, { high_at_most = \"2 s\" } or { high_share = \"30 % of any 10 s\" }";
    let mut section = item.section(EXAMPLE)?;
    let with = section.get("never_with");
    let apart = section.get("apart");
    let high = section.get("high_at_most");
    let share = section.get("high_share");
    section.finish()?;
    let mut limits = Vec::new();
    if let Some(other) = with {
        limits.push(never_both(key, quantity, &other, board)?);
    }
    if let Some(time) = apart {
        let us = some_time(&time)?;
        if matches!(quantity, Quantity::Angle(_) | Quantity::Speed(_)) {
            return Err(time.error(
                "`apart` is about what changes at once, and a motor turns",
                "write it for a pin, a duty, the tone or the state of a declared output",
            ));
        }
        limits.push(Limit {
            text: format!("changes of {key} {} apart", duration_text(us)),
            bound: LimitBound::Apart(quantity.clone(), us),
        });
    }
    if let Some(time) = high {
        let us = some_time(&time)?;
        let pin = of_pin(quantity, &time, "high_at_most", "2 s")?;
        limits.push(Limit {
            text: format!("{key} high for at most {}", duration_text(us)),
            bound: LimitBound::HighAtMost(pin, us),
        });
    }
    if let Some(item) = share {
        let (share, written) = share_of_window(&item)?;
        let pin = of_pin(quantity, &item, "high_share", "30 % of any 10 s")?;
        limits.push(Limit {
            text: format!("{key} high for at most {written}"),
            bound: LimitBound::HighShare(pin, share),
        });
    }
    match limits.is_empty() {
        true => Err(item.error("this limit says nothing", format!("write {EXAMPLE}"))),
        false => Ok(limits),
    }
}

/// The pin that a limit of this name is about.
fn of_pin(quantity: &Quantity, item: &Item<'_>, name: &str, example: &str) -> Result<u8> {
    match quantity {
        Quantity::Level(pin) => Ok(*pin),
        _ => Err(item.error(
            format!("`{name}` is about a pin"),
            format!("write one: \"pin 4\" = {{ {name} = \"{example}\" }}"),
        )),
    }
}

/// `30 % of any 10 s`, `3 s of any 10 s`, also without `any`; and as it is shown.
fn share_of_window(item: &Item<'_>) -> Result<(TimeShare, String)> {
    const HINT: &str = "write how much of what: \"30 % of any 10 s\", \"3 s of any 10 s\"";
    let source = item.text("30 % of any 10 s")?;
    let mut text = Text::new(source);
    let mut parsed = || -> Parsed<(Option<f64>, u64, u64)> {
        let percent = percent(&mut text)?;
        let most_us = match percent {
            Some(_) => 0,
            None => duration_in(&mut text)?,
        };
        text.expect(&["of"], HINT)?;
        text.take(&["any"]);
        let window_us = duration_in(&mut text)?;
        text.end("the window could end here")?;
        Ok((percent, most_us, window_us))
    };
    let (percent, most_us, window_us) = parsed().map_err(|error| item.text_error(source, error))?;
    let most_us = match percent {
        // Times are below 2^45 microseconds: a float holds a hundred times as much exactly.
        Some(percent) => (window_us as f64 * percent / 100.0) as u64,
        None => most_us,
    };
    if most_us == 0 || most_us >= window_us {
        let problem = match most_us {
            0 => "no time at all is no share",
            _ => "this is all of the window",
        };
        return Err(item.error(problem, "write more than nothing and less than all of it"));
    }
    let most = match percent {
        Some(percent) => format!("{percent} %"),
        None => duration_text(most_us),
    };
    let written = format!("{most} of any {}", duration_text(window_us));
    Ok((TimeShare { most_us, window_us }, written))
}

/// A number of percent, if one comes next.
fn percent(text: &mut Text<'_>) -> Parsed<Option<f64>> {
    let mut ahead = text.clone();
    let number = match ahead.number("") {
        Ok(Number::Int(n)) => n as f64,
        Ok(Number::Float(x)) => x,
        Err(_) => return Ok(None),
    };
    if !ahead.take(&["%", "percent"]) {
        return Ok(None);
    }
    if !(0.0..=100.0).contains(&number) {
        return Err(text.unexpected("write a share from 0 to 100 %"));
    }
    *text = ahead;
    Ok(Some(number))
}

/// A time that is not nothing.
fn some_time(item: &Item<'_>) -> Result<u64> {
    match duration(item)? {
        0 => Err(item.error(
            "no time at all is no limit",
            "write how long: \"20 ms\", \"2 s\"",
        )),
        us => Ok(us),
    }
}

/// Two pins that are never high at once.
fn never_both(key: &str, quantity: &Quantity, other: &Item<'_>, board: &Board) -> Result<Limit> {
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
