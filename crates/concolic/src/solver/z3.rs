//! Z3 in this process.

use std::time::Duration;

use z3::ast::BV;
use z3::{Params, SatResult};

use super::{Query, Solver, smtlib};
use crate::decide::Answer;
use crate::set::greatest;

/// Z3, as a library. Declarations and assertions of a question live as long as the question.
#[derive(Debug)]
pub struct Z3Solver {
    solver: z3::Solver,
    timeout_ms: u32,
    memory_mb: u32,
}

/// Memory that Z3 may take.
const MEMORY_MB: u32 = 2048;

impl Z3Solver {
    /// A solver that gives up on a question after some time.
    #[must_use]
    pub fn new(timeout: Duration) -> Self {
        Self::with_memory_mb(timeout, MEMORY_MB)
    }

    /// A solver that gives up on a question after some time, or when Z3 takes more memory than this, in megabytes: it
    /// is what all solvers of this process take together.
    #[must_use]
    pub fn with_memory_mb(timeout: Duration, memory_mb: u32) -> Self {
        z3::set_global_param("memory_max_size", &memory_mb.to_string());
        let timeout_ms = u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX);
        Z3Solver {
            solver: fresh(timeout_ms),
            timeout_ms,
            memory_mb,
        }
    }
}

fn fresh(timeout_ms: u32) -> z3::Solver {
    let solver = z3::Solver::new();
    let mut params = Params::new();
    params.set_u32("timeout", timeout_ms);
    solver.set_params(&params);
    solver
}

impl Solver for Z3Solver {
    fn name(&self) -> &str {
        "z3"
    }

    fn check(&mut self, query: &Query<'_>) -> Answer {
        self.solver.push();
        self.solver.from_string(smtlib::assertions(query));
        let answer = match self.solver.check() {
            SatResult::Unsat => Answer::No,
            SatResult::Unknown => {
                let reason = self.solver.get_reason_unknown();
                let reason = match reason.as_deref() {
                    // So it says when its memory is used up.
                    None | Some("" | "unknown") => {
                        format!(
                            "it gave up, perhaps for want of memory ({} MB)",
                            self.memory_mb
                        )
                    }
                    Some("canceled" | "timeout") => "it took too long".to_owned(),
                    Some(reason) => reason.to_owned(),
                };
                Answer::Unknown(format!("z3 does not know: {reason}").into())
            }
            SatResult::Sat => match self.solver.get_model() {
                None => Answer::Unknown("z3 gave no values".into()),
                Some(model) => {
                    let values = query.variables.iter().map(|variable| {
                        let bits = if greatest(variable.ty) == u64::from(u32::MAX) {
                            32
                        } else {
                            64
                        };
                        let input = BV::new_const(format!("i{}", variable.place), bits);
                        let value = model.eval(&input, true).and_then(|value| value.as_u64());
                        (variable.place, value.unwrap_or(0))
                    });
                    Answer::Yes(values.collect())
                }
            },
        };
        if matches!(answer, Answer::Unknown(_)) {
            // What it learned takes the memory that the next question needs.
            self.solver = fresh(self.timeout_ms);
        } else {
            self.solver.pop(1);
        }
        answer
    }
}
