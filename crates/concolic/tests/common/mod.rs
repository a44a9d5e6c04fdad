//! The truth, without symbols: every combination of inputs is run, and every branch is written down.

#![allow(dead_code, unreachable_pub, reason = "not every test needs everything")]

use std::collections::{BTreeMap, HashMap};

use borges_board::{Board, BoardState, Captured, Codomain, Kind, Primitive, PrimitiveId};
use borges_concolic::{Bounds, Explored, Flow, Start, Strategy, cell_of};
use borges_vm::binary::Instr;
use borges_vm::{
    CodeOffset, Exit, Limits, Machine, Module, Observer, Shared, Site, Trap, ValType, Value,
};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ended {
    Returned,
    Trapped(String, Option<u32>),
    Inputs,
    Steps,
}

/// All branches of a run, those that depend on no input included, and its end.
pub type Signature = (Vec<(u32, u32)>, Ended);

/// What a run did, and the inputs that it read; or what the next input may answer.
pub type Ran = Result<(Signature, Vec<(PrimitiveId, Vec<Value>)>), Codomain>;

/// A board whose inputs have these codomains.
pub fn board(inputs: Vec<(&'static str, Vec<ValType>, Codomain)>) -> Board {
    let inputs = inputs.into_iter();
    let declared = inputs
        .map(|(name, params, codomain)| Primitive::declared_input("env", name, params, codomain));
    Board::with_primitives(declared.collect())
}

/// `low..=high`.
pub fn i32s(low: i32, high: i32) -> Codomain {
    Codomain::range(Value::I32(low), Value::I32(high))
}

/// A program at the start of its export `main`.
pub fn start(module: &[u8], board: Board) -> Start {
    let limits = Limits {
        call_depth: 64,
        ..Limits::default()
    };
    let module = Shared::new(Module::new(module, &limits).expect("a valid module"));
    let primitives = module
        .imports()
        .filter_map(|import| match import.ty {
            borges_vm::ExternType::Func(ty) => Some(
                board
                    .bind(import.module, import.name, ty)
                    .expect("known imports"),
            ),
            _ => None,
        })
        .collect();
    let main = module.exported_func("main").expect("an export 'main'");
    let mut machine = Machine::new(module, limits).expect("instantiation");
    machine.begin(main, &[]).expect("main takes nothing");
    let board = borges_board::Shared::new(board);
    Start {
        state: BoardState::lean(&board),
        machine,
        board,
        primitives,
    }
}

/// A program from text.
pub fn start_wat(text: &str, board: Board) -> Start {
    start(&wat::parse_str(text).expect("valid text"), board)
}

/// Writes down every branch.
pub struct Log<'l> {
    kinds: &'l HashMap<u32, Kinds>,
    tables: &'l [Vec<Value>],
    pub branches: Vec<(u32, u32)>,
}

#[derive(Clone, Copy)]
enum Kinds {
    Condition,
    Switch(u32),
    Indirect(u32),
}

impl Observer for Log<'_> {
    fn before(&mut self, site: &Site<'_>) -> bool {
        let at = site.offset().0;
        let Some(kind) = self.kinds.get(&at) else {
            return false;
        };
        let top = *site.cells().last().expect("an operand") as u32;
        let taken = match kind {
            Kinds::Condition => u32::from(top != 0),
            Kinds::Switch(labels) => {
                let label = top.min(labels - 1) as usize;
                site.branch(label).expect("a label").target.0
            }
            Kinds::Indirect(table) => {
                let table = &self.tables[*table as usize];
                match table.get(top as usize) {
                    Some(Value::FuncRef(Some(function))) => *function,
                    _ => u32::MAX,
                }
            }
        };
        self.branches.push((at, taken));
        false
    }
}

/// Runs programs plainly.
pub struct Plain<'p> {
    start: &'p Start,
    kinds: HashMap<u32, Kinds>,
    tables: Vec<Vec<Value>>,
    pub bounds: Bounds,
}

