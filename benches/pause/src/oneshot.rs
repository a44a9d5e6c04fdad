//! Commands that are processes of their own: SIGINT, and how long until the process has ended.

use std::thread;
use std::time::Instant;

use crate::Bench;
use crate::rows::{Process, Row};

pub fn press(bench: &mut Bench, processes: &[Process], print: &mut dyn FnMut(Row)) -> Result<(), String> {
    for process in processes {
        let command = process
            .arguments
            .join(" ")
            .replace(&format!("{}/", bench.folder.display()), "");
        if !bench.wants(&command) {
            continue;
        }
        let mut row = Row::new("process", command);
        while !row.is_full(bench.presses) {
            for file in ["fresh.borges", "kept.borges"] {
                let _none = std::fs::remove_file(bench.folder.join(file));
            }
            let _none = std::fs::remove_dir_all(bench.folder.join("traces"));
            let arguments: Vec<&str> = process.arguments.iter().map(String::as_str).collect();
            let mut child = bench.borges(&arguments).spawn().map_err(|e| e.to_string())?;
            thread::sleep(bench.moment(process.within));
            if child.try_wait().map_err(|e| e.to_string())?.is_some() {
                row.ended += 1;
                continue;
            }
            let pressed = Instant::now();
            // SAFETY: a signal to our own child, which has not been waited for.
            unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) };
            child.wait().map_err(|e| e.to_string())?;
            row.times.push(pressed.elapsed().as_secs_f64() * 1e3);
        }
        print(row);
    }
    Ok(())
}
