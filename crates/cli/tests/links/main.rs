//! Links that fail, with the firmware itself at the other end, in each emulated microcontroller: cables that are pulled,
//! devices that reboot, hang or were running already, frames that are lost and damaged, programs that are too much.
//!
//! Ignored unless asked for, because they need the emulators and the built firmware: `scripts/firmware.sh test`.

/// Makes a test of each of these functions for each chip that can be emulated.
macro_rules! on_every_chip {
    ($($test:ident),+ $(,)?) => {
        on_every_chip!(@ stm32f4, STM32F4, $($test),+);
        on_every_chip!(@ pico, PICO, $($test),+);
    };
    (@ $chip:ident, $CHIP:ident, $($test:ident),+) => {
        mod $chip {
            $(
                #[test]
                #[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
                fn $test() {
                    super::$test(&crate::support::emulator::$CHIP);
                }
            )+
        }
    };
}

mod flash;
mod limits;
mod lossy;
mod reconnect;
#[path = "../support/mod.rs"]
mod support;
mod wire;

use std::path::Path;

use borges_session::command::{Direction, MockValues, StepSize};
use borges_session::{Act, Command, CommandError, Event, Flow, Options, Reply, Session};

use support::example;

/// A session and what it was told beside its replies.
struct Debugger {
    session: Session,
    warnings: Vec<String>,
}

impl Debugger {
    /// A session with the colour dial, whose sensor says what the test wants; simulated without an address.
    fn on_the_dial(device: Option<&str>) -> Self {
        Self::on(&example("color-dial"), device, None)
    }

    fn on(program: &Path, device: Option<&str>, file: Option<&Path>) -> Self {
        let options = Options {
            device: device.map(|address| address.parse().expect("an address")),
            session_file: file.map(Path::to_owned),
            ..Options::new(program)
        };
        Self::with(Session::open(options).expect("a program"))
    }

    fn with(session: Session) -> Self {
        Self {
            session,
            warnings: Vec::new(),
        }
    }

    fn execute(&mut self, command: impl Into<Command>) -> Result<Reply, CommandError> {
        let warnings = &mut self.warnings;
        self.session.execute(command, &mut |event| {
            if let Event::Warning { text } = event {
                warnings.push(text);
            }
            Flow::Continue
        })
    }

    /// Executes what has to work, and says what came out.
    fn do_all(&mut self, commands: impl IntoIterator<Item = Act>) -> Vec<String> {
        let say = |command: Act| match self.execute(command.clone()) {
            Ok(reply) => format!("{reply:?}"),
            Err(error) => panic!("{command:?}: {error}"),
        };
        commands.into_iter().map(say).collect()
    }
}

fn step(direction: Direction, size: StepSize, count: u64) -> Act {
    Act::Step {
        agent: None,
        direction,
        size,
        count,
    }
}

fn entries(count: u64) -> Act {
    step(Direction::Forward, StepSize::Entry, count)
}

/// The colour that the sensor sees from now on.
fn colour(value: u64) -> Act {
    Act::Mock {
        call: "read_uart_sensor(0)".to_owned(),
        values: MockValues::Sequence(vec![value.to_string()]),
    }
}

fn follow() -> Act {
    Act::Follow { always: None }
}
