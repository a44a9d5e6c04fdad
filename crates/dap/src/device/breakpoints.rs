//! Breakpoints: those that this editor set, which it always names all of, and those of others, which it may only see.

use std::collections::BTreeMap;

use borges_commands::arguments::breakpoint;
use borges_commands::cursor::Cursor;
use borges_session::command::{Act, CodePlace, NewBreakpoint, Reply, StopKind};
use borges_session::listing::BreakpointListing;
use serde_json::json;

use super::{Device, code};
use crate::core::Core;
use crate::debuggee::Asked;
use crate::notices::Notices;
use crate::protocol::answers::{self, Filter, all_refused};
use crate::protocol::arguments::{
    DataBreakpoint, FilterOption, FunctionBreakpoint, InstructionBreakpoint, SetBreakpoints,
    SetExceptionBreakpoints, SetOthers, SourceBreakpoint, given, hit_count,
};
use crate::protocol::{Answer, Failure, Request, body};

/// Breakpoints that one request may set.
const MOST: usize = 10_000;

/// What stops a program without being a place in it.
pub(crate) const FILTERS: &[Filter] = &[
    Filter {
        filter: "trap",
        label: "Traps and failed assertions",
        description: "Stop where the program traps; the exception says why, and which choice made it inevitable",
        default: true,
        supports_condition: false,
        condition_description: None,
    },
    Filter {
        filter: "event",
        label: "Interrupts and timers",
        description: "Stop before an interrupt or a timer is delivered",
        default: false,
        supports_condition: true,
        condition_description: Some("an expression, for example counter > 3"),
    },
    Filter {
        filter: "limit",
        label: "Broken limits of the board",
        description: "Stop before a call that breaks a limit of the board",
        default: false,
        supports_condition: false,
        condition_description: None,
    },
    Filter {
        filter: "call",
        label: "Calls of a primitive",
        description: "Stop before a primitive is called; the condition names it",
        default: false,
        supports_condition: true,
        condition_description: Some("chip_digital_write, or chip_digital_write if arg1 == 1"),
    },
];

/// Which request a breakpoint belongs to: each names all that there are to be of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Source(String),
    Functions,
    Instructions,
    Data,
    Exceptions,
}

/// The breakpoints of this editor, and what it knows of others.
#[derive(Debug, Default)]
pub(crate) struct Breakpoints {
    own: Own,
    notices: Notices,
}

/// Those that each request has set, with their numbers.
type Own = BTreeMap<Owner, Vec<(NewBreakpoint, u32)>>;

fn has(own: &Own, id: u32) -> bool {
    own.values().flatten().any(|(_, own)| *own == id)
}

/// A breakpoint that may be one, or why it is none.
type Wanted = Result<NewBreakpoint, String>;

impl Device {
    pub(super) fn breakpoint_request(
        &mut self,
        core: &mut Core,
        command: &str,
        request: &Request,
    ) -> Option<Asked> {
        let answer = match command {
            "setBreakpoints" => request
                .arguments()
                .and_then(|asked| self.set_lines(core, asked)),
            "setFunctionBreakpoints" => request
                .arguments()
                .and_then(|asked| self.set_functions(core, asked)),
            "setInstructionBreakpoints" => request
                .arguments()
                .and_then(|asked| self.set_instructions(core, asked)),
            "setDataBreakpoints" => request
                .arguments()
                .and_then(|asked| self.set_data(core, asked)),
            "setExceptionBreakpoints" => request
                .arguments()
                .and_then(|asked| self.set_exceptions(core, asked)),
            "dataBreakpointInfo" => request
                .arguments()
                .and_then(|asked| self.data_info(core, &asked)),
            _ => return None,
        };
        Some(Asked::Now(answer))
    }

    fn set_lines(&mut self, core: &mut Core, asked: SetBreakpoints) -> Answer {
        let files = core.parts.program.files.iter().map(String::as_str);
        let Some(file) = self.sources.file(&asked.source, files) else {
            let name = asked.source.path.or(asked.source.name).unwrap_or_default();
            let text = format!("{name} is no source of this program");
            return all_refused(asked.breakpoints.len(), &text);
        };
        let wanted = |one: &SourceBreakpoint| {
            let line = core.line_in(one.line).ok_or("there is no such line")?;
            let file = Some(file.clone());
            let kind = StopKind::Code(CodePlace::Line { file, line });
            specified(
                kind,
                one.condition.as_ref(),
                one.hit_condition.as_ref(),
                one.log_message.as_ref(),
            )
        };
        let wanted = asked.breakpoints.iter().map(wanted).collect();
        self.sync(core, Owner::Source(file), wanted)
    }

