//! What is seen while the program runs: pictures of the twin, some times in a second.
//!
//! A picture costs the run what it takes to make and to tell. So the next one waits until that is a small share of the time,
//! however long it took.

use std::time::{Duration, Instant};

use borges_multiverse::tree::Place;

use crate::command::listing::{
    BoardListing, EntryRow, LiveListing, LiveValue, Variable, VariableListing,
};
use crate::command::{Event, Observer};
use crate::error::CommandError;
use crate::history::History;
use crate::history::entry::Moment;
use crate::look::{outline, state};
use crate::program::loaded::Loaded;
use crate::stage::Sight;

/// From one picture to the next, at least.
const EVERY: Duration = Duration::from_millis(55);

/// So many times as long as a picture took, the program goes on without one.
const SHARE: u32 = 25;

/// Entries in the tail of a path.
const TAIL: usize = 48;

/// Who looks on while the program runs.
#[derive(Default)]
pub(crate) struct Onlooker {
    /// What to evaluate in each picture; nothing if nobody looks on.
    expressions: Option<Vec<String>>,
    /// Where the last picture was taken, and when there may be another one.
    last: Option<(Moment, Instant)>,
    /// Variables in the last picture, to tell what changed.
    locals: Vec<Variable>,
    printed: u64,
}

impl Onlooker {
    /// Looks on from now on, and evaluates these; nothing for nobody.
    pub(crate) fn look_on(&mut self, expressions: Option<Vec<String>>) {
        self.expressions = expressions;
    }

    /// A motion begins here: what there is to be seen is known.
    pub(crate) fn begin(&mut self, history: &History, locals: &[Variable]) {
        if self.expressions.is_none() {
            return;
        }
        self.last = Some((history.here(), Instant::now() + EVERY));
        self.locals = locals.to_vec();
        self.printed = printed(history);
    }

    /// The motion has ended: what moves the twin from here on is none.
    pub(crate) fn end(&mut self) {
        self.last = None;
    }

    /// Shows what there is to be seen, if it is time for that and the twin has moved. `settle` has it on disk first; there
    /// is no picture if that fails.
    pub(crate) fn look(
        &mut self,
        loaded: &Loaded,
        history: &History,
        device: Option<Moment>,
        settle: impl FnOnce() -> bool,
        observer: Observer<'_>,
    ) {
        let Some((at, next)) = self.last.filter(|_| self.expressions.is_some()) else {
            return;
        };
        let begun = Instant::now();
        if begun < next || history.here() == at || !settle() {
            return;
        }
        let picture = self.picture(Sight { loaded, history }, device);
        // Whether to pause is asked soon again.
        let _flow = observer(Event::Live(Box::new(picture)));
        let took = begun.elapsed();
        let wait = EVERY.saturating_sub(took).max(took * SHARE);
        self.last = Some((history.here(), begun + took + wait));
    }

    fn picture(&mut self, sight: Sight<'_>, device: Option<Moment>) -> LiveListing {
        let Sight { loaded, history } = sight;
        let (here, scene) = (history.here(), sight.scene());
        let at = sight.view(here, device);
        let variables = state::of(scene, &self.locals, at.frame);
        let variables = variables.unwrap_or_else(|_| VariableListing::none(at.frame));
        self.locals.clone_from(&variables.locals);
        let expressions = self.expressions.iter().flatten();
        let values = expressions.map(|text| {
            let value = scene.print(text, at.frame);
            let of = |(value, type_name)| LiveValue {
                value,
                type_name,
                ok: true,
            };
            value.map_or_else(|error| LiveValue::without(&error), of)
        });
        let view = history.twin().board.view(loaded.board(), 0);
        let printed = std::mem::replace(&mut self.printed, printed(history));
        let console = history.twin().board.console();
        let console = console.filter(|console| console.printed() != printed);
        LiveListing {
            branch: outline::branch(history, here.place.branch),
            line: history.line().0,
            entries: history.tree().entry_count(),
            board: BoardListing {
                lines: Vec::new(),
                board: serde_json::to_value(&view).unwrap_or_default(),
                clock_us: history.twin().clock_us(),
            },
            stack: scene.stack(),
            values: values.collect(),
            console: console.map(|text| String::from_utf8_lossy(&text.bytes()).into_owned()),
            tail: tail(sight, here.place),
            variables,
            at,
        }
    }
}

impl LiveValue {
    fn without(error: &CommandError) -> Self {
        Self {
            value: error.to_string(),
            ..Self::default()
        }
    }
}

/// The last entries before a place.
fn tail(sight: Sight<'_>, mut place: Place) -> Vec<EntryRow> {
    let tree = sight.history.tree();
    let mut rows = Vec::new();
    while rows.len() < TAIL
        && let (Some(entry), Some(before)) = (tree.entry(place), tree.parent(place))
    {
        rows.push(sight.row(entry, None));
        place = before;
    }
    rows.reverse();
    rows
}

fn printed(history: &History) -> u64 {
    let console = history.twin().board.console();
    console.map_or(0, |console| console.printed())
}
