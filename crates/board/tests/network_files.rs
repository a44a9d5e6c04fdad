//! Network files: what the good ones mean, and what is said about the bad ones.

#![cfg(feature = "host")]

use borges_board::{Carries, LineEnd, NetworkFile, Queueing};
use borges_vm::Value;

const TWO: &str = "time = \"common\"
[[board]]
name = \"door\"
program = \"door.wasm\"
board = \"door.toml\"
[[board]]
name = \"_motor2\"
program = \"motor.wasm\"
";

fn parsed(text: &str) -> NetworkFile {
    NetworkFile::parse("network.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

/// `0.uart_send(1)`: board, call, arguments.
fn shown(ends: &[LineEnd]) -> Vec<String> {
    let show = |end: &LineEnd| {
        let args: Vec<String> = end.args.iter().map(Value::to_string).collect();
        format!("{}.{}({})", end.board, end.call, args.join(", "))
    };
    ends.iter().map(show).collect()
}

#[test]
fn everything_can_be_said() {
    let network = parsed(&format!(
        "name = \"Gate\"\n{TWO}
[[line]]
name = \"commands\"
from = \"door.uart_send(1)\"
to = [\"_motor2.uart_read(2, 0x10)\", \"door.uart_read\"]
faults = [\"loss\", \"duplication\", \"reordering\"]
delay_ms = [0, 20]
ready = [\"_motor2.uart_ready()\", \"door.uart_ready(1)\"]
holds = 64
empty = -5
[[line]]
name = \"answers\"
from = [\"_motor2.uart_send(1)\"]
to = \"door.uart_read(1)\"
delay_ms = 7
[[wire]]
name = \"lock\"
from = \"door.chip_digital_write(3)\"
to = \"_motor2.chip_digital_read(4)\"
starts = 1
[[wire]]
name = \"lamp\"
from = \"door.chip_digital_write(5)\"
to = \"_motor2.chip_digital_read(6)\"
"
    ));
    assert_eq!(
        (network.name.as_str(), network.has_common_time),
        ("Gate", true)
    );
    let boards = network.boards.iter();
    let boards: Vec<_> = boards
        .map(|b| (&*b.name, &*b.program, b.board.as_deref()))
        .collect();
    assert_eq!(
        boards,
        [
            ("door", "door.wasm", Some("door.toml")),
            ("_motor2", "motor.wasm", None)
        ]
    );
    let [commands, answers, lock, lamp] = network.lines.as_slice() else {
        panic!("{:?}", network.lines)
    };
    assert_eq!(shown(&commands.from), ["0.uart_send(1)"]);
    assert_eq!(shown(&commands.to), ["1.uart_read(2, 16)", "0.uart_read()"]);
    let Carries::Messages(queueing) = &commands.carries else {
        panic!("{commands:?}")
    };
    assert_eq!(
        shown(&queueing.ready),
        ["1.uart_ready()", "0.uart_ready(1)"]
    );
    let expected = Queueing {
        holds: 64,
        empty: -5,
        loses: true,
        duplicates: true,
        reorders: true,
        delay_us: (0, 20_000),
        ready: queueing.ready.clone(),
    };
    assert_eq!(*queueing, expected);
    let usual = Queueing {
        holds: 4,
        empty: -1,
        loses: false,
        duplicates: false,
        reorders: false,
        delay_us: (7_000, 7_000),
        ready: Vec::new(),
    };
    assert_eq!(answers.carries, Carries::Messages(usual.clone()));
    assert_eq!(lock.carries, Carries::Level(1));
    assert_eq!(lamp.carries, Carries::Level(0));
    // Each fault by itself.
    for (fault, expected) in [
        ("loss", [true, false, false]),
        ("duplication", [false, true, false]),
        ("reordering", [false, false, true]),
    ] {
        let line = "[[line]]\nname = \"l\"\nfrom = \"door.a\"\nto = \"door.b\"";
        let network = parsed(&format!("{TWO}{line}\nfaults = [\"{fault}\"]"));
        let Carries::Messages(q) = &network.lines[0].carries else {
            panic!("{network:?}")
        };
        assert_eq!([q.loses, q.duplicates, q.reorders], expected);
        assert_eq!(q.delay_us, (0, 0));
    }
    let free = parsed(&TWO.replace("common", "free"));
    assert_eq!(
        (free.name.as_str(), free.has_common_time),
        ("network", false)
    );
    assert!(!parsed(&TWO.replace("time = \"common\"", "")).has_common_time);
}

#[test]
fn errors_say_where_and_what_to_write() {
    let line = |rest: &str| {
        format!("{TWO}[[line]]\nname = \"l\"\nfrom = \"door.a\"\nto = \"_motor2.b\"\n{rest}")
    };
    let named = |name: &str| format!("[[board]]\nname = \"{name}\"\nprogram = \"p.wasm\"");
    let boards = |count: usize| {
        let each = (0..count).map(|i| named(&format!("b{i}")));
        each.collect::<Vec<_>>().join("\n")
    };
    // At each limit; what is past it is below.
    assert_eq!(parsed(&boards(16)).boards.len(), 16);
    let most = parsed(&line("holds = 64\ndelay_ms = [0, 3600000]"));
    assert_eq!((most.boards.len(), most.lines.len()), (2, 1));
    for (text, line, said) in [
        (line("holds = 65"), 13, "64"),
        (line("holds = 0"), 13, "64"),
        (line("delay_ms = [0, 3600001]"), 13, "3600000"),
        (line("delay_ms = 3600001"), 13, "3600000"),
        (TWO.replace("common", "local"), 1, "no such time"),
        (boards(17), 1, "there are 17 boards"),
        ("board = []".into(), 1, "there are 0 boards"),
        (
            format!("{}\n{}", named("a"), named("a")),
            5,
            "there is another board called 'a'",
        ),
        (named("2a"), 2, "this is no name"),
        (named(""), 2, "this is no name"),
        (named("a-b"), 2, "this is no name"),
        (named("é"), 2, "this is no name"),
        (line("faults = [\"theft\"]"), 13, "no such fault"),
        (
            line("delay_ms = [2, 1]"),
            13,
            "the least is more than the most",
        ),
        (line("delay_ms = [2]"), 13, "a delay has a least and a most"),
        (
            line("delay_ms = 1").replace("common", "free"),
            13,
            "a delay needs a time",
        ),
        (
            line("ready = [\"door.c\", \"door.d\"]"),
            13,
            "the line has 1 ends, and this names 2",
        ),
        (
            line("").replace("door.a", "gate.a"),
            11,
            "there is no board called 'gate'",
        ),
        (
            line("").replace("door.a", "door"),
            11,
            "this names no board",
        ),
        (
            line("").replace("door.a", "door.a(1"),
            11,
            "door.uart_send(1)",
        ),
        (
            line("").replace("door.a", "door.a 1"),
            11,
            "door.uart_send(1)",
        ),
        (
            line("").replace("\"l\"", "\"door\""),
            10,
            "'door' is called something else already",
        ),
        (
            line("[[wire]]\nname = \"l\"\nfrom = \"door.a\"\nto = \"door.b\""),
            14,
            "'l' is called something else already",
        ),
        (
            line("[[wire]]\nname = \"w\"\nfrom = \"door.a\"\nto = \"door.b\"\nstarts = 2"),
            17,
            "0",
        ),
    ] {
        let error = NetworkFile::parse("network.toml", &text);
        let error = error
            .map(|network| panic!("{text}: {network:?}"))
            .unwrap_err()
            .to_string();
        assert!(error.contains(said), "{text}: {error}");
        assert!(
            error.contains(&format!("network.toml:{line}")),
            "{text}: {error}"
        );
    }
    let hint = NetworkFile::parse("n", &line("").replace("door.a", "gate.a"));
    let hint = hint.map(|_| ()).unwrap_err().to_string();
    assert!(hint.contains("there are: door, _motor2"), "{hint}");
    // What is right, at its limits.
    for text in [
        boards(16),
        boards(1),
        line("delay_ms = [3, 3]"),
        line("delay_ms = 3600000"),
        line("").replace("door.a", "door.a()"),
    ] {
        parsed(&text);
    }
    // Who opens the files of a network says in the same way what is wrong with them.
    let text = line("");
    let error =
        parsed(&text).lines[0].from[0]
            .spot
            .error(("n.toml", &text), "it sends nothing", "");
    assert!(error.to_string().contains("n.toml:11"), "{error}");
}

#[test]
fn programs_are_linked_by_name() {
    let network = parsed(&TWO.replace(
        "program = \"motor.wasm\"",
        "program = \"motor.wasm\"\nlink = { units = \"units.wasm\", a-b = \"lib/b.wasm\" }",
    ));
    let [door, motor] = network.boards.as_slice() else {
        panic!("{:?}", network.boards)
    };
    assert_eq!(door.links, []);
    let links = [("units", "units.wasm"), ("a-b", "lib/b.wasm")];
    assert_eq!(
        motor.links,
        links.map(|(name, file)| (name.to_owned(), file.to_owned()))
    );
    for (link, said) in [
        ("link = \"units.wasm\"", "{ filter = \"filter.wasm\" }"),
        ("link = { units = 1 }", "write a text"),
    ] {
        let text = format!("{TWO}{link}\n");
        let error = NetworkFile::parse("network.toml", &text).map(|_| ());
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains(said) && error.contains("network.toml:9"),
            "{error}"
        );
    }
}
