//! What a recording shows of the system that its program ran on: arguments, environment, input, and of the files what the
//! program came to see of them before it changed it.

use std::collections::{BTreeMap, BTreeSet};

use borges_stub::Call;
use borges_vm::Value;
use borges_wasi::{Function, Item, Setup};

use super::recording::RecordedCall;
use super::seen::Seen;

/// A path: the number of the folder that the program was given, and the names below it.
type Path = (usize, Vec<String>);

/// How `path_open` may make or empty a file.
const CREATE: u64 = 1;
const EXCLUSIVE: u64 = 4;
const TRUNCATE: u64 = 8;
/// Types of files.
const FOLDER: u8 = 3;
const FILE: u8 = 4;
const LINK: u8 = 7;

/// The bytes of a file, as far as they were seen.
#[derive(Default)]
struct File {
    /// Where it was at the start; nowhere if the program made it.
    at_start: Option<Path>,
    bytes: Vec<u8>,
    /// Parts of `bytes` that were seen: where each begins, and its end.
    seen: BTreeMap<u64, u64>,
    /// Parts that the program wrote: what is read there is its own.
    own: BTreeMap<u64, u64>,
    /// How many bytes it had, if that was seen before the program changed that.
    size: Option<u64>,
    /// Whether it was there at the start.
    was_there: bool,
}

/// An open descriptor.
#[derive(Clone)]
struct Open {
    path: Path,
    offset: u64,
    appends: bool,
}

/// What was learnt so far.
#[derive(Default)]
pub(super) struct Learnt {
    setup: Setup,
    sizes: BTreeMap<&'static str, (u32, u32)>,
    input: Vec<u8>,
    started: bool,
    open: BTreeMap<u64, Open>,
    files: Vec<File>,
    /// Files by the path that they have now.
    names: BTreeMap<Path, usize>,
    /// Folders and links that were there at the start.
    folders: BTreeSet<Path>,
    links: BTreeMap<Path, String>,
    /// What the program has removed, moved away or made itself: it says nothing of the start.
    touched: BTreeSet<Path>,
}

/// A call with the memory as it was left.
struct Done<'c> {
    call: &'c Call<'c>,
    seen: Seen<'c>,
}

impl Done<'_> {
    fn arg(&self, at: usize) -> u64 {
        self.seen.pointer(self.call, at).unwrap_or_default()
    }

    fn text(&self, pointer: usize) -> Option<String> {
        let (at, length) = (self.arg(pointer), self.arg(pointer + 1));
        String::from_utf8(self.seen.bytes(at, length)?).ok()
    }

    /// What a descriptor's last argument points to.
    fn word_at(&self, pointer: usize) -> Option<u32> {
        self.seen.word(self.arg(pointer))
    }

    fn byte_at(&self, address: u64) -> Option<u8> {
        self.seen.bytes(address, 1)?.first().copied()
    }
}

impl Learnt {
    /// Takes note of a call.
    pub(super) fn saw(&mut self, function: Function, call: &Call<'_>, recorded: &RecordedCall) {
        if recorded.results != [Value::I32(0)] {
            return;
        }
        let seen = Seen::new(call.memory, &recorded.writes);
        // A call that wrote elsewhere than it says teaches nothing.
        let _learnt = self.learn(function, &Done { call, seen });
    }

    fn learn(&mut self, function: Function, done: &Done<'_>) -> Option<()> {
        match function {
            Function::ArgsSizesGet | Function::EnvironSizesGet => {
                let of = [
                    ("args", Function::ArgsSizesGet),
                    ("env", Function::EnvironSizesGet),
                ];
                let (name, _) = of.into_iter().find(|(_, of)| *of == function)?;
                let sizes = (done.word_at(0)?, done.word_at(1)?);
                self.sizes.insert(name, sizes);
            }
            Function::ArgsGet => self.setup.arguments = self.texts("args", done)?,
            Function::EnvironGet => {
                let texts = self.texts("env", done)?;
                let pairs = texts.iter().filter_map(|text| text.split_once('='));
                let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
                self.setup.environment = pairs.collect();
            }
            Function::ClockTimeGet if done.arg(0) == 0 && !self.started => {
                self.started = true;
                self.setup.start = done.seen.long(done.arg(2))?;
            }
            Function::FdPrestatDirName => {
                let name = done.text(1)?.trim_end_matches('\0').to_owned();
                let path = (self.setup.folders.len(), Vec::new());
                self.setup.folders.push((name, BTreeMap::new()));
                self.open_at(done.arg(0), path, false);
            }
            _ => self.learn_of_files(function, done)?,
        }
        Some(())
    }

