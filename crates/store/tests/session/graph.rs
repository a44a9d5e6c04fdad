//! A graph is kept as a whole, or not at all.

use std::cell::Cell;

use super::*;

const STATES: u32 = 60_000;

fn program(name: &str) -> ModelProgram {
    ModelProgram {
        name: name.into(),
        language: "amb".into(),
        text: "1".into(),
        options: String::new(),
        complete: true,
    }
}

fn states() -> impl Iterator<Item = ModelState> {
    (0..STATES).map(|id| ModelState {
        id,
        depth: id,
        via: id.checked_sub(1),
        status: "expanded".into(),
        outcome: None,
        cycle: None,
        text: None,
    })
}

fn edges() -> impl Iterator<Item = ModelEdge> {
    (0..STATES - 1).map(|id| ModelEdge {
        id,
        // So that an index has something to sort.
        source: id.wrapping_mul(48_271) % STATES,
        target: id.wrapping_mul(16_807) % STATES,
        option: 0,
        agent: String::new(),
        rule: "rule".into(),
        text: String::new(),
        line: None,
        rules: 1,
    })
}

#[test]
fn a_graph_can_be_stopped_until_it_is_kept() {
    let folder = Folder::new();
    let mut store = Store::create(&folder.file()).unwrap();
    add_program(&store);
    store
        .keep_graph(&program("first"), [], [], [], &mut || true)
        .unwrap();
    let unsaved = add_program(&store);
    assert_eq!(unsaved, Upload(1));

    for let_all_rows_in in [false, true] {
        let written = Cell::new(!let_all_rows_in);
        let watched = edges().inspect(|edge| written.set(written.get() || edge.id + 2 == STATES));
        let second = program("second");
        let kept = store.keep_graph(&second, [], states(), watched, &mut || !written.get());
        assert!(matches!(kept, Err(StoreError::Stopped)), "{kept:?}");
        assert_eq!(store.kept_program().unwrap(), Some(program("first")));
    }
    store.flush().unwrap();
    drop(store);
    let mut store = Store::open(&folder.file(), Access::Write).unwrap();
    assert_eq!(store.programs().unwrap().len(), 2);
    assert!(store.graph_damage(&mut || true).unwrap().is_empty());
    let second = program("second");
    store
        .keep_graph(&second, [], states(), edges(), &mut || true)
        .unwrap();
    assert_eq!(store.kept_program().unwrap(), Some(second));
    assert!(store.graph_damage(&mut || true).unwrap().is_empty());
}
