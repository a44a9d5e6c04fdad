//! What differs between programs of devices and those of model languages.

use crate::arrival::{Replied, Said};
use crate::core::Core;
use crate::protocol::{Answer, Request};

/// What comes of a request.
pub(crate) enum Asked {
    /// Its answer.
    Now(Answer),
    /// It is answered when something else has happened.
    Later,
}

/// A program that is debugged: what differs between those of devices and those of model languages.
pub(crate) trait Debuggee {
    /// Carries out a request; nothing if there is no such.
    fn request(&mut self, core: &mut Core, request: &Request) -> Option<Asked>;

    /// An answer of the session that nobody waited for in one place.
    fn replied(&mut self, core: &mut Core, id: u32, reply: Replied);

    /// The debug console has come to something.
    fn said(&mut self, core: &mut Core, said: Said);

    /// Looks at what the session told since the last time: others may have done something.
    fn notice(&mut self, core: &mut Core);

    /// The client has set what it wanted to before the start.
    fn begin(&mut self, core: &mut Core, stop_on_entry: bool, is_joined: bool);

    /// To the start again.
    fn restart(&mut self, core: &mut Core, stop_on_entry: bool) -> Answer;
}
