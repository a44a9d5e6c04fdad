//! Random device programs: real modules with inputs, outputs, loops, calls, recursion, memory and interrupt handlers, in
//! all types.
//!
//! A program returns, loops for ever, or traps; a loop always comes to its end in a few hundred steps, so that whole runs
//! stay short.

use std::fmt::Write as _;

use fastrand::Rng;

/// Locals of every function: four i32 (the first are its parameters), then one of each other type.
const INTS: u32 = 4;
/// Global integers.
const GLOBALS: u32 = 3;
/// Functions that the main one calls, each of which may call those before it.
const HELPERS: u32 = 2;
/// Elements of the table: the handlers, the helpers, the recursive one, and one that is null.
const NULL_ELEMENT: u32 = 2 + HELPERS + 1;

/// What a random program may do.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    /// Subscribes to pins and to the timer.
    pub events: bool,
    /// Never returns.
    pub forever: bool,
    /// May trap: unreachable, division by zero, out of bounds, wrong indirect calls, deep recursion.
    pub traps: bool,
    /// Imports what [`super::board::DECLARED`] declares.
    pub declared: bool,
    /// Uses the display, the strip and the bus.
    pub sights: bool,
    /// Uses motors.
    pub motors: bool,
    /// Waits.
    pub delays: bool,
}

impl Features {
    /// What programs for the default board may do.
    pub fn plain(rng: &mut Rng) -> Self {
        Self {
            events: rng.bool(),
            forever: rng.bool(),
            traps: rng.u8(0..4) == 0,
            declared: false,
            sights: rng.bool(),
            motors: rng.u8(0..4) != 0,
            delays: true,
        }
    }
}

/// A random program for the default board as WebAssembly text.
#[allow(dead_code)] // not by every test
pub fn random_program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let features = Features::plain(&mut rng);
    program(&mut rng, features)
}

/// A random program as WebAssembly text.
pub fn program(rng: &mut Rng, features: Features) -> String {
    let mut text = String::from("(module\n");
    for import in IMPORTS {
        let _ = writeln!(text, "  (import \"env\" {import})");
    }
    if features.declared {
        text.push_str(DECLARED);
    }
    let _ = writeln!(
        text,
        "  (type $helper (func (param i32) (result i32)))\n  (memory 1 2)\n  (table {} funcref)\n  (data (i32.const 16) \"borges\")",
        NULL_ELEMENT + 1
    );
    for global in 0..GLOBALS {
        let _ = writeln!(
            text,
            "  (global $g{global} (mut i32) (i32.const {}))",
            rng.i32(-5..5)
        );
    }
    text.push_str(
        "  (global $l (mut i64) (i64.const 7))\n  (global $f (mut f32) (f32.const 0.5))\n",
    );
    text.push_str("  (global $d (mut f64) (f64.const -1.25))\n");
    for helper in 0..HELPERS {
        let mut body = Body::new(rng, features, helper);
        body.statements(2, 2);
        let code = body.code;
        let _ = writeln!(
            text,
            "  (func $h{helper} (param i32) (result i32) (local i32 i32 i32 i64 f32 f64)\n{code}    \
             (i32.add (local.get 0) (global.get $g0)))"
        );
    }
    recursive(rng, features, &mut text);
    handlers(rng, features, &mut text);
    main(rng, features, &mut text);
    text.push_str(")\n");
    text
}

fn recursive(rng: &mut Rng, features: Features, text: &mut String) {
    let mut body = Body::new(rng, features, 0);
    body.simple();
    let code = body.code;
    let _ = writeln!(
        text,
        "  (func $r (param i32) (result i32) (local i32 i32 i32 i64 f32 f64)\n    \
         (if (i32.le_s (local.get 0) (i32.const 0)) (then (return (global.get $g1))))\n    \
         (local.set 1 (i32.sub (local.get 0) (i32.const 1)))\n{code}    \
         (i32.add (call $r (i32.sub (local.get 0) (i32.const 1))) (i32.const 1)))"
    );
}

