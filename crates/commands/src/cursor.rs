//! Reading a typed line from left to right, with errors that know their column.

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// Byte offset of the part that is wrong.
    pub at: usize,
    /// Its length in bytes; 0 if something is missing there.
    pub length: usize,
    /// What is wrong.
    pub message: String,
    /// What to type instead; may be empty.
    pub hint: String,
}

impl Misread {
    /// A misreading of `word`.
    pub fn of(word: Word<'_>, message: impl Into<String>) -> Self {
        Self {
            at: word.at,
            length: word.text.len(),
            message: message.into(),
            hint: String::new(),
        }
    }

    /// Adds what to type instead.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// The column of the error, counted in characters from 1.
    pub fn column(&self, line: &str) -> usize {
        line.get(..self.at).map_or(0, |s| s.chars().count()) + 1
    }
}

/// A part of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'l> {
    /// Its text.
    pub text: &'l str,
    /// Byte offset of its start in the line.
    pub at: usize,
}

/// A place in the line.
#[derive(Clone, Debug)]
pub struct Cursor<'l> {
    line: &'l str,
    at: usize,
}

impl<'l> Cursor<'l> {
    /// At the start of `line`.
    pub fn new(line: &'l str) -> Self {
        Self { line, at: 0 }
    }

    /// What is left, without spaces at the ends; the cursor does not move.
    pub fn rest(&self) -> Word<'l> {
        let tail = &self.line[self.at..];
        let text = tail.trim_start();
        Word {
            at: self.at + (tail.len() - text.len()),
            text: text.trim_end(),
        }
    }

    /// Whether only spaces are left.
    pub fn is_done(&self) -> bool {
        self.rest().text.is_empty()
    }

    /// Everything that is left.
    pub fn take_rest(&mut self) -> Word<'l> {
        let word = self.rest();
        self.at = self.line.len();
        word
    }

    /// The next word, up to a space.
    pub fn word(&mut self) -> Option<Word<'l>> {
        self.take_while_word(char::is_whitespace)
    }

    /// The next word, without moving.
    pub fn peek(&self) -> Option<Word<'l>> {
        self.clone().word()
    }

    /// Takes the next word if it is `keyword`.
    pub fn keyword(&mut self, keyword: &str) -> bool {
        let mut ahead = self.clone();
        let found = ahead.word().is_some_and(|w| w.text == keyword);
        if found {
            *self = ahead;
        }
        found
    }

    /// The next word, up to a space outside parentheses, brackets and quotes.
    pub fn term(&mut self) -> Option<Word<'l>> {
        let mut nesting = Nesting::default();
        self.take_while_word(move |c| {
            nesting.step(c);
            nesting.is_outside() && c.is_whitespace()
        })
    }

    /// Everything up to one of `keywords` that stands as a word outside parentheses and quotes.
    pub fn phrase(&mut self, keywords: &[&str]) -> Option<Word<'l>> {
        let start = self.rest();
        let mut nesting = Nesting::default();
        let mut end = self.line.len();
        let mut after_space = true;
        for (index, c) in self.line[start.at..].char_indices() {
            let here = start.at + index;
            if after_space && nesting.is_outside() {
                let word = self.line[here..].split_whitespace().next();
                if word.is_some_and(|w| keywords.contains(&w)) {
                    end = here;
                    break;
                }
            }
            nesting.step(c);
            after_space = c.is_whitespace();
        }
        self.at = end;
        let text = self.line[start.at..end].trim_end();
        (!text.is_empty()).then_some(Word { text, at: start.at })
    }

    /// Everything up to `stop` outside parentheses and quotes; the cursor then stands after it.
    pub fn until(&mut self, stop: char) -> Option<Word<'l>> {
        let start = self.rest();
        let mut nesting = Nesting::default();
        for (index, c) in self.line[start.at..].char_indices() {
            if nesting.is_outside() && c == stop {
                let text = self.line[start.at..start.at + index].trim_end();
                self.at = start.at + index + c.len_utf8();
                return Some(Word { text, at: start.at });
            }
            nesting.step(c);
        }
        None
    }

    /// A text in double quotes (`\"`, `\\`, `\n` and `\t` inside), or else everything up to the end of the line.
    ///
    /// # Errors
    /// A quote that nobody closed.
    pub fn quoted(&mut self) -> Result<String, Misread> {
        let start = self.rest();
        let Some(inside) = start.text.strip_prefix('"') else {
            return Ok(self.take_rest().text.to_string());
        };
        let mut text = String::new();
        let mut characters = inside.char_indices();
        while let Some((index, c)) = characters.next() {
            match c {
                '"' => {
                    self.at = start.at + 1 + index + 1;
                    return Ok(text);
                }
                '\\' => match characters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, other)) => text.push(other),
                    None => break,
                },
                other => text.push(other),
            }
        }
        Err(Misread::of(start, "this quote is never closed").hint("end the text with \""))
    }

    /// A whole number in decimal or, after `0x`, in hexadecimal.
    ///
    /// # Errors
    /// Nothing there, or no number.
    pub fn number(&mut self, what: &str) -> Result<u64, Misread> {
        let word = self.required(what)?;
        number(word).ok_or_else(|| {
            Misread::of(word, format!("'{}' is no number", word.text))
                .hint(format!("here goes {what}, for example 10 or 0x1f"))
        })
    }

    /// A number if there is one to read, `default` at the end of the line.
    ///
    /// # Errors
    /// Something else than a number.
    pub fn number_or(&mut self, what: &str, default: u64) -> Result<u64, Misread> {
        match self.is_done() {
            true => Ok(default),
            false => self.number(what),
        }
    }

    /// A number that fits 32 bits.
    ///
    /// # Errors
    /// Nothing there, no number, or a larger one.
    pub fn small(&mut self, what: &str) -> Result<u32, Misread> {
        let word = self.required(what)?;
        self.at = word.at;
        let number = self.number(what)?;
        u32::try_from(number).map_err(|_| Misread::of(word, "this number is too large"))
    }

    /// The same if there is one to read, `default` at the end of the line.
    ///
    /// # Errors
    /// Something else than such a number.
    pub fn small_or(&mut self, what: &str, default: u32) -> Result<u32, Misread> {
        match self.is_done() {
            true => Ok(default),
            false => self.small(what),
        }
    }

    /// The next word, which must be there.
    ///
    /// # Errors
    /// The end of the line.
    pub fn required(&mut self, what: &str) -> Result<Word<'l>, Misread> {
        self.word().ok_or_else(|| self.missing(what))
    }

    /// The same as a text of its own.
    ///
    /// # Errors
    /// The end of the line.
    pub fn name(&mut self, what: &str) -> Result<String, Misread> {
        Ok(self.required(what)?.text.to_owned())
    }

    /// A text, in quotes or up to the end of the line, which must not be empty.
    ///
    /// # Errors
    /// There is none, or a quote that nobody closed.
    pub fn text(&mut self, what: &str) -> Result<String, Misread> {
        let text = self.quoted()?;
        match text.is_empty() {
            true => Err(self.missing(what)),
            false => Ok(text),
        }
    }

    /// The rest of the line as it is, which must not be empty.
    ///
    /// # Errors
    /// The end of the line.
    pub fn all(&mut self, what: &str) -> Result<String, Misread> {
        match self.take_rest().text {
            "" => Err(self.missing(what)),
            text => Ok(text.to_owned()),
        }
    }

    /// The error that `what` is missing here.
    pub fn missing(&self, what: &str) -> Misread {
        Misread {
            at: self.line.trim_end().len(),
            length: 0,
            message: format!("something is missing: {what}"),
            hint: String::new(),
        }
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    /// Something is left.
    pub fn end(&self) -> Result<(), Misread> {
        let rest = self.rest();
        if rest.text.is_empty() {
            return Ok(());
        }
        Err(Misread::of(
            rest,
            format!("'{}' is more than this command takes", rest.text),
        ))
    }

    fn take_while_word(&mut self, mut ends: impl FnMut(char) -> bool) -> Option<Word<'l>> {
        let start = self.rest();
        if start.text.is_empty() {
            return None;
        }
        let length = self.line[start.at..]
            .char_indices()
            .find(|&(_, c)| ends(c))
            .map_or(self.line.len() - start.at, |(index, _)| index);
        self.at = start.at + length;
        Some(Word {
            text: &self.line[start.at..self.at],
            at: start.at,
        })
    }
}

