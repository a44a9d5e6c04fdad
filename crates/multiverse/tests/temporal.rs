//! Temporal formulas on random graphs, against all short runs evaluated by hand.

use crate::common::{Digraph, digraph};
use borges_multiverse::adapt::{Observed, Observer};
use borges_multiverse::graph::{
    CountError, EdgeId, Exploration, Graph, Limits, NodeId, Strategy as Order,
};
use borges_multiverse::heed::Patient;
use borges_multiverse::language::{Footprint, Label, Language, Next, Outcome, Verdict};
use borges_multiverse::temporal::{
    Claim, Fairness, Formula, Run, Truth, may, may_take, must, must_take,
};
use proptest::prelude::*;

/// Atom n holds in the states that n divides.
fn holds(atom: &usize, state: &usize) -> bool {
    state.is_multiple_of(*atom)
}

fn formula() -> impl Strategy<Value = Formula<usize>> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Formula::Constant),
        (2..4_usize).prop_map(Formula::Atom),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(Formula::negated),
            inner.clone().prop_map(Formula::next),
            inner.clone().prop_map(Formula::eventually),
            inner.clone().prop_map(Formula::always),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.and(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.or(b)),
            (inner.clone(), inner).prop_map(|(a, b)| a.until(b)),
        ]
    })
}

/// The truth of a formula at each position of a run; `back` is where the last position leads.
fn evaluate(formula: &Formula<usize>, word: &[usize], back: Option<usize>) -> Vec<bool> {
    let next = |at: usize| {
        if at + 1 < word.len() {
            Some(at + 1)
        } else {
            back
        }
    };
    let positions = 0..word.len();
    match formula {
        Formula::Constant(value) => vec![*value; word.len()],
        Formula::Atom(atom) => word.iter().map(|state| holds(atom, state)).collect(),
        Formula::Not(inner) => evaluate(inner, word, back).iter().map(|v| !v).collect(),
        Formula::And(parts) | Formula::Or(parts) => {
            let (a, b) = (
                evaluate(&parts.0, word, back),
                evaluate(&parts.1, word, back),
            );
            let and = matches!(formula, Formula::And(_));
            positions
                .map(|n| if and { a[n] && b[n] } else { a[n] || b[n] })
                .collect()
        }
        Formula::Next(inner) => {
            let inner = evaluate(inner, word, back);
            positions
                .map(|n| next(n).is_some_and(|n| inner[n]))
                .collect()
        }
        Formula::Until(parts) => {
            let (a, b) = (
                evaluate(&parts.0, word, back),
                evaluate(&parts.1, word, back),
            );
            let mut truth = vec![false; word.len()];
            for _ in 0..=word.len() {
                for n in 0..word.len() {
                    truth[n] = b[n] || (a[n] && next(n).is_some_and(|n| truth[n]));
                }
            }
            truth
        }
    }
}

/// Whether some run of at most `limit` states (a lasso or one that ends) fulfils the formula.
fn short_run(graph: &Digraph, formula: &Formula<usize>, limit: usize) -> bool {
    let mut todo = vec![vec![0_usize]];
    while let Some(word) = todo.pop() {
        let last = *word.last().unwrap();
        if graph.0[last].is_empty() && evaluate(formula, &word, None)[0] {
            return true;
        }
        for to in &graph.0[last] {
            for (back, state) in word.iter().enumerate() {
                if state == to && evaluate(formula, &word, Some(back))[0] {
                    return true;
                }
            }
            if word.len() < limit {
                let mut longer = word.clone();
                longer.push(*to);
                todo.push(longer);
            }
        }
    }
    false
}

fn explore(graph: &Digraph, depth: u32) -> Graph<&Digraph> {
    let mut exploration = Exploration::new(graph, Order::BreadthFirst);
    exploration.run(
        &Limits {
            depth,
            ..Limits::default()
        },
        |_| true,
    );
    exploration.into_graph()
}

/// The states of a witness, which must be a run of the program.
fn word(graph: &Graph<&Digraph>, run: &Run) -> (Vec<usize>, Option<usize>) {
    let edge = |id: &EdgeId| graph.edge(*id).unwrap();
    let state = |node| *graph.state(node).unwrap();
    let mut at = borges_multiverse::graph::NodeId::ROOT;
    let mut word = vec![state(at)];
    for id in run.stem.iter().chain(&run.cycle) {
        assert_eq!(edge(id).from, at, "the run is broken");
        at = edge(id).to;
        word.push(state(at));
    }
    if run.cycle.is_empty() {
        assert!(graph.is_end(at));
        return (word, None);
    }
    let start = edge(&run.cycle[0]).from;
    assert_eq!(at, start, "the cycle is open");
    word.pop();
    (word, Some(run.stem.len()))
}

