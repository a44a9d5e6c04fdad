//! `borges devices`: the serial ports of this computer, and what answers on them.

use std::path::{Path, PathBuf};

use borges_session::probe::{Introduction, ProbeError, probe, program_name};
use borges_session::{Address, ports};
use serde_json::json;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use borges_commands::paint::grouped;

/// A place where a device may be, and what is there.
struct Found {
    address: String,
    /// What the operating system knows of the port.
    port: String,
    answer: Answer,
}

enum Answer {
    Device(Introduction),
    /// Another program uses the port: it was left alone.
    Busy(String),
    NotAsked,
    Nothing(ProbeError),
}

/// Lists ports and devices.
pub(crate) fn devices(options: &args::Devices, output: &mut Output) -> Result<Exit, Failure> {
    let key = options
        .key_file
        .as_deref()
        .map(super::target::read_key)
        .transpose()?;
    let ask = |address: &Address| match probe(address, key.as_ref()) {
        Ok(introduction) => Answer::Device(introduction),
        Err(error) => Answer::Nothing(error),
    };
    let mut found = Vec::new();
    if options.addresses.is_empty() {
        let ports = ports().map_err(|error| {
            let message = format!("the ports cannot be listed: {error}");
            Failure::new(Exit::Device, message, "")
        })?;
        for (name, port) in ports {
            let address = Address::serial(&name, options.baud);
            let answer = match user_of(Path::new(&name)) {
                Some(user) => Answer::Busy(user),
                None if options.list => Answer::NotAsked,
                None => ask(&address),
            };
            let address = address.to_string();
            found.push(Found {
                address,
                port,
                answer,
            });
        }
    }
    for text in &options.addresses {
        let address: Address = text
            .parse()
            .map_err(|error| Failure::usage(error, "see 'borges devices --help'"))?;
        found.push(Found {
            address: text.clone(),
            port: String::new(),
            answer: ask(&address),
        });
    }
    let programs = known(&options.programs)?;
    if output.json {
        let list: Vec<_> = found.iter().map(|found| found.json(&programs)).collect();
        output.json(&json!({ "ok": true, "devices": list }))?;
        return Ok(Exit::Ok);
    }
    if found.is_empty() {
        output.text(
            "this computer has no serial ports: is the board plugged in, with a cable that carries data?\n\
             A new Pico needs firmware first (borges flash FILE), and without a board there is 'borges board'.\n",
        )?;
    }
    for found in &found {
        output.text(&found.text(&programs, output))?;
    }
    Ok(Exit::Ok)
}

/// Programs by the names that devices have for them.
fn known(paths: &[PathBuf]) -> Result<Vec<(String, String)>, Failure> {
    let name = |path: &PathBuf| {
        let bytes = super::read(path)?;
        Ok((program_name(&bytes), path.display().to_string()))
    };
    paths.iter().map(name).collect()
}

impl Found {
    fn text(&self, programs: &[(String, String)], output: &Output) -> String {
        let address = output.paint.name(&self.address);
        let port = match self.port.as_str() {
            "" => String::new(),
            port => format!("  {port}"),
        };
        let what = match &self.answer {
            Answer::Device(device) => device_text(device, programs),
            Answer::Busy(user) => format!("used by {user}: left alone"),
            Answer::NotAsked => "not asked".to_owned(),
            Answer::Nothing(error) => error.to_string(),
        };
        format!("{address}{port}\n  {what}\n")
    }

    fn json(&self, programs: &[(String, String)]) -> serde_json::Value {
        let mut object = json!({ "address": self.address, "port": self.port });
        match &self.answer {
            Answer::Device(device) => {
                object["device"] = json!(device.device);
                object["status"] = json!(device.status);
                object["program"] = json!(device.program);
                object["file"] = json!(file_of(device, programs));
                object["steps"] = json!(device.steps);
                object["programBytes"] = json!(device.program_bytes);
            }
            Answer::Busy(user) => object["usedBy"] = json!(user),
            Answer::NotAsked => {}
            Answer::Nothing(error) => object["error"] = json!(error.to_string()),
        }
        object
    }
}

fn device_text(device: &Introduction, programs: &[(String, String)]) -> String {
    let name = &device.device;
    let room = grouped(device.program_bytes.into());
    match &device.program {
        None => format!("{name}: no program; takes one of up to {room} bytes"),
        Some(hash) => {
            let program = file_of(device, programs).unwrap_or(hash);
            let steps = grouped(device.steps);
            format!(
                "{name}: program {program}, {}, at step {steps}",
                device.status
            )
        }
    }
}

/// Which of the programs that the user named is on a device.
fn file_of<'a>(device: &Introduction, programs: &'a [(String, String)]) -> Option<&'a str> {
    let hash = device.program.as_ref()?;
    let known = programs.iter().find(|(known, _)| known == hash);
    known.map(|(_, file)| file.as_str())
}

/// Which process has a port open. Only Linux says so, and only of processes that we may look at; elsewhere opening a
/// port that is in use fails.
fn user_of(port: &Path) -> Option<String> {
    let port = port.canonicalize().ok()?;
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    for process in
        processes.filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit())
    {
        let Ok(files) = std::fs::read_dir(process.path().join("fd")) else {
            continue;
        };
        let uses =
            |file: std::fs::DirEntry| std::fs::read_link(file.path()).is_ok_and(|to| to == port);
        if files.flatten().any(uses) {
            let name = std::fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            let number = process.file_name();
            return Some(format!("{} (process {})", name.trim(), number.display()));
        }
    }
    None
}
