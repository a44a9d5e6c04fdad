//! The multiverse and the inputs as data: what faces that draw ask for.

use borges_board::{Board, Codomain, Limit, LimitBound, PrimitiveId, PrimitiveKind, Quantity};
use borges_multiverse::tree::{BranchId, End, Place};
use borges_vm::Value;

use crate::command::Observer;
use borges_wire::{Mock, MockedCalls};

use crate::command::listing::{
    BranchEnd, BranchListing, EntryListing, InputListing, LimitRow, MockListing, MultiverseListing,
};
use crate::command::{Reply, UniverseId};
use crate::error::{CommandError, at_most};
use crate::history::History;
use crate::history::entry::{EntryKind, Moment};
use crate::stage::Stage;
use crate::stage::moment_of_id;
use crate::values::show;

/// Entries in one answer.
const MOST_ENTRIES: u32 = 65_536;
/// Universes in one question.
const MOST_CALLS: usize = 256;
/// Up to so many values are listed one by one.
const FEW_VALUES: u64 = 12;
/// A slider is no use for more values.
const SLIDER: f64 = 1e6;
/// The mocks, and how they are listed.
pub(crate) struct Mocked<'a> {
    pub(crate) list: &'a [Mock],
    pub(crate) listings: Vec<MockListing>,
}

/// How far back the last reading of an input is looked for.
const RECENT: usize = 4_096;

pub(crate) fn multiverse(stage: &Stage) -> Reply {
    let history = &stage.history;
    let branches = history.tree().branches();
    Reply::Multiverse(MultiverseListing {
        branches: branches.map(|id| branch(history, id)).collect(),
    })
}

/// A branch as it is known now.
pub(crate) fn branch(history: &History, id: BranchId) -> BranchListing {
    let tree = history.tree();
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
        runs: history.counts().along(id, fork.index),
    }
}

pub(crate) fn entries(
    stage: &mut Stage,
    branch: u32,
    from: u32,
    count: u32,
    calls: bool,
    observer: Observer<'_>,
) -> Result<Reply, CommandError> {
    let id = BranchId(branch);
    let unknown = || CommandError::NoSuch(format!("there is no branch {branch}"));
    let tip = stage.history.tree().tip(id).ok_or_else(unknown)?.index;
    let first = stage
        .history
        .tree()
        .fork_of(id)
        .map_or(0, |fork| fork.index);
    let from = from.clamp(first, tip);
    let to = from.saturating_add(count.min(MOST_ENTRIES)).min(tip);
    let place = |index| Place { branch: id, index };
    let entries = if calls {
        let listed = stage.elsewhere(|stage| {
            let calls = stage
                .history
                .calls_between(place(from), place(to), observer);
            Ok(calls?)
        })?;
        listed
            .iter()
            .map(|(_, entry, call)| stage.row(entry, call.as_ref()))
            .collect()
    } else {
        (from..to)
            .filter_map(|index| stage.history.tree().entry(place(index + 1)))
            .map(|entry| stage.row(entry, None))
            .collect()
    };
    Ok(Reply::Entries(EntryListing {
        branch,
        from,
        calls,
        entries,
    }))
}

pub(crate) fn calls(
    stage: &mut Stage,
    universes: &[UniverseId],
    observer: Observer<'_>,
) -> Result<Reply, CommandError> {
    at_most(universes.len(), MOST_CALLS, "universes", "asked about")?;
    let calls = stage.elsewhere(|stage| {
        let calls = universes.iter().map(|id| call_at(stage, *id, observer));
        calls.collect()
    })?;
    Ok(Reply::Calls { calls })
}

/// The call that ends the run after a place: what is decided there.
fn call_at(
    stage: &mut Stage,
    id: UniverseId,
    observer: Observer<'_>,
) -> Result<Option<String>, CommandError> {
    let Some(at) = moment_of_id(&stage.history, id) else {
        return Ok(None);
    };
    let next = stage.history.tree().children(at.place).next();
    let Some(entry) = next.and_then(|next| stage.history.tree().entry(next)) else {
        return Ok(None);
    };
    let text = match &entry.kind {
        EntryKind::Event(event) => Some(crate::stage::event_text(event)),
        _ => None,
    };
    if text.is_some() {
        return Ok(text);
    }
    let steps = entry.step_before();
    let place = at.place;
    stage.history.seek(Moment::of(place, steps), observer)?;
    Ok(stage.pending_call())
}

