//! Many cases from one number, each of which can be repeated alone.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Repeats the case of a failure: `SEED=1234 cargo test -p borges-session --test all NAME`.
const VARIABLE: &str = "SEED";
/// How many cases instead of the usual number.
const CASES: &str = "CASES";
/// Parts of a law.
const PARTS: u64 = 4;

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{variable} must be a number, not '{text}'")),
    )
}

/// Runs `case` for the seeds of one part of four of 0..`cases`, or for the one in the environment. A failure says how to
/// repeat it. Parts are tests of their own so that they run side by side.
pub fn check(test: &str, part: u64, cases: u64, case: impl Fn(u64)) {
    let all = match number(VARIABLE) {
        Some(seed) => seed..seed + 1,
        None => 0..number(CASES).unwrap_or(cases),
    };
    for seed in all.filter(|seed| seed % PARTS == part) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| case(seed))) {
            eprintln!(
                "case {seed} of '{test}' failed; to repeat it: {VARIABLE}={seed} cargo test -p borges-session --test all {test}"
            );
            resume_unwind(panic);
        }
    }
}
