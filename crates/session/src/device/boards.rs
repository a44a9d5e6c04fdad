//! Which boards a device takes from the host, and which it refuses.
#![allow(clippy::unwrap_used)]

use borges_sim::Faults;

use super::runner::Runner;
use super::{Companion, Device, LiveStops, Task};
use crate::command::{Flow, Observer, unobserved};
use crate::device::simulated::simulated;
use crate::history::History;
use crate::history::entry::Moment;
use crate::options::Options;
use crate::program::{Board, Opened};
use crate::stage::Stage;

const PROGRAM: &str = r#"(module
    (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
    (func (export "main")
        (loop $again
            (br_if $again (call $read (i32.const 10))))))"#;

/// A program whose board file is `wanted`, and what runs it: a device that was made for the board file `made_for`.
fn connect(wanted: &str, made_for: &str) -> Result<(Stage, Options, Runner), String> {
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
    let opened = Opened::read((&program, &[]), options.board.as_deref(), None, None).unwrap();
    let mut stage = Stage::new(opened, 0, &options);
    let (device, _) = simulated(&options, &theirs);
    let mut runner = Runner::default();
    runner
        .connect(device, &mut stage, &options, &mut unobserved)
        .map_err(|error| error.to_string())?;
    Ok((stage, options, runner))
}

const NARROW: &str = "name = \"narrow\"\n[limits]\nmemory_pages = 2\n";
const WIDE: &str = "name = \"wide\"\n[limits]\nmemory_pages = 3\n";

/// Goes along, and does nothing.
struct Nobody;

impl Companion for Nobody {
    fn came(&mut self, _: &mut History) -> Flow {
        Flow::Continue
    }

    fn look(&mut self, _: &History, _: Observer<'_>) {}
}

#[test]
fn a_device_goes_on_with_the_board_of_the_host() {
    let (mut stage, options, mut runner) = connect(NARROW, WIDE).unwrap();
    let history = &mut stage.history;
    let device = runner.device().unwrap();
    let ran = device.run(
        history,
        None,
        3,
        &LiveStops::default(),
        &mut unobserved,
        &mut Nobody,
    );
    assert!(ran.unwrap().full);
    let here = history.here();
    assert!(here.place.index >= 3, "{here:?}");
    assert_eq!(runner.state(), Some(here));
    let verified = runner.verify(&mut stage, &options, &mut unobserved);
    assert_eq!(verified.unwrap().0, here.steps);
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
    let (mut stage, options, _) = connect(NARROW, NARROW).unwrap();
    let (loaded, history) = (&stage.loaded, &mut stage.history);
    history.seek(Moment::START, &mut unobserved).unwrap();
    for bytes in [&b""[..], b"no board", &[0xff; 300]] {
        let (link, _) = simulated(&options, loaded.board_file());
        let refused = Device::connect(
            link,
            1,
            Task {
                program: loaded.program(),
                board: bytes,
                entry: loaded.entry().clone(),
            },
            history,
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
