//! Measures exploration: `cargo run --release -p borges-languages --example amb_scale -- 7 8`
//! explores a sum of 7 choices of 8 numbers each.

use std::time::Instant;

use borges_languages::amb::Amb;
use borges_multiverse::graph::{Exploration, Limits, Strategy};
use borges_multiverse::heed::Patient;

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|word| word.parse::<usize>().unwrap_or(7));
    let (choices, numbers) = (arguments.next().unwrap_or(7), arguments.next().unwrap_or(8));
    let operands: Vec<_> = (0..numbers).map(|n| n.to_string()).collect();
    let choice = format!(" (amb {})", operands.join(" "));
    let text = format!("(+{})", choice.repeat(choices));
    let Ok(program) = Amb::parse(&text) else {
        return;
    };

    let start = Instant::now();
    let mut exploration = Exploration::new(&program, Strategy::BreadthFirst);
    let pause = exploration.run(
        &Limits {
            states: 100_000_000,
            ..Limits::default()
        },
        |_| true,
    );
    let explored = start.elapsed();
    let graph = exploration.graph();
    println!(
        "{pause:?}: {} states, {} edges, {explored:.2?}",
        graph.len(),
        graph.edge_count()
    );
    let bytes = graph.heap_bytes() as f64 / graph.len() as f64;
    println!("{bytes:.0} bytes a state in the graph, without the states' own cells");

    let start = Instant::now();
    if let Ok(counts) = graph.count_paths(&mut Patient).unwrap() {
        println!(
            "{} paths to {} ends, {:.2?}",
            counts.total(),
            counts.ends().len(),
            start.elapsed()
        );
    }
    let start = Instant::now();
    let predecessors = graph.predecessors(&mut Patient).unwrap();
    let end = graph.ends().next();
    let reach = graph.can_reach(&predecessors, end, &mut Patient).unwrap();
    println!(
        "{} states can reach the first end, {:.2?}",
        reach.len(),
        start.elapsed()
    );
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        for line in status.lines().filter(|line| line.starts_with("VmHWM")) {
            println!("{line}");
        }
    }
}
