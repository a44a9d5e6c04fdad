//! What SQL says of a session.

use std::time::Duration;

use borges_store::*;

use super::{add_program, input, output};

fn text(table: &QueryTable) -> Vec<String> {
    let cell = |cell: &QueryCell| match cell {
        QueryCell::Null => "-".into(),
        QueryCell::Integer(value) => value.to_string(),
        QueryCell::Real(value) => format!("{value:?}"),
        QueryCell::Text(text) => text.clone(),
        QueryCell::Blob(bytes) => format!("{bytes:02x?}"),
    };
    table
        .rows
        .iter()
        .map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn the_views_answer_questions() {
    let mut store = Store::in_memory().unwrap();
    let upload = add_program(&store);
    store
        .append(upload, 0, &[input(10, 1), output(20, 1), input(30, 5)])
        .unwrap();
    store
        .fork(
            upload,
            1,
            Fork {
                parent: 0,
                position: 2,
            },
            &input(30, 9),
        )
        .unwrap();
    store
        .fork(
            upload,
            2,
            Fork {
                parent: 1,
                position: 2,
            },
            &input(30, 11),
        )
        .unwrap();
    store
        .fork(
            upload,
            4,
            Fork {
                parent: 0,
                position: 0,
            },
            &input(10, 2),
        )
        .unwrap();
    let float = KeptEntry {
        arguments: vec![
            KeptValue::F32(0.1f32.to_bits()),
            KeptValue::I64(-1),
            KeptValue::FuncRef(None),
        ],
        value: Some(KeptValue::F64(2.5f64.to_bits())),
        ..input(40, 0)
    };
    store.append(upload, 1, &[float]).unwrap();
    store
        .set_end(
            upload,
            1,
            47,
            &KeptEnd::Trapped("integer divide by zero".into()),
        )
        .unwrap();
    store
        .set_end(upload, 2, 90, &KeptEnd::Finished("7".into()))
        .unwrap();
    let mut ask = |sql: &str| text(&store.query(sql, QueryBounds::default()).unwrap());
    assert_eq!(
        ask("SELECT * FROM inputs"),
        [
            "0 0 0 0.1 10 chip_analog_read [34] 1 0",
            "0 0 2 0.3 30 chip_analog_read [34] 5 0",
            "0 1 2 1.3 30 chip_analog_read [34] 9 0",
            "0 1 3 1.4 40 chip_analog_read [0.1,-1,null] 2.5 1",
            "0 2 2 2.3 30 chip_analog_read [34] 11 0",
            "0 4 0 4.1 10 chip_analog_read [34] 2 1",
        ]
    );
    assert_eq!(
        ask("SELECT * FROM outputs"),
        ["0 0 1 0.2 20 chip_digital_write [2,1] - [09, 09]"]
    );
    assert_eq!(
        ask("SELECT * FROM ends"),
        [
            "0 0 0.3 0 open ",
            "0 1 1.4 47 trapped integer divide by zero",
            "0 2 2.3 90 finished 7",
            "0 4 4.1 0 open ",
        ]
    );
    assert_eq!(
        ask("SELECT * FROM traps"),
        ["0 1 1.4 47 integer divide by zero"]
    );
    let path = "SELECT branch || '.' || position || '=' || coalesce(value, name) FROM paths
                WHERE tip = ? ORDER BY position";
    assert_eq!(
        ask(&path.replace('?', "0")),
        ["0.0=1", "0.1=chip_digital_write", "0.2=5"]
    );
    assert_eq!(
        ask(&path.replace('?', "1")),
        ["0.0=1", "0.1=chip_digital_write", "1.2=9", "1.3=2.5"]
    );
    assert_eq!(
        ask(&path.replace('?', "2")),
        ["0.0=1", "0.1=chip_digital_write", "2.2=11"]
    );
    assert_eq!(ask(&path.replace('?', "4")), ["4.0=2"]);
}

#[test]
fn a_question_can_change_nothing_and_ends() {
    let mut store = Store::in_memory().unwrap();
    let upload = add_program(&store);
    store.append(upload, 0, &[input(10, 1)]).unwrap();
    for sql in [
        "DELETE FROM entry",
        "INSERT INTO setting VALUES (1, 2)",
        "DROP VIEW ends",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA writable_schema = 1",
        "ATTACH '/tmp/x' AS x",
        "SELECT load_extension('/tmp/x')",
        "COMMIT",
        "VACUUM INTO '/tmp/x'",
        "CREATE TEMP TABLE x (y)",
        "SELECT nonsense(",
        "",
    ] {
        let result = store.query(sql, QueryBounds::default());
        assert!(
            matches!(result, Err(StoreError::Query(_))),
            "{sql}: {result:?}"
        );
    }
    let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                   SELECT max(i) FROM n";
    let bounds = QueryBounds {
        rows: 10,
        time: Duration::from_millis(20),
    };
    assert!(matches!(
        store.query(endless, bounds),
        Err(StoreError::QueryTimeout { ms: 20 })
    ));
    let many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    let table = store.query(many, bounds).unwrap();
    assert_eq!((table.rows.len(), table.more), (10, true));
    // Whoever asks may have had enough: rows that are there are an answer, and nothing is said where there are none.
    let all = QueryBounds {
        rows: usize::MAX,
        time: Duration::from_secs(3600),
    };
    for enough in [1, 2, 10] {
        let mut looks = 0;
        let mut goes_on = || {
            looks += 1;
            looks < enough
        };
        let paused = store.query_while(endless, all, &mut goes_on);
        assert!(matches!(paused, Err(StoreError::QueryPaused)), "{paused:?}");
        assert_eq!(looks, enough);
        let mut looks = 0;
        let mut goes_on = || {
            looks += 1;
            looks < enough
        };
        match store.query_while(many, all, &mut goes_on) {
            Ok(table) => assert!(table.more && !table.rows.is_empty()),
            Err(error) => assert!(matches!(error, StoreError::QueryPaused), "{error}"),
        }
    }
    // The store goes on working.
    store.append(upload, 0, &[input(11, 1)]).unwrap();
    store.flush().unwrap();
    assert_eq!(store.entries(upload, 0, 0..9).unwrap().len(), 2);
}
