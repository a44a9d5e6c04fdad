//! States of μOz: threads with their code, variables and ports.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::name::{ThreadName, VariableName};
use super::program::{Block, Ident};
use borges_multiverse::list::List;

/// A value. Ports and procedures are known by the variable for which they were made.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// `true` or `false`.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A port.
    Port(VariableName),
    /// A procedure.
    Procedure(VariableName),
}

/// A variable as the environment or a message knows it. Variables never change, so their values
/// are kept beside the names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Slot {
    pub(super) name: VariableName,
    pub(super) value: Value,
}

/// The variables in scope, the outermost at the bottom.
pub(super) type Environment = List<Slot>;

/// Code that is still to be executed: a statement and those that follow it in its block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    pub(super) at: u32,
    pub(super) environment: Environment,
}

/// What remains for a thread to do, the next statement on top.
pub(super) type Code = List<Frame>;

/// A procedure with the variables that were in scope where it was declared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Closure {
    /// The statement that declares it.
    pub(super) line: u32,
    pub(super) body: Block,
    pub(super) environment: Environment,
}

/// A binding in the store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variable {
    /// What it is called in the program.
    pub(super) ident: Ident,
    pub(super) value: Value,
    /// The procedure, in the variable for which it was made.
    pub(super) closure: Option<Closure>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Thread {
    pub(super) name: ThreadName,
    pub(super) code: Code,
    /// All variables that it bound, in that order.
    pub(super) variables: List<Variable>,
    /// How many threads it created.
    pub(super) children: u32,
}

impl Thread {
    /// Its variables, the first that it bound first: the list begins with the last one.
    pub(super) fn bound(&self) -> Vec<&Variable> {
        let mut bound: Vec<_> = self.variables.iter().collect();
        bound.reverse();
        bound
    }
}

/// A port's queue. Messages that were received stay below: they make the number of a message
/// known, and are no part of the state in which universes are compared.
#[derive(Clone, Debug)]
pub(super) struct Port {
    /// The variable for which it was made.
    pub(super) name: VariableName,
    pub(super) sent: List<Slot>,
    pub(super) received: u32,
}

impl Port {
    /// One in which nothing waits.
    pub(super) fn new(name: VariableName) -> Self {
        let (sent, received) = (List::EMPTY, 0);
        Port {
            name,
            sent,
            received,
        }
    }

    /// How many messages wait.
    pub(super) fn len(&self) -> u32 {
        self.sent.len() - self.received
    }

    /// The messages that wait, the oldest first.
    pub(super) fn queue(&self) -> Vec<&Slot> {
        let mut queue: Vec<_> = self.sent.iter().take(self.len() as usize).collect();
        queue.reverse();
        queue
    }

    /// The message that is received next.
    pub(super) fn oldest(&self) -> Option<&Slot> {
        self.sent.get(self.received)
    }
}

impl PartialEq for Port {
    fn eq(&self, other: &Self) -> bool {
        let len = self.len();
        let waiting = |port: &'_ Self| port.sent.clone();
        self.name == other.name
            && len == other.len()
            && (waiting(self).iter().take(len as usize))
                .eq(waiting(other).iter().take(len as usize))
    }
}

impl Eq for Port {}

impl Hash for Port {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let len = self.len();
        self.name.hash(hasher);
        hasher.write_u32(len);
        for slot in self.sent.iter().take(len as usize) {
            slot.hash(hasher);
        }
    }
}

/// A state of a μOz program.
///
/// Threads and variables are named by causal birth, so that states that differ in the order of
/// independent steps only are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// In the order of their names, those that are done included.
    pub(super) threads: Vec<Arc<Thread>>,
    /// In the order of their names.
    pub(super) ports: Vec<Arc<Port>>,
}

/// What the digest of a state is made of: so many threads, and so many ports.
pub(super) fn feed<'a, H: Hasher>(
    threads: (usize, impl Iterator<Item = &'a Arc<Thread>>),
    ports: (usize, impl Iterator<Item = &'a Arc<Port>>),
    hasher: &mut H,
) {
    hasher.write_usize(threads.0);
    threads.1.for_each(|thread| thread.hash(hasher));
    hasher.write_usize(ports.0);
    ports.1.for_each(|port| port.hash(hasher));
}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let threads = (self.threads.len(), self.threads.iter());
        feed(threads, (self.ports.len(), self.ports.iter()), hasher);
    }
}

