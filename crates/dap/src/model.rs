//! stub
use crate::adapter::{Asked, Debuggee};
use crate::core::{Core, Replied};
use crate::protocol::{Answer, NOTHING, Request};
pub(crate) struct Model;
impl Model {
    pub(crate) fn new(_: &mut Core) -> Result<Self, String> {
        Err("not yet".into())
    }
}
impl Debuggee for Model {
    fn request(&mut self, _: &mut Core, _: &Request) -> Option<Asked> {
        None
    }
    fn replied(&mut self, _: &mut Core, _: u32, _: Replied) {}
    fn said(&mut self, _: &mut Core, _: crate::console::Said) {}
    fn notice(&mut self, _: &mut Core) {}
    fn begin(&mut self, _: &mut Core, _: bool, _: bool) {}
    fn restart(&mut self, _: &mut Core, _: bool) -> Answer {
        NOTHING
    }
}
