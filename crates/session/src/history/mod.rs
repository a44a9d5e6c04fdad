//! What was recorded, and the twin that shows any moment of it.
//!
//! Nothing here touches a device. The twin always stands at [`History::here`], a moment of the recorded multiverse; the
//! *line* is the branch whose tip ends the path that motions forward follow.

pub(crate) mod counts;
pub(crate) mod entry;
mod feeds;
mod keyframes;
mod survey;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod twin;

use std::collections::{BTreeMap, BTreeSet};

use borges_multiverse::tree::{BranchId, Edge, End, Growth, Place, Tree, TreeError};
use borges_stub::{Halt, Mocks};
use borges_vm::{CodeOffset, Exit, Trap, Value, Watch};
use thiserror::Error;

use crate::command::Observer;
use crate::command::{Event, Flow};
use crate::history::counts::Counts;
use crate::history::entry::{Entry, EntryKind, Moment};
use crate::history::keyframes::Keyframes;
use crate::history::twin::{Feed, Twin, TwinFrame};
use crate::options::Options;
use crate::values::results_of;

pub(crate) use feeds::Live;

use feeds::{Recorder, Replay};

/// The replay did something else than the recording: the state cannot be trusted, and is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "replaying the recording went another way at step {steps}: the recording belongs to another program or board, or it is damaged"
)]
pub struct Divergence {
    /// Where.
    pub steps: u64,
}

/// Why a moment is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum SeekError {
    /// The replay cannot lead there.
    #[error(transparent)]
    Diverged(#[from] Divergence),
    /// The observer paused the replay: the twin stands at a moment on the way.
    #[error("paused")]
    Paused,
}

/// Stops on the twin, beside the end of a walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stops {
    /// Before these instructions.
    pub(crate) code: Vec<CodeOffset>,
    /// After writes of these places.
    pub(crate) watches: Vec<Watch>,
    /// Before calls of these primitives.
    pub(crate) primitives: Vec<borges_board::PrimitiveId>,
    /// Before the delivery of events.
    pub(crate) events: bool,
}

/// Where a walk came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The moment it was to reach.
    Target,
    /// Before an instruction of [`Stops::code`].
    Code(CodeOffset),
    /// After a write; the index in [`Stops::watches`].
    Watch(usize),
    /// Before a call.
    Primitive(borges_board::PrimitiveId),
    /// Before an event.
    Event,
    /// Before an input for which a mock says something else than the recording.
    Mocked,
    /// Before a call for which it is too early.
    Ahead,
    /// The program has returned.
    Finished,
    /// The program has trapped.
    Trapped(Trap),
}

/// Who goes along on a walk.
pub(crate) struct Escort<'e> {
    /// Past this time of the board, in µs, the walk ends before the next call.
    pub(crate) until_us: Option<u64>,
    /// Looks at where the twin is, now and then.
    pub(crate) look: &'e mut dyn FnMut(&History, Observer<'_>),
}

/// The recorded multiverse of one program, and its twin.
#[derive(Debug)]
pub(crate) struct History {
    tree: Tree<Entry>,
    twin: Twin,
    keyframes: Keyframes<TwinFrame>,
    place: Place,
    line: BranchId,
    /// What was recorded since it was last taken away to be saved.
    fresh: Fresh,
    /// The twin shows what is no longer so: it must be restored before it is looked at again.
    stale: bool,
    /// Runs that went past the entries recorded there, because an event did not come this time: up to which step.
    beyond: BTreeMap<Place, u64>,
    /// Where somebody comes back to, with the twin as it was there unless that is no longer so.
    held: Vec<(Moment, Option<TwinFrame>)>,
    /// Steps replayed between two looks at the observer.
    look_every: u64,
    /// How often an output was found to have captured something else.
    amended: u64,
    counts: Counts,
}

/// Who says what happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The device: it has just happened there.
    Device,
    /// Somebody else, of some other time.
    Told,
}

