//! Sources at work: what a reading is, given the time and how often was read before.

use borges_board::{ReadingSource, Script, ScriptEnd, Shape, Timeline, Wave};
use borges_vm::{ValType, Value};

use crate::random;

/// A source and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    pub(crate) source: ReadingSource,
    /// How often it was read.
    reads: u64,
    /// What a random walk answered last.
    walk: Option<f64>,
}

impl Running {
    pub(crate) fn new(source: ReadingSource) -> Self {
        Running {
            source,
            reads: 0,
            walk: None,
        }
    }

    /// The bytes that came with the last reading, if the source says some.
    pub(crate) fn payload(&self) -> Option<&[u8]> {
        let ReadingSource::Script(script) = &self.source else {
            return None;
        };
        let place = place_in(script, self.reads.checked_sub(1)?).ok()?;
        script.payloads.get(place).map(Vec::as_slice)
    }

    /// The next reading, of type `ty`. `stream` tells sources with the same seed apart.
    pub(crate) fn read(&mut self, ty: ValType, now_us: u64, seed: u64, stream: u64) -> Value {
        let place = self.reads;
        self.reads += 1;
        match &self.source {
            ReadingSource::Constant(value) => as_type(*value, ty),
            ReadingSource::Script(script) => as_type(scripted(script, place), ty),
            ReadingSource::Timeline(timeline) => as_type(value_at(timeline, now_us), ty),
            ReadingSource::Wave(wave) => number(wave_at(wave, now_us), ty),
            ReadingSource::Noise { low, high, step } => {
                let chance = random::unit(seed, stream, place);
                let (mut low, mut high) = (*low, *high);
                if let (Some(step), Some(last)) = (step, self.walk) {
                    (low, high) = (low.max(last - step), high.min(last + step));
                }
                let drawn = match ty {
                    // Every integer between the bounds is as likely as any other.
                    ValType::I32 | ValType::I64 => {
                        let (low, high) = (libm::ceil(low), libm::floor(high));
                        (low + libm::floor(chance * (high - low + 1.0))).min(high)
                    }
                    _ => low + chance * (high - low),
                };
                self.walk = Some(drawn);
                number(drawn, ty)
            }
        }
    }
}

/// The place in a script that a read takes; the value behind its end if it has one.
fn place_in(script: &Script, place: u64) -> Result<usize, Value> {
    let length = script.values.len() as u64;
    let place = match script.end {
        _ if place < length => place,
        ScriptEnd::Hold => length.saturating_sub(1),
        ScriptEnd::Repeat => place.checked_rem(length).unwrap_or(0),
        ScriptEnd::Then(value) => return Err(value),
    };
    Ok(place as usize)
}

fn scripted(script: &Script, place: u64) -> Value {
    match place_in(script, place) {
        Ok(place) => script.values.get(place).copied().unwrap_or(Value::I32(0)),
        Err(value) => value,
    }
}

/// The value of a timeline at a time.
pub(crate) fn value_at(timeline: &Timeline, now_us: u64) -> Value {
    let now_us = timeline
        .repeat_us
        .and_then(|repeat| now_us.checked_rem(repeat))
        .unwrap_or(now_us);
    let past = timeline.changes.partition_point(|(at, _)| *at <= now_us);
    past.checked_sub(1)
        .and_then(|i| timeline.changes.get(i))
        .map_or(timeline.initial, |(_, value)| *value)
}

/// When a pin with this source first changes after a time, in the way that a subscription asks for: 2 falling, 3
/// rising, any other number both.
pub(crate) fn edge_after(source: &ReadingSource, mode: i32, mut after_us: u64) -> Option<u64> {
    // If none of so many changes is of the right kind, none ever will be.
    let attempts = match source {
        ReadingSource::Timeline(timeline) => 2 * timeline.changes.len() + 2,
        ReadingSource::Wave(wave) if wave.shape == Shape::Square => 4,
        _ => return None,
    };
    for _ in 0..attempts {
        let at = change_after(source, after_us)?;
        let high = |time| match source {
            ReadingSource::Timeline(timeline) => is_high(value_at(timeline, time)),
            ReadingSource::Wave(wave) => is_high(number(wave_at(wave, time), ValType::I32)),
            _ => false,
        };
        match (high(at - 1), high(at), mode) {
            (false, true, 2) | (true, false, 3) => {}
            (before, now, _) if before != now => return Some(at),
            _ => {}
        }
        after_us = at;
    }
    None
}

/// The next time, at least 1, at which a source may change.
fn change_after(source: &ReadingSource, after_us: u64) -> Option<u64> {
    match source {
        ReadingSource::Timeline(timeline) => {
            let round = timeline.repeat_us.filter(|r| *r > 0);
            let start = round.map_or(0, |r| after_us / r * r);
            let first_after = |start: u64| {
                timeline
                    .changes
                    .iter()
                    .map(|(at, _)| start.saturating_add(*at))
                    .find(|at| *at > after_us)
            };
            let next_round = round.and_then(|r| start.checked_add(r));
            first_after(start).into_iter().chain(next_round).min()
        }
        ReadingSource::Wave(wave) => {
            let period = wave.period_us.max(1);
            let phase = (u128::from(after_us) + u128::from(wave.phase_us)) % u128::from(period);
            let phase = phase as u64;
            let half = period.div_ceil(2);
            after_us.checked_add(if phase < half {
                half - phase
            } else {
                period - phase
            })
        }
        _ => None,
    }
}

fn is_high(value: Value) -> bool {
    value != Value::default_of(value.ty())
}

fn wave_at(wave: &Wave, now_us: u64) -> f64 {
    let period = wave.period_us.max(1);
    let phase = ((u128::from(now_us) + u128::from(wave.phase_us)) % u128::from(period)) as f64
        / period as f64;
    let height = match wave.shape {
        Shape::Sine => 0.5 + 0.5 * libm::sin(phase * core::f64::consts::TAU),
        Shape::Square => f64::from(u8::from(phase >= 0.5)),
        Shape::Triangle => 1.0 - libm::fabs(2.0 * phase - 1.0),
        Shape::Saw => phase,
    };
    wave.low + height * (wave.high - wave.low)
}

/// A number as a value: integers are rounded.
pub(crate) fn number(v: f64, ty: ValType) -> Value {
    match ty {
        ValType::I32 => Value::I32(libm::round(v) as i32),
        ValType::I64 => Value::I64(libm::round(v) as i64),
        ValType::F32 => Value::F32((v as f32).to_bits()),
        ValType::F64 => Value::F64(v.to_bits()),
        ValType::FuncRef | ValType::ExternRef | ValType::V128 | ValType::ExnRef => {
            Value::default_of(ty)
        }
    }
}

/// A value as another type, where that makes sense: a board file may write `1` for a float.
fn as_type(value: Value, ty: ValType) -> Value {
    match value {
        _ if value.ty() == ty => value,
        Value::I32(v) => number(f64::from(v), ty),
        Value::I64(v) => number(v as f64, ty),
        Value::F32(v) => number(f64::from(f32::from_bits(v)), ty),
        Value::F64(v) => number(f64::from_bits(v), ty),
        Value::FuncRef(_) | Value::ExternRef(_) | Value::V128(_) | Value::ExnRef(_) => {
            Value::default_of(ty)
        }
    }
}
