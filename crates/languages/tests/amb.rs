//! λ_amb: known answers, and random programs against two independent evaluators.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use borges_languages::amb::{Amb, Answer, Choice, Number, State};
use borges_languages::model::{AMB, Explore, Model, Reduction};
use borges_multiverse::adapt::Runs;
use borges_multiverse::causality::{Classes, Found};
use borges_multiverse::graph::{Exploration, Graph, Limits, Pause, Strategy as Order};
use borges_multiverse::heed::Patient;
use borges_multiverse::language::{Language, Outcome, Verdict};
use proptest::prelude::*;

fn parse(text: &str) -> Amb {
    Amb::parse(text).unwrap_or_else(|error| panic!("{}", error.explain(text)))
}

fn explore<L: Language>(language: L, order: Order<L::State>, merged: bool) -> Graph<L> {
    let start = language.initial();
    let mut exploration = Exploration::from_state(language, start, order, merged);
    let pause = exploration.run(
        &Limits {
            states: 10_000_000,
            ..Limits::default()
        },
        |_| true,
    );
    assert_eq!(pause, Pause::Complete);
    exploration.into_graph()
}

fn outcomes<L: Language>(graph: &Graph<L>) -> BTreeSet<Outcome<L::Value>> {
    graph
        .ends()
        .map(|end| graph.outcome(end).unwrap())
        .collect()
}

/// Every order of exploration; the guided one goes for short texts.
fn orders(program: &Amb, seed: u64) -> [Order<State>; 4] {
    let program = program.clone();
    let short = move |state: &State| -(program.show(state).len() as i64);
    [
        Order::BreadthFirst,
        Order::DepthFirst,
        Order::Random { seed },
        Order::Guided(Box::new(short)),
    ]
}

/// The outcomes by one run a class.
fn by_classes(program: &Amb) -> BTreeSet<Outcome<Answer>> {
    let mut classes = Classes::new(program);
    let mut ends = BTreeSet::new();
    while classes.advance(usize::MAX, || true) == Found::End {
        ends.insert(program.outcome(classes.state().unwrap()));
    }
    ends
}

fn shown<L: Language>(graph: &Graph<L>) -> BTreeSet<String> {
    graph
        .nodes()
        .map(|node| graph.language().show(graph.state(node).unwrap()))
        .collect()
}

fn numbers(numbers: &[i64]) -> BTreeSet<Outcome<Answer>> {
    let finished = |n| Outcome {
        verdicts: Verdict::Finished.into(),
        value: Answer::Number(n),
    };
    numbers.iter().map(|n| finished(Number::from(*n))).collect()
}

/// Checks the state graph's size, outcomes and number of paths.
#[track_caller]
fn check(text: &str, states: usize, edges: usize, values: &[i64], paths: u32) {
    let program = parse(text);
    let graph = explore(&program, Order::BreadthFirst, true);
    assert_eq!((graph.len(), graph.edge_count()), (states, edges), "{text}");
    assert_eq!(outcomes(&graph), numbers(values), "{text}");
    assert_eq!(
        graph.count_paths(&mut Patient).unwrap().unwrap().total(),
        paths.into(),
        "{text}"
    );
}

#[test]
fn the_papers_program_has_its_known_multiverse() {
    let text = "(+ (amb 1 2) (amb 3 4))";
    check(text, 10, 10, &[4, 5, 6], 4);
    let program = parse(text);
    assert_eq!(explore(&program, Order::BreadthFirst, false).len(), 11);
    let states = [
        "(+ (amb 1 2) (amb 3 4))",
        "(+ 1 (amb 3 4))",
        "(+ 2 (amb 3 4))",
        "(+ 1 3)",
        "(+ 1 4)",
        "(+ 2 3)",
        "(+ 2 4)",
        "4",
        "5",
        "6",
    ];
    let graph = explore(&program, Order::BreadthFirst, true);
    assert_eq!(shown(&graph), states.map(str::to_owned).into());
}

