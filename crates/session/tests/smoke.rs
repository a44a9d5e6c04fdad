//! A first walk through the colour dial.
use borges_session::command::{Command, Direction, StepSize};
use borges_session::{Flow, Options, Reply, Session};

fn run(session: &mut Session, command: Command) -> Reply {
    let reply = session.execute(command, &mut |e| { if !matches!(e, borges_session::Event::Progress{..}) {println!("  event {e:?}");} Flow::Continue }).unwrap();
    println!("{}", serde_json::to_string(&reply).unwrap());
    reply
}

#[test]
fn smoke() {
    let mut options = Options::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/color-dial/color-dial.wasm"));
    options.seed = Some(1);
    let mut s = Session::open(options).unwrap();
    let f = Direction::Forward;
    let b = Direction::Backward;
    run(&mut s, Command::Info);
    run(&mut s, Command::Step { direction: f, size: StepSize::Instruction, count: 3 });
    for _ in 0..6 { run(&mut s, Command::Step { direction: f, size: StepSize::Over, count: 1 }); }
    run(&mut s, Command::Step { direction: f, size: StepSize::Entry, count: 4 });
    run(&mut s, Command::Tree { lines: 30 });
    run(&mut s, Command::Path { around: 10 });
    for _ in 0..4 { run(&mut s, Command::Step { direction: b, size: StepSize::Over, count: 1 }); }
    run(&mut s, Command::Step { direction: b, size: StepSize::Entry, count: 1 });
    run(&mut s, Command::Follow { always: None });
    run(&mut s, Command::Verify);
    run(&mut s, Command::Step { direction: f, size: StepSize::Entry, count: 8 });
    run(&mut s, Command::Verify);
    run(&mut s, Command::Jump { target: "0.1".into() });
    run(&mut s, Command::Branches { values: "0..3".into() });
    run(&mut s, Command::Tree { lines: 30 });
    run(&mut s, Command::Jump { target: "1.2".into() });
    run(&mut s, Command::Step { direction: f, size: StepSize::Over, count: 3 });
    run(&mut s, Command::Tree { lines: 30 });
    run(&mut s, Command::Variables { frame: 0 });
    run(&mut s, Command::Stack);
    run(&mut s, Command::Verify);
    let m = run(&mut s, Command::Moment);
    run(&mut s, Command::Restart);
    if let Reply::Moment { moment, .. } = m { run(&mut s, Command::Jump { target: moment }); }
    run(&mut s, Command::Info);
    run(&mut s, Command::Who { what: "current".into() });
}
