//! Sets of values in words: short, whatever they are.

use borges_board::choice_text;
use borges_concolic::{ReadPart, Set, value_of};
use borges_vm::{ValType, Value};

use crate::values::{show, text_of_yield};

/// Parts of a set that are written.
const MOST_PARTS: usize = 6;
/// Of more, so many are, before it is said how many others there are.
const FIRST_PARTS: usize = 4;

/// A set in words: its intervals; what comes again and again as a remainder; of many parts the first.
pub(super) fn describe(set: &Set, ty: ValType) -> String {
    if let ([(only, last)], ValType::I32 | ValType::I64) = (set.intervals(), ty)
        && only == last
    {
        return show(value_of(ty, *only));
    }
    let codomain = set.to_codomain(ty);
    let parts = codomain.intervals();
    if parts.len() <= 2 {
        return codomain.describe();
    }
    if let Some(words) = remainders(&parts) {
        return words;
    }
    if parts.len() <= MOST_PARTS {
        return codomain.describe();
    }
    let first: Vec<String> = parts.iter().take(FIRST_PARTS).map(part).collect();
    let more = parts.len() - FIRST_PARTS;
    format!(
        "{} and {more} more parts up to {}",
        first.join(", "),
        show(parts[parts.len() - 1].1)
    )
}

/// A value of a part of a call in words.
pub(super) fn value(value: Value, part: &ReadPart) -> String {
    match part {
        ReadPart::Fault => match choice_text(&value.into()) {
            Some(error) => error.to_owned(),
            None => "ok".to_owned(),
        },
        ReadPart::Given(yielded) => text_of_yield(value, &yielded.bytes),
        ReadPart::Value | ReadPart::Byte(_) => show(value),
    }
}

/// The values of a part of a call in words: bytes that are printed as characters, errors by their names.
pub(super) fn of_part(set: &Set, ty: ValType, part: &ReadPart) -> String {
    let printed = |cell: &u64| (0x20..0x7f).contains(cell);
    let intervals = set.intervals();
    match part {
        ReadPart::Byte(_) if intervals.iter().all(|(a, b)| printed(a) && printed(b)) => {
            let shown = |cell: u64| format!("'{}'", (cell as u8).escape_ascii());
            let parts = intervals.iter().map(|(low, high)| match low == high {
                true => shown(*low),
                false => format!("{}..{}", shown(*low), shown(*high)),
            });
            parts.collect::<Vec<String>>().join(", ")
        }
        ReadPart::Fault | ReadPart::Given(_) => {
            let cells = intervals.iter().flat_map(|(low, high)| *low..=*high);
            let values = cells.map(|cell| value(value_of(ty, cell), part));
            values.collect::<Vec<String>>().join(", ")
        }
        _ => describe(set, ty),
    }
}

fn part(&(low, high): &(Value, Value)) -> String {
    match low == high {
        true => show(low),
        false => format!("{}..{}", show(low), show(high)),
    }
}

/// Parts of one width at equal distances: `5 modulo 8 (5..4093)`. The last one may be cut off.
fn remainders(parts: &[(Value, Value)]) -> Option<String> {
    let numbers: Option<Vec<(i128, i128)>> = parts
        .iter()
        .map(|(low, high)| Some((number(*low)?, number(*high)?)))
        .collect();
    let numbers = numbers?;
    let (&(first, end), &(second, _)) = (numbers.first()?, numbers.get(1)?);
    let (width, distance) = (end - first, second - first);
    let (last, others) = numbers.split_last()?;
    let starts = numbers
        .windows(2)
        .all(|pair| pair[1].0 - pair[0].0 == distance);
    let widths = others.iter().all(|(low, high)| high - low == width) && last.1 - last.0 <= width;
    if !starts || !widths {
        return None;
    }
    let remainder = first.rem_euclid(distance);
    let which = match width {
        0 => remainder.to_string(),
        _ if remainder + width < distance => format!("{remainder}..{}", remainder + width),
        _ => return None,
    };
    Some(format!("{which} modulo {distance} ({first}..{})", last.1))
}

fn number(value: Value) -> Option<i128> {
    match value {
        Value::I32(v) => Some(v.into()),
        Value::I64(v) => Some(v.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: impl IntoIterator<Item = (u64, u64)>) -> String {
        describe(&Set::of(parts.into_iter().collect()), ValType::I32)
    }

    #[test]
    fn remainders_are_named() {
        assert_eq!(
            of((0..512).map(|n| (5 + 8 * n, 5 + 8 * n))),
            "5 modulo 8 (5..4093)"
        );
        assert_eq!(
            of((0..64).map(|n| (64 * n, 64 * n + 15))),
            "0..15 modulo 64 (0..4047)"
        );
        let cut = [(0, 15), (64, 79), (128, 130)];
        assert_eq!(of(cut), "0..15 modulo 64 (0..130)");
        let negative = (0..4).map(|n| {
            (
                u64::from(u32::MAX) - 9 + 3 * n,
                u64::from(u32::MAX) - 9 + 3 * n,
            )
        });
        assert_eq!(of(negative), "2 modulo 3 (-10..-1)");
    }

    #[test]
    fn six_parts_are_written_and_of_seven_the_first() {
        let parts = [
            (0, 0),
            (2, 3),
            (7, 9),
            (20, 20),
            (33, 40),
            (50, 50),
            (61, 62),
        ];
        assert_eq!(
            of(parts[..6].iter().copied()),
            "0, 2, 3, 7..9, 20, 33..40 or 50"
        );
        assert_eq!(of(parts), "0, 2..3, 7..9, 20 and 3 more parts up to 62");
    }
}
