//! Choices of calls of an operating system, as what an input yields: an `i32`, and for a clock an `i64`.
//!
//! | choice | value | bytes |
//! |---|---|---|
//! | a clock shows so many nanoseconds more than at its last reading | how many, `i64` | |
//! | random bytes, bytes of standard input | how many | the bytes |
//! | at most so many bytes are moved | how many | |
//! | the subscription that is ready first | its number | |
//! | the call fails | minus the error's number | |
//! | the call came to this in a recording of another system | the error's number, `i64` | what it wrote: a zero, and for each write address and length (32 bits each) and the bytes |
//! | somebody outside has replaced files before | 0, `i64` | a one, and what [`encode_replaced`] says |

use alloc::{borrow::ToOwned, boxed::Box, string::String, vec::Vec};

use borges_vm::{ValType, Value};
use borges_wasi::{Chosen, Errno, Function, MemoryWrite, Replacement};

use crate::Yield;

pub(crate) fn cell(value: Value) -> u64 {
    match value {
        Value::I32(v) => u64::from(v as u32),
        Value::I64(v) => v as u64,
        _ => 0,
    }
}

/// What can be chosen of a function.
pub(crate) fn choices(function: Function) -> String {
    let mut list: Vec<String> = Vec::from(["ok".to_owned()]);
    match function {
        Function::ClockTimeGet => {
            list.push("how many nanoseconds later it is than at the last reading".to_owned())
        }
        Function::RandomGet => list.push("bytes in quotes".to_owned()),
        Function::PollOneoff => list.push("the number of a subscription".to_owned()),
        Function::FdRead => list.push("bytes in quotes".to_owned()),
        _ => {}
    }
    if function.moves_bytes() {
        list.push("a number of bytes at most".to_owned());
    }
    list.extend(
        function
            .faults()
            .iter()
            .map(|errno| errno.name().to_owned()),
    );
    alloc::format!("it can be {}", list.join(", "))
}

/// The type of the value that stands for a choice.
pub(crate) fn choice_type(function: Function) -> ValType {
    match function {
        Function::ClockTimeGet => ValType::I64,
        _ => ValType::I32,
    }
}

/// What stands in a list of mocks for a call that goes as it would without one.
pub fn unmocked() -> Yield {
    Value::ExternRef(None).into()
}

fn errno(number: i64) -> Option<Errno> {
    let mut all = Errno::ALL.iter().copied();
    all.find(|errno| i64::from(errno.code()) == number)
}

/// A choice as people write and read it: an error by its name, `ok` for a call that goes as it would by itself.
pub fn choice_text(yielded: &Yield) -> Option<&'static str> {
    match yielded.value {
        Value::ExternRef(_) => Some("ok"),
        Value::I32(number @ ..0) => errno(-i64::from(number)).map(Errno::name),
        Value::I64(0) if yielded.bytes.first() == Some(&0) => Some("as recorded"),
        Value::I64(number) if yielded.bytes.first() == Some(&0) => errno(number).map(Errno::name),
        _ => None,
    }
}

/// A choice as what an input yields.
pub fn yielded(chosen: &Chosen) -> Yield {
    let number = |count: usize| Value::I32(i32::try_from(count).unwrap_or(i32::MAX));
    match chosen {
        Chosen::Later(ns) => Value::I64(*ns as i64).into(),
        Chosen::Bytes(bytes) => Yield {
            value: number(bytes.len()),
            bytes: bytes.clone().into(),
        },
        Chosen::Ready(at) => number(*at as usize).into(),
        Chosen::Short(most) => number(*most as usize).into(),
        Chosen::Fault(errno) => Value::I32(-i32::from(errno.code())).into(),
        Chosen::Told { errno, writes } => {
            let mut bytes = Vec::from([0]);
            for write in writes {
                bytes.extend(write.address.to_le_bytes());
                // A memory has at most so many bytes.
                bytes.extend((write.bytes.len() as u32).to_le_bytes());
                bytes.extend_from_slice(&write.bytes);
            }
            Yield {
                value: Value::I64(errno.code().into()),
                bytes: bytes.into(),
            }
        }
        Chosen::Replaced { files, then } => Yield {
            value: Value::I64(0),
            bytes: encode_replaced(files, then.as_deref()).into(),
        },
    }
}

/// What a choice's bytes begin with that somebody outside has replaced files.
const REPLACED: u8 = 1;

