//! What editors are told: the mistakes are those of the languages, and names lead to what they mean.

use crate::actors::Writer;
use crate::damage::damaged;
use crate::texts::examples;
use borges_languages::model::{AMB, AMBIENT_TALK, Dialect, MU_OZ, Model};
use borges_languages::text::{Gloss, Kind, Sense};
use borges_multiverse::language::Span;
use borges_multiverse::random::Random;
use proptest::prelude::*;

use crate::oz;

fn read(dialect: &'static dyn Dialect, text: &str) -> Gloss {
    dialect.gloss(text).expect("ours have one")
}

/// Holds what editors are told of a text against what the language says of it.
fn check_law(dialect: &'static dyn Dialect, text: &str) {
    let gloss = read(dialect, text);
    let first = gloss.faults().first();
    let told = first.map(|fault| (fault.to_string(), fault.span));
    let error = Model::parse(dialect, text).err();
    let expected = error.map(|error| (error.to_string(), error.span()));
    assert_eq!(told, expected, "{text}");
    let mut end = 0;
    for word in gloss.words() {
        assert!(end <= word.span.start && word.span.start < word.span.end);
        assert!(
            text.get(word.span.start as usize..word.span.end as usize)
                .is_some()
        );
        end = word.span.end;
        if let Some(meaning) = word.meaning {
            let name = gloss.meaning(meaning).unwrap().name;
            assert_eq!(slice(text, name), slice(text, word.span), "{text}");
        }
    }
    let is_unknown = |word: &&borges_languages::text::Lexeme| {
        word.sense == Sense::Name && word.meaning.is_none()
    };
    if gloss.faults().is_empty() {
        assert_eq!(gloss.words().iter().find(is_unknown), None, "{text}");
    }
    for at in (0..=text.len()).step_by(7) {
        let seen = gloss.seen_at(text, at as u32);
        assert!(seen.iter().all(|meaning| meaning.is_named()), "{text}");
        let word = gloss.word_at(at as u32);
        assert!(
            word.is_none_or(|word| word.span.end as usize >= at),
            "{text}"
        );
    }
}

