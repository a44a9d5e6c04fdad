//! Nothing is deaf to a pause, and a pause changes nothing but when.
//!
//! The law: whatever command on the past is paused, at whichever event, the view then stands where a plain run could stand
//! ([`Walk::check`] holds state, board and environment against one), and the command, said again until it is done, answers
//! what it answers to somebody who never paused.

use crate::support::scenario::{Kind, Line, Scenario};
use crate::support::seeds::check;
use crate::support::walk::{Manners, Walk};
use borges_languages::model::debug::Order;
use borges_languages::model::{AMBIENT_TALK, Explore, Model};
use borges_session::command::{
    Act, CodePlace, Command, Direction, Event, Look, NewBreakpoint, Reply, StepSize, StopKind,
    StopReason,
};
use borges_session::model::{ModelSession, Progress, Question, Why};
use borges_session::{CommandError, Flow, Options, Session};
use fastrand::Rng;

const CASES: u64 = 80;
const COMMANDS: usize = 12;

/// Which event is answered with a pause.
const AT: [u32; 3] = [1, 2, 10];

const CALM: Manners = Manners {
    pauses: false,
    uploads: false,
    cable: false,
};

/// Replays are long, and looked at often.
fn options(scenario: &Scenario) -> Options {
    Options {
        keyframe_spacing: 1_000_000,
        look_every: 20,
        ..scenario.options(Line::Direct)
    }
}

fn backward(size: StepSize) -> Act {
    Act::Step {
        agent: None,
        direction: Direction::Backward,
        size,
        count: 1,
    }
}

/// A command that looks for something in what is recorded, or shows another moment of it.
fn random_command(rng: &mut Rng, steps: u64, offsets: &[u32]) -> Command {
    let direction = match rng.bool() {
        true => Direction::Forward,
        false => Direction::Backward,
    };
    let place = CodePlace::Offset(offsets[rng.usize(..offsets.len())]);
    let at = |rng: &mut Rng| format!("@{}", rng.u64(0..=steps));
    match rng.u8(0..12) {
        0 | 1 => Act::Jump { target: at(rng) }.into(),
        2 | 3 => Act::Continue { direction }.into(),
        4 => Act::RunTo { place, direction }.into(),
        5 => Act::Who {
            what: "0, 64".to_owned(),
        }
        .into(),
        6 => Look::Compare {
            left: at(rng),
            right: at(rng),
        }
        .into(),
        7 => Look::Series {
            expressions: vec!["0".to_owned()],
            samples: 20,
        }
        .into(),
        8 => Look::Entries {
            branch: 0,
            from: 0,
            count: 1000,
            calls: true,
        }
        .into(),
        9 => Look::Path { around: 1000 }.into(),
        10 => backward(StepSize::Out).into(),
        _ => backward(StepSize::Over).into(),
    }
}

/// Whether an answer says that the command was paused.
fn is_paused(answer: &Result<Reply, CommandError>) -> bool {
    match answer {
        Ok(Reply::Stopped(stop)) => stop.reason == StopReason::Paused,
        Ok(Reply::Done { message }) => message.starts_with("paused"),
        Err(CommandError::Paused) => true,
        _ => false,
    }
}

/// Carries a command out and pauses it at its `at`-th event; the answer, and whether there were so many.
fn pause_at(
    session: &mut Session,
    command: &Command,
    at: u32,
) -> (Result<Reply, CommandError>, bool) {
    let mut events = 0;
    let answer = session.execute(command.clone(), &mut |_: Event| {
        events += 1;
        match events >= at {
            true => Flow::Pause,
            false => Flow::Continue,
        }
    });
    (answer, events >= at)
}

/// What both sessions must agree on: not how much of a device's line was used, nor where snapshots lie.
fn told(answer: Result<Reply, CommandError>) -> String {
    match answer {
        Ok(reply) => format!("{reply:?}"),
        Err(error) => error.to_string(),
    }
}

fn execute(session: &mut Session, command: impl Into<Command>) -> Result<Reply, CommandError> {
    session.execute(command, &mut |_| Flow::Continue)
}

/// Where instructions begin in what the program executes at the start and at the end.
fn offsets(session: &mut Session) -> Vec<u32> {
    let mut offsets = Vec::new();
    for target in ["start", "@7", "@30", "@60"] {
        let target = target.to_owned();
        let _beyond_the_end = execute(session, Act::Jump { target });
        offsets.extend(session.here().offset);
    }
    let target = "start".to_owned();
    execute(session, Act::Jump { target }).expect("the start is always there");
    offsets
}

