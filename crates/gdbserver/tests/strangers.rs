//! What comes over the connection is anybody's.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test

use std::cell::RefCell;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::rc::Rc;
use std::thread::JoinHandle;
use std::time::Duration;

use borges_session::{Options, Session};

const DIAL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/color-dial/color-dial.wasm"
);

fn served() -> (SocketAddr, JoinHandle<Result<(), String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serve = move || {
        let session = Session::open(Options::new(DIAL)).unwrap();
        let module = std::fs::read(DIAL).unwrap();
        borges_gdbserver::serve(&listener, Rc::new(RefCell::new(session)), module)
    };
    (address, std::thread::spawn(serve))
}

fn connected(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    let patience = Some(Duration::from_secs(20));
    stream.set_read_timeout(patience).unwrap();
    stream
}

/// Sends a packet, and what is answered.
fn asked(stream: &mut TcpStream, packet: &str) -> String {
    let sum = packet.bytes().fold(0_u8, u8::wrapping_add);
    write!(stream, "${packet}#{sum:02x}").unwrap();
    let mut answer = Vec::new();
    let mut byte = [0];
    while !answer.ends_with(b"#") {
        stream.read_exact(&mut byte).expect(packet);
        answer.push(byte[0]);
    }
    let mut sum = [0; 2];
    stream.read_exact(&mut sum).unwrap();
    stream.write_all(b"+").unwrap();
    let text = String::from_utf8_lossy(&answer);
    text.trim_start_matches(['+', '$'])
        .trim_end_matches('#')
        .to_owned()
}

#[test]
fn a_browser_is_let_go_and_a_debugger_served() {
    let (address, thread) = served();
    // A page that leads a browser here can send a packet inside of what it posts.
    let mut browser = connected(address);
    let posted = "POST / HTTP/1.1\r\n\r\n$qRcmd,71756974#00";
    browser.write_all(posted.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _reset = browser.read_to_end(&mut answer);
    assert!(answer.is_empty(), "it was answered");

    let mut debugger = connected(address);
    debugger.write_all(b"+").unwrap();
    assert!(asked(&mut debugger, "qSupported:swbreak+").contains("ReverseContinue+"));
    assert_eq!(asked(&mut debugger, "m4000000000000000,4"), "0061736d");
    // Beyond memory, beyond the module, in a memory that is not there, in no space at all; a write; breakpoints nowhere.
    let refused = [
        "mffff0000,4",
        "m4000000000ffffff,4",
        "m100000000,4",
        "m8000000000000000,4",
        "M0,1:00",
        "Z0,1234,1",
        "Z2,ffffffff,8",
    ];
    for packet in refused {
        assert!(asked(&mut debugger, packet).starts_with('E'), "{packet}");
    }
    for packet in [
        "qWasmLocal:99;99",
        "qWasmGlobal:0;99999",
        "qWasmStackValue:7;7",
    ] {
        assert_eq!(asked(&mut debugger, packet), "", "{packet}");
    }
    // Nothing lies before the start; it stays there.
    let stack = asked(&mut debugger, "qWasmCallStack:1");
    for packet in ["bc", "bs"] {
        assert!(asked(&mut debugger, packet).contains("replaylog:begin"));
    }
    assert_eq!(asked(&mut debugger, "qWasmCallStack:1"), stack);
    assert_eq!(asked(&mut debugger, "D"), "OK");
    assert_eq!(thread.join().unwrap(), Ok(()));
}

/// What is no command ends the conversation, and says so.
#[test]
fn a_command_that_cannot_be_read_ends_the_conversation() {
    let much = [b"+$".as_slice(), &[b'x'; 100_000]].concat();
    for said in [b"+$m!#8e".as_slice(), &much] {
        let (address, thread) = served();
        let mut debugger = connected(address);
        // It may be let go before it has said all.
        let _broken = debugger.write_all(said);
        let _gone = debugger.shutdown(Shutdown::Write);
        let mut rest = Vec::new();
        let _reset = debugger.read_to_end(&mut rest);
        let ended = thread.join().unwrap();
        assert!(ended.is_err_and(|error| error.contains("connection")));
    }
}
