//! `borges board`: a simulated board for debuggers in other processes.

use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Write as _};
use std::path::Path;

use borges_session::{BoardServer, Gate, GateEvent, Key};
use serde_json::json;

use super::target::read_key;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::interrupt::{self, Pausable};
use crate::output::Output;

/// Is a simulated board until it is interrupted.
pub(crate) fn board(options: &args::Board, output: &mut Output) -> Result<Exit, Failure> {
    let key = options.key_file.as_deref().map(key_of).transpose()?;
    let guarded = key.is_some();
    let gate = Gate::open(&options.listen, key)
        .map_err(|error| Failure::new(Exit::Device, error, "see 'borges board --help'"))?;
    let address = gate
        .address()
        .map_err(|error| Failure::new(Exit::Device, error, ""))?;
    let mut server = BoardServer::new(options.file.as_deref(), options.seed, gate)?;
    let name = server.name();
    let device = format!("tcp:{address}");
    let data = json!({ "ok": true, "board": name, "device": device, "guarded": guarded });
    output.say(&data, |paint| {
        let key = options.key_file.as_ref();
        let key = key.map(|file| format!(" --key-file {}", file.display()));
        let key = key.unwrap_or_default();
        let next = paint.name(format!("borges repl PROGRAM --device {device}{key}"));
        format!("the board '{name}' waits at {address}\ndebug a program on it with: {next}\n")
    })?;
    let _pausable = Pausable::begin();
    while !interrupt::pressed() {
        for visit in server.work() {
            report(visit, guarded, output)?;
        }
    }
    Ok(Exit::Ok)
}

fn report(visit: GateEvent, guarded: bool, output: &mut Output) -> Result<(), Failure> {
    let (event, from) = match visit {
        GateEvent::Came(from) => ("connected", from),
        GateEvent::Left(from) => ("left", from),
        GateEvent::TurnedAway(from) => ("turned-away", from),
    };
    let data = json!({ "event": event, "from": from.to_string() });
    output.say(&data, |_| match visit {
        GateEvent::Came(_) => format!("a debugger at {from} is connected\n"),
        GateEvent::Left(_) => format!("the debugger at {from} has left; the program goes on\n"),
        GateEvent::TurnedAway(_) if guarded => {
            format!("somebody at {from} does not have the key\n")
        }
        GateEvent::TurnedAway(_) => {
            format!("somebody at {from} does not speak as a debugger does\n")
        }
    })
}

/// The key in a file, which is made with a random one if it does not exist.
pub(super) fn key_of(path: &Path) -> Result<Key, Failure> {
    match write_key(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            let message = format!("{} cannot be written: {error}", path.display());
            Err(Failure::new(Exit::Device, message, ""))
        }
        _ => read_key(path),
    }
}

/// Writes 32 random bytes, as text, to a file that does not exist yet and that nobody else may read.
fn write_key(path: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(Error::other)?;
    for byte in secret {
        write!(file, "{byte:02x}")?;
    }
    writeln!(file)
}
