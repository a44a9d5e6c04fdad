//! A tree of paths drawn line by line, by as many threads as there are.

use std::sync::OnceLock;

use borges_concolic::{InputOption, ReadPart, SuggestionNode, value_of};
use borges_languages::model::Threads;
use borges_multiverse::workers::Workers as _;
use borges_vm::ValType;

use super::nodes::{Ending, EventReport, InputReport, RestReport};
use super::sets;
use super::tree::{PathsTree, View, rest_report};

/// A line of a tree that is drawn.
#[derive(Clone, Debug)]
pub enum Line {
    /// A path that reads nothing ends.
    End(Ending),
    /// An event arrives, or none before the next input; perhaps the path ends behind it.
    Arrival(Option<EventReport>, Option<Ending>),
    /// An input is read.
    Input(InputReport),
    /// What it may answer.
    Option {
        /// The values in words.
        shown: String,
        /// Their representative, where it is not all there is.
        say: Option<String>,
        /// Whether the values are all there are.
        exact: bool,
        /// The end of the path, if nothing follows.
        end: Option<Ending>,
    },
    /// What else it may answer.
    Rest(RestReport),
}

/// So many places of a tree are drawn by one thread at a time.
const PART: usize = 1 << 12;

/// Where a drawing stands: the nodes on the way there, each with the place of the option that is next.
#[derive(Clone, Debug)]
struct Pen(Vec<(usize, usize)>);

impl Pen {
    /// Where each part of a tree begins.
    fn parts(tree: View<'_>) -> Vec<Self> {
        let mut pen = Pen(vec![(0, 0)]);
        let mut parts = Vec::new();
        while !pen.0.is_empty() {
            parts.push(pen.clone());
            for _ in 0..PART {
                pen.go_on(tree);
            }
        }
        parts
    }

    /// Writes the lines that stand here, each with how many choices lie before it.
    fn write(&self, tree: View<'_>, mut line: impl FnMut(usize, Line)) {
        let Some((number, place)) = self.0.last() else {
            return;
        };
        let depth = self.0.len() - 1;
        match tree.ending_at(*number) {
            // A path that reads nothing.
            Some(end) if depth == 0 => line(0, Line::End(end)),
            _ => tree.lines((*number, *place), |text| line(depth, text)),
        }
    }

    /// To the next place; there is none behind the end.
    fn go_on(&mut self, tree: View<'_>) {
        let Some((number, place)) = self.0.last_mut() else {
            return;
        };
        let next = match tree.suggestions.nodes.get(*number) {
            Some(SuggestionNode::Input { options, .. }) => {
                options.get(*place).map(|option| option.next)
            }
            Some(SuggestionNode::Event { options }) => {
                options.get(*place).map(|option| option.next)
            }
            Some(SuggestionNode::End { .. }) | None => None,
        };
        *place += 1;
        match next {
            Some(next) if tree.end_at(next).is_none() => self.0.push((next, 0)),
            Some(_) => {}
            None => {
                self.0.pop();
            }
        }
    }
}

impl PathsTree {
    /// Draws it on so many threads: `write` adds a line to a text, and knows how many choices lie before it.
    pub fn draw(&self, threads: usize, write: impl Fn(&mut String, usize, Line) + Sync) -> String {
        let tree = self.view();
        let parts = Pen::parts(tree);
        let drawn: Vec<OnceLock<String>> = parts.iter().map(|_| OnceLock::new()).collect();
        Threads::new(threads).run(parts.len(), &|number| {
            let (mut pen, mut text) = (parts[number].clone(), String::new());
            for _ in 0..PART {
                pen.write(tree, |depth, line| write(&mut text, depth, line));
                pen.go_on(tree);
            }
            // Each part is drawn once.
            let _ = drawn[number].set(text);
        });
        drawn.into_iter().filter_map(OnceLock::into_inner).collect()
    }
}

impl View<'_> {
    /// The lines of a node that stand before what its option at a place leads to.
    fn lines(&self, (number, place): (usize, usize), mut line: impl FnMut(Line)) {
        match self.suggestions.nodes.get(number) {
            Some(SuggestionNode::Input {
                primitive,
                args,
                part,
                ty,
                step,
                options,
                rest,
            }) => {
                if place == 0 {
                    line(Line::Input(self.input((*primitive, &**args), part, *step)));
                }
                match (options.get(place), rest) {
                    (Some(option), _) => line(self.option(option, *ty, part)),
                    (None, Some(rest)) => line(Line::Rest(rest_report(rest, options, (*ty, part)))),
                    (None, None) => {}
                }
            }
            Some(SuggestionNode::Event { options }) => {
                if let Some(option) = options.get(place) {
                    let event = option.event.as_ref().map(EventReport::from);
                    line(Line::Arrival(event, self.ending_at(option.next)));
                }
            }
            Some(SuggestionNode::End { .. }) | None => {}
        }
    }

    fn option(&self, option: &InputOption, ty: ValType, part: &ReadPart) -> Line {
        let is_one = matches!(option.set.intervals(), [(low, high)] if low == high);
        Line::Option {
            shown: sets::of_part(&option.set, ty, part),
            say: (!is_one).then(|| sets::value(value_of(ty, option.cell), part)),
            exact: option.is_exact,
            end: self.ending_at(option.next),
        }
    }

    fn ending_at(&self, node: usize) -> Option<Ending> {
        Some(self.ending(self.end_at(node)?))
    }
}
