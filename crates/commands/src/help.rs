//! Help, made from the table of commands: for the terminal and as `docs/commands.md`.

use std::fmt::Write as _;

use crate::paint::{Paint, wrap};

use crate::table::{Spec, Table, Unknown, find};

/// All commands, a line each.
pub fn overview<R>(table: Table<R>, paint: &Paint) -> String {
    let column = table
        .iter()
        .map(|spec| heading(spec).chars().count())
        .max()
        .unwrap_or_default();
    let mut text = String::new();
    for group in table.0 {
        let _ = writeln!(text, "{}", paint.heading(group.name));
        for spec in group.commands {
            let name = heading(spec);
            let summary = paint.fit(spec.summary, paint.width.saturating_sub(column + 4));
            let padded = format!("{name:column$}");
            let _ = writeln!(text, "  {}  {summary}", paint.typed(padded));
        }
    }
    text.push_str(
        "'help COMMAND' tells more. An empty line repeats a motion, Tab completes, 'a; b' does both.\n",
    );
    text
}

/// `name letters`, as the overview lists it.
fn heading<R>(spec: &Spec<R>) -> String {
    let mut name = spec.name.to_string();
    for letter in spec.letters {
        let _ = write!(name, " {letter}");
    }
    name
}

/// One command in full.
///
/// # Errors
/// No command has this name.
pub fn topic<R>(table: Table<R>, name: &str, paint: &Paint) -> Result<String, Unknown> {
    let spec = find(table, name)?;
    let mut text = String::new();
    let _ = writeln!(text, "{}", paint.typed(spec.usage()));
    if !spec.letters.is_empty() {
        let _ = writeln!(text, "  also: {}", spec.letters.join(", "));
    }
    let mut body = format!("{}.", capitalised(spec.summary));
    if !spec.details.is_empty() {
        let _ = write!(body, "\n{}", spec.details);
    }
    if spec.repeats {
        body.push_str("\nAn empty line repeats it.");
    }
    for line in wrap(&body, paint.width.saturating_sub(2)) {
        let _ = writeln!(text, "  {line}");
    }
    let column = example_column(spec.examples, 40);
    for (example, meaning) in spec.examples {
        let padded = format!("{example:column$}");
        let _ = writeln!(text, "    {}  {}", paint.typed(padded), paint.dim(meaning));
    }
    Ok(text)
}

fn example_column(examples: &[(&str, &str)], limit: usize) -> usize {
    examples
        .iter()
        .map(|(e, _)| e.chars().count())
        .filter(|&n| n <= limit)
        .max()
        .unwrap_or_default()
}

/// The table as a chapter of a Markdown page.
pub fn markdown<R>(title: &str, table: Table<R>) -> String {
    let mut text = format!("## {title}\n");
    for group in table.0 {
        let _ = writeln!(text, "\n### {}\n", group.name);
        let _ = writeln!(text, "| command | also | what it does |");
        let _ = writeln!(text, "|---|---|---|");
        for spec in group.commands {
            let letters: Vec<String> = spec.letters.iter().map(|l| format!("`{l}`")).collect();
            let _ = writeln!(
                text,
                "| `{}` | {} | {} |",
                escaped(&spec.usage()),
                letters.join(" "),
                escaped(spec.summary)
            );
        }
        for spec in group.commands {
            markdown_details(&mut text, spec);
        }
    }
    text
}

fn markdown_details<R>(text: &mut String, spec: &Spec<R>) {
    if spec.details.is_empty() && spec.examples.is_empty() {
        return;
    }
    let details = spec.details.replace('\n', " ");
    let _ = writeln!(
        text,
        "\n**{}** — {}.{}{}",
        spec.name,
        spec.summary,
        if details.is_empty() { "" } else { " " },
        details.replace('<', "&lt;")
    );
    if spec.examples.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n```text");
    let column = example_column(spec.examples, 60);
    for (example, meaning) in spec.examples {
        let _ = writeln!(text, "{example:column$}  # {meaning}");
    }
    let _ = writeln!(text, "```");
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}
