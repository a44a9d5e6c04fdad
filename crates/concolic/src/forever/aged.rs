//! Times of a state that may be longer ago than is counted: where a path goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use borges_board::PrimitiveId;
use hashbrown::HashMap;

use super::place::Place;
use super::state::Before;
use crate::dag::{Dag, Expr, Node};
use crate::explore::{Aged, OLDER, OLDER_DURATION, Older, State as Path};
use crate::path::Read;
use crate::set::Set;
use crate::sum::Sum;

impl Before {
    /// Follows times that may be longer ago than is counted, and what comes from such. A time that is known to be just as
    /// long ago as is counted is a read of its own until something is decided.
    pub(super) fn follow_aged(&self, path: &mut Path, dag: &mut Dag) {
        // They are all followed for as long.
        let Some(clock) = self.clocks.first() else {
            return;
        };
        let marked = (0..).zip(&self.taints).filter_map(|(at, marks)| {
            let older = match (marks & OLDER, marks & OLDER_DURATION) {
                (0, 0) => return None,
                (0, _) => Older::Duration,
                _ => Older::Anything,
            };
            Some((at, older))
        });
        let mut aged = Aged {
            first: 0,
            most: clock.most,
            inputs: marked.collect(),
            known: BTreeMap::new(),
            passed: BTreeSet::new(),
        };
        // By words: two that are both so long ago need not be the same time.
        let mut followed: HashMap<Place, Expr> = HashMap::new();
        for (place, expr) in &self.places {
            let Some((base, ago)) = dag.since_base(*expr) else {
                continue;
            };
            let ty = dag.ty(*expr);
            let floor = clock.floor_cell(ty);
            let ago = dag.of_sum(&ago);
            match dag.node(ago) {
                Node::Const(cell) if cell == floor && place.is_of_machine() => {
                    let time = *followed.entry(place.word()).or_insert_with(|| {
                        let at = path.reads.len() as u32;
                        let read = Read::of_state(PrimitiveId(0), ty, Set::single(cell));
                        path.reads.push(read);
                        path.model.push(cell);
                        aged.inputs.insert(at, Older::Time);
                        aged.known.insert(at, ago);
                        let (origin, ago) = (dag.input(base, ty), dag.input(at, ty));
                        dag.plus(origin, ago)
                    });
                    place.put_on(path, time);
                }
                Node::Input(at) if self.variables[at as usize].1.contains(floor) => {
                    aged.inputs.entry(at).or_insert(Older::Time);
                }
                Node::Input(_) | Node::Const(_) => {}
                _ => self.follow_parts(dag, ago, floor, &mut aged),
            }
        }
        aged.first = path.reads.len() as u32;
        path.aged = (!aged.inputs.is_empty()).then(|| Arc::new(aged));
    }

    /// The same of a time that could not be brought into one form: it is another one, and what has passed between the two; or
    /// a row of combinations.
    fn follow_parts(&self, dag: &Dag, ago: Expr, floor: u64, aged: &mut Aged) {
        let sum = dag.sum_of(ago);
        for (part, times) in sum.iter().flat_map(Sum::terms) {
            match dag.node(*part) {
                Node::Input(at) if *times == 1 && self.variables[at as usize].1.contains(floor) => {
                    aged.inputs.entry(at).or_insert(Older::Time);
                }
                Node::Input(at) => {
                    aged.passed.insert(at);
                }
                _ => {
                    let of = dag.inputs(*part).iter();
                    aged.inputs.extend(of.map(|at| (*at, Older::Anything)));
                }
            }
        }
        if sum.is_none() {
            let of = dag.inputs(ago).iter();
            aged.inputs.extend(of.map(|at| (*at, Older::Anything)));
        }
    }
}
