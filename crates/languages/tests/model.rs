//! The report: known answers of all languages, by every way of exploring; its JSON.

use std::collections::BTreeSet;

use crate::place::placeless;

use borges_languages::ambienttalk::{Delivery, Grain};
use borges_languages::model::{
    AMB, AMBIENT_TALK, Datum, Explore, Lead, MU_OZ, Model, Order, Reduction, Report, Why, language,
};

fn example(path: &str) -> Model {
    let file = format!("{}/../../examples/{path}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(file).unwrap();
    let dialect = language::of_path(path).unwrap();
    Model::parse(dialect, &text).unwrap_or_else(|error| panic!("{}", error.explain(&text)))
}

/// Every grain, reduction and order; the search is for a breakpoint that is never met, or for any.
fn ways(model: &Model) -> Vec<Explore> {
    let spec = match model.dialect().extension() {
        "at" => "start",
        _ => "77777",
    };
    let lead = Lead::parse(model, spec).unwrap();
    let orders = [
        Order::BreadthFirst,
        Order::DepthFirst,
        Order::Random(7),
        Order::Toward { lead, first: false },
    ];
    let mut ways = Vec::new();
    for grain in [Grain::Rule, Grain::Visible] {
        for reduction in [Reduction::None, Reduction::Dpor] {
            for order in &orders {
                ways.push(Explore {
                    grain,
                    reduction,
                    order: order.clone(),
                    ..Explore::default()
                });
            }
        }
    }
    ways
}

fn outcomes(report: &Report) -> BTreeSet<(&'static str, String)> {
    report
        .ends
        .iter()
        .map(|end| (end.how.kind, end.text.clone()))
        .collect()
}

/// Every way of exploring finds the same outcomes; returns the report of the plainest.
fn explore(path: &str) -> Report {
    let model = example(path);
    let plain = model.explore(&Explore::default(), |_| true);
    assert!(plain.complete);
    for way in ways(&model) {
        let report = model.explore(&way, |_| true);
        assert!(report.complete, "{way:?}");
        assert_eq!(outcomes(&report), outcomes(&plain), "{way:?}");
        assert_eq!(report.classes, plain.classes, "{way:?}");
        // Traces lead where they say.
        for end in &report.ends {
            assert!(!end.trace.is_empty());
            assert!(end.trace.iter().all(|step| step.option < step.options));
        }
    }
    plain
}

#[test]
fn the_math_actor_has_three_ends() {
    let report = explore("math-actor/math.at");
    let results: BTreeSet<_> = report
        .ends
        .iter()
        .map(|end| {
            (
                end.values["math.result"].clone(),
                end.output.clone(),
                end.states,
            )
        })
        .collect();
    let end = |result, printed: &str| (Datum::Integer(result), vec![printed.to_owned()], 1);
    assert_eq!(
        results,
        [end(24, "24"), end(66, "24"), end(66, "66")].into()
    );
    assert_eq!(report.cyclic, Some(false));
    // Arrivals at the math actor in one of three orders, and the callback at client 1 before or
    // after the answer.
    assert_eq!(report.classes, Some(6));
}

#[test]
fn messages_that_overtake_each_other_add_outcomes() {
    let model = example("math-actor/math.at");
    let ends = |delivery| {
        let ways = ways(&model).into_iter();
        let ways = ways.map(|way| Explore { delivery, ..way });
        let found: BTreeSet<_> = ways
            .map(|way| outcomes(&model.explore(&way, |_| true)))
            .collect();
        assert_eq!(found.len(), 1, "all ways agree");
        found.into_iter().next().unwrap()
    };
    let immediate = ends(Delivery::Immediate);
    assert_eq!(ends(Delivery::Fifo), immediate);
    let unordered = ends(Delivery::Unordered);
    assert!(unordered.is_superset(&immediate));
    // getResult overtakes double(12): 0 is printed.
    assert_eq!((immediate.len(), unordered.len()), (3, 6));
}

#[test]
fn small_programs_report_what_they_should() {
    for (path, ends, classes, paths) in [
        ("order-violation/order-violation.oz", 2, 2, "18"),
        ("atomicity-violation/atomicity-violation.oz", 2, 4, "35"),
        ("deadlock/deadlock.oz", 2, 2, "10"),
        ("choices/choices.amb", 3, 4, "4"),
    ] {
        let report = explore(path);
        assert_eq!(report.ends.len(), ends, "{path}");
        assert_eq!(report.classes, Some(classes), "{path}");
        assert_eq!(report.paths.as_deref(), Some(paths), "{path}");
    }
}

#[test]
fn all_ways_agree_on_the_purchase() {
    for (path, answers) in [
        ("purchase/purchase.oz", &[false, true][..]),
        ("purchase/repaired.oz", &[false]),
    ] {
        let report = explore(path);
        assert_eq!(report.classes, Some(6), "{path}");
        let found = report.ends.iter().map(|end| match &end.values["result"] {
            Datum::List(answers) => match answers[..] {
                [Datum::Boolean(answer)] => answer,
                _ => panic!("{answers:?}"),
            },
            other => panic!("{other:?}"),
        });
        let expected: BTreeSet<_> = answers.iter().copied().collect();
        assert_eq!(found.collect::<BTreeSet<_>>(), expected, "{path}");
    }
}

#[test]
fn all_ways_agree_on_the_philosophers() {
    for (path, classes, deadlocks) in [
        ("philosophers/philosophers.oz", 7, 1),
        ("philosophers/repaired.oz", 6, 0),
    ] {
        let report = explore(path);
        assert_eq!(report.classes, Some(classes), "{path}");
        let hang = report.ends.iter().filter(|end| end.how.kind == "deadlock");
        assert_eq!(hang.count(), deadlocks, "{path}");
    }
}

#[test]
fn threads_that_no_rule_helps_are_stuck() {
    let text = "let k = port in thread {send k 1} end; thread {send k 2} end;
        let x = {receive k} in assert (x == 1); let y = x / 0 in skip end end end";
    let report = Model::parse(&MU_OZ, text)
        .unwrap()
        .explore(&Explore::default(), |_| true);
    let ends: Vec<_> = report
        .ends
        .iter()
        .map(|end| (end.how.kind, &end.values["x"], &end.waiting["t0"][..]))
        .collect();
    let expected = [
        ("stuck", &Datum::Integer(1), "division by zero, line 2"),
        (
            "failed",
            &Datum::Integer(2),
            "the assertion is false, line 2",
        ),
    ];
    assert_eq!(ends, expected);
}

#[test]
fn limits_are_told() {
    let model = example("math-actor/math.at");
    let few = Explore {
        states: 100,
        ..Explore::default()
    };
    let report = model.explore(&few, |_| true);
    assert_eq!((report.complete, report.why), (false, Some(Why::States)));
    assert_eq!((report.paths, report.classes), (None, None));
    let shallow = Explore {
        depth: 5,
        ..Explore::default()
    };
    let report = model.explore(&shallow, |_| true);
    assert_eq!(report.why, Some(Why::Depth));
    for reduction in [Reduction::None, Reduction::Dpor] {
        let way = Explore {
            reduction,
            ..Explore::default()
        };
        let endless = "def tick(n) { self<-tick(n + 1) }; self<-tick(0)";
        let endless = Model::parse(&AMBIENT_TALK, endless).unwrap();
        let report = endless.explore(&way, |progress| progress.states < 1000);
        assert_eq!((report.complete, report.why), (false, Some(Why::Cancelled)));
    }
}

#[test]
fn a_program_that_goes_round_has_no_number_of_paths() {
    let text = "def ping() { self<-ping() }; self<-ping()";
    let model = Model::parse(&AMBIENT_TALK, text).unwrap();
    let report = model.explore(&Explore::default(), |_| true);
    assert!(report.complete && report.ends.is_empty());
    assert_eq!((report.cyclic, report.paths), (Some(true), None));
}

#[test]
fn the_json_is_pinned() {
    let model = Model::parse(&AMB, "(+ 1 (amb 2))").unwrap();
    let report = model.explore(&Explore::default(), |_| true);
    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(
        json,
        concat!(
            r#"{"language":"λ_amb","grain":"rule","reduction":"none","delivery":"immediate","#,
            r#""states":3,"edges":2,"paths":"1","classes":1,"complete":true,"why":null,"#,
            r#""cyclic":false,"ends":[{"kind":"finished","output":[],"values":{"value":3},"#,
            r#""waiting":{},"text":"3","states":1,"trace":["#,
            r#"{"agent":"evaluator","rule":"AMB","text":"(amb 2) → 2","line":1,"column":6,"#,
            r#""option":0,"options":1,"rules":1},"#,
            r#"{"agent":"evaluator","rule":"ADD","text":"(+ 1 2) → 3","line":1,"column":1,"#,
            r#""option":0,"options":1,"rules":1}]}]}"#
        )
    );
}

#[test]
fn languages_are_known_by_extension() {
    let of = |path| language::of_path(path).map(|dialect| dialect.name());
    assert_eq!(of("a/b.at"), Some("AmbientTalk"));
    for path in ["at", ".at", "a/.at", "a.AT", "a.wasm", "a.at/b"] {
        assert_eq!(of(path), None, "{path}");
    }
}

#[test]
fn formatting_keeps_programs() {
    for path in ["math-actor/math.at", "deadlock/deadlock.oz"] {
        let model = example(path);
        let formatted = model.format();
        let again = Model::parse(model.dialect(), &formatted)
            .unwrap_or_else(|error| panic!("{}", error.explain(&formatted)));
        assert_eq!(again.format(), formatted);
        let ends = |model: &Model| {
            let report = model.explore(&Explore::default(), |_| true);
            let outcomes = outcomes(&report).into_iter();
            let outcomes = outcomes.map(|(kind, text)| (kind, placeless(&text)));
            (
                report.states,
                report.edges,
                outcomes.collect::<BTreeSet<_>>(),
            )
        };
        assert_eq!(ends(&model), ends(&again));
    }
}
