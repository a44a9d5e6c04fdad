//! A program made of calls: a world, 64 KiB of memory, and functions by name.

use borges_wasi::{
    BadPointer, Called, Chosen, Errno, Function, Item, Preview, Setup, Wants, WasiImport, World,
};
use std::collections::BTreeMap;

/// Where paths, buffers and answers lie.
pub const PATH: u64 = 0x1000;
pub const OTHER_PATH: u64 = 0x3000;
pub const BUFFER: u64 = 0x8000;
pub const LIST: u64 = 0x100;
pub const OUT: u64 = 0x200;

pub struct Desk {
    pub world: World,
    pub memory: Vec<u8>,
    pub preview: Preview,
    /// What is chosen for the next calls; otherwise what is usual.
    pub chosen: Option<Chosen>,
}

/// A folder with these files.
pub fn folder(files: &[(&str, &str)]) -> BTreeMap<String, Item> {
    let file = |text: &str| Item::File(text.as_bytes().to_vec());
    files
        .iter()
        .map(|(name, text)| ((*name).to_string(), file(text)))
        .collect()
}

impl Desk {
    /// A world whose descriptor 3 is an empty folder `/`.
    pub fn new() -> Desk {
        Desk::over(Setup {
            folders: vec![("/".to_string(), BTreeMap::new())],
            ..Setup::default()
        })
    }

    pub fn over(setup: Setup) -> Desk {
        Desk {
            world: World::new(&setup).unwrap(),
            memory: vec![0; 0x10000],
            preview: Preview::One,
            chosen: None,
        }
    }

    /// What a call comes to, with what it writes written.
    pub fn called(&mut self, name: &str, args: &[u64]) -> Called {
        let import = WasiImport::find(self.preview.module(), name).unwrap();
        let mut chosen = self.chosen.clone();
        loop {
            let called = self
                .world
                .call(import, args, &self.memory.as_slice(), chosen.as_ref())
                .unwrap();
            match called {
                Called::Wants(wants) if chosen.is_none() => chosen = Some(self.world.usual(&wants)),
                Called::Answer(answer) => {
                    for write in &answer.writes {
                        self.put(u64::from(write.address), &write.bytes);
                    }
                    return Called::Answer(answer);
                }
                called => return called,
            }
        }
    }

    /// The result of a call that returns.
    pub fn errno(&mut self, name: &str, args: &[u64]) -> Errno {
        match self.called(name, args) {
            Called::Answer(answer) => answer.errno,
            called => panic!("{name}: {called:?}"),
        }
    }

    /// A call that must succeed.
    pub fn ok(&mut self, name: &str, args: &[u64]) {
        assert_eq!(self.errno(name, args), Errno::Success, "{name} {args:?}");
    }

    /// What a call wants to know.
    pub fn wants(&mut self, name: &str, args: &[u64]) -> Wants {
        let import = WasiImport::find(self.preview.module(), name).unwrap();
        match self.world.call(import, args, &self.memory.as_slice(), None) {
            Ok(Called::Wants(wants)) => wants,
            called => panic!("{name}: {called:?}"),
        }
    }

    /// The trap that a call comes to.
    pub fn trap(&mut self, name: &str, args: &[u64]) -> BadPointer {
        match self.called(name, args) {
            Called::Trap(pointer) => pointer,
            called => panic!("{name}: {called:?}"),
        }
    }

