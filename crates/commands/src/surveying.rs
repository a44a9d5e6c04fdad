//! What is typed of surveys, and said of them, whatever the program.

use std::path::PathBuf;
use std::time::Duration;

use borges_languages::model::SurveyNote;
use borges_session::model::{MOST_CORES, SurveyWithin};
use borges_session::survey::Keeping;

use crate::arguments::{large, seconds, small, words_until};
use crate::cursor::{Cursor, Misread, Word};
use crate::paint::{Paint, count};

/// How often a survey is kept in its file, if nothing is said.
const EVERY: Duration = Duration::from_secs(300);

/// What can be typed behind `survey`.
pub(crate) struct Syntax {
    /// What goals begin with.
    pub(crate) goals: &'static [&'static str],
    /// What must follow.
    pub(crate) missing: &'static str,
    /// All words: a value follows where there is a sign for it.
    pub(crate) words: &'static [&'static str],
}

impl Syntax {
    /// `[GOAL]... [BOUNDS]`; `other` is given what is no goal and no bound of all surveys, with its value if it has one.
    pub(crate) fn read(
        &self,
        cursor: &mut Cursor<'_>,
        mut other: impl FnMut(&str, Option<Word<'_>>) -> Result<bool, Misread>,
    ) -> Result<(SurveyWithin, Option<Keeping>), Misread> {
        let mut within = SurveyWithin::default();
        let (mut file, mut every) = (None, None);
        while let Some(word) = cursor.word() {
            let Some((name, value)) = word.text.split_once('=') else {
                if self.goals.contains(&word.text) {
                    let goal = words_until(cursor, |cursor| self.is_other(cursor));
                    let goal = goal.ok_or_else(|| cursor.missing(self.missing))?;
                    within.goals.push(format!("{} {goal}", word.text));
                } else if !other(word.text, None)? {
                    let error = Misread::of(word, "expected a bound such as states=1000000");
                    return Err(error.hint(self.words.join(", ")));
                }
                continue;
            };
            let value = Word {
                text: value,
                at: word.at + name.len() + 1,
            };
            match name {
                "states" => within.states = Some(large(value)?),
                "depth" => within.depth = Some(small(value)?),
                "time" => within.time_ms = Some(seconds(value)?),
                "cores" => within.cores = Some(cores(value)?),
                "bits" => within.wide = is_wide(value)?,
                "checkpoint" | "resume" if value.text.is_empty() => {
                    return Err(Misread::of(word, "something is missing: a file"));
                }
                "checkpoint" => file = Some(PathBuf::from(value.text)),
                "resume" => within.resume = Some(PathBuf::from(value.text)),
                "every" => every = Some((word, seconds(value)?)),
                _ if other(name, Some(value))? => {}
                _ => {
                    let error = Misread::of(word, format!("there is no bound '{name}'"));
                    return Err(error.hint(self.words.join(", ")));
                }
            }
        }
        let file = file.or_else(|| within.resume.clone());
        let keeping = match (file, every) {
            (None, Some((word, _))) => {
                let error = Misread::of(word, "a survey is kept nowhere");
                return Err(error.hint("say where: checkpoint=FILE"));
            }
            (file, every) => file.map(|file| Keeping {
                file,
                every: every.map_or(EVERY, |(_, ms)| Duration::from_millis(ms.into())),
            }),
        };
        Ok((within, keeping))
    }

    /// Whether the next word is no part of a goal.
    fn is_other(&self, cursor: &Cursor<'_>) -> bool {
        cursor.peek().is_some_and(|word| {
            let name = word
                .text
                .split_once('=')
                .map_or(word.text, |(name, _)| name);
            let known = self
                .words
                .iter()
                .find(|known| known.trim_end_matches('=') == name);
            known.is_some_and(|known| known.ends_with('=') == word.text.contains('='))
        })
    }
}

fn cores(value: Word<'_>) -> Result<u16, Misread> {
    let cores = u16::try_from(large(value)?).ok();
    let wrong = || Misread::of(value, "so many cores cannot compute");
    let known = cores.filter(|cores| (1..=MOST_CORES).contains(cores));
    known.ok_or_else(|| wrong().hint(format!("from 1 to {MOST_CORES}; without it, all")))
}

fn is_wide(value: Word<'_>) -> Result<bool, Misread> {
    match value.text {
        "64" => Ok(false),
        "128" => Ok(true),
        _ => Err(Misread::of(value, "digests have 64 or 128 bits")),
    }
}

/// What a survey tells states apart by, and how far they are.
pub(crate) fn told_apart(survey: &SurveyNote, paint: &Paint) -> String {
    let note = format!(
        "told apart by {} bits each: that a state is missing for that has a probability of {:.1e}; \
         the farthest are {} from the start",
        survey.bits,
        survey.collision_risk,
        count(survey.depth.into(), "step"),
    );
    format!("{}\n", paint.dim(note))
}
