//! Writes what a program did to its files to the folders of the host that it was given.

use std::fs;
use std::path::{Path, PathBuf};

use borges_wasi::{Item, Rewritten};
use thiserror::Error;

/// Why files are not as the program left them.
#[derive(Debug, Error)]
pub enum WriteBackError {
    /// Something else is there than when the folder was read in: nothing was written.
    #[error(
        "{} is no longer as the program found it: nothing was written back, so that nobody's work is lost",
        .0.display()
    )]
    Changed(PathBuf),
    /// The host refuses; what was written before stays.
    #[error("{}: {error}; {written} of {all} changes were written back before", path.display())]
    Refused {
        /// At which file or folder.
        path: PathBuf,
        /// What the host says.
        error: std::io::Error,
        /// How many changes were carried out.
        written: usize,
        /// How many there are.
        all: usize,
    },
}

/// Carries out what a program did to the files of its folders: `folders` are those of the host that were read in. All is
/// looked at first: where the host has something else than the program found, nothing is written. Returns what was
/// written, in order.
///
/// # Panics
/// If a change is about a folder that there is not.
pub(crate) fn write_back(
    folders: &[PathBuf],
    rewritten: &[Rewritten],
) -> Result<Vec<PathBuf>, WriteBackError> {
    for change in rewritten {
        untouched(&folders[change.folder], change).map_err(WriteBackError::Changed)?;
    }
    let mut written = Vec::new();
    for change in rewritten {
        let path = below(&folders[change.folder], &change.path);
        carry_out(&path, change).map_err(|error| WriteBackError::Refused {
            path: path.clone(),
            error,
            written: written.len(),
            all: rewritten.len(),
        })?;
        written.push(path);
    }
    Ok(written)
}

fn below(folder: &Path, names: &[String]) -> PathBuf {
    names
        .iter()
        .fold(folder.to_owned(), |path, name| path.join(name))
}

/// Whether the host still has what the program found, in real folders all the way: behind a link that somebody put there
/// since lies something else. Else the path at which it has not.
fn untouched(folder: &Path, change: &Rewritten) -> Result<(), PathBuf> {
    let mut path = folder.to_owned();
    for (index, name) in change.path.iter().enumerate() {
        let is_folder = match index {
            0 => path.is_dir(),
            _ => fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir()),
        };
        if !is_folder {
            return Err(path);
        }
        path.push(name);
    }
    let as_found = match &change.before {
        None => fs::symlink_metadata(&path).is_err(),
        Some(item) => is(&path, item),
    };
    if as_found { Ok(()) } else { Err(path) }
}

/// Whether this is what the host has at a path.
fn is(path: &Path, item: &Item) -> bool {
    match item {
        Item::File(bytes) => {
            let meta = fs::symlink_metadata(path);
            // The length first: what is large and other need not be read.
            meta.is_ok_and(|meta| meta.is_file() && meta.len() == bytes.len() as u64)
                && fs::read(path).is_ok_and(|found| found == *bytes)
        }
        Item::Link(target) => fs::read_link(path).is_ok_and(|found| found == Path::new(target)),
        Item::Folder(items) => {
            let is_folder = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir());
            let count = fs::read_dir(path).map_or(usize::MAX, Iterator::count);
            is_folder
                && count == items.len()
                && items.iter().all(|(name, item)| is(&path.join(name), item))
        }
    }
}

fn carry_out(path: &Path, change: &Rewritten) -> std::io::Result<()> {
    match (&change.before, &change.after) {
        // In its place, so that it keeps its mode and its other names.
        (Some(Item::File(_)), Some(Item::File(bytes))) => return fs::write(path, bytes),
        (Some(Item::Folder(_)), _) => fs::remove_dir_all(path)?,
        (Some(_), _) => fs::remove_file(path)?,
        (None, _) => {}
    }
    match &change.after {
        Some(item) => make(path, item),
        None => Ok(()),
    }
}

/// Makes what was not there.
fn make(path: &Path, item: &Item) -> std::io::Result<()> {
    match item {
        Item::File(bytes) => {
            let mut file = fs::File::create_new(path)?;
            std::io::Write::write_all(&mut file, bytes)
        }
        Item::Link(target) => link(target, path),
        Item::Folder(items) => {
            fs::create_dir(path)?;
            items
                .iter()
                .try_for_each(|(name, item)| make(&path.join(name), item))
        }
    }
}