/// What was recorded and is not saved yet.
#[derive(Debug, Default)]
pub(crate) struct Fresh {
    /// In the order in which it happened.
    pub(crate) entries: Vec<FreshEntry>,
    /// Branches whose end has moved.
    pub(crate) ends: BTreeSet<BranchId>,
    /// Entries, saved or not, whose output captured something else when it was performed again.
    pub(crate) amended: BTreeSet<Place>,
}

/// A new entry.
#[derive(Debug)]
pub(crate) struct FreshEntry {
    /// The place after it.
    pub(crate) place: Place,
    /// Where its branch begins, if it is the first of one.
    pub(crate) forked_from: Option<Place>,
    pub(crate) entry: Entry,
    /// The arguments of the call.
    pub(crate) args: Vec<Value>,
}

impl History {
    /// Nothing is recorded but the start, where `twin` stands.
    pub(crate) fn new(twin: Twin, options: &Options) -> Self {
        let start = twin.frame(None);
        Self {
            tree: Tree::new(),
            keyframes: Keyframes::new(start, options.keyframe_bytes, options.keyframe_spacing),
            twin,
            place: Place::ROOT,
            line: BranchId::ROOT,
            fresh: Fresh::default(),
            stale: false,
            beyond: BTreeMap::new(),
            held: Vec::new(),
            look_every: options.look_every.max(1),
            amended: 0,
            counts: Counts::default(),
        }
    }

    /// What was recorded.
    pub(crate) fn tree(&self) -> &Tree<Entry> {
        &self.tree
    }

    /// The twin, which stands [here](Self::here).
    pub(crate) fn twin(&self) -> &Twin {
        &self.twin
    }

    /// Takes in what was recorded in another sitting; the twin stays where it is.
    pub(crate) fn take_in<E>(
        &mut self,
        read: impl FnOnce(&mut Tree<Entry>) -> Result<(), E>,
    ) -> Result<(), E> {
        read(&mut self.tree)
    }

    /// Takes in where the recordings ended that were merged into what was taken in.
    pub(crate) fn count(&mut self, runs: &[borges_store::KeptRuns]) {
        self.counts = Counts::of(&self.tree, runs);
    }

    /// How many recordings took which way.
    pub(crate) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Lets the twin run with a feed of which nothing is recorded. Whoever does this puts it back
    /// ([`Self::put_back`]).
    pub(crate) fn run_unrecorded(&mut self, feed: &mut impl Feed, until: u64) -> Halt {
        self.twin.run(feed, until)
    }

    /// The twin as it was, at the same place.
    pub(crate) fn put_back(&mut self, frame: &TwinFrame) {
        self.twin.restore(frame);
    }

    /// The last moment at or before `at` of which there is a snapshot.
    pub(crate) fn kept_before(&self, at: Moment) -> Moment {
        self.keyframes.nearest(&self.tree, at).0
    }

    /// How often what is recorded was corrected: what was seen of its universes before is void.
    pub(crate) fn amended(&self) -> u64 {
        self.amended
    }

    /// How many snapshots there are, and how many bytes they take together.
    pub(crate) fn snapshots(&self) -> (usize, usize) {
        (self.keyframes.len(), self.keyframes.bytes())
    }

    /// Steps replayed between two looks at the observer.
    pub(crate) fn look_every(&self) -> u64 {
        self.look_every
    }

    /// What was recorded since the last time.
    pub(crate) fn take_fresh(&mut self) -> Fresh {
        std::mem::take(&mut self.fresh)
    }

    /// Where the twin stands.
    pub(crate) fn here(&self) -> Moment {
        Moment::of(self.place, self.twin.steps())
    }

    /// Chooses the path on which motions forward go.
    pub(crate) fn set_line(&mut self, line: BranchId) {
        if self.tree.tip(line).is_some() {
            self.line = line;
        }
    }

    /// The last known moment of the current path.
    pub(crate) fn tip(&self) -> Moment {
        self.tip_of(self.line)
    }

    /// The last known moment of a branch.
    pub(crate) fn tip_of(&self, line: BranchId) -> Moment {
        let place = self.tree.tip(line).unwrap_or(Place::ROOT);
        let steps = self.tree.reached(line).unwrap_or(0);
        Moment::of(place, steps)
    }

