//! Programs that call an operating system: standard input that may be anything, and calls that fail. Small programs are
//! compared with running all their input and all their errors.

use crate::common::{Plain, check, explore, explore_by, start_system};
use borges_concolic::{
    Answered, Bounds, Cut, End, Explored, FAULTS, MORE_STDIN, STDIN, SearchOrder, Start,
    SystemChoices,
};

fn start(choices: SystemChoices, body: &str) -> Start {
    // Buffers of 8 bytes at 64, of 1 at 72, of 5 at 80; the file's name.
    let data = r#"
        (data (i32.const 0) "\40\00\00\00\08\00\00\00" "\48\00\00\00\01\00\00\00" "\50\00\00\00\05\00\00\00")
        (data (i32.const 80) "hello") (data (i32.const 96) "a")"#;
    start_system(choices, b"go", &format!("{data}{body}"))
}

fn stdin(bytes: u32) -> SystemChoices {
    SystemChoices {
        stdin: Some(bytes),
        faults: 0,
        more: false,
        ..SystemChoices::default()
    }
}

/// All runs, but for what is said of errors that nobody asked for.
fn all_but_faults(start: &Start) -> Explored {
    let explored = explore(start, &Bounds::default());
    assert!(
        explored
            .unexplored
            .iter()
            .all(|left| &*left.reason == FAULTS)
    );
    let (truth, _) = Plain::new(start, Bounds::default()).all();
    assert_eq!(explored.paths.len(), truth.len(), "the number of paths");
    explored
}

fn trapping(explored: &Explored) -> Vec<Vec<Answered>> {
    let traps = explored.paths.iter();
    let traps = traps.filter(|path| matches!(path.end, End::Trapped(..)));
    let way = |path: &borges_concolic::Path| path.ways[0].clone();
    let calls = traps
        .map(way)
        .map(|way| Answered::of_cells(&way.reads, &way.model).collect());
    calls.collect()
}

#[test]
fn input_of_up_to_two_bytes_is_all_that_there_is() {
    let body = r#"(func (export "main") (local $n i32)
        (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 32)))
        (local.set $n (i32.load (i32.const 32)))
        (if (i32.eq (local.get $n) (i32.const 2)) (then
            (if (i32.eq (i32.load16_u (i32.const 64)) (i32.const 0x2162)) (then unreachable))))
        (if (i32.eq (i32.load8_u (i32.const 64)) (i32.const 113)) (then (call $exit (local.get $n)))))"#;
    let explored = all_but_faults(&start(stdin(2), body));
    let [calls] = &*trapping(&explored) else {
        panic!("one way to trap");
    };
    assert_eq!(*calls[0].yielded.bytes, *b"b!");
}

#[test]
fn input_is_read_piece_by_piece_and_ends_once() {
    // Byte by byte until the end; it traps where it comes after the end, which it does not.
    let body = r#"(func (export "main") (local $sum i32)
        (block $out (loop $l
            (drop (call $read (i32.const 0) (i32.const 8) (i32.const 1) (i32.const 32)))
            (br_if $out (i32.eqz (i32.load (i32.const 32))))
            (if (i32.eq (i32.load8_u (i32.const 72)) (i32.const 120))
                (then (local.set $sum (i32.add (local.get $sum) (i32.const 1)))))
            (br $l)))
        (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 32)))
        (if (i32.load (i32.const 32)) (then unreachable))
        (if (i32.eq (local.get $sum) (i32.const 2)) (then unreachable)))"#;
    let explored = all_but_faults(&start(stdin(2), body));
    let traps = trapping(&explored);
    let bytes: Vec<Vec<u8>> = traps
        .iter()
        .map(|calls| {
            calls
                .iter()
                .flat_map(|call| call.yielded.bytes.to_vec())
                .collect()
        })
        .collect();
    assert_eq!(bytes, [b"xx"]);
}

