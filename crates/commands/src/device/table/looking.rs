//! Commands that look at the universe shown.

use borges_session::command::Look;

use super::{FrameChoice, FrameCommand, PLACE_HELP, PLACES, Request, bare, place_if_any};
use crate::arguments::agent;
use crate::cursor::{Cursor, Misread};
use crate::table::{Completes, Spec};
use crate::words::{AGENTS, agents, list};

pub(super) const COMMANDS: &[Spec<Request>] = &[
    list(|cursor| {
        let place = place_if_any(cursor)?;
        let around = cursor.small_or("a number of lines", 5)?;
        Ok(Look::List { place, around }.into())
    })
    .arguments("[PLACE] [AROUND]")
    .details(PLACE_HELP)
    .examples(&[
            ("list turnTo", "the function's source"),
            ("l 30 2", "lines 28 to 32"),
        ])
    .completes(PLACES),
    Spec::new(
        "disassemble",
        "instructions around here or around a place",
        disassemble,
    )
    .letters(&["dis"])
    .arguments("[PLACE] [AROUND|all]")
    .details(PLACE_HELP)
    .examples(&[
            ("dis all", "the whole function"),
            ("dis @0x1a3 4", "four before and after this offset"),
        ])
    .completes(PLACES),
    Spec::new("print", "the value of an expression", |cursor| {
        let expression = cursor.all("an expression")?;
        Ok(Request::InFrame(FrameCommand::Print(expression)))
    })
    .letters(&["p"])
    .arguments("[/NOTATION] EXPRESSION")
    .notation()
    .details(EXPRESSION_HELP)
    .examples(&[
            ("p current + 1", "a sum"),
            ("p state.queue[2]", "an element of a field"),
            ("p state.queue[2..5]", "elements 2, 3 and 4"),
            ("p mode == Mode.Heat", "the variant of an enum"),
            ("p sizeof(Parser) + (u8)level", "a size, and a cast that wraps"),
            ("p/x flags", "in hexadecimal"),
            ("p $0 + $stack0", "a local and an operand of code without names"),
        ])
    .completes(&[Completes::Variable]),
    Spec::new(
        "variables",
        "variables of the chosen frame, and globals",
        |cursor| Ok(Request::InFrame(FrameCommand::Variables(agent(cursor)))),
    )
    .letters(&["v"])
    .arguments("[AGENT]")
    .completes(AGENTS)
    .details("A star marks what changed since the last stop. Locals that nobody named are called $0, $1, … (parameters \
first), operands $stack0, $stack1, … (the bottom first)."),
    Spec::new("watch", "show an expression at every stop, with its change", |cursor| {
        let expression = cursor.take_rest().text;
        Ok(Request::Watch((!expression.is_empty()).then(|| expression.to_string())))
    })
    .letters(&["display"])
    .arguments("[[/NOTATION] EXPRESSION]")
    .notation()
    .details("Alone it lists what is watched. To stop where something is written, use 'break write'.")
    .examples(&[
            ("watch current", "its value at every stop"),
            ("watch /x flags", "in hexadecimal"),
        ])
    .completes(&[Completes::Variable]),
    Spec::new("unwatch", "show an expression no longer", |cursor| {
        if cursor.keyword("all") && cursor.is_done() {
            return Ok(Request::Unwatch(None));
        }
        let expression = cursor.all("a watched expression, or all")?;
        Ok(Request::Unwatch(Some(expression)))
    })
    .letters(&["undisplay"])
    .arguments("EXPRESSION|all"),
    Spec::new(
        "stack",
        "the call stack, innermost first",
        |cursor| Ok(Look::Stack { agent: agent(cursor) }.into()),
    )
    .letters(&["bt", "k"])
    .arguments("[AGENT]")
    .completes(AGENTS),
    agents(bare!(Look::Agents)),
    Spec::new("frame", "choose a frame for print and variables", |cursor| {
        let number = cursor.small_or("a frame's number", 0)?;
        Ok(Request::Frame(FrameChoice::Number(number)))
    })
    .arguments("[NUMBER]")
    .details("0 is the innermost. Any motion goes back to it."),
    Spec::new("up", "choose the caller's frame", |cursor| {
        let count = cursor.small_or("a number of frames", 1)?;
        Ok(Request::Frame(FrameChoice::Up(count)))
    })
    .arguments("[COUNT]")
    .repeating(),
    Spec::new("down", "choose the callee's frame", |cursor| {
        let count = cursor.small_or("a number of frames", 1)?;
        Ok(Request::Frame(FrameChoice::Down(count)))
    })
    .arguments("[COUNT]")
    .repeating(),
    Spec::new("memory", "bytes of the program's memory", |cursor| {
        if let Some(layout) = cursor.peek().and_then(|word| word.text.strip_prefix('/')) {
            cursor.word();
            let memory = which_memory(cursor)?;
            let address = cursor.all("an address")?;
            return Ok(Look::Examine {
                layout: layout.to_string(),
                address,
                memory,
            }.into());
        }
        let memory = which_memory(cursor)?;
        let address = cursor.term().ok_or_else(|| cursor.missing("an address"))?.text.to_string();
        let length = cursor.small_or("a number of bytes", 64)?;
        Ok(Look::Memory { address, length, memory }.into())
    })
    .letters(&["x"])
    .arguments("[in MEMORY] ADDRESS [LENGTH] | /NFU [in MEMORY] ADDRESS")
    .notation()
    .details("ADDRESS is an expression; before a LENGTH, put it in parentheses if it has spaces. \
With /NFU, N units are shown in notation F (x, d, u, t, o, c, f, or s for texts that end with a zero), each of size U \
(b: 1 byte, h: 2, w: 4, g: 8). Of a program with several memories, it is the one that the address is in unless another is named: \
that of the code in the frame shown, or that in which a variable lies.")
    .examples(&[
            ("x 1024", "64 bytes from address 1024"),
            ("x (buffer + 4) 16", "16 bytes"),
            ("x/4xw buffer + 4", "four words in hexadecimal"),
            ("x/s name", "a text"),
            ("x in 1 1024 16", "16 bytes of memory 1"),
        ])
    .completes(&[Completes::Variable]),
    Spec::new("functions", "functions whose name contains a text", |cursor| {
        let containing = cursor.take_rest().text.to_string();
        Ok(Look::Functions { containing }.into())
    })
    .letters(&["fn"])
    .arguments("[TEXT]")
    .completes(&[Completes::Function]),
    Spec::new("course", "draw how a value went along the path", |cursor| {
        let expression = cursor.all("an expression")?;
        Ok(Look::Series {
            expressions: vec![expression],
            samples: COURSE_POINTS,
        }.into())
    })
    .arguments("EXPRESSION")
    .details("A bar for the value after every write, in order; a gap where the variable does not exist. A variable of a \
function is followed through all its calls on the path.")
    .examples(&[
        ("course current", "how a global changed since the start"),
        ("course level * 2", "the same of a sum or a product"),
    ])
    .completes(&[Completes::Variable]),
    Spec::new(
        "board",
        "the board here: pins, motors, pixels, display",
        bare!(Look::Board),
    ),
    Spec::new(
        "console",
        "what the program has printed up to here",
        bare!(Look::Console),
    ),
    Spec::new("files", "the files of a program of WASI, and what changed", |cursor| {
        let (mut path, mut since) = (None, None);
        while let Some(word) = cursor.word() {
            if word.text == "since" {
                let universe = cursor.required("a universe after 'since'")?;
                since = Some(universe.text.to_string());
            } else {
                path = Some(word.text.to_string());
            }
        }
        Ok(Look::Files { path, since }.into())
    })
    .arguments("[PATH] [since UNIVERSE]")
    .details("What changed since the start, or since a universe; with a path, what is in that file.")
    .examples(&[
        ("files since 0.4", "what was written since then"),
        ("files /data/notes.txt", "what is in it here"),
    ]),
    Spec::new(
        "descriptors",
        "what a program of WASI has open, and where it reads and writes there",
        bare!(Look::Descriptors),
    ),
    Spec::new(
        "streams",
        "what a program of WASI has written to standard output and error, and its exit code",
        bare!(Look::Streams),
    ),
];