    pub fn put(&mut self, at: u64, bytes: &[u8]) {
        self.memory[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
    }

    pub fn get(&self, at: u64, len: usize) -> &[u8] {
        &self.memory[at as usize..at as usize + len]
    }

    pub fn small(&self, at: u64) -> u32 {
        u32::from_le_bytes(self.get(at, 4).try_into().unwrap())
    }

    pub fn large(&self, at: u64) -> u64 {
        u64::from_le_bytes(self.get(at, 8).try_into().unwrap())
    }

    /// Puts a path into memory: address and length.
    pub fn path(&mut self, path: &str) -> [u64; 2] {
        self.put(PATH, path.as_bytes());
        [PATH, path.len() as u64]
    }

    /// Puts a second path into memory.
    pub fn other_path(&mut self, path: &str) -> [u64; 2] {
        self.put(OTHER_PATH, path.as_bytes());
        [OTHER_PATH, path.len() as u64]
    }

    /// Calls a function that takes a descriptor and a path.
    pub fn at(&mut self, name: &str, fd: u64, path: &str) -> Errno {
        let [pointer, len] = self.path(path);
        self.errno(name, &[fd, pointer, len])
    }

    /// Opens a path with all rights but writing: lookup flags, how, flags of the descriptor.
    pub fn open_as(
        &mut self,
        fd: u64,
        path: &str,
        lookup: u64,
        how: u64,
        flags: u64,
    ) -> Result<u64, Errno> {
        self.open_with(fd, path, lookup, how, ALL & !WRITE, flags)
    }

    /// Opens a path with these rights.
    pub fn open_with(
        &mut self,
        fd: u64,
        path: &str,
        lookup: u64,
        how: u64,
        rights: u64,
        flags: u64,
    ) -> Result<u64, Errno> {
        let [pointer, len] = self.path(path);
        match self.errno(
            "path_open",
            &[fd, lookup, pointer, len, how, rights, ALL, flags, OUT],
        ) {
            Errno::Success => Ok(u64::from(self.small(OUT))),
            errno => Err(errno),
        }
    }

    /// Makes or opens a file to read and write.
    pub fn file(&mut self, path: &str) -> u64 {
        self.open_with(3, path, 1, 1, ALL, 0).unwrap()
    }

    /// Writes bytes where the descriptor is: how many went.
    pub fn write(&mut self, fd: u64, bytes: &[u8]) -> Result<u32, Errno> {
        self.put(BUFFER, bytes);
        self.transfer("fd_write", &[fd], bytes.len())
    }

    /// Reads bytes where the descriptor is.
    pub fn read(&mut self, fd: u64, len: usize) -> Result<Vec<u8>, Errno> {
        let len = self.transfer("fd_read", &[fd], len)?;
        Ok(self.get(BUFFER, len as usize).to_vec())
    }

    pub fn write_at(&mut self, fd: u64, offset: u64, bytes: &[u8]) -> Result<u32, Errno> {
        self.put(BUFFER, bytes);
        self.transfer("fd_pwrite", &[fd, offset], bytes.len())
    }

    pub fn read_at(&mut self, fd: u64, offset: u64, len: usize) -> Result<Vec<u8>, Errno> {
        let len = self.transfer("fd_pread", &[fd, offset], len)?;
        Ok(self.get(BUFFER, len as usize).to_vec())
    }

    fn transfer(&mut self, name: &str, args: &[u64], len: usize) -> Result<u32, Errno> {
        let mut list = (BUFFER as u32).to_le_bytes().to_vec();
        list.extend_from_slice(&(len as u32).to_le_bytes());
        self.put(LIST, &list);
        let mut all = vec![args[0], LIST, 1];
        all.extend_from_slice(&args[1..]);
        all.push(OUT);
        match self.errno(name, &all) {
            Errno::Success => Ok(self.small(OUT)),
            errno => Err(errno),
        }
    }

    /// Where a seek leads: `whence` 0 from the start, 1 from here, 2 from the end.
    pub fn seek(&mut self, fd: u64, delta: i64, whence: u64) -> Result<u64, Errno> {
        match self.errno("fd_seek", &[fd, delta as u64, whence, OUT]) {
            Errno::Success => Ok(self.large(OUT)),
            errno => Err(errno),
        }
    }

    /// Size and links of what a path names.
    pub fn stat(&mut self, path: &str, lookup: u64) -> Result<Stat, Errno> {
        let [pointer, len] = self.path(path);
        match self.errno("path_filestat_get", &[3, lookup, pointer, len, OUT]) {
            Errno::Success => Ok(Stat {
                inode: self.large(OUT + 8),
                kind: self.get(OUT + 16, 1)[0],
                links: self.large(OUT + 24),
                size: self.large(OUT + 32),
                modified: self.large(OUT + 48),
            }),
            errno => Err(errno),
        }
    }

    /// The names of a folder, as they come, read with a buffer of so many bytes.
    pub fn list(&mut self, fd: u64, buffer: u64) -> Result<Vec<String>, Errno> {
        let mut names = Vec::new();
        let mut cookie = 0;
        loop {
            let errno = self.errno("fd_readdir", &[fd, BUFFER, buffer, cookie, OUT]);
            if errno != Errno::Success {
                return Err(errno);
            }
            let used = u64::from(self.small(OUT));
            let mut at = 0;
            while at + 24 <= used {
                let len = u64::from(self.small(BUFFER + at + 16));
                if at + 24 + len > used {
                    break;
                }
                cookie = self.large(BUFFER + at);
                let name = self.get(BUFFER + at + 24, len as usize).to_vec();
                names.push(String::from_utf8(name).unwrap());
                at += 24 + len;
            }
            if used < buffer {
                return Ok(names);
            }
            assert!(at > 0, "no name fits {buffer} bytes");
        }
    }
}

pub struct Stat {
    pub inode: u64,
    pub kind: u8,
    pub links: u64,
    pub size: u64,
    pub modified: u64,
}

/// All rights, and some by name.
pub const ALL: u64 = 0x1fff_ffff;
pub const READ: u64 = 1 << 1;
pub const SEEK: u64 = 1 << 2;
pub const TELL: u64 = 1 << 5;
pub const WRITE: u64 = 1 << 6;

/// How to open.
pub const CREATE: u64 = 1;
pub const DIRECTORY: u64 = 2;
pub const EXCLUSIVE: u64 = 4;
pub const TRUNCATE: u64 = 8;

/// Numbers of the kinds.
pub const FOLDER: u8 = 3;
pub const FILE: u8 = 4;
pub const LINK: u8 = 7;

/// The functions with their imports.
pub fn imports() -> impl Iterator<Item = WasiImport> {
    Function::ALL.iter().map(|function| WasiImport {
        preview: Preview::One,
        function: *function,
    })
}
