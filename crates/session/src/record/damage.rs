//! What a damaged session file means for the session, in words.

use borges_store::{Damage, Store};

/// Settings without which a session is still the one that was recorded.
const HARMLESS: [&str; 3] = ["key \"program\"", "key \"seed\"", "key \"state "];

/// Damage after which nothing can be shown, if there is any: the first that is met.
pub(crate) fn fatal(store: &Store) -> Option<String> {
    let damage = store.damage().iter().find(|damage| match damage {
        Damage::Row { table, key } => match *table {
            "program" => true,
            "setting" => !HARMLESS.iter().any(|known| key.starts_with(known)),
            _ => false,
        },
        // Which one is missing, nobody knows: how the program was started and on what is among them.
        Damage::Rows { table, .. } => ["program", "setting"].contains(table),
        Damage::Branch { branch: 0, .. } => true,
        _ => false,
    });
    damage.map(|damage| {
        format!(
            "the session file is damaged: {damage}; without it nothing that was recorded can be shown. \
             Use a copy of the file, or look at what is left: sqlite3 -readonly FILE .dump"
        )
    })
}

/// Each damage with what is lost by it.
pub(crate) fn told(store: &Store) -> Vec<String> {
    store.damage().iter().map(in_words).collect()
}

/// A damage with what is lost by it.
pub(crate) fn in_words(damage: &Damage) -> String {
    format!("damaged: {damage}; {}", lost(damage))
}

fn lost(damage: &Damage) -> &'static str {
    let table = match damage {
        Damage::Entries { .. } | Damage::More { .. } => {
            return "what came after on that branch, and branches that leave it there, are not shown";
        }
        Damage::Branch { .. } => return "it is not shown, nor are branches that leave it",
        Damage::Aside { .. } => return "it was not shown since",
        Damage::Order { .. } => return "what cannot be found is not shown",
        Damage::Row { table, .. } | Damage::Rows { table, .. } => table,
        Damage::Pages | Damage::Program { .. } | Damage::Value(_) => return "it is not shown",
    };
    match *table {
        "primitive" => "calls of it have no name in SQL",
        "branch" => "it is not shown, nor are branches that leave it",
        "note" => "the note or bookmark is not shown: write it again",
        "breakpoint" => "it does not stop: set it again",
        "mock" => "its input is read live: mock it again",
        "setting" => "the usual is used in its stead",
        "place" => "the session begins at the start of the program",
        "fleet_run" => "the recordings that ended there are not counted",
        "fleet_source" => "the recording that it names is counted, but not named",
        "model_program" => "what the graph is of is not known",
        "model_outcome" | "model_state" | "model_label" | "model_link" => {
            "answers in SQL are without it"
        }
        _ => "the rest is shown",
    }
}
