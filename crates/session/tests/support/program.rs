//! Random device programs: real modules with inputs, outputs, loops, calls, memory and interrupt handlers.
//!
//! Every program terminates or loops over inputs for ever, never divides, and touches only its own first page, so traps
//! come only from the `unreachable`s that the generator plants.

use std::fmt::Write as _;

use fastrand::Rng;

const LOCALS: u32 = 4;
const GLOBALS: u32 = 3;
const HELPERS: u32 = 2;

/// A random program as WebAssembly text.
pub fn random_program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let mut text = String::from(IMPORTS);
    for global in 0..GLOBALS {
        let _ = writeln!(text, "  (global $g{global} (mut i32) (i32.const {}))", rng.i32(-5..5));
    }
    let interrupts = rng.bool();
    for helper in 0..HELPERS {
        let _ = writeln!(text, "  (func $h{helper} (param i32) (result i32) (local i32 i32 i32)");
        let mut body = Body::new(&mut rng, helper);
        body.statements(2, 3);
        let code = body.code;
        let _ = writeln!(text, "{code}    (i32.add (local.get 0) (global.get $g0)))");
    }
    // The handler writes memory and a pin, so a handler at the wrong step shows at once.
    text.push_str(
        "  (func $handler (param i32)\n    (global.set $g1 (i32.add (global.get $g1) (i32.const 1)))\n    \
         (i32.store (i32.const 512) (i32.add (i32.load (i32.const 512)) (global.get $g2)))\n    \
         (call $digital_write (i32.const 7) (i32.and (global.get $g1) (i32.const 1))))\n  (elem (i32.const 0) $handler)\n",
    );
    text.push_str("  (func (export \"main\") (local i32 i32 i32 i32)\n");
    if interrupts {
        text.push_str("    (call $subscribe (i32.const 2) (i32.const 0) (i32.const 3))\n");
    }
    let forever = rng.bool();
    let mut body = Body::new(&mut rng, HELPERS);
    body.statements(3, 5);
    let code = body.code;
    if forever {
        let _ = writeln!(text, "    (loop $forever\n{code}    (drop (call $digital_read (i32.const 3)))\n    (br $forever)))");
    } else {
        let _ = writeln!(text, "{code})");
    }
    text.push_str(")\n");
    text
}

const IMPORTS: &str = r#"(module
  (import "env" "chip_digital_read" (func $digital_read (param i32) (result i32)))
  (import "env" "chip_analog_read" (func $analog_read (param i32) (result i32)))
  (import "env" "color_sensor" (func $color (param i32) (result i32)))
  (import "env" "random_int" (func $random (result i32)))
  (import "env" "millis" (func $millis (result i32)))
  (import "env" "chip_pin_mode" (func $pin_mode (param i32 i32)))
  (import "env" "chip_digital_write" (func $digital_write (param i32 i32)))
  (import "env" "chip_analog_write" (func $analog_write (param i32 i32)))
  (import "env" "drive_motor" (func $drive (param i32 i32)))
  (import "env" "drive_motor_degrees" (func $degrees (param i32 i32 i32)))
  (import "env" "stop_motor" (func $stop (param i32)))
  (import "env" "chip_delay" (func $delay (param i32)))
  (import "env" "print_int" (func $print (param i32)))
  (import "env" "print_string" (func $print_string (param i32 i32)))
  (import "env" "subscribe_interrupt" (func $subscribe (param i32 i32 i32)))
  (memory 1)
  (table 1 funcref)
  (data (i32.const 16) "borges")
"#;

struct Body<'r> {
    rng: &'r mut Rng,
    code: String,
    /// Functions with a lower number may be called: no recursion without an end.
    callable: u32,
    labels: u32,
}

impl<'r> Body<'r> {
    fn new(rng: &'r mut Rng, callable: u32) -> Self {
        Self {
            rng,
            code: String::new(),
            callable,
            labels: 0,
        }
    }

