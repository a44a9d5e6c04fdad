//! The commands of CaReDeb: those of the paper's table and what came since, by the paper's names and letters, and the
//! words of all prompts.

use borges_languages::muoz::caredeb::{Command, Target};
use borges_languages::muoz::{Recording, ThreadName};
use borges_multiverse::walk::Chooser;

use crate::cursor::{Cursor, Misread, Word};
use crate::interpreter::{Everywhere, help_row, quit_row, shares};
use crate::model::common::{CHOOSER_WORDS, Common, Rows as Words, chooser};
use crate::model::questions::{Asking, Rows as Questions};
use crate::table::{Completes, Group, Spec, Table};
use crate::words::{AGENTS, Parse, Rows as Shared, Stops, go_on};

/// What a typed line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// A causal command.
    Causal(Command),
    /// What prompts that go from universe to universe have in common.
    Common(Common),
    /// What is said about breakpoints that there are.
    Stops(Stops),
    /// A question about all runs; of races, with a port's name, it is a causal command too.
    Asking(Asking),
    /// What every prompt understands.
    Everywhere(Everywhere),
}

shares!(Common, Stops, Asking, Everywhere);

/// Every command, as help lists them.
pub const COMMANDS: Table<Request> = Table(&[
    Group::new("Moving", MOVING),
    Group::new("Undoing", UNDOING),
    Group::new("Doing again", REPLAYING),
    Group::new("Stopping", STOPPING),
    Group::new("Looking", LOOKING),
    Group::new("Questions about all runs", Questions::<Request>::ALL),
    // `h` is the history's.
    Group::new("Others", &[help_row().letters(&["?"]), quit_row()]),
]);

const MOVING: &[Spec<Request>] = &[
    of_thread("forth", "take the thread's next step", |c| {
        let thread = thread(c)?;
        let count = count(c)?.unwrap_or(1);
        Ok(Request::Causal(Command::Forth { thread, count }))
    })
    .letters(&["f"])
    .arguments("THREAD [COUNT]")
    .details("Breakpoints halt runs, not single steps.")
    .repeating(),
    go_on(run)
        .arguments("[[first|turns|random [SEED]|order [-]THREAD…] [STEPS] | hand THREAD…]")
        .details(RULES)
        .examples(&[
            ("continue random 7", "by chance"),
            ("run order t2 -t1", "t2 first, t1 not at all"),
            ("run hand t1 t3 t2", "a step of each of these"),
        ])
        .completes(&[
            Completes::Agent,
            Completes::Words(CHOOSER_WORDS),
            Completes::Words(&["hand"]),
        ]),
    // `r` is the paper's for rolling.
    Words::RESTART.letters(&[]),
    Words::JUMP.details(
        "Every command that moves leads to a universe of its own, which stays: its number is in the prompt and in \
'path'. The tables that 'query' asks number states; 'jump state 7' goes to state 7 by a shortest way.",
    ),
];

const RULES: &str = "Without a rule the threads take turns. With a number, so many steps at most. hand: a step of \
each thread named. first: the first thread that can, always. random: any, evenly, from a seed. order: the \
first of these threads that can, others only where none of these can; a thread behind '-' is held.";

const UNDOING: &[Spec<Request>] = &[
    of_thread(
        "back",
        "undo the thread's last step, if nothing depends on it",
        |c| Ok(Request::Causal(Command::Back(thread(c)?))),
    )
    .letters(&["b"])
    .repeating(),
    of_thread("roll", "undo the thread's last steps, or all", |c| {
        let (thread, count) = (thread(c)?, count(c)?);
        Ok(roll(Target::Steps { thread, count }))
    })
    .letters(&["r"])
    .arguments("THREAD [COUNT]")
    .repeating(),
    of_variable(
        "rollvariable",
        "undo the binding of a variable, and its consequences",
        |c| variable(c).map(roll),
    )
    .letters(&["rv"]),
    of_port("rollsend", "undo the last sends to a port", |c| {
        sends(c).map(roll)
    })
    .letters(&["rs"]),
    of_port("rollreceive", "undo the last receives from a port", |c| {
        receives(c).map(roll)
    })
    .letters(&["rr"]),
    of_thread("rollthread", "undo the creation of a thread", |c| {
        Ok(roll(Target::Thread(thread(c)?)))
    })
    .letters(&["rt"])
    .repeating(),
    of_port(
        "rollmessage",
        "undo the send of a port's n-th message",
        |c| {
            let port = c.name("a port")?;
            let number = count(c)?.ok_or_else(|| c.missing("the number of a message"))?;
            Ok(roll(Target::Message { port, number }))
        },
    )
    .letters(&["rm"])
    .arguments("PORT NUMBER"),
];

const REPLAYING: &[Spec<Request>] = &[
    Spec::new(
        "record",
        "keep this run, or the given one, for replay",
        |c| {
            let run = c.take_rest();
            let recording = match run.text {
                "" => Ok(None),
                text => text.parse::<Recording>().map(Some),
            };
            let recording = recording.map_err(|error| Misread::of(run, error.to_string()))?;
            Ok(Request::Causal(Command::Record(recording)))
        },
    )
    .arguments("[RUN]"),
    of_thread(
        "replay",
        "do recorded steps again, with their causes",
        |c| {
            if c.is_done() {
                return Ok(replay(Target::All));
            }
            let (thread, count) = (thread(c)?, Some(count(c)?.unwrap_or(1)));
            Ok(replay(Target::Steps { thread, count }))
        },
    )
    .arguments("[THREAD [COUNT]]")
    .repeating(),
    of_variable(
        "replayvariable",
        "replay up to the binding of a variable",
        |c| variable(c).map(replay),
    ),
    of_port("replaysend", "replay the next sends to a port", |c| {
        sends(c).map(replay)
    }),
    of_port(
        "replayreceive",
        "replay the next receives from a port",
        |c| receives(c).map(replay),
    ),
    of_thread(
        "replaythread",
        "replay up to the creation of a thread",
        |c| Ok(replay(Target::Thread(thread(c)?))),
    )
    .repeating(),
];