    /// Strings with a zero byte behind each, of which the sizes were asked for.
    fn texts(&self, name: &str, done: &Done<'_>) -> Option<Vec<String>> {
        let (count, size) = *self.sizes.get(name)?;
        let bytes = done.seen.bytes(done.arg(1), u64::from(size))?;
        let texts = bytes.split(|byte| *byte == 0).take(count as usize);
        Some(
            texts
                .map(|text| String::from_utf8_lossy(text).into_owned())
                .collect(),
        )
    }

    fn learn_of_files(&mut self, function: Function, done: &Done<'_>) -> Option<()> {
        match function {
            Function::PathOpen => self.opened(done)?,
            Function::FdClose => drop(self.open.remove(&done.arg(0))),
            Function::FdRenumber => {
                let moved = self.open.remove(&done.arg(0))?;
                self.open.insert(done.arg(1), moved);
            }
            Function::FdSeek | Function::FdTell => {
                let offset = done.seen.long(done.arg(done.call.args.len() - 1))?;
                let open = self.open.get_mut(&done.arg(0))?;
                open.offset = offset;
                // The end of a file that the program has not changed is its size.
                if function == Function::FdSeek && done.arg(2) == 2 && done.arg(1) == 0 {
                    let path = open.path.clone();
                    self.sized(&path, offset);
                }
            }
            Function::FdRead if done.arg(0) == 0 => self.input.extend(done.seen.read(done.call)?),
            Function::FdRead | Function::FdPread => self.read(function, done)?,
            Function::FdWrite | Function::FdPwrite => self.wrote(function, done)?,
            Function::FdFilestatSetSize | Function::FdAllocate => {
                let path = self.open.get(&done.arg(0))?.path.clone();
                let file = self.file(&path);
                let from = done.arg(1);
                file.size.get_or_insert(file.bytes.len() as u64);
                add(&mut file.own, from, u64::MAX);
            }
            Function::FdFilestatGet => {
                let path = self.open.get(&done.arg(0))?.path.clone();
                self.stat(&path, done.arg(1), done)?;
            }
            Function::PathFilestatGet => {
                let path = self.path(done, 0, 2)?;
                self.stat(&path, done.arg(4), done)?;
            }
            Function::FdReaddir => self.listed(done)?,
            _ => self.learn_of_names(function, done)?,
        }
        Some(())
    }

    fn learn_of_names(&mut self, function: Function, done: &Done<'_>) -> Option<()> {
        match function {
            Function::PathReadlink => {
                let path = self.path(done, 0, 1)?;
                let length = u64::from(done.word_at(5)?);
                // What did not fit is not known.
                if length < done.arg(4) && !self.touched.contains(&path) {
                    let target = done.seen.bytes(done.arg(3), length)?;
                    self.links.insert(path, String::from_utf8(target).ok()?);
                }
            }
            Function::PathCreateDirectory | Function::PathRemoveDirectory => {
                let path = self.path(done, 0, 1)?;
                if function == Function::PathRemoveDirectory && !self.touched.contains(&path) {
                    self.folders.insert(path.clone());
                }
                self.touched.insert(path);
            }
            Function::PathUnlinkFile => {
                let path = self.path(done, 0, 1)?;
                // What is removed was there, and if nothing made it since, so it was at the start.
                let is_known = self.names.contains_key(&path) || self.links.contains_key(&path);
                if !is_known && !self.touched.contains(&path) {
                    self.file(&path).was_there = true;
                }
                self.names.remove(&path);
                self.touched.insert(path);
            }
            Function::PathSymlink => {
                let path = self.path(done, 2, 3)?;
                self.touched.insert(path);
            }
            Function::PathRename => {
                let (from, to) = (self.path(done, 0, 1)?, self.path(done, 3, 4)?);
                if !self.folders.contains(&from) {
                    self.file(&from);
                }
                let is_below = |path: &Path| path.0 == from.0 && path.1.starts_with(&from.1);
                let moved: Vec<Path> = self
                    .names
                    .keys()
                    .filter(|path| is_below(path))
                    .cloned()
                    .collect();
                for path in moved {
                    let file = self.names.remove(&path)?;
                    let mut names = to.1.clone();
                    names.extend_from_slice(&path.1[from.1.len()..]);
                    self.names.insert((to.0, names), file);
                    self.touched.insert(path);
                }
                self.touched.extend([from, to]);
            }
            _ => {}
        }
        Some(())
    }

