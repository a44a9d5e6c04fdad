//! Questions to a program's graph, and the same in SQL.

use borges_languages::model::{
    AMBIENT_TALK, Explore, Model, Multiverse, NoAnswer, Question, Reply,
};
use borges_store::{
    ModelEdge, ModelOutcome, ModelProgram, ModelState, QueryBounds, QueryCell, Store,
};

fn math() -> Model {
    let text = include_str!("../../../examples/math-actor/math.at");
    Model::parse(&AMBIENT_TALK, text).unwrap()
}

/// Keeps the graph of a program in a session file in memory; twice, the second in place of the first.
fn kept(model: &Model) -> Store {
    let mut store = Store::in_memory().unwrap();
    let graph = explored(model);
    let program = ModelProgram {
        name: "program".to_owned(),
        language: model.dialect().name().to_owned(),
        text: model.text().to_owned(),
        options: "grain rule".to_owned(),
        complete: true,
    };
    for words in [true, false] {
        let outcomes = graph.ends().into_iter().map(|end| ModelOutcome {
            id: end.outcome,
            kind: end.how.to_string(),
            text: end.text,
        });
        let states = (0..graph.states() as u32).map(|state| {
            let row = graph.state_row(state, words).unwrap();
            assert_eq!(row.text.is_some(), words);
            ModelState {
                id: row.id,
                depth: row.depth,
                via: row.via,
                status: row.status.to_owned(),
                outcome: row.outcome,
                cycle: row.cycle,
                text: row.text,
            }
        });
        let edges = (0..graph.edges() as u32).map(|edge| {
            let row = graph.edge_row(edge).unwrap();
            assert!(graph.leaving(row.source).contains(&edge));
            ModelEdge {
                id: row.id,
                source: row.source,
                target: row.target,
                option: row.step.option,
                agent: row.step.agent,
                rule: row.step.rule.to_owned(),
                text: row.step.text,
                line: row.step.line,
                rules: row.step.rules,
            }
        });
        store
            .keep_graph(&program, outcomes, states, edges, &mut || true)
            .unwrap();
    }
    store
}

fn explored(model: &Model) -> Box<dyn Multiverse> {
    let mut graph = model.multiverse(&Explore::default());
    graph.explore(&mut |_| true);
    graph
}

fn number(store: &mut Store, sql: &str) -> i64 {
    let table = store.query(sql, QueryBounds::default()).unwrap();
    match table.rows[0][0] {
        QueryCell::Integer(number) => number,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn sql_and_questions_agree() {
    let model = math();
    let graph = explored(&model);
    let mut store = kept(&model);
    assert_eq!(
        number(&mut store, "SELECT count(*) FROM model_state"),
        graph.states() as i64
    );
    let Ok(Reply::Ends(ends)) = graph.ask(&Question::Ends, &mut |_| true) else {
        panic!()
    };
    assert_eq!(ends.len(), 3);
    assert_eq!(
        number(
            &mut store,
            "SELECT count(*) FROM model_ends WHERE states = 1"
        ),
        3
    );

    let Ok(Reply::Ways(ways)) = graph.ask(&Question::ShortestToEnds, &mut |_| true) else {
        panic!()
    };
    for way in ways {
        let outcome = way.outcome.unwrap();
        let sql = format!(
            "SELECT agent, text FROM model_shortest WHERE outcome = {outcome} AND step > 0 ORDER BY step"
        );
        let table = store.query(&sql, QueryBounds::default()).unwrap();
        let expected: Vec<_> = way
            .steps
            .iter()
            .map(|step| {
                vec![
                    QueryCell::Text(step.agent.clone()),
                    QueryCell::Text(step.text.clone()),
                ]
            })
            .collect();
        assert_eq!(table.rows, expected);

        let Ok(Reply::States(states)) = graph.ask(&Question::CanReach(outcome), &mut |_| true)
        else {
            panic!()
        };
        let sql = format!(
            "WITH RECURSIVE can (id) AS (SELECT id FROM model_state WHERE outcome = {outcome}
             UNION SELECT source FROM model_edge JOIN can ON target = can.id)
             SELECT count(*) FROM can"
        );
        assert_eq!(number(&mut store, &sql), states.len() as i64);
        // Everything goes through the start.
        let Ok(Reply::States(through)) = graph.ask(&Question::Through(way.state), &mut |_| true)
        else {
            panic!()
        };
        assert_eq!(through, states);
    }
}

#[test]
fn outcomes_part_where_a_message_decides() {
    let model = math();
    let graph = explored(&model);
    for (first, second) in [(0, 1), (0, 2), (1, 2)] {
        let Ok(Reply::Divergence(Some(parting))) =
            graph.ask(&Question::Divergence(first, second), &mut |_| true)
        else {
            panic!()
        };
        // Outcomes part also where a third one takes both of their places.
        let decides = parting.first.iter().chain(&parting.second);
        let decides = decides.chain(&parting.neither);
        assert!(decides.clone().count() > 0);
        for step in decides {
            assert_eq!(step.rule, "FAR-ASYNCHRONOUS-SEND", "{}", step.text);
        }
    }
    let Ok(Reply::Ways(ways)) = graph.ask(&Question::ShortestToEnds, &mut |_| true) else {
        panic!()
    };
    let ends: Vec<_> = ways.iter().map(|way| way.state).collect();
    let Ok(Reply::Ancestors { all, last }) =
        graph.ask(&Question::CommonAncestors(ends), &mut |_| true)
    else {
        panic!()
    };
    assert!(all.contains(&0) && !last.is_empty());
    assert!(last.iter().all(|state| all.contains(state)));
    assert_eq!(
        graph.ask(&Question::Cycles, &mut |_| true),
        Ok(Reply::Cycles(Vec::new()))
    );
    assert_eq!(
        graph.ask(&Question::CanReach(3), &mut |_| true),
        Err(NoAnswer::Outcome(3, 3))
    );
    assert!(matches!(
        graph.ask(&Question::Through(99_999), &mut |_| true),
        Err(NoAnswer::State(99_999, _))
    ));
}

#[test]
fn cycles_are_told() {
    let text = "def ping() { self<-ping() }; self<-ping()";
    let model = Model::parse(&AMBIENT_TALK, text).unwrap();
    let graph = explored(&model);
    let Ok(Reply::Cycles(cycles)) = graph.ask(&Question::Cycles, &mut |_| true) else {
        panic!()
    };
    assert_eq!(cycles.len(), 1);
    let mut store = kept(&model);
    let sql = "SELECT count(*) FROM model_state WHERE cycle IS NOT NULL";
    assert_eq!(number(&mut store, sql), cycles[0].len() as i64);
}