/// Handlers write memory and a pin, so one at the wrong step shows at once; some read inputs, some are nearly empty.
fn handlers(rng: &mut Rng, features: Features, text: &mut String) {
    // A handler that takes longer than the time between two events would never let the program go on.
    let features = Features {
        motors: false,
        delays: false,
        ..features
    };
    for (handler, parameter) in [("pin", "(param i32)"), ("timer", "")] {
        let locals = if parameter.is_empty() {
            "(local i32 i32 i32 i32 i64 f32 f64)"
        } else {
            "(local i32 i32 i32 i64 f32 f64)"
        };
        let code = match rng.u8(0..4) {
            0 => "    (call $no_tone)\n".to_owned(),
            1 => String::new(),
            _ => {
                let mut body = Body::new(rng, features, 0);
                body.simple();
                format!(
                    "    (global.set $g1 (i32.add (global.get $g1) (i32.const 1)))\n    \
                     (i32.store (i32.const 512) (i32.add (i32.load (i32.const 512)) (global.get $g2)))\n    \
                     (call $digital_write (i32.const 7) (i32.and (global.get $g1) (i32.const 1)))\n{}",
                    body.code
                )
            }
        };
        let _ = writeln!(
            text,
            "  (func $on_{handler} {parameter} {locals}\n{code}    )"
        );
    }
    let helpers: Vec<String> = (0..HELPERS).map(|helper| format!("$h{helper}")).collect();
    let _ = writeln!(
        text,
        "  (elem (i32.const 0) $on_pin $on_timer {} $r)",
        helpers.join(" ")
    );
}

fn main(rng: &mut Rng, features: Features, text: &mut String) {
    text.push_str("  (func (export \"main\") (local i32 i32 i32 i32 i64 f32 f64)\n");
    if features.events {
        // Rarely a handler that does not exist: then the event is lost, everywhere alike.
        let handler = if rng.u8(0..10) == 0 { NULL_ELEMENT } else { 0 };
        let _ = writeln!(
            text,
            "    (call $subscribe (i32.const 2) (i32.const {handler}) (i32.const {}))",
            rng.u8(1..4)
        );
        if rng.bool() {
            let _ = writeln!(
                text,
                "    (call $timer (i32.const {}) (i32.const 1))",
                rng.u32(25_000..60_000)
            );
        }
    }
    let rounds = rng.u32(1..5);
    let mut body = Body::new(rng, features, HELPERS);
    body.statements(3, 4);
    let code = body.code;
    if features.forever {
        let _ = writeln!(
            text,
            "    (loop $forever\n{code}    (drop (call $digital_read (i32.const 3)))\n    (br $forever)))"
        );
    } else {
        let _ = writeln!(
            text,
            "    (i32.store (i32.const 1000) (i32.const {rounds}))\n    (loop $rounds\n{code}    \
             (i32.store (i32.const 1000) (i32.sub (i32.load (i32.const 1000)) (i32.const 1)))\n    \
             (br_if $rounds (i32.gt_s (i32.load (i32.const 1000)) (i32.const 0)))))"
        );
    }
}

const IMPORTS: &[&str] = &[
    r#""chip_digital_read" (func $digital_read (param i32) (result i32))"#,
    r#""chip_analog_read" (func $analog_read (param i32) (result i32))"#,
    r#""color_sensor" (func $color (param i32) (result i32))"#,
    r#""read_uart_sensor" (func $uart (param i32) (result i32))"#,
    r#""nxt_touch_sensor" (func $touch (param i32) (result i32))"#,
    r#""random_int" (func $random (result i32))"#,
    r#""random_int" (func $random_below (param i32) (result i32))"#,
    r#""millis" (func $millis (result i32))"#,
    r#""micros" (func $micros (result i64))"#,
    r#""chip_pin_mode" (func $pin_mode (param i32 i32))"#,
    r#""chip_digital_write" (func $digital_write (param i32 i32))"#,
    r#""chip_analog_write" (func $analog_write (param i32 i32) (result i32))"#,
    r#""chip_ledc_setup" (func $ledc_setup (param i32 i32 i32))"#,
    r#""chip_ledc_attach_pin" (func $ledc_attach (param i32 i32))"#,
    r#""chip_ledc_set_duty" (func $ledc_duty (param i32 i32 i32))"#,
    r#""drive_motor" (func $drive (param i32 i32))"#,
    r#""drive_motor_ms" (func $drive_ms (param i32 i32 i32))"#,
    r#""drive_motor_degrees" (func $degrees (param i32 i32 i32))"#,
    r#""stop_motor" (func $stop (param i32))"#,
    r#""chip_delay" (func $delay (param i32))"#,
    r#""chip_delay_us" (func $delay_us (param i32))"#,
    r#""print_int" (func $print (param i32))"#,
    r#""print_string" (func $print_string (param i32 i32))"#,
    r#""tone" (func $tone (param i32))"#,
    r#""noTone" (func $no_tone)"#,
    r#""setup_uart_sensor" (func $uart_mode (param i32 i32))"#,
    r#""init_pixels" (func $pixels_init)"#,
    r#""set_pixel_color" (func $pixel (param i32 i32 i32 i32))"#,
    r#""show_pixels" (func $pixels_show)"#,
    r#""clear_pixels" (func $pixels_clear)"#,
    r#""display_setup" (func $display_setup)"#,
    r#""display_width" (func $display_width (result i32))"#,
    r#""display_set_orientation" (func $display_turn (param i32))"#,
    r#""display_fill_rect" (func $fill (param i32 i32 i32 i32 i32))"#,
    r#""display_draw_string" (func $draw (param i32 i32 i32 i32 i32 i32 i32))"#,
    r#""spi_begin" (func $spi_begin)"#,
    r#""write_spi_byte" (func $spi (param i32))"#,
    r#""write_spi_bytes_16" (func $spi_words (param i32 i32))"#,
    r#""subscribe_interrupt" (func $subscribe (param i32 i32 i32))"#,
    r#""unsubscribe_interrupt" (func $unsubscribe (param i32))"#,
    r#""subscribe_timer" (func $timer (param i32 i32))"#,
    r#""unsubscribe_timer" (func $no_timer)"#,
    r#""abort" (func $abort)"#,
];

