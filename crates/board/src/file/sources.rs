//! Sources and models in a board file.

use alloc::{format, vec::Vec};

use borges_vm::{ValType, Value};

use super::{
    item::{Item, Result, Section},
    sets::{answer_type, calls, value, values},
    text::{Number, Text, typed},
};
use crate::{
    Board, Calls, PrimitiveId, ReadingSource, Script, ScriptEnd, Sector, Shape, Simulation,
    Timeline, Wave, WorldModel,
};

const SOURCE_EXAMPLES: &str = "a number, { script = [1, 2, 3] }, { timeline = [\"2 s: 1\", \"2.1 s: 0\"] }, \
    { wave = \"sine\", low = 0, high = 4095, period = \"2 s\" } or { noise = [0, 4095] }";
const MODEL_KINDS: &str = "write \"disc\", \"room\", \"light\" or \"wire\"";

/// `[simulation]`: what goes for all of it.
pub(super) fn simulation(section: Option<Section<'_>>, board: &Board) -> Result<Simulation> {
    let mut simulation = Simulation::default();
    let Some(mut section) = section else {
        return Ok(simulation);
    };
    if let Some(seed) = section.int::<i64>("seed", i64::MIN..=i64::MAX)? {
        simulation.seed = seed as u64;
    }
    if let Some(step_ns) = section.int("step_ns", 0..=1_000_000_000)? {
        simulation.step_ns = step_ns;
    }
    if let Some(slip) = section.int("motor_slip", 0..=1000)? {
        simulation.motor_slip = slip;
    }
    if let Some(pins) = section.get("surprising_pins") {
        simulation.surprising_pins = super::pins(&pins, board)?;
    }
    section.finish()?;
    Ok(simulation)
}

/// `[sources]`: inputs and where their readings come from.
pub(super) fn sources(section: &Section<'_>, board: &Board) -> Result<Vec<(Calls, ReadingSource)>> {
    let mut list = Vec::new();
    for (key, item) in section.entries()? {
        for calls in calls_of_key(key, &item, board)? {
            let ty = answer_type(board, &calls);
            let filler = filler(board, &calls);
            list.push((calls, source(&item, ty, filler)?));
        }
    }
    Ok(list)
}

/// The calls that a key names: `"color_sensor(0)" = …`.
pub(super) fn calls_of_key(key: &str, item: &Item<'_>, board: &Board) -> Result<Vec<Calls>> {
    let mut text = Text::new(key);
    calls(&mut text, board)
        .and_then(|found| text.end("only an input can be a key here").map(|()| found))
        .map_err(|error| item.error(error.problem, error.hint))
}

fn calls_of(item: &Item<'_>, board: &Board) -> Result<Calls> {
    let source = item.text("color_sensor(0)")?;
    let mut text = Text::new(source);
    let found = calls(&mut text, board).and_then(|found| {
        text.end("only one input can stand here")?;
        Ok(found)
    });
    let found = found.map_err(|error| item.text_error(source, error))?;
    // A name with several types of result: the first will do, no sensor has several.
    found.into_iter().next().ok_or_else(|| {
        item.error(
            "there is no such input",
            "write one such as color_sensor(0)",
        )
    })
}

/// The input that some calls mean, if it puts bytes into memory.
fn filler<'b>(board: &'b Board, calls: &Calls) -> Option<Filler<'b>> {
    let id = *calls.primitives.first().filter(|id| board.fills(**id))?;
    let args: Option<Vec<Value>> = calls.args.iter().copied().collect();
    let args = args.unwrap_or_default();
    Some(Filler { board, id, args })
}

/// An input that puts bytes into memory, with the arguments of its calls where all are known.
struct Filler<'b> {
    board: &'b Board,
    id: PrimitiveId,
    args: Vec<Value>,
}

