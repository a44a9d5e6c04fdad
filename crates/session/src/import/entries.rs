//! Calls of exports that a host made one after the other, as the lines with which a session makes them.

use std::fmt::Write as _;

use super::ImportError;
use super::recording::{HostRecording, Recorded, RecordedEntry};
use crate::program::MOST_TEXT;
use crate::values::show_all;

/// The lines of all of them, as far as the recording can be read; nothing if it is of one entry.
///
/// # Errors
/// [`ImportError::Entry`] if an export has a name that no line can have.
pub(super) fn lines(recording: &HostRecording<'_>) -> Result<Option<String>, ImportError> {
    let mut ahead = recording.clone();
    let (mut lines, mut number) = (String::new(), 0);
    // What cannot be read is said where the program comes to it.
    while let Ok(recorded) = ahead.read_on() {
        match recorded {
            Recorded::Entry(entry) => {
                number += 1;
                line(&entry, number, &mut lines)?;
            }
            Recorded::Call(_) | Recorded::Left(_) => {}
            Recorded::End(_) => break,
        }
    }
    Ok((number > 0).then_some(lines))
}

fn line(entry: &RecordedEntry, number: usize, lines: &mut String) -> Result<(), ImportError> {
    let name = &entry.name;
    let is_other = name.is_empty() || name.trim() != name || name.starts_with(['*', '#']);
    if is_other || name.contains(['(', '=', '\n', '\r']) {
        let name = name.clone();
        return Err(ImportError::Entry { number, name });
    }
    for write in &entry.writes {
        for (at, part) in (0_u32..).zip(write.bytes.chunks(MOST_TEXT)) {
            let address = write.address.wrapping_add(at * MOST_TEXT as u32);
            // Nothing that is written to a text fails.
            let _written = writeln!(lines, "*{address} = \"{}\"", part.escape_ascii());
        }
    }
    let _written = writeln!(lines, "{name}({})", show_all(&entry.args));
    Ok(())
}
