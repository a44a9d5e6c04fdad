//! The formatters: comments stay beside what they stood beside, and formatting twice is formatting
//! once.

use crate::actors::Writer;
use crate::damage::damaged;
use crate::texts::examples;
use borges_languages::amb::Amb;
use borges_languages::model::{AMB, AMBIENT_TALK, Dialect, MU_OZ, Model};
use borges_languages::muoz::MuOz;
use borges_multiverse::random::Random;
use proptest::prelude::*;

use crate::oz;

fn format(dialect: &'static dyn Dialect, text: &str) -> String {
    let model = Model::parse(dialect, text);
    model
        .unwrap_or_else(|error| panic!("{}", error.explain(text)))
        .format()
}

#[track_caller]
fn check(dialect: &'static dyn Dialect, text: &str, expected: &str) {
    let formatted = format(dialect, text);
    assert_eq!(formatted, expected, "\n{formatted}");
    assert_eq!(format(dialect, &formatted), formatted, "\n{formatted}");
}

#[test]
fn comments_of_expressions_stay() {
    check(&AMB, "(+ 1 2)", "(+ 1 2)\n");
    check(
        &AMB,
        "; what it costs\n\n(+   (amb 1 2) ; a ticket\n (amb 3 (+)))     ; a bed, or none\n; end",
        "; what it costs\n\n; a ticket\n(+ (amb 1 2) (amb 3 (+)))  ; a bed, or none\n; end\n",
    );
}

#[test]
fn comments_of_actors_stay() {
    check(
        &AMBIENT_TALK,
        "// Shared.\ndef a := actor: { // an actor\n  def x := 0; // its field\n\n\n\
         // sets it\n  def set(n) { x := (n) /* n */ }\n  // no more\n};\na<-set(1);a<-set(2) // two\n/* the\n  end */\n",
        "// Shared.\ndef a := actor: {  // an actor\n  def x := 0;  // its field\n\n  // sets it\n  \
         def set(n) {\n    x := n  /* n */\n  }\n  // no more\n};\na<-set(1);\na<-set(2);  // two\n/* the\n  end */\n",
    );
    check(&AMBIENT_TALK, "// nothing", "// nothing\n");
}

#[test]
fn comments_of_threads_stay_and_so_does_the_notation() {
    let text = "// order\nlet k = port in // a port\n  thread {send k 1} end; // t1\n\n  // t2\n  thread {send   k 2} end end";
    let expected = "// order\nlet k = port in  // a port\n  thread\n    {send k 1}\n  end;  // t1\n\n  // t2\n  thread\n    {send k 2}\n  end\nend\n";
    check(&MU_OZ, text, expected);
    let paper = "let k = NewPort in // a port\n {Send k k} end";
    let formatted = format(&MU_OZ, paper);
    assert!(formatted.contains("NewPort in  // a port\n") && formatted.contains("{Send k k}"));
}

/// Writes comments between the words of a program.
fn sprinkled(text: &str, line: &str, seed: u64) -> (String, usize) {
    let mut random = Random::from_seed(seed);
    let (mut out, mut comments) = (String::new(), 0);
    for word in text.split_inclusive(char::is_whitespace) {
        out.push_str(word);
        // Not within what is printed.
        let quoted = out.matches('"').count() % 2 == 1;
        if !quoted && word.ends_with(char::is_whitespace) && random.below(6) == 0 {
            let before = ["", "\n", "\n\n"][random.below(3)];
            out.push_str(&format!("{before}{line} c{comments}\n"));
            comments += 1;
        }
    }
    (out, comments)
}

fn check_sprinkled(dialect: &'static dyn Dialect, text: &str, line: &str, seed: u64) {
    let (text, comments) = sprinkled(text, line, seed);
    let formatted = format(dialect, &text);
    for nth in 0..comments {
        let comment = format!("{line} c{nth}\n");
        assert_eq!(
            formatted.matches(&comment).count(),
            1,
            "{text}\n{formatted}"
        );
    }
    assert_eq!(
        format(dialect, &formatted),
        formatted,
        "{text}\n{formatted}"
    );
}

#[test]
fn no_comment_of_an_actor_is_lost() {
    for seed in 0..200 {
        check_sprinkled(&AMBIENT_TALK, &Writer::program(seed), "//", seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_comment_of_a_thread_is_lost(source in oz::programs(12), seed in any::<u64>()) {
        check_sprinkled(&MU_OZ, &source.text(), "//", seed);
    }
}

/// Lays a text out, if it is a program, and says whether it was.
fn check_same<P: PartialEq + std::fmt::Debug, E>(
    dialect: &'static dyn Dialect,
    parse: impl Fn(&str) -> Result<P, E>,
    text: &str,
) -> bool {
    let Ok(program) = parse(text) else {
        return false;
    };
    let formatted = format(dialect, text);
    let again = parse(&formatted).ok();
    assert_eq!(again, Some(program), "{text}\n{formatted}");
    assert_eq!(format(dialect, &formatted), formatted, "{text}");
    true
}

/// That of actors is beside their parser (`ambienttalk/print.rs`), whose trees nobody else sees.
#[test]
fn layouts_of_examples_and_of_all_that_they_could_be_are_the_same_programs() {
    let mut others = 0;
    for (dialect, text) in examples() {
        for seed in 0..=400 {
            let text = match seed {
                0 => text.clone(),
                _ => damaged(&text, &mut Random::from_seed(seed)),
            };
            let is_program = match dialect.extension() {
                "oz" => check_same(&MU_OZ, MuOz::parse, &text),
                "amb" => check_same(&AMB, Amb::parse, &text),
                _ => continue,
            };
            assert!(is_program || seed > 0, "{text}");
            others += usize::from(is_program);
        }
    }
    assert!(others > 300, "too few of them are programs: {others}");
}
