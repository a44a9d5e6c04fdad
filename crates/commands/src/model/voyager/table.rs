//! The commands of Voyager at the prompt, and the questions that walks share with it.

use borges_languages::model::Question;
use borges_languages::model::debug::Order;

use crate::arguments::rest_or_missing;
use crate::cursor::{Cursor, Misread};
use crate::table::{Completes, Group, Spec, Table};

/// What a typed line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// An order of which the universe is known or does not matter.
    Order(Order),
    /// An order about this universe, or else the one that is looked at.
    About(Option<u32>, About),
    /// Breakpoints, all if none is named.
    Delete(Vec<u32>),
    /// The breakpoints.
    Breakpoints,
    /// The graph: universes of this status, or all.
    Universes(Option<String>),
    /// To another universe.
    Go(u32),
    /// To the universe of a state that the tables number.
    GoToState(u32),
    /// Which other messages could have been received on the way to a universe.
    Races(Option<u32>),
    /// What an edge changes.
    Difference(u32),
    /// The source.
    List,
    /// A question about all states.
    Ask(Asking),
    /// Whether something may and must happen.
    Judge(Judging),
    /// Another text for the program, from a file.
    Edit(String),
    /// Help.
    Help(Option<String>),
    /// The end.
    Quit,
}

/// What may and must happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judging {
    /// A breakpoint is met.
    May(String),
    /// A formula holds.
    Check(String),
}

/// A question that any prompt answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asking {
    /// One of those that are built in.
    Question(Question),
    /// In SQL.
    Sql(String),
}

/// What is asked of a universe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// Everything.
    Card,
    /// The way there.
    Path,
    /// The debugger's rules on the way there.
    Rules,
    /// To let it run.
    Resume,
    /// To let it run toward a breakpoint.
    Seek,
    /// To pause it.
    Pause,
    /// A step: who, which.
    Step(String, String),
    /// To keep an actor from acting.
    Hold(String),
    /// To let it act again.
    Release(String),
}

/// Every command, as help lists them.
pub const COMMANDS: Table<Request> = Table(&[
    Group::new("Running", RUNNING),
    Group::new("Stopping", STOPPING),
    Group::new("Looking", LOOKING),
    Group::new("Questions about all runs", QUESTIONS),
    Group::new("Others", OTHERS),
]);

const RUNNING: &[Spec<Request>] = &[
    Spec::new("run", "run from the start, in all universes", |_| {
        Ok(Request::Order(Order::Run))
    })
    .letters(&["r"]),
    Spec::new("resume", "let a paused universe run on", |c| {
        about(c, About::Resume)
    })
    .letters(&["c", "continue"])
    .arguments("[UNIVERSE]")
    .repeating(),
    Spec::new(
        "seek",
        "let a universe run toward the breakpoints, until one halts",
        |c| about(c, About::Seek),
    )
    .arguments("[UNIVERSE]")
    .details(
        "Goes on with the most promising universe first, and stops at the first that a breakpoint halts; what else \
there is stays unexplored. Again, from the same universe: the next that halts. For programs with more universes than \
'run' can show.",
    )
    .examples(&[("seek 0", "from the start")]),
    Spec::new(
        "step",
        "let an actor take a step in a paused universe",
        |c| {
            let kind = c.required("a step: into, over, next-turn, …")?.text.to_string();
            let actor = c.required("an actor")?.text.to_string();
            about(c, About::Step(actor, kind))
        },
    )
    .letters(&["s"])
    .arguments("KIND ACTOR [UNIVERSE]")
    .details(
        "KIND is into, over, return (within the turn; nobody else moves), into-activity, to-receiver, to-resolver, \
to-resolution, next-turn, end-turn or return-to-resolution. A step ends in every universe in which it comes to \
its goal, or says that it is never reached.",
    )
    .examples(&[("step next-turn math", "to before the next message that math takes")])
    .completes(&[Completes::Words(&[
        "into",
        "over",
        "return",
        "into-activity",
        "to-receiver",
        "to-resolver",
        "to-resolution",
        "next-turn",
        "end-turn",
        "return-to-resolution",
    ])])
    .repeating(),
    Spec::new("pause", "pause a universe that runs", |c| {
        about(c, About::Pause)
    })
    .arguments("[UNIVERSE]"),
    Spec::new(
        "hold",
        "keep an actor from acting in all that follows from a paused universe",
        |c| {
            let actor = c.required("an actor")?.text.to_string();
            about(c, About::Hold(actor))
        },
    )
    .arguments("ACTOR [UNIVERSE]"),
    Spec::new("release", "let a held actor act again", |c| {
        let actor = c.required("an actor")?.text.to_string();
        about(c, About::Release(actor))
    })
    .arguments("ACTOR [UNIVERSE]"),
    Spec::new("restart", "forget all universes but the first", |_| {
        Ok(Request::Order(Order::Restart))
    }),
    Spec::new(
        "edit",
        "take the program's text from a file, keep the breakpoints, and start again",
        |c| Ok(Request::Edit(c.required("a file")?.text.to_string())),
    )
    .arguments("FILE")
    .completes(&[Completes::File]),
];

