//! Values as users write and read them.

use borges_vm::{Machine, Outcome, ValType, Value};

/// So many of the bytes that an input brought are shown.
const MOST_BYTES: usize = 64;

/// The value as text: integers in decimal, floats so that they read back exactly (a NaN with other bits than the canonical
/// ones as WebAssembly's text format has it, `nan:0x200000`), references by index.
#[must_use]
pub fn show(value: Value) -> String {
    match value {
        Value::I32(v) => v.to_string(),
        Value::I64(v) => v.to_string(),
        Value::F32(bits) => {
            let value = f32::from_bits(bits);
            nan(value.into(), bits.into(), &SINGLE)
                .unwrap_or_else(|| float(value.into(), &value.to_string()))
        }
        Value::F64(bits) => {
            let value = f64::from_bits(bits);
            nan(value, bits, &DOUBLE).unwrap_or_else(|| float(value, &value.to_string()))
        }
        Value::FuncRef(None) | Value::ExternRef(None) | Value::ExnRef(None) => "null".to_owned(),
        Value::FuncRef(Some(index)) => format!("func {index}"),
        Value::ExternRef(Some(index)) => format!("extern {index}"),
        Value::V128(_) | Value::ExnRef(Some(_)) => value.to_string(),
    }
}

/// Values as text, as a call has its arguments.
#[must_use]
pub(crate) fn show_all(values: &[Value]) -> String {
    let values: Vec<String> = values.iter().map(|value| show(*value)).collect();
    values.join(", ")
}

/// What an input yielded: its value, and the bytes that it brought as a text with escapes, cut where it is long.
#[must_use]
pub(crate) fn show_yield(value: Value, bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return show(value);
    }
    let shown = bytes.get(..MOST_BYTES).unwrap_or(bytes);
    let more = if shown.len() < bytes.len() { "…" } else { "" };
    format!("{}{more}", text_of_yield(value, shown))
}

/// What an input yielded, in full: [`parse_yield`] reads it again.
#[must_use]
pub(crate) fn text_of_yield(value: Value, bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return show(value);
    }
    format!("{} \"{}\"", show(value), bytes.escape_ascii())
}

/// What a user says that an input yields: a value, a text in quotes (the bytes that it brings), or both. Texts know the
/// escapes `\n`, `\r`, `\t`, `\0`, `\\`, `\"`, `\'` and `\xff`.
///
/// # Errors
/// What was expected, for people.
pub(crate) fn parse_yield(
    text: &str,
    ty: ValType,
) -> Result<(Option<Value>, Option<Vec<u8>>), String> {
    let text = text.trim();
    let Some((value, quoted)) = text.split_once('"') else {
        return Ok((Some(parse(text, ty)?), None));
    };
    let inside = quoted
        .strip_suffix('"')
        .ok_or_else(|| format!("'{text}' lacks a closing quote"))?;
    let value = match value.trim() {
        "" => None,
        value => Some(parse(value, ty)?),
    };
    Ok((value, Some(unescaped(inside)?)))
}

/// The parts of a list of values, between commas outside quotes.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |c| {
        let splits = c == ',' && !quoted;
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
        splits
    })
}

/// A text in quotes; nothing for what has none around it.
///
/// # Errors
/// What is wrong with it, for people.
pub(crate) fn parse_quoted(text: &str) -> Result<Option<String>, String> {
    let Some(quoted) = text.strip_prefix('"') else {
        return Ok(None);
    };
    let inside = quoted
        .strip_suffix('"')
        .ok_or_else(|| format!("'{text}' lacks a closing quote"))?;
    let text = String::from_utf8(unescaped(inside)?);
    text.map(Some)
        .map_err(|_| format!("\"{inside}\" is no text in UTF-8"))
}

/// The inverse of [`parse_quoted`].
pub(crate) fn quoted(text: &str) -> String {
    let mut shown = "\"".to_owned();
    for c in text.chars() {
        match u8::try_from(c) {
            Ok(byte) if c.is_ascii() => shown.extend(byte.escape_ascii().map(char::from)),
            _ => shown.push(c),
        }
    }
    shown + "\""
}

/// The bytes of a text with escapes, as [`parse_yield`] knows them.
///
/// # Errors
/// What is no escape.
pub(crate) fn unescaped(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'"' {
            return Err(format!("a quote inside \"{text}\" is written \\\""));
        }
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let wrong = || {
            format!("no such escape in \"{text}\": there are \\n \\r \\t \\0 \\\\ \\\" \\' \\xff")
        };
        let (&escape, after) = rest.split_first().ok_or_else(wrong)?;
        rest = after;
        bytes.push(match escape {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'0' => 0,
            b'\\' | b'"' | b'\'' => escape,
            b'x' => {
                let digits = rest.get(..2).and_then(|digits| str::from_utf8(digits).ok());
                rest = rest.get(2..).unwrap_or_default();
                let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                byte.ok_or_else(wrong)?
            }
            _ => return Err(wrong()),
        });
    }
    Ok(bytes)
}

