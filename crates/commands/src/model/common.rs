//! The words that mean the same at every prompt that goes from universe to universe: the source, the way here, breakpoints, `jump`.

use std::marker::PhantomData;

use borges_languages::source::underline;
use borges_multiverse::language::Span;
use borges_multiverse::walk::{Chooser, Order};
use borges_session::command::Observer;
use borges_session::command::listing::AgentView;
use serde::Serialize;
use serde_json::json;

use crate::cursor::{Cursor, Misread, Word};
use crate::interpreter::Said;
use crate::paint::{Paint, count, printable};
use crate::table::{Completes, Spec};
use crate::words::{Stops, agents, halt, jump, list, path, restart};

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Common {
    /// The source.
    List,
    /// To the start.
    Restart,
    /// To a universe, as the prompt calls it.
    Jump(String),
    /// To the universe of a state, as the tables of `query` number it.
    JumpToState(u32),
    /// The last steps to a universe, or to the one that is looked at.
    Path {
        /// How many.
        count: u32,
        /// To which.
        to: Option<String>,
    },
    /// A breakpoint.
    Break(String),
    /// Who acts.
    Agents,
}

/// The rows of these words, for a table of `R`.
pub struct Rows<R>(PhantomData<R>);

impl<R: From<Common> + 'static> Rows<R> {
    /// `list`.
    pub const LIST: Spec<R> = list(|_| Ok(Common::List.into()));

    /// `agents`.
    pub const AGENTS: Spec<R> = agents(|_| Ok(Common::Agents.into()));

    /// `restart`.
    pub const RESTART: Spec<R> = restart(|_| Ok(Common::Restart.into()));

    /// `jump`.
    pub const JUMP: Spec<R> = jump(|c| {
        let target = c.required("a universe, for example 4, 1.4 or start")?;
        Ok(match target.text {
            "state" => Common::JumpToState(c.small("a state's number")?),
            universe => Common::Jump(universe.to_owned()),
        }
        .into())
    })
    .arguments("UNIVERSE|state STATE");

    /// `path`.
    pub const PATH: Spec<R> = path(|c| {
        let count = match c.peek().filter(|word| word.text != "to") {
            Some(_) => c.small("a number of steps")?,
            None => LAST_STEPS,
        };
        let to = match c.keyword("to") {
            true => Some(c.name("a universe")?),
            false => None,
        };
        Ok(Common::Path { count, to }.into())
    })
    .arguments("[COUNT] [to UNIVERSE]")
    .completes(&[Completes::Words(&["to"]), Completes::Universe]);

    /// `break`; the prompt says what can be waited for.
    pub const BREAK: Spec<R> = halt(|c| {
        let what = c.text("what to halt at, for example x == 2")?;
        Ok(Common::Break(what).into())
    })
    .letters(&["B", "b"]);
}

/// Steps that `path` shows unless it is told how many.
const LAST_STEPS: u32 = 20;

/// What `continue` can be told about who chooses.
pub(super) const CHOOSERS: &str = "first: the first choice, always. turns: the agents in turn. random: any, evenly, \
from a seed. order: the first of these agents that can act does, others only where none of these can; an agent behind \
'-' is held and does not act.";
pub(super) const CHOOSER_WORDS: &[&str] = &["first", "turns", "random", "order"];

