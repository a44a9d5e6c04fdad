//! How two moments differ.

use borges_board::BoardState;
use borges_multiverse::tree::Place;

use crate::command::Observer;
use crate::command::Reply;
use crate::command::listing::{PlaceView, UniverseDifference};
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::stage::Stage;

pub(crate) fn compare(
    stage: &mut Stage,
    (left_at, right_at): (Moment, Moment),
    device: Option<Moment>,
    observer: Observer<'_>,
) -> Result<Reply, CommandError> {
    let join = stage
        .history
        .tree()
        .join(left_at.place, right_at.place)
        .unwrap_or(Place::ROOT);
    let choice = |to: Place| {
        let mut path = stage.history.tree().between(join, to)?;
        path.next().map(|(_, entry)| stage.entry_text(entry))
    };
    let (left_choice, right_choice) = (choice(left_at.place), choice(right_at.place));
    let join_at = stage.history.moment_of(join).unwrap_or(Moment::START);
    let (l, r, join) = stage.elsewhere(|stage| {
        let l = sight_of(stage, left_at, device, observer)?;
        let r = sight_of(stage, right_at, device, observer)?;
        stage.history.seek(join_at, observer)?;
        Ok((l, r, stage.view(join_at, device)))
    })?;
    let mut variables = Vec::new();
    for (name, value) in &l.variables {
        let other = r
            .variables
            .iter()
            .find(|(other, _)| other == name)
            .map_or("–", |(_, value)| value.as_str());
        if other != value {
            variables.push((name.clone(), value.clone(), other.to_owned()));
        }
    }
    let rows = l.board.len().max(r.board.len());
    let row = |lines: &[String], n: usize| lines.get(n).cloned().unwrap_or_default();
    let board = (0..rows)
        .map(|n| (row(&l.board, n), row(&r.board, n)))
        .filter(|(a, b)| a != b)
        .collect();
    let memories = l.memories.iter().zip(&r.memories);
    let memory_bytes = memories.map(|(l, r)| differing_bytes(l, r)).sum();
    Ok(Reply::Difference(Box::new(UniverseDifference {
        left: l.view,
        right: r.view,
        join,
        left_choice,
        right_choice,
        variables,
        board,
        memory_bytes,
    })))
}

fn sight_of(
    stage: &mut Stage,
    at: Moment,
    device: Option<Moment>,
    observer: Observer<'_>,
) -> Result<Sight, CommandError> {
    stage.history.seek(at, observer)?;
    let scene = stage.scene();
    let locals = scene.locals(0).unwrap_or_default().into_iter();
    let variables = locals
        .chain(scene.globals().0)
        .map(|variable| (variable.name, variable.value))
        .collect();
    let state: &BoardState = &stage.history.twin().board;
    Ok(Sight {
        view: stage.view(stage.history.here(), device),
        variables,
        board: state.render(stage.board()),
        memories: (0..)
            .map_while(|index| stage.history.twin().machine.memory_at(index))
            .map(<[u8]>::to_vec)
            .collect(),
    })
}

/// In how many bytes two states of a memory differ.
fn differing_bytes(left: &[u8], right: &[u8]) -> u64 {
    let differing = left.iter().zip(right).filter(|(a, b)| a != b).count();
    differing as u64 + left.len().abs_diff(right.len()) as u64
}

/// What a comparison needs of one universe.
struct Sight {
    view: PlaceView,
    variables: Vec<(String, String)>,
    board: Vec<String>,
    memories: Vec<Vec<u8>>,
}
