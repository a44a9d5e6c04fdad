//! Sessions of programs of model languages: what is answered about them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use borges_commands::interpreter::{Interpreter as _, Verdict};
use borges_commands::model::caredeb::CareDebPrompt;
use borges_commands::model::voyager::VoyagerPrompt;
use borges_commands::paint::Paint;
use borges_session::command::{Event, Flow, Observer};
use borges_session::model::debug::{Debugger, Watch};
use borges_session::model::{
    Abstraction, AskError, CareDeb, End, ModelSession, Progress, Question, Reply, SurveyWithin,
};

use crate::audience::{Answer, ClientId, Message};
use crate::frames::{self, News};
use crate::pauses::Turn;
use crate::protocol::model::{ModelCommand, ModelListing, ModelReply, OutcomeRow, TextListing};
use crate::protocol::{Ask, Part, Replied};
use crate::room::{Room, Subject, read};

/// The most states whose edges are told at a time.
const MOST_STATES: usize = 5_000;

/// The status that may become another.
const UNEXPLORED: &str = "unexplored";

/// What is said after a panic.
const FAILED: &str = "the debugger failed at this question: please report it";

/// How wide the lines of a prompt's answers are.
const WIDTH: usize = 80;

/// A session, and what was told of its universes.
pub(crate) struct Model {
    session: Box<ModelSession>,
    told: Told,
    /// Whether the start was told to run by a line.
    has_run: bool,
}

/// How much of a session's universes was told.
#[derive(Default)]
struct Told {
    /// Of which beginning; none if nothing was told.
    beginning: Option<u32>,
    universes: u32,
    edges: u32,
    /// Those that had no status that stays.
    open: Vec<u32>,
}

impl Model {
    pub(crate) fn new(session: Box<ModelSession>) -> Self {
        Self {
            session,
            told: Told::default(),
            has_run: false,
        }
    }

    /// Tells everybody what is different now.
    fn refresh(&mut self, room: &mut Room) {
        let debugger = self.session.debugger();
        room.show(vec![Part::Text(TextListing {
            text: debugger.text().to_owned(),
            breakpoints: debugger.breakpoints(),
        })]);
        let news = self.told.news(debugger);
        if news.fresh || !news.universes.is_empty() || !news.edges.is_empty() {
            let number = room.audience.next_number();
            let frame = frames::universes(number, &news);
            room.audience.patch(Message::Binary(frame.into()));
        }
    }
}

impl Told {
    /// What is new or has changed, which then is told.
    fn news(&mut self, debugger: &dyn Debugger) -> News {
        let beginning = Some(debugger.beginnings());
        let fresh = self.beginning != beginning;
        if fresh {
            *self = Self {
                beginning,
                ..Self::default()
            };
        }
        let open = std::mem::take(&mut self.open);
        let mut universes = Vec::new();
        for id in open.into_iter().chain(self.universes..debugger.len()) {
            let status = debugger.status(id).unwrap_or(UNEXPLORED);
            if status == UNEXPLORED {
                self.open.push(id);
            }
            if status != UNEXPLORED || id >= self.universes {
                universes.push((id, status));
            }
        }
        let edges = (self.edges..debugger.links()).filter_map(|id| debugger.ends_of(id));
        let edges = edges.collect();
        self.universes = debugger.len();
        self.edges = debugger.links();
        News {
            fresh,
            universes,
            edges,
        }
    }
}

impl Subject for Model {
    fn enter(&mut self, room: &mut Room) {
        let session = &self.session;
        let listing = ModelListing {
            name: session.name().to_owned(),
            language: session.dialect().name().to_owned(),
            caredeb: session.caredeb().is_some(),
            actors: session.has_actors(),
        };
        room.show(vec![Part::Info(None), Part::Model(Some(listing))]);
        self.refresh(room);
    }

    fn welcome(&mut self, room: &mut Room, client: ClientId) {
        let news = Told::default().news(self.session.debugger());
        let frame = frames::universes(room.audience.number, &news);
        room.audience.send(client, Message::Binary(frame.into()));
    }

