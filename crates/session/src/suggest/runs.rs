//! Plain runs before anything is solved: all inputs at their least, at their greatest, and at random, seeded. Where a
//! program traps after a great many inputs, that often finds it when no search comes so far.

use borges_board::Codomain;
use borges_concolic::{Budget, End, cell_of};
use borges_stub::{Halt, execute};
use borges_vm::{CodeOffset, Exit, Machine, Value};
use fastrand::Rng;

use super::inquiry::Inquiry;
use super::walk::Plain;
use crate::scene::Scene;

/// Runs at most.
const MOST_RUNS: u64 = 4000;
/// Instructions of a run, and its inputs.
const MOST_STEPS: u64 = 2_000_000;
const MOST_INPUTS: usize = 1000;
/// Stops of a run at which a condition does not hold.
const MOST_STOPS: u32 = 10_000;
/// Runs that are followed to see what they cover, and their inputs.
const SAMPLES: u64 = 16;
const SAMPLE_INPUTS: usize = 64;

/// How a run chooses its inputs.
#[derive(Clone, Copy, Debug)]
enum Style {
    /// Always the least value, or the greatest.
    Least,
    Most,
    /// Any value.
    Any,
    /// The least or the greatest.
    Limits,
    /// One of the first few.
    Small,
    /// Mostly what the last input answered.
    Steady,
}

impl Style {
    fn of(run: u64) -> Self {
        match run {
            0 => Style::Least,
            1 => Style::Most,
            _ => [Style::Any, Style::Limits, Style::Small, Style::Steady][(run % 4) as usize],
        }
    }

    fn choose(self, codomain: &Codomain, last: Option<Value>, random: &mut Rng) -> Option<Value> {
        let count = codomain.count().unwrap_or(u64::MAX);
        let last = last.filter(|value| codomain.contains(*value));
        let most = count.checked_sub(1)?;
        match (self, last) {
            (Style::Steady, Some(last)) if random.u8(..8) != 0 => Some(last),
            (Style::Least, _) => codomain.nth(0),
            (Style::Most, _) => codomain.nth(most),
            (Style::Limits, _) => codomain.nth(if random.bool() { 0 } else { most }),
            (Style::Small, _) => codomain.nth(random.u64(..count.min(16))),
            (Style::Any | Style::Steady, _) => codomain.nth(random.u64(..count)),
        }
    }
}

/// A run: what its inputs answered, and how it ended, if it did within its bounds.
struct Run {
    inputs: Vec<Value>,
    end: Option<End>,
    /// Where the program's own code stands, if it trapped: a library's trap has many reasons.
    own: Option<CodeOffset>,
}

impl Run {
    fn ends_like(&self, other: &Run) -> bool {
        (&self.end, self.own) == (&other.end, other.own)
    }
}

/// Runs a program from where a question is asked.
struct Runner<'r> {
    inquiry: &'r Inquiry,
    budget: &'r Budget<'r>,
    machine: Machine,
    most_inputs: usize,
}

impl Inquiry {
    /// Inputs, as cells, of runs that come to what is looked for: for each such end the fewest that were found.
    pub(super) fn runs_to_the_goal(&self, budget: &Budget<'_>) -> Vec<Vec<u64>> {
        let most = self.within.inputs.map_or(MOST_INPUTS, |n| n as usize);
        let mut runner = Runner::new(self, budget, most.min(MOST_INPUTS));
        let mut found: Vec<Run> = Vec::new();
        for number in 0..MOST_RUNS {
            if budget.is_spent() {
                break;
            }
            let run = runner.at_random(number);
            let reads = !run.inputs.is_empty();
            if run.end.as_ref().is_some_and(|end| self.goal.is_met(end)) {
                match found.iter_mut().find(|known| known.ends_like(&run)) {
                    Some(known) if known.inputs.len() <= run.inputs.len() => {}
                    Some(known) => *known = run,
                    None => found.push(run),
                }
            }
            // All runs without an input are the same.
            if !reads {
                break;
            }
        }
        let shortest = found.into_iter().map(|run| cells(&runner.shortened(run)));
        shortest.collect()
    }

