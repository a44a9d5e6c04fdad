//! AmbientTalk: on random programs, every grain, every reduction and every order of exploration
//! find the same outcomes.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside `#[test]` functions.

#[path = "common/actors.rs"]
mod actors;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use actors::Writer;
use borges_languages::ambienttalk::{AmbientTalk, Answer, Delivery, Grain, Options, State, format};
use borges_multiverse::adapt::Runs;
use borges_multiverse::causality::{Causality, Class, Classes, Found};
use borges_multiverse::graph::{Exploration, Limits, Pause, Strategy};
use borges_multiverse::language::{Language, Outcome};

type Outcomes = BTreeSet<Outcome<Answer>>;

/// The most states for which a program is tried in full.
const STATES: usize = 700;

fn program(seed: u64, options: Options) -> AmbientTalk {
    let text = Writer::program(seed);
    AmbientTalk::parse(&text, options)
        .unwrap_or_else(|error| panic!("{seed}:\n{text}\n{}", error.explain(&text)))
}

/// The outcomes by the graph; none if it is too large.
fn by_graph<L: Language<Value = Answer>>(
    language: L,
    strategy: Strategy<L::State>,
    merged: bool,
) -> Option<Outcomes> {
    let mut exploration = if merged {
        Exploration::new(language, strategy)
    } else {
        Exploration::unmerged(language, strategy)
    };
    let limits = Limits {
        states: STATES,
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

#[test]
fn a_thousand_programs_have_one_set_of_outcomes_each() {
    let (mut tried, mut with_several) = (0, 0);
    for seed in 0.. {
        let rule = program(seed, Options::default());
        let visible = rule.with(Options {
            grain: Grain::Visible,
            ..Options::default()
        });
        let Some(expected) = by_graph(&visible, Strategy::BreadthFirst, true) else {
            continue;
        };
        let guided = |state: &State| format!("{state:?}").len() as i64;
        let way = match seed % 6 {
            0 => by_graph(&rule, Strategy::BreadthFirst, true).or(Some(expected.clone())),
            1 => by_graph(&visible, Strategy::DepthFirst, true),
            2 => by_graph(&visible, Strategy::Random { seed }, true),
            3 => by_graph(&visible, Strategy::Guided(Box::new(guided)), true),
            4 => by_graph(&rule, Strategy::Random { seed }, true).or(Some(expected.clone())),
            _ => by_graph(Runs::new(&visible, 1000), Strategy::BreadthFirst, true),
        };
        assert_eq!(way, Some(expected.clone()), "seed {seed}");
        if seed % 8 == 0
            && let Some(tree) = by_graph(&visible, Strategy::DepthFirst, false)
        {
            assert_eq!(tree, expected, "seed {seed}, tree");
        }
        let numbered = Options {
            grain: Grain::Visible,
            numbered: true,
            ..Options::default()
        };
        let classes = by_classes(&rule.with(numbered));
        assert!(classes.keys().eq(&expected), "seed {seed}, classes");
        let fine = Options {
            grain: Grain::Rule,
            ..numbered
        };
        assert_eq!(
            by_classes(&rule.with(fine)),
            classes,
            "seed {seed}, classes of rules"
        );
        // Without numbers footprints are coarser: perhaps more classes, never fewer outcomes.
        assert!(
            by_classes(&visible).keys().eq(&expected),
            "seed {seed}, coarse classes"
        );
        tried += 1;
        with_several += usize::from(expected.len() > 1);
        if tried == 1000 {
            break;
        }
    }
    // The programs must not be too tame.
    assert!(with_several > 80, "{with_several}");
}

#[test]
fn deliveries_agree_with_themselves_and_include_each_other() {
    let mut tried = 0;
    for seed in 5000.. {
        let immediate = program(seed, Options::default());
        let find = |delivery| {
            let options = Options {
                grain: Grain::Visible,
                delivery,
                numbered: false,
            };
            let visible = immediate.with(options);
            let found = by_graph(&visible, Strategy::BreadthFirst, true)?;
            let numbered = immediate.with(Options {
                numbered: true,
                ..options
            });
            assert!(
                by_classes(&numbered).keys().eq(&found),
                "seed {seed}, {delivery:?}"
            );
            let rule = immediate.with(Options {
                grain: Grain::Rule,
                ..options
            });
            if let Some(rules) = by_graph(&rule, Strategy::DepthFirst, true) {
                assert_eq!(rules, found, "seed {seed}, {delivery:?}");
            }
            Some(found)
        };
        let (Some(now), Some(fifo), Some(any)) = (
            find(Delivery::Immediate),
            find(Delivery::Fifo),
            find(Delivery::Unordered),
        ) else {
            continue;
        };
        assert!(now.is_subset(&fifo) && fifo.is_subset(&any), "seed {seed}");
        tried += 1;
        if tried == 30 {
            break;
        }
    }
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
            (graph.len(), graph.edge_count(), ends.collect::<Outcomes>())
        };
        assert_eq!(explore(&text), explore(&formatted), "{text}\n{formatted}");
    }
}
