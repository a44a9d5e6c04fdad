//! Which boards a device takes from the host, and which it refuses.
#![allow(clippy::unwrap_used)]

use borges_sim::Faults;

use super::{Device, Task};
use crate::command::unobserved;
use crate::command::{Act, Direction, Flow, StepSize};
use crate::device::simulated::simulated;
use crate::program::Board;
use crate::{Options, Session};

const PROGRAM: &str = r#"(module
    (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
    (func (export "main")
        (loop $again
            (br_if $again (call $read (i32.const 10))))))"#;

/// A session whose board file is `wanted`, and a device that was made for the board file `made_for`.
fn connect(wanted: &str, made_for: &str) -> Result<Session, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let program = file("program.wasm", &wat::parse_str(PROGRAM).unwrap());
    let options = Options {
        board: Some(file("wanted.toml", wanted.as_bytes())),
        faults: Some((Faults::none(), 1)),
        ..Options::new(program.clone())
    };
    let theirs = Board::find(&program, Some(&file("theirs.toml", made_for.as_bytes()))).unwrap();
    let mut session = Session::open(options).unwrap();
    let (device, _) = simulated(&session.options, &theirs);
    session
        .connect(device, &mut unobserved)
        .map_err(|error| error.to_string())?;
    Ok(session)
}

const NARROW: &str = "name = \"narrow\"\n[limits]\nmemory_pages = 2\n";
const WIDE: &str = "name = \"wide\"\n[limits]\nmemory_pages = 3\n";

#[test]
fn a_device_goes_on_with_the_board_of_the_host() {
    let mut session = connect(NARROW, WIDE).unwrap();
    let step = Act::Step {
        direction: Direction::Forward,
        size: StepSize::Entry,
        count: 3,
    };
    session.execute(step, &mut |_| Flow::Continue).unwrap();
    session
        .execute(Act::Verify, &mut |_| Flow::Continue)
        .unwrap();
}

#[test]
fn a_board_that_wants_more_than_the_device_has_is_refused() {
    let refused = connect(WIDE, NARROW).err().unwrap();
    assert!(
        refused.contains("3 pages of memory, at most 2; lower [limits] in the board file"),
        "{refused}"
    );
}

#[test]
fn what_is_no_board_is_refused() {
    let mut session = connect(NARROW, NARROW).unwrap();
    let program = session.stage.history.twin.program().clone();
    let entry = session.stage.loaded.entry().clone();
    session
        .stage
        .history
        .seek(crate::history::entry::Moment::START, &mut unobserved)
        .unwrap();
    for bytes in [&b""[..], b"no board", &[0xff; 300]] {
        let (link, _) = simulated(&session.options, session.stage.loaded.board_file());
        let refused = Device::connect(
            link,
            1,
            Task {
                program: &program,
                board: bytes,
                entry: entry.clone(),
            },
            &mut session.stage.history,
            None,
            &mut unobserved,
        );
        let refused = refused.err().unwrap().to_string();
        assert!(
            refused.contains("could not read the description of the board"),
            "{refused}"
        );
    }
}
