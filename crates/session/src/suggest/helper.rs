//! A worker elsewhere: explores jobs as whoever put them into a queue would.

use std::path::Path;
use std::time::Duration;

use borges_concolic::{Learned, SystemChoices, solver};

use super::ask::inquire;
use super::errand::{About, Errand};
use super::inquiry::Inquiry;
use super::jobs::Arrived;
use super::{Subject, explore_proving};
use crate::command::question::{Question, Within};
use crate::command::unobserved;
use crate::error::CommandError;
use crate::options::Options;
use crate::program::Opened;
use crate::stage::Stage;

/// A worker's view of an errand: it explores jobs that are part of it.
pub struct Helper {
    name: String,
    asked: Asked,
}

/// What is explored.
enum Asked {
    Paths(Box<Subject>),
    Universe(Box<Inquiry>),
}

/// What one thread of a worker has learned of one run of jobs.
#[derive(Default)]
pub struct HelperMemory(Option<Learned>);

impl Helper {
    /// Reads an errand, and goes to where the question is asked.
    ///
    /// # Errors
    /// It is none, or its program does not open here, or does not come there: in words.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, String> {
        let errand = Errand::of_bytes(bytes)?;
        let (path, opened) = (errand.path(), errand.open()?);
        let asked = match &errand.about {
            About::Paths {
                after,
                stdin,
                faults,
                more,
            } => {
                let mut subject = Subject::of(&path, opened);
                subject.start.choices = SystemChoices {
                    stdin: *stdin,
                    faults: *faults,
                    more: *more,
                    ..SystemChoices::default()
                };
                subject.run_until_input(*after);
                Asked::Paths(Box::new(subject))
            }
            About::Universe {
                moment,
                question,
                within,
            } => {
                let bad = |error: serde_json::Error| error.to_string();
                let question: Question = serde_json::from_str(question).map_err(bad)?;
                let within: Within = serde_json::from_str(within).map_err(bad)?;
                let inquiry = inquire_at(&path, opened, moment, question, within)?;
                Asked::Universe(Box::new(inquiry))
            }
        };
        let name = path.display().to_string();
        Ok(Helper { name, asked })
    }

    /// What the program is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Explores a job that was put into a queue; the answer to it. `is_short` says whether others wait for jobs: then what
    /// they can do is left to them. `goes_on` is asked every few milliseconds whether anybody still wants to know.
    ///
    /// # Errors
    /// It is no job.
    pub fn explore(
        &self,
        job: &[u8],
        memory: &mut HelperMemory,
        is_short: &dyn Fn() -> bool,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Vec<u8>, String> {
        let Some(job) = Arrived::of_bytes(job) else {
            return Err("that is no job".to_owned());
        };
        let task = job.task.clone();
        if let Err(why) = solver::named(task.solver.as_deref(), Duration::ZERO) {
            return Ok(job.give_up(format!("a worker: {why}")));
        }
        let learned = &mut memory.0;
        Ok(match &self.asked {
            Asked::Paths(subject) => job.explore(learned, is_short, goes_on, &|part, budget| {
                let search = part.search(&task.order, || task.solver());
                explore_proving(subject, search, budget)
            }),
            Asked::Universe(inquiry) => {
                let turn = job.turn.map(|turn| inquiry.turns.get(turn as usize));
                let start = match turn {
                    None => &inquiry.start,
                    Some(Some((_, start))) => start,
                    Some(None) => return Ok(job.give_up("there is no such choice".to_owned())),
                };
                job.explore(learned, is_short, goes_on, &|part, budget| {
                    (
                        inquiry.explore_part(start, part, &task, budget),
                        Vec::<()>::new(),
                    )
                })
            }
        })
    }

    /// The answer to a job that nobody can do: whoever put it leaves it out, and says why.
    ///
    /// # Errors
    /// It is no job.
    pub fn give_up(job: &[u8], why: &str) -> Result<Vec<u8>, String> {
        let job = Arrived::of_bytes(job).ok_or("that is no job")?;
        Ok(job.give_up(why.to_owned()))
    }
}

/// A question about a universe that was named elsewhere.
fn inquire_at(
    path: &Path,
    opened: Opened,
    moment: &str,
    question: Question,
    within: Within,
) -> Result<Inquiry, String> {
    let mut stage = Stage::new(opened, 0, &Options::new(path));
    let words = |error: CommandError| error.to_string();
    let at = stage.moment_named(moment, &mut unobserved).map_err(words)?;
    stage
        .history
        .seek(at, &mut unobserved)
        .map_err(|e| words(e.into()))?;
    inquire(&mut stage, question, within, &mut unobserved).map_err(words)
}
