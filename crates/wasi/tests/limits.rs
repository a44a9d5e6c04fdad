//! Each limit of a world: at it, and one past it.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code)]

mod desk;

use borges_wasi::{Errno, Item, Output, Setup, SetupError, World, WorldLimits};
use desk::*;
use std::collections::BTreeMap;

/// A desk with an empty folder and these limits.
fn limited(limits: WorldLimits) -> Desk {
    Desk::over(Setup {
        folders: vec![("/".to_string(), BTreeMap::new())],
        limits,
        ..Setup::default()
    })
}

#[test]
fn lengths_of_paths_and_names() {
    let mut desk = Desk::new();
    let name = "n".repeat(255);
    desk.file(&name);
    let long = desk.open_as(3, &"n".repeat(256), 0, CREATE, 0);
    assert_eq!(long, Err(Errno::Nametoolong));
    let path = format!("{}/{name}", "./".repeat(1920));
    assert_eq!(path.len(), 4096);
    desk.open_as(3, &path, 0, 0, 0).unwrap();
    let past = format!("./{}", &path[1..]);
    assert_eq!(past.len(), 4097);
    assert_eq!(desk.open_as(3, &past, 0, 0, 0), Err(Errno::Nametoolong));
}

#[test]
fn links_on_one_path() {
    let mut desk = limited(WorldLimits {
        links: 3,
        ..WorldLimits::default()
    });
    desk.file("0");
    for number in 1..=4u64 {
        let [a, b] = desk.path(&(number - 1).to_string());
        let [c, d] = desk.other_path(&number.to_string());
        desk.ok("path_symlink", &[a, b, 3, c, d]);
    }
    assert_eq!(desk.stat("3", 1).unwrap().kind, FILE);
    assert_eq!(desk.stat("4", 1).err(), Some(Errno::Loop));
}

#[test]
fn directories_within_each_other() {
    let mut desk = limited(WorldLimits {
        depth: 3,
        ..WorldLimits::default()
    });
    for path in ["a", "a/b", "a/b/c", "x", "x/y"] {
        assert_eq!(desk.at("path_create_directory", 3, path), Errno::Success);
    }
    desk.file("a/b/c/file");
    assert_eq!(
        desk.at("path_create_directory", 3, "a/b/c/d"),
        Errno::Nametoolong
    );
    let mut rename = |from: &str, to: &str| {
        let ([a, b], [c, d]) = (desk.path(from), desk.other_path(to));
        desk.errno("path_rename", &[3, a, b, 3, c, d])
    };
    assert_eq!(rename("x", "a/b/x"), Errno::Nametoolong);
    assert_eq!(rename("x", "a/x"), Errno::Success);
    assert_eq!(rename("a/x", "a/y"), Errno::Success);
    let mut items = BTreeMap::new();
    for depth in 0..=4 {
        let limits = WorldLimits {
            depth: 3,
            ..WorldLimits::default()
        };
        let folders = vec![("/".to_string(), items.clone())];
        let world = World::new(&Setup {
            folders,
            limits,
            ..Setup::default()
        });
        assert_eq!(world.is_ok(), depth <= 3, "{depth}");
        items = BTreeMap::from([("d".to_string(), Item::Folder(items))]);
    }
}

#[test]
fn descriptors_inodes_and_names_of_a_file() {
    let mut desk = limited(WorldLimits {
        descriptors: 6,
        inodes: 4,
        hard_links: 2,
        ..WorldLimits::default()
    });
    desk.file("a");
    let second = desk.file("b");
    let before = desk.world.clone();
    assert_eq!(desk.open_as(3, "c", 0, CREATE, 0), Err(Errno::Mfile));
    assert_eq!(desk.world, before);
    desk.ok("fd_close", &[second]);
    let third = desk.file("c");
    desk.ok("fd_close", &[third]);
    assert_eq!(desk.open_as(3, "d", 0, CREATE, 0), Err(Errno::Nospc));
    assert_eq!(desk.at("path_create_directory", 3, "d"), Errno::Nospc);
    let [a, b] = desk.path("a");
    let [c, d] = desk.other_path("d");
    assert_eq!(desk.errno("path_symlink", &[a, b, 3, c, d]), Errno::Nospc);
    desk.ok("path_link", &[3, 0, a, b, 3, c, d]);
    let [c, d] = desk.other_path("e");
    assert_eq!(
        desk.errno("path_link", &[3, 0, a, b, 3, c, d]),
        Errno::Mlink
    );
}

