//! How values went along the current path: the value after every write, and gaps where there is none.
//!
//! The path is replayed once. A variable of a function is followed through every call of it: where a line of the
//! function begins, what its value depends on is looked up and watched by the VM until the call ends. What the variable's
//! place holds before it is first written is nobody's value, and is not shown.

mod curve;

use std::cell::RefCell;

use borges_debuginfo::{Expression, FramePoint, Holder, Number, Stopped};
use borges_vm::{CodeOffset, FuncIdx, Value, Watch};

use crate::command::Observer;
use crate::command::listing::{Curve, SeriesListing};
use crate::command::unobserved;
use crate::command::{Flow, Reply};
use crate::error::{CommandError, at_most};
use crate::history::entry::Moment;
use crate::history::{Found, SeekError, Stops};
use crate::scene::{Machines, Scene, stands_at};
use crate::stage::Stage;

/// Points of one curve in one answer.
const MOST_SAMPLES: u32 = 2_000;
/// Expressions in one question.
const MOST_EXPRESSIONS: usize = 32;
/// Paths of so many steps are looked at as a whole; of longer ones, [`PARTS`] parts that are as long together.
const WHOLE: u64 = 20_000_000;
const PARTS: u64 = 64;
/// Lines and writes that are looked at for each point in the answer. A path that has more is not looked at as a whole.
const STOPS_PER_SAMPLE: u32 = 100;
/// Frames in which a value is looked for.
const MOST_FRAMES: u32 = 64;
/// Places that one value may depend on.
const MOST_PLACES: usize = 64;

/// What a value was found to depend on.
struct Reading {
    value: Option<f64>,
    /// Where the value itself is; empty if it is computed.
    own: Vec<Holder>,
    /// Everything that was read on the way to it.
    read: Vec<Holder>,
}

impl Reading {
    fn seen(&self) -> Seen {
        match self.value {
            Some(_) => Seen::Number,
            None => Seen::NoNumber,
        }
    }
}

/// One value that is followed.
struct Followed {
    expression: Expression,
    /// The functions whose variables it is made of; none if it is the whole program's.
    hosts: Vec<FuncIdx>,
    /// Where its names were looked up. What is the whole program's means the same everywhere.
    home: FramePoint,
    seen: Seen,
    /// Calls of the hosts that are under way, outermost first; of the program's own, one that never ends.
    calls: Vec<Call>,
    curve: Curve,
}

/// The most that was ever seen of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Seen {
    /// Nothing.
    #[default]
    Nothing,
    /// Something that is no number.
    NoNumber,
    /// A number.
    Number,
}

/// A call in which a value is followed.
#[derive(Default)]
struct Call {
    /// Frames from the outermost to its own; 0 of the whole program's.
    depth: usize,
    own: Vec<Watch>,
    read: Vec<Watch>,
    /// What has to be written before there is a value.
    awaited: Vec<Watch>,
    in_scope: bool,
    last: Option<f64>,
}

/// Where to look at values that belong to functions; all sorted.
#[derive(Default)]
struct Places {
    /// All of them: where calls begin and end, and where lines begin.
    code: Vec<CodeOffset>,
    begins: Vec<CodeOffset>,
    /// Those of them that begin a prologue: only behind it variables have their places.
    prologues: Vec<CodeOffset>,
    returns: Vec<CodeOffset>,
}

/// Notes what is read.
struct Noting<'a> {
    state: Machines<'a>,
    read: RefCell<Vec<Holder>>,
}

impl Noting<'_> {
    fn note(&self, source: Holder) {
        let mut read = self.read.borrow_mut();
        // One past the limit, to know that it was passed.
        if read.len() <= MOST_PLACES && !read.contains(&source) {
            read.push(source);
        }
    }
}

impl Stopped for Noting<'_> {
    fn local(&self, frame: u32, index: u32) -> Option<Value> {
        self.note(Holder::Local { frame, index });
        self.state.local(frame, index)
    }

    fn operand(&self, frame: u32, index: u32) -> Option<Value> {
        self.state.operand(frame, index)
    }

    fn global(&self, index: u32) -> Option<Value> {
        self.note(Holder::Global(index));
        self.state.global(index)
    }

    fn memory(&self, memory: u32, address: u32, buffer: &mut [u8]) -> bool {
        let length = buffer.len() as u32;
        self.note(Holder::Memory {
            memory,
            address,
            length,
        });
        self.state.memory(memory, address, buffer)
    }

    fn table(&self, index: u32) -> Option<FuncIdx> {
        self.state.table(index)
    }
}

