//! Looking around: nothing here changes the session.

use borges_multiverse::language::Span;

use super::{
    Binding, MessageLine, Place, RaceLine, Reply, Result, Session, SessionError, Status,
    ThreadLine, WaitLine,
};
use crate::muoz::semantics::Ready;
use crate::muoz::show::show_queue;
use crate::muoz::state::{Slot, Variable};
use crate::muoz::{Act, EventId, Machine, Rival, Rule, Stuck, ThreadName, Value, VariableName};
use crate::source;

impl Session {
    /// The variable of a name that is in the store now.
    pub(super) fn variable(&self, id: &str) -> Result<VariableName> {
        let name = self.variable_in(self.machine(), id);
        name.ok_or_else(|| SessionError::NoVariable(id.to_owned()))
    }

    pub(super) fn port(&self, id: &str) -> Result<VariableName> {
        self.port_in(self.machine(), id, self.variable(id)?)
    }

    /// The variable of a name, if a machine has it.
    pub(super) fn variable_in(&self, machine: &Machine, id: &str) -> Option<VariableName> {
        let name = self.names.find(id);
        name.filter(|name| machine.state().variable(name).is_some())
    }

    /// The port that is a variable's value.
    pub(super) fn port_in(
        &self,
        machine: &Machine,
        id: &str,
        name: VariableName,
    ) -> Result<VariableName> {
        match machine.state().variable(&name).map(|known| &known.value) {
            Some(Value::Port(port)) => Ok(port.clone()),
            _ => Err(SessionError::NoPort(id.to_owned())),
        }
    }

    /// The thread of a name that exists now.
    fn thread(&self, id: &str) -> Option<ThreadName> {
        let thread: ThreadName = id.parse().ok()?;
        self.machine().state().is_done(&thread).map(|_| thread)
    }

    /// The threads, in the order of their names, with what each does next.
    #[must_use]
    pub fn threads(&self) -> Vec<ThreadLine> {
        self.machine()
            .state()
            .threads()
            .map(|thread| self.thread_line(thread))
            .collect()
    }

    fn thread_line(&self, thread: &ThreadName) -> ThreadLine {
        let (program, state) = (self.machine().program(), self.machine().state());
        let inside = state.thread(thread);
        let head = inside.map_or_else(String::new, |inside| {
            program.head(&inside.code, &self.names)
        });
        let (status, text) = match inside.map(|inside| program.ready(state, inside)) {
            None | Some(Ready::Done) => (Status::Done, String::new()),
            Some(Ready::Step(_)) => (Status::Ready, head),
            Some(Ready::Waits(_)) => (Status::Waiting, head),
            Some(Ready::Stuck(Stuck::Assertion)) => (Status::Failed, head),
            Some(Ready::Stuck(stuck)) => (
                Status::Stuck,
                format!("{head}: {}", stuck.show(&self.names)),
            ),
        };
        let span = program.next_span(state, thread);
        let line = span.map_or(0, |span| source::position(&self.source, span.start).line);
        ThreadLine {
            thread: thread.to_string(),
            status,
            text,
            line,
        }
    }

    /// The variables with their values.
    pub fn store(&self) -> impl Iterator<Item = Binding> {
        let variables = self.machine().state().variables();
        variables.map(|(name, variable)| self.binding(&name, variable))
    }

    /// How many variables there are.
    #[must_use]
    pub fn variable_count(&self) -> usize {
        self.machine().state().variable_count()
    }

    fn binding(&self, name: &VariableName, variable: &Variable) -> Binding {
        let (program, state) = (self.machine().program(), self.machine().state());
        let value = program.value(name, variable, &self.names);
        let queue = || format!("port {}", show_queue(state, name, &self.names));
        Binding {
            name: self.names.show(name).into_owned(),
            value: value.unwrap_or_else(queue),
        }
    }

    pub(super) fn print(&self, id: &str) -> Result<Reply> {
        let (program, state) = (self.machine().program(), self.machine().state());
        if let Some(thread) = self.thread(id) {
            let text = program
                .code(state, &thread, &self.names)
                .unwrap_or_default();
            return Ok(Reply::Code {
                thread: self.thread_line(&thread),
                text,
            });
        }
        let name = self.variable(id)?;
        let no_variable = || SessionError::NoVariable(id.to_owned());
        let variable = state.variable(&name).ok_or_else(no_variable)?;
        Ok(match &variable.value {
            Value::Port(port) => {
                let received = self.machine().receives(port).len();
                let messages = self.messages(port).split_off(received);
                let name = self.names.show(port).into_owned();
                Reply::Port {
                    name,
                    messages,
                    past: false,
                }
            }
            Value::Procedure(procedure) => {
                let original = state.variable(procedure);
                let closure = original.and_then(|original| original.closure.as_ref());
                let text = closure.map(|closure| program.declaration(closure, &self.names));
                let text = text.unwrap_or_default();
                Reply::Procedure {
                    name: self.names.show(procedure).into_owned(),
                    text,
                }
            }
            Value::Boolean(_) | Value::Integer(_) => Reply::Variables {
                variables: vec![self.binding(&name, variable)],
            },
        })
    }

