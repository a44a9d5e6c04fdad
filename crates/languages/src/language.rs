//! The languages that there are: ours, and those that were added. Nobody else asks of which language a program is.

use std::sync::{PoisonError, RwLock};

use crate::amb::{self, Amb};
use crate::ambienttalk::{self, AmbientTalk, Options};
use crate::model::face::Face;
use crate::model::{Dialect, Explore, Grain, Prompt, Simple};
use crate::muoz::{self, MuOz};
use crate::voyager::Actors;

const SHOWN: &str = "docs/languages.md shows how programs are written";

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

/// The language with this name; none if there is none.
#[must_use]
pub fn named(name: &str) -> Option<&'static dyn Dialect> {
    all().into_iter().find(|dialect| dialect.name() == name)
}

/// The language of a word that is a program itself; none if it must be the name of a file.
#[must_use]
pub fn of_word(word: &str) -> Option<&'static dyn Dialect> {
    let mut all = all().into_iter();
    all.find(|dialect| dialect.is_program(word))
}

/// λ_amb.
pub static AMB: Simple<Amb> = Simple::new("λ_amb", "amb", |text| Ok(Amb::parse(text)?))
    .laid_out(|text| Ok(amb::format(text)?))
    .told_to_editors(amb::gloss)
    .shaped("expressions are numbers, (+ …) and (amb …)")
    .in_a_word(|word| word.starts_with('('))
    .offering(Prompt::Walk);

/// AmbientTalk.
pub static AMBIENT_TALK: Simple<AmbientTalk> = Simple::new("AmbientTalk", "at", |text| {
    Ok(AmbientTalk::parse(text, Options::default())?)
})
.laid_out(|text| Ok(ambienttalk::format(text)?))
.told_to_editors(ambienttalk::gloss)
.shaped(SHOWN)
.asked(
    |program, options| program.with(run_with(options.grain, options)),
    // Visible steps, and rules within a turn where the user steps through it.
    |program, text, options| {
        let actors = Actors::new(program.with(run_with(Grain::Visible, options)));
        Box::new(Face::new(text, actors))
    },
);

fn run_with(grain: Grain, options: &Explore) -> Options {
    Options {
        grain,
        delivery: options.delivery,
        numbered: false,
    }
}

/// μOz.
pub static MU_OZ: Simple<MuOz> = Simple::new("μOz", "oz", |text| Ok(MuOz::parse(text)?))
    .laid_out(|text| Ok(muoz::format(text)?))
    .told_to_editors(muoz::gloss)
    .shaped(SHOWN)
    .offering(Prompt::CareDeb);
