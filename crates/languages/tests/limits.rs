//! Every limit of the languages: what reaches it is fine, what goes one past it is refused.

use borges_languages::amb::{Amb, ParseErrorKind as AmbError};
use borges_languages::ambienttalk::{AmbientTalk, Options, ParseErrorKind as ActorError};
use borges_languages::model::{AMBIENT_TALK, Explore, Grain, Model, Selection, Why};
use borges_languages::muoz::{MuOz, ParseErrorKind as OzError};
use borges_multiverse::language::Language as _;
use borges_multiverse::walk::Sampler;

/// `text`, with blanks up to a length.
fn padded(text: &str, length: usize) -> String {
    format!("{text}{}", " ".repeat(length - text.len()))
}

fn actors(text: &str) -> Result<(), ActorError> {
    AmbientTalk::parse(text, Options::default())
        .map(drop)
        .map_err(|error| error.kind)
}

/// What is wrong in its first place is found at once, in a text that may be read at all.
#[test]
fn texts_have_a_longest() {
    const LONGEST: usize = 1 << 28;
    let amb = |length| Amb::parse(&padded(")", length)).map_err(|error| error.kind);
    assert_eq!(amb(LONGEST), Err(AmbError::Unopened));
    assert_eq!(amb(LONGEST + 1), Err(AmbError::LongText));
    let oz = |length| {
        MuOz::parse(&padded("?", length))
            .err()
            .map(|error| error.kind)
    };
    assert!(oz(LONGEST).is_some_and(|kind| kind != OzError::LongText));
    assert_eq!(oz(LONGEST + 1), Some(OzError::LongText));
    let longest = 1 << 24;
    let found = actors(&padded("?", longest));
    assert!(found.is_err() && found != Err(ActorError::LongText));
    assert_eq!(actors(&padded("?", longest + 1)), Err(ActorError::LongText));
}

#[test]
fn numbers_have_ten_thousand_digits() {
    for sign in ["", "-"] {
        let number = |digits| format!("{sign}{}", "9".repeat(digits));
        assert!(Amb::parse(&number(10_000)).is_ok());
        let error = Amb::parse(&number(10_001)).unwrap_err();
        assert_eq!(error.kind, AmbError::LongNumber);
    }
}

#[test]
fn messages_have_250_arguments() {
    let send = |count: usize| {
        let names: Vec<_> = (0..count).map(|n| format!("a{n}")).collect();
        let values = vec!["1"; count].join(", ");
        format!("def m({}) {{ 1 }}; m({values})", names.join(", "))
    };
    assert_eq!(actors(&send(250)), Ok(()));
    assert!(actors(&send(251)).is_err());
}

/// How a program of actors ends.
fn end(text: &str) -> String {
    let model = Model::parse(&AMBIENT_TALK, text).unwrap();
    let report = model.explore(&Explore::default(), |_| true);
    assert_eq!((report.complete, report.ends.len()), (true, 1));
    format!("{}: {:?}", report.ends[0].how, report.ends[0].waiting)
}

#[test]
fn calls_nest_a_thousand_deep() {
    // The program itself is the first.
    let calls = |depth: usize| {
        end(&format!(
            "def m(n) {{ if: n > 1 then: {{ m(n - 1) }} }}; m({depth})"
        ))
    };
    assert!(calls(999).starts_with("finished"), "{}", calls(999));
    assert!(calls(1_000).contains("calls nest too deep"));
}

/// An object's own statements are a call too.
#[test]
fn objects_are_made_at_the_deepest_call_but_one() {
    let calls = |depth: usize| {
        end(&format!(
            "def m(n) {{ if: n > 1 then: {{ m(n - 1) }} else: {{ object: {{ def x := 1 }} }} }}; m({depth})"
        ))
    };
    assert!(calls(998).starts_with("finished"), "{}", calls(998));
    assert!(calls(999).contains("calls nest too deep"));
}

