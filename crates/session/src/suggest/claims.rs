//! Temporal formulas about device programs: whether all runs fulfil one, for ever.

use std::path::Path;

use borges_board::Codomain;
use borges_concolic::{DeviceState, End, Explored, Passing, Path as RunPath, Watched};
use borges_multiverse::graph::{EdgeId, NodeId};
use borges_multiverse::temporal::{Claim, Fairness, Formula, Run, Truth, must};
use borges_stub::{Answer, Call, Halt, World, execute};

use super::Subject;
use super::conditions::Conditions;
use super::exploring::{Effort, Found, MOST_DIVISIONS, subject_of, tidying, within};
use super::options::{StatesOptions, wrong};
use super::walk::{Plain, Walk};
use crate::command::proof::{ClaimReport, Proved, SuggestedInput};
use crate::command::{Event, Flow};
use crate::program::OpenError;

/// What is said of a run that goes through the same states for ever, and never with the same values again.
const NEVER_THE_SAME: &str =
    "it goes on like this for ever, with other values in each round: those of one are shown";
/// Rounds of a cycle that are run, to see whether it closes.
const ROUNDS: usize = 4;

/// Asks whether all runs of a program fulfil a formula, over all inputs for ever. Its atoms are conditions: expressions of
/// the source, which are looked at wherever the program reads an input or lets time pass, and before the calls that they
/// name.
///
/// # Errors
/// [`OpenError`]: the program does not open, or the formula means nothing.
pub fn check_program(
    path: &Path,
    board: Option<&Path>,
    formula: &str,
    options: &StatesOptions,
    observer: &mut dyn FnMut(Event) -> Flow,
) -> Result<ClaimReport, OpenError> {
    let subject = subject_of(path, board, options)?;
    let asked = Asked::of(formula).map_err(|message| wrong(path, message))?;
    let conditions = Conditions::new(&subject, &asked.texts);
    let conditions = conditions.map_err(|message| wrong(path, message))?;
    within(options, observer, 80, |effort| {
        checked(&subject, (&asked, &conditions), options, effort).map(|found| found.0)
    })
}

/// A formula whose atoms are texts.
pub(super) struct Asked {
    text: String,
    claim: Claim<u32>,
    /// The conditions that are its atoms.
    pub(super) texts: Vec<String>,
}

impl Asked {
    /// # Errors
    /// Why it is no formula.
    pub(super) fn of(formula: &str) -> Result<Self, String> {
        let mut texts: Vec<String> = Vec::new();
        let claim = Claim::parse(formula, |text| {
            let text = text.trim();
            let known = texts.iter().position(|known| known == text);
            let number = known.unwrap_or_else(|| {
                texts.push(text.to_owned());
                texts.len() - 1
            });
            Ok::<_, std::convert::Infallible>(number as u32)
        });
        Ok(Asked {
            text: formula.to_owned(),
            claim: claim.map_err(|error| error.to_string())?,
            texts,
        })
    }
}

/// Whether a text is a formula that is about more than one state.
pub(super) fn is_temporal(text: &str) -> bool {
    fn goes_on(formula: &Formula<u32>) -> bool {
        match formula {
            Formula::Constant(_) | Formula::Atom(_) => false,
            Formula::Not(inner) => goes_on(inner),
            Formula::And(both) | Formula::Or(both) => goes_on(&both.0) || goes_on(&both.1),
            Formula::Next(_) | Formula::Until(_) => true,
        }
    }
    Asked::of(text).is_ok_and(|asked| goes_on(&asked.claim.formula))
}

