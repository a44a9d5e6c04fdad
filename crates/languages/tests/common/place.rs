//! Outcomes without the places of a source that they name.

/// An outcome's text without ", in METHOD" and ", line N".
pub(crate) fn placeless(text: &str) -> String {
    let parts = text.split("; ").map(|part| {
        let part = part.split(", line ").next().unwrap_or(part);
        part.split(", in ").next().unwrap_or(part)
    });
    parts.collect::<Vec<_>>().join("; ")
}
