//! Causality against its definition, and the classes of runs against all runs.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::common::Counted;
use crate::threads::{Do, Threads, World, rounds, threads};
use borges_multiverse::causality::{Causality, Class, Classes, Found, racing};
use borges_multiverse::graph::{Exploration, Limits, Strategy as Order};
use borges_multiverse::heed::Patient;
use borges_multiverse::language::{Footprint, Label, Language, Next, Outcome, Touchable, Verdict};
use proptest::prelude::*;

type Choice = (usize, i8);

/// All maximal runs.
fn runs(program: &Threads) -> Vec<(Vec<Choice>, World)> {
    let mut runs = Vec::new();
    let mut todo = vec![(Vec::new(), program.initial())];
    while let Some((choices, world)) = todo.pop() {
        let mut enabled = Vec::new();
        program.enabled(&world, &mut enabled);
        if enabled.is_empty() {
            runs.push((choices, world));
            continue;
        }
        for choice in enabled {
            let next = program.apply(&world, &choice).unwrap().state;
            todo.push(([&choices[..], &[choice]].concat(), next));
        }
    }
    runs
}

fn causality<'p>(program: &'p Threads, choices: &[Choice]) -> Causality<&'p Threads> {
    Causality::of(&program, &program.initial(), choices).unwrap()
}

/// The classes by reduction, each with its end, and how often one was found.
fn reduced(program: &Threads) -> HashMap<Class<usize, Choice>, (World, usize)> {
    let mut classes = Classes::new(program);
    let mut found: HashMap<_, (World, usize)> = HashMap::new();
    loop {
        match classes.advance(usize::MAX, || true) {
            Found::End => {
                let end = classes.state().unwrap().clone();
                found.entry(classes.run().class()).or_insert((end, 0)).1 += 1;
            }
            Found::Done => return found,
            other => panic!("{other:?}"),
        }
    }
}

proptest! {
    #[test]
    fn every_class_is_found_exactly_once(program in threads()) {
        let mut all: HashMap<_, World> = HashMap::new();
        for (choices, end) in runs(&program) {
            let class = causality(&program, &choices).class();
            // Runs of one class lead to one state: the footprints tell the truth.
            prop_assert_eq!(all.entry(class).or_insert_with(|| end.clone()), &end);
        }
        let reduced = reduced(&program);
        prop_assert!(reduced.values().all(|(_, times)| *times == 1));
        let reduced: HashMap<_, _> =
            reduced.into_iter().map(|(class, (end, _))| (class, end)).collect();
        prop_assert_eq!(reduced, all);
    }

    #[test]
    fn happening_before_is_the_chain_of_dependent_steps(program in threads(), pick in any::<prop::sample::Index>()) {
        let runs = runs(&program);
        let (choices, _) = pick.get(&runs);
        let run = causality(&program, choices);
        let events = run.events();
        let depends = |a: usize, b: usize| {
            events[a].agent == events[b].agent || events[a].footprint.conflicts(&events[b].footprint)
        };
        let mut before = BTreeSet::new();
        for b in 0..events.len() {
            before.insert((b, b));
            for a in (0..b).rev() {
                if (a + 1..=b).any(|m| depends(a, m) && before.contains(&(m, b))) {
                    before.insert((a, b));
                }
            }
        }
        for a in 0..events.len() {
            for b in 0..events.len() {
                prop_assert_eq!(run.happens_before(a, b), before.contains(&(a, b)));
            }
            let after: Vec<_> = (a + 1..events.len()).filter(|b| before.contains(&(a, *b))).collect();
            prop_assert_eq!(run.consequences(a), after);
        }
        // Direct causes are those without another between.
        let mut again = Causality::<&Threads>::default();
        for (b, event) in events.iter().enumerate() {
            let causes = again.push(event.agent, event.choice, event.footprint.clone());
            let between = |a: usize| (a + 1..b).any(|m| before.contains(&(a, m)) && before.contains(&(m, b)));
            let direct: Vec<_> =
                (0..b).rev().filter(|a| before.contains(&(*a, b)) && !between(*a)).collect();
            prop_assert_eq!(causes, direct);
        }
    }

    #[test]
    fn what_remains_of_a_run_without_an_event_and_its_consequences_can_happen(
        program in threads(), pick in any::<prop::sample::Index>(), event in any::<prop::sample::Index>(),
    ) {
        let runs = runs(&program);
        let (choices, end) = pick.get(&runs);
        if choices.is_empty() {
            return Ok(());
        }
        let run = causality(&program, choices);
        let undone = event.index(choices.len());
        let gone: BTreeSet<_> = run.consequences(undone).into_iter().chain([undone]).collect();
        let rest = (0..choices.len()).filter(|n| !gone.contains(n));
        // First the rest, then what was undone: the same class, the same end.
        let order: Vec<_> = rest.chain(gone.iter().copied()).map(|n| choices[n]).collect();
        let mut world = program.initial();
        for choice in &order {
            world = program.apply(&world, choice).unwrap().state;
        }
        prop_assert_eq!(&world, end);
        prop_assert_eq!(causality(&program, &order).class(), run.class());
    }

    #[test]
    fn popping_undoes_pushing(program in threads(), pick in any::<prop::sample::Index>()) {
        let runs = runs(&program);
        let (choices, _) = pick.get(&runs);
        let mut run = causality(&program, choices);
        let class = run.class();
        for keep in (0..choices.len()).rev() {
            let mut popped = Vec::new();
            while run.events().len() > keep {
                popped.extend(run.pop());
            }
            for event in popped.into_iter().rev() {
                run.push(event.agent, event.choice, event.footprint);
            }
            prop_assert_eq!(&run.class(), &class);
        }
    }
}

