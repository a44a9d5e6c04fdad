//! Generated modules in this machine and in wasmi: equal results, equal traps, equal memories,
//! globals and tables. The same modules in the fast tier, and stopped at random steps, saved and
//! loaded into a fresh machine of the other tier, end in the same state after as many steps. Bytes
//! that are hardly modules: accepted or refused as by wasmparser.

use crate::common::Random;
use crate::smith::compare::{Compared, compare, limits};
use crate::smith::{generate, random_bytes};
use borges_vm::*;

use crate::smith;

#[test]
fn generated_modules_run_as_in_wasmi() {
    let mut compared = Compared::default();
    for seed in 0..3000 {
        compare(&random_bytes(seed), seed, &mut compared);
    }
    println!("{compared:?}");
    // Modules that trap at once would prove little.
    assert!(compared.modules > 2000 && compared.calls > 10_000);
    assert!(compared.returned > 2000 && compared.steps > 500_000);
}

/// Modules that were mutated: refused with an error that names a place, or accepted, as another
/// validator decides.
#[test]
fn mutated_modules_are_refused_as_by_wasmparser() {
    let mut random = Random::new(7);
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..1500 {
        let Some(original) = generate(&random_bytes(seed), seed % 2 == 0) else {
            continue;
        };
        for _ in 0..4 {
            let mut bytes = original.clone();
            random.mutate(&mut bytes);
            let ours = Module::new(&bytes, &limits());
            let theirs = smith::validate(&bytes);
            match (&ours, &theirs) {
                (
                    Err(LoadError {
                        cause: LoadCause::Limit(_),
                        ..
                    }),
                    _,
                ) => {}
                (Ok(_), Ok(())) => accepted += 1,
                (Err(error), Err(_)) => {
                    assert!(error.offset.0 as usize <= bytes.len());
                    refused += 1;
                }
                _ => panic!("seed {seed}: {:?} and {theirs:?}", ours.map(|_| ())),
            }
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted > 300 && refused > 1500);
}
