//! A call on its way: its arguments, the memory, what it will answer.

use crate::choice::{Chosen, Misuse, Wants};
use crate::errno::Errno;
use crate::function::Preview;
use crate::limits::WorldLimits;
use crate::memory::{BadPointer, Memory, MemoryWrite};
use crate::rights;
use crate::tree::Ino;
use crate::world::{Descriptor, Open, World};
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Why a call ends before its end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    Errno(Errno),
    Trap(BadPointer),
    Wants(Wants),
    Exit(u32),
    Misuse(Misuse),
}

impl From<Errno> for Stop {
    fn from(errno: Errno) -> Stop {
        Stop::Errno(errno)
    }
}

/// What functions return: whoever returns something else than `Ok` has changed nothing.
pub(crate) type Done<T = ()> = Result<T, Stop>;

/// A call on its way.
pub(crate) struct Call<'c> {
    pub(crate) world: &'c mut World,
    pub(crate) memory: &'c dyn Memory,
    pub(crate) args: &'c [u64],
    pub(crate) preview: Preview,
    pub(crate) chosen: Option<&'c Chosen>,
    pub(crate) writes: Vec<MemoryWrite>,
    /// How long the program slept, in nanoseconds.
    pub(crate) slept: u64,
}

/// Buffers of a read or write.
pub(crate) struct Buffers {
    pub(crate) parts: Vec<(u64, u64)>,
    /// The bytes of all of them together, within the limit of one transfer.
    pub(crate) len: u32,
}