proptest! {
    /// Steps that race are those of two agents that conflict and are not the same in both orders; all others commute.
    #[test]
    fn steps_race_where_their_order_matters(program in threads()) {
        let mut exploration = Exploration::new(&program, Order::BreadthFirst);
        exploration.run(&Limits::default(), |_| true);
        let graph = exploration.graph();
        for node in graph.nodes() {
            let state = graph.state(node).unwrap();
            let edges: Vec<_> = graph.edges_from(node).map(|(id, edge)| (graph.choice(id).unwrap(), edge.to)).collect();
            let told: HashSet<_> = racing(&&program, state).into_iter().collect();
            let over = |node, wanted: &Choice| {
                let mut edges = graph.edges_from(node);
                edges.find_map(|(id, edge)| (graph.choice(id)? == *wanted).then_some(edge.to))
            };
            for (one, (first, here)) in edges.iter().enumerate() {
                for (other, (second, there)) in edges.iter().enumerate().skip(one + 1) {
                    let (here, there) = (over(*here, second), over(*there, first));
                    let two = program.agent(state, first) != program.agent(state, second);
                    let race = two && (here.is_none() || here != there);
                    prop_assert_eq!(told.contains(&[one as u32, other as u32]), race);
                    let touched = [first, second].map(|choice| program.footprint(state, choice));
                    prop_assert!(!race || touched[0].conflicts(&touched[1]));
                }
            }
        }
    }
}

fn count(program: &Threads) -> (usize, usize, u64) {
    let mut classes = Classes::new(program);
    let (mut found, mut ends) = (0, HashSet::new());
    while classes.advance(usize::MAX, || true) == Found::End {
        found += 1;
        ends.insert(classes.state().unwrap().clone());
    }
    (found, ends.len(), classes.blocked())
}

#[test]
fn independent_threads_are_one_class() {
    let program = Threads(vec![vec![Do::Write(0, 1), Do::Guard, Do::Read(0)]; 1]);
    assert_eq!(count(&program), (1, 1, 0));
    // Nine threads of their own: 9! orders, one class.
    let program = Threads(vec![vec![Do::Guard]; 9]);
    assert_eq!(count(&program), (1, 1, 0));
    // Nine readers of one variable.
    let program = Threads(vec![vec![Do::Read(0), Do::Read(1)]; 9]);
    assert_eq!(count(&program), (1, 1, 0));
}

#[test]
fn messages_of_n_threads_on_one_port_come_in_any_order() {
    let mut threads = vec![vec![Do::Send(0)]; 5];
    threads.push(vec![Do::Receive(0)]);
    assert_eq!(count(&Threads(threads)).0, 120);
}

#[test]
fn who_loses_the_last_message_for_good_is_tried_first_too() {
    // Two threads wait for one message: whoever is late never acts again.
    let program = Threads(vec![
        vec![Do::Send(0)],
        vec![Do::Receive(0)],
        vec![Do::Receive(0)],
    ]);
    assert_eq!(count(&program), (2, 2, 0));
}

