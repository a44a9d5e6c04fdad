//! What names mean, and which ones are near one that means nothing.

use std::fmt;

/// Most names that an error lists.
const MAX_LISTED: usize = 6;

/// Names that are known where another one was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Those that are nearly the same; if none is, the first that there are.
    pub names: Vec<String>,
    /// True if these are slips of the pen away from what was asked.
    pub near: bool,
    /// There are more that are not listed.
    pub more: bool,
}

impl Known {
    /// Of `names`, those nearest to `wrong`; if none is near, the first few.
    pub fn near<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Known {
        let mut all: Vec<&str> = Vec::new();
        for name in names.filter(|name| !name.is_empty()) {
            if !all.contains(&name) {
                all.push(name);
            }
        }
        let mut near: Vec<(usize, &str)> = all
            .iter()
            .filter_map(|name| Some((distance(wrong, name)?, *name)))
            .collect();
        near.sort_unstable();
        let listed: Vec<&str> = match near.is_empty() {
            true => all,
            false => near.into_iter().map(|(_, name)| name).take(3).collect(),
        };
        Known {
            near: listed
                .first()
                .is_some_and(|name| distance(wrong, name).is_some()),
            more: listed.len() > MAX_LISTED,
            names: listed
                .iter()
                .take(MAX_LISTED)
                .map(|name| (*name).to_owned())
                .collect(),
        }
    }
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((last, before)) = self.names.split_last() else {
            return Ok(());
        };
        if !self.near {
            let more = if self.more { ", …" } else { "" };
            return write!(f, "; there is {}{more}", self.names.join(", "));
        }
        match before {
            [] => write!(f, "; did you mean {last}?"),
            before => write!(f, "; did you mean {} or {last}?", before.join(", ")),
        }
    }
}

/// Letters to change, add, remove or swap, if that is no more than a third of them.
fn distance(wrong: &str, known: &str) -> Option<usize> {
    let (wrong, known) = (wrong.to_lowercase(), known.to_lowercase());
    let longest = wrong.chars().count().max(known.chars().count());
    if longest > 64 {
        return None;
    }
    let distance = strsim::osa_distance(&wrong, &known);
    (distance <= longest.div_ceil(3)).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(wrong: &str, names: &[&str]) -> String {
        Known::near(wrong, names.iter().copied()).to_string()
    }

    #[test]
    fn near_names_come_first_and_others_where_none_is_near() {
        let names = ["byte", "parser", "p", "index"];
        assert_eq!(said("bite", &names), "; did you mean byte?");
        assert_eq!(said("zzzz", &names), "; there is byte, parser, p, index");
        assert_eq!(
            said("lock1", &["lock2", "locks", "door"]),
            "; did you mean lock2 or locks?"
        );
        assert_eq!(said("x", &[]), "");
        let many = ["aa", "bb", "cc", "dd", "ee", "ff", "gg"];
        assert_eq!(said("zzz", &many), "; there is aa, bb, cc, dd, ee, ff, …");
        assert_eq!(said("zzz", &many[..6]), "; there is aa, bb, cc, dd, ee, ff");
    }

    #[test]
    fn very_long_names_are_compared_with_nothing() {
        let (at, past) = ("a".repeat(64), "a".repeat(65));
        assert!(Known::near(&at, [at.as_str()].into_iter()).near);
        assert!(!Known::near(&past, [past.as_str()].into_iter()).near);
    }
}
