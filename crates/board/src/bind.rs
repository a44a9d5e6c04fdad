//! Binding a program's imports to primitives, with errors that say what to declare.

use alloc::{borrow::ToOwned, boxed::Box, string::String, vec::Vec};
use core::fmt;

use borges_vm::FuncType;

use crate::{Board, Primitive, PrimitiveId};

/// Why an import cannot be bound to a primitive. Its text says what to declare in the board file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindError {
    /// The import.
    pub import: Box<Import>,
    /// The types that a primitive of this name has; none if there is no such primitive.
    pub expected: Vec<FuncType>,
    /// A primitive with a similar name, if there is none of this one.
    pub similar: Option<String>,
}

/// An import of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Its module.
    pub module: String,
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: FuncType,
}

impl Board {
    /// The primitive that an import means.
    ///
    /// # Errors
    /// [`BindError`], whose text says what to declare in the board file.
    pub fn bind(&self, module: &str, name: &str, ty: &FuncType) -> Result<PrimitiveId, BindError> {
        self.primitive_for(module, name, ty)
            .ok_or_else(|| self.bind_error(module, name, ty))
    }

    /// The primitive that an import means, if there is one.
    pub fn primitive_for(&self, module: &str, name: &str, ty: &FuncType) -> Option<PrimitiveId> {
        let has_type = |id: &PrimitiveId| self.primitive(*id).is_some_and(|p| p.has_type(ty));
        // A declaration of the user comes later than the listed one that it replaces.
        self.named(module, name).filter(has_type).last()
    }

    /// Why no primitive is meant.
    pub fn bind_error(&self, module: &str, name: &str, ty: &FuncType) -> BindError {
        let named = self.named(module, name);
        let expected: Vec<FuncType> = named
            .filter_map(|id| self.primitive(id))
            .map(Primitive::func_type)
            .collect();
        let names = self.primitives().map(|p| &*p.name);
        let similar = if expected.is_empty() {
            closest(name, names).map(ToOwned::to_owned)
        } else {
            None
        };
        let import = Import {
            module: module.to_owned(),
            name: name.to_owned(),
            ty: ty.clone(),
        };
        BindError {
            import: Box::new(import),
            expected,
            similar,
        }
    }
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Import { module, name, ty } = &*self.import;
        let declaration = declaration(module, name, ty);
        if self.expected.is_empty() {
            writeln!(
                f,
                "the board has no primitive `{module}.{name}` of type {ty}."
            )?;
            if let Some(similar) = &self.similar {
                writeln!(
                    f,
                    "There is one named `{similar}`. If the program means something else,"
                )?;
            }
            return write!(f, "declare it in the board file:\n\n{declaration}");
        }
        write!(
            f,
            "the program imports `{module}.{name}` with the type {ty}; the board has it with "
        )?;
        let expected: Vec<String> = self
            .expected
            .iter()
            .map(|ty| alloc::format!("{ty}"))
            .collect();
        writeln!(f, "{}.", expected.join(" or "))?;
        write!(
            f,
            "Import it with that type, or declare this one in the board file:\n\n{declaration}"
        )
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