/// A graph whose steps are taken by three agents: the n-th step from a node by agent n mod 3.
#[derive(Clone, Debug)]
struct Agents(Digraph);

const AGENTS: usize = 3;

impl Language for Agents {
    type State = usize;
    type Choice = usize;
    type Agent = usize;
    type Resource = ();
    type Value = usize;

    fn initial(&self) -> usize {
        self.0.initial()
    }

    fn enabled(&self, state: &usize, choices: &mut Vec<usize>) {
        self.0.enabled(state, choices);
    }

    fn apply(&self, state: &usize, choice: &usize) -> Option<Next<usize>> {
        self.0.apply(state, choice)
    }

    fn outcome(&self, state: &usize) -> Outcome<usize> {
        self.0.outcome(state)
    }

    fn agent(&self, state: &usize, choice: &usize) -> usize {
        // Not the same agents everywhere, or nobody would ever be unable to act.
        (state + choice) % AGENTS
    }

    fn label(&self, state: &usize, choice: &usize) -> Label {
        self.0.label(state, choice)
    }

    fn footprint(&self, state: &usize, choice: &usize) -> Footprint<()> {
        self.0.footprint(state, choice)
    }

    fn show(&self, state: &usize) -> String {
        self.0.show(state)
    }
}

impl Agents {
    fn can_act(&self, state: usize, agent: usize) -> bool {
        (0..self.0.0[state].len()).any(|choice| self.agent(&state, &choice) == agent)
    }
}

/// Who acted last.
struct Last;

impl Observer<&Agents> for Last {
    type Memory = Option<usize>;

    fn start(&self, _: &usize) -> Option<usize> {
        None
    }

    fn observe(&self, _: &Option<usize>, from: &usize, by: &usize, _: &usize) -> Option<usize> {
        Some((from + by) % AGENTS)
    }
}

/// What a formula of the product with [`Last`] says about a state.
#[derive(Clone, Debug)]
enum Seen {
    Atom(usize),
    /// The agent acted last, or cannot act.
    Served(usize),
}

/// The same formula about the product.
fn lifted(formula: &Formula<usize>) -> Formula<Seen> {
    match formula {
        Formula::Constant(value) => Formula::Constant(*value),
        Formula::Atom(atom) => Formula::Atom(Seen::Atom(*atom)),
        Formula::Not(inner) => lifted(inner).negated(),
        Formula::And(parts) => lifted(&parts.0).and(lifted(&parts.1)),
        Formula::Or(parts) => lifted(&parts.0).or(lifted(&parts.1)),
        Formula::Next(inner) => lifted(inner).next(),
        Formula::Until(parts) => lifted(&parts.0).until(lifted(&parts.1)),
    }
}

