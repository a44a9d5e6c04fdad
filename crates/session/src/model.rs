//! A program of a model language being debugged: its universes, its whole graph, and questions to that.

use std::path::{Path, PathBuf};

pub use borges_languages::model::debug;
use borges_languages::model::debug::{Came, Debugger, Order, Refused};
use borges_languages::model::{Dialect, Explore, Model, ModelError, NoAnswer, Program, Progress};
pub use borges_languages::model::{EdgeRow, Multiverse, Question, Reply, StateRow, Way};
use borges_languages::muoz::caredeb::{self, Binding, ThreadLine};
use borges_store::{
    Access, Bounds, ModelEdge, ModelOutcome, ModelProgram, ModelState, Store, StoreError,
};
use serde::Serialize;
use thiserror::Error;

use crate::listing::TableListing;
use crate::record::table;

/// States of a graph of which the texts are kept too: they are most of a large file.
const DESCRIBED: usize = 20_000;

/// Why a question has no answer.
#[derive(Debug, Error)]
pub enum AskError {
    /// It is about what there is not.
    #[error(transparent)]
    NoAnswer(#[from] NoAnswer),
    /// The graph cannot be kept, or the SQL is wrong.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The user stopped the exploration.
    #[error("the exploration was stopped before there was an answer")]
    Stopped,
}

/// A debugger over a program, with its graph where somebody asks for that.
pub struct ModelSession {
    name: String,
    dialect: Dialect,
    options: Explore,
    model: Model,
    debugger: Box<dyn Debugger>,
    graph: Option<Box<dyn Multiverse>>,
    store: Option<Store>,
    file: Option<PathBuf>,
    caredeb: Option<caredeb::Session>,
}

impl ModelSession {
    /// A session at the start of a program. Its graph is kept in `file`, once it is asked for.
    #[must_use]
    pub fn new(name: String, model: Model, options: Explore, file: Option<PathBuf>) -> Self {
        Self {
            name,
            dialect: model.dialect(),
            debugger: model.debugger(&options),
            options,
            model,
            graph: None,
            store: None,
            file,
            caredeb: None,
        }
    }

    /// What the program is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its language.
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The debugger, to look at.
    #[must_use]
    pub fn debugger(&self) -> &dyn Debugger {
        &*self.debugger
    }

    /// Carries out an order.
    ///
    /// # Errors
    /// [`Refused`]; then nothing has changed.
    pub fn carry_out(&mut self, order: Order) -> Result<Came, Refused> {
        let edits = matches!(order, Order::Edit { .. });
        let came = self.debugger.carry_out(order)?;
        if edits && let Ok(model) = Model::parse(self.dialect, self.debugger.text()) {
            self.model = model;
            self.graph = None;
            self.store = None;
            self.caredeb = None;
        }
        Ok(came)
    }

    /// Parses a text as a program of the session's language, to see what is wrong with it.
    ///
    /// # Errors
    /// [`ModelError`] with the place.
    pub fn parse(&self, text: &str) -> Result<Model, ModelError> {
        Model::parse(self.dialect, text)
    }

    /// The graph of all states, explored at the first question.
    ///
    /// # Errors
    /// [`AskError::Stopped`] if `keep_going` said so.
    pub fn graph(
        &mut self,
        mut keep_going: impl FnMut(&Progress) -> bool,
    ) -> Result<&dyn Multiverse, AskError> {
        if self.graph.is_none() {
            let mut stopped = false;
            let graph = self.model.multiverse(&self.options, |progress| {
                stopped |= !keep_going(progress);
                !stopped
            });
            if stopped {
                return Err(AskError::Stopped);
            }
            self.graph = Some(graph);
        }
        self.graph.as_deref().ok_or(AskError::Stopped)
    }

    /// Answers a question about all states.
    ///
    /// # Errors
    /// [`AskError`].
    pub fn ask(
        &mut self,
        question: &Question,
        keep_going: impl FnMut(&Progress) -> bool,
    ) -> Result<Reply, AskError> {
        Ok(self.graph(keep_going)?.ask(question)?)
    }

    /// Answers one `SELECT` about the tables of the graph.
    ///
    /// # Errors
    /// [`AskError`].
    pub fn query(
        &mut self,
        sql: &str,
        keep_going: impl FnMut(&Progress) -> bool,
    ) -> Result<TableListing, AskError> {
        self.keep(keep_going)?;
        let store = self.store.as_mut().ok_or(AskError::Stopped)?;
        Ok(table(store.query(sql, Bounds::default())?))
    }

    /// Writes the graph to the session's file, or to memory if it has none.
    ///
    /// # Errors
    /// [`AskError`].
    pub fn keep(&mut self, keep_going: impl FnMut(&Progress) -> bool) -> Result<(), AskError> {
        if self.store.is_some() {
            return Ok(());
        }
        let store = match self.file.as_deref() {
            Some(file) => open(file)?,
            None => Store::in_memory()?,
        };
        let mut program = ModelProgram {
            name: self.name.clone(),
            language: self.dialect.name().to_owned(),
            text: self.model.text().to_owned(),
            options: format!("{:?}, {:?}", self.options.grain, self.options.delivery)
                .to_lowercase(),
            complete: true,
        };
        // What is there already need not be explored again.
        if store.kept_program()?.as_ref() != Some(&program) {
            let graph = self.graph(keep_going)?;
            program.complete = graph.is_complete();
            fill(&store, &program, graph)?;
            store.flush()?;
        }
        self.store = Some(store);
        Ok(())
    }