/// Values of a script, and the bytes that come with them: `[1, 2]`, or `["OK\r\n", 0]` of an input that brings bytes.
fn scripted(
    item: &Item<'_>,
    ty: ValType,
    filler: Option<Filler<'_>>,
) -> Result<(Vec<Value>, Vec<Vec<u8>>)> {
    let Some(Filler { board, id, args }) = filler else {
        return Ok((values(item, ty)?, Vec::new()));
    };
    let elements = item.array("[\"OK\"]")?;
    if elements.is_empty() {
        return Err(item.error(
            "the list is empty",
            "write at least one text, such as [\"OK\"]",
        ));
    }
    let mut both = (Vec::new(), Vec::new());
    for element in elements {
        let text = element.as_text().map(|text| text.as_bytes().to_vec());
        let number = match text {
            None => Some(value(&element, ty)?),
            Some(_) => None,
        };
        let yielded = board.yielding(id, &args, number, text).map_err(|misfit| {
            element.error(
                format!("the input cannot bring this: {misfit}"),
                "write another text",
            )
        })?;
        both.0.push(yielded.value);
        both.1.push(yielded.bytes.to_vec());
    }
    Ok(both)
}

fn source(item: &Item<'_>, ty: ValType, filler: Option<Filler<'_>>) -> Result<ReadingSource> {
    if !item.is_table() {
        let constant = value(item, ty).map_err(|error| match item.as_number() {
            Some(_) => error,
            None => item.expected(format!("write {SOURCE_EXAMPLES}")),
        })?;
        return Ok(ReadingSource::Constant(constant));
    }
    let mut section = item.section("{ script = [1, 2, 3] }")?;
    let source = if let Some(script) = section.get("script") {
        let (values, payloads) = scripted(&script, ty, filler)?;
        ReadingSource::Script(Script {
            values,
            payloads,
            end: script_end(section.get("then"), ty)?,
        })
    } else if let Some(changes) = section.get("timeline") {
        timeline(&mut section, &changes, ty)?
    } else if let Some(shape) = section.get("wave") {
        wave(&mut section, &shape)?
    } else if let Some(range) = section.get("noise") {
        noise(&mut section, &range)?
    } else {
        return Err(section.error("this is no source", format!("write {SOURCE_EXAMPLES}")));
    };
    section.finish()?;
    Ok(source)
}

fn script_end(item: Option<Item<'_>>, ty: ValType) -> Result<ScriptEnd> {
    let Some(item) = item else {
        return Ok(ScriptEnd::Hold);
    };
    match item.as_text() {
        Some("hold") => Ok(ScriptEnd::Hold),
        Some("repeat") => Ok(ScriptEnd::Repeat),
        Some(_) => Err(item.error(
            "no such end of a script",
            "write \"hold\", \"repeat\" or a value",
        )),
        None => value(&item, ty).map(ScriptEnd::Then),
    }
}

fn timeline(section: &mut Section<'_>, changes: &Item<'_>, ty: ValType) -> Result<ReadingSource> {
    let initial = section
        .get("initial")
        .map_or(Ok(Value::default_of(ty)), |item| value(&item, ty))?;
    let mut list: Vec<(u64, Value)> = Vec::new();
    for item in changes.array("[\"2 s: 1\", \"2.1 s: 0\"]")? {
        let (at, new) = change(&item, ty)?;
        if list.last().is_some_and(|(before, _)| *before > at) {
            return Err(item.error(
                "this is earlier than the one before",
                "put the changes in the order of time",
            ));
        }
        list.push((at, new));
    }
    let repeat_us = match section.get("repeat") {
        None => None,
        Some(item) => {
            let us = duration(&item)?;
            if list.last().is_some_and(|(last, _)| *last > us) || us == 0 {
                return Err(item.error(
                    "the timeline is longer than this",
                    "repeat it after its last change",
                ));
            }
            Some(us)
        }
    };
    Ok(ReadingSource::Timeline(Timeline {
        initial,
        changes: list,
        repeat_us,
    }))
}

/// One change: `"2 s: 1"`.
fn change(item: &Item<'_>, ty: ValType) -> Result<(u64, Value)> {
    let source = item.text("2 s: 1")?;
    let mut text = Text::new(source);
    let parsed = duration_in(&mut text).and_then(|at| {
        text.expect(&[":"], "write `:` and the value from then on")?;
        let new = text.value(ty)?;
        text.end("one change ends here; write another one as a text of its own")?;
        Ok((at, new))
    });
    parsed.map_err(|error| item.text_error(source, error))
}

