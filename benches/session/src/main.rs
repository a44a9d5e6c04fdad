//! Holds the session against its promises: what tracing costs a device, and how long a step back takes.

mod back;
mod large;
mod tracing;

use std::process::ExitCode;

const USAGE: &str = "usage: session tracing [--rounds N]
       session back [--moments N] [--keep FILE]
       session large [--moments N] [--program FILE [--stdin FILE] [-- ARGUMENT...]]
  tracing      device-side CPU time with tracing over a link, divided by that of a plain run
    --rounds N   timed rounds of each program (default 40)
  back         records 100 million instructions with 100,000 inputs, resumes the file in another process and steps back
    --moments N  from so many random moments (default 1000)
    --keep FILE  keeps the recording there, or uses the one that is there
  large        moves around in a program of 20 MiB and 470 million instructions
    --moments N  from so many random moments (default 1000)
    --program FILE  in a program of WASI instead, with this input and these arguments";

/// CPU time of this thread in nanoseconds: other processes do not disturb it much.
fn cpu_time_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists on every system that the benches run on, and `time` is writable.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The value below which `percent` of them lie.
fn percentile(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() * percent / 100).min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or(f64::NAN)
}

fn run() -> Result<(), String> {
    let mut words = std::env::args().skip(1);
    let mode = words.next().ok_or(USAGE)?;
    let (mut count, mut keep) = (None, None);
    let mut large = large::Large {
        program: None,
        input: None,
        arguments: Vec::new(),
    };
    while let Some(word) = words.next() {
        if (mode.as_str(), word.as_str()) == ("large", "--") {
            large.arguments.extend(words.by_ref());
            break;
        }
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match (mode.as_str(), word.as_str()) {
            ("tracing", "--rounds") | ("back" | "large", "--moments") => {
                count = Some(value()?.parse().map_err(|_| format!("{word} needs a number"))?);
            }
            ("back", "--keep") | ("measure", "--file") => keep = Some(value()?.into()),
            ("measure", "--moments") => count = Some(value()?.parse().map_err(|_| "--moments needs a number")?),
            ("large", "--program") => large.program = Some(value()?.into()),
            ("large", "--stdin") => large.input = Some(value()?.into()),
            _ => return Err(format!("unknown: {word}\n{USAGE}")),
        }
    }
    match mode.as_str() {
        "tracing" => tracing::run(count.unwrap_or(40)),
        "back" => back::record(count.unwrap_or(1000), keep),
        "large" => large::run(count.unwrap_or(1000), &large),
        // The process that `back` starts, so that nothing of the recording is in memory.
        "measure" => back::measure(count.unwrap_or(1000), &keep.ok_or(USAGE)?),
        _ => Err(USAGE.into()),
    }
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
