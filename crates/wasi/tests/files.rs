//! Files, directories, links and descriptors: what each call answers, and what it changes.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code)]

mod desk;

use borges_wasi::{Errno, FileChange, FileChangeKind, Item, Setup, WasiImport};
use desk::*;
use std::collections::BTreeMap;

#[test]
fn there_are_46_functions_and_each_is_found_by_its_name() {
    assert_eq!(imports().count(), 46);
    for import in imports() {
        let name = import.function.name();
        assert_eq!(
            WasiImport::find("wasi_snapshot_preview1", name),
            Some(import)
        );
        // The first preview had no connections to accept.
        let old = WasiImport::find("wasi_unstable", name);
        assert_eq!(
            old.map(|old| old.function),
            (name != "sock_accept").then_some(import.function)
        );
        assert_eq!(
            import.function.results().len(),
            usize::from(name != "proc_exit")
        );
    }
    assert_eq!(WasiImport::find("env", "fd_read"), None);
    assert_eq!(WasiImport::find("wasi_snapshot_preview1", "fd_dup"), None);
}

#[test]
fn error_numbers_are_those_of_the_specification() {
    for (number, errno) in Errno::ALL.iter().enumerate() {
        assert_eq!(usize::from(errno.code()), number);
        assert_eq!(Errno::named(errno.name()), Some(*errno));
        assert!(!errno.meaning().is_empty());
    }
    assert_eq!(Errno::ALL.len(), 77);
    assert_eq!(Errno::Noent.code(), 44);
    assert_eq!(Errno::Nospc.code(), 51);
    assert_eq!(Errno::named("ENOSUCH"), None);
}

#[test]
fn bytes_are_read_where_they_were_written() {
    let mut desk = Desk::new();
    let file = desk.file("a");
    assert_eq!(desk.write(file, b"hello world"), Ok(11));
    assert_eq!(desk.read(file, 5), Ok(vec![]));
    assert_eq!(desk.seek(file, 6, 0), Ok(6));
    assert_eq!(desk.read(file, 100), Ok(b"world".to_vec()));
    assert_eq!(desk.seek(file, -5, 1), Ok(6));
    assert_eq!(desk.seek(file, -1, 2), Ok(10));
    assert_eq!(desk.seek(file, -12, 2), Err(Errno::Inval));
    assert_eq!(desk.seek(file, i64::MAX, 1), Err(Errno::Inval));
    assert_eq!(desk.seek(file, i64::MAX, 0), Ok(i64::MAX as u64));
    assert_eq!(desk.read(file, 5), Ok(vec![]));
    assert_eq!(desk.seek(file, 0, 3), Err(Errno::Inval));
    // Positions of their own do not move the descriptor's.
    assert_eq!(desk.write_at(file, 9000, b"far"), Ok(3));
    assert_eq!(desk.read_at(file, 8999, 10), Ok(b"\0far".to_vec()));
    assert_eq!(desk.read_at(file, 4090, 10), Ok(vec![0; 10]));
    assert_eq!(desk.read_at(file, u64::MAX, 1), Err(Errno::Inval));
    assert_eq!(desk.write_at(file, u64::MAX, b"x"), Err(Errno::Inval));
    assert_eq!(desk.seek(file, 0, 1), Ok(i64::MAX as u64));
    assert_eq!(desk.stat("a", 0).unwrap().size, 9003);
}

#[test]
fn several_buffers_are_one_transfer() {
    let mut desk = Desk::new();
    let file = desk.file("a");
    desk.put(BUFFER, b"abcdefgh");
    for (at, (address, len)) in [(BUFFER + 4, 4u32), (BUFFER, 0), (BUFFER, 2)]
        .iter()
        .enumerate()
    {
        let mut buffer = (*address as u32).to_le_bytes().to_vec();
        buffer.extend_from_slice(&len.to_le_bytes());
        desk.put(LIST + 8 * at as u64, &buffer);
    }
    desk.ok("fd_write", &[file, LIST, 3, OUT]);
    assert_eq!(desk.small(OUT), 6);
    assert_eq!(desk.read_at(file, 0, 10), Ok(b"efghab".to_vec()));
    desk.put(BUFFER, b"........");
    desk.put(LIST, &(BUFFER as u32 + 4).to_le_bytes());
    desk.put(LIST + 4, &4u32.to_le_bytes());
    desk.ok("fd_pread", &[file, LIST, 3, 1, OUT]);
    assert_eq!(desk.small(OUT), 5);
    assert_eq!(desk.get(BUFFER, 8), b"b...fgha");
}

