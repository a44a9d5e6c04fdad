//! Binding a program's imports to primitives, with errors that say what to declare.

use alloc::{borrow::ToOwned, boxed::Box, string::String, vec::Vec};
use core::fmt;

use borges_vm::{FuncType, ValType};

use crate::{Board, Primitive, PrimitiveId};

/// Why an import cannot be bound to a primitive. Its text says what to declare in the board file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindError {
    /// The import.
    pub import: Box<ProgramImport>,
    /// The types that a primitive of this name has; none if there is no such primitive.
    pub expected: Vec<FuncType>,
    /// A primitive with a similar name, if there is none of this one.
    pub similar: Option<String>,
}

/// An import of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramImport {
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
        let import = ProgramImport {
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

/// What can be done about an import that the board does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remedy {
    /// A board file can declare it.
    Declare,
    /// It may fill memory at an address that it is given, which the declaration has to say.
    FillsMemory,
    /// It is of another module.
    Link,
    /// It is of an operating system.
    System,
    /// It has several results.
    Several,
    /// It takes or gives a vector.
    Vector,
    /// It takes or gives a reference.
    Reference,
    /// It is a function of C's library that compilers call by themselves.
    Library,
}

/// What compilers call for code that does not name it, and names of C's library that are no board's.
const LIBRARY: [&str; 12] = [
    "memcpy", "memmove", "memset", "memcmp", "strlen", "strcmp", "strcpy", "malloc", "calloc",
    "realloc", "free", "abort",
];

impl ProgramImport {
    fn remedy(&self) -> Remedy {
        // Beside an address there is a length.
        let two_numbers = |pair: &[ValType]| pair == [ValType::I32; 2];
        let has = |wanted: ValType| {
            let mut all = self.ty.params.iter().chain(&self.ty.results);
            all.any(|ty| *ty == wanted)
        };
        if has(ValType::V128) {
            Remedy::Vector
        } else if self
            .ty
            .params
            .iter()
            .chain(&self.ty.results)
            .any(|ty| ty.is_reference())
        {
            Remedy::Reference
        } else if self.module.starts_with("wasi") {
            Remedy::System
        } else if self.ty.results.len() > 1 {
            Remedy::Several
        } else if self.module != "env" {
            Remedy::Link
        } else if LIBRARY.contains(&self.name.as_str()) {
            Remedy::Library
        } else if !self.ty.results.is_empty() && self.ty.params.windows(2).any(two_numbers) {
            Remedy::FillsMemory
        } else {
            Remedy::Declare
        }
    }

    /// A board-file entry to start from.
    fn declaration(&self) -> String {
        let Self { module, name, ty } = self;
        let params: Vec<String> = ty
            .params
            .iter()
            .map(|t| alloc::format!("\"{t}\""))
            .collect();
        let mut text = alloc::format!(
            "[[primitive]]\nmodule = \"{module}\"\nname = \"{name}\"\nparams = [{}]\n",
            params.join(", ")
        );
        match ty.results.first() {
            Some(result) => {
                text += &alloc::format!(
                    "result = \"{result}\"\nkind = \"input\"\ncodomain = \"0..100\" # whatever it can return\n"
                );
            }
            None => text += "kind = \"output\"\n",
        }
        text
    }
}