    /// Whether everything that is known of the current path lies behind, or on another way.
    pub(crate) fn at_tip(&self) -> bool {
        let (here, tip) = (self.here(), self.tip());
        here == tip || !self.leads_to(here, tip)
    }

    /// Lets the current path lead on from here, if anything that is recorded does.
    pub(crate) fn face_forward(&mut self) {
        let here = self.here();
        if self.leads_to(here, self.tip()) {
            return;
        }
        let ahead = |place: &Place| self.leads_to(here, self.tip_of(place.branch));
        let onward = self.tree.children(here.place).find(ahead);
        self.line = onward.map_or(here.place.branch, |place| place.branch);
    }

    /// The last step at which the program is known to have been after the entries of `place` and nothing else.
    pub(crate) fn known_until(&self, place: Place) -> u64 {
        let children = self.tree.children(place);
        let left = children.filter_map(|child| self.tree.entry(child).map(Entry::step_before));
        let tip = self.tip_of(place.branch);
        let reached = (tip.place == place).then_some(tip.steps);
        let beyond = self.beyond.get(&place).copied();
        left.chain(reached).chain(beyond).max().unwrap_or(0)
    }

    /// The twin at the start of the program.
    pub(crate) fn start(&self) -> &TwinFrame {
        self.keyframes.nearest(&self.tree, Moment::START).1
    }

    /// What the twin shows is no longer so if `place` lies behind it.
    pub(crate) fn doubt_after(&mut self, place: Place) {
        self.stale |= self.tree.is_on_path(place, self.place);
    }

    /// The branch at whose tip the current path ends.
    pub(crate) fn line(&self) -> BranchId {
        self.line
    }

    /// The first moment of a place: right after its last entry.
    pub(crate) fn moment_of(&self, place: Place) -> Option<Moment> {
        let place = self.tree.canonical(place)?;
        let steps = self.tree.step_of(place)?;
        Some(Moment::of(place, steps))
    }

    /// One step back: within a run (*step-back*), or over the last entry (*step-back-compensate*). Nothing at the start.
    pub(crate) fn before(&self, at: Moment) -> Option<Moment> {
        let place = self.tree.canonical(at.place)?;
        if at.steps > self.tree.step_of(place)? {
            let steps = at.steps - 1;
            return Some(Moment::of(place, steps));
        }
        let entry = self.tree.entry(place)?;
        let place = self.tree.parent(place)?;
        let steps = entry.step_before();
        Some(Moment::of(place, steps))
    }

    /// Whether a replay from `from` leads through or to `to`.
    pub(crate) fn leads_to(&self, from: Moment, to: Moment) -> bool {
        if from.steps > to.steps || !self.tree.is_on_path(from.place, to.place) {
            return false;
        }
        let next = self
            .tree
            .between(from.place, to.place)
            .and_then(|mut path| path.next());
        next.is_none_or(|(_, entry)| from.steps <= entry.step_before())
    }

    /// Keeps the twin as it is here until [`Self::release`]: a seek back to the moment returned needs no replay.
    pub(crate) fn hold(&mut self) -> Moment {
        let here = self.here();
        let (_, near) = self.keyframes.nearest(&self.tree, here);
        let frame = (!self.stale).then(|| self.twin.frame(Some(near)));
        self.held.push((here, frame));
        here
    }

    /// Lets go of what was held last.
    pub(crate) fn release(&mut self) {
        self.held.pop();
    }

    /// Snapshots of what comes after `place` show what is no longer so.
    pub(crate) fn forget_after(&mut self, place: Place) {
        self.amended += 1;
        self.keyframes.forget_after(&self.tree, place);
        for (at, frame) in &mut self.held {
            if self.tree.is_on_path(place, at.place) {
                *frame = None;
            }
        }
    }