#[test]
fn append_writes_at_the_end_until_it_is_taken_back() {
    let mut desk = Desk::new();
    let file = desk.open_with(3, "log", 0, CREATE, ALL, 1).unwrap();
    desk.write(file, b"one").unwrap();
    desk.seek(file, 0, 0).unwrap();
    desk.write(file, b"two").unwrap();
    assert_eq!(desk.seek(file, 0, 1), Ok(6));
    assert_eq!(desk.write_at(file, 0, b"3"), Ok(1));
    assert_eq!(desk.read_at(file, 0, 9), Ok(b"onetwo3".to_vec()));
    desk.ok("fd_fdstat_set_flags", &[file, 0]);
    desk.write_at(file, 0, b"O").unwrap();
    assert_eq!(desk.read_at(file, 0, 9), Ok(b"Onetwo3".to_vec()));
    assert_eq!(desk.errno("fd_fdstat_set_flags", &[file, 32]), Errno::Inval);
}

#[test]
fn sizes_grow_with_zeros_and_shrink_for_good() {
    let mut desk = Desk::new();
    let file = desk.file("a");
    desk.write(file, &[7; 5000]).unwrap();
    desk.ok("fd_filestat_set_size", &[file, 4097]);
    desk.ok("fd_filestat_set_size", &[file, 10_000]);
    assert_eq!(desk.read_at(file, 4095, 4), Ok(vec![7, 7, 0, 0]));
    desk.ok("fd_allocate", &[file, 0, 100]);
    assert_eq!(desk.stat("a", 0).unwrap().size, 10_000);
    desk.ok("fd_allocate", &[file, 10_000, 5]);
    assert_eq!(desk.stat("a", 0).unwrap().size, 10_005);
    assert_eq!(desk.errno("fd_allocate", &[file, 0, 0]), Errno::Inval);
    assert_eq!(desk.errno("fd_allocate", &[file, u64::MAX, 2]), Errno::Fbig);
    assert_eq!(
        desk.errno("fd_filestat_set_size", &[file, u64::MAX]),
        Errno::Inval
    );
    assert_eq!(desk.errno("fd_advise", &[file, 0, 0, 6]), Errno::Inval);
    desk.ok("fd_advise", &[file, 0, 0, 5]);
    let truncated = desk.open_with(3, "a", 0, TRUNCATE, READ, 0).unwrap();
    assert_eq!(desk.read(truncated, 5), Ok(vec![]));
    assert_eq!(desk.world.size().1, 0);
}

#[test]
fn opening_answers_as_posix_does() {
    let mut desk = Desk::over(Setup {
        folders: vec![("/".to_string(), folder(&[("f", "text")]))],
        ..Setup::default()
    });
    assert_eq!(desk.at("path_create_directory", 3, "d"), Errno::Success);
    for (path, lookup, how, flags, errno) in [
        ("none", 0, 0, 0, Errno::Noent),
        ("none/x", 0, CREATE, 0, Errno::Noent),
        ("f/x", 0, CREATE, 0, Errno::Notdir),
        ("f/", 0, 0, 0, Errno::Notdir),
        ("f", 0, DIRECTORY, 0, Errno::Notdir),
        ("f", 0, CREATE | EXCLUSIVE, 0, Errno::Exist),
        ("d", 0, CREATE, 0, Errno::Isdir),
        ("d", 0, TRUNCATE, 0, Errno::Isdir),
        ("new/", 0, CREATE, 0, Errno::Isdir),
        ("d", 0, DIRECTORY | CREATE, 0, Errno::Inval),
        ("f", 2, 0, 0, Errno::Inval),
        ("f", 0, 16, 0, Errno::Inval),
        ("f", 0, 0, 32, Errno::Inval),
        ("", 0, 0, 0, Errno::Noent),
        ("/f", 0, 0, 0, Errno::Perm),
        ("..", 0, 0, 0, Errno::Perm),
        ("d/../../f", 0, 0, 0, Errno::Perm),
        ("f\0", 0, 0, 0, Errno::Inval),
    ] {
        let before = desk.world.clone();
        assert_eq!(
            desk.open_as(3, path, lookup, how, flags),
            Err(errno),
            "{path}"
        );
        assert_eq!(desk.world, before, "{path}");
    }
    assert_eq!(desk.open_with(3, "d", 0, 0, WRITE, 0), Err(Errno::Isdir));
    assert_eq!(desk.open_as(77, "f", 0, 0, 0), Err(Errno::Badf));
    let file = desk.open_as(3, "d/..//./f", 0, 0, 0).unwrap();
    assert_eq!(desk.open_as(file, "f", 0, 0, 0), Err(Errno::Notdir));
    assert_eq!(desk.open_as(0, "f", 0, 0, 0), Err(Errno::Notdir));
    desk.put(PATH, &[0xff, 0xfe]);
    let args = [3, 0, PATH, 2, 0, ALL, ALL, 0, OUT];
    assert_eq!(desk.errno("path_open", &args), Errno::Ilseq);
    // Numbers are given again, the lowest first.
    desk.ok("fd_close", &[file]);
    assert_eq!(desk.open_as(3, "d/", 0, 0, 0), Ok(file));
    assert_eq!(desk.errno("fd_close", &[99]), Errno::Badf);
}

