//! Breakpoints of a program of a model language: lines of its text, and whatever else the debug console can say.

use serde_json::{Value, json};

use super::Model;
use super::motion::not_here;
use crate::core::Core;
use crate::debuggee::Asked;
use crate::notices::Notices;
use crate::protocol::answers::{self, all_refused};
use crate::protocol::arguments::SetBreakpoints;
use crate::protocol::{Answer, Request, body};

/// The breakpoints of this editor, and what it knows of others.
#[derive(Debug, Default)]
pub(super) struct Breakpoints {
    /// What was asked for, with the number that it got.
    own: Vec<(String, u32)>,
    notices: Notices,
}

impl Model {
    pub(super) fn breakpoint_request(
        &mut self,
        core: &mut Core,
        command: &str,
        request: &Request,
    ) -> Option<Asked> {
        let answer = match command {
            "setBreakpoints" => request
                .arguments()
                .and_then(|asked| self.set_lines(core, &asked)),
            // Clients that forget what they were told send them all the same, mostly empty.
            "setExceptionBreakpoints"
            | "setFunctionBreakpoints"
            | "setInstructionBreakpoints"
            | "setDataBreakpoints" => {
                let asked: Result<Value, _> = request.arguments();
                asked.and_then(|asked| {
                    let given = ["breakpoints", "filters", "filterOptions"];
                    let given = given
                        .iter()
                        .filter_map(|name| asked[*name].as_array())
                        .flatten();
                    all_refused(given.count(), "programs of model languages have none")
                })
            }
            "dataBreakpointInfo" => body(json!({
                "dataId": null,
                "description": "break when a condition holds: 'break when x == 2' in the debug console",
            })),
            "setVariable" | "disassemble" | "readMemory" | "gotoTargets" | "goto"
            | "restartFrame" | "exceptionInfo" => not_here(command),
            _ => return None,
        };
        Some(Asked::Now(answer))
    }

    fn set_lines(&mut self, core: &mut Core, asked: &SetBreakpoints) -> Answer {
        let name = |path: &String| path.rsplit(['/', '\\']).next().map(str::to_owned);
        let theirs = asked
            .source
            .path
            .as_ref()
            .and_then(name)
            .or(asked.source.name.clone());
        if theirs.as_ref() != Some(&self.source.name) && asked.source.source_reference.is_none() {
            let text = format!("{} is not the program's text", theirs.unwrap_or_default());
            return all_refused(asked.breakpoints.len(), &text);
        }
        if self.motion.is_some() {
            // Breakpoints count for what is explored after them: what runs is stopped, and can be gone on with.
            core.pause();
        }
        let mut before = std::mem::take(&mut self.breakpoints.own);
        let mut set = Vec::new();
        for one in &asked.breakpoints {
            let Some(line) = core.line_in(one.line) else {
                set.push(answers::Breakpoint::refused(
                    "there is no such line".to_owned(),
                ));
                continue;
            };
            let spec = format!("line {line}");
            let known = before.iter().position(|(known, _)| *known == spec);
            let id = match known {
                Some(at) => Ok(before.swap_remove(at).1),
                None => break_at(core, &spec),
            };
            set.push(match id {
                Ok(id) => {
                    self.breakpoints.own.push((spec, id));
                    let breakpoint = self.breakpoint(core, id, line);
                    self.breakpoints.notices.answered(id, &breakpoint);
                    breakpoint
                }
                Err(message) => answers::Breakpoint::refused(message),
            });
        }
        for (_, id) in before {
            self.breakpoints.notices.drop_own([id]);
            let order = json!({ "order": "unbreak", "id": id });
            let id = core.ask_command(json!({ "command": "order", "order": order }));
            let _gone = core.wait_for(id);
        }
        body(json!({ "breakpoints": set }))
    }

    fn breakpoint(&self, core: &Core, id: u32, line: u32) -> answers::Breakpoint {
        answers::Breakpoint {
            id: Some(i64::from(id)),
            verified: true,
            source: Some(self.source.clone()),
            line: Some(core.line_out(line)),
            ..answers::Breakpoint::default()
        }
    }

    /// Tells the editor what others did to breakpoints, and to its own.
    pub(super) fn notice_breakpoints(&mut self, core: &mut Core) {
        let rows = core
            .parts
            .text
            .as_ref()
            .map(|text| text.breakpoints.clone())
            .unwrap_or_default();
        let now = rows.iter().map(|row| {
            let line = row
                .spec
                .strip_prefix("line ")
                .and_then(|line| line.trim().parse().ok());
            let now = match line {
                Some(line) => answers::Breakpoint {
                    verified: row.on,
                    ..self.breakpoint(core, row.id, line)
                },
                None => answers::Breakpoint {
                    id: Some(i64::from(row.id)),
                    verified: row.on,
                    message: Some(row.spec.clone()),
                    ..answers::Breakpoint::default()
                },
            };
            (row.id, now)
        });
        let now = now.collect();
        let Breakpoints { own, notices } = &mut self.breakpoints;
        let gone = notices.tell(core, now, |id| own.iter().any(|(_, own)| *own == id));
        own.retain(|(_, id)| !gone.contains(id));
    }
}

/// Sets a breakpoint: its number.
fn break_at(core: &mut Core, spec: &str) -> Result<u32, String> {
    let order = json!({ "order": "break", "spec": spec });
    let id = core.ask_command(json!({ "command": "order", "order": order }));
    let reply = core.wait_for(id)?;
    let number = reply["breakpoint"]
        .as_u64()
        .and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| "no breakpoint was set".to_owned())
}
