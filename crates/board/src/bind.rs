//! Binding a program's imports to primitives, with errors that say what to declare.

use alloc::{borrow::ToOwned, string::String, vec::Vec};
use core::fmt;

use borges_vm::FuncType;

use crate::{Board, PrimitiveId};

/// Why an import cannot be bound to a primitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindError {
    /// No primitive has this name.
    Unknown {
        /// The import's module.
        module: String,
        /// The import's name.
        name: String,
        /// The import's type.
        ty: FuncType,
        /// A primitive with a similar name.
        similar: Option<String>,
    },
    /// The primitive exists with other types only.
    WrongType {
        /// The import's module.
        module: String,
        /// The import's name.
        name: String,
        /// The import's type.
        ty: FuncType,
        /// The types that it may have.
        expected: Vec<FuncType>,
    },
}

impl Board {
    /// The primitive that an import means.
    ///
    /// # Errors
    /// [`BindError`], whose text says what to declare in the board file.
    pub fn bind(&self, module: &str, name: &str, ty: &FuncType) -> Result<PrimitiveId, BindError> {
        let mut expected = Vec::new();
        let mut bound = None;
        for id in self.named(module, name) {
            match self.primitive(id) {
                // A declaration of the user comes later than the listed one that it replaces.
                Some(p) if p.has_type(ty) => bound = Some(id),
                Some(p) => expected.push(p.func_type()),
                None => {}
            }
        }
        if let Some(id) = bound {
            return Ok(id);
        }
        let (module, name, ty) = (module.to_owned(), name.to_owned(), ty.clone());
        if expected.is_empty() {
            let similar =
                closest(&name, self.primitives.iter().map(|p| &*p.name)).map(ToOwned::to_owned);
            Err(BindError::Unknown {
                module,
                name,
                ty,
                similar,
            })
        } else {
            Err(BindError::WrongType {
                module,
                name,
                ty,
                expected,
            })
        }
    }
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BindError::Unknown {
                module,
                name,
                ty,
                similar,
            } => {
                writeln!(
                    f,
                    "the board has no primitive `{module}.{name}` of type {ty}."
                )?;
                if let Some(similar) = similar {
                    writeln!(
                        f,
                        "There is one named `{similar}`. If the program means something else,"
                    )?;
                }
                write!(
                    f,
                    "declare it in the board file:\n\n{}",
                    declaration(module, name, ty)
                )
            }
            BindError::WrongType {
                module,
                name,
                ty,
                expected,
            } => {
                write!(
                    f,
                    "the program imports `{module}.{name}` with the type {ty}; the board has it with "
                )?;
                for (i, expected) in expected.iter().enumerate() {
                    if i > 0 {
                        f.write_str(" or ")?;
                    }
                    write!(f, "{expected}")?;
                }
                write!(
                    f,
                    ".\nImport it with that type, or declare this one in the board file:\n\n{}",
                    declaration(module, name, ty)
                )
            }
        }
    }
}

impl core::error::Error for BindError {}

/// A board-file entry to start from.
fn declaration(module: &str, name: &str, ty: &FuncType) -> String {
    let params: Vec<String> = ty
        .params
        .iter()
        .map(|t| alloc::format!("\"{t}\""))
        .collect();
    let mut text = alloc::format!(
        "[[primitive]]\nmodule = \"{module}\"\nname = \"{name}\"\nparams = [{}]\n",
        params.join(", ")
    );
    if let Some(result) = ty.results.first() {
        text += &alloc::format!("result = \"{result}\"\nkind = \"input\"\ncodomain = \"0..100\"\n");
    } else {
        text += "kind = \"output\"\n";
    }
    text
}

/// The name that differs least from `name`, if any is close enough to be meant.
pub(crate) fn closest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = name.len() / 3 + 1;
    names
        .map(|candidate| (distance(name.as_bytes(), candidate.as_bytes()), candidate))
        .filter(|(d, _)| *d <= allowed)
        .min_by_key(|(d, _)| *d)
        .map(|(_, candidate)| candidate)
}

/// How many letters must change to make one word of the other.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        row[0] = left;
        for (j, cb) in b.iter().enumerate() {
            let up = row[j + 1];
            left = (diagonal + usize::from(ca != cb)).min(up + 1).min(left + 1);
            diagonal = up;
            row[j + 1] = left;
        }
    }
    row.last().copied().unwrap_or(0)
}
