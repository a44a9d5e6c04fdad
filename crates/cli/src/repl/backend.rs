//! Where a prompt's session is: in this process, or behind the page of a server.

use borges_session::Session;
use borges_session::command::{Command, Event, Flow, Look, Reply};
use borges_session::listing::PlaceView;
use borges_web::attach::{AttachError, Attached};

/// A session to send commands to.
pub enum Backend {
    /// Ours alone.
    Own(Box<Session>),
    /// One that others look at too.
    Shared {
        /// The way to it.
        attached: Box<Attached>,
        /// Where it stood when it was last heard of.
        here: Box<PlaceView>,
    },
}

impl Backend {
    /// Connects to the session of a page.
    ///
    /// # Errors
    /// Nobody answers, or no program is open there.
    pub fn attach(url: &str) -> Result<Self, AttachError> {
        let mut attached = Attached::connect(url)?;
        let reply = attached.execute(Look::Info, &mut |_| Flow::Continue)?;
        let Reply::Info(info) = reply else {
            return Err(AttachError::Lost("it speaks another protocol".to_owned()));
        };
        let here = Box::new(info.here);
        let attached = Box::new(attached);
        Ok(Self::Shared { attached, here })
    }

    /// Carries out a command. `observer` hears of what happens meanwhile, and may pause.
    ///
    /// # Errors
    /// Why it failed, for people.
    pub fn execute(
        &mut self,
        command: impl Into<Command>,
        observer: &mut dyn FnMut(Event) -> Flow,
    ) -> Result<Reply, String> {
        match self {
            Self::Own(session) => session
                .execute(command, observer)
                .map_err(|error| error.to_string()),
            Self::Shared { attached, here } => {
                let reply = attached.execute(command, observer);
                match &reply {
                    Ok(Reply::Stopped(stop)) => **here = stop.at.clone(),
                    Ok(Reply::Written(written)) => **here = written.at.clone(),
                    Ok(Reply::Info(info)) => **here = info.here.clone(),
                    _ => {}
                }
                reply.map_err(|error| error.to_string())
            }
        }
    }

    /// The moment shown, as far as this prompt knows: others may have moved it since.
    pub fn here(&self) -> PlaceView {
        match self {
            Self::Own(session) => session.here(),
            Self::Shared { here, .. } => (**here).clone(),
        }
    }
}
