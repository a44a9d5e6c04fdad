//! Random sequences of calls do to a world what they do to a map from paths to bytes, and worlds that were kept stay.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code)]

mod desk;

use borges_wasi::{Errno, Item, Setup, World};
use desk::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What a naive file system is: folders have no bytes.
type Model = BTreeMap<String, Option<Vec<u8>>>;

#[derive(Clone, Debug)]
enum Act {
    Write(String, u64, Vec<u8>),
    Read(String, u64, usize),
    Resize(String, u64),
    MakeFolder(String),
    RemoveFolder(String),
    RemoveFile(String),
    Rename(String, String),
    List(String),
}

fn path() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "c"]);
    prop::collection::vec(name, 1..4).prop_map(|names| names.join("/"))
}

fn act() -> impl Strategy<Value = Act> {
    let offset = prop_oneof![0..20u64, 4080..4110u64, 60_000..70_000u64];
    let bytes = prop::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 0..40);
    prop_oneof![
        4 => (path(), offset.clone(), bytes).prop_map(|(path, at, bytes)| Act::Write(path, at, bytes)),
        2 => (path(), offset.clone(), 0..6000usize).prop_map(|(path, at, len)| Act::Read(path, at, len)),
        2 => (path(), offset).prop_map(|(path, size)| Act::Resize(path, size)),
        3 => path().prop_map(Act::MakeFolder),
        1 => path().prop_map(Act::RemoveFolder),
        1 => path().prop_map(Act::RemoveFile),
        2 => (path(), path()).prop_map(|(from, to)| Act::Rename(from, to)),
        1 => path().prop_map(Act::List),
    ]
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(parent, _)| parent)
}

/// Whether the way to a path is there: `ENOENT` or `ENOTDIR` where it ends.
fn way(model: &Model, path: &str) -> Result<(), Errno> {
    for (at, _) in path.match_indices('/') {
        match model.get(&path[..at]) {
            None => return Err(Errno::Noent),
            Some(Some(_)) => return Err(Errno::Notdir),
            Some(None) => {}
        }
    }
    Ok(())
}

fn within<'m>(model: &'m Model, path: &str) -> impl Iterator<Item = &'m String> {
    let prefix = format!("{path}/");
    model.keys().filter(move |key| key.starts_with(&prefix))
}

fn rename(model: &mut Model, from: &str, to: &str) -> Result<(), Errno> {
    way(model, from)?;
    way(model, to)?;
    let moved = model.get(from).ok_or(Errno::Noent)?.clone();
    if moved.is_none() && to.starts_with(&format!("{from}/")) {
        return Err(Errno::Inval);
    }
    if from == to {
        return Ok(());
    }
    match (&moved, model.get(to)) {
        (None, Some(Some(_))) => return Err(Errno::Notdir),
        (Some(_), Some(None)) => return Err(Errno::Isdir),
        (None, Some(None)) if within(model, to).next().is_some() => return Err(Errno::Notempty),
        _ => {}
    }
    let inner: Vec<String> = within(model, from).cloned().collect();
    for key in inner {
        let bytes = model.remove(&key).unwrap();
        model.insert(format!("{to}{}", &key[from.len()..]), bytes);
    }
    model.remove(from);
    model.insert(to.to_string(), moved);
    Ok(())
}

/// What an act answers by the model.
fn expected(model: &mut Model, act: &Act) -> Result<Vec<u8>, Errno> {
    match act {
        Act::Write(path, ..) | Act::Resize(path, _) => {
            way(model, path)?;
            let bytes = model
                .entry(path.clone())
                .or_insert_with(|| Some(Vec::new()));
            let bytes = bytes.as_mut().ok_or(Errno::Isdir)?;
            match act {
                Act::Write(_, at, written) if !written.is_empty() => {
                    let end = *at as usize + written.len();
                    bytes.resize(bytes.len().max(end), 0);
                    bytes[*at as usize..end].copy_from_slice(written);
                }
                Act::Resize(_, size) => bytes.resize(*size as usize, 0),
                _ => {}
            }
            Ok(Vec::new())
        }
        Act::Read(path, at, len) => {
            way(model, path)?;
            let bytes = model.get(path).ok_or(Errno::Noent)?.as_ref();
            // A folder can be opened, but not read.
            let bytes = bytes.ok_or(Errno::Badf)?;
            let start = bytes.len().min(*at as usize);
            Ok(bytes[start..bytes.len().min(start + len)].to_vec())
        }
        Act::MakeFolder(path) => {
            way(model, path)?;
            if model.contains_key(path) {
                return Err(Errno::Exist);
            }
            model.insert(path.clone(), None);
            Ok(Vec::new())
        }
        Act::RemoveFolder(path) => {
            way(model, path)?;
            match model.get(path) {
                None => Err(Errno::Noent),
                Some(Some(_)) => Err(Errno::Notdir),
                Some(None) if within(model, path).next().is_some() => Err(Errno::Notempty),
                Some(None) => {
                    model.remove(path);
                    Ok(Vec::new())
                }
            }
        }
        Act::RemoveFile(path) => {
            way(model, path)?;
            match model.get(path) {
                None => Err(Errno::Noent),
                Some(None) => Err(Errno::Isdir),
                Some(Some(_)) => {
                    model.remove(path);
                    Ok(Vec::new())
                }
            }
        }
        Act::Rename(from, to) => rename(model, from, to).map(|()| Vec::new()),
        Act::List(path) => {
            way(model, path)?;
            if model.get(path).ok_or(Errno::Noent)?.is_some() {
                return Err(Errno::Notdir);
            }
            let names = within(model, path).filter(|key| parent(key) == Some(path));
            let mut names: Vec<&str> = names.map(|key| &key[path.len() + 1..]).collect();
            names.sort_unstable();
            Ok(names.join("/").into_bytes())
        }
    }
}