    /// Shows `target`: restores the nearest snapshot, unless the twin is nearer, and replays.
    ///
    /// # Errors
    /// [`SeekError`]; the twin then stands at a moment on the way to `target`.
    pub(crate) fn seek(&mut self, target: Moment, observer: Observer<'_>) -> Result<(), SeekError> {
        let steps = target.steps;
        let place = self
            .tree
            .canonical(target.place)
            .ok_or(Divergence { steps })?;
        let target = Moment { place, ..target };
        let stale = std::mem::take(&mut self.stale);
        let attempted = self.twin.ended() || !self.traps_at(target);
        if target == self.here() && !stale && attempted {
            return Ok(());
        }
        let held = self.held.iter().rev().find(|(at, _)| *at == target);
        let held = held.and_then(|(at, frame)| Some((*at, frame.as_ref()?)));
        let (from, frame) = held.unwrap_or_else(|| self.keyframes.nearest(&self.tree, target));
        if stale || !(self.leads_to(self.here(), target) && self.here() >= from) {
            self.twin.restore(frame);
            self.place = from.place;
        }
        let found = self.walk(target, &Stops::default(), None, observer);
        if found.is_err() || self.here() != target {
            // A program cannot end before a moment that was recorded.
            debug_assert!(!matches!(found, Ok(Found::Target)));
            // Where it went another way, whoever looks next must not see what came of it.
            self.stale |= !matches!(found, Err(SeekError::Paused));
            let steps = self.here().steps;
            return Err(found.err().unwrap_or(Divergence { steps }.into()));
        }
        Ok(())
    }

    /// Whether the program has trapped at a moment. The instruction is not retired: the trap is the attempt at it.
    pub(crate) fn traps_at(&self, at: Moment) -> bool {
        self.tip_of(at.place.branch) == at
            && matches!(self.tree.end(at.place.branch), Some(End::Trapped(_)))
    }

    /// Shows `target` by a replay from the start of the program, without any keyframe.
    pub(crate) fn seek_afresh(
        &mut self,
        target: Moment,
        observer: Observer<'_>,
    ) -> Result<(), SeekError> {
        self.keyframes.forget_after(&self.tree, Place::ROOT);
        let held = std::mem::take(&mut self.held);
        let sought = match self.seek(Moment::START, observer) {
            Ok(()) => self.seek(target, observer),
            paused => paused,
        };
        self.held = held;
        sought
    }

    /// Goes forward on the path to `target` until there, or until a stop. A stop at the very moment where the walk begins
    /// does not count.
    ///
    /// Where `mocks` are given and one says something else than the recording, the walk ends before that input.
    ///
    /// # Errors
    /// [`SeekError`]; the twin then stands at a moment on the way to `target`.
    pub(crate) fn walk(
        &mut self,
        target: Moment,
        stops: &Stops,
        mocks: Option<&Mocks>,
        observer: Observer<'_>,
    ) -> Result<Found, SeekError> {
        let mut alone = Escort {
            until_us: None,
            look: &mut |_, _| {},
        };
        self.walk_with(&mut alone, target, stops, mocks, observer)
    }

    /// [`Self::walk`] in company.
    pub(crate) fn walk_with(
        &mut self,
        escort: &mut Escort<'_>,
        target: Moment,
        stops: &Stops,
        mocks: Option<&Mocks>,
        observer: Observer<'_>,
    ) -> Result<Found, SeekError> {
        self.arm(stops);
        let found = self.walk_escorted(escort, target, stops, mocks, observer);
        self.disarm(stops);
        found
    }

    /// [`Self::walk`], with the stops given to the VM already.
    pub(crate) fn walk_armed(
        &mut self,
        target: Moment,
        stops: &Stops,
        mocks: Option<&Mocks>,
        observer: Observer<'_>,
    ) -> Result<Found, SeekError> {
        let mut alone = Escort {
            until_us: None,
            look: &mut |_, _| {},
        };
        self.walk_escorted(&mut alone, target, stops, mocks, observer)
    }

