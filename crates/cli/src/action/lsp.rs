//! `borges lsp`: what editors start for sources of model languages.

use crate::exit::{Exit, Failure};

/// Serves one editor on standard input and output.
pub(crate) fn lsp() -> Result<Exit, Failure> {
    let served = borges_lsp::serve(std::io::stdin(), std::io::stdout());
    match served.map_err(|error| Failure::new(Exit::Device, error, ""))? {
        borges_lsp::Farewell::Agreed => Ok(Exit::Ok),
        // The protocol wants it so.
        borges_lsp::Farewell::Sudden => Ok(Exit::Failed),
    }
}
