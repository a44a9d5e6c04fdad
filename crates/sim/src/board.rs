//! The simulated board: hardware made of sources, models and a virtual clock.

use std::time::Instant;

use borges_board::{
    Action, Angle, Board, BoardState, Codomain, EventSource, Hardware, PrimitiveId, Reading,
    Restore, Sensor, Simulation, VecMap, WorldModel,
};
use borges_vm::{ValType, Value};
use borges_wasi::{Chosen, Wants, World};

use crate::{
    Environment, Metronome, Pace, random,
    source::{Running, edge_after, number},
};

/// Streams of chance that belong to no source.
const UNNAMED: u64 = 1 << 32;
const SLIP: u64 = 1 << 33;

/// A board that exists in this program only.
///
/// Its clock is what the program has waited plus what its steps took: a place in the program's history, not a count of
/// what a debugger did. So a jump back takes the clock along, and timed things happen again as they did. What is *not*
/// taken back is where scripts and noise stand: reading an input changes nothing outside (MIO), and the world goes on.
#[derive(Clone, Debug)]
pub struct SimBoard {
    environment: Environment,
    /// Our own, whoever describes the board to the stub: a description that came over a link says nothing of the outside.
    simulation: Simulation,
    /// One for each source of the board, in the same order.
    sources: Vec<Running>,
    steps: u64,
    /// How often anything was read that has no source, and how often motors have slipped.
    chances: u64,
    /// For each pin that may change by itself, the source that says when.
    changing: VecMap<u8, usize>,
    reported: Reported,
    /// What each clock of an operating system showed when it was read first.
    origins: [Option<u64>; 4],
    /// Since when those clocks go as the host's does, if they do.
    since: Option<Instant>,
    metronome: Metronome,
}

/// Up to which time events were already reported.
#[derive(Clone, Debug, Default)]
struct Reported {
    all: u64,
    /// Later times, for single sources.
    some: VecMap<EventSource, u64>,
}

impl SimBoard {
    /// A simulated board to which nothing has been done, at time 0.
    pub fn new(board: &Board) -> Self {
        let simulation = &board.simulation;
        SimBoard {
            environment: Environment::new(board),
            sources: simulation
                .sources
                .iter()
                .map(|(_, source)| Running::new(source.clone()))
                .collect(),
            simulation: simulation.clone(),
            steps: 0,
            chances: 0,
            changing: changing_pins(board),
            reported: Reported::default(),
            origins: [None; 4],
            since: None,
            metronome: Metronome::default(),
        }
    }

    /// The same with clocks of an operating system that go as the host's does, beginning now; else they go as the
    /// program takes steps.
    #[must_use]
    pub fn in_real_time(self) -> Self {
        Self {
            since: Some(Instant::now()),
            ..self
        }
    }

    /// The same with a clock that is kept to a pace.
    #[must_use]
    pub fn paced(self, pace: Pace) -> Self {
        Self {
            metronome: Metronome::new(pace),
            ..self
        }
    }

    /// The environment as it is now.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The time since the start, in microseconds.
    pub fn now_us(&self) -> u64 {
        let steps_us = u128::from(self.steps) * u128::from(self.simulation.step_ns) / 1000;
        self.environment
            .waited_us
            .saturating_add(u64::try_from(steps_us).unwrap_or(u64::MAX))
    }

    fn settle(&mut self) {
        let now_us = self.now_us();
        self.environment.settle(now_us);
    }

    /// Lets time pass while motors run.
    fn wait(&mut self, board: &Board, us: u64) {
        self.environment.waited_us = self.environment.waited_us.saturating_add(us);
        for i in 0..self.environment.motors.len() {
            let (speed, angle) = self.environment.motors[i];
            if speed != 0 {
                let travelled = self.slipping(board.travel(speed, us));
                self.environment.motors[i] = (speed, angle.plus(travelled));
            }
        }
    }

    /// What a motor really travels when it should travel so far.
    fn slipping(&mut self, microdegrees: i64) -> i64 {
        if self.simulation.motor_slip == 0 {
            return microdegrees;
        }
        self.chances += 1;
        let miss = (random::unit(self.simulation.seed, SLIP, self.chances) * 2.0 - 1.0)
            * f64::from(self.simulation.motor_slip)
            / 1000.0;
        microdegrees.saturating_add((microdegrees as f64 * miss) as i64)
    }

    fn turn(&mut self, board: &Board, motor: u8, speed: i32, degrees: i32) {
        self.environment.set_speed(motor, 0);
        self.wait(board, board.turning_time_us(speed, degrees));
        let travelled = self.slipping(Angle::from_degrees(degrees).0);
        if let Some((_, angle)) = self.environment.motors.get_mut(usize::from(motor)) {
            *angle = angle.plus(travelled);
        }
    }