#[test]
fn what_was_read_is_printed_and_decides_what_a_call_goes_by() {
    // Whatever the byte is, it is printed; as a descriptor it is one of 256.
    let body = r#"(func (export "main")
        (drop (call $read (i32.const 0) (i32.const 8) (i32.const 1) (i32.const 32)))
        (drop (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 36)))
        (if (i32.eqz (i32.load (i32.const 32))) (then (return)))
        (if (i32.eqz (call $write (i32.load8_u (i32.const 72)) (i32.const 16) (i32.const 1) (i32.const 36)))
            (then (if (i32.gt_u (i32.load8_u (i32.const 72)) (i32.const 2)) (then unreachable)))))"#;
    let start = start(stdin(1), body);
    let explored = explore(&start, &Bounds::default());
    assert!(trapping(&explored).is_empty());
    assert!(
        explored
            .unexplored
            .iter()
            .all(|left| &*left.reason == FAULTS)
    );
    // A path that is opened has the byte as its name.
    let opens = r#"(func (export "main")
        (drop (call $read (i32.const 0) (i32.const 8) (i32.const 1) (i32.const 32)))
        (if (i32.eqz (i32.load (i32.const 32))) (then (return)))
        (if (i32.eqz (call $open (i32.const 3) (i32.const 0) (i32.const 72) (i32.const 1) (i32.const 0)
                (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 40))) (then
            (drop (call $read (i32.load (i32.const 40)) (i32.const 0) (i32.const 1) (i32.const 32)))
            (if (i32.eq (i32.load (i32.const 64)) (i32.const 0x00636261)) (then unreachable)))))"#;
    let explored = all_but_faults_of_values(&self::start(stdin(1), opens));
    assert_eq!(*trapping(&explored)[0][0].yielded.bytes, *b"a");
}

/// The same where values are told apart one by one, which makes more paths than branches do.
fn all_but_faults_of_values(start: &Start) -> Explored {
    let explored = explore(start, &Bounds::default());
    assert!(
        explored
            .unexplored
            .iter()
            .all(|left| &*left.reason == FAULTS)
    );
    explored
}

#[test]
fn a_file_that_holds_input_is_not_read_as_if_it_were_known() {
    let body = r#"(func (export "main")
        (drop (call $read (i32.const 0) (i32.const 8) (i32.const 1) (i32.const 32)))
        (drop (call $open (i32.const 3) (i32.const 0) (i32.const 96) (i32.const 1) (i32.const 0)
                (i64.const 66) (i64.const 0) (i32.const 0) (i32.const 40)))
        (drop (call $write (i32.load (i32.const 40)) (i32.const 8) (i32.const 1) (i32.const 36)))
        (drop (call $read (i32.load (i32.const 40)) (i32.const 0) (i32.const 1) (i32.const 32))))"#;
    let explored = explore(&start(stdin(1), body), &Bounds::default());
    let cut = explored
        .paths
        .iter()
        .any(|path| path.end == End::Cut(Cut::Fills));
    assert!(cut && !explored.is_complete());
    let said = explored
        .unexplored
        .iter()
        .any(|left| left.reason.contains("written to files"));
    assert!(said, "{:?}", explored.unexplored);
}

/// Opens a file and writes to it, and does not look whether that goes.
const CARELESS: &str = r#"(func (export "main") (local $e i32)
    (local.set $e (call $open (i32.const 3) (i32.const 0) (i32.const 96) (i32.const 1) (i32.const 0)
        (i64.const 66) (i64.const 0) (i32.const 0) (i32.const 40)))
    (if (i32.eq (local.get $e) (i32.const 44)) (then (return)))
    (if (local.get $e) (then (call $exit (i32.const 1))))
    (local.set $e (call $write (i32.load (i32.const 40)) (i32.const 16) (i32.const 1) (i32.const 36)))
    (if (i32.ne (i32.load (i32.const 36)) (i32.const 5)) (then
        (if (i32.eq (local.get $e) (i32.const 51)) (then unreachable))))
    (drop (call $write (i32.const 99) (i32.const 16) (i32.const 1) (i32.const 36))))"#;

