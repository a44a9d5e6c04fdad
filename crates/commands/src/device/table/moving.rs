//! Commands that move the view along a path.

use borges_session::command::{Act, Direction, StepSize};

use super::{PLACE_HELP, PLACES, Request, bare};
use crate::arguments::{agent, code_place, steps};
use crate::cursor::{Cursor, Misread};
use crate::table::Spec;
use crate::words::{Rows as Words, go_on, motion, restart};

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
    motion("next", "to the next source line, over calls", |c| step(c, Direction::Forward, StepSize::Over))
    .letters(&["n"])
    .details("Stops earlier at a breakpoint inside a call, or when the function returns."),
    motion("reverse-next", "to the line before, over calls", |c| step(c, Direction::Backward, StepSize::Over))
    .letters(&["N", "rn"]),
    motion("finish", "until this function has returned", |c| step(c, Direction::Forward, StepSize::Out))
    .letters(&["f", "out"]),
    motion("reverse-finish", "back to the call of this function", |c| step(c, Direction::Backward, StepSize::Out))
    .letters(&["F", "rf"]),
    motion("stepi", "one instruction forward", |c| step(c, Direction::Forward, StepSize::Instruction))
    .letters(&["si"]),
    motion("reverse-stepi", "one instruction backward", |c| step(c, Direction::Backward, StepSize::Instruction))
    .letters(&["SI", "rsi"]),
    motion("entry", "to the next input, output or event", |c| step(c, Direction::Forward, StepSize::Entry))
    .letters(&["e"]),
    motion("reverse-entry", "to the last input, output or event", |c| step(c, Direction::Backward, StepSize::Entry))
    .letters(&["E"]),
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

fn step(cursor: &mut Cursor<'_>, direction: Direction, size: StepSize) -> Result<Request, Misread> {
    let (agent, count) = (agent(cursor), steps(cursor)?);
    let act = Act::Step {
        agent,
        direction,
        size,
        count,
    };
    Ok(act.into())
}

fn run_to(cursor: &mut Cursor<'_>, direction: Direction) -> Result<Request, Misread> {
    let place = code_place(cursor.required("a place, for example 30 or turnTo")?)?;
    Ok(Act::RunTo { place, direction }.into())
}
