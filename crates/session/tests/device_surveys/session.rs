//! Surveys that a session is asked for: what the command line says, from the universe shown.

use std::path::Path;
use std::time::Duration;

use borges_session::command::surveying::{Keeping, StatesSurvey, SurveyListing};
use borges_session::command::{Act, Event, Flow, Look, Observer, Reply};
use borges_session::model::SurveyWithin;
use borges_session::suggest::Demand::{Always, Never};
use borges_session::suggest::{DeviceSurveyFile, Question, StatesReport, Within, survey_states};
use borges_session::{Options, Session};

use super::goals::{example, heater};
use super::{asked, asked_of, goes_on, on, said};

fn opened(program: &Path) -> Session {
    Session::open(Options::new(program)).unwrap()
}

fn listing(
    session: &mut Session,
    survey: &StatesSurvey,
    observer: Observer<'_>,
) -> Result<SurveyListing, String> {
    let survey = Box::new(survey.clone());
    match session.execute(Look::Survey { survey }, observer) {
        Ok(Reply::Surveyed(listing)) => Ok(*listing),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error.to_string()),
    }
}

fn told(session: &mut Session, survey: &StatesSurvey) -> Result<SurveyListing, String> {
    listing(session, survey, &mut |_| Flow::Continue)
}

fn held(goals: &[&str], cores: u16) -> StatesSurvey {
    StatesSurvey {
        within: SurveyWithin {
            goals: goals.iter().map(|goal| (*goal).to_owned()).collect(),
            cores: Some(cores),
            ..SurveyWithin::default()
        },
        ..StatesSurvey::default()
    }
}

fn kept(file: &Path) -> Option<Keeping> {
    Some(Keeping {
        file: file.to_owned(),
        every: Duration::from_secs(300),
    })
}

#[test]
fn at_the_start_a_session_says_what_the_command_line_says() {
    let (knock, heater) = (example("knock-lock/knock-lock"), heater());
    for (program, goals, demands) in [
        (&knock, &[][..], vec![]),
        (
            &heater,
            &["never heat && door", "always n < 5"],
            vec![Never.of("heat && door"), Always.of("n < 5")],
        ),
    ] {
        let asked = asked_of((program, None), &demands, None);
        let whole = survey_states(&asked, on(1), None, &mut goes_on).unwrap();
        let whole = said(whole.report);
        for cores in [1, 2] {
            let mut session = opened(program);
            let listing = told(&mut session, &held(goals, cores)).unwrap();
            assert_eq!(listing.survey.workers, usize::from(cores));
            assert!(listing.unkept.is_none());
            assert_eq!(listing.from.map(|from| from.index), Some(0));
            assert_eq!(said(listing.report), whole, "{}", program.display());
        }
    }
}

/// As `explore` does it: from the universe shown, whatever came before.
#[test]
fn elsewhere_it_begins_with_the_universe_shown() {
    let mut session = opened(&heater());
    let path = Look::Suggest {
        question: Question::Bugs,
        within: Within::default(),
    };
    let Ok(Reply::Suggestions(bugs)) = session.execute(path, &mut |_| Flow::Continue) else {
        panic!("no answer");
    };
    let end = bugs.found[0].inputs.len();
    // Half-way to the trap: fewer inputs lead there.
    let target = bugs.nodes[end / 2].options[0].moment.clone();
    session
        .execute(Act::Jump { target }, &mut |_| Flow::Continue)
        .unwrap();
    let question = Question::States { demands: vec![] };
    let within = Within::default();
    let look = Look::Suggest { question, within };
    let Ok(Reply::Suggestions(explored)) = session.execute(look, &mut |_| Flow::Continue) else {
        panic!("no answer");
    };
    let graph: StatesReport = explored.states.unwrap();
    let listing = told(&mut session, &held(&[], 2)).unwrap();
    assert!(listing.from.is_some_and(|from| from.index > 0));
    let numbers = |report: &StatesReport| (report.states, report.edges, report.complete);
    assert_eq!(numbers(&listing.report), numbers(&graph));
    let inputs = |report: &StatesReport| report.traps[0].inputs;
    assert_eq!(inputs(&listing.report), inputs(&graph));
    assert!((inputs(&graph) as usize) < end);
    // It is not what a file would go on with.
    let folder = tempfile::tempdir().unwrap();
    let survey = StatesSurvey {
        keeping: kept(&folder.path().join("kept")),
        ..held(&[], 1)
    };
    let refused = told(&mut session, &survey).unwrap_err();
    assert!(
        refused.contains("begins at the program's start"),
        "{refused}"
    );
}

