//! `survey`: all states counted, without their graph.

use std::fmt::Write as _;

use borges_languages::model::Why;
use borges_session::command::Observer;
use borges_session::model::{ModelSession, SurveyTold, SurveyWithin};
use borges_session::survey::Keeping;
use serde_json::json;

use crate::cursor::{Cursor, Misread};
use crate::interpreter::Said;
use crate::paint::{Paint, count, grouped};
use crate::surveying::Syntax;

use super::outcomes::{More, found, judged};
use super::{shown, watched};

pub(super) const DETAILS: &str = "Of a state only a digest is kept, so the answer is how many there are, the outcomes \
(traces: with a shortest way to each; verbose: with the values that all have), and how probable it is that two states were taken for one. BOUNDS: states=1000000, \
depth=50 (steps from the start), time=60 (seconds), cores=2 (without it, all), bits=128 (of a digest; 64 if nothing is said), \
checkpoint=FILE (kept there too, for 'borges explore --resume FILE'), every=300 (seconds), resume=FILE (goes on with what was \
kept there, and is kept there again). Ctrl-C or a bound ends it, and the next 'survey' goes on from there. GOAL: 'forbid \
deadlock', stuck, failed, race or a predicate as for 'break when', which no run comes to; 'expect' and one that every end \
satisfies. What speaks against it comes with a shortest way there. With goals it begins anew each time, but for what \
resume=FILE goes on with, with its own goals.";

/// The bounds as they are typed.
pub(super) const WORDS: &[&str] = &[
    "traces",
    "verbose",
    "forbid",
    "expect",
    "states=",
    "depth=",
    "time=",
    "cores=",
    "bits=",
    "checkpoint=",
    "every=",
    "resume=",
];

/// What a line asks of a survey.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurveyLine {
    /// How far it goes.
    pub within: SurveyWithin,
    /// Where it is kept besides.
    pub keeping: Option<Keeping>,
    /// Whether a shortest way to each outcome is shown.
    pub traces: bool,
    /// Whether values are shown that all outcomes have.
    pub verbose: bool,
}

const SYNTAX: Syntax = Syntax {
    goals: &["forbid", "expect"],
    missing: "a predicate, for example 'x > 3', or 'deadlock'",
    words: WORDS,
};

/// `[traces] [verbose] [GOAL]... [BOUNDS]`.
pub(super) fn surveying(cursor: &mut Cursor<'_>) -> Result<SurveyLine, Misread> {
    let (mut traces, mut verbose) = (false, false);
    let (within, keeping) = SYNTAX.read(cursor, |name, _| {
        match name {
            "traces" => traces = true,
            "verbose" => verbose = true,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(SurveyLine {
        within,
        keeping,
        traces,
        verbose,
    })
}

impl SurveyLine {
    /// Surveys, and says what that came to.
    pub(super) fn answer(
        &self,
        session: &mut ModelSession,
        paint: &Paint,
        observer: Observer<'_>,
    ) -> Said {
        let surveyed = session.survey(&self.within, self.keeping.as_ref(), watched(observer));
        let surveyed = surveyed.map_err(shown)?;
        let unkept = surveyed.unkept.as_ref().map(shown);
        let value = json!({
            "reply": "survey",
            "report": surveyed.report,
            "seconds": surveyed.seconds,
            "memory_bytes": surveyed.memory_bytes,
            "unkept": unkept,
        });
        let mut text = self.text(&surveyed, paint);
        if let Some(why) = unkept {
            let note = format!("what was found was not kept: {why}");
            let _ = writeln!(text, "{}", paint.warning(note));
        }
        Ok((text, value))
    }

    fn text(&self, surveyed: &SurveyTold, paint: &Paint) -> String {
        let more = More {
            values: self.verbose,
            ways: self.traces,
        };
        let report = &surveyed.report;
        let mut text = found(report, more, "'survey verbose'", paint);
        let _ = writeln!(text, "{}", paint.dim(took(surveyed)));
        if let Some(why) = report.why {
            let next = self.next(why, surveyed.is_held);
            let _ = writeln!(text, "{}", paint.warning(format!("not all: {next}")));
        }
        text + &judged(report, "where", paint)
    }

    /// What is left, and how to go on.
    fn next(&self, why: Why, is_held: bool) -> String {
        let file = self.keeping.as_ref().map(|keeping| &keeping.file);
        let on = match (is_held, file) {
            (true, _) => "'survey' goes on".to_owned(),
            (false, Some(file)) => format!("'survey resume={}' goes on", file.display()),
            (false, None) => "with checkpoint=FILE it can be gone on with".to_owned(),
        };
        match why {
            Why::States => format!("there are more states: {on}, states= says how far"),
            Why::Depth => format!("some paths are longer: {on}, depth= says how far"),
            Why::Cancelled => format!("it was stopped: {on}{}", from_there(is_held)),
            Why::Time => format!("the time is used up: {on}{}", from_there(is_held)),
            Why::Met | Why::Unfollowed => {
                "some runs are not followed to their ends: their outcomes say why".to_owned()
            }
        }
    }
}

/// What it took; what is next to nothing is different every time, and nobody wants to know.
fn took(surveyed: &SurveyTold) -> String {
    let SurveyTold {
        report,
        seconds,
        memory_bytes,
        ..
    } = surveyed;
    let time = match *seconds {
        seconds if seconds < 1.0 => "less than a second".to_owned(),
        seconds => format!("{seconds:.1} s"),
    };
    let memory = match memory_bytes / 1_000_000 {
        0 => "less than a megabyte".to_owned(),
        megabytes => format!("{} MB", grouped(megabytes)),
    };
    let mut text = format!("{time}, {memory}");
    if let Some(survey) = &report.survey {
        let cores = count(survey.workers as u64, "core");
        text = format!("{text}, {cores}");
        if survey.asks > 0 {
            let _ = write!(text, ", {} asked", grouped(survey.asks));
        }
    }
    text
}

/// Where what is held goes on.
fn from_there(is_held: bool) -> &'static str {
    if is_held { " from there" } else { "" }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn so_many_cores_compute() {
        let cores = |text: &str| {
            let survey = surveying(&mut Cursor::new(text));
            survey.ok().map(|survey| survey.within.cores)
        };
        assert_eq!(cores(""), Some(None));
        assert_eq!(cores("cores=1"), Some(Some(1)));
        assert_eq!(cores("cores=1024"), Some(Some(1024)));
        assert_eq!(cores("cores=1025"), None);
        assert_eq!(cores("cores=0"), None);
    }

    /// A goal ends where something else begins that a survey is told, and nowhere else.
    #[test]
    fn goals_are_told_apart() {
        let read = |text: &str| surveying(&mut Cursor::new(text));
        let survey = read("forbid x == 2 cores=1 expect depth > 3 forbid deadlock traces");
        let survey = survey.expect("it is a survey");
        let goals = ["forbid x == 2", "expect depth > 3", "forbid deadlock"];
        assert_eq!(survey.within.goals, goals);
        assert_eq!(survey.within.cores, Some(1));
        assert!(survey.traces && !survey.verbose);
        assert!(read("forbid").is_err() && read("forbid cores=1").is_err());
        let resumed = read("resume=a.bx every=5").expect("it is a survey");
        let kept = resumed.keeping.expect("it is kept where it was");
        assert_eq!(kept.file, PathBuf::from("a.bx"));
        let other = read("checkpoint=b.bx resume=a.bx").expect("it is a survey");
        assert_eq!(
            other.keeping.map(|kept| kept.file),
            Some(PathBuf::from("b.bx"))
        );
    }
}
