//! The one table of flags: parser, help and shell completions are made from it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use borges_languages::ambienttalk::{Delivery, Grain};
use borges_languages::model::{DigestSize, Reduction, Schedules};
use borges_session::{Library, suggest};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::exit::MEANINGS;
use crate::terminal::ColorChoice;

/// A multiverse debugger: run a program forwards, backwards and sideways.
#[derive(Debug, Parser)]
#[command(name = "borges", version, max_term_width = 100, after_help = exit_codes())]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) action: Action,
}

/// What every subcommand understands.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Global {
    /// Print JSON: one object for the whole command, or one line for every command of a script
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to colour the output; NO_COLOR is respected
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Show no progress
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Debug a program in the browser
    Debug(Debug),
    /// Let LLDB debug a program, forwards and backwards
    Gdb(Gdb),
    /// Let editors debug programs: serve the Debug Adapter Protocol
    Dap(Dap),
    /// Let editors know programs of model languages (.amb, .at, .oz): serve the Language Server Protocol
    Lsp(Lsp),
    /// Debug a program at a prompt, or with the commands of a script
    Repl(Repl),
    /// Run a program without the debugger and say what it did
    Run(Run),
    /// Run a program at full speed and write its trace to a session file
    Record(Record),
    /// Run a recording again and check that everything comes out the same, bit for bit
    Replay(Replay),
    /// Make a session file of what a recorder wrote beside another engine, and check it call by call
    Import(Import),
    /// Make one session file of many recordings of a program, which counts how many went which way
    Merge(Merge),
    /// List serial ports, and what answers on them
    Devices(Devices),
    /// Put the firmware onto a board
    Flash(Flash),
    /// Be a simulated board that other processes debug, over TCP
    Board(Board),
    /// Find everything that a program can come to: over all inputs for ever, or all interleavings
    Explore(Box<Explore>),
    /// Wait for surveys that other processes lead, and help with them
    Worker(Worker),
    /// Find the inputs that lead to every path of a program within a bound
    Paths(Paths),
    /// Find inputs that lead to a place, a condition or a trap, shortest first
    Reach(Ask<Destination>),
    /// Find traps and failed assertions, each with the fewest inputs that lead there
    Bugs(Ask<Everything>),
    /// Find the choice that made a trap inevitable, and the first after which it was possible
    Why(Ask<Decided>),
    /// Find the lines and branches that no path within a bound reaches, and inputs for the others
    Cover(Ask<Everything>),
    /// Run the tests that 'borges paths --write-test' wrote
    Test(Test),
    /// Show what is in a program or a session file
    Inspect(Inspect),
    /// Check programs, boards, sessions and model-language sources, and explain what is wrong
    Check(Check),
    /// Lay out programs of model languages in the usual way, with their comments
    Format(Format),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Write the manual pages for man(1) into a folder
    Manual(Manual),
}

/// The program and how it is started.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Start {
    /// The board: a TOML file [default: board.toml beside the program, or else the default board]
    #[arg(long, value_name = "FILE")]
    pub(crate) board: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) entry: Entry,
    /// Seeds the simulated board's noise and random numbers [default: the board's own seed]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

/// The heading of what only programs of an operating system find.
const WASI: &str = "Programs of WASI";

/// What a program finds that calls an operating system (WASI).
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct System {
    #[command(flatten)]
    pub(crate) found: Found,
    /// What the program reads from standard input (- for this command's own)
    #[arg(long, value_name = "FILE", help_heading = WASI)]
    pub(crate) stdin: Option<PathBuf>,
    /// The program's arguments, after --
    #[arg(last = true, value_name = "ARGUMENT", help_heading = WASI)]
    pub(crate) arguments: Vec<String>,
}

/// The same, and what is looked at of what that may come to.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SystemChoices {
    #[command(flatten)]
    pub(crate) found: Found,
    /// So many bytes of standard input may be anything, and it may end before any of them [default: it is empty, and that
    /// is noted; of bugs 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=255), help_heading = WASI)]
    pub(crate) stdin: Option<u32>,
    /// So many calls may fail on a path (the disk is full, a file cannot be opened) [default: none, and that is noted;
    /// without a number 1]
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1",
        help_heading = WASI
    )]
    pub(crate) faults: Option<u32>,
    /// The program's arguments, after --
    #[arg(last = true, value_name = "ARGUMENT", help_heading = WASI)]
    pub(crate) arguments: Vec<String>,
}

