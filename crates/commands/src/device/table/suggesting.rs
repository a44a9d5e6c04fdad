//! Questions about the futures of the universe shown.

use borges_session::command::Look;
use borges_session::command::surveying::StatesSurvey;
use borges_session::suggest::{Demand, Demanded, Destination, Order, Question, Within};

use super::{PLACES, Request};
use crate::arguments::{code_place, large, seconds, small, words_until};
use crate::cursor::{Cursor, Misread, Word};
use crate::surveying::Syntax;
use crate::table::{Completes, Spec};
use crate::words::{check, explore};

const BOUNDS: &str = "BOUNDS say how far to look: inputs=4 (on a path), events=1 (interrupts on a path), steps=10000000, paths=1000, rounds=3 (of each \
loop), stdin=8 (bytes of standard input that may be anything), faults=1 (calls of an operating system that fail), time=10 (seconds), stop=PLACE (paths end there), order=depth|breadth|coverage|random, selects (a select is a \
branch), solver=none|z3|bitwuzla|cvc5. What a bound cuts off is said. Ctrl-C ends the search: what was found is kept.";

/// The bounds as they are typed: a value follows where there is a sign for it.
const BOUND_WORDS: &[&str] = &[
    "inputs=", "events=", "steps=", "paths=", "rounds=", "stdin=", "faults=", "pieces=", "time=",
    "stop=", "order=", "selects", "solver=",
];

const SURVEY: &str = "As 'explore' says it, from here on: but of a state only a digest is kept, so this ends where a graph has no room, and \
says how probable it is that two states were taken for one. BOUNDS: states=1000000, depth=50 (steps from here), time=60 \
(seconds), cores=2 (without it, all), bits=128 (of a digest; 64 if nothing is said), events=0 (leave out interrupts), \
faults=1 (of WASI: calls may fail), pieces=1 (standard input one by one), solver=none|z3|bitwuzla|cvc5; at the program's start checkpoint=FILE (kept there too, for 'borges explore --resume FILE'), \
every=300 (seconds); resume=FILE (goes on with what was kept there, with its own conditions, and is kept there again). Ctrl-C \
or a bound ends it: what was found is said.";

/// The same for surveys.
const SURVEY_WORDS: &[&str] = &[
    "never",
    "always",
    "toward",
    "states=",
    "depth=",
    "time=",
    "cores=",
    "bits=",
    "events=",
    "faults=",
    "pieces=",
    "solver=",
    "checkpoint=",
    "every=",
    "resume=",
];

const SURVEYS: Syntax = Syntax {
    goals: DEMANDS,
    missing: "a condition, for example 'speed > 3'",
    words: SURVEY_WORDS,
};

const WORDS: Completes = Completes::Words(BOUND_WORDS);

