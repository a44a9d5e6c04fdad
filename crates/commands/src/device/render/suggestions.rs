//! Futures as text: a tree of inputs, or what a question found.

use std::fmt::Write as _;

use borges_session::suggest::{
    CoverListing, CoveredLine, FoundPath, RestListing, SuggestedOption, SuggestionListing, Turn,
    WhyListing,
};

use super::left_out::left_out;
use crate::paint::{Paint, count, printable};

/// Lines of a tree that are written; JSON has all.
const MOST_LINES: usize = 200;
/// Found paths that are written.
const MOST_FOUND: usize = 20;
/// Lines of code that are named.
const MOST_NAMED: usize = 10;

/// The answer to a question.
pub fn suggestions(listing: &SuggestionListing, paint: &Paint) -> String {
    let states = listing.states.as_ref().map(|all| super::states(all, paint));
    let claim = || listing.claim.as_ref().map(|all| super::claim(all, paint));
    if let Some(mut text) = states.or_else(claim) {
        for path in listing.found.iter().take(MOST_FOUND) {
            let jump = paint.dim(format!("jump {}", path.moment));
            let _ = writeln!(text, "{jump}  {}", end_of(path, paint));
        }
        return text;
    }
    let text = match (&listing.why, &listing.cover, listing.question.as_str()) {
        (Some(why), ..) => decided(why, paint),
        (_, Some(cover), _) => covered(cover, paint),
        (_, _, "paths") => tree(listing, paint),
        _ => found(listing, paint),
    };
    text + &summary(listing, paint)
}

fn tree(listing: &SuggestionListing, paint: &Paint) -> String {
    let mut text = String::new();
    let mut lines = 0;
    // Nodes and options that are still to be written, the next one last.
    let mut stack = vec![Pending::Node(0, 0)];
    while let Some(pending) = stack.pop() {
        lines += 1;
        if lines > MOST_LINES {
            text.push_str("… (more than fit here: --json has all)\n");
            break;
        }
        match pending {
            Pending::Node(number, depth) => {
                let Some(node) = listing.nodes.get(number) else {
                    continue;
                };
                let indent = "  ".repeat(depth * 2);
                let what = match &node.call {
                    Some(call) => paint.name(call),
                    None => ended(listing, node.end, paint),
                };
                let _ = writeln!(text, "{indent}{what}");
                if let Some(rest) = &node.rest {
                    stack.push(Pending::Rest(rest, depth));
                }
                let options = node.options.iter().rev();
                stack.extend(options.map(|option| Pending::Option(option, depth)));
            }
            Pending::Rest(others, depth) => {
                let indent = "  ".repeat(depth * 2 + 1);
                let words = rest(&others.set, &others.options);
                let _ = writeln!(text, "{indent}{}", paint.dim(words));
            }
            Pending::Option(option, depth) => {
                let indent = "  ".repeat(depth * 2 + 1);
                let about = if option.exact { "" } else { " at least" };
                let set = printable(&option.set);
                let say = match option.set == option.value {
                    true => String::new(),
                    false => format!(" (say {})", option.value),
                };
                let _ = write!(text, "{indent}{set}{about}{say}");
                let next = option.next as usize;
                match listing.nodes.get(next).filter(|next| next.call.is_none()) {
                    Some(leaf) => {
                        let _ = writeln!(text, " → {}", ended(listing, leaf.end, paint));
                    }
                    None => {
                        text.push('\n');
                        stack.push(Pending::Node(next, depth + 1));
                    }
                }
            }
        }
    }
    text
}