    fn statements(&mut self, depth: u32, most: u32) {
        for _ in 0..self.rng.u32(1..=most) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.rng.u32(0..if depth == 0 { 7 } else { 10 }) {
            0 => {
                let (local, value) = (self.rng.u32(0..LOCALS), self.expression(2));
                let _ = writeln!(self.code, "    (local.set {local} {value})");
            }
            1 => {
                let (global, value) = (self.rng.u32(0..GLOBALS), self.expression(2));
                let _ = writeln!(self.code, "    (global.set $g{global} {value})");
            }
            2 => {
                let (address, value) = (self.address(), self.expression(1));
                let store = self.pick(&["i32.store", "i32.store8", "i32.store16"]);
                let _ = writeln!(self.code, "    ({store} {address} {value})");
            }
            3..=5 => self.output(),
            6 => {
                let (local, input) = (self.rng.u32(0..LOCALS), self.input());
                let _ = writeln!(self.code, "    (local.set {local} {input})");
            }
            7 => {
                let condition = self.condition();
                let _ = writeln!(self.code, "    (if {condition} (then");
                self.statements(depth - 1, 2);
                self.code.push_str("    ) (else\n");
                // A rare trap: universes that end badly must be shown as they are.
                if self.rng.u32(0..40) == 0 {
                    self.code.push_str("    unreachable\n");
                } else {
                    self.statements(depth - 1, 2);
                }
                self.code.push_str("    ))\n");
            }
            8 => self.counted_loop(depth),
            _ => self.call_helper(),
        }
    }

    /// `for k in 0..n`, with the counter in memory so that it costs no local.
    fn counted_loop(&mut self, depth: u32) {
        let (label, times) = (self.labels, self.rng.u32(1..4));
        self.labels += 1;
        let counter = 1024 + 4 * (label + 64 * self.callable);
        let _ = writeln!(self.code, "    (i32.store (i32.const {counter}) (i32.const {times}))\n    (loop $l{label}");
        self.statements(depth - 1, 2);
        let _ = writeln!(
            self.code,
            "    (i32.store (i32.const {counter}) (i32.sub (i32.load (i32.const {counter})) (i32.const 1)))\n    \
             (br_if $l{label} (i32.gt_s (i32.load (i32.const {counter})) (i32.const 0))))"
        );
    }

    fn call_helper(&mut self) {
        let value = self.expression(1);
        if self.callable == 0 {
            let _ = writeln!(self.code, "    (drop {value})");
            return;
        }
        let (local, helper) = (self.rng.u32(0..LOCALS), self.rng.u32(0..self.callable));
        let _ = writeln!(self.code, "    (local.set {local} (call $h{helper} {value}))");
    }

    fn output(&mut self) {
        let value = self.expression(1);
        let pin = self.rng.u32(4..9);
        let port = self.rng.u32(0..3);
        let call = match self.rng.u32(0..9) {
            0 => format!("$pin_mode (i32.const {pin}) (i32.and {value} (i32.const 1))"),
            1 => format!("$digital_write (i32.const {pin}) (i32.and {value} (i32.const 1))"),
            2 => format!("$analog_write (i32.const {pin}) (i32.and {value} (i32.const 255))"),
            3 => format!("$drive (i32.const {port}) (i32.and {value} (i32.const 63))"),
            4 => format!("$degrees (i32.const {port}) (i32.const 50) (i32.and {value} (i32.const 127))"),
            5 => format!("$stop (i32.const {port})"),
            6 => format!("$delay (i32.and {value} (i32.const 15))"),
            7 => format!("$print {value}"),
            _ => "$print_string (i32.const 16) (i32.const 6)".to_owned(),
        };
        let _ = writeln!(self.code, "    (call {call})");
    }

    fn input(&mut self) -> String {
        match self.rng.u32(0..5) {
            0 => format!("(call $digital_read (i32.const {}))", self.rng.u32(0..4)),
            1 => format!("(call $analog_read (i32.const {}))", self.rng.u32(10..13)),
            2 => format!("(call $color (i32.const {}))", self.rng.u32(0..2)),
            3 => "(call $random)".to_owned(),
            _ => "(call $millis)".to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        let (left, right) = (self.expression(1), self.expression(1));
        let compare = self.pick(&["i32.lt_s", "i32.eq", "i32.gt_u", "i32.ne"]);
        format!("({compare} {left} {right})")
    }

    fn address(&mut self) -> String {
        format!("(i32.and {} (i32.const 252))", self.expression(1))
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 || self.rng.u32(0..3) == 0 {
            return match self.rng.u32(0..4) {
                0 => format!("(i32.const {})", self.rng.i32(-3..40)),
                1 => format!("(local.get {})", self.rng.u32(0..LOCALS)),
                2 => format!("(global.get $g{})", self.rng.u32(0..GLOBALS)),
                _ => format!("(i32.load (i32.const {}))", 4 * self.rng.u32(0..40)),
            };
        }
        if self.rng.u32(0..6) == 0 {
            return self.input();
        }
        let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
        let op = self.pick(&["i32.add", "i32.sub", "i32.mul", "i32.xor", "i32.shl", "i32.shr_u"]);
        format!("({op} {left} {right})")
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.rng.usize(0..from.len())]
    }
}