#[test]
fn links_are_followed_where_they_should_be() {
    let mut desk = Desk::over(Setup {
        folders: vec![("/".to_string(), folder(&[("f", "text")]))],
        ..Setup::default()
    });
    desk.at("path_create_directory", 3, "d");
    let mut link = |target: &str, name: &str| {
        let [a, b] = desk.path(target);
        let [c, d] = desk.other_path(name);
        desk.errno("path_symlink", &[a, b, 3, c, d])
    };
    for (target, name, errno) in [
        ("f", "to_f", Errno::Success),
        ("to_f", "to_to_f", Errno::Success),
        ("../f", "d/up", Errno::Success),
        ("../../f", "d/out", Errno::Success),
        ("d", "to_d", Errno::Success),
        ("d/", "to_d_slash", Errno::Success),
        ("loop", "loop", Errno::Success),
        ("new", "dangling", Errno::Success),
        ("/f", "absolute", Errno::Perm),
        ("", "empty", Errno::Noent),
        ("f", "to_f", Errno::Exist),
        ("f", "no/x", Errno::Noent),
        ("f", "x/", Errno::Noent),
        ("f", "f/", Errno::Notdir),
    ] {
        assert_eq!(link(target, name), errno, "{name}");
    }
    for (path, lookup, answer) in [
        ("to_f", 1, Ok(FILE)),
        ("to_f", 0, Ok(LINK)),
        ("to_to_f", 1, Ok(FILE)),
        ("d/up", 1, Ok(FILE)),
        ("to_d/up", 1, Ok(FILE)),
        ("to_d", 0, Ok(LINK)),
        ("to_d/", 0, Ok(FOLDER)),
        ("to_d_slash", 1, Ok(FOLDER)),
        ("to_f/", 1, Err(Errno::Notdir)),
        ("d/out", 1, Err(Errno::Perm)),
        ("loop", 1, Err(Errno::Loop)),
        ("loop/x", 0, Err(Errno::Loop)),
        ("dangling", 1, Err(Errno::Noent)),
        ("dangling", 0, Ok(LINK)),
        ("dangling/x", 0, Err(Errno::Noent)),
    ] {
        let kind = desk.stat(path, lookup).map(|stat| stat.kind);
        assert_eq!(kind, answer, "{path}");
    }
    assert_eq!(desk.open_as(3, "to_f", 0, 0, 0), Err(Errno::Loop));
    assert_eq!(desk.open_as(3, "to_f", 0, DIRECTORY, 0), Err(Errno::Notdir));
    assert_eq!(
        desk.open_as(3, "dangling", 1, CREATE | EXCLUSIVE, 0),
        Err(Errno::Exist)
    );
    // What does not exist is made where the link points.
    desk.open_as(3, "dangling", 1, CREATE, 0).unwrap();
    assert_eq!(desk.stat("new", 0).unwrap().kind, FILE);
    // A link is read, as far as there is room.
    let [a, b] = desk.path("d/up");
    desk.ok("path_readlink", &[3, a, b, BUFFER, 3, OUT]);
    assert_eq!(desk.small(OUT), 3);
    assert_eq!(desk.get(BUFFER, 4), b"../\0");
    let [a, b] = desk.path("f");
    let not_a_link = desk.errno("path_readlink", &[3, a, b, BUFFER, 3, OUT]);
    assert_eq!(not_a_link, Errno::Inval);
}

