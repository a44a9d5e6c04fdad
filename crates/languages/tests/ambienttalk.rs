//! AmbientTalk: what the rules do, program by program; errors and their places; hostile texts.

use std::collections::BTreeSet;

use crate::place::placeless;
use borges_languages::ambienttalk::{
    AmbientTalk, Answer, Delivery, Grain, Options, ParseErrorKind, format as layout,
};
use borges_multiverse::graph::{Exploration, Limits, Pause, Strategy};
use borges_multiverse::language::{Language, Outcome, Verdict};

fn parse(text: &str, options: Options) -> AmbientTalk {
    AmbientTalk::parse(text, options).unwrap_or_else(|error| panic!("{}", error.explain(text)))
}

fn outcomes(text: &str, options: Options) -> BTreeSet<Outcome<Answer>> {
    let mut exploration = Exploration::new(parse(text, options), Strategy::BreadthFirst);
    assert_eq!(
        exploration.run(&Limits::default(), |_| true),
        Pause::Complete
    );
    let graph = exploration.graph();
    graph
        .ends()
        .map(|end| graph.outcome(end).unwrap())
        .collect()
}

/// Checks the outcomes of a program, at both grains.
#[track_caller]
fn check(text: &str, expected: &[(Verdict, &str)]) {
    for grain in [Grain::Rule, Grain::Visible] {
        let options = Options {
            grain,
            ..Options::default()
        };
        let found = outcomes(text, options);
        let found: BTreeSet<_> = found
            .iter()
            .map(|outcome| (outcome.verdicts, placeless(&outcome.value.to_string())))
            .collect();
        let expected = expected
            .iter()
            .map(|(verdict, text)| ((*verdict).into(), (*text).to_owned()));
        assert_eq!(found, expected.collect(), "{grain:?}");
    }
}

const FINISHED: Verdict = Verdict::Finished;

#[test]
fn expressions_and_calls() {
    check(
        "def fact(n) { if: n < 2 then: { 1 } else: { n * fact(n - 1) } };
         def x := fact(10); def y := -3 + 2 * 5 - 1; def z := x != y; def t := \"a\\n\\\"b\\\"\"",
        &[(
            FINISHED,
            r#"main.x = 3628800, main.y = 6, main.z = true, main.t = "a\n\"b\"""#,
        )],
    );
}

#[test]
fn blocks_see_what_is_around_them() {
    check(
        "def add(n) { { |m| n + m } };
         def five := add(2).apply(3);
         def counter := object: { def n := 0; def up() { { n := n + 1; self }.apply() } };
         counter.up(); counter.up();
         def n := counter.n",
        &[(FINISHED, "main.five = 5, main.n = 2, main.counter.n = 2")],
    );
}

#[test]
fn fields_are_null_until_they_are_initialised() {
    check(
        "def o := object: { def a := self.b; def b := 1 }; def a := o.a",
        &[(FINISHED, "main.a = null, main.o.a = null, main.o.b = 1")],
    );
    // An actor's initialisers are its first action, before any message.
    check(
        "def cell := actor: { def x := 3; def get() { x } };
         def got := 0;
         when: cell<-get()@FutureMessage becomes: { |v| got := v }",
        &[(FINISHED, "main.got = 3, cell.x = 3")],
    );
}

#[test]
fn a_future_sends_on_in_order() {
    let text = "def log := actor: { def n := 0; def add(d) { n := n * 10 + d } };
         def slow := actor: { |log| def get() { log } };
         def f := slow<-get()@FutureMessage;
         f<-add(1); f<-add(2); f<-add(3)";
    check(text, &[(FINISHED, "log.n = 123")]);
}

#[test]
fn callbacks_of_callbacks_resolve() {
    check(
        "def a := actor: { def get() { 20 } };
         def x := 0;
         def f := when: a<-get()@FutureMessage becomes: { |v| v + 1 };
         when: f becomes: { |v| x := v * 2 }",
        &[(FINISHED, "main.x = 42")],
    );
    // What is no future calls back too; a far object does so by way of its actor.
    check(
        "def a := actor: { def get() { 20 } }; def x := 0; def y := false;
         when: 5 becomes: { |v| x := v };
         when: a becomes: { |v| y := v == a }",
        &[(FINISHED, "main.x = 5, main.y = true")],
    );
}