fn paused_and_not(seed: u64) {
    let kind = Kind {
        slip: false,
        forever: false,
        ..Kind::WILD
    };
    let scenario = Scenario::new(seed, kind);
    let mut rng = Rng::with_seed(seed);
    let mut plain = scenario.open(options(&scenario));
    let paused = scenario.open(options(&scenario));
    let mut walk = Walk::new(&scenario, paused, seed, CALM);
    let onward = Act::Continue {
        direction: Direction::Forward,
    };
    for session in [&mut plain, &mut walk.session] {
        execute(session, onward.clone()).expect("the program runs");
    }
    let steps = plain.here().steps;
    let offsets = offsets(&mut plain);
    execute(&mut walk.session, Act::Restart).expect("the start is always there");
    if rng.bool() {
        let kind = StopKind::Code(CodePlace::Offset(offsets[rng.usize(..offsets.len())]));
        let condition = rng.bool().then(|| "0 == 1".to_owned());
        let breakpoint = NewBreakpoint {
            agent: None,
            kind,
            condition,
            hits: 0,
            log: None,
        };
        for session in [&mut plain, &mut walk.session] {
            execute(session, Act::Break(breakpoint.clone())).expect("the place was executed");
        }
    }
    for _ in 0..COMMANDS {
        let command = random_command(&mut rng, steps, &offsets);
        let expected = told(execute(&mut plain, command.clone()));
        let mut at = AT[rng.usize(..AT.len())];
        let answer = loop {
            let (answer, reached) = pause_at(&mut walk.session, &command, at);
            walk.check();
            // Sampling keeps what it has and does not say why it ended; nothing else answers a part.
            let partial = reached && matches!(command, Command::Look(Look::Series { .. }));
            if !is_paused(&answer) && !partial {
                break answer;
            }
            // So that it comes to an end also where it begins anew.
            at = at.saturating_mul(2);
        };
        let story = walk.story();
        assert_eq!(told(answer), expected, "{command:?}\n{story}");
        assert_eq!(walk.session.here(), plain.here(), "{command:?}\n{story}");
        let states = [walk.session.machine().hash(), plain.machine().hash()];
        assert_eq!(states[0], states[1], "{command:?}\n{story}");
    }
}

#[test]
fn a_pause_changes_nothing_but_when_part_1() {
    check("a_pause_changes_nothing_but_when", 0, CASES, paused_and_not);
}

#[test]
fn a_pause_changes_nothing_but_when_part_2() {
    check("a_pause_changes_nothing_but_when", 1, CASES, paused_and_not);
}

#[test]
fn a_pause_changes_nothing_but_when_part_3() {
    check("a_pause_changes_nothing_but_when", 2, CASES, paused_and_not);
}

#[test]
fn a_pause_changes_nothing_but_when_part_4() {
    check("a_pause_changes_nothing_but_when", 3, CASES, paused_and_not);
}

/// Reads for ever, and works a little between its readings. Wherever its recording ends, it is in a call.
const READER: &str = r#"(module
    (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
    (memory 1)
    (func $work (local $left i32)
        (local.set $left (i32.const 20))
        (loop $again
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (br_if $again (local.get $left))))
    (func $readings
        (loop $again
            (i32.store (i32.const 0) (call $read (i32.const 10)))
            (call $work)
            (br $again)))
    (func (export "main") (call $readings)))"#;

/// A recording of some thousand entries, that ends where it was full.
fn long_recording() -> Session {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("reader.wasm");
    let wasm = wat::parse_str(READER).expect("it is a module");
    std::fs::write(&program, wasm).expect("it is written");
    let options = Options {
        keyframe_spacing: 10_000_000,
        look_every: 100,
        live_entries: 5_000,
        device_slice: 10_000,
        ..Options::new(program)
    };
    let mut session = Session::open(options).expect("the example opens");
    let onward = Act::Continue {
        direction: Direction::Forward,
    };
    execute(&mut session, onward).expect("the program runs");
    session
}

/// The view after every command is where it was, but after those that go forward.
#[test]
fn every_long_command_stops_at_the_event_that_is_answered_with_a_pause() {
    let mut session = long_recording();
    let tip = session.here();
    let Ok(Reply::Moment { moment, .. }) = execute(&mut session, Look::Moment) else {
        panic!("every moment has a name")
    };
    let never = NewBreakpoint {
        agent: None,
        kind: StopKind::Write("60000, 4".to_owned()),
        condition: None,
        hits: 0,
        log: None,
    };
    execute(&mut session, Act::Break(never)).expect("memory can be watched");
    let function = || CodePlace::Function("main".to_owned());
    let back_to_main = Act::RunTo {
        place: function(),
        direction: Direction::Backward,
    };
    let backward_steps = Act::Step {
        agent: None,
        direction: Direction::Backward,
        size: StepSize::Entry,
        count: 100,
    };
    let from_the_tip: [Command; 11] = [
        Act::Jump {
            target: format!("@{}", tip.steps / 2),
        }
        .into(),
        Act::Continue {
            direction: Direction::Backward,
        }
        .into(),
        back_to_main.into(),
        backward_steps.into(),
        backward(StepSize::Out).into(),
        Act::Who {
            what: "60000, 4".to_owned(),
        }
        .into(),
        Look::Compare {
            left: "@10".to_owned(),
            right: format!("@{}", tip.steps - 10),
        }
        .into(),
        Look::Series {
            expressions: vec!["1".to_owned()],
            samples: 100,
        }
        .into(),
        Look::Entries {
            branch: 0,
            from: 0,
            count: 5000,
            calls: true,
        }
        .into(),
        Look::Path { around: 5000 }.into(),
        Act::Jump { target: moment }.into(),
    ];
    for command in from_the_tip {
        for at in AT {
            let (progress, answer) = paused_at(&mut session, &command, at);
            assert_eq!(progress, at, "{command:?}: {answer:?}");
            // Steps that were taken are not taken back.
            if matches!(command, Command::Act(Act::Step { .. })) {
                let target = "tip".to_owned();
                execute(&mut session, Act::Jump { target }).expect("it is recorded");
            }
            assert_eq!(session.here(), tip, "{command:?} at {at}");
        }
    }
    let onward = Command::from(Act::Continue {
        direction: Direction::Forward,
    });
    for at in AT {
        execute(&mut session, Act::Restart).expect("the start is always there");
        let (progress, answer) = paused_at(&mut session, &onward, at);
        assert_eq!(progress, at, "{answer:?}");
        let steps = session.here().steps;
        assert!((u64::from(at) * 100..tip.steps).contains(&steps), "{steps}");
    }
}

