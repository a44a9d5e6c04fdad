//! Adds amounts from standard input to a ledger, and says what is in it then.
//!
//! It writes over the old file: if that fails, the old file is gone already.

use std::io::Read;
use std::{fs, process};

const LEDGER: &str = "/data/ledger.txt";

fn amounts(text: &str) -> Result<Vec<i64>, String> {
    let lines = text.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| line.parse().map_err(|_| format!("'{}' is no amount", line)))
        .collect()
}

fn run() -> Result<i64, String> {
    let before = fs::read_to_string(LEDGER).map_err(|error| format!("{}: {}", LEDGER, error))?;
    let mut all = amounts(&before)?;
    let mut new = String::new();
    let read = std::io::stdin().read_to_string(&mut new);
    read.map_err(|error| format!("standard input: {}", error))?;
    all.extend(amounts(&new)?);
    let text: String = all.iter().map(|amount| format!("{}\n", amount)).collect();
    fs::write(LEDGER, text).map_err(|error| format!("{}; the ledger is as it was", error))?;
    Ok(all.iter().sum())
}

fn main() {
    match run() {
        Ok(sum) => println!("{} in the ledger", sum),
        Err(error) => {
            eprintln!("nothing was added: {}", error);
            process::exit(1);
        }
    }
}
