//! What a table of commands consists of. The parser, the help, the completion and
//! `docs/commands.md` are all made from such a table.

use crate::cursor::{Cursor, Misread, Word};

/// What may stand among a command's arguments, for completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completes {
    /// A function of the program.
    Function,
    /// `file:line`.
    Line,
    /// A variable in scope or a global.
    Variable,
    /// A primitive.
    Primitive,
    /// A thread or an actor.
    Agent,
    /// A port.
    Port,
    /// A place of the multiverse: bookmarks, `start`, `tip`, `device`.
    Universe,
    /// A breakpoint's number.
    Breakpoint,
    /// The call of a registered mock.
    Mock,
    /// A command's name.
    Command,
    /// A file of the computer.
    File,
    /// One of these words.
    Words(&'static [&'static str]),
}

/// One command: all there is to know about it.
pub struct Spec<R: 'static> {
    /// Its name.
    pub name: &'static str,
    /// Letters and other names.
    pub letters: &'static [&'static str],
    /// Its arguments, as help shows them.
    pub arguments: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// More about it; may be empty.
    pub details: &'static str,
    /// Lines to try, each with what it does.
    pub examples: &'static [(&'static str, &'static str)],
    /// What its arguments can be completed to.
    pub completes: &'static [Completes],
    /// An empty line after it repeats it.
    pub repeats: bool,
    /// How a value is shown may follow at once: `print/x`.
    pub takes_notation: bool,
    /// Reads its arguments.
    pub parse: fn(&mut Cursor<'_>) -> Result<R, Misread>,
}

impl<R> Spec<R> {
    /// A command that has a name, one line of help, and a way to read its arguments.
    pub const fn new(
        name: &'static str,
        summary: &'static str,
        parse: fn(&mut Cursor<'_>) -> Result<R, Misread>,
    ) -> Self {
        Self {
            name,
            letters: &[],
            arguments: "",
            summary,
            details: "",
            examples: &[],
            completes: &[],
            repeats: false,
            takes_notation: false,
            parse,
        }
    }

    /// The same with letters and other names.
    pub const fn letters(mut self, letters: &'static [&'static str]) -> Self {
        self.letters = letters;
        self
    }

    /// The same with arguments, as help shows them.
    pub const fn arguments(mut self, arguments: &'static str) -> Self {
        self.arguments = arguments;
        self
    }

    /// The same with more to say.
    pub const fn details(mut self, details: &'static str) -> Self {
        self.details = details;
        self
    }

    /// The same with lines to try.
    pub const fn examples(mut self, examples: &'static [(&'static str, &'static str)]) -> Self {
        self.examples = examples;
        self
    }

    /// The same with what its arguments can be completed to.
    pub const fn completes(mut self, completes: &'static [Completes]) -> Self {
        self.completes = completes;
        self
    }

    /// The same, repeated by an empty line after it.
    pub const fn repeating(mut self) -> Self {
        self.repeats = true;
        self
    }

    /// The same with a notation that may touch its name, as in `print/x`; its arguments then begin with it.
    pub const fn notation(mut self) -> Self {
        self.takes_notation = true;
        self
    }

    /// The command with its arguments.
    pub fn usage(&self) -> String {
        if self.arguments.is_empty() {
            self.name.to_string()
        } else {
            format!("{} {}", self.name, self.arguments)
        }
    }
}

/// Commands under one heading.
pub struct Group<R: 'static> {
    /// The heading.
    pub name: &'static str,
    /// The commands.
    pub commands: &'static [Spec<R>],
}

impl<R> Group<R> {
    /// Commands under a heading.
    pub const fn new(name: &'static str, commands: &'static [Spec<R>]) -> Self {
        Self { name, commands }
    }
}

/// All commands that can be typed somewhere.
pub struct Table<R: 'static>(pub &'static [Group<R>]);

impl<R> Clone for Table<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Table<R> {}

