//! Sets of values and calls of inputs, as texts: `0..4095`, `1, 3 or 5`, `at most 7`; `color_sensor(0)`.

use alloc::{format, string::String, vec::Vec};

use borges_vm::{ValType, Value};

use super::{
    item::{Item, Result},
    text::{Parsed, Text, typed},
};
use crate::{Board, Calls, Codomain, PrimitiveId, PrimitiveKind, bind::closest};

const SET_HINT: &str = "write a value, a range such as 0..100, several such as 1, 3 or 5, \
    or `at most`, `at least`, `under`, `over`, `between … and …`, `not …`, `any`";

/// A set of values of a type.
pub(super) fn set(text: &mut Text<'_>, ty: ValType) -> Parsed<Codomain> {
    if text.take(&["not"]) {
        return Ok(plain_set(text, ty)?.complement());
    }
    plain_set(text, ty)
}

fn plain_set(text: &mut Text<'_>, ty: ValType) -> Parsed<Codomain> {
    let (least, greatest) = bounds(ty);
    if text.take(&["any", "anything"]) {
        return Ok(Codomain::Full(ty));
    }
    if text.take_all(&["at", "least"]) || text.take(&[">="]) {
        return Ok(Codomain::range(text.value(ty)?, greatest));
    }
    if text.take_all(&["at", "most"]) || text.take(&["<="]) {
        return Ok(Codomain::range(least, text.value(ty)?));
    }
    if text.take(&["under", "below", "<"]) || text.take_all(&["less", "than"]) {
        return Ok(Codomain::range(text.value(ty)?, greatest).complement());
    }
    if text.take(&["over", "above", ">"])
        || text.take_all(&["more", "than"])
        || text.take_all(&["greater", "than"])
    {
        return Ok(Codomain::range(least, text.value(ty)?).complement());
    }
    if text.take(&["between"]) {
        let mark = text.mark();
        let low = text.value(ty)?;
        text.expect(&["and"], "write `and` and the greatest value")?;
        let high = text.value(ty)?;
        return range(text, mark, low, high);
    }
    text.take_all(&["one", "of"]);
    let mut parts = Vec::from([part(text, ty)?]);
    while text.take(&["or"]) || text.number_ahead(1) && text.take(&[","]) {
        text.take(&["or"]);
        parts.push(part(text, ty)?);
    }
    Ok(Codomain::union(
        ty,
        parts.iter().flat_map(Codomain::intervals),
    ))
}

fn part(text: &mut Text<'_>, ty: ValType) -> Parsed<Codomain> {
    let mark = text.mark();
    let low = text.value(ty).map_err(|mut error| {
        if text.mark() == mark && !text.number_ahead(0) {
            error.hint = SET_HINT.into();
        }
        error
    })?;
    let high = if text.take(&[".."]) {
        text.value(ty)?
    } else {
        low
    };
    range(text, mark, low, high)
}

fn range(text: &Text<'_>, mark: usize, low: Value, high: Value) -> Parsed<Codomain> {
    let codomain = Codomain::range(low, high);
    if codomain.is_empty() {
        let (problem, hint) = (
            format!("no value lies between {low} and {high}"),
            format!("write {high}..{low}"),
        );
        return Err(text.error_since(mark, problem, hint));
    }
    Ok(codomain)
}

/// The least and the greatest value of a type.
pub(super) fn bounds(ty: ValType) -> (Value, Value) {
    let all = Codomain::Full(ty).intervals();
    all.first()
        .copied()
        .unwrap_or((Value::default_of(ty), Value::default_of(ty)))
}

/// A codomain in a board file: a text, a list of values, or one value.
pub(super) fn codomain(item: &Item<'_>, ty: ValType) -> Result<Codomain> {
    if let Some(source) = item.as_text() {
        let mut text = Text::new(source);
        let parsed = if text.take_all(&["not", "before", "the", "last", "reading"])
            || text.take(&["clock"])
        {
            Ok(Codomain::NotBeforeLast(ty))
        } else {
            set(&mut text, ty)
        };
        return parsed
            .and_then(|codomain| text.end(SET_HINT).map(|()| codomain))
            .map_err(|error| item.text_error(source, error));
    }
    let values = if item.is_array() {
        values(item, ty)?
    } else {
        Vec::from([value(item, ty)?])
    };
    Ok(Codomain::set(ty, &values))
}

/// A value of a type.
pub(super) fn value(item: &Item<'_>, ty: ValType) -> Result<Value> {
    match item.as_number() {
        Some(number) => typed(number, ty).ok_or_else(|| {
            item.error(
                format!("this does not fit the type {ty}"),
                format!("write a number that fits {ty}"),
            )
        }),
        None => Err(item.expected(format!("write a number ({ty})"))),
    }
}

/// At least one value of a type.
pub(super) fn values(item: &Item<'_>, ty: ValType) -> Result<Vec<Value>> {
    let elements = item.array("[1, 2, 3]")?;
    if elements.is_empty() {
        return Err(item.error("the list is empty", "write at least one value, such as [1]"));
    }
    elements.iter().map(|element| value(element, ty)).collect()
}

const CALL_HINT: &str = "write an input with its arguments, such as color_sensor(0) or pin 12";

