//! The state of the program and of the session: variables, memory, facts.

use super::layout::Layout;
use crate::command::Reply;
use crate::command::listing::{
    ExaminedListing, ExaminedUnit, Info, MemoryListing, Variable, VariableListing,
};
use crate::command::unobserved;
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::session::Session;

impl Session {
    pub(super) fn variables(&mut self, frame: u32) -> Result<Reply, CommandError> {
        let scene = self.scene();
        let mut locals = scene.locals(frame)?;
        let (globals, operands) = (scene.globals(), scene.operands(frame)?);
        for variable in &mut locals {
            let before = self
                .last_variables
                .iter()
                .find(|old| old.name == variable.name);
            variable.changed = before.is_some_and(|old: &Variable| old.value != variable.value);
        }
        Ok(Reply::Variables(VariableListing {
            frame,
            locals,
            globals,
            operands,
        }))
    }

    pub(super) fn memory(&self, address: &str, length: u32) -> Result<Reply, CommandError> {
        let number = self.scene().number(address)?;
        let object_bytes = self.scene().object_bytes(address);
        let memory = self.history.twin.machine.memory();
        let outside = || {
            let size = memory.len();
            CommandError::NoSuch(format!(
                "address {number} is not in the program's memory of {size} bytes"
            ))
        };
        let address = u32::try_from(number).map_err(|_| outside())?;
        let bytes = memory
            .get(address as usize..)
            .filter(|bytes| !bytes.is_empty())
            .ok_or_else(outside)?;
        let bytes = bytes[..bytes.len().min(length as usize)].to_vec();
        Ok(Reply::Memory(MemoryListing {
            address,
            bytes,
            object_bytes,
        }))
    }

    pub(super) fn examine(&self, layout: &str, address: &str) -> Result<Reply, CommandError> {
        let layout = Layout::read(layout)?;
        let scene = self.scene();
        let start = scene.number(address)?;
        let (mut units, mut at) = (Vec::new(), start);
        let memory = scene.machine.memory();
        for _ in 0..layout.count {
            let unit = u32::try_from(at)
                .ok()
                .and_then(|at| layout.unit(memory, at));
            let Some((value, bytes)) = unit else { break };
            units.push(ExaminedUnit {
                address: at as u32,
                value,
            });
            at += i128::from(bytes);
        }
        if units.is_empty() {
            let size = memory.len();
            return Err(CommandError::NoSuch(format!(
                "address {start} is not in the program's memory of {size} bytes"
            )));
        }
        let per_line = layout.per_line();
        Ok(Reply::Examined(ExaminedListing { units, per_line }))
    }

    pub(super) fn facts(&mut self) -> Info {
        let here = self.here();
        let at = self
            .device
            .as_ref()
            .map_or(Moment::START, |device| device.state);
        let device_at = match self.history.here() {
            now if now == at => here.clone(),
            _ => {
                // A device stands where the twin has been: the way there and back cannot diverge.
                let there = self.elsewhere(|session| {
                    session.history.seek(at, &mut unobserved)?;
                    Ok(session.here())
                });
                there.unwrap_or_else(|_| here.clone())
            }
        };
        let (sent_bytes, received_bytes, retransmissions) = self
            .device
            .as_mut()
            .map_or((0, 0, 0), |device| device.traffic());
        Info {
            program: self.options.program.display().to_string(),
            program_hash: format!("{:016x}", self.program().module.hash()),
            version: self.version,
            board: self.board().name.clone(),
            device: self.device.as_ref().map_or_else(
                || "not connected yet".to_owned(),
                |device| device.name.clone(),
            ),
            file: self.session_file().map(|path| path.display().to_string()),
            here,
            device_at,
            follows: self.follows,
            branches: self.history.tree.branches().count() as u32,
            entries: self.history.tree.entry_count(),
            snapshots: self.history.keyframes.len() as u32,
            snapshot_bytes: self.history.keyframes.bytes() as u64,
            sent_bytes,
            received_bytes,
            retransmissions,
        }
    }
}
