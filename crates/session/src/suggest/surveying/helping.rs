//! Looking at states for another process.

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread::Scope;

use borges_concolic::Facts;
use borges_multiverse::graph::{Apart, Bell};

use super::DeviceAsked;
use crate::suggest::looking::desk::{Desk, For, Looked};
use crate::suggest::looking::letters::{LOOK, LookLetter, LookPost};

/// Threads that look, since it was said last that looking begins.
struct Begun {
    number: u32,
    desk: Arc<Desk>,
    from: Receiver<Vec<Looked>>,
}

impl DeviceAsked {
    /// Looks at states on so many cores, for another process that surveys the same.
    ///
    /// # Errors
    /// [`Apart`].
    pub fn help(&self, cores: u32, mut post: LookPost) -> Result<(), Apart> {
        let bell = Arc::new(post.bell());
        std::thread::scope(|scope| {
            let mut begun: Option<Begun> = None;
            loop {
                let heard = match post.next(LOOK) {
                    // Who looks has to do with the first alone, who says who else is gone.
                    Err(Apart::Gone { member, .. }) if member != 0 => None,
                    heard => heard?,
                };
                match heard {
                    Some((0, LookLetter::Begin(number, facts))) => {
                        begun = Some(Begun::new(scope, number, (self, &facts), (cores, &bell)));
                    }
                    Some((0, LookLetter::Look(of, states))) => {
                        if let Some(begun) = begun.as_ref().filter(|begun| begun.number == of) {
                            begun.desk.put(states);
                        }
                    }
                    Some((0, LookLetter::End)) => return Ok(()),
                    // Nothing else means anything to who looks.
                    Some(_) | None => {}
                }
                let Some(begun) = &begun else {
                    continue;
                };
                begun.desk.expect_whole();
                if begun.desk.is_misled() {
                    post.send(0, LookLetter::Senseless);
                    return Err(Apart::Senseless);
                }
                let looked = begun.from.try_iter().flatten();
                let looked: Vec<_> = looked.map(|(name, showing)| (name.0, showing)).collect();
                if !looked.is_empty() {
                    let shown = LookLetter::Shown {
                        begun: begun.number,
                        sent: post.sent(),
                        looked,
                    };
                    post.send(0, shown);
                }
            }
        })
    }
}

impl Begun {
    fn new<'s, 'e>(
        scope: &'s Scope<'s, 'e>,
        number: u32,
        (asked, facts): (&'e DeviceAsked, &Facts),
        (cores, bell): (u32, &Arc<Bell>),
    ) -> Self {
        let ringing = |bell: &Arc<Bell>| {
            let bell = Arc::clone(bell);
            move || bell()
        };
        let desk = Arc::new(Desk::new(Box::new(ringing(bell))));
        let for_whom = (cores.max(1) as usize, For::Others);
        let (_, from) = desk.staffed(scope, (&asked.study(), facts), for_whom, ringing(bell));
        Self { number, desk, from }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.desk.end();
    }
}
