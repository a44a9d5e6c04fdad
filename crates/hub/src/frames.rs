//! Binary frames: what is too much for JSON.
//!
//! A frame is the length of its header (u32, little endian), the header as JSON padded with spaces so that what follows
//! is aligned to 8 bytes, and columns of numbers, little endian, each padded to 8 bytes. The header says what the columns
//! are.

use borges_session::listing::{BranchEnd, BranchListing, EntryClass, EntryListing};
use borges_session::model::Multiverse;
use serde::Serialize;

/// Where a text is missing.
const NONE: u32 = u32::MAX;

/// The header of a frame of branches. Columns: `begins` and `reached` (f64), `branch`, `parent`, `fork`, `tip` and `end`
/// (u32; 0 open, 1 finished, 2 trapped).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct BranchesHeader {
    /// `branches`.
    pub(crate) frame: &'static str,
    /// One more than that of the last patch or frame, as in [`crate::protocol::Tell::Patch`].
    pub(crate) number: u32,
    /// Everything known before is void.
    pub(crate) fresh: bool,
    /// How many rows follow: those that are new or have changed.
    pub(crate) count: u32,
    /// Trap of a branch.
    pub(crate) words: Vec<(u32, String)>,
    /// From which index on how many recordings took a branch.
    pub(crate) runs: Vec<(u32, Vec<(u32, u64)>)>,
}

/// The header of a frame of entries. Columns: `steps` (f64), `kind` (u32: 0 input, 1 output, 2 event, plus 4 if mocked),
/// `call` and `value` (u32, indices into `texts`, all ones for none).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct EntriesHeader {
    /// `entries`.
    pub(crate) frame: &'static str,
    /// That of the question.
    pub(crate) id: u32,
    pub(crate) branch: u32,
    /// The index of the place before the first row.
    pub(crate) from: u32,
    /// Whether calls have their arguments.
    pub(crate) calls: bool,
    /// How many rows follow.
    pub(crate) count: u32,
    /// Calls and values.
    pub(crate) texts: Vec<String>,
}

/// The header of a frame of all states of a program of a model language. Columns: `depth` (u32), `status` (one byte: the
/// index in `STATUSES`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct StatesHeader {
    /// `states`.
    pub(crate) frame: &'static str,
    /// That of the question.
    pub(crate) id: u32,
    /// How many rows follow.
    pub(crate) count: u32,
    /// How many edges there are.
    pub(crate) edges: u32,
    /// There are no other states.
    pub(crate) complete: bool,
}

/// The header of a frame of universes and edges of a session with a program of a model language. Columns: `universe`
/// (u32) and `status` (one byte: the index in `statuses`) of those that are new or have changed; `from` and `to` (u32)
/// and `command` (one byte: 1 if the user caused it) of the edges that are new, which follow those known before.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct UniversesHeader {
    /// `universes`.
    pub(crate) frame: &'static str,
    /// One more than that of the last patch or frame, as in [`crate::protocol::Tell::Patch`].
    pub(crate) number: u32,
    /// Everything known before is void.
    pub(crate) fresh: bool,
    /// How many universes follow.
    pub(crate) count: u32,
    /// How many edges follow.
    pub(crate) edges: u32,
    /// What the codes of the column `status` stand for.
    pub(crate) statuses: Vec<&'static str>,
}

pub(crate) fn branches(number: u32, fresh: bool, rows: &[&BranchListing]) -> Vec<u8> {
    let header = BranchesHeader {
        frame: "branches",
        number,
        fresh,
        count: rows.len() as u32,
        words: rows
            .iter()
            .filter(|row| !row.words.is_empty())
            .map(|row| (row.branch, row.words.clone()))
            .collect(),
        runs: rows
            .iter()
            .filter(|row| !row.runs.is_empty())
            .map(|row| (row.branch, row.runs.clone()))
            .collect(),
    };
    let mut frame = Frame::new(&header);
    frame.floats(rows.iter().map(|row| row.begins));
    frame.floats(rows.iter().map(|row| row.reached));
    frame.words(rows.iter().map(|row| row.branch));
    frame.words(rows.iter().map(|row| row.parent));
    frame.words(rows.iter().map(|row| row.fork));
    frame.words(rows.iter().map(|row| row.tip));
    frame.words(rows.iter().map(|row| match row.end {
        BranchEnd::Open => 0,
        BranchEnd::Finished => 1,
        BranchEnd::Trapped => 2,
    }));
    frame.bytes
}

