//! Sessions of programs of model languages: what is answered about them.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use borges_commands::interpreter::{Interpreter as _, Verdict};
use borges_commands::model::caredeb::CareDebPrompt;
use borges_commands::paint::Paint;
use borges_session::command::{Event, Flow};
use borges_session::model::debug::Watch;
use borges_session::model::{
    Abstraction, AskError, CareDeb, End, ModelSession, Progress, Question, Reply,
};

use crate::audience::Answer;
use crate::frames;
use crate::pauses::Turn;
use crate::protocol::model::{GraphListing, ModelCommand, ModelListing, ModelReply, OutcomeRow};
use crate::protocol::{Ask, Part, Replied};
use crate::room::{Room, Subject, read};

/// The most states whose edges are told at a time.
const MOST_STATES: usize = 5_000;

/// How wide the lines of a prompt's answers are.
const WIDTH: usize = 80;

impl Subject for ModelSession {
    fn enter(&mut self, room: &mut Room) {
        let listing = ModelListing {
            name: self.name().to_owned(),
            language: self.dialect().name().to_owned(),
            caredeb: self.caredeb().is_some(),
            actors: self.has_actors(),
        };
        let parts = [Part::Info(None), Part::Model(Some(listing)), graph(self)];
        room.show(parts.into());
    }

    fn answer(&mut self, room: &mut Room, turn: Turn, ask: Ask) -> Result<Answer, String> {
        let Ask::Command { id, command } = ask else {
            return Err("only device programs are asked that".to_owned());
        };
        let command: ModelCommand = read(command)?;
        let moves = !command.looks();
        let answer = room.watched(turn, |observer| {
            let mut watch = |come: &Progress| {
                let progress = Event::Progress {
                    what: "exploring".to_owned(),
                    done: come.states,
                    total: None,
                };
                observer(progress) == Flow::Continue
            };
            // After an order that panicked, what is there can still be looked at.
            let work = AssertUnwindSafe(|| answer(self, id, command, &mut watch));
            let failed = "the debugger failed at this question: please report it";
            catch_unwind(work).unwrap_or_else(|_| Err(failed.to_owned()))
        });
        // Also what was paused, or failed half-way, may have been somewhere.
        if moves {
            room.show(vec![graph(self)]);
        }
        answer
    }
}

fn answer(
    session: &mut ModelSession,
    id: u32,
    command: ModelCommand,
    watch: Watch<'_>,
) -> Result<Answer, String> {
    let reply = match command {
        ModelCommand::States => return Ok(Answer::Frame(frames::states(id, session.graph(watch)))),
        ModelCommand::Order { order } => {
            words(session.carry_out(order, watch).map(ModelReply::Came))
        }
        ModelCommand::Card { universe } => {
            let debugger = session.debugger();
            let card = words(debugger.card(universe))?;
            let path = card.path.iter().filter_map(|id| debugger.link(*id));
            let leaving = debugger.links_from(universe).into_iter();
            Ok(ModelReply::Card {
                path: path.collect(),
                leaving: leaving.filter_map(|id| debugger.link(id)).collect(),
                card,
            })
        }
        ModelCommand::Difference { edge } => {
            let debugger = session.debugger();
            let changes = words(debugger.difference(edge))?;
            let edge = debugger.link(edge).ok_or("there is no such edge")?;
            Ok(ModelReply::Difference { edge, changes })
        }
        ModelCommand::May { spec } => {
            words(session.occurs(&spec, watch).map(ModelReply::Judgement))
        }
        ModelCommand::Check { formula } => {
            words(session.check(&formula, watch).map(ModelReply::Judgement))
        }
        ModelCommand::Query { sql } => words(session.query(&sql, watch).map(ModelReply::Table)),
        ModelCommand::Ask { question } => {
            let answer = words(session.ask(&question, watch))?;
            let partial = session.partial();
            Ok(ModelReply::Answer {
                answer,
                partial: partial.map(|(why, _)| why),
                known: partial.map_or(0, |(_, known)| known),
            })
        }
        ModelCommand::Abstracted { keep, symmetry } => {
            abstracted(session, &Abstraction { keep, symmetry }, watch)
        }
        ModelCommand::Visit { state } => {
            session.graph(watch);
            let universe = words(session.universe_of(state))?;
            Ok(ModelReply::Visited { universe })
        }
        ModelCommand::Races { universe } => {
            let state = words(session.state_of(universe, &mut *watch))?;
            let options = words(session.options_to(state, watch))?;
            let races = session.races(&options);
            let races = races.ok_or("this way is none of the program's")?;
            Ok(ModelReply::Races(races))
        }
        ModelCommand::State { state } => words(one_state(session, state, watch)),
        ModelCommand::Edges { states } if states.len() > MOST_STATES => Err(format!(
            "{} states: edges of at most {MOST_STATES} at once",
            states.len()
        )),
        ModelCommand::Edges { states } => {
            let graph = session.graph(watch);
            let edges = states.into_iter().flat_map(|state| graph.leaving(state));
            let edges = edges.filter_map(|edge| graph.edge_row(edge)).collect();
            Ok(ModelReply::Edges { edges })
        }
        ModelCommand::Caredeb { line } => caredeb(session, &line, watch),
    };
    reply.map(|reply| Answer::Reply(Replied::Model(Box::new(reply))))
}

