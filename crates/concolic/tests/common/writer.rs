//! Random programs.

/// Writes programs that go round for ever: they read inputs, compare, count, keep what they read in locals, globals and
/// memory, call a function that does the same, and sometimes trap.
pub(crate) struct Writer {
    pub(crate) random: fastrand::Rng,
}

impl Writer {
    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.random.u8(..8) {
                0 => format!("(i32.const {})", self.random.i32(-1..4)),
                1..=4 => format!("(local.get {})", self.random.u8(..4)),
                5 => format!("(global.get {})", self.random.u8(..3)),
                6 => format!("(i32.load8_u (i32.const {}))", self.random.u8(..4)),
                _ => format!("(i32.load (i32.const {}))", 4 * self.random.u8(..2)),
            };
        }
        let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
        let ops = [
            "add", "sub", "mul", "and", "or", "xor", "lt_s", "gt_s", "le_s", "ge_u", "eq", "ne",
            "rem_u",
        ];
        match self.random.u8(..8) {
            0 => format!("(select {a} {b} {})", self.expression(depth - 1)),
            1 => format!("(i32.and {a} (i32.const 3))"),
            2 => a,
            _ => format!("(i32.{} {a} {b})", ops[self.random.usize(..ops.len())]),
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        let value = self.expression(2);
        match self.random.u8(..12) {
            0..=3 => format!("(local.set {} {value})", self.random.u8(..4)),
            4 | 5 => format!("(global.set {} {value})", self.random.u8(..3)),
            6 => format!("(i32.store8 (i32.const {}) {value})", self.random.u8(..4)),
            7 => format!(
                "(i32.store (i32.const {}) {value})",
                4 * self.random.u8(..2)
            ),
            8 | 9 if depth > 0 => format!(
                "(if {value} (then {}) (else {}))",
                self.statements(depth - 1),
                self.statements(depth - 1)
            ),
            10 => format!(
                "(local.set {} (call $in (i32.const 0)))",
                self.random.u8(..4)
            ),
            11 => match self.random.u8(..4) {
                0 => format!("(if (i32.eq {value} (i32.const 3)) (then (unreachable)))"),
                _ => format!("(local.set {} (call $other {value}))", self.random.u8(..4)),
            },
            _ => "(nop)".to_owned(),
        }
    }

    fn statements(&mut self, depth: u32) -> String {
        let count = self.random.u8(1..4);
        (0..count).map(|_| self.statement(depth)).collect()
    }

    pub(crate) fn program(&mut self) -> String {
        // The other function calls none, so that no stack grows.
        let other = self.statements(1).replace("call $other", "call $same");
        let (before, body) = (self.statements(1), self.statements(2));
        format!(
            r#"(module
              (import "env" "chip_digital_read" (func $in (param i32) (result i32)))
              (memory 1)
              (global (mut i32) (i32.const 0)) (global (mut i32) (i32.const 1)) (global (mut i32) (i32.const 2))
              (func $same (param i32) (result i32) (local.get 0))
              (func $other (param i32) (result i32) (local i32 i32 i32) {other} (local.get 1))
              (func (export "main") (local i32 i32 i32 i32) {before}
                (loop $again (local.set 0 (call $in (i32.const 0))) {body} (br $again))))"#
        )
    }
}