/// What a step is taken in: the state itself, or a draft of the next.
pub(super) trait Stage {
    fn thread_mut(&mut self, name: &ThreadName) -> Option<&mut Thread>;

    fn port_mut(&mut self, name: &VariableName) -> Option<&mut Port>;

    /// Puts in a thread that is new.
    fn insert_thread(&mut self, thread: Thread);

    /// Puts in a port that is new.
    fn insert_port(&mut self, name: VariableName);
}

impl Stage for State {
    fn thread_mut(&mut self, name: &ThreadName) -> Option<&mut Thread> {
        let at = self.thread_at(name).ok()?;
        Some(Arc::make_mut(&mut self.threads[at]))
    }

    fn port_mut(&mut self, name: &VariableName) -> Option<&mut Port> {
        let at = self.port_at(name).ok()?;
        Some(Arc::make_mut(&mut self.ports[at]))
    }

    fn insert_thread(&mut self, thread: Thread) {
        if let Err(at) = self.thread_at(&thread.name) {
            self.threads.insert(at, Arc::new(thread));
        }
    }

    fn insert_port(&mut self, name: VariableName) {
        if let Err(at) = self.port_at(&name) {
            self.ports.insert(at, Arc::new(Port::new(name)));
        }
    }
}

impl State {
    pub(super) fn start(main: Block) -> Self {
        let environment = List::EMPTY;
        let code = List::EMPTY.push(Frame {
            at: main.0,
            environment,
        });
        let thread = Thread {
            name: ThreadName::MAIN,
            code,
            variables: List::EMPTY,
            children: 0,
        };
        Self {
            threads: vec![Arc::new(thread)],
            ports: Vec::new(),
        }
    }

    /// The names of all threads, those that are done included.
    pub fn threads(&self) -> impl Iterator<Item = &ThreadName> {
        self.threads.iter().map(|thread| &thread.name)
    }

    /// The ports, each as the variable for which it was made.
    pub fn ports(&self) -> impl Iterator<Item = &VariableName> {
        self.ports.iter().map(|port| &port.name)
    }

    /// All variables.
    pub fn store(&self) -> impl Iterator<Item = VariableName> {
        self.variables().map(|(name, _)| name)
    }

    /// Whether a thread has nothing left to do; none if there is no such thread.
    #[must_use]
    pub fn is_done(&self, thread: &ThreadName) -> Option<bool> {
        self.thread(thread).map(|thread| thread.code.is_empty())
    }

    pub(super) fn thread(&self, name: &ThreadName) -> Option<&Thread> {
        self.thread_at(name).ok().map(|at| &*self.threads[at])
    }

    /// Where a thread is, or where it would be.
    pub(super) fn thread_at(&self, name: &ThreadName) -> Result<usize, usize> {
        self.threads.binary_search_by(|other| other.name.cmp(name))
    }

    pub(super) fn port(&self, name: &VariableName) -> Option<&Port> {
        self.port_at(name).ok().map(|at| &*self.ports[at])
    }

    /// The messages that wait in a port, the oldest first.
    pub(super) fn queue(&self, port: &VariableName) -> Vec<&Slot> {
        self.port(port).map(Port::queue).unwrap_or_default()
    }

    /// Where a port is, or where it would be.
    pub(super) fn port_at(&self, name: &VariableName) -> Result<usize, usize> {
        self.ports.binary_search_by(|other| other.name.cmp(name))
    }

    pub(super) fn remove_thread(&mut self, name: &ThreadName) {
        self.threads.retain(|other| other.name != *name);
    }

    pub(super) fn remove_port(&mut self, name: &VariableName) {
        self.ports.retain(|other| other.name != *name);
    }

    pub(super) fn variable(&self, name: &VariableName) -> Option<&Variable> {
        self.thread(&name.thread)?.variables.get(name.nth)
    }

    /// How many variables there are.
    pub(super) fn variable_count(&self) -> usize {
        let counts = self.threads.iter().map(|t| t.variables.len() as usize);
        counts.sum()
    }

    /// All variables in the order of their names.
    pub(super) fn variables(&self) -> impl Iterator<Item = (VariableName, &Variable)> {
        self.threads.iter().flat_map(|thread| {
            let name = |nth| VariableName {
                thread: thread.name.clone(),
                nth,
            };
            (0..)
                .zip(thread.bound())
                .map(move |(nth, variable)| (name(nth), variable))
        })
    }
}
