//! Primitives that a board file declares.

use alloc::{borrow::ToOwned, boxed::Box, format, string::String, vec::Vec};

use borges_vm::{FuncType, ValType, Value};

use super::{
    item::{Item, Result, Section},
    sets::{codomain, value},
};
use crate::{Codomain, FillLength, Fills, Primitive, PrimitiveKind, Register};

/// A primitive with more arguments than this is a mistake.
const MOST_PARAMS: usize = 32;
/// An input that brings more at once is a mistake.
const MOST_BYTES: i64 = 1 << 20;
const TYPES: &str = "write \"i32\", \"i64\", \"f32\" or \"f64\"";
const KINDS: &str = "write \"input\", \"output\", \"constant\" or \"trap\"";

/// One `[[primitive]]`.
pub(super) fn primitive(item: &Item<'_>) -> Result<Primitive> {
    let mut section = item.section("[[primitive]]")?;
    let name = section
        .need("name", "\"read_humidity\"")?
        .text("read_humidity")?
        .to_owned();
    let module = section
        .get("module")
        .map_or(Ok("env"), |item| item.text("env"))?
        .to_owned();
    let params = match section.get("params") {
        None => Vec::new(),
        Some(item) => {
            let list = item.array("[\"i32\"]")?;
            if list.len() > MOST_PARAMS {
                return Err(item.error(
                    "too many arguments",
                    format!("at most {MOST_PARAMS} make sense"),
                ));
            }
            list.iter().map(val_type).collect::<Result<_>>()?
        }
    };
    let result = section
        .get("result")
        .map(|item| val_type(&item))
        .transpose()?;
    let kind = section.need("kind", "\"input\"")?;
    let declared = match kind.as_text() {
        Some("input") => input(&mut section, module, name, params, result)?,
        Some("output") => output(&mut section, module, name, params, result)?,
        Some("constant") => {
            let item = section.need("value", "42")?;
            let Some(ty) = result else {
                return Err(section.error("a constant needs a result", "add `result = \"i32\"`"));
            };
            let constant = PrimitiveKind::Constant(value(&item, ty)?);
            Primitive::declared(module, name, func_type(params, result), constant, None)
        }
        Some("trap") => Primitive::declared(
            module,
            name,
            func_type(params, result),
            PrimitiveKind::Trap,
            None,
        ),
        Some(_) => return Err(kind.error("no such kind", KINDS)),
        None => return Err(kind.expected(KINDS)),
    };
    section.finish()?;
    Ok(declared)
}

fn func_type(params: Vec<ValType>, result: Option<ValType>) -> FuncType {
    FuncType {
        params,
        results: result.into_iter().collect(),
    }
}

fn val_type(item: &Item<'_>) -> Result<ValType> {
    Ok(match item.as_text() {
        Some("i32") => ValType::I32,
        Some("i64") => ValType::I64,
        Some("f32") => ValType::F32,
        Some("f64") => ValType::F64,
        Some(_) => return Err(item.error("no such type", TYPES)),
        None => return Err(item.expected(TYPES)),
    })
}

fn input(
    section: &mut Section<'_>,
    module: String,
    name: String,
    params: Vec<ValType>,
    result: Option<ValType>,
) -> Result<Primitive> {
    let Some(ty) = result else {
        return Err(section.error("an input needs a result", "add `result = \"i32\"`"));
    };
    let item = section.need("codomain", "\"0..100\"")?;
    let codomain = codomain(&item, ty)?;
    if codomain.is_empty() {
        return Err(item.error("no value is left", "allow at least one value"));
    }
    if matches!(
        codomain,
        Codomain::NotBeforeLast(ValType::F32 | ValType::F64)
    ) {
        return Err(item.error(
            "a clock counts in whole numbers",
            "make its result an i32 or i64, or write a range",
        ));
    }
    let fills = section
        .get("fills")
        .map(|item| fills(&item, &params, ty))
        .transpose()?;
    Ok(Primitive {
        fills: fills.map(Box::new),
        ..Primitive::declared_input(module, name, params, codomain)
    })
}

