//! CaReDeb: the causal-consistent debugger of μOz, and questions about all runs of its program.

mod prompt;
mod table;

pub use prompt::CareDebPrompt;
pub use table::COMMANDS;
