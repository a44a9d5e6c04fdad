//! The state of a world.

use crate::choice::{Chosen, ClockId, Wants};
use crate::limits::WorldLimits;
use crate::rights;
use crate::setup::{Item, Setup, SetupError};
use crate::store::{Content, Digest, Hasher, Held, Numbered};
use crate::tree::{Data, Directory, Ino, Name, Times, Tree, is_name};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use twox_hash::XxHash3_64;

/// A world: files, descriptors, streams and clocks of a program. One value that is cheap to clone and shares what it
/// can with its clones: to go back is to take an older value.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) fixed: Arc<Fixed>,
    pub(crate) tree: Tree,
    pub(crate) descriptors: Numbered<Arc<Descriptor>>,
    /// The last readings, clock by clock.
    pub(crate) clocks: [u64; 4],
    /// How many bytes of standard input were read.
    pub(crate) input_read: u64,
    /// How many random bytes were drawn.
    pub(crate) drawn: u64,
    /// What was written to standard output and to standard error.
    pub(crate) written: [Content; 2],
    /// By path, the last time that somebody outside replaced a file.
    pub(crate) replacements: Arc<BTreeMap<Name, u64>>,
}

/// What never changes.
#[derive(Debug, PartialEq)]
pub(crate) struct Fixed {
    /// Each argument with a zero byte behind it.
    pub(crate) arguments: Vec<Vec<u8>>,
    /// Each variable as `name=value` with a zero byte behind it.
    pub(crate) environment: Vec<Vec<u8>>,
    pub(crate) input: Vec<u8>,
    pub(crate) terminals: [bool; 3],
    pub(crate) seed: u64,
    pub(crate) limits: WorldLimits,
    /// The folders that the program was given, by name.
    roots: Vec<(Name, Ino)>,
}

/// So many bytes of standard input were read where there will be no more.
const INPUT_OVER: u64 = u64::MAX;

/// An output of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Output {
    /// Standard output.
    Standard,
    /// Standard error.
    Error,
}

impl Output {
    /// Both, in the order of their numbers.
    pub const ALL: [Output; 2] = [Output::Standard, Output::Error];
}

/// What a descriptor leads to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Open {
    Input,
    Output(Output),
    /// A file or a directory.
    Inode(Ino),
}

/// An open descriptor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Descriptor {
    pub(crate) open: Open,
    /// The name that the program sees, for a folder that it was given.
    #[serde(serialize_with = "put_name", deserialize_with = "take_name")]
    pub(crate) given: Option<Name>,
    pub(crate) base: u64,
    pub(crate) inheriting: u64,
    pub(crate) flags: u16,
    pub(crate) offset: u64,
}

fn put_name<S: Serializer>(name: &Option<Name>, to: S) -> Result<S::Ok, S::Error> {
    name.as_deref().serialize(to)
}

fn take_name<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Name>, D::Error> {
    Option::<String>::deserialize(from).map(|name| name.map(Name::from))
}

/// The flag that makes every write one at the end.
const APPEND: u16 = 1;

impl Descriptor {
    /// Whether every write is one at the end.
    pub(crate) fn appends(&self) -> bool {
        self.flags & APPEND != 0
    }
}

impl Digest for Arc<Descriptor> {
    fn digest(&self) -> u64 {
        let mut hasher = Hasher::default();
        hasher.word(match self.open {
            Open::Input => 0,
            Open::Output(Output::Standard) => 1,
            Open::Output(Output::Error) => 2,
            Open::Inode(ino) => 3 + u64::from(ino),
        });
        hasher.bytes(self.given.as_deref().unwrap_or("").as_bytes());
        hasher.word(self.base);
        hasher.word(self.inheriting);
        hasher.word(u64::from(self.flags));
        hasher.word(self.offset);
        hasher.finish()
    }
}

impl Held for Arc<Descriptor> {
    fn pieces(&self, visit: &mut dyn FnMut(usize, usize) -> bool) {
        visit(Arc::as_ptr(self) as usize, size_of::<Descriptor>());
    }

    fn beyond(&self, other: Option<&Arc<Descriptor>>) -> usize {
        let shared = other.is_some_and(|other| Arc::ptr_eq(self, other));
        if shared { 0 } else { size_of::<Descriptor>() }
    }
}

impl World {
    /// Visits what it holds: addresses with sizes in bytes, what worlds share at the same address. A piece is looked
    /// into if `visit` says so: who has seen it before has seen what is in it. What never changes is not visited.
    pub fn for_each_piece(&self, visit: &mut dyn FnMut(usize, usize) -> bool) {
        self.tree.pieces(visit);
        self.descriptors.pieces(visit);
        self.written
            .iter()
            .for_each(|written| written.pieces(visit));
    }

    /// The bytes that it holds and `before` does not, at the most: what is shared at another place counts as well. Takes
    /// as long as there is something that is not shared. For tests of what a snapshot costs.
    #[must_use]
    pub fn bytes_beyond(&self, before: &World) -> usize {
        let written = self.written.iter().zip(&before.written);
        let written: usize = written.map(|(now, then)| now.beyond(Some(then))).sum();
        size_of::<World>()
            + self.tree.beyond(Some(&before.tree))
            + self.descriptors.beyond(Some(&before.descriptors))
            + written
    }
}

