//! Looking around: nothing here changes the session.

use borges_multiverse::language::Span;

use super::{
    Binding, MessageLine, Place, RaceLine, Reply, Result, Session, SessionError, Status,
    ThreadLine, WaitLine,
};
use crate::muoz::semantics::Ready;
use crate::muoz::state::{Slot, Variable};
use crate::muoz::{Act, EventId, Rival, Stuck, ThreadName, Value, VariableName};
use crate::source;

impl Session {
    /// The variable of a name that is in the store now.
    pub(super) fn variable(&self, id: &str) -> Result<VariableName> {
        let name = self.names.find(id).cloned();
        let name = name.filter(|name| self.machine.state().variable(name).is_some());
        name.ok_or_else(|| SessionError::NoVariable(id.to_owned()))
    }

    pub(super) fn port(&self, id: &str) -> Result<VariableName> {
        let name = self.variable(id)?;
        match self
            .machine
            .state()
            .variable(&name)
            .map(|variable| &variable.value)
        {
            Some(Value::Port(port)) => Ok(port.clone()),
            _ => Err(SessionError::NoPort(id.to_owned())),
        }
    }

    /// The thread of a name that exists now.
    fn thread(&self, id: &str) -> Option<ThreadName> {
        let thread: ThreadName = id.parse().ok()?;
        self.machine.state().is_done(&thread).map(|_| thread)
    }

    /// The threads, in the order of their names, with what each does next.
    #[must_use]
    pub fn threads(&self) -> Vec<ThreadLine> {
        self.machine
            .state()
            .threads()
            .map(|thread| self.thread_line(thread))
            .collect()
    }

    fn thread_line(&self, thread: &ThreadName) -> ThreadLine {
        let (program, state) = (self.machine.program(), self.machine.state());
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
    #[must_use]
    pub fn store(&self) -> Vec<Binding> {
        let variables = self.machine.state().variables();
        variables
            .map(|(name, variable)| self.binding(&name, variable))
            .collect()
    }

    fn binding(&self, name: &VariableName, variable: &Variable) -> Binding {
        let value = match (&variable.value, &variable.closure) {
            (Value::Port(port), _) if port == name => {
                let port = self.machine.state().port(port);
                let queue = port.map(|port| port.queue()).unwrap_or_default();
                let queue: Vec<_> = queue
                    .iter()
                    .map(|slot| self.names.show(&slot.name))
                    .collect();
                format!("port [{}]", queue.join(", "))
            }
            (_, Some(closure)) => self.machine.program().signature(closure),
            (value, None) => value.show(&self.names),
        };
        Binding {
            name: self.names.show(name).to_owned(),
            value,
        }
    }

    pub(super) fn print(&self, id: &str) -> Result<Reply> {
        let (program, state) = (self.machine.program(), self.machine.state());
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
                let received = self.machine.receives(port).len();
                let waiting = self.machine.sends(port).get(received..).unwrap_or_default();
                let messages = waiting
                    .iter()
                    .filter_map(|send| self.message(*send))
                    .collect();
                let name = self.names.show(port).to_owned();
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
                    name: self.names.show(procedure).to_owned(),
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
            let events = self.machine.history(&thread).iter();
            let steps = events.filter_map(|id| self.told_forward(*id)).collect();
            return Ok(Reply::History {
                thread: thread.to_string(),
                steps,
            });
        }
        self.variable(id)?;
        let port = self
            .port(id)
            .map_err(|_| SessionError::NoHistory(id.to_owned()))?;
        let received = self.machine.receives(&port).len();
        let sends = self.machine.sends(&port).iter().take(received);
        let messages = sends.filter_map(|send| self.message(*send)).collect();
        let name = self.names.show(&port).to_owned();
        Ok(Reply::Port {
            name,
            messages,
            past: true,
        })
    }

    /// A message by its send.
    fn message(&self, send: EventId) -> Option<MessageLine> {
        let event = self.machine.event(send)?;
        let Act::Send {
            port,
            message,
            number,
        } = &event.act
        else {
            return None;
        };
        let receive = self.machine.receives(port).get(*number as usize);
        let receive = receive.and_then(|id| self.machine.event(*id));
        let received = receive.and_then(|receive| {
            let variable = receive.act.binds()?;
            Some((
                receive.thread.to_string(),
                self.names.show(variable).to_owned(),
            ))
        });
        let variable = self.machine.state().variable(message);
        Some(MessageLine {
            number: number + 1,
            name: self.names.show(message).to_owned(),
            value: variable.map_or_else(String::new, |v| v.value.show(&self.names)),
            sender: event.thread.to_string(),
            received,
        })
    }

    pub(super) fn races(&self, id: &str) -> Result<Reply> {
        let port = self.port(id)?;
        let sends = self.machine.sends(&port);
        let receives =
            self.machine
                .receives(&port)
                .iter()
                .zip(sends)
                .filter_map(|(receive, send)| {
                    let race = self.machine.race_set(*receive);
                    let rivals = self
                        .machine
                        .rivals(*receive)
                        .into_iter()
                        .filter_map(|rival| match rival {
                            Rival::Waiting(thread) => Some((thread.to_string(), None)),
                            Rival::Event(id) => {
                                let event = self.machine.event(id)?;
                                let variable = event
                                    .act
                                    .binds()
                                    .map(|name| self.names.show(name).to_owned());
                                Some((event.thread.to_string(), variable))
                            }
                        });
                    Some(RaceLine {
                        message: self.message(*send)?,
                        others: race
                            .into_iter()
                            .filter_map(|send| self.message(send))
                            .collect(),
                        rivals: rivals.collect(),
                    })
                });
        let port = self.names.show(&port).to_owned();
        Ok(Reply::Races {
            port,
            receives: receives.collect(),
        })
    }

    pub(super) fn waits(&self) -> Vec<WaitLine> {
        let waits = self
            .machine
            .program()
            .waits(self.machine.state())
            .into_iter();
        let line = |wait: crate::muoz::Wait| WaitLine {
            thread: wait.thread.to_string(),
            port: self.names.show(&wait.port).to_owned(),
            senders: wait.senders.iter().map(ToString::to_string).collect(),
            forever: wait.forever,
        };
        waits.map(line).collect()
    }

    pub(super) fn place(&self, thread: &ThreadName) -> Result<Reply> {
        let (program, state) = (self.machine.program(), self.machine.state());
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
        let state = self.machine.state();
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