    fn source_of(&self, id: PrimitiveId, args: &[Value]) -> Option<usize> {
        let mut sources = self.simulation.sources.iter();
        sources.position(|(of, _)| of.include(id, args))
    }

    /// The reading of a call that has a source.
    fn sourced(&mut self, calls: SensorCall<'_>) -> Option<Value> {
        let i = self.source_of(calls.id, calls.args)?;
        let (now_us, seed) = (self.now_us(), self.simulation.seed);
        self.sources
            .get_mut(i)
            .map(|running| running.read(calls.ty, now_us, seed, i as u64))
    }

    /// The reading of a call that looks at a model.
    fn modelled(&self, call: SensorCall<'_>) -> Option<Value> {
        let mut rooms = self.environment.rooms.iter();
        for model in &self.simulation.models {
            let room = if matches!(model, WorldModel::Room { .. }) {
                rooms.next()
            } else {
                None
            };
            match model {
                WorldModel::Disc {
                    motor,
                    sensor,
                    sectors,
                } if sensor.include(call.id, call.args) => {
                    let degrees = self.environment.angle(*motor).degrees().rem_euclid(360);
                    let sector = sectors
                        .iter()
                        .find(|s| degrees < i64::from(s.until_degrees))
                        .or(sectors.last())?;
                    return Some(sector.reading);
                }
                WorldModel::Room {
                    sensor,
                    reading_at_zero,
                    reading_per_degree,
                    ..
                } if sensor.include(call.id, call.args) => {
                    let temperature = room?.temperature(self.now_us());
                    return Some(number(
                        reading_at_zero + reading_per_degree * temperature,
                        call.ty,
                    ));
                }
                WorldModel::Light {
                    lamp,
                    sensor,
                    dark,
                    lit,
                } if sensor.include(call.id, call.args) => {
                    return Some(number(
                        dark + (lit - dark) * self.environment.power(*lamp),
                        call.ty,
                    ));
                }
                _ => {}
            }
        }
        None
    }

    /// What a pin reads if it has no source: the level at the other end of its wire, or its own.
    fn own_level(&self, pin: u8) -> bool {
        let wired = self.simulation.models.iter().find_map(|m| match m {
            WorldModel::Wire { from, to } if *to == pin => Some(*from),
            _ => None,
        });
        self.environment.level(wired.unwrap_or(pin))
    }

    /// Noise for what has no source: any value of its codomain.
    fn noise(&mut self, board: &Board, call: SensorCall<'_>) -> Value {
        self.chances += 1;
        let chance = random::bits(self.simulation.seed, UNNAMED, self.chances);
        let codomain = match board.codomain(call.id, call.args) {
            Codomain::NotBeforeLast(ty) => return number(self.now_us() as f64, ty),
            codomain => codomain,
        };
        let nth = codomain
            .count()
            .map_or(chance, |count| chance % count.max(1));
        codomain.nth(nth).unwrap_or(Value::default_of(call.ty))
    }

    /// The next event that was not reported yet, whether it has come or will come.
    fn next_event(&self) -> Option<(u64, EventSource)> {
        let pins = self
            .environment
            .interrupts
            .iter()
            .filter_map(|(pin, mode)| {
                let source = EventSource::Pin(*pin);
                let running = self.sources.get(*self.changing.get(pin)?)?;
                edge_after(&running.source, *mode, self.reported_until(source))
                    .map(|at| (at, source))
            });
        let timer = self.environment.timer_us.and_then(|period| {
            let period = u64::from(period.max(1));
            let after = self.reported_until(EventSource::Timer) / period;
            Some((
                after.checked_add(1)?.checked_mul(period)?,
                EventSource::Timer,
            ))
        });
        pins.chain(timer).min()
    }

    fn reported_until(&self, source: EventSource) -> u64 {
        self.reported
            .some
            .get(&source)
            .map_or(self.reported.all, |until| self.reported.all.max(*until))
    }

    /// Events of this source that have come until now do not count.
    fn forget_events(&mut self, source: EventSource) {
        let now_us = self.now_us();
        self.reported.some.set(source, Some(now_us));
    }

    /// The clock may have gone back: then what comes after it comes again.
    fn clock_changed(&mut self, then_us: u64) {
        let now_us = self.now_us();
        if now_us < then_us {
            self.reported = Reported {
                all: now_us,
                some: VecMap::new(),
            };
        }
        self.environment.settle(now_us);
    }
}

impl Hardware for SimBoard {
    fn at(&mut self, steps: u64) {
        let then_us = self.now_us();
        self.steps = steps;
        self.clock_changed(then_us);
    }

    fn sense(&mut self, board: &Board, reading: Reading<'_>) -> Value {
        let ty = reading.primitive.codomain.ty();
        let call = SensorCall {
            id: reading.id,
            args: reading.args,
            ty,
        };
        if reading.sensor == Sensor::Clock {
            return Value::I64(self.now_us() as i64);
        }
        self.settle();
        if let Some(value) = self.sourced(call).or_else(|| self.modelled(call)) {
            return value;
        }
        match reading.sensor {
            Sensor::Level(pin) => Value::I32(i32::from(self.own_level(pin))),
            _ => self.noise(board, call),
        }
    }

