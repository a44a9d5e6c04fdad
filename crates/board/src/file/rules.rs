//! The language of rules.
//!
//! ```text
//! rule       = [ ("when" | "while" | "if") condition { "and" condition } "," ] claim { "and" claim }
//! condition  = quantity relation
//! claim      = input relation
//!            | input "changes by at most" number [ "between two reads" ]
//!            | input "never falls" | input "never rises"
//! quantity   = "level of pin" n | "duty of pin" n | "mode of pin" n | "angle of motor" n | "speed of motor" n
//!            | "tone" | "pin" n | "reading of" input | input | "state" [ n ] "of" output
//! input      = "pin" n | name "(" arguments ")"
//! relation   = ("is" | "are" | "=") set | ("<" | "<=" | ">" | ">=" | "!=") number
//! set        = "0..100", "1, 3 or 5", "at most 7", "at least 7", "under 7", "over 7", "between 2 and 7", "not 3", "any"
//! ```
//! Articles may stand where English wants them; `high`, `on` and `pressed` are 1, `low`, `off` and `released` 0.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use borges_vm::{ValType, Value};

use super::{
    sets::{answer_type, calls, set},
    text::{Parsed, Text, TextError},
};
use crate::{
    Board, Bound, Calls, Codomain, InputCall, PrimitiveId, PrimitiveKind, Quantity, Rule,
    RuleClaim, RuleCondition,
};

/// No rule needs more.
const MOST_PARTS: usize = 32;

const CONDITION_HINT: &str = "write what is looked at: `the level of pin 45`, `the angle of motor 0`, `the speed of motor 0`, \
    `the duty of pin 5`, `the tone`, `the reading of pin 12`, `color_sensor(0)`, `the state of` an output";
const CLAIM_HINT: &str = "write an input: color_sensor(0), the reading of pin 12";
const RELATION_HINT: &str = "write `is` and a value, or a comparison such as `is under 360`";

/// Reads a rule.
pub(super) fn rule(source: &str, board: &Board) -> Parsed<Rule> {
    let mut text = Text::new(source);
    let mut conditions = Vec::new();
    if text.take(&["when", "while", "if"]) {
        loop {
            conditions.push(condition(&mut text, board)?);
            check_count(&text, conditions.len())?;
            if !text.take(&["and"]) {
                break;
            }
        }
        text.expect(
            &[",", "then"],
            "write `,` and what holds then, or `and` and another condition",
        )?;
        text.take(&["then"]);
    }
    let mut claims = Vec::new();
    loop {
        claims.extend(claim(&mut text, board)?);
        check_count(&text, claims.len())?;
        if !text.take(&["and"]) {
            break;
        }
    }
    text.take(&["."]);
    text.end("the rule could end here; write `and` and another claim, or nothing")?;
    Ok(Rule {
        text: source.to_owned(),
        conditions,
        claims,
    })
}

fn check_count(text: &Text<'_>, count: usize) -> Parsed<()> {
    if count <= MOST_PARTS {
        return Ok(());
    }
    Err(text.error_since(
        0,
        "this rule is too long".into(),
        format!("split it: at most {MOST_PARTS} parts"),
    ))
}

pub(super) fn articles(text: &mut Text<'_>) {
    text.take(&["the", "a", "an"]);
}

fn condition(text: &mut Text<'_>, board: &Board) -> Parsed<RuleCondition> {
    articles(text);
    let (quantity, ty) = quantity(text, board)?;
    let values = relation(text, ty)?;
    Ok(RuleCondition { quantity, values })
}

