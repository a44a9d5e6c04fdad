//! Who acts in a device program: one agent, so far.

use crate::command::StopReason;
use crate::command::listing::{AgentState, AgentView, PlaceView};
use crate::error::CommandError;
use crate::stage::ONLY_AGENT;

/// The agents of a program that stands at `at`; `ended` says how it ended, if it has ended there.
pub(crate) fn agents(at: PlaceView, ended: Option<StopReason>) -> Vec<AgentView> {
    let (state, about) = match ended {
        Some(StopReason::Trapped { trap }) => (AgentState::Trapped, trap),
        Some(StopReason::Finished { results }) => (AgentState::Ended, results.join(", ")),
        _ => (AgentState::Runs, at.call.unwrap_or_default()),
    };
    vec![AgentView {
        name: ONLY_AGENT.to_owned(),
        state,
        about,
        function: at.function,
        line: at.line,
    }]
}

/// Whether a command is about an agent that there is.
///
/// # Errors
/// There is none of this name: [`CommandError::NoSuch`] says which there are.
pub(crate) fn known(agent: Option<&str>) -> Result<(), CommandError> {
    match agent {
        Some(name) if name != ONLY_AGENT => Err(CommandError::NoSuch(format!(
            "there is no agent '{name}': this program has one, {ONLY_AGENT}"
        ))),
        _ => Ok(()),
    }
}
