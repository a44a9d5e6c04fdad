//! Counts the words of all text files of a folder, as Rust programs do it: `std::fs`, iterators, a hash map, errors.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::{Duration, Instant};

fn count(folder: &str, words: &mut HashMap<String, u64>) -> io::Result<u64> {
    let mut files = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().into_string().unwrap_or_default());
        if entry.file_type()?.is_dir() {
            files += count(&path, words)?;
        } else if path.ends_with(".txt") {
            for word in fs::read_to_string(path)?.split_ascii_whitespace() {
                *words.entry(word.to_ascii_lowercase()).or_default() += 1;
            }
            files += 1;
        }
    }
    Ok(files)
}

fn main() {
    if let Err(error) = work() {
        println!("error {}", error.raw_os_error().unwrap_or(-1));
    }
    eprintln!("no more");
    std::process::exit(7);
}

fn work() -> io::Result<()> {
    let root = std::env::args().nth(1).unwrap_or("/data".into());
    let mut words = HashMap::new();
    let files = count(&root, &mut words)?;
    let mut sorted: Vec<_> = words.into_iter().collect();
    sorted.sort_unstable_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
    println!("{files} files, {} words", sorted.len());
    for (word, times) in sorted.iter().take(5) {
        println!("{times} {word}");
    }

    let report = format!("{root}/report");
    let at = |name: &str| format!("{report}/{name}");
    for folder in ["", "deep", "deep/er"] {
        fs::create_dir(at(folder))?;
    }
    let mut file = OpenOptions::new().create_new(true).read(true).write(true).open(at("all"))?;
    for (word, times) in &sorted {
        writeln!(file, "{word}\t{times}")?;
    }
    file.seek(SeekFrom::Start(2))?;
    let mut some = [0; 6];
    file.read_exact(&mut some)?;
    println!("report: {} bytes, {}", file.seek(SeekFrom::End(0))?, some[0]);
    file.set_len(10)?;
    fs::write(at("deep/copy"), fs::read(at("all"))?)?;
    fs::rename(at("deep/er"), at("moved"))?;
    fs::write(at("moved/note"), "moved")?;
    fs::remove_file(at("all"))?;

    for (what, error) in [
        ("missing", fs::read(at("missing")).err()),
        ("folder", fs::read(&report).err()),
        ("not empty", fs::remove_dir(&report).err()),
        ("outside", fs::read(at("../../outside")).err()),
    ] {
        println!("{what}: {}", error.and_then(|error| error.raw_os_error()).unwrap_or(-1));
    }
    let mut piece = [0; 12];
    let mut heard = 0;
    loop {
        match io::stdin().read(&mut piece)? {
            0 => break,
            len => heard += piece[..len].iter().map(|byte| u32::from(*byte)).sum::<u32>(),
        }
    }
    println!("heard {heard}");
    let start = Instant::now();
    std::thread::sleep(Duration::from_millis(3));
    println!("slept: {}", start.elapsed() >= Duration::from_millis(3));
    fs::remove_file(at("deep/copy"))?;
    fs::remove_dir(at("deep"))
}