/// Whether all runs of a program fulfil a formula, and a run that does not.
pub(super) fn checked(
    subject: &Subject,
    (asked, conditions): (&Asked, &Conditions<'_>),
    options: &StatesOptions,
    effort: &Effort<'_>,
) -> Result<(ClaimReport, Option<Explored>), OpenError> {
    let mut found = Found::explore(subject, (conditions, true), options, effort)?;
    let mut judged = found.judged(conditions, &asked.claim, &|_| false);
    // Where values are told apart, fewer ways are open to some of them only.
    let mut rounds = 0..MOST_DIVISIONS;
    while judged.is_open && rounds.next().is_some() && found.divide(options, effort) {
        judged = found.judged(conditions, &asked.claim, &|_| false);
    }
    let runs = judged.run.take().into_iter().collect();
    let explored = found.graph.language().explored(runs);
    let report = ClaimReport {
        about: subject.named(),
        formula: asked.text.clone(),
        verdict: judged.verdict,
        prefix: judged.prefix,
        cycle: judged.cycle,
        end: judged.end,
        note: judged.note,
        states: found.states(),
        edges: found.graph.edge_count(),
        partial: found.graph.partial().len(),
        maybe: found.maybe(),
        unexplored: found.unexplored,
        seconds: effort.seconds(),
    };
    Ok((report, explored))
}

/// The atoms of states that are no conditions: the program stops there, and it has stopped before.
const STOPS: u32 = u32::MAX;
const HAS_BEGUN: u32 = u32::MAX - 1;
/// The program has ended in a way that is asked for.
const ENDED: u32 = u32::MAX - 2;

/// A formula about runs from their first stop on, in which interrupts do not keep the program from stopping again.
fn of_stops(formula: Formula<u32>) -> Formula<u32> {
    let begun = || Formula::Atom(HAS_BEGUN);
    let from_there = begun().negated().until(begun().and(formula));
    let goes_on = Formula::Atom(STOPS).eventually().always();
    goes_on.implies(from_there)
}

/// What came of a formula.
struct Judged {
    verdict: Proved,
    prefix: Vec<SuggestedInput>,
    cycle: Vec<SuggestedInput>,
    end: Option<String>,
    note: Option<String>,
    run: Option<RunPath>,
    /// It may be the program's or not: that some values only take its ways is all that speaks against it.
    is_open: bool,
}

impl Judged {
    fn without_run(verdict: Proved, note: Option<String>) -> Self {
        Judged {
            verdict,
            prefix: Vec::new(),
            cycle: Vec::new(),
            end: None,
            note,
            run: None,
            is_open: false,
        }
    }
}

impl Found<'_> {
    /// Whether all runs come to one of these ends some time: nothing if that is not known for ever. `conditions`, by which
    /// states were told apart, are none.
    pub(super) fn all_come_to(
        &self,
        conditions: &Conditions<'_>,
        is_asked: &dyn Fn(&End) -> bool,
    ) -> Option<bool> {
        let claim = Claim {
            fairness: Fairness::None,
            formula: Formula::Atom(ENDED).eventually(),
        };
        match self.judged(conditions, &claim, is_asked).verdict {
            Proved::Holds => Some(true),
            Proved::Fails => Some(false),
            Proved::Maybe | Proved::Unknown => None,
        }
    }

    fn judged(
        &self,
        conditions: &Conditions<'_>,
        claim: &Claim<u32>,
        is_asked: &dyn Fn(&End) -> bool,
    ) -> Judged {
        if let Some((text, why)) = conditions.troubles().next() {
            let note = format!("{text} has a value in none of the states: {why}");
            return Judged::without_run(Proved::Unknown, Some(note));
        }
        let holds = |atom: &u32, state: &DeviceState| match *atom {
            STOPS => !state.is_moment(),
            HAS_BEGUN => state.truths().have_begun(),
            ENDED => state.end().is_some_and(is_asked),
            number => state.truths().of(number) == Some(true),
        };
        let states = || self.graph.nodes().filter_map(|node| self.graph.state(node));
        let formula = match states().any(DeviceState::is_moment) {
            true => of_stops(claim.formula.clone()),
            false => claim.formula.clone(),
        };
        let mut goes_on = || !self.budget.is_spent();
        let truth = must(&self.graph, &formula, claim.fairness, holds, &mut goes_on);
        let mut numbers = 0..conditions.count();
        let unclear =
            numbers.find(|number| states().any(|state| state.truths().is_unclear(*number)));
        match truth {
            _ if let Some(number) = unclear => {
                let note = format!(
                    "{}: {}",
                    conditions.text(number),
                    conditions.unclear(number)
                );
                Judged::without_run(Proved::Maybe, Some(note))
            }
            Truth::Yes(_) if self.holds_all() => Judged::without_run(Proved::Holds, None),
            Truth::Yes(_) | Truth::Unknown | Truth::No(None) => {
                Judged::without_run(Proved::Unknown, None)
            }
            Truth::No(Some(run)) => self.broken_by(conditions, (&run, true)),
            Truth::Maybe(run) => self.broken_by(conditions, (&run, false)),
        }
    }

    /// What a run of the graph that breaks a formula says: one of the program does, or perhaps none. If all of its ways are
    /// open to all values of their states, some does for ever, whether or not it comes back to a state.
    fn broken_by(&self, conditions: &Conditions<'_>, run: (&Run, bool)) -> Judged {
        if self.graph.language().has_clocks()
            && let Some((judged, _)) = self.confirmed(conditions, run, Passing::AUnit)
        {
            return judged;
        }
        let (is_open, note) = match self.confirmed(conditions, run, Passing::Nothing) {
            Some((judged, true)) => return judged,
            Some((_, false)) => (
                false,
                "it does not hold if clocks stand still for ever; no other run was found that breaks it",
            ),
            None => (
                true,
                "states that several values stand for have such a run; none was found that the program takes",
            ),
        };
        Judged {
            is_open,
            ..Judged::without_run(Proved::Maybe, Some(note.to_owned()))
        }
    }

    /// A run of the graph as one of the program, if it is one: made on the plain VM, it is as the states say, and comes
    /// back to a state that it was in if it goes round; and whether time passes for ever, if it is for clocks to tell.
    fn confirmed(
        &self,
        conditions: &Conditions<'_>,
        (run, is_whole): (&Run, bool),
        passing: Passing,
    ) -> Option<(Judged, bool)> {
        let to = |edge: &EdgeId| Some(self.graph.edge(*edge)?.to);
        let stem: Vec<NodeId> = run.stem.iter().filter_map(to).collect();
        let cycle: Vec<NodeId> = run.cycle.iter().filter_map(to).collect();
        let rounds = if cycle.is_empty() { 0 } else { ROUNDS };
        let stem = std::iter::once(NodeId::ROOT).chain(stem);
        let nodes = stem.chain(std::iter::repeat_n(&cycle, rounds).flatten().copied());
        let states: Vec<DeviceState> = nodes
            .filter_map(|node| self.graph.state(node).cloned())
            .collect();
        let tidying = tidying(self.budget);
        let path = self
            .graph
            .language()
            .run_through(&states, passing, &tidying)?;
        let walk = Walk::of(&path)?;
        let stood = self.stood(conditions, &walk)?;
        let is_as_said =
            |(stood, state): (&Stood, &DeviceState)| stood.state.truths() == state.truths();
        let stops = states.iter().filter(|state| !state.is_moment());
        let is_so = stood.len() == stops.clone().count() && stood.iter().zip(stops).all(is_as_said);
        if !is_so {
            return None;
        }
        let inputs = self.subject.reads(&walk);
        let broken = Judged {
            run: Some(path.clone()),
            ..Judged::without_run(Proved::Fails, None)
        };
        if cycle.is_empty() {
            let judged = Judged {
                prefix: inputs,
                end: run
                    .stem
                    .last()
                    .and_then(to)
                    .and_then(|node| self.place(node)),
                ..broken
            };
            return Some((judged, true));
        }
        let has_clocks = self.graph.language().has_clocks();
        if !is_whole && !self.graph.language().maybe().is_empty() {
            // What was taken for anything may be what a real run does not come back to.
            return None;
        }
        let is_stop = |node: &&NodeId| {
            self.graph
                .state(**node)
                .is_some_and(|state| !state.is_moment())
        };
        let around = cycle.iter().filter(is_stop).count();
        if around == 0 {
            return None;
        }
        let found = Stood::again(&stood, (around, rounds), is_whole && !has_clocks);
        let (first, again, closes) = found?;
        let judged = Judged {
            note: (!closes).then(|| NEVER_THE_SAME.to_owned()),
            prefix: inputs.get(..first.choices)?.to_vec(),
            cycle: inputs.get(first.choices..again.choices)?.to_vec(),
            ..broken
        };
        let passes = !has_clocks || first.shown_us < again.shown_us;
        Some((judged, passes))
    }

    /// Where a plain run stands on its way, wherever states are looked at; nothing if it does not come true.
    fn stood(&self, conditions: &Conditions<'_>, walk: &Walk<'_>) -> Option<Vec<Stood>> {
        let subject = self.subject;
        let mut machine = subject.start.machine.clone();
        let mut answers = walk.answers.iter();
        let mut answer = |_: &Codomain| answers.next().copied();
        let mut world = Halting {
            plain: Plain::new(&subject.program, &subject.start, &mut answer),
            conditions,
            passes: None,
        };
        let mut events = walk.path.events.iter().peekable();
        let mut arrived = 0;
        let mut stood = Vec::new();
        loop {
            let next = events.peek().map(|event| event.step);
            let until = next.unwrap_or(u64::MAX).min(walk.path.steps + 1);
            let halt = execute(&mut machine, &subject.program, &mut world, until);
            if halt == Halt::Until && next == Some(machine.steps()) {
                arrived += 1;
                if !events.next()?.event.enter(&mut machine) {
                    return None;
                }
                continue;
            }
            if halt == Halt::Until && next.is_none() {
                // It was to come to a moment for events, and has.
                return Some(stood);
            }
            let has_ended = matches!(halt, Halt::Finished | Halt::Trapped(_));
            if !has_ended && (halt != Halt::Left || world.passes == Some(machine.steps())) {
                return None;
            }
            world.passes = Some(machine.steps());
            stood.push(Stood {
                state: self
                    .graph
                    .language()
                    .state_of(&machine, world.plain.state())?,
                choices: world.plain.given.len() + arrived,
                shown_us: world.plain.state().clock_floor_us(),
            });
            if has_ended || machine.steps() >= walk.path.steps {
                return Some(stood);
            }
        }
    }
}

