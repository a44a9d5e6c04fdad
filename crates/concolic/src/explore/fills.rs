//! Inputs that put bytes into memory: each byte is an input of its own.

use std::ops::Range;

use borges_board::{Payload, PrimitiveId, Yield};
use borges_vm::{ValType, Value, Write};

use super::marks::mark_write;
use super::{Explorer, MOST_BYTES, Next, State};
use crate::memory::Byte;
use crate::path::{Cut, End, ReadPart};
use crate::set::{Set, value_of};
use crate::shadow::Ask;

impl Explorer<'_, '_> {
    /// The end of what is followed: a call that brings bytes, where somebody else answers calls with one value.
    fn unfollowed(&mut self, state: &State, id: PrimitiveId) -> Next {
        let board = self.start.board.clone();
        let name = board.primitive(id).map_or("", |primitive| &primitive.name);
        let reason = format!("{name} puts bytes into memory, which is not followed");
        self.leave_out(state, &reason);
        Next::End(End::Cut(Cut::Fills))
    }

    /// Reads an input that puts bytes into memory. Something to do if it is not simply done.
    pub(super) fn fill(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
        result: Option<ValType>,
        to: usize,
    ) -> Result<(), Next> {
        if self.parting.is_answered {
            return Err(self.unfollowed(state, id));
        }
        let board = self.start.board.clone();
        let ty = result.unwrap_or(ValType::I32);
        let place = match state.returns {
            Some(place) => place,
            None => {
                self.read_value(state, (id, args), result)?;
                *state.returns.insert(state.reads.len() as u32 - 1)
            }
        };
        let returned = self.dag.input(place, ty);
        let known = self.only_value(state, returned);
        if known.is_none() && board.counts_bytes(id) {
            // How many bytes there are must be known.
            return Err(Next::Asked(Ask::Value(returned)));
        }
        let value = value_of(ty, state.model[place as usize]);
        let (count, allowed) = board.bytes_with(id, args, value);
        if count > MOST_BYTES {
            return Err(self.too_many(state, id, count));
        }
        let from = state.reads.len() as u32;
        let bytes = self.push_bytes(state, (id, args), count, &Set::of_codomain(&allowed))?;
        state.returns = None;
        let yielded = Yield { value, bytes };
        let writes = board.writes(id, args, &yielded);
        // Where it writes was checked, and imports were bound by their types.
        let answered = self.machine.answer_with(&[value], &writes);
        debug_assert_eq!(answered, Ok(()));
        state.shadow.forget_cells(to, to + args.len() + 1);
        if known.is_none() {
            state.shadow.set_cell(to, returned);
        }
        self.wrote_bytes(state, &writes, from..from + count as u32);
        let known = known.map(|cell| value_of(ty, cell));
        state.outside.read(&board, (id, args), returned, known);
        Ok(())
    }

    /// Notes each byte that a call brings as an input of its own: what they are.
    pub(super) fn push_bytes(
        &mut self,
        state: &mut State,
        call: (PrimitiveId, &[Value]),
        count: usize,
        allowed: &Set,
    ) -> Result<Payload, Next> {
        let from = state.reads.len();
        for number in 0..count as u32 {
            let byte = (ValType::I32, allowed.clone());
            self.push_read(state, call, ReadPart::Byte(number), byte)?;
        }
        state.shadow.note_decided(count as u32);
        let bytes = state.model[from..].iter().map(|cell| *cell as u8);
        Ok(bytes.collect::<Vec<u8>>().into())
    }

    /// Notes what lies where a call has written: the inputs at these places, then what is known.
    pub(super) fn wrote_bytes(
        &mut self,
        state: &mut State,
        writes: &[Write],
        mut places: Range<u32>,
    ) {
        for write in writes {
            mark_write(state, write);
            let addresses = u64::from(write.address)..;
            for (address, _) in addresses.zip(&write.bytes) {
                let byte = places.next().and_then(|place| {
                    let is_one = state.reads[place as usize].domain.only().is_some();
                    let value = self.dag.input(place, ValType::I32);
                    (!is_one).then_some(Byte { value, number: 0 })
                });
                state.shadow.memory.set(address, byte);
            }
        }
    }

    /// The end of what is followed: more bytes than anybody can look at.
    fn too_many(&mut self, state: &State, id: PrimitiveId, count: usize) -> Next {
        let board = self.start.board.clone();
        let name = board.primitive(id).map_or("", |primitive| &primitive.name);
        let reason = format!(
            "{name} puts {count} bytes into memory: of more than {MOST_BYTES} none is followed"
        );
        self.leave_out(state, &reason);
        Next::End(End::Cut(Cut::Fills))
    }
}
