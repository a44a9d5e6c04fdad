//! The control part of a state: where each of its stacks stands, over one store that they share.
//!
//! A device program has one stack, on which interrupts run, to their end and within a step. Boards of a network share no
//! store: each is a program of its own.

use borges_vm::Snapshot;

use super::place::NextCall;

/// Where one stack stands.
#[derive(Clone, Debug)]
pub(super) struct Control {
    /// The stack, on the store of the state; dead cells, and cells that are expressions, are zero.
    pub(super) snapshot: Snapshot,
    /// Where it stands, as a number.
    pub(super) place: u64,
    /// Events may arrive before its next instruction.
    pub(super) is_moment: bool,
    /// The call that comes next, and whether it reads an input; none at a moment.
    pub(super) call: Option<NextCall>,
}

impl Control {
    fn is_same(&self, other: &Control) -> bool {
        self.is_moment == other.is_moment && self.snapshot == other.snapshot
    }
}

/// All stacks of a state, in the order in which they came to be; there is at least one, the program's.
#[derive(Clone, Debug)]
pub(super) struct Controls(Box<[Control]>);

/// They are equal if the same stacks stand in the same ways on equal stores.
impl PartialEq for Controls {
    fn eq(&self, other: &Self) -> bool {
        let both = self.0.iter().zip(&other.0);
        self.0.len() == other.0.len() && both.into_iter().all(|(ours, theirs)| ours.is_same(theirs))
    }
}

impl Controls {
    /// Of a program with one stack.
    pub(super) fn of(program: Control) -> Self {
        Controls(Box::new([program]))
    }

    /// The program's stack.
    pub(super) fn program(&self) -> &Control {
        &self.0[0]
    }

    /// The same when the stack with this number has gone on and stands there: the others stand as they did, on the store
    /// that it has left. Nothing of either is copied.
    pub(super) fn gone_on(&self, number: usize, to: Control) -> Self {
        let stand = |(at, control): (usize, &Control)| {
            if at == number {
                return to.clone();
            }
            let snapshot = to.snapshot.with_stack(&control.snapshot);
            Control {
                // All are of one program.
                snapshot: snapshot.unwrap_or_else(|| control.snapshot.clone()),
                ..control.clone()
            }
        };
        Controls(self.0.iter().enumerate().map(stand).collect())
    }

    /// Where they stand, as a number; of one stack, that of its place.
    pub(super) fn place(&self) -> u64 {
        self.folded(|control| control.place)
    }

    /// A hash of the store and of all stacks; of one, that of its snapshot.
    pub(super) fn hash(&self) -> u64 {
        self.folded(|control| control.snapshot.hash().0)
    }

    fn folded(&self, number: impl Fn(&Control) -> u64) -> u64 {
        let numbers = self.0.iter().map(number);
        let both =
            |all: u64, next: u64| all.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ next;
        numbers.fold(0, both)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use borges_vm::{FrameView, Limits, Machine, Module, Shared, Value};

    use super::*;
    use crate::forever::compared::place_of;
    use crate::forever::live::Live;

    const TURNS: &str = r#"(module (import "host" "turn" (func $turn)) (memory 4)
        (global $sum (mut i32) (i32.const 0)) (global $late (mut i32) (i32.const 7))
        (func (export "adds") (param $by i32)
            (loop $on
                (global.set $sum (i32.add (global.get $sum) (i32.const 1)))
                (i32.store (local.get $by) (i32.add (i32.load (local.get $by)) (i32.const 1)))
                (call $turn)
                (br $on)))
        (func (export "asks") (param i32) (drop (local.get 0)) (call $turn) (drop (global.get $late))))"#;

    fn machine() -> Machine {
        let bytes = wat::parse_str(TURNS).unwrap();
        let module = Shared::new(Module::new(&bytes, &Limits::default()).unwrap());
        Machine::new(module, Limits::default()).unwrap()
    }

    fn stands(machine: &Machine) -> Control {
        Control {
            snapshot: machine.snapshot(None),
            place: place_of(machine),
            is_moment: false,
            call: None,
        }
    }

    /// Stacks that begin with these functions.
    fn begun(machine: &mut Machine, begin: &[(&str, i32)]) -> Controls {
        let idle = machine.snapshot(None);
        let stacks = begin.iter().map(|(name, by)| {
            machine.restore(&idle).unwrap();
            let func = machine.module().unwrap().exported_func(name).unwrap();
            machine.begin(func, &[Value::I32(*by)]).unwrap();
            stands(machine)
        });
        Controls(stacks.collect())
    }

    /// One of them goes on to its next call.
    fn turn(machine: &mut Machine, controls: &Controls, number: usize) -> Controls {
        machine.restore(&controls.0[number].snapshot).unwrap();
        if machine.pending().is_some() {
            machine.answer(&[]).unwrap();
        }
        machine.run(u64::MAX);
        controls.gone_on(number, stands(machine))
    }

    #[test]
    fn stacks_come_to_one_state_in_whatever_order_they_went_on() {
        let mut machine = machine();
        let start = begun(&mut machine, &[("adds", 16), ("adds", 32)]);
        let mut come = Vec::new();
        for order in [[0, 1, 1], [1, 0, 1], [1, 1, 0]] {
            let turns = order.into_iter();
            come.push(turns.fold(start.clone(), |at, who| turn(&mut machine, &at, who)));
        }
        for other in &come[1..] {
            assert!(*other == come[0]);
            assert_eq!(other.hash(), come[0].hash());
            assert_eq!(other.place(), come[0].place());
        }
        // Who has done what is no matter of who stands where, but of the store: and of the order of stacks.
        let more = turn(&mut machine, &come[0], 0);
        assert!(more != come[0] && more.hash() != come[0].hash());
        let swapped = Controls(come[0].0.iter().rev().cloned().collect());
        assert!(swapped != come[0] && swapped.hash() != come[0].hash());
        assert!(begun(&mut self::machine(), &[("adds", 16)]) != start);
    }

    #[test]
    fn a_global_is_live_while_one_of_the_stacks_may_read_it() {
        let mut machine = machine();
        let module = machine.module().unwrap().clone();
        let live = Live::new(&module, false, false);
        let mut controls = begun(&mut machine, &[("adds", 16), ("asks", 0)]);
        controls = turn(&mut machine, &controls, 0);
        controls = turn(&mut machine, &controls, 1);
        let frames = controls.0.iter().map(|control| {
            machine.restore(&control.snapshot).unwrap();
            machine.frames().collect::<Vec<FrameView>>()
        });
        let [adds, asks] = <[_; 2]>::try_from(frames.collect::<Vec<_>>()).unwrap();
        assert_eq!(live.dead(&[&adds]).globals, [1]);
        assert_eq!(live.dead(&[&asks]).globals, [0]);
        let both = live.dead(&[&asks, &adds]);
        assert_eq!(both.globals, [0; 0]);
        // Its parameter is not read again.
        assert_eq!(both.cells, live.dead(&[&asks]).cells);
        assert_eq!(both.cells.len(), 1);
    }
}
