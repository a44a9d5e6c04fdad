//! The truth, without symbols: every combination of inputs is run, and every branch is written down.

#![allow(dead_code, unreachable_pub, reason = "not every test needs everything")]

pub mod parts;

use std::collections::{BTreeSet, HashMap, HashSet};

use borges_board::{
    Board, BoardState, Captured, Codomain, Primitive, PrimitiveId, PrimitiveKind, SystemCall,
    SystemStart, Yield,
};
use borges_concolic::solver::{Query, Solver, SolverInput};
use borges_concolic::{
    Bounds, Budget, Constraint, Dag, Explored, Expr, Flow, Search, SearchOrder, Set, Solution,
    Start, Suggestions, SystemChoices, suggest_on, value_of,
};
use borges_vm::binary::Instr;
use borges_vm::{
    CodeOffset, Exit, Limits, Machine, Module, Observer, Shared, Site, Trap, ValType, Value,
};
use borges_wasi::{Function, Item, Preview, Setup, WasiImport};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ended {
    Returned,
    Exited(u32),
    Trapped(String, Option<u32>),
    Inputs,
    Steps,
}

/// All branches of a run, those that depend on no input included, and its end.
pub type Signature = (Vec<(u32, u32)>, Ended);

/// Where a run has come to.
pub enum Stage {
    /// Its end.
    Done(Signature),
    /// An input, which may answer several things.
    Asks(Box<Asking>),
}

/// A run that stands before an input.
#[derive(Clone)]
pub struct Asking {
    machine: Machine,
    state: BoardState,
    branches: Vec<(u32, u32)>,
    read: u32,
    id: PrimitiveId,
    args: Vec<Value>,
    choices: SystemChoices,
    what: What,
    /// What it returns, once that is known: then its bytes are asked for.
    returned: Option<Value>,
    bytes: Vec<u8>,
    pub codomain: Codomain,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    /// An input.
    Input,
    /// Whether a call of an operating system fails.
    Fault,
    /// At most so many bytes of standard input.
    Stdin(u32),
}

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
        choices: SystemChoices::default(),
    }
}