/// Folders and variables of a program.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Found {
    /// Give the program a folder, read in at the start; what it writes there stays in the debugger
    #[arg(long = "dir", value_name = "HOST[::GUEST]", help_heading = WASI)]
    pub(crate) folders: Vec<String>,
    /// Set a variable of the program's environment
    #[arg(long = "env", value_name = "NAME=VALUE", help_heading = WASI)]
    pub(crate) environment: Vec<String>,
    /// Let the program find terminals as its standard streams, so that it prints line by line [default: of 'run' what they
    /// are, else none is]
    #[arg(long, help_heading = WASI)]
    pub(crate) terminal: bool,
}

/// The device to run it on.
#[derive(Args, Clone, Debug)]
pub(crate) struct Target {
    /// Run it on a real device: serial:PORT, serial:PORT@BAUD or tcp:HOST:PORT [default: a simulated one]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) device: Option<String>,
    /// Bits a second of a serial port [default: 115200]; a USB port has its own speed
    #[arg(long, value_name = "N", requires = "device", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) baud: Option<u32>,
    /// The key that the device was started with: needed for one that is not on this computer
    #[arg(long, value_name = "FILE", requires = "device")]
    pub(crate) key_file: Option<PathBuf>,
    /// What a program does that is faster than the link
    #[arg(long, action = ArgAction::Set, value_parser = words(WHEN_SLOW), value_name = "WHAT", default_value = "wait")]
    pub(crate) when_slow: bool,
}

/// `borges devices`.
#[derive(Args, Debug)]
pub(crate) struct Devices {
    /// Ask at these addresses (serial:PORT, tcp:HOST:PORT) instead of at all serial ports
    #[arg(value_name = "ADDRESS")]
    pub(crate) addresses: Vec<String>,
    /// Open no port, only list them
    #[arg(long, conflicts_with = "addresses")]
    pub(crate) list: bool,
    /// Bits a second at which to ask [default: 115200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) baud: Option<u32>,
    /// Say whether one of these programs is on a device
    #[arg(long = "program", value_name = "FILE")]
    pub(crate) programs: Vec<PathBuf>,
    /// The key of the devices that have one
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
}

/// `borges flash`.
#[derive(Args, Debug)]
pub(crate) struct Flash {
    /// The firmware: a UF2 or ELF file for the Pico; for other chips what probe-rs takes (ELF, HEX)
    pub(crate) firmware: PathBuf,
    /// The drive of the Pico that waits for firmware [default: the one that there is]
    #[arg(long, value_name = "FOLDER", conflicts_with = "output")]
    pub(crate) drive: Option<PathBuf>,
    /// Write a UF2 file instead
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Another chip, through a debug probe with probe-rs: STM32F405RGTx, …
    #[arg(long, value_name = "CHIP", conflicts_with_all = ["drive", "output"])]
    pub(crate) chip: Option<String>,
}

/// `borges board`.
#[derive(Args, Debug)]
pub(crate) struct Board {
    /// The board: a TOML file [default: the default board]
    pub(crate) file: Option<PathBuf>,
    /// Where to wait for the debugger; beyond this computer only with a key. Port 0 is any that is free
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:5555")]
    pub(crate) listen: String,
    /// Let nobody in who does not have this key; made if there is no such file
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// Seeds the board's noise and random numbers [default: the board's own seed]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

/// `borges debug`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Debug {
    /// A program (.wasm, or .amb, .at, .oz) or a session file; without one, the page offers examples and recent sessions
    pub(crate) program: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) start: Start,
    #[command(flatten)]
    pub(crate) system: System,
    /// Keep the session in this file; go on with it if it exists [default: a new file among the recent sessions]
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
    /// Begin at this moment: what the page's "share" copies
    #[arg(long, value_name = "MOMENT")]
    pub(crate) at: Option<String>,
    #[command(flatten)]
    pub(crate) target: Target,
    /// The port on 127.0.0.1 [default: a free one]; BORGES_TOKEN sets the secret in the address
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Print the address, open no browser
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// Give no prompt in this terminal
    #[arg(long)]
    pub(crate) no_prompt: bool,
    #[command(flatten)]
    pub(crate) steps: Steps,
    /// The most states that questions about all of them explore [default: 1000000]
    #[arg(long, value_name = "N")]
    pub(crate) states: Option<usize>,
}

/// How a program of a device is opened.
#[derive(Args, Clone, Debug)]
pub(crate) struct Opening {
    #[command(flatten)]
    pub(crate) start: Start,
    #[command(flatten)]
    pub(crate) system: System,
    /// Keep the session in this file; go on with it if it exists
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) target: Target,
}