const STOPPING: &[Spec<Request>] = &[
    Spec::new(
        "break",
        "halt every universe in which something happens",
        |c| {
            let spec = rest_or_missing(c, "what to halt at, for example receiver getResult")?;
            Ok(Request::Order(Order::Break { spec }))
        },
    )
    .letters(&["b"])
    .arguments("WHAT")
    .details(
        "creation, start: an actor literal is next; a new actor is about to initialise. sender S, receiver S: that \
message is about to be sent; is about to be taken. before M, after M: a method is about to run because of a \
message; has its value. resolver S, resolution S: a future is about to be resolved; has its value. when P: a \
predicate begins to hold. S is a message's name, or 'line N'.",
    )
    .examples(&[
        ("break receiver getResult", "before the message is taken"),
        ("break when math.result == 66", "fields, inbox(A), idle(A), stuck(A), printed(A, \"…\")"),
    ])
    .completes(&[Completes::Words(&[
        "creation",
        "start",
        "sender",
        "receiver",
        "before",
        "after",
        "resolver",
        "resolution",
        "when",
    ])]),
    Spec::new("breakpoints", "list the breakpoints", |_| {
        Ok(Request::Breakpoints)
    })
    .letters(&["bp"]),
    Spec::new("delete", "delete breakpoints", |c| {
        crate::arguments::identifiers(c).map(Request::Delete)
    })
    .letters(&["d"])
    .arguments("NUMBER…|all")
    .completes(&[Completes::Breakpoint, Completes::Words(&["all"])]),
    Spec::new("enable", "look at a breakpoint again", |c| {
        let id = number(c, "a breakpoint's number")?;
        Ok(Request::Order(Order::Enable { id, on: true }))
    })
    .arguments("NUMBER"),
    Spec::new("disable", "pass a breakpoint by", |c| {
        let id = number(c, "a breakpoint's number")?;
        Ok(Request::Order(Order::Enable { id, on: false }))
    })
    .arguments("NUMBER"),
];