fn slice(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

#[test]
fn a_text_has_faults_if_it_is_no_program_and_the_first_is_the_language_s() {
    for (dialect, text) in examples() {
        check_law(dialect, &text);
        for seed in 0..300 {
            check_law(dialect, &damaged(&text, &mut Random::from_seed(seed)));
        }
    }
    for seed in 0..300 {
        let text = Writer::program(seed);
        check_law(&AMBIENT_TALK, &text);
        check_law(&AMBIENT_TALK, &damaged(&text, &mut Random::from_seed(seed)));
    }
    for text in [
        "", "λ", "end end", "}}", "{{{", "/*", "\"", "let", "def", "(", ")", "((", "𝛌",
    ] {
        for dialect in [&AMB as &dyn Dialect, &AMBIENT_TALK, &MU_OZ] {
            check_law(dialect, text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_text_of_threads_has_faults_if_it_is_no_program(source in oz::programs(12), seed in any::<u64>()) {
        check_law(&MU_OZ, &source.text());
        check_law(&MU_OZ, &damaged(&source.text(), &mut Random::from_seed(seed)));
    }
}

#[test]
fn nothing_is_read_for_ever_however_it_nests() {
    for (opening, closing) in [
        ("let x = proc {x} ", " end in skip end"),
        ("thread ", " end"),
        ("if (", ")"),
    ] {
        for depth in [900, 1_100, 5_000] {
            check_law(
                &MU_OZ,
                &format!("{}skip{}", opening.repeat(depth), closing.repeat(depth)),
            );
            check_law(&MU_OZ, &opening.repeat(depth));
        }
    }
    for opening in ["actor: {", "{", "(", "f(", "if: ", "def m() {", "-"] {
        for depth in [90, 210, 5_000] {
            check_law(&AMBIENT_TALK, &opening.repeat(depth));
        }
    }
}

/// Where the meanings of each word of a text lie that is marked with `‹…›`: the lines, and what they are.
#[track_caller]
fn check(dialect: &'static dyn Dialect, marked: &str, expected: &[&[(usize, Kind)]]) {
    let text = marked.replace(['‹', '›'], "");
    let gloss = read(dialect, &text);
    let mut found = Vec::new();
    for (nth, (at, _)) in marked.match_indices('‹').enumerate() {
        // The marks before it, each of three bytes and with its end, are not in the text.
        let at = (at - nth * 2 * '‹'.len_utf8()) as u32;
        let word = gloss.word_at(at).expect("a word is marked");
        let meanings = gloss.meanings_of(&text, word);
        let meanings = meanings.into_iter().map(|id| {
            let meaning = gloss.meaning(id).unwrap();
            let line = text[..meaning.name.start as usize].matches('\n').count() + 1;
            (line, meaning.kind)
        });
        found.push(meanings.collect::<Vec<_>>());
    }
    assert_eq!(found, expected);
}

#[test]
fn names_of_threads_lead_to_the_nearest_binding() {
    check(
        &MU_OZ,
        "let x = 1 in\n\
         let p = proc {x y}\n\
         if (‹x› > 0) then {‹p› ‹x› ‹y›} else skip end\n\
         end in\n\
         {p ‹x› 1};\n\
         let k = port in thread let x = {receive ‹k›} in {send k ‹x›} end end\n\
         end end end",
        &[
            &[(2, Kind::Parameter)],
            &[(2, Kind::Procedure)],
            &[(2, Kind::Parameter)],
            &[(2, Kind::Parameter)],
            &[(1, Kind::Variable)],
            &[(6, Kind::Port)],
            &[(6, Kind::Received)],
        ],
    );
}

#[test]
fn names_of_actors_lead_through_what_is_taken_in_and_messages_to_all_that_may_answer() {
    check(
        &AMBIENT_TALK,
        "def make(math) {\n\
         actor: { |‹math›|\n\
         def n := 0;\n\
         def start(x) { ‹n› := ‹x› + ‹n›; (‹math›)<-‹start›(1); self.‹n› }\n\
         }\n\
         };\n\
         def a := actor: { def start() { ‹start›() } };\n\
         when: ‹make›(‹a›)<-start(2)@FutureMessage becomes: { |n| system.println(‹n›, ‹b›) };\n\
         def b := { |x| def n := x; ‹n› };\n",
        &[
            &[(1, Kind::Parameter)],
            &[(3, Kind::Field)],
            &[(4, Kind::Parameter)],
            &[(3, Kind::Field)],
            &[(1, Kind::Parameter)],
            &[(4, Kind::Method), (7, Kind::Method)],
            &[(3, Kind::Field)],
            &[(7, Kind::Method)],
            &[(1, Kind::Method)],
            &[(7, Kind::Actor)],
            &[(8, Kind::Given)],
            &[(9, Kind::Block)],
            &[(9, Kind::Variable)],
        ],
    );
}

/// What is seen at the `‹` of a text, which may be no program.
#[track_caller]
fn check_seen(dialect: &'static dyn Dialect, marked: &str, expected: &str) {
    let at = marked.find('‹').unwrap();
    let text = marked.replace('‹', "");
    let gloss = read(dialect, &text);
    let seen = gloss.seen_at(&text, at as u32);
    let mut names: Vec<_> = seen
        .iter()
        .map(|meaning| slice(&text, meaning.name))
        .collect();
    names.sort_unstable();
    assert_eq!(names.join(" "), expected, "{text}");
}

#[test]
fn names_are_seen_where_they_can_be_used_also_while_a_program_is_being_written() {
    check_seen(
        &MU_OZ,
        "let x = 1 in let p = proc {y} skip; ‹ end in skip end end",
        "p x y",
    );
    check_seen(
        &MU_OZ,
        "let x = 1 in let p = proc {y} skip end in ‹skip end end",
        "p x",
    );
    check_seen(&MU_OZ, "let x = 1 in let k = port in {send k ‹", "k x");
    check_seen(
        &MU_OZ,
        "let k = port in let x = ‹ in skip end; skip end",
        "k",
    );
    check_seen(
        &MU_OZ,
        "let k = port in\nlet x = {receive in\n  {send k x}; ‹\nend end",
        "k x",
    );
    check_seen(
        &MU_OZ,
        "let k = port in if (k > then ‹ else skip end end",
        "k",
    );
    let actor =
        "def o := 1; def a := actor: { |o| def f := 0; def m(x) { def y := x; ‹ } }; def p := 2;";
    check_seen(&AMBIENT_TALK, actor, "f m o x y");
    let object =
        "def o := 1; def a := object: { def f := 0; def m(x) { x := ‹ }; def later() { } };";
    check_seen(&AMBIENT_TALK, object, "a f later m o x");
    check_seen(
        &AMBIENT_TALK,
        "def m(x) { def y := x; when: y becomes: { |z| ‹",
        "m x y z",
    );
    check_seen(&AMBIENT_TALK, "def m(x) { ) ; ‹ }; def n(q) { }", "m n x");
    check_seen(&AMBIENT_TALK, "def m(x) { ‹def y := x }", "m x");
}

#[test]
fn all_mistakes_in_names_are_told_at_once_and_only_the_first_in_form() {
    let faults = |dialect, text| {
        let gloss = read(dialect, text);
        let all = gloss.faults().iter();
        all.map(|fault| slice(text, fault.span).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        faults(&MU_OZ, "{a 1}; let x = b in {x c} end; if d then skip end"),
        ["a", "b", "c", "d", "end"]
    );
    assert_eq!(faults(&MU_OZ, "let = in skip end; {a 1}"), ["="]);
    assert_eq!(
        faults(
            &AMBIENT_TALK,
            "def f(x, x) { y }; f; z<-m(w); def f := 1; f(1)"
        ),
        ["f", "x", "y", "f", "z", "w", "f(1)"]
    );
    assert_eq!(faults(&AMBIENT_TALK, "def a := ; def b := ; y"), [";"]);
    assert_eq!(faults(&AMB, "(+ 1 x) y"), ["x"]);
}

#[test]
fn what_stands_in_what_is_told() {
    let text = "def a := actor: { def f := 0; def m(x) { object: { def g := x } } }; def b := 1;";
    let gloss = read(&AMBIENT_TALK, text);
    let mut rows = Vec::new();
    let mut todo: Vec<_> = gloss
        .within(None)
        .into_iter()
        .rev()
        .map(|id| (id, 0))
        .collect();
    while let Some((id, depth)) = todo.pop() {
        let meaning = gloss.meaning(id).unwrap();
        let name = slice(text, meaning.name);
        rows.push(format!(
            "{}{} {name}",
            "-".repeat(depth),
            meaning.kind.word()
        ));
        let inside = gloss.within(Some(id)).into_iter().rev();
        todo.extend(inside.map(|id| (id, depth + 1)));
    }
    assert_eq!(
        rows,
        [
            "actor a",
            "-field f",
            "-method m",
            "--parameter x",
            "--object object:",
            "---field g",
            "field b"
        ]
    );
}

#[test]
fn all_that_may_be_the_same_is_found_from_each_of_its_words() {
    let alike = |dialect, text: &str, at: usize| {
        let gloss = read(dialect, text);
        let word = gloss.word_at(at as u32).unwrap();
        let words = gloss.alike(text, word).into_iter();
        words.map(|word| word.span.start).collect::<Vec<_>>()
    };
    let text = "let x = 1 in let y = x + x in let x = y in {send y x} end end end";
    for at in [4, 21, 25] {
        assert_eq!(alike(&MU_OZ, text, at), [4, 21, 25]);
    }
    assert_eq!(alike(&MU_OZ, text, 34), [34, 51]);
    let text = "def a := actor: { def m(m) { m } }; a<-m(1); def m() { m() }";
    for at in [22, 39] {
        assert!(alike(&AMBIENT_TALK, text, at).contains(&39), "{at}");
    }
    assert_eq!(alike(&AMBIENT_TALK, text, 24), [24, 29]);
}
