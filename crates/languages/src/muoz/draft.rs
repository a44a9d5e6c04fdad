//! A step that is not made yet: what a thread's step changes of a state is a thread, perhaps a port, and perhaps one that is
//! new. Most steps of a survey lead to states that are known, and need not be made.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::name::{ThreadName, VariableName};
use super::state::{Port, Stage, State, Thread, feed};

/// One of several, in their order.
struct Placed<T> {
    at: usize,
    what: Arc<T>,
}

/// A state after a step.
pub(super) struct Draft<'s> {
    state: &'s State,
    thread: Option<Placed<Thread>>,
    port: Option<Placed<Port>>,
    /// Before the one that is there.
    child: Option<Placed<Thread>>,
    /// Before the one that is there.
    opened: Option<Placed<Port>>,
}

impl<'s> Draft<'s> {
    pub(super) fn new(state: &'s State) -> Self {
        Draft {
            state,
            thread: None,
            port: None,
            child: None,
            opened: None,
        }
    }

    fn threads(&self) -> impl Iterator<Item = &Arc<Thread>> {
        parts(
            &self.state.threads,
            self.thread.as_ref(),
            self.child.as_ref(),
        )
    }

    fn ports(&self) -> impl Iterator<Item = &Arc<Port>> {
        parts(&self.state.ports, self.port.as_ref(), self.opened.as_ref())
    }

    /// The state.
    pub(super) fn made(&self) -> State {
        let mut threads = Vec::with_capacity(self.state.threads.len() + 1);
        threads.extend(self.threads().cloned());
        let mut ports = Vec::with_capacity(self.state.ports.len() + 1);
        ports.extend(self.ports().cloned());
        State { threads, ports }
    }
}

/// Parts in their order, of which one is another now, and one is new.
fn parts<'a, T>(
    old: &'a [Arc<T>],
    changed: Option<&'a Placed<T>>,
    new: Option<&'a Placed<T>>,
) -> impl Iterator<Item = &'a Arc<T>> {
    let before = new.map_or(old.len(), |new| new.at);
    let part = move |at: usize| match changed {
        Some(changed) if changed.at == at => &changed.what,
        _ => &old[at],
    };
    let rest = (before..old.len()).map(part);
    (0..before)
        .map(part)
        .chain(new.map(|new| &new.what))
        .chain(rest)
}

/// The part at this place, to be changed; a step changes no more than one of a kind.
fn changed<'a, T: Clone>(
    slot: &'a mut Option<Placed<T>>,
    at: usize,
    old: &[Arc<T>],
) -> Option<&'a mut T> {
    let placed = slot.get_or_insert_with(|| Placed {
        at,
        what: Arc::new(T::clone(&old[at])),
    });
    debug_assert!(placed.at == at, "a step changes one thread and one port");
    Arc::get_mut(&mut placed.what)
}

impl Stage for Draft<'_> {
    fn thread_mut(&mut self, name: &ThreadName) -> Option<&mut Thread> {
        let at = self.state.thread_at(name).ok()?;
        changed(&mut self.thread, at, &self.state.threads)
    }

    fn port_mut(&mut self, name: &VariableName) -> Option<&mut Port> {
        let at = self.state.port_at(name).ok()?;
        changed(&mut self.port, at, &self.state.ports)
    }

    fn insert_thread(&mut self, thread: Thread) {
        if let Err(at) = self.state.thread_at(&thread.name) {
            let what = Arc::new(thread);
            self.child = Some(Placed { at, what });
        }
    }

    fn insert_port(&mut self, name: VariableName) {
        if let Err(at) = self.state.port_at(&name) {
            let what = Arc::new(Port::new(name));
            self.opened = Some(Placed { at, what });
        }
    }
}

impl Hash for Draft<'_> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let threads = self.state.threads.len() + usize::from(self.child.is_some());
        let ports = self.state.ports.len() + usize::from(self.opened.is_some());
        feed((threads, self.threads()), (ports, self.ports()), hasher);
    }
}
