//! Device programs as graphs.

mod common;

use std::path::Path;

use borges_board::Board;
use borges_concolic::{Bounds, Budget, Device};
use borges_multiverse::graph::{Exploration, Limits, Strategy};

#[test]
fn table() {
    for (folder, module) in [
        ("knock", "knock"),
        ("knock", "knock-O0"),
        ("switch-case", "switch-case"),
        ("keyboard", "keyboard"),
        ("touch-sensor-lamp", "touch-sensor-lamp"),
        ("love-o-meter", "love-o-meter"),
        ("while-no-calibrate", "while-no-calibrate"),
        ("knock-lock", "knock-lock"),
        ("zoetrope", "zoetrope"),
        ("zoetrope", "zoetrope-O0"),
        ("crystal-ball", "crystal-ball"),
        ("gesture-robot", "gesture-robot"),
        ("color-dial", "color-dial"),
        ("temperature-monitor", "temperature-monitor"),
        ("light-sensor", "light-sensor"),
        ("smart-curtain", "smart-curtain"),
        ("blink", "blink"),
        ("while", "while"),
        ("uart-parser", "uart-parser"),
        ("breakout", "breakout"),
        ("binary-counter", "binary-counter"),
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../examples")
            .join(folder);
        let bytes =
            std::fs::read(folder.join(format!("{module}.wasm"))).expect("a committed module");
        let board = std::fs::read_to_string(folder.join("board.toml")).expect("a board");
        let board = Board::parse("board.toml", &board).expect("a valid board");
        let start = common::start(&bytes, board);
        let begun = std::time::Instant::now();
        let clock = || begun.elapsed();
        let heard = |_| borges_concolic::Flow::Continue;
        let budget = Budget::new(std::time::Duration::from_secs(4), &clock, &heard);
        let device = Device::new(
            start,
            Bounds {
                steps: 1_000_000,
                ..Bounds::default()
            },
            None,
            &budget,
        )
        .expect("a program");
        let mut exploration = Exploration::new(device, Strategy::BreadthFirst);
        let pause = exploration.run(
            &Limits {
                states: 3000,
                depth: u32::MAX,
            },
            |_| !budget.is_spent(),
        );
        let progress = exploration.progress();
        let graph = exploration.into_graph();
        eprintln!(
            "{module}: {pause:?} states {} edges {} depth {} ends {} left out {:?} cut {} in {:?}",
            graph.len(),
            graph.edge_count(),
            progress.depth,
            progress.ends,
            graph
                .language()
                .unexplored()
                .iter()
                .map(|u| u.reason.chars().take(40).collect::<String>())
                .collect::<Vec<_>>(),
            graph.language().is_cut(),
            begun.elapsed()
        );
    }
}
