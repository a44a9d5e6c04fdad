//! What Voyager shows.

use std::fmt::Write as _;

use borges_languages::model::debug::{AgentCard, Card, ChangeRow, Debugger, LinkRow, RanRow};

use crate::paint::{Paint, Role, count, printable};

/// Universes listed in one line.
const LISTED: usize = 12;
/// Universes that `universes` shows.
const SHOWN: u32 = 200;

fn role(status: &str) -> Role {
    match status {
        "paused" | "held" => Role::Heading,
        "end" => Role::Good,
        "stuck" | "deadlock" => Role::Bad,
        _ => Role::Dim,
    }
}

/// What running came to.
pub(super) fn ran(ran: &RanRow, debugger: &dyn Debugger, paint: &Paint) -> String {
    let mut text = String::new();
    for (ids, what) in [
        (&ran.paused, "paused"),
        (&ran.held, "held"),
        (&ran.ends, "ended"),
    ] {
        if ids.is_empty() {
            continue;
        }
        let many = format!("{what} in {}", count(ids.len() as u64, "universe"));
        let _ = writeln!(text, "{}", paint.paint(Role::Heading, many));
        for id in ids.iter().take(LISTED) {
            let Some(node) = debugger.node(*id) else {
                continue;
            };
            let card = debugger.card(*id).ok();
            let why = match card.and_then(|card| card.outcome) {
                Some(outcome) => outcome,
                None => node.why.join(", "),
            };
            let number = paint.paint(Role::Typed, format!("{id:>6}"));
            let status = paint.paint(role(node.status), node.status);
            let _ = writeln!(text, "{number}  {status}  {}", printable(&why));
        }
        if ids.len() > LISTED {
            let _ = writeln!(text, "        and {} more", ids.len() - LISTED);
        }
    }
    if ran.never_reached {
        text.push_str("the goal is reached in no universe\n");
    }
    if ran.stopped {
        let note = "stopped: what was found stays, and the same command again goes on\n";
        text.push_str(&paint.paint(Role::Warning, note));
    }
    if ran.cut {
        let note =
            "there are more universes than fit: hold an actor, or set a breakpoint earlier\n";
        text.push_str(&paint.paint(Role::Warning, note));
    }
    text
}

/// The graph.
pub(super) fn universes(
    debugger: &dyn Debugger,
    status: Option<&str>,
    here: u32,
    paint: &Paint,
) -> String {
    let mut text = String::new();
    let mut shown = 0;
    for id in 0..debugger.len() {
        let Some(node) = debugger.node(id) else {
            continue;
        };
        if status.is_some_and(|wanted| wanted != node.status) {
            continue;
        }
        shown += 1;
        if shown > SHOWN {
            text.push_str("and more: name a status, for example 'universes paused'\n");
            break;
        }
        let mark = if id == here { "▶" } else { " " };
        let number = paint.paint(Role::Typed, format!("{id:>5}"));
        let why = printable(&node.why.join(", "));
        let line = format!(
            "{mark}{number}  {}  {why}",
            paint.paint(role(node.status), node.status)
        );
        let _ = writeln!(text, "{}", line.trim_end());
        for edge in debugger.links_from(id) {
            if let Some(link) = debugger.link(edge) {
                let _ = writeln!(text, "          {}", link_line(&link, paint));
            }
        }
    }
    if text.is_empty() {
        text.push_str("there is no such universe\n");
    }
    text
}

fn link_line(link: &LinkRow, paint: &Paint) -> String {
    let arrow = if link.command { "┄▷" } else { "─▶" };
    let what = match link.rule.as_str() {
        "" => printable(&link.text),
        rule => format!("{rule} {}", printable(&link.text)),
    };
    let line = format!("edge {} {arrow} {}  {what}", link.id, link.to);
    paint.fit(&line, paint.width.saturating_sub(11).max(30))
}

/// A universe.
pub(super) fn card(card: &Card, paint: &Paint) -> String {
    let status = paint.paint(role(card.node.status), card.node.status);
    let why = printable(&card.node.why.join(", "));
    let first = format!("universe {}  {status}  {why}", card.node.id);
    let mut text = format!("{}\n", first.trim_end());
    for agent in &card.agents {
        text.push_str(&agent_text(agent, paint));
    }
    if let Some(outcome) = &card.outcome {
        let _ = writeln!(text, "{}", printable(outcome));
    }
    let mut line = String::new();
    for entry in &card.possible {
        let what = match &entry.agent {
            Some(agent) => format!("{} {agent}", entry.label),
            None => entry.label.clone(),
        };
        let joint = if line.is_empty() { "" } else { " · " };
        line.push_str(&format!("{joint}{what}"));
    }
    for line in paint.wrapped(&printable(&line), 2) {
        let _ = writeln!(text, "{}", paint.paint(Role::Dim, line));
    }
    text
}

fn agent_text(agent: &AgentCard, paint: &Paint) -> String {
    let mode = match agent.mode {
        "run" | "" => String::new(),
        mode => format!(" [{mode}]"),
    };
    let next = agent.stuck.as_deref().unwrap_or(&agent.next);
    let line = agent
        .line
        .map_or_else(String::new, |line| format!("  line {line}"));
    let name = paint.paint(Role::Name, printable(&agent.name));
    let mut text = format!("  {name}{mode}: {}{line}\n", printable(next));
    for (name, value) in &agent.fields {
        let _ = writeln!(text, "    {} = {}", printable(name), printable(value));
    }
    let lists = [
        ("inbox", &agent.inbox),
        ("in", &agent.calls),
        ("printed", &agent.output),
    ];
    for (what, list) in lists {
        if !list.is_empty() {
            let _ = writeln!(text, "    {what} {}", printable(&list.join(", ")));
        }
    }
    text
}

/// Edges one after the other, after so many others.
pub(super) fn path(links: &[LinkRow], before: usize, paint: &Paint) -> String {
    if links.is_empty() {
        return "this is the start\n".to_string();
    }
    let line = |link: &LinkRow| format!("  {}\n", link_line(link, paint));
    let mut text = match before {
        0 => String::new(),
        before => format!("{}, then:\n", count(before as u64, "step")),
    };
    text.extend(links.iter().map(line));
    text
}

/// What an edge changes.
pub(super) fn difference(changes: &[ChangeRow], paint: &Paint) -> String {
    if changes.is_empty() {
        return "nothing changes in the program's state\n".to_string();
    }
    let mut text = String::new();
    for change in changes {
        let _ = writeln!(
            text,
            "  {} {}: {} → {}",
            paint.paint(Role::Name, printable(&change.agent)),
            printable(&change.what),
            shown(&change.before),
            shown(&change.after)
        );
    }
    text
}

fn shown(value: &str) -> String {
    match value {
        "" => "nothing".to_string(),
        value => printable(value),
    }
}

/// The debugger's rules, edge by edge.
pub(super) fn rules(links: &[LinkRow], paint: &Paint) -> String {
    if links.is_empty() {
        return "this is the start\n".to_string();
    }
    let mut text = String::new();
    for link in links {
        let _ = writeln!(text, "  {}", link_line(link, paint));
        let rules = match link.rules.is_empty() {
            true => "no rule".to_owned(),
            false => link.rules.join(", "),
        };
        let _ = writeln!(text, "      {}", paint.paint(Role::Dim, rules));
    }
    text
}
