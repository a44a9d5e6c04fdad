//! μOz: notations, layout, and errors that point at the place.

use crate::oz::programs;
use crate::place::placeless;
use borges_languages::muoz::{MuOz, Notation, Stuck, ThreadName};
use borges_multiverse::language::{Language, Outcome};
use borges_multiverse::walk::{Rest, Schedule, Walk};
use proptest::prelude::*;

fn parse(text: &str) -> MuOz {
    MuOz::parse(text).unwrap_or_else(|error| panic!("{}", error.explain(text)))
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    let explained = MuOz::parse(text).unwrap_err().explain(text);
    assert_eq!(explained, expected);
}

#[test]
fn errors_point_at_the_place() {
    refused("", "1:1: here should come a statement\n1 | \n  | ^\n");
    refused(
        "let x = 1 in\n  {send x y}\nend",
        "2:11: nothing of this name is bound here: bind it by let, or as a parameter\n\
         2 |   {send x y}\n  |           ^\n",
    );
    refused(
        "let x = in skip end",
        "1:9: here should come what to bind: a number, true, false, port, proc {…} … end, an \
         expression or {receive …}\n1 | let x = in skip end\n  |         ^^\n",
    );
    refused(
        "if (1 > 2) then skip end",
        "1:22: here should come else (write else skip if there is nothing to do)\n\
         1 | if (1 > 2) then skip end\n  |                      ^^^\n",
    );
    refused(
        "skip end",
        "1:6: the program ended before this: an end too many?\n1 | skip end\n  |      ^^^\n",
    );
    refused(
        "skip /* ",
        "1:6: this comment is never closed: write */\n1 | skip /* \n  |      ^^\n",
    );
    refused(
        "skip ? skip",
        "1:6: this character means nothing here\n1 | skip ? skip\n  |      ^\n",
    );
    refused(
        "let x = 9223372036854775808 in skip end",
        "1:9: integers go up to 9223372036854775807\n\
         1 | let x = 9223372036854775808 in skip end\n  |         ^^^^^^^^^^^^^^^^^^^\n",
    );
}

#[test]
fn errors_say_what_should_come() {
    let error = |text: &str| {
        let error = MuOz::parse(text).unwrap_err();
        (
            text[..error.span.start as usize].to_owned(),
            error.to_string(),
        )
    };
    let says = |text: &str, before: &str, what: &str| {
        assert_eq!(error(text), (before.to_owned(), what.to_owned()));
    };
    says(
        "x",
        "",
        "here should come a statement (a call is written {name …})",
    );
    says(
        "{receive x}",
        "{",
        "here should come send or a procedure ({receive …} stands in let x = {receive …} in)",
    );
    says(
        "let k = port in {send k} end",
        "let k = port in {send k",
        "here should come the message: {send port message}",
    );
    says(
        "let k = port in {send k 1 2} end",
        "let k = port in {send k 1 ",
        "here should come } (a message is a single identifier or literal)",
    );
    says(
        "let f = proc {x x} skip end in skip end",
        "let f = proc {x ",
        "another parameter has this name",
    );
    says(
        "let b = (1 > 2) in skip end",
        "let b = (1 ",
        "here should come )",
    );
    says(
        "let b = 1 > 2 in skip end",
        "let b = 1 ",
        "here should come in (comparisons stand only after if and assert)",
    );
    says(
        "let n = -5 in skip end",
        "let n = ",
        "here should come what to bind: a number, true, false, port, proc {…} … end, an expression or {receive …}",
    );
    says(
        "let n = 1 + -5 in skip end",
        "let n = 1 + ",
        "here should come a number (write 0 - 5 for minus five)",
    );
    says(
        "assert (1)",
        "assert (1",
        "here should come a comparison: ==, <, >, <= or >=",
    );
    says("thread skip", "thread skip", "here should come end");
    says(
        "skip 5",
        "skip ",
        "here should come ; or the end of the block",
    );
    says(
        "let skip = 1 in skip end",
        "let ",
        "here should come an identifier",
    );
}

