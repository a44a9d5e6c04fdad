//! A solver as a process that speaks SMT-LIB 2.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Query, Solver, smtlib};
use crate::budget::{Budget, PULSE};
use crate::constraint::{NO_TIME, Solution};

/// A solver in a process of its own, started when the first question comes and again after it failed.
#[derive(Debug)]
pub struct ProcessSolver {
    program: PathBuf,
    arguments: Vec<String>,
    name: String,
    timeout: Duration,
    memory_mb: u64,
    running: Option<Running>,
    failures: u32,
}

#[derive(Debug)]
struct Running {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// How long to wait for an answer.
struct Wait<'w> {
    deadline: Instant,
    budget: &'w Budget<'w>,
}

/// Why a question has no answer.
enum Failed {
    /// Nothing is left to spend: the solver is not to blame.
    Budget,
    /// The solver failed, in words.
    Solver(String),
}

/// Solvers that are known, in the order of preference, and how they are told to read questions one after the other.
const KNOWN: &[(&str, &[&str])] = &[
    ("bitwuzla", &["--produce-models", "--lang", "smt2"]),
    (
        "cvc5",
        &["--incremental", "--produce-models", "--lang=smt2", "-q"],
    ),
    ("z3", &["-in"]),
];
/// Memory that a solver may take.
const MEMORY_MB: u64 = 4096;
/// A solver that fails so often is not asked again.
const MOST_FAILURES: u32 = 3;

impl ProcessSolver {
    /// A solver by its program and arguments.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>, arguments: &[&str], timeout: Duration) -> Self {
        let program = program.into();
        let name = program.file_name().unwrap_or(program.as_os_str());
        ProcessSolver {
            name: name.to_string_lossy().into_owned(),
            program,
            arguments: arguments.iter().map(|text| (*text).to_owned()).collect(),
            timeout,
            memory_mb: MEMORY_MB,
            running: None,
            failures: 0,
        }
    }

    /// Gives it less (or more) memory than usual, in megabytes. Only Unix has such a limit.
    #[must_use]
    pub fn with_memory_mb(mut self, memory_mb: u64) -> Self {
        self.memory_mb = memory_mb;
        self
    }

    /// The first of bitwuzla, cvc5 and z3 that is on the path.
    #[must_use]
    pub fn find(timeout: Duration) -> Option<Self> {
        KNOWN
            .iter()
            .find_map(|(name, _)| Self::on_path(name, timeout))
    }

    /// A known solver, if it is on the path.
    #[must_use]
    pub fn on_path(name: &str, timeout: Duration) -> Option<Self> {
        let (name, arguments) = KNOWN.iter().find(|(known, _)| *known == name)?;
        let path = std::env::var_os("PATH")?;
        let mut folders = std::env::split_paths(&path).map(|folder| folder.join(name));
        let program = folders.find(|file| is_program(file))?;
        Some(Self::new(program, arguments, timeout))
    }

    /// The process to start: on Unix by way of a shell, which limits its memory and then becomes it.
    fn command(&self) -> Command {
        if !cfg!(unix) {
            return Command::new(&self.program);
        }
        let limit = self.memory_mb.saturating_mul(1024);
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(format!("ulimit -v {limit}; exec \"$0\" \"$@\""))
            .arg(&self.program);
        command
    }

    fn start(&self) -> std::io::Result<Running> {
        let mut child = self
            .command()
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        let (sender, lines) = mpsc::channel();
        // Reading may block for ever, so it is done where nobody waits.
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut running = Running {
            child,
            input,
            lines,
        };
        // If it has ended already, the first question finds out.
        let _ = running
            .input
            .write_all(b"(set-option :produce-models true)\n(set-logic ALL)\n");
        Ok(running)
    }

    fn ask(&mut self, query: &Query<'_>, budget: &Budget<'_>) -> Result<Solution, Failed> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self
                .start()
                .map_err(|error| Failed::Solver(format!("cannot be started: {error}")))?,
        };
        let names: Vec<String> = query
            .variables
            .iter()
            .map(|variable| format!("i{}", variable.place))
            .collect();
        let text = format!("(push 1)\n{}(check-sat)\n", smtlib::assertions(query));
        let wait = Wait {
            deadline: Instant::now() + self.timeout,
            budget,
        };
        let answer = running.exchange(&text, &names, &wait);
        match answer {
            Ok(answer) => {
                self.running = Some(running);
                Ok(answer)
            }
            Err(reason) => {
                running.stop();
                Err(reason)
            }
        }
    }
}

