//! What editors are told about a text of μOz.

use super::error::{MAX_TEXT, ParseError, ParseErrorKind};
use super::lex::{Token, lex_most};
use super::parse;
use crate::text::{Explained, Gloss, Notes, Sense};

/// The words of μOz, in the tool's spelling and in the paper's.
const EXPLAINED: &[Explained] = &[
    (
        "let",
        "`let x = V in L end` binds `x` in `L`, once and for ever.",
    ),
    ("in", "Between what `let` binds and where it is seen."),
    ("end", "Closes `let`, `if`, `thread` and `proc`."),
    (
        "if",
        "`if G then L else L end`: both branches must be there.",
    ),
    ("then", "Before what is done if the guard holds."),
    (
        "else",
        "Before what is done if the guard does not hold; `else skip` does nothing.",
    ),
    (
        "thread",
        "`thread L end` starts a thread, which goes on by itself.",
    ),
    (
        "proc",
        "`proc {x y} L end` is a procedure; it knows its own name.",
    ),
    (
        "port",
        "A new port: a queue that threads send to and receive from, first in, first out.",
    ),
    (
        "send",
        "`{send port message}` puts a message into the port's queue; it never waits.",
    ),
    (
        "receive",
        "`let x = {receive port} in … end` takes the first message, and waits for one if there is none.",
    ),
    ("skip", "Does nothing."),
    ("<br>", "A breakpoint: CaReDeb's `run` stops here."),
    (
        "assert",
        "`assert G` ends its thread as *failed* if the guard does not hold.",
    ),
    ("true", "A truth value."),
    ("false", "A truth value."),
    ("NewPort", "A new port, as the paper spells it."),
    ("Send", "`{Send port message}`, as the paper spells it."),
    ("Receive", "`{Receive port}`, as the paper spells it."),
    (
        "{",
        "`{send port message}`, or a call: `{procedure argument …}`.",
    ),
    (
        "/",
        "Division; a thread that divides by zero goes no further.",
    ),
];

/// Reads a text, a program or not.
pub(crate) fn gloss(text: &str) -> Gloss {
    if text.len() > MAX_TEXT {
        let fault = ParseError::at(ParseErrorKind::LongText, MAX_TEXT..MAX_TEXT);
        return Gloss::new([], Notes::default(), EXPLAINED).with_faults([fault]);
    }
    let (tokens, fault) = lex_most(text);
    let words = tokens.iter().filter_map(|(token, span)| {
        let word = &text[span.start as usize..span.end as usize];
        let sense = match token {
            Token::Ident(_) => Sense::Name,
            Token::Integer(_) => Sense::Number,
            Token::Word(_) if word.starts_with(char::is_alphabetic) => Sense::Keyword,
            Token::Word(_) => Sense::Sign,
            Token::End => return None,
        };
        Some((*span, sense))
    });
    let words: Vec<_> = words.collect();
    let (notes, faults) = parse::notes(tokens);
    let gloss = Gloss::new(words, notes, EXPLAINED);
    match fault {
        Some(fault) => gloss.with_faults([fault]),
        None => gloss.with_faults(faults),
    }
}
