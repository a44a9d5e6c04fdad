//! Z3 in this process with too little time or memory: the question stays open and says why, and the next is answered.
#![cfg(feature = "z3")]

mod common;

use std::time::{Duration, Instant};

use borges_concolic::solver::{Query, Solver, SolverInput, Z3Solver};
use borges_concolic::{Budget, Constraint, Dag, Expr, Flow, Set, Solution};
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
    #[cfg(target_os = "linux")]
    whoever_is_not_waited_for_ends(hard);
}

/// A thread that goes on when nobody wants its answer would take a core from whoever asks next, for as long as the process
/// lives.
#[cfg(target_os = "linux")]
fn whoever_is_not_waited_for_ends(hard: u64) {
    // Its clocks sleep on, and bear its name too.
    let computes = || {
        let threads = std::fs::read_dir("/proc/self/task").expect("threads are listed");
        let stats = threads.flatten().map(|thread| thread.path().join("stat"));
        let mut stats = stats.filter_map(|file| std::fs::read_to_string(file).ok());
        stats.any(|stat| stat.contains("(z3) R"))
    };
    let mut solver = Z3Solver::with_memory_mb(Duration::from_secs(600), 2048);
    let (dag, product) = product(2);
    let domain = factor();
    let constraint = Constraint {
        expr: product,
        allowed: Set::single(hard),
    };
    let variables: Vec<SolverInput<'_>> = (0..2).map(|at| variable(at, &domain)).collect();
    let query = Query {
        dag: &dag,
        variables: &variables,
        constraints: &[constraint],
    };
    let start = Instant::now();
    // It has ten minutes by the clock, and is told to end at once.
    let (clock, heard) = (move || start.elapsed(), |_| Flow::Stop);
    let budget = Budget::new(Duration::from_secs(600), &clock, &heard);
    let answer = solver.check(&query, &budget);
    assert!(matches!(answer, Solution::Unknown(_)), "{answer:?}");
    drop(solver);
    while computes() {
        assert!(start.elapsed() < Duration::from_secs(60), "it goes on");
        std::thread::yield_now();
    }
}

/// So many factors of a number, none of them 1.
fn factors(solver: &mut dyn Solver, count: u32, number: u64) -> Solution {
    let (dag, product) = product(count);
    let domain = factor();
    let variables: Vec<SolverInput<'_>> = (0..count).map(|at| variable(at, &domain)).collect();
    asked(solver, &dag, &variables, (product, Set::single(number)))
}

/// The product of so many inputs.
fn product(count: u32) -> (Dag, Expr) {
    let mut dag = Dag::default();
    let inputs: Vec<_> = (0..count).map(|at| dag.input(at, ValType::I64)).collect();
    let product = inputs
        .into_iter()
        .reduce(|a, b| dag.binary(N::I64Mul, a, b));
    (dag, product.expect("at least one factor"))
}

/// What a factor can be.
fn factor() -> Set {
    Set::range(2, u64::from(u32::MAX))
}

fn variable(place: u32, domain: &Set) -> SolverInput<'_> {
    SolverInput {
        place,
        ty: ValType::I64,
        domain,
    }
}
