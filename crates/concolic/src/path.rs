//! Paths: what was read, what was decided, how it ended.

use std::sync::Arc;

use borges_board::{PrimitiveId, Yield};
use borges_vm::{CodeOffset, Machine, Outcome, Trap, ValType, Value};
use serde::{Deserialize, Serialize};

use crate::args::Args;
use crate::constraint::Constraint;
use crate::set::{Set, cell_of, value_of};

/// What of a call an input is: one that puts bytes into memory is its value, followed by each of its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ReadPart {
    /// What it returns; of standard input, how many bytes come.
    Value,
    /// The byte with this number of those that it puts into memory.
    Byte(u32),
    /// Whether a call of an operating system fails: 0 if it goes as it does by itself, or minus the number of the error.
    Fault,
    /// What a call of an operating system comes to that is not looked at: it is as it comes.
    Given(Yield),
}

impl ReadPart {
    /// Whether something of the same call follows: bytes do not stand alone.
    pub fn is_byte(&self) -> bool {
        matches!(self, ReadPart::Byte(_))
    }
}

/// An input on a path. Its place is how many lie before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Read {
    /// The primitive.
    pub primitive: PrimitiveId,
    /// Its arguments.
    pub args: Args,
    /// What of the call it is.
    pub part: ReadPart,
    /// The type of its answer.
    pub ty: ValType,
    /// The answers with which the path is taken, as far as they depend on this input alone.
    pub domain: Set,
    /// Instructions retired before it.
    pub step: u64,
}

impl Read {
    /// A number that a state has, however it came about: no input of the program's.
    pub(crate) fn of_state(primitive: PrimitiveId, ty: ValType, domain: Set) -> Self {
        Read {
            primitive,
            args: Args::default(),
            part: ReadPart::Value,
            ty,
            domain,
            step: 0,
        }
    }
}

/// How many of some inputs are calls that answer anything.
pub(crate) fn calls(reads: &[Read]) -> usize {
    let begins = |read: &&Read| read.part == ReadPart::Value;
    reads.iter().filter(begins).count()
}

/// A call of an input with what it yielded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// The primitive.
    pub primitive: PrimitiveId,
    /// Its arguments.
    pub args: Vec<Value>,
    /// What it returned, and the bytes that it put into memory.
    pub yielded: Yield,
    /// That a call of an operating system fails, or does not.
    pub is_fault: bool,
}

impl Answered {
    /// Whether nothing was chosen: a call that may fail goes as it does by itself.
    pub fn goes(&self) -> bool {
        self.is_fault && cell_of(self.yielded.value) == 0
    }

    /// The calls that some inputs are, with these answers.
    pub fn of<'r>(
        reads: &'r [Read],
        answers: impl IntoIterator<Item = Value> + 'r,
    ) -> impl Iterator<Item = Self> + 'r {
        let mut rest = reads.iter().zip(answers).peekable();
        std::iter::from_fn(move || {
            let (read, value) = rest.next()?;
            let mut bytes = Vec::new();
            while let Some((_, byte)) = rest.next_if(|(next, _)| next.part.is_byte()) {
                bytes.push(cell_of(byte) as u8);
            }
            let bytes = bytes.into();
            Some(Answered {
                primitive: read.primitive,
                args: read.args.to_vec(),
                yielded: match &read.part {
                    ReadPart::Given(yielded) => yielded.clone(),
                    _ => Yield { value, bytes },
                },
                is_fault: read.part == ReadPart::Fault,
            })
        })
    }

    /// The same with the answers as cells.
    pub fn of_cells<'r>(reads: &'r [Read], cells: &'r [u64]) -> impl Iterator<Item = Self> + 'r {
        let values = reads.iter().zip(cells);
        Self::of(reads, values.map(|(read, cell)| value_of(read.ty, *cell)))
    }
}

/// What was decided at an instruction that depends on inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Decision {
    /// The instruction: a branch, or one that was executed for one value at a time, as `memory.copy` is for its lengths.
    pub at: CodeOffset,
    /// For `if` and `br_if`: 1 if the condition held, otherwise 0. For `br_table`: the target's offset. For
    /// `call_indirect`: the function. For one value at a time: its low 32 bits.
    pub taken: u32,
}