/// `borges gdb`.
#[derive(Args, Debug)]
pub(crate) struct Gdb {
    /// A program (.wasm) or a session file
    pub(crate) program: PathBuf,
    #[command(flatten)]
    pub(crate) opening: Opening,
    /// Where to wait for one debugger, on this computer; port 0 is any that is free
    #[arg(long, value_name = "127.0.0.1:PORT", default_value = "127.0.0.1:0")]
    pub(crate) listen: SocketAddr,
}

/// `borges worker`.
#[derive(Args, Debug)]
pub(crate) struct Worker {
    /// Where to wait for 'borges explore --workers'; port 0 is any that is free. Beyond this computer it needs --key-file
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7070")]
    pub(crate) listen: String,
    /// Take jobs from a queue instead, for 'borges paths', 'bugs', 'reach', 'cover' and 'why' with the same --queue: a NATS
    /// server, such as nats://127.0.0.1:4222
    #[arg(long, value_name = "URL", conflicts_with_all = ["listen", "surveys"])]
    pub(crate) queue: Option<String>,
    /// Work for nobody who does not have this key; made if there is no such file
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// How many cores compute [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) cores: Option<u16>,
    /// End after so many surveys, also those that were not done
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) surveys: Option<u32>,
}

/// `borges dap`.
#[derive(Args, Debug)]
pub(crate) struct Dap {
    /// Wait for editors here, instead of serving one on standard input and output; each launches a program of its own, with
    /// the token that is printed (BORGES_TOKEN sets it). Port 0 is any that is free
    #[arg(long, value_name = "127.0.0.1:PORT")]
    pub(crate) listen: Option<String>,
    /// Join the session of a page, by its address, where an editor attaches and names none
    #[arg(long, value_name = "URL")]
    pub(crate) attach: Option<String>,
}

/// `borges lsp`.
#[derive(Args, Debug)]
pub(crate) struct Lsp {
    /// Serve on standard input and output, as is done anyway: some editors say so
    #[arg(long)]
    pub(crate) stdio: bool,
}

/// `borges repl`.
#[derive(Args, Debug)]
pub(crate) struct Repl {
    /// A program (.wasm), a session file, a model-language source (.amb, .at, .oz) or an expression such as '(+ (amb 1 2) 3)'
    #[arg(
        value_name = "PROGRAM",
        required = false,
        required_unless_present = "attach",
        default_value_if("attach", clap::builder::ArgPredicate::IsPresent, "")
    )]
    pub(crate) program: String,
    /// Look at the session of a page, by its address
    #[arg(long, value_name = "URL", conflicts_with_all = ["program", "session", "board", "entry", "seed"])]
    pub(crate) attach: Option<String>,
    #[command(flatten)]
    pub(crate) opening: Opening,
    /// Take commands from this file (- for standard input) instead of the prompt
    #[arg(long, value_name = "FILE", conflicts_with = "execute")]
    pub(crate) script: Option<PathBuf>,
    /// Take these commands instead of the prompt; may be given several times
    #[arg(long, short = 'x', value_name = "COMMANDS")]
    pub(crate) execute: Vec<String>,
    /// Go on after a failed command of a script
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Walk through the universes of an AmbientTalk or μOz program, instead of opening the language's own debugger
    #[arg(long)]
    pub(crate) walk: bool,
    /// Walk through a program of a model language under D_amb, the stepping debugger: its steps pause and are resumed
    #[arg(long, conflicts_with = "session")]
    pub(crate) debugger: bool,
    #[command(flatten)]
    pub(crate) steps: Steps,
    /// The most states that questions about all of them explore [default: 1000000]
    #[arg(long, value_name = "N")]
    pub(crate) states: Option<usize>,
}

/// `borges run`.
#[derive(Args, Debug)]
pub(crate) struct Run {
    /// The program: a WebAssembly module
    pub(crate) program: PathBuf,
    #[command(flatten)]
    pub(crate) start: Start,
    #[command(flatten)]
    pub(crate) system: System,
    /// Write what the program did to its files to the folders of --dir when it has ended, as a runtime would
    #[arg(long, requires = "folders", help_heading = "Programs of WASI")]
    pub(crate) write_back: bool,
    /// Values for the inputs, in order; after the last one the run ends with "inputs-exhausted"
    /// [default: what the board's sources say]
    #[arg(
        long,
        value_name = "V,V,…",
        allow_hyphen_values = true,
        num_args = 0..=1,
        default_missing_value = ""
    )]
    pub(crate) inputs: Option<String>,
    /// The most steps to take (a step is one WebAssembly instruction)
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,
}

