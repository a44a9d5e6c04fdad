//! Random modules of all instructions, each compared with running all its inputs.

use crate::common::{board, check, i32s, start_wat};
use borges_concolic::Bounds;
use borges_vm::ValType;
use borges_vm::num::NumericOp;
use fastrand::Rng;

/// Writes programs: statements on one local of each type, on memory, and on inputs.
struct Writer {
    random: Rng,
    inputs: u32,
    /// Whether memory is copied and filled, too.
    bulk: bool,
}

const TYPES: [ValType; 4] = [ValType::I32, ValType::I64, ValType::F32, ValType::F64];

impl Writer {
    fn constant(&mut self, ty: ValType) -> String {
        let random = &mut self.random;
        match ty {
            ValType::I32 => {
                let all = [0, 1, -1, 2, 7, 31, 100, i32::MIN, i32::MAX, random.i32(..)];
                format!("(i32.const {})", all[random.usize(..all.len())])
            }
            ValType::I64 => {
                let all = [0, 1, -1, 3, 63, 1 << 32, i64::MIN, random.i64(..)];
                format!("(i64.const {})", all[random.usize(..all.len())])
            }
            ValType::F32 => {
                let all = ["0", "-0", "1.5", "nan", "inf", "-3.25e9", "16777217"];
                format!("(f32.const {})", all[random.usize(..all.len())])
            }
            _ => {
                let all = ["0", "-0", "0.1", "nan", "-inf", "4294967296.5", "1e300"];
                format!("(f64.const {})", all[random.usize(..all.len())])
            }
        }
    }

    fn expression(&mut self, ty: ValType, depth: u32) -> String {
        let local = TYPES.iter().position(|known| *known == ty).unwrap_or(0);
        if depth == 0 {
            return match self.random.u8(0..4) {
                0 => self.constant(ty),
                1 if ty == ValType::I32 && self.inputs > 0 => {
                    self.inputs -= 1;
                    "(call $in)".to_owned()
                }
                _ => format!("(local.get {local})"),
            };
        }
        match self.random.u8(0..12) {
            0 => format!(
                "(select (result {ty}) {} {} {})",
                self.expression(ty, depth - 1),
                self.expression(ty, depth - 1),
                self.expression(ValType::I32, depth - 1)
            ),
            1 => {
                let address = self.address();
                let suffixes: &[&str] = match ty {
                    ValType::I32 => &["", "8_s", "8_u", "16_s", "16_u"],
                    ValType::I64 => &["", "8_s", "8_u", "16_s", "16_u", "32_s", "32_u"],
                    _ => &[""],
                };
                let suffix = suffixes[self.random.usize(..suffixes.len())];
                format!("({ty}.load{suffix} {address})")
            }
            _ => {
                let fitting: Vec<NumericOp> = NumericOp::ALL
                    .iter()
                    .copied()
                    .filter(|op| op.result() == ty)
                    .collect();
                let op = fitting[self.random.usize(..fitting.len())];
                let operands: Vec<String> = op
                    .operands()
                    .iter()
                    .map(|ty| self.expression(*ty, depth - 1))
                    .collect();
                format!("({} {})", op.name(), operands.join(" "))
            }
        }
    }

    /// Mostly inside the memory, now and then wherever an expression leads.
    fn address(&mut self) -> String {
        let value = self.expression(ValType::I32, 1);
        match self.random.u8(0..8) {
            0 => value,
            1 => "(i32.const 65533)".to_owned(),
            _ => format!("(i32.and {value} (i32.const {}))", self.random.u8(0..32)),
        }
    }

    /// Somewhere among the first bytes.
    fn small(&mut self, most: u32) -> String {
        let value = self.expression(ValType::I32, 1);
        format!("(i32.and {value} (i32.const {most}))")
    }

