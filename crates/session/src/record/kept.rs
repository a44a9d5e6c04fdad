//! Surveys in files, to be gone on with.
//!
//! A file has a line that says what it is, then blocks, each with its length in eight bytes before it and its CRC-32 in
//! four after it: what was asked, what each worker has to go on with, and the digests of all states in sorted parts, each
//! the difference to the one before. It is written beside the old one and takes its place when it is whole: whoever is
//! killed meanwhile has the old one.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use borges_languages::model::{Checkpoints, KeptDigests, KeptSurvey, Pending};
use borges_multiverse::graph::Apart;
use crc::{CRC_32_ISO_HDLC, Crc};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::command::surveying::Keeping;

const CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// A block of more bytes is damage: parts are written that are smaller by far.
const MOST: u64 = 1 << 36;

/// Why a survey is not gone on with, or not kept.
#[derive(Debug, Error)]
pub enum SurveyError {
    /// The file cannot be read or written.
    #[error("{0}: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// It is another file.
    #[error("{0} is no survey that was kept: such a file begins with 'borges survey 1'")]
    Other(PathBuf),
    /// It was cut or changed.
    #[error("{0} is damaged: {1}")]
    Damaged(PathBuf, &'static str),
    /// It is of a program that this command cannot read.
    #[error("{0}: its program cannot be read by this version: {1}")]
    Program(PathBuf, String),
    /// Its states are none of its program.
    #[error(
        "{0}: its states are not those of its program here: it was kept by another build of borges"
    )]
    Foreign(PathBuf),
    /// It is not asked what can be asked, in words.
    #[error("{0}")]
    Refused(String),
    /// Of several processes that survey it together one is gone, or knows another program.
    #[error("{0}")]
    Apart(#[source] Apart),
}

impl Keeping {
    /// Whether there is room where it is to be kept.
    pub(crate) fn try_room(&self) -> Result<(), SurveyError> {
        let tried = File::create(beside(&self.file));
        let tried = tried.map_err(|error| SurveyError::Io(self.file.clone(), error));
        tried.map(|_| ())
    }
}

/// Where a file is written until it is whole.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

/// What a file says first.
type Head<'w> = dyn Fn(Vec<Pending>) -> postcard::Result<Vec<u8>> + 'w;

/// Writes surveys into a file.
pub(crate) struct Writer<'w> {
    magic: &'static [u8],
    head: Box<Head<'w>>,
    keeping: &'w Keeping,
    /// When it was kept, or begun.
    last: Instant,
    is_kept: bool,
    /// Why the last one could not be written.
    failed: &'w mut Option<SurveyError>,
}

impl Checkpoints for Writer<'_> {
    fn is_due(&mut self) -> bool {
        self.last.elapsed() >= self.keeping.every
    }

    fn last(&self) -> Option<Duration> {
        self.is_kept.then(|| self.last.elapsed())
    }

    fn keep(
        &mut self,
        survey: KeptSurvey,
        digests: &mut dyn Iterator<Item = Result<Vec<u128>, Apart>>,
    ) {
        let file = &self.keeping.file;
        let written = self.write(survey, digests);
        if written.is_err() {
            // Half of one is of no use to anybody.
            let _ = std::fs::remove_file(beside(file));
        }
        self.is_kept |= written.is_ok();
        *self.failed = written
            .err()
            .map(|error| SurveyError::Io(file.clone(), error));
        self.last = Instant::now();
    }
}

impl<'w> Writer<'w> {
    /// A file begins with the line `magic`, and with what `head` makes of what is known of goals.
    pub(crate) fn new<H: Serialize>(
        (magic, keeping): (&'static [u8], &'w Keeping),
        head: impl Fn(Vec<Pending>) -> H + 'w,
        failed: &'w mut Option<SurveyError>,
    ) -> Self {
        Writer {
            magic,
            head: Box::new(move |goals| postcard::to_allocvec(&head(goals))),
            keeping,
            last: Instant::now(),
            is_kept: false,
            failed,
        }
    }

    fn write(
        &self,
        survey: KeptSurvey,
        digests: &mut dyn Iterator<Item = Result<Vec<u128>, Apart>>,
    ) -> io::Result<()> {
        let head = (self.head)(survey.goals).map_err(io::Error::other)?;
        let file = &self.keeping.file;
        let beside = beside(file);
        let mut to = BufWriter::new(File::create(&beside)?);
        to.write_all(self.magic)?;
        write_block(&mut to, &head)?;
        write_block(
            &mut to,
            &postcard::to_allocvec(&survey.shares).map_err(io::Error::other)?,
        )?;
        for part in digests {
            let part = packed(&part.map_err(io::Error::other)?);
            write_block(&mut to, &part.map_err(io::Error::other)?)?;
        }
        // An empty one is the end: a file that was cut between two blocks is not whole.
        write_block(&mut to, &[])?;
        to.into_inner()
            .map_err(io::IntoInnerError::into_error)?
            .sync_all()?;
        std::fs::rename(&beside, file)
    }
}

