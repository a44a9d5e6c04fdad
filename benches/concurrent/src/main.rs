//! Explores concurrent programs beside stateright: the same problem as a program of ours, which is
//! interpreted, and as a model written in Rust.
//!
//! Both run in one process, taking turns; only times of the same round are divided by one another,
//! and the median over the rounds counts. Memory is the most that was allocated at a time, by
//! exploring, counted by the allocator.

mod native;
mod programs;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use borges_languages::ambienttalk::{AmbientTalk, Grain, Options};
use borges_languages::model::Threads;
use borges_multiverse::causality::{Classes, Found};
use borges_multiverse::fingerprint::Fingerprint;
use borges_multiverse::graph::{Counts, Exploration, Limits, NodeId, Pause, Share, Strategy, Survey};
use borges_multiverse::heed::Patient;
use borges_multiverse::workers::Workers;
use native::Native;
use stateright::{Checker, Model};

/// Counts what is allocated.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// Whether anything is counted: two threads that count are in each other's way more than all that they do beside.
static COUNTS: AtomicBool = AtomicBool::new(true);

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if COUNTS.load(Relaxed) {
            let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
            PEAK.fetch_max(live, Relaxed);
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        if COUNTS.load(Relaxed) {
            LIVE.fetch_sub(layout.size(), Relaxed);
        }
        // SAFETY: the caller keeps the contract of `dealloc`, and `alloc` is the system's.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most states of a problem.
const STATES: usize = 200_000;
/// The most states, and the most steps spent on classes, where executions are counted.
const ALL_STATES: usize = 3_000_000;
const CLASS_STEPS: u64 = 10_000_000;
/// Stateright counts states as often as they are met.
const MET: usize = 5 * STATES;

/// What one exploration took.
#[derive(Clone, Copy)]
struct Took {
    states: usize,
    seconds: f64,
    bytes: usize,
}

impl Took {
    fn rate(&self) -> f64 {
        self.states as f64 / self.seconds
    }

    fn bytes_per_state(&self) -> f64 {
        self.bytes as f64 / self.states as f64
    }
}

fn measured(explore: impl FnOnce() -> usize) -> Took {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let start = Instant::now();
    let states = explore();
    let seconds = start.elapsed().as_secs_f64();
    Took {
        states,
        seconds,
        bytes: PEAK.load(Relaxed) - before,
    }
}

fn limits() -> Limits {
    Limits {
        states: STATES,
        ..Limits::default()
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

struct Problem {
    name: String,
    text: String,
    native: Native,
}

fn problems() -> Vec<Problem> {
    let mut problems = Vec::new();
    for n in 5..=8 {
        problems.push(Problem {
            name: format!("philosophers {n}"),
            text: programs::philosophers(n),
            native: Native::philosophers(n),
        });
    }
    for n in 5..=8 {
        problems.push(Problem {
            name: format!("two-phase commit {n}"),
            text: programs::two_phase_commit(n),
            native: Native::two_phase_commit(n),
        });
    }
    for n in 3..=6 {
        problems.push(Problem {
            name: format!("math actor, {n} clients"),
            text: programs::math(n),
            native: Native::math(n),
        });
    }
    problems
}

fn run(problem: &Problem, rounds: usize) {
    let options = Options {
        grain: Grain::Visible,
        ..Options::default()
    };
    let program = match AmbientTalk::parse(&problem.text, options) {
        Ok(program) => program,
        Err(error) => panic!("{}", error.explain(&problem.text)),
    };
    let mut ratios = Vec::new();
    let mut graph_ratios = Vec::new();
    let mut last = None;
    for _ in 0..rounds {
        let ours = measured(|| {
            let mut survey: Survey<_> = Survey::new(&program);
            survey.run(&limits(), |_| true);
            survey.states()
        });
        let theirs = measured(|| {
            let checker = problem.native.clone().checker().threads(1).target_state_count(MET);
            checker.spawn_bfs().join().unique_state_count()
        });
        let graph = measured(|| {
            let mut exploration = Exploration::new(&program, Strategy::BreadthFirst);
            exploration.run(&limits(), |_| true);
            exploration.graph().len()
        });
        ratios.push(ours.rate() / theirs.rate());
        graph_ratios.push(graph.rate() / theirs.rate());
        last = Some((ours, theirs, graph));
    }
    let Some((ours, theirs, graph)) = last else { return };
    println!(
        "{:<24} {:>9} {:>9} {:>8.0}k {:>6.2} {:>6.2} {:>7.0} {:>7.0} {:>7.0} {:>6.2} {:>6.2}",
        problem.name,
        ours.states,
        theirs.states,
        ours.rate() / 1000.0,
        median(ratios),
        median(graph_ratios),
        ours.bytes_per_state(),
        theirs.bytes_per_state(),
        graph.bytes_per_state(),
        theirs.bytes_per_state() / ours.bytes_per_state(),
        theirs.bytes_per_state() / graph.bytes_per_state(),
    );
}

/// One run of each class, beside the states.
fn reduced(problem: &Problem) {
    let visible = Options {
        grain: Grain::Visible,
        ..Options::default()
    };
    let Ok(program) = AmbientTalk::parse(&problem.text, visible) else {
        return;
    };
    let exact = program.with(Options {
        numbered: true,
        ..visible
    });
    let mut survey: Survey<_> = Survey::new(&program);
    let limits = Limits {
        states: ALL_STATES,
        ..Limits::default()
    };
    let pause = survey.run(&limits, |_| true);
    let mut classes = Classes::new(&exact);
    let (mut found, mut steps) = (0_u64, 0_u64);
    let done = loop {
        match classes.advance(usize::MAX, || {
            steps += 1;
            steps <= CLASS_STEPS
        }) {
            Found::End => found += 1,
            Found::Done => break true,
            Found::Cut | Found::Cancelled => break false,
        }
    };
    let all = pause == Pause::Complete;
    let more = |complete: bool| if complete { "" } else { "+" };
    let ratio = survey.states() as f64 / found as f64;
    // Executions that were not counted make the ratio smaller, states that were not make it larger.
    let ratio = match (all, done) {
        (true, true) => format!("{ratio:.1}"),
        (false, true) => format!("{ratio:.1}+"),
        (_, false) => "unknown".to_owned(),
    };
    println!(
        "{:<24} {:>9}{:<1} {:>9}{:<1} {:>9}",
        problem.name,
        survey.states(),
        more(all),
        found,
        more(done),
        ratio,
    );
}

/// More than a million states as a graph: explored to the end, then asked.
fn million() {
    let text = programs::two_phase_commit(8);
    let options = Options {
        grain: Grain::Visible,
        ..Options::default()
    };
    let Ok(program) = AmbientTalk::parse(&text, options) else {
        return;
    };
    let mut exploration = Exploration::new(&program, Strategy::BreadthFirst);
    let start = Instant::now();
    exploration.run(
        &Limits {
            states: 3_000_000,
            ..Limits::default()
        },
        |_| true,
    );
    let explored = start.elapsed();
    let graph = exploration.into_graph();
    let start = Instant::now();
    let paths = graph.shortest_paths(NodeId::ROOT, &mut Patient).unwrap();
    let ends: Vec<_> = graph.ends().collect();
    let length: usize = ends
        .iter()
        .filter_map(|end| paths.path(&graph, *end))
        .map(|path| path.len())
        .sum();
    let asked = start.elapsed();
    println!(
        "\n{} states and {} edges explored in {:.2} s; shortest paths to {} ends ({} steps) in {:.3} s",
        graph.len(),
        graph.edge_count(),
        explored.as_secs_f64(),
        ends.len(),
        length,
        asked.as_secs_f64()
    );
}

/// Seconds that all threads of this process have computed.
fn computed() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists, and the time is ours to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// A survey by one share and by two, by turns: what both take of the processor and of the clock.
fn shared(name: &str, text: &str, rounds: usize) {
    let options = Options {
        grain: Grain::Visible,
        ..Options::default()
    };
    let Ok(program) = AmbientTalk::parse(text, options) else {
        return;
    };
    let all = Limits {
        states: usize::MAX,
        ..Limits::default()
    };
    let (mut more, mut more_in_turn, mut more_apart, mut faster) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        // Two shares, one after the other: what dividing costs without what two cores take from each other.
        let in_turn = InTurn(2);
        let workers: [(&str, &dyn Workers); 3] = [
            ("1", &Threads::new(1)),
            ("2", &Threads::new(2)),
            ("2 in turn", &in_turn),
        ];
        let took = workers.map(|(shares, workers)| {
            let (began, clock) = (computed(), Instant::now());
            let mut bytes = 0;
            let mut survey: Survey<_> = Survey::new(program.clone());
            survey.run_on(workers, &all, |survey| {
                bytes = bytes.max(survey.heap_bytes());
                true
            });
            let (states, asked) = (survey.states(), survey.counts().asked);
            std::mem::forget(survey);
            let (cpu, wall) = (computed() - began, clock.elapsed().as_secs_f64());
            println!(
                "{name:<24} {shares:>9} {states:>10} {cpu:>8.2} {wall:>8.2} {:>8.1} {:>8.2}",
                bytes as f64 / states as f64,
                asked as f64 / states as f64,
            );
            (cpu, wall)
        });
        more_apart.push(apart(name, &program) / took[0].0);
        more.push(took[1].0 / took[0].0);
        more_in_turn.push(took[2].0 / took[0].0);
        faster.push(took[0].1 / took[1].1);
    }
    println!(
        "{name:<24} two shares compute {:.2} times as much ({:.2} in turn, {:.2} in turn where they ask each other) and are done {:.2} times as fast",
        median(more),
        median(more_in_turn),
        median(more_apart),
        median(faster)
    );
}

/// A survey by two shares that ask each other, as those of two processes do, but on one core and without a connection:
/// what asking costs.
fn apart(name: &str, program: &AmbientTalk) -> f64 {
    /// So many states each follows before it asks.
    const ROUND: usize = 4096;
    let began = computed();
    let mut alone: Share<_, Fingerprint> = Share::alone(program.clone());
    while alone.waiting() + alone.ahead() < 1000 && alone.waiting() > 0 {
        alone.expand(usize::MAX, &mut ());
        alone.deepen();
    }
    let known: Vec<_> = alone.digests().flatten().collect();
    let mut shares: Vec<_> = (0..2)
        .zip(alone.prefixes().split(2))
        .filter_map(|(nth, part)| {
            let place = (nth, 2);
            Share::of(
                program.with(program.options()),
                place,
                Counts::default(),
                &part,
                known.iter().copied(),
            )
            .ok()
        })
        .collect();
    while shares.iter().any(|share| share.waiting() > 0) {
        while shares.iter().any(|share| share.waiting() > 0 || !share.is_settled()) {
            let asks: Vec<_> = (0..2u32)
                .zip(&mut shares)
                .filter_map(|(nth, share)| {
                    share.expand(ROUND, &mut ());
                    Some((nth, share.ask(1 - nth)?))
                })
                .collect();
            for (nth, ask) in asks {
                let news = shares[1 - nth as usize].answer(&ask);
                shares[nth as usize].settle(&news);
            }
        }
        shares.iter_mut().for_each(Share::deepen);
    }
    let (states, asked) = (
        shares.iter().map(Share::known).sum::<usize>(),
        shares.iter().map(|share| share.counts().asked).sum::<u64>(),
    );
    let bytes: usize = shares.iter().map(Share::heap_bytes).sum();
    std::mem::forget(shares);
    let cpu = computed() - began;
    println!(
        "{name:<24} {:>9} {states:>10} {cpu:>8.2} {:>8} {:>8.1} {:>8.2}",
        "2 apart",
        "",
        bytes as f64 / states as f64,
        asked as f64 / states as f64,
    );
    cpu
}

/// Shares on one core, one after the other.
struct InTurn(usize);

impl Workers for InTurn {
    fn count(&self) -> usize {
        self.0
    }

    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        (0..jobs).for_each(job);
    }
}

fn main() {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let rounds = words.first().and_then(|word| word.parse().ok()).unwrap_or(3);
    // All parts, or those that are named.
    let wanted = |part: &str| words.len() < 2 || words[1..].iter().any(|word| word == part);
    let problems = problems();
    if wanted("speed") {
        println!("ours: interpreted AmbientTalk, visible steps; theirs: stateright, one thread, a model in Rust");
        println!(
            "{:<24} {:>9} {:>9} {:>9} {:>6} {:>6} {:>7} {:>7} {:>7} {:>6} {:>6}",
            "problem", "states", "theirs", "ours/s", "speed", "graph", "B/state", "theirs", "graph", "memory", "graph"
        );
        println!(
            "(speed, graph: our states/s over theirs, without and with keeping the graph; memory, graph: their bytes over ours, likewise)"
        );
        for problem in &problems {
            run(problem, rounds);
        }
    }
    if wanted("executions") {
        println!(
            "\n{:<24} {:>10} {:>10} {:>9}",
            "problem", "states", "executions", "ratio"
        );
        for problem in &problems {
            reduced(problem);
        }
    }
    if wanted("million") {
        million();
    }
    COUNTS.store(false, Relaxed);
    if wanted("shares") {
        println!(
            "\n{:<24} {:>9} {:>10} {:>8} {:>8} {:>8} {:>8}",
            "problem", "shares", "states", "cpu s", "s", "B/state", "asked"
        );
        for (name, text) in [
            ("philosophers 5", programs::philosophers(5)),
            ("two-phase commit 8", programs::two_phase_commit(8)),
            ("two-phase commit 9", programs::two_phase_commit(9)),
        ] {
            shared(name, &text, rounds);
        }
    }
    // Takes minutes: only if it is named.
    if words.iter().any(|word| word == "hundred-million") {
        shared("two-phase commit 11", &programs::two_phase_commit(11), 1);
    }
}
