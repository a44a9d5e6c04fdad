//! How long a step back takes, from anywhere in a long recording that was just opened.

use std::path::{Path, PathBuf};
use std::time::Instant;

use borges_session::command::{Act, Command, Direction, Look, StepSize};
use borges_session::{Flow, Options, Reply, Session};

use crate::percentile;

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/programs/recording.wasm");

pub fn execute(session: &mut Session, command: impl Into<Command>) -> Result<Reply, String> {
    session
        .execute(command, &mut |_| Flow::Continue)
        .map_err(|e| e.to_string())
}

pub fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// What this process holds in memory now, and held at the most, in MiB.
fn resident_mib() -> (f64, f64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
        number.unwrap_or(f64::NAN) / 1024.0
    };
    (field("VmRSS:"), field("VmHWM:"))
}

/// Makes the recording, and measures in another process.
pub fn record(moments: usize, keep: Option<PathBuf>) -> Result<(), String> {
    let file = keep
        .clone()
        .unwrap_or_else(|| std::env::temp_dir().join(format!("borges-bench-{}.borges", std::process::id())));
    if !file.exists() {
        let options = Options {
            session_file: Some(file.clone()),
            ..Options::new(PROGRAM)
        };
        let start = Instant::now();
        let mut session = Session::open(options).map_err(|e| e.to_string())?;
        let reply = execute(
            &mut session,
            Act::Continue {
                direction: Direction::Forward,
            },
        )?;
        let Reply::Stopped(stop) = reply else {
            return Err(format!("{reply:?}"));
        };
        let (_, most) = resident_mib();
        println!(
            "recorded {} steps, {} entries in {:.1} s; file {:.1} MiB; at most {most:.0} MiB resident",
            stop.at.steps,
            stop.at.universe.index,
            ms(start) / 1e3,
            std::fs::metadata(&file).map_or(0.0, |data| data.len() as f64 / 1048576.0)
        );
        // Who opens it again is where the user was: here at the start, so that opening and going there are told apart.
        execute(&mut session, Act::Restart)?;
    }
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let status = std::process::Command::new(program)
        .args(["measure", "--moments", &moments.to_string(), "--file"])
        .arg(&file)
        .status()
        .map_err(|e| e.to_string())?;
    if keep.is_none() {
        let _left_behind = std::fs::remove_file(&file);
    }
    if status.success() {
        Ok(())
    } else {
        Err("the measuring process failed".into())
    }
}

/// Times of one kind, in ms.
pub struct Times(pub &'static str, pub Vec<f64>);

impl Times {
    pub fn print(&mut self) {
        let Times(name, times) = self;
        println!(
            "| {name} | {:.3} | {:.3} | {:.3} |",
            percentile(times, 50),
            percentile(times, 99),
            percentile(times, 100)
        );
    }
}

pub fn measure(moments: usize, file: &Path) -> Result<(), String> {
    let (before, _) = resident_mib();
    let start = Instant::now();
    let mut session = Session::resume(file).map_err(|e| e.to_string())?;
    let (opened, (after, most)) = (ms(start), resident_mib());
    println!("opened in {opened:.1} ms; resident {before:.1} MiB before, {after:.1} MiB after, {most:.1} MiB at most");
    // The recording's end: `@N` is a moment before it.
    execute(&mut session, Act::Jump { target: "tip".into() })?;
    let steps = session.here().steps;
    let (after, _) = resident_mib();
    println!(
        "to the end of {steps} steps in {:.1} ms; resident {after:.1} MiB",
        ms(start) - opened
    );
    let back = |size| Act::Step {
        agent: None,
        direction: Direction::Backward,
        size,
        count: 1,
    };
    let kinds = [
        ("back an instruction", StepSize::Instruction),
        ("again", StepSize::Instruction),
        ("back over an entry", StepSize::Entry),
        ("back a line (into)", StepSize::Into),
        ("back a line (over)", StepSize::Over),
        ("back out of the function", StepSize::Out),
    ];
    let mut times: Vec<Times> = kinds.iter().map(|(name, _)| Times(name, Vec::new())).collect();
    let (mut first, mut jumps) = (
        Times("jump, first 50", Vec::new()),
        Times("jump, the others", Vec::new()),
    );
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    for round in 0..moments {
        let target = format!("@{}", random(steps));
        let start = Instant::now();
        execute(&mut session, Act::Jump { target: target.clone() })?;
        let list = if round < 50 { &mut first } else { &mut jumps };
        list.1.push(ms(start));
        for (number, (_, size)) in kinds.iter().enumerate() {
            // Each from the same place, but for the second instruction.
            if number > 1 {
                execute(&mut session, Act::Jump { target: target.clone() })?;
            }
            let start = Instant::now();
            execute(&mut session, back(*size))?;
            times[number].1.push(ms(start));
        }
    }
    println!("\n| from {moments} random moments, ms | median | 99 % | longest |\n|---|---:|---:|---:|");
    [first, jumps].iter_mut().chain(&mut times).for_each(Times::print);
    if let Reply::Info(info) = execute(&mut session, Look::Info)? {
        println!(
            "\n{} snapshots, {:.1} MiB",
            info.snapshots,
            info.snapshot_bytes as f64 / 1048576.0
        );
    }
    let (now, most) = resident_mib();
    println!("resident {now:.1} MiB at the end, {most:.1} MiB at most");
    Ok(())
}
