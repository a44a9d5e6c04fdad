//! Folders of the disk as items.

use borges_wasi::Item;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What a folder has.
pub fn read(folder: &Path) -> BTreeMap<String, Item> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            let path = entry.path();
            let item = match entry.file_type().unwrap() {
                kind if kind.is_dir() => Item::Folder(read(&path)),
                kind if kind.is_symlink() => {
                    let target = fs::read_link(&path).unwrap();
                    Item::Link(target.to_string_lossy().to_string())
                }
                _ => Item::File(fs::read(&path).unwrap()),
            };
            (entry.file_name().to_string_lossy().to_string(), item)
        })
        .collect()
}

/// Makes a folder that has these items.
pub fn write(folder: &Path, items: &BTreeMap<String, Item>) {
    fs::create_dir(folder).unwrap();
    for (name, item) in items {
        let path = folder.join(name);
        match item {
            Item::Folder(items) => write(&path, items),
            Item::File(bytes) => fs::write(path, bytes).unwrap(),
            Item::Link(target) => std::os::unix::fs::symlink(target, path).unwrap(),
        }
    }
}
