//! Where a value was written last, or a file changed.

use crate::command::listing::Written;
use crate::command::{Observer, Reply, unobserved};
use crate::error::CommandError;
use crate::history::Stops;
use crate::history::entry::Moment;
use crate::motion::Motion;
use crate::motion::backward::last_write;
use crate::motion::files;
use crate::stage::Stage;

impl Motion {
    /// Goes back to the last write of a place, or the last change of a file.
    pub(crate) fn who(
        &mut self,
        stage: &mut Stage,
        device: Option<Moment>,
        what: &str,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        let here = stage.history.hold();
        let found = match files::path_in(what) {
            Ok(None) => self.writer_of(stage, device, what, here, observer),
            Ok(Some(path)) => files::changer_of(stage, device, &path, here, observer),
            Err(error) => Err(error),
        };
        let back = match &found {
            Ok(Reply::Written(_)) => Ok(()),
            // Nothing was found, or the search was paused: the view stays.
            _ => stage.history.seek(here, &mut unobserved),
        };
        stage.history.release();
        back?;
        found
    }

    fn writer_of(
        &mut self,
        stage: &mut Stage,
        device: Option<Moment>,
        what: &str,
        here: Moment,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        let scene = stage.scene();
        let watches = scene.watches(what, scene.own_frame())?;
        let object = scene.object_in_memory(what, scene.own_frame());
        // Of a local, the call that it belongs to: so many frames deep.
        let local = watches.iter().find_map(|watch| match watch {
            borges_vm::Watch::Local { frame, .. } => Some(*frame as usize + 1),
            _ => None,
        });
        let stops = Stops {
            watches,
            ..Stops::default()
        };
        let mut back_to = self.looked_back_to(here, &stops);
        let found = last_write(stage, &mut back_to, &stops, local, observer);
        if matches!(found, Err(CommandError::Paused)) {
            let far = self.search_paused(here, stops, back_to);
            let text = format!("paused: {far}, and nothing wrote '{what}' since");
            return Ok(Reply::done(&text));
        }
        let Some(written) = found? else {
            let text = format!(
                "'{what}' was not written before here: it has had its value since the start"
            );
            return Ok(Reply::done(&text));
        };
        // Who wrote memory need not know its name.
        let value = |stage: &Stage| match &object {
            Some(object) => stage.scene().shown(object),
            None => stage.scene().watched(what),
        };
        stage.history.seek(written, observer)?;
        let after = value(stage);
        let before_write = stage.history.before(written).unwrap_or(Moment::START);
        stage.history.seek(before_write, observer)?;
        let before = value(stage);
        let at = stage.view(stage.history.here(), device);
        Ok(Reply::Written(Box::new(Written {
            what: what.to_owned(),
            at,
            before,
            after,
        })))
    }
}
