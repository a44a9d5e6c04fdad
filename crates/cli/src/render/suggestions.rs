//! Futures as text: a tree of inputs, or what a question found.

use std::fmt::Write as _;

use borges_session::suggest::{FoundPath, SuggestionListing, WhyListing};

use super::universe;
use crate::paint::{Paint, Role, count, printable};

/// Lines of a tree that are written; JSON has all.
const MOST_LINES: usize = 200;
/// Found paths that are written.
const MOST_FOUND: usize = 20;
/// Things that were left out, and lines of code, that are named.
const MOST_NAMED: usize = 10;

/// The answer to a question.
pub fn suggestions(listing: &SuggestionListing, paint: &Paint) -> String {
    let mut text = String::new();
    if let Some(why) = &listing.why {
        text.push_str(&decided(why, paint));
    } else if listing.cover.is_some() {
        text.push_str(&covered(listing, paint));
    } else if listing.question == "paths" {
        text.push_str(&tree(listing, paint));
    } else {
        text.push_str(&found(listing, paint));
    }
    text.push_str(&summary(listing, paint));
    text
}

fn tree(listing: &SuggestionListing, paint: &Paint) -> String {
    let mut text = String::new();
    let mut lines = 0;
    let mut stack = vec![(0_usize, 0_usize)];
    // An option is written when it is taken from the stack, its subtree after it.
    let mut open: Vec<(usize, usize)> = Vec::new();
    while let Some((number, depth)) = stack.pop() {
        let Some(node) = listing.nodes.get(number) else {
            continue;
        };
        let indent = "  ".repeat(depth * 2);
        if lines >= MOST_LINES {
            text.push_str("… (more than fit here: --json has all)\n");
            break;
        }
        if let Some(call) = &node.call {
            lines += 1;
            let _ = writeln!(text, "{indent}{}", paint.paint(Role::Name, printable(call)));
        } else if depth == 0 {
            let _ = writeln!(text, "{}", ended(listing, node.end, paint));
        }
        open.clear();
        for option in &node.options {
            open.push((option.next as usize, depth + 1));
        }
        // Leaves are written with their options; the others follow in order.
        for option in &node.options {
            lines += 1;
            let about = if option.exact { "" } else { " at least" };
            let next = listing.nodes.get(option.next as usize);
            let leaf = next.filter(|next| next.call.is_none());
            let end = leaf.map_or_else(
                || paint.paint(Role::Dim, format!("  (then below, say {})", option.value)),
                |leaf| {
                    format!(
                        "  say {} → {}",
                        option.value,
                        ended(listing, leaf.end, paint)
                    )
                },
            );
            let _ = writeln!(text, "{indent}  {}{about}{end}", printable(&option.set));
        }
        let subtrees = open.iter().rev().filter(|(next, _)| {
            let node = listing.nodes.get(*next);
            node.is_some_and(|node| node.call.is_some())
        });
        stack.extend(subtrees.copied());
    }
    text
}

fn ended(listing: &SuggestionListing, end: Option<u32>, paint: &Paint) -> String {
    match end.and_then(|end| listing.found.get(end as usize)) {
        Some(path) => end_of(path, paint),
        None => String::new(),
    }
}

/// How a path ends, in words.
fn end_of(path: &FoundPath, paint: &Paint) -> String {
    let place = path.place.as_ref();
    let place = place.map_or_else(String::new, |place| format!(" at {place}"));
    let reason = path.reason.as_deref().unwrap_or_default();
    match path.kind.as_str() {
        "trapped" => paint.paint(Role::Bad, format!("traps: {reason}{place}")),
        "returned" => "returns".to_owned(),
        "stopped" => format!("comes{place}"),
        "inputs" => "goes on".to_owned(),
        _ => paint.paint(Role::Warning, format!("not explored further: {reason}")),
    }
}