/// Calls of an input, one group for each type of result that the name has.
pub(super) fn calls(text: &mut Text<'_>, board: &Board) -> Parsed<Vec<Calls>> {
    let mark = text.mark();
    if text.take(&["pin"]) {
        let pin = text.index("pin", board.pins)?;
        let reads = |name: &'static str| board.named("env", name).collect::<Vec<_>>();
        let primitives = [reads("chip_digital_read"), reads("chip_analog_read")].concat();
        return Ok(Vec::from([Calls {
            primitives,
            args: Vec::from([Some(Value::I32(i32::from(pin)))]),
        }]));
    }
    let first = text.name(CALL_HINT)?;
    let (module, name) = if text.take(&["."]) {
        (Some(first), text.name(CALL_HINT)?)
    } else {
        (None, first)
    };
    let candidates = inputs(board, module, name);
    if candidates.is_empty() {
        return Err(text.error_since(
            mark,
            format!("the board has no input `{name}`"),
            unknown_input_hint(board, name),
        ));
    }
    if !text.take(&["("]) {
        return Ok(grouped(board, candidates, &[]));
    }
    let arguments = arguments(text)?;
    let fitting: Vec<PrimitiveId> = candidates
        .iter()
        .copied()
        .filter(|id| {
            board
                .primitive(*id)
                .is_some_and(|p| p.params.len() == arguments.len())
        })
        .collect();
    if fitting.is_empty() {
        let takes = candidates
            .iter()
            .filter_map(|id| board.primitive(*id))
            .map(|p| format!("{}", p.func_type()));
        let hint = format!("its type is {}", takes.collect::<Vec<_>>().join(" or "));
        return Err(text.error_since(
            mark,
            format!("`{name}` does not take {} arguments", arguments.len()),
            hint,
        ));
    }
    typed_arguments(text, mark, board, fitting, &arguments)
}

type Argument = Option<super::text::Number>;

/// What stands between the parentheses, `*` being any value; the opening one is taken.
fn arguments(text: &mut Text<'_>) -> Parsed<Vec<Argument>> {
    let mut arguments = Vec::new();
    while !text.take(&[")"]) {
        if !arguments.is_empty() {
            text.expect(&[","], "write `,` and another argument, or `)`")?;
        }
        let any = text.take(&["*"]);
        arguments.push(if any {
            None
        } else {
            Some(text.number("write an argument: a number, or * for any")?)
        });
    }
    Ok(arguments)
}

fn typed_arguments(
    text: &Text<'_>,
    mark: usize,
    board: &Board,
    fitting: Vec<PrimitiveId>,
    arguments: &[Argument],
) -> Parsed<Vec<Calls>> {
    let params = |id: &PrimitiveId| {
        board
            .primitive(*id)
            .map(|p| p.params.to_vec())
            .unwrap_or_default()
    };
    let types = fitting.first().map(params).unwrap_or_default();
    let mut args = Vec::new();
    for (argument, ty) in arguments.iter().zip(&types) {
        args.push(match argument {
            None => None,
            Some(number) => Some(typed(*number, *ty).ok_or_else(|| {
                text.error_since(
                    mark,
                    "an argument has the wrong type".into(),
                    format!("write a number that fits {ty}"),
                )
            })?),
        });
    }
    // Overloads with the same number of arguments but other types would need arguments of their own.
    let same: Vec<PrimitiveId> = fitting
        .into_iter()
        .filter(|id| params(id) == types)
        .collect();
    let exact: Option<Vec<Value>> = args.iter().copied().collect();
    if let (Some(exact), Some(id)) = (exact, same.first())
        && let Err(refusal) = board.check_input(*id, &exact, usize::MAX)
    {
        return Err(text.error_since(
            mark,
            format!("{refusal}"),
            "write a pin or port that exists".into(),
        ));
    }
    Ok(grouped(board, same, &args))
}

/// One group of calls for each type of result.
fn grouped(board: &Board, ids: Vec<PrimitiveId>, args: &[Option<Value>]) -> Vec<Calls> {
    let mut groups: Vec<(ValType, Calls)> = Vec::new();
    for id in ids {
        let Some(ty) = board.primitive(id).map(|p| p.codomain.ty()) else {
            continue;
        };
        match groups.iter_mut().find(|(t, _)| *t == ty) {
            Some((_, calls)) => calls.primitives.push(id),
            None => groups.push((
                ty,
                Calls {
                    primitives: Vec::from([id]),
                    args: args.to_vec(),
                },
            )),
        }
    }
    groups.into_iter().map(|(_, calls)| calls).collect()
}

/// The inputs of this name, in the given module or else in any.
fn inputs(board: &Board, module: Option<&str>, name: &str) -> Vec<PrimitiveId> {
    let fits = |id: &PrimitiveId| {
        board.primitive(*id).is_some_and(|p| {
            p.kind == PrimitiveKind::Input
                && p.name == name
                && module.is_none_or(|module| p.module == module)
        })
    };
    board.ids().filter(fits).collect()
}

fn unknown_input_hint(board: &Board, name: &str) -> String {
    let names = board
        .primitives()
        .filter(|p| p.kind == PrimitiveKind::Input)
        .map(|p| &*p.name);
    match closest(name, names) {
        Some(meant) => format!("do you mean `{meant}`?"),
        None => "declare it with [[primitive]] and kind = \"input\", or write one such as color_sensor(0)".into(),
    }
}

/// The type of what these calls answer.
pub(super) fn answer_type(board: &Board, calls: &Calls) -> ValType {
    let first = calls.primitives.first().and_then(|id| board.primitive(*id));
    first.map_or(ValType::I32, |p| p.codomain.ty())
}
