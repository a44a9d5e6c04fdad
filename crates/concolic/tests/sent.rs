//! Findings that travel: they arrive as they were, and what makes no sense does no harm.

use std::time::{Duration, Instant};

use crate::common::{board, explore_by, i32s, start_wat};
use borges_concolic::{
    Bounds, Budget, Effort, Explored, Findings, Flow, Gathered, SearchOrder, Start, suggest,
};
use fastrand::Rng;

/// Readings that are added up, looked up in a table, and compared.
fn program() -> Start {
    let text = r#"(module (import "env" "in" (func $in (result i32)))
        (memory 1) (data (i32.const 0) "\05\00\00\00\02\00\00\00\09\00\00\00\01\00\00\00")
        (func (export "main") (local $a i32) (local $b i32)
            (local.set $a (call $in))
            (local.set $b (i32.mul (call $in) (local.get $a)))
            (if (i32.eq (i32.add (local.get $a) (local.get $b)) (i32.const 35)) (then (unreachable)))
            (if (i32.gt_s (i32.load (i32.and (local.get $a) (i32.const 12))) (i32.const 4)) (then (return)))
            (if (i64.lt_u (i64.extend_i32_u (local.get $b)) (i64.const 100))
                (then (if (i32.eqz (call $in)) (then (nop)) (else (nop)))))
            (if (i32.gt_s (local.get $a) (i32.const 50)) (then (nop)) (else (nop)))))"#;
    start_wat(text, board(vec![("in", vec![], i32s(0, 100))]))
}

fn explored(start: &Start) -> Explored {
    let bounds = Bounds {
        inputs: 3,
        ..Bounds::default()
    };
    explore_by(start, &bounds, SearchOrder::DepthFirst)
}

/// Everything that is done with findings.
fn used(start: &Start, findings: Findings) -> Explored {
    let left = findings.left.clone();
    let mut gathered = Gathered::new(start, Bounds::default());
    gathered.add(findings);
    gathered.into_explored(None, &left, None)
}

#[test]
fn what_arrives_is_what_was_sent() {
    let start = program();
    let (findings, _) = explored(&start).into_findings(Effort::default());
    let paths = findings.keyed().count();
    assert!(paths >= 5, "{paths}");
    let bytes = postcard::to_allocvec(&findings).expect("room");
    let arrived: Findings = postcard::from_bytes(&bytes).expect("findings");
    assert_eq!(postcard::to_allocvec(&arrived).expect("room"), bytes);
    let (mut here, mut there) = (used(&start, findings), used(&start, arrived));
    assert_eq!(here.paths, there.paths);
    assert_eq!(here.looked, there.looked);
    let executed = |explored: &Explored| {
        let all = explored.coverage.instructions();
        all.map(|(at, witness)| (at, witness.cloned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(executed(&here), executed(&there));
    let unlimited = Budget::unlimited();
    let suggested = [&mut here, &mut there].map(|all| format!("{:?}", suggest(all, &unlimited)));
    assert_eq!(suggested[0], suggested[1]);
}

#[test]
fn damaged_findings_are_refused_or_do_no_harm() {
    let start = program();
    let (findings, _) = explored(&start).into_findings(Effort::default());
    let bytes = postcard::to_allocvec(&findings).expect("room");
    let mut random = Rng::with_seed(5);
    let (mut refused, mut taken) = (0, 0);
    for _ in 0..4000 {
        let mut damaged = bytes.clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..damaged.len());
            damaged[at] = random.u8(..);
        }
        if random.u8(..4) == 0 {
            damaged.truncate(random.usize(..damaged.len()));
        }
        let Ok(findings) = postcard::from_bytes::<Findings>(&damaged) else {
            refused += 1;
            continue;
        };
        taken += 1;
        let mut explored = used(&start, findings);
        let began = Instant::now();
        let (clock, heard) = (|| began.elapsed(), |_| Flow::Continue);
        let _suggestions = suggest(
            &mut explored,
            &Budget::new(Duration::from_millis(20), &clock, &heard),
        );
    }
    assert!(refused > 100 && taken > 100, "{refused} {taken}");
}
