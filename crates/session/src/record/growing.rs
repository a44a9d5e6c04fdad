//! The graph of a model language's program as tables of a session file: all at once, or while it is explored.

use std::path::Path;
use std::time::Instant;

use borges_languages::model::{DESCRIBED, EdgeRow, EndCount, Gains, Multiverse, StateRow};
use borges_store::{
    Access, ModelEdge, ModelLabels, ModelOutcome, ModelProgram, ModelRows, ModelState, Store,
    StoreError,
};

pub(super) fn open(file: &Path) -> Result<Store, StoreError> {
    if file.exists() {
        Store::open(file, Access::Write)
    } else {
        Store::create(file)
    }
}

/// A graph that is written to a file while it is explored.
pub(super) struct Growing {
    /// The file, and what the edges so far are called; or why there is nothing to write to any more.
    written: Result<(Store, ModelLabels), StoreError>,
}

impl Growing {
    /// Begins the tables in a file, in place of those that it may have.
    pub(super) fn begin(file: &Path, program: &ModelProgram) -> Result<Self, StoreError> {
        let store = open(file)?;
        let labels = store.begin_graph(program)?;
        Ok(Self {
            written: Ok((store, labels)),
        })
    }

    /// Writes what was found; whether that is possible.
    pub(super) fn grow(&mut self, gains: Gains) -> bool {
        let Ok((store, labels)) = &mut self.written else {
            return false;
        };
        let rows = ModelRows {
            outcomes: gains.outcomes.into_iter().map(outcome).collect(),
            changed: gains.changed.into_iter().map(state).collect(),
            states: gains.states.into_iter().map(state).collect(),
            edges: gains.edges.into_iter().map(edge).collect(),
        };
        // Before, not after: when these are the last, they are saved by the end, which waits for the disk once.
        let grown = store
            .tick(Instant::now())
            .and_then(|()| store.grow_graph(labels, rows));
        if let Err(error) = grown {
            self.written = Err(error);
        }
        self.written.is_ok()
    }

