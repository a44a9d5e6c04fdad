//! The limits of commands: at each of them, and one past it.

use crate::written::written;
use borges_session::command::{Act, Command, Direction, Look, NewBreakpoint, StopKind};
use borges_session::{Flow, Options, Reply, Session};

/// Reads numbers of many values, and prints them, for ever.
const READER: &str = r#"(module
  (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
  (import "env" "random_int" (func $wide (param i32 i32) (result i32)))
  (import "env" "print_int" (func $print (param i32)))
  (import "env" "chip_delay" (func $delay (param i32)))
  (memory (export "memory") 1)
  (func (export "main")
    (loop $again
      (call $print (call $wide (i32.const 0) (i32.const 200000)))
      (call $print (call $read (i32.const 1)))
      (call $delay (i32.const 0))
      (br $again))))"#;

/// Sixty-five locals, all of which are written before the reading, the first with 5.
fn many_locals() -> String {
    let set: String = (1..65)
        .map(|n| format!("(local.set {n} (i32.const 0))"))
        .collect();
    format!(
        r#"(module (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
          (func (export "main") (local {}) {set} (local.set 0 (i32.const 5)) (drop (call $read (i32.const 1)))))"#,
        "i32 ".repeat(65)
    )
}

struct Bench {
    session: Session,
    _folder: tempfile::TempDir,
}

impl Bench {
    fn new(text: &str) -> Self {
        Self::on("", text)
    }

    /// On a board that is described so.
    fn on(board: &str, text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let program = written(folder.path(), text);
        let described = folder.path().join("board.toml");
        std::fs::write(&described, board).expect("it can be written");
        let options = Options {
            board: (!board.is_empty()).then_some(described),
            ..Options::new(program)
        };
        let session = Session::open(options).expect("it opens");
        Self {
            session,
            _folder: folder,
        }
    }

    fn run(&mut self, command: impl Into<Command>) -> Reply {
        let reply = self.session.execute(command, &mut |_| Flow::Continue);
        reply.expect("the command is carried out")
    }

    fn refused(&mut self, command: impl Into<Command>) -> String {
        let reply = self.session.execute(command, &mut |_| Flow::Continue);
        reply.expect_err("it is refused").to_string()
    }

    /// Goes to before the n-th call of a primitive from here on.
    fn reach_call(&mut self, primitive: &str, hits: u64) {
        self.run(Act::Break(NewBreakpoint {
            agent: None,
            kind: StopKind::Primitive(primitive.to_owned()),
            condition: None,
            hits,
            log: None,
        }));
        let direction = Direction::Forward;
        self.run(Act::Continue { direction });
        self.run(Act::DeleteBreakpoints { ids: Vec::new() });
    }
}

#[test]
fn questions_about_many_universes_or_values_are_refused_and_not_answered_in_part() {
    let mut bench = Bench::new(READER);
    bench.reach_call("chip_analog_read", 1);
    let universe = bench.session.here().universe;
    let calls = |count| Look::Calls {
        universes: vec![universe; count],
    };
    let Reply::Calls { calls: told } = bench.run(calls(256)) else {
        panic!("no calls");
    };
    assert_eq!(told.len(), 256);
    let why = bench.refused(calls(257));
    assert!(why.contains("257 universes: at most 256"), "{why}");

    let series = |count| Look::Series {
        expressions: vec!["$0".to_owned(); count],
        samples: 10,
    };
    let Reply::Series(listing) = bench.run(series(32)) else {
        panic!("no curves");
    };
    assert_eq!(listing.curves.len(), 32);
    let why = bench.refused(series(33));
    assert!(why.contains("33 expressions: at most 32"), "{why}");
}

/// A curve is of what is looked at after every write: of more places than can be watched there is none.
#[test]
fn a_curve_depends_on_so_many_places_at_most() {
    let mut bench = Bench::new(&many_locals());
    bench.reach_call("chip_analog_read", 1);
    let sum = |count: u32| {
        let locals: Vec<String> = (0..count).map(|n| format!("${n}")).collect();
        Look::Series {
            expressions: vec![locals.join(" + ")],
            samples: 10,
        }
    };
    let Reply::Series(listing) = bench.run(sum(64)) else {
        panic!("no curve");
    };
    assert_eq!(listing.curves[0].values.last(), Some(&Some(5.0)));
    let why = bench.refused(sum(65));
    assert!(why.contains("more than 64 places"), "{why}");
}