    /// Inputs, as cells, of a few runs whatever they come to.
    pub(super) fn some_runs(&self, budget: &Budget<'_>) -> Vec<Vec<u64>> {
        let most = self.within.inputs.map_or(SAMPLE_INPUTS, |n| n as usize);
        let mut runner = Runner::new(self, budget, most.min(SAMPLE_INPUTS));
        let runs = (0..SAMPLES).map_while(|number| {
            (!budget.is_spent()).then(|| cells(&runner.at_random(number).inputs))
        });
        runs.collect()
    }
}

fn cells(inputs: &[Value]) -> Vec<u64> {
    inputs.iter().map(|value| cell_of(*value)).collect()
}

impl<'r> Runner<'r> {
    fn new(inquiry: &'r Inquiry, budget: &'r Budget<'r>, most_inputs: usize) -> Self {
        let mut machine = inquiry.start.machine.clone();
        let mut stops: Vec<CodeOffset> = inquiry.stops.clone();
        stops.extend(inquiry.goal.offsets());
        // They were resolved to instructions when the question was asked.
        let set = machine.set_breakpoints(&stops);
        debug_assert!(set.is_ok());
        Runner {
            inquiry,
            budget,
            machine,
            most_inputs,
        }
    }

    /// The run of this number: the same each time.
    fn at_random(&mut self, number: u64) -> Run {
        let style = Style::of(number);
        let mut random = Rng::with_seed(number);
        // Short runs are many, and shorter to read; the first two are as long as may be.
        let most = match number {
            0 | 1 => self.most_inputs,
            _ => self.most_inputs.min([16, 64, 256, 1000][random.usize(..4)]),
        };
        let (mut last, mut count) = (None, 0);
        self.run(&mut |codomain| {
            count += 1;
            if count > most {
                return None;
            }
            last = style.choose(codomain, last, &mut random);
            last
        })
    }

    fn with(&mut self, inputs: &[Value]) -> Run {
        let mut inputs = inputs.iter();
        self.run(&mut |_| inputs.next().copied())
    }

    fn run(&mut self, answer: &mut dyn FnMut(&Codomain) -> Option<Value>) -> Run {
        let inquiry = self.inquiry;
        let mut machine = self.machine.clone();
        let mut world = Plain::new(&inquiry.program, &inquiry.start, answer);
        let steps = inquiry.within.steps.unwrap_or(MOST_STEPS).min(MOST_STEPS);
        let until = machine.steps().saturating_add(steps);
        let mut end = None;
        for _ in 0..MOST_STOPS {
            let halt = execute(&mut machine, &inquiry.program, &mut world, until);
            let location = machine.location().map(|location| location.offset);
            end = match halt {
                Halt::Finished => Some(End::of_finished(&machine)),
                Halt::Trapped(trap) => Some(End::Trapped(trap, location)),
                Halt::Stop(Exit::Breakpoint(at)) if inquiry.holds_at_stop(&machine) => {
                    Some(End::Stopped(at))
                }
                Halt::Stop(Exit::Breakpoint(_)) if !self.budget.is_spent() => continue,
                _ => None,
            };
            break;
        }
        let inputs = world.given;
        let scene = Scene {
            program: &inquiry.program,
            info: &inquiry.info,
            machine: &machine,
        };
        let traps = matches!(end, Some(End::Trapped(..)));
        let own = traps.then(|| scene.own_offset());
        Run {
            inputs,
            end,
            own: own.flatten(),
        }
    }

    /// Fewer inputs with the same end, and simpler ones.
    fn shortened(&mut self, mut run: Run) -> Vec<Value> {
        let mut size = run.inputs.len();
        while size > 0 {
            let mut at = 0;
            while at < run.inputs.len() && !self.budget.is_spent() {
                let mut fewer = run.inputs.clone();
                fewer.drain(at..(at + size).min(fewer.len()));
                let shorter = self.with(&fewer);
                match shorter.ends_like(&run) {
                    true => run = shorter,
                    false => at += size,
                }
            }
            size /= 2;
        }
        for at in 0..run.inputs.len() {
            let mut simpler = run.inputs.clone();
            let Some(value) = simpler.get_mut(at) else {
                break;
            };
            *value = Value::default_of(value.ty());
            if self.budget.is_spent() {
                break;
            }
            let simpler = self.with(&simpler);
            if simpler.ends_like(&run) && simpler.inputs.len() <= run.inputs.len() {
                run = simpler;
            }
        }
        run.inputs
    }
}
