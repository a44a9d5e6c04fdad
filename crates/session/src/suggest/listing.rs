//! What an inquiry found, as data for faces.

use borges_board::{BoardState, Captured};
use borges_concolic::{
    End, Explored, Path, Progress, Start, SuggestionNode as Branching, Suggestions, value_of,
};
use borges_stub::{Answer, Call, Halt, Program, World, execute};
use borges_vm::Value;

use super::inquiry::Inquiry;
use super::question::{
    FoundPath, SuggestedInput, SuggestedOption, SuggestionListing, SuggestionNode, UnexploredReport,
};
use super::report::{ended, place_of};
use crate::headless::json;
use crate::inspect::Look;
use crate::values::show;

/// Paths drawn while more are looked for.
const MOST_DRAWN: usize = 300;
/// Characters of moments in one listing; options beyond have none.
const MOST_MOMENTS: usize = 4 << 20;

/// A path with the answers that lead along it.
struct Walk<'p> {
    path: &'p Path,
    answers: Vec<Value>,
}

impl<'p> Walk<'p> {
    /// With the answers of its own model.
    fn of(path: &'p Path) -> Option<Self> {
        let way = path.ways.first()?;
        let values = way.reads.iter().zip(&way.model);
        let answers = values
            .map(|(read, cell)| value_of(read.ty, *cell))
            .collect();
        Some(Walk { path, answers })
    }
}

/// Makes listings of one exploration.
pub(super) struct Lister<'l> {
    inquiry: &'l Inquiry,
    explored: &'l Explored,
}

impl<'l> Lister<'l> {
    pub(super) fn new(inquiry: &'l Inquiry, explored: &'l Explored) -> Self {
        Lister { inquiry, explored }
    }

    /// Numbers, and what was left out.
    pub(super) fn facts(&self) -> SuggestionListing {
        let (explored, inquiry) = (self.explored, self.inquiry);
        let effort = explored.effort();
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let traps = explored.paths.iter();
        let traps = traps.filter(|path| matches!(path.end, End::Trapped(..)));
        // A bound that nobody asked for has cut off what it ended.
        let cut = inquiry.within.inputs.is_none()
            && explored.paths.iter().any(|path| path.end == End::Inputs);
        let unexplored = explored.unexplored.iter().map(|left| UnexploredReport {
            reason: left.reason.to_string(),
            place: left.at.map(|at| place_of(&inquiry.info, at)),
            inputs: left
                .inputs
                .iter()
                .zip(&left.types)
                .map(|(cell, ty)| json(value_of(*ty, *cell)))
                .collect(),
        });
        SuggestionListing {
            paths: small(explored.paths.len() as u64),
            complete: explored.is_complete() && !cut,
            traps: small(traps.count() as u64),
            solver_queries: small(effort.solver_queries),
            evaluations: small(effort.evaluated),
            unexplored: unexplored.collect(),
            ..SuggestionListing::default()
        }
    }

    /// The paths that meet the goal, those with fewest inputs first; of traps one for each place.
    pub(super) fn goals(&self) -> SuggestionListing {
        let mut listing = self.facts();
        let met = self.explored.paths.iter();
        let met = met.filter(|path| self.inquiry.goal.is_met(path));
        let mut walks: Vec<Walk<'_>> = met.filter_map(Walk::of).collect();
        walks.sort_by_key(|walk| (walk.answers.len(), walk.path.steps));
        let mut ends = Vec::new();
        walks.retain(|walk| match &walk.path.end {
            End::Trapped(trap, at) => {
                let fresh = !ends.contains(&(*trap, *at));
                ends.push((*trap, *at));
                fresh
            }
            _ => true,
        });
        let walks = self.checked(walks, &mut listing);
        listing.nodes = merged(self.inquiry, &walks);
        listing.max_options = options(&listing.nodes);
        listing.found = walks.iter().map(|walk| found(self.inquiry, walk)).collect();
        listing
    }

