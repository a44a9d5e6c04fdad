//! Futures that are played out, universes at a glance, and values at each time that a place was passed.

use borges_session::command::played::{
    DensityListing, HitsListing, LeafOutcome, LeavesListing, PlayUntil, PlayedListing,
};
use borges_session::command::{
    Act, CodePlace, Command, Direction, Event, Look, NewBreakpoint, Reply, StopKind, StopReason,
};
use borges_session::{Flow, Options, Session};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

fn open(program: &str, board: Option<&str>) -> Session {
    let path = |name: &str| format!("{EXAMPLES}/{name}").into();
    let options = Options {
        board: board.map(path),
        ..Options::new(format!("{EXAMPLES}/{program}"))
    };
    Session::open(options).expect("it opens")
}

fn run(session: &mut Session, command: impl Into<Command>) -> Reply {
    let reply = session.execute(command, &mut |_| Flow::Continue);
    reply.expect("it is carried out")
}

/// Right before the dial reads its sensor for the first time.
fn dial(board: Option<&str>) -> Session {
    let mut session = open("color-dial/color-dial.wasm", board);
    // By the name that the source has for it.
    let set = run(
        &mut session,
        Act::Break(NewBreakpoint {
            kind: StopKind::Primitive("readUartSensor".to_owned()),
            agent: None,
            condition: None,
            hits: 0,
            log: None,
        }),
    );
    let Reply::BreakpointSet(set) = set else {
        panic!("{set:?}");
    };
    assert_eq!(
        set.what,
        "calls of readUartSensor, which is read_uart_sensor"
    );
    go_on(&mut session);
    run(&mut session, Act::DeleteBreakpoints { ids: vec![set.id] });
    session
}

fn go_on(session: &mut Session) {
    let direction = Direction::Forward;
    run(session, Act::Continue { direction });
}

fn play(session: &mut Session, at: Option<&str>, values: &str, until: PlayUntil) -> PlayedListing {
    let act = Act::Play {
        at: at.map(str::to_owned),
        values: values.to_owned(),
        until,
    };
    match run(session, act) {
        Reply::Played(listing) => *listing,
        other => panic!("{other:?}"),
    }
}

