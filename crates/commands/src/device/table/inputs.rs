//! Commands on what inputs yield.

use borges_session::command::{Act, Look};

use super::{Request, bare};
use crate::arguments::mock;
use crate::table::{Completes, Spec};

pub(super) const COMMANDS: &[Spec<Request>] = &[
    Spec::new(
        "mock",
        "let an input yield other values",
        |cursor| mock(cursor).map(Request::from),
    )
    .letters(&["m"])
    .arguments("CALL = VALUE[, VALUE…] [then live] | file \"PATH\" = FILE|TEXT")
    .details("CALL is an input primitive with its arguments; '_' stands for any argument, a name alone for any \
arguments. The values are yielded in turn, the last one again and again, or with 'then live' the real input after \
them. A value outside the primitive's codomain is refused. A text in quotes is what an input puts into memory; a call of an \
operating system takes ok (as it goes by itself) and the names of its errors too; instead of its arguments, the path or \
stream that it is about can be given. stdin is all that standard input brings from here on, and then its end. file \"PATH\" is what is in a file of \
the program's from here on, as if somebody outside had written it: FILE is a file of the host, which is read once, and \
TEXT is in quotes; who has the file open goes on in the new text. A mock with the same CALL replaces the one before.")
    .examples(&[
            ("mock color_sensor(0) = 3", "always 3"),
            ("mock uart_read = \"RING 3\\r\\n\"", "these bytes, and their number as the result"),
            ("mock fd_write = ok, ENOSPC then live", "the second write fails"),
            ("mock stdin = \"yes\\n\"", "standard input from here on, and then its end"),
            ("mock file \"/data/a.csv\" = other.csv", "a file of the program's gets what is in one of the host's"),
            ("mock path_open(\"/data/config\") = ENOENT", "that file cannot be opened"),
            (
                "m color_sensor(0) = 3, 7 then live",
                "3, then 7, then what the sensor says",
            ),
            ("m chip_digital_read(_) = 1", "every pin"),
        ])
    .completes(&[Completes::Primitive]),
    Spec::new("unmock", "remove a mock", |cursor| {
        let call = cursor.take_rest();
        let call = match call.text {
            "" => return Err(cursor.missing("the mock's call, or all")),
            "all" => None,
            text => Some(text.to_string()),
        };
        Ok(Act::Unmock { call }.into())
    })
    .arguments("CALL|all")
    .examples(&[("unmock color_sensor(0)", "the sensor is live again")])
    .completes(&[Completes::Mock, Completes::Words(&["all"])]),
    Spec::new("mocks", "list the mocks", bare!(Look::Mocks)),
    Spec::new(
        "inputs",
        "what the program can read, and what that may be here",
        bare!(Look::Inputs),
    )
    .details("The one that is read next is marked."),
];