/// A program that calls an operating system, from the text behind its imports and its memory. It finds this standard input
/// and a file.
pub fn start_system(choices: SystemChoices, input: &[u8], body: &str) -> Start {
    let functions = [
        Function::FdRead,
        Function::FdWrite,
        Function::PathOpen,
        Function::ProcExit,
    ];
    let imports = functions.map(|function| WasiImport {
        preview: Preview::One,
        function,
    });
    let files = [("a".to_owned(), Item::File(b"abc".to_vec()))];
    let setup = Setup {
        folders: vec![("/d".to_owned(), files.into_iter().collect())],
        input: input.to_vec(),
        ..Setup::default()
    };
    let board = Board::with_primitives(Vec::new()).with_system(SystemStart {
        setup,
        imports: imports.to_vec(),
    });
    let text = format!(
        r#"(module
        (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "path_open"
            (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (memory 1)
        {body})"#
    );
    Start {
        choices,
        ..start_wat(&text, board.expect("a system"))
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

impl Asking {
    /// Lets the call of an operating system happen as it was chosen.
    fn called(&mut self, board: &Board, chosen: &Yield) {
        let memory = self.machine.memory();
        let called = self
            .state
            .call_system(board, self.id, &self.args, memory, Some(chosen));
        let Ok(SystemCall::Answers { result, writes }) = called else {
            panic!("{called:?}");
        };
        let answered = self.machine.answer_with(result.as_slice(), &writes);
        answered.expect("the right type");
    }
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
                    Instr::CallIndirect { table, .. } | Instr::ReturnCallIndirect { table, .. } => {
                        Kinds::Indirect(table)
                    }
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

    /// Runs to the first input, or to the end.
    pub fn begin(&self) -> Stage {
        let (machine, state) = (self.start.machine.clone(), self.start.state.clone());
        self.go_on(machine, (state, self.start.choices), Vec::new(), 0, false)
    }

    /// Goes on with an answer; nothing if it is none that the board allows there.
    pub fn answer(&self, asking: &Asking, value: Value) -> Option<Stage> {
        if !asking.codomain.contains(value) {
            return None;
        }
        let mut asking = asking.clone();
        let board = &self.start.board;
        match (asking.what, asking.returned, value) {
            (What::Fault, _, Value::I32(0)) => {
                asking.branches.push((u32::MAX, 0));
                return Some(self.gone_on(asking, true));
            }
            (What::Fault, ..) => {
                asking.branches.push((u32::MAX, 1));
                asking.choices.faults -= 1;
                asking.called(board, &value.into());
                return Some(self.gone_on(asking, false));
            }
            (_, None, _) => asking.returned = Some(value),
            (_, Some(_), Value::I32(byte)) => asking.bytes.push(byte as u8),
            (_, Some(_), _) => return None,
        }
        let (id, args, value) = (asking.id, asking.args.clone(), asking.returned?);
        let (count, allowed) = match (asking.what, value) {
            (What::Stdin(_), Value::I32(count)) => (count as usize, i32s(0, 255)),
            _ => board.bytes_with(id, &args, value),
        };
        if asking.bytes.len() < count {
            asking.codomain = allowed;
            return Some(Stage::Asks(Box::new(asking)));
        }
        if asking.what != What::Input || board.counts_bytes(id) {
            // How many bytes come is decided like a branch.
            asking.branches.push((u32::MAX, count as u32));
        }
        let bytes = asking.bytes.clone().into();
        let yielded = Yield { value, bytes };
        if let What::Stdin(most) = asking.what {
            asking.choices.came(count as u32, most);
            asking.called(board, &yielded);
        } else {
            asking.state.observe(board, id, &args, value);
            let writes = board.writes(id, &args, &yielded);
            let answered = asking.machine.answer_with(&[value], &writes);
            answered.expect("the right type");
        }
        asking.read += 1;
        Some(self.gone_on(asking, false))
    }

    fn gone_on(&self, asking: Asking, is_decided: bool) -> Stage {
        let Asking {
            machine,
            state,
            choices,
            branches,
            read,
            ..
        } = asking;
        self.go_on(machine, (state, choices), branches, read, is_decided)
    }

    /// The end that these answers lead to from here; nothing if the board does not allow one of them.
    pub fn end(&self, stage: Stage, answers: &[Value]) -> Option<Signature> {
        let mut stage = stage;
        for value in answers {
            match stage {
                Stage::Done(_) => return None,
                Stage::Asks(asking) => stage = self.answer(&asking, *value)?,
            }
        }
        match stage {
            Stage::Done(signature) => Some(signature),
            Stage::Asks(_) => None,
        }
    }

    fn go_on(
        &self,
        mut machine: Machine,
        (mut state, choices): (BoardState, SystemChoices),
        branches: Vec<(u32, u32)>,
        read: u32,
        mut is_decided: bool,
    ) -> Stage {
        let board = &self.start.board;
        let mut log = Log {
            kinds: &self.kinds,
            tables: &self.tables,
            branches,
        };
        let until = self.start.machine.steps() + self.bounds.steps;
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
                PrimitiveKind::Trap => break trapped(&machine, Trap::Host),
                PrimitiveKind::Constant(value) => Some(value),
                PrimitiveKind::Output => {
                    if board.check_handler(id, &args, &machine).is_err() {
                        break trapped(&machine, Trap::Host);
                    }
                    match state.apply(board, id, &args, machine.memory(), &Captured::default()) {
                        Ok(result) => result,
                        Err(_) => break trapped(&machine, Trap::Host),
                    }
                }
                PrimitiveKind::System => {
                    let memory = machine.memory();
                    let errors = state.may_fail_here(board, id, &args, memory);
                    let errors = errors.filter(|_| choices.faults > 0 && !is_decided);
                    is_decided = false;
                    let mut called = Ok(SystemCall::Traps);
                    if errors.is_none() {
                        called = state.call_system(board, id, &args, memory, None);
                    }
                    let called = called.expect("a call of the system");
                    let most = called
                        .input_wanted()
                        .and_then(|most| choices.most_input(most));
                    let (what, codomain) = match (called, errors, most) {
                        (_, Some(errors), _) => (What::Fault, errors),
                        (SystemCall::Answers { result, writes }, ..) => {
                            let answered = machine.answer_with(result.as_slice(), &writes);
                            answered.expect("the right type");
                            continue;
                        }
                        (SystemCall::Exits(code), ..) => break Ended::Exited(code),
                        (SystemCall::Traps, ..) => break trapped(&machine, Trap::Host),
                        (SystemCall::Wants(_), _, Some(most)) => {
                            (What::Stdin(most), i32s(0, most as i32))
                        }
                        (wants, ..) => panic!("{wants:?}"),
                    };
                    return Stage::Asks(Box::new(Asking {
                        branches: log.branches,
                        machine,
                        state,
                        read,
                        id,
                        args,
                        choices,
                        what,
                        returned: None,
                        bytes: Vec::new(),
                        codomain,
                    }));
                }
                PrimitiveKind::Input => {
                    let memory = machine.memory().len();
                    if board.check_input(id, &args, memory).is_err() {
                        break trapped(&machine, Trap::Host);
                    }
                    if read >= self.bounds.inputs {
                        break Ended::Inputs;
                    }
                    let codomain = board.codomain_at(id, &args, &state);
                    return Stage::Asks(Box::new(Asking {
                        branches: log.branches,
                        machine,
                        state,
                        read,
                        id,
                        args,
                        choices,
                        what: What::Input,
                        returned: None,
                        bytes: Vec::new(),
                        codomain,
                    }));
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
        Stage::Done((log.branches, ended))
    }

    /// What all combinations of inputs do, and how many there are.
    pub fn all(&self) -> (BTreeSet<Signature>, u64) {
        let (mut found, mut runs) = (BTreeSet::new(), 0);
        let mut stack = vec![self.begin()];
        while let Some(stage) = stack.pop() {
            match stage {
                Stage::Done(signature) => {
                    runs += 1;
                    assert!(runs <= MOST_RUNS, "too many runs to do all");
                    if !found.contains(&signature) {
                        found.insert(signature);
                    }
                }
                Stage::Asks(asking) => {
                    for value in values(&asking.codomain) {
                        stack.extend(self.answer(&asking, value));
                    }
                }
            }
        }
        (found, runs)
    }
}

/// Programs with more runs are not small.
const MOST_RUNS: u64 = 1 << 24;
/// A codomain with no more values is looked at value by value.
const EVERY: u64 = 1 << 12;
/// Values looked at of larger ones.
const SAMPLES: u64 = 256;

/// All values of a small codomain.
fn values(codomain: &Codomain) -> impl Iterator<Item = Value> + '_ {
    let count = codomain.count().expect("few values");
    (0..count).map(|n| codomain.nth(n).expect("counted"))
}

fn trapped(machine: &Machine, trap: Trap) -> Ended {
    let at = machine.location().map(|location| location.offset.0);
    Ended::Trapped(trap.to_string(), at)
}

/// Explores without a solver, at once and in parts.
pub fn explore(start: &Start, bounds: &Bounds) -> Explored {
    let explored = explore_by(start, bounds, SearchOrder::DepthFirst);
    parts::check_parts(start, bounds, &explored);
    parts::check_cut_off(start, bounds, &explored);
    explored
}

/// Explores in some order, without a solver.
pub fn explore_by(start: &Start, bounds: &Bounds, strategy: SearchOrder) -> Explored {
    let search = Search {
        bounds: bounds.clone(),
        strategy,
        ..Search::default()
    };
    explore_all(start, search)
}

/// Explores whatever it costs.
pub fn explore_all<'s>(start: &'s Start, search: Search<'s>) -> Explored {
    let budget = Budget::unlimited();
    borges_concolic::explore(start, search, &budget, &mut |_| Flow::Continue)
}

/// The tree of all paths, whatever it costs.
pub fn suggest(explored: &mut Explored) -> Suggestions {
    borges_concolic::suggest(explored, &Budget::unlimited())
}

/// The paths are those of all runs; the tree leads to each; sets are exact.
pub fn check(start: &Start, bounds: &Bounds) -> Explored {
    let plain = Plain::new(start, bounds.clone());
    let (truth, _) = plain.all();
    let mut explored = explore(start, bounds);
    assert_eq!(explored.unexplored, [], "left out");
    assert!(explored.is_complete(), "not complete");
    assert_eq!(explored.paths.len(), truth.len(), "the number of paths");
    let listed = explored.paths.iter();
    let listed: HashSet<_> = listed.map(|path| (&path.outcomes, &path.end)).collect();
    assert_eq!(listed.len(), truth.len(), "two paths look the same");
    let seen = check_tree(&plain, &mut explored);
    assert!(seen == truth, "other paths than those of all runs");
    explored
}

/// Every path of the tree takes its branches when it is run, and so does every value of a set, and no other. What the
/// paths do when they are run.
pub fn check_tree(plain: &Plain<'_>, explored: &mut Explored) -> BTreeSet<Signature> {
    let tree = suggest(explored);
    // Several threads may find other values to stand for the same paths, which must be as good.
    let among = suggest_on(explored, 3, &|| None, &Budget::unlimited());
    if among != tree {
        check_suggestions(plain, explored, &among);
    }
    check_suggestions(plain, explored, &tree)
}

fn check_suggestions(
    plain: &Plain<'_>,
    explored: &Explored,
    tree: &Suggestions,
) -> BTreeSet<Signature> {
    assert_eq!(
        tree.left_out,
        Vec::<usize>::new(),
        "paths left out of the tree"
    );
    let mut runs: Vec<Run> = Vec::new();
    for (path, answers) in tree.answers.iter().enumerate() {
        let answers = answers.as_ref().expect("every path is in the tree");
        let reads = &explored.paths[path].ways[0].reads;
        let answers: Vec<Value> = reads
            .iter()
            .zip(answers)
            .map(|(read, cell)| value_of(read.ty, *cell))
            .collect();
        let signature = plain.end(plain.begin(), &answers);
        let signature = signature.expect("as many inputs as the path has");
        // What depends on inputs is in the order in which it happens among all branches.
        let mut all = signature.0.iter();
        let outcomes = explored.paths[path].outcomes.iter();
        for outcome in outcomes.filter(|outcome| plain.kinds.contains_key(&outcome.at.0)) {
            assert!(
                all.any(|branch| *branch == (outcome.at.0, outcome.taken)),
                "path {path} with {answers:?} does not take {outcome:?}"
            );
        }
        runs.push(Run { answers, signature });
    }
    check_sets(plain, tree, &runs);
    let count = runs.len();
    let seen: BTreeSet<Signature> = runs.into_iter().map(|run| run.signature).collect();
    assert_eq!(seen.len(), count, "two paths are one");
    seen
}

/// A path as it is in the tree.
struct Run {
    answers: Vec<Value>,
    signature: Signature,
}

/// Every value of a set keeps all paths behind it; no other value of the codomain does. Where the sets are known, what an
/// input may answer is in one of them or in the rest.
fn check_sets(plain: &Plain<'_>, tree: &Suggestions, runs: &[Run]) {
    use borges_concolic::SuggestionNode as Node;
    let mut stack = vec![(0, Vec::new(), plain.begin())];
    while let Some((number, prefix, stage)) = stack.pop() {
        let Node::Input {
            ty, options, rest, ..
        } = &tree.nodes[number]
        else {
            continue;
        };
        let Stage::Asks(asking) = stage else {
            panic!("an input is read here");
        };
        let place = prefix.len();
        let others = rest.as_ref().map_or(Set::empty(), |rest| rest.set.clone());
        let sets = options.iter().map(|option| &option.set).chain([&others]);
        let told = sets.fold(Set::empty(), |all, set| all.union(set));
        if options.iter().all(|option| option.is_exact) {
            for value in looked_at(&asking.codomain, &told, *ty) {
                assert!(
                    told.contains(borges_concolic::cell_of(value)),
                    "input {place} after {prefix:?} may answer {value}, which is said nowhere"
                );
            }
        }
        for option in options {
            let chosen = value_of(*ty, option.cell);
            let mut longer: Vec<Value> = prefix.clone();
            longer.push(chosen);
            let behind = runs.iter().filter(|run| run.answers.starts_with(&longer));
            let behind: Vec<&Run> = behind.collect();
            for value in looked_at(&asking.codomain, &option.set, *ty) {
                let keeps = behind.iter().all(|run| {
                    let next = plain.answer(&asking, value);
                    let end = next.and_then(|next| plain.end(next, &run.answers[place + 1..]));
                    end.as_ref() == Some(&run.signature)
                });
                let inside = option.set.contains(borges_concolic::cell_of(value));
                assert!(
                    inside == keeps || !option.is_exact && !inside,
                    "input {place} after {prefix:?}: {value} is {} {}, but keeps the paths: {keeps}",
                    if inside { "in" } else { "not in" },
                    option.set.to_codomain(*ty)
                );
            }
            let next = plain.answer(&asking, chosen).expect("it is allowed");
            stack.push((option.next, longer, next));
        }
    }
}

/// The values of a codomain to be tried: all if they are few; otherwise all of the set if it is small, what lies about
/// its limits, and samples.
fn looked_at(codomain: &Codomain, set: &Set, ty: ValType) -> BTreeSet<Value> {
    let count = codomain.count().unwrap_or(u64::MAX);
    if count <= EVERY {
        return values(codomain).collect();
    }
    let part = count / SAMPLES;
    let samples = (0..SAMPLES).filter_map(|n| codomain.nth(n * part + n % part.min(7)));
    let mut found: BTreeSet<Value> = samples.collect();
    for (low, high) in set.intervals() {
        let about = [low.wrapping_sub(1), *low, *high, high.wrapping_add(1)];
        let few = set.count() < u128::from(EVERY);
        let inside = (*low..=*high).take(if few { EVERY as usize } else { 0 });
        let cells = about.into_iter().chain(inside);
        found.extend(cells.map(|cell| value_of(ty, cell)));
    }
    found.retain(|value| codomain.contains(*value));
    found
}

/// What a solver says of an expression that has to be one of these, without a bound on time.
pub fn asked(
    solver: &mut dyn Solver,
    dag: &Dag,
    variables: &[SolverInput<'_>],
    (expr, allowed): (Expr, Set),
) -> Solution {
    let constraints = [Constraint { expr, allowed }];
    let query = Query {
        dag,
        variables,
        constraints: &constraints,
    };
    solver.check(&query, &Budget::unlimited())
}