    fn set_functions(&mut self, core: &mut Core, asked: SetOthers<FunctionBreakpoint>) -> Answer {
        let wanted = |one: &FunctionBreakpoint| {
            let kind = StopKind::Code(CodePlace::Function(one.name.trim().to_owned()));
            specified(
                kind,
                one.condition.as_ref(),
                one.hit_condition.as_ref(),
                None,
            )
        };
        let wanted = asked.breakpoints.iter().map(wanted).collect();
        self.sync(core, Owner::Functions, wanted)
    }

    fn set_instructions(
        &mut self,
        core: &mut Core,
        asked: SetOthers<InstructionBreakpoint>,
    ) -> Answer {
        let wanted = |one: &InstructionBreakpoint| {
            let at = code::address(&one.instruction_reference)?;
            let at = at
                .checked_add(one.offset)
                .and_then(|at| u32::try_from(at).ok());
            let at = at.ok_or("there is no instruction at that offset")?;
            let kind = StopKind::Code(CodePlace::Offset(at));
            specified(
                kind,
                one.condition.as_ref(),
                one.hit_condition.as_ref(),
                None,
            )
        };
        let wanted = asked.breakpoints.iter().map(wanted).collect();
        self.sync(core, Owner::Instructions, wanted)
    }

    fn set_data(&mut self, core: &mut Core, asked: SetOthers<DataBreakpoint>) -> Answer {
        let wanted = |one: &DataBreakpoint| {
            if one
                .access_type
                .as_deref()
                .is_some_and(|access| access != "write")
            {
                return Err("only writes can be waited for".to_owned());
            }
            let kind = StopKind::Write(one.data_id.clone());
            specified(
                kind,
                one.condition.as_ref(),
                one.hit_condition.as_ref(),
                None,
            )
        };
        let wanted = asked.breakpoints.iter().map(wanted).collect();
        self.sync(core, Owner::Data, wanted)
    }

    fn set_exceptions(&mut self, core: &mut Core, asked: SetExceptionBreakpoints) -> Answer {
        let plain = asked.filters.into_iter().map(|filter_id| FilterOption {
            filter_id,
            condition: None,
        });
        let wanted = plain
            .chain(asked.filter_options)
            .map(|one| exception(&one))
            .collect();
        self.sync(core, Owner::Exceptions, wanted)
    }

    /// Makes the breakpoints of one request those that are wanted, and answers with them, in their order.
    fn sync(&mut self, core: &mut Core, owner: Owner, mut wanted: Vec<Wanted>) -> Answer {
        if wanted.len() > MOST {
            return Err(Failure::new(format!(
                "{} breakpoints: at most {MOST}",
                wanted.len()
            )));
        }
        if self.runs_through {
            let run = "the program runs without stopping";
            wanted.iter_mut().for_each(|one| *one = Err(run.to_owned()));
        }
        let mut before = self.breakpoints.own.remove(&owner).unwrap_or_default();
        before.retain(|(_, id)| core.parts.breakpoints.iter().any(|known| known.id == *id));
        let is_new =
            |one: &Wanted| matches!(one, Ok(spec) if before.iter().all(|(known, _)| known != spec));
        let is_gone =
            |(known, _): &(NewBreakpoint, u32)| !wanted.iter().flatten().any(|spec| spec == known);
        let changes = wanted.iter().any(is_new) || before.iter().any(is_gone);
        let interrupted = changes.then(|| self.stand_still(core)).flatten();
        let mut own = Vec::new();
        let mut answers = Vec::new();
        for one in wanted {
            answers.push(
                match one.and_then(|spec| self.set(core, spec, &mut before, &mut own)) {
                    Ok(listing) => self.breakpoint(core, &listing),
                    Err(message) => answers::Breakpoint::refused(message),
                },
            );
        }
        // Whom nobody wants any more; none at all would be all of them, also those of others.
        let ids: Vec<u32> = before.into_iter().map(|(_, id)| id).collect();
        if !ids.is_empty() {
            self.breakpoints.notices.drop_own(ids.iter().copied());
            core.act(Act::DeleteBreakpoints { ids })?;
        }
        self.breakpoints.own.insert(owner, own);
        for (id, answer) in answers.iter().filter_map(|one| Some((one.id?, one))) {
            self.breakpoints.notices.answered(id as u32, answer);
        }
        self.go_on(core, interrupted);
        body(json!({ "breakpoints": answers }))
    }

