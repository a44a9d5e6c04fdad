//! What editors are told about a text of AmbientTalk.

use borges_multiverse::language::Span;

use super::compile::resolve;
use super::error::{ParseError, ParseErrorKind};
use super::lex::{Token, most_tokens};
use super::parse::{is_reserved, parse_most};
use super::syntax::MAX_TEXT;
use crate::text::{Explained, Gloss, Kind, Meaning, Notes, Sense};

/// The words of AmbientTalk.
const EXPLAINED: &[Explained] = &[
    (
        "def",
        "`def x := e` defines a variable or, in an object's body, a field; `def m(x) { … }` a method.",
    ),
    (
        "actor:",
        "`actor: { … }` makes an actor, which takes one message after the other; it sees nothing around it but what it takes in with `|x|`.",
    ),
    (
        "object:",
        "`object: { … }` makes an object of this actor; it passes to other actors by reference.",
    ),
    (
        "isolate:",
        "`isolate: { … }` makes an object that passes to other actors as a copy; it sees nothing around it but what it takes in with `|x|`.",
    ),
    (
        "when:",
        "`when: future becomes: { |x| … }` runs the block in a turn of its own, once the future has its value.",
    ),
    ("becomes:", "Before the block that `when:` runs."),
    ("if:", "`if: condition then: { … } else: { … }`"),
    ("then:", "Before what is done if the condition holds."),
    (
        "else:",
        "Before what is done if the condition does not hold.",
    ),
    ("self", "The object whose method or body this is."),
    ("null", "Nothing."),
    ("true", "A truth value."),
    ("false", "A truth value."),
    ("system", "`system.println(e, …)` prints."),
    (
        "apply",
        "What blocks understand: `block<-apply(e)` runs one, and so does `block(e)`.",
    ),
    ("println", "`system.println(e, …)` prints."),
    (
        "<-",
        "`receiver<-message(e)` sends a message and does not wait.",
    ),
    (
        "FutureMessage",
        "`receiver<-message(e)@FutureMessage` is a future for the answer.",
    ),
    (
        "@",
        "`receiver<-message(e)@FutureMessage` is a future for the answer.",
    ),
    (":=", "Gives a variable or a field its value."),
];

/// Reads a text, a program or not.
pub(crate) fn gloss(text: &str) -> Gloss {
    if text.len() > MAX_TEXT {
        let fault = ParseError::at(ParseErrorKind::LongText, 0..0);
        return Gloss::new([], Notes::default(), EXPLAINED).with_faults([fault]);
    }
    let (tokens, unread) = most_tokens(text);
    let (items, misread) = parse_most(&tokens);
    let (mut notes, unresolved) = resolve(&items, text.len());
    Braces::of(&tokens).place(&mut notes);
    // What comes after a mistake in the form of a text may be a consequence of it.
    let form = unread.or_else(|| misread.into_iter().next());
    let gloss = Gloss::new(words(&tokens), notes, EXPLAINED);
    match form {
        Some(fault) => gloss.with_faults([fault]),
        None => gloss.with_faults(unresolved),
    }
}

fn words(tokens: &[(Token, Span)]) -> impl Iterator<Item = (Span, Sense)> {
    tokens
        .iter()
        .enumerate()
        .filter_map(|(nth, (token, span))| {
            let before = |back: usize| nth.checked_sub(back).map(|at| &tokens[at].0);
            let sense = match token {
                Token::Integer(_) => Sense::Number,
                Token::Text(_) => Sense::Text,
                Token::Name(word) if is_reserved(word) => Sense::Keyword,
                Token::Name(word) => {
                    let known = match word.as_str() {
                        "FutureMessage" => before(1) == Some(&Token::Sign("@")),
                        "println" => {
                            matches!(before(2), Some(Token::Name(word)) if word == "system")
                        }
                        _ => false,
                    };
                    if known { Sense::Keyword } else { Sense::Name }
                }
                Token::Keyword(_) => Sense::Keyword,
                Token::Sign(_) => Sense::Sign,
                Token::End => return None,
            };
            Some((*span, sense))
        })
}