#[test]
fn sizes_of_one_file_and_of_all() {
    let mut desk = limited(WorldLimits {
        file_bytes: 100,
        bytes: 150,
        ..WorldLimits::default()
    });
    let (one, other) = (desk.file("a"), desk.file("b"));
    assert_eq!(desk.write(one, &[1; 90]), Ok(90));
    // What fits is written, the rest is refused the next time.
    assert_eq!(desk.write(one, &[2; 90]), Ok(10));
    assert_eq!(desk.write(one, &[3]), Err(Errno::Fbig));
    assert_eq!(desk.write(one, &[]), Ok(0));
    assert_eq!(desk.write_at(one, 99, &[4]), Ok(1));
    assert_eq!(desk.errno("fd_filestat_set_size", &[one, 101]), Errno::Fbig);
    assert_eq!(desk.write(other, &[1; 60]), Ok(50));
    assert_eq!(desk.write(other, &[1]), Err(Errno::Nospc));
    assert_eq!(desk.write_at(other, 20, &[5; 40]), Ok(30));
    assert_eq!(
        desk.errno("fd_filestat_set_size", &[other, 51]),
        Errno::Nospc
    );
    assert_eq!(desk.errno("fd_allocate", &[other, 50, 1]), Errno::Nospc);
    assert_eq!(desk.world.size().1, 150);
    desk.ok("fd_filestat_set_size", &[one, 99]);
    desk.ok("fd_allocate", &[other, 50, 1]);
}

#[test]
fn what_a_program_says() {
    let mut desk = limited(WorldLimits {
        output_bytes: 10,
        ..WorldLimits::default()
    });
    assert_eq!(desk.write(1, b"12345678"), Ok(8));
    assert_eq!(desk.write(1, b"12345678"), Ok(2));
    assert_eq!(desk.write(1, b"1"), Err(Errno::Nospc));
    assert_eq!(desk.write(1, b""), Ok(0));
    assert_eq!(desk.write(2, b"1"), Ok(1));
    assert_eq!(desk.world.output(Output::Standard).to_vec(), b"1234567812");
}

#[test]
fn buffers_transfers_and_subscriptions() {
    let mut desk = limited(WorldLimits {
        buffers: 2,
        transfer_bytes: 5,
        subscriptions: 1,
        ..WorldLimits::default()
    });
    let file = desk.file("a");
    for at in 0..3 {
        desk.put(LIST + at * 8, &[0, 0x80, 0, 0, 3, 0, 0, 0]);
    }
    desk.ok("fd_write", &[file, LIST, 2, OUT]);
    assert_eq!(desk.small(OUT), 5);
    assert_eq!(desk.errno("fd_write", &[file, LIST, 3, OUT]), Errno::Inval);
    desk.ok("fd_pread", &[file, LIST, 2, 0, OUT]);
    assert_eq!(desk.small(OUT), 5);
    assert_eq!(
        desk.errno("fd_pread", &[file, LIST, 3, 0, OUT]),
        Errno::Inval
    );
    desk.put(LIST, &[0; 96]);
    desk.put(LIST + 16, &[1]);
    desk.ok("poll_oneoff", &[LIST, BUFFER, 1, OUT]);
    assert_eq!(
        desk.errno("poll_oneoff", &[LIST, BUFFER, 2, OUT]),
        Errno::Inval
    );
}

#[test]
fn worlds_begin_within_their_limits() {
    let begin = |limits: WorldLimits| {
        let items = BTreeMap::from([
            ("a".to_string(), Item::File(vec![0; 10])),
            ("b".to_string(), Item::File(vec![0; 5])),
        ]);
        World::new(&Setup {
            folders: vec![("/".to_string(), items)],
            limits,
            ..Setup::default()
        })
    };
    let exact = WorldLimits {
        inodes: 3,
        file_bytes: 10,
        bytes: 15,
        descriptors: 4,
        ..WorldLimits::default()
    };
    assert!(begin(exact).is_ok());
    for (limits, what) in [
        (WorldLimits { inodes: 2, ..exact }, "files and folders"),
        (
            WorldLimits {
                file_bytes: 9,
                ..exact
            },
            "bytes of a file",
        ),
        (WorldLimits { bytes: 14, ..exact }, "bytes of files"),
        (
            WorldLimits {
                descriptors: 3,
                ..exact
            },
            "descriptors",
        ),
    ] {
        match begin(limits) {
            Err(SetupError::TooMuch { what: said, .. }) => assert_eq!(said, what),
            begun => panic!("{what}: {begun:?}"),
        }
    }
}