fn found(listing: &SuggestionListing, paint: &Paint) -> String {
    let mut text = String::new();
    if listing.found.is_empty() {
        let within = if listing.complete {
            "no path within the bound comes to it"
        } else {
            "none was found; not everything could be explored"
        };
        let _ = writeln!(text, "{within}");
    }
    for path in listing.found.iter().take(MOST_FOUND) {
        let _ = writeln!(text, "{}", end_of(path, paint));
        for input in &path.inputs {
            let call = paint.paint(Role::Name, printable(&input.call));
            let _ = writeln!(text, "  {call} = {}", input.value);
        }
        if path.inputs.is_empty() {
            text.push_str("  whatever is read\n");
        }
        let _ = writeln!(
            text,
            "  {}",
            paint.paint(Role::Dim, format!("jump {}", path.moment))
        );
    }
    if let Some(more) = listing
        .found
        .len()
        .checked_sub(MOST_FOUND)
        .filter(|m| *m > 0)
    {
        let _ = writeln!(text, "… and {more} more");
    }
    text
}

fn decided(why: &WhyListing, paint: &Paint) -> String {
    let mut text = String::new();
    let what = why.what.trim_start_matches("why ");
    match &why.inevitable {
        Some(turn) => {
            let _ = writeln!(
                text,
                "{} was inevitable after {}  ({})",
                paint.paint(Role::Bad, printable(what)),
                paint.paint(Role::Name, printable(&turn.choice)),
                universe(turn.universe),
            );
        }
        None if why.open.is_empty() => {
            let _ = writeln!(text, "{} is not inevitable here", printable(what));
        }
        None => {}
    }
    if let Some(turn) = &why.possible {
        let _ = writeln!(
            text,
            "it was possible, within the bound, since {}  ({})",
            paint.paint(Role::Name, printable(&turn.choice)),
            universe(turn.universe),
        );
    }
    for open in &why.open {
        let _ = writeln!(text, "{}", paint.paint(Role::Warning, printable(open)));
    }
    text
}

fn covered(listing: &SuggestionListing, paint: &Paint) -> String {
    let Some(cover) = &listing.cover else {
        return String::new();
    };
    let mut text = String::new();
    let reached = cover.lines.iter().filter(|line| line.inputs.is_some());
    let _ = writeln!(
        text,
        "{} of {} reached",
        reached.clone().count(),
        count(cover.lines.len() as u64, "line")
    );
    for line in reached {
        let inputs = line.inputs.as_deref().unwrap_or_default().join(", ");
        let with = if inputs.is_empty() {
            "no input"
        } else {
            &inputs
        };
        let _ = writeln!(
            text,
            "  {}:{} {}",
            printable(&line.file),
            line.line,
            paint.paint(Role::Dim, format!("with {with}"))
        );
    }
    for line in cover.lines.iter().filter(|line| line.inputs.is_none()) {
        let words = format!(
            "  {}:{} is reached by no explored path",
            printable(&line.file),
            line.line
        );
        let _ = writeln!(text, "{}", paint.paint(Role::Warning, words));
    }
    for branch in cover.branches.iter().take(MOST_NAMED) {
        let _ = writeln!(
            text,
            "  the branch at {} (@{:#x}) is always {}",
            printable(&branch.place),
            branch.offset,
            if branch.always { "taken" } else { "not taken" }
        );
    }
    text
}

fn summary(listing: &SuggestionListing, paint: &Paint) -> String {
    let most = match listing.max_options {
        0 => String::new(),
        options => format!(", at most {} at one input", count(options.into(), "option")),
    };
    let mut text = format!(
        "{}{most}; {} by trying values, {} by a solver, {:.3} s\n",
        count(listing.paths.into(), "path"),
        count(listing.evaluations.into(), "question"),
        listing.solver_queries,
        f64::from(listing.time_ms) / 1000.0,
    );
    if !listing.complete {
        text.push_str(&paint.paint(
            Role::Warning,
            "not complete: a bound cut something off, or a question stayed open\n",
        ));
    }
    for left in listing.unexplored.iter().take(MOST_NAMED) {
        let place = left.place.as_ref();
        let place = place.map_or_else(String::new, |place| format!(" at {place}"));
        let words = format!("not explored{place}: {}", left.reason);
        let _ = writeln!(text, "{}", paint.paint(Role::Warning, printable(&words)));
    }
    text
}