/// Weak fairness as a formula: each agent again and again acts or cannot.
fn fair() -> Formula<Seen> {
    let served = |agent| Formula::Atom(Seen::Served(agent)).eventually().always();
    (1..AGENTS).fold(served(0), |all, agent| all.and(served(agent)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn fairness_is_a_formula_about_who_acted(program in digraph(), formula in formula()) {
        let program = Agents(program);
        let mut exploration = Exploration::new(&program, Order::BreadthFirst);
        exploration.run(&Limits::default(), |_| true);
        let graph = exploration.into_graph();
        let observed = Observed { program: &program, observer: Last };
        let mut exploration = Exploration::new(observed, Order::BreadthFirst);
        exploration.run(&Limits::default(), |_| true);
        let product = exploration.into_graph();
        let seen = |atom: &Seen, (state, last): &(usize, Option<usize>)| match atom {
            Seen::Atom(atom) => holds(atom, state),
            Seen::Served(agent) => *last == Some(*agent) || !program.can_act(*state, *agent),
        };

        let some = may(&graph, &formula, Fairness::Weak, holds, &mut || true);
        let plainly = may(&product, &fair().and(lifted(&formula)), Fairness::None, seen, &mut || true);
        prop_assert_eq!(matches!(some, Truth::Yes(_)), matches!(plainly, Truth::Yes(_)));
        let all = must(&graph, &formula, Fairness::Weak, holds, &mut || true);
        let plainly = must(&product, &fair().implies(lifted(&formula)), Fairness::None, seen, &mut || true);
        prop_assert_eq!(matches!(all, Truth::Yes(_)), matches!(plainly, Truth::Yes(_)));

        // A witness is a run, it shows what it is said to show, and it is fair.
        for (answer, shows) in [(some, formula.clone()), (all, formula.negated())] {
            let (Truth::Yes(Some(run)) | Truth::No(Some(run))) = answer else {
                continue;
            };
            let states = |edges: &[EdgeId]| -> Vec<usize> {
                let from = edges.iter().map(|id| graph.edge(*id).unwrap().from);
                from.map(|node| *graph.state(node).unwrap()).collect()
            };
            let mut word = states(&run.stem);
            let back = (!run.cycle.is_empty()).then_some(word.len());
            match back {
                Some(_) => word.extend(states(&run.cycle)),
                None => word.push(run.stem.last().map_or(0, |id| {
                    *graph.state(graph.edge(*id).unwrap().to).unwrap()
                })),
            }
            prop_assert!(evaluate(&shows, &word, back)[0], "{shows}: {word:?} {back:?}");
            for agent in (0..AGENTS).filter(|_| back.is_some()) {
                let served = run.cycle.iter().any(|id| {
                    let state = *graph.state(graph.edge(*id).unwrap().from).unwrap();
                    let choice = graph.choice(*id).unwrap();
                    program.agent(&state, &choice) == agent || !program.can_act(state, agent)
                });
                prop_assert!(served, "agent {agent} is kept waiting");
            }
        }
    }

    #[test]
    fn witnesses_are_right_and_none_is_missed(program in digraph(), formula in formula()) {
        let graph = explore(&program, u32::MAX);
        let short = short_run(&program, &formula, 6);
        match may(&graph, &formula, Fairness::None, holds, &mut || true) {
            Truth::Yes(Some(run)) => {
                let (word, back) = word(&graph, &run);
                prop_assert!(evaluate(&formula, &word, back)[0], "{formula}: {word:?} {back:?}");
            }
            Truth::No(None) => prop_assert!(!short, "{formula} is missed"),
            other => prop_assert!(false, "{other:?}"),
        }
        // All runs fulfil it, unless one fulfils the opposite.
        let opposite = may(&graph, &formula.clone().negated(), Fairness::None, holds, &mut || true);
        match (must(&graph, &formula, Fairness::None, holds, &mut || true), opposite) {
            (Truth::Yes(None), Truth::No(None)) => {}
            (Truth::No(Some(a)), Truth::Yes(Some(b))) => prop_assert_eq!(a, b),
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn what_is_unexplored_is_not_taken_for_absent(program in digraph(), formula in formula(), fair in any::<bool>()) {
        let fairness = if fair { Fairness::Weak } else { Fairness::None };
        let (part, whole) = (explore(&program, 1), explore(&program, u32::MAX));
        for ask in [may::<&Digraph, usize>, must::<&Digraph, usize>] {
            let (early, late) = (ask(&part, &formula, fairness, holds, &mut || true), ask(&whole, &formula, fairness, holds, &mut || true));
            let agree = matches!(
                (&early, &late),
                (Truth::Unknown, _) | (Truth::Yes(_), Truth::Yes(_)) | (Truth::No(_), Truth::No(_))
            );
            prop_assert!(agree, "{formula}: {early:?}, then {late:?}");
        }
    }

    #[test]
    fn formulas_survive_their_text(formula in formula(), word in prop::collection::vec(0..12_usize, 1..6)) {
        let text = formula.to_string();
        let again = Formula::parse(&text, str::parse::<usize>).unwrap();
        prop_assert_eq!(again.to_string(), text);
        for back in [None, Some(0)] {
            prop_assert_eq!(evaluate(&again, &word, back), evaluate(&formula, &word, back));
        }
    }

    /// Plainly: which nodes can be reached over the steps that are left, and which of them come back to themselves.
    #[test]
    fn steps_are_taken_by_some_runs_or_by_all(program in digraph(), marks in prop::collection::vec(any::<bool>(), 1..8), depth in prop_oneof![Just(u32::MAX), 0..4_u32]) {
        let graph = explore(&program, depth);
        let taken: Vec<bool> = (0..graph.edge_count()).map(|edge| marks[edge % marks.len()]).collect();
        let is_taken = |id: &EdgeId| taken[id.0 as usize];
        match may_take(&graph, &taken, &mut || true) {
            Truth::Yes(Some(run)) => {
                let (last, before) = run.stem.split_last().unwrap();
                prop_assert!(is_taken(last) && !before.iter().any(is_taken));
                let mut at = NodeId::ROOT;
                for id in &run.stem {
                    prop_assert_eq!(graph.edge(*id).unwrap().from, at);
                    at = graph.edge(*id).unwrap().to;
                }
            }
            Truth::No(None) => prop_assert!(graph.is_complete() && !taken.contains(&true)),
            Truth::Unknown => prop_assert!(!graph.is_complete() && !taken.contains(&true)),
            other => prop_assert!(false, "{other:?}"),
        }
        let free = Digraph(graph.nodes().map(|node| {
            graph.edges_from(node).filter(|(id, _)| !is_taken(id)).map(|(_, edge)| edge.to.0 as usize).collect()
        }).collect());
        let comes = |from: usize, to: usize| free.distances(from)[to].is_some();
        let avoids = graph.nodes().map(|node| node.0 as usize).any(|node| {
            let goes_round = free.0[node].iter().any(|to| comes(*to, node));
            comes(0, node) && (goes_round || graph.is_end(NodeId(node as u32)))
        });
        match must_take(&graph, &taken, &mut || true) {
            Truth::No(Some(run)) => {
                word(&graph, &run);
                prop_assert!(avoids && !run.stem.iter().chain(&run.cycle).any(is_taken));
            }
            Truth::Yes(None) => prop_assert!(!avoids && graph.is_complete()),
            Truth::Unknown => prop_assert!(!avoids && !graph.is_complete()),
            other => prop_assert!(false, "{other:?}"),
        }
    }
}

#[test]
fn formulas_are_written_as_they_are_read() {
    for (text, written) in [
        ("F p", "F {p}"),
        ("G p", "G {p}"),
        ("X!p", "X !{p}"),
        ("true U p", "F {p}"),
        ("p U q", "({p} U {q})"),
        ("! (p U q)", "!({p} U {q})"),
        ("!!p", "{p}"),
        ("p R q", "!(!{p} U !{q})"),
        ("p U q U r", "({p} U ({q} U {r}))"),
        ("p & q | r & s", "(({p} & {q}) | ({r} & {s}))"),
        ("p && q || r", "(({p} & {q}) | {r})"),
        ("p -> q -> r", "(!{p} | (!{q} | {r}))"),
        ("F p & G q", "(F {p} & G {q})"),
        // Predicates end at an operator, or at what closes more than they opened.
        ("a[1 & 2] > 0 & p", "({a[1 & 2] > 0} & {p})"),
        ("f(x | y) -> p", "(!{f(x | y)} | {p})"),
        ("(a - b > 0)", "{a - b > 0}"),
        ("((a))U(b)", "({a} U {b})"),
        ("x U(y)", "({x} U {y})"),
        ("(U) & R", "({U} & {R})"),
        ("xU y", "{xU y}"),
        ("{a & b} & c", "({a & b} & {c})"),
    ] {
        let read = |text: &str| Formula::parse(text, |atom| Ok::<_, String>(atom.to_owned()));
        let formula = read(text).map(|formula| formula.to_string());
        assert_eq!(formula, Ok(written.to_owned()), "{text}");
    }
    // What stands beside something is not nested in it.
    for part in ["(({2}))", "!!{2}", "X F {2}", "({2} -> {2})"] {
        let many = vec![part; 500].join(" & ");
        assert!(Formula::parse(&many, str::parse::<usize>).is_ok(), "{part}");
    }
}

#[test]
fn a_claim_is_a_formula_perhaps_about_fair_runs() {
    let parse = |text: &str| Claim::parse(text, str::parse::<usize>);
    let formula = Formula::Atom(2).eventually();
    for (text, fairness) in [
        ("F {2}", Fairness::None),
        ("fair F {2}", Fairness::Weak),
        (" fair(F {2})", Fairness::Weak),
    ] {
        let formula = formula.clone();
        assert_eq!(parse(text), Ok(Claim { fairness, formula }));
    }
    let error = parse("fair {x}").unwrap_err().to_string();
    assert!(error.contains("character 6 of the formula"), "{error}");
    assert!(parse("fairF {2}").is_err());
}

#[test]
fn wrong_formulas_say_where() {
    let parse = |text: &str| {
        Formula::parse(text, |atom| atom.parse::<usize>().map_err(|_| "no number"))
            .unwrap_err()
            .to_string()
    };
    assert!(
        parse("G ({2} -> ").starts_with("at character 11 "),
        "{}",
        parse("G ({2} -> ")
    );
    assert!(parse("{x}").contains("character 1 of the formula: no number"));
    assert!(parse("{2} {3}").contains("at character 5"));
    assert!(parse(&"!".repeat(100_000)).contains("less nested"));
    // At the limit, and one past it: a formula counts as one level, and each sign before it.
    let nested =
        |signs: usize| Formula::parse(&format!("{}{{2}}", "!".repeat(signs)), str::parse::<usize>);
    assert!(nested(63).is_ok());
    assert!(nested(64).is_err());
}

/// Ways of a program whose states stand for several values: from, to, and whether only some values take it.
struct Sets(Vec<(usize, usize, bool)>);

impl Language for Sets {
    type State = usize;
    type Choice = usize;
    type Agent = u8;
    type Resource = u8;
    type Value = usize;

    fn initial(&self) -> usize {
        0
    }

    fn enabled(&self, state: &usize, choices: &mut Vec<usize>) {
        let ways = self.0.iter().enumerate();
        choices.extend(ways.filter(|(_, way)| way.0 == *state).map(|(at, _)| at));
    }

    fn apply(&self, state: &usize, way: &usize) -> Option<Next<usize>> {
        let (from, to, is_partial) = *self.0.get(*way)?;
        let next = Next::one(to);
        (from == *state).then_some(Next { is_partial, ..next })
    }

    fn outcome(&self, state: &usize) -> Outcome<usize> {
        Outcome {
            verdicts: Verdict::Finished.into(),
            value: *state,
        }
    }

    fn agent(&self, _: &usize, _: &usize) -> u8 {
        0
    }

    fn label(&self, _: &usize, way: &usize) -> Label {
        Label {
            rule: "way",
            text: way.to_string(),
            span: None,
        }
    }

    fn footprint(&self, _: &usize, _: &usize) -> Footprint<u8> {
        Footprint::default()
    }

    fn show(&self, state: &usize) -> String {
        state.to_string()
    }
}

#[test]
fn what_some_values_only_may_do_is_no_run_yet() {
    let asked = |ways: &[(usize, usize, bool)], inner: &dyn Fn(&Graph<Sets>)| {
        let mut exploration = Exploration::new(Sets(ways.to_vec()), Order::BreadthFirst);
        exploration.run(&Limits::default(), |_| true);
        inner(exploration.graph());
    };
    let is = |atom: &usize, state: &usize| atom == state;
    let never = |graph: &Graph<Sets>, state| {
        let formula = Formula::Atom(state).eventually().negated();
        must(graph, &formula, Fairness::None, is, &mut || true)
    };
    // Some values of 0 lead to 1, some of 1 to 2: perhaps none all the way.
    let chain = [
        (0, 1, true),
        (0, 3, true),
        (1, 2, true),
        (1, 3, true),
        (2, 2, false),
    ];
    asked(&chain, &|graph| {
        let run = match never(graph, 2) {
            Truth::Maybe(run) => run,
            other => panic!("{other:?}"),
        };
        assert!(run.stem.iter().any(|edge| graph.is_partial(*edge)));
        assert_eq!(never(graph, 4), Truth::Yes(None));
        let counted = graph.count_paths(&mut Patient).unwrap();
        assert_eq!(counted, Err(CountError::Partial(NodeId(0))));
        assert_eq!(graph.partial().len(), 4);
        assert!(matches!(
            may_take(graph, &[false, false, true, false, false], &mut || true),
            Truth::Maybe(_)
        ));
        assert_eq!(may_take(graph, &[false; 5], &mut || true), Truth::No(None));
        assert!(matches!(
            must_take(graph, &[false; 5], &mut || true),
            Truth::Maybe(_)
        ));
        assert_eq!(must_take(graph, &[true; 5], &mut || true), Truth::Yes(None));
    });
    // A longer run of ways that all values take is one.
    let around = [(0, 2, true), (0, 1, false), (1, 2, false), (2, 2, false)];
    asked(&around, &|graph| {
        let Truth::No(Some(run)) = never(graph, 2) else {
            panic!("there is a run");
        };
        let mut steps = run.stem.iter().chain(&run.cycle);
        assert!(!steps.any(|edge| graph.is_partial(*edge)));
        let some = may(
            graph,
            &Formula::Atom(2_usize).eventually(),
            Fairness::None,
            is,
            &mut || true,
        );
        assert!(matches!(some, Truth::Yes(_)));
        let only = [false, true, false, false];
        assert!(matches!(
            may_take(graph, &only, &mut || true),
            Truth::Yes(_)
        ));
        let not = only.map(|taken| !taken);
        assert!(matches!(
            may_take(graph, &not, &mut || true),
            Truth::Maybe(_)
        ));
        let some = [true, false, false, false];
        assert!(matches!(
            must_take(graph, &some, &mut || true),
            Truth::No(_)
        ));
        assert_eq!(
            graph.count_paths(&mut Patient).unwrap(),
            Err(CountError::Partial(NodeId(0)))
        );
    });
}