#[test]
fn names_that_lead_to_one_file_are_counted() {
    let mut desk = Desk::new();
    let file = desk.file("a");
    desk.write(file, b"shared").unwrap();
    let mut link = |from: &str, to: &str, flags: u64| {
        let [a, b] = desk.path(from);
        let [c, d] = desk.other_path(to);
        desk.errno("path_link", &[3, flags, a, b, 3, c, d])
    };
    assert_eq!(link("a", "b", 0), Errno::Success);
    assert_eq!(link("a", "b", 0), Errno::Exist);
    assert_eq!(link("a", "c", 1), Errno::Inval);
    assert_eq!(link("a", "c/", 0), Errno::Noent);
    assert_eq!(link("none", "c", 0), Errno::Noent);
    assert_eq!(desk.at("path_create_directory", 3, "d"), Errno::Success);
    let [a, b] = desk.path("d");
    let [c, d] = desk.other_path("c");
    assert_eq!(desk.errno("path_link", &[3, 0, a, b, 3, c, d]), Errno::Perm);
    let (one, other) = (desk.stat("a", 0).unwrap(), desk.stat("b", 0).unwrap());
    assert_eq!((one.inode, one.links), (other.inode, 2));
    assert_eq!(desk.at("path_unlink_file", 3, "a"), Errno::Success);
    assert_eq!(desk.stat("b", 0).unwrap().links, 1);
    // A file without a name lives as long as somebody holds it.
    assert_eq!(desk.at("path_unlink_file", 3, "b"), Errno::Success);
    assert_eq!(desk.read_at(file, 0, 9), Ok(b"shared".to_vec()));
    let held = desk.world.size();
    assert_eq!(desk.world.descriptors()[4].name, "(removed)");
    desk.ok("fd_close", &[file]);
    assert_eq!(desk.world.size(), (held.0 - 1, 0));
}

#[test]
fn directories_are_made_moved_and_removed() {
    let mut desk = Desk::new();
    for (name, path, errno) in [
        ("path_create_directory", "d", Errno::Success),
        ("path_create_directory", "d/e/", Errno::Success),
        ("path_create_directory", "d", Errno::Exist),
        ("path_create_directory", ".", Errno::Exist),
        ("path_create_directory", "x/y", Errno::Noent),
        ("path_remove_directory", "d", Errno::Notempty),
        ("path_remove_directory", "d/.", Errno::Inval),
        ("path_remove_directory", "none", Errno::Noent),
        ("path_unlink_file", "d", Errno::Isdir),
        ("path_unlink_file", "none", Errno::Noent),
        ("path_remove_directory", "d/e", Errno::Success),
        ("path_create_directory", "d/e", Errno::Success),
    ] {
        assert_eq!(desk.at(name, 3, path), errno, "{name} {path}");
    }
    desk.file("f");
    desk.file("d/g");
    assert_eq!(desk.at("path_remove_directory", 3, "f"), Errno::Notdir);
    assert_eq!(desk.at("path_unlink_file", 3, "f/"), Errno::Notdir);
    let mut rename = |from: &str, to: &str| {
        let [a, b] = desk.path(from);
        let [c, d] = desk.other_path(to);
        desk.errno("path_rename", &[3, a, b, 3, c, d])
    };
    for (from, to, errno) in [
        ("none", "x", Errno::Noent),
        ("f", "d", Errno::Isdir),
        ("d", "f", Errno::Notdir),
        ("d", "d/e/inner", Errno::Inval),
        ("d", "d", Errno::Success),
        ("f", "x/", Errno::Notdir),
        ("f", "none/x", Errno::Noent),
        (".", "x", Errno::Busy),
        ("f", "d/e/f", Errno::Success),
        ("d/e", "e", Errno::Success),
        ("e/f", "d/g", Errno::Success),
        ("e", "d", Errno::Notempty),
        ("d", "e", Errno::Success),
        ("e/g", "/out", Errno::Perm),
    ] {
        assert_eq!(rename(from, to), errno, "{from} {to}");
    }
    assert_eq!(desk.list(3, 4096).unwrap(), [".", "..", "e"]);
    assert_eq!(desk.stat("e/g", 0).unwrap().kind, FILE);
    // A removed directory that is held takes nothing any more.
    desk.at("path_create_directory", 3, "gone");
    let gone = desk.open_as(3, "gone", 0, DIRECTORY, 0).unwrap();
    assert_eq!(desk.at("path_remove_directory", 3, "gone"), Errno::Success);
    assert_eq!(desk.open_as(gone, "x", 0, CREATE, 0), Err(Errno::Noent));
    assert_eq!(desk.at("path_create_directory", gone, "x"), Errno::Noent);
    assert_eq!(desk.list(gone, 4096).unwrap(), [".", ".."]);
}

