//! Surveys of programs of model languages, alone or with others, kept in files.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use borges_languages::model::{
    Checkpoints, DigestSize, Explore, Goal, KeptSurvey, Model, Pending, Progress, Report,
    Surveying, Surveyors, language,
};
use borges_multiverse::graph::{Apart, Counts, Letter, Post, Prefixes};
use serde::{Deserialize, Serialize};

pub use super::kept::SurveyError;
use super::kept::{Blocks, Writer};
pub use crate::command::surveying::Keeping;

/// The first line of a file.
const MAGIC: &[u8] = b"borges survey 1\n";

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

    /// Whether its states are those of another one.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        let program = |asked: &Self| asked.model.dialect().name();
        program(self) == program(other)
            && self.model.whole() == other.model.whole()
            && self.options.how() == other.options.how()
            && self.options.debugger == other.options.debugger
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
        post: Box<dyn Post<Letter<Vec<Pending>>> + '_>,
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
        let mut blocks = Blocks::open(path, MAGIC)?;
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
        let mut blocks = Blocks::open(&file, MAGIC)?;
        let (_head, _shares) = (blocks.next()?, blocks.next()?);
        let from = Some((survey, blocks, file));
        run(&asked, by, keeping, from, keep_going)
    }
}

fn run(
    asked: &SurveyAsked,
    by: Surveyors<'_>,
    keeping: Option<&Keeping>,
    from: Option<(KeptSurvey, Blocks, PathBuf)>,
    keep_going: impl FnMut(&Progress) -> bool,
) -> Result<SurveyDone, SurveyError> {
    keeping.map_or(Ok(()), Keeping::try_room)?;
    let (mut unkept, unread) = (None, Cell::new(None));
    let file = from.as_ref().map(|(.., file)| file.clone());
    let from = from.map(|(survey, blocks, _)| (survey, blocks.all_digests(&unread)));
    let checkpoints = keeping.map(|keeping| -> Box<dyn Checkpoints + '_> {
        let head = |goals| asked.head(goals);
        Box::new(Writer::new((MAGIC, keeping), head, &mut unkept))
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
