//! The commands of Voyager at the prompt.

use borges_languages::model::debug::Order;

use crate::cursor::{Cursor, Misread};
use crate::interpreter::{Everywhere, help_row, quit_row, shares};
use crate::model::common::{Common, Rows as Words};
use crate::model::questions::{Asking, Rows as Questions};
use crate::table::{Completes, Group, Spec, Table};
use crate::words::{Motion, Rows as Shared, Stops, go_on, seek, tree};

/// What a typed line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// An order of which the universe is known or does not matter.
    Order(Order),
    /// An order about this universe, or else the one that is looked at.
    About(Option<u32>, About),
    /// Back along the way here.
    Motion(Motion),
    /// The universes seen so far as a tree of so many lines.
    Tree(usize),
    /// What prompts that go from universe to universe have in common.
    Common(Common),
    /// What is said about breakpoints that there are.
    Stops(Stops),
    /// The graph: universes of this status, or all.
    Universes(Option<String>),
    /// What an edge changes.
    Difference(u32),
    /// A question about all runs.
    Asking(Asking),
    /// Another text for the program, from a file.
    Edit(String),
    /// What every prompt understands.
    Everywhere(Everywhere),
}

shares!(Motion, Common, Stops, Asking, Everywhere);

/// What is asked of a universe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// Everything.
    Card,
    /// The debugger's rules on the way there.
    Rules,
    /// To let it run.
    Resume,
    /// To let it run toward a breakpoint.
    Seek,
    /// To pause it.
    Pause,
    /// A step: who, which.
    Step(String, String),
    /// To keep an actor from acting.
    Hold(String),
    /// To let it act again.
    Release(String),
}

/// Every command, as help lists them.
pub const COMMANDS: Table<Request> = Table(&[
    Group::new("Running", RUNNING),
    Group::new("Stopping", STOPPING),
    Group::new("Looking", LOOKING),
    Group::new("Questions about all runs", Questions::<Request>::ALL),
    Group::new("Others", OTHERS),
]);

const RUNNING: &[Spec<Request>] = &[
    go_on(|c| about(c, About::Resume))
        .letters(&["c", "run", "resume"])
        .arguments("[UNIVERSE]")
        .details(
            "A paused universe, and all that follow from it. The start runs under the breakpoints that there are now: \
what was seen under others is forgotten.",
        ),
    seek(|c| about(c, About::Seek))
    .arguments("[UNIVERSE]")
    .details(
        "Lets a universe run toward the breakpoints, until one halts: goes on with the most promising universe first, and stops at the first that a breakpoint halts; what else \
there is stays unexplored. Again, from the same universe: the next that halts. For programs with more universes than \
'continue' can show.",
    )
    .examples(&[("seek 0", "from the start")]),
    Spec::new("step", "let an actor take a step in a paused universe", |c| {
        let kind = c.name("a step: into, over, next-turn, …")?;
        let actor = c.name("an actor")?;
        about(c, About::Step(actor, kind))
    })
    .letters(&["s"])
    .arguments("KIND ACTOR [UNIVERSE]")
    .details(
        "KIND is into, over, return (within the turn; nobody else moves), into-activity, to-receiver, to-resolver, \
to-resolution, next-turn, end-turn or return-to-resolution. A step ends in every universe in which it comes to \
its goal, or says that it is never reached.",
    )
    .examples(&[("step next-turn math", "to before the next message that math takes")])
    .completes(&[Completes::Words(&[
        "into",
        "over",
        "return",
        "into-activity",
        "to-receiver",
        "to-resolver",
        "to-resolution",
        "next-turn",
        "end-turn",
        "return-to-resolution",
    ]), Completes::Agent])
    .repeating(),
    Spec::new("pause", "pause a universe that runs", |c| {
        about(c, About::Pause)
    })
    .arguments("[UNIVERSE]"),
    Spec::new("hold", "keep an actor from acting in all that follows from a paused universe", |c| {
        let actor = c.name("an actor")?;
        about(c, About::Hold(actor))
    })
    .arguments("ACTOR [UNIVERSE]")
    .completes(&[Completes::Agent]),
    Spec::new("release", "let a held actor act again", |c| {
        let actor = c.name("an actor")?;
        about(c, About::Release(actor))
    })
    .arguments("ACTOR [UNIVERSE]")
    .completes(&[Completes::Agent]),
    Words::RESTART,
    Spec::new("forget", "forget all universes but the first", |_| {
        Ok(Request::Order(Order::Restart))
    }),
    Spec::new(
        "edit",
        "take the program's text from a file, keep the breakpoints, and start again",
        |c| Ok(Request::Edit(c.name("a file")?)),
    )
    .arguments("FILE")
    .completes(&[Completes::File]),
];

