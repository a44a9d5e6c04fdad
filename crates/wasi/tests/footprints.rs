//! Calls that do not touch what the other changes come to the same in either order, and so does the world; calls that come
//! near each other do so in the part that says it. Footprints are those of the core.
#![allow(clippy::unwrap_used)]

use borges_multiverse::language::{Footprint, Touchable};
use borges_wasi::*;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A part of a world as the core takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part(WorldPart);

impl Touchable for Part {}

fn footprint(world: &World, ask: &Ask) -> Footprint<Part> {
    let touched = world.touched(ask.import(), &ask.args, &ask.memory.as_slice());
    let parts = |parts: Vec<WorldPart>| parts.into_iter().map(Part).collect();
    Footprint {
        reads: parts(touched.reads),
        writes: parts(touched.writes),
    }
}

/// The same without the room for files, of which there is more or less behind others.
fn but_room(footprint: &Footprint<Part>) -> Footprint<Part> {
    let mut footprint = footprint.clone();
    for parts in [&mut footprint.reads, &mut footprint.writes] {
        parts.retain(|part| part.0 != WorldPart::Room);
    }
    footprint
}

/// The parts in which one changes what the other touches.
fn common(one: &Footprint<Part>, other: &Footprint<Part>) -> BTreeSet<WorldPart> {
    let written = |by: &Footprint<Part>, other: &Footprint<Part>| {
        let touched: Vec<Part> = other.reads.iter().chain(&other.writes).copied().collect();
        let mut parts = by.writes.clone();
        parts.retain(|part| touched.contains(part));
        parts
    };
    let both = written(one, other).into_iter().chain(written(other, one));
    both.map(|part| part.0).collect()
}

/// A call with the memory that it is made with, a page of its own.
#[derive(Clone, PartialEq)]
struct Ask {
    function: Function,
    args: Vec<u64>,
    memory: Vec<u8>,
}

const PATH: u64 = 0x100;
const OTHER: u64 = 0x200;
const LIST: u64 = 0x40;
const OUT: u64 = 0x20;
const BUFFER: u64 = 0x300;
const ALL_RIGHTS: u64 = (1 << 29) - 1;
const WRITE: u64 = 1 << 6;
/// How a folder is opened.
const FOLDER: u64 = 2;

impl fmt::Debug for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |at: u64| {
            let bytes = self.memory[at as usize..].iter();
            let bytes = bytes.take_while(|byte| **byte != 0).copied();
            String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
        };
        let (name, args) = (self.function.name(), &self.args);
        write!(f, "{name}{args:?} {:?} {:?}", text(PATH), text(OTHER))
    }
}

impl Ask {
    fn new(function: Function, args: &[u64]) -> Ask {
        Ask {
            function,
            args: args.to_vec(),
            memory: vec![0; 0x800],
        }
    }

