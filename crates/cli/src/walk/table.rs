//! The commands of a walk; letters mean the same as in a session.

use crate::repl::arguments::identifiers;
use crate::repl::cursor::{Cursor, Misread};
use crate::repl::spec::{Completes, Spec};

/// What a typed line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// So many steps in which there is nothing to choose.
    Step(u64),
    /// The choice with this number.
    Choose(usize),
    /// To the next choice.
    ToChoice,
    /// To the end.
    Run(Chooser),
    /// Steps back.
    Back(u64),
    /// Back to the last choice.
    BackToChoice,
    /// Back to a breakpoint or the start.
    BackToStop,
    /// To the start.
    Restart,
    /// To a universe.
    Jump(String),
    /// To the nearest universe ahead that mentions a text.
    Find(String),
    /// Where the walk stands.
    Here,
    /// The source.
    List,
    /// What was visited.
    Tree(usize),
    /// All that there is, as a graph of so many states at most.
    Graph(usize),
    /// The ends among so many states.
    Ends(usize),
    /// The last steps.
    Path(u32),
    /// The name of this universe.
    Moment,
    /// A note.
    Note(String),
    /// A breakpoint on a text.
    Break(String),
    /// The breakpoints.
    Breakpoints,
    /// Deletes breakpoints, all if none is named.
    Delete(Vec<u32>),
    /// Help.
    Help(Option<String>),
    /// The end.
    Quit,
}

/// Who chooses where the user does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chooser {
    /// The first choice, always.
    First,
    /// The agents in turn.
    Turns,
    /// Chance, from a seed.
    Random(u64),
}

const MOVING: &str = "Moving";
const MULTIVERSE: &str = "The multiverse";
const STOPPING: &str = "Stopping";
const LOOKING: &str = "Looking";
const OTHERS: &str = "Others";

/// States that `graph` shows.
const SHOWN: u64 = 40;
/// States that `ends` explores.
const EXPLORED: u64 = 1_000_000;

macro_rules! row {
    ($name:literal, $letters:expr, $group:ident, $arguments:literal, $repeats:literal, $summary:literal, $details:literal, $parse:expr) => {
        Spec {
            name: $name,
            letters: $letters,
            group: $group,
            arguments: $arguments,
            summary: $summary,
            details: $details,
            examples: &[],
            completes: &[],
            repeats: $repeats,
            parse: $parse,
        }
    };
}

