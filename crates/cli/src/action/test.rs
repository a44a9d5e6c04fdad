//! `borges test`: the regression tests that `borges paths --write-test` wrote.

use borges_session::suggest::run_tests;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use borges_commands::paint::{count, printable};

/// Runs test files; fails if any test does.
pub(crate) fn test(options: &args::Test, output: &mut Output) -> Result<Exit, Failure> {
    let mut reports = Vec::new();
    for file in &options.files {
        let next = "'borges paths PROGRAM --write-test FILE' writes such a file";
        reports.push(run_tests(file).map_err(|error| Failure::input(error.to_string(), next))?);
    }
    let tests = || reports.iter().flat_map(|report| &report.tests);
    let failed = tests().filter(|test| !test.differences.is_empty()).count();
    let exit = if failed == 0 { Exit::Ok } else { Exit::Failed };
    if output.json {
        output.json(&reports)?;
        return Ok(exit);
    }
    let paint = output.paint;
    for test in tests() {
        let passed = test.differences.is_empty();
        let word = match passed {
            true => paint.good("ok"),
            false => paint.bad("failed"),
        };
        output.text(&format!("{word} {}\n", printable(&test.name)))?;
        for difference in &test.differences {
            output.text(&format!("  {}\n", printable(difference)))?;
        }
    }
    let all = tests().count() as u64;
    output.text(&format!("{}, {failed} failed\n", count(all, "test")))?;
    Ok(exit)
}
