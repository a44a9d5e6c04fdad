//! Who does not have the key gets nothing, and what was said once cannot be said again.

#![allow(clippy::unwrap_used)] // A test may give up.

use borges_wire::Side;
use borges_wire::guard::{Guard, Intrusion, Key, KeyError, Nonce};
use proptest::prelude::*;

const HOST: Nonce = *b"from the host...";
const DEVICE: Nonce = *b"from the device.";

fn key(text: &str) -> Key {
    Key::new(text.as_bytes()).unwrap()
}

fn ours() -> Key {
    key("correct horse battery staple")
}

/// What a guard has for the line.
fn said(guard: &mut Guard) -> Vec<u8> {
    std::mem::take(guard.outgoing())
}

/// Two ends after as many messages as it takes, and all that each of them said.
struct Meeting {
    host: Guard,
    device: Guard,
    host_said: Vec<u8>,
    device_said: Vec<u8>,
    refused: Option<(Side, Intrusion)>,
}

fn meet(host: Key, device: Key) -> Meeting {
    let mut meeting = Meeting {
        host: Guard::new(Side::Host, &host, HOST),
        device: Guard::new(Side::Device, &device, DEVICE),
        host_said: Vec::new(),
        device_said: Vec::new(),
        refused: None,
    };
    for _ in 0..4 {
        let mut nothing = Vec::new();
        let bytes = said(&mut meeting.host);
        meeting.host_said.extend(&bytes);
        if let Err(error) = meeting.device.take(&bytes, &mut nothing) {
            meeting.refused = Some((Side::Device, error));
        }
        let bytes = said(&mut meeting.device);
        meeting.device_said.extend(&bytes);
        if let Err(error) = meeting.host.take(&bytes, &mut nothing) {
            meeting.refused = Some((Side::Host, error));
        }
        assert!(nothing.is_empty());
    }
    meeting
}

#[test]
fn both_ends_of_one_key_talk() {
    let mut meeting = meet(ours(), ours());
    assert!(meeting.host.is_open() && meeting.device.is_open());
    let text: Vec<u8> = (0..5000u32).map(|i| i as u8).collect();
    assert_eq!(meeting.host.seal(&text), text.len());
    let line = said(&mut meeting.host);
    let mut plain = Vec::new();
    // However the line cuts it.
    for piece in line.chunks(7) {
        meeting.device.take(piece, &mut plain).unwrap();
    }
    assert_eq!(plain, text);
    assert_eq!(meeting.device.seal(b"and back"), 8);
    let mut plain = Vec::new();
    let line = said(&mut meeting.device);
    meeting.host.take(&line, &mut plain).unwrap();
    assert_eq!(plain, b"and back");
}

#[test]
fn a_wrong_key_gets_sixteen_random_bytes_and_nothing_else() {
    let mut meeting = meet(key("incorrect horse battery"), ours());
    assert_eq!(meeting.refused, Some((Side::Device, Intrusion::WrongKey)));
    assert_eq!(meeting.device_said, [&b"BGK1"[..], &DEVICE].concat());
    assert!(!meeting.device.is_open() && !meeting.host.is_open());
    // Nor does it help to go on.
    let mut plain = Vec::new();
    assert!(meeting.device.take(&meeting.host_said, &mut plain).is_err());
    assert_eq!(meeting.device.seal(b"secret"), 0);
    assert!(plain.is_empty() && said(&mut meeting.device).is_empty());
}

#[test]
fn a_device_without_the_key_is_not_believed() {
    // It answers whatever it likes.
    let mut host = Guard::new(Side::Host, &ours(), HOST);
    said(&mut host);
    let mut plain = Vec::new();
    let hello = [&b"BGK1"[..], &DEVICE].concat();
    host.take(&hello, &mut plain).unwrap();
    // The host's own proof, sent back, is not the device's.
    let proof = said(&mut host);
    assert_eq!(host.take(&proof, &mut plain), Err(Intrusion::WrongKey));
    assert_eq!(host.seal(b"program"), 0);
}

#[test]
fn a_recorded_handshake_opens_nothing() {
    let mut recorded = meet(ours(), ours());
    recorded.host.seal(b"reset");
    recorded.host_said.extend(said(&mut recorded.host));
    let mut device = Guard::new(Side::Device, &ours(), *b"another one, now");
    let mut plain = Vec::new();
    let played = device.take(&recorded.host_said, &mut plain);
    assert_eq!(played, Err(Intrusion::WrongKey));
    assert!(plain.is_empty() && !device.is_open());
    // The same against a host.
    let mut host = Guard::new(Side::Host, &ours(), *b"and another one.");
    let played = host.take(&recorded.device_said, &mut plain);
    assert_eq!(played, Err(Intrusion::WrongKey));
}

