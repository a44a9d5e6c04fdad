//! Every limit of a board file and of a board: what reaches it is fine, what goes one past it is refused or cut, as promised.

#![cfg(feature = "host")]
#![allow(clippy::unwrap_used)] // helpers of tests, not tests themselves

use borges_board::{Board, Codomain, Sampling};
use borges_vm::{ValType, Value};

/// An input that takes any number.
const HUMIDITY: &str = "[[primitive]]\nname = \"humidity\"\nparams = [\"i32\"]\nresult = \"i32\"\nkind = \"input\"\ncodomain = \"0..100\"\n";

/// What is said about a board file.
fn verdict(text: &str) -> String {
    match Board::parse("board.toml", text) {
        Ok(_) => "accepted".into(),
        Err(error) => error.to_string(),
    }
}

/// `text` with each number in place of `#`: the first and last are accepted, those beside them are not.
fn bounded(text: &str, least: i64, most: i64) {
    let with = |number: i64| verdict(&text.replace('#', &number.to_string()));
    for number in [least, most] {
        assert_eq!(with(number), "accepted", "{text}: {number}");
    }
    for number in [least - 1, most + 1] {
        let found = with(number);
        let refusal = format!("{number} is out of range");
        let hint = format!("write a whole number from {least} to {most}");
        assert!(found.contains(&refusal) && found.contains(&hint), "{found}");
    }
}

#[test]
fn numbers_have_bounds() {
    let u32_max = i64::from(u32::MAX);
    for (text, least, most) in [
        ("pins = #", 0, 256),
        ("motors = #", 0, 64),
        ("degrees_per_second = #", 1, 1_000_000),
        ("ports = #", 0, 64),
        ("pixels = #", 0, 256),
        ("console_bytes = #", 4096, 1 << 30),
        ("pins = 40\nhigh_pins = [#]", 0, 39),
        ("pins = 256\nhigh_pins = [#]", 0, 255),
        ("[display]\nwidth = #", 1, 1024),
        ("[display]\nheight = #", 1, 1024),
        ("pins = 40\n[display]\ndc = #", 0, 39),
        ("pins = 40\n[display]\ncs = #", 0, 39),
        ("pins = 40\n[display]\nreset = #", 0, 39),
        ("[display]\noffset = [#, 0]", 0, 256),
        ("[display]\noffset = [0, #]", 0, 256),
        ("[limits]\nmemory_pages = #", 0, 65_536),
        ("[limits]\nstack_slots = #", 0, u32_max),
        ("[limits]\ncall_depth = #", 0, u32_max),
        ("[limits]\ntable_elements = #", 0, u32_max),
        ("[limits]\nmodule_bytes = #", 0, u32_max),
        ("[simulation]\nstep_ns = #", 0, 1_000_000_000),
        ("[simulation]\nmotor_slip = #", 0, 1000),
        ("pins = 40\n[simulation]\nsurprising_pins = [#]", 0, 39),
        (
            "motors = 3\n[[model]]\nkind = \"disc\"\nmotor = #\nsensor = \"color_sensor(0)\"\nsectors = [[360, 5]]",
            0,
            2,
        ),
        (
            "[[model]]\nkind = \"disc\"\nmotor = 0\nsensor = \"color_sensor(0)\"\nsectors = [[90, 1], [#, 2], [360, 5]]",
            91,
            359,
        ),
    ] {
        // A sector that ends at 360 leaves no room for the one behind it.
        if most == 359 {
            let with = |number: &str| verdict(&text.replace('#', number));
            assert_eq!(
                (with("91").as_str(), with("359").as_str()),
                ("accepted", "accepted")
            );
            assert!(with("90").contains("write a whole number from 91 to 360"));
            assert!(with("360").contains("write a whole number from 361 to 360"));
        } else {
            bounded(text, least, most);
        }
    }
}

#[test]
fn samplings_have_at_most_65536_values() {
    for (text, found) in [
        ("1 evenly", "accepted"),
        ("65536 evenly", "accepted"),
        ("65536 random", "accepted"),
        ("0 evenly", "write 1 to 65536"),
        ("65537 evenly", "write 1 to 65536"),
        ("65537 random", "write 1 to 65536"),
    ] {
        let file = format!("[sampling]\n\"chip_analog_read(1)\" = \"{text}\"");
        assert!(verdict(&file).contains(found), "{text}");
    }
    // Nor has one that did not come from a file, however many are enough.
    let most = 1 << 16;
    let long = Codomain::Full(ValType::I64);
    let values = |sampling: Sampling, of: &Codomain| sampling.values(of, u64::MAX).len();
    assert_eq!(values(Sampling::Evenly(most), &long), 1 << 16);
    assert_eq!(values(Sampling::Evenly(most + 1), &long), 1 << 16);
    let random = |count| Sampling::Random { count, seed: 1 };
    assert_eq!(values(random(most), &long), 1 << 16);
    assert_eq!(values(random(most + 1), &long), 1 << 16);
    let first = |count| Codomain::range(Value::I32(1), Value::I32(count));
    assert_eq!(values(Sampling::Boundaries, &first(1 << 16)), 1 << 16);
    assert!(values(Sampling::Boundaries, &first((1 << 16) + 1)) < 10);
}

