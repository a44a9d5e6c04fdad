//! The arguments of commands: places, breakpoints, mocks.

use borges_session::command::{Act, CodePlace, MockValues, NewBreakpoint, StopKind};
use borges_session::values::parts;

use crate::cursor::{Cursor, Misread, Word, number};

/// `[AGENT]`, where a number may follow.
pub fn agent(cursor: &mut Cursor<'_>) -> Option<String> {
    let named = |word: &Word<'_>| !word.text.starts_with(|c: char| c.is_ascii_digit());
    cursor.peek().filter(named)?;
    cursor.word().map(|word| word.text.to_owned())
}

/// `[COUNT]` of steps, at least one.
pub fn steps(cursor: &mut Cursor<'_>) -> Result<u64, Misread> {
    let word = cursor.rest();
    match cursor.number_or("a number of steps", 1)? {
        0 => Err(Misread::of(word, "no step at all would be taken").hint("give 1 or more")),
        count => Ok(count),
    }
}

/// `19`, `file:19`, `@0x1a3` or a function's name.
pub fn code_place(word: Word<'_>) -> Result<CodePlace, Misread> {
    let text = word.text;
    if let Some(offset) = text.strip_prefix('@') {
        let at = word.at + 1;
        let number = number(Word { text: offset, at }).and_then(|n| u32::try_from(n).ok());
        let wrong = || Misread::of(word, format!("'{text}' is no byte offset"));
        let place = number.map(CodePlace::Offset);
        return place.ok_or_else(|| wrong().hint("for example @0x1a3"));
    }
    let (file, line) = match text.rsplit_once(':') {
        Some((file, line)) => (file, line),
        None => ("", text),
    };
    if !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit()) {
        return match line.parse() {
            Ok(line) if line > 0 => Ok(CodePlace::Line {
                file: (!file.is_empty()).then(|| file.to_string()),
                line,
            }),
            _ => {
                Err(Misread::of(word, format!("no file has a line {line}"))
                    .hint("lines count from 1"))
            }
        };
    }
    // `a::b` is a name in C++ and Rust; `file.ts:x` is a line that went wrong.
    if let Some((file, line)) = text.split_once(':')
        && !text.contains("::")
    {
        let at = Word {
            text: line,
            at: word.at + file.len() + 1,
        };
        return Err(Misread::of(at, format!("'{line}' is no line of {file}"))
            .hint("for example color-dial.ts:19"));
    }
    Ok(CodePlace::Function(text.to_string()))
}

const KEYWORDS: &[&str] = &["of", "if", "hits", "log"];

/// `WHERE [of AGENT] [if EXPRESSION] [hits N] [log "TEXT"]`.
pub fn breakpoint(cursor: &mut Cursor<'_>) -> Result<NewBreakpoint, Misread> {
    let kind = stop_kind(cursor)?;
    let mut breakpoint = NewBreakpoint {
        kind,
        agent: None,
        condition: None,
        hits: 0,
        log: None,
    };
    while let Some(word) = cursor.word() {
        match word.text {
            "of" => breakpoint.agent = Some(cursor.name("an agent")?),
            "if" => {
                let condition = cursor
                    .phrase(KEYWORDS)
                    .ok_or_else(|| cursor.missing("an expression after 'if'"))?;
                breakpoint.condition = Some(condition.text.to_string());
            }
            "hits" => breakpoint.hits = cursor.number("a number of times")?,
            "log" => {
                if cursor.is_done() {
                    return Err(cursor
                        .missing("a text after 'log'")
                        .hint("for example log \"x is {x}\""));
                }
                breakpoint.log = Some(cursor.quoted()?);
            }
            other => {
                let error = Misread::of(word, format!("'{other}' is not understood here"));
                let known = "here may follow: of AGENT, if EXPRESSION, hits N, log \"TEXT\"";
                return Err(error.hint(known));
            }
        }
    }
    Ok(breakpoint)
}

fn stop_kind(cursor: &mut Cursor<'_>) -> Result<StopKind, Misread> {
    let word =
        cursor.required("where to stop: a line, a function, or write, call, trap, event, limit")?;
    // A function may be called like one of the keywords, so a keyword needs its argument.
    let argument = |cursor: &mut Cursor<'_>, what: &str| {
        cursor
            .phrase(KEYWORDS)
            .map(|w| w.text.to_string())
            .ok_or_else(|| {
                cursor.missing(what).hint(format!(
                    "to stop at a function called {0}: break function {0}",
                    word.text
                ))
            })
    };
    Ok(match word.text {
        "write" => StopKind::Write(argument(cursor, "what is written: a variable or memory")?),
        "call" => StopKind::Primitive(argument(cursor, "the primitive's name")?),
        "function" => StopKind::Code(CodePlace::Function(argument(
            cursor,
            "the function's name",
        )?)),
        "trap" => StopKind::Trap,
        "event" => StopKind::Event,
        "limit" => StopKind::Limit,
        _ => StopKind::Code(code_place(word)?),
    })
}