    /// Carries out a line of CaReDeb, the debugger of μOz. None if the program is of another
    /// language.
    pub fn caredeb(&mut self, line: &str) -> Option<CareDeb> {
        if self.caredeb.is_none() {
            let Program::MuOz(program) = self.model.program() else {
                return None;
            };
            let text = self.model.text().to_owned();
            self.caredeb = Some(caredeb::Session::new(program.clone(), text));
        }
        let session = self.caredeb.as_mut()?;
        let (ok, text) = match session.execute(line, || true) {
            Ok(reply) => (true, reply.to_string()),
            Err(error) => (false, error.to_string()),
        };
        Some(CareDeb {
            ok,
            text,
            events: session.machine().events().count() as u32,
            threads: session.threads(),
            variables: session.store(),
        })
    }
}

/// What a line of CaReDeb came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CareDeb {
    /// Whether it was carried out.
    pub ok: bool,
    /// The answer.
    pub text: String,
    /// How many events have happened and are not undone.
    pub events: u32,
    /// The threads now.
    pub threads: Vec<ThreadLine>,
    /// The variables now.
    pub variables: Vec<Binding>,
}

fn open(file: &Path) -> Result<Store, StoreError> {
    if file.exists() {
        Store::open(file, Access::Write)
    } else {
        Store::create(file)
    }
}

/// Copies a graph into tables.
fn fill(store: &Store, program: &ModelProgram, graph: &dyn Multiverse) -> Result<(), StoreError> {
    let outcomes = graph.ends().into_iter().map(|end| ModelOutcome {
        id: end.outcome,
        kind: end.kind.to_owned(),
        text: end.text,
    });
    // Row by row: all of them at once would be several times as large as the graph.
    let words = graph.states() <= DESCRIBED;
    let states = (0..graph.states() as u32).filter_map(|state| graph.state_row(state, words));
    let states = states.map(|row| ModelState {
        id: row.id,
        depth: row.depth,
        via: row.via,
        status: row.status.to_owned(),
        outcome: row.outcome,
        cycle: row.cycle,
        text: row.text,
    });
    let edges = (0..graph.edges() as u32).filter_map(|edge| graph.edge_row(edge));
    let edges = edges.map(|row| ModelEdge {
        id: row.id,
        source: row.source,
        target: row.target,
        option: row.step.option,
        agent: row.step.agent,
        rule: row.step.rule.to_owned(),
        text: row.step.text,
        line: row.step.line,
        rules: row.step.rules,
    });
    store.keep_graph(program, outcomes, states, edges)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::command::Cell;

    fn session(dialect: Dialect, text: &str, file: Option<PathBuf>) -> ModelSession {
        let model = Model::parse(dialect, text).expect("the program is right");
        ModelSession::new("test".to_owned(), model, Explore::default(), file)
    }

    fn count(session: &mut ModelSession, go_on: bool) -> Result<Vec<Cell>, AskError> {
        let table = session.query("SELECT count(*) FROM model_state", |_| go_on)?;
        Ok(table.rows.concat())
    }

    /// A graph that is in the file is not explored again, unless the program or what is explored of it differs.
    #[test]
    fn a_kept_graph_is_taken_from_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("choices.borges");
        let text = "(+ (amb 1 2) (amb 3 4))";
        let mut first = session(Dialect::Amb, text, Some(file.clone()));
        let states = count(&mut first, true).expect("explored");
        let explored = first.graph(|_| true).expect("kept").states() as i64;
        assert_eq!(states, [Cell::Integer(explored)]);
        drop(first);

        let mut second = session(Dialect::Amb, text, Some(file.clone()));
        assert_eq!(
            count(&mut second, false).expect("not explored again"),
            states
        );
        assert!(second.graph.is_none());
        drop(second);

        let mut other = session(Dialect::Amb, "(amb 1 2)", Some(file.clone()));
        assert!(matches!(count(&mut other, false), Err(AskError::Stopped)));
        assert_ne!(count(&mut other, true).expect("explored"), states);
        drop(other);

        fs::write(&file, "no session").expect("written");
        let mut broken = session(Dialect::Amb, text, Some(file));
        assert!(matches!(count(&mut broken, true), Err(AskError::Store(_))));
    }

    /// CaReDeb answers for programs of μOz, and for no others.
    #[test]
    fn caredeb_is_for_threads() {
        let text = "let x = 1 in skip end";
        let mut threads = session(Dialect::MuOz, text, None);
        let answer = threads.caredeb("forth t0").expect("a program of μOz");
        assert!(answer.ok, "{}", answer.text);
        assert_eq!(answer.events, 1);
        let refused = threads.caredeb("forth t9").expect("a program of μOz");
        assert!(!refused.ok);
        assert_eq!(refused.events, 1, "nothing has changed");
        assert!(
            session(Dialect::Amb, "(amb 1 2)", None)
                .caredeb("forth t0")
                .is_none()
        );
    }
}
