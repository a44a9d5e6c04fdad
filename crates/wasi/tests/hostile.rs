//! A million calls with any arguments: no panic, no write beyond the memory, no change without success. Worlds that
//! travel arrive as they were, and from bytes that nobody sent comes no world that panics.
#![allow(clippy::unwrap_used, missing_docs)]

use borges_wasi::{
    Called, Chosen, Errno, Function, Item, PortableWorld, Preview, Setup, Wants, WasiImport,
    WasmType, World, WorldLimits,
};
use std::collections::{BTreeMap, BTreeSet};

/// How the calls ended.
#[derive(Debug, Default)]
struct Seen {
    successes: usize,
    failures: usize,
    traps: usize,
    misuses: usize,
    /// Different error numbers.
    errnos: usize,
    /// Worlds that travelled, bytes that were none, and others that were.
    travelled: [usize; 3],
}

const MEMORY: u64 = 0x10000;
const PATHS: u64 = 0x2000;
const BUFFERS: u64 = 0x3000;
const NAMES: [&str; 12] = [
    "a", "b", "d", "d/a", "d/b", "d/d", "../a", "/a", "d/", "l", "d/../b/.", "n",
];

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 32)) % end
    }

    /// A cell for an argument: a descriptor, a place, a length, a flag, or anything.
    fn argument(&mut self, ty: WasmType) -> u64 {
        let value = match self.below(16) {
            0..5 => self.below(9),
            5..8 => PATHS + self.below(NAMES.len() as u64) * 16,
            8..11 => BUFFERS + self.below(64) * 8,
            11 => self.below(32),
            12 => self.below(MEMORY + 64),
            13 => MEMORY - self.below(70),
            14 => self.below(u64::MAX) | 1 << 63,
            _ => self.below(1 << 30),
        };
        match ty {
            WasmType::I32 => value & 0xffff_ffff,
            WasmType::I64 => value,
        }
    }
}

/// Arguments for a call: anything, but often a descriptor, a path and a place where they should be.
fn arguments(random: &mut Random, function: Function) -> Vec<u64> {
    let params = function.params();
    let mut args: Vec<u64> = params.iter().map(|ty| random.argument(*ty)).collect();
    if random.below(8) == 0 {
        return args;
    }
    // Where the pairs of a descriptor and a path are: descriptor, path.
    let paths: &[(usize, usize)] = match function {
        Function::PathOpen | Function::PathFilestatGet | Function::PathFilestatSetTimes => {
            &[(0, 2)]
        }
        Function::PathLink => &[(0, 2), (4, 5)],
        Function::PathRename => &[(0, 1), (3, 4)],
        Function::PathSymlink => &[(2, 0), (2, 3)],
        Function::PathCreateDirectory
        | Function::PathReadlink
        | Function::PathRemoveDirectory
        | Function::PathUnlinkFile => &[(0, 1)],
        _ => &[],
    };
    for &(descriptor, path) in paths {
        let name = random.below(NAMES.len() as u64);
        args[descriptor] = 3 + random.below(2);
        args[path] = PATHS + name * 16;
        args[path + 1] = NAMES[name as usize].len() as u64;
    }
    let place = BUFFERS + random.below(64) * 8;
    match function {
        Function::PathOpen => {
            args[1] = random.below(2);
            args[4] = [0, 0, 1, 1, 2, 5, 8, 9][random.below(8) as usize];
            args[5] = if random.below(2) == 0 {
                u64::MAX
            } else {
                !(1 << 6)
            };
            args[6] = u64::MAX;
            args[7] = random.below(2);
            args[8] = place;
        }
        Function::PathFilestatGet | Function::PathFilestatSetTimes | Function::PathLink => {
            args[1] = random.below(2);
        }
        Function::FdReaddir => args[0] = 3 + random.below(5),
        // Who closes what it opens at once never gets far.
        Function::FdClose | Function::FdRenumber => args[0] = 5 + random.below(9),
        _ => {}
    }
    if function.moves_bytes() {
        args[0] = random.below(12);
        args[1] = place;
        args[2] = random.below(4);
    }
    if function.params().len() > 1 && random.below(2) == 0 {
        let last = args.len() - 1;
        args[last] = place;
    }
    args
}

fn world(random: &mut Random) -> World {
    let inner = BTreeMap::from([("a".to_string(), Item::File(vec![1; 5000]))]);
    let items = BTreeMap::from([
        ("a".to_string(), Item::File(b"text".to_vec())),
        ("d".to_string(), Item::Folder(inner)),
        ("l".to_string(), Item::Link("d/a".to_string())),
    ]);
    let setup = Setup {
        arguments: vec!["program".to_string()],
        environment: vec![("A".to_string(), "b".to_string())],
        folders: vec![
            ("/".to_string(), items.clone()),
            ("/more".to_string(), items),
        ],
        input: vec![b'x'; random.below(1000) as usize],
        limits: WorldLimits {
            descriptors: 40,
            inodes: 60,
            file_bytes: 100_000,
            bytes: 300_000,
            output_bytes: 100_000,
            buffers: 16,
            transfer_bytes: 20_000,
            subscriptions: 32,
            ..WorldLimits::default()
        },
        ..Setup::default()
    };
    World::new(&setup).unwrap()
}

/// Memory with paths, lists of buffers and subscriptions.
fn memory(random: &mut Random) -> Vec<u8> {
    let mut memory = vec![0; MEMORY as usize];
    for (number, name) in NAMES.iter().enumerate() {
        let at = PATHS as usize + number * 16;
        memory[at..at + name.len()].copy_from_slice(name.as_bytes());
    }
    for number in 0..64 {
        let at = BUFFERS as usize + number * 8;
        let address = random.argument(WasmType::I32) as u32;
        memory[at..at + 4].copy_from_slice(&address.to_le_bytes());
        memory[at + 4..at + 8].copy_from_slice(&(random.below(300) as u32).to_le_bytes());
    }
    memory
}

