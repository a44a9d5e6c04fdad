//! Commands that move the view along a path.

use borges_session::command::{Act, Direction, StepSize};

use super::{PLACE_HELP, PLACES, Request, bare};
use crate::arguments::{agent, code_place, steps};
use crate::cursor::{Cursor, Misread};
use crate::table::{Completes, Spec};
use crate::words::{Rows as Words, go_on, motion, restart};

/// The fastest pace but the fastest possible.
const MOST_TIMES: u32 = 1_000_000;

pub(super) const COMMANDS: &[Spec<Request>] = &[
    go_on(go_on_or_beyond)
    .letters(&["c", "run"])
    .arguments("[beyond]")
    .details(
        "In the recorded past this replays what is recorded, and stops at its end; said again there, the device goes on, live, \
until Ctrl-C. 'continue beyond' does both at once.",
    )
    .completes(&[Completes::Words(&["beyond"])]),
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
    Spec::new("pace", "how fast the board's clock goes while the program runs", pace)
    .arguments("TIMES|max")
    .details("At most so many times as fast as the clock on the wall: 1 shows what a person beside the board would see. \
'max', as it is at first, is as fast as possible. A real device has a clock of its own; what is recorded of it is replayed at this pace.")
    .examples(&[("pace 1", "as on the wall"), ("pace 10", "ten times as fast"), ("pace max", "as fast as possible")])
    .completes(&[Completes::Words(&["1", "10", "max"])]),
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

fn go_on_or_beyond(cursor: &mut Cursor<'_>) -> Result<Request, Misread> {
    if cursor.keyword("beyond") {
        return Ok(Act::RunOn.into());
    }
    let direction = Direction::Forward;
    Ok(Act::Continue { direction }.into())
}

fn pace(cursor: &mut Cursor<'_>) -> Result<Request, Misread> {
    let word = cursor.required("a pace: 1, 10 or max")?;
    let times = match word.text {
        "max" => None,
        text => {
            let times = text
                .parse()
                .ok()
                .filter(|times| (1..=MOST_TIMES).contains(times));
            let wrong = || format!("a pace is a whole number from 1 to {MOST_TIMES}, or max");
            Some(times.ok_or_else(|| Misread::of(word, wrong()))?)
        }
    };
    Ok(Act::Pace { times }.into())
}

fn run_to(cursor: &mut Cursor<'_>, direction: Direction) -> Result<Request, Misread> {
    let place = code_place(cursor.required("a place, for example 30 or turnTo")?)?;
    Ok(Act::RunTo { place, direction }.into())
}