#[test]
fn what_a_choice_touches_does_not_hide_what_another_of_its_agent_does() {
    // Each of the first thread's choices conflicts with one of the others: both orders of that, twice.
    let program = Threads(vec![
        vec![Do::Scatter],
        vec![Do::Write(0, 1)],
        vec![Do::Write(1, 1)],
    ]);
    assert_eq!(count(&program).0, 4);
}

#[test]
fn a_search_can_be_cut_and_cancelled() {
    let program = Threads(vec![
        vec![Do::Write(0, 1), Do::Write(0, 2)],
        vec![Do::Write(0, 3)],
    ]);
    let mut classes = Classes::new(&program);
    assert_eq!(classes.advance(2, || true), Found::Cut);
    let mut classes = Classes::new(&program);
    let mut found = Vec::new();
    loop {
        let mut once = true;
        match classes.advance(10, || std::mem::take(&mut once)) {
            Found::End => found.push(classes.run().class()),
            Found::Done => break,
            other => assert_eq!(other, Found::Cancelled),
        }
    }
    assert_eq!(found.len(), 3);
    assert!(classes.steps() < 20);
    let empty = Threads(vec![]);
    assert_eq!(count(&empty), (1, 1, 0));
}

#[test]
fn the_graph_has_the_same_ends_as_the_classes() {
    let thread = vec![
        Do::Read(0),
        Do::Write(0, 1),
        Do::Toss,
        Do::Guard,
        Do::Send(0),
        Do::Receive(0),
    ];
    let program = Threads(vec![thread; 2]);
    let mut exploration = Exploration::new(&program, Order::BreadthFirst);
    exploration.run(&Limits::default(), |_| true);
    let graph = exploration.graph();
    let ends: HashSet<_> = graph
        .ends()
        .map(|end| graph.state(end).unwrap().clone())
        .collect();
    let found = reduced(&program);
    assert_eq!(
        found
            .values()
            .map(|(end, _)| end.clone())
            .collect::<HashSet<_>>(),
        ends
    );
    assert!(graph.count_paths(&mut Patient).unwrap().unwrap().total() > (10 * found.len()).into());
}

#[test]
fn a_message_that_came_later_hides_no_race_for_an_earlier_one() {
    // The second thread may take its own message back before the first has it.
    let first = vec![Do::Receive(0), Do::Send(0)];
    let second = vec![Do::Send(0), Do::Write(0, 0), Do::Receive(0)];
    assert_eq!(count(&Threads(vec![first, second])).0, 2);
}

#[test]
fn a_run_that_is_given_up_still_tells_who_waited() {
    // With the first thread asleep, the third one's wait shows only where the run is given up.
    let first = vec![Do::Write(0, 0)];
    let second = vec![Do::Send(0), Do::Try(0)];
    let third = vec![Do::Receive(0), Do::Write(0, 0)];
    assert_eq!(count(&Threads(vec![first, second, third])).0, 3);
}