/// What a condition looks at, and its type.
pub(super) fn quantity(text: &mut Text<'_>, board: &Board) -> Parsed<(Quantity, ValType)> {
    let known = |quantity| Ok((quantity, ValType::I64));
    match text.peek_word().as_deref() {
        Some("level" | "duty" | "mode") => {
            let what = text.peek_word().unwrap_or_default();
            text.take(&["level", "duty", "mode"]);
            text.expect(&["of"], "write `of pin` and its number")?;
            articles(text);
            text.expect(&["pin"], "write `pin` and its number")?;
            let pin = text.index("pin", board.pins)?;
            known(match what.as_str() {
                "level" => Quantity::Level(pin),
                "duty" => Quantity::Duty(pin),
                _ => Quantity::Mode(pin),
            })
        }
        Some("pin") => {
            text.take(&["pin"]);
            known(Quantity::Level(text.index("pin", board.pins)?))
        }
        Some("angle" | "speed") => {
            let is_angle = text.take(&["angle"]) || !text.take(&["speed"]);
            text.expect(&["of"], "write `of motor` and its number")?;
            articles(text);
            text.expect(&["motor"], "write `motor` and its number")?;
            let motor = text.index("motor", u16::from(board.motors))?;
            known(if is_angle {
                Quantity::Angle(motor)
            } else {
                Quantity::Speed(motor)
            })
        }
        Some("tone") => {
            text.take(&["tone"]);
            known(Quantity::Tone)
        }
        Some("state") => state_of_output(text, board),
        Some(_) => {
            let mark = text.mark();
            let calls = input(text, board, CONDITION_HINT)?;
            let ty = calls
                .first()
                .map_or(ValType::I32, |c| answer_type(board, c));
            let Some(call) = calls.into_iter().next().and_then(|c| exact(board, c)) else {
                return Err(wildcard(text, mark));
            };
            Ok((Quantity::Reading(call), ty))
        }
        None => Err(text.unexpected(CONDITION_HINT)),
    }
}

/// `state of set_valve(3)`, or `state 1 of …` if an output sets several values.
fn state_of_output(text: &mut Text<'_>, board: &Board) -> Parsed<(Quantity, ValType)> {
    text.take(&["state"]);
    let position = if text.number_ahead(0) {
        text.index("state", 256)?
    } else {
        0
    };
    text.expect(
        &["of"],
        "write `of` and an output that the board file declares",
    )?;
    let mark = text.mark();
    let first = text.name("write the name of an output that the board file declares")?;
    let name = if text.take(&["."]) {
        text.name("write the output's name")?
    } else {
        first
    };
    let declared = |id: &PrimitiveId| {
        board.primitive(*id).is_some_and(|p| {
            p.name == name && p.kind == PrimitiveKind::Output && p.register.is_some()
        })
    };
    let Some((id, primitive, register)) = board.ids().find(declared).and_then(|id| {
        let primitive = board.primitive(id)?;
        Some((id, primitive, primitive.register.as_ref()?))
    }) else {
        let hint =
            "declare it with [[primitive]], kind = \"output\" and the positions of its `key`"
                .to_owned();
        return Err(text.error_since(
            mark,
            format!("no declared output `{name}` keeps a state"),
            hint,
        ));
    };
    let mut key = Vec::new();
    if text.take(&["("]) {
        for (i, place) in register.key.iter().enumerate() {
            if i > 0 {
                text.expect(&[","], "write `,` and the next part of the key")?;
            }
            let ty = primitive
                .params
                .get(usize::from(*place))
                .copied()
                .unwrap_or(ValType::I32);
            key.push(text.value(ty)?);
        }
        text.expect(
            &[")"],
            "write `)`: only the key stands between the parentheses",
        )?;
    }
    let place = register
        .state
        .get(usize::from(position))
        .filter(|_| key.len() == register.key.len());
    match place.and_then(|place| primitive.params.get(usize::from(*place))) {
        Some(ty) => Ok((Quantity::Register(id, key, position), *ty)),
        None => Err(text.error_since(
            mark,
            format!("`{name}` has no such state"),
            format!(
                "its key has {} values and its state {}",
                register.key.len(),
                register.state.len()
            ),
        )),
    }
}

/// `reading of pin 12`, `color_sensor(0)`.
fn input(text: &mut Text<'_>, board: &Board, hint: &str) -> Parsed<Vec<Calls>> {
    let mark = text.mark();
    text.take(&["last"]);
    if text.take(&["reading", "readings", "value", "values"]) {
        text.expect(&["of"], "write `of` and an input")?;
        articles(text);
    }
    calls(text, board).map_err(|error| {
        // A word that is no input at all: say everything that could stand here.
        if error.start == text.error_since(mark, String::new(), String::new()).start
            && text.mark() == mark
        {
            TextError {
                hint: hint.to_owned(),
                ..error
            }
        } else {
            error
        }
    })
}