/// `fills = { address = 0, room = 1, bytes = "0..127" }`: what the input puts into memory.
fn fills(item: &Item<'_>, params: &[ValType], result: ValType) -> Result<Fills> {
    let mut section = item.section("{ address = 0, room = 1 }")?;
    let position = |item: &Item<'_>| {
        let last = params.len() as i64 - 1;
        let position: u8 = item.int(0..=last.clamp(0, i64::from(u8::MAX)))?;
        match params.get(usize::from(position)) {
            Some(ValType::I32) => Ok(position),
            _ => Err(item.error(
                format!("argument {position} is no i32"),
                "name the position of an i32 in `params`, counted from 0",
            )),
        }
    };
    let address = position(&section.need("address", "0")?)?;
    let (room, argument) = (section.get("room"), section.get("argument"));
    let length = match (room, argument, section.get("length")) {
        (Some(room), None, None) => match result {
            ValType::I32 | ValType::I64 => FillLength::Result(position(&room)?),
            _ => {
                return Err(room.error(
                    "the result cannot count bytes",
                    "make it an i32 or i64, or write `argument` or `length`",
                ));
            }
        },
        (None, Some(argument), None) => FillLength::Argument(position(&argument)?),
        (None, None, Some(length)) => FillLength::Fixed(length.int(1..=MOST_BYTES)?),
        _ => {
            return Err(section.error(
                "how many bytes are there?",
                "write one of `room = 1` (as many as it returns, at most what argument 1 says), `argument = 1` (as many \
                 as argument 1 says) and `length = 16`",
            ));
        }
    };
    let any = Codomain::range(Value::I32(0), Value::I32(255));
    let bytes = match section.get("bytes") {
        None => any,
        Some(item) => {
            let bytes = codomain(&item, ValType::I32)?.intersect(&any);
            if bytes.is_empty() || matches!(bytes, Codomain::NotBeforeLast(_)) {
                return Err(item.error("no byte is left", "allow at least one of 0..255"));
            }
            bytes
        }
    };
    section.finish()?;
    Ok(Fills {
        address,
        length,
        bytes,
    })
}

/// An output. Unless `undo = "none"`, its arguments but those of its key are state, which a compensation sets again.
fn output(
    section: &mut Section<'_>,
    module: String,
    name: String,
    params: Vec<ValType>,
    result: Option<ValType>,
) -> Result<Primitive> {
    let undone = match section.get("undo") {
        None => true,
        Some(item) => match item.as_text() {
            Some("none") => false,
            Some("again") => true,
            _ => {
                let hint = "write \"none\", or leave it out: then the output is undone by calling it with the state before";
                return Err(item.error("no such way to undo", hint));
            }
        },
    };
    let (key_item, state_item, initial_item) = (
        section.get("key"),
        section.get("state"),
        section.get("initial"),
    );
    if !undone {
        if let Some(item) = key_item.or(state_item).or(initial_item) {
            return Err(item.error(
                "nothing is undone, so no state is kept",
                "remove this, or remove `undo = \"none\"`",
            ));
        }
        return Ok(Primitive::declared(
            module,
            name,
            func_type(params, result),
            PrimitiveKind::Output,
            None,
        ));
    }
    let key = key_item.map_or(Ok(Vec::new()), |item| positions(&item, &params))?;
    let rest = || {
        (0..params.len())
            .map(|p| p as u8)
            .filter(|p| !key.contains(p))
            .collect()
    };
    let state: Vec<u8> = state_item
        .as_ref()
        .map_or_else(|| Ok(rest()), |item| positions(item, &params))?;
    if let (Some(item), Some(both)) = (&state_item, state.iter().find(|p| key.contains(p))) {
        return Err(item.error(
            format!("argument {both} is in `key` as well"),
            "let each argument be one or the other",
        ));
    }
    let types: Vec<ValType> = state
        .iter()
        .filter_map(|p| params.get(usize::from(*p)).copied())
        .collect();
    let initial = match &initial_item {
        None => types.iter().map(|ty| Value::default_of(*ty)).collect(),
        Some(item) => initial(item, &types)?,
    };
    let register = Register {
        key,
        state,
        initial,
    };
    Ok(Primitive::declared(
        module,
        name,
        func_type(params, result),
        PrimitiveKind::Output,
        Some(register),
    ))
}

/// Positions of arguments, from 0, each once.
fn positions(item: &Item<'_>, params: &[ValType]) -> Result<Vec<u8>> {
    let mut list = Vec::new();
    for element in item.array("[0]")? {
        if params.is_empty() {
            return Err(element.error(
                "the output has no arguments",
                "remove this, or add `params`",
            ));
        }
        let position = element.int(0..=params.len() as i64 - 1)?;
        if list.contains(&position) {
            return Err(element.error(
                format!("argument {position} is named twice"),
                "name each argument once",
            ));
        }
        list.push(position);
    }
    Ok(list)
}

fn initial(item: &Item<'_>, types: &[ValType]) -> Result<Vec<Value>> {
    let values = item.array("[0]")?;
    if values.len() != types.len() {
        let problem = format!(
            "these are {} values, but the state has {}",
            values.len(),
            types.len()
        );
        return Err(item.error(problem, "write one value for each argument of the state"));
    }
    values
        .iter()
        .zip(types)
        .map(|(element, ty)| value(element, *ty))
        .collect()
}