    fn answer(&mut self, room: &mut Room, turn: Turn, ask: Ask) -> Result<Answer, String> {
        let Ask::Command { id, command } = ask else {
            return Err("only device programs are asked that".to_owned());
        };
        let command: ModelCommand = read(command)?;
        let moves = !command.looks();
        let (session, has_run) = (&mut *self.session, &mut self.has_run);
        let answer = room.watched(turn, |observer| {
            if let ModelCommand::Line { line, here } = command {
                let work = AssertUnwindSafe(|| say(session, (&line, here), has_run, observer));
                return catch_unwind(work).unwrap_or_else(|_| Err(FAILED.to_owned()));
            }
            let mut watch =
                |come: &Progress| observer(Event::exploring("exploring", come)) == Flow::Continue;
            // After an order that panicked, what is there can still be looked at.
            let work = AssertUnwindSafe(|| answer(session, id, command, &mut watch));
            catch_unwind(work).unwrap_or_else(|_| Err(FAILED.to_owned()))
        });
        // Also what was paused, or failed half-way, may have been somewhere.
        if moves {
            self.refresh(room);
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
        ModelCommand::AtLine { line } => {
            let universes = words(session.debugger().at_line(line, watch))?;
            Ok(ModelReply::Universes { universes })
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
        ModelCommand::Survey { within } => surveyed(session, within, watch),
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
        ModelCommand::Edges { states } => edges(session, states, watch),
        ModelCommand::Caredeb { line } => caredeb(session, &line, watch),
        ModelCommand::Complete { line, at, here } => Ok(complete(session, (&line, at), here)),
        // Carried out by who knows whether the start has run.
        ModelCommand::Line { .. } => Err("a line is said to the prompt".to_owned()),
    };
    reply.map(|reply| Answer::Reply(Replied::Model(Box::new(reply))))
}

/// The edges that leave some states.
fn edges(
    session: &mut ModelSession,
    states: Vec<u32>,
    watch: Watch<'_>,
) -> Result<ModelReply, String> {
    if states.len() > MOST_STATES {
        let count = states.len();
        return Err(format!(
            "{count} states: edges of at most {MOST_STATES} at once"
        ));
    }
    let graph = session.graph(watch);
    let edges = states.into_iter().flat_map(|state| graph.leaving(state));
    let edges = edges.filter_map(|edge| graph.edge_row(edge)).collect();
    Ok(ModelReply::Edges { edges })
}

/// The outcomes through an abstraction.
fn abstracted(
    session: &ModelSession,
    abstraction: &Abstraction,
    watch: Watch<'_>,
) -> Result<ModelReply, String> {
    let report = words(session.abstracted(abstraction, watch))?;
    Ok(ModelReply::Outcomes {
        ends: rows(report.ends),
        abstraction: report.abstraction.unwrap_or_default(),
        partial: report.why,
        states: report.states,
    })
}

fn rows(ends: Vec<End>) -> Vec<OutcomeRow> {
    let row = |end: End| OutcomeRow {
        how: end.how,
        text: end.text,
        steps: end.trace,
    };
    ends.into_iter().map(row).collect()
}

/// All states, counted: on no more cores than there are, whoever asks.
fn surveyed(
    session: &mut ModelSession,
    within: SurveyWithin,
    watch: Watch<'_>,
) -> Result<ModelReply, String> {
    let within = within.on_cores_here();
    let surveyed = words(session.survey(&within, None, watch))?;
    let report = surveyed.report;
    Ok(ModelReply::Surveyed {
        ends: rows(report.ends),
        states: report.states,
        edges: report.edges,
        partial: report.why,
        is_held: surveyed.is_held,
        goals: report.goals,
        survey: report.survey.ok_or("the survey said nothing")?,
        seconds: surveyed.seconds,
        memory_bytes: surveyed.memory_bytes,
    })
}

/// Carries out a line of CaReDeb's prompt.
fn caredeb(session: &mut ModelSession, line: &str, watch: Watch<'_>) -> Result<ModelReply, String> {
    let none = || "this program has no threads that can be undone".to_owned();
    let mut prompt = CareDebPrompt::new(&mut *session).ok_or_else(none)?;
    let answer = prompt.execute(line, &Paint::new(false, WIDTH), &mut |event| {
        let (states, survey) = match event {
            Event::Progress { done, .. } => (done, None),
            Event::Surveying { states, survey } => (states, Some(survey)),
            _ => return Flow::Continue,
        };
        let come = Progress {
            states,
            survey,
            ..Progress::default()
        };
        match watch(&come) {
            true => Flow::Continue,
            false => Flow::Pause,
        }
    });
    let ok = answer.verdict != Verdict::Failed;
    let debugger = session.caredeb().ok_or_else(none)?;
    Ok(ModelReply::Caredeb(CareDeb::of(debugger, ok, answer.text)))
}

/// What a line of that prompt can become.
fn complete(session: &mut ModelSession, (line, at): (&str, usize), here: u32) -> ModelReply {
    let completion = VoyagerPrompt::at(session, here, true).complete(line, at);
    ModelReply::Completed {
        start: completion.start,
        candidates: completion.candidates,
    }
}

/// Carries out a line of the prompt that all languages have, of who looks at a universe.
fn say(
    session: &mut ModelSession,
    (line, here): (&str, u32),
    has_run: &mut bool,
    observer: Observer<'_>,
) -> Result<Answer, String> {
    let mut prompt = VoyagerPrompt::at(session, here, *has_run);
    let said = prompt.execute(line, &Paint::new(false, WIDTH), observer);
    *has_run = prompt.has_run();
    let reply = ModelReply::Said {
        ok: said.verdict != Verdict::Failed,
        text: said.text,
        here: prompt.here(),
        answer: said.reply.unwrap_or_default(),
    };
    Ok(Answer::Reply(Replied::Model(Box::new(reply))))
}

fn words<T>(result: Result<T, impl std::fmt::Display>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn one_state(
    session: &mut ModelSession,
    state: u32,
    watch: Watch<'_>,
) -> Result<ModelReply, AskError> {
    let ways = session.ask(&Question::Shortest(state), &mut *watch)?;
    let graph = session.graph(watch);
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

#[cfg(test)]
mod tests {
    use borges_languages::model::debug::Order;
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

    /// A line is carried out where who says it looks, and says where that is then; what is typed is completed.
    #[test]
    fn a_line_is_said_in_the_universe_that_is_looked_at() {
        let model = Model::parse(&AMB, "(+ (amb 1 2) 3)").expect("it is a program");
        let mut session = ModelSession::new("test".to_owned(), model, Explore::default(), None);
        let mut has_run = false;
        let mut said = |line: &str, here: u32| {
            let answer = say(&mut session, (line, here), &mut has_run, &mut |_| {
                Flow::Continue
            });
            let Ok(Answer::Reply(Replied::Model(reply))) = answer else {
                panic!("it is no reply");
            };
            match *reply {
                ModelReply::Said { ok, here, .. } => (ok, here),
                other => panic!("{other:?}"),
            }
        };
        let (ok, end) = said("continue", 0);
        assert!(ok && end > 0);
        let (ok, before) = said("reverse-step", end);
        assert!(ok && before != end);
        assert_eq!(said("print 99999", before), (false, before));
        assert_eq!(said("nonsense", before), (false, before));
        assert_eq!(said("jump start", before), (true, 0));
        let complete = ModelCommand::Complete {
            line: "univ".to_owned(),
            at: 4,
            here: 0,
        };
        let completed = answer(&mut session, 0, complete, &mut |_| true);
        let Ok(Answer::Reply(Replied::Model(reply))) = completed else {
            panic!("it is no reply");
        };
        assert!(
            matches!(*reply, ModelReply::Completed { start: 0, candidates } if candidates == ["universes"])
        );
    }

    /// What somebody knows who was told all news, and what somebody is told who comes now.
    #[test]
    fn news_add_up_to_all_that_there_is() {
        let text = "(+ (amb 1 2) (amb 10 (amb 20 30)))";
        let model = Model::parse(&AMB, text).expect("it is a program");
        let mut session = ModelSession::new("test".to_owned(), model, Explore::default(), None);
        let orders = [
            Order::Run,
            Order::Restart,
            Order::Resume { universe: 0 },
            Order::Run,
            Order::Break {
                spec: "when 1 == 1".to_owned(),
            },
            Order::Restart,
            Order::Run,
        ];
        let (mut told, mut statuses, mut links) = (Told::default(), Vec::new(), Vec::new());
        for order in orders {
            session
                .carry_out(order.clone(), &mut |_: &Progress| true)
                .expect("it is carried out");
            let debugger = session.debugger();
            let news = told.news(debugger);
            if news.fresh {
                (statuses, links) = (Vec::new(), Vec::new());
            }
            for (id, status) in news.universes {
                statuses.resize(statuses.len().max(id as usize + 1), "");
                statuses[id as usize] = status;
            }
            links.extend(news.edges);
            let all = Told::default().news(debugger);
            let known: Vec<_> = all.universes.iter().map(|(_, status)| *status).collect();
            assert_eq!((&statuses, &links), (&known, &all.edges), "after {order:?}");
            let rows = (0..debugger.len()).filter_map(|id| debugger.node(id));
            assert!(rows.map(|row| row.status).eq(statuses.iter().copied()));
        }
    }
}
