//! Z3 in this process, on a thread of its own.
//!
//! Z3's state belongs to a thread. When a question fails, the thread ends, and all memory that Z3 took for it is free
//! again; if Z3 does not come back when its time is up, it is left behind.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use borges_vm::ValType;
use z3::ast::BV;
use z3::{Params, SatResult, Solver as Z3};

use super::{Query, Solver, smtlib};
use crate::decide::Answer;
use crate::set::greatest;

/// Z3, as a library. It keeps what it has learned from one question to the next, as long as they have answers.
#[derive(Debug)]
pub struct Z3Solver {
    timeout: Duration,
    memory_mb: u32,
    running: Option<Running>,
}

/// Z3 at work.
#[derive(Debug)]
struct Running {
    questions: Sender<Question>,
    answers: Receiver<Answer>,
    thread: JoinHandle<()>,
}

/// A question in Z3's language, and the inputs whose values are wanted.
#[derive(Debug)]
struct Question {
    assertions: String,
    inputs: Vec<(u32, ValType)>,
}

/// Memory that Z3 may take.
const MEMORY_MB: u32 = 2048;
/// More time than it should need to notice that its time is up.
const GRACE: Duration = Duration::from_secs(2);

impl Z3Solver {
    /// A solver that gives up on a question after some time.
    #[must_use]
    pub fn new(timeout: Duration) -> Self {
        Self::with_memory_mb(timeout, MEMORY_MB)
    }

    /// A solver that gives up on a question after some time, or when Z3 takes more memory than this, in megabytes: it
    /// is what all solvers of this process take together, and the last that is made says how much.
    #[must_use]
    pub fn with_memory_mb(timeout: Duration, memory_mb: u32) -> Self {
        Z3Solver {
            timeout,
            memory_mb,
            running: None,
        }
    }

    fn start(&self) -> Running {
        let (questions, asked) = channel::<Question>();
        let (tell, answers) = channel();
        let (timeout, memory_mb) = (self.timeout, self.memory_mb);
        let thread = thread::spawn(move || {
            z3::set_global_param("memory_max_size", &memory_mb.to_string());
            let solver = Z3::new();
            let mut params = Params::new();
            let timeout_ms = u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX);
            params.set_u32("timeout", timeout_ms);
            solver.set_params(&params);
            for question in asked {
                let answer = answer(&solver, &question, memory_mb);
                let is_last = matches!(answer, Answer::Unknown(_));
                if tell.send(answer).is_err() || is_last {
                    return;
                }
            }
        });
        Running {
            questions,
            answers,
            thread,
        }
    }
}

impl Solver for Z3Solver {
    fn name(&self) -> &str {
        "z3"
    }

    fn check(&mut self, query: &Query<'_>) -> Answer {
        let running = self.running.take().unwrap_or_else(|| self.start());
        let inputs = query.variables.iter();
        let question = Question {
            assertions: smtlib::assertions(query),
            inputs: inputs.map(|input| (input.place, input.ty)).collect(),
        };
        if running.questions.send(question).is_err() {
            return Answer::Unknown("z3 has ended".into());
        }
        match running.answers.recv_timeout(self.timeout + GRACE) {
            Ok(answer @ Answer::Unknown(_)) => {
                // Its memory is free before the next question.
                let _ended = running.thread.join();
                answer
            }
            Ok(answer) => {
                self.running = Some(running);
                answer
            }
            Err(RecvTimeoutError::Timeout) => {
                Answer::Unknown("z3 took too long, did not end when it should, and was left".into())
            }
            Err(RecvTimeoutError::Disconnected) => Answer::Unknown("z3 has ended".into()),
        }
    }
}

/// Asks Z3. Declarations and assertions of a question live as long as the question.
fn answer(solver: &Z3, question: &Question, memory_mb: u32) -> Answer {
    solver.push();
    solver.from_string(question.assertions.as_str());
    let answer = match solver.check() {
        SatResult::Unsat => Answer::No,
        SatResult::Unknown => {
            let reason = match solver.get_reason_unknown().as_deref() {
                // So it says when its memory is used up.
                None | Some("" | "unknown") => {
                    format!("it gave up, perhaps for want of memory ({memory_mb} MB)")
                }
                Some("canceled" | "timeout") => "it took too long".to_owned(),
                Some(reason) => reason.to_owned(),
            };
            Answer::Unknown(format!("z3 does not know: {reason}").into())
        }
        SatResult::Sat => match solver.get_model() {
            None => Answer::Unknown("z3 gave no values".into()),
            Some(model) => {
                let values = question.inputs.iter().map(|(place, ty)| {
                    let is_narrow = greatest(*ty) == u64::from(u32::MAX);
                    let bits = if is_narrow { 32 } else { 64 };
                    let input = BV::new_const(format!("i{place}"), bits);
                    let value = model.eval(&input, true).and_then(|value| value.as_u64());
                    (*place, value.unwrap_or(0))
                });
                Answer::Yes(values.collect())
            }
        },
    };
    solver.pop(1);
    answer
}
