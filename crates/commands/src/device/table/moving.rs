//! Commands that move the view along a path.

use borges_session::command::{Act, Direction, StepSize};

use super::{PLACE_HELP, PLACES, Request, bare};
use crate::arguments::{agent, code_place, steps};
use crate::cursor::{Cursor, Misread};
use crate::table::Spec;
use crate::words::{AGENTS, Rows as Words, go_on, restart};

/// The row of a command that moves the view step by step.
macro_rules! motion {
    ($name:literal, $letters:expr, $direction:ident, $size:ident, $summary:literal, $details:literal) => {
        Spec::new($name, $summary, |cursor| {
            let (agent, count) = (agent(cursor), steps(cursor)?);
            let (direction, size) = (Direction::$direction, StepSize::$size);
            Ok(Request::from(Act::Step {
                agent,
                direction,
                size,
                count,
            }))
        })
        .letters($letters)
        .arguments("[AGENT] [COUNT]")
        .completes(AGENTS)
        .details($details)
        .repeating()
    };
}

pub(super) const COMMANDS: &[Spec<Request>] = &[
    go_on(bare!(Act::Continue {
        direction: Direction::Forward
    }))
    .letters(&["c", "run", "play"])
    .details(
        "In the recorded past this replays what is recorded; at its end the device goes on, live, until Ctrl-C.",
    ),
    Words::REVERSE_CONTINUE
        .details("Only the view moves: the device stays until you go on from here or say 'follow'."),
    Words::STEP.details(
        "A step goes to the next source line, into calls; without debug information it is one instruction.",
    ),
    Words::REVERSE_STEP.details(
        "To the line before, into calls. Outputs on the way are undone when the device follows: a motor that turned \
turns back.",
    ),
    motion!(
        "next",
        &["n"],
        Forward,
        Over,
        "to the next source line, over calls",
        "Stops earlier at a breakpoint inside a call, or when the function returns."
    ),
    motion!(
        "reverse-next",
        &["N", "rn"],
        Backward,
        Over,
        "to the line before, over calls",
        ""
    ),
    motion!(
        "finish",
        &["f", "out"],
        Forward,
        Out,
        "until this function has returned",
        ""
    ),
    motion!(
        "reverse-finish",
        &["F", "rf"],
        Backward,
        Out,
        "back to the call of this function",
        ""
    ),
    motion!(
        "stepi",
        &["si"],
        Forward,
        Instruction,
        "one instruction forward",
        ""
    ),
    motion!(
        "reverse-stepi",
        &["SI", "rsi"],
        Backward,
        Instruction,
        "one instruction backward",
        ""
    ),
    motion!(
        "entry",
        &["e"],
        Forward,
        Entry,
        "to the next input, output or event",
        ""
    ),
    motion!(
        "reverse-entry",
        &["E"],
        Backward,
        Entry,
        "to the last input, output or event",
        ""
    ),
    Spec::new("until", "run to a place, once", |cursor| {
        run_to(cursor, Direction::Forward)
    })
    .letters(&["u"])
    .arguments("PLACE")
    .details(PLACE_HELP)
    .examples(&[
        ("until 30", "run until line 30 of the file shown"),
        ("u turnTo", "run until turnTo is called"),
    ])
    .completes(PLACES),
    Spec::new(
        "reverse-until",
        "go back to where a place was last executed",
        |cursor| run_to(cursor, Direction::Backward),
    )
    .letters(&["U"])
    .arguments("PLACE")
    .details(PLACE_HELP)
    .examples(&[("U 24", "back to the last time that line 24 began")])
    .completes(PLACES),
    restart(bare!(Act::Restart)).details("The device does not move until you go on from there."),
];

fn run_to(cursor: &mut Cursor<'_>, direction: Direction) -> Result<Request, Misread> {
    let place = code_place(cursor.required("a place, for example 30 or turnTo")?)?;
    Ok(Request::from(Act::RunTo { place, direction }))
}
