//! What travels, byte by byte: a change here is a change of the wire's version.

use borges_board::{
    Angle, Board, BoardState, Captured, CapturedMotor, Compensation, ConsolePatch, DisplayPatch,
    Fill, MotorRestore, PixelsPatch, PrimitiveId, Rect, Restore, Subscription, Timer,
};
use borges_vm::Value;

fn check<T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(
    value: T,
    hex: &str,
) {
    let bytes = postcard::to_allocvec(&value).unwrap_or_default();
    let written: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(written, hex.replace(' ', ""), "{value:?}");
    assert_eq!(postcard::from_bytes::<T>(&bytes).ok(), Some(value));
}

#[test]
fn captured() {
    check(Captured::Nothing, "00");
    check(Captured::Level(true), "01 01");
    let motor = CapturedMotor {
        motor: 2,
        before: Some(Angle(1_000_000)),
        after: None,
    };
    check(Captured::Motors(vec![motor]), "02 01 02 01 80897a 00");
}

#[test]
fn compensations() {
    let check = |restore: Restore, hex: &str| {
        check(
            Compensation {
                steps: vec![restore],
            },
            &format!("01 {hex}"),
        )
    };
    check(
        Restore::PinMode {
            pin: 5,
            mode: Some(2),
        },
        "00 05 01 04",
    );
    check(
        Restore::Level {
            pin: 5,
            written: None,
            level: true,
        },
        "01 05 00 01",
    );
    check(Restore::Duty { pin: 5, duty: None }, "02 05 00");
    check(
        Restore::PinChannel {
            pin: 5,
            channel: Some(1),
        },
        "03 05 01 01",
    );
    check(
        Restore::Channel {
            channel: 1,
            setting: None,
        },
        "04 01 00",
    );
    let motor = MotorRestore {
        motor: 1,
        speed: -3,
        angle: Angle(0),
        drift: 1,
    };
    check(Restore::Motors(vec![motor]), "05 01 01 05 00 02");
    check(Restore::Tone(Some(440)), "06 01 f006");
    let subscription = Some(Subscription {
        handler: 7,
        mode: 3,
    });
    check(
        Restore::Interrupt {
            pin: 4,
            subscription,
        },
        "07 04 01 07 06",
    );
    check(
        Restore::Timer(Some(Timer {
            period_us: 1000,
            handler: 1,
        })),
        "08 01 e807 01",
    );
    check(
        Restore::SensorMode {
            port: 1,
            mode: Some(2),
        },
        "09 01 01 04",
    );
    let args = vec![Value::I32(3), Value::F64(0)];
    let register = Restore::Register {
        primitive: PrimitiveId(54),
        key: vec![Value::I32(3)],
        args,
        written: false,
    };
    check(register, "0a 36 01 00 06 02 00 06 03 00 00");
    check(
        Restore::Reading {
            primitive: PrimitiveId(3),
            args: vec![],
            value: None,
        },
        "0b 03 00 00",
    );
    check(
        Restore::Time {
            elapsed_us: 1000,
            clock_floor_us: 0,
        },
        "0c e807 00",
    );
    check(
        Restore::Console(ConsolePatch {
            end: 3,
            front: vec![],
        }),
        "0d 03 00",
    );
    let pixels = PixelsPatch {
        ready: true,
        buffer: vec![(1, 0xff)],
        shown: vec![],
    };
    check(Restore::Pixels(pixels), "0e 01 01 01 ff01 00");
    let fill = Fill {
        rect: Rect {
            x: 1,
            y: 2,
            w: 3,
            h: 4,
        },
        colour: 0xffff,
    };
    check(
        Restore::Display(DisplayPatch {
            panel: None,
            fills: vec![fill],
        }),
        "0f 00 01 01 02 03 04 ffff03",
    );
}

/// The hash by which device and twin compare their models: the same on every machine, and in every build.
#[test]
fn hash_of_a_state() {
    let board = Board::default_board();
    let mut state = BoardState::lean(&board);
    let calls: [(&str, &[i32]); 6] = [
        ("chip_pin_mode", &[5, 2]),
        ("chip_digital_write", &[5, 1]),
        ("chip_ledc_setup", &[1, 5000, 12]),
        ("drive_motor_degrees", &[3, 10_000, -90]),
        ("setup_uart_sensor", &[0, 2]),
        ("subscribe_timer", &[1000, 2]),
    ];
    for (name, args) in calls {
        let args: Vec<Value> = args.iter().map(|v| Value::I32(*v)).collect();
        let id = board.named("env", name).next();
        let done = id.map(|id| state.apply(&board, id, &args, &[], &Captured::Nothing));
        assert_eq!(done, Some(Ok(None)), "{name}");
    }
    assert_eq!(format!("{:016x}", state.hash64()), "58b767caedba7f81");
}
