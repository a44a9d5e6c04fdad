//! Files of the host that stand in for files of a program: they are read where the prompt is.

use std::fs::File;
use std::io::Read;

use borges_session::command::{Act, Command, MOST_MOCKED, MockValues};

use crate::arguments::is_file;

/// The same command, with the bytes of a file of the host in the place of its path, where a mock says one.
///
/// # Errors
/// The file cannot be read, or is too large: for people.
pub(super) fn read_in(command: Command) -> Result<Command, String> {
    let Command::Act(Act::Mock {
        call,
        values: MockValues::Sequence(values),
    }) = &command
    else {
        return Ok(command);
    };
    match &**values {
        [path] if is_file(call) && !path.starts_with('"') => {
            let bytes = read(path)?;
            let text = format!("\"{}\"", bytes.escape_ascii());
            let (call, values) = (call.clone(), MockValues::Sequence(vec![text]));
            Ok(Act::Mock { call, values }.into())
        }
        _ => Ok(command),
    }
}

/// All of a file, once: nothing that grows while it is read, or never ends, is held.
fn read(path: &str) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| {
        format!(
            "{path}: {error}; a text in quotes stands for itself: mock file \"PATH\" = \"text\""
        )
    };
    // A pipe would be waited for.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(format!("{path} is no file"));
    }
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    let most = MOST_MOCKED as u64;
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > most {
        return Err(format!(
            "{path} is too large: a file that stands in for another one has at most {most} bytes"
        ));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mock(call: &str, value: &str) -> Command {
        let (call, values) = (
            call.to_owned(),
            MockValues::Sequence(vec![value.to_owned()]),
        );
        Act::Mock { call, values }.into()
    }

    #[test]
    fn a_path_becomes_its_bytes_up_to_a_limit() {
        let folder = std::env::temp_dir().join(format!("borges-host-file-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a, b.csv");
        let path = path.to_str().unwrap();
        let call = "file \"/data/a\"";
        std::fs::write(path, b"x\n\xff\"").unwrap();
        assert_eq!(read_in(mock(call, path)), Ok(mock(call, r#""x\n\xff\"""#)),);
        // What is in quotes, and what other mocks say, stays.
        for kept in [mock(call, "\"text\""), mock("fd_write", "ENOSPC")] {
            assert_eq!(read_in(kept.clone()), Ok(kept));
        }
        for (length, fits) in [(MOST_MOCKED, true), (MOST_MOCKED + 1, false)] {
            std::fs::write(path, vec![b'x'; length]).unwrap();
            assert_eq!(read_in(mock(call, path)).is_ok(), fits, "{length} bytes");
        }
        let folder_error = read_in(mock(call, folder.to_str().unwrap())).unwrap_err();
        assert!(folder_error.contains("is no file"), "{folder_error}");
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(read_in(mock(call, path)).unwrap_err().contains(path));
    }
}
