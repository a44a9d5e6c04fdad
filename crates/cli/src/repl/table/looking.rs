//! Commands that look at the universe shown.

use borges_session::command::Command;

use super::{FrameChoice, FrameCommand, PLACE_HELP, PLACES, Request, bare, place_if_any};
use crate::repl::arguments::{number_u32, term_or_missing};
use crate::repl::cursor::{Cursor, Misread};
use crate::repl::spec::{Completes, Spec};

pub(super) const COMMANDS: &[Spec<Request>] = &[
    Spec::new(
        "list",
        "source lines around here or around a place",
        |cursor| {
            let place = place_if_any(cursor)?;
            let around = number_u32(cursor, "a number of lines", 5)?;
            Ok(Request::Session(Command::List { place, around }))
        },
    )
    .letters(&["l"])
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
    Spec::new(
        "print",
        "the value of an expression",
        |cursor| {
            let expression = cursor.take_rest();
            if expression.text.is_empty() {
                return Err(cursor.missing("an expression"));
            }
            Ok(Request::InFrame(FrameCommand::Print(
                expression.text.to_string(),
            )))
        },
    )
    .letters(&["p"])
    .arguments("EXPRESSION")
    .details("Variables of the chosen frame and globals, fields (a.b), elements (a[1]), pointers (*p), numbers \
and operators as in C.")
    .examples(&[
            ("p current + 1", "a sum"),
            ("p state.queue[2]", "an element of a field"),
        ])
    .completes(&[Completes::Variable]),
    Spec::new(
        "variables",
        "variables of the chosen frame, and globals",
        |_| Ok(Request::InFrame(FrameCommand::Variables)),
    )
    .letters(&["v"])
    .details("A star marks what changed since the last stop."),
    Spec::new(
        "stack",
        "the call stack, innermost first",
        bare!(Command::Stack),
    )
    .letters(&["bt", "k"]),
    Spec::new(
        "frame",
        "choose a frame for print and variables",
        |cursor| {
            number_u32(cursor, "a frame's number", 0)
                .map(|n| Request::Frame(FrameChoice::Number(n)))
        },
    )
    .arguments("[NUMBER]")
    .details("0 is the innermost. Any motion goes back to it."),
    Spec::new(
        "up",
        "choose the caller's frame",
        |cursor| {
            number_u32(cursor, "a number of frames", 1).map(|n| Request::Frame(FrameChoice::Up(n)))
        },
    )
    .arguments("[COUNT]")
    .repeating(),
    Spec::new(
        "down",
        "choose the callee's frame",
        |cursor| {
            number_u32(cursor, "a number of frames", 1)
                .map(|n| Request::Frame(FrameChoice::Down(n)))
        },
    )
    .arguments("[COUNT]")
    .repeating(),
    Spec::new(
        "memory",
        "bytes of the program's memory",
        |cursor| {
            let address = term_or_missing(cursor, "an address")?;
            let length = number_u32(cursor, "a number of bytes", 64)?;
            Ok(Request::Session(Command::Memory { address, length }))
        },
    )
    .letters(&["x"])
    .arguments("ADDRESS [LENGTH]")
    .details("ADDRESS is an expression; put it in parentheses if it has spaces.")
    .examples(&[
            ("x 1024", "64 bytes from address 1024"),
            ("x (buffer + 4) 16", "16 bytes"),
        ])
    .completes(&[Completes::Variable]),
    Spec::new(
        "functions",
        "functions whose name contains a text",
        |cursor| {
            let containing = cursor.take_rest().text.to_string();
            Ok(Request::Session(Command::Functions { containing }))
        },
    )
    .letters(&["fn"])
    .arguments("[TEXT]")
    .completes(&[Completes::Function]),
    Spec::new(
        "course",
        "draw how a value went along the path",
        |cursor| {
            let expression = term_or_missing(cursor, "an expression")?;
            Ok(Request::Session(Command::Series {
                expressions: vec![expression],
                samples: 60,
            }))
        },
    )
    .arguments("EXPRESSION")
    .examples(&[("course current", "how a global changed since the start")])
    .completes(&[Completes::Variable]),
    Spec::new(
        "board",
        "the board here: pins, motors, pixels, display",
        bare!(Command::Board),
    ),
    Spec::new(
        "console",
        "what the program has printed up to here",
        bare!(Command::Console),
    ),
];

fn disassemble(cursor: &mut Cursor<'_>) -> Result<Request, Misread> {
    const AROUND: u32 = 8;
    if cursor.keyword("all") {
        return Ok(Request::Session(Command::Disassemble {
            place: None,
            around: 0,
        }));
    }
    let place = place_if_any(cursor)?;
    let around = if cursor.keyword("all") {
        0
    } else {
        number_u32(cursor, "a number of instructions", AROUND)?
    };
    Ok(Request::Session(Command::Disassemble { place, around }))
}
