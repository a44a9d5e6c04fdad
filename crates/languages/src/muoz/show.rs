//! States, steps and code in words.

use std::fmt;
use std::sync::Arc;

use super::name::{ThreadName, VariableName};
use super::names::Names;
use super::print::{Notation, Printer};
use super::program::{Bound, Program, Statement};
use super::rule::Act;
use super::semantics::{MuOz, Step, Stuck};
use super::state::{Closure, Code, State, Thread, Value, Variable};

/// Variables of a state in a line.
const SHOWN: usize = 500;

impl Stuck {
    /// The reason in words.
    #[must_use]
    pub fn show(&self, names: &Names) -> String {
        match self {
            Self::Assertion => "the assertion is false".to_owned(),
            Self::NoPort(name) => format!("{} is no port", names.show(name)),
            Self::NoProcedure(name) => format!("{} is no procedure", names.show(name)),
            Self::NoBoolean(name) => format!("{} is neither true nor false", names.show(name)),
            Self::NoInteger(name) => format!("{} is no integer", names.show(name)),
            Self::Incomparable => "these values cannot be compared".to_owned(),
            Self::Arguments { takes, given } => {
                format!("the procedure takes {takes} arguments and is given {given}")
            }
            Self::Unbound => "an identifier is bound to nothing".to_owned(),
            Self::DivisionByZero => "division by zero".to_owned(),
            Self::Overflow => "the result does not fit 64 bits".to_owned(),
        }
    }
}

impl Value {
    /// The value in a word: a number, `true`, `port k`, `proc f`.
    #[must_use]
    pub fn show(&self, names: &Names) -> String {
        match self {
            Self::Boolean(value) => value.to_string(),
            Self::Integer(value) => value.to_string(),
            Self::Port(name) => format!("port {}", names.show(name)),
            Self::Procedure(name) => format!("proc {}", names.show(name)),
        }
    }
}

impl MuOz {
    /// A step that can be taken, in a few words.
    pub(super) fn describe(&self, thread: &Thread, step: &Step, names: &Names) -> String {
        let head = || self.head(&thread.code, names);
        let condition = |is| format!("{} is {is}", self.condition(&thread.code, names));
        let fresh = |name| {
            let bound = step.bound.as_ref();
            let shown = bound.map(|bound| names.preview(name, bound.ident));
            shown.unwrap_or_default()
        };
        let what = match &step.act {
            Act::Skip | Act::Break | Act::Assert => head(),
            Act::Then => condition("true"),
            Act::Else => condition("false"),
            Act::Variable { name, value } => format!("{} = {}", fresh(name), value.show(names)),
            Act::Procedure(name) | Act::Port(name) => {
                format!("{} = {}", fresh(name), declared(&head()))
            }
            Act::Call {
                procedure,
                arguments,
            } => call(names, procedure, arguments),
            Act::Thread(child) => format!("thread {child}"),
            Act::Send { port, message, .. } => {
                format!("{{send {} {}}}", names.show(port), names.show(message))
            }
            Act::Receive {
                port,
                message,
                variable,
                ..
            } => {
                let (variable, port) = (fresh(variable), names.show(port));
                let message = names.show(message);
                format!("{variable} = {{receive {port}}}, which is {message}")
            }
        };
        format!("{}: {what}", thread.name)
    }

    /// The next statement, without the blocks in it.
    pub(super) fn head(&self, code: &Code, names: &Names) -> String {
        self.of_next(code, names, |printer, next, text| printer.head(next, text))
    }

    fn condition(&self, code: &Code, names: &Names) -> String {
        self.of_next(code, names, |printer, next, text| match next {
            Statement::If { guard, .. } => printer.guard(guard, text),
            _ => Ok(()),
        })
    }

