//! Names of states by what is compared of them: the same in every process of one build, whatever was looked at before.

use std::hash::{Hash, Hasher};

use borges_multiverse::fingerprint::{Digest, WideFingerprint};
use borges_vm::{Snapshot, ValType};

use super::place::Place;
use crate::clocks::Clock;
use crate::constraint::Constraint;
use crate::dag::{Dag, Expr};
use crate::explore::Truths;
use crate::path::End;
use crate::set::Set;

/// The name of an end, with the machine if that is compared.
pub(super) fn of_end(end: &End, left: Option<&Snapshot>, truths: Truths) -> WideFingerprint {
    let left = left.map(|left| left.hash().0);
    WideFingerprint::digest(&(1_u8, end, left, truths))
}

/// All that makes states before calls equal.
pub(super) struct Content<'c> {
    pub(super) dag: &'c Dag,
    pub(super) truths: Truths,
    pub(super) is_moment: bool,
    /// The hashes of the machine and of the board.
    pub(super) hashes: [u64; 2],
    pub(super) places: &'c [(Place, Expr)],
    pub(super) variables: &'c [(ValType, Set)],
    pub(super) constraints: &'c [Constraint],
    pub(super) taints: &'c [u64],
    pub(super) clocks: &'c [Clock],
}

impl Content<'_> {
    /// The name of such a state.
    pub(super) fn name(&self) -> WideFingerprint {
        WideFingerprint::digest(self)
    }
}

impl Hash for Content<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let dag = self.dag;
        (0_u8, self.truths, self.is_moment, self.hashes).hash(state);
        self.places.len().hash(state);
        for (place, expr) in self.places {
            (place, dag.content(*expr)).hash(state);
        }
        self.variables.hash(state);
        self.constraints.len().hash(state);
        for known in self.constraints {
            (dag.content(known.expr), &known.allowed).hash(state);
        }
        self.taints.hash(state);
        self.clocks.len().hash(state);
        for clock in self.clocks {
            clock.hash_content(dag, state);
        }
    }
}