impl World {
    /// A world as a program finds it.
    ///
    /// # Errors
    /// [`SetupError`] for names that cannot be and for more than the limits allow.
    pub fn new(setup: &Setup) -> Result<World, SetupError> {
        let mut tree = Tree::default();
        let mut roots = Vec::new();
        for (name, items) in &setup.folders {
            let root = tree.create(
                Data::Directory(Arc::new(Directory::new(0))),
                Times::new(setup.start),
            );
            tree.adopt(root);
            fill(&mut tree, root, items, setup, 0)?;
            roots.push((Name::from(name.as_str()), root));
        }
        at_most("bytes of files", tree.bytes(), setup.limits.bytes)?;
        let mut descriptors = Numbered::default();
        let streams = [
            (Open::Input, rights::FD_READ),
            (Open::Output(Output::Standard), rights::FD_WRITE),
            (Open::Output(Output::Error), rights::FD_WRITE),
        ];
        for (open, right) in streams {
            descriptors.insert(Arc::new(Descriptor {
                open,
                given: None,
                base: right | rights::STREAM,
                inheriting: 0,
                flags: 0,
                offset: 0,
            }));
        }
        for (name, root) in &roots {
            descriptors.insert(Arc::new(Descriptor {
                open: Open::Inode(*root),
                given: Some(name.clone()),
                base: rights::DIRECTORY,
                inheriting: rights::DIRECTORY | rights::FILE,
                flags: 0,
                offset: 0,
            }));
        }
        at_most(
            "descriptors",
            descriptors.len() as u64,
            u64::from(setup.limits.descriptors),
        )?;
        let arguments = setup.arguments.iter().map(|argument| text(argument));
        let variables = setup.environment.iter().map(|(name, value)| {
            if name.is_empty() || name.contains('=') {
                return Err(SetupError::Text(name.clone()));
            }
            text(&format!("{name}={value}"))
        });
        Ok(World {
            fixed: Arc::new(Fixed {
                arguments: arguments.collect::<Result<_, _>>()?,
                environment: variables.collect::<Result<_, _>>()?,
                input: setup.input.clone(),
                terminals: setup.terminals,
                seed: setup.seed,
                limits: setup.limits,
                roots,
            }),
            tree,
            descriptors,
            clocks: [setup.start, 0, 0, 0],
            input_read: 0,
            drawn: 0,
            written: [Content::default(), Content::default()],
            replacements: Arc::default(),
        })
    }

    /// What happens if nobody says otherwise: time stands still, standard input is [`Setup::input`] in pieces as large
    /// as are asked for, random bytes follow from [`Setup::seed`], and what is ready first is the first alternative.
    #[must_use]
    pub fn usual(&self, wants: &Wants) -> Chosen {
        match wants {
            Wants::Time { .. } => Chosen::Later(0),
            Wants::Random { bytes } => Chosen::Bytes(self.random(*bytes)),
            Wants::Input { at_most } => {
                let input = &self.fixed.input;
                let start = usize::try_from(self.input_read)
                    .map_or(input.len(), |read| read.min(input.len()));
                let end = input.len().min(start.saturating_add(*at_most as usize));
                Chosen::Bytes(input[start..end].to_vec())
            }
            Wants::Ready { .. } => Chosen::Ready(0),
        }
    }

    fn random(&self, count: u32) -> Vec<u8> {
        (0..u64::from(count))
            .map(|at| {
                let word = (self.drawn + at).to_le_bytes();
                XxHash3_64::oneshot_with_seed(self.fixed.seed, &word) as u8
            })
            .collect()
    }

    /// The last reading of a clock, or when the world began.
    #[must_use]
    pub fn clock(&self, clock: ClockId) -> u64 {
        self.clocks[clock as usize]
    }

    /// What was written to an output so far.
    #[must_use]
    pub fn output(&self, output: Output) -> &Content {
        &self.written[output as usize]
    }

    /// How many bytes were written to each of [`Output::ALL`] so far.
    #[must_use]
    pub fn printed(&self) -> [u64; 2] {
        Output::ALL.map(|output| self.output(output).len())
    }

    /// What was written since [`World::printed`] said `before`: each output that got something, with its bytes.
    pub fn printed_since(&self, before: [u64; 2]) -> impl Iterator<Item = (Output, Vec<u8>)> {
        let written = Output::ALL.into_iter().zip(before);
        written
            .map(|(output, before)| (output, self.output(output).read(before, usize::MAX)))
            .filter(|(_, bytes)| !bytes.is_empty())
    }

    /// Whether it was given any standard input.
    #[must_use]
    pub fn has_input(&self) -> bool {
        !self.fixed.input.is_empty()
    }

    /// How many bytes of standard input were read.
    #[must_use]
    pub fn input_read(&self) -> u64 {
        self.input_read
    }

