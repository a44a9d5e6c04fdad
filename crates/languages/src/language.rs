//! The languages that there are: ours, and those that were added.

use std::sync::{PoisonError, RwLock};

use super::dialect::{AMB, AMBIENT_TALK, Dialect, MU_OZ};

/// The languages that are always there, one a line.
static OURS: [&dyn Dialect; 3] = [&AMB, &AMBIENT_TALK, &MU_OZ];

/// Those that were added.
static ADDED: RwLock<Vec<&'static dyn Dialect>> = RwLock::new(Vec::new());

/// Adds a language: from now on its files are programs, wherever programs are.
pub fn add(dialect: &'static dyn Dialect) {
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    added.push(dialect);
}

/// All languages.
#[must_use]
pub fn all() -> Vec<&'static dyn Dialect> {
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner);
    OURS.iter().chain(added.iter()).copied().collect()
}

/// The language of a file, by its extension; none if it is of no model language.
#[must_use]
pub fn of_path(path: &str) -> Option<&'static dyn Dialect> {
    let (stem, extension) = path.rsplit_once('.')?;
    let has_name = !stem.is_empty() && !stem.ends_with(['/', '\\']);
    let mut all = all().into_iter();
    all.find(|dialect| has_name && dialect.extension() == extension)
}
