//! `borges reach`, `bugs`, `why` and `cover`: questions about a program's futures.

use borges_session::command::broker::Seekers;
use borges_session::command::{Act, CodePlace, Command, Flow, Look, Reply};
use borges_session::suggest::{self, Launch, Order, Question, SuggestionListing, Within};
use borges_session::{Options, Session};

use super::system::given_to_look_at;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use borges_commands::device::render;
use borges_commands::device::table::{COMMANDS, Request};
use borges_commands::table;

/// `borges reach`: fails if nothing leads there.
pub(crate) fn reach(
    options: &args::Ask<args::Destination>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let question = typed(&format!("reach {}", options.about.target.join(" ")))?;
    let listing = ask(options, question, output)?;
    Ok(exit_of(&listing, listing.found.is_empty()))
}

/// `borges bugs`: fails if there are any.
pub(crate) fn bugs(
    options: &args::Ask<args::Everything>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let listing = ask(options, Question::Bugs, output)?;
    Ok(exit_of(&listing, !listing.found.is_empty()))
}

/// `borges why`.
pub(crate) fn why(
    options: &args::Ask<args::Decided>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let question = typed(&format!("why {}", options.about.target.join(" ")))?;
    Ok(exit_of(&ask(options, question, output)?, false))
}

/// `borges cover`.
pub(crate) fn cover(
    options: &args::Ask<args::Everything>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    Ok(exit_of(&ask(options, Question::Cover, output)?, false))
}

/// What was found is printed whatever ended the search; the code says when the user did.
fn exit_of(listing: &SuggestionListing, failed: bool) -> Exit {
    match listing.ended.as_deref() {
        Some("cancelled") => Exit::Interrupted,
        _ if failed => Exit::Failed,
        _ => Exit::Ok,
    }
}

/// A question as it is typed at the prompt.
fn typed(line: &str) -> Result<Question, Failure> {
    match table::read(COMMANDS, line) {
        Ok((_, Request::Session(Command::Look(Look::Suggest { question, .. })))) => Ok(question),
        Ok(_) => Err(Failure::usage(
            "this is no target",
            "for example: 12, main, trap",
        )),
        Err(misread) => Err(Failure::usage(misread.message, misread.hint)),
    }
}

fn ask<T: clap::Args>(
    options: &args::Ask<T>,
    question: Question,
    output: &mut Output,
) -> Result<SuggestionListing, Failure> {
    let system = &options.system;
    let entry = options.entry.script();
    let launch = Launch {
        program: &options.program,
        board: options.board.as_deref(),
        libraries: &options.entry.linked.libraries,
        entry: entry.as_deref(),
    };
    let within = Within {
        stdin: system.stdin,
        faults: system.faults,
        seekers: options.within.seekers(output)?.map(Box::new),
        ..options.within.bounds()?
    };
    let mut session = Session::open(Options {
        system: given_to_look_at(&system.found, &system.arguments)?,
        board: options.board.clone(),
        libraries: options.entry.linked.libraries.clone(),
        entry: entry.clone(),
        ..Options::new(&options.program)
    })?;
    let invalid = |error: &dyn std::fmt::Display| Failure::input(error.to_string(), "");
    if !options.inputs.is_empty() {
        let target = suggest::moment_after(launch, &options.inputs).map_err(|e| invalid(&e))?;
        let jumped = session.execute(Act::Jump { target }, &mut |_| Flow::Continue);
        jumped.map_err(|e| invalid(&e))?;
    }
    let command = Look::Suggest { question, within };
    let reply = output.watch(|observer| session.execute(command, observer));
    let Reply::Suggestions(listing) = reply.map_err(|e| invalid(&e))? else {
        return Err(Failure::input("the session answered something else", ""));
    };
    output.say(&listing, |paint| render::suggestions(&listing, paint))?;
    Ok(*listing)
}

impl args::Within {
    /// In which order to explore; depth first unless it was said.
    #[must_use]
    pub(crate) fn order(&self) -> Order {
        match self.order {
            Some(Order::Random(_)) => Order::Random(self.seed),
            order => order.unwrap_or_default(),
        }
    }

    /// Who looks for paths, if that is not one thread.
    pub(crate) fn seekers(&self, output: &Output) -> Result<Option<Seekers>, Failure> {
        let queue = super::queue::queue(self, output)?.map(Seekers::Queue);
        Ok(queue.or(self.cores.map(Seekers::Cores)))
    }

    /// The bounds of a question to a session.
    fn bounds(&self) -> Result<Within, Failure> {
        let stop = self.stop.as_deref().map(place).transpose()?;
        let time = self.time.map(|time| u32::try_from(time.as_millis()));
        let time_ms = time.map(|time| time.unwrap_or(u32::MAX));
        let paths = self.max_paths.map(u32::try_from);
        let paths = paths.map(|paths| paths.unwrap_or(u32::MAX));
        Ok(Within {
            inputs: self.max_inputs,
            events: self.max_events,
            steps: self.max_steps,
            paths,
            rounds: self.max_rounds,
            stop,
            time_ms,
            order: self.order.map(|_| self.order()),
            selects: self.selects,
            solver: self.solver.clone(),
            ..Within::default()
        })
    }
}

/// A place as `--stop` names it.
fn place(text: &str) -> Result<CodePlace, Failure> {
    let offset = text.strip_prefix("0x");
    if let Some(offset) = offset.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
        return Ok(CodePlace::Offset(offset));
    }
    let word = borges_commands::cursor::Word { text, at: 0 };
    borges_commands::arguments::code_place(word)
        .map_err(|misread| Failure::usage(misread.message, misread.hint))
}