pub(crate) fn inputs(stage: &Stage, mocks: &Mocked<'_>) -> Reply {
    let pending = stage.history.twin().machine.pending().and_then(|call| {
        let id = stage.program().primitive(call.func.0)?;
        Some((id, call.args))
    });
    let mut seen: Vec<(PrimitiveId, Option<Vec<Value>>)> = Vec::new();
    if let Some((id, args)) = pending.clone().filter(|(id, _)| is_input(stage, *id)) {
        seen.push((id, Some(args)));
    }
    let mut import = 0;
    while let Some(id) = stage.program().primitive(import) {
        import += 1;
        if !is_input(stage, id) {
            continue;
        }
        let params = stage.board().primitive(id).map_or(0, |p| p.params.len());
        let mut known: Vec<Option<Vec<Value>>> = known_arguments(stage, id, mocks.list)
            .into_iter()
            .map(Some)
            .collect();
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
    // Entries do not say with which arguments they were called: of several, nobody knows which one answered last.
    let several = |id| seen.iter().filter(|(other, _)| *other == id).count() > 1;
    let inputs = seen
        .iter()
        .map(|(id, args)| {
            let next = pending
                .as_ref()
                .is_some_and(|(other, now)| other == id && args.as_ref() == Some(now));
            let listing = input(stage, mocks, *id, args.as_deref(), next);
            match several(*id) {
                true => InputListing {
                    last: None,
                    ..listing
                },
                false => listing,
            }
        })
        .collect();
    Reply::Inputs { inputs }
}

fn is_input(stage: &Stage, id: PrimitiveId) -> bool {
    stage
        .board()
        .primitive(id)
        .is_some_and(|primitive| primitive.kind == PrimitiveKind::Input)
}

/// Arguments with which a mock or the board mentions an input.
fn known_arguments(stage: &Stage, id: PrimitiveId, mocks: &[Mock]) -> Vec<Vec<Value>> {
    let mocks = mocks.iter().filter(|mock| mock.primitive == id.0);
    let given = mocks.filter_map(|mock| match &mock.calls {
        MockedCalls::With(list) => Some(list.iter().map(|v| borges_stub::from_wire(*v)).collect()),
        _ => None,
    });
    let mut known: Vec<Vec<Value>> = given.collect();
    let board = stage.board();
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

fn input(
    stage: &Stage,
    mocks: &Mocked<'_>,
    id: PrimitiveId,
    args: Option<&[Value]>,
    next: bool,
) -> InputListing {
    let codomain = match args {
        Some(args) => stage
            .board()
            .codomain_at(id, args, &stage.history.twin().board),
        None => stage.board().codomain(id, &[]),
    };
    let call = match args {
        Some(args) => stage.scene().call_text(id, args),
        None => stage.primitive_name(id),
    };
    let mock = mocks
        .listings
        .iter()
        .find(|mock| mock.call == call || mock.call == stage.primitive_name(id))
        .map(|mock| mock.values.clone());
    let few = codomain.count().filter(|count| *count <= FEW_VALUES);
    let values = (0..few.unwrap_or(0)).filter_map(|n| codomain.nth(n));
    InputListing {
        call,
        codomain: codomain.describe(),
        range: slider(&codomain),
        values: values.map(show).collect(),
        next,
        last: last_reading(stage, id),
        mock,
    }
}

/// What the last call of a primitive on this path answered.
fn last_reading(stage: &Stage, id: PrimitiveId) -> Option<String> {
    let mut place = stage.history.here().place;
    for _ in 0..RECENT {
        match &stage.history.tree().entry(place)?.kind {
            EntryKind::Input {
                primitive,
                value,
                bytes,
                ..
            } if *primitive == id => return Some(stage.yield_text(id, *value, bytes)),
            _ => place = stage.history.tree().parent(place)?,
        }
    }
    None
}

/// The limits of a board, and which numbers are within those that are about one.
pub(crate) fn limits(board: &Board) -> Vec<LimitRow> {
    let of = |quantity: Quantity| match quantity {
        Quantity::Level(pin) | Quantity::Duty(pin) => Some(format!("pin {pin}")),
        Quantity::Angle(motor) => Some(format!("motor {motor}")),
        Quantity::Speed(motor) => Some(format!("speed of motor {motor}")),
        _ => None,
    };
    let row = |limit: &Limit| LimitRow {
        text: limit.text.clone(),
        of: limit.quantities().filter_map(of).collect(),
        range: match &limit.bound {
            LimitBound::Within(_, codomain) => ends(codomain),
            _ => None,
        },
    };
    board.invariants.iter().map(row).collect()
}

/// The ends of a codomain that is one interval of numbers, if a slider can be set to them.
fn slider(codomain: &Codomain) -> Option<(f64, f64)> {
    ends(codomain).filter(|(low, high)| high - low <= SLIDER)
}

/// The least and the greatest of a codomain of numbers.
fn ends(codomain: &Codomain) -> Option<(f64, f64)> {
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
    (high - low).is_finite().then_some((low, high))
}
