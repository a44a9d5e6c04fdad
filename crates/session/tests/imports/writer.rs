//! Writes recordings, to change what is whole: the inverse of the reader.

use borges_session::import::{
    HostRecording, HostRecordingError, Recorded, RecordedEnd, RecordedImport,
};
use borges_vm::{ValType, Value, Write};
use crc::{CRC_32_ISO_HDLC, Crc, Digest};

static CHECK: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// What stands before the calls.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    version: u8,
    program: (u64, u32),
    engine: String,
    entry: String,
    pub(crate) imports: Vec<RecordedImport>,
    /// What the imports hand over, as the file has it.
    handed: Vec<String>,
}

/// What stands before the calls of a program with one import, `env.print_int`.
pub(crate) fn printing(program: &[u8]) -> Header {
    let mut writer = Writer::new(1);
    writer.number(program.len() as u64);
    writer.bytes.extend(CHECK.checksum(program).to_le_bytes());
    for text in ["elsewhere", "main"] {
        writer.text(text);
    }
    writer.number(1);
    for text in ["env", "print_int", "i>", ""] {
        writer.text(text);
    }
    writer.check(4);
    writer.number(0);
    writer.number(0);
    writer.check(4);
    all(&writer.bytes).expect("it is whole").0
}

/// What stands before the calls of a library that imports nothing.
pub(crate) fn library(program: &[u8]) -> Header {
    Header {
        version: 2,
        program: (program.len() as u64, CHECK.checksum(program)),
        engine: "elsewhere".to_owned(),
        entry: String::new(),
        imports: Vec::new(),
        handed: Vec::new(),
    }
}

/// All of a recording.
pub(crate) fn all(bytes: &[u8]) -> Result<(Header, Vec<Recorded>), HostRecordingError> {
    let mut recording = HostRecording::new(bytes)?;
    let header = Header {
        version: recording.version,
        program: recording.program,
        engine: recording.engine.clone(),
        entry: recording.entry.clone(),
        imports: recording.imports.clone(),
        handed: recording.imports.iter().map(handed).collect(),
    };
    let mut read = Vec::new();
    loop {
        read.push(recording.read_on()?);
        if let Some(Recorded::End(_)) = read.last() {
            return Ok((header, read));
        }
    }
}

/// What the table of the recorders says of the functions that the tests have.
fn handed(import: &RecordedImport) -> String {
    let handed = match import.name.as_str() {
        "fd_write" => "1:iov",
        "path_open" => "2:p3",
        "path_rename" => "1:p2 4:p5",
        _ => "",
    };
    handed.to_owned()
}

struct Writer {
    version: u8,
    bytes: Vec<u8>,
    check: Digest<'static, u32>,
    checked: usize,
}

