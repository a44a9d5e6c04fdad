//! A program of a model language being debugged: its universes, its whole graph, and questions to that.
//!
//! Its graph is explored once, as far as questions need it, and kept: whoever stops an exploration gets an answer from
//! what is known by then, and the next question goes on from there.

use std::path::{Path, PathBuf};

pub use borges_languages::model::debug;
use borges_languages::model::debug::{Came, Debugger, Judgement, Order, Refused, Watch};
use borges_languages::model::{
    Aspect, Dialect, Explore, Keeper, Model, ModelError, NoAnswer, Report, language,
};
pub use borges_languages::model::{
    EdgeRow, End, Finding, How, Multiverse, Progress, Question, Races, Reply, StateRow, Step,
    SurveyNote, Way, Why,
};
use borges_languages::muoz::caredeb::{self, Binding, ThreadLine};
use borges_store::{Access, ModelProgram, QueryBounds, Store, StoreError};
use serde::Serialize;
use thiserror::Error;

use crate::command::listing::TableListing;
use crate::record::growing::{Growing, fill, open};
use crate::record::survey::{Keeping, SurveyError};
use crate::record::table;

pub use super::surveying::SurveyTold;
use super::surveying::Surveys;
pub use crate::command::surveying::{MOST_CORES, SurveyWithin};

/// Why a question has no answer.
#[derive(Debug, Error)]
pub enum AskError {
    /// It is about what there is not.
    #[error(transparent)]
    NoAnswer(#[from] NoAnswer),
    /// The graph cannot be kept, or the SQL is wrong.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The user stopped it.
    #[error(
        "it was stopped when {0} states were known: the same question again goes on from there"
    )]
    Stopped(u64),
    /// A universe of the debugger that is no state of the graph.
    #[error("{0}")]
    NoState(String),
    /// An abstraction about what the program does not have.
    #[error("{0}")]
    NoAbstraction(String),
}

/// Which states are taken for one, as users say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abstraction {
    /// The parts that tell states apart besides what can happen next ([`Aspect::list`]); none if all of a state does.
    pub keep: Option<String>,
    /// Whether actors of one definition are alike.
    pub symmetry: bool,
}

/// A debugger over a program, with its graph where somebody asks for that.
pub struct ModelSession {
    name: String,
    options: Explore,
    model: Model,
    debugger: Box<dyn Debugger>,
    graph: Option<Box<dyn Multiverse>>,
    /// The tables, with the number of states in them.
    store: Option<(Store, usize)>,
    /// The tables while the graph is explored, in the session's file.
    growing: Option<Growing>,
    file: Option<PathBuf>,
    caredeb: Option<caredeb::Session>,
    surveys: Surveys,
}

impl ModelSession {
    /// A session at the start of a program. Its graph is kept in `file`, once it is asked for.
    #[must_use]
    pub fn new(name: String, model: Model, options: Explore, file: Option<PathBuf>) -> Self {
        Self {
            name,
            debugger: model.debugger(&options),
            caredeb: caredeb::Session::of(&model),
            options,
            model,
            graph: None,
            store: None,
            growing: None,
            file,
            surveys: Surveys::default(),
        }
    }

    /// Ends the session of a process that ends: its file is closed. The system takes back the memory of millions of states
    /// much faster than they can be freed one by one, so they are left to it.
    pub fn end_of_process(self) {
        let Self {
            graph, debugger, ..
        } = self;
        std::mem::forget((graph, debugger));
    }

