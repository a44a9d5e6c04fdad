//! Setting breakpoints, and whether one that was met stops.

use crate::command::Observer;
use crate::command::{Event, NewBreakpoint, Reply, StopKind, StopReason};
use crate::error::CommandError;
use crate::history::{Found, Stops};
use crate::motion::breakpoints::{Breakpoint, Target};
use crate::motion::{Ground, Motion};
use crate::scene::{breaks, limit_words};
use crate::stage::Stage;
use borges_board::PrimitiveId;
use borges_debuginfo::Known;
use borges_vm::CodeOffset;

impl Motion {
    pub(crate) fn add_breakpoint(
        &mut self,
        stage: &Stage,
        spec: NewBreakpoint,
    ) -> Result<Reply, CommandError> {
        let (target, resolved) = Self::breakpoint_target(stage, &spec.kind)?;
        Self::check_words(stage, &spec, &target)?;
        let listing = self.breakpoints.add(spec, target, resolved).listing();
        Ok(Reply::BreakpointSet(listing))
    }

    /// Refuses a condition or a message with a name that means something at none of the places where the breakpoint can
    /// fire.
    fn check_words(
        stage: &Stage,
        spec: &NewBreakpoint,
        target: &Target,
    ) -> Result<(), CommandError> {
        if spec.condition.is_none() && spec.log.is_none() {
            return Ok(());
        }
        let offsets = match target {
            Target::Code(offsets) => offsets,
            _ => &stage.loaded.anywhere(),
        };
        let scene = stage.scene();
        if let Some(message) = &spec.log {
            scene.check_log(message, offsets)?;
        }
        let Some(condition) = &spec.condition else {
            return Ok(());
        };
        let condition = scene.condition(condition, offsets)?;
        let Target::Primitive(ids) = target else {
            return Ok(());
        };
        let all = ids.iter().filter_map(|id| stage.board().primitive(*id));
        let takes = all.map(|primitive| primitive.params.len()).max();
        let takes = takes.unwrap_or_default();
        for name in condition.names() {
            let number = name.strip_prefix("arg").and_then(|n| n.parse().ok());
            if number.is_some_and(|number: usize| number >= takes) {
                return Err(CommandError::Invalid(format!(
                    "'{condition}': there is no {name}: the arguments of this call are counted from arg0, and there are {takes}"
                )));
            }
        }
        Ok(())
    }

    /// What a breakpoint waits for, and where that is in words, as far as the kind does not say it.
    fn breakpoint_target(stage: &Stage, kind: &StopKind) -> Result<(Target, String), CommandError> {
        match kind {
            StopKind::Code(place) => {
                let (offsets, words) = stage.resolve(place)?;
                Ok((Target::Code(offsets), words))
            }
            StopKind::Write(what) => {
                let scene = stage.scene();
                let watches = scene.watches(what, scene.own_frame())?;
                let local = watches
                    .iter()
                    .any(|watch| matches!(watch, borges_vm::Watch::Local { .. }));
                let call = if local { "in this call" } else { "" };
                Ok((Target::Write(watches), call.to_owned()))
            }
            StopKind::Primitive(name) => {
                let (ids, words) = Self::primitives_called(stage, name)?;
                Ok((Target::Primitive(ids), words))
            }
            StopKind::Trap => Ok((Target::Trap, String::new())),
            StopKind::Event => Ok((Target::Event, String::new())),
            StopKind::Limit => {
                let board = stage.board();
                if board.invariants.is_empty() {
                    let text =
                        "this board has no limits: [limits] in the board file says what must be so";
                    return Err(CommandError::NoSuch(text.to_owned()));
                }
                let limits = board.invariants.iter().map(|limit| limit.text.as_str());
                let words = limits.collect::<Vec<_>>().join("; ");
                let breaking = board.ids().filter(|id| board.may_break(*id));
                Ok((Target::Limits(breaking.collect()), words))
            }
        }
    }

