//! What Voyager shows.

use std::fmt::Write as _;

use borges_languages::model::debug::{AgentCard, Card, ChangeRow, Debugger, LinkRow, RanRow};

use borges_multiverse::tree::{Branching, Layout, render_graph};

use crate::paint::{Paint, Role, count, listed, printable};

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
        let _ = writeln!(text, "{}", paint.heading(many));
        for id in ids.iter().take(LISTED) {
            let Some(node) = debugger.node(*id) else {
                continue;
            };
            let card = debugger.card(*id).ok();
            let why = match card.and_then(|card| card.outcome) {
                Some(outcome) => outcome,
                None => node.why.join(", "),
            };
            let number = paint.typed(format!("{id:>6}"));
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
        text.push_str(&paint.warning(note));
    }
    if ran.cut {
        let note =
            "there are more universes than fit: hold an actor, or set a breakpoint earlier\n";
        text.push_str(&paint.warning(note));
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
        let number = paint.typed(format!("{id:>5}"));
        let (why, status) = (
            node.why.join(", "),
            paint.paint(role(node.status), node.status),
        );
        let line = format!("{mark}{number}  {status}  {}", printable(&why));
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

/// The universes as a tree of so many lines.
pub(super) fn tree(debugger: &dyn Debugger, here: u32, rows: usize, paint: &Paint) -> String {
    let layout = Layout {
        width: paint.width,
        rows,
        ..Layout::default()
    };
    let leaving = |universe: u32| {
        let links = debugger.links_from(universe).into_iter();
        let links = links.filter_map(|link| debugger.link(link));
        links
            .map(|link| Branching {
                to: link.to,
                text: what(&link),
            })
            .collect()
    };
    let end = |universe: u32| {
        let ended = |status: &&str| matches!(*status, "end" | "stuck" | "deadlock");
        let status = debugger.node(universe).map(|node| node.status);
        status.filter(ended).map(str::to_owned)
    };
    render_graph(leaving, end, here, &layout)
}

/// What an edge does.
fn what(link: &LinkRow) -> String {
    match link.rule.as_str() {
        "" => printable(&link.text),
        rule => format!("{rule} {}", printable(&link.text)),
    }
}

fn link_line(link: &LinkRow, paint: &Paint) -> String {
    let arrow = if link.command { "┄▷" } else { "─▶" };
    let what = what(link);
    let line = format!("edge {} {arrow} {}  {what}", link.id, link.to);
    paint.fit(&line, paint.width.saturating_sub(11).max(30))
}

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
    let possible = card.possible.iter().map(|entry| match &entry.agent {
        Some(agent) => format!("{} {agent}", entry.label),
        None => entry.label.clone(),
    });
    let possible: Vec<String> = possible.collect();
    for line in paint.wrapped(&possible.join(" · "), 2) {
        let _ = writeln!(text, "{}", paint.dim(line));
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
    let name = paint.name(&agent.name);
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
    let before = match before {
        _ if links.is_empty() => String::new(),
        0 => String::new(),
        before => format!("{}, then:\n", count(before as u64, "step")),
    };
    let line = |link: &LinkRow| format!("  {}", link_line(link, paint));
    before + &listed(links, "this is the start", line)
}

pub(super) fn difference(changes: &[ChangeRow], paint: &Paint) -> String {
    listed(
        changes,
        "nothing changes in the program's state",
        |change| {
            let (agent, what) = (paint.name(&change.agent), printable(&change.what));
            let (before, after) = (shown(&change.before), shown(&change.after));
            format!("  {agent} {what}: {before} → {after}")
        },
    )
}

fn shown(value: &str) -> String {
    match value {
        "" => "nothing".to_string(),
        value => printable(value),
    }
}

/// The debugger's rules, edge by edge.
pub(super) fn rules(links: &[LinkRow], paint: &Paint) -> String {
    listed(links, "this is the start", |link| {
        let rules = match link.rules.is_empty() {
            true => "no rule".to_owned(),
            false => link.rules.join(", "),
        };
        format!("  {}\n      {}", link_line(link, paint), paint.dim(rules))
    })
}
