//! Sessions of programs of model languages: what is answered about them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use borges_commands::interpreter::{Interpreter as _, Verdict};
use borges_commands::model::caredeb::CareDebPrompt;
use borges_commands::paint::Paint;
use borges_session::command::{Event, Flow};
use borges_session::model::debug::Watch;
use borges_session::model::{AskError, CareDeb, ModelSession, Progress, Question, Reply};

use crate::audience::Answer;
use crate::frames;
use crate::pauses::Turn;
use crate::protocol::model::{GraphTell, ModelAsk, ModelListing, ModelTell};
use crate::protocol::{Ask, Part};
use crate::room::{Room, Subject};

/// The most states whose edges are told at a time.
const MOST_STATES: usize = 5_000;

/// How wide the lines of a prompt's answers are.
const WIDTH: usize = 80;

impl Subject for ModelSession {
    fn enter(&mut self, room: &mut Room) {
        room.known.forget_session();
        let listing = ModelListing {
            name: self.name().to_owned(),
            language: self.dialect().name().to_owned(),
            caredeb: self.caredeb().is_some(),
            actors: self.has_actors(),
        };
        room.show(vec![Part::Info(None), Part::Model(Some(listing))]);
    }

    fn answer(&mut self, room: &mut Room, turn: Turn, ask: Ask) -> Result<Answer, String> {
        let Ask::Model { id, question } = ask else {
            return Err("this program is of a model language, which has other commands".to_owned());
        };
        room.watched(turn, |observer| {
            let mut watch = |come: &Progress| {
                let progress = Event::Progress {
                    what: "exploring".to_owned(),
                    done: come.states,
                    total: None,
                };
                observer(progress) == Flow::Continue
            };
            // After an order that panicked, what is there can still be looked at.
            let work = AssertUnwindSafe(|| answer(self, id, question, &mut watch));
            let failed = "the debugger failed at this question: please report it";
            catch_unwind(work).unwrap_or_else(|_| Err(failed.to_owned()))
        })
    }
}

fn answer(
    session: &mut ModelSession,
    id: u32,
    ask: ModelAsk,
    watch: Watch<'_>,
) -> Result<Answer, String> {
    let tell = match ask {
        ModelAsk::States => return Ok(Answer::Frame(frames::states(id, session.graph(watch)))),
        ModelAsk::Graph { links } => Ok(ModelTell::Graph(graph(session, links))),
        ModelAsk::Order { order } => words(session.carry_out(order, watch).map(ModelTell::Came)),
        ModelAsk::Card { universe } => {
            let debugger = session.debugger();
            let card = words(debugger.card(universe))?;
            let path = card.path.iter().filter_map(|id| debugger.link(*id));
            let leaving = debugger.links_from(universe).into_iter();
            Ok(ModelTell::Card {
                path: path.collect(),
                leaving: leaving.filter_map(|id| debugger.link(id)).collect(),
                card,
            })
        }
        ModelAsk::Difference { edge } => {
            let debugger = session.debugger();
            let changes = words(debugger.difference(edge))?;
            let edge = debugger.link(edge).ok_or("there is no such edge")?;
            Ok(ModelTell::Difference { edge, changes })
        }
        ModelAsk::May { spec } => words(session.occurs(&spec, watch).map(ModelTell::Judgement)),
        ModelAsk::Check { formula } => {
            words(session.check(&formula, watch).map(ModelTell::Judgement))
        }
        ModelAsk::Query { sql } => words(session.query(&sql, watch).map(ModelTell::Table)),
        ModelAsk::Ask { question } => {
            let reply = words(session.ask(&question, watch))?;
            let partial = session.partial();
            Ok(ModelTell::Reply {
                reply,
                partial: partial.map(|(why, _)| why),
                known: partial.map_or(0, |(_, known)| known),
            })
        }
        ModelAsk::Visit { state } => {
            session.graph(watch);
            words(session.universe_of(state).map(ModelTell::Visited))
        }
        ModelAsk::Races { universe } => {
            let state = words(session.state_of(universe, &mut *watch))?;
            let options = words(session.options_to(state, watch))?;
            Ok(ModelTell::Races(session.races(&options)))
        }
        ModelAsk::State { state } => words(one_state(session, state, watch)),
        ModelAsk::Edges { states } if states.len() > MOST_STATES => Err(format!(
            "{} states: edges of at most {MOST_STATES} at once",
            states.len()
        )),
        ModelAsk::Edges { states } => {
            let graph = session.graph(watch);
            let edges = states.into_iter().flat_map(|state| graph.leaving(state));
            let rows = edges.filter_map(|edge| graph.edge_row(edge));
            Ok(ModelTell::Edges(rows.collect()))
        }
        ModelAsk::Caredeb { line } => caredeb(session, &line, watch),
    };
    tell.map(Answer::Model)
}

/// Carries out a line of CaReDeb's prompt.
fn caredeb(session: &mut ModelSession, line: &str, watch: Watch<'_>) -> Result<ModelTell, String> {
    let none = || "this program has no threads that can be undone".to_owned();
    let mut prompt = CareDebPrompt::new(&mut *session).ok_or_else(none)?;
    let answer = prompt.execute(line, &Paint::new(false, WIDTH), &mut |event| match event {
        Event::Progress { done, .. }
            if !watch(&Progress {
                states: done,
                ..Progress::default()
            }) =>
        {
            Flow::Pause
        }
        _ => Flow::Continue,
    });
    let ok = answer.verdict != Verdict::Failed;
    let debugger = session.caredeb().ok_or_else(none)?;
    Ok(ModelTell::Caredeb(CareDeb::of(debugger, ok, answer.text)))
}

/// An error for people.
fn words<T>(result: Result<T, impl std::fmt::Display>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn one_state(
    session: &mut ModelSession,
    state: u32,
    watch: Watch<'_>,
) -> Result<ModelTell, AskError> {
    let graph = session.graph(watch);
    let ways = graph.ask(&Question::Shortest(state))?;
    let (Reply::Ways(ways), Some(row)) = (ways, graph.state_row(state, true)) else {
        return Err(AskError::Stopped(graph.states() as u64));
    };
    let leaving = graph.leaving(state).into_iter();
    let leaving = leaving.filter_map(|edge| graph.edge_row(edge)).collect();
    let way = ways.into_iter().next();
    let way = way.ok_or(AskError::Stopped(graph.states() as u64))?;
    Ok(ModelTell::State {
        state: row,
        way,
        leaving,
    })
}

fn graph(session: &ModelSession, links: u32) -> GraphTell {
    let debugger = session.debugger();
    let statuses =
        (0..debugger.len()).map(|id| debugger.node(id).map_or("unexplored", |n| n.status));
    let ends: Vec<_> = (links..debugger.links())
        .filter_map(|id| debugger.ends_of(id))
        .collect();
    GraphTell {
        text: debugger.text().to_owned(),
        breakpoints: debugger.breakpoints(),
        statuses: statuses.collect(),
        first_link: links,
        from: ends.iter().map(|link| link.0).collect(),
        to: ends.iter().map(|link| link.1).collect(),
        command: ends.iter().map(|link| u8::from(link.2)).collect(),
    }
}