    /// The primitives of a name as the board has it, or as a source may write it; what the board calls them if that is not the name.
    fn primitives_called(
        stage: &Stage,
        name: &str,
    ) -> Result<(Vec<PrimitiveId>, String), CommandError> {
        let board = stage.board();
        let is_called = |id: &PrimitiveId| {
            let primitive = board.primitive(*id);
            primitive.is_some_and(|primitive| primitive.name == *name)
        };
        let ids: Vec<PrimitiveId> = board.ids().filter(is_called).collect();
        if !ids.is_empty() {
            return Ok((ids, String::new()));
        }
        // AssemblyScript's `readUartSensor` and `delay` are `read_uart_sensor` and `chip_delay`.
        let letters = |text: &str| text.replace('_', "").to_ascii_lowercase();
        let wanted = letters(name);
        let is_meant = |id: &PrimitiveId| {
            let primitive = board.primitive(*id);
            let known = primitive.map(|primitive| letters(&primitive.name));
            known.is_some_and(|known| {
                known == wanted || known.strip_prefix("chip") == Some(wanted.as_str())
            })
        };
        let ids: Vec<PrimitiveId> = board.ids().filter(is_meant).collect();
        if let Some(first) = ids.first() {
            let words = stage.primitive_name(*first);
            return Ok((ids, words));
        }
        let names = board.ids().filter_map(|id| board.primitive(id));
        let known = Known::near(name, names.map(|primitive| &*primitive.name));
        let near = match known.near {
            true => known.to_string(),
            false => String::new(),
        };
        let text = format!("this board has no primitive '{name}'{near}");
        Err(CommandError::NoSuch(text))
    }

    /// Puts one back that a session file kept; what it waits for may no longer be there.
    pub(crate) fn restore_breakpoint(
        &mut self,
        stage: &Stage,
        id: u32,
        spec: NewBreakpoint,
        enabled: bool,
    ) {
        let found = Self::breakpoint_target(stage, &spec.kind);
        let enabled = enabled && found.is_ok();
        let (target, resolved) = found.unwrap_or((Target::Nowhere, String::new()));
        self.breakpoints.restore(Breakpoint {
            id,
            spec,
            resolved,
            target,
            enabled,
            count: 0,
        });
    }

    /// Resolves all breakpoints in a new program, which nobody has moved in yet; what was not found, in words.
    pub(crate) fn begin_anew(&mut self, stage: &Stage) -> Vec<String> {
        (self.live_from, self.paused_search) = (None, None);
        let mut lost = Vec::new();
        for breakpoint in self.breakpoints.iter_mut() {
            match Self::breakpoint_target(stage, &breakpoint.spec.kind) {
                Ok((target, resolved)) => {
                    (breakpoint.target, breakpoint.resolved) = (target, resolved);
                }
                Err(_) => {
                    (breakpoint.enabled, breakpoint.target) = (false, Target::Nowhere);
                    let what = match &breakpoint.spec.kind {
                        StopKind::Write(what) | StopKind::Primitive(what) => what,
                        _ => &breakpoint.resolved,
                    };
                    lost.push(format!("{} ({what})", breakpoint.id));
                }
            }
        }
        lost
    }

    /// Watches the limits of the board, if it has some: nobody has to ask.
    pub(crate) fn watch_limits(&mut self, stage: &Stage) {
        let spec = NewBreakpoint {
            kind: StopKind::Limit,
            agent: None,
            condition: None,
            hits: 0,
            log: None,
        };
        // A board without limits has nothing to watch.
        let _listing = self.add_breakpoint(stage, spec);
    }

    /// Why a breakpoint stops the program where it stands.
    pub(super) fn stopped_by(&self, stage: &Stage, id: u32) -> StopReason {
        let breakpoint = self.breakpoints.find(id);
        match breakpoint.map(|breakpoint| &breakpoint.target) {
            Some(Target::Limits(_)) => StopReason::Limit {
                limit: broken_limits(stage),
            },
            _ => StopReason::Breakpoint { id },
        }
    }