#[test]
fn what_was_kept_is_gone_on_with_here_and_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kept");
    let program = example("knock-lock/knock-lock");
    let whole = survey_states(&asked(&program, None, None), on(1), None, &mut goes_on);
    let whole = said(whole.unwrap().report);
    let few = StatesSurvey {
        within: SurveyWithin {
            states: Some(2),
            ..held(&[], 1).within
        },
        keeping: kept(&file),
        ..StatesSurvey::default()
    };
    let mut session = opened(&program);
    let cut = told(&mut session, &few).unwrap().report;
    assert!(!cut.complete && cut.states < whole.states, "{cut:?}");
    let mut on_the_line = DeviceSurveyFile::open(&file).unwrap();
    on_the_line.asked.options.states = None;
    let done = on_the_line.go_on(on(2), None, &mut goes_on).unwrap();
    assert_eq!(said(done.report), whole);
    let resume = |survey: StatesSurvey| StatesSurvey {
        within: SurveyWithin {
            resume: Some(file.clone()),
            ..survey.within
        },
        ..survey
    };
    let on = told(&mut session, &resume(held(&[], 2))).unwrap();
    assert_eq!((said(on.report), on.from), (whole, None));
    let refused = |session: &mut Session, survey: StatesSurvey, why: &str| {
        let error = told(session, &survey).unwrap_err();
        assert!(error.contains(why), "{error}");
    };
    let wide = SurveyWithin {
        wide: true,
        ..held(&[], 1).within
    };
    let wide = StatesSurvey {
        within: wide,
        ..StatesSurvey::default()
    };
    let other_solver = StatesSurvey {
        solver: Some("none".to_owned()),
        ..StatesSurvey::default()
    };
    refused(
        &mut session,
        resume(held(&["never locked"], 1)),
        "its own goals",
    );
    refused(&mut session, resume(wide), "64 bits");
    refused(&mut session, resume(other_solver), "as it began");
    refused(
        &mut session,
        held(&["forbid deadlock"], 1),
        "'forbid deadlock'",
    );
    refused(
        &mut session,
        held(&["never nobody > 1"], 1),
        "nobody is not known",
    );
    refused(
        &mut opened(&heater()),
        resume(held(&[], 1)),
        "another program",
    );
}

#[test]
fn who_pauses_it_has_what_was_found() {
    let mut session = opened(&example("breakout/breakout"));
    let mut heard = 0;
    let listing = listing(&mut session, &held(&[], 1), &mut |event| {
        heard += u32::from(matches!(event, Event::Surveying { states, .. } if states > 1));
        match heard < 2 {
            true => Flow::Continue,
            false => Flow::Pause,
        }
    });
    let report = listing.unwrap().report;
    let cut = report.unexplored.iter().map(|left| left.bound.as_deref());
    assert_eq!(cut.collect::<Vec<_>>(), [Some("cancelled")]);
    assert!(!report.complete);
}

/// Who is at a session elsewhere must not have files read or written there.
#[test]
fn what_is_about_files_does_not_travel() {
    use borges_session::Command;
    let command = |survey: StatesSurvey| {
        Command::from(Look::Survey {
            survey: Box::new(survey),
        })
    };
    let plain = command(held(&["never heat"], 3));
    let value = plain.to_value().unwrap();
    assert_eq!(serde_json::from_value::<Command>(value).unwrap(), plain);
    let resume = SurveyWithin {
        resume: Some("kept".into()),
        ..SurveyWithin::default()
    };
    for survey in [
        StatesSurvey {
            keeping: kept(Path::new("kept")),
            ..StatesSurvey::default()
        },
        StatesSurvey {
            within: resume,
            ..StatesSurvey::default()
        },
    ] {
        let refused = command(survey).to_value().unwrap_err();
        assert!(
            refused.contains("kept in files where the session is"),
            "{refused}"
        );
    }
}
