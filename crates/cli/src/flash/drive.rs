//! Boards that wait for firmware show a USB drive.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The file by which a drive says what board it is.
const INFO: &str = "INFO_UF2.TXT";
/// What it says on a Raspberry Pi Pico.
const PICO: &str = "RPI-RP2";

/// The drives of Picos that wait for firmware, among these folders.
pub(crate) fn waiting(among: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    among.into_iter().filter(|drive| is_pico(drive)).collect()
}

/// Whether a folder is the drive of a Pico that waits for firmware.
#[must_use]
pub(crate) fn is_pico(drive: &Path) -> bool {
    let info = std::fs::read_to_string(drive.join(INFO));
    info.is_ok_and(|info| {
        info.lines()
            .any(|line| line.trim_end() == format!("Board-ID: {PICO}"))
    })
}

/// Where this computer shows its drives.
#[must_use]
pub(crate) fn all() -> Vec<PathBuf> {
    if cfg!(windows) {
        return ('D'..='Z')
            .map(|letter| format!("{letter}:\\").into())
            .collect();
    }
    if cfg!(target_os = "macos") {
        let volumes = std::fs::read_dir("/Volumes").into_iter().flatten();
        return volumes.flatten().map(|volume| volume.path()).collect();
    }
    let table = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    table.lines().filter_map(mounted).collect()
}

/// The folder in a line of the kernel's table of mounts, where blanks are written as `\040`.
fn mounted(line: &str) -> Option<PathBuf> {
    let folder = line.split(' ').nth(1)?;
    Some(folder.replace("\\040", " ").into())
}

/// Writes firmware to a board's drive.
///
/// # Errors
/// What the operating system says before everything was written.
pub(crate) fn write(drive: &Path, uf2: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(drive.join("borges.uf2"))?;
    file.write_all(uf2)?;
    // The board restarts as soon as it has the last block, and takes its drive along: that is no failure.
    let _gone = file.sync_all();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_read_from_the_kernels_table() {
        let line = "/dev/sda1 /media/me/RPI\\040RP2 vfat rw 0 0";
        assert_eq!(mounted(line), Some("/media/me/RPI RP2".into()));
        assert_eq!(mounted(""), None);
    }
}
