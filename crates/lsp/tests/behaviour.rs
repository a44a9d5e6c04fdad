//! What an editor asks and is told.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside `#[test]` functions.

mod client;

use client::{Client, edited, place, range};
use serde_json::{Value, json};

const OZ: &str = "file:///p/a.oz";
const AT: &str = "file:///p/a.at";
const AMB: &str = "file:///p/a.amb";

#[test]
fn mistakes_are_told_all_at_once_and_go_when_they_are_mended() {
    let mut client = Client::new();
    client.open(OZ, "let k = port in\n  {send k λ};\n  {send 𝛌 k}\nend");
    // 𝛌 is no letter's mistake but a name, of two units.
    let unknown = "nothing of this name is bound here: bind it by let, or as a parameter";
    let expected = [
        format!("1:10-1:11 {unknown}"),
        format!("2:8-2:10 {unknown}"),
    ];
    assert_eq!(client.mistakes(), expected);
    let change = |line: u32, from: u32, to: u32, text: &str| json!({ "range": { "start": { "line": line, "character": from }, "end": { "line": line, "character": to } }, "text": text });
    client.change(OZ, json!([change(1, 10, 11, "k")]));
    assert_eq!(client.mistakes(), [format!("2:8-2:10 {unknown}")]);
    client.change(OZ, json!([change(2, 8, 10, "kk"), change(2, 8, 9, "")]));
    assert_eq!(client.mistakes(), [""; 0]);
    client.change(OZ, json!([change(3, 0, 3, "")]));
    let told = client.told("textDocument/publishDiagnostics");
    assert_eq!(told["version"], 2);
    let mistake = &told["diagnostics"][0];
    assert_eq!(mistake["message"], "here should come end");
    client.tell(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": OZ } }),
    );
    assert_eq!(client.mistakes(), [""; 0]);
    client.leave();
}

#[test]
fn what_was_never_closed_is_pointed_at() {
    let mut client = Client::new();
    client.open(AT, "def a := actor: {\n  def m() { 1 }\n");
    let told = client.told("textDocument/publishDiagnostics");
    let mistake = &told["diagnostics"][0];
    assert_eq!(mistake["message"], "} must stand here");
    let related = &mistake["relatedInformation"][0];
    assert_eq!(related["message"], "this is still open");
    assert_eq!(range(&related["location"]["range"]), "0:16-0:17");
    client.leave();
}

#[test]
fn documents_of_all_languages_are_open_at_once_and_others_are_let_alone() {
    let mut client = Client::new();
    client.open(OZ, "skip skip skip");
    client.open(AT, "def a := b");
    client.open(AMB, "(+ 1 a)");
    client.open("file:///p/a.txt", "def a := b");
    let untitled =
        json!({ "uri": "untitled:One", "languageId": "borges-actors", "version": 1, "text": "x" });
    client.tell("textDocument/didOpen", json!({ "textDocument": untitled }));
    let mut told = Vec::new();
    for _ in 0..4 {
        let one = client.told("textDocument/publishDiagnostics");
        told.push((
            one["uri"].as_str().unwrap().to_owned(),
            one["diagnostics"].as_array().unwrap().len(),
        ));
    }
    told.sort();
    let expected = [(AMB, 1), (AT, 1), (OZ, 0), ("untitled:One", 1)];
    assert_eq!(told, expected.map(|(uri, count)| (uri.to_owned(), count)));
    let nothing = client.get("textDocument/hover", place("file:///p/a.txt", "def", 0));
    assert_eq!(nothing, Value::Null);
    let (_, refused) = client.refused("textDocument/hover", place("file:///p/b.oz", "", 0));
    assert_eq!(refused, "file:///p/b.oz is not open");
    client.leave();
}

#[test]
fn words_that_are_about_the_same_are_found() {
    let mut client = Client::new();
    let text = "let x = 1 in\nlet y = x + x in\nlet x = y in {y x} end end end";
    client.open(OZ, text);
    let mut found = |nth, with| {
        let (offset, _) = text.match_indices('x').nth(nth).unwrap();
        let mut params = place(OZ, text, offset);
        params["context"] = json!({ "includeDeclaration": with });
        let found = client.get("textDocument/references", params);
        found
            .as_array()
            .unwrap()
            .iter()
            .map(|one| range(&one["range"]))
            .collect::<Vec<_>>()
    };
    assert_eq!(found(0, true), ["0:4-0:5", "1:8-1:9", "1:12-1:13"]);
    assert_eq!(found(2, false), ["1:8-1:9", "1:12-1:13"]);
    assert_eq!(found(3, true), ["2:4-2:5", "2:16-2:17"]);
    let marked = client.at("textDocument/documentHighlight", OZ, text, "y", 1);
    let kinds: Vec<_> = marked
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["kind"].as_u64())
        .collect();
    assert_eq!(kinds, [Some(3), Some(2), Some(2)]);
    client.leave();
}