/// A value as a JSON number, or as text where JSON has no number for it.
pub(crate) fn json(value: Value) -> serde_json::Value {
    use serde_json::Value as Json;
    let float = |number: f64| {
        serde_json::Number::from_f64(number).map_or_else(|| Json::from(show(value)), Json::Number)
    };
    match value {
        Value::I32(number) => Json::from(number),
        Value::I64(number) => Json::from(number),
        // The shortest text that means the same f32, not the digits of its conversion.
        Value::F32(bits) => match f32::from_bits(bits).to_string().parse() {
            Ok(number) => float(number),
            Err(_) => Json::from(show(value)),
        },
        Value::F64(bits) => float(f64::from_bits(bits)),
        Value::FuncRef(_) | Value::ExternRef(_) | Value::V128(_) | Value::ExnRef(_) => {
            Json::from(show(value))
        }
    }
}

/// The results of a finished program, as text.
pub(crate) fn results_of(machine: &Machine) -> Vec<String> {
    match machine.outcome() {
        Some(Outcome::Finished(values)) => values.iter().map(|value| show(*value)).collect(),
        Some(Outcome::Exited(code)) => vec![format!("exit code {code}")],
        _ => Vec::new(),
    }
}

/// Where a float of WebAssembly has the bits that tell one NaN from another.
struct Nans {
    /// Those that all positive NaNs have.
    infinity: u64,
    /// The bits of the payload.
    payload: u64,
    sign: u64,
}

const SINGLE: Nans = Nans {
    infinity: 0x7f80_0000,
    payload: 0x007f_ffff,
    sign: 1 << 31,
};

const DOUBLE: Nans = Nans {
    infinity: 0x7ff0_0000_0000_0000,
    payload: 0x000f_ffff_ffff_ffff,
    sign: 1 << 63,
};

/// A NaN that is not the canonical one, as text.
fn nan(value: f64, bits: u64, nans: &Nans) -> Option<String> {
    let canonical = nans.infinity | (nans.payload / 2 + 1);
    let sign = if bits & nans.sign == 0 { "" } else { "-" };
    (value.is_nan() && bits != canonical).then(|| format!("{sign}nan:{:#x}", bits & nans.payload))
}

/// The bits of a NaN that is written with its payload.
fn parse_nan(text: &str, nans: &Nans) -> Option<u64> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => (nans.sign, text),
        None => (0, text),
    };
    let digits = text.strip_prefix("nan:0x")?;
    let payload = u64::from_str_radix(digits, 16).ok()?;
    let is_nan = !digits.starts_with('+') && (1..=nans.payload).contains(&payload);
    is_nan.then_some(sign | nans.infinity | payload)
}

/// A whole float would look like an integer.
fn float(value: f64, shortest: &str) -> String {
    if value.is_finite() && !shortest.contains(['.', 'e']) {
        format!("{shortest}.0")
    } else {
        shortest.to_owned()
    }
}

/// Reads a value of type `ty`: decimal or `0x` integers (also unsigned ones that fit the width), floats (`NaN`, `inf`, and
/// `nan:0x200000` with a payload among them), `true`, `false`, `null`.
///
/// # Errors
/// What was expected, for people.
pub fn parse(text: &str, ty: ValType) -> Result<Value, String> {
    let text = text.trim();
    let wrong = || format!("'{text}' is not a value of type {ty}");
    match ty {
        ValType::I32 => {
            let wide = integer(text).ok_or_else(wrong)?;
            let fits = i64::from(i32::MIN)..=i64::from(u32::MAX);
            let narrow = i64::try_from(wide).ok().filter(|v| fits.contains(v));
            // An unsigned number above i32::MAX means the same 32 bits.
            narrow
                .map(|v| Value::I32(v as u32 as i32))
                .ok_or_else(wrong)
        }
        ValType::I64 => {
            let wide = integer(text).ok_or_else(wrong)?;
            let fits = i128::from(i64::MIN)..=i128::from(u64::MAX);
            if !fits.contains(&wide) {
                return Err(wrong());
            }
            Ok(Value::I64(wide as u64 as i64))
        }
        ValType::F32 => {
            let read = || text.parse().map(f32::to_bits).ok();
            let bits = parse_nan(text, &SINGLE).map(|bits| bits as u32);
            bits.or_else(read).map(Value::F32).ok_or_else(wrong)
        }
        ValType::F64 => {
            let read = || text.parse().map(f64::to_bits).ok();
            let bits = parse_nan(text, &DOUBLE);
            bits.or_else(read).map(Value::F64).ok_or_else(wrong)
        }
        ValType::FuncRef => reference(text).map(Value::FuncRef).ok_or_else(wrong),
        ValType::ExternRef => reference(text).map(Value::ExternRef).ok_or_else(wrong),
        ValType::V128 => Err("a vector cannot be typed in".to_owned()),
        ValType::ExnRef => Err("an exception cannot be typed in".to_owned()),
    }
}

