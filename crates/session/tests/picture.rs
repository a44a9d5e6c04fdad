//! All states as a picture: as many as are explored, with ways to each, and values by which they are told apart.

use std::path::Path;

use borges_session::command::{Act, Look, Reply};
use borges_session::suggest::{Question, StateKind, StatesPicture, SuggestionListing, Within};
use borges_session::{Flow, Options, Session};

fn opened(name: &str) -> Session {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let program = examples.join(format!("{name}/{name}.wasm"));
    Session::open(Options::new(program)).expect("it opens")
}

fn asked(session: &mut Session, question: Question) -> SuggestionListing {
    let within = Within {
        time_ms: Some(60_000),
        ..Within::default()
    };
    match session.execute(Look::Suggest { question, within }, &mut |_| Flow::Continue) {
        Ok(Reply::Suggestions(listing)) => *listing,
        other => panic!("{other:?}"),
    }
}

fn picture(
    session: &mut Session,
    colour: Option<&str>,
    to: Option<u32>,
) -> (StatesPicture, SuggestionListing) {
    let colour = colour.map(str::to_owned);
    let mut listing = asked(session, Question::Picture { colour, to });
    (listing.picture.take().expect("a picture"), listing)
}

#[test]
fn a_picture_has_the_states_and_ways_that_are_explored() {
    for name in ["while", "zoetrope", "color-dial"] {
        let mut session = opened(name);
        let explored = asked(
            &mut session,
            Question::States {
                demands: Vec::new(),
            },
        );
        let explored = explored.states.expect("states");
        let (drawn, listing) = picture(&mut session, None, None);
        let ends = [StateKind::Trap, StateKind::Returned, StateKind::Open];
        let states = drawn
            .states
            .iter()
            .filter(|state| !ends.contains(&state.kind));
        assert_eq!(states.count(), explored.states, "{name}");
        assert_eq!(
            (drawn.ways.len(), drawn.edges as usize),
            (explored.edges, explored.edges),
            "{name}"
        );
        assert!(
            drawn.complete && listing.forever && drawn.left_out == 0,
            "{name}"
        );
        assert!(
            drawn.ways.iter().all(|way| !way.label.is_empty()),
            "{name}: {:?}",
            drawn.ways
        );
        assert!(
            drawn.states.iter().all(|state| state.values.is_none()),
            "{name}"
        );
    }
}

/// Each state has a shortest way to it that can be gone, and it leads to a universe with the value of the colour.
#[test]
fn every_state_can_be_gone_to() {
    let mut session = opened("color-dial");
    let (drawn, _) = picture(&mut session, Some("current"), None);
    assert_eq!(drawn.colour.as_deref(), Some("current"));
    let values = |state: usize| {
        drawn.states[state]
            .values
            .clone()
            .expect("a global has a value")
    };
    let mut seen = std::collections::BTreeSet::new();
    for state in 0..drawn.states.len() {
        let (_, listing) = picture(&mut session, Some("current"), Some(state as u32));
        let target = listing.found[0].moment.clone();
        let jumped = session.execute(Act::Jump { target }, &mut |_| Flow::Continue);
        assert!(jumped.is_ok(), "{jumped:?}");
        let print = Look::Print {
            expression: "current".to_owned(),
            frame: 0,
        };
        match session.execute(print, &mut |_| Flow::Continue) {
            Ok(Reply::Value { value, .. }) => {
                let known = values(state);
                assert!(
                    known.split(" or ").any(|known| known == value),
                    "{state}: {value} of {known}"
                );
                seen.extend(known.split(" or ").map(str::to_owned));
            }
            other => panic!("{other:?}"),
        }
        let back = Act::Jump {
            target: "0.0".to_owned(),
        };
        assert!(session.execute(back, &mut |_| Flow::Continue).is_ok());
    }
    assert_eq!(seen.len(), 8, "a value for each colour: {seen:?}");
}

#[test]
fn a_colour_that_means_nothing_is_refused() {
    let mut session = opened("color-dial");
    let question = Question::Picture {
        colour: Some("curent".to_owned()),
        to: None,
    };
    let look = Look::Suggest {
        question,
        within: Within::default(),
    };
    let refused = session.execute(look, &mut |_| Flow::Continue);
    assert!(refused.is_err_and(|error| error.to_string().contains("curent")));
}
