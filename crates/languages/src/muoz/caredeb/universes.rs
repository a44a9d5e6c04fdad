//! The universes of a session, and what halts runs in them.

use borges_multiverse::debug::{BreakpointId, Link};
use borges_multiverse::graph::NodeId;

use super::{Given, Halt, Reply, Result, Session, SessionError, name};
use crate::muoz::{EventId, Machine, ThreadName};
use crate::predicate::NoCondition;

impl Session {
    /// The breakpoints, by their numbers: what each waits for, and whether it is looked at.
    pub fn breakpoints(&self) -> impl Iterator<Item = (BreakpointId, &Halt, bool)> {
        self.universes.breakpoints()
    }

    /// Sets a breakpoint: `<br>`, `assertion`, a predicate, or a text.
    ///
    /// # Errors
    /// It is none.
    pub fn set(&mut self, text: &str) -> std::result::Result<BreakpointId, NoCondition> {
        let halt = Halt::parse(self.machine().program(), text)?;
        Ok(self.universes.add_breakpoint(halt))
    }

    /// Takes away a breakpoint; false if there is no such one.
    pub fn unset(&mut self, id: BreakpointId) -> bool {
        self.universes.remove_breakpoint(id).is_some()
    }

    /// Looks at a breakpoint, or passes it by; false if there is no such one.
    pub fn switch(&mut self, id: BreakpointId, on: bool) -> bool {
        self.universes.enable_breakpoint(id, on)
    }

    /// The threads of the universe shown.
    pub(super) fn here(&self) -> Reply {
        Reply::Threads {
            threads: self.threads(),
        }
    }

    pub(super) fn jump(&mut self, universe: u32) -> Result<Reply> {
        self.machine_at(universe)?;
        self.show(NodeId(universe));
        Ok(self.here())
    }

    /// Goes to where these steps lead from the start.
    pub(super) fn follow(&mut self, threads: &[ThreadName]) -> Result<Reply> {
        let mut machine = self.machine_in(NodeId::ROOT).clone();
        for thread in threads {
            let step = machine.forward(thread);
            step.map_err(|reason| self.no_step(thread, &reason))?;
        }
        let to = self.universes.go(self.at, machine, self.said.clone());
        self.show(to.unwrap_or(self.at));
        Ok(self.here())
    }

    /// Stands in a universe of another run, in which the same names may mean other variables.
    fn show(&mut self, universe: NodeId) {
        self.at = universe;
        let machine = self.machine().clone();
        name(&mut self.names, &machine, EventId(0), |_| true);
    }

    /// The last `count` commands that led to a universe.
    ///
    /// # Errors
    /// There is no such universe.
    pub fn path(&self, universe: u32, count: u32) -> Result<Reply> {
        self.machine_at(universe)?;
        let links = self.universes.path(NodeId(universe)).into_iter();
        let links = links.filter_map(|id| self.universes.link(id));
        let given = |link| match link {
            Link::Command { to, text, .. } => Some(Given {
                universe: to.0,
                command: text.to_owned(),
            }),
            // Nothing runs by itself here.
            Link::Step { .. } => None,
        };
        let mut commands: Vec<_> = links.filter_map(given).collect();
        commands.drain(..commands.len().saturating_sub(count as usize));
        Ok(Reply::Path { commands })
    }

    /// The machine in a universe.
    ///
    /// # Errors
    /// There is no such universe.
    pub fn machine_at(&self, universe: u32) -> Result<&Machine> {
        let known = self.universes.configuration(NodeId(universe));
        let missing = || SessionError::NoUniverse(universe, self.universes.graph().len());
        known.map(|known| &known.program).ok_or_else(missing)
    }
}
