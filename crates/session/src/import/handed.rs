//! The imported functions of a program, as its recording describes them: what a call of one hands to the host.

use borges_vm::{ValType, Value};

use super::check::{self, CHECK, folded};

/// Regions of one import.
pub(super) const MOST_REGIONS: usize = 8;
/// Of longer lists of buffers, no more is looked at.
const MOST_BUFFERS: u64 = 1024;

/// How to find bytes that a call hands to the host: from the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    /// So many times argument `count` bytes, at argument `pointer`.
    Bytes {
        pointer: usize,
        factor: u64,
        count: usize,
    },
    /// A list of buffers (pointer and length each) at argument `pointer`, and how many in the next argument.
    Buffers { pointer: usize },
}

/// An imported function, as a recording describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedImport {
    /// The module that it is imported from.
    pub module: String,
    /// Its name.
    pub name: String,
    /// The types of its parameters.
    pub params: Vec<ValType>,
    /// The types of its results.
    pub results: Vec<ValType>,
    pub(super) regions: Vec<Region>,
    /// Whether checks are about the sums of many bytes.
    pub(super) has_sums: bool,
    /// The arguments of its last call, as bits; zeros at first.
    pub(super) last: Vec<u64>,
}

impl RecordedImport {
    /// What a recording keeps of the bytes that a call with these arguments hands to the host; nothing for imports of
    /// which nobody knows where they are.
    pub(super) fn handed(&self, args: &[Value], memory: &[u8]) -> Option<u16> {
        if self.regions.is_empty() {
            return None;
        }
        let argument = |at: usize| match args.get(at) {
            Some(Value::I32(value)) => u64::from(*value as u32),
            Some(Value::I64(value)) => *value as u64,
            _ => 0,
        };
        let part = |address: u64, length: u64| {
            let end = address.checked_add(length)?;
            memory.get(usize::try_from(address).ok()?..usize::try_from(end).ok()?)
        };
        let mut check = CHECK.digest();
        let mut add = |bytes: &[u8]| match self.has_sums {
            true => check::add(&mut check, bytes),
            false => check.update(bytes),
        };
        for region in &self.regions {
            match *region {
                Region::Bytes {
                    pointer,
                    factor,
                    count,
                } => {
                    let length = argument(count).saturating_mul(factor);
                    add(part(argument(pointer), length).unwrap_or_default());
                }
                Region::Buffers { pointer } => {
                    let count = argument(pointer + 1).min(MOST_BUFFERS);
                    let list = part(argument(pointer), 8 * count);
                    for buffer in list.unwrap_or_default().chunks_exact(8) {
                        let number = |at: usize| {
                            let bytes = [0, 1, 2, 3].map(|byte| buffer[at + byte]);
                            u64::from(u32::from_le_bytes(bytes))
                        };
                        add(part(number(0), number(4)).unwrap_or_default());
                    }
                }
            }
        }
        Some(folded(check.finalize()))
    }
}

/// `P:pN`, `P:K*pN`, or `P:iov`.
pub(super) fn region(text: &str, params: usize) -> Option<Region> {
    let parameter = |text: &str| text.parse().ok().filter(|at: &usize| *at < params);
    let (pointer, length) = text.split_once(':')?;
    let pointer = parameter(pointer)?;
    if length == "iov" {
        return Some(Region::Buffers { pointer });
    }
    let (factor, count) = length.split_once('*').unwrap_or(("1", length));
    Some(Region::Bytes {
        pointer,
        factor: factor.parse().ok()?,
        count: parameter(count.strip_prefix('p')?)?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::recording::{Bad, HostRecording, Read};
    use super::*;

    /// What an import hands over that is described so, up to the check of what stands before the calls.
    fn described(handed: &str) -> Read<RecordedImport> {
        let mut bytes = Vec::new();
        for text in ["env", "give", "ii>", handed] {
            bytes.push(text.len() as u8);
            bytes.extend(text.bytes());
        }
        let mut reader = HostRecording::of_bytes(&bytes, 1);
        reader.import()
    }

    #[test]
    fn an_import_hands_over_eight_pieces() {
        let pieces = |count: usize| described(&["0:p1"].repeat(count).join(" "));
        assert!(pieces(MOST_REGIONS).is_ok_and(|import| import.regions.len() == MOST_REGIONS));
        assert!(matches!(pieces(MOST_REGIONS + 1), Err(Bad::Wrong(_))));
    }

    #[test]
    fn so_many_buffers_are_looked_at() {
        let import = described("0:iov").unwrap_or_else(|_| panic!("it is an import"));
        let most = MOST_BUFFERS as usize;
        // The list, one buffer more than are looked at, and behind it the byte that each of them is.
        let mut memory = Vec::new();
        let bytes_at = 8 * (most + 1);
        for at in 0..=most {
            memory.extend(((bytes_at + at) as u32).to_le_bytes());
            memory.extend(1_u32.to_le_bytes());
        }
        memory.extend(vec![7; most + 1]);
        let handed = |count: usize, memory: &[u8]| {
            let args = [Value::I32(0), Value::I32(count as i32)];
            import.handed(&args, memory).expect("it is known where")
        };
        let whole = handed(most, &memory);
        assert_ne!(whole, handed(most - 1, &memory));
        assert_eq!(whole, handed(most + 1, &memory));
        // A byte of the last buffer that is looked at matters, one of the next does not.
        let changed = |at: usize| {
            let mut memory = memory.clone();
            memory[bytes_at + at] = 8;
            handed(most + 1, &memory)
        };
        assert_ne!(whole, changed(most - 1));
        assert_eq!(whole, changed(most));
    }
}