#[test]
fn isolates_are_copied_in_every_argument_and_in_results() {
    let text = "def a := actor: {
           def set(o, p) { p.v := p.v + o.v; p.inner.w := 7; p } };
         def first := isolate: { def v := 1 };
         def second := isolate: { def v := 2; def inner := isolate: { def w := 5 } };
         def back := null; def same := true;
         when: a<-set(first, second)@FutureMessage becomes: { |p|
           back := p; same := p == second }";
    check(
        text,
        &[(
            FINISHED,
            "main.same = false, main.first.v = 1, main.second.v = 2, main.back.v = 3, \
             main.second.inner.w = 5, main.back.inner.w = 7",
        )],
    );
}

#[test]
fn isolates_that_know_each_other_are_copied_once() {
    let text = "def a := actor: { def ask(p, q) { (p.next == q) == (q.next == p) } };
         def p := isolate: { def next := null }; def q := isolate: { def next := null };
         p.next := q; q.next := p; def right := false;
         when: a<-ask(p, q)@FutureMessage becomes: { |v| right := v }";
    check(text, &[(FINISHED, "main.right = true")]);
}

#[test]
fn objects_go_by_far_reference_and_are_out_of_reach() {
    let text =
        "def a := actor: { def poke(o) { o.x } }; def o := object: { def x := 1 }; a<-poke(o)";
    check(
        text,
        &[(
            Verdict::Stuck,
            "main.o.x = 1, a is stuck: the object belongs to another actor: only messages (<-) reach it",
        )],
    );
}

#[test]
fn what_has_no_rule_is_stuck_and_says_why() {
    for (text, why) in [
        ("1 + true", "an operand is no integer"),
        ("9223372036854775807 + 1", "the result is too large"),
        (
            "if: 1 then: { 2 }",
            "the condition is neither true nor false",
        ),
        ("null.x", "the receiver is no object"),
        ("self.x", "the object has no such field"),
        ("self.m()", "the object has no such method"),
        ("5<-m()", "the receiver is no object"),
        (
            "{ |x| x }.apply()",
            "the method takes another number of arguments",
        ),
        ("def m() { m() }; m()", "calls nest too deep"),
        ("self<-nothing()", "the object has no such method"),
    ] {
        check(text, &[(Verdict::Stuck, &format!("main is stuck: {why}"))]);
    }
}

#[test]
fn a_future_that_nobody_resolves_is_a_deadlock() {
    let text = "def a := actor: { def wait(f) { f } }; def f := null;
         def b := actor: { |a| def me() { self } };
         f := a<-wait(null)@FutureMessage;
         def g := when: f becomes: { |v| v<-nothing() }";
    let found = outcomes(text, Options::default());
    assert!(
        found
            .iter()
            .all(|outcome| outcome.verdicts.has(Verdict::Stuck)),
        "{found:?}"
    );
    // A request to a future that becomes itself.
    let text = "def f := null; def get() { f }; f := self<-get()@FutureMessage;
         when: f becomes: { |v| v }";
    let mut exploration = Exploration::new(parse(text, Options::default()), Strategy::BreadthFirst);
    assert_eq!(
        exploration.run(&Limits::default(), |_| true),
        Pause::Complete
    );
    assert_eq!(
        exploration.graph().ends().count(),
        0,
        "the message goes round for ever"
    );
}

#[test]
fn messages_to_oneself_take_their_turn() {
    // The second message to oneself comes after what others have sent meanwhile, or before.
    let text = "def a := actor: { def log := 0;
             def go() { self<-add(1) }; def add(d) { log := log * 10 + d } };
         a<-go(); a<-add(2)";
    check(text, &[(FINISHED, "a.log = 12"), (FINISHED, "a.log = 21")]);
}

#[test]
fn deliveries_differ_in_what_overtakes() {
    let text = "def a := actor: { def log := 0; def add(d) { log := log * 10 + d } };
         a<-add(1); a<-add(2)";
    let logs = |delivery| {
        let options = Options {
            delivery,
            ..Options::default()
        };
        outcomes(text, options).len()
    };
    assert_eq!(logs(Delivery::Immediate), 1);
    assert_eq!(logs(Delivery::Fifo), 1);
    assert_eq!(logs(Delivery::Unordered), 2);
}