#[test]
fn both_notations_are_one_program() {
    let tool = "let k = port in
        thread {send k 1}; let x = {receive k} in skip; {send k x} end end;
        if (1 == 2) then skip else <br> end // nothing
        end";
    let paper = "let k = NewPort in /* both
        spellings */ thread {Send k 1} let x = {Receive k} in skip {Send k x} end end
        if 1 == 2 then skip else <br> end end";
    assert_eq!(parse(tool), parse(paper));
    let text = "let k = port in
  thread
    {send k 1};
    let x = {receive k} in
      skip;
      {send k x}
    end
  end;
  if (1 == 2) then
    skip
  else
    <br>
  end
end
";
    assert_eq!(parse(paper).pretty(Notation::Tool).to_string(), text);
    let text = "let k = NewPort in
  thread
    {Send k 1}
    let x = {Receive k} in
      skip
      {Send k x}
    end
  end
  if (1 == 2) then
    skip
  else
    <br>
  end
end
";
    assert_eq!(parse(tool).pretty(Notation::Paper).to_string(), text);
}

proptest! {
    #[test]
    fn what_is_laid_out_is_the_same_program(source in programs(12)) {
        let program = parse(&source.text());
        for notation in [Notation::Tool, Notation::Paper] {
            let text = program.pretty(notation).to_string();
            prop_assert_eq!(&parse(&text), &program);
            prop_assert_eq!(parse(&text).pretty(notation).to_string(), text);
        }
    }

    #[test]
    fn any_text_is_a_program_or_an_error_with_a_place(
        text in r"(let|in|end|thread|if|then|else|port|proc|send|receive|skip|x|k|1|\{|\}|\(|\)|=|==|;|\+| |//|/\*|ä){0,40}",
    ) {
        if let Err(error) = MuOz::parse(&text) {
            prop_assert!(error.span.start <= error.span.end && error.span.end as usize <= text.len());
            prop_assert!(text.is_char_boundary(error.span.start as usize));
            prop_assert!(error.explain(&text).contains('^'));
        }
    }
}

#[test]
fn depth_has_a_limit_and_not_the_stack() {
    let nested = |depth: usize| "thread ".repeat(depth) + "skip" + &" end".repeat(depth);
    assert!(MuOz::parse(&nested(999)).is_ok());
    assert!(parse(&nested(999)).pretty(Notation::Tool).to_string().len() > 999);
    let error = MuOz::parse(&nested(1_000)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "scopes and parentheses nest at most 1000 deep"
    );
    assert!(MuOz::parse(&"let x = ".repeat(100_000)).is_err());
    assert!(MuOz::parse(&format!("let x = {} in", "(".repeat(100_000))).is_err());
    assert!(MuOz::parse(&format!("assert {}", "(".repeat(100_000))).is_err());
    let sum = format!("let x = 1{} in skip end", " + 1".repeat(100_000));
    assert_eq!(end(&parse(&sum)), "finished: x = 100001");
}

/// The outcome of the run that always takes the first choice.
fn end(program: &MuOz) -> String {
    let mut walk = Walk::new(program);
    let rest = walk.run(&mut Schedule::First, 1_000_000, |_| true).unwrap();
    assert_eq!(rest, Rest::End);
    walk.outcome().unwrap().to_string()
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(placeless(&end(&parse(text))), expected);
}

#[test]
fn arithmetic_has_the_usual_precedence_and_is_left_associative() {
    for (expression, value) in [
        ("10/2/5", "1"),
        ("10-2-5", "3"),
        ("2+3*4", "14"),
        ("(2+3)*4", "20"),
        ("7/2*2", "6"),
        ("0-7/2", "-3"),
        ("2*(3-(4-5))", "8"),
    ] {
        check(
            &format!("let x = {expression} in skip end"),
            &format!("finished: x = {value}"),
        );
        let program = parse(&format!("let x = {expression} in skip end"));
        let again = parse(&program.pretty(Notation::Tool).to_string());
        assert_eq!(again, program, "{expression}");
    }
}

#[test]
fn conditions_compare_and_may_be_wrapped() {
    for condition in [
        "(1 == 1)",
        "1 == 1",
        "(1 < 2)",
        "(2 > 1)",
        "(2 <= 2)",
        "(2 >= 2)",
        "b",
        "(b)",
        "(1 + 1) == 2",
        "((1 + 1) == 2)",
        "(1 + (1 + 1)) * 2 > 5",
        "(b == b)",
        "(k == k2)",
    ] {
        let text =
            format!("let b = true in let k = port in let k2 = k in assert {condition} end end end");
        check(&text, "finished: b = true, k2 = port k, k = []");
    }
}

