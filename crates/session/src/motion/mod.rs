//! Moving along the current path, and the breakpoints that stop it.
//!
//! Forward ([`forward`]) goes over the [`Ground`]: on what is recorded the twin moves alone; beyond it the device runs, and
//! the twin follows. Backward ([`backward`]) needs the stage and nothing else.

mod backward;
mod breakpoints;
mod files;
mod forward;
mod ground;
mod stopping;
mod writes;

use borges_vm::CodeOffset;

use crate::command::{
    Direction, Event, Flow, NewBreakpoint, Observer, StepSize, StopReason, unobserved,
};
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::history::{SeekError, Stops};
use crate::stage::Stage;

use breakpoints::Breakpoints;

pub(crate) use ground::Ground;

/// What stops motions, and what one leaves for the next.
#[derive(Default)]
pub(crate) struct Motion {
    breakpoints: Breakpoints,
    /// Offsets of a *run to here*.
    temporary: Vec<CodeOffset>,
    /// Here, motions forward leave the recorded path.
    live_from: Option<Moment>,
    /// The search backwards that was paused last.
    paused_search: Option<PausedSearch>,
}

/// A search backwards that was paused: the same search goes on where it was.
#[derive(Debug)]
struct PausedSearch {
    from: Moment,
    stops: Stops,
    /// Conditions decide what counts as found.
    breakpoints: Vec<NewBreakpoint>,
    /// All between here and `from` was looked at.
    back_to: Moment,
}

impl Motion {
    pub(crate) fn breakpoints(&self) -> &Breakpoints {
        &self.breakpoints
    }

    /// The next step forward from `here` is taken live, as a branch of its own.
    pub(crate) fn fork(&mut self, here: Moment) {
        self.live_from = Some(here);
    }

    /// Whether the next step forward is the device's.
    fn at_live_edge(&self, stage: &Stage) -> bool {
        stage.history.at_tip() || self.live_from == Some(stage.history.here())
    }

    /// Moves the view. It stays where it is if nothing was found, the motion was paused on its way or went astray; what
    /// fails changes nothing else either.
    pub(crate) fn moved(
        &mut self,
        ground: &mut Ground<'_>,
        observer: Observer<'_>,
        motion: impl FnOnce(
            &mut Self,
            &mut Ground<'_>,
            Observer<'_>,
        ) -> Result<StopReason, CommandError>,
    ) -> Result<StopReason, CommandError> {
        let before = ground.stage.history.hold();
        let (line, live_from) = (ground.stage.history.line(), self.live_from);
        let result = motion(self, ground, observer);
        let history = &mut ground.stage.history;
        let back = match &result {
            Ok(StopReason::NotFound) | Err(CommandError::Paused | CommandError::Divergence(_)) => {
                history.seek(before, &mut unobserved)
            }
            _ => Ok(()),
        };
        history.release();
        back?;
        if matches!(result, Err(CommandError::Divergence(_))) {
            history.set_line(line);
            self.live_from = live_from;
        }
        let here = history.here();
        self.live_from = self.live_from.filter(|from| *from == here);
        match result {
            Err(CommandError::Paused) => Ok(StopReason::Paused),
            result => result,
        }
    }

    /// Takes `count` steps, each whole or not at all.
    pub(crate) fn steps(
        &mut self,
        ground: &mut Ground<'_>,
        (direction, size, count): (Direction, StepSize, u64),
        observer: Observer<'_>,
    ) -> Result<StopReason, CommandError> {
        let mut reason = StopReason::Done;
        for number in 0..count.max(1) {
            if number > 0 && observer(ground.stage.progress("stepping")) == Flow::Pause {
                return Ok(StopReason::Paused);
            }
            let before = ground.stage.history.hold();
            let stepped = match direction {
                Direction::Forward => self.step_forward(ground, size, observer),
                Direction::Backward => Self::step_backward(ground.stage, size, observer),
            };
            let paused = matches!(stepped, Err(CommandError::Paused));
            let history = &mut ground.stage.history;
            let back = match paused {
                true => history.seek(before, &mut unobserved),
                false => Ok(()),
            };
            history.release();
            back?;
            if paused {
                return Ok(StopReason::Paused);
            }
            reason = stepped?;
            if reason != StopReason::Done {
                break;
            }
        }
        Ok(reason)
    }
}

