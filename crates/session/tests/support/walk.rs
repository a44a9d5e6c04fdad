//! A random session: commands that make sense often enough, and the laws that hold after each of them.

use std::collections::HashMap;
use std::rc::Rc;

use borges_session::command::{
    Act, CodePlace, Command, Direction, Event, Look, MockValues, NewBreakpoint, Reply, StepSize,
    StopKind, UniverseId,
};
use borges_session::{CommandError, DeviceError, Flow, LinkError, Session};
use borges_sim::Environment;
use borges_vm::{Module, Outcome, Shared, StateHash};
use fastrand::Rng;

use super::oracle::{Path, Plain};
use super::scenario::Scenario;

pub const SIZES: [StepSize; 5] = [
    StepSize::Instruction,
    StepSize::Into,
    StepSize::Over,
    StepSize::Out,
    StepSize::Entry,
];

/// What a command did.
pub type Outcomes = Vec<(Command, Result<Reply, String>)>;

/// What random sessions may do.
#[derive(Clone, Copy, Debug)]
pub struct Manners {
    /// Pauses runs at random: where depends on the line.
    pub pauses: bool,
    /// Uploads other programs.
    pub uploads: bool,
    /// The link may fail.
    pub cable: bool,
}

/// A session, and what a test knows of it.
pub struct Walk<'s> {
    pub scenario: &'s Scenario,
    pub session: Session,
    pub rng: Rng,
    pub manners: Manners,
    pub outcomes: Outcomes,
    /// The program that runs now.
    module: Shared<Module>,
    /// Universes that were shown, by number and by moment.
    shown: Vec<(UniverseId, String)>,
    bookmarks: u32,
    follows: bool,
    /// What a plain run to a moment led to, with the attempt to go on that trapped or without.
    expected: HashMap<(String, bool), Rc<Expected>>,
}

struct Expected {
    steps: u64,
    state: StateHash,
    board: u64,
    environment: Environment,
}

impl<'s> Walk<'s> {
    pub fn new(scenario: &'s Scenario, session: Session, seed: u64, manners: Manners) -> Self {
        Self {
            scenario,
            session,
            rng: Rng::with_seed(seed ^ 0x5eed),
            manners,
            outcomes: Vec::new(),
            module: Plain::load(&scenario.wasm, &scenario.board),
            shown: Vec::new(),
            bookmarks: 0,
            follows: false,
            expected: HashMap::new(),
        }
    }

    /// Random commands, and the laws after each.
    pub fn go(&mut self, commands: usize) {
        for _ in 0..commands {
            let command = self.random_command();
            let _refused = self.execute(command);
            self.check();
        }
    }

    /// Carries out a command; errors must be such as a user deserves.
    pub fn execute(&mut self, command: impl Into<Command>) -> Result<Reply, String> {
        let command = command.into();
        let pause_after =
            match self.manners.pauses && (self.scenario.forever || self.rng.u8(0..4) == 0) {
                true => self.rng.u64(1..12),
                false => u64::MAX,
            };
        let mut progress = 0;
        let mut observer = |event: Event| {
            progress += u64::from(matches!(event, Event::Progress { .. }));
            if progress >= pause_after {
                Flow::Pause
            } else {
                Flow::Continue
            }
        };
        let result = self.session.execute(command.clone(), &mut observer);
        let result =
            match result {
                Ok(reply) => Ok(reply),
                Err(CommandError::Invalid(text) | CommandError::NoSuch(text)) => Err(text),
                Err(error @ CommandError::Paused) => Err(error.to_string()),
                Err(CommandError::Device(DeviceError::Link(LinkError::Silent {
                    doing, ..
                }))) if self.manners.cable => Err(format!("silent while {doing}")),
                // On a bad line answers take so long that the wait for one is paused.
                Err(CommandError::Device(DeviceError::Link(LinkError::Left { doing })))
                    if pause_after < u64::MAX =>
                {
                    Err(format!("paused while {doing}"))
                }
                Err(error) => panic!("{command:?}: {error}\n{}", self.story()),
            };
        match (&command, &result) {
            (Command::Act(Act::Upload { program }), Ok(_)) => {
                let wasm = std::fs::read(program).unwrap();
                self.module = Plain::load(&wasm, &self.scenario.board);
                self.shown.clear();
                self.expected.clear();
            }
            (
                Command::Act(Act::Follow {
                    always: Some(always),
                }),
                _,
            ) => self.follows = *always,
            (Command::Act(Act::Bookmark { .. }), Ok(_)) => self.bookmarks += 1,
            _ => {}
        }
        self.outcomes.push((command, result.clone()));
        result
    }

