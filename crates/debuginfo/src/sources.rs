//! Source files: where their text comes from and how their paths are compared.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Largest source file or source map that is read, in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 16 << 20;

/// Most source files of one module.
const MAX_FILES: usize = 1 << 14;

/// Most bytes of source text of one module: a hostile one can name one large file many times.
const MAX_TEXT_BYTES: usize = 128 << 20;

/// Most components of a path that are looked at, from its end.
const MAX_COMPONENTS: usize = 24;

/// Finds the files that debug information names.
pub trait SourceProvider {
    /// The contents of `path`, which is relative to the module unless the compiler wrote an
    /// absolute one; `None` if there is no such file or it must not be read.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
}

/// Finds nothing: only embedded sources are shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSources;

impl SourceProvider for NoSources {
    fn read(&self, _path: &str) -> Option<Vec<u8>> {
        None
    }
}

/// Files in memory, by path. For tests, and for programs that were uploaded with their sources.
impl SourceProvider for HashMap<String, Vec<u8>> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.get(path).cloned()
    }
}

/// Finds files under some folders, and nowhere else.
///
/// A path is first looked up as it stands below each folder, then without its first component, and
/// so on: a program that was compiled elsewhere, or from the folder above, still finds its sources.
/// A module is not trusted: a path that leads out of the folders finds nothing, and a file of more than 16 MiB
/// is not read to its end; it then counts as too large.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    roots: Vec<PathBuf>,
}

impl Folders {
    /// The folder that a module lies in, and the one above: compilers often run one folder up.
    pub fn around(module: &Path) -> Folders {
        let mut folders = Folders::default();
        let beside = module.parent().map_or(Path::new("."), |parent| {
            if parent.as_os_str().is_empty() {
                Path::new(".")
            } else {
                parent
            }
        });
        folders.add(beside);
        folders.add(&beside.join(".."));
        folders
    }

    /// Adds a folder to search. One that does not exist is left out.
    pub fn add(&mut self, folder: &Path) {
        if let Ok(root) = folder.canonicalize()
            && !self.roots.contains(&root)
        {
            self.roots.push(root);
        }
    }

    fn read_file(&self, path: &Path) -> Option<Vec<u8>> {
        let path = path.canonicalize().ok()?;
        let inside = self.roots.iter().any(|root| path.starts_with(root));
        let metadata = path.metadata().ok()?;
        if !inside || !metadata.is_file() {
            return None;
        }
        // One byte too many tells that the file is too large.
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).ok()?;
        let read = file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
        read.is_ok().then_some(bytes)
    }
}

impl SourceProvider for Folders {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let path = Path::new(path);
        let below = |rest: &Path| {
            let mut roots = self.roots.iter();
            roots.find_map(|root| self.read_file(&root.join(rest)))
        };
        // As it stands, however many components it has. Below a folder, an absolute path is itself: that is one look.
        let (bytes, looked_at) = match path.is_absolute() {
            true => (self.read_file(path), 0),
            false => (below(path), 1),
        };
        if bytes.is_some() {
            return bytes;
        }
        let parts: Vec<Component<'_>> = path
            .components()
            .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
            .collect();
        let first = parts.len().saturating_sub(MAX_COMPONENTS).max(looked_at);
        (first..parts.len()).find_map(|skipped| {
            let rest: PathBuf = parts.get(skipped..)?.iter().collect();
            below(&rest)
        })
    }
}

/// A source file of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A source file's path and, if it was found, its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path as the compiler wrote it, without `.` and needless `..`.
    pub path: String,
    /// Its text: embedded in the debug information, or found by its path.
    pub text: Option<Arc<str>>,
}

impl SourceFile {
    /// Line `line`, counted from 1, without its line break.
    pub fn line(&self, line: u32) -> Option<&str> {
        self.text
            .as_deref()?
            .lines()
            .nth(line.checked_sub(1)? as usize)
    }
}

/// As many names as a message bears.
fn first_of(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let more = names.len().saturating_sub(SHOWN);
    let shown = names.get(..SHOWN).unwrap_or(names).join(", ");
    match more {
        0 if names.is_empty() => "none: the program carries no debug information".to_owned(),
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Why a file could not be found by (a part of) its path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// No file's path ends like this.
    #[error("no source file is called {name}; there is {}", first_of(files))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The files that there are.
        files: Vec<String>,
    },
    /// Several files' paths end like this.
    #[error("{name} may be {}: write more of the path", .candidates.join(" or "))]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// The files it may mean.
        candidates: Vec<String>,
    },
}

