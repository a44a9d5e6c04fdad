//! Commands on the multiverse.

use borges_session::command::{Act, Look};

use super::{Request, UNIVERSES, bare};

use crate::cursor::{Cursor, Misread};
use crate::table::{Completes, Spec};
use crate::words::{jump, moment, path, tree};

/// Universes that a search lists at most.
const MOST_FOUND: u32 = 40;

pub(super) const COMMANDS: &[Spec<Request>] = &[
    jump(|cursor| {
        let target = cursor.required("a universe, for example 0.3, start, tip or a bookmark")?;
        Ok(Act::Jump {
            target: target.text.to_string(),
        }.into())
    })
    .details("A UNIVERSE is a number as the tree shows it (branch.index or branch.index+steps), a bookmark, \
'start', 'tip' (the end of this branch), 'device' (where the device stands), or a moment. \
The device does not move; see 'follow'.")
    .examples(&[
            ("jump 1.4", "after the fourth entry of branch 1"),
            ("j tip", "to the end of what is recorded"),
        ]),
    tree(|cursor| {
        let lines = cursor.small_or("a number of lines", 24)?;
        Ok(Look::Tree { lines }.into())
    })
    .examples(&[("tree 60", "at most 60 lines of it")]),
    Spec::new("find", "list the universes that a text leads to", |cursor| {
        let text = cursor.text("a text to look for")?;
        Ok(Look::Find { text, most: MOST_FOUND }.into())
    })
    .letters(&["/"])
    .arguments("TEXT")
    .details("Looks through all branches for primitives, values, events and the words of traps, small and capital letters alike.")
    .examples(&[
            ("find drive_motor", "after every turn of a motor"),
            ("/uart_sensor = 7", "where the sensor said 7"),
        ]),
    path(|cursor| {
        let around = cursor.small_or("a number of entries", 8)?;
        Ok(Look::Path { around }.into())
    })
    .details("Inputs, outputs and events, and those that are recorded after here.")
    .examples(&[("path 20", "20 before and 20 after the place shown")]),
    Spec::new(
        "fork",
        "leave the recorded future: what comes next is live",
        bare!(Act::Fork),
    )
    .details("The recorded future stays in the tree; the next step forward begins a branch of its own."),
    Spec::new("branches", "add a branch for every value of the next input", |cursor| {
        let values = cursor.all("the values, for example 0..7")?;
        Ok(Act::Branches { values }.into())
    })
    .arguments("VALUES")
    .details("VALUES are single values, ranges with both ends included, or both: '0..3, 7'. 'all' \
is every value that the input can have here; where there are more than 256, those that [sampling] in the board file \
takes for them.")
    .examples(&[
            ("branches 0..7", "eight universes to explore"),
            ("branches 1, 5, 90..99", "and so on"),
            ("branches all", "whatever can be read here"),
        ]),
    Spec::new("follow", "bring the device to the place shown", follow)
    .arguments("[always|off]")
    .details("Outputs on the way back are compensated in reverse order, those on the way forward are performed. \
'follow always' does so after every command, 'follow off' no longer.")
    .completes(&[Completes::Words(&["always", "off"])]),
    Spec::new("compare", "where two universes part, and what differs", |cursor| {
        let left = cursor
            .required("a universe to compare with")?
            .text
            .to_string();
        let Some(right) = cursor.word() else {
            return Ok(Request::CompareHere(left));
        };
        let right = right.text.to_string();
        Ok(Look::Compare { left, right }.into())
    })
    .arguments("[LEFT] RIGHT")
    .details("With one universe it is compared with the one shown.")
    .examples(&[("compare 0.9 1.9", "two branches after their ninth entries")])
    .completes(UNIVERSES),
    moment(bare!(Look::Moment)),
];

fn follow(cursor: &mut Cursor<'_>) -> Result<Request, Misread> {
    let always = match cursor.word() {
        None => None,
        Some(word) => match word.text {
            "always" | "on" => Some(true),
            "off" => Some(false),
            _ => return Err(Misread::of(word, "expected 'always', 'off' or nothing")),
        },
    };
    Ok(Act::Follow { always }.into())
}