impl Writer {
    fn new(version: u8) -> Self {
        Self {
            version,
            bytes: [&b"\0borges"[..], &[version]].concat(),
            check: CHECK.digest(),
            checked: 0,
        }
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn signed(&mut self, number: i32) {
        self.number(u64::from(((number << 1) ^ (number >> 31)) as u32));
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    fn sum(&mut self) {
        self.check.update(&self.bytes[self.checked..]);
        self.checked = self.bytes.len();
    }

    fn check(&mut self, size: usize) {
        self.sum();
        let check = self.check.clone().finalize();
        let folded = if size == 2 {
            check ^ (check >> 16)
        } else {
            check
        };
        self.bytes.extend(&folded.to_le_bytes()[..size]);
        self.checked = self.bytes.len();
    }

    fn value(&mut self, value: Value, last: &mut u64) {
        let bits = match value {
            Value::I32(value) => {
                self.signed(value.wrapping_sub(*last as i32));
                u64::from(value as u32)
            }
            Value::I64(value) => {
                let number = value.wrapping_sub(*last as i64);
                self.number(((number << 1) ^ (number >> 63)) as u64);
                value as u64
            }
            other => panic!("{other:?}"),
        };
        *last = bits;
    }
}

impl Writer {
    fn writes(&mut self, writes: &[Write], address: &mut u32) {
        self.number(writes.len() as u64);
        for write in writes {
            self.signed(write.address.wrapping_sub(*address) as i32);
            *address = write.address;
            let length = write.bytes.len() as u64;
            if self.version == 1 {
                self.number(length);
                self.bytes.extend(&write.bytes);
                continue;
            }
            self.number(2 * length);
            if length < 64 {
                self.bytes.extend(&write.bytes);
                continue;
            }
            self.sum();
            let (mut a, mut b) = ([0_u32; 4], [0_u32; 4]);
            let (blocks, rest) = write.bytes.as_chunks::<16>();
            for block in blocks {
                for (lane, word) in block.as_chunks::<4>().0.iter().enumerate() {
                    a[lane] = a[lane]
                        .rotate_left(7)
                        .wrapping_add(u32::from_le_bytes(*word));
                    b[lane] = b[lane].rotate_left(12).wrapping_add(a[lane]);
                }
            }
            for sum in a.iter().chain(&b) {
                self.check.update(&sum.to_le_bytes());
            }
            self.bytes.extend(&write.bytes);
            self.checked = self.bytes.len() - rest.len();
        }
    }

    fn values(&mut self, values: &[Value]) {
        for value in values {
            self.value(*value, &mut 0);
        }
    }
}

/// The letters of values' types.
fn letters_of(values: &[Value]) -> String {
    let letter = |value: &Value| match value {
        Value::I32(_) => 'i',
        Value::I64(_) => 'I',
        other => panic!("{other:?}"),
    };
    values.iter().map(letter).collect()
}

/// A recording with whole checks.
pub(crate) fn written(header: &Header, recorded: &[Recorded]) -> Vec<u8> {
    let mut writer = Writer::new(header.version);
    writer.number(header.program.0);
    writer.bytes.extend(header.program.1.to_le_bytes());
    writer.text(&header.engine);
    writer.text(&header.entry);
    writer.number(header.imports.len() as u64);
    let letters = |types: &[ValType]| -> String {
        let letter = |ty: &ValType| if *ty == ValType::I64 { 'I' } else { 'i' };
        types.iter().map(letter).collect()
    };
    for (import, handed) in header.imports.iter().zip(&header.handed) {
        writer.text(&import.module);
        writer.text(&import.name);
        writer.text(&format!(
            "{}>{}",
            letters(&import.params),
            letters(&import.results)
        ));
        writer.text(handed);
    }
    writer.check(4);
    let mut last: Vec<Vec<u64>> = header
        .imports
        .iter()
        .map(|import| vec![0; import.params.len()])
        .collect();
    let mut address = 0_u32;
    let recorded_after = |at: usize| {
        recorded[at..].iter().find_map(|recorded| match recorded {
            Recorded::Left(results) => Some(results),
            _ => None,
        })
    };
    for (at, recorded) in recorded.iter().enumerate() {
        let call = match recorded {
            Recorded::Call(call) => call,
            Recorded::Entry(entry) => {
                writer.number(header.imports.len() as u64 + 3);
                writer.text(&entry.name);
                // What it returns stands behind it, if it does.
                let results = match recorded_after(at) {
                    Some(results) => letters_of(results),
                    None => String::new(),
                };
                writer.text(&format!("{}>{results}", letters_of(&entry.args)));
                writer.values(&entry.args);
                writer.writes(&entry.writes, &mut address);
                writer.check(2);
                continue;
            }
            Recorded::Left(results) => {
                writer.number(header.imports.len() as u64 + 4);
                writer.values(results);
                writer.check(2);
                continue;
            }
            Recorded::End(end) => {
                writer.number(0);
                let (how, code) = match end {
                    RecordedEnd::Returned => (0, None),
                    RecordedEnd::Exited(code) => (1, Some(*code)),
                    RecordedEnd::Trapped => (2, None),
                    RecordedEnd::Stopped => (3, None),
                };
                writer.number(how);
                code.into_iter().for_each(|code| writer.number(code.into()));
                writer.check(4);
                continue;
            }
        };
        writer.number(call.import as u64 + 1);
        for (value, last) in call.args.iter().zip(&mut last[call.import]) {
            writer.value(*value, last);
        }
        let handed = call.handed.into_iter().flat_map(u16::to_le_bytes);
        writer.bytes.extend(handed);
        for value in &call.results {
            writer.value(*value, &mut 0);
        }
        writer.writes(&call.writes, &mut address);
        writer.check(2);
    }
    writer.bytes
}
