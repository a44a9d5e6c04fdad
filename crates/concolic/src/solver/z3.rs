//! Z3 in this process, on a thread of its own.
//!
//! Z3's state belongs to a thread. When a question fails, the thread ends, and all memory that Z3 took for it is free
//! again; if Z3 does not come back when its time is up, it is left behind, and ends at the first place where it listens.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use borges_vm::ValType;
use z3::ast::BV;
use z3::{Context, Params, SatResult, Solver as Z3};

use super::{Query, Solver, smtlib};
use crate::budget::{Budget, PULSE};
use crate::constraint::{NO_TIME, Solution};
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
    answers: Receiver<Solution>,
    /// Whatever is said here ends the question under way, and the thread.
    interrupts: Sender<()>,
    thread: JoinHandle<()>,
}

/// A question in Z3's language, and the inputs whose values are wanted.
#[derive(Debug)]
struct Question {
    assertions: String,
    inputs: Vec<(u32, ValType)>,
    timeout: Duration,
}

/// Memory that Z3 may take.
const MEMORY_MB: u32 = 2048;
/// More time than it should need to notice that its time is up.
const GRACE: Duration = Duration::from_secs(2);

/// How long it is waited for once it was told to end.
const LATE: Duration = Duration::from_millis(30);

/// No question takes longer, whatever the budget.
const MOST_TIME: Duration = Duration::from_secs(86_400);

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
        let (interrupts, interrupted) = channel::<()>();
        let memory_mb = self.memory_mb;
        let work = move || {
            z3::set_global_param("memory_max_size", &memory_mb.to_string());
            let context = Context::thread_local();
            let handle = context.handle();
            let (has_ended, is_told) = (AtomicBool::new(false), AtomicBool::new(false));
            thread::scope(|scope| {
                let (has_ended, is_told) = (&has_ended, &is_told);
                scope.spawn(move || {
                    if interrupted.recv().is_err() {
                        return;
                    }
                    is_told.store(true, Ordering::Release);
                    // It forgets an interrupt that comes between reading a question and answering it.
                    while !has_ended.load(Ordering::Acquire) {
                        handle.interrupt();
                        thread::sleep(PULSE);
                    }
                });
                let solver = Z3::new();
                for question in asked {
                    let answer = answer(&solver, &question, memory_mb);
                    let is_last = matches!(answer, Solution::Unknown(_));
                    let is_told = is_told.load(Ordering::Acquire);
                    if is_told || tell.send(answer).is_err() || is_last {
                        break;
                    }
                }
                has_ended.store(true, Ordering::Release);
            });
        };
        let thread = thread::Builder::new().name("z3".to_owned()).spawn(work);
        Running {
            questions,
            answers,
            interrupts,
            thread: thread.expect("a thread can be started"),
        }
    }
}

impl Solver for Z3Solver {
    fn name(&self) -> &str {
        "z3"
    }

    fn check(&mut self, query: &Query<'_>, budget: &Budget<'_>) -> Solution {
        let running = self.running.take().unwrap_or_else(|| self.start());
        let inputs = query.variables.iter();
        let timeout = self.timeout.min(budget.left());
        let question = Question {
            assertions: smtlib::assertions(query),
            inputs: inputs.map(|input| (input.place, input.ty)).collect(),
            timeout,
        };
        if running.questions.send(question).is_err() {
            return Solution::Unknown("z3 has ended".into());
        }
        let deadline = Instant::now() + timeout.saturating_add(GRACE).min(MOST_TIME);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match running.answers.recv_timeout(left.min(PULSE)) {
                Ok(answer @ Solution::Unknown(_)) => {
                    drop((running.questions, running.interrupts));
                    // Its memory is free before the next question.
                    let _ended = running.thread.join();
                    return answer;
                }
                Ok(answer) => {
                    self.running = Some(running);
                    return answer;
                }
                // It is told to end, and mostly does at once; nobody waits for it any longer than that.
                Err(RecvTimeoutError::Timeout) if budget.is_spent() => {
                    let _gone = running.interrupts.send(());
                    let _late = running.answers.recv_timeout(LATE);
                    return Solution::Unknown(NO_TIME.into());
                }
                Err(RecvTimeoutError::Timeout) if left <= PULSE => {
                    let _gone = running.interrupts.send(());
                    let reason = "z3 took too long, did not end when it should, and was left";
                    return Solution::Unknown(reason.into());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Solution::Unknown("z3 has ended".into());
                }
            }
        }
    }
}

/// Asks Z3. Declarations and assertions of a question live as long as the question.
fn answer(solver: &Z3, question: &Question, memory_mb: u32) -> Solution {
    let mut params = Params::new();
    let timeout_ms = u32::try_from(question.timeout.as_millis()).unwrap_or(u32::MAX);
    params.set_u32("timeout", timeout_ms.max(1));
    // Z3 would take Ctrl-C for itself, and nobody else would hear of it.
    params.set_bool("ctrl_c", false);
    solver.set_params(&params);
    solver.push();
    solver.from_string(question.assertions.as_str());
    let answer = match solver.check() {
        SatResult::Unsat => Solution::No,
        SatResult::Unknown => {
            let reason = match solver.get_reason_unknown().as_deref() {
                // So it says when its memory is used up.
                None | Some("" | "unknown") => {
                    format!("it gave up, perhaps for want of memory ({memory_mb} MB)")
                }
                Some("canceled" | "timeout") => "it took too long".to_owned(),
                Some(reason) => reason.to_owned(),
            };
            Solution::Unknown(format!("z3 does not know: {reason}").into())
        }
        SatResult::Sat => match solver.get_model() {
            None => Solution::Unknown("z3 gave no values".into()),
            Some(model) => {
                let values = question.inputs.iter().map(|(place, ty)| {
                    let is_narrow = greatest(*ty) == u64::from(u32::MAX);
                    let bits = if is_narrow { 32 } else { 64 };
                    let input = BV::new_const(format!("i{place}"), bits);
                    let value = model.eval(&input, true).and_then(|value| value.as_u64());
                    (*place, value.unwrap_or(0))
                });
                Solution::Yes(values.collect())
            }
        },
    };
    solver.pop(1);
    answer
}