#[test]
fn the_papers_debugger_has_its_known_multiverse() {
    let program = parse("(+ (amb 1 2) (amb 3 4))");
    let debugger = borges_multiverse::adapt::Stepping(&program);
    let graph = explore(&debugger, Order::BreadthFirst, true);
    assert_eq!(
        (graph.len(), graph.edge_count(), graph.ends().count()),
        (19, 19, 3)
    );
    assert_eq!(outcomes(&graph), numbers(&[4, 5, 6]));
    assert!(shown(&graph).contains("⟨paused, (+ 2 (amb 3 4))⟩"));
    let rules: BTreeMap<_, usize> = graph
        .edges()
        .fold(BTreeMap::new(), |mut rules, (id, edge)| {
            let label = debugger.label(graph.state(edge.from).unwrap(), &graph.choice(id).unwrap());
            *rules.entry(label.rule).or_default() += 1;
            rules
        });
    assert_eq!(rules, BTreeMap::from([("RESUME", 9), ("STEP", 10)]));
}

/// The same by what commands use, for every language.
#[test]
fn any_program_can_be_put_under_the_debugger() {
    let way = Explore {
        debugger: true,
        ..Explore::default()
    };
    let text = "(+ (amb 1 2) (amb 3 4))";
    let model = Model::parse(&AMB, text).unwrap();
    let report = model.explore(&way, |_| true);
    assert_eq!(
        (report.states, report.edges, report.ends.len()),
        (19, 19, 3)
    );
    assert!(report.debugger && report.paths.as_deref() == Some("4"));
    let rules: Vec<_> = report.ends[0].trace.iter().map(|step| step.rule).collect();
    assert_eq!(rules, ["STEP", "RESUME"].repeat(3));
    let mut graph = model.multiverse(&way);
    graph.explore(&mut |_| true);
    assert_eq!(graph.states(), 19);
    let reduced = Explore {
        reduction: Reduction::Dpor,
        ..way
    };
    assert_eq!(model.explore(&reduced, |_| true).ends.len(), 3);
}

#[test]
fn small_programs_have_their_known_multiverses() {
    check("7", 1, 0, &[7], 1);
    check("-7", 1, 0, &[-7], 1);
    check("(+)", 2, 1, &[0], 1);
    check("(amb 5)", 2, 1, &[5], 1);
    check("(+ 1 2 3)", 2, 1, &[6], 1);
    // Operands of amb are not evaluated before the choice.
    check("(amb (+ 1 2) 4)", 4, 3, &[3, 4], 2);
    check(
        "(amb (amb 1 2) (amb 3 4))",
        1 + 2 + 4,
        2 + 4,
        &[1, 2, 3, 4],
        4,
    );
    // Equal operands are different choices of one state, wherever in the program it came from.
    check("(amb 1 1)", 2, 2, &[1], 2);
    check("(amb (+ 1 2) (+ 1 2))", 3, 3, &[3], 2);
    check("(amb (+ (amb 1) 2) (+ 1 2))", 4, 4, &[3], 2);
    check("(+ (amb (+ 1 1) 2) (amb 3))", 5, 5, &[5], 2);
    // Equal sums meet.
    check(
        "(+ (amb 1 2) (amb 1 2))",
        1 + 2 + 4 + 3,
        2 + 4 + 4,
        &[2, 3, 4],
        4,
    );
    check(
        "(+ (+ (amb 1 2) (amb 1 2)) 1)",
        1 + 2 + 4 + 3 + 3,
        2 + 4 + 4 + 3,
        &[3, 4, 5],
        4,
    );
    check(
        "(+ 9223372036854775807 (amb -9223372036854775807 -9223372036854775808))",
        5,
        4,
        &[0, -1],
        2,
    );
}

#[test]
fn an_operand_that_would_be_stuck_is_no_harm_where_it_is_not_picked() {
    let program = parse("(amb 3 (amb))");
    let graph = explore(&program, Order::BreadthFirst, true);
    let words: Vec<_> = outcomes(&graph).iter().map(ToString::to_string).collect();
    assert_eq!(
        words,
        ["finished: 3", "stuck: nothing to choose in (amb), line 1"]
    );
    assert_eq!((graph.len(), graph.edge_count()), (3, 2));
}

