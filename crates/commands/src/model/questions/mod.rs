//! Questions about all runs of a program: the same words at every prompt of a model language.

mod outcomes;
mod render;
mod surveys;

use std::marker::PhantomData;

use borges_languages::model::{Progress, Question, Reply};
use borges_session::command::{Event, Flow, Observer};
use borges_session::model::{Abstraction, ModelSession};
use serde_json::json;

use crate::cursor::{Cursor, Misread};
use crate::interpreter::{Said, to_value};
use crate::paint::Paint;
use crate::table::{Completes, Spec};
use crate::words::{self, explore, query};

pub use outcomes::{More, judged, outcomes, trace};
pub(super) use render::{end, many_paths, size};
pub use render::{judgement, pairs};
pub use surveys::SurveyLine;
use surveys::surveying;

/// A question about all runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asking {
    /// One of those that are built in.
    Question(Question),
    /// All states, of which so many are shown.
    Explore(u32),
    /// All outcomes through an abstraction.
    Abstract(Abstraction),
    /// All states, counted.
    Survey(SurveyLine),
    /// One in SQL.
    Sql(String),
    /// Whether a breakpoint may and must be met.
    May(String),
    /// Whether a temporal formula may and must hold.
    Check(String),
    /// What races on the way to a universe, or to the one that is looked at, and there.
    Races(Option<String>),
}

/// The rows of the questions, for a table of `R`.
pub struct Rows<R>(PhantomData<R>);

impl<R: From<Asking> + 'static> Rows<R> {
    /// All of them.
    pub const ALL: &'static [Spec<R>] = &[
        Spec::new("ask", "a question about all states of the program", |c| {
            asking(c).map(R::from)
        })
        .letters(&["a"])
        .arguments("QUESTION")
        .details(ASK_DETAILS)
        .completes(&[Completes::Words(WORDS)]),
        explore(|c| exploring(c).map(R::from))
            .letters(&["graph", "g"])
            .arguments("[STATES|--keep [PART,…]|--symmetry]")
            .details(EXPLORE_DETAILS),
        Spec::new(
            "survey",
            "count all states without keeping them: also those that no memory has room for",
            |c| Ok(Asking::Survey(surveying(c)?).into()),
        )
        .arguments("[traces] [verbose] [GOAL]... [BOUNDS]")
        .details(surveys::DETAILS)
        .examples(&[
            ("survey", "all states, on all cores"),
            ("survey time=60 cores=1", "for a minute, on one core"),
            ("survey forbid deadlock", "whether any run comes to one"),
        ])
        .completes(&[Completes::Words(surveys::WORDS)]),
        query(|c| c.all("a SELECT").map(|sql| Asking::Sql(sql).into())).details(
            "It is about all states of the program. Tables: model_state, model_edge, \
model_outcome, model_program; views: model_ends, model_shortest, model_steps \
(docs/session-files.md).",
        ),
        Spec::new(
            "may",
            "whether a breakpoint would halt in some universe, and whether in every run",
            |c| {
                let spec = c.all("a breakpoint, as for 'break'")?;
                Ok(Asking::May(spec).into())
            },
        )
        .arguments("WHAT")
        .details(
            "WHAT is a predicate (x == 2, when x == 2), or what else 'break' takes in a program \
of this language. Answers with a run that shows it. The universes of the session stay as they \
are.",
        ),
        words::check(|c| check(c).map(R::from))
        .arguments("[--fair] FORMULA")
        .details(
            "Whether some run does, too. F p: at some time; G p: always; X p: in the next state; p U q, p R q, !p, p & q, p \
| q, p -> q; predicates as for 'break when' stand in braces. Runs that never end are judged as \
well. --fair: only runs in which who can act from some point on does act again.",
        ),
        Spec::new(
            "races",
            "which steps race here, and which other messages could have been received on the way",
            |c| Ok(Asking::Races(c.word().map(|word| word.text.to_owned())).into()),
        )
        .arguments("[UNIVERSE|PORT]")
        .details(
            "Two steps race if either can be first, and it matters: 'explore --forbid race' looks for them \
everywhere. For each message that was received: those that came to the same inbox or port \
later and could have been there first, while all that happened before stays the same. In CaReDeb \
the name of a port asks for the messages of that port, and who else could have received them.",
        )
        .completes(&[Completes::Universe]),
    ];
}

const ASK_DETAILS: &str = "ends: the outcomes with their numbers and how many states have each. shortest [STATE]: \
a shortest way to each outcome, or to a state. through STATE: the states on paths through it. \
parting A B: where a choice first rules one of two outcomes out. reach A: the states from which \
an outcome can still be reached. ancestors STATE STATE…: those from which all of these can be \
reached. cycles: where a run can stay for ever. What an answer numbers is where 'jump' goes. \
Ctrl-C stops the exploration: the answer then says on how much it rests, and the next question \
goes on exploring.";

const EXPLORE_DETAILS: &str = "Equal ones are one. The first so many are shown, with what can happen in each; \
'jump' goes to one. With --keep or --symmetry, the outcomes through an abstraction, which leaves universes out: \
with --keep, only these values (acc.bal) and expressions (acc.bal > 3), and what can happen next, tell states \
apart; with --symmetry, actors of one definition are alike.";

/// States that `explore` shows unless it is told how many.
const SHOWN: u32 = 40;

const WORDS: &[&str] = &[
    "ends",
    "shortest",
    "through",
    "parting",
    "reach",
    "ancestors",
    "cycles",
];

