//! The session: one command at a time, carried out by the parts that it joins.
//!
//! A part owns its fields and knows those that stand before it in [`Session`], no others.

#[cfg(test)]
mod lies;
mod looks;
mod open;
mod play;
mod resume;
mod traces;
mod upload;

use std::path::{Path, PathBuf};

use borges_board::{Board, BoardState};
use borges_sim::Pace;
use borges_vm::Machine;

use crate::command::listing::{PlaceView, Variable};
use crate::command::question::{Question, Within};
use crate::command::{
    Act, Command, Direction, Event, Flow, Observer, Reply, Stop, StopReason, unobserved,
};
use crate::device::runner::Runner;
use crate::error::CommandError;
use crate::history::Stops;
use crate::history::entry::Moment;
use crate::live::Onlooker;
use crate::look::agents;
use crate::look::leaves::Leaves;
use crate::motion::{self, Ground, Motion};
use crate::options::Options;
use crate::record::{Record, Replayed};
use crate::stage::Stage;
use crate::suggest::same::Reconverged;
use crate::suggest::{Inquiry, ask};

/// A live session with one program.
///
/// The user looks at a universe ([`Session::here`]); the device stands at another, or at the same. Commands that look at
/// the past move only the first; the device follows when the program has to go on from there, or when it is asked to.
pub struct Session {
    options: Options,
    stage: Stage,
    runner: Runner,
    record: Record,
    motion: Motion,
    live: Onlooker,
    leaves: Leaves,
    reconverged: Reconverged,
    /// Variables at the last stop, to tell what changed.
    last_variables: Vec<Variable>,
}

impl Session {
    fn assemble(options: Options, stage: Stage) -> Self {
        Self {
            options,
            stage,
            runner: Runner::default(),
            motion: Motion::default(),
            live: Onlooker::default(),
            leaves: Leaves::default(),
            reconverged: Reconverged::default(),
            record: Record::default(),
            last_variables: Vec::new(),
        }
    }

    /// Carries out a command. `observer` hears of what happens meanwhile, and may pause.
    ///
    /// When there is a session file, everything that the reply shows is in it.
    ///
    /// # Errors
    /// [`CommandError`]; the session then stands where it stood, or where the device last confirmed it was.
    pub fn execute(
        &mut self,
        command: impl Into<Command>,
        observer: &mut dyn FnMut(Event) -> Flow,
    ) -> Result<Reply, CommandError> {
        let command = command.into();
        agents::known(command.agent())?;
        let result = match command {
            Command::Look(look) => self.answer(look, observer),
            Command::Act(act) => self.carry_out(act, observer),
        };
        self.runner.tell(observer);
        // Also a command that failed may have recorded something.
        let saved = self.save();
        let reply = result?;
        saved?;
        Ok(reply)
    }

    /// The moment shown.
    #[must_use]
    pub fn here(&self) -> PlaceView {
        self.stage
            .view(self.stage.history.here(), self.runner.state())
    }

