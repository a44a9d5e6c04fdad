//! Colours, by role. Nothing is said by colour alone, and nothing that is painted can steer the terminal.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// The roles, each with its method and its style.
macro_rules! roles {
    ($($(#[$about:meta])+ $role:ident $method:ident $style:expr;)+) => {
        /// What a piece of text is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Role {
            $($(#[$about])+ $role,)+
        }

        impl Role {
            const fn style(self) -> Style {
                match self {
                    $(Self::$role => $style,)+
                }
            }
        }

        impl Paint {
            $($(#[$about])+
            pub fn $method(&self, text: impl Display) -> String {
                self.paint(Role::$role, text)
            })+
        }
    };
}

roles! {
    /// A heading.
    Heading heading Style::new().bold();
    /// A place in the source or the multiverse.
    Place place AnsiColor::Cyan.on_default();
    /// The current line or entry.
    Current current AnsiColor::Green.on_default().bold();
    /// Line numbers, offsets, types: what stands back.
    Dim dim Style::new().dimmed();
    /// A name.
    Name name AnsiColor::Blue.on_default();
    /// A value.
    Value value Style::new();
    /// Something that changed.
    Changed changed AnsiColor::Yellow.on_default().bold();
    /// What went well.
    Good good AnsiColor::Green.on_default();
    /// A trap, an error.
    Bad bad AnsiColor::Red.on_default().bold();
    /// What the user should know.
    Warning warning AnsiColor::Yellow.on_default();
    /// What can be typed.
    Typed typed Style::new().bold();
}

/// Paints text, or leaves it plain.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    coloured: bool,
    /// Columns to fit into.
    pub width: usize,
    /// Where sentences break; `None` where nobody sees columns: programs that read them want them whole.
    margin: Option<usize>,
}

impl Paint {
    /// With or without colours, `width` columns wide.
    pub fn new(coloured: bool, width: usize) -> Self {
        Self {
            coloured,
            width,
            margin: Some(width),
        }
    }

    /// As wide as the terminal, between 40 and 160 columns; 80 without one.
    pub fn on(coloured: bool, columns: Option<u16>) -> Self {
        let margin = columns.map(|columns| usize::from(columns).clamp(40, 160));
        Self {
            coloured,
            width: margin.unwrap_or(80),
            margin,
        }
    }

    /// `text`, painted.
    pub fn paint(&self, role: Role, text: impl Display) -> String {
        let text = printable(&text.to_string());
        let style = role.style();
        match self.coloured && !text.is_empty() && !style.is_plain() {
            true => format!("{style}{text}{style:#}"),
            false => text,
        }
    }

    /// The lines of a sentence that stands `indent` columns from the left.
    pub fn wrapped(&self, text: &str, indent: usize) -> Vec<String> {
        let text = printable(text);
        match self.margin {
            Some(margin) => wrap(&text, margin.saturating_sub(indent).max(20)),
            None => text.lines().map(str::to_string).collect(),
        }
    }

    /// `text` cut to `width` columns, with `…` for what is cut.
    pub fn fit(&self, text: &str, width: usize) -> String {
        let text = printable(text);
        if text.chars().count() <= width {
            return text;
        }
        let kept: String = text.chars().take(width.saturating_sub(1)).collect();
        kept + "…"
    }
}

/// `text` in lines of at most `width` columns, broken at spaces; lines that fit stay as they are.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        if paragraph.chars().count() <= width {
            lines.push(paragraph.to_string());
            continue;
        }
        let mut line = String::new();
        let mut columns = 0;
        for word in paragraph.split_whitespace() {
            let length = word.chars().count();
            if columns > 0 && columns + 1 + length > width {
                lines.push(std::mem::take(&mut line));
                columns = 0;
            }
            if columns > 0 {
                line.push(' ');
                columns += 1;
            }
            line.push_str(word);
            columns += length;
        }
        lines.push(line);
    }
    lines
}

/// Replaces control characters, so that a program's names and texts cannot steer the terminal.
pub fn printable(text: &str) -> String {
    text.replace(
        |c: char| c.is_control() && c != '\n' && c != '\t',
        "\u{fffd}",
    )
}

/// A line for each of these, or a word on there being none.
pub(crate) fn listed<T>(all: &[T], none: &str, line: impl FnMut(&T) -> String) -> String {
    match all {
        [] => format!("{none}\n"),
        all => all.iter().map(line).map(|line| line + "\n").collect(),
    }
}

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes with a unit.
pub fn bytes(number: u64) -> String {
    match number {
        0..1024 => format!("{number} B"),
        1024..0x10_0000 => format!("{:.1} KiB", number as f64 / 1024.0),
        0x10_0000..0x4000_0000 => format!("{:.1} MiB", number as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", number as f64 / 1_073_741_824.0),
    }
}

/// `1 byte`, `2 bytes`.
pub fn count(number: u64, one: &str) -> String {
    match (number, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (n, Some(stem)) => format!("{} {stem}ies", grouped(n)),
        (n, None) if one.ends_with("ch") || one.ends_with("ss") => {
            format!("{} {one}es", grouped(n))
        }
        (n, None) => format!("{} {one}s", grouped(n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn plurals() {
        assert_eq!(count(1, "branch"), "1 branch");
        assert_eq!(count(2, "branch"), "2 branches");
        assert_eq!(count(0, "entry"), "0 entries");
        assert_eq!(count(3, "class"), "3 classes");
        assert_eq!(count(1200, "step"), "1,200 steps");
    }

    #[test]
    fn words_wrap_at_the_width() {
        assert_eq!(wrap("a bb ccc dddd", 6), ["a bb", "ccc", "dddd"]);
        assert_eq!(wrap("one\n\n  two", 6), ["one", "", "  two"]);
    }

    #[test]
    fn sentences_stay_whole_where_there_is_no_terminal() {
        let long = "word ".repeat(40) + "\nend";
        assert_eq!(Paint::on(false, None).wrapped(&long, 7).len(), 2);
        assert!(Paint::new(false, 80).wrapped(&long, 7).len() > 2);
    }

    #[test]
    fn escapes_of_a_program_do_not_reach_the_terminal() {
        let (escape, safe) = ("a\u{1b}[31mb\n", "a\u{fffd}[31mb\n");
        let paint = Paint::new(false, 80);
        assert_eq!(printable(escape), safe);
        assert_eq!(paint.name(escape), safe);
        assert_eq!(paint.fit(escape, 80), safe);
    }

    #[test]
    fn plain_is_plain_and_coloured_ends_its_colours() {
        assert_eq!(Paint::new(false, 80).paint(Role::Bad, "x"), "x");
        let painted = Paint::new(true, 80).paint(Role::Bad, "x");
        assert!(painted.contains("x\u{1b}[0m"), "{painted:?}");
    }
}