    fn with(mut self, at: u64, bytes: &[u8]) -> Ask {
        self.memory[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
        self
    }

    fn import(&self) -> WasiImport {
        WasiImport {
            preview: Preview::One,
            function: self.function,
        }
    }

    /// What it comes to, with what is usual.
    fn made(&self, world: &mut World) -> Called {
        let memory = self.memory.as_slice();
        let call = |world: &mut World, chosen: Option<&Chosen>| {
            world
                .call(self.import(), &self.args, &memory, chosen)
                .unwrap()
        };
        match call(world, None) {
            Called::Wants(wants) => {
                let chosen = match world.usual(&wants) {
                    // So that who asks first can be told.
                    Chosen::Later(_) => Chosen::Later(5),
                    chosen => chosen,
                };
                call(world, Some(&chosen))
            }
            called => called,
        }
    }
}

fn moves(function: Function, fd: u64, bytes: &[u8], offset: Option<u64>) -> Ask {
    let list = [BUFFER as u32, bytes.len() as u32].map(u32::to_le_bytes);
    let args: Vec<u64> = [fd, LIST, 1].into_iter().chain(offset).collect();
    Ask::new(function, &[args, vec![OUT]].concat())
        .with(LIST, list.as_flattened())
        .with(BUFFER, bytes)
}

fn open(path: &str, how: u64, flags: u64) -> Ask {
    // Folders are not written to.
    let rights = if how == FOLDER {
        ALL_RIGHTS & !WRITE
    } else {
        ALL_RIGHTS
    };
    let all = ALL_RIGHTS;
    let length = path.len() as u64;
    let args = [3, 1, PATH, length, how, rights, all, flags, OUT];
    Ask::new(Function::PathOpen, &args).with(PATH, path.as_bytes())
}

/// A function of a path that begins at descriptor 3, with arguments before and behind.
fn of_path(function: Function, before: &[u64], path: &str, behind: &[u64]) -> Ask {
    let args = [before, &[PATH, path.len() as u64], behind].concat();
    Ask::new(function, &args).with(PATH, path.as_bytes())
}

fn two_paths(function: Function, before: &[u64], from: &str, between: &[u64], to: &str) -> Ask {
    let end = [OTHER, to.len() as u64];
    of_path(function, before, from, &[between, &end].concat()).with(OTHER, to.as_bytes())
}

/// Waits for a time of the monotonic clock, for the descriptor, or for both.
fn poll(time: Option<u64>, fd: Option<u32>) -> Ask {
    let mut list = Vec::new();
    if let Some(time) = time {
        let mut bytes = [0; 48];
        bytes[16] = 1;
        bytes[24..32].copy_from_slice(&time.to_le_bytes());
        bytes[40] = 1;
        list.push(bytes);
    }
    if let Some(fd) = fd {
        let mut bytes = [0; 48];
        bytes[8] = 1;
        bytes[16..20].copy_from_slice(&fd.to_le_bytes());
        list.push(bytes);
    }
    let args = [BUFFER, BUFFER + 0x100, list.len() as u64, OUT];
    Ask::new(Function::PollOneoff, &args).with(BUFFER, list.as_flattened())
}

fn path() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a", "b", "d", "e", "d/a", "d/b", "d/e", "l", "d/l/", "m/a", "d/../a", "",
    ])
}