    /// The branch that motions forward follow: its tip is the end of the current path.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.stage.history.tip().place.branch.0
    }

    /// The program's board.
    #[must_use]
    pub fn board(&self) -> &Board {
        self.stage.board()
    }

    /// What the program has done to the board, at the moment shown.
    #[must_use]
    pub fn board_state(&self) -> &BoardState {
        &self.stage.history.twin().board
    }

    /// The program's state at the moment shown, to compare in full.
    #[doc(hidden)]
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.stage.history.twin().machine
    }

    /// The file of the program.
    #[must_use]
    pub fn program_path(&self) -> &Path {
        &self.options.program
    }

    /// The files that the program is made of: its own, and those that it is linked with.
    pub fn program_files(&self) -> impl Iterator<Item = &Path> {
        let libraries = self.options.libraries.iter();
        let libraries = libraries.map(|library| library.path.as_path());
        [self.program_path()].into_iter().chain(libraries)
    }

    /// The module that runs, which its file and those that it is linked with came to when it was opened.
    #[must_use]
    pub fn module(&self) -> &[u8] {
        self.stage.program().module.bytes()
    }

    /// The names of what the program imports.
    #[must_use]
    pub fn imports(&self) -> Vec<String> {
        let imports = self.stage.program().module.imports();
        imports.map(|import| import.name.to_owned()).collect()
    }

    /// The session file, if one is written.
    #[must_use]
    pub fn session_file(&self) -> Option<PathBuf> {
        self.record.path().map(Path::to_owned)
    }

    /// What of the session file is not as it was written, each with what is lost by it: none of that is shown.
    #[must_use]
    pub fn damage(&self) -> &[String] {
        self.record.damage()
    }

    /// What of the session file is damaged, and what was left out of the debug information because it is broken.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let broken = self.stage.info().warnings().iter().map(ToString::to_string);
        self.record.damage().iter().cloned().chain(broken).collect()
    }

    /// Shows what there is to be seen while the program runs, with what these expressions come to; nothing if nobody looks.
    /// Observers are told it as [`Event::Live`], some times in a second, however fast the program is: it takes a small share
    /// of the run's time.
    pub fn look_on(&mut self, expressions: Option<Vec<String>>) {
        self.live.look_on(expressions);
    }

    /// Keeps to a pace that others may set while the program runs. To be said before the first motion.
    pub fn keep_pace(&mut self, pace: Pace) {
        self.options.pace = pace;
    }

    /// A question about the futures of the universe shown, to be answered here or on another thread. Nothing of the
    /// session changes, neither now nor then. `observer` hears of replays on the way, and may pause them.
    ///
    /// # Errors
    /// [`CommandError`]: it cannot be asked here, names something that is not there, or was paused.
    pub fn inquire(
        &mut self,
        question: Question,
        within: Within,
        observer: Observer<'_>,
    ) -> Result<Inquiry, CommandError> {
        ask::inquire(&mut self.stage, question, within, observer)
    }

    fn carry_out(&mut self, act: Act, observer: Observer<'_>) -> Result<Reply, CommandError> {
        match act {
            Act::Continue { direction } => {
                self.moved(observer, |motion, ground, observer| match direction {
                    Direction::Forward => motion.go_on(ground, observer),
                    Direction::Backward => motion.go_back(ground.stage, observer),
                })
            }
            Act::RunOn => self.moved(observer, |motion, ground, observer| {
                match motion.go_on(ground, observer)? {
                    StopReason::Tip => motion.go_on(ground, observer),
                    reason => Ok(reason),
                }
            }),
            Act::Step {
                agent: _,
                direction,
                size,
                count,
            } => self.moved(observer, |motion, ground, observer| {
                motion.steps(ground, (direction, size, count), observer)
            }),
            Act::RunTo { place, direction } => {
                let (offsets, _) = self.stage.resolve(&place)?;
                self.moved(observer, |motion, ground, observer| match direction {
                    Direction::Forward => motion.run_to(ground, offsets, observer),
                    Direction::Backward => motion.run_back_to(ground.stage, offsets, observer),
                })
            }
            Act::Restart => self.moved(observer, |_, ground, _| {
                ground.stage.history.seek(Moment::START, &mut unobserved)?;
                Ok(StopReason::Start)
            }),
            Act::Jump { target } => {
                let moment = self.moment_named(&target, observer)?;
                self.moved(observer, |_, ground, observer| {
                    motion::jump(ground.stage, moment, observer)
                })
            }
            Act::Follow { always } => self.follow(always, observer),
            Act::Fork => {
                self.motion.fork(self.stage.history.here());
                Ok(Reply::done(
                    "the next step forward is taken live, as a branch of its own",
                ))
            }
            Act::Mock { call, values } => {
                self.runner.add_mock(&self.stage, &call, &values, observer)
            }
            Act::Unmock { call } => self
                .runner
                .remove_mock(&self.stage, call.as_deref(), observer),
            Act::Branches { values } => self.stage.add_branches(&values),
            Act::Play { at, values, until } => self.play(at.as_deref(), &values, until, observer),
            Act::Break(spec) => self.motion.add_breakpoint(&self.stage, spec),
            Act::DeleteBreakpoints { ids } => self.motion.delete_breakpoints(&ids),
            Act::EnableBreakpoint { id, enabled } => {
                self.motion.enable_breakpoint(&self.stage, id, enabled)
            }
            Act::Pace { times } => {
                self.options.pace.set(times);
                Ok(Reply::done(&pace_text(times)))
            }
            Act::Who { what } => {
                self.motion
                    .who(&mut self.stage, self.runner.state(), &what, observer)
            }
            Act::Verify => self.verify(observer),
            Act::Upload { program } => self.upload(Path::new(&program), observer),
            Act::Note { text } => {
                self.record.note(self.stage.history.here(), &text);
                Ok(Reply::done(if text.is_empty() {
                    "the note is gone"
                } else {
                    "noted"
                }))
            }
            Act::Bookmark { name } => {
                self.record.bookmark(self.stage.history.here(), &name);
                Ok(Reply::done(&format!("'jump {name}' comes back here")))
            }
        }
    }

    /// Moves the view, remembers what the variables were before, and brings the device along if it follows.
    fn moved(
        &mut self,
        observer: Observer<'_>,
        go: impl FnOnce(&mut Motion, &mut Ground<'_>, Observer<'_>) -> Result<StopReason, CommandError>,
    ) -> Result<Reply, CommandError> {
        let scene = self.stage.scene();
        self.last_variables = scene.locals(scene.own_frame()).unwrap_or_default();
        self.live.begin(&self.stage.history, &self.last_variables);
        let (motion, mut ground) = self.parts();
        let moved = motion.moved(&mut ground, observer, go);
        ground.live.end();
        let mut reason = moved?;
        if ground.runner.follows() && reason != StopReason::Paused {
            match ground.bring(observer) {
                Err(CommandError::Paused) => reason = StopReason::Paused,
                brought => drop(brought?),
            }
        }
        Ok(Reply::Stopped(Stop {
            reason,
            at: self.here(),
        }))
    }

    /// Where the device stands, as a string, for tests; nothing without a device, or if it was left between two places.
    #[doc(hidden)]
    #[must_use]
    pub fn device_moment(&self) -> Option<String> {
        let at = self.runner.settled()?;
        Some(self.stage.moment_text(at))
    }

    /// The moment that a user names: a bookmark, `device`, or what [`Stage::moment_named`] knows.
    fn moment_named(&mut self, name: &str, observer: Observer<'_>) -> Result<Moment, CommandError> {
        let name = name.trim();
        match self.record.named(name) {
            Some(at) => Ok(at),
            None if name == "device" => Ok(self.runner.state().unwrap_or(Moment::START)),
            None => self.stage.moment_named(name, observer),
        }
    }

    fn follow(
        &mut self,
        always: Option<bool>,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        if let Some(always) = always {
            self.runner.follow(always);
        }
        if always == Some(false) {
            return Ok(Reply::done(
                "the device stays where it is until the program goes on or you say 'follow'",
            ));
        }
        let undone = self.parts().1.bring(observer)?;
        Ok(Reply::done(&format!("the device is here: {undone}")))
    }

    /// What moves, and what it goes over.
    fn parts(&mut self) -> (&mut Motion, Ground<'_>) {
        let ground = Ground {
            options: &self.options,
            stage: &mut self.stage,
            runner: &mut self.runner,
            record: &mut self.record,
            live: &mut self.live,
        };
        (&mut self.motion, ground)
    }

    /// Runs the program on its device until it ends, until the step count `until`, or until the observer pauses it, and
    /// saves its trace as it goes.
    ///
    /// # Errors
    /// [`CommandError`] if device or session file fail; what was recorded before is kept.
    pub fn record(
        &mut self,
        until: Option<u64>,
        observer: Observer<'_>,
    ) -> Result<StopReason, CommandError> {
        loop {
            if let Some(ended) = self.stage.ended() {
                self.save()?;
                return Ok(ended);
            }
            if until.is_some_and(|until| self.stage.history.here().steps >= until) {
                return Ok(StopReason::Bound);
            }
            let paused = self.parts().1.run(&Stops::default(), until, observer)?;
            self.save()?;
            if paused.reason == borges_wire::PauseReason::Requested && !paused.full {
                return Ok(StopReason::Paused);
            }
        }
    }

    /// Replays every branch from the start of the program to its end, on the twin, and compares the last states with the
    /// recorded hashes.
    ///
    /// # Errors
    /// [`CommandError::Divergence`] names the first step that went another way; [`CommandError::Invalid`] a state that
    /// differs.
    pub fn replay(&mut self, observer: Observer<'_>) -> Result<Replayed, CommandError> {
        self.record.replay(&mut self.stage, observer)
    }

    /// Writes what is new. When this returns, a kill of the process loses nothing of it.
    fn save(&mut self) -> Result<(), CommandError> {
        let (motion, runner, stage) = (&self.motion, &self.runner, &self.stage);
        let now = || (motion.breakpoints().stored(), runner.mock_listings(stage));
        self.record.keep_stops(now)?;
        let device = self.runner.state();
        self.record.save(&mut self.stage.history, device)
    }

    fn verify(&mut self, observer: Observer<'_>) -> Result<Reply, CommandError> {
        let verified = self.runner.verify(&mut self.stage, &self.options, observer);
        let (steps, hash) = verified?;
        Ok(Reply::done(&format!(
            "device and twin agree at step {steps}: state {hash:016x}"
        )))
    }
}

/// A pace in words.
fn pace_text(times: Option<u32>) -> String {
    match times {
        None | Some(0) => "the program runs as fast as it can".to_owned(),
        Some(1) => "the board's clock goes no faster than the clock on the wall".to_owned(),
        Some(times) => {
            format!("the board's clock goes at most {times} times as fast as the clock on the wall")
        }
    }
}
