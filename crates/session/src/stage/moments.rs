//! Naming universes: numbers, bookmarks, and strings that mean the same in every session of the program.

use std::collections::VecDeque;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use borges_board::Yield;
use borges_multiverse::tree::{BranchId, Place};
use borges_stub::{Halt, Mocks, encode_event, encode_input};
use borges_wire::{Bytes, Record, RecordKind, TraceDecoder, TraceEncoder};

use crate::command::Observer;
use crate::command::unobserved;
use crate::command::{AgentNumber, Event, Flow, UniverseId};
use crate::error::CommandError;
use crate::history::entry::{EntryKind, Moment};
use crate::history::{History, Live, Source};
use crate::stage::Stage;

/// What a moment string begins with: its format's version.
const PREFIX: &str = "m1-";

/// The name of the only agent.
pub(crate) const ONLY_AGENT: &str = "main";

/// Choices in order, to be written as a moment string.
#[derive(Clone, Debug)]
pub(crate) struct MomentText {
    hash: u64,
    trace: TraceEncoder,
}

impl MomentText {
    /// No choice yet; `hash` is the module's.
    pub(crate) fn new(hash: u64) -> Self {
        let trace = TraceEncoder::new(0, 0);
        Self { hash, trace }
    }

    fn push(&mut self, steps: u64, kind: RecordKind) {
        // A path's entries are in order.
        let _in_order = self.trace.push(&Record { steps, kind });
    }

    /// An input is answered before which so many steps were taken.
    pub(crate) fn input(&mut self, steps: u64, yielded: &Yield) {
        self.push(steps, encode_input(yielded));
    }

    /// An event arrives after so many steps.
    pub(crate) fn event(&mut self, steps: u64, event: &borges_board::Event) {
        let (kind, payload) = encode_event(event);
        self.push(steps, RecordKind::Event { kind, payload });
    }

    /// The string that names the universe after these choices and so many steps of an agent.
    pub(crate) fn text(mut self, agent: AgentNumber, steps: u64) -> String {
        let packed = self.trace.take().map(|batch| batch.bytes.0);
        format!(
            "{PREFIX}{:016x}-{}-{}",
            self.hash,
            steps_text(agent, steps),
            URL_SAFE_NO_PAD.encode(packed.unwrap_or_default())
        )
    }
}

impl Stage {
    /// The moment that a user names: `branch.index[+steps]`, `@steps` on the current path, `start`, `tip`, `here`, or a
    /// moment string. Steps are those of the first agent, or of the one that stands before them: `agent:steps`.
    pub(crate) fn moment_named(
        &mut self,
        name: &str,
        observer: Observer<'_>,
    ) -> Result<Moment, CommandError> {
        match name {
            "start" => return Ok(Moment::START),
            "tip" => return Ok(self.history.tip()),
            "here" => return Ok(self.history.here()),
            _ => {}
        }
        if name.starts_with(PREFIX) {
            return self.moment_of_text(name, observer);
        }
        if let Some(steps) = name.strip_prefix('@') {
            let tip = self.history.tip();
            let (agent, steps) = parse_steps(steps).ok_or_else(|| unknown(name))?;
            known_agent(agent)?;
            if steps > tip.steps {
                let text = format!("the current path is known up to step {} only", tip.steps);
                return Err(CommandError::NoSuch(text));
            }
            let place = self
                .history
                .tree()
                .at_step(tip.place, steps)
                .ok_or_else(|| unknown(name))?;
            return Ok(Moment {
                place,
                agent,
                steps,
            });
        }
        let id = parse_id(name).ok_or_else(|| unknown(name))?;
        known_agent(id.agent)?;
        let at = moment_of_id(&self.history, id).ok_or_else(|| {
            CommandError::NoSuch(format!(
                "there is no universe {name}: 'tree' shows the branches and their entries"
            ))
        })?;
        let known = self.history.known_until(at.place);
        if at.steps > known {
            let text = format!(
                "universe {name} has not been reached: its run is known up to step {known}"
            );
            return Err(CommandError::NoSuch(text));
        }
        Ok(at)
    }

    /// The moment as a string: program, steps, and the choices that lead there.
    pub(crate) fn moment_text(&self, at: Moment) -> String {
        self.trace_to(at).text(at.agent, at.steps)
    }

    /// The choices that lead to a moment.
    pub(crate) fn trace_to(&self, at: Moment) -> MomentText {
        let mut trace = MomentText::new(self.program().module.hash());
        for (_, entry) in self.history.tree().path(at.place).into_iter().flatten() {
            let kind = match &entry.kind {
                EntryKind::Input { value, bytes, .. } => encode_input(&Yield {
                    value: *value,
                    bytes: bytes.clone(),
                }),
                EntryKind::Event(event) => {
                    let (kind, payload) = encode_event(event);
                    RecordKind::Event { kind, payload }
                }
                EntryKind::Output { captured, .. } if !captured.is_nothing() => {
                    RecordKind::Captured(Bytes(borges_stub::encode_captured(captured)))
                }
                EntryKind::Output { .. } => continue,
            };
            trace.push(entry.step_before(), kind);
        }
        trace
    }

