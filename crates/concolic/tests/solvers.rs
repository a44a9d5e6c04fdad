//! What trying values cannot answer: solvers, and what happens without a good one.

mod common;

use std::time::Duration;

#[cfg(feature = "z3")]
use borges_concolic::LookupTable;
#[cfg(feature = "z3")]
use borges_concolic::solver::best;
use borges_concolic::solver::{ProcessSolver, Solver, SolverInput};
use borges_concolic::{Dag, Explored, Search, Set, Solution, Start};
use borges_vm::ValType;
use borges_vm::num::NumericOp;
use common::{asked, board, explore_all, i32s, start_wat};

fn with(start: &Start, solver: Option<Box<dyn Solver>>) -> Explored {
    let search = Search {
        solver,
        ..Search::default()
    };
    explore_all(start, search)
}

/// A trap on one of 2^32 messages: a hash of four bytes that no interval can see through.
fn checksum() -> Start {
    start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (func $mix (param i32 i32) (result i32)
                (i32.mul (i32.xor (i32.rotl (local.get 0) (i32.const 7)) (local.get 1)) (i32.const 0x01000193)))
            (func (export "main") (local $h i32)
                (local.set $h (call $mix (i32.const 0x811c9dc5) (call $in)))
                (local.set $h (call $mix (local.get $h) (call $in)))
                (local.set $h (call $mix (local.get $h) (call $in)))
                (local.set $h (call $mix (local.get $h) (call $in)))
                (if (i32.eq (local.get $h) (i32.const 0x3c2f4a11)) (then (unreachable)))))"#,
        board(vec![("in", vec![], i32s(0, 255))]),
    )
}

/// The same with a target that four known bytes give.
fn reachable_checksum() -> Start {
    let mut hash: u32 = 0x811c_9dc5;
    for byte in [0xde_u32, 0xad, 0xbe, 0xef] {
        hash = (hash.rotate_left(7) ^ byte).wrapping_mul(0x0100_0193);
    }
    let text = format!(
        r#"(module (import "env" "in" (func $in (result i32)))
            (func $mix (param i32 i32) (result i32)
                (i32.mul (i32.xor (i32.rotl (local.get 0) (i32.const 7)) (local.get 1)) (i32.const 0x01000193)))
            (func (export "main") (local $h i32)
                (local.set $h (call $mix (i32.const 0x811c9dc5) (call $in)))
                (local.set $h (call $mix (local.get $h) (call $in)))
                (local.set $h (call $mix (local.get $h) (call $in)))
                (local.set $h (call $mix (local.get $h) (call $in)))
                (if (i32.eq (local.get $h) (i32.const {})) (then (unreachable)))))"#,
        hash as i32
    );
    start_wat(&text, board(vec![("in", vec![], i32s(0, 255))]))
}

#[cfg(feature = "z3")]
#[test]
fn one_input_of_four_billion_is_found() {
    let explored = with(&reachable_checksum(), best(Duration::from_secs(60)));
    let ends = explored.paths.iter().map(|path| format!("{:?}", path.end));
    assert_eq!(ends.filter(|end| end.contains("Unreachable")).count(), 1);
    assert_eq!(explored.paths.len(), 2);
    assert!(explored.is_complete());
}

#[test]
fn one_value_of_four_billion_needs_no_solver() {
    let start = start_wat(
        r#"(module (import "env" "random_int" (func $in (result i32)))
            (func (export "main")
                (if (i32.eq (i32.sub (call $in) (i32.const 77)) (i32.const 0x12345678)) (then (unreachable)))))"#,
        board(vec![]),
    );
    let explored = with(&start, None);
    assert!(explored.is_complete());
    assert_eq!(explored.paths.len(), 2);
}

#[test]
fn without_a_solver_a_question_stays_open_and_says_what_to_do() {
    let explored = with(&checksum(), None);
    assert!(!explored.is_complete());
    assert!(explored.unexplored[0].reason.contains("libz3-dev"));
    assert_eq!(explored.paths.len(), 1);
}

