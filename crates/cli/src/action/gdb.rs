//! `borges gdb`: a program for LLDB.

use std::cell::RefCell;
use std::net::TcpListener;
use std::rc::Rc;

use serde_json::json;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Waits for one debugger, and serves it until it leaves.
pub(crate) fn gdb(options: &args::Gdb, output: &mut Output) -> Result<Exit, Failure> {
    if !options.listen.ip().is_loopback() {
        return Err(Failure::usage(
            format!(
                "{} can be reached from other computers, and the protocol has no keys",
                options.listen
            ),
            "listen on 127.0.0.1; from elsewhere, lead a port there: ssh -L PORT:127.0.0.1:PORT",
        ));
    }
    let opening = &options.opening;
    let session =
        super::record::opening(output, |observer| opening.open(&options.program, observer))?;
    super::record::warn_of_damage(&session, output);
    let module = session.module().to_vec();
    let listener = TcpListener::bind(options.listen);
    let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (address, listener) = bound.map_err(|error| {
        let message = format!("{}: {error}", options.listen);
        Failure::new(
            Exit::Device,
            message,
            "try another port: 0 is any that is free",
        )
    })?;
    let connect = format!("process connect --plugin wasm connect://{address}");
    let data = json!({ "ok": true, "address": address.to_string(), "connect": connect });
    output.say(&data, |paint| {
        format!(
            "LLDB (22 or later) connects with: {}\n",
            paint.name(&connect)
        )
    })?;
    let session = Rc::new(RefCell::new(session));
    let served = borges_gdbserver::serve(&listener, session, module);
    served.map_err(|error| Failure::new(Exit::Device, error, ""))?;
    Ok(Exit::Ok)
}
