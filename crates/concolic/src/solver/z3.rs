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
}

/// Memory that Z3 may take, in megabytes.
const MEMORY_MB: &str = "2048";

impl Z3Solver {
    /// A solver that gives up on a question after some time.
    #[must_use]
    pub fn new(timeout: Duration) -> Self {
        z3::set_global_param("memory_max_size", MEMORY_MB);
        let solver = z3::Solver::new();
        let mut params = Params::new();
        params.set_u32(
            "timeout",
            u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX),
        );
        solver.set_params(&params);
        Z3Solver { solver }
    }
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
                let reason = reason.unwrap_or_else(|| "no reason given".to_owned());
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
        self.solver.pop(1);
        answer
    }
}
