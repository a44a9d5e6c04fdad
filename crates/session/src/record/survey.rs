//! Surveys of programs of model languages in files, to be gone on with.
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

use borges_languages::model::{
    Checkpoints, DigestSize, Explore, Goal, KeptDigests, KeptSurvey, Model, Pending, Progress,
    Report, Surveying, Surveyors, language,
};
use borges_multiverse::graph::{Apart, Counts, Post, Prefixes};
use crc::{CRC_32_ISO_HDLC, Crc};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The first line of a file.
const MAGIC: &[u8] = b"borges survey 1\n";

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
    /// Of several processes that survey it together one is gone, or knows another program.
    #[error("{0}")]
    Apart(#[source] Apart),
}

/// How a survey is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keeping {
    /// Where.
    pub file: PathBuf,
    /// How often, besides at the end.
    pub every: Duration,
}

/// What a survey is asked.
#[derive(Clone, Debug)]
pub struct SurveyAsked {
    /// What the program is called.
    pub name: String,
    /// The program.
    pub model: Model,
    /// How it is explored, and what it is held to.
    pub options: Explore,
    /// What stands for a state.
    pub told: DigestSize,
}

impl SurveyAsked {
    /// It as a process on another computer can read it.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let goals = self.options.goals.iter().map(|goal| Pending {
            goal: goal.text().to_owned(),
            ..Pending::default()
        });
        postcard::to_allocvec(&self.head(goals.collect())).expect("memory does not run out of room")
    }

    /// What another process wrote.
    ///
    /// # Errors
    /// It is none, or of a program that this command cannot read; in words.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, String> {
        let head = postcard::from_bytes(bytes);
        Self::of(&head.map_err(|_| "that is no survey".to_owned())?)
    }

    fn head(&self, goals: Vec<Pending>) -> Head {
        Head {
            name: self.name.clone(),
            language: self.model.dialect().name().to_owned(),
            text: self.model.whole().to_owned(),
            how: self.options.how(),
            debugger: self.options.debugger,
            bits: self.told.bits(),
            goals,
        }
    }

    fn of(head: &Head) -> Result<Self, String> {
        let told = DigestSize::of_bits(head.bits)
            .ok_or("it tells states apart in a way that there is not")?;
        let dialect = language::named(&head.language)
            .ok_or_else(|| format!("there is no language {}", head.language))?;
        let model = Model::parse(dialect, &head.text).map_err(|error| error.to_string())?;
        let goals = head.goals.iter().map(|kept| Goal::read(&model, &kept.goal));
        let goals = goals
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())?;
        let options = Explore {
            debugger: head.debugger,
            goals,
            ..Explore::of_how(&head.how)
        };
        Ok(Self {
            name: head.name.clone(),
            model,
            options,
            told,
        })
    }

    /// Helps another process that surveys the same, as number `place` of processes that work on so many cores.
    ///
    /// # Errors
    /// [`Apart`].
    pub fn help(
        &self,
        place: usize,
        cores: Vec<u32>,
        post: Box<dyn Post<Vec<Pending>> + '_>,
    ) -> Result<(), Apart> {
        let surveying = Surveying {
            told: self.told,
            by: Surveyors::Helping { place, cores, post },
            checkpoints: None,
            from: None,
        };
        let report = self.model.survey(&self.options, |_| true, surveying);
        report.apart.map_or(Ok(()), Err)
    }
}

/// A survey that was kept.
pub struct SurveyFile {
    /// What it was asked.
    pub asked: SurveyAsked,
    /// How far it had come, without the digests, which are read when it goes on.
    survey: KeptSurvey,
    file: PathBuf,
}

/// What a file says first.
#[derive(Serialize, Deserialize)]
struct Head {
    name: String,
    language: String,
    /// With all that it needs of other files.
    text: String,
    how: String,
    debugger: bool,
    bits: u32,
    goals: Vec<Pending>,
}

/// What came of a survey.
#[derive(Debug)]
pub struct SurveyDone {
    /// What it found.
    pub report: Report,
    /// Why it could not be kept at its end, if that was asked for.
    pub unkept: Option<SurveyError>,
}

/// Surveys the states of a program, and keeps the survey if that is asked for. None is kept of a program that is held to
/// having no races.
///
/// # Errors
/// [`SurveyError::Io`] if there is no room for it where it is to be kept, before anything is explored.
pub fn survey(
    asked: &SurveyAsked,
    by: Surveyors<'_>,
    keeping: Option<&Keeping>,
    keep_going: impl FnMut(&Progress) -> bool,
) -> Result<SurveyDone, SurveyError> {
    run(asked, by, keeping, None, keep_going)
}