/// What an act answers by the world. Descriptors are closed again.
fn done(desk: &mut Desk, act: &Act) -> Result<Vec<u8>, Errno> {
    let nothing = |errno| match errno {
        Errno::Success => Ok(Vec::new()),
        errno => Err(errno),
    };
    match act {
        Act::MakeFolder(path) => nothing(desk.at("path_create_directory", 3, path)),
        Act::RemoveFolder(path) => nothing(desk.at("path_remove_directory", 3, path)),
        Act::RemoveFile(path) => nothing(desk.at("path_unlink_file", 3, path)),
        Act::Rename(from, to) => {
            let ([a, b], [c, d]) = (desk.path(from), desk.other_path(to));
            nothing(desk.errno("path_rename", &[3, a, b, 3, c, d]))
        }
        Act::Write(path, at, bytes) => {
            let file = desk.open_with(3, path, 0, CREATE, ALL, 0)?;
            let written = desk.write_at(file, *at, bytes)?;
            assert_eq!(written as usize, bytes.len());
            nothing(desk.errno("fd_close", &[file]))
        }
        Act::Resize(path, size) => {
            let file = desk.open_with(3, path, 0, CREATE, ALL, 0)?;
            desk.ok("fd_filestat_set_size", &[file, *size]);
            nothing(desk.errno("fd_close", &[file]))
        }
        Act::Read(path, at, len) => {
            let file = desk.open_as(3, path, 0, 0, 0)?;
            let bytes = desk.read_at(file, *at, *len);
            desk.ok("fd_close", &[file]);
            bytes
        }
        Act::List(path) => {
            let folder = desk.open_as(3, path, 0, DIRECTORY, 0)?;
            let mut names = desk.list(folder, 64)?.split_off(2);
            desk.ok("fd_close", &[folder]);
            names.sort_unstable();
            Ok(names.join("/").into_bytes())
        }
    }
}

/// The paths and bytes of a world.
fn seen(world: &World) -> Model {
    fn walk(path: &str, items: &BTreeMap<String, Item>, seen: &mut Model) {
        for (name, item) in items {
            let path = format!("{path}{name}");
            match item {
                Item::File(bytes) => _ = seen.insert(path, Some(bytes.clone())),
                Item::Folder(items) => {
                    walk(&format!("{path}/"), items, seen);
                    seen.insert(path, None);
                }
                Item::Link(target) => panic!("a link to {target}"),
            }
        }
    }
    let mut all = Model::new();
    walk("", &world.folders()[0].1, &mut all);
    all
}

proptest! {
    #[test]
    fn a_world_does_what_a_map_does(acts in prop::collection::vec(act(), 1..60), keep in 0..60usize) {
        let mut desk = Desk::new();
        let mut model = Model::new();
        let mut kept = None;
        for (number, act) in acts.iter().enumerate() {
            if number == keep {
                kept = Some((desk.world.clone(), desk.world.state_hash(), model.clone()));
            }
            prop_assert_eq!(done(&mut desk, act), expected(&mut model, act), "{:?}", act);
            prop_assert_eq!(seen(&desk.world), model.clone(), "{:?}", act);
            let bytes: usize = model.values().flatten().map(Vec::len).sum();
            prop_assert_eq!(desk.world.size(), (model.len() + 1, bytes as u64));
        }
        if let Some((world, hash, then)) = kept {
            prop_assert_eq!(seen(&world), then.clone());
            prop_assert_eq!(world.state_hash(), hash);
            prop_assert_eq!(world.changed_files(&desk.world).is_empty(), then == model);
        }
        // Equal files are equal, however they came about.
        let fresh = World::new(&Setup { folders: desk.world.folders(), ..Setup::default() }).unwrap();
        prop_assert!(fresh.changed_files(&desk.world).is_empty());
    }

    /// Two ways to one state: writing and undoing it by name leaves the state that was there, but for times.
    #[test]
    fn what_is_made_and_removed_leaves_no_trace(acts in prop::collection::vec(act(), 0..20)) {
        let mut desk = Desk::new();
        for act in &acts {
            _ = done(&mut desk, act);
        }
        let before = desk.world.clone();
        for name in ["x", "y"] {
            let file = desk.file(name);
            desk.write(file, b"something").unwrap();
            desk.ok("fd_close", &[file]);
        }
        prop_assert!(before != desk.world);
        for name in ["x", "y"] {
            prop_assert_eq!(desk.at("path_unlink_file", 3, name), Errno::Success);
        }
        prop_assert!(before == desk.world);
        prop_assert_eq!(before.state_hash(), desk.world.state_hash());
    }
}