impl<'p> Plain<'p> {
    pub fn new(start: &'p Start, bounds: Bounds) -> Self {
        let module = start.machine.module().expect("a module").clone();
        let mut kinds = HashMap::new();
        for func in module.funcs() {
            for (CodeOffset(at), instr) in module.instrs(func) {
                let kind = match instr {
                    Instr::If(_) | Instr::BrIf(_) => Kinds::Condition,
                    Instr::BrTable(targets) => Kinds::Switch(targets.len() + 1),
                    Instr::CallIndirect { table, .. } => Kinds::Indirect(table),
                    _ => continue,
                };
                kinds.insert(at, kind);
            }
        }
        let tables = module.table_types().len() as u32;
        Plain {
            start,
            kinds,
            tables: (0..tables)
                .map(|table| start.machine.table(table))
                .collect(),
            bounds,
        }
    }

    /// Runs with these answers; where they are used up, nothing: then the wanted input's codomain is told.
    pub fn run(&self, answers: &[Value]) -> Ran {
        let board = &self.start.board;
        let mut machine = self.start.machine.clone();
        let mut state = self.start.state.clone();
        let mut log = Log {
            kinds: &self.kinds,
            tables: &self.tables,
            branches: Vec::new(),
        };
        let mut answers = answers.iter();
        let mut read = Vec::new();
        let until = machine.steps() + self.bounds.steps;
        let ended = loop {
            match machine.run_observed(until, &mut log) {
                Exit::Finished => break Ended::Returned,
                Exit::Trapped(trap) => break trapped(&machine, trap),
                Exit::HostCall => {}
                _ => break Ended::Steps,
            }
            let pending = machine.pending().expect("a call");
            let id = self.start.primitives[pending.func.0 as usize];
            let args = pending.args.clone();
            let result = match board.primitive(id).expect("known").kind {
                Kind::Trap => break trapped(&machine, Trap::Host),
                Kind::Constant(value) => Some(value),
                Kind::Output => {
                    match state.apply(board, id, &args, machine.memory(), &Captured::default()) {
                        Ok(result) => result,
                        Err(_) => break trapped(&machine, Trap::Host),
                    }
                }
                Kind::Input => {
                    if board.check_input(id, &args).is_err() {
                        break trapped(&machine, Trap::Host);
                    }
                    if read.len() >= self.bounds.inputs as usize {
                        break Ended::Inputs;
                    }
                    let codomain = board.codomain_at(id, &args, &state);
                    let Some(value) = answers.next() else {
                        return Err(codomain);
                    };
                    assert!(
                        codomain.contains(*value),
                        "{value} is not one of {codomain}"
                    );
                    state.observe(board, id, &args, *value);
                    read.push((id, args.clone()));
                    Some(*value)
                }
            };
            machine
                .answer(result.as_slice())
                .expect("an answer of the right type");
        };
        if let Ended::Trapped(_, Some(at)) = ended
            && matches!(self.kinds.get(&at), Some(Kinds::Indirect(_)))
        {
            // It calls no function.
            log.branches.pop();
        }
        Ok(((log.branches, ended), read))
    }

    /// All combinations of inputs, each with what it does.
    pub fn all(&self) -> BTreeMap<Signature, Vec<Vec<Value>>> {
        let mut found: BTreeMap<Signature, Vec<Vec<Value>>> = BTreeMap::new();
        let mut stack = vec![Vec::new()];
        while let Some(answers) = stack.pop() {
            match self.run(&answers) {
                Ok((signature, _)) => found.entry(signature).or_default().push(answers),
                Err(codomain) => {
                    let count = codomain.count().expect("few values");
                    for n in 0..count {
                        let mut longer = answers.clone();
                        longer.push(codomain.nth(n).expect("counted"));
                        stack.push(longer);
                    }
                }
            }
        }
        found
    }
}

fn trapped(machine: &Machine, trap: Trap) -> Ended {
    let at = machine.location().map(|location| location.offset.0);
    Ended::Trapped(trap.to_string(), at)
}

/// Explores without a solver.
pub fn explore(start: &Start, bounds: &Bounds) -> Explored {
    let strategy = Strategy::DepthFirst;
    borges_concolic::explore(start, bounds.clone(), strategy, None, &mut |_| {
        Flow::Continue
    })
}

