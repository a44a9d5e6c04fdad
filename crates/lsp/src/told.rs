//! What a word is, for people.

use std::fmt::Write as _;

use borges_languages::text::{Gloss, Kind, Lexeme, Meaning, MeaningId, Sense};
use borges_multiverse::language::Span;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};

use crate::documents::Document;

/// The most characters of a definition that are shown.
const MOST_SHOWN: usize = 80;
/// The most methods that are named which a message may reach.
const MOST_METHODS: usize = 10;

/// What the word at a place is.
pub(crate) fn hover(document: &Document, position: Position) -> Option<Hover> {
    let (gloss, word) = document.word(position)?;
    let value = match word.sense {
        Sense::Selector => selector(document, gloss, word),
        Sense::Name => meaning(document, gloss, word.meaning?)?,
        _ => explained(document, gloss, word)?.to_owned(),
    };
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value,
        }),
        range: Some(document.range(word.span)),
    })
}

/// What a word of the language says.
fn explained(document: &Document, gloss: &Gloss, word: &Lexeme) -> Option<&'static str> {
    let text = document.slice(word.span);
    let mut all = gloss.explained().iter();
    let (_, says) = all.find(|(known, _)| *known == text)?;
    Some(says)
}

/// What something is, what it belongs to, and where it is bound.
fn meaning(document: &Document, gloss: &Gloss, id: MeaningId) -> Option<String> {
    let meaning = gloss.meaning(id)?;
    let head = head(document, gloss, id)?;
    let code = match meaning.kind {
        Kind::Parameter | Kind::Given => String::new(),
        _ => format!("```{}\n{head}\n```\n", document.dialect.extension()),
    };
    let told = sentence(document, gloss, id)?;
    Some(format!("{code}{told}"))
}

/// `field \`result\` of the actor in line 3, line 4`
fn sentence(document: &Document, gloss: &Gloss, id: MeaningId) -> Option<String> {
    let meaning = gloss.meaning(id)?;
    let kind = meaning.kind.word();
    let mut told = format!("{kind} `{}`", document.slice(meaning.name));
    let owner = gloss.owner(id).and_then(|owner| gloss.meaning(owner));
    if let Some(owner) = owner {
        let word = owner.kind.word();
        let _ = match owner.is_named() {
            true => write!(told, " of {word} `{}`", document.slice(owner.name)),
            false => write!(told, " of the {word} in line {}", line(document, owner)),
        };
    }
    let _ = write!(told, ", bound in line {}", line(document, meaning));
    Some(told)
}

fn line(document: &Document, meaning: &Meaning) -> u32 {
    document.range(meaning.name).start.line + 1
}

/// The beginning of what introduces something, without what is in its braces or its body.
fn head(document: &Document, gloss: &Gloss, id: MeaningId) -> Option<String> {
    let meaning = gloss.meaning(id)?;
    let mut end = meaning.whole.end;
    if meaning.kind.is_callable() {
        let parameters = gloss.within(Some(id)).into_iter();
        let parameters = parameters.filter_map(|id| gloss.meaning(id));
        let mut last = parameters.filter(|inner| inner.kind == Kind::Parameter);
        let last = last
            .next_back()
            .map_or(meaning.name.end, |inner| inner.name.end);
        let closing = document.slice(Span {
            start: last,
            end: meaning.whole.end,
        });
        let closing = closing.find(['}', ')']).map_or(0, |at| at + 1);
        end = last + closing as u32;
    }
    let whole = document.slice(Span {
        end,
        ..meaning.whole
    });
    let first = whole.lines().next().unwrap_or_default();
    let mut head: String = first.chars().take(MOST_SHOWN).collect();
    if head.len() < whole.trim_end().len() {
        head.push('…');
    }
    Some(head)
}

/// What a message may reach.
fn selector(document: &Document, gloss: &Gloss, word: &Lexeme) -> String {
    let name = document.slice(word.span);
    let all = gloss.meanings_of(&document.text, word);
    if all.is_empty() {
        if let Some(says) = explained(document, gloss, word) {
            return says.to_owned();
        }
        return format!("nothing in this text has a field or method `{name}`");
    }
    let told = all.iter().take(MOST_METHODS);
    let mut told: Vec<_> = told
        .filter_map(|id| sentence(document, gloss, *id))
        .collect();
    if all.len() > MOST_METHODS {
        told.push(format!("and {} more", all.len() - MOST_METHODS));
    }
    match &told[..] {
        [one] => format!("looked up when the program runs: {one}"),
        many => format!(
            "looked up when the program runs, one of:\n\n- {}",
            many.join("\n- ")
        ),
    }
}