    /// Something of the next statement, with what its names are bound to.
    fn of_next(
        &self,
        code: &Code,
        names: &Names,
        print: impl Fn(&Printer<'_>, &Statement, &mut String) -> fmt::Result,
    ) -> String {
        let Some(frame) = code.top() else {
            return String::new();
        };
        let printer = Printer {
            program: &self.program,
            notation: Notation::Tool,
            bound: Some((names, &frame.environment)),
        };
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = print(&printer, &self.program.line(frame.at).statement, &mut text);
        text
    }

    /// The names of a state's variables: `x`, `x1`, `x2`, … in the order of causal birth.
    #[must_use]
    pub fn names(&self, state: &State) -> Arc<Names> {
        self.known.names(&self.program, state)
    }

    /// The code that a thread has still to execute, its variables under their names; none if there
    /// is no such thread.
    #[must_use]
    pub fn code(&self, state: &State, thread: &ThreadName, names: &Names) -> Option<String> {
        let thread = state.thread(thread)?;
        let mut text = String::new();
        for frame in thread.code.iter() {
            if !text.is_empty() {
                text.push(';');
            }
            let bound = Some((names, &frame.environment));
            let printer = Printer {
                program: &self.program,
                notation: Notation::Tool,
                bound,
            };
            let _ = printer.frame(frame, &mut text);
        }
        Some(text.trim_start_matches('\n').to_owned())
    }

    /// `proc {n inp out}`.
    pub(super) fn signature(&self, closure: &Closure) -> String {
        let parameters = match &self.program.line(closure.line).statement {
            Statement::Let {
                bound: Bound::Procedure { parameters, .. },
                ..
            } => &parameters[..],
            _ => &[],
        };
        let parameters: Vec<_> = parameters.iter().map(|p| self.program.text(*p)).collect();
        format!("proc {{{}}}", parameters.join(" "))
    }

    /// A procedure with its code.
    pub(super) fn declaration(&self, closure: &Closure, names: &Names) -> String {
        let bound = Some((names, &closure.environment));
        let printer = Printer {
            program: &self.program,
            notation: Notation::Tool,
            bound,
        };
        let mut text = self.signature(closure);
        let _ = printer.block(closure.body, 1, &mut text);
        text.push_str("\nend");
        text
    }

    pub(super) fn show_state(&self, state: &State, names: &Names) -> String {
        let mut lines = Vec::new();
        for thread in &state.threads {
            if !thread.code.is_empty() {
                lines.push(format!(
                    "{}: {}",
                    thread.name,
                    self.head(&thread.code, names)
                ));
            }
        }
        let store = self.show_store(state, names);
        if lines.is_empty() {
            store
        } else {
            format!("{} | {store}", lines.join(" | "))
        }
    }

    fn show_store(&self, state: &State, names: &Names) -> String {
        let shown = state.variables().take(SHOWN).map(|(name, variable)| {
            let value = match self.value(&name, variable, names) {
                Some(value) => value,
                None => show_queue(state, &name, names),
            };
            format!("{} = {value}", names.show(&name))
        });
        let text = shown.collect::<Vec<_>>().join(", ");
        match state.variable_count().saturating_sub(SHOWN) {
            0 => text,
            more => format!("{text}, … and {more} more"),
        }
    }

    /// What a variable is, in a few words; none for a port under the name for which it was made,
    /// which is its queue.
    pub(super) fn value(
        &self,
        name: &VariableName,
        variable: &Variable,
        names: &Names,
    ) -> Option<String> {
        match (&variable.value, &variable.closure) {
            (Value::Port(port), _) if port == name => None,
            (_, Some(closure)) => Some(self.signature(closure)),
            (value, None) => Some(value.show(names)),
        }
    }

    pub(super) const fn program(&self) -> &Program {
        &self.program
    }
}

/// The messages that wait in a port: `[x, y]`.
pub(super) fn show_queue(state: &State, port: &VariableName, names: &Names) -> String {
    let queue = state.queue(port).into_iter();
    let queue: Vec<_> = queue.map(|slot| names.show(&slot.name)).collect();
    format!("[{}]", queue.join(", "))
}

/// What the head of a `let` binds.
pub(super) fn declared(head: &str) -> &str {
    head.split_once(" = ").map_or("port", |(_, bound)| bound)
}

/// A call with its arguments.
pub(super) fn call(names: &Names, procedure: &VariableName, arguments: &[VariableName]) -> String {
    let mut text = format!("{{{}", names.show(procedure));
    for argument in arguments {
        text.push(' ');
        text.push_str(&names.show(argument));
    }
    text.push('}');
    text
}
