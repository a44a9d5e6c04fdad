//! What Voyager and questions show.

use std::fmt::Write as _;

use borges_languages::model::debug::{
    AgentCard, Card, ChangeRow, Debugger, Judgement, LinkRow, Opinion, RanRow,
};
use borges_languages::model::{RaceRow, RaceStep, Reply, Step, Way, Why};

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
pub fn ran(ran: &RanRow, debugger: &dyn Debugger, paint: &Paint) -> String {
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
pub fn universes(
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
pub fn card(card: &Card, paint: &Paint) -> String {
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

/// Edges one after the other.
pub fn path(links: &[LinkRow], paint: &Paint) -> String {
    if links.is_empty() {
        return "this is the start\n".to_string();
    }
    let line = |link: &LinkRow| format!("  {}\n", link_line(link, paint));
    links.iter().map(line).collect()
}

/// What an edge changes.
pub fn difference(changes: &[ChangeRow], paint: &Paint) -> String {
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

/// May and must.
pub fn judgement(judgement: &Judgement, paint: &Paint) -> String {
    let partial = judgement.partial;
    let note = partial.map(|why| self::partial(why, judgement.states, paint));
    let mut text = note.unwrap_or_default();
    text += &opinion("may", &judgement.may, paint);
    text.push_str(&opinion("must", &judgement.must, paint));
    text
}

fn opinion(what: &str, opinion: &Opinion, paint: &Paint) -> String {
    let (answer, role) = match opinion.holds {
        Some(true) => ("yes", Role::Good),
        Some(false) => ("no", Role::Bad),
        None => ("unknown: nothing that is known decides it", Role::Warning),
    };
    let mut text = format!("{what}: {}\n", paint.paint(role, answer));
    for step in &opinion.steps {
        let _ = writeln!(text, "    {}", printable(step));
    }
    if !opinion.cycle.is_empty() {
        text.push_str("  and then for ever\n");
        for step in &opinion.cycle {
            let _ = writeln!(text, "    {}", printable(step));
        }
    }
    text
}

/// A word on what an answer rests on that is not all.
pub fn partial(why: Why, states: u64, paint: &Paint) -> String {
    let known = count(states, "state");
    let note = match why {
        Why::Cancelled => format!("stopped: of the {known} known so far; asked again, it goes on"),
        Why::States => format!("of the first {known} only: --states raises the limit"),
        Why::Depth => format!("of the {known} within --depth only"),
        Why::Met => format!("of the {known} up to the breakpoint only"),
    };
    format!("{}\n", paint.paint(Role::Warning, note))
}

/// The debugger's rules, edge by edge.
pub fn rules(links: &[LinkRow], paint: &Paint) -> String {
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

/// Races.
pub fn races(races: &[RaceRow], paint: &Paint) -> String {
    if races.is_empty() {
        return "no message was received on the way here\n".to_string();
    }
    let step = |step: &RaceStep| {
        let line = step
            .line
            .map_or_else(String::new, |line| format!("line {line}"));
        let place = paint.paint(Role::Place, format!("{line:>8}"));
        format!("{place} step {}: {}", step.step, printable(&step.text))
    };
    let mut text = String::new();
    for race in races {
        let _ = writeln!(text, "  {}", step(&race.received));
        if race.rivals.is_empty() {
            text.push_str("      nothing else could have been received\n");
        } else {
            text.push_str("      instead of what came in\n");
            let _ = writeln!(text, "        {}", step(&race.message));
            text.push_str("      this could have come first\n");
            for rival in &race.rivals {
                let _ = writeln!(text, "        {}", step(rival));
            }
        }
    }
    text
}

/// The answer to a question, in which `name` says what a state is called and `one` what it is.
pub fn answer(reply: &Reply, name: &dyn Fn(u32) -> u32, one: &str, paint: &Paint) -> String {
    let numbers = |states: &[u32]| numbers(states, name, one);
    match reply {
        Reply::Ends(ends) => {
            let mut text = String::new();
            for end in ends {
                let states = paint.paint(Role::Dim, count(end.states, "state"));
                let role = if end.kind == "finished" {
                    Role::Good
                } else {
                    Role::Bad
                };
                let number = paint.paint(Role::Typed, end.outcome.to_string());
                let kind = paint.paint(role, end.kind);
                let _ = writeln!(
                    text,
                    "  {number}  {kind}  {}  {states}",
                    printable(&end.text)
                );
            }
            text
        }
        Reply::Ways(ways) => ways
            .iter()
            .map(|way| way_text(way, name, one, paint))
            .collect(),
        Reply::States(states) => numbers(states),
        Reply::Divergence(None) => "they never part: no choice rules one of them out\n".to_string(),
        Reply::Divergence(Some(parting)) => {
            let mut text = format!(
                "{one} {}, after\n{}",
                name(parting.state),
                steps(&parting.steps, paint)
            );
            let sides = [
                ("then only the first", &parting.first),
                ("then only the second", &parting.second),
                ("then both", &parting.both),
                ("then neither", &parting.neither),
            ];
            for (what, side) in sides {
                if !side.is_empty() {
                    let _ = writeln!(text, "{what}\n{}", steps(side, paint).trim_end());
                }
            }
            text
        }
        Reply::Ancestors { all, last } => {
            format!("{}of these the last: {}", numbers(all), numbers(last))
        }
        Reply::Cycles(cycles) if cycles.is_empty() => "no run goes round for ever\n".to_string(),
        Reply::Cycles(cycles) => {
            let lines = cycles.iter().map(|cycle| numbers(cycle));
            lines.collect()
        }
    }
}

fn way_text(way: &Way, name: &dyn Fn(u32) -> u32, one: &str, paint: &Paint) -> String {
    let state = name(way.state);
    let what = match way.outcome {
        Some(outcome) => format!("outcome {outcome}, {one} {state}"),
        None => format!("{one} {state}"),
    };
    format!(
        "{}\n{}",
        paint.paint(Role::Heading, what),
        steps(&way.steps, paint)
    )
}

fn steps(list: &[Step], paint: &Paint) -> String {
    let line = |step: &Step| {
        let place = step
            .line
            .map_or_else(String::new, |line| format!("line {line}"));
        format!(
            "  {} {} {}\n",
            paint.paint(Role::Place, format!("{place:>8}")),
            step.rule,
            printable(&step.text)
        )
    };
    list.iter().map(line).collect()
}

fn numbers(states: &[u32], name: &dyn Fn(u32) -> u32, one: &str) -> String {
    let first = states.iter().take(40);
    let list: Vec<_> = first.map(|state| name(*state).to_string()).collect();
    let more = if states.len() > 40 { ", …" } else { "" };
    format!(
        "{}: {}{more}\n",
        count(states.len() as u64, one),
        list.join(", ")
    )
}