    fn walk_escorted(
        &mut self,
        escort: &mut Escort<'_>,
        target: Moment,
        stops: &Stops,
        mocks: Option<&Mocks>,
        observer: Observer<'_>,
    ) -> Result<Found, SeekError> {
        let begun_at = self.here();
        let mut looked = begun_at.steps;
        let last = target
            .steps
            .saturating_add(u64::from(self.traps_at(target)));
        loop {
            let until = last.min(self.next_keyframe());
            let path = self.tree.between(self.place, target.place);
            let path = path.ok_or(Divergence {
                steps: self.twin.steps(),
            })?;
            let mut feed = Replay::new(path, self.place, stops, mocks, begun_at);
            feed.until_us = escort.until_us;
            let halt = self.twin.run(&mut feed, until);
            self.place = feed.place();
            let (left_for, exhausted) = (feed.left_for, feed.next.is_none());
            let here = self.here();
            let event_next = stops.events && feed.event_due() == Some(here.steps);
            match halt {
                // An event of the recording cannot happen where it says.
                Halt::Until if here.steps < until && left_for.is_none() => {
                    return Err(Divergence { steps: here.steps }.into());
                }
                // It should have trapped by now.
                Halt::Until if here.steps > target.steps => {
                    return Err(Divergence { steps: here.steps }.into());
                }
                Halt::Until if here.steps >= last && exhausted => return Ok(Found::Target),
                Halt::Until if here.steps >= last => {
                    // An entry of the path should have happened by now.
                    match left_for {
                        Some(found) => return Ok(found),
                        None => return Err(Divergence { steps: here.steps }.into()),
                    }
                }
                Halt::Until | Halt::Yield => {}
                Halt::Finished => return Ok(Found::Finished),
                Halt::Trapped(trap) => return Ok(Found::Trapped(trap)),
                // The VM does not know that the walk begins here.
                Halt::Stop(Exit::Breakpoint(_)) if here == begun_at => {}
                Halt::Stop(Exit::Breakpoint(offset)) => return Ok(Found::Code(offset)),
                Halt::Stop(Exit::Watch { watch, .. }) => return Ok(Found::Watch(watch)),
                Halt::Stop(_) => return Ok(Found::Target),
                Halt::Left => match left_for {
                    Some(found) => return Ok(found),
                    None => return Err(Divergence { steps: here.steps }.into()),
                },
            }
            if let Some(found) = left_for {
                return Ok(found);
            }
            self.keep(here);
            let due = here.steps - looked >= self.look_every;
            // Who paused right before a stop and went on would never meet it.
            if due && !event_next && self.stop_here(stops).is_none() {
                looked = here.steps;
                self.look_up("replaying", Some(target.steps), observer)?;
                (escort.look)(self, observer);
            }
        }
    }

    /// What of `stops` comes next where the twin stands, events aside.
    pub(crate) fn stop_here(&self, stops: &Stops) -> Option<Found> {
        let machine = &self.twin.machine;
        let code = || {
            let offset = machine.location()?.offset;
            stops.code.contains(&offset).then_some(Found::Code(offset))
        };
        let primitive = || {
            let primitive = self.twin.program().primitive(machine.pending()?.func.0)?;
            let stops = stops.primitives.contains(&primitive);
            stops.then_some(Found::Primitive(primitive))
        };
        code().or_else(primitive)
    }

    /// What comes next where a motion from `begun` has ended, if that is a stop: walks end before they look at it, and a device
    /// that went on would pass it. Where nothing has moved, it was met before.
    pub(crate) fn stop_since(&self, begun: Moment, stops: &Stops) -> Option<Found> {
        let moved = self.here() != begun;
        moved.then(|| self.stop_here(stops)).flatten()
    }

    /// Tells the observer how far a replay has come.
    ///
    /// # Errors
    /// [`SeekError::Paused`] if it says so.
    pub(crate) fn look_up(
        &self,
        what: &str,
        total: Option<u64>,
        observer: Observer<'_>,
    ) -> Result<(), SeekError> {
        let progress = Event::Progress {
            what: what.to_owned(),
            done: self.twin.steps(),
            total,
        };
        match observer(progress) {
            Flow::Continue => Ok(()),
            Flow::Pause => Err(SeekError::Paused),
        }
    }

