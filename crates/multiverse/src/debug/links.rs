//! What led from one universe of a session to another: steps of the program, which the graph has, and commands.

use std::collections::BTreeMap;

use super::Catalogue;
use super::configuration::ChoiceOf;
use super::debugged::Debugged;
use crate::graph::{EdgeId, Graph, NodeId};

/// A link between two universes of a session. Links are numbered in the order in which they were
/// added, so who has seen some of them asks for the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkId(pub u32);

/// What led from one universe to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link<'a, C> {
    /// A step of the program.
    Step {
        /// Where it leaves.
        from: NodeId,
        /// Where it leads.
        to: NodeId,
        /// What was decided.
        choice: C,
    },
    /// A command of the user.
    Command {
        /// Where it was given.
        from: NodeId,
        /// What it led to at once.
        to: NodeId,
        /// Which command.
        said: Said,
        /// In the user's words.
        text: &'a str,
    },
}

/// What the user can say in a universe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Said {
    /// Let everyone run that is not held.
    Resume,
    /// Halt the program.
    Pause,
    /// Keep an agent from acting.
    Hold,
    /// Let it act again.
    Release,
    /// Let an agent run to the end of a step, and others meanwhile.
    Step,
    /// Let an agent run alone.
    Walk,
    /// Go along one path, or back over steps.
    Go,
}

/// A command that was given in a universe.
struct Command {
    from: NodeId,
    to: NodeId,
    said: Said,
    text: String,
    /// How many steps there were in the graph when it was given.
    steps: u32,
    number: LinkId,
}

/// The commands of a session, and how they are numbered together with the steps of its graph.
#[derive(Default)]
pub(super) struct Links {
    commands: Vec<Command>,
    /// The commands given in a universe.
    given: BTreeMap<NodeId, Vec<u32>>,
    /// The link by which each universe but the start was discovered.
    causes: Vec<LinkId>,
    /// The steps of the graph of which `causes` knows.
    known_steps: u32,
}

impl Links {
    /// How many links there are.
    pub(super) fn count<C: Catalogue>(&self, graph: &Graph<Debugged<C>>) -> u32 {
        (graph.edge_count() + self.commands.len()) as u32
    }

    /// A link.
    pub(super) fn get<C: Catalogue>(
        &self,
        graph: &Graph<Debugged<C>>,
        id: LinkId,
    ) -> Option<Link<'_, ChoiceOf<C>>> {
        Some(match self.find(id)? {
            Ok(command) => Link::Command {
                from: command.from,
                to: command.to,
                said: command.said,
                text: &command.text,
            },
            Err(edge) => {
                let ends = graph.edge(edge)?;
                Link::Step {
                    from: ends.from,
                    to: ends.to,
                    choice: graph.choice(edge)?,
                }
            }
        })
    }

    /// Where a link leaves and where it leads, and whether it is a command. What was decided in a step is not asked: that
    /// takes as long as a step.
    pub(super) fn ends<C: Catalogue>(
        &self,
        graph: &Graph<Debugged<C>>,
        id: LinkId,
    ) -> Option<(NodeId, NodeId, bool)> {
        match self.find(id)? {
            Ok(command) => Some((command.from, command.to, true)),
            Err(edge) => graph.edge(edge).map(|ends| (ends.from, ends.to, false)),
        }
    }

    /// The command with this number, or else the step.
    fn find(&self, id: LinkId) -> Option<Result<&Command, EdgeId>> {
        let number = |command: &Command| command.number;
        match self.commands.binary_search_by_key(&id, number) {
            Ok(at) => Some(Ok(&self.commands[at])),
            Err(before) => Some(Err(EdgeId(id.0.checked_sub(before as u32)?))),
        }
    }

    /// The number of a step of the program.
    fn number(&self, edge: EdgeId) -> LinkId {
        let before = self
            .commands
            .partition_point(|command| command.steps <= edge.0);
        LinkId(edge.0 + before as u32)
    }

    /// The links that leave a universe: steps in the order of its choices, then commands.
    pub(super) fn leaving<C: Catalogue>(
        &self,
        graph: &Graph<Debugged<C>>,
        universe: NodeId,
    ) -> Vec<LinkId> {
        let steps = graph.edges_from(universe);
        let steps = steps.map(|(edge, _)| self.number(edge));
        let given = self.given.get(&universe).into_iter().flatten();
        let given = given.map(|at| self.commands[*at as usize].number);
        steps.chain(given).collect()
    }

    /// The way from the start by which a universe was discovered.
    pub(super) fn path<C: Catalogue>(
        &self,
        graph: &Graph<Debugged<C>>,
        universe: NodeId,
    ) -> Vec<LinkId> {
        let mut path = Vec::new();
        let mut at = universe;
        let cause = |at: NodeId| self.causes.get((at.0 as usize).checked_sub(1)?);
        while let Some(cause) = cause(at) {
            path.push(*cause);
            at = match self.get(graph, *cause) {
                Some(Link::Step { from, .. } | Link::Command { from, .. }) => from,
                None => break,
            };
        }
        path.reverse();
        path
    }

    /// Notes by which step each new universe was discovered: the first that leads to it.
    pub(super) fn learn<C: Catalogue>(&mut self, graph: &Graph<Debugged<C>>) {
        for edge in self.known_steps..graph.edge_count() as u32 {
            let to = graph.edge(EdgeId(edge)).map(|edge| edge.to.0 as usize);
            if to == Some(self.causes.len() + 1) {
                self.causes.push(self.number(EdgeId(edge)));
            }
        }
        self.known_steps = graph.edge_count() as u32;
    }

    /// Adds a command, each once; `is_new` if it discovered the universe that it leads to. All steps of the graph must
    /// be known.
    pub(super) fn add(&mut self, from: NodeId, to: NodeId, is_new: bool, said: Said, text: String) {
        let given = self.given.get(&from).into_iter().flatten();
        let mut given = given.map(|at| &self.commands[*at as usize]);
        if given.any(|known| known.to == to && known.said == said && known.text == text) {
            return;
        }
        let at = self.commands.len() as u32;
        let number = LinkId(self.known_steps + at);
        self.given.entry(from).or_default().push(at);
        self.commands.push(Command {
            from,
            to,
            said,
            text,
            steps: self.known_steps,
            number,
        });
        if is_new {
            self.causes.push(number);
        }
    }
}
