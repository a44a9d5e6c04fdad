//! What moving around costs in a program with a large memory.

use std::path::{Path, PathBuf};

use borges_session::command::{Act, Direction, Look, StepSize};
use borges_session::{Options, Provided, Reply, Session};
use borges_vm::{Exit, Limits, Machine, Module, Shared, Until, Value};

use crate::back::{Times, execute};
use crate::cpu_time_ns;

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/programs/large.wasm");

/// The program to measure, and what it finds if it is one of WASI.
pub struct Large {
    pub program: Option<PathBuf>,
    pub input: Option<PathBuf>,
    pub arguments: Vec<String>,
}

/// CPU time: all of it is spent in this thread, and other processes take none of it.
struct Stopwatch(u64);

impl Stopwatch {
    fn start() -> Self {
        Self(cpu_time_ns())
    }

    fn ms(&self) -> f64 {
        (cpu_time_ns() - self.0) as f64 / 1e6
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn print_all(title: &str, times: &mut [Times]) {
    println!("\n| {title}, ms of CPU time | median | 99 % | longest |\n|---|---:|---:|---:|");
    times.iter_mut().for_each(Times::print);
}

pub fn run(moments: usize, large: &Large) -> Result<(), String> {
    if large.program.is_none() {
        machine(moments, Path::new(PROGRAM))?;
    }
    // Without snapshots, with, and without: what else the machine does is not a snapshot's fault.
    let mut times = Vec::new();
    for spacing in [Some(u64::MAX), None, Some(u64::MAX)] {
        let (mut session, took) = recorded(large, spacing)?;
        times.push(took);
        if spacing.is_none() {
            moves(&mut session, moments)?;
        }
    }
    println!(
        "\nto the end in {:.0} ms with snapshots, {:.0} and {:.0} without",
        times[1], times[0], times[2]
    );
    Ok(())
}

/// A session at the end of the program, and how long the way there took.
fn recorded(large: &Large, spacing: Option<u64>) -> Result<(Session, f64), String> {
    let mut options = Options::new(large.program.clone().unwrap_or_else(|| PROGRAM.into()));
    if large.program.is_some() {
        let input = large.input.as_ref().map(std::fs::read);
        options.system = Some(Provided {
            arguments: large.arguments.clone(),
            input: input.transpose().map_err(|e| e.to_string())?.unwrap_or_default(),
            ..Provided::default()
        });
    }
    options.keyframe_spacing = spacing.unwrap_or(options.keyframe_spacing);
    let mut session = Session::open(options).map_err(|e| e.to_string())?;
    let start = Stopwatch::start();
    let direction = Direction::Forward;
    execute(&mut session, Act::Continue { direction })?;
    Ok((session, start.ms()))
}

/// What a user does: to a moment, and from there back.
fn moves(session: &mut Session, moments: usize) -> Result<(), String> {
    let steps = session.here().steps;
    if let Reply::Info(info) = execute(session, Look::Info)? {
        println!(
            "{steps} steps; {} snapshots, {:.1} MiB",
            info.snapshots,
            info.snapshot_bytes as f64 / 1048576.0
        );
    }
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut times = ["jump", "back an instruction", "again"].map(|name| Times(name, Vec::new()));
    for _ in 0..moments {
        let target = format!("@{}", random.below(steps));
        let start = Stopwatch::start();
        execute(session, Act::Jump { target })?;
        times[0].1.push(start.ms());
        for times in &mut times[1..] {
            let start = Stopwatch::start();
            let (direction, size) = (Direction::Backward, StepSize::Instruction);
            let back = Act::Step {
                agent: None,
                direction,
                size,
                count: 1,
            };
            execute(session, back)?;
            times.1.push(start.ms());
        }
    }
    print_all(&format!("from {moments} random moments"), &mut times);
    Ok(())
}

/// Runs on until there, and answers what is asked.
fn run_until(machine: &mut Machine, until: impl Into<Until>) -> Result<(), String> {
    let until = until.into();
    loop {
        match machine.run(until) {
            Exit::HostCall => machine.answer(&[Value::I32(7)]).map_err(|e| e.to_string())?,
            Exit::Budget => return Ok(()),
            exit => return Err(format!("{exit:?}")),
        }
    }
}

/// What the VM alone takes.
fn machine(moments: usize, program: &Path) -> Result<(), String> {
    let bytes = std::fs::read(program).map_err(|e| e.to_string())?;
    let limits = Limits::default();
    let module = Module::new(&bytes, &limits).map_err(|e| e.to_string())?;
    let main = module.exported_func("main").ok_or("there is no `main`")?;
    let mut machine = Machine::new(Shared::new(module), limits).map_err(|e| e.to_string())?;
    machine.begin(main, &[]).map_err(|e| e.to_string())?;
    run_until(&mut machine, 20_000_000)?;
    let mut times = [
        "100,000 steps, about",
        "100,000 steps, exactly",
        "a snapshot",
        "restoring one of the last 64",
        "restoring the last one",
    ]
    .map(|name| Times(name, Vec::new()));
    let mut kept = vec![machine.snapshot(None)];
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..moments {
        let about = machine.steps() + 100_000;
        let start = Stopwatch::start();
        run_until(
            &mut machine,
            Until {
                exactly: u64::MAX,
                about,
            },
        )?;
        times[0].1.push(start.ms());
        let exactly = machine.steps() + 100_000;
        let start = Stopwatch::start();
        run_until(&mut machine, exactly)?;
        times[1].1.push(start.ms());
        let start = Stopwatch::start();
        let last = machine.snapshot(kept.last());
        times[2].1.push(start.ms());
        kept.push(last.clone());
        if kept.len() > 64 {
            kept.remove(0);
        }
        let start = Stopwatch::start();
        let other = &kept[random.below(kept.len() as u64) as usize];
        machine.restore(other).map_err(|e| e.to_string())?;
        times[3].1.push(start.ms());
        let start = Stopwatch::start();
        machine.restore(&last).map_err(|e| e.to_string())?;
        times[4].1.push(start.ms());
    }
    print_all(&format!("the VM alone, {moments} times"), &mut times);
    println!();
    Ok(())
}