/// A whole number in decimal or, after `0x`, in hexadecimal; `_` may group digits.
pub fn number(word: Word<'_>) -> Option<u64> {
    let digits = word.text.replace('_', "");
    match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// Whether a character stands outside parentheses, brackets, braces and quotes.
#[derive(Clone, Debug, Default)]
struct Nesting {
    depth: u32,
    quote: Option<char>,
    escaped: bool,
}

impl Nesting {
    fn step(&mut self, c: char) {
        if let Some(quote) = self.quote {
            if self.escaped {
                self.escaped = false;
            } else if c == '\\' {
                self.escaped = true;
            } else if c == quote {
                self.quote = None;
            }
            return;
        }
        match c {
            '"' => self.quote = Some(c),
            '(' | '[' | '{' => self.depth += 1,
            ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    fn is_outside(&self) -> bool {
        self.depth == 0 && self.quote.is_none()
    }
}

/// Splits a line at `;` outside quotes and parentheses; `#` at the start of a part makes the rest a comment.
pub fn commands_of(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = Cursor::new(line);
    loop {
        let tail = rest.rest();
        if tail.text.starts_with('#') {
            break;
        }
        match rest.until(';') {
            Some(part) => parts.push(part.text),
            None => {
                parts.push(tail.text);
                break;
            }
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_ends_at_a_keyword_outside_parentheses_and_quotes() {
        let mut cursor = Cursor::new("f(if hits) && s == \"x log y\" hits 5");
        let phrase = cursor.phrase(&["if", "hits", "log"]).unwrap();
        assert_eq!(phrase.text, "f(if hits) && s == \"x log y\"");
        assert!(cursor.keyword("hits"));
        assert_eq!(cursor.number("a count"), Ok(5));
        assert_eq!(cursor.end(), Ok(()));
    }

    #[test]
    fn lines_are_split_at_semicolons_but_not_inside_texts() {
        assert_eq!(
            commands_of("B 1 log \"a;b\"; c;; # rest"),
            ["B 1 log \"a;b\"", "c"]
        );
        assert_eq!(commands_of("  # only a comment"), [""; 0]);
        assert_eq!(commands_of(""), [""; 0]);
    }

    #[test]
    fn columns_count_characters() {
        let line = "é ü";
        let mut cursor = Cursor::new(line);
        cursor.word();
        let error = cursor.number("a count").unwrap_err();
        assert_eq!(error.column(line), 3);
    }
}