    /// Moves or fills a few bytes, to and from where inputs say.
    fn bulk(&mut self) -> String {
        let (to, from, count) = (self.small(7), self.small(7), self.small(3));
        match self.random.bool() {
            true => format!("(memory.copy {to} {from} {count})"),
            false => format!("(memory.fill {to} {from} {count})"),
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        if self.bulk && self.random.u8(0..4) == 0 {
            return self.bulk();
        }
        let at = self.random.usize(..4);
        let ty = TYPES[at];
        match self.random.u8(0..10) {
            0..=2 => format!("(local.set {at} {})", self.expression(ty, 2)),
            3 | 4 => {
                let suffixes: &[&str] = match ty {
                    ValType::I32 => &["", "8", "16"],
                    ValType::I64 => &["", "8", "16", "32"],
                    _ => &[""],
                };
                let suffix = suffixes[self.random.usize(..suffixes.len())];
                let address = self.address();
                format!("({ty}.store{suffix} {address} {})", self.expression(ty, 2))
            }
            5 | 6 if depth > 0 => format!(
                "(if {} (then {}) (else {}))",
                self.expression(ValType::I32, 2),
                self.statements(depth - 1),
                self.statements(depth - 1)
            ),
            7 if depth > 0 => format!(
                "(block (block (block (br_table 0 1 2 1 {})) {}) {})",
                self.expression(ValType::I32, 1),
                self.statements(depth - 1),
                self.statements(depth - 1)
            ),
            8 if depth > 0 => format!(
                "(block (br_if 0 {}) {})",
                self.expression(ValType::I32, 2),
                self.statements(depth - 1)
            ),
            9 => format!(
                "(local.set 0 (call_indirect (type $t) {} {}))",
                self.expression(ValType::I32, 1),
                self.expression(ValType::I32, 1)
            ),
            _ => format!("(global.set $g {})", self.expression(ValType::I32, 2)),
        }
    }

    fn statements(&mut self, depth: u32) -> String {
        let count = self.random.u8(1..4);
        let all: Vec<String> = (0..count).map(|_| self.statement(depth)).collect();
        all.join("\n")
    }

    fn module(&mut self) -> String {
        format!(
            r#"(module (import "env" "in" (func $in (result i32))) (memory 1 1)
            (data (i32.const 0) "\01\80\7f\ff\00\00\80\3f\00\00\00\00\00\00\f0\3f")
            (global $g (mut i32) (i32.const 3))
            (type $t (func (param i32) (result i32)))
            (table 4 funcref) (elem (i32.const 0) $f $g $f)
            (func $f (param i32) (result i32) (i32.mul (local.get 0) (i32.const 3)))
            (func $g (param i32) (result i32)
                (if (result i32) (i32.gt_s (local.get 0) (i32.const 2))
                    (then (i32.const 1)) (else (i32.add (global.get $g) (local.get 0)))))
            (func (export "main") (local i32 i64 f32 f64)
                (local.set 0 (call $in))
                (local.set 1 (i64.extend_i32_s (local.get 0)))
                (local.set 2 (f32.convert_i32_s (local.get 0)))
                (local.set 3 (f64.promote_f32 (local.get 2)))
                {}
                {}
                {}))"#,
            self.statements(2),
            self.statements(2),
            self.statements(1)
        )
    }
}

/// Compares random modules with all their runs; how many paths they have.
fn check_modules(seeds: std::ops::Range<u64>, bulk: bool) -> usize {
    let mut paths = 0;
    for seed in seeds {
        let mut writer = Writer {
            random: Rng::with_seed(seed),
            inputs: 2,
            bulk,
        };
        let text = writer.module();
        let start = start_wat(&text, board(vec![("in", vec![], i32s(-3, 8))]));
        let bounds = Bounds {
            inputs: 3,
            ..Bounds::default()
        };
        let checked = std::panic::catch_unwind(|| check(&start, &bounds).paths.len());
        match checked {
            Ok(found) => paths += found,
            Err(_) => panic!("seed {seed}:\n{text}"),
        }
    }
    paths
}

#[test]
fn two_hundred_modules_have_as_many_paths_as_all_their_runs_show() {
    let paths = check_modules(0..200, false);
    assert!(paths > 400, "the modules hardly branch: {paths} paths");
}

#[test]
fn modules_that_copy_and_fill_memory_list_no_path_twice() {
    let paths = check_modules(1000..1040, true);
    assert!(paths > 80, "the modules hardly branch: {paths} paths");
}