#[test]
fn a_directory_is_read_in_pieces_while_it_is_emptied() {
    for buffer in [32, 50, 99, 4096] {
        let mut desk = Desk::new();
        let names: Vec<String> = (0..40).map(|number| format!("n{number}")).collect();
        for name in &names {
            let file = desk.file(name);
            desk.ok("fd_close", &[file]);
        }
        assert_eq!(desk.list(3, buffer).unwrap()[2..], names);
        // Whoever removes what was read misses nothing of the rest.
        let mut removed = 0;
        let mut cookie = 2;
        loop {
            desk.ok("fd_readdir", &[3, BUFFER, 32, cookie, OUT]);
            let used = desk.small(OUT);
            if used == 0 {
                break;
            }
            cookie = desk.large(BUFFER);
            let len = desk.small(BUFFER + 16) as usize;
            let name = String::from_utf8(desk.get(BUFFER + 24, len).to_vec()).unwrap();
            assert_eq!(desk.at("path_unlink_file", 3, &name), Errno::Success);
            removed += 1;
        }
        assert_eq!(removed, names.len());
        assert_eq!(
            desk.errno("fd_readdir", &[1, BUFFER, 32, 0, OUT]),
            Errno::Notdir
        );
    }
}

#[test]
fn rights_are_inherited_and_can_only_be_given_away() {
    let mut desk = Desk::new();
    let file = desk.file("a");
    desk.write(file, b"x").unwrap();
    let reader = desk.open_with(3, "a", 0, 0, READ | TELL, 0).unwrap();
    assert_eq!(desk.write(reader, b"y"), Err(Errno::Badf));
    assert_eq!(desk.seek(reader, 0, 1), Ok(0));
    assert_eq!(desk.seek(reader, 1, 0), Err(Errno::Notcapable));
    assert_eq!(desk.read_at(reader, 0, 1), Err(Errno::Notcapable));
    assert_eq!(desk.errno("fd_sync", &[reader]), Errno::Notcapable);
    desk.ok("fd_fdstat_get", &[reader, OUT]);
    assert_eq!(desk.get(OUT, 1)[0], FILE);
    assert_eq!(desk.large(OUT + 8), READ | TELL);
    desk.ok("fd_fdstat_set_rights", &[reader, TELL, 0]);
    assert_eq!(desk.read(reader, 1), Err(Errno::Badf));
    let more = desk.errno("fd_fdstat_set_rights", &[reader, READ, 0]);
    assert_eq!(more, Errno::Notcapable);
    // What a directory may not hand down, nothing below it has.
    desk.ok("fd_fdstat_get", &[3, OUT]);
    let (base, inheriting) = (desk.large(OUT + 8), desk.large(OUT + 16));
    desk.ok("fd_fdstat_set_rights", &[3, base, inheriting & !WRITE]);
    let below = desk.open_with(3, "a", 0, 0, READ | WRITE, 0).unwrap();
    assert_eq!(desk.write(below, b"y"), Err(Errno::Badf));
    assert_eq!(desk.read(below, 5), Ok(b"x".to_vec()));
    desk.ok("fd_fdstat_set_rights", &[3, base & !(1 << 10), 0]);
    assert_eq!(desk.open_as(3, "b", 0, CREATE, 0), Err(Errno::Notcapable));
}