/// Shows `target`. If the replay is paused, the user hears how far it came.
pub(crate) fn jump(
    stage: &mut Stage,
    target: Moment,
    observer: Observer<'_>,
) -> Result<StopReason, CommandError> {
    let sought = stage.history.seek(target, observer);
    if sought == Err(SeekError::Paused) {
        let text = format!(
            "the replay came to step {} of {}: say it again, and it goes on from there",
            stage.history.twin().steps(),
            target.steps
        );
        observer(Event::Warning { text });
    }
    sought?;
    // The path goes on along the branch that the user is on, unless the current one leads through here anyway.
    stage.history.face_forward();
    Ok(stage.ended().unwrap_or(StopReason::Done))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use borges_board::{Captured, Yield};
    use borges_stub::{Asked, Call};
    use borges_vm::Value;

    use super::*;
    use crate::command::StopKind;
    use crate::device::runner::Runner;
    use crate::history::Source;
    use crate::history::twin::Feed;
    use crate::live::Onlooker;
    use crate::options::Options;
    use crate::program::{Board, Opened};
    use crate::record::Record;

    const READER: &str = r#"(module
        (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
        (func (export "main")
            (loop $again
                (br_if $again (call $read (i32.const 10))))))"#;

    /// What inputs answered.
    struct Answers(std::ops::Range<i32>);

    impl Feed for Answers {
        fn input(&mut self, _call: &Call<'_>, _asked: &Asked<'_>) -> Option<(Yield, bool)> {
            Some((Value::I32(self.0.next()?).into(), false))
        }

        fn captured(&mut self, _call: &Call<'_>, _asked: &Asked<'_>) -> Option<Captured> {
            None
        }
    }

    /// A program that was recorded up to its fourth reading, where it stands.
    fn recorded(options: &Options) -> Stage {
        let path = Path::new("reader.wasm");
        let bytes = wat::parse_str(READER).expect("it is a module");
        let board = Board::parse(String::new(), path).expect("the default board");
        let opened = Opened::on(board, path, &bytes, None).expect("it opens");
        let mut stage = Stage::new(opened, 0, options);
        let halt = stage
            .history
            .extend(&mut Answers(1..4), Source::Told, 1_000);
        halt.expect("it is recorded");
        stage
    }

    #[test]
    fn over_what_is_recorded_motions_need_no_device() {
        let options = Options::new("reader.wasm");
        let mut stage = recorded(&options);
        let mut motion = Motion::default();
        let reads = NewBreakpoint {
            agent: None,
            kind: StopKind::Primitive("chip_analog_read".to_owned()),
            condition: Some("arg0 == 10".to_owned()),
            hits: 1,
            log: None,
        };
        motion.add_breakpoint(&stage, reads).expect("it is set");
        let mut stops = Vec::new();
        while let StopReason::Breakpoint { id: 1 } = motion
            .go_back(&mut stage, &mut unobserved)
            .expect("it goes back")
        {
            stops.push(stage.history.here().place.index);
        }
        assert_eq!(stops, [2, 1, 0]);
        assert_eq!(stage.history.here(), Moment::START);

        let (mut runner, mut record) = (Runner::default(), Record::default());
        let mut ground = Ground {
            options: &options,
            stage: &mut stage,
            runner: &mut runner,
            record: &mut record,
            live: &mut Onlooker::default(),
        };
        // The last is where the recording ends: right before it.
        for read in 0..4 {
            let stopped = motion.go_on(&mut ground, &mut unobserved);
            let reason = stopped.expect("it goes on");
            assert_eq!(reason, StopReason::Breakpoint { id: 1 });
            assert_eq!(ground.stage.history.here().place.index, read);
        }
        assert_eq!(ground.stage.history.here(), ground.stage.history.tip());
        assert_eq!(runner.state(), None);
    }
}
