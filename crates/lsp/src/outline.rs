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
    let mut around: Vec<MeaningId> = Vec::new();
    // The symbols in each of these, after those that stand in nothing.
    let mut lists: Vec<Vec<DocumentSymbol>> = vec![Vec::new()];
    for id in shown {
        let owner = gloss.owner(id);
        while around.last().copied() != owner && around.pop().is_some() {}
        let depth = around.len().min(MOST_DEEP - 1);
        while lists.len() > depth + 1 {
            close(&mut lists);
        }
        lists.resize_with(depth + 1, Vec::new);
        lists[depth].extend(symbol(document, gloss, id));
        around.push(id);
    }
    while lists.len() > 1 {
        close(&mut lists);
    }
    lists.pop().unwrap_or_default()
}

/// Puts the innermost symbols into what they stand in: the last one outside.
fn close(lists: &mut Vec<Vec<DocumentSymbol>>) {
    let inside = lists.pop().unwrap_or_default();
    let around = lists.last_mut().and_then(|outside| outside.last_mut());
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