/// Any call.
fn ask() -> impl Strategy<Value = Ask> {
    use Function::*;
    let fd = || 0..8u64;
    let size = || prop_oneof![0..20u64, 90..110u64, Just(u64::MAX)];
    let bytes = || prop::collection::vec(any::<u8>(), 0..24);
    let simple = prop::sample::select(vec![
        FdAdvise,
        FdClose,
        FdDatasync,
        FdFdstatGet,
        FdFdstatSetFlags,
        FdFdstatSetRights,
        FdFilestatGet,
        FdPrestatGet,
        FdPrestatDirName,
        FdReaddir,
        FdSync,
        FdTell,
        SockShutdown,
    ]);
    let of_descriptor = (simple, fd(), 0..2u64).prop_map(|(function, fd, flags)| {
        let rest: &[u64] = match function {
            FdAdvise => &[0, 0, 0],
            FdFdstatSetFlags => &[flags],
            FdFdstatSetRights => &[ALL_RIGHTS >> (1 + flags), ALL_RIGHTS],
            FdPrestatDirName => &[OUT, 8],
            FdReaddir => &[BUFFER, 0x200, 0, OUT],
            SockShutdown => &[0],
            FdClose | FdDatasync | FdSync => &[],
            _ => &[LIST],
        };
        Ask::new(function, &[&[fd], rest].concat())
    });
    let fixed = prop_oneof![
        Just(Ask::new(ArgsSizesGet, &[LIST, OUT])),
        Just(Ask::new(EnvironSizesGet, &[LIST, OUT])),
        Just(Ask::new(SchedYield, &[])),
        // The end of the program, and a pointer that ends it.
        Just(Ask::new(ProcExit, &[3])),
        Just(Ask::new(ArgsSizesGet, &[LIST + 1, OUT])),
        (0..5u64).prop_map(|clock| Ask::new(ClockTimeGet, &[clock, 0, LIST])),
        (0..5u64).prop_map(|clock| Ask::new(ClockResGet, &[clock, LIST])),
        (0..9u64).prop_map(|count| Ask::new(RandomGet, &[BUFFER, count])),
        (prop::option::of(0..20u64), prop::option::of(0..8u32))
            .prop_map(|(time, fd)| poll(time, fd)),
    ];
    let moving = prop_oneof![
        3 => (fd(), bytes()).prop_map(|(fd, bytes)| moves(FdRead, fd, &bytes, None)),
        3 => (fd(), bytes()).prop_map(|(fd, bytes)| moves(FdWrite, fd, &bytes, None)),
        1 => (fd(), bytes(), size()).prop_map(|(fd, bytes, at)| moves(FdPread, fd, &bytes, Some(at))),
        1 => (fd(), bytes(), size()).prop_map(|(fd, bytes, at)| moves(FdPwrite, fd, &bytes, Some(at))),
        1 => (fd(), 0..20u64, 0..3u64).prop_map(|(fd, by, from)| Ask::new(FdSeek, &[fd, by, from, LIST])),
        1 => (fd(), size()).prop_map(|(fd, size)| Ask::new(FdFilestatSetSize, &[fd, size])),
        1 => (fd(), size(), 0..20u64).prop_map(|(fd, at, size)| Ask::new(FdAllocate, &[fd, at, size])),
        1 => (fd(), size(), 0..16u64)
            .prop_map(|(fd, time, flags)| Ask::new(FdFilestatSetTimes, &[fd, time, time, flags])),
        1 => (fd(), fd()).prop_map(|(from, to)| Ask::new(FdRenumber, &[from, to])),
    ];
    let one = prop::sample::select(vec![
        PathCreateDirectory,
        PathReadlink,
        PathRemoveDirectory,
        PathUnlinkFile,
        PathFilestatGet,
        PathFilestatSetTimes,
    ]);
    let paths = prop_oneof![
        4 => (path(), prop::sample::select(vec![0, 1, FOLDER, FOLDER, 5, 8, 9]), 0..2u64)
            .prop_map(|(path, how, flags)| open(path, how, flags)),
        3 => (one, path(), 0..2u64).prop_map(|(function, path, flags)| match function {
            PathReadlink => of_path(function, &[3], path, &[BUFFER, 32, OUT]),
            PathFilestatGet => of_path(function, &[3, flags], path, &[BUFFER]),
            PathFilestatSetTimes => of_path(function, &[3, flags], path, &[7, 7, 1 + 4 * flags]),
            _ => of_path(function, &[3], path, &[]),
        }),
        1 => (path(), path()).prop_map(|(from, to)| two_paths(PathRename, &[3], from, &[3], to)),
        1 => (path(), path()).prop_map(|(from, to)| two_paths(PathLink, &[3, 0], from, &[3], to)),
        1 => (path(), path()).prop_map(|(to, name)| two_paths(PathSymlink, &[], to, &[3], name)),
    ];
    // Now and then from another folder than the first.
    let from = prop::option::weighted(0.3, 4..7u64);
    let paths = (paths, from).prop_map(|(mut ask, from)| {
        let starts: &[usize] = match ask.function {
            PathSymlink => &[2],
            PathRename => &[0, 3],
            PathLink => &[0, 4],
            _ => &[0],
        };
        for start in starts {
            ask.args[*start] = from.unwrap_or(3);
        }
        ask
    });
    prop_oneof![3 => paths, 4 => moving, 2 => of_descriptor, 2 => fixed]
}

/// A world with some of everything, and little room for more.
fn world() -> World {
    let text = |text: &str| Item::File(text.as_bytes().to_vec());
    let inner = BTreeMap::from([("a".to_owned(), text("inner"))]);
    let root = BTreeMap::from([
        ("a".to_owned(), text("outer")),
        ("d".to_owned(), Item::Folder(inner)),
        ("l".to_owned(), Item::Link("d".to_owned())),
    ]);
    let setup = Setup {
        folders: vec![("/".to_owned(), root)],
        input: b"what is read".to_vec(),
        limits: WorldLimits {
            bytes: 120,
            output_bytes: 40,
            inodes: 9,
            descriptors: 8,
            hard_links: 3,
            depth: 3,
            ..WorldLimits::default()
        },
        ..Setup::default()
    };
    World::new(&setup).unwrap()
}

/// A world after two calls, and what they came to; one that ends the program is the last.
fn after(world: &World, calls: [&Ask; 2]) -> (World, [Option<Called>; 2]) {
    let mut world = world.clone();
    let first = calls[0].made(&mut world);
    let ended = matches!(first, Called::Exit(_) | Called::Trap(_));
    let second = (!ended).then(|| calls[1].made(&mut world));
    (world, [Some(first), second])
}

/// Whether two calls come to the same in either order.
fn commute(world: &World, one: &Ask, other: &Ask) -> bool {
    let (there, [first, second]) = after(world, [one, other]);
    let (back, [last, before]) = after(world, [other, one]);
    let same = there == back && there.state_hash() == back.state_hash();
    same && (first, second) == (before, last)
}