/// Which braces each word stands in.
struct Braces<'t> {
    tokens: &'t [(Token, Span)],
    /// For each word, the innermost brace that is open before it.
    around: Vec<Option<usize>>,
    /// For each brace that opens, the word that closes it, or else the last.
    closed: Vec<usize>,
}

impl<'t> Braces<'t> {
    fn of(tokens: &'t [(Token, Span)]) -> Self {
        let last = tokens.len() - 1;
        let (mut around, mut closed) = (Vec::with_capacity(tokens.len()), vec![last; tokens.len()]);
        let mut open: Vec<usize> = Vec::new();
        for (at, (token, _)) in tokens.iter().enumerate() {
            around.push(open.last().copied());
            if *token == Token::Sign("{") {
                open.push(at);
            } else if *token == Token::Sign("}")
                && let Some(brace) = open.pop()
            {
                closed[brace] = at;
            }
        }
        Self {
            tokens,
            around,
            closed,
        }
    }

    /// From a brace to the end of what it opens.
    fn inside(&self, brace: usize) -> Span {
        let (opens, closes) = (self.tokens[brace].1, self.tokens[self.closed[brace]].1);
        Span {
            start: opens.start,
            end: closes.end,
        }
    }

    /// The braces around a word, or all of the text.
    fn around(&self, at: usize) -> Span {
        let text = Span {
            start: 0,
            end: self.tokens.last().map_or(0, |(_, end)| end.end),
        };
        self.around[at].map_or(text, |brace| self.inside(brace))
    }

    /// The body of the method that is named at a word, or whose parameter is: no brace comes before it.
    fn body(&self, at: usize) -> Option<Span> {
        let after = self.tokens[at..].iter();
        let brace = after.take_while(|(token, _)| !matches!(token, Token::Sign(";" | "}")));
        let brace = brace
            .into_iter()
            .position(|(token, _)| *token == Token::Sign("{"))?;
        Some(self.inside(at + brace))
    }

    fn word(&self, start: u32) -> usize {
        let before = self.tokens.partition_point(|(_, span)| span.start < start);
        before.min(self.tokens.len() - 1)
    }

    /// Says of all that was noted how far it reaches, and where it can be seen.
    fn place(&self, notes: &mut Notes) {
        for meaning in &mut notes.meanings {
            self.place_one(meaning);
        }
        for (seen, _) in &mut notes.taken {
            *seen = self.around(self.word(seen.start));
        }
        let named: std::collections::HashSet<u32> = notes
            .meanings
            .iter()
            .map(|meaning| meaning.whole.end)
            .collect();
        for (kind, span) in std::mem::take(&mut notes.literals) {
            if matches!(kind, Kind::Actor | Kind::Isolate) {
                notes.walls.push(span);
            }
            // What a definition ends with is what it names.
            if kind != Kind::Block && !named.contains(&span.end) {
                let (_, keyword) = self.tokens[self.word(span.start)];
                notes.bind(kind, keyword, span);
            }
        }
    }

    fn place_one(&self, meaning: &mut Meaning) {
        let at = self.word(meaning.name.start);
        meaning.seen = self.around(at);
        match meaning.kind {
            Kind::Parameter => meaning.seen = self.body(at).unwrap_or(meaning.name),
            Kind::Given => {}
            _ => {
                // Before its name stands `def`.
                let def = at.saturating_sub(1);
                meaning.whole.start = self.tokens[def].1.start;
                if meaning.kind == Kind::Method {
                    let body = self.body(at).unwrap_or(meaning.name);
                    meaning.whole.end = body.end;
                } else if !meaning.is_member {
                    // A variable is seen from its definition on.
                    meaning.seen.start = meaning.whole.end.min(meaning.seen.end);
                }
            }
        }
    }
}