#[test]
fn descriptors_move() {
    let mut desk = Desk::new();
    let (one, other) = (desk.file("a"), desk.file("b"));
    desk.write(one, b"abc").unwrap();
    desk.ok("fd_renumber", &[one, other]);
    assert_eq!(desk.seek(other, 0, 1), Ok(3));
    assert_eq!(desk.errno("fd_close", &[one]), Errno::Badf);
    assert_eq!(desk.errno("fd_renumber", &[other, one]), Errno::Badf);
    desk.ok("fd_renumber", &[other, other]);
    // Standard output goes to a file.
    desk.ok("fd_renumber", &[other, 1]);
    desk.write(1, b"def").unwrap();
    let again = desk.open_as(3, "a", 0, 0, 0).unwrap();
    assert_eq!(desk.read(again, 9), Ok(b"abcdef".to_vec()));
    assert!(desk.world.output(borges_wasi::Output::Standard).is_empty());
    // What was given is told, and can be closed.
    desk.ok("fd_prestat_get", &[3, OUT]);
    assert_eq!(desk.large(OUT), 1 << 32);
    assert_eq!(
        desk.errno("fd_prestat_dir_name", &[3, OUT, 0]),
        Errno::Nametoolong
    );
    desk.ok("fd_prestat_dir_name", &[3, OUT, 9]);
    assert_eq!(desk.get(OUT, 1), b"/");
    desk.ok("fd_close", &[3]);
    assert_eq!(desk.errno("fd_prestat_get", &[3, OUT]), Errno::Badf);
    assert_eq!(desk.world.folders()[0].1.len(), 2);
}

#[test]
fn times_are_set_and_follow_the_clock_that_was_read() {
    let mut desk = Desk::new();
    let file = desk.file("a");
    let start = desk.stat("a", 0).unwrap().modified;
    desk.chosen = Some(borges_wasi::Chosen::Later(5));
    desk.ok("clock_time_get", &[0, 0, OUT]);
    desk.chosen = None;
    desk.write(file, b"x").unwrap();
    assert_eq!(desk.stat("a", 0).unwrap().modified, start + 5);
    desk.ok("fd_filestat_set_times", &[file, 1, 2, 4]);
    assert_eq!(desk.stat("a", 0).unwrap().modified, 2);
    assert_eq!(desk.large(OUT + 40), start);
    let [a, b] = desk.path("a");
    desk.ok("path_filestat_set_times", &[3, 0, a, b, 7, 0, 1 | 8]);
    assert_eq!(desk.stat("a", 0).unwrap().modified, start + 5);
    assert_eq!(desk.large(OUT + 40), 7);
    for flags in [3, 12, 16] {
        let errno = desk.errno("fd_filestat_set_times", &[file, 0, 0, flags]);
        assert_eq!(errno, Errno::Inval);
    }
    assert_eq!(
        desk.errno("fd_filestat_set_times", &[0, 0, 0, 1]),
        Errno::Notcapable
    );
}

#[test]
fn differences_of_files_are_told() {
    let mut inner = folder(&[("same", "1"), ("other", "0123456789"), ("gone", "3")]);
    inner.insert("link".to_string(), Item::Link("same".to_string()));
    let items = BTreeMap::from([("d".to_string(), Item::Folder(inner))]);
    let mut desk = Desk::over(Setup {
        folders: vec![("/data".to_string(), items)],
        ..Setup::default()
    });
    let before = desk.world.clone();
    let file = desk.file("d/other");
    desk.write_at(file, 4, b"4X6").unwrap();
    desk.write_at(file, 10, b"more").unwrap();
    let same = desk.file("d/same");
    desk.write(same, b"1").unwrap();
    desk.file("d/new");
    desk.at("path_unlink_file", 3, "d/gone");
    desk.at("path_unlink_file", 3, "d/link");
    desk.at("path_create_directory", 3, "d/link");
    let change = |path: &str, kind| FileChange {
        path: format!("/data/d/{path}"),
        kind,
    };
    let wanted = [
        change("gone", FileChangeKind::Removed),
        change("link", FileChangeKind::Replaced),
        change("new", FileChangeKind::Added),
        change(
            "other",
            FileChangeKind::Bytes {
                first: 5,
                before: 10,
                after: 14,
            },
        ),
    ];
    assert_eq!(before.changed_files(&desk.world), wanted);
    desk.ok("fd_filestat_set_size", &[file, 0]);
    let cut = FileChangeKind::Bytes {
        first: 0,
        before: 10,
        after: 0,
    };
    assert_eq!(before.changed_files(&desk.world)[3], change("other", cut));
    // A file that only grew differs at its old end.
    desk.world = before.clone();
    let file = desk.file("d/other");
    desk.ok("fd_filestat_set_size", &[file, 9000]);
    let grown = FileChangeKind::Bytes {
        first: 10,
        before: 10,
        after: 9000,
    };
    assert_eq!(before.changed_files(&desk.world), [change("other", grown)]);
}

