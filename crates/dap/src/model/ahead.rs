//! Where to: the steps that can be taken here, and the universes behind a line of the text.

use borges_hub::ModelCommand;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Model;
use super::card::{self, Link};
use super::passing::Then;
use crate::core::Core;
use crate::protocol::answers::{GotoTarget, StepInTarget};
use crate::protocol::arguments::{Goto, GotoTargets, OfFrame};
use crate::protocol::{Answer, Failure, NOTHING, body};

/// Universes that are offered of a line.
const OFFERED: usize = 24;

/// Where a step can go.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// An order that the session told of.
    Order(Value),
    /// A universe that was seen.
    Universe(u32),
}

/// Universes that a question is answered with.
#[derive(Deserialize)]
struct Universes {
    universes: Vec<u32>,
}

impl Model {
    /// What can be said about the agent of a frame here, and where steps that were taken led.
    pub(super) fn step_in_targets(&mut self, asked: OfFrame) -> Answer {
        let agent = self
            .framed(asked.frame_id)
            .map(|agent| agent.name.clone())
            .unwrap_or_default();
        let orders = self.shown.card.possible.iter();
        let orders = orders.filter(|one| one.agent.as_deref() == Some(&agent));
        let orders = orders.map(|one| (one.label.clone(), Target::Order(one.order.clone())));
        let is_own = |link: &&Link| !link.command && (link.agent == agent || link.agent.is_empty());
        let links = self.shown.leaving.iter().filter(is_own);
        let links = links.map(|link| {
            (
                format!("universe {}: {}", link.to, link.text),
                Target::Universe(link.to),
            )
        });
        let all: Vec<_> = orders.chain(links).collect();
        let targets = all.into_iter().map(|(label, target)| {
            self.targets.push(target);
            StepInTarget {
                id: self.targets.len() as i64,
                label,
            }
        });
        let targets: Vec<_> = targets.collect();
        body(json!({ "targets": targets }))
    }

    /// Universes that were seen in which an agent is at a line: those on the way here, the nearest first, then others as
    /// they were found.
    pub(super) fn goto_targets(&mut self, core: &mut Core, asked: &GotoTargets) -> Answer {
        if !self.is_text(&asked.source) {
            return Err(Failure::shown("this file is not the program's text"));
        }
        let line = core.line_in(asked.line);
        let line = line.ok_or_else(|| Failure::new("there is no such line"))?;
        let found: Universes = self
            .call(core, ModelCommand::AtLine { line })
            .map_err(Failure::shown)?;
        let found = found.universes;
        let way: Vec<u32> = self.shown.path.iter().rev().map(|link| link.from).collect();
        let near = way.iter().filter(|one| found.binary_search(one).is_ok());
        let others = found
            .iter()
            .filter(|one| !way.contains(one) && **one != self.here());
        let offered: Vec<u32> = near.chain(others).take(OFFERED).copied().collect();
        let mut targets = Vec::new();
        for universe in offered {
            let there: card::Answer = self.call(core, ModelCommand::Card { universe })?;
            self.targets.push(Target::Universe(universe));
            targets.push(GotoTarget {
                id: self.targets.len() as i64,
                label: label(&there.card, line),
                line: asked.line,
            });
        }
        body(json!({ "targets": targets }))
    }

    pub(super) fn goto(&mut self, core: &mut Core, asked: Goto) -> Answer {
        self.go_to(core, asked.target_id)
    }

    /// Goes where a target is that was told.
    pub(super) fn go_to(&mut self, core: &mut Core, target: i64) -> Answer {
        self.free()?;
        let index = target.checked_sub(1);
        let index = index.and_then(|index| usize::try_from(index).ok());
        let target = index.and_then(|index| self.targets.get(index)).cloned();
        match target.ok_or_else(|| {
            Failure::new("this target was of another stop: ask for the targets again")
        })? {
            Target::Universe(universe) => self.arrive(core, universe, "goto", None),
            Target::Order(order) => {
                let agent = order["agent"].as_str().map(str::to_owned);
                self.order(core, order, Then::Nothing, agent, "step");
            }
        }
        NOTHING
    }

    /// All universes that were seen, and the steps and commands between them.
    pub(super) fn multiverse(&self, core: &mut Core) -> Answer {
        let (line, here) = ("universes".to_owned(), self.here());
        let said: Value = self.call(core, ModelCommand::Line { line, here })?;
        let seen = &said["answer"];
        body(json!({ "universes": seen["universes"], "edges": seen["edges"] }))
    }
}

/// A universe, and who is at a line in it.
fn label(card: &card::Card, line: u32) -> String {
    let there = card.agents.iter().filter(|agent| agent.line == Some(line));
    let there = there.map(|agent| format!("{}: {}", agent.name, agent.next));
    let there: Vec<String> = there.collect();
    let number = card.node.id;
    match there.is_empty() {
        true => format!("universe {number}"),
        false => format!("universe {number}, {}", there.join(", ")),
    }
}
