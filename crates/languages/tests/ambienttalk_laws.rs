//! AmbientTalk: on random programs, every grain, every reduction and every order of exploration
//! find the same outcomes.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::actors::Writer;
use crate::place::placeless;
use crate::wanted::check_wanted;
use borges_languages::ambienttalk::{AmbientTalk, Answer, Delivery, Grain, Options, State, format};
use borges_multiverse::adapt::Runs;
use borges_multiverse::causality::{Causality, Class, Classes, Found};
use borges_multiverse::fingerprint::{Fingerprint, WideFingerprint};
use borges_multiverse::graph::{Exploration, Limits, Pause, Strategy};
use borges_multiverse::language::{Language, Outcome};

type Outcomes = BTreeSet<Outcome<Answer>>;

/// The most states for which a program is tried: in visible steps, and in rules.
const STATES: usize = 700;
const RULE_STATES: usize = 20_000;
/// The most universes where equal states stay apart.
const TREE_STATES: usize = 3_000;

fn program(seed: u64, options: Options) -> AmbientTalk {
    let text = Writer::program(seed);
    AmbientTalk::parse(&text, options)
        .unwrap_or_else(|error| panic!("{seed}:\n{text}\n{}", error.explain(&text)))
}

/// The outcomes by the graph; none if it has more than so many states.
fn by_graph<L: Language<Value = Answer>>(
    language: L,
    strategy: Strategy<L::State>,
    merged: bool,
    states: usize,
) -> Option<Outcomes> {
    let mut exploration = if merged {
        Exploration::new(language, strategy)
    } else {
        Exploration::unmerged(language, strategy)
    };
    let limits = Limits {
        states,
        ..Limits::default()
    };
    if exploration.run(&limits, |_| true) != Pause::Complete {
        return None;
    }
    let graph = exploration.graph();
    Some(
        graph
            .ends()
            .map(|end| graph.outcome(end).unwrap())
            .collect(),
    )
}

/// Every order of exploration.
fn strategies(seed: u64) -> [Strategy<State>; 4] {
    let any = |state: &State| Fingerprint::of(state).0 as i64;
    [
        Strategy::BreadthFirst,
        Strategy::DepthFirst,
        Strategy::Random { seed },
        Strategy::Guided(Box::new(any)),
    ]
}

/// The outcomes by one run a class, each with its number of classes.
fn by_classes(language: &AmbientTalk) -> BTreeMap<Outcome<Answer>, usize> {
    let mut classes = Classes::new(language);
    let mut ends = BTreeMap::new();
    let mut seen = HashSet::new();
    while classes.advance(usize::MAX, || true) == Found::End {
        let outcome = language.outcome(classes.state().unwrap());
        *ends.entry(outcome).or_default() += 1;
        let class: Class<_, _> = classes.run().class();
        assert!(seen.insert(class), "a class was found twice");
    }
    ends
}

/// How much of a program was small enough to be compared.
#[derive(Default)]
struct Tried {
    programs: usize,
    rules: usize,
    trees: usize,
    with_several: usize,
}

/// Both grains, in every order, merged and not, and with every reduction, come to the same; none if
/// the program is too large.
fn outcomes(seed: u64, delivery: Delivery, tried: &mut Tried) -> Option<Outcomes> {
    let with = |grain, numbered| {
        program(
            seed,
            Options {
                grain,
                delivery,
                numbered,
            },
        )
    };
    let at = |what: &str| format!("seed {seed}, {delivery:?}, {what}");
    let visible = with(Grain::Visible, false);
    let expected = by_graph(&visible, Strategy::BreadthFirst, true, STATES)?;
    for strategy in strategies(seed) {
        let name = format!("visible, {strategy:?}");
        let found = by_graph(&visible, strategy, true, STATES);
        assert_eq!(found.as_ref(), Some(&expected), "{}", at(&name));
    }
    let runs = Runs::new(&visible, 1000);
    let folded = by_graph(runs, Strategy::BreadthFirst, true, STATES);
    assert_eq!(folded.as_ref(), Some(&expected), "{}", at("folded"));
    // There are many more states in rules, so each program is tried in one order.
    let rule = with(Grain::Rule, false);
    let order = match seed % 8 / 2 {
        0 => Strategy::BreadthFirst,
        1 => Strategy::DepthFirst,
        2 => Strategy::Random { seed },
        _ => Strategy::Guided(Box::new(|state| Fingerprint::of(state).0 as i64)),
    };
    if let Some(rules) = by_graph(&rule, order, true, RULE_STATES) {
        assert_eq!(rules, expected, "{}", at("rules"));
        tried.rules += 1;
    }
    // Most trees are too large, and that takes long to find out.
    if (seed / 2).is_multiple_of(3)
        && let Some(tree) = by_graph(&visible, Strategy::DepthFirst, false, TREE_STATES)
    {
        assert_eq!(tree, expected, "{}", at("tree"));
        tried.trees += 1;
    }
    let classes = by_classes(&with(Grain::Visible, true));
    assert!(classes.keys().eq(&expected), "{}", at("classes"));
    let fine = by_classes(&with(Grain::Rule, true));
    assert_eq!(fine, classes, "{}", at("classes of rules"));
    if delivery == Delivery::Immediate {
        // Without numbers footprints are coarser: perhaps more classes, never fewer outcomes.
        let coarse = by_classes(&visible);
        assert!(coarse.keys().eq(&expected), "{}", at("coarse classes"));
    }
    tried.programs += 1;
    tried.with_several += usize::from(expected.len() > 1);
    Some(expected)
}

