//! The stream that recorders write: which functions a program called on some engine, and what they answered.
//! `docs/recordings.md` describes it byte by byte. Whoever wrote it is a stranger.

use borges_vm::{ValType, Value, Write};
use crc::{CRC_32_ISO_HDLC, Crc, Digest};
use thiserror::Error;

/// What every recording begins with; the last byte is the version of the format.
const MAGIC: &[u8; 8] = b"\0borges\x01";
/// The check of all formats that have one.
static CHECK: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// Why a recording cannot be read on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HostRecordingError {
    /// It begins like none.
    #[error("it is no recording of a program's calls")]
    NoRecording,
    /// Another version wrote it.
    #[error("it has version {found} of the format, and this Borges reads version 1")]
    Version {
        /// Which.
        found: u8,
    },
    /// What stands before the calls is damaged.
    #[error("its beginning was changed or is damaged: {what} (byte {at})")]
    Header {
        /// What is wrong.
        what: &'static str,
        /// Where, from 0.
        at: usize,
    },
    /// It ends within or before a call, without saying how the program ended.
    #[error("it was cut off: it ends where call {call} should be (byte {at})")]
    CutOff {
        /// The number of the call, from 1.
        call: u64,
        /// Where, from 0.
        at: usize,
    },
    /// It is of a program with several threads, which nothing here replays yet.
    #[error(
        "from call {call} on it is of a program with several threads (byte {at}), and a recording has no order of what they do"
    )]
    Threads {
        /// The number of the call, from 1.
        call: u64,
        /// Where, from 0.
        at: usize,
    },
    /// A call of it is damaged.
    #[error("call {call} of it was changed or is damaged: {what} (byte {at})")]
    Damaged {
        /// The number of the call, from 1.
        call: u64,
        /// What is wrong.
        what: &'static str,
        /// Where, from 0.
        at: usize,
    },
}

/// Regions of one import.
const MOST_REGIONS: usize = 8;
/// Behind the numbers of imports, what says whose the next calls are,
const WHOSE: u64 = 0;
/// and what two threads did one after the other.
const ORDER: u64 = 1;
/// Of longer lists of buffers, no more is looked at.
const MOST_BUFFERS: u64 = 1024;

/// How to find bytes that a call hands to the host: from the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region {
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
    regions: Vec<Region>,
    /// The arguments of its last call, as bits; zeros at first.
    last: Vec<u64>,
}

/// A call, as it was on the other engine.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedCall {
    /// Its number, from 1.
    pub number: u64,
    /// Which import, from 0.
    pub import: usize,
    /// Its arguments.
    pub args: Vec<Value>,
    /// A hash of the bytes that it handed to the host, for imports of which it is known where they are.
    pub handed: Option<u16>,
    /// What it returned.
    pub results: Vec<Value>,
    /// What the host wrote to the memory.
    pub writes: Vec<Write>,
}

/// How the program ended on the other engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedEnd {
    /// Its entry returned.
    Returned,
    /// It ended itself, with this code, in the call that comes next.
    Exited(u32),
    /// It trapped, by itself or in the call that comes next.
    Trapped,
    /// The recorder was stopped before the program ended.
    Stopped,
}

/// The next thing in a recording.
#[derive(Clone, Debug, PartialEq)]
pub enum Recorded {
    /// A call.
    Call(RecordedCall),
    /// The end.
    End(RecordedEnd),
}

/// A recording that is read call by call: what is read was not changed since it was written, as far as its checks say.
#[derive(Clone)]
pub struct HostRecording<'b> {
    bytes: &'b [u8],
    at: usize,
    check: Digest<'static, u32>,
    /// Calls read so far.
    calls: u64,
    /// The address of the last write.
    address: u32,
    /// How many bytes the program's module has, and their check.
    pub program: (u64, u32),
    /// The engine and the recorder, for people.
    pub engine: String,
    /// The export that was called; the usual one if it is empty.
    pub entry: String,
    /// The program's imported functions, in order.
    pub imports: Vec<RecordedImport>,
}

