//! Standard output and standard error of one run of the command.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use borges_commands::paint::{Paint, grouped};
use borges_languages::model::{Progress as Explored, SurveyProgress};
use borges_session::command::{Event, Observer};
use serde::Serialize;

use crate::args::Global;
use crate::exit::Failure;
use crate::interrupt::{self, Pausable};

/// Where results go: text or JSON on standard output.
pub(crate) struct Output {
    pub(crate) json: bool,
    /// How to paint standard output.
    pub(crate) paint: Paint,
    /// How to paint standard error.
    pub(crate) error_paint: Paint,
    /// Show no progress.
    quiet: bool,
}

impl Output {
    /// As the command line says.
    pub(crate) fn new(global: &Global) -> Self {
        Self {
            json: global.json,
            paint: global.color.for_stdout(),
            error_paint: global.color.for_stderr(),
            quiet: global.quiet,
        }
    }

    /// For work that begins now.
    pub(crate) fn progress(&self) -> Progress {
        Progress::new(self.quiet, self.json)
    }

    /// Does what takes long: shows how far it is, and pauses it at Ctrl-C.
    pub(crate) fn watch<T>(&self, work: impl FnOnce(Observer<'_>) -> T) -> T {
        let (_pausable, mut progress) = (Pausable::begin(), self.progress());
        work(&mut |event| {
            progress.hear(&event);
            interrupt::flow()
        })
    }

    /// The same for what goes from state to state.
    pub(crate) fn watch_states<T>(
        &self,
        what: &str,
        work: impl FnOnce(&mut dyn FnMut(&Explored) -> bool) -> T,
    ) -> T {
        self.counting(what, |goes_on| {
            work(&mut |come| goes_on(come.states, come.survey.as_ref()))
        })
    }

    /// Does what counts something and can be ended: what is done asks before each, with how many there are.
    pub(crate) fn counted<T>(
        &self,
        what: &str,
        work: impl FnOnce(&mut dyn FnMut(u64) -> bool) -> T,
    ) -> T {
        self.counting(what, |goes_on| work(&mut |count| goes_on(count, None)))
    }

    /// Shows what is counted, and what else is known of a survey.
    fn counting<T>(
        &self,
        what: &str,
        work: impl FnOnce(&mut dyn FnMut(u64, Option<&SurveyProgress>) -> bool) -> T,
    ) -> T {
        let (_pausable, mut progress) = (Pausable::begin(), self.progress());
        work(&mut |count, survey| {
            progress.update_more(what, count, None, survey);
            !interrupt::pressed()
        })
    }

    /// Says something: to a program as data, to a person as text.
    pub(crate) fn say(
        &mut self,
        data: &impl Serialize,
        text: impl FnOnce(&Paint) -> String,
    ) -> Result<(), Failure> {
        match self.json {
            true => self.json(data),
            false => self.text(&text(&self.paint)),
        }
    }

    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.bytes(text.as_bytes(), false)
    }

    /// Writes bytes to standard output, or to standard error, as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8], is_error: bool) -> Result<(), Failure> {
        if is_error {
            io::stderr().lock().write_all(bytes)?;
            return Ok(());
        }
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()?;
        Ok(())
    }

    /// Writes one JSON value on one line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let mut line = serde_json::to_string(value).map_err(io::Error::other)?;
        line.push('\n');
        self.text(&line)
    }
}

/// How long a piece of work may take before its progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Progress on standard error, for work that takes longer than a second: a line that changes, lines, or an object a line.
pub(crate) struct Progress {
    quiet: bool,
    json: bool,
    terminal: bool,
    started: Instant,
    next: Duration,
    shown: bool,
    /// When something was said last, and how much was done then.
    last: (Duration, u64),
}

impl Progress {
    /// Nothing is under way yet.
    fn new(quiet: bool, json: bool) -> Self {
        Self {
            quiet,
            json,
            terminal: io::stderr().is_terminal(),
            started: Instant::now(),
            next: PATIENCE,
            shown: false,
            last: (Duration::ZERO, 0),
        }
    }

    /// What is heard while a command is carried out; false if it is no progress.
    pub(crate) fn hear(&mut self, event: &Event) -> bool {
        match event {
            Event::Progress { what, done, total } => self.update(what, *done, *total),
            Event::Surveying { states, survey } => {
                self.update_more("states surveyed", *states, None, Some(survey));
            }
            _ => return false,
        }
        true
    }

    /// The work has come this far.
    pub(crate) fn update(&mut self, what: &str, done: u64, total: Option<u64>) {
        self.update_more(what, done, total, None);
    }

    /// The same of a survey, of which more is known.
    fn update_more(
        &mut self,
        what: &str,
        done: u64,
        total: Option<u64>,
        survey: Option<&SurveyProgress>,
    ) {
        let elapsed = self.started.elapsed();
        if self.last == (Duration::ZERO, 0) {
            self.last = (elapsed, done);
        }
        if self.quiet || elapsed < self.next {
            return;
        }
        let (since, before) = std::mem::replace(&mut self.last, (elapsed, done));
        let seconds = (elapsed - since).as_secs_f64().max(1e-3);
        let a_second = (done.saturating_sub(before) as f64 / seconds) as u64;
        if self.json {
            let said = Said {
                progress: what,
                done,
                total,
                seconds: elapsed.as_secs_f64(),
                a_second,
                survey,
            };
            // Writing may fail: progress is no result.
            if let Ok(line) = serde_json::to_string(&said) {
                let _ = writeln!(io::stderr().lock(), "{line}");
            }
            self.next = elapsed + PATIENCE;
            return;
        }
        let mut line = format!("{what}: {}", grouped(done));
        if let Some(total) = total.filter(|&t| t > 0) {
            let percent = (done.min(total) as f64 / total as f64) * 100.0;
            line.push_str(&format!(" of {} ({percent:.0} %)", grouped(total)));
        }
        line.push_str(&format!(", {} s", elapsed.as_secs()));
        if let Some(survey) = survey {
            line.push_str(&of_survey(survey, a_second));
        }
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
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let mut err = io::stderr().lock();
            let _ = write!(err, "\r\x1b[K");
            let _ = err.flush();
        }
    }
}

/// Progress as data.
#[derive(Serialize)]
struct Said<'p> {
    /// What is counted.
    progress: &'p str,
    done: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    seconds: f64,
    a_second: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    survey: Option<&'p SurveyProgress>,
}

/// What else is known of a survey, short enough for a line.
fn of_survey(survey: &SurveyProgress, a_second: u64) -> String {
    let mut line = format!(", {} a second, depth {}", grouped(a_second), survey.depth);
    line.push_str(&format!(
        ", {} MB",
        grouped(survey.memory_bytes / 1_000_000)
    ));
    if survey.asks > 0 {
        line.push_str(&format!(", {} asked", grouped(survey.asks)));
        line.push_str(&format!(", balance {:.2}", survey.balance));
    }
    if survey.sent_bytes > 0 {
        line.push_str(&format!(
            ", {} MB sent",
            grouped(survey.sent_bytes / 1_000_000)
        ));
    }
    if survey.collision_risk > 1e-6 {
        line.push_str(&format!(", risk {:.0e}", survey.collision_risk));
    }
    if let Some(seconds) = survey.kept_seconds_ago {
        line.push_str(&format!(", kept {seconds} s ago"));
    }
    line
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