#[test]
fn errors_point_at_the_place() {
    for (text, kind, place) in [
        (
            "def x := y",
            ParseErrorKind::UnknownName("y".into()),
            "1:10",
        ),
        ("def x := ", ParseErrorKind::NoExpression, "1:10"),
        (
            "def a := 1; def b := 2 def c := 3",
            ParseErrorKind::NoSeparator,
            "1:24",
        ),
        (
            "actor: { def m() { x } }; def x := 1",
            ParseErrorKind::Outside("x".into(), "actor"),
            "1:20",
        ),
        (
            "def m(a) { }; m()",
            ParseErrorKind::Arity {
                name: "m".into(),
                takes: 1,
                given: 0,
            },
            "1:15",
        ),
        (
            "def m() { def x := 1; { x := 2 } }",
            ParseErrorKind::Captured("x".into()),
            "1:25",
        ),
        (
            "def m() { def x := 1; def b := { x }; x := 2 }",
            ParseErrorKind::Captured("x".into()),
            "1:39",
        ),
        (
            "def x := 1;\ndef x := 2",
            ParseErrorKind::Twice("x".into()),
            "2:5",
        ),
        ("1 := 2", ParseErrorKind::NoPlace, "1:1"),
        ("a<-m()@Later", ParseErrorKind::Annotation, "1:8"),
        ("system.print(1)", ParseErrorKind::System, "1:8"),
        ("\"abc", ParseErrorKind::OpenText, "1:1"),
        ("/* abc", ParseErrorKind::OpenComment, "1:1"),
        ("99999999999999999999", ParseErrorKind::LargeInteger, "1:1"),
        (
            "loop: { }",
            ParseErrorKind::UnknownKeyword("loop".into()),
            "1:1",
        ),
        (
            "def m() { 1 }; m + 1",
            ParseErrorKind::Method("m".into()),
            "1:16",
        ),
        (
            "def m() { def n() { } }",
            ParseErrorKind::StrayMethod,
            "1:15",
        ),
        ("#", ParseErrorKind::UnknownSign, "1:1"),
    ] {
        let error = AmbientTalk::parse(text, Options::default()).unwrap_err();
        assert_eq!(error.kind, kind, "{text}");
        let explained = error.explain(text);
        assert!(explained.starts_with(&format!("{place}: ")), "{explained}");
    }
}

#[test]
fn hostile_texts_are_refused() {
    for unit in [
        "(",
        "{",
        "-",
        "actor: {",
        "if: 1 then: {",
        "a<-b(",
        "1+",
        "a.b.",
        "def m() {",
        "{|",
    ] {
        let text = unit.repeat(100_000);
        assert!(AmbientTalk::parse(&text, Options::default()).is_err());
        assert!(layout(&text).is_err());
    }
    let chain = format!("1{}", "+1".repeat(100_000));
    let error = AmbientTalk::parse(&chain, Options::default()).unwrap_err();
    assert_eq!(error.kind, ParseErrorKind::Deep);
    for text in ["", ";;;", " // nothing"] {
        assert!(AmbientTalk::parse(text, Options::default()).is_ok());
    }
    // Long, but not deep.
    let long = "self.m(); ".repeat(20_000) + "def m() { }";
    let program = AmbientTalk::parse(&long, Options::default()).unwrap();
    assert!(!program.show(&program.initial()).is_empty());
}

#[test]
fn every_part_of_a_text_is_refused_or_runs() {
    let text = include_str!("../../../examples/math-actor/math.at");
    for end in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
        if let Ok(program) = AmbientTalk::parse(&text[..end], Options::default()) {
            let mut exploration = Exploration::new(program, Strategy::DepthFirst);
            exploration.run(
                &Limits {
                    states: 200,
                    ..Limits::default()
                },
                |_| true,
            );
        }
    }
}

#[test]
fn choices_from_elsewhere_are_refused() {
    use borges_languages::ambienttalk::{ActorId, Choice};
    let program = parse("def x := 1", Options::default());
    let start = program.initial();
    let stranger = ActorId::MAIN.child(7).unwrap();
    for choice in [
        Choice::Act(stranger),
        Choice::Deliver {
            from: ActorId::MAIN,
            to: stranger,
            number: 0,
        },
    ] {
        assert!(program.apply(&start, &choice).is_none());
        assert_eq!(program.label(&start, &choice).rule, "NONE");
        let _ = program.footprint(&start, &choice);
    }
}
