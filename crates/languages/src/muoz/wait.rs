//! Who waits for whom, and for whom it is hopeless.

use std::collections::BTreeSet;

use super::name::{ThreadName, VariableName};
use super::program::{Block, Bound, Expr, Guard, Program, Statement, Term, Use};
use super::semantics::{MuOz, Ready};
use super::state::{Code, Environment, State, Value};

/// A thread that waits for a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Who waits.
    pub thread: ThreadName,
    /// On which port.
    pub port: VariableName,
    /// Who could send to that port: threads that are not done and have it within their reach.
    pub senders: Vec<ThreadName>,
    /// Whether no message will ever come: all who could send one wait in vain themselves.
    pub forever: bool,
}

impl MuOz {
    /// The threads that wait, in the order of their names.
    #[must_use]
    pub fn waits(&self, state: &State) -> Vec<Wait> {
        let mut waits = Vec::new();
        let mut able = Vec::new();
        for thread in &state.threads {
            let name = &thread.name;
            match self.ready(state, thread) {
                // Threads without a rule will never send.
                Ready::Done | Ready::Stuck(_) => {}
                Ready::Step(_) => able.push((name, self.reach(state, &thread.code))),
                Ready::Waits(port) => {
                    able.push((name, self.reach(state, &thread.code)));
                    let (thread, senders) = (name.clone(), Vec::new());
                    waits.push(Wait {
                        thread,
                        port,
                        senders,
                        forever: true,
                    });
                }
            }
        }
        for wait in &mut waits {
            let others = able.iter().filter(|(name, _)| **name != wait.thread);
            let could = others.filter(|(_, ports)| ports.contains(&wait.port));
            wait.senders = could.map(|(name, _)| (*name).clone()).collect();
        }
        // Who can be helped by somebody outside is not lost, nor is who can be helped by them.
        while let Some(helped) = waits.iter().position(|wait| {
            let lost = |sender: &ThreadName| {
                waits
                    .iter()
                    .any(|other| other.thread == *sender && other.forever)
            };
            wait.forever && wait.senders.iter().any(|sender| !lost(sender))
        }) {
            waits[helped].forever = false;
        }
        waits
    }

    /// The ports to which code could send, as far as can be told without running it.
    fn reach(&self, state: &State, code: &Code) -> BTreeSet<VariableName> {
        let mut reach = Reach {
            state,
            ports: BTreeSet::new(),
            read: BTreeSet::new(),
            open: Vec::new(),
        };
        let mut procedures = BTreeSet::new();
        for frame in code.iter() {
            reach.block(self.program(), Block(frame.at), &frame.environment);
        }
        while let Some(value) = reach.open.pop() {
            match value {
                Value::Port(port) => {
                    reach.read(&port);
                    reach.ports.insert(port);
                }
                Value::Procedure(name) if procedures.insert(name.clone()) => {
                    let variable = state.variable(&name);
                    if let Some(closure) = variable.and_then(|variable| variable.closure.as_ref()) {
                        reach.block(self.program(), closure.body, &closure.environment);
                    }
                }
                _ => {}
            }
        }
        reach.ports
    }
}

struct Reach<'s> {
    state: &'s State,
    ports: BTreeSet<VariableName>,
    /// Ports whose messages have been looked at.
    read: BTreeSet<VariableName>,
    open: Vec<Value>,
}

impl Reach<'_> {
    /// The messages that wait in a port.
    fn read(&mut self, port: &VariableName) {
        if self.read.insert(port.clone())
            && let Some(port) = self.state.port(port)
        {
            self.open
                .extend(port.queue().iter().map(|slot| slot.value.clone()));
        }
    }

    fn uses(&mut self, usage: Use, environment: &Environment) {
        // What the code will bind itself is no variable yet.
        self.open
            .extend(environment.get(usage.level).map(|slot| slot.value.clone()));
    }

    fn expr(&mut self, expr: &Expr, environment: &Environment) {
        // Only an identifier alone can be a port or a procedure.
        if let [Term::Name(name)] = expr[..] {
            self.uses(name, environment);
        }
    }

    /// What the statements from `block` on use, inner blocks included.
    fn block(&mut self, program: &Program, block: Block, environment: &Environment) {
        let mut open = vec![block];
        while let Some(block) = open.pop() {
            for line in program.block(block) {
                match &line.statement {
                    Statement::Skip | Statement::Break | Statement::Assert(Guard::Name(_)) => {}
                    Statement::Assert(Guard::Compare { .. }) => {}
                    Statement::If { yes, no, .. } => open.extend([*yes, *no]),
                    Statement::Thread(body) => open.push(*body),
                    Statement::Let { bound, body, .. } => {
                        match bound {
                            Bound::Procedure { body, .. } => open.push(*body),
                            Bound::Expr(expr) => self.expr(expr, environment),
                            Bound::Boolean(_) | Bound::Port => {}
                        }
                        open.push(*body);
                    }
                    Statement::Receive { port, body, .. } => {
                        // Who only receives from a port will not send to it.
                        let port = environment.get(port.level).map(|slot| slot.value.clone());
                        if let Some(Value::Port(port)) = port {
                            self.read(&port);
                        }
                        open.push(*body);
                    }
                    Statement::Send { port, message } => {
                        self.uses(*port, environment);
                        self.uses(*message, environment);
                    }
                    Statement::Call {
                        procedure,
                        arguments,
                    } => {
                        self.uses(*procedure, environment);
                        for argument in arguments {
                            self.uses(*argument, environment);
                        }
                    }
                }
            }
        }
    }
}