fn wave(section: &mut Section<'_>, shape: &Item<'_>) -> Result<ReadingSource> {
    let names = "write \"sine\", \"square\", \"triangle\" or \"saw\"";
    let shape = match shape.as_text() {
        Some("sine") => Shape::Sine,
        Some("square") => Shape::Square,
        Some("triangle") => Shape::Triangle,
        Some("saw") => Shape::Saw,
        Some(_) => return Err(shape.error("no such wave", names)),
        None => return Err(shape.expected(names)),
    };
    let low = section.need("low", "0")?.float()?;
    let high_item = section.need("high", "4095")?;
    let high = ordered(low, &high_item)?;
    let period = section.need("period", "\"2 s\"")?;
    let period_us = duration(&period)?;
    if period_us == 0 {
        return Err(period.error("a wave without a period", "write a time such as \"2 s\""));
    }
    let phase_us = section.get("phase").map_or(Ok(0), |item| duration(&item))?;
    Ok(ReadingSource::Wave(Wave {
        shape,
        low,
        high,
        period_us,
        phase_us,
    }))
}

fn noise(section: &mut Section<'_>, range: &Item<'_>) -> Result<ReadingSource> {
    let ends = range.array("[0, 4095]")?;
    let [low, high] = ends.as_slice() else {
        return Err(range.error(
            "noise has two ends",
            "write the least and the greatest value: [0, 4095]",
        ));
    };
    let (low, high) = (low.float()?, ordered(low.float()?, high)?);
    let step = match section.get("step") {
        None => None,
        Some(item) => {
            let step = item.float()?;
            if step < 0.0 {
                return Err(item.error("a step cannot be negative", "write a positive number"));
            }
            Some(step)
        }
    };
    Ok(ReadingSource::Noise { low, high, step })
}

fn ordered(low: f64, high: &Item<'_>) -> Result<f64> {
    let value = high.float()?;
    if value < low {
        return Err(high.error(
            format!("{value} is less than {low}"),
            "write the least value first, then the greatest",
        ));
    }
    Ok(value)
}

/// A time, in microseconds: `"2 s"`.
pub(super) fn duration(item: &Item<'_>) -> Result<u64> {
    let source = item.text("2 s")?;
    let mut text = Text::new(source);
    let parsed =
        duration_in(&mut text).and_then(|us| text.end("the time could end here").map(|()| us));
    parsed.map_err(|error| item.text_error(source, error))
}

/// A time that comes next in a text, in microseconds.
pub(super) fn duration_in(text: &mut Text<'_>) -> super::text::Parsed<u64> {
    let hint = "write a time with its unit: \"2 s\", \"500 ms\", \"30 us\" or \"1 min\"";
    let mark = text.mark();
    let number = text.number(hint)?;
    let us = [("us", 1.0), ("ms", 1e3), ("s", 1e6), ("min", 6e7)]
        .into_iter()
        .find(|(unit, _)| text.take(&[unit]));
    let Some((_, us)) = us else {
        return Err(text.unexpected(hint));
    };
    let time = us
        * match number {
            Number::Int(n) => n as f64,
            Number::Float(x) => x,
        };
    // A year: past that, times are certainly a mistake.
    if !(0.0..=3.2e13).contains(&time) {
        return Err(text.error_since(
            mark,
            "this time is out of range".into(),
            "write one from 0 s to a year".into(),
        ));
    }
    Ok((time + 0.5) as u64)
}

/// `[[model]]`: things in the world.
pub(super) fn model(item: &Item<'_>, board: &Board) -> Result<WorldModel> {
    let mut section = item.section("[[model]]")?;
    let kind = section.need("kind", "\"disc\"")?;
    let model = match kind.as_text() {
        Some("disc") => disc(&mut section, board)?,
        Some("room") => room(&mut section, board)?,
        Some("light") => WorldModel::Light {
            lamp: pin(&mut section, "lamp", board)?,
            sensor: calls_of(&section.need("sensor", "\"chip_analog_read(0)\"")?, board)?,
            dark: section.need("dark", "100")?.float()?,
            lit: section.need("lit", "3000")?.float()?,
        },
        Some("wire") => WorldModel::Wire {
            from: pin(&mut section, "from", board)?,
            to: pin(&mut section, "to", board)?,
        },
        Some(_) => return Err(kind.error("no such model", MODEL_KINDS)),
        None => return Err(kind.expected(MODEL_KINDS)),
    };
    section.finish()?;
    Ok(model)
}

