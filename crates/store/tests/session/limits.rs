//! How much a session file takes: at each limit, and one past it.

use borges_store::*;

use super::{add_program, input, output};

#[test]
fn an_entry_carries_so_much_at_most() {
    let store = Store::in_memory().unwrap();
    let upload = add_program(&store);
    let with = |data, arguments| KeptEntry {
        data: vec![7; data],
        arguments: vec![KeptValue::I32(1); arguments],
        ..output(20, 1)
    };
    let too_large = |result: Result<(), StoreError>| {
        assert!(
            matches!(result, Err(StoreError::TooLarge("entry"))),
            "{result:?}"
        );
    };
    let longest = with(65_536, 1000);
    // Nothing of what comes with one that is too large is written.
    too_large(store.append(upload, 0, &[input(10, 1), with(65_537, 0)]));
    too_large(store.append(upload, 0, &[input(10, 1), with(0, 1001)]));
    store
        .append(upload, 0, std::slice::from_ref(&longest))
        .unwrap();
    too_large(store.amend(upload, 0, &[(0, vec![8; 65_537])]));
    let kept = store.entries(upload, 0, 0..9).unwrap();
    assert_eq!(kept, std::slice::from_ref(&longest));
    store.amend(upload, 0, &[(0, vec![8; 65_536])]).unwrap();
    let amended = KeptEntry {
        data: vec![8; 65_536],
        ..longest
    };
    assert_eq!(store.entries(upload, 0, 0..9).unwrap(), [amended]);
}

#[test]
fn a_program_has_so_many_bytes_and_primitives_at_most() {
    let store = Store::in_memory().unwrap();
    let primitive = KeptPrimitive {
        module: "env".into(),
        name: "x".into(),
    };
    let add = |bytes: &[u8], primitives| {
        let primitives = vec![primitive.clone(); primitives];
        let program = NewProgram {
            name: "p",
            bytes,
            board: "b",
            primitives: &primitives,
            at_ms: 1,
        };
        store.add_program(&program)
    };
    let longest = vec![0; (64 << 20) + 1];
    assert!(matches!(
        add(&longest, 0),
        Err(StoreError::TooLarge("program"))
    ));
    assert!(matches!(
        add(b"p", 65_537),
        Err(StoreError::TooLarge("board"))
    ));
    assert_eq!(store.programs().unwrap(), []);
    add(&longest[1..], 0).unwrap();
    add(b"p", 65_536).unwrap();
    let sizes = store.programs().unwrap().len();
    assert_eq!(sizes, 2);
}

#[test]
fn an_answer_says_whether_there_are_more_rows() {
    let mut store = Store::in_memory().unwrap();
    let rows = |store: &mut Store, rows| {
        let bounds = QueryBounds {
            rows,
            ..QueryBounds::default()
        };
        let table = store.query("VALUES (1), (2), (3)", bounds).unwrap();
        (table.rows.len(), table.more)
    };
    assert_eq!(rows(&mut store, 2), (2, true));
    assert_eq!(rows(&mut store, 3), (3, false));
    assert_eq!(QueryBounds::default().rows, 1000);
}

#[test]
fn a_question_has_so_many_bytes_at_most() {
    let mut store = Store::in_memory().unwrap();
    let mut ask = |length: usize| {
        let sql = "SELECT 1";
        let sql = sql.to_owned() + &" ".repeat(length - sql.len());
        store.query(&sql, QueryBounds::default())
    };
    assert!(ask(1 << 20).is_ok());
    let refused = ask((1 << 20) + 1);
    assert!(
        matches!(refused, Err(StoreError::TooLarge(_) | StoreError::Query(_))),
        "{refused:?}"
    );
}