    /// Whether [`World::influence`] was told that standard input is over.
    #[must_use]
    pub fn input_is_over(&self) -> bool {
        self.input_read == INPUT_OVER
    }

    /// The part of it that what is to come depends on: nothing of what was printed, which no program can read (so no limit
    /// of that is ever met). Of standard input that may be anything, `input_is_over` says what is left to know, whether
    /// there will be more; without it, as many bytes were read as were.
    #[must_use]
    pub fn influence(&self, input_is_over: Option<bool>) -> World {
        let input_read = match input_is_over {
            Some(true) => INPUT_OVER,
            Some(false) => 0,
            None => self.input_read,
        };
        World {
            written: [Content::default(), Content::default()],
            input_read,
            ..self.clone()
        }
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> &WorldLimits {
        &self.fixed.limits
    }

    /// How many inodes there are, and how many bytes their files have.
    #[must_use]
    pub fn size(&self) -> (usize, u64) {
        (self.tree.len(), self.tree.bytes())
    }

    /// The time of what happens to files: the last reading of the clock, so that nothing needs to be asked.
    pub(crate) fn now(&self) -> u64 {
        self.clock(ClockId::Realtime)
    }

    /// The folders that the program was given, as they are now.
    #[must_use]
    pub fn folders(&self) -> Vec<(String, BTreeMap<String, Item>)> {
        self.fixed
            .roots
            .iter()
            .map(|(name, root)| (name.to_string(), self.items(*root)))
            .collect()
    }

    fn items(&self, ino: Ino) -> BTreeMap<String, Item> {
        let Ok(directory) = self.tree.directory(ino) else {
            return BTreeMap::new();
        };
        directory
            .entries()
            .filter_map(|(name, ino)| Some((name.to_string(), self.item(ino)?)))
            .collect()
    }

    /// What an inode has, with all that is in it.
    pub(crate) fn item(&self, ino: Ino) -> Option<Item> {
        Some(match &self.tree.inode(ino).ok()?.data {
            Data::File(content) => Item::File(content.to_vec()),
            Data::Link(target) => Item::Link(target.to_string()),
            Data::Directory(_) => Item::Folder(self.items(ino)),
        })
    }

    /// The roots, by name.
    pub(crate) fn roots(&self) -> impl Iterator<Item = (&Name, Ino)> {
        self.fixed.roots.iter().map(|(name, root)| (name, *root))
    }
}

fn at_most(what: &'static str, count: u64, most: u64) -> Result<(), SetupError> {
    if count > most {
        return Err(SetupError::TooMuch { what, count, most });
    }
    Ok(())
}

fn text(text: &str) -> Result<Vec<u8>, SetupError> {
    if text.contains('\0') {
        return Err(SetupError::Text(text.to_string()));
    }
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    Ok(bytes)
}

/// Makes the items of a folder.
fn fill(
    tree: &mut Tree,
    directory: Ino,
    items: &BTreeMap<String, Item>,
    setup: &Setup,
    depth: u32,
) -> Result<(), SetupError> {
    at_most(
        "folders within each other",
        u64::from(depth),
        u64::from(setup.limits.depth),
    )?;
    for (name, item) in items {
        if !is_name(name, setup.limits.name_bytes) {
            return Err(SetupError::Name(name.clone()));
        }
        at_most(
            "files and folders",
            tree.len() as u64 + 1,
            u64::from(setup.limits.inodes),
        )?;
        let data = match item {
            Item::File(bytes) => {
                at_most(
                    "bytes of a file",
                    bytes.len() as u64,
                    setup.limits.file_bytes,
                )?;
                Data::File(Content::new(bytes))
            }
            Item::Folder(_) => Data::Directory(Arc::new(Directory::new(directory))),
            Item::Link(target) => Data::Link(Arc::from(target.as_str())),
        };
        let ino = tree.create(data, Times::new(setup.start));
        tree.enter(directory, Name::from(name.as_str()), ino, setup.start);
        if let Item::Folder(items) = item {
            fill(tree, ino, items, setup, depth + 1)?;
        }
    }
    Ok(())
}

impl PartialEq for World {
    /// By content: what a program could find out, and what [`World::usual`] will answer.
    fn eq(&self, other: &World) -> bool {
        (Arc::ptr_eq(&self.fixed, &other.fixed) || self.fixed == other.fixed)
            && self.clocks == other.clocks
            && self.input_read == other.input_read
            && self.drawn == other.drawn
            && self.descriptors == other.descriptors
            && self.written == other.written
            && self.tree == other.tree
    }
}

impl World {
    /// A hash of everything that changes: equal for equal states on every machine. What did not change since it was
    /// last hashed is not looked at.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hasher = Hasher::default();
        for reading in self.clocks {
            hasher.word(reading);
        }
        hasher.word(self.input_read);
        hasher.word(self.drawn);
        hasher.word(self.descriptors.digest());
        for written in &self.written {
            hasher.word(written.digest());
        }
        hasher.word(self.tree.digest());
        hasher.finish()
    }
}

impl core::hash::Hash for World {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.state_hash());
    }
}

impl Eq for World {}
