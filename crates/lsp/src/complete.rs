//! What can be written at a place.

use std::collections::BTreeMap;

use borges_languages::text::{Gloss, Kind, Meaning, Sense};
use lsp_types::{
    CompletionItem, CompletionItemKind, Documentation, MarkupContent, MarkupKind, Position,
};

use crate::documents::Document;

/// After these, what an object has is named.
const TO_MEMBERS: [&str; 2] = [".", "<-"];

/// The names that are seen at a place, the nearest first, and the words of the language; behind a receiver, what objects
/// have.
pub(crate) fn complete(document: &Document, position: Position) -> Vec<CompletionItem> {
    let Some(gloss) = document.gloss() else {
        return Vec::new();
    };
    let offset = document.offset(position);
    let words = gloss.words();
    let before = words.partition_point(|word| word.span.end < offset);
    // What is being written counts as not yet there.
    let touched = words.get(before).filter(|word| word.span.start < offset);
    if touched.is_some_and(|word| matches!(word.sense, Sense::Text | Sense::Number)) {
        return Vec::new();
    }
    let is_sign = touched.is_some_and(|word| word.sense == Sense::Sign);
    let last = match is_sign {
        true => touched,
        false => before.checked_sub(1).and_then(|nth| words.get(nth)),
    };
    let last = last.map_or("", |word| document.slice(word.span));
    if TO_MEMBERS.contains(&last) {
        return members(document, gloss);
    }
    let mut items = Vec::new();
    for (nth, meaning) in gloss.seen_at(&document.text, offset).iter().enumerate() {
        items.push(CompletionItem {
            sort_text: Some(format!("0{nth:07}")),
            ..name(document, meaning)
        });
    }
    let of_language = gloss.explained().iter();
    items.extend(of_language.filter_map(|(word, says)| keyword(word, says)));
    items
}

/// What objects of this text have, each name once.
fn members(document: &Document, gloss: &Gloss) -> Vec<CompletionItem> {
    let all = gloss.meanings().iter().filter(|meaning| meaning.is_member);
    let named: BTreeMap<&str, &Meaning> = all
        .map(|meaning| (document.slice(meaning.name), meaning))
        .collect();
    named
        .values()
        .map(|meaning| name(document, meaning))
        .collect()
}

fn name(document: &Document, meaning: &Meaning) -> CompletionItem {
    CompletionItem {
        label: document.slice(meaning.name).to_owned(),
        kind: Some(match meaning.kind {
            Kind::Procedure | Kind::Block => CompletionItemKind::FUNCTION,
            Kind::Method => CompletionItemKind::METHOD,
            Kind::Field => CompletionItemKind::FIELD,
            Kind::Actor | Kind::Object | Kind::Isolate => CompletionItemKind::CLASS,
            Kind::Port => CompletionItemKind::INTERFACE,
            _ => CompletionItemKind::VARIABLE,
        }),
        detail: Some(meaning.kind.word().to_owned()),
        ..CompletionItem::default()
    }
}

/// A word of the language; signs are not offered, but for λ_amb's.
fn keyword(word: &str, says: &str) -> Option<CompletionItem> {
    let is_word = word.contains(char::is_alphabetic) || word == "+";
    is_word.then(|| CompletionItem {
        label: word.to_owned(),
        kind: Some(CompletionItemKind::KEYWORD),
        documentation: Some(Documentation::MarkupContent(MarkupContent {
            kind: MarkupKind::Markdown,
            value: says.to_owned(),
        })),
        sort_text: Some(format!("1{word}")),
        ..CompletionItem::default()
    })
}