impl Remedy {
    /// What to do, in whole sentences; [`Remedy::Declare`] is followed by declarations.
    fn text(self) -> &'static str {
        match self {
            Self::Declare => "declare it in the board file:",
            Self::FillsMemory => {
                "if it writes into memory at an address that it is given, as reading from a network does, say where and how \
                 much in the board file: `fills = { address = 0, room = 1 }` puts as many bytes as it returns at its first \
                 argument, at most as many as the second one says. If returning a number is all that it does, declare it in the \
                 board file:"
            }
            Self::Link => {
                "if it is another module's, link the program with that one: --link MODULE=FILE.wasm. If it is the board's, \
                 declare it in the board file:"
            }
            Self::Vector => {
                "vectors (v128) cannot leave a program: pass their lanes as numbers, or their address in memory."
            }
            Self::Reference => {
                "references (externref, funcref) cannot leave a program: pass a number that stands for what is meant."
            }
            Self::Library => {
                "this is C's library, which the program has to bring along: link with wasi-libc (clang: \
                 --target=wasm32-wasi), or write it; copies and fills of memory need no function with -mbulk-memory."
            }
            Self::System => {
                "this is an operating system's interface, and no function of WASI preview 1 has that name and type: build for \
                 preview 1 (clang: --target=wasm32-wasi; rustc: --target wasm32-wasip1), or without a system (clang: \
                 --target=wasm32 -nostdlib; rustc: --target wasm32-unknown-unknown)."
            }
            Self::Several => {
                "an import with several results cannot be declared: let it return one number, or write to memory \
                 of the program's own."
            }
        }
    }

    fn declares(self) -> bool {
        matches!(self, Self::Declare | Self::FillsMemory | Self::Link)
    }
}

impl BindError {
    /// What is missing, in a line.
    fn missing(&self) -> String {
        let ProgramImport { module, name, ty } = &*self.import;
        if self.expected.is_empty() {
            let similar = self.similar.as_ref().map_or_else(String::new, |similar| {
                alloc::format!("; there is one named `{similar}`")
            });
            return alloc::format!("`{module}.{name}` of type {ty}{similar}");
        }
        let expected: Vec<String> = self
            .expected
            .iter()
            .map(|ty| alloc::format!("{ty}"))
            .collect();
        let expected = expected.join(" or ");
        alloc::format!("`{module}.{name}` with the type {ty}; the board has it with {expected}")
    }
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let remedy = self.import.remedy();
        if self.expected.is_empty() {
            let ProgramImport { module, name, ty } = &*self.import;
            writeln!(
                f,
                "the board has no primitive `{module}.{name}` of type {ty}."
            )?;
            match &self.similar {
                Some(similar) if remedy == Remedy::Declare => writeln!(
                    f,
                    "There is one named `{similar}`. If the program means something else,"
                )?,
                Some(_) if remedy == Remedy::Library => {}
                Some(similar) => writeln!(f, "There is one named `{similar}`.")?,
                None => {}
            }
            f.write_str(remedy.text())?;
        } else {
            writeln!(f, "the program imports {}.", self.missing())?;
            let or = match remedy.declares() {
                true => ", or declare this one in the board file:",
                false => ".",
            };
            write!(f, "Import it with that type{or}")?;
        }
        if remedy.declares() {
            write!(f, "\n\n{}", self.import.declaration())?;
        }
        Ok(())
    }
}

impl core::error::Error for BindError {}

/// Says all that is missing at once: a list, and for each kind of trouble what to do about it.
pub fn describe_missing(errors: &[BindError], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if let [error] = errors {
        return fmt::Display::fmt(error, f);
    }
    writeln!(
        f,
        "{} imports of the program are not on the board:",
        errors.len()
    )?;
    for error in errors {
        writeln!(f, "  {}", error.missing())?;
    }
    for remedy in [
        Remedy::System,
        Remedy::Library,
        Remedy::Several,
        Remedy::Vector,
        Remedy::Reference,
        Remedy::Link,
        Remedy::FillsMemory,
        Remedy::Declare,
    ] {
        let with = |error: &&BindError| error.import.remedy() == remedy;
        let names: Vec<&str> = errors
            .iter()
            .filter(with)
            .map(|error| error.import.name.as_str())
            .collect();
        if names.is_empty() {
            continue;
        }
        writeln!(f, "\n{}: {}", names.join(", "), remedy.text())?;
        for error in errors.iter().filter(with).filter(|_| remedy.declares()) {
            write!(f, "\n{}", error.import.declaration())?;
        }
    }
    Ok(())
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