    /// The path that a call names: a descriptor, and a text.
    fn path(&self, done: &Done<'_>, descriptor: usize, text: usize) -> Option<Path> {
        let (root, mut names) = self.open.get(&done.arg(descriptor))?.path.clone();
        for name in done.text(text)?.split('/') {
            match name {
                "" | "." => {}
                ".." => drop(names.pop()?),
                name => names.push(name.to_owned()),
            }
        }
        Some((root, names))
    }

    fn open_at(&mut self, descriptor: u64, path: Path, appends: bool) {
        let open = Open {
            path,
            offset: 0,
            appends,
        };
        self.open.insert(descriptor, open);
    }

    fn opened(&mut self, done: &Done<'_>) -> Option<()> {
        let path = self.path(done, 0, 2)?;
        let how = done.arg(4);
        let descriptor = u64::from(done.word_at(8)?);
        self.open_at(descriptor, path.clone(), done.arg(7) & 1 != 0);
        if how & 2 != 0 {
            self.folder(path);
            return Some(());
        }
        if how & (CREATE | TRUNCATE) == 0 {
            // A file or a folder: what is done with it says which.
            return Some(());
        }
        let file = self.file(&path);
        if how & EXCLUSIVE != 0 {
            file.at_start = None;
        }
        file.was_there |= how & CREATE == 0;
        if how & TRUNCATE != 0 {
            file.size.get_or_insert(file.bytes.len() as u64);
            add(&mut file.own, 0, u64::MAX);
        }
        Some(())
    }

    /// A folder that was there at the start, unless the program has changed what is there.
    fn folder(&mut self, path: Path) {
        if !self.touched.contains(&path) {
            self.folders.insert(path);
        }
    }

    /// The file that has a path now.
    fn file(&mut self, path: &Path) -> &mut File {
        let at = match self.names.get(path) {
            Some(at) => *at,
            None => {
                self.files.push(File {
                    at_start: (!self.touched.contains(path)).then(|| path.clone()),
                    ..File::default()
                });
                self.names.insert(path.clone(), self.files.len() - 1);
                self.files.len() - 1
            }
        };
        &mut self.files[at]
    }

    /// A file was seen to have so many bytes.
    fn sized(&mut self, path: &Path, size: u64) {
        let file = self.file(path);
        if file.own.is_empty() && file.size.is_none() {
            file.size = Some(size);
            file.was_there |= size > 0;
        }
    }

    fn read(&mut self, function: Function, done: &Done<'_>) -> Option<()> {
        let bytes = done.seen.read(done.call)?;
        let open = self.open.get_mut(&done.arg(0))?;
        let at = match function {
            Function::FdPread => done.arg(3),
            _ => {
                let at = open.offset;
                open.offset += bytes.len() as u64;
                at
            }
        };
        let path = open.path.clone();
        self.file(&path).saw(at, &bytes);
        Some(())
    }

    fn wrote(&mut self, function: Function, done: &Done<'_>) -> Option<()> {
        let count = u64::from(done.word_at(done.call.args.len() - 1)?);
        let open = self.open.get_mut(&done.arg(0))?;
        let at = match function {
            Function::FdPwrite => done.arg(3),
            // Nobody says where the end is; what was there was not changed.
            _ if open.appends => u64::MAX - count,
            _ => {
                let at = open.offset;
                open.offset += count;
                at
            }
        };
        let path = open.path.clone();
        let file = self.file(&path);
        add(&mut file.own, at, at.saturating_add(count));
        Some(())
    }

