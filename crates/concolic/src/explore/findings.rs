//! What several explorations of one program find, each from prefixes of its own, put together as if it were one.

use hashbrown::{HashMap, HashSet};

use super::found::Found;
use super::learned::Learned;
use super::prefix::Prefix;
use super::search::{Bounds, Ended, Explored, Start};
use super::{Code, MOST_LEFT_OUT, system};
use crate::constraint::Constraint;
use crate::coverage::Coverage;
use crate::dag::{Dag, Expr};
use crate::decide::{Decider, Effort};
use crate::path::{End, Path, Unexplored};
use crate::solver::Solver;

/// What one exploration found, and what it left.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The expressions in the paths' constraints, and no others.
    pub(super) dag: Dag,
    /// Each path with what its branches come to.
    pub(super) paths: Vec<(u128, Path)>,
    pub(super) unexplored: Vec<Unexplored>,
    pub(super) coverage: Coverage,
    pub(super) steps: u64,
    pub(super) effort: Effort,
    /// The fewest inputs before something that was left out, or cut off.
    pub(super) open: Option<usize>,
    /// Who goes on from these finds the rest.
    pub left: Vec<Prefix>,
}

impl Explored {
    /// What was found, apart from how; and what was learned. What came before it, is not its own: the effort is told
    /// since `before`.
    #[must_use]
    pub fn into_findings(mut self, before: Effort) -> (Findings, Learned) {
        let left = self.left();
        let cut = self.paths.iter().filter_map(Path::cut_after);
        let open = cut.chain(self.unvisited.levels.shallowest()).min();
        let mut dag = Dag::default();
        let mut adopted = HashMap::new();
        adopt_paths(&mut dag, &self.dag, &mut self.paths, &mut adopted);
        let findings = Findings {
            dag,
            paths: self.trails.into_iter().zip(self.paths).collect(),
            unexplored: self.unexplored,
            coverage: self.coverage,
            steps: self.steps,
            effort: self.decider.effort.since(before),
            open,
            left,
        };
        let learned = Learned {
            dag: self.dag,
            decider: self.decider,
        };
        (findings, learned)
    }
}

impl Explored {
    /// Forgets of paths that end otherwise what was decided on them and under which conditions: it is known that there are
    /// such paths, and no more. What a bound cut off stays as it is.
    pub fn thin(&mut self, is_wanted: impl Fn(&End) -> bool) {
        let paths = self.paths.iter_mut();
        for path in paths.filter(|path| !matches!(path.end, End::Cut(_)) && !is_wanted(&path.end)) {
            path.outcomes = Vec::new();
            path.ways = Vec::new();
        }
    }
}

/// Brings the constraints of some paths from one set of expressions to another.
fn adopt_paths(dag: &mut Dag, from: &Dag, paths: &mut [Path], adopted: &mut HashMap<Expr, Expr>) {
    let ways = paths.iter_mut().flat_map(|path| &mut path.ways);
    for Constraint { expr, .. } in ways.flat_map(|way| &mut way.constraints) {
        *expr = dag.adopt(from, *expr, adopted);
    }
}

impl Findings {
    /// Instructions executed.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The paths in the order in which they were found, each with what its branches come to: with its end and its events, that tells it from all others.
    pub fn keyed(&self) -> impl Iterator<Item = (u128, &Path)> {
        self.paths.iter().map(|(trail, path)| (*trail, path))
    }
}

/// What was gathered of several explorations so far.
pub struct Gathered {
    dag: Dag,
    found: Found,
    unexplored: Vec<Unexplored>,
    said: HashSet<&'static str>,
    coverage: Coverage,
    steps: u64,
    effort: Effort,
    open: Option<usize>,
    bounds: Bounds,
}

impl Gathered {
    /// Nothing so far.
    #[must_use]
    pub fn new(start: &Start, bounds: Bounds) -> Self {
        let code = start.machine.module();
        let code = code.map(|module| Code::new(module, &bounds.stops));
        Gathered {
            dag: Dag::default(),
            found: Found::default(),
            unexplored: Vec::new(),
            said: HashSet::new(),
            coverage: code.map_or_else(Coverage::default, |code| Coverage::new(code.offsets())),
            steps: 0,
            effort: Effort::default(),
            open: None,
            bounds,
        }
    }

    /// Adds what one exploration found; each of its paths' number among all, and whether it is a new one. Once there are as
    /// many as the bound says, further ones are not kept.
    pub fn add(&mut self, findings: Findings) -> Vec<Option<(usize, bool)>> {
        let Findings {
            dag,
            paths,
            unexplored,
            coverage,
            steps,
            effort,
            open,
            left: _,
        } = findings;
        self.open = self.open.into_iter().chain(open).min();
        self.steps += steps;
        self.effort = self.effort.plus(effort);
        self.coverage.absorb(&coverage);
        let mut adopted = HashMap::new();
        let mut numbers = Vec::with_capacity(paths.len());
        for (trail, mut path) in paths {
            let is_full = self.found.paths.len() >= self.bounds.paths;
            if is_full && !self.found.has(trail, &path) {
                numbers.push(None);
                continue;
            }
            let one = std::slice::from_mut(&mut path);
            adopt_paths(&mut self.dag, &dag, one, &mut adopted);
            numbers.push(Some(self.found.add_path(trail, path)));
        }
        for left in unexplored {
            self.left_out(left);
        }
        numbers
    }

    /// Notes that something is not explored, wherever it is, and why.
    pub fn leave_out(&mut self, why: &str) {
        self.left_out(Unexplored::anywhere(why));
    }

    fn left_out(&mut self, left: Unexplored) {
        let once = system::said_once(&left.reason);
        let is_known = match once {
            Some(reason) => !self.said.insert(reason),
            None => self.unexplored.contains(&left),
        };
        if !is_known && self.unexplored.len() <= self.bounds.paths.max(MOST_LEFT_OUT) {
            self.unexplored.push(left);
        }
    }

    /// All of it as one exploration, which has left these prefixes if something ended it early. `solver`: who answers what is
    /// asked about its paths.
    #[must_use]
    pub fn into_explored(
        self,
        ended: Option<Ended>,
        left: &[Prefix],
        solver: Option<Box<dyn Solver>>,
    ) -> Explored {
        let mut decider = Decider::new(solver);
        decider.effort = self.effort;
        let left_open = left.iter().map(|prefix| prefix.reads as usize);
        let looked = match left_open.chain(self.open).min() {
            Some(open) => open.checked_sub(1).map(|inputs| inputs as u32),
            None => Some(self.bounds.inputs),
        };
        Explored {
            dag: self.dag,
            trails: self.found.trails,
            unexplored: self.unexplored,
            coverage: self.coverage,
            steps: self.steps,
            waiting: left.len(),
            ended,
            looked,
            decider,
            ..Explored::of_paths(self.found.paths, self.bounds)
        }
    }
}