    fn fill(&mut self, reading: Reading<'_>, length: usize) -> Vec<u8> {
        let source = self.source_of(reading.id, reading.args);
        let running = source.and_then(|source| self.sources.get(source));
        if let Some(bytes) = running.and_then(Running::payload) {
            return bytes.to_vec();
        }
        let mut next = || {
            self.chances += 1;
            random::bits(self.simulation.seed, UNNAMED, self.chances) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    fn choose(&mut self, system: &World, wants: &Wants) -> Chosen {
        match (system.usual(wants), wants) {
            // Time passes as the program runs.
            (_, Wants::Time { clock, last }) => {
                let now_ns = match self.since {
                    Some(since) => u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX),
                    None => self.now_us().saturating_mul(1000),
                };
                let origin = self.origins[*clock as usize].get_or_insert(*last);
                Chosen::Later(origin.saturating_add(now_ns).saturating_sub(*last))
            }
            (usual, _) => usual,
        }
    }

    fn perform(&mut self, board: &Board, action: &Action<'_>) {
        self.settle();
        match *action {
            Action::Wait { us } => self.wait(board, us),
            Action::MotorFor { motor, speed, us } => {
                self.environment.set_speed(motor, speed);
                self.wait(board, us);
                self.environment.set_speed(motor, 0);
            }
            Action::MotorTurn {
                motor,
                speed,
                degrees,
            } => self.turn(board, motor, speed, degrees),
            Action::Subscribe { pin, .. } => self.forget_events(EventSource::Pin(pin)),
            Action::SubscribeTimer { .. } => self.forget_events(EventSource::Timer),
            _ => {}
        }
        self.environment.perform(board, action);
        self.settle();
    }

    fn settled(&mut self) -> bool {
        let now_us = self.now_us();
        let allowed = self.metronome.allows_us(now_us);
        allowed.is_none_or(|allowed| now_us <= allowed)
    }

    fn restore(&mut self, _board: &Board, restore: &Restore) {
        let then_us = self.now_us();
        self.environment.restore(restore);
        match restore {
            Restore::Interrupt { pin, .. } => self.forget_events(EventSource::Pin(*pin)),
            Restore::Timer(_) => self.forget_events(EventSource::Timer),
            _ => {}
        }
        self.clock_changed(then_us);
    }

    fn motor_angle(&mut self, motor: u8) -> Angle {
        self.environment.angle(motor)
    }

    fn pin_level(&mut self, pin: u8) -> bool {
        self.environment.level(pin)
    }

    fn lawful(
        &mut self,
        board: &Board,
        (id, args): (PrimitiveId, &[Value]),
        state: &BoardState,
        reading: Value,
    ) -> Value {
        if !board.narrows(id, args) {
            return reading;
        }
        let codomain = board.codomain_at(id, args, state);
        codomain.nearest(reading).unwrap_or(reading)
    }

    fn poll_event(&mut self) -> Option<EventSource> {
        let now_us = self.now_us();
        let (at, source) = self.next_event().filter(|(at, _)| *at <= now_us)?;
        // A timer that has fired several times in one delay has fired once; a pin's changes all count.
        let until = if source == EventSource::Timer {
            now_us
        } else {
            at
        };
        self.reported.some.set(source, Some(until));
        Some(source)
    }

    fn steps_to_event(&mut self) -> Option<u64> {
        let (at, _) = self.next_event()?;
        let missing_ns = u128::from(at.saturating_sub(self.environment.waited_us)) * 1000;
        // The first step count at which the clock shows that time.
        let steps = match self.simulation.step_ns {
            0 if at > self.now_us() => return None,
            0 => 0,
            step_ns => u64::try_from(missing_ns.div_ceil(u128::from(step_ns))).unwrap_or(u64::MAX),
        };
        Some(steps.saturating_sub(self.steps))
    }

    fn discard_events(&mut self) {
        self.reported = Reported {
            all: self.now_us(),
            some: VecMap::new(),
        };
    }
}

/// A call of an input.
#[derive(Clone, Copy)]
struct SensorCall<'a> {
    id: PrimitiveId,
    args: &'a [Value],
    ty: ValType,
}

/// The pins whose level changes by itself, with the place of the source that says when.
fn changing_pins(board: &Board) -> VecMap<u8, usize> {
    let mut changing = VecMap::new();
    for id in board.named("env", "chip_digital_read") {
        for pin in 0..=u8::MAX {
            let args = [Value::I32(i32::from(pin))];
            let source = board
                .simulation
                .sources
                .iter()
                .position(|(of, _)| of.include(id, &args));
            changing.set(pin, source);
        }
    }
    changing
}
