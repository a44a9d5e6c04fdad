//! Expressions over a real program, uart-parser, stopped in `accept_byte` with a state made by hand.

use crate::common::Fake;
use borges_debuginfo::{
    DebugInfo, Expression, ExpressionErrorKind, FramePoint, Holder, NoScope, Number, Scope,
};
use borges_vm::{CodeOffset, Value};

/// Where `parser` lies, and the frame of `accept_byte`.
const PARSER: u32 = 4096;
const FRAME: u32 = 3000;

struct Stopped {
    info: DebugInfo,
    state: Fake,
    stop: FramePoint,
}

fn stopped() -> Stopped {
    let info = crate::common::example("uart-parser");
    let file = info.find_file("uart-parser.c").unwrap();
    let line = info.break_at_line(file, 47).unwrap();
    let mut state = Fake {
        memory: vec![0; 8192],
        ..Fake::default()
    };
    // Local 4 is the base of the frame of accept_byte.
    for index in 0..16 {
        state.locals.insert(index, Value::I32(FRAME as i32));
    }
    state.locals.insert(1, Value::I64(-5));
    state.globals.insert(0, Value::I32(2990));
    state.operands.insert(0, Value::I32(20));
    state.operands.insert(1, Value::I32(1));
    let mut put = |address: u32, bytes: &[u8]| {
        let start = address as usize;
        state.memory[start..start + bytes.len()].copy_from_slice(bytes);
    };
    put(FRAME + 12, &PARSER.to_le_bytes());
    put(FRAME + 11, b"R");
    // state, length, received, sum, payload, relay, frames, errors
    put(PARSER, &[2, 0, 0, 0, 200, 1, 7]);
    put(PARSER + 7, b"R1\0\xff....");
    put(PARSER + 15, &[1, 0x34, 0x12, 0, 0]);
    let stop = FramePoint {
        frame: 0,
        offset: line.offsets[0],
        inlined: 0,
    };
    Stopped { info, state, stop }
}

impl Stopped {
    /// Expressions, and what each shows or why it cannot.
    fn check(&self, shown: &[(&str, &str)]) {
        for (text, value) in shown {
            assert_eq!(self.run(text, &NoScope), *value, "{text}");
        }
    }

    fn run(&self, text: &str, scope: &dyn Scope) -> String {
        let result = Expression::parse(text).and_then(|expression| {
            let value = self
                .info
                .evaluate(&expression, self.stop, &self.state, scope)?;
            let ty = self
                .info
                .type_of_evaluated(&value)
                .map_or(String::new(), |ty| ty + " ");
            Ok(format!(
                "{ty}{}",
                self.info.show_evaluated(&value, &self.state)
            ))
        });
        result.unwrap_or_else(|error| error.to_string())
    }
}

#[test]
fn expressions_have_values() {
    let stopped = stopped();
    stopped.check(&[
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3 % 5", "4"),
        ("-7 / 2", "-3"),
        ("0x10 + 0b11 + 0o7 + 1_000", "1026"),
        ("1 << 4 | 3 & 2 ^ 1", "19"),
        ("6 & 4 == 4", "1"),
        ("1.5 * 2", "3.0"),
        ("'A' + 1", "66"),
        ("'\\n'", "10"),
        ("~0", "-1"),
        ("!0 && !(1 > 2) || 1 / 0", "1"),
        ("0 && nothing", "0"),
        ("byte", "u8 82 'R'"),
        ("byte == 'R'", "1"),
        ("p", "Parser * 0x1000"),
        ("p->state", "State WAIT_PAYLOAD"),
        ("p.state == WAIT_PAYLOAD", "1"),
        ("p->state == 2 && p->sum >= 7", "1"),
        ("(*p).length", "u8 200"),
        ("p->length > 8 && p->received <= 1", "1"),
        ("p->payload[1]", "char 49 '1'"),
        ("p->payload[3]", "char -1"),
        ("p->payload", "char[8] \"R1\""),
        ("p->payload == \"R1\"", "1"),
        ("\"R0\" != p->payload", "1"),
        ("p->frames", "u16 4660"),
        ("parser.frames == p->frames", "1"),
        (
            "*p",
            "Parser {state: WAIT_PAYLOAD, length: 200, received: 1, sum: 7, payload: \"R1\", relay: 1, frames: 4660, errors: 0}",
        ),
        ("&p->relay", "u8 * 0x100f"),
        ("&parser == p", "1"),
        ("mem16[&p->frames]", "u16 4660"),
        ("mem8[4100] + mem32[4096]", "202"),
        ("memf32[4096]", "f32 3e-45"),
        ("$1", "i64 -5"),
        ("$local1", "i64 -5"),
        ("$stack0 + $operand1", "21"),
        ("WAIT_SUM", "3"),
        ("State.WAIT_SUM", "3"),
        ("State::WAIT_SUM + 0", "3"),
        ("(u8)300", "u8 44 ','"),
        ("301 as i8", "i8 45"),
        ("200 as i8 as u32", "u32 4294967240"),
        ("(unsigned char)-1", "unsigned char 255"),
        ("(long unsigned int)-1", "u32 4294967295"),
        ("(int)2.9 + (int)-2.9", "0"),
        ("1e30 as i32", "i32 2147483647"),
        ("(float)1 / 2", "0.5"),
        ("(bool)7", "1"),
        ("(byte) - 2", "80"),
        ("(byte)", "u8 82 'R'"),
        ("(State)3", "State WAIT_SUM"),
        ("((struct Parser *)4096)->length", "u8 200"),
        (
            "*(Parser*)4096 == 1 || 1 == 1",
            "column 1: Parser is not a number",
        ),
        ("(*(Parser*)4096).sum", "u8 7"),
        ("((u8*)p)[4]", "u8 200"),
        ("((u16*)&p->frames)[0]", "u16 4660"),
        ("*(u32 *)4096 & 0xff", "2"),
        ("p as *const u8", "u8 * 0x1000"),
        ("sizeof *p", "20"),
        ("sizeof(Parser)", "20"),
        ("sizeof(struct Parser *) + sizeof(long long)", "12"),
        ("sizeof p->payload", "8"),
        ("sizeof(byte) + sizeof byte", "2"),
        ("p->payload[0..3]", "char[3] [82 'R', 49 '1', 0]"),
        ("p->payload[6..]", "char[2] [46 '.', 46 '.']"),
        ("p->payload[..1]", "char[1] [82 'R']"),
        ("p->payload[2..2]", "[]"),
        ("$global0 + 10 == $local0", "1"),
        ("p[0].length", "u8 200"),
        (
            "340282366920938463463374607431768211456",
            "column 1: this number, letter or text cannot be read",
        ),
    ]);
}

