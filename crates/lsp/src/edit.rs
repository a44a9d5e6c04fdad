//! Changes of texts that do not change programs.

use borges_languages::text::{Gloss, Lexeme, Sense};
use borges_multiverse::language::Span;
use lsp_types::{Position, Range, TextEdit};

use crate::documents::{Document, MOST_TEXT};
use crate::refusal::Refusal;

/// The usual layout; nothing if the text is no program, or its language has none.
pub(crate) fn format(document: &Document) -> Option<Vec<TextEdit>> {
    if document.is_long() || !document.dialect.has_layout() {
        return None;
    }
    let formatted = document.dialect.format(&document.text).ok()?;
    Some(difference(document, &formatted).into_iter().collect())
}

/// One edit, as small as one can be, that makes a text another one.
fn difference(document: &Document, new: &str) -> Option<TextEdit> {
    let old = &document.text;
    if old == new {
        return None;
    }
    let same = |(a, b): &(u8, u8)| a == b;
    let start = old.bytes().zip(new.bytes()).take_while(same).count();
    let start = old
        .floor_char_boundary(start)
        .min(new.floor_char_boundary(start));
    let rest = old[start..].bytes().rev().zip(new[start..].bytes().rev());
    let kept = rest.take_while(same).count();
    // From a whole character on: both have the same ones there.
    let end = old.ceil_char_boundary(old.len() - kept);
    let kept = old.len() - end;
    let range = Span {
        start: start as u32,
        end: end as u32,
    };
    let text = new[start..new.len() - kept].to_owned();
    Some(TextEdit::new(document.range(range), text))
}

/// The name at a place, if it can be renamed.
pub(crate) fn renamable(document: &Document, position: Position) -> Result<Range, Refusal> {
    named(document, position).map(|(_, word)| document.range(word.span))
}

fn named(document: &Document, position: Position) -> Result<(&Gloss, &Lexeme), Refusal> {
    let nothing = || Refusal::here("there is no name here");
    let (gloss, word) = document.word(position).ok_or_else(nothing)?;
    if !matches!(word.sense, Sense::Name | Sense::Selector) {
        return Err(nothing());
    }
    if !gloss.faults().is_empty() {
        return Err(Refusal::here("mend the mistakes in this text first"));
    }
    let name = document.slice(word.span);
    if gloss.meanings_of(&document.text, word).is_empty() {
        return Err(Refusal::here(format!(
            "nothing in this text defines {name}"
        )));
    }
    is_free(gloss, name)?;
    Ok((gloss, word))
}

/// Whether a name is not the language's own.
fn is_free(gloss: &Gloss, name: &str) -> Result<(), Refusal> {
    match gloss.explained().iter().any(|(known, _)| *known == name) {
        true => Err(Refusal::here(format!("{name} is a word of the language"))),
        false => Ok(()),
    }
}

/// Whether objects that are reached by messages would be reached by others, or answer others, if these words had a name.
fn is_other_message(document: &Document, gloss: &Gloss, words: &[&Lexeme], name: &str) -> bool {
    let is_member = |word: &Lexeme| {
        let meaning = word.meaning.and_then(|id| gloss.meaning(id));
        meaning.is_some_and(|meaning| meaning.is_member)
    };
    let is_selector = |word: &Lexeme| word.sense == Sense::Selector;
    let (sent, has) = (
        words.iter().any(|word| is_selector(word)),
        words.iter().any(|word| is_member(word)),
    );
    let mut others = gloss.words().iter();
    others.any(|other| {
        let clashes = (has && is_selector(other)) || (sent && is_member(other));
        clashes && document.slice(other.span) == name
    })
}

/// Gives all that may mean the same as the word at a place another name. The text is read again with it: every word must
/// still mean what it meant.
pub(crate) fn rename(
    document: &Document,
    position: Position,
    name: &str,
) -> Result<Vec<TextEdit>, Refusal> {
    let (gloss, word) = named(document, position)?;
    is_free(gloss, name)?;
    let alike = gloss.alike(&document.text, word);
    let longer = alike.len().saturating_mul(name.len());
    if document.text.len().saturating_add(longer) > MOST_TEXT {
        return Err(Refusal::here("the text would be too long"));
    }
    let mut renamed = String::new();
    let mut end = 0;
    for word in &alike {
        let before = Span {
            start: end,
            end: word.span.start,
        };
        renamed.push_str(document.slice(before));
        renamed.push_str(name);
        end = word.span.end;
    }
    renamed.push_str(&document.text[end as usize..]);
    let means = |gloss: &Gloss| -> Vec<_> {
        let words = gloss.words().iter();
        words.map(|word| (word.sense, word.meaning)).collect()
    };
    let after = document.dialect.gloss(&renamed);
    let is_same =
        after.is_some_and(|after| after.faults().is_empty() && means(&after) == means(gloss));
    if !is_same || is_other_message(document, gloss, &alike, name) {
        let message = format!("with the name {name} the program would be another one, or none");
        return Err(Refusal::here(message));
    }
    let edits = alike.into_iter();
    let edits = edits.map(|word| TextEdit::new(document.range(word.span), name.to_owned()));
    Ok(edits.collect())
}
