//! What an exploration found, as data for faces and other programs.

use std::path::Path;
use std::time::Duration;

use borges_concolic::End;
use serde::Serialize;

use super::ProgramNames;
use super::cuts::{self, Asked};
use super::export::{self, ExportError, Launch};
use super::tree::{PathsTree, told};
use super::walk;
use crate::command::question::UnexploredReport;
use crate::headless::RunError;

/// All paths that were found. The names are kept stable.
#[derive(Serialize)]
pub struct PathsReport {
    /// The program.
    #[serde(flatten)]
    pub about: ProgramNames,
    /// How many paths there are.
    pub paths: usize,
    /// The most options at one input.
    pub max_options: usize,
    /// Whether these are all paths within the bound on inputs and the place to stop at; false if another bound cut
    /// something off, or nobody could answer a question.
    pub complete: bool,
    /// What ended it before everything was looked at: `time`, `cancelled` or `paths`; nothing if nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// If not complete: all paths with so many inputs were looked at; nothing if not even those with none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looked: Option<u32>,
    /// Paths that end in a trap.
    pub traps: usize,
    /// Questions that a solver was asked.
    pub solver_queries: u64,
    /// Questions answered by trying values.
    pub evaluations: u64,
    /// Time it took.
    pub seconds: f64,
    /// Instructions executed.
    pub steps: u64,
    /// What was left out, and why.
    pub unexplored: Vec<UnexploredReport>,
    /// What inputs answered before exploration began.
    pub before: Vec<serde_json::Value>,
    /// The paths, merged on what they share.
    pub tree: PathsTree,
}

impl PathsReport {
    /// What is said of a tree.
    pub(super) fn new(tree: PathsTree, asked: Asked, took: impl Fn() -> Duration) -> Self {
        let PathsTree {
            subject,
            explored,
            suggestions,
            checked,
        } = &tree;
        let effort = explored.effort();
        let trapped = explored.paths.iter();
        let trapped = trapped.filter(|path| matches!(path.end, End::Trapped(..)));
        let untold = checked.untrue.iter().map(|path| UnexploredReport {
            reason: walk::NOT_TRUE.to_owned(),
            place: None,
            inputs: tree.answers(*path).map(|call| told(&call)).collect(),
            bound: None,
        });
        let mut unexplored: Vec<UnexploredReport> = untold.collect();
        unexplored.extend(cuts::left_out(&subject.info, explored, asked));
        let apart = suggestions.left_out.len();
        unexplored.extend(cuts::for_want_of_time(
            apart,
            "not in the tree: no value was found",
            cuts::spent(explored),
        ));
        unexplored.extend(cuts::for_want_of_time(
            checked.unchecked,
            walk::NOT_CHECKED,
            cuts::spent(explored),
        ));
        let complete = cuts::is_complete(explored, asked)
            && checked.untrue.is_empty()
            && suggestions.left_out.is_empty();
        PathsReport {
            about: subject.named(),
            paths: explored.paths.len() - checked.untrue.len(),
            max_options: suggestions.max_options(),
            complete,
            ended: cuts::ended(explored),
            looked: explored.looked.filter(|_| !complete),
            traps: trapped.count(),
            solver_queries: effort.solver_queries,
            evaluations: effort.evaluated,
            seconds: took().as_secs_f64(),
            steps: explored.steps,
            unexplored,
            before: subject.before.iter().map(told).collect(),
            tree,
        }
    }

    /// Whether a plain run with the same inputs takes the same paths: not where an operating system answers.
    fn can_be_kept(&self, file: &Path) -> Result<(), ExportError> {
        match self.tree.subject.program.board.system() {
            None => Ok(()),
            Some(_) => Err(ExportError::Test {
                path: file.to_owned(),
                message: "paths of a program of WASI cannot be kept yet: jump to one with \
                          'borges repl', whose session file keeps it"
                    .to_owned(),
            }),
        }
    }

    /// Writes a file with a test for every path, for [`super::run_tests`]; how many. Before each, `goes_on` is asked, with
    /// how many there are already, and ends it by returning false: the file has those.
    ///
    /// # Errors
    /// [`ExportError`].
    pub fn write_tests(
        &self,
        file: &Path,
        launch: Launch<'_>,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<usize, ExportError> {
        self.can_be_kept(file)?;
        export::write_tests(file, launch, &self.tree.futures(), goes_on)
    }

    /// Where the paths end, as moments that are found one after the other.
    pub(crate) fn moments<'l>(
        &self,
        folder: &Path,
        launch: Launch<'l>,
    ) -> Result<impl Iterator<Item = Result<String, RunError>> + use<'l>, ExportError> {
        self.can_be_kept(folder)?;
        let futures = self.tree.futures().into_iter();
        Ok(futures.map(move |future| future.moment(launch)))
    }
}