const DECLARED: &str = r#"  (import "env" "humidity" (func $humidity (param i32) (result f32)))
  (import "lab" "voltage" (func $voltage (result f64)))
  (import "lab" "ticks" (func $ticks (result i64)))
  (import "lab" "set_valve" (func $valve (param i32 f64 i64) (result i32)))
  (import "lab" "fire" (func $fire (param i32)))
"#;

/// A type of values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ty {
    I32,
    I64,
    F32,
    F64,
}

const TYPES: [Ty; 4] = [Ty::I32, Ty::I64, Ty::F32, Ty::F64];

impl Ty {
    fn name(self) -> &'static str {
        match self {
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            Ty::F32 => "f32",
            Ty::F64 => "f64",
        }
    }
}

struct Body<'r> {
    rng: &'r mut Rng,
    features: Features,
    code: String,
    /// Helpers with a lower number may be called: no recursion without an end.
    callable: u32,
    labels: u32,
}

impl<'r> Body<'r> {
    fn new(rng: &'r mut Rng, features: Features, callable: u32) -> Self {
        Self {
            rng,
            features,
            code: String::new(),
            callable,
            labels: 0,
        }
    }

    fn line(&mut self, line: &str) {
        self.code.push_str("    ");
        self.code.push_str(line);
        self.code.push('\n');
    }

    fn statements(&mut self, depth: u32, most: u32) {
        for _ in 0..self.rng.u32(1..=most) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.rng.u32(0..if depth == 0 { 4 } else { 9 }) {
            0..=3 => self.simple(),
            4 => {
                let condition = self.condition();
                self.line(&format!("(if {condition} (then"));
                self.statements(depth - 1, 2);
                self.line(") (else");
                // A rare trap: universes that end badly must be shown as they are.
                if self.features.traps && self.rng.u32(0..12) == 0 {
                    self.trap();
                } else {
                    self.statements(depth - 1, 2);
                }
                self.line("))");
            }
            5 => self.counted_loop(depth),
            6 => {
                let label = self.label();
                let selector = self.expression(Ty::I32, 1);
                self.line(&format!("(block $b{label} (block $a{label}"));
                self.line(&format!(
                    "(br_table $a{label} $b{label} $a{label} (i32.and {selector} (i32.const 3)))"
                ));
                self.line(")");
                self.statements(depth - 1, 2);
                self.line(")");
            }
            _ => self.call(),
        }
    }

    /// Nothing that contains other statements.
    fn simple(&mut self) {
        match self.rng.u32(0..10) {
            0 => {
                let (place, ty) = self.local();
                let value = self.expression(ty, 2);
                self.line(&format!("(local.set {place} {value})"));
            }
            1 => {
                let (place, ty) = self.global();
                let value = self.expression(ty, 2);
                self.line(&format!("(global.set {place} {value})"));
            }
            2 => {
                let ty = self.ty();
                let (address, value) = (self.address(), self.expression(ty, 1));
                let width = if ty == Ty::I32 {
                    self.pick(&["", "8", "16"])
                } else {
                    ""
                };
                self.line(&format!("({}.store{width} {address} {value})", ty.name()));
            }
            3 => {
                let (place, ty) = self.local();
                let input = self.input(ty);
                self.line(&format!("(local.set {place} {input})"));
            }
            4 => {
                let line = match self.rng.u8(0..4) {
                    0 => "(local.set 2 (memory.grow (i32.const 1)))".to_owned(),
                    1 => format!(
                        "(memory.fill {} (i32.const {}) (i32.const 9))",
                        self.address(),
                        self.rng.u8(..)
                    ),
                    2 => format!(
                        "(memory.copy {} (i32.const 16) (i32.const 13))",
                        self.address()
                    ),
                    _ => "(local.set 3 (call $display_width))".to_owned(),
                };
                self.line(&line);
            }
            _ => self.output(),
        }
    }

