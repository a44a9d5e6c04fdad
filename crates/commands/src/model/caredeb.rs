//! CaReDeb at the prompt: the causal-consistent debugger of μOz.
//!
//! Commands are read and carried out by `borges_languages`; here they are only typed and printed.

use borges_languages::muoz::ThreadName;
use borges_languages::muoz::caredeb::{COMMANDS, Command, Reply, Session, find};
use borges_session::command::Observer;

use crate::completion::Completion;
use crate::interpreter::{Answer, Everywhere, Interpreter, goes_on, to_value};
use crate::paint::{Paint, Role};
use crate::table::Table;

/// A session of CaReDeb at the prompt.
#[derive(Debug)]
pub struct CareDebPrompt {
    session: Session,
    /// What the program is called.
    name: String,
}

impl CareDebPrompt {
    /// The prompt for `session`, whose program is called `name`.
    pub const fn new(session: Session, name: String) -> Self {
        Self { session, name }
    }
}

impl Interpreter for CareDebPrompt {
    fn greeting(&mut self, paint: &Paint) -> String {
        format!(
            "{}\n'help' lists the commands; run runs, f t0 takes a step of t0, l lists the threads, q quits\n",
            paint.paint(Role::Heading, &self.name)
        )
    }

    fn prompt(&self) -> String {
        format!("{}> ", self.session.machine().events().count())
    }

    fn execute(&mut self, line: &str, paint: &Paint, observer: Observer<'_>) -> Answer {
        let steps = self.session.machine().events().count() as u64;
        let going = || goes_on(&mut *observer, "steps taken before", steps);
        match self.session.execute(line, going) {
            Ok(Reply::Quit) => Everywhere::Quit.answer::<Everywhere>(line, Table(&[]), paint),
            Ok(reply) => Answer::done(reply.to_string(), to_value(&reply)),
            Err(error) => Answer::failed(error.to_string(), paint),
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

impl CareDebPrompt {
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

/// The section of `docs/commands.md`.
pub fn markdown() -> String {
    let mut text = String::from(
        "## CaReDeb: a session with a μOz program\n\n\
         Here the abbreviations are those of the original: small letters all.\n\n\
         | command | also | what it does |\n|---|---|---|\n",
    );
    for spec in COMMANDS {
        let usage = format!("{} {}", spec.name, spec.arguments);
        let usage = usage.trim_end().replace('|', "\\|");
        let short = if spec.short.is_empty() {
            String::new()
        } else {
            format!("`{}`", spec.short)
        };
        let help = spec.help.replace('<', "&lt;");
        text.push_str(&format!("| `{usage}` | {short} | {help} |\n"));
    }
    text
}