    /// A breakpoint that is there already, or a new one.
    fn set(
        &mut self,
        core: &mut Core,
        spec: NewBreakpoint,
        before: &mut Vec<(NewBreakpoint, u32)>,
        own: &mut Vec<(NewBreakpoint, u32)>,
    ) -> Result<BreakpointListing, String> {
        let listed = core.parts.breakpoints.iter();
        if let Some(at) = before.iter().position(|(known, _)| *known == spec) {
            let (spec, id) = before.swap_remove(at);
            own.push((spec, id));
            let mut same = listed.filter(|listing| listing.id == id);
            return same.next().cloned().ok_or("it is gone".to_owned());
        }
        // Editors take over what they are told of: one that somebody else has set stays theirs.
        let mut foreign = listed
            .filter(|listing| listing.spec == spec && !has(&self.breakpoints.own, listing.id));
        if let Some(listing) = foreign.find(|listing| own.iter().all(|(_, id)| *id != listing.id)) {
            return Ok(listing.clone());
        }
        match core.act(Act::Break(spec.clone()))? {
            Reply::BreakpointSet(listing) => {
                own.push((spec, listing.id));
                Ok(listing)
            }
            _ => Err("no breakpoint was set".to_owned()),
        }
    }

    /// A breakpoint for the client.
    fn breakpoint(&mut self, core: &Core, listing: &BreakpointListing) -> answers::Breakpoint {
        let mut breakpoint = answers::Breakpoint {
            id: Some(i64::from(listing.id)),
            verified: listing.enabled,
            message: (!listing.what.is_empty()).then(|| listing.what.clone()),
            ..answers::Breakpoint::default()
        };
        if let StopKind::Code(place) = &listing.spec.kind {
            if let CodePlace::Offset(at) = place {
                breakpoint.instruction_reference = Some(code::reference(*at));
            }
            let resolved = listing.resolved.rsplit_once(':');
            let resolved = resolved.and_then(|(file, line)| Some((file, line.parse().ok()?)));
            if let Some((file, line)) = resolved {
                let named = core
                    .parts
                    .program
                    .files
                    .iter()
                    .find(|known| known.ends_with(file));
                breakpoint.source = Some(self.sources.source(named.map_or(file, String::as_str)));
                breakpoint.line = Some(core.line_out(line));
            }
        }
        breakpoint
    }

    /// Tells the editor what others did to breakpoints, and to its own.
    pub(super) fn notice_breakpoints(&mut self, core: &mut Core) {
        if !self.has_begun() {
            return;
        }
        let listed = core.parts.breakpoints.clone();
        let now = listed.iter();
        let now = now.map(|listing| (listing.id, self.breakpoint(core, listing)));
        let now = now.collect();
        let Breakpoints { own, notices } = &mut self.breakpoints;
        let gone = notices.tell(core, now, |id| has(own, id));
        for own in own.values_mut() {
            own.retain(|(_, id)| !gone.contains(id));
        }
    }
}

/// A breakpoint with its conditions, as the protocol has them.
fn specified(
    kind: StopKind,
    condition: Option<&String>,
    hits: Option<&String>,
    log: Option<&String>,
) -> Wanted {
    Ok(NewBreakpoint {
        kind,
        agent: None,
        condition: given(condition),
        hits: given(hits).map_or(Ok(0), |text| hit_count(&text))?,
        log: given(log),
    })
}

/// What an exception filter waits for.
fn exception(option: &FilterOption) -> Wanted {
    let condition = option.condition.as_ref();
    let condition = condition
        .map(|text| text.trim())
        .filter(|text| !text.is_empty());
    let kind = match option.filter_id.as_str() {
        "trap" => StopKind::Trap,
        "event" => StopKind::Event,
        "limit" => StopKind::Limit,
        "call" => {
            let Some(named) = condition else {
                return Err(
                    "name the primitive in the condition: chip_digital_write if arg1 == 1"
                        .to_owned(),
                );
            };
            // Read as 'break call …' is, so that both mean the same.
            let line = format!("call {named}");
            return breakpoint(&mut Cursor::new(&line)).map_err(|misread| misread.message);
        }
        other => return Err(format!("there is no filter '{other}'")),
    };
    specified(kind, condition.map(str::to_owned).as_ref(), None, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_hits_are_read_as_people_write_them() {
        assert_eq!(hit_count("5"), Ok(5));
        assert_eq!(hit_count(">= 5"), Ok(5));
        assert_eq!(hit_count(">4"), Ok(5));
        for wrong in ["= 5", "%2", "-1", "many", "> 18446744073709551615"] {
            assert!(hit_count(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn filters_wait_for_what_they_say() {
        let of = |filter: &str, condition: Option<&str>| {
            exception(&FilterOption {
                filter_id: filter.to_owned(),
                condition: condition.map(str::to_owned),
            })
        };
        for filter in FILTERS {
            assert_eq!(of(filter.filter, None).is_ok(), filter.filter != "call");
        }
        let call = of("call", Some("chip_digital_write if arg1 == 1")).expect("it is one");
        assert_eq!(
            call.kind,
            StopKind::Primitive("chip_digital_write".to_owned())
        );
        assert_eq!(call.condition.as_deref(), Some("arg1 == 1"));
        assert!(of("nothing", None).is_err());
    }
}