const STOPPING: &[Spec<Request>] = &[
    // `b` is the paper's for going back.
    Words::BREAK
        .letters(&["B"])
        .details(
            "A predicate that begins to hold, a text that the state or the step to it mentions, <br> (a thread \
executes it), or assertion (one is false); these last two are there from the start.",
        )
        .examples(&[("break x == 2", "a predicate")]),
    Shared::BREAKPOINTS,
    Shared::DELETE,
    Shared::ENABLE,
    Shared::DISABLE,
];

const LOOKING: &[Spec<Request>] = &[
    Words::AGENTS.letters(&["threads", "t"]),
    Spec::new("store", "the variables", |_| {
        Ok(Request::Causal(Command::Store))
    })
    .letters(&["s"]),
    Spec::new(
        "print",
        "a variable, a port's queue, or a thread's code",
        |c| {
            let id = c.name("a thread or a variable")?;
            Ok(Request::Causal(Command::Print(id)))
        },
    )
    .letters(&["p"])
    .arguments("ID")
    .completes(&[Completes::Agent, Completes::Port, Completes::Variable]),
    Spec::new(
        "history",
        "what a thread did, or what went through a port",
        |c| {
            let id = c.name("a thread or a port")?;
            Ok(Request::Causal(Command::History(id)))
        },
    )
    .letters(&["h"])
    .arguments("ID")
    .completes(&[Completes::Agent, Completes::Port]),
    Spec::new("waits", "who waits for whom, and who in vain", |_| {
        Ok(Request::Causal(Command::Waits))
    })
    .letters(&["w"]),
    of_thread("where", "the thread's place in the source", |c| {
        Ok(Request::Causal(Command::Where(thread(c)?)))
    }),
    of_thread("bindings", "the variables in the thread's scope", |c| {
        Ok(Request::Causal(Command::Bindings(thread(c)?)))
    }),
    Words::LIST,
    Words::PATH
        .details("The commands that led to the universe, each with the universe that it led to."),
];

/// A row about a thread.
const fn of_thread(
    name: &'static str,
    summary: &'static str,
    parse: Parse<Request>,
) -> Spec<Request> {
    let row = Spec::new(name, summary, parse);
    row.arguments("THREAD").completes(AGENTS)
}

/// A row about a variable, which can be repeated.
const fn of_variable(
    name: &'static str,
    summary: &'static str,
    parse: Parse<Request>,
) -> Spec<Request> {
    let row = Spec::new(name, summary, parse).arguments("VARIABLE");
    row.completes(&[Completes::Variable]).repeating()
}

/// A row about what went through a port, which can be repeated.
const fn of_port(
    name: &'static str,
    summary: &'static str,
    parse: Parse<Request>,
) -> Spec<Request> {
    let row = Spec::new(name, summary, parse).arguments("PORT [COUNT]");
    row.completes(&[Completes::Port]).repeating()
}

const fn roll(target: Target) -> Request {
    Request::Causal(Command::Roll(target))
}

const fn replay(target: Target) -> Request {
    Request::Causal(Command::Replay(target))
}

/// `[[RULE] [STEPS] | hand THREAD…]`.
fn run(cursor: &mut Cursor<'_>) -> Result<Request, Misread> {
    if cursor.keyword("hand") {
        let mut threads = vec![thread(cursor)?];
        while !cursor.is_done() {
            threads.push(thread(cursor)?);
        }
        return Ok(Request::Causal(Command::ByHand(threads)));
    }
    let chooser =
        chooser(cursor, "first, turns, random, order or hand", named)?.unwrap_or(Chooser::Turns);
    let steps = count(cursor)?.map(u64::from);
    Ok(Request::Causal(Command::Run { chooser, steps }))
}

fn thread(cursor: &mut Cursor<'_>) -> Result<ThreadName, Misread> {
    named(cursor.required("a thread, for example t1")?)
}

fn named(word: Word<'_>) -> Result<ThreadName, Misread> {
    let wrong = |_| Misread::of(word, format!("'{}' is no thread", word.text));
    let known = "threads are called t0, t1, t2, …; a child of t2 is called t2.1";
    word.text.parse().map_err(|error| wrong(error).hint(known))
}

fn variable(cursor: &mut Cursor<'_>) -> Result<Target, Misread> {
    cursor.name("a variable").map(Target::Variable)
}

fn sends(cursor: &mut Cursor<'_>) -> Result<Target, Misread> {
    let (port, count) = (cursor.name("a port")?, count(cursor)?.unwrap_or(1));
    Ok(Target::Sends { port, count })
}

fn receives(cursor: &mut Cursor<'_>) -> Result<Target, Misread> {
    let (port, count) = (cursor.name("a port")?, count(cursor)?.unwrap_or(1));
    Ok(Target::Receives { port, count })
}

/// A number from 1 on, if there is one.
fn count(cursor: &mut Cursor<'_>) -> Result<Option<u32>, Misread> {
    let Some(word) = cursor.peek() else {
        return Ok(None);
    };
    match cursor.small("how many")? {
        0 => Err(Misread::of(word, "this number is too small").hint("give 1 or more")),
        count => Ok(Some(count)),
    }
}