    /// Statistics of a file were written to an address.
    fn stat(&mut self, path: &Path, address: u64, done: &Done<'_>) -> Option<()> {
        match done.byte_at(address + 16)? {
            FOLDER => self.folder(path.clone()),
            FILE if !self.touched.contains(path) || self.names.contains_key(path) => {
                let size = done.seen.long(address + 32)?;
                let file = self.file(path);
                file.was_there |= file.own.is_empty();
                self.sized(path, size);
            }
            _ => {}
        }
        Some(())
    }

    /// A folder was listed.
    fn listed(&mut self, done: &Done<'_>) -> Option<()> {
        let path = self.open.get(&done.arg(0))?.path.clone();
        self.folder(path.clone());
        let bytes = done.seen.bytes(done.arg(1), u64::from(done.word_at(4)?))?;
        let mut rest = &bytes[..];
        while let Some((entry, after)) = rest.split_at_checked(24) {
            let length = u32::from_le_bytes(*entry[16..].first_chunk()?) as usize;
            // The last name may be cut off.
            let (name, after) = after.split_at_checked(length)?;
            rest = after;
            let name = String::from_utf8(name.to_vec()).ok()?;
            let mut path = path.clone();
            path.1.push(name);
            if [".", ".."].contains(&path.1.last()?.as_str()) || self.touched.contains(&path) {
                continue;
            }
            match entry[20] {
                FOLDER => self.folder(path),
                LINK => drop(self.links.entry(path).or_default()),
                _ => self.file(&path).was_there = true,
            }
        }
        Some(())
    }

    /// A system that begins as far as it was learnt, and what was not seen of it, in words.
    pub(super) fn setup(mut self) -> (Setup, Vec<String>) {
        let mut unknown = Vec::new();
        for (root, names) in &self.folders {
            place(&mut self.setup, *root, names, Item::Folder(BTreeMap::new()));
        }
        for ((root, names), target) in &self.links {
            place(&mut self.setup, *root, names, Item::Link(target.clone()));
        }
        for mut file in self.files {
            let Some((root, names)) = file.at_start.take() else {
                continue;
            };
            if !file.was_there && file.seen.is_empty() {
                continue;
            }
            let most = self.setup.limits.file_bytes;
            let size = file
                .size
                .unwrap_or(0)
                .max(file.bytes.len() as u64)
                .min(most);
            let seen: u64 = file.seen.iter().map(|(from, to)| to - from).sum();
            if seen < size || file.size.is_none() {
                let name = self.setup.folders.get(root).map_or("", |(name, _)| name);
                unknown.push(match file.size {
                    Some(_) => format!("{name}/{}: {seen} of {size} bytes", names.join("/")),
                    None => format!(
                        "{name}/{}: {seen} bytes, and not where it ends",
                        names.join("/")
                    ),
                });
            }
            file.bytes
                .resize(usize::try_from(size).unwrap_or_default(), 0);
            place(&mut self.setup, root, &names, Item::File(file.bytes));
        }
        self.setup.input = self.input;
        (self.setup, unknown)
    }
}

impl File {
    /// Bytes of it were read; what the program wrote itself is left out.
    fn saw(&mut self, at: u64, bytes: &[u8]) {
        self.was_there |= self.own.is_empty() && !bytes.is_empty();
        let end = at.saturating_add(bytes.len() as u64);
        if bytes.is_empty() {
            // The end was reached, or the place is past it.
            if self.own.is_empty() && at == self.bytes.len() as u64 {
                self.size.get_or_insert(at);
            }
            return;
        }
        let mut from = at;
        let mut parts = Vec::new();
        for (own, until) in &self.own {
            if *own < end && *until > from {
                parts.push(from..(*own).max(from));
                from = *until;
            }
        }
        parts.push(from..end.max(from));
        for part in parts.into_iter().filter(|part| part.start < part.end) {
            let (start, stop) = (part.start as usize, part.end as usize);
            if self.bytes.len() < stop {
                self.bytes.resize(stop, 0);
            }
            let given = &bytes[(part.start - at) as usize..(part.end - at) as usize];
            self.bytes[start..stop].copy_from_slice(given);
            add(&mut self.seen, part.start, part.end);
            self.was_there = true;
        }
    }
}