#[test]
fn a_range_of_branches_has_so_many_values_at_most() {
    let mut bench = Bench::new(READER);
    let branches = |values: &str| Act::Branches {
        values: values.to_owned(),
    };
    bench.reach_call("random_int", 1);
    let why = bench.refused(branches("0..4096"));
    assert!(why.contains("no range of at most 4096 values"), "{why}");
    let why = bench.refused(branches("0..4095, 70000"));
    assert!(why.contains("4097 values: at most 4096"), "{why}");
    let why = bench.refused(branches(" , "));
    assert!(why.contains("give values like 0..10"), "{why}");
    bench.run(branches("0..4095"));
    let Reply::Multiverse(all) = bench.run(Look::Multiverse) else {
        panic!("no multiverse");
    };
    // The first is how the branch goes on that was there.
    assert_eq!(all.branches.len(), 4_096);
}

#[test]
fn all_values_are_tried_or_those_that_the_board_file_takes_for_them() {
    let all = Act::Branches {
        values: "all".to_owned(),
    };
    let tried = |range: &str, sampling: &str| {
        let board = format!("[ranges]\n\"chip_analog_read(1)\" = \"{range}\"\n{sampling}");
        let mut bench = Bench::on(&board, READER);
        bench.reach_call("chip_analog_read", 1);
        let Reply::Done { message: text } = bench.run(all.clone()) else {
            panic!("no text");
        };
        let Reply::Multiverse(all) = bench.run(Look::Multiverse) else {
            panic!("no multiverse");
        };
        let stand = text.split_once("they stand for ");
        let stand = stand.and_then(|(_, rest)| Some(rest.split_once(" values")?.0.to_owned()));
        (all.branches.len(), stand)
    };
    let evenly = "[sampling]\n\"chip_analog_read(1)\" = \"8 evenly\"";
    assert_eq!(tried("0..255", evenly), (256, None));
    assert_eq!(tried("0..256", evenly), (8, Some("257".to_owned())));
    assert_eq!(tried("0..256", ""), (5, Some("257".to_owned())));
    // A board file cannot ask for more than a user can.
    let many = |count: u32| format!("[sampling]\n\"chip_analog_read(1)\" = \"{count} evenly\"");
    assert_eq!(tried("0..9999", &many(4096)).0, 4_096);
    let board = format!(
        "[ranges]\n\"chip_analog_read(1)\" = \"0..9999\"\n{}",
        many(4097)
    );
    let mut bench = Bench::on(&board, READER);
    bench.reach_call("chip_analog_read", 1);
    let why = bench.refused(all);
    assert!(why.contains("4097 values: at most 4096"), "{why}");
}

#[test]
fn an_answer_has_so_many_entries_and_says_where_it_begins() {
    let mut bench = Bench::new(READER);
    // Five entries in a round.
    bench.reach_call("print_int", 2 * 13_108);
    let entries = |from, count| Look::Entries {
        branch: 0,
        from,
        count,
        calls: false,
    };
    let mut told = |from, count| match bench.run(entries(from, count)) {
        Reply::Entries(listing) => (listing.from, listing.entries.len()),
        other => panic!("{other:?}"),
    };
    assert_eq!(told(0, 65_536), (0, 65_536));
    assert_eq!(told(0, 65_537), (0, 65_536));
    // Whoever wants more asks from there.
    assert_eq!(told(65_536, 65_537), (65_536, 2));
}

#[test]
fn more_universes_are_counted_than_are_listed() {
    let mut bench = Bench::new(READER);
    let found = |bench: &mut Bench, most| {
        let text = "analog_read".to_owned();
        match bench.run(Look::Find { text, most }) {
            Reply::Found(listing) => (listing.found.len(), listing.all, listing.complete),
            other => panic!("{other:?}"),
        }
    };
    bench.reach_call("random_int", 1001);
    assert_eq!(found(&mut bench, 999), (999, 1000, true));
    assert_eq!(found(&mut bench, 1001), (1000, 1000, true));
    bench.reach_call("chip_delay", 1);
    assert_eq!(found(&mut bench, 1001), (1000, 1001, true));
}
