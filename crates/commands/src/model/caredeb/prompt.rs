//! CaReDeb at the prompt: commands are carried out by `borges_languages`, questions by `borges_session`.

use std::borrow::BorrowMut;

use borges_languages::muoz::caredeb::{
    Command, Halt, Reply, Session, SessionError, Status, ThreadLine,
};
use borges_languages::muoz::{ThreadName, VariableName};
use borges_multiverse::debug::BreakpointId;
use borges_multiverse::language::Span;
use borges_multiverse::walk::Walk;
use borges_session::command::Observer;
use borges_session::command::listing::{AgentState, AgentView};
use borges_session::model::ModelSession;
use serde_json::Value;

use crate::interpreter::{Answer, Interpreter, Said, goes_on, to_value};
use crate::model::common::{Breakpoint, Roams, numbered};
use crate::model::questions::{Asked, Asking, shown, watched};
use crate::paint::Paint;
use crate::table::{self, Completes, Table};

use super::table::{COMMANDS, Request};

/// A session of CaReDeb at the prompt; `S` is a session of its program, or lends one.
pub struct CareDebPrompt<S>(S);

impl<S: BorrowMut<ModelSession>> CareDebPrompt<S> {
    /// The prompt; none if the program is not of a language that CaReDeb debugs.
    pub fn new(session: S) -> Option<Self> {
        let fits = session.borrow().caredeb().is_some();
        fits.then_some(Self(session))
    }

    fn debugger(&self) -> &Session {
        let debugger = self.0.borrow().caredeb();
        debugger.expect("looked at when the prompt was made")
    }

    fn debugger_mut(&mut self) -> &mut Session {
        let debugger = self.0.borrow_mut().caredeb_mut();
        debugger.expect("looked at when the prompt was made")
    }

    fn causal(&mut self, command: Command, line: &str, observer: Observer<'_>) -> Said {
        let steps = u64::from(self.debugger().machine().steps());
        let going = || goes_on(&mut *observer, "running from step", steps);
        said(self.debugger_mut().execute(command, line, going))
    }

    fn carry_out(
        &mut self,
        request: Request,
        line: &str,
        paint: &Paint,
        observer: Observer<'_>,
    ) -> Said {
        match request {
            Request::Causal(command) => self.causal(command, line, observer),
            Request::Asking(Asking::Races(Some(port))) if numbered(&port).is_err() => {
                self.causal(Command::Races(port), line, observer)
            }
            Request::Asking(asking) => self.answer(&asking, paint, observer),
            Request::Common(common) => self.roam(common, paint, observer),
            Request::Stops(stops) => self.stops(stops, observer),
            // Answered before it comes here.
            Request::Everywhere(_) => Ok((String::new(), Value::Null)),
        }
    }
}

/// A reply as text and as data.
fn said(reply: Result<Reply, SessionError>) -> Said {
    let reply = reply.map_err(shown)?;
    Ok((reply.to_string(), to_value(&reply)))
}

impl<S: BorrowMut<ModelSession>> Roams for CareDebPrompt<S> {
    fn source(&self) -> (&str, Option<Span>) {
        (self.debugger().source(), None)
    }

    fn agents(&mut self, _: Observer<'_>) -> Result<Vec<AgentView>, String> {
        let view = |thread: ThreadLine| AgentView {
            name: thread.thread,
            state: match thread.status {
                Status::Ready => AgentState::Runs,
                Status::Waiting => AgentState::Waits,
                Status::Done => AgentState::Ended,
                Status::Stuck | Status::Failed => AgentState::Trapped,
            },
            about: thread.text,
            function: None,
            line: (thread.line > 0).then_some(thread.line),
        };
        Ok(self.debugger().threads().into_iter().map(view).collect())
    }

    fn jump(&mut self, universe: &str, _: &Paint, observer: Observer<'_>) -> Said {
        let command = Command::Jump(numbered(universe)?);
        self.causal(command, &format!("jump {universe}"), observer)
    }

