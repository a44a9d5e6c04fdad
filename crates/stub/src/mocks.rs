//! Mocks: values that stand in for inputs (*register-mock*, *unregister-mock*, *step-mock*).

use alloc::vec::Vec;

use borges_board::{PrimitiveId, Yield};
use borges_vm::Value;
use borges_wire::{Mock, MockEnd, MockedCalls};

use crate::record::from_wire;

/// Whether the call in question is about something: a path, the name of a stream.
pub type IsAbout<'a> = &'a dyn Fn(&str) -> bool;

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

    /// What the next call would yield; nothing if it reaches the hardware.
    #[must_use]
    pub fn peek(
        &self,
        primitive: PrimitiveId,
        args: &[Value],
        about: IsAbout<'_>,
    ) -> Option<Yield> {
        let mock = self.list.get(self.find(primitive, args, about)?)?;
        value_of(mock)
    }

    /// What the call yields; uses it up.
    pub fn take(
        &mut self,
        primitive: PrimitiveId,
        args: &[Value],
        about: IsAbout<'_>,
    ) -> Option<Yield> {
        let found = self.find(primitive, args, about)?;
        let mock = self.list.get_mut(found)?;
        let value = value_of(mock)?;
        mock.used = mock.used.saturating_add(1);
        Some(value)
    }

    fn find(&self, primitive: PrimitiveId, args: &[Value], about: IsAbout<'_>) -> Option<usize> {
        let fits = |mock: &Mock| {
            mock.primitive == primitive.0
                && value_of(mock).is_some()
                && match &mock.calls {
                    MockedCalls::All => true,
                    MockedCalls::With(wanted) => {
                        let wanted = wanted.iter().map(|wanted| from_wire(*wanted));
                        wanted.eq(args.iter().copied())
                    }
                    MockedCalls::About(subject) => about(subject),
                }
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

fn value_of(mock: &Mock) -> Option<Yield> {
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

    const NOTHING: IsAbout<'_> = &|_| false;

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
        let call = (PrimitiveId(3), [Value::I32(1)]);
        let mut live = Mocks::new(vec![mock(MockedCalls::All, &[3, 7], MockEnd::Live)]);
        let yields = |value| Some(Yield::from(Value::I32(value)));
        let taken: Vec<_> = (0..3)
            .map(|_| live.take(call.0, &call.1, NOTHING))
            .collect();
        assert_eq!(taken, [yields(3), yields(7), None]);
        let mut again = Mocks::new(vec![mock(MockedCalls::All, &[3, 7], MockEnd::RepeatLast)]);
        let taken: Vec<_> = (0..3)
            .map(|_| again.take(call.0, &call.1, NOTHING))
            .collect();
        assert_eq!(taken, [yields(3), yields(7), yields(7)]);
        again = Mocks::new(vec![Mock {
            payloads: vec![Bytes(vec![]), Bytes(b"hi".to_vec())],
            ..mock(MockedCalls::All, &[3, 7, 9], MockEnd::Live)
        }]);
        let taken: Vec<_> = (0..3)
            .map(|_| again.take(call.0, &call.1, NOTHING))
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
            mocks.peek(PrimitiveId(3), &[Value::I32(1)], NOTHING),
            Some(Value::I32(5).into())
        );
        assert_eq!(
            mocks.peek(PrimitiveId(3), &[Value::I32(2)], NOTHING),
            Some(Value::I32(9).into())
        );
        assert_eq!(mocks.peek(PrimitiveId(4), &[], NOTHING), None);
    }

    #[test]
    fn a_mock_about_one_file_leaves_the_others() {
        let config = MockedCalls::About("/config".into());
        let mocks = Mocks::new(vec![
            mock(config, &[-44], MockEnd::RepeatLast),
            mock(MockedCalls::All, &[-51], MockEnd::RepeatLast),
        ]);
        let of = |path: &str| mocks.peek(PrimitiveId(3), &[], &|subject| subject == path);
        assert_eq!(of("/config"), Some(Value::I32(-44).into()));
        assert_eq!(of("/other"), Some(Value::I32(-51).into()));
    }
}