impl SurveyFile {
    /// Reads what a survey was asked and how far it had come. Whether its digests are whole is seen when they are read,
    /// before anything is explored.
    ///
    /// # Errors
    /// [`SurveyError`].
    pub fn open(path: &Path) -> Result<Self, SurveyError> {
        let mut blocks = Blocks::open(path)?;
        let head: Head = blocks.read()?;
        let shares: Vec<(Counts, Prefixes)> = blocks.read()?;
        let asked = SurveyAsked::of(&head);
        Ok(Self {
            asked: asked.map_err(|why| SurveyError::Program(path.to_owned(), why))?,
            survey: KeptSurvey {
                shares,
                goals: head.goals,
            },
            file: path.to_owned(),
        })
    }

    /// Goes on with it, by any number of workers.
    ///
    /// # Errors
    /// [`SurveyError`].
    pub fn go_on(
        self,
        by: Surveyors<'_>,
        keeping: Option<&Keeping>,
        keep_going: impl FnMut(&Progress) -> bool,
    ) -> Result<SurveyDone, SurveyError> {
        let Self {
            asked,
            survey,
            file,
        } = self;
        let mut blocks = Blocks::open(&file)?;
        let (_head, _shares) = (blocks.next()?, blocks.next()?);
        run(&asked, by, keeping, Some((survey, blocks)), keep_going)
    }
}

fn run(
    asked: &SurveyAsked,
    by: Surveyors<'_>,
    keeping: Option<&Keeping>,
    from: Option<(KeptSurvey, Blocks)>,
    keep_going: impl FnMut(&Progress) -> bool,
) -> Result<SurveyDone, SurveyError> {
    if let Some(Keeping { file, .. }) = keeping {
        let tried = File::create(beside(file));
        tried.map_err(|error| SurveyError::Io(file.clone(), error))?;
    }
    let (mut unkept, unread) = (None, Cell::new(None));
    let file = from.as_ref().map(|(_, blocks)| blocks.path.clone());
    let from = from.map(|(survey, mut blocks)| {
        let unread = &unread;
        let parts = std::iter::from_fn(move || match blocks.digests() {
            Ok(part) => Some(part?.into_iter().map(Some).collect()),
            Err(error) => {
                unread.set(Some(error));
                Some(vec![None])
            }
        });
        let digests: KeptDigests<'_> = Box::new(parts.flatten());
        (survey, digests)
    });
    let checkpoints = keeping.map(|keeping| -> Box<dyn Checkpoints + '_> {
        Box::new(Writer {
            asked,
            keeping,
            last: Instant::now(),
            is_kept: false,
            failed: &mut unkept,
        })
    });
    let surveying = Surveying {
        told: asked.told,
        by,
        checkpoints,
        from,
    };
    let report = asked.model.survey(&asked.options, keep_going, surveying);
    match (unread.into_inner(), &report.apart, file) {
        (Some(error), _, _) => Err(error),
        (None, Some(Apart::Foreign), Some(file)) => Err(SurveyError::Foreign(file)),
        (None, Some(apart), _) => Err(SurveyError::Apart(apart.clone())),
        (None, None, _) => Ok(SurveyDone { report, unkept }),
    }
}

/// Where a file is written until it is whole.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

/// Writes surveys into a file.
struct Writer<'w> {
    asked: &'w SurveyAsked,
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

impl Writer<'_> {
    fn write(
        &self,
        survey: KeptSurvey,
        digests: &mut dyn Iterator<Item = Result<Vec<u128>, Apart>>,
    ) -> io::Result<()> {
        let head = self.asked.head(survey.goals);
        let file = &self.keeping.file;
        let beside = beside(file);
        let mut to = BufWriter::new(File::create(&beside)?);
        to.write_all(MAGIC)?;
        write_block(
            &mut to,
            &postcard::to_allocvec(&head).map_err(io::Error::other)?,
        )?;
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
struct Blocks {
    path: PathBuf,
    from: BufReader<File>,
}

impl Blocks {
    fn open(path: &Path) -> Result<Self, SurveyError> {
        let unread = |error| SurveyError::Io(path.to_owned(), error);
        let mut from = BufReader::new(File::open(path).map_err(unread)?);
        let mut magic = [0; MAGIC.len()];
        match from.read_exact(&mut magic) {
            Ok(()) if magic == *MAGIC => Ok(Self {
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
    fn next(&mut self) -> Result<Option<Vec<u8>>, SurveyError> {
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

    fn read<T: for<'de> Deserialize<'de>>(&mut self) -> Result<T, SurveyError> {
        let block = self.next()?.unwrap_or_default();
        self.known(postcard::from_bytes(&block))
    }

    /// The digests in the next block; none at the end.
    fn digests(&mut self) -> Result<Option<Vec<u128>>, SurveyError> {
        let block = self.next()?;
        block.map(|block| self.known(unpacked(&block))).transpose()
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
