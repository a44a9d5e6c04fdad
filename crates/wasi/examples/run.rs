//! Runs a program as a WASI runtime does, to compare the two: `run [--dir HOST::GUEST] [--env NAME=VALUE] [--after FOLDER]
//! [--count] PROGRAM [ARGUMENTS]`. The folders stay as they are: the files that changed are listed on standard error, the
//! first folder as the program left it is written to FOLDER, and `--count` lists the calls and says how many bytes the
//! choices take.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code)]

#[path = "../tests/disk/mod.rs"]
mod disk;
#[path = "../tests/embedding/mod.rs"]
mod embedding;

use borges_wasi::{Chosen, Output, Setup, Wants, World};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Instant, SystemTime};
use std::{env, fs, io, process};

fn main() {
    let mut setup = Setup::default();
    let mut counts = false;
    let mut after = None;
    let mut arguments = env::args().skip(1);
    let program = loop {
        let argument = arguments.next().expect("a program");
        match argument.as_str() {
            "--count" => counts = true,
            "--after" => after = arguments.next(),
            "--dir" => {
                let (host, guest) = arguments.next().map(split("::")).unwrap();
                setup.folders.push((guest, disk::read(Path::new(&host))));
            }
            "--env" => setup
                .environment
                .push(arguments.next().map(split("=")).unwrap()),
            _ => break argument,
        }
    };
    setup.arguments = [program.clone()].into_iter().chain(arguments).collect();
    io::stdin().read_to_end(&mut setup.input).unwrap();
    let mut world = World::new(&setup).unwrap();
    let before = world.clone();
    let wasm = fs::read(program).unwrap();
    let start = Instant::now();
    let mut calls = BTreeMap::new();
    let (mut choices, mut bytes) = (0, 0);
    let choose = |world: &World, wants: &Wants| {
        let chosen = match wants {
            Wants::Time { last, .. } => {
                let since = SystemTime::UNIX_EPOCH.elapsed().unwrap();
                Chosen::Later((since.as_nanos() as u64).saturating_sub(*last))
            }
            wants => world.usual(wants),
        };
        choices += 1;
        bytes += postcard::to_allocvec(&chosen).unwrap().len();
        chosen
    };
    let ended = embedding::run_from(&wasm, &mut world, choose, &mut |_, import| {
        *calls.entry(import.function.name()).or_insert(0) += 1;
        None
    });
    io::stdout()
        .write_all(&world.output(Output::Standard).to_vec())
        .unwrap();
    io::stderr()
        .write_all(&world.output(Output::Error).to_vec())
        .unwrap();
    for change in before.changed_files(&world) {
        eprintln!("{} {:?}", change.path, change.kind);
    }
    if let Some(after) = after {
        disk::write(Path::new(&after), &world.folders()[0].1);
    }
    if counts {
        eprintln!("{:?}: {calls:?}", start.elapsed());
        eprintln!("{choices} choices, {bytes} bytes");
    }
    match ended {
        Ok(embedding::Ended::Exit(code)) => process::exit(code as i32),
        ended => {
            eprintln!("{ended:?}");
            process::exit(134);
        }
    }
}

/// The two parts of an option's value.
fn split(at: &'static str) -> impl Fn(String) -> (String, String) {
    move |text| {
        let (one, other) = text.split_once(at).unwrap();
        (one.to_string(), other.to_string())
    }
}