#[test]
fn expressions_of_actors_nest_200_deep() {
    let parens = |pairs: usize| actors(&format!("{}1{}", "(".repeat(pairs), ")".repeat(pairs)));
    let sums = |numbers: usize| actors(&format!("1{}", " + 1".repeat(numbers - 1)));
    assert_eq!(parens(199), Ok(()));
    assert_eq!(parens(200), Err(ActorError::Deep));
    assert_eq!(sums(200), Ok(()));
    assert_eq!(sums(201), Err(ActorError::Deep));
}

/// A program of one actor whose main program takes so many steps of its own, and then no other.
fn busy(steps: u32) -> String {
    // A call takes the same steps each time, and so does a sum that nobody needs.
    let text = |calls: u32, sums: u32| {
        let sums = "1 + 1; ".repeat(sums as usize);
        format!(
            "def m(n) {{ if: n > 1 then: {{ m(n - 1) }} }}; def k(n) {{ if: n > 0 then: {{ m(90); k(n - 1) }} }}; \
             k({calls}); {sums}1"
        )
    };
    let count = |calls: u32, sums: u32| rules(&text(calls, sums));
    let (none, one) = (count(0, 1), count(1, 1));
    let each = one - none;
    let sum = count(0, 2) - none;
    assert_eq!(sum, 1, "a sum is one step");
    let calls = (steps - none) / each;
    text(calls, 1 + steps - none - calls * each)
}

/// How many steps a program takes that is of one actor.
fn rules(text: &str) -> u32 {
    let model = Model::parse(&AMBIENT_TALK, text).unwrap();
    let report = model.explore(&Explore::default(), |_| true);
    assert!(report.complete && report.states == report.edges + 1);
    report.edges as u32
}

/// What an actor does by itself is one visible step, unless it takes too long.
#[test]
fn a_visible_step_has_a_hundred_thousand_rules() {
    for (count, steps) in [(100_000, 1), (100_001, 2)] {
        let text = busy(count);
        let model = Model::parse(&AMBIENT_TALK, &text).unwrap();
        let visible = Explore {
            grain: Grain::Visible,
            ..Explore::default()
        };
        let report = model.explore(&visible, |_| true);
        assert_eq!((report.complete, report.edges), (true, steps), "{count}");
    }
}

/// Runs of a sample are cut where they do not end, whatever depth was asked for.
#[test]
fn a_sampled_run_has_ten_thousand_steps() {
    let endless = "def a := actor: { def go() { self<-go() } }; a<-go();";
    let model = Model::parse(&AMBIENT_TALK, endless).unwrap();
    for (depth, edges) in [(9_999, 9_999), (10_000, 10_000), (10_001, 10_000)] {
        let sample = Explore {
            depth,
            schedule: Some(Selection::Sampled {
                by: Sampler::Random,
                runs: 1,
                seed: 1,
            }),
            ..Explore::default()
        };
        let report = model.explore(&sample, |_| true);
        assert_eq!((report.edges, report.why), (edges, Some(Why::Depth)));
    }
}

/// A line shows so many variables of a state, and says how many there are besides.
#[test]
fn a_state_of_threads_shows_five_hundred_variables() {
    let text = "let round = proc {self} let n = 1 in {self self} end end in {round round} end";
    let program = MuOz::parse(text).unwrap();
    let mut state = program.initial();
    let mut before = String::new();
    loop {
        let line = program.show(&state);
        let (_, store) = line.split_once(" | ").unwrap();
        if store.contains("…") {
            assert!(store.ends_with(", … and 1 more"), "{store}");
            assert_eq!(store.matches(" = ").count(), 500);
            assert_eq!(before.matches(" = ").count(), 500);
            break;
        }
        before = store.to_owned();
        let mut choices = Vec::new();
        program.enabled(&state, &mut choices);
        state = program.apply(&state, &choices[0]).unwrap().state;
    }
}
