//! Completion of what is being typed, from a table of commands.

use crate::table::{Completes, Table, find};

/// Where a completion begins, and what it can be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Byte offset of the word that is completed.
    pub start: usize,
    /// What it can become.
    pub candidates: Vec<String>,
}

/// Completes the word that ends at `at`: a command's name, or one of its arguments, which `candidates` lists.
pub fn complete<R>(
    table: Table<R>,
    line: &str,
    at: usize,
    mut candidates: impl FnMut(Completes) -> Vec<String>,
) -> Completion {
    let Some(typed) = line.get(..at) else {
        return Completion::default();
    };
    // Only the last of several commands on the line is being typed.
    let from = typed.rfind(';').map_or(0, |index| index + 1);
    let command = &typed[from..];
    let trimmed = command.trim_start();
    let start = at - trimmed.len();
    let Some((name, _)) = trimmed.split_once(char::is_whitespace) else {
        let names = table.iter().map(|spec| spec.name.to_string());
        return matching(start, trimmed, names.collect());
    };
    let Ok(spec) = find(table, name) else {
        return Completion::default();
    };
    let all: Vec<String> = spec
        .completes
        .iter()
        .flat_map(|kind| match kind {
            Completes::Command => table.iter().map(|s| s.name.to_string()).collect(),
            Completes::Words(words) => words.iter().map(ToString::to_string).collect(),
            Completes::File => files(),
            other => candidates(*other),
        })
        .collect();
    // A word up to a space first (`color-dial.ts:2`), then one inside an expression (`a+cur`).
    let word = typed
        .rfind(char::is_whitespace)
        .map_or(at, |index| index + 1);
    let found = matching(word, &typed[word..], all.clone());
    if !found.candidates.is_empty() {
        return found;
    }
    let inner = typed
        .rfind(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
        .map_or(at, |index| {
            index + typed[index..].chars().next().map_or(1, char::len_utf8)
        });
    if inner > word && inner < at {
        matching(inner, &typed[inner..], all)
    } else {
        found
    }
}

/// Files of the working folder.
fn files() -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(".") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect()
}

fn matching(start: usize, prefix: &str, mut all: Vec<String>) -> Completion {
    all.retain(|candidate| candidate.starts_with(prefix));
    all.sort();
    all.dedup();
    Completion {
        start,
        candidates: all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::COMMANDS;

    fn check(line: &str, start: usize, expected: &[&str]) {
        let completion = complete(COMMANDS, line, line.len(), |kind| {
            let list: &[&str] = match kind {
                Completes::Variable => &["counter", "current", "state"],
                Completes::Line => &["color-dial.ts:21", "color-dial.ts:24"],
                Completes::Function => &["main", "turnTo"],
                _ => &[],
            };
            list.iter().map(ToString::to_string).collect()
        });
        assert_eq!(completion.candidates, expected, "{line}");
        if !expected.is_empty() {
            assert_eq!(completion.start, start, "{line}");
        }
    }

    #[test]
    fn commands_and_their_arguments_are_completed() {
        check("comp", 0, &["compare"]);
        check("B 1; unm", 5, &["unmock"]);
        check("p cu", 2, &["current"]);
        check("p 1+(cou", 5, &["counter"]);
        check(
            "B color-dial.ts:2",
            2,
            &["color-dial.ts:21", "color-dial.ts:24"],
        );
        check("until tu", 6, &["turnTo"]);
        check("follow a", 7, &["always"]);
        check("help reverse-f", 5, &["reverse-finish"]);
        check("nonsense x", 0, &[]);
        check("é", 0, &[]);
    }
}
