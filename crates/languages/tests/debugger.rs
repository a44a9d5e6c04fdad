//! One debugger for faces over all model languages.

use borges_languages::model::debug::{Came, Debugger, Order, RanRow, Refused};
use borges_languages::model::{AMB, AMBIENT_TALK, Dialect, Explore, MU_OZ, Model};

fn debugger(dialect: &'static dyn Dialect, text: &str) -> Box<dyn Debugger> {
    let model = Model::parse(dialect, text).unwrap();
    model.debugger(&Explore::default())
}

fn ran(debugger: &mut dyn Debugger, order: Order) -> RanRow {
    let Ok(Came { ran: Some(ran), .. }) = debugger.carry_out(order, &mut |_| true) else {
        panic!("it runs")
    };
    ran
}

/// All that a face can see of a session hangs together.
fn check_graph(debugger: &dyn Debugger) {
    for edge in 0..debugger.links() {
        let link = debugger.link(edge).unwrap();
        assert_eq!(
            debugger.ends_of(edge),
            Some((link.from, link.to, link.command))
        );
        assert!(debugger.links_from(link.from).contains(&edge));
        debugger.difference(edge).unwrap();
    }
    for universe in 0..debugger.len() {
        let card = debugger.card(universe).unwrap();
        let mut at = 0;
        for edge in card.path {
            let (from, to, _) = debugger.ends_of(edge).unwrap();
            assert_eq!(from, at);
            at = to;
        }
        assert_eq!(at, universe, "the path leads there");
        let status = debugger.node(universe).unwrap().status;
        assert_eq!(
            card.outcome.is_some(),
            matches!(status, "end" | "stuck" | "deadlock")
        );
    }
}

/// D_amb: STEP pauses after every choice, RESUME goes on to the ends.
#[test]
fn steps_and_resumes_are_those_of_d_amb() {
    let mut debugger = debugger(&AMB, "(+ (amb 1 2) (amb 3 4))");
    let card = debugger.card(0).unwrap();
    let labels: Vec<_> = card.possible.iter().map(|p| p.label.as_str()).collect();
    assert_eq!(labels, ["resume", "step"]);
    let step = card.possible[1].order.clone();
    let after = ran(&mut *debugger, step.clone());
    assert_eq!((after.paused.len(), after.ends.len()), (2, 0));
    // The same command again is the same edge.
    let links = debugger.links();
    assert_eq!(ran(&mut *debugger, step), after);
    assert_eq!(debugger.links(), links);
    let all = ran(&mut *debugger, Order::Run);
    let outcomes = all
        .ends
        .iter()
        .map(|end| debugger.card(*end).unwrap().outcome);
    let mut outcomes: Vec<_> = outcomes.map(Option::unwrap).collect();
    outcomes.sort();
    outcomes.dedup();
    assert_eq!(outcomes, ["finished: 4", "finished: 5", "finished: 6"]);
    check_graph(&*debugger);
}

#[test]
fn threads_step_one_by_one_and_halt_at_texts() {
    let text = include_str!("../../../examples/order-violation/order-violation.oz");
    let mut debugger = debugger(&MU_OZ, text);
    let step = Order::Step {
        universe: 0,
        agent: "t0".to_owned(),
        kind: "step".to_owned(),
    };
    let after = ran(&mut *debugger, step);
    assert_eq!(after.paused.len(), 1);
    let nobody = Order::Step {
        universe: 0,
        agent: "t7".to_owned(),
        kind: "step".to_owned(),
    };
    assert_eq!(
        debugger.carry_out(nobody, &mut |_| true),
        Err(Refused::NoAgent("t7".to_owned(), "t0".to_owned()))
    );
    let spec = "when x = ".to_owned();
    debugger
        .carry_out(Order::Break { spec: spec.clone() }, &mut |_| true)
        .unwrap();
    let halted = ran(&mut *debugger, Order::Run);
    assert!(!halted.paused.is_empty() && halted.ends.is_empty());
    let why = debugger.node(halted.paused[0]).unwrap().why;
    assert_eq!(why, [format!("breakpoint 1 ({spec})")]);
    let sent = (0..debugger.links()).filter_map(|edge| debugger.link(edge)?.receiver);
    assert!(sent.count() > 0, "sends name their port");
    let model = Model::parse(&MU_OZ, text).unwrap();
    let mut graph = model.multiverse(&Explore::default());
    graph.explore(&mut |_| true);
    let judgement = graph.occurs("x = 2", &mut |_| true).unwrap();
    assert_eq!(
        (judgement.may.holds, judgement.must.holds),
        (Some(true), Some(false))
    );
    assert!(
        !judgement.must.steps.is_empty(),
        "a run without it is shown"
    );
    let both = graph.check("F {x = 1} | F {x = 2}", &mut |_| true).unwrap();
    assert_eq!(both.must.holds, Some(true));
    check_graph(&*debugger);
}

#[test]
fn actors_have_voyagers_commands() {
    let text = include_str!("../../../examples/math-actor/math.at");
    let mut debugger = debugger(&AMBIENT_TALK, text);
    let spec = "receiver getResult".to_owned();
    debugger
        .carry_out(Order::Break { spec }, &mut |_| true)
        .unwrap();
    let halted = ran(&mut *debugger, Order::Run);
    assert!(halted.ends.is_empty(), "every run pauses there");
    let universe = halted.paused[0];
    // Whatever the menu offers can be said, and is drawn as a command.
    for possible in debugger.card(universe).unwrap().possible {
        let before = debugger.links();
        debugger.carry_out(possible.order, &mut |_| true).unwrap();
        assert!(debugger.links() >= before);
    }
    let commands = debugger.links_from(universe).into_iter();
    let commands: Vec<_> = commands.map(|edge| debugger.link(edge).unwrap()).collect();
    assert!(commands.len() > 5 && commands.iter().all(|link| link.command));
    let messages = (0..debugger.links()).filter_map(|edge| debugger.link(edge));
    let mut sends = messages.filter(|link| link.text.starts_with("client1 sends double(12)"));
    let send = sends.next().unwrap();
    assert_eq!(
        (send.agent.as_str(), send.receiver.as_deref()),
        ("client1", Some("math"))
    );
    check_graph(&*debugger);
    let wrong = debugger.carry_out(
        Order::Edit {
            text: "def".to_owned(),
        },
        &mut |_| true,
    );
    assert!(matches!(wrong, Err(Refused::Program { .. })));
}

/// A session of an actor that counts, run to where nothing goes on any more; and whether that is the program's end.
fn counted(turns: u64) -> (u32, bool) {
    let text = format!(
        "def a := actor: {{ def n := 0; def up() {{ n := n + 1; if: (n < {turns}) then: {{ self<-up() }} }} }}; a<-up();"
    );
    let mut debugger = debugger(&AMBIENT_TALK, &text);
    let ran = ran(&mut *debugger, Order::Run);
    assert_eq!(ran.cut, ran.ends.is_empty());
    (debugger.len(), !ran.cut)
}

#[test]
fn a_session_keeps_a_hundred_thousand_universes() {
    let (one, two) = (counted(1).0, counted(2).0);
    let each = two - one;
    // Whether something follows the last is not looked at when there is no room for it.
    let turns = u64::from((99_999 - one) / each) + 1;
    let (len, ended) = counted(turns);
    assert!(ended && len + each >= 100_000, "{len}");
    // One turn more has no room, and that is said.
    assert_eq!(counted(turns + 1), (100_000, false));
}
