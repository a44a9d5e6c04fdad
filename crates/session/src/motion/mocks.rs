//! Mocks: values that stand in for inputs, and branches for values that were not read.

use borges_board::PrimitiveId;
use borges_stub::{from_wire, to_wire};
use borges_vm::Value;
use borges_wire::{Mock, MockEnd};

use crate::command::listing::MockListing;
use crate::command::{MockValues, Reply};
use crate::error::CommandError;
use crate::session::Session;
use crate::values::show;

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
        for (primitive, arguments) in self.stage.inputs_named(call)? {
            let wanted = arguments.clone().unwrap_or_default();
            let mut checked = Vec::new();
            for text in list {
                checked.push(to_wire(self.stage.in_codomain(primitive, &wanted, text)?));
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

    pub(crate) fn remove_mock(&mut self, call: Option<&str>) -> Result<Reply, CommandError> {
        let mut mocks = self.mocks_in_force().list().to_vec();
        let before = mocks.len();
        match call {
            None => mocks.clear(),
            Some(call) => {
                let named = self.stage.inputs_named(call)?;
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
        Ok(Reply::done(&format!(
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
            .stage
            .board()
            .primitive(id)
            .map_or("?", |primitive| &primitive.name);
        let call = match &mock.arguments {
            None => name.to_owned(),
            Some(list) => {
                let arguments: Vec<Value> = list.iter().map(|value| from_wire(*value)).collect();
                self.stage.scene().call_text(id, &arguments)
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
}