/// The source files of a module, each once.
#[derive(Debug, Default)]
pub(crate) struct Files {
    files: Vec<SourceFile>,
    by_path: HashMap<String, FileId>,
    text_bytes: usize,
    /// A text was found and left out, as it is too large.
    text_left_out: bool,
}

impl Files {
    /// The id of the file with this path; `text`, if the debug information embeds it, wins over
    /// what the provider finds. `None` if there are too many files already.
    pub(crate) fn intern(
        &mut self,
        path: &str,
        text: Option<&str>,
        provider: &dyn SourceProvider,
    ) -> Option<FileId> {
        let path = tidy(path);
        if let Some(&id) = self.by_path.get(&path) {
            if let Some(text) = text
                && self.file(id).is_some_and(|file| file.text.is_none())
            {
                let text = self.kept(text.into());
                if let Some(file) = self.files.get_mut(id.0 as usize) {
                    file.text = text;
                }
            }
            return Some(id);
        }
        if self.files.len() >= MAX_FILES {
            return None;
        }
        let text: Option<Arc<str>> = match text {
            Some(text) => Some(text.into()),
            None => self.found(&path, provider),
        };
        let text = text.and_then(|text| self.kept(text));
        let id = FileId(self.files.len() as u32);
        self.files.push(SourceFile {
            path: path.clone(),
            text,
        });
        self.by_path.insert(path, id);
        Some(id)
    }

    /// The text that a provider has for a path.
    fn found(&mut self, path: &str, provider: &dyn SourceProvider) -> Option<Arc<str>> {
        let bytes = provider.read(path)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            self.text_left_out = true;
            return None;
        }
        String::from_utf8(bytes).ok().map(Arc::from)
    }

    /// The text, if there is room for it.
    fn kept(&mut self, text: Arc<str>) -> Option<Arc<str>> {
        if self.text_bytes + text.len() > MAX_TEXT_BYTES {
            self.text_left_out = true;
            return None;
        }
        self.text_bytes += text.len();
        Some(text)
    }

    /// True if a text was left out, as it or all of them are too large.
    pub(crate) fn text_left_out(&self) -> bool {
        self.text_left_out
    }

    pub(crate) fn all(&self) -> &[SourceFile] {
        &self.files
    }

    pub(crate) fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// The one file whose path is `name`, or else ends in it at a component's boundary.
    pub(crate) fn find(&self, name: &str) -> Result<FileId, FileError> {
        let name = tidy(name);
        if let Some(&id) = self.by_path.get(&name) {
            return Ok(id);
        }
        let ends = |path: &str| {
            path.strip_suffix(name.as_str())
                .is_some_and(|before| before.ends_with('/'))
        };
        let found: Vec<usize> = (0..self.files.len())
            .filter(|&i| ends(&self.files[i].path))
            .collect();
        match found.as_slice() {
            [] => Err(FileError::Unknown {
                name,
                files: self.files.iter().map(|file| file.path.clone()).collect(),
            }),
            [one] => Ok(FileId(*one as u32)),
            several => Err(FileError::Ambiguous {
                candidates: several
                    .iter()
                    .map(|&i| self.files[i].path.clone())
                    .collect(),
                name,
            }),
        }
    }
}