#[test]
fn sockets_are_not_there() {
    let mut desk = Desk::new();
    assert_eq!(desk.errno("sock_shutdown", &[1, 0]), Errno::Notsock);
    assert_eq!(desk.errno("sock_shutdown", &[50, 0]), Errno::Badf);
    assert_eq!(desk.errno("sock_recv", &[3, 0, 0, 0, 0, 0]), Errno::Notsock);
    assert_eq!(desk.errno("sock_send", &[3, 0, 0, 0, 0]), Errno::Notsock);
    assert_eq!(desk.errno("sock_accept", &[3, 0, 0]), Errno::Notsock);
    assert_eq!(desk.errno("proc_raise", &[6]), Errno::Notsup);
    desk.ok("sched_yield", &[]);
}

#[test]
fn the_first_preview_lays_out_otherwise() {
    let mut desk = Desk::new();
    let file = desk.file("a");
    desk.write(file, b"12345").unwrap();
    desk.preview = borges_wasi::Preview::Unstable;
    // `whence` is numbered otherwise: here, end, start.
    assert_eq!(desk.seek(file, -1, 0), Ok(4));
    assert_eq!(desk.seek(file, -1, 1), Ok(4));
    assert_eq!(desk.seek(file, 1, 2), Ok(1));
    desk.put(OUT, &[0xaa; 64]);
    desk.ok("fd_filestat_get", &[file, OUT]);
    assert_eq!(desk.small(OUT + 20), 1);
    assert_eq!(desk.large(OUT + 24), 5);
    assert_eq!(desk.get(OUT + 56, 8), [0xaa; 8]);
}

/// What worlds hold together is counted once, and what one adds to another is what differs.
#[test]
fn what_is_shared_is_held_once() {
    let mut desk = Desk::over(Setup {
        folders: vec![("/".to_string(), folder(&[("large", &"x".repeat(1 << 20))]))],
        ..Setup::default()
    });
    let count = |worlds: &[&borges_wasi::World]| {
        let (mut seen, mut bytes, mut visits) = (std::collections::BTreeSet::new(), 0, 0);
        for world in worlds {
            world.for_each_piece(&mut |address, size| {
                visits += 1;
                let new = seen.insert(address);
                bytes += if new { size } else { 0 };
                new
            });
        }
        (bytes, visits)
    };
    let first = desk.world.clone();
    let (whole, _) = count(&[&first]);
    assert!((1 << 20..(1 << 20) + 60_000).contains(&whole), "{whole}");
    let file = desk.file("large");
    desk.write_at(file, 500_000, b"y").unwrap();
    desk.write(1, b"said").unwrap();
    let (one, alone) = count(&[&first]);
    let (both, visits) = count(&[&first, &desk.world]);
    let added = both - one;
    assert!((4096..12_000).contains(&added), "{added}");
    // What is shared is not looked into a second time.
    assert!(visits < alone + 100, "{visits} {alone}");
    let beyond = desk.world.bytes_beyond(&first);
    assert!((added..added + 1000).contains(&beyond), "{beyond} {added}");
    assert!(desk.world.bytes_beyond(&desk.world.clone()) < 1000);
    // A world that has nothing in common with another one adds all that it has.
    let other = Desk::new().world;
    assert!(first.bytes_beyond(&other) >= whole);
}

#[test]
fn a_setup_travels() {
    let mut items = folder(&[("a", "text")]);
    items.insert("l".to_string(), Item::Link("a".to_string()));
    items.insert("d".to_string(), Item::Folder(folder(&[("b", "")])));
    let setup = Setup {
        arguments: vec!["p".to_string()],
        environment: vec![("A".to_string(), "b".to_string())],
        folders: vec![("/".to_string(), items)],
        terminals: [true, false, true],
        ..Setup::default()
    };
    let bytes = postcard::to_allocvec(&setup).unwrap();
    let read: Setup = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(read, setup);
    let (one, other) = (Desk::over(setup).world, Desk::over(read).world);
    assert_eq!(one, other);
    assert_eq!(one.state_hash(), other.state_hash());
}