    pub(super) fn history(&self, id: &str) -> Result<Reply> {
        if let Some(thread) = self.thread(id) {
            let events = self
                .machine()
                .events()
                .filter(|(_, event)| event.thread == thread);
            let steps = events
                .map(|(_, event)| self.told(event, Rule::forward))
                .collect();
            return Ok(Reply::History {
                thread: thread.to_string(),
                steps,
            });
        }
        self.variable(id)?;
        let port = self
            .port(id)
            .map_err(|_| SessionError::NoHistory(id.to_owned()))?;
        let mut messages = self.messages(&port);
        messages.retain(|message| message.received.is_some());
        let name = self.names.show(&port).into_owned();
        Ok(Reply::Port {
            name,
            messages,
            past: true,
        })
    }

    /// The messages of a port, the oldest first.
    fn messages(&self, port: &VariableName) -> Vec<MessageLine> {
        let machine = self.machine();
        let mut receives = machine.receives(port).into_iter();
        let received = |id| {
            let event = machine.event(id)?;
            let variable = self.names.show(event.act.binds()?).into_owned();
            Some((event.thread.to_string(), variable))
        };
        let line = |(number, send)| {
            let received = receives.next().and_then(received);
            let event = machine.event(send)?;
            let Act::Send { message, .. } = &event.act else {
                return None;
            };
            let variable = machine.state().variable(message);
            Some(MessageLine {
                number,
                name: self.names.show(message).into_owned(),
                value: variable.map_or_else(String::new, |v| v.value.show(&self.names)),
                sender: event.thread.to_string(),
                received,
            })
        };
        (1..).zip(machine.sends(port)).filter_map(line).collect()
    }

    pub(super) fn races(&self, id: &str) -> Result<Reply> {
        let (port, machine) = (self.port(id)?, self.machine());
        let (messages, sends) = (self.messages(&port), machine.sends(&port));
        let message = |send: &EventId| messages.get(sends.binary_search(send).ok()?).cloned();
        let line = |(receive, others): (EventId, Vec<EventId>)| {
            let Act::Receive {
                port: from, number, ..
            } = &machine.event(receive)?.act
            else {
                return None;
            };
            let rivals = || {
                let rivals = machine.rivals(receive).into_iter();
                rivals.filter_map(|rival| match rival {
                    Rival::Waiting(thread) => Some((thread.to_string(), None)),
                    Rival::Event(id) => {
                        let event = machine.event(id)?;
                        let variable = event.act.binds();
                        let variable = variable.map(|name| self.names.show(name).into_owned());
                        Some((event.thread.to_string(), variable))
                    }
                })
            };
            (*from == port).then(|| RaceLine {
                message: messages[*number as usize].clone(),
                others: others.iter().filter_map(message).collect(),
                rivals: rivals().collect(),
            })
        };
        let receives = machine.race_sets().into_iter();
        Ok(Reply::Races {
            receives: receives.filter_map(line).collect(),
            port: self.names.show(&port).into_owned(),
        })
    }

    pub(super) fn waits(&self) -> Vec<WaitLine> {
        let waits = self
            .machine()
            .program()
            .waits(self.machine().state())
            .into_iter();
        let line = |wait: crate::muoz::Wait| WaitLine {
            thread: wait.thread.to_string(),
            port: self.names.show(&wait.port).into_owned(),
            senders: wait.senders.iter().map(ToString::to_string).collect(),
            forever: wait.forever,
        };
        waits.map(line).collect()
    }

    pub(super) fn place(&self, thread: &ThreadName) -> Result<Reply> {
        let (program, state) = (self.machine().program(), self.machine().state());
        let inside = state
            .thread(thread)
            .ok_or(SessionError::NoThread(thread.clone()))?;
        let spans = inside
            .code
            .iter()
            .filter_map(|frame| program.program().span(frame.at));
        let place = |span: Span| Place {
            span,
            excerpt: source::underline(&self.source, span),
        };
        Ok(Reply::Where {
            thread: self.thread_line(thread),
            places: spans.map(place).collect(),
        })
    }

    pub(super) fn bindings(&self, thread: &ThreadName) -> Result<Reply> {
        let state = self.machine().state();
        let inside = state
            .thread(thread)
            .ok_or(SessionError::NoThread(thread.clone()))?;
        let mut variables = Vec::new();
        if let Some(frame) = inside.code.top() {
            for Slot { name, .. } in frame.environment.iter() {
                let variable = state.variable(name);
                variables.extend(variable.map(|variable| self.binding(name, variable)));
            }
        }
        variables.reverse();
        Ok(Reply::Variables { variables })
    }
}
