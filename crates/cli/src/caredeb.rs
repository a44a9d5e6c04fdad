//! CaReDeb at the prompt: the causal-consistent debugger of μOz.
//!
//! Commands are read and carried out by `borges_languages`; here they are only typed and printed.

use borges_languages::muoz::caredeb::{COMMANDS, Command, Reply, Session, find};
use borges_languages::muoz::{MuOz, ThreadName};
use serde_json::{Value, json};

use crate::args;
use crate::exit::{Exit, Failure};
use crate::interrupt::{self, Pausable};
use crate::output::Output;
use crate::repl::driver::{self, Commands};
use crate::repl::interpreter::{Completion, Interpreter, Verdict, tell, tell_error};
use borges_commands::paint::{Paint, Role};

/// `borges repl` of a μOz program, whose text is `text`.
///
/// # Errors
/// A script that cannot be read, or an answer that cannot be written.
pub fn repl(
    program: MuOz,
    text: &str,
    name: String,
    options: &args::Repl,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let session = Session::new(program, text.to_owned());
    let repl = CareDebRepl::new(session, name);
    driver::run(repl, Commands::of(options)?, options.keep_going, output)
}

/// A session of CaReDeb at the prompt.
#[derive(Debug)]
pub struct CareDebRepl {
    session: Session,
    /// What the program is called.
    name: String,
}

impl CareDebRepl {
    /// The prompt for `session`, whose program is called `name`.
    pub const fn new(session: Session, name: String) -> Self {
        Self { session, name }
    }
}

impl Interpreter for CareDebRepl {
    fn greeting(&mut self, paint: &Paint) -> String {
        format!(
            "{}\n'help' lists the commands; run runs, f t0 takes a step of t0, l lists the threads, q quits\n",
            paint.paint(Role::Heading, &self.name)
        )
    }

    fn prompt(&self) -> String {
        format!("{}> ", self.session.machine().events().count())
    }

    fn execute(&mut self, line: &str, output: &mut Output) -> Result<Verdict, Failure> {
        let pausable = Pausable::begin();
        let answer = self.session.execute(line, || !interrupt::pressed());
        drop(pausable);
        match answer {
            Ok(Reply::Quit) => {
                if output.json {
                    tell(line, "", json!({ "reply": "quit" }), output)?;
                }
                Ok(Verdict::Quit)
            }
            Ok(reply) => {
                // Replies are plain data: they always are JSON.
                let value = serde_json::to_value(&reply).unwrap_or(Value::Null);
                tell(line, &reply.to_string(), value, output)
            }
            Err(error) => tell_error(line, &error.to_string(), output),
        }
    }

    fn repeats(&self, line: &str) -> bool {
        Command::parse(line).is_ok()
    }

    fn complete(&mut self, line: &str, at: usize) -> Completion {
        let typed = line.get(..at).unwrap_or_default();
        let start = typed
            .rfind(char::is_whitespace)
            .map_or(0, |space| space + 1);
        let word = &typed[start..];
        let first = typed.split_whitespace().next().unwrap_or_default();
        let mut candidates: Vec<String> =
            if start == 0 || matches!(find(first), Ok(spec) if spec.name == "help") {
                COMMANDS.iter().map(|spec| spec.name.to_owned()).collect()
            } else {
                self.things(find(first).map_or("", |spec| spec.arguments))
            };
        candidates.retain(|candidate| candidate.starts_with(word));
        candidates.sort();
        Completion { start, candidates }
    }
}

impl CareDebRepl {
    /// What can stand where a command takes these arguments.
    fn things(&self, arguments: &str) -> Vec<String> {
        let state = self.session.machine().state();
        let mut things = Vec::new();
        if arguments.contains("THREAD") || arguments.starts_with("ID") {
            things.extend(state.threads().map(ThreadName::to_string));
        }
        let names = self.session.names();
        if arguments.contains("PORT") {
            things.extend(state.ports().map(|port| names.show(port).to_owned()));
        }
        if arguments.starts_with("ID") {
            things.extend(
                state
                    .store()
                    .map(|variable| names.show(&variable).to_owned()),
            );
        }
        if arguments.contains("roundrobin") {
            things.extend(["roundrobin", "random", "hand"].map(str::to_owned));
        }
        things
    }
}
