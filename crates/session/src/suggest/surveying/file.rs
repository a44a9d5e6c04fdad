//! Surveys of device programs in files, to be gone on with.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use borges_concolic::{Facts, Noted};
use borges_languages::model::{DigestSize, KeptDigests, Progress, keep_survey};
use borges_multiverse::fingerprint::Digest;
use borges_multiverse::graph::{Counts, NoWay, Prefixes};
use serde::{Deserialize, Serialize};

use super::crew::{Cores, Surveying};
use super::sighted::Seen;
use super::{DeviceAsked, StatesOptions, SurveyedStates, run};
use crate::record::kept::{Blocks, Keeping, SurveyError, Writer};

/// The first line of a file.
const MAGIC: &[u8] = b"borges device survey 2\n";

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
    program: String,
    module: Vec<u8>,
    board: String,
    entry: Option<String>,
    without_events: bool,
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
            program: self.subject.path.display().to_string(),
            module: self.module.clone(),
            board: self.board.clone(),
            entry: self.options.entry.clone(),
            without_events: self.options.without_events,
            solver: self.options.solver.clone(),
            bits: self.told.bits(),
            known,
        }
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
        let head: Head = blocks.read()?;
        let shares = blocks.read()?;
        let unread = |why: String| SurveyError::Program(file.to_owned(), why);
        let told = DigestSize::of_bits(head.bits);
        let told = told
            .ok_or_else(|| unread("it tells states apart in a way that there is not".to_owned()))?;
        let options = StatesOptions {
            entry: head.entry,
            without_events: head.without_events,
            solver: head.solver,
            ..StatesOptions::default()
        };
        let asked = DeviceAsked::of(
            Path::new(&head.program),
            (head.module, head.board),
            options,
            told,
        );
        Ok(Self {
            asked: asked.map_err(|error| unread(error.to_string()))?,
            file: file.to_owned(),
            known: head.known,
            shares,
        })
    }

    /// Goes on with it, on any number of cores.
    ///
    /// # Errors
    /// [`SurveyError`].
    pub fn go_on(
        self,
        cores: Option<u16>,
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
        let cores = Cores::of(cores);
        let done = run((&self.asked, cores), keeping, Some(from), keep_going);
        match unread.into_inner() {
            Some(error) => Err(error),
            None => done?.map_err(|NoWay| SurveyError::Foreign(self.file)),
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