    /// The commands so far, to be read after a failure.
    pub fn story(&self) -> String {
        let mut story = format!("{}\n{}\n", self.scenario.wat, self.scenario.board_text);
        for (number, (command, outcome)) in self.outcomes.iter().enumerate() {
            story.push_str(&format!(
                "{number}: {command:?}\n    {}\n",
                shorten(&format!("{outcome:?}"))
            ));
        }
        story
    }

    /// The moment shown, as a string.
    pub fn moment(&mut self) -> String {
        match self.session.execute(Look::Moment, &mut |_| Flow::Continue) {
            Ok(Reply::Moment { moment, .. }) => moment,
            other => panic!("{other:?}\n{}", self.story()),
        }
    }

    /// Soundness, and compensation soundness: what is shown is what a plain run with the inputs of its path comes to, and
    /// the device's environment is that of a plain run to where it stands.
    pub fn check(&mut self) {
        let moment = self.moment();
        let here = self.session.here();
        if self.shown.len() < 200 || self.rng.u8(0..4) == 0 {
            let slot = self.rng.usize(0..200).min(self.shown.len());
            let entry = (here.universe, moment.clone());
            if slot < self.shown.len() {
                self.shown[slot] = entry;
            } else {
                self.shown.push(entry);
            }
        }
        let trapped = matches!(self.session.machine().outcome(), Some(Outcome::Trapped(_)));
        let expected = self.expected(&moment, trapped);
        let board = self.session.board_state();
        let shown = (
            self.session.machine().steps(),
            self.session.machine().hash(),
            board.hash64(),
        );
        assert_eq!(
            shown,
            (expected.steps, expected.state, expected.board),
            "state at {moment}\n{}",
            self.story()
        );
        let differences = compare_sights(board, &expected.environment);
        assert!(
            differences.is_empty(),
            "shown at {moment}: {differences:#?}\n{}",
            self.story()
        );
        self.check_device();
    }

    fn check_device(&mut self) {
        let Some(moment) = self.session.device_moment() else {
            return;
        };
        let Some(handle) = self.session.simulated().cloned() else {
            return;
        };
        let (environment, board) = handle.with(|stub| {
            (
                stub.hardware().environment().clone(),
                stub.board_state().hash64(),
            )
        });
        let expected = self.expected(&moment, false);
        let differences = environment.differences(&expected.environment);
        assert!(
            differences.is_empty(),
            "environment at {moment}: {differences:#?}\n{}",
            self.story()
        );
        assert_eq!(
            board,
            expected.board,
            "the device's model at {moment}\n{}",
            self.story()
        );
    }

    fn expected(&mut self, moment: &str, trapped: bool) -> Rc<Expected> {
        let key = (moment.to_owned(), trapped);
        if let Some(expected) = self.expected.get(&key) {
            return expected.clone();
        }
        let mut plain = self.scenario.plain(&self.module);
        let path = Path::of(moment);
        if let Err(error) = plain.follow(&path) {
            panic!(
                "no plain run comes to {moment}: {error}\n{path:?}\n{}",
                self.story()
            );
        }
        if trapped {
            plain.attempt();
        }
        let expected = Rc::new(expected_of(&plain));
        self.expected.insert(key, expected.clone());
        expected
    }

    // Random commands.

    fn random_command(&mut self) -> Command {
        let act = match self.rng.u8(0..100) {
            0..=39 => self.random_step(),
            40..=45 => Act::Continue {
                direction: self.direction(),
            },
            46..=48 => Act::RunTo {
                place: self.place(),
                direction: self.direction(),
            },
            49 => Act::Restart,
            50..=63 => Act::Jump {
                target: self.target(),
            },
            64..=70 => Act::Follow { always: None },
            71 => {
                let always = !self.follows || self.rng.bool();
                Act::Follow {
                    always: Some(always && self.rng.bool()),
                }
            }
            72..=75 => Act::Fork,
            76..=79 => self.mock(),
            80 => Act::Unmock {
                call: self.rng.bool().then(|| self.call()),
            },
            81..=84 => Act::Branches {
                values: self.values().join(", "),
            },
            85..=88 => self.breakpoint(),
            89..=90 => Act::DeleteBreakpoints { ids: Vec::new() },
            91 => Act::EnableBreakpoint {
                id: self.rng.u32(1..4),
                enabled: self.rng.bool(),
            },
            92 => Act::Who {
                what: self.variable(),
            },
            93 => Act::Verify,
            94 if self.manners.uploads && self.rng.u8(0..4) == 0 => {
                let (path, _) = self.scenario.rebuilt(self.rng.u64(0..4));
                Act::Upload {
                    program: path.display().to_string(),
                }
            }
            95 => {
                self.bookmarks += 1;
                Act::Bookmark {
                    name: format!("b{}", self.bookmarks),
                }
            }
            96 => Act::Note {
                text: "a note".to_owned(),
            },
            _ => return self.look().into(),
        };
        act.into()
    }

