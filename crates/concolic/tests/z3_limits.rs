//! Z3 in this process with too little time or memory: the question stays open and says why, and the next is answered.
#![cfg(feature = "z3")]

mod common;

use std::time::Duration;

use borges_concolic::solver::{Solver, SolverInput, Z3Solver};
use borges_concolic::{Dag, Set, Solution};
use borges_vm::ValType;
use borges_vm::num::NumericOp as N;
use common::asked;

/// The limit on memory is one of the process, so there is one test here.
#[test]
fn a_solver_out_of_time_or_memory_leaves_the_question_open() {
    let hard = 0xaaaa_aa95_5555_539d;
    for (mut solver, count, said) in [
        (Z3Solver::new(Duration::from_millis(200)), 2, "too long"),
        (
            Z3Solver::with_memory_mb(Duration::from_secs(60), 64),
            24,
            "memory",
        ),
    ] {
        let answer = factors(&mut solver, count, hard);
        let Solution::Unknown(reason) = answer else {
            panic!("nobody finds that in time: {answer:?}");
        };
        assert!(reason.contains(said), "{reason}");
        // Nothing is left behind: an easy question is answered.
        let easy = factors(&mut solver, 1, 15);
        assert_eq!(easy, Solution::Yes(vec![(0, 15)]), "after {said}");
    }
}

/// So many factors of a number, none of them 1.
fn factors(solver: &mut dyn Solver, count: u32, number: u64) -> Solution {
    let mut dag = Dag::default();
    let inputs: Vec<_> = (0..count).map(|at| dag.input(at, ValType::I64)).collect();
    let product = inputs
        .into_iter()
        .reduce(|a, b| dag.binary(N::I64Mul, a, b));
    let domain = Set::range(2, u64::from(u32::MAX));
    let variable = |place| SolverInput {
        place,
        ty: ValType::I64,
        domain: &domain,
    };
    let variables: Vec<SolverInput<'_>> = (0..count).map(variable).collect();
    let product = product.expect("at least one factor");
    asked(solver, &dag, &variables, (product, Set::single(number)))
}
