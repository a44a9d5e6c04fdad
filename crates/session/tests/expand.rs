//! Values that are looked into a part at a time, as editors unfold them.

use borges_session::command::{Act, CodePlace, Direction, Look, Whole};
use borges_session::listing::{ExpandedListing, VariableListing};
use borges_session::{Flow, Options, Reply, Session};

fn at(example: &str, function: &str) -> Session {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let options = Options::new(format!("{root}/{example}/{example}.wasm"));
    let mut session = Session::open(options).expect("it opens");
    let go = Act::RunTo {
        place: CodePlace::Function(function.to_owned()),
        direction: Direction::Forward,
    };
    session
        .execute(go, &mut |_| Flow::Continue)
        .expect("it comes there");
    session
}

fn expand(
    session: &mut Session,
    of: Whole,
    path: &[u64],
    from: u64,
    count: u64,
) -> Result<ExpandedListing, String> {
    let look = Look::Expand {
        of,
        frame: 0,
        path: path.to_vec(),
        from,
        count,
    };
    match session.execute(look, &mut |_| Flow::Continue) {
        Ok(Reply::Expanded(listing)) => Ok(listing),
        Ok(other) => Err(format!("{other:?}")),
        Err(error) => Err(error.to_string()),
    }
}

fn variables(session: &mut Session) -> VariableListing {
    let look = Look::Variables {
        agent: None,
        frame: 0,
    };
    match session.execute(look, &mut |_| Flow::Continue) {
        Ok(Reply::Variables(listing)) => listing,
        other => panic!("{other:?}"),
    }
}

/// Every child that a listing of variables shows is found by the number of its variable and its own; and by its name.
#[test]
fn parts_are_those_that_variables_list() {
    let mut session = at("uart-parser", "accept_byte");
    let listing = variables(&mut session);
    let locals = listing.locals.iter().map(|v| (v, true));
    let globals = listing.globals.iter().map(|v| (v, false));
    let mut seen = 0;
    for (number, (variable, is_local)) in (0..listing.locals.len() as u32)
        .zip(locals)
        .chain((0..).zip(globals))
    {
        let of = match is_local {
            true => Whole::Local { number },
            false => Whole::Global { number },
        };
        let named = Whole::Expression {
            text: variable.name.clone(),
        };
        for of in [of, named] {
            let found = expand(&mut session, of.clone(), &[], 0, 24).expect("it is there");
            let names: Vec<_> = found
                .children
                .iter()
                .map(|child| (&child.name, &child.value))
                .collect();
            let listed: Vec<_> = variable
                .children
                .iter()
                .map(|child| (&child.name, &child.value))
                .collect();
            assert_eq!(names, listed, "{}", variable.name);
            for (nth, child) in variable.children.iter().enumerate() {
                let inside =
                    expand(&mut session, of.clone(), &[nth as u64], 0, 24).expect("it is there");
                let names: Vec<_> = inside.children.iter().map(|child| &child.name).collect();
                let listed: Vec<_> = child.children.iter().map(|child| &child.name).collect();
                assert_eq!(names, listed, "{}.{}", variable.name, child.name);
                seen += names.len();
            }
        }
    }
    assert!(seen > 0, "the program has records in records");
}

/// A part of the children is asked for by its first number and how many; what is not there is told.
#[test]
fn children_come_in_pieces() {
    let mut session = at("uart-parser", "accept_byte");
    let parser = || Whole::Expression {
        text: "*p".to_owned(),
    };
    let all = expand(&mut session, parser(), &[], 0, 1_000).expect("it is there");
    assert_eq!(all.children.len() as u64, all.count);
    assert!(all.address.is_some_and(|address| address > 0));
    let last = expand(&mut session, parser(), &[], all.count - 1, u64::MAX).expect("it is there");
    assert_eq!(last.children, all.children[all.children.len() - 1..]);
    let none = expand(&mut session, parser(), &[], all.count, 5).expect("it is there");
    assert!(none.children.is_empty());
    assert!(expand(&mut session, parser(), &[all.count], 0, 1).is_err());
    let gone = Whole::Local { number: 999 };
    assert!(expand(&mut session, gone, &[], 0, 1).is_err());
    let number = Whole::Expression {
        text: "1 + 1".to_owned(),
    };
    let found = expand(&mut session, number, &[], 0, 1).expect("it is a number");
    assert_eq!((found.count, found.children.len()), (0, 0));
    let wrong = Whole::Expression {
        text: "((".to_owned(),
    };
    assert!(expand(&mut session, wrong, &[], 0, 1).is_err());
}

/// So many children are told at a time, and no more.
#[test]
fn at_most_a_thousand_children_are_told_at_once() {
    let mut session = at("uart-parser", "accept_byte");
    let listing = expand(
        &mut session,
        Whole::Expression {
            text: "mem8[0]".to_owned(),
        },
        &[],
        u64::MAX,
        u64::MAX,
    );
    assert!(listing.is_ok_and(|listing| listing.children.is_empty()));
}
