//! Agents as text.

use borges_session::command::listing::{AgentState, AgentView};

use crate::paint::{Paint, Role, listed, printable};

/// A line for each.
pub(crate) fn text(agents: &[AgentView], paint: &Paint) -> String {
    listed(agents, "nobody acts here any more", |agent| {
        let (word, role) = match agent.state {
            AgentState::Runs => ("runs", Role::Good),
            AgentState::Waits => ("waits", Role::Heading),
            AgentState::Ended => ("ended", Role::Dim),
            AgentState::Trapped => ("trapped", Role::Bad),
        };
        let mut text = format!("{}  {}", paint.name(&agent.name), paint.paint(role, word));
        match agent.about.strip_prefix(word) {
            Some(rest) => text += &printable(rest),
            None if agent.about.is_empty() => {}
            None => text += &format!(": {}", printable(&agent.about)),
        }
        if let Some(function) = &agent.function {
            text += &format!(", in {}", printable(function));
        }
        if let Some(line) = agent.line {
            text += &format!(", line {line}");
        }
        text
    })
}