/// `[first|turns|random [SEED]|order [-]AGENT…]`; none at the end of the line, or before a number. `known` are the rules,
/// for who names another; `agent` reads one's name.
pub(super) fn chooser<A>(
    cursor: &mut Cursor<'_>,
    known: &str,
    agent: impl Fn(Word<'_>) -> Result<A, Misread>,
) -> Result<Option<Chooser<A>>, Misread> {
    let is_number = |word: &Word<'_>| word.text.starts_with(|c: char| c.is_ascii_digit());
    let Some(word) = cursor.peek().filter(|word| !is_number(word)) else {
        return Ok(None);
    };
    cursor.word();
    Ok(Some(match word.text {
        "first" => Chooser::First,
        "turns" | "roundrobin" => Chooser::Turns,
        "random" => Chooser::Random(cursor.number_or("a seed", 0)?),
        "order" => {
            let (mut first, mut held) = (Vec::new(), Vec::new());
            while first.is_empty() && held.is_empty()
                || cursor.peek().is_some_and(|w| !is_number(&w))
            {
                let word = cursor.required("an agent")?;
                match word.text.strip_prefix('-') {
                    Some(text) => held.push(agent(Word {
                        text,
                        at: word.at + 1,
                    })?),
                    None => first.push(agent(word)?),
                }
            }
            Chooser::Order(Order { first, held })
        }
        other => {
            return Err(Misread::of(word, format!("'{other}' is no rule")).hint(known));
        }
    }))
}

/// A breakpoint, as `breakpoints` lists it.
#[derive(Debug, Serialize)]
pub(super) struct Breakpoint {
    pub(super) id: u32,
    /// What it waits for, in the user's words.
    pub(super) text: String,
    /// Whether it is looked at.
    pub(super) on: bool,
    /// How many arrivals it halted, where that is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hits: Option<u64>,
}

/// What every prompt calls the first universe.
pub(super) const START: &str = "start";

/// The number of a universe, where they have numbers; or that it is none.
pub(super) fn numbered(universe: &str) -> Result<u32, String> {
    if universe == START {
        return Ok(0);
    }
    let number = universe.parse();
    number.map_err(|_| {
        format!("'{universe}' is no universe: they are numbers, as 'path' and the prompt show them")
    })
}

/// A prompt that goes from universe to universe.
pub(super) trait Roams {
    /// The program's text, and the part of it that is next.
    fn source(&self) -> (&str, Option<Span>);

    /// Who acts in the universe that is looked at, unless the debugger refuses.
    fn agents(&mut self, observer: Observer<'_>) -> Result<Vec<AgentView>, String>;

    /// Looks at another universe, if there is one of this name.
    fn jump(&mut self, universe: &str, paint: &Paint, observer: Observer<'_>) -> Said;

    /// Looks at the universe of a state of the graph, if there is such a state.
    fn jump_to_state(&mut self, state: u32, paint: &Paint, observer: Observer<'_>) -> Said;

    /// The last `count` steps to the universe of this name, or to the one that is looked at.
    fn path(&mut self, count: u32, to: Option<&str>, paint: &Paint) -> Said;

    /// The breakpoints, by their numbers.
    fn breakpoints(&self) -> Vec<Breakpoint>;

    /// Sets a breakpoint, and says its number; or why it is none.
    fn set(&mut self, text: &str, observer: Observer<'_>) -> Result<u32, String>;

    /// Takes away a breakpoint that there is, unless the debugger refuses.
    fn unset(&mut self, id: u32, observer: Observer<'_>) -> Result<(), String>;

    /// Looks at a breakpoint that there is, or passes it by, unless the debugger refuses.
    fn switch(&mut self, id: u32, on: bool, observer: Observer<'_>) -> Result<(), String>;

    /// Carries out what a line asks for, or says why it cannot be.
    fn roam(&mut self, common: Common, paint: &Paint, observer: Observer<'_>) -> Said {
        match common {
            Common::List => Ok(self.listed()),
            Common::Restart => self.jump(START, paint, observer),
            Common::Path { count, to } => self.path(count, to.as_deref(), paint),
            Common::Agents => {
                let agents = self.agents(observer)?;
                let value = json!({ "reply": "agents", "agents": agents });
                Ok((crate::agents::text(&agents, paint), value))
            }
            Common::Jump(universe) => self.jump(&universe, paint, observer),
            Common::JumpToState(state) => self.jump_to_state(state, paint, observer),
            Common::Break(text) => {
                let id = self.set(&text, observer)?;
                let value = json!({ "reply": "breakpoint-set", "id": id, "text": text });
                Ok((format!("breakpoint {id}: {}\n", printable(&text)), value))
            }
        }
    }

    /// Carries out what is said about breakpoints, if they are there and the debugger does not refuse.
    fn stops(&mut self, stops: Stops, observer: Observer<'_>) -> Said {
        match stops {
            Stops::List => {
                let list = self.breakpoints();
                let mut text: String = list.iter().map(Breakpoint::line).collect();
                if text.is_empty() {
                    text +=
                        "no breakpoints yet: 'break WHAT' sets one, 'help break' says at what\n";
                }
                Ok((text, json!({ "reply": "breakpoints", "breakpoints": list })))
            }
            Stops::Delete(ids) => {
                let ids = self.known(ids)?;
                for id in ids {
                    self.unset(id, observer)?;
                }
                Ok(done("deleted"))
            }
            Stops::Switch { id, on } => {
                self.known(vec![id])?;
                self.switch(id, on, observer)?;
                let state = if on { "on" } else { "off" };
                Ok(done(&format!("breakpoint {id} is {state}")))
            }
        }
    }

    /// The numbers of all breakpoints, for completion.
    fn numbers(&self) -> Vec<String> {
        let known = self.breakpoints().into_iter();
        known.map(|one| one.id.to_string()).collect()
    }

    /// The numbers of these breakpoints, of all if none is named.
    fn known(&self, ids: Vec<u32>) -> Result<Vec<u32>, String> {
        let all: Vec<u32> = self.breakpoints().iter().map(|one| one.id).collect();
        match ids.iter().find(|id| !all.contains(id)) {
            Some(id) => Err(format!(
                "there is no breakpoint {id}; 'breakpoints' lists them"
            )),
            None if ids.is_empty() => Ok(all),
            None => Ok(ids),
        }
    }

    /// The part of the source that is next, or else all of it.
    fn listed(&self) -> (String, serde_json::Value) {
        let (source, span) = self.source();
        let numbered = |(index, line)| format!("{:>4}  {line}\n", index + 1);
        let text = match span {
            Some(span) => underline(source, span),
            None => source.lines().enumerate().map(numbered).collect(),
        };
        let span = span.map(|span| json!({ "start": span.start, "end": span.end }));
        let value = json!({ "reply": "source", "text": source, "span": span });
        (text, value)
    }
}

impl Breakpoint {
    fn line(&self) -> String {
        let hits = self
            .hits
            .map(|hits| format!("  hit {}", count(hits, "time")));
        let hits = hits.unwrap_or_default();
        let off = if self.on { "" } else { "  (off)" };
        let text = printable(&self.text);
        format!("breakpoint {}: {text}{hits}{off}\n", self.id)
    }
}

/// A word on what was done.
pub(super) fn done(message: &str) -> (String, serde_json::Value) {
    let value = json!({ "reply": "done", "message": message });
    (format!("{message}\n"), value)
}