fn leaves(session: &mut Session, from: u32, most: u32) -> LeavesListing {
    let look = Look::Leaves {
        universes: Vec::new(),
        expressions: vec!["motor 0".to_owned(), "nothing".to_owned()],
        paint: Some("motor 0 > 300".to_owned()),
        boards: true,
        from,
        most,
    };
    match run(session, look) {
        Reply::Leaves(listing) => listing,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_value_is_played_to_the_end_of_its_round() {
    let mut session = dial(None);
    let here = session.here();
    let played = play(&mut session, None, "0..7", PlayUntil::Round);
    assert_eq!((played.wanted, played.played.len()), (8, 8));
    assert_eq!(session.here().universe, here.universe);
    for (nth, row) in played.played.iter().enumerate() {
        assert_eq!(row.value, nth.to_string());
        assert_eq!(row.end, StopReason::Done);
        // It stands right before the same input.
        let target = row.universe.to_string();
        run(&mut session, Act::Jump { target });
        let at = session.here();
        assert_eq!((at.steps, &at.call), (row.steps, &here.call));
        run(&mut session, Act::Verify);
    }
    // Played again, it comes to the same, and nothing is new.
    let at = here.universe.to_string();
    let again = play(&mut session, Some(&at), "0..7", PlayUntil::Round);
    assert_eq!(again.added, 0);
    assert_eq!(again.played, played.played);
}

#[test]
fn a_reading_of_the_past_is_changed_in_one_act() {
    let mut session = dial(None);
    let before = session.here().universe;
    let first = play(&mut session, None, "3", PlayUntil::Round);
    // With one value the view goes along.
    assert_eq!(session.here().universe, first.played[0].universe);
    // Named by what comes right after the input, and by what is right before it.
    for at in [first.played[0].begins, before] {
        let at = at.to_string();
        let other = play(&mut session, Some(&at), "7", PlayUntil::Round);
        assert_eq!(other.at, before);
        assert_eq!(session.here().universe, other.played[0].universe);
        assert_ne!(other.played[0].universe, first.played[0].universe);
    }
    // Values that cannot be are refused, and the view stays.
    let here = session.here();
    for (at, values) in [(before.to_string(), "8"), ("start".to_owned(), "1")] {
        let act = Act::Play {
            at: Some(at),
            values: values.to_owned(),
            until: PlayUntil::Round,
        };
        assert!(session.execute(act, &mut |_| Flow::Continue).is_err());
        assert_eq!(session.here().universe, here.universe);
    }
}

#[test]
fn a_future_is_played_until_what_was_said() {
    let mut session = dial(Some("color-dial/peg.toml"));
    let at = session.here().universe.to_string();
    let until = PlayUntil::Place {
        place: CodePlace::Line {
            file: None,
            line: 19,
        },
    };
    let to_line = play(&mut session, Some(&at), "1, 2", until);
    for row in &to_line.played {
        assert_eq!(row.end, StopReason::Done);
    }
    let later = play(
        &mut session,
        Some(&at),
        "1, 2",
        PlayUntil::Time { ms: 5_000 },
    );
    for (near, far) in to_line.played.iter().zip(&later.played) {
        assert!(near.steps < far.steps, "{near:?} {far:?}");
        assert_eq!(far.end, StopReason::Done);
    }
    // A limit of the board stops whatever is played.
    let all = play(&mut session, Some(&at), "0..7", PlayUntil::Round);
    let broken = all.played.iter();
    let broken = broken.filter(|row| matches!(row.end, StopReason::Limit { .. }));
    assert_eq!(broken.map(|row| &*row.value).collect::<Vec<_>>(), ["7"]);
    // One value for each set that leads to a path of its own.
    let sets = play(&mut session, Some(&at), "sets", PlayUntil::Round);
    assert!((2..8).contains(&sets.played.len()), "{sets:?}");
    assert!(sets.played.iter().all(|row| row.set.is_some()));
    // Nothing need be played.
    let none = play(&mut session, Some(&at), "0..7", PlayUntil::Nowhere);
    assert!(none.played.iter().all(|row| row.begins == row.universe));
}

#[test]
fn what_was_played_before_a_pause_stays() {
    let mut session = dial(None);
    let here = session.here().universe;
    let mut looked = 0;
    let act = Act::Play {
        at: None,
        values: "0..7".to_owned(),
        until: PlayUntil::Round,
    };
    let reply = session.execute(act, &mut |event| {
        let between = matches!(event, Event::Progress { what, total, .. } if what == "playing out" && total == Some(8));
        looked += u32::from(between);
        if looked > 3 { Flow::Pause } else { Flow::Continue }
    });
    match reply {
        Ok(Reply::Played(listing)) => {
            assert_eq!((listing.wanted, listing.played.len()), (8, 3));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(session.here().universe, here);
}

#[test]
fn universes_are_seen_at_a_glance_in_pieces() {
    let mut session = dial(None);
    play(&mut session, None, "0..7", PlayUntil::Round);
    let here = session.here();
    let all = leaves(&mut session, 0, 100);
    assert_eq!((all.all, all.leaves.len(), all.next), (8, 8, None));
    let painted: Vec<usize> = (0..8)
        .filter(|nth| all.leaves[*nth].painted == Some(true))
        .collect();
    let worst = all
        .leaves
        .iter()
        .position(|row| row.values[0].as_deref() == Some("315"));
    assert_eq!(Some(painted), worst.map(|nth| vec![nth]));
    for row in &all.leaves {
        assert_eq!((&row.values[1], &row.outcome), (&None, &LeafOutcome::Open));
        let board = &all.boards[row.board.expect("it was asked for") as usize];
        let motors = board["motors"].as_array().cloned().unwrap_or_default();
        let degrees = motors
            .first()
            .map_or(0.0, |motor| motor["degrees"].as_f64().unwrap_or(-1.0));
        assert_eq!(row.values[0].as_deref(), Some(&*format!("{degrees}")));
    }
    let mut pieces = Vec::new();
    let mut from = Some(0);
    while let Some(next) = from {
        let piece = leaves(&mut session, next, 3);
        from = piece.next;
        pieces.extend(piece.leaves);
    }
    let same = |row: &borges_session::command::played::LeafRow| (row.universe, row.values.clone());
    assert_eq!(
        pieces.iter().map(same).collect::<Vec<_>>(),
        all.leaves.iter().map(same).collect::<Vec<_>>()
    );
    assert_eq!(session.here(), here);
}

fn hits(session: &mut Session, line: u32, from: u64, most: u32) -> HitsListing {
    let look = Look::Hits {
        place: CodePlace::Line { file: None, line },
        expression: "current".to_owned(),
        from,
        most,
    };
    match run(session, look) {
        Reply::Hits(listing) => listing,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_log_is_written_in_hindsight() {
    let mut session = dial(None);
    for value in ["1", "4", "4", "2"] {
        play(&mut session, None, value, PlayUntil::Round);
    }
    let here = session.here();
    let all = hits(&mut session, 19, 0, 100);
    assert_eq!(all.next, None);
    assert_eq!(all.hits.len(), 3, "{all:?}");
    assert!(all.hits.windows(2).all(|two| two[0].steps < two[1].steps));
    // As a breakpoint there sees it.
    run(&mut session, Act::Restart);
    run(
        &mut session,
        Act::Break(NewBreakpoint {
            kind: StopKind::Code(CodePlace::Line {
                file: None,
                line: 19,
            }),
            agent: None,
            condition: None,
            hits: 0,
            log: None,
        }),
    );
    for hit in &all.hits {
        go_on(&mut session);
        assert_eq!(session.here().universe, hit.universe);
    }
    let (mut pieces, mut from) = (Vec::new(), Some(0));
    while let Some(next) = from {
        let piece = hits(&mut session, 19, next, 1);
        from = piece.next;
        pieces.extend(piece.hits);
    }
    assert_eq!(pieces, all.hits);
    // What is in no frame there is refused.
    let wrong = Look::Hits {
        place: CodePlace::Line {
            file: None,
            line: 19,
        },
        expression: "curent".to_owned(),
        from: 0,
        most: 1,
    };
    let refused = session.execute(wrong, &mut |_| Flow::Continue);
    assert!(refused.is_err_and(|error| error.to_string().contains("current")));
    // All entries are counted, in few stretches and in many.
    let entries = here.universe.index;
    for stretches in [1, 7, 8_192] {
        match run(&mut session, Look::Density { stretches }) {
            Reply::Density(DensityListing {
                inputs,
                outputs,
                events,
                ..
            }) => {
                assert_eq!(inputs.len(), stretches as usize);
                let sum: u32 = inputs.iter().chain(&outputs).chain(&events).sum();
                assert_eq!(sum, entries);
            }
            other => panic!("{other:?}"),
        }
    }
}
