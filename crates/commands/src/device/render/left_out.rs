//! What an answer about futures leaves out.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use borges_session::suggest::UnexploredReport;

use crate::paint::{Paint, count};

/// Things that were left out that are named; the others are counted.
const MOST_NAMED: usize = 10;

/// What was left out, each reason at a place once.
pub fn left_out(unexplored: &[UnexploredReport], paint: &Paint) -> String {
    let mut known: Vec<(&UnexploredReport, u64)> = Vec::new();
    let mut more = BTreeSet::new();
    for left in unexplored {
        let same = |(other, _): &(&UnexploredReport, u64)| {
            other.place == left.place && other.reason == left.reason
        };
        match known.iter().position(same) {
            Some(at) => known[at].1 += 1,
            None if known.len() < MOST_NAMED => known.push((left, 1)),
            None => {
                more.insert((&left.place, &left.reason));
            }
        }
    }
    let mut text = String::new();
    for (left, times) in known {
        let place = left.place.as_ref();
        let place = place.map_or_else(String::new, |place| format!(" at {place}"));
        let times = match times {
            1 => String::new(),
            times => format!(" ({} lead there)", count(times, "path")),
        };
        let what = match left.bound {
            Some(_) => "cut",
            None => "not explored",
        };
        let words = format!("{what}{place}: {}{times}", left.reason);
        let _ = writeln!(text, "{}", paint.warning(&words));
    }
    if !more.is_empty() {
        let words = format!("… and {} more that are missing: --json has all", more.len());
        let _ = writeln!(text, "{}", paint.warning(words));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What does not fit is counted: nothing is missing without a word.
    #[test]
    fn what_is_left_out_is_named_or_counted() {
        let left = |number: usize| UnexploredReport {
            reason: format!("reason {number}"),
            place: None,
            inputs: Vec::new(),
            bound: None,
        };
        let told = |count| {
            // Each of them twice.
            let all: Vec<_> = (0..count).chain(0..count).map(left).collect();
            left_out(&all, &Paint::new(false, 80))
        };
        let ten = told(10);
        assert_eq!(ten.lines().count(), 10, "{ten}");
        assert!(!ten.contains('…') && ten.contains("reason 9 (2 paths lead there)"));
        let eleven = told(11);
        assert_eq!(
            eleven.lines().last(),
            Some("… and 1 more that are missing: --json has all")
        );
        assert!(!eleven.contains("reason 10"));
    }
}