/// `NUMBER…` or `all` (no number).
pub fn identifiers(cursor: &mut Cursor<'_>) -> Result<Vec<u32>, Misread> {
    if cursor.keyword("all") {
        return Ok(Vec::new());
    }
    let mut ids = vec![identifier(cursor)?];
    while !cursor.is_done() {
        ids.push(identifier(cursor)?);
    }
    Ok(ids)
}

/// `NUMBER` of a breakpoint.
pub fn identifier(cursor: &mut Cursor<'_>) -> Result<u32, Misread> {
    cursor.small("a breakpoint's number, or all")
}

/// The words up to one with which something else begins; none if that is the next.
pub(crate) fn words_until(
    cursor: &mut Cursor<'_>,
    ends: impl Fn(&Cursor<'_>) -> bool,
) -> Option<String> {
    let mut words = Vec::new();
    while !ends(cursor)
        && let Some(word) = cursor.word()
    {
        words.push(word.text);
    }
    (!words.is_empty()).then(|| words.join(" "))
}

/// A number that a bound has.
pub(crate) fn large(word: Word<'_>) -> Result<u64, Misread> {
    number(word).ok_or_else(|| Misread::of(word, "expected a whole number"))
}

/// A smaller one.
pub(crate) fn small(word: Word<'_>) -> Result<u32, Misread> {
    u32::try_from(large(word)?).map_err(|_| Misread::of(word, "this number is too large"))
}

/// A time that a bound has, in milliseconds.
pub(crate) fn seconds(word: Word<'_>) -> Result<u32, Misread> {
    let seconds: Option<f64> = word.text.parse().ok();
    let seconds = seconds.filter(|seconds| (0.0..=4_000_000.0).contains(seconds));
    let wrong = || Misread::of(word, "expected a number of seconds").hint("for example 2.5");
    seconds.map(|s| (s * 1000.0) as u32).ok_or_else(wrong)
}

/// `CALL = VALUE[, VALUE…] [then live]`.
pub fn mock(cursor: &mut Cursor<'_>) -> Result<Act, Misread> {
    let Some(call) = cursor.until('=') else {
        let rest = cursor.take_rest();
        return Err(Misread {
            at: rest.at + rest.text.len(),
            length: 0,
            message: "something is missing: = and the values".to_string(),
            hint: "for example mock color_sensor(0) = 3, 7 then live".to_string(),
        });
    };
    check_call(call)?;
    let Some(list) = cursor.phrase(&["then"]) else {
        return Err(cursor.missing("a value after '='"));
    };
    let values = match is_file(call.text) && !list.text.starts_with('"') {
        // A path of the host, which may have anything in it.
        true => vec![list.text.to_owned()],
        false => value_list(list)?,
    };
    let values = match cursor.word() {
        None => MockValues::Sequence(values),
        Some(_) => {
            let after = cursor.required("'live' after 'then'")?;
            if after.text != "live" {
                return Err(Misread::of(after, "only 'live' can follow 'then'"));
            }
            MockValues::Then(values)
        }
    };
    Ok(Act::Mock {
        call: call.text.to_string(),
        values,
    })
}

/// Whether a mock is one of what is in a file of the program: `file "PATH"`.
pub(crate) fn is_file(call: &str) -> bool {
    call.starts_with("file \"")
}

/// Checks the shape of `name` or `name(argument, …)`; the session knows which names there are.
fn check_call(call: Word<'_>) -> Result<(), Misread> {
    let name = call.text.split('(').next().unwrap_or_default().trim();
    if name.starts_with("stdin from ") || is_file(call.text) {
        return Ok(());
    }
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(Misread::of(call, "this is no call of a primitive")
            .hint("for example color_sensor(0), or color_sensor for any arguments"));
    }
    let arguments = call.text[name.len()..].trim();
    let closed = match arguments.strip_prefix('(').map(Cursor::new) {
        // Parentheses in quotes are the name of a file's.
        Some(mut inside) => inside.until(')').is_some() && inside.is_done(),
        None => arguments.is_empty(),
    };
    if closed {
        Ok(())
    } else {
        let wrong = "the parentheses of this call do not match";
        Err(Misread::of(call, wrong))
    }
}

fn value_list(list: Word<'_>) -> Result<Vec<String>, Misread> {
    let mut values = Vec::new();
    let mut at = list.at;
    for part in parts(list.text) {
        let value = part.trim();
        // `3 "bytes"` is one: what an input returns, and what it brings.
        let number = value.split('"').next().unwrap_or(value).trim();
        if value.is_empty() || number.contains(char::is_whitespace) {
            return Err(Misread {
                at: at + (part.len() - part.trim_start().len()),
                length: value.len(),
                message: "expected one value between two commas".to_string(),
                hint: "for example 3, 7".to_string(),
            });
        }
        values.push(value.to_string());
        at += part.len() + 1;
    }
    Ok(values)
}