#[test]
fn an_empty_amb_is_stuck_and_says_where() {
    let program = parse("(+ (amb 1 2)\n(+ 7 (amb)) (amb 3 4))");
    let graph = explore(&program, Order::BreadthFirst, true);
    let stuck = outcomes(&graph);
    let words: Vec<_> = stuck.iter().map(ToString::to_string).collect();
    assert_eq!(
        words,
        [
            "stuck: nothing to choose in (+ 1 (+ 7 (amb)) (amb 3 4)), line 2",
            "stuck: nothing to choose in (+ 2 (+ 7 (amb)) (amb 3 4)), line 2",
        ]
    );
    let end = graph.ends().next().unwrap();
    let span = program.redex_span(graph.state(end).unwrap()).unwrap();
    assert_eq!((span.start, span.end), (18, 23));
    // Where it is written does not matter to whether two ends are one.
    for merge in [true, false] {
        let program = parse("(amb (amb)\n(amb))");
        let graph = explore(&program, Order::BreadthFirst, merge);
        assert_eq!(outcomes(&graph).len(), 1, "{merge}");
    }
}

#[test]
fn sums_beyond_a_machine_word_are_exact() {
    let program = parse("(+ 9223372036854775807 (amb 1 9223372036854775807))");
    let graph = explore(&program, Order::BreadthFirst, true);
    let words: Vec<_> = outcomes(&graph).iter().map(ToString::to_string).collect();
    assert_eq!(
        words,
        [
            "finished: 9223372036854775808",
            "finished: 18446744073709551614"
        ]
    );
}

#[test]
fn labels_name_rule_redex_and_result() {
    let text = "(+ (amb 1 (+ 1 1)) 1 2 3 4 5 6 7 8)";
    let program = parse(text);
    let mut state = program.initial();
    let mut told = Vec::new();
    for choice in [Choice::Pick(1), Choice::Add, Choice::Add] {
        let label = program.label(&state, &choice);
        let span = label.span.unwrap();
        told.push((
            label.rule,
            label.text,
            &text[span.start as usize..span.end as usize],
        ));
        state = program.apply(&state, &choice).unwrap().state;
    }
    assert_eq!(
        told,
        [
            (
                "AMB",
                "(amb 1 (+ 1 1)) → (+ 1 1)".to_owned(),
                "(amb 1 (+ 1 1))"
            ),
            ("ADD", "(+ 1 1) → 2".to_owned(), "(+ 1 1)"),
            ("ADD", "(+ 2 1 2 3 4 5 6 7 …) → 38".to_owned(), text),
        ]
    );
}

/// Operands stand in labels in full up to so many bytes, and no more of them than eight.
#[test]
fn labels_cut_long_operands() {
    let label = |text: &str| {
        parse(text)
            .label(&parse(text).initial(), &Choice::Pick(0))
            .text
    };
    let fits = format!("(+ {})", "1".repeat(36));
    assert_eq!(fits.len(), 40);
    assert_eq!(
        label(&format!("(amb {fits})")),
        format!("(amb {fits}) → {fits}")
    );
    let long = format!("(+ {})", "1".repeat(37));
    let cut = format!("{}…", &long[..40]);
    assert_eq!(
        label(&format!("(amb {long})")),
        format!("(amb {cut}) → {cut}")
    );
    assert_eq!(label("(amb 1 2 3 4 5 6 7 8)"), "(amb 1 2 3 4 5 6 7 8) → 1");
    assert_eq!(
        label("(amb 1 2 3 4 5 6 7 8 9)"),
        "(amb 1 2 3 4 5 6 7 8 …) → 1"
    );
}

