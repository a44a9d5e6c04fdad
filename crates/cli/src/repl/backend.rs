//! A session behind the page of a server, for the prompt.

use borges_commands::device::Backend;
use borges_session::command::{Command, Flow, Look, Observer, Reply};
use borges_session::listing::PlaceView;
use borges_web::attach::{AttachError, Attached};

/// A session that others look at too.
pub(crate) struct Shared {
    /// The way to it.
    attached: Attached,
    /// Where it stood when it was last heard of.
    here: PlaceView,
}

impl Shared {
    /// Connects to the session of a page.
    ///
    /// # Errors
    /// Nobody answers, or no program is open there.
    pub(crate) fn attach(url: &str) -> Result<Self, AttachError> {
        let mut attached = Attached::connect(url)?;
        let reply = attached.execute(Look::Info, &mut |_| Flow::Continue)?;
        let Reply::Info(info) = reply else {
            return Err(AttachError::Lost("it speaks another protocol".to_owned()));
        };
        Ok(Self {
            attached,
            here: info.here,
        })
    }
}

impl Backend for Shared {
    fn execute(&mut self, command: Command, observer: Observer<'_>) -> Result<Reply, String> {
        let reply = self.attached.execute(command, observer);
        match &reply {
            Ok(Reply::Stopped(stop)) => self.here = stop.at.clone(),
            Ok(Reply::Written(written)) => self.here = written.at.clone(),
            Ok(Reply::Info(info)) => self.here = info.here.clone(),
            _ => {}
        }
        reply.map_err(|error| error.to_string())
    }

    fn here(&self) -> PlaceView {
        self.here.clone()
    }
}
