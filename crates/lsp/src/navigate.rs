//! From a word to others that are about the same.

use lsp_types::{DocumentHighlight, DocumentHighlightKind, Location, Position};

use crate::documents::Document;

/// Where what a word means is introduced; several places, if only a run can tell.
pub(crate) fn definitions(document: &Document, position: Position) -> Vec<Location> {
    let Some((gloss, word)) = document.word(position) else {
        return Vec::new();
    };
    let meanings = gloss.meanings_of(&document.text, word).into_iter();
    let meanings = meanings.filter_map(|id| gloss.meaning(id));
    let places = meanings.map(|meaning| document.location(meaning.name));
    places.collect()
}

/// All words that may mean the same as one; with what introduces it, if that is wanted.
pub(crate) fn references(
    document: &Document,
    position: Position,
    with_definition: bool,
) -> Vec<Location> {
    let Some((gloss, word)) = document.word(position) else {
        return Vec::new();
    };
    let alike = gloss.alike(&document.text, word).into_iter();
    let wanted = alike.filter(|word| with_definition || !gloss.introduces(word));
    wanted.map(|word| document.location(word.span)).collect()
}

/// The same, for the eye.
pub(crate) fn highlights(document: &Document, position: Position) -> Vec<DocumentHighlight> {
    let Some((gloss, word)) = document.word(position) else {
        return Vec::new();
    };
    let alike = gloss.alike(&document.text, word).into_iter();
    let marked = alike.map(|word| DocumentHighlight {
        range: document.range(word.span),
        kind: Some(match gloss.introduces(word) {
            true => DocumentHighlightKind::WRITE,
            false => DocumentHighlightKind::READ,
        }),
    });
    marked.collect()
}
