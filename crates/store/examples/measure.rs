//! Measures session files: `cargo run --release -p borges-store --example measure`.
//!
//! How fast inputs are written (in batches, and one by one with a flush at every hundredth), how
//! long a file with a million of them takes to open, and how long one takes to read.

use std::error::Error;
use std::time::Instant;

use borges_store::*;

const ENTRIES: u32 = 1_000_000;

fn input(n: u32) -> KeptEntry {
    KeptEntry {
        steps: u64::from(n) * 40,
        kind: EntryKind::Input,
        subject: 2,
        arguments: vec![KeptValue::I32(34)],
        value: Some(KeptValue::I32(n.wrapping_mul(2_654_435_761) as i32 & 4095)),
        data: Vec::new(),
        mocked: false,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("borges-measure-{}", std::process::id()));
    let result = measure(&path);
    let _ = std::fs::remove_file(&path);
    result
}

fn measure(path: &std::path::Path) -> Result<(), Box<dyn Error>> {
    let store = Store::create(path)?;
    let program = NewProgram {
        name: "p",
        bytes: &[0; 8],
        board: "",
        primitives: &[],
        at_ms: 0,
    };
    let upload = store.add_program(&program)?;
    store.flush()?;

    let entries: Vec<KeptEntry> = (0..ENTRIES).map(input).collect();
    let (first, rest) = entries.split_at(100_000);
    let start = Instant::now();
    for (n, entry) in first.iter().enumerate() {
        store.append(upload, 0, std::slice::from_ref(entry))?;
        if n % 100 == 99 {
            store.flush()?;
        }
    }
    report("one by one, a flush every 100", 100_000, start);
    let start = Instant::now();
    for batch in rest.chunks(64) {
        store.append(upload, 0, batch)?;
        store.tick(Instant::now())?;
    }
    store.flush()?;
    report("in batches of 64, saved every 50 ms", rest.len(), start);
    drop(store);
    let size = std::fs::metadata(path)?.len();
    println!(
        "{:>12.1} bytes an input in the file",
        size as f64 / f64::from(ENTRIES)
    );

    let start = Instant::now();
    let store = Store::open(path, Access::Write)?;
    let branches = store.branches(upload)?;
    let took = start.elapsed();
    let length = branches.iter().map(|branch| branch.length).sum::<u32>();
    println!(
        "{took:>12.2?} to open a file with {length} inputs and look at every row; damaged: {}",
        store.damage().len()
    );
    let start = Instant::now();
    let block = store.entries(upload, 0, 500_000..500_001)?;
    println!(
        "{:>12.2?} to read one input ({} steps), and check it",
        start.elapsed(),
        block[0].steps
    );
    let start = Instant::now();
    let all = store.entries(upload, 0, 0..u32::MAX)?;
    report("read and checked", all.len(), start);
    Ok(())
}

fn report(what: &str, count: usize, start: Instant) {
    let rate = count as f64 / start.elapsed().as_secs_f64();
    println!("{rate:>12.0} inputs a second {what}");
}
