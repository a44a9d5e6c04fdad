//! The surveys of a session's program: what they are told, and what came of them.

use std::path::Path;
use std::time::{Duration, Instant};

use borges_languages::model::{
    DigestSize, Explore, Goal, HeldSurvey, Model, Progress, Report, Surveyors,
};

use super::survey::{SurveyAsked, SurveyDone, SurveyError, SurveyFile, survey};
use crate::command::surveying::{Keeping, MOST_CORES, SurveyWithin};

impl SurveyWithin {
    /// What stands for a state.
    pub(crate) const fn told(&self) -> DigestSize {
        match self.wide {
            true => DigestSize::By128,
            false => DigestSize::By64,
        }
    }

    /// How many cores compute, if not all do.
    fn several(&self) -> Option<usize> {
        let cores = self.cores?;
        Some(cores.clamp(1, MOST_CORES).into())
    }

    /// As far as this goes, `options` besides.
    fn bounding(&self, options: Explore) -> Explore {
        Explore {
            states: self.states.map_or(usize::MAX, |states| {
                usize::try_from(states).unwrap_or(usize::MAX)
            }),
            depth: self.depth.unwrap_or(u32::MAX),
            time: self.time_ms.map(|ms| Duration::from_millis(ms.into())),
            ..options
        }
    }

    /// What the program is held to.
    fn goals_of(&self, model: &Model) -> Result<Vec<Goal>, SurveyError> {
        let read = |text: &String| {
            let goal = Goal::read(model, text);
            goal.map_err(|error| SurveyError::Refused(format!("'{text}': {error}")))
        };
        self.goals.iter().map(read).collect()
    }
}

/// What came of a survey of a session's program.
#[derive(Debug)]
pub struct SurveyTold {
    /// What was found, with all that was found before where it went on.
    pub report: Report,
    /// How long it took, without what was done before.
    pub seconds: f64,
    /// Bytes of its tables and lists, when they were most.
    pub memory_bytes: u64,
    /// Whether the next one goes on from here.
    pub is_held: bool,
    /// Why it could not be kept at its end, if that was asked for.
    pub unkept: Option<SurveyError>,
}

/// The survey of a session to go on with, and where it is kept.
#[derive(Debug, Default)]
pub(super) struct Surveys {
    held: HeldSurvey,
    kept_in: Option<Keeping>,
}

impl Surveys {
    /// Surveys a program of this name that is explored so. One without goals goes on with what is held, and is held itself;
    /// of states that were looked at nothing is known for goals, so one with goals begins anew, and what is held stays.
    ///
    /// # Errors
    /// [`SurveyError`], before anything is explored but where a goal means nothing in any state.
    pub(super) fn survey(
        &mut self,
        (name, model, options): (&str, &Model, &Explore),
        within: &SurveyWithin,
        keeping: Option<&Keeping>,
        mut keep_going: impl FnMut(&Progress) -> bool,
    ) -> Result<SurveyTold, SurveyError> {
        let (began, mut memory_bytes) = (Instant::now(), 0);
        let watch = |come: &Progress| {
            let bytes = come.survey.map_or(0, |survey| survey.memory_bytes);
            memory_bytes = memory_bytes.max(bytes);
            keep_going(come)
        };
        let asked = SurveyAsked {
            name: name.to_owned(),
            model: model.clone(),
            options: within.bounding(Explore {
                goals: within.goals_of(model)?,
                ..options.clone()
            }),
            told: within.told(),
        };
        let (done, is_held) = match &within.resume {
            Some(file) => self.resumed((&asked, file), within, keeping, watch)?,
            None if asked.options.goals.is_empty() => {
                let keeping = keeping.or(self.kept_in.as_ref()).cloned();
                let by = Surveyors::Holding {
                    cores: within.several(),
                    held: &mut self.held,
                };
                let done = survey(&asked, by, keeping.as_ref(), watch)?;
                self.kept_in = keeping.filter(|_| !done.report.complete);
                let is_held = !done.report.complete;
                (done, is_held)
            }
            None => {
                let races = asked
                    .options
                    .goals
                    .iter()
                    .find(|goal| goal.looks_at_steps());
                if let (Some(goal), Some(_)) = (races, keeping) {
                    let why = format!("a file keeps no pairs of steps: '{}'", goal.text());
                    return Err(SurveyError::Refused(why));
                }
                let by = Surveyors::Here(within.several());
                (survey(&asked, by, keeping, watch)?, false)
            }
        };
        if let Some(refused) = &done.report.refused {
            return Err(SurveyError::Refused(refused.to_string()));
        }
        Ok(SurveyTold {
            report: done.report,
            seconds: began.elapsed().as_secs_f64(),
            memory_bytes,
            is_held,
            unkept: done.unkept,
        })
    }

