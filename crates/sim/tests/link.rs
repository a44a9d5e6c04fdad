//! Links do what they say, and a bad one does the same bad things for the same seed.

use std::time::Duration;

use borges_sim::{Clock, Faults, LossyLink, MemoryLink};
use borges_wire::link::Link;

#[test]
fn a_link_in_memory_takes_what_it_has_room_for_and_wakes_who_waits() {
    let clock = Clock::new_virtual();
    let (mut a, mut b) = MemoryLink::pair(&clock);
    assert!(!b.wait(Duration::ZERO));
    let big = vec![7; 1 << 20];
    assert_eq!(a.send(&big[..65_535]), 65_535);
    assert_eq!(a.send(&big), 1);
    assert_eq!(a.send(&big), 0);
    assert!(b.wait(Duration::ZERO));
    let mut buffer = [0; 1000];
    assert_eq!(b.receive(&mut buffer), 1000);
    assert_eq!(a.send(&big), 1000);
    while b.receive(&mut buffer) > 0 {}
    let waiting = std::thread::spawn(move || b.wait(Duration::from_secs(600)));
    assert_eq!(a.send(b"x"), 1);
    assert_eq!(waiting.join().ok(), Some(true));
}

/// Everything that arrives, with the time at which it does.
fn arrivals(faults: &Faults, seed: u64) -> Vec<(u64, Vec<u8>)> {
    let clock = Clock::new_virtual();
    let (mut a, mut b) = LossyLink::pair(&clock, faults, seed);
    let mut buffer = [0; 4096];
    let mut seen = Vec::new();
    for n in 0..2000u32 {
        let taken = a.send(&n.to_le_bytes());
        assert_eq!(taken, 4, "a bad line takes everything");
        if n % 10 == 0 {
            let length = b.receive(&mut buffer);
            seen.push((clock.now_us(), buffer[..length].to_vec()));
        }
        clock.advance(100);
    }
    seen
}

#[test]
fn a_bad_line_follows_from_its_seed() {
    let bad = arrivals(&Faults::bad(), 1);
    assert_eq!(bad, arrivals(&Faults::bad(), 1));
    assert_ne!(bad, arrivals(&Faults::bad(), 2));
}

#[test]
fn faults_are_as_frequent_as_they_should_be() {
    let numbers = |faults: &Faults| -> Vec<u32> {
        let bytes: Vec<u8> = arrivals(faults, 3)
            .into_iter()
            .flat_map(|(_, b)| b)
            .collect();
        bytes
            .as_chunks()
            .0
            .iter()
            .map(|chunk| u32::from_le_bytes(*chunk))
            .collect()
    };
    let none = numbers(&Faults::none());
    assert_eq!(none, (0..none.len() as u32).collect::<Vec<_>>());
    let lossy = numbers(&Faults {
        loss: 0.5,
        ..Faults::none()
    });
    assert!((800..1200).contains(&lossy.len()), "{}", lossy.len());
    assert!(lossy.is_sorted());
    let doubled = numbers(&Faults {
        duplicate: 0.5,
        ..Faults::none()
    });
    assert!((2700..3300).contains(&doubled.len()), "{}", doubled.len());
    let mixed = numbers(&Faults {
        reorder: 0.1,
        ..Faults::none()
    });
    assert!(!mixed.is_sorted());
}

#[test]
fn an_unplugged_line_carries_nothing_and_forgets_what_was_under_way() {
    let clock = Clock::new_virtual();
    let (mut a, mut b) = LossyLink::pair(&clock, &Faults::none(), 1);
    let mut buffer = [0; 16];
    a.send(b"lost");
    assert_eq!(b.next_arrival_us(), Some(1000));
    a.set_up(false);
    a.send(b"lost as well");
    clock.advance(5000);
    assert_eq!(b.receive(&mut buffer), 0);
    b.set_up(true);
    a.send(b"here");
    assert_eq!(b.receive(&mut buffer), 0, "it takes a while");
    clock.advance(1000);
    assert_eq!(b.receive(&mut buffer), 4);
    assert_eq!(&buffer[..4], b"here");
}