#[test]
fn choices_that_are_not_enabled_are_refused() {
    let program = parse("(+ (amb 1 2) 3)");
    let start = program.initial();
    assert!(program.apply(&start, &Choice::Pick(2)).is_none());
    assert!(program.apply(&start, &Choice::Pick(u32::MAX)).is_none());
    assert!(program.apply(&start, &Choice::Add).is_none());
    let next = program.apply(&start, &Choice::Pick(1)).unwrap().state;
    assert!(program.apply(&next, &Choice::Pick(0)).is_none());
    let end = program.apply(&next, &Choice::Add).unwrap().state;
    assert!(program.apply(&end, &Choice::Add).is_none());
}

#[track_caller]
fn check_error(text: &str, expected: &str) {
    let error = Amb::parse(text).expect_err(text);
    assert_eq!(error.explain(text), expected);
}

#[test]
fn errors_point_at_the_place() {
    check_error(
        "(+ 1\n   (amb 2 x3)\n",
        "2:11: this is no number (digits, perhaps after a -) and no operator (+ or amb)
2 |    (amb 2 x3)
  |           ^^
",
    );
    check_error(
        "(+ 1\n   (amb 2 3)",
        "1:1: this parenthesis is never closed
1 | (+ 1
  | ^
",
    );
    check_error(
        "(+ 1 2))",
        "1:8: this parenthesis closes nothing
1 | (+ 1 2))
  |        ^
",
    );
    check_error("(1 2)", "1:2: after ( comes + or amb\n1 | (1 2)\n  |  ^\n");
    check_error(
        "(+ amb 1)",
        "1:4: an operator stands only right after (\n1 | (+ amb 1)\n  |    ^^^\n",
    );
    check_error(
        "1 ; one\n2",
        "2:1: a program is a single expression; this stands after its end\n2 | 2\n  | ^\n",
    );
    check_error(
        " ; nothing",
        "1:11: there is nothing to evaluate: write a number, (+ …) or (amb …)\n1 |  ; nothing\n  |           ^\n",
    );
    let long = Amb::parse(&"9".repeat(20_000)).unwrap_err();
    assert_eq!(long.to_string(), "numbers have at most 10000 digits");
}

#[test]
fn programs_are_laid_out_within_a_width() {
    let program = parse("(+ (amb 1 2) (amb (+ 10 20 30) (+ 40 50 60)) 3)");
    let expected = "\
(+ (amb 1 2)
   (amb (+ 10 20 30)
        (+ 40 50 60))
   3)";
    assert_eq!(program.pretty(21).to_string(), expected);
    assert_eq!(
        program.pretty(80).to_string(),
        "(+ (amb 1 2) (amb (+ 10 20 30) (+ 40 50 60)) 3)"
    );
}

/// A program as a plain tree, for the evaluators below.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Naive {
    Number(i128),
    Plus(Vec<Naive>),
    Amb(Vec<Naive>),
}

impl fmt::Display for Naive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, operands) = match self {
            Self::Number(n) => return n.fmt(f),
            Self::Plus(operands) => ("+", operands),
            Self::Amb(operands) => ("amb", operands),
        };
        write!(f, "({name}")?;
        for operand in operands {
            write!(f, " {operand}")?;
        }
        f.write_str(")")
    }
}

/// Whether an expression is stuck, or its value.
type Meaning = Result<i128, ()>;

impl Naive {
    /// The set of all meanings, by structural recursion: nothing steps.
    fn denotation(&self) -> BTreeSet<Meaning> {
        let operands = match self {
            Self::Number(n) => return BTreeSet::from([Ok(*n)]),
            Self::Amb(operands) if operands.is_empty() => return BTreeSet::from([Err(())]),
            Self::Amb(operands) => return operands.iter().flat_map(Self::denotation).collect(),
            Self::Plus(operands) => operands,
        };
        let mut sums = BTreeSet::from([Ok(0)]);
        for operand in operands {
            let values = operand.denotation();
            let plus = |sum: &Meaning| -> BTreeSet<Meaning> {
                match sum {
                    Err(()) => BTreeSet::from([Err(())]),
                    Ok(sum) => values.iter().map(|value| Ok(sum + (*value)?)).collect(),
                }
            };
            sums = sums.iter().flat_map(plus).collect();
        }
        sums
    }

