//! The machine contract of `borges explore … --json`: what every report has, in every language and
//! however it was explored.

use borges_languages::ambienttalk::{Delivery, Grain};
use borges_languages::model::{AMBIENT_TALK, Explore, Model, Reduction, language};
use serde_json::Value;

fn example(path: &str) -> Model {
    let file = format!("{}/../../examples/{path}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(file).unwrap();
    Model::parse(language::of_path(path).unwrap(), &text).unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = value.as_object().unwrap().keys().map(|k| &k[..]).collect();
    keys.sort_unstable();
    keys
}

fn check_trace(trace: &Value, lines: u64) {
    for step in trace.as_array().unwrap() {
        assert_eq!(
            keys(step),
            [
                "agent", "column", "line", "option", "options", "rule", "rules", "text"
            ]
        );
        assert!(step["option"].as_u64() < step["options"].as_u64());
        assert!(step["rules"].as_u64().unwrap() >= 1);
        assert!(step["line"].is_null() || step["line"].as_u64().unwrap() <= lines);
        for text in ["agent", "rule", "text"] {
            assert!(!step[text].as_str().unwrap().is_empty());
        }
    }
}

fn check(model: &Model, way: &Explore) -> Value {
    let report = model.explore(way, |_| true);
    let report = serde_json::to_value(&report).unwrap();
    assert_eq!(
        keys(&report),
        [
            "classes",
            "complete",
            "cyclic",
            "delivery",
            "edges",
            "ends",
            "grain",
            "language",
            "paths",
            "reduction",
            "states",
            "why"
        ]
    );
    assert!(report["complete"].as_bool().unwrap() && report["why"].is_null());
    assert!(report["states"].is_u64() && report["edges"].is_u64());
    match &report["paths"] {
        Value::String(paths) => assert!(paths.bytes().all(|digit| digit.is_ascii_digit())),
        other => assert!(other.is_null() && way.reduction == Reduction::Dpor),
    }
    assert!(report["classes"].is_u64());
    let lines = model.text().lines().count() as u64;
    for end in report["ends"].as_array().unwrap() {
        assert_eq!(
            keys(end),
            [
                "kind", "output", "states", "text", "trace", "values", "waiting"
            ]
        );
        let kind = end["kind"].as_str().unwrap();
        assert!(["finished", "stuck", "deadlock", "failed"].contains(&kind));
        // Who does not finish says who waits, and for what.
        let waiting = end["waiting"].as_object().unwrap();
        assert_eq!(kind == "finished", waiting.is_empty());
        assert!(
            end["output"]
                .as_array()
                .unwrap()
                .iter()
                .all(Value::is_string)
        );
        assert!(end["states"].as_u64().unwrap() >= 1);
        check_trace(&end["trace"], lines);
    }
    report
}

#[test]
fn every_report_has_what_scripts_read() {
    for path in [
        "choices/choices.amb",
        "choices/trip.amb",
        "math-actor/math.at",
        "order-violation/order-violation.oz",
        "deadlock/deadlock.oz",
    ] {
        let model = example(path);
        let mut found = Vec::new();
        for grain in [Grain::Rule, Grain::Visible] {
            for reduction in [Reduction::None, Reduction::Dpor] {
                for delivery in [Delivery::Immediate, Delivery::Fifo] {
                    let way = Explore {
                        grain,
                        reduction,
                        delivery,
                        ..Explore::default()
                    };
                    let report = check(&model, &way);
                    let mut ends: Vec<_> = report["ends"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|end| {
                            [&end["kind"], &end["output"], &end["values"]].map(Value::to_string)
                        })
                        .collect();
                    ends.sort();
                    found.push(ends);
                }
            }
        }
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{path}");
    }
}

/// What is final: the value of an expression; the fields of each object that an actor can reach;
/// every variable and every queue.
#[test]
fn final_values_are_named_as_promised() {
    let end = |path: &str, nth: usize| {
        let report = check(&example(path), &Explore::default());
        report["ends"][nth].clone()
    };
    assert_eq!(keys(&end("choices/choices.amb", 0)["values"]), ["value"]);
    assert_eq!(end("choices/choices.amb", 0)["values"]["value"], 4);
    let math = end("math-actor/math.at", 2);
    assert_eq!(math["values"]["math.result"], 66);
    assert_eq!(math["output"][0], "66");
    let order = end("order-violation/order-violation.oz", 0);
    assert_eq!(keys(&order["values"]), ["k", "one", "two", "x"]);
    assert_eq!(order["values"]["k"], serde_json::json!([2]));
    let deadlock = end("deadlock/deadlock.oz", 1);
    assert_eq!(deadlock["kind"], "deadlock");
    assert_eq!(deadlock["waiting"]["t2"], "waits on k, line 6");
    // Objects within an actor count, those that nobody reaches do not.
    let text =
        "def a := actor: { def box := object: { def n := 1 }; def lost := object: { def m := 2 };
        def go() { box.n := 5; lost := null } }; a<-go()";
    let model = Model::parse(&AMBIENT_TALK, text).unwrap();
    let report = check(&model, &Explore::default());
    let values = &report["ends"][0]["values"];
    assert_eq!(values["a.box.n"], 5);
    assert!(values.get("a.lost.m").is_none() && values["a.lost"].is_null());
}
