//! GDB's remote serial protocol in LLDB's dialect for WebAssembly: LLDB debugs the twin of a program, with its own commands,
//! scripts and formatters, forwards and backwards.
//!
//! What LLDB asks is answered from the VM itself, without our debug information: it reads the module's DWARF on its own. So
//! it is a foreign reader of the same program, too, to compare ours with (`scripts/lldb.sh`).
//!
//! # Invariants
//! - Nothing is written: not memory, not registers. A program's state is what it came to.
//! - The program's end is a stop, from which one can go back.
//! - What arrives is a stranger's: addresses and lengths are bounded by the module and the memory.
//!
//! The dialect: `ProcessWasm.h` of LLDB 22, and [GDB's manual](https://sourceware.org/gdb/current/onlinedocs/gdb.html/Remote-Protocol.html).

#![forbid(unsafe_code)]

mod address;
mod looks;
mod motion;
mod target;

use std::cell::RefCell;
use std::net::{TcpListener, TcpStream};
use std::rc::Rc;
use std::time::Duration;

use borges_session::Session;
use borges_vm::{Limits, Module};
use motion::converse;
use target::Twin;

/// Whoever says nothing for so long is no debugger.
const PATIENCE: Duration = Duration::from_secs(5);

/// Serves one debugger, the first that comes to `listener` and speaks as one does, until it leaves; the session stays as it
/// is then.
///
/// `module` are the bytes of the program's module, from which the debugger reads debug information.
///
/// # Errors
/// Why there is nothing to serve, or why the conversation ended before its time, for people.
pub fn serve(
    listener: &TcpListener,
    session: Rc<RefCell<Session>>,
    module: Vec<u8>,
) -> Result<(), String> {
    checked(&session.borrow(), &module)?;
    let connection = loop {
        let (connection, _) = listener.accept().map_err(unusable)?;
        if is_debugger(&connection).map_err(unusable)? {
            break connection;
        }
    };
    // Packets are small and wait for each other.
    connection.set_nodelay(true).map_err(unusable)?;
    let mut twin = Twin::new(session, module);
    converse(Box::new(connection), &mut twin)
}

fn unusable(error: std::io::Error) -> String {
    format!("the connection cannot be used: {error}")
}

/// Debug information of another program would be a lie.
fn checked(session: &Session, module: &[u8]) -> Result<(), String> {
    let now = Module::new(module, &Limits::default()).map(|module| module.hash());
    let first = session.machine().module().map(|module| module.hash());
    if now.ok() == first && first.is_some() {
        return Ok(());
    }
    let path = session.program_path().display();
    Err(format!(
        "{path} is not the program of this session any more: it was built again since; begin a new session, or put the old file back"
    ))
}

/// Whether what comes first is an acknowledgement or a packet. The protocol has no keys: a browser that is led here by a page
/// says `POST`, and is let go before anything that it says is read.
fn is_debugger(connection: &TcpStream) -> std::io::Result<bool> {
    connection.set_read_timeout(Some(PATIENCE))?;
    let mut first = [0];
    let came = connection.peek(&mut first);
    connection.set_read_timeout(None)?;
    Ok(matches!(came, Ok(1)) && matches!(first, [b'+' | b'$']))
}
