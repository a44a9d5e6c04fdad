//! The graph of a model language's program: what an exploration found, for questions in SQL.
//!
//! The tables are made when a graph is first kept, so files without one do not have them. Borges answers from them as
//! long as nothing in them is damaged ([`Store::graph_damage`]); a graph that is kept again replaces all of it.

use std::collections::HashMap;

use rusqlite::types::ToSql;
use rusqlite::{Connection, OptionalExtension as _};

use crate::seal::{Sealed, Seals, sealed};
use crate::{Damage, Store, StoreError};

/// Tables and views; `docs/session-files.md` explains them.
const SCHEMA: &str = include_str!("model.sql");

/// Rows between two questions whether to go on.
pub(crate) const BEAT: u32 = 256;

/// Everything that [`SCHEMA`] makes; views first, which read tables.
const OBJECTS: [&str; 10] = [
    "model_summary",
    "model_shortest",
    "model_ends",
    "model_steps",
    "model_edge",
    "model_link",
    "model_label",
    "model_state",
    "model_outcome",
    "model_program",
];

const PROGRAM: Sealed = sealed(
    "model_program",
    1,
    &["name", "language", "text", "options", "complete"],
);
const OUTCOME: Sealed = sealed("model_outcome", 1, &["id", "kind", "text"]);
const STATE: Sealed = sealed(
    "model_state",
    1,
    &["id", "depth", "via", "status", "outcome", "cycle", "text"],
);
const LABEL: Sealed = sealed("model_label", 1, &["id", "agent", "rule", "text", "line"]);
const LINK: Sealed = sealed(
    "model_link",
    1,
    &["id", "source", "target", "option", "label", "rules"],
);

/// The tables of a graph.
pub(crate) const TABLES: [&Sealed; 5] = [&PROGRAM, &OUTCOME, &STATE, &LABEL, &LINK];

/// The program of a graph, and how it was explored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelProgram {
    /// The file's name.
    pub name: String,
    /// The language.
    pub language: String,
    /// The source.
    pub text: String,
    /// How it was explored: grain, delivery, reduction or abstraction.
    pub options: String,
    /// Whether everything was.
    pub complete: bool,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelState {
    /// Its number; 0 is the start.
    pub id: u32,
    /// Steps on a shortest way there.
    pub depth: u32,
    /// The last edge of that way; none at the start.
    pub via: Option<u32>,
    /// `expanded`, or why it is not: `waiting`, `cut`, `halted`.
    pub status: String,
    /// The outcome, if it is an end.
    pub outcome: Option<u32>,
    /// A number that states share which can all reach each other, if a run can stay among them.
    pub cycle: Option<u32>,
    /// The state in the language's words, if it was kept.
    pub text: Option<String>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelEdge {
    /// Its number.
    pub id: u32,
    /// The state that it leaves.
    pub source: u32,
    /// The state that it leads to.
    pub target: u32,
    /// Its place among what could happen.
    pub option: u32,
    /// Who takes it.
    pub agent: String,
    /// The rule.
    pub rule: String,
    /// What it does.
    pub text: String,
    /// Its line in the source.
    pub line: Option<u32>,
    /// How many rules it stands for.
    pub rules: u64,
}

/// An outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelOutcome {
    /// Its number.
    pub id: u32,
    /// `finished`, `stuck` or `deadlock`.
    pub kind: String,
    /// In one line.
    pub text: String,
}

/// Rows of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelRows {
    /// New outcomes.
    pub outcomes: Vec<ModelOutcome>,
    /// States that are there already, and are not as they were.
    pub changed: Vec<ModelState>,
    /// New states.
    pub states: Vec<ModelState>,
    /// New edges.
    pub edges: Vec<ModelEdge>,
}

/// The numbers that the labels of a graph's edges have.
#[derive(Debug, Default)]
pub struct ModelLabels(HashMap<(String, String, String, Option<u32>), i64>);

