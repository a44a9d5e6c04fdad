//! The multiverse and the inputs as data: what faces that draw ask for.

use borges_board::{Codomain, Kind, PrimitiveId};
use borges_multiverse::tree::{BranchId, End, Place};
use borges_vm::{ValType, Value};

use crate::command::Observer;
use crate::command::listing::{
    BranchEnd, BranchListing, EntryClass, EntryListing, EntryRow, InputListing, MultiverseListing,
};
use crate::command::{Reply, UniverseId};
use crate::error::{CommandError, at_most};
use crate::history::entry::{Entry, EntryKind, Moment};
use crate::look::moment_of_id;
use crate::session::Session;
use crate::values::show;

/// Entries in one answer.
const MOST_ENTRIES: u32 = 65_536;
/// Universes in one question.
const MOST_CALLS: usize = 256;
/// Up to so many values are listed one by one.
const FEW_VALUES: u64 = 12;
/// A slider is no use for more values.
const SLIDER: f64 = 1e6;
/// How far back the last reading of an input is looked for.
const RECENT: usize = 4_096;

impl Session {
    /// The branch that motions forward follow: its tip is the end of the current path.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.history.tip().place.branch.0
    }

    pub(crate) fn multiverse(&self) -> Reply {
        let tree = &self.history.tree;
        let branches = tree.branches().map(|id| {
            let fork = tree.fork_of(id).unwrap_or(Place::ROOT);
            let (end, words) = match tree.end(id) {
                Some(End::Finished(_)) => (BranchEnd::Finished, String::new()),
                Some(End::Trapped(trap)) => (BranchEnd::Trapped, trap.clone()),
                _ => (BranchEnd::Open, String::new()),
            };
            BranchListing {
                branch: id.0,
                parent: fork.branch.0,
                fork: fork.index,
                tip: tree.tip(id).map_or(fork.index, |tip| tip.index),
                begins: tree.step_of(fork).unwrap_or(0),
                reached: tree.reached(id).unwrap_or(0),
                end,
                words,
            }
        });
        Reply::Multiverse(MultiverseListing {
            branches: branches.collect(),
        })
    }

    pub(crate) fn entries(
        &mut self,
        branch: u32,
        from: u32,
        count: u32,
        calls: bool,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        let id = BranchId(branch);
        let unknown = || CommandError::NoSuch(format!("there is no branch {branch}"));
        let tip = self.history.tree.tip(id).ok_or_else(unknown)?.index;
        let first = self.history.tree.fork_of(id).map_or(0, |fork| fork.index);
        let from = from.clamp(first, tip);
        let to = from.saturating_add(count.min(MOST_ENTRIES)).min(tip);
        let place = |index| Place { branch: id, index };
        let entries = if calls {
            let listed = self.elsewhere(|session| {
                let calls = session
                    .history
                    .calls_between(place(from), place(to), observer);
                Ok(calls?)
            })?;
            listed
                .iter()
                .map(|(_, entry, call)| {
                    self.row(entry, call.as_ref().map(|(id, args)| (*id, &**args)))
                })
                .collect()
        } else {
            (from..to)
                .filter_map(|index| self.history.tree.entry(place(index + 1)))
                .map(|entry| self.row(entry, None))
                .collect()
        };
        Ok(Reply::Entries(EntryListing {
            branch,
            from,
            calls,
            entries,
        }))
    }

    pub(crate) fn row(&self, entry: &Entry, call: Option<(PrimitiveId, &[Value])>) -> EntryRow {
        let named = |id: PrimitiveId| match call {
            Some((id, args)) => self.scene().call_text(id, args),
            None => self.primitive_name(id),
        };
        let (kind, call, value, mocked) = match &entry.kind {
            EntryKind::Input {
                primitive,
                value,
                mocked,
            } => (
                EntryClass::Input,
                named(*primitive),
                Some(show(*value)),
                *mocked,
            ),
            EntryKind::Output { primitive, .. } => {
                (EntryClass::Output, named(*primitive), None, false)
            }
            EntryKind::Event(event) => (
                EntryClass::Event,
                crate::look::event_text(event),
                None,
                false,
            ),
        };
        EntryRow {
            kind,
            steps: entry.step_before(),
            call,
            value,
            mocked,
        }
    }

    fn primitive_name(&self, id: PrimitiveId) -> String {
        self.board()
            .primitive(id)
            .map_or_else(|| "?".to_owned(), |primitive| primitive.name.to_string())
    }

    pub(crate) fn calls(
        &mut self,
        universes: &[UniverseId],
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        at_most(universes.len(), MOST_CALLS, "universes", "asked about")?;
        let calls = self.elsewhere(|session| {
            let calls = universes.iter().map(|id| session.call_at(*id, observer));
            calls.collect()
        })?;
        Ok(Reply::Calls { calls })
    }

    /// The call that ends the run after a place: what is decided there.
    fn call_at(
        &mut self,
        id: UniverseId,
        observer: Observer<'_>,
    ) -> Result<Option<String>, CommandError> {
        let Some(at) = moment_of_id(&self.history, id) else {
            return Ok(None);
        };
        let next = self.history.tree.children(at.place).next();
        let Some(entry) = next.and_then(|next| self.history.tree.entry(next)) else {
            return Ok(None);
        };
        let text = match &entry.kind {
            EntryKind::Event(event) => Some(crate::look::event_text(event)),
            _ => None,
        };
        if text.is_some() {
            return Ok(text);
        }
        let steps = entry.step_before();
        let place = at.place;
        self.history.seek(Moment { place, steps }, observer)?;
        Ok(self.scene().pending_call())
    }

    pub(crate) fn inputs(&self) -> Reply {
        let pending = self.history.twin.machine.pending().and_then(|call| {
            let id = self.program().primitive(call.func.0)?;
            Some((id, call.args))
        });
        let mut seen: Vec<(PrimitiveId, Option<Vec<Value>>)> = Vec::new();
        if let Some((id, args)) = pending.clone().filter(|(id, _)| self.is_input(*id)) {
            seen.push((id, Some(args)));
        }
        let mut import = 0;
        while let Some(id) = self.program().primitive(import) {
            import += 1;
            if !self.is_input(id) {
                continue;
            }
            let params = self.board().primitive(id).map_or(0, |p| p.params.len());
            let mut known: Vec<Option<Vec<Value>>> =
                self.known_arguments(id).into_iter().map(Some).collect();
            if params == 0 {
                known = vec![Some(Vec::new())];
            } else if known.is_empty() && !seen.iter().any(|(other, _)| *other == id) {
                known.push(None);
            }
            for args in known {
                if !seen.contains(&(id, args.clone())) {
                    seen.push((id, args));
                }
            }
        }
        let inputs = seen
            .into_iter()
            .map(|(id, args)| {
                let next = pending
                    .as_ref()
                    .is_some_and(|(other, now)| *other == id && args.as_ref() == Some(now));
                self.input(id, args.as_deref(), next)
            })
            .collect();
        Reply::Inputs { inputs }
    }

    fn is_input(&self, id: PrimitiveId) -> bool {
        self.board()
            .primitive(id)
            .is_some_and(|primitive| primitive.kind == Kind::Input)
    }

    /// Arguments with which a mock or the board mentions an input.
    fn known_arguments(&self, id: PrimitiveId) -> Vec<Vec<Value>> {
        let from_wire = |list: &Vec<borges_wire::Value>| {
            list.iter()
                .map(|value| borges_stub::from_wire(*value))
                .collect()
        };
        let mocks = self.mocks.iter().filter(|mock| mock.primitive == id.0);
        let mut known: Vec<Vec<Value>> = mocks
            .filter_map(|mock| mock.arguments.as_ref().map(from_wire))
            .collect();
        let board = self.board();
        let ranges = board.ranges.iter().map(|range| &range.calls);
        let sources = board.simulation.sources.iter().map(|(calls, _)| calls);
        for calls in ranges.chain(sources) {
            let given: Option<Vec<Value>> = calls.args.iter().copied().collect();
            let params = board.primitive(id).map_or(0, |p| p.params.len());
            if let Some(given) = given.filter(|given| given.len() == params)
                && calls.primitives.contains(&id)
                && !known.contains(&given)
            {
                known.push(given);
            }
        }
        known
    }

    fn input(&self, id: PrimitiveId, args: Option<&[Value]>, next: bool) -> InputListing {
        let codomain = match args {
            Some(args) => self.board().codomain_at(id, args, &self.history.twin.board),
            None => self.board().codomain(id, &[]),
        };
        let call = match args {
            Some(args) => self.scene().call_text(id, args),
            None => self.primitive_name(id),
        };
        let mock = self
            .mock_listings()
            .into_iter()
            .find(|mock| mock.call == call || mock.call == self.primitive_name(id))
            .map(|mock| mock.values);
        let few = codomain.count().filter(|count| *count <= FEW_VALUES);
        let values = (0..few.unwrap_or(0)).filter_map(|n| codomain.nth(n));
        InputListing {
            call,
            codomain: codomain.describe(),
            range: slider(&codomain),
            values: values.map(show).collect(),
            next,
            last: self.last_reading(id),
            mock,
        }
    }

    /// What the last call of a primitive on this path answered.
    fn last_reading(&self, id: PrimitiveId) -> Option<String> {
        let mut place = self.history.here().place;
        for _ in 0..RECENT {
            match &self.history.tree.entry(place)?.kind {
                EntryKind::Input {
                    primitive, value, ..
                } if *primitive == id => return Some(show(*value)),
                _ => place = self.history.tree.parent(place)?,
            }
        }
        None
    }
}

/// The ends of a codomain that is one interval of numbers, if a slider can be set to them.
fn slider(codomain: &Codomain) -> Option<(f64, f64)> {
    let intervals = codomain.intervals();
    let (first, last) = (intervals.first()?, intervals.last()?);
    let number = |value| match value {
        Value::I32(v) => Some(f64::from(v)),
        Value::I64(v) => Some(v as f64),
        Value::F32(bits) => Some(f64::from(f32::from_bits(bits))),
        Value::F64(bits) => Some(f64::from_bits(bits)),
        _ => None,
    };
    let (low, high) = (number(first.0)?, number(last.1)?);
    let whole = matches!(codomain.ty(), ValType::I32 | ValType::I64);
    (high - low <= SLIDER && (whole || (high - low).is_finite())).then_some((low, high))
}
