//! Programs of model languages, on the command line and in files.

use std::path::Path;

use borges_languages::model::{Dialect, Explore, Model, ModelError, language};
use borges_session::model::{KeptError, KeptGraph, graph_damage, kept as kept_graph};

use crate::args::{DELIVERIES, GRAINS, word_for};
use crate::exit::Failure;
use borges_commands::paint::{count, printable};

/// The program that a word on the command line names or is: a file by its extension, or an expression in parentheses.
/// None if it is of no model language.
///
/// # Errors
/// A file that cannot be read, or the place of the mistake in it, shown.
pub(crate) fn named(word: &str) -> Result<Option<Model>, Failure> {
    let word = word.trim();
    if let Some(dialect) = language::of_word(word) {
        return parse(dialect, word, None).map(Some);
    }
    let Some(dialect) = language::of_path(word) else {
        return Ok(None);
    };
    let path = Path::new(word);
    let text = super::read_text(path)?;
    if !dialect.reads(&text) {
        return Ok(None);
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let gathered = dialect.gather(&text, folder);
    let text = gathered.map_err(|error| wrong(dialect, &text, Some(path), &error))?;
    parse(dialect, &text, Some(path)).map(Some)
}

/// The graph of a program of a model language that a session file has; none if it is no such file.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn kept(file: &Path) -> Result<Option<KeptGraph>, Failure> {
    if !super::is_session(file) {
        return Ok(None);
    }
    kept_graph(file).map_err(|error| unread(file, &error))
}

/// What of the graph in a file is damaged, and what that means; nothing if it has none.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn damage(file: &Path) -> Result<Vec<String>, Failure> {
    if !super::is_session(file) {
        return Ok(Vec::new());
    }
    graph_damage(file).map_err(|error| unread(file, &error))
}

/// What to do about a damaged graph.
pub(crate) const AGAIN: &str = "what is damaged is not shown and stays in the file; 'borges explore PROGRAM --session FILE' \
                     makes the graph anew";

fn unread(file: &Path, error: &KeptError) -> Failure {
    let next = if error.is_damage() { AGAIN } else { "" };
    Failure::input(format!("{}: {error}", file.display()), next)
}

/// How a graph was explored, as options of the command line.
pub(crate) fn steps(explore: &Explore) -> String {
    let grain = word_for(GRAINS, &explore.grain);
    let delivery = word_for(DELIVERIES, &explore.delivery);
    format!("--grain {grain} --delivery {delivery}")
}

/// What a graph in a file is, in a sentence; `whole` if nothing in it is damaged.
pub(crate) fn described(kept: &KeptGraph, whole: bool) -> String {
    let [states, edges, outcomes, _] = kept.sizes;
    let all = match (kept.complete, whole) {
        (true, true) => "all of it",
        (true, false) => "all of it but for what is damaged",
        (false, _) => "not all of it: the exploration was stopped or reached a limit",
    };
    format!(
        "the graph of {}, a program in {}: {}, {}, {}; {all}",
        printable(&kept.name),
        kept.model.dialect().name(),
        count(states, "state"),
        count(edges, "edge"),
        count(outcomes, "outcome"),
    )
}

fn parse(dialect: &'static dyn Dialect, text: &str, path: Option<&Path>) -> Result<Model, Failure> {
    Model::parse(dialect, text).map_err(|error| wrong(dialect, text, path, &error))
}

/// A text that is no program, shown.
fn wrong(dialect: &dyn Dialect, text: &str, path: Option<&Path>, error: &ModelError) -> Failure {
    let place = path.map_or_else(String::new, |path| format!("{}: ", path.display()));
    let explained = error.explain(text);
    Failure::input(
        format!(
            "{place}this is no {} program\n{}",
            dialect.name(),
            explained.trim_end()
        ),
        dialect.shape(),
    )
}
