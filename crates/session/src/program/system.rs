//! What a program finds that calls an operating system: read in once, never written to while it is debugged.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use borges_wasi::{Item, Setup, WorldLimits};

/// What stands before a kept setup, behind the board's text: to TOML a comment.
const KEPT: &str = "\n#wasi ";

/// What the user gives a program that calls an operating system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provided {
    /// Its arguments, without its own name.
    pub arguments: Vec<String>,
    /// Its environment.
    pub environment: Vec<(String, String)>,
    /// Folders of the host, each with the name that the program sees for it.
    pub folders: Vec<(PathBuf, String)>,
    /// What it reads from standard input.
    pub input: Vec<u8>,
    /// Which of standard input, output and error it finds to be terminals: what it prints then comes line by line.
    pub terminals: [bool; 3],
    /// The time at which it begins, in nanoseconds since 1970; without one, a fixed time.
    pub start: Option<u64>,
    /// What its random bytes depend on.
    pub seed: u64,
}

impl Provided {
    /// Reads the folders; `program` is the first argument.
    ///
    /// # Errors
    /// A file or folder cannot be read, which is named; or they are more than a program may have.
    pub fn setup(&self, program: &Path) -> io::Result<Setup> {
        let usual = Setup::default();
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let mut room = usual.limits.bytes;
        let mut folders = Vec::new();
        for (host, guest) in &self.folders {
            folders.push((guest.clone(), folder(host, &mut room)?));
        }
        Ok(Setup {
            arguments: [name.into_owned()]
                .into_iter()
                .chain(self.arguments.iter().cloned())
                .collect(),
            environment: self.environment.clone(),
            folders,
            input: self.input.clone(),
            terminals: self.terminals,
            start: self.start.unwrap_or(usual.start),
            seed: self.seed,
            ..usual
        })
    }
}

/// All that is in a folder; `room` is for so many bytes of files.
fn folder(path: &Path, room: &mut u64) -> io::Result<BTreeMap<String, Item>> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let mut items = BTreeMap::new();
    for entry in std::fs::read_dir(path).map_err(named)? {
        let entry = entry.map_err(named)?;
        let path = entry.path();
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let name = entry.file_name().into_string().map_err(|_| {
            named(io::Error::other(
                "its name is no text, and the names of WASI are",
            ))
        })?;
        let kind = entry.file_type().map_err(named)?;
        let item = if kind.is_dir() {
            Item::Folder(folder(&path, room)?)
        } else if kind.is_symlink() {
            let target = std::fs::read_link(&path).map_err(named)?;
            Item::Link(target.to_string_lossy().into_owned())
        } else if kind.is_file() {
            // Before it is read: what is too large must not be held.
            let length = entry.metadata().map_err(named)?.len();
            *room = room.checked_sub(length).ok_or_else(|| {
                named(io::Error::other(
                    "the files are more than a program may have (256 MiB)",
                ))
            })?;
            Item::File(std::fs::read(&path).map_err(named)?)
        } else {
            continue;
        };
        items.insert(name, item);
    }
    Ok(items)
}

/// The text of a board with what a program finds beside it, so that a session file opens elsewhere.
pub(super) fn kept(board: &str, setup: Option<&Setup>) -> String {
    let Some(setup) = setup else {
        return board.to_owned();
    };
    // Writing to memory cannot fail.
    let bytes = postcard::to_allocvec(setup).unwrap_or_default();
    format!("{board}{KEPT}{}", STANDARD_NO_PAD.encode(bytes))
}

/// The inverse of [`kept`].
pub(super) fn unkept(text: String) -> (String, Option<Setup>) {
    let Some((board, packed)) = text.rsplit_once(KEPT) else {
        return (text, None);
    };
    let bytes = STANDARD_NO_PAD.decode(packed).ok();
    match bytes.and_then(|bytes| postcard::from_bytes(&bytes).ok()) {
        Some(setup) => {
            // Whoever wrote the file does not say how much memory its program may take.
            let limits = WorldLimits::default();
            (board.to_owned(), Some(Setup { limits, ..setup }))
        }
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_found_is_kept_behind_the_board() {
        let setup = Setup {
            arguments: vec!["notes".to_owned(), "a \"b\"\n#wasi c".to_owned()],
            folders: vec![(
                "/data".to_owned(),
                BTreeMap::from([("a".to_owned(), Item::File((0..=255).collect()))]),
            )],
            ..Setup::default()
        };
        for board in ["", "name = \"x\"\n", "name = \"x\"\n#wasi of its own"] {
            assert_eq!(
                unkept(kept(board, Some(&setup))),
                (board.to_owned(), Some(setup.clone()))
            );
            assert_eq!(unkept(kept(board, None)), (board.to_owned(), None));
        }
    }

    #[test]
    fn a_file_does_not_say_how_much_memory_its_program_may_take() {
        let mut setup = Setup::default();
        setup.limits.bytes = u64::MAX;
        let (_, found) = unkept(kept("", Some(&setup)));
        assert_eq!(found, Some(Setup::default()));
    }

    #[test]
    fn a_folder_is_read_in_and_bounded() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path();
        std::fs::create_dir(path.join("sub")).expect("a folder");
        std::fs::write(path.join("sub/a"), b"12345").expect("a file");
        std::os::unix::fs::symlink("sub/a", path.join("link")).expect("a link");
        let items = super::folder(path, &mut 5).expect("it fits");
        let inside = BTreeMap::from([("a".to_owned(), Item::File(b"12345".to_vec()))]);
        let all = BTreeMap::from([
            ("link".to_owned(), Item::Link("sub/a".to_owned())),
            ("sub".to_owned(), Item::Folder(inside)),
        ]);
        assert_eq!(items, all);
        let error = super::folder(path, &mut 4).expect_err("one byte too many");
        assert!(error.to_string().contains("sub/a: "), "{error}");
    }
}
