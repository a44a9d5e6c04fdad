//! Breakpoints of a program of a model language: lines of its text, and whatever else the debug console can say.

use serde_json::{Value, json};

use super::Model;
use super::motion::not_here;
use crate::core::Core;
use crate::debuggee::Asked;
use crate::notices::Notices;
use crate::protocol::answers::{self, all_refused};
use crate::protocol::arguments::{FunctionBreakpoint, SetBreakpoints, SetOthers, given, hit_count};
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
    manner: Manner,
}

/// What becomes of whoever comes to a breakpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Manner {
    /// It halts from this time on that it is come to; 0 and 1 are the first.
    from_time: u64,
    /// It prints this, and does not halt.
    prints: Option<String>,
}

/// A breakpoint that there shall be.
struct Wanted {
    spec: String,
    line: Option<u32>,
    manner: Manner,
}

/// What an editor sends as one list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Lines,
    Predicates,
}

/// What predicates have none of.
const PLAIN: &str =
    "a predicate has no condition and counts nothing: say it in one, such as 'x == 2 and y > 0'";

impl Breakpoints {
    fn manner(&self, id: u32) -> Option<&Manner> {
        let own = self.own.iter().find(|own| own.id == id);
        own.map(|own| &own.manner)
    }

    /// From which time on a breakpoint halts, or prints.
    pub(super) fn due_from(&self, id: u32) -> u64 {
        self.manner(id).map_or(1, |manner| manner.from_time)
    }

    /// What a breakpoint prints instead of halting.
    pub(super) fn printed(&self, id: u32) -> Option<&str> {
        self.manner(id)?.prints.as_deref()
    }
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
            "setVariable" | "disassemble" | "readMemory" | "restartFrame" => not_here(command),
            "exceptionInfo" => self.exception(),
            _ => return None,
        };
        Some(Asked::Now(answer))
    }

    fn set_lines(&mut self, core: &mut Core, asked: &SetBreakpoints) -> Answer {
        if !self.is_text(&asked.source) {
            let source = &asked.source;
            let theirs = source.path.as_ref().or(source.name.as_ref());
            let text = format!(
                "{} is not the program's text",
                theirs.map_or("", String::as_str)
            );
            return all_refused(asked.breakpoints.len(), &text);
        }
        let wanted = asked.breakpoints.iter().map(|one| {
            let line = core.line_in(one.line).ok_or("there is no such line")?;
            let spec = match given(one.condition.as_ref()) {
                Some(condition) => format!("line {line} if {condition}"),
                None => format!("line {line}"),
            };
            let hits = given(one.hit_condition.as_ref());
            let manner = Manner {
                from_time: hits.map_or(Ok(1), |hits| hit_count(&hits))?,
                prints: given(one.log_message.as_ref()),
            };
            let line = Some(line);
            Ok(Wanted { spec, line, manner })
        });
        let wanted = wanted.collect();
        self.sync(core, Group::Lines, wanted)
    }

    /// What an editor calls a function is a predicate here: `x == 2`, or a text that the state or a step mentions.
    fn set_predicates(&mut self, core: &mut Core, asked: &SetOthers<FunctionBreakpoint>) -> Answer {
        let wanted = asked.breakpoints.iter().map(|one| {
            let more = given(one.condition.as_ref()).or(given(one.hit_condition.as_ref()));
            match more {
                Some(_) => Err(PLAIN.to_owned()),
                None => Ok(Wanted {
                    spec: one.name.trim().to_owned(),
                    line: None,
                    manner: Manner::default(),
                }),
            }
        });
        let wanted = wanted.collect();
        self.sync(core, Group::Predicates, wanted)
    }

    /// Sets what is new of a group, keeps what is known, and deletes what is not wanted any more.
    fn sync(
        &mut self,
        core: &mut Core,
        group: Group,
        wanted: Vec<Result<Wanted, String>>,
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
            let found = one.and_then(|Wanted { spec, line, manner }| {
                let known = before.iter().position(|known| known.spec == spec);
                let id = match known {
                    Some(at) => before.swap_remove(at).id,
                    None => break_at(core, &spec)?,
                };
                let own = Own {
                    group,
                    spec,
                    id,
                    manner,
                };
                Ok((own, line))
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
            let line = row.spec.trim().strip_prefix("line ");
            let line = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
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
