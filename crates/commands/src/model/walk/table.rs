//! The commands of a walk; letters mean the same as in a session.

use borges_multiverse::walk::Chooser;

use crate::interpreter::{Everywhere, help_row, quit_row, shares};
use crate::model::common::{CHOOSER_WORDS, CHOOSERS, Common, Rows as Words, chooser};
use crate::model::questions::{Asking, Rows as Questions};
use crate::table::{Completes, Group, Spec, Table};
use crate::words::{Motion, Rows as Shared, Stops, go_on, moment, note, seek, tree};

/// What a typed line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// So many steps in which there is nothing to choose, or back to the last breakpoint.
    Motion(Motion),
    /// The choice with this number.
    Choose(usize),
    /// To the next choice.
    ToChoice,
    /// To the end.
    Continue(Chooser<String>),
    /// Back to the last choice.
    BackToChoice,
    /// Undoes a step of the path, and what depends on it.
    Undo(Option<String>),
    /// To the nearest universe ahead that mentions a text.
    Seek(String),
    /// Where the walk stands.
    Here,
    /// What was visited.
    Tree(usize),
    /// A question about all runs.
    Asking(Asking),
    /// Where all runs end.
    Ends,
    /// The name of this universe.
    Moment,
    /// A note.
    Note(String),
    /// What prompts that go from universe to universe have in common.
    Common(Common),
    /// What is said about breakpoints that there are.
    Stops(Stops),
    /// What every prompt understands.
    Everywhere(Everywhere),
}

shares!(Motion, Common, Stops, Asking, Everywhere);

/// Every command of a walk, as help lists them.
pub const COMMANDS: Table<Request> = Table(&[
    Group::new("Moving", MOVING),
    Group::new("The multiverse", MULTIVERSE),
    Group::new("Questions about all runs", Questions::<Request>::ALL),
    Group::new("Stopping", STOPPING),
    Group::new("Looking", LOOKING),
    Group::new("Others", OTHERS),
]);

const MOVING: &[Spec<Request>] = &[
    Shared::STEP.details(
        "Where there is something to choose, it shows the choices; take one with 'choose'.",
    ),
    Spec::new("next", "to the next choice, breakpoint or end", |_| {
        Ok(Request::ToChoice)
    })
    .letters(&["n"])
    .repeating(),
    Spec::new("choose", "take a choice", |c| {
        let number = c.number("a choice's number")?;
        Ok(Request::Choose(
            usize::try_from(number).unwrap_or(usize::MAX),
        ))
    })
    .letters(&["k"])
    .arguments("NUMBER")
    .details(
        "The number alone does too. The choices of a universe are numbered from 0. A choice \
that was taken before leads to the same universe.",
    ),
    go_on(|c| {
        let rules = "first, turns, random or order";
        let named = chooser(c, rules, |word| Ok(word.text.to_owned()))?;
        Ok(Request::Continue(named.unwrap_or(Chooser::First)))
    })
    .arguments("[first|turns|random [SEED]|order [-]AGENT…]")
    .details(CHOOSERS)
    .completes(&[Completes::Words(CHOOSER_WORDS)]),
    Shared::REVERSE_STEP.details("Of an agent: its last step, and exactly what depends on it."),
    Spec::new("reverse-next", "back to the last choice", |_| {
        Ok(Request::BackToChoice)
    })
    .letters(&["N"])
    .repeating(),
    Shared::REVERSE_CONTINUE,
    Words::RESTART,
    Spec::new("undo", "undo a step and exactly what depends on it", |c| {
        Ok(Request::Undo(c.word().map(|word| word.text.to_string())))
    })
    .arguments("[UNIVERSE]")
    .details(
        "The step is named by the universe that it led to, as 'path' shows it; without a \
name it is the last. Steps that do not depend on it stay, also those that came later. The path \
that is left stays in the tree.",
    )
    .examples(&[("undo 0.7", "as if the seventh step had not happened")])
    .completes(&[Completes::Universe]),
];

const MULTIVERSE: &[Spec<Request>] = &[
    Words::JUMP
        .details(
            "A UNIVERSE is a number as the tree shows it (branch.index), 'start', or a \
moment as 'ends' and 'moment' show it, visited before or not. A number alone is a state: that of \
'explore', 'ask' and 'query'.",
        )
        .examples(&[
            ("jump 1.4", "a universe of the tree"),
            ("jump 0.1-0.0-2", "a moment"),
            ("jump 7", "state 7 of 'explore', by a shortest way"),
        ]),
    tree(|c| Ok(Request::Tree(c.small_or("a number of lines", 24)? as usize))),
    Spec::new(
        "ends",
        "every way the program can end, with a shortest path",
        |_| Ok(Request::Ends),
    )
    .letters(&["e"])
    .details("Jump to an end's moment to stand there."),
    seek(|c| {
        c.text("a predicate or a text to look for")
            .map(Request::Seek)
    })
    .arguments("PREDICATE|TEXT")
    .details("The nearest in which a predicate holds, or that mentions a text.")
    .repeating(),
    moment(|_| Ok(Request::Moment)),
];

const STOPPING: &[Spec<Request>] = &[
    Words::BREAK
        .details(
            "Wherever a predicate begins to hold, an agent comes to a line, or the state or the step to it mentions a \
text.",
        )
        .examples(&[
            ("break x == 2", "a predicate"),
            ("break line 2", "before what stands there"),
            ("break line 2 if x == 2", "and where a predicate holds"),
            ("break AMB", "a text of which the program has all words"),
        ]),
    Shared::BREAKPOINTS,
    Shared::DELETE,
    Shared::ENABLE,
    Shared::DISABLE,
];

const LOOKING: &[Spec<Request>] = &[
    Spec::new("print", "the state here, and what can happen", |_| {
        Ok(Request::Here)
    })
    .letters(&["p", "v"]),
    Words::AGENTS.details(
        "Those that can act here, and those that wait, with who was last at what they wait for.",
    ),
    Words::LIST,
    Words::PATH,
];

const OTHERS: &[Spec<Request>] = &[
    note(|c| c.text("a text").map(Request::Note)),
    help_row(),
    quit_row(),
];