/// Pauses a command at its `at`-th sign of progress; how many there were, and the answer.
fn paused_at(
    session: &mut Session,
    command: &Command,
    at: u32,
) -> (u32, Result<Reply, CommandError>) {
    let mut progress = 0;
    let answer = session.execute(command.clone(), &mut |event: Event| {
        progress += u32::from(matches!(event, Event::Progress { .. }));
        match progress >= at {
            true => Flow::Pause,
            false => Flow::Continue,
        }
    });
    (progress, answer)
}

/// Two clients take from an account what they saw there, and two others only look.
const WITHDRAWALS: &str = "\
def acc := actor: { def bal := 10; def balance() { bal }; def withdraw(x) { bal := bal-x } };
def one := actor: { |acc| def start() { when: acc<-balance()@FutureMessage becomes: {|b| if: (b >= 10) then: { acc<-withdraw(10) }} } };
def two := actor: { |acc| def start() { when: acc<-balance()@FutureMessage becomes: {|b| if: (b >= 10) then: { acc<-withdraw(10) }} } };
one<-start(); two<-start()";

/// What is paused when a session is told how far it is for the `at`-th time: its answer, and how often it was asked
/// after that whether to go on.
fn paused<T>(at: u32, work: impl FnOnce(&mut dyn FnMut(&Progress) -> bool) -> T) -> (T, u32) {
    let mut asked = 0;
    let answer = work(&mut |_| {
        asked += 1;
        asked < at
    });
    (answer, asked.saturating_sub(at))
}

/// Sessions with programs of model languages: a pause ends a run, a search or a question at once, what was found stays,
/// and the same again comes to what it comes to without a pause.
#[test]
fn sessions_of_models_keep_what_they_found() {
    let model = Model::parse(&AMBIENT_TALK, WITHDRAWALS).unwrap();
    let fresh = || {
        let name = "withdrawals".to_owned();
        ModelSession::new(name, model.clone(), Explore::default(), None)
    };
    let overdrawn = || Order::Break {
        spec: "when acc.bal == -10".to_owned(),
    };
    let mut calm = fresh();
    let ends = calm.ask(&Question::Ends, |_| true).unwrap();
    let known = calm.graph(|_| true).states();
    calm.carry_out(Order::Run, |_| true).unwrap();
    let universes = calm.debugger().len();
    for at in [1, 2, 5] {
        let mut session = fresh();
        let mut found = 0;
        for _ in 0..3 {
            let ask = |watch: &mut dyn FnMut(&Progress) -> bool| {
                session.ask(&Question::Ends, watch).map(drop).unwrap();
            };
            let ((), late) = paused(at, ask);
            let (why, states) = session.partial().unwrap();
            assert_eq!((why, late), (Why::Cancelled, 0), "at {at}");
            assert!(
                states >= found && states < known as u64,
                "{found}, {states}"
            );
            found = states;
        }
        assert_eq!(session.ask(&Question::Ends, |_| true).unwrap(), ends);
        assert_eq!(session.graph(|_| true).states(), known);

        let mut found = 0;
        for _ in 0..3 {
            let run = |watch: &mut dyn FnMut(&Progress) -> bool| {
                session.carry_out(Order::Run, watch).unwrap()
            };
            let (came, late) = paused(at, run);
            let ran = came.ran.unwrap();
            assert_eq!((ran.stopped, late), (true, 0), "at {at}");
            assert!(session.debugger().len() >= found);
            found = session.debugger().len();
        }
        session.carry_out(Order::Run, |_| true).unwrap();
        assert_eq!(session.debugger().len(), universes);

        let mut session = fresh();
        session.carry_out(overdrawn(), |_| true).unwrap();
        let seek = |watch: &mut dyn FnMut(&Progress) -> bool| {
            let seek = Order::Seek { universe: 0 };
            session.carry_out(seek, watch).unwrap().ran.unwrap()
        };
        let (ran, late) = paused(1, seek);
        assert_eq!((ran.stopped, late), (true, 0));
        let seek = Order::Seek { universe: 0 };
        let ran = session.carry_out(seek, |_| true).unwrap().ran.unwrap();
        assert_eq!(ran.paused.len(), 1);
    }
}
