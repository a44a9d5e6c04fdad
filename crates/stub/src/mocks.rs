//! Mocks: values that stand in for inputs (*register-mock*, *unregister-mock*, *step-mock*).

use alloc::vec::Vec;

use borges_board::{Board, BoardState, PrimitiveId, Yield};
use borges_vm::Value;
use borges_wire::{Mock, MockEnd, MockedCalls};

use crate::record::from_wire;

/// A call of an input or of an operating system, for which there may be a mock.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The board that is called.
    pub board: &'a Board,
    /// The board's state before the call.
    pub state: &'a BoardState,
    /// Which primitive.
    pub primitive: PrimitiveId,
    /// Its arguments.
    pub args: &'a [Value],
    /// The program's memory.
    pub memory: &'a [u8],
    /// Instructions retired before it.
    pub steps: u64,
}

impl Asked<'_> {
    fn is_about(&self, subject: &str) -> bool {
        let (board, id) = (self.board, self.primitive);
        self.state
            .is_about(board, id, self.args, self.memory, subject)
    }

    fn input_wanted(&self) -> Option<(u64, u32)> {
        let (board, id) = (self.board, self.primitive);
        self.state.input_wanted(board, id, self.args, self.memory)
    }
}

/// The mocks in force, with how much of each is used up.
///
/// The host keeps one in step with the device's, so that it knows which inputs were mocked without being told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mocks {
    list: Vec<Mock>,
}

impl Mocks {
    /// These mocks; of two that fit a call, the one that says more than its name wins, then the later one.
    #[must_use]
    pub fn new(list: Vec<Mock>) -> Self {
        Self { list }
    }

    /// The mocks.
    #[must_use]
    pub fn list(&self) -> &[Mock] {
        &self.list
    }

    /// What the call would yield; nothing if it reaches the hardware.
    #[must_use]
    pub fn peek(&self, call: &Asked<'_>) -> Option<Yield> {
        self.yielded(call, self.find(call))
    }

    /// What the call yields; uses it up.
    pub fn take(&mut self, call: &Asked<'_>) -> Option<Yield> {
        let found = self.find(call);
        let yielded = self.yielded(call, found);
        if let Some(mock) = found.and_then(|found| self.list.get_mut(found)) {
            mock.used = mock.used.saturating_add(1);
        }
        yielded
    }

    /// What the call yields by the mock that was found for it, and that files have other bytes before it, if that is still
    /// to come.
    fn yielded(&self, call: &Asked<'_>, found: Option<usize>) -> Option<Yield> {
        let yielded = found.and_then(|found| value_of(self.list.get(found)?, call));
        let files = self.list.iter().filter_map(|mock| match &mock.calls {
            MockedCalls::File { path, from } if *from <= call.steps => {
                Some((path.as_str(), *from, &*mock.payloads.first()?.0))
            }
            _ => None,
        });
        let (board, memory) = (call.board, call.memory);
        let what = (call.primitive, call.args);
        let replaces = call
            .state
            .replaces(board, what, memory, files, yielded.as_ref());
        replaces.or(yielded)
    }

    fn find(&self, call: &Asked<'_>) -> Option<usize> {
        let fits = |mock: &Mock| {
            mock.primitive == call.primitive.0
                && match &mock.calls {
                    MockedCalls::All | MockedCalls::Input(_) => true,
                    MockedCalls::With(wanted) => {
                        let wanted = wanted.iter().map(|wanted| from_wire(*wanted));
                        wanted.eq(call.args.iter().copied())
                    }
                    MockedCalls::About(subject) => call.is_about(subject),
                    // It says nothing of what the call comes to.
                    MockedCalls::File { .. } => false,
                }
                && value_of(mock, call).is_some()
        };
        let general = |index: &usize| {
            self.list
                .get(*index)
                .is_some_and(|mock| mock.calls == MockedCalls::All)
        };
        let fitting =
            || (0..self.list.len()).filter(|index| self.list.get(*index).is_some_and(fits));
        fitting()
            .rfind(|index| !general(index))
            .or_else(|| fitting().next_back())
    }
}