    /// Goes on with one that was kept, if it is one of the program, explored as here.
    fn resumed(
        &mut self,
        (asked, file): (&SurveyAsked, &Path),
        within: &SurveyWithin,
        keeping: Option<&Keeping>,
        watch: impl FnMut(&Progress) -> bool,
    ) -> Result<(SurveyDone, bool), SurveyError> {
        let refused = |why: &str| SurveyError::Refused(format!("{}: {why}", file.display()));
        let mut kept = SurveyFile::open(file)?;
        if !kept.asked.is_of(asked) {
            let why = "it is a survey of another program, or of other steps: 'borges explore --resume' goes on with any";
            return Err(refused(why));
        }
        if !within.goals.is_empty() {
            return Err(refused(
                "what was kept goes on with its own goals, and no others",
            ));
        }
        if within.wide && kept.asked.told != DigestSize::By128 {
            return Err(refused("64 bits stand for its states"));
        }
        let has_goals = !kept.asked.options.goals.is_empty();
        kept.asked.options = within.bounding(kept.asked.options);
        let mut held = HeldSurvey::default();
        let by = match has_goals {
            true => Surveyors::Here(within.several()),
            false => Surveyors::Holding {
                cores: within.several(),
                held: &mut held,
            },
        };
        let done = kept.go_on(by, keeping, watch)?;
        let is_held = !has_goals && !done.report.complete;
        if !has_goals {
            self.forget();
            self.held = held;
            self.kept_in = keeping.filter(|_| is_held).cloned();
        }
        Ok((done, is_held))
    }