    /// Replays a moment string into the multiverse. Branches that exist are followed.
    ///
    /// Anybody may have written it, and it may say any step: the user can end the replay.
    fn moment_of_text(
        &mut self,
        text: &str,
        observer: Observer<'_>,
    ) -> Result<Moment, CommandError> {
        let bad =
            |why: &str| CommandError::Invalid(format!("this is no moment of this program: {why}"));
        let mut parts = text.trim_start_matches(PREFIX).splitn(3, '-');
        let (hash, steps, packed) = (parts.next(), parts.next(), parts.next());
        let hash = hash.and_then(|hash| u64::from_str_radix(hash, 16).ok());
        if hash != Some(self.program().module.hash()) {
            return Err(bad("it was made with another module"));
        }
        let (agent, steps) = steps
            .and_then(parse_steps)
            .ok_or_else(|| bad("its step count is missing"))?;
        known_agent(agent)?;
        let packed = URL_SAFE_NO_PAD.decode(packed.unwrap_or_default());
        let packed = packed.map_err(|_| bad("its trace is cut short or damaged"))?;
        let mut records = VecDeque::new();
        for record in TraceDecoder::new(0, &packed) {
            records.push_back(record.map_err(|_| bad("its trace is damaged"))?);
        }
        let here = self.history.here();
        self.history.hold();
        self.history.seek(Moment::START, &mut unobserved)?;
        let mut mocks = Mocks::default();
        let mut reached = Ok(());
        while self.history.twin().steps() < steps
            || records.front().is_some_and(|record| record.steps == steps)
        {
            let before = (self.history.here(), records.len());
            let progress = Event::Progress {
                what: "replaying the moment".to_owned(),
                done: self.history.twin().steps(),
                total: Some(steps),
            };
            if observer(progress) == Flow::Pause {
                let done = self.history.twin().steps();
                reached = Err(CommandError::Invalid(format!(
                    "the replay of the moment was given up at step {done} of {steps}"
                )));
                break;
            }
            let until = steps.min(self.history.next_keyframe());
            let mut live = Live::new(&mut records, &mut mocks);
            let halt = self.history.extend(&mut live, Source::Told, until);
            // A trapping instruction is not retired: the string counts its attempt.
            let attempted = self.history.twin().steps() + 1 == steps && records.is_empty();
            if attempted && matches!(halt, Ok(Halt::Trapped(_))) {
                break;
            }
            if halt.is_err() || (self.history.here(), records.len()) == before {
                reached = Err(bad("the program does not take this path"));
                break;
            }
            self.history.keep(self.history.here());
        }
        let found = self.history.here();
        let back = self.history.seek(here, &mut unobserved);
        self.history.release();
        back?;
        reached.map(|()| found)
    }
}

fn unknown(name: &str) -> CommandError {
    CommandError::NoSuch(format!(
        "'{name}' names no universe: use branch.index or branch.index+steps, @steps, start, tip, device, a bookmark, or a moment string"
    ))
}

/// Whether a place counts the steps of an agent that there is.
///
/// # Errors
/// There is none of this number: [`CommandError::NoSuch`] says which there are.
pub(crate) fn known_agent(agent: AgentNumber) -> Result<(), CommandError> {
    match agent {
        AgentNumber::ONLY => Ok(()),
        AgentNumber(number) => Err(CommandError::NoSuch(format!(
            "there is no agent {number}: this program has one, 0 ({ONLY_AGENT})"
        ))),
    }
}

/// `[agent:]steps`: whose steps, and how many.
fn parse_steps(text: &str) -> Option<(AgentNumber, u64)> {
    let (agent, steps) = text.split_once(':').unwrap_or(("0", text));
    Some((AgentNumber(agent.parse().ok()?), steps.parse().ok()?))
}

/// What [`parse_steps`] reads; the first agent need not be named.
fn steps_text(agent: AgentNumber, steps: u64) -> String {
    match agent {
        AgentNumber::ONLY => steps.to_string(),
        AgentNumber(agent) => format!("{agent}:{steps}"),
    }
}

/// `branch.index[+[agent:]steps]`.
fn parse_id(text: &str) -> Option<UniverseId> {
    let (place, offset) = text.split_once('+').unwrap_or((text, "0"));
    let (branch, index) = place.split_once('.')?;
    let (agent, offset) = parse_steps(offset)?;
    Some(UniverseId {
        branch: branch.parse().ok()?,
        index: index.parse().ok()?,
        agent,
        offset,
    })
}

/// For those who show a universe: `branch.index`, and `+steps` inside a run.
impl std::fmt::Display for UniverseId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = format!("{}.{}", self.branch, self.index);
        f.pad(&match (self.agent, self.offset) {
            (AgentNumber::ONLY, 0) => place,
            (agent, offset) => format!("{place}+{}", steps_text(agent, offset)),
        })
    }
}

/// The number of a moment in this session.
pub(crate) fn universe_id(history: &History, at: Moment) -> UniverseId {
    let since = history.tree().step_of(at.place).unwrap_or(0);
    UniverseId {
        branch: at.place.branch.0,
        index: at.place.index,
        agent: at.agent,
        offset: at.steps.saturating_sub(since),
    }
}

/// The moment that a number names.
pub(crate) fn moment_of_id(history: &History, id: UniverseId) -> Option<Moment> {
    let place = history.tree().canonical(Place {
        branch: BranchId(id.branch),
        index: id.index,
    })?;
    let steps = history.tree().step_of(place)?.checked_add(id.offset)?;
    let agent = id.agent;
    Some(Moment {
        place,
        agent,
        steps,
    })
}