/// `borges record`.
#[derive(Args, Debug)]
pub(crate) struct Record {
    /// The program: a WebAssembly module
    pub(crate) program: PathBuf,
    /// The session file to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) target: Target,
    #[command(flatten)]
    pub(crate) start: Start,
    #[command(flatten)]
    pub(crate) system: System,
    /// The most steps to take (a step is one WebAssembly instruction)
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,
}

/// `borges import`.
#[derive(Args, Debug)]
pub(crate) struct Import {
    /// What a recorder wrote
    pub(crate) recording: PathBuf,
    /// The program that was recorded: a WebAssembly module
    pub(crate) program: PathBuf,
    #[command(flatten)]
    pub(crate) linked: Linked,
    /// The session file to write [default: the recording's name, with .borges]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The board file, for programs of a board
    #[arg(long, value_name = "FILE")]
    pub(crate) board: Option<PathBuf>,
    /// Take this folder for what the recorded program found there; without it, the files that it read
    #[arg(long = "dir", value_name = "HOST[::GUEST]")]
    pub(crate) folders: Vec<String>,
    /// Keep what comes before the place where program and recording part, or where the recording is damaged
    #[arg(long)]
    pub(crate) partial: bool,
}

/// `borges merge`.
#[derive(Args, Debug)]
pub(crate) struct Merge {
    /// Recordings of one program: session files, of one recording each or merged before
    #[arg(required = true)]
    pub(crate) sessions: Vec<PathBuf>,
    /// The session file to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// `borges replay`.
#[derive(Args, Debug)]
pub(crate) struct Replay {
    /// A session file
    pub(crate) session: PathBuf,
}

/// What a step of a model language is.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Steps {
    /// What a step is in a model language: every rule, or what others can see [default: rule; visible where actors
    /// are debugged]
    #[arg(long, value_parser = words(GRAINS))]
    pub(crate) grain: Option<Grain>,
    /// When messages between actors arrive
    #[arg(long, value_parser = words(DELIVERIES), default_value = "immediate")]
    pub(crate) delivery: Delivery,
}

