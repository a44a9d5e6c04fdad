//! Networks: several boards, each with its program, and what connects them, as one more language of the core.
//!
//! A network file (`borges_board::NetworkFile`) says which calls of which programs are the ends of which lines. Each program
//! goes on by the engine that explores device programs alone (`concolic::Device`), from one call that matters to the next; what
//! it is answered there is the network's to say. All that a graph, a debugger, a walk or a formula needs of that is the recipe.
//!
//! # Invariants
//! - A state stands for one moment only: all values in it are known. Where a program keeps one of more values of an input than
//!   are looked at one by one, the network is not followed further, and says so as a stuck end.
//! - What a line does is the line's step, not the sender's.

mod language;
mod names;
mod numbers;
mod plan;
mod state;
mod steps;
mod ways;
mod words;

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use borges_concolic::DeviceState;
use borges_languages::model::{ModelError, Simple, language as languages};

use plan::Plan;
use ways::Engines;

/// A network of boards.
#[derive(Clone)]
pub(crate) struct Network {
    plan: Arc<Plan>,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.plan.boards.iter().map(|board| &board.name);
        f.debug_list().entries(names).finish()
    }
}

impl Network {
    fn parse(text: &str) -> Result<Self, ModelError> {
        let plan = Arc::new(plan::parse(text)?);
        Ok(Self { plan })
    }

    /// A number of a program's source in a state.
    fn number(&self, board: usize, state: &DeviceState, name: &str) -> Option<i64> {
        let engines: Option<Rc<Engines>> = Engines::of(&self.plan);
        engines?.value((board, &self.plan.boards[board]), state, name)
    }
}

/// The language.
static NETWORK: Simple<Network> = Simple::new("network", "toml", Network::parse)
    .shaped("docs/networks.md shows how networks are written")
    .reading(plan::is_network)
    .gathering(plan::gather, plan::own_text);

/// Makes network files programs, wherever programs are.
pub fn add() {
    languages::add(&NETWORK);
}
