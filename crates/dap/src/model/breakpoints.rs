//! Breakpoints of a program of a model language: lines of its text, and whatever else the debug console can say.

use serde_json::{Value, json};

use super::Model;
use super::motion::not_here;
use crate::core::Core;
use crate::debuggee::Asked;
use crate::notices::Notices;
use crate::protocol::answers::{self, all_refused};
use crate::protocol::arguments::{FunctionBreakpoint, SetBreakpoints, SetOthers};
use crate::protocol::{Answer, Request, body};

/// The breakpoints of this editor, and what it knows of others.
#[derive(Debug, Default)]
pub(super) struct Breakpoints {
    own: Vec<Own>,
    notices: Notices,
}

/// A breakpoint of this editor.
#[derive(Debug)]
struct Own {
    group: Group,
    /// What was asked for, as the prompt's `break` takes it.
    spec: String,
    /// The number that it got.
    id: u32,
}

/// What an editor sends as one list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Lines,
    Predicates,
}

/// Where conditions are.
const ELSEWHERE: &str = "a condition is a breakpoint of its own here: add it as a function breakpoint, such as 'x == 2'";

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
            "setFunctionBreakpoints" => request
                .arguments()
                .and_then(|asked| self.set_predicates(core, &asked)),
            // Clients that forget what they were told send them all the same, mostly empty.
            "setExceptionBreakpoints" | "setInstructionBreakpoints" | "setDataBreakpoints" => {
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
            | "restartFrame" => not_here(command),
            "exceptionInfo" => self.exception(),
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
        let wanted = asked.breakpoints.iter().map(|one| {
            let line = core.line_in(one.line).ok_or("there is no such line")?;
            if one.condition.is_some() || one.hit_condition.is_some() || one.log_message.is_some() {
                return Err(ELSEWHERE);
            }
            Ok((format!("line {line}"), Some(line)))
        });
        let wanted = wanted.collect();
        self.sync(core, Group::Lines, wanted)
    }

    /// What an editor calls a function is a predicate here: `x == 2`, or a text that the state or a step mentions.
    fn set_predicates(&mut self, core: &mut Core, asked: &SetOthers<FunctionBreakpoint>) -> Answer {
        let wanted = asked.breakpoints.iter().map(|one| {
            if one.condition.is_some() || one.hit_condition.is_some() {
                return Err(ELSEWHERE);
            }
            Ok((one.name.trim().to_owned(), None))
        });
        let wanted = wanted.collect();
        self.sync(core, Group::Predicates, wanted)
    }

    /// Sets what is new of a group, keeps what is known, and deletes what is not wanted any more.
    fn sync(
        &mut self,
        core: &mut Core,
        group: Group,
        wanted: Vec<Result<(String, Option<u32>), &str>>,
    ) -> Answer {
        if self.motion.is_some() {
            // Breakpoints count for what is explored after them: what runs is stopped, and can be gone on with.
            core.pause();
        }
        let all = std::mem::take(&mut self.breakpoints.own);
        let (mut before, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|own| own.group == group);
        self.breakpoints.own = others;
        let mut set = Vec::new();
        for one in wanted {
            let found = one.map_err(str::to_owned).and_then(|(spec, line)| {
                let known = before.iter().position(|known| known.spec == spec);
                let id = match known {
                    Some(at) => before.swap_remove(at).id,
                    None => break_at(core, &spec)?,
                };
                Ok((Own { group, spec, id }, line))
            });
            set.push(match found {
                Ok((own, line)) => {
                    let breakpoint = self.breakpoint(core, own.id, line);
                    self.breakpoints.notices.answered(own.id, &breakpoint);
                    self.breakpoints.own.push(own);
                    breakpoint
                }
                Err(message) => answers::Breakpoint::refused(message),
            });
        }
        for own in before {
            self.breakpoints.notices.drop_own([own.id]);
            let order = json!({ "order": "unbreak", "id": own.id });
            let id = core.ask_command(json!({ "command": "order", "order": order }));
            let _gone = core.wait_for(id);
        }
        body(json!({ "breakpoints": set }))
    }

    fn breakpoint(&self, core: &Core, id: u32, line: Option<u32>) -> answers::Breakpoint {
        answers::Breakpoint {
            id: Some(i64::from(id)),
            verified: true,
            source: line.map(|_| self.source.clone()),
            line: line.map(|line| core.line_out(line)),
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
                    ..self.breakpoint(core, row.id, Some(line))
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
        let gone = notices.tell(core, now, |id| own.iter().any(|own| own.id == id));
        own.retain(|own| !gone.contains(&own.id));
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
