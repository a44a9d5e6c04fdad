//! What is wrong with a text.

use std::sync::Arc;

use borges_languages::model::Model;
use borges_languages::source::{Fault, ParseError};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, PublishDiagnosticsParams, Range,
};

use crate::documents::{Document, MOST_TEXT};

/// The most mistakes that are told at once.
pub(crate) const MOST_FAULTS: usize = 100;

/// All mistakes of a document that its language can tell at once.
pub(crate) fn diagnose(document: &Document) -> PublishDiagnosticsParams {
    let diagnostics = match document.is_long() {
        true => vec![long()],
        false => faults(document),
    };
    PublishDiagnosticsParams::new(document.uri.clone(), diagnostics, Some(document.version))
}

fn long() -> Diagnostic {
    Diagnostic {
        severity: Some(DiagnosticSeverity::INFORMATION),
        ..error(
            Range::default(),
            format!("texts of more than {MOST_TEXT} bytes are not looked at"),
        )
    }
}

fn error(range: Range, message: String) -> Diagnostic {
    Diagnostic {
        range,
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some("borges".to_owned()),
        message,
        ..Diagnostic::default()
    }
}

fn faults(document: &Document) -> Vec<Diagnostic> {
    let (dialect, text) = (document.dialect, &document.text);
    // Another language may have files that end so.
    if !dialect.reads(text) {
        return Vec::new();
    }
    if let Some(gloss) = document.gloss() {
        let faults = gloss.faults().iter().take(MOST_FAULTS);
        return faults.map(|fault| shown(document, fault)).collect();
    }
    let whole = dialect.gather(text, &document.folder());
    let parsed = whole.and_then(|whole| Model::parse(dialect, &whole));
    let fault = parsed.err();
    let fault = fault.iter().map(|error| shown(document, error.fault()));
    fault.collect()
}

fn shown(document: &Document, fault: &ParseError<Arc<dyn Fault>>) -> Diagnostic {
    let opener = fault.kind.opener(&document.text, fault.span);
    let related = opener.map(|opener| {
        vec![DiagnosticRelatedInformation {
            location: document.location(opener),
            message: "this is still open".to_owned(),
        }]
    });
    Diagnostic {
        related_information: related,
        ..error(document.range(fault.span), fault.to_string())
    }
}
