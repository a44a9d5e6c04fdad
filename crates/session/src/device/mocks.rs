//! Mocks: values that stand in for inputs.

use borges_board::{PrimitiveId, Yield};
use borges_stub::{Asked, from_wire, to_wire};
use borges_vm::{ValType, Value};
use borges_wire::{Bytes, Mock, MockEnd, MockedCalls};

use super::runner::Runner;

use crate::command::listing::MockListing;
use crate::command::{MockValues, Observer, Reply};
use crate::error::CommandError;
use crate::history::entry::EntryKind;
use crate::stage::STDIN;
use crate::stage::Stage;
use crate::values::{parse_yield, text_of_yield};

/// All that standard input brings from where it is mocked.
fn whole_input(values: &MockValues) -> Result<Yield, CommandError> {
    let bytes = match values {
        MockValues::Sequence(list) => match &**list {
            [text] => parse_yield(text, ValType::I32).ok(),
            _ => None,
        },
        MockValues::Then(_) => None,
    };
    match bytes {
        Some((None, Some(bytes))) => Ok(Yield {
            value: Value::I32(i32::try_from(bytes.len()).unwrap_or(i32::MAX)),
            bytes: bytes.into(),
        }),
        _ => Err(CommandError::Invalid(
            "what standard input brings is one text in quotes, and then the end: mock stdin = \"yes\\n\""
                .to_owned(),
        )),
    }
}

impl Runner {
    pub(crate) fn add_mock(
        &mut self,
        stage: &Stage,
        call: &str,
        values: &MockValues,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        let (list, end) = match values {
            MockValues::Sequence(list) => (list, MockEnd::RepeatLast),
            MockValues::Then(list) => (list, MockEnd::Live),
        };
        if list.is_empty() {
            return Err(CommandError::Invalid(
                "a mock needs at least one value".to_owned(),
            ));
        }
        let mut fresh = Vec::new();
        for (primitive, calls) in stage.inputs_named(call)? {
            let wanted: Vec<Value> = match &calls {
                MockedCalls::With(list) => list.iter().map(|value| from_wire(*value)).collect(),
                MockedCalls::All | MockedCalls::About(_) | MockedCalls::Input(_) => Vec::new(),
            };
            let (mut checked, mut payloads) = (Vec::new(), Vec::new());
            for text in list {
                let yielded = match calls {
                    MockedCalls::Input(_) => whole_input(values)?,
                    _ => stage.yielded(primitive, &wanted, text)?,
                };
                checked.push(to_wire(yielded.value));
                payloads.push(Bytes::from(&*yielded.bytes));
            }
            fresh.push(Mock {
                primitive: primitive.0,
                calls,
                values: checked,
                payloads,
                used: 0,
                end,
            });
        }
        let mut mocks = self.mocks_in_force().list().to_vec();
        mocks.retain(|old| {
            !fresh
                .iter()
                .any(|new| old.primitive == new.primitive && old.calls == new.calls)
        });
        let listing: Vec<String> = fresh
            .iter()
            .map(|mock| Self::mock_listing(stage, mock).call)
            .collect();
        mocks.extend(fresh);
        self.adopt_mocks(mocks, observer)?;
        Ok(Reply::done(&format!(
            "{} = {} from now on{}",
            listing.join(", "),
            list.join(", "),
            match end {
                MockEnd::Live if list.len() == 1 => ", once",
                MockEnd::Live => ", then live",
                MockEnd::RepeatLast => "",
            }
        )))
    }

    pub(crate) fn remove_mock(
        &mut self,
        stage: &Stage,
        call: Option<&str>,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        let mut mocks = self.mocks_in_force().list().to_vec();
        let before = mocks.len();
        match call {
            None => mocks.clear(),
            Some(call) => {
                let named = stage.inputs_named(call)?;
                mocks.retain(|mock| {
                    let is_input = matches!(mock.calls, MockedCalls::Input(_)) && call == STDIN;
                    !is_input
                        && !named.iter().any(|(primitive, calls)| {
                            mock.primitive == primitive.0 && mock.calls == *calls
                        })
                });
            }
        }
        let removed = before - mocks.len();
        self.adopt_mocks(mocks, observer)?;
        Ok(Reply::done(&format!(
            "{removed} mock{} removed",
            if removed == 1 { "" } else { "s" }
        )))
    }

    pub(crate) fn mock_listings(&self, stage: &Stage) -> Vec<MockListing> {
        self.mocks()
            .iter()
            .map(|mock| Self::mock_listing(stage, mock))
            .collect()
    }

    fn mock_listing(stage: &Stage, mock: &Mock) -> MockListing {
        let id = PrimitiveId(mock.primitive);
        let call = stage.calls_text(id, &mock.calls);
        let payloads = mock.payloads.iter().map(|bytes| &*bytes.0);
        let values = mock
            .values
            .iter()
            .zip(payloads.chain(std::iter::repeat(&[][..])));
        let values = values
            .map(|(value, bytes)| {
                let value = from_wire(*value);
                if matches!(mock.calls, MockedCalls::Input(_)) {
                    return format!("\"{}\"", bytes.escape_ascii());
                }
                let is_choice = stage.board().system_function(id).is_some();
                match borges_board::choice_text(&value.into()).filter(|_| is_choice) {
                    Some(text) => text.to_owned(),
                    None => text_of_yield(value, bytes),
                }
            })
            .collect();
        let values = match mock.end {
            MockEnd::Live => MockValues::Then(values),
            MockEnd::RepeatLast => MockValues::Sequence(values),
        };
        MockListing { call, values }
    }

    /// Whether the program is about to read an input for which a mock says something else than the recording.
    pub(crate) fn mock_awaits(&self, stage: &Stage) -> bool {
        let history = &stage.history;
        let Some(call) = history.twin().machine.pending() else {
            return false;
        };
        let Some(primitive) = stage.program().primitive(call.func.0) else {
            return false;
        };
        let (board, state) = (stage.board(), &history.twin().board);
        let memory = history.twin().machine.memory();
        let asked = Asked {
            board,
            state,
            primitive,
            args: &call.args,
            memory,
        };
        let Some(mock) = self.mocks_in_force().peek(&asked) else {
            return false;
        };
        let (here, tip) = (history.here(), history.tip());
        let path = history.tree().between(here.place, tip.place);
        match path
            .and_then(|mut path| path.next())
            .map(|(_, entry)| &entry.kind)
        {
            Some(EntryKind::Input { value, bytes, .. }) => {
                (mock.value, &mock.bytes) != (*value, bytes)
            }
            _ => false,
        }
    }
}
