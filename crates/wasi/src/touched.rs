//! What calls touch: the parts of a world that they read, and those that they change.

use crate::answer::Called;
use crate::call::Call;
use crate::calls::{Asked, CREATE, TRUNCATE, all_asked, follows};
use crate::choice::ClockId;
use crate::errno::Errno;
use crate::function::{Function, WasiImport};
use crate::memory::Memory;
use crate::tree::{Found, Ino};
use crate::world::{Descriptor, Open, Output, World};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A part of a world. Files and folders are named by their inodes, whose numbers programs see one greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WorldPart {
    /// That the program goes on: all calls depend on it, and what ends the program changes it.
    Going,
    /// Which descriptors there are, and so the number of the next one.
    Numbers,
    /// Whether there is this descriptor, what it leads to, its rights and its flags.
    Descriptor(u32),
    /// Where it reads and writes next.
    Offset(u32),
    /// Which inodes there are, and so the number of the next one.
    Inodes,
    /// The bytes that files may still get. As long as there are enough for all, whoever takes or gives some only reads that
    /// there are; who takes more than half of them, or more than there are, counts as changing it.
    Room,
    /// Which folders lie in which.
    Folders,
    /// The bytes of a file.
    Content(u32),
    /// The names in a folder, and what they lead to; the folder above it.
    Entries(u32),
    /// How many names lead to an inode.
    Links(u32),
    /// When an inode was read, written and changed.
    Times(u32),
    /// The last reading of a clock.
    Clock(ClockId),
    /// The random bytes drawn.
    Random,
    /// Standard input, as far as it was read.
    Input,
    /// What was written to an output.
    Output(Output),
}

/// What a call touches: each part once, in order. What it changes it may also read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touches {
    /// The parts that it depends on and leaves as they are.
    pub reads: Vec<WorldPart>,
    /// The parts that it may change.
    pub writes: Vec<WorldPart>,
}

impl World {
    /// What a call touches if it is the next one, whatever is chosen for it but [`Told`](crate::Chosen::Told) and
    /// [`Replaced`](crate::Chosen::Replaced), which are others' doing. It may be more than the call comes to touch. Two calls
    /// neither of which changes what the other touches come to the same in either order, and so does the world.
    #[must_use]
    pub fn touched(&self, import: WasiImport, args: &[u64], memory: &dyn Memory) -> Touches {
        if args.len() != import.function.params().len() {
            // This is no call.
            return Touches::default();
        }
        let mut world = self.clone();
        let called = world.carry_out(import, args, memory, None);
        world.clone_from(self);
        let mut touching = Touching {
            call: Call {
                world: &mut world,
                memory,
                args,
                preview: import.preview,
                chosen: None,
                writes: Vec::new(),
                slept: 0,
            },
            touched: Touches::default(),
        };
        touching.reads(WorldPart::Going);
        // Where a call fails it touches no more.
        let _ = touching.function(import.function);
        let Touches {
            mut reads,
            mut writes,
        } = touching.touched;
        match called {
            Ok(Called::Exit(_) | Called::Trap(_)) => writes.push(WorldPart::Going),
            // What fails has changed nothing; but others' giving room would matter to it.
            Ok(Called::Answer(answer)) if answer.errno != Errno::Success => {
                let needs_room = writes.contains(&WorldPart::Room);
                reads.append(&mut writes);
                writes.extend(needs_room.then_some(WorldPart::Room));
            }
            _ => {}
        }
        writes.sort_unstable();
        writes.dedup();
        reads.sort_unstable();
        reads.dedup();
        reads.retain(|part| writes.binary_search(part).is_err());
        Touches { reads, writes }
    }
}

/// A call that is looked at.
struct Touching<'c> {
    call: Call<'c>,
    touched: Touches,
}