/// How a path ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum End {
    /// The program returned.
    Returned,
    /// The program ended itself with this code.
    Exited(u32),
    /// The program trapped.
    Trapped(Trap, Option<CodeOffset>),
    /// It came to a place where exploration stops.
    Stopped(CodeOffset),
    /// The call that comes next breaks this limit of the board.
    Broke(u32, Option<CodeOffset>),
    /// It would read one input more than the bound.
    Inputs,
    /// A bound cut it off: what follows is not explored.
    Cut(Cut),
}

impl End {
    /// How a program ended that has finished.
    #[must_use]
    pub fn of_finished(machine: &Machine) -> Self {
        match machine.outcome() {
            Some(Outcome::Exited(code)) => Self::Exited(*code),
            _ => Self::Returned,
        }
    }
}

/// What cuts a path off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cut {
    /// The bound on instructions.
    Steps,
    /// The bound on rounds of a loop.
    Rounds,
    /// The rules of the board leave no value for the next input.
    NoValue,
    /// The next input puts bytes into memory, which is not followed.
    Fills,
    /// Exploration ended while it waited to be gone on with.
    Waits,
    /// It came to a function with vectors (SIMD), which are not followed.
    Vectors,
    /// Something would throw an exception, which is not followed.
    Exceptions,
    /// Something would change another memory than the first, or read it at an address that depends on inputs, which is not
    /// followed.
    Memories,
}

impl Cut {
    /// What it is, in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Cut::Steps => "the bound on steps",
            Cut::Rounds => "the bound on rounds of a loop",
            Cut::NoValue => "the board's rules leave no value for the next input",
            Cut::Fills => "the next input puts bytes into memory, which is not followed",
            Cut::Waits => "exploration ended before",
            Cut::Vectors => "a function with vectors (SIMD), which are not followed",
            Cut::Exceptions => "an exception is thrown, which is not followed",
            Cut::Memories => {
                "another memory than the first, or one with 64-bit addresses, is used, which is not followed"
            }
        }
    }

    /// What is not followed of instructions, if it is that.
    pub(crate) fn unfollowed(self) -> Option<&'static str> {
        let is_unfollowed = matches!(self, Cut::Vectors | Cut::Exceptions | Cut::Memories);
        is_unfollowed.then(|| self.words())
    }
}

/// One way along a path: conditions on the inputs under which the program takes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Way {
    /// The inputs, in order.
    pub reads: Vec<Read>,
    /// What relates several inputs.
    pub constraints: Vec<Constraint>,
    /// Answers that satisfy everything, one for each input.
    pub model: Vec<u64>,
}

/// A path: all runs that take the same branches to the same end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Path {
    /// What was decided on the first of its ways. No two paths of an exploration have all of outcomes, end and events in
    /// common.
    pub outcomes: Vec<Decision>,
    /// How it ended.
    pub end: End,
    /// Under which conditions it is taken: any of these. More than one only where instructions had to be executed for
    /// one value at a time; none where nobody wants to know ([`Explored::thin`](crate::Explored::thin)).
    pub ways: Vec<Way>,
    /// Instructions retired at the end, for the first way's model.
    pub steps: u64,
    /// Events that were delivered.
    pub events: Vec<Delivered>,
}

impl Path {
    /// After how many inputs a bound cut it off, if one did.
    pub(crate) fn cut_after(&self) -> Option<usize> {
        let is_cut = matches!(self.end, End::Cut(_));
        let way = self.ways.first().filter(|_| is_cut)?;
        Some(calls(&way.reads))
    }
}

/// An event on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Delivered {
    /// The event.
    pub event: borges_board::Event,
    /// Instructions retired before it.
    pub step: u64,
    /// Inputs read before it.
    pub place: u32,
}

/// Something that was not explored, and why.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Unexplored {
    /// The instruction, if it is one.
    pub at: Option<CodeOffset>,
    /// Answers of the inputs that lead there (not past it).
    pub inputs: Vec<u64>,
    /// Their types.
    pub types: Vec<ValType>,
    /// Why.
    pub reason: Arc<str>,
}

impl Unexplored {
    /// Something that has no place of its own.
    pub(crate) fn anywhere(reason: &str) -> Self {
        Unexplored {
            at: None,
            inputs: Vec::new(),
            types: Vec::new(),
            reason: reason.into(),
        }
    }
}