const LOOKING: &[Spec<Request>] = &[
    Spec::new(
        "universes",
        "the universes seen so far, with the edges between them",
        |c| Ok(Request::Universes(c.word().map(|w| w.text.to_string()))),
    )
    .letters(&["u", "graph"])
    .arguments("[STATUS]")
    .completes(&[Completes::Words(&[
        "running",
        "unexplored",
        "paused",
        "held",
        "end",
        "stuck",
        "deadlock",
    ])]),
    Spec::new("jump", "look at another universe", |c| {
        if c.peek().is_some_and(|word| word.text == "state") {
            c.word();
            return Ok(Request::GoToState(number(c, "a state's number")?));
        }
        Ok(Request::Go(number(c, "a universe's number")?))
    })
    .letters(&["j"])
    .arguments("UNIVERSE|state STATE")
    .details("Universes have one number each: in 'universes', 'path', 'ask' and 'races'. The tables that 'query' asks \
number states; 'jump state 7' goes to the universe of state 7.")
    .completes(&[Completes::Universe]),
    Spec::new(
        "print",
        "a universe: its actors, and what can be said there",
        |c| about(c, About::Card),
    )
    .letters(&["p", "v"])
    .arguments("[UNIVERSE]"),
    Spec::new(
        "path",
        "the steps and commands that led to a universe",
        |c| about(c, About::Path),
    )
    .letters(&["o"])
    .arguments("[UNIVERSE]"),
    Spec::new(
        "rules",
        "the rules of the debugger that applied on the way to a universe",
        |c| about(c, About::Rules),
    )
    .arguments("[UNIVERSE]")
    .details("By the names of 'Multiverse Debugging' (ECOOP 2019, appendix A): CEL-STEP-LOCAL, CEL-STEP-GLOBAL, \
SAVE-MRB, TRIGGER-MRB, TRIGGER-MSB, NOT-APPLICABLE-BREAKPOINT, ADD-NEW-ACTOR, PREPARE-STEP-NEXT-TURN, \
TRIGGER-STEP-NEXT-TURN, RESUME-EXECUTION, PAUSE-EXECUTION, and their kin."),
    Spec::new("difference", "what an edge of the graph changes", |c| {
        Ok(Request::Difference(number(c, "an edge's number")?))
    })
    .letters(&["diff"])
    .arguments("EDGE"),
    Spec::new("list", "the source", |_| Ok(Request::List)).letters(&["l"]),
];

const QUESTIONS: &[Spec<Request>] = &[
    Spec::new("ask", ASK, |c| asking(c).map(Request::Ask))
        .letters(&["a"])
        .arguments(ASK_ARGUMENTS)
        .details(ASK_DETAILS)
        .completes(&[Completes::Words(WORDS)]),
    Spec::new("query", QUERY, |c| sql(c).map(Request::Ask))
        .arguments("SELECT…")
        .details(QUERY_DETAILS),
    Spec::new("may", MAY, |c| may(c).map(Request::Judge))
        .arguments("WHAT")
        .details(MAY_DETAILS),
    Spec::new("check", CHECK, |c| check(c).map(Request::Judge))
        .arguments("[--fair] FORMULA")
        .details(CHECK_DETAILS),
    Spec::new("races", RACES, |c| {
        let universe = match c.is_done() {
            true => None,
            false => Some(number(c, "a universe's number")?),
        };
        Ok(Request::Races(universe))
    })
    .arguments("[UNIVERSE]")
    .details(RACES_DETAILS),
];

const OTHERS: &[Spec<Request>] = &[
    Spec::new("help", "all commands, or one of them in full", |cursor| {
        Ok(Request::Help(cursor.word().map(|w| w.text.to_string())))
    })
    .letters(&["h", "?"])
    .arguments("[COMMAND]")
    .completes(&[Completes::Command]),
    Spec::new("quit", "leave", |_| Ok(Request::Quit)).letters(&["q", "exit"]),
];

/// What `ask` does.
pub const ASK: &str = "a question about all states of the program";
/// Its arguments.
pub const ASK_ARGUMENTS: &str = "QUESTION";
/// Its questions.
pub const ASK_DETAILS: &str = "ends: the outcomes with their numbers and how many states have each. shortest [STATE]: \
a shortest way to each outcome, or to a state. through STATE: the states on paths through it. parting A B: where a \
choice first rules one of two outcomes out. reach A: the states from which an outcome can still be reached. \
ancestors STATE STATE…: those from which all of these can be reached. cycles: where a run can stay for ever. What an \
answer numbers is where 'jump' goes. Ctrl-C stops the exploration: the answer then says on how much it rests, and the \
next question goes on exploring.";
/// What `may` does.
pub const MAY: &str = "whether a breakpoint would halt in some universe, and whether in every run";
/// How it answers.
pub const MAY_DETAILS: &str =
    "Answers with a run that shows it. The universes of the session stay as they are.";
