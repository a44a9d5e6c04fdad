//! What a program finds that calls an operating system, as the command line says it.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use borges_session::Provided;

use crate::args;
use crate::exit::Failure;

/// What the options give, with the seed that its random bytes depend on; nothing if they give nothing.
///
/// # Errors
/// A variable without a value, or input that cannot be read.
pub(super) fn given(
    options: &args::System,
    seed: Option<u64>,
) -> Result<Option<Provided>, Failure> {
    let nothing = options.found.folders.is_empty()
        && options.found.environment.is_empty()
        && options.stdin.is_none()
        && !options.found.terminal
        && options.arguments.is_empty()
        && seed.is_none();
    if nothing {
        return Ok(None);
    }
    let environment = options.found.environment.iter().map(|text| {
        let (name, value) = text.split_once('=').ok_or_else(|| {
            Failure::usage(format!("'{text}' is no variable"), "write --env NAME=VALUE")
        })?;
        Ok((name.to_owned(), value.to_owned()))
    });
    Ok(Some(Provided {
        arguments: options.arguments.clone(),
        environment: environment.collect::<Result<_, Failure>>()?,
        folders: folders(&options.found.folders),
        input: match options.stdin.as_deref() {
            None => Vec::new(),
            Some(path) => input(path)?,
        },
        terminals: [options.found.terminal; 3],
        start: None,
        seed: seed.unwrap_or(0),
    }))
}

/// Folders of the host, each with the name that the program sees.
pub(super) fn folders(texts: &[String]) -> Vec<(PathBuf, String)> {
    let folders = texts.iter().map(|text| {
        let (host, guest) = text.split_once("::").unwrap_or((text, text));
        (host.into(), guest.to_owned())
    });
    folders.collect()
}

/// The same where standard input is what is looked for.
///
/// # Errors
/// A variable without a value.
pub(super) fn given_to_look_at(
    found: &args::Found,
    arguments: &[String],
) -> Result<Option<Provided>, Failure> {
    let options = args::System {
        found: found.clone(),
        stdin: None,
        arguments: arguments.to_vec(),
    };
    given(&options, None)
}

/// The bytes of a file, or of standard input.
///
/// # Errors
/// They cannot be read.
pub(super) fn input(path: &Path) -> Result<Vec<u8>, Failure> {
    let unread = |error: std::io::Error| Failure::input(format!("{}: {error}", path.display()), "");
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map_err(unread)?;
        return Ok(bytes);
    }
    std::fs::read(path).map_err(unread)
}
