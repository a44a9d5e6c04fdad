//! Whatever arrives at a guard, also after a handshake that was honest up to some byte: no panic, and not one byte is let
//! through that its owner did not send.
#![no_main]

use borges_wire::Side;
use borges_wire::guard::{Guard, Key};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (honest, pieces, bytes) = input;
    let key = Key::new(b"the key of the fuzzed board").expect("it is long enough");
    let mut host = Guard::new(Side::Host, &key, [1; 16]);
    let mut device = Guard::new(Side::Device, &key, [2; 16]);
    let mut plain = Vec::new();
    // As much of an honest conversation as the input says.
    let mut left = usize::from(honest);
    while left > 0 {
        host.seal(b"hello");
        let said = std::mem::take(host.outgoing());
        let passed = left.min(said.len());
        left -= passed;
        if passed == 0 || device.take(&said[..passed], &mut plain).is_err() {
            break;
        }
        let answer = std::mem::take(device.outgoing());
        host.take(&answer, &mut Vec::new())
            .expect("the device is honest");
    }
    let before = plain.len();
    for piece in bytes.chunks(usize::from(pieces).max(1)) {
        if device.take(piece, &mut plain).is_err() {
            break;
        }
    }
    // A record may have lacked so few bytes that chance completes it: with the tag whole, none gets through.
    let honest_bytes = b"hello".repeat(plain.len() / 5);
    assert!(plain.len() == before || plain == honest_bytes, "{plain:?}");
});