/// Why a part cannot be read: the bytes end, or say what cannot be.
enum Bad {
    End,
    Threads,
    Wrong(&'static str),
}

type Read<T> = Result<T, Bad>;

impl<'b> HostRecording<'b> {
    /// Reads all that stands before the calls.
    ///
    /// # Errors
    /// [`HostRecordingError`].
    pub fn new(bytes: &'b [u8]) -> Result<Self, HostRecordingError> {
        match bytes.get(..MAGIC.len()) {
            Some([start @ .., _]) if *start != MAGIC[..7] => {
                return Err(HostRecordingError::NoRecording);
            }
            Some([.., found]) if *found != MAGIC[7] => {
                return Err(HostRecordingError::Version { found: *found });
            }
            Some(_) => {}
            None => return Err(HostRecordingError::NoRecording),
        }
        let mut recording = Self::of_bytes(bytes);
        let read = recording.header();
        let at = recording.at;
        let what = |bad| match bad {
            Bad::End => "it ends too early",
            Bad::Threads => "a thread before all calls",
            Bad::Wrong(what) => what,
        };
        match read {
            Ok(()) => Ok(recording),
            Err(bad) => Err(HostRecordingError::Header {
                what: what(bad),
                at,
            }),
        }
    }

    fn header(&mut self) -> Read<()> {
        self.take(MAGIC.len())?;
        self.program.0 = self.number()?;
        self.program.1 = self.fixed()?;
        self.engine = self.text()?;
        self.entry = self.text()?;
        for _ in 0..self.number()? {
            // Each takes some bytes, so there are no more than those.
            let import = self.import()?;
            self.imports.push(import);
        }
        self.holds(u32::to_le_bytes)
    }

    /// Before anything is read.
    fn of_bytes(bytes: &'b [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            check: CHECK.digest(),
            calls: 0,
            address: 0,
            program: (0, 0),
            engine: String::new(),
            entry: String::new(),
            imports: Vec::new(),
        }
    }

    fn import(&mut self) -> Read<RecordedImport> {
        let (module, name, ty) = (self.text()?, self.text()?, self.text()?);
        let (params, results) = ty
            .split_once('>')
            .ok_or(Bad::Wrong("a type without an arrow"))?;
        let (params, results) = (types(params)?, types(results)?);
        let handed = self.text()?;
        let regions = handed.split_whitespace();
        let regions = regions.map(|text| region(text, params.len()));
        let regions = regions
            .collect::<Option<Vec<_>>>()
            .ok_or(Bad::Wrong("nobody knows where a call hands bytes over"))?;
        if regions.len() > MOST_REGIONS {
            return Err(Bad::Wrong("a call hands over more than eight pieces"));
        }
        Ok(RecordedImport {
            module,
            name,
            regions,
            last: vec![0; params.len()],
            params,
            results,
        })
    }

    /// The next call, or the end, which comes again and again.
    ///
    /// # Errors
    /// [`HostRecordingError`]; after one, nothing that is read means anything.
    pub fn read_on(&mut self) -> Result<Recorded, HostRecordingError> {
        let (begin, call) = (self.at, self.calls + 1);
        match self.recorded() {
            Ok(recorded) => {
                match recorded {
                    Recorded::Call(_) => self.calls += 1,
                    Recorded::End(_) => self.at = begin,
                }
                Ok(recorded)
            }
            Err(Bad::End) => Err(HostRecordingError::CutOff { call, at: self.at }),
            Err(Bad::Threads) => Err(HostRecordingError::Threads { call, at: self.at }),
            Err(Bad::Wrong(what)) => {
                let at = self.at;
                Err(HostRecordingError::Damaged { call, what, at })
            }
        }
    }

    /// How many bytes were read.
    #[must_use]
    pub fn position(&self) -> usize {
        self.at
    }

    fn recorded(&mut self) -> Read<Recorded> {
        let begun_with = self.check.clone();
        let recorded = match self.number()? {
            0 => Recorded::End(self.end()?),
            tag => {
                let import = self.import_after(tag)?;
                Recorded::Call(self.call(import)?)
            }
        };
        match recorded {
            Recorded::Call(_) => self.holds(short)?,
            Recorded::End(_) => {
                self.holds(u32::to_le_bytes)?;
                if self.at != self.bytes.len() {
                    return Err(Bad::Wrong("something stands behind the end"));
                }
                self.check = begun_with;
            }
        }
        Ok(recorded)
    }

    /// Reads the check of all before it, which is written so.
    fn holds<const N: usize>(&mut self, written: fn(u32) -> [u8; N]) -> Read<()> {
        let check = written(self.check.clone().finalize());
        match *self.raw()? == check {
            true => Ok(()),
            false => Err(Bad::Wrong("its check does not hold")),
        }
    }

