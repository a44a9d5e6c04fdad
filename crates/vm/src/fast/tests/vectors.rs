//! Every instruction on vectors, those with operations of their own and the others.

use std::format;

use super::*;
use crate::num::WideOp;

/// Stops between which a program is compared.
const GAP: u64 = 40;

/// A loop around the instruction, which it is called for `$n` times; what it gives is its operand the next time.
fn program(op: WideOp) -> String {
    let info = op.info();
    let operands: String = (0..info.operands.len())
        .map(|at| match info.operands[at] {
            ValType::V128 => format!("(local.get $v{at})"),
            ValType::I64 => "(i64.extend_i32_s (local.get $n))".into(),
            ValType::F32 => "(f32.convert_i32_s (local.get $n))".into(),
            ValType::F64 => "(f64.convert_i32_s (local.get $n))".into(),
            _ => "(i32.and (local.get $n) (i32.const 0xff))".into(),
        })
        .collect();
    let immediate = match (op.is_shuffle(), info.lanes) {
        (true, _) => " 3 31 0 16 15 7 8 9 30 1 2 17 20 4 5 6".into(),
        (_, 0) => String::new(),
        (_, lanes) => format!(" {}", lanes - 1),
    };
    let instruction = format!("({}{immediate} {operands})", op.name());
    let result = match info.result {
        None => instruction,
        Some(ValType::V128) => {
            format!("(local.set $v1 (local.get $v0)) (local.set $v0 {instruction})")
        }
        Some(ty) => format!("(local.set ${ty} {instruction})"),
    };
    format!(
        "(module (memory 1) (data (i32.const 0) \"\\ff\\80 of vectors, and some more bytes to read \\00\\7f\")
            (func (export \"main\") (param $n i32) (param $v0 v128) (param $v1 v128) (param $v2 v128)
                (local $i32 i32) (local $i64 i64) (local $f32 f32) (local $f64 f64)
                (loop $again
                    {result}
                    (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"
    )
}

/// All but the constant, which no operation computes.
fn instructions() -> impl Iterator<Item = WideOp> {
    let all = (0..0x200).filter_map(WideOp::from_number);
    all.filter(|op| !op.is_const())
}

#[test]
fn each_of_them_is_what_it_is_in_the_stepping_tier() {
    let mut random = Random::new(9);
    let mut count = 0;
    for op in instructions() {
        let bytes = wat::parse_str(program(op)).unwrap();
        let mut pair = Pair::new(&bytes, Limits::default(), op.name()).unwrap();
        let main = pair.both.module().and_then(|it| it.exported_func("main"));
        for _ in 0..4 {
            let mut vector = || {
                let bits = [random.next(), random.next()].map(|bits| match random.below(3) {
                    0 => bits,
                    // Numbers, small ones, and none.
                    1 => u64::from((bits as i8 as f32).to_bits()) << 32 | 0x7fc1_0000,
                    _ => f64::to_bits(bits as i16 as f64 / 4.0),
                });
                let bits = u128::from(bits[0]) << 64 | u128::from(bits[1]);
                Value::V128(bits.to_le_bytes())
            };
            let vectors = [vector(), vector(), vector()];
            let mut args = Vec::from([Value::I32(30)]);
            args.extend(vectors);
            pair.call(main.unwrap(), &args, &mut random, GAP, u64::MAX / 2);
        }
        count += 1;
    }
    assert_eq!(count, 255);
}

/// The tier jumps from one to the next: a call for each would overflow this stack, and end the test.
#[test]
fn none_of_them_takes_native_stack() {
    let run = || {
        for op in instructions() {
            let bytes = wat::parse_str(program(op)).unwrap();
            let module = Module::new(&bytes, &Limits::default()).unwrap();
            let main = module.exported_func("main").unwrap();
            let mut machine = Machine::new(Shared::new(module), Limits::default()).unwrap();
            let zero = Value::V128([0; 16]);
            let args = [Value::I32(20_000), zero, zero, zero];
            machine.begin(main, &args).unwrap();
            assert_eq!(machine.run(u64::MAX), Exit::Finished, "{}", op.name());
        }
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    thread.spawn(run).unwrap().join().unwrap();
}
