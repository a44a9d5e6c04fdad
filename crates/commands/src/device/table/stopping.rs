//! Commands on breakpoints.

use borges_session::command::Act;

use super::Request;
use crate::arguments::breakpoint;
use crate::table::{Completes, Spec};
use crate::words::{Rows as Words, halt};

pub(super) const COMMANDS: &[Spec<Request>] = &[
    halt(|cursor| breakpoint(cursor).map(|b| Act::Break(b).into()))
        .arguments("WHERE [of AGENT] [if EXPRESSION] [hits N] [log \"TEXT\"]")
        .details(
            "WHERE is a PLACE, 'write WHAT' (a variable, a global, or memory as 'ADDRESS, \
LENGTH'), 'call PRIMITIVE' (a condition may use arg0, arg1, …), 'function NAME', 'trap', 'event' \
or 'limit' (a call that breaks a limit of the board; on a board that has some, that is breakpoint \
1).\nA PLACE is a line (19), a line of a file (color-dial.ts:19), a function (turnTo) or the byte \
offset of an instruction (@0x1a3).\n'of' stops only that agent, 'if' only when the expression is \
not zero, 'hits N' only from the N-th time on, 'log' prints the text instead of stopping, with \
every {expression} replaced by its value.",
        )
        .examples(&[
            ("break 19", "line 19 of the file shown"),
            (
                "B color-dial.ts:19 if fields > 3 hits 5 log \"fields is {fields}\"",
                "all at once",
            ),
            ("B write current", "when the variable current is written"),
            (
                "B call chip_digital_write if arg1 == 1",
                "when a pin is switched on",
            ),
            ("B trap", "when the program traps"),
        ])
        .completes(&[
            Completes::Line,
            Completes::Function,
            Completes::Words(&["write", "call", "function", "trap", "event", "limit"]),
            Completes::Primitive,
            Completes::Variable,
        ]),
    Words::BREAKPOINTS,
    Words::DELETE,
    Words::ENABLE,
    Words::DISABLE,
    Spec::new("who", "go back to the last write of a value, or the last change of a file", |cursor| {
        let what = cursor.all("a variable, global, memory range or path")?;
        Ok(Act::Who { what }.into())
    })
    .letters(&["w"])
    .arguments("WHAT")
    .details(
        "WHAT is a variable, a global, or memory as 'ADDRESS, LENGTH'. The view moves to \
just before the write; repeat the command for the write before that. The path of a file asks for the last \
call that made, changed, renamed or removed it.",
    )
    .examples(&[
        ("who current", "who wrote the value that current has now?"),
        ("who /data/a.csv", "which call changed this file last?"),
    ])
    .completes(&[Completes::Variable])
    .repeating(),
];
