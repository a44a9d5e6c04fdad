//! The commands of a debugging session.

use borges_session::command::{CodePlace, Command, Direction};

use super::arguments::{
    breakpoint, code_place, enabled, identifiers, mock, number_u32, step, term_or_missing,
};
use super::cursor::{Cursor, Misread};
use super::spec::{Completes, Spec};

/// What a typed line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// A command of the session.
    Session(Command),
    /// A command on the frame chosen with `up`, `down` and `frame`.
    InFrame(FrameCommand),
    /// Chooses a frame.
    Frame(FrameChoice),
    /// Compares the universe shown with another one.
    CompareHere(String),
    /// Help, on one command or on all.
    Help(Option<String>),
    /// The end.
    Quit,
}

/// A command that looks at the chosen frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameCommand {
    /// [`Command::Print`].
    Print(String),
    /// [`Command::Variables`].
    Variables,
}

/// A choice of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameChoice {
    /// The caller.
    Up(u32),
    /// The callee.
    Down(u32),
    /// This one; 0 is the innermost.
    Number(u32),
}

const MOVING: &str = "Moving";
const MULTIVERSE: &str = "The multiverse";
const STOPPING: &str = "Stopping";
const INPUTS: &str = "Inputs";
const LOOKING: &str = "Looking";
const KEEPING: &str = "Notes";
const SESSION: &str = "The session";

const PLACES: &[Completes] = &[Completes::Line, Completes::Function];
const UNIVERSES: &[Completes] = &[Completes::Universe];
const PLACE_HELP: &str = "A PLACE is a line (21), a line of a file (color-dial.ts:21; the end of its path is enough), \
a function (turnTo) or the byte offset of an instruction (@0x1a3).";

macro_rules! session {
    ($command:expr) => {
        |_| Ok(Request::Session($command))
    };
}

/// The row of a command that moves the view step by step.
macro_rules! motion {
    ($name:literal, $letters:expr, $direction:ident, $size:ident, $summary:literal, $details:literal) => {
        Spec {
            name: $name,
            letters: $letters,
            group: MOVING,
            arguments: "[COUNT]",
            summary: $summary,
            details: $details,
            examples: &[],
            completes: &[],
            repeats: true,
            parse: |cursor| {
                step(
                    cursor,
                    Direction::$direction,
                    borges_session::command::StepSize::$size,
                )
                .map(Request::Session)
            },
        }
    };
}