pub(super) const COMMANDS: &[Spec<Request>] = &[
    Spec::new(
        "paths",
        "what else can happen from here: inputs that lead to every path",
        |cursor| ask(cursor, |_| Ok(Question::Paths)),
    )
    .arguments("[BOUNDS]")
    .details(BOUNDS)
    .examples(&[
        ("paths", "all paths of up to four inputs"),
        ("paths inputs=1", "what the next input decides"),
    ])
    .completes(&[WORDS]),
    Spec::new(
        "reach",
        "inputs that lead to a place, a condition or a trap, shortest first",
        |cursor| ask(cursor, |cursor| Ok(Question::Reach { target: target(cursor)? })),
    )
    .arguments("PLACE [if CONDITION] | if CONDITION | trap [NAME] [BOUNDS]")
    .details("PLACE is as for 'break'. A condition without a place is looked at where lines begin. 'jump' goes to what \
was found.")
    .examples(&[
        ("reach 28", "inputs with which line 28 is executed"),
        ("reach calibrate if reading > 4000", "with which it is called, and this holds"),
        ("reach if darkest == brightest", "with which this holds anywhere"),
        ("reach trap divide", "with which a division traps"),
    ])
    .completes(PLACES),
    Spec::new(
        "bugs",
        "traps and failed assertions ahead, each with the fewest inputs that lead there",
        |cursor| ask(cursor, |_| Ok(Question::Bugs)),
    )
    .arguments("[BOUNDS]")
    .details(BOUNDS)
    .examples(&[("bugs inputs=6", "within six inputs")])
    .completes(&[WORDS]),
    explore(|cursor| ask(cursor, |cursor| Ok(Question::States { demands: demands(cursor)? })))
    .arguments("[never|always|toward CONDITION]... [BOUNDS]")
    .details("From here on, over all inputs for ever: which traps there are, what never and what always holds. A condition \
is an expression of the source, or a call: 'chip_digital_write(13, 1)' holds before it. Of the \
bounds, time=, events=0 (leave out interrupts) and solver= count, and of programs of an operating system faults=1 (any \
call may fail, any number of times) and pieces=N (standard input comes in pieces of at most N bytes). What is said is so for ever, or comes with a shortest \
run; 'jump' goes to its end.")
    .examples(&[
        ("explore", "whether any universe ever traps"),
        ("explore never heat && door", "whether both ever hold together"),
    ])
    .completes(&[WORDS]),
    check(|cursor| ask(cursor, |cursor| Ok(Question::Check { formula: condition(cursor)? })))
    .arguments("FORMULA [BOUNDS]")
    .details("All runs from here. G always, F some time, X next, U until, R release, !, &, |, ->; conditions are as for 'explore'. A run that \
breaks it is shown with the inputs with which it goes round for ever.")
    .examples(&[("check G (door -> !heat)", "whenever the door is open, the heat is off")])
    .completes(&[WORDS]),
    Spec::new(
        "survey",
        "count all states without keeping them: also those that no memory has room for",
        surveying,
    )
    .arguments("[never|always|toward CONDITION]... [BOUNDS]")
    .details(SURVEY)
    .examples(&[
        ("survey", "all states from here, on all cores"),
        ("survey time=60 cores=1", "for a minute, on one core"),
        ("survey never heat && door", "whether both ever hold together"),
    ])
    .completes(&[Completes::Words(SURVEY_WORDS)]),
    Spec::new(
        "why",
        "which choice made this inevitable, and since which one it was possible",
        |cursor| {
            ask(cursor, |cursor| {
                let bare = is_bound(cursor) || cursor.is_done();
                let target = if bare { None } else { Some(target(cursor)?) };
                Ok(Question::Why { target })
            })
        },
    )
    .arguments("[PLACE [if CONDITION] | trap [NAME]] [BOUNDS]")
    .details("At a trap, 'why' alone asks about that trap. 'inputs=N' says how many inputs ahead to look from every \
choice on the way here (as far as it takes).")
    .examples(&[
        ("why", "at a trap: who decided it?"),
        ("why 28", "why is line 28 executed after this?"),
    ])
    .completes(PLACES),
    Spec::new(
        "cover",
        "which lines and branches no path from here reaches, and inputs for the others",
        |cursor| ask(cursor, |_| Ok(Question::Cover)),
    )
    .arguments("[BOUNDS]")
    .details(BOUNDS)
    .completes(&[WORDS]),
];