/// Points of a course: enough that what fits on a line is drawn exactly.
const COURSE_POINTS: u32 = 2_000;

const EXPRESSION_HELP: &str = "Variables of the chosen frame and globals, fields (a.b), elements (a[1]), ranges of them \
(a[2..5], without the last), pointers (*p), enum variants (Mode.Heat, Mode::Heat, HEAT), casts ((u8)x, x as u8), sizeof, \
numbers and operators as in C. $0 is the first local of code without names, $stack0 the bottom of its operand stack, \
$global0 the first global, mem8[a] to mem64[a] memory.\n\
NOTATION is x (hexadecimal), d (signed), u (unsigned), t (binary), o (octal), c (letter) or f (float).";

/// The memory that is named, if one is.
fn which_memory(cursor: &mut Cursor<'_>) -> Result<Option<u32>, Misread> {
    match cursor.keyword("in") {
        true => cursor.small("a memory's number").map(Some),
        false => Ok(None),
    }
}

fn disassemble(cursor: &mut Cursor<'_>) -> Result<Request, Misread> {
    const AROUND: u32 = 8;
    if cursor.keyword("all") {
        let (place, around) = (None, 0);
        return Ok(Look::Disassemble { place, around }.into());
    }
    let place = place_if_any(cursor)?;
    let around = if cursor.keyword("all") {
        0
    } else {
        cursor.small_or("a number of instructions", AROUND)?
    };
    Ok(Look::Disassemble { place, around }.into())
}