impl Scene<'_> {
    /// A value in one frame of the machine, and which of the source's frames in it knows it.
    fn reading(
        &self,
        expression: &Expression,
        frame: u32,
    ) -> Result<(Reading, FramePoint), CommandError> {
        let offset = stands_at(self.machine, frame as usize);
        let mut failed = None;
        for inlined in 0..self.info.frames_at(offset).len().max(1) {
            let stop = FramePoint {
                frame,
                offset,
                inlined,
            };
            match self.reading_at(expression, stop) {
                Ok(reading) => return Ok((reading, stop)),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        Err(failed
            .unwrap_or_else(|| CommandError::Invalid(format!("'{expression}' is not known here"))))
    }

    fn reading_at(
        &self,
        expression: &Expression,
        stop: FramePoint,
    ) -> Result<Reading, CommandError> {
        let state = Noting {
            state: Machines(self.machine),
            read: RefCell::default(),
        };
        let scope = borges_debuginfo::NoScope;
        let value = self.info.evaluate(expression, stop, &state, &scope);
        let value = value.map_err(|e| CommandError::Invalid(format!("'{expression}': {e}")))?;
        let number = self.info.number_of(&value, &state);
        if state.read.borrow().len() > MOST_PLACES {
            return Err(CommandError::Invalid(format!(
                "'{expression}' depends on more than {MOST_PLACES} places: follow a part of it"
            )));
        }
        let own = value.place().map_or(Vec::new(), |place| place.watchable());
        Ok(Reading {
            value: number.map(as_float).filter(|value| value.is_finite()),
            own,
            read: state.read.into_inner(),
        })
    }

    /// What has to be written before an expression has a value, where it just came into scope: its variables whose places
    /// may still hold something else.
    fn unset(&self, expression: &Expression, stop: FramePoint) -> Vec<Watch> {
        let variables = self.info.variables_at(stop);
        let mut sources = Vec::new();
        for name in expression.names() {
            let found = variables.iter().rfind(|variable| variable.name == name);
            if let Some(variable) = found {
                if !self.info.is_set_in_scope(variable)
                    && let Ok(object) = self.info.locate(variable, stop, &Machines(self.machine))
                {
                    sources.extend(object.place.watchable());
                }
            } else if let Some(Ok(index)) = name.strip_prefix('$').map(str::parse) {
                let function = self.info.function_at(stop.offset);
                let parameters = function.map_or(0, |function| self.info.parameters(function));
                let frame = stop.frame;
                sources.extend((index >= parameters).then_some(Holder::Local { frame, index }));
            }
        }
        self.watches_of(&sources)
    }
}

fn as_float(number: Number) -> f64 {
    match number {
        Number::Int(value) => value as f64,
        Number::Float(value) => value,
    }
}

pub(crate) fn series(
    stage: &mut Stage,
    expressions: &[String],
    samples: u32,
    observer: Observer<'_>,
) -> Result<Reply, CommandError> {
    at_most(
        expressions.len(),
        MOST_EXPRESSIONS,
        "expressions",
        "followed",
    )?;
    let mut followed = Vec::new();
    for text in expressions {
        match follow(stage, text) {
            Ok(one) => followed.push(Some(one)),
            // Of several, those that are known are drawn.
            Err(error) if expressions.len() == 1 => return Err(error),
            Err(_) => followed.push(None),
        }
    }
    let here = stage.history.hold();
    let mut known: Vec<Followed> = Vec::new();
    let which: Vec<Option<usize>> = followed
        .into_iter()
        .map(|one| {
            known.push(one?);
            Some(known.len() - 1)
        })
        .collect();
    let most = samples.clamp(2, MOST_SAMPLES);
    let complete = follow_values(stage, &mut known, most * STOPS_PER_SAMPLE, observer);
    let back = stage.history.seek(here, &mut unobserved);
    stage.history.release();
    back?;
    let complete = complete?;
    let curve = |at: Option<usize>| {
        let found = at.and_then(|at| known.get(at));
        found.map_or_else(Curve::default, |one| Curve {
            why: one.why_none(stage),
            ..one.curve.thinned(most as usize)
        })
    };
    let curves: Vec<Curve> = which.into_iter().map(curve).collect();
    Ok(Reply::Series(SeriesListing { curves, complete }))
}

/// Finds out whose value an expression is: of the function of the innermost frame that knows it, of all functions
/// that have such a variable, or the whole program's.
fn follow(stage: &Stage, text: &str) -> Result<Followed, CommandError> {
    let expression = Expression::parse(text).map_err(|e| CommandError::Invalid(e.to_string()))?;
    let scene = stage.scene();
    let frames = (scene.machine.depth() as u32).clamp(1, MOST_FRAMES);
    let mut failed = None;
    let mut hosts = Vec::new();
    let mut home = FramePoint {
        frame: 0,
        offset: CodeOffset(0),
        inlined: 0,
    };
    for frame in 0..frames {
        match scene.reading(&expression, frame) {
            Ok((reading, stop)) => {
                let local = |source: &Holder| matches!(source, Holder::Local { .. });
                if reading
                    .own
                    .iter()
                    .any(|source| matches!(source, Holder::Operand { .. }))
                {
                    return Err(CommandError::Invalid(format!(
                        "'{text}' is an operand: it has no course, but locals ($0), globals and memory have"
                    )));
                }
                if reading.read.iter().chain(&reading.own).any(local) {
                    hosts.extend(stage.info().function_at(stop.offset));
                }
                home = FramePoint { frame: 0, ..stop };
                failed = None;
                break;
            }
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    if let Some(error) = failed {
        let names = expression.names();
        let declaring = names
            .iter()
            .flat_map(|name| stage.info().functions_declaring(name));
        hosts = declaring.collect();
        if hosts.is_empty() {
            return Err(error);
        }
    }
    Ok(Followed {
        expression,
        hosts,
        home,
        seen: Seen::default(),
        calls: Vec::new(),
        curve: Curve::default(),
    })
}

/// Replays the path; whether all of it was looked at. The twin is somewhere on it afterwards.
fn follow_values(
    stage: &mut Stage,
    followed: &mut [Followed],
    stops: u32,
    observer: Observer<'_>,
) -> Result<bool, CommandError> {
    let tip = stage.history.tip();
    let places = course_places(stage, followed);
    if tip.steps <= WHOLE {
        match follow_part(
            stage,
            followed,
            &places,
            (Moment::START, tip),
            stops,
            observer,
        )? {
            Part::Whole => return Ok(true),
            Part::Paused => return Ok(false),
            Part::Cut => {}
        }
        for one in &mut *followed {
            one.calls.clear();
            one.curve = Curve::default();
        }
    }
    for part in 0..PARTS {
        let from = tip.steps / PARTS * part;
        let length = (WHOLE / PARTS).min(tip.steps / PARTS);
        let at = |steps| {
            let place = stage.history.tree().at_step(tip.place, steps)?;
            Some(Moment::of(place, steps))
        };
        let (Some(start), Some(end)) = (at(from), at(from + length)) else {
            continue;
        };
        let stops = stops / PARTS as u32;
        let followed_so_far = follow_part(stage, followed, &places, (start, end), stops, observer)?;
        let steps = stage.history.here().steps;
        for one in &mut *followed {
            one.calls.clear();
            one.curve.end(steps + 1);
        }
        if followed_so_far == Part::Paused {
            break;
        }
    }
    Ok(false)
}

fn course_places(stage: &Stage, followed: &[Followed]) -> Places {
    let mut hosts: Vec<FuncIdx> = followed.iter().flat_map(|one| one.hosts.clone()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let mut places = Places::default();
    if !hosts.is_empty() {
        // Calls end as well where what they throw is caught.
        places.code.extend(stage.program().module.catch_labels());
    }
    for host in hosts {
        let lines = stage.loaded.line_begins_of(host);
        if let Some(begin) = stage.program().module.instr_starts(host).next() {
            places.begins.push(begin);
            if lines.first().is_some_and(|line| *line != begin) {
                places.prologues.push(begin);
            }
        }
        places.returns.extend(stage.info().returns_of(host));
        places.code.extend(lines);
    }
    places
        .code
        .extend(places.begins.iter().chain(&places.returns));
    for list in [
        &mut places.code,
        &mut places.begins,
        &mut places.prologues,
        &mut places.returns,
    ] {
        list.sort_unstable();
        list.dedup();
    }
    places
}

fn follow_part(
    stage: &mut Stage,
    followed: &mut [Followed],
    places: &Places,
    (start, end): (Moment, Moment),
    stops: u32,
    observer: Observer<'_>,
) -> Result<Part, CommandError> {
    match stage.history.seek(start, observer) {
        Err(SeekError::Paused) => return Ok(Part::Paused),
        sought => sought?,
    }
    let scene = stage.scene();
    for one in &mut *followed {
        one.begin(scene, start.steps);
    }
    let mut armed = Stops::default();
    let part = follow_armed(stage, followed, places, &mut armed, end, stops, observer);
    stage.history.disarm(&armed);
    part
}

/// Goes on to `end`, with the VM told in `armed` where to stop.
fn follow_armed(
    stage: &mut Stage,
    followed: &mut [Followed],
    places: &Places,
    armed: &mut Stops,
    end: Moment,
    stops: u32,
    observer: Observer<'_>,
) -> Result<Part, CommandError> {
    for _ in 0..stops {
        at_code(stage, followed, places);
        if stage.history.here() >= end {
            return Ok(Part::Whole);
        }
        let watches = watches_of(followed);
        if armed.watches != watches || armed.code != places.code {
            stage.history.disarm(armed);
            *armed = Stops {
                code: places.code.clone(),
                watches,
                ..Stops::default()
            };
            stage.history.arm(armed);
        }
        let found = match stage.history.walk_armed(end, armed, None, observer) {
            // What was seen before is so.
            Err(SeekError::Paused) => return Ok(Part::Paused),
            found => found?,
        };
        if let Found::Watch(index) = found
            && let Some(watch) = armed.watches.get(index)
        {
            let scene = stage.scene();
            for one in &mut *followed {
                one.written(scene, *watch);
            }
        }
        if matches!(found, Found::Finished | Found::Trapped(_)) {
            return Ok(Part::Whole);
        }
        if observer(stage.progress("following values")) == Flow::Pause {
            return Ok(Part::Paused);
        }
    }
    Ok(Part::Cut)
}

/// Looks at the instruction that comes next.
fn at_code(stage: &Stage, followed: &mut [Followed], places: &Places) {
    let machine = &stage.history.twin().machine;
    let (depth, steps) = (machine.depth(), machine.steps());
    for one in &mut *followed {
        one.leave(depth, steps);
    }
    let location = machine.location();
    let Some(location) = location.filter(|at| places.code.binary_search(&at.offset).is_ok()) else {
        return;
    };
    let is_in = |list: &[CodeOffset]| list.binary_search(&location.offset).is_ok();
    let (enters, returns) = (is_in(&places.begins), is_in(&places.returns));
    let is_known = !is_in(&places.prologues);
    let scene = stage.scene();
    for one in followed
        .iter_mut()
        .filter(|one| one.hosts.contains(&location.func))
    {
        if enters {
            one.leave(depth - 1, steps);
        }
        if is_known {
            one.look_around(scene, depth);
        }
        if returns {
            one.leave(depth - 1, steps + 1);
        }
    }
}

/// How the look at a part of the path ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    Cut,
    Paused,
}

/// Everything that has to be watched, each once.
fn watches_of(followed: &[Followed]) -> Vec<Watch> {
    let calls = followed.iter().flat_map(|one| &one.calls);
    let watches = calls.flat_map(|call| call.own.iter().chain(&call.read).chain(&call.awaited));
    let mut list: Vec<Watch> = Vec::new();
    for watch in watches {
        if !list.contains(watch) {
            list.push(*watch);
        }
    }
    list
}

/// True if a write can meet both.
fn overlap(a: Watch, b: Watch) -> bool {
    match (a, b) {
        (
            Watch::Memory {
                memory,
                start,
                length,
            },
            Watch::Memory {
                memory: elsewhere,
                start: other,
                length: others,
            },
        ) => {
            memory == elsewhere
                && start < other.saturating_add(others)
                && other < start.saturating_add(length)
        }
        (a, b) => a == b,
    }
}

impl Followed {
    /// What is the program's has a value from the start.
    fn begin(&mut self, scene: Scene<'_>, steps: u64) {
        if !self.hosts.is_empty() {
            return;
        }
        self.calls = vec![Call::default()];
        self.look_around(scene, 0);
        if self.curve.steps.last() != Some(&steps) && self.curve.values.last() == Some(&None) {
            let value = self.calls.first().and_then(|call| call.last);
            self.curve.push(steps, value);
        }
    }

    /// Looks up what the value depends on, in the call whose frame is the innermost; the first time, the value counts if it
    /// cannot be from before.
    fn look_around(&mut self, scene: Scene<'_>, depth: usize) {
        if self.calls.last().is_none_or(|call| call.depth < depth) {
            self.calls.push(Call {
                depth,
                ..Call::default()
            });
        }
        let Some(call) = self.calls.last_mut() else {
            return;
        };
        let steps = scene.machine.steps();
        let found = match depth {
            0 => scene
                .reading_at(&self.expression, self.home)
                .map(|reading| (reading, self.home)),
            _ => scene.reading(&self.expression, 0),
        };
        let Ok((reading, stop)) = found else {
            call.forget();
            self.curve.end(steps);
            return;
        };
        call.depend_on(scene, &reading);
        self.seen = self.seen.max(reading.seen());
        if !call.in_scope {
            call.in_scope = true;
            call.awaited = scene.unset(&self.expression, stop);
        }
        if call.awaited.is_empty()
            && (call.last != reading.value || self.curve.values.last() == Some(&None))
        {
            call.last = reading.value;
            self.curve.push(steps, reading.value);
        }
    }

    /// Something that is watched was written.
    fn written(&mut self, scene: Scene<'_>, watch: Watch) {
        let (depth, steps) = (scene.machine.depth(), scene.machine.steps());
        self.leave(depth, steps);
        let Some(call) = self.calls.last_mut() else {
            return;
        };
        // The VM names one watch of those that a write meets.
        let met = |watches: &[Watch]| watches.iter().any(|own| overlap(*own, watch));
        let own = met(&call.own);
        if !own && !met(&call.read) && !met(&call.awaited) {
            return;
        }
        call.awaited.retain(|awaited| !overlap(*awaited, watch));
        let found = match call.depth {
            0 => scene.reading_at(&self.expression, self.home),
            own => {
                let frame = depth.saturating_sub(own) as u32;
                scene
                    .reading(&self.expression, frame)
                    .map(|(reading, _)| reading)
            }
        };
        let Ok(reading) = found else {
            return;
        };
        call.depend_on(scene, &reading);
        self.seen = self.seen.max(reading.seen());
        if call.awaited.is_empty() && (own || call.last != reading.value) {
            call.last = reading.value;
            self.curve.push(steps, reading.value);
        }
    }

    /// Why nothing is shown of it; nothing if there is something to show.
    fn why_none(&self, stage: &Stage) -> Option<String> {
        if self.curve.values.iter().any(Option::is_some) {
            return None;
        }
        let text = &self.expression;
        let is_blind = |host: &FuncIdx| stage.loaded.line_begins_of(*host).is_empty();
        Some(match self.seen {
            Seen::NoNumber => format!("what '{text}' is on this path is no number"),
            Seen::Number => format!("'{text}' is not written on this path"),
            Seen::Nothing if !self.hosts.is_empty() && self.hosts.iter().all(is_blind) => format!(
                "values are looked up where lines of the source begin, and {} has none: follow a local ($0), a global or \
                 *ADDRESS instead of '{text}'",
                stage.info().function(self.hosts[0]).name
            ),
            Seen::Nothing => format!("no call on this path has '{text}'"),
        })
    }

    /// Calls deeper than `depth` have ended before `steps`.
    fn leave(&mut self, depth: usize, steps: u64) {
        let before = self.calls.len();
        self.calls.retain(|call| call.depth <= depth);
        if self.calls.len() < before {
            self.curve.end(steps);
            // A call that goes on has the value that it had.
            if let Some(value) = self.calls.last().and_then(|call| call.last) {
                self.curve.push(steps, Some(value));
            }
        }
    }
}

impl Call {
    fn depend_on(&mut self, scene: Scene<'_>, reading: &Reading) {
        self.own = scene.watches_of(&reading.own);
        self.read = scene.watches_of(&reading.read);
        self.read.retain(|watch| !self.own.contains(watch));
    }

    /// What is followed is out of scope.
    fn forget(&mut self) {
        *self = Call {
            depth: self.depth,
            ..Call::default()
        };
    }
}
