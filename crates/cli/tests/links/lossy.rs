//! A bad line around the firmware: nothing wrong, nothing lost.

use borges_session::command::{Direction, StepSize};
use borges_session::{Act, CommandError, Look, Reply};
use borges_sim::Faults;

use crate::support::emulator::{Chip, Emulator, PICO_FAST};
use crate::wire::Wire;
use crate::{Debugger, colour, entries, follow, step};

/// 10 % loss, 1 % corruption; the delays are those of the emulator's own line.
fn faults() -> Faults {
    Faults {
        delay_us: (0, 500),
        ..Faults::bad()
    }
}

/// Commands of a user who wanders about: forwards, backwards, sideways; the device follows, and is compared.
fn wander(seed: u64, count: usize) -> Vec<Act> {
    let mut chance = fastrand::Rng::with_seed(seed);
    let mut commands = vec![colour(5), entries(3)];
    while commands.len() < count {
        commands.push(match chance.u32(..10) {
            0 => colour(chance.u64(..8)),
            1 => Act::Fork,
            2 => Act::Jump {
                target: format!("{}.{}", chance.u32(..3), chance.u32(..6)),
            },
            3 => follow(),
            4 => Act::Verify,
            5 => step(Direction::Backward, StepSize::Entry, chance.u64(1..4)),
            6 => step(Direction::Backward, StepSize::Instruction, chance.u64(1..9)),
            7 => step(Direction::Forward, StepSize::Into, chance.u64(1..4)),
            _ => entries(chance.u64(1..4)),
        });
    }
    commands
}

/// Wanders on a bad line and on a perfect one, and compares every word.
fn nothing_is_lost(chip: &Chip, seed: u64, count: usize) {
    let emulator = Emulator::start(chip);
    let wire = Wire::new(emulator.address(), &faults(), seed, 200);
    let mut debugger = Debugger::on_the_dial(Some(&wire.device()));
    let mut simulated = Debugger::on_the_dial(None);
    let mut refused = 0;
    for (number, command) in wander(seed, count).into_iter().enumerate() {
        let words = |reply: Result<Reply, CommandError>| {
            reply.map_or_else(|error| error.to_string(), |reply| format!("{reply:?}"))
        };
        let here = debugger.execute(command.clone());
        refused += u32::from(here.is_err());
        let (here, there) = (words(here), words(simulated.execute(command.clone())));
        assert_eq!(here, there, "seed {seed}, command {number}: {command:?}");
    }
    debugger.do_all([follow(), Act::Verify]);
    let info = debugger.execute(Look::Info);
    let Ok(Reply::Info(info)) = info else {
        panic!("{info:?}");
    };
    println!(
        "{}: {count} commands, {refused} of them refused on both sides: {} retransmissions by the debugger, {} cuts",
        chip.firmware,
        info.retransmissions,
        wire.cuts()
    );
    assert!(
        info.retransmissions > 0 && wire.cuts() > 0,
        "the line was good"
    );
}

fn a_hundred_commands_on_a_bad_line(chip: &Chip) {
    nothing_is_lost(chip, 1, 100);
}

#[test]
#[ignore = "needs the emulators and the firmware: scripts/firmware.sh test"]
fn the_speed_of_a_bad_line_is_found_and_kept() {
    nothing_is_lost(&PICO_FAST, 3, 50);
}

/// Takes minutes: `scripts/firmware.sh lossy`.
fn a_thousand_commands_on_a_bad_line(chip: &Chip) {
    nothing_is_lost(chip, 2, 1000);
}

on_every_chip! {
    a_hundred_commands_on_a_bad_line,
    a_thousand_commands_on_a_bad_line,
}