#[cfg(unix)]
#[test]
fn a_solver_that_hangs_dies_or_talks_nonsense_does_no_harm() {
    for (script, said) in [
        ("sleep 1000", "took too long"),
        ("exit 1", "ended"),
        (
            "echo '(error \"out of memory\")'; sleep 1000",
            "out of memory",
        ),
        ("while read line; do echo sat; done", "answered"),
        ("echo sat; echo '((i0 #b))'; sleep 1000", "answered"),
        (
            "echo sat; echo '((i0 #x000000ff))'; sleep 1000",
            "does not hold",
        ),
        ("echo unknown; sleep 1000", "does not know"),
    ] {
        let solver = ProcessSolver::new("sh", &["-c", script], Duration::from_millis(300));
        let explored = with(&checksum(), Some(Box::new(solver)));
        let reason = &explored.unexplored[0].reason;
        assert!(reason.contains(said), "{script}: {reason}");
        assert_eq!(explored.paths.len(), 1);
    }
}

/// Whether an input can be this.
#[cfg(unix)]
fn can_be(solver: &mut dyn Solver, cell: u64) -> Solution {
    let mut dag = Dag::default();
    let expr = dag.input(0, ValType::I32);
    let domain = Set::all(ValType::I32);
    let variables = [SolverInput {
        place: 0,
        ty: ValType::I32,
        domain: &domain,
    }];
    asked(solver, &dag, &variables, (expr, Set::single(cell)))
}

/// One that ends whenever it reads of 255, and says no to everything else.
#[cfg(unix)]
#[test]
fn a_solver_that_failed_three_times_is_not_asked_again() {
    let script =
        "while read line; do case $line in *ff*) exit 1;; *check-sat*) echo unsat;; esac; done";
    let mut solver = ProcessSolver::new("sh", &["-c", script], Duration::from_secs(60));
    let fails = |solver: &mut ProcessSolver, said: &str| {
        let answer = can_be(solver, 255);
        let is_said = matches!(&answer, Solution::Unknown(reason) if reason.contains(said));
        assert!(is_said, "{answer:?}");
    };
    fails(&mut solver, "ended");
    fails(&mut solver, "ended");
    assert_eq!(
        can_be(&mut solver, 7),
        Solution::No,
        "two times are no reason"
    );
    fails(&mut solver, "ended");
    fails(&mut solver, "failed 3 times and is not asked again");
    let said = "sh failed 3 times and is not asked again";
    assert_eq!(can_be(&mut solver, 7), Solution::Unknown(said.into()));
}

/// A solver that wants more memory than it may have ends; the next question starts it again.
#[cfg(unix)]
#[test]
fn a_solver_that_wants_too_much_memory_ends() {
    let script = "all=$(head -c 400000000 /dev/zero | tr '\\0' a); echo unsat; sleep 1000";
    let solver = ProcessSolver::new("sh", &["-c", script], Duration::from_secs(60));
    let explored = with(&checksum(), Some(Box::new(solver.with_memory_mb(100))));
    let reason = &explored.unexplored[0].reason;
    assert!(reason.contains("out of memory"), "{reason}");
    assert_eq!(explored.paths.len(), 1);
}

/// A program that is no solver, or is not there, is told once and not asked for ever.
#[test]
fn a_solver_that_cannot_be_started_is_told() {
    let solver = ProcessSolver::new("/no/such/solver", &[], Duration::from_secs(5));
    let explored = with(&checksum(), Some(Box::new(solver)));
    let reason = &explored.unexplored[0].reason;
    assert!(
        reason.contains("/no/such/solver") || reason.contains("solver:"),
        "{reason}"
    );
    assert_eq!(explored.paths.len(), 1);
}

/// Solvers that run beside: those that are here find the one input of four billion, too.
#[test]
fn solvers_on_the_path_find_it_too() {
    for name in ["bitwuzla", "cvc5", "z3"] {
        let Some(solver) = ProcessSolver::on_path(name, Duration::from_secs(100)) else {
            eprintln!("skipped: '{name}' is not on the path");
            continue;
        };
        let explored = with(&reachable_checksum(), Some(Box::new(solver)));
        assert_eq!(explored.unexplored, [], "{name}");
        assert_eq!(explored.paths.len(), 2, "{name}");
        assert!(explored.effort().solver_queries > 0, "{name}");
    }
}