#[track_caller]
fn check_rename(
    uri: &str,
    text: &str,
    word: &str,
    nth: usize,
    name: &str,
    expected: Result<&str, &str>,
) {
    let mut client = Client::new();
    client.open(uri, text);
    let (offset, _) = text.match_indices(word).nth(nth).unwrap();
    let mut params = place(uri, text, offset);
    params["newName"] = json!(name);
    match (
        client.ask("textDocument/rename", params).response_result,
        expected,
    ) {
        (Ok(edit), Ok(expected)) => assert_eq!(edited(text, &edit["changes"][uri]), expected),
        (Err(error), Err(expected)) => assert!(error.message.contains(expected), "{error:?}"),
        (found, _) => panic!("{found:?}"),
    }
}

#[test]
fn names_are_changed_wherever_they_mean_the_same_or_not_at_all() {
    let oz = "let x = 1 in let y = x in let x = y in {y x} end end end";
    let renamed = "let 𝛌 = 1 in let y = 𝛌 in let x = y in {y x} end end end";
    check_rename(OZ, oz, "x", 1, "𝛌", Ok(renamed));
    // Nearer than what was meant.
    check_rename(OZ, oz, "y", 0, "x", Err("another one"));
    for name in ["let", "a b", "", "1", "port", "x }"] {
        check_rename(OZ, oz, "x", 0, name, Err(""));
    }
    check_rename(OZ, "let x = y in skip end", "x", 0, "z", Err("mend"));
    check_rename(OZ, oz, "let", 0, "z", Err("no name"));
    let at = "def make(o) { actor: { |o| def m() { o<-m() } } };\ndef a := make(null);\na<-m();";
    check_rename(
        AT,
        at,
        "o)",
        0,
        "p",
        Ok(&at
            .replace("(o)", "(p)")
            .replace("|o|", "|p|")
            .replace(" o<", " p<")),
    );
    let sent = at.replace("m()", "n()");
    check_rename(AT, at, "m()", 1, "n", Ok(&sent));
    check_rename(AT, at, "m()", 2, "n", Ok(&sent));
    // Objects that have both names, or messages that are sent to others.
    let two = "def a := actor: { def m() { 1 }; def n := 1 }; a<-m();";
    check_rename(AT, two, "m()", 0, "n", Err("another one"));
    let other = "def a := actor: { def m() { 1 } }; a<-m(); a<-n();";
    check_rename(AT, other, "m()", 0, "n", Err("another one"));
    check_rename(
        AT,
        other,
        "n()",
        0,
        "k",
        Err("nothing in this text defines n"),
    );
    check_rename(
        AT,
        "def b := { |x| x }; def c := object: { def apply(x) { x } }; c.apply(1)",
        "apply",
        0,
        "run",
        Err("word of the language"),
    );
    check_rename(AMB, "(amb 1 2)", "1", 0, "3", Err("no name"));
}

