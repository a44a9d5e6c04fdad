//! What a call costs: through the driver on a simulated board, on the twin, and to undo.
//!
//! `cargo bench -p borges-sim --bench driver` prints nanoseconds a call, the best of several rounds.

#![allow(clippy::unwrap_used)] // a bench, nothing that ships

use std::{hint::black_box, time::Instant};

use borges_board::{Board, BoardState, Captured, Compensation, Driver, PrimitiveId};
use borges_sim::SimBoard;
use borges_vm::Value;

fn main() {
    let board = Board::default_board();
    let call = |name: &str, args: &[i32]| -> (PrimitiveId, Vec<Value>) {
        let fits = |id: &PrimitiveId| board.primitive(*id).unwrap().params.len() == args.len();
        (
            board.named("env", name).find(fits).unwrap(),
            args.iter().map(|v| Value::I32(*v)).collect(),
        )
    };
    let memory = vec![b'x'; 64];
    println!(
        "{:<34}{:>9}{:>9}{:>9}{:>9}",
        "ns a call", "driver", "twin", "fork", "undo"
    );
    for (name, args) in [
        ("chip_digital_read", &[3][..]),
        ("chip_analog_read", &[3]),
        ("color_sensor", &[0]),
        ("millis", &[]),
        ("chip_digital_write", &[45, 1]),
        ("chip_pin_mode", &[45, 2]),
        ("chip_delay", &[1]),
        ("drive_motor_degrees", &[0, 5000, 1]),
        ("print_int", &[7]),
        ("print_string", &[0, 20]),
        ("tone", &[440]),
        ("set_pixel_color", &[1, 2, 3, 4]),
        ("show_pixels", &[]),
        ("write_spi_byte", &[7]),
        ("display_fill_rect", &[3, 3, 10, 10, 5]),
        ("display_fill_rect", &[0, 0, 128, 160, 5]),
        ("display_draw_string", &[0, 0, 0, 10, 1, 5, 0]),
        ("subscribe_interrupt", &[1, 2, 3]),
    ] {
        let (id, args) = call(name, args);
        let is_input = board.primitive(id).unwrap().kind == borges_board::PrimitiveKind::Input;
        let mut driver = Driver::new(&board, SimBoard::new(&board));
        let mut twin = BoardState::new(&board);
        let on_driver = best(|| {
            if is_input {
                black_box(driver.input(&board, id, &args, 0).unwrap());
            } else {
                black_box(driver.output(&board, id, &args, &memory).unwrap());
            }
        });
        let apply = |state: &mut BoardState| {
            if is_input {
                state.observe(&board, id, &args, Value::I32(5));
            } else {
                state
                    .apply(&board, id, &args, &memory, &Captured::Nothing)
                    .unwrap();
            }
        };
        let on_twin = best(|| apply(black_box(&mut twin)));
        let forked = best(|| {
            // As after a snapshot: the state is shared when the call comes.
            let mut fork = twin.clone();
            apply(&mut fork);
            black_box(&fork);
        });
        let undo = best(|| {
            if !is_input {
                let compensation =
                    Compensation::of(&board, &twin, id, &args, &memory, &Captured::Nothing);
                black_box(compensation.unwrap());
            }
        });
        let label = format!("{name}{args:?}")
            .replace("I32(", "")
            .replace(')', "");
        println!("{label:<34}{on_driver:>9.0}{on_twin:>9.0}{forked:>9.0}{undo:>9.0}");
    }
}

/// Nanoseconds that a call takes, the best of several rounds.
fn best(mut call: impl FnMut()) -> f64 {
    let round = |call: &mut dyn FnMut()| {
        let start = Instant::now();
        for _ in 0..2000 {
            call();
        }
        start.elapsed().as_nanos() as f64 / 2000.0
    };
    (0..7)
        .map(|_| round(&mut call))
        .fold(f64::INFINITY, f64::min)
}
