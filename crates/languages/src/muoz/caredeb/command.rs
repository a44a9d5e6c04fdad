//! Commands as text. One table yields the parser, the help and the completions.

use crate::muoz::{Recording, RecordingError, ThreadName};

/// How `run` chooses who goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// The threads take turns in the order of their names.
    RoundRobin,
    /// Any thread that can, evenly.
    Random {
        /// The same seed makes the same choices.
        seed: u64,
    },
    /// The user: one step of each of these, in this order.
    ByHand(Vec<ThreadName>),
}

/// What a roll or a replay aims at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// So many steps of a thread; all if none is said.
    Steps {
        /// Whose.
        thread: ThreadName,
        /// How many.
        count: Option<u32>,
    },
    /// The binding of a variable.
    Variable(String),
    /// So many sends to a port.
    Sends {
        /// The port.
        port: String,
        /// How many.
        count: u32,
    },
    /// So many receives from a port.
    Receives {
        /// The port.
        port: String,
        /// How many.
        count: u32,
    },
    /// The creation of a thread.
    Thread(ThreadName),
    /// The send of a port's n-th message, counted from 1.
    Message {
        /// The port.
        port: String,
        /// Which message.
        number: u32,
    },
    /// Everything.
    All,
}

/// A command of CaReDeb.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Takes steps of a thread.
    Forth {
        /// Whose.
        thread: ThreadName,
        /// How many.
        count: u32,
    },
    /// Runs until the end, a `<br>`, a failed assertion, or so many steps.
    Run {
        /// Who goes on.
        scheduler: Scheduler,
        /// How many steps at most.
        steps: Option<u64>,
    },
    /// Undoes one step of a thread, unless others depend on it.
    Back(ThreadName),
    /// Undoes the target and exactly its consequences.
    Roll(Target),
    /// The threads.
    List,
    /// The variables.
    Store,
    /// A variable, a queue, or the code of a thread.
    Print(String),
    /// What a thread did, or what went through a port.
    History(String),
    /// What else could have been received from a port, and by whom.
    Races(String),
    /// Who waits for whom.
    Waits,
    /// Where a thread stands in the source.
    Where(ThreadName),
    /// The variables in scope of a thread.
    Bindings(ThreadName),
    /// Keeps the run so far, or a given one, to be replayed.
    Record(Option<Recording>),
    /// Does the target of the recorded run and exactly its causes.
    Replay(Target),
    /// The commands, or one of them.
    Help(Option<String>),
    /// Ends the session.
    Quit,
}

/// A row of the table of commands.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The command's name.
    pub name: &'static str,
    /// Its abbreviation; empty if it has none.
    pub short: &'static str,
    /// Its arguments; those in brackets may be left out.
    pub arguments: &'static str,
    /// What it does.
    pub help: &'static str,
    parse: fn(&mut Words<'_>) -> Result<Command, CommandError>,
}