#[test]
fn calls_that_do_not_conflict_come_to_the_same_in_either_order() {
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let strategy = (
        prop::collection::vec(ask(), 0..60),
        prop::collection::vec(ask(), 14),
    );
    // Pairs of calls that changed something each: independent, not so but alike in either order, and not alike.
    let counts = std::cell::RefCell::new([0; 3]);
    let kinds = std::cell::RefCell::new(BTreeSet::new());
    runner
        .run(&strategy, |(before, asks)| {
            let mut world = world();
            for ask in &before {
                ask.made(&mut world);
            }
            let asks: Vec<_> = asks
                .iter()
                .map(|ask| {
                    let mut after = world.clone();
                    ask.made(&mut after);
                    (ask, footprint(&world, ask), after != world)
                })
                .collect();
            for (number, (one, its, changes)) in asks.iter().enumerate() {
                for (other, others, change) in &asks[number + 1..] {
                    let (conflict, alike) = (its.conflicts(others), commute(&world, one, other));
                    prop_assert!(
                        conflict || alike,
                        "{one:?} {its:?} {other:?} {others:?} {:?}",
                        world.descriptors()
                    );
                    prop_assert_eq!(conflict, !common(its, others).is_empty());
                    if !conflict {
                        // What is independent touches the same also behind the other.
                        let mut behind = world.clone();
                        one.made(&mut behind);
                        prop_assert_eq!(
                            (one, other, but_room(&footprint(&behind, other))),
                            (one, other, but_room(others))
                        );
                    }
                    if *changes && *change {
                        counts.borrow_mut()[usize::from(conflict) + usize::from(!alike)] += 1;
                    }
                    if !alike {
                        let parts = common(its, others);
                        kinds.borrow_mut().extend(parts.iter().map(kind));
                    }
                }
                // What was not to be changed was not.
                if its.writes.is_empty() {
                    prop_assert!(!changes, "{one:?}");
                }
            }
            Ok(())
        })
        .unwrap();
    let ([independent, coarse, ordered], kinds) = (counts.into_inner(), kinds.into_inner());
    println!(
        "{independent} independent, {coarse} alike all the same, {ordered} not alike: {kinds:?}"
    );
    assert!(independent > 1500 && ordered > 400);
}

fn kind(part: &WorldPart) -> String {
    let text = format!("{part:?}");
    text.split('(').next().unwrap().to_owned()
}

