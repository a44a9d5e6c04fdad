//! The words that mean the same at every prompt that goes from universe to universe: the source, breakpoints, `jump`.

use std::marker::PhantomData;

use borges_languages::source::underline;
use borges_multiverse::language::Span;
use borges_session::command::Observer;
use serde::Serialize;
use serde_json::json;

use crate::arguments::identifiers;
use crate::cursor::{Cursor, Misread};
use crate::interpreter::Said;
use crate::paint::{Paint, count, printable};
use crate::table::{Completes, Spec};

use super::number;

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Common {
    /// The source.
    List,
    /// To a universe, as the prompt calls it.
    Jump(String),
    /// To the universe of a state, as the tables of `query` number it.
    JumpToState(u32),
    /// A breakpoint.
    Break(String),
    /// The breakpoints.
    Breakpoints,
    /// Deletes breakpoints, all if none is named.
    Delete(Vec<u32>),
    /// Looks at a breakpoint, or passes it by.
    Switch {
        /// Its number.
        id: u32,
        /// Whether it is looked at.
        on: bool,
    },
}

/// The rows of these words, for a table of `R`.
pub struct Rows<R>(PhantomData<R>);

impl<R: From<Common> + 'static> Rows<R> {
    /// `list`.
    pub const LIST: Spec<R> = Spec::new("list", "the source, with what is next", |_| {
        Ok(Common::List.into())
    })
    .letters(&["l"]);

    /// `jump`.
    pub const JUMP: Spec<R> = Spec::new("jump", "to any universe", |c| {
        let target = c.required("a universe, for example 4, 1.4 or start")?;
        Ok(match target.text {
            "state" => Common::JumpToState(number(c, "a state's number")?),
            universe => Common::Jump(universe.to_owned()),
        }
        .into())
    })
    .letters(&["j"])
    .arguments("UNIVERSE|state STATE")
    .completes(&[Completes::Universe]);

    /// `break`; the prompt says what can be waited for.
    pub const BREAK: Spec<R> = Spec::new("break", "halt wherever something happens", |c| {
        match c.quoted()? {
            what if what.is_empty() => Err(c.missing("what to halt at, for example x == 2")),
            what => Ok(Common::Break(what).into()),
        }
    })
    .letters(&["b"])
    .arguments("WHAT");

    /// `breakpoints`.
    pub const BREAKPOINTS: Spec<R> = Spec::new("breakpoints", "list the breakpoints", |_| {
        Ok(Common::Breakpoints.into())
    })
    .letters(&["bp"]);

    /// `delete`.
    pub const DELETE: Spec<R> = Spec::new("delete", "delete breakpoints", |c| {
        identifiers(c).map(|ids| Common::Delete(ids).into())
    })
    .letters(&["d"])
    .arguments("NUMBER…|all")
    .completes(&[Completes::Breakpoint, Completes::Words(&["all"])]);

    /// `enable`.
    pub const ENABLE: Spec<R> = Spec::new("enable", "look at a breakpoint again", |c| {
        switch(c, true).map(R::from)
    })
    .arguments("NUMBER")
    .completes(&[Completes::Breakpoint]);

    /// `disable`.
    pub const DISABLE: Spec<R> = Spec::new("disable", "pass a breakpoint by", |c| {
        switch(c, false).map(R::from)
    })
    .arguments("NUMBER")
    .completes(&[Completes::Breakpoint]);
}

fn switch(cursor: &mut Cursor<'_>, on: bool) -> Result<Common, Misread> {
    let id = number(cursor, "a breakpoint's number")?;
    Ok(Common::Switch { id, on })
}

/// A breakpoint, as `breakpoints` lists it.
#[derive(Debug, Serialize)]
pub(super) struct Breakpoint {
    /// Its number.
    pub(super) id: u32,
    /// What it waits for, in the user's words.
    pub(super) text: String,
    /// Whether it is looked at.
    pub(super) on: bool,
    /// How many arrivals it halted, where that is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hits: Option<u64>,
}

/// A prompt that goes from universe to universe.
pub(super) trait Roams {
    /// The program's text, and the part of it that is next.
    fn source(&self) -> (&str, Option<Span>);

    /// Looks at another universe.
    ///
    /// # Errors
    /// There is none of this name.
    fn jump(&mut self, universe: &str, paint: &Paint, observer: Observer<'_>) -> Said;

    /// Looks at the universe of a state of the graph.
    ///
    /// # Errors
    /// There is no such state.
    fn jump_to_state(&mut self, state: u32, paint: &Paint, observer: Observer<'_>) -> Said;

    /// The breakpoints, by their numbers.
    fn breakpoints(&self) -> Vec<Breakpoint>;

    /// Sets a breakpoint, and says its number.
    ///
    /// # Errors
    /// It is none.
    fn set(&mut self, text: &str, observer: Observer<'_>) -> Result<u32, String>;

    /// Takes away a breakpoint that there is.
    ///
    /// # Errors
    /// The debugger refuses.
    fn unset(&mut self, id: u32, observer: Observer<'_>) -> Result<(), String>;

    /// Looks at a breakpoint that there is, or passes it by.
    ///
    /// # Errors
    /// The debugger refuses.
    fn switch(&mut self, id: u32, on: bool, observer: Observer<'_>) -> Result<(), String>;

    /// Carries out what a line asks for.
    ///
    /// # Errors
    /// Why it cannot be carried out.
    fn roam(&mut self, common: Common, paint: &Paint, observer: Observer<'_>) -> Said {
        match common {
            Common::List => Ok(self.listed()),
            Common::Jump(universe) => self.jump(&universe, paint, observer),
            Common::JumpToState(state) => self.jump_to_state(state, paint, observer),
            Common::Break(text) => {
                let id = self.set(&text, observer)?;
                let value = json!({ "reply": "breakpoint-set", "id": id, "text": text });
                Ok((format!("breakpoint {id}: {}\n", printable(&text)), value))
            }
            Common::Breakpoints => {
                let list = self.breakpoints();
                let mut text: String = list.iter().map(Breakpoint::line).collect();
                if text.is_empty() {
                    text.push_str(
                        "no breakpoints yet: 'break WHAT' sets one, 'help break' says at what\n",
                    );
                }
                Ok((text, json!({ "reply": "breakpoints", "breakpoints": list })))
            }
            Common::Delete(ids) => {
                let ids = self.known(ids)?;
                for id in ids {
                    self.unset(id, observer)?;
                }
                Ok(done("deleted"))
            }
            Common::Switch { id, on } => {
                self.known(vec![id])?;
                self.switch(id, on, observer)?;
                let state = if on { "on" } else { "off" };
                Ok(done(&format!("breakpoint {id} is {state}")))
            }
        }
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
        (
            text,
            json!({ "reply": "source", "text": source, "span": span }),
        )
    }
}

impl Breakpoint {
    fn line(&self) -> String {
        let hits = self
            .hits
            .map(|hits| format!("  hit {}", count(hits, "time")));
        let off = if self.on { "" } else { "  (off)" };
        let text = printable(&self.text);
        format!(
            "breakpoint {}: {text}{}{off}\n",
            self.id,
            hits.unwrap_or_default()
        )
    }
}

/// A word on what was done.
pub(super) fn done(message: &str) -> (String, serde_json::Value) {
    (
        format!("{message}\n"),
        json!({ "reply": "done", "message": message }),
    )
}