/// `borges explore`.
#[derive(Args, Debug)]
pub(crate) struct Explore {
    /// A device program (.wasm); or a λ_amb (.amb), AmbientTalk (.at) or μOz (.oz) source, or an expression such as
    /// '(+ (amb 1 2) 3)'
    #[arg(required_unless_present = "resume")]
    pub(crate) program: Option<String>,
    /// The board of a device program [default: the board.toml beside it]
    #[arg(long, value_name = "FILE")]
    pub(crate) board: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) within: Forever,
    /// A device program's condition that must hold nowhere, as an expression of the source: 'heat && door'
    #[arg(long, value_name = "EXPR")]
    pub(crate) never: Vec<String>,
    /// One that must hold wherever it means something
    #[arg(long, value_name = "EXPR")]
    pub(crate) always: Vec<String>,
    /// Split the states of a device program by what tells their values apart later, until every way is open to all values of
    /// its state
    #[arg(long)]
    pub(crate) split: bool,
    #[command(flatten)]
    pub(crate) steps: Steps,
    /// Put the program under D_amb, the stepping debugger: its steps pause and are resumed
    #[arg(long, conflicts_with = "session")]
    pub(crate) debugger: bool,
    /// What is left out: nothing, or all runs of a class but one
    #[arg(long, value_parser = words(REDUCTIONS), default_value = "none")]
    pub(crate) reduction: Reduction,
    /// With --reduction dpor, at most so many interrupts come from each pin, and from the timer, of a device program
    /// [default: 2]
    #[arg(long, value_name = "N", conflicts_with_all = ["survey", "resume"])]
    pub(crate) arrivals: Option<u32>,
    /// An abstraction: only these values ('x, acc.bal', named as in outcomes) and expressions ('acc.bal > 3'), and what can
    /// happen next, tell states apart
    #[arg(
        long,
        value_name = "PART,…",
        conflicts_with_all = ["reduction", "debugger", "order", "toward", "session"]
    )]
    pub(crate) keep: Option<Vec<String>>,
    /// An abstraction: actors of one definition are alike
    #[arg(
        long,
        conflicts_with_all = ["reduction", "debugger", "order", "toward", "session"]
    )]
    pub(crate) symmetry: bool,
    /// Only some runs, for programs with too many states: 'random' chooses each step, 'pct' priorities that change at few
    /// steps and finds, sooner than chance, what needs DEPTH orders of two steps [DEPTH: 3]. 'preemptions:N' takes all in
    /// which an agent that could go on makes room for another at most N times: most bugs need one or two.
    /// 'order:A,-B' takes those in which A acts wherever it can, and B only where no other can
    #[arg(
        long,
        value_name = "random|pct[:DEPTH]|preemptions:N|order:AGENT,-AGENT",
        conflicts_with_all = ["reduction", "debugger", "keep", "symmetry", "toward", "order", "session"]
    )]
    pub(crate) schedule: Option<Schedules>,
    /// How many runs --schedule takes
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "schedule")]
    pub(crate) runs: u64,
    /// The order in which states are visited
    #[arg(long, value_enum, default_value_t)]
    pub(crate) order: Order,
    /// Seeds the order, or the runs of --schedule, if they are random
    #[arg(long, value_name = "N", default_value_t)]
    pub(crate) seed: u64,
    /// Visit what is nearest to a breakpoint first, and say where it is met: 'receiver getResult' (actors), or a text. Of a
    /// device program: say how to come to where a condition holds
    #[arg(long, value_name = "BREAKPOINT|EXPR", conflicts_with_all = ["order", "reduction"])]
    pub(crate) toward: Option<String>,
    /// Stop where the breakpoint is met first
    #[arg(long, requires = "toward")]
    pub(crate) first: bool,
    /// Show a shortest way to every outcome
    #[arg(long)]
    pub(crate) traces: bool,
    /// Keep the graph in this session file, for questions in SQL
    #[arg(long, value_name = "FILE", conflicts_with = "reduction")]
    pub(crate) session: Option<PathBuf>,
    /// Fail unless every outcome satisfies a predicate ('math.result == 24'), or --toward is 'met'
    #[arg(long, value_name = "PREDICATE", conflicts_with = "reduction")]
    pub(crate) expect: Vec<String>,
    /// Fail if a run comes to a deadlock, gets stuck, has a failed assertion, comes to where two steps race (either can be
    /// first, and it matters), or satisfies a predicate; of a device program, if one traps ('trap', nothing else yet)
    #[arg(
        long,
        value_name = "deadlock|stuck|failed|trap|race|PREDICATE",
        conflicts_with = "reduction"
    )]
    pub(crate) forbid: Vec<String>,
    /// Show every value of every outcome, also those that do not differ
    #[arg(long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) survey: Survey,
}

/// How states are surveyed.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "More states than memory has room for")]
pub(crate) struct Survey {
    /// Count all states without keeping their graph: outcomes, goals and shortest ways are known then, paths and cycles not.
    /// A state takes 14 to 17 bytes; there is no limit but --states
    #[arg(
        long,
        conflicts_with_all = ["reduction", "keep", "symmetry", "schedule", "order", "session"]
    )]
    pub(crate) survey: bool,
    /// How many bits stand for a state. The report says how probable it is that two had the same
    #[arg(long, value_name = "64|128", value_parser = told, default_value = "64", requires = "survey")]
    pub(crate) bits: DigestSize,
    /// Keep the survey in this file now and then and at its end, to go on with --resume, also where it was cancelled or
    /// killed
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// How often --checkpoint keeps it, in seconds
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "300", requires = "checkpoint")]
    pub(crate) every: Duration,
    /// Survey together with the workers of this file, a host:port a line: each is a 'borges worker' that waits there
    #[arg(long, value_name = "FILE")]
    pub(crate) workers: Option<PathBuf>,
    /// The same with a worker on each other node of a Slurm job, at port 7070
    #[arg(long, value_name = "slurm", value_parser = ["slurm"], conflicts_with = "workers")]
    pub(crate) hosts_from: Option<String>,
    /// The key of the workers: needed for those that are not on this computer
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// Go on with the survey in this file: it has the program and what was asked
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["program", "survey", "expect", "forbid", "never", "always", "toward", "grain", "delivery", "debugger"]
    )]
    pub(crate) resume: Option<PathBuf>,
}

/// What stands for a state, by its number of bits.
fn told(text: &str) -> Result<DigestSize, String> {
    let bits = text.parse().ok().and_then(DigestSize::of_bits);
    bits.ok_or_else(|| "it is 64 or 128".to_owned())
}