fn choice(
    random: &mut Random,
    world: &World,
    function: Function,
    wants: Option<&Wants>,
) -> Option<Chosen> {
    let faults = function.faults();
    match (random.below(40), wants) {
        (0, _) if !faults.is_empty() => Some(Chosen::Fault(
            faults[random.below(faults.len() as u64) as usize],
        )),
        (1, _) => Some(Chosen::Short(random.below(9) as u32)),
        (2, _) => Some(Chosen::Later(random.below(u64::MAX))),
        (3, _) => Some(Chosen::Bytes(vec![7; random.below(20) as usize])),
        (4, _) => Some(Chosen::Ready(random.below(3) as u32)),
        (_, Some(wants)) => Some(world.usual(wants)),
        _ => None,
    }
}

/// Sends a world, and bytes that are nearly what is sent of it.
fn travel(random: &mut Random, first: &World, sent: &World, seen: &mut Seen) {
    let mut bytes = postcard::to_allocvec(&sent.portable(first)).unwrap();
    let portable: PortableWorld = postcard::from_bytes(&bytes).unwrap();
    let arrived = portable.on(first).expect("a world of this program");
    assert!(arrived == *sent);
    assert_eq!(arrived.state_hash(), sent.state_hash());
    assert_eq!(arrived.size(), sent.size());
    seen.travelled[0] += 1;
    for _ in 0..=random.below(2) {
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] = random.below(256) as u8;
    }
    let portable = postcard::from_bytes::<PortableWorld>(&bytes);
    let Some(mut stranger) = portable.ok().and_then(|portable| portable.on(first)) else {
        seen.travelled[1] += 1;
        return;
    };
    seen.travelled[2] += 1;
    let memory_now = memory(random);
    for _ in 0..20 {
        let function = Function::ALL[random.below(46) as usize];
        let import = WasiImport {
            preview: Preview::One,
            function,
        };
        let args = arguments(random, function);
        let called = stranger.call(import, &args, &memory_now.as_slice(), None);
        if let Ok(Called::Wants(wants)) = called {
            let chosen = stranger.usual(&wants);
            let _ = stranger.call(import, &args, &memory_now.as_slice(), Some(&chosen));
        }
    }
    assert!(stranger.folders().len() < 3);
    assert_eq!(stranger.state_hash(), stranger.clone().state_hash());
}

/// Makes calls and looks at each.
fn make(count: usize, seed: u64) -> Seen {
    let mut random = Random(seed);
    let mut seen = Seen::default();
    let mut errnos = BTreeSet::new();
    let (mut world_now, mut memory_now) = (world(&mut random), memory(&mut random));
    let mut first = world_now.clone();
    for number in 0..count {
        if number % 5000 == 0 {
            (world_now, memory_now) = (world(&mut random), memory(&mut random));
            first = world_now.clone();
        } else if number % 50 == 0 {
            memory_now = memory(&mut random);
            travel(&mut random, &first, &world_now, &mut seen);
        }
        let function = Function::ALL[random.below(46) as usize];
        let preview = if random.below(8) == 0 {
            Preview::Unstable
        } else {
            Preview::One
        };
        let import = WasiImport { preview, function };
        let args = arguments(&mut random, function);
        let before = world_now.clone();
        let mut chosen = choice(&mut random, &world_now, function, None);
        let called = loop {
            match world_now.call(import, &args, &memory_now.as_slice(), chosen.as_ref()) {
                Ok(Called::Wants(wants)) => {
                    assert!(chosen.is_none());
                    assert!(
                        before == world_now,
                        "{import:?} {args:?} asked and changed something"
                    );
                    chosen = choice(&mut random, &world_now, function, Some(&wants));
                    if chosen.is_none() {
                        chosen = Some(world_now.usual(&wants));
                    }
                }
                called => break called,
            }
        };
        let mut unchanged = true;
        match called {
            Ok(Called::Answer(answer)) if answer.errno == Errno::Success => {
                unchanged = false;
                seen.successes += 1;
                for write in &answer.writes {
                    let start = write.address as usize;
                    memory_now[start..start + write.bytes.len()].copy_from_slice(&write.bytes);
                }
            }
            Ok(Called::Answer(answer)) => {
                seen.failures += 1;
                errnos.insert(answer.errno);
                assert!(answer.writes.is_empty());
                unchanged = function != Function::FdClose;
            }
            Ok(Called::Trap(_)) => seen.traps += 1,
            Ok(Called::Exit(_) | Called::Wants(_)) => {}
            Err(_) => seen.misuses += 1,
        }
        if unchanged {
            assert!(before == world_now, "{import:?} {args:?} {chosen:?}");
            assert_eq!(before.state_hash(), world_now.state_hash());
        }
    }
    seen.errnos = errnos.len();
    seen
}

#[test]
fn any_calls_of_any_functions() {
    let seen = make(1_000_000, 1);
    assert!(seen.successes > 80_000, "{seen:?}");
    assert!(seen.failures > 500_000, "{seen:?}");
    assert!(seen.traps > 50_000, "{seen:?}");
    assert!(seen.misuses > 50_000, "{seen:?}");
    assert!(seen.errnos > 20, "{seen:?}");
    assert!(seen.travelled.iter().all(|times| *times > 1000), "{seen:?}");
}