/// What `check` does.
pub const CHECK: &str = "whether a temporal formula holds in some run, and whether in every run";
/// What a formula is.
pub const CHECK_DETAILS: &str = "F p: at some time; G p: always; X p: in the next state; p U q, p R q, !p, p & q, \
p | q, p -> q; predicates as for 'break when' stand in braces. Runs that never end are judged as well. --fair: only runs in which \
who can act from some point on does act again.";
/// What `races` does.
pub const RACES: &str = "which other messages could have been received on the way here";
/// What it shows.
pub const RACES_DETAILS: &str = "For each message that was received: those that came to the same inbox or port later \
and could have been there first, while all that happened before stays the same.";
/// What `query` does.
pub const QUERY: &str = "a question in SQL about all states of the program";
/// Its tables.
pub const QUERY_DETAILS: &str = "Tables: model_state, model_edge, model_outcome, model_program; views: model_ends, \
model_shortest, model_steps (docs/session-files.md).";
const WORDS: &[&str] = &[
    "ends",
    "shortest",
    "through",
    "parting",
    "reach",
    "ancestors",
    "cycles",
];

/// Reads a question.
///
/// # Errors
/// It is none.
pub fn asking(cursor: &mut Cursor<'_>) -> Result<Asking, Misread> {
    let word = cursor.required("a question: ends, shortest, through, parting, …")?;
    Ok(Asking::Question(match word.text {
        "ends" => Question::Ends,
        "cycles" => Question::Cycles,
        "shortest" if cursor.is_done() => Question::ShortestToEnds,
        "shortest" => Question::Shortest(number(cursor, "a state's number")?),
        "through" => Question::Through(number(cursor, "a state's number")?),
        "reach" => Question::CanReach(number(cursor, "an outcome's number")?),
        "parting" => {
            let first = number(cursor, "an outcome's number")?;
            Question::Divergence(first, number(cursor, "another outcome's number")?)
        }
        "ancestors" => {
            let mut states = vec![number(cursor, "a state's number")?];
            while !cursor.is_done() {
                states.push(number(cursor, "a state's number")?);
            }
            Question::CommonAncestors(states)
        }
        other => {
            return Err(Misread::of(word, format!("'{other}' is no question"))
                .hint(format!("known are {}", WORDS.join(", "))));
        }
    }))
}

/// Reads a breakpoint to judge.
///
/// # Errors
/// There is none.
pub fn may(cursor: &mut Cursor<'_>) -> Result<Judging, Misread> {
    rest_or_missing(cursor, "a breakpoint, as for 'break'").map(Judging::May)
}

/// Reads a formula; `--fair` is the word `fair` of formulas.
///
/// # Errors
/// There is none.
pub fn check(cursor: &mut Cursor<'_>) -> Result<Judging, Misread> {
    let fair = cursor.keyword("--fair");
    let formula = rest_or_missing(cursor, "a formula, for example F {math.result == 66}")?;
    Ok(Judging::Check(match fair {
        true => format!("fair {formula}"),
        false => formula,
    }))
}

/// Reads a `SELECT`.
///
/// # Errors
/// There is none.
pub fn sql(cursor: &mut Cursor<'_>) -> Result<Asking, Misread> {
    rest_or_missing(cursor, "a SELECT").map(Asking::Sql)
}

fn about(cursor: &mut Cursor<'_>, what: About) -> Result<Request, Misread> {
    let universe = match cursor.is_done() {
        true => None,
        false => Some(number(cursor, "a universe's number")?),
    };
    Ok(Request::About(universe, what))
}

fn number(cursor: &mut Cursor<'_>, what: &str) -> Result<u32, Misread> {
    if cursor.is_done() {
        return Err(cursor.missing(what));
    }
    let word = cursor.peek();
    let value = cursor.number(what)?;
    u32::try_from(value).map_err(|_| match word {
        Some(word) => Misread::of(word, "this number is too large"),
        None => cursor.missing(what),
    })
}