#[test]
fn variables_are_renamed_when_they_are_bound_again() {
    check(
        "let x = 1 in let x = x + 1 in let x = x * 5 in let x1 = x in skip end end end end",
        "finished: x = 1, x1 = 2, x2 = 10, x11 = 10",
    );
    // Names of threads are left to threads.
    check(
        "let t = 1 in let t = 2 in let t1 = 3 in skip end end end",
        "finished: t = 1, t1' = 2, t11' = 3",
    );
}

#[test]
fn procedures_know_their_scope_and_themselves() {
    check(
        "let k = port in let n = 5 in
         let f = proc {m} if (m > 0) then {send k n}; let m = m - 1 in {f m} end else skip end end in
         let n = 7 in {f 2} end end end end",
        "finished: n = 5, f = proc {m}, n1 = 7, arg = 2, m = 1, m1 = 0, k = [n, n]",
    );
    // A procedure goes through a port and still finds its scope.
    check(
        "let k = port in let x = 1 in let f = proc {to} {send to x} end in {send k f} end end;
         let g = {receive k} in {g k} end end",
        "finished: x = 1, f = proc {to}, g = proc f, k = [x]",
    );
}

#[test]
fn threads_without_a_rule_are_stuck_and_say_why() {
    for (text, outcome) in [
        (
            "let x = 1 in {send x x} end",
            "stuck: x = 1; t0: x is no port",
        ),
        (
            "let x = 1 in {x} end",
            "stuck: x = 1; t0: x is no procedure",
        ),
        (
            "let x = 1 in if x then skip else skip end end",
            "stuck: x = 1; t0: x is neither true nor false",
        ),
        (
            "let x = true in let y = x + 1 in skip end end",
            "stuck: x = true; t0: x is no integer",
        ),
        (
            "let x = true in assert (x == 1) end",
            "stuck: x = true; t0: these values cannot be compared",
        ),
        (
            "let f = proc {a b} skip end in {f 1} end",
            "stuck: f = proc {a b}, arg = 1; t0: the procedure takes 2 arguments and is given 1",
        ),
        ("let x = 1 / 0 in skip end", "stuck: ; t0: division by zero"),
        (
            "let x = 9223372036854775807 + 1 in skip end",
            "stuck: ; t0: the result does not fit 64 bits",
        ),
        ("assert (1 == 2)", "failed: ; t0: the assertion is false"),
        (
            "let k = port in let x = {receive k} in skip end end",
            "deadlock: k = []; t0: waits on k",
        ),
    ] {
        check(text, outcome);
    }
    let program = parse("assert (1 == 2)");
    let Outcome { value, .. } = program.outcome(&program.initial());
    assert_eq!(value.waiting[0].0, "t0");
    assert_eq!(
        program.stuck(&program.initial(), &ThreadName::MAIN),
        Some(Stuck::Assertion)
    );
}

#[test]
fn labels_name_rule_step_and_place() {
    let text = "let k = port in let f = proc {a} {send k a} end in {f 1}; thread skip end;
        let x = {receive k} in if (x > 0) then <br> else skip end; assert (x == 1) end end end";
    let program = parse(text);
    let (mut state, mut told) = (program.initial(), Vec::new());
    loop {
        let mut choices = Vec::new();
        program.enabled(&state, &mut choices);
        let Some(choice) = choices.first() else {
            break;
        };
        let label = program.label(&state, choice);
        let span = label.span.unwrap();
        let place = &text[span.start as usize..span.end as usize];
        told.push(format!("{} {} @ {place}", label.rule, label.text));
        state = program.apply(&state, choice).unwrap().state;
    }
    let expected = [
        "R:npt t0: k = port @ let k = port",
        "R:npr t0: f = proc {a} @ let f = proc {a}",
        "R:var t0: arg = 1 @ {f 1}",
        "R:cal t0: {f arg} @ {f 1}",
        "R:snd t0: {send k arg} @ {send k a}",
        "R:nth t0: thread t1 @ thread",
        "R:rcv t0: x = {receive k}, which is arg @ let x = {receive k}",
        "R:if1 t0: (x > 0) is true @ if (x > 0)",
        "R:brk t0: <br> @ <br>",
        "R:ast t0: assert (x == 1) @ assert (x == 1)",
        "R:skp t1: skip @ skip",
    ];
    assert_eq!(told, expected);
}
