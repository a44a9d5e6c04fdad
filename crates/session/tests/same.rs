//! A branch that has reconverged says so: its state is that of an earlier branch.

use std::collections::HashMap;

use borges_session::command::{Act, Direction, Look, MockValues, Reply, StepSize};
use borges_session::{Flow, Options, Session};

use crate::written;

/// What it counts goes round; what it has read last is forgotten at once, and what it prints makes no difference.
const ROUND: &str = r#"(module
    (import "env" "chip_digital_read" (func $read (param i32) (result i32)))
    (import "env" "print_int" (func $print (param i32)))
    (global $sum (export "sum") (mut i32) (i32.const 0))
    (func (export "main") (local $x i32)
        (loop $again
            (local.set $x (call $read (i32.const 1)))
            (global.set $sum (i32.and (i32.add (global.get $sum) (local.get $x)) (i32.const 3)))
            (call $print (local.get $x))
            (br $again))))"#;

/// The same beside a clock.
const CLOCK: &str = r#"(module
    (import "env" "chip_digital_read" (func $read (param i32) (result i32)))
    (import "env" "millis" (func $millis (result i32)))
    (func (export "main") (local $x i32)
        (loop $again
            (local.set $x (i32.sub (call $millis) (call $read (i32.const 1))))
            (br $again))))"#;

fn done(session: &mut Session, act: Act) {
    let reply = session.execute(act, &mut |_| Flow::Continue);
    assert!(reply.is_ok(), "{reply:?}");
}

/// Goes on with these answers to the input.
fn read(session: &mut Session, values: &[i32]) {
    let values = values.iter().map(ToString::to_string).collect();
    let mock = Act::Mock {
        call: "chip_digital_read(1)".to_owned(),
        values: MockValues::Sequence(values),
    };
    done(session, mock);
}

fn entries(session: &mut Session, count: u64) {
    let step = Act::Step {
        size: StepSize::Entry,
        direction: Direction::Forward,
        count,
        agent: None,
    };
    done(session, step);
}

fn jump(session: &mut Session, target: &str) {
    let target = target.to_owned();
    done(session, Act::Jump { target });
}

fn same(session: &mut Session) -> HashMap<String, String> {
    let Ok(Reply::Info(info)) = session.execute(Look::Info, &mut |_| Flow::Continue) else {
        panic!("there are facts");
    };
    let pairs = info.same.iter();
    pairs
        .map(|same| (same.at.to_string(), same.other.to_string()))
        .collect()
}

fn opened(wat: &str) -> (tempfile::TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    let program = written::written(folder.path(), wat);
    let session = Session::open(Options::new(&program)).unwrap();
    (folder, session)
}

#[test]
fn a_branch_that_has_reconverged_says_so() {
    let (_folder, mut session) = opened(ROUND);
    // The sums 1, 2, 3: an input and an output each.
    read(&mut session, &[1, 1, 1]);
    entries(&mut session, 6);
    assert!(same(&mut session).is_empty(), "nothing has branched");
    // 1 again after 0: what was printed differs, and nothing else.
    jump(&mut session, "0.0");
    read(&mut session, &[0, 1, 1]);
    entries(&mut session, 6);
    let here = session.here().universe;
    assert_eq!(here.branch, 1);
    let found = same(&mut session);
    let (at, other) = found.iter().next().unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        at.starts_with("1.2") && other.starts_with("0.0"),
        "{found:?}"
    );
    // Where the branch stands now the sum is 1, as it was at another moment.
    jump(&mut session, &at.clone());
    let Ok(Reply::Tree(tree)) = session.execute(Look::Tree { lines: 40 }, &mut |_| Flow::Continue)
    else {
        panic!("there is a tree");
    };
    let marked = format!("as {other}");
    assert!(
        tree.lines.iter().any(|line| line.contains(&marked)),
        "{:?}",
        tree.lines
    );
    // From both on, the same inputs lead to the same sums.
    for universe in [at.as_str(), other] {
        jump(&mut session, universe);
        let value = session.execute(
            Look::Print {
                expression: "sum".to_owned(),
                frame: 0,
            },
            &mut |_| Flow::Continue,
        );
        assert!(
            matches!(&value, Ok(Reply::Value { value, .. }) if value == "0"),
            "{value:?}"
        );
    }
}

#[test]
fn other_states_are_no_reconvergence() {
    let (_folder, mut session) = opened(ROUND);
    read(&mut session, &[0, 0, 0]);
    entries(&mut session, 6);
    jump(&mut session, "0.0");
    // The sums 1, 2, 3, which the first branch never had, and 0, which it had.
    read(&mut session, &[1, 1, 1, 1, 0]);
    entries(&mut session, 6);
    assert!(same(&mut session).is_empty());
    entries(&mut session, 3);
    let found = same(&mut session);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found
            .iter()
            .all(|(at, other)| at.starts_with("1.8") && other.starts_with("0.0")),
        "{found:?}"
    );
}

#[test]
fn of_programs_with_clocks_nothing_is_said() {
    let (_folder, mut session) = opened(CLOCK);
    read(&mut session, &[1, 1, 1]);
    entries(&mut session, 6);
    jump(&mut session, "0.1");
    read(&mut session, &[0, 1, 1]);
    entries(&mut session, 5);
    assert!(same(&mut session).is_empty());
}