/// The paths are those of all runs; the tree leads to each; sets are exact.
pub fn check(start: &Start, bounds: &Bounds) -> Explored {
    let plain = Plain::new(start, bounds.clone());
    let truth = plain.all();
    let mut explored = explore(start, bounds);
    assert_eq!(explored.unexplored, [], "left out");
    assert!(explored.is_complete(), "not complete");
    assert_eq!(explored.paths.len(), truth.len(), "the number of paths");
    check_tree(&plain, &mut explored);
    explored
}

/// Every path of the tree takes its branches when it is run, and so does every value of a set, and no other.
pub fn check_tree(plain: &Plain<'_>, explored: &mut Explored) {
    let tree = borges_concolic::suggest(explored);
    assert_eq!(
        tree.left_out,
        Vec::<usize>::new(),
        "paths left out of the tree"
    );
    let mut seen = std::collections::BTreeSet::new();
    let mut runs: Vec<Vec<Value>> = Vec::new();
    for (path, answers) in tree.answers.iter().enumerate() {
        let answers = answers.as_ref().expect("every path is in the tree");
        let reads = &explored.paths[path].ways[0].reads;
        let values: Vec<Value> = reads
            .iter()
            .zip(answers)
            .map(|(read, cell)| borges_concolic::value_of(read.ty, *cell))
            .collect();
        let (signature, _) = plain.run(&values).expect("as many inputs as the path has");
        // What depends on inputs is in the order in which it happens among all branches.
        let mut all = signature.0.iter();
        for outcome in &explored.paths[path].outcomes {
            assert!(
                all.any(|branch| *branch == (outcome.at.0, outcome.taken)),
                "path {path} with {values:?} does not take {outcome:?}"
            );
        }
        assert!(seen.insert(signature), "two paths are one");
        runs.push(values);
    }
    check_sets(plain, explored, &tree, &runs);
}

/// Every value of a set keeps all paths behind it; no other value of the codomain does.
fn check_sets(
    plain: &Plain<'_>,
    explored: &Explored,
    tree: &borges_concolic::Suggestions,
    runs: &[Vec<Value>],
) {
    use borges_concolic::SuggestionNode as Node;
    let mut stack = vec![(0, Vec::new())];
    while let Some((number, prefix)) = stack.pop() {
        let Node::Input { ty, options, .. } = &tree.nodes[number] else {
            continue;
        };
        let codomain = plain.run(&prefix).expect_err("an input is read here");
        let place = prefix.len();
        for option in options {
            let chosen = borges_concolic::value_of(*ty, option.cell);
            let mut longer: Vec<Value> = prefix.clone();
            longer.push(chosen);
            let behind: Vec<&Vec<Value>> = (0..explored.paths.len())
                .map(|path| &runs[path])
                .filter(|run| run.starts_with(&longer))
                .collect();
            let count = codomain.count().unwrap_or(u64::MAX);
            let samples = count.min(64);
            for n in 0..samples {
                let nth = if count <= 64 {
                    n
                } else {
                    n * (count / 64) + n % 7
                };
                let Some(value) = codomain.nth(nth) else {
                    continue;
                };
                let keeps = behind.iter().all(|run| keeps(plain, run, place, value));
                let inside = option.set.contains(cell_of(value));
                assert!(
                    inside == keeps || !option.is_exact && !inside,
                    "input {place} after {prefix:?}: {value} is {} {}, but keeps the paths: {keeps}",
                    if inside { "in" } else { "not in" },
                    option.set.to_codomain(*ty)
                );
            }
            stack.push((option.next, longer));
        }
    }
}

/// Whether a run stays on its path with another value at one place.
fn keeps(plain: &Plain<'_>, run: &[Value], place: usize, value: Value) -> bool {
    let mut changed = run.to_vec();
    changed[place] = value;
    // A value may forbid a later one: then it is no stand-in.
    let board = &plain.start.board;
    let allowed = std::panic::AssertUnwindSafe(|| plain.run(&changed));
    let _ = board;
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = std::panic::catch_unwind(allowed);
    std::panic::set_hook(hook);
    match (outcome, plain.run(run)) {
        (Ok(Ok((now, _))), Ok((before, _))) => now == before,
        _ => false,
    }
}
