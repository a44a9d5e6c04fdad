//! Agents as text.

use std::fmt::Write as _;

use borges_session::command::listing::{AgentState, AgentView};

use crate::paint::{Paint, Role, printable};

/// A line for each.
pub(crate) fn text(agents: &[AgentView], paint: &Paint) -> String {
    let mut text = String::new();
    for agent in agents {
        let (word, role) = match agent.state {
            AgentState::Runs => ("runs", Role::Good),
            AgentState::Waits => ("waits", Role::Heading),
            AgentState::Ended => ("ended", Role::Dim),
            AgentState::Trapped => ("trapped", Role::Bad),
        };
        let name = paint.paint(Role::Name, printable(&agent.name));
        let _ = write!(text, "{name}  {}", paint.paint(role, word));
        if !agent.about.is_empty() && agent.about != word {
            let _ = write!(text, ": {}", printable(&agent.about));
        }
        if let Some(function) = &agent.function {
            let _ = write!(text, ", in {}", printable(function));
        }
        if let Some(line) = agent.line {
            let _ = write!(text, ", line {line}");
        }
        text.push('\n');
    }
    match text.is_empty() {
        true => "nobody acts here any more\n".to_owned(),
        false => text,
    }
}
