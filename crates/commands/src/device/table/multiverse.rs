//! Commands on the multiverse.

use borges_session::command::played::PlayUntil;
use borges_session::command::{Act, Direction, Look};

use super::{Request, UNIVERSES, bare};

use crate::arguments::code_place;
use crate::cursor::{Cursor, Misread, number};
use crate::table::{Completes, Spec};
use crate::words::{jump, moment, path, tree};

/// Universes that are listed at a glance, and times that a place was passed.
const MOST_LEAVES: u32 = 256;
const MOST_HITS: u32 = 256;

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
    Spec::new("play", "try values of an input, and play each future out", play)
    .arguments("[VALUES [at UNIVERSE] [until round|breakpoint|PLACE|TIME]]")
    .details("Adds a branch for each of the values, as 'branches' does, and lets each run on: until the same input is read \
again ('round', if nothing is said), the next breakpoint, a place, or so much time of the board has passed ('500 ms', '2 s'). \
'sets' are values of which each leads to a path of its own. The input is what is read next, or the one before or behind \
UNIVERSE. With one value the view goes along; with several it stays. Without VALUES it is 'continue'.")
    .examples(&[
            ("play 0..7", "eight futures, each to the end of its round"),
            ("play 500, 2000 at 0.4 until 30", "another reading there, and on to line 30"),
            ("play sets until 2 s", "one future for each path, two seconds of the board"),
        ])
    .completes(UNIVERSES),
    Spec::new("leaves", "what came of the universes at the ends of all branches", leaves)
    .arguments("[EXPRESSION, …] [paint EXPRESSION]")
    .details("With what the expressions come to there; in them 'motor 0' is an angle in degrees, 'pin 4' a level, 'clock' the \
board's time in milliseconds. Where the expression behind 'paint' is true, the universe is marked.")
    .examples(&[
            ("leaves motor 0, current", "where the motor stands in each, and a variable"),
            ("leaves paint motor 0 > 300", "those where it turned too far"),
        ])
    .completes(&[Completes::Variable]),
    Spec::new("hits", "what an expression was each time that a place was passed", hits)
    .arguments("PLACE EXPRESSION [from STEP]")
    .details("The whole path is looked at, also what was recorded before anybody asked: a log message in hindsight.")
    .examples(&[("hits 24 current", "its value whenever line 24 began")])
    .completes(&[Completes::Line, Completes::Function, Completes::Variable]),
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

fn play(cursor: &mut Cursor<'_>) -> Result<Request, Misread> {
    let Some(values) = cursor.phrase(&["at", "until"]) else {
        let direction = Direction::Forward;
        return Ok(Act::Continue { direction }.into());
    };
    let at = match cursor.keyword("at") {
        true => Some(
            cursor
                .required("a universe, for example 0.4")?
                .text
                .to_string(),
        ),
        false => None,
    };
    let until = match cursor.keyword("until") {
        true => play_until(cursor)?,
        false => PlayUntil::Round,
    };
    let values = values.text.to_string();
    Ok(Act::Play { at, values, until }.into())
}

fn play_until(cursor: &mut Cursor<'_>) -> Result<PlayUntil, Misread> {
    let word = cursor.required("round, breakpoint, a place, or a time such as 500 ms")?;
    let until = match word.text {
        "round" => PlayUntil::Round,
        "breakpoint" => PlayUntil::Breakpoint,
        _ => {
            let unit = ["ms", "s"].into_iter().find(|unit| cursor.keyword(unit));
            match (number(word), unit) {
                (Some(ms), Some("ms")) => PlayUntil::Time { ms },
                (Some(seconds), Some(_)) => PlayUntil::Time {
                    ms: seconds.saturating_mul(1_000),
                },
                _ => PlayUntil::Place {
                    place: code_place(word)?,
                },
            }
        }
    };
    Ok(until)
}

fn leaves(cursor: &mut Cursor<'_>) -> Result<Request, Misread> {
    let values = cursor.phrase(&["paint"]).map_or("", |values| values.text);
    let paint = match cursor.keyword("paint") {
        true => Some(cursor.all("an expression")?),
        false => None,
    };
    let (mut list, mut expressions) = (Cursor::new(values), Vec::new());
    while let Some(one) = list.until(',') {
        expressions.push(one.text.trim().to_owned());
    }
    let last = list.take_rest().text.trim();
    expressions.extend((!last.is_empty()).then(|| last.to_owned()));
    Ok(Look::Leaves {
        universes: Vec::new(),
        expressions,
        paint,
        boards: false,
        from: 0,
        most: MOST_LEAVES,
    }
    .into())
}

fn hits(cursor: &mut Cursor<'_>) -> Result<Request, Misread> {
    let place = code_place(cursor.required("a place, for example 30 or turnTo")?)?;
    let expression = cursor
        .phrase(&["from"])
        .ok_or_else(|| cursor.missing("an expression"))?;
    let expression = expression.text.to_string();
    let from = match cursor.keyword("from") {
        true => cursor.number("a step")?,
        false => 0,
    };
    let most = MOST_HITS;
    Ok(Look::Hits {
        place,
        expression,
        from,
        most,
    }
    .into())
}

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