/// The modules that a device program is linked with.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Linked {
    /// Link the program with a module that it imports from as NAME, before anything else; libraries may import from each
    /// other
    #[arg(long = "link", value_name = "NAME=FILE", value_parser = library)]
    pub(crate) libraries: Vec<Library>,
}

/// What of a device program is called, and what it is linked with.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Entry {
    #[command(flatten)]
    pub(crate) linked: Linked,
    /// The exported function to call [default: main, or else _start]; several, in their order: --entry 'at = alloc(5)'
    /// --entry '*at = "bytes"' --entry 'parse(at, 5)'
    #[arg(long, value_name = "CALL")]
    pub(crate) entry: Vec<String>,
}

impl Entry {
    /// A line each, as sessions take them.
    pub(crate) fn script(&self) -> Option<String> {
        (!self.entry.is_empty()).then(|| self.entry.join("\n"))
    }
}

/// How far to look at a program's states.
#[derive(Args, Clone, Debug)]
pub(crate) struct Forever {
    #[command(flatten)]
    pub(crate) entry: Entry,
    /// Who answers what trying values cannot: none, z3, bitwuzla or cvc5 [default: the best there is]
    #[arg(long, value_name = "SOLVER")]
    pub(crate) solver: Option<String>,
    /// Whether interrupts and timers arrive at a device program, any number of them at any moment [default: any]
    #[arg(long, value_parser = words(EVENTS))]
    pub(crate) events: Option<bool>,
    /// Take a variable of a device program for anything, wherever it is read: what is then found impossible is so whatever
    /// it is
    #[arg(long, value_name = "NAME")]
    pub(crate) any: Vec<String>,
    /// The most states to visit [default: 1000000]
    #[arg(long, value_name = "N")]
    pub(crate) states: Option<usize>,
    /// The longest path to follow [default: no limit]
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u32>,
    /// The most seconds [default: 10 for a device program, else no limit]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    /// How many cores compute, for device programs and surveys; the same is found [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) cores: Option<u16>,
    #[command(flatten)]
    pub(crate) system: AnyOfSystem,
}

/// What a program of an operating system finds whose states are looked at, and what that may come to: its standard input is
/// anything.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct AnyOfSystem {
    #[command(flatten)]
    pub(crate) found: Found,
    /// Any call may fail, any number of times [default: none fails, and that is noted]
    #[arg(long, help_heading = WASI)]
    pub(crate) faults: bool,
    /// Standard input comes in pieces of at most so many bytes, as a terminal or a pipe may give it: 1 is one by one
    /// [default: any pieces; where a program asks for more than 16 at once, one by one, and that is noted]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255), help_heading = WASI)]
    pub(crate) pieces: Option<u32>,
    /// The program's arguments, after --
    #[arg(last = true, value_name = "ARGUMENT", help_heading = WASI)]
    pub(crate) arguments: Vec<String>,
}

impl AnyOfSystem {
    /// What of this is given, for who refuses it.
    pub(crate) fn all_given(&self) -> [(&'static str, bool); 6] {
        [
            ("--dir", !self.found.folders.is_empty()),
            ("--env", !self.found.environment.is_empty()),
            ("--terminal", self.found.terminal),
            ("--faults", self.faults),
            ("--pieces", self.pieces.is_some()),
            ("what follows --", !self.arguments.is_empty()),
        ]
    }
}

/// `borges format`.
#[derive(Args, Debug)]
pub(crate) struct Format {
    /// Sources: .amb, .at, .oz
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing: name the files that would change, and fail if there are any
    #[arg(long)]
    pub(crate) check: bool,
}

/// The order in which states are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Order {
    /// Nearest first
    #[default]
    Breadth,
    /// Deepest first
    Depth,
    /// At random
    Random,
}

