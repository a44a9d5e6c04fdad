//! Requests that are not carried out.

use lsp_server::ErrorCode;

/// Why a request is not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: i32,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code: code as i32,
            message: message.into(),
        }
    }

    /// The request makes sense, but not here.
    pub(crate) fn here(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::RequestFailed, message)
    }
}
