//! CaReDeb at the prompt: the causal-consistent debugger of μOz, and questions about all runs of its program.
//!
//! Causal commands are read and carried out by `borges_languages`; their rows come from its table.

use std::sync::LazyLock;

use borges_languages::muoz::caredeb::{self, Session};
use borges_languages::muoz::{ThreadName, VariableName};
use borges_multiverse::language::Language as _;
use borges_session::command::Observer;
use borges_session::model::ModelSession;

use crate::completion::{Completion, complete};
use crate::interpreter::{
    Answer, Everywhere, Interpreter, goes_on, help_row, quit_row, shares, to_value,
};
use crate::paint::{Paint, Role};
use crate::table::{self, Completes, Group, Spec, Table};

use super::questions::{Asked, Asking, Rows as Questions};

/// What a typed line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// A causal command: the line goes to the language's own debugger.
    Causal,
    /// A question about all runs; of races, with a port's name, it is a causal command too.
    Asking(Asking),
    /// What every prompt understands.
    Everywhere(Everywhere),
}

shares!(Asking, Everywhere);

/// Rows of the language's table that are ours: the words mean more here.
const OURS: [&str; 3] = ["races", "help", "quit"];

/// `h` is the history's.
const OTHERS: &[Spec<Request>] = &[help_row().letters(&["?"]), quit_row()];

/// Every command, as help lists them.
pub fn commands() -> Table<Request> {
    static CAUSAL: LazyLock<Vec<Spec<Request>>> = LazyLock::new(|| {
        let rows = caredeb::COMMANDS.iter();
        let theirs = rows.filter(|row| !OURS.contains(&row.name));
        theirs.map(causal).collect()
    });
    static GROUPS: LazyLock<[Group<Request>; 3]> = LazyLock::new(|| {
        [
            Group::new("Causal debugging", &CAUSAL),
            Group::new("Questions about all runs", Questions::<Request>::ALL),
            Group::new("Others", OTHERS),
        ]
    });
    Table(&*GROUPS)
}

/// The row of a causal command, whose arguments the language reads.
fn causal(row: &'static caredeb::Spec) -> Spec<Request> {
    let arguments = row.arguments;
    let completes: &[Completes] = match arguments {
        "" => &[],
        _ if arguments.starts_with("ID") => {
            &[Completes::Agent, Completes::Port, Completes::Variable]
        }
        _ if arguments.contains("hand") => &[
            Completes::Agent,
            Completes::Words(&["roundrobin", "random", "hand"]),
        ],
        _ if arguments.contains("THREAD") => &[Completes::Agent],
        _ if arguments.contains("PORT") => &[Completes::Port],
        _ => &[],
    };
    let letters = match row.short {
        "" => &[],
        _ => std::slice::from_ref(&row.short),
    };
    let spec = Spec::new(row.name, row.help, |cursor| {
        cursor.take_rest();
        Ok(Request::Causal)
    });
    spec.letters(letters)
        .arguments(arguments)
        .completes(completes)
        .repeating()
}

/// A session of CaReDeb at the prompt.
pub struct CareDebPrompt {
    session: Session,
    /// What answers questions about all runs.
    asked: ModelSession,
}

impl CareDebPrompt {
    /// The prompt for `session`; `asked` knows all runs of its program.
    pub const fn new(session: Session, asked: ModelSession) -> Self {
        Self { session, asked }
    }

    fn causal(&mut self, line: &str, paint: &Paint, observer: Observer<'_>) -> Answer {
        let steps = self.session.machine().events().count() as u64;
        let going = || goes_on(&mut *observer, "running from step", steps);
        match self.session.execute(line, going) {
            Ok(reply) => Answer::done(reply.to_string(), to_value(&reply)),
            Err(error) => Answer::failed(error.to_string(), paint),
        }
    }

    /// What completion offers for an argument.
    fn things(&self, kind: Completes) -> Vec<String> {
        let state = self.session.machine().state();
        let names = self.session.names();
        let shown = |variable: &VariableName| names.show(variable).to_owned();
        match kind {
            Completes::Agent => state.threads().map(ThreadName::to_string).collect(),
            Completes::Port | Completes::Universe => state.ports().map(shown).collect(),
            Completes::Variable => state.store().map(|variable| shown(&variable)).collect(),
            _ => Vec::new(),
        }
    }
}

impl Asked for CareDebPrompt {
    fn session(&mut self) -> &mut ModelSession {
        &mut self.asked
    }

    /// The universe that is looked at: there are no names for others.
    fn way(&mut self, _: Option<&str>, _: Observer<'_>) -> Result<Vec<u32>, String> {
        let machine = self.session.machine();
        let program = machine.program();
        let (mut state, mut able, mut way) = (program.initial(), Vec::new(), Vec::new());
        for (_, event) in machine.events() {
            able.clear();
            program.enabled(&state, &mut able);
            let option = able.iter().position(|thread| *thread == event.thread);
            let next = option.and_then(|option| {
                way.push(option as u32);
                program.apply(&state, &able[option])
            });
            state = next.ok_or("this run is none of the program's")?.state;
        }
        Ok(way)
    }
}

impl Interpreter for CareDebPrompt {
    fn greeting(&mut self, paint: &Paint) -> String {
        format!(
            "{}\n'help' lists the commands; run runs, f t0 takes a step of t0, l lists the threads, q quits\n",
            paint.paint(Role::Heading, self.asked.name())
        )
    }

    fn prompt(&self) -> String {
        format!("{}> ", self.session.machine().events().count())
    }

    fn execute(&mut self, line: &str, paint: &Paint, observer: Observer<'_>) -> Answer {
        match table::read(commands(), line) {
            Ok((_, Request::Everywhere(everywhere))) => everywhere.answer(line, commands(), paint),
            Ok((_, Request::Causal | Request::Asking(Asking::Races(Some(_))))) => {
                self.causal(line, paint, observer)
            }
            Ok((_, Request::Asking(asking))) => {
                Answer::of(self.answer(&asking, paint, observer), paint)
            }
            Err(misread) => Answer::misread(line, misread, paint),
        }
    }

    fn repeats(&self, line: &str) -> bool {
        commands().repeats(line)
    }

    fn complete(&mut self, line: &str, at: usize) -> Completion {
        complete(commands(), line, at, |kind| self.things(kind))
    }
}
