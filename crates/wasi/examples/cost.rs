//! What keeping, changing, comparing and hashing worlds costs, with a file of 20 MB: figures of docs/wasi.md.
#![allow(clippy::unwrap_used)]

use borges_wasi::{Called, Item, Setup, WasiImport, World};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let large = Item::File((0..20 << 20).map(|at: u32| (at >> 5) as u8).collect());
    let mut items = BTreeMap::from([("large".to_string(), large)]);
    for number in 0..1000 {
        items.insert(format!("small{number}"), Item::File(vec![1; 100]));
    }
    let folders = vec![("/".to_string(), items)];
    let setup = Setup {
        folders,
        ..Setup::default()
    };
    let start = Instant::now();
    let mut world = World::new(&setup).unwrap();
    println!("begin: {:?}", start.elapsed());
    let mut memory = vec![0; 65536];
    memory[..5].copy_from_slice(b"large");
    memory[16..24].copy_from_slice(&[0, 1, 0, 0, 8, 0, 0, 0]);
    let call = |world: &mut World, name: &str, args: &[u64]| {
        let import = WasiImport::find("wasi_snapshot_preview1", name).unwrap();
        let called = world.call(import, args, &memory.as_slice(), None);
        assert!(matches!(called, Ok(Called::Answer(answer)) if answer.errno.code() == 0));
    };
    call(
        &mut world,
        "path_open",
        &[3, 0, 0, 5, 0, u64::MAX, 0, 0, 32],
    );
    let first = world.clone();
    let start = Instant::now();
    black_box(world.state_hash());
    println!("first hash: {:?}", start.elapsed());
    let rounds = 100_000;
    let each = |what: &str, start: Instant| {
        println!("{what}: {:?}", start.elapsed() / rounds as u32);
    };
    let start = Instant::now();
    for _ in 0..rounds {
        black_box(world.clone());
    }
    each("keep", start);
    let start = Instant::now();
    for round in 0..rounds {
        call(&mut world, "fd_pwrite", &[4, 16, 1, round % 20_000_000, 32]);
    }
    each("write 8 bytes", start);
    let start = Instant::now();
    for round in 0..rounds {
        black_box(world.clone());
        call(&mut world, "fd_pread", &[4, 16, 1, round % 20_000_000, 32]);
    }
    each("read 8 bytes", start);
    let mut kept = world.clone();
    let start = Instant::now();
    for round in 0..rounds {
        call(
            &mut world,
            "fd_pwrite",
            &[4, 16, 1, round * 199 % 20_000_000, 32],
        );
        kept = world.clone();
    }
    each("write 8 bytes into what is kept", start);
    let start = Instant::now();
    for round in 0..rounds {
        call(
            &mut world,
            "fd_pwrite",
            &[4, 16, 1, round * 199 % 20_000_000, 32],
        );
        black_box(world.state_hash());
    }
    each("write 8 bytes and hash", start);
    let start = Instant::now();
    black_box(first.changed_files(&world));
    println!("difference: {:?}", start.elapsed());
    let start = Instant::now();
    assert!(kept == world);
    println!("comparison: {:?}", start.elapsed());
}
