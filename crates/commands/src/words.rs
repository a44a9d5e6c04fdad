//! Words that mean the same at several prompts, of devices and of model languages: a row each. A prompt adds what is
//! particular to it, and carries out what the row asks for.

use std::marker::PhantomData;

use borges_session::command::{Act, Command, Direction, Look, StepSize};

use crate::arguments::{agent, identifier, identifiers, steps};
use crate::cursor::{Cursor, Misread};
use crate::table::{Completes, Spec};

/// What a word that is about an agent is completed to.
pub(crate) const AGENTS: &[Completes] = &[Completes::Agent];

/// How a prompt reads the arguments of a word.
pub(crate) type Parse<R> = fn(&mut Cursor<'_>) -> Result<R, Misread>;

/// A motion along the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Motion {
    /// So many steps, of an agent or of who is next.
    Step(Direction, Option<String>, u64),
    /// Back to a breakpoint or the start.
    ContinueBack,
}

/// What is said about breakpoints that there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stops {
    /// Lists them.
    List,
    /// Deletes them, all if none is named.
    Delete(Vec<u32>),
    /// Looks at one, or passes it by.
    Switch {
        /// Its number.
        id: u32,
        /// Whether it is looked at.
        on: bool,
    },
}

impl From<Motion> for Command {
    fn from(motion: Motion) -> Self {
        let act = match motion {
            Motion::Step(direction, agent, count) => Act::Step {
                agent,
                direction,
                size: StepSize::Into,
                count,
            },
            Motion::ContinueBack => Act::Continue {
                direction: Direction::Backward,
            },
        };
        act.into()
    }
}

impl From<Stops> for Command {
    fn from(stops: Stops) -> Self {
        match stops {
            Stops::List => Look::Breakpoints.into(),
            Stops::Delete(ids) => Act::DeleteBreakpoints { ids }.into(),
            Stops::Switch { id, on } => Act::EnableBreakpoint { id, enabled: on }.into(),
        }
    }
}

/// Rows whose arguments are the same at every prompt, for a table of `R`.
pub struct Rows<R>(PhantomData<R>);

impl<R: From<Motion> + 'static> Rows<R> {
    /// `step`.
    pub const STEP: Spec<R> = motion("step", "one step forward", |c| {
        Ok(Motion::Step(Direction::Forward, agent(c), steps(c)?).into())
    })
    .letters(&["s"]);

    /// `reverse-step`.
    pub const REVERSE_STEP: Spec<R> = motion("reverse-step", "one step back", |c| {
        Ok(Motion::Step(Direction::Backward, agent(c), steps(c)?).into())
    })
    .letters(&["S", "rs", "back"]);

    /// `reverse-continue`.
    pub const REVERSE_CONTINUE: Spec<R> = Spec::new(
        "reverse-continue",
        "back to the last breakpoint, or to the start",
        |_| Ok(Motion::ContinueBack.into()),
    )
    .letters(&["C", "rc"])
    .repeating();
}

impl<R: From<Stops> + 'static> Rows<R> {
    /// `breakpoints`.
    pub const BREAKPOINTS: Spec<R> = Spec::new("breakpoints", "list the breakpoints", |_| {
        Ok(Stops::List.into())
    })
    .letters(&["bp"]);

    /// `delete`.
    pub const DELETE: Spec<R> = Spec::new("delete", "delete breakpoints", |c| {
        identifiers(c).map(|ids| Stops::Delete(ids).into())
    })
    .letters(&["d"])
    .arguments("NUMBER…|all")
    .examples(&[
        ("d 1 3", "the first and the third"),
        ("d all", "all of them"),
    ])
    .completes(&[Completes::Breakpoint, Completes::Words(&["all"])]);

    /// `enable`.
    pub const ENABLE: Spec<R> = Spec::new("enable", "look at a breakpoint again", |c| {
        let id = identifier(c)?;
        Ok(Stops::Switch { id, on: true }.into())
    })
    .arguments("NUMBER")
    .completes(&[Completes::Breakpoint]);

    /// `disable`.
    pub const DISABLE: Spec<R> = Spec::new("disable", "pass a breakpoint by, and keep it", |c| {
        let id = identifier(c)?;
        Ok(Stops::Switch { id, on: false }.into())
    })
    .arguments("NUMBER")
    .completes(&[Completes::Breakpoint]);
}