fn claim(text: &mut Text<'_>, board: &Board) -> Parsed<Vec<RuleClaim>> {
    articles(text);
    let mark = text.mark();
    if matches!(
        text.peek_word().as_deref(),
        Some("level" | "duty" | "mode" | "angle" | "speed" | "tone" | "state")
    ) {
        let problem = "a rule can only say something about inputs".to_owned();
        text.take(&["level", "duty", "mode", "angle", "speed", "tone", "state"]);
        return Err(text.error_since(mark, problem, CLAIM_HINT.to_owned()));
    }
    let groups = input(text, board, CLAIM_HINT)?;
    let bound_at = text.mark();
    let mut claims = Vec::new();
    for calls in groups {
        // The name may have several types: what is said holds for each, as a value of that type.
        let mut from_here = text.clone();
        let ty = answer_type(board, &calls);
        let bound = bound(&mut from_here, ty)?;
        let Some(call) = exact(board, calls) else {
            return Err(wildcard(text, mark));
        };
        claims.push((RuleClaim { call, bound }, from_here));
    }
    match claims.last() {
        Some((_, after)) => *text = after.clone(),
        None => {
            return Err(text.error_since(
                bound_at,
                "there is no such input".into(),
                CLAIM_HINT.into(),
            ));
        }
    }
    Ok(claims.into_iter().map(|(claim, _)| claim).collect())
}

fn bound(text: &mut Text<'_>, ty: ValType) -> Parsed<Bound> {
    if text.take(&["change", "changes"]) {
        let hint = "write `changes by at most` and a number";
        text.expect(&["by"], hint)?;
        text.expect(&["at"], hint)?;
        text.expect(&["most"], hint)?;
        let mark = text.mark();
        let step = text.value(ty)?;
        if !Codomain::range(Value::default_of(ty), super::sets::bounds(ty).1).contains(step) {
            return Err(text.error_since(
                mark,
                "a change cannot be negative".into(),
                "write a positive number".into(),
            ));
        }
        if text.take(&["between"]) {
            text.take(&["two"]);
            text.expect(&["reads", "readings"], "write `between two reads`")?;
        }
        return Ok(Bound::ChangeAtMost(step));
    }
    if text.take(&["never"]) {
        if text.take(&["fall", "falls", "decrease", "decreases"]) {
            return Ok(Bound::NeverFalls);
        }
        text.expect(
            &["rise", "rises", "increase", "increases"],
            "write `never falls` or `never rises`",
        )?;
        return Ok(Bound::NeverRises);
    }
    relation(text, ty).map(Bound::Within)
}

fn relation(text: &mut Text<'_>, ty: ValType) -> Parsed<Codomain> {
    if text.take(&["is", "are", "=", "=="]) {
        return set(text, ty);
    }
    if text.take(&["!="]) {
        let value = text.value(ty)?;
        return Ok(Codomain::set(ty, &[value]).complement());
    }
    let compares = {
        let mut ahead = text.clone();
        ahead.take(&["<", "<=", ">", ">="])
    };
    if compares {
        set(text, ty)
    } else {
        Err(text.unexpected(RELATION_HINT))
    }
}

/// The call, if all its arguments are given.
fn exact(board: &Board, calls: Calls) -> Option<InputCall> {
    let args: Vec<Value> = calls.args.iter().copied().collect::<Option<_>>()?;
    let first = calls
        .primitives
        .first()
        .and_then(|id| board.primitive(*id))?;
    (args.len() == first.params.len()).then_some(InputCall {
        primitives: calls.primitives,
        args,
    })
}

fn wildcard(text: &Text<'_>, mark: usize) -> TextError {
    text.error_since(
        mark,
        "a rule is about one input with all its arguments".into(),
        "write its arguments as numbers in parentheses: color_sensor(0)".into(),
    )
}