const STOPPING: &[Spec<Request>] = &[
    Words::BREAK
    .details(
        "creation, start: an actor literal is next; a new actor is about to initialise. sender S, receiver S: that \
message is about to be sent; is about to be taken. before M, after M: a method is about to run because of a \
message; has its value. resolver S, resolution S: a future is about to be resolved; has its value. line N: an actor is about to do what \
stands there; line N if P: and a predicate holds. when P, or P alone: a predicate begins to hold. S is a message's name, or 'line N'.",
    )
    .examples(&[
        ("break receiver getResult", "before the message is taken"),
        ("break when math.result == 66", "fields, inbox(A), idle(A), stuck(A), printed(A, \"…\")"),
    ])
    .completes(&[Completes::Words(&[
        "creation",
        "start",
        "sender",
        "receiver",
        "before",
        "after",
        "resolver",
        "resolution",
        "line",
        "when",
    ])]),
    Shared::BREAKPOINTS,
    Shared::DELETE,
    Shared::ENABLE,
    Shared::DISABLE,
];

const LOOKING: &[Spec<Request>] = &[
    Spec::new(
        "universes",
        "the universes seen so far, with the edges between them",
        |c| Ok(Request::Universes(c.word().map(|w| w.text.to_string()))),
    )
    .letters(&["u"])
    .arguments("[STATUS]")
    .completes(&[Completes::Words(&[
        "running",
        "unexplored",
        "paused",
        "held",
        "end",
        "stuck",
        "deadlock",
    ])]),
    tree(|c| Ok(Request::Tree(c.small_or("a number of lines", 24)? as usize)))
        .details("Each universe stands where it was come to first; 'universes' has all edges."),
    Shared::REVERSE_STEP.details("To the universe before, on the way to this one. Of an agent: to before its last step."),
    Shared::REVERSE_CONTINUE,
    Words::JUMP
    .details("Universes have one number each: in 'universes', 'path', 'ask' and 'races'. The tables that 'query' asks \
number states; 'jump state 7' goes to the universe of state 7."),
    Spec::new(
        "print",
        "a universe: its actors, and what can be said there",
        |c| about(c, About::Card),
    )
    .letters(&["p", "v"])
    .arguments("[UNIVERSE]"),
    Words::AGENTS,
    Words::PATH.details("Steps of the program, and commands."),
    Spec::new(
        "rules",
        "the rules of the debugger that applied on the way to a universe",
        |c| about(c, About::Rules),
    )
    .arguments("[UNIVERSE]")
    .details("By the names of 'Multiverse Debugging' (ECOOP 2019, appendix A): CEL-STEP-LOCAL, CEL-STEP-GLOBAL, \
SAVE-MRB, TRIGGER-MRB, TRIGGER-MSB, NOT-APPLICABLE-BREAKPOINT, ADD-NEW-ACTOR, PREPARE-STEP-NEXT-TURN, \
TRIGGER-STEP-NEXT-TURN, RESUME-EXECUTION, PAUSE-EXECUTION, and their kin."),
    Spec::new("difference", "what an edge of the graph changes", |c| {
        Ok(Request::Difference(c.small("an edge's number")?))
    })
    .letters(&["diff"])
    .arguments("EDGE"),
    Words::LIST,
];

const OTHERS: &[Spec<Request>] = &[help_row(), quit_row()];

fn about(cursor: &mut Cursor<'_>, what: About) -> Result<Request, Misread> {
    let universe = cursor.peek().map(|_| cursor.small("a universe's number"));
    let universe = universe.transpose()?;
    Ok(Request::About(universe, what))
}
