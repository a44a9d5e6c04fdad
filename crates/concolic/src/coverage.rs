//! Which instructions some path executed, which ways its branches went, and with which inputs.

use borges_vm::CodeOffset;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::path::{Answered, Delivered, Read};

/// What leads to an instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// The inputs, in order.
    pub inputs: Vec<Answered>,
    /// The events that arrive.
    pub events: Vec<Delivered>,
}

/// What an exploration executed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// They are the module's: who reads what another process executed has them.
    #[serde(skip)]
    offsets: Vec<CodeOffset>,
    /// For every instruction, the number of its witness plus one.
    #[serde(serialize_with = "send_runs", deserialize_with = "read_runs")]
    witness_of: Vec<u32>,
    /// For every `if` and `br_if`: 1 if its condition was false once, 2 if it was true.
    #[serde(serialize_with = "send_runs", deserialize_with = "read_runs")]
    sides: Vec<u8>,
    witnesses: Vec<Witness>,
    /// Something was executed for the first time since the last witness.
    is_fresh: bool,
}

/// No module has as many instructions.
const MOST_INSTRUCTIONS: usize = 1 << 26;

/// Numbers of instructions, which are mostly those of the ones before.
fn send_runs<T: Copy + PartialEq + Serialize, S: Serializer>(
    numbers: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let runs = numbers.chunk_by(|a, b| a == b);
    let runs: Vec<(u32, T)> = runs.map(|run| (run.len() as u32, run[0])).collect();
    runs.serialize(serializer)
}

fn read_runs<'de, T: Copy + Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let mut numbers = Vec::new();
    for (count, number) in Vec::<(u32, T)>::deserialize(deserializer)? {
        let length = numbers.len() + count as usize;
        if length > MOST_INSTRUCTIONS {
            return Err(D::Error::custom("more instructions than a module has"));
        }
        numbers.resize(length, number);
    }
    Ok(numbers)
}

impl Coverage {
    pub(crate) fn new(offsets: &[CodeOffset]) -> Self {
        Coverage {
            offsets: offsets.to_vec(),
            witness_of: vec![0; offsets.len()],
            sides: vec![0; offsets.len()],
            ..Coverage::default()
        }
    }

    #[inline]
    pub(crate) fn execute(&mut self, number: usize) {
        let witness = &mut self.witness_of[number];
        if *witness == 0 {
            *witness = self.witnesses.len() as u32 + 1;
            self.is_fresh = true;
        }
    }

    #[inline]
    pub(crate) fn branch(&mut self, number: usize, holds: bool) {
        self.sides[number] |= if holds { 2 } else { 1 };
    }

    pub(crate) fn is_executed(&self, number: usize) -> bool {
        self.witness_of[number] != 0
    }

    /// What was executed since the last time, was executed with these inputs.
    pub(crate) fn witness(&mut self, reads: &[Read], model: &[u64], events: &[Delivered]) {
        if std::mem::take(&mut self.is_fresh) {
            self.witnesses.push(Witness {
                inputs: Answered::of_cells(reads, model).collect(),
                events: events.to_vec(),
            });
        }
    }

    /// Adds what another exploration of the same program executed.
    pub(crate) fn absorb(&mut self, other: &Coverage) {
        // By the number of a witness there, its number here.
        let mut numbers = vec![0; other.witnesses.len() + 1];
        for (witness, theirs) in self.witness_of.iter_mut().zip(&other.witness_of) {
            let theirs = *theirs as usize;
            if *witness != 0 || theirs == 0 {
                continue;
            }
            // What another process says may make no sense.
            let (Some(number), Some(known)) =
                (numbers.get_mut(theirs), other.witnesses.get(theirs - 1))
            else {
                continue;
            };
            if *number == 0 {
                self.witnesses.push(known.clone());
                *number = self.witnesses.len() as u32;
            }
            *witness = *number;
        }
        for (sides, theirs) in self.sides.iter_mut().zip(&other.sides) {
            *sides |= theirs;
        }
    }

    /// Every instruction of the module, with inputs that lead to it if any path executed it.
    pub fn instructions(&self) -> impl Iterator<Item = (CodeOffset, Option<&Witness>)> + '_ {
        let witness = |number: &u32| self.witnesses.get((*number as usize).checked_sub(1)?);
        let instructions = self.offsets.iter().zip(&self.witness_of);
        instructions.map(move |(offset, number)| (*offset, witness(number)))
    }

    /// Every `if` and `br_if` that was executed with one outcome only, with that outcome.
    pub fn one_sided(&self) -> impl Iterator<Item = (CodeOffset, bool)> + '_ {
        let branches = self.offsets.iter().zip(&self.sides);
        branches.filter_map(|(offset, sides)| match sides {
            1 => Some((*offset, false)),
            2 => Some((*offset, true)),
            _ => None,
        })
    }
}