    fn random_step(&mut self) -> Act {
        let size = SIZES[self.rng.usize(0..SIZES.len())];
        let count = if self.rng.u8(0..5) == 0 {
            self.rng.u64(2..15)
        } else {
            1
        };
        Act::Step {
            agent: None,
            direction: self.direction(),
            size,
            count,
        }
    }

    fn direction(&mut self) -> Direction {
        if self.rng.u8(0..5) < 3 {
            Direction::Forward
        } else {
            Direction::Backward
        }
    }

    fn place(&mut self) -> CodePlace {
        match self.rng.u8(0..3) {
            0 => CodePlace::Function(
                ["h0", "h1", "r", "on_pin", "on_timer"][self.rng.usize(0..5)].to_owned(),
            ),
            _ => CodePlace::Offset(self.offset()),
        }
    }

    fn offset(&mut self) -> u32 {
        let funcs: Vec<_> = self
            .module
            .funcs()
            .filter(|func| self.module.code_range(*func).is_some())
            .collect();
        let func = funcs[self.rng.usize(0..funcs.len())];
        let starts: Vec<_> = self.module.instr_starts(func).collect();
        starts[self.rng.usize(0..starts.len())].0
    }

    /// Somewhere to jump to.
    fn target(&mut self) -> String {
        let known = (!self.shown.is_empty())
            .then(|| self.shown[self.rng.usize(0..self.shown.len())].clone());
        match (self.rng.u8(0..12), known) {
            (0, _) => "start".to_owned(),
            (1, _) => "tip".to_owned(),
            (2, _) => "device".to_owned(),
            (3, _) => format!("@{}", self.rng.u64(0..400)),
            (4, _) => format!("b{}", self.rng.u32(0..4)),
            (5 | 6, Some((_, moment))) => moment,
            (7, Some((id, _))) => format!(
                "{}.{}+{}",
                id.branch,
                id.index,
                id.offset + self.rng.u64(0..20)
            ),
            (8, _) => format!("{}.{}", self.rng.u32(0..6), self.rng.u32(0..30)),
            (_, Some((id, _))) => id.to_string(),
            _ => "here".to_owned(),
        }
    }

    fn call(&mut self) -> String {
        let calls = [
            "chip_digital_read",
            "chip_digital_read(3)",
            "chip_analog_read(10)",
            "chip_analog_read(_)",
            "color_sensor(0)",
            "read_uart_sensor",
            "nxt_touch_sensor(1)",
            "random_int",
            "random_int(6)",
            "millis",
            "micros",
            "humidity(0)",
            "humidity",
            "voltage",
            "ticks",
        ];
        calls[self.rng.usize(0..calls.len())].to_owned()
    }

    fn values(&mut self) -> Vec<String> {
        let count = self.rng.usize(1..4);
        (0..count)
            .map(|_| match self.rng.u8(0..8) {
                0..=3 => self.rng.u8(0..2).to_string(),
                4 => self.rng.u8(0..8).to_string(),
                5 => self.rng.u16(0..4096).to_string(),
                6 => "0.25".to_owned(),
                _ => self.rng.u64(1 << 20..1 << 40).to_string(),
            })
            .collect()
    }

    fn mock(&mut self) -> Act {
        let (call, values) = (self.call(), self.values());
        let values = if self.rng.bool() {
            MockValues::Sequence(values)
        } else {
            MockValues::Then(values)
        };
        Act::Mock { call, values }
    }