pub(crate) fn entries(id: u32, listing: &EntryListing) -> Vec<u8> {
    let mut texts = Texts::default();
    let rows = &listing.entries;
    let calls: Vec<u32> = rows.iter().map(|row| texts.index(&row.call)).collect();
    let values: Vec<u32> = rows
        .iter()
        .map(|row| row.value.as_ref().map_or(NONE, |value| texts.index(value)))
        .collect();
    let header = EntriesHeader {
        frame: "entries",
        id,
        branch: listing.branch,
        from: listing.from,
        calls: listing.calls,
        count: rows.len() as u32,
        texts: texts.list,
    };
    let mut frame = Frame::new(&header);
    frame.floats(rows.iter().map(|row| row.steps));
    frame.words(rows.iter().map(|row| {
        let kind = match row.kind {
            EntryClass::Input => 0,
            EntryClass::Output => 1,
            EntryClass::Event => 2,
        };
        kind + if row.mocked { 4 } else { 0 }
    }));
    frame.words(calls.into_iter());
    frame.words(values.into_iter());
    frame.bytes
}

/// What is new of the universes of a session with a program of a model language.
pub(crate) struct News {
    /// Everything known before is void.
    pub(crate) fresh: bool,
    /// Universes that are new or have changed, with their statuses.
    pub(crate) universes: Vec<(u32, &'static str)>,
    /// New edges: where each leaves, where it leads, and whether the user caused it.
    pub(crate) edges: Vec<(u32, u32, bool)>,
}

pub(crate) fn universes(number: u32, news: &News) -> Vec<u8> {
    let News {
        fresh,
        universes,
        edges,
    } = news;
    let mut statuses = Vec::new();
    let mut code = |status: &'static str| {
        let known = statuses.iter().position(|known| *known == status);
        known.unwrap_or_else(|| {
            statuses.push(status);
            statuses.len() - 1
        }) as u8
    };
    let codes: Vec<u8> = universes.iter().map(|(_, status)| code(status)).collect();
    let mut frame = Frame::new(&UniversesHeader {
        frame: "universes",
        number,
        fresh: *fresh,
        count: universes.len() as u32,
        edges: edges.len() as u32,
        statuses,
    });
    frame.words(universes.iter().map(|(universe, _)| *universe));
    frame.octets(codes.into_iter());
    frame.words(edges.iter().map(|(from, ..)| *from));
    frame.words(edges.iter().map(|(_, to, _)| *to));
    frame.octets(edges.iter().map(|(.., command)| u8::from(*command)));
    frame.bytes
}

/// How the page knows the statuses of states; `ui/src/model/states.ts` has the same list.
const STATUSES: [&str; 8] = [
    "expanded", "waiting", "cut", "halted", "finished", "stuck", "deadlock", "failed",
];

pub(crate) fn states(id: u32, graph: &dyn Multiverse) -> Vec<u8> {
    let count = graph.states() as u32;
    let mut frame = Frame::new(&StatesHeader {
        frame: "states",
        id,
        count,
        edges: graph.edges() as u32,
        complete: graph.is_complete(),
    });
    let mut statuses = Vec::with_capacity(count as usize);
    frame.words((0..count).map(|state| {
        let depth = graph.depth(state).unwrap_or(0);
        let status = graph.status(state).unwrap_or("waiting");
        let code = STATUSES.iter().position(|known| *known == status);
        statuses.push(code.unwrap_or(1) as u8);
        depth
    }));
    frame.octets(statuses.into_iter());
    frame.bytes
}

/// Texts with a number each.
#[derive(Default)]
struct Texts {
    list: Vec<String>,
    known: std::collections::HashMap<String, u32>,
}

impl Texts {
    fn index(&mut self, text: &str) -> u32 {
        if let Some(index) = self.known.get(text) {
            return *index;
        }
        let index = self.list.len() as u32;
        self.list.push(text.to_owned());
        self.known.insert(text.to_owned(), index);
        index
    }
}

struct Frame {
    bytes: Vec<u8>,
}

impl Frame {
    fn new(header: &impl Serialize) -> Self {
        // Headers are plain structures: serialising them into memory does not fail.
        let mut json = serde_json::to_vec(header).unwrap_or_default();
        while !(json.len() + 4).is_multiple_of(8) {
            json.push(b' ');
        }
        let mut bytes = (json.len() as u32).to_le_bytes().to_vec();
        bytes.append(&mut json);
        Self { bytes }
    }

    /// Step counts as floats: exact up to 2^53.
    fn floats(&mut self, column: impl Iterator<Item = u64>) {
        for value in column {
            self.bytes.extend((value as f64).to_le_bytes());
        }
    }

    fn words(&mut self, column: impl Iterator<Item = u32>) {
        for value in column {
            self.bytes.extend(value.to_le_bytes());
        }
        self.pad();
    }

    fn octets(&mut self, column: impl Iterator<Item = u8>) {
        self.bytes.extend(column);
        self.pad();
    }

    fn pad(&mut self) {
        let padded = self.bytes.len().next_multiple_of(8);
        self.bytes.resize(padded, 0);
    }
}
