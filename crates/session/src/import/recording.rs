//! The stream that recorders write: which functions a program called on some engine, and what they answered.
//! `docs/recordings.md` describes it byte by byte. Whoever wrote it is a stranger.

use borges_vm::{ValType, Value, Write};
use crc::Digest;
use thiserror::Error;

use super::check::{self, CHECK, folded};
use super::handed::{MOST_REGIONS, RecordedImport, region};

/// What every recording begins with; behind it is the version of the format.
const MAGIC: &[u8; 7] = b"\0borges";
/// The newest version. The first has no sums, says no bytes by where they stand, and has one entry.
const VERSION: u8 = 2;
/// So many bytes of one call may be said by where they stand: a few bytes of a recording become no more than these.
const MOST_AGAIN: usize = 64 << 20;

/// Why a recording cannot be read on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HostRecordingError {
    /// It begins like none.
    #[error("it is no recording of a program's calls")]
    NoRecording,
    /// Another version wrote it.
    #[error("it has version {found} of the format, and this Borges reads versions 1 and 2")]
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

/// Behind the numbers of imports, what says whose the next calls are,
const WHOSE: u64 = 0;
/// and what two threads did one after the other.
const ORDER: u64 = 1;
/// A host calls an export,
const ENTERED: u64 = 2;
/// and it has returned.
const LEFT: u64 = 3;

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

/// A call of an export, of several that a host calls one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedEntry {
    /// The name of the export.
    pub name: String,
    /// What it was given.
    pub args: Vec<Value>,
    /// What the host wrote to the memory before.
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
    /// A host calls an export.
    Entry(RecordedEntry),
    /// It has returned, with these results.
    Left(Vec<Value>),
    /// The end.
    End(RecordedEnd),
}

