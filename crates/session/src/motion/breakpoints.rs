//! Breakpoints: observers beside the program, any number of which may fire any number of times.

use borges_board::PrimitiveId;
use borges_vm::{CodeOffset, Watch};

use crate::command::listing::BreakpointListing;
use crate::command::{NewBreakpoint, StopKind};
use crate::history::{Found, Stops};

/// What a breakpoint waits for, found in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Code(Vec<CodeOffset>),
    Write(Vec<Watch>),
    Primitive(Vec<PrimitiveId>),
    /// Those calls of these that break a limit.
    Limits(Vec<PrimitiveId>),
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
            what: self.what(),
            offsets,
            enabled: self.enabled,
            count: self.count,
        }
    }

    /// What it waits for, in words.
    fn what(&self) -> String {
        let resolved = &self.resolved;
        match &self.spec.kind {
            StopKind::Code(_) => resolved.clone(),
            StopKind::Write(what) if resolved.is_empty() => format!("writes of {what}"),
            StopKind::Write(what) => format!("writes of {what} {resolved}"),
            StopKind::Primitive(name) if resolved.is_empty() => format!("calls of {name}"),
            StopKind::Primitive(name) => format!("calls of {name}, which is {resolved}"),
            StopKind::Trap => "traps".to_owned(),
            StopKind::Event => "interrupts and timers".to_owned(),
            StopKind::Limit => format!("broken limits of the board: {resolved}"),
        }
    }

    /// Whether it waits for what was found; `watches` is the list that the watch's number refers to.
    fn waits_for(&self, found: &Found, watches: &[Watch]) -> bool {
        match (&self.target, found) {
            (Target::Code(offsets), Found::Code(offset)) => offsets.contains(offset),
            (Target::Write(own), Found::Watch(index)) => {
                watches.get(*index).is_some_and(|watch| own.contains(watch))
            }
            (Target::Primitive(ids) | Target::Limits(ids), Found::Primitive(id)) => {
                ids.contains(id)
            }
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

    /// All of them, as a session file keeps them.
    pub(crate) fn stored(&self) -> Vec<borges_store::KeptBreakpoint> {
        let stored = |breakpoint: &Breakpoint| borges_store::KeptBreakpoint {
            id: breakpoint.id,
            enabled: breakpoint.enabled,
            spec: serde_json::to_string(&breakpoint.spec).unwrap_or_default(),
        };
        self.list.iter().map(stored).collect()
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

    pub(super) fn find(&self, id: u32) -> Option<&Breakpoint> {
        self.list.iter().find(|breakpoint| breakpoint.id == id)
    }

    pub(super) fn find_mut(&mut self, id: u32) -> Option<&mut Breakpoint> {
        self.list.iter_mut().find(|breakpoint| breakpoint.id == id)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Breakpoint> {
        self.list.iter_mut()
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
                Target::Primitive(ids) | Target::Limits(ids) => stops.primitives.extend(ids),
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