#[test]
fn files_have_at_most_a_mebibyte() {
    let padded = |length: usize| format!("pins = 3{}", "\n".repeat(length - 8));
    assert_eq!(verdict(&padded(1 << 20)), "accepted");
    let found = verdict(&padded((1 << 20) + 1));
    assert!(found.contains("the file is larger than 1 MiB"), "{found}");
}

#[test]
fn lists_have_at_most_a_thousand_entries() {
    let rules = |count| format!("rules = [{}]", "\"color_sensor(0) is 5\",".repeat(count));
    let models = |count| {
        "[[model]]\nkind = \"disc\"\nmotor = 0\nsensor = \"color_sensor(0)\"\nsectors = [[360, 5]]\n".repeat(count)
    };
    let primitives = |count| {
        (0..count)
            .map(|n| format!("[[primitive]]\nname = \"p{n}\"\nkind = \"trap\"\n"))
            .collect()
    };
    // One call a key: each has its own argument.
    let keyed = |table: &'static str, value: &'static str| {
        move |count| -> String {
            let entries = (0..count).map(|n| format!("\"humidity({n})\" = {value}\n"));
            format!("{HUMIDITY}[{table}]\n{}", entries.collect::<String>())
        }
    };
    let cases: [(&str, &dyn Fn(usize) -> String); 6] = [
        ("rules", &rules),
        ("model", &models),
        ("primitive", &primitives),
        ("ranges", &keyed("ranges", "5")),
        ("sampling", &keyed("sampling", "\"boundaries\"")),
        ("sources", &keyed("sources", "5")),
    ];
    for (key, text) in cases {
        assert_eq!(verdict(&text(1000)), "accepted", "{key}");
        let found = verdict(&text(1001));
        let refusal = format!("{key}: there are 1001 of these\n  at most 1000 make sense");
        assert!(found.contains(&refusal), "{found}");
    }
}

#[test]
fn primitives_have_at_most_32_arguments() {
    let file = |count: usize| {
        let params = "\"i32\",".repeat(count);
        format!("[[primitive]]\nname = \"p\"\nkind = \"trap\"\nparams = [{params}]")
    };
    assert_eq!(verdict(&file(32)), "accepted");
    let found = verdict(&file(33));
    assert!(
        found.contains("too many arguments\n  at most 32 make sense"),
        "{found}"
    );
}

#[test]
fn rules_have_at_most_32_parts_of_a_kind() {
    let list = |part: &str, count: usize| vec![part; count].join(" and ");
    let conditions = |count| {
        let when = list("the level of pin 1 is 1", count);
        verdict(&format!("rules = [\"when {when}, color_sensor(0) is 5\"]"))
    };
    let claims = |count| {
        let claims = list("color_sensor(0) is 5", count);
        verdict(&format!("rules = [\"{claims}\"]"))
    };
    assert_eq!(
        (conditions(32), claims(32)),
        ("accepted".into(), "accepted".into())
    );
    for found in [conditions(33), claims(33)] {
        assert!(found.contains("split it: at most 32 parts"), "{found}");
    }
}

/// What a message repeats of the file.
#[test]
fn messages_repeat_short_texts_only() {
    let rule = |length: usize| {
        let text = format!("nonsense{}", " ".repeat(length - 8));
        verdict(&format!("rules = [\"{text}\"]"))
    };
    // The excerpt is a line of its own, with marks under what is wrong.
    assert!(rule(300).contains('^'), "{}", rule(300));
    assert!(!rule(301).contains('^'), "{}", rule(301));
    let key = |length: usize| verdict(&format!("{} = 3", "k".repeat(length)));
    assert!(key(60).contains(&format!("there is no key `{}`", "k".repeat(60))));
    assert!(key(61).contains(&format!("there is no key `{}…`", "k".repeat(60))));
}

#[test]
fn a_board_has_at_most_32_limits() {
    let limits = |count: usize| {
        let line = |pin: usize| format!("\"pin {pin}\" = 0\n");
        let lines: String = (0..count).map(line).collect();
        verdict(&format!("[limits]\n{lines}"))
    };
    assert_eq!(limits(32), "accepted");
    assert!(
        limits(33).contains("there are more than 32 limits"),
        "{}",
        limits(33)
    );
}
