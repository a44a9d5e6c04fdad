//! Many universes at a glance: what came of each, its board, and what expressions come to there.

use std::collections::HashMap;

use borges_multiverse::tree::End;
use borges_vm::Outcome;

use crate::command::played::{LeafOutcome, LeafRow, LeavesListing};
use crate::command::{Flow, Observer, Reply, StopReason, UniverseId};
use crate::error::{CommandError, at_most};
use crate::history::SeekError;
use crate::history::entry::Moment;
use crate::scene::{breaks, limit_words};
use crate::stage::{Stage, moment_of_id, universe_id};

/// Universes in one answer.
const MOST_LEAVES: u32 = 4_096;
/// Expressions in one question.
const MOST_EXPRESSIONS: usize = 16;
/// Universes that may be named in one question.
const MOST_NAMED: usize = 1 << 17;
/// Universes that are remembered.
const MOST_KNOWN: usize = 1 << 17;

/// What is wanted of each universe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) expressions: Vec<String>,
    pub(crate) paint: Option<String>,
    pub(crate) boards: bool,
}

/// What was seen of universes. None is looked at twice for the same question.
#[derive(Default)]
pub(crate) struct Leaves {
    wanted: Wanted,
    /// Of which state of the recording that is: an output that captured something else makes all of it void.
    amended: u64,
    known: HashMap<UniverseId, LeafRow>,
    boards: Vec<serde_json::Value>,
    /// The boards by their text.
    numbers: HashMap<String, u32>,
}

impl Leaves {
    /// Some universes, from the `from`-th on; all that lie at the ends of branches if none is named.
    pub(crate) fn look(
        &mut self,
        stage: &mut Stage,
        wanted: Wanted,
        named: &[UniverseId],
        (from, most): (u32, u32),
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        at_most(
            wanted.expressions.len(),
            MOST_EXPRESSIONS,
            "expressions",
            "asked for",
        )?;
        at_most(named.len(), MOST_NAMED, "universes", "asked about")?;
        let amended = stage.history.amended();
        if self.wanted != wanted || self.amended != amended || self.known.len() >= MOST_KNOWN {
            *self = Self {
                wanted,
                amended,
                ..Self::default()
            };
        }
        let all = match named {
            [] => tips(stage),
            named => named.to_vec(),
        };
        let mut listing = LeavesListing {
            all: all.len() as u32,
            ..LeavesListing::default()
        };
        let mut told: HashMap<u32, u32> = HashMap::new();
        let some = (from..).zip(all.iter().skip(from as usize));
        stage.elsewhere(|stage| {
            for (nth, id) in some {
                // The first one always comes, so that whoever asks again comes to an end.
                let full = listing.leaves.len() >= most.clamp(1, MOST_LEAVES) as usize;
                let paused = !listing.leaves.is_empty()
                    && observer(stage.progress("looking at universes")) == Flow::Pause;
                if full || paused {
                    listing.next = Some(nth);
                    break;
                }
                let mut row = match self.known.get(id) {
                    Some(row) => row.clone(),
                    None => match self.leaf(stage, *id, observer) {
                        Err(CommandError::Paused) => {
                            listing.next = Some(nth);
                            break;
                        }
                        row => row?,
                    },
                };
                row.board = row.board.map(|number| {
                    *told.entry(number).or_insert_with(|| {
                        listing
                            .boards
                            .extend(self.boards.get(number as usize).cloned());
                        listing.boards.len() as u32 - 1
                    })
                });
                listing.leaves.push(row);
            }
            Ok(())
        })?;
        Ok(Reply::Leaves(listing))
    }

