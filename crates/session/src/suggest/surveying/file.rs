//! Surveys of device programs in files, to be gone on with.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use borges_concolic::{Facts, Noted};
use borges_languages::model::{DigestSize, KeptDigests, Progress, keep_survey};
use borges_multiverse::fingerprint::Digest;
use borges_multiverse::graph::{Apart, Counts, Prefixes};
use serde::{Deserialize, Serialize};

use super::sighted::Seen;
use super::{DeviceAsked, DeviceSurveyors, Parcel, StatesOptions, Subject, SurveyedStates, run};
use crate::command::proof::{Demand, Demanded};
use crate::command::surveying::Keeping;
use crate::record::kept::{Blocks, SurveyError, Writer};
use crate::suggest::looking::Surveying;

/// The first line of a file.
const MAGIC: &[u8] = b"borges device survey 4\n";

/// A survey that was kept.
pub struct DeviceSurveyFile {
    /// What it was asked.
    pub asked: DeviceAsked,
    file: PathBuf,
    known: Come,
    shares: Vec<(Counts, Prefixes)>,
}

/// What a survey has come to, besides states.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Come {
    pub(super) facts: Facts,
    pub(super) noted: Noted,
    pub(super) seen: Seen,
    /// The ways to the states that stand for what they are all of.
    pub(super) covering: Prefixes,
}

/// What a file says first.
#[derive(Serialize, Deserialize)]
struct Head {
    program: Parcel,
    /// The function that is called, in words.
    entry: String,
    demands: Vec<Demanded>,
    without_events: bool,
    faults: bool,
    piece: Option<u32>,
    solver: Option<String>,
    bits: u32,
    known: Come,
}

/// What to go on from.
pub(super) struct Before<'f> {
    pub(super) known: Come,
    pub(super) shares: Vec<(Counts, Prefixes)>,
    pub(super) digests: KeptDigests<'f>,
}

impl DeviceAsked {
    fn head(&self, known: Come) -> Head {
        Head {
            program: self.program.clone(),
            entry: self.subject.entry.clone(),
            demands: self.demands.clone(),
            without_events: self.options.without_events,
            faults: self.options.faults,
            piece: self.options.piece,
            solver: self.options.solver.clone(),
            bits: self.told.bits(),
            known,
        }
    }

    /// It as a process on another computer can read it.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let solver = self.options.solver();
        let solver = solver.map_or_else(|| "none".to_owned(), |solver| solver.name().to_owned());
        let head = Head {
            // By whom it is answered here, or other states would be found there.
            solver: Some(solver),
            ..self.head(Come::default())
        };
        postcard::to_allocvec(&head).expect("memory does not run out of room")
    }

    /// What another process wrote.
    ///
    /// # Errors
    /// It is none, or of a program that this command cannot read; in words.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, String> {
        let head = postcard::from_bytes(bytes);
        let head: Head = head.map_err(|_| "that is no survey".to_owned())?;
        Self::of_head(head)
    }

    fn of_head(head: Head) -> Result<Self, String> {
        let told = DigestSize::of_bits(head.bits)
            .ok_or("it tells states apart in a way that there is not")?;
        let options = StatesOptions {
            without_events: head.without_events,
            faults: head.faults,
            piece: head.piece,
            solver: head.solver,
            ..StatesOptions::default()
        };
        if head
            .demands
            .iter()
            .any(|asked| asked.demand == Demand::Limit)
        {
            return Err("it asks for limits of the board, which nobody has to".to_owned());
        }
        let path = head.program.path();
        let opened = head.program.open().map_err(|error| error.to_string())?;
        let subject = Subject {
            entry: head.entry,
            ..Subject::of(&path, opened)
        };
        let asked = Self::of((subject, head.program), (options, head.demands), told);
        asked.map_err(|error| error.to_string())
    }
}

impl DeviceSurveyFile {
    /// Reads what a survey was asked and how far it had come. Whether its digests are whole is seen when they are read,
    /// before anything is explored.
    ///
    /// # Errors
    /// [`SurveyError`].
    pub fn open(file: &Path) -> Result<Self, SurveyError> {
        let mut blocks = Blocks::open(file, MAGIC)?;
        let mut head: Head = blocks.read()?;
        let shares = blocks.read()?;
        let known = std::mem::take(&mut head.known);
        let asked = DeviceAsked::of_head(head);
        Ok(Self {
            asked: asked.map_err(|why| SurveyError::Program(file.to_owned(), why))?,
            file: file.to_owned(),
            known,
            shares,
        })
    }

    /// Goes on with it, on any number of cores, and by any number of processes.
    ///
    /// # Errors
    /// [`SurveyError`].
    pub fn go_on(
        self,
        by: DeviceSurveyors,
        keeping: Option<&Keeping>,
        keep_going: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<SurveyedStates, SurveyError> {
        let mut blocks = Blocks::open(&self.file, MAGIC)?;
        let (_head, _shares) = (blocks.next()?, blocks.next()?);
        let unread = Cell::new(None);
        let from = Before {
            known: self.known,
            shares: self.shares,
            digests: blocks.all_digests(&unread),
        };
        let done = run((&self.asked, by), keeping, Some(from), keep_going);
        match (unread.into_inner(), done) {
            (Some(error), _) => Err(error),
            (None, Err(SurveyError::Apart(Apart::Foreign))) => Err(SurveyError::Foreign(self.file)),
            (None, done) => done,
        }
    }
}

/// Writes checkpoints.
pub(super) struct Keeper<'k> {
    pub(super) to: Writer<'k>,
    /// What the next one says first.
    known: Rc<RefCell<Come>>,
}

impl<'k> Keeper<'k> {
    /// Writes those of a survey; why one could not be written comes to `unkept`.
    pub(super) fn new(
        asked: &'k DeviceAsked,
        keeping: &'k Keeping,
        unkept: &'k mut Option<SurveyError>,
    ) -> Self {
        let known = Rc::new(RefCell::new(Come::default()));
        let told = Rc::clone(&known);
        let head = move |_| asked.head(told.borrow().clone());
        Self {
            to: Writer::new((MAGIC, keeping), head, unkept),
            known,
        }
    }

    /// Keeps a survey, of which this is known.
    pub(super) fn keep<F: Digest>(&mut self, survey: &Surveying<'_, F>, known: Come) {
        self.known.replace(known);
        keep_survey(&mut self.to, survey, Vec::new());
    }
}