/// Every command of a walk, grouped as help lists them.
pub static COMMANDS: &[Spec<Request>] = &[
    row!(
        "step",
        &["s"],
        MOVING,
        "[COUNT]",
        true,
        "one step, if there is nothing to choose",
        "Where there is something to choose, it shows the choices; take one with 'choose'.",
        |c| Ok(Request::Step(c.number_or("a number of steps", 1)?))
    ),
    row!(
        "next",
        &["n", "continue", "c"],
        MOVING,
        "",
        true,
        "to the next choice, breakpoint or end",
        "",
        |_| Ok(Request::ToChoice)
    ),
    row!(
        "choose",
        &["k"],
        MOVING,
        "NUMBER",
        false,
        "take a choice",
        "The choices of a universe are numbered from 0. A choice that was taken before leads to the same universe.",
        |c| {
            let number = c.number("a choice's number")?;
            Ok(Request::Choose(
                usize::try_from(number).unwrap_or(usize::MAX),
            ))
        }
    ),
    row!(
        "run",
        &[],
        MOVING,
        "[first|turns|random [SEED]]",
        false,
        "to a breakpoint or the end, choosing by a rule",
        "first: the first choice, always. turns: the agents in turn. random: any, evenly, from a seed.",
        run
    ),
    row!(
        "reverse-step",
        &["S", "back"],
        MOVING,
        "[COUNT]",
        true,
        "one step back",
        "",
        |c| Ok(Request::Back(c.number_or("a number of steps", 1)?))
    ),
    row!(
        "reverse-next",
        &["N"],
        MOVING,
        "",
        true,
        "back to the last choice",
        "",
        |_| Ok(Request::BackToChoice)
    ),
    row!(
        "reverse-continue",
        &["C"],
        MOVING,
        "",
        true,
        "back to the last breakpoint, or to the start",
        "",
        |_| Ok(Request::BackToStop)
    ),
    row!(
        "restart",
        &["r"],
        MOVING,
        "",
        false,
        "back to the start; what was visited is kept",
        "",
        |_| Ok(Request::Restart)
    ),
    Spec {
        name: "jump",
        letters: &["j"],
        group: MULTIVERSE,
        arguments: "UNIVERSE",
        summary: "to any universe",
        details: "A UNIVERSE is a number as the tree shows it (branch.index), 'start', or a moment as 'ends' and \
'moment' show it, visited before or not.",
        examples: &[
            ("jump 1.4", "a universe of the tree"),
            ("jump 0.1-0.0-2", "a moment"),
        ],
        completes: &[Completes::Universe],
        repeats: false,
        parse: |cursor| {
            let target = cursor.required("a universe, for example 1.4 or start")?;
            Ok(Request::Jump(target.text.to_string()))
        },
    },
    row!(
        "tree",
        &["t"],
        MULTIVERSE,
        "[LINES]",
        false,
        "the universes visited so far",
        "",
        |c| Ok(Request::Tree(size(c, "a number of lines", 24)?))
    ),
    row!(
        "graph",
        &["g"],
        MULTIVERSE,
        "[STATES]",
        false,
        "all universes, equal states merged",
        "",
        |c| Ok(Request::Graph(size(c, "a number of states", SHOWN)?))
    ),
    row!(
        "ends",
        &["e"],
        MULTIVERSE,
        "[STATES]",
        false,
        "every way the program can end, with a shortest path",
        "Explores up to so many states. Jump to an end's moment to stand there.",
        |c| Ok(Request::Ends(size(c, "a number of states", EXPLORED)?))
    ),
    row!(
        "find",
        &["/"],
        MULTIVERSE,
        "TEXT",
        true,
        "to the nearest universe ahead that mentions a text",
        "",
        |c| text(c, "a text to look for").map(Request::Find)
    ),
    row!(
        "moment",
        &[],
        MULTIVERSE,
        "",
        false,
        "a text that names this universe in every walk",
        "",
        |_| Ok(Request::Moment)
    ),
    row!(
        "break",
        &["b"],
        STOPPING,
        "TEXT",
        false,
        "stop wherever the state or the step to it contains a text",
        "",
        |c| text(c, "a text, for example AMB").map(Request::Break)
    ),
    row!(
        "breakpoints",
        &["bp"],
        STOPPING,
        "",
        false,
        "list the breakpoints",
        "",
        |_| Ok(Request::Breakpoints)
    ),
    Spec {
        name: "delete",
        letters: &["d"],
        group: STOPPING,
        arguments: "NUMBER…|all",
        summary: "delete breakpoints",
        details: "",
        examples: &[],
        completes: &[Completes::Breakpoint, Completes::Words(&["all"])],
        repeats: false,
        parse: |cursor| identifiers(cursor).map(Request::Delete),
    },
    row!(
        "print",
        &["p", "v"],
        LOOKING,
        "",
        false,
        "the state here, and what can happen",
        "",
        |_| Ok(Request::Here)
    ),
    row!(
        "list",
        &["l"],
        LOOKING,
        "",
        false,
        "the source, with what is next",
        "",
        |_| Ok(Request::List)
    ),
    row!(
        "path",
        &["o"],
        LOOKING,
        "[STEPS]",
        false,
        "the last steps to here",
        "",
        |c| Ok(Request::Path(size(c, "a number of steps", 20)? as u32))
    ),
    row!(
        "note",
        &[],
        OTHERS,
        "TEXT",
        false,
        "write a note on this universe",
        "",
        |c| text(c, "a text").map(Request::Note)
    ),
    Spec {
        name: "help",
        letters: &["h", "?"],
        group: OTHERS,
        arguments: "[COMMAND]",
        summary: "all commands, or one of them in full",
        details: "",
        examples: &[],
        completes: &[Completes::Command],
        repeats: false,
        parse: |cursor| Ok(Request::Help(cursor.word().map(|w| w.text.to_string()))),
    },
    row!(
        "quit",
        &["q", "exit"],
        OTHERS,
        "",
        false,
        "leave",
        "",
        |_| Ok(Request::Quit)
    ),
];

/// A count that fits 32 bits.
fn size(cursor: &mut Cursor<'_>, what: &str, default: u64) -> Result<usize, Misread> {
    let word = cursor.rest();
    let number = cursor.number_or(what, default)?;
    u32::try_from(number)
        .map(|n| n as usize)
        .map_err(|_| Misread::of(word, "this number is too large"))
}

fn text(cursor: &mut Cursor<'_>, what: &str) -> Result<String, Misread> {
    let text = cursor.quoted()?;
    if text.is_empty() {
        Err(cursor.missing(what))
    } else {
        Ok(text)
    }
}

fn run(cursor: &mut Cursor<'_>) -> Result<Request, Misread> {
    let Some(word) = cursor.word() else {
        return Ok(Request::Run(Chooser::First));
    };
    Ok(Request::Run(match word.text {
        "first" => Chooser::First,
        "turns" => Chooser::Turns,
        "random" => Chooser::Random(cursor.number_or("a seed", 0)?),
        _ => {
            return Err(Misread::of(word, format!("'{}' is no rule", word.text))
                .hint("first, turns or random"));
        }
    }))
}