    /// The step at which a replay stops to see whether to keep a snapshot and whether to go on.
    pub(crate) fn next_keyframe(&self) -> u64 {
        let distance = self.keyframes.spacing().min(self.look_every);
        self.twin.steps().saturating_add(distance)
    }

    /// Keeps a keyframe here if there is none near.
    pub(crate) fn keep(&mut self, here: Moment) {
        if !self.stale && self.keyframes.wants(here) {
            let (_, near) = self.keyframes.nearest(&self.tree, here);
            let frame = self.twin.frame(Some(near));
            self.keyframes.insert(here, frame);
        }
    }

    /// Lets the program go on from here with a feed that is not the recording, and records what happens.
    ///
    /// Where an edge is there already, what its output captured this time counts if it comes from the device.
    pub(crate) fn extend(
        &mut self,
        feed: &mut impl Feed,
        source: Source,
        until: u64,
    ) -> Result<Halt, TreeError> {
        let mut recorder = Recorder {
            feed,
            entries: Vec::new(),
        };
        let halt = self.twin.run(&mut recorder, until);
        for (entry, args) in recorder.entries {
            self.record(entry, source, args)?;
        }
        let (place, steps) = (self.place, self.twin.steps());
        if self.tree.tip(place.branch) == Some(place) && !self.tree.is_closed(place.branch) {
            self.line = place.branch;
            self.fresh.ends.insert(place.branch);
            match &halt {
                Halt::Finished => {
                    let results = results_of(&self.twin.machine).join(", ");
                    self.tree
                        .finish(place.branch, steps, End::Finished(results))?
                }
                Halt::Trapped(trap) => {
                    self.tree
                        .finish(place.branch, steps, End::Trapped(trap.to_string()))?
                }
                _ => self.tree.reach(place.branch, steps)?,
            }
        } else if steps > self.known_until(place) {
            self.beyond.insert(place, steps);
        }
        Ok(halt)
    }

    /// Takes an entry in after the last one.
    fn record(&mut self, entry: Entry, source: Source, args: Vec<Value>) -> Result<(), TreeError> {
        let captured = match &entry.kind {
            EntryKind::Output { captured, .. } => Some(captured.clone()),
            _ => None,
        };
        let edge = self.add_edge(self.place, entry, args)?;
        if let Some(captured) = captured.filter(|_| edge.growth == Growth::Followed) {
            match source {
                // It happened again, and not quite as before; the twin knows already.
                Source::Device => {
                    self.replace_captured(edge.place, captured);
                }
                Source::Told => self.stale |= self.captured_differs(edge.place, &captured),
            }
        }
        self.place = edge.place;
        if !self.tree.is_on_path(edge.place, self.tip().place) {
            self.line = edge.place.branch;
        }
        Ok(())
    }

    /// Adds an edge, which nobody needs to have taken yet.
    pub(crate) fn add_edge(
        &mut self,
        at: Place,
        entry: Entry,
        args: Vec<Value>,
    ) -> Result<Edge, TreeError> {
        let edge = self.tree.fork(at, entry.clone())?;
        if edge.growth != Growth::Followed {
            let forked_from = (edge.growth == Growth::Forked)
                .then(|| self.tree.canonical(at))
                .flatten();
            self.fresh.entries.push(FreshEntry {
                place: edge.place,
                forked_from,
                entry,
                args,
            });
            self.fresh.ends.insert(edge.place.branch);
        }
        Ok(edge)
    }

    /// Lets the VM stop there.
    pub(crate) fn arm(&mut self, stops: &Stops) {
        // Places that the VM does not know are refused when a breakpoint is set, not here.
        if !stops.code.is_empty() {
            let _known = self.twin.machine.set_breakpoints(&stops.code);
        }
        if !stops.watches.is_empty() {
            self.twin.machine.set_watches(&stops.watches);
        }
    }

    /// Takes the stops away again.
    pub(crate) fn disarm(&mut self, stops: &Stops) {
        if !stops.code.is_empty() {
            let _none = self.twin.machine.set_breakpoints(&[]);
        }
        if !stops.watches.is_empty() {
            self.twin.machine.set_watches(&[]);
        }
    }
}
