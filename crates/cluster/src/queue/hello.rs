//! Who is there: whoever asks calls out every now and then, and workers answer, those of another build or key too.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// All who use queues hear what is said here.
pub(super) const HELLO: &str = "borges.hello";

/// So often it is called out.
pub(super) const OFTEN: Duration = Duration::from_secs(1);
/// Who has not answered for so long is gone.
const AWAY: Duration = Duration::from_secs(5);
/// Nobody keeps count of more.
const MOST: usize = 4096;

/// Called out, for all to read.
#[derive(Serialize, Deserialize)]
pub(super) struct Hello {
    pub(super) team: String,
    pub(super) build: String,
}

/// The answer of a worker. Anybody may have written it, so nothing depends on it.
#[derive(Serialize, Deserialize)]
pub(super) struct Here {
    /// A number that it gave itself.
    worker: u64,
    /// On how many cores it works.
    cores: u32,
    stands: Stands,
}

/// How a worker stands to whoever called out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stands {
    /// It is one of us.
    With,
    OtherBuild,
    OtherKey,
}

impl Stands {
    /// Why it does not help; nothing if it does.
    pub(super) fn objection(self) -> Option<&'static str> {
        match self {
            Stands::With => None,
            Stands::OtherBuild => {
                Some("is another build of borges: copy one file to all computers")
            }
            Stands::OtherKey => Some("has another key, or none"),
        }
    }
}

impl Here {
    pub(super) fn new(worker: u64, cores: u32, stands: Stands) -> Self {
        Here {
            worker,
            cores,
            stands,
        }
    }
}

/// Those who answered lately.
#[derive(Default)]
pub(super) struct Seen(HashMap<u64, (Here, Instant)>);

impl Seen {
    pub(super) fn add(&mut self, here: Here) {
        self.0.retain(|_, (_, when)| when.elapsed() < AWAY);
        if self.0.len() < MOST {
            self.0.insert(here.worker, (here, Instant::now()));
        }
    }

    fn lately(&self) -> impl Iterator<Item = &Here> {
        let seen = self.0.values();
        seen.filter(|(_, when)| when.elapsed() < AWAY)
            .map(|(here, _)| here)
    }

    /// How many workers help, and why others do not.
    pub(super) fn count(&self) -> (usize, Vec<String>) {
        let with = self.lately().filter(|here| here.stands == Stands::With);
        let mut others: Vec<String> = Vec::new();
        for objection in self.lately().filter_map(|here| here.stands.objection()) {
            let words = format!("a worker at the queue {objection}");
            if !others.contains(&words) {
                others.push(words);
            }
        }
        (with.count(), others)
    }
}