    /// What the program is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its language.
    #[must_use]
    pub fn dialect(&self) -> &'static dyn Dialect {
        self.model.dialect()
    }

    /// The debugger, to look at.
    #[must_use]
    pub fn debugger(&self) -> &dyn Debugger {
        &*self.debugger
    }

    /// Carries out an order; `keep_going` may stop it.
    ///
    /// # Errors
    /// [`Refused`]; then nothing has changed.
    pub fn carry_out(
        &mut self,
        order: Order,
        mut keep_going: impl FnMut(&Progress) -> bool,
    ) -> Result<Came, Refused> {
        let edits = matches!(order, Order::Edit { .. });
        let came = self.debugger.carry_out(order, &mut keep_going)?;
        let edited = || self.model.edited(self.debugger.text());
        if edits && let Ok(model) = Model::parse(self.dialect(), &edited()) {
            self.model = model;
            self.graph = None;
            self.store = None;
            self.surveys.forget();
            self.caredeb = caredeb::Session::of(&self.model);
        }
        Ok(came)
    }

    /// Parses a text as a program of the session's language, to see what is wrong with it.
    ///
    /// # Errors
    /// [`ModelError`] with the place.
    pub fn parse(&self, text: &str) -> Result<Model, ModelError> {
        Model::parse(self.dialect(), &self.model.edited(text))
    }

    /// Explores the program as the session was told to, and keeps what was found, in the session's file while more is
    /// looked for: however it is stopped, nothing that was found is left to write. [`Self::write`] finishes the file.
    ///
    /// # Errors
    /// [`AskError::Store`] if the file cannot be written.
    pub fn explore(
        &mut self,
        keep_going: impl FnMut(&Progress) -> bool,
    ) -> Result<Report, AskError> {
        let program = self.program(false);
        let (file, growing) = (self.file.as_deref(), &mut self.growing);
        let mut failed = None;
        let mut keep = |gains| match (&mut *growing, file) {
            (Some(growing), _) => growing.grow(gains),
            (None, None) => true,
            (None, Some(file)) => match Growing::begin(file, &program) {
                Ok(begun) => growing.insert(begun).grow(gains),
                Err(error) => {
                    failed = Some(error);
                    false
                }
            },
        };
        let keeper: Option<Keeper<'_>> = file.is_some().then_some(&mut keep);
        let (report, graph) = self.model.explore_kept(&self.options, keep_going, keeper);
        self.graph = graph;
        failed.map_or(Ok(report), |error| Err(error.into()))
    }

    /// The graph, as far as it is known: [`Multiverse::partial`] says whether that is all.
    ///
    /// The first question explores it; where that was stopped, the next one goes on.
    pub fn graph(&mut self, mut keep_going: impl FnMut(&Progress) -> bool) -> &dyn Multiverse {
        self.explored(&mut keep_going)
    }

    /// What the program can come to where states are taken for one, explored anew: the session's graph stays as it is, and
    /// is of all states.
    ///
    /// # Errors
    /// [`AskError::NoAbstraction`].
    pub fn abstracted(
        &self,
        abstraction: &Abstraction,
        keep_going: impl FnMut(&Progress) -> bool,
    ) -> Result<Report, AskError> {
        let Abstraction { keep, symmetry } = abstraction;
        if *symmetry && !self.model.program().has_symmetry() {
            let none = "this program has no actors that could be alike";
            return Err(AskError::NoAbstraction(none.to_owned()));
        }
        let parts = keep.as_ref().map(|keep| Aspect::list(&self.model, keep));
        let parts = parts.transpose();
        let options = Explore {
            keep: parts.map_err(|error| AskError::NoAbstraction(error.to_string()))?,
            symmetry: *symmetry,
            debugger: false,
            ..self.options.clone()
        };
        let report = self.model.explore(&options, keep_going);
        let unmet = report.unmet_in_words();
        unmet.map_or(Ok(report), |unmet| Err(AskError::NoAbstraction(unmet)))
    }

    /// Counts all states without keeping them, in a file besides if that is asked for; the session's graph stays as it is.
    /// One without goals that was stopped, or came to a bound, is gone on with by the next, and kept where it was if nothing
    /// else is said.
    ///
    /// # Errors
    /// [`SurveyError::Io`] if there is no room for it where it is to be kept, before anything is explored;
    /// [`SurveyError::Refused`] if a goal means nothing, or a file to go on with holds the survey of another program.
    pub fn survey(
        &mut self,
        within: &SurveyWithin,
        keeping: Option<&Keeping>,
        keep_going: impl FnMut(&Progress) -> bool,
    ) -> Result<SurveyTold, SurveyError> {
        let program = (&*self.name, &self.model, &self.options);
        self.surveys.survey(program, within, keeping, keep_going)
    }

    fn explored(&mut self, watch: Watch<'_>) -> &dyn Multiverse {
        let fresh = || self.model.multiverse(&self.options);
        let graph = self.graph.get_or_insert_with(fresh);
        graph.explore(watch);
        &**graph
    }

    /// Answers a question about all states; about those that are known, if it is stopped.
    ///
    /// # Errors
    /// [`AskError`].
    pub fn ask(
        &mut self,
        question: &Question,
        mut keep_going: impl FnMut(&Progress) -> bool,
    ) -> Result<Reply, AskError> {
        let graph = self.graph(&mut keep_going);
        let reply = graph.ask(question, &mut keep_going);
        reply.map_err(|error| match error {
            NoAnswer::Stopped(_) => AskError::Stopped(graph.states() as u64),
            error => error.into(),
        })
    }

    /// Whether a breakpoint would halt in some run, and in every run.
    ///
    /// # Errors
    /// It is no breakpoint of this program.
    pub fn occurs(
        &mut self,
        spec: &str,
        keep_going: impl FnMut(&Progress) -> bool,
    ) -> Result<Judgement, Refused> {
        self.judged(keep_going, |graph, watch| graph.occurs(spec, watch))
    }

    /// Whether a temporal formula holds in some run, and in every run.
    ///
    /// # Errors
    /// It is no formula about this program.
    pub fn check(
        &mut self,
        formula: &str,
        keep_going: impl FnMut(&Progress) -> bool,
    ) -> Result<Judgement, Refused> {
        self.judged(keep_going, |graph, watch| graph.check(formula, watch))
    }

    /// Explores, as [`ModelSession::graph`] does, and finds a judgement on what is known, which can be stopped too.
    fn judged(
        &mut self,
        mut keep_going: impl FnMut(&Progress) -> bool,
        judge: impl FnOnce(&dyn Multiverse, Watch<'_>) -> Result<Judgement, Refused>,
    ) -> Result<Judgement, Refused> {
        judge(self.explored(&mut keep_going), &mut keep_going)
    }

    /// The universe of the debugger for a state of the graph: the one that a run with the present breakpoints comes to.
    ///
    /// # Errors
    /// There is no such state.
    pub fn universe_of(&mut self, state: u32) -> Result<u32, AskError> {
        let graph = self.graph.as_deref();
        let way = graph.and_then(|graph| graph.way_to(state));
        let universe = way.and_then(|way| self.debugger.visit(&way));
        let states = graph.map_or(0, |graph| graph.states());
        Ok(universe.ok_or(NoAnswer::State(state, states))?)
    }

    /// The state of the graph in a universe of the debugger.
    ///
    /// # Errors
    /// [`AskError::NoState`] if there is none.
    pub fn state_of(
        &mut self,
        universe: u32,
        keep_going: impl FnMut(&Progress) -> bool,
    ) -> Result<u32, AskError> {
        if universe >= self.debugger.len() {
            let missing = Refused::NoUniverse(universe, self.debugger.len());
            return Err(AskError::NoState(missing.to_string()));
        }
        let all = self.graph(keep_going).partial().is_none();
        let state = self.debugger.program_state(universe);
        let found = state.and_then(|state| self.graph.as_ref()?.find(state));
        let why = match all {
            true => "lies within a step: start with --grain rule to ask about it",
            false => "was not explored yet: ask again, or with more --states",
        };
        found.ok_or_else(|| AskError::NoState(format!("universe {universe} {why}")))
    }

    /// The options of a shortest way to a state of the graph, each among what could happen.
    ///
    /// # Errors
    /// There is no such state.
    pub fn options_to(
        &mut self,
        state: u32,
        keep_going: impl FnMut(&Progress) -> bool,
    ) -> Result<Vec<u32>, AskError> {
        let graph = self.graph(keep_going);
        let missing = NoAnswer::State(state, graph.states());
        Ok(graph.options_to(state).ok_or(missing)?)
    }

    /// What races on a way, given by its options, and where it ends; none if there is no such way.
    pub fn races(&mut self, options: &[u32]) -> Option<Races> {
        let fresh = || self.model.multiverse(&self.options);
        self.graph.get_or_insert_with(fresh).races(options)
    }

    /// Why not all states are known that questions are about, and how many are.
    #[must_use]
    pub fn partial(&self) -> Option<(Why, u64)> {
        let graph = self.graph.as_deref()?;
        Some((graph.partial()?, graph.states() as u64))
    }

    /// Answers one `SELECT` about the tables of the graph.
    ///
    /// # Errors
    /// [`AskError`].
    pub fn query(
        &mut self,
        sql: &str,
        mut keep_going: impl FnMut(&Progress) -> bool,
    ) -> Result<TableListing, AskError> {
        self.keep(&mut keep_going)?;
        let known = self.graph.as_ref().map_or(0, |graph| graph.states() as u64);
        let (store, _) = self.store.as_mut().ok_or(AskError::Stopped(known))?;
        let come = Progress {
            states: known,
            ..Progress::default()
        };
        let rows = store.query_while(sql, QueryBounds::default(), &mut || keep_going(&come));
        Ok(table(rows?))
    }

    /// Writes the whole graph to the session's file, or to memory if it has none.
    ///
    /// # Errors
    /// [`AskError`]; [`AskError::Stopped`] if the exploration was stopped.
    pub fn keep(&mut self, mut keep_going: impl FnMut(&Progress) -> bool) -> Result<(), AskError> {
        if self.store.is_none() && self.is_kept(&mut keep_going)? {
            return Ok(());
        }
        let graph = self.graph(&mut keep_going);
        if graph.partial() == Some(Why::Cancelled) {
            return Err(AskError::Stopped(graph.states() as u64));
        }
        self.write(keep_going)
    }

    /// Whether the session's file has the whole graph of this program already, with nothing in it damaged: else there
    /// would be too little in the answers, without a word.
    fn is_kept(&mut self, keep_going: &mut dyn FnMut(&Progress) -> bool) -> Result<bool, AskError> {
        let program = self.program(true);
        let Some(file) = self.file.as_deref().filter(|file| file.exists()) else {
            return Ok(false);
        };
        let store = open(file)?;
        match store.kept_program() {
            Ok(kept) if kept.as_ref() == Some(&program) => {}
            Ok(_) | Err(StoreError::Damaged(_)) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        let come = Progress::default();
        let damage = store.graph_damage(&mut || keep_going(&come));
        match damage {
            Ok(damage) if damage.is_empty() => {
                self.store = Some((store, usize::MAX));
                Ok(true)
            }
            Ok(_) => Ok(false),
            Err(StoreError::Stopped) => Err(AskError::Stopped(0)),
            Err(error) => Err(error.into()),
        }
    }

    fn program(&self, complete: bool) -> ModelProgram {
        ModelProgram {
            name: self.name.clone(),
            language: self.dialect().name().to_owned(),
            text: self.model.whole().to_owned(),
            options: self.options.how(),
            complete,
        }
    }

    /// Writes what is known of the graph to the session's file, or to memory if it has none.
    ///
    /// # Errors
    /// [`AskError`]; then the file is as it was.
    pub fn write(&mut self, mut keep_going: impl FnMut(&Progress) -> bool) -> Result<(), AskError> {
        let Some(graph) = self.graph.as_deref() else {
            return Ok(());
        };
        let states = graph.states();
        let come = Progress {
            states: states as u64,
            edges: graph.edges() as u64,
            ..Progress::default()
        };
        let mut heed = || keep_going(&come);
        if let Some(growing) = self.growing.take() {
            // Who stopped the exploration waits for nothing: the rest only follows from what is written.
            let ended = match graph.partial() {
                Some(Why::Cancelled) => None,
                _ => Some(self.program(graph.is_complete())),
            };
            let store = growing.end(ended.as_ref(), graph, &mut heed)?;
            self.store = ended.map(|_| (store, states));
            return Ok(());
        }
        let mut store = match (self.store.take(), self.file.as_deref()) {
            (Some((store, known)), _) if known >= states => {
                self.store = Some((store, known));
                return Ok(());
            }
            (Some((store, _)), _) => store,
            (None, Some(file)) => open(file)?,
            (None, None) => Store::in_memory()?,
        };
        let program = self.program(graph.is_complete());
        fill(&mut store, &program, graph, &mut heed)?;
        self.store = Some((store, states));
        Ok(())
    }

    /// CaReDeb, with a session of its own; none if the program is of another language than μOz.
    #[must_use]
    pub const fn caredeb(&self) -> Option<&caredeb::Session> {
        self.caredeb.as_ref()
    }

    /// The same, to be told commands.
    pub const fn caredeb_mut(&mut self) -> Option<&mut caredeb::Session> {
        self.caredeb.as_mut()
    }

    /// Whether the program's agents are actors: what is known of each, its messages above all, is all of a state.
    #[must_use]
    pub fn has_actors(&self) -> bool {
        self.model.program().has_actors()
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
    /// The variables now, the first [`CareDeb::SHOWN`] of them.
    pub variables: Vec<Binding>,
    /// How many more there are.
    pub more: usize,
}

impl CareDeb {
    /// So many variables are shown: nobody reads more, and `print` shows each.
    pub const SHOWN: usize = 500;

    /// What is there now, beside an answer.
    #[must_use]
    pub fn of(session: &caredeb::Session, ok: bool, text: String) -> Self {
        let variables: Vec<_> = session.store().take(Self::SHOWN).collect();
        Self {
            ok,
            text,
            events: session.machine().steps(),
            threads: session.threads(),
            more: session.variable_count() - variables.len(),
            variables,
        }
    }
}

/// A graph in a session file, with the program that it is of.
#[derive(Debug)]
pub struct KeptGraph {
    /// The program's name.
    pub name: String,
    /// The program.
    pub model: Model,
    /// How it was explored, as [`Explore`] has it: grain and delivery.
    pub options: Explore,
    /// Whether all of it is there.
    pub complete: bool,
    /// How many states, edges, outcomes, and states with a text.
    pub sizes: [u64; 4],
}

/// Why a file has no graph to go on with.
#[derive(Debug, Error)]
pub enum KeptError {
    /// It cannot be read.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// Its program is none.
    #[error("the program in it is none: {0}")]
    Program(String),
}

impl KeptError {
    /// Whether it is the graph's program that is not what was written: the graph can be made anew.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        let program = borges_store::Damage::Value("model_program");
        matches!(self, Self::Store(StoreError::Damaged(damage)) if *damage == program)
    }
}

/// What of a session file with a graph is damaged, and what that means; nothing of a file without one. All of the graph
/// is looked through.
///
/// # Errors
/// [`KeptError`] if the file cannot be read.
pub fn graph_damage(file: &Path) -> Result<Vec<String>, KeptError> {
    let store = Store::open(file, Access::Read)?;
    if matches!(store.kept_program(), Ok(None)) {
        return Ok(Vec::new());
    }
    let graph = store.graph_damage(&mut || true)?;
    let graph = graph.iter().map(crate::record::damage::in_words);
    Ok(crate::record::damage::told(&store)
        .into_iter()
        .chain(graph)
        .collect())
}

/// The graph that a session file has; none if it has none.
///
/// # Errors
/// [`KeptError`].
pub fn kept(file: &Path) -> Result<Option<KeptGraph>, KeptError> {
    let mut store = Store::open(file, Access::Read)?;
    let Some(program) = store.kept_program()? else {
        return Ok(None);
    };
    let dialect = language::named(&program.language);
    let dialect = dialect.ok_or_else(|| KeptError::Program(program.language.clone()))?;
    let model = Model::parse(dialect, &program.text)
        .map_err(|error| KeptError::Program(error.explain(&program.text)))?;
    let sizes = "SELECT (SELECT count(*) FROM model_state), (SELECT count(*) FROM model_link), \
                 (SELECT count(*) FROM model_outcome), (SELECT count(text) FROM model_state)";
    let row = table(store.query(sizes, QueryBounds::default())?)
        .rows
        .concat();
    let size = |nth: usize| match row.get(nth) {
        Some(crate::command::Cell::Integer(count)) => u64::try_from(*count).unwrap_or(0),
        _ => 0,
    };
    Ok(Some(KeptGraph {
        name: program.name,
        model,
        options: Explore::of_how(&program.options),
        complete: program.complete,
        sizes: [size(0), size(1), size(2), size(3)],
    }))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use borges_languages::model::{AMB, MU_OZ, Surveyors};

    use super::*;
    use crate::command::Cell;

    /// 2¹⁰ ways to eleven sums.
    const CHOICES: &str = "(+ (amb 0 1) (amb 0 1) (amb 0 1) (amb 0 1) (amb 0 1) \
                           (amb 0 1) (amb 0 1) (amb 0 1) (amb 0 1) (amb 0 1))";

    fn session(dialect: &'static dyn Dialect, text: &str, file: Option<PathBuf>) -> ModelSession {
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
        let mut first = session(&AMB, text, Some(file.clone()));
        let states = count(&mut first, true).expect("explored");
        let explored = first.graph(|_| true).states() as i64;
        assert_eq!(states, [Cell::Integer(explored)]);
        drop(first);

        let mut second = session(&AMB, text, Some(file.clone()));
        assert_eq!(
            count(&mut second, false).expect("not explored again"),
            states
        );
        assert!(second.graph.is_none());
        drop(second);

        let mut other = session(&AMB, "(amb 1 2)", Some(file.clone()));
        assert!(matches!(
            count(&mut other, false),
            Err(AskError::Stopped(_))
        ));
        assert_ne!(count(&mut other, true).expect("explored"), states);
        drop(other);

        fs::write(&file, "no session").expect("written");
        let mut broken = session(&AMB, text, Some(file));
        assert!(matches!(count(&mut broken, true), Err(AskError::Store(_))));
    }

    /// A damaged row of a graph is named, no answer is without it, and it is not lost when the graph is made anew.
    #[test]
    fn a_damaged_graph_is_named_and_made_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = "(+ (amb 1 2) (amb 3 4))";
        let file = folder.path().join("sound.borges");
        let mut first = session(&AMB, text, Some(file.clone()));
        let states = count(&mut first, true).expect("explored");
        drop(first);
        assert_eq!(graph_damage(&file).expect("read"), [""; 0]);
        for (sql, named) in [
            (
                "UPDATE model_state SET depth = depth + 1 WHERE id = 2",
                "table model_state, row id 2",
            ),
            (
                "UPDATE model_link SET target = 0 WHERE id = 1",
                "table model_link, row id 1",
            ),
            (
                "UPDATE model_label SET text = 'forged' WHERE id = 0",
                "table model_label, row id 0",
            ),
            (
                "UPDATE model_outcome SET text = '99' WHERE id = 0",
                "table model_outcome, row id 0",
            ),
            (
                "DELETE FROM model_state WHERE id = 2",
                "table model_state: ",
            ),
            (
                "UPDATE model_program SET complete = 0",
                "table model_program, row name \"test\"",
            ),
            (
                "UPDATE model_program SET text = '(amb 1 2)'",
                "table model_program, row name \"test\"",
            ),
            (
                "DELETE FROM model_program",
                "table model_program: 0 rows, where 1 were written",
            ),
        ] {
            let damaged = folder.path().join("damaged.borges");
            fs::copy(&file, &damaged).expect("copied");
            let db = rusqlite::Connection::open(&damaged).expect("a database");
            db.execute_batch(sql).expect("changed");
            drop(db);
            let told = graph_damage(&damaged).expect("read").join("\n");
            assert!(told.contains(named), "{sql}: {told}");
            if sql.contains("model_program") {
                let refused = kept(&damaged).expect_err("what it is of is not known");
                assert!(refused.is_damage(), "{sql}: {refused}");
            }

            // Not from the file: too little would be in it.
            let mut second = session(&AMB, text, Some(damaged.clone()));
            let stopped = count(&mut second, false);
            assert!(matches!(stopped, Err(AskError::Stopped(_))), "{sql}");
            assert_eq!(count(&mut second, true).expect("explored"), states, "{sql}");
            drop(second);
            let told = graph_damage(&damaged).expect("read");
            // What is gone cannot be kept.
            let left = usize::from(!sql.starts_with("DELETE"));
            assert_eq!(told.len(), left, "{sql}: {told:?}");
            let again = kept(&damaged).expect("read").expect("a graph");
            assert_eq!(
                (Cell::Integer(again.sizes[0] as i64), again.complete),
                (states[0].clone(), true)
            );
            fs::remove_file(&damaged).expect("removed");
        }
    }

    /// Says what a survey came to: its states, outcomes, and why it is not all.
    fn surveyed(session: &mut ModelSession, within: &SurveyWithin) -> (u64, usize, Option<Why>) {
        let done = session.survey(within, None, |_| true).expect("surveyed");
        (done.report.states, done.report.ends.len(), done.report.why)
    }

    /// A survey counts what the graph has; bounded or stopped, the next one goes on, by the same digests, until another text
    /// takes the program's place.
    #[test]
    fn a_survey_that_was_stopped_is_gone_on_with() {
        let mut whole = session(&AMB, CHOICES, None);
        let states = whole.graph(|_| true).states() as u64;
        let all = (states, 11, None);
        let any = SurveyWithin::default();
        assert_eq!(surveyed(&mut whole, &any), all);

        let mut session = session(&AMB, CHOICES, None);
        let few = SurveyWithin {
            states: Some(states / 2),
            cores: Some(1),
            ..any.clone()
        };
        let (half, _, why) = surveyed(&mut session, &few);
        assert!(half >= states / 2 && half < states, "{half} of {states}");
        assert_eq!(why, Some(Why::States));
        let stopped = session.survey(&any, None, |_| false).expect("surveyed");
        assert_eq!(stopped.report.why, Some(Why::Cancelled));
        assert!((half..states).contains(&stopped.report.states));
        let mut least = u64::MAX;
        let on = session.survey(&any, None, |come| {
            least = least.min(come.states);
            true
        });
        assert_eq!(on.expect("surveyed").report.states, states);
        assert!(least >= half, "it began with {least} states");

        let shallow = SurveyWithin {
            depth: Some(3),
            ..any.clone()
        };
        assert_eq!(surveyed(&mut session, &shallow).2, Some(Why::Depth));
        assert_eq!(surveyed(&mut session, &any), all);
        assert_eq!(surveyed(&mut session, &shallow).2, Some(Why::Depth));
        let wide = SurveyWithin {
            wide: true,
            ..any.clone()
        };
        assert_eq!(surveyed(&mut session, &wide), all, "other digests: anew");

        assert_eq!(surveyed(&mut session, &few).2, Some(Why::States));
        let text = "(amb 1 2)".to_owned();
        let edited = session.carry_out(Order::Edit { text }, |_| true);
        edited.expect("a program");
        assert_eq!(surveyed(&mut session, &any), (3, 2, None));
    }

    /// A survey that is kept can be gone on with elsewhere; where it goes on in the session it is kept there again.
    #[test]
    fn a_survey_is_kept_where_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("choices.survey");
        let keeping = Keeping {
            file: file.clone(),
            every: std::time::Duration::from_secs(300),
        };
        let mut session = session(&AMB, CHOICES, None);
        let few = SurveyWithin {
            states: Some(100),
            ..SurveyWithin::default()
        };
        let any = SurveyWithin::default();
        let done = session.survey(&few, Some(&keeping), |_| true);
        assert!(done.expect("surveyed").unkept.is_none());
        let kept = crate::survey::SurveyFile::open(&file).expect("a survey");
        let elsewhere = kept.go_on(Surveyors::Here(Some(1)), None, |_| true);
        let states = session.graph(|_| true).states() as u64;
        assert_eq!(elsewhere.expect("surveyed").report.states, states);

        fs::remove_file(&file).expect("removed");
        assert_eq!(surveyed(&mut session, &any), (states, 11, None));
        assert!(file.exists(), "it is kept where it was");
        fs::remove_file(&file).expect("removed");
        assert_eq!(surveyed(&mut session, &any), (states, 11, None));
        assert!(!file.exists(), "another one is kept nowhere");

        let nowhere = Keeping {
            file: folder.path().join("no").join("where"),
            ..keeping
        };
        let refused = session.survey(&any, Some(&nowhere), |_| true);
        assert!(matches!(refused, Err(SurveyError::Io(..))));
    }

    /// CaReDeb debugs programs of μOz, and no others; of another text it begins anew.
    #[test]
    fn caredeb_is_for_threads() {
        let mut threads = session(&MU_OZ, "let x = 1 in skip end", None);
        let run = caredeb::Command::Run {
            chooser: borges_multiverse::walk::Chooser::First,
            steps: None,
        };
        let debugger = threads.caredeb_mut().expect("a program of μOz");
        debugger.execute(run, "run", || true).expect("it runs");
        let seen = CareDeb::of(debugger, true, String::new());
        assert_eq!((seen.events, seen.variables.len()), (2, 1));
        let text = "let y = 1 in skip end".to_owned();
        let edited = threads.carry_out(Order::Edit { text }, |_| true);
        edited.expect("a program");
        let debugger = threads.caredeb().expect("a program of μOz");
        assert_eq!(debugger.machine().steps(), 0);
        assert!(session(&AMB, "(amb 1 2)", None).caredeb().is_none());
    }
}