/// Where a plain run stood.
struct Stood {
    state: DeviceState,
    /// Inputs read and events arrived by then.
    choices: usize,
    /// What clocks showed by then, in microseconds.
    shown_us: u64,
}

impl Stood {
    /// Where a run that went round so many times stood, and where it stood so again: whether that is the same state, which
    /// it need not be if it `goes_on` anyway.
    fn again(
        stood: &[Self],
        (around, rounds): (usize, usize),
        goes_on: bool,
    ) -> Option<(&Self, &Self, bool)> {
        let heads: Vec<&Self> = (0..=rounds)
            .rev()
            .filter_map(|round| stood.len().checked_sub(1 + round * around))
            .filter_map(|at| stood.get(at))
            .collect();
        let closes = heads.iter().enumerate().find_map(|(at, first)| {
            let mut later = heads.get(at + 1..)?.iter();
            Some((*first, *later.find(|again| again.state == first.state)?))
        });
        match (closes, heads.as_slice()) {
            (Some((first, again)), _) => Some((first, again, true)),
            (None, [.., first, again]) if goes_on => Some((first, again, false)),
            _ => None,
        }
    }
}

/// A plain run that halts wherever states are looked at.
struct Halting<'h, 'p> {
    plain: Plain<'p>,
    conditions: &'h Conditions<'h>,
    /// The step at which it stands halted: the call there goes through.
    passes: Option<u64>,
}

impl World for Halting<'_, '_> {
    fn input(&mut self, call: &Call<'_>) -> Answer {
        self.plain.input(call)
    }

    fn output(&mut self, call: &Call<'_>) -> Answer {
        self.plain.output(call)
    }

    fn system(&mut self, call: &Call<'_>) -> Answer {
        self.plain.system(call)
    }

    fn stops_before(&mut self, call: &Call<'_>) -> bool {
        let is_stop = || self.conditions.is_looked_at(call) || self.plain.chooses(call);
        self.passes != Some(call.steps) && is_stop()
    }
}