/// Every command of a session, grouped as help lists them.
pub static COMMANDS: &[Spec<Request>] = &[
    Spec {
        name: "continue",
        letters: &["c", "run", "play"],
        group: MOVING,
        arguments: "",
        summary: "run until a breakpoint, the end, or Ctrl-C",
        details: "In the recorded past this replays what is recorded; at its end the device goes on, live.",
        examples: &[],
        completes: &[],
        repeats: true,
        parse: session!(Command::Continue {
            direction: Direction::Forward
        }),
    },
    Spec {
        name: "reverse-continue",
        letters: &["C", "rc"],
        group: MOVING,
        arguments: "",
        summary: "run backward to the last breakpoint, or to the start",
        details: "Only the view moves: the device stays until you go on from here or say 'follow'.",
        examples: &[],
        completes: &[],
        repeats: true,
        parse: session!(Command::Continue {
            direction: Direction::Backward
        }),
    },
    motion!(
        "step",
        &["s"],
        Forward,
        Into,
        "to the next source line, into calls",
        "Without debug information a step is one instruction."
    ),
    motion!(
        "reverse-step",
        &["S", "rs", "back"],
        Backward,
        Into,
        "to the line before, into calls",
        "Outputs on the way are undone when the device follows: a motor that turned turns back."
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
    Spec {
        name: "until",
        letters: &["u"],
        group: MOVING,
        arguments: "PLACE",
        summary: "run to a place, once",
        details: PLACE_HELP,
        examples: &[
            ("until 30", "run until line 30 of the file shown"),
            ("u turnTo", "run until turnTo is called"),
        ],
        completes: PLACES,
        repeats: false,
        parse: |cursor| run_to(cursor, Direction::Forward),
    },
    Spec {
        name: "reverse-until",
        letters: &["U"],
        group: MOVING,
        arguments: "PLACE",
        summary: "go back to where a place was last executed",
        details: PLACE_HELP,
        examples: &[("U 24", "back to the last time that line 24 began")],
        completes: PLACES,
        repeats: false,
        parse: |cursor| run_to(cursor, Direction::Backward),
    },
    Spec {
        name: "restart",
        letters: &["r"],
        group: MOVING,
        arguments: "",
        summary: "show the start of the program",
        details: "Everything recorded is kept. The device does not move until you go on from there.",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: session!(Command::Restart),
    },
    Spec {
        name: "jump",
        letters: &["j"],
        group: MULTIVERSE,
        arguments: "UNIVERSE",
        summary: "show another universe",
        details: "A UNIVERSE is a number as the tree shows it (branch.index or branch.index+steps), a bookmark, \
'start', 'tip' (the end of this branch), 'device' (where the device stands), or a moment. \
The device does not move; see 'follow'.",
        examples: &[
            ("jump 1.4", "after the fourth entry of branch 1"),
            ("j tip", "to the end of what is recorded"),
        ],
        completes: UNIVERSES,
        repeats: false,
        parse: |cursor| {
            let target =
                cursor.required("a universe, for example 0.3, start, tip or a bookmark")?;
            Ok(Request::Session(Command::Jump {
                target: target.text.to_string(),
            }))
        },
    },
    Spec {
        name: "tree",
        letters: &["t"],
        group: MULTIVERSE,
        arguments: "[LINES]",
        summary: "the multiverse as a tree",
        details: "",
        examples: &[("tree 60", "at most 60 lines of it")],
        completes: &[],
        repeats: false,
        parse: |cursor| {
            let lines = number_u32(cursor, "a number of lines", 24)?;
            Ok(Request::Session(Command::Tree { lines }))
        },
    },
    Spec {
        name: "path",
        letters: &["o"],
        group: MULTIVERSE,
        arguments: "[AROUND]",
        summary: "inputs, outputs and events around here",
        details: "",
        examples: &[("path 20", "20 before and 20 after the place shown")],
        completes: &[],
        repeats: false,
        parse: |cursor| {
            let around = number_u32(cursor, "a number of entries", 8)?;
            Ok(Request::Session(Command::Path { around }))
        },
    },
    Spec {
        name: "fork",
        letters: &[],
        group: MULTIVERSE,
        arguments: "",
        summary: "leave the recorded future: what comes next is live",
        details: "The recorded future stays in the tree; the next step forward begins a branch of its own.",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: session!(Command::Fork),
    },
    Spec {
        name: "branches",
        letters: &[],
        group: MULTIVERSE,
        arguments: "VALUES",
        summary: "add a branch for every value of the next input",
        details: "VALUES are single values, ranges with both ends included, or both: '0..3, 7'.",
        examples: &[
            ("branches 0..7", "eight universes to explore"),
            ("branches 1, 5, 90..99", "and so on"),
        ],
        completes: &[],
        repeats: false,
        parse: |cursor| {
            let values = cursor.take_rest();
            if values.text.is_empty() {
                return Err(cursor.missing("the values, for example 0..7"));
            }
            Ok(Request::Session(Command::Branches {
                values: values.text.to_string(),
            }))
        },
    },
    Spec {
        name: "follow",
        letters: &[],
        group: MULTIVERSE,
        arguments: "[always|off]",
        summary: "bring the device to the place shown",
        details: "Outputs on the way back are compensated in reverse order, those on the way forward are performed. \
'follow always' does so after every command, 'follow off' no longer.",
        examples: &[],
        completes: &[Completes::Words(&["always", "off"])],
        repeats: false,
        parse: follow,
    },
    Spec {
        name: "compare",
        letters: &[],
        group: MULTIVERSE,
        arguments: "[LEFT] RIGHT",
        summary: "where two universes part, and what differs",
        details: "With one universe it is compared with the one shown.",
        examples: &[("compare 0.9 1.9", "two branches after their ninth entries")],
        completes: UNIVERSES,
        repeats: false,
        parse: |cursor| {
            let left = cursor
                .required("a universe to compare with")?
                .text
                .to_string();
            Ok(match cursor.word() {
                None => Request::CompareHere(left),
                Some(right) => Request::Session(Command::Compare {
                    left,
                    right: right.text.to_string(),
                }),
            })
        },
    },
    Spec {
        name: "moment",
        letters: &[],
        group: MULTIVERSE,
        arguments: "",
        summary: "a text that names this universe in every session",
        details: "Give it to 'jump' in any session of the same program, also on another machine.",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: session!(Command::Moment),
    },
    Spec {
        name: "break",
        letters: &["b"],
        group: STOPPING,
        arguments: "WHERE [if EXPRESSION] [hits N] [log \"TEXT\"]",
        summary: "stop at a place, a write, a call, a trap or an event",
        details: "WHERE is a PLACE, 'write WHAT' (a variable, a global, or memory as 'ADDRESS, LENGTH'), \
'call PRIMITIVE' (a condition may use arg0, arg1, …), 'function NAME', 'trap' or 'event'.\n\
A PLACE is a line (21), a line of a file (color-dial.ts:21), a function (turnTo) or the byte offset of an \
instruction (@0x1a3).\n\
'if' stops only when the expression is not zero, 'hits N' only from the N-th time on, 'log' prints the text \
instead of stopping, with every {expression} replaced by its value.",
        examples: &[
            ("break 21", "line 21 of the file shown"),
            (
                "b color-dial.ts:21 if fields > 3 hits 5 log \"fields is {fields}\"",
                "all at once",
            ),
            ("b write current", "when the variable current is written"),
            (
                "b call chip_digital_write if arg1 == 1",
                "when a pin is switched on",
            ),
            ("b trap", "when the program traps"),
        ],
        completes: &[
            Completes::Line,
            Completes::Function,
            Completes::Words(&["write", "call", "function", "trap", "event"]),
            Completes::Primitive,
            Completes::Variable,
        ],
        repeats: false,
        parse: |cursor| breakpoint(cursor).map(|b| Request::Session(Command::Break(b))),
    },
    Spec {
        name: "breakpoints",
        letters: &["bp"],
        group: STOPPING,
        arguments: "",
        summary: "list the breakpoints",
        details: "",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: session!(Command::Breakpoints),
    },
    Spec {
        name: "delete",
        letters: &["d"],
        group: STOPPING,
        arguments: "NUMBER…|all",
        summary: "delete breakpoints",
        details: "",
        examples: &[
            ("d 1 3", "the first and the third"),
            ("d all", "all of them"),
        ],
        completes: &[Completes::Breakpoint, Completes::Words(&["all"])],
        repeats: false,
        parse: |cursor| {
            let ids = identifiers(cursor)?;
            Ok(Request::Session(Command::DeleteBreakpoints { ids }))
        },
    },
    Spec {
        name: "enable",
        letters: &[],
        group: STOPPING,
        arguments: "NUMBER",
        summary: "switch a breakpoint on",
        details: "",
        examples: &[],
        completes: &[Completes::Breakpoint],
        repeats: false,
        parse: |cursor| enabled(cursor, true).map(Request::Session),
    },
    Spec {
        name: "disable",
        letters: &[],
        group: STOPPING,
        arguments: "NUMBER",
        summary: "switch a breakpoint off and keep it",
        details: "",
        examples: &[],
        completes: &[Completes::Breakpoint],
        repeats: false,
        parse: |cursor| enabled(cursor, false).map(Request::Session),
    },
    Spec {
        name: "who",
        letters: &["w"],
        group: STOPPING,
        arguments: "WHAT",
        summary: "go back to the last write of a value",
        details: "WHAT is a variable, a global, or memory as 'ADDRESS, LENGTH'. The view moves to just before the \
write; repeat the command for the write before that.",
        examples: &[("who current", "who wrote the value that current has now?")],
        completes: &[Completes::Variable],
        repeats: true,
        parse: |cursor| {
            let what = cursor.take_rest();
            if what.text.is_empty() {
                return Err(cursor.missing("a variable, global or memory range"));
            }
            Ok(Request::Session(Command::Who {
                what: what.text.to_string(),
            }))
        },
    },
    Spec {
        name: "mock",
        letters: &["m"],
        group: INPUTS,
        arguments: "CALL = VALUE[, VALUE…] [then live]",
        summary: "let an input yield other values",
        details: "CALL is an input primitive with its arguments; '_' stands for any argument, a name alone for any \
arguments. The values are yielded in turn, the last one again and again, or with 'then live' the real input after \
them. A value outside the primitive's codomain is refused. A mock with the same CALL replaces the one before.",
        examples: &[
            ("mock color_sensor(0) = 3", "always 3"),
            (
                "m color_sensor(0) = 3, 7 then live",
                "3, then 7, then what the sensor says",
            ),
            ("m chip_digital_read(_) = 1", "every pin"),
        ],
        completes: &[Completes::Primitive],
        repeats: false,
        parse: |cursor| mock(cursor).map(Request::Session),
    },
    Spec {
        name: "unmock",
        letters: &[],
        group: INPUTS,
        arguments: "CALL|all",
        summary: "remove a mock",
        details: "",
        examples: &[("unmock color_sensor(0)", "the sensor is live again")],
        completes: &[Completes::Mock, Completes::Words(&["all"])],
        repeats: false,
        parse: |cursor| {
            let call = cursor.take_rest();
            let call = match call.text {
                "" => return Err(cursor.missing("the mock's call, or all")),
                "all" => None,
                text => Some(text.to_string()),
            };
            Ok(Request::Session(Command::Unmock { call }))
        },
    },
    Spec {
        name: "mocks",
        letters: &[],
        group: INPUTS,
        arguments: "",
        summary: "list the mocks",
        details: "",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: session!(Command::Mocks),
    },
    Spec {
        name: "list",
        letters: &["l"],
        group: LOOKING,
        arguments: "[PLACE] [AROUND]",
        summary: "source lines around here or around a place",
        details: PLACE_HELP,
        examples: &[
            ("list turnTo", "the function's source"),
            ("l 30 2", "lines 28 to 32"),
        ],
        completes: PLACES,
        repeats: false,
        parse: |cursor| {
            let place = place_if_any(cursor)?;
            let around = number_u32(cursor, "a number of lines", 5)?;
            Ok(Request::Session(Command::List { place, around }))
        },
    },
    Spec {
        name: "disassemble",
        letters: &["dis"],
        group: LOOKING,
        arguments: "[PLACE] [AROUND|all]",
        summary: "instructions around here or around a place",
        details: PLACE_HELP,
        examples: &[
            ("dis all", "the whole function"),
            ("dis @0x1a3 4", "four before and after this offset"),
        ],
        completes: PLACES,
        repeats: false,
        parse: disassemble,
    },
    Spec {
        name: "print",
        letters: &["p"],
        group: LOOKING,
        arguments: "EXPRESSION",
        summary: "the value of an expression",
        details: "Variables of the chosen frame and globals, fields (a.b), elements (a[1]), pointers (*p), numbers \
and operators as in C.",
        examples: &[
            ("p current + 1", "a sum"),
            ("p state.queue[2]", "an element of a field"),
        ],
        completes: &[Completes::Variable],
        repeats: false,
        parse: |cursor| {
            let expression = cursor.take_rest();
            if expression.text.is_empty() {
                return Err(cursor.missing("an expression"));
            }
            Ok(Request::InFrame(FrameCommand::Print(
                expression.text.to_string(),
            )))
        },
    },
    Spec {
        name: "variables",
        letters: &["v"],
        group: LOOKING,
        arguments: "",
        summary: "variables of the chosen frame, and globals",
        details: "A star marks what changed since the last stop.",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: |_| Ok(Request::InFrame(FrameCommand::Variables)),
    },
    Spec {
        name: "stack",
        letters: &["bt", "k"],
        group: LOOKING,
        arguments: "",
        summary: "the call stack, innermost first",
        details: "",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: session!(Command::Stack),
    },
    Spec {
        name: "frame",
        letters: &[],
        group: LOOKING,
        arguments: "[NUMBER]",
        summary: "choose a frame for print and variables",
        details: "0 is the innermost. Any motion goes back to it.",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: |cursor| {
            number_u32(cursor, "a frame's number", 0)
                .map(|n| Request::Frame(FrameChoice::Number(n)))
        },
    },
    Spec {
        name: "up",
        letters: &[],
        group: LOOKING,
        arguments: "[COUNT]",
        summary: "choose the caller's frame",
        details: "",
        examples: &[],
        completes: &[],
        repeats: true,
        parse: |cursor| {
            number_u32(cursor, "a number of frames", 1).map(|n| Request::Frame(FrameChoice::Up(n)))
        },
    },
    Spec {
        name: "down",
        letters: &[],
        group: LOOKING,
        arguments: "[COUNT]",
        summary: "choose the callee's frame",
        details: "",
        examples: &[],
        completes: &[],
        repeats: true,
        parse: |cursor| {
            number_u32(cursor, "a number of frames", 1)
                .map(|n| Request::Frame(FrameChoice::Down(n)))
        },
    },
    Spec {
        name: "memory",
        letters: &["x"],
        group: LOOKING,
        arguments: "ADDRESS [LENGTH]",
        summary: "bytes of the program's memory",
        details: "ADDRESS is an expression; put it in parentheses if it has spaces.",
        examples: &[
            ("x 1024", "64 bytes from address 1024"),
            ("x (buffer + 4) 16", "16 bytes"),
        ],
        completes: &[Completes::Variable],
        repeats: false,
        parse: |cursor| {
            let address = term_or_missing(cursor, "an address")?;
            let length = number_u32(cursor, "a number of bytes", 64)?;
            Ok(Request::Session(Command::Memory { address, length }))
        },
    },
    Spec {
        name: "functions",
        letters: &["fn"],
        group: LOOKING,
        arguments: "[TEXT]",
        summary: "functions whose name contains a text",
        details: "",
        examples: &[],
        completes: &[Completes::Function],
        repeats: false,
        parse: |cursor| {
            let containing = cursor.take_rest().text.to_string();
            Ok(Request::Session(Command::Functions { containing }))
        },
    },
    Spec {
        name: "board",
        letters: &[],
        group: LOOKING,
        arguments: "",
        summary: "the board here: pins, motors, pixels, display",
        details: "",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: session!(Command::Board),
    },
    Spec {
        name: "console",
        letters: &[],
        group: LOOKING,
        arguments: "",
        summary: "what the program has printed up to here",
        details: "",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: session!(Command::Console),
    },
    Spec {
        name: "bookmark",
        letters: &["mark"],
        group: KEEPING,
        arguments: "NAME",
        summary: "name this universe, so that jump finds it",
        details: "",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: |cursor| {
            let name = cursor.required("a name")?.text.to_string();
            Ok(Request::Session(Command::Bookmark { name }))
        },
    },
    Spec {
        name: "note",
        letters: &[],
        group: KEEPING,
        arguments: "[TEXT]",
        summary: "write a note on this universe; no text removes it",
        details: "",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: |cursor| {
            Ok(Request::Session(Command::Note {
                text: cursor.quoted()?,
            }))
        },
    },
    Spec {
        name: "notes",
        letters: &[],
        group: KEEPING,
        arguments: "",
        summary: "list notes and bookmarks",
        details: "",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: session!(Command::Notes),
    },
    Spec {
        name: "info",
        letters: &["i"],
        group: SESSION,
        arguments: "",
        summary: "program, board, device, sizes",
        details: "",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: session!(Command::Info),
    },
    Spec {
        name: "upload",
        letters: &[],
        group: SESSION,
        arguments: "FILE",
        summary: "go on with a rebuilt program",
        details: "The multiverse so far is kept, marked as another version's.",
        examples: &[],
        completes: &[Completes::File],
        repeats: false,
        parse: |cursor| {
            let program = cursor.quoted()?;
            if program.is_empty() {
                return Err(cursor.missing("the module's file"));
            }
            Ok(Request::Session(Command::Upload { program }))
        },
    },
    Spec {
        name: "query",
        letters: &["sql"],
        group: SESSION,
        arguments: "SELECT …",
        summary: "ask the session file a question in SQL",
        details: "Tables and views are in docs/session-files.md: entries, inputs, outputs, ends, traps, paths and \
more. Everything up to the end of the line belongs to the question; nothing can be changed.",
        examples: &[(
            "query SELECT name, count(*) FROM inputs GROUP BY name",
            "how often what was read",
        )],
        completes: &[],
        repeats: false,
        parse: |cursor| {
            let sql = cursor.take_rest();
            if sql.text.is_empty() {
                return Err(cursor.missing("a question, for example SELECT * FROM ends"));
            }
            Ok(Request::Session(Command::Query {
                sql: sql.text.to_string(),
            }))
        },
    },
    Spec {
        name: "verify",
        letters: &[],
        group: SESSION,
        arguments: "",
        summary: "compare the device's state with the twin's",
        details: "",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: session!(Command::Verify),
    },
    Spec {
        name: "help",
        letters: &["h", "?"],
        group: SESSION,
        arguments: "[COMMAND]",
        summary: "all commands, or one of them in full",
        details: "",
        examples: &[("help break", "what break can do"), ("?b", "the same")],
        completes: &[Completes::Command],
        repeats: false,
        parse: |cursor| Ok(Request::Help(cursor.word().map(|w| w.text.to_string()))),
    },
    Spec {
        name: "quit",
        letters: &["q", "exit"],
        group: SESSION,
        arguments: "",
        summary: "leave; a session file keeps everything",
        details: "",
        examples: &[],
        completes: &[],
        repeats: false,
        parse: |_| Ok(Request::Quit),
    },
];

fn run_to(cursor: &mut Cursor<'_>, direction: Direction) -> Result<Request, Misread> {
    let place = code_place(cursor.required("a place, for example 30 or turnTo")?)?;
    Ok(Request::Session(Command::RunTo { place, direction }))
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
    Ok(Request::Session(Command::Follow { always }))
}

/// A place, unless the line ends or goes on with a number that is followed by nothing and cannot be one.
fn place_if_any(cursor: &mut Cursor<'_>) -> Result<Option<CodePlace>, Misread> {
    cursor.word().map(code_place).transpose()
}

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