/// A one; how many files, and of each its number, its path and its bytes; and what is chosen besides, if something is: 4 or
/// 8 for the bytes of the value, the value, and the choice's bytes. Numbers are little-endian, of 32 bits but the file's of
/// 64; texts and bytes have their length before them.
fn encode_replaced(files: &[Replacement], then: Option<&Chosen>) -> Vec<u8> {
    fn put(list: &mut Vec<u8>, bytes: &[u8]) {
        // A file has at most so many bytes.
        list.extend((bytes.len() as u32).to_le_bytes());
        list.extend_from_slice(bytes);
    }
    let mut list = Vec::from([REPLACED]);
    list.extend((files.len() as u32).to_le_bytes());
    for file in files {
        list.extend(file.number.to_le_bytes());
        put(&mut list, file.path.as_bytes());
        put(&mut list, &file.bytes);
    }
    let Some(then) = then.map(yielded) else {
        return list;
    };
    match then.value {
        Value::I64(value) => {
            list.push(8);
            list.extend(value.to_le_bytes());
        }
        value => {
            list.push(4);
            list.extend((cell(value) as u32).to_le_bytes());
        }
    }
    list.extend_from_slice(&then.bytes);
    list
}

/// The inverse of [`encode_replaced`]: files as path, number and bytes.
struct Replaced<'l> {
    files: Vec<(&'l str, u64, &'l [u8])>,
    then: Option<Yield>,
}

impl<'l> Replaced<'l> {
    fn of(yielded: &'l Yield) -> Option<Self> {
        fn taken<'l>(list: &mut &'l [u8]) -> Option<&'l [u8]> {
            let (length, rest) = list.split_first_chunk()?;
            let (bytes, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            *list = rest;
            Some(bytes)
        }
        let (Value::I64(0), [REPLACED, list @ ..]) = (yielded.value, &*yielded.bytes) else {
            return None;
        };
        let (count, mut list) = list.split_first_chunk()?;
        let mut files = Vec::new();
        for _ in 0..u32::from_le_bytes(*count) {
            let (number, rest) = list.split_first_chunk()?;
            list = rest;
            let path = core::str::from_utf8(taken(&mut list)?).ok()?;
            files.push((path, u64::from_le_bytes(*number), taken(&mut list)?));
        }
        let (value, bytes) = match list {
            [] => return Some(Replaced { files, then: None }),
            [4, rest @ ..] => {
                let (value, bytes) = rest.split_first_chunk()?;
                (Value::I32(i32::from_le_bytes(*value)), bytes)
            }
            [8, rest @ ..] => {
                let (value, bytes) = rest.split_first_chunk()?;
                (Value::I64(i64::from_le_bytes(*value)), bytes)
            }
            _ => return None,
        };
        let bytes = bytes.to_vec().into();
        let then = Some(Yield { value, bytes });
        Some(Replaced { files, then })
    }
}

/// If a choice is that somebody outside has replaced files before a call: their paths, and what is chosen besides.
pub fn replaced_before(yielded: &Yield) -> Option<(Vec<&str>, Option<Yield>)> {
    let Replaced { files, then } = Replaced::of(yielded)?;
    Some((files.into_iter().map(|(path, ..)| path).collect(), then))
}

/// The inverse of [`yielded`], for a call of this function; nothing for what is no choice of it.
pub(crate) fn chosen(function: Function, yielded: &Yield) -> Option<Chosen> {
    let (value, bytes) = (yielded.value, &*yielded.bytes);
    if let (Value::I64(number), [0, list @ ..]) = (value, bytes) {
        let (errno, writes) = (errno(number)?, told(list)?);
        return Some(Chosen::Told { errno, writes });
    }
    if let Some(Replaced { files, then }) = Replaced::of(yielded) {
        let files = files.into_iter().map(|(path, number, bytes)| Replacement {
            path: path.to_owned(),
            number,
            bytes: bytes.to_vec(),
        });
        let then = match then {
            // Files are replaced once before a call.
            Some(then) if Replaced::of(&then).is_some() => return None,
            Some(then) => Some(Box::new(chosen(function, &then)?)),
            None => None,
        };
        return Some(Chosen::Replaced {
            files: files.collect(),
            then,
        });
    }
    if let Value::I64(ns) = value {
        let is_clock = function == Function::ClockTimeGet && bytes.is_empty();
        return is_clock.then_some(Chosen::Later(ns as u64));
    }
    let Value::I32(number) = value else {
        return None;
    };
    if number < 0 {
        let errno = errno(-i64::from(number))?;
        return bytes.is_empty().then_some(Chosen::Fault(errno));
    }
    let number = number as u32;
    match function {
        Function::PollOneoff => bytes.is_empty().then_some(Chosen::Ready(number)),
        Function::RandomGet | Function::FdRead if number as usize == bytes.len() => {
            Some(Chosen::Bytes(bytes.to_vec()))
        }
        _ if function.moves_bytes() && bytes.is_empty() && number > 0 => {
            Some(Chosen::Short(number))
        }
        _ => None,
    }
}

/// The writes of a call that was recorded elsewhere.
fn told(mut list: &[u8]) -> Option<Vec<MemoryWrite>> {
    let mut writes = Vec::new();
    while !list.is_empty() {
        let (address, rest) = list.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (bytes, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        writes.push(MemoryWrite {
            address: u32::from_le_bytes(*address),
            bytes: bytes.to_vec(),
        });
        list = rest;
    }
    Some(writes)
}