/// All commands, in the order of the paper's table, then what came since.
pub const COMMANDS: &[Spec] = &[
    spec(
        "forth",
        "f",
        "THREAD [COUNT]",
        "take the thread's next step",
        forth,
    ),
    spec(
        "run",
        "",
        "[[roundrobin | random SEED] [STEPS] | hand THREAD…]",
        "run to the end, or a step of each thread named; stops at <br> and at failed assertions",
        run,
    ),
    spec(
        "rollvariable",
        "rv",
        "ID",
        "undo the binding of a variable, and its consequences",
        |w| Ok(Command::Roll(Target::Variable(w.id("a variable")?))),
    ),
    spec(
        "rollsend",
        "rs",
        "PORT [COUNT]",
        "undo the last sends to a port",
        |w| Ok(Command::Roll(sends(w)?)),
    ),
    spec(
        "rollreceive",
        "rr",
        "PORT [COUNT]",
        "undo the last receives from a port",
        |w| Ok(Command::Roll(receives(w)?)),
    ),
    spec(
        "rollthread",
        "rt",
        "THREAD",
        "undo the creation of a thread",
        |w| Ok(Command::Roll(Target::Thread(w.thread()?))),
    ),
    spec(
        "rollmessage",
        "rm",
        "PORT NUMBER",
        "undo the send of a port's n-th message",
        |w| {
            let port = w.id("a port")?;
            let number = w
                .count()?
                .ok_or(CommandError::Missing("the number of a message"))?;
            Ok(Command::Roll(Target::Message { port, number }))
        },
    ),
    spec(
        "roll",
        "r",
        "THREAD [COUNT]",
        "undo the thread's last steps, or all",
        |w| {
            let (thread, count) = (w.thread()?, w.count()?);
            Ok(Command::Roll(Target::Steps { thread, count }))
        },
    ),
    spec(
        "back",
        "b",
        "THREAD",
        "undo the thread's last step, if nothing depends on it",
        |w| Ok(Command::Back(w.thread()?)),
    ),
    spec("list", "l", "", "the threads", |_| Ok(Command::List)),
    spec("store", "s", "", "the variables", |_| Ok(Command::Store)),
    spec(
        "print",
        "p",
        "ID",
        "a variable, a port's queue, or a thread's code",
        |w| Ok(Command::Print(w.id("a thread or a variable")?)),
    ),
    spec(
        "history",
        "h",
        "ID",
        "what a thread did, or what went through a port",
        |w| Ok(Command::History(w.id("a thread or a port")?)),
    ),
    spec(
        "races",
        "",
        "PORT",
        "what else could have been received, and by whom",
        |w| Ok(Command::Races(w.id("a port")?)),
    ),
    spec(
        "waits",
        "w",
        "",
        "who waits for whom, and who in vain",
        |_| Ok(Command::Waits),
    ),
    spec(
        "where",
        "",
        "THREAD",
        "the thread's place in the source",
        |w| Ok(Command::Where(w.thread()?)),
    ),
    spec(
        "bindings",
        "",
        "THREAD",
        "the variables in the thread's scope",
        |w| Ok(Command::Bindings(w.thread()?)),
    ),
    spec(
        "record",
        "",
        "[RUN]",
        "keep this run, or the given one, for replay",
        record,
    ),
    spec(
        "replay",
        "",
        "[THREAD [COUNT]]",
        "do recorded steps again, with their causes",
        replay,
    ),
    spec(
        "replayvariable",
        "",
        "ID",
        "replay up to the binding of a variable",
        |w| Ok(Command::Replay(Target::Variable(w.id("a variable")?))),
    ),
    spec(
        "replaysend",
        "",
        "PORT [COUNT]",
        "replay the next sends to a port",
        |w| Ok(Command::Replay(sends(w)?)),
    ),
    spec(
        "replayreceive",
        "",
        "PORT [COUNT]",
        "replay the next receives from a port",
        |w| Ok(Command::Replay(receives(w)?)),
    ),
    spec(
        "replaythread",
        "",
        "THREAD",
        "replay up to the creation of a thread",
        |w| Ok(Command::Replay(Target::Thread(w.thread()?))),
    ),
    spec("help", "", "[COMMAND]", "this list, or one command", |w| {
        Ok(Command::Help(w.next().map(str::to_owned)))
    }),
    spec("quit", "q", "", "end the session", |_| Ok(Command::Quit)),
];

const fn spec(
    name: &'static str,
    short: &'static str,
    arguments: &'static str,
    help: &'static str,
    parse: fn(&mut Words<'_>) -> Result<Command, CommandError>,
) -> Spec {
    Spec {
        name,
        short,
        arguments,
        help,
        parse,
    }
}

/// Why a text is no command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// No command is called so.
    #[error("there is no command {0}; help lists them all")]
    Unknown(String),
    /// Several commands begin so.
    #[error("{0} could be {1}")]
    Ambiguous(String, String),
    /// An argument is missing.
    #[error("here is missing: {0}")]
    Missing(&'static str),
    /// An argument too many.
    #[error("{0} is more than this command takes")]
    Surplus(String),
    /// Not a thread's name.
    #[error("{0} is no thread: threads are called t0, t1, t2, …; a child of t2 is called t2.1")]
    NoThread(String),
    /// Not a number, or none that makes sense.
    #[error("{0} is no number from 1 to 4294967295")]
    NoNumber(String),
    /// Not a seed.
    #[error("{0} is no seed: any number from 0 on will do")]
    NoSeed(String),
    /// Not a scheduler.
    #[error("{0} is no scheduler: say roundrobin, random and a seed, or hand and threads")]
    NoScheduler(String),
    /// Not a recording.
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

impl Command {
    /// Reads a command. Names may be shortened as long as that is unambiguous.
    ///
    /// # Errors
    /// [`CommandError`] says what is wrong with it.
    pub fn parse(line: &str) -> Result<Self, CommandError> {
        let mut words = Words { rest: line.trim() };
        let name = words.next().ok_or(CommandError::Missing("a command"))?;
        let spec = find(name)?;
        let command = (spec.parse)(&mut words)?;
        match words.next() {
            Some(word) => Err(CommandError::Surplus(word.to_owned())),
            None => Ok(command),
        }
    }
}

/// The command of a name, an abbreviation, or an unambiguous beginning.
///
/// # Errors
/// [`CommandError::Unknown`] and [`CommandError::Ambiguous`].
pub fn find(name: &str) -> Result<&'static Spec, CommandError> {
    if let Some(spec) = COMMANDS
        .iter()
        .find(|spec| [spec.name, spec.short].contains(&name))
    {
        return Ok(spec);
    }
    let begun: Vec<_> = COMMANDS
        .iter()
        .filter(|spec| spec.name.starts_with(name))
        .collect();
    match begun[..] {
        [] => Err(CommandError::Unknown(name.to_owned())),
        [spec] => Ok(spec),
        _ => {
            let names: Vec<_> = begun.iter().map(|spec| spec.name).collect();
            Err(CommandError::Ambiguous(name.to_owned(), names.join(", ")))
        }
    }
}

/// The words of a command that are still to be read.
struct Words<'l> {
    rest: &'l str,
}

