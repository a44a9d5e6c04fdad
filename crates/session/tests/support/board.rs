//! Random boards, as board files.

use std::fmt::Write as _;

use fastrand::Rng;

/// What a random board may have.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    /// Pins change by themselves, slowly enough for a program to go on.
    pub events: bool,
    /// Motors miss where they should go.
    pub slip: bool,
    /// Readings depend on what was done before, and on rules.
    pub rules: bool,
    /// [`DECLARED`] belongs to it.
    pub declared: bool,
}

/// Primitives of the user's own, in all types.
pub const DECLARED: &str = r#"
[[primitive]]
name = "humidity"
params = ["i32"]
result = "f32"
kind = "input"
codomain = "0..1"

[[primitive]]
module = "lab"
name = "voltage"
result = "f64"
kind = "input"
codomain = "-5..5"

[[primitive]]
module = "lab"
name = "ticks"
result = "i64"
kind = "input"
codomain = "not before the last reading"

[[primitive]]
module = "lab"
name = "set_valve"
params = ["i32", "f64", "i64"]
result = "i32"
kind = "output"
key = [0]
initial = [0.5, 3]

[[primitive]]
module = "lab"
name = "fire"
params = ["i32"]
kind = "output"
undo = "none"
"#;

/// A random board.
pub fn board(rng: &mut Rng, features: Features) -> String {
    let mut text = String::from("name = \"Random\"\npixels = 8\n");
    if rng.bool() {
        text.push_str("console_bytes = 4096\nhigh_pins = [3, 5]\n");
    }
    if features.rules {
        let all = [
            "while the level of pin 5 is 1, color_sensor(0) is at least 60",
            "chip_analog_read(12) changes by at most 40",
            "while the angle of motor 0 is under 90, read_uart_sensor(1) is 0",
            "when the speed of motor 1 is over 0, chip_digital_read(1) is 0",
            "nxt_touch_sensor(1) is 0 or 1 and chip_analog_read(11) never falls",
            "when the reading of chip_digital_read(0) is 1, chip_analog_read(10) is 5, 7 or 900..1000",
        ];
        let chosen: Vec<String> = all
            .iter()
            .filter(|_| rng.bool())
            .map(|rule| format!("{rule:?}"))
            .collect();
        let _ = writeln!(text, "rules = [{}]", chosen.join(", "));
    }
    // Deep recursion ends soon.
    text.push_str("\n[limits]\ncall_depth = 60\n");
    let _ = writeln!(
        text,
        "\n[simulation]\nseed = {}\nstep_ns = {}",
        rng.u32(1..1000),
        [100, 1_000, 40_000, 100_000][rng.usize(0..4)]
    );
    if features.slip {
        let _ = writeln!(text, "motor_slip = {}", rng.u8(1..200));
    }
    if rng.bool() {
        text.push_str("surprising_pins = [4, 6]\n");
    }
    sources(rng, features, &mut text);
    if features.declared {
        text.push_str(DECLARED);
    }
    models(rng, features, &mut text);
    text
}

fn sources(rng: &mut Rng, features: Features, text: &mut String) {
    text.push_str("\n[sources]\n");
    if features.events {
        let (first, second) = (rng.u32(1..30), rng.u32(30..60));
        let _ = writeln!(
            text,
            "\"chip_digital_read(2)\" = {{ timeline = [\"{first} ms: 1\", \"{second} ms: 0\"], repeat = \"{} ms\" }}",
            rng.u32(60..120)
        );
        let _ = writeln!(
            text,
            "\"chip_digital_read(3)\" = {{ wave = \"square\", low = 0, high = 1, period = \"{} ms\" }}",
            rng.u32(20..90)
        );
    }
    let scripted = |rng: &mut Rng| match rng.u8(0..3) {
        0 => format!(
            "{{ script = [{}, 1, 400], then = \"repeat\" }}",
            rng.u16(0..4096)
        ),
        1 => "{ noise = [0, 4095] }".to_owned(),
        _ => format!(
            "{{ wave = \"sine\", low = 0, high = 4095, period = \"{} ms\" }}",
            rng.u8(1..90)
        ),
    };
    for pin in 10..13 {
        if rng.bool() {
            let source = scripted(rng);
            let _ = writeln!(text, "\"chip_analog_read({pin})\" = {source}");
        }
    }
    if rng.bool() {
        let _ = writeln!(
            text,
            "\"color_sensor(1)\" = {{ script = [3, 7, 99], then = 1 }}"
        );
    }
    if features.declared && rng.bool() {
        let _ = writeln!(text, "\"voltage()\" = {{ noise = [-5, 5] }}");
    }
}

fn models(rng: &mut Rng, features: Features, text: &mut String) {
    if rng.bool() {
        text.push_str("\n[[model]]\nkind = \"disc\"\nmotor = 0\nsensor = \"color_sensor(0)\"\nsectors = [[90, 1], [200, 5], [360, 70]]\n");
    }
    if rng.bool() {
        text.push_str("\n[[model]]\nkind = \"wire\"\nfrom = 5\nto = 0\n");
    }
    if rng.bool() && features.declared {
        text.push_str(
            "\n[[model]]\nkind = \"room\"\nheater = 6\nsensor = \"humidity(0)\"\nambient = 0.2\ngain = 0.5\n\
             inertia = \"30 ms\"\nreading_at_zero = 0\nreading_per_degree = 1\n",
        );
    }
    if rng.bool() {
        text.push_str(
            "\n[[model]]\nkind = \"light\"\nlamp = 4\nsensor = \"read_uart_sensor(0)\"\ndark = 5\nlit = 90\n",
        );
    }
}