#[test]
fn what_is_in_a_text_is_a_tree() {
    let mut client = Client::new();
    let text =
        "def make() { actor: { def f := 0; def m(x) { def y := x } } };\ndef a := object: { };\n";
    client.open(AT, text);
    let rows = |symbols: &Value| {
        let mut rows = Vec::new();
        let mut todo: Vec<_> = symbols
            .as_array()
            .unwrap()
            .iter()
            .rev()
            .map(|one| (one.clone(), 0))
            .collect();
        while let Some((one, depth)) = todo.pop() {
            let name = one["name"].as_str().unwrap();
            rows.push(format!(
                "{}{name}: {}",
                "-".repeat(depth),
                one["detail"].as_str().unwrap()
            ));
            let inside = one["children"].as_array().cloned().unwrap_or_default();
            todo.extend(inside.into_iter().rev().map(|one| (one, depth + 1)));
        }
        rows
    };
    let symbols = |client: &mut Client, uri| {
        client.get(
            "textDocument/documentSymbol",
            json!({ "textDocument": { "uri": uri } }),
        )
    };
    let found = symbols(&mut client, AT);
    assert_eq!(
        rows(&found),
        [
            "make: method",
            "-actor: actor",
            "--f: field",
            "--m: method",
            "---y: variable",
            "a: object"
        ]
    );
    client.open(OZ, "let k = port in let p = proc {x} let y = x in skip end end in thread {p 1} end; thread let z = {receive k} in skip end end end end");
    let found = symbols(&mut client, OZ);
    assert_eq!(
        rows(&found),
        [
            "k: port",
            "p: procedure",
            "-y: variable",
            "thread: thread",
            "thread: thread",
            "-z: received value"
        ]
    );
    let deep = |depth: usize| {
        let (heads, ends) = (
            "let x = proc {} ".repeat(depth),
            " end in skip end".repeat(depth),
        );
        format!("{heads}skip{ends}")
    };
    // Deeper ones stand beside the deepest.
    for (depth, deepest) in [(50, 1), (51, 2), (230, 181)] {
        client.open(OZ, &deep(depth));
        let found = rows(&symbols(&mut client, OZ));
        let dashes = |row: &String| row.matches('-').count();
        assert_eq!(found.len(), depth);
        assert_eq!(found.iter().map(dashes).max(), Some(49));
        assert_eq!(
            found.iter().filter(|row| dashes(row) == 49).count(),
            deepest
        );
    }
    client.leave();
}

#[test]
fn what_can_be_written_is_offered() {
    let mut client = Client::new();
    let mut offered = |uri: &str, marked: &str| {
        let text = marked.replace('‹', "");
        client.open(uri, &text);
        let params = place(uri, &text, marked.find('‹').unwrap());
        let items = client.get("textDocument/completion", params);
        let mut items: Vec<_> = items
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                (
                    one["sortText"].as_str().unwrap_or_default().to_owned(),
                    one["label"].as_str().unwrap().to_owned(),
                    one["kind"] == 14,
                )
            })
            .collect();
        items.sort();
        let (words, names): (Vec<_>, Vec<_>) =
            items.into_iter().partition(|(_, _, keyword)| *keyword);
        let names: Vec<_> = names.into_iter().map(|(_, label, _)| label).collect();
        (
            names.join(" "),
            words
                .into_iter()
                .map(|(_, label, _)| label)
                .collect::<Vec<_>>()
                .join(" "),
        )
    };
    let (names, words) = offered(OZ, "let k = port in\n  let x = {receive k} in {send k ‹");
    assert_eq!(names, "x k");
    assert!(
        words.contains("thread") && words.contains("receive") && !words.contains('{'),
        "{words}"
    );
    assert_eq!(offered(OZ, "let kk = port in {send k‹ 1} end").0, "kk");
    let actor = "def a := actor: { def field := 1; def method() { 1 } };\n";
    for sent in ["a<-‹", "a<-me‹", "a.‹", "a . ‹"] {
        assert_eq!(
            offered(AT, &format!("{actor}{sent}")),
            ("a field method".to_owned(), String::new()),
            "{sent}"
        );
    }
    assert_eq!(offered(AT, &format!("{actor}‹")).0, "a");
    assert_eq!(
        offered(AT, "system.println(\"a‹ b\")"),
        (String::new(), String::new())
    );
    assert_eq!(offered(AMB, "(‹"), (String::new(), "+ amb".to_owned()));
    client.leave();
}

#[test]
fn layouts_are_edits_that_touch_only_what_differs() {
    let mut client = Client::new();
    let mut format = |uri: &str, text: &str| {
        client.open(uri, text);
        client.get("textDocument/formatting", json!({ "textDocument": { "uri": uri }, "options": { "tabSize": 2, "insertSpaces": true } }))
    };
    let text = "// λ 𝛌\nlet k = port in\n  {send   k 1}\nend  // 𝛌\n";
    let edits = format(OZ, text);
    assert_eq!(edits.as_array().unwrap().len(), 1);
    assert_eq!(range(&edits[0]["range"]), "2:8-2:10");
    assert_eq!(edited(text, &edits), text.replace("   ", " "));
    // What is no program stays as it is.
    assert_eq!(format(OZ, "let k = "), Value::Null);
    assert_eq!(format(AMB, "(+ 1"), Value::Null);
    assert_eq!(format(AMB, "(+ 1 2)\n"), json!([]));
    let strange = "(+   1 ; 𝛌\n 𝛌";
    assert_eq!(format(AMB, strange), Value::Null);
    client.leave();
}
