//! The line editor: history, completion, the prompt's colour.

use std::borrow::Cow;
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Helper};

use crate::exit::{Exit, Failure};
use borges_commands::interpreter::Interpreter;
use borges_commands::paint::Paint;

/// Lines of history that are kept.
const HISTORY: usize = 2000;

/// What came from the keyboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A line.
    Line(String),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D.
    End,
}

pub(crate) struct Editor<I: Interpreter> {
    inner: rustyline::Editor<Assistant<I>, FileHistory>,
    history: Option<PathBuf>,
}

impl<I: Interpreter> Editor<I> {
    /// On the terminal.
    ///
    /// # Errors
    /// The terminal cannot be used.
    pub(crate) fn new(interpreter: Rc<RefCell<I>>, paint: Paint) -> Result<Self, Failure> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .auto_add_history(true)
            .max_history_size(HISTORY)
            .map_err(broken)?
            .build();
        let mut inner = rustyline::Editor::with_config(config).map_err(broken)?;
        inner.set_helper(Some(Assistant { interpreter, paint }));
        let history = history_file();
        if let Some(file) = &history {
            // A history that is missing or unreadable is no reason to stop.
            let _ = inner.load_history(file);
        }
        Ok(Self { inner, history })
    }

    /// The next line.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(crate) fn line(&mut self, prompt: &str) -> Result<Typed, Failure> {
        match self.inner.readline(prompt) {
            Ok(line) => {
                self.save();
                Ok(Typed::Line(line))
            }
            Err(ReadlineError::Interrupted) => Ok(Typed::Interrupted),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(error) => Err(broken(error)),
        }
    }

    /// After every line, so that a killed debugger has forgotten nothing.
    fn save(&mut self) {
        if let Some(file) = &self.history {
            let _ = self.inner.append_history(file);
        }
    }
}

fn broken(error: ReadlineError) -> Failure {
    Failure::new(
        Exit::Device,
        format!("the terminal cannot be used: {error}"),
        "give the commands with --script FILE or -x COMMANDS",
    )
}

/// `$BORGES_HISTORY` (empty: none), or else `borges/history` in the user's folder for state.
fn history_file() -> Option<PathBuf> {
    let file = match std::env::var_os("BORGES_HISTORY") {
        Some(file) if file.is_empty() => return None,
        Some(file) => PathBuf::from(file),
        None => {
            let state = std::env::var_os("XDG_STATE_HOME")
                .filter(|s| !s.is_empty())
                .map(PathBuf::from)
                .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
            state.join("borges/history")
        }
    };
    let folder = file.parent()?;
    std::fs::create_dir_all(folder).ok()?;
    Some(file)
}

/// Completes and colours.
struct Assistant<I> {
    interpreter: Rc<RefCell<I>>,
    paint: Paint,
}

impl<I: Interpreter> Completer for Assistant<I> {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let completion = self.interpreter.borrow_mut().complete(line, position);
        Ok((completion.start, completion.candidates))
    }
}

impl<I: Interpreter> Highlighter for Assistant<I> {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        Cow::Owned(self.paint.current(prompt))
    }
}

impl<I: Interpreter> Hinter for Assistant<I> {
    type Hint = String;
}
impl<I: Interpreter> Validator for Assistant<I> {}
impl<I: Interpreter> Helper for Assistant<I> {}
