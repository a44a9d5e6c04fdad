//! The examples of the repository: what the page offers to try, and the tours beside them.

use std::path::{Path, PathBuf};

use borges_hub::protocol::{ShelfEntry, TourListing};
use clap::Parser;
use serde::Deserialize;

use crate::args;

/// A tour as its file has it (`tour.json`).
#[derive(Deserialize)]
struct Tour {
    /// The program's file, if it is not called as its folder is.
    program: Option<String>,
    /// What `borges debug` takes beside the program, at the repository's root.
    #[serde(default)]
    open: Vec<String>,
    /// What the page makes of it.
    steps: serde_json::Value,
}

/// What a program finds, as the command line says it.
#[derive(Parser, Default)]
#[command(no_binary_name = true)]
pub(super) struct Finds {
    #[command(flatten)]
    pub(super) start: args::Start,
    #[command(flatten)]
    pub(super) system: args::System,
}

/// The folder of the examples: of the repository that this command is run from or was built in, or where a package puts them.
fn folder() -> Option<PathBuf> {
    let near = std::env::current_exe().ok();
    let above = near.iter().flat_map(|exe| exe.ancestors().skip(1));
    std::iter::once(Path::new("."))
        .chain(above)
        .flat_map(|root| [root.join("examples"), root.join("share/borges/examples")])
        .find(|folder| folder.join("README.md").is_file())
}

/// The example programs, by name.
pub(super) fn list() -> Vec<ShelfEntry> {
    let entries = folder().and_then(|folder| std::fs::read_dir(folder).ok());
    let mut list: Vec<ShelfEntry> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let folder = entry.ok()?.path();
            let name = folder.file_name()?.to_string_lossy().into_owned();
            let about = std::fs::read_to_string(folder.join("README.md")).ok()?;
            let program = main_program(&folder, &name)?;
            let (language, picture) = looks(&folder, &program);
            Some(ShelfEntry {
                about: first_sentence(&about),
                path: program.display().to_string(),
                name,
                language: language.map(str::to_owned),
                picture: Some(picture.to_owned()),
            })
        })
        .collect();
    list.sort_by(|a, b| a.name.cmp(&b.name));
    list
}

/// The tour of a program, if it is an example with one: only these are shown, because a tour has the debugger do things.
pub(super) fn tour(program: &Path) -> Option<TourListing> {
    let (_, tour) = read(program)?;
    Some(TourListing { steps: tour.steps })
}

/// What an example finds when it is chosen on the page: the folders and inputs that its tour is about. Nothing else has any.
pub(super) fn finds(program: &Path) -> Finds {
    let found = read(program).and_then(|(root, tour)| {
        let mut finds = Finds::try_parse_from(&tour.open).ok()?;
        for folder in &mut finds.system.found.folders {
            *folder = root.join(&*folder).display().to_string();
        }
        let files = [&mut finds.start.board, &mut finds.system.stdin];
        for file in files.into_iter().flatten() {
            *file = root.join(&*file);
        }
        Some(finds)
    });
    found.unwrap_or_default()
}

/// The tour beside a program of the examples, and the folder that its paths start from.
fn read(program: &Path) -> Option<(PathBuf, Tour)> {
    let examples = folder()?;
    let program = program.canonicalize().unwrap_or_else(|_| program.into());
    let name = program.parent()?.file_name()?;
    let text = std::fs::read_to_string(examples.join(name).join("tour.json")).ok()?;
    let tour: Tour = serde_json::from_str(&text).ok()?;
    let own = Path::new(name).with_extension("wasm");
    let file = tour.program.as_deref().map_or(own.as_path(), Path::new);
    (program.file_name()? == file.as_os_str()).then(|| (examples.join(".."), tour))
}

/// The program that an example is about: the module of its name, a network, or else the first program of a model language.
fn main_program(folder: &Path, name: &str) -> Option<PathBuf> {
    let module = folder.join(name).with_extension("wasm");
    let mut whole = [module, folder.join("network.toml")].into_iter();
    if let Some(program) = whole.find(|path| path.is_file()) {
        return Some(program);
    }
    let files = std::fs::read_dir(folder).ok()?;
    let files = files.filter_map(|file| Some(file.ok()?.path()));
    let is_model = |path: &PathBuf| {
        let extension = path.extension().unwrap_or_default();
        ["amb", "at", "oz"].iter().any(|known| extension == *known)
    };
    let is_main = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == name);
    files
        .filter(is_model)
        .min_by_key(|path| (!is_main(path), path.clone()))
}

/// The language of an example, and what a picture of it would show.
fn looks(folder: &Path, program: &Path) -> (Option<&'static str>, &'static str) {
    match program.extension().and_then(|extension| extension.to_str()) {
        Some("amb") => return (Some("λ_amb"), "choices"),
        Some("at") => return (Some("AmbientTalk"), "actors"),
        Some("oz") => return (Some("μOz"), "threads"),
        _ => {}
    }
    let languages = [("ts", "AssemblyScript"), ("c", "C"), ("rs", "Rust")];
    let source = |(extension, language): (&str, &'static str)| {
        let text = std::fs::read_to_string(program.with_extension(extension)).ok()?;
        Some((language, text))
    };
    let found = languages.into_iter().find_map(source);
    let (language, text) = match &found {
        Some((language, text)) => (Some(*language), text.as_str()),
        None => (None, ""),
    };
    let board = std::fs::read_to_string(folder.join("board.toml"));
    let says = |word: &str| text.contains(word);
    let picture = match board {
        Err(_) => "terminal",
        Ok(board) if board.contains("[display]") => "display",
        Ok(_) if says("otor") || says("rotate") => "dial",
        Ok(_) if says("ixel") => "pixels",
        Ok(_) if says("erial") || says("uart") => "serial",
        Ok(_) => "lights",
    };
    (language, picture)
}

/// The first sentence of a README below its title; what to type is none.
fn first_sentence(text: &str) -> String {
    let mut is_typed = false;
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| {
            let fence = line.starts_with("```");
            is_typed ^= fence;
            !fence && !is_typed && !line.is_empty() && !line.starts_with(['#', '<', '|'])
        })
        .unwrap_or_default();
    match line.split_once(". ") {
        Some((sentence, _)) => format!("{sentence}."),
        None => line.to_owned(),
    }
}