fn integer(text: &str) -> Option<i128> {
    match text {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let digits = digits.replace('_', "");
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let value = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        Some(hex) if !hex.starts_with(['+', '-']) => i128::from(u64::from_str_radix(hex, 16).ok()?),
        Some(_) => return None,
        None => i128::from(digits.parse::<u64>().ok()?),
    };
    Some(if negative { -value } else { value })
}

fn reference(text: &str) -> Option<Option<u32>> {
    if text == "null" {
        return Some(None);
    }
    let index = text
        .strip_prefix("func ")
        .or_else(|| text.strip_prefix("extern "))
        .unwrap_or(text);
    index.trim().parse().ok().map(Some)
}

/// How many of the bytes of a text that goes on are whole characters: one that was cut in two is no other character.
pub(crate) fn whole_characters(bytes: &[u8]) -> usize {
    let cut = bytes.utf8_chunks().last().map_or(0, |last| {
        let begun = last.invalid();
        let is_cut = std::str::from_utf8(begun).is_err_and(|error| error.error_len().is_none());
        if is_cut { begun.len() } else { 0 }
    });
    bytes.len() - cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_reads_back() {
        let values = [
            Value::I32(-1),
            Value::I32(i32::MIN),
            Value::I64(i64::MIN),
            Value::I64(i64::MAX),
            Value::F32(1.0f32.to_bits()),
            Value::F32(0.1f32.to_bits()),
            Value::F32(f32::INFINITY.to_bits()),
            Value::F64((-0.0f64).to_bits()),
            Value::F64(1e300f64.to_bits()),
            Value::F32(0x7fc0_0000),
            Value::F32(0xffc0_0000),
            Value::F32(0x7f80_0001),
            Value::F32(0xffff_ffff),
            Value::F64(0x7ff8_0000_0000_0000),
            Value::F64(0xfff8_0000_0000_0000),
            Value::F64(0x7ff0_0000_0000_0001),
            Value::F64(0xffff_ffff_ffff_ffff),
            Value::FuncRef(None),
            Value::FuncRef(Some(3)),
            Value::ExternRef(Some(0)),
        ];
        for value in values {
            assert_eq!(
                parse(&show(value), value.ty()),
                Ok(value),
                "{}",
                show(value)
            );
        }
    }

    #[test]
    fn what_was_yielded_reads_back() {
        let all: Vec<u8> = (0..=255).collect();
        let texts: [&[u8]; 4] = [b"OK\r\n", b"a \"b\" \\ 'c', d = then", "é".as_bytes(), &all];
        for bytes in texts {
            let text = text_of_yield(Value::I32(-3), bytes);
            let back = parse_yield(&text, ValType::I32);
            assert_eq!(
                back,
                Ok((Some(Value::I32(-3)), Some(bytes.to_vec()))),
                "{text}"
            );
        }
        assert_eq!(
            parse_yield("7", ValType::I32),
            Ok((Some(Value::I32(7)), None))
        );
        assert_eq!(parse_yield("\"\"", ValType::I32), Ok((None, Some(vec![]))));
        let list = parts(r#"3, "a, \"b", 4 "c\\", 5"#).map(str::trim);
        let list: Vec<_> = list.collect();
        assert_eq!(list, ["3", r#""a, \"b""#, r#"4 "c\\""#, "5"]);
        for wrong in [
            "\"a",
            "x \"a\"",
            "\"\\q\"",
            "\"\\x4\"",
            "\"\\",
            "\"a\"b\"",
            "3 \"a\" 4",
        ] {
            assert!(parse_yield(wrong, ValType::I32).is_err(), "{wrong}");
        }
        assert!(show_yield(Value::I32(65), &[b'a'; 65]).ends_with("a\"…"));
        assert!(show_yield(Value::I32(64), &[b'a'; 64]).ends_with("a\""));
    }

    #[test]
    fn unsigned_and_hexadecimal_integers_mean_their_bits() {
        assert_eq!(parse("4294967295", ValType::I32), Ok(Value::I32(-1)));
        assert_eq!(parse("0xff", ValType::I32), Ok(Value::I32(255)));
        assert_eq!(parse("true", ValType::I32), Ok(Value::I32(1)));
        assert!(parse("4294967296", ValType::I32).is_err());
        assert!(parse("-2147483649", ValType::I32).is_err());
        assert!(parse("--1", ValType::I64).is_err());
        assert!(parse("0x+1", ValType::I64).is_err());
        assert!(parse("", ValType::F64).is_err());
    }

    #[test]
    fn a_nan_has_a_payload_that_fits() {
        assert_eq!(show(Value::F32(0xffa0_0000)), "-nan:0x200000");
        for wrong in ["nan:0x0", "nan:0x+1", "nan:1", "nan:0x800000"] {
            assert!(parse(wrong, ValType::F32).is_err(), "{wrong}");
        }
        assert!(parse("nan:0x800000", ValType::F64).is_ok());
        assert!(parse("nan:0x10000000000000", ValType::F64).is_err());
    }
}
