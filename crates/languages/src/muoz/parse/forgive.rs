//! Going on after mistakes, and noting what is read.

use borges_multiverse::language::Span;

use super::{Parsed, Parser};
use crate::muoz::error::ParseError;
use crate::muoz::lex::Token;
use crate::text::{Forgiving, Kind, Meaning, MeaningId, Notes};

/// Reads as much as can be read of what is perhaps no program: what it notes, and its mistakes up to the first that is
/// not only about a name. What comes after that one may be a consequence of it.
pub(in crate::muoz) fn notes(tokens: Vec<(Token<'_>, Span)>) -> (Notes, Vec<ParseError>) {
    let opens = |token: &_| matches!(token, Token::Word("if" | "let" | "thread" | "proc"));
    let closes = |token: &_| matches!(token, Token::Word("end"));
    let forgiving = Forgiving::new(&tokens, opens, closes);
    let mut parser = Parser {
        forgiving: Some(forgiving),
        ..Parser::new(tokens)
    };
    // Behind an `end` too many it goes on.
    while let Err(fault) = parser.whole() {
        if parser.forgive(fault).is_err() {
            break;
        }
        parser.advance();
    }
    let forgiving = parser.forgiving;
    let (notes, faults) = forgiving.map_or_else(Default::default, |all| (all.notes, all.faults));
    let sound = faults.iter().position(|fault| !fault.kind.is_about_names());
    let sound = sound.map_or(faults.len(), |first| first + 1);
    (notes, faults.into_iter().take(sound).collect())
}

impl Parser<'_> {
    /// Takes a mistake, if it is forgiving.
    pub(super) fn forgive(&mut self, fault: ParseError) -> Parsed<()> {
        Forgiving::take(&mut self.forgiving, fault)
    }

    /// `end`; a forgiving parser takes the end of the text for it.
    pub(super) fn close(&mut self) -> Parsed<()> {
        let ended = self.expect("end");
        match (ended, self.peek()) {
            (Err(fault), Token::End) => self.forgive(fault),
            (ended, _) => ended,
        }
    }

    /// How deep the word here lies in what ends with `end`; a parser that does not forgive need not know.
    pub(super) fn word_depth(&self) -> u32 {
        let forgiving = self.forgiving.as_ref();
        forgiving.map_or(0, |forgiving| forgiving.depths[self.at])
    }

    /// Goes on to one of some words of a depth, or to the end of all that lies so deep.
    pub(super) fn skip(&mut self, depth: u32, to: &[&str]) {
        loop {
            let stops = match self.peek() {
                Token::End => true,
                Token::Word("end") => self.word_depth() <= depth,
                Token::Word(word) => self.word_depth() == depth && to.contains(&word),
                Token::Ident(_) | Token::Integer(_) => false,
            };
            if stops {
                return;
            }
            self.advance();
        }
    }

    pub(super) fn notes(&mut self, write: impl FnOnce(&mut Notes)) {
        if let Some(forgiving) = &mut self.forgiving {
            write(&mut forgiving.notes);
        }
    }

    /// Notes something that is introduced from `start` on.
    pub(super) fn note(&mut self, kind: Kind, name: Span, start: Span) -> MeaningId {
        let mut id = MeaningId::default();
        let start = start.start;
        let whole = Span {
            start,
            end: name.end,
        };
        self.notes(|notes| id = notes.bind(kind, name, whole));
        id
    }

    pub(super) fn learn(&mut self, meaning: MeaningId, kind: Kind) {
        self.notes(|notes| notes.meaning(meaning).kind = kind);
    }

    /// From here on something can be seen.
    pub(super) fn see(&mut self, meaning: MeaningId) {
        let from = self.end_of_last();
        self.notes(|notes| {
            let Meaning { seen, name, .. } = notes.meaning(meaning);
            // A procedure is seen in its own body, too, which comes before.
            if seen.start == name.end {
                seen.start = from;
            }
        });
    }

    /// Up to here it could be.
    pub(super) fn end_of_sight(&mut self, meanings: &[MeaningId]) {
        let to = self.here().start;
        self.notes(|notes| {
            for meaning in meanings {
                notes.meaning(*meaning).seen.end = to;
            }
        });
    }

    /// Where the last word that was read ends.
    pub(super) fn end_of_last(&self) -> u32 {
        self.at
            .checked_sub(1)
            .map_or(0, |last| self.tokens[last].1.end)
    }
}