/// What is before, and two calls of which it matters which comes first.
fn pairs() -> Vec<(&'static str, Vec<Ask>, Ask, Ask)> {
    use Function::*;
    let write = |fd: u64, text: &str| moves(FdWrite, fd, text.as_bytes(), None);
    let read = |fd: u64| moves(FdRead, fd, &[0; 4], None);
    let a = || open("a", 0, 0);
    let close = |fd: u64| Ask::new(FdClose, &[fd]);
    vec![
        ("Going", vec![], Ask::new(ProcExit, &[1]), write(1, "x")),
        ("Numbers", vec![], a(), open("d/a", 0, 0)),
        (
            "Descriptor",
            vec![a()],
            Ask::new(FdFdstatSetFlags, &[4, 1]),
            write(4, "x"),
        ),
        ("Descriptor", vec![a()], close(4), read(4)),
        ("Offset", vec![a()], read(4), Ask::new(FdTell, &[4, LIST])),
        (
            "Inodes",
            vec![],
            open("b", 1, 0),
            of_path(PathCreateDirectory, &[3], "d/e", &[]),
        ),
        (
            "Room",
            vec![a(), open("d/a", 0, 0)],
            Ask::new(FdFilestatSetSize, &[4, 70]),
            Ask::new(FdFilestatSetSize, &[5, 70]),
        ),
        (
            "Folders",
            vec![of_path(PathCreateDirectory, &[3], "e", &[])],
            two_paths(PathRename, &[3], "d", &[3], "e/d"),
            of_path(PathCreateDirectory, &[3], "d/b", &[]),
        ),
        ("Content", vec![a(), a()], write(4, "xyz"), read(5)),
        (
            "Entries",
            vec![],
            of_path(PathUnlinkFile, &[3], "a", &[]),
            of_path(PathFilestatGet, &[3, 0], "a", &[BUFFER]),
        ),
        // It leads to another folder above it.
        (
            "Entries",
            vec![
                of_path(PathCreateDirectory, &[3], "e", &[]),
                open("d", FOLDER, 0),
            ],
            two_paths(PathRename, &[3], "d", &[3], "e/d"),
            Ask::new(FdReaddir, &[4, BUFFER, 0x200, 0, OUT]),
        ),
        // It has too many names, or the one that it was to get is there.
        (
            "Links",
            vec![
                open("d", FOLDER, 0),
                two_paths(PathLink, &[3, 0], "d/a", &[3], "b"),
                two_paths(PathLink, &[3, 0], "d/a", &[3], "e"),
            ],
            two_paths(PathLink, &[4, 0], "a", &[4], "a"),
            of_path(PathUnlinkFile, &[3], "b", &[]),
        ),
        (
            "Links",
            vec![a()],
            two_paths(PathLink, &[3, 0], "a", &[3], "b"),
            Ask::new(FdFilestatGet, &[4, BUFFER]),
        ),
        (
            "Times",
            vec![a()],
            Ask::new(FdFilestatSetTimes, &[4, 7, 7, 5]),
            Ask::new(FdFilestatGet, &[4, BUFFER]),
        ),
        (
            "Clock",
            vec![],
            Ask::new(ClockTimeGet, &[0, 0, LIST]),
            Ask::new(ClockTimeGet, &[0, 0, LIST]),
        ),
        (
            "Clock",
            vec![a()],
            Ask::new(ClockTimeGet, &[0, 0, LIST]),
            write(4, "x"),
        ),
        (
            "Clock",
            vec![],
            Ask::new(ClockTimeGet, &[1, 0, LIST]),
            poll(Some(20), None),
        ),
        (
            "Random",
            vec![],
            Ask::new(RandomGet, &[BUFFER, 4]),
            Ask::new(RandomGet, &[BUFFER, 4]),
        ),
        ("Input", vec![], read(0), read(0)),
        ("Output", vec![], write(1, "x"), write(1, "y")),
    ]
}

#[test]
fn of_each_kind_there_are_calls_of_which_it_matters_which_comes_first() {
    let mut kinds = BTreeSet::new();
    for (name, before, one, other) in pairs() {
        let mut world = world();
        for ask in &before {
            ask.made(&mut world);
        }
        let both = [&one, &other].map(|ask| footprint(&world, ask));
        assert!(both[0].conflicts(&both[1]), "{name}");
        let parts = common(&both[0], &both[1]);
        assert!(
            parts.iter().any(|part| kind(part) == name),
            "{name}: {parts:?}"
        );
        assert!(!commute(&world, &one, &other), "{name}");
        kinds.insert(name);
    }
    assert_eq!(kinds.len(), 15);
}

#[test]
fn calls_about_different_things_do_not_conflict() {
    use Function::*;
    let mut world = world();
    for ask in [open("a", 0, 0), open("a", 0, 0), open("d/a", 0, 0)] {
        ask.made(&mut world);
    }
    let write = |fd: u64| moves(FdWrite, fd, b"x", None);
    let read = |fd: u64| moves(FdRead, fd, &[0; 4], None);
    let now = |clock: u64| Ask::new(ClockTimeGet, &[clock, 0, LIST]);
    let conflicts =
        |one: &Ask, other: &Ask| footprint(&world, one).conflicts(&footprint(&world, other));
    // A write to standard output, and a read of a file.
    assert!(!conflicts(&write(1), &read(4)));
    assert!(!conflicts(&write(1), &write(2)));
    assert!(!conflicts(&write(1), &read(0)));
    // Two descriptors of one file have a content in common, and no offset.
    assert!(!conflicts(&read(4), &read(5)));
    assert!(conflicts(&write(4), &read(5)));
    assert!(!conflicts(&Ask::new(FdSeek, &[4, 1, 0, LIST]), &read(5)));
    assert!(!conflicts(&write(4), &write(6)));
    // One clock is not another; who writes a file reads one.
    assert!(!conflicts(&now(0), &now(1)));
    assert!(!conflicts(&now(1), &write(4)));
    assert!(conflicts(&now(0), &write(4)));
    // All of them end.
    for ask in [write(1), read(4), now(0), Ask::new(SchedYield, &[])] {
        assert!(conflicts(&Ask::new(ProcExit, &[0]), &ask));
    }
}
