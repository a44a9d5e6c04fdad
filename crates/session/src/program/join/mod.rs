//! Modules that are linked by name: the program and libraries become one module before anything else opens.
//!
//! Imports from a library are resolved with what it exports, as an engine does that instantiates one module after the other;
//! what no library has stays an import. The joined module's exports are the program's. So everything that knows one module
//! (sessions, devices, futures, files) needs to know nothing of this: these bytes are the program, the same each time.
//!
//! | room | what it does |
//! |---|---|
//! | `part` | takes a module to pieces |
//! | `plan` | finds who gets what from whom, in which order modules begin, and what number everything has |
//! | `write` | writes the pieces with these numbers, and notes where code went |
//! | `names` | writes the names of everything |

mod error;
#[cfg(test)]
mod moved;
mod names;
mod part;
mod plan;
#[cfg(test)]
mod tests;
mod write;

pub use error::{JoinError, LinkedImport};

use std::path::{Path, PathBuf};

use borges_debuginfo::{JoinedPart, joined_sections};
use serde::{Deserialize, Serialize};
use wasm_encoder::CustomSection;

use super::{Board, OpenError, read};
use part::{Kind, Part};
use plan::Plan;

/// A module that a program is linked with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// The name that imports have for it.
    pub name: String,
    /// The WebAssembly module.
    pub path: PathBuf,
}

impl Library {
    /// It with a path that is the same from everywhere.
    pub(crate) fn absolute(&self) -> Self {
        Self {
            name: self.name.clone(),
            path: std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone()),
        }
    }
}

/// The module at `path`, joined with these libraries if there are any.
///
/// # Errors
/// [`OpenError`] names the file, the import and the cause.
pub(crate) fn read_linked(
    path: &Path,
    libraries: &[Library],
    board: &Board,
) -> Result<Vec<u8>, OpenError> {
    let bytes = read(path)?;
    if libraries.is_empty() {
        return Ok(bytes);
    }
    let read = libraries
        .iter()
        .map(|library| Ok((library.clone(), read(&library.path)?)));
    let libraries = read.collect::<Result<Vec<_>, OpenError>>()?;
    linked((path, bytes), &libraries, board)
}

/// The same of bytes that are there already.
///
/// # Errors
/// As [`read_linked`].
pub(crate) fn linked(
    (path, bytes): (&Path, Vec<u8>),
    libraries: &[(Library, Vec<u8>)],
    board: &Board,
) -> Result<Vec<u8>, OpenError> {
    if libraries.is_empty() {
        return Ok(bytes);
    }
    let mut parts = vec![Part::new(None, path, board.module(path, &bytes)?, &bytes)?];
    for (library, bytes) in libraries {
        let module = board.module(&library.path, bytes)?;
        let name = Some(library.name.clone());
        parts.push(Part::new(name, &library.path, module, bytes)?);
    }
    Ok(join(&parts, &board.description)?)
}

/// One module of all parts, the first of which is the program.
fn join(parts: &[Part<'_>], board: &borges_board::Board) -> Result<Vec<u8>, JoinError> {
    let mut plan = Plan::new(parts, board)?;
    let mut written = write::written(parts, &mut plan)?;
    let module = &mut written.module;
    module.section(&names::section(parts, &plan, written.has_begin));
    let joined = parts.iter().zip(&written.maps).zip(&plan.numbers);
    let joined: Vec<JoinedPart<'_>> = joined
        .map(|((part, code), numbers)| JoinedPart {
            name: part.name.as_deref(),
            customs: &part.pieces.customs,
            code_start: part.pieces.code_start as u32,
            code,
            globals: (0..part.count(Kind::Global))
                .map(|index| numbers.of(Kind::Global, index))
                .collect(),
            memory: match part.count(Kind::Memory) {
                0 => 0,
                _ => numbers.of(Kind::Memory, 0),
            },
        })
        .collect();
    let sections = joined_sections(&joined);
    let others = parts[0]
        .pieces
        .customs
        .iter()
        .filter(|(name, _)| stays(name));
    let others = others.map(|(name, data)| ((*name).to_owned(), data.to_vec()));
    for (name, data) in others.chain(sections) {
        module.section(&CustomSection {
            name: name.into(),
            data: data.into(),
        });
    }
    Ok(written.module.finish())
}

/// Whether a custom section of the program is as good in the joined module: it says nothing of numbers or places.
fn stays(name: &str) -> bool {
    !name.starts_with(".debug_")
        && !["name", "sourceMappingURL", "external_debug_info"].contains(&name)
}