/// The outcomes through an abstraction.
fn abstracted(
    session: &ModelSession,
    abstraction: &Abstraction,
    watch: Watch<'_>,
) -> Result<ModelReply, String> {
    let report = words(session.abstracted(abstraction, watch))?;
    let row = |end: End| OutcomeRow {
        how: end.how,
        text: end.text,
        steps: end.trace,
    };
    Ok(ModelReply::Outcomes {
        ends: report.ends.into_iter().map(row).collect(),
        abstraction: report.abstraction.unwrap_or_default(),
        partial: report.why,
        states: report.states,
    })
}

/// Carries out a line of CaReDeb's prompt.
fn caredeb(session: &mut ModelSession, line: &str, watch: Watch<'_>) -> Result<ModelReply, String> {
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
    Ok(ModelReply::Caredeb(CareDeb::of(debugger, ok, answer.text)))
}

fn words<T>(result: Result<T, impl std::fmt::Display>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn one_state(
    session: &mut ModelSession,
    state: u32,
    watch: Watch<'_>,
) -> Result<ModelReply, AskError> {
    let graph = session.graph(watch);
    let ways = graph.ask(&Question::Shortest(state))?;
    let (Reply::Ways(ways), Some(row)) = (ways, graph.state_row(state, true)) else {
        return Err(AskError::Stopped(graph.states() as u64));
    };
    let leaving = graph.leaving(state).into_iter();
    let leaving = leaving.filter_map(|edge| graph.edge_row(edge)).collect();
    let way = ways.into_iter().next();
    let way = way.ok_or(AskError::Stopped(graph.states() as u64))?;
    Ok(ModelReply::State {
        state: row,
        way,
        leaving,
    })
}

/// The program, and all universes of it that were seen.
fn graph(session: &ModelSession) -> Part {
    let debugger = session.debugger();
    let statuses =
        (0..debugger.len()).map(|id| debugger.node(id).map_or("unexplored", |n| n.status));
    let links = (0..debugger.links()).filter_map(|id| debugger.ends_of(id));
    let mut listing = GraphListing {
        text: debugger.text().to_owned(),
        breakpoints: debugger.breakpoints(),
        statuses: statuses.map(Cow::Borrowed).collect(),
        from: Vec::new(),
        to: Vec::new(),
        command: Vec::new(),
    };
    for (from, to, command) in links {
        listing.from.push(from);
        listing.to.push(to);
        listing.command.push(u8::from(command));
    }
    Part::Graph(Box::new(listing))
}

#[cfg(test)]
mod tests {
    use borges_languages::model::{AMB, Explore, Model};

    use super::*;

    #[test]
    fn edges_of_so_many_states_are_told_at_once() {
        let model = Model::parse(&AMB, "(amb 1 2)").expect("it is a program");
        let mut session = ModelSession::new("test".to_owned(), model, Explore::default(), None);
        let mut edges = |count: usize| {
            let command = ModelCommand::Edges {
                states: vec![0; count],
            };
            answer(&mut session, 0, command, &mut |_| true)
        };
        let told = edges(MOST_STATES).expect("they are told");
        let Answer::Reply(Replied::Model(reply)) = told else {
            panic!("it is no reply");
        };
        assert!(matches!(*reply, ModelReply::Edges { edges } if edges.len() == 2 * MOST_STATES));
        assert!(edges(MOST_STATES + 1).is_err_and(|error| error.contains("at most 5000")));
    }
}