    /// All expressions after one reduction, by rewriting the tree; empty for values and stuck ones.
    fn steps(&self) -> Vec<Self> {
        let operands = match self {
            Self::Number(_) => return Vec::new(),
            Self::Amb(operands) => return operands.clone(),
            Self::Plus(operands) => operands,
        };
        let value = |operand: &Self| match operand {
            Self::Number(n) => Some(*n),
            _ => None,
        };
        let Some(at) = operands.iter().position(|operand| value(operand).is_none()) else {
            return vec![Self::Number(operands.iter().filter_map(value).sum())];
        };
        let rebuild = |reduced| {
            let mut operands = operands.clone();
            operands[at] = reduced;
            Self::Plus(operands)
        };
        operands[at].steps().into_iter().map(rebuild).collect()
    }
}

fn program() -> impl Strategy<Value = Naive> {
    let number = prop_oneof![
        6 => (-3..4_i128).prop_map(Naive::Number),
        1 => any::<i64>().prop_map(|n| Naive::Number(n.into())),
    ];
    number.prop_recursive(4, 12, 3, |inner| {
        let operands = prop::collection::vec(inner, 0..4);
        (any::<bool>(), operands).prop_map(|(plus, operands)| {
            if plus {
                Naive::Plus(operands)
            } else {
                Naive::Amb(operands)
            }
        })
    })
}