#[test]
fn every_error_is_met_once_or_as_often_as_is_asked_for() {
    for faults in 0..=2 {
        let choices = SystemChoices {
            stdin: None,
            faults,
            more: false,
            ..SystemChoices::default()
        };
        let start = start(choices, CARELESS);
        let explored = match faults {
            0 => all_but_faults(&start),
            // The last write fails by itself: no error is chosen there.
            _ => check(&start, &Bounds::default()),
        };
        // Opened or not (two ways) ; written or not (two ways).
        assert_eq!(explored.paths.len(), if faults == 0 { 1 } else { 5 });
        let traps = trapping(&explored);
        assert_eq!(traps.len(), usize::from(faults > 0));
        if let [calls] = &*traps {
            assert_eq!(calls.len(), 2);
            assert!(calls[0].goes() && calls[1].is_fault);
            assert_eq!(calls[1].yielded.value, borges_vm::Value::I32(-51));
        }
    }
}

#[test]
fn runs_that_end_with_other_codes_are_other_paths() {
    // No branch tells the errors apart, and what is read says with which code it ends.
    let fails = r#"(func (export "main")
        (call $exit (i32.ne (i32.const 44) (call $open (i32.const 3) (i32.const 0) (i32.const 96) (i32.const 1)
            (i32.const 0) (i64.const 66) (i64.const 0) (i32.const 0) (i32.const 40)))))"#;
    let choices = SystemChoices {
        stdin: None,
        faults: 1,
        more: false,
        ..SystemChoices::default()
    };
    let explored = check(&start(choices, fails), &Bounds::default());
    let ends: Vec<&End> = explored.paths.iter().map(|path| &path.end).collect();
    assert_eq!(ends.len(), 3);
    assert!(ends.contains(&&End::Exited(0)) && ends.contains(&&End::Exited(1)));
    let reads = |load: &str| {
        let body = format!(
            r#"(func (export "main")
            (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 32)))
            (if (i32.ge_u (i32.load (i32.const 32)) (i32.const 2))
                (then (call $exit ({load} (i32.const 64))))))"#
        );
        let order = SearchOrder::DepthFirst;
        explore_by(&start(stdin(2), &body), &Bounds::default(), order)
    };
    let explored = reads("i32.load8_u");
    // As many codes as there are bytes, and less than two bytes of input in two ways.
    assert_eq!(explored.paths.len(), 256 + 2);
    assert!(
        explored
            .unexplored
            .iter()
            .all(|left| &*left.reason == FAULTS)
    );
    // One code more is too many: it is one path, and that is said.
    let explored = reads("i32.load16_u");
    assert_eq!(explored.paths.len(), 1 + 2);
    let said = explored.unexplored.iter();
    let said = said.filter(|left| left.reason.contains("exit code depends on inputs"));
    assert_eq!(said.count(), 1);
}

#[test]
fn without_a_word_of_the_user_input_is_as_it_was_given_and_that_is_said() {
    let body = r#"(func (export "main")
        (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 32)))
        (if (i32.eq (i32.load16_u (i32.const 64)) (i32.const 0x6f67)) (then unreachable)))"#;
    let explored = explore(&start(SystemChoices::default(), body), &Bounds::default());
    assert_eq!(explored.paths.len(), 1);
    assert_eq!(*trapping(&explored)[0][0].yielded.bytes, *b"go");
    let said: Vec<&str> = explored
        .unexplored
        .iter()
        .map(|left| &*left.reason)
        .collect();
    assert_eq!(said, [FAULTS, STDIN]);
    // So many as nobody asked for: where more would be read, that is said.
    for (bytes, more, said) in [
        (2, true, &[FAULTS, MORE_STDIN][..]),
        (2, false, &[FAULTS]),
        (40, true, &[FAULTS]),
    ] {
        let stdin = Some(bytes);
        let choices = SystemChoices {
            stdin,
            faults: 0,
            more,
            ..SystemChoices::default()
        };
        let explored = explore(&start(choices, body), &Bounds::default());
        let left_out: Vec<&str> = explored
            .unexplored
            .iter()
            .map(|left| &*left.reason)
            .collect();
        assert_eq!(left_out, said, "{bytes}");
    }
    let nothing = explore(&start(stdin(0), body), &Bounds::default());
    assert!(trapping(&nothing).is_empty(), "no bytes are none");
}