impl Call<'_> {
    /// An argument of 32 bits.
    pub(crate) fn small(&self, index: usize) -> u32 {
        self.args[index] as u32
    }

    /// An argument of 64 bits.
    pub(crate) fn large(&self, index: usize) -> u64 {
        self.args[index]
    }

    /// A pointer, or a length of bytes.
    pub(crate) fn pointer(&self, index: usize) -> u64 {
        u64::from(self.small(index))
    }

    pub(crate) fn limits(&self) -> &WorldLimits {
        &self.world.fixed.limits
    }

    /// Bytes of the memory.
    pub(crate) fn bytes(&self, address: u64, len: u64) -> Done<&[u8]> {
        self.memory
            .bytes(address, len)
            .ok_or(Stop::Trap(BadPointer::OutOfBounds { address, len }))
    }

    /// Sees to it that so many bytes can be written later.
    pub(crate) fn place(&self, address: u64, len: u64, align: u32) -> Done {
        if !address.is_multiple_of(u64::from(align)) {
            return Err(Stop::Trap(BadPointer::Misaligned { address, align }));
        }
        match address.checked_add(len) {
            Some(end) if end <= self.memory.size() => Ok(()),
            _ => Err(Stop::Trap(BadPointer::OutOfBounds { address, len })),
        }
    }

    /// A number of the memory.
    pub(crate) fn number<const N: usize>(&self, address: u64) -> Done<u64> {
        let bytes = self.bytes(address, N as u64)?;
        let mut wide = [0; 8];
        wide[..N].copy_from_slice(bytes);
        Ok(u64::from_le_bytes(wide))
    }

    /// Writes bytes to a place that was seen to.
    pub(crate) fn write(&mut self, address: u64, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            self.writes.push(MemoryWrite {
                address: address as u32,
                bytes,
            });
        }
    }

    /// Writes a number of 32 bits to a place that was seen to.
    pub(crate) fn write_small(&mut self, address: u64, number: u32) {
        self.write(address, number.to_le_bytes().to_vec());
    }

    /// Writes a number of 64 bits to a place that was seen to.
    pub(crate) fn write_large(&mut self, address: u64, number: u64) {
        self.write(address, number.to_le_bytes().to_vec());
    }

    /// A path of the memory.
    pub(crate) fn path(&self, pointer: usize) -> Done<String> {
        let len = self.pointer(pointer + 1);
        let bytes = self.bytes(self.pointer(pointer), len)?;
        if len > u64::from(self.limits().path_bytes) {
            return Err(Errno::Nametoolong.into());
        }
        let path = core::str::from_utf8(bytes).map_err(|_| Errno::Ilseq)?;
        if path.contains('\0') {
            return Err(Errno::Inval.into());
        }
        Ok(path.to_string())
    }

    /// An open descriptor.
    pub(crate) fn descriptor(&self, index: usize) -> Done<&Arc<Descriptor>> {
        let number = self.small(index);
        Ok(self.world.descriptors.get(number).ok_or(Errno::Badf)?)
    }

    /// A descriptor that has these rights.
    pub(crate) fn allowed(&self, index: usize, rights: u64) -> Done<&Arc<Descriptor>> {
        let descriptor = self.descriptor(index)?;
        match rights & !descriptor.base {
            0 => Ok(descriptor),
            // As POSIX says it of a file that was not opened for that.
            missing if missing & (rights::FD_READ | rights::FD_WRITE) != 0 => {
                Err(Errno::Badf.into())
            }
            _ => Err(Errno::Notcapable.into()),
        }
    }

    /// The directory of a descriptor that has these rights.
    pub(crate) fn directory(&self, index: usize, rights: u64) -> Done<Ino> {
        let Open::Inode(ino) = self.descriptor(index)?.open else {
            return Err(Errno::Notdir.into());
        };
        self.world.tree.directory(ino)?;
        self.allowed(index, rights)?;
        Ok(ino)
    }

    /// The file of a descriptor that has these rights, with the descriptor; a directory is none (`EBADF`, as in wasmtime).
    pub(crate) fn file(&self, index: usize, rights: u64) -> Done<(Ino, Arc<Descriptor>)> {
        let Open::Inode(ino) = self.descriptor(index)?.open else {
            return Err(Errno::Spipe.into());
        };
        if self.world.tree.directory(ino).is_ok() {
            return Err(Errno::Badf.into());
        }
        let descriptor = self.allowed(index, rights)?.clone();
        Ok((ino, descriptor))
    }

    /// Changes a descriptor.
    pub(crate) fn change(&mut self, index: usize, change: impl FnOnce(&mut Descriptor)) {
        let number = self.small(index);
        self.world
            .descriptors
            .change(number, |descriptor| change(Arc::make_mut(descriptor)));
    }

    /// The buffers that a list in memory names, each within the memory.
    pub(crate) fn buffers(&self, list: usize) -> Done<Buffers> {
        let count = self.small(list + 1);
        if count > self.limits().buffers {
            return Err(Errno::Inval.into());
        }
        let base = self.pointer(list);
        self.place(base, u64::from(count) * 8, 4)?;
        let mut buffers = Buffers {
            parts: Vec::with_capacity(count as usize),
            len: 0,
        };
        let most = u64::from(self.limits().transfer_bytes);
        for at in 0..u64::from(count) {
            let address = self.number::<4>(base + at * 8)?;
            let len = self.number::<4>(base + at * 8 + 4)?;
            self.place(address, len, 1)?;
            let len = len.min(most - u64::from(buffers.len));
            buffers.len += len as u32;
            buffers.parts.push((address, len));
        }
        Ok(buffers)
    }

    /// At most how many of `len` bytes are moved: fewer if that was chosen.
    pub(crate) fn short(&self, len: u32) -> Done<u32> {
        match self.chosen {
            None => Ok(len),
            Some(Chosen::Short(most)) if *most > 0 => Ok(len.min(*most)),
            Some(_) => Err(self.misuse(None)),
        }
    }

    /// The first `len` bytes of some buffers.
    pub(crate) fn gather(&self, buffers: &Buffers, len: u32) -> Done<Vec<u8>> {
        let mut bytes = Vec::with_capacity(len as usize);
        for &(address, part) in &buffers.parts {
            let part = part.min(u64::from(len) - bytes.len() as u64);
            bytes.extend_from_slice(self.bytes(address, part)?);
        }
        Ok(bytes)
    }

    /// Writes bytes to buffers, one after the other.
    pub(crate) fn scatter(&mut self, buffers: &Buffers, bytes: &[u8]) {
        let mut rest = bytes;
        for &(address, len) in &buffers.parts {
            let (part, after) = rest.split_at(rest.len().min(len as usize));
            self.write(address, part.to_vec());
            rest = after;
        }
    }

    /// What was chosen does not answer what is wanted.
    pub(crate) fn misuse(&self, wants: Option<Wants>) -> Stop {
        match self.chosen {
            Some(chosen) => Stop::Misuse(Misuse::Chosen {
                chosen: chosen.clone(),
                wants,
            }),
            // Nothing was chosen, so the call only asks.
            None => wants.map_or(Stop::Errno(Errno::Io), Stop::Wants),
        }
    }

    /// Drops a file that a descriptor held, if nothing else leads to it.
    pub(crate) fn release(&mut self, open: Open) {
        let Open::Inode(ino) = open else { return };
        let gone = self
            .world
            .tree
            .inode(ino)
            .is_ok_and(|inode| inode.links == 0);
        if gone && !self.is_open(ino) {
            self.world.tree.forget(ino);
        }
    }

    fn is_open(&self, ino: Ino) -> bool {
        let mut held = false;
        self.world.descriptors.for_each(|_, descriptor| {
            held |= descriptor.open == Open::Inode(ino);
        });
        held
    }

    /// Drops an inode that a directory led to, if nothing else does.
    pub(crate) fn dropped(&mut self, ino: Option<Ino>) {
        if let Some(ino) = ino {
            self.release(Open::Inode(ino));
        }
    }
}
