//! A model language as one object, and its programs as another. Nobody else asks of which language a program is.

use std::any::Any;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use borges_multiverse::adapt::Runs;

use super::ask::Multiverse;
use super::debug::{Debugger, Refused};
use super::erased::{Erased, erased};
use super::error::ModelError;
use super::explore::Explore;
use super::face::Face;
use super::job::{Job, Kept};
use super::lead::Lead;
use super::plain::Plain;
use super::reported::Reported;
use super::step::Grain;
use crate::predicate::{Predicate, PredicateError};
use crate::text::Gloss;

/// A model language.
pub trait Dialect: fmt::Debug + Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// The extension of its files, without a dot.
    fn extension(&self) -> &'static str;

    /// What its programs look like, for somebody whose text is none.
    fn shape(&self) -> &'static str;

    /// Whether a file of this extension is a program of the language: other files may have it too.
    fn reads(&self, text: &str) -> bool;

    /// Whether a word that could name a file is a program itself.
    fn is_program(&self, word: &str) -> bool;

    /// A text with all that it needs of other files, which lie in this folder or below: what is read, kept and sent.
    ///
    /// # Errors
    /// [`ModelError`] with the place where a file is named that cannot be read.
    fn gather(&self, text: &str, folder: &Path) -> Result<String, ModelError>;

    /// Of a text that was put together so, what the user wrote: its beginning.
    fn own<'t>(&self, text: &'t str) -> &'t str;

    /// Reads a program.
    ///
    /// # Errors
    /// [`ModelError`] with the place where the text stops making sense.
    fn parse(&'static self, text: &str) -> Result<Arc<dyn Program>, ModelError>;

    /// Whether there is a usual layout of its programs; where there is none, they stay as they are.
    fn has_layout(&self) -> bool;

    /// What the words of a text mean, a program or not; none if the language does not say.
    fn gloss(&self, text: &str) -> Option<Gloss>;

    /// The text of a program in the usual layout, with its comments.
    ///
    /// # Errors
    /// The text is none.
    fn format(&self, text: &str) -> Result<String, ModelError>;
}

/// What a program offers at the prompt if nobody asks for anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// A walk through one universe at a time.
    Walk,
    /// The debugger of all universes.
    Universes,
    /// CaReDeb, for threads that can be undone.
    CareDeb,
}

/// A program of a model language.
pub trait Program: fmt::Debug + Send + Sync {
    /// Explores it.
    fn explore(&self, job: Job<'_>) -> Kept;

    /// Its graph, to be explored when it is asked.
    fn multiverse(&self, job: Job<'_>) -> Box<dyn Multiverse>;

    /// A debugger at its start; `text` is what was parsed.
    fn debugger(&self, text: &str, options: &Explore) -> Box<dyn Debugger>;

    /// Reads a breakpoint as its debugger does.
    ///
    /// # Errors
    /// [`Refused`] says what is known instead.
    fn lead(&self, text: &str, spec: &str) -> Result<Lead, Refused>;

    /// Reads a predicate about its states.
    ///
    /// # Errors
    /// What is wrong, or which name it does not have.
    fn predicate(&self, text: &str) -> Result<Predicate, PredicateError>;

    /// Its steps, to be walked through.
    fn steps(&self, options: &Explore) -> Erased;

    /// What it offers at the prompt.
    fn prompt(&self) -> Prompt;

    /// Whether its agents are actors: what is known of each, its messages above all, is all of a state.
    fn has_actors(&self) -> bool;

    /// Whether it can have agents that are alike but for their names.
    fn has_symmetry(&self) -> bool;

    /// The program as its own language has it.
    fn as_any(&self) -> &dyn Any;
}

/// The longest deterministic run that is one visible step.
const RUN: u64 = 100_000;

/// A language by its parts; if nothing else is said, one without options: its states are the same however they are
/// explored, and a visible step is a run of them.
pub struct Simple<L> {
    name: &'static str,
    extension: &'static str,
    shape: &'static str,
    parse: fn(&str) -> Result<L, ModelError>,
    format: Option<Format>,
    gloss: Option<fn(&str) -> Gloss>,
    prompt: Prompt,
    reads: fn(&str) -> bool,
    is_program: fn(&str) -> bool,
    gather: Gather,
    own: fn(&str) -> &str,
    options: Option<(Asked<L>, Debugged<L>)>,
}

/// A text, laid out.
type Format = fn(&str) -> Result<String, ModelError>;

/// A program, run with the options that are asked for.
type Asked<L> = fn(&L, &Explore) -> L;

/// A debugger at the start of a program, of which the text is given.
type Debugged<L> = fn(&L, &str, &Explore) -> Box<dyn Debugger>;

/// Puts a text and the files that it names together.
type Gather = fn(&str, &Path) -> Result<String, ModelError>;

impl<L> Simple<L> {
    /// A language of which programs are read by `parse`, and laid out as they are; the debugger of all universes is what
    /// the prompt offers.
    #[must_use]
    pub const fn new(
        name: &'static str,
        extension: &'static str,
        parse: fn(&str) -> Result<L, ModelError>,
    ) -> Self {
        Self {
            name,
            extension,
            shape: "",
            parse,
            format: None,
            gloss: None,
            prompt: Prompt::Universes,
            reads: |_| true,
            is_program: |_| false,
            gather: |text, _| Ok(text.to_owned()),
            own: |text| text,
            options: None,
        }
    }

    /// With options that say how a program is run, and a debugger of its own.
    #[must_use]
    pub const fn asked(mut self, asked: Asked<L>, debugger: Debugged<L>) -> Self {
        self.options = Some((asked, debugger));
        self
    }

    /// With programs that need other files: `gather` puts a text together with them, and `own` is the text alone.
    #[must_use]
    pub const fn gathering(mut self, gather: Gather, own: fn(&str) -> &str) -> Self {
        self.gather = gather;
        self.own = own;
        self
    }

    /// With a layout.
    #[must_use]
    pub const fn laid_out(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// With what editors are told of its words.
    #[must_use]
    pub(crate) const fn told_to_editors(mut self, gloss: fn(&str) -> Gloss) -> Self {
        self.gloss = Some(gloss);
        self
    }

    /// Of which other files may have the extension too: those that `reads` says so of are programs.
    #[must_use]
    pub const fn reading(mut self, reads: fn(&str) -> bool) -> Self {
        self.reads = reads;
        self
    }

    /// Of which programs can stand where files are named: those words that `is_program` says so of.
    #[must_use]
    pub const fn in_a_word(mut self, is_program: fn(&str) -> bool) -> Self {
        self.is_program = is_program;
        self
    }

    /// What its programs look like, for somebody whose text is none.
    #[must_use]
    pub const fn shaped(mut self, shape: &'static str) -> Self {
        self.shape = shape;
        self
    }

    /// What its programs offer at the prompt.
    #[must_use]
    pub const fn offering(mut self, prompt: Prompt) -> Self {
        self.prompt = prompt;
        self
    }
}

impl<L> fmt::Debug for Simple<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<L> Dialect for Simple<L>
where
    L: Reported<State: 'static, Choice: 'static, Agent: 'static>,
    L: Reported<Resource: Send + 'static, Value: 'static> + fmt::Debug + 'static,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn extension(&self) -> &'static str {
        self.extension
    }

    fn shape(&self) -> &'static str {
        self.shape
    }

    fn reads(&self, text: &str) -> bool {
        (self.reads)(text)
    }

    fn is_program(&self, word: &str) -> bool {
        (self.is_program)(word)
    }

    fn gather(&self, text: &str, folder: &Path) -> Result<String, ModelError> {
        (self.gather)(text, folder)
    }

    fn own<'t>(&self, text: &'t str) -> &'t str {
        (self.own)(text)
    }

    fn parse(&'static self, text: &str) -> Result<Arc<dyn Program>, ModelError> {
        let program = (self.parse)(text)?;
        Ok(Arc::new(Of {
            program,
            dialect: self,
            attached: text[self.own(text).len()..].to_owned(),
        }))
    }

    fn has_layout(&self) -> bool {
        self.format.is_some()
    }

    fn gloss(&self, text: &str) -> Option<Gloss> {
        self.gloss.map(|read| read(text))
    }

    fn format(&self, text: &str) -> Result<String, ModelError> {
        self.format
            .map_or_else(|| Ok(text.to_owned()), |format| format(text))
    }
}

