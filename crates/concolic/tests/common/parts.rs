//! One exploration in many parts, each from the prefixes that those before it left.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use borges_concolic::{
    Bounds, Budget, Constraint, Dag, Explored, Expr, Flow, Gathered, Learned, Node, Path, Prefix,
    Progress, Search, SearchOrder, Start, Way, explore,
};
use borges_vm::CodeOffset;

/// Paths put together: each with its conditions; and what was left out.
#[derive(Debug, Default, PartialEq)]
pub struct Together {
    ways: BTreeMap<String, BTreeSet<String>>,
    left_out: BTreeSet<String>,
}

/// How an expression is made, in full.
fn shown(dag: &Dag, expr: Expr) -> String {
    let of = |expr| shown(dag, expr);
    match dag.node(expr) {
        Node::Const(cell) => format!("{}:{cell}", dag.ty(expr)),
        Node::Input(place) => format!("in{place}"),
        Node::Unary(op, a) => format!("{}({})", op.name(), of(a)),
        Node::Binary(op, a, b) => format!("{}({},{})", op.name(), of(a), of(b)),
        Node::Choose(a, b, c) => format!("choose({},{},{})", of(a), of(b), of(c)),
        Node::Lookup(table, index) => {
            let values = dag.table(table).values.iter();
            let values: Vec<String> = values.map(|value| of(*value)).collect();
            let first = dag.table(table).first;
            format!("{first}+[{}][{}]", values.join(","), of(index))
        }
    }
}

fn way(dag: &Dag, way: &Way) -> String {
    let constraint = |Constraint { expr, allowed }: &Constraint| {
        format!("{} in {:?}", shown(dag, *expr), allowed.intervals())
    };
    let related: Vec<String> = way.constraints.iter().map(constraint).collect();
    // Which values the inputs have that stand for all is another matter: it depends on what was decided before.
    format!("{:?} where {related:?}", way.reads)
}

impl Together {
    pub fn add(&mut self, explored: &Explored) {
        for (path, trail) in explored.paths.iter().zip(&explored.trails) {
            self.path(&explored.dag, path, *trail);
        }
        let left = explored.unexplored.iter();
        self.left_out
            .extend(left.map(|left| left.reason.to_string()));
    }

    pub fn path(&mut self, dag: &Dag, path: &Path, trail: u128) {
        let Path { end, events, .. } = path;
        // Of several ways, each may have taken other branches that depend on inputs.
        let key = format!("{trail} {end:?} {events:?}");
        let ways = self.ways.entry(key).or_default();
        ways.extend(path.ways.iter().map(|found| way(dag, found)));
    }
}

/// Whatever parts it is explored in, the same is found as in one go.
pub fn check_parts(start: &Start, bounds: &Bounds, whole: &Explored) {
    for most in [1, 2, 7] {
        let pauses = |progress: Progress| progress.paths >= most;
        let mut all = Gathered::new(start, bounds.clone());
        let mut waiting = vec![Prefix::default()];
        let mut learned: Option<Learned> = None;
        while !waiting.is_empty() {
            let before = learned.as_ref().map(Learned::effort).unwrap_or_default();
            let search = Search {
                bounds: bounds.clone(),
                prefixes: vec![waiting.remove(0)],
                pauses: Some(&pauses),
                learned: learned.take(),
                ..Search::default()
            };
            let budget = Budget::unlimited();
            let explored = explore(start, search, &budget, &mut |_| Flow::Continue);
            let (findings, more) = explored.into_findings(before);
            waiting.splice(0..0, findings.left.iter().cloned());
            all.add(findings);
            learned = Some(more);
        }
        let all = all.into_explored(None, &[], None);
        assert_eq!(all.is_complete(), whole.is_complete());
        assert_eq!(all.looked, whole.looked);
        assert_eq!(told(&all), told(whole));
        assert_eq!(executed(&all), executed(whole));
        let mut together = Together::default();
        together.add(&all);
        let mut at_once = Together::default();
        at_once.add(whole);
        same(&together, &at_once);
    }
}

/// What was left out, and where.
fn told(explored: &Explored) -> Vec<(&str, Option<CodeOffset>)> {
    let left = explored.unexplored.iter();
    let mut left: Vec<_> = left.map(|left| (&*left.reason, left.at)).collect();
    left.sort();
    left
}

/// What was executed, and which branches went one way only.
fn executed(explored: &Explored) -> Vec<(CodeOffset, bool)> {
    let coverage = &explored.coverage;
    let executed = coverage.instructions();
    let executed = executed.filter(|(_, witness)| witness.is_some());
    let executed = executed.map(|(offset, _)| (offset, true));
    executed.chain(coverage.one_sided()).collect()
}

/// The same if every part is cut off wherever its time happens to end: what was under way then is found by the next.
pub fn check_cut_off(start: &Start, bounds: &Bounds, whole: &Explored) {
    let mut at_once = Together::default();
    at_once.add(whole);
    let mut together = Together::default();
    let mut prefixes = vec![Prefix::default()];
    let mut looks = 1;
    while !prefixes.is_empty() {
        let now = Cell::new(0);
        let clock = || {
            now.set(now.get() + 1);
            Duration::from_nanos(now.get())
        };
        let goes_on = |_: Progress| Flow::Continue;
        let budget = Budget::new(Duration::from_nanos(looks), &clock, &goes_on);
        let search = Search {
            bounds: bounds.clone(),
            prefixes,
            strategy: SearchOrder::DepthFirst,
            ..Search::default()
        };
        let explored = explore(start, search, &budget, &mut |_| Flow::Continue);
        together.add(&explored);
        prefixes = explored.left();
        // It takes some time until anything is done at all.
        looks += 1 + looks / 2;
    }
    same(&together, &at_once);
}

/// The first difference says more than all paths.
pub fn same(found: &Together, expected: &Together) {
    let (found, expected) = (format!("{found:#?}"), format!("{expected:#?}"));
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
}