/// A path with `/` between its components, without `.`, empty components and needless `..`.
pub(crate) fn tidy(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|&last| last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

/// `path` seen from `base`, if it is relative.
pub(crate) fn join(base: &str, path: &str) -> String {
    let absolute = path.starts_with('/') || path.get(1..3).is_some_and(|p| p == ":\\" || p == ":/");
    if absolute || base.is_empty() {
        path.to_owned()
    } else {
        format!("{base}/{path}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_tidied() {
        assert_eq!(tidy("././../wiring/wiring.h"), "../wiring/wiring.h");
        assert_eq!(tidy("smart-curtain/../wiring/wiring.h"), "wiring/wiring.h");
        assert_eq!(tidy("/a//b/../c"), "/a/c");
        assert_eq!(tidy("..\\x\\..\\..\\y"), "../../y");
    }

    #[test]
    fn files_are_found_by_the_end_of_their_path() {
        let mut files = Files::default();
        for path in ["a/main.c", "b/main.c", "b/other.c"] {
            files.intern(path, None, &NoSources);
        }
        assert_eq!(files.find("other.c"), Ok(FileId(2)));
        assert_eq!(files.find("b/main.c"), Ok(FileId(1)));
        assert!(matches!(
            files.find("ain.c"),
            Err(FileError::Unknown { .. })
        ));
        let Err(FileError::Ambiguous { candidates, .. }) = files.find("main.c") else {
            panic!("two files are called main.c");
        };
        assert_eq!(candidates, ["a/main.c", "b/main.c"]);
    }

    #[test]
    fn folders_do_not_read_outside() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path();
        let inside = dir.join("inside");
        std::fs::create_dir_all(inside.join("src")).unwrap();
        std::fs::write(dir.join("secret"), "no").unwrap();
        std::fs::write(inside.join("src/a.c"), "yes").unwrap();
        let mut folders = Folders::default();
        folders.add(&inside);
        assert_eq!(folders.read("src/a.c"), Some(b"yes".to_vec()));
        assert_eq!(
            folders.read("/build/elsewhere/src/a.c"),
            Some(b"yes".to_vec())
        );
        assert_eq!(folders.read("../secret"), None);
        assert_eq!(folders.read(dir.join("secret").to_str().unwrap()), None);
    }

    fn below(folder: &Path) -> Folders {
        let mut folders = Folders::default();
        folders.add(folder);
        folders
    }

    #[test]
    fn the_largest_file_is_read_and_a_larger_one_is_not() {
        let scratch = tempfile::tempdir().unwrap();
        for (bytes, fits) in [(MAX_FILE_BYTES, true), (MAX_FILE_BYTES + 1, false)] {
            let file = std::fs::File::create(scratch.path().join("a.c")).unwrap();
            file.set_len(bytes).unwrap();
            let mut files = Files::default();
            let id = files.intern("a.c", None, &below(scratch.path())).unwrap();
            let text = files.file(id).unwrap().text.as_ref();
            assert_eq!(text.map(|text| text.len() as u64), fits.then_some(bytes));
            assert_eq!(files.text_left_out(), !fits);
        }
    }

    #[test]
    fn all_texts_share_their_room() {
        for (text, fits) in [("four", true), ("fives", false)] {
            // The text comes with the file, or later for a file that is known.
            for known in [false, true] {
                let mut files = Files {
                    text_bytes: MAX_TEXT_BYTES - 4,
                    ..Files::default()
                };
                if known {
                    files.intern("a.c", None, &NoSources);
                }
                let id = files.intern("a.c", Some(text), &NoSources).unwrap();
                let kept = files.file(id).unwrap().text.as_deref();
                assert_eq!(kept, fits.then_some(text));
                assert_eq!(files.text_left_out(), !fits);
            }
        }
    }

    #[test]
    fn so_many_files_have_a_number() {
        let mut files = Files::default();
        let mut intern = |number: usize| files.intern(&number.to_string(), None, &NoSources);
        for number in 0..MAX_FILES {
            assert_eq!(intern(number), Some(FileId(number as u32)));
        }
        assert_eq!(intern(MAX_FILES), None);
        assert_eq!(intern(0), Some(FileId(0)));
    }

    #[test]
    fn the_end_of_a_path_is_looked_for_from_so_many_components() {
        let scratch = tempfile::tempdir().unwrap();
        for (count, found) in [(MAX_COMPONENTS, true), (MAX_COMPONENTS + 1, false)] {
            let folder = vec!["d"; count - 1].join("/");
            std::fs::create_dir_all(scratch.path().join(&folder)).unwrap();
            let path = format!("{folder}/{count}.c");
            std::fs::write(scratch.path().join(&path), "yes").unwrap();
            let read = below(scratch.path()).read(&format!("elsewhere/{path}"));
            assert_eq!(read.is_some(), found);
            // One that stands there as it is asked for is found anyway.
            assert!(below(scratch.path()).read(&path).is_some());
        }
    }

    #[test]
    fn a_message_names_so_many_files() {
        let names = |count| (0..count).map(|n| n.to_string()).collect::<Vec<_>>();
        assert_eq!(first_of(&names(6)), "0, 1, 2, 3, 4, 5");
        assert_eq!(first_of(&names(7)), "0, 1, 2, 3, 4, 5 and 1 more");
    }
}