impl<'l> Words<'l> {
    fn next(&mut self) -> Option<&'l str> {
        let (word, rest) = self
            .rest
            .split_once(char::is_whitespace)
            .unwrap_or((self.rest, ""));
        self.rest = rest.trim_start();
        (!word.is_empty()).then_some(word)
    }

    fn id(&mut self, what: &'static str) -> Result<String, CommandError> {
        self.next()
            .map(str::to_owned)
            .ok_or(CommandError::Missing(what))
    }

    fn thread(&mut self) -> Result<ThreadName, CommandError> {
        let word = self.next().ok_or(CommandError::Missing("a thread"))?;
        word.parse()
            .map_err(|_| CommandError::NoThread(word.to_owned()))
    }

    fn count(&mut self) -> Result<Option<u32>, CommandError> {
        self.next().map(number).transpose()
    }
}

fn number(word: &str) -> Result<u32, CommandError> {
    let number = word.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| CommandError::NoNumber(word.to_owned()))
}

fn forth(words: &mut Words<'_>) -> Result<Command, CommandError> {
    let (thread, count) = (words.thread()?, words.count()?.unwrap_or(1));
    Ok(Command::Forth { thread, count })
}

fn sends(words: &mut Words<'_>) -> Result<Target, CommandError> {
    let (port, count) = (words.id("a port")?, words.count()?.unwrap_or(1));
    Ok(Target::Sends { port, count })
}

fn receives(words: &mut Words<'_>) -> Result<Target, CommandError> {
    let (port, count) = (words.id("a port")?, words.count()?.unwrap_or(1));
    Ok(Target::Receives { port, count })
}

fn run(words: &mut Words<'_>) -> Result<Command, CommandError> {
    let mut scheduler = Scheduler::RoundRobin;
    let mut steps = None;
    match words.next() {
        None => {}
        Some("roundrobin") => steps = words.count()?,
        Some("random") => {
            let seed = words
                .next()
                .ok_or(CommandError::Missing("the seed: any number"))?;
            let seed = seed
                .parse()
                .map_err(|_| CommandError::NoSeed(seed.to_owned()))?;
            scheduler = Scheduler::Random { seed };
            steps = words.count()?;
        }
        Some("hand") => {
            let mut threads = vec![words.thread()?];
            while !words.rest.is_empty() {
                threads.push(words.thread()?);
            }
            scheduler = Scheduler::ByHand(threads);
        }
        Some(word) if word.starts_with(|c: char| c.is_ascii_digit()) => steps = Some(number(word)?),
        Some(word) => return Err(CommandError::NoScheduler(word.to_owned())),
    }
    Ok(Command::Run {
        scheduler,
        steps: steps.map(u64::from),
    })
}

fn record(words: &mut Words<'_>) -> Result<Command, CommandError> {
    let text = std::mem::take(&mut words.rest);
    let recording = if text.is_empty() {
        None
    } else {
        Some(text.parse::<Recording>()?)
    };
    Ok(Command::Record(recording))
}

fn replay(words: &mut Words<'_>) -> Result<Command, CommandError> {
    if words.rest.is_empty() {
        return Ok(Command::Replay(Target::All));
    }
    let (thread, count) = (words.thread()?, Some(words.count()?.unwrap_or(1)));
    Ok(Command::Replay(Target::Steps { thread, count }))
}
