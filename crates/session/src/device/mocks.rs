//! Mocks: values that stand in for inputs.

use borges_board::{PrimitiveId, Yield};
use borges_stub::{Asked, from_wire, to_wire};
use borges_vm::{ValType, Value};
use borges_wire::{Bytes, Mock, MockEnd, MockedCalls};

use super::runner::Runner;

use crate::command::listing::MockListing;
use crate::command::{MOST_MOCKED, MockValues, Observer, Reply};
use crate::error::CommandError;
use crate::history::entry::EntryKind;
use crate::stage::Stage;
use crate::values::{parse_yield, text_of_yield};

/// So many bytes at most are shown of what a mock puts in a file.
const MOST_SHOWN: usize = 64;

/// The bytes of the one text in quotes that a mock has, with their number.
fn whole(values: &MockValues, otherwise: &str) -> Result<Yield, CommandError> {
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
        _ => Err(CommandError::Invalid(otherwise.to_owned())),
    }
}

/// What a mock says that is one text: of standard input, or of a file; nothing for a mock of calls.
fn whole_of(calls: &MockedCalls, values: &MockValues) -> Result<Option<Yield>, CommandError> {
    let otherwise = match calls {
        MockedCalls::Input(_) => {
            "what standard input brings is one text in quotes, and then the end: mock stdin = \"yes\\n\""
        }
        MockedCalls::File { .. } => {
            "what is in a file is one text in quotes: mock file \"/data/a\" = \"yes\\n\"; a FILE of the host is read at \
             the prompts of terminals and editors"
        }
        MockedCalls::All | MockedCalls::With(_) | MockedCalls::About(_) => return Ok(None),
    };
    whole(values, otherwise).map(Some)
}

/// Whether two mocks are about the same, so that the later one stands in the other's place.
fn is_same(a: (u16, &MockedCalls), b: (u16, &MockedCalls)) -> bool {
    match (a.1, b.1) {
        (MockedCalls::File { path, .. }, MockedCalls::File { path: other, .. }) => path == other,
        _ => a == b,
    }
}

/// A device hears of all mocks in one message.
fn check_size(mocks: &[Mock]) -> Result<(), CommandError> {
    let payloads = mocks.iter().flat_map(|mock| &mock.payloads);
    let bytes: usize = payloads.map(|bytes| bytes.0.len()).sum();
    if bytes > MOST_MOCKED {
        return Err(CommandError::Invalid(format!(
            "mocks can bring {MOST_MOCKED} bytes at most, all of them together, and these would bring {bytes}: \
             'unmock' takes one away"
        )));
    }
    Ok(())
}

/// The values of a mock as a list.
fn values_text(values: &MockValues) -> String {
    let (MockValues::Sequence(list) | MockValues::Then(list)) = values;
    list.join(", ")
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
        let (mut fresh, mut whole) = (Vec::new(), None);
        for (primitive, calls) in stage.inputs_named(call)? {
            let wanted: Vec<Value> = match &calls {
                MockedCalls::With(list) => list.iter().map(|value| from_wire(*value)).collect(),
                _ => Vec::new(),
            };
            whole = whole_of(&calls, values)?;
            let (mut checked, mut payloads) = (Vec::new(), Vec::new());
            for text in list {
                let yielded = match &whole {
                    Some(whole) => whole.clone(),
                    None => stage.yielded(primitive, &wanted, text)?,
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
        let replaced = |old: &Mock| {
            fresh
                .iter()
                .any(|new| is_same((old.primitive, &old.calls), (new.primitive, &new.calls)))
        };
        mocks.retain(|old| !replaced(old));
        let listings = fresh.iter().map(|mock| Self::shown_mock(stage, mock));
        let listings: Vec<MockListing> = listings.collect();
        mocks.extend(fresh);
        check_size(&mocks)?;
        self.adopt_mocks(mocks, observer)?;
        let calls: Vec<&str> = listings.iter().map(|mock| &*mock.call).collect();
        let shown = match (&whole, &*listings) {
            (Some(_), [only, ..]) => values_text(&only.values),
            _ => list.join(", "),
        };
        Ok(Reply::done(&format!(
            "{} = {shown} from now on{}",
            calls.join(", "),
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
                // As they are listed, and without from where: a file need not be there any more.
                let is_meant = |mock: &Mock| {
                    let text = stage.calls_text(PrimitiveId(mock.primitive), &mock.calls);
                    let rest = text.strip_prefix(call.trim());
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" from "))
                };
                if mocks.iter().any(is_meant) {
                    mocks.retain(|mock| !is_meant(mock));
                } else {
                    let named = stage.inputs_named(call)?;
                    let is_named = |mock: &Mock| {
                        let this = (mock.primitive, &mock.calls);
                        named.iter().any(|(id, calls)| is_same(this, (id.0, calls)))
                    };
                    mocks.retain(|mock| !is_named(mock));
                }
            }
        }
        let removed = before - mocks.len();
        self.adopt_mocks(mocks, observer)?;
        Ok(Reply::done(&format!(
            "{removed} mock{} removed",
            if removed == 1 { "" } else { "s" }
        )))
    }

    /// The mocks in full, as a session file keeps them.
    pub(crate) fn mock_listings(&self, stage: &Stage) -> Vec<MockListing> {
        let mocks = self.mocks().iter();
        mocks.map(|mock| Self::mock_listing(stage, mock)).collect()
    }

    /// The mocks for who looks at them.
    pub(crate) fn shown_mocks(&self, stage: &Stage) -> Vec<MockListing> {
        let mocks = self.mocks().iter();
        mocks.map(|mock| Self::shown_mock(stage, mock)).collect()
    }

    /// A mock; of what is in a file, the beginning and how much it is.
    fn shown_mock(stage: &Stage, mock: &Mock) -> MockListing {
        let MockListing { call, values } = Self::mock_listing(stage, mock);
        let bytes = mock.payloads.first().map_or(&[][..], |bytes| &bytes.0);
        match (&mock.calls, bytes.get(..MOST_SHOWN)) {
            (MockedCalls::File { .. }, Some(shown)) if shown.len() < bytes.len() => {
                let count = bytes.len();
                let text = format!("\"{}\"… ({count} bytes)", shown.escape_ascii());
                let values = MockValues::Sequence(vec![text]);
                MockListing { call, values }
            }
            _ => MockListing { call, values },
        }
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
                if matches!(mock.calls, MockedCalls::Input(_) | MockedCalls::File { .. }) {
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
            steps: history.twin().machine.steps(),
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
