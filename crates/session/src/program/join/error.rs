//! Why modules cannot be joined.

use std::path::PathBuf;

use borges_debuginfo::Known;
use thiserror::Error;

/// An import of a module that is joined with others.
#[derive(Debug)]
pub struct LinkedImport {
    /// Who has it.
    pub by: String,
    /// The import's module.
    pub module: String,
    /// Its name.
    pub name: String,
}

impl std::fmt::Display for LinkedImport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.module, self.name)
    }
}

/// Why modules cannot be joined to one program.
#[derive(Debug, Error)]
pub enum JoinError {
    /// Two libraries of one name.
    #[error(
        "two modules are linked as '{name}': {} and {}; a name stands for one module: leave one of them out, or give it \
         the name that imports have for it",
        first.display(),
        second.display()
    )]
    Twice {
        /// The name.
        name: String,
        /// The file that had it first.
        first: PathBuf,
        /// The other one.
        second: PathBuf,
    },
    /// A library that no import names.
    #[error(
        "nothing is imported from '{name}' ({}), which was linked: imports are from {}; link it by the name that they \
         have for it, or leave it out",
        path.display(),
        listed(modules)
    )]
    Unused {
        /// Its name.
        name: String,
        /// Its file.
        path: PathBuf,
        /// The modules that something is imported from.
        modules: Vec<String>,
    },
    /// Modules that need each other before either exists.
    #[error(
        "the linked modules import from each other in a circle: {}; each must exist before what imports from it: move what \
         two of them need into a third, or compile them into one module",
        .0.join(" from ")
    )]
    Circle(Vec<String>),
    /// A library lacks what is imported from it.
    #[error("{} imports '{import}', and {} exports nothing of that name{known}", import.by, path.display())]
    Lacks {
        /// What is imported.
        import: Box<LinkedImport>,
        /// Its file.
        path: PathBuf,
        /// What it has that is called nearly so.
        known: Known,
    },
    /// A library has something else of this name.
    #[error("{} imports '{import}' as {wanted}, and in {} it is {found}{next}", import.by, path.display())]
    Type {
        /// What is imported.
        import: Box<LinkedImport>,
        /// As what.
        wanted: String,
        /// The file that has it.
        path: PathBuf,
        /// What there is.
        found: String,
        /// What to do about it.
        next: &'static str,
    },
    /// Modules share an import in ways that nothing outside can be.
    #[error(
        "{} imports '{import}' as {one}, and {second} as {other}: they share what it is, so that both must \
         declare it alike",
        import.by
    )]
    Apart {
        /// What is imported, and by whom first.
        import: Box<LinkedImport>,
        /// As what.
        one: String,
        /// Who else.
        second: String,
        /// As what.
        other: String,
    },
    /// The program's memory would not be the first one.
    #[error(
        "{0} imports the memory '{import}', which no linked module has: what is imported comes before the \
         program's own memory, and that must be the first, as calls of the board and of the system work on it; let {0} \
         have a memory of its own (wasm-ld without --import-memory), or let the program import the same memory",
        import.by
    )]
    OtherMemory {
        /// What the library imports.
        import: Box<LinkedImport>,
    },
    /// A library calls something that works on a memory which is not the library's.
    #[error(
        "{0} calls '{import}', which works on the program's first memory, and {0} has {has}: {next}",
        import.by
    )]
    Elsewhere {
        /// What the library calls.
        import: Box<LinkedImport>,
        /// What it has instead.
        has: &'static str,
        /// What to do.
        next: &'static str,
    },
    /// What is no whole program or library yet.
    #[error("{by} is {what}")]
    Unlinked {
        /// Which module.
        by: String,
        /// What it is, and what to do about that.
        what: &'static str,
    },
    /// Its initialisation cannot be called.
    #[error(
        "{by} exports '_initialize' as {ty}: what is called before all else takes nothing and gives nothing"
    )]
    Initialize {
        /// Which module.
        by: String,
        /// The function's type.
        ty: String,
    },
    /// A constant that is made of constants of other modules is too long.
    #[error(
        "constants of {by} that depend on other modules' come to more than {most} instructions"
    )]
    Constants {
        /// Which module.
        by: String,
        /// The limit.
        most: usize,
    },
    /// It cannot be written anew.
    #[error("{by} cannot be joined with others: {message}")]
    Written {
        /// Which module.
        by: String,
        /// Why.
        message: String,
    },
}

fn listed(modules: &[String]) -> String {
    match modules {
        [] => "no module at all".to_owned(),
        _ => modules.join(", "),
    }
}