    /// Writes what was not known before the exploration had ended, if it has; the file.
    pub(super) fn end(
        self,
        program: Option<&ModelProgram>,
        graph: &dyn Multiverse,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Store, StoreError> {
        let (mut store, _) = self.written?;
        let ended = program.map_or(Ok(()), |program| {
            let outcomes = ends(graph, keep_going)?.into_iter().map(outcome);
            store.end_graph(program, outcomes, states_of(graph), keep_going)
        });
        // What was found stays, also if that was stopped.
        store.flush()?;
        ended.map(|()| store)
    }
}

/// Copies a graph into tables.
pub(super) fn fill(
    store: &mut Store,
    program: &ModelProgram,
    graph: &dyn Multiverse,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<(), StoreError> {
    let outcomes = ends(graph, keep_going)?.into_iter().map(outcome);
    let edges = (0..graph.edges() as u32).filter_map(|id| graph.edge_row(id));
    let edges = edges.map(edge);
    store.keep_graph(program, outcomes, states_of(graph), edges, keep_going)
}

/// The outcomes, once all is found that rows need of the whole graph, unless somebody stops that.
fn ends(
    graph: &dyn Multiverse,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Vec<EndCount>, StoreError> {
    match graph.prepare(&mut |_| keep_going()) {
        true => Ok(graph.ends()),
        false => Err(StoreError::Stopped),
    }
}

/// Row by row: all of them at once would be several times as large as the graph.
fn states_of(graph: &dyn Multiverse) -> impl Iterator<Item = ModelState> {
    let described = |id| (id as usize) < DESCRIBED;
    let states = 0..graph.states() as u32;
    states
        .filter_map(move |id| graph.state_row(id, described(id)))
        .map(state)
}

fn outcome(end: EndCount) -> ModelOutcome {
    ModelOutcome {
        id: end.outcome,
        kind: end.how.to_string(),
        text: end.text,
    }
}

fn state(row: StateRow) -> ModelState {
    ModelState {
        id: row.id,
        depth: row.depth,
        via: row.via,
        status: row.status.to_owned(),
        outcome: row.outcome,
        cycle: row.cycle,
        text: row.text,
    }
}

fn edge(row: EdgeRow) -> ModelEdge {
    ModelEdge {
        id: row.id,
        source: row.source,
        target: row.target,
        option: row.step.option,
        agent: row.step.agent,
        rule: row.step.rule.to_owned(),
        text: row.step.text,
        line: row.step.line,
        rules: row.step.rules,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use borges_languages::model::{AMBIENT_TALK, Explore, Model, Order};
    use borges_store::QueryBounds;

    use super::*;
    use crate::record::model::{ModelSession, graph_damage};

    /// Three outcomes, and some thousands of states.
    const MATH: &str = include_str!("../../../../examples/math-actor/math.at");
    /// Goes round for ever, or ends.
    const ROUND: &str = "def ping() { self<-ping() }; def stop() { 1 }; self<-ping(); self<-stop()";

    fn session(text: &str, order: Order, file: Option<PathBuf>) -> ModelSession {
        let model = Model::parse(&AMBIENT_TALK, text).expect("the program is right");
        let explore = Explore {
            order,
            ..Explore::default()
        };
        ModelSession::new("test".to_owned(), model, explore, file)
    }

    fn rows(file: &Path, sql: &str) -> Vec<Vec<borges_store::QueryCell>> {
        let mut store = Store::open(file, Access::Read).expect("a session file");
        store.query(sql, QueryBounds::default()).expect("rows").rows
    }

    #[test]
    fn what_grew_is_what_is_kept_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [("math", MATH), ("round", ROUND)] {
            let [grown, whole] =
                ["grown", "whole"].map(|way| folder.path().join(format!("{name}-{way}")));
            let mut growing = session(text, Order::BreadthFirst, Some(grown.clone()));
            let report = growing.explore(|_| true).expect("it is written");
            assert!(report.complete);
            growing.write(|_| true).expect("it is finished");
            drop(growing);
            let mut at_once = session(text, Order::BreadthFirst, Some(whole.clone()));
            at_once.keep(|_| true).expect("it is written");
            drop(at_once);
            for table in ["program", "outcome", "state", "label", "link"] {
                let sql = format!("SELECT * FROM model_{table} ORDER BY 1 LIMIT 10000");
                assert_eq!(rows(&grown, &sql), rows(&whole, &sql), "{name} {table}");
            }
            assert_eq!(graph_damage(&grown).expect("read"), [""; 0]);
        }
    }

    /// All that was found is in the file, whatever the order, and also if the end is not finished.
    #[test]
    fn what_is_stopped_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        for (nth, order) in [Order::BreadthFirst, Order::DepthFirst, Order::Random(7)]
            .into_iter()
            .enumerate()
        {
            for stops in [true, false] {
                let file = folder.path().join(format!("{nth}-{stops}"));
                let mut session = session(MATH, order.clone(), Some(file.clone()));
                let report = session.explore(|come| !stops || come.states < 400);
                let report = report.expect("it is written");
                assert_eq!(report.complete, !stops);
                // Nothing is asked any more of who has stopped it; who stops the end leaves what there is.
                let ended = session.write(|_| false);
                assert_eq!(ended.is_ok(), stops, "{ended:?}");
                drop(session);
                let sizes = "SELECT (SELECT count(*) FROM model_state), (SELECT count(*) FROM model_link), \
                     (SELECT count(*) FROM model_ends), (SELECT complete FROM model_program), \
                     (SELECT count(*) FROM model_state s LEFT JOIN model_link k ON k.id = s.via \
                      WHERE s.id > 0 AND k.target IS NOT s.id), \
                     (SELECT count(*) FROM model_state s WHERE (status = 'expanded') \
                      IS NOT (outcome IS NOT NULL OR EXISTS (SELECT 1 FROM model_link WHERE source = s.id)))";
                let expected = [
                    report.states,
                    report.edges,
                    report.ends.len() as u64,
                    0,
                    0,
                    0,
                ];
                let expected = expected.map(|count| borges_store::QueryCell::Integer(count as i64));
                assert_eq!(rows(&file, sizes), [expected], "{order:?}, {stops}");
                assert_eq!(graph_damage(&file).expect("read"), [""; 0]);
            }
        }
    }

    /// A file that is none is not written over, and nothing is explored for it.
    #[test]
    fn what_cannot_be_written_is_not_explored() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("letter.txt");
        std::fs::write(&file, "dear reader").expect("written");
        let mut session = session(MATH, Order::BreadthFirst, Some(file.clone()));
        assert!(session.explore(|_| true).is_err());
        assert_eq!(std::fs::read_to_string(file).expect("read"), "dear reader");
    }
}