    pub(crate) fn delete_breakpoints(&mut self, ids: &[u32]) -> Result<Reply, CommandError> {
        if let Some(id) = ids.iter().find(|id| self.breakpoints.find(**id).is_none()) {
            return Err(CommandError::NoSuch(format!(
                "there is no breakpoint {id}: 'breakpoints' lists them"
            )));
        }
        let removed = self.breakpoints.remove(ids);
        Ok(Reply::done(&format!(
            "{removed} breakpoint{} removed",
            if removed == 1 { "" } else { "s" }
        )))
    }

    pub(crate) fn enable_breakpoint(
        &mut self,
        stage: &Stage,
        id: u32,
        enabled: bool,
    ) -> Result<Reply, CommandError> {
        let none = || {
            CommandError::NoSuch(format!(
                "there is no breakpoint {id}: 'breakpoints' lists them"
            ))
        };
        let breakpoint = self.breakpoints.find_mut(id).ok_or_else(none)?;
        if enabled && breakpoint.target == Target::Nowhere {
            (breakpoint.target, breakpoint.resolved) =
                Self::breakpoint_target(stage, &breakpoint.spec.kind)?;
        }
        breakpoint.enabled = enabled;
        Ok(Reply::BreakpointSet(breakpoint.listing()))
    }

    /// Whether an enabled code breakpoint of the user stands at this instruction.
    pub(super) fn breakpoint_at(&self, offset: CodeOffset) -> bool {
        !self
            .breakpoints
            .waiting_for(&Found::Code(offset), &Stops::default())
            .is_empty()
    }

    /// Whether a breakpoint whose place was reached stops a search backward: hits are not counted, nothing is printed.
    pub(super) fn stops_search(&self, stage: &Stage, id: u32, observer: Observer<'_>) -> bool {
        let breakpoint = self.breakpoints.find(id);
        breakpoint.is_some_and(|breakpoint| {
            breakpoint.spec.log.is_none() && condition_holds(stage, breakpoint, observer)
        })
    }

    /// Whether a breakpoint whose place was reached stops the program; counts the hit, prints the log message.
    pub(super) fn fires(
        &mut self,
        ground: &mut Ground<'_>,
        id: u32,
        observer: Observer<'_>,
    ) -> Result<bool, CommandError> {
        let Some(breakpoint) = self.breakpoints.find_mut(id) else {
            return Ok(false);
        };
        if !condition_holds(ground.stage, breakpoint, observer) {
            return Ok(false);
        }
        breakpoint.count += 1;
        if breakpoint.count < breakpoint.spec.hits {
            return Ok(false);
        }
        let Some(message) = &breakpoint.spec.log else {
            return Ok(true);
        };
        let text = ground.stage.scene().fill_in(message);
        // Nothing is shown that is not on disk.
        ground.save()?;
        observer(Event::Log { id, text });
        Ok(false)
    }
}

/// The limits that the call which comes next breaks, in words.
fn broken_limits(stage: &Stage) -> String {
    let twin = stage.history.twin();
    let broken = breaks(stage.program(), (&twin.machine, &twin.board));
    let words = broken
        .iter()
        .map(|broken| limit_words(stage.board(), broken));
    words.collect::<Vec<_>>().join("; ")
}

fn condition_holds(stage: &Stage, breakpoint: &Breakpoint, observer: Observer<'_>) -> bool {
    if matches!(breakpoint.target, Target::Limits(_)) && broken_limits(stage).is_empty() {
        return false;
    }
    let Some(condition) = &breakpoint.spec.condition else {
        return true;
    };
    stage.scene().holds(condition).unwrap_or_else(|error| {
        let id = breakpoint.id;
        let text = format!("breakpoint {id} stops because its condition has no value: {error}");
        observer(Event::Warning { text });
        true
    })
}