/// A motion of so many steps, of an agent or of who is next.
pub(crate) const fn motion<R>(
    name: &'static str,
    summary: &'static str,
    parse: Parse<R>,
) -> Spec<R> {
    let row = Spec::new(name, summary, parse).arguments("[AGENT] [COUNT]");
    row.completes(AGENTS).repeating()
}

/// `agents`.
pub const fn agents<R>(parse: Parse<R>) -> Spec<R> {
    let summary = "who acts: threads, actors, the program; what each is up to, and where";
    Spec::new("agents", summary, parse)
}

/// `continue`; the prompt says who chooses on the way.
pub const fn go_on<R>(parse: Parse<R>) -> Spec<R> {
    Spec::new("continue", "go on to a breakpoint or the end", parse)
        .letters(&["c", "run"])
        .repeating()
}

/// `seek`; the prompt says what is sought.
pub const fn seek<R>(parse: Parse<R>) -> Spec<R> {
    let summary = "search ahead, and show the first universe that fits";
    Spec::new("seek", summary, parse)
}

/// `restart`.
pub const fn restart<R>(parse: Parse<R>) -> Spec<R> {
    Spec::new("restart", "show the start; what was seen is kept", parse).letters(&["r"])
}

/// `jump`; the prompt says what universes are called.
pub const fn jump<R>(parse: Parse<R>) -> Spec<R> {
    Spec::new("jump", "show another universe", parse)
        .letters(&["j"])
        .arguments("UNIVERSE")
        .completes(&[Completes::Universe])
}

/// `break`; the prompt says what can be waited for.
pub const fn halt<R>(parse: Parse<R>) -> Spec<R> {
    Spec::new("break", "halt wherever something happens", parse)
        .letters(&["B"])
        .arguments("WHAT")
}

/// `tree`, of so many lines.
pub const fn tree<R>(parse: Parse<R>) -> Spec<R> {
    Spec::new("tree", "the multiverse seen so far, as a tree", parse)
        .letters(&["t"])
        .arguments("[LINES]")
}

/// `path`.
pub const fn path<R>(parse: Parse<R>) -> Spec<R> {
    Spec::new("path", "what happened on the way here", parse)
        .letters(&["o"])
        .arguments("[COUNT]")
}

/// `moment`.
pub const fn moment<R>(parse: Parse<R>) -> Spec<R> {
    let summary = "a text that names this universe in every session";
    Spec::new("moment", summary, parse)
        .details("Give it to 'jump' in any session of the same program, also on another machine.")
}

/// `note`.
pub const fn note<R>(parse: Parse<R>) -> Spec<R> {
    Spec::new("note", "write a note on this universe", parse).arguments("TEXT")
}

/// `list`; the prompt says what of the source.
pub const fn list<R>(parse: Parse<R>) -> Spec<R> {
    Spec::new("list", "the source, around what is next", parse).letters(&["l"])
}

/// `explore`; the prompt says what is shown of the states.
pub const fn explore<R>(parse: Parse<R>) -> Spec<R> {
    Spec::new("explore", "all states that there can be", parse)
}

/// `check`; the prompt says what formulas are made of.
pub const fn check<R>(parse: Parse<R>) -> Spec<R> {
    let summary = "whether all runs fulfil a temporal formula";
    Spec::new("check", summary, parse).arguments("FORMULA")
}

/// `query`; the prompt says which tables there are.
pub const fn query<R>(parse: Parse<R>) -> Spec<R> {
    Spec::new("query", "ask a question in SQL", parse)
        .letters(&["sql"])
        .arguments("SELECT …")
}
