//! The program beside its recording: every call must be the recorded one.

use borges_board::PrimitiveKind;
use borges_stub::{Answer, Call, Halt, Program, World};
use borges_vm::{ExternType, Machine, Outcome, Value, Write};

use super::ImportError;
use super::recording::{HostRecording, Recorded, RecordedCall, RecordedEnd};
use crate::values::show_all;

/// A recording that a program is led along.
#[derive(Clone)]
pub(super) struct Follower<'r> {
    pub(super) recording: HostRecording<'r>,
    program: Program,
    next: Option<Next>,
    /// The exports that the host called, where it called several, and what they returned.
    entries: Vec<(String, Vec<Value>)>,
    /// Calls that were followed.
    pub(super) calls: u64,
}

/// What a program does next, as it is recorded.
#[derive(Clone)]
enum Next {
    Call(RecordedCall),
    End(RecordedEnd),
}

/// What comes of a call.
pub(super) enum Followed {
    /// It returned.
    Call(RecordedCall),
    /// The program ended in it, with this code.
    Exit(u32),
    /// The recording ends in it.
    Rest,
}

impl<'r> Follower<'r> {
    /// # Errors
    /// [`ImportError::Imports`] if the recording is not about the program's imports.
    pub(super) fn new(
        recording: HostRecording<'r>,
        program: &Program,
    ) -> Result<Self, ImportError> {
        let mut recorded = recording.imports.iter();
        for import in program.module.imports() {
            let ExternType::Func(ty) = import.ty else {
                continue;
            };
            let same = recorded.next().is_some_and(|recorded| {
                (recorded.module.as_str(), recorded.name.as_str()) == (import.module, import.name)
                    && recorded.params[..] == ty.params[..]
                    && recorded.results[..] == ty.results[..]
            });
            if !same {
                return Err(ImportError::Imports(format!(
                    "{}.{}",
                    import.module, import.name
                )));
            }
        }
        match recorded.next() {
            Some(more) => Err(ImportError::Imports(format!(
                "{}.{}",
                more.module, more.name
            ))),
            None => Ok(Self {
                recording,
                program: program.clone(),
                next: None,
                entries: Vec::new(),
                calls: 0,
            }),
        }
    }

    /// What is recorded next, calls of constants aside: they never leave the program.
    fn peek(&mut self) -> Result<&Next, ImportError> {
        while self.next.is_none() {
            let next = match self.recording.read_on()? {
                // The program is called by its lines; what came of it is compared at the end.
                Recorded::Entry(entry) => {
                    self.entries.push((entry.name, Vec::new()));
                    continue;
                }
                Recorded::Left(results) => {
                    if let Some((_, known)) = self.entries.last_mut() {
                        *known = results;
                    }
                    continue;
                }
                Recorded::Call(call) => Next::Call(call),
                Recorded::End(end) => Next::End(end),
            };
            if let Next::Call(call) = &next
                && let Some(PrimitiveKind::Constant(value)) = self.kind(call.import)
                && call.results == [value]
            {
                continue;
            }
            self.next = Some(next);
        }
        // The loop ends with one.
        Ok(self.next.get_or_insert(Next::End(RecordedEnd::Stopped)))
    }

    fn kind(&self, import: usize) -> Option<PrimitiveKind> {
        let primitive = self.program.primitive(u32::try_from(import).ok()?)?;
        Some(self.program.board.primitive(primitive)?.kind)
    }

    /// Takes the recorded call that the program makes now.
    ///
    /// # Errors
    /// [`ImportError`] if it makes another one.
    pub(super) fn take(&mut self, call: &Call<'_>) -> Result<Followed, ImportError> {
        let (number, step) = (self.calls + 1, call.steps);
        let diverged = |what| ImportError::Diverged { number, step, what };
        let here = self.text(call.primitive, call.args);
        let exits = self.program.board.exits(call.primitive);
        let recorded = match self.peek()? {
            Next::End(RecordedEnd::Exited(code))
                if exits && *call.args == [Value::I32(*code as i32)] =>
            {
                return Ok(Followed::Exit(*code));
            }
            // Who ended it there, the program or the host, only a model of the host can say.
            Next::End(RecordedEnd::Trapped | RecordedEnd::Stopped) => {
                return Ok(Followed::Rest);
            }
            Next::End(end) => {
                let what = format!(
                    "the program calls {here}; recorded is that it {}",
                    ended(*end)
                );
                return Err(diverged(what));
            }
            Next::Call(recorded) => recorded.clone(),
        };
        let same = u32::try_from(recorded.import)
            .ok()
            .and_then(|import| self.program.primitive(import))
            == Some(call.primitive);
        if !same || recorded.args != call.args {
            let import = &self.recording.imports[recorded.import];
            let what = format!(
                "the program calls {here}; recorded is {}({})",
                import.name,
                show_all(&recorded.args)
            );
            return Err(diverged(what));
        }
        let import = &self.recording.imports[recorded.import];
        if import.handed(&recorded.args, call.memory) != recorded.handed {
            let what = format!("{here} hands the host other bytes than were recorded");
            return Err(diverged(what));
        }
        let size = call.memory.len();
        let outside = |write: &&Write| write.address as usize + write.bytes.len() > size;
        if let Some(write) = recorded.writes.iter().find(outside) {
            let what = format!(
                "{here} wrote {} bytes at {} when it was recorded, and the memory has {size}",
                write.bytes.len(),
                write.address
            );
            return Err(diverged(what));
        }
        self.next = None;
        self.calls += 1;
        Ok(Followed::Call(recorded))
    }

