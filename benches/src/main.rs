//! Runs every kernel on every engine, interleaved, and prints CPU time and ratios.
//!
//! Machines are noisy: in each round every engine runs the kernel once, in an order that rotates,
//! and only times of the same round are divided by one another; the median over the rounds counts.

mod engines;
mod kernels;

use std::process::ExitCode;

use engines::{Engine, Instance};
use kernels::Kernel;

const USAGE: &str = "usage: borges-benches [--rounds N] [--scale N] [--engine NAME]... [KERNEL]...
  --rounds N     timed rounds per kernel (default 15)
  --scale N      multiplies the work of each run (default 1)
  --simd         the kernels with vectors, on the engines that have them
  --engine NAME  only this engine and the reference (repeatable)";

/// What the command line asked for.
struct Options {
    rounds: usize,
    scale: u32,
    simd: bool,
    engines: Vec<String>,
    kernels: Vec<String>,
}

impl Options {
    fn parse() -> Result<Options, String> {
        let mut options = Options {
            rounds: 15,
            scale: 1,
            simd: false,
            engines: Vec::new(),
            kernels: Vec::new(),
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--rounds" => options.rounds = value()?.parse().map_err(|_| "--rounds needs a number")?,
                "--scale" => options.scale = value()?.parse().map_err(|_| "--scale needs a number")?,
                "--simd" => options.simd = true,
                "--engine" => options.engines.push(value()?),
                kernel if kernels::ALL.iter().any(|k| k.name == kernel) => options.kernels.push(word),
                _ => return Err(format!("unknown: {word}\n{USAGE}")),
            }
        }
        if options.rounds == 0 || options.scale == 0 {
            return Err("--rounds and --scale must be at least 1".into());
        }
        Ok(options)
    }
}

/// CPU time of this thread in nanoseconds: other processes do not disturb it much.
fn cpu_time_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists on every system that the benches run on, and `time` is writable.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

/// The median over the rounds of `times / base`, with the lowest and the highest.
fn ratio(times: &[f64], base: &[f64]) -> (f64, f64, f64) {
    let mut ratios: Vec<f64> = times.iter().zip(base).map(|(time, base)| time / base).collect();
    let middle = median(&mut ratios);
    (middle, ratios[0], ratios[ratios.len() - 1])
}

/// One kernel's times, per engine and round, and its step count.
struct Measured {
    times_ns: Vec<Vec<f64>>,
    steps: Option<u64>,
}

fn measure(kernel: &Kernel, engines: &[Box<dyn Engine>], options: &Options) -> Result<Measured, String> {
    let n = kernel.n * options.scale;
    let failed = |engine: &dyn Engine, error: String| format!("{} on {}: {error}", kernel.name, engine.name());
    let mut loaded: Vec<Box<dyn Instance>> = Vec::new();
    for engine in engines {
        loaded.push(
            engine
                .load(kernel.wasm)
                .map_err(|error| failed(engine.as_ref(), error))?,
        );
    }
    let mut times_ns = vec![Vec::new(); engines.len()];
    let mut steps = None;
    // Round 0 warms up (lazy translation, caches). A kernel may keep state, so that sums differ from
    // round to round, but never from engine to engine.
    for round in 0..=options.rounds {
        let mut sum = None;
        for position in 0..engines.len() {
            let which = (position + round) % engines.len();
            let start = cpu_time_ns();
            let outcome = loaded[which]
                .run(n)
                .map_err(|error| failed(engines[which].as_ref(), error))?;
            let time = cpu_time_ns() - start;
            if *sum.get_or_insert(outcome.sum) != outcome.sum {
                return Err(failed(
                    engines[which].as_ref(),
                    format!("checksum {:#x} differs", outcome.sum),
                ));
            }
            if let (Some(counted), 1) = (outcome.steps, round)
                && *steps.get_or_insert(counted) != counted
            {
                return Err(failed(
                    engines[which].as_ref(),
                    format!("counts {counted} steps, another {steps:?}"),
                ));
            }
            if round > 0 {
                times_ns[which].push(time as f64);
            }
        }
    }
    Ok(Measured { times_ns, steps })
}

fn run() -> Result<(), String> {
    let options = Options::parse()?;
    let mut engines = engines::all();
    engines.retain(|engine| !options.simd || engine.name() != "wasm3");
    let reference = engines[0].name();
    engines.retain(|engine| {
        engine.name() == reference
            || options.engines.is_empty()
            || options.engines.iter().any(|name| name == engine.name())
    });
    for engine in &engines {
        println!("# {}", engine.describe());
    }
    println!(
        "# {} rounds; CPU ms of {reference}, then ratios to it: median [lowest-highest]\n",
        options.rounds
    );
    print!("| {:<11}| {:>9} |", "kernel", reference);
    for engine in &engines[1..] {
        print!(" {:<17}|", engine.name());
    }
    println!(" M instr | G/s  |");
    print!("|---|---|");
    print!("{}", "---|".repeat(engines.len() - 1));
    println!("---|---|");
    let mut logarithms = vec![0.0; engines.len()];
    let mut highest = vec![0.0_f64; engines.len()];
    let mut count = 0;
    let place = |name| engines.iter().position(|engine| engine.name() == name);
    let counting = place("borges").zip(place("uncounted"));
    let mut counting_logarithm = 0.0;
    for kernel in kernels::ALL {
        if kernel.has_vectors() != options.simd {
            continue;
        }
        if !options.kernels.is_empty() && !options.kernels.iter().any(|name| name == kernel.name) {
            continue;
        }
        let measured = measure(kernel, &engines, &options)?;
        count += 1;
        let mut base = measured.times_ns[0].clone();
        print!("| {:<11}| {:>9.2} |", kernel.name, median(&mut base) / 1e6);
        let mut fastest_counting = 0.0;
        for which in 1..engines.len() {
            let (middle, low, high) = ratio(&measured.times_ns[which], &measured.times_ns[0]);
            logarithms[which] += middle.ln();
            highest[which] = highest[which].max(middle);
            print!(" {middle:.2} [{low:.2}-{high:.2}]{:3}|", "");
            if engines[which].name() == "borges" {
                fastest_counting = median(&mut measured.times_ns[which].clone());
            }
        }
        if let Some((with, without)) = counting {
            counting_logarithm += ratio(&measured.times_ns[with], &measured.times_ns[without]).0.ln();
        }
        match measured.steps {
            Some(steps) => println!(
                " {:>7.1} | {:.2} |",
                steps as f64 / 1e6,
                steps as f64 / fastest_counting
            ),
            None => println!(" | |"),
        }
    }
    print!("| {:<11}| {:>9} |", "geomean", "");
    for which in 1..engines.len() {
        print!(
            " {:.3} (max {:.2})  |",
            (logarithms[which] / f64::from(count)).exp(),
            highest[which]
        );
    }
    println!(" | |");
    if counting.is_some() {
        let cost = (counting_logarithm / f64::from(count)).exp() - 1.0;
        println!(
            "\ncounting steps costs {:.1} % (the same machine without, in the same rounds; geometric mean)",
            100.0 * cost
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
