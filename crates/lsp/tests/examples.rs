//! What editors show of the examples.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside `#[test]` functions.

mod client;

use std::path::{Path, PathBuf};

use client::{Client, edited, range};
use serde_json::json;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// A file of an example, a word in it and which one of those, what is shown of it and where it leads: `line:column` of all
/// places, from 0.
const TABLE: &[(&str, &str, usize, &str, &[&str])] = &[
    ("philosophers/philosophers.oz", "port", 0, "", &[]),
    (
        "philosophers/philosophers.oz",
        "port",
        1,
        "A new port: a queue",
        &[],
    ),
    (
        "philosophers/philosophers.oz",
        "token",
        2,
        "variable `token`, bound in line 2",
        &["1:4"],
    ),
    (
        "philosophers/philosophers.oz",
        "fork1",
        1,
        "```oz\nlet fork1 = port\n```\nport `fork1`, bound in line 3",
        &["2:4"],
    ),
    (
        "philosophers/philosophers.oz",
        "philosopher",
        1,
        "```oz\nlet philosopher = proc {first second}\n```\nprocedure `philosopher`, bound in line 6",
        &["5:4"],
    ),
    (
        "philosophers/philosophers.oz",
        "first",
        1,
        "parameter `first` of procedure `philosopher`, bound in line 6",
        &["5:24"],
    ),
    (
        "philosophers/philosophers.oz",
        "receive",
        2,
        "waits for one if there is none",
        &[],
    ),
    (
        "philosophers/philosophers.oz",
        "thread",
        0,
        "starts a thread",
        &[],
    ),
    (
        "deadlock/deadlock.oz",
        "x = ",
        0,
        "received value `x` of the thread in line 5, bound in line 6",
        &["5:8"],
    ),
    (
        "purchase/purchase.oz",
        "asynchAnd",
        1,
        "procedure `asynchAnd`, bound in line 15",
        &["14:4"],
    ),
    (
        "purchase/purchase.oz",
        "amount",
        1,
        "parameter `amount` of procedure `proposeLoan`",
        &["26:24"],
    ),
    (
        "purchase/purchase.oz",
        "amount",
        5,
        "received value `amount` of procedure `checkCredit`",
        &["36:6"],
    ),
    (
        "math-actor/math.at",
        "result",
        3,
        "field `result` of the actor in line 3, bound in line 4",
        &["3:8"],
    ),
    (
        "math-actor/math.at",
        "actor:",
        0,
        "sees nothing around it",
        &[],
    ),
    (
        "math-actor/math.at",
        "math)",
        0,
        "parameter `math` of method `makeClient1`, bound in line 9",
        &["8:16"],
    ),
    (
        "math-actor/math.at",
        "math|",
        0,
        "parameter `math` of method `makeClient1`",
        &["8:16"],
    ),
    (
        "math-actor/math.at",
        "math<-",
        0,
        "parameter `math` of method `makeClient1`",
        &["8:16"],
    ),
    (
        "math-actor/math.at",
        "double(12)",
        0,
        "looked up when the program runs: method `double` of the actor in line 3",
        &["4:8"],
    ),
    (
        "math-actor/math.at",
        "start()",
        2,
        "one of:\n\n- method `start` of the actor in line 10, bound in line 11\n- method `start` of the actor in line 20",
        &["10:8", "20:8"],
    ),
    (
        "math-actor/math.at",
        "getResult",
        0,
        "```at\ndef getResult()\n```\nmethod `getResult`",
        &["5:8"],
    ),
    (
        "math-actor/math.at",
        "FutureMessage",
        0,
        "a future for the answer",
        &[],
    ),
    (
        "math-actor/math.at",
        "res)",
        0,
        "parameter `res` of method `start`, bound in line 13",
        &["12:56"],
    ),
    (
        "math-actor/math.at",
        "math)",
        2,
        "field `math`, bound in line 24",
        &["23:4"],
    ),
    ("choices/trip.amb", "amb", 0, "any of its operands", &[]),
    ("choices/trip.amb", "+", 0, "from left to right", &[]),
];

#[test]
fn words_of_examples_are_explained_and_lead_to_what_they_mean() {
    let mut client = Client::new();
    for (file, word, nth, shown, places) in TABLE {
        let text = std::fs::read_to_string(examples().join(file)).unwrap();
        let uri = format!("file:///examples/{file}");
        client.open(&uri, &text);
        assert_eq!(client.mistakes(), [""; 0], "{file}");
        let hover = client.at("textDocument/hover", &uri, &text, word, *nth);
        let value = hover["contents"]["value"].as_str().unwrap_or_default();
        assert!(
            value.contains(shown) && shown.is_empty() == value.is_empty(),
            "{file}, {word}: {value}"
        );
        let found = client.at("textDocument/definition", &uri, &text, word, *nth);
        let found: Vec<String> = found
            .as_array()
            .unwrap()
            .iter()
            .map(|place| {
                let place = range(&place["range"]);
                place.split('-').next().unwrap().to_owned()
            })
            .collect();
        assert_eq!(found, *places, "{file}, {word}");
    }
    client.leave();
}

#[test]
fn examples_have_no_mistakes_and_are_laid_out_or_become_so() {
    let mut client = Client::new();
    let mut count = 0;
    for folder in std::fs::read_dir(examples()).unwrap() {
        let Ok(files) = std::fs::read_dir(folder.unwrap().path()) else {
            continue;
        };
        for file in files {
            let file = file.unwrap().path();
            let is_model = file.extension().is_some_and(|extension| {
                ["at", "oz", "amb"].contains(&extension.to_str().unwrap())
            });
            if !is_model {
                continue;
            }
            count += 1;
            let text = std::fs::read_to_string(&file).unwrap();
            let uri = format!("file://{}", file.display());
            client.open(&uri, &text);
            assert_eq!(client.mistakes(), [""; 0], "{uri}");
            let params = json!({ "textDocument": { "uri": uri }, "options": { "tabSize": 2, "insertSpaces": true } });
            let edits = client.get("textDocument/formatting", params.clone());
            let formatted = edited(&text, &edits);
            client.change(&uri, json!([{ "text": formatted }]));
            assert_eq!(client.mistakes(), [""; 0], "{uri}");
            assert_eq!(
                client.get("textDocument/formatting", params),
                json!([]),
                "{uri}"
            );
        }
    }
    assert!(count > 9, "the examples are elsewhere");
    client.leave();
}
