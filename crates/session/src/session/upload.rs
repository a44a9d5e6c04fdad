//! Uploading a rebuilt program: the multiverse so far is kept, marked as another version's.

use std::path::Path;

use crate::command::Observer;
use crate::command::Reply;
use crate::command::unobserved;
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::look::leaves::Leaves;
use crate::program::{Opened, read_linked};
use crate::session::Session;
use crate::stage::Stage;

impl Session {
    /// Replaces the program. Breakpoints are found again in it; those that cannot be are named and switched off.
    pub(super) fn upload(
        &mut self,
        path: &Path,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        let invalid = |error: &dyn std::fmt::Display| {
            CommandError::Invalid(format!("nothing was uploaded: {error}"))
        };
        let board = self.stage.loaded.board_file().clone();
        let bytes = read_linked(path, &self.options.libraries, &board).map_err(|e| invalid(&e))?;
        let entry = self.options.entry.as_deref();
        let opened = Opened::on(board, path, &bytes, entry).map_err(|e| invalid(&e))?;
        if opened.program.module.bytes() == self.stage.program().module.bytes() {
            return Ok(Reply::done("it is the same program: nothing to do"));
        }
        // The old program's outputs are undone before the new one begins: the board is as it was at the start.
        let here = self.stage.history.hold();
        let brought = self.stage.history.seek(Moment::START, &mut unobserved);
        let brought = match (self.runner.state(), brought) {
            (Some(_), Ok(())) => self.parts().1.bring(observer).map(drop),
            (_, brought) => brought.map_err(CommandError::from),
        };
        let back = match &brought {
            Err(_) => self.stage.history.seek(here, &mut unobserved),
            Ok(()) => Ok(()),
        };
        self.stage.history.release();
        brought?;
        back?;
        self.runner.let_go();
        let version = self.stage.loaded.version() + 1;
        self.stage = Stage::new(opened, version, &self.options);
        self.options.program = path.to_owned();
        self.last_variables.clear();
        self.leaves = Leaves::default();
        let lost = self.motion.begin_anew(&self.stage);
        self.record.upload(&self.stage, &self.options, &bytes)?;
        let mut message = format!(
            "version {version} of the program stands at its start; the old multiverse is kept in the session file"
        );
        if !lost.is_empty() {
            message.push_str(&format!(
                "; not found any more, switched off: {}",
                lost.join(", ")
            ));
        }
        Ok(Reply::done(&message))
    }
}
