//! Standard output and standard error of one run of the command.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use borges_commands::paint::{Paint, grouped};
use borges_session::command::{Event, Flow};
use serde::Serialize;

use crate::args::Global;
use crate::exit::Failure;
use crate::interrupt;

/// Where results go: text or JSON on standard output.
pub struct Output {
    /// Print JSON.
    pub json: bool,
    /// How to paint standard output.
    pub paint: Paint,
    /// How to paint standard error.
    pub error_paint: Paint,
    /// Show no progress.
    quiet: bool,
    out: io::Stdout,
}

impl Output {
    /// As the command line says.
    pub fn new(global: &Global) -> Self {
        Self {
            json: global.json,
            paint: global.color.for_stdout(),
            error_paint: global.color.for_stderr(),
            quiet: global.quiet,
            out: io::stdout(),
        }
    }

    /// For work that begins now.
    pub fn progress(&self) -> Progress {
        Progress::new(self.quiet)
    }

    /// Writes text as it is.
    ///
    /// # Errors
    /// [`Failure::Output`].
    pub fn text(&mut self, text: &str) -> Result<(), Failure> {
        let mut out = self.out.lock();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(())
    }

    /// Writes bytes to standard output, or to standard error, as they are.
    ///
    /// # Errors
    /// [`Failure::Output`].
    pub fn bytes(&mut self, bytes: &[u8], is_error: bool) -> Result<(), Failure> {
        if is_error {
            io::stderr().lock().write_all(bytes)?;
            return Ok(());
        }
        let mut out = self.out.lock();
        out.write_all(bytes)?;
        out.flush()?;
        Ok(())
    }

    /// Writes one JSON value on one line.
    ///
    /// # Errors
    /// [`Failure::Output`].
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let mut line = serde_json::to_string(value).map_err(io::Error::other)?;
        line.push('\n');
        self.text(&line)
    }
}

/// How long a piece of work may take before its progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Progress on standard error, for work that takes longer than a second.
pub struct Progress {
    quiet: bool,
    terminal: bool,
    started: Instant,
    next: Duration,
    shown: bool,
}

impl Progress {
    /// Nothing is under way yet.
    pub fn new(quiet: bool) -> Self {
        Self {
            quiet,
            terminal: io::stderr().is_terminal(),
            started: Instant::now(),
            next: PATIENCE,
            shown: false,
        }
    }

    /// A new piece of work begins.
    pub fn begin(&mut self) {
        self.clear();
        self.started = Instant::now();
        self.next = PATIENCE;
    }

    /// Hears what happens meanwhile, and says whether to go on: Ctrl-C pauses.
    pub fn hear(&mut self, event: Event) -> Flow {
        if let Event::Progress { what, done, total } = event {
            self.update(&what, done, total);
        }
        match interrupt::pressed() {
            true => Flow::Pause,
            false => Flow::Continue,
        }
    }

    /// The work has come this far.
    pub fn update(&mut self, what: &str, done: u64, total: Option<u64>) {
        let elapsed = self.started.elapsed();
        if self.quiet || elapsed < self.next {
            return;
        }
        let mut line = format!("{what}: {}", grouped(done));
        if let Some(total) = total.filter(|&t| t > 0) {
            let percent = (done.min(total) as f64 / total as f64) * 100.0;
            line.push_str(&format!(" of {} ({percent:.0} %)", grouped(total)));
        }
        line.push_str(&format!(", {} s", elapsed.as_secs()));
        // Where nobody can erase a line, they come ever more rarely. Writing may fail: progress is no result.
        let mut err = io::stderr().lock();
        if self.terminal {
            let _ = write!(err, "\r\x1b[K{line}");
            let _ = err.flush();
            self.next = elapsed + Duration::from_millis(100);
            self.shown = true;
        } else {
            let _ = writeln!(err, "{line}");
            self.next = elapsed * 2;
        }
    }

    /// Takes the line away again.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let mut err = io::stderr().lock();
            let _ = write!(err, "\r\x1b[K");
            let _ = err.flush();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