    fn breakpoint(&mut self) -> Act {
        let kind = match self.rng.u8(0..8) {
            0..=2 => StopKind::Code(self.place()),
            3 => StopKind::Write(self.variable()),
            4 | 5 => {
                let names = [
                    "chip_digital_read",
                    "chip_digital_write",
                    "print_int",
                    "random_int",
                    "chip_delay",
                    "noTone",
                ];
                StopKind::Primitive(names[self.rng.usize(0..names.len())].to_owned())
            }
            6 => StopKind::Trap,
            _ => StopKind::Event,
        };
        let condition = match self.rng.u8(0..6) {
            0 => Some("g0 > 3".to_owned()),
            1 if matches!(kind, StopKind::Primitive(_)) => Some("arg0 == 1".to_owned()),
            _ => None,
        };
        let hits = if self.rng.u8(0..4) == 0 {
            self.rng.u64(1..4)
        } else {
            0
        };
        let log = (self.rng.u8(0..8) == 0).then(|| "g1 is {g1}".to_owned());
        Act::Break(NewBreakpoint {
            agent: None,
            kind,
            condition,
            hits,
            log,
        })
    }

    fn variable(&mut self) -> String {
        ["g0", "g1", "g2", "l", "f", "d", "$g0", "*(int*)512"][self.rng.usize(0..8)].to_owned()
    }

    fn look(&mut self) -> Look {
        match self.rng.u8(0..13) {
            0 => Look::Print {
                expression: self.variable(),
                frame: 0,
            },
            1 => Look::Variables {
                agent: None,
                frame: self.rng.u32(0..2),
            },
            2 => Look::Stack { agent: None },
            3 => Look::Memory {
                address: "512".to_owned(),
                length: 64,
                memory: None,
            },
            4 => Look::Disassemble {
                place: None,
                around: 3,
            },
            5 => Look::Tree { lines: 40 },
            6 => Look::Path { around: 5 },
            7 => Look::Board,
            8 => Look::Console,
            9 => Look::Compare {
                left: "here".to_owned(),
                right: self.target(),
            },
            10 => Look::Mocks,
            11 => Look::Notes,
            _ => Look::Info,
        }
    }
}

fn expected_of(plain: &Plain) -> Expected {
    Expected {
        steps: plain.machine.steps(),
        state: plain.machine.hash(),
        board: plain.driver.state().hash64(),
        environment: plain.environment().clone(),
    }
}

/// Whether the twin's board looks like the environment of a plain run.
fn compare_sights(board: &borges_board::BoardState, environment: &Environment) -> Vec<String> {
    let mut list = Vec::new();
    let mut same = |what: &str, same: bool| {
        if !same {
            list.push(what.to_owned());
        }
    };
    for (pin, state) in board.pins() {
        same(
            &format!("mode of pin {pin}"),
            state.mode == environment.modes.get(pin).copied(),
        );
        same(
            &format!("duty of pin {pin}"),
            state.duty == environment.duties.get(pin).copied(),
        );
        same(
            &format!("channel of pin {pin}"),
            state.channel == environment.pin_channels.get(pin).copied(),
        );
        same(
            &format!("level of pin {pin}"),
            state
                .level
                .is_none_or(|level| level == environment.level(*pin)),
        );
    }
    let motors: Vec<_> = board
        .motors()
        .iter()
        .map(|motor| (motor.speed, motor.angle))
        .collect();
    same(
        &format!("motors: {motors:?}, not {:?}", environment.motors),
        motors == environment.motors,
    );
    same("tone", board.tone() == environment.tone);
    same(
        "timer",
        board.timer().map(|timer| timer.period_us) == environment.timer_us,
    );
    let interrupts = board
        .subscriptions()
        .map(|(pin, subscription)| (*pin, subscription.mode));
    same(
        "interrupts",
        interrupts.eq(environment.interrupts.iter().copied()),
    );
    same(
        "sensor modes",
        board.sensor_modes().eq(environment.sensor_modes.iter()),
    );
    same("channels", board.channels().eq(environment.channels.iter()));
    same("console", board.console() == Some(&environment.console));
    same("strip", board.pixels() == Some(&environment.pixels));
    same("display", board.display() == Some(&environment.display));
    same("time", board.elapsed_us() == environment.waited_us);
    list
}

fn shorten(text: &str) -> String {
    let end = text
        .char_indices()
        .nth(400)
        .map_or(text.len(), |(at, _)| at);
    text[..end].to_owned()
}