fn value_of(mock: &Mock, call: &Asked<'_>) -> Option<Yield> {
    if let MockedCalls::Input(from) = mock.calls {
        let (read, wanted) = call.input_wanted()?;
        let begin = usize::try_from(read.checked_sub(from)?).ok()?;
        let rest = mock.payloads.first()?.get(begin..).unwrap_or_default();
        let bytes = rest.get(..wanted as usize).unwrap_or(rest);
        return Some(Yield {
            value: Value::I32(i32::try_from(bytes.len()).ok()?),
            bytes: bytes.to_vec().into(),
        });
    }
    let last = mock.values.len().checked_sub(1)?;
    let next = mock.used as usize;
    let at = match mock.end {
        MockEnd::Live => next,
        MockEnd::RepeatLast => next.min(last),
    };
    let payload = mock.payloads.get(at).map(|bytes| bytes.0.clone());
    Some(Yield {
        value: from_wire(*mock.values.get(at)?),
        bytes: payload.unwrap_or_default().into(),
    })
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use borges_wire::Bytes;

    use super::*;

    /// Asks the function with a call of a primitive.
    fn called<T>(id: u16, arg: i32, ask: impl FnOnce(&Asked<'_>) -> T) -> T {
        let board = Board::default();
        ask(&Asked {
            board: &board,
            state: &BoardState::lean(&board),
            primitive: PrimitiveId(id),
            args: &[Value::I32(arg)],
            steps: 0,
            memory: &[],
        })
    }

    fn with(arguments: &[i32]) -> MockedCalls {
        MockedCalls::With(
            arguments
                .iter()
                .map(|v| borges_wire::Value::I32(*v))
                .collect(),
        )
    }

    fn mock(calls: MockedCalls, values: &[i32], end: MockEnd) -> Mock {
        let values = values.iter().map(|v| borges_wire::Value::I32(*v)).collect();
        Mock {
            primitive: 3,
            calls,
            values,
            payloads: Vec::new(),
            used: 0,
            end,
        }
    }

    #[test]
    fn a_sequence_ends_as_it_says() {
        let mut live = Mocks::new(vec![mock(MockedCalls::All, &[3, 7], MockEnd::Live)]);
        let yields = |value| Some(Yield::from(Value::I32(value)));
        let taken: Vec<_> = (0..3)
            .map(|_| called(3, 1, |call| live.take(call)))
            .collect();
        assert_eq!(taken, [yields(3), yields(7), None]);
        let mut again = Mocks::new(vec![mock(MockedCalls::All, &[3, 7], MockEnd::RepeatLast)]);
        let taken: Vec<_> = (0..3)
            .map(|_| called(3, 1, |call| again.take(call)))
            .collect();
        assert_eq!(taken, [yields(3), yields(7), yields(7)]);
        again = Mocks::new(vec![Mock {
            payloads: vec![Bytes(vec![]), Bytes(b"hi".to_vec())],
            ..mock(MockedCalls::All, &[3, 7, 9], MockEnd::Live)
        }]);
        let taken: Vec<_> = (0..3)
            .map(|_| called(3, 1, |call| again.take(call)))
            .collect();
        let with_bytes = Yield {
            value: Value::I32(7),
            bytes: b"hi".to_vec().into(),
        };
        assert_eq!(taken, [yields(3), Some(with_bytes), yields(9)]);
    }

    #[test]
    fn the_mock_with_arguments_wins() {
        let list = vec![
            mock(with(&[1]), &[5], MockEnd::RepeatLast),
            mock(MockedCalls::All, &[9], MockEnd::RepeatLast),
        ];
        let mocks = Mocks::new(list);
        assert_eq!(
            called(3, 1, |call| mocks.peek(call)),
            Some(Value::I32(5).into())
        );
        assert_eq!(
            called(3, 2, |call| mocks.peek(call)),
            Some(Value::I32(9).into())
        );
        assert_eq!(called(4, 1, |call| mocks.peek(call)), None);
    }
}