#[test]
fn errors_point_at_their_column() {
    let stopped = stopped();
    stopped.check(&[
        ("", "column 1: expected a value, found the end"),
        ("1 +", "column 4: expected a value, found the end"),
        ("1 2", "column 3: expected an operator or the end, found 2"),
        ("(1", "column 3: expected ), found the end"),
        ("a[1", "column 4: expected ], found the end"),
        ("p->", "column 4: expected a field's name, found the end"),
        ("1 # 2", "column 3: '#' means nothing here"),
        (
            "é + 'ab'",
            "column 5: this number, letter or text cannot be read",
        ),
        (
            "1 + bite",
            "column 5: bite is not known here; did you mean byte?",
        ),
        (
            "1 + zzzzzz",
            "column 5: zzzzzz is not known here; there is byte, p, parser, __stack_pointer",
        ),
        (
            "p->lenght",
            "column 4: Parser has no field lenght; did you mean length?",
        ),
        (
            "p->zzzzzz",
            "column 4: Parser has no field zzzzzz; there is state, length, received, sum, payload, relay, …",
        ),
        (
            "(Parzer *)p",
            "column 1: there is no type Parzer; did you mean Parser?",
        ),
        ("(int **)p", "column 1: int** points to nothing"),
        ("(Parser)1", "column 1: Parser is not a number"),
        ("sizeof 3", "column 8: 3 has no size"),
        ("1 as", "column 5: expected a type, found the end"),
        (
            "p->payload[4..2]",
            "column 4: a range holds 256 elements at most and ends behind its start: 4..2",
        ),
        (
            "p[0..257]",
            "column 1: a range holds 256 elements at most and ends behind its start: 0..257",
        ),
        ("p->payload[6..9]", "column 15: char[8] has no element 8"),
        ("p->payload[8]", "column 12: char[8] has no element 8"),
        ("p->payload[-1]", "column 12: char[8] has no element -1"),
        ("1 + *byte", "column 5: u8 points to nothing"),
        ("*3", "column 2: 3 points to nothing"),
        ("&1", "column 2: 1 points to nothing"),
        ("&$local0", "column 1: this has no address"),
        ("2 * *p", "column 5: Parser is not a number"),
        ("1 + 5 / (3 - 3)", "column 5: division by zero or overflow"),
        ("1 << 200", "column 1: division by zero or overflow"),
        ("1.5 & 2", "column 1: this needs an integer"),
        ("mem32[9000]", "column 7: address 0x2328 is outside memory"),
        (
            "mem8[-1]",
            "column 6: address 0xffffffffffffffff is outside memory",
        ),
        (
            "$local99",
            "column 1: $99 is not known here; there is byte, p, parser, __stack_pointer",
        ),
        ("f(1, )", "column 6: expected a value, found )"),
        (
            "pin(1)",
            "column 1: pin is not known here; there is byte, p, parser, __stack_pointer",
        ),
        ("p == \"x\"", "column 1: this is not a number"),
    ]);
}

/// Knows the arguments of a call and the levels of pins, as a session does.
struct Session;

impl Scope for Session {
    fn name(&self, name: &str) -> Option<Number> {
        (name == "arg0" || name == "byte").then_some(Number::Int(42))
    }
    fn call(&self, name: &str, arguments: &[Number]) -> Option<Number> {
        match (name, arguments) {
            ("pin", [Number::Int(pin)]) => Some(Number::Int(pin % 2)),
            _ => None,
        }
    }
}