    /// Forgets what is held: the program is another one.
    pub(super) fn forget(&mut self) {
        let held = std::mem::take(&mut self.held);
        // Nobody waits until a large one is freed.
        std::thread::spawn(move || drop(held));
        self.kept_in = None;
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use borges_languages::model::MU_OZ;

    use super::*;

    /// Two threads that pass on what they receive, and one that keeps it.
    const PASSING: &str = "let t = true in let k = port in thread {send k t} end; \
                           thread let x = {receive k} in {send k t} end end; \
                           thread let y = {receive k} in skip end end end end";

    fn model(text: &str) -> Model {
        Model::parse(&MU_OZ, text).expect("it is a program")
    }

    fn goals(goals: &[&str]) -> SurveyWithin {
        SurveyWithin {
            goals: goals.iter().map(|goal| (*goal).to_owned()).collect(),
            cores: Some(1),
            ..SurveyWithin::default()
        }
    }

    fn kept(file: PathBuf) -> Keeping {
        let every = Duration::from_secs(300);
        Keeping { file, every }
    }

    /// A session that surveys one program.
    struct Program(Model, Surveys);

    impl Program {
        fn new(text: &str) -> Self {
            Program(model(text), Surveys::default())
        }

        fn survey(
            &mut self,
            within: &SurveyWithin,
            keeping: Option<&Keeping>,
        ) -> Result<SurveyTold, String> {
            let program = ("passing", &self.0, &Explore::default());
            let told = self.1.survey(program, within, keeping, |_| true);
            told.map_err(|error| error.to_string())
        }
    }

    /// What the command line says of the same.
    fn oracle(model: &Model, texts: &[&str]) -> Report {
        let goals = texts.iter().map(|text| Goal::read(model, text));
        let goals: Result<Vec<Goal>, _> = goals.collect();
        let asked = SurveyAsked {
            name: "passing".to_owned(),
            model: model.clone(),
            options: Explore {
                states: usize::MAX,
                goals: goals.expect("they are goals"),
                ..Explore::default()
            },
            told: DigestSize::By64,
        };
        let done = survey(&asked, Surveyors::Here(Some(1)), None, |_| true);
        done.expect("it is surveyed").report
    }

    #[test]
    fn goals_are_judged_as_the_command_line_does() {
        let mut program = Program::new(PASSING);
        let few = SurveyWithin {
            states: Some(10),
            ..goals(&[])
        };
        let half = program.survey(&few, None).expect("surveyed");
        assert!(half.is_held && !half.report.complete);
        let texts = ["forbid deadlock", "expect y == true", "forbid failed"];
        let told = program.survey(&goals(&texts), None).expect("surveyed");
        assert_eq!(told.report, oracle(&program.0, &texts));
        let holds: Vec<_> = told.report.goals.iter().map(|goal| goal.holds).collect();
        assert_eq!(holds, [Some(false), Some(true), Some(true)]);
        assert!(!told.is_held);
        // What is held is as it was: the next one without goals begins there.
        let mut least = u64::MAX;
        let watch = |come: &Progress| {
            least = least.min(come.states);
            true
        };
        let plain = ("passing", &program.0, &Explore::default());
        let whole = program.1.survey(plain, &goals(&[]), None, watch);
        assert_eq!(whole.expect("surveyed").report, oracle(&program.0, &[]));
        assert!(least >= half.report.states, "it began with {least} states");
    }

    #[test]
    fn what_was_kept_is_gone_on_with_here() {
        let folder = tempfile::tempdir().expect("a folder");
        let keeping = kept(folder.path().join("passing.survey"));
        let few = |within: SurveyWithin| SurveyWithin {
            states: Some(10),
            ..within
        };
        let resume = |within: SurveyWithin| SurveyWithin {
            resume: Some(keeping.file.clone()),
            ..within
        };
        for texts in [&[][..], &["forbid deadlock", "forbid stuck"]] {
            let mut first = Program::new(PASSING);
            let half = first.survey(&few(goals(texts)), Some(&keeping));
            assert!(!half.expect("surveyed").report.complete);
            let mut second = Program::new(PASSING);
            let on = second.survey(&resume(goals(&[])), Some(&keeping));
            let on = on.expect("it goes on");
            assert_eq!(on.report, oracle(&second.0, texts), "{texts:?}");
            assert!(!on.is_held);
        }
        // One that comes to a bound again is held, if it has no goals.
        let mut third = Program::new(PASSING);
        let begun = third.survey(&few(goals(&[])), Some(&keeping));
        assert!(begun.expect("surveyed").is_held);
        let mut fourth = Program::new(PASSING);
        let more = SurveyWithin {
            states: Some(12),
            ..resume(goals(&[]))
        };
        assert!(fourth.survey(&more, None).expect("surveyed").is_held);
        let rest = fourth.survey(&goals(&[]), None).expect("surveyed");
        assert_eq!(rest.report, oracle(&fourth.0, &[]));
    }

    #[test]
    fn what_cannot_be_asked_is_refused_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let keeping = kept(folder.path().join("passing.survey"));
        let mut program = Program::new(PASSING);
        program
            .survey(&goals(&["forbid stuck"]), Some(&keeping))
            .expect("surveyed");
        let mut refused = |within: &SurveyWithin, keeping, why: &str| {
            let told = program.survey(within, keeping);
            let error = told.expect_err("it cannot be asked");
            assert!(error.contains(why), "{error}");
        };
        let race = goals(&["forbid race"]);
        refused(&race, Some(&keeping), "a file keeps no pairs of steps");
        refused(&goals(&["expect y =="]), None, "'expect y =='");
        let resume = |within: SurveyWithin| SurveyWithin {
            resume: Some(keeping.file.clone()),
            ..within
        };
        refused(&resume(goals(&["forbid stuck"])), None, "its own goals");
        let wide = SurveyWithin {
            wide: true,
            ..resume(goals(&[]))
        };
        refused(&wide, None, "64 bits");
        let mut other = Program::new("let x = 1 in skip end");
        let told = other.survey(&resume(goals(&[])), None);
        assert!(told.is_err_and(|error| error.contains("another program")));
        std::fs::write(&keeping.file, "nothing").expect("written");
        let told = other.survey(&resume(goals(&[])), None);
        assert!(told.is_err_and(|error| error.contains("is no survey")));
    }
}