/// How far to explore.
#[derive(Args, Clone, Debug)]
pub(crate) struct Within {
    /// The most inputs on a path: one that would read another one ends [default: more and more, up to 1000, until the
    /// time is used]
    #[arg(long, value_name = "N")]
    pub(crate) max_inputs: Option<u32>,
    /// The most interrupts (of pins and timers that the program subscribed to) on a path [default: none arrive, and
    /// that is noted]
    #[arg(long, value_name = "N")]
    pub(crate) max_events: Option<u32>,
    /// The most steps on a path (a step is one WebAssembly instruction) [default: 10 million]
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<u64>,
    /// The most paths [default: 1000]
    #[arg(long, value_name = "N")]
    pub(crate) max_paths: Option<usize>,
    /// The most rounds of each loop on a path
    #[arg(long, value_name = "N")]
    pub(crate) max_rounds: Option<u32>,
    /// Paths end before this place: a line (12, file:12), a function, or an offset (0x1f)
    #[arg(long, value_name = "PLACE")]
    pub(crate) stop: Option<String>,
    /// The most seconds [default: 10]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    /// In which order to explore [default: as the question needs it]
    #[arg(long, value_parser = words(PATH_ORDERS))]
    pub(crate) order: Option<suggest::Order>,
    /// Seeds the order 'random'
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Count a 'select' that depends on inputs as a branch
    #[arg(long)]
    pub(crate) selects: bool,
    /// Who answers what trying values cannot: none, z3, bitwuzla or cvc5 [default: the best there is]
    #[arg(long, value_name = "SOLVER")]
    pub(crate) solver: Option<String>,
    /// How many cores look for paths; the same are found [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), requires = "max_inputs")]
    pub(crate) cores: Option<u16>,
    /// Let workers look for paths, wherever they are: each is a 'borges worker --queue' at this NATS server, such as
    /// nats://127.0.0.1:4222
    #[arg(
        long,
        value_name = "URL",
        requires = "max_inputs",
        conflicts_with = "cores"
    )]
    pub(crate) queue: Option<String>,
    /// The key of these workers: needed for a server that is not on this computer
    #[arg(long, value_name = "FILE", requires = "queue")]
    pub(crate) key_file: Option<PathBuf>,
}

/// `borges paths`.
#[derive(Args, Debug)]
pub(crate) struct Paths {
    /// The program: a WebAssembly module
    pub(crate) program: PathBuf,
    /// The board: a TOML file [default: board.toml beside the program, or else the default board]
    #[arg(long, value_name = "FILE")]
    pub(crate) board: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) entry: Entry,
    /// So many inputs answer what the board's sources say before exploration begins
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) after: u32,
    #[command(flatten)]
    pub(crate) within: Within,
    #[command(flatten)]
    pub(crate) system: SystemChoices,
    /// Write a file with a test for every path, for 'borges test'
    #[arg(long, value_name = "FILE")]
    pub(crate) write_test: Option<PathBuf>,
    /// Write a session file for every path into this folder, for 'borges replay' and 'borges repl'
    #[arg(long, value_name = "FOLDER")]
    pub(crate) write_traces: Option<PathBuf>,
}

/// `borges reach`, `bugs`, `why` and `cover`; `T` is what is asked about.
#[derive(Args, Debug)]
pub(crate) struct Ask<T: Args> {
    /// The program: a WebAssembly module
    pub(crate) program: PathBuf,
    /// The board: a TOML file [default: board.toml beside the program, or else the default board]
    #[arg(long, value_name = "FILE")]
    pub(crate) board: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) entry: Entry,
    /// Answer the first inputs with these values, then ask
    #[arg(
        long,
        value_name = "V,V,…",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub(crate) inputs: Vec<String>,
    #[command(flatten)]
    pub(crate) within: Within,
    #[command(flatten)]
    pub(crate) about: T,
    #[command(flatten)]
    pub(crate) system: SystemChoices,
}

/// Of `borges bugs` and `cover`.
#[derive(Args, Debug)]
pub(crate) struct Everything {}

/// Of `borges reach`.
#[derive(Args, Debug)]
pub(crate) struct Destination {
    /// A line (12, file:12), a function, an offset (@0x1f), or 'trap'; then perhaps 'if' and a condition
    #[arg(required = true, num_args = 1.., trailing_var_arg = false)]
    pub(crate) target: Vec<String>,
}

/// Of `borges why`.
#[derive(Args, Debug)]
pub(crate) struct Decided {
    /// What must not happen, as for 'reach' [default: the trap that the inputs lead to]
    pub(crate) target: Vec<String>,
}

/// `borges test`.
#[derive(Args, Debug)]
pub(crate) struct Test {
    /// Files that 'borges paths --write-test' wrote
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
}

/// `borges inspect`.
#[derive(Args, Debug)]
pub(crate) struct Inspect {
    /// A program or a session file
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) linked: Linked,
    /// The board that says which imports are inputs and outputs [default: as for run]
    #[arg(long, value_name = "FILE")]
    pub(crate) board: Option<PathBuf>,
}

