//! `borges flash`: firmware onto a board.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::flash::{self, drive, uf2};
use crate::output::Output;

/// How the drive of a Pico appears.
const BOOTSEL: &str = "hold the Pico's BOOTSEL button while you plug it in: a drive named RPI-RP2 appears. Or name its folder with --drive, or write a file with --output and copy it there yourself";

/// Puts firmware onto a board.
pub(crate) fn flash(options: &args::Flash, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(chip) = &options.chip {
        return with_probe(chip, &options.firmware, output);
    }
    let file = options.firmware.display();
    let bytes = super::read(&options.firmware)?;
    let image = flash::read(&bytes).map_err(|error| {
        Failure::input(
            format!("{file} is no firmware for a Raspberry Pi Pico: {error}"),
            "for another chip, say which: borges flash FILE --chip STM32F405RGTx",
        )
    })?;
    let uf2 = uf2::write(&image);
    let place = match (&options.output, &options.drive) {
        (Some(file), _) => {
            std::fs::write(file, &uf2).map_err(|error| unwritten(file, &error))?;
            file.clone()
        }
        (None, named) => {
            let drive = pico(named.as_deref())?;
            drive::write(&drive, &uf2).map_err(|error| unwritten(&drive, &error))?;
            drive
        }
    };
    let bytes = image.pages() * flash::PAGE_BYTES;
    let written = json!({ "ok": true, "written": place, "bytes": bytes });
    output.say(&written, |_| {
        let next = match options.output {
            Some(_) => "copy it to the drive that the Pico shows when BOOTSEL is held",
            None => "the Pico restarts with it; see 'borges devices'",
        };
        let place = place.display();
        format!("{bytes} bytes of flash written to {place}: {next}\n")
    })?;
    Ok(Exit::Ok)
}

/// The drive of the Pico that waits for firmware.
fn pico(named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(drive) = named {
        return if drive::is_pico(drive) {
            Ok(drive.to_owned())
        } else {
            let message = format!(
                "{} is not the drive of a Pico: it has no INFO_UF2.TXT that says so",
                drive.display()
            );
            Err(Failure::new(Exit::Device, message, BOOTSEL))
        };
    }
    let mut drives = drive::waiting(drive::all());
    match (drives.pop(), drives.pop()) {
        (Some(drive), None) => Ok(drive),
        (Some(one), Some(other)) => {
            let (one, other) = (one.display(), other.display());
            let message = format!("several Picos wait: {one} and {other}");
            let next = "choose one with --drive";
            Err(Failure::new(Exit::Device, message, next))
        }
        (None, _) => {
            let message = "no Pico waits for firmware";
            Err(Failure::new(Exit::Device, message, BOOTSEL))
        }
    }
}

fn unwritten(place: &Path, error: &std::io::Error) -> Failure {
    let message = format!("{} cannot be written: {error}", place.display());
    Failure::new(Exit::Device, message, "")
}

/// Leaves it to probe-rs, which knows every debug probe and the flash of every chip.
fn with_probe(chip: &str, firmware: &Path, output: &mut Output) -> Result<Exit, Failure> {
    let steps: [&[&str]; 2] = [&["download", "--chip", chip], &["reset", "--chip", chip]];
    for (i, arguments) in steps.into_iter().enumerate() {
        let mut command = Command::new("probe-rs");
        command.args(arguments);
        if i == 0 {
            command.arg(firmware);
        }
        if output.json {
            // Its words are not ours, and standard output is for one object.
            command.stdout(std::process::Stdio::null());
        }
        let line = format!(
            "probe-rs download --chip {chip} {} && probe-rs reset --chip {chip}",
            firmware.display()
        );
        match command.status() {
            Ok(status) if status.success() => {}
            Ok(status) => {
                let message = format!("probe-rs could not do it: {status}");
                let next = "is the probe plugged in, and is the chip's name right? 'probe-rs list' and 'probe-rs chip list' know";
                return Err(Failure::new(Exit::Device, message, next));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(Failure::new(
                    Exit::Device,
                    "a chip without a USB drive is written with probe-rs, which is not installed",
                    format!("see https://probe.rs, then do this again or type: {line}"),
                ));
            }
            Err(error) => return Err(Failure::new(Exit::Device, format!("probe-rs: {error}"), "")),
        }
    }
    output.say(&json!({ "ok": true, "written": chip }), |_| {
        "the board restarts with it; see 'borges devices'\n".to_owned()
    })?;
    Ok(Exit::Ok)
}