/// Adds a part to parts that do not touch each other.
fn add(parts: &mut BTreeMap<u64, u64>, from: u64, to: u64) {
    if from >= to {
        return;
    }
    let (mut from, mut to) = (from, to);
    let touching: Vec<(u64, u64)> = parts
        .range(..=to)
        .filter(|(_, end)| **end >= from)
        .map(|(start, end)| (*start, *end))
        .collect();
    for (start, end) in touching {
        parts.remove(&start);
        from = from.min(start);
        to = to.max(end);
    }
    parts.insert(from, to);
}

/// Puts something into a folder that the program was given, with the folders on the way to it.
fn place(setup: &mut Setup, root: usize, names: &[String], item: Item) {
    let Some((_, mut folder)) = setup
        .folders
        .get_mut(root)
        .map(|(name, items)| (name, items))
    else {
        return;
    };
    let Some((last, above)) = names.split_last() else {
        return;
    };
    for name in above {
        let next = folder
            .entry(name.clone())
            .or_insert_with(|| Item::Folder(BTreeMap::new()));
        match next {
            Item::Folder(items) => folder = items,
            _ => return,
        }
    }
    if !matches!(folder.get(last), Some(Item::Folder(_))) {
        folder.insert(last.clone(), item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_touch_are_one() {
        let mut parts = BTreeMap::new();
        for (from, to) in [(10, 20), (30, 40), (5, 5), (20, 25), (41, 50)] {
            add(&mut parts, from, to);
        }
        assert_eq!(parts, BTreeMap::from([(10, 25), (30, 40), (41, 50)]));
        add(&mut parts, 0, 41);
        assert_eq!(parts, BTreeMap::from([(0, 50)]));
    }

    #[test]
    fn of_what_is_read_the_program_s_own_bytes_say_nothing_of_the_start() {
        let mut file = File::default();
        add(&mut file.own, 2, 4);
        add(&mut file.own, 6, 9);
        file.saw(0, b"01xx45yy");
        assert_eq!(file.bytes, b"01\0\x0045");
        assert_eq!(file.seen, BTreeMap::from([(0, 2), (4, 6)]));
        // The end of what it wrote itself is not where the file ended.
        file.saw(9, b"");
        assert_eq!((file.size, file.was_there), (None, true));
        let mut untouched = File::default();
        untouched.saw(0, b"all");
        untouched.saw(3, b"");
        assert_eq!(untouched.size, Some(3));
    }

    #[test]
    fn what_was_not_seen_is_said() {
        let mut learnt = Learnt::default();
        learnt
            .setup
            .folders
            .push(("/data".to_owned(), BTreeMap::new()));
        let path = |name: &str| (0, vec!["sub".to_owned(), name.to_owned()]);
        learnt.folders.insert((0, vec!["sub".to_owned()]));
        learnt.links.insert(path("link"), "whole".to_owned());
        learnt.file(&path("whole")).saw(0, b"abc");
        learnt.sized(&path("whole"), 3);
        learnt.file(&path("part")).saw(1, b"b");
        learnt.sized(&path("part"), 4);
        learnt.file(&path("open")).saw(0, b"o");
        // The program made it.
        learnt.touched.insert(path("own"));
        learnt.file(&path("own")).saw(0, b"own");
        let (setup, unknown) = learnt.setup();
        let file = |bytes: &[u8]| Item::File(bytes.to_vec());
        let items = BTreeMap::from([
            ("link".to_owned(), Item::Link("whole".to_owned())),
            ("open".to_owned(), file(b"o")),
            ("part".to_owned(), file(b"\0b\0\0")),
            ("whole".to_owned(), file(b"abc")),
        ]);
        assert_eq!(setup.folders[0].1["sub"], Item::Folder(items));
        let wanted = [
            "/data/sub/part: 1 of 4 bytes",
            "/data/sub/open: 1 bytes, and not where it ends",
        ];
        assert_eq!(unknown, wanted);
    }
}