/// A table of four thousand entries, and sums on top of it: what is named is read once, not at each use.
#[cfg(feature = "z3")]
#[test]
fn a_large_table_is_looked_up() {
    let mut dag = Dag::default();
    let index = dag.input(0, ValType::I32);
    let entries = (0..4096_u64).map(|at| dag.constant(ValType::I32, at * 3 + 1));
    let values = entries.collect();
    let mut sum = dag.lookup(LookupTable { first: 0, values }, index);
    for place in 1..20 {
        let input = dag.input(place, ValType::I32);
        sum = dag.binary(NumericOp::I32Xor, sum, input);
    }
    let (entry, other) = (Set::range(0, 4095), Set::single(0));
    let variables: Vec<SolverInput<'_>> = (0..20)
        .map(|place| SolverInput {
            place,
            ty: ValType::I32,
            domain: if place == 0 { &entry } else { &other },
        })
        .collect();
    let mut solver = best(Duration::from_secs(60)).expect("Z3 is here");
    let wanted = Set::single(777 * 3 + 1);
    let answer = asked(&mut *solver, &dag, &variables, (sum, wanted));
    let Solution::Yes(values) = answer else {
        panic!("it is an entry: {answer:?}");
    };
    assert!(values.contains(&(0, 777)), "{values:?}");
}

/// Every instruction on random values: each solver computes what the machine computes, and nothing else.
#[test]
fn solvers_know_every_instruction() {
    let time = Duration::from_secs(20);
    let mut solvers: Vec<Box<dyn Solver>> = Vec::new();
    #[cfg(feature = "z3")]
    solvers.extend(best(time));
    for name in ["bitwuzla", "cvc5", "z3"] {
        match ProcessSolver::on_path(name, time) {
            Some(solver) => solvers.push(Box::new(solver)),
            None => eprintln!("skipped: '{name}' is not on the path"),
        }
    }
    for mut solver in solvers {
        knows_every_instruction(&mut *solver);
    }
}

fn knows_every_instruction(solver: &mut dyn Solver) {
    let mut random = fastrand::Rng::with_seed(3);
    for &op in NumericOp::ALL {
        for _ in 0..3 {
            let types = op.operands();
            let cells: Vec<u64> = types.iter().map(|ty| sample(&mut random, *ty)).collect();
            let Ok(result) = op.apply(&cells) else {
                continue;
            };
            let mut dag = Dag::default();
            let inputs: Vec<_> = (0..)
                .zip(types)
                .map(|(at, ty)| dag.input(at, *ty))
                .collect();
            let expr = match inputs.as_slice() {
                [a] => dag.unary(op, *a),
                [a, b] => dag.binary(op, *a, *b),
                _ => unreachable!("instructions have one or two operands"),
            };
            let domains: Vec<Set> = cells.iter().map(|cell| Set::single(*cell)).collect();
            let variables: Vec<SolverInput<'_>> = (0..)
                .zip(types.iter().zip(&domains))
                .map(|(place, (ty, domain))| SolverInput {
                    place,
                    ty: *ty,
                    domain,
                })
                .collect();
            let right = Set::single(result);
            let wrong = right.complement(op.result());
            for (allowed, is_possible) in [(right, true), (wrong, false)] {
                let answer = asked(&mut *solver, &dag, &variables, (expr, allowed));
                let as_expected = match answer {
                    Solution::Yes(_) => is_possible,
                    Solution::No => !is_possible,
                    Solution::Unknown(_) => false,
                };
                assert!(
                    as_expected,
                    "{}: {} {cells:x?} = {result:x}: {answer:?}",
                    solver.name(),
                    op.name()
                );
            }
        }
    }
}

fn sample(random: &mut fastrand::Rng, ty: ValType) -> u64 {
    let small = random.i32(-40..40);
    let cell = match (ty, random.bool()) {
        (ValType::F32, true) => u64::from((small as f32 * 0.75).to_bits()),
        (ValType::F64, true) => (f64::from(small) * 0.75).to_bits(),
        (_, true) => i64::from(small) as u64,
        _ => random.u64(..),
    };
    match ty {
        ValType::I32 | ValType::F32 => cell & 0xffff_ffff,
        _ => cell,
    }
}