fn ask(
    cursor: &mut Cursor<'_>,
    question: impl FnOnce(&mut Cursor<'_>) -> Result<Question, Misread>,
) -> Result<Request, Misread> {
    let question = question(cursor)?;
    let within = within(cursor)?;
    Ok(Look::Suggest { question, within }.into())
}

/// `[never|always|toward CONDITION]... [BOUNDS]`.
fn surveying(cursor: &mut Cursor<'_>) -> Result<Request, Misread> {
    let mut survey = StatesSurvey::default();
    let (within, keeping) = SURVEYS.read(cursor, |name, value| {
        match (name, value) {
            ("events", Some(Word { text: "0", .. })) => survey.without_events = true,
            ("events", Some(value)) => {
                let error = Misread::of(value, "any number of interrupts arrives, or none does");
                return Err(error.hint("events=0 leaves them out"));
            }
            ("faults", Some(value)) => survey.faults = small(value)? > 0,
            ("pieces", Some(value)) => survey.pieces = Some(small(value)?),
            ("solver", Some(value)) => survey.solver = Some(value.text.to_owned()),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let survey = StatesSurvey {
        within,
        keeping,
        ..survey
    };
    let survey = Box::new(survey);
    Ok(Look::Survey { survey }.into())
}

/// The names of bounds.
fn names() -> impl Iterator<Item = &'static str> {
    BOUND_WORDS.iter().map(|word| word.trim_end_matches('='))
}

/// Whether the next word is a bound.
fn is_bound(cursor: &Cursor<'_>) -> bool {
    cursor.peek().is_some_and(|word| {
        let name = word.text.split_once('=').map_or("", |(name, _)| name);
        names().any(|known| known == name) || word.text == "selects"
    })
}

fn target(cursor: &mut Cursor<'_>) -> Result<Destination, Misread> {
    if cursor.keyword("trap") {
        let named = match is_bound(cursor) {
            true => None,
            false => cursor.word().map(|word| word.text.to_owned()),
        };
        return Ok(Destination::Trap { named });
    }
    if cursor.keyword("if") {
        let condition = condition(cursor)?;
        return Ok(Destination::Condition { condition });
    }
    let place = code_place(cursor.required("a place, 'trap', or 'if' and a condition")?)?;
    let condition = match cursor.keyword("if") {
        true => Some(condition(cursor)?),
        false => None,
    };
    Ok(Destination::Place { place, condition })
}

/// What must be of conditions, each up to the next demand or the first bound.
fn demands(cursor: &mut Cursor<'_>) -> Result<Vec<Demanded>, Misread> {
    let mut demands = Vec::new();
    while !cursor.is_done() && !is_bound(cursor) {
        let Some(demand) = demand(cursor) else {
            return Err(cursor.missing("'never', 'always' or 'toward', and a condition"));
        };
        let condition = until(cursor, |cursor| {
            is_bound(cursor)
                || cursor
                    .peek()
                    .is_some_and(|word| DEMANDS.contains(&word.text))
        })?;
        demands.push(Demanded { demand, condition });
    }
    Ok(demands)
}

const DEMANDS: &[&str] = &["never", "always", "toward"];

fn demand(cursor: &mut Cursor<'_>) -> Option<Demand> {
    let mut named = Demand::NAMED.into_iter();
    named.find_map(|(word, demand)| cursor.keyword(word).then_some(demand))
}

/// Everything up to the first bound.
fn condition(cursor: &mut Cursor<'_>) -> Result<String, Misread> {
    until(cursor, is_bound)
}

/// A condition that ends where something else begins.
fn until(cursor: &mut Cursor<'_>, ends: impl Fn(&Cursor<'_>) -> bool) -> Result<String, Misread> {
    let text = words_until(cursor, ends);
    text.ok_or_else(|| cursor.missing("a condition, for example 'speed > 3'"))
}

fn within(cursor: &mut Cursor<'_>) -> Result<Within, Misread> {
    let mut within = Within::default();
    while let Some(word) = cursor.word() {
        if word.text == "selects" {
            within.selects = true;
            continue;
        }
        let Some((name, value)) = word.text.split_once('=') else {
            let error = Misread::of(word, "expected a bound such as inputs=4");
            return Err(error.hint(BOUND_WORDS.join(", ")));
        };
        let value = Word {
            text: value,
            at: word.at + name.len() + 1,
        };
        match name {
            "inputs" => within.inputs = Some(small(value)?),
            "events" => within.events = Some(small(value)?),
            "steps" => within.steps = Some(large(value)?),
            "paths" => within.paths = Some(small(value)?),
            "rounds" => within.rounds = Some(small(value)?),
            "stdin" => within.stdin = Some(small(value)?),
            "faults" => within.faults = Some(small(value)?),
            "pieces" => within.pieces = Some(small(value)?),
            "time" => within.time_ms = Some(seconds(value)?),
            "stop" => within.stop = Some(code_place(value)?),
            "order" => within.order = Some(order(value)?),
            "solver" => within.solver = Some(value.text.to_owned()),
            _ => {
                let error = Misread::of(word, format!("there is no bound '{name}'"));
                return Err(error.hint(names().collect::<Vec<_>>().join(", ")));
            }
        }
    }
    Ok(within)
}

fn order(word: Word<'_>) -> Result<Order, Misread> {
    match word.text {
        "depth" => Ok(Order::Depth),
        "breadth" => Ok(Order::Breadth),
        "coverage" => Ok(Order::Coverage),
        "random" => Ok(Order::Random(1)),
        _ => {
            let known = "expected depth, breadth, coverage or random";
            Err(Misread::of(word, known))
        }
    }
}