impl<R> Table<R> {
    /// Every command, in order.
    pub fn iter(self) -> impl Iterator<Item = &'static Spec<R>> {
        self.0.iter().flat_map(|group| group.commands)
    }

    /// The heading that a command stands under.
    pub fn heading(self, spec: &Spec<R>) -> &'static str {
        let mut groups = self.0.iter();
        groups
            .find(|group| group.commands.iter().any(|s| s.name == spec.name))
            .map_or("", |group| group.name)
    }

    /// Whether an empty line after `line` repeats it.
    pub fn repeats(self, line: &str) -> bool {
        read(self, line).is_ok_and(|(spec, _)| spec.repeats)
    }
}

/// Finds the command that `name` means: its name, a letter, or an unambiguous start of its name.
///
/// # Errors
/// Nothing fits, or more than one; the error suggests the nearest.
pub fn find<R>(table: Table<R>, name: &str) -> Result<&'static Spec<R>, Unknown> {
    if let Some(spec) = table
        .iter()
        .find(|s| s.name == name || s.letters.contains(&name))
    {
        return Ok(spec);
    }
    let mut starting: Vec<&Spec<R>> = table
        .iter()
        .filter(|s| !name.is_empty() && s.name.starts_with(name))
        .collect();
    match (starting.pop(), starting.is_empty()) {
        (Some(only), true) => Ok(only),
        (Some(last), false) => {
            let mut names: Vec<&str> = starting.iter().map(|s| s.name).collect();
            names.push(last.name);
            Err(Unknown {
                message: format!("'{name}' may mean {}", one_of(&names)),
                hint: "type one letter more".to_string(),
            })
        }
        (None, _) => Err(Unknown {
            message: format!("there is no command '{name}'"),
            hint: match nearest(name, table.iter().flat_map(names_of)) {
                Some(near) => format!("did you mean '{near}'? 'help' lists all commands"),
                None => "'help' lists all commands".to_string(),
            },
        }),
    }
}

/// A name that no command has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// What is wrong.
    pub message: String,
    /// What to type instead.
    pub hint: String,
}

/// Reads a line against a table.
///
/// # Errors
/// An unknown command or wrong arguments; the error knows the column.
pub fn read<R>(table: Table<R>, line: &str) -> Result<(&'static Spec<R>, R), Misread> {
    let mut cursor = Cursor::new(line);
    if let Some((word, length)) = cursor.peek().and_then(|word| touching(table, word)) {
        let name = &word.text[..length];
        let spec = find(table, name).map_err(|e| Misread::of(word, e.message).hint(e.hint))?;
        let mut argument = Cursor::new(&line[word.at + length..]);
        let result = (spec.parse)(&mut argument);
        let result = result.and_then(|request| argument.end().map(|()| request));
        let request = result.map_err(|misread| Misread {
            at: misread.at + word.at + length,
            ..misread
        })?;
        return Ok((spec, request));
    }
    let name = cursor.required("a command")?;
    let spec = find(table, name.text).map_err(|e| Misread::of(name, e.message).hint(e.hint))?;
    let result = (spec.parse)(&mut cursor).and_then(|request| cursor.end().map(|()| request));
    match result {
        Ok(request) => Ok((spec, request)),
        Err(mut misread) => {
            if misread.hint.is_empty() {
                misread.hint = format!("usage: {}", spec.usage());
            }
            Err(misread)
        }
    }
}

/// How long the command's name is in a word that goes on with its argument: `?step`, `/motor`, `print/x`.
fn touching<R>(table: Table<R>, word: Word<'_>) -> Option<(Word<'_>, usize)> {
    if word.text.starts_with(['?', '/']) {
        return (word.text.len() > 1).then_some((word, 1));
    }
    let (name, _) = word.text.split_once('/')?;
    let spec = find(table, name).ok()?;
    spec.takes_notation.then_some((word, name.len()))
}

fn names_of<R>(spec: &Spec<R>) -> impl Iterator<Item = &'static str> {
    std::iter::once(spec.name).chain(spec.letters.iter().copied())
}

/// The candidate most like `word`, if any is like it.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .filter(|c| c.chars().count() > 1)
        .map(|c| (strsim::damerau_levenshtein(word, c), c))
        .filter(|&(distance, c)| distance <= (c.chars().count() / 3).max(1))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, c)| c)
}

/// `'a', 'b' or 'c'`.
fn one_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
