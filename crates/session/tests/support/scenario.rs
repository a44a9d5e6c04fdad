//! A random program with a random board, in a folder of its own.

use std::path::PathBuf;

use borges_board::Board;
use borges_session::{Options, Session};
use borges_sim::Faults;
use borges_vm::{Module, Shared};
use fastrand::Rng;
use tempfile::TempDir;

use super::oracle::Plain;
use super::{board, program};

/// What programs and boards of a test are like.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Pins and timers interrupt.
    pub events: bool,
    /// Motors miss where they should go.
    pub slip: bool,
    /// Some programs never return.
    pub forever: bool,
}

impl Kind {
    /// All that there is.
    pub const WILD: Self = Self {
        events: true,
        slip: true,
        forever: true,
    };
    /// What happens the same way every time.
    pub const TAME: Self = Self {
        events: false,
        slip: false,
        forever: false,
    };
}

/// Which link lies between session and device, and what device it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// In memory, at once, with the real clock.
    Direct,
    /// Works, with a virtual clock.
    Perfect,
    /// Loses, doubles, overtakes, corrupts.
    Bad,
}

pub struct Scenario {
    pub seed: u64,
    pub wat: String,
    pub wasm: Vec<u8>,
    pub board_text: String,
    pub board: Board,
    pub forever: bool,
    pub declared: bool,
    folder: TempDir,
}

impl Scenario {
    pub fn new(seed: u64, kind: Kind) -> Self {
        let mut rng = Rng::with_seed(seed);
        let program = program::Features {
            events: kind.events && rng.bool(),
            forever: kind.forever && rng.bool(),
            traps: rng.u8(0..3) == 0,
            declared: rng.bool(),
            sights: rng.bool(),
            motors: rng.u8(0..4) != 0,
            delays: rng.u8(0..4) != 0,
        };
        let features = board::Features {
            events: program.events,
            slip: kind.slip && rng.bool(),
            rules: rng.bool(),
            declared: program.declared,
        };
        let (wat, board_text) = (
            program::program(&mut rng, program),
            board::board(&mut rng, features),
        );
        let folder = tempfile::tempdir().expect("a temporary folder");
        let wasm = compile(&wat, rng.bool());
        let board =
            Board::parse("board.toml", &board_text).unwrap_or_else(|error| panic!("{error}"));
        std::fs::write(folder.path().join("program.wasm"), &wasm).unwrap();
        std::fs::write(folder.path().join("board.toml"), &board_text).unwrap();
        Self {
            seed,
            wat,
            wasm,
            board_text,
            board,
            forever: program.forever,
            declared: program.declared,
            folder,
        }
    }

    /// A file of its folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Another program for the same board, as a file.
    pub fn rebuilt(&self, seed: u64) -> (PathBuf, Vec<u8>) {
        let mut rng = Rng::with_seed(seed);
        let features = program::Features {
            declared: self.declared,
            ..program::Features::plain(&mut rng)
        };
        let features = program::Features {
            forever: self.forever && features.forever,
            ..features
        };
        let wasm = compile(&program::program(&mut rng, features), rng.bool());
        let path = self.file(&format!("rebuilt-{seed}.wasm"));
        std::fs::write(&path, &wasm).unwrap();
        (path, wasm)
    }

    /// A session whose keyframes are dense, so that showing a moment uses them.
    pub fn options(&self, line: Line) -> Options {
        let none = Faults {
            delay_us: (0, 0),
            ..Faults::none()
        };
        Options {
            faults: match line {
                Line::Direct => None,
                Line::Perfect => Some((none, self.seed)),
                Line::Bad => Some((Faults::bad(), self.seed)),
            },
            keyframe_spacing: 200,
            device_slice: 64,
            ..Options::new(self.file("program.wasm"))
        }
    }

    pub fn open(&self, options: Options) -> Session {
        Session::open(options).unwrap_or_else(|error| panic!("{error}\n{}", self.wat))
    }

    /// A plain run of it on its own board.
    pub fn live(&self) -> Plain {
        Plain::new(Plain::load(&self.wasm, &self.board), &self.board)
    }

    /// A plain run of some program, whose motors go where a path says.
    pub fn plain(&self, module: &Shared<Module>) -> Plain {
        let mut board = self.board.clone();
        board.simulation.motor_slip = 0;
        Plain::new(module.clone(), &board)
    }
}

/// With or without source lines.
fn compile(wat: &str, lines: bool) -> Vec<u8> {
    let mut parser = wat::Parser::new();
    if lines {
        parser.generate_dwarf(wat::GenerateDwarf::Lines);
    }
    parser
        .parse_str(None, wat)
        .unwrap_or_else(|error| panic!("{error}\n{wat}"))
}