fn pin(section: &mut Section<'_>, key: &'static str, board: &Board) -> Result<u8> {
    section
        .need(key, "5")?
        .int(0..=i64::from(board.pins.min(256)) - 1)
}

fn disc(section: &mut Section<'_>, board: &Board) -> Result<WorldModel> {
    let motor = section
        .need("motor", "0")?
        .int(0..=i64::from(board.motors) - 1)?;
    let sensor = calls_of(&section.need("sensor", "\"color_sensor(0)\"")?, board)?;
    let ty = answer_type(board, &sensor);
    let example = "[[90, 1], [360, 5]]";
    let list = section.need("sectors", example)?;
    let mut sectors: Vec<Sector> = Vec::new();
    for item in list.array(example)? {
        let pair = item.array("[90, 1]")?;
        let [until, reading] = pair.as_slice() else {
            return Err(item.error(
                "a sector has two numbers",
                "write where it ends and what is read there: [90, 1]",
            ));
        };
        let start = sectors.last().map_or(0, |s| s.until_degrees);
        let until_degrees = until.int(i64::from(start) + 1..=360)?;
        sectors.push(Sector {
            until_degrees,
            reading: value(reading, ty)?,
        });
    }
    if sectors.last().is_none_or(|s| s.until_degrees != 360) {
        return Err(list.error(
            "the sectors do not make up a disc",
            "let the last one end at 360",
        ));
    }
    Ok(WorldModel::Disc {
        motor,
        sensor,
        sectors,
    })
}

fn room(section: &mut Section<'_>, board: &Board) -> Result<WorldModel> {
    let heater = pin(section, "heater", board)?;
    let sensor = calls_of(&section.need("sensor", "\"chip_analog_read(0)\"")?, board)?;
    let ambient = section.need("ambient", "18")?.float()?;
    let gain = section.need("gain", "12")?.float()?;
    let inertia = section.need("inertia", "\"30 s\"")?;
    let inertia_us = duration(&inertia)?;
    if inertia_us == 0 {
        return Err(inertia.error("a room without inertia", "write a time such as \"30 s\""));
    }
    let reading_at_zero = section
        .get("reading_at_zero")
        .map_or(Ok(0.0), |item| item.float())?;
    let reading_per_degree = section
        .get("reading_per_degree")
        .map_or(Ok(1.0), |item| item.float())?;
    Ok(WorldModel::Room {
        heater,
        sensor,
        ambient,
        gain,
        inertia_us,
        reading_at_zero,
        reading_per_degree,
    })
}

/// How to pick representative values: a name, `"8 evenly"`, `"20 random"`, or the values themselves.
pub(super) fn sampling(item: &Item<'_>, ty: ValType, seed: u64) -> Result<crate::Sampling> {
    use crate::Sampling;
    if item.is_array() {
        return values(item, ty).map(Sampling::Values);
    }
    let hint =
        "write \"boundaries\", \"8 evenly\", \"powers of two\", \"20 random\", or a list of values";
    let source = item.as_text().ok_or_else(|| item.expected(hint))?;
    let mut text = Text::new(source);
    let parsed = if text.take(&["boundaries"]) {
        Ok(Sampling::Boundaries)
    } else if text.take_all(&["powers", "of", "two"]) {
        Ok(Sampling::PowersOfTwo)
    } else {
        text.number(hint).and_then(|count| {
            let count = match typed(count, ValType::I32) {
                Some(Value::I32(count)) if (1..=65_536).contains(&count) => count as u32,
                _ => {
                    return Err(text.error_since(
                        0,
                        "so many values".into(),
                        "write 1 to 65536".into(),
                    ));
                }
            };
            if text.take(&["evenly"]) {
                return Ok(Sampling::Evenly(count));
            }
            text.expect(&["random"], hint)?;
            Ok(Sampling::Random { count, seed })
        })
    };
    parsed
        .and_then(|sampling| text.end(hint).map(|()| sampling))
        .map_err(|error| item.text_error(source, error))
}