/// A recording that is read call by call: what is read was not changed since it was written, as far as its checks say.
#[derive(Clone)]
pub struct HostRecording<'b> {
    bytes: &'b [u8],
    at: usize,
    /// Of the format.
    pub version: u8,
    /// The types of the results of the export that was called last.
    results: Vec<ValType>,
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
pub(super) enum Bad {
    End,
    Threads,
    Wrong(&'static str),
}

pub(super) type Read<T> = Result<T, Bad>;

impl<'b> HostRecording<'b> {
    /// Reads all that stands before the calls.
    ///
    /// # Errors
    /// [`HostRecordingError`].
    pub fn new(bytes: &'b [u8]) -> Result<Self, HostRecordingError> {
        let version = match bytes.strip_prefix(MAGIC) {
            Some([version @ 1..=VERSION, ..]) => *version,
            Some([found, ..]) => return Err(HostRecordingError::Version { found: *found }),
            _ => return Err(HostRecordingError::NoRecording),
        };
        let mut recording = Self::of_bytes(bytes, version);
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
        self.take(MAGIC.len() + 1)?;
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
    pub(super) fn of_bytes(bytes: &'b [u8], version: u8) -> Self {
        Self {
            bytes,
            at: 0,
            version,
            results: Vec::new(),
            check: CHECK.digest(),
            calls: 0,
            address: 0,
            program: (0, 0),
            engine: String::new(),
            entry: String::new(),
            imports: Vec::new(),
        }
    }

    pub(super) fn import(&mut self) -> Read<RecordedImport> {
        let (module, name, ty) = (self.text()?, self.text()?, self.text()?);
        let (params, results) = signature(&ty)?;
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
            has_sums: self.version > 1,
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
                    Recorded::Entry(_) | Recorded::Left(_) => {}
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
                let tag = self.tag_after(tag)?;
                match tag.checked_sub(self.imports.len() as u64 + 1) {
                    None => Recorded::Call(self.call(tag)?),
                    Some(ENTERED) => Recorded::Entry(self.entry()?),
                    Some(_) => Recorded::Left(self.left()?),
                }
            }
        };
        match recorded {
            Recorded::Call(_) | Recorded::Entry(_) | Recorded::Left(_) => self.holds(short)?,
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

    /// What comes next, behind whatever says whose call it is: 1 + the number of an import, or one of those behind them.
    fn tag_after(&mut self, mut tag: u64) -> Read<u64> {
        let past = self.imports.len() as u64 + 1;
        loop {
            let kind = match tag.checked_sub(past) {
                None => return Ok(tag),
                Some(ENTERED | LEFT) if self.version > 1 => return Ok(tag),
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

    fn entry(&mut self) -> Read<RecordedEntry> {
        let (name, ty) = (self.text()?, self.text()?);
        let (params, results) = signature(&ty)?;
        self.results = results;
        let args = params.into_iter().map(|ty| Ok(self.value(ty, 0)?.0));
        let args = args.collect::<Read<Vec<Value>>>()?;
        let writes = self.writes()?;
        Ok(RecordedEntry { name, args, writes })
    }

    fn left(&mut self) -> Read<Vec<Value>> {
        let types = std::mem::take(&mut self.results);
        let values = types.into_iter().map(|ty| Ok(self.value(ty, 0)?.0));
        values.collect()
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

    fn call(&mut self, tag: u64) -> Read<RecordedCall> {
        let none = Bad::Wrong("the program has no such import");
        let index = tag.checked_sub(1).and_then(|at| usize::try_from(at).ok());
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
        let writes = self.writes()?;
        Ok(RecordedCall {
            number: self.calls + 1,
            import: index,
            args,
            handed,
            results,
            writes,
        })
    }

    fn writes(&mut self) -> Read<Vec<Write>> {
        let mut writes = Vec::new();
        let mut again = MOST_AGAIN;
        for _ in 0..self.number()? {
            let address = self.address.wrapping_add(unzigzag(self.number()?) as u32);
            let bytes = self.written(&mut again)?.to_vec();
            self.address = address;
            writes.push(Write { address, bytes });
        }
        Ok(writes)
    }

    /// Bytes that the host has written: here, or where they stand already, of which there may be so many more.
    fn written(&mut self, again: &mut usize) -> Read<&'b [u8]> {
        let begin = self.at;
        let number = self.number()?;
        let size = |number: u64| usize::try_from(number).map_err(|_| Bad::End);
        if self.version == 1 {
            return self.take(size(number)?);
        }
        let length = size(number >> 1)?;
        if number & 1 == 1 {
            let back = size(self.number()?)?;
            let there = begin.checked_sub(back);
            let there = there.and_then(|at| Some(at..at.checked_add(length)?));
            let there = there.filter(|there| there.end <= begin);
            let there = there.and_then(|there| self.bytes.get(there));
            let there = there.ok_or(Bad::Wrong("bytes are said to stand where none are"))?;
            let more = "a call writes more than 64 MiB that stand elsewhere";
            *again = again.checked_sub(length).ok_or(Bad::Wrong(more))?;
            return Ok(there);
        }
        let bytes = self.bytes_on(length)?;
        check::add(&mut self.check, bytes);
        Ok(bytes)
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
        let bytes = self.bytes_on(count)?;
        self.check.update(bytes);
        Ok(bytes)
    }

    fn bytes_on(&mut self, count: usize) -> Read<&'b [u8]> {
        let end = self.at.checked_add(count).ok_or(Bad::End)?;
        let bytes = self.bytes.get(self.at..end).ok_or(Bad::End)?;
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

/// The types of parameters and results.
fn signature(text: &str) -> Read<(Vec<ValType>, Vec<ValType>)> {
    let (params, results) = text
        .split_once('>')
        .ok_or(Bad::Wrong("a type without an arrow"))?;
    Ok((types(params)?, types(results)?))
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

/// How a check is written behind a call.
fn short(check: u32) -> [u8; 2] {
    folded(check).to_le_bytes()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands before the first check in a recording of a program with one import.
    fn beginning(version: u8) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([version, 0, 0, 0, 0, 0, 0, 0, 1]);
        for text in ["env", "f", ">", ""] {
            bytes.push(text.len() as u8);
            bytes.extend(text.bytes());
        }
        bytes
    }

    /// What is read first of a recording of a program with one import: of these parts, each with its check.
    fn recorded(parts: &[&[u8]]) -> Result<Recorded, HostRecordingError> {
        let mut bytes = beginning(1);
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

    /// A recording by the second version whose one call writes these bytes as they stand there.
    fn written(parts: &[&[u8]]) -> Result<Vec<Vec<u8>>, HostRecordingError> {
        let mut bytes = beginning(2);
        let mut check = CHECK.digest();
        check.update(&bytes);
        bytes.extend(check.clone().finalize().to_le_bytes());
        for part in parts {
            let call = [&[1, 1, 0][..], part].concat();
            // The number of so many bytes has two bytes of its own.
            match part {
                [0x80, 1, many @ ..] => {
                    check.update(&call[..5]);
                    check::add(&mut check, many);
                }
                _ => check.update(&call),
            }
            bytes.extend(&call);
            bytes.extend(folded(check.clone().finalize()).to_le_bytes());
        }
        let mut recording = HostRecording::new(&bytes)?;
        let read = parts.iter().map(|_| match recording.read_on()? {
            Recorded::Call(call) => Ok(call.writes[0].bytes.clone()),
            other => panic!("{other:?}"),
        });
        read.collect()
    }

    #[test]
    fn bytes_may_be_said_by_where_they_stand() {
        let many: Vec<u8> = (0..64).collect();
        let first = [&[0x80, 1][..], &many].concat();
        // 3 bytes stand before the number, 2 of a check before these, and the bytes.
        let back = 3 + 2 + 64;
        let read = |part: &[u8]| written(&[&first, part]);
        assert_eq!(
            read(&[0x81, 1, back]).map(|read| read[1].clone()),
            Ok(many.clone())
        );
        assert_eq!(
            read(&[7, back - 2]).map(|read| read[1].clone()),
            Ok(many[2..5].to_vec())
        );
        // As far as this number, and from the very beginning.
        assert_eq!(read(&[3, 1]).map(|read| read[1].clone()), Ok(vec![0]));
        // The header, the first call with its check, and what stands before the number.
        let at = 29 + 71 + 3;
        assert_eq!(read(&[3, at]).map(|read| read[1].clone()), Ok(vec![0]));
        for part in [
            &[3, 0][..],
            &[5, 1],
            &[3, at + 1],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1],
        ] {
            let error = read(part).expect_err("nothing stands there").to_string();
            assert!(
                error.contains("bytes are said to stand where none are"),
                "{part:?}: {error}"
            );
        }
    }

    #[test]
    fn a_call_says_64_mib_by_where_they_stand() {
        let number = |bytes: &mut Vec<u8>, mut number: usize| {
            while number >= 0x80 {
                bytes.push(number as u8 | 0x80);
                number >>= 7;
            }
            bytes.push(number as u8);
        };
        let many = 1 << 16;
        let read = |times: usize| {
            let mut bytes = Vec::new();
            number(&mut bytes, times + 1);
            bytes.push(0);
            number(&mut bytes, 2 * many);
            let stand = bytes.len();
            bytes.extend(vec![7; many]);
            for _ in 0..times {
                bytes.push(0);
                let here = bytes.len();
                number(&mut bytes, 2 * many + 1);
                number(&mut bytes, here - stand);
            }
            let writes = HostRecording::of_bytes(&bytes, 2).writes();
            writes.map(|writes| writes.iter().map(|write| write.bytes.len()).sum::<usize>())
        };
        let most = MOST_AGAIN / many;
        assert!(read(most).is_ok_and(|length| length == MOST_AGAIN + many));
        assert!(matches!(read(most + 1), Err(Bad::Wrong(_))));
    }
}
