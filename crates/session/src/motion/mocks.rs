//! Mocks: values that stand in for inputs, and branches for values that were not read.

use borges_board::PrimitiveId;
use borges_stub::{from_wire, to_wire};
use borges_vm::Value;
use borges_wire::{Mock, MockEnd};

use crate::command::listing::MockListing;
use crate::command::{MockValues, Reply};
use crate::error::{CommandError, at_most};
use crate::history::entry::{Entry, EntryKind};
use crate::session::{Session, done};
use crate::values::{parse, show};

impl Session {
    pub(crate) fn add_mock(
        &mut self,
        call: &str,
        values: &MockValues,
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
        for (primitive, arguments) in self.inputs_named(call)? {
            let wanted = arguments.clone().unwrap_or_default();
            let mut checked = Vec::new();
            for text in list {
                checked.push(to_wire(self.in_codomain(primitive, &wanted, text)?));
            }
            fresh.push(Mock {
                primitive: primitive.0,
                arguments: arguments.map(|list| list.into_iter().map(to_wire).collect()),
                values: checked,
                used: 0,
                end,
            });
        }
        let mut mocks = self.mocks_in_force().list().to_vec();
        mocks.retain(|old| {
            !fresh
                .iter()
                .any(|new| old.primitive == new.primitive && old.arguments == new.arguments)
        });
        let listing: Vec<String> = fresh
            .iter()
            .map(|mock| self.mock_listing(mock).call)
            .collect();
        mocks.extend(fresh);
        self.adopt_mocks(mocks)?;
        Ok(done(&format!(
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

    pub(crate) fn remove_mock(&mut self, call: Option<&str>) -> Result<Reply, CommandError> {
        let mut mocks = self.mocks_in_force().list().to_vec();
        let before = mocks.len();
        match call {
            None => mocks.clear(),
            Some(call) => {
                let named = self.inputs_named(call)?;
                mocks.retain(|mock| {
                    !named.iter().any(|(primitive, arguments)| {
                        let own: Option<Vec<Value>> = mock
                            .arguments
                            .as_ref()
                            .map(|list| list.iter().map(|v| from_wire(*v)).collect());
                        mock.primitive == primitive.0 && own == *arguments
                    })
                });
            }
        }
        let removed = before - mocks.len();
        self.adopt_mocks(mocks)?;
        Ok(done(&format!(
            "{removed} mock{} removed",
            if removed == 1 { "" } else { "s" }
        )))
    }

    fn adopt_mocks(&mut self, mocks: Vec<Mock>) -> Result<(), CommandError> {
        if let Some(device) = &mut self.device {
            device.set_mocks(mocks.clone())?;
        }
        self.mocks = mocks;
        Ok(())
    }

    pub(crate) fn mock_listings(&self) -> Vec<MockListing> {
        self.mocks
            .iter()
            .map(|mock| self.mock_listing(mock))
            .collect()
    }

    fn mock_listing(&self, mock: &Mock) -> MockListing {
        let id = PrimitiveId(mock.primitive);
        let name = self
            .board()
            .primitive(id)
            .map_or("?", |primitive| &primitive.name);
        let call = match &mock.arguments {
            None => name.to_owned(),
            Some(list) => {
                let arguments: Vec<Value> = list.iter().map(|value| from_wire(*value)).collect();
                self.scene().call_text(id, &arguments)
            }
        };
        let values = mock
            .values
            .iter()
            .map(|value| show(from_wire(*value)))
            .collect();
        let values = match mock.end {
            MockEnd::Live => MockValues::Then(values),
            MockEnd::RepeatLast => MockValues::Sequence(values),
        };
        MockListing { call, values }
    }

    /// The input primitives that `name(arguments)` means, with the arguments if they are all given.
    fn inputs_named(&self, call: &str) -> Result<Vec<MockedCall>, CommandError> {
        let (name, arguments) = match call.trim().split_once('(') {
            Some((name, rest)) => {
                let inside = rest.trim_end().strip_suffix(')').ok_or_else(|| {
                    CommandError::Invalid(format!("'{call}' lacks a closing parenthesis"))
                })?;
                let list: Vec<&str> = inside
                    .split(',')
                    .map(str::trim)
                    .filter(|text| !text.is_empty())
                    .collect();
                let any = list.contains(&"_");
                (name.trim(), (!any).then_some(list))
            }
            None => (call.trim(), None),
        };
        let board = self.board();
        let mut found = Vec::new();
        for id in board.ids() {
            let Some(primitive) = board
                .primitive(id)
                .filter(|primitive| primitive.name == name)
            else {
                continue;
            };
            if primitive.kind != borges_board::Kind::Input {
                return Err(CommandError::Invalid(format!(
                    "'{name}' is no input: only inputs can be mocked"
                )));
            }
            match &arguments {
                None => found.push((id, None)),
                Some(list) if list.len() == primitive.params.len() => {
                    let values: Result<Vec<Value>, String> = list
                        .iter()
                        .zip(primitive.params.iter())
                        .map(|(text, ty)| parse(text, *ty))
                        .collect();
                    found.push((id, Some(values.map_err(CommandError::Invalid)?)));
                }
                Some(_) => {}
            }
        }
        if found.is_empty() {
            let inputs = board.ids().filter_map(|id| board.primitive(id));
            let mut names: Vec<&str> = inputs
                .filter(|primitive| primitive.kind == borges_board::Kind::Input)
                .map(|primitive| &*primitive.name)
                .collect();
            names.dedup();
            let text = format!(
                "no input '{call}' with as many arguments; the inputs are {}",
                names.join(", ")
            );
            return Err(CommandError::NoSuch(text));
        }
        Ok(found)
    }

    /// A value that the input may have *there*: its range, narrowed by the board's rules.
    fn in_codomain(
        &self,
        id: PrimitiveId,
        args: &[Value],
        text: &str,
    ) -> Result<Value, CommandError> {
        let codomain = self.board().codomain_at(id, args, &self.history.twin.board);
        let value = parse(text, codomain.ty()).map_err(CommandError::Invalid)?;
        if !codomain.contains(value) {
            let call = self.scene().call_text(id, args);
            let text = format!(
                "{call} cannot be {text} here: it is {}",
                codomain.describe()
            );
            return Err(CommandError::Invalid(text));
        }
        Ok(value)
    }

    pub(crate) fn add_branches(&mut self, values: &str) -> Result<Reply, CommandError> {
        let pending = self.history.twin.machine.pending().and_then(|call| {
            let id = self.program().primitive(call.func.0)?;
            let input = self.board().primitive(id)?.kind == borges_board::Kind::Input;
            input.then_some((id, call.args))
        });
        let Some((id, args)) = pending else {
            let text = "the program is not about to read an input here: go to one first ('break call PRIMITIVE' and 'continue', or 'reverse-entry')";
            return Err(CommandError::Invalid(text.to_owned()));
        };
        let here = self.history.here();
        let (mut added, mut known) = (0_u32, 0_u32);
        for value in self.expand(id, &args, values)? {
            let kind = EntryKind::Input {
                primitive: id,
                value,
                mocked: true,
            };
            let entry = Entry {
                step: here.steps + 1,
                kind,
            };
            let edge = self
                .history
                .add_edge(here.place, entry, args.clone())
                .map_err(|e| CommandError::Invalid(e.to_string()))?;
            match edge.growth {
                borges_multiverse::tree::Growth::Followed => known += 1,
                _ => added += 1,
            }
        }
        let call = self.scene().call_text(id, &args);
        let state = &self.history.twin.board;
        let count = self.board().codomain_at(id, &args, state).count();
        let tried = u64::from(added + known);
        let stand = if values.trim() == ALL && count.is_none_or(|count| count > tried) {
            let count = count.map_or("countless".to_owned(), |count| count.to_string());
            format!("; they stand for {count} values: [sampling] in a board file says which")
        } else {
            String::new()
        };
        Ok(done(&format!(
            "{added} branches added at {call}, {known} were there already{stand}; 'tree' shows them, 'jump' goes there"
        )))
    }

    /// The values that `lo..hi`, `a, b`, a mixture or `all` mean, each inside the codomain.
    fn expand(
        &self,
        id: PrimitiveId,
        args: &[Value],
        text: &str,
    ) -> Result<Vec<Value>, CommandError> {
        let list = match text.trim() {
            ALL => {
                let state = &self.history.twin.board;
                self.board().representatives(id, args, state, ALL_OF_THEM)
            }
            text => self.listed(id, args, text)?,
        };
        at_most(list.len(), MOST, "values", "given")?;
        Ok(list)
    }

    /// [`Self::expand`] for values that are written out.
    fn listed(
        &self,
        id: PrimitiveId,
        args: &[Value],
        text: &str,
    ) -> Result<Vec<Value>, CommandError> {
        let mut list = Vec::new();
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let Some((low, high)) = part.split_once("..") else {
                list.push(self.in_codomain(id, args, part)?);
                continue;
            };
            let (low, high) = (
                self.in_codomain(id, args, low)?,
                self.in_codomain(id, args, high)?,
            );
            let number = |value| match value {
                Value::I32(v) => Some(i64::from(v)),
                Value::I64(v) => Some(v),
                _ => None,
            };
            let (Some(low), Some(high)) = (number(low), number(high)) else {
                return Err(CommandError::Invalid(
                    "ranges are for whole numbers; list the values instead".to_owned(),
                ));
            };
            if high.abs_diff(low) as usize >= MOST || low > high {
                let text =
                    format!("'{part}' is no range of at most {MOST} values, the lower one first");
                return Err(CommandError::Invalid(text));
            }
            for value in low..=high {
                // A rule may leave holes in the range.
                list.extend(self.in_codomain(id, args, &value.to_string()));
            }
        }
        if list.is_empty() {
            return Err(CommandError::Invalid(
                "give values like 0..10, or 3, 7, or all".to_owned(),
            ));
        }
        Ok(list)
    }
}

/// So many values are tried at a time.
const MOST: usize = 4_096;

/// The word for every value that an input can have.
const ALL: &str = "all";

/// So many values are tried one by one; of more, those that stand for them.
const ALL_OF_THEM: u64 = 256;

/// An input with the arguments of the calls that are meant; nothing for all calls.
type MockedCall = (PrimitiveId, Option<Vec<Value>>);