#[cfg(unix)]
fn link(target: &str, path: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(not(unix))]
fn link(_target: &str, _path: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("links cannot be made on this system"))
}

#[cfg(test)]
mod tests {
    use borges_wasi::{Setup, World};

    use super::*;
    use crate::program::Provided;

    /// What a program of two folders makes of them: what differs between `before` and `after`.
    fn rewritten(before: &Path, after: &Path) -> Vec<Rewritten> {
        let [before, after] = [before, after].map(|folder| {
            let provided = Provided {
                folders: vec![(folder.to_owned(), "/".to_owned())],
                ..Provided::default()
            };
            let setup: Setup = provided
                .setup(Path::new("program"))
                .expect("it can be read");
            World::new(&setup).expect("a world")
        });
        before.rewritten(&after)
    }

    /// A folder with a file of each kind of change.
    fn one(path: &Path) {
        fs::create_dir_all(path.join("sub/inner")).unwrap();
        for (name, bytes) in [
            ("same", "s"),
            ("other", "before"),
            ("gone", "g"),
            ("sub/inner/x", "x"),
        ] {
            fs::write(path.join(name), bytes).unwrap();
        }
        link("same", &path.join("link")).unwrap();
        link("same", &path.join("becomes")).unwrap();
    }

    fn other(path: &Path) {
        fs::create_dir_all(path.join("new/inner")).unwrap();
        fs::create_dir(path.join("becomes")).unwrap();
        for (name, bytes) in [
            ("same", "s"),
            ("other", "afterwards"),
            ("sub", "a file in the place of a folder"),
            ("becomes/file", "in a folder in the place of a link"),
            ("new/inner/y", "y"),
        ] {
            fs::write(path.join(name), bytes).unwrap();
        }
        link("other", &path.join("link")).unwrap();
    }

    #[test]
    fn the_folder_becomes_as_the_program_left_it() {
        let folder = tempfile::tempdir().unwrap();
        let [before, after] = ["before", "after"].map(|name| folder.path().join(name));
        one(&before);
        other(&after);
        let changes = rewritten(&before, &after);
        let written = write_back(std::slice::from_ref(&before), &changes).expect("it is as it was");
        assert_eq!(written.len(), 6, "{written:?}");
        assert_eq!(rewritten(&before, &after), []);
        assert!(matches!(
            write_back(&[before], &changes),
            Err(WriteBackError::Changed(_))
        ));
    }

    #[test]
    fn nothing_is_written_over_what_somebody_else_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let meddling: [fn(&Path); 6] = [
            |path| fs::write(path.join("other"), "mine").unwrap(),
            |path| fs::write(path.join("new"), "mine").unwrap(),
            |path| fs::write(path.join("sub/inner/mine"), "mine").unwrap(),
            |path| fs::remove_file(path.join("gone")).unwrap(),
            |path| {
                fs::remove_file(path.join("link")).unwrap();
                link("elsewhere", &path.join("link")).unwrap();
            },
            |path| fs::remove_dir_all(path).unwrap(),
        ];
        for (index, meddle) in meddling.into_iter().enumerate() {
            let place = folder.path().join(index.to_string());
            let [before, after] = ["before", "after"].map(|name| place.join(name));
            one(&before);
            other(&after);
            let changes = rewritten(&before, &after);
            meddle(&before);
            let found = before.exists().then(|| rewritten(&before, &after));
            let error = write_back(std::slice::from_ref(&before), &changes);
            assert!(
                matches!(error, Err(WriteBackError::Changed(_))),
                "{index}: {error:?}"
            );
            assert_eq!(
                found,
                before.exists().then(|| rewritten(&before, &after)),
                "{index}"
            );
        }
    }

    #[test]
    fn a_folder_that_became_a_link_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let [before, after, outside] =
            ["before", "after", "outside"].map(|name| place.path().join(name));
        for (folder, bytes) in [(&before, "one"), (&after, "two"), (&outside, "one")] {
            fs::create_dir_all(folder.join("d")).unwrap();
            fs::write(folder.join("d/file"), bytes).unwrap();
        }
        let changes = rewritten(&before, &after);
        fs::remove_dir_all(before.join("d")).unwrap();
        link("../outside/d", &before.join("d")).unwrap();
        let error = write_back(std::slice::from_ref(&before), &changes);
        assert!(matches!(error, Err(WriteBackError::Changed(path)) if path == before.join("d")));
        assert_eq!(fs::read(outside.join("d/file")).unwrap(), b"one");
    }
}
