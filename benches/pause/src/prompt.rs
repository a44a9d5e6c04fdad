//! A prompt at a pseudo-terminal: Ctrl-C is typed, and how long until the next prompt.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::Bench;
use crate::rows::{Debugger, Row};

/// No command without an end is pressed later than this.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a line editor says when it has given the terminal back: pasted text is not marked any more.
const TAKEN: &str = "\u{1b}[?2004l";

/// As long without a word is the end of an echo.
const QUIET: Duration = Duration::from_millis(30);

/// A debugger at a terminal.
struct Terminal {
    debugger: Child,
    keys: File,
    said: Receiver<Vec<u8>>,
    /// What it said since a line was entered.
    text: String,
}

impl Terminal {
    fn open(bench: &Bench, program: &str) -> Result<Self, String> {
        let (mut ours, mut theirs) = (0, 0);
        let none = std::ptr::null_mut();
        // SAFETY: both numbers are writable; a null name, mode and size are allowed.
        if unsafe { libc::openpty(&mut ours, &mut theirs, none, none.cast(), none.cast()) } != 0 {
            return Err("there is no pseudo-terminal".into());
        }
        // SAFETY: both were opened just now and belong to nobody else.
        let (ours, theirs) = unsafe { (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) };
        let stdio = || theirs.try_clone().map(Stdio::from).map_err(|e| e.to_string());
        let number = theirs.as_raw_fd();
        let words: Vec<_> = ["repl"].into_iter().chain(program.split(' ')).collect();
        let mut command = bench.borges(&words);
        command
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .stdin(stdio()?)
            .stdout(stdio()?)
            .stderr(stdio()?);
        // SAFETY: both calls are allowed between fork and exec, and `number` is open there.
        unsafe {
            command.pre_exec(move || {
                libc::setsid();
                libc::ioctl(number, libc::TIOCSCTTY, 0);
                Ok(())
            });
        }
        let debugger = command.spawn().map_err(|e| e.to_string())?;
        let (heard, said) = mpsc::channel();
        let mut ears = ours.try_clone().map_err(|e| e.to_string())?;
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = ears.read(&mut buffer) {
                if heard.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        let mut terminal = Self {
            debugger,
            keys: ours,
            said,
            text: String::new(),
        };
        match terminal.prompted(PATIENCE)? {
            true => Ok(terminal),
            false => Err(format!("no prompt: {}", terminal.text)),
        }
    }

    fn key(&mut self, keys: &str) -> Result<(), String> {
        self.keys.write_all(keys.as_bytes()).map_err(|e| e.to_string())
    }

    /// Types a line, waits for its echo, and enters it.
    fn enter(&mut self, line: &str) -> Result<(), String> {
        self.key(line)?;
        while self.said.recv_timeout(QUIET).is_ok() {}
        self.text.clear();
        self.key("\r")?;
        // Before the line is taken, Ctrl-C is a key of the editor's.
        while !self.text.contains(TAKEN) {
            let bytes = self
                .said
                .recv_timeout(PATIENCE)
                .map_err(|_| format!("{line} is not taken: {}", self.text))?;
            self.text.push_str(&String::from_utf8_lossy(&bytes));
        }
        Ok(())
    }

    /// Waits for the next prompt; whether it is there.
    fn prompted(&mut self, within: Duration) -> Result<bool, String> {
        let deadline = Instant::now() + within;
        while !ends_with_prompt(&self.text) {
            match self
                .said
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(bytes) => self.text.push_str(&String::from_utf8_lossy(&bytes)),
                Err(RecvTimeoutError::Timeout) => return Ok(false),
                Err(RecvTimeoutError::Disconnected) => return Err(format!("the prompt is gone: {}", self.text)),
            }
        }
        Ok(true)
    }

    fn done(&mut self, line: &str) -> Result<(), String> {
        self.enter(line)?;
        match self.prompted(PATIENCE)? {
            true => Ok(()),
            false => Err(format!("{line} does not end: {}", self.text)),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _gone = self.debugger.kill();
        let _waited = self.debugger.wait();
    }
}

/// Whether a text ends with `0.12+3> ` or a number and `> `, but for what moves the cursor.
fn ends_with_prompt(text: &str) -> bool {
    let mut plain = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => while characters.next().is_some_and(|c| !c.is_ascii_alphabetic()) {},
            character => plain.push(character),
        }
    }
    let last = plain
        .rsplit(['\n', '\r'])
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    let universe = last.strip_suffix("> ");
    universe.is_some_and(|universe| {
        !universe.is_empty() && universe.chars().all(|c| c.is_ascii_digit() || "+.".contains(c))
    })
}

pub fn press(bench: &mut Bench, debuggers: &[Debugger<String>], print: &mut dyn FnMut(Row)) -> Result<(), String> {
    for debugger in debuggers {
        if !debugger.rows.iter().any(|(_, command)| bench.wants(command)) {
            continue;
        }
        let mut terminal = Terminal::open(bench, debugger.opens)?;
        for line in &debugger.ready {
            terminal.done(line)?;
        }
        for (before, command) in &debugger.rows {
            if !bench.wants(command) {
                continue;
            }
            let mut row = Row::new("prompt", command);
            while !row.is_full(bench.presses) {
                for line in before {
                    terminal.done(line)?;
                }
                terminal.enter(command)?;
                if terminal.prompted(bench.moment(debugger.within))? {
                    row.ended += 1;
                    continue;
                }
                let pressed = Instant::now();
                terminal.key("\u{3}")?;
                if !terminal.prompted(PATIENCE)? {
                    return Err(format!("{command} is deaf"));
                }
                row.times.push(pressed.elapsed().as_secs_f64() * 1e3);
            }
            print(row);
        }
    }
    Ok(())
}