impl Touching<'_> {
    fn reads(&mut self, part: WorldPart) {
        self.touched.reads.push(part);
    }

    fn writes(&mut self, part: WorldPart) {
        self.touched.writes.push(part);
    }

    /// All that a call of this function touches; nothing where it fails before its end.
    fn function(&mut self, function: Function) -> Option<()> {
        let number = self.call.args.first().map_or(0, |cell| *cell as u32);
        match function {
            Function::ArgsGet
            | Function::ArgsSizesGet
            | Function::EnvironGet
            | Function::EnvironSizesGet
            | Function::ClockResGet
            | Function::ProcExit
            | Function::ProcRaise
            | Function::SchedYield => {}
            Function::ClockTimeGet => {
                self.writes(WorldPart::Clock(*ClockId::ALL.get(number as usize)?));
            }
            Function::RandomGet => self.writes(WorldPart::Random),
            Function::PollOneoff => self.poll()?,
            Function::SockAccept
            | Function::SockRecv
            | Function::SockSend
            | Function::SockShutdown
            | Function::FdAdvise
            | Function::FdDatasync
            | Function::FdSync
            | Function::FdFdstatGet
            | Function::FdPrestatGet
            | Function::FdPrestatDirName => self.reads(WorldPart::Descriptor(number)),
            Function::FdFdstatSetFlags | Function::FdFdstatSetRights => {
                self.writes(WorldPart::Descriptor(number));
            }
            Function::FdClose => self.close(number)?,
            Function::FdRenumber => self.renumber(number, self.call.small(1))?,
            _ if function.name().starts_with("path_") => self.path_of(function)?,
            _ => self.descriptor_of(function, number)?,
        }
        Some(())
    }

    /// What is done with what a descriptor leads to.
    fn descriptor_of(&mut self, function: Function, number: u32) -> Option<()> {
        let descriptor = self.descriptor(number)?;
        let ino = match descriptor.open {
            Open::Input if function == Function::FdRead => {
                self.writes(WorldPart::Input);
                return None;
            }
            Open::Output(output) if function == Function::FdWrite => {
                self.writes(WorldPart::Output(output));
                return None;
            }
            Open::Input | Open::Output(_) => return None,
            Open::Inode(ino) => ino,
        };
        match function {
            Function::FdRead => {
                self.reads(WorldPart::Content(ino));
                self.writes(WorldPart::Offset(number));
            }
            Function::FdPread => self.reads(WorldPart::Content(ino)),
            Function::FdWrite => {
                self.writes(WorldPart::Offset(number));
                self.write(ino, &descriptor, descriptor.offset)?;
            }
            Function::FdPwrite => self.write(ino, &descriptor, self.call.large(3))?,
            Function::FdSeek => {
                // Where the end is, if it is from there.
                self.reads(WorldPart::Content(ino));
                self.writes(WorldPart::Offset(number));
            }
            Function::FdTell => self.reads(WorldPart::Offset(number)),
            Function::FdReaddir => self.reads(WorldPart::Entries(ino)),
            Function::FdFilestatGet => self.status(ino),
            Function::FdFilestatSetTimes => self.set_times(ino),
            Function::FdFilestatSetSize => self.resize(ino, self.call.large(1)),
            Function::FdAllocate => {
                let end = self.call.large(1).saturating_add(self.call.large(2));
                let len = self.len(ino);
                self.resize(ino, end.max(len));
            }
            _ => {}
        }
        Some(())
    }

    /// What is done with paths.
    fn path_of(&mut self, function: Function) -> Option<()> {
        match function {
            Function::PathOpen => self.open()?,
            Function::PathFilestatGet => {
                let ino = self.named()?;
                self.status(ino);
            }
            Function::PathFilestatSetTimes => {
                let ino = self.named()?;
                self.set_times(ino);
            }
            Function::PathReadlink => {
                self.walk(0, 1, |_| false)?;
            }
            Function::PathCreateDirectory => {
                self.create(0, 1)?;
                self.writes(WorldPart::Folders);
            }
            Function::PathSymlink => self.create(2, 3)?,
            Function::PathLink => {
                let ino = self.walk(0, 2, |_| false)?.ino;
                // There may be too many, whatever the target is.
                self.touched.reads.extend(ino.map(WorldPart::Links));
                let target = self.walk(4, 5, |_| false)?;
                let ino = ino.filter(|_| target.ino.is_none())?;
                self.enter(target.entry?.0);
                self.writes(WorldPart::Links(ino));
                self.writes(WorldPart::Times(ino));
            }
            Function::PathUnlinkFile => {
                let found = self.walk(0, 1, |_| false)?;
                self.leave(found.entry?.0, found.ino?);
            }
            Function::PathRemoveDirectory => {
                let found = self.walk(0, 1, |_| false)?;
                let ino = found.ino?;
                self.reads(WorldPart::Entries(ino));
                self.leave(found.entry?.0, ino);
                self.writes(WorldPart::Folders);
            }
            Function::PathRename => self.rename()?,
            _ => {}
        }
        Some(())
    }

    fn poll(&mut self) -> Option<()> {
        for asked in all_asked(&self.call).ok()? {
            match asked {
                Asked::Time(clock, _) => {
                    self.touched
                        .reads
                        .extend(clock.map(|(clock, _)| WorldPart::Clock(clock)));
                    // Whoever has slept reads a later time.
                    self.writes(WorldPart::Clock(ClockId::Realtime));
                    self.writes(WorldPart::Clock(ClockId::Monotonic));
                }
                Asked::Stream { number, .. } => match self.descriptor(number).map(|it| it.open) {
                    Some(Open::Inode(ino)) => {
                        self.reads(WorldPart::Content(ino));
                        self.reads(WorldPart::Offset(number));
                    }
                    Some(Open::Input) => self.reads(WorldPart::Input),
                    Some(Open::Output(_)) | None => {}
                },
            }
        }
        Some(())
    }

    fn descriptor(&mut self, number: u32) -> Option<Arc<Descriptor>> {
        self.reads(WorldPart::Descriptor(number));
        self.call.world.descriptors.get(number).cloned()
    }

    /// Where a path leads from a descriptor, both by their arguments.
    fn walk(
        &mut self,
        descriptor: usize,
        path: usize,
        is_followed: impl Fn(&str) -> bool,
    ) -> Option<Found> {
        let Open::Inode(start) = self.descriptor(self.call.small(descriptor))?.open else {
            return None;
        };
        let path = self.call.path(path).ok()?;
        let call = &self.call;
        let reads = &mut self.touched.reads;
        let walked = call.world.tree.resolve_through(
            (start, &path),
            is_followed(&path),
            call.limits(),
            &mut |folder| reads.push(WorldPart::Entries(folder)),
        );
        walked.ok()
    }

    /// The inode that descriptor, flags and path name, the first four arguments.
    fn named(&mut self) -> Option<Ino> {
        let flags = self.call.small(1);
        self.walk(0, 2, |path| flags == 1 || path.ends_with('/'))?
            .ino
    }

    fn now(&mut self) {
        self.reads(WorldPart::Clock(ClockId::Realtime));
    }

    fn status(&mut self, ino: Ino) {
        self.reads(WorldPart::Content(ino));
        self.reads(WorldPart::Links(ino));
        self.reads(WorldPart::Times(ino));
    }

    fn set_times(&mut self, ino: Ino) {
        self.now();
        self.writes(WorldPart::Times(ino));
    }

    fn len(&self, ino: Ino) -> u64 {
        let content = self.call.world.tree.file(ino);
        content.map_or(0, |content| content.len())
    }

    fn write(&mut self, ino: Ino, descriptor: &Descriptor, offset: u64) -> Option<()> {
        let len = self.len(ino);
        let offset = if descriptor.appends() { len } else { offset };
        let written = self.call.buffers(1).ok()?.len;
        self.resize(ino, offset.saturating_add(u64::from(written)).max(len));
        Some(())
    }

    /// A file gets this size, with other bytes or not.
    fn resize(&mut self, ino: Ino, size: u64) {
        self.now();
        self.writes(WorldPart::Content(ino));
        self.writes(WorldPart::Times(ino));
        let (before, limits) = (self.len(ino), self.call.limits());
        let left = limits.bytes.saturating_sub(self.call.world.tree.bytes());
        if size != before {
            self.reads(WorldPart::Room);
        }
        // Of two that take no more than a half each both have room, whoever comes first.
        if size.saturating_sub(before) > left / 2 {
            self.writes(WorldPart::Room);
        }
    }

    /// Something new, by the path of two arguments.
    fn create(&mut self, descriptor: usize, path: usize) -> Option<()> {
        let found = self.walk(descriptor, path, |_| false)?;
        let (folder, _) = found.entry.filter(|_| found.ino.is_none())?;
        self.writes(WorldPart::Inodes);
        self.enter(folder);
        Some(())
    }

    fn enter(&mut self, folder: Ino) {
        self.now();
        // A folder that was removed takes nothing; who removes it reads that it is empty.
        self.writes(WorldPart::Entries(folder));
        self.writes(WorldPart::Times(folder));
    }

    fn leave(&mut self, folder: Ino, ino: Ino) {
        self.now();
        self.writes(WorldPart::Entries(folder));
        self.writes(WorldPart::Times(folder));
        self.writes(WorldPart::Links(ino));
        self.writes(WorldPart::Times(ino));
        self.drop_at(ino, 1);
    }

    /// An inode goes if no more than so many names lead to it.
    fn drop_at(&mut self, ino: Ino, names: u32) {
        let inode = self.call.world.tree.inode(ino);
        if inode.is_ok_and(|inode| inode.links <= names) {
            self.writes(WorldPart::Inodes);
            self.reads(WorldPart::Room);
        }
    }

    fn open(&mut self) -> Option<()> {
        let (lookup, how) = (self.call.small(1), self.call.small(4));
        let found = self.walk(0, 2, |path| follows(lookup, how, path))?;
        match (found.ino, found.entry) {
            (Some(ino), _) => {
                if how & TRUNCATE != 0 {
                    self.resize(ino, 0);
                }
            }
            (None, Some((folder, _))) if how & CREATE != 0 => {
                self.writes(WorldPart::Inodes);
                self.enter(folder);
            }
            _ => return None,
        }
        let number = self.call.world.descriptors.next();
        self.writes(WorldPart::Numbers);
        self.writes(WorldPart::Descriptor(number));
        self.writes(WorldPart::Offset(number));
        Some(())
    }

    fn close(&mut self, number: u32) -> Option<()> {
        let open = self.descriptor(number)?.open;
        self.writes(WorldPart::Numbers);
        self.writes(WorldPart::Descriptor(number));
        self.writes(WorldPart::Offset(number));
        self.release(open);
        Some(())
    }

    fn release(&mut self, open: Open) {
        if let Open::Inode(ino) = open {
            self.reads(WorldPart::Links(ino));
            self.drop_at(ino, 0);
        }
    }

    fn renumber(&mut self, from: u32, to: u32) -> Option<()> {
        self.descriptor(from)?;
        let replaced = self.descriptor(to)?.open;
        if from != to {
            self.close(from)?;
            self.writes(WorldPart::Descriptor(to));
            self.writes(WorldPart::Offset(to));
            self.release(replaced);
        }
        Some(())
    }

    fn rename(&mut self) -> Option<()> {
        let source = self.walk(0, 1, |_| false)?;
        let target = self.walk(3, 4, |_| false)?;
        let (ino, (from, _), (to, _)) = (source.ino?, source.entry?, target.entry?);
        self.enter(to);
        self.writes(WorldPart::Entries(from));
        self.writes(WorldPart::Times(from));
        self.writes(WorldPart::Times(ino));
        if let Some(replaced) = target.ino {
            self.reads(WorldPart::Entries(replaced));
            self.leave(to, replaced);
        }
        if self.call.world.tree.directory(ino).is_ok() {
            // The folder above it is another one.
            self.writes(WorldPart::Entries(ino));
            self.writes(WorldPart::Folders);
        }
        Some(())
    }
}