/// Five hundred programs that are small enough with every delivery.
fn check_programs(seeds: impl Iterator<Item = u64>) {
    let mut tried = Tried::default();
    let mut programs = 0;
    for seed in seeds {
        let Some(now) = outcomes(seed, Delivery::Immediate, &mut tried) else {
            continue;
        };
        let Some(fifo) = outcomes(seed, Delivery::Fifo, &mut tried) else {
            continue;
        };
        let Some(any) = outcomes(seed, Delivery::Unordered, &mut tried) else {
            continue;
        };
        assert!(now.is_subset(&fifo) && fifo.is_subset(&any), "seed {seed}");
        programs += 1;
        if programs == 500 {
            break;
        }
    }
    // The programs must not be too tame, and most must be compared in full.
    let Tried {
        programs,
        rules,
        trees,
        with_several,
    } = tried;
    assert!(with_several > 150, "{with_several} of {programs}");
    assert!(rules * 10 > programs * 9, "{rules} of {programs}");
    assert!(trees > 50, "{trees} of {programs}");
}

#[test]
fn programs_of_even_seeds_have_one_set_of_outcomes_each() {
    check_programs((0..).step_by(2));
}

#[test]
fn programs_of_odd_seeds_have_one_set_of_outcomes_each() {
    check_programs((1..).step_by(2));
}

/// Footprints are right: runs of one class end in one state, and each class is found.
#[test]
fn classes_are_those_of_all_runs() {
    let mut tried = 0;
    for seed in 9000.. {
        for delivery in [Delivery::Immediate, Delivery::Fifo, Delivery::Unordered] {
            let options = Options {
                grain: Grain::Visible,
                delivery,
                numbered: true,
            };
            let language = program(seed, options);
            let Some(runs) = all_runs(&language, 1500) else {
                continue;
            };
            let mut classes: BTreeMap<String, State> = BTreeMap::new();
            let start = language.initial();
            for (run, end) in &runs {
                let causality = Causality::of(&language, &start, run).unwrap();
                let class = format!("{:?}", causality.class());
                let known = classes.entry(class).or_insert_with(|| end.clone());
                assert!(known == end, "seed {seed}: one class, two states");
            }
            let found: usize = by_classes(&language).values().sum();
            assert_eq!(found, classes.len(), "seed {seed}, {delivery:?}");
            tried += 1;
        }
        if tried > 40 {
            break;
        }
    }
}

type Run = (Vec<<AmbientTalk as Language>::Choice>, State);

/// All maximal runs; none if there are more than `limit`.
fn all_runs(language: &AmbientTalk, limit: usize) -> Option<Vec<Run>> {
    let mut runs = Vec::new();
    let mut todo = vec![(Vec::new(), language.initial())];
    while let Some((run, state)) = todo.pop() {
        let mut choices = Vec::new();
        language.enabled(&state, &mut choices);
        if choices.is_empty() {
            runs.push((run, state));
            if runs.len() > limit {
                return None;
            }
            continue;
        }
        for choice in choices {
            let next = language.apply(&state, &choice).unwrap().state;
            let mut longer = run.clone();
            longer.push(choice);
            todo.push((longer, next));
        }
    }
    Some(runs)
}

/// What is told of states that are not made is what they are.
#[test]
fn states_have_the_digests_that_were_known_before_they_were_made() {
    let mut steps = 0;
    for seed in 0..150 {
        for (delivery, numbered) in [
            (Delivery::Immediate, false),
            (Delivery::Fifo, true),
            (Delivery::Fifo, false),
            (Delivery::Unordered, true),
        ] {
            let grain = [Grain::Visible, Grain::Rule][seed as usize % 2];
            let options = Options {
                grain,
                delivery,
                numbered,
            };
            let language = program(seed, options);
            let other = language.apart().unwrap();
            let mut known = HashSet::from([language.initial()]);
            let mut todo = vec![language.initial()];
            while let Some(state) = todo.pop().filter(|_| known.len() < 300) {
                check_wanted::<_, WideFingerprint>(&language, &state);
                assert_eq!(other.at_home(state.clone()), state);
                let nexts = check_wanted::<_, Fingerprint>(&language, &state);
                steps += nexts.len();
                todo.extend(nexts.into_iter().filter(|next| known.insert(next.clone())));
            }
        }
    }
    assert!(steps > 20_000, "{steps}");
}

#[test]
fn formatting_is_stable_and_keeps_programs() {
    for seed in 0..100 {
        let text = Writer::program(seed);
        let formatted = format(&text).unwrap();
        assert_eq!(format(&formatted).unwrap(), formatted);
        let explore = |text: &str| {
            let options = Options {
                grain: Grain::Visible,
                ..Options::default()
            };
            let program = AmbientTalk::parse(text, options).unwrap();
            let mut exploration = Exploration::new(program, Strategy::BreadthFirst);
            exploration.run(
                &Limits {
                    states: 500,
                    ..Limits::default()
                },
                |_| true,
            );
            let graph = exploration.graph();
            let ends = graph.ends().map(|end| graph.outcome(end).unwrap());
            // The other text has its lines elsewhere.
            let ends = ends.map(|end| placeless(&end.to_string()));
            (
                graph.len(),
                graph.edge_count(),
                ends.collect::<BTreeSet<_>>(),
            )
        };
        assert_eq!(explore(&text), explore(&formatted), "{text}\n{formatted}");
    }
}
