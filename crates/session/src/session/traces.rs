//! Paths that were found, each as a session that has gone it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Session;
use crate::command::{Act, Flow};
use crate::options::Options;
use crate::suggest::{ExportError, Launch, PathsReport};

impl PathsReport {
    /// Writes a session file for every path into a folder; their names. Before each, `goes_on` is asked, with how many
    /// there are already, and ends it by returning false.
    ///
    /// # Errors
    /// [`ExportError`].
    pub fn write_traces(
        &self,
        folder: &Path,
        launch: Launch<'_>,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<PathBuf>, ExportError> {
        let moments = self.moments(folder, launch)?;
        let failed = |path: &Path, source| ExportError::File {
            path: path.to_owned(),
            source,
        };
        fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
        let mut files = Vec::new();
        for (number, target) in moments.enumerate() {
            if !goes_on(number) {
                break;
            }
            let file = folder.join(format!("path-{number}.borges"));
            if file.exists() {
                return Err(failed(&file, io::ErrorKind::AlreadyExists.into()));
            }
            let target = target?;
            let mut session = Session::open(Options {
                board: launch.board.map(Path::to_owned),
                libraries: launch.libraries.to_vec(),
                entry: launch.entry.map(str::to_owned),
                session_file: Some(file.clone()),
                ..Options::new(launch.program)
            })?;
            session.execute(Act::Jump { target }, &mut |_| Flow::Continue)?;
            files.push(file);
        }
        Ok(files)
    }
}