    /// Looks at a universe.
    fn leaf(
        &mut self,
        stage: &mut Stage,
        id: UniverseId,
        observer: Observer<'_>,
    ) -> Result<LeafRow, CommandError> {
        let none = || CommandError::NoSuch(format!("there is no universe {id}"));
        let at = moment_of_id(&stage.history, id).ok_or_else(none)?;
        if at.steps > stage.history.known_until(at.place) {
            return Err(none());
        }
        match stage.history.seek(at, observer) {
            Err(SeekError::Paused) => return Err(CommandError::Paused),
            sought => sought?,
        }
        let values = self.wanted.expressions.iter();
        let row = LeafRow {
            universe: id,
            steps: at.steps,
            clock_us: stage.history.twin().clock_us(),
            outcome: outcome(stage),
            values: values.map(|text| value(stage, text)).collect(),
            painted: self
                .wanted
                .paint
                .as_deref()
                .and_then(|text| is_true(stage, text)),
            board: self.wanted.boards.then(|| self.board(stage)),
        };
        self.known.insert(id, row.clone());
        Ok(row)
    }

    /// The number of the board that is shown.
    fn board(&mut self, stage: &Stage) -> u32 {
        let view = stage.history.twin().board.view(stage.board(), 0);
        let text = serde_json::to_string(&view).unwrap_or_default();
        let boards = &mut self.boards;
        *self.numbers.entry(text).or_insert_with(|| {
            boards.push(serde_json::to_value(&view).unwrap_or_default());
            boards.len() as u32 - 1
        })
    }
}

/// The last known universes of all branches from which none goes on.
fn tips(stage: &Stage) -> Vec<UniverseId> {
    let history = &stage.history;
    let tips = history
        .tree()
        .branches()
        .map(|branch| history.tip_of(branch));
    let last = |tip: &Moment| history.tree().children(tip.place).next().is_none();
    tips.filter(last)
        .map(|tip| universe_id(history, tip))
        .collect()
}

fn outcome(stage: &Stage) -> LeafOutcome {
    let twin = stage.history.twin();
    let here = stage.history.here();
    if let Some(Outcome::Exited(code)) = twin.machine.outcome() {
        return LeafOutcome::Exited { code: *code };
    }
    match stage.ended() {
        Some(StopReason::Finished { results }) => LeafOutcome::Finished { results },
        Some(StopReason::Trapped { trap }) => LeafOutcome::Trapped { trap },
        _ => match stage.history.tree().end(here.place.branch) {
            Some(End::Trapped(trap)) if stage.history.traps_at(here) => {
                LeafOutcome::Trapped { trap: trap.clone() }
            }
            _ => {
                let broken = breaks(stage.program(), (&twin.machine, &twin.board));
                let words = broken
                    .iter()
                    .map(|broken| limit_words(stage.board(), broken));
                match words.collect::<Vec<_>>() {
                    words if words.is_empty() => LeafOutcome::Open,
                    words => LeafOutcome::Limit {
                        limit: words.join("; "),
                    },
                }
            }
        },
    }
}

/// What an expression comes to; of the board, `motor N` is an angle in degrees, `pin N` a level, `clock` milliseconds.
fn value(stage: &Stage, text: &str) -> Option<String> {
    let text = with_board(stage, text);
    stage.scene().somewhere(&text)
}

fn is_true(stage: &Stage, text: &str) -> Option<bool> {
    let value = value(stage, text)?;
    Some(!matches!(value.as_str(), "0" | "false" | "0.0"))
}

/// An expression with what the board has in place of its names.
fn with_board(stage: &Stage, text: &str) -> String {
    let (board, state) = (stage.board(), &stage.history.twin().board);
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '_') {
        words.push_str(&rest[..at]);
        rest = &rest[at..];
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let number = after.trim_start();
        let digits = number
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(number.len());
        let nth: Option<u8> = number[..digits].parse().ok();
        let spaced = after.len() > number.len();
        let found = match (word, nth.filter(|_| spaced)) {
            ("motor", Some(nth)) => Some(state.motor(nth).map_or(0, |motor| motor.angle.degrees())),
            ("pin", Some(nth)) => Some(i64::from(state.level(board, nth))),
            _ => None,
        };
        match found {
            Some(value) => {
                words.push_str(&format!("({value})"));
                rest = &number[digits..];
            }
            None if word == "clock" && !number.starts_with(['(', '.', '[']) => {
                words.push_str(&(stage.history.twin().clock_us() / 1_000).to_string());
                rest = after;
            }
            None => {
                words.push_str(word);
                rest = after;
            }
        }
    }
    words + rest
}
