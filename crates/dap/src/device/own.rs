//! What Borges knows and the protocol does not: requests and events that begin with `borges/`.

use borges_commands::interpreter::{Answer as Said, Verdict};
use borges_session::command::{Act, Command, Look, Reply};
use serde_json::{Value, json};

use super::Device;
use crate::console::Line;
use crate::core::Core;
use crate::debuggee::Asked;
use crate::protocol::arguments::{Jump, Line as Typed, Own, Upload};
use crate::protocol::{Answer, Failure, NOTHING, Request, body};

impl Device {
    pub(super) fn own_request(
        &mut self,
        core: &mut Core,
        command: &str,
        request: &Request,
    ) -> Option<Asked> {
        let answer = match command {
            "borges/jump" => request.arguments::<Jump>().and_then(|asked| {
                let target = match asked.universe {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                self.start(core, vec![Act::Jump { target }], "goto")
            }),
            "borges/here" => Ok(json!({ "place": self.here(core), "moment": moment(core) })),
            "borges/multiverse" => core
                .look(Look::Multiverse)
                .map_err(Failure::from)
                .and_then(body),
            "borges/session" => request
                .arguments()
                .and_then(|asked| self.session(core, asked)),
            "borges/upload" => request.arguments().and_then(|asked| upload(core, asked)),
            "borges/command" => {
                let line = match request.arguments::<Typed>() {
                    Ok(asked) => asked.line,
                    Err(failure) => return Some(Asked::Now(Err(failure))),
                };
                let request = request.clone();
                return Some(self.tell_console(Line::Execute {
                    request,
                    line,
                    frame: None,
                }));
            }
            _ => return None,
        };
        Some(Asked::Now(answer))
    }

    /// A command of the session as data; one that moves is a motion.
    fn session(&mut self, core: &mut Core, asked: Own) -> Answer {
        let command: Command = serde_json::from_value(asked.command)
            .map_err(|error| Failure::new(format!("this program has no such command: {error}")))?;
        match command {
            Command::Look(look) => core.look(look).map_err(Failure::from).and_then(body),
            Command::Act(act) => {
                let interrupted = self.stand_still(core);
                let done = core.act(act).map_err(Failure::from);
                self.go_on(core, interrupted);
                done.and_then(body)
            }
        }
    }

    /// Tells the editor what others changed that it shows.
    pub(super) fn notice_others(&mut self, core: &mut Core) {
        if !self.has_begun() || self.motion.is_some() {
            return;
        }
        if self.inputs != core.parts.inputs_changed {
            self.inputs = core.parts.inputs_changed;
            if core.client.supports_invalidated_event {
                core.event("invalidated", json!({ "areas": ["variables"] }));
            }
        }
        if self.file_changed != core.parts.file.changed {
            self.file_changed = core.parts.file.changed;
            core.event("borges/file", json!({ "changed": self.file_changed }));
        }
    }
}

/// The moment shown, as a text that names it everywhere.
fn moment(core: &mut Core) -> Value {
    match core.look(Look::Moment) {
        Ok(Reply::Moment { moment, .. }) => json!(moment),
        _ => Value::Null,
    }
}

fn upload(core: &mut Core, asked: Upload) -> Answer {
    let own = core.parts.info.as_deref().map(|info| info.program.clone());
    let program = asked.program.or(own).unwrap_or_default();
    core.act(Act::Upload { program }).map_err(Failure::shown)?;
    NOTHING
}

/// What a line came to, as text and as data.
pub(super) fn record(answer: &Said) -> Answer {
    body(json!({
        "ok": answer.verdict != Verdict::Failed,
        "text": answer.text,
        "command": answer.command,
        "reply": answer.reply,
        "error": answer.error,
    }))
}