    fn trap(&mut self) {
        let line = match self.rng.u8(0..7) {
            0 => "(local.set 0 (i32.div_s (local.get 1) (i32.const 0)))",
            1 => "(local.set 0 (i32.load (i32.const -4)))",
            2 => "(local.set 0 (call_indirect (type $helper) (i32.const 1) (i32.const 5)))",
            3 => "(local.set 0 (call_indirect (type $helper) (i32.const 1) (i32.const 0)))",
            4 => "(local.set 0 (i32.trunc_f32_s (f32.const nan)))",
            5 => "(call $abort)",
            _ => "unreachable",
        };
        self.line(line);
        if self.rng.u8(0..4) == 0 {
            // More frames than there is room for.
            self.line("(local.set 0 (call $r (i32.const 1000000)))");
        }
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    /// `for k in 0..n`, with the counter in memory so that it costs no local.
    fn counted_loop(&mut self, depth: u32) {
        let (label, times) = (self.label(), self.rng.u32(1..4));
        let counter = 1024 + 4 * (label + 64 * self.callable);
        self.line(&format!(
            "(i32.store (i32.const {counter}) (i32.const {times}))"
        ));
        self.line(&format!("(loop $l{label}"));
        self.statements(depth - 1, 2);
        self.line(&format!(
            "(i32.store (i32.const {counter}) (i32.sub (i32.load (i32.const {counter})) (i32.const 1)))"
        ));
        self.line(&format!(
            "(br_if $l{label} (i32.gt_s (i32.load (i32.const {counter})) (i32.const 0))))"
        ));
    }

    fn call(&mut self) {
        let value = self.expression(Ty::I32, 1);
        let local = self.rng.u32(0..INTS);
        let call = match self.callable {
            // Helpers with the highest number are called by the main function only, so nothing calls itself this way.
            HELPERS => match self.rng.u8(0..3) {
                0 => format!("(call $r (i32.and {value} (i32.const 7)))"),
                1 => format!("(call $h{} {value})", self.rng.u32(0..HELPERS)),
                _ => format!(
                    "(call_indirect (type $helper) {value} (i32.add (i32.const 2) (i32.and {} (i32.const 1))))",
                    self.expression(Ty::I32, 1)
                ),
            },
            0 => value,
            callable => format!("(call $h{} {value})", self.rng.u32(0..callable)),
        };
        self.line(&format!("(local.set {local} {call})"));
    }

    fn output(&mut self) {
        let value = self.expression(Ty::I32, 1);
        let (pin, port) = (self.rng.u32(4..9), self.rng.u32(0..3));
        let mut kinds = vec![0, 1, 2];
        if self.features.delays {
            kinds.push(3);
        }
        if self.features.motors {
            kinds.extend([4, 4]);
        }
        if self.features.sights {
            kinds.extend([5, 6]);
        }
        if self.features.declared {
            kinds.push(7);
        }
        if self.features.events {
            kinds.push(8);
        }
        let kind = kinds[self.rng.usize(0..kinds.len())];
        let call = match (kind, self.rng.u8(0..4)) {
            (0, 0) => format!("$pin_mode (i32.const {pin}) (i32.and {value} (i32.const 1))"),
            (0, _) => format!("$digital_write (i32.const {pin}) (i32.and {value} (i32.const 1))"),
            (1, 0) => format!(
                "$ledc_setup (i32.const {}) (i32.const 5000) (i32.const 12)",
                pin % 3
            ),
            (1, 1) => format!("$ledc_attach (i32.const {pin}) (i32.const {})", pin % 3),
            (1, 2) => format!(
                "$ledc_duty (i32.const {}) (i32.and {value} (i32.const 255)) (i32.const 255)",
                pin % 3
            ),
            (1, _) => {
                self.line(&format!("(drop (call $analog_write (i32.const {pin}) (i32.and {value} (i32.const 255))))"));
                return;
            }
            (2, 0) => format!("$print {value}"),
            (2, 1) => "$print_string (i32.const 16) (i32.const 6)".to_owned(),
            (2, 2) => format!("$tone {value}"),
            (2, _) => "$no_tone".to_owned(),
            (3, 0 | 1) => format!("$delay (i32.and {value} (i32.const 15))"),
            (3, 2) => format!("$delay_us (i32.and {value} (i32.const 1023))"),
            (3, _) => format!("$uart_mode (i32.const {port}) (i32.and {value} (i32.const 3))"),
            (4, 0) => format!(
                "$drive (i32.const {port}) (i32.shl (i32.and {value} (i32.const 63)) (i32.const 5))"
            ),
            (4, 1) => format!(
                "$degrees (i32.const {port}) (i32.const 5000) (i32.and {value} (i32.const 127))"
            ),
            (4, 2) => format!("$drive_ms (i32.const {port}) {value} (i32.const 20)"),
            (4, _) => format!("$stop (i32.const {port})"),
            (5, 0) => "$pixels_init".to_owned(),
            (5, 1) => format!(
                "$pixel (i32.and {value} (i32.const 7)) {value} (i32.const 1) (i32.const 2)"
            ),
            (5, 2) => "$pixels_show".to_owned(),
            (5, _) => "$pixels_clear".to_owned(),
            (6, 0) => format!(
                "$fill (i32.and {value} (i32.const 127)) (i32.const {pin}) (i32.const 9) (i32.const 5) {value}"
            ),
            (6, 1) => format!(
                "$draw {value} (i32.const {pin}) (i32.const 16) (i32.const 3) (i32.const 1) (i32.const 9) (i32.const 0)"
            ),
            (6, 2) => format!("$spi_words (i32.and {value} (i32.const 31)) {value}"),
            (6, _) => {
                let byte = self.pick(&[
                    "0x01", "0x11", "0x29", "0x2a", "0x2b", "0x2c", "0x36", "0x3a", "5",
                ]);
                // Command or data, as the level of pin 15 says.
                format!(
                    "$digital_write (i32.const 15) (i32.and {value} (i32.const 1)))\n    (call $spi (i32.const {byte})"
                )
            }
            (7, 0) => format!("$fire {value}"),
            (7, _) => {
                let (position, count) = (self.expression(Ty::F64, 1), self.expression(Ty::I64, 1));
                self.line(&format!(
                    "(drop (call $valve (i32.and {value} (i32.const 1)) {position} {count}))"
                ));
                return;
            }
            (_, 0) => format!(
                "$subscribe (i32.const {}) (i32.const 0) (i32.and {value} (i32.const 3))",
                pin % 2 + 2
            ),
            (_, 1) => format!("$unsubscribe (i32.const {})", pin % 2 + 2),
            (_, 2) => format!(
                "$timer (i32.add (i32.const 25000) (i32.and {value} (i32.const 8191))) (i32.const 1)"
            ),
            (_, _) => "$no_timer".to_owned(),
        };
        self.line(&format!("(call {call})"));
    }

    fn input(&mut self, ty: Ty) -> String {
        let int = match self.rng.u32(0..8) {
            0 => format!("(call $digital_read (i32.const {}))", self.rng.u32(0..4)),
            1 => format!("(call $analog_read (i32.const {}))", self.rng.u32(10..13)),
            2 => format!("(call $color (i32.const {}))", self.rng.u32(0..2)),
            3 => format!("(call $uart (i32.const {}))", self.rng.u32(0..2)),
            4 => "(call $touch (i32.const 1))".to_owned(),
            5 => "(call $random)".to_owned(),
            6 => "(call $random_below (i32.const 6))".to_owned(),
            _ => "(call $millis)".to_owned(),
        };
        let declared = self.features.declared;
        match ty {
            Ty::I32 => int,
            Ty::I64 if declared && self.rng.bool() => "(call $ticks)".to_owned(),
            Ty::I64 if self.rng.bool() => "(call $micros)".to_owned(),
            Ty::I64 => format!("(i64.extend_i32_s {int})"),
            Ty::F32 if declared => format!("(call $humidity (i32.const {}))", self.rng.u32(0..2)),
            Ty::F32 => format!("(f32.convert_i32_s {int})"),
            Ty::F64 if declared => "(call $voltage)".to_owned(),
            Ty::F64 => format!("(f64.convert_i32_u {int})"),
        }
    }

    fn condition(&mut self) -> String {
        let ty = self.ty();
        let (left, right) = (self.expression(ty, 1), self.expression(ty, 1));
        let compare = match ty {
            Ty::I32 | Ty::I64 => self.pick(&["lt_s", "eq", "gt_u", "ne"]),
            Ty::F32 | Ty::F64 => self.pick(&["lt", "ge", "ne"]),
        };
        format!("({}.{compare} {left} {right})", ty.name())
    }

    fn ty(&mut self) -> Ty {
        if self.rng.bool() {
            Ty::I32
        } else {
            TYPES[self.rng.usize(0..4)]
        }
    }

    fn local(&mut self) -> (u32, Ty) {
        match self.ty() {
            Ty::I32 => (self.rng.u32(0..INTS), Ty::I32),
            Ty::I64 => (INTS, Ty::I64),
            Ty::F32 => (INTS + 1, Ty::F32),
            Ty::F64 => (INTS + 2, Ty::F64),
        }
    }

    fn global(&mut self) -> (String, Ty) {
        match self.ty() {
            Ty::I32 => (format!("$g{}", self.rng.u32(0..GLOBALS)), Ty::I32),
            Ty::I64 => ("$l".to_owned(), Ty::I64),
            Ty::F32 => ("$f".to_owned(), Ty::F32),
            Ty::F64 => ("$d".to_owned(), Ty::F64),
        }
    }

    fn address(&mut self) -> String {
        format!("(i32.and {} (i32.const 248))", self.expression(Ty::I32, 1))
    }

    fn leaf(&mut self, ty: Ty) -> String {
        let name = ty.name();
        match self.rng.u32(0..4) {
            0 => {
                let number = self.rng.i32(-3..40);
                format!("({name}.const {number})")
            }
            1 => match ty {
                Ty::I32 => format!("(local.get {})", self.rng.u32(0..INTS)),
                Ty::I64 => format!("(local.get {INTS})"),
                Ty::F32 => format!("(local.get {})", INTS + 1),
                Ty::F64 => format!("(local.get {})", INTS + 2),
            },
            2 => match ty {
                Ty::I32 => format!("(global.get $g{})", self.rng.u32(0..GLOBALS)),
                Ty::I64 => "(global.get $l)".to_owned(),
                Ty::F32 => "(global.get $f)".to_owned(),
                Ty::F64 => "(global.get $d)".to_owned(),
            },
            _ => format!("({name}.load (i32.const {}))", 8 * self.rng.u32(0..20)),
        }
    }

    fn expression(&mut self, ty: Ty, depth: u32) -> String {
        if depth == 0 || self.rng.u32(0..3) == 0 {
            return self.leaf(ty);
        }
        let name = ty.name();
        match self.rng.u32(0..8) {
            0 => self.input(ty),
            1 => {
                let (yes, no, condition) = (self.leaf(ty), self.leaf(ty), self.condition());
                format!("(select {yes} {no} {condition})")
            }
            2 => {
                let from = |this: &mut Self, from, by: &str| {
                    format!("({by} {})", this.expression(from, depth - 1))
                };
                match (ty, self.rng.bool()) {
                    (Ty::I32, true) => from(self, Ty::I64, "i32.wrap_i64"),
                    (Ty::I32, false) => from(self, Ty::F32, "i32.trunc_sat_f32_s"),
                    (Ty::I64, true) => from(self, Ty::I32, "i64.extend_i32_u"),
                    (Ty::I64, false) => from(self, Ty::F64, "i64.trunc_sat_f64_u"),
                    (Ty::F32, true) => from(self, Ty::F64, "f32.demote_f64"),
                    (Ty::F32, false) => from(self, Ty::I64, "f32.convert_i64_s"),
                    (Ty::F64, true) => from(self, Ty::F32, "f64.promote_f32"),
                    (Ty::F64, false) => from(self, Ty::F64, "f64.sqrt"),
                }
            }
            _ => {
                let (left, right) = (
                    self.expression(ty, depth - 1),
                    self.expression(ty, depth - 1),
                );
                let op = match ty {
                    Ty::I32 | Ty::I64 => {
                        self.pick(&["add", "sub", "mul", "xor", "shl", "shr_u", "rotl"])
                    }
                    Ty::F32 | Ty::F64 => {
                        self.pick(&["add", "sub", "mul", "div", "min", "copysign"])
                    }
                };
                format!("({name}.{op} {left} {right})")
            }
        }
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.rng.usize(0..from.len())]
    }
}