    /// The number of the import that is called, behind whatever says whose call it is.
    fn import_after(&mut self, mut tag: u64) -> Read<u64> {
        let past = self.imports.len() as u64 + 1;
        loop {
            let kind = match tag.checked_sub(past) {
                None => return Ok(tag - 1),
                Some(kind @ (WHOSE | ORDER)) => kind,
                Some(_) => return Err(Bad::Wrong("the program has no such import")),
            };
            let thread = self.number()?;
            self.holds(short)?;
            // What follows is the first thread's, as it is from the beginning.
            if (kind, thread) != (WHOSE, 0) {
                return Err(Bad::Threads);
            }
            tag = self.number()?;
        }
    }

    fn end(&mut self) -> Read<RecordedEnd> {
        Ok(match self.number()? {
            0 => RecordedEnd::Returned,
            1 => {
                let code = self.number()?;
                let code =
                    u32::try_from(code).map_err(|_| Bad::Wrong("no exit code is so large"))?;
                RecordedEnd::Exited(code)
            }
            2 => RecordedEnd::Trapped,
            3 => RecordedEnd::Stopped,
            _ => return Err(Bad::Wrong("no program ends like that")),
        })
    }

    fn call(&mut self, import: u64) -> Read<RecordedCall> {
        let none = Bad::Wrong("the program has no such import");
        let index = usize::try_from(import).ok();
        let index = index
            .filter(|index| *index < self.imports.len())
            .ok_or(none)?;
        let mut args = Vec::new();
        for at in 0..self.imports[index].params.len() {
            let (ty, last) = (self.imports[index].params[at], self.imports[index].last[at]);
            let (value, bits) = self.value(ty, last)?;
            self.imports[index].last[at] = bits;
            args.push(value);
        }
        let handed = match self.imports[index].regions.is_empty() {
            true => None,
            false => {
                let bytes = self.take(2)?;
                Some(u16::from_le_bytes([bytes[0], bytes[1]]))
            }
        };
        let mut results = Vec::new();
        for at in 0..self.imports[index].results.len() {
            let ty = self.imports[index].results[at];
            results.push(self.value(ty, 0)?.0);
        }
        let mut writes = Vec::new();
        for _ in 0..self.number()? {
            let address = self.address.wrapping_add(unzigzag(self.number()?) as u32);
            let length = self.number()?;
            let length = usize::try_from(length).map_err(|_| Bad::End)?;
            let bytes = self.take(length)?.to_vec();
            self.address = address;
            writes.push(Write { address, bytes });
        }
        Ok(RecordedCall {
            number: self.calls + 1,
            import: index,
            args,
            handed,
            results,
            writes,
        })
    }

    /// A value, with its bits; integers are differences from `last`.
    fn value(&mut self, ty: ValType, last: u64) -> Read<(Value, u64)> {
        Ok(match ty {
            ValType::I32 => {
                let bits = (last as u32).wrapping_add(unzigzag(self.number()?) as u32);
                (Value::I32(bits as i32), u64::from(bits))
            }
            ValType::I64 => {
                let bits = last.wrapping_add(unzigzag(self.number()?) as u64);
                (Value::I64(bits as i64), bits)
            }
            ValType::F32 => (Value::F32(self.fixed()?), 0),
            ValType::F64 => {
                let bytes = self.take(8)?.try_into().map_err(|_| Bad::End)?;
                (Value::F64(u64::from_le_bytes(bytes)), 0)
            }
            _ => return Err(Bad::Wrong("references cannot be recorded")),
        })
    }

    /// Bytes that the check is about.
    fn take(&mut self, count: usize) -> Read<&'b [u8]> {
        let end = self.at.checked_add(count).ok_or(Bad::End)?;
        let bytes = self.bytes.get(self.at..end).ok_or(Bad::End)?;
        self.check.update(bytes);
        self.at = end;
        Ok(bytes)
    }

    /// The check itself.
    fn raw<const N: usize>(&mut self) -> Read<&'b [u8; N]> {
        let bytes = self.bytes[self.at..].first_chunk().ok_or(Bad::End)?;
        self.at += N;
        Ok(bytes)
    }

    fn fixed(&mut self) -> Read<u32> {
        let bytes = self.take(4)?.try_into().map_err(|_| Bad::End)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// LEB128, at most 64 bits.
    fn number(&mut self) -> Read<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            if shift == 63 && byte > 1 {
                break;
            }
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Bad::Wrong("a number of more than 64 bits"))
    }

    fn text(&mut self) -> Read<String> {
        let length = usize::try_from(self.number()?).map_err(|_| Bad::End)?;
        let bytes = self.take(length)?.to_vec();
        String::from_utf8(bytes).map_err(|_| Bad::Wrong("a name that is no UTF-8"))
    }
}

