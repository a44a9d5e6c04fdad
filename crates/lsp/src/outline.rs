//! What is in a text: actors, methods, procedures, bindings.

use borges_languages::text::{Gloss, Kind, MeaningId};
use lsp_types::{DocumentSymbol, SymbolKind};

use crate::documents::Document;

/// How deep symbols lie in each other at most; deeper ones are shown there.
const MOST_DEEP: usize = 50;

/// All that a text introduces but parameters, in its order, each in what it stands in.
pub(crate) fn outline(document: &Document) -> Vec<DocumentSymbol> {
    let Some(gloss) = document.gloss() else {
        return Vec::new();
    };
    let mut shown: Vec<MeaningId> = (0..gloss.meanings().len() as u32).map(MeaningId).collect();
    shown.retain(|id| {
        let kind = gloss.meaning(*id).map(|meaning| meaning.kind);
        !matches!(kind, Some(Kind::Parameter | Kind::Given) | None)
    });
    // What is around others comes before them.
    shown.sort_by_key(|id| {
        let whole = gloss.meaning(*id).map(|meaning| meaning.whole);
        whole.map(|whole| (whole.start, std::cmp::Reverse(whole.end)))
    });
    let mut open: Vec<(Option<MeaningId>, Vec<DocumentSymbol>)> = vec![(None, Vec::new())];
    for id in shown {
        let owner = gloss.owner(id);
        while open.len() > 1 && open.last().is_some_and(|(last, _)| *last != owner) {
            close(&mut open);
        }
        if let Some((_, siblings)) = open.last_mut() {
            siblings.extend(symbol(document, gloss, id));
        }
        if open.len() < MOST_DEEP {
            open.push((Some(id), Vec::new()));
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().map_or_else(Vec::new, |(_, symbols)| symbols)
}

/// Puts what was gathered into what it stands in: the last symbol outside.
fn close(open: &mut Vec<(Option<MeaningId>, Vec<DocumentSymbol>)>) {
    let Some((_, inside)) = open.pop() else {
        return;
    };
    let around = open.last_mut().and_then(|(_, outside)| outside.last_mut());
    if let Some(around) = around.filter(|_| !inside.is_empty()) {
        around.children = Some(inside);
    }
}

#[allow(deprecated)] // The protocol's type has a field that is, which must be given.
fn symbol(document: &Document, gloss: &Gloss, id: MeaningId) -> Option<DocumentSymbol> {
    let meaning = gloss.meaning(id)?;
    let name = document.slice(meaning.name).trim_end_matches(':');
    Some(DocumentSymbol {
        name: name.to_owned(),
        detail: Some(meaning.kind.word().to_owned()),
        kind: symbol_kind(meaning.kind),
        tags: None,
        deprecated: None,
        range: document.range(meaning.whole),
        selection_range: document.range(meaning.name),
        children: None,
    })
}

const fn symbol_kind(kind: Kind) -> SymbolKind {
    match kind {
        Kind::Variable | Kind::Received | Kind::Parameter | Kind::Given => SymbolKind::VARIABLE,
        Kind::Port => SymbolKind::INTERFACE,
        Kind::Procedure | Kind::Block => SymbolKind::FUNCTION,
        Kind::Thread => SymbolKind::EVENT,
        Kind::Actor => SymbolKind::CLASS,
        Kind::Object => SymbolKind::OBJECT,
        Kind::Isolate => SymbolKind::STRUCT,
        Kind::Field => SymbolKind::FIELD,
        Kind::Method => SymbolKind::METHOD,
    }
}
