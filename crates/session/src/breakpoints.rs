//! Breakpoints: observers beside the program, any number of which may fire any number of times.

use borges_board::PrimitiveId;
use borges_debuginfo::Known;
use borges_vm::{CodeOffset, Watch};

use crate::command::{Event, NewBreakpoint, Reply, StopKind};
use crate::device::LiveStops;
use crate::error::CommandError;
use crate::history::{Found, Stops};
use crate::listing::BreakpointListing;
use crate::motion::Observer;
use crate::session::{Session, done};

/// What a breakpoint waits for, found in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Code(Vec<CodeOffset>),
    Write(Vec<Watch>),
    Primitive(Vec<PrimitiveId>),
    Trap,
    Event,
    /// This program has no such thing: it stays switched off.
    Nowhere,
}

/// A breakpoint.
#[derive(Clone, Debug)]
pub(crate) struct Breakpoint {
    pub(crate) id: u32,
    pub(crate) spec: NewBreakpoint,
    /// Where it really is, in words; nothing if [`Self::spec`] says it.
    pub(crate) resolved: String,
    pub(crate) target: Target,
    pub(crate) enabled: bool,
    pub(crate) count: u64,
}

impl Breakpoint {
    pub(crate) fn listing(&self) -> BreakpointListing {
        let offsets = match &self.target {
            Target::Code(offsets) => offsets.iter().map(|offset| offset.0).collect(),
            _ => Vec::new(),
        };
        BreakpointListing {
            id: self.id,
            spec: self.spec.clone(),
            resolved: self.resolved.clone(),
            offsets,
            enabled: self.enabled,
            count: self.count,
        }
    }

    /// Whether it waits for what was found; `watches` is the list that the watch's number refers to.
    fn waits_for(&self, found: &Found, watches: &[Watch]) -> bool {
        match (&self.target, found) {
            (Target::Code(offsets), Found::Code(offset)) => offsets.contains(offset),
            (Target::Write(own), Found::Watch(index)) => {
                watches.get(*index).is_some_and(|watch| own.contains(watch))
            }
            (Target::Primitive(ids), Found::Primitive(id)) => ids.contains(id),
            (Target::Trap, Found::Trapped(_)) | (Target::Event, Found::Event) => true,
            _ => false,
        }
    }
}

/// All breakpoints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Breakpoints {
    list: Vec<Breakpoint>,
    last_id: u32,
}

impl Breakpoints {
    pub(crate) fn list(&self) -> &[Breakpoint] {
        &self.list
    }

    pub(crate) fn add(
        &mut self,
        spec: NewBreakpoint,
        target: Target,
        resolved: String,
    ) -> &Breakpoint {
        self.last_id += 1;
        let at = self.list.len();
        self.list.push(Breakpoint {
            id: self.last_id,
            spec,
            resolved,
            target,
            enabled: true,
            count: 0,
        });
        &self.list[at]
    }

    /// Puts one back that a session file kept.
    pub(crate) fn restore(&mut self, breakpoint: Breakpoint) {
        self.last_id = self.last_id.max(breakpoint.id);
        self.list.push(breakpoint);
    }

    pub(crate) fn find(&mut self, id: u32) -> Option<&mut Breakpoint> {
        self.list.iter_mut().find(|breakpoint| breakpoint.id == id)
    }

    /// Removes those named, or all; how many there were.
    pub(crate) fn remove(&mut self, ids: &[u32]) -> usize {
        let before = self.list.len();
        self.list
            .retain(|breakpoint| !ids.is_empty() && !ids.contains(&breakpoint.id));
        before - self.list.len()
    }

    /// Where execution has to stop so that they can look.
    pub(crate) fn stops(&self) -> Stops {
        let mut stops = Stops::default();
        for breakpoint in self.list.iter().filter(|breakpoint| breakpoint.enabled) {
            match &breakpoint.target {
                Target::Code(offsets) => stops.code.extend(offsets),
                Target::Write(watches) => stops.watches.extend(watches),
                Target::Primitive(ids) => stops.primitives.extend(ids),
                Target::Event => stops.events = true,
                Target::Trap | Target::Nowhere => {}
            }
        }
        stops.code.sort_unstable();
        stops.code.dedup();
        stops.primitives.sort_unstable();
        stops.primitives.dedup();
        stops
    }

    /// The numbers of those that wait for what was found.
    pub(crate) fn waiting_for(&self, found: &Found, stops: &Stops) -> Vec<u32> {
        let enabled = self.list.iter().filter(|breakpoint| breakpoint.enabled);
        enabled
            .filter(|breakpoint| breakpoint.waits_for(found, &stops.watches))
            .map(|breakpoint| breakpoint.id)
            .collect()
    }
}

impl From<Stops> for LiveStops {
    fn from(stops: Stops) -> Self {
        let primitives = stops
            .primitives
            .iter()
            .map(|id| borges_wire::PrimitiveStop {
                primitive: id.0,
                conditions: Vec::new(),
            });
        LiveStops {
            primitives: primitives.collect(),
            stops,
        }
    }
}

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
                let (offsets, words) = self.resolve(place)?;
                Ok((Target::Code(offsets), words))
            }
            StopKind::Write(what) => {
                let scene = self.scene();
                let watches = scene.watches(what, scene.own_frame())?;
                let local = watches
                    .iter()
                    .any(|watch| matches!(watch, borges_vm::Watch::Local { .. }));
                let call = if local { "in this call" } else { "" };
                Ok((Target::Write(watches), call.to_owned()))
            }
            StopKind::Primitive(name) => {
                let board = self.board();
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
        Ok(done(&format!(
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
        match condition.map(|condition| self.scene().holds(&condition)) {
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
                let text = self.scene().fill_in(&message);
                // Nothing is shown that is not on disk.
                self.save()?;
                observer(Event::Log { id, text });
                Ok(false)
            }
            None => Ok(true),
        }
    }
}
