//! Measures what a debugging session keeps: `cargo run --release -p borges-languages --example debug_memory -- FILE` runs a
//! program in all universes, as the debugger of its language does, and prints the memory of a universe.

use borges_languages::ambienttalk::Grain;
use borges_languages::model::debug::Order;
use borges_languages::model::language::of_path;
use borges_languages::model::{Explore, Model};

/// KiB that this process has in memory.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("which program?")?;
    let text = std::fs::read_to_string(&file)?;
    let dialect = of_path(&file).ok_or("this is no program of a model language")?;
    let model = Model::parse(dialect, &text).map_err(|error| error.explain(&text))?;
    let options = Explore {
        grain: Grain::Visible,
        ..Explore::default()
    };
    let mut debugger = model.debugger(&options);
    let before = resident().unwrap_or_default();
    debugger.carry_out(Order::Run, &mut |_| true)?;
    let kib = resident().unwrap_or_default().saturating_sub(before);
    let universes = u64::from(debugger.len());
    println!(
        "{universes} universes, {} edges, {} bytes a universe",
        debugger.links(),
        kib * 1024 / universes
    );
    Ok(())
}
