//! Setting breakpoints, and whether one that was met stops.

use crate::command::Observer;
use crate::command::{Event, NewBreakpoint, Reply, StopKind};
use crate::error::CommandError;
use crate::history::{Found, Stops};
use crate::motion::breakpoints::Target;
use crate::session::Session;
use borges_board::PrimitiveId;
use borges_debuginfo::Known;
use borges_vm::CodeOffset;

impl Session {
    pub(crate) fn add_breakpoint(&mut self, spec: NewBreakpoint) -> Result<Reply, CommandError> {
        if let Some(condition) = &spec.condition {
            borges_debuginfo::Expression::parse(condition)
                .map_err(|e| CommandError::Invalid(e.to_string()))?;
        }
        let (target, resolved) = self.breakpoint_target(&spec.kind)?;
        let listing = self.breakpoints.add(spec, target, resolved).listing();
        Ok(Reply::BreakpointSet(listing))
    }

    /// What a breakpoint waits for, and where that is in words, as far as the kind does not say it.
    pub(crate) fn breakpoint_target(
        &self,
        kind: &StopKind,
    ) -> Result<(Target, String), CommandError> {
        match kind {
            StopKind::Code(place) => {
                let (offsets, words) = self.stage.resolve(place)?;
                Ok((Target::Code(offsets), words))
            }
            StopKind::Write(what) => {
                let scene = self.stage.scene();
                let watches = scene.watches(what, scene.own_frame())?;
                let local = watches
                    .iter()
                    .any(|watch| matches!(watch, borges_vm::Watch::Local { .. }));
                let call = if local { "in this call" } else { "" };
                Ok((Target::Write(watches), call.to_owned()))
            }
            StopKind::Primitive(name) => {
                let board = self.stage.board();
                let named = |id: &PrimitiveId| {
                    board
                        .primitive(*id)
                        .is_some_and(|primitive| primitive.name == **name)
                };
                let ids: Vec<PrimitiveId> = board.ids().filter(named).collect();
                if ids.is_empty() {
                    let names = board.ids().filter_map(|id| board.primitive(id));
                    let known = Known::near(name, names.map(|primitive| &*primitive.name));
                    let near = if known.near {
                        known.to_string()
                    } else {
                        String::new()
                    };
                    return Err(CommandError::NoSuch(format!(
                        "this board has no primitive '{name}'{near}"
                    )));
                }
                Ok((Target::Primitive(ids), String::new()))
            }
            StopKind::Trap => Ok((Target::Trap, String::new())),
            StopKind::Event => Ok((Target::Event, String::new())),
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
        id: u32,
        enabled: bool,
    ) -> Result<Reply, CommandError> {
        let none = || {
            CommandError::NoSuch(format!(
                "there is no breakpoint {id}: 'breakpoints' lists them"
            ))
        };
        let breakpoint = self.breakpoints.find(id).ok_or_else(none)?;
        if enabled && breakpoint.target == Target::Nowhere {
            let kind = breakpoint.spec.kind.clone();
            let (target, resolved) = self.breakpoint_target(&kind)?;
            let breakpoint = self.breakpoints.find(id).ok_or_else(none)?;
            (breakpoint.target, breakpoint.resolved) = (target, resolved);
        }
        let breakpoint = self.breakpoints.find(id).ok_or_else(none)?;
        breakpoint.enabled = enabled;
        Ok(Reply::BreakpointSet(breakpoint.listing()))
    }

    /// Whether an enabled code breakpoint of the user stands at this instruction.
    pub(crate) fn breakpoint_at(&self, offset: CodeOffset) -> bool {
        !self
            .breakpoints
            .waiting_for(&Found::Code(offset), &Stops::default())
            .is_empty()
    }

    /// Whether a breakpoint whose place was reached holds here; hits are not counted.
    pub(crate) fn condition_holds(
        &mut self,
        id: u32,
        observer: Observer<'_>,
    ) -> Result<bool, CommandError> {
        let Some(breakpoint) = self.breakpoints.find(id) else {
            return Ok(false);
        };
        let (condition, log) = (
            breakpoint.spec.condition.clone(),
            breakpoint.spec.log.clone(),
        );
        if log.is_some() {
            return Ok(false);
        }
        match condition.map(|condition| self.stage.scene().holds(&condition)) {
            None => Ok(true),
            Some(Ok(holds)) => Ok(holds),
            Some(Err(error)) => {
                let text =
                    format!("breakpoint {id} stops because its condition has no value: {error}");
                observer(Event::Warning { text });
                Ok(true)
            }
        }
    }

    /// Whether a breakpoint whose place was reached stops the program; counts the hit, prints the log message.
    pub(crate) fn fires(&mut self, id: u32, observer: Observer<'_>) -> Result<bool, CommandError> {
        let log = self
            .breakpoints
            .find(id)
            .and_then(|breakpoint| breakpoint.spec.log.take());
        let holds = self.condition_holds(id, observer);
        let Some(breakpoint) = self.breakpoints.find(id) else {
            return Ok(false);
        };
        breakpoint.spec.log.clone_from(&log);
        if !holds? {
            return Ok(false);
        }
        breakpoint.count += 1;
        if breakpoint.count < breakpoint.spec.hits {
            return Ok(false);
        }
        match log {
            Some(message) => {
                let text = self.stage.scene().fill_in(&message);
                // Nothing is shown that is not on disk.
                self.save()?;
                observer(Event::Log { id, text });
                Ok(false)
            }
            None => Ok(true),
        }
    }
}