/// All states but for what numbers the past, and which of them are ends; none if there are too many.
/// Also whether some run never ends.
fn states(program: &Threads, limit: usize) -> Option<(HashSet<World>, bool)> {
    let start = program.recurring(&program.initial());
    let mut steps: HashMap<World, Vec<World>> = HashMap::new();
    let mut todo = vec![start];
    while let Some(world) = todo.pop() {
        if steps.contains_key(&world) {
            continue;
        }
        if steps.len() == limit {
            return None;
        }
        let mut enabled = Vec::new();
        program.enabled(&world, &mut enabled);
        let next = enabled
            .iter()
            .map(|choice| program.apply(&world, choice).unwrap().state);
        let next: Vec<_> = next.map(|next| program.recurring(&next)).collect();
        todo.extend(next.iter().cloned());
        steps.insert(world, next);
    }
    let ends = steps.iter().filter(|(_, next)| next.is_empty());
    let ends = ends.map(|(world, _)| world.clone()).collect();
    // What is left when ends are taken away, again and again, goes round.
    let mut left = steps.clone();
    loop {
        let before = left.len();
        let open: HashSet<_> = left.keys().cloned().collect();
        left.retain(|_, next| next.iter().any(|next| open.contains(next)));
        if left.len() == before {
            return Some((ends, before > 0));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn programs_that_go_round_keep_their_ends(program in rounds()) {
        let Some((ends, endless)) = states(&program, 300) else {
            return Ok(());
        };
        let mut classes = Classes::new(&program);
        let mut found = HashSet::new();
        loop {
            let mut steps = 0;
            match classes.advance(usize::MAX, || { steps += 1; steps < 100_000 }) {
                Found::End => found.extend([program.recurring(classes.state().unwrap())]),
                Found::Done => break,
                // It must come to an end; how soon is not promised.
                Found::Cancelled => return Ok(()),
                Found::Cut => unreachable!("there is no limit"),
            }
        }
        prop_assert_eq!(found, ends);
        prop_assert_eq!(classes.rounds() > 0, endless);
    }
}

/// Threads that go round for ever do not keep the others from ending up in every way.
#[test]
fn who_goes_round_keeps_nobody_from_acting() {
    let spinner = vec![Do::Write(1, 0), Do::Guard, Do::Guard, Do::Again];
    let program = Threads(vec![
        spinner.clone(),
        vec![Do::Write(0, 1)],
        vec![Do::Read(0)],
        spinner,
    ]);
    let mut classes = Classes::new(&program);
    let mut steps = 0;
    let found = classes.advance(usize::MAX, || {
        steps += 1;
        steps < 10_000
    });
    assert_eq!(found, Found::Done, "nothing ends, and that is noticed");
    assert!(classes.rounds() > 0);
    // The smallest round.
    let program = Threads(vec![vec![Do::Again]]);
    let mut classes = Classes::new(&program);
    assert_eq!(classes.advance(usize::MAX, || true), Found::Done);
    assert_eq!((classes.rounds(), classes.steps()), (1, 1));
}

/// A run is cut at the limit, and not if it ends there.
#[test]
fn runs_as_long_as_the_limit_are_whole() {
    let program = Threads(vec![vec![Do::Read(0); 5]]);
    let first = |limit| Classes::new(&program).advance(limit, || true);
    assert_eq!((first(5), first(4)), (Found::End, Found::Cut));
}

thread_local! {
    /// How often things were compared.
    static COMPARED: Cell<usize> = const { Cell::new(0) };
}

/// A thing that notes when it is compared.
#[derive(Clone, Debug)]
struct Noted(usize);

impl PartialEq for Noted {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Noted {}

impl PartialOrd for Noted {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Noted {
    fn cmp(&self, other: &Self) -> Ordering {
        COMPARED.set(COMPARED.get() + 1);
        self.0.cmp(&other.0)
    }
}

impl Touchable for Noted {}

/// Two agents that change one thing so many times each, and one that changes another.
struct Quarrel(usize);

impl Language for Quarrel {
    type State = [usize; 3];
    type Choice = usize;
    type Agent = usize;
    type Resource = Noted;
    type Value = usize;

    fn initial(&self) -> [usize; 3] {
        [0; 3]
    }

    fn enabled(&self, state: &[usize; 3], choices: &mut Vec<usize>) {
        choices.extend((0..3).filter(|agent| state[*agent] < self.0));
    }

    fn apply(&self, state: &[usize; 3], agent: &usize) -> Option<Next<[usize; 3]>> {
        let mut state = *state;
        state[*agent] += 1;
        Some(Next::one(state))
    }

    fn outcome(&self, _: &[usize; 3]) -> Outcome<usize> {
        Outcome {
            verdicts: Verdict::Finished.into(),
            value: 0,
        }
    }

    fn agent(&self, _: &[usize; 3], agent: &usize) -> usize {
        *agent
    }

    fn label(&self, _: &[usize; 3], agent: &usize) -> Label {
        Label {
            rule: "CHANGE",
            text: agent.to_string(),
            span: None,
        }
    }

    fn footprint(&self, _: &[usize; 3], agent: &usize) -> Footprint<Noted> {
        Footprint {
            reads: Vec::new(),
            writes: vec![Noted(agent / 2)],
        }
    }

    fn show(&self, state: &[usize; 3]) -> String {
        format!("{state:?}")
    }
}

/// A run of ten times the length costs ten times as much, with a race at every step.
#[test]
fn the_cost_of_a_run_is_linear_in_its_length() {
    let cost = |length: usize| {
        let program = Counted::new(Quarrel(length));
        let mut classes = Classes::new(&program);
        COMPARED.set(0);
        assert_eq!(classes.advance(usize::MAX, || true), Found::End);
        assert_eq!(classes.run().events().len(), 3 * length);
        (program.applied.get(), COMPARED.get())
    };
    let ((steps, compared), (more_steps, more_compared)) = (cost(100), cost(1_000));
    assert!(more_steps <= 11 * steps, "{steps}, then {more_steps}");
    assert!(
        more_compared <= 11 * compared,
        "{compared}, then {more_compared}"
    );
}
