//! Measures merging: `cargo run --release -p borges-store --example merging -- [RECORDINGS] [ENTRIES]`.
//!
//! So many recordings that part at their first input, of so many entries each, are written and then merged.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use borges_store::*;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |otherwise| arguments.next().map_or(Ok(otherwise), |text| text.parse());
    let (recordings, entries) = (number(100)?, number(10_000)?);
    let folder = std::env::temp_dir().join(format!("borges-merging-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = measure(&folder, recordings, entries);
    let _ = std::fs::remove_dir_all(&folder);
    result
}

const PROGRAM: NewProgram<'_> = NewProgram {
    name: "p",
    bytes: &[0; 8],
    board: "",
    primitives: &[],
    at_ms: 0,
};

fn measure(folder: &Path, recordings: u32, entries: u32) -> Result<(), Box<dyn Error>> {
    let mut files = Vec::new();
    for number in 0..recordings {
        let file = folder.join(number.to_string());
        let store = Store::create(&file)?;
        let upload = store.add_program(&PROGRAM)?;
        let entry = |n: u32| KeptEntry {
            steps: u64::from(n + 1) * 40,
            kind: EntryKind::Input,
            subject: 2,
            arguments: vec![KeptValue::I32(34)],
            value: Some(KeptValue::I32(
                n.wrapping_mul(2_654_435_761).wrapping_add(number) as i32,
            )),
            data: Vec::new(),
            mocked: false,
        };
        store.append(upload, 0, &(0..entries).map(entry).collect::<Vec<_>>())?;
        store.flush()?;
        files.push(file);
    }
    let said = |upload: Upload, branch| format!("end {} {branch}", upload.0);
    let (start, before) = (Instant::now(), computed());
    let output = folder.join("merged");
    let mut merge = Merge::create(&output, &PROGRAM, said)?;
    let mut merged = 0;
    merge.add_all(
        &files,
        &|path: &Path| MergeInput::open(path, said),
        &mut |_, one: Result<Merged, Unmerged<StoreError>>| {
            merged += one.expect("it is merged").new;
        },
        &mut || true,
    );
    merge.finish()?;
    let (took, after) = (start.elapsed(), computed());
    let each = |seconds: f64| seconds * 1e6 / merged as f64;
    println!(
        "{merged} entries in {took:.2?}; CPU time for each: {:.2} µs to write it, {:.2} µs in all; {} bytes",
        each(after.0 - before.0),
        each(after.1 - before.1),
        std::fs::metadata(&output)?.len()
    );
    Ok(())
}

/// Seconds that this thread has computed, and this process; where the system says so (Linux).
fn computed() -> (f64, f64) {
    let number = |file: &str, nth: usize| -> Option<f64> {
        let text = std::fs::read_to_string(file).ok()?;
        text.split_whitespace().nth(nth)?.parse().ok()
    };
    let thread = number("/proc/thread-self/schedstat", 0).map_or(f64::NAN, |ns| ns / 1e9);
    let process = number("/proc/self/stat", 13).zip(number("/proc/self/stat", 14));
    // In hundredths of a second.
    (
        thread,
        process.map_or(f64::NAN, |(user, system)| (user + system) / 100.0),
    )
}