/// `borges check`.
#[derive(Args, Debug)]
pub(crate) struct Check {
    /// Programs (.wasm), boards (.toml), session files, model-language sources (.amb, .at, .oz): whether they are what they
    /// should be. Or a program, and a formula about all its runs for ever: 'G (door -> !heat)'
    #[arg(value_name = "FILE|FORMULA", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The board to check programs against [default: as for run]
    #[arg(long, value_name = "FILE")]
    pub(crate) board: Option<PathBuf>,
    /// Of a formula: only runs count in which who can act from some point on does act again
    #[arg(long)]
    pub(crate) fair: bool,
    #[command(flatten)]
    pub(crate) within: Forever,
}

/// `borges completions`.
#[derive(Args, Debug)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: Shell,
}

/// `borges manual`.
#[derive(Args, Debug)]
pub(crate) struct Manual {
    /// Where borges.1 and a page for each subcommand are written
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}

/// Words that an option takes: each with its help, and what it means.
type Words<T> = &'static [(&'static str, &'static str, T)];

/// What a step is.
pub(crate) const GRAINS: Words<Grain> = &[
    ("rule", "Every rule of the semantics", Grain::Rule),
    (
        "visible",
        "All that happens up to what another agent can see",
        Grain::Visible,
    ),
];

/// When messages between actors arrive.
pub(crate) const DELIVERIES: Words<Delivery> = &[
    (
        "immediate",
        "At once, as the paper's semantics has it",
        Delivery::Immediate,
    ),
    ("fifo", "In order for each pair of actors", Delivery::Fifo),
    ("unordered", "In any order", Delivery::Unordered),
];

/// What an exploration leaves out.
const REDUCTIONS: Words<Reduction> = &[
    ("none", "Nothing: equal states are merged", Reduction::None),
    (
        "dpor",
        "All runs that differ only in the order of independent steps, but one",
        Reduction::Dpor,
    ),
];

/// Whether recording stops where a program is faster than the link.
const WHEN_SLOW: Words<bool> = &[
    (
        "wait",
        "It waits until what it did so far is recorded",
        false,
    ),
    (
        "stop-recording",
        "It goes on, and you are told up to which step it is recorded",
        true,
    ),
];

/// Whether interrupts and timers arrive.
const EVENTS: Words<bool> = &[
    ("any", "Any number of them, at any moment", true),
    (
        "none",
        "None, which is no complete answer where the program subscribes to some",
        false,
    ),
];

/// In which order paths are explored.
const PATH_ORDERS: Words<suggest::Order> = &[
    (
        "depth",
        "A path to its end, then the last branch before that; without --max-inputs, as breadth",
        suggest::Order::Depth,
    ),
    ("breadth", "Fewest inputs first", suggest::Order::Breadth),
    (
        "coverage",
        "Code that was not executed yet first",
        suggest::Order::Coverage,
    ),
    ("random", "At random", suggest::Order::Random(1)),
];

/// Takes one of these words, and shows all in the help.
fn words<T: Copy + Send + Sync>(words: Words<T>) -> impl TypedValueParser<Value = T> {
    let shown =
        |(word, help, _): &(&'static str, &'static str, T)| PossibleValue::new(*word).help(*help);
    PossibleValuesParser::new(words.iter().map(shown)).try_map(|word| {
        let known = words.iter().find(|(known, ..)| *known == word);
        known.map(|(.., meaning)| *meaning).ok_or("no such word")
    })
}

/// The word for something.
pub(crate) fn word_for<T: PartialEq>(words: Words<T>, meaning: &T) -> &'static str {
    let known = words.iter().find(|(.., known)| known == meaning);
    known.map_or("", |(word, ..)| word)
}

/// A module to link with, `NAME=FILE`.
fn library(text: &str) -> Result<Library, String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok(Library {
            name: name.to_owned(),
            path: path.into(),
        }),
        _ => Err("write it as NAME=FILE: the module's name in imports, and its file".to_owned()),
    }
}

/// A time in seconds, `0.5` for example.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().map(Duration::try_from_secs_f64);
    match seconds {
        Some(Ok(time)) => Ok(time),
        _ => Err("a time is a number of seconds, for example 2 or 0.5".to_owned()),
    }
}

fn exit_codes() -> String {
    let mut text = String::from("Exit codes:\n");
    for (exit, meaning) in MEANINGS {
        text.push_str(&format!("  {:<4} {meaning}\n", exit.code()));
    }
    text.push_str("\nThe first command to try: borges debug examples/color-dial/color-dial.wasm");
    text
}
