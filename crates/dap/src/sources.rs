//! Where the files are that a program names: beside the program, where the user says, or only in its debug information.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

use borges_session::is_of_library;

use crate::protocol::answers::Source;
use crate::protocol::arguments;

/// How many folders above the program a source may lie.
const ABOVE: usize = 4;

/// The files of a program.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// The program's folder.
    folder: PathBuf,
    /// Prefix to folder, as the user says.
    map: BTreeMap<String, String>,
    /// Files that were looked for, with where they are.
    found: HashMap<String, Option<PathBuf>>,
    /// Those that are nowhere, by their numbers less one.
    numbered: Vec<String>,
}

impl Sources {
    pub(crate) fn new(program: &Path, map: BTreeMap<String, String>) -> Self {
        let folder = program.parent().unwrap_or(Path::new("."));
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        Self {
            folder,
            map,
            ..Self::default()
        }
    }

    /// Where a file is, as the program names it.
    pub(crate) fn path(&mut self, file: &str) -> Option<PathBuf> {
        if let Some(known) = self.found.get(file) {
            return known.clone();
        }
        let found = self.look_for(file);
        self.found.insert(file.to_owned(), found.clone());
        found
    }

    fn look_for(&self, file: &str) -> Option<PathBuf> {
        let mapped = self.map.iter().filter_map(|(prefix, folder)| {
            let rest = file.strip_prefix(prefix.as_str())?;
            Some(self.folder.join(folder).join(rest.trim_start_matches('/')))
        });
        let above = self.folder.ancestors().take(ABOVE);
        // A name that climbs out of where it is looked for is none of the program's own files.
        let plain = Path::new(file)
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let beside = above.filter(|_| plain).map(|folder| folder.join(file));
        let name = Path::new(file)
            .file_name()
            .map(|name| self.folder.join(name));
        let absolute = Path::new(file).is_absolute().then(|| PathBuf::from(file));
        let mut all = mapped.chain(absolute).chain(beside).chain(name);
        let there = all.find(|path| path.is_file())?;
        Some(there.canonicalize().unwrap_or(there))
    }

    /// A file for the client.
    pub(crate) fn source(&mut self, file: &str) -> Source {
        let name = file.rsplit('/').next().unwrap_or(file).to_owned();
        let hint = is_of_library(file).then_some("deemphasize");
        let source = Source {
            name,
            presentation_hint: hint,
            ..Source::default()
        };
        match self.path(file) {
            Some(path) => Source {
                path: Some(path.display().to_string()),
                ..source
            },
            None => Source {
                path: Some(file.to_owned()),
                source_reference: Some(self.number(file)),
                origin: Some("the program's debug information"),
                ..source
            },
        }
    }

    fn number(&mut self, file: &str) -> i64 {
        let known = self.numbered.iter().position(|known| known == file);
        let index = known.unwrap_or_else(|| {
            self.numbered.push(file.to_owned());
            self.numbered.len() - 1
        });
        index as i64 + 1
    }

    /// The file with a number.
    pub(crate) fn file_numbered(&self, number: i64) -> Option<&str> {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        self.numbered.get(index).map(String::as_str)
    }

    /// Which of the program's files a client means.
    pub(crate) fn file<'f>(
        &mut self,
        source: &arguments::Source,
        files: impl Iterator<Item = &'f str> + Clone,
    ) -> Option<String> {
        if let Some(number) = source.source_reference.filter(|number| *number > 0) {
            return self.file_numbered(number).map(str::to_owned);
        }
        let path = source.path.as_deref().or(source.name.as_deref())?;
        let path = path.strip_prefix("file://").unwrap_or(path);
        let wanted = Path::new(path);
        let canonical = wanted.canonicalize().unwrap_or_else(|_| wanted.to_owned());
        let mut same = files.clone();
        if let Some(file) = same.find(|file| self.path(file).is_some_and(|path| path == canonical))
        {
            return Some(file.to_owned());
        }
        // A copy of the file elsewhere: the one of whose path most is the same, from the end.
        let shared = |file: &&str| {
            let (theirs, ours) = (
                wanted.components().rev(),
                Path::new(*file).components().rev(),
            );
            theirs.zip(ours).take_while(|(a, b)| a == b).count()
        };
        let nearest = files.max_by_key(shared).filter(|file| shared(file) > 0);
        nearest.map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str) -> arguments::Source {
        arguments::Source {
            path: Some(path.to_owned()),
            ..arguments::Source::default()
        }
    }

    #[test]
    fn files_are_found_beside_the_program_and_by_what_their_paths_share() {
        let examples = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"));
        let program = examples.join("color-dial/color-dial.wasm");
        let mut sources = Sources::new(&program, BTreeMap::new());
        let file = "color-dial/color-dial.ts";
        let path = sources.path(file).expect("it is there");
        assert!(path.ends_with("examples/color-dial/color-dial.ts"));
        let files = [file, "~lib/rt/itcms.ts"];
        let found = sources.file(&named(&path.display().to_string()), files.into_iter());
        assert_eq!(found.as_deref(), Some(file));
        let found = sources.file(&named("/elsewhere/color-dial.ts"), files.into_iter());
        assert_eq!(found.as_deref(), Some(file));
        let found = sources.file(&named("/elsewhere/other.ts"), files.into_iter());
        assert_eq!(found, None);
        // What is nowhere has a number, always the same.
        let gone = sources.source("~lib/rt/itcms.ts");
        assert_eq!(gone.source_reference, Some(1));
        assert_eq!(sources.source("~lib/rt/itcms.ts"), gone);
        assert_eq!(sources.file_numbered(1), Some("~lib/rt/itcms.ts"));
        assert_eq!(sources.file_numbered(0), None);
        assert_eq!(sources.path("../../Cargo.toml"), None);
    }

    #[test]
    fn a_user_says_where_sources_are() {
        let examples = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"));
        let program = examples.join("color-dial/color-dial.wasm");
        let map = BTreeMap::from([("/build/src".to_owned(), "../blink".to_owned())]);
        let mut sources = Sources::new(&program, map);
        let path = sources.path("/build/src/blink.rs").expect("it is there");
        assert!(path.ends_with("examples/blink/blink.rs"));
    }
}