#[test]
fn who_speaks_without_a_key_is_turned_away_at_the_first_byte() {
    for bytes in [&b"\0"[..], b"GET / HTTP/1.1\r\n", b"BGK0", b"SSH-2.0-x\r\n"] {
        let mut device = Guard::new(Side::Device, &ours(), DEVICE);
        let mut plain = Vec::new();
        assert_eq!(
            device.take(bytes, &mut plain),
            Err(Intrusion::Unguarded),
            "{bytes:?}"
        );
        assert!(plain.is_empty() && said(&mut device).is_empty());
    }
}

#[test]
fn records_that_are_repeated_left_out_or_sent_back_end_the_connection() {
    /// What is done to two records on their way.
    type Spoil = fn(&[u8], &[u8]) -> Vec<u8>;
    let spoil: [Spoil; 3] = [
        |first, _| [first, first].concat(),
        |_, second| second.to_vec(),
        |first, second| [second, first].concat(),
    ];
    for spoil in spoil {
        let mut meeting = meet(ours(), ours());
        meeting.host.seal(b"first");
        let first = said(&mut meeting.host);
        meeting.host.seal(b"second");
        let second = said(&mut meeting.host);
        let mut plain = Vec::new();
        let taken = meeting.device.take(&spoil(&first, &second), &mut plain);
        assert_eq!(taken, Err(Intrusion::Forged));
        assert!(plain == b"first" || plain.is_empty());
    }
    // What the host said is no word of the device's.
    let mut meeting = meet(ours(), ours());
    meeting.host.seal(b"first");
    let first = said(&mut meeting.host);
    let taken = meeting.host.take(&first, &mut Vec::new());
    assert_eq!(taken, Err(Intrusion::Forged));
}

/// A record is refused by its length alone: nothing is kept of one that could not be.
#[test]
fn a_record_has_so_many_bytes_at_most() {
    let mut nothing = Vec::new();
    for (length, taken) in [(1024_u16, Ok(())), (1025, Err(Intrusion::Forged))] {
        let mut meeting = meet(ours(), ours());
        let header = length.to_le_bytes();
        assert_eq!(meeting.device.take(&header, &mut nothing), taken);
    }
    // The longest is one record, a byte more makes two.
    for (length, line) in [(1024, 1024 + 18), (1025, 1025 + 2 * 18)] {
        let mut meeting = meet(ours(), ours());
        assert_eq!(meeting.host.seal(&vec![7; length]), length);
        assert_eq!(said(&mut meeting.host).len(), line);
    }
}

/// What a line does not take is not piled up: records are made until 8 KiB wait.
#[test]
fn no_more_records_are_made_than_keep_a_line_busy() {
    // Seven of the longest, and one that fills up what waits: all of it, or all but a byte.
    for (last, more) in [(880, 0), (879, 1)] {
        let mut meeting = meet(ours(), ours());
        let plain = vec![7; 7 * 1024 + last];
        assert_eq!(meeting.host.seal(&plain), plain.len());
        let waiting = meeting.host.outgoing().len();
        assert_eq!(waiting, 8192 + last - 880);
        assert_eq!(meeting.host.seal(&[7]), more, "{waiting} bytes wait");
    }
}

#[test]
fn keys_that_can_be_guessed_are_refused() {
    assert_eq!(Key::new(b"1234"), Err(KeyError::Short(4)));
    assert_eq!(Key::new(&[7; 15]), Err(KeyError::Short(15)));
    assert!(Key::new(&[7; 16]).is_ok());
    assert!(Key::new(&[7; 256]).is_ok());
    assert_eq!(Key::new(&[7; 257]), Err(KeyError::Long(257)));
    assert_eq!(format!("{:?}", ours()), "Key(…)");
}

proptest! {
    /// Whatever arrives before, instead of or after the handshake: no panic, and nothing of it is let through.
    #[test]
    fn hostile_bytes_are_never_let_through(
        // Never so near to the end of the record that chance could complete its tag.
        honest in 0usize..150,
        bytes in prop::collection::vec(any::<u8>(), 1..3000),
    ) {
        let mut meeting = meet(ours(), ours());
        meeting.host.seal(&[1; 100]);
        meeting.host_said.extend(said(&mut meeting.host));
        let prefix = &meeting.host_said[..honest];
        let mut device = Guard::new(Side::Device, &ours(), DEVICE);
        let mut plain = Vec::new();
        let _taken = device.take(prefix, &mut plain);
        let before = plain.len();
        let _refused = device.take(&bytes, &mut plain);
        prop_assert_eq!(plain.len(), before);
    }
}