    /// All paths, as the tree says.
    pub(super) fn tree(&self, tree: &Suggestions) -> SuggestionListing {
        let mut listing = self.facts();
        listing.complete &= tree.left_out.is_empty();
        let inquiry = self.inquiry;
        let mut walks = Vec::new();
        let mut number_of = vec![None; self.explored.paths.len()];
        for (number, path) in self.explored.paths.iter().enumerate() {
            let Some(walk) = Walk::of(path) else { continue };
            let answers = match tree.answers.get(number).and_then(Option::as_ref) {
                Some(cells) => {
                    let reads = path.ways.first().map(|way| way.reads.as_slice());
                    let values = reads.unwrap_or_default().iter().zip(cells);
                    values
                        .map(|(read, cell)| value_of(read.ty, *cell))
                        .collect()
                }
                None => walk.answers,
            };
            walks.push((number, Walk { path, answers }));
        }
        let (numbers, plain): (Vec<usize>, Vec<Walk<'_>>) = walks.into_iter().unzip();
        let mut kept = Vec::new();
        for (number, walk) in numbers.into_iter().zip(plain) {
            if let Some(walk) = self.checked(vec![walk], &mut listing).pop() {
                number_of[number] = Some(kept.len() as u32);
                kept.push(walk);
            }
        }
        listing.nodes = tree
            .nodes
            .iter()
            .map(|node| match node {
                Branching::End { path } => SuggestionNode {
                    end: number_of.get(*path).copied().flatten(),
                    ..SuggestionNode::default()
                },
                Branching::Input {
                    primitive,
                    args,
                    ty,
                    options,
                    ..
                } => SuggestionNode {
                    call: Some(look(inquiry).call_text(*primitive, args)),
                    options: options
                        .iter()
                        .map(|option| SuggestedOption {
                            value: show(value_of(*ty, option.cell)),
                            set: option.set.to_codomain(*ty).describe(),
                            exact: option.is_exact,
                            next: option.next as u32,
                            moment: String::new(),
                        })
                        .collect(),
                    end: None,
                },
            })
            .collect();
        name_moments(inquiry, &kept, &mut listing.nodes);
        listing.max_options = options(&listing.nodes);
        listing.found = kept.iter().map(|walk| found(inquiry, walk)).collect();
        listing
    }

    /// A suggestion that does not come true when it is replayed is not shown.
    fn checked<'w>(
        &self,
        mut walks: Vec<Walk<'w>>,
        listing: &mut SuggestionListing,
    ) -> Vec<Walk<'w>> {
        walks.retain(|walk| {
            let true_so = comes_true(&self.inquiry.program, &self.inquiry.start, walk);
            if !true_so {
                listing.complete = false;
                listing.unexplored.push(UnexploredReport {
                    reason:
                        "a suggestion did not come true when it was replayed: please report this"
                            .to_owned(),
                    place: None,
                    inputs: walk.answers.iter().map(|value| json(*value)).collect(),
                });
            }
            true_so
        });
        walks
    }
}

/// What was found so far, while more is looked for.
pub(super) struct Partial<'i> {
    inquiry: &'i Inquiry,
    paths: Vec<Path>,
    progress: Progress,
}

impl<'i> Partial<'i> {
    pub(super) fn new(inquiry: &'i Inquiry) -> Self {
        Partial {
            inquiry,
            paths: Vec::new(),
            progress: Progress::default(),
        }
    }

    pub(super) fn add(&mut self, path: &Path) {
        if self.paths.len() < MOST_DRAWN {
            self.paths.push(path.clone());
        }
    }

    pub(super) fn note(&mut self, progress: Progress) {
        self.progress = progress;
    }

    pub(super) fn listing(&self) -> SuggestionListing {
        let walks: Vec<Walk<'_>> = self.paths.iter().filter_map(Walk::of).collect();
        let nodes = merged(self.inquiry, &walks);
        SuggestionListing {
            question: self.inquiry.words.clone(),
            from: Some(self.inquiry.from),
            working: true,
            paths: self.progress.paths as u32,
            max_options: options(&nodes),
            nodes,
            found: walks.iter().map(|walk| found(self.inquiry, walk)).collect(),
            ..SuggestionListing::default()
        }
    }
}

fn look(inquiry: &Inquiry) -> Look<'_> {
    Look {
        program: &inquiry.program,
        info: &inquiry.info,
        machine: &inquiry.start.machine,
    }
}

fn options(nodes: &[SuggestionNode]) -> u32 {
    let options = nodes.iter().map(|node| node.options.len());
    options.max().unwrap_or(0) as u32
}