fn write_block(to: &mut impl Write, block: &[u8]) -> io::Result<()> {
    to.write_all(&(block.len() as u64).to_le_bytes())?;
    to.write_all(block)?;
    to.write_all(&CRC.checksum(block).to_le_bytes())
}

/// The blocks of a file.
pub(crate) struct Blocks {
    path: PathBuf,
    from: BufReader<File>,
}

impl Blocks {
    /// A file that begins with that line.
    pub(crate) fn open(path: &Path, magic: &[u8]) -> Result<Self, SurveyError> {
        let unread = |error| SurveyError::Io(path.to_owned(), error);
        let mut from = BufReader::new(File::open(path).map_err(unread)?);
        let mut first = vec![0; magic.len()];
        match from.read_exact(&mut first) {
            Ok(()) if first == magic => Ok(Self {
                path: path.to_owned(),
                from,
            }),
            _ => Err(SurveyError::Other(path.to_owned())),
        }
    }

    fn damaged(&self, what: &'static str) -> SurveyError {
        SurveyError::Damaged(self.path.clone(), what)
    }

    /// The next block; none at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<u8>>, SurveyError> {
        let cut = "it ends too early";
        let mut len = [0; 8];
        self.from
            .read_exact(&mut len)
            .map_err(|_| self.damaged(cut))?;
        let len = u64::from_le_bytes(len);
        if len > MOST {
            return Err(self.damaged("a length is out of bounds"));
        }
        // Memory is taken for what is there, whatever the length says.
        let mut block = Vec::new();
        let read = (&mut self.from).take(len).read_to_end(&mut block);
        read.map_err(|error| SurveyError::Io(self.path.clone(), error))?;
        let mut sum = [0; 4];
        self.from
            .read_exact(&mut sum)
            .map_err(|_| self.damaged(cut))?;
        if block.len() as u64 != len || CRC.checksum(&block) != u32::from_le_bytes(sum) {
            return Err(self.damaged("a block is not what was written"));
        }
        Ok((!block.is_empty()).then_some(block))
    }

    /// What the next block says.
    pub(crate) fn read<T: for<'de> Deserialize<'de>>(&mut self) -> Result<T, SurveyError> {
        let block = self.next()?.unwrap_or_default();
        self.known(postcard::from_bytes(&block))
    }

    /// The digests in the next block; none at the end.
    fn digests(&mut self) -> Result<Option<Vec<u128>>, SurveyError> {
        let block = self.next()?;
        block.map(|block| self.known(unpacked(&block))).transpose()
    }

    /// The digests in all blocks that are left; why they cannot be read to their end comes to `unread`.
    pub(crate) fn all_digests(mut self, unread: &Cell<Option<SurveyError>>) -> KeptDigests<'_> {
        let parts = std::iter::from_fn(move || match self.digests() {
            Ok(part) => Some(part?.into_iter().map(Some).collect()),
            Err(error) => {
                unread.set(Some(error));
                Some(vec![None])
            }
        });
        Box::new(parts.flatten())
    }

    fn known<T>(&self, read: postcard::Result<T>) -> Result<T, SurveyError> {
        read.map_err(|_| self.damaged("a block says nothing that is known"))
    }
}

/// Sorted numbers, each as the difference to the one before, which takes few bytes.
fn packed(sorted: &[u128]) -> postcard::Result<Vec<u8>> {
    let mut last = 0;
    let steps = sorted
        .iter()
        .map(|number| number.wrapping_sub(std::mem::replace(&mut last, *number)));
    postcard::to_allocvec(&steps.collect::<Vec<_>>())
}

fn unpacked(bytes: &[u8]) -> postcard::Result<Vec<u128>> {
    let mut numbers: Vec<u128> = postcard::from_bytes(bytes)?;
    let mut last = 0_u128;
    for number in &mut numbers {
        last = last.wrapping_add(*number);
        *number = last;
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_numbers_are_what_they_were() {
        let numbers = [
            0,
            1,
            127,
            128,
            1 << 20,
            u128::from(u64::MAX),
            1 << 127,
            u128::MAX,
        ];
        let none = packed(&[]).unwrap();
        assert_eq!(unpacked(&packed(&numbers).unwrap()).unwrap(), numbers);
        assert_eq!(unpacked(&none).unwrap(), []);
        assert!(!none.is_empty());
    }
}