fn asking(cursor: &mut Cursor<'_>) -> Result<Asking, Misread> {
    let word = cursor.required("a question: ends, shortest, through, parting, …")?;
    Ok(Asking::Question(match word.text {
        "ends" => Question::Ends,
        "cycles" => Question::Cycles,
        "shortest" if cursor.is_done() => Question::ShortestToEnds,
        "shortest" => Question::Shortest(cursor.small("a state's number")?),
        "through" => Question::Through(cursor.small("a state's number")?),
        "reach" => Question::CanReach(cursor.small("an outcome's number")?),
        "parting" => {
            let first = cursor.small("an outcome's number")?;
            Question::Divergence(first, cursor.small("another outcome's number")?)
        }
        "ancestors" => {
            let mut states = vec![cursor.small("a state's number")?];
            while !cursor.is_done() {
                states.push(cursor.small("a state's number")?);
            }
            Question::CommonAncestors(states)
        }
        other => {
            return Err(Misread::of(word, format!("'{other}' is no question"))
                .hint(format!("known are {}", WORDS.join(", "))));
        }
    }))
}

fn exploring(cursor: &mut Cursor<'_>) -> Result<Asking, Misread> {
    let symmetry = cursor.keyword("--symmetry");
    let keep = cursor.keyword("--keep");
    if !symmetry && !keep {
        return Ok(Asking::Explore(
            cursor.small_or("a number of states", SHOWN)?,
        ));
    }
    let keep = keep.then(|| cursor.take_rest().text.to_owned());
    Ok(Asking::Abstract(Abstraction { keep, symmetry }))
}

/// A formula, about weakly fair runs only if that `is_fair`: the word `fair` of formulas says so.
#[must_use]
pub fn about(formula: &str, is_fair: bool) -> String {
    let fair = if is_fair { "fair " } else { "" };
    format!("{fair}{formula}")
}

fn check(cursor: &mut Cursor<'_>) -> Result<Asking, Misread> {
    let fair = cursor.keyword("--fair");
    let formula = cursor.all("a formula, for example F {math.result == 66}")?;
    Ok(Asking::Check(about(&formula, fair)))
}

/// A prompt that answers questions about all runs.
pub(super) trait Asked {
    /// What knows all runs.
    fn session(&mut self) -> &mut ModelSession;

    /// The options on the way to a universe, or to the one that is looked at, if there is one among all runs.
    fn way(&mut self, to: Option<&str>, observer: Observer<'_>) -> Result<Vec<u32>, String>;

    /// Answers a built-in question, in which numbers are those of states that there are.
    fn ask(&mut self, question: &Question, paint: &Paint, observer: Observer<'_>) -> Said {
        let session = self.session();
        let reply = session.ask(question, watched(observer));
        let reply = reply.map_err(shown)?;
        Ok(answered(session, &reply, &|state| state, "state", paint))
    }

    /// Answers a question about all runs, or says why there is no answer.
    fn answer(&mut self, asking: &Asking, paint: &Paint, observer: Observer<'_>) -> Said {
        let judgement = match asking {
            Asking::Question(question) => return self.ask(question, paint, observer),
            Asking::Explore(most) => {
                let graph = self.session().graph(watched(&mut *observer));
                return Ok(render::states(graph, *most, paint, &mut watched(observer)));
            }
            Asking::Abstract(abstraction) => {
                let session = self.session();
                let report = session.abstracted(abstraction, watched(observer));
                let report = report.map_err(shown)?;
                let more = More {
                    values: true,
                    ways: false,
                };
                let text = outcomes(&report, more, paint);
                return Ok((text, json!({ "reply": "outcomes", "report": report })));
            }
            Asking::Survey(survey) => return survey.answer(self.session(), paint, observer),
            Asking::Sql(sql) => {
                let table = self.session().query(sql, watched(observer));
                let table = table.map_err(shown)?;
                let text = crate::device::render::table(&table, paint);
                return Ok((text, json!({ "reply": "table", "table": table })));
            }
            Asking::Races(to) => {
                let way = self.way(to.as_deref(), observer)?;
                let session = self.session();
                let races = session.races(&way);
                let races = races.ok_or("this way is none of the program's")?;
                let value = json!({ "reply": "races", "races": races });
                return Ok((render::races(&races, paint), value));
            }
            Asking::May(spec) => self.session().occurs(spec, watched(observer)),
            Asking::Check(formula) => self.session().check(formula, watched(observer)),
        };
        let judgement = judgement.map_err(shown)?;
        let value = json!({ "reply": "judgement", "judgement": judgement });
        Ok((render::judgement(&judgement, paint), value))
    }
}

/// Tells an observer how far an exploration has come.
pub(super) fn watched(observer: Observer<'_>) -> impl FnMut(&Progress) -> bool {
    |come| observer(Event::exploring("states explored", come)) == Flow::Continue
}

/// An answer, with a word on what it rests on if that is not all; `name` says what a state is called, and `one` what it
/// is.
pub(super) fn answered(
    session: &ModelSession,
    reply: &Reply,
    name: &dyn Fn(u32) -> u32,
    one: &str,
    paint: &Paint,
) -> (String, serde_json::Value) {
    let partial = session.partial();
    let note = partial.map(|(why, states)| render::partial(why, states, paint));
    let value = json!({
        "reply": "answer",
        "answer": to_value(reply),
        "complete": partial.is_none(),
        "why": partial.map(|(why, _)| why),
    });
    let text = render::answer(reply, name, one, paint);
    (note.unwrap_or_default() + &text, value)
}

pub(super) fn shown(error: impl std::fmt::Display) -> String {
    error.to_string().trim_end().to_string()
}