#[test]
fn the_embedder_knows_more_names() {
    let stopped = stopped();
    assert_eq!(stopped.run("arg0 + pin(23)", &Session), "43");
    // The program's own names win.
    assert_eq!(stopped.run("byte", &Session), "u8 82 'R'");
    assert_eq!(
        stopped.run("pin(1, 2)", &Session),
        "column 1: pin is not known here; there is byte, p, parser, __stack_pointer"
    );
}

#[test]
fn values_say_where_they_are() {
    let stopped = stopped();
    let places = |text: &str| {
        let expression = Expression::parse(text).unwrap();
        let value = stopped
            .info
            .evaluate(&expression, stopped.stop, &stopped.state, &NoScope);
        value
            .unwrap()
            .place()
            .map_or(Vec::new(), |place| place.watchable())
    };
    assert_eq!(
        places("p->relay"),
        [Holder::Memory {
            memory: 0,
            address: 4111,
            length: 1
        }]
    );
    assert_eq!(
        places("parser.payload[2]"),
        [Holder::Memory {
            memory: 0,
            address: 4105,
            length: 1
        }]
    );
    assert_eq!(
        places("mem32[16]"),
        [Holder::Memory {
            memory: 0,
            address: 16,
            length: 4
        }]
    );
    assert_eq!(
        places("p->payload[1..4]"),
        [Holder::Memory {
            memory: 0,
            address: 4104,
            length: 3
        }]
    );
    assert_eq!(places("(u8)p->relay"), []);
    assert_eq!(places("$local2"), [Holder::Local { frame: 0, index: 2 }]);
    assert_eq!(places("$global0"), [Holder::Global(0)]);
    assert_eq!(places("1 + 1"), []);
}

#[test]
fn conditions_hold_or_not() {
    let stopped = stopped();
    let holds = |text: &str| {
        let expression = Expression::parse(text).unwrap();
        stopped
            .info
            .holds(&expression, stopped.stop, &stopped.state, &NoScope)
    };
    assert_eq!(holds("p->received == 1"), Ok(true));
    assert_eq!(holds("p->errors"), Ok(false));
    assert_eq!(holds("0.0"), Ok(false));
    assert!(holds("*p").is_err());
}

#[test]
fn deep_and_long_expressions_are_refused() {
    // What is repeated, how often at the most, and what stands before and behind it.
    for (before, repeated, behind, most) in [
        ("", " ", "1", 4095),
        ("", "(", "1", 31),
        ("", "-", "1", 63),
        ("", "(u8)", "1", 63),
        ("", "sizeof ", "a", 63),
        ("", "f(", "1", 31),
        ("", "mem8[", "1", 31),
        ("", "a[", "1", 31),
        ("1", " + 1", "", 64),
        ("1", " as u8", "", 64),
        ("a", "[0]", "", 63),
        ("a", ".b", "", 63),
        ("a", "->b", "", 63),
    ] {
        for (count, fits) in [(most, true), (most + 1, false), (1_000, most > 1_000)] {
            let close = match repeated.chars().last() {
                Some('(') => ")",
                Some('[') => "]",
                _ => "",
            };
            let text = format!(
                "{before}{}{behind}{}",
                repeated.repeat(count),
                close.repeat(count)
            );
            let kind = Expression::parse(&text).map_err(|error| error.kind);
            assert_eq!(kind.is_ok(), fits, "{count} times {repeated:?}: {kind:?}");
            if let Err(kind) = kind {
                assert_eq!(kind, ExpressionErrorKind::TooLong);
            }
        }
    }
}

#[test]
fn numbers_are_so_large() {
    let stopped = stopped();
    let too_large = "column 1: division by zero or overflow";
    stopped.check(&[
        ("1 << 126", "85070591730234615865843651857942052864"),
        ("1 << 127", too_large),
        ("-1 << 127", "-170141183460469231731687303715884105728"),
        ("-1 << 128", too_large),
        ("-1 >> 128", "-1"),
        ("0 << 128", "0"),
        ("18446744073709551615", "18446744073709551615"),
        (
            "18446744073709551616",
            "column 1: this number, letter or text cannot be read",
        ),
        ("0xffff_ffff_ffff_ffff", "18446744073709551615"),
        (
            "0x1_0000_0000_0000_0000",
            "column 1: this number, letter or text cannot be read",
        ),
    ]);
}

#[test]
fn ranges_hold_so_many_elements() {
    let stopped = stopped();
    stopped.check(&[
        ("sizeof parser.payload", "8"),
        ("sizeof p[0..256]", "5120"),
        ("sizeof p[1..257]", "5120"),
        (
            "sizeof p[1..258]",
            "column 8: a range holds 256 elements at most and ends behind its start: 1..258",
        ),
    ]);
}

#[test]
fn a_stop_outside_all_code_knows_only_globals() {
    let mut stopped = stopped();
    stopped.stop.offset = CodeOffset(3);
    assert_eq!(stopped.run("parser.length", &NoScope), "u8 200");
    assert_eq!(
        stopped.run("byte", &NoScope),
        "column 1: byte is not known here; there is parser, __stack_pointer"
    );
}