impl Solver for ProcessSolver {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&mut self, query: &Query<'_>, budget: &Budget<'_>) -> Solution {
        if self.failures >= MOST_FAILURES {
            let reason = format!(
                "{} failed {MOST_FAILURES} times and is not asked again",
                self.name
            );
            return Solution::Unknown(reason.into());
        }
        match self.ask(query, budget) {
            Ok(answer) => answer,
            Err(Failed::Budget) => Solution::Unknown(NO_TIME.into()),
            Err(Failed::Solver(reason)) => {
                self.failures += 1;
                Solution::Unknown(format!("{}: {reason}", self.name).into())
            }
        }
    }
}

impl Drop for ProcessSolver {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop();
        }
    }
}

impl Running {
    fn exchange(
        &mut self,
        text: &str,
        names: &[String],
        wait: &Wait<'_>,
    ) -> Result<Solution, Failed> {
        self.send(text)?;
        let answer = match self.line(wait)?.trim() {
            "unsat" => Solution::No,
            "sat" => {
                self.send(&format!("(get-value ({}))\n", names.join(" ")))?;
                let mut reply = String::new();
                loop {
                    reply.push_str(&self.line(wait)?);
                    reply.push(' ');
                    let depth = |c: char| reply.matches(c).count();
                    if depth('(') == depth(')') {
                        break;
                    }
                }
                let nonsense = || Failed::Solver(format!("answered '{}'", reply.trim()));
                Solution::Yes(values(&reply).ok_or_else(nonsense)?)
            }
            "unknown" => Solution::Unknown("the solver does not know".into()),
            other => return Err(Failed::Solver(format!("answered '{other}'"))),
        };
        self.send("(pop 1)\n")?;
        Ok(answer)
    }

    fn send(&mut self, text: &str) -> Result<(), Failed> {
        let sent = self.input.write_all(text.as_bytes());
        sent.and_then(|()| self.input.flush())
            .map_err(|_| Failed::Solver("ended (out of memory?)".to_owned()))
    }

    fn line(&self, wait: &Wait<'_>) -> Result<String, Failed> {
        loop {
            let left = wait.deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(PULSE)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failed::Solver("ended (out of memory?)".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) if wait.budget.is_spent() => {
                    return Err(Failed::Budget);
                }
                Err(RecvTimeoutError::Timeout) if left <= PULSE => {
                    return Err(Failed::Solver("took too long and was ended".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn stop(mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The values in a reply such as `((i0 #x0000002a) (i1 (_ bv7 32)))`.
fn values(reply: &str) -> Option<Vec<(u32, u64)>> {
    let spaced = reply.replace(['(', ')'], " ");
    let mut words = spaced.split_whitespace();
    let mut values = Vec::new();
    while let Some(word) = words.next() {
        let place = word.strip_prefix('i')?.parse().ok()?;
        let value = words.next()?;
        let cell = if let Some(digits) = value.strip_prefix("#x") {
            u64::from_str_radix(digits, 16).ok()?
        } else if let Some(digits) = value.strip_prefix("#b") {
            u64::from_str_radix(digits, 2).ok()?
        } else if value == "_" {
            let number = words.next()?.strip_prefix("bv")?.parse().ok()?;
            words.next()?;
            number
        } else {
            return None;
        };
        values.push((place, cell));
    }
    Some(values)
}

fn is_program(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let executable = |data: std::fs::Metadata| data.permissions().mode() & 0o111 != 0;
        file.is_file() && file.metadata().is_ok_and(executable)
    }
    #[cfg(not(unix))]
    file.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_in_every_notation() {
        assert_eq!(
            values("((i0 #x0000002a) (i12 (_ bv7 32))\n (i3 #b101))"),
            Some(vec![(0, 42), (12, 7), (3, 5)])
        );
        assert_eq!(values("(error \"out of memory\")"), None);
    }
}