/// A program of such a language.
#[derive(Debug)]
struct Of<L: 'static> {
    program: L,
    dialect: &'static Simple<L>,
    /// What its text has of other files.
    attached: String,
}

impl<L> Program for Of<L>
where
    L: Reported<State: 'static, Choice: 'static, Agent: 'static>,
    L: Reported<Resource: Send + 'static, Value: 'static> + fmt::Debug + 'static,
{
    fn explore(&self, mut job: Job<'_>) -> Kept {
        let (program, grain) = self.asked(job.options);
        let exact = program.exact();
        match grain {
            Grain::Visible => job.start(Runs::new(program, RUN), &exact),
            Grain::Rule => job.start(program, &exact),
        }
    }

    fn multiverse(&self, job: Job<'_>) -> Box<dyn Multiverse> {
        let (program, grain) = self.asked(job.options);
        match grain {
            Grain::Visible => job.hold(Runs::new(program, RUN)),
            Grain::Rule => job.hold(program),
        }
    }

    fn debugger(&self, text: &str, options: &Explore) -> Box<dyn Debugger> {
        if let Some((_, debugger)) = self.dialect.options {
            return debugger(&self.program, text, options);
        }
        let plain = Plain::new(self.program.clone(), self.dialect.parse, &self.attached);
        Box::new(Face::new(text, plain))
    }

    fn lead(&self, text: &str, spec: &str) -> Result<Lead, Refused> {
        self.program.lead(text, spec)
    }

    fn predicate(&self, text: &str) -> Result<Predicate, PredicateError> {
        Predicate::of(&self.program, text)
    }

    fn steps(&self, options: &Explore) -> Erased {
        let (program, grain) = self.asked(options);
        match grain {
            Grain::Visible => erased(Runs::new(program, RUN)),
            Grain::Rule => erased(program),
        }
    }

    fn prompt(&self) -> Prompt {
        self.dialect.prompt
    }

    fn has_actors(&self) -> bool {
        self.program.has_actors()
    }

    fn has_symmetry(&self) -> bool {
        self.program.has_symmetry()
    }

    fn as_any(&self) -> &dyn Any {
        &self.program
    }
}

impl<L: Reported> Of<L> {
    /// The program as it is asked for, and what is a step of that.
    fn asked(&self, options: &Explore) -> (L, Grain) {
        match self.dialect.options {
            Some((asked, _)) => (asked(&self.program, options), Grain::Rule),
            None => (self.program.clone(), options.grain),
        }
    }
}