impl Store {
    /// Keeps a graph, in place of the one that was kept before. What of that was damaged goes to the table `aside`.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be written, or `keep_going`, which is asked now and then,
    /// returned false; then nothing has changed.
    pub fn keep_graph(
        &mut self,
        program: &ModelProgram,
        outcomes: impl IntoIterator<Item = ModelOutcome>,
        states: impl IntoIterator<Item = ModelState>,
        edges: impl IntoIterator<Item = ModelEdge>,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<(), StoreError> {
        let mut labels = ModelLabels::default();
        let rows = |store: &Self, keep_going: &mut dyn FnMut() -> bool| {
            let mut heed = heeding(keep_going);
            store.replace_graph(|store, db| {
                let mut seals = store.seals.borrow_mut();
                insert_program(db, &mut seals, program)?;
                insert_outcomes(db, &mut seals, outcomes)?;
                insert_states(db, &mut seals, states, &mut heed)?;
                insert_edges(db, &mut seals, &mut labels, edges, &mut heed)
            })
        };
        self.save(rows, INDEXES, keep_going)
    }

    /// Begins a graph that is written while it is found, in place of the one that was kept before. Until
    /// [`Self::end_graph`] it has no indexes, and its program should not be said to be complete.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be written; then nothing has changed.
    pub fn begin_graph(&self, program: &ModelProgram) -> Result<ModelLabels, StoreError> {
        self.replace_graph(|store, db| {
            insert_program(db, &mut store.seals.borrow_mut(), program)?;
            Ok(ModelLabels::default())
        })
    }

    /// Adds to a graph that was begun.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be written; then nothing has changed, and the graph cannot grow any more.
    pub fn grow_graph(&self, labels: &mut ModelLabels, rows: ModelRows) -> Result<(), StoreError> {
        self.write(|db| {
            for row in &rows.changed {
                STATE.remove(db, &self.seals, &[&row.id])?;
            }
            let mut seals = self.seals.borrow_mut();
            insert_outcomes(db, &mut seals, rows.outcomes)?;
            let states = rows.changed.into_iter().chain(rows.states);
            insert_states(db, &mut seals, states, &mut || Ok(()))?;
            insert_edges(db, &mut seals, labels, rows.edges, &mut || Ok(()))
        })
    }

    /// Ends a graph that was begun: what is known of its states in the end takes the place of what was while it grew.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be written, or `keep_going`, which is asked now and then,
    /// returned false; then nothing has changed.
    pub fn end_graph(
        &mut self,
        program: &ModelProgram,
        outcomes: impl IntoIterator<Item = ModelOutcome>,
        states: impl IntoIterator<Item = ModelState>,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<(), StoreError> {
        let rows = |store: &Self, keep_going: &mut dyn FnMut() -> bool| {
            let mut heed = heeding(keep_going);
            store.write(|db| {
                let mut seals = store.seals.borrow_mut();
                for table in [&PROGRAM, &OUTCOME, &STATE] {
                    db.execute(&format!("DELETE FROM {}", table.name), [])?;
                    seals.reset(table);
                }
                insert_program(db, &mut seals, program)?;
                insert_outcomes(db, &mut seals, outcomes)?;
                insert_states(db, &mut seals, states, &mut heed)
            })
        };
        self.save(rows, INDEXES, keep_going)
    }

    /// Makes the tables of a graph anew.
    fn replace_graph<T>(
        &self,
        fill: impl FnOnce(&Self, &Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let was_there = self.has_graph()?;
        self.write(|db| {
            for table in TABLES.into_iter().filter(|_| was_there) {
                table.put_damaged_aside(db, &self.seals)?;
            }
            drop_graph(db)?;
            db.execute_batch(SCHEMA)?;
            for table in TABLES {
                self.seals.borrow_mut().reset(table);
            }
            fill(self, db)
        })
    }

    /// The program of the graph that is kept; none if there is no graph.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it is not what was written: a graph can still be kept in its place;
    /// [`StoreError`] if the file cannot be read.
    pub fn kept_program(&self) -> Result<Option<ModelProgram>, StoreError> {
        if !self.has_graph()? {
            return Ok(None);
        }
        let mut programs = PROGRAM.read(&self.db, "", &[], |row| {
            Ok(ModelProgram {
                name: row.get(0)?,
                language: row.get(1)?,
                text: row.get(2)?,
                options: row.get(3)?,
                complete: row.get(4)?,
            })
        })?;
        match programs.pop() {
            None => Err(Damage::Value("model_program").into()),
            program => Ok(program),
        }
    }

    pub(crate) fn has_graph(&self) -> Result<bool, StoreError> {
        let there = "SELECT 1 FROM sqlite_schema WHERE name = 'model_link'";
        Ok(self.db.prepare_cached(there)?.exists([])?)
    }
}

/// Removes the graph that is kept, if there is one.
pub(crate) fn drop_graph(db: &Connection) -> Result<(), StoreError> {
    for name in OBJECTS {
        // Another version may have made a table of what is a view here.
        let kind = db.query_row(
            "SELECT type FROM sqlite_schema WHERE name = ? AND type IN ('table', 'view')",
            [name],
            |row| row.get::<_, String>(0),
        );
        if let Some(kind) = kind.optional()? {
            db.execute_batch(&format!("DROP {kind} {name}"))?;
        }
    }
    Ok(())
}

/// Made after the rows of a graph: that is faster.
const INDEXES: &str = "CREATE INDEX model_link_source ON model_link (source);
     CREATE INDEX model_link_target ON model_link (target);
     CREATE INDEX model_state_outcome ON model_state (outcome) WHERE outcome IS NOT NULL;";

/// Asks after every few rows whether to go on.
fn heeding(keep_going: &mut dyn FnMut() -> bool) -> impl FnMut() -> Result<(), StoreError> {
    let mut rows = 0_u32;
    move || {
        rows = rows.wrapping_add(1);
        let go_on = !rows.is_multiple_of(BEAT) || keep_going();
        go_on.then_some(()).ok_or(StoreError::Stopped)
    }
}

fn insert_program(
    db: &Connection,
    seals: &mut Seals,
    program: &ModelProgram,
) -> Result<(), StoreError> {
    let ModelProgram {
        name,
        language,
        text,
        options,
        complete,
    } = program;
    PROGRAM
        .inserter(db)?
        .add(seals, &[name, language, text, options, complete])
}

fn insert_outcomes(
    db: &Connection,
    seals: &mut Seals,
    outcomes: impl IntoIterator<Item = ModelOutcome>,
) -> Result<(), StoreError> {
    let mut add = OUTCOME.inserter(db)?;
    let mut outcomes = outcomes.into_iter();
    outcomes.try_for_each(|row| add.add(seals, &[&row.id, &row.kind, &row.text]))
}

fn insert_states(
    db: &Connection,
    seals: &mut Seals,
    states: impl IntoIterator<Item = ModelState>,
    heed: &mut dyn FnMut() -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut add = STATE.inserter(db)?;
    for state in states {
        heed()?;
        let row: [&dyn ToSql; 7] = [
            &state.id,
            &state.depth,
            &state.via,
            &state.status,
            &state.outcome,
            &state.cycle,
            &state.text,
        ];
        add.add(seals, &row)?;
    }
    Ok(())
}

fn insert_edges(
    db: &Connection,
    seals: &mut Seals,
    labels: &mut ModelLabels,
    edges: impl IntoIterator<Item = ModelEdge>,
    heed: &mut dyn FnMut() -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut name = LABEL.inserter(db)?;
    let mut add = LINK.inserter(db)?;
    let labels = &mut labels.0;
    for edge in edges {
        heed()?;
        let fresh = labels.len() as i64;
        let label = (edge.agent, edge.rule, edge.text, edge.line);
        let label = match labels.get(&label) {
            Some(known) => *known,
            None => {
                let (agent, rule, text, line) = &label;
                name.add(seals, &[&fresh, agent, rule, text, line])?;
                labels.insert(label, fresh);
                fresh
            }
        };
        let row: [&dyn ToSql; 6] = [
            &edge.id,
            &edge.source,
            &edge.target,
            &edge.option,
            &label,
            &edge.rules,
        ];
        add.add(seals, &row)?;
    }
    Ok(())
}