    fn jump_to_state(&mut self, state: u32, _: &Paint, observer: Observer<'_>) -> Said {
        let session = self.0.borrow_mut();
        let options = session.options_to(state, watched(&mut *observer));
        let program = self.debugger().machine().program().clone();
        let mut walk = Walk::new(&*program);
        walk.take_options(&options.map_err(shown)?).map_err(shown)?;
        let way = Command::Follow(walk.choices());
        self.causal(way, &format!("jump state {state}"), observer)
    }

    fn path(&mut self, count: u32, to: Option<&str>, _: &Paint) -> Said {
        let debugger = self.debugger();
        let to = to.map_or(Ok(debugger.universe().0), numbered)?;
        said(debugger.path(to, count))
    }

    fn breakpoints(&self) -> Vec<Breakpoint> {
        let known = self.debugger().breakpoints();
        let row = |(id, halt, on): (BreakpointId, &Halt, bool)| Breakpoint {
            id: id.0,
            text: halt.to_string(),
            on,
            hits: None,
        };
        known.map(row).collect()
    }

    fn set(&mut self, text: &str, _: Observer<'_>) -> Result<u32, String> {
        let id = self.debugger_mut().set(text).map_err(shown)?;
        Ok(id.0)
    }

    fn unset(&mut self, id: u32, _: Observer<'_>) -> Result<(), String> {
        self.debugger_mut().unset(BreakpointId(id));
        Ok(())
    }

    fn switch(&mut self, id: u32, on: bool, _: Observer<'_>) -> Result<(), String> {
        self.debugger_mut().switch(BreakpointId(id), on);
        Ok(())
    }
}

impl<S: BorrowMut<ModelSession>> Asked for CareDebPrompt<S> {
    fn session(&mut self) -> &mut ModelSession {
        self.0.borrow_mut()
    }

    fn way(&mut self, to: Option<&str>, _: Observer<'_>) -> Result<Vec<u32>, String> {
        let debugger = self.debugger();
        let to = to.map_or(Ok(debugger.universe().0), numbered)?;
        let machine = debugger.machine_at(to).map_err(shown)?;
        let events = machine.events().map(|(_, event)| event.thread.clone());
        let mut walk = Walk::new(&**machine.program());
        walk.take(&events.collect::<Vec<_>>()).map_err(shown)?;
        Ok(walk.options_taken())
    }
}

impl<S: BorrowMut<ModelSession>> Interpreter for CareDebPrompt<S> {
    type Request = Request;
    const COMMANDS: Table<Request> = COMMANDS;

    fn greeting(&mut self, paint: &Paint) -> String {
        format!(
            "{}\n'help' lists the commands; c runs, f t0 takes a step of t0, t lists the threads, q quits\n",
            paint.heading(self.0.borrow().name())
        )
    }

    fn prompt(&self) -> String {
        format!("{}> ", self.debugger().universe().0)
    }

    fn execute(&mut self, line: &str, paint: &Paint, observer: Observer<'_>) -> Answer {
        match table::read(COMMANDS, line) {
            Ok((_, Request::Everywhere(everywhere))) => everywhere.answer(line, COMMANDS, paint),
            Ok((_, request)) => Answer::of(self.carry_out(request, line, paint, observer), paint),
            Err(misread) => Answer::misread(line, misread, paint),
        }
    }

    fn candidates(&mut self, kind: Completes) -> Vec<String> {
        let debugger = self.debugger();
        let (state, names) = (debugger.machine().state(), debugger.names());
        let shown = |variable: &VariableName| names.show(variable).into_owned();
        match kind {
            Completes::Agent => state.threads().map(ThreadName::to_string).collect(),
            Completes::Port => state.ports().map(shown).collect(),
            Completes::Variable => state.store().map(|variable| shown(&variable)).collect(),
            Completes::Universe => {
                let universes = 0..debugger.universes().graph().len().min(1000);
                universes.map(|universe| universe.to_string()).collect()
            }
            Completes::Breakpoint => self.numbers(),
            _ => Vec::new(),
        }
    }
}