/// A part of a tree that is still to be written, with its depth.
enum Pending<'l> {
    Node(usize, usize),
    Option(&'l SuggestedOption, usize),
    Rest(&'l RestListing, usize),
}

/// Values that stand in for no option, in words.
pub fn rest<T: std::fmt::Display>(set: &str, options: &[T]) -> String {
    let set = printable(set);
    if options.is_empty() {
        return format!("the rest ({set}) goes ways that stand under other answers above");
    }
    let options: Vec<String> = options.iter().map(ToString::to_string).collect();
    let options = options.join(", ");
    format!("the rest ({set}) goes some of the ways of {options}")
}

fn ended(listing: &SuggestionListing, end: Option<u32>, paint: &Paint) -> String {
    let path = end.and_then(|end| listing.found.get(end as usize));
    path.map_or_else(String::new, |path| end_of(path, paint))
}

/// How a path ends, in words.
fn end_of(path: &FoundPath, paint: &Paint) -> String {
    let place = path.place.as_ref();
    let place = place.map_or_else(String::new, |place| format!(" at {place}"));
    let reason = path.reason.as_deref().unwrap_or_default();
    match path.kind.as_str() {
        "trapped" => paint.bad(format!("traps: {reason}{place}")),
        "broke" => paint.bad(format!("breaks {reason}{place}")),
        "returned" if reason.is_empty() => "returns".to_owned(),
        "returned" => format!("ends with {reason}"),
        "stopped" => format!("comes{place}"),
        "inputs" => "goes on".to_owned(),
        _ => paint.warning(format!("not explored further: {reason}")),
    }
}

fn found(listing: &SuggestionListing, paint: &Paint) -> String {
    let mut text = String::new();
    if listing.found.is_empty() {
        let within = match (listing.complete, listing.looked) {
            (true, _) if listing.forever => {
                let does_it = match listing.question.as_str() {
                    "bugs" => "traps",
                    "bugs, limits" => "traps or breaks a limit",
                    _ => "comes to it",
                };
                format!("no universe ever {does_it}: over all inputs, for ever")
            }
            (true, _) => "no path within the bound comes to it".to_owned(),
            (false, Some(inputs)) => {
                let (many, next) = (count(inputs.into(), "input"), inputs.saturating_add(1));
                format!("none was found with up to {many}; {next} not finished")
            }
            (false, None) => "none was found; not everything could be explored".to_owned(),
        };
        let _ = writeln!(text, "{within}");
    }
    for path in listing.found.iter().take(MOST_FOUND) {
        let _ = writeln!(text, "{}", end_of(path, paint));
        for input in &path.inputs {
            let call = paint.name(&input.call);
            let _ = writeln!(text, "  {call} = {}", input.value);
        }
        if path.inputs.is_empty() {
            text.push_str("  whatever is read\n");
        }
        let _ = writeln!(text, "  {}", paint.dim(format!("jump {}", path.moment)));
    }
    if listing.forever && !listing.found.is_empty() {
        text.push_str("these are all, over all inputs, for ever, each with the fewest inputs\n");
    }
    let looked = listing.looked.filter(|_| !listing.complete);
    let longest = listing.found.iter().map(|path| path.inputs.len()).max();
    if let (Some(looked), Some(longest)) = (looked, longest) {
        let all = count(looked.into(), "input");
        let more = match longest > looked as usize + 1 {
            true => ": longer ways above may not be the shortest",
            false => "",
        };
        let _ = writeln!(text, "all paths with up to {all} were looked at{more}");
    }
    let more = listing.found.len().saturating_sub(MOST_FOUND);
    if more > 0 {
        let _ = writeln!(text, "… and {more} more");
    }
    text
}

fn decided(why: &WhyListing, paint: &Paint) -> String {
    let mut text = String::new();
    let what = why.what.trim_start_matches("why ");
    let (all, within) = match why.forever {
        true => (": whatever is read, for ever", ""),
        false => ("", ", within the bound,"),
    };
    let choice = |turn: &Turn| format!("{}  ({})", paint.name(&turn.choice), turn.universe);
    match &why.inevitable {
        Some(turn) => {
            let (what, choice) = (paint.bad(what), choice(turn));
            let _ = writeln!(text, "{what} was inevitable after {choice}{all}");
        }
        None if why.open.is_empty() => {
            let others = match why.forever {
                true => ": other runs from here never come to it",
                false => "",
            };
            let _ = writeln!(text, "{} is not inevitable here{others}", printable(what));
        }
        None => {}
    }
    if let Some(turn) = &why.possible {
        let _ = writeln!(text, "it was possible{within} since {}", choice(turn));
    }
    for open in &why.open {
        let _ = writeln!(text, "{}", paint.warning(open));
    }
    text
}

fn covered(cover: &CoverListing, paint: &Paint) -> String {
    let all = count(cover.lines.len() as u64, "line");
    let reached = cover.lines.iter().filter(|line| line.inputs.is_some());
    let mut text = format!("{} of {all} reached\n", reached.clone().count());
    let place = |line: &CoveredLine| format!("{}:{}", printable(&line.file), line.line);
    for line in reached {
        let reads = line.reads.iter();
        let reads = reads.map(|read| format!("{} = {}", read.call, read.value));
        let with = match line.reads.is_empty() {
            true => "no input".to_owned(),
            false => reads.collect::<Vec<_>>().join(", "),
        };
        let with = paint.dim(format!("with {with}"));
        let _ = writeln!(text, "  {} {with}", place(line));
    }
    for line in cover.lines.iter().filter(|line| line.inputs.is_none()) {
        let words = format!("  {} is reached by no explored path", place(line));
        let _ = writeln!(text, "{}", paint.warning(words));
    }
    for branch in cover.branches.iter().take(MOST_NAMED) {
        let (place, offset) = (printable(&branch.place), branch.offset);
        let way = if branch.always { "taken" } else { "not taken" };
        let _ = writeln!(
            text,
            "  the branch at {place} (@{offset:#x}) is always {way}"
        );
    }
    let more = cover.branches.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        let others = "more branches that always go one way: --json has all";
        let _ = writeln!(text, "  … and {more} {others}");
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
        text.push_str(&paint.warning("not complete: what is below is missing\n"));
    }
    text.push_str(&left_out(&listing.unexplored, paint));
    text
}