    fn text(&self, primitive: borges_board::PrimitiveId, args: &[Value]) -> String {
        let primitive = self.program.board.primitive(primitive);
        let name = primitive.map_or("?", |primitive| &primitive.name);
        format!("{name}({})", show_all(args))
    }

    /// Compares how the program came to rest with how it ended when it was recorded.
    ///
    /// # Errors
    /// [`ImportError`] if it did not end like that.
    pub(super) fn rest(
        &mut self,
        halt: &Halt,
        machine: &Machine,
    ) -> Result<RecordedEnd, ImportError> {
        let (number, step) = (self.calls + 1, machine.steps());
        let here = match (halt, machine.outcome()) {
            (_, Some(Outcome::Exited(code))) => format!("ended with code {code}"),
            (Halt::Trapped(trap), _) => format!("trapped ({trap})"),
            (Halt::Finished, _) => "returned".to_owned(),
            _ => "went on".to_owned(),
        };
        let recorded = self.peek()?.clone();
        let what = match recorded {
            Next::Call(call) => {
                let import = &self.recording.imports[call.import];
                format!("the program {here}; recorded is a call of {}", import.name)
            }
            Next::End(end) => {
                if let (RecordedEnd::Returned, Some(what)) = (end, self.other_result(machine)) {
                    return Err(ImportError::Diverged { number, step, what });
                }
                let same = match end {
                    RecordedEnd::Returned => *halt == Halt::Finished && here == "returned",
                    RecordedEnd::Exited(code) => machine.outcome() == Some(&Outcome::Exited(code)),
                    // In the call that comes next, if not by itself.
                    RecordedEnd::Trapped => !matches!(halt, Halt::Finished),
                    RecordedEnd::Stopped => *halt == Halt::Left,
                };
                if same {
                    return Ok(end);
                }
                format!("the program {here}; recorded is that it {}", ended(end))
            }
        };
        Err(ImportError::Diverged { number, step, what })
    }

    /// Which of several exports returned something else than when it was recorded, in words.
    fn other_result(&self, machine: &Machine) -> Option<String> {
        let Some(Outcome::Finished(results)) = machine.outcome() else {
            return None;
        };
        let mut rest = &results[..];
        for (name, recorded) in &self.entries {
            let (here, behind) = rest.split_at_checked(recorded.len())?;
            rest = behind;
            if here != recorded {
                let (here, recorded) = (show_all(here), show_all(recorded));
                return Some(format!("{name} returned {here}; recorded is {recorded}"));
            }
        }
        None
    }
}

fn ended(end: RecordedEnd) -> String {
    match end {
        RecordedEnd::Returned => "returned".to_owned(),
        RecordedEnd::Exited(code) => format!("ended with code {code}"),
        RecordedEnd::Trapped => "trapped".to_owned(),
        RecordedEnd::Stopped => "was recorded no further".to_owned(),
    }
}

/// A world that knows nothing but the recording.
pub(super) struct Film<'f, 'r, S> {
    pub(super) follower: &'f mut Follower<'r>,
    /// Told of every call and what came of it.
    pub(super) seen: S,
    /// Why the program was left.
    pub(super) failed: Option<ImportError>,
}

impl<S: FnMut(&Call<'_>, &RecordedCall)> Film<'_, '_, S> {
    fn call(&mut self, call: &Call<'_>) -> Answer {
        match self.follower.take(call) {
            Ok(Followed::Call(recorded)) => {
                (self.seen)(call, &recorded);
                Answer::Wrote(recorded.results.first().copied(), recorded.writes)
            }
            Ok(Followed::Exit(code)) => Answer::Exit(code),
            Ok(Followed::Rest) => Answer::Leave,
            Err(error) => {
                self.failed = Some(error);
                Answer::Leave
            }
        }
    }
}

impl<S: FnMut(&Call<'_>, &RecordedCall)> World for Film<'_, '_, S> {
    fn input(&mut self, call: &Call<'_>) -> Answer {
        self.call(call)
    }

    fn output(&mut self, call: &Call<'_>) -> Answer {
        self.call(call)
    }

    fn system(&mut self, call: &Call<'_>) -> Answer {
        self.call(call)
    }
}