/// Paths merged on equal answers.
fn merged(inquiry: &Inquiry, walks: &[Walk<'_>]) -> Vec<SuggestionNode> {
    if walks.is_empty() {
        return Vec::new();
    }
    let mut nodes = vec![SuggestionNode::default()];
    for (number, walk) in (0..).zip(walks) {
        let mut at = 0;
        let reads = walk.path.ways.first().map(|way| way.reads.as_slice());
        for (read, value) in reads.unwrap_or_default().iter().zip(&walk.answers) {
            let text = show(*value);
            let fresh = nodes.len();
            let node = &mut nodes[at];
            let call = || look(inquiry).call_text(read.primitive, &read.args);
            node.call.get_or_insert_with(call);
            let set = read.domain.to_codomain(read.ty).describe();
            at = match node.options.iter().find(|option| option.value == text) {
                Some(option) => option.next as usize,
                None => {
                    node.options.push(SuggestedOption {
                        value: text,
                        set,
                        exact: false,
                        next: fresh as u32,
                        moment: String::new(),
                    });
                    nodes.push(SuggestionNode::default());
                    fresh
                }
            };
        }
        nodes[at].end.get_or_insert(number);
    }
    name_moments(inquiry, walks, &mut nodes);
    nodes
}

/// Gives every option its universe.
fn name_moments(inquiry: &Inquiry, walks: &[Walk<'_>], nodes: &mut [SuggestionNode]) {
    let mut written = 0;
    for walk in walks {
        let mut trace = inquiry.trace.clone();
        let reads = walk.path.ways.first().map(|way| way.reads.as_slice());
        let mut at = 0;
        for (read, value) in reads.unwrap_or_default().iter().zip(&walk.answers) {
            trace.input(read.step, *value);
            let text = show(*value);
            let Some(node) = nodes.get_mut(at) else { break };
            let Some(option) = node.options.iter_mut().find(|option| option.value == text) else {
                break;
            };
            if option.moment.is_empty() && written < MOST_MOMENTS {
                option.moment = trace.clone().text(read.step + 1);
                written += option.moment.len();
            }
            at = option.next as usize;
        }
    }
}

fn found(inquiry: &Inquiry, walk: &Walk<'_>) -> FoundPath {
    let (kind, reason, at) = ended(&walk.path.end);
    let reads = walk.path.ways.first().map(|way| way.reads.as_slice());
    let mut trace = inquiry.trace.clone();
    let mut inputs = Vec::new();
    for (read, value) in reads.unwrap_or_default().iter().zip(&walk.answers) {
        trace.input(read.step, *value);
        inputs.push(SuggestedInput {
            call: look(inquiry).call_text(read.primitive, &read.args),
            value: show(*value),
        });
    }
    // A trapping instruction is not retired: its attempt is one step more.
    let attempt = u64::from(matches!(walk.path.end, End::Trapped(..)));
    FoundPath {
        kind: kind.to_owned(),
        reason,
        place: at.map(|at| place_of(&inquiry.info, at)),
        inputs,
        moment: trace.text(walk.path.steps + attempt),
    }
}

/// Whether a plain run with these answers ends as the path says.
fn comes_true(program: &Program, start: &Start, walk: &Walk<'_>) -> bool {
    let mut machine = start.machine.clone();
    let mut world = Given {
        program,
        state: start.state.clone(),
        answers: walk.answers.iter(),
    };
    let steps = walk.path.steps;
    let until = match walk.path.end {
        End::Stopped(_) | End::Cut(_) => steps,
        _ => steps + 1,
    };
    let halt = execute(&mut machine, program, &mut world, until);
    let here = machine.steps() == steps && world.answers.len() == 0;
    here && match (&walk.path.end, halt) {
        (End::Returned, Halt::Finished) | (End::Inputs, Halt::Left) => true,
        (End::Trapped(trap, _), Halt::Trapped(now)) => *trap == now,
        (End::Stopped(at), Halt::Until) => machine.location().is_some_and(|l| l.offset == *at),
        (End::Cut(_), Halt::Until | Halt::Left) => true,
        _ => false,
    }
}

/// The outside of a plain run: inputs as given, outputs on the model.
struct Given<'g> {
    program: &'g Program,
    state: BoardState,
    answers: std::slice::Iter<'g, Value>,
}

impl World for Given<'_> {
    fn input(&mut self, call: &Call<'_>) -> Answer {
        let board = &self.program.board;
        if board.check_input(call.primitive, call.args).is_err() {
            return Answer::Trap;
        }
        let Some(value) = self.answers.next() else {
            return Answer::Leave;
        };
        let codomain = board.codomain_at(call.primitive, call.args, &self.state);
        if !codomain.contains(*value) {
            return Answer::Leave;
        }
        self.state.observe(board, call.primitive, call.args, *value);
        Answer::Value(Some(*value))
    }

    fn output(&mut self, call: &Call<'_>) -> Answer {
        let nothing = Captured::default();
        let board = &self.program.board;
        let applied = self
            .state
            .apply(board, call.primitive, call.args, call.memory, &nothing);
        match applied {
            Ok(result) => Answer::Value(result),
            Err(_) => Answer::Trap,
        }
    }
}