impl RecordedImport {
    /// What a recording keeps of the bytes that a call with these arguments hands to the host; nothing for imports of
    /// which nobody knows where they are.
    fn handed(&self, args: &[Value], memory: &[u8]) -> Option<u16> {
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
        for region in &self.regions {
            match *region {
                Region::Bytes {
                    pointer,
                    factor,
                    count,
                } => {
                    let length = argument(count).saturating_mul(factor);
                    check.update(part(argument(pointer), length).unwrap_or_default());
                }
                Region::Buffers { pointer } => {
                    let count = argument(pointer + 1).min(MOST_BUFFERS);
                    let list = part(argument(pointer), 8 * count);
                    for buffer in list.unwrap_or_default().chunks_exact(8) {
                        let number = |at: usize| {
                            let bytes = [0, 1, 2, 3].map(|byte| buffer[at + byte]);
                            u64::from(u32::from_le_bytes(bytes))
                        };
                        check.update(part(number(0), number(4)).unwrap_or_default());
                    }
                }
            }
        }
        Some(folded(check.finalize()))
    }

    /// Whether a call here hands over what it handed over when it was recorded.
    #[must_use]
    pub fn hands_over(&self, call: &RecordedCall, memory: &[u8]) -> bool {
        self.handed(&call.args, memory) == call.handed
    }
}

fn types(letters: &str) -> Read<Vec<ValType>> {
    let ty = |letter| match letter {
        'i' => Ok(ValType::I32),
        'I' => Ok(ValType::I64),
        'f' => Ok(ValType::F32),
        'F' => Ok(ValType::F64),
        _ => Err(Bad::Wrong("a type that cannot be recorded")),
    };
    letters.chars().map(ty).collect()
}

/// `P:pN`, `P:K*pN`, or `P:iov`.
fn region(text: &str, params: usize) -> Option<Region> {
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

/// The length and check of bytes, as recordings have them of the program.
pub(super) fn check_of(bytes: &[u8]) -> (u64, u32) {
    (bytes.len() as u64, CHECK.checksum(bytes))
}

/// How a check is written behind a call.
fn short(check: u32) -> [u8; 2] {
    folded(check).to_le_bytes()
}

fn folded(check: u32) -> u16 {
    (check ^ (check >> 16)) as u16
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an import hands over that is described so, up to the check of what stands before the calls.
    fn described(handed: &str) -> Read<RecordedImport> {
        let mut bytes = Vec::new();
        for text in ["env", "give", "ii>", handed] {
            bytes.push(text.len() as u8);
            bytes.extend(text.bytes());
        }
        let mut reader = HostRecording::of_bytes(&bytes);
        reader.import()
    }

    /// What is read first of a recording of a program with one import: of these parts, each with its check.
    fn recorded(parts: &[&[u8]]) -> Result<Recorded, HostRecordingError> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0, 0, 0, 0, 0, 0, 0, 1]);
        for text in ["env", "f", ">", ""] {
            bytes.push(text.len() as u8);
            bytes.extend(text.bytes());
        }
        // Checks are not about themselves.
        let mut checked = bytes.clone();
        bytes.extend(CHECK.checksum(&checked).to_le_bytes());
        for part in parts {
            bytes.extend(*part);
            checked.extend(*part);
            bytes.extend(folded(CHECK.checksum(&checked)).to_le_bytes());
        }
        HostRecording::new(&bytes)?.read_on()
    }

    #[test]
    fn several_threads_are_refused_in_words() {
        let call = |recorded: Result<Recorded, HostRecordingError>| {
            matches!(recorded, Ok(Recorded::Call(RecordedCall { import: 0, .. })))
        };
        // The one import; the same of the first thread, said once and twice.
        let (first, f): (&[u8], &[u8]) = (&[2, 0], &[1, 0]);
        for parts in [&[f][..], &[first, f], &[first, first, f]] {
            assert!(call(recorded(parts)), "{parts:?}");
        }
        for parts in [&[&[2, 1], f][..], &[first, &[2, 7], f], &[&[3, 0], f]] {
            let refused = recorded(parts).expect_err("there are several threads");
            let is_named = matches!(refused, HostRecordingError::Threads { call: 1, .. });
            assert!(is_named, "{parts:?}: {refused}");
        }
        let refused = recorded(&[&[4, 1, 0]]).expect_err("nothing has this number");
        assert!(refused.to_string().contains("no such import"), "{refused}");
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