fn meanings(outcomes: BTreeSet<Outcome<Answer>>) -> BTreeSet<Meaning> {
    let meaning = |outcome: Outcome<Answer>| match outcome.value {
        Answer::Number(n) => Ok(n.to_string().parse().unwrap()),
        Answer::Stuck(_) => Err(()),
    };
    outcomes.into_iter().map(meaning).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_graph_is_that_of_plain_rewriting(naive in program()) {
        let mut seen = BTreeSet::from([naive.clone()]);
        let mut todo = vec![naive.clone()];
        let mut edges = 0;
        while let Some(expr) = todo.pop() {
            for next in expr.steps() {
                edges += 1;
                if seen.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        let program = parse(&naive.to_string());
        let graph = explore(&program, Order::BreadthFirst, true);
        prop_assert_eq!(graph.len(), seen.len());
        prop_assert_eq!(graph.edge_count(), edges);
        prop_assert_eq!(shown(&graph), seen.iter().map(ToString::to_string).collect());
        // Every state is its own program: what it shows can be parsed, and is that state.
        for node in graph.nodes() {
            let again = parse(&program.show(graph.state(node).unwrap()));
            prop_assert_eq!(again.show(&again.initial()), program.show(graph.state(node).unwrap()));
        }
    }

    #[test]
    fn every_order_finds_the_denotation(naive in program(), seed in any::<u64>()) {
        let program = parse(&naive.to_string());
        let expected = naive.denotation();
        for merged in [true, false] {
            for order in orders(&program, seed) {
                let graph = explore(&program, order, merged);
                prop_assert_eq!(meanings(outcomes(&graph)), expected.clone());
            }
            for order in orders(&program, seed) {
                let graph = explore(Runs::new(&program, 100), order, merged);
                prop_assert_eq!(meanings(outcomes(&graph)), expected.clone());
            }
        }
        for limit in [1, 2] {
            let graph = explore(Runs::new(&program, limit), Order::BreadthFirst, true);
            prop_assert_eq!(meanings(outcomes(&graph)), expected.clone());
        }
        prop_assert_eq!(meanings(by_classes(&program)), expected.clone());
        let debugger = borges_multiverse::adapt::Stepping(&program);
        prop_assert_eq!(meanings(outcomes(&explore(&debugger, Order::DepthFirst, true))), expected);
    }

    #[test]
    fn folded_runs_keep_paths_and_steps(naive in program()) {
        let program = parse(&naive.to_string());
        let all = explore(&program, Order::BreadthFirst, true);
        let folded = explore(Runs::new(&program, u64::MAX), Order::BreadthFirst, true);
        prop_assert_eq!(outcomes(&folded), outcomes(&all));
        let counts = (folded.count_paths(&mut Patient).unwrap().unwrap().total(), all.count_paths(&mut Patient).unwrap().unwrap().total());
        prop_assert_eq!(counts.0, counts.1);
        // Only the start may lie before a deterministic step.
        for node in folded.nodes().skip(1) {
            prop_assert_ne!(folded.edges_from(node).len(), 1);
        }
        let lengths = |graph: &Graph<_>, path: Vec<_>| -> u64 {
            path.into_iter().map(|id| u64::from(graph.edge(id).unwrap().steps)).sum()
        };
        for end in folded.ends() {
            let path = folded.nearest(folded.nodes().next().unwrap(), |n| n == end, &mut Patient).unwrap().unwrap().1;
            let other = all.find(folded.state(end).unwrap()).unwrap();
            let shortest = all.nearest(all.nodes().next().unwrap(), |n| n == other, &mut Patient).unwrap().unwrap().1;
            prop_assert!(lengths(&folded, path) >= shortest.len() as u64);
        }
    }

    #[test]
    fn printing_and_parsing_are_inverse(naive in program(), width in 0..60_usize) {
        let program = parse(&naive.to_string());
        let pretty = program.pretty(width).to_string();
        prop_assert_eq!(&parse(&pretty), &program);
        prop_assert_eq!(program.pretty(usize::MAX).to_string(), naive.to_string());
        prop_assert_eq!(program.show(&program.initial()), naive.to_string());
    }

    #[test]
    fn hostile_text_gets_an_error_within_it(text in "\\PC*") {
        if let Err(error) = Amb::parse(&text) {
            prop_assert!(error.span.start <= error.span.end);
            prop_assert!(error.span.end as usize <= text.len());
            prop_assert!(!error.explain(&text).is_empty());
        }
    }

    #[test]
    fn almost_programs_never_panic(
        words in prop::collection::vec(
            prop::sample::select(vec!["(", "(", ")", "+", "amb", "1", "-2", ";", "\n", "é", "--", "- "]),
            0..30,
        ),
        separator in prop::sample::select(vec!["", " "]),
    ) {
        let text = words.join(separator);
        match Amb::parse(&text) {
            Err(error) => prop_assert!(error.explain(&text).contains(':')),
            Ok(program) => prop_assert_eq!(&parse(&program.pretty(10).to_string()), &program),
        }
    }
}

#[test]
fn a_hundred_thousand_levels_need_no_native_stack() {
    const DEPTH: usize = 100_000;
    let left = format!("{}(amb 1 2){}", "(+ ".repeat(DEPTH), " 1)".repeat(DEPTH));
    let right = format!("{}(amb 1 2){}", "(+ 1 ".repeat(DEPTH), ")".repeat(DEPTH));
    for text in [left, right] {
        let program = parse(&text);
        assert_eq!(program, program.clone());
        assert_eq!(program.show(&program.initial()), text);
        let pretty = program.pretty(80).to_string();
        assert!(pretty.len() < 50 * text.len());
        assert_eq!(parse(&pretty), program);
        // Rebuilt by another walk, the same state shares no cell: equality goes all the way.
        assert!(program.initial() == program.initial());
        let graph = explore(&program, Order::BreadthFirst, true);
        assert_eq!(graph.len(), 1 + 2 * (DEPTH + 1));
        assert_eq!(
            outcomes(&graph),
            numbers(&[DEPTH as i64 + 1, DEPTH as i64 + 2])
        );
    }
    let open = "(+ ".repeat(DEPTH);
    assert!(Amb::parse(&open).is_err());
    assert!(Amb::parse(&open.replace('+', "amb")).is_err());
}

#[test]
fn wide_choices_are_found_in_time() {
    let operands: Vec<_> = (0..100_000).map(|n| n.to_string()).collect();
    let program = parse(&format!("(amb {})", operands.join(" ")));
    let graph = explore(&program, Order::BreadthFirst, true);
    assert_eq!((graph.len(), graph.ends().count()), (100_001, 100_000));
}
